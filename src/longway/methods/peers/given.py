"""Rewrites that were made elsewhere, by people or by another program, as new rows: verified like all others.

given_of(rows)        plain rows of a file -> GivenRewrite
Given(rewrites)       finds the row each was made from, and adds those that pass
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longway.errors import ColumnError, DataError
from longway.methods.additions import Adder, Proposal, Proposed, add_in_parts
from longway.methods.method import Round, Rows, Verify

NO_SOURCE = "no row has this id or text"
SOURCES = ("original", "source", "id")
TEXTS = ("counterfactual", "revised", "text")  # where a file has several, the last is the text before
LABELS = ("counterfactual_label", "new_label", "label")
CONTEXTS = ("context",)


@dataclass(frozen=True, slots=True)
class GivenRewrite:
    """A text made elsewhere. source: the id of the row it was made from, or that row's text exactly.

    context: None where it is that of the row.
    """

    source: str
    text: str
    label: str
    context: str | None = None


class Given:
    """Adds given rewrites to the rows they were made from.

    name_of_engine: who made them, as edits name it. verify: None where they are believed.
    """

    name = "given"

    def __init__(
        self,
        rewrites: Sequence[GivenRewrite],
        *,
        name_of_engine: str = "given",
        verify: Verify | None = None,
    ) -> None:
        self.rewrites, self.engine, self.verify = rewrites, name_of_engine, verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Rounds of 64 rewrites each."""
        adder = Adder(rows, method=self.name, engine=self.engine, verify=self.verify)
        places = _Places(rows)

        def propose(part: Sequence[int]) -> Proposed:
            result = Proposed()
            for number in part:
                rewrite = self.rewrites[number]
                row = places.of(rewrite)
                if row is None:
                    result.refusals[NO_SOURCE] += 1
                elif rewrite.label not in rows.label_names:
                    result.refusals[f"the dataset has no label {rewrite.label!r}"] += 1
                else:
                    result.proposals.append(_proposal(rows, row, rewrite))
            return result

        yield from add_in_parts(adder, range(len(self.rewrites)), propose)


class _Places:
    """Finds rows by id or text; of several with the same text, the one with the same context, else the first."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows
        self._ids = {id_: row for row, id_ in enumerate(rows.ids)}
        self._texts: dict[str, list[int]] = defaultdict(list)
        for row, text in enumerate(rows.texts):
            self._texts[text].append(row)

    def of(self, rewrite: GivenRewrite) -> int | None:
        if rewrite.source in self._ids:
            return self._ids[rewrite.source]
        found = self._texts.get(rewrite.source, [])
        same = [row for row in found if self._rows.context(row) == rewrite.context]
        return next(iter(same or found), None)


def _proposal(rows: Rows, row: int, rewrite: GivenRewrite) -> Proposal:
    context = rows.context(row)
    if context is not None and rewrite.context is not None:
        context = rewrite.context
    return Proposal(row, rewrite.text, rewrite.label, context)


def given_of(rows: Iterable[Mapping[str, Any]]) -> list[GivenRewrite]:
    """Rewrites from the plain rows of a file, with columns called as below.

    the row it was made from: original, source or id. the new text: counterfactual, revised or text. its label:
    counterfactual_label, new_label or label. the new context, where there is one: context.
    """
    found: list[GivenRewrite] = []
    empty: list[int] = []
    columns: tuple[str, str, str, str | None] | None = None
    for number, row in enumerate(rows, 1):
        columns = columns or _columns(list(row))
        values = [None if name is None else row.get(name) for name in columns]
        if any(value is None or not str(value).strip() for value in values[:3]):
            empty.append(number)
            continue
        context = None if values[3] is None else str(values[3])
        found.append(GivenRewrite(str(values[0]), str(values[1]), str(values[2]), context))
    if empty:
        raise DataError(
            f"{len(empty)} of the given rewrites lack a source, a text or a label (first: row {empty[0]}). "
            "Expected all three in each row. Fill them in, or take these rows out."
        )
    return found


def _columns(names: list[str]) -> tuple[str, str, str, str | None]:
    known = {name.strip().lower(): name for name in reversed(names)}
    first = [next((known[n] for n in wanted if n in known), None) for wanted in (SOURCES, TEXTS, LABELS)]
    for wanted, column in zip((SOURCES, TEXTS, LABELS), first, strict=True):
        if column is None:
            raise ColumnError(
                f"The given rewrites have no column {' or '.join(wanted)}. Got {', '.join(names) or 'no columns'}. "
                "Rename the columns to source, text and label."
            )
    source, text, label = first
    context = next((known[name] for name in CONTEXTS if name in known), None)
    return source or "", text or "", label or "", context
