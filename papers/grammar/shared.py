"""Shared by the papers/grammar scripts: rows, a grammar and its trees, the paper's tables, classifiers.

    --grammar DIR      use this grammar instead of learning one
    --trees FILE ...   use these trees instead of learning and parsing: one file per data file, lines of `row<TAB>tree`
    --out DIR          save the grammar, and the trees in this format; the same command resumes, a command with other settings is refused

Rows are sampled and split into sentences as in `longway grammar` (jobs/grammar/row_sample.py). The number of a row is its line in the data
file, counted from 0. A text of several sentences has one tree per sentence. Without a held-out file, training stops early on a tenth of the rows.
"""

from __future__ import annotations

import json
import re
import sys
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from longway.data import load
from longway.grammars.forest import Forest
from longway.grammars.information import (
    TOP_SUBTREES,
    Composite,
    composites,
    count_subtrees,
    informative_rules,
)
from longway.grammars.trees import Tree, brackets, read_brackets, sides, span
from longway.jobs.grammar.induced import (
    LengthLimits,
    ParsableRow,
    ParsedRows,
    in_turn,
    labels_as,
    parse,
    sample_rows,
    split_off,
)
from longway.jobs.grammar.settings import SIZES
from longway.metrics.group_accuracy import PatternAccuracy
from longway.models.catalog import model_named
from longway.models.classifier import Classifier, Inputs, Labelled
from longway.records import Example
from longway.stats import mutual_information
from runs_common import common
from versions import GRAMMAR, FeatureVersion, compare_versions

LIMITS = LengthLimits()
CHECKED = 0.1  # share of the rows for early stopping, if there is no held-out file
SHOWN = 12  # composites per table
PER_LABEL = 4  # features per label in Tables 6 and 10
MADE_WITH = "made_with.json"  # in --out: the settings of its grammar and trees
LEARNING = ("nonterminals", "preterminals", "dimension", "epochs", "batch", "seed")  # options of the training


@dataclass(frozen=True)
class Source:
    """A data file. labels: label names by number. context: column of the first text; None for single texts.

    is_cut: whether texts are split into sentences, each of which is parsed.
    """

    file: str
    labels: tuple[str, ...]
    text: str = "text"
    context: str | None = None
    is_cut: bool = True

    def documents(
        self, *, limit: int | None, texts: int | None, seed: int, longest: int = LIMITS.pair
    ) -> list[ParsableRow]:
        """Rows to parse, sampled by `sample_rows`; the place of a row is its line in the file. Prints how many are left out."""
        dataset = load(common.data(self.file), text=self.text, context=self.context, label="label")
        rows, labels = labels_as(dataset, self.labels)
        sample = sample_rows(
            dataset, rows, labels, seed=seed, limit=limit, texts=texts, limits=LengthLimits(pair=longest)
        )
        problems = sample.problems(pair=self.context is not None)
        print(
            f"{self.file}: {len(sample.rows)} of {len(rows)} rows.",
            *(problem.message for problem in problems),
        )
        by_line = [replace(document, place=int(rows[document.place])) for document in sample.rows]
        return by_line if self.is_cut or self.context is not None else list(map(_as_one_sentence, by_line))


def _as_one_sentence(document: ParsableRow) -> ParsableRow:
    """The document with all its words in one sentence."""
    return replace(document, units=(([word for first, _ in document.units for word in first], []),))


class PredictiveSubtree(NamedTuple):
    """A subtree by number, its words, and the label it predicts."""

    number: int
    span: str
    label: str


@dataclass(frozen=True)
class Kind:
    """A kind of shortcut in the paper. pattern: a regular expression of the words of its subtrees. label: the one it predicts, "" for any."""

    name: str
    pattern: str
    label: str

    def fits(self, subtree: PredictiveSubtree) -> bool:
        """Whether the subtree is of this kind."""
        return bool(re.search(self.pattern, subtree.span)) and self.label in ("", subtree.label)


def parser_of(doc: str | None) -> ArgumentParser:
    """A parser with the options of all scripts."""
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--grammar", type=Path, help="folder of a grammar to use instead of learning one")
    parser.add_argument(
        "--trees",
        type=Path,
        nargs="+",
        help="files of trees to use instead of parsing; a line is row, tab, tree",
    )
    parser.add_argument(
        "--out", type=Path, help="folder for the grammar and the trees; the same command resumes"
    )
    parser.add_argument(
        "--limit",
        type=int,
        help="training rows, balanced over labels; default: all, or on a CPU rows with 1000 pairs or 4000 sentences",
    )
    parser.add_argument(
        "--longest",
        type=int,
        default=LIMITS.pair,
        help="pairs are parsed if the product of their lengths in words is below this",
    )
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--batch", type=int, help="texts per training step; default: 64, or 16 on a CPU")
    parser.add_argument("--nonterminals", type=int, default=32)
    parser.add_argument("--preterminals", type=int, default=64)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--seed", type=int, default=0)
    return parser


def parsed(options: Namespace, train: Source, held_out: Source | None = None) -> list[ParsedRows]:
    """The parsed rows of each source. --test-limit limits the held-out rows."""
    device = _device(options)
    is_small = device == "cpu" and not (options.limit or options.grammar or options.trees)
    texts = SIZES[device, train.context is not None].texts if is_small else None
    sampling = {"seed": options.seed, "longest": options.longest}
    sources, rows = [train], [train.documents(limit=options.limit, texts=texts, **sampling)]
    if held_out is not None:
        limit = options.test_limit or (max(1, len(rows[0]) // 5) if is_small else None)
        sources.append(held_out)
        rows.append(held_out.documents(limit=limit, texts=None, **sampling))
    if options.trees:
        return _with_trees(options.trees, sources, rows)
    if options.out:
        check_made_with(options.out, {**_settings(options, device), "rows": _digest(rows)})
        saved = [options.out / tree_file(source.file) for source in sources]
        if all(path.is_file() for path in saved):
            return _with_trees(saved, sources, rows)
    grammar = _grammar(options, rows, device)
    began = time.monotonic()
    parts = [
        ParsedRows(source.file, its, parse(grammar, its)) for source, its in zip(sources, rows, strict=True)
    ]
    print(
        f"parsed {sum(len(its) for part in parts for its in part.trees)} in {time.monotonic() - began:.0f} s"
    )
    if options.out:
        for part in parts:
            write_trees(options.out / tree_file(part.name), part, pair=train.context is not None)
    return parts


def check_made_with(folder: Path, settings: dict[str, Any]) -> None:
    """Write the settings into a new folder; exit if its grammar and trees were made with others."""
    path = folder / MADE_WITH
    if not path.is_file():
        if any(folder.glob("*_trees.txt")) or (folder / "grammar.json").is_file():
            sys.exit(f"{folder} has a grammar or trees, but not the settings they were made with ({MADE_WITH}). Name another folder as --out.")  # fmt: skip
        folder.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".part").write_text(json.dumps(settings), encoding="utf-8")
        path.with_suffix(".part").replace(path)
        return
    before = json.loads(path.read_text(encoding="utf-8"))
    if differ := [name for name in settings if before.get(name) != settings[name]]:
        said = ", ".join(
            "other rows" if name == "rows" else f"{name} {before.get(name)} instead of {settings[name]}"
            for name in differ
        )
        sys.exit(f"{folder} was made with {said}. Name another folder as --out, or use the same settings.")


def _settings(options: Namespace, device: str) -> dict[str, Any]:
    """What a grammar is made with, besides the rows."""
    given = {name: getattr(options, name) for name in LEARNING}
    return {**given, "device": device, "grammar": options.grammar and str(options.grammar.resolve())}


def _digest(rows: Sequence[list[ParsableRow]]) -> str:
    """A digest of the rows: their places, labels and words."""
    content = [[(row.place, row.label, row.units) for row in part] for part in rows]
    return sha256(repr(content).encode()).hexdigest()[:16]


def tree_file(file: str) -> str:
    """The name of the file with the trees of a data file.

    >>> tree_file("snli/dev.jsonl.gz")
    'dev_trees.txt'
    """
    return f"{Path(file).name.partition('.')[0]}_trees.txt"


def _with_trees(
    paths: Sequence[Path], sources: Sequence[Source], rows: Sequence[list[ParsableRow]]
) -> list[ParsedRows]:
    files = [source.file for source in sources]
    if len(paths) != len(files):
        sys.exit(
            f"--trees must name {len(files)} files, the trees of {' and '.join(files)}. Got {len(paths)}."
        )
    return [given_trees(path, file, its) for path, file, its in zip(paths, files, rows, strict=True)]


def given_trees(path: Path, file: str, documents: list[ParsableRow]) -> ParsedRows:
    """The documents whose trees are in the file. Documents without a tree are left out."""
    by_row = read_trees(path)
    kept = [document for document in documents if document.place in by_row]
    if not kept:
        sys.exit(f"{path} has no trees of rows of {file}. A line must begin with the row's number and a tab.")
    part = ParsedRows(file, kept, [by_row[document.place] for document in kept])
    changed = sum(len(trees) != len(row.units) for trees, row in zip(part.trees, part.rows, strict=True))
    print(
        f"{path}: trees of {len(kept)} of these rows"
        + (f"; {changed} of them are now split into other sentences" if changed else "")
    )
    return part


def read_trees(path: Path) -> dict[int, list[Tree]]:
    """The trees of each row of a file."""
    by_row: dict[int, list[Tree]] = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row, _, tree = line.rstrip("\n").partition("\t")
            by_row[int(row)].append(read_brackets(tree))
    return dict(by_row)


def write_trees(path: Path, part: ParsedRows, *, pair: bool) -> None:
    """Write the trees of all rows, one per line. The write is atomic: an interrupted one leaves no file of that name."""
    unfinished = path.with_name(f"{path.name}.part")
    with unfinished.open("w", encoding="utf-8") as out:
        for document, trees in zip(part.rows, part.trees, strict=True):
            out.writelines(f"{document.place}\t{brackets(tree, pair=pair)}\n" for tree in trees)
    unfinished.replace(path)


@dataclass
class Tables:
    """The features of parsed training rows, as the paper's tables. names: of the labels."""

    part: ParsedRows
    names: Sequence[str]

    def __post_init__(self) -> None:
        self.forest = Forest(self.part.trees)
        self.labels = self.part.labels

    def composites(self, min_leaves: int) -> list[Composite]:
        """The composite features, in descending order of mutual information."""
        return composites(self.forest, self.labels, len(self.names), min_leaves=min_leaves)

    def show(self, title: str, found: Sequence[Composite], n: int = SHOWN) -> None:
        """Print composite features as in the paper's Tables 1, 3 and 4, with the rows of each label as in 11-14."""
        print(
            f"\n{title}; rows by label ({', '.join(self.names)})\n{'label':>14} {'root':>5} {'count':>7} {'majority':>9} {'nats':>8}  rows, patterns"
        )
        for one in found[:n]:
            print(
                f"{self.names[one.label]:>14} {one.root:>5} {one.count:>7} {one.label_share:>9.1%} {one.mutual_information:>8.4f}  "
                f"{' '.join(map(str, one.counts))}; {' , '.join(map(short, one.spans))}"
            )

    def show_rules(self) -> None:
        """Print the rules with the highest mutual information, as in Table 15."""
        print(
            f"\nRules with the highest mutual information (Table 15)\n{'label':>14} {'rule':>12} {'nats':>8}  documents by label ({', '.join(self.names)}); subtrees"
        )
        for one in informative_rules(self.forest, self.labels, len(self.names)):
            counts = " ".join(map(str, one.counts))
            print(
                f"{self.names[one.label]:>14} {one.rule!s:>12} {one.mutual_information:>8.4f}  {counts}; {' '.join(short(each, 60) for each in one.outlines)}"
            )

    def _top(self, min_leaves: int) -> list[PredictiveSubtree]:
        """The subtrees with the highest mutual information."""
        counted = count_subtrees(self.forest, self.labels, len(self.names), min_leaves=min_leaves)
        pair = self.forest.subtrees.has_pairs
        return [
            PredictiveSubtree(number, span(self.forest.subtrees.tree(number), pair=pair), self.names[label])
            for number, label in zip(
                counted.keys[:TOP_SUBTREES].tolist(), counted.labels[:TOP_SUBTREES].tolist(), strict=True
            )
        ]

    def kind(self, kind: Kind, min_leaves: int) -> Composite | None:
        """The subtrees of a kind among the top ones, as one feature; None if there are none."""
        fitting = [one for one in self._top(min_leaves) if kind.fits(one)]
        if not fitting:
            return None
        numbers = tuple(one.number for one in fitting)
        counts = np.bincount(self.labels[self.forest.has_any(numbers)], minlength=len(self.names))
        information = mutual_information(counts[None, :], np.bincount(self.labels, minlength=len(self.names)))
        root = int(np.bincount(self.forest.subtrees.symbols()[list(numbers)]).argmax())
        spans = tuple(dict.fromkeys(one.span for one in fitting))[:5]
        label = self.names.index(kind.label)
        return Composite(root, label, numbers, spans, tuple(counts.tolist()), float(information[0]))

    def show_kinds(self, kinds: Sequence[Kind], min_leaves: int) -> dict[str, Any]:
        """Print the ranks of the paper's kinds among the top subtrees. Returns them as figures."""
        top = self._top(min_leaves)
        order = [set(one.subtrees) for one in self.composites(min_leaves)]
        print(
            f"\nThe paper's kinds among the {len(top)} subtrees with the highest mutual information\n{'kind':28} {'subtrees':>9} {'first at':>9} {'in group':>9}  strongest"
        )
        ranks: dict[str, Any] = {}
        for kind in kinds:
            places = [i for i, one in enumerate(top) if kind.fits(one)]
            in_group = next(
                (g + 1 for g, group in enumerate(order) if places and top[places[0]].number in group), None
            )
            shown = " , ".join(dict.fromkeys(top[i].span for i in places[:30]))
            ranks[kind.name] = {
                "subtrees": len(places),
                "rank": places[0] + 1 if places else None,
                "group": in_group,
            }
            print(
                f"{kind.name:28} {len(places):>9} {ranks[kind.name]['rank'] or '-':>9} {in_group or '-':>9}  {shown[:90]}"
            )
        return {"kinds": ranks, "kinds_found": sum(bool(one["subtrees"]) for one in ranks.values())}


def add_classifiers(parser: ArgumentParser) -> None:
    """The options of scripts that train classifiers."""
    parser.add_argument(
        "--models",
        nargs="+",
        default=["bow", "minilm=9000"],
        help="classifiers to train and test, as NAME or NAME=ROWS; default: all rows",
    )
    parser.add_argument("--seeds", type=int, default=1, help="trainings of each classifier")
    parser.add_argument("--cache", type=Path, help="file that caches the vectors of frozen encoders")


@dataclass(frozen=True)
class Trained:
    """A classifier, trained with each seed. right: seeds x held-out rows, True where the prediction is correct."""

    name: str
    models: list[Classifier]
    right: NDArray[np.bool_]


def strongest(found: list[Composite], names: Sequence[str]) -> list[Composite]:
    """The strongest composite features of each label."""
    return [
        one
        for label in range(len(names))
        for one in [each for each in found if each.label == label][:PER_LABEL]
    ]


def examples(part: ParsedRows) -> list[Example]:
    """The rows of a part."""
    return [document.example for document in part.rows]


def inputs_of(rows: Sequence[Example]) -> Inputs:
    """Pairs as inputs of a classifier."""
    return Inputs([row.text for row in rows], [row.context or "" for row in rows])


def sampled(part: ParsedRows, n: int | None, seed: int) -> ParsedRows:
    """n rows with their trees, sampled at random and balanced over labels, in their order; all if n is None."""
    order = np.random.default_rng(seed).permutation(len(part.rows))
    chosen = sorted(order[in_turn(part.labels[order])][:n].tolist())
    return ParsedRows(part.name, [part.rows[i] for i in chosen], [part.trees[i] for i in chosen])


def trained(asked: str, options: Namespace, train: ParsedRows, held_out: ParsedRows) -> Trained:
    """A classifier, asked for as `name` or `name=rows`, trained with each seed and tested on the held-out rows."""
    name, _, n = asked.partition("=")
    models, right, rows = [], [], []
    for seed in range(options.seed, options.seed + options.seeds):
        rows = examples(sampled(train, int(n) if n else None, seed))
        model = model_named(name, seed=seed, device=options.device, cache=options.cache)
        models.append(model.fit(Labelled(inputs_of(rows), [row.label for row in rows])))
        answers = model.predict(inputs_of(examples(held_out)))
        right.append([answer == row.label for answer, row in zip(answers, examples(held_out), strict=True)])
    found = Trained(name, models, np.array(right))
    print(
        f"\n{name}: trained on {len(rows)} rows, {spread(found.right.mean(axis=1))} of {len(examples(held_out))} held-out rows right",
        flush=True,
    )
    return found


def spread(values: Sequence[float] | NDArray[np.float64]) -> str:
    """The mean, and the standard deviation where there are several values."""
    std = f" ± {np.std(values, ddof=1):.1%}" if len(values) > 1 else ""
    return f"{np.mean(values):6.1%}{std}"


def show_versions(
    tables: Tables, held_out: ParsedRows, features: Sequence[Composite], answers: Sequence[Trained]
) -> list[dict[str, Any]]:
    """Tables 6 and 10: each feature in its versions, and the accuracy of the classifiers on its two groups of rows."""
    forest = Forest(held_out.trees, like=tables.forest)
    texts, held_out_texts = ([sides(trees[0]) for trees in part.trees] for part in (tables.part, held_out))
    heads = "".join(f"{one.name + ' S':>12}{one.name + ' C':>12}" for one in answers)
    print(
        "\nSupporting (S) and counter-examples (C): how many for training, a classifier's accuracy for held-out rows (Tables 6, 10)"
    )
    print(f"{'':46}{'S':>7}{'C':>7}{heads}")
    found = []
    for one in features:
        print(f"{tables.names[one.label]} {one.root}: {' , '.join(map(short, one.spans))}")
        counts = {v.name: v for v in compare_versions(one, tables.forest, texts, tables.labels)}
        tested = {
            asked.name: {
                v.name: v
                for v in compare_versions(one, forest, held_out_texts, held_out.labels, correct=asked.right)
            }
            for asked in answers
        }
        for version, each in counts.items():
            cells = "".join(_accuracies(its[version]) for its in tested.values())
            print(f"    {version:42}{len(each.supporting):>7}{len(each.counter):>7}{cells}", flush=True)
        found.append({
            "label": tables.names[one.label], "root": one.root, "count": one.count, "majority": one.label_share,
            "spans": one.spans,
            "rows": {name: [len(v.supporting), len(v.counter)] for name, v in counts.items()},
            "gap": {name: accuracy_of(its[GRAMMAR]).to_dict()["gap"] for name, its in tested.items()},
            "accuracy": {name: _sides(accuracy_of(its[GRAMMAR])) for name, its in tested.items()},
            "tested": {name: {v.name: _tested(accuracy_of(v)) for v in its.values()} for name, its in tested.items()},
        })  # fmt: skip
    return found


def accuracy_of(version: FeatureVersion) -> PatternAccuracy:
    """The accuracy of a classifier on both groups of a feature."""
    assert version.accuracy is not None  # the classifiers' answers were given
    return version.accuracy


def _sides(accuracy: PatternAccuracy) -> list[float | None]:
    """The accuracy on supporting and counter-examples; None without any."""
    return [group.accuracy if group.n else None for group in (accuracy.supporting, accuracy.counter)]


def _tested(accuracy: PatternAccuracy) -> list[tuple[float | None, int]]:
    """The accuracy on supporting and counter-examples, with their number."""
    numbers = (accuracy.supporting.n, accuracy.counter.n)
    return list(zip(_sides(accuracy), numbers, strict=True))


def _accuracies(version: FeatureVersion) -> str:
    accuracy = accuracy_of(version)
    return "".join(
        f"{group.accuracy:>7.1%} {group.n:<4}" if group.n else f"{'-':>7}     "
        for group in (accuracy.supporting, accuracy.counter)
    )


def short(text: str, most: int = 36) -> str:
    """The text, truncated for a table."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _device(options: Namespace) -> str:
    from longway.models.network_training import device_named

    return device_named(options.device).type


def _grammar(options: Namespace, rows: Sequence[list[ParsableRow]], device: str) -> Any:
    from longway.grammars.induction import InduceSettings, induce
    from longway.grammars.parser import Grammar

    saved = options.grammar or options.out
    if saved and (options.grammar or (saved / "grammar.json").is_file()):
        return Grammar.load(saved, device=device)
    began = time.monotonic()
    settings = InduceSettings(
        nonterminals=options.nonterminals,
        preterminals=options.preterminals,
        dimension=options.dimension,
        epochs=options.epochs,
        batch=options.batch,
        seed=options.seed,
        device=device,
    )
    learned, checked = rows if len(rows) == 2 else split_off(rows[0], CHECKED, options.seed)
    texts, validation = (
        [unit for document in part for unit in document.units] for part in (learned, checked)
    )
    grammar = induce(
        texts, validation=validation, settings=settings, checkpoint=options.out and options.out / "checkpoint"
    )
    if options.out:
        grammar.save(options.out)
    reached = grammar.trained
    print(
        f"learned from {len(texts)} in {time.monotonic() - began:.0f} s on {device}: {reached.epochs} epochs, "
        f"{reached.held_out_nats_per_word:.3f} nats a held-out word",
        flush=True,
    )
    return grammar
