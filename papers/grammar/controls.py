"""Whether classifiers fall for opposite adjectives of different things: the controlled test of appendix D.3 (Table 16 of the paper).

python papers/grammar/controls.py                                                       colours of the subjects, without a grammar
python papers/grammar/controls.py --trees train_balanced_trees.txt dev_trees.txt        adjectives that the trees align, all opposites

From each held-out SNLI contradiction with such adjectives, rules make four controls and one test (controlled_sets.py). Ten sets are
drawn, as the paper wrote ten by hand, and all sets are counted too. Without trees, the adjectives are colours of both subjects and no word of
a grammar is used: the trees only choose pairs, the texts are made the same way.

Classifiers: `entailment` is the model of the package, a fine-tuned MiniLM; others are names of longway.models, as name or name=rows,
and are trained on SNLI's balanced training rows.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

import snli
from controlled_sets import ControlCounts, ControlledSet, control_counts, controlled_sets
from longway.grammars.trees import Tree
from longway.jobs.grammar.induced import in_turn
from longway.methods.contrast import GrammarWords
from longway.models.catalog import model_named
from longway.models.classifier import Inputs, Labelled
from longway.records import Example
from longway.stats import wilson_interval
from longway.task import task_of
from runs_common import common
from shared import given_trees, inputs_of
from snli import DEV, LABELS, TEST, TRAIN, rows_of

STANCES = task_of(LABELS, context_name="premise").stances
PAPER = {"controls_right": 40, "controls": 40, "tests_wrong": 9, "tests": 10}
Predict = Callable[[Inputs], Sequence[str]]


def main() -> None:
    parser = ArgumentParser(description=__doc__, formatter_class=RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=Path, nargs=2, help="trees of the training and of the dev rows")
    parser.add_argument("--models", nargs="+", default=["entailment", "bow"])
    parser.add_argument("--sets", type=int, default=10, help="sets drawn; the paper has ten")
    parser.add_argument("--limit", type=int, help="held-out rows to look at; all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    options = parser.parse_args()
    sets = made_sets(options)
    order = np.random.default_rng(options.seed).permutation(len(sets))[: options.sets]
    drawn = [sets[i] for i in sorted(order.tolist())]
    print(f"\n{len(sets)} sets; {len(drawn)} drawn. The first of them:")
    for one in drawn[:1]:
        print(f"  x0  {one.row.context}  |  {one.row.text}  |  {one.row.label}")
        for pair in one.pairs:
            print(f"  {pair.name}  {pair.premise}  |  {pair.hypothesis}  |  {pair.label}")
    print(f"\n{'':34}{'controls right':>16}{'tests wrong':>14}{'as contradiction':>18}{'x0 right':>10}")
    print(f"{'the paper: BERT, ten sets by hand':34}{'40/40':>16}{'9/10':>14}{'9/10':>18}")
    figures: dict[str, Any] = {"paper": PAPER, "sets": len(sets)}
    for name in options.models:
        predict = predictor(name, options)
        for words, some in ((f"{len(drawn)} drawn sets", drawn), ("all sets", sets)):
            counts = control_counts(some, predict, STANCES)
            show(f"{name.partition('=')[0]}, {words}", counts)
            figures[f"{name.partition('=')[0]}_{'drawn' if some is drawn else 'all'}"] = asdict(counts)
    common.finish("papers/grammar/controls.py", rows=options.limit, **figures)


def made_sets(options: Namespace) -> list[ControlledSet]:
    """The sets of held-out rows: those with trees, or all of the dev and the test split without."""
    rows: list[Example]
    trees: Sequence[Tree | None]
    words = None
    if options.trees:
        train, held_out = (
            given_trees(path, source.file, source.documents(limit=None, texts=None, seed=options.seed))
            for path, source in zip(options.trees, (TRAIN, DEV), strict=True)
        )
        labels = [row.label for row in snli.examples(train)]
        words = GrammarWords.learn([its[0] for its in train.trees], labels, STANCES)
        rows, trees = snli.examples(held_out), [its[0] for its in held_out.trees]
    else:
        rows = [*rows_of(DEV), *rows_of(TEST)]
        trees = [None] * len(rows)
    return controlled_sets(rows[: options.limit], trees[: options.limit], words, STANCES)


def predictor(asked: str, options: Namespace) -> Predict:
    """The predictions of a classifier, trained if it is not the package's own."""
    name, _, n = asked.partition("=")
    if name == "entailment":
        return by_entailment
    rows = rows_of(TRAIN)
    order = np.random.default_rng(options.seed).permutation(len(rows))
    order = order[in_turn([LABELS.index(rows[i].label) for i in order])]
    chosen = [rows[i] for i in order[: int(n) if n else None]]
    model = model_named(name, seed=options.seed, device=options.device)
    return model.fit(Labelled(inputs_of(chosen), [row.label for row in chosen])).predict


def by_entailment(inputs: Inputs) -> list[str]:
    """The labels that the package's entailment model predicts."""
    from longway.models.entailment import STANCES as ANSWERS
    from longway.models.entailment import Entailment

    labels = {stance: label for label, stance in STANCES.items()}
    pairs = list(zip(inputs.contexts or (), inputs.texts, strict=True))
    return [labels[ANSWERS[i]] for i in Entailment.load().probabilities(pairs).argmax(axis=1)]


def show(name: str, counts: ControlCounts) -> None:
    right, wrong = (f"{a}/{b}" for a, b in ((counts.controls_right, counts.controls), (counts.tests_wrong, counts.tests)))  # fmt: skip
    low, high = wilson_interval(counts.tests_wrong / max(1, counts.tests), counts.tests)
    print(
        f"{name:34}{right:>16}{wrong:>14}{f'{counts.tempted}/{counts.tests}':>18}{f'{counts.original}/{counts.sets}':>10}"
        f"   tests wrong {counts.tests_wrong / max(1, counts.tests):.0%} ({low:.0%} to {high:.0%})",
        flush=True,
    )


if __name__ == "__main__":
    main()
