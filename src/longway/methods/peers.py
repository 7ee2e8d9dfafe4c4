"""Other ways to add rows, for comparison with CoBA.

    Counterfactual     the smallest change to another label, by an engine (Kaushik et al. 2020, there by people)
    Given              rewrites made elsewhere, by people or by another program

Both add the texts that pass the checks (`additions.py`) and change no row.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from longway.errors import ColumnError, DataError, SettingError
from longway.methods.additions import Adder, Proposal, Proposed, add_in_parts
from longway.methods.drafts import until_spent, with_how
from longway.methods.method import RewriteRequest, Round, Rows, Verify, Write

NO_SOURCE = "no row has this id or text"
# Column names of given rewrites; the first one present is used.
SOURCES = ("original", "source", "id")
TEXTS = ("counterfactual", "revised", "text")  # "text" beside another one is the text before
LABELS = ("counterfactual_label", "new_label", "label")
CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class CounterfactualSettings:
    """to: the target label; rows that have it are skipped. None: any other label, at random. n: new texts per row."""

    to: str | None = None
    n: int = 1
    seed: int = 0


class Counterfactual:
    """Adds each text, changed to have another label.

    write: writes the texts. verify: None to accept texts without checks.
    """

    name = "counterfactual"

    def __init__(
        self,
        settings: CounterfactualSettings | None = None,
        *,
        write: Write,
        verify: Verify | None = None,
    ) -> None:
        self.settings = settings or CounterfactualSettings()
        self.write, self.verify = write, verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Yield rounds of 64 rows each."""
        adder = Adder(rows, method=self.name, engine=self.write.name, verify=self.verify)
        yield from add_in_parts(adder, range(len(rows)), lambda part: self._propose(rows, part))

    def _propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The texts changed towards another label."""
        result = Proposed()
        targets = {row: target for row in part if (target := self._target(rows, row)) is not None}
        requests = [
            RewriteRequest(
                row, rows.texts[row], rows.label(row), self.settings.n, rows.context(row), target=target
            )
            for row, target in targets.items()
        ]
        answers, result.is_spent = until_spent(lambda: self.write(requests))
        for request, written in zip(requests, answers, strict=False):
            if not written.texts:
                result.refusals.update(written.refusals[:1] or ["the engine gave no text"])
            result.proposals += [
                Proposal(request.row, text, request.target, request.context, how=how)
                for text, how in with_how(written)
            ]
        return result

    def _target(self, rows: Rows, row: int) -> str | None:
        names, to = list(rows.label_names), self.settings.to
        if len(names) < 2 or (to is not None and to not in names):
            raise SettingError(
                f"A counterfactual needs another label{'' if to is None else f', and the data have no {to!r}'}. "
                f"Got the labels {', '.join(names)}. Choose one of them, or other data."
            )
        others = [name for name in names if name != rows.label(row)]
        if to is not None:
            return to if to in others else None
        return Random(f"{self.settings.seed}|{rows.ids[row]}").choice(others)


@dataclass(frozen=True, slots=True)
class GivenRewrite:
    """A text made elsewhere. source: the id of the row it was made from, or that row's exact text.

    context: None for the context of the row.
    """

    source: str
    text: str
    label: str
    context: str | None = None


class Given:
    """Adds given rewrites to the rows they were made from.

    verify: None to accept them without checks.
    """

    name = "given"

    def __init__(
        self,
        rewrites: Sequence[GivenRewrite],
        *,
        verify: Verify | None = None,
    ) -> None:
        self.rewrites, self.verify = rewrites, verify

    def run(self, rows: Rows) -> Iterator[Round]:
        """Yield rounds of 64 rewrites each."""
        adder = Adder(rows, method=self.name, engine=self.name, verify=self.verify)
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

        def propose(part: Sequence[int]) -> Proposed:
            result = Proposed()
            for number in part:
                rewrite = self.rewrites[number]
                row = source_of(rewrite)
                if row is None:
                    result.refusals[NO_SOURCE] += 1
                elif rewrite.label not in rows.label_names:
                    result.refusals[f"the dataset has no label {rewrite.label!r}"] += 1
                else:
                    own, new = rows.context(row), rewrite.context
                    context = own if own is None or new is None else new
                    result.proposals.append(Proposal(row, rewrite.text, rewrite.label, context))
            return result

        yield from add_in_parts(adder, range(len(self.rewrites)), propose)


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
