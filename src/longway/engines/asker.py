"""The way to use an engine: each call is made once, each answer is on disk before it is used, the budget holds.

    asker = Asker(engine, journal, budget=2.50)
    asker.write_all(prompts, 4)             one `Written` per prompt, in order
    asker.judge_all(prompts, labels)        one `Judgement` per prompt
    asker.estimate(prompts, 4)              what the calls that are not answered yet would take
    PaidWriting(asker, judge=judging, task=task)(prompts, n, samplings)       as `write_all`; what is written can also be judged

Answers in the journal are reused; equal calls are made once. A refusal is an answer and is stored. A call that failed for a temporary
reason is not stored: it gives an empty answer with the reason, and the same command tries it again. Ctrl-C abandons the
running calls; answers received before are in the journal. `journal.totals()` has the costs; the `usage` of an answer is empty.

`CallQueue` makes the calls. It takes questions from an iterator as there is room, so that fifty thousand of them are not fifty
thousand tasks. Answers of a server are committed one by one, since each was paid for; computed ones a few at a time.
"""

from __future__ import annotations

import asyncio
import time
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from math import floor
from typing import Any, TypeVar, cast

from longway.engines.costs import FREE, Call, Ledger, ledger_of
from longway.engines.engine import NOT_ASKED, Engine, Judgement, Sampling, Usage, Written, cannot
from longway.engines.event_loop import run
from longway.engines.passages import PassagePlan
from longway.engines.prompt import PROMPTS, Prompt, judge_prompt
from longway.engines.recording import (
    LOST,
    Asked,
    CallKeys,
    StoredAnswer,
    answer_of,
    answers_in,
    failure_of,
    result_of,
)
from longway.engines.requests import size_of, tokens_in
from longway.errors import BudgetSpent, CallFailed, EngineError, LongwayError, SettingError
from longway.store.journal import Journal, JournalEntry
from longway.task import Task

T = TypeVar("T")
MAX_FAILED_IN_A_ROW = 5  # then the engine is tested
SILENCE = 30.0  # seconds without an answer of a server after which the user is informed, again and again
GRACE = 5.0  # seconds for running calls to finish when another one shows that the engine is gone
COMMIT_CALLS, COMMIT_SECONDS = 50, 0.5
_WRAPPING = 8  # tokens around one text or label of an answer
JUDGED = 2  # texts of a row that are likely to be judged: most fail cheaper checks, or the first one passes
LONGER = 1.5  # the prompts of the next steps show what the earlier ones gave


@dataclass(frozen=True, slots=True)
class TokenEstimate:
    """What calls are likely to take. cost: in dollars; None if the model's price is unknown."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class EngineCall:
    """One call to an engine.

    first_cost: in dollars, reserved before it is sent. held: kept for calls that follow from its answer. make: makes the call, with the
    prompt as its first argument and a `Call` as its last.
    """

    kind: str
    key: str
    asked: Asked
    make: partial[Coroutine[Any, Any, Any]]
    first_cost: float = 0.0
    held: float = 0.0


class Asker:
    """Uses one engine, with a journal and a budget.

    budget: dollars that all calls in this journal may cost together, including earlier runs and other engines.
    progress: called with the number of answered prompts and their total, from another thread.
    say: called with a sentence if a server is silent for long, from another thread, or if a run on Ray does not use Ray for the calls.
    kept: dollars of the budget that stay at least for calls that follow. asked, found: prompts that were answered now, and those found in the journal. why: reasons of failed calls, counted.
    """

    def __init__(
        self,
        engine: Engine,
        journal: Journal,
        *,
        budget: float | None = None,
        progress: Callable[[int, int], None] | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.engine, self.journal, self.budget = engine, journal, budget
        self.progress, self.say = progress, say
        self.asked = self.found = 0
        self.kept = 0.0
        self.why: Counter[str] = Counter()
        if journal.shard_map is not None and say is not None:
            say(
                f"Calls to {engine.name} are made from this process, not by Ray's workers: its server limits them."
            )
        if budget is not None:
            if not budget >= 0:
                raise SettingError(f"The budget must be 0 dollars or more. Got {budget}. Try --budget 5.")
            if engine.price is None:
                raise SettingError(
                    f"--budget cannot be used with {engine.name}: its price is unknown. Expected a line in the price table. "
                    'Add "MODEL" = { input = 0.15, output = 0.60 } (dollars per million tokens) under [models] in '
                    "~/.config/longway/prices.toml, or omit --budget."
                )

    @property
    def failed(self) -> int:
        """The number of prompts without an answer."""
        return self.why.total()

    def write_all(
        self,
        prompts: Sequence[Prompt],
        n: int,
        samplings: Sampling | Sequence[Sampling] | None = None,
        *,
        held: Sequence[float] | None = None,
    ) -> list[Written]:
        """Up to n texts per prompt, in order. samplings: one for all, or one per prompt.

        A text that is too long for one answer is rewritten in passages, each by its own call (see `passages.py`).
        held: dollars per prompt to keep of the budget, for judging what is written.
        """
        self._check_can("write")
        if n < 1:
            raise SettingError(f"'n' must be at least 1. Got {n}. Ask for one text or more.")
        plans, each = self._plans(prompts, n, _each(samplings, len(prompts)))
        kept = None
        if held is not None:
            kept = [
                cost / len(plan.prompts) for cost, plan in zip(held, plans, strict=True) for _ in plan.prompts
            ]
        try:
            answers: list[Written] = self._write(
                [one for plan in plans for one in plan.prompts], n, each, kept
            )
        except BudgetSpent as spent:
            spent.answers = _joined(plans, spent.answers)
            raise
        whole = _joined(plans, answers)
        assert all(answer is not None for answer in whole)
        return cast(list[Written], whole)

    def first_cost(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """What the calls for one prompt can cost without retries and repairs, in dollars."""
        plans, each = self._plans([prompt], n, [sampling])
        costs = (
            self.engine.first_write_cost(*one)
            for one in zip(plans[0].prompts, [n] * len(each), each, strict=True)
        )
        return sum(costs)

    def _plans(
        self, prompts: Sequence[Prompt], n: int, samplings: Sequence[Sampling]
    ) -> tuple[list[PassagePlan], list[Sampling]]:
        """How each prompt is requested, as a whole or in passages, and the samplings of all calls."""
        pairs = list(zip(prompts, samplings, strict=True))
        engine = self.engine
        plans = [
            PassagePlan.whole(prompt) if engine.fits(prompt, n, how) else PassagePlan.of(prompt)
            for prompt, how in pairs
        ]
        each = (plan.samplings(how, n) for plan, (_, how) in zip(plans, pairs, strict=True))
        return plans, [how for some in each for how in some]

    def _write(
        self, prompts: Sequence[Prompt], n: int, each: Sequence[Sampling], held: Sequence[float] | None
    ) -> list[Written]:
        """What was written for each call."""
        keys_of = CallKeys.of(self.engine)
        keys = [keys_of.write_key(prompt, n, how) for prompt, how in zip(prompts, each, strict=True)]

        def call(row: int) -> EngineCall:
            prompt, how = prompts[row], each[row]
            return EngineCall(
                "write",
                keys[row],
                keys_of.asked(prompt, n=n, sampling=asdict(how)),
                partial(self.engine.write, prompt, n, how),
                self.engine.first_write_cost(prompt, n, how),
                0.0 if held is None else held[row],
            )

        return cast(list[Written], self._answers(keys, call))

    def judge_all(self, prompts: Sequence[Prompt], options: Sequence[str]) -> list[Judgement]:
        """The probability of each option, per prompt, in order."""
        self._check_can("judge")
        if len(set(options)) < 2 or len(set(options)) != len(options):
            raise SettingError(f"'options' must be two or more different labels. Got {list(options)}.")
        keys_of = CallKeys.of(self.engine)
        keys = [keys_of.judge_key(prompt, options) for prompt in prompts]

        def call(row: int) -> EngineCall:
            prompt = prompts[row]
            return EngineCall(
                "judge",
                keys[row],
                keys_of.asked(prompt, options=list(options)),
                partial(self.engine.judge, prompt, options),
                self.engine.first_judge_cost(prompt, options),
            )

        return cast(list[Judgement], self._answers(keys, call))

    def estimate(
        self,
        prompts: Sequence[Prompt],
        n: int = 1,
        *,
        samplings: Sampling | Sequence[Sampling] | None = None,
        options: Sequence[str] | None = None,
    ) -> TokenEstimate:
        """What the calls that are not answered yet would take. options: the labels, to estimate judging instead of writing."""
        # Without stored answers, keys only tell repeated calls; the identity of an engine may take seconds to find out.
        keys_of = CallKeys.of(self.engine) if len(self.journal) else CallKeys({})
        each = _each(samplings, len(prompts))
        if options is None:
            plans, each = self._plans(prompts, n, each)
            prompts = [one for plan in plans for one in plan.prompts]
            keys = [keys_of.write_key(prompt, n, how) for prompt, how in zip(prompts, each, strict=True)]
        else:
            keys = [keys_of.judge_key(prompt, options) for prompt in prompts]
        rows = _missing(keys, self.journal.get_all(dict.fromkeys(keys)))
        read = written = 0
        for row in rows:
            more: dict[str, object] = {"n": n} if options is None else {"options": options}
            read += tokens_in(size_of(prompts[row].messages(**more)))
            written += _tokens_written(prompts[row], n) if options is None else 2 * _WRAPPING
        price = self.engine.price
        return TokenEstimate(len(rows), read, written, None if price is None else price.of(read, written))

    def close(self) -> None:
        """Close the engine; the journal stays open."""
        run(self.engine.close())

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _answers(self, keys: Sequence[str], call: Callable[[int], EngineCall]) -> list[Written | Judgement]:
        """An answer per key: from the journal if it has it, otherwise from the engine. call: the call for a row."""
        stored = cast(dict[str, StoredAnswer], self.journal.get_all(dict.fromkeys(keys)))
        results = {key: result_of(answer) for key, answer in stored.items()}
        rows = _missing(keys, stored)
        self.found += len(stored)
        total = len(stored) + len(rows)
        del stored

        def report() -> None:
            if self.progress is not None:
                self.progress(len(results), total)

        def take(key: str, answer: StoredAnswer) -> None:
            results[key] = result_of(answer)
            report()

        report()
        if rows:
            try:
                run(self._ask(map(call, rows), take))
            except BudgetSpent as spent:
                spent.answers = [results.get(key) for key in keys]
                raise
        return [results[key] for key in keys]

    async def _ask(self, calls: Iterator[EngineCall], take: Callable[[str, StoredAnswer], None]) -> None:
        self.journal.check_writable()
        with ledger_of(self.journal, self.budget) as ledger:
            ledger.kept = self.kept
            queue = CallQueue(self.engine, self.journal, ledger, take=take, say=self.say)
            try:
                await queue.run(calls)
            finally:
                self.asked += queue.answered
                self.why.update(queue.failed)

    def _check_can(self, verb: str) -> None:
        if verb not in self.engine.can:
            raise cannot(self.engine, verb)


class PaidWriting:
    """Lets an engine write within a budget, so that what is paid for can be used.

    Money is kept back for the calls that follow from an answer: the next steps of a method, and the judgement of the texts. When the budget
    ends, the answers that were paid for are returned, and the other prompts have no text; `BudgetSpent` is raised only if there is no answer at
    all. A budget that is too small for any row is an error that names a sufficient one, before anything is sent.

    judge: judges what was written, with the same budget. is_spent: the budget has ended.
    """

    def __init__(self, asker: Asker, *, judge: Asker | None = None, task: Task | None = None) -> None:
        self.asker, self.judge, self.task = asker, judge if task is not None else None, task
        self.is_spent = self._is_checked = False

    def __call__(self, prompts: Sequence[Prompt], n: int, samplings: Sequence[Sampling]) -> list[Written]:
        """Up to n texts per prompt, in order."""
        asker = self.asker
        if asker.budget is None or asker.engine.price == FREE or not prompts:
            return asker.write_all(prompts, n, samplings)
        self.check(prompts, n, samplings)
        pairs = list(zip(prompts, samplings, strict=True))
        asker.kept = max(self._most_after(prompt, n, how) for prompt, how in pairs)
        try:
            return asker.write_all(prompts, n, samplings, held=[self._held(prompt, n) for prompt in prompts])
        except BudgetSpent as spent:
            self.is_spent = True
            is_repair = all("wrong" in prompt.values for prompt in prompts)
            if not is_repair and not any(spent.answers):
                raise
            given = spent.answers or [None] * len(prompts)
            return [answer or Written((), (NOT_ASKED,)) for answer in given]
        finally:
            asker.kept = 0.0

    def check(self, prompts: Sequence[Prompt], n: int, samplings: Sequence[Sampling]) -> None:
        """Raise SettingError if the budget of a new run is too small for the first of these prompts."""
        asker = self.asker
        if self._is_checked or not asker.budget or not prompts:
            return
        self._is_checked = True
        if asker.journal.spent():
            return
        pairs = list(zip(prompts, samplings, strict=True))
        kept = max(self._most_after(prompt, n, how) for prompt, how in pairs)
        least = asker.first_cost(prompts[0], n, samplings[0]) + max(kept, self._held(prompts[0], n))
        if least > asker.budget:
            enough = (floor(least * 1e4) + 1) / 1e4
            what = "a call" if self.judge is None else "a call and the judgement of its texts"
            raise SettingError(
                f"The budget of ${asker.budget:.4g} is too small for one row: {what} can cost ${enough:.4f} with {asker.engine.name}. "
                f"Nothing was sent. Try --budget {enough:.4f} or more."
            )

    def _held(self, prompt: Prompt, n: int) -> float:
        """What the calls that follow from an answer are likely to cost."""
        steps = PROMPTS[prompt.kind].calls_after
        cost = LONGER * steps * (self.asker.estimate([prompt], n).cost or 0.0) if steps else 0.0
        if self.judge is not None and self.task is not None:
            judged = self.judge.estimate([self._judging(prompt)], options=self.task.labels)
            cost += JUDGED * (judged.cost or 0.0)
        return cost

    def _most_after(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """The most that one call that follows can cost: so much must be left for it to be sent."""
        cost = 0.0
        if PROMPTS[prompt.kind].is_first:  # for the others of a chain it was kept before
            cost = LONGER * self.asker.first_cost(prompt, n, sampling)
        if self.judge is not None and self.task is not None:
            cost = max(cost, self.judge.engine.first_judge_cost(self._judging(prompt), self.task.labels))
        return cost

    def _judging(self, prompt: Prompt) -> Prompt:
        assert self.task is not None
        return judge_prompt(self.task, prompt.text, context=prompt.context)


class CallQueue:
    """Makes many calls to one engine, as many at once as it takes.

    take: called with each key and its answer, after the answer was committed (or failed for a temporary reason).
    say: called with a sentence if a server is silent for long.
    answered: prompts answered; failed: prompts without an answer, by reason.
    """

    def __init__(
        self,
        engine: Engine,
        journal: Journal,
        ledger: Ledger,
        *,
        take: Callable[[str, StoredAnswer], None],
        say: Callable[[str], None] | None = None,
    ) -> None:
        self.engine, self.journal, self.ledger, self.take, self.say = engine, journal, ledger, take, say
        self.answered = 0
        self.failed: Counter[str] = Counter()
        self._failed_in_a_row, self._is_testing = 0, False
        self._stop: LongwayError | None = None
        self._uncommitted: list[tuple[EngineCall, Written | Judgement]] = []
        self._committed_at = time.monotonic()

    async def run(self, calls: Iterator[EngineCall]) -> None:
        """Make all calls; raises what stopped them, after every answer is committed."""
        at_once = max(1, self.engine.max_in_flight or 1)
        workers = {asyncio.create_task(self._work(calls)) for _ in range(at_once)}
        pending = workers
        try:
            while pending:
                grace = GRACE if self._stop is not None and not isinstance(self._stop, BudgetSpent) else None
                done, pending = await asyncio.wait(
                    pending, timeout=grace or SILENCE, return_when=asyncio.FIRST_COMPLETED
                )
                for worker in done:
                    worker.result()  # raises errors of ours, not of the engine
                if not done and grace is not None:
                    break
                self._report_silence()
        finally:
            for worker in pending:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)
            self._commit()
        if self._stop is not None:
            raise self._stop

    def _report_silence(self) -> None:
        """Inform the user if a server has not answered for long."""
        seconds = time.monotonic() - self._committed_at
        if self.say is not None and self.engine.max_in_flight is not None and seconds >= SILENCE:
            self.say(
                f"Waiting for {self.engine.name}: no answer for {seconds:.0f} s. "
                "Ctrl-C stops the run and keeps all answers."
            )

    async def _work(self, calls: Iterator[EngineCall]) -> None:
        while self._stop is None and (call := next(calls, None)) is not None:
            if not await self.ledger.reserve(call.first_cost, call.held):
                self._stop = self._stop or self._budget_spent(call.first_cost + call.held)
                return
            reservation = Call(self.ledger, call.first_cost, call.key)
            cost = 0.0
            try:
                cost = 0.0 if self._stop is not None else await self._make(call, reservation)
            except asyncio.CancelledError:
                cost = reservation.amount  # it may still be charged
                self._note_lost(Usage(cost=cost))
                raise
            finally:
                self.ledger.settle(reservation.amount, cost)
            await asyncio.sleep(0)  # an engine that computes here never waits; Ctrl-C must be handled

    async def _make(self, call: EngineCall, reservation: Call) -> float:
        """Make one call, store its answer, and return its cost."""
        try:
            result = await call.make(reservation)
        except CallFailed as error:
            cost = self._note_lost(error.usage)
            return cost + self._note_lost(await self._fail(call, reservation, error))
        except EngineError as error:
            self._stop = self._stop or self._with_saved(error)
            return self._note_lost(error.usage)
        except BudgetSpent as error:  # a further request of this call
            self._stop = self._stop or self._budget_spent(call.first_cost)
            return self._note_lost(error.usage)
        self._failed_in_a_row = 0
        self._uncommitted.append((call, result))
        since = time.monotonic() - self._committed_at
        is_served = self.engine.max_in_flight is not None
        if is_served or len(self._uncommitted) >= COMMIT_CALLS or since > COMMIT_SECONDS:
            self._commit()
        return result.usage.cost or 0.0

    async def _fail(self, call: EngineCall, reservation: Call, error: CallFailed) -> Usage | None:
        """Pass on that a call failed; stop if the engine is gone. Returns what testing the engine used, if it was tested."""
        self._failed_in_a_row += 1
        self.failed[str(error)] += 1
        tested: Usage | None = None
        is_doubtful = self._failed_in_a_row >= MAX_FAILED_IN_A_ROW and self._stop is None
        if is_doubtful and not self._is_testing:
            self._failed_in_a_row, self._is_testing = 0, True  # others fail while it is tested
            # If it responds, it fails on these rows only, and the others are still tried.
            responds, tested = await self.engine.responds(reservation)
            self._is_testing = False
            if not responds:
                after = f"{MAX_FAILED_IN_A_ROW} calls in a row failed. "
                self._stop = self._stop or self._with_saved(error, after=after)
        if self._stop is None:
            self.take(call.key, failure_of(call.kind, str(error)))
        return tested

    def _commit(self) -> None:
        """Write the answers to disk, and only then pass them on."""
        new, self._uncommitted = self._uncommitted, []
        self._committed_at = time.monotonic()
        entries = [self._entry(call, result) for call, result in new]
        if entries:
            self.journal.put_all(entries)
        for entry in entries:
            self.answered += 1
            self.take(entry.key, cast(StoredAnswer, entry.answer))

    def _entry(self, call: EngineCall, result: Written | Judgement) -> JournalEntry:
        used, name, answer = result.usage, self.engine.name, answer_of(result)
        tokens = used.prompt_tokens, used.completion_tokens
        return JournalEntry(
            call.key, call.kind, name, answer, call.asked, used.cost or 0.0, *tokens, used.seconds
        )

    def _note_lost(self, usage: Usage | None) -> float:
        """Record in the journal what a call without an answer may have cost."""
        cost = (usage.cost if usage is not None else None) or 0.0
        if usage is not None and cost > 0:
            entry = JournalEntry(
                f"{LOST}-{uuid.uuid4().hex}",
                kind=LOST,
                engine=self.engine.name,
                answer={},
                cost=cost,
                prompt_tokens=usage.prompt_tokens,
                completion_tokens=usage.completion_tokens,
                seconds=usage.seconds,
            )
            self.journal.put(entry)
        return cost

    def _budget_spent(self, most: float) -> BudgetSpent:
        return BudgetSpent(
            f"The budget of ${self.ledger.budget:.4g} does not allow another call to {self.engine.name}: "
            f"${self.ledger.spent:.4f} is spent, and the next call can cost up to ${most:.4f}. {self._saved()} "
            "To continue, run the same command with a larger --budget."
        )

    def _with_saved(self, error: EngineError, *, after: str = "") -> EngineError:
        return type(error)(f"{after}{error} {self._saved()}", usage=error.usage)

    def _saved(self) -> str:
        place = f" in {self.journal.path}" if self.journal.path is not None else ""
        return f"{answers_in(self.journal)} answers are saved{place}."


def _missing(keys: Sequence[str], stored: Collection[str]) -> list[int]:
    """The first row of each key that is not stored."""
    first: dict[str, int] = {}
    for row, key in enumerate(keys):
        if key not in stored:
            first.setdefault(key, row)
    return list(first.values())


def _each(samplings: Sampling | Sequence[Sampling] | None, n: int) -> Sequence[Sampling]:
    if samplings is None or isinstance(samplings, Sampling):
        return [samplings or Sampling()] * n
    if len(samplings) != n:
        raise SettingError(
            f"'samplings' must have one item for each of the {n} prompts. Got {len(samplings)}."
        )
    return samplings


def _joined(plans: Sequence[PassagePlan], answers: Sequence[Any]) -> list[Written | None]:
    """The answers of all calls, put together by prompt; None for a prompt without any."""
    left = iter(answers)
    return [plan.joined([next(left) for _ in plan.prompts]) for plan in plans]


def _tokens_written(prompt: Prompt, n: int) -> int:
    """About how many tokens an answer has: texts as long as the row's, or its statements in lines."""
    if prompt.has_lines:
        row = prompt.text + (prompt.context or "")
        return tokens_in(len(row.encode("utf-8", "replace"))) * 3 // 2 + 2 * _WRAPPING
    return n * (tokens_in(len(prompt.text.encode("utf-8", "replace"))) + _WRAPPING) + _WRAPPING
