"""Grammar: learn a grammar from the texts alone, and tell which of its pieces give the label away.

    read -> rows to parse, some held out -> induce -> the most likely trees -> subtrees and rules by label -> findings, tables, pictures

`induce_grammar` gives an `Induced`; `run_grammar` (in its own file) fills a run folder with it. All of it is "Finding Dataset Shortcuts with
Grammar Induction" (Friedman, Wettig, Chen 2022). Pairs (rows with a context) get a synchronous grammar of both texts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.detect.findings import search
from longway.detect.grammar import GrammarDetector
from longway.detect.grammar_versions import kinds
from longway.detect.reading import Reading
from longway.errors import DataError
from longway.grammar.forest import Forest
from longway.grammar.trees import Tree
from longway.jobs.about import describe
from longway.jobs.audit.examples import examples_by_place, grouped, places_of, with_example
from longway.jobs.grammar.grammar_rows import Document, Gathered, Limits, gather, labels_as, split_off
from longway.jobs.grammar.grammar_settings import HELD_OUT, GrammarSettings, Sizes, device_of, induce_settings
from longway.jobs.held_out import Arranged, arrange
from longway.records import Finding, Problem

if TYPE_CHECKING:
    from longway.grammar.induction import InduceProgress
    from longway.grammar.parser import Grammar

Step = Callable[[str], object]
Report = Callable[[int, int], object]  # texts done, of how many
Trees = list[list[Tree]]  # of each document

FEWEST = 20  # rows to learn from
# splits to check on, the first that is there
VALIDATION = ("validation", "valid", "val", "dev", "development", "test")
CHECKED = 0.2  # at most as many rows of such a split as this share of those learned from
CHECKPOINT = "checkpoint"


@dataclass(frozen=True, slots=True)
class Part:
    """Some rows with the trees of each. name: the split they are of, or what became of them."""

    name: str
    documents: list[Document]
    trees: Trees

    @property
    def labels(self) -> NDArray[np.int64]:
        """Their labels by number."""
        return np.array([document.label for document in self.documents], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Induced:
    """A grammar, the trees of the rows, and what their pieces tell about the label.

    findings: ordinary findings of the level "grammar", strongest first; kinds: those with one root and one label, joined.
    learned, held_out: the rows it was learned from, of which all counts are, and those it was checked on. forest: of the former.
    piece_q: q of each piece that was tested, by the detector's key, which for a subtree is its number in the forest.
    """

    grammar: Grammar
    forest: Forest
    learned: Part
    held_out: Part
    findings: list[Finding]
    kinds: list[Finding]
    piece_q: dict[int, float]
    tested: dict[str, int]
    significant: dict[str, int]
    problems: list[Problem]
    dataset: dict[str, Any]
    label_names: tuple[str, ...]
    settings: GrammarSettings
    sizes: Sizes
    device: str

    @property
    def is_pair(self) -> bool:
        """Whether it is a grammar of pairs."""
        return self.grammar.kind == "pair"


def induce_grammar(
    dataset: Dataset,
    *,
    split: str | None = None,
    settings: GrammarSettings | None = None,
    step: Step = lambda name: None,
    progress: Report = lambda done, of: None,
    folder: Path | None = None,
) -> Induced:
    """A grammar of this dataset's texts, and which of its pieces give the label away.

    split: the split to learn from where there are several ("train" unless told otherwise); a validation split is held out.
    step: called with what is being done; progress: with how many texts are done, of how many. folder: keeps what the training reached,
    so that the same call goes on from there.
    """
    settings = settings or GrammarSettings()
    arranged = arrange(dataset, split)
    device = device_of(settings)
    sizes = settings.sizes(device, pair=arranged.dataset.columns.context is not None)
    step("reading")
    reading = Reading.of(arranged.dataset)
    learned, held_out, name, problems = rows_to_parse(arranged, reading, settings, sizes)
    model = _induce(learned, held_out, settings, sizes, device, step, progress, folder)
    step("parsing")
    parts = [Part("learned", learned, []), Part(name, held_out, [])]
    total = sum(len(document.units) for part in parts for document in part.documents)
    done = 0

    def parsed(n: int) -> None:
        nonlocal done
        done += n
        progress(done, total)

    parts = [replace(part, trees=parse(model, part.documents, parsed)) for part in parts]
    step("counting subtrees and rules")
    detector = GrammarDetector(reading, parts[0].trees, places=[one.place for one in learned])
    found = search(reading, detectors=[detector], max_q=settings.max_q)
    joined = kinds(found, reading, detector)
    examples = examples_by_place(
        arranged.dataset, reading, np.unique(np.array(places_of([*found.chosen, *joined]), dtype=np.int64))
    )
    return Induced(
        grammar=model,
        forest=detector.forest,
        learned=parts[0],
        held_out=parts[1],
        findings=grouped(found.chosen, examples),
        kinds=[with_example(one, examples) for one in joined],
        piece_q={
            key: q for one in found.tests for key, q in zip(one.keys.tolist(), one.q.tolist(), strict=True)
        },
        tested=found.tested,
        significant=found.significant,
        problems=[*arranged.dataset.problems, *arranged.problems, *problems],
        dataset=describe(arranged.dataset),
        label_names=tuple(reading.label_names),
        settings=settings,
        sizes=sizes,
        device=device,
    )


def asked_of(dataset: Dataset, settings: GrammarSettings) -> dict[str, Any]:
    """The settings of a run together with the sizes that this machine chooses for it."""
    device = device_of(settings)
    sizes = settings.sizes(device, pair=dataset.columns.context is not None)
    return {**asdict(settings), "sizes": asdict(sizes)}


def rows_to_parse(
    arranged: Arranged, reading: Reading, settings: GrammarSettings, sizes: Sizes
) -> tuple[list[Document], list[Document], str, list[Problem]]:
    """The rows to learn from, those to check on with their name, and what was left out."""
    dataset, pair = arranged.dataset, arranged.dataset.columns.context is not None
    found = gather(
        dataset, reading.rows, reading.labels.astype(np.int64), seed=settings.seed, limit=settings.limit, texts=sizes.texts
    )  # fmt: skip
    if len(found.documents) < FEWEST:
        left_out = [problem.message for problem in found.problems(Limits(), pair=pair)]
        few_asked = settings.limit is not None and settings.limit < FEWEST
        next_step = "Give a higher --limit." if few_asked else "Give more rows, or shorter texts."
        raise DataError(
            f"{dataset.source_name} has {len(found.documents)} rows that a grammar can be learned from. At least {FEWEST} are needed. "
            + " ".join([*left_out, next_step])
        )
    problems = [*found.problems(Limits(), pair=pair), *_sample_problem(found, dataset)]
    by_name = {name.strip().lower(): name for name in arranged.held_out}
    split = next((by_name[name] for name in VALIDATION if name in by_name), None)
    if split is not None:
        other = arranged.held_out[split]
        rows, labels = labels_as(other, reading.label_names)
        most = max(FEWEST, round(CHECKED * len(found.documents)))
        checked = gather(other, rows, labels, seed=settings.seed, limit=most).documents
        if checked:
            problems += _lost_labels(found.documents, reading, dataset)
            return found.documents, checked, split, problems
    learned, held_out = split_off(found.documents, HELD_OUT, settings.seed)
    problems += _lost_labels(learned, reading, dataset)
    return learned, held_out, "held out", problems


def _lost_labels(learned: Sequence[Document], reading: Reading, dataset: Dataset) -> list[Problem]:
    """Labels that none of the rows to learn from has; DataError where fewer than two are left."""
    left = {document.label for document in learned}
    lost = [(i, name) for i, name in enumerate(reading.label_names) if i not in left]
    if len(left) < 2:
        without = f", and none of {', '.join(repr(name) for _, name in lost)}" if lost else ""
        raise DataError(
            f"The rows of {dataset.source_name} that a grammar can be learned from must have two labels or more. They have "
            f"{len(left)}{without}. Give more rows of other labels, or shorter texts of them."
        )
    next_step = "Give more rows of it, shorter texts, or a higher --limit."
    return [
        Problem("lost_label", f"The grammar saw no row of the label {name!r}: the tables say nothing about it.", int(reading.totals[i]), next_step)
        for i, name in lost
    ]  # fmt: skip


def _sample_problem(found: Gathered, dataset: Dataset) -> list[Problem]:
    n, of = len(found.documents), dataset.n_used
    if n + found.long_rows + found.blank >= of:
        return []
    message = f"The grammar was learned from a sample of {n:,} of {of:,} rows, the labels taking turns; all counts are of it."
    return [Problem("sample", message, of - n, "Raise --limit to learn from more rows; that takes longer.")]


def _induce(
    learned: Sequence[Document],
    held_out: Sequence[Document],
    settings: GrammarSettings,
    sizes: Sizes,
    device: str,
    step: Step,
    progress: Report,
    folder: Path | None,
) -> Grammar:
    from longway.grammar.induction import induce

    def tell(at: InduceProgress) -> None:
        checked = "" if at.held_out is None else f", held out {at.held_out:.3f}"
        step(f"epoch {at.epoch} of {at.epochs}: {at.nats_per_word:.3f} nats a word{checked}")
        progress((at.epoch - 1) * at.texts + at.done, at.epochs * at.texts)

    step("learning a grammar")
    return induce(
        [unit for document in learned for unit in document.units],
        validation=[unit for document in held_out for unit in document.units],
        settings=induce_settings(sizes, seed=settings.seed, device=device),
        progress=tell,
        checkpoint=None if folder is None else folder / CHECKPOINT,
    )


def parse(
    model: Grammar, documents: Sequence[Document], progress: Callable[[int], None] | None = None
) -> Trees:
    """The most likely trees of each document."""
    units = [unit for document in documents for unit in document.units]
    trees = iter(model.parse(units, progress=progress))
    return [[next(trees) for _ in document.units] for document in documents]
