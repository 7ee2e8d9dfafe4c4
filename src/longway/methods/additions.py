"""Rows that a method adds: proposed, verified, then accepted or rejected with a reason. Shared by all augmentation methods.

    AskEngine         prompts -> what was written for each (`engines.asker.Asker.write_all`)
    ask_structured    prompts -> what a reader made of each answer, after one repair if necessary
    Proposal          a new text (and context) with its label, made from a row
    Adder             proposals -> verdicts -> edits, one for each column that differs from the source row
    add_in_parts      parts of the rows -> proposals -> rounds

Each part of 64 rows is a round: if the budget ends, or Ctrl-C is pressed, the rounds before stay done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from longway.engines.engine import Sampling, Written
from longway.engines.prompt import Prompt, mended
from longway.english.triples.triple import BadTriples
from longway.methods.drafts import NOT_VERIFIED, first_failure, until_spent
from longway.methods.method import ALL_DONE, Figures, Round, Rows, Verify, fresh_id
from longway.records import BUDGET_SPENT, Edit, Verdict
from longway.verify.check import Candidate

AT_ONCE = 64  # rows per round
TWICE = "the same text was added before"
NO_ANSWER = "the engine gave no answer"
T = TypeVar("T")


class AskEngine(Protocol):
    """Calls an engine."""

    def __call__(self, prompts: Sequence[Prompt], n: int, samplings: Sequence[Sampling]) -> Sequence[Written]:
        """Up to n texts per prompt, in order; may end with `BudgetSpent`."""
        ...


@dataclass(frozen=True, slots=True)
class Refused:
    """Why there is no usable answer."""

    reason: str


def ask_structured(
    ask: AskEngine,
    prompts: Sequence[Prompt],
    samplings: Sequence[Sampling],
    read: Sequence[Callable[[str], T]],
) -> list[T | Refused]:
    """The answers as their readers return them. A reader raises BadTriples if it cannot read an answer.

    An answer that cannot be read is requested once more, with what was wrong with it.
    """
    results: list[T | Refused] = []
    repairs: list[tuple[int, Prompt]] = []
    for place, (prompt, written) in enumerate(zip(prompts, ask(prompts, 1, samplings), strict=True)):
        if not written.texts:
            results.append(Refused(written.refusals[0] if written.refusals else NO_ANSWER))
            continue
        try:
            results.append(read[place](written.texts[0]))
        except BadTriples as wrong:
            results.append(Refused(str(wrong)))
            repairs.append((place, mended(prompt, written.texts[0], str(wrong))))
    if repairs:
        second = ask([prompt for _, prompt in repairs], 1, [samplings[place] for place, _ in repairs])
        for (place, _), written in zip(repairs, second, strict=True):
            first = results[place]
            assert isinstance(first, Refused)
            if not written.texts:
                results[place] = Refused(f"{first.reason}; no answer to the repair")
                continue
            try:
                results[place] = read[place](written.texts[0])
            except BadTriples as wrong:
                results[place] = Refused(f"not even after a repair: {wrong}")
    return results


@dataclass(frozen=True, slots=True)
class Proposal:
    """A row that could be added.

    row: its source. keep, context_keep: words that the text and its context must preserve. keeps: as in `Candidate`. how, trace: as in `Edit`.
    """

    row: int
    text: str
    label: str
    context: str | None = None
    how: str = ""
    keep: frozenset[str] = frozenset()
    context_keep: frozenset[str] = frozenset()
    keeps: str = "label"
    trace: Mapping[str, object] = field(default_factory=dict)

    def candidate(self, rows: Rows) -> Candidate:
        """The proposal as the checks see it."""
        return Candidate(
            row=self.row,
            before=rows.texts[self.row],
            after=self.text,
            label=self.label,
            context=self.context,
            keeps=self.keeps,
            keep=self.keep,
            context_keep=self.context_keep,
            may_copy=self.context != rows.context(self.row),  # with another context it is another row
        )


@dataclass(slots=True)
class Added:
    """The outcome of proposals. n_rows: how many rows were added; rejected: how many by short reason."""

    n_rows: int = 0
    edits: list[Edit] = field(default_factory=list)
    rejected: Counter[str] = field(default_factory=Counter)
    is_spent: bool = False


class Adder:
    """Adds rows over the rounds of one method.

    method, engine: names for the edits. verify: None to accept texts without checks.
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
        """Verify proposals in order and add those that pass, each text once. number: the round."""
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
                result.n_rows += 1
            result.edits += self._edits(proposal, id_, theirs or (), reason, number)
        return result

    def _verdicts(self, proposals: Sequence[Proposal]) -> tuple[list[tuple[Verdict, ...]], bool]:
        if self.verify is None:
            return [()] * len(proposals), False
        verify, candidates = self.verify, [proposal.candidate(self.rows) for proposal in proposals]
        return until_spent(lambda: verify(candidates))

    def _refusal(self, proposal: Proposal, verdicts: tuple[Verdict, ...] | None) -> tuple[str, str]:
        """The full and the short reason for a rejection, both "" if it is added."""
        if verdicts is None:
            return NOT_VERIFIED, NOT_VERIFIED
        if (failure := first_failure(verdicts)) is not None:
            return failure
        if (proposal.text, proposal.context) in self._texts:
            return TWICE, TWICE
        return "", ""

    def _edits(
        self, proposal: Proposal, id_: str, verdicts: tuple[Verdict, ...], reason: str, number: int
    ) -> Iterator[Edit]:
        """One edit for each column in which the new row differs from its source; the text's edit has the trace."""
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
    """The proposals for one part. refusals: why rows have none, by reason."""

    proposals: list[Proposal] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    is_spent: bool = False


def add_in_parts(
    adder: Adder, rows: Sequence[int], propose: Callable[[Sequence[int]], Proposed]
) -> Iterator[Round]:
    """One round for each part of the rows."""
    parts = [rows[start : start + AT_ONCE] for start in range(0, len(rows), AT_ONCE)]
    for number, part in enumerate(parts or [()], 1):
        proposed = propose(part)
        added = adder.add(proposed.proposals, number=number)
        figures = Figures(
            asked=len(part),
            candidates=len(proposed.proposals),
            accepted=added.n_rows,
            rejected=dict(added.rejected.most_common()),
            refusals=dict(proposed.refusals.most_common()),
        )
        is_spent = proposed.is_spent or added.is_spent
        stopped = BUDGET_SPENT if is_spent else ALL_DONE if number >= len(parts) else ""
        yield Round(number, tuple(added.edits), figures, stopped)
        if is_spent:
            return
