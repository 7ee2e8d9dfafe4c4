"""How far versions of a dataset are apart, from each other and from the test sets, without any training."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from longway.jobs.prove.prove import TestSet, Version
from longway.metrics.bleu import shared_bleu
from longway.metrics.vectors import top_variance
from longway.metrics.versions import compare_versions, term_counts

MOST = 1000  # rows that vectors and BLEU are computed for, drawn at random; as many of each version

Embed = Callable[[Sequence[str]], np.ndarray]


def distances(
    versions: Sequence[Version], tests: Sequence[TestSet], *, embed: Embed | None = None
) -> dict[str, Any]:
    """apart: each version against the first, row by row; bleu_to_tests: RAZOR's Table 4; diversity: CoBA's Table 16.

    embed: gives sentence vectors of length 1; without it, what needs them is left out.
    """
    first = versions[0]
    most = min(MOST, *(len(version.rows) for version in versions))
    apart = []
    for version in versions[1:]:
        pairs = _same_rows(first, version)
        if pairs:
            apart.append({"data": version.name, "against": first.name, **_apart(pairs, embed)})
    return {
        "apart": apart,
        "bleu_to_tests": [
            {
                "data": version.name,
                "test": test.name,
                "bleu": shared_bleu(
                    _some(version.rows.inputs.texts, most), _some(test.rows.inputs.texts, MOST)
                ).score,
            }
            for version in versions
            for test in tests
        ],
        "diversity": [] if embed is None else _diversity(versions, embed, most),
    }


def _diversity(versions: Sequence[Version], embed: Embed, most: int) -> list[dict[str, Any]]:
    found = [
        (version.name, top_variance(embed(_some(version.rows.inputs.texts, most)))) for version in versions
    ]
    return [
        {"data": name, "components": one.k, "share": round(one.share, 4)}
        for name, one in found
        if one.rank > one.k  # otherwise all of the variance is in the top components
    ]


def term_table(versions: Sequence[Version], terms: Sequence[str]) -> list[dict[str, Any]]:
    """How often each term stands in the texts of each version (RAZOR's Fig. 3)."""
    counted = {version.name: term_counts(list(version.rows.inputs.texts), terms) for version in versions}
    return [
        {"term": term, "counts": {name: found[i][0] for name, found in counted.items()}}
        for i, term in enumerate(terms)
    ]


def _same_rows(first: Version, other: Version) -> list[tuple[str, str]]:
    """The texts of rows that both versions have, by id."""
    new = dict(zip(other.ids, other.rows.inputs.texts, strict=True))
    old = zip(first.ids, first.rows.inputs.texts, strict=True)
    return [(text, new[one]) for one, text in old if one in new]


def _apart(pairs: Sequence[tuple[str, str]], embed: Embed | None) -> dict[str, Any]:
    old, new = zip(*pairs, strict=True)
    changed = [(a, b) for a, b in pairs if a != b]
    drawn = [changed[i] for i in _drawn(len(changed), MOST)]
    found = compare_versions(list(old), list(new))
    distance = None
    if embed is not None and drawn:  # of the changed rows alone, spread over all rows
        vectors = embed([text for pair in drawn for text in pair])
        cosines = (vectors[::2] * vectors[1::2]).sum(axis=1)
        distance = round(float((1 - cosines).mean()) * len(changed) / len(pairs), 4)
    return {
        "rows": len(pairs),
        "changed": found.changed,
        "bleu": found.bleu,
        "rouge1": found.rouge.rouge1,
        "rouge2": found.rouge.rouge2,
        "rougeL": found.rouge.rouge_l,
        "words_changed": found.edits,
        "edit_distance": found.edit_share,
        "embedding_distance": distance,
    }


def _some(texts: Sequence[str], most: int) -> list[str]:
    return [texts[i] for i in _drawn(len(texts), most)]


def _drawn(n: int, most: int) -> list[int]:
    return sorted(np.random.default_rng(0).permutation(n)[:most].tolist())
