"""The loop of all methods that change or add texts: propose -> verify -> accept -> count.

    Draft           a text on its way to an edit: what was proposed, its verdicts, and why it is not used
    written         requests -> what an engine wrote for each
    drafts_of       what was written for a request -> drafts
    verify_all      gives each draft its verdicts
    added_rounds    a method that adds rows: its proposals are verified, accepted once, and counted, 64 rows in a round
    ask_structured  prompts -> what a reader made of each answer, after one repair if necessary

If the budget ends, or Ctrl-C is pressed, the rounds before stay done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from longway.engines.engine import Sampling, Written
from longway.engines.prompt import Prompt, mended
from longway.english.triples.triple import BadTriples
from longway.errors import BudgetSpent
from longway.methods.method import (
    ALL_DONE,
    Figures,
    RewriteRequest,
    Round,
    Rows,
    Verify,
    Write,
    fresh_id,
    keeps_of,
)
from longway.records import BUDGET_SPENT, Edit, Verdict
from longway.verify.check import Candidate

T = TypeVar("T")
AT_ONCE = 64  # rows per round
NOT_VERIFIED = "not verified"
TWICE = "the same text was added before"
NO_ANSWER = "the engine gave no answer"
NAN = float("nan")
NO_FEATURES = np.zeros(0, dtype=np.int64)


@dataclass(slots=True, kw_only=True)
class Draft(Candidate):
    """A text on its way to an edit.

    row: the row that it changes, or that it is made from. id: of the new row, "" if it changes a row. how, engine, trace: as in `Edit`.
    score, score_before: gamma of the text and of the one before. rank: the order of verification if not all are verified.
    verdicts: None until verified. reason: why it is not used, "" if it is; why: a short form, for counts.
    features: the numbers of its features, in a repair.
    column: that it changes, "" for the text. drops: whether its row is left out.
    """

    id: str = ""
    how: str = ""
    engine: str = ""
    trace: Mapping[str, object] = field(default_factory=dict)
    score_before: float = NAN
    score: float = NAN
    rank: float = NAN
    verdicts: tuple[Verdict, ...] | None = None
    reason: str = NOT_VERIFIED
    why: str = NOT_VERIFIED
    features: NDArray[np.int64] = field(default_factory=NO_FEATURES.copy)
    column: str = ""
    drops: bool = False

    @property
    def passed(self) -> bool:
        """Whether it passed all checks."""
        return self.verdicts is not None and all(verdict.passed for verdict in self.verdicts)

    def judge(self, verdicts: tuple[Verdict, ...]) -> None:
        """Set the verdicts; the first that failed becomes the reason."""
        self.verdicts = verdicts
        failed = next((verdict for verdict in verdicts if not verdict.passed), None)
        self.refuse("")
        if failed is not None:
            self.reason, self.why = f"{failed.check}: {failed.reason}".rstrip(": "), failed.check

    def refuse(self, reason: str) -> None:
        """Set the reason; "" to accept it."""
        self.reason = self.why = reason

    def edits(self, rows: Rows, *, method: str, number: int) -> list[Edit]:
        """The edit of the text, which has the trace, and one of the context if it differs from the row's. number: of the round."""
        columns = [(self.column or rows.task.text_name, self.before, self.after)]
        context = rows.context(self.row)
        if self.context != context:
            columns.append((rows.task.context_name or "context", context or "", self.context or ""))
        source = rows.ids[self.row]
        scores = [None if score != score else float(score) for score in (self.score_before, self.score)]
        return [
            Edit(
                id=self.id or source,
                field=name,
                before=before,
                after=after,
                label_before=self.label if self.drops or self.column else rows.label(self.row),
                label_after=self.label,
                method=method,
                engine=self.engine,
                accepted=not self.reason,
                reason=self.reason,
                verdicts=self.verdicts or (),
                score_before=scores[0],
                score_after=scores[1],
                round=number,
                how=self.how,
                source=source if self.id and not self.drops else "",
                drops=self.drops,
                trace={} if place else self.trace,
            )
            for place, (name, before, after) in enumerate(columns)
        ]


def new_row(
    rows: Rows,
    row: int,
    text: str,
    label: str,
    *,
    context: str | None = None,
    how: str = "",
    engine: str = "rules",
    keeps: str = "label",
) -> Draft:
    """A draft of a row to add. context: None for that of the row it is made from."""
    own = rows.context(row)
    context = own if context is None else context
    may_copy = context != own  # with another context it is another row
    return Draft(row, rows.texts[row], text, label, context, keeps, may_copy=may_copy, how=how, engine=engine)


# Propose


def until_spent(answers: Callable[[], Iterable[T]]) -> tuple[list[T], bool]:
    """The answers that came before the budget ended, and whether it ended."""
    received: list[T] = []
    try:
        for answer in answers():
            received.append(answer)
    except BudgetSpent as spent:
        paid = takewhile(lambda answer: answer is not None, spent.answers)
        return received or cast(list[T], list(paid)), True
    return received, False


def written(
    write: Write, requests: Sequence[RewriteRequest]
) -> tuple[list[tuple[RewriteRequest, Written]], bool]:
    """The requests with what was written for each, as far as the budget goes; and whether it ended."""
    answers, is_spent = until_spent(lambda: write(requests))
    return list(zip(requests, answers, strict=not is_spent)), is_spent


def drafts_of(request: RewriteRequest, answer: Written, engine: str) -> Iterator[Draft]:
    """The texts that were written for a request."""
    for text, how in zip(answer.texts, answer.how or ("",) * len(answer.texts), strict=True):
        yield Draft(
            row=request.row,
            before=request.text,
            after=text,
            label=request.target or request.label,
            context=request.context,
            keeps="label" if request.target else keeps_of(how, request.keeps),
            telling=frozenset(request.avoid),
            origin=request.origin,
            how=how,
            engine=engine,
        )


# Up to n texts per prompt, in order; may end with `BudgetSpent`.
AskEngine = Callable[[Sequence[Prompt], int, Sequence[Sampling]], Sequence[Written]]


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
    answers = list(ask(prompts, 1, samplings))
    results = [_as_read(reader, answer) for reader, answer in zip(read, answers, strict=True)]
    again = [place for place, result in enumerate(results) if isinstance(result, Refused)]
    again = [place for place in again if answers[place].texts]
    repairs = [
        mended(prompts[place], answers[place].texts[0], cast(Refused, results[place]).reason)
        for place in again
    ]
    second = ask(repairs, 1, [samplings[place] for place in again]) if repairs else ()
    for place, answer in zip(again, second, strict=True):
        result = _as_read(read[place], answer)
        if isinstance(result, Refused):
            why = f"{cast(Refused, results[place]).reason}; no answer to the repair"
            result = Refused(f"not even after a repair: {result.reason}" if answer.texts else why)
        results[place] = result
    return results


def _as_read(read: Callable[[str], T], answer: Written) -> T | Refused:
    if not answer.texts:
        return Refused(answer.refusals[0] if answer.refusals else NO_ANSWER)
    try:
        return read(answer.texts[0])
    except BadTriples as wrong:
        return Refused(str(wrong))


# Verify, accept, count


def verify_all(verify: Verify | None, drafts: Sequence[Draft]) -> bool:
    """Give each draft its verdicts, none without checks; returns True if the budget ended and the rest stays unverified."""
    if verify is None or not drafts:
        for draft in drafts:
            draft.judge(())
        return False
    verdicts, is_spent = until_spent(lambda: verify(drafts))
    for draft, theirs in zip(drafts, verdicts, strict=not is_spent):
        draft.judge(theirs)
    return is_spent


def added_rounds(
    rows: Rows,
    items: Sequence[int],
    propose: Callable[[Sequence[int], Counter[str]], Iterable[Draft]],
    *,
    method: str,
    verify: Verify | None,
) -> Iterator[Round]:
    """The rounds of a method that adds rows, each text once.

    items: what the method goes through, such as rows. propose: the drafts for some of them; it counts why others have none, and may end
    early with `BudgetSpent`. verify: None to accept texts without checks.
    """
    taken = set(rows.ids)
    there = {(text, rows.context(row)) for row, text in enumerate(rows.texts)}
    parts = [items[start : start + AT_ONCE] for start in range(0, len(items), AT_ONCE)] or [()]
    for number, part in enumerate(parts, 1):
        figures, is_spent = Figures(asked=len(part)), False
        drafts: list[Draft] = []
        try:
            for draft in propose(part, figures.refusals):
                drafts.append(draft)
        except BudgetSpent:
            is_spent = True
        is_spent |= verify_all(verify, drafts)
        edits: list[Edit] = []
        for draft in drafts:
            draft.id = fresh_id(taken, rows.ids[draft.row], method)
            if not draft.reason and (draft.after, draft.context) in there:
                draft.refuse(TWICE)
            if not draft.reason:
                there.add((draft.after, draft.context))
            figures.count(draft.why)
            edits += draft.edits(rows, method=method, number=number)
        stopped = BUDGET_SPENT if is_spent else ALL_DONE if number == len(parts) else ""
        yield Round(number, tuple(edits), figures, stopped)
        if is_spent:
            return
