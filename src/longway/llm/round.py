"""Many questions to one engine: as many at once as it takes, each answer on disk before it counts.

    Round(engine, journal, ledger, ...).run(questions)      answers come back through `take`, by key

Questions are drawn one by one as there is room, so that fifty thousand of them are not fifty thousand tasks. Served answers are
committed one by one: each was paid for. Answers that were computed here are committed a few at a time.
"""

from __future__ import annotations

import asyncio
import json
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from longway.errors import BudgetSpent, CallFailed, EngineError, LongwayError
from longway.llm.budget import Ledger
from longway.llm.engine import Usage
from longway.llm.recorded import LOST, answers_in, current_key, key_of_all
from longway.llm.request import Call
from longway.store.journal import Journal

AT_MOST_FAILED = 5  # failed calls in a row after which the engine counts as gone
GRACE = 5.0  # seconds that paid calls get to finish when another one shows that the engine is gone
COMMIT_CALLS, COMMIT_SECONDS = 50, 0.5
Answers = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Question:
    """One call to an engine.

    keys: of its answers, more than one where a call takes a batch. most: the most it can cost. ask: sends it and gives
    the answers as JSON values, one for each key. failed: an answer that says why there is none; None where all is in vain
    without this one. request: what a server is sent for it; None where the engine is no server.
    """

    kind: str
    keys: tuple[str, ...]
    asked: Mapping[str, Any]
    most: float
    ask: Callable[[], Awaitable[tuple[Answers, Usage]]]
    failed: Callable[[str], dict[str, Any]] | None
    request: Callable[[], Call] | None = None


class Round:
    """Asks a run of questions.

    take: called with each key and its answer, after the answer was committed (or failed for a passing reason).
    asked: questions answered; failed: those without an answer, by why.
    """

    def __init__(
        self,
        engine: Any,
        journal: Journal,
        ledger: Ledger,
        *,
        take: Callable[[str, dict[str, Any]], None],
    ) -> None:
        self.engine, self.name = engine, str(engine.name)
        self.at_once = max(1, int(getattr(engine, "max_in_flight", 1)))
        self.is_paid_each = hasattr(engine, "max_in_flight")
        self.journal, self.ledger, self.take = journal, ledger, take
        self.asked = 0
        self.failed: Counter[str] = Counter()
        self._failed_in_a_row = 0
        self._stop: LongwayError | None = None
        self._waiting: list[tuple[Question, Answers, Usage]] = []
        self._committed_at = time.monotonic()

    async def run(self, questions: Iterator[Question]) -> None:
        """Ask them all; raises what stopped it, after everything that was answered is committed."""
        workers = {asyncio.create_task(self._work(questions)) for _ in range(self.at_once)}
        pending = workers
        try:
            while pending:
                grace = GRACE if self._stop is not None and not isinstance(self._stop, BudgetSpent) else None
                done, pending = await asyncio.wait(
                    pending, timeout=grace, return_when=asyncio.FIRST_COMPLETED
                )
                for worker in done:
                    worker.result()  # an error of ours, not of the engine
                if not done:
                    break
        finally:
            for worker in pending:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            self._commit()
        if self._stop is not None:
            raise self._stop

    async def _work(self, questions: Iterator[Question]) -> None:
        while not self._is_stopped() and (question := next(questions, None)) is not None:
            if not await self.ledger.reserve(question.most):
                self._stop = self._stop or self._budget_spent(question.most)
                return
            cost = question.most  # abandoned in mid-air: it may be on the bill
            try:
                cost = 0.0 if self._is_stopped() else await self._ask(question)
            except asyncio.CancelledError:
                self._lose(Usage(cost=cost))
                raise
            finally:
                self.ledger.settle(question.most, cost)
            await asyncio.sleep(0)  # an engine that computes here never waits; Ctrl-C must get in

    def _is_stopped(self) -> bool:
        return self._stop is not None

    async def _ask(self, question: Question) -> float:
        """Ask one question, keep its answer, and say what it cost."""
        current_key.set(key_of_all(question.keys))  # a worker's own: tasks have contexts of their own
        try:
            answers, usage = await question.ask()
        except CallFailed as error:
            cost = self._lose(error.usage)
            return cost + self._lose(await self._fail(question, error))
        except EngineError as error:
            self._stop = self._stop or self._gone(error)
            return self._lose(error.usage)
        self._failed_in_a_row = 0
        self._waiting.append((question, answers, usage))
        since = time.monotonic() - self._committed_at
        if self.is_paid_each or len(self._waiting) >= COMMIT_CALLS or since > COMMIT_SECONDS:
            self._commit()
        return usage.cost or 0.0

    async def _fail(self, question: Question, error: CallFailed) -> Usage | None:
        """Hand on that a question has no answer; stop where the engine is gone. What finding that out has used, if anything."""
        self._failed_in_a_row += 1
        self.failed[str(error)] += len(question.keys)
        probe: Usage | None = None
        if question.failed is None:
            self._stop = self._stop or self._gone(error)
        elif self._failed_in_a_row >= AT_MOST_FAILED and not self._is_stopped():
            self._failed_in_a_row = 0  # others fail while it is asked
            is_there, probe = await self._is_there()
            if not is_there:
                self._stop = self._stop or self._gone(
                    error, after=f"{AT_MOST_FAILED} calls in a row failed. "
                )
        if not self._is_stopped() and question.failed is not None:
            for key in question.keys:
                self.take(key, question.failed(str(error)))
        return probe

    async def _is_there(self) -> tuple[bool, Usage | None]:
        """Whether the engine answers anything: then the rows are what it fails on, and the others are still asked."""
        ask = getattr(self.engine, "is_there", None)
        return (False, None) if ask is None else await ask()

    def _commit(self) -> None:
        """Put what was answered on disk, and only then hand it on."""
        waiting, self._waiting = self._waiting, []
        self._committed_at = time.monotonic()
        if waiting:
            self.journal.put_all(row for each in waiting for row in self._rows(*each))
        for question, answers, _ in waiting:
            self.asked += len(question.keys)
            for key, answer in zip(question.keys, answers, strict=True):
                self.take(key, answer)

    def _rows(self, question: Question, answers: Answers, usage: Usage) -> Iterator[Any]:
        n, asked = len(question.keys), json.dumps(question.asked)
        for number, (key, answer) in enumerate(zip(question.keys, answers, strict=True)):
            # What a batch used is written once, with its first answer.
            used = usage if number == 0 else Usage()
            tokens = used.prompt_tokens, used.completion_tokens
            yield (
                key, question.kind, self.name, asked, json.dumps(answer), used.cost or 0.0, *tokens, usage.seconds / n,
            )  # fmt: skip

    def _lose(self, usage: Usage | None) -> float:
        """Note in the journal what a call without an answer may have cost."""
        cost = (usage.cost if usage is not None else None) or 0.0
        if usage is not None and cost > 0:
            self.journal.put(
                f"{LOST}-{uuid.uuid4().hex}",
                kind=LOST,
                engine=self.name,
                answer={},
                cost=cost,
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                seconds=usage.seconds,
            )
        return cost

    def _budget_spent(self, most: float) -> BudgetSpent:
        return BudgetSpent(
            f"The budget of ${self.ledger.budget:.4g} does not hold another call of {self.name}: ${self.ledger.spent:.4f} "
            f"are spent, and the next one can cost up to ${most:.4f}. {self._saved()} "
            "Give a larger --budget and run the same command again to go on."
        )

    def _gone(self, error: EngineError, *, after: str = "") -> EngineError:
        told = str(error)
        return type(error)(f"{after}{told} {self._saved()}", usage=error.usage)

    def _saved(self) -> str:
        where = f" in {self.journal.path}" if self.journal.path is not None else ""
        return f"{answers_in(self.journal)} answers are saved{where}."
