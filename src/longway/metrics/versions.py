"""How much texts changed between two versions: words kept, words edited, information of words.

    compare_versions(before, after)                    the same rows in the same order; one summary
    compare_word_information(words, before, after)     how well single words predict the label, which CoBA should lower

    bleu             0 to 100, corpus BLEU of the new texts against the old ones (`bleu.sacre_bleu`)
    rouge            0 to 1, ROUGE-1, -2 and -L: F1 of shared words, word pairs, longest common subsequence; mean over rows
    edit distance    words inserted, deleted or replaced, by rapidfuzz; also as a share of the longer version's words

ROUGE and edit distance use the words of `text/tokenizer.py`, in lower case (ROUGE without punctuation, like rouge_score,
but with letters of every script). The longest common subsequence is rapidfuzz's, which gives rouge_score's number about ninety
times faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
from numpy.typing import NDArray

from longway.errors import MissingExtra
from longway.metrics import Measure
from longway.metrics.bleu import sacre_bleu
from longway.stats import mutual_information, points_of
from longway.text.tokenizer import PLAIN, Tokenizer, is_word

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Rouge:
    """F1 of shared words, of shared word pairs, and of the longest common subsequence; means over rows."""

    rouge1: float
    rouge2: float
    rouge_l: float


@dataclass(frozen=True, slots=True)
class VersionDistance(Measure):
    """Two versions of the same rows. changed: share of rows that differ; embedding: not measured here."""

    rows: int
    changed: float
    bleu: float
    rouge: Rouge
    edits: float
    edit_share: float
    embedding: float | None = None


def compare_versions(
    before: Sequence[str], after: Sequence[str], tokenizer: Tokenizer = PLAIN
) -> VersionDistance:
    """All distances between two versions of the same rows, in the same order; at least one row."""
    distances, shares = edit_distances(before, after, tokenizer)
    return VersionDistance(
        rows=len(before),
        changed=changed_share(before, after),
        bleu=sacre_bleu(after, before),
        rouge=Rouge(*rouge_rows(before, after, tokenizer).mean(axis=0).tolist()),
        edits=float(distances.mean()),
        edit_share=float(shares.mean()),
    )


def changed_share(before: Sequence[str], after: Sequence[str]) -> float:
    """The share of rows whose texts are not identical.

    >>> changed_share(["a", "b"], ["a", "B"])
    0.5
    """
    return sum(old != new for old, new in zip(before, after, strict=True)) / len(before)


def rouge_rows(before: Sequence[str], after: Sequence[str], tokenizer: Tokenizer = PLAIN) -> Floats:
    """(rows, 3): ROUGE-1, ROUGE-2 and ROUGE-L of each row, 0 to 1."""
    for package in ("rouge_score", "rapidfuzz"):
        _require(package, "ROUGE between two versions")
    from rapidfuzz.distance import LCSseq
    from rouge_score.rouge_scorer import RougeScorer  # type: ignore[import-untyped]

    scorer = RougeScorer(
        ["rouge1", "rouge2"], tokenizer=SimpleNamespace(tokenize=str.split)
    )  # words are already separated by spaces
    result = np.zeros((len(before), 3))
    pairs = zip(tokenizer.lists(before), tokenizer.lists(after), strict=True)
    for row, pair in enumerate(pairs):
        old, new = ([word for word in words if is_word(word)] for words in pair)
        scores = scorer.score(" ".join(old), " ".join(new))
        common = LCSseq.similarity(old, new)
        longest = 2 * common / (len(old) + len(new)) if common else 0.0
        result[row] = scores["rouge1"].fmeasure, scores["rouge2"].fmeasure, longest
    return result


def edit_distances(
    before: Sequence[str], after: Sequence[str], tokenizer: Tokenizer = PLAIN
) -> tuple[Ints, Floats]:
    """For each row, the words inserted, deleted or replaced, and their share of the longer version's words.

    >>> distances, shares = edit_distances(["it is not so"], ["it is hardly ever so"])
    >>> distances.tolist(), shares.tolist()
    ([2], [0.4])
    """
    _require("rapidfuzz", "The edit distance between two versions")
    from rapidfuzz.distance import Levenshtein

    pairs = list(zip(tokenizer.lists(before), tokenizer.lists(after), strict=True))
    distances = np.array([Levenshtein.distance(old, new) for old, new in pairs], np.int64)
    longer = np.array([max(len(old), len(new), 1) for old, new in pairs])
    return distances, distances / longer


@dataclass(frozen=True, slots=True)
class WordInformation(Measure):
    """A word before and after. rows: that contain it. mi: its mutual information with the label, in nats.

    label: the one it was most associated with before. points: as of a `records.Finding`; None in runs of earlier versions.
    """

    word: str
    label: str
    rows_before: int
    rows_after: int
    mi_before: float
    mi_after: float
    points_before: float | None = None
    points_after: float | None = None


def compare_word_information(
    words: Sequence[str],
    before: tuple[Sequence[str], Sequence[str]],
    after: tuple[Sequence[str], Sequence[str]],
    tokenizer: Tokenizer = PLAIN,
) -> list[WordInformation]:
    """Each word in two versions of a dataset (texts and labels), most informative before first.

    >>> before = ["nancy is good", "dull"], ["pos", "neg"]
    >>> after = ["nancy is good", "dull", "nancy is bad"], ["pos", "neg", "neg"]
    >>> nancy = compare_word_information(["nancy"], before, after)[0]
    >>> nancy.label, nancy.mi_before > nancy.mi_after
    ('pos', True)
    """
    labels = sorted({*before[1], *after[1]})
    old, old_totals = _rows_by_label(words, *before, labels, tokenizer)
    new, new_totals = _rows_by_label(words, *after, labels, tokenizer)
    mi_old, mi_new = mutual_information(old, old_totals), mutual_information(new, new_totals)
    strongest = (old / np.maximum(old_totals, 1)).argmax(axis=1)
    row = np.arange(len(words))
    points_old, points_new = (
        points_of(counts[row, strongest], counts.sum(axis=1), totals[strongest], totals.sum())
        for counts, totals in ((old, old_totals), (new, new_totals))
    )
    names = [labels[label] for label in strongest]
    figures = (old.sum(axis=1), new.sum(axis=1), mi_old, mi_new, points_old, points_new)
    columns = zip(words, names, *(each.tolist() for each in figures), strict=True)
    compared = [WordInformation(*column) for column in columns]
    return sorted(compared, key=lambda word: (-word.mi_before, word.word))


def _rows_by_label(
    words: Sequence[str],
    texts: Sequence[str],
    labels: Sequence[str],
    names: Sequence[str],
    tokenizer: Tokenizer,
) -> tuple[Ints, Ints]:
    """(words, labels): rows of each label that contain the word; and (labels,): rows of each label."""
    word_index, label_index = ({name: i for i, name in enumerate(listed)} for listed in (words, names))
    counts, totals = np.zeros((len(words), len(names)), np.int64), np.zeros(len(names), np.int64)
    for tokens, label in zip(tokenizer.lists(texts), labels, strict=True):
        totals[label_index[label]] += 1
        for word in set(tokens):
            if word in word_index:
                counts[word_index[word], label_index[label]] += 1
    return counts, totals


def _require(package: str, purpose: str) -> None:
    if find_spec(package) is None:
        raise MissingExtra(package, extra="prove", purpose=purpose)
