"""What the parts of runs/writer.py share: datasets, engines by name, answers with progress, shares with their interval, tables."""

from __future__ import annotations

import gzip
import json
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import numpy as np

import common
from longway.engines.asker import Asker
from longway.engines.engine import Engine
from longway.engines.local import LocalEngine
from longway.engines.model_files import ABOUT, FILE, fingerprint, installed_adapter, installed_model
from longway.engines.prompt import judge_prompt
from longway.engines.rules import RulesEngine
from longway.engines.writer_lines import VERSION
from longway.stats import wilson_interval
from longway.store.journal import Journal
from longway.task import Task, task_of

T = TypeVar("T")
ENGINES = ("rules", "writer")
NLI = task_of(["entailment", "neutral", "contradiction"], text_name="hypothesis", context_name="premise")
FACTS = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")
SENTIMENT = task_of(["positive", "negative"])
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'A-Z])")
EVERY = 20  # progress is told so many times


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled text; id: the dataset and the row's number in its file."""

    id: str
    text: str
    label: str
    context: str | None = None


def lines_of(file: str) -> list[dict[str, Any]]:
    with gzip.open(common.data(f"{file}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def rows_of(file: str, text: str = "text", context: str = "") -> tuple[Row, ...]:
    """All rows of a file."""
    name = file.partition("/")[0]
    return tuple(
        Row(f"{name}-{i}", line[text], line["label"], line[context] if context else None)
        for i, line in enumerate(lines_of(file))
    )


@cache
def sentences_of(file: str, seed: int = 0) -> tuple[Row, ...]:
    """A sentence of each review, with the label of the review; reviews without one of 6 to 40 words are left out."""
    chance, found = Random(seed), []
    for row in rows_of(file):
        text = " ".join(re.sub(r"<br\s*/?>", " ", row.text).split())
        fit = [one for one in SENTENCE_END.split(text) if 6 <= len(one.split()) <= 40]
        if fit:
            found.append(replace(row, text=chance.choice(fit)))
    return tuple(found)


def some(rows: Sequence[Row], limit: int | None, seed: int) -> list[Row]:
    """At most so many of the rows, drawn by the seed, in their order."""
    order = np.random.default_rng(seed).permutation(len(rows))[:limit]
    return [rows[i] for i in sorted(order.tolist())]


def chosen(sets: Mapping[str, T], wanted: Sequence[str] | None) -> dict[str, T]:
    """The sets that are wanted, all where it is not said."""
    return {name: one for name, one in sets.items() if wanted is None or name in wanted}


def engine_of(name: str, seed: int = 0) -> Engine:
    """The rules, or the small model with the writer."""
    if name == "rules":
        return RulesEngine(seed)
    return _writer()


@cache
def _writer() -> LocalEngine:
    if installed_adapter() is None:
        sys.exit(
            "The writer is not in this installation. Expected it in the package; leave it out: --engines rules."
        )
    return LocalEngine()


@cache
def judge_of(path: Path) -> LocalEngine:
    """The small model with another adapter: a writer's folder, or an adapter's file alone."""
    if path.is_dir():
        return LocalEngine(adapter=path)
    folder = Path(tempfile.mkdtemp())
    (folder / FILE).symlink_to(path.resolve())
    about = {"version": 0, "lines": VERSION, "base": fingerprint(installed_model()), "rank": 0}
    (folder / ABOUT).write_text(json.dumps(about), encoding="utf-8")
    return LocalEngine(adapter=folder)


def asker_of(engine: Engine, what: str) -> Asker:
    """Asks the engine; nothing is kept on disk. what: said with the progress."""
    return Asker(engine, Journal(None), progress=progress_of(what))


def progress_of(what: str) -> Callable[[int, int], None]:
    """Tells on stderr how far something is, a few times."""
    told = [-1]

    def progress(done: int, total: int) -> None:
        part = EVERY * done // max(1, total)
        if part != told[0]:
            told[0] = part
            print(f"{time.strftime('%H:%M:%S')} {what}: {done} of {total}", file=sys.stderr, flush=True)

    return progress


def judged_by(engine: Engine, task: Task, pairs: Iterable[tuple[str, str | None]], what: str) -> np.ndarray:
    """For each (text, context) the probability of the task's labels; NaN where the engine gave no answer."""
    prompts = [judge_prompt(task, text, context=context) for text, context in pairs]
    answers = asker_of(engine, what).judge_all(prompts, task.labels)
    found = [[one.probabilities.get(label, np.nan) for label in task.labels] for one in answers]
    return np.array(found, np.float64).reshape(len(prompts), len(task.labels))


def noted(name: str, found: dict[str, Any]) -> dict[str, Any]:
    """The figures, told on stderr as soon as they are there: a part can take an hour."""
    print(f"{time.strftime('%H:%M:%S')} {name}: {json.dumps(found)}", file=sys.stderr, flush=True)
    return found


def share(right: Sequence[bool] | np.ndarray, n: float | None = None) -> dict[str, float]:
    """A share with its 95% interval. n: how many of them are independent, where not all are."""
    value = float(np.mean(right)) if len(right) else 0.0
    low, high = wilson_interval(value, len(right) if n is None else n)
    return {"share": value, "low": low, "high": high, "n": len(right)}


def told(found: dict[str, float] | None) -> str:
    return f"{found['share']:.1%} ({found['low']:.0%}-{found['high']:.0%})" if found else ""


def table(title: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """Print rows under their names; numbers to the right."""
    cells = [list(columns), *([_cell(value) for value in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    print(f"\n{title}")
    for row in cells:
        parts = (
            cell.ljust(w) if i == 0 else cell.rjust(w)
            for i, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        print("  " + "  ".join(parts).rstrip(), flush=True)


def _cell(value: Any) -> str:
    if isinstance(value, dict):
        return told(value)
    if isinstance(value, float):
        return f"{value:.3f}"
    return "" if value is None else str(value)


def in_parts(rows: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]
