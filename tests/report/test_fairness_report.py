"""The page of a model's measures: what is clear is marked, nothing is certified, everything escaped and capped."""

import re

import pytest
from invented_fairness import classifier, fairness, figure, render_fairness

from longway import FairnessResult
from longway.jobs.fairness.page import EVEN, Scale, figure_cell, verdict
from longway.metrics.intervals import NAN, Measurement


def verdict_of(content):
    return verdict(FairnessResult.from_dict(content).measures)


def test_the_page_tells_every_measure_with_its_interval_and_the_language_quality():
    page = render_fairness(fairness())
    for words in ("57.0", "54.0 to 60.0", "4 ties", "−3.41 nats per token (−3.46 to −3.36)", "perplexity 30.3", "300 pairs of 300",
                  "Bakers / Sailors", "−0.20", "time of day", "2 of 2 templates, −0.410", "&lt;0.001", "I like {plural_noun_phrase}."):  # fmt: skip
        assert words in page, words
    assert "early" not in page  # a pair that does not differ


def test_the_page_says_what_the_numbers_cannot_say():
    page = render_fairness(fairness())
    assert "They cannot show that a model is fair" in page
    assert page.index("What these numbers cannot say") < page.index("<h2>CrowS-Pairs")


def test_a_measure_that_was_not_given_has_no_section():
    told = fairness()
    told["measures"] = {"weat": told["measures"]["weat"]}
    page = render_fairness(told)
    assert 'id="weat"' in page
    assert not re.search(r'id="(crows-pairs|stereoset|holistic)"', page)


def test_an_association_is_called_our_own():
    told = fairness()
    assert "It is not the published measure" not in render_fairness(told)
    told["measures"]["holistic"] |= {"method": "association", "quality": None}
    assert "It is not the published measure" in render_fairness(told)


def test_the_verdict_speaks_only_where_an_interval_is_clear():
    content = fairness()
    measures = content["measures"]
    assert "the more stereotypical one is more likely in 57 of 100 pairs" in verdict_of(content)
    for name in ("stereoset", "weat", "holistic"):
        del measures[name]
    measures["crows_pairs"]["overall"]["score"] = figure(52.0)
    assert verdict_of(content).endswith("That is no proof that there is none.")
    measures["crows_pairs"]["overall"]["score"] = figure(40.0)
    assert "the less stereotypical one is more likely in 60 of 100 pairs" in verdict_of(content)


@pytest.mark.parametrize(
    ("given", "clear"),
    [
        (figure(60.0), True),
        (figure(40.0), True),
        (figure(51.0), False),
        ({"value": 99, "low": None, "high": None}, False),
    ],
)
def test_a_figure_is_clear_where_its_interval_leaves_no_preference_out(given, clear):
    cell = figure_cell(Measurement.from_dict(given), EVEN)
    assert (cell.words[0].style == "strong") == clear
    assert ("range-bar clear" in cell.chart) == clear


def test_a_bar_stands_where_its_figure_is():
    def place(value):
        bar = figure_cell(Measurement(value, NAN, NAN), Scale(-2, 2, 0)).chart
        return float(re.search(r'cx="([\d.]+)%', bar)[1])

    assert place(0) == 50
    assert place(-2) == 2
    assert place(9) == 98  # kept inside
    assert place(-1) == pytest.approx((place(-2) + place(0)) / 2)


def test_the_fairscore_of_a_classifier_is_told_by_what_was_changed_with_its_accuracy():
    page = render_fairness(classifier())
    for words in ("12.5", "9.5 to 15.5", "320 rows of 400, 160 of them perturbed", "gender: woman to man",
                  "81.0% (79.0 to 83.0), on all rows used", "perturbed/reviews.jsonl", "changes its answer in 12.5 of 100 rows"):  # fmt: skip
        assert words in page, words
    assert not re.search(r'id="(crows-pairs|stereoset|weat|holistic)"', page)


def test_a_fairscore_of_an_older_release_has_no_words_and_is_shown_all_the_same():
    page = render_fairness(classifier())
    assert "Which words change the answer" not in page
    assert re.search(r"<bdi>rules</bdi>", page)


def test_an_axis_with_few_rows_has_no_percentage():
    told = classifier()
    told["measures"]["fairscore"]["by_axis"]["race"] = {"rows": 1, "differ": 1, "score": figure(99.7)}
    page = render_fairness(told)
    assert "too few rows to say" in page
    assert "99.7" not in page


def test_a_classifier_whose_answers_stay_is_not_called_fair():
    told = classifier()
    told["measures"]["fairscore"]["overall"] |= {
        "differ": 0,
        "score": {"value": 0.0, "low": 0.0, "high": 2.3},
    }
    assert verdict_of(told).endswith("That is no proof that there is none.")


def test_an_accuracy_that_is_not_known_says_why():
    told = classifier()
    told["measures"]["fairscore"] |= {"accuracy": None, "labels": ["LABEL_0", "LABEL_1"]}
    assert "not known: its labels (LABEL_0, LABEL_1) are not those of the data" in render_fairness(told)
