"""Repairing data in other languages: no English edit, no crash, and the planted shortcut is weaker afterwards."""

import re
from random import Random

import pytest

import longway as lw
from longway.detect.leak import folds_for
from longway.jobs.repair.job import repair_plan
from tests.languages.texts import PARTS, rows

LANGUAGES = ("de", "fr", "es", "ru", "ar", "hi", "zh", "ja", "th", "ko")
KINDS = ("sentence", "opening", "negation", "mark", "length")
ALWAYS = {("ar", "mark"), ("th", "length"), ("zh", "opening")}
CASES = [
    pytest.param(language, kind, marks=() if (language, kind) in ALWAYS else pytest.mark.soak)
    for language in LANGUAGES
    for kind in KINDS
]
N = 120
WORD = re.compile(r"[^\W\d_]+")


@pytest.mark.parametrize(("language", "kind"), CASES)
def test_a_repair_weakens_the_shortcut_and_writes_no_english(language, kind, monkeypatch):
    if kind == "length":  # two models, as tests have, do not show such a leak
        monkeypatch.setattr("longway.detect.leak.folds_for", folds_for)
    before = rows(language, planted=kind, n=N)
    result = lw.repair(before, text="text", label="label")
    leak = result.comparison.leak
    assert leak.before.accuracy > 0.6
    assert leak.after.accuracy - 0.5 < 0.5 * (leak.before.accuracy - 0.5)
    known = {word for row in before for word in WORD.findall(row["text"].lower())}
    for edit in result.edits:
        assert set(WORD.findall(edit.after.lower())) <= known
        assert edit.method in ("take out", "drop", "reshape", "normalise", "put in")


def mixed_rows(n=80):
    """English and German rows; in both, an adverb inside the sentence goes with one label."""
    random, made = Random(0), []
    for number in range(n):
        language, adverb = (("en", "quietly"), ("de", "heimlich"))[number // 2 % 2]
        subject, verb, place = (random.choice(part.split("|")) for part in PARTS[language])
        is_planted = random.random() < (0.9 if number % 2 else 0.05)
        words = [subject, adverb, verb] if language == "en" else [subject, verb, adverb]
        text = " ".join([*(word for word in words if is_planted or word != adverb), place])
        made.append(
            {"text": f"{text[0].upper()}{text[1:]}.", "label": "ab"[number % 2], "language": language}
        )
    return made


def test_of_a_mixed_file_the_rules_edit_english_rows_only():
    given = mixed_rows()
    german = {row["text"] for row in given if row["language"] == "de"}
    result = lw.repair(
        given, text="text", label="label", remedy=("take out", "exchange", "reword"), engine="rules"
    )
    changed = [edit for edit in result.edits if edit.accepted]
    assert any(edit.how == "take_out.adverb" for edit in changed)
    assert [edit for edit in changed if edit.before in german] == []


def test_the_plan_of_a_mixed_file_counts_the_rows_that_may_change():
    given = [{"text": row["text"], "label": row["label"]} for row in mixed_rows()]
    aimed = {step.remedy: step for step in repair_plan(given).steps}
    assert set(aimed["take out"].patterns) == {"heimlich", "quietly"}
    for remedy in ("put in", "exchange", "reword"):
        assert aimed[remedy].patterns == ("quietly",)
        assert aimed[remedy].rows < aimed["take out"].rows
