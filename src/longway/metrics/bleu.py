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
    pairs = list(zip(tokenizer.lists(texts), tokenizer.lists(references), strict=True))
    logs = 0.0
    for size in range(1, n + 1):
        counts = [(ngrams(words, size), ngrams(reference, size)) for words, reference in pairs]
        matches = sum((own & allowed).total() for own, allowed in counts)
        if not matches:
            return 0.0
        logs += log(matches / sum(own.total() for own, _ in counts)) / n
    length, reference_length = (sum(map(len, side)) for side in zip(*pairs, strict=True))
    return min(1.0, exp(1 - reference_length / length)) * exp(logs)


def sacre_bleu(texts: Sequence[str], references: Sequence[str]) -> float:
    """Corpus BLEU of texts with one reference each, 0 to 100, by sacrebleu with its default settings."""
    if find_spec("sacrebleu") is None:
        raise MissingExtra("sacrebleu", extra="prove", purpose="BLEU between two versions")
    from sacrebleu.metrics.bleu import BLEU

    return float(BLEU().corpus_score(list(texts), [list(references)]).score)


def ngrams(words: list[str], size: int) -> Counter[Ngram]:
    """How often each n-gram of this size occurs."""
    return Counter(zip(*(words[i:] for i in range(size)), strict=False))
