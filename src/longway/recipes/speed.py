"""How fast this machine does each part of a job, measured on a few rows of the data.

    rows = sample_of(dataset, 2000)             some rows from all over the dataset, and how long one pass over it took
    audit_line(rows)                            Line: seconds of an audit for any number of rows
    round_line(rows)                            the same for our own part of one round of rewriting
    writing_speed(engine, rows, settings)       seconds a prompt that an engine in this process takes
    checking_speed(rows)                        what the checks take for one candidate

`plan` makes of it what a whole run may take. Nothing here asks a server, and nothing costs money.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from longway.data import Dataset, load
from longway.detect import GRAMMAR
from longway.detect.leak import folds_for, number_measured
from longway.live_space import LiveSpace
from longway.llm.asking import Asker
from longway.llm.engine import Engine
from longway.llm.prompt import judge_prompt, rewrite_prompt
from longway.recipes.audit import AuditSettings, audit
from longway.recipes.rewrite import RewriteSettings
from longway.rewrite.method import Rows
from longway.shortcut_space import Variant
from longway.store import Journal
from longway.text.corpus import Corpus
from longway.verify.check import Candidate
from longway.verify.verifier import verifier_for

MEASURED_ROWS = 2000  # of the data that the measurement looks at
FEWER = (
    4  # the first measurement takes so many times fewer rows: two sizes tell what grows from what does not
)
ASKED, ASKING_SECONDS = 8, 4.0  # most prompts that are timed, and about how long they may take
CHECKED_ROWS = 48  # that the checks learn from and are tried on
LEAK = "measuring the leak"


class Watch:
    """Seconds since it was made or last asked, as on a machine that does nothing else: where others work on it too, the processor's count.

    waits: what is timed waits for a disk, a network or a GPU, where the processor counts nothing.
    """

    def __init__(self, *, waits: bool = False) -> None:
        self._waits = waits
        self._wall, self._processor = time.perf_counter(), time.process_time()

    def lap(self) -> float:
        """Seconds since the last lap."""
        wall, processor = time.perf_counter(), time.process_time()
        taken = wall - self._wall
        if not self._waits:
            taken = min(taken, processor - self._processor)
        self._wall, self._processor = wall, processor
        return taken


@dataclass(frozen=True, slots=True)
class Line:
    """Seconds for any number of rows: what every run takes, what each row adds, and what measuring the leak takes.

    per_fit: seconds for each time that a row is learned from when the leak is measured. That number hardly grows: there are fewer
    folds where there are more rows, and a sample is enough of very many or very long ones (`detect/leak.py`).

    >>> Line(1.0, 0.001).seconds(1000)
    2.0
    """

    fixed: float
    per_row: float
    per_fit: float = 0.0
    n_labels: int = 2
    tokens_a_row: float = 10.0

    def seconds(self, n_rows: int) -> float:
        """What so many rows take."""
        fitted = rows_fitted(n_rows, self.n_labels, self.tokens_a_row)
        return self.fixed + self.per_row * n_rows + self.per_fit * fitted


def rows_fitted(n_rows: int, n_labels: int, tokens_a_row: float = 10.0) -> int:
    """How often a row is learned from when the leak is measured once.

    >>> rows_fitted(1000, 2), rows_fitted(10_000_000, 2), rows_fitted(10_000_000, 2, tokens_a_row=500)
    (50000, 180000, 240000)
    """
    n = number_measured(n_rows, round(n_rows * tokens_a_row))
    n_folds, n_repeats = folds_for(n, n_labels)
    return n * n_folds * n_repeats


@dataclass(frozen=True, slots=True)
class Sample:
    """Rows from all over a dataset as a dataset of their own. pass_seconds: what one pass over the whole took."""

    dataset: Dataset
    pass_seconds: float


def sample_of(dataset: Dataset, n: int = MEASURED_ROWS) -> Sample:
    """Up to n of the used rows, evenly spread, and the first of each label: the rarest is a label, too."""
    wanted = np.array(_spread(dataset.n_used, n), dtype=np.int64)
    text, label, context = dataset.columns.text, dataset.columns.label, dataset.columns.context
    frames, seen, watch = [], 0, Watch(waits=True)
    new_labels = np.ones(len(dataset.labels), dtype=bool)
    for batch in dataset.batches():
        low, high = np.searchsorted(wanted, [seen, seen + len(batch.rows)])
        labels, first = np.unique(batch.labels, return_index=True)
        here = np.union1d(wanted[low:high] - seen, first[new_labels[labels]])
        new_labels[labels] = False
        seen += len(batch.rows)
        names = pl.Series(dataset.labels, dtype=pl.String).gather(batch.labels[here])
        columns = {text: batch.texts[here], label: names}
        if context is not None and batch.contexts is not None:
            columns[context] = batch.contexts[here]
        frames.append(pl.DataFrame(columns))
    taken = watch.lap()
    return Sample(_loaded(pl.concat(frames), text=text, label=label, context=context), taken)


def _loaded(frame: pl.DataFrame, *, text: str, label: str, context: str | None) -> Dataset:
    return load(frame, text=text, label=label, context=context or "", id="", split="")


def audit_line(sample: Dataset, settings: AuditSettings) -> Line:
    """What an audit takes, but for the level "grammar", which looks at as many rows of any dataset."""
    levels = tuple(level for level in settings.levels if level != GRAMMAR) or ("token",)
    settings = replace(settings, levels=levels)

    def steps(dataset: Dataset) -> dict[str, float]:
        spent: dict[str, float] = defaultdict(float)
        watch, doing = Watch(), ["reading"]

        def step(name: str) -> None:
            spent["leak" if doing[0].startswith(LEAK) else "other"] += watch.lap()
            doing[0] = name

        audit(dataset, settings=settings, step=step)
        step("")
        return spent

    return _line(sample, steps)


def round_line(sample: Dataset, settings: RewriteSettings, rows: Rows) -> Line:
    """What our own part of a round takes, but for the leak: the new texts in their places, gamma of all rows, the figures of the whole."""

    def steps(dataset: Dataset) -> dict[str, float]:
        n = dataset.n_used
        variant: Variant = "token" if settings.space == "token" else "mean"
        space = LiveSpace(rows.texts[:n], rows.labels[:n].tolist(), variant=variant)
        new = {row: rows.texts[n - 1 - row] for row in _spread(n, max(1, n // 10))}
        watch = Watch()
        space.replace(new)
        space.gamma(), space.mean_cosine(), space.divergence()
        return {"other": watch.lap(), "leak": 0.0}

    return _line(sample, steps)


def _line(sample: Dataset, steps: Callable[[Dataset], dict[str, float]]) -> Line:
    """The line through two measurements; what is loaded once was loaded by another one before."""
    n, n_labels = sample.n_used, len(sample.labels)
    few = max(2, n // FEWER)
    names = sample.columns
    fewer = _loaded(sample.frame.head(few), text=names.text, label=names.label, context=names.context)
    if few >= n or len(fewer.labels) < 2:  # too few, or sorted by label: the whole sample has to do
        fewer, few = sample, 0
    small, large = steps(fewer), steps(sample)
    if few:
        small = steps(fewer)
    per_row = max(0.0, (large["other"] - small["other"]) / (n - few)) if few else 0.0
    fixed = max(0.0, large["other"] - per_row * n)
    tokens = Corpus.from_texts(sample.frame[names.text].to_list()).n_tokens / n
    return Line(fixed, per_row, large["leak"] / max(1, rows_fitted(n, n_labels, tokens)), n_labels, tokens)


def writing_speed(engine: Engine, rows: Rows, settings: RewriteSettings) -> float:
    """Seconds that an engine in this process takes for one prompt; the first, which loads it, is not counted."""
    asker = Asker(engine, Journal(None))

    def ask(row: int) -> None:
        prompt = rewrite_prompt(rows.task, rows.texts[row], label=rows.label(row), context=rows.context(row))
        asker.write_all([prompt], settings.candidates, settings.sampling(0))

    return _each(rows, ask)


def judging_speed(engine: Engine, rows: Rows) -> float:
    """Seconds that an engine in this process takes for one judgement; the first is not counted."""
    asker = Asker(engine, Journal(None))

    def ask(row: int) -> None:
        prompt = judge_prompt(rows.task, rows.texts[row], context=rows.context(row))
        asker.judge_all([prompt], rows.task.labels)

    return _each(rows, ask)


def _each(rows: Rows, ask: Callable[[int], None]) -> float:
    """The mean seconds of some asked rows, all but the first."""
    first, *others = _spread(len(rows), ASKED + 1)
    ask(first)
    taken: list[float] = []
    for row in others or [first]:
        watch = Watch(waits=True)
        ask(row)
        taken.append(watch.lap())
        if sum(taken) > ASKING_SECONDS:
            break
    return sum(taken) / len(taken)


def _spread(n: int, most: int) -> list[int]:
    """Up to so many numbers below n, evenly spread."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.int64)).tolist()


@dataclass(frozen=True, slots=True)
class Checking:
    """Seconds that the checks take to learn from one row, and for one candidate."""

    per_row: float
    per_candidate: float


def checking_speed(rows: Rows, *, seed: int = 0) -> Checking:
    """How fast all checks but the judge are, on texts that pass most of them: a text that fails early takes less."""
    here = _spread(len(rows), CHECKED_ROWS)
    texts, labels = [rows.texts[row] for row in here], [rows.label(row) for row in here]
    contexts = None if rows.contexts is None else [rows.contexts[row] for row in here]
    candidates = [
        Candidate(i, text, f"All in all, {text}", label, None if contexts is None else contexts[i])
        for i, (text, label) in enumerate(zip(texts, labels, strict=True))
    ]
    half = max(1, len(candidates) // 2)
    for n in (1, half):  # the first of them loads the models, too
        verifier = verifier_for(rows.task, texts, labels, contexts, seed=seed)
        watch = Watch()
        list(verifier.verify(candidates[:n]))
    learned = watch.lap()
    rest = candidates[half:] or candidates
    list(verifier.verify(rest))
    each = watch.lap() / len(rest)
    return Checking(max(0.0, learned - each * half) / len(here), each)
