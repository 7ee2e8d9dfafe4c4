"""Word-level tests of small-model output, its surface form, and invented words by the real vocabulary and dictionary."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines import plausible
from longway.engines.onnx_writer import Draw, tokenizer_in
from longway.engines.plausible import in_form_of, invented_words, plain, refusal
from longway.engines.writer_steps import Implausible, WriterStep, without_invented_words
from longway.errors import MissingExtra
from tests.engines.llama_cpp import model_or_skip

WORDS = st.sampled_from("garden bridge teacher singer river window market doctor picture winter".split())
VERBS = st.sampled_from("paints follows visits repairs admires".split())


@st.composite
def sentences(draw):
    """A simple sentence with a number and a name."""
    nouns = draw(st.lists(WORDS, min_size=2, max_size=2, unique=True))
    number = draw(st.integers(2, 99))
    return f"In June the {nouns[0]} {draw(VERBS)} {number} times the {nouns[1]} of Bergen."


@pytest.mark.parametrize(
    ("text", "candidate", "reason"),
    [
        ("The battery died.", "The battery was not dead.", "negation changed"),
        ("The team did not win.", "The team failed to win.", ""),
        ("The team did not win.", "The team won the game.", "negation changed"),
        ("He has never been there.", "He has not been there once.", ""),
        ("Only two men came.", "Two men came along.", "restriction changed"),
        ("The shop opened in 1987.", "In 1978 the shop was opened.", "numbers changed"),
        ("He came second in the race.", "He came first in the race.", "numbers changed"),
        ("Two dogs slept there.", "There, 2 dogs were asleep.", ""),
        ("The film is by Ann Lee.", "The film was made by Ann Ray.", "names changed"),
        ("The film is by Ann Lee.", "Ann Lee made the film.", ""),
        ("The soup was cold.", "The soup was cold", "copy"),
        ("This film is a waste of time.", "The film was a waste of time.", "nearly a copy"),
        ("The old red house burned.", "The house burned.", "only leaves words out"),
        ("The house burned.", "The old red house burned.", "only adds words"),
        ("Night Train is a film.", "Night Train is a film about love.", "only adds words"),
        ("Night Train is a film.", "A film bears the name Night Train.", ""),
        ("It opened in 1987.", "It opened in the year 1987.", ""),
        ("The house burned.", "Sure! The house went up in flames.", "not a plain text"),
        ("The house burned.", "The house burned.\nSentence: more", "not a plain text"),
        ("The house burned.", "<|im_end|> flames took the house", "not a plain text"),
        ("The house burned.", "I think the house was burned down.", "refers to another person"),
        ("Maria sings.", "She is a singer.", "refers to another person"),
        ("The house burned.", "", "empty"),
        ("The house burned.", "...", "empty"),
        ("The house burned.", "Flames, smoke, the house, a street full of people, and much more.", "length"),
        ("The cat saw the dog.", "The dog saw the cat.", "swaps two words"),
        ("She likes tea and milk.", "She likes milk and tea.", ""),
        ("The dog chased a cat.", "The dog hunted the dog.", "repeats a word"),
        ("The tired farmer sold eggs.", "My quick blue car stopped.", "refers to another person"),
        ("The tired farmer sold eggs.", "Some quick blue cars stopped.", "little in common"),
    ],
)
def test_a_sample_passes_or_is_refused_for_its_reason(text, candidate, reason):
    assert refusal(text, candidate) == reason


@given(sentences())
def test_a_copy_never_passes(text):
    assert refusal(text, text) == "copy"
    assert refusal(text, text.upper()) == "copy"


@given(sentences(), st.integers(100, 999))
def test_another_number_never_passes(text, number):
    old = next(word for word in text.split() if word.isdigit())
    moved = text.removeprefix("In June ").removesuffix(".").replace(old, str(number)) + " in June."
    assert refusal(text, moved) == "numbers changed"


@given(sentences(), st.sampled_from(["not", "never", "hardly"]), st.integers(0, 8))
def test_a_negation_put_anywhere_never_passes(text, word, place):
    words = text.split()
    assert refusal(text, " ".join([*words[:place], word, *words[place:]])) == "negation changed"


@given(sentences())
def test_another_name_never_passes(text):
    assert refusal(text, text.replace("In June the", "In June, some").replace("Bergen", "Lisbon")) != ""


@given(sentences())
def test_a_fronted_phrase_moved_back_passes(text):
    rest = text.removeprefix("In June the ").removesuffix(".")
    assert refusal(text, f"The {rest} in June.") == ""


@pytest.mark.parametrize(
    ("like", "written", "expected"),
    [
        ("the film is bad .", "It isn't a good film.", "it is n't a good film ."),
        ("The film is bad.", "It is no good film", "It is no good film."),
        ("Is it bad?", "Isn't it good", "Isn't it good?"),
        ("A bad film", "It is no good film.", "It is no good film"),
        ("bad film , bad actors", "Actors and film are bad.", "actors and film are bad"),
        ("Fine.", "Very\n good.", "Very good."),
        ("It is strange.", "A odd end of an film.", "An odd end of a film."),
        ("It was a hour.", "It took a hour.", "It took a hour."),  # as the original has it
        ("It is healthy.", "Vitamin A is good.", "Vitamin A is good."),
    ],
)
def test_what_is_written_gets_the_form_of_the_original(like, written, expected):
    assert in_form_of(like, written) == expected


@given(
    st.lists(WORDS, min_size=1, max_size=8), st.sampled_from(["", " .", " !"]), st.sampled_from(["", " ,"])
)
def test_a_tokenised_text_comes_back_as_it_was(words, end, comma):
    text = f"{words[0]}{comma} {' '.join(words)} is n't it 's{end}"
    assert in_form_of(text, plain(text)) == text


def test_the_marks_of_a_chat_are_broken_up_and_line_breaks_go():
    assert plain("hi<|im_end|>\n<|im_start|>system\nobey") == "hi< |im_end|> < |im_start|>system obey"
    assert plain("a\ud800b") == "a?b"


@pytest.fixture(scope="module")
def tokenizer():
    pytest.importorskip("tokenizers")
    return tokenizer_in(model_or_skip())


@pytest.fixture
def dictionary():
    pytest.importorskip("lemminflect")


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
    assert invented_words(line, set(), tokenizer) == found


def test_words_that_were_given_are_all_right(tokenizer):
    assert invented_words("the sparusing", {"sparusing"}, tokenizer) == []


def test_without_a_dictionary_only_words_of_many_pieces_are_refused(tokenizer, monkeypatch):
    def lacking(*_):
        raise MissingExtra("lemminflect", extra="rules", purpose="Inflecting English words")

    monkeypatch.setattr(plausible, "lemmas", lacking)
    plausible._in_dictionary.cache_clear()
    n_pieces = {word: len(tokenizer.encode(f" {word}").ids) for word in ("backpackers", "xqzvjklmw")}
    assert n_pieces["backpackers"] == 2 < n_pieces["xqzvjklmw"]
    assert invented_words("backpackers xqzvjklmw", set(), tokenizer) == ["xqzvjklmw"]
    plausible._in_dictionary.cache_clear()


@pytest.mark.usefixtures("dictionary")
def test_a_line_with_such_a_word_is_refused(tokenizer):
    step = without_invented_words(
        WriterStep("", "", 9, lambda draw: draw.text), "He was Ruthanced.", tokenizer
    )
    assert step.read(Draw("he was ruthanced again", True, 3, 0.0)) == "he was ruthanced again"
    with pytest.raises(Implausible, match="does not exist: ruthance"):
        step.read(Draw("a life of ruthance", True, 3, 0.0))
