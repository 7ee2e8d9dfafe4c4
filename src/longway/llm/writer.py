"""The writer: an adapter for the small model, trained by us for Longway's jobs (`writer_model/`, its card beside it).

    installed_writer()           the one that comes with the package; None where it does not
    writer_at(path)              one in another folder
    writer.fits(model_path)      whether it was trained on this very model file

A writer is a folder: `writer.gguf`, the adapter, and `about.json`, which says for which model it is, which lines it learned
(`writer_lines.VERSION`) and how its judgements are calibrated. `train/writer.py` makes it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp
from pathlib import Path
from typing import Any

from longway.errors import EngineError
from longway.llm.gguf import fingerprint
from longway.llm.writer_lines import VERSION as LINES

FOLDER = Path(__file__).parent / "writer_model"
FILE, ABOUT = "writer.gguf", "about.json"


@dataclass(frozen=True, slots=True)
class Calibration:
    """What makes the likelihoods of label words mean what they say: all are divided by a temperature, then each label's bias is added."""

    temperature: float = 1.0
    bias: Mapping[str, float] = field(default_factory=dict)

    def shares(self, names: Sequence[str], log_likelihoods: Sequence[float]) -> list[float]:
        """The probability of each label, summing to 1.

        >>> [round(p, 2) for p in Calibration(temperature=2.0).shares(["yes", "no"], [-0.2, -2.2])]
        [0.73, 0.27]
        """
        scores = [
            value / self.temperature + self.bias.get(name, 0.0)
            for name, value in zip(names, log_likelihoods, strict=True)
        ]
        weights = [exp(score - max(scores)) for score in scores]
        return [weight / sum(weights) for weight in weights]


@dataclass(frozen=True, slots=True)
class Writer:
    """An adapter and what is known of it.

    path: the adapter's file. version: goes up with every training that ships. base: SHA-256 of the model that it was trained on.
    judge: calibrations by what is judged, "sentiment" or "pair".
    """

    path: Path
    version: int
    base: str
    rank: int
    judge: Mapping[str, Calibration] = field(default_factory=dict)

    @property
    def identity(self) -> Mapping[str, Any]:
        """What of the writer shapes answers."""
        judge = {name: [one.temperature, dict(one.bias)] for name, one in self.judge.items()}
        return {"sha256": fingerprint(self.path), "version": self.version, "lines": LINES, "judge": judge}

    @property
    def megabytes(self) -> int:
        """How big its file is."""
        return round(self.path.stat().st_size / 1e6)

    def fits(self, model_path: Path) -> bool:
        """Whether it was trained on this model."""
        return fingerprint(model_path) == self.base

    def calibration(self, what: str) -> Calibration:
        """How judgements of single texts ("sentiment") or pairs ("pair") are calibrated."""
        return self.judge.get(what, Calibration())


def installed_writer() -> Writer | None:
    """The writer that comes with the package; None where it has none."""
    return writer_at(FOLDER) if (FOLDER / FILE).is_file() else None


def writer_at(path: Path) -> Writer:
    """The writer in a folder."""
    try:
        about = json.loads((path / ABOUT).read_text(encoding="utf-8"))
        lines, version, base, rank = (about[key] for key in ("lines", "version", "base", "rank"))
        judge = {name: Calibration(**told) for name, told in about.get("judge", {}).items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EngineError(
            f"The writer in {path} cannot be used. A file {ABOUT} that names its lines, version, base and rank was expected: {error!r}. "
            "Install longway again, or use --engine local:plain."
        ) from None
    if lines != LINES:
        raise EngineError(
            f"The writer in {path} learned other lines than it would be asked. Version {LINES} was expected, got {lines!r}. "
            "Take a writer of this version of longway, or use --engine local:plain."
        )
    return Writer(path / FILE, version, base, rank, judge)
