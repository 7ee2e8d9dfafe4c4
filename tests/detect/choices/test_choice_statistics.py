"""The statistics of candidates against slow, obvious twins."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import norm

from longway.detect.choices.candidates import (
    Candidates,
    Leaders,
    Sets,
    design_effect,
    fit,
    hits,
    identities,
    poisson_binomial_tail,
    softmax,
    standardised,
)
from longway.detect.choices.cues import CUES
from longway.detect.choices.leak import feature_sets, leaks, relative
from longway.detect.choices.preferences import (
    intercept,
    judge_report,
    style_effects,
)
from longway.stats import difference_interval, wilson_interval
from tests.detect.choices.quizzes import question, random_questions


def some_sets(n=40, seed=0):
    """Sets of 2 to 5 candidates, with random right ones and three random features."""
    random = np.random.default_rng(seed)
    starts = np.concatenate([[0], np.cumsum(random.integers(2, 6, n))])
    sets = Sets(starts, starts[:-1] + random.integers(np.diff(starts)))
    return sets, random.normal(size=(starts[-1], 3))


@pytest.mark.parametrize("hits_", range(6))
def test_the_tail_is_that_of_all_outcomes(hits_):
    k, n = np.array([1, 2, 1, 3, 1]), np.array([4, 4, 2, 5, 3])
    slow = sum(
        np.prod([share if is_hit else 1 - share for is_hit, share in zip(outcome, k / n, strict=True)])
        for outcome in product([0, 1], repeat=5)
        if sum(outcome) >= hits_
    )
    assert poisson_binomial_tail(hits_, k, n) == pytest.approx(slow)


def slow_loss(weights, features, sets, penalty):
    """The negative log likelihood of the conditional logit, question by question."""
    total = 0.5 * penalty * sum(weight**2 for weight in weights)
    for start, end, right in zip(sets.starts, sets.starts[1:], sets.right, strict=False):
        scores = [sum(weights * features[i]) for i in range(start, end)]
        total -= scores[right - start] - np.log(sum(np.exp(scores)))
    return total


@pytest.mark.parametrize("penalty", [0.01, 2.0])
def test_the_fit_has_the_highest_likelihood(penalty):
    sets, features = some_sets()
    slow = minimize(slow_loss, np.zeros(3), args=(features, sets, penalty), method="Nelder-Mead", options={"xatol": 1e-7, "fatol": 1e-10}).x  # fmt: skip
    assert fit(features, sets, penalty) == pytest.approx(slow, abs=1e-3)


def test_probabilities_sum_to_one_in_each_question():
    sets, features = some_sets()
    assert np.add.reduceat(softmax(1000 * features[:, 0], sets), sets.starts[:-1]) == pytest.approx(1)


def test_the_score_test_is_that_of_numeric_derivatives():
    sets, features = some_sets(n=60, seed=3)
    leaders = Leaders(sets)
    leaders.add(features[:, 0], features[:, 1])
    at = np.append(fit(features[:, :2], sets, 1e-3), 0.0)
    score, information = numeric_derivatives(lambda weights: -slow_loss(weights, features, sets, 0.0), at)
    inside = information[:2, :2]
    left = information[2, 2] - information[2, :2] @ np.linalg.solve(inside, information[:2, 2])
    assert leaders.p_value(features[:, 2]) == pytest.approx(norm.sf(score[2] / np.sqrt(left)), abs=1e-3)


def numeric_derivatives(function, at, step=1e-4):
    """The gradient and the negative matrix of second derivatives, by differences."""
    unit = step * np.eye(len(at))
    gradient = np.array([(function(at + one) - function(at - one)) / (2 * step) for one in unit])
    second = np.array([[function(at + x + y) - function(at + x - y) - function(at - x + y) + function(at - x - y) for y in unit] for x in unit])  # fmt: skip
    return gradient, -second / (4 * step**2)


def test_a_column_that_is_there_already_says_nothing_more():
    sets, features = some_sets()
    leaders = Leaders(sets)
    assert leaders.p_value(features[:, 0]) == 0
    leaders.add(features[:, 0])
    assert leaders.p_value(2 * features[:, 0]) == 1


def test_the_design_effect_is_the_size_of_groups_that_agree():
    excess = np.repeat([0.5, -0.5, 0.5, -0.5], 3)
    assert design_effect(excess, np.repeat(np.arange(4), 3)) == pytest.approx(3)
    assert design_effect(excess, np.arange(12)) == 1
    assert design_effect(np.array([0.5, -0.5]), np.array([0, 0])) == 1  # never below 1


def test_a_part_of_the_sets_is_a_selection_of_questions():
    sets, _ = some_sets(n=7)
    keep = np.array([1, 4, 6])
    part, places = sets.part(keep)
    expected = np.concatenate([np.arange(sets.starts[i], sets.starts[i + 1]) for i in keep])
    assert places.tolist() == expected.tolist()
    assert part.sizes.tolist() == sets.sizes[keep].tolist()
    assert places[part.right].tolist() == sets.right[keep].tolist()


def test_values_are_standardised_within_their_question():
    sets = Sets(np.array([0, 3, 5]), np.array([0, 3]))
    values = np.array([[1.0], [3.0], [7.0], [2.0], [2.0]])
    within, overall = standardised(values, sets)
    logs = np.log1p(values[:3, 0])
    assert within[:3, 0] == pytest.approx((logs - logs.mean()) / logs.std())
    assert within[3:, 0].tolist() == [0, 0]  # all the same
    away = np.append(logs - logs.mean(), [0, 0])
    assert overall[:, 0] == pytest.approx(away / np.sqrt((away**2).mean()))


def test_extremes_that_several_share_are_shared():
    sets = Sets(np.array([0, 3, 5]), np.array([0, 3]))
    table = relative(np.array([[5.0], [5.0], [1.0], [2.0], [2.0]]), sets)
    assert table[:, 1].tolist() == [0.5, 0.5, 0, 0, 0]
    assert table[:, 2].tolist() == [0, 0, 1, 0, 0]


def test_centred_values_have_mean_zero_in_each_question():
    sets, features = some_sets()
    assert np.add.reduceat(sets.centred(features[:, 0]), sets.starts[:-1]) == pytest.approx(0)


def test_a_shared_highest_score_is_a_share_of_a_hit():
    sets = Sets(np.array([0, 3, 5]), np.array([1, 3]))
    assert hits(np.array([2.0, 2.0, 0.0, 1.0, 3.0]), sets).tolist() == [0.5, 0]


def test_chance_is_the_mean_of_one_over_the_number_of_candidates():
    given = Candidates.of([*random_questions(20, sizes=(2,)), *random_questions(20, sizes=(5,), seed=1)])
    leak = leaks(given, columns=("options",), seed=0)["candidates"]
    assert leak.majority == pytest.approx((1 / 2 + 1 / 5) / 2)
    assert leak.low <= leak.accuracy <= leak.high


def test_nothing_but_the_overlap_with_the_prompt_reads_the_prompt():
    questions = random_questions(60)
    others = [question(*one.candidates, right=one.right, prompt=" ".join(one.candidates[::-1]), number=i) for i, one in enumerate(questions)]  # fmt: skip
    first, second = (feature_sets(Candidates.of(some)) for some in (questions, others))
    for part in ("candidates", "cues", "words"):
        assert abs(first[part][0] - second[part][0]).max() == 0
    assert abs(first["overlap"][0] - second["overlap"][0]).max() > 0


def pairs_with_bold(n=200, seed=0):
    """Pairs in which the answer with bold words wins more often, and so does the longer one."""
    random = np.random.default_rng(seed)
    found = []
    for i in range(n):
        texts = [" ".join(["word"] * random.integers(5, 30)) for _ in range(2)]
        bold = int(random.integers(2))
        texts[bold] += " **bold**"
        longer = int(len(texts[1]) > len(texts[0]))
        score = 1.0 * (1 if bold else -1) + 0.7 * (1 if longer else -1)
        found.append(question(*texts, right=int(random.random() < expit(score)), prompt=str(i), number=i))
    return found


def test_style_effects_are_those_of_a_logistic_regression():
    questions = pairs_with_bold()
    effect = next(one for one in style_effects(Candidates.of(questions)) if one.cue == "bold")
    won = np.array([one.right == ("**" in one.candidates[1]) for one in questions])
    assert effect.pairs == 200
    assert effect.share == pytest.approx(won.mean())
    # of the second answer: bold is +1 or -1, log length is a difference
    bold = np.array([1.0 if "**" in one.candidates[1] else -1.0 for one in questions])
    length = np.array(
        [np.log1p(len(one.candidates[1])) - np.log1p(len(one.candidates[0])) for one in questions]
    )
    right = np.array([one.right for one in questions])

    def loss(weights):
        chance = expit(weights[0] * bold + weights[1] * length)
        return -np.log(np.where(right == 1, chance, 1 - chance)).sum()

    weights = minimize(loss, np.zeros(2), method="BFGS").x
    assert effect.equal_share == pytest.approx(expit(weights[0]), abs=1e-3)
    assert effect.equal_low < effect.equal_share < effect.equal_high


def test_the_ends_of_the_interval_are_as_likely_as_a_chi_square_allows():
    random = np.random.default_rng(0)
    longer = random.normal(size=80)
    hit = (random.random(80) < expit(0.8 + longer)).astype(float)

    def likelihood(weights):
        chance = expit(weights[0] + weights[1] * longer)
        return np.log(np.where(hit > 0, chance, 1 - chance)).sum()

    best = minimize(lambda weights: -likelihood(weights), np.zeros(2)).x
    value, *ends = intercept(hit, longer)
    assert value == pytest.approx(best[0], abs=2e-3)
    for b in ends:
        at_best = minimize(lambda c, b=b: -likelihood((b, c[0])), np.zeros(1)).fun
        assert likelihood(best) + at_best == pytest.approx(3.841 / 2, abs=0.02)


def test_a_cue_that_always_wins_has_a_narrow_interval():
    value, low, high = (expit(b) for b in intercept(np.ones(200), np.tile([-0.1, 0.1], 100)))
    assert value > 0.99
    assert low > 0.97
    assert high == pytest.approx(1, abs=1e-6)


def test_a_cue_that_always_wins_with_length_says_nothing_at_equal_length():
    hit = np.tile([1.0, 0.0], 50)
    _, low, high = (expit(b) for b in intercept(hit, np.where(hit > 0, 1.0, -1.0)))
    assert low < 0.2
    assert high > 0.8


def test_length_has_no_effect_at_equal_length():
    effects = style_effects(Candidates.of(pairs_with_bold()))
    assert {one.cue for one in effects if one.equal_share is None} == {"characters", "words"}


def test_questions_with_more_than_two_candidates_are_left_out_of_style_effects():
    assert style_effects(Candidates.of(random_questions(40, sizes=(3, 4)))) == []
    mixed = [*pairs_with_bold(), *random_questions(40, sizes=(3,))]
    effects = [style_effects(Candidates.of(some)) for some in (pairs_with_bold(), mixed)]
    assert effects[0] == effects[1]


def test_the_best_of_a_list_is_compared_with_each_other_one():
    lists = [question("**a** b", f"c {i}", f"d {i} e", right=int(i >= 30), prompt=str(i), number=i) for i in range(40)]  # fmt: skip
    effect = next(one for one in style_effects(Candidates.of(lists), "ranking") if one.cue == "bold")
    assert effect.pairs == 30 * 2 + 10  # where another one is best, it and the bold one
    assert effect.share == pytest.approx(60 / 70)
    independent = wilson_interval(60 / 70, 70)
    assert effect.low < independent[0]  # two pairs of a list are not independent


def test_repeated_prompts_widen_the_interval():
    once = style_effects(Candidates.of(pairs_with_bold()))
    again = [question(*one.candidates, right=one.right, prompt=one.id, number=i) for i, one in enumerate(pairs_with_bold() * 4)]  # fmt: skip
    four = style_effects(Candidates.of(again))
    bold = [next(one for one in some if one.cue == "bold") for some in (once, four)]
    assert bold[1].low == pytest.approx(bold[0].low)
    assert bold[1].equal_low == pytest.approx(bold[0].equal_low, abs=1e-3)


def test_questions_without_a_prompt_repeat_each_other_by_what_few_of_them_share():
    labels = [question("yes", "no", right=i % 2, number=i) for i in range(30)]
    assert len(set(identities(labels, "choice"))) == 30
    again = [question("left", "right", number=i) for i in range(2)]
    assert len(set(identities([*labels, *again], "choice"))) == 31
    pairs = [question("the best", f"another {i}", number=i) for i in range(3)]
    others = [question(f"good {i}", f"bad {i}", number=i) for i in range(3)]
    assert len(set(identities([*pairs, *others], "preference"))) == 4
    assert len(set(identities([*pairs, *others], "choice"))) == 6


def test_groups_of_questions_that_are_all_alike_count_as_one_each():
    assert design_effect(np.zeros(12), np.repeat(np.arange(4), 3)) == pytest.approx(3)
    assert design_effect(np.zeros(4), np.arange(4)) == 1


def own_votes(judge, n_own, n=40):
    """Votes of a judge on pairs of ann and bob, of which this many prefer ann."""
    return [
        question(f"ann {i}", f"bob {i}", right=int(i >= n_own), prompt=f"p{i}", judge=judge, makers=("ann", "bob"), number=i)
        for i in range(n)
    ]  # fmt: skip


def own_share_of_ann(*votes):
    report = judge_report([one for some in votes for one in some], [])
    return next(one for one in report.shares if one.name == "its own answer" and one.judge == "ann")


def test_a_judge_who_wrote_the_better_answers_is_not_biased():
    share = own_share_of_ann(own_votes("ann", 36), own_votes("cat", 36), own_votes("bob", 0))
    assert (share.share, share.expected) == (0.9, 0.9)  # bob wrote the other answers, and does not count
    assert not share.is_off


def test_a_judge_who_prefers_its_answers_more_than_others_do_is_biased():
    share = own_share_of_ann(own_votes("ann", 36), own_votes("cat", 16))
    assert share.expected == 0.4
    assert share.excess_low > 0
    assert share.is_off


def test_without_other_judges_a_share_of_own_answers_is_no_bias():
    share = own_share_of_ann(own_votes("ann", 40), own_votes("bob", 0))
    assert share.share == 1
    assert share.expected is None
    assert not share.is_off


def test_the_interval_of_a_difference_is_that_of_the_paper():
    """Newcombe 1998, table II, example (a): 56 of 70 against 48 of 80."""
    first, second = ((k / n, *wilson_interval(k / n, n)) for k, n in ((56, 70), (48, 80)))
    assert difference_interval(first, second) == pytest.approx((0.0524, 0.3339), abs=1e-4)


def both_orders(second):
    """Votes for the first answer, and in the other order as given: 0, 1 or None for a tie."""
    votes = []
    for i in range(12):
        votes.append(question("yes", "no", right=0, prompt=f"p{i}", judge="ann", number=2 * i))
        votes.append(question("no", "yes", right=second, prompt=f"p{i}", judge="ann", number=2 * i + 1))
    return [one for one in votes if one.right is not None], [one for one in votes if one.right is None]


@pytest.mark.parametrize(("second", "kept"), [(1, 1.0), (0, 0.0), (None, 0.0)])
def test_a_vote_that_becomes_a_tie_in_the_other_order_is_not_kept(second, kept):
    assert judge_report(*both_orders(second)).order.share == kept


def test_several_votes_on_a_pair_without_judges_are_those_of_different_ones():
    votes = [question("yes", "no", right=i % 2, prompt=f"p{i}", number=i) for i in range(12)]
    report = judge_report(votes * 2, [])
    assert not report.is_named
    assert report.order is None


def test_a_vote_in_each_order_without_judges_is_that_of_one():
    votes, _ = both_orders(1)
    report = judge_report([replace(one, judge="") for one in votes], [])
    assert report.order.share == 1


@pytest.mark.parametrize(
    ("texts", "middle"),
    [
        (("-5", "0", "5"), 1),
        (("−5", "2", "1"), 2),
        (("3", "-1 m", "1 m"), 2),
        (("-2.5 °C", "-10 °C", "1 °C"), 0),
    ],
)
def test_a_number_in_the_middle_has_its_sign(texts, middle):
    cue = CUES["middle number"]
    distances = list(cue.measure("", texts))
    assert distances.index(max(distances)) == middle
