"""Texts made elsewhere, from a file: each with its label and the row it was made from.

read_given_file(path)  ->  GivenFile: the rewrites and a fingerprint of the file
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from longway.data import shards
from longway.data.problems import ProblemLog
from longway.errors import DataError
from longway.methods.peers import GivenRewrite, given_of


@dataclass(frozen=True, slots=True)
class GivenFile:
    """What a file of rewrites holds."""

    rewrites: Sequence[GivenRewrite]
    fingerprint: str


def read_given_file(path: Path) -> GivenFile:
    """The rewrites in a CSV, JSON or Parquet file; DataError where columns are missing or there are no rows."""
    frame = shards.read(shards.find(path), ProblemLog()).frame
    if not frame.height:
        raise DataError(
            f"{path} has no rows. Texts made elsewhere were expected, with their labels. Check the file."
        )
    rows: list[dict[str, Any]] = list(frame.iter_rows(named=True))
    rewrites = given_of(rows)
    digest = sha256()
    for one in rewrites:
        digest.update(repr(one).encode("utf-8", "backslashreplace"))
    return GivenFile(rewrites, f"sha256:{digest.hexdigest()}")
