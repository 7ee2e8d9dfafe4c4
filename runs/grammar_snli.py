"""The shortcuts that a grammar of pairs finds in SNLI, and whether classifiers use them (Tables 4, 6, 7, 10, 13 and 15 of the paper).

python runs/grammar_snli.py                                                                learns a small grammar here
python runs/grammar_snli.py --trees train_balanced_trees.txt dev_trees.txt                 with what was parsed elsewhere

Classifiers are trained on the rows that the grammar learned from and tested on held-out rows: on the supporting and the
counter-examples of each feature, and on contrast sets that the grammar's own words make of them. The paper's classifier is BERT,
fine-tuned; --models takes any name of longway.classify. Options: see grammar_common.py.
"""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path
from typing import Any

import numpy as np

import common
import grammar_common
from grammar_common import Kind, Row, Tables, balanced
from longway.classify.classifier import Inputs, Labelled
from longway.classify.models import model_named
from longway.detect.grammar_versions import GRAMMAR, Version, compare_versions
from longway.grammar.forest import Forest
from longway.grammar.trees import sides
from longway.records import Example
from longway.rewrite.contrast import EDITS, ContrastSet, GrammarWords, contrast_errors, contrast_sets
from longway.task import task_of

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


def main() -> None:
    parser = grammar_common.parser_of(__doc__)
    parser.add_argument("--models", nargs="+", default=["bow", "minilm"], help="classifiers that are tested")
    parser.add_argument("--train-limit", type=int, default=9000, help="rows that they are trained on")
    parser.add_argument("--cache", type=Path, help="file that keeps an encoder's vectors from run to run")
    parser.add_argument(
        "--examples", type=int, default=3, help="contrast examples that are shown of each kind"
    )
    options = parser.parse_args()
    columns = {"text": "hypothesis", "context": "premise"}
    train = grammar_common.read("snli/train_balanced.jsonl.gz", **columns)
    held_out = grammar_common.read("snli/dev.jsonl.gz", **columns)
    train, held_out = grammar_common.with_trees(options, train, held_out)
    tables = Tables(train)
    found = tables.composites(min_leaves=1)
    tables.show("Composite features (Table 4)", found, n=24)
    tables.show("Two words or more (Table 13)", tables.composites(min_leaves=2), n=24)
    tables.show_rules()
    figures = tables.show_kinds(KINDS, min_leaves=1)
    answers = trained(options, train, held_out)
    figures["features"] = show_versions(tables, held_out, strongest(tables, found), answers)
    figures |= {f"accuracy_{name}": float(right.mean()) for name, (_, right) in answers.items()}
    figures |= show_contrasts(options, train, held_out, answers)
    common.finish("runs/grammar_snli.py", rows=len(train), held_out=len(held_out), **figures)


def strongest(tables: Tables, found: list[Any]) -> list[Any]:
    """The first few composite features of each label."""
    return [
        one
        for label in range(len(tables.names))
        for one in [each for each in found if each.label == label][:PER_LABEL]
    ]


def inputs_of(rows: list[Row]) -> Inputs:
    return Inputs([row.text for row in rows], [row.context or "" for row in rows])


def trained(options: Namespace, train: list[Row], held_out: list[Row]) -> dict[str, tuple[Any, np.ndarray]]:
    """Each classifier, and which held-out rows it labels right."""
    rows = balanced(train, options.train_limit, options.seed)
    data = Labelled(inputs_of(rows), [row.label for row in rows])
    found = {}
    for name in options.models:
        model = model_named(name, seed=options.seed, device=options.device, cache=options.cache).fit(data)
        answers = model.predict(inputs_of(held_out))
        right = np.array([answer == row.label for answer, row in zip(answers, held_out, strict=True)])
        print(
            f"\n{name}: trained on {len(rows)} rows, {right.mean():.1%} of {len(held_out)} held-out rows right",
            flush=True,
        )
        found[name] = (model, right)
    return found


def show_versions(
    tables: Tables, held_out: list[Row], features: list[Any], answers: dict[str, tuple[Any, np.ndarray]]
) -> list[dict[str, Any]]:
    """Tables 6 and 10: each feature with less and less of the grammar, and the classifiers on its two groups."""
    forest = Forest((row.trees for row in held_out), like=tables.forest)
    texts, held_out_texts = ([sides(row.trees[0]) for row in rows] for rows in (tables.rows, held_out))
    labels = np.array([tables.names.index(row.label) for row in held_out])
    heads = "".join(f"{name + ' S':>12}{name + ' C':>12}" for name in answers)
    print(
        "\nSupporting (S) and counter-examples (C): how many for training, a classifier's accuracy for held-out rows (Tables 6, 10)"
    )
    print(f"{'':46}{'S':>7}{'C':>7}{heads}")
    found = []
    for one in features:
        print(f"{tables.names[one.label]} {one.root}: {' , '.join(map(grammar_common.short, one.spans))}")
        counts = {v.name: v for v in compare_versions(one, tables.forest, texts, tables.labels)}
        tested = {
            name: {v.name: v for v in compare_versions(one, forest, held_out_texts, labels, correct=right)}
            for name, (_, right) in answers.items()
        }
        for version, each in counts.items():
            cells = "".join(_accuracies(its[version]) for its in tested.values())
            print(f"    {version:42}{len(each.supporting):>7}{len(each.counter):>7}{cells}", flush=True)
        found.append({
            "label": tables.names[one.label], "root": one.root, "count": one.count, "majority": one.label_share,
            "gap": {name: its[GRAMMAR].accuracy.to_dict()["gap"] for name, its in tested.items()},
        })  # fmt: skip
    return found


def _accuracies(version: Version) -> str:
    accuracy = version.accuracy
    assert accuracy is not None
    return "".join(
        f"{group.accuracy:>7.1%} {group.n:<4}" if group.n else f"{'-':>7}     "
        for group in (accuracy.supporting, accuracy.counter)
    )


def show_contrasts(
    options: Namespace, train: list[Row], held_out: list[Row], answers: dict[str, tuple[Any, np.ndarray]]
) -> dict[str, Any]:
    """Table 7: how often the classifiers give the shortcut's label to contrast examples."""
    stances = task_of(sorted({row.label for row in train}), context_name="premise").stances
    words = GrammarWords.learn([row.trees[0] for row in train], [row.label for row in train], stances)
    rows = [Example(row.id, row.text, row.label, row.context) for row in held_out]
    sets = contrast_sets(rows, [row.trees[0] for row in held_out], words, stances)
    figures: dict[str, Any] = {}
    print("\nContrast sets (Table 7)")
    for edit in EDITS:
        its = [one for one in sets if one.edit == edit]
        figures[f"sets_{edit}"] = len(its)
        print(f"  {edit}: {len(its)} sets, {sum(len(one.members) for one in its)} examples")
        for one in _some(its, options.examples, options.seed):
            member = one.members[0]
            print(f"    {one.row.context}  |  {member.after}  |  {member.what}, {member.label}")
    for name, (model, _) in answers.items():
        for error in contrast_errors(sets, model.predict):
            figures[f"contrast_{name}_{error.edit}"] = error.to_dict()["error"]
            print(
                f"  {name:10} {error.edit:10} error {error.error:6.1%}  [{error.low:.1%}, {error.high:.1%}]  of {error.counted} sets whose row it labels right"
            )
    return figures


def _some(sets: list[ContrastSet], n: int, seed: int) -> list[ContrastSet]:
    return [sets[i] for i in np.random.default_rng(seed).permutation(len(sets))[:n]]


if __name__ == "__main__":
    main()
