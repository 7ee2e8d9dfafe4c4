"""Datasets of the Hugging Face hub: hf:NAME, hf:NAME:CONFIG, hf:NAME:SPLIT, hf:NAME:CONFIG:SPLIT.

Needs the `hub` extra. With two parts, the second is a split if it is called like one, else a configuration.
"""

from __future__ import annotations

import importlib
import re
from typing import Any, cast

import polars as pl

from longway.data.shards import name_classes
from longway.data.source import Source, in_memory
from longway.data.table import Table, combine
from longway.errors import DataError, MissingExtra

PREFIX = "hf:"
SPLITS = {"train", "test", "validation", "valid", "dev", "val", "all", "unsupervised"}


def read(name: str) -> Source:
    """The dataset behind "hf:NAME"; all its splits, told apart by a column, unless one is named."""
    path, config, split = parse(name)
    try:
        datasets = importlib.import_module("datasets")
    except ImportError as error:
        raise MissingExtra("datasets", extra="hub", purpose=f"reading {name}") from error
    try:
        found = datasets.load_dataset(path, config, split=split)
    except Exception as error:  # network, name, configuration: the package has its own tree for each
        first_line = (str(error).splitlines() or [type(error).__name__])[0]
        raise DataError(
            f"{name} cannot be loaded from the hub ({first_line}). "
            "Expected hf:NAME, hf:NAME:CONFIG:SPLIT or parts of it. Check the name and the connection."
        ) from error
    return in_memory(_table(found), name=name, format="hub")


def parse(name: str) -> tuple[str, str | None, str | None]:
    """Name, configuration and split.

    >>> parse("hf:glue:sst2:train"), parse("hf:imdb:test")
    (('glue', 'sst2', 'train'), ('imdb', None, 'test'))
    """
    parts = re.split(r":(?![^\[]*\])", name.removeprefix(PREFIX), maxsplit=2)  # not in "train[:10%]"
    if not parts[0]:
        raise DataError(f"{name!r} names no dataset. Expected hf:NAME, as in hf:imdb. Add the name.")
    if len(parts) == 3:
        return parts[0], parts[1] or None, parts[2] or None
    if len(parts) == 1:
        return parts[0], None, None
    is_split = parts[1].partition("[")[0] in SPLITS
    return (parts[0], None, parts[1]) if is_split else (parts[0], parts[1] or None, None)


def _table(found: Any) -> Table:
    """One table of a `Dataset`, or of all splits of a `DatasetDict`."""
    if not hasattr(found, "items"):
        return _one(found, None)
    return combine([_one(dataset, split) for split, dataset in found.items()])


def _one(dataset: Any, split: str | None) -> Table:
    frame = cast(pl.DataFrame, pl.from_arrow(dataset.with_format("arrow")[:]))
    for column, feature in dataset.features.items():
        classes = getattr(feature, "names", None)
        if classes and frame[column].dtype.is_integer():
            frame = frame.with_columns(name_classes(frame[column], classes))
    if split is not None and "split" not in frame.columns:
        frame = frame.with_columns(pl.lit(str(split)).alias("split"))
    return Table(frame)
