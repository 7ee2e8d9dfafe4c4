"""What the runs/grammar_*.py scripts share: rows, a grammar and its trees, the paper's tables.

    --grammar DIR      a grammar that was learned elsewhere; without, one is learned here from --limit rows
    --trees FILE ...   trees that were made elsewhere, `id<TAB>tree` a line, a file for each file of rows: nothing is learned or parsed
    --out DIR          keeps the grammar, and the trees as such files

A row's id is its line in the data file, counted from 0. A text of several sentences has a line for each of them.
Where the data have no part to stop the training on, every tenth row is that part.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import common
from longway.grammar.features import TOP_SUBTREES, Composite, composites, count_subtrees, telling_rules
from longway.grammar.forest import Forest
from longway.grammar.trees import Tree, brackets, read_brackets, span
from longway.grammar.words import words_of_all
from longway.recipes.grammar_rows import LONGEST, LONGEST_PAIR
from longway.text.sentences import sentences_of

ON_A_CPU = 1000  # rows that a grammar is learned from, where --limit says nothing else
SHOWN = 12  # composites of a table


@dataclass
class Row:
    """A row, its texts, and the words that the grammar reads: one pair, or one for each sentence."""

    id: str
    file: str
    label: str
    text: str
    context: str | None = None
    has_sentences: bool = False
    words: list[tuple[list[str], list[str]]] = field(default_factory=list)
    trees: list[Tree] = field(default_factory=list)


@dataclass(frozen=True)
class Kind:
    """A kind of shortcut that the paper names: what its subtrees read like, and for which label they speak ("" for any)."""

    name: str
    pattern: str
    label: str


def parser_of(doc: str | None) -> ArgumentParser:
    """The options that all scripts have."""
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--grammar", type=Path, help="folder of a grammar that was learned before")
    parser.add_argument(
        "--trees", type=Path, nargs="+", help="files of trees that were made before: id, tab, tree"
    )
    parser.add_argument("--out", type=Path, help="folder that keeps the grammar and the trees")
    parser.add_argument(
        "--limit", type=int, help=f"training rows, equally many of each label; all, or {ON_A_CPU} on a CPU"
    )
    parser.add_argument("--test-limit", type=int, help="held-out rows")
    parser.add_argument("--epochs", type=int)
    parser.add_argument("--nonterminals", type=int, default=32)
    parser.add_argument("--preterminals", type=int, default=64)
    parser.add_argument("--dimension", type=int, default=256)
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--seed", type=int, default=0)
    return parser


def read(
    file: str, *, text: str = "text", context: str | None = None, has_sentences: bool = False
) -> list[Row]:
    """The rows of a file. has_sentences: a text may have several, which are parsed one by one."""
    with gzip.open(common.data(file), "rt", encoding="utf-8") as lines:
        return [
            Row(str(n), file, row["label"], row[text], row[context] if context else None, has_sentences)
            for n, row in enumerate(map(json.loads, lines))
        ]


def tenths(file: str, *, has_sentences: bool) -> tuple[list[Row], list[Row]]:
    """The rows of a file without parts: nine of ten to learn from, every tenth held out."""
    rows = read(file, has_sentences=has_sentences)
    return [row for i, row in enumerate(rows) if i % 10 != 9], rows[9::10]


def prepare(rows: list[Row], limit: int | None, seed: int) -> list[Row]:
    """A balanced sample of the rows that are short enough, with their words; says how many are left out."""
    cut = [_pieces(row) for row in rows]
    first = iter(words_of_all([a for pieces in cut for a, _ in pieces]))
    second = iter(words_of_all([b for pieces in cut for _, b in pieces]))
    left_out = 0
    for row, pieces in zip(rows, cut, strict=True):
        words = [(next(first), next(second)) for _ in pieces]
        row.words = [pair for pair in words if _is_short(*pair, is_pair=row.context is not None)]
        left_out += len(words) - len(row.words)
    kept = balanced([row for row in rows if row.words], limit, seed)
    print(f"{len(kept)} of {len(rows)} rows; {left_out} pairs or sentences are too long or empty", flush=True)
    return kept


def balanced(rows: list[Row], limit: int | None, seed: int) -> list[Row]:
    """At most so many rows, equally many of each label, in their old order."""
    if limit is None or len(rows) <= limit:
        return rows
    of_label: dict[str, list[int]] = defaultdict(list)
    for i in np.random.default_rng(seed).permutation(len(rows)).tolist():
        of_label[rows[i].label].append(i)
    share = -(-limit // len(of_label))
    return [rows[i] for i in sorted(i for its in of_label.values() for i in its[:share])]


def with_trees(options: Namespace, train: list[Row], held_out: list[Row]) -> tuple[list[Row], list[Row]]:
    """Both parts with the trees of every row; rows without any are left out."""
    if options.trees:
        return _given_trees(options, train, held_out)
    device = _device(options)
    limit = options.limit or (ON_A_CPU if device == "cpu" and not options.grammar else None)
    train = prepare(train, limit, options.seed)
    held_out = prepare(held_out, options.test_limit or (limit and max(1, limit // 5)), options.seed)
    grammar = _grammar(options, train, held_out, device)
    began = time.monotonic()
    rows = train + held_out
    texts = [pair for row in rows for pair in row.words]
    trees = iter(grammar.parse(texts))
    for row in rows:
        row.trees = [next(trees) for _ in row.words]
    print(f"parsed {len(texts)} in {time.monotonic() - began:.0f} s", flush=True)
    if options.out:
        grammar.save(options.out)
        for file in files_of(rows):
            write_trees(options.out / tree_file(file), [row for row in rows if row.file == file])
    return train, held_out


def files_of(rows: Sequence[Row]) -> list[str]:
    """The data files that the rows are from, in their order."""
    return list(dict.fromkeys(row.file for row in rows))


def tree_file(file: str) -> str:
    """The name of the file with the trees of a data file.

    >>> tree_file("snli/dev.jsonl.gz")
    'dev_trees.txt'
    """
    return f"{Path(file).name.partition('.')[0]}_trees.txt"


def _given_trees(options: Namespace, train: list[Row], held_out: list[Row]) -> tuple[list[Row], list[Row]]:
    files = files_of(train + held_out)
    if len(options.trees) != len(files):
        sys.exit(
            f"--trees must name {len(files)} files, the trees of {' and '.join(files)}. Got {len(options.trees)}."
        )
    found = {file: read_trees(path) for file, path in zip(files, options.trees, strict=True)}
    for row in train + held_out:
        row.trees = found[row.file].get(row.id, [])
    train, held_out = ([row for row in rows if row.trees] for rows in (train, held_out))
    if not train or not held_out:
        sys.exit(
            f"There are no trees of rows of {' or '.join(files)}. A line must begin with the row's number and a tab."
        )
    print(f"trees of {len(train)} training and {len(held_out)} held-out rows")
    return balanced(train, options.limit, options.seed), balanced(held_out, options.test_limit, options.seed)


def read_trees(path: Path) -> dict[str, list[Tree]]:
    """The trees of each row of a file."""
    found: dict[str, list[Tree]] = defaultdict(list)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            name, _, tree = line.rstrip("\n").partition("\t")
            found[name].append(read_brackets(tree))
    return found


def write_trees(path: Path, rows: Sequence[Row]) -> None:
    """Writes the trees of all rows, a line each."""
    with path.open("w", encoding="utf-8") as out:
        for row in rows:
            for tree in row.trees:
                out.write(f"{row.id}\t{brackets(tree, pair=row.context is not None)}\n")


@dataclass
class Tables:
    """The features of training rows, and how they read."""

    rows: list[Row]

    def __post_init__(self) -> None:
        self.forest = Forest(row.trees for row in self.rows)
        self.names = sorted({row.label for row in self.rows})
        self.labels = np.array([self.names.index(row.label) for row in self.rows])

    def composites(self, min_leaves: int) -> list[Composite]:
        """The composite features, most telling first."""
        return composites(self.forest, self.labels, len(self.names), min_leaves=min_leaves)

    def show(self, title: str, found: Sequence[Composite], n: int = SHOWN) -> None:
        """Prints composite features as the paper's Tables 1, 3 and 4."""
        print(f"\n{title}\n{'label':>14} {'root':>5} {'count':>7} {'majority':>9} {'nats':>8}  patterns")
        for one in found[:n]:
            print(
                f"{self.names[one.label]:>14} {one.root:>5} {one.count:>7} {one.label_share:>9.1%} "
                f"{one.mutual_information:>8.4f}  {' , '.join(map(short, one.spans))}"
            )

    def show_rules(self) -> None:
        """Prints the most telling rules, as Table 15."""
        print(
            f"\nMost telling rules (Table 15)\n{'label':>14} {'rule':>12} {'nats':>8}  documents by label ({', '.join(self.names)}); subtrees"
        )
        for one in telling_rules(self.forest, self.labels, len(self.names)):
            counts = " ".join(map(str, one.counts))
            print(
                f"{self.names[one.label]:>14} {one.rule!s:>12} {one.mutual_information:>8.4f}  {counts}; {' '.join(short(each, 60) for each in one.outlines)}"
            )

    def show_kinds(self, kinds: Sequence[Kind], min_leaves: int) -> dict[str, Any]:
        """Prints where the paper's kinds stand among the most telling subtrees, and gives it as figures."""
        counted = count_subtrees(self.forest, self.labels, len(self.names), min_leaves=min_leaves)
        pair = self.forest.subtrees.has_pairs
        spans = [span(self.forest.subtrees.tree(n), pair=pair) for n in counted.keys[:TOP_SUBTREES].tolist()]
        majority = [self.names[label] for label in counted.labels[:TOP_SUBTREES].tolist()]
        order = [set(one.subtrees) for one in self.composites(min_leaves)]
        print(
            f"\nThe paper's kinds among the {len(spans)} most telling subtrees\n{'kind':28} {'subtrees':>9} {'first at':>9} {'in group':>9}  strongest"
        )
        found: dict[str, Any] = {}
        for kind in kinds:
            places = [
                i
                for i, one in enumerate(spans)
                if re.search(kind.pattern, one) and kind.label in ("", majority[i])
            ]
            group = next(
                (g + 1 for g, its in enumerate(order) if places and int(counted.keys[places[0]]) in its), None
            )
            shown = " , ".join(dict.fromkeys(spans[i] for i in places[:30]))
            found[kind.name] = {
                "subtrees": len(places),
                "rank": places[0] + 1 if places else None,
                "group": group,
            }
            print(
                f"{kind.name:28} {len(places):>9} {found[kind.name]['rank'] or '-':>9} {group or '-':>9}  {shown[:90]}"
            )
        return {"kinds": found, "kinds_found": sum(bool(one["subtrees"]) for one in found.values())}


def short(text: str, most: int = 36) -> str:
    """A text that is cut where it is too long for a table."""
    return text if len(text) <= most else text[: most - 1] + "…"


def _pieces(row: Row) -> list[tuple[str, str]]:
    if row.context is not None:
        return [(row.context, row.text)]
    sentences = sentences_of(row.text) if row.has_sentences else [row.text]
    return [(sentence, "") for sentence in sentences]


def _is_short(first: list[str], second: list[str], *, is_pair: bool) -> bool:
    return 0 < len(first) * len(second) < LONGEST_PAIR if is_pair else 0 < len(first) <= LONGEST


def _device(options: Namespace) -> str:
    import torch

    if options.device != "auto":
        return str(options.device)
    return "cuda" if torch.cuda.is_available() else "cpu"


def _grammar(options: Namespace, train: list[Row], held_out: list[Row], device: str) -> Any:
    from longway.grammar.grammar import Grammar
    from longway.grammar.training import InduceSettings, induce

    if options.grammar:
        return Grammar.load(options.grammar, device=device)
    began = time.monotonic()
    settings = InduceSettings(
        nonterminals=options.nonterminals,
        preterminals=options.preterminals,
        dimension=options.dimension,
        epochs=options.epochs,
        seed=options.seed,
        device=device,
    )
    texts, validation = ([pair for row in rows for pair in row.words] for rows in (train, held_out))
    grammar = induce(
        texts, validation=validation, settings=settings, checkpoint=options.out and options.out / "checkpoint"
    )
    reached = grammar.trained
    print(
        f"learned from {len(texts)} in {time.monotonic() - began:.0f} s on {device}: {reached['epochs']} epochs, "
        f"{reached['held_out_nats_per_word']:.3f} nats a held-out word",
        flush=True,
    )
    return grammar
