"""How far two versions of the same texts are apart: words kept, words edited, meaning moved.

    compare_versions(before, after)                    rows in the same order; one summary
    compare_versions(before, after, vectors=(a, b))    with embeddings of both

    bleu             0 to 100, corpus BLEU of the new texts against the old ones, by sacrebleu with its own words (13a)
    rouge            0 to 1, ROUGE-1, -2 and -L: F1 of shared words, pairs of words, longest common subsequence; mean over rows
    edit distance    words put in, taken out or exchanged, by rapidfuzz; also as a share of the longer version's words
    embedding        cosine distance, mean over rows

ROUGE and edit distance take the words of `text/tokens.py`, in lower case (ROUGE without punctuation, as rouge_score does,
but letters of every script are kept). The longest common subsequence is rapidfuzz's, which gives rouge_score's number
about ninety times faster. sacrebleu cuts words its own way and smooths a phrase length without a match;
given the same words and no smoothing, `bleu.py` gives the same number.

`bleu_to_test` is Table 4 of RAZOR, BLEU of a training set "evaluated on" a test set. Which sentence is compared with which
the paper does not say; here every test text is a reference of every training text, which only `bleu.py` can count.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import ArrayLike, NDArray

from longway.errors import MissingExtra, SettingError
from longway.metrics.bleu import shared_bleu
from longway.text.tokens import is_word, tokenize_column

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Words = list[list[str]]


@dataclass(frozen=True, slots=True)
class Rouge:
    """F1 of shared words, of shared pairs of words, and of the longest common subsequence; means over rows."""

    rouge1: float
    rouge2: float
    rouge_l: float


@dataclass(frozen=True, slots=True)
class Versions:
    """Two versions of the same rows. changed: share of rows that are not the same; embedding: None without vectors."""

    rows: int
    changed: float
    bleu: float
    rouge: Rouge
    edits: float
    edit_share: float
    embedding: float | None

    def to_dict(self) -> dict[str, Any]:
        """The numbers as plain JSON values."""
        return asdict(self)


def compare_versions(
    before: Sequence[str], after: Sequence[str], *, vectors: tuple[ArrayLike, ArrayLike] | None = None
) -> Versions:
    """All distances between two versions of the same rows, in the same order."""
    distances, shares = edit_distances(before, after)
    return Versions(
        rows=len(before),
        changed=changed_share(before, after),
        bleu=bleu(before, after),
        rouge=rouge(before, after),
        edits=float(distances.mean()),
        edit_share=float(shares.mean()),
        embedding=float(embedding_distances(*vectors).mean()) if vectors else None,
    )


def changed_share(before: Sequence[str], after: Sequence[str]) -> float:
    """The share of rows whose text is not the same, to the letter.

    >>> changed_share(["a", "b"], ["a", "B"])
    0.5
    """
    _check(before, after)
    return sum(old != new for old, new in zip(before, after, strict=True)) / len(before)


def bleu(before: Sequence[str], after: Sequence[str]) -> float:
    """Corpus BLEU of the new texts with the old ones as references, 0 to 100, as sacrebleu gives it by default."""
    _check(before, after)
    _need("sacrebleu", "BLEU between two versions")
    from sacrebleu.metrics.bleu import BLEU

    return float(BLEU().corpus_score(list(after), [list(before)]).score)


def bleu_to_test(train: Sequence[str], test: Sequence[str]) -> float:
    """How much training texts are made of a test set's phrases, 0 to 100; compare sets of the same size.

    It rises with the number of test texts, since each may lend its phrases.
    """
    return 100 * shared_bleu(train, test)


def rouge(before: Sequence[str], after: Sequence[str]) -> Rouge:
    """ROUGE-1, ROUGE-2 and ROUGE-L of the new texts with the old ones as references."""
    _check(before, after)
    for package in ("rouge_score", "rapidfuzz"):
        _need(package, "ROUGE between two versions")
    from rapidfuzz.distance import LCSseq
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    scorer = RougeScorer(["rouge1", "rouge2"], tokenizer=_Spaces())
    result = np.zeros((len(before), 3))
    old_words, new_words = (_without_marks(_words(texts)) for texts in (before, after))
    for row, (old, new) in enumerate(zip(old_words, new_words, strict=True)):
        scores = scorer.score(" ".join(old), " ".join(new))
        common = LCSseq.similarity(old, new)
        longest = 2 * common / (len(old) + len(new)) if common else 0.0
        result[row] = scores["rouge1"].fmeasure, scores["rouge2"].fmeasure, longest
    return Rouge(*result.mean(axis=0).tolist())


def edit_distances(before: Sequence[str], after: Sequence[str]) -> tuple[Ints, Floats]:
    """Of each row, the words put in, taken out or exchanged, and their share of the longer version's words.

    >>> distances, shares = edit_distances(["it is not so"], ["it is hardly ever so"])
    >>> distances.tolist(), shares.tolist()
    ([2], [0.4])
    """
    _check(before, after)
    _need("rapidfuzz", "The edit distance between two versions")
    from rapidfuzz.distance import Levenshtein

    pairs = list(zip(_words(before), _words(after), strict=True))
    distances = np.array([Levenshtein.distance(old, new) for old, new in pairs], np.int64)
    longer = np.array([max(len(old), len(new), 1) for old, new in pairs])
    return distances, distances / longer


def embedding_distances(before: ArrayLike, after: ArrayLike) -> Floats:
    """Of each row, 1 minus the cosine of its two vectors: 0 the same direction, 1 unrelated, 2 opposite.

    A vector of zeros is the same as another of zeros, and unrelated to any other.
    """
    old, new = np.asarray(before, np.float64), np.asarray(after, np.float64)
    if old.ndim != 2 or old.shape != new.shape or not len(old):
        raise SettingError(
            f"Both versions need one vector for each row, of the same length. Got {old.shape} and {new.shape}."
        )
    lengths = np.linalg.norm(old, axis=1) * np.linalg.norm(new, axis=1)
    cosine = np.einsum("ij,ij->i", old, new) / np.where(lengths > 0, lengths, 1)
    both_zero = ~old.any(axis=1) & ~new.any(axis=1)
    return np.asarray(np.clip(1 - np.where(both_zero, 1.0, cosine), 0.0, 2.0))


class _Spaces:
    """What rouge_score cuts texts with: words are already parted by spaces."""

    def tokenize(self, text: str) -> list[str]:
        return text.split()


def _words(texts: Sequence[str]) -> Words:
    return tokenize_column(pl.Series(list(texts), dtype=pl.String)).to_list()


def _without_marks(texts: Words) -> Words:
    return [[word for word in text if is_word(word)] for text in texts]


def _check(before: Sequence[str], after: Sequence[str]) -> None:
    if len(before) != len(after) or not before:
        raise SettingError(
            f"Two versions need the same rows in the same order, at least one. Got {len(before)} and {len(after)}. "
            "Match them by id first, and leave out added rows."
        )


def _need(package: str, purpose: str) -> None:
    if find_spec(package) is None:
        raise MissingExtra(package, extra="prove", purpose=purpose)
