"""The sentence at the top, for each way the numbers can fall."""

from conftest import finding
from longway.jobs.audit.show import verdict
from longway.records import Finding, Leak

ONLY = Finding.from_dict(finding("REFUTES", "only", "token", 390, 356, "Only one."))


def measured(part, accuracy, *, columns=None, margin=0.01):
    return Leak(part, columns or (part,), accuracy, accuracy - margin, accuracy + margin, 0.5, "cv", 1000)


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


def test_a_leak_that_was_not_measured_is_not_made_up():
    assert verdict([], [ONLY]) == "The leak could not be measured. Strongest: “only”."


def test_a_column_with_an_odd_name_is_quoted():
    assert verdict(pair(0.7, 0.5, columns=("sentence1",)), []).startswith("From the column “sentence1” alone")
