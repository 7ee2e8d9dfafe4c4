"""The candidates of one round: written, scored, verified, and one of them chosen per row.

    write_drafts     requests -> drafts (RAZOR's Algorithm 1, line 13)
    verify_drafts    gives each draft its verdicts (Eq. 13)
    choose_drafts    takes, per row, the draft with the lowest score among those that passed (lines 14 to 18)

Each draft becomes an `Edit`, accepted or with the reason for its rejection.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import groupby, takewhile
from typing import TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from longway.engines.engine import Written
from longway.errors import BudgetSpent
from longway.methods.method import Chooser, RewriteRequest, Rows, Verify, Write, keeps_of
from longway.records import Edit, Verdict
from longway.verify.check import Candidate

Floats = NDArray[np.float64]

T = TypeVar("T")
NOT_CHOSEN = "another candidate scored lower"
NOT_BETTER = "the original scores as low"
NOT_VERIFIED = "not verified"
RETURNS = "the row had this text before"
DECIMALS = 6  # precision of comparisons: further digits are noise of single-precision sums
MEANING = "meaning"  # the check that measures how close a candidate is to the text before
LABEL = (
    "judge",
    "entailment",
    "classifiers",
)  # checks that measure how likely the label is, first choice first


@dataclass(slots=True)
class RewriteDraft:
    """One candidate on its way to an edit.

    score: gamma. rank: the order of verification if not all are verified: gamma, or the chooser's score.
    verdicts: None until verified. why: a short form of `reason`, for counts.
    """

    candidate: Candidate
    how: str
    score: float = float("nan")
    rank: float = float("nan")
    verdicts: tuple[Verdict, ...] | None = None
    reason: str = NOT_VERIFIED
    why: str = NOT_VERIFIED

    @property
    def row(self) -> int:
        """The row it was written for."""
        return self.candidate.row

    @property
    def passed(self) -> bool:
        """Whether it passed all checks."""
        return self.verdicts is not None and all(verdict.passed for verdict in self.verdicts)

    def judge(self, verdicts: tuple[Verdict, ...]) -> None:
        """Set the verdicts; the first that failed becomes the reason."""
        self.verdicts = verdicts
        self.reason, self.why = first_failure(verdicts) or (NOT_CHOSEN, NOT_CHOSEN)

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
            score_before=None if np.isnan(gamma) else float(gamma),
            score_after=None if np.isnan(self.score) else float(self.score),
            round=number,
            how=self.how,
        )


def first_failure(verdicts: Sequence[Verdict]) -> tuple[str, str] | None:
    """The first failed verdict as a full and a short reason; None if all passed."""
    failed = next((verdict for verdict in verdicts if not verdict.passed), None)
    return None if failed is None else (f"{failed.check}: {failed.reason}".rstrip(": "), failed.check)


@dataclass(slots=True)
class Drafts:
    """What was written in a round, in the order of the requests.

    answered: rows for which an engine answered, with or without a text. is_spent: the budget ended on the way.
    """

    drafts: list[RewriteDraft] = field(default_factory=list)
    answered: list[int] = field(default_factory=list)
    refusals: Counter[str] = field(default_factory=Counter)
    is_spent: bool = False


def write_drafts(write: Write, requests: Sequence[RewriteRequest]) -> Drafts:
    """The texts written for the requests, as far as the budget goes."""
    answers, is_spent = until_spent(lambda: write(requests))
    result = Drafts(is_spent=is_spent)
    for request, written in zip(requests, answers, strict=not is_spent):
        result.answered.append(request.row)
        result.refusals.update(written.refusals)
        for text, how in with_how(written):
            candidate = Candidate(
                row=request.row,
                before=request.text,
                after=text,
                label=request.label,
                context=request.context,
                keeps=keeps_of(how, request.keeps),
                telling=frozenset(request.avoid),
                origin=request.origin,
            )
            result.drafts.append(RewriteDraft(candidate, how))
    return result


def reject_returns(drafts: Iterable[RewriteDraft], earlier: Mapping[int, Set[str]]) -> None:
    """Reject drafts that give a row an earlier text of its own. earlier: the texts that each row had before its current one."""
    for draft in drafts:
        if draft.candidate.after in earlier.get(draft.row, ()):
            draft.reason = draft.why = RETURNS


def rank_drafts(drafts: Sequence[RewriteDraft], chooser: Chooser, *, only_better: bool = False) -> None:
    """Rank drafts by a chooser's scores; with `only_better`, reject those that are no better than the original."""
    for row, group in groupby(drafts, key=lambda draft: draft.row):
        of_row = list(group)
        texts = [*(draft.candidate.after for draft in of_row), of_row[0].candidate.before]
        *scores, original = chooser.of_candidates(row, texts)
        for draft, score in zip(of_row, scores, strict=True):
            draft.rank = float(score)
            if only_better and draft.why != RETURNS and not _order(score) < _order(original):
                draft.reason = draft.why = NOT_BETTER


def verify_drafts(verify: Verify, drafts: Sequence[RewriteDraft], *, best_first: bool = False) -> bool:
    """Give each draft its verdicts; returns True if the budget ended and the rest stays unverified.

    best_first: per row, verify from the lowest rank up until one passes. Drafts that were rejected before are skipped.
    """
    drafts = [draft for draft in drafts if draft.why not in (NOT_BETTER, RETURNS)]
    if not best_first:
        return _verify_all(verify, drafts)
    waiting = [
        sorted(of_row, key=lambda draft: _order(draft.rank))
        for _, of_row in groupby(drafts, key=lambda draft: draft.row)
    ]
    while waiting:
        if _verify_all(verify, [of_row[0] for of_row in waiting]):
            return True
        waiting = [of_row[1:] for of_row in waiting if not of_row[0].passed and len(of_row) > 1]
    return False


def choose_drafts(
    drafts: Sequence[RewriteDraft],
    original: Callable[[int], float],
    *,
    choose_by: Chooser | None = None,
    only_better: bool = False,
    rerank: bool = False,
) -> dict[int, str]:
    """The new text of each row: of the drafts that passed, the one with the lowest score; the others get a reason.

    original: the score of a row's current text. only_better: keep that text if no draft scores lower.
    choose_by: scores to use instead of gamma, updated row by row. rerank: use `combined_ranks`.
    """
    accepted: dict[int, str] = {}
    for row, group in groupby(drafts, key=lambda draft: draft.row):
        passed = [draft for draft in group if draft.passed]
        if not passed:
            continue
        if choose_by is None:
            scores, before = [draft.score for draft in passed], original(row)
        else:
            texts = [*(draft.candidate.after for draft in passed), passed[0].candidate.before]
            *scores, before = choose_by.of_candidates(row, texts)
        if only_better:
            better = [i for i, score in enumerate(scores) if _order(score) < _order(before)]
            if not better:
                for draft in passed:
                    draft.reason = draft.why = NOT_BETTER
                continue
            passed, scores = [passed[i] for i in better], [scores[i] for i in better]
        order = [_order(score) for score in scores]
        if rerank:
            order = combined_ranks(scores, [draft.verdicts or () for draft in passed])
        best = min(range(len(passed)), key=lambda i: (order[i], _order(scores[i]), i))
        passed[best].reason = passed[best].why = ""
        accepted[row] = passed[best].candidate.after
        if choose_by is not None:
            choose_by.replace({row: accepted[row]})
    return accepted


def combined_ranks(scores: Sequence[float], verdicts: Sequence[Sequence[Verdict]]) -> list[float]:
    """One rank per candidate, the lowest is best: its rank by score plus half its ranks by meaning and by label (not in the paper).

    RAZOR takes the lowest gamma alone, and so the strangest of the texts that pass. Here closeness of meaning and the judge's
    confidence in the label together count as much as the score. Ranks are added, not numbers: the three have no common scale.
    If a check gave no number, all candidates share its rank.
    """
    by_score = np.where(np.isnan(scores), np.inf, np.round(np.asarray(scores, np.float64), DECIMALS))
    meaning = [-_measured(theirs, (MEANING,)) for theirs in verdicts]
    label = [-_measured(theirs, LABEL) for theirs in verdicts]
    return (_ranks(by_score) + (_ranks(np.array(meaning)) + _ranks(np.array(label))) / 2).tolist()


def rejections(drafts: Sequence[RewriteDraft]) -> Mapping[str, int]:
    """How many drafts were rejected, by short reason, most frequent first."""
    return dict(Counter(draft.why for draft in drafts if draft.why).most_common())


def with_how(written: Written | None) -> Iterator[tuple[str, str]]:
    """Each text with what was done; "" if the writer does not say."""
    if written is not None:
        yield from zip(written.texts, written.how or ("",) * len(written.texts), strict=True)


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


def _verify_all(verify: Verify, drafts: Sequence[RewriteDraft]) -> bool:
    verdicts, is_spent = until_spent(lambda: verify([draft.candidate for draft in drafts]))
    for draft, theirs in zip(drafts, verdicts, strict=not is_spent):
        draft.judge(theirs)
    return is_spent


def _order(score: float) -> float:
    """A score for comparisons: rounded, and infinite if there is none."""
    return float("inf") if np.isnan(score) else round(float(score), DECIMALS)


def _measured(verdicts: Sequence[Verdict], checks: Sequence[str]) -> float:
    scores = {verdict.check: verdict.score for verdict in verdicts if verdict.score is not None}
    return next((scores[check] for check in checks if check in scores), 0.0)


def _ranks(values: Floats) -> Floats:
    """How many values are lower, plus half of the others that are equal."""
    lower = (values[None, :] < values[:, None]).sum(axis=1)
    equal = (values[None, :] == values[:, None]).sum(axis=1) - 1
    return np.asarray(lower + equal / 2, np.float64)
