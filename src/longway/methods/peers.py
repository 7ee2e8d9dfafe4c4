"""Other ways to add rows, for comparison with CoBA.

    counterfactual     the smallest change to another label, by an engine (Kaushik et al. 2020, there by people)
    given              rewrites made elsewhere, by people or by another program

Both add the texts that pass the checks (`loop.py`) and change no row. verify: None to accept texts without checks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from longway.errors import BudgetSpent, ColumnError, DataError, SettingError
from longway.methods.loop import Draft, added_rounds, drafts_of, new_row, written
from longway.methods.method import Round, Rows, Verify, Write

NO_SOURCE = "no row has this id or text"
# Column names of given rewrites; the first one present is used.
SOURCES = ("original", "source", "id")
TEXTS = ("counterfactual", "revised", "text")  # "text" beside another one is the text before
LABELS = ("counterfactual_label", "new_label", "label")
CONTEXT = "context"


def counterfactual(
    rows: Rows,
    *,
    write: Write,
    verify: Verify | None = None,
    to: str | None = None,
    n: int = 1,
    seed: int = 0,
) -> Iterator[Round]:
    """Yield rounds of 64 rows that add each text, changed to have another label.

    to: the target label; rows that have it are skipped. None: any other label, at random. n: new texts per row.
    """

    def propose(part: Sequence[int], refusals: Counter[str]) -> Iterator[Draft]:
        targets = [_target(rows, row, to, seed) for row in part]
        wanted = [(row, target) for row, target in zip(part, targets, strict=True) if target]
        requests = [rows.request(row, n, target=target) for row, target in wanted]
        answers, is_spent = written(write, requests)
        for request, answer in answers:
            if not answer.texts:
                refusals.update(answer.refusals[:1] or ["the engine gave no text"])
            yield from drafts_of(request, answer, write.name)
        if is_spent:
            raise BudgetSpent("the budget is spent")

    return added_rounds(rows, range(len(rows)), propose, method="counterfactual", verify=verify)


def _target(rows: Rows, row: int, to: str | None, seed: int) -> str:
    """The label that a row's counterfactual must have; "" if the row has it."""
    names = list(rows.label_names)
    if len(names) < 2 or (to is not None and to not in names):
        raise SettingError(
            f"A counterfactual needs another label{'' if to is None else f', and the data have no {to!r}'}. "
            f"Got the labels {', '.join(names)}. Choose one of them, or other data."
        )
    if to is None:
        return other_label(rows, row, seed)
    return "" if to == rows.label(row) else to


def other_label(rows: Rows, row: int, seed: int) -> str:
    """Another label than that of a row, drawn at random."""
    others = [name for name in rows.label_names if name != rows.label(row)]
    return Random(f"{seed}|{rows.ids[row]}").choice(others)


@dataclass(frozen=True, slots=True)
class GivenRewrite:
    """A text made elsewhere. source: the id of the row it was made from, or that row's exact text.

    context: None for the context of the row.
    """

    source: str
    text: str
    label: str
    context: str | None = None


def given(rows: Rows, rewrites: Sequence[GivenRewrite], *, verify: Verify | None = None) -> Iterator[Round]:
    """Yield rounds of 64 rewrites each, added to the rows they were made from."""
    ids = {id_: row for row, id_ in enumerate(rows.ids)}
    texts: dict[str, list[int]] = defaultdict(list)
    for row, text in enumerate(rows.texts):
        texts[text].append(row)

    def source_of(rewrite: GivenRewrite) -> int | None:
        """By id or text; of several rows with the text, the one with the same context, else the first."""
        if rewrite.source in ids:
            return ids[rewrite.source]
        with_text = texts.get(rewrite.source, [])
        same = [row for row in with_text if rows.context(row) == rewrite.context]
        return next(iter(same or with_text), None)

    def propose(part: Sequence[int], refusals: Counter[str]) -> Iterator[Draft]:
        for number in part:
            rewrite = rewrites[number]
            row = source_of(rewrite)
            if row is None:
                refusals[NO_SOURCE] += 1
            elif rewrite.label not in rows.label_names:
                refusals[f"the dataset has no label {rewrite.label!r}"] += 1
            else:
                context = None if rows.contexts is None else rewrite.context
                yield new_row(rows, row, rewrite.text, rewrite.label, context=context, engine="given")

    return added_rounds(rows, range(len(rewrites)), propose, method="given", verify=verify)


def given_of(rows: Iterable[Mapping[str, object]]) -> list[GivenRewrite]:
    """Rewrites from the plain rows of a file with these columns.

    source: original, source or id. new text: counterfactual, revised or text. label: counterfactual_label, new_label or label.
    new context, optional: context.
    """
    rewrites: list[GivenRewrite] = []
    empty: list[int] = []
    columns: list[str | None] | None = None
    for number, row in enumerate(rows, 1):
        columns = columns or _columns(list(row))
        source, text, label, context = (None if name is None else row.get(name) for name in columns)
        if any(value is None or not str(value).strip() for value in (source, text, label)):
            empty.append(number)
        else:
            new_context = None if context is None else str(context)
            rewrites.append(GivenRewrite(str(source), str(text), str(label), new_context))
    if empty:
        raise DataError(
            f"{len(empty)} of the given rewrites lack a source, a text or a label (first: row {empty[0]}). "
            "Expected all three in each row. Fill them in, or take these rows out."
        )
    return rewrites


def _columns(names: list[str]) -> list[str | None]:
    """The columns of source, text, label and context."""
    known = {name.strip().lower(): name for name in reversed(names)}
    columns: list[str | None] = []
    for wanted in (SOURCES, TEXTS, LABELS):
        columns.append(next((known[name] for name in wanted if name in known), None))
        if columns[-1] is None:
            raise ColumnError(
                f"The given rewrites have no column {' or '.join(wanted)}. Got {', '.join(names) or 'no columns'}. "
                "Rename the columns to source, text and label."
            )
    return [*columns, known.get(CONTEXT)]
