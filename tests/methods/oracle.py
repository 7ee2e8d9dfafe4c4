"""Algorithm 1 of the RAZOR paper in plain Python: double loops over documents, nothing kept between rounds."""

from __future__ import annotations

from itertools import combinations
from math import exp, isnan, log

from tests import oracles

NO_GAMMA = float("nan")


class Ambiguous(Exception):  # noqa: N818 - no error, a case that shows nothing
    """Two scores are so near to one another that single precision may order them either way."""


def rounded(scores):
    """Scores to six decimals, as they are compared; raises where noise in the seventh could decide."""
    known = [score for score in scores if not isnan(score)]
    for a, b in combinations(known, 2):
        is_at_an_edge = abs(a * 1e6 % 1 - 0.5) < 0.3
        if 1e-12 < abs(a - b) < 2e-6 or (abs(a - b) <= 1e-12 and is_at_an_edge):
            raise Ambiguous
    return [float("inf") if isnan(score) else round(score, 6) for score in scores]


def vector(words, documents, dimensions, variant):
    """Eq. 10 of a text that may hold words which no document has: those count as in one document."""
    result = {}
    for j, word in enumerate(words, start=1):
        having = max(1, sum(word in other for other in documents))
        s = words.count(word) / len(words) * log(len(documents) / having)
        for dimension, value in enumerate(oracles.position(j, dimensions)):
            key = dimension if variant == "mean" else (word, dimension)
            result[key] = result.get(key, 0.0) + s * value / max(len(words) - 1, 1)
    return result


def candidate_gamma(text, label, texts, labels, *, variant, dimensions):
    """Eq. 12 of a text that is not in the dataset."""
    documents = [oracles.words(t) for t in texts]
    mine = vector(oracles.words(text), documents, dimensions, variant)
    if not any(mine.values()):
        return NO_GAMMA
    cosines = [
        oracles.cosine(mine, vector(document, documents, dimensions, variant))
        for document, other in zip(documents, labels, strict=True)
        if other != label
    ]
    return 1 - sum(cosines) / len(cosines)


def sum_of_cosines(texts, labels, *, variant, dimensions):
    """Eq. 14, over all pairs of documents with unlike labels, and the number of pairs."""
    documents = [oracles.words(t) for t in texts]
    vectors = [vector(d, documents, dimensions, variant) for d in documents]
    pairs = [(a, b) for a in range(len(texts)) for b in range(a + 1, len(texts)) if labels[a] != labels[b]]
    return sum(oracles.cosine(vectors[a], vectors[b]) for a, b in pairs), len(pairs)


def mean_kl(vectors, labels):
    """Algorithm 1, line 21: KL of softmax(g(d_i)) and softmax(g(d_j)), the lower label first, as a mean over pairs."""
    shares = []
    for v in vectors:
        powers = [exp(x) for x in v]
        shares.append([x / sum(powers) for x in powers])
    values = [
        sum(p * log(p / q) for p, q in zip(shares[i], shares[j], strict=True))
        for i in range(len(vectors))
        for j in range(len(vectors))
        if labels[i] < labels[j]
    ]
    return sum(values) / len(values)


def razor_round(texts, labels, *, k, write, passes, variant, dimensions, left_alone, samples):
    """Lines 2 to 20: the texts after one round. write(text, sample) -> candidates; passes(before, after) -> bool."""
    gammas = oracles.gammas(texts, labels, variant=variant, dimensions=dimensions)
    usable = [row for row, g in enumerate(gammas) if not isnan(g) and row not in left_alone]
    scores = rounded([gammas[row] for row in usable])
    scored = sorted(zip(scores, usable, strict=True), key=lambda pair: (-pair[0], pair[1]))
    chosen = [row for _, row in scored][:k]
    result, failed = list(texts), []
    for row in chosen:
        passed = [t for t in write(texts[row], samples[row]) if passes(texts[row], t)]
        gammas = [
            candidate_gamma(t, labels[row], texts, labels, variant=variant, dimensions=dimensions)
            for t in passed
        ]
        if passed:
            scores = rounded(gammas)
            result[row] = passed[scores.index(min(scores))]
        else:
            failed.append(row)
    return result, chosen, failed


def razor(texts, labels, *, k, rounds, tries, write, passes, variant, dimensions, patience=1):
    """The whole of Algorithm 1; gives the texts after each round."""
    texts, samples, failures = list(texts), [0] * len(texts), [0] * len(texts)
    total, pairs = sum_of_cosines(texts, labels, variant=variant, dimensions=dimensions)
    best, without_gain, history = total / pairs, 0, []
    for _ in range(rounds):
        left_alone = {row for row, n in enumerate(failures) if n >= tries}
        new, chosen, failed = razor_round(
            texts,
            labels,
            k=k,
            write=write,
            passes=passes,
            variant=variant,
            dimensions=dimensions,
            left_alone=left_alone,
            samples=samples,
        )
        if not chosen:
            break
        for row in chosen:
            samples[row] += 1
            failures[row] = failures[row] + 1 if row in failed else 0
        history.append(new)
        texts = new
        if len(failed) < len(chosen):
            total, _ = sum_of_cosines(texts, labels, variant=variant, dimensions=dimensions)
            if 1e-8 < abs(total / pairs - best) < 3e-6:
                raise Ambiguous
            without_gain = 0 if total / pairs > best + 1e-8 else without_gain + 1
            best = max(best, total / pairs)
            if without_gain >= patience:
                break
    return history
