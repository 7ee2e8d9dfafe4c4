"""All checks of a dataset in one: cheap ones first, models only for what passed so far, every verdict kept.

    verifier = verifier_for(task, texts, labels, contexts, judge=asker, seed=0)
    for verdicts in verifier.verify(candidates): ...        passed(verdicts) says whether all did

Checks whose optional packages are not installed are left out and named in `missing`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from longway.errors import LongwayError
from longway.llm.asking import Asker
from longway.records import Verdict
from longway.store.journal import Journal
from longway.task import Task
from longway.verify.added_words import AddedWords
from longway.verify.calibration import (
    TaskKind,
    base_rate,
    base_rate_interval,
    bounds,
    error_rates,
    expected_wrong,
    wrong_rows,
)
from longway.verify.check import Candidate, Check
from longway.verify.drift import Drift
from longway.verify.memory import Memory
from longway.verify.names import Names
from longway.verify.negation import Negation
from longway.verify.numbers import Numbers
from longway.verify.orders import Orders
from longway.verify.other_label import OtherLabel
from longway.verify.same_context import SameContext
from longway.verify.surface import Surface

AT_ONCE = 512  # candidates that go through all checks together
_SHAPE = frozenset({"surface", "added words", "orders", "context"})  # say nothing about labels


def passed(verdicts: Sequence[Verdict]) -> bool:
    """Whether every check passed."""
    return all(verdict.passed for verdict in verdicts)


class Verifier:
    """Checks in their order, and what they have seen.

    missing: checks that could not be made, "name: why". kind: which error rates apply.
    seen, failed: candidates by check.
    """

    def __init__(
        self, checks: Sequence[Check], *, missing: Sequence[str] = (), kind: TaskKind = "single"
    ) -> None:
        self.checks = tuple(checks)
        self.missing = tuple(missing)
        self.kind = kind
        self.seen: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()

    def verify(self, candidates: Sequence[Candidate]) -> Iterator[tuple[Verdict, ...]]:
        """The verdicts on each candidate, in order; the last one is the one that failed, where one did.

        They come in parts, so that what was paid for is not lost where the budget ends on the way.
        """
        for start in range(0, len(candidates), AT_ONCE):
            yield from self._part(candidates[start : start + AT_ONCE])

    def _part(self, candidates: Sequence[Candidate]) -> list[tuple[Verdict, ...]]:
        verdicts: list[tuple[Verdict, ...]] = [() for _ in candidates]
        waiting = list(range(len(candidates)))
        for check in self.checks:
            concerns = getattr(check, "concerns", None)
            looked_at = [i for i in waiting if concerns is None or concerns(candidates[i])]
            if not looked_at:
                continue
            found = check([candidates[i] for i in looked_at])
            for i, verdict in zip(looked_at, found, strict=True):
                verdicts[i] += (verdict,)
                self.seen[check.name] += 1
                self.failed[check.name] += not verdict.passed
            waiting = [i for i in waiting if passed(verdicts[i])]
        return verdicts

    def report(self, n_accepted: int, edits: Sequence[int] = ()) -> dict[str, Any]:
        """What the report says about the checks: "errors" by check, "missing", and "expected_wrong" among the accepted.

        edits: for each row with a new text how many of its edits were accepted; each was a chance to go wrong.
        """
        rates = error_rates(self.kind)
        errors = {
            check.name: {side: rates[check.name][side]["share"] for side in ("false_accept", "false_reject")}
            for check in self.checks
            if check.name in rates
        }
        return {
            "errors": errors,
            "missing": list(self.missing),
            "expected_wrong": self._wrong(n_accepted, edits),
        }

    def _wrong(self, n_accepted: int, edits: Sequence[int]) -> dict[str, Any] | None:
        """None where nothing was accepted or a check that the error rates rest on is missing."""
        needed = set(error_rates(self.kind)) - {"all", "judge"}
        if not n_accepted or needed - {check.name for check in self.checks}:
            return None
        first = next(check.name for check in self.checks if check.name not in _SHAPE)
        tried = self.seen[first]
        rejected = sum(n for name, n in self.failed.items() if name not in _SHAPE)
        wrong = base_rate(self.kind, rejected / tried) if tried else 0.0
        ends = base_rate_interval(self.kind, rejected / tried, tried) if tried else (0.0, 1.0)
        share, low, high = expected_wrong(self.kind, wrong, ends=ends)
        basis = (
            f"of {tried} candidates the checks rejected {rejected}; by their error rates on data with known answers, about "
            f"{wrong:.0%} of the candidates were wrong before checking, if these err as those do"
        )
        ends_of_edits = {"share": share, "low": low, "high": high}
        rows = {end: wrong_rows(value, edits) for end, value in ends_of_edits.items()} if edits else None
        return {**ends_of_edits, "basis": basis, "rows": rows}


def verifier_for(
    task: Task,
    texts: Sequence[str],
    labels: Sequence[str],
    contexts: Sequence[str] | None,
    *,
    judge: Asker | None = None,
    seed: int = 0,
    journal: Journal | None = None,
) -> Verifier:
    """The verifier of a dataset as it came. judge: asks an engine that judges. journal: remembers what models said."""
    contexts = contexts if task.is_pair else None
    checks: list[Check] = [
        Surface(task.labels),
        AddedWords(),
        Orders(),
        Negation(labels),
        Numbers(),
        Names.of([*texts, *(contexts or ())]),
    ]
    missing: list[str] = []
    memory = Memory(journal)
    if contexts is not None:
        checks[3:3] = [SameContext(contexts)]
        checks.append(OtherLabel(task))
    encoded = _encoded(memory, missing)
    if encoded is not None:
        from longway.verify.meaning import Meaning

        checks.append(Meaning(encoded, **bounds("meaning")))
    if task.is_pair:
        checks += entailment_check(task, memory, missing)
    else:
        from longway.verify.classifiers import Bounds, Classifiers

        checks.append(Classifiers(texts, labels, Bounds(**bounds("classifiers")), vectors=encoded, seed=seed))
    checks.append(Drift([check for check in checks if check.name not in _SHAPE]))
    checks += judge_check(task, judge, missing)
    return Verifier(checks, missing=missing, kind="pair" if task.is_pair else "single")


def _encoded(memory: Memory, missing: list[str]) -> Any:
    from longway.verify.meaning import Encoded

    try:
        from longway.classify.minilm import MiniLM

        return Encoded(MiniLM.load(), memory)
    except LongwayError as error:
        missing.append(f"meaning: {error}")
        return None


def entailment_check(task: Task, memory: Memory, missing: list[str]) -> list[Check]:
    """The check by the entailment model in a list; empty where it cannot be made, and `missing` says why."""
    from longway.verify.entails import Entails

    if not task.stances:
        missing.append("entailment: the labels do not tell what the context says about a text")
        return []
    try:
        from longway.classify.entailment import Entailment

        return [Entails(task, Entailment.load(), memory, **bounds("entailment"))]
    except LongwayError as error:
        missing.append(f"entailment: {error}")
        return []


def judge_check(task: Task, judge: Asker | None, missing: list[str]) -> list[Check]:
    """The check by an engine in a list; empty where it cannot be made, and `missing` says why."""
    from longway.verify.judge import Judge

    if judge is None:
        missing.append("judge: no engine that can judge was given")
        return []
    if "judge" not in judge.engine.can:
        missing.append(f"judge: the engine {judge.engine.name} cannot judge")
        return []
    if not _judges(judge.engine, task):
        missing.append("judge: the small local model is no better than chance on such pairs and is not asked")
        return []
    return [Judge(task, judge)]


def _judges(engine: Any, task: Task) -> bool:
    """Whether the engine, or one of several in turn, answers for such a task; only the small model says what it cannot judge."""
    together: tuple[Any, ...] = getattr(engine, "engines", (engine,))
    return any("judge" in one.can and getattr(one, "judges", _always)(task) for one in together)


def _always(task: Task) -> bool:
    return True
