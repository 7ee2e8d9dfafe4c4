"""What an augmentation did, in numbers and examples: the content of augment.json, which the report shows.

summary = AugmentSummary(rows, seed=0)
summary.add(round)                 after each round
summary.to_dict(...)               at the end, with the comparison of before and after
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from importlib.metadata import version
from itertools import groupby
from typing import Any

from longway.jobs.before_after import Comparison
from longway.methods.method import Round, Rows
from longway.records import Edit, Example
from longway.store import CallTotals, now

SAMPLED = 20  # accepted additions for a person to look at
VERSION = 1


class AugmentSummary:
    """Collects what the report needs while rounds go by.

    added: the rows that were added; source_of: for each of them the id of the row it was made from.
    """

    def __init__(self, rows: Rows, *, seed: int = 0) -> None:
        self._rows, self._seed = rows, seed
        self.rounds: list[Round] = []
        self.added: list[Example] = []
        self.source_of: dict[str, str] = {}
        self.n_candidates = self.n_accepted = 0
        self._seen: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._refused: dict[str, dict[str, Any]] = {}
        self._sample: list[tuple[bytes, dict[str, Any]]] = []

    def add(self, done: Round) -> None:
        """Take a round into account."""
        self.rounds.append(Round(done.number, figures=done.figures, stopped=done.stopped))
        self.added += self._rows.added_by(done.edits)
        for edits in _by_row(done.edits):
            self._add_candidate(edits)

    def _add_candidate(self, edits: Sequence[Edit]) -> None:
        """One proposed row, which may differ from its source in several columns."""
        first = edits[0]
        self.n_candidates += 1
        self.source_of[first.id] = first.source
        for verdict in first.verdicts:
            self._seen[verdict.check] += 1
            self._failed[verdict.check] += not verdict.passed
        if not first.accepted:
            check = next((v.check for v in first.verdicts if not v.passed), first.reason)
            self._reasons[check] += 1
            if check not in self._refused:
                self._refused[check] = self._shown(edits)
            return
        self.n_accepted += 1
        key = blake2b(f"{self._seed}\0{first.id}".encode(), digest_size=8).digest()
        if len(self._sample) < SAMPLED or key < self._sample[-1][0]:
            kept = sorted([*self._sample, (key, self._shown(edits))], key=lambda item: item[0])
            self._sample = kept[:SAMPLED]

    def _shown(self, edits: Sequence[Edit]) -> dict[str, Any]:
        """The candidate as the report shows it: its first edit, with the context as it was and as it is."""
        place = self._rows.place(edits[0].source)
        was = self._rows.context(place)
        changed = {edit.field: edit.after for edit in edits}
        shown = {**edits[0].to_dict(), "context": was, "context_before": was}
        if was is not None:
            shown["context"] = changed.get(self._rows.task.context_name or "context", was)
        return shown

    @property
    def stopped(self) -> str:
        """Why the method ended."""
        return next((done.stopped for done in reversed(self.rounds) if done.stopped), "")

    def texts_of_sources(self) -> list[str]:
        """For each addition the text it was made from."""
        return [self._rows.texts[self._rows.place(self.source_of[one.id])] for one in self.added]

    def to_dict(
        self,
        *,
        dataset: Mapping[str, Any],
        settings: Mapping[str, Any],
        comparison: Comparison | None,
        checks: Mapping[str, Any],
        words: Sequence[Mapping[str, Any]],
        analysis: Mapping[str, Any] | None,
        diversity: Mapping[str, Any] | None,
        cost: Sequence[CallTotals],
        budget: float | None,
        failed_calls: Mapping[str, int],
    ) -> dict[str, Any]:
        """Everything as plain JSON values.

        comparison: None for data without labels. checks: see `Verifier.report`. words: the spurious words with what they told about
        the label before and tell after. analysis: which words models look at. failed_calls: to engines, by why they failed.
        """
        return {
            "version": VERSION,
            "longway": version("longway"),
            "created": now(),
            "dataset": dict(dataset),
            "method": settings["method"],
            "engine": settings["engine"],
            "judge": settings["judge"],
            "settings": dict(settings),
            "asked": sum(done.figures.asked for done in self.rounds),
            "candidates": self.n_candidates,
            "accepted": self.n_accepted,
            "rejected": self.n_candidates - self.n_accepted,
            "added": len(self.added),
            **self._labels(settings),
            "stopped": self.stopped,
            "rounds": [_round(done) for done in self.rounds],
            "words": [dict(word) for word in words],
            "mean_mi": _mean_information(words),
            "analysis": None if analysis is None else dict(analysis),
            **_compared(comparison),
            "diversity": None if diversity is None else dict(diversity),
            "checks": [
                {"check": name, "seen": n, "failed": self._failed[name], "error": checks["errors"].get(name)}
                for name, n in self._seen.items()
            ],
            "missing_checks": list(checks["missing"]),
            "expected_wrong": checks["expected_wrong"],
            "sample": [shown for _, shown in self._sample],
            "refused": [
                {"reason": name, "count": n, "example": self._refused[name]}
                for name, n in self._reasons.most_common()
            ],
            "failed_calls": [
                {"reason": reason, "count": n} for reason, n in Counter(failed_calls).most_common()
            ],
            "cost": [asdict(row) for row in cost],
            "budget": budget,
        }

    def _labels(self, settings: Mapping[str, Any]) -> dict[str, Any]:
        """Rows by label: added, before, after; empty where the labels are texts of their own."""
        if settings.get("target"):
            return {"added_by_label": {}, "labels_before": {}, "labels_after": {}}
        names, rows = self._rows.label_names, self._rows
        before = Counter(rows.label(row) for row in range(len(rows)))
        added = Counter(one.label for one in self.added)
        return {
            "added_by_label": {name: added[name] for name in names},
            "labels_before": {name: before[name] for name in names},
            "labels_after": {name: before[name] + added[name] for name in names},
        }


def _by_row(edits: Sequence[Edit]) -> Iterator[list[Edit]]:
    """The edits of each proposed row; they stand together."""
    for _, group in groupby(edits, key=lambda edit: edit.id):
        yield list(group)


def _mean_information(words: Sequence[Mapping[str, Any]]) -> dict[str, float] | None:
    """What a spurious word tells about the label on average, in nats: the number that CoBA is there to lower."""
    if not words:
        return None
    return {when: sum(word[f"mi_{when}"] for word in words) / len(words) for when in ("before", "after")}


def _compared(comparison: Comparison | None) -> dict[str, Any]:
    """Leaks and findings before and after."""
    if comparison is None:
        return {"leak": None, "other_leaks": [], "found": None, "findings": [], "worse": [], "n_worse": 0}
    return comparison.to_dict()


def _round(done: Round) -> dict[str, Any]:
    figures = done.figures
    return {
        "number": done.number,
        "rows": figures.asked,
        "candidates": figures.candidates,
        "accepted": figures.accepted,
        "rejected": dict(figures.rejected),
        "refusals": dict(figures.refusals),
        "seconds": sum(figures.seconds.values()),
    }
