"""What a plan may do and how long it may take: its remedies are tried on a few rows, and nothing is changed.

    rough_plan(plan, rows)    ->  the plan with a rough time; nothing is loaded or tried
    expected_plan(repairing)  ->  the plan with expected edits, shares of labels, and seconds

Engines that cost money are not asked; what they may cost is estimated from their prompts (`job.py`).
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from longway.jobs.repair.plan import ExpectedPattern, RepairPlan
from longway.jobs.repair.repairing import Repairing
from longway.jobs.repair.settings import COUNTERPART, DROP, WEIGH
from longway.jobs.workload import CHECKED
from longway.methods.method import Rows
from longway.methods.repair.asked import AskedCounterparts
from longway.methods.repair.remedy import BatchRemedy, Remedy, Target, drafts_of
from longway.methods.repair.repair import Repair
from longway.methods.repair.take_out import shows

TARGETS = 12  # patterns that are tried
TRIED = 8  # rows of each
# Seconds of repairs on two slow cores: to load models, for each word of the texts, and for each row that a remedy looks at (notes/LOG.md).
LOADING, PER_WORD, LETTERS = 30.0, 0.0003, 6
PER_ROW, IN_PLACE = {COUNTERPART: 0.02, DROP: 0.03, WEIGH: 0.0}, 0.06


@dataclass
class ShareOfLabel:
    """Rows with a pattern: own have its label, others do not. chance: the share of the label in all rows."""

    own: int
    others: int
    chance: float

    @classmethod
    def of(cls, repair: Repair, target: Target) -> ShareOfLabel:
        """The rows of a target."""
        shown = [
            repair.rows.label(row) == target.label
            for row, text in enumerate(repair.texts)
            if shows(target.pattern, text, repair.row(row), target.concepts)
        ]
        label = list(repair.rows.label_names).index(target.label)
        chance = float((repair.rows.labels == label).mean())
        return cls(sum(shown), len(shown) - sum(shown), chance)

    @property
    def rows(self) -> int:
        """The rows with the pattern."""
        return self.own + self.others

    @property
    def share(self) -> float:
        """The share of the rows with the pattern that have its label."""
        return self.own / max(1, self.rows)

    def needed(self, *, into_others: bool) -> int:
        """How many rows must lose the pattern, or get it, until the label's share is as in all rows."""
        odds = self.chance / max(1e-9, 1 - self.chance)
        n = self.own / max(odds, 1e-9) - self.others if into_others else self.own - odds * self.others
        return max(0, round(n))

    def edit(self, n: int, *, into_others: bool) -> None:
        """Count n edits."""
        if into_others:
            self.others += n
        else:
            self.own -= n


def rough_plan(plan: RepairPlan, rows: Rows) -> RepairPlan:
    """The plan with the time that such repairs took."""
    words = sum(map(len, rows.texts)) / LETTERS
    seconds = sum(PER_ROW.get(step.remedy, IN_PLACE) * step.rows for step in plan.steps)
    return replace(plan, seconds=LOADING + seconds + words * PER_WORD)


def expected_plan(repairing: Repairing) -> RepairPlan:
    """The plan of a repair with what is expected of it."""
    plan, repair = repairing.plan, repairing.repair
    names = {step.remedy for step in plan.steps}
    remedies = [one for one in repairing.in_place() if one.name in names and not _costs(repairing, one)]
    edits: Counter[str] = Counter({one.name: 0 for one in remedies})
    patterns, seconds = [], 0.0
    for target in plan.targets[:TARGETS]:
        share = ShareOfLabel.of(repair, target)
        rows_now, now = share.rows, share.share
        for remedy in remedies:
            if target in plan.targets_of(remedy.name):
                rows = repair.rows_for(remedy, target)
                works, taken = _tried(repair, remedy, target, rows)
                n = min(share.needed(into_others=remedy.into_others), round(works * len(rows)))
                share.edit(n, into_others=remedy.into_others)
                edits[remedy.name] += n
                seconds += taken * n
        patterns.append(
            ExpectedPattern(
                target.pattern.name, target.label, rows_now, share.rows, now, share.share, share.chance
            )
        )
    if COUNTERPART in names:
        works, taken = _tried_counterparts(repairing)
        edits[COUNTERPART] = round(works * len(repairing.rows))
        seconds += taken * len(repairing.rows)
    steps = [replace(step, edits=edits.get(step.remedy)) for step in plan.steps]
    leak = repairing.leak(repair.rows_now()).accuracy
    # A few rows tell nothing of loading models and of drafts that are refused.
    seconds = max(seconds, rough_plan(plan, repairing.rows).seconds)
    return replace(plan, steps=tuple(steps), leak=leak, patterns=tuple(patterns), seconds=seconds)


def _costs(repairing: Repairing, remedy: Remedy | BatchRemedy) -> bool:
    """Whether a remedy asks a server."""
    writer = repairing.writer
    if not isinstance(remedy, BatchRemedy) or writer is None:
        return False
    return any(part.base_url is not None for part in writer.engine.parts)


def _tried(
    repair: Repair, remedy: Remedy | BatchRemedy, target: Target, rows: Sequence[int]
) -> tuple[float, float]:
    """The share of the rows for which a remedy has a draft, and the seconds for each, from a few of them."""
    if not rows or (remedy.needs_english and repair.read is None):
        return 0.0, 0.0
    some = [repair.row(row) for row in rows[:: max(1, len(rows) // TRIED)][:TRIED]]
    next(
        iter(next(drafts_of(remedy, some[:1], target))), None
    )  # what is made once for all rows does not count
    started = time.perf_counter()
    drafts = [next(iter(each), None) for each in drafts_of(remedy, some, target)]
    taken = time.perf_counter() - started
    return sum(draft is not None for draft in drafts) / len(some), taken / len(some) + CHECKED


def _tried_counterparts(repairing: Repairing) -> tuple[float, float]:
    """The counterparts of each row before checks, and the seconds for each row with them, from a few rows."""
    n = len(repairing.rows)
    some = list(range(0, n, max(1, n // TRIED)))[:TRIED]
    proposed, taken = 0, 0.0
    for source in repairing.counterparts():
        if not isinstance(source, AskedCounterparts):
            list(source.propose(some[:1]))  # what is made once for all rows does not count
            started = time.perf_counter()
            proposed += sum(map(len, source.propose(some)))
            taken += time.perf_counter() - started
    return proposed / max(1, len(some)), (taken + CHECKED * proposed) / max(1, len(some))
