"""What a perturbation did, in numbers and examples: the content of perturb.json, which the report shows.

summary = PerturbSummary(perturbing)
summary.add(outcome, edits)        after each row
summary.to_dict(...)               at the end, with the balance of before and after
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

from longway.errors import MissingExtra
from longway.jobs.perturb.perturb import CONTRAST, OFFENSIVE, Outcome, Perturbing, Try
from longway.methods.method import BUDGET_SPENT
from longway.methods.perturb.segments import as_one
from longway.metrics.versions import compare_versions
from longway.records import Edit
from longway.store import CallTotals, now

VERSION = 1
SAMPLED = 20  # perturbed rows of each axis for a person to look at
WORDS = 5  # examples of words that were left alone for one reason
MOST = 2000  # rows that distances are measured on


class PerturbSummary:
    """Collects what the report needs while rows go by."""

    def __init__(self, perturbing: Perturbing) -> None:
        self._perturbing, self._rows = perturbing, perturbing.rows
        self.n_tries = self.n_changed = self.n_warned = 0
        self._pairs: Counter[tuple[str, str, str]] = Counter()
        self._stayed: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._refused: dict[str, dict[str, Any]] = {}
        self._sample: dict[str, list[tuple[bytes, dict[str, Any]]]] = {}

    def add(self, outcome: Outcome, edits: Sequence[Edit]) -> None:
        """Take a row into account. edits: what was made of it (`perturb_edits.Editing.take`)."""
        for one in outcome.tries:
            self._add_try(outcome, one, edits)
        if outcome.taken is None:
            self._stayed[outcome.stayed] += 1
            return
        taken = outcome.taken
        source, target = taken.request.source, taken.request.target
        self.n_changed += 1
        self.n_warned += not all(verdict.passed for verdict in taken.verdicts)
        self._pairs[target.axis, source.name, target.name] += 1
        key = blake2b(
            f"{self._perturbing.settings.seed}\0{self._rows.ids[outcome.row]}".encode(), digest_size=8
        ).digest()
        sample = self._sample.setdefault(target.axis, [])
        if len(sample) < SAMPLED or key < sample[-1][0]:
            sample.append((key, self._shown(outcome, taken, edits)))
            sample.sort(key=lambda item: item[0])
            del sample[SAMPLED:]

    def _add_try(self, outcome: Outcome, one: Try, edits: Sequence[Edit]) -> None:
        self.n_tries += 1
        for verdict in one.verdicts:
            self._seen[verdict.check] += 1
            self._failed[verdict.check] += not verdict.passed
        if one.reason:
            self._reasons[one.why] += 1
            if one.why not in self._refused:
                self._refused[one.why] = self._shown(outcome, one, edits)

    def _shown(self, outcome: Outcome, one: Try, edits: Sequence[Edit]) -> dict[str, Any]:
        """The row as the report shows it: all its texts, with the words that stand for the person."""
        request, perturbed = one.request, one.perturbed
        texts = zip(outcome.fields, request.segments, perturbed.segments, strict=True)
        return {
            "id": edits[0].id,
            "source_id": edits[0].source,
            "label": edits[0].label_before,
            "axis": request.target.axis,
            "source": request.source.name,
            "target": request.target.name,
            "word": request.word,
            "engine": edits[0].engine,
            "reason": one.reason,
            "verdicts": [verdict.to_dict() for verdict in one.verdicts],
            "left": list(perturbed.left),
            "perturbability": edits[0].trace["perturbability"],
            "texts": [
                {
                    "field": name,
                    "before": before,
                    "after": after,
                    "chain": [[at.start, at.end] for at in perturbed.chain if at.segment == number],
                    "word": [request.place.start, request.place.end]
                    if request.place.segment == number
                    else None,
                }
                for number, (name, before, after) in enumerate(texts)
            ],
        }

    def to_dict(
        self,
        *,
        dataset: Mapping[str, Any],
        settings: Mapping[str, Any],
        balance: Sequence[Mapping[str, Any]],
        new: Mapping[int, Sequence[str]],
        cost: Sequence[CallTotals],
        budget: float | None,
        failed_calls: Mapping[str, int],
    ) -> dict[str, Any]:
        """Everything as plain JSON values.

        balance: see `perturb_balance`. new: the texts of the rows that were perturbed. failed_calls: to engines, by why they failed.
        """
        add = bool(settings["add"])
        return {
            "version": VERSION,
            "longway": version("longway"),
            "created": now(),
            "dataset": dict(dataset),
            "engine": settings["engine"],
            "settings": dict(settings),
            "rows": len(self._rows),
            "perturbable": sum(bool(self._perturbing.options(row)) for row in range(len(self._rows))),
            "chosen": len(self._perturbing.chosen),
            "perturbed": self.n_changed,
            "changed": 0 if add else self.n_changed,
            "added": self.n_changed if add else 0,
            "tries": self.n_tries,
            "blocked": self._failed[OFFENSIVE],
            "warned": self._failed[CONTRAST],
            "kept_warned": self.n_warned,
            "stopped": BUDGET_SPENT if self._stayed[BUDGET_SPENT] else "",
            "axes": self._axes(),
            "pairs": [
                {"axis": axis, "source": source, "target": target, "count": n}
                for (axis, source, target), n in self._pairs.most_common()
            ],
            "balance": [dict(row) for row in balance],
            "stayed": [{"reason": reason, "count": n} for reason, n in self._stayed.most_common()],
            "refused": [
                {"reason": reason, "count": n, "example": self._refused[reason]}
                for reason, n in self._reasons.most_common()
            ],
            "checks": [
                {"check": name, "seen": n, "failed": self._failed[name]} for name, n in self._seen.items()
            ],
            "left": self._left(),
            "distances": self._distances(new),
            "sample": [shown for axis in sorted(self._sample) for _, shown in self._sample[axis]],
            "failed_calls": [
                {"reason": reason, "count": n} for reason, n in Counter(failed_calls).most_common()
            ],
            "cost": [asdict(row) for row in cost],
            "budget": budget,
        }

    def _axes(self) -> list[dict[str, Any]]:
        """For each axis the rows that have something to change on it, and those that were perturbed on it."""
        could: Counter[str] = Counter()
        for row in range(len(self._rows)):
            could.update({option.axis for option in self._perturbing.options(row)})
        done: Counter[str] = Counter()
        for (axis, _, _), n in self._pairs.items():
            done[axis] += n
        return [
            {"axis": axis, "rows": could[axis], "perturbed": done[axis]}
            for axis in self._perturbing.settings.axes
        ]

    def _left(self) -> list[dict[str, Any]]:
        """Words that look demographic and were left alone, by the reason, with the commonest of them."""
        words: dict[str, Counter[str]] = {}
        for row, seen in enumerate(self._perturbing.seen):
            if seen.found.skipped:
                text = self._perturbing.text(row)
                for left in seen.found.skipped:
                    words.setdefault(left.reason, Counter())[text[left.start : left.stop].lower()] += 1
        return [
            {
                "reason": reason,
                "count": found.total(),
                "words": [list(pair) for pair in found.most_common(WORDS)],
            }
            for reason, found in sorted(words.items(), key=lambda item: (-item[1].total(), item[0]))
        ]

    def _distances(self, new: Mapping[int, Sequence[str]]) -> dict[str, Any] | None:
        """How far the perturbed rows are from what they were; None where there are none, or the extra is not installed."""
        rows = sorted(new)[:: max(1, -(-len(new) // MOST))]
        if not rows:
            return None
        before = [self._perturbing.text(row) for row in rows]
        try:
            return compare_versions(before, [as_one(new[row]) for row in rows]).to_dict()
        except MissingExtra:
            return None
