"""The tables of the CoBA paper with any engine: the paper's figure, ours, and the rows that ours was measured on.

python papers/coba/tables.py                                          all tables, tiny: rules, a bag of words, about three minutes
python papers/coba/tables.py --tables 4,10 --rows 400 --max-words 0    whole reviews
python papers/coba/tables.py --engine served:NAME --base-url http://localhost:8000/v1 --rows 500 --dry-run   what that would ask for
python papers/coba/tables.py --engine served:NAME --budget 5 --model hf:google-bert/bert-base-uncased-full --voters paper --rows 5000

As published (`longway augment --paper`: nothing is checked), but with classifiers that are at hand; --checked uses the product's checks.
"given" is a table of our own: texts that language models and people wrote, recorded, through the checks. Everything is kept in --out:
the same command goes on where it was interrupted, asks no engine twice, and prints finished tables at once. The human counterfactuals
of Table 4 had a part in choosing our checks and defaults (notes/LOG.md).
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version as installed
from pathlib import Path
from typing import Any

from lines import Line, Tables
from longway.errors import LongwayError
from longway.records import BUDGET_SPENT
from longway.store import read_json, write_json
from runs_common import common
from versions import Workshop, voters

WIDTH = 98
# Number: title, and what the paper measured with.
TITLES = {
    "3": ("accuracy after augmentation", "whole datasets, GPT-4o-mini, BERT-base (or the model of that name)"),
    "4": ("accuracy on human counterfactuals (Human-CAD)", "BERT-base; here the dev part, the test part is not at hand"),
    "5": ("gender bias: StereoSet and CrowS-Pairs (50 is best)", "BERT-base, the whole benchmarks"),
    "6": ("cosine of new texts and their sources (lower: more different)", "BERT-base; here MiniLM"),
    "7": ("AUROC in percent, trained on IMDb, tested on other data", "no model named"),
    "8": ("BLEU-4 of text style transfer", "GYAFC, informal to formal, T5-base; here gendered to neutral (NeuTralRewriter)"),
    "10": ("ablation: gender words changed, triples shuffled", "IMDb, BERT-base"),
    "11": ("accuracy by the number of classifiers that vote", "fine-tuned encoders"),
    "12": ("accuracy by the number of words of each classifier", "BERT-base"),
    "15": ("accuracy on hate speech", "Measuring Hate Speech, DeBERTaV3; here human contrast pairs"),
    "16": ("variance in the strongest components of new texts (lower: more diverse)", "50, text-embedding-3-small; here MiniLM"),
    "given": ("recorded rewrites of language models and people, checked (not in the paper)", "–"),
}  # fmt: skip


def show(number: str, lines: Sequence[Line], options: Namespace) -> None:
    """Print a table; notes below it."""
    title, measured = TITLES[number]
    print(f"\n{f'Table {number}' if number.isdigit() else 'Given'}: {title}")
    print(
        f"  paper: {measured}\n  ours: {options.engine}, {len(voters(options))} voters ({', '.join(voters(options))})"[
            : 2 * WIDTH
        ]
    )
    print(f"  {'':36}{'data':22}{'paper':>8}{'ours':>15}{'rows':>8}")
    notes: dict[str, int] = {}
    for line in lines:
        mark = f"  [{notes.setdefault(line.note, len(notes) + 1)}]" if line.note else ""
        known = "–" if line.paper is None else f"{line.paper:g}"
        ours = "–" if line.ours is None else f"{line.ours:.4f}" if number == "6" else f"{line.ours:.1f}"
        spread = "" if line.spread is None else f" ± {line.spread:.1f}"
        print(f"  {line.what:36.36}{line.data:22.22}{known:>8}{ours + spread:>15}{line.rows or '–':>8}{mark}")
    for note, place in notes.items():
        print(f"  [{place}] {note}"[:WIDTH])


def show_made(shop: Workshop) -> None:
    """Print what the versions made in this run are like."""
    for (name, version), made in shop.finished().items():
        result = made.result
        assert result is not None
        words, cost = result.mean_information, sum(one.cost or 0.0 for one in result.cost)
        told = f", spurious words {words.before:.4f} -> {words.after:.4f} nats" if words else ""
        money = f", ${cost:.2f}" if cost else ""
        print(
            f"  {name} {version}: {result.asked} rows, {result.candidates} texts, {result.accepted} added{told}{money}"
        )
        for refused in result.refused[:3]:
            print(f"    refused by {refused.reason[:60]}: {refused.count}")


def main() -> None:
    options = parsed()
    shop = Workshop(options)
    tables: dict[str, list[dict[str, Any]]] = {}
    again = f"python papers/coba/tables.py {shlex.join(sys.argv[1:])}".strip()
    try:
        shop.check()
        for number in options.tables:
            tables[number] = [asdict(line) for line in kept_or_made(number, shop)]
    except KeyboardInterrupt:
        sys.exit(f"\nStopped. What was made is in {options.out}; to go on: {again}")
    except LongwayError as error:
        sys.exit(f"\n{error}\nWhat was made is in {options.out}; to go on: {again}")
    if shop.finished():
        print("\nWhat was added:")
        show_made(shop)
    for one in dict.fromkeys(shop.unfinished):
        more = ", with a larger --budget" if one.endswith(BUDGET_SPENT) else ""
        print(f"Not complete: {one}. To go on{more}: {again}")
    made = {
        f"{name} {version}": one.result.accepted
        for (name, version), one in shop.finished().items()
        if one.result
    }
    common.finish("papers/coba/tables.py", tables=tables, accepted=made)


def kept_or_made(number: str, shop: Workshop) -> list[Line]:
    """The lines of a table, printed: from --out if it was finished with the same settings."""
    options, path = shop.options, shop.out / f"table-{number}.json"
    left_out = ("tables", "out", "dry_run", "cache", "engine_options")
    settings = {name: value for name, value in vars(options).items() if name not in left_out}
    settings = json.loads(json.dumps({**settings, "longway": installed("longway")}))
    if path.exists() and not options.dry_run and (kept := read_json(path))["settings"] == settings:
        lines = [Line(**line) for line in kept["lines"]]
    else:
        before = len(shop.unfinished)
        tables = Tables(shop)
        lines = tables.given() if number == "given" else getattr(tables, f"table_{number}")()
        if not options.dry_run and len(shop.unfinished) == before:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_json(path, {"settings": settings, "lines": [asdict(line) for line in lines]})
    if not options.dry_run:
        show(number, lines, options)
    return lines


def parsed() -> Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--tables", default=",".join(TITLES), help="numbers with commas between them, or given; default: all")
    add("--rows", type=int, default=24, help="training rows of each dataset")
    add("--test-rows", type=int, default=100, help="rows of each test set; human counterfactuals: all")
    add("--max-words", type=int, default=40, help="leave out longer training texts; 0: none")
    add("--engine", default="rules", help="rules, gguf:FILE or served:NAME")
    add("--base-url", help="address of the server")
    add("--budget", type=float, help="the most that all versions together may cost, in dollars")
    add("--dry-run", action="store_true", help="print what the engine would be asked and may cost, and end")
    add("--model", nargs="+", default=["bow"], help="classifiers that are trained on the versions")
    add(
        "--voters",
        nargs="+",
        default=[],
        help="classifiers that vote, up to five, and seven for Table 11; paper: those of appendix B",
    )
    add("--importance", default="ig", choices=["ig", "lime", "shapley"])
    add("--top-k", type=int, default=5, help="words of each classifier")
    add("--mixed", choices=["needed", "spurious", "principal"], help="as in longway augment")
    add("--folds", type=int, help="as in longway augment; the paper has 1")
    add("--learning-rate", type=float, help="of fine-tuned encoders; the paper has 5e-5")
    add("--epochs", type=int, help="of fine-tuned encoders, at most; the paper has 10")
    add("--rate", type=float, help="share of the words that EDA changes; the paper has 0.2")
    add(
        "--spurious-words",
        type=Path,
        metavar="FILE",
        help="words that should not predict the label, one per line",
    )
    add("--variants", type=int, default=1, help="new texts for each row")
    add("--checked", action="store_true", help="check new texts, as the product does, instead of adding all")
    add("--judge", default="none", help="with --checked: an engine that checks labels")
    add("--rewrites", type=int, default=4, help="at most so many recorded rewrites of a source")
    add(
        "--language-model",
        default="hf:bert-base-uncased",
        help="of Table 5: hf:NAME, a causal or masked model; it is trained further",
    )
    add("--writing-model", default="tiny", help="of Table 8: tiny or hf:NAME")
    add("--writing-epochs", type=int, default=10)
    add("--seeds", type=int, default=1, help="trainings of each classifier")
    add("--seed", type=int, default=0)
    add("--device", default="auto", choices=["auto", "cpu", "cuda"])
    add("--cache", type=Path, help="file that keeps an encoder's vectors from run to run")
    add("--out", default="longway-runs/coba-tables", help="folder that keeps everything")
    options = parser.parse_args()
    options.tables, options.engine_options = options.tables.split(","), {}
    if unknown := [number for number in options.tables if number not in TITLES]:
        parser.error(f"There is no table {unknown[0]} here. Choose some of {','.join(TITLES)}.")
    return options


if __name__ == "__main__":
    main()
