"""From trained cells to results.json: figures with intervals, comparisons, groups, and what got worse.

Proof  ->  summarize()  ->  rows, comparisons, groups, worst, fairscore, leaks, apart, terms, curves, projections, cartography
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import version
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import softmax
from longway.classify.frozen import Frozen
from longway.detect.leak import leak_by_folds, parts_of
from longway.jobs.prove.cells import Trained
from longway.jobs.prove.checks import Concern
from longway.jobs.prove.looked_at import looked_at
from longway.jobs.prove.prove import Proof, TestSet, Version
from longway.jobs.prove.prove_fairscore import fairscores
from longway.jobs.prove.version_distances import Embed, distances, term_table
from longway.metrics.cartography import cartography, regions
from longway.metrics.group_accuracy import group_accuracies, pattern_accuracy
from longway.metrics.intervals import correctness, estimate
from longway.metrics.paired import Paired, adjust, paired
from longway.metrics.vectors import project
from longway.store import now

Floats = NDArray[np.float64]
VERSION = 1  # of results.json
POINTS = 300  # drawn at random for a scatter plot
FEWEST_IN_GROUP = 10  # rows from which a group can be the worst
MANY = 2000  # test rows from which slow metrics are resampled less often
METRICS = ("accuracy", "macro_f1", "auroc", "calibration_error", "brier")


def summarize(
    proof: Proof,
    *,
    concerns: Sequence[Concern],
    asked: dict[str, Any],
    perturbed_files: Mapping[str, str] | None = None,
    step: Callable[[str], object] = lambda name: None,
) -> dict[str, Any]:
    """Everything results.json holds but the time it took. perturbed_files: where the perturbed rows of a test set are."""
    step("measuring")
    answers = {key: _answers(proof, *key) for key in _keys(proof)}
    fair = fairscores(proof, files=perturbed_files or {})
    comparisons = _comparisons(proof, answers) + fair.comparisons
    groups, worst = _groups(proof, answers)
    step("measuring what each version leaks")
    leaks = _leaks(proof)
    step("measuring how far the versions are apart")
    return {
        "version": VERSION,
        "longway": version("longway"),
        "created": now(),
        "settings": asked,
        "labels": list(next(iter(proof.cells.values())).labels),
        "versions": [_version(one) for one in proof.versions],
        "tests": [_test(one) for one in proof.tests],
        "concerns": [one.to_dict() for one in concerns],
        "rows": [*_figures(proof, answers), *map(_worst_row, worst), *fair.rows],
        "comparisons": comparisons,
        "groups": groups,
        "worst": worst,
        **fair.part,
        "examples": looked_at(proof),
        "leaks": leaks,
        **distances(proof.versions, proof.tests, embed=_embed(proof)),
        "terms": term_table(proof.versions, proof.settings.terms),
        "curves": _curves(proof),
        "projections": _projections(proof),
        "cartography": _cartography(proof),
        "worse": [one for one in comparisons if one["verdict"] == "worse"],
        "notes": _notes(proof),
        "failed": [{**asdict(cell), "error": error} for cell, error in proof.failed.items()],
    }


Key = tuple[str, str, str, str]  # data, model, method, test


def _keys(proof: Proof) -> list[Key]:
    trained = dict.fromkeys((cell.data, cell.model, cell.method) for cell in proof.cells)
    return [(*key, test.name) for key in trained for test in proof.tests]


def _answers(proof: Proof, data: str, model: str, method: str, test: str) -> Floats:
    """(seeds, rows, labels): the probabilities on one test set."""
    return np.stack([softmax(one.logits[test]) for one in proof.of(data, model, method)])


def _truth(proof: Proof, test: str) -> list[str]:
    return list(next(one for one in proof.tests if one.name == test).rows.labels)


def _correct(proof: Proof, answers: Floats, test: str) -> NDArray[np.bool_]:
    return correctness(_truth(proof, test), answers, next(iter(proof.cells.values())).labels)


def _figures(proof: Proof, answers: dict[Key, Floats]) -> list[dict[str, Any]]:
    labels = next(iter(proof.cells.values())).labels
    names = [*METRICS, f"f1:{labels[-1]}"] if len(labels) == 2 else list(METRICS)
    rows = []
    for key, given in answers.items():
        truth = _truth(proof, key[3])
        for name in names:
            draws = 1000 if name == "accuracy" or len(truth) <= MANY else 200
            found = estimate(name, truth, given, labels, draws=draws).to_dict()
            about = dict(zip(("data", "model", "method", "test"), key, strict=True))
            rows.append(
                {
                    **about,
                    "metric": "binary_f1" if name.startswith("f1:") else name,
                    **{part: found[part] for part in ("mean", "std", "low", "high", "seeds")},
                }
            )
    return rows


def _worst_row(one: dict[str, Any]) -> dict[str, Any]:
    return {
        **{part: one[part] for part in ("data", "model", "method", "test")},
        "metric": "worst_group_accuracy",
        "mean": one["accuracy"],
        "std": None,
        "low": one["low"],
        "high": one["high"],
        "seeds": one["seeds"],
    }


def _comparisons(proof: Proof, answers: dict[Key, Floats]) -> list[dict[str, Any]]:
    """Each version against the first, and each method against plain training; one q over all of them."""
    first = proof.versions[0].name
    asked: list[tuple[dict[str, Any], Paired]] = []
    for (data, model, method, test), given in answers.items():
        about = {"data": data, "model": model, "method": method, "test": test, "metric": "accuracy"}
        correct = _correct(proof, given, test)
        if data != first and (base := answers.get((first, model, method, test))) is not None:
            asked.append(({**about, "against": first}, paired(_correct(proof, base, test), correct)))
        if method != "erm" and (base := answers.get((data, model, "erm", test))) is not None:
            asked.append(
                (
                    {**about, "against": data, "against_method": "erm"},
                    paired(_correct(proof, base, test), correct),
                )
            )
    judged = adjust([one for _, one in asked])
    parts = ("difference", "low", "high", "seed_error", "p", "q", "verdict")
    return [
        {**about, **{part: found.to_dict()[part] for part in parts}}
        for (about, _), found in zip(asked, judged, strict=True)
    ]


def _groups(proof: Proof, answers: dict[Key, Floats]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Supporting and counter-examples of each pattern, and the worst of these groups of each test set."""
    groups, worst = [], []
    for (data, model, method, test), given in answers.items():
        about = {"data": data, "model": model, "method": method, "test": test}
        correct, truth = _correct(proof, given, test), np.array(_truth(proof, test))
        shows = proof.shows[test].tocsc()
        candidates = []
        for i, one in enumerate(proof.patterns):
            finding = one.finding
            has = np.asarray(shows[:, [i]].todense()).ravel() > 0
            found = pattern_accuracy(correct, has, truth == finding.label)
            sides = {
                side.group: side.to_dict() if side.n else None for side in (found.supporting, found.counter)
            }
            groups.append(
                {
                    **finding.pattern.to_dict(),
                    "label": finding.label,
                    **about,
                    **sides,
                }
            )
            named = [(has & (truth == label), f"“{finding.pattern}”, {label}") for label in np.unique(truth)]
            candidates += [(mask, name) for mask, name in named if mask.sum() >= FEWEST_IN_GROUP]
        if candidates:
            each = [
                group_accuracies(correct[:, mask], [name] * int(mask.sum()))[0] for mask, name in candidates
            ]
            lowest = min(each, key=lambda group: group.accuracy)
            worst.append({**about, **lowest.to_dict(), "seeds": len(given)})
    return groups, worst


def _leaks(proof: Proof) -> list[dict[str, Any]]:
    found = []
    for one in proof.versions:
        reading = proof.readings[f"version {one.name}"]
        for part, roles in parts_of(reading).items():
            leak = leak_by_folds(reading, part)
            found.append(
                {
                    "data": one.name,
                    "part": part,
                    "name": " and ".join(reading.columns[role] for role in roles),
                    "accuracy": leak.accuracy,
                    "low": leak.low,
                    "high": leak.high,
                    "majority": leak.majority,
                }
            )
    return found


def _notes(proof: Proof) -> list[dict[str, Any]]:
    """What a reader must know of trainings: methods that did no more than plain training, models without chance.

    seed is None where it is about all seeds.
    """
    found = [{**asdict(cell), "text": one.note} for cell, one in proof.cells.items() if one.note]
    for data, model in dict.fromkeys((cell.data, cell.model) for cell in proof.cells):
        each = proof.of(data, model, "erm")
        if len(each) > 1 and all(_same_answers(each[0], one) for one in each[1:]):
            text = "nothing in it is random: all seeds gave the same model, and a std of 0 over them says nothing"
            found.append({"data": data, "model": model, "method": "erm", "seed": None, "text": text})
    return found


def _same_answers(one: Trained, other: Trained) -> bool:
    return all(np.array_equal(logits, other.logits[test]) for test, logits in one.logits.items())


def _curves(proof: Proof) -> list[dict[str, Any]]:
    names = ("number", "loss", "validation_loss", "validation_accuracy")
    return [
        {
            "data": cell.data,
            "model": cell.model,
            "method": cell.method,
            "seed": cell.seed,
            "epochs": [
                {name: _known(value) for name, value in zip(names, epoch, strict=True)}
                for epoch in one.epochs
            ],
        }
        for cell, one in proof.cells.items()
        if len(one.epochs) > 1
    ]


def _projections(proof: Proof) -> list[dict[str, Any]]:
    """Logits of plain training with the first seed, two components, all versions in one space (RAZOR's Fig. 6)."""
    found = []
    models = dict.fromkeys(cell.model for cell in proof.cells)
    for model in models:
        for test in proof.tests:
            ones = [(v.name, proof.of(v.name, model, "erm")) for v in proof.versions]
            shown = [(name, trained[0]) for name, trained in ones if trained]
            rows = _drawn(len(test.rows))
            if not shown or len(rows) < 3:
                continue
            placed = project(np.concatenate([one.logits[test.name][rows] for _, one in shown]))
            number = {label: i for i, label in enumerate(shown[0][1].labels)}
            classes = [number[test.rows.labels[row]] for row in rows]
            for i, (name, _) in enumerate(shown):
                points = placed.points[i * len(rows) : (i + 1) * len(rows)]
                found.append(
                    {
                        "data": name,
                        "model": model,
                        "method": "erm",
                        "test": test.name,
                        "explained": [round(share, 4) for share in placed.shares],
                        "points": [
                            [round(float(x), 3), round(float(y), 3), label]
                            for (x, y), label in zip(points, classes, strict=True)
                        ],
                    }
                )
    return found


def _cartography(proof: Proof) -> list[dict[str, Any]]:
    found = []
    ids = {version.name: version for version in proof.versions}
    for cell, one in proof.cells.items():
        if cell.seed or cell.method != "erm" or len(one.gold) < 2:
            continue
        places = cartography(one.gold)
        parts = regions(places)
        seen = np.flatnonzero(places.seen > 0)
        columns = (places.variability, places.confidence, places.correctness)
        found.append(
            {
                "data": cell.data,
                "model": cell.model,
                "method": cell.method,
                "regions": {name: len(rows) for name, rows in parts.items()},
                "points": [
                    [round(float(column[row]), 3) for column in columns] for row in seen[_drawn(len(seen))]
                ],
                "hardest": [ids[cell.data].ids[row] for row in parts.get("hard", [])[:20]],
            }
        )
    return found


def _drawn(n: int) -> NDArray[np.int64]:
    """Some of n rows, always the same ones."""
    return np.sort(np.random.default_rng(0).permutation(n)[:POINTS])


def _version(one: Version) -> dict[str, Any]:
    dataset = one.dataset
    return {
        "name": one.name,
        "source": dataset.source_name,
        "rows": dataset.n_used,
        "labels": dict(zip(dataset.labels, map(int, dataset.label_counts), strict=True)),
        "fingerprint": dataset.fingerprint,
    }


def _test(one: TestSet) -> dict[str, Any]:
    labels = list(one.rows.labels)
    counts = {label: labels.count(label) for label in sorted(set(labels))}
    return {
        "name": one.name,
        "source": one.dataset.source_name,
        "rows": len(labels),
        "labels": counts,
        "majority": max(counts.values()) / len(labels),
        "left_out": one.left_out,
    }


def _embed(proof: Proof) -> Embed | None:
    """The sentence encoder's vectors, where it was trained with and so has read the texts already."""
    if "minilm" not in proof.settings.models:
        return None
    return Frozen("minilm", cache=proof.features).embedded


def _known(value: float) -> float | None:
    return None if isnan(value) else round(float(value), 5)
