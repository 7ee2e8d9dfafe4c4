"""The fairscore of trained cells: how many answers change when one person of a test row does, before and after.

The fairscore is Eq. 1 of the perturbation paper (`metrics/fairness/fairscore.py`), in percent, of all perturbed rows ("fairscore") and of
those changed on one axis ("fairscore:race"); lower is better. Its comparisons have q-values of their own: measuring it changes no other
verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longway.data import Dataset
from longway.jobs.prove.perturbed_rows import PerturbedRows
from longway.jobs.prove.result import (
    FAIRSCORE,
    Comparison,
    Fairscores,
    Figure,
    PersonAnswers,
    PersonExample,
    PerturbedTest,
    PerturbedText,
)
from longway.jobs.prove.training import Key, TestSet, Trained, Trainings
from longway.metrics import json_values
from longway.metrics.fairness.fairscore import ChangedShare, compare_fairscores, fairscore_of, kept
from longway.metrics.paired import adjust
from longway.models.classifier import Bools, Inputs

N_STEADY, N_SAME, N_FLIPPED = (
    4,
    2,
    2,
)  # examples per test set: answers that change less often now, as often, more often
N_TESTS = 3  # test sets with examples

Answers = tuple[str, str]  # to the original row and to the perturbed row


@dataclass(frozen=True, slots=True)
class MeasuredFairscores:
    """What the fairscore adds to a result; nothing if it is not measured."""

    figures: Sequence[Figure] = ()
    comparisons: Sequence[Comparison] = ()
    details: Fairscores | None = None


def measure_fairscores(trainings: Trainings, *, files: Mapping[str, str]) -> MeasuredFairscores:
    """The fairscore of all trained cells. files: the file with the perturbed rows of each test set."""
    tests = {test.name: test for test in trainings.tests if test.perturbed is not None}
    if not tests:
        return MeasuredFairscores()
    perturbed = {name: test.perturbed for name, test in tests.items() if test.perturbed}
    stays: dict[Key, Bools] = {
        (*trained, name): np.stack([_stays(one, name, rows) for one in trainings.seeds_of(*trained)])
        for trained in trainings.trained
        for name, rows in perturbed.items()
    }
    figures = []
    for key, stay in stays.items():
        one = fairscore_of(stay, perturbed[key[3]].changed)
        axes = sorted(one.by_axis.items(), key=lambda item: -item[1].rows)
        shares = [(FAIRSCORE, one.overall), *((f"{FAIRSCORE}:{axis}", share) for axis, share in axes)]
        figures += [Figure(*key, metric, **_numbers(share)) for metric, share in shares]
    examples = [
        example
        for name in list(perturbed)[:N_TESTS]
        for example in _examples(trainings, tests[name], perturbed[name])
    ]
    about = [
        PerturbedTest(name, len(test.rows), len(rows), rows.axes, dict(rows.stayed), files.get(name))
        for name, test in tests.items()
        if (rows := test.perturbed) is not None
    ]
    return MeasuredFairscores(
        figures,
        list(_comparisons(trainings, stays, perturbed)),
        Fairscores(tuple(about), tuple(examples)),
    )


def _answers(one: Trained, test: str, perturbed: PerturbedRows) -> list[Answers]:
    """The answers of a trained model to each perturbed row, before and after the change."""
    old, new = one.logits[test][perturbed.rows].argmax(axis=1), one.perturbed[test].argmax(axis=1)
    return [(one.labels[a], one.labels[b]) for a, b in zip(old, new, strict=True)]


def _stays(one: Trained, test: str, perturbed: PerturbedRows) -> Bools:
    old, new = zip(*_answers(one, test, perturbed), strict=True)
    return kept(old, new, perturbed.changed)


def _numbers(share: ChangedShare) -> dict[str, Any]:
    """The fields that all figures of a share have."""
    score = share.score
    mean, std, low, high = json_values([score.value, share.std, score.low, score.high])
    return {"mean": mean, "std": std, "low": low, "high": high, "seeds": share.seeds}


def _comparisons(
    trainings: Trainings, stays: Mapping[Key, Bools], perturbed: Mapping[str, PerturbedRows]
) -> Iterator[Comparison]:
    """Each version against the first, and each method against plain training; one q over all of them."""
    compared = []
    for new, old in trainings.compared(stays):
        rows = perturbed[new[3]]
        masks = {FAIRSCORE: np.ones(len(rows), bool)}
        masks |= {f"{FAIRSCORE}:{axis}": rows.on(axis) for axis in rows.axes}
        for metric, mask in masks.items():
            change = compare_fairscores(stays[old][:, mask], stays[new][:, mask])
            compared.append((new, old, metric, change))
    tests = adjust([change.test for _, _, _, change in compared])
    for (new, old, metric, change), test in zip(compared, tests, strict=True):
        p, q, seed_error = json_values([test.p, test.q, 100 * test.seed_error])
        yield Comparison(
            *new,
            metric=metric,
            against=old[0],
            difference=change.difference,
            low=change.low,
            high=change.high,
            p=p,
            q=q,
            verdict=test.verdict,
            seed_error=seed_error,
            against_method=old[2] if old[2] != new[2] else None,
            before=change.first,
            after=change.second,
        )


def _examples(trainings: Trainings, test: TestSet, perturbed: PerturbedRows) -> list[PersonExample]:
    """Rows whose answer changes with the person: less often after the change of the data, as often, and more often."""
    answers: dict[str, list[list[Answers]]] = {version.name: [] for version in trainings.versions[:2]}
    for cell, one in trainings.cells.items():
        if cell.data in answers:
            answers[cell.data].append(_answers(one, test.name, perturbed))
    if not all(answers.values()):
        return []
    changing = [
        np.mean([[old != new for old, new in one] for one in each], axis=0) for each in answers.values()
    ]
    before, after = changing[0], changing[-1]
    order = np.argsort(-np.maximum(before, after), kind="stable")
    chosen: list[int] = []
    kinds = (
        (before > after, N_STEADY),
        ((before == after) & (before > 0), N_SAME),
        (before < after, N_FLIPPED),
    )
    for of_kind, most in kinds:
        chosen += order[of_kind[order]][:most].tolist()
    return [_example(test, perturbed, i, answers) for i in chosen]


def _example(
    test: TestSet, perturbed: PerturbedRows, i: int, answers: Mapping[str, list[list[Answers]]]
) -> PersonExample:
    row = int(perturbed.rows[i])
    texts = perturbed_texts(test.dataset, test.rows.inputs, row, perturbed.inputs, i)
    sides = [_side(name, [each[i] for each in given]) for name, given in answers.items()]
    label = test.rows.labels[row]
    return PersonExample(test.name, perturbed.ids[i], label, *perturbed.changed[i], texts, tuple(sides))


def perturbed_texts(
    dataset: Dataset, old: Inputs, row: int, new: Inputs, at: int
) -> tuple[PerturbedText, ...]:
    """The texts of a row before and after. row, at: its places in `old` and `new`. A context that stays is left out."""
    columns = dataset.columns
    text = PerturbedText(columns.text, old.texts[row], new.texts[at])
    if old.contexts is None or new.contexts is None or old.contexts[row] == new.contexts[at]:
        return (text,)
    return PerturbedText(columns.context or "context", old.contexts[row], new.contexts[at]), text


def _side(data: str, answers: list[Answers]) -> PersonAnswers:
    """The most frequent answers of the models trained on a version; of those that differ, if some do."""
    differ = [pair for pair in answers if pair[0] != pair[1]]
    (old, new), _ = Counter(differ or answers).most_common(1)[0]
    return PersonAnswers(data, old, new, len(differ), len(answers))
