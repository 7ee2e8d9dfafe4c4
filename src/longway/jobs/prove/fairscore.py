"""The fairscore of trained cells: how many answers change when one person of a test row does, before and after.

The fairscore is Eq. 1 of the perturbation paper (`metrics/fairness/fairscore.py`), in percent, of all perturbed rows ("fairscore") and of
those changed on one axis ("fairscore:race"); lower is better. Its comparisons have q-values of their own: measuring it changes no other
verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.jobs.prove.perturbed_rows import PerturbedRows, word_changes
from longway.jobs.prove.result import (
    FAIRSCORE,
    Comparison,
    Fairscores,
    Figure,
    PairFigure,
    PersonAnswers,
    PersonExample,
    PerturbedTest,
    PerturbedText,
    WordFigure,
)
from longway.jobs.prove.training import Key, TestSet, Trained, Trainings
from longway.metrics import json_values
from longway.metrics.fairness.fairscore import ChangedShare, by_word, compare_fairscores, fairscore_of, kept
from longway.metrics.paired import adjust
from longway.models.classifier import Inputs

N_STEADY, N_SAME, N_FLIPPED = (
    4,
    2,
    2,
)  # examples per test set: answers that change less often now, as often, more often
N_TESTS = 3  # test sets with examples

Bools = NDArray[np.bool_]
Answers = tuple[str, str]  # to the original row and to the perturbed row
Numbers = tuple[float | None, float | None, float | None, float | None]  # mean, std, low, high


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
    found = {key: fairscore_of(given, perturbed[key[3]].changed) for key, given in stays.items()}
    changes = {
        name: word_changes(tests[name].rows.take(rows.rows).inputs, rows.inputs)
        for name, rows in perturbed.items()
    }
    figures, pairs, words = [], [], []
    for key, one in found.items():
        axes = sorted(one.by_axis.items(), key=lambda item: -item[1].rows)
        shares = [(FAIRSCORE, one.overall), *((f"{FAIRSCORE}:{axis}", share) for axis, share in axes)]
        figures += [Figure(*key, metric, *_numbers(share), seeds=share.seeds) for metric, share in shares]
        pairs += [
            PairFigure(*key, *pair, share.rows, *_numbers(share), seeds=share.seeds)
            for pair, share in sorted(one.by_pair.items(), key=lambda item: -item[1].rows)
        ]
        words += [
            WordFigure(*key, *word, share.rows, *_numbers(share), seeds=share.seeds)
            for word, share in by_word(stays[key], changes[key[3]]).items()
        ]
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
        Fairscores(tuple(about), tuple(pairs), tuple(examples), tuple(words)),
    )


def _answers(one: Trained, test: str, perturbed: PerturbedRows) -> list[Answers]:
    """The answers of a trained model to each perturbed row, before and after the change."""
    old, new = one.logits[test][perturbed.rows].argmax(axis=1), one.perturbed[test].argmax(axis=1)
    return [(one.labels[a], one.labels[b]) for a, b in zip(old, new, strict=True)]


def _stays(one: Trained, test: str, perturbed: PerturbedRows) -> Bools:
    old, new = zip(*_answers(one, test, perturbed), strict=True)
    return kept(old, new, perturbed.changed)


def _numbers(share: ChangedShare) -> Numbers:
    score = share.score
    mean, std, low, high = json_values([score.value, share.std, score.low, score.high])
    return mean, std, low, high


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
    names = [version.name for version in trainings.versions[:2]]
    answers = {
        name: [
            _answers(one, test.name, perturbed) for cell, one in trainings.cells.items() if cell.data == name
        ]
        for name in names
    }
    if not all(answers.values()):
        return []
    before, after = (
        np.mean([[old != new for old, new in one] for one in answers[name]], axis=0)
        for name in (names[0], names[-1])
    )
    order = np.argsort(-np.maximum(before, after), kind="stable")
    chosen = [i for i in order if before[i] > after[i]][:N_STEADY]
    chosen += [i for i in order if before[i] == after[i] > 0][:N_SAME]
    chosen += [i for i in order if before[i] < after[i]][:N_FLIPPED]
    return [_example(test, perturbed, int(i), answers) for i in chosen]


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
