"""Names of concepts without a language model: words and phrases of its texts that say what they have in common.

A word is a candidate if it is more frequent in the texts with the concept than in all texts, and not less frequent than in the texts closest to having
it. Both differences of log-odds are in standard errors, with a slight prior (Monroe et al. 2008). Their sum is multiplied by how similar the word itself is
to the concept, as the sentence encoder sees it: that puts "pointless" before "long". Of the others those come next that are in texts without the words before, no second form of
a word among them ("film", "films"). A phrase of two words replaces its words if it scores nearly as high. Words that are frequent in all texts ("the", "of") name a concept only if there are no others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import pairwise, takewhile
from math import log, sqrt

from longway.text.tokenizer import is_word

MOST_WORDS = 3
MOST_CANDIDATES = 40  # that are compared with the concept
LEAST_SHARE, LEAST_COUNT = 0.05, 3  # of the texts that a word must be in
FEWEST = 2.0  # standard errors
LEAST_OF_BEST = 0.6  # of the highest score: weaker words are about a part of the texts
PRIOR = 0.5
SAME_START = 0.7  # share of the shorter word's letters that begin both, if they are forms of one word
FEWEST_LETTERS = 3
LONGEST_ENDING = 3  # letters that follow the shared beginning of two forms

Fits = Callable[[Sequence[str]], Sequence[float]]
Term = tuple[str, ...]


def contrastive_words(
    texts: Sequence[Sequence[str]],
    similar: Sequence[Sequence[str]],
    every: Sequence[Sequence[str]] | None = None,
    *,
    frequent: Collection[str] = (),
    most: int = MOST_WORDS,
    fits: Fits | None = None,
) -> tuple[str, ...]:
    """The words and phrases that say what some texts have in common. All texts are given as tokens.

    frequent: words to avoid. similar: the texts closest to them. every: a sample of all texts; by default the similar ones. fits: how similar words and phrases are to the
    concept, from -1 to 1.

    >>> contrastive_words([["a", "dog", "runs"], ["the", "dog"], ["dog", "sits"]] * 3, [["a", "man", "runs"], ["the", "man"], ["he", "sits"]] * 3)
    ('dog',)
    """
    scored = _candidates(texts, similar, similar if every is None else every)
    if rare := {term: z for term, z in scored.items() if not set(term) & set(frequent)}:
        scored = rare
    if fits is not None and scored:
        terms = sorted(scored, key=lambda term: (-scored[term], term))[:MOST_CANDIDATES]
        similarity = zip(terms, fits([" ".join(term) for term in terms]), strict=True)
        scored = {term: scored[term] * share for term, share in similarity if share > 0} or scored
    return tuple(" ".join(term) for term in _chosen(scored, texts, most))


def different_words(words: Iterable[str]) -> tuple[str, ...]:
    """The first words, without other forms of one before.

    >>> different_words(["film", "films", "actor", "scene", "plot"])
    ('film', 'actor', 'scene')
    """
    found: list[str] = []
    for word in words:
        if len(found) < MOST_WORDS and not any(_is_form(word, other) for other in found):
            found.append(word)
    return tuple(found)


def _chosen(scored: Mapping[Term, float], texts: Sequence[Sequence[str]], most: int) -> list[Term]:
    """The terms with the highest scores, each multiplied by the share of its texts that have no term chosen before."""
    having: dict[Term, set[int]] = {term: set() for term in scored}
    for number, tokens in enumerate(texts):
        for term in _terms(tokens):
            if term in having:
                having[term].add(number)
    chosen: list[Term] = []
    covered: set[int] = set()
    least = LEAST_OF_BEST * max(scored.values(), default=0.0)
    while len(chosen) < most:
        left = {term: z for term, z in scored.items() if z >= least and _is_new(term, chosen)}
        if not left:
            break
        new = {term: scored[term] * len(having[term] - covered) / max(len(having[term]), 1) for term in left}
        best = _longest(min(left, key=lambda term: (-new[term], -len(term), term)), left)
        chosen.append(best)
        covered |= having[best]
    return chosen


def _is_new(term: Term, chosen: Iterable[Term]) -> bool:
    """Whether no word of a term is a form of its other word, or of a word chosen before."""
    before = [word for other in chosen for word in other]
    repeats = len(term) == 2 and _is_form(*term)
    return not repeats and not any(_is_form(word, other) for word in term for other in before)


def _is_form(word: str, other: str) -> bool:
    """Whether two words begin alike and differ in a short ending only.

    >>> _is_form("beautiful", "beautifully"), _is_form("car", "cartoon"), _is_form("internet", "international")
    (True, False, False)
    """
    shared = sum(
        1 for _ in takewhile(lambda letters: letters[0] == letters[1], zip(word, other, strict=False))
    )
    shorter, longer = sorted(map(len, (word, other)))
    is_alike = shared >= max(FEWEST_LETTERS, SAME_START * shorter) and longer - shared <= LONGEST_ENDING
    return word == other or is_alike


def _candidates(
    texts: Sequence[Sequence[str]], similar: Sequence[Sequence[str]], every: Sequence[Sequence[str]]
) -> dict[Term, float]:
    """Words and phrases that are more frequent in the texts than in all, with the sum of their standard errors."""
    with_it, near, usual = (_document_counts(some) for some in (texts, similar, every))
    n, m, k = len(texts), len(similar), len(every)
    scored = {}
    for term, count in with_it.items():
        if count < max(LEAST_COUNT, LEAST_SHARE * n):
            continue
        from_all, from_near = _z(count, n, usual.get(term, 0), k), _z(count, n, near.get(term, 0), m)
        if from_all >= FEWEST and from_near >= 0:
            scored[term] = from_all + from_near
    return {term: z for term, z in scored.items() if all((word,) in scored for word in term)}


def _longest(term: Term, scored: Mapping[Term, float]) -> Term:
    """A phrase with the word that scores nearly as high, if there is one."""
    longer = [other for other in scored if len(other) > len(term) and term[0] in other]
    best = max(longer, key=lambda other: scored[other], default=term)
    return best if len(term) == 1 and scored[best] >= 0.8 * scored[term] else term


def _document_counts(texts: Iterable[Sequence[str]]) -> Counter[Term]:
    return Counter(term for tokens in texts for term in _terms(tokens))


def _terms(tokens: Sequence[str]) -> set[Term]:
    """The words and phrases of two words of a text."""
    words = {(word,) for word in tokens if is_word(word)}
    return words | {pair for pair in pairwise(tokens) if is_word(pair[0]) and is_word(pair[1])}


def _z(count: int, n: int, other: int, m: int) -> float:
    """The difference of two log-odds in standard errors."""
    a, b = count + PRIOR, n - count + PRIOR
    c, d = other + PRIOR, m - other + PRIOR
    return (log(a / b) - log(c / d)) / sqrt(1 / a + 1 / b + 1 / c + 1 / d)
