"""How often do the checks of `longway augment` err on counterfactuals that people and language models wrote?

python runs/counterbias_checks.py                             IMDb and SNLI
python runs/counterbias_checks.py --data snli --limit 40      a few rows, to see that it runs

The sources of the counterfactuals, filled up with other rows of the same task to `--rows`, are the dataset that the checks learn
from. Right candidates: human counterfactuals (dev), and those of language models whose labels nobody checked (--data imdb) or a teacher
did (DISCO; the entailment model was trained on most of them). Wrong candidates, all made from the human ones:

    edited       the source after one operation of EDA, with the label of the counterfactual
    own label    the counterfactual with the label of its source
    third label  pairs: the counterfactual with the label that neither has

Each check is measured on all candidates, and all checks together. There is no judge, which takes an engine. The bounds, one number for each
task, were chosen with the human dev sets in view; --split train --offset 800 are reviews that had no part in that.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from common import data, finish
from longway.jobs.augment.methods import verifier_of
from longway.methods.eda import eda_texts
from longway.methods.method import Rows
from longway.task import task_of
from longway.verify.check import Candidate
from longway.verify.verifier import Verifier

IMDB, SNLI = ["negative", "positive"], ["contradiction", "entailment", "neutral"]
Row = tuple[str | None, str, str]  # context, text, label


def lines_of(name: str) -> list[dict[str, Any]]:
    with gzip.open(data(name), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def human_imdb(split: str, rng: random.Random) -> list[tuple[Row, Row]]:
    """Each review with its counterfactual; which of the two is the source is drawn."""
    pairs: dict[str, list[Row]] = {}
    for row in lines_of(f"human_cad_imdb/{split}.jsonl.gz"):
        pairs.setdefault(row["pair_id"], []).append((None, row["text"], row["label"]))
    found = [pair for pair in pairs.values() if len(pair) == 2]
    return [(a, b) if rng.random() < 0.5 else (b, a) for a, b in found]


def llm_imdb(rng: random.Random) -> list[tuple[Row, Row]]:
    rows = [row for row in lines_of("llm_counterfactuals_imdb/pairs.jsonl.gz") if row["split"] != "train"]
    return [
        (
            (None, row["original"], row["original_label"]),
            (None, row["counterfactual"], row["counterfactual_label"]),
        )
        for row in rng.sample(rows, len(rows))
    ]


def human_snli(split: str, half: str) -> list[tuple[Row, Row]]:
    """Each pair with its four counterfactuals."""
    originals = lines_of(f"human_cad_snli/original_{split}.jsonl.gz")
    revised = lines_of(f"human_cad_snli/revised_combined_{split}.jsonl.gz")
    found = [(pair_of(originals[i // 4]), pair_of(row)) for i, row in enumerate(revised)]
    middle = len(found) // 8 * 4
    return {"first": found[:middle], "second": found[middle:]}.get(half, found)


def llm_snli(rng: random.Random) -> list[tuple[Row, Row]]:
    """Counterfactuals of the human dev and test sources: each shares one side with its source."""
    known = lines_of("human_cad_snli/original_dev.jsonl.gz")
    by_side = {side: {row[side]: row for row in known} for side in ("premise", "hypothesis")}
    found = []
    for row in lines_of("llm_counterfactuals_snli/revised.jsonl.gz"):
        kept = "hypothesis" if row["revised"] == "premise" else "premise"
        source = by_side[kept].get(row[kept])
        if row["split"] == "dev" and source is not None and source["label"] != row["label"]:
            found.append((pair_of(source), pair_of(row)))
    return rng.sample(found, len(found))


def disco(rng: random.Random) -> list[tuple[Row, Row]]:
    rows = lines_of("disco_snli_counterfactuals/accepted.jsonl.gz")
    return [
        (pair_of(row), (row["new_premise"], row["hypothesis"], row["new_label"]))
        for row in rng.sample(rows, min(1000, len(rows)))
    ]


def pair_of(row: dict[str, str]) -> Row:
    return row["premise"], row["hypothesis"], row["label"]


def checks_for(
    pairs: Sequence[tuple[Row, Row]], others: Sequence[Row], labels: list[str], seed: int
) -> Verifier:
    """The checks of `longway augment` for a dataset of the sources and other rows."""
    every = [*(source for source, _ in pairs), *others]
    is_pair = every[0][0] is not None
    rows = Rows(
        [str(i) for i in range(len(every))],
        [text for _, text, _ in every],
        np.array([labels.index(label) for *_, label in every]),
        labels,
        task_of(
            labels, text_name="hypothesis" if is_pair else "text", context_name="premise" if is_pair else None
        ),
        [context or "" for context, *_ in every] if is_pair else None,
    )
    return verifier_of(rows, judge=None, journal=None, seed=seed)


def candidate(row: int, source: Row, new: Row) -> Candidate:
    (old_context, before, _), (context, after, label) = source, new
    return Candidate(row, before, after, label, context, keeps="label", may_copy=context != old_context)


def edited(place: int, source: Row, new: Row) -> Row:
    texts = eda_texts(source[1], key=str(place))
    return source[0], texts[0][1] if texts else source[1], new[2]


def wrong_ones(labels: list[str]) -> dict[str, Callable[[int, Row, Row], Row]]:
    """How each kind of wrong candidate is made of a source and its counterfactual."""
    kinds = {"edited": edited, "own label": lambda _, source, new: (*new[:2], source[2])}
    if len(labels) == 3:
        kinds["third label"] = lambda _, source, new: (*new[:2], (set(labels) - {source[2], new[2]}).pop())
    return kinds


def refused(checks: Verifier, candidates: Sequence[Candidate]) -> dict[str, float]:
    """The share that each check refuses, by itself, and all together."""
    failed: dict[str, list[bool]] = {}
    for check in checks.checks:
        wanted = [one for one in candidates if check.concerns(one)]
        given = iter(check(wanted)) if wanted else iter(())
        failed[check.name] = [check.concerns(one) and not next(given).passed for one in candidates]
    every = np.array(list(failed.values())).any(axis=0)
    return {**{name: float(np.mean(one)) for name, one in failed.items()}, "all": float(np.mean(every))}


def measured(
    name: str,
    groups: dict[str, list[tuple[Row, Row]]],
    others: list[Row],
    labels: list[str],
    args: argparse.Namespace,
) -> dict[str, Any]:
    """The shares of each group of candidates, by check."""
    result: dict[str, Any] = {}
    for group, pairs in groups.items():
        chosen = pairs[args.offset :][: args.limit]
        sources = list(dict.fromkeys(source for source, _ in chosen))
        place = {source: i for i, source in enumerate(sources)}
        checks = checks_for(
            [(source, source) for source in sources],
            others[: max(0, args.rows - len(sources))],
            labels,
            args.seed,
        )
        result[group] = refused(checks, [candidate(place[s], s, new) for s, new in chosen])
        if group == "human":
            for kind, make in wrong_ones(labels).items():
                made = [(s, make(i, s, new)) for i, (s, new) in enumerate(chosen)]
                result[kind] = refused(checks, [candidate(place[s], s, new) for s, new in made])
        for missing in checks.missing:
            print(f"{name}, {group}: {missing}")
    return result


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", choices=["imdb", "snli"], default=["imdb", "snli"])
    parser.add_argument("--limit", type=int, default=400, help="candidates of each group")
    parser.add_argument("--offset", type=int, default=0, help="candidates of each group that are skipped")
    parser.add_argument("--rows", type=int, default=2000, help="rows that the checks learn from")
    parser.add_argument("--split", choices=["dev", "train"], default="dev", help="of the human reviews")
    parser.add_argument(
        "--half", choices=["first", "second", "both"], default="second", help="of the human pairs"
    )
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    rng = random.Random(args.seed)
    found: dict[str, Any] = {}
    if "imdb" in args.data:
        groups = {"human": human_imdb(args.split, rng), "language models": llm_imdb(rng)}
        others = [(None, row["text"], row["label"]) for row in lines_of("imdb/train.jsonl.gz")]
        found["imdb"] = measured("imdb", groups, rng.sample(others, len(others)), IMDB, args)
    if "snli" in args.data:
        groups = {
            "human": human_snli("dev", args.half),
            "language models": llm_snli(rng),
            "disco": disco(rng),
        }
        found["snli"] = measured("snli", groups, [], SNLI, args)
    for name, shares in found.items():
        table = Table("refused, %", *shares, title=name)
        for check in dict.fromkeys(check for group in shares.values() for check in group):
            table.add_row(check, *(f"{100 * group.get(check, 0):.1f}" for group in shares.values()))
        Console(width=110).print(table)
    finish("runs/counterbias_checks.py", **found)


if __name__ == "__main__":
    main()
