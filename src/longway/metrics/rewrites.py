"""How close rewrites are to those that people wrote: Tables 2 and 8 of the perturbation paper (Qian et al. 2022).

    closeness_rows(rewrites, references)   one row of numbers per rewrite; their sums are all that `closeness` needs
    closeness(rows)                        BLEU, ROUGE-2, word distance, exact matches, each with its interval (Table 2)
    agreement(rewrites)                    how much several rewrites of one text agree (Table 8, appendix D)

    bleu         0 to 100, corpus BLEU of sacrebleu; case counts
    rouge2       0 to 100, F1 of shared word pairs in lower case, mean over rows (`versions.rouge_rows`)
    distance     words inserted, deleted or replaced (footnote 7 of the paper), mean over rows
    exact        percentage of rewrites that are word for word the reference

Words of `distance` and `exact` are words and punctuation marks as they are written: case counts, white space does not. The paper
does not say how it splits texts into words. Resamples draw all rows of one text together: their rewrites are alike.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import combinations, permutations, zip_longest

import numpy as np
from numpy.typing import NDArray

from longway.errors import MissingExtra
from longway.metrics import Measure
from longway.metrics.bleu import bleu_counts, bleu_of_counts
from longway.metrics.intervals import Measurement, resampled, resampled_sums
from longway.metrics.versions import rouge_lsum, rouge_rows
from longway.tokens.tokenizer import token_spans

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
N_BLEU = 10  # the first columns of `closeness_rows`
AGREEMENTS = ("full", "tokens", "bleu", "rouge1", "rouge2", "rouge_l", "rouge_lsum", "distance")


def written_words(text: str) -> list[str]:
    """The words and punctuation marks of a text as they are written.

    >>> written_words("She isn’t  here.")
    ['She', 'isn’t', 'here', '.']
    """
    return [text[start:end] for _, start, end in token_spans(text)]


def word_distance(text: str, other: str) -> tuple[int, int]:
    """The words to insert, delete or replace to turn one text into the other; and the number of words of the longer text.

    >>> word_distance("She left.", "Then he left.")
    (2, 4)
    """
    if find_spec("rapidfuzz") is None:
        raise MissingExtra("rapidfuzz", extra="prove", purpose="The edit distance between two texts")
    from rapidfuzz.distance import Levenshtein

    words, others = written_words(text), written_words(other)
    return int(Levenshtein.distance(words, others)), max(len(words), len(others))


# ---- Table 2 ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Closeness(Measure):
    """How close rewrites are to references, with intervals."""

    rows: int
    bleu: Measurement
    rouge2: Measurement
    distance: Measurement
    exact: Measurement


def closeness_rows(rewrites: Sequence[str], references: Sequence[str]) -> Floats:
    """(rows, 13): for each rewrite sacrebleu's counts, ROUGE-2, the word distance, and whether it is exact."""
    distances = np.array([word_distance(*pair)[0] for pair in zip(rewrites, references, strict=True)])
    rouge2 = 100 * rouge_rows(references, rewrites)[:, 1]
    return np.column_stack([bleu_counts(rewrites, references), rouge2, distances, 100 * (distances == 0)])


def closeness(rows: Floats, *, together: Ints, seed: int = 0) -> Closeness:
    """The measures of some rows of `closeness_rows`. together: a number for each, the same for rows of one text."""
    n, units = len(rows), len(np.unique(together))
    counted = np.column_stack([rows, np.ones(n)])  # a resample of texts has its own number of rows
    drawn = resampled_sums(counted, together=together, seed=seed)
    rouge2, distance, exact = rows[:, N_BLEU:].mean(axis=0).tolist()
    means = drawn[:, N_BLEU:-1] / drawn[:, -1:]
    return Closeness(
        rows=n,
        bleu=resampled(bleu_of_counts(rows[:, :N_BLEU].sum(axis=0)), [bleu_of_counts(one[:N_BLEU]) for one in drawn]),
        rouge2=resampled(rouge2, means[:, 0], n=units),
        distance=resampled(distance, means[:, 1]),
        exact=resampled(exact, means[:, 2], n=units),
    )  # fmt: skip


# ---- Table 8 ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Agreement(Measure):
    """How much rewrites of the same texts agree; percentages, but `distance` is a share from 0 to 1. tasks: texts with several rewrites."""

    tasks: int
    full: Measurement
    tokens: Measurement
    bleu: Measurement
    rouge1: Measurement
    rouge2: Measurement
    rouge_l: Measurement
    rouge_lsum: Measurement
    distance: Measurement


def agreement(rewrites: Sequence[str]) -> Floats:
    """(8,): how much two or more rewrites of one text agree, by the measures of `AGREEMENTS`.

    full: percentage of the rewrites that are equal to the most frequent one. tokens: at each token position, the percentage of the rewrites
    that have its most frequent token there; mean over positions. A rewrite that has ended before a position has none of its tokens. The
    others compare every two rewrites in both directions, mean over them; the distance is a share of the longer one's words.
    """
    tokens = [tuple(written_words(text)) for text in rewrites]
    shared = [max(Counter(place).values()) for place in zip_longest(*tokens)]
    pairs = list(permutations(rewrites, 2))
    firsts, seconds = ([pair[side] for pair in pairs] for side in (0, 1))
    distances = [d / max(longer, 1) for d, longer in map(word_distance, firsts, seconds)]
    rouge = rouge_rows(firsts, seconds).mean(axis=0)
    return np.array(
        [
            100 * max(Counter(tokens).values()) / len(tokens),
            100 * float(np.mean(shared)) / len(tokens) if shared else 100.0,
            np.mean(_sentence_bleu(firsts, seconds)),
            *(100 * rouge),
            100 * np.mean([rouge_lsum(*pair) for pair in pairs]),
            np.mean(distances),
        ]
    )


def pairwise_agreement(rewrites: Sequence[str]) -> Floats:
    """(8,): the agreement of every two rewrites of a text, mean over the pairs."""
    return np.asarray(np.mean([agreement(pair) for pair in combinations(rewrites, 2)], axis=0))


def agreement_with(rewrite: str, rewrites: Sequence[str]) -> Floats:
    """(8,): the agreement of one rewrite with each of others, mean over these."""
    return np.asarray(np.mean([agreement((rewrite, other)) for other in rewrites], axis=0))


def mean_agreement(tasks: Sequence[Floats], *, together: Ints, seed: int = 0) -> Agreement:
    """The mean of the agreements on several texts, with intervals. together: as for `closeness`."""
    values = np.asarray(tasks)
    n, units = len(values), len(np.unique(together))
    drawn = resampled_sums(np.column_stack([values, np.ones(n)]), together=together, seed=seed)
    means = drawn[:, :-1] / drawn[:, -1:]
    measured = {
        name: resampled(float(values[:, i].mean()), means[:, i], n=0 if name == "distance" else units)
        for i, name in enumerate(AGREEMENTS)
    }
    return Agreement(n, **measured)


def _sentence_bleu(texts: Sequence[str], references: Sequence[str]) -> list[float]:
    """sacrebleu's score of each text alone, 0 to 100; a text of fewer than four words is compared in shorter phrases."""
    if find_spec("sacrebleu") is None:
        raise MissingExtra("sacrebleu", extra="prove", purpose="BLEU between two texts")
    from sacrebleu.metrics.bleu import BLEU

    bleu = BLEU(effective_order=True)
    return [bleu.sentence_score(text, [ref]).score for text, ref in zip(texts, references, strict=True)]
