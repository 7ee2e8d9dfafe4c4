"""Rewriting with the label kept: how many texts get a new version that the product's checks let through, and how fast.

Sources were not trained on: claims of FEVER's other half, hypotheses of SNLI's dev set, sentences of SST-2's dev set and of
IMDb's test reviews. The checks know the
whole file, as in a run; no engine judges. "telling": the words are named that RAZOR would name, those of the text that speak for its label
in its file, and texts without such words are left out.

Loading and learning are not timed. In "rewrite" what the checks' models said of a source is remembered from engine to engine; in "speed" it is
not, so that its seconds are those of a run.
"""

from __future__ import annotations

import json
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from longway.engines.asker import Asker
from longway.engines.engine import Engine, Written
from longway.engines.prompt import rewrite_prompt
from longway.jobs.rewrite.rewriting import give_away_of
from longway.methods.method import Rows, keeps_of
from longway.store.journal import Journal
from longway.task import Task
from longway.tokens.tokenizer import tokenize
from longway.verify.check import Candidate
from longway.verify.verifier import Verifier, passed, verifier_for
from writer_common import (
    FACTS,
    NLI,
    SENTIMENT,
    Row,
    asker_of,
    chosen,
    engine_of,
    noted,
    rows_of,
    sentences_of,
    share,
    some,
    table,
)

SHORT = 80  # characters of a short text
LIMIT, SPEED_LIMIT = 100, 30


@dataclass(frozen=True, slots=True)
class Data:
    """A dataset as the product sees it."""

    name: str
    task: Task
    rows: tuple[Row, ...]

    @property
    def contexts(self) -> list[str] | None:
        return [row.context or "" for row in self.rows] if self.task.is_pair else None

    def verifier(self, seed: int) -> Verifier:
        """The product's checks, with everything learned and loaded that is learned once."""
        texts, labels = [row.text for row in self.rows], [row.label for row in self.rows]
        verifier = verifier_for(self.task, texts, labels, self.contexts, seed=seed)
        first = self.rows[0]
        same = Candidate(0, first.text, first.text, first.label, first.context, may_copy=True)
        list(verifier.verify([same]))
        return verifier

    def telling(self) -> dict[str, tuple[str, ...]]:
        """By row id the words and phrases that speak for the row's label."""
        number = {label: i for i, label in enumerate(self.task.labels)}
        ids, texts = [row.id for row in self.rows], [row.text for row in self.rows]
        labels = np.array([number[row.label] for row in self.rows])
        give_away = give_away_of(Rows(ids, texts, labels, self.task.labels, self.task, self.contexts))
        return {row.id: give_away.telling(row.text, number[row.label]) for row in self.rows}


@dataclass(slots=True)
class Outcome:
    """What became of the sources. accepted: by row id the new texts that passed, the engine's first one first."""

    sources: list[Row]
    accepted: dict[str, list[str]] = field(default_factory=dict)
    candidates: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    writing: float = 0.0
    verifying: float = 0.0

    def figures(self, telling: dict[str, tuple[str, ...]]) -> dict[str, Any]:
        n, seconds = max(1, len(self.sources)), self.writing + self.verifying
        found = {
            "accepted": share([row.id in self.accepted for row in self.sources]),
            "candidates_a_source": self.candidates / n,
            "accepted_candidates": sum(map(len, self.accepted.values())) / max(1, self.candidates),
            "failed": dict(self.failed.most_common(3)),
            "refused": dict(self.refused.most_common(3)),
            "writing_s": self.writing / n,
            "verifying_s": self.verifying / n,
            "texts_a_minute": 60 * len(self.accepted) / max(seconds, 1e-9),
        }
        if telling:
            rid = [
                any(not has(new, telling[row.id]) for new in self.accepted.get(row.id, ()))
                for row in self.sources
            ]
            found["without_telling"] = share(rid)
        return found


def datasets(wanted: Sequence[str] | None) -> dict[str, Data]:
    """By name; those that are wanted, all where it is not said."""
    sets: dict[str, tuple[Task, Callable[[], tuple[Row, ...]]]] = {
        "fever": (FACTS, lambda: rows_of("fever/paper_test_supports_refutes", "claim", "evidence")),
        "snli": (NLI, lambda: rows_of("snli/dev", "hypothesis", "premise")),
        "sst2": (SENTIMENT, lambda: rows_of("sst2/dev")),
        "imdb": (SENTIMENT, lambda: sentences_of("imdb/test")),
    }
    return {name: Data(name, task, rows()) for name, (task, rows) in chosen(sets, wanted).items()}


def has(text: str, phrases: Sequence[str]) -> bool:
    """Whether one of the phrases stands in the text."""
    tokens = f" {' '.join(tokenize(text))} "
    return any(f" {phrase} " in tokens for phrase in phrases)


def rewritten(
    data: Data,
    sources: list[Row],
    engine: Engine,
    verifier: Verifier,
    n: int,
    *,
    telling: dict[str, tuple[str, ...]] | None = None,
    what: str = "",
) -> Outcome:
    """The sources written anew and checked. verifier: of the data; its counts begin anew."""
    outcome = Outcome(sources)
    place = {row.id: i for i, row in enumerate(data.rows)}
    prompts = [
        rewrite_prompt(
            data.task,
            row.text,
            label=row.label,
            context=row.context,
            avoid=telling[row.id] if telling else (),
        )
        for row in sources
    ]
    load(engine, data.task)
    verifier.seen.clear()
    verifier.failed.clear()
    started = time.perf_counter()
    answers = asker_of(engine, f"rewrite {data.name} {what}").write_all(prompts, n)
    outcome.writing = time.perf_counter() - started
    candidates = [
        candidate
        for row, written in zip(sources, answers, strict=True)
        for candidate in candidates_of(row, place[row.id], written, telling[row.id] if telling else ())
    ]
    outcome.candidates = len(candidates)
    outcome.refused = Counter(why for written in answers for why in written.refusals)
    started = time.perf_counter()
    for candidate, verdicts in zip(candidates, verifier.verify(candidates), strict=True):
        if passed(verdicts):
            outcome.accepted.setdefault(data.rows[candidate.row].id, []).append(candidate.after)
    outcome.verifying = time.perf_counter() - started
    outcome.failed = +verifier.failed
    return outcome


def load(engine: Engine, task: Task) -> None:
    """Have the engine write once, so that everything it needs is in memory."""
    Asker(engine, Journal(None)).write_all([rewrite_prompt(task, "It is cold.", label=task.labels[0])], 1)


def candidates_of(row: Row, place: int, written: Written, telling: Sequence[str]) -> list[Candidate]:
    hows = written.how or ("",) * len(written.texts)
    return [
        Candidate(
            place, row.text, new, row.label, row.context, keeps=keeps_of(how), telling=frozenset(telling)
        )
        for new, how in zip(written.texts, hows, strict=True)
    ]


def part(options: Namespace) -> dict[str, Any]:
    """Every dataset with every engine, without and with telling words."""
    figures: dict[str, Any] = {}
    kept: list[dict[str, Any]] = []
    for name, data in datasets(options.sets).items():
        telling, verifier = data.telling(), data.verifier(options.seed)
        sources = some(data.rows, options.limit or LIMIT, options.seed)
        sets: dict[str, tuple[list[Row], dict[str, tuple[str, ...]]]] = {
            "": (sources, {}),
            "telling": ([row for row in sources if telling[row.id]], telling),
        }
        for engine_name in options.engines:
            for mode, (rows, named) in sets.items():
                engine = engine_of(engine_name, options.seed)
                what = f"{engine_name} {mode}".strip()
                outcome = rewritten(data, rows, engine, verifier, options.n, telling=named, what=what)
                key = "_".join(filter(None, (engine_name, name, mode)))
                figures[key] = noted(key, outcome.figures(named))
                kept += [
                    {"data": name, "engine": engine_name, "mode": mode, "id": row.id, "before": row.text, "after": new,
                     "label": row.label, "context": row.context, "first": place == 0}
                    for row in rows for place, new in enumerate(outcome.accepted.get(row.id, ()))
                ]  # fmt: skip
    show("rewrite: sources with a new text that passes, by engine, dataset and mode", figures)
    if options.write:
        options.write.write_text("".join(json.dumps(one) + "\n" for one in kept), encoding="utf-8")
    return figures


def speed(options: Namespace) -> dict[str, Any]:
    """Short texts of all datasets, with fewer candidates and with as many as elsewhere."""
    figures: dict[str, Any] = {}
    for data in datasets(options.sets).values():
        short = [row for row in data.rows if len(row.text) <= SHORT]
        sources = some(short, options.limit or SPEED_LIMIT, options.seed + 1)
        for name in options.engines:
            for n in sorted({min(4, options.n), options.n}):
                engine, verifier = engine_of(name, options.seed), data.verifier(options.seed)
                outcome = rewritten(data, sources, engine, verifier, n, what=f"{name} n={n}")
                figures[f"{name}_{data.name}_n{n}"] = outcome.figures({})
    show(f"speed: texts up to {SHORT} characters, {options.cores} cores", figures)
    return figures


def show(title: str, figures: dict[str, Any]) -> None:
    columns = (
        "",
        "sources",
        "accepted",
        "without telling",
        "texts/source",
        "of them accepted",
        "write s",
        "verify s",
        "texts/min",
        "failed most",
    )
    rows = [
        (
            name,
            f["accepted"]["n"],
            f["accepted"],
            f.get("without_telling"),
            f["candidates_a_source"],
            f"{f['accepted_candidates']:.0%}",
            f["writing_s"],
            f["verifying_s"],
            f"{f['texts_a_minute']:.1f}",
            ", ".join(f"{why} {n}" for why, n in f["failed"].items()),
        )
        for name, f in figures.items()
    ]
    table(title, columns, rows)
