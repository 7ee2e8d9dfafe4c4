"""Folders written by `save_to_disk` of Hugging Face datasets, read without that package.

dataset_info.json, state.json, data-*.arrow             one dataset
dataset_dict.json with a folder of that kind for each split; the split's name becomes a column
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from longway.data.formats import DataFile
from longway.data.shards import Shard
from longway.errors import DataError


def is_hf_folder(path: Path) -> bool:
    """Whether `save_to_disk` wrote this folder."""
    return (path / "dataset_dict.json").is_file() or _is_one(path)


def find(path: Path) -> list[Shard]:
    """The Arrow files of the folder, with the names of its splits and classes."""
    if _is_one(path):
        return _shards(path, None)
    splits = _read(path / "dataset_dict.json").get("splits", [])
    missing = [split for split in splits if not _is_one(path / split)]
    if missing or not splits:
        raise DataError(
            f"{path} is a saved DatasetDict, but lacks the folder of a split: {', '.join(missing) or 'all'}. "
            "One folder with dataset_info.json and state.json was expected for each split. Save it again."
        )
    return [shard for split in splits for shard in _shards(path / split, split)]


def _is_one(path: Path) -> bool:
    return (path / "dataset_info.json").is_file() and (path / "state.json").is_file()


def _shards(path: Path, split: str | None) -> list[Shard]:
    names = [entry["filename"] for entry in _read(path / "state.json").get("_data_files", [])]
    features = _read(path / "dataset_info.json").get("features") or {}
    files = [path / name for name in names] or sorted(path.glob("data-*.arrow"))
    missing = [file.name for file in files if not file.is_file()]
    if missing or not files:
        raise DataError(
            f"{path} is a saved dataset, but its data is missing: {', '.join(missing) or 'data-*.arrow'}. "
            "state.json names the files that were expected. Save or copy it again."
        )
    return [Shard(DataFile(file, "arrow", ""), split, class_names(features)) for file in files]


def class_names(features: dict[str, Any]) -> dict[str, list[str]]:
    """The names of the classes, for the columns that hold class numbers."""
    return {
        column: list(feature["names"])
        for column, feature in features.items()
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel" and feature.get("names")
    }


def _read(path: Path) -> dict[str, Any]:
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(
            f"{path} is not valid JSON ({error}). `save_to_disk` writes such a file. Save it again."
        ) from error
    return value if isinstance(value, dict) else {}
