"""What a rewrite did, in numbers and examples: the content of rewrite.json, which the report shows.

summary = Summary(rows, seed=0)
summary.add(round)                 after each round
summary.to_dict(...)               at the end, with the comparison of before and after
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from hashlib import blake2b
from importlib.metadata import version
from typing import Any

from longway.data.edited import Changes
from longway.jobs.before_after import Comparison, PatternChange
from longway.methods.drafts import NOT_BETTER, NOT_CHOSEN, NOT_VERIFIED
from longway.methods.method import Round, Rows
from longway.metrics.bleu import corpus_bleu
from longway.metrics.versions import compare_terms
from longway.records import Edit
from longway.store import CallTotals, now

SAMPLED = 20  # accepted edits for a person to look at
STRONGEST = 20
N_TERMS = 15
# No fault of the candidate: another text was preferred, or passed before it was looked at.
CHOICES = (NOT_CHOSEN, NOT_BETTER, NOT_VERIFIED)


class Summary:
    """Collects what the report needs while rounds go by, in bounded memory."""

    def __init__(self, rows: Rows, *, seed: int = 0) -> None:
        self._rows = rows
        self._seed = seed
        self._added: dict[str, str | None] = {}  # contexts of rows that were added
        self.rounds: list[Round] = []
        self.n_candidates = self.n_accepted = self.n_added = 0
        self._asked: set[str] = set()
        self._edits_of: Counter[str] = Counter()
        self._seen: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()
        self._reasons: Counter[str] = Counter()
        self._refused: dict[str, Edit] = {}
        self._sample: list[tuple[bytes, Edit]] = []
        self._strongest: list[tuple[float, str, Edit]] = []

    def add(self, done: Round) -> None:
        """Take a round into account."""
        self.rounds.append(Round(done.number, figures=done.figures, stopped=done.stopped))
        added = self._rows.added_by(done.edits)
        self.n_added += len(added)
        self._added.update((example.id, example.context) for example in added)
        for edit in done.edits:
            self._add_edit(edit)

    def _add_edit(self, edit: Edit) -> None:
        self.n_candidates += 1
        self._asked.add(edit.id)
        for verdict in edit.verdicts:
            self._seen[verdict.check] += 1
            self._failed[verdict.check] += not verdict.passed
        if not edit.accepted:
            if edit.reason not in CHOICES:
                check = next((v.check for v in edit.verdicts if not v.passed), edit.reason)
                self._reasons[check] += 1
                self._refused.setdefault(check, edit)
            return
        self.n_accepted += 1
        self._edits_of[edit.id] += 1
        key = blake2b(f"{self._seed}\0{edit.id}\0{edit.round}".encode(), digest_size=8).digest()
        self._sample = sorted([*self._sample, (key, edit)], key=lambda item: item[0])[:SAMPLED]
        if edit.score_before is not None and edit.score_after is not None:
            gain = edit.score_after - edit.score_before
            ranked = sorted([*self._strongest, (gain, edit.id, edit)], key=lambda item: item[:2])
            self._strongest = ranked[:STRONGEST]

    @property
    def stopped(self) -> str:
        """Why the method ended."""
        return next((done.stopped for done in reversed(self.rounds) if done.stopped), "")

    def changed(self, changes: Changes) -> dict[int, str]:
        """The rows whose text differs from what it was, with their new text."""
        new = changes.cells.get(self._rows.task.text_name, {})
        texts = enumerate(zip(self._rows.ids, self._rows.texts, strict=True))
        return {row: new[id_] for row, (id_, text) in texts if new.get(id_, text) != text}

    def edits_of_changed(self, changes: Changes) -> list[int]:
        """For each row with a new text how many of its edits were accepted."""
        return [self._edits_of[self._rows.ids[row]] for row in self.changed(changes)]

    def to_dict(
        self,
        changes: Changes,
        *,
        dataset: Mapping[str, Any],
        settings: Mapping[str, Any],
        comparison: Comparison,
        checks: Mapping[str, Any],
        cost: Sequence[CallTotals],
        budget: float | None,
        failed_calls: Mapping[str, int],
        labels_changed: int,
        decisions: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        """Everything as plain JSON values.

        checks: "errors" (error rates by check), "missing" (checks that could not be made), "expected_wrong".
        failed_calls: to engines, by why they failed. decisions: what was taken over from the review of an earlier run.
        """
        changed = self.changed(changes)
        before, after = [self._rows.texts[row] for row in changed], list(changed.values())
        return {
            "version": 1,
            "longway": version("longway"),
            "created": now(),
            "dataset": dict(dataset),
            "method": settings["method"],
            "engine": settings["engine"],
            "judge": settings["judge"],
            "settings": dict(settings),
            "changed": len(changed),
            "added": self.n_added,
            "asked": len(self._asked),
            "candidates": self.n_candidates,
            "accepted": self.n_accepted,
            "rejected": self.n_candidates - self.n_accepted,
            "labels_changed": labels_changed,
            "stopped": self.stopped,
            "rounds": [_round(done) for done in self.rounds],
            **comparison.to_dict(),
            "terms": self._terms(comparison.findings, changed),
            "bleu": corpus_bleu(after, before).share if changed else None,
            "checks": [
                {"check": name, "seen": n, "failed": self._failed[name], "error": checks["errors"].get(name)}
                for name, n in self._seen.items()
            ],
            "missing_checks": list(checks["missing"]),
            "expected_wrong": checks["expected_wrong"],
            "sample": [self._shown(edit) for _, edit in self._sample],
            "strongest": [self._shown(edit) for _, _, edit in self._strongest],
            "refused": [
                {"reason": name, "count": n, "example": self._shown(self._refused[name])}
                for name, n in self._reasons.most_common()
            ],
            "failed_calls": [
                {"reason": reason, "count": n} for reason, n in Counter(failed_calls).most_common()
            ],
            "cost": [asdict(row) for row in cost],
            "budget": budget,
            "decisions": None if decisions is None else dict(decisions),
        }

    def _shown(self, edit: Edit) -> dict[str, Any]:
        is_added = edit.id in self._added
        context = self._added[edit.id] if is_added else self._rows.context(self._rows.place(edit.id))
        return {**edit.to_dict(), "context": context}

    def _terms(self, fates: Sequence[PatternChange], changed: Mapping[int, str]) -> list[dict[str, Any]]:
        """How often the most telling words stood in the texts, and do now (Fig. 3 counts "no" and "not")."""
        text_name = self._rows.task.text_name
        words = [fate for fate in fates if (fate.pattern.level, fate.pattern.field) == ("token", text_name)]
        after = [changed.get(row, text) for row, text in enumerate(self._rows.texts)]
        labels = {fate.pattern.name: fate.label for fate in words[:N_TERMS]}
        counts = compare_terms(self._rows.texts, after, labels)
        return [
            {"term": one.term, "label": labels[one.term], "before": one.before, "after": one.after}
            for one in counts
        ]


def _round(done: Round) -> dict[str, Any]:
    figures = done.figures
    return {
        "number": done.number,
        "rows": figures.asked,
        "candidates": figures.candidates,
        "accepted": figures.accepted,
        "objective": figures.cosine,
        "kl": figures.divergence,
        "mean_gamma": figures.gamma,
        "leak": None if figures.leak is None else figures.leak.accuracy,
        "rejected": dict(figures.rejected),
        "refusals": dict(figures.refusals),
        "seconds": sum(figures.seconds.values()),
        "seconds_by_step": dict(figures.seconds),
    }
