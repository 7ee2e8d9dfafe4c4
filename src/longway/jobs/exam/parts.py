"""The jobs of an exam: which questions each has, and what it makes of the answers.

Part            one job: its prompts for an estimate, `ask`, which asks some of its questions, and `mark`, which marks the answers
parts_for       the jobs that an engine is asked to do
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from longway.engines.asker import Asker, TokenEstimate
from longway.engines.engine import Engine, Judgement, Sampling, Written
from longway.engines.prompt import (
    Prompt,
    counterfactual_prompt,
    judge_prompt,
    rewrite_prompt,
    triples_prompt,
)
from longway.english.people.demographics import parse_attribute
from longway.english.triples.triple import Triple, parse
from longway.jobs.exam.questions import (
    Question,
    fault_of_counterpart,
    fault_of_rewrite,
    fault_of_triples,
    in_turn,
    questions,
)
from longway.jobs.exam.result import Calibration, JobScore, Mistake
from longway.methods.additions import Refused, ask_structured
from longway.methods.perturb.asked import AskedPerturber, prompt_of
from longway.methods.perturb.perturber import Perturbed, Perturber, Place, Request
from longway.metrics.classification import brier_of, calibration_error_of
from longway.task import Task
from longway.verify.check import Candidate
from longway.verify.verifier import CheckSetup, Verifier, passed

JUDGE, REWRITE, COUNTERPART, TRIPLES, PERTURB = "judge", "rewrite", "counterpart", "triples", "perturb"
MOST_REWRITES = 20
SAMPLING = Sampling(max_tokens=256)
# Not the classifiers and the check of names, which learn from the dataset and need more rows; the known answers name what must stay.
REWRITE_CHECKS = (
    "surface", "added words", "orders", "context", "negation", "numbers", "other label", "meaning", "entailment",
)  # fmt: skip
COUNTERPART_CHECKS = ("surface", "orders")
RULES = "rules"


@dataclass(frozen=True, slots=True)
class Mark:
    """The mark of one answer. fault: "" if it is right. answer: what was answered; "" if nothing could be read."""

    question: Question
    answer: str = ""
    fault: str = ""
    is_readable: bool = True
    is_passed: bool = True

    @property
    def is_right(self) -> bool:
        """Whether the answer is readable, passed the checks and is confirmed by the known answer."""
        return self.is_readable and self.is_passed and not self.fault


class Part(ABC):
    """One job of the exam. skipped: why the engine is not asked to do it."""

    name: ClassVar[str]

    def __init__(self, chosen: Iterable[Question], limit: int | None, *, skipped: str = "") -> None:
        self.questions = [] if skipped else in_turn(chosen, limit)
        self.skipped = skipped
        self.asked: list[Question] = []
        self.marks: list[Mark] = []

    @property
    def left(self) -> list[Question]:
        """The questions that were not asked yet."""
        return self.questions[len(self.asked) :]

    @abstractmethod
    def estimate(self, asker: Asker) -> TokenEstimate:
        """What the calls that are not answered yet would take."""

    def ask(self, asker: Asker, n: int) -> None:
        """Ask the next n questions."""
        some = self.left[:n]
        self._ask(asker, some)
        self.asked += some

    @abstractmethod
    def _ask(self, asker: Asker, some: Sequence[Question]) -> None: ...

    @abstractmethod
    def mark(self) -> None:
        """Mark the answers."""

    def score(self) -> JobScore:
        """The score, without what it took."""
        marks = self.marks
        return JobScore(
            self.name,
            len(self.asked),
            sum(mark.is_readable for mark in marks),
            sum(mark.is_readable and mark.is_passed for mark in marks),
            sum(mark.is_right for mark in marks),
            self.skipped,
            len(self.left),
            mistakes=tuple(
                Mistake(mark.question.id, mark.answer, mark.fault) for mark in marks if mark.fault
            ),
        )


class JudgePart(Part):
    """The label of each row."""

    name = JUDGE

    def __init__(self, engine: Engine, limit: int | None) -> None:
        chosen = [one for one in questions() if one.label]
        cannot = "judge" not in engine.can
        super().__init__(chosen, limit, skipped="the engine cannot judge" if cannot else "")
        self.judged: list[tuple[Question, Judgement]] = []

    def estimate(self, asker: Asker) -> TokenEstimate:
        """The sum over the tasks."""
        return _total(
            asker.estimate(_judge_prompts(rows), options=task.labels)
            for task, rows in _by_task(self.questions)
        )

    def _ask(self, asker: Asker, some: Sequence[Question]) -> None:
        for task, rows in _by_task(some):
            answers = asker.judge_all(_judge_prompts(rows), task.labels)
            self.judged += zip(rows, answers, strict=True)

    def mark(self) -> None:
        """The most probable label must be the known one."""
        for row, answer in self.judged:
            if answer.best is None:
                self.marks.append(Mark(row, fault=answer.refusal or "no answer", is_readable=False))
            else:
                fault = "" if answer.best == row.label else f"should be {row.label}"
                self.marks.append(Mark(row, answer.best, fault))

    def by_family(self) -> dict[str, tuple[int, int]]:
        """Right answers and questions by task."""
        of = Counter(mark.question.family for mark in self.marks)
        right = Counter(mark.question.family for mark in self.marks if mark.is_right)
        return {family: (right[family], n) for family, n in of.items()}

    def calibration(self) -> Calibration | None:
        """How well the probabilities match; None if there are none."""
        given = [(row, answer) for row, answer in self.judged if answer.probabilities]
        if not given:
            return None
        most = max(len(row.task.labels) for row, _ in given)
        probabilities = np.zeros((len(given), most))
        for i, (row, answer) in enumerate(given):
            probabilities[i, : len(row.task.labels)] = [
                answer.probabilities[label] for label in row.task.labels
            ]
        numbers = np.array([row.task.labels.index(row.label) for row, _ in given])
        once = np.ones((1, len(given)))
        return Calibration(
            confidence=round(float(probabilities.max(axis=1).mean()), 4),
            accuracy=round(float(np.mean([answer.best == row.label for row, answer in given])), 4),
            error=round(float(calibration_error_of(numbers, probabilities, once)[0]), 4),
            brier=round(float(brier_of(numbers, probabilities, once)[0]), 4),
        )


class TextsPart(Part):
    """A text for each question: checked as Longway checks it, and then by the known answer."""

    checks: ClassVar[Sequence[str]]

    def __init__(self, chosen: Iterable[Question], limit: int | None, *, skipped: str = "") -> None:
        super().__init__(chosen, limit, skipped=skipped)
        self.written: dict[str, Written] = {}  # by the question's id

    def estimate(self, asker: Asker) -> TokenEstimate:
        """One text per question."""
        return asker.estimate([self._prompt(one) for one in self.questions], 1, samplings=SAMPLING)

    def _ask(self, asker: Asker, some: Sequence[Question]) -> None:
        written = asker.write_all([self._prompt(one) for one in some], 1, SAMPLING)
        self.written.update(zip([one.id for one in some], written, strict=True))

    def mark(self) -> None:
        """The first text of each answer counts."""
        for task, rows in _by_task(self.asked):
            self.marks += self._marked(task, rows, [self.written[row.id] for row in rows])

    @abstractmethod
    def _prompt(self, question: Question) -> Prompt: ...

    @abstractmethod
    def _label(self, question: Question) -> str: ...

    @abstractmethod
    def _fault(self, question: Question, text: str) -> str: ...

    def _marked(self, task: Task, rows: Sequence[Question], answers: Sequence[Written]) -> Iterator[Mark]:
        given = [(row, answer.texts[0]) for row, answer in zip(rows, answers, strict=True) if answer.texts]
        for row, answer in zip(rows, answers, strict=True):
            if not answer.texts:
                yield Mark(row, fault=next(iter(answer.refusals), "no text"), is_readable=False)
        if not given:
            return
        candidates = [
            Candidate(i, row.text, text, self._label(row), row.context, telling=frozenset(row.avoid))
            for i, (row, text) in enumerate(given)
        ]
        verifier = _verifier(task, [row for row, _ in given], self.checks)
        for (row, text), verdicts in zip(given, verifier.verify(candidates), strict=True):
            if passed(verdicts):
                yield Mark(row, text, self._fault(row, text))
            else:
                last = verdicts[-1]
                yield Mark(row, text, f"rejected by the check “{last.check}”", is_passed=False)


class RewritePart(TextsPart):
    """The same in other words, without the words to avoid."""

    name = REWRITE
    checks = REWRITE_CHECKS

    def _prompt(self, question: Question) -> Prompt:
        row = question
        return rewrite_prompt(
            row.task, row.text, label=row.label, context=row.context, avoid=row.avoid, keeps="meaning"
        )

    def _label(self, question: Question) -> str:
        return question.label

    def _fault(self, question: Question, text: str) -> str:
        return fault_of_rewrite(question, text)


class CounterpartPart(TextsPart):
    """A text with another label."""

    name = COUNTERPART
    checks = COUNTERPART_CHECKS

    def _prompt(self, question: Question) -> Prompt:
        row = question
        return counterfactual_prompt(
            row.task, row.text, label=row.label, target=row.target, context=row.context
        )

    def _label(self, question: Question) -> str:
        return question.target

    def _fault(self, question: Question, text: str) -> str:
        return fault_of_counterpart(question, text)


class TriplesPart(Part):
    """The statements of a text as triples."""

    name = TRIPLES

    def __init__(self, chosen: Iterable[Question], limit: int | None, *, skipped: str = "") -> None:
        super().__init__(chosen, limit, skipped=skipped)
        self.answers: list[list[Triple] | Refused] = []

    def estimate(self, asker: Asker) -> TokenEstimate:
        """One call per text, without repairs."""
        return asker.estimate(self._prompts(self.questions), 1, samplings=SAMPLING)

    def _ask(self, asker: Asker, some: Sequence[Question]) -> None:
        read: Callable[[str], list[Triple]] = partial(parse, may_be_whole=asker.engine.name == RULES)
        n = len(some)
        self.answers += ask_structured(asker.write_all, self._prompts(some), [SAMPLING] * n, [read] * n)

    def mark(self) -> None:
        """Every known fact must be in a triple."""
        for question, answer in zip(self.asked, self.answers, strict=True):
            if isinstance(answer, Refused):
                self.marks.append(Mark(question, fault=answer.reason, is_readable=False))
            else:
                shown = "; ".join(map(str, answer))
                self.marks.append(Mark(question, shown, fault_of_triples(question, answer)))

    def _prompts(self, some: Sequence[Question]) -> list[Prompt]:
        # The labels do not matter for triples.
        task = next(one for one in questions() if one.label).task
        return [triples_prompt(task, question.text) for question in some]


class PerturbPart(Part):
    """One person of a text changed."""

    name = PERTURB

    def __init__(self, chosen: Iterable[Question], limit: int | None, *, skipped: str = "") -> None:
        super().__init__(chosen, limit, skipped=skipped)
        self.done: list[Perturbed] = []

    def estimate(self, asker: Asker) -> TokenEstimate:
        """One call per text, without repairs."""
        if asker.engine.name == RULES:
            return TokenEstimate(0, 0, 0, 0.0)
        prompts = [prompt for one in self.questions if (prompt := prompt_of(_request(one))) is not None]
        return asker.estimate(prompts, 1, samplings=SAMPLING)

    def _ask(self, asker: Asker, some: Sequence[Question]) -> None:
        perturber: Perturber = AskedPerturber(asker)
        if asker.engine.name == RULES:  # they do not read prompts
            from longway.methods.perturb.rule_perturber import RulePerturber

            perturber = RulePerturber()
        self.done += perturber.perturb(list(map(_request, some)))

    def mark(self) -> None:
        """The person must be another one, and everything else the same."""
        for question, done in zip(self.asked, self.done, strict=True):
            if done.reason:
                self.marks.append(Mark(question, fault=done.reason, is_readable=False))
            else:
                text = done.segments[0]
                self.marks.append(Mark(question, text, fault_of_rewrite(question, text)))


def parts_for(engine: Engine, limit: int | None) -> list[Part]:
    """All jobs, with those that the engine cannot do marked as skipped."""
    cannot = "" if "write" in engine.can else "the engine cannot write"
    labelled = [one for one in questions() if one.label]
    rewrites = [one for one in labelled if one.keep]
    return [
        JudgePart(engine, limit),
        RewritePart(rewrites, min(limit or MOST_REWRITES, len(rewrites)), skipped=cannot),
        CounterpartPart([one for one in labelled if one.gone], limit, skipped=cannot),
        TriplesPart([one for one in questions() if one.facts], limit, skipped=cannot),
        PerturbPart([one for one in questions() if one.word], limit, skipped=cannot),
    ]


def _by_task(rows: Sequence[Question]) -> Iterator[tuple[Task, list[Question]]]:
    for family in dict.fromkeys(row.family for row in rows):
        members = [row for row in rows if row.family == family]
        yield members[0].task, members


def _judge_prompts(rows: Sequence[Question]) -> list[Prompt]:
    return [judge_prompt(row.task, row.text, context=row.context) for row in rows]


def _verifier(task: Task, rows: Sequence[Question], names: Sequence[str]) -> Verifier:
    contexts = [row.context or "" for row in rows] if task.is_pair else None
    setup = CheckSetup(task, [row.text for row in rows], [row.label for row in rows], contexts)
    for name in names:
        setup.build(name)
    return setup.verifier()


def _request(question: Question) -> Request:
    start = question.text.index(question.word)
    place = Place(0, start, start + len(question.word))
    return Request(
        (question.text,), place, parse_attribute(question.source), parse_attribute(question.target)
    )


def _total(estimates: Iterable[TokenEstimate]) -> TokenEstimate:
    calls = read = written = 0
    cost: float | None = 0.0
    for one in estimates:
        calls, read, written = calls + one.calls, read + one.prompt_tokens, written + one.completion_tokens
        cost = None if cost is None or one.cost is None else cost + one.cost
    return TokenEstimate(calls, read, written, cost)
