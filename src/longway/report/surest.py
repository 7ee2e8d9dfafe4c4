"""Rare patterns that nearly always come with one label, which a ranking by gain puts far down."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

NEARLY_CERTAIN = 0.75  # the low end of the share's interval


def surest(findings: Sequence[Mapping[str, Any]], *, after: int, n: int) -> list[Mapping[str, Any]]:
    """Of the findings behind the first `after`, the n whose label is surest; variants count where they are surer."""
    candidates = [max([f, *f["variants"]], key=lambda one: one["share_low"]) for f in findings[after:]]
    certain = [f for f in candidates if f["share_low"] >= max(NEARLY_CERTAIN, f["base_rate"])]
    return sorted(certain, key=lambda f: -f["share_low"])[:n]
