"""The weights, the settings and the vocabulary in a GGUF file, as numpy arrays.

    GGUF | version | n tensors | n settings | settings | names, shapes, types and offsets of tensors | padding | tensors

Weights are unpacked to 32-bit floats. Of the many quantisations, those of the embedded model are supported: F32, F16, Q8_0 and Q4_1.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from math import prod
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from longway.errors import SettingError

Floats = NDArray[np.float32]
GgufSettings = dict[str, Any]  # numbers, texts and lists, by name

_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_TEXT, _LIST = 8, 9
BLOCK = 32  # weights that share a scale


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A file's settings and tensors, by name; a tensor's shape is (out, in)."""

    settings: GgufSettings
    tensors: Mapping[str, Floats]


class Tensors(Mapping[str, Floats]):
    """Tensors that are unpacked on each access: for callers that need one after the other."""

    def __init__(self, make: Mapping[str, Callable[[], Floats]]) -> None:
        self._make = make

    def __getitem__(self, name: str) -> Floats:
        return self._make[name]()

    def __iter__(self) -> Iterator[str]:
        return iter(self._make)

    def __len__(self) -> int:
        return len(self._make)


def read_gguf(path: Path) -> GgufFile:
    """A GGUF file with all its tensors unpacked."""
    file = open_gguf(path)
    try:
        return GgufFile(file.settings, dict(file.tensors))
    except ValueError as error:
        raise _cut_off(path, error) from None


def open_gguf(path: Path) -> GgufFile:
    """A GGUF file whose tensors are unpacked on access."""
    try:
        with path.open("rb") as file:
            settings, n_tensors = _settings(file, path)
            listed = [_described(file) for _ in range(n_tensors)]
            align = int(settings.get("general.alignment", 32))
            start = -(-file.tell() // align) * align
        data = np.memmap(path, np.uint8, mode="r")
    except (struct.error, ValueError, KeyError) as error:
        raise _cut_off(path, error) from None
    make = {
        name: partial(_unpacked, data[start + at :], shape, kind, path) for name, shape, kind, at in listed
    }
    return GgufFile(settings, Tensors(make))


def read_settings(path: Path) -> GgufSettings:
    """The settings in a GGUF file, which include the vocabulary, without its weights."""
    try:
        with path.open("rb") as file:
            return _settings(file, path)[0]
    except (struct.error, KeyError) as error:
        raise _cut_off(path, error) from None


def _cut_off(path: Path, error: Exception) -> SettingError:
    return SettingError(
        f"{path.name} is damaged or incomplete: {error}. A GGUF file was expected. Reinstall the package that it comes from."
    )


def _settings(file: BinaryIO, path: Path) -> tuple[GgufSettings, int]:
    """The settings, and the number of tensors."""
    magic, version, n_tensors, n_settings = struct.unpack("<4sIQQ", file.read(24))
    if magic != b"GGUF" or version < 2:
        raise SettingError(
            f"{path.name} cannot be read. A GGUF file of version 2 or 3 was expected, got {magic!r}, version {version}."
        )
    return {_text(file): _value(file, _number(file, "I")) for _ in range(n_settings)}, n_tensors


def _number(file: BinaryIO, form: str) -> Any:
    return struct.unpack(f"<{form}", file.read(struct.calcsize(f"<{form}")))[0]


def _text(file: BinaryIO) -> str:
    return file.read(_number(file, "Q")).decode("utf-8", "replace")


def _value(file: BinaryIO, kind: int) -> Any:
    if kind == _TEXT:
        return _text(file)
    if kind == _LIST:
        inner, n = _number(file, "I"), _number(file, "Q")
        return [_value(file, inner) for _ in range(n)]
    return _number(file, _NUMBERS[kind])


def _described(file: BinaryIO) -> tuple[str, tuple[int, ...], int, int]:
    """Name, shape (the fastest axis last), type and offset of a tensor."""
    name = _text(file)
    sizes = [_number(file, "Q") for _ in range(_number(file, "I"))]
    return name, tuple(reversed(sizes)), _number(file, "I"), _number(file, "Q")


def _unpacked(data: NDArray[np.uint8], shape: tuple[int, ...], kind: int, path: Path) -> Floats:
    if kind not in _KINDS:
        raise SettingError(
            f"{path.name} has weights of the unsupported type {kind}. Expected F32, F16, Q8_0 or Q4_1. "
            "Use the model that Longway installs, or the same model as a Hugging Face folder: hf:FOLDER."
        )
    size, unpack = _KINDS[kind]
    n_bytes = prod(shape) * size // BLOCK
    return unpack(np.asarray(data[:n_bytes])).reshape(shape)


def _q8_0(data: NDArray[np.uint8]) -> Floats:
    """Blocks of a scale (16 bits) and 32 integers."""
    blocks = data.reshape(-1, 34)
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)  # (blocks, 1)
    return np.asarray(blocks[:, 2:].copy().view(np.int8) * scale, np.float32)


def _q4_1(data: NDArray[np.uint8]) -> Floats:
    """Blocks of a scale, a smallest value, and 32 numbers of 4 bits: the low halves of 16 bytes, then the high ones."""
    blocks = data.reshape(-1, 20)
    scale, least = blocks[:, :4].copy().view(np.float16).astype(np.float32).T[..., None]  # each (blocks, 1)
    packed = blocks[:, 4:]
    numbers = np.concatenate([packed & 15, packed >> 4], axis=1)
    return np.asarray(numbers * scale + least, np.float32)


# By type: bytes of a block of 32 weights, and the function that unpacks them.
_KINDS: dict[int, tuple[int, Callable[[NDArray[np.uint8]], Floats]]] = {
    0: (128, lambda data: data.view(np.float32).copy()),
    1: (64, lambda data: data.view(np.float16).astype(np.float32)),
    3: (20, _q4_1),
    8: (34, _q8_0),
}
