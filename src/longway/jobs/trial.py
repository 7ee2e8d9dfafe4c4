"""Trying an engine on five built-in rows (`longway doctor --try`): it judges their labels and rewrites their texts."""

from __future__ import annotations

import time
from dataclasses import dataclass

from longway.data import load
from longway.engines.asker import PaidWriting
from longway.engines.engine import RULES, Written
from longway.engines.prompt import judge_prompt, rewrite_prompt
from longway.engines.registry import engine_named, split_writer
from longway.jobs.engine_use import asker_of, close, estimate_calls
from longway.jobs.estimate import RunEstimate
from longway.jobs.rows import rows_of
from longway.jobs.run import Watcher
from longway.methods.method import RewriteRequest
from longway.methods.writers import writer_of
from longway.sample import sample_path
from longway.store import Journal
from longway.verify.grading import graded_rows

TRIED = 5


@dataclass(frozen=True, slots=True)
class TriedRow:
    """A row and what the engine answered. judged: "" without a readable answer. why_not: why there is no rewriting."""

    label: str
    judged: str
    text: str
    rewritten: str
    why_not: str


@dataclass(frozen=True, slots=True)
class Trial:
    """An engine's answers to the built-in rows. seconds: of all calls together."""

    engine: str
    answers: tuple[TriedRow, ...]
    seconds: float

    @property
    def verdict(self) -> str:
        """What the engine can do, in one sentence."""
        judged = [row for row in self.answers if row.judged]
        right = sum(row.judged == row.label for row in judged)
        written = sum(bool(row.rewritten) for row in self.answers)
        judging = f"{right} of {TRIED} labels right" if judged else "no label judged"
        return f"{self.engine}: {judging}, {written} of {TRIED} texts rewritten, in {self.seconds:.1f} s."


def try_engine(engine: str, *, base_url: str | None = None, watcher: Watcher | None = None) -> Trial:
    """Have an engine judge five built-in rows and rewrite them, as far as it can."""
    watcher = watcher or Watcher()
    whole = rows_of(load(sample_path("claims")))
    rows = whole.at(graded_rows([whole.label(row) for row in range(len(whole))], TRIED))
    examples, task = [rows.example(row) for row in range(len(rows))], rows.task
    judging = [judge_prompt(task, row.text, context=row.context) for row in examples]
    writing = [rewrite_prompt(task, row.text, label=row.label, context=row.context) for row in examples]
    judged, written = [""] * TRIED, [Written(())] * TRIED
    by_rules, model = split_writer(engine, base_url=base_url)
    tried = engine_named(model, base_url=base_url) if model else None
    asker = asker_of(tried, Journal(None), None, watcher)
    name = ",".join([*([RULES] if by_rules else []), *([tried.name] if tried is not None else [])])
    try:
        if judgements := estimate_calls(tried, judging, TRIED, options=task.labels):
            watcher.estimate(RunEstimate.of(TRIED, estimate_calls(tried, writing, TRIED), judgements))
        began = time.monotonic()
        watcher.step("judging five rows")
        if tried is not None and asker is not None and "judge" in tried.can and not by_rules:
            judged = [answer.best or "" for answer in asker.judge_all(judging, task.labels)]
        watcher.step("rewriting five rows")
        write = writer_of(name, task, writing=None if asker is None else PaidWriting(asker))
        if write is not None and (tried is None or "write" in tried.can):
            requests = [
                RewriteRequest(number, row.text, row.label, 1, row.context)
                for number, row in enumerate(examples)
            ]
            written = list(write(requests))
        seconds = time.monotonic() - began
    finally:
        close(tried)
    answers = [
        TriedRow(row.label, label, row.text, "".join(text.texts[:1]), "".join([*text.refusals][:1]))
        for row, label, text in zip(examples, judged, written, strict=True)
    ]
    return Trial(name, tuple(answers), seconds)
