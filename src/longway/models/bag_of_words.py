"""Bag-of-words classifiers, without torch: `Linear` (softmax regression on TF-IDF) and `NaiveBayes`.

texts or pairs  ->  counts of words and word pairs (`WordFeatures`)  ->  TF-IDF or presence  ->  softmax regression

    "Not a good day" | "A good day"      columns of the row

    text                                 not, a, good, day, not a, a good, good day
    context                              (a), (good), (day)
    words of the text in the context     a+, good+, day+, and their number: +
    words of the text not in it          not-, and their number: -

A linear model can only add, so it cannot compare a text with its context; the last two lines do it for it. Rows without
contexts have the first line only. A column is kept if at least two training rows have it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, NamedTuple, Self

import numpy as np
import polars as pl
from scipy.sparse import csr_matrix, diags_array

from longway.errors import SettingError
from longway.models.classifier import Bools, FitData, Floats, Inputs, Ints, check_kind, targets_of
from longway.models.objectives import CrossEntropy
from longway.models.saved import (
    SavedModel,
    load_arrays,
    save_arrays,
    settings_of,
)
from longway.models.softmax_regression import SoftmaxClassifier, SoftmaxRegression


class BagOfWordsClassifier(SoftmaxClassifier):
    """Base class: words, their columns, and how they are saved."""

    name: ClassVar[str]
    words_: WordFeatures
    idf_: Floats | None = None  # of the columns, if their counts are weighted

    def save(self, folder: Path) -> None:
        """Write words, weights and settings."""
        regression = self.regression_
        arrays = {"kept": self.words_.kept, "weights": regression.weights, "bias": regression.bias}
        save_arrays(folder, arrays if self.idf_ is None else {**arrays, "idf": self.idf_})
        words = self.words_.words
        SavedModel(self.name, self.labels_, self.words_.pairs, settings_of(self), words=words).write(folder)

    @classmethod
    def load(cls, folder: Path) -> Self:
        """Read the classifier saved there."""
        about, arrays = SavedModel.read(folder), load_arrays(folder)
        model = cls(**about.settings or {})
        model.labels_ = about.labels
        model.words_ = WordFeatures(about.words or [], arrays["kept"], pairs=bool(about.pairs))
        model.regression_ = SoftmaxRegression(arrays["weights"], arrays["bias"])
        model.idf_ = arrays.get("idf")
        return model


@dataclass(eq=False, kw_only=True)
class Linear(BagOfWordsClassifier):
    """Softmax regression on TF-IDF of words and word pairs. Fast, and strong on surface cues.

    strength: inverse regularization (`softmax_regression.py`). min_rows: training rows a word must occur in.
    seed: unused, as nothing is random; all classifiers accept it.

    It learns from all rows: without validation rows, only its regularizer prevents overfitting.

    >>> from longway.models.classifier import Labelled
    >>> rows = Labelled(Inputs(["good film", "good day", "bad film", "bad day"]), ["pos", "pos", "neg", "neg"])
    >>> Linear().fit(rows).predict(Inputs(["a good book", "a bad book"]))
    ['pos', 'neg']
    """

    name: ClassVar[str] = "bow"

    strength: float = 1.0
    min_rows: int = 2
    seed: int = 0

    def features(self, inputs: Inputs) -> csr_matrix:
        """(n, columns) of TF-IDF, columns as in `words_.kept`."""
        assert self.idf_ is not None  # it was fitted
        return tf_idf(self.words_.counts(inputs), self.idf_)

    def _fit(self, given: FitData) -> None:
        self.words_, counts = WordFeatures.learned(given.data.inputs, min_rows=self.min_rows)
        self.idf_ = idf_of(counts)
        self._fit_regression(tf_idf(counts, self.idf_), given, strength=self.strength)


@dataclass(eq=False, kw_only=True)
class NaiveBayes(BagOfWordsClassifier):
    """Multinomial naive Bayes on words and word pairs: the simplest model.

    log p(y)  +  sum over the words of a row of  log p(word | y)          counts smoothed by 1

    A word counts once per row: on reviews that gave 1.7 points more, on sentences half a point less.

    smoothing: added to each count. min_rows: training rows a word must occur in.
    seed: unused, as nothing is random; all classifiers accept it.
    """

    name: ClassVar[str] = "nb"

    smoothing: float = 1.0
    min_rows: int = 2
    seed: int = 0

    def features(self, inputs: Inputs) -> csr_matrix:
        """(n, columns): 1 if the row has the column's word or words."""
        return _present(self.words_.counts(inputs))

    def _fit(self, given: FitData) -> None:
        """Count, each row as often as the objective weights it. Validation rows are not used."""
        targets = targets_of(given.data.labels, self.labels_)
        objective = given.objective
        if not isinstance(objective, CrossEntropy) or objective.offsets is not None:
            raise SettingError(
                f"naive Bayes counts words and minimizes no loss, so it only supports row weights. Got {type(objective).__name__}. "
                "For this training method choose bow."
            )
        weights = np.ones(len(targets)) if objective.weights is None else objective.weights
        self.words_, counts = WordFeatures.learned(given.data.inputs, min_rows=self.min_rows)
        member = np.eye(len(self.labels_))[targets] * weights[:, None]  # (n, labels)
        table = _present(counts).T @ member + self.smoothing
        prior = member.sum(axis=0) + self.smoothing
        self.regression_ = SoftmaxRegression(np.log(table / table.sum(axis=0)), np.log(prior / prior.sum()))


def _present(counts: csr_matrix) -> csr_matrix:
    """Ones instead of counts."""
    return csr_matrix((np.ones(len(counts.data)), counts.indices, counts.indptr), counts.shape)


class WordFeatures:
    """Counts words, word pairs and, if rows are pairs, what text and context share.

    words: those a column may consist of. kept: the columns, each as one number (see `_keys`), ascending.
    """

    def __init__(self, words: Iterable[str], kept: Ints, *, pairs: bool) -> None:
        self.words = list(words)
        self.kept = kept
        self.pairs = pairs
        self._code = {word: i for i, word in enumerate(self.words)}

    @classmethod
    def learned(cls, inputs: Inputs, *, min_rows: int = 2) -> tuple[WordFeatures, csr_matrix]:
        """The columns that at least `min_rows` of these rows have, and the rows' counts."""
        tokens = _tokens_of(inputs)
        seen = _rows_having(_counted(tokens.rows, tokens.codes, (len(inputs), len(tokens.words))))
        words = [word for word, n in zip(tokens.words, seen.tolist(), strict=True) if n >= min_rows]
        learned = cls(words, np.zeros(0, np.int64), pairs=inputs.contexts is not None)
        rows, keys = learned._keys(tokens)
        names, column = np.unique(keys, return_inverse=True)
        counts = _counted(rows, column, (len(inputs), len(names)))
        enough = np.flatnonzero(_rows_having(counts) >= min_rows)
        learned.kept = names[enough]
        return learned, counts[:, enough]

    def counts(self, inputs: Inputs) -> csr_matrix:
        """(n, columns): how often each row has each column's word or words."""
        check_kind(inputs, pairs=self.pairs)
        rows, keys = self._keys(_tokens_of(inputs))
        column = np.searchsorted(self.kept, keys)
        known = np.zeros(len(keys), bool)
        if len(self.kept):
            known = self.kept[np.minimum(column, len(self.kept) - 1)] == keys
        return _counted(rows[known], column[known], (len(inputs), len(self.kept)))

    def _keys(self, tokens: _Tokens) -> tuple[Ints, Ints]:
        """For every word and word pair its row and its number.

        With n words: word w is w, in the context n + w, shared 2n + w, not shared 3n + w; 4n counts shared words, 4n + 1 others;
        the pair of words v, w is 4n + 2 + v n + w.
        """
        n = len(self.words)
        known = np.array([self._code.get(word, -1) for word in tokens.words], np.int64)
        code = known[tokens.codes]
        text, context = ~tokens.is_context, tokens.is_context
        follows = (tokens.rows[1:] == tokens.rows[:-1]) & text[1:] & (code[1:] >= 0) & (code[:-1] >= 0)
        parts = [
            (tokens.rows, np.where(code < 0, -1, code + n * context)),
            (tokens.rows[1:][follows], 4 * n + 2 + code[:-1][follows] * n + code[1:][follows]),
        ]
        if self.pairs:
            word_in_row = tokens.rows * (len(tokens.words) + 1) + tokens.codes
            shared = np.isin(word_in_row[text], word_in_row[context])
            rows, mine = tokens.rows[text], code[text]
            parts += [(rows, np.where(mine < 0, -1, mine + np.where(shared, 2 * n, 3 * n)))]
            parts += [(rows, 4 * n + ~shared)]
        rows, keys = (np.concatenate(part) for part in zip(*parts, strict=True))
        return rows[keys >= 0], keys[keys >= 0]


def idf_of(counts: csr_matrix) -> Floats:
    """The weight of each column: 1 + log((1 + n) / (1 + rows that have it))."""
    return np.asarray(1 + np.log((1 + counts.shape[0]) / (1 + _rows_having(counts))))


def tf_idf(counts: csr_matrix, idf: Floats) -> csr_matrix:
    """Weighted counts: rare words weigh more, repeated ones less than double, each row has length 1: (1 + log count) x idf."""
    values = (1 + np.log(counts.data)) * idf[counts.indices]
    weighted = csr_matrix((values, counts.indices, counts.indptr), counts.shape)
    length = np.sqrt(np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel())
    return csr_matrix(diags_array(1 / np.where(length > 0, length, 1)) @ weighted)


class _Tokens(NamedTuple):
    """All tokens, those of the texts first: code, row, and whether the token is in the context. words: by code."""

    codes: Ints
    words: list[str]
    rows: Ints
    is_context: Bools


def _tokens_of(inputs: Inputs) -> _Tokens:
    everything = [*inputs.texts, *(inputs.contexts or ())]
    codes, words, lengths = inputs.tokenizer.encode(pl.Series(everything, dtype=pl.String))
    text = np.repeat(np.arange(len(everything)), lengths)
    return _Tokens(codes.astype(np.int64), words, text % max(1, len(inputs)), text >= len(inputs))


def _rows_having(counts: csr_matrix) -> Ints:
    return np.bincount(counts.indices, minlength=counts.shape[1])


def _counted(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_matrix:
    """A matrix of how often each (row, column) occurs."""
    counts = csr_matrix((np.ones(len(rows)), (rows, columns)), shape)
    counts.sum_duplicates()
    return counts
