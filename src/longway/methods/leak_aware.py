"""Leak-aware choice: which texts reveal their label on the surface, and which wording reveals least (not in the paper).

RAZOR's gamma measures how unlike the texts of other labels a text is. That finds odd texts, but seldom those that reveal their
label (notes/LOG.md). `GiveAway` scores what a surface-only model would use: how strongly the words, pairs and triples of words
of a text, its length and its negations predict its own label, estimated from all *other* texts:

    score(d, y) = sum over features f of d of   log (c_y(f) + a p_y) / (c_rest(f) + a (1 - p_y))  -  log p_y / (1 - p_y)

where c are the numbers of other texts with the feature, p_y is the label's share and a the smoothing: leave-one-out naive
Bayes. Texts are replaced one at a time and the counts are updated each time, so a pattern that has become balanced is left
alone; choosing a whole round at once would reverse the shortcut instead of removing it.

keep: features that the user called real signal; they are ignored. only: of the features in the original texts, only these count, so real
signal is left alone; features that come in later count too, because they could become shortcuts. lengths: adds the eighth of the length
distribution that a text falls into. first: texts with one of these features come before all others, as long as it predicts their label.

A shortcut can be balanced in two ways: remove the pattern from its label, or add it to the others. `rarer` limits the second: a
pattern that was predictive at the start may enter a text only while fewer texts have it than this share of the original number.
It becomes rarer *and* balanced.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from longway.english.words import is_negation
from longway.text.keep import is_inside, is_real_signal
from longway.text.tokenizer import PLAIN, Tokenizer, tokenize

Floats = NDArray[np.float64]

Ints = NDArray[np.int64]

Feature = tuple[str, ...]
_START, _END, _LENGTH, _DENIAL = "\x02", "\x03", "\x04", "\x05"  # no token is a control character
_MARKS = (_START, _END, _LENGTH, _DENIAL)
_N_LENGTHS = 8
SMOOTHING = 4.0  # texts added to the counts of a feature
MOST_TELLING = 8  # features named of a text
TELLING = 0.7  # log odds from which a word counts as predictive: two to one
OFTEN = 5  # and the number of texts that must have it
STRONG = 1.1  # log odds of patterns that must not spread: three to one
FIRST = 1e3  # added to the score of a text with a pattern of `first`: more than its words can add up to
PLANTED = 1e6  # added to the score of a text that would spread a predictive pattern


class GiveAway:
    """How strongly each text of a dataset predicts its label, kept up to date while texts are replaced.

    >>> texts = ["it is not a film", "he is not tall", "it is a film", "he is tall"]
    >>> scores = GiveAway(texts, [0, 0, 1, 1])
    >>> better = scores.of_candidates(0, ["it is not a film", "it is hardly a film"])
    >>> bool(better[1] < better[0])
    True
    """

    def __init__(
        self,
        texts: Sequence[str],
        labels: Sequence[int] | NDArray[np.integer],
        *,
        keep: Iterable[str] = (),
        only: Iterable[Feature] | None = None,
        lengths: bool = True,
        rarer: float | None = None,
        first: Iterable[Feature] = (),
        tokenizer: Tokenizer = PLAIN,
    ) -> None:
        self._tokenizer = tokenizer
        self.labels = np.asarray(labels, dtype=np.int64)
        n_of_label = np.bincount(self.labels)
        share = n_of_label / max(len(self.labels), 1)
        self._own_prior, self._rest_prior = SMOOTHING * share, SMOOTHING * (1 - share)
        with np.errstate(divide="ignore"):
            self._log_odds = np.log(np.maximum(share, 1e-12)) - np.log(np.maximum(1 - share, 1e-12))
        self._keep = [tuple(tokenizer.tokens(phrase)) for phrase in keep]
        self._only = None if only is None else set(only)
        tokens = tokenizer.lists(texts)
        self._edges = _length_edges([len(t) for t in tokens]) if lengths else None
        self._numbers: dict[Feature, int] = {}
        self._known_first: frozenset[Feature] = frozenset()
        # Features of the original texts that were not named are ignored; later ones may count.
        if self._only is not None:
            self._known_first = frozenset(f for t in tokens for f in _ngrams(t))
        self._rows = [self._add_features(t) for t in tokens]
        self._counts = np.zeros((len(n_of_label), len(self._numbers)), dtype=np.int64)
        for label, numbers in zip(self.labels, self._rows, strict=True):
            self._counts[label, numbers] += 1
        self._most = self._most_allowed(rarer)
        self._first = frozenset(self._numbers[f] for f in set(first) if f in self._numbers)

    def __len__(self) -> int:
        return len(self._rows)

    def scores(self) -> Floats:
        """The score of every text; above 0 it predicts its own label, the higher the more strongly."""
        flat = np.concatenate([np.zeros(0, dtype=np.int64), *self._rows])
        lengths = np.array([len(numbers) for numbers in self._rows], dtype=np.int64)
        label_of = np.repeat(self.labels, lengths)
        row_of = np.repeat(np.arange(len(self._rows)), lengths)
        odds = self._log_odds_of(flat, label_of, np.ones(len(flat), dtype=np.int64))
        if self._first:
            odds[np.isin(flat, list(self._first)) & (odds > 0)] += FIRST
        return np.bincount(row_of, weights=odds, minlength=len(self._rows)).astype(np.float64)

    def of_candidates(self, row: int, texts: Sequence[str]) -> Floats:
        """The scores that these texts would have in place of a row."""
        own = set(self._rows[row].tolist())
        known = [self._known(tokens) for tokens in self._tokenizer.lists(texts)]
        flat = np.array([number for numbers in known for number in numbers], dtype=np.int64)
        text_of = np.repeat(np.arange(len(texts)), [len(numbers) for numbers in known])
        itself = np.array([number in own for number in flat.tolist()], dtype=np.int64)
        odds = self._log_odds_of(flat, np.full(len(flat), self.labels[row]), itself)
        scores = np.bincount(text_of, weights=odds, minlength=len(texts)).astype(np.float64)
        scores[np.unique(text_of[self._is_planted(flat) & (itself == 0)])] += PLANTED
        return scores

    def telling(self, text: str, label: int) -> tuple[str, ...]:
        """The words and phrases of a text that predict the label, strongest first; of two that overlap, the stronger.

        Patterns of `first` come before all others, even if weak.
        """
        found = {
            feature: self._numbers.get(feature) for feature in self._features(self._tokenizer.tokens(text))
        }
        known = [
            (f, n) for f, n in found.items() if n is not None and f[0] not in _MARKS and f[-1] not in _MARKS
        ]
        numbers = np.array([number for _, number in known], dtype=np.int64)
        odds = self._log_odds_of(numbers, np.full(len(numbers), label), np.ones(len(numbers), dtype=np.int64))
        often = self._counts[:, numbers].sum(axis=0) >= OFTEN
        ranked = sorted(
            (number not in self._first, -float(odds[i]), len(feature), feature)
            for i, (feature, number) in enumerate(known)
            if (often[i] and odds[i] > TELLING) or (number in self._first and odds[i] > 0)
        )
        chosen: list[Feature] = []
        for *_, feature in ranked:
            if not any(is_inside(feature, other) for other in chosen):
                chosen.append(feature)
        return tuple(" ".join(feature) for feature in chosen[:MOST_TELLING])

    def replace(self, texts: Mapping[int, str]) -> None:
        """Put new texts in place of the given rows."""
        for row, text in texts.items():
            label = self.labels[row]
            self._counts[label, self._rows[row]] -= 1
            self._rows[row] = self._add_features(self._tokenizer.tokens(text))
            grown = len(self._numbers) - self._counts.shape[1]
            if grown > 0:  # by half, so that a long run does not copy the table for each text
                self._counts = np.pad(self._counts, ((0, 0), (0, max(grown, self._counts.shape[1] // 2))))
            self._counts[label, self._rows[row]] += 1

    def _most_allowed(self, rarer: float | None) -> Floats:
        """For each feature the number of texts that may have it: a share of the original number, if it was predictive then."""
        total = self._counts.sum(axis=0)
        most = np.full(len(total), np.inf)
        if rarer is not None:
            for label in range(len(self._counts)):
                odds = self._log_odds_of(
                    np.arange(len(total)), np.full(len(total), label), np.zeros(len(total), np.int64)
                )
                telling = (odds > STRONG) & (total >= OFTEN)
                most[telling] = rarer * total[telling]
        return most

    def _is_planted(self, numbers: Ints) -> NDArray[np.bool_]:
        """For each feature whether as many texts have it as may."""
        watched = numbers < len(self._most)  # later features were never predictive
        most = np.where(watched, self._most[np.where(watched, numbers, 0)], np.inf)
        return self._counts[:, numbers].sum(axis=0) + 1 > most

    def _known(self, tokens: Sequence[str]) -> list[int]:
        """The numbers of those features of a text that a text of the dataset has or had."""
        found = (self._numbers.get(feature) for feature in self._features(tokens))
        return [number for number in found if number is not None]

    def _log_odds_of(self, numbers: Ints, labels: Ints, itself: Ints) -> Floats:
        """The log odds of the label for each feature; itself: 1 if the text is among those counted."""
        total = (
            self._counts.sum(axis=0)[numbers]
            if len(numbers) > 10_000
            else self._counts[:, numbers].sum(axis=0)
        )
        own = self._counts[labels, numbers]
        rest = total - own
        odds = np.log(own - itself + self._own_prior[labels]) - np.log(
            np.maximum(rest + self._rest_prior[labels], 1e-12)
        )
        return odds - self._log_odds[labels]

    def _add_features(self, tokens: Sequence[str]) -> Ints:
        numbers = self._numbers
        return np.array(
            sorted(numbers.setdefault(feature, len(numbers)) for feature in self._features(tokens)),
            dtype=np.int64,
        )

    def _features(self, tokens: Sequence[str]) -> set[Feature]:
        """The features of a text that count."""
        found = _ngrams(tokens)
        if self._only is not None:
            found = {
                f for f in found if f in self._only or (self._known_first and f not in self._known_first)
            }
        if self._keep:
            found = {f for f in found if not is_real_signal(f, self._keep)}
        if self._only is None and not self._keep and any(map(is_negation, tokens)):
            found.add((_DENIAL,))
        if self._edges is not None:
            found.add((_LENGTH, str(np.searchsorted(self._edges, len(tokens)))))
        return found


def feature(phrase: str, *, first: bool = False, last: bool = False) -> Feature:
    """The feature of a phrase, anywhere or as the first or last words of a text.

    >>> feature("not a"), len(feature("honestly", first=True))
    (('not', 'a'), 2)
    """
    return (*((_START,) if first else ()), *tokenize(phrase), *((_END,) if last else ()))


def _ngrams(tokens: Sequence[str]) -> set[Feature]:
    """The words, pairs and triples of words of a text; its start and end count as words in pairs and triples."""
    marked = [_START, *tokens, _END]
    found: set[Feature] = {(token,) for token in tokens}
    found.update(pairwise(marked))
    found.update(zip(marked, marked[1:], marked[2:], strict=False))
    return found


def _length_edges(lengths: Sequence[int]) -> Floats:
    """Lengths that divide the texts into a few groups of about the same size."""
    return (
        np.unique(np.quantile(lengths, np.linspace(0, 1, _N_LENGTHS + 1)[1:-1])) if lengths else np.zeros(0)
    )
