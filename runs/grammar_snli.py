"""The shortcuts that a grammar of pairs finds in SNLI, and whether classifiers use them (Tables 4, 6, 7, 10, 13 and 15 of the paper).

python runs/grammar_snli.py                                                                learns a small grammar here
python runs/grammar_snli.py --trees train_balanced_trees.txt dev_trees.txt                 with what was parsed elsewhere
python runs/grammar_snli.py --trees ... --models bow=18000 --seeds 3                       three draws of 18,000 rows to train on

Classifiers are trained on rows that the grammar learned from and tested on held-out rows: on the supporting and the
counter-examples of each feature, and on contrast sets that the grammar's own words make of them. The paper's classifier is BERT,
fine-tuned; --models takes any name of longway.classify. A seed draws the rows and is the classifier's own.

Antonyms need no tree, and few rows give one. So they are also made of the pairs that are too long to parse and of the test split.
Options: see grammar_common.py.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import common
import grammar_common
from grammar_common import Kind, Source, Tables
from longway.classify.catalog import model_named
from longway.classify.classifier import Classifier, Inputs, Labelled
from longway.data import load
from longway.data.dataset import examples_of
from longway.detect.grammar_versions import GRAMMAR, FeatureVersion, compare_versions
from longway.grammars.forest import Forest
from longway.grammars.trees import sides
from longway.jobs.grammar.induced import ParsedRows
from longway.jobs.grammar.row_sample import in_turn
from longway.methods.contrast import EDITS, ContrastSet, GrammarWords, contrast_errors, contrast_sets
from longway.metrics.group_accuracy import PatternAccuracy
from longway.records import Example
from longway.task import task_of

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
PER_LABEL = 4  # features of a label in Tables 6 and 10


@dataclass(frozen=True)
class Trained:
    """A classifier, once for each seed. right: seeds x held-out rows, where it is right."""

    name: str
    models: list[Classifier]
    right: NDArray[np.bool_]


def main() -> None:
    parser = grammar_common.parser_of(__doc__)
    parser.add_argument("--test-limit", type=int, help="held-out rows")
    parser.add_argument(
        "--models",
        nargs="+",
        default=["bow", "minilm=9000"],
        help="classifiers that are tested, each with the number of rows it is trained on; all where none is told",
    )
    parser.add_argument("--seeds", type=int, default=1, help="how often each is trained")
    parser.add_argument("--cache", type=Path, help="file that keeps an encoder's vectors from run to run")
    parser.add_argument(
        "--examples", type=int, default=3, help="contrast examples that are shown of each kind"
    )
    options = parser.parse_args()
    train, held_out = grammar_common.parsed(options, TRAIN, DEV)
    tables = Tables(train, LABELS)
    found = tables.composites(min_leaves=1)
    tables.show("Composite features (Table 4)", found, n=24)
    tables.show("Two words or more (Table 13)", tables.composites(min_leaves=2), n=24)
    tables.show_rules()
    figures = tables.show_kinds(KINDS, min_leaves=1)
    answers = [trained(one, options, train, held_out) for one in options.models]
    figures["features"] = show_versions(tables, held_out, strongest(found), answers)
    figures |= {f"accuracy_{one.name}": float(one.right.mean()) for one in answers}
    figures |= show_contrasts(options, train, held_out, answers)
    rows = {"rows": len(train.rows), "held_out": len(held_out.rows)}
    common.finish("runs/grammar_snli.py", **rows, **figures)


def strongest(found: list[Any]) -> list[Any]:
    """The first few composite features of each label."""
    return [
        one
        for label in range(len(LABELS))
        for one in [each for each in found if each.label == label][:PER_LABEL]
    ]


def examples(part: ParsedRows) -> list[Example]:
    return [document.example for document in part.rows]


def inputs_of(rows: Sequence[Example]) -> Inputs:
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
    tables: Tables, held_out: ParsedRows, features: list[Any], answers: list[Trained]
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
        print(f"{LABELS[one.label]} {one.root}: {' , '.join(map(grammar_common.short, one.spans))}")
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
            "label": LABELS[one.label], "root": one.root, "count": one.count, "majority": one.label_share,
            "gap": {name: accuracy_of(its[GRAMMAR]).to_dict()["gap"] for name, its in tested.items()},
        })  # fmt: skip
    return found


def accuracy_of(version: FeatureVersion) -> PatternAccuracy:
    assert version.accuracy is not None  # the classifiers' answers were given
    return version.accuracy


def _accuracies(version: FeatureVersion) -> str:
    accuracy = accuracy_of(version)
    return "".join(
        f"{group.accuracy:>7.1%} {group.n:<4}" if group.n else f"{'-':>7}     "
        for group in (accuracy.supporting, accuracy.counter)
    )


def show_contrasts(
    options: Namespace, train: ParsedRows, held_out: ParsedRows, answers: list[Trained]
) -> dict[str, Any]:
    """Table 7: how often the classifiers give the shortcut's label to contrast examples."""
    stances = task_of(LABELS, context_name="premise").stances
    words = GrammarWords.learn(
        [trees[0] for trees in train.trees], [row.label for row in examples(train)], stances
    )
    sets = contrast_sets(examples(held_out), [trees[0] for trees in held_out.trees], words, stances)
    more = unparsed(options, held_out)
    sets += contrast_sets(more, [None] * len(more), words, stances, edits=["antonym"])
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


def unparsed(options: Namespace, held_out: ParsedRows) -> list[Example]:
    """Held-out rows without a tree: those that are too long, and all of the test split."""
    if options.test_limit:
        return []
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
