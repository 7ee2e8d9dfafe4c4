"""CrowS-Pairs: the published `crows_pairs_anonymized.csv`, or JSON Lines with the same keys."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from longway.data.benchmarks.reading import rows

DIRECTIONS = ("stereo", "antistereo")
FORM = "a row with sent_more, sent_less, stereo_antistereo (stereo or antistereo) and bias_type"


@dataclass(frozen=True, slots=True)
class SentencePair:
    """Two sentences that differ in the group they are about. direction: of the stereotype, see `metrics.fairness.crows_pairs`."""

    more: str
    less: str
    direction: str
    bias_type: str


def read_crows_pairs(path: Path) -> list[SentencePair]:
    """The pairs of a file, in its order."""
    return [
        SentencePair(
            row.text("sent_more"),
            row.text("sent_less"),
            row.one_of("stereo_antistereo", DIRECTIONS),
            row.text("bias_type"),
        )
        for row in rows(path, FORM)
    ]
