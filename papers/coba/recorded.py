"""Texts that language models and people wrote, recorded, as `longway augment --method given` takes them.

They need no server, and they are made from other rows than those of `sources.py`: the originals of the human counterfactuals.
"""

from __future__ import annotations

from collections import Counter

import numpy as np

from sources import SOURCES, Row, lines_of

Pairs = tuple[list[Row], list[Row]]  # originals, and what was made of them


def recorded(name: str, *, limit: int, most: int, seed: int) -> Pairs:
    """Originals of a dataset, and at most so many rewrites of each."""
    originals, new = {"imdb": _imdb, "snli": _snli, "hate": _hate}[name](limit)
    return originals, some_of_each(new, most, seed)


def some_of_each(new: list[Row], most: int, seed: int) -> list[Row]:
    """At most so many rewrites of each source, drawn at random, in their old order."""
    taken: Counter[str] = Counter()
    kept = []
    for i in np.random.default_rng(seed).permutation(len(new)).tolist():
        if taken[new[i]["source"]] < most:
            taken[new[i]["source"]] += 1
            kept.append(i)
    return [new[i] for i in sorted(kept)]


def _imdb(limit: int) -> Pairs:
    """Reviews, and what language models made of them; none that is among the human counterfactuals tested on."""
    tested = {row["text"] for row in lines_of(SOURCES["imdb"].tests["cad"])}
    pairs = [pair for pair in lines_of("llm_counterfactuals_imdb/pairs.jsonl.gz") if pair["split"] == "train"]
    pairs = [pair for pair in pairs if pair["original"] not in tested]
    kept = dict(list({pair["original"]: pair["original_label"] for pair in pairs}.items())[:limit])
    rows = [{"id": str(i), "text": text, "label": label} for i, (text, label) in enumerate(kept.items())]
    new = [
        {"source": pair["original"], "text": pair["counterfactual"], "label": pair["counterfactual_label"]}
        for pair in pairs
        if pair["original"] in kept
    ]
    return rows, new


def _snli(limit: int) -> Pairs:
    """Pairs, and what language models made of them: the side that was not revised says which pair it was."""
    rows = [
        {"id": str(i), "text": row["hypothesis"], "context": row["premise"], "label": row["label"]}
        for i, row in enumerate(lines_of("human_cad_snli/original_train.jsonl.gz")[:limit])
    ]
    sides = {"premise": "text", "hypothesis": "context"}  # what stayed where this one was revised
    known = {side: {row[side]: row["id"] for row in rows} for side in sides.values()}
    new = []
    for row in lines_of("llm_counterfactuals_snli/revised.jsonl.gz"):
        stayed = sides[row["revised"]]
        source = known[stayed].get(row["hypothesis" if stayed == "text" else "premise"])
        if row["split"] == "train" and source is not None:
            columns = {"text": row["hypothesis"], "context": row["premise"], "label": row["label"]}
            new.append({"source": source, **columns})
    return rows, new


def _hate(limit: int) -> Pairs:
    """Texts, and the contrasts that people wrote to them; every fifth is for testing."""
    pairs = [pair for i, pair in enumerate(lines_of(SOURCES["hate"].train)) if i % 5 != 4][:limit]
    rows = [{"id": str(i), "text": pair["text"], "label": pair["label"]} for i, pair in enumerate(pairs)]
    new = [
        {"source": str(i), "text": pair["cf_text"], "label": pair["cf_label"]} for i, pair in enumerate(pairs)
    ]
    return rows, new
