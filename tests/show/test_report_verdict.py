"""The sentence at the top, for each way the numbers can fall."""

from longway.jobs.audit.show import verdict
from longway.records import Leak


def measured(part, accuracy, *, columns=None, margin=0.01):
    return Leak(part, columns or (part,), accuracy, accuracy - margin, accuracy + margin, 0.5, "cv", 1000)


def pair(text, context, **options):
    return {"text": measured("text", text, **options), "context": measured("context", context)}


def test_one_side_of_a_pair_that_tells_the_label_is_a_leak():
    said = verdict(pair(0.673, 0.5, columns=("claim",)), n_significant=9, n_tested=100)
    assert said == "From the claim alone a bag of words gets 67.3% right (chance: 50.0%): this dataset leaks."


def test_the_side_that_leaks_more_is_named():
    assert verdict(pair(0.5, 0.7), n_significant=1, n_tested=10).startswith("From the context alone")


def test_a_small_leak_is_called_small():
    assert verdict(pair(0.515, 0.5), n_significant=1, n_tested=10).endswith("leaks slightly.")


def test_single_texts_are_not_accused_of_leaking():
    said = verdict({"text": measured("text", 0.85)}, n_significant=9, n_tested=100)
    assert "85.0%" in said
    assert "leaks" not in said


def test_accuracy_within_its_interval_of_chance_is_no_leak():
    assert "no better than chance, but 3 of 100" in verdict(pair(0.505, 0.5), n_significant=3, n_tested=100)


def test_a_clean_dataset_is_said_to_be_clean():
    said = verdict(pair(0.505, 0.5), n_significant=0, n_tested=100)
    assert said == "No surface pattern predicts the label beyond chance."


def test_a_leak_that_was_not_measured_is_not_made_up():
    assert verdict({}, n_significant=3, n_tested=100).startswith("The leak could not be measured")


def test_a_column_with_an_odd_name_is_quoted():
    said = verdict(pair(0.7, 0.5, columns=("sentence1",)), n_significant=1, n_tested=10)
    assert said.startswith("From the column “sentence1” alone")
