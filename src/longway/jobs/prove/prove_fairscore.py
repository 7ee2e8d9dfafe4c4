"""The fairscore in a proof: how many answers change when one person of a test row does, before and after.

    Proof whose test sets have perturbed rows  ->  fairscores()  ->  rows, comparisons and a part of its own for results.json

The fairscore is Eq. 1 of the perturbation paper (`metrics/fairness/fairscore.py`), in percent, of all perturbed rows ("fairscore") and of those
changed on one axis ("fairscore:race"); lower is better. Its comparisons are corrected among themselves: asking for it moves no other verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from longway.jobs.prove.cells import Trained
from longway.jobs.prove.perturbed_rows import PerturbedRows
from longway.jobs.prove.prove import Proof, TestSet
from longway.metrics import json_values
from longway.metrics.fairness.fairscore import (
    ChangedShare,
    Fairscore,
    FairscoreChange,
    compare_fairscores,
    fairscore_of,
    kept,
)
from longway.metrics.paired import adjust

FAIRSCORE = "fairscore"
STEADY_NOW, STILL, FLIPPED_NOW = 4, 2, 2  # rows shown of a test set, by what became of their answers
TESTS = 3  # test sets that rows are shown of

Bools = NDArray[np.bool_]
Key = tuple[str, str, str, str]  # data, model, method, test
Answers = tuple[str, str]  # to a row as it was, and perturbed


@dataclass(frozen=True, slots=True)
class Fairscores:
    """What results.json gets; nothing where the fairscore was not asked for."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    comparisons: list[dict[str, Any]] = field(default_factory=list)
    part: dict[str, Any] = field(default_factory=dict)


def fairscores(proof: Proof, *, files: Mapping[str, str]) -> Fairscores:
    """The fairscore of everything that was trained. files: where the perturbed rows of each test set are."""
    asked = {test.name: test for test in proof.tests if test.perturbed is not None}
    if not asked:
        return Fairscores()
    some = {name: test.perturbed for name, test in asked.items() if test.perturbed}
    stays = {
        (*trained, name): np.stack([_stays(one, name, perturbed) for one in proof.of(*trained)])
        for trained in dict.fromkeys((cell.data, cell.model, cell.method) for cell in proof.cells)
        for name, perturbed in some.items()
    }
    found = {key: fairscore_of(given, some[key[3]].changed) for key, given in stays.items()}
    return Fairscores(
        [row for key, one in found.items() for row in _rows(key, one)],
        _comparisons(proof, stays, some),
        {
            FAIRSCORE: {
                "tests": [_about(test, files.get(name)) for name, test in asked.items()],
                "pairs": [row for key, one in found.items() for row in _pairs(key, one)],
                "examples": [one for name in list(some)[:TESTS] for one in _examples(proof, asked[name])],
            }
        },
    )


def _answers(one: Trained, test: str, perturbed: PerturbedRows) -> list[Answers]:
    """What a trained model says to each row that was perturbed, before and after."""
    old, new = one.logits[test][perturbed.rows].argmax(axis=1), one.perturbed[test].argmax(axis=1)
    return [(one.labels[a], one.labels[b]) for a, b in zip(old, new, strict=True)]


def _stays(one: Trained, test: str, perturbed: PerturbedRows) -> Bools:
    """(rows,): whether its answer stays the same."""
    old, new = zip(*_answers(one, test, perturbed), strict=True)
    return kept(old, new, perturbed.changed)


def _figure(share: ChangedShare) -> dict[str, Any]:
    """The percentage of answers that change, as a row of results.json has it."""
    score = share.score
    told = {"mean": score.value, "std": share.std, "low": score.low, "high": score.high, "seeds": share.seeds}
    return json_values(told)


def _parts(perturbed: PerturbedRows) -> dict[str, Bools]:
    """Which rows each metric is about: all of them, and those of each axis."""
    whole = {FAIRSCORE: np.ones(len(perturbed), bool)}
    return whole | {f"{FAIRSCORE}:{axis}": perturbed.on(axis) for axis in perturbed.axes}


def _place(key: Key) -> dict[str, Any]:
    return dict(zip(("data", "model", "method", "test"), key, strict=True))


def _rows(key: Key, found: Fairscore) -> list[dict[str, Any]]:
    by_axis = sorted(found.by_axis.items(), key=lambda one: -one[1].rows)
    shares = {FAIRSCORE: found.overall} | {f"{FAIRSCORE}:{axis}": share for axis, share in by_axis}
    return [{**_place(key), "metric": metric, **_figure(share)} for metric, share in shares.items()]


def _pairs(key: Key, found: Fairscore) -> list[dict[str, Any]]:
    """A row for each axis, source and target attribute, those with most rows first."""
    return [
        {
            **_place(key),
            **dict(zip(("axis", "source", "target"), pair, strict=True)),
            "rows": share.rows,
            **_figure(share),
        }
        for pair, share in sorted(found.by_pair.items(), key=lambda one: -one[1].rows)
    ]


def _comparisons(
    proof: Proof, stays: dict[Key, Bools], some: Mapping[str, PerturbedRows]
) -> list[dict[str, Any]]:
    """Each version against the first, and each method against plain training; one q over all of them."""
    first = proof.versions[0].name
    asked: list[tuple[dict[str, Any], FairscoreChange]] = []
    for (data, model, method, test), given in stays.items():
        others: list[tuple[Key, dict[str, str]]] = []
        if data != first:
            others.append(((first, model, method, test), {"against": first}))
        if method != "erm":
            others.append(((data, model, "erm", test), {"against": data, "against_method": "erm"}))
        for other, against in others:
            for metric, mask in _parts(some[test]).items() if other in stays else ():
                about = {**_place((data, model, method, test)), "metric": metric, **against}
                asked.append((about, compare_fairscores(stays[other][:, mask], given[:, mask])))
    judged = adjust([change.test for _, change in asked])
    return [
        {
            **about,
            **{name: change.to_dict()[name] for name in ("difference", "low", "high")},
            "seed_error": json_values(100 * test.seed_error),
            **{name: test.to_dict()[name] for name in ("p", "q", "verdict")},
        }
        for (about, change), test in zip(asked, judged, strict=True)
    ]


def _about(test: TestSet, file: str | None) -> dict[str, Any]:
    perturbed = test.perturbed
    assert perturbed is not None
    return {
        "test": test.name,
        "rows": len(test.rows),
        "perturbed": len(perturbed),
        "axes": perturbed.axes,
        "stayed": dict(perturbed.stayed),
        "file": file,
    }


def _examples(proof: Proof, test: TestSet) -> list[dict[str, Any]]:
    """Rows whose answers change with the person: those that no longer do, those that still do, those that do only now."""
    perturbed = test.perturbed
    assert perturbed is not None
    names = [version.name for version in proof.versions[:2]]
    said = {
        name: [_answers(one, test.name, perturbed) for cell, one in proof.cells.items() if cell.data == name]
        for name in names
    }
    if not all(said.values()):
        return []
    share = {
        name: np.mean([[old != new for old, new in one] for one in said[name]], axis=0) for name in names
    }
    before, after = share[names[0]], share[names[-1]]
    order = np.argsort(-np.maximum(before, after), kind="stable")
    chosen = [i for i in order if before[i] > after[i]][:STEADY_NOW]
    chosen += [i for i in order if before[i] == after[i] > 0][:STILL]
    chosen += [i for i in order if before[i] < after[i]][:FLIPPED_NOW]
    return [_example(test, perturbed, int(i), said) for i in chosen]


def _example(
    test: TestSet, perturbed: PerturbedRows, i: int, said: Mapping[str, list[list[Answers]]]
) -> dict[str, Any]:
    row = int(perturbed.rows[i])
    was, now, columns = test.rows.inputs, perturbed.inputs, test.dataset.columns
    texts = [(columns.text, was.texts[row], now.texts[i])]
    if was.contexts is not None and now.contexts is not None and was.contexts[row] != now.contexts[i]:
        texts.insert(0, (columns.context or "context", was.contexts[row], now.contexts[i]))
    return {
        "test": test.name,
        "id": perturbed.ids[i],
        "label": test.rows.labels[row],
        **dict(zip(("axis", "source", "target"), perturbed.changed[i], strict=True)),
        "texts": [{"field": name, "before": old, "after": new} for name, old, new in texts],
        "sides": [_side(name, [one[i] for one in answers]) for name, answers in said.items()],
    }


def _side(data: str, answers: list[Answers]) -> dict[str, Any]:
    """What the models trained on a version say: the commonest answers, of those that differ where some do."""
    differ = [one for one in answers if one[0] != one[1]]
    (old, new), _ = Counter(differ or answers).most_common(1)[0]
    return {"data": data, "answer": old, "perturbed_answer": new, "differ": len(differ), "of": len(answers)}
