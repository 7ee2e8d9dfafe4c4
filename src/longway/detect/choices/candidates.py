"""The candidates of questions in a row, what can be said of each, and a ranker that picks one of each question.

Patterns: for each question, which candidates have them. A pattern says nothing where all of them have it, or none.

    "the longest, in words"   the candidates with the highest value of a cue, where the values differ
    "the word not"            the candidates that contain it; "without the word not": the others
    "option C"                the candidate at a place

The ranker has a linear score, learned by the conditional logit:

    p(candidate i is right | question) = exp(w · x_i) / sum over j of the same question of exp(w · x_j)

What is the same for all candidates of a question cancels out, so the ranker knows nothing but differences between candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from longway.data.choice_columns import Kind
from longway.data.choices import MOST_ROWS, MOST_SHARE, Question, instructions
from longway.detect.choices.cues import CUES, measure, words_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
FEWEST = 5  # questions that a word must separate
MOST_WORDS = 4000  # words and pairs of words that are tested
EVEN = 1e-9
ORDINALS = ("first", "second", "third", "fourth")
STEPS = 200  # of the ranker


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


@dataclass(frozen=True, slots=True)
class WordTable:
    """Words and pairs of words that occur in more than one text. has: a sparse matrix of texts by grams, with 1 where a text has the gram."""

    grams: tuple[tuple[str, ...], ...]
    has: Any


def word_table(texts: Sequence[str]) -> WordTable:
    """The words and pairs of words of some texts, in alphabetical order."""
    bags = [{(word,) for word in words} | set(pairwise(words)) for words in map(words_of, texts)]
    counts = Counter(gram for bag in bags for gram in bag)
    kept = sorted(gram for gram, n in counts.items() if n > 1)
    index = {gram: i for i, gram in enumerate(kept)}
    rows = [sorted(index[gram] for gram in bag if gram in index) for bag in bags]
    columns = np.array([column for row in rows for column in row], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum([len(row) for row in rows])])
    has = sp.csr_matrix((np.ones(len(columns)), columns, starts), shape=(len(texts), len(kept)))
    return WordTable(tuple(kept), has)


@dataclass(frozen=True)
class Candidates:
    """The candidates of all questions in a row, with their cues. group: a number for each question, the same for those that `identities` says repeat one another."""

    questions: Sequence[Question]
    sets: Sets
    cues: Floats
    group: Ints

    @classmethod
    def of(cls, questions: Sequence[Question], kind: Kind = "choice") -> Candidates:
        """Measure the cues of all candidates. All questions must have a right one. kind: of the data."""
        sizes = [len(one.candidates) for one in questions]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        right = starts[:-1] + np.array([one.right for one in questions], dtype=np.int64)
        cues = np.vstack([measure(one.prompt, one.candidates) for one in questions])
        numbers: dict[Hashable, int] = {}
        group = [numbers.setdefault(one, len(numbers)) for one in identities(questions, kind)]
        return cls(questions, Sets(starts, right), cues, np.array(group, dtype=np.int64))

    def part(self, rows: Ints) -> Candidates:
        """Some questions, with the cues that were measured."""
        sets, places = self.sets.part(rows)
        return Candidates([self.questions[i] for i in rows], sets, self.cues[places], self.group[rows])

    @property
    def texts(self) -> list[str]:
        """All candidates, question after question."""
        return [text for one in self.questions for text in one.candidates]

    @cached_property
    def words(self) -> WordTable:
        """The words and pairs of words of all candidates."""
        return word_table(self.texts)


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


def all_patterns(given: Candidates, *, is_ordered: bool, noun: str = "option") -> Iterator[CandidatePattern]:
    """Every pattern to test. noun: what a candidate is called."""
    sets = given.sets
    if is_ordered:
        for i in range(int(sets.sizes.max())):
            yield CandidatePattern("position", place_name(i, noun), sets.place == i)
    if is_ordered and len(np.unique(sets.sizes)) > 1:
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
    for i, cue in enumerate(CUES):
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
    table, question = given.words, given.sets.question
    n = len(question)
    in_question = sp.csr_matrix(
        (np.ones(n), np.arange(n), given.sets.starts), shape=(len(given.questions), n)
    )
    entries = (in_question @ table.has).tocoo()
    is_some = entries.data < given.sets.sizes[entries.row]
    separated = np.bincount(
        entries.col[is_some], minlength=table.has.shape[1]
    )  # questions with and without a word
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
