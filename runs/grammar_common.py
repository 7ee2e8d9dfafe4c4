"""What the runs/grammar_*.py scripts share: rows, a grammar and its trees, the paper's tables.

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
from typing import Any

import common
from longway.data import load
from longway.grammars.forest import Forest
from longway.grammars.information import (
    TOP_SUBTREES,
    Composite,
    composites,
    count_subtrees,
    informative_rules,
)
from longway.grammars.trees import Tree, brackets, read_brackets, span
from longway.jobs.grammar.induced import ParsedRows, parse
from longway.jobs.grammar.row_sample import ParsableRow, labels_as, sample_rows, split_off
from longway.jobs.grammar.settings import SIZES

CHECKED = 0.1  # of the rows, where no file of held-out rows is given
SHOWN = 12  # composites of a table


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

    def documents(self, *, limit: int | None, texts: int | None, seed: int) -> list[ParsableRow]:
        """Rows to parse, as `sample_rows` draws them, each with its line in the file as its place; says how many are left out."""
        dataset = load(common.data(self.file), text=self.text, context=self.context, label="label")
        rows, labels = labels_as(dataset, self.labels)
        found = sample_rows(dataset, rows, labels, seed=seed, limit=limit, texts=texts)
        problems = found.problems(pair=self.context is not None)
        print(f"{self.file}: {len(found.rows)} of {len(rows)} rows.", *(one.message for one in problems))
        made = [replace(document, place=int(rows[document.place])) for document in found.rows]
        return made if self.is_cut or self.context is not None else [_in_one(document) for document in made]


def _in_one(document: ParsableRow) -> ParsableRow:
    """The same document with all its words in one sentence."""
    return replace(document, units=(([word for first, _ in document.units for word in first], []),))


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
        "--trees", type=Path, nargs="+", help="files of trees that were made before: row, tab, tree"
    )
    parser.add_argument("--out", type=Path, help="folder that keeps the grammar and the trees")
    parser.add_argument(
        "--limit",
        type=int,
        help="training rows, the labels taking turns; all, or on a CPU rows with 1000 pairs or 4000 sentences",
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
    sources, rows = [train], [train.documents(limit=options.limit, texts=texts, seed=options.seed)]
    if held_out is not None:
        limit = options.test_limit or (max(1, len(rows[0]) // 5) if is_small else None)
        sources.append(held_out)
        rows.append(held_out.documents(limit=limit, texts=None, seed=options.seed))
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
        grammar.save(options.out)
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
    reached = grammar.trained
    print(
        f"learned from {len(texts)} in {time.monotonic() - began:.0f} s on {device}: {reached.epochs} epochs, "
        f"{reached.held_out_nats_per_word:.3f} nats a held-out word",
        flush=True,
    )
    return grammar
