"""Do training methods keep a classifier from the grammar's shortcuts? JTT and DRiFt on contrast sets of SNLI (Table 8 of the paper).

python papers/grammar/table8.py                                        minutes on a CPU: a small grammar of short pairs, a bag of words
python papers/grammar/table8.py --models minilm=900 --seeds 3          another classifier, trained on three draws of 900 parsed pairs
python papers/grammar/table8.py --full --out build/table8              a GPU: as many symbols as the paper's grammar, all rows, minilm-full, three seeds
python papers/grammar/table8.py --trees train_balanced_trees.txt dev_trees.txt --models minilm-full --seeds 3    with what was parsed elsewhere

A grammar is learned from training pairs. Contrast sets are made of held-out pairs with its words, as in Table 7. Each classifier is trained on
the parsed pairs plainly, by Just Train Twice (jtt-paper: a first model of one epoch; jtt for classifiers without epochs), and by three methods
that know the production rules of the training trees: DRiFt, ReW and group DRO. The error is the share of contrast sets for which the classifier
predicts the shortcut's label, among those whose original pair it labels right: lower is better. The paper's classifier is BERT on 65,000 pairs.

--out DIR saves the grammar, the trees and the result of each training; the same command resumes. Other options: see shared.py.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass
from hashlib import sha256
from typing import Any

import numpy as np

import shared
from longway.grammars.production import production_matrix
from longway.jobs.grammar.induced import ParsedRows
from longway.methods.contrast import EDITS, ContrastSet, contrast_errors
from longway.models.catalog import model_named
from longway.models.classifier import Classifier, Labelled
from longway.models.saved import settings_of
from longway.models.training import Trainer, TrainingData, method_named
from runs_common import common
from shared import examples, inputs_of, sampled
from snli import DEV, TRAIN, sets_of, unparsed
from twice import train_twice_as_published

SMALL = {"limit": 1200, "test_limit": 600, "longest": 50, "epochs": 2, "nonterminals": 8, "preterminals": 24, "dimension": 64, "seeds": 1, "unparsed": 3000}  # fmt: skip
FULL = {"limit": None, "test_limit": None, "longest": 225, "epochs": 10, "nonterminals": 32, "preterminals": 64, "dimension": 256, "seeds": 3, "unparsed": None}  # fmt: skip
METHODS = {"erm": "plain", "jtt-paper": "JTT", "drift": "DRiFt", "rew": "ReW", "dro": "group DRO"}
PAPER = {  # mean and standard deviation of three runs, in percent
    "erm": {"hypernym": (21.8, 0.8), "antonym": (71.1, 3.8), "adjective": (45.6, 8.4)},
    "jtt-paper": {"hypernym": (21.5, 0.8), "antonym": (69.7, 3.4), "adjective": (39.3, 7.8)},
    "drift": {"hypernym": (13.0, 4.1), "antonym": (68.7, 6.8), "adjective": (29.4, 4.5)},
}
PAPER_SETS = {"hypernym": 389, "antonym": 281, "adjective": 1470}
NAMES = {"hypernym": "Hypernyms", "antonym": "Antonyms", "adjective": "Add adjective"}


@dataclass(frozen=True)
class Tested:
    """What one training gives. errors: by kind of edit, None where no set counts. note: what the method says of itself."""

    accuracy: float
    errors: dict[str, float | None]
    counted: dict[str, int]
    method: str
    note: str


def main() -> None:
    parser = shared.parser_of(__doc__)
    parser.add_argument("--test-limit", type=int, help="held-out rows")
    shared.add_classifiers(parser)
    parser.add_argument(
        "--unparsed", type=int, help="held-out rows without a tree that antonyms are made of, too"
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="the paper's number of symbols and passes, all rows, minilm-full and three seeds",
    )
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    parser.set_defaults(models=["bow"], **SMALL)
    if parser.parse_known_args()[0].full:
        parser.set_defaults(models=["minilm-full"], **FULL)
    options = parser.parse_args()
    train, held_out = shared.parsed(options, TRAIN, DEV)
    sets = sets_of(train, held_out, unparsed(held_out)[: options.unparsed])
    figures: dict[str, Any] = {f"sets_{edit}": sum(one.edit == edit for one in sets) for edit in EDITS}
    print("contrast sets:", ", ".join(f"{NAMES[edit]} {figures[f'sets_{edit}']} (paper {PAPER_SETS[edit]})" for edit in EDITS))  # fmt: skip
    for asked in options.models:
        name, _, n = asked.partition("=")
        draws = {
            seed: sampled(train, int(n) if n else None, seed)
            for seed in range(options.seed, options.seed + options.seeds)
        }
        tested = {
            method: [
                tested_cell(options, name, method, seed, rows, held_out, sets) for seed, rows in draws.items()
            ]
            for method in options.methods
        }
        show(name, len(draws[options.seed].rows), tested)
        figures[name] = {method: summary(its) for method, its in tested.items()}
    common.finish("papers/grammar/table8.py", rows=len(train.rows), held_out=len(held_out.rows), **figures)


def tested_cell(
    options: Namespace,
    model: str,
    method: str,
    seed: int,
    train: ParsedRows,
    held_out: ParsedRows,
    sets: Sequence[ContrastSet],
) -> Tested:
    """The figures of one training; if --out has those of the same rows and settings, they are read."""
    path = options.out and options.out / cell_file(options, model, method, seed, (train, held_out, sets))
    if path and path.is_file():
        return Tested(**json.loads(path.read_text()))
    found = trained_and_tested(options, model, method, seed, train, held_out, sets)
    print(f"{model} {METHODS[method]}, seed {seed}: {found.accuracy:.1%} of held-out rows right", flush=True)
    if path:
        path.with_suffix(".part").write_text(json.dumps(vars(found)))
        path.with_suffix(".part").replace(path)
    return found


def cell_file(options: Namespace, model: str, method: str, seed: int, data: object) -> str:
    """A file name that depends on everything that determines the figures: rows, trees and sets; classifier and method with their settings."""
    classifier = model_named(model, seed=seed, device=options.device, cache=options.cache)
    settings = settings_of(classifier) if is_dataclass(classifier) else None
    own = repr((model, settings, method, seed, data))
    return f"cell-{sha256(own.encode()).hexdigest()[:16]}.json"


def trained_and_tested(
    options: Namespace,
    model: str,
    method: str,
    seed: int,
    train: ParsedRows,
    held_out: ParsedRows,
    sets: Sequence[ContrastSet],
) -> Tested:
    notes: list[str] = []

    def fresh(number: int, **more: Any) -> Classifier:
        return model_named(model, seed=number, device=options.device, cache=options.cache, **more)

    if method == "jtt-paper" and not hasattr(fresh(seed), "epochs"):
        method = "jtt"  # errors by models of other rows
    rows, rules = examples(train), production_matrix(train.trees)[0]
    labelled = Labelled(inputs_of(rows), [row.label for row in rows])
    trainer = Trainer(fresh, seed, notify=notes.append)
    data = TrainingData(labelled, shortcuts=rules, are_rules=True)
    if method == "jtt-paper":
        fitted = train_twice_as_published(data, trainer, lambda number, epochs: fresh(number, epochs=epochs))
    else:
        fitted = method_named(method).fit(data, trainer)
    answers, truth = fitted.predict(inputs_of(examples(held_out))), [row.label for row in examples(held_out)]
    found = contrast_errors(sets, fitted.predict)
    return Tested(
        float(np.mean([answer == label for answer, label in zip(answers, truth, strict=True)])),
        {one.edit: None if np.isnan(one.error) else one.error for one in found},
        {one.edit: one.counted for one in found},
        method,
        "; ".join(notes),
    )


def summary(tested: Sequence[Tested]) -> dict[str, Any]:
    """Mean and standard deviation over seeds."""
    columns = {"accuracy": [one.accuracy for one in tested]}
    columns |= {edit: [e for one in tested if (e := one.errors.get(edit)) is not None] for edit in EDITS}
    return {
        "trained": tested[0].method,
        **{
            name: {
                "mean": float(np.mean(values)) if values else None,
                "std": float(np.std(values, ddof=1)) if len(values) > 1 else None,
                "seeds": len(values),
            }
            for name, values in columns.items()
        },
    }


def show(model: str, n_rows: int, tested: dict[str, list[Tested]]) -> None:
    """Prints Table 8, the paper's figures beside ours, and what the methods say of themselves."""
    heads = "".join(f"{NAMES[edit]:>16}{'paper':>12}" for edit in EDITS)
    print(
        f"\nTable 8: error on contrast sets, {model} trained on {n_rows} pairs; the paper's is BERT on 65,000"
    )
    print(f"{'method':12}{'held-out right':>16}{heads}")
    for method, its in tested.items():
        ours = summary(its)
        cells = "".join(
            f"{_figure(ours[edit]['mean'], ours[edit]['std']):>16}{_paper(method, edit):>12}"
            for edit in EDITS
        )
        print(f"{METHODS[method]:12}{_figure(ours['accuracy']['mean'], ours['accuracy']['std']):>16}{cells}")
    counted = {edit: [one.counted.get(edit, 0) for its in tested.values() for one in its] for edit in EDITS}
    print("sets whose original is labelled right:", ", ".join(f"{NAMES[edit]} {min(n)} to {max(n)}" for edit, n in counted.items()))  # fmt: skip
    for method, its in tested.items():
        if its[0].method != method:
            print(f"{METHODS[method]}: {model} has no epochs, so its first models are trained on other rows")
        for note in dict.fromkeys(one.note for one in its if one.note):
            print(f"{METHODS[method]}: {note}")


def _figure(mean: float | None, std: float | None) -> str:
    return "-" if mean is None else f"{100 * mean:.1f}" + (f"±{100 * std:.1f}" if std is not None else "")


def _paper(method: str, edit: str) -> str:
    return "{:.1f}±{:.1f}".format(*PAPER[method][edit]) if method in PAPER else "-"


if __name__ == "__main__":
    main()
