"""The sentence at the top, for each way the numbers can fall."""

from dataclasses import replace

import pytest

from conftest import finding
from longway.detect.severity import rows_needed
from longway.jobs.audit.page import verdict
from longway.records import Finding, Leak

ONLY = Finding.from_dict(finding("REFUTES", "only", "token", 390, 356, "Only one."))


def measured(part, accuracy, *, columns=None, margin=0.01):
    low, high = accuracy - margin, accuracy + margin
    observations = 0.25 * (1.96 / margin) ** 2
    return Leak(part, columns or (part,), accuracy, low, high, 0.5, "cv", 1000, observations=observations)


def pair(text, context, **options):
    return [measured("text", text, **options), measured("context", context), measured("both", 0.99)]


def test_one_side_of_a_pair_that_predicts_the_label_is_a_leak():
    said = verdict(pair(0.673, 0.5, columns=("claim",)), [ONLY])
    assert said == "From the claim alone a simple model gets 67% right; chance is 50%. Strongest: “only”."


def test_the_side_that_leaks_more_is_named():
    assert verdict(pair(0.5, 0.7), []).startswith("From the context alone")


def test_the_stronger_of_two_measurements_counts():
    words, everything = measured("text", 0.5), measured("text", 0.99)
    assert "99% right" in verdict([words, everything], [])


def test_accuracy_within_its_interval_of_chance_is_no_leak():
    assert "no better than chance (50%), but some patterns" in verdict(pair(0.505, 0.5), [ONLY])


def test_a_clean_dataset_is_said_to_be_clean():
    assert verdict(pair(0.505, 0.5), []) == "No surface pattern predicts the label beyond chance (50%)."


def test_nothing_found_in_too_few_rows_is_not_said_to_be_clean():
    said = verdict([measured("text", 0.5, columns=("claim",), margin=0.2), measured("both", 0.5)], [])
    assert said == (
        "Too few rows to tell: a simple model is right in 30% to 70% from the claim alone (95% interval; chance is 50%). "
        "About 4,000 rows like these are needed."
    )


def test_one_side_of_a_pair_that_was_measured_on_too_few_rows_is_named():
    said = verdict([measured("text", 0.5), measured("context", 0.5, margin=0.2)], [])
    assert said.startswith("Too few rows to tell")
    assert "from the context alone" in said


def test_what_was_found_in_few_rows_is_reported():
    assert verdict([measured("text", 0.95, margin=0.2)], []).startswith("From the text alone")
    assert "some patterns predict" in verdict([measured("text", 0.5, margin=0.2)], [ONLY])


def test_the_rows_said_to_be_needed_are_enough():
    few = measured("text", 0.5, margin=0.2)
    n = rows_needed(few)
    assert n == pytest.approx(few.rows * 4, rel=0.05)  # half the interval: from 20 points to 10
    assert rows_needed(replace(few, rows=n, observations=1.05 * few.observations * n / few.rows)) == 0
    assert rows_needed(replace(few, observations=0.0)) == 0  # of an earlier version: not known
    rare = replace(few, majority=0.98, low=0.9, accuracy=0.98, high=0.99, observations=300)
    assert rows_needed(rare) > 0  # only six rows have the other label


def test_a_leak_that_was_not_measured_is_not_made_up():
    assert verdict([], [ONLY]) == "The leak could not be measured. Strongest: “only”."


def test_a_column_with_an_odd_name_is_quoted():
    assert verdict(pair(0.7, 0.5, columns=("sentence1",)), []).startswith("From the column “sentence1” alone")
