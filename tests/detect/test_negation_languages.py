"""Negations in data of several languages, or of the one that was given."""

import pytest

from longway.data import load
from longway.detect.negation import NegationDetector, spoken_in
from longway.detect.reading import Reading

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


@pytest.mark.parametrize(("given", "spoken"), [("en", ("",)), ("es", ("es",)), ("tr", ("tr",))])
def test_negations_are_those_of_the_language_that_was_given(given, spoken):
    assert spoken_in(reading_of(SPANISH * 20, language=given)) == spoken
