"""Words that do not exist, by the real vocabulary and the real dictionary."""

import pytest

from longway.errors import MissingExtra
from longway.llm import made_up
from longway.llm.avoided import tokenizer_in
from longway.llm.gguf import Draw
from longway.llm.local_steps import Implausible, Step
from longway.llm.made_up import known_words_only, words_made_up
from tests.llm.served_local import model_or_skip


@pytest.fixture(scope="module")
def tokenizer():
    pytest.importorskip("tokenizers")
    return tokenizer_in(model_or_skip())


@pytest.fixture
def dictionary():
    for package in ("lemminflect", "nltk"):
        pytest.importorskip(package)


@pytest.mark.usefixtures("dictionary")
@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("the visualities were priestics", ["visualities", "priestics"]),
        ("an accessible skateboarder utilizing exuberance", []),
        ("Adoraded is a name", []),
        ("three of them don't sparusing", ["sparusing"]),
        ("a paint-by-numbers gut-bustle", []),  # each part of it is a word
    ],
)
def test_words_that_do_not_exist_are_found(tokenizer, line, found):
    assert words_made_up(line, set(), tokenizer) == found


def test_words_that_were_given_are_all_right(tokenizer):
    assert words_made_up("the sparusing", {"sparusing"}, tokenizer) == []


def test_without_a_dictionary_only_words_of_many_pieces_are_refused(tokenizer, monkeypatch):
    def lacking(*_):
        raise MissingExtra("lemminflect", extra="rules", purpose="Inflecting English words")

    monkeypatch.setattr(made_up, "lemmas", lacking)
    made_up._is_listed.cache_clear()
    n_pieces = {word: len(tokenizer.encode(f" {word}").ids) for word in ("backpackers", "xqzvjklmw")}
    assert n_pieces["backpackers"] == 2 < n_pieces["xqzvjklmw"]
    assert words_made_up("backpackers xqzvjklmw", set(), tokenizer) == ["xqzvjklmw"]
    made_up._is_listed.cache_clear()


@pytest.mark.usefixtures("dictionary")
def test_a_line_with_such_a_word_is_refused(tokenizer):
    step = known_words_only(Step("", "", "", 9, lambda draw: draw.text), "He was Ruthanced.", tokenizer)
    assert step.read(Draw("he was ruthanced again", True, 3, 0.0)) == "he was ruthanced again"
    with pytest.raises(Implausible, match="does not exist: ruthance"):
        step.read(Draw("a life of ruthance", True, 3, 0.0))
