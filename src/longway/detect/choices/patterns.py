"""Patterns of candidates: for each question, which candidates have it. A pattern says nothing where all of them have it, or none.

"the longest, in words"   the candidates with the highest value of a cue, where the values differ
"the word not"            the candidates that contain it; "without the word not": the others
"option C"                the candidate at a place
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

from longway.data.choice_columns import Kind
from longway.data.choices import MOST_ROWS, MOST_SHARE, Question, instructions
from longway.detect.choices.cues import CUES, measure, words_of
from longway.detect.choices.ranker import Sets

Ints = NDArray[np.int64]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
FEWEST = 5  # questions that a word must separate
MOST_WORDS = 4000  # words and pairs of words that are tested
EVEN = 1e-9
ORDINALS = ("first", "second", "third", "fourth")


Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WordTable:
    """Words and pairs of words that occur in more than one text. has: a sparse matrix of texts by grams, with 1 where a text has the gram."""

    grams: tuple[Gram, ...]
    has: Any


def word_table(texts: Sequence[str]) -> WordTable:
    """The words and pairs of words of some texts, in alphabetical order."""
    bags = [grams(text) for text in texts]
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
    words: tuple[str, ...] = ()
    graded: Floats | None = None


def all_patterns(given: Candidates, *, is_ordered: bool, noun: str = "option") -> Iterator[CandidatePattern]:
    """Every pattern to test. noun: what a candidate is called."""
    if is_ordered:
        yield from position_patterns(given.sets, noun)
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


def position_patterns(sets: Sets, noun: str = "option") -> Iterator[CandidatePattern]:
    """The candidate at each place, and the last one where questions have different numbers of candidates."""
    place = np.arange(sets.starts[-1]) - np.repeat(sets.starts[:-1], sets.sizes)
    for i in range(int(sets.sizes.max())):
        yield CandidatePattern("position", place_name(i, noun), place == i)
    if len(np.unique(sets.sizes)) > 1:
        yield CandidatePattern("position", f"the last {noun}", place == sets.sizes[sets.question] - 1)


def cue_patterns(given: Candidates) -> Iterator[CandidatePattern]:
    """For each cue the candidates with the highest value of their question, and those with the lowest."""
    starts, question = given.sets.starts[:-1], given.sets.question
    for i, cue in enumerate(CUES):
        values = given.cues[:, i]
        high, low = (
            np.maximum.reduceat(values, starts)[question],
            np.minimum.reduceat(values, starts)[question],
        )
        if not (high > low + EVEN).any():
            continue
        differs = high > low + EVEN
        graded = standardised(values[:, None], given.sets)[1][:, 0]
        yield CandidatePattern(
            cue.family, cue.high, (values >= high - EVEN) & differs, cue.name, graded=graded
        )
        yield CandidatePattern(cue.family, cue.low, (values <= low + EVEN) & differs, cue.name, graded=graded)


def standardised(values: Floats, sets: Sets) -> tuple[Floats, Floats]:
    """Values on a log scale less the mean of their question: in standard deviations of the question, and of all questions; 0 where all are the same."""
    starts, question, n = sets.starts[:-1], sets.question, sets.sizes
    values = np.sign(values) * np.log1p(np.abs(values))
    away = values - (np.add.reduceat(values, starts) / n[:, None])[question]
    within = np.sqrt(np.add.reduceat(away**2, starts) / n[:, None])[question]
    overall = np.broadcast_to(np.sqrt((away**2).mean(axis=0)), away.shape)
    return tuple(
        np.divide(away, spread, out=np.zeros_like(away), where=spread > 1e-12) for spread in (within, overall)
    )  # type: ignore[return-value]


def word_patterns(given: Candidates) -> Iterator[CandidatePattern]:
    """Words and pairs of words that separate the candidates of enough questions: with each, and without it."""
    table, question = given.words, given.sets.question
    separated = _separated(table.has, given.sets)
    order = np.argsort(-separated, kind="stable")[:MOST_WORDS]
    columns = table.has.tocsc()
    for i in order[separated[order] >= FEWEST]:
        gram, places = table.grams[i], columns.indices[columns.indptr[i] : columns.indptr[i + 1]]
        has = np.zeros(len(question), dtype=bool)
        has[places] = True
        some = np.zeros(len(given.questions), dtype=bool)
        some[question[places]] = True
        words = " ".join(gram)
        yield CandidatePattern("word", f"“{words}”", has, words=gram)
        yield CandidatePattern("word", f"without “{words}”", ~has & some[question], words=gram)


def _separated(has: Any, sets: Sets) -> Ints:
    """For each column the number of questions in which some candidates have it and others do not."""
    n = len(sets.question)
    by_question = sp.csr_matrix((np.ones(n), np.arange(n), sets.starts), shape=(len(sets.right), n)) @ has
    entries = by_question.tocoo()
    is_some = entries.data < sets.sizes[entries.row]
    return np.bincount(entries.col[is_some], minlength=has.shape[1])


def grams(text: str) -> set[Gram]:
    """The words of a text and its pairs of neighbouring words."""
    words = words_of(text)
    return {(word,) for word in words} | set(pairwise(words))
