"""What the runs/grammar_*.py scripts share: rows, a grammar and its trees, the paper's tables, classifiers beside them.

    --grammar DIR      a grammar that was learned elsewhere; without, one is learned here
    --trees FILE ...   trees that were made elsewhere, `row<TAB>tree` a line, a file for each file of rows: nothing is learned or parsed
    --out DIR          keeps the grammar, and the trees as such files

Rows are drawn and cut as `longway grammar` does it (jobs/grammar/row_sample.py). A row is named by its line in the data file, counted from 0.
A text of several sentences has a tree for each of them. Where the data have no part to stop the training on, a tenth of the rows is that part.
"""

from __future__ import annotations

import re
import sys
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import common
from longway.classify.catalog import model_named
from longway.classify.classifier import Classifier, Inputs, Labelled
from longway.data import load
from longway.detect.grammar_versions import GRAMMAR, FeatureVersion, compare_versions
from longway.grammars.forest import Forest
from longway.grammars.information import (
    TOP_SUBTREES,
    Composite,
    composites,
    count_subtrees,
    informative_rules,
)
from longway.grammars.trees import Tree, brackets, read_brackets, sides, span
from longway.jobs.grammar.induced import ParsedRows, parse
from longway.jobs.grammar.row_sample import (
    LengthLimits,
    ParsableRow,
    in_turn,
    labels_as,
    sample_rows,
    split_off,
)
from longway.jobs.grammar.settings import SIZES
from longway.metrics.group_accuracy import PatternAccuracy
from longway.records import Example
from longway.stats import mutual_information

LIMITS = LengthLimits()
CHECKED = 0.1  # of the rows, where no file of held-out rows is given
SHOWN = 12  # composites of a table
PER_LABEL = 4  # features of a label in Tables 6 and 10


@dataclass(frozen=True)
class Source:
    """A file of rows. labels: their names, in the order of their numbers. context: None for single texts.

    is_cut: whether a text may have several sentences, which are parsed one by one.
    """

    file: str
    labels: tuple[str, ...]
    text: str = "text"
    context: str | None = None
    is_cut: bool = True

    def documents(
        self, *, limit: int | None, texts: int | None, seed: int, longest: int = LIMITS.pair
    ) -> list[ParsableRow]:
        """Rows to parse, as `sample_rows` draws them, each with its line in the file as its place; says how many are left out."""
        dataset = load(common.data(self.file), text=self.text, context=self.context, label="label")
        rows, labels = labels_as(dataset, self.labels)
        found = sample_rows(
            dataset, rows, labels, seed=seed, limit=limit, texts=texts, limits=LengthLimits(pair=longest)
        )
        problems = found.problems(pair=self.context is not None)
        print(f"{self.file}: {len(found.rows)} of {len(rows)} rows.", *(one.message for one in problems))
        made = [replace(document, place=int(rows[document.place])) for document in found.rows]
        return made if self.is_cut or self.context is not None else [_in_one(document) for document in made]


def _in_one(document: ParsableRow) -> ParsableRow:
    """The same document with all its words in one sentence."""
    return replace(document, units=(([word for first, _ in document.units for word in first], []),))


class Telling(NamedTuple):
    """A subtree by number, its words, and the label it speaks for."""

    number: int
    span: str
    label: str


@dataclass(frozen=True)
class Kind:
    """A kind of shortcut that the paper names: what its subtrees read like, and for which label they speak ("" for any)."""

    name: str
    pattern: str
    label: str

    def fits(self, subtree: Telling) -> bool:
        """Whether the subtree is of this kind."""
        return bool(re.search(self.pattern, subtree.span)) and self.label in ("", subtree.label)


def parser_of(doc: str | None) -> ArgumentParser:
    """The options that all scripts have."""
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--grammar", type=Path, help="folder of a grammar that was learned before")
    parser.add_argument(
        "--trees", type=Path, nargs="+", help="files of trees that were made before: row, tab, tree"
    )
    parser.add_argument("--out", type=Path, help="folder that keeps the grammar and the trees")
    parser.add_argument(
        "--limit",
        type=int,
        help="training rows, the labels taking turns; all, or on a CPU rows with 1000 pairs or 4000 sentences",
    )
    parser.add_argument(
        "--longest",
        type=int,
        default=LIMITS.pair,
        help="pairs are parsed if the product of their lengths in words is smaller",
    )
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--batch", type=int, help="texts of a training step; 64, or 16 on a CPU")
    parser.add_argument("--nonterminals", type=int, default=32)
    parser.add_argument("--preterminals", type=int, default=64)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--seed", type=int, default=0)
    return parser


def parsed(options: Namespace, train: Source, held_out: Source | None = None) -> list[ParsedRows]:
    """The rows of each source with their trees, a part for each; --test-limit is the limit of the held-out ones."""
    device = _device(options)
    is_small = device == "cpu" and not (options.limit or options.grammar or options.trees)
    texts = SIZES[device, train.context is not None].texts if is_small else None
    drawn = {"seed": options.seed, "longest": options.longest}
    sources, rows = [train], [train.documents(limit=options.limit, texts=texts, **drawn)]
    if held_out is not None:
        limit = options.test_limit or (max(1, len(rows[0]) // 5) if is_small else None)
        sources.append(held_out)
        rows.append(held_out.documents(limit=limit, texts=None, **drawn))
    if options.trees:
        return _with_trees(options.trees, sources, rows)
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
    """The documents that the file has trees of, with them."""
    found = read_trees(path)
    kept = [document for document in documents if document.place in found]
    if not kept:
        sys.exit(f"{path} has no trees of rows of {file}. A line must begin with the row's number and a tab.")
    part = ParsedRows(file, kept, [found[document.place] for document in kept])
    otherwise = sum(len(its) != len(row.units) for its, row in zip(part.trees, part.rows, strict=True))
    print(
        f"{path}: trees of {len(kept)} of these rows"
        + (f", {otherwise} of them cut into other sentences than now" if otherwise else "")
    )
    return part


def read_trees(path: Path) -> dict[int, list[Tree]]:
    """The trees of each row of a file."""
    found: dict[int, list[Tree]] = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row, _, tree = line.rstrip("\n").partition("\t")
            found[int(row)].append(read_brackets(tree))
    return dict(found)


def write_trees(path: Path, part: ParsedRows, *, pair: bool) -> None:
    """Writes the trees of all rows, a line each."""
    with path.open("w", encoding="utf-8") as out:
        for document, trees in zip(part.rows, part.trees, strict=True):
            out.writelines(f"{document.place}\t{brackets(tree, pair=pair)}\n" for tree in trees)


@dataclass
class Tables:
    """The features of training rows, and how they read."""

    part: ParsedRows
    names: Sequence[str]

    def __post_init__(self) -> None:
        self.forest = Forest(self.part.trees)
        self.labels = self.part.labels

    def composites(self, min_leaves: int) -> list[Composite]:
        """The composite features, most telling first."""
        return composites(self.forest, self.labels, len(self.names), min_leaves=min_leaves)

    def show(self, title: str, found: Sequence[Composite], n: int = SHOWN) -> None:
        """Prints composite features as the paper's Tables 1, 3 and 4, with the rows of each label as in 11-14."""
        print(
            f"\n{title}; rows by label ({', '.join(self.names)})\n{'label':>14} {'root':>5} {'count':>7} {'majority':>9} {'nats':>8}  rows, patterns"
        )
        for one in found[:n]:
            print(
                f"{self.names[one.label]:>14} {one.root:>5} {one.count:>7} {one.label_share:>9.1%} {one.mutual_information:>8.4f}  "
                f"{' '.join(map(str, one.counts))}; {' , '.join(map(short, one.spans))}"
            )

    def show_rules(self) -> None:
        """Prints the most telling rules, as Table 15."""
        print(
            f"\nMost telling rules (Table 15)\n{'label':>14} {'rule':>12} {'nats':>8}  documents by label ({', '.join(self.names)}); subtrees"
        )
        for one in informative_rules(self.forest, self.labels, len(self.names)):
            counts = " ".join(map(str, one.counts))
            print(
                f"{self.names[one.label]:>14} {one.rule!s:>12} {one.mutual_information:>8.4f}  {counts}; {' '.join(short(each, 60) for each in one.outlines)}"
            )

    def _top(self, min_leaves: int) -> list[Telling]:
        """The most telling subtrees."""
        counted = count_subtrees(self.forest, self.labels, len(self.names), min_leaves=min_leaves)
        pair = self.forest.subtrees.has_pairs
        return [
            Telling(number, span(self.forest.subtrees.tree(number), pair=pair), self.names[label])
            for number, label in zip(
                counted.keys[:TOP_SUBTREES].tolist(), counted.labels[:TOP_SUBTREES].tolist(), strict=True
            )
        ]

    def kind(self, kind: Kind, min_leaves: int) -> Composite | None:
        """The most telling subtrees of a kind as one feature; None where there are none."""
        its = [one for one in self._top(min_leaves) if kind.fits(one)]
        if not its:
            return None
        numbers = tuple(one.number for one in its)
        counts = np.bincount(self.labels[self.forest.has_any(numbers)], minlength=len(self.names))
        information = mutual_information(counts[None, :], np.bincount(self.labels, minlength=len(self.names)))
        root = int(np.bincount(self.forest.subtrees.symbols()[list(numbers)]).argmax())
        spans = tuple(dict.fromkeys(one.span for one in its))[:5]
        label = self.names.index(kind.label)
        return Composite(root, label, numbers, spans, tuple(counts.tolist()), float(information[0]))

    def show_kinds(self, kinds: Sequence[Kind], min_leaves: int) -> dict[str, Any]:
        """Prints where the paper's kinds stand among the most telling subtrees, and gives it as figures."""
        top = self._top(min_leaves)
        order = [set(one.subtrees) for one in self.composites(min_leaves)]
        print(
            f"\nThe paper's kinds among the {len(top)} most telling subtrees\n{'kind':28} {'subtrees':>9} {'first at':>9} {'in group':>9}  strongest"
        )
        found: dict[str, Any] = {}
        for kind in kinds:
            places = [i for i, one in enumerate(top) if kind.fits(one)]
            group = next(
                (g + 1 for g, its in enumerate(order) if places and top[places[0]].number in its), None
            )
            shown = " , ".join(dict.fromkeys(top[i].span for i in places[:30]))
            found[kind.name] = {
                "subtrees": len(places),
                "rank": places[0] + 1 if places else None,
                "group": group,
            }
            print(
                f"{kind.name:28} {len(places):>9} {found[kind.name]['rank'] or '-':>9} {group or '-':>9}  {shown[:90]}"
            )
        return {"kinds": found, "kinds_found": sum(bool(one["subtrees"]) for one in found.values())}


def add_classifiers(parser: ArgumentParser) -> None:
    """The options of scripts that train classifiers."""
    parser.add_argument(
        "--models",
        nargs="+",
        default=["bow", "minilm=9000"],
        help="classifiers that are tested, each with the number of rows it is trained on; all where none is told",
    )
    parser.add_argument("--seeds", type=int, default=1, help="how often each is trained")
    parser.add_argument("--cache", type=Path, help="file that keeps an encoder's vectors from run to run")


@dataclass(frozen=True)
class Trained:
    """A classifier, once for each seed. right: seeds x held-out rows, where it is right."""

    name: str
    models: list[Classifier]
    right: NDArray[np.bool_]


def strongest(found: list[Composite], names: Sequence[str]) -> list[Composite]:
    """The first few composite features of each label."""
    return [
        one
        for label in range(len(names))
        for one in [each for each in found if each.label == label][:PER_LABEL]
    ]


def examples(part: ParsedRows) -> list[Example]:
    """The rows of a part."""
    return [document.example for document in part.rows]


def inputs_of(rows: Sequence[Example]) -> Inputs:
    """Pairs, as classifiers take them."""
    return Inputs([row.text for row in rows], [row.context or "" for row in rows])


def drawn(part: ParsedRows, n: int | None, seed: int) -> list[Example]:
    """So many rows, the labels taking turns, in their old order; all where no number is told."""
    order = np.random.default_rng(seed).permutation(len(part.rows))
    order = order[in_turn(part.labels[order])]
    return [part.rows[i].example for i in sorted(order[:n].tolist())]


def trained(asked: str, options: Namespace, train: ParsedRows, held_out: ParsedRows) -> Trained:
    """The classifier that was asked for as `name` or `name=rows`, and which held-out rows it labels right."""
    name, _, n = asked.partition("=")
    models, right, rows = [], [], []
    for seed in range(options.seed, options.seed + options.seeds):
        rows = drawn(train, int(n) if n else None, seed)
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
    """Tables 6 and 10: each feature with less and less of the grammar, and the classifiers on its two groups."""
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
            "rows": {name: [len(v.supporting), len(v.counter)] for name, v in counts.items()},
            "gap": {name: accuracy_of(its[GRAMMAR]).to_dict()["gap"] for name, its in tested.items()},
            "accuracy": {name: _sides(accuracy_of(its[GRAMMAR])) for name, its in tested.items()},
        })  # fmt: skip
    return found


def accuracy_of(version: FeatureVersion) -> PatternAccuracy:
    """The accuracy of a classifier on both groups of a feature."""
    assert version.accuracy is not None  # the classifiers' answers were given
    return version.accuracy


def _sides(accuracy: PatternAccuracy) -> list[float | None]:
    """The accuracy on supporting and counter-examples; None without any."""
    return [group.accuracy if group.n else None for group in (accuracy.supporting, accuracy.counter)]


def _accuracies(version: FeatureVersion) -> str:
    accuracy = accuracy_of(version)
    return "".join(
        f"{group.accuracy:>7.1%} {group.n:<4}" if group.n else f"{'-':>7}     "
        for group in (accuracy.supporting, accuracy.counter)
    )


def short(text: str, most: int = 36) -> str:
    """A text that is cut where it is too long for a table."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _device(options: Namespace) -> str:
    from longway.classify.network_training import device_named

    return device_named(options.device).type


def _grammar(options: Namespace, rows: Sequence[list[ParsableRow]], device: str) -> Any:
    from longway.grammars.induction import InduceSettings, induce
    from longway.grammars.parser import Grammar

    if options.grammar:
        return Grammar.load(options.grammar, device=device)
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
