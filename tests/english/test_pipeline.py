"""Analysing English with the pipeline that comes with the package: total, exact offsets, cached, several processes."""

import json
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from longway.english.document import Document, apply_changes
from longway.english.pipeline import (
    CLOSED_CLASSES,
    MAX_PIECE,
    MODEL_PATH,
    AnalysisCache,
    EnglishPipeline,
    _pieces,
    load_pipeline,
)
from longway.errors import RunError, SettingError

pytest.importorskip("spacy")
pytest.importorskip("lemminflect")
LONGWAY = load_pipeline()

# Pieces of text that tokenisers, hashes and offsets stumble over, joined at random.
ODD = st.sampled_from(
    [
        "He",
        "doesn't",
        " ",
        "  ",
        "\n\n",
        "\t",
        ".",
        "!!!",
        "\xa0",
        "\u200b",
        "�",
        "\x00",
        "é",
        "é",
        "🤷🏽\u200d♀️",
        "日本",
        "İ",
        "ß",
        "<br />",
        "https://a.b/c?d=e",
        "a@b.co",
        "’s",
        "'",
        '"',
        "((",
        "#$%",
        "1,000.50",
        "don’t",
        "U.S.",
        "&amp;",
        "\r\n",
        "\ufeff",
        "-",
        "—",
    ]
)
ANY_TEXT = st.one_of(st.text(max_size=60), st.lists(ODD, max_size=30).map("".join))


def check(document: Document, text: str) -> None:
    """Everything that must hold for every document."""
    assert document.text == text
    place = 0
    for number, word in enumerate(document.words):
        assert word.index == number
        assert place <= word.start < word.end <= len(text)
        assert text[place : word.start].strip() == ""  # between words there is only white space
        assert text[word.start : word.end] == word.text
        place = word.end
    assert text[place:].strip() == ""
    assert [i for first, end in document.sentences for i in range(first, end)] == list(range(len(document)))
    for first, end in document.sentences:
        inside = document.words[first:end]
        assert all(first <= word.head < end for word in inside)
        assert all((word.dep == "root") == (word.head == word.index) for word in inside)
        assert all(len(list(document.ancestors(word))) < end - first for word in inside)  # no circles


@given(ANY_TEXT)
@example("")
@example(" \n ")
@example("\ud83d")
def test_any_text_gives_a_sound_document(text):
    document = LONGWAY.analyse(text)
    check(document, text)
    assert apply_changes(document.text, []) == text


@given(st.lists(st.one_of(ODD, st.text(max_size=400)), max_size=60).map("".join).map(lambda text: text * 40))
def test_pieces_join_to_the_text_and_are_short(text):
    pieces = list(_pieces(text))
    assert len("".join(piece for _, piece in pieces)) == len(text)
    assert all(len(piece) <= MAX_PIECE for _, piece in pieces)
    assert [start for start, _ in pieces] == [sum(len(p) for _, p in pieces[:n]) for n in range(len(pieces))]


@pytest.mark.parametrize("unit", ["word ", "a", "(", "One more sentence.\n"])
def test_long_texts_of_every_kind_are_read_in_pieces(unit):
    text = unit * (12_000 // len(unit))
    check(LONGWAY.analyse(text), text)


def test_words_tags_lemmas_and_grammar_of_a_plain_sentence():
    document = LONGWAY.analyse("The children weren't running.")
    found = [(w.text, w.lemma, w.upos, w.tag) for w in document]
    assert found == [
        ("The", "the", "DET", "DT"), ("children", "child", "NOUN", "NNS"), ("were", "be", "AUX", "VBD"),
        ("n't", "not", "PART", "RB"), ("running", "run", "VERB", "VBG"), (".", ".", "PUNCT", "."),
    ]  # fmt: skip
    children, running = document.words[1], document.words[4]
    assert (children.dep, document.head(children)) == ("nsubj", running)
    assert children.feature("Number") == "Plur"
    assert running.dep == "root"


def test_many_texts_equal_one_by_one():
    texts = ["She left.", "", "Nobody knew why she did.", "x" * 900, "She left.", "Two. Sentences."]
    assert list(LONGWAY.analyse_all(texts)) == [LONGWAY.analyse(text) for text in texts]


def test_one_text_where_several_are_wanted_is_refused_at_once():
    with pytest.raises(
        SettingError, match=r"'texts' must be several .* Got one text: 'She left\.'.* Use analyse"
    ):
        LONGWAY.analyse_all("She left.")


@pytest.mark.parametrize("missing", [None, float("nan"), b"bytes"])
def test_what_is_no_text_is_named(missing, tmp_path):
    for cache in (None, tmp_path / "english.sqlite"):
        with pytest.raises(SettingError, match=r"A text must be a string\. Got .* Drop rows"):
            list(LONGWAY.analyse_all(["She left.", missing], cache=cache))


def test_little_words_in_capitals_have_the_lemma_of_small_ones():
    document = LONGWAY.analyse("HE WAS THERE WITH HIM. DOES SHE KNOW? I DO.")
    found = {word.text: word.lemma for word in document}
    assert (found["HE"], found["WITH"], found["I"]) == ("he", "with", "I")
    assert not any(
        word.lemma.isupper() for word in document if word.upos in CLOSED_CLASSES and word.text != "I"
    )


class Counting(EnglishPipeline):
    """The real pipeline, counting what it is given."""

    def __init__(self):
        super().__init__(LONGWAY._nlp)
        self.texts = []

    def _analyse(self, texts):
        def seen():
            for text in texts:
                self.texts.append(text)
                yield text

        return super()._analyse(seen())


def test_the_cache_gives_the_same_documents_and_spares_the_pipeline(tmp_path):
    texts, cache = ["She left.", "", "He stayed \ud800.", "She left."], tmp_path / "deep" / "english.sqlite"
    expected = list(LONGWAY.analyse_all(texts))
    first, second = Counting(), Counting()
    assert list(first.analyse_all(texts, cache=cache)) == expected
    assert list(second.analyse_all([*texts, "A new one."], cache=cache))[:4] == expected
    assert second.texts == ["A new one."]


def test_documents_from_the_cache_come_before_all_texts_are_read(tmp_path, monkeypatch):
    monkeypatch.setattr("longway.english.pipeline.READ_AHEAD", 50)
    texts, cache, read = [f"Text number {n}." for n in range(30)], tmp_path / "english.sqlite", []
    expected = list(LONGWAY.analyse_all([*texts[:10], *texts[11:]], cache=cache))
    expected.insert(10, LONGWAY.analyse(texts[10]))

    def reading():
        for text in texts:
            read.append(text)
            yield text

    run = LONGWAY.analyse_all(reading(), cache=cache)
    first = next(run)
    assert len(read) < 10
    assert [first, *run] == expected
    assert read == texts


def test_what_was_analysed_before_a_run_broke_off_is_found_again(tmp_path):
    cache, counting = tmp_path / "english.sqlite", Counting()
    run = LONGWAY.analyse_all([f"Text number {n}." for n in range(50)], cache=cache)
    for _ in range(20):
        next(run)
    run.close()  # as Ctrl-C does
    list(counting.analyse_all([f"Text number {n}." for n in range(20)], cache=cache))
    assert counting.texts == []


def test_another_pipeline_does_not_read_this_ones_cache(tmp_path):
    cache, other = tmp_path / "english.sqlite", Counting()
    list(LONGWAY.analyse_all(["She left."], cache=cache))
    other.fingerprint = "another"
    list(other.analyse_all(["She left."], cache=cache))
    assert other.texts == ["She left."]


def test_a_damaged_entry_is_analysed_anew_and_mended(tmp_path):
    cache, counting = tmp_path / "english.sqlite", Counting()
    expected = list(LONGWAY.analyse_all(["She left."], cache=cache))
    with sqlite3.connect(cache) as database:
        database.execute("UPDATE analyses SET words = x'00ff'")
    database.close()
    assert list(counting.analyse_all(["She left."], cache=cache)) == expected
    assert counting.texts == ["She left."]
    assert list(Counting().analyse_all(["She left."], cache=cache)) == expected


def test_a_file_that_is_no_cache_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("these are my notes, not a database " * 50)
    with pytest.raises(RunError, match=r"notes\.txt is damaged or no cache .* Delete it or choose another"):
        list(LONGWAY.analyse_all(["x"], cache=path))
    assert path.read_text().startswith("these are my notes")


def test_a_full_disk_needs_room_and_not_another_file(tmp_path):
    cache = AnalysisCache(tmp_path / "english.sqlite", pipeline="p")
    cache._database.execute("PRAGMA max_page_count = 4")
    sentences = tuple((i, i * i) for i in range(20_000))  # more than four pages can hold
    with pytest.raises(RunError, match=r"disk is full.* Make room") as told:
        cache.store([Document("text", (), sentences)])
    assert "Delete" not in str(told.value)


def test_the_shipped_weights_are_small_and_hold_no_pickle():
    files = [path for path in MODEL_PATH.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) <= 12_000_000
    assert {path.name for path in files} >= {"README.md", "LICENSE.md", "config.cfg", "meta.json"}
    for path in files:
        assert path.suffix not in (".pkl", ".pickle", ".pt", ".bin") or path.stat().st_size < 2
        assert path.read_bytes()[:2] not in (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")


def test_the_shipped_strings_hold_no_addresses():
    strings = json.loads((MODEL_PATH / "vocab" / "strings.json").read_text(encoding="utf-8"))
    assert not [s for s in strings if "www." in s or "://" in s]


def test_importing_the_analysis_loads_neither_spacy_nor_torch():
    code = "import sys, longway.english.pipeline; print([m for m in ('spacy', 'torch', 'nltk', 'lemminflect') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
