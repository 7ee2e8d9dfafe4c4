"""Names of concepts without a model: the words and phrases that tell its texts from similar texts that lack it.

Compared are the texts with the concept and as many of the texts closest to having it. A word scores by the difference of its log-odds in both, in
standard errors, with a slight prior (Monroe et al. 2008). A phrase of two words replaces its words if it scores as high. Words that are frequent in all texts
("the", "of") name a concept only if there are no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from itertools import pairwise
from math import log, sqrt

from longway.tokens.tokenizer import is_word

MOST_TEXTS = 200  # on each side
MOST_WORDS = 3
FEWEST = 2.0  # standard errors
PRIOR = 0.5


def contrastive_words(
    texts: Sequence[Sequence[str]],
    similar: Sequence[Sequence[str]],
    *,
    frequent: Collection[str] = (),
    most: int = MOST_WORDS,
) -> tuple[str, ...]:
    """The words and phrases of some texts, given as tokens, that similar texts lack; the most telling first. frequent: words to avoid.

    >>> contrastive_words([["a", "dog", "runs"], ["the", "dog"], ["dog", "sits"]] * 3, [["a", "man", "runs"], ["the", "man"], ["he", "sits"]] * 3)
    ('dog',)
    """
    with_it, without = (_document_counts(some[:MOST_TEXTS]) for some in (texts, similar))
    n, m = min(len(texts), MOST_TEXTS), min(len(similar), MOST_TEXTS)
    scored = {
        term: z
        for term, count in with_it.items()
        if count >= 2 and (z := _z(count, n, without.get(term, 0), m)) >= FEWEST
    }
    scored = {term: z for term, z in scored.items() if all((word,) in scored for word in term)}
    if rare := {term: z for term, z in scored.items() if not set(term) & set(frequent)}:
        scored = rare
    chosen: list[tuple[str, ...]] = []
    for term in sorted(scored, key=lambda term: (-scored[term], -len(term), term)):
        if not any(set(term) & set(other) for other in chosen):
            chosen.append(_longest(term, scored))
        if len(chosen) == most:
            break
    return tuple(" ".join(term) for term in chosen)


def _longest(term: tuple[str, ...], scored: dict[tuple[str, ...], float]) -> tuple[str, ...]:
    """A phrase with the word that scores nearly as high, if there is one."""
    longer = [other for other in scored if len(other) > len(term) and term[0] in other]
    best = max(longer, key=lambda other: scored[other], default=term)
    return best if len(term) == 1 and scored[best] >= 0.8 * scored[term] else term


def _document_counts(texts: Iterable[Sequence[str]]) -> Counter[tuple[str, ...]]:
    counts: Counter[tuple[str, ...]] = Counter()
    for tokens in texts:
        words = {(word,) for word in tokens if is_word(word)}
        pairs = {pair for pair in pairwise(tokens) if is_word(pair[0]) and is_word(pair[1])}
        counts.update(words | pairs)
    return counts


def _z(count: int, n: int, other: int, m: int) -> float:
    """The difference of two log-odds in standard errors."""
    a, b = count + PRIOR, n - count + PRIOR
    c, d = other + PRIOR, m - other + PRIOR
    return (log(a / b) - log(c / d)) / sqrt(1 / a + 1 / b + 1 / c + 1 / d)
