"""The check of how a changed text reads: the embedded language model compares the words at each changed place with those before.

    fluency = Σ over the tokens of the new version (log p + FREQUENCY * log rank) - the same of the old version

Log p is a token's log-likelihood after the words before it; both sums begin where the versions differ and end a few words after the change.
The rank of a token in the vocabulary, which has frequent tokens first, makes up for rare words: a name is no fault (compare SLOR,
Lau, Clark and Lappin 2017). Only a little text around a change is read, so that long texts cost no more than short ones.

A text in which only names, numbers or a denial changed is not checked: whether that is likely is a matter of facts, not of language.

What it can and cannot see was measured (docs/repairing.md): a broken sentence is often refused, an odd choice of words seldom.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from longway.engines.scoring.llama_versions import Versions
from longway.records import Verdict
from longway.verify.check import Candidate, Check
from longway.verify.model_cache import ModelCache

Window = tuple[str, str]  # the text around a change, before and after it
LEFT, RIGHT = 10, 4  # words read before a change, and words scored after it
MOST_PLACES = 3  # a text with more changes is not checked: reading them would take too long
MOST_CHARACTERS = 1000  # of a window: a longer one holds a "word" that is none
MOST_WORDS = 30  # a longer change is another text, not an edit of this one
LEAST_SHARED = 0.6  # share of the words that a text that keeps only its label has in common with the one before; with fewer it is another statement
FREQUENCY = 0.4  # weight of the log rank
COMMON = 50  # added to ranks: single characters come first, frequent or not
STATISTIC = f"1 {FREQUENCY} {COMMON}"  # part of the cache's key
_WORD = re.compile(r"\S+")
_NAME = re.compile(r"\W*([A-Z]|\S*\d)")  # a name or a number
_DENYING = frozenset({"not", "do", "does", "did"})


class VersionsScorer(Protocol):
    """The log-likelihoods of two versions of a text."""

    @property
    def version(self) -> str:
        """Everything that affects the scores."""

    def versions(self, before: str, after: str) -> Versions:
        """Two texts as tokens."""

    def log_p(self, items: Sequence[Versions]) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """The log-likelihood of each token of `before` and of `after`."""


class FluencyCheck(Check):
    """The check that no changed place reads much worse than before. score: the fluency of the worst place, 0 if nothing changed.

    lowest: the least fluency. contexts: as loaded, by row, if candidates may have changed contexts.
    """

    name = "fluency"
    english_only = True
    about_label = False

    def __init__(
        self,
        model: VersionsScorer,
        cache: ModelCache,
        *,
        lowest: float,
        contexts: Sequence[str] | None = None,
    ) -> None:
        self.model, self.cache, self.lowest, self.contexts = model, cache, lowest, contexts
        self._known = frozenset(contexts or ())

    def concerns(self, candidate: Candidate) -> bool:
        """Only texts and contexts with a few changed places, if not only names, numbers or a denial changed."""
        return bool(self._windows(candidate))

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict per candidate."""
        windows = [self._windows(candidate) for candidate in candidates]
        flat = [window for each in windows for window in each]
        version = f"{self.model.version} {STATISTIC}"
        scores = iter(self.cache.rows("fluency", version, flat, self._fluency)[:, 0])
        return [self._verdict([(float(next(scores)), window) for window in each]) for each in windows]

    def _verdict(self, scored: list[tuple[float, Window]]) -> Verdict:
        if not scored:
            return Verdict(self.name, True, 0.0)
        score, (_, after) = min(scored)
        reason = "" if score >= self.lowest else f"reads worse than before ({score:.1f}): {after!r}"
        return Verdict(self.name, not reason, score, reason)

    def _windows(self, candidate: Candidate) -> tuple[Window, ...]:
        windows = () if _is_other_statement(candidate) else changed_places(candidate.before, candidate.after)
        is_written = candidate.context is not None and candidate.context not in self._known
        if self.contexts is not None and is_written:  # not that of another row
            windows += changed_places(self.contexts[candidate.row], candidate.context or "")
        return windows

    def _fluency(self, windows: Sequence[Window]) -> NDArray[np.float32]:
        """The fluency of each changed place: (n, 1)."""
        items = [self.model.versions(*window) for window in windows]
        likelihoods = self.model.log_p(items)
        sums = [
            _weighted(item.after, new) - _weighted(item.before, old)
            for item, (old, new) in zip(items, likelihoods, strict=True)
        ]
        return np.array(sums, np.float32).reshape(-1, 1)


def _weighted(tokens: Sequence[int], log_p: NDArray[np.float32]) -> float:
    """The sum of log p + FREQUENCY * log rank."""
    ranks = np.array(tokens, float) + COMMON
    return float(log_p.sum() + FREQUENCY * np.log(ranks).sum())


@lru_cache(maxsize=4096)
def changed_places(before: str, after: str) -> tuple[Window, ...]:
    """The text around each change; nothing if there are too many changes, if one is too long to be an edit, or if all concern facts alone.

    >>> changed_places("He wrote the book.", "He written the book.")
    (('He wrote the book.', 'He written the book.'),)
    """
    if before == after:
        return ()
    old, new = list(_WORD.finditer(before)), list(_WORD.finditer(after))
    were, are = [word[0] for word in old], [word[0] for word in new]
    codes = SequenceMatcher(None, were, are, autojunk=False).get_opcodes()
    changes = [span for kind, *span in codes if kind != "equal"]
    if all(_is_of_facts(were[a:b], are[c:d], first=a == 0) for a, b, c, d in changes):
        return ()
    places: list[list[int]] = []  # first word and end of a change in the old text, then in the new one
    for span in changes:
        if places and span[0] - places[-1][1] <= RIGHT:
            places[-1][1], places[-1][3] = span[1], span[3]
        else:
            places.append(span)
    if len(places) > MOST_PLACES or any(max(b - a, d - c) > MOST_WORDS for a, b, c, d in places):
        return ()
    windows = tuple((_around(before, old, a, b), _around(after, new, c, d)) for a, b, c, d in places)
    return () if any(len(text) > MOST_CHARACTERS for window in windows for text in window) else windows


def _is_other_statement(candidate: Candidate) -> bool:
    return candidate.keeps == "label" and _shared(candidate.before, candidate.after) < LEAST_SHARED


@lru_cache(maxsize=4096)
def _shared(before: str, after: str) -> float:
    """The share of the words that two texts have in common, in order."""
    return SequenceMatcher(None, before.split(), after.split(), autojunk=False).ratio()


def _is_of_facts(old: Sequence[str], new: Sequence[str], *, first: bool) -> bool:
    """Whether a change exchanges names and numbers, or denies a verb. first: at the start of a text, where every word has a capital.

    >>> _is_of_facts(["1985."], ["1986."], first=False), _is_of_facts(["won"], ["did", "not", "win"], first=False)
    (True, True)
    """
    if old and new and not first and all(map(_NAME.match, [*old, *new])):
        return True
    rest = [[word for word in words if word not in _DENYING] for words in (old, new)]
    return "not" in {*old} ^ {*new} and len(rest[0]) == len(rest[1]) <= 1


def _around(text: str, words: Sequence[re.Match[str]], first: int, end: int) -> str:
    """The words from `first` to `end` with those around them, as they are in the text."""
    shown = words[max(0, first - LEFT) : end + RIGHT]
    return text[shown[0].start() : shown[-1].end()] if shown else ""
