"""Repairing data in other languages: no English edit, no crash, and the planted shortcut is weaker afterwards."""

import re

import pytest

import longway as lw
from tests.languages.texts import CLOSING, LABELS, rows

LANGUAGES = ["de", "fr", "es", "ru", "ar", "hi", "zh", "ja", "th", "ko"]
N = 100
WORD = re.compile(r"[^\W\d_]+")


def gap(texts_and_labels, phrase):
    """How much more often texts of the first label have a phrase than others."""
    shown = {label: [phrase in text for text, its in texts_and_labels if its == label] for label in LABELS}
    return abs(sum(shown["pos"]) / len(shown["pos"]) - sum(shown["neg"]) / len(shown["neg"]))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_repair_weakens_the_shortcut_and_writes_no_english(language):
    before = rows(language, planted="sentence", n=N)
    result = lw.repair(before, text="text", label="label")
    after = [
        (text, result.data.labels[label])
        for batch in result.data.batches()
        for text, label in zip(batch.texts, batch.labels, strict=True)
    ]
    phrase = CLOSING[language][:12]
    assert gap(after, phrase) < 0.5 * gap([(row["text"], row["label"]) for row in before], phrase)
    known = {word for row in before for word in WORD.findall(row["text"].lower())}
    for edit in result.edits:
        assert set(WORD.findall(edit.after.lower())) <= known
        assert edit.method in ("take out", "drop", "reshape", "normalise", "put in")
