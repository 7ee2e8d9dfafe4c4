"""Rows that a method wants to add: proposed, verified, and added or refused with the reason.

    Ask             prompts -> what was written for each (`llm.asking.Asker.write_all`)
    Proposal        a new text (and context) with its label, made from a row
    Adder           proposals -> verdicts -> rows that are added, and an edit for each column that differs
    add_in_parts    parts of the rows -> proposals -> rounds

What all augmentation methods share, whatever made the text. A part is a round of its own: what was done before the budget
ends, or before Ctrl-C, stays done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from longway.llm.engine import Sampling, Written
from longway.llm.prompt import Prompt
from longway.records import Edit, Example, Verdict
from longway.rewrite.drafts import NOT_VERIFIED, until_spent
from longway.rewrite.method import Figures, Round, Rows, Verify, fresh_id
from longway.rewrite.stopping import BUDGET_SPENT
from longway.verify.check import Candidate

AT_ONCE = 64  # rows of one round
ALL_DONE = "every row was gone through once"
TWICE = "the same text was added before"


class Ask(Protocol):
    """Has an engine answer."""

    def __call__(self, prompts: Sequence[Prompt], n: int, samplings: Sequence[Sampling]) -> Sequence[Written]:
        """Up to n texts for each prompt, in order; may end with `BudgetSpent`."""
        ...


@dataclass(frozen=True, slots=True)
class Proposal:
    """A row that could be added.

    row: the one it was made from. keep: words that must still be there. keeps: what `Candidate.keeps` is.
    how, trace: what was done, see `Edit`.
    """

    row: int
    text: str
    label: str
    context: str | None = None
    how: str = ""
    keep: frozenset[str] = frozenset()
    keeps: str = "label"
    trace: Mapping[str, Any] = field(default_factory=dict)

    def candidate(self, rows: Rows) -> Candidate:
        """What the checks look at."""
        return Candidate(
            row=self.row,
            before=rows.texts[self.row],
            after=self.text,
            label=self.label,
            context=self.context,
            keeps=self.keeps,
            keep=self.keep,
            may_copy=self.context != rows.context(self.row),  # beside another context it is another row
        )


@dataclass(slots=True)
class Added:
    """What came of proposals. rejected: how many by why."""

    rows: list[Example] = field(default_factory=list)
    edits: list[Edit] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    is_spent: bool = False


class Adder:
    """Adds rows over several rounds of one method.

    method, engine: as edits name them. verify: None where texts are believed.
    """

    def __init__(
        self,
        rows: Rows,
        *,
        method: str,
        engine: str,
        verify: Verify | None = None,
    ) -> None:
        self.rows, self.method, self.engine, self.verify = rows, method, engine, verify
        self._taken = set(rows.ids)
        self._texts = {(text, rows.context(i)) for i, text in enumerate(rows.texts)}

    def add(self, proposals: Sequence[Proposal], *, number: int = 1) -> Added:
        """Verify proposals in order and add those that pass; each text once. number: of the round."""
        result = Added()
        verdicts, result.is_spent = self._verdicts(proposals)
        for place, proposal in enumerate(proposals):
            theirs = verdicts[place] if place < len(verdicts) else None
            reason, why = self._refusal(proposal, theirs)
            id_ = fresh_id(self._taken, self.rows.ids[proposal.row], self.method)
            if reason:
                result.rejected[why] += 1
            else:
                self._texts.add((proposal.text, proposal.context))
                result.rows.append(Example(id_, proposal.text, proposal.label, proposal.context))
            result.edits += self._edits(proposal, id_, theirs or (), reason, number)
        return result

    def _verdicts(self, proposals: Sequence[Proposal]) -> tuple[list[tuple[Verdict, ...]], bool]:
        if self.verify is None:
            return [()] * len(proposals), False
        verify, candidates = self.verify, [proposal.candidate(self.rows) for proposal in proposals]
        return until_spent(lambda: verify(candidates))

    def _refusal(self, proposal: Proposal, verdicts: tuple[Verdict, ...] | None) -> tuple[str, str]:
        """Why it is not added, in words and in short; both "" where it is."""
        if verdicts is None:
            return NOT_VERIFIED, NOT_VERIFIED
        failed = next((verdict for verdict in verdicts if not verdict.passed), None)
        if failed is not None:
            return f"{failed.check}: {failed.reason}".rstrip(": "), failed.check
        if (proposal.text, proposal.context) in self._texts:
            return TWICE, TWICE
        return "", ""

    def _edits(
        self, proposal: Proposal, id_: str, verdicts: tuple[Verdict, ...], reason: str, number: int
    ) -> Iterator[Edit]:
        """One for each column in which the new row differs from the one it was made from; the text's has the trace."""
        rows, row = self.rows, proposal.row
        columns = [(rows.task.text_name, rows.texts[row], proposal.text)]
        if rows.contexts is not None and proposal.context != rows.context(row):
            columns.append(
                (rows.task.context_name or "context", rows.context(row) or "", proposal.context or "")
            )
        for place, (name, before, after) in enumerate(columns):
            yield Edit(
                id=id_,
                field=name,
                before=before,
                after=after,
                label_before=rows.label(row),
                label_after=proposal.label,
                method=self.method,
                engine=self.engine,
                accepted=not reason,
                reason=reason,
                verdicts=verdicts,
                round=number,
                how=proposal.how,
                source=rows.ids[row],
                trace=proposal.trace if place == 0 else {},
            )


@dataclass(slots=True)
class Proposed:
    """What came of one part. refusals: what the engine said about rows it gave no text for, or why its text is of no use."""

    proposals: list[Proposal] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    is_spent: bool = False


def parts_of(rows: Sequence[int]) -> list[Sequence[int]]:
    """The rows in parts of 64."""
    return [rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE)]


def add_in_parts(
    adder: Adder, rows: Sequence[int], propose: Callable[[Sequence[int]], Proposed]
) -> Iterator[Round]:
    """One round for each part of the rows, the last of which says why it is the last."""
    parts = parts_of(rows)
    for number, part in enumerate(parts or [()], 1):
        proposed = propose(part)
        added = adder.add(proposed.proposals, number=number)
        figures = Figures(
            asked=len(part),
            candidates=len(proposed.proposals),
            accepted=len(added.rows),
            rejected=dict(added.rejected.most_common()),
            refusals=dict(proposed.refusals.most_common()),
        )
        is_spent = proposed.is_spent or added.is_spent
        stopped = BUDGET_SPENT if is_spent else ALL_DONE if number >= len(parts) else ""
        yield Round(number, tuple(added.edits), tuple(added.rows), figures, stopped)
        if is_spent:
            return
