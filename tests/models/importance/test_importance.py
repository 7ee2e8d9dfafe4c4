"""LIME, Shapley values and integrated gradients against their definitions, on models small enough to enumerate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.models.bag_of_words import Linear, NaiveBayes
from longway.models.classifier import Inputs, Labelled
from longway.models.importance import METHODS, masking, word_importance
from longway.models.importance.gradients import mean_slope, to_words
from longway.models.importance.masking import (
    all_masks,
    by_enumeration,
    random_masks,
    shapley,
    similarity,
    slopes,
)
from tests.models.toy import column_names

from .toys import Rules, chance, shapley_by_orders

MODEL = Rules({"good": 2.0, "bad": -2.0, "fine": 0.5}, together={("not", "good"): -4.0}, bias=-0.3)
TEXTS = st.lists(st.sampled_from(["good", "bad", "fine", "not", ",", "film"]), max_size=4).map(" ".join)
ROWS = Labelled(
    Inputs(
        [
            "a good film, really good",
            "a fine day",
            "a bad film",
            "not a good day",
            "fine film",
            "bad, bad day",
        ]
        * 2,
        ["the film was good", "days", "a film", "a good day it was", "", "sun"] * 2,
    ),
    ["yes", "yes", "no", "no", "yes", "no"] * 2,
)


def explain(model, texts, **options):
    return word_importance(model, Inputs(texts), **options)


@given(TEXTS)
def test_shapley_values_of_few_words_are_the_average_over_all_orders(text):
    (found,) = explain(MODEL, [text], method="shapley", target="yes")
    assert found.scores == pytest.approx(shapley_by_orders(MODEL, text))
    assert found.value - found.baseline == pytest.approx(found.scores.sum())


def test_drawn_orders_come_close_to_all_orders_and_sum_to_the_same():
    text = "not good , a fine film but bad"
    exact = explain(MODEL, [text], method="shapley", target="yes")[0].scores
    ask = shapley(400, exact_up_to=2)
    (found,) = masking.explain_by_masking(MODEL, Inputs([text]), np.array([1]), ask)
    assert found.scores == pytest.approx(exact, abs=0.02)
    assert found.scores.sum() == pytest.approx(exact.sum())


def test_an_order_and_its_reverse_are_exact_where_words_act_in_pairs():
    masks = all_masks(3)
    values = masks @ np.array([1.0, 2.0, 4.0]) + 8 * (masks[:, 0] & masks[:, 2])
    assert by_enumeration(masks, values) == pytest.approx([5, 2, 8])
    question = shapley(2, exact_up_to=0)(3, np.random.default_rng(0))
    again = question.masks @ np.array([1.0, 2.0, 4.0]) + 8 * (question.masks[:, 0] & question.masks[:, 2])
    assert question.read(again)[0] == pytest.approx([5, 2, 8])


@given(st.integers(1, 6), st.integers(2, 40), st.integers(0, 5))
def test_lime_solves_the_weighted_ridge_regression(n_words, n, seed):
    rng = np.random.default_rng(seed)
    masks, values = random_masks(n_words, n, rng), rng.random(n)
    weights = similarity(masks)
    # By hand: rows scaled by the root of their weight, a column of ones that is not penalised, ridge as extra rows.
    line = np.concatenate([masks, np.ones((n, 1))], axis=1) * np.sqrt(weights)[:, None]
    penalty = np.concatenate([np.eye(n_words), np.zeros((n_words, 1))], axis=1)
    expected = np.linalg.lstsq(
        np.concatenate([line, penalty]),
        np.concatenate([values * np.sqrt(weights), np.zeros(n_words)]),
        rcond=None,
    )[0]
    found, baseline = slopes(masks, values)
    assert found == pytest.approx(expected[:-1], abs=1e-8)
    assert baseline == pytest.approx(expected[-1], abs=1e-8)


def test_lime_weighs_and_draws_as_its_authors_do():
    masks = random_masks(6, 2000, np.random.default_rng(0))
    assert masks[0].all()
    assert np.bincount(6 - masks[1:].sum(axis=1), minlength=7)[1:] == pytest.approx(np.full(6, 333), abs=60)
    distance = [1 - mask.sum() / np.sqrt(mask.sum() * 6) if mask.any() else 1.0 for mask in masks]
    assert similarity(masks) == pytest.approx(np.sqrt(np.exp(-((100 * np.array(distance)) ** 2) / 25**2)))


def test_with_many_samples_lime_is_the_best_line_over_all_masks_by_their_chance():
    text = "good bad film"
    (found,) = explain(MODEL, [text], method="lime", target="yes", samples=200_000)
    masks = all_masks(3)
    values = np.array([chance(MODEL, " ".join(np.array(text.split())[mask])) for mask in masks])
    left_out = 3 - masks.sum(axis=1)
    how_often = np.where(left_out > 0, 1 / 3 / np.array([1, 3, 3, 1])[left_out], 0)
    weights = np.sqrt(how_often * similarity(masks))[:, None]
    line = np.concatenate([masks, np.ones((8, 1))], axis=1)
    expected = np.linalg.lstsq(line * weights, values * weights[:, 0], rcond=None)[0]
    assert found.scores == pytest.approx(expected[:3], abs=0.01)


@pytest.mark.parametrize("kind", [Linear, NaiveBayes])
@pytest.mark.parametrize("field", ["text", "context", "both"])
def test_integrated_gradients_of_a_bag_of_words_are_complete(kind, field):
    model = kind().fit(ROWS)
    for found in word_importance(model, ROWS.inputs, method="ig", field=field):
        if found.words:
            assert found.scores.sum() == pytest.approx(found.value - found.baseline, abs=1e-9)


def test_integrated_gradients_give_a_column_to_the_words_that_make_it():
    model = Linear(min_rows=1).fit(Labelled(Inputs(["good film", "bad film"]), ["yes", "no"]))
    names = dict(zip(column_names(model.words_), model.regression_.weights, strict=True))
    found = {one.target: one for one in explain(model, ["good film"] * 2, method="ig", target=["yes", "no"])}[
        "yes"
    ]
    features = dict(
        zip(column_names(model.words_), model.features(Inputs(["good film"])).toarray()[0], strict=True)
    )
    slope = mean_slope(model.regression_.bias, model.logits(Inputs(["good film"]))[0], 1)
    column = {name: features[name] * float(names[name] @ slope) for name in ("good", "film", "good film")}
    half = column["good film"] / 2
    assert found.scores == pytest.approx([column["good"] + half, column["film"] + half])
    assert found.norms == pytest.approx([np.hypot(column["good"], half), np.hypot(column["film"], half)])


def test_the_words_of_both_texts_of_a_pair_are_explained_at_once():
    model = Linear().fit(ROWS)
    found = word_importance(model, ROWS.inputs, method="ig", field="both")
    empty = model.predict_proba(Inputs([""], [""]))[0]
    for one, text, context in zip(found, ROWS.inputs.texts, ROWS.inputs.contexts, strict=True):
        whole = f"{context}\n{text}"
        assert [whole[start:end].lower() for start, end in one.spans] == list(one.words)
        assert one.baseline == pytest.approx(empty[model.labels_.index(one.target)])
        assert set(one.top(2, by_norm=True)) <= set(one.words)


@given(st.lists(st.floats(-30, 30), min_size=4, max_size=4), st.integers(0, 1))
def test_the_mean_slope_is_the_slow_sum_over_small_steps(logits, target):
    before, after = np.array(logits[:2]), np.array(logits[2:])
    at = (np.arange(20_000) + 0.5) / 20_000
    z = before + at[:, None] * (after - before)
    p = np.exp(z - z.max(axis=1, keepdims=True))
    p /= p.sum(axis=1, keepdims=True)
    expected = (p[:, [target]] * (np.eye(2)[target] - p)).mean(axis=0)
    assert mean_slope(before, after, target) == pytest.approx(expected, abs=1e-6)


def test_pieces_are_summed_to_the_words_they_stand_in():
    pieces, values = [(0, 2), (2, 5), (6, 7), (8, 12), (40, 41)], np.array([1.0, 2, 4, 8, 16])
    assert to_words(pieces, values, [(0, 5), (8, 10), (10, 12)]).tolist() == [3 + 4, 4, 4 + 16]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_sees_that_good_speaks_for_yes_and_bad_against_it(method):
    model = Linear(strength=10).fit(Labelled(ROWS.inputs.text_only(), ROWS.labels))
    (found,) = explain(model, ["a really good film but bad"], method=method, target="yes")
    scores = dict(zip(found.words, found.scores, strict=True))
    assert scores["good"] > 0.01 > scores["bad"]
    assert found.target == "yes"
    assert found.value == pytest.approx(model.predict_proba(Inputs(["a really good film but bad"]))[0, 1])


@pytest.mark.parametrize("method", ["lime", "shapley"])
def test_words_of_the_context_are_explained_beside_the_text(method):
    inputs = Inputs(["good", "bad"], ["not so", "fine"])
    found = word_importance(MODEL, inputs, method=method, field="context", target="yes")
    assert [one.words for one in found] == [("not", "so"), ("fine",)]
    assert found[0].scores[0] < -0.1 < found[0].scores[1]
    assert found[1].scores[0] > 0


def test_equal_masked_texts_are_asked_about_once():
    model = Rules({"good": 1.0})
    explain(model, ["good film", "good day", "good film"], method="shapley", target="yes")
    masked = [text for text, _ in model.asked[:-3]]  # the whole texts are asked about at the end
    assert sorted(masked) == sorted({"", "good", "film", "good film", "day", "good day"})


def test_groups_of_rows_change_nothing(monkeypatch):
    texts = ["a good film of many words", "not bad at all", "", "fine"]
    whole = explain(MODEL, texts, method="lime", samples=30)
    told = []
    monkeypatch.setattr(masking, "AT_ONCE", 1)
    parts = explain(MODEL, texts, method="lime", samples=30, progress=told.append)
    assert [one.scores.tolist() for one in whole] == [one.scores.tolist() for one in parts]
    assert told == [1, 1, 1, 1]


@pytest.mark.parametrize("method", METHODS)
def test_the_seed_fixes_everything_and_no_rows_are_no_trouble(method):
    model = Linear().fit(Labelled(ROWS.inputs.text_only(), ROWS.labels))
    text = ["a text of more than eight words that is good and bad"]
    first, again = (explain(model, text, method=method, seed=3)[0].scores for _ in range(2))
    assert first.tolist() == again.tolist()
    assert explain(model, [], method=method) == []
    assert len(explain(model, [""], method=method)[0].scores) == 0


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"method": "attention"}, "lime, shapley, ig"),
        ({"field": "label"}, "text, context"),
        ({"field": "context"}, "without context"),
        ({"samples": 1}, "2 or more"),
        ({"target": "maybe"}, "'maybe'"),
        ({"method": "ig"}, "rules"),
    ],
)
def test_a_mistake_is_told_with_the_next_step(options, words):
    with pytest.raises(SettingError, match=words):
        explain(MODEL, ["good", "bad"], **options)
