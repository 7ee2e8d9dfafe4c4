"""RAZOR: rewrite the documents that look least like those of other labels, until the labels look alike.

Algorithm 1 of "RAZOR: Sharpening Knowledge by Cutting Bias with Unsupervised Text Rewriting" (Yang, Prenkaj, Kasneci):

    score all documents by gamma (Eq. 12) and sort             lines 2 to 9
    take the top k                                             line 10
    write m candidates for each, and verify them               line 13, Eq. 13
    replace each document by the candidate with lowest gamma   lines 14 to 19
    repeat until Eq. 14 no longer gains                        line 21

As in the paper, all gammas of a round, including those of the candidates, are computed against the documents at the start of the
round; the chosen candidate replaces the document even if its gamma is higher (`only_better` changes that); and a document may
be rewritten again in the next round, even back to an earlier text (`may_return`). A row without a verified candidate stays as it is and is drawn again, until `tries` draws in a
row gave nothing. Size, order, ids and labels are preserved. Checks get the origin of a text that was rewritten before, to
see how far it has moved.

The paper has two versions of Eq. 14. The published one maximises the sum of cosines, which gamma is made of, and is our
default; Algorithm 1 (line 21) minimises a sum of KL divergences: `stop="kl"`. Nothing here is random.
"""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from math import sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from longway.methods.leak_aware import GiveAway
from longway.methods.loop import Draft, drafts_of, verify_all, written
from longway.methods.method import (
    NOT_BETTER,
    NOT_CHOSEN,
    RETURNS,
    Figures,
    Floats,
    Objection,
    RewriteRequest,
    Round,
    Rows,
    Verify,
    Write,
    no_objection,
)
from longway.records import BUDGET_SPENT, Edit, Leak
from longway.space.live_space import Embed, Space, SpaceName, space_named
from longway.verify.check import Origin

Balance = Literal["none", "equal", "alternate"]
NEAR_CHANCE = 0.05
Stop = Literal["cosine", "kl", "leak", "never"]
# text, label -> words and phrases of the text that predict the label
PredictivePhrases = Callable[[str, str], tuple[str, ...]]
DECIMALS = 6  # precision of comparisons: further digits are noise of single-precision sums
NOTHING_LEFT = "there is nothing left to rewrite"
NO_GAIN = {
    "cosine": "sum of cosines no longer rises",
    "kl": "divergence no longer falls",
    "leak": "leak no longer falls",
}
NOISE = 1e-6  # of one document in single precision; the mean of n documents has it divided by the root of n


@dataclass(frozen=True, slots=True)
class RazorSettings:
    """Settings of RAZOR's loop; the defaults are the paper's, if it gives any.

    k: rows per round, as a number (int) or a share of all rows (float).
    m: candidates per row.
    balance: "none" for Algorithm 1; "equal" takes the same number of rows of each label; "alternate" takes one label per round, as the published code does.
    rounds: the most rounds.
    stop: "cosine" (Eq. 14 as published), "kl" (Algorithm 1), "leak" (accuracy of a bag of words) or "never".
    until_chance: also stop when the leak is at chance, which the paper does not.
    patience: rounds without a gain before it stops.
    tries: draws in a row without a verified candidate before a row is left alone.
    per_row: how often a row may be replaced; None for any number.
    least: rows that score no more than this are left alone; None for all rows.
    only_better: replace a text only if the new one scores lower.
    may_return: accept a text that the row had before, as the paper does, where a row can alternate between two texts.
    verify: "all" candidates, or "best first" until one passes: fewer calls to the judge, and the same choice by gamma.
    space: "mean" (Eq. 10), "token" (one vector per word) or "embedding" (section 4.2).
    dimensions: lambda of Eq. 9.
    """

    k: int | float = 0.1
    m: int = 4
    balance: Balance = "none"
    rounds: int = 10
    stop: Stop = "cosine"
    until_chance: bool = True
    patience: int = 1
    tries: int = 2
    per_row: int | None = None
    least: float | None = None
    only_better: bool = False
    may_return: bool = True
    verify: Literal["all", "best first"] = "all"
    space: SpaceName = "mean"
    dimensions: int = 64


class Razor:
    """RAZOR's loop over given rows.

    chooser: what chooses the rows to rewrite, and the candidate to take, in place of gamma.
    phrases: finds the words and phrases of a text that should go. leak: measured after each round.
    embed: gives the vectors of `space="embedding"`. objection: why a text may not be used; it is counted like a refusal of the engine.
    """

    name = "razor"

    def __init__(
        self,
        settings: RazorSettings | None = None,
        *,
        write: Write,
        verify: Verify,
        chooser: GiveAway | None = None,
        phrases: PredictivePhrases | None = None,
        leak: Callable[[Rows], Leak] | None = None,
        embed: Embed | None = None,
        objection: Objection = no_objection,
    ) -> None:
        self.settings = settings or RazorSettings()
        self.write, self.verify = write, verify
        self.chooser, self.phrases = chooser, phrases
        self.leak, self.embed = leak, embed
        self.objection = objection

    def run(self, rows: Rows) -> Iterator[Round]:
        """Yield the rounds; round 0 has the figures of the original rows."""
        if len(np.unique(rows.labels)) < 2:
            yield Round(0, stopped="there are no documents with another label to compare with")
            return
        loop = _Loop(self, rows)
        stopping = _Stopping(self.settings, len(rows), loop.figures)
        number, edits, is_spent = 0, tuple[Edit, ...](), False
        while True:
            reason = BUDGET_SPENT if is_spent else stopping.reason(number, loop.figures)
            requests = [] if reason else loop.requests(number + 1)
            reason = reason or ("" if requests else NOTHING_LEFT)
            yield Round(number, edits, figures=loop.figures, stopped=reason)
            if reason:
                return
            number += 1
            edits, is_spent = loop.rewrite(number, requests)


class _Loop:
    """One run: the rows as rewritten so far, their space, and how often each was tried."""

    def __init__(self, razor: Razor, rows: Rows) -> None:
        self.razor, self.settings = razor, razor.settings
        self.rows = replace(rows, texts=list(rows.texts))  # as rewritten so far
        started = time.perf_counter()
        self.space: Space = space_named(
            self.settings.space,
            self.rows.texts,
            rows.labels,
            dimensions=self.settings.dimensions,
            embed=razor.embed,
            tokenizer=rows.tokenizer,
        )
        self.k = count_of(self.settings.k, len(rows))
        self.requested = np.zeros(len(rows), dtype=np.int64)
        self.failures = np.zeros(len(rows), dtype=np.int64)
        self.replaced = np.zeros(len(rows), dtype=np.int64)
        self.origins: dict[int, Origin] = {}  # of rows that have a new text
        self.earlier: defaultdict[int, set[str]] = defaultdict(set)  # texts that a row had
        self.refused: dict[int, tuple[str, str]] = {}  # by row: the last text that failed a check, and why
        self.gamma = self.space.gamma()
        self.figures = self._figures()
        self.figures.seconds = round(time.perf_counter() - started, 4)

    def requests(self, number: int) -> list[RewriteRequest]:
        """The requests of a round (lines 9 and 10)."""
        settings, rows, phrases = self.settings, self.rows, self.razor.phrases
        chosen = top_rows(
            self._usable_scores(), rows.labels, self.k, balance=settings.balance, turn=number - 1
        )
        requests = [
            rows.request(
                row,
                settings.m,
                sample=int(self.requested[row]),
                avoid=() if phrases is None else phrases(rows.texts[row], rows.label(row)),
                origin=self.origins.get(row),
                keeps=rows.task.keeps(rows.label(row)),
                refused=self.refused.get(row),
            )
            for row in chosen
        ]
        return requests

    def rewrite(self, number: int, requests: list[RewriteRequest]) -> tuple[tuple[Edit, ...], bool]:
        """Write, verify, choose and replace; returns the edits of the round and whether the budget is spent."""
        started = time.perf_counter()
        settings, razor = self.settings, self.razor
        answers, is_unwritten = written(razor.write, requests)
        refusals: Counter[str] = Counter()
        drafts: list[Draft] = []
        for request, answer in answers:
            refusals.update(answer.refusals)
            for draft in drafts_of(request, answer, razor.write.name):
                why = razor.objection(self.rows.ids[draft.row], draft.before, draft.after)
                if why:
                    refusals[why] += 1
                else:
                    drafts.append(draft)
        for draft in () if settings.may_return else drafts:
            if draft.after in self.earlier[draft.row]:
                draft.refuse(RETURNS)
        self._score(drafts)
        waiting = [draft for draft in drafts if draft.why not in (NOT_BETTER, RETURNS)]
        verify = verify_best_first if settings.verify == "best first" else verify_all
        is_unverified = verify(razor.verify, waiting)
        accepted = choose_drafts(drafts, chooser=razor.chooser, only_better=settings.only_better)
        edits = tuple(
            edit for draft in drafts for edit in draft.edits(self.rows, method=razor.name, number=number)
        )
        self._replace(accepted)
        self._remember(drafts)
        answered, new = [request.row for request, _ in answers], list(accepted)
        self.requested[answered] += 1
        self.failures[answered] += 1
        self.failures[new] = 0
        self.replaced[new] += 1
        self.figures = self._figures()
        self.figures.asked = len(requests)
        for draft in drafts:
            self.figures.count(draft.why)
        self.figures.refusals = refusals
        self.figures.seconds = round(time.perf_counter() - started, 4)
        return edits, is_unverified or is_unwritten

    def _figures(self) -> Figures:
        """The state of the dataset."""
        leak = None if self.razor.leak is None else self.razor.leak(self.rows)
        return Figures(
            cosine=self.space.mean_cosine(),
            divergence=self.space.divergence(),
            gamma=None if np.isnan(self.gamma).all() else float(np.nanmean(self.gamma)),
            leak=leak,
        )

    def _usable_scores(self) -> Floats:
        """The scores that rows are ranked by, NaN for rows to leave alone."""
        chooser, settings = self.razor.chooser, self.settings
        scores = np.array(self.gamma if chooser is None else chooser.scores(), dtype=np.float64)
        left_alone = self.failures >= settings.tries
        if settings.per_row is not None:
            left_alone |= self.replaced >= settings.per_row
        if settings.least is not None:
            left_alone |= scores <= settings.least
        scores[left_alone] = np.nan
        return scores

    def _score(self, drafts: list[Draft]) -> None:
        """Line 15: gamma of each candidate, against the documents at the start of the round."""
        if not drafts:
            return
        labels = self.rows.labels[[draft.row for draft in drafts]]
        scores = self.space.score([draft.after for draft in drafts], labels)
        for draft, score in zip(drafts, scores.tolist(), strict=True):
            draft.score = draft.rank = score
            draft.score_before = float(self.gamma[draft.row])
        if self.razor.chooser is not None:
            rank_drafts(drafts, self.razor.chooser, only_better=self.settings.only_better)

    def _replace(self, accepted: dict[int, str]) -> None:
        if not accepted:
            return
        for row, text in accepted.items():
            self.rows.texts[row] = text
        self.space.replace(accepted)
        self.gamma = self.space.gamma()

    def _remember(self, drafts: list[Draft]) -> None:
        """Keep the origin of each replaced row, and why a text of another row was refused."""
        for draft in drafts:
            if draft.verdicts is not None and not draft.passed:
                self.refused[draft.row] = draft.after, draft.reason
        for draft in drafts:
            if draft.reason:
                continue
            self.refused.pop(draft.row, None)
            self.earlier[draft.row].add(draft.before)
            origin = draft.origin_now
            if origin.text == draft.after:
                self.origins.pop(draft.row, None)  # it is the original again
            else:
                self.origins[draft.row] = origin


class _Stopping:
    """Follows the figures of the rounds and decides when to stop."""

    def __init__(self, settings: RazorSettings, n_rows: int, start: Figures) -> None:
        self.settings = settings
        self._least_gain = NOISE / sqrt(max(n_rows, 1))
        self._best = self._objective(start)
        self._without_gain = 0

    def reason(self, number: int, figures: Figures) -> str:
        """Why to stop after this round, "" to go on."""
        if self.settings.until_chance and figures.leak is not None and _is_at_chance(figures.leak):
            return "the leak has reached chance"
        if self.settings.stop != "never" and figures.accepted and self._is_patience_over(figures):
            return f"the {NO_GAIN[self.settings.stop]}"
        return f"{number} rounds are done" if number >= self.settings.rounds else ""

    def _is_patience_over(self, figures: Figures) -> bool:
        """Called only for rounds that replaced something: others do not change the objective."""
        value = self._objective(figures)
        is_gain = value > self._best + self._least_gain
        self._best = max(self._best, value)
        self._without_gain = 0 if is_gain else self._without_gain + 1
        return self._without_gain >= self.settings.patience

    def _objective(self, figures: Figures) -> float:
        """The value that should rise."""
        if self.settings.stop == "leak":
            return 0.0 if figures.leak is None else -figures.leak.accuracy
        if self.settings.stop == "kl":
            return 0.0 if figures.divergence is None else -figures.divergence
        return figures.cosine or 0.0


def _is_at_chance(leak: Leak) -> bool:
    """Whether a leak is neither clearly above chance nor far from it: with few rows, an interval may cover both chance and a large leak."""
    return leak.low <= leak.majority and leak.accuracy <= leak.majority + NEAR_CHANCE


def rank_drafts(drafts: Sequence[Draft], chooser: GiveAway, *, only_better: bool = False) -> None:
    """Rank drafts by a chooser's scores; with `only_better`, reject those that are no better than the original."""
    for row, group in groupby(drafts, key=lambda draft: draft.row):
        of_row = list(group)
        texts = [*(draft.after for draft in of_row), of_row[0].before]
        *scores, original = chooser.of_candidates(row, texts)
        for draft, score in zip(of_row, scores, strict=True):
            draft.rank = float(score)
            if only_better and draft.why != RETURNS and not _order(score) < _order(original):
                draft.refuse(NOT_BETTER)


def verify_best_first(verify: Verify, drafts: Sequence[Draft]) -> bool:
    """Per row, verify from the lowest rank up until one passes; returns True if the budget ended and the rest stays unverified."""
    waiting = [
        sorted(of_row, key=lambda draft: _order(draft.rank))
        for _, of_row in groupby(drafts, key=lambda draft: draft.row)
    ]
    while waiting:
        if verify_all(verify, [of_row[0] for of_row in waiting]):
            return True
        waiting = [of_row[1:] for of_row in waiting if not of_row[0].passed and len(of_row) > 1]
    return False


def choose_drafts(
    drafts: Sequence[Draft], *, chooser: GiveAway | None = None, only_better: bool = False
) -> dict[int, str]:
    """The new text of each row: of the drafts that passed, the one with the lowest score; the others get a reason.

    only_better: keep the row's text if no draft scores lower. chooser: scores to use instead of gamma, updated row by row.
    """
    accepted: dict[int, str] = {}
    for row, group in groupby(drafts, key=lambda draft: draft.row):
        passed = [draft for draft in group if draft.passed]
        if not passed:
            continue
        for draft in passed:
            draft.refuse(NOT_CHOSEN)
        if chooser is None:
            scores, before = [draft.score for draft in passed], passed[0].score_before
        else:
            texts = [*(draft.after for draft in passed), passed[0].before]
            *scores, before = chooser.of_candidates(row, texts)
        if only_better:
            better = [i for i, score in enumerate(scores) if _order(score) < _order(before)]
            if not better:
                for draft in passed:
                    draft.refuse(NOT_BETTER)
                continue
            passed, scores = [passed[i] for i in better], [scores[i] for i in better]
        order = [_order(score) for score in scores]
        best = passed[order.index(min(order))]
        best.refuse("")
        accepted[row] = best.after
        if chooser is not None:
            chooser.replace({row: accepted[row]})
    return accepted


def _order(score: float) -> float:
    """A score for comparisons: rounded, and infinite if there is none."""
    return float("inf") if np.isnan(score) else round(float(score), DECIMALS)


def top_rows(
    scores: Floats, labels: NDArray[np.int64], k: int, *, balance: Balance = "none", turn: int = 0
) -> list[int]:
    """The k rows with the highest scores, highest first, earlier rows first among equals; never a row without a score (NaN).

    turn: the number of the round, from 0; with balance "alternate" it selects the label.

    >>> top_rows(np.array([0.1, 0.9, np.nan, 0.5]), np.array([0, 0, 1, 1]), 2)
    [1, 3]
    >>> top_rows(np.array([0.1, 0.9, 0.8, 0.5]), np.array([0, 0, 0, 1]), 2, balance="equal")
    [1, 3]
    """
    usable = np.flatnonzero(~np.isnan(scores))
    order = usable[np.argsort(-np.round(scores[usable], DECIMALS), kind="stable")]
    if balance == "none" or not len(order):
        return order[:k].tolist()
    present = np.unique(labels[order])
    if balance == "alternate":
        return order[labels[order] == present[turn % len(present)]][:k].tolist()
    place_in_label = np.empty(len(order), dtype=np.int64)
    for label in present:
        mine = labels[order] == label
        place_in_label[mine] = np.arange(mine.sum())
    # The first row of each label, then the second of each ...: the first k are shared out as evenly as the rows allow.
    taken = np.sort(np.lexsort((np.arange(len(order)), place_in_label))[:k])
    return order[taken].tolist()


def count_of(k: int | float, n_rows: int) -> int:
    """The number of rows that k means: a number, or a share of the rows.

    >>> count_of(5, 100), count_of(0.25, 100), count_of(0.001, 100)
    (5, 25, 1)
    """
    return k if isinstance(k, int) else max(1, round(k * n_rows))
