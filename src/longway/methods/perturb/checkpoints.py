"""Checkpoints of a training: everything that is needed to continue, in safetensors and JSON. Needs torch.

checkpoints/epoch-0003/     weights.safetensors   best.safetensors   optimizer.safetensors   state.json

The newest one counts, and the one before is deleted. A folder is complete when it has its final name, so a killed training leaves a whole one.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.store.atomic import read_json, write_json

WEIGHTS, BEST = "weights.safetensors", "best.safetensors"
OPTIMIZER, STATE = "optimizer.safetensors", "state.json"


class Checkpoints:
    """The checkpoints of one training in a folder. unit: what their names count; digits: of the number."""

    def __init__(self, folder: Path, *, unit: str = "epoch", digits: int = 4) -> None:
        self.folder, self._unit, self._digits = folder, unit, digits

    def save(
        self, number: int, model: Any, optimizer: Any, state: Mapping[str, object], *, is_best: bool = True
    ) -> None:
        """Save model, optimizer and state. number: finished epochs or steps. is_best: whether these weights are the best so far."""
        from safetensors.torch import save_file, save_model

        before = self._newest()
        name = f"{self._unit}-{number:0{self._digits}}"
        part = self.folder / f".{name}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        save_model(model, str(part / WEIGHTS))
        moments = {
            f"{number}.{name}": value.contiguous()
            for number, values in optimizer.state_dict()["state"].items()
            for name, value in values.items()
        }
        save_file(moments, part / OPTIMIZER)
        best = part / WEIGHTS if is_best or before is None else before / BEST
        _link(best, part / BEST)
        write_json(part / STATE, state)
        part.rename(self.folder / name)
        if before is not None:
            shutil.rmtree(before)

    def resume(self, model: Any, optimizer: Any) -> Mapping[str, Any]:
        """Load the newest checkpoint into model and optimizer; returns its state, empty if there is no checkpoint."""
        from safetensors.torch import load_file, load_model

        newest = self._newest()
        if newest is None:
            return {}
        load_model(model, newest / WEIGHTS)
        state: dict[int, dict[str, Any]] = {}
        for key, value in load_file(newest / OPTIMIZER).items():
            number, _, name = key.partition(".")
            state.setdefault(int(number), {})[name] = value
        optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})
        found: Mapping[str, Any] = read_json(newest / STATE)
        return found

    def load_best(self, model: Any) -> None:
        """Load the best weights into the model."""
        from safetensors.torch import load_model

        newest = self._newest()
        assert newest is not None
        load_model(model, newest / BEST)

    def remove(self) -> None:
        """Delete all checkpoints."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _newest(self) -> Path | None:
        return max(self.folder.glob(f"{self._unit}-*"), default=None) if self.folder.is_dir() else None


def _link(path: Path, other: Path) -> None:
    """The same file under another name; a copy if the file system has no links."""
    try:
        os.link(path, other)
    except OSError:
        shutil.copyfile(path, other)
