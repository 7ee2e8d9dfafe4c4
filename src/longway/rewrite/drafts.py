"""The candidates of one round: written, scored, verified, and one of them chosen for each row.

    write_drafts     asked rows -> drafts (RAZOR's Algorithm 1, line 13)
    verify_drafts    each draft gets its verdicts (Eq. 13)
    settle           for each row the draft with the lowest score among those that passed (lines 14 to 18)

A draft ends as an `Edit`, accepted or with the reason why not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import TypeVar

import numpy as np

from longway.errors import BudgetSpent
from longway.records import Edit, Verdict
from longway.rewrite.method import Asked, Chooser, Rows, Verify, Write, keeps_of
from longway.rewrite.rerank import weighed
from longway.rewrite.selection import DECIMALS
from longway.verify.check import Candidate

T = TypeVar("T")
NOT_CHOSEN = "another candidate scored lower"
NOT_BETTER = "the original scores as low"
NOT_VERIFIED = "not verified"


@dataclass(slots=True)
class Draft:
    """One candidate on its way to an edit.

    score: gamma. rank: what is looked at first where not all are verified; gamma, or the chooser's score.
    verdicts: None until it was verified.
    """

    candidate: Candidate
    how: str
    score: float = float("nan")
    rank: float = float("nan")
    verdicts: tuple[Verdict, ...] | None = None
    reason: str = NOT_VERIFIED
    why: str = NOT_VERIFIED  # the reason in short, to be counted

    @property
    def row(self) -> int:
        """The row it was written for."""
        return self.candidate.row

    @property
    def passed(self) -> bool:
        """Whether all checks let it through."""
        return self.verdicts is not None and all(verdict.passed for verdict in self.verdicts)

    def judge(self, verdicts: tuple[Verdict, ...]) -> None:
        """Take the verdicts; the first that failed is the reason."""
        self.verdicts = verdicts
        failed = next((verdict for verdict in verdicts if not verdict.passed), None)
        if failed is None:
            self.reason = self.why = NOT_CHOSEN
        else:
            self.reason, self.why = f"{failed.check}: {failed.reason}".rstrip(": "), failed.check

    def edit(self, rows: Rows, *, method: str, engine: str, gamma: float, number: int) -> Edit:
        """The draft as a record; gamma: of the text before."""
        label = self.candidate.label
        return Edit(
            id=rows.ids[self.row],
            field=rows.task.text_name,
            before=self.candidate.before,
            after=self.candidate.after,
            label_before=label,
            label_after=label,
            method=method,
            engine=engine,
            accepted=not self.reason,
            reason=self.reason,
            verdicts=self.verdicts or (),
            score_before=_number(gamma),
            score_after=_number(self.score),
            round=number,
            how=self.how,
        )


@dataclass(slots=True)
class Drafts:
    """What was written in a round, in the order of the rows asked.

    answered: rows that an engine answered for, with a text or without. is_spent: the budget ended on the way.
    """

    drafts: list[Draft] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    is_spent: bool = False


def write_drafts(write: Write, asked: Sequence[Asked]) -> Drafts:
    """The texts that were written for the rows asked, as far as the budget goes."""
    answers, is_spent = until_spent(lambda: write(asked))
    result = Drafts(is_spent=is_spent)
    for one, written in zip(asked, answers, strict=not is_spent):
        result.answered.append(one.row)
        result.refusals.update(written.refusals)
        how = written.how or ("",) * len(written.texts)
        for text, done in zip(written.texts, how, strict=True):
            candidate = Candidate(
                row=one.row,
                before=one.text,
                after=text,
                label=one.label,
                context=one.context,
                keeps=keeps_of(done),
                telling=frozenset(one.avoid),
                origin=one.origin,
            )
            result.drafts.append(Draft(candidate, done))
    return result


def rank_drafts(drafts: Sequence[Draft], chooser: Chooser, *, only_better: bool = False) -> None:
    """Rank the drafts by a chooser's scores; with `only_better`, say of those that are no better than the original so."""
    for row, group in groupby(drafts, key=lambda draft: draft.row):
        of_row = list(group)
        texts = [*(draft.candidate.after for draft in of_row), of_row[0].candidate.before]
        *scores, stays = chooser.of_candidates(row, texts)
        for draft, score in zip(of_row, scores, strict=True):
            draft.rank = float(score)
            if only_better and not _order(score) < _order(stays):
                draft.reason = draft.why = NOT_BETTER


def verify_drafts(verify: Verify, drafts: Sequence[Draft], *, best_first: bool = False) -> bool:
    """Give each draft its verdicts; True where the budget ended on the way, and the rest stays unverified.

    best_first: only as many drafts of a row as it takes to find one that passes, from the lowest rank up.
    Drafts that `rank_drafts` found no better than the original are left out.
    """
    drafts = [draft for draft in drafts if draft.why != NOT_BETTER]
    if not best_first:
        return _verify_all(verify, drafts)
    waiting = [sorted(of_row, key=_place) for _, of_row in groupby(drafts, key=lambda draft: draft.row)]
    while waiting:
        if _verify_all(verify, [of_row[0] for of_row in waiting]):
            return True
        waiting = [of_row[1:] for of_row in waiting if not of_row[0].passed and len(of_row) > 1]
    return False


def settle(
    drafts: Sequence[Draft],
    original: Callable[[int], float],
    *,
    choose_by: Chooser | None = None,
    only_better: bool = False,
    rerank: bool = False,
) -> dict[int, str]:
    """For each row the new text: of the drafts that passed, the one with the lowest score; the others say why not.

    original: the score of a row as it stands. only_better: a row keeps its text where no draft scores lower.
    choose_by: scores by this instead of gamma, and follows row by row. rerank: meaning and label count too (`rerank.py`).
    """
    accepted: dict[int, str] = {}
    for row, group in groupby(drafts, key=lambda draft: draft.row):
        passed = [draft for draft in group if draft.passed]
        if not passed:
            continue
        if choose_by is None:
            scores = [draft.score for draft in passed]
            stays = original(row)
        else:
            texts = [*(draft.candidate.after for draft in passed), passed[0].candidate.before]
            *scores, stays = choose_by.of_candidates(row, texts)
        if only_better:
            better = [i for i, score in enumerate(scores) if _order(score) < _order(stays)]
            if not better:
                for draft in passed:
                    draft.reason = draft.why = NOT_BETTER
                continue
            passed, scores = [passed[i] for i in better], [scores[i] for i in better]
        order = (
            weighed(scores, [draft.verdicts or () for draft in passed])
            if rerank
            else [_order(score) for score in scores]
        )
        best = min(range(len(passed)), key=lambda i: (order[i], _order(scores[i]), i))
        passed[best].reason = passed[best].why = ""
        accepted[row] = passed[best].candidate.after
        if choose_by is not None:
            choose_by.replace({row: accepted[row]})
    return accepted


def rejections(drafts: Sequence[Draft]) -> Mapping[str, int]:
    """How many drafts were not accepted, by why, the commonest first."""
    return dict(Counter(draft.why for draft in drafts if draft.why).most_common())


def _verify_all(verify: Verify, drafts: Sequence[Draft]) -> bool:
    verdicts, is_spent = until_spent(lambda: verify([draft.candidate for draft in drafts]))
    for draft, theirs in zip(drafts, verdicts, strict=not is_spent):
        draft.judge(theirs)
    return is_spent


def until_spent(answers: Callable[[], Iterable[T]]) -> tuple[list[T], bool]:
    """The answers up to where the budget ended, and whether it did."""
    found: list[T] = []
    try:
        for answer in answers():
            found.append(answer)
    except BudgetSpent:
        return found, True
    return found, False


def _place(draft: Draft) -> float:
    return _order(draft.rank)


def _order(score: float) -> float:
    """Scores as they are compared: rounded, and a text without one behind all others."""
    return float("inf") if np.isnan(score) else round(float(score), DECIMALS)


def _number(score: float) -> float | None:
    return None if np.isnan(score) else float(score)
