"""Where a training stands after each epoch, on disk: whoever kills it loses one epoch at most. Safetensors and JSON, never pickle.

    checkpoints/epoch-0003/     weights.safetensors   best.safetensors   optimizer.safetensors   state.json

A folder is written under another name and gets its own when it is complete; the one before is removed after that. It holds all
that is needed to go on, so that a training that was broken off ends with the very weights of one that was not.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.store.atomic import read_json, write_json

WEIGHTS, BEST, OPTIMIZER, STATE = (
    "weights.safetensors",
    "best.safetensors",
    "optimizer.safetensors",
    "state.json",
)


class Checkpoints:
    """The checkpoints of one training, of which the newest counts. folder: where they are."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(
        self, epoch: int, model: Any, optimizer: Any, *, state: Mapping[str, Any], is_best: bool
    ) -> None:
        """Keep what an epoch ended with. is_best: these weights are the best so far."""
        from safetensors.torch import save_file, save_model

        before = self._newest()
        part = self.folder / f".epoch-{epoch:04}.part"
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
        save_model(model, str(part / WEIGHTS))
        save_file(_moments(optimizer), part / OPTIMIZER)
        best = part / WEIGHTS if is_best or before is None else before / BEST
        _link(best, part / BEST)
        write_json(part / STATE, {**state, "epoch": epoch})
        part.rename(self.folder / f"epoch-{epoch:04}")
        if before is not None:
            shutil.rmtree(before)

    def resume(self, model: Any, optimizer: Any) -> dict[str, Any] | None:
        """What was said of the newest checkpoint, after its weights were put into the model; None where there is none."""
        from safetensors.torch import load_file, load_model

        newest = self._newest()
        if newest is None:
            return None
        load_model(model, newest / WEIGHTS)
        _put_back(optimizer, load_file(newest / OPTIMIZER))
        return dict(read_json(newest / STATE))

    def load_best(self, model: Any) -> None:
        """Put the best weights into the model."""
        from safetensors.torch import load_model

        newest = self._newest()
        assert newest is not None
        load_model(model, newest / BEST)

    def remove(self) -> None:
        """Take all checkpoints away."""
        shutil.rmtree(self.folder, ignore_errors=True)

    def _newest(self) -> Path | None:
        return max(self.folder.glob("epoch-*"), default=None) if self.folder.is_dir() else None


def _moments(optimizer: Any) -> dict[str, Any]:
    """What the optimizer remembers of each weight, by the weight's number."""
    kept = optimizer.state_dict()["state"]
    return {
        f"{place}.{name}": value.contiguous()
        for place, values in kept.items()
        for name, value in values.items()
    }


def _put_back(optimizer: Any, moments: Mapping[str, Any]) -> None:
    state: dict[int, dict[str, Any]] = {}
    for key, value in moments.items():
        place, _, name = key.partition(".")
        state.setdefault(int(place), {})[name] = value
    optimizer.load_state_dict({"state": state, "param_groups": optimizer.state_dict()["param_groups"]})


def _link(path: Path, other: Path) -> None:
    """The same file under another name; a copy where the file system has no links."""
    try:
        os.link(path, other)
    except OSError:
        shutil.copyfile(path, other)
