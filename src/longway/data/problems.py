"""What is odd about the data, collected while reading and told once.

    reader or scan  ->  Tally.add("empty_text", rows)  ->  Tally.problems()  ->  tuple[Problem, ...]

Nothing here stops the work; what does stop it is a `DataError`.
"""

from __future__ import annotations

from collections.abc import Iterable

from longway.records import Problem

SHOWN = 10  # row numbers kept for each kind: enough to look, little to carry

READING_KINDS = (
    "broken_line",
    "ragged_row",
    "open_quote",
    "undecodable_bytes",
)  # of the file, whichever rows are used

# kind: (what is the case, what to do); {n} is "1 row" or "12 rows", {about} the details
KINDS = {
    "broken_line": (
        "{n} skipped: not a JSON object{about}. The numbers given are lines of the file.",
        "Look at these lines; each must hold one {{...}} object.",
    ),
    "ragged_row": (
        "{n} with more or fewer cells than the header{about}. Missing cells are empty, extra ones dropped.",
        "Put texts that hold the delimiter or a quote between double quotes.",
    ),
    "open_quote": (
        "{n} with 30 or more lines in one cell{about}. Other rows may have been swallowed.",
        "Look for a double quote that was opened and not closed, there or just before.",
    ),
    "undecodable_bytes": (
        "{n} with bytes that are not UTF-8{about}. Each is shown as the replacement character U+FFFD.",
        "Save the file as UTF-8; it is often Latin-1 or Windows-1252.",
    ),
    "empty_text": ("{n} without a text{about}, left out.", "Fill in the text, or leave it so."),
    "null_label": ("{n} without a label{about}, left out.", "Fill in the label, or leave it so."),
    "duplicate_id": (
        "{n} with a missing or repeated id{about}. Row numbers are used as ids instead.",
        "Make the ids unique, or name another column with --id.",
    ),
    "one_label": (
        "All {n} have the same label{about}. There is nothing to tell apart.",
        "Check that --label names the right column.",
    ),
    "regression_label": (
        "The label column looks like a measurement, not a class{about}; {n} used.",
        "Name another column with --label, or sort the numbers into a few classes first.",
    ),
    "many_labels": (
        "The label column has many different labels{about}; {n} used.",
        "Check that --label names the right column.",
    ),
    "rare_label": (
        "{n} with a rare label{about}. Little can be said about a label with fewer than 5 rows.",
        "Merge rare labels into others, or leave those rows out.",
    ),
}


class Tally:
    """Counts of what is odd, with the first few row numbers of each kind.

    >>> tally = Tally()
    >>> tally.add("empty_text", [0, 4])
    >>> [(p.kind, p.count, p.rows) for p in tally.problems()]
    [('empty_text', 2, (1, 5))]
    """

    def __init__(self) -> None:
        self._offset = 0
        self.counts: dict[str, int] = {}
        self._rows: dict[str, list[int]] = {}
        self._about: dict[str, str] = {}

    def from_row(self, offset: int) -> Tally:
        """The same tally for a file whose first row is row `offset` of the dataset."""
        view = Tally()
        view.__dict__.update(self.__dict__, _offset=offset)
        return view

    def add(self, kind: str, rows: Iterable[int], *, count: int | None = None, about: str = "") -> None:
        """Note that these rows (counted from 0) are odd.

        count: how many there are, where `rows` gives only the first of them.
        about: detail for the message, as in "label 'maybe'".
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
        """One problem for each kind that was seen, in the order of the table above."""
        return tuple(self._problem(kind) for kind in KINDS if kind in self.counts)

    def _problem(self, kind: str) -> Problem:
        message, next_step = KINDS[kind]
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
