"""A grammar learned from the texts alone, the trees of the rows, and the findings among its subtrees and rules.

    read -> rows to parse, some held out -> learn a grammar -> the most likely trees -> subtrees and rules by label -> findings

The sample has pairs with |context| * |text| < 225 words, neither above 128, or sentences of at most 128 words; a row without a context is split into
sentences, which all belong to the row. Longer ones are left out and counted: the work of a chart grows with the third power of both lengths.

All of it follows "Finding Dataset Shortcuts with Grammar Induction" (Friedman, Wettig, Chen 2022). Pairs (rows with a context) get a synchronous
grammar of both texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.data.dataset import examples_at
from longway.data.summary import DatasetSummary
from longway.detect.clusters import Clusters
from longway.detect.findings import search
from longway.detect.grammar import GrammarDetector
from longway.detect.grammar_kinds import Kind, as_chosen, find_kinds
from longway.detect.reading import Reading
from longway.errors import DataError, MissingExtra
from longway.grammars.forest import Forest
from longway.grammars.trees import Tree
from longway.grammars.vocabulary import words_of_all
from longway.jobs.audit.rows import examples_by_place, grouped, places_of, with_examples
from longway.jobs.grammar.settings import GrammarSettings, Sizes
from longway.jobs.held_out import Arranged
from longway.jobs.run import Watcher
from longway.json_values import to_json
from longway.records import Example, Finding, Problem
from longway.store import now
from longway.text.sentences import sentences_of

if TYPE_CHECKING:
    from longway.grammars.induction import InduceProgress
    from longway.grammars.parser import Grammar

Ints = NDArray[np.int64]
Unit = tuple[
    list[str], list[str]
]  # the words of the first text and of the second, which is empty for sentences


@dataclass(frozen=True, slots=True)
class LengthLimits:
    """How long texts may be. pair: the product of both lengths must be smaller; sentence: words of a sentence or of one side, at most.

    of_a_row: sentences per row, the first ones; None for all.
    """

    pair: int = 225
    sentence: int = 128
    of_a_row: int | None = None


@dataclass(frozen=True, slots=True)
class ParsableRow:
    """A row that can be parsed. place: its number among the used rows; label: the number of its label."""

    place: int
    label: int
    example: Example
    units: tuple[Unit, ...]


@dataclass(slots=True)
class RowSample:
    """Rows in the order of the data, and what was left out.

    units: pairs or sentences of all rows. long_rows: rows without a unit that is short enough. cut_rows: rows with more sentences than
    were taken.
    """

    limits: LengthLimits
    rows: list[ParsableRow] = field(default_factory=list)
    units: int = 0
    long_rows: int = 0
    long_sentences: int = 0
    blank: int = 0
    cut_rows: int = 0

    def problems(self, *, pair: bool) -> list[Problem]:
        """What the user should know about rows that were left out."""
        n, limits, found = self.long_rows, self.limits, []
        if n and pair:
            message = f"{n:,} pairs were not parsed: the product of their lengths is {limits.pair} words or more, or one side has more than {limits.sentence}."
            found.append(Problem("too_long", message, n, "Nothing to do: all counts are of the other pairs."))
        if self.long_sentences and not pair:
            message = (
                f"{self.long_sentences:,} sentences of more than {limits.sentence} words were not parsed"
            )
            message += f"; {n:,} rows have no other." if n else "."
            next_step = "Nothing to do, unless the texts lack full stops."
            found.append(Problem("too_long", message, self.long_sentences, next_step))
        if self.blank:
            message = f"{self.blank:,} rows have no word that a grammar could read."
            found.append(Problem("no_words", message, self.blank, "Look at them in the source."))
        return found


def in_turn(labels: Sequence[int] | NDArray[np.integer]) -> Ints:
    """All places, alternating between labels as long as they have rows left.

    >>> in_turn([0, 0, 0, 0, 1]).tolist()
    [0, 4, 1, 2, 3]
    """
    labels = np.asarray(labels, dtype=np.int64)
    order = np.argsort(labels, kind="stable")
    starts = np.searchsorted(labels[order], np.arange(labels.max(initial=0) + 1))
    turn = np.arange(len(order)) - starts[labels[order]]
    return order[np.lexsort((labels[order], turn))]


def sample_rows(
    dataset: Dataset,
    rows: Ints,
    labels: Ints,
    *,
    seed: int,
    limit: int | None = None,
    texts: int | None = None,
    limits: LengthLimits | None = None,
) -> RowSample:
    """Rows to parse, drawn at random and balanced over labels, until there are `limit` rows or `texts` sentences or pairs.

    rows: row numbers of the used rows; labels: their labels, negative for rows to leave out.
    """
    sample = RowSample(limits or LengthLimits())
    order = np.random.default_rng(seed).permutation(np.flatnonzero(labels >= 0))
    order = order[in_turn(labels[order])]
    wanted = limit or texts or len(order)
    pool: list[ParsableRow] = []  # in the order of the draw
    start, size = 0, 2 * wanted
    while start < len(order):
        some = order[start : start + size]
        made = {row.place: row for row in _read(dataset, rows, labels, np.sort(some), sample)}
        pool += [made[place] for place in some.tolist() if place in made]
        start, size = start + size, 2 * size
        if _is_enough(pool, labels[order[start:]], wanted, by_rows=texts is None):
            break
    for place in in_turn([row.label for row in pool]).tolist():
        if (len(sample.rows) if texts is None else sample.units) >= wanted:
            break
        sample.rows.append(pool[place])
        sample.units += len(pool[place].units)
    sample.rows.sort(key=lambda row: row.place)
    return sample


def parsable_rows(
    texts: Sequence[str], contexts: Sequence[str | None] | None, limits: LengthLimits
) -> list[ParsableRow]:
    """A row for each text, without anything to parse where it is too long. contexts: None for single texts."""
    make = _sentences if contexts is None else _pairs
    examples = [
        Example(str(i), text, "", context)
        for i, (text, context) in enumerate(zip(texts, contexts or [None] * len(texts), strict=True))
    ]
    units = make(examples, RowSample(limits))
    return [ParsableRow(i, 0, examples[i], tuple(its)) for i, its in enumerate(units)]


def _is_enough(pool: Sequence[ParsableRow], left: Ints, wanted: int, *, by_rows: bool) -> bool:
    """Whether the pool has as much as wanted, and for each label its share or all of its rows."""
    n_labels = 1 + max([*left.tolist(), *(row.label for row in pool)], default=0)
    had = np.zeros(n_labels)
    for row in pool:
        had[row.label] += 1 if by_rows else len(row.units)
    more = np.bincount(left, minlength=n_labels) > 0
    return had.sum() >= wanted and not (more & (had < wanted / n_labels)).any()


def split_off(
    rows: list[ParsableRow], share: float, seed: int
) -> tuple[list[ParsableRow], list[ParsableRow]]:
    """The rows to learn from, and the held-out rows: the same share of each label. Both in the order of the data."""
    shuffled = np.random.default_rng([seed, 1]).permutation(len(rows))
    by_label = sorted(shuffled.tolist(), key=lambda i: rows[i].label)
    n = max(1, round(share * len(by_label)))
    apart = {by_label[(2 * i + 1) * len(by_label) // (2 * n)] for i in range(n)}  # at equal distances
    kept = [row for i, row in enumerate(rows) if i not in apart]
    return kept, [row for i, row in enumerate(rows) if i in apart]


def labels_as(dataset: Dataset, names: Sequence[str]) -> tuple[Ints, Ints]:
    """The row number of each used row and the number of its label among `names`, -1 for other labels."""
    number = {name: i for i, name in enumerate(names)}
    own = np.array([number.get(name, -1) for name in dataset.labels], dtype=np.int64)
    parts = [(batch.rows, own[batch.labels]) for batch in dataset.batches()]
    return np.concatenate([rows for rows, _ in parts]), np.concatenate([labels for _, labels in parts])


def _read(
    dataset: Dataset, rows: Ints, labels: Ints, places: Ints, sample: RowSample
) -> Iterator[ParsableRow]:
    """The rows at these places (ascending) that can be parsed; the others are counted."""
    examples = examples_at(dataset, rows[places])
    make = _sentences if dataset.columns.context is None else _pairs
    for place, example, units in zip(places.tolist(), examples, make(examples, sample), strict=True):
        if units:
            yield ParsableRow(place, int(labels[place]), example, tuple(units))


def _pairs(examples: list[Example], sample: RowSample) -> Iterator[list[Unit]]:
    limits = sample.limits
    firsts = words_of_all([example.context or "" for example in examples])
    seconds = words_of_all([example.text for example in examples])
    for first, second in zip(firsts, seconds, strict=True):
        fits = len(first) * len(second) < limits.pair and max(len(first), len(second)) <= limits.sentence
        sample.blank += not (first or second)
        sample.long_rows += not fits
        yield [(first, second)] if fits and (first or second) else []


def _sentences(examples: list[Example], sample: RowSample) -> Iterator[list[Unit]]:
    of_a_row = sample.limits.of_a_row
    cut = [sentences_of(example.text) for example in examples]
    words = iter(words_of_all([sentence for sentences in cut for sentence in sentences]))
    for sentences in cut:
        read = [one for one in (next(words) for _ in sentences) if one]
        short: list[Unit] = [(one, []) for one in read if len(one) <= sample.limits.sentence]
        sample.long_sentences += len(read) - len(short)
        sample.long_rows += bool(read) and not short
        sample.blank += not read
        sample.cut_rows += of_a_row is not None and len(short) > of_a_row
        yield short[:of_a_row]


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
