"""The candidates of questions in a row, what can be said of each, a ranker that picks one of each question, and findings.

Patterns: for each question, which candidates have them. A pattern says nothing where all of them have it, or none.

    "the longest, in words"   the candidates with the highest value of a cue, where the values differ
    "the word not"            the candidates that contain it; "without the word not": the others
    "option C"                the candidate at a place

The ranker has a linear score, learned by the conditional logit:

    p(candidate i is right | question) = exp(w · x_i) / sum over j of the same question of exp(w · x_j)

What is the same for all candidates of a question cancels out, so the ranker knows nothing but differences between candidates.

Findings: patterns that the right candidates have more often than a random choice among the same candidates would. Where n candidates are
offered and k of them have the pattern, a random answer has it with probability k / n. Over all questions the number of right answers with
the pattern then follows a Poisson binomial distribution, whose tail is the p-value. Questions with 0 or n candidates with the pattern say
nothing and are left out. Questions that repeat a prompt are not independent: their design effect widens the tail.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import ndtr
from scipy.stats import binom
from threadpoolctl import threadpool_limits

from longway.data.choice_columns import Kind
from longway.data.choices import MOST_ROWS, MOST_SHARE, Question, instructions
from longway.detect.choices.cues import CUES, measure, words_of
from longway.records import Finding, Pattern
from longway.stats import mutual_information, q_values, wilson_low

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
FEWEST = 5  # questions that a word must separate
MOST_WORDS = 4000  # words and pairs of words that are tested
EVEN = 1e-9
ORDINALS = ("first", "second", "third", "fourth")
STEPS = 200  # of the ranker
CLEAR = 1.0  # standard errors from which the tail is computed exactly
NOT_EXPLAINED = 0.01  # highest p-value of a pattern beside stronger ones with which it leads a group
PLAIN, PLAINER = ("characters", "words"), 1.1
SLACK = 2.0  # the score test is approximate
MOST_COVARIATES = 25
MOST_JOINED = 400
KEPT_IDS = 20


@dataclass(frozen=True)
class Sets:
    """Candidates in a row, question after question. starts: where each question begins, and the end; right: the place of each right candidate."""

    starts: Ints
    right: Ints

    @cached_property
    def sizes(self) -> Ints:
        """How many candidates each question has."""
        return np.diff(self.starts)

    @cached_property
    def question(self) -> Ints:
        """The question of each candidate."""
        return np.repeat(np.arange(len(self.right)), self.sizes)

    @cached_property
    def place(self) -> Ints:
        """The place of each candidate in its question."""
        return np.arange(self.starts[-1]) - np.repeat(self.starts[:-1], self.sizes)

    def total(self, values: NDArray[Any]) -> NDArray[Any]:
        """The sum of values over the candidates of each question."""
        return np.asarray(np.add.reduceat(values, self.starts[:-1]))

    def centred(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values less their mean within the question."""
        mean = (self.total(values).T / self.sizes).T
        return np.asarray(values - mean[self.question])

    def sides(self, has: Bools) -> tuple[Bools, Bools]:
        """Questions whose right candidate has a pattern that another has not, and those whose right one has it not while another has."""
        n = self.total(has.astype(np.int64))
        applies = (n > 0) & (n < self.sizes)
        return applies & has[self.right], applies & ~has[self.right]

    def part(self, keep: Ints) -> tuple[Sets, Ints]:
        """Some questions, and the places of their candidates."""
        sizes = self.sizes[keep]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        places = np.repeat(self.starts[keep] - starts[:-1], sizes) + np.arange(starts[-1])
        return Sets(starts, starts[:-1] + self.right[keep] - self.starts[keep]), places


def rows_of(rows: Sequence[Sequence[int]], width: int, values: Floats | None = None) -> Any:
    """A sparse matrix with a value, by default 1, in these columns of each row."""
    columns = np.array([column for row in rows for column in row], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    values = np.ones(len(columns)) if values is None else values
    return sp.csr_matrix((values, columns, starts), shape=(len(rows), width))


@dataclass(frozen=True, slots=True)
class WordTable:
    """Words and pairs of words that occur in more than one text. has: a sparse matrix of texts by grams, with 1 where a text has the gram."""

    grams: tuple[tuple[str, ...], ...]
    has: Any


@dataclass(frozen=True)
class Candidates:
    """The candidates of all questions in a row, with their cues. group: a number for each question, the same for those that `identities` says repeat one another. kind: of the data."""

    questions: Sequence[Question]
    sets: Sets
    cues: Floats
    group: Ints
    kind: Kind = "choice"

    @classmethod
    def of(cls, questions: Sequence[Question], kind: Kind = "choice") -> Candidates:
        """Measure the cues of all candidates. All questions must have a right one. kind: of the data."""
        sizes = [len(one.candidates) for one in questions]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        right = starts[:-1] + np.array([one.right for one in questions], dtype=np.int64)
        cues = np.vstack([measure(one.prompt, one.candidates) for one in questions])
        numbers: dict[Hashable, int] = {}
        group = [numbers.setdefault(one, len(numbers)) for one in identities(questions, kind)]
        return cls(questions, Sets(starts, right), cues, np.array(group, dtype=np.int64), kind)

    def part(self, rows: Ints) -> Candidates:
        """Some questions, with the cues that were measured."""
        sets, places = self.sets.part(rows)
        return Candidates(
            [self.questions[i] for i in rows], sets, self.cues[places], self.group[rows], self.kind
        )

    @property
    def is_ordered(self) -> bool:
        """Whether the candidates have an order that somebody saw: not so for a chosen and a rejected answer."""
        return self.kind in ("choice", "votes")

    @property
    def texts(self) -> list[str]:
        """All candidates, question after question."""
        return [text for one in self.questions for text in one.candidates]

    @cached_property
    def words(self) -> WordTable:
        """The words and pairs of words of all candidates, in alphabetical order."""
        bags = [{(word,) for word in words} | set(pairwise(words)) for words in map(words_of, self.texts)]
        counts = Counter(gram for bag in bags for gram in bag)
        kept = sorted(gram for gram, n in counts.items() if n > 1)
        index = {gram: i for i, gram in enumerate(kept)}
        has = rows_of([sorted(index[gram] for gram in bag if gram in index) for bag in bags], len(kept))
        return WordTable(tuple(kept), has)


def identities(questions: Sequence[Question], kind: Kind) -> list[Hashable]:
    """What each question has in common with its repetitions, and with no other question.

    This is its prompt. Without a prompt, or with an instruction in its place, it is the right answer: the answers to one prompt are often
    compared several times. Of multiple-choice questions it is the set of options, unless too many questions have it, such as yes and no:
    these count as different questions.

    >>> asked = [Question(str(i), i, "", ("yes", "no"), 0) for i in range(3)]
    >>> len(set(identities(asked, "choice")))
    3
    """
    prompts = [" ".join(words_of(one.prompt)) for one in questions]
    general = instructions(prompts)
    if kind != "choice":
        rights = [one.candidates[one.right or 0] for one in questions]
        return [
            (prompt, right if prompt in general else "")
            for prompt, right in zip(prompts, rights, strict=True)
        ]
    options = [frozenset(one.candidates) for one in questions]
    counts = Counter(options)
    most = min(MOST_ROWS, MOST_SHARE * len(questions))
    return [
        prompt if prompt not in general else some if counts[some] <= most else row
        for row, (prompt, some) in enumerate(zip(prompts, options, strict=True))
    ]


@dataclass(frozen=True, slots=True)
class CandidatePattern:
    """A pattern, and which candidates have it.

    family: its kind. cue: the name of its cue, "" if it has none. graded: the values of the cue, less the mean of their question.
    """

    family: str
    name: str
    has: Bools
    cue: str = ""
    graded: Floats | None = None


def all_patterns(given: Candidates, *, noun: str = "option") -> Iterator[CandidatePattern]:
    """Every pattern to test. noun: what a candidate is called."""
    sets = given.sets
    if given.is_ordered:
        for i in range(int(sets.sizes.max())):
            yield CandidatePattern("position", place_name(i, noun), sets.place == i)
    if given.is_ordered and len(np.unique(sets.sizes)) > 1:
        is_last = sets.place == sets.sizes[sets.question] - 1
        yield CandidatePattern("position", f"the last {noun}", is_last)
    yield from cue_patterns(given)
    yield from word_patterns(given)


def place_name(place: int, noun: str = "option") -> str:
    """A candidate by its place: options have letters.

    >>> place_name(1), place_name(1, "answer")
    ('option B', 'the second answer')
    """
    if noun == "option":
        return f"option {chr(65 + place) if place < 26 else place + 1}"
    return f"the {ORDINALS[place]} {noun}" if place < len(ORDINALS) else f"{noun} {place + 1}"


def cue_patterns(given: Candidates) -> Iterator[CandidatePattern]:
    """For each cue the candidates with the highest value of their question, and those with the lowest."""
    starts, question = given.sets.starts[:-1], given.sets.question
    for i, cue in enumerate(CUES.values()):
        values = given.cues[:, i]
        high = np.maximum.reduceat(values, starts)[question]
        low = np.minimum.reduceat(values, starts)[question]
        differs = high > low + EVEN
        if differs.any():
            graded = standardised(values[:, None], given.sets)[1][:, 0]
            for name, has in ((cue.high, values >= high - EVEN), (cue.low, values <= low + EVEN)):
                yield CandidatePattern(cue.family, name, has & differs, cue.name, graded)


def standardised(values: Floats, sets: Sets) -> tuple[Floats, Floats]:
    """Values on a log scale less the mean of their question: in standard deviations of the question, and of all questions; 0 where all are the same."""
    away = sets.centred(np.sign(values) * np.log1p(np.abs(values)))
    within = np.sqrt((sets.total(away**2).T / sets.sizes).T)[sets.question]
    overall = np.broadcast_to(np.sqrt((away**2).mean(axis=0)), away.shape)
    return tuple(
        np.divide(away, spread, out=np.zeros_like(away), where=spread > 1e-12) for spread in (within, overall)
    )


def word_patterns(given: Candidates) -> Iterator[CandidatePattern]:
    """Words and pairs of words that separate the candidates of enough questions: with each, and without it."""
    table, question, n = given.words, given.sets.question, len(given.texts)
    in_question = sp.csr_matrix((np.ones(n), np.arange(n), given.sets.starts))
    entries = (in_question @ table.has).tocoo()
    is_some = entries.data < given.sets.sizes[entries.row]
    # by word: questions with and without it
    separated = np.bincount(entries.col[is_some], minlength=table.has.shape[1])
    order = np.argsort(-separated, kind="stable")[:MOST_WORDS]
    columns = table.has.tocsc()
    for i in order[separated[order] >= FEWEST]:
        gram, places = table.grams[i], columns.indices[columns.indptr[i] : columns.indptr[i + 1]]
        has = np.zeros(len(question), dtype=bool)
        has[places] = True
        some = np.zeros(len(given.questions), dtype=bool)
        some[question[places]] = True
        words = " ".join(gram)
        yield CandidatePattern("word", f"“{words}”", has)
        yield CandidatePattern("word", f"without “{words}”", ~has & some[question])


# The ranker


def softmax(scores: Floats, sets: Sets) -> Floats:
    """The probability of each candidate within its question."""
    question = sets.question
    shifted = np.exp(scores - np.maximum.reduceat(scores, sets.starts[:-1])[question])
    return np.asarray(shifted / sets.total(shifted)[question], dtype=np.float64)


def fit(features: Any, sets: Sets, penalty: float | Floats, start: Floats | None = None) -> Floats:
    """The weights with the highest likelihood less penalty / 2 * |w|², one penalty for all or one for each feature.

    features: candidates by features, dense or sparse.
    """
    n = features.shape[1]

    def loss(weights: Floats) -> tuple[float, Floats]:
        scores = features @ weights
        p = softmax(scores, sets)
        error = p.copy()
        error[sets.right] -= 1
        value = -np.log(np.maximum(p[sets.right], 1e-300)).sum() + 0.5 * (penalty * weights**2).sum()
        return float(value), np.asarray(features.T @ error + penalty * weights)

    first = np.zeros(n) if start is None else start
    with threadpool_limits(1):  # short products are slower if threads wait for each other
        result = minimize(loss, first, jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    return np.asarray(result.x, dtype=np.float64)


def hits(scores: Floats, sets: Sets) -> Floats:
    """For each question the chance that its right candidate is picked: 1 if its score is highest alone, 1/k if k share the highest."""
    top = np.maximum.reduceat(scores, sets.starts[:-1])
    is_top = scores >= top[sets.question] - 1e-12
    return np.asarray(is_top[sets.right] / sets.total(is_top.astype(np.float64)), dtype=np.float64)


# Findings


@dataclass(frozen=True, slots=True)
class Test:
    """One pattern against random answers.

    applies: questions that it says something about; hits: of these, those whose right candidate has it; expected: by random answers.
    q: the corrected p-value, once all tests are known. effect: the design effect of repeated prompts. points: how much more often than a random choice one is right by choosing among the
    candidates with the pattern, over all questions.
    """

    pattern: CandidatePattern
    applies: int
    hits: int
    expected: float
    z: float
    p: float
    effect: float
    points: float
    q: float = 1.0

    @property
    def share(self) -> float:
        """The share of the questions it applies to whose right candidate has it."""
        return self.hits / self.applies if self.applies else 0.0


def test(pattern: CandidatePattern, sets: Sets, group: Ints) -> Test:
    """Test one pattern."""
    k, n = sets.total(pattern.has.astype(np.int64)), sets.sizes
    applies = (k > 0) & (k < n)
    chance = (k / n)[applies]
    hit = pattern.has[sets.right][applies]
    excess = hit - chance
    variance = float((chance * (1 - chance)).sum())
    hits, expected = int(hit.sum()), float(chance.sum())
    effect = design_effect(excess, group[applies])
    z = (hits - expected) / np.sqrt(variance * effect) if variance > 0 else 0.0
    p = float(ndtr(-z))
    if z > CLEAR:
        p = max(poisson_binomial_tail(hits, k[applies], n[applies]), p if effect > 1 else 0.0)
    picked = (hit / k[applies] - 1 / n[applies]).sum() / max(1, len(n))
    return Test(pattern, int(applies.sum()), hits, expected, float(z), p, effect, float(picked))


def design_effect(excess: Floats, group: Ints) -> float:
    """How many questions count as one because they repeat a prompt: the variance of group sums over that of single questions, at least 1.

    Where all questions are alike, their variance says nothing: those of a group then count as one.
    """
    if not excess.any():
        excess = np.ones(len(excess))
    _, at = np.unique(group, return_inverse=True)
    return (
        max(1.0, float((np.bincount(at, excess) ** 2).sum()) / float((excess**2).sum())) if len(at) else 1.0
    )


def poisson_binomial_tail(hits: int, k: Ints, n: Ints) -> float:
    """P(at least this many hits) if question i is a hit with probability k[i] / n[i], independently of the others.

    >>> round(poisson_binomial_tail(2, np.array([1, 1]), np.array([2, 4])), 4)
    0.125
    """
    distribution = np.ones(1)
    pairs, counts = np.unique(np.stack([k, n]), axis=1, return_counts=True)
    for (some, of), count in zip(pairs.T, counts, strict=True):
        distribution = np.convolve(distribution, binom.pmf(np.arange(count + 1), count, some / of))
    return float(min(1.0, max(distribution[hits:].sum(), 0.0)))


def search(
    given: Candidates,
    *,
    max_q: float,
    field: str,
    label: str,
    noun: str = "option",
    step: Callable[[str], object] = lambda name: None,
) -> tuple[list[Finding], dict[str, int], list[Test]]:
    """The findings, strongest first, each with those that it explains as variants; tests by family; all tests."""
    step("testing patterns of candidates")
    patterns = all_patterns(given, noun=noun)
    tests = [one for pattern in patterns if (one := test(pattern, given.sets, given.group)).applies]
    q = q_values(np.array([one.p for one in tests])) if tests else np.zeros(0)
    counts = dict(Counter(one.pattern.family for one in tests))
    found = [replace(one, q=float(value)) for one, value in zip(tests, q, strict=True) if value <= max_q]
    # of patterns with nearly the same points, plain length comes first
    found.sort(key=lambda one: one.points * (PLAINER if one.pattern.cue in PLAIN else 1.0), reverse=True)
    step("joining patterns that say the same")
    findings = []
    for lead, others in join(found, given.sets):
        variants = tuple(_finding(one, given, field, label) for one in others)
        findings.append(replace(_finding(lead, given, field, label), variants=variants))
    return findings, counts, tests


def join(tests: Sequence[Test], sets: Sets) -> list[tuple[Test, list[Test]]]:
    """Groups of patterns that say the same: each with those that add nothing to the patterns before them.

    Strongest first, a pattern leads a group if a conditional logit with the leaders before it leaves it significant (score test). The
    level is the p-value at which patterns were found: words that only follow length would else pass by the number of words tested.
    """
    level = min(NOT_EXPLAINED, SLACK * max((one.p for one in tests), default=0.0))
    groups: list[tuple[Test, list[Test]]] = []
    leaders = Leaders(sets)
    for one in tests[:MOST_JOINED]:
        column = sets.centred(one.pattern.has.astype(np.float64))
        if leaders.p_value(column) <= level:
            groups.append((one, []))
            leaders.add(column, *([] if one.pattern.graded is None else [one.pattern.graded]))
        else:
            groups[leaders.most_like(column)][1].append(one)
    return groups


class Leaders:
    """A conditional logit of some columns, and whether another column says more than they do."""

    def __init__(self, sets: Sets) -> None:
        self.sets = sets
        self.columns: list[Floats] = []
        self._leads: list[Floats] = []
        self._weights = np.zeros(0)

    def add(self, column: Floats, *more: Floats) -> None:
        """Add a leading column, and others that belong to it; fit the weights again."""
        self._leads.append(column)
        self.columns += [column, *more]
        used = np.stack(self.columns[:MOST_COVARIATES], axis=1)
        start = np.append(self._weights, np.zeros(1 + len(more)))[:MOST_COVARIATES]
        self._weights = fit(used, self.sets, 1e-3, start)
        self._p = softmax(used @ self._weights, self.sets)
        theirs = self._within(used)
        self._weighted = self._p[:, None] * theirs
        self._information = self._weighted.T @ theirs

    def most_like(self, column: Floats) -> int:
        """The place of the leading column that is correlated most with another one."""
        return int(
            np.argmax([abs(float(column @ other)) / (np.linalg.norm(other) + 1e-12) for other in self._leads])
        )

    def p_value(self, column: Floats) -> float:
        """The one-sided p-value of a column beside those that are there (efficient score test); 0 for the first."""
        if not self.columns:
            return 0.0
        mine = self._within(column[:, None])[:, 0]
        cross = self._weighted.T @ mine
        explained = float(cross @ np.linalg.lstsq(self._information, cross, rcond=None)[0])
        information = float((self._p * mine) @ mine) - explained
        return float(ndtr(-mine[self.sets.right].sum() / np.sqrt(information))) if information > 1e-9 else 1.0

    def _within(self, values: Floats) -> Floats:
        """Values less their expectation within the question."""
        mean = self.sets.total(self._p[:, None] * values)
        return np.asarray(values - mean[self.sets.question])


def _finding(one: Test, given: Candidates, field: str, label: str) -> Finding:
    share, base = one.share, one.expected / one.applies
    n_candidates, n_right = len(one.pattern.has), len(given.questions)
    hits, having = int(one.pattern.has[given.sets.right].sum()), int(one.pattern.has.sum())
    table, totals = np.array([[hits, having - hits]]), np.array([n_right, n_candidates - n_right])
    information = float(mutual_information(table, totals)[0])
    supporting, counter = (
        tuple(given.questions[at].id for at in np.flatnonzero(side)[:KEPT_IDS])
        for side in given.sets.sides(one.pattern.has)
    )
    pattern = Pattern(one.pattern.family, field, place=one.pattern.name)
    pmi = float(np.log(max(share, 1e-300) / base))
    return Finding(
        pattern, label, label if share >= 0.5 else "other", one.applies, share, float(wilson_low(np.array([share]), np.array([one.applies / one.effect]))[0]),
        base, information, information, one.z, pmi, share * pmi, one.p, one.q, one.points, effect=one.effect, supporting=supporting, counter=counter,
    )  # fmt: skip
