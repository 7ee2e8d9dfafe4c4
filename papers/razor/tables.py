"""The tables and figures of the RAZOR paper, with any engine: the paper's figures beside ours.

python papers/razor/tables.py                                          all of them on 100 rows with the rules engine
python papers/razor/tables.py --tables 1,4,fig3 --rows 400 --test-rows 708
python papers/razor/tables.py --engine served:gpt-3.5-turbo served:llama3 --base-url https://api.openai.com/v1 http://localhost:11434/v1
python papers/razor/tables.py --engine gguf:model.gguf --rows 6666 --test-rows 9999 --seeds 5 --model hf:bert-base-uncased-lora hf:roberta-base-lora

1            FEVER and FEVER Symmetric (stands in for FEVER-Adversarial): RAZOR, EDA, CrossAug, ReW, PoE, CLEVER
2, 3         MNLI and SNLI, trained on one and tested on both; Table 3 is written by the second engine (Llama)
4            corpus BLEU of the training set against the test sets
fig3         "no" and "not" in original and rewritten claims, and models trained on these pairs
fig4, fig5   accuracy and F1 by epoch: original, RAZOR, RAZOR in the embedding space; on FEVER, and with 500 rows on Symmetric
fig6         class confusion of the logits on two principal components
rounds       Eq. 12, Eq. 14 and the divergence of Algorithm 1 after each round
repetition   training texts and phrases that occur in a test set (section 4.2)

A table is stored in --out when it is complete; the same command prints it again. A stopped run goes on with the same command, and
answers of a server are not paid for twice. Table 5, a user study, is left out: see README.md.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from experiments import Experiments, Plan
from longway.errors import EngineError, LongwayError
from longway.store import read_json, replacing
from results import TABLES, Table
from runs_common import common


def stored(path: Path, key: str) -> Table | None:
    """A table that was completed with the same settings."""
    if not path.is_file():
        return None
    content = read_json(path)
    return Table(**content["table"]) if content.get("key") == key else None


def made(name: str, runs: Experiments) -> Table:
    """The table, stored unless calls failed or the budget ended."""
    path, key = runs.out / f"{name}.json", runs.plan.key(name)
    if (table := stored(path, key)) is not None:
        return table
    runs.incomplete.clear()
    table = TABLES[name](runs)
    if runs.incomplete:
        table.notes.append(f"NOT FINAL: {'; '.join(sorted(runs.incomplete))}. The same command goes on.")
    else:
        with replacing(path) as temporary:
            temporary.write_text(json.dumps({"key": key, "table": asdict(table)}, indent=1), encoding="utf-8")
    return table


def options_of(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", default=",".join(TABLES), help=f"some of {','.join(TABLES)}")
    parser.add_argument("--rows", type=int, default=100, help="rows of each training set")
    parser.add_argument("--test-rows", type=int, default=200, help="rows of each test set")
    parser.add_argument(
        "--engine", nargs="+", default=["rules"], help="one, or two: the second is the paper's Llama"
    )
    parser.add_argument(
        "--base-url", nargs="+", default=[], help="of the server, one for each engine or for all"
    )
    parser.add_argument("--budget", type=float, help="the most to spend on each rewriting, in dollars")
    parser.add_argument(
        "--set",
        nargs="+",
        default=[],
        metavar="NAME=VALUE",
        help="options of `longway rewrite`, such as rounds=3",
    )
    parser.add_argument(
        "--ours", action="store_true", help="the defaults of `longway rewrite`, not RAZOR as published"
    )
    parser.add_argument("--model", nargs="+", default=["bow"], help="classifiers, as in `longway prove`")
    parser.add_argument("--epochs", type=int, default=3, help="of models that are trained in epochs")
    parser.add_argument(
        "--learning-rate", type=float, help="of the same models; the paper has 3e-5 (LoRA, batches of 16)"
    )
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--seeds", type=int, default=1, help="trainings per figure")
    parser.add_argument("--seed", type=int, default=0, help="of the drawn rows and of the rewriting")
    parser.add_argument("--out", type=Path, default=Path("longway-runs/razor-tables"))
    options = parser.parse_args(arguments)
    options.tables = [name.strip() for name in options.tables.split(",")]
    if unknown := [name for name in options.tables if name not in TABLES]:
        parser.error(f"There is no table {unknown[0]!r}. The tables are {', '.join(TABLES)}.")
    if len(options.engine) > 2:
        parser.error("--engine takes one or two engines.")
    if wrong := [given for given in options.set if "=" not in given]:
        parser.error(f"--set takes NAME=VALUE. Got {wrong[0]!r}.")
    return options


def value_of(text: str) -> Any:
    """The value of an option: a JSON value, or the text.

    >>> value_of("0.1"), value_of("true"), value_of("kl")
    (0.1, True, 'kl')
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text


def plan_of(options: argparse.Namespace) -> Plan:
    pairs = (given.split("=", 1) for given in options.set)
    return Plan(
        rows=options.rows,
        test_rows=options.test_rows,
        engines=options.engine,
        base_urls=options.base_url,
        models=options.model,
        seeds=options.seeds,
        epochs=options.epochs,
        learning_rate=options.learning_rate,
        device=options.device,
        paper=not options.ours,
        rewriting={name: value_of(value) for name, value in pairs},
        seed=options.seed,
    )


def main() -> None:
    options = options_of()
    options.out.mkdir(parents=True, exist_ok=True)
    runs = Experiments(plan_of(options), options.out, budget=options.budget)
    figures: dict[str, Any] = {}
    failed: dict[str, str] = {}
    try:
        for name in options.tables:
            try:
                table = made(name, runs)
            except LongwayError as error:
                failed[name] = str(error)
                print(f"{name}: {error}\n", flush=True)
                if isinstance(error, EngineError):
                    break  # the server is needed for the other tables, too
                continue
            print("\n".join(table.lines()) + "\n", flush=True)
            figures[name] = asdict(table)
    except KeyboardInterrupt:
        print(f"\nStopped. Everything so far is in {options.out}; the same command goes on.", file=sys.stderr)
        sys.exit(130)
    common.finish("papers/razor/tables.py", tables=figures, failed=failed, out=str(options.out))
    if failed:
        sys.exit(1)


if __name__ == "__main__":
    main()
