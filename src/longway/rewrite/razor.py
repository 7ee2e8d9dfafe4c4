"""RAZOR: rewrite the documents that look least like those of other labels, until the labels look alike.

Algorithm 1 of "RAZOR: Sharpening Knowledge by Cutting Bias with Unsupervised Text Rewriting" (Yang, Prenkaj, Kasneci):

    score all documents by gamma (Eq. 12) and sort             lines 2 to 9
    take the top k                                             line 10
    have m candidates written for each, and verified           line 13, Eq. 13
    the candidate with the lowest gamma takes its place        lines 14 to 19
    again, until Eq. 14 no longer gains                        line 21

As written there, all gammas of a round, those of the candidates too, are against the documents as they stood when it
began; the chosen candidate replaces the document even where its gamma is the higher one (`only_better` is for those who
want otherwise); and a document may be taken up again in the next round. A row without a verified candidate stays and
is asked again as another draw, until `tries` draws in a row gave nothing. Size, order, ids and labels are kept. With a
text that was rewritten before goes what it comes from, so that the checks can see how far it has moved.

The paper has two versions of Eq. 14. The published one maximises the sum of cosines, which is what gamma is made of, and
is our default; Algorithm 1 (line 21) minimises a sum of KL divergences: `stop="kl"`. Nothing here is random.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from longway.errors import SettingError
from longway.records import Edit, Leak
from longway.rewrite.drafts import (
    Draft,
    Drafts,
    rank_drafts,
    rejections,
    settle,
    verify_drafts,
    write_drafts,
)
from longway.rewrite.method import Asked, Chooser, Figures, Floats, Round, Rows, Verify, Write
from longway.rewrite.selection import Balance, count_of, top_rows
from longway.rewrite.spaces import Embed, Space, SpaceName, space_of
from longway.rewrite.stopping import NOTHING_LEFT, Stop, Stopping
from longway.verify.check import Origin

Telling = Callable[
    [str, str], tuple[str, ...]
]  # text, label -> words and phrases of it that give the label away


@dataclass(frozen=True, slots=True)
class RazorSettings:
    """How RAZOR goes about it; the defaults are the paper's, as far as it says.

    k: rows a round takes up, as a number (int) or a share of all rows (float). m: candidates for each.
    balance: "none", or the labels taken "equal" or in turn ("alternate", as the published code does).
    rounds: the most there may be. stop: "cosine" (Eq. 14, published version), "kl" (Algorithm 1), "leak" (what a bag of words gets right) or "never".
    patience: rounds without a gain after which it stops.
    tries: times in a row that a row may get no verified candidate before it is left alone.
    per_row: how often a row may be replaced; None for any number.
    least: rows that score no more than this are left alone; None for all rows.
    only_better: replace a text only where the new one scores lower.
    rerank: of the verified candidates take the one that is best by score, meaning and label together (`rerank.py`); all are verified then.
    verify: "all" candidates, or "best first" until one passes: fewer questions to the judge and, by gamma, the same choice.
    space: "mean" (Eq. 10), "token" (a vector for each word) or "embedding" (section 4.2). dimensions: lambda of Eq. 9.
    """

    k: int | float = 0.1
    m: int = 4
    balance: Balance = "none"
    rounds: int = 10
    stop: Stop = "cosine"
    patience: int = 1
    tries: int = 2
    per_row: int | None = None
    least: float | None = None
    only_better: bool = False
    rerank: bool = False
    verify: Literal["all", "best first"] = "all"
    space: SpaceName = "mean"
    dimensions: int = 64

    def __post_init__(self) -> None:
        _check_one_of("balance", self.balance, get_args(Balance))
        _check_one_of("stop", self.stop, get_args(Stop))
        _check_one_of("verify", self.verify, ("all", "best first"))
        _check_one_of("space", self.space, get_args(SpaceName))
        for name in ("m", "rounds", "patience", "tries"):
            if getattr(self, name) < 1:
                raise SettingError(
                    f"'{name}' must be 1 or more. Got {getattr(self, name)}. Try a small number."
                )
        if not (self.k >= 1 if isinstance(self.k, int) else 0 < self.k <= 1):
            raise SettingError(
                f"'k' must be a number of rows from 1, or a share above 0 and up to 1.0. Got {self.k}. Try 0.1."
            )


class Razor:
    """RAZOR's loop over given rows.

    write, verify: see `rewrite/method.py`. rank_by, choose_by: what decides which rows are taken up, and which candidate
    is taken, in the place of gamma; one object may do both. telling: words of a text that should go.
    leak: measured after each round where given; at chance the loop stops. embed: vectors for `space="embedding"`.
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
        telling: Telling | None = None,
        leak: Callable[[Rows], Leak] | None = None,
        embed: Embed | None = None,
    ) -> None:
        self.settings = RazorSettings() if settings is None else settings
        self.write = write
        self.verify = verify
        self.rank_by = rank_by
        self.choose_by = choose_by
        self.telling = telling
        self.leak = leak
        self.embed = embed

    def run(self, rows: Rows) -> Iterator[Round]:
        """Rewrite the rows in place; round 0 tells how they stood."""
        if len(np.unique(rows.labels)) < 2:
            yield Round(0, stopped="there are no documents with another label to compare with")
            return
        loop = _Loop(self, rows)
        stopping = Stopping(
            self.settings.stop,
            patience=self.settings.patience,
            rounds=self.settings.rounds,
            n_rows=len(rows),
            start=loop.figures,
        )
        number, edits, is_spent = 0, tuple[Edit, ...](), False
        while True:
            reason = stopping.reason(number, loop.figures, is_spent=is_spent)
            asked = [] if reason else loop.take_up(number + 1)
            reason = reason or ("" if asked else NOTHING_LEFT)
            yield Round(number, edits, figures=loop.figures, stopped=reason)
            if reason:
                return
            number += 1
            edits, is_spent = loop.rewrite(number, asked)


class _Loop:
    """One run: the rows, their space, and how often each was tried."""

    def __init__(self, razor: Razor, rows: Rows) -> None:
        self.razor, self.settings, self.rows = razor, razor.settings, rows
        self._seconds: defaultdict[str, float] = defaultdict(float)
        self._clock = time.perf_counter()
        self.space: Space = space_of(
            self.settings.space,
            rows.texts,
            rows.labels,
            dimensions=self.settings.dimensions,
            embed=razor.embed,
        )
        self.k = count_of(self.settings.k, len(rows))
        self.asked = np.zeros(len(rows), dtype=np.int64)
        self.failures = np.zeros(len(rows), dtype=np.int64)
        self.replaced = np.zeros(len(rows), dtype=np.int64)
        self.origins: dict[int, Origin] = {}  # of the rows that have another text than they came with
        self.gamma = self.space.gamma()
        self._tick("score")
        self.figures = replace(self._figures(), seconds=self._round_seconds())

    def take_up(self, number: int) -> list[Asked]:
        """The rows of a round, as they are put to the engine (lines 9 and 10)."""
        settings, rows = self.settings, self.rows
        scores = self._usable_scores()
        chosen = top_rows(scores, rows.labels, self.k, balance=settings.balance, turn=number - 1)
        telling = self.razor.telling
        asked = [
            Asked(
                row=row,
                text=rows.texts[row],
                label=rows.label(row),
                n=settings.m,
                context=rows.context(row),
                sample=int(self.asked[row]),
                avoid=() if telling is None else telling(rows.texts[row], rows.label(row)),
                origin=self.origins.get(row),
            )
            for row in chosen
        ]
        self._tick("score")
        return asked

    def rewrite(self, number: int, asked: list[Asked]) -> tuple[tuple[Edit, ...], bool]:
        """Write, verify, choose and replace; gives the round's edits and whether the budget was spent."""
        self._clock = time.perf_counter()  # what the caller did since the last round is not ours
        settings, razor = self.settings, self.razor
        written = write_drafts(razor.write, asked)
        self._tick("write")
        drafts = written.drafts
        self._score(drafts)
        is_spent = verify_drafts(
            razor.verify, drafts, best_first=settings.verify == "best first" and not settings.rerank
        )
        self._tick("verify")
        gamma = self.gamma
        accepted = settle(
            drafts,
            lambda row: float(gamma[row]),
            choose_by=razor.choose_by,
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
            asked=len(asked),
            candidates=len(drafts),
            accepted=len(accepted),
            rejected=rejections(drafts),
            refusals=dict(written.refusals.most_common()),
            seconds=self._round_seconds(),
        )
        return edits, is_spent or written.is_spent

    def _figures(self) -> Figures:
        """How the dataset stands."""
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
        """The scores that rows are ranked by, NaN for those that are to be left alone."""
        rank_by, settings = self.razor.rank_by, self.settings
        scores = np.array(self.gamma if rank_by is None else rank_by.scores(), dtype=np.float64)
        left_alone = self.failures >= settings.tries
        if settings.per_row is not None:
            left_alone |= self.replaced >= settings.per_row
        if settings.least is not None:
            left_alone |= scores <= settings.least
        scores[left_alone] = np.nan
        return scores

    def _score(self, drafts: list[Draft]) -> None:
        """Line 15: gamma of each candidate, against the documents as the round found them."""
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
        if self.razor.rank_by is not None and self.razor.rank_by is not self.razor.choose_by:
            self.razor.rank_by.replace(accepted)  # choose_by was told row by row
        self._tick("update")
        self.gamma = self.space.gamma()
        self._tick("score")

    def _remember(self, drafts: list[Draft]) -> None:
        """Keep what the rows that were replaced come from."""
        for draft in drafts:
            if draft.reason:
                continue
            origin = draft.candidate.origin_now
            if origin.text == draft.candidate.after:
                self.origins.pop(draft.row, None)  # it is as it came
            else:
                self.origins[draft.row] = origin

    def _count(self, written: Drafts, accepted: dict[int, str]) -> None:
        answered, new = written.answered, list(accepted)
        self.asked[answered] += 1
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


def _check_one_of(name: str, value: str, known: tuple[str, ...]) -> None:
    if value not in known:
        raise SettingError(f"'{name}' must be one of {', '.join(known)}. Got {value!r}. Choose one of them.")
