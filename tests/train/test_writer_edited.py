"""Rows for the job "edit": a part is cut out of a sentence, and the writer learns to put it back, to lengthen and to shorten."""

import random
import sys
from pathlib import Path

import pytest

TRAIN = Path(__file__).resolve().parents[2] / "train"
sys.path.insert(0, str(TRAIN))
pytest.importorskip("spacy")

from longway.english.pipeline import load_pipeline  # noqa: E402
from writer_edited import edited, removable, some_words, without  # noqa: E402

TEXTS = [
    "A former American actor sang loudly at the party yesterday.",
    "Unfortunately, the film is really slow.",
    "The plot is an incredibly dull mess from start to finish.",
    "A man is sitting on a red bench in the park.",
    "The band, which was formed in Leeds, never toured in Asia.",
]


@pytest.mark.parametrize(
    ("text", "rests"),
    [
        (
            "Unfortunately, the film is really slow.",
            {"The film is really slow.", "Unfortunately, the film is slow."},
        ),
        ("It is an odd film.", {"It is a film."}),
        ("She never sang loudly in here.", {"She never sang in here.", "She never sang loudly."}),
    ],
)
def test_what_is_left_is_a_sentence_with_its_capital_its_article_and_its_denial(text, rests):
    (document,) = load_pipeline().analyse_all([text])
    assert {without(document, part) for part in removable(document)} - {""} == rests


def test_words_that_are_named_stand_in_the_answer_and_not_in_the_question_at_the_place_named():
    rows = [row for seed in range(6) for row in edited(TEXTS, "toy", seed)]
    named = [row for row in rows if row.source == "put_in_toy"]
    assert named
    for row in named:
        text, wanted = (line.partition(": ") for line in row.ask.split("\n")[1:3])
        words = row.answer.lower().rstrip(".").replace(",", "")
        assert f" {wanted[2]} " in f" {words} "
        assert len(text[2].split()) < len(row.answer.split())
        if wanted[0] == "include first":
            assert words.startswith(wanted[2])
        if wanted[0] == "include last":
            assert words.endswith(wanted[2])


def test_lengths_that_are_asked_for_are_those_of_the_answer():
    rows = [row for seed in range(6) for row in edited(TEXTS, "toy", seed)]
    for kind, word in (("longer_toy", "least"), ("shorter_toy", "most")):
        asked = [row for row in rows if row.source == kind]
        assert asked
        for row in asked:
            n = int(row.ask.partition(f"at {word} ")[2].split()[0])
            n_words = len(row.answer.split())
            assert n_words >= n if word == "least" else n_words <= n


def test_a_part_without_words_names_nothing():
    (document,) = load_pipeline().analyse_all(["He left."])
    assert some_words(document, [document.words[-1]], random.Random(0)) == ("", "")
