"""One pass over the roles of a dataset: labels, counts, splits, and what is odd."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from longway.data.problems import SHOWN, Tally
from longway.errors import DataError

RARE, MANY = 5, 100
REGRESSION_LABELS, REGRESSION_SHARE = 20, 0.05


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass found."""

    labels: tuple[str, ...]
    label_counts: tuple[int, ...]
    n_rows: int
    n_used: int
    splits: tuple[str, ...]
    ids_are_good: bool


def scan(frames: Iterable[pl.DataFrame], tally: Tally, *, has_ids: bool, name: str) -> Scan:
    """Look at every row once; what is odd goes into the tally."""
    counts: Counter[str] = Counter()
    splits: dict[str, None] = {}
    hashes: list[npt.NDArray[np.uint64]] = []
    n_rows = 0
    for frame in frames:
        _note(tally, "empty_text", frame, ~frame["has_text"])
        _note(tally, "null_label", frame, frame["label"].is_null())
        counts.update(dict(frame.filter("usable")["label"].value_counts().iter_rows()))
        if "split" in frame.columns:
            splits |= dict.fromkeys(frame["split"].drop_nulls().unique(maintain_order=True))
        if has_ids:
            hashes.append(frame["id"].hash().to_numpy())
        n_rows += frame.height
    n_used = counts.total()
    if n_used == 0:
        raise DataError(_no_rows(name, n_rows, tally))
    labels = natural_order(counts)
    label_counts = tuple(counts[label] for label in labels)
    _note_labels(tally, labels, label_counts, n_used)
    return Scan(labels, label_counts, n_rows, n_used, tuple(splits), has_ids and _ids_are_good(hashes, tally))


def _note(tally: Tally, kind: str, frame: pl.DataFrame, mask: pl.Series) -> None:
    count = int(mask.sum())
    if count:
        tally.add(kind, frame["row"].filter(mask).head(SHOWN), count=count)


def natural_order(labels: Iterable[str]) -> tuple[str, ...]:
    """The labels sorted: by value if all are numbers, else by letter.

    >>> natural_order(["10", "9"]), natural_order(["true", "false"])
    (('9', '10'), ('false', 'true'))
    """
    labels = sorted(labels)
    numbers = _numbers(labels)
    if numbers is None:
        return tuple(labels)
    return tuple(labels[i] for i in np.argsort(numbers, kind="stable"))


def _numbers(labels: Sequence[str]) -> npt.NDArray[np.float64] | None:
    """The labels as numbers, if all of them are."""
    values = pl.Series(labels, dtype=pl.String).cast(pl.Float64, strict=False)
    return None if values.is_null().any() or values.is_nan().any() else values.to_numpy()


def _note_labels(tally: Tally, labels: tuple[str, ...], counts: tuple[int, ...], n_used: int) -> None:
    rare = [(label, n) for label, n in zip(labels, counts, strict=True) if n < RARE]
    if len(labels) == 1:
        tally.add("one_label", [], count=n_used, about=f"{labels[0]!r}")
    elif _is_regression(labels, n_used):
        tally.add("regression_label", [], count=n_used, about=f"{len(labels):,} different numbers")
    elif len(labels) > MANY:
        tally.add("many_labels", [], count=n_used, about=f"{len(labels):,}, such as {_some(labels)}")
    elif rare:
        tally.add("rare_label", [], count=sum(n for _, n in rare), about=_some([label for label, _ in rare]))


def _is_regression(labels: Sequence[str], n_used: int) -> bool:
    numbers = _numbers(labels)
    if numbers is None:
        return False
    many = len(labels) > REGRESSION_LABELS and len(labels) > REGRESSION_SHARE * n_used
    return many or bool((numbers != np.round(numbers)).any())


def _ids_are_good(hashes: list[npt.NDArray[np.uint64]], tally: Tally) -> bool:
    """Whether all ids differ; 64-bit hashes stand for them, so that millions fit in memory."""
    whole = np.concatenate(hashes)
    order = np.argsort(whole, kind="stable")
    repeated = np.sort(order[1:][whole[order][1:] == whole[order][:-1]])
    tally.add("duplicate_id", repeated[:SHOWN].tolist(), count=len(repeated))
    return len(repeated) == 0


def _some(labels: Sequence[str]) -> str:
    shown = ", ".join(map(repr, labels[:5]))
    return f"{shown} and {len(labels) - 5} more" if len(labels) > 5 else shown


def _no_rows(name: str, n_rows: int, tally: Tally) -> str:
    if n_rows == 0:
        return f"{name} has no rows. At least one row with a text and a label was expected. Check the file."
    no_text, no_label = tally.counts.get("empty_text", 0), tally.counts.get("null_label", 0)
    reasons = f"{no_text:,} without a text, {no_label:,} without a label"
    return (
        f"{name} has {n_rows:,} rows, but none that can be used: {reasons}. "
        "A row needs both. Check that --text and --label name the right columns."
    )
