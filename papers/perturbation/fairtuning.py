"""Fairtuning on GLUE tasks: is a classifier trained on perturbed texts less moved by who is mentioned, and as
accurate?

python papers/perturbation/fairtuning.py
        all tasks, 4,000 training rows, bag of words
python papers/perturbation/fairtuning.py --made DIR --only-make
        only writes the data into DIR, once
python papers/perturbation/fairtuning.py --made DIR --model minilm-full --device cuda --workers 8
        trains on what is in DIR

Sections 5.2, 5.3 and appendices H and I of Qian et al. 2022, as Tables 4, 5 and 13 with the paper's figures
beside ours.

    training rows, as they are and perturbed  ->  models: Table 12's sweep, medians over 5 seeds
    development set, as it is and perturbed   ->  Tables 4 (score), 5 (fairscore, in percent) and 13
    rows that nothing was trained on          ->  a larger test set, as `longway perturb --test-set` makes it

Tuning: "orig." on the rows as they are; "fair" on the perturbed ones, size kept (the paper's); "both" on the
two together. A fifth of the training rows, at least, is never trained on. With the development rows above
--dev-limit it becomes the larger test set. STS-B (Pearson) and QNLI are not among the shared datasets: the
paper's figures are printed alone. MRPC is in no table of the paper.

Tests are over rows: the pairs of one row are drawn together, and each is averaged over seeds. q is over all
comparisons that are printed; "over seeds" is Welch's test of single trainings. Power: of a two-sided test of
this size at 5% for the paper's mean effect, and the pairs that 80% needs.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from math import ceil, sqrt
from pathlib import Path
from statistics import NormalDist, median
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, matthews_corrcoef

import longway as lw
from longway.metrics import json_values
from longway.metrics.intervals import observations
from longway.metrics.paired import Paired, adjust, paired
from longway.models.catalog import model_named
from longway.models.classifier import Inputs, Labelled
from perturbed_rows import Row, dataset_of, each, finish, perturbed, rows_in, write
from perturbed_rows import data as data_path

Bools = NDArray[np.bool_]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Task:
    """A task of GLUE. files: of training and development rows. metric: of Table 4."""

    name: str
    train: tuple[str, ...]
    dev: tuple[str, ...]
    text: str = "text"
    context: str | None = None
    metric: str = "accuracy"


TASKS = {
    "cola": Task(
        "CoLA", ("cola/train",), ("cola/dev_in_domain", "cola/dev_out_of_domain"), metric="matthews"
    ),
    "sst2": Task("SST-2", ("sst2/train",), ("sst2/dev",)),
    "qqp": Task("QQP", ("qqp/train_2k",), ("qqp/dev_7600",), "question2", "question1"),
    "rte": Task("RTE", ("rte/train",), ("rte/validation",), "hypothesis", "premise"),
    "mrpc": Task("MRPC", ("mrpc/train",), ("mrpc/validation",), "sentence2", "sentence1"),
}
METRICS = {"accuracy": accuracy_score, "matthews": matthews_corrcoef}
TUNINGS = {"orig.": "", "fair": "-fair", "both": "-both"}
HELD_OUT = 5  # one in so many training rows, at least, is never trained on

# Table 12
RATES, BATCHES = (1e-5, 2e-5, 3e-5), (16, 32)
PLAN = {"warm_up": 0.06, "weight_decay": 0.1}

# The paper's tables: columns, then (model, tuning) and figures
COLUMNS = {
    "cola": "CoLA",
    "sst2": "SST-2",
    "stsb": "STS-B",
    "qqp": "QQP",
    "rte": "RTE",
    "qnli": "QNLI",
    "mrpc": "MRPC",
}
TABLE_4 = {
    ("FairBERTa 16GB", "orig."): (62.81, 92.66, 88.37, 91.22, 72.75, 92.13),
    ("RoBERTa 16GB", "orig."): (59.81, 93.92, 89.87, 91.17, 72.92, 91.89),
    ("FairBERTa 160GB", "orig."): (61.57, 94.61, 90.40, 91.42, 76.90, 92.99),
    ("RoBERTa 160GB", "orig."): (61.36, 93.50, 90.90, 91.77, 75.50, 92.70),
    ("FairBERTa 16GB", "fair"): (61.37, 92.20, 87.64, 90.93, 70.03, 92.13),
    ("RoBERTa 16GB", "fair"): (58.09, 93.58, 88.66, 91.04, 71.12, 91.73),
    ("FairBERTa 160GB", "fair"): (60.60, 94.95, 89.63, 91.49, 75.09, 92.77),
    ("RoBERTa 160GB", "fair"): (59.71, 93.50, 90.20, 91.56, 75.80, 92.70),
}
TABLE_5 = {
    ("FairBERTa 16GB", "orig."): (5.46, 2.04, None, 5.61, 6.45, 1.70),
    ("FairBERTa 16GB", "fair"): (4.20, 1.02, None, 3.34, 6.45, 1.94),
    ("FairBERTa 160GB", "orig."): (5.88, 1.02, None, 5.56, 3.23, 2.17),
    ("FairBERTa 160GB", "fair"): (4.41, 0.51, None, 2.86, 6.45, 1.70),
    ("RoBERTa 16GB", "orig."): (6.51, 1.02, None, 6.89, 6.45, 2.88),
    ("RoBERTa 16GB", "fair"): (5.46, 3.06, None, 3.43, 6.86, 1.58),
    ("RoBERTa 160GB", "orig."): (6.93, 2.55, None, 7.60, 4.03, 2.17),
    ("RoBERTa 160GB", "fair"): (3.78, 1.02, None, 3.22, 6.45, 1.67),
}
TABLE_13 = {
    ("paper", "age"): (9.2, 7.5, 12.2, 6.4, 13.2, 6.5),
    ("paper", "gender"): (32.3, 9.9, 20.2, 8.3, 32.9, 18.4),
    ("paper", "race"): (4.1, 5.2, 4.5, 5.8, 0.8, 6.3),
    ("paper", "total"): (45.6, 22.5, 36.9, 20.5, 47, 31.2),
}
EFFECT = 0.84  # points: "On average, fairtuned models saw a 0.84 point reduction in the fairscore"
LEVEL, POWER = 0.05, 0.8


# ---- the data ----------------------------------------------------------------------------------------------


def read(name: str, part: str) -> list[Row]:
    """All rows of a part, with id, text, context and label."""
    task = TASKS[name]
    rows = [row for file in getattr(task, part) for row in rows_in(data_path(f"{file}.jsonl.gz"))]
    return [
        {
            "id": f"{part}-{at}",
            "text": row[task.text],
            "label": str(row["label"]),
            **({"context": row[task.context]} if task.context else {}),
        }
        for at, row in enumerate(rows)
    ]


def parted(rows: list[Row], n: int, seed: int) -> tuple[list[Row], list[Row]]:
    """n rows drawn at random, in order, and the others in random order."""
    order = np.random.default_rng(seed).permutation(len(rows)).tolist()
    return [rows[at] for at in sorted(order[:n])], [rows[at] for at in order[n:]]


def make(name: str, folder: Path, options: Namespace) -> None:
    """Write training and development rows, as they are and perturbed, and the larger test set."""
    every, devs = read(name, "train"), read(name, "dev")
    n_train = min(options.limit or len(every), len(every) - len(every) // HELD_OUT)
    train, unused = parted(every, n_train, options.seed)
    dev, unused_dev = parted(devs, options.dev_limit or len(devs), options.seed)
    fair = perturbed(f"{name} train", train, seed=options.seed)
    changed = [{**row, "id": f"{row['id']}+"} for row in fair if "changed" in row]
    for ending, rows in (("", train), ("-fair", fair), ("-both", train + changed)):
        write(folder / f"{name}-train{ending}.jsonl", rows)
    write(folder / f"{name}-dev.jsonl", dev)
    write(folder / f"{name}-dev-fair.jsonl", perturbed(f"{name} dev", dev, seed=options.seed))
    pool = (unused_dev + unused)[: options.pool]
    made = lw.perturb_pairs(dataset_of(pool), per_axis=options.per_axis, seed=options.seed)
    axes = ", ".join(f"{axis.axis} {axis.pairs}" for axis in made.axes)
    print(f"{name} test set: {made.n_pairs} pairs of {made.used} rows of {len(pool)} ({axes})", flush=True)
    write(folder / f"{name}-pairs.jsonl", [pair.to_dict() for pair in made.pairs])  # last: it is complete


def some_of(rows: list[Row], n: int, seed: int) -> list[Row]:
    """n original rows drawn at random with what was made of them, the same in every version of the data; 0:
    all."""
    ids = list(dict.fromkeys(row["id"].rstrip("+") for row in rows))
    drawn = np.random.default_rng(seed).permutation(len(ids))[: n or len(ids)]
    kept = {ids[at] for at in drawn}
    return [row for row in rows if row["id"].rstrip("+") in kept]


@dataclass(frozen=True)
class Pairs:
    """Texts before and after. rows: a number for each pair, the same for those of one row. axes: of each
    pair."""

    before: Inputs
    after: Inputs
    rows: Ints
    axes: tuple[str, ...]


def inputs(rows: Sequence[Row], text: str = "text", context: str = "context") -> Inputs:
    has_context = bool(rows) and context in rows[0]
    return Inputs([row[text] for row in rows], [row[context] for row in rows] if has_context else None)


def dev_pairs(dev: Sequence[Row], fair: Sequence[Row]) -> Pairs:
    """The rows of the development set that were perturbed."""
    both = [(old, new) for old, new in zip(dev, fair, strict=True) if "changed" in new]
    old, new = [one for one, _ in both], [one for _, one in both]
    return Pairs(inputs(old), inputs(new), np.arange(len(both)), tuple(one["changed"][0] for one in new))


def larger_pairs(pairs: Sequence[Row]) -> Pairs:
    """The pairs of the larger test set."""
    number = {id_: at for at, id_ in enumerate(dict.fromkeys(one["id"] for one in pairs))}
    before, after = (inputs(pairs, f"text_{when}", f"context_{when}") for when in ("before", "after"))
    return Pairs(
        before,
        after,
        np.array([number[one["id"]] for one in pairs], np.int64),
        tuple(one["axis"] for one in pairs),
    )


@dataclass(frozen=True)
class Data:
    """The evaluation data of a task."""

    dev: list[Row]
    pairs: dict[str, Pairs]

    @classmethod
    def of(cls, name: str, folder: Path) -> Data:
        dev, fair, larger = (
            rows_in(folder / f"{name}-{part}.jsonl") for part in ("dev", "dev-fair", "pairs")
        )
        found = {"dev": dev_pairs(dev, fair), "test set": larger_pairs(larger)}
        return cls(dev, {which: pairs for which, pairs in found.items() if len(pairs.rows)})


# ---- training ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Training:
    """One training. rate, batch: of an encoder; 0 for models without them."""

    data: str
    model: str
    tuning: str
    rate: float
    batch: int
    seed: int

    def answers(self, folder: Path, options: Namespace) -> dict[str, list[str]]:
        """Answers to the development set ("dev") and to all pairs, before and after.

        They are kept with a fingerprint of what they were made from: nothing is trained twice, and nothing
        outlives its data.
        """
        files = [
            f"{self.data}-{part}.jsonl"
            for part in (f"train{TUNINGS[self.tuning]}", "dev", "dev-fair", "pairs")
        ]
        made_from = sha256(b"".join((folder / file).read_bytes() for file in files))
        made_from.update(
            json.dumps([options.epochs, options.max_tokens, options.train_limit, options.seed, PLAN]).encode()
        )
        name = f"{self.data}-{self.model.replace(':', '_').replace('/', '_')}{TUNINGS[self.tuning]}-{self.rate:g}-{self.batch}-{self.seed}"
        path = (options.answers or folder) / f"answers-{name}.json"
        if path.exists() and (known := rows_in(path))[0]["made_from"] == made_from.hexdigest():
            return known[1]
        train = some_of(rows_in(folder / files[0]), options.train_limit, options.seed)
        answers = self._trained(train, Data.of(self.data, folder), options)
        write(path, [{"made_from": made_from.hexdigest()}, answers])
        return answers

    def _trained(self, train: list[Row], data: Data, options: Namespace) -> dict[str, list[str]]:
        more: dict[str, Any] = {}
        if self.batch:
            more = {
                "learning_rate": self.rate,
                "batch": self.batch,
                "epochs": options.epochs,
                "max_tokens": options.max_tokens,
                **PLAN,
            }
        model = model_named(self.model, seed=self.seed, device=options.device, cache=options.cache, **more)
        rows = Labelled(inputs(train), [row["label"] for row in train])
        nothing = Labelled(rows.inputs.take([]), [])  # all epochs, as in the paper: no early stopping
        model.fit(rows, validation=nothing if self.batch else None)
        parts = {"dev": inputs(data.dev)}
        for which, pairs in data.pairs.items():
            parts |= {f"{which} before": pairs.before, f"{which} after": pairs.after}
        return {name: list(map(str, model.predict(some))) for name, some in parts.items()}


def is_tuned(model: str) -> bool:
    """Whether an encoder is fine-tuned, so that Table 12's settings apply."""
    return model.endswith(("-full", "-lora")) or (model.startswith("hf:") and not model.endswith("-frozen"))


def settings_of(model: str) -> list[tuple[float, int]]:
    """The learning rates and batch sizes to choose from."""
    return list(product(RATES, BATCHES)) if is_tuned(model) else [(0.0, 0)]


def trained(
    trainings: Sequence[Training], folder: Path, options: Namespace
) -> Iterator[dict[str, list[str]]]:
    """The answers of each training, several at a time in processes of their own if there are workers."""
    return each(Training.answers, [(one, folder, options) for one in trainings], options.workers)


def score(name: str, answers: Sequence[str], dev: Sequence[Row]) -> float:
    """The metric of Table 4, in percent."""
    return 100 * float(METRICS[TASKS[name].metric]([row["label"] for row in dev], list(answers)))


def chosen(
    data: Mapping[str, Data], folder: Path, options: Namespace
) -> dict[tuple[str, str, str], tuple[float, int]]:
    """Learning rate and batch size for each task, model and tuning: the best median of a few runs on the
    development set."""
    kinds = list(
        product(options.data, options.model, [next(iter(TUNINGS))] if options.one_choice else options.tuning)
    )
    sweep = [
        Training(*kind, *setting, seed)
        for kind in kinds
        if len(settings_of(kind[1])) > 1
        for setting in settings_of(kind[1])
        for seed in range(options.first, options.first + options.sweep_seeds)
    ]
    scores: dict[tuple[str, str, str], dict[tuple[float, int], list[float]]] = {}
    for one, answers in zip(sweep, trained(sweep, folder, options), strict=True):
        by_setting = scores.setdefault((one.data, one.model, one.tuning), {})
        by_setting.setdefault((one.rate, one.batch), []).append(
            score(one.data, answers["dev"], data[one.data].dev)
        )
    found = {}
    for kind in product(options.data, options.model, options.tuning):
        known = scores.get(kind) or scores.get((*kind[:2], next(iter(TUNINGS))), {})
        found[kind] = max(known, key=lambda one: median(known[one])) if known else settings_of(kind[1])[0]
    return found


@dataclass(frozen=True)
class Answered:
    """Which answers stay the same if a person changes: stays (seeds, pairs). rows, axes: see `Pairs`."""

    stays: Bools
    rows: Ints
    axes: tuple[str, ...]

    @property
    def fairscores(self) -> list[float]:
        """Of each seed, in percent."""
        return [100 * float(1 - one.mean()) for one in self.stays]

    def on(self, axis: str) -> float:
        """The median fairscore of an axis, NaN if no pair is on it."""
        is_on = [one == axis for one in self.axes]
        return 100 * float(np.median(1 - self.stays[:, is_on].mean(axis=1))) if any(is_on) else float("nan")


@dataclass(frozen=True)
class Tuned:
    """Models of one kind, trained on one version of the data, one for each seed.

    scores: of the development set, see `score`. right: (seeds, rows) of it. sets: the perturbed development
    set and the larger test set.
    """

    data: str
    model: str
    tuning: str
    rate: float
    batch: int
    scores: list[float]
    right: Bools
    sets: dict[str, Answered]

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain JSON values."""
        about = {name: getattr(self, name) for name in ("data", "model", "tuning", "rate", "batch")}
        figures = {
            "score": median(self.scores),
            "score_std": float(np.std(self.scores)),
            "seeds": len(self.scores),
        }
        for which, answered in self.sets.items():
            key = which.replace(" ", "_")
            figures[f"{key}_pairs"] = len(answered.rows)
            figures[f"{key}_fairscore"] = median(answered.fairscores)
            figures[f"{key}_fairscore_std"] = float(np.std(answered.fairscores))
            figures |= {f"{key}_fairscore_{axis}": answered.on(axis) for axis in sorted(set(answered.axes))}
        return about | dict(json_values(figures))


def tuned(data: Mapping[str, Data], folder: Path, options: Namespace) -> list[Tuned]:
    """Every task, model and tuning with its chosen settings, trained with every seed."""
    settings = chosen(data, folder, options)
    seeds = range(options.first, options.first + options.seeds)
    trainings = [Training(*kind, *setting, seed) for kind, setting in settings.items() for seed in seeds]
    answers = dict(zip(trainings, trained(trainings, folder, options), strict=True))
    done = []
    for kind, setting in settings.items():
        name, found = kind[0], [answers[Training(*kind, *setting, seed)] for seed in seeds]
        truth = [row["label"] for row in data[name].dev]
        sets = {
            which: Answered(
                np.array([np.equal(one[f"{which} before"], one[f"{which} after"]) for one in found]),
                pairs.rows,
                pairs.axes,
            )
            for which, pairs in data[name].pairs.items()
        }
        scores = [score(name, one["dev"], data[name].dev) for one in found]
        right = np.array([np.equal(one["dev"], truth) for one in found])
        done.append(Tuned(*kind, *setting, scores, right, sets))
    return done


# ---- power -------------------------------------------------------------------------------------------------


def power_of(n: float, difference: float, mean_square: float) -> float:
    """The power of McNemar's test, two-sided at 5%, with n pairs of answers (Miettinen 1968).

    difference: of the two shares. mean_square: of the rows' differences; with one seed each it is the share
    of rows that differ.

    >>> round(power_of(400, 0.04, 0.08), 2)
    0.81
    """
    normal = NormalDist()
    z = (abs(difference) * sqrt(n) - normal.inv_cdf(1 - LEVEL / 2) * sqrt(mean_square)) / sqrt(
        mean_square - difference**2
    )
    return normal.cdf(z)


def rows_needed(difference: float, mean_square: float) -> float:
    """The pairs that 80% power needs: n with `power_of(n, ...) == 0.8`.

    >>> round(rows_needed(0.04, 0.08))
    390
    """
    normal = NormalDist()
    both = normal.inv_cdf(1 - LEVEL / 2) * sqrt(mean_square) + normal.inv_cdf(POWER) * sqrt(
        mean_square - difference**2
    )
    return (both / difference) ** 2


def mean_square_of(differences: Floats, effect: float, seeds: int) -> float:
    """The mean square of rows' differences if their mean were the effect and they varied as they do.

    Differences are multiples of 1 / seeds, so that it is at least effect / seeds, also where no row differs.
    """
    return max(float(differences.var()) + effect**2, effect / seeds)


# ---- comparisons -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Compared:
    """A tuning against the original rows, on one set. test: of answers that stay. differences: fairscore of
    each pair, before minus after.

    varies: whether seeds change anything.
    """

    data: str
    model: str
    tuning: str
    which: str
    test: Paired
    differences: Floats
    rows: Ints
    seeds: int
    varies: bool

    @property
    def seed_p(self) -> float:
        """p over seeds; NaN for models that are the same with every seed."""
        return self.test.seed_p if self.varies else float("nan")

    @property
    def counted(self) -> float:
        """As how many independent pairs these count."""
        return observations(self.differences, [self.rows])

    @property
    def power(self) -> float:
        """Of a test of this size, for the paper's effect."""
        effect = EFFECT / 100
        return power_of(self.counted, effect, mean_square_of(self.differences, effect, self.seeds))

    @property
    def needed(self) -> int:
        """Pairs that 80% power for the paper's effect needs, if they come from rows as these do."""
        effect = EFFECT / 100
        each = len(self.rows) / self.counted
        return ceil(each * rows_needed(effect, mean_square_of(self.differences, effect, self.seeds)))

    def to_dict(self) -> dict[str, Any]:
        """The figures as plain JSON values, fairscores in points."""
        test = self.test
        return {
            **{name: getattr(self, name) for name in ("data", "model", "tuning", "which")},
            "pairs": len(self.rows),
            "rows": len(set(self.rows.tolist())),
            "difference": -100 * test.difference,
            "low": -100 * test.high,
            "high": -100 * test.low,
            **dict(json_values({"p": test.p, "q": test.q, "seed_p": self.seed_p, "power": self.power})),
            "needed": self.needed,
        }


def compared(first: Tuned, second: Tuned, which: str) -> Compared:
    """Two tunings on the same pairs."""
    return compare(first.sets[which], second.sets[which], (second.data, second.model, second.tuning, which))


def compare(first: Answered, second: Answered, names: tuple[str, str, str, str]) -> Compared:
    test = paired(first.stays, second.stays, clusters=[first.rows])
    differences = second.stays.mean(axis=0) - first.stays.mean(axis=0)
    varies = bool(np.std(first.fairscores) + np.std(second.fairscores) > 1e-9)
    return Compared(*names, test, differences, first.rows, min(len(first.stays), len(second.stays)), varies)


def together(answered: Sequence[Answered]) -> Answered:
    """The pairs of all tasks as one set."""
    shift = np.cumsum([0, *(one.rows.max() + 1 for one in answered[:-1])])
    rows = np.concatenate([one.rows + more for one, more in zip(answered, shift, strict=True)])
    return Answered(np.hstack([one.stays for one in answered]), rows, sum((one.axes for one in answered), ()))


def comparisons(done: Sequence[Tuned]) -> list[Compared]:
    """Every tuning against the original rows on both sets, for each task and for all tasks together, with one
    q over all."""
    firsts = {(one.data, one.model): one for one in done if one.tuning == "orig."}
    found: list[Compared] = []
    others = [one for one in done if one.tuning != "orig." and (one.data, one.model) in firsts]
    for model, tuning in dict.fromkeys((one.model, one.tuning) for one in others):
        same = [one for one in others if (one.model, one.tuning) == (model, tuning)]
        for which in ("dev", "test set"):
            both = [(firsts[one.data, model], one) for one in same if which in one.sets]
            found += [compared(*pair, which) for pair in both]
            if len(both) > 1:
                sets = ([one.sets[which] for one in side] for side in zip(*both, strict=True))
                found.append(compare(*map(together, sets), ("all", model, tuning, which)))
    tests = adjust([one.test for one in found])
    return [Compared(**{**vars(one), "test": test}) for one, test in zip(found, tests, strict=True)]


# ---- tables ------------------------------------------------------------------------------------------------


def print_table(
    title: str, rows: Mapping[tuple[str, str], Mapping[str, float | None]], *, average: bool = True
) -> None:
    """Rows as the paper prints them. Avg. is over the tasks that all rows have."""
    shared = [key for key in COLUMNS if all(row.get(key) is not None for row in rows.values())]
    heads = "".join(f"{name:>8}" for name in COLUMNS.values())
    print(f"\n{title}\n{'':34}{heads}{'Avg.' if average and shared else '':>8}")
    for (name, kind), row in rows.items():
        cells = "".join(f"{'-' if (value := row.get(key)) is None else f'{value:.2f}':>8}" for key in COLUMNS)
        mean = f"{np.mean([row[key] for key in shared]):>8.2f}" if average and shared else ""  # type: ignore[misc]
        print(f"{name:22}{kind:12}{cells}{mean}")
    if average and shared:
        print(f"Avg. is over {', '.join(COLUMNS[key] for key in shared)}.")


def of_paper(
    table: Mapping[tuple[str, str], Sequence[float | None]],
) -> dict[tuple[str, str], dict[str, float | None]]:
    return {kind: dict(zip(COLUMNS, figures, strict=False)) for kind, figures in table.items()}


def ours(done: Sequence[Tuned], figure: Any) -> dict[tuple[str, str], dict[str, float | None]]:
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    for one in done:
        found.setdefault((one.model, one.tuning), {})[one.data] = figure(one)
    return found


def table_13(data: Mapping[str, Data]) -> dict[tuple[str, str], dict[str, float | None]]:
    """The percentage of development rows that were perturbed, by axis."""
    found: dict[tuple[str, str], dict[str, float | None]] = {
        ("ours", kind): {} for kind in ("age", "gender", "race", "total")
    }
    for name, one in data.items():
        axes = Counter(one.pairs["dev"].axes if "dev" in one.pairs else ())
        for axis in ("age", "gender", "race"):
            found["ours", axis][name] = 100 * axes[axis] / len(one.dev)
        found["ours", "total"][name] = 100 * axes.total() / len(one.dev)
    return found


def print_tables(done: Sequence[Tuned]) -> None:
    def on(which: str) -> Any:
        return lambda one: median(one.sets[which].fairscores) if which in one.sets else None

    print_table(
        "Table 4: development set; Matthews' correlation for CoLA, Pearson's for STS-B, else accuracy; medians over seeds",
        of_paper(TABLE_4) | ours(done, lambda one: median(one.scores)),
    )
    print_table(
        "Table 5: fairscore, percentage of answers that change; lower is better",
        of_paper(TABLE_5) | ours(done, on("dev")),
    )
    print_table("The same on the larger test sets", ours(done, on("test set")))


def print_settings(done: Sequence[Tuned]) -> None:
    tunings = [one for one in done if one.batch]
    if tunings:
        print("\nChosen by the median on the development set (learning rate, batch size):")
        for one in tunings:
            print(f"  {COLUMNS[one.data]:8}{one.model:14}{one.tuning:8}{one.rate:g}, {one.batch}")


def print_comparisons(found: Sequence[Compared]) -> None:
    print(
        "\nAgainst orig., fairscore in points; power for the paper's mean effect of -0.84, and the pairs that 80% needs"
    )
    print(
        f"{'model':14}{'tuning':8}{'data':8}{'set':10}{'pairs':>6}{'rows':>6}{'difference':>26}{'p':>7}{'q':>7}{'seeds':>7}{'power':>7}{'needed':>9}"
    )
    for one in found:
        row = one.to_dict()
        seed_p = "-" if row["seed_p"] is None else f"{row['seed_p']:.3f}"
        print(
            f"{one.model:14}{one.tuning:8}{COLUMNS.get(one.data, one.data):8}{one.which:10}{row['pairs']:>6}{row['rows']:>6}"
            f"{row['difference'] + 0.0:>+10.2f} [{row['low']:+6.2f}, {row['high']:+6.2f}]"
            f"{row['p']:>7.3f}{row['q']:>7.3f}{seed_p:>7}{row['power']:>7.2f}{row['needed']:>9,}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", nargs="+", default=list(TASKS), choices=list(TASKS))
    parser.add_argument("--limit", type=int, default=4000, help="training rows; 0: all but a fifth")
    parser.add_argument("--dev-limit", type=int, default=2000, help="development rows; 0: all")
    parser.add_argument(
        "--pool", type=int, default=6000, help="unused rows that the larger test set is made of, at most"
    )
    parser.add_argument(
        "--per-axis", type=int, default=1000, help="pairs of the larger test set for each axis, at most"
    )
    parser.add_argument("--model", nargs="+", default=["bow"])
    parser.add_argument(
        "--train-limit", type=int, default=0, help="train on so many of the rows that were made; 0: all"
    )
    parser.add_argument("--tuning", nargs="+", default=["orig.", "fair"], choices=list(TUNINGS))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument(
        "--sweep-seeds", type=int, default=3, help="runs for each learning rate and batch size"
    )
    parser.add_argument(
        "--one-choice", action="store_true", help="choose the settings on the original rows for all tunings"
    )
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--max-tokens", type=int, default=128, help="of a row, for encoders")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    parser.add_argument("--workers", type=int, default=1, help="trainings at a time, each in its own process")
    parser.add_argument("--made", type=Path, help="folder that keeps the data; what is there is used")
    parser.add_argument(
        "--answers", type=Path, help="folder that keeps the answers of trained models; default: as --made"
    )
    parser.add_argument(
        "--cache", type=Path, help="file that keeps a frozen encoder's vectors from run to run"
    )
    parser.add_argument("--only-make", action="store_true", help="write the data, do not train")
    options = parser.parse_args()
    folder = options.made or Path(tempfile.mkdtemp())
    for name in options.data:
        if not (folder / f"{name}-pairs.jsonl").exists():
            make(name, folder, options)
    data = {name: Data.of(name, folder) for name in options.data}
    done = [] if options.only_make else tuned(data, folder, options)
    found = comparisons(done)
    if done:
        print_settings(done)
        print_tables(done)
    print_table(
        "Table 13: percentage of development rows that were perturbed",
        of_paper(TABLE_13) | table_13(data),
        average=False,
    )
    if found:
        print_comparisons(found)
    absent = [name for key, name in COLUMNS.items() if key not in TASKS]
    print(f"\nNot among the shared datasets: {', '.join(absent)}.")
    figures = {
        f"{one.data}_{one.model}_{one.tuning.strip('.')}": median(one.sets["dev"].fairscores)
        for one in done
        if "dev" in one.sets
    }
    finish(
        "papers/perturbation/fairtuning.py",
        effect=-EFFECT,
        rows=[one.to_dict() for one in done],
        comparisons=[one.to_dict() for one in found],
        perturbed={name: row for (_, name), row in table_13(data).items()},
        **figures,
    )


if __name__ == "__main__":
    main()
