"""Fairtuning: is a classifier that was trained on perturbed texts less moved by who is spoken of, and as accurate?

python runs/fairtuning.py                                      sst2 and rte, 4,000 rows, bag of words
python runs/fairtuning.py --limit 0 --made DIR --only-make     all rows; only writes the perturbed data into DIR
python runs/fairtuning.py --made DIR --model minilm-full --device cuda      trains on what is there

The paper's sections 5.2 and 5.3 (Tables 4 and 5): every training row with a person in it is perturbed as `longway perturb` does it
(Algorithm 1, rules, balanced sampling, labels kept), and the fairscore is the share of predictions that change on the perturbed development
set, in percent: lower is better. Accuracy is that on the development set as it is. The development set is perturbed several times with other
draws (--draws; the paper: once), since a hundred rows say little about a few percent.

Draws of one row are not independent: it is first averaged over them, and rows are what is tested. Rows that were changed in every draw count.
q is over all comparisons that are printed; "over seeds" is Welch's test of the fairscores of single trainings.

Tuning: "orig." on the rows as they are; "fair" on the perturbed ones, size kept (the paper's); "both" on the two together.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import ttest_ind

import common
import longway as lw
from longway.classify.catalog import model_named
from longway.classify.classifier import Inputs, Labelled
from longway.metrics import json_values
from longway.metrics.fairness.fairscore import Changed, FairscoreChange, compare_fairscores, fairscore, kept
from longway.metrics.intervals import mean_and_std
from longway.metrics.paired import adjust, paired

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
Bools = NDArray[np.bool_]


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


def perturbed(what: str, rows: list[Row], seed: int) -> list[Row]:
    """The rows with one person changed in each that has one, as `longway perturb` does it."""
    context = "context" if "context" in rows[0] else ""
    dataset = lw.load(rows, text="text", label="label", id="id", context=context)
    made = lw.perturb(dataset, seed=seed)
    taken = {edit.id: edit.trace for edit in made.edits if edit.accepted}
    refused = {edit.id for edit in made.edits} - taken.keys()
    axes = Counter(trace["axis"] for trace in taken.values())
    shares = ", ".join(f"{axis} {n / len(rows):.1%}" for axis, n in sorted(axes.items()))
    print(
        f"{what}: {len(taken)} of {len(rows)} rows perturbed ({shares}), {len(refused)} refused", flush=True
    )
    changed = []
    for old, new in zip(rows, made.data.frame.iter_rows(named=True), strict=True):
        row = {name: new[name] for name in old}
        if (trace := taken.get(old["id"])) is not None:
            row["changed"] = [trace[name] for name in ("axis", "source", "target")]
        changed.append(row)
    return changed


def make(name: str, folder: Path, options: Namespace) -> None:
    """Write training and development rows, as they are and perturbed."""
    train, dev = (
        read(name, "train", options.limit, options.seed),
        read(name, "dev", options.dev_limit, options.seed),
    )
    fair = perturbed(f"{name} train", train, options.seed)
    changed = [{**row, "id": f"{row['id']}+"} for row in fair if "changed" in row]
    for ending, rows in (("", train), ("-fair", fair), ("-both", train + changed)):
        write(folder / f"{name}-train{ending}.jsonl", rows)
    write(folder / f"{name}-dev.jsonl", dev)
    for draw in range(options.draws):
        rows = perturbed(f"{name} dev, draw {draw + 1}", dev, options.seed + draw)
        write(folder / f"{name}-dev-fair-{draw}.jsonl", rows)


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
) -> tuple[list[str], list[list[str]]]:
    """What a model says of the development set as it is and of each draw.

    Kept in the folder with a fingerprint of what it was made from, so that nothing is trained twice and nothing outlives its data.
    """
    parts = [f"train{ending}", "dev", *(f"dev-fair-{draw}" for draw in range(options.draws))]
    files = [folder / f"{name}-{part}.jsonl" for part in parts]
    made_from = sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    path = folder / f"{name}-{model}{ending}-{seed}.json"
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    if known.get("made_from") != made_from:
        train, *others = [labelled(rows_in(file)) for file in files]
        fitted = model_named(model, seed=seed, device=options.device, cache=options.cache).fit(train)
        answers = [list(map(str, fitted.predict(other.inputs))) for other in others]
        known = {"made_from": made_from, "answers": answers}
        path.write_text(json.dumps(known), encoding="utf-8")
    before, *after = known["answers"]
    return before, after


def in_every_draw(draws: Sequence[Sequence[Row]]) -> list[list[Changed | None]]:
    """What was changed in each row, for each draw; None for a row that was not changed in all of them."""
    is_in_all = [all("changed" in row for row in of_row) for of_row in zip(*draws, strict=True)]
    return [
        [tuple(row["changed"]) if is_in else None for row, is_in in zip(rows, is_in_all, strict=True)]
        for rows in draws
    ]


def stays_in(
    before: Sequence[str], after: Sequence[Sequence[str]], changed: Sequence[Sequence[Changed | None]]
) -> Bools:
    """(draws, rows): whether the answer stays, for the rows that were changed. after, changed: of each draw."""
    return np.stack([kept(before, answers, one) for answers, one in zip(after, changed, strict=True)])


@dataclass(frozen=True)
class Tuned:
    """Models of one kind that were trained on one version of the data, one for each seed.

    right: (seeds, rows) of the development set. stays: (seeds, draws, rows), see `stays_in`. by_axis: fairscores, the mean over seeds.
    """

    data: str
    model: str
    tuning: str
    right: Bools
    stays: Bools
    by_axis: dict[str, float]

    @property
    def fairscores(self) -> list[float]:
        """Of each seed, in percent."""
        return [100 * float(1 - one.mean()) for one in self.stays]

    @property
    def accuracies(self) -> list[float]:
        """Of each seed, in percent."""
        return [100 * float(one.mean()) for one in self.right]

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        return {
            "data": self.data,
            "model": self.model,
            "tuning": self.tuning,
            **json_values(
                dict(zip(("accuracy", "accuracy_std"), mean_and_std(self.accuracies), strict=True))
            ),
            **json_values(
                dict(zip(("fairscore", "fairscore_std"), mean_and_std(self.fairscores), strict=True))
            ),
            "rows": self.stays.shape[2],
            "draws": self.stays.shape[1],
            **{f"fairscore_{axis}": value for axis, value in self.by_axis.items()},
        }


def tune(name: str, model: str, tuning: str, folder: Path, options: Namespace) -> Tuned:
    """Train on one version with every seed, and print its line."""
    dev = rows_in(folder / f"{name}-dev.jsonl")
    draws = [rows_in(folder / f"{name}-dev-fair-{draw}.jsonl") for draw in range(options.draws)]
    changed = in_every_draw(draws)
    right, stays, scores = [], [], []
    for seed in range(options.first, options.first + options.seeds):
        before, after = predicted(name, model, TUNINGS[tuning], seed, folder, options)
        right.append([answer == row["label"] for answer, row in zip(before, dev, strict=True)])
        stays.append(stays_in(before, after, changed))
        scores.append(fairscore(before * len(after), list(chain(*after)), list(chain(*changed))))
    by_axis = {
        axis: float(np.mean([score.by_axis[axis].score.value for score in scores]))
        for axis in scores[0].by_axis
    }
    done = Tuned(name, model, tuning, np.array(right), np.array(stays), by_axis)
    shown = "".join(f"{by_axis.get(axis, np.nan):>9.2f}" for axis in ("age", "gender", "race"))
    accuracy, score = (
        "{:>9.2f} ± {:<5.2f}".format(*mean_and_std(x)) for x in (done.accuracies, done.fairscores)
    )
    print(f"{model:14}{tuning:8}{name:8}{accuracy}{score}{shown}", flush=True)
    return done


def compared(first: Tuned, second: Tuned) -> FairscoreChange:
    """The fairscores of two tunings, row by row, each row averaged over seeds and draws."""
    n = first.stays.shape[2]
    return compare_fairscores(first.stays.reshape(-1, n), second.stays.reshape(-1, n))


def over_seeds(first: Tuned, second: Tuned) -> float | None:
    """p of Welch's test of the fairscores of single trainings; None where seeds change nothing."""
    spread = np.std(first.fairscores) + np.std(second.fairscores)
    if len(first.fairscores) < 2 or spread < 1e-9:
        return None
    return float(ttest_ind(first.fairscores, second.fairscores, equal_var=False).pvalue)


def comparisons(done: Sequence[Tuned]) -> list[dict[str, Any]]:
    """Every tuning against the original rows, with one q over all; printed."""
    firsts = {(one.data, one.model): one for one in done if one.tuning == "orig."}
    pairs = [(firsts[one.data, one.model], one) for one in done if one.tuning != "orig."]
    changes = [compared(*pair) for pair in pairs]
    found = []
    print(
        f"\n{'against orig.':30}{'rows':>6}{'fairscore':>26}{'p':>8}{'q':>8}{'over seeds':>12}{'accuracy':>26}"
    )
    for (first, second), change, test in zip(
        pairs, changes, adjust([change.test for change in changes]), strict=True
    ):
        accuracy = paired(first.right, second.right)
        points = [100 * x for x in (accuracy.difference, accuracy.low, accuracy.high)]
        seed_p = over_seeds(first, second)
        found.append(
            {
                "data": second.data,
                "model": second.model,
                "tuning": second.tuning,
                "rows": test.n,
                **{name: getattr(change, name) for name in ("difference", "low", "high")},
                "p": test.p,
                "q": test.q,
                "seed_p": seed_p,
                **dict(zip(("accuracy_difference", "accuracy_low", "accuracy_high"), points, strict=True)),
            }
        )
        print(
            f"{second.model:14}{second.tuning:8}{second.data:8}{test.n:>6}"
            f"{round(change.difference, 2) + 0.0:>+10.2f} [{change.low:+6.2f}, {change.high:+6.2f}]{test.p:>8.3f}{test.q:>8.3f}"
            f"{'-' if seed_p is None else f'{seed_p:.3f}':>12}{points[0]:>+10.2f} [{points[1]:+6.2f}, {points[2]:+6.2f}]"
        )
    return found


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
    done: list[Tuned] = []
    if not options.only_make:
        print(
            f"\n{'model':14}{'tuning':8}{'data':8}{'accuracy':>17}{'fairscore':>17}{'age':>9}{'gender':>9}{'race':>9}"
        )
        done = [
            tune(name, model, tuning, folder, options)
            for model in options.model
            for name in options.data
            for tuning in TUNINGS
        ]
    found = comparisons(done)
    figures = {
        f"{one.data}_{one.model}_{one.tuning.strip('.')}": float(np.mean(one.fairscores)) for one in done
    }
    common.finish("runs/fairtuning.py", rows=[one.to_dict() for one in done], comparisons=found, **figures)


if __name__ == "__main__":
    main()
