"""Tables about the words that models rely on, as `augment` and `explain` show them: words in common, parts of speech."""

from __future__ import annotations

from collections.abc import Mapping

from longway.models.importance.top_words import Overlap
from longway.report.excerpts import PATTERN_LIMIT, cut, data_span
from longway.report.numbers import percent
from longway.report.sections import Blocks, Column, Row, Table


def overlap_table(found: Overlap | None, heading: str) -> Blocks:
    """How much the top words of the models have in common."""
    if found is None:
        return []
    shares = {"texts in which all models share a top word": found.every}
    if len(found.pairs) > 1:  # with two models, two are all
        shares["texts in which two or more share one, but not all"] = found.some
    shares["top words that two or more models have"] = found.words
    for pair, share in found.pairs.items():
        shares[f"words in common: {cut(pair, PATTERN_LIMIT)}"] = share
    rows = [Row([name, percent(share)]) for name, share in shares.items()]
    return [Table([Column(heading), Column("Share", number=True)], rows, "figures-only")]


def speech_table(models: Mapping[str, Mapping[str, float]] | None) -> Blocks:
    """The shares of parts of speech among the top words of each model."""
    if not models:
        return []
    kinds = list(next(iter(models.values())))
    columns = [Column("Model"), *(Column(cut(kind), number=True) for kind in kinds)]
    rows = []
    for name, shares in models.items():
        rows.append(Row([data_span(name), *(percent(shares.get(kind, 0.0)) for kind in kinds)]))
    return [Table(columns, rows, "figures-only")]
