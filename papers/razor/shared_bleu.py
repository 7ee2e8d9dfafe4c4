"""BLEU of texts that all have the same references.

RAZOR's Table 4 reports corpus BLEU of a training set "evaluated on" a test set, without saying which sentence is compared with which.
`shared_bleu(train, test)` uses every test sentence as a reference of every training text, which sacrebleu cannot do; it is high if the
training texts consist of phrases of the test texts.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Sequence

from longway.metrics.bleu import Ngram, Tally, ngrams, words_of


def shared_bleu(texts: Sequence[str], references: Sequence[str], *, n: int = 4) -> float:
    """BLEU of each text against all references at once, from 0 to 100. It rises with the number of references.

    The length of a text's reference is that of the one closest in length.
    """
    reference_words = words_of(references)
    allowed = _allowed(reference_words, n)
    lengths = sorted(set(map(len, reference_words)))
    tally = Tally(n)
    for words in words_of(texts):
        tally.add(words, allowed, _nearest(lengths, len(words)))
    return 100 * tally.bleu()


def _allowed(references: Sequence[list[str]], n: int) -> list[Counter[Ngram]]:
    """For each n-gram length, the highest count of each n-gram in one reference."""
    return [_most(ngrams(words, size) for words in references) for size in range(1, n + 1)]


def _most(counts: Iterable[Counter[Ngram]]) -> Counter[Ngram]:
    most: Counter[Ngram] = Counter()
    for count in counts:
        most |= count
    return most


def _nearest(lengths: Sequence[int], length: int) -> int:
    """The reference length closest to a text's; the shorter of two at the same distance."""
    i = bisect_left(lengths, length)
    return min(lengths[max(0, i - 1) : i + 1], key=lambda other: (abs(other - length), other), default=0)
