"""Negations in data of several languages, or of the one that was given."""

import numpy as np
import pytest

from longway.data import load
from longway.detect.detector import TokenizedRow
from longway.detect.negation import NegationDetector
from longway.detect.reading import Reading
from longway.languages.words import tokenizer_for
from longway.records import Pattern

ENGLISH = [
    "The ship was sin and glory to them, and there was no end.",
    "There was no reason for that, and they knew it.",
]
SPANISH = ["La casa de mi abuela no era grande.", "El tren de la tarde llegó sin los viajeros de ayer."]


def reading_of(texts, **options):
    return Reading.of(
        load([{"text": f"{t} {n}", "label": "ab"[n % 2]} for n, t in enumerate(texts)], **options)
    )


def test_a_text_has_negations_of_its_own_language_only():
    reading = reading_of([*ENGLISH, *SPANISH] * 20)
    detector = NegationDetector(reading)
    features = detector.count(reading)
    counts = {
        detector.describe(key).pattern.language: n
        for key, n in zip(features.keys, features.counts.sum(axis=1), strict=True)
    }
    assert counts == {"": 40, "es": 40}


@pytest.mark.parametrize(("given", "spoken"), [("en", ("",)), ("es", ("es",)), ("tr", ("tr",)), ("th", ())])
def test_negations_are_those_of_the_language_that_was_given(given, spoken):
    detector = NegationDetector(reading_of(SPANISH * 20, language=given))
    assert {pattern.pattern.language for pattern in detector.patterns} == set(spoken)


def test_texts_are_searched_for_phrases_once(monkeypatch):
    reading = reading_of(SPANISH * 20)
    searched = []
    monkeypatch.setattr(
        "longway.detect.negation.negates", lambda tokens, language: not searched.append(tokens)
    )
    detector = NegationDetector(reading)
    detector.count(reading)
    detector.matrix_of(reading, np.arange(1), np.arange(0, 40, 3))
    assert len(searched) == 40


def test_a_row_of_another_language_does_not_show_the_negation():
    """ "no" is Spanish and English."""
    pattern = Pattern("negation", "text", place="text", language="es")

    def shown(*languages):
        rows = [TokenizedRow({"text": text}, tokenizer_for(languages)) for text in (SPANISH[0], ENGLISH[1])]
        return [bool(NegationDetector.where(row, pattern)) for row in rows]

    assert shown("en", "es") == [True, False]
    assert shown("es") == [True, True]
