"""Slow obvious twins of the fast code: written from the papers, loop by loop, for small inputs."""

from __future__ import annotations

import re
from collections import Counter
from math import cos, log, sin, sqrt


def words(text: str) -> list[str]:
    """The tokeniser in plain Python (agrees with the fast one on letters, digits and common marks)."""
    return re.findall(r"\d+(?:[.,/:]\d+)+|\w+(?:'\w+)*|[^\w\s]", text.lower().replace("’", "'"))


def position(pos: int, dimensions: int) -> list[float]:
    """RAZOR Eq. 8 and 9."""
    return [
        sin(pos / 10000 ** (2 * k / dimensions)) if k % 2 == 0 else cos(pos / 10000 ** (2 * k / dimensions))
        for k in range(dimensions)
    ]


def significance(token: str, document: list[str], documents: list[list[str]]) -> float:
    """RAZOR Eq. 7."""
    having = sum(token in other for other in documents)
    return document.count(token) / len(document) * log(len(documents) / having)


def mean_vector(document: list[str], documents: list[list[str]], dimensions: int) -> dict[object, float]:
    """RAZOR Eq. 10."""
    vector: Counter[object] = Counter()
    for j, token in enumerate(document, start=1):
        s = significance(token, document, documents)
        for k, value in enumerate(position(j, dimensions)):
            vector[k] += s * value / max(len(document) - 1, 1)
    return dict(vector)


def token_vector(document: list[str], documents: list[list[str]], dimensions: int) -> dict[object, float]:
    """RAZOR Eq. 10 with one position vector for each word."""
    vector: Counter[object] = Counter()
    for j, token in enumerate(document, start=1):
        s = significance(token, document, documents)
        for k, value in enumerate(position(j, dimensions)):
            vector[token, k] += s * value / max(len(document) - 1, 1)
    return dict(vector)


def cosine(a: dict[object, float], b: dict[object, float]) -> float:
    """Cosine of two sparse vectors, 0 where one has no length."""
    lengths = sqrt(sum(x * x for x in a.values())) * sqrt(sum(x * x for x in b.values()))
    return sum(x * b.get(k, 0.0) for k, x in a.items()) / lengths if lengths else 0.0


def gammas(texts: list[str], labels: list[int], *, variant: str, dimensions: int) -> list[float]:
    """RAZOR Eq. 11 and 12, by the double loop; NaN for a document without a vector."""
    documents = [words(t) for t in texts]
    vector = mean_vector if variant == "mean" else token_vector
    vectors = [vector(d, documents, dimensions) for d in documents]
    result = []
    for v, label in zip(vectors, labels, strict=True):
        others = [w for w, other in zip(vectors, labels, strict=True) if other != label]
        has_vector = any(x != 0 for x in v.values())
        result.append(1 - sum(cosine(v, w) for w in others) / len(others) if has_vector else float("nan"))
    return result
