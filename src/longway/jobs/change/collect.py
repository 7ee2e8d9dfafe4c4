"""What is counted and kept while a dataset is changed, for the result: checks, refusals, and a sample of the edits.

made = Collected(rows, seed=0)
made.add(done)          every round
made.checks(), made.refused(), made.sample()
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import Generic, TypeVar

from longway.data.columns import WEIGHT_COLUMN
from longway.methods.loop import NOT_VERIFIED
from longway.methods.method import NOT_BETTER, NOT_CHOSEN, RETURNS, Figures, Round, Rows
from longway.records import Edit, Example, Verdict
from longway.verify.calibration import CheckErrors

Item = TypeVar("Item")
Refused = TypeVar("Refused")
SAMPLED = 20  # items of a sample that a person looks at
# These candidates have no fault: another text was preferred, or passed before they were looked at.
CHOICES = (NOT_CHOSEN, NOT_BETTER, NOT_VERIFIED, RETURNS)


@dataclass(frozen=True, slots=True)
class ShownEdit(Edit):
    """An edit with the context of its row, as results list it. context_before: of the row it was made from."""

    context: str | None = None
    context_before: str | None = None

    @classmethod
    def of(cls, edits: Sequence[Edit], rows: Rows) -> ShownEdit:
        """The first edit of a row. edits: those of one candidate, one for each column."""
        first = edits[0]
        before = rows.context(rows.place(first.source or first.id))
        after = next((edit.after for edit in edits if edit.field == rows.task.context_name), before)
        own = {each.name: getattr(first, each.name) for each in fields(Edit)}
        return cls(**own, context=after, context_before=before)


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """A reason and how often it applied."""

    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class RefusedEdits(ReasonCount):
    """Why candidates were refused, how many, and one of them. reason: the check that failed, or another reason."""

    example: ShownEdit


@dataclass(frozen=True, slots=True)
class CheckCount:
    """A check: candidates that it saw and rejected, and how often it errs; error: None if not known."""

    check: str
    seen: int
    failed: int
    error: CheckErrors | None = None

    @property
    def share(self) -> float | None:
        """The share of the candidates that it rejected."""
        return self.failed / self.seen if self.seen else None


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """A round as results list it. rows: rows that were worked on.

    objective: the mean cosine between labels (Eq. 14). kl: the divergence of Algorithm 1. leak: an accuracy.
    """

    number: int
    rows: int = 0
    candidates: int = 0
    accepted: int = 0
    objective: float | None = None
    kl: float | None = None
    mean_gamma: float | None = None
    leak: float | None = None
    rejected: Mapping[str, int] | None = None
    refusals: Mapping[str, int] | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, done: Round) -> RoundSummary:
        """The summary of a round."""
        figures: Figures = done.figures
        return cls(
            number=done.number,
            rows=figures.asked,
            candidates=figures.candidates,
            accepted=figures.accepted,
            objective=figures.cosine,
            kl=figures.divergence,
            mean_gamma=figures.gamma,
            leak=None if figures.leak is None else figures.leak.accuracy,
            rejected=dict(figures.rejected.most_common()),
            refusals=dict(figures.refusals.most_common()),
            seconds=figures.seconds,
        )


class CandidateCounts(Generic[Item]):
    """Counts candidates, their checks, and why they were refused; keeps one of each reason, and a sample of those that were accepted."""

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed
        self.n = self.n_accepted = 0
        self.seen: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.reasons: Counter[str] = Counter()
        self._examples: dict[str, Item] = {}
        self._samples: dict[str, list[tuple[bytes, Item]]] = {}

    def check(self, verdicts: Iterable[Verdict]) -> None:
        """Count the verdicts on a candidate."""
        self.n += 1
        for verdict in verdicts:
            self.seen[verdict.check] += 1
            self.failed[verdict.check] += not verdict.passed

    def refuse(self, reason: str, show: Callable[[], Item]) -> None:
        """Count a candidate that was refused. show: how it is listed."""
        self.reasons[reason] += 1
        if reason not in self._examples:
            self._examples[reason] = show()

    def accept(self, key: str, show: Callable[[], Item], *, group: str = "") -> None:
        """Count a candidate that was accepted; `SAMPLED` of each group are drawn at random, by the seed and their keys. show: how it is listed."""
        self.n_accepted += 1
        drawn = blake2b(f"{self.seed}\0{key}".encode(), digest_size=8).digest()
        sample = self._samples.setdefault(group, [])
        if len(sample) < SAMPLED or drawn < sample[-1][0]:
            self._samples[group] = sorted([*sample, (drawn, show())], key=itemgetter(0))[:SAMPLED]

    def checks(self, errors: Mapping[str, CheckErrors] | None = None) -> tuple[CheckCount, ...]:
        """The counts by check, in the order in which checks were first seen."""
        known = errors or {}
        return tuple(CheckCount(name, n, self.failed[name], known.get(name)) for name, n in self.seen.items())

    def refused(self, kind: Callable[[str, int, Item], Refused]) -> tuple[Refused, ...]:
        """Refused candidates by reason, most frequent first. kind: the record of each reason."""
        return tuple(kind(reason, n, self._examples[reason]) for reason, n in self.reasons.most_common())

    def sample(self) -> tuple[Item, ...]:
        """The accepted candidates that were drawn, by group."""
        return tuple(item for group in sorted(self._samples) for _, item in self._samples[group])


def _candidate(edit: Edit) -> str:
    """What the edits of one candidate have in common: the added row, or the row and its new text."""
    return f"{edit.id}\0{'' if edit.source else edit.after}"


def _in_round(edit: Edit) -> str:
    return f"{edit.id}\0{edit.round}"


class Collected(CandidateCounts[ShownEdit]):
    """What the result needs of all rounds, in bounded memory.

    by_edit: each edit is a candidate; otherwise the edits of a row, one for each column, are one. key: of an edit, for the draw of the
    sample. rounds: their summaries. added: rows. stopped: why the last round ended.
    """

    def __init__(
        self, rows: Rows, *, seed: int, by_edit: bool = False, key: Callable[[Edit], str] = _in_round
    ) -> None:
        super().__init__(seed=seed)
        self._rows, self._by_edit, self._key = rows, by_edit, key
        self.rounds: list[RoundSummary] = []
        self.added: list[Example] = []
        self.stopped = ""

    def add(self, done: Round) -> None:
        """Include a round. The edits of a candidate follow each other."""
        self.rounds.append(RoundSummary.of(done))
        self.stopped = done.stopped or self.stopped
        self.added += self._rows.added_by(done.edits)
        for _, group in groupby(done.edits, key=_candidate):
            edits = list(group)
            for edit in edits if self._by_edit else edits[:1]:
                self.add_candidate(edit, edits)

    def add_candidate(self, edit: Edit, edits: Sequence[Edit]) -> None:
        """Include a candidate. edits: all of its row."""
        self.check(edit.verdicts)
        if not edit.accepted:
            if edit.reason not in CHOICES:
                failed = next((one.check for one in edit.verdicts if not one.passed), edit.reason)
                self.refuse(failed, partial(ShownEdit.of, [edit, *edits], self._rows))
        elif edit.drops or edit.field == WEIGHT_COLUMN:
            self.n_accepted += 1
        else:
            self.accept(self._key(edit), partial(ShownEdit.of, [edit, *edits], self._rows))


def reason_counts(counts: Mapping[str, int]) -> tuple[ReasonCount, ...]:
    """Reasons with their counts, most frequent first."""
    return tuple(ReasonCount(reason, n) for reason, n in Counter(counts).most_common())


def refusals_of(rounds: Iterable[RoundSummary], failed: Iterable[ReasonCount]) -> tuple[ReasonCount, ...]:
    """Why engines wrote no text, over all rounds; failed calls are not included."""
    reasons = Counter[str]()
    for one in rounds:
        reasons.update(one.refusals or {})
    for call in failed:
        reasons.pop(call.reason, None)
    return reason_counts(reasons)
