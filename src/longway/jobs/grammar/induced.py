"""A grammar learned from the texts alone, the trees of the rows, and the findings among its subtrees and rules.

    read -> rows to parse, some held out -> learn a grammar -> the most likely trees -> subtrees and rules by label -> findings

All of it follows "Finding Dataset Shortcuts with Grammar Induction" (Friedman, Wettig, Chen 2022). Pairs (rows with a context) get a synchronous
grammar of both texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.data.summary import DatasetSummary
from longway.detect.clusters import Clusters
from longway.detect.findings import search
from longway.detect.grammar import GrammarDetector
from longway.detect.grammar_kinds import Kind, as_chosen, find_kinds
from longway.detect.reading import Reading
from longway.errors import DataError, MissingExtra
from longway.grammars.forest import Forest
from longway.grammars.trees import Tree
from longway.jobs.audit.examples import examples_by_place, grouped, places_of, with_examples
from longway.jobs.grammar.row_sample import (
    LengthLimits,
    ParsableRow,
    RowSample,
    labels_as,
    sample_rows,
    split_off,
)
from longway.jobs.grammar.settings import GrammarSettings, Sizes
from longway.jobs.held_out import Arranged
from longway.jobs.run import Watcher
from longway.json_values import to_json
from longway.records import Finding, Problem
from longway.store import now

if TYPE_CHECKING:
    from longway.grammars.induction import InduceProgress
    from longway.grammars.parser import Grammar

Trees = list[list[Tree]]  # of each row
FEWEST = 20  # rows to learn from
HELD_OUT = 0.15  # share of the rows, if the data has no split for it
VALIDATION = (
    "validation",
    "valid",
    "val",
    "dev",
    "development",
    "test",
)  # the first of these splits is held out
CHECKED = 0.2  # rows of such a split at most, as a share of the training rows
CHECKPOINT = "checkpoint"


@dataclass(frozen=True, slots=True)
class ParsedRows:
    """Rows with their trees. name: the split, or "learned" or "held out"."""

    name: str
    rows: list[ParsableRow]
    trees: Trees

    @property
    def labels(self) -> NDArray[np.int64]:
        """The labels by number."""
        return np.array([row.label for row in self.rows], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Induced:
    """A grammar, the trees of the rows, and the findings among their subtrees and rules.

    learned, held_out: the training rows, which all counts are of, and the held-out rows. forest: of the training rows.
    composites: kinds of phrases, significant ones first. findings: level "grammar", strongest first; kinds: the significant composites as findings. rule_q: q of each rule that was tested, by its key.
    """

    grammar: Grammar
    forest: Forest
    learned: ParsedRows
    held_out: ParsedRows
    composites: list[Kind]
    findings: list[Finding]
    kinds: list[Finding]
    rule_q: dict[int, float]
    tested: dict[str, int]
    significant: dict[str, int]
    problems: list[Problem]
    dataset: DatasetSummary
    label_names: tuple[str, ...]
    settings: GrammarSettings
    sizes: Sizes
    device: str

    @property
    def is_pair(self) -> bool:
        """Whether it is a grammar of pairs."""
        return self.grammar.kind == "pair"

    def findings_dict(self) -> dict[str, object]:
        """The content of findings.json."""
        names = ("dataset", "problems", "tested", "significant", "findings", "kinds", "settings")
        content = to_json({name: getattr(self, name) for name in names})
        listed = sum(1 + len(finding.variants) for finding in self.findings)
        return {"version": 1, "longway": version("longway"), "created": now(), "listed": listed, **content}


def device_of(settings: GrammarSettings) -> str:
    """cpu or cuda; MissingExtra if torch is not installed."""
    if find_spec("torch") is None:
        raise MissingExtra("torch", extra="neural", purpose="learning a grammar")
    from longway.models.network_training import device_named

    return device_named(settings.device).type


def induce_grammar(
    arranged: Arranged,
    settings: GrammarSettings,
    sizes: Sizes,
    device: str,
    watcher: Watcher,
    checkpoint: Path | None = None,
) -> Induced:
    """Learn a grammar, parse all rows, and test its subtrees and rules. checkpoint: a folder to resume the training from."""
    watcher.step("reading")
    dataset = arranged.dataset
    reading = Reading.of(dataset)
    learned, held_out, name, problems = rows_to_parse(arranged, reading, settings, sizes)
    model = _learn(learned, held_out, settings, sizes, device, watcher, checkpoint)
    watcher.step("parsing")
    total, done = sum(len(row.units) for row in (*learned, *held_out)), 0

    def parsed(n: int) -> None:
        nonlocal done
        done += n
        watcher.progress(done, total)

    trees, held_out_trees = parse(model, learned, parsed), parse(model, held_out, parsed)
    watcher.step("counting subtrees and rules")
    detector = GrammarDetector(reading, trees, places=[row.place for row in learned])
    clusters = Clusters.of(reading)
    found = search(reading, detectors=[detector], clusters=clusters, max_q=settings.max_q)
    watcher.step("testing kinds of phrases")
    composites = find_kinds(detector, reading, clusters=clusters, max_q=settings.max_q, seed=settings.seed)
    joined = [
        as_chosen(kind, found, reading, detector)
        for kind in composites
        if kind.is_significant(settings.max_q)
    ]
    places = np.unique(np.array(places_of([*found.chosen, *joined]), dtype=np.int64))
    examples = examples_by_place(dataset, reading, places)
    return Induced(
        grammar=model,
        forest=detector.forest,
        learned=ParsedRows("learned", learned, trees),
        held_out=ParsedRows(name, held_out, held_out_trees),
        composites=composites,
        findings=grouped(found.chosen, examples),
        kinds=with_examples(joined, examples),
        rule_q=detector.rule_q(found.tests[0].keys, found.tests[0].q),
        tested=found.tested,
        significant=found.significant,
        problems=[*dataset.problems, *arranged.problems, *problems],
        dataset=DatasetSummary.of(dataset),
        label_names=tuple(reading.label_names),
        settings=settings,
        sizes=sizes,
        device=device,
    )


def rows_to_parse(
    arranged: Arranged, reading: Reading, settings: GrammarSettings, sizes: Sizes
) -> tuple[list[ParsableRow], list[ParsableRow], str, list[Problem]]:
    """The training rows, the held-out rows with their name, and the problems: what was left out."""
    dataset = arranged.dataset
    labels = reading.labels.astype(np.int64)
    limits = LengthLimits(pair=settings.longest)
    sample = sample_rows(
        dataset, reading.rows, labels, seed=settings.seed, limit=sizes.rows, texts=sizes.texts, limits=limits
    )
    problems = sample.problems(pair=dataset.columns.context is not None)
    if len(sample.rows) < FEWEST:
        is_limited = settings.limit is not None and settings.limit < FEWEST
        next_step = "Give a higher --limit." if is_limited else "Give more rows, or shorter texts."
        raise DataError(
            f"{dataset.source_name} has {len(sample.rows)} rows that a grammar can be learned from. At least {FEWEST} are needed. "
            + " ".join([*(problem.message for problem in problems), next_step])
        )
    problems += _sample_problem(sample, dataset)
    by_name = {name.strip().lower(): name for name in arranged.held_out}
    split = next((by_name[name] for name in VALIDATION if name in by_name), None)
    learned, held_out = sample.rows, []
    if split is not None:
        other = arranged.held_out[split]
        most = sizes.held_out or max(FEWEST, round(CHECKED * len(learned)))
        held_out = sample_rows(
            other, *labels_as(other, reading.label_names), seed=settings.seed, limit=most, limits=limits
        ).rows
    if not held_out:
        split = "held out"
        learned, held_out = split_off(learned, HELD_OUT, settings.seed)
    return learned, held_out, split or "", [*problems, *_lost_labels(learned, reading, dataset)]


def _lost_labels(learned: Sequence[ParsableRow], reading: Reading, dataset: Dataset) -> list[Problem]:
    """Labels without a training row; DataError if fewer than two labels are left."""
    left = {row.label for row in learned}
    lost = [(i, name) for i, name in enumerate(reading.label_names) if i not in left]
    if len(left) < 2:
        without = f", and none of {', '.join(repr(name) for _, name in lost)}" if lost else ""
        raise DataError(
            f"The rows of {dataset.source_name} that a grammar can be learned from must have two labels or more. They have "
            f"{len(left)}{without}. Give more rows of other labels, or shorter texts."
        )
    next_step = "Give more rows of it, shorter texts, or a higher --limit."
    return [
        Problem("lost_label", f"The grammar saw no row of the label {name!r}: the tables do not cover it.", int(reading.totals[i]), next_step)
        for i, name in lost
    ]  # fmt: skip


def _sample_problem(sample: RowSample, dataset: Dataset) -> list[Problem]:
    n, of = len(sample.rows), dataset.n_used
    if n + sample.long_rows + sample.blank >= of:
        return []
    message = f"The grammar was learned from a sample of {n:,} of {of:,} rows, balanced over labels; all counts are of the sample."
    return [Problem("sample", message, of - n, "Raise --limit to learn from more rows; that takes longer.")]


def _learn(
    learned: Sequence[ParsableRow],
    held_out: Sequence[ParsableRow],
    settings: GrammarSettings,
    sizes: Sizes,
    device: str,
    watcher: Watcher,
    checkpoint: Path | None,
) -> Grammar:
    from longway.grammars.induction import InduceSettings, induce

    def report(at: InduceProgress) -> None:
        held_out = "" if at.held_out is None else f", held out {at.held_out:.3f}"
        watcher.step(f"epoch {at.epoch} of {at.epochs}: {at.nats_per_word:.3f} nats per word{held_out}")
        watcher.progress((at.epoch - 1) * at.texts + at.done, at.epochs * at.texts)

    watcher.step("learning a grammar")
    return induce(
        [unit for row in learned for unit in row.units],
        validation=[unit for row in held_out for unit in row.units],
        settings=InduceSettings(
            nonterminals=sizes.nonterminals,
            preterminals=sizes.preterminals,
            dimension=sizes.dimension,
            words=settings.words,
            epochs=sizes.epochs,
            learning_rate=settings.learning_rate,
            batch=sizes.batch,
            check=sizes.check,
            patience=settings.patience,
            seed=settings.seed,
            device=device,
        ),
        progress=report,
        checkpoint=checkpoint,
    )


def parse(
    model: Grammar, rows: Sequence[ParsableRow], progress: Callable[[int], None] | None = None
) -> Trees:
    """The most likely trees of each row."""
    trees = iter(model.parse([unit for row in rows for unit in row.units], progress=progress))
    return [[next(trees) for _ in row.units] for row in rows]
