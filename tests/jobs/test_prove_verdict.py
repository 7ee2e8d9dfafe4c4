"""The words at the top of a proof's page, for each way the numbers can fall."""

from dataclasses import replace

import pytest

from longway.jobs.prove.result import Comparison
from longway.jobs.prove.verdict import prove_verdict

UNCLEAR = Comparison(
    "after", "bow", "erm", "dev", "accuracy", "before", 0.01, -0.01, 0.03, 0.4, 0.4, "no clear difference", before=0.7, after=0.71
)  # fmt: skip
BETTER = replace(UNCLEAR, test="symmetric", before=0.504, after=0.581, difference=0.077, low=0.059, high=0.095, verdict="better")  # fmt: skip
WORSE = replace(UNCLEAR, after=0.669, difference=-0.031, low=-0.049, high=-0.013, verdict="worse")


def test_a_gain_is_told_with_its_test_set_and_interval():
    said = prove_verdict([BETTER, UNCLEAR])
    assert said.sentence == (
        "It helped on symmetric: 1 of 2 comparisons is clearly better with after than with before, none worse."
    )
    assert said.details == (
        "The largest gain: on symmetric, bag of words gets 50.4% → 58.1% (+7.7 points, 95% interval +5.9 to +9.5). "
        "1 shows no clear difference."
    )


def test_a_loss_is_told_as_harm():
    said = prove_verdict([WORSE, UNCLEAR])
    assert said.sentence.startswith("It did harm on dev: 1 of 2 comparisons is clearly worse")
    assert "The largest loss: on dev, bag of words gets 70.0% → 66.9% (−3.1 points" in said.details


def test_gain_and_loss_are_told_together():
    said = prove_verdict([BETTER, WORSE, UNCLEAR])
    assert said.sentence == (
        "Mixed: it helped on symmetric and did harm on dev. Of 3 comparisons of after with before, "
        "1 is clearly better and 1 clearly worse."
    )
    assert said.details.index("The largest gain") < said.details.index("The largest loss")


def test_no_clear_difference_is_said_as_such_however_large_the_figure():
    said = prove_verdict([replace(UNCLEAR, difference=0.2, after=0.9), UNCLEAR])
    assert said.sentence.startswith("No clear difference: trained on after or on before, the model is right")
    assert said.sentence.endswith("on dev (2 comparisons).")
    assert "helped" not in said.sentence


def test_intervals_too_wide_for_any_difference_are_no_absence_of_one():
    wide = replace(UNCLEAR, low=-0.19, high=0.21)
    said = prove_verdict([wide, replace(wide, low=-0.3, high=0.3)]).sentence
    assert said.startswith("Too few test rows to tell: ")
    assert "20 points wide on either side" in said
    assert said.endswith("A difference of 10 points takes about 4.0 times as many rows.")
    assert prove_verdict([wide, UNCLEAR]).sentence.startswith("No clear difference")  # one is narrow enough


def test_the_only_comparison_is_called_so():
    assert "the only comparison is clearly better" in prove_verdict([BETTER]).sentence


def test_nothing_compared_is_nothing_claimed():
    said = prove_verdict([], n_failed=2)
    assert said.sentence == "Nothing could be compared: no model has figures for both versions."
    assert said.details == "2 trainings failed and are not included."


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_other_worse": 3}, "By other metrics, 3 figures got clearly worse; see below."),
        ({"n_failed": 1}, "1 training failed and is not included."),
        ({"seeds": 1}, "One seed only: it separates two models, not yet the data they were trained on."),
    ],
)
def test_what_speaks_against_it_is_said(options, words):
    assert words in prove_verdict([BETTER], **options).details


FAIRER = replace(BETTER, metric="fairscore", before=31.0, after=4.2, difference=-26.8, low=-30.0, high=-20.0)


@pytest.mark.parametrize(
    ("fairscores", "words"),
    [
        ((), None),
        ((replace(FAIRER, verdict="no clear difference"),), "The fairscore shows no clear difference."),
        ((FAIRER,), "Fewer answers change when a person’s gender, race or age does: the fairscore of bag of words on symmetric goes 31.0% → 4.2%."),
        ((replace(FAIRER, after=52.0, difference=21.0, verdict="worse"),), "More answers change when a person’s gender, race or age does: the fairscore of bag of words on symmetric goes 31.0% → 52.0%."),
    ],
)  # fmt: skip
def test_the_fairscore_is_told_beside_the_accuracy(fairscores, words):
    said = prove_verdict([BETTER], fairscores=fairscores)
    assert said.sentence == prove_verdict([BETTER]).sentence
    assert said.details.removeprefix(prove_verdict([BETTER]).details).strip() == (words or "")


def test_several_seeds_need_no_warning():
    assert "seed" not in prove_verdict([BETTER], seeds=3).details


def test_an_unsound_comparison_is_said_in_the_first_words():
    assert prove_verdict([BETTER], n_refused=1).sentence.endswith("read the concerns first.")


def test_many_test_sets_are_counted_the_most_affected_first():
    many = [replace(BETTER, test=f"set {at}", difference=0.03 + at / 100) for at in range(5)]
    assert "It helped on set 4, set 3, set 2 and 2 more test sets:" in prove_verdict(many).sentence


def test_a_difference_without_an_interval_has_none():
    said = prove_verdict([replace(BETTER, low=None, high=None)])
    assert "(+7.7 points)" in said.details


def test_an_interval_that_excludes_zero_without_a_clear_difference_is_explained():
    by_chance = replace(UNCLEAR, low=0.002, high=0.02, p=0.04, q=0.08)
    said = prove_verdict([by_chance, UNCLEAR]).sentence
    assert said.endswith(
        "; 1 interval excludes 0, but the p-value corrected for all comparisons, q = 0.080, is above 0.05."
    )
    over_seeds = replace(UNCLEAR, low=0.002, high=0.02, p=0.01, q=0.01)
    assert (
        "; 1 interval excludes 0, but accuracy varies as much from seed to seed."
        in prove_verdict([over_seeds]).sentence
    )
    assert "excludes" not in prove_verdict([UNCLEAR]).sentence
    assert (
        "1 shows no clear difference; 1 interval excludes 0, but"
        in prove_verdict([BETTER, by_chance]).details
    )
