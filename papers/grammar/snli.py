"""The shortcuts that a grammar of pairs finds in SNLI, and whether classifiers use them (Tables 4, 6, 7, 10, 13 and 15 of the paper).

python papers/grammar/snli.py                                                                learns a small grammar here
python papers/grammar/snli.py --trees train_balanced_trees.txt dev_trees.txt                 with what was parsed elsewhere
python papers/grammar/snli.py --trees ... --models bow=18000 --seeds 3                       three draws of 18,000 rows to train on

Classifiers are trained on rows that the grammar learned from and tested on held-out rows: on the supporting and the
counter-examples of each feature, and on contrast sets that the grammar's own words make of them. The paper's classifier is BERT,
fine-tuned; --models takes any name of longway.models. A seed draws the rows and is the classifier's own.

Antonyms need no tree, and few rows give one. So they are also made of the pairs that are too long to parse and of the test split.
Options: see shared.py.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import shared
from longway.data import load
from longway.data.dataset import examples_of
from longway.jobs.grammar.induced import ParsedRows
from longway.methods.contrast import EDITS, ContrastSet, GrammarWords, contrast_errors, contrast_sets
from longway.records import Example
from longway.task import task_of
from runs_common import common
from shared import Kind, Source, Tables, Trained, examples, show_versions, spread, strongest, trained

LABELS = ("contradiction", "entailment", "neutral")
TRAIN, DEV, TEST = (
    Source(f"snli/{name}.jsonl.gz", LABELS, "hypothesis", "premise")
    for name in ("train_balanced", "dev", "test")
)
PERSON = "(?:man|woman|boy|girl|men|women|boys|girls)"
KINDS = (
    Kind("subject antonym", rf"^(?:a |the |two )?({PERSON})/(?:a |the |two )?(?!\1$){PERSON}$", "contradiction"),
    Kind("verb antonym", r"^(standing|sitting|walking|running|jumping|playing)/(?!\1$)(standing|sitting|walking|running|sleeping)$", "contradiction"),
    Kind("added purpose", r"^ε/to( \S+)?$", "neutral"),
    Kind("added adjective", r"^ε/(tall|sad|new|big|old|young|happy)$", "neutral"),
    Kind("a man/a person", rf"^(?:a |the )?{PERSON}/(?:a |the )?(person|human|people)$", "entailment"),
    Kind("there is", r"^\S+/there( is| are)?$", "entailment"),
)  # fmt: skip


def main() -> None:
    parser = shared.parser_of(__doc__)
    parser.add_argument("--test-limit", type=int, help="held-out rows")
    shared.add_classifiers(parser)
    parser.add_argument(
        "--examples", type=int, default=3, help="contrast examples that are shown of each kind"
    )
    options = parser.parse_args()
    train, held_out = shared.parsed(options, TRAIN, DEV)
    tables = Tables(train, LABELS)
    found = tables.composites(min_leaves=1)
    tables.show("Composite features (Table 4)", found, n=24)
    tables.show("Two words or more (Table 13)", tables.composites(min_leaves=2), n=24)
    tables.show_rules()
    figures = tables.show_kinds(KINDS, min_leaves=1)
    answers = [trained(one, options, train, held_out) for one in options.models]
    figures["features"] = show_versions(tables, held_out, strongest(found, LABELS), answers)
    figures |= {f"accuracy_{one.name}": float(one.right.mean()) for one in answers}
    figures |= show_contrasts(options, train, held_out, answers)
    rows = {"rows": len(train.rows), "held_out": len(held_out.rows)}
    common.finish("papers/grammar/snli.py", **rows, **figures)


def show_contrasts(
    options: Namespace, train: ParsedRows, held_out: ParsedRows, answers: list[Trained]
) -> dict[str, Any]:
    """Table 7: how often the classifiers give the shortcut's label to contrast examples."""
    sets = sets_of(train, held_out, [] if options.test_limit else unparsed(held_out))
    figures: dict[str, Any] = {}
    print("\nContrast sets (Table 7)")
    for edit in EDITS:
        its = [one for one in sets if one.edit == edit]
        figures[f"sets_{edit}"] = len(its)
        print(f"  {edit}: {len(its)} sets, {sum(len(one.members) for one in its)} examples")
        for one in _some(its, options.examples, options.seed):
            member = one.members[0]
            print(f"    {one.row.context}  |  {member.after}  |  {member.what}, {member.label}")
    for asked in answers:
        by_seed = [contrast_errors(sets, model.predict) for model in asked.models]
        for of_edit in zip(*by_seed, strict=True):
            error = of_edit[0]
            figures[f"contrast_{asked.name}_{error.edit}"] = float(np.mean([one.error for one in of_edit]))
            print(
                f"  {asked.name:10} {error.edit:10} error {spread([one.error for one in of_edit])}; with the first seed "
                f"[{error.low:.1%}, {error.high:.1%}] of {error.counted} sets whose row it labels right"
            )
    return figures


def sets_of(train: ParsedRows, held_out: ParsedRows, more: Sequence[Example]) -> list[ContrastSet]:
    """The contrast sets of held-out rows, made with the words of the grammar. more: rows without a tree."""
    stances = task_of(LABELS, context_name="premise").stances
    words = GrammarWords.learn(
        [trees[0] for trees in train.trees], [row.label for row in examples(train)], stances
    )
    sets = contrast_sets(examples(held_out), [trees[0] for trees in held_out.trees], words, stances)
    sets += contrast_sets(more, [None] * len(more), words, stances, edits=["antonym"])
    return sets


def unparsed(held_out: ParsedRows) -> list[Example]:
    """Held-out rows without a tree: those that are too long, and all of the test split."""
    known = {row.id for row in examples(held_out)}
    long = [row for row in rows_of(DEV) if row.id not in known]
    return long + [replace(row, id=f"test {row.id}") for row in rows_of(TEST)]


def rows_of(source: Source) -> list[Example]:
    return examples_of(
        load(common.data(source.file), text=source.text, context=source.context, label="label")
    )


def _some(sets: list[ContrastSet], n: int, seed: int) -> list[ContrastSet]:
    return [sets[i] for i in np.random.default_rng(seed).permutation(len(sets))[:n]]


if __name__ == "__main__":
    main()
