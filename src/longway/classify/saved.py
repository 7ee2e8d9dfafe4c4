"""What a saved classifier is made of, and whether it fits what it is used with: safetensors and JSON, never pickle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import blake2b, file_digest
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Inputs
from longway.errors import MissingExtra, SettingError

WEIGHTS = "weights.safetensors"
WORDS = "words.json"


def save_arrays(folder: Path, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Write arrays by name."""
    _needs_safetensors()
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, folder / WEIGHTS)


def load_arrays(folder: Path) -> dict[str, NDArray[Any]]:
    """The arrays that were saved there, by name."""
    _needs_safetensors()
    from safetensors.numpy import load_file

    if not (folder / WEIGHTS).is_file():
        raise SettingError(
            f"The saved classifier in {folder} is not whole: {WEIGHTS} is missing. Save it again."
        )
    return dict(load_file(folder / WEIGHTS))


def save_words(folder: Path, words: list[str]) -> None:
    """Write a vocabulary."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / WORDS).write_text(json.dumps(words, ensure_ascii=False), encoding="utf-8")


def load_words(folder: Path) -> list[str]:
    """The vocabulary that was saved there."""
    if not (folder / WORDS).is_file():
        raise SettingError(
            f"The saved classifier in {folder} is not whole: {WORDS} is missing. Save it again."
        )
    return list(json.loads((folder / WORDS).read_text(encoding="utf-8")))


@cache
def folder_hash(folder: Path) -> str:
    """A name for a pretrained model by what its files hold: weights, tokens, settings.

    A model that is fetched again, changed, or cut off has another one.
    """
    found = blake2b(digest_size=16)
    for path in sorted(folder.iterdir()):
        if path.suffix in (".safetensors", ".json", ".txt", ".model") and path.is_file():
            found.update(path.name.encode())
            with path.open("rb") as file:
                found.update(file_digest(file, "sha256").digest())
    return found.hexdigest()


def check_base(name: str, expected: str, got: str) -> None:
    """An error where a classifier was trained on other weights than those a name stands for now."""
    if expected != got:
        raise SettingError(
            f"The classifier was trained on an encoder {name!r} with other files: {expected} then, {got} now. "
            "Put the old files back, or train it again."
        )


def check_kind(inputs: Inputs, *, pairs: bool) -> None:
    """An error where a classifier of pairs gets texts alone, or the other way round."""
    if (inputs.contexts is not None) != pairs:
        learned, got = ("pairs", "texts alone") if pairs else ("texts alone", "pairs")
        raise SettingError(
            f"The classifier learned from {learned}, got {got}. Give it rows of the kind it learned from."
        )


def _needs_safetensors() -> None:
    if find_spec("safetensors") is None:
        raise MissingExtra("safetensors", extra="local", purpose="saving and loading classifiers")
