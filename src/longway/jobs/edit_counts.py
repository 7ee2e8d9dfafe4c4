"""What jobs that change data count and keep while they run, for their results: checks, reasons, a sample of edits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Generic, TypeVar

from longway.methods.method import Figures, Round
from longway.records import Edit, Verdict
from longway.verify.verifier import CheckErrors

Item = TypeVar("Item")
SAMPLED = 20  # items of a sample that a person looks at


@dataclass(frozen=True, slots=True)
class ShownEdit(Edit):
    """An edit with the context of its row, as results list it."""

    context: str | None = None

    @classmethod
    def of(cls, edit: Edit, context: str | None) -> ShownEdit:
        """The edit with its context."""
        return cls(**{each.name: getattr(edit, each.name) for each in fields(Edit)}, context=context)


@dataclass(frozen=True, slots=True)
class ReasonCount:
    """A reason and how often it applied."""

    reason: str
    count: int


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
    seconds_by_step: Mapping[str, float] | None = None

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
            rejected=dict(figures.rejected),
            refusals=dict(figures.refusals),
            seconds=sum(figures.seconds.values()),
            seconds_by_step=dict(figures.seconds),
        )


class CheckCounter:
    """Counts what checks said."""

    def __init__(self) -> None:
        self.seen: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()

    def add(self, verdicts: Iterable[Verdict]) -> None:
        """Count the verdicts on a candidate."""
        for verdict in verdicts:
            self.seen[verdict.check] += 1
            self.failed[verdict.check] += not verdict.passed

    def counts(self, errors: Mapping[str, CheckErrors] | None = None) -> tuple[CheckCount, ...]:
        """The counts by check, in the order in which checks were first seen."""
        return tuple(
            CheckCount(name, n, self.failed[name], (errors or {}).get(name)) for name, n in self.seen.items()
        )


class RandomSample(Generic[Item]):
    """Keeps `SAMPLED` items drawn at random; which ones depends on the seed and their keys, not on their order."""

    def __init__(self, *, seed: int) -> None:
        self.seed = seed
        self._kept: list[tuple[bytes, Item]] = []

    def offer(self, key: str, make: Callable[[], Item]) -> None:
        """Draw an item or not. make: called only if it is drawn."""
        drawn = blake2b(f"{self.seed}\0{key}".encode(), digest_size=8).digest()
        if len(self._kept) < SAMPLED or drawn < self._kept[-1][0]:
            kept = sorted([*self._kept, (drawn, make())], key=lambda item: item[0])
            self._kept = kept[:SAMPLED]

    @property
    def items(self) -> tuple[Item, ...]:
        """The items that were drawn."""
        return tuple(item for _, item in self._kept)


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
