"""Problems of the data: collected while reading and scanning, reported once per kind.

    reader or scan  ->  ProblemLog.add("empty_text", rows)  ->  ProblemLog.problems()  ->  tuple[Problem, ...]

A problem does not stop the work; an error that does is a `DataError`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from longway.arrays import Floats
from longway.errors import DataError
from longway.records import Problem

SHOWN = 10  # row numbers kept for each kind

# Problems of the file, whichever rows are used.
READING_KINDS = (
    "other_encoding", "broken_line", "ragged_row", "open_quote", "undecodable_bytes", "read_as_text",
    "other_sheets",
)  # fmt: skip

# kind: (message, next step); {n} is "1 row" or "12 rows", {about} the details
KINDS = {
    "other_encoding": (
        "{n} with characters that are not UTF-8{about}.",
        "Look at some of these characters. If they are wrong, name the encoding with --encoding.",
    ),
    "broken_line": (
        "{n} skipped: not a JSON object, nested too deeply, or with a number of more than 4,300 "
        "digits{about}. A written file does not have them. The numbers are lines of the file.",
        "Check these lines; each must be one {{...}} object. Write a longer number as a string.",
    ),
    "ragged_row": (
        "{n} with more or fewer cells than the header{about}. Missing cells are empty, extra ones are dropped.",
        "Put texts that contain the delimiter or a quote in double quotes.",
    ),
    "open_quote": (
        "{n} with 30 or more lines in one cell{about}. The cell may contain other rows.",
        "Look for a double quote that is not closed, in this row or just before it.",
    ),
    "undecodable_bytes": (
        "{n} with half of a surrogate pair, which is no character{about}. Each is shown as U+FFFD.",
        "Write the file again with a program that escapes characters beyond U+FFFF as pairs.",
    ),
    "read_as_text": (
        "Columns have a type that Longway does not have{about}. They are read and written as text.",
        "Nothing to do, unless a program that reads the written file needs the type.",
    ),
    "other_sheets": (
        "The workbook has other sheets{about}. Only its first sheet is read and written.",
        "If a sheet with rows is among them, make it the first one, or save it as a file of its own.",
    ),
    "empty_text": ("{n} without a text{about}, skipped.", "Fill in the text, or leave the rows out."),
    "null_label": ("{n} without a label{about}, skipped.", "Fill in the label, or leave the rows out."),
    "duplicate_id": (
        "{n} with a missing or repeated id{about}. Row numbers are used as ids instead.",
        "Make the ids unique, or name another column with --id.",
    ),
    "one_label": (
        "All {n} have the same label{about}. There is nothing to predict.",
        "Check that --label names the right column.",
    ),
    "regression_label": (
        "The label column looks like a measurement, not a class{about}; {n} used.",
        "Name another column with --label, or convert the numbers to a few classes first.",
    ),
    "many_labels": (
        "The label column has many different labels{about}; {n} used.",
        "Check that --label names the right column.",
    ),
    "rare_label": (
        "{n} with a rare label{about}. A label with fewer than 5 rows cannot be analysed.",
        "Merge rare labels with others, or leave these rows out.",
    ),
}


class ProblemLog:
    """Counts of problems by kind, with the first few row numbers of each. kinds: message and next step by kind.

    >>> log = ProblemLog()
    >>> log.add("empty_text", [0, 4])
    >>> [(p.kind, p.count, p.rows) for p in log.problems()]
    [('empty_text', 2, (1, 5))]
    """

    def __init__(self, kinds: Mapping[str, tuple[str, str]] = KINDS) -> None:
        self._kinds, self._offset = kinds, 0
        self.counts: dict[str, int] = {}
        self._rows: dict[str, list[int]] = {}
        self._about: dict[str, str] = {}

    def from_row(self, offset: int) -> ProblemLog:
        """The same log for a file whose first row is row `offset` of the dataset."""
        view = ProblemLog()
        view.__dict__.update(self.__dict__, _offset=offset)
        return view

    def add(self, kind: str, rows: Iterable[int], *, count: int | None = None, about: str = "") -> None:
        """Log a problem with these rows (numbered from 0).

        count: the number of rows, if `rows` has only the first of them.
        about: detail for the message, such as "label 'maybe'".
        """
        rows = list(rows)
        count = len(rows) if count is None else count
        if count == 0:
            return
        self.counts[kind] = self.counts.get(kind, 0) + count
        kept = self._rows.setdefault(kind, [])
        kept += [self._offset + row + 1 for row in rows[: SHOWN - len(kept)]]
        if about:
            self._about[kind] = f" ({about})"

    def problems(self) -> tuple[Problem, ...]:
        """One problem for each kind that was logged, in the order of the kinds."""
        return tuple(self._problem(kind) for kind in self._kinds if kind in self.counts)

    def _problem(self, kind: str) -> Problem:
        message, next_step = self._kinds[kind]
        count = self.counts[kind]
        return Problem(
            kind=kind,
            message=message.format(n=say_rows(count), about=self._about.get(kind, "")),
            count=count,
            next_step=next_step.format(),
            rows=tuple(self._rows[kind]),
        )


def say_rows(count: int) -> str:
    """The count in words: "1 row", "1,200 rows"."""
    return f"{count:,} row{'' if count == 1 else 's'}"


RARE, MANY = 5, 100
REGRESSION_LABELS, REGRESSION_SHARE = 20, 0.05


@dataclass(frozen=True, slots=True)
class Scan:
    """The result of one pass over the rows."""

    labels: tuple[str, ...]
    label_counts: tuple[int, ...]
    n_rows: int
    n_used: int
    splits: tuple[str, ...]
    ids_are_good: bool


def scan(frames: Iterable[pl.DataFrame], log: ProblemLog, *, has_ids: bool, name: str) -> Scan:
    """Read every row once: labels, counts, splits; problems go into the log."""
    counts: Counter[str] = Counter()
    splits: dict[str, None] = {}
    hashes: list[npt.NDArray[np.uint64]] = []
    n_rows = 0
    for frame in frames:
        _log_rows(log, "empty_text", frame, ~frame["has_text"])
        _log_rows(log, "null_label", frame, frame["label"].is_null())
        counts.update(dict(frame.filter("usable")["label"].value_counts().iter_rows()))
        if "split" in frame.columns:
            splits |= dict.fromkeys(frame["split"].drop_nulls().unique(maintain_order=True))
        if has_ids:
            hashes.append(frame["id"].hash().to_numpy())
        n_rows += frame.height
    n_used = counts.total()
    if n_used == 0:
        raise DataError(_no_rows(name, n_rows, log))
    labels = natural_order(counts)
    label_counts = tuple(counts[label] for label in labels)
    _log_labels(log, labels, label_counts, n_used)
    return Scan(labels, label_counts, n_rows, n_used, tuple(splits), has_ids and _ids_are_good(hashes, log))


def _log_rows(log: ProblemLog, kind: str, frame: pl.DataFrame, mask: pl.Series) -> None:
    count = int(mask.sum())
    if count:
        log.add(kind, frame["row"].filter(mask).head(SHOWN), count=count)


def natural_order(labels: Iterable[str]) -> tuple[str, ...]:
    """The labels sorted: by value if all are numbers, otherwise alphabetically.

    >>> natural_order(["10", "9"]), natural_order(["true", "false"])
    (('9', '10'), ('false', 'true'))
    """
    labels = sorted(labels)
    numbers = _numbers(labels)
    if numbers is None:
        return tuple(labels)
    return tuple(labels[i] for i in np.argsort(numbers, kind="stable"))


def _numbers(labels: Sequence[str]) -> Floats | None:
    """The labels as numbers, if all of them are."""
    values = pl.Series(labels, dtype=pl.String).cast(pl.Float64, strict=False)
    return None if values.is_null().any() or values.is_nan().any() else values.to_numpy()


def _log_labels(log: ProblemLog, labels: tuple[str, ...], counts: tuple[int, ...], n_used: int) -> None:
    rare = [(label, n) for label, n in zip(labels, counts, strict=True) if n < RARE]
    if len(labels) == 1:
        log.add("one_label", [], count=n_used, about=f"{labels[0]!r}")
    elif _is_regression(labels, n_used):
        log.add("regression_label", [], count=n_used, about=f"{len(labels):,} different numbers")
    elif len(labels) > MANY:
        log.add("many_labels", [], count=n_used, about=f"{len(labels):,}, such as {_some(labels)}")
    elif rare:
        log.add("rare_label", [], count=sum(n for _, n in rare), about=_some([label for label, _ in rare]))


def _is_regression(labels: Sequence[str], n_used: int) -> bool:
    numbers = _numbers(labels)
    if numbers is None:
        return False
    many = len(labels) > REGRESSION_LABELS and len(labels) > REGRESSION_SHARE * n_used
    return many or bool((numbers != np.round(numbers)).any())


def _ids_are_good(hashes: list[npt.NDArray[np.uint64]], log: ProblemLog) -> bool:
    """Whether all ids differ. Their 64-bit hashes are compared, to save memory."""
    whole = np.concatenate(hashes)
    order = np.argsort(whole, kind="stable")
    repeated = np.sort(order[1:][whole[order][1:] == whole[order][:-1]])
    log.add("duplicate_id", repeated[:SHOWN].tolist(), count=len(repeated))
    return len(repeated) == 0


def _some(labels: Sequence[str]) -> str:
    shown = ", ".join(map(repr, labels[:5]))
    return f"{shown} and {len(labels) - 5} more" if len(labels) > 5 else shown


def _no_rows(name: str, n_rows: int, log: ProblemLog) -> str:
    if n_rows == 0:
        return f"{name} has no rows. At least one row with a text and a label was expected. Check the file."
    no_text, no_label = log.counts.get("empty_text", 0), log.counts.get("null_label", 0)
    reasons = f"{no_text:,} without a text, {no_label:,} without a label"
    return (
        f"{name} has {n_rows:,} rows, but none can be used: {reasons}. "
        "A row needs both. Check that --text and --label name the right columns."
    )
