"""Found, repaired, harmed: against counts worked out by hand."""

import builtins
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from longway.jobs.plant.job import PatternInformation, Plant, information, plant, share_gone
from longway.records import Finding, Pattern
from longway.stats import mutual_information
from tests.jobs.plant.rows import rows_of

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "runs"))
import plant_measures as measure_module
from plant_measures import detection, is_plant, repair


def finding(words, *, level="token", place="", label="yes", q=0.001, supporting=(), variants=()):
    return Finding(
        Pattern(level, "text", tuple(words.split()), place, context="context" if level == "pair" else ""), label=label, majority_label=label, count=10, label_share=0.9,
        share_low=0.8, base_rate=0.5, gain=0.1, mutual_information=0.1, z=3, pmi=0.5, lmi=0.1, p=q, q=q,
        supporting=supporting, variants=variants,
    )  # fmt: skip


@pytest.fixture(scope="module")
def made():
    return plant(
        rows_of(100), [Plant("word", label="yes", strength=1.0, rate=0.2), Plant("negation", label="no")]
    )


def test_information_is_that_of_the_two_by_two_table():
    shows = np.array([True, True, True, False, False, False])
    told = information(shows, ["a", "a", "b", "b", "b", "c"], "a")
    assert (told.count, told.share) == (3, 2 / 3)
    assert told.nats == mutual_information(np.array([[2, 1]]), np.array([2, 4]))[0]
    assert information(np.zeros(2, bool), ["a", "b"], "a").share == 0.0


CLEAN = [
    finding("lamp", label="no"),
    finding("kettle"),
    finding("violin", label="no"),
    finding("bridge", q=0.3),
]


def test_rank_precision_and_recall_are_counted_by_hand(made):
    found = [
        finding("lamp", label="no"),  # the data's own
        finding("kettle", variants=(finding("incidentally"),)),
        finding("violin"),  # leaned the other way in the clean data: wrong
        finding("garden"),  # neither planted nor known: wrong
        finding("bridge"),  # did not lean in the clean data: wrong
        finding("", place="text", level="negation", label="no", q=0.2),  # not sure enough
        finding("incidentally in", level="ngram"),
        finding("", place="9 or more words", level="length"),  # moves with the plants: no count
    ]
    result = detection(found, made.truth, clean=CLEAN)
    assert [one.rank for one in result.plants] == [2, None]
    assert result.plants[0].pattern == "incidentally"
    assert result.recall == 0.5
    assert result.precision == 1 / 4  # "incidentally in" against "violin", "garden" and "bridge"


def test_nothing_found_is_nothing_wrong(made):
    result = detection([], made.truth)
    assert (result.precision, result.recall) == (1.0, 0.0)


def test_a_plant_is_known_by_its_words_or_its_kind(made):
    word, negation = made.truth
    assert is_plant(finding("incidentally"), word)
    assert is_plant(finding("incidentally", place="last word", level="position"), word)
    assert is_plant(finding("rain incidentally and", level="ngram"), word)  # only the plant brought that word
    assert is_plant(finding("town incidentally", level="pair"), word)
    assert not is_plant(finding("rain"), word)
    assert is_plant(finding("", place="text only", level="negation"), negation)
    assert is_plant(finding("no more", level="ngram"), negation)
    assert not is_plant(finding("is", supporting=("x", "y", made.truth[1].ids[0])), negation)


def test_repeated_words_of_the_context_are_the_plant_in_its_own_rows_alone():
    truth = plant(rows_of(100, pairs=True), [Plant("overlap", label="yes", rate=0.2)]).truth[0]
    assert is_plant(finding("", place="at least 70% of the words", level="overlap"), truth)
    assert is_plant(finding("painters", supporting=truth.ids[:20]), truth)
    assert not is_plant(finding("painters", supporting=("x", "y", "z")), truth)


def test_a_mark_is_known_by_its_name_alone():
    truth = plant(rows_of(40), [Plant("punctuation", label="yes")]).truth[0]
    assert is_plant(finding("", place="an exclamation mark", level="surface"), truth)
    assert is_plant(finding("!"), truth)
    assert not is_plant(finding("", place="a comma", level="surface"), truth)


def test_a_plant_taken_out_is_repaired_and_harms_nothing(made):
    clean = rows_of(100)
    result = repair(made.truth, clean, made.rows, clean)
    assert result.harm == 0
    assert (result.labels_changed, result.lost) == (0, 0)
    assert all(one.gone > 0.9 for one in result.plants)
    untouched = repair(made.truth, clean, made.rows, made.rows)
    assert [one.gone for one in untouched.plants] == [0, 0]
    assert untouched.harm == 0


@pytest.mark.parametrize("with_rapidfuzz", [True, False])
def test_harm_counts_changed_words_outside_of_the_plant(made, monkeypatch, with_rapidfuzz):
    if not with_rapidfuzz:
        real = builtins.__import__
        monkeypatch.setattr(
            builtins, "__import__", lambda name, *a: _no(name) if "rapidfuzz" in name else real(name, *a)
        )
    else:
        pytest.importorskip("rapidfuzz")
    changed = measure_module._changed_words
    clean = "the lamp stands in rain".split()
    planted = "the lamp stands incidentally in rain".split()
    assert changed(clean, planted, clean) == 0
    assert (
        changed(clean, planted, "the lamp stands by chance in rain".split()) == 0
    )  # in the place of the plant
    assert changed(clean, planted, "the lamp leans incidentally in rain".split()) == 1
    assert changed(clean, planted, "a lamp stands in heavy rain".split()) == 2
    assert changed(clean, clean, []) == 5


def _no(name):
    raise ImportError(name)


def test_labels_and_rows_that_went_are_counted(made):
    clean = rows_of(100)
    after = [replace(made.rows[0], label="yes"), *made.rows[1:90]]
    result = repair(made.truth, clean, made.rows, after)
    assert (result.labels_changed, result.lost) == (1, 10)
    assert result.plants[0].kind == "word"


def test_share_gone_of_nothing_is_nothing():
    nothing = PatternInformation(0, 0.0, 0.0)
    assert share_gone(nothing, nothing) == 0.0
