"""Names of concepts without a language model: words and phrases of its texts that say what they have in common.

A word is a candidate if it is more frequent in the texts with the concept than in all texts, and not less frequent than in the texts closest to having
it. Both differences of log-odds are in standard errors, with a slight prior (Monroe et al. 2008). Their sum is multiplied by how similar the word itself is
to the concept, as the sentence encoder sees it: that puts "pointless" before "long". A phrase of two words replaces its words if it scores nearly as high. Words that are
frequent in all texts ("the", "of") name a concept only if there are no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from math import log, sqrt

from longway.tokens.tokenizer import is_word

MOST_TEXTS = 200  # on each side
MOST_WORDS = 3
MOST_CANDIDATES = 40  # that are compared with the concept
LEAST_SHARE = 0.02  # of the texts that a word must be in
FEWEST = 2.0  # standard errors
PRIOR = 0.5

Fits = Callable[[Sequence[str]], Sequence[float]]


def contrastive_words(
    texts: Sequence[Sequence[str]],
    similar: Sequence[Sequence[str]],
    every: Sequence[Sequence[str]] | None = None,
    *,
    frequent: Collection[str] = (),
    most: int = MOST_WORDS,
    fits: Fits | None = None,
) -> tuple[str, ...]:
    """The words and phrases that say what some texts have in common, strongest first. All texts are given as tokens.

    frequent: words to avoid. similar: the texts closest to them. every: a sample of all texts; by default the similar ones. fits: how similar words and phrases are to the
    concept, from -1 to 1.

    >>> contrastive_words([["a", "dog", "runs"], ["the", "dog"], ["dog", "sits"]] * 3, [["a", "man", "runs"], ["the", "man"], ["he", "sits"]] * 3)
    ('dog',)
    """
    scored = _candidates(
        texts[:MOST_TEXTS], similar[:MOST_TEXTS], similar[:MOST_TEXTS] if every is None else every
    )
    if rare := {term: z for term, z in scored.items() if not set(term) & set(frequent)}:
        scored = rare
    if fits is not None and scored:
        terms = sorted(scored, key=lambda term: (-scored[term], term))[:MOST_CANDIDATES]
        fit = fits([" ".join(term) for term in terms])
        scored = {term: scored[term] * one for term, one in zip(terms, fit, strict=True) if one > 0} or scored
    chosen: list[tuple[str, ...]] = []
    for term in sorted(scored, key=lambda term: (-scored[term], -len(term), term)):
        if not any(set(term) & set(other) for other in chosen):
            chosen.append(_longest(term, scored))
        if len(chosen) == most:
            break
    return tuple(" ".join(term) for term in chosen)


def _candidates(
    texts: Sequence[Sequence[str]], similar: Sequence[Sequence[str]], every: Sequence[Sequence[str]]
) -> dict[tuple[str, ...], float]:
    """Words and phrases that are more frequent in the texts than in all, with the sum of their standard errors."""
    with_it, near, usual = (_document_counts(some) for some in (texts, similar, every))
    n, m, k = len(texts), len(similar), len(every)
    scored = {}
    for term, count in with_it.items():
        if count < max(2, LEAST_SHARE * n):
            continue
        from_all, from_near = _z(count, n, usual.get(term, 0), k), _z(count, n, near.get(term, 0), m)
        if from_all >= FEWEST and from_near >= 0:
            scored[term] = from_all + from_near
    return {term: z for term, z in scored.items() if all((word,) in scored for word in term)}


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
