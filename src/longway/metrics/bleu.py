"""BLEU: how many of a text's words and phrases are in a reference (Papineni et al. 2002).

    corpus_bleu(texts, references)      each text against its own reference; counts are summed
    sacre_bleu(texts, references)       as papers report it, by the package sacrebleu

    BLEU = min(1, e^(1 - r / c)) * (p_1 p_2 p_3 p_4)^(1/4)

p_n is the share of n-grams found in the reference, each counted at most as often as in the reference; c is the length of the
texts and r that of the references.

**Scale.** `sacre_bleu` runs from 0 to 100, as in papers, `corpus_bleu` from 0 to 1, as rewrite.json stores it.

**Which one.** `sacre_bleu` compares two versions of the same rows, as the perturbation paper does; sacrebleu has its own
tokenizer (13a) and smooths n-gram lengths without a match. The others use the words of `text/tokenizer.py`, in lower case,
without smoothing; on the same words they give sacrebleu's score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from importlib.util import find_spec
from math import exp, log

from longway.errors import MissingExtra
from longway.text.tokenizer import PLAIN, Tokenizer

Ngram = tuple[str, ...]


def corpus_bleu(
    texts: Sequence[str], references: Sequence[str], *, n: int = 4, tokenizer: Tokenizer = PLAIN
) -> float:
    """BLEU of texts against one reference each, from 0 to 1; 0 if no phrase of n words is shared.

    >>> round(corpus_bleu(["the cat sat on the mat"], ["the cat sat on a mat"]), 3)
    0.537
    """
    tally = Tally(n)
    for words, reference in zip(words_of(texts, tokenizer), words_of(references, tokenizer), strict=True):
        allowed = [ngrams(reference, size) for size in range(1, n + 1)]
        tally.add(words, allowed, len(reference))
    return tally.bleu()


def sacre_bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU of texts with one reference each, 0 to 100, by sacrebleu with its default settings."""
    if find_spec("sacrebleu") is None:
        raise MissingExtra("sacrebleu", extra="prove", purpose="BLEU between two versions")
    from sacrebleu.metrics.bleu import BLEU

    return float(BLEU().corpus_score(list(texts), [list(references)]).score)


class Tally:
    """Matches and totals per n-gram length, and lengths, summed over texts."""

    def __init__(self, n: int) -> None:
        self.matches, self.totals = [0] * n, [0] * n
        self.length = self.reference_length = 0

    def add(self, words: list[str], allowed: Sequence[Counter[Ngram]], length: int) -> None:
        """Add one text. allowed: how often each n-gram may count; length: of its reference."""
        for i, most in enumerate(allowed):
            self.matches[i] += sum(min(count, most[ngram]) for ngram, count in ngrams(words, i + 1).items())
            self.totals[i] += max(0, len(words) - i)
        self.length += len(words)
        self.reference_length += length

    def bleu(self) -> float:
        """The score from the counts, from 0 to 1."""
        if not all(self.matches):
            return 0.0
        logs = 0.0
        for match, total in zip(self.matches, self.totals, strict=True):
            logs += log(match / total) / len(self.matches)
        return min(1.0, exp(1 - self.reference_length / self.length)) * exp(logs)


def words_of(texts: Sequence[str], tokenizer: Tokenizer = PLAIN) -> list[list[str]]:
    """The words of each text, in lower case."""
    return tokenizer.lists(texts)


def ngrams(words: list[str], size: int) -> Counter[Ngram]:
    """How often each n-gram of this size occurs."""
    return Counter(zip(*(words[i:] for i in range(size)), strict=False))
