"""Fairtuning: is a classifier that was trained on perturbed texts less moved by who is spoken of, and as accurate?

python runs/fairtuning.py                                      sst2 and rte, 4,000 rows, bag of words
python runs/fairtuning.py --limit 0 --made DIR --only-make     all rows; only writes the perturbed data into DIR
python runs/fairtuning.py --made DIR --model minilm-full --device cuda      trains on what is there

The paper's sections 5.2 and 5.3 (Tables 4 and 5): every training row with a person in it is perturbed by Algorithm 1 (rules, balanced
sampling, labels kept), and the fairscore is the share of predictions that change on the perturbed development set, in percent:
lower is better. Accuracy is that on the development set as it is. The development set is perturbed several times with other draws
(--draws; the paper: once), since a hundred rows say little about a few percent.

Tuning: "orig." on the rows as they are; "fair" on the perturbed ones, size kept (the paper's); "both" on the two together.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

import common
from longway.classify.classifier import Inputs, Labelled
from longway.classify.models import model_named
from longway.metrics.fairness.fairscore import compare_fairscores, fairscore, kept

DATA: dict[str, dict[str, Any]] = {
    "sst2": {"train": "sst2/train.jsonl.gz", "dev": "sst2/dev.jsonl.gz", "text": "text", "context": None},
    "rte": {
        "train": "rte/train.jsonl.gz",
        "dev": "rte/validation.jsonl.gz",
        "text": "hypothesis",
        "context": "premise",
    },
}
TUNINGS = {"orig.": "", "fair": "-fair", "both": "-both"}
Row = dict[str, Any]


def read(name: str, part: str, limit: int, seed: int) -> list[Row]:
    """Rows with id, text, context and label; drawn at random where there are more than wanted (0: all)."""
    task = DATA[name]
    with gzip.open(common.data(task[part]), "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    order = np.random.default_rng(seed).permutation(len(rows))[: limit or len(rows)]
    return [
        {
            "id": f"{part}-{i}",
            "text": rows[i][task["text"]],
            "label": str(rows[i]["label"]),
            **({"context": rows[i][task["context"]]} if task["context"] else {}),
        }
        for i in sorted(order.tolist())
    ]


def perturbed(rows: list[Row], seed: int) -> tuple[list[Row], dict[str, int]]:
    """The rows with one person changed in each that has one; and why the others stayed."""
    from longway.data import load
    from longway.recipes.perturb import Perturbing
    from longway.recipes.perturb_settings import PerturbSettings
    from longway.rewrite.perturb.rules import RulePerturber

    context = "context" if "context" in rows[0] else ""
    dataset = load(rows, text="text", label="label", id="id", context=context)
    perturbing = Perturbing(dataset, PerturbSettings(seed=seed))
    perturber = RulePerturber(key=str(seed), read=perturbing.documents)
    changed = []
    stayed: dict[str, int] = {}
    for outcome in perturbing.run(perturber):
        row = dict(rows[outcome.row])
        if outcome.taken is None:
            stayed[outcome.stayed] = stayed.get(outcome.stayed, 0) + 1
        else:
            segments, request = outcome.taken.perturbed.segments, outcome.taken.request
            row["text"] = segments[-1]
            if len(segments) > 1:
                row["context"] = segments[0]
            row["changed"] = [request.target.axis, request.source.name, request.target.name]
        changed.append(row)
    return changed, stayed


def make(name: str, folder: Path, options: Namespace) -> None:
    """Write training and development rows, as they are and perturbed."""
    train, dev = (
        read(name, "train", options.limit, options.seed),
        read(name, "dev", options.dev_limit, options.seed),
    )
    fair = told(f"{name} train", *perturbed(train, options.seed))
    changed = [{**row, "id": f"{row['id']}+"} for row in fair if "changed" in row]
    for ending, rows in (("", train), ("-fair", fair), ("-both", train + changed)):
        write(folder / f"{name}-train{ending}.jsonl", rows)
    write(folder / f"{name}-dev.jsonl", dev)
    for draw in range(options.draws):
        rows = told(f"{name} dev, draw {draw + 1}", *perturbed(dev, options.seed + draw))
        write(folder / f"{name}-dev-fair-{draw}.jsonl", rows)


def told(what: str, rows: list[Row], stayed: dict[str, int]) -> list[Row]:
    axes = [row["changed"][0] for row in rows if "changed" in row]
    shares = ", ".join(f"{axis} {axes.count(axis) / len(rows):.1%}" for axis in sorted(set(axes)))
    print(f"{what}: {len(axes)} of {len(rows)} rows perturbed ({shares})", flush=True)
    for reason, n in sorted(stayed.items(), key=lambda item: -item[1])[:2]:
        print(f"  stayed: {reason[:80]:82}{n:>7}")
    return rows


def write(path: Path, rows: Iterable[Row]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def rows_in(path: Path) -> list[Row]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def labelled(rows: list[Row]) -> Labelled:
    contexts = [row["context"] for row in rows] if "context" in rows[0] else None
    return Labelled(Inputs([row["text"] for row in rows], contexts), [row["label"] for row in rows])


def predicted(
    name: str, model: str, ending: str, seed: int, folder: Path, options: Namespace
) -> list[list[str]]:
    """What a model says of the development set as it is and of each draw; kept in the folder, so that nothing is trained twice."""
    path = folder / f"{name}-{model}{ending}-{seed}.json"
    if not path.exists():
        fitted = model_named(model, seed=seed, device=options.device, cache=options.cache).fit(
            labelled(rows_in(folder / f"{name}-train{ending}.jsonl"))
        )
        parts = ["dev", *(f"dev-fair-{draw}" for draw in range(options.draws))]
        answers = [
            list(map(str, fitted.predict(labelled(rows_in(folder / f"{name}-{part}.jsonl")).inputs)))
            for part in parts
        ]
        path.write_text(json.dumps(answers), encoding="utf-8")
    return list(json.loads(path.read_text(encoding="utf-8")))


def tune(name: str, model: str, folder: Path, options: Namespace) -> list[dict[str, Any]]:
    """Train on every version; accuracy on the development set, and the fairscore, overall and by axis."""
    dev = rows_in(folder / f"{name}-dev.jsonl")
    draws = [rows_in(folder / f"{name}-dev-fair-{draw}.jsonl") for draw in range(options.draws)]
    changed = [tuple(row["changed"]) if "changed" in row else None for rows in draws for row in rows]
    axes = sorted({one[0] for one in changed if one is not None})
    results, stays = [], {}
    for tuning, ending in TUNINGS.items():
        accuracies, scores, kept_rows = [], [], []
        for seed in range(options.first, options.first + options.seeds):
            before, *after = predicted(name, model, ending, seed, folder, options)
            accuracies.append(float(np.mean([a == row["label"] for a, row in zip(before, dev, strict=True)])))
            pooled = before * len(after), [answer for draw in after for answer in draw]
            scores.append(fairscore(*pooled, changed))
            kept_rows.append(kept(*pooled, changed))
        stays[tuning] = np.array(kept_rows)
        overall = [score.overall.score.value for score in scores]
        by_axis = {axis: float(np.mean([s.by_axis[axis].score.value for s in scores])) for axis in axes}
        results.append(
            {
                "data": name,
                "model": model,
                "tuning": tuning,
                "accuracy": float(np.mean(accuracies)),
                "accuracy_std": float(np.std(accuracies)),
                "fairscore": float(np.mean(overall)),
                "fairscore_std": float(np.std(overall)),
                "rows": int(stays[tuning].shape[1]),
                **{f"fairscore_{axis}": value for axis, value in by_axis.items()},
            }
        )
        shown = "".join(f"{by_axis[axis]:>9.2f}" for axis in axes)
        print(
            f"{model:14}{tuning:8}{name:8}{np.mean(accuracies):>9.2%} ± {np.std(accuracies):<6.2%}"
            f"{np.mean(overall):>8.2f} ± {np.std(overall):<5.2f}{shown}",
            flush=True,
        )
    for tuning in ("fair", "both"):
        change = compare_fairscores(stays["orig."], stays[tuning])
        print(
            f"  {tuning}: fairscore {change.first:.2f} -> {change.second:.2f} on {results[0]['rows']} perturbed rows, "
            f"difference {change.difference:+.2f} [{change.low:+.2f}, {change.high:+.2f}], p = {change.test.p:.3f}"
        )
    return results


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", default=list(DATA), choices=list(DATA))
    parser.add_argument("--limit", type=int, default=4000, help="training rows; 0: all")
    parser.add_argument("--dev-limit", type=int, default=0, help="development rows; 0: all")
    parser.add_argument("--model", nargs="+", default=["bow"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument(
        "--made", type=Path, help="folder that keeps the perturbed data; what is there is used"
    )
    parser.add_argument("--draws", type=int, default=5, help="how often the development set is perturbed")
    parser.add_argument("--cache", type=Path, help="file that keeps an encoder's vectors from run to run")
    parser.add_argument("--only-make", action="store_true", help="perturb, do not train")
    options = parser.parse_args()
    folder = options.made or Path(tempfile.mkdtemp())
    for name in options.data:
        if not (folder / f"{name}-dev-fair-{options.draws - 1}.jsonl").exists():
            make(name, folder, options)
    results: list[dict[str, Any]] = []
    if not options.only_make:
        print(
            f"\n{'model':14}{'tuning':8}{'data':8}{'accuracy':>18}{'fairscore':>16}"
            f"{'age':>9}{'gender':>9}{'race':>9}"
        )
        results = [
            row
            for model in options.model
            for name in options.data
            for row in tune(name, model, folder, options)
        ]
    figures = {f"{row['data']}_{row['tuning'].strip('.')}": row["fairscore"] for row in results}
    common.finish("runs/fairtuning.py", rows=results, **figures)


if __name__ == "__main__":
    main()
