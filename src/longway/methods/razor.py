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
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import sqrt
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from longway.errors import SettingError
from longway.methods.drafts import (
    DECIMALS,
    Drafts,
    RewriteDraft,
    choose_drafts,
    rank_drafts,
    reject_returns,
    rejections,
    verify_drafts,
    write_drafts,
)
from longway.methods.method import Chooser, Figures, Floats, RewriteRequest, Round, Rows, Verify, Write
from longway.records import BUDGET_SPENT, Edit, Leak
from longway.space.live_space import Embed, Space, SpaceName, space_named
from longway.verify.check import Origin

Balance = Literal["none", "equal", "alternate"]
NEAR_CHANCE = 0.05
Stop = Literal["cosine", "kl", "leak", "never"]
# text, label -> words and phrases of the text that predict the label
PredictivePhrases = Callable[[str, str], tuple[str, ...]]
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
    rerank: choose by score, meaning and label together (`drafts.combined_ranks`); verifies all candidates.
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
    rerank: bool = False
    verify: Literal["all", "best first"] = "all"
    space: SpaceName = "mean"
    dimensions: int = 64

    def __post_init__(self) -> None:
        _check_one_of("balance", self.balance, get_args(Balance))
        _check_one_of("stop", self.stop, get_args(Stop))
        _check_one_of("verify", self.verify, ("all", "best first"))
        _check_one_of("space", self.space, get_args(SpaceName))
        for name, value in (
            ("m", self.m),
            ("rounds", self.rounds),
            ("patience", self.patience),
            ("tries", self.tries),
        ):
            if value < 1:
                raise SettingError(f"'{name}' must be 1 or more. Got {value}. Try a small number.")
        if not (self.k >= 1 if isinstance(self.k, int) else 0 < self.k <= 1):
            raise SettingError(
                f"'k' must be a number of rows from 1, or a share above 0 and up to 1.0. Got {self.k}. Try 0.1."
            )


class Razor:
    """RAZOR's loop over given rows.

    rank_by, choose_by: what chooses the rows to rewrite, and the candidate to take, in place of gamma; one object may do both.
    phrases: finds the words and phrases of a text that should go. leak: measured after each round.
    embed: gives the vectors of `space="embedding"`.
    """

    name = "razor"

    def __init__(
        self,
        settings: RazorSettings | None = None,
        *,
        write: Write,
        verify: Verify,
        rank_by: Chooser | None = None,
        choose_by: Chooser | None = None,
        phrases: PredictivePhrases | None = None,
        leak: Callable[[Rows], Leak] | None = None,
        embed: Embed | None = None,
    ) -> None:
        self.settings = settings or RazorSettings()
        self.write, self.verify = write, verify
        self.rank_by, self.choose_by, self.phrases = rank_by, choose_by, phrases
        self.leak, self.embed = leak, embed

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
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._clock = time.perf_counter()
        self.space: Space = space_named(
            self.settings.space,
            self.rows.texts,
            rows.labels,
            dimensions=self.settings.dimensions,
            embed=razor.embed,
        )
        self.k = count_of(self.settings.k, len(rows))
        self.requested = np.zeros(len(rows), dtype=np.int64)
        self.failures = np.zeros(len(rows), dtype=np.int64)
        self.replaced = np.zeros(len(rows), dtype=np.int64)
        self.origins: dict[int, Origin] = {}  # of rows that have a new text
        self.earlier: defaultdict[int, set[str]] = defaultdict(set)  # texts that a row had
        self.refused: dict[int, tuple[str, str]] = {}  # by row: the last text that failed a check, and why
        self.gamma = self.space.gamma()
        self._tick("score")
        self.figures = replace(self._figures(), seconds=self._round_seconds())

    def requests(self, number: int) -> list[RewriteRequest]:
        """The requests of a round (lines 9 and 10)."""
        settings, rows, phrases = self.settings, self.rows, self.razor.phrases
        chosen = top_rows(
            self._usable_scores(), rows.labels, self.k, balance=settings.balance, turn=number - 1
        )
        requests = [
            RewriteRequest(
                row=row,
                text=rows.texts[row],
                label=rows.label(row),
                n=settings.m,
                context=rows.context(row),
                sample=int(self.requested[row]),
                avoid=() if phrases is None else phrases(rows.texts[row], rows.label(row)),
                origin=self.origins.get(row),
                keeps=rows.task.keeps(rows.label(row)),
                refused=self.refused.get(row),
            )
            for row in chosen
        ]
        self._tick("score")
        return requests

    def rewrite(self, number: int, requests: list[RewriteRequest]) -> tuple[tuple[Edit, ...], bool]:
        """Write, verify, choose and replace; returns the edits of the round and whether the budget is spent."""
        self._clock = time.perf_counter()  # time that the caller took is not ours
        settings, razor = self.settings, self.razor
        written = write_drafts(razor.write, requests)
        self._tick("write")
        drafts = written.drafts
        if not settings.may_return:
            reject_returns(drafts, self.earlier)
        self._score(drafts)
        is_spent = verify_drafts(
            razor.verify, drafts, best_first=settings.verify == "best first" and not settings.rerank
        )
        self._tick("verify")
        gamma = self.gamma
        accepted = choose_drafts(
            drafts,
            lambda row: float(gamma[row]),
            choose_by=self.razor.choose_by,
            only_better=settings.only_better,
            rerank=settings.rerank,
        )
        edits = tuple(
            draft.edit(
                self.rows,
                method=razor.name,
                engine=razor.write.name,
                gamma=float(gamma[draft.row]),
                number=number,
            )
            for draft in drafts
        )
        self._tick("choose")
        self._replace(accepted)
        self._remember(drafts)
        self._count(written, accepted)
        self.figures = replace(
            self._figures(),
            asked=len(requests),
            candidates=len(drafts),
            accepted=len(accepted),
            rejected=rejections(drafts),
            refusals=dict(written.refusals.most_common()),
            seconds=self._round_seconds(),
        )
        return edits, is_spent or written.is_spent

    def _figures(self) -> Figures:
        """The state of the dataset."""
        leak = None if self.razor.leak is None else self.razor.leak(self.rows)
        self._tick("leak")
        has_gamma = not np.isnan(self.gamma).all()
        figures = Figures(
            cosine=self.space.mean_cosine(),
            divergence=self.space.divergence(),
            gamma=float(np.nanmean(self.gamma)) if has_gamma else None,
            leak=leak,
        )
        self._tick("figures")
        return figures

    def _usable_scores(self) -> Floats:
        """The scores that rows are ranked by, NaN for rows to leave alone."""
        rank_by, settings = self.razor.rank_by, self.settings
        scores = np.array(self.gamma if rank_by is None else rank_by.scores(), dtype=np.float64)
        left_alone = self.failures >= settings.tries
        if settings.per_row is not None:
            left_alone |= self.replaced >= settings.per_row
        if settings.least is not None:
            left_alone |= scores <= settings.least
        scores[left_alone] = np.nan
        return scores

    def _score(self, drafts: list[RewriteDraft]) -> None:
        """Line 15: gamma of each candidate, against the documents at the start of the round."""
        if not drafts:
            return
        labels = self.rows.labels[[draft.row for draft in drafts]]
        scores = self.space.score([draft.candidate.after for draft in drafts], labels)
        for draft, score in zip(drafts, scores.tolist(), strict=True):
            draft.score = draft.rank = score
        if self.razor.choose_by is not None:
            rank_drafts(drafts, self.razor.choose_by, only_better=self.settings.only_better)
        self._tick("score")

    def _replace(self, accepted: dict[int, str]) -> None:
        if not accepted:
            return
        for row, text in accepted.items():
            self.rows.texts[row] = text
        self.space.replace(accepted)
        rank_by = self.razor.rank_by
        if rank_by is not None and rank_by is not self.razor.choose_by:
            rank_by.replace(accepted)  # choose_by was updated row by row
        self._tick("update")
        self.gamma = self.space.gamma()
        self._tick("score")

    def _remember(self, drafts: list[RewriteDraft]) -> None:
        """Keep the origin of each replaced row, and why a text of another row was refused."""
        for draft in drafts:
            if draft.verdicts is not None and not draft.passed:
                self.refused[draft.row] = draft.candidate.after, draft.reason
        for draft in drafts:
            if draft.reason:
                continue
            self.refused.pop(draft.row, None)
            self.earlier[draft.row].add(draft.candidate.before)
            origin = draft.candidate.origin_now
            if origin.text == draft.candidate.after:
                self.origins.pop(draft.row, None)  # it is the original again
            else:
                self.origins[draft.row] = origin

    def _count(self, written: Drafts, accepted: dict[int, str]) -> None:
        answered, new = written.answered, list(accepted)
        self.requested[answered] += 1
        self.failures[answered] += 1
        self.failures[new] = 0
        self.replaced[new] += 1

    def _tick(self, step: str) -> None:
        now = time.perf_counter()
        self._seconds[step] += now - self._clock
        self._clock = now

    def _round_seconds(self) -> dict[str, float]:
        seconds = {step: round(spent, 4) for step, spent in self._seconds.items()}
        self._seconds.clear()
        return seconds


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


def _check_one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise SettingError(f"'{name}' must be one of {', '.join(known)}. Got {value!r}. Choose one of them.")
