"""GGUF files: whether a file is one, its hash, and those that other programs keep on this machine.

    check_gguf(path)      SettingError if the file is no GGUF file
    fingerprint(path)     its SHA-256
    found_files()         those of llama.cpp, Hugging Face, Ollama, LM Studio, GPT4All and ~/models

The search is quick: it looks at a limited number of entries for a limited time, and opens only files that it lists.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from longway.errors import SettingError

MAX_FILES, MAX_ENTRIES, MAX_SECONDS, MAX_DEPTH = 50, 20_000, 1.0, 7
SMALLEST = 10_000_000  # bytes; smaller ones are adapters or vocabularies
_LATER_SHARD = re.compile(r"-(?!00001)\d{5}-of-\d{5}\.gguf$")
_OLLAMA_MODEL = "application/vnd.ollama.image.model"


@dataclass(frozen=True, slots=True)
class GgufFile:
    """A GGUF file. name: what the program that stored it calls it."""

    path: Path
    name: str
    size: int


def found_files() -> list[GgufFile]:
    """The GGUF files in the usual folders, largest last; each file once."""
    found: dict[Path, GgufFile] = {}
    for file in _candidates(time.monotonic() + MAX_SECONDS, seen=[0]):
        if _is_model(file):
            found.setdefault(file.path.resolve(), file)
        if len(found) >= MAX_FILES:
            break
    return sorted(found.values(), key=lambda file: (file.size, str(file.path)))


def folders() -> list[Path]:
    """The folders that are searched, whether they exist or not."""
    home, environ = Path.home(), os.environ
    cache = Path(environ.get("XDG_CACHE_HOME") or home / ".cache")
    hugging_face = Path(environ.get("HF_HOME") or cache / "huggingface") / "hub"
    return [
        home / "models",
        Path(environ.get("LLAMA_CACHE") or cache / "llama.cpp"),
        home / "Library" / "Caches" / "llama.cpp",
        Path(environ.get("HF_HUB_CACHE") or hugging_face),
        home / ".lmstudio" / "models",
        cache / "lm-studio" / "models",
        home / ".local" / "share" / "nomic.ai" / "GPT4All",
    ]


def _candidates(until: float, seen: list[int]) -> Iterator[GgufFile]:
    for folder in folders():
        for path in _files_in(folder, until, seen):
            if path.suffix == ".gguf" and "mmproj" not in path.name and not _LATER_SHARD.search(path.name):
                yield GgufFile(path, path.stem, _size(path))
    yield from _of_ollama(until, seen)


def _of_ollama(until: float, seen: list[int]) -> Iterator[GgufFile]:
    """The models of Ollama: a manifest per model names its file, which is called after its SHA-256."""
    folder = Path(os.environ.get("OLLAMA_MODELS") or Path.home() / ".ollama" / "models")
    for manifest in _files_in(folder / "manifests", until, seen):
        try:
            layers = json.loads(manifest.read_text(encoding="utf-8"))["layers"]
            digest = next(str(one["digest"]) for one in layers if one["mediaType"] == _OLLAMA_MODEL)
        except (OSError, ValueError, KeyError, TypeError, StopIteration):
            continue  # not a manifest of a model
        path = folder / "blobs" / digest.replace(":", "-")
        yield GgufFile(path, f"{manifest.parent.name}:{manifest.name}", _size(path))


def _files_in(folder: Path, until: float, seen: list[int], depth: int = 0) -> Iterator[Path]:
    """The files below a folder; none if it does not exist or cannot be read."""
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for path in entries:
        seen[0] += 1
        if seen[0] > MAX_ENTRIES or time.monotonic() > until:
            return
        if path.is_dir():
            if depth < MAX_DEPTH and not path.is_symlink():
                yield from _files_in(path, until, seen, depth + 1)
        else:
            yield path


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # a broken link
        return 0


def _is_model(file: GgufFile) -> bool:
    if file.size < SMALLEST:
        return False
    try:
        with file.path.open("rb") as opened:
            return opened.read(4) == b"GGUF"
    except OSError:
        return False


def check_gguf(path: Path) -> None:
    """Raise SettingError if a file is no GGUF file."""
    hint = "Give the path of a GGUF file."
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
