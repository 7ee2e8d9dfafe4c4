"""Saved classifiers: a folder with classifier.json and weights.safetensors. Never pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from functools import cache
from hashlib import blake2b, file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.errors import MissingExtra, SettingError

ABOUT_FILE = "classifier.json"
WEIGHTS = "weights.safetensors"
_NOT_SAVED = ("cache", "device")  # settings that depend on the machine


@dataclass(frozen=True, slots=True)
class SavedModel:
    """The content of classifier.json.

    model: the classifier's `name`. pairs: whether it learned from pairs. settings: the arguments of its constructor.
    base_hash: `folder_hash` of the encoder it is for. strength: of CLEVER. words: of a bag of words.
    """

    model: str = ""
    labels: tuple[str, ...] = ()
    pairs: bool | None = None
    settings: dict[str, Any] | None = None
    base_hash: str | None = None
    strength: float | None = None
    words: list[str] | None = None

    def write(self, folder: Path) -> None:
        """Write classifier.json; call it last."""
        folder.mkdir(parents=True, exist_ok=True)
        about = {key: value for key, value in asdict(self).items() if value is not None}
        (folder / ABOUT_FILE).write_text(json.dumps(about, indent=1, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> SavedModel:
        """Read classifier.json. Raises SettingError if there is none."""
        path = folder / ABOUT_FILE
        if not path.is_file():
            raise SettingError(
                f"There is no saved classifier in {folder}: {ABOUT_FILE} is missing. Save one there first."
            )
        about = json.loads(path.read_text(encoding="utf-8"))
        known = {key: about[key] for key in (field.name for field in fields(cls)) if key in about}
        return cls(**known | {"labels": tuple(known.get("labels", ()))})


def settings_of(model: Any) -> dict[str, Any]:
    """The constructor arguments of a classifier, which is a dataclass, without those that depend on the machine."""
    return {key: value for key, value in asdict(model).items() if key not in _NOT_SAVED}


def save_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays by name."""
    _needs_safetensors()
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / WEIGHTS)


def load_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """Read the arrays saved there, by name."""
    _needs_safetensors()
    from safetensors.numpy import load_file

    if not (folder / WEIGHTS).is_file():
        raise SettingError(
            f"The saved classifier in {folder} is incomplete: {WEIGHTS} is missing. Save it again."
        )
    return dict(load_file(folder / WEIGHTS))


@cache
def folder_hash(folder: Path) -> str:
    """A hash of a pretrained model's files: weights, tokenizer and settings. It changes if any of them does."""
    digest = blake2b(digest_size=16)
    for path in sorted(folder.iterdir()):
        if path.suffix in (".safetensors", ".json", ".txt", ".model") and path.is_file():
            digest.update(path.name.encode())
            with path.open("rb") as file:
                digest.update(file_digest(file, "sha256").digest())
    return digest.hexdigest()


def check_base(name: str, expected: str | None, got: str) -> None:
    """Raise SettingError if a classifier was trained on other encoder files than those found now."""
    if expected != got:
        raise SettingError(
            f"The classifier was trained on an encoder {name!r} with other files: {expected} then, {got} now. "
            "Restore the old files, or train it again."
        )


def _needs_safetensors() -> None:
    if find_spec("safetensors") is None:
        raise MissingExtra("safetensors", extra="local", purpose="saving and loading classifiers")
