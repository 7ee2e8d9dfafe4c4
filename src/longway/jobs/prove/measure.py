"""From trained cells to the result: figures with intervals, comparisons, groups, leaks, and distances between the versions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from typing import TypeVar, cast

import numpy as np

from longway.data.columns import ID_COLUMN
from longway.detect.leak import leak_by_folds, parts_of
from longway.jobs.prove.fairscore import measure_fairscores
from longway.jobs.prove.result import (
    ACCURACY,
    ChangedAnswer,
    Comparison,
    Concern,
    Distance,
    FailedTraining,
    Figure,
    GroupSide,
    PatternGroups,
    ProveResult,
    TestSummary,
    TrainingNote,
    VersionLeak,
    VersionSummary,
    WordsOfAnswer,
    WorstGroup,
)
from longway.jobs.prove.settings import PLAIN
from longway.jobs.prove.training import Key, TestSet, Trained, Trainings, Version, ids_of
from longway.jobs.run import Watcher
from longway.json_values import from_json
from longway.metrics import Measure
from longway.metrics.classification import METRICS
from longway.metrics.group_accuracy import GroupAccuracy, group_accuracies, pattern_accuracy
from longway.metrics.intervals import correctness, estimate
from longway.metrics.paired import Paired, adjust, paired
from longway.metrics.versions import changed_share
from longway.models.catalog import model_named
from longway.models.classifier import Bools, Classifier, Floats, Ints, Labelled, softmax, targets_of
from longway.models.importance import word_importance
from longway.store import now

MODEL = "bow"  # fast to train again, and its features are words
N_CORRECTED, N_WRONG = 4, 2  # rows per test set
N_TESTS = 3
SAMPLES = 200  # masked texts per text
LONGEST = 1500  # characters of a text that is explained


def changed_answers(trainings: Trainings) -> list[ChangedAnswer]:
    """Rows of the first test sets, each with both models' answers and the words that led to them."""
    pair = trainings.versions[:2]
    trained = [trainings.seeds_of(version.name, MODEL, PLAIN) for version in pair]
    if not all(trained):
        return []
    models = {}
    for one in pair:  # the same models as those that were measured: nothing in them is random
        fresh = model_named(MODEL, **trainings.settings.model_options)  # type: ignore[arg-type]
        models[one.name] = fresh.fit(one.rows, validation=one.validation_rows)
    found = []
    for test in trainings.tests[:N_TESTS]:
        before, after = (_margins(seeds[0], test) for seeds in trained)
        lengths = np.array([len(text) for text in test.rows.inputs.texts])
        if chosen := _chosen(before, after, lengths):
            found += _shown(test, chosen, models)
    return found


def _margins(trained: Trained, test: TestSet) -> Floats:
    """The probability of each row's own label minus the highest of the others: below 0 if the answer is wrong."""
    given = softmax(trained.logits[test.name])
    rows, own = np.arange(len(test.rows)), targets_of(test.rows.labels, trained.labels)
    mine = given[rows, own]
    given[rows, own] = 0
    return np.asarray(mine - given.max(axis=1))


def _chosen(before: Floats, after: Floats, lengths: Ints) -> list[int]:
    """Corrected rows, then rows that became wrong; those with the largest change first."""
    order = np.argsort(-np.abs(after - before), kind="stable")
    order = order[lengths[order] <= LONGEST]
    corrected = order[(before[order] < 0) & (after[order] > 0)][:N_CORRECTED]
    wrong = order[(before[order] > 0) & (after[order] < 0)][:N_WRONG]
    return [*corrected.tolist(), *wrong.tolist()]


def _shown(test: TestSet, places: Sequence[int], models: dict[str, Classifier]) -> list[ChangedAnswer]:
    rows, ids = test.rows.take(places), ids_of(test.dataset)
    sides = [_sides(model, name, rows) for name, model in models.items()]
    texts, contexts = rows.inputs.texts, rows.inputs.contexts
    return [
        ChangedAnswer(
            test.name,
            ids[test.kept[place]],
            rows.labels[i],
            texts[i],
            None if contexts is None else contexts[i],
            tuple(side[i] for side in sides),
        )
        for i, place in enumerate(places)
    ]


def _sides(model: Classifier, data: str, rows: Labelled) -> list[WordsOfAnswer]:
    """One model's answers, and its word importance for the true label."""
    given, contexts = model.predict_proba(rows.inputs), rows.inputs.contexts
    fields = ["text"] if contexts is None or max(map(len, contexts)) > LONGEST else ["text", "context"]
    scored = [
        word_importance(model, rows.inputs, target=rows.labels, field=field, samples=SAMPLES)
        for field in fields
    ]
    sides = []
    for i, answer in enumerate(model.predict(rows.inputs)):
        probability = round(float(given[i, model.labels_.index(answer)]), 4)
        words = [
            tuple(
                (*span, round(float(score), 4))
                for span, score in zip(one[i].spans, one[i].scores, strict=True)
            )
            for one in scored
        ]
        sides.append(WordsOfAnswer(data, answer, probability, *words))
    return sides


Record = TypeVar("Record")
MIN_GROUP = 10  # rows of the smallest group that can be the worst
MANY = 2000  # test rows above which slow metrics are resampled less often


def measure(
    trainings: Trainings,
    *,
    concerns: Sequence[Concern],
    settings: Mapping[str, object],
    perturbed_files: Mapping[str, str],
    watcher: Watcher,
) -> ProveResult:
    """The result without the time it took. perturbed_files: the file with the perturbed rows of each test set."""
    watcher.step("measuring")
    answers = {
        (*trained, test.name): np.stack(
            [softmax(one.logits[test.name]) for one in trainings.seeds_of(*trained)]
        )
        for trained in trainings.trained
        for test in trainings.tests
    }
    correct = {
        key: correctness(_truth(trainings, key[3]), given, trainings.labels) for key, given in answers.items()
    }
    worst = tuple(_worst_groups(trainings, correct))
    worst_figures = [
        Figure(one.data, one.model, one.method, one.test, "worst_group_accuracy", one.accuracy, None, one.low, one.high, one.seeds)
        for one in worst
    ]  # fmt: skip
    fair = measure_fairscores(trainings, files=perturbed_files)
    watcher.step("measuring the leak of each version")
    leaks = tuple(_leaks(trainings))
    versions, tests = trainings.versions, trainings.tests
    matched = {one.name: matched_texts(versions[0], one) for one in versions[1:]}
    return ProveResult(
        labels=trainings.labels,
        versions=tuple(
            VersionSummary(
                one.name,
                one.dataset.source_name,
                one.dataset.n_used,
                dict(zip(one.dataset.labels, map(int, one.dataset.label_counts), strict=True)),
                one.dataset.fingerprint,
            )
            for one in versions
        ),
        tests=tuple(map(_test, tests)),
        concerns=(*concerns, *_unmatched(versions, matched)),
        rows=(*_figures(trainings, answers), *worst_figures, *fair.figures),
        comparisons=(*_comparisons(trainings, correct), *fair.comparisons),
        groups=tuple(_groups(trainings, correct)),
        worst=worst,
        leaks=leaks,
        apart=tuple(
            Distance(name, versions[0].name, len(pairs), changed_share(*zip(*pairs, strict=True)))
            for name, pairs in matched.items()
            if pairs
        ),
        failed=tuple(
            FailedTraining(cell.data, cell.model, cell.method, cell.seed, error)
            for cell, error in trainings.failed.items()
        ),
        settings=settings,
        longway=version("longway"),
        created=now(),
        notes=tuple(_notes(trainings)),
        examples=tuple(changed_answers(trainings)),
        fairscore=fair.details,
    )


def record_of(kind: type[Record], measured: Measure, *place: str, **values: object) -> Record:
    """A record with the fields of a measurement. place: data, model, method and test. values: further fields, or other values."""
    named = dict(zip(("data", "model", "method", "test"), place, strict=False))
    return cast(Record, from_json(kind, {**measured.to_dict(), **named, **values}))


def _truth(trainings: Trainings, test: str) -> list[str]:
    return list(next(one for one in trainings.tests if one.name == test).rows.labels)


def _figures(trainings: Trainings, answers: Mapping[Key, Floats]) -> Iterator[Figure]:
    labels = trainings.labels
    names = {name: name for name in METRICS} | ({f"f1:{labels[-1]}": "binary_f1"} if len(labels) == 2 else {})
    for key, given in answers.items():
        truth = _truth(trainings, key[3])
        for name, metric in names.items():
            draws = 1000 if name == ACCURACY or len(truth) <= MANY else 200
            yield record_of(
                Figure,
                estimate(name, truth, given, labels, clusters=trainings.clusters[key[3]], draws=draws),
                *key,
                metric=metric,
            )


def _comparisons(trainings: Trainings, correct: Mapping[Key, Bools]) -> Iterator[Comparison]:
    """Each version against the first, and each method against plain training; one q over all of them."""
    pairs = list(trainings.compared(correct))
    tested: list[Paired] = adjust(
        [paired(correct[old], correct[new], clusters=trainings.clusters[new[3]]) for new, old in pairs]
    )
    for (new, old), found in zip(pairs, tested, strict=True):
        method = old[2] if old[2] != new[2] else None
        yield record_of(Comparison, found, *new, metric=ACCURACY, against=old[0], against_method=method)


def _pattern_rows(trainings: Trainings, test: str) -> Bools:
    """(rows, patterns): whether a row of the test set has a pattern."""
    return np.asarray(trainings.shows[test].todense()) > 0


def _groups(trainings: Trainings, correct: Mapping[Key, Bools]) -> Iterator[PatternGroups]:
    """Supporting and counter-examples of each pattern."""
    for key, given in correct.items():
        truth, has = np.array(_truth(trainings, key[3])), _pattern_rows(trainings, key[3])
        for i, one in enumerate(trainings.patterns):
            finding = one.finding
            found = pattern_accuracy(
                given, has[:, i], truth == finding.label, clusters=trainings.clusters[key[3]]
            )
            sides = [_side(side) for side in (found.supporting, found.counter)]
            yield PatternGroups(*key, finding.pattern, finding.label, *sides)


def _side(group: GroupAccuracy) -> GroupSide | None:
    return record_of(GroupSide, group) if group.n else None


def _worst_groups(trainings: Trainings, correct: Mapping[Key, Bools]) -> Iterator[WorstGroup]:
    """The rows with one pattern and one label that are answered worst, for each training and test set."""
    for key, given in correct.items():
        truth, has = np.array(_truth(trainings, key[3])), _pattern_rows(trainings, key[3])
        each = [
            group_accuracies(
                given[:, mask],
                [f"“{one.finding.pattern}”, {label}"] * int(mask.sum()),
                clusters=[together[mask] for together in trainings.clusters[key[3]]],
            )[0]
            for i, one in enumerate(trainings.patterns)
            for label in np.unique(truth)
            if (mask := has[:, i] & (truth == label)).sum() >= MIN_GROUP
        ]
        if each:
            lowest = min(each, key=lambda group: group.accuracy)
            yield record_of(WorstGroup, lowest, *key, seeds=len(given))


def _leaks(trainings: Trainings) -> Iterator[VersionLeak]:
    for one in trainings.versions:
        reading = trainings.readings[f"version {one.name}"]
        for part, roles in parts_of(reading).items():
            leak = leak_by_folds(reading, part)
            columns = " and ".join(reading.columns[role] for role in roles)
            yield VersionLeak(one.name, part, columns, leak.accuracy, leak.low, leak.high, leak.majority)


def _notes(trainings: Trainings) -> Iterator[TrainingNote]:
    """Methods that did no more than plain training, and models without randomness."""
    for cell, one in trainings.cells.items():
        if one.note:
            yield TrainingNote(cell.data, cell.model, cell.method, cell.seed, one.note)
    text = "it is deterministic: all seeds gave the same model, so a std of 0 over seeds means nothing"
    for data, model in dict.fromkeys(trained[:2] for trained in trainings.trained):
        each = trainings.seeds_of(data, model, PLAIN)
        if len(each) > 1 and all(
            np.array_equal(logits, each[0].logits[test])
            for one in each
            for test, logits in one.logits.items()
        ):
            yield TrainingNote(data, model, PLAIN, None, text)


def _test(one: TestSet) -> TestSummary:
    counts = dict(sorted(Counter(one.rows.labels).items()))
    majority = max(counts.values()) / len(one.rows)
    return TestSummary(one.name, one.dataset.source_name, len(one.rows), counts, majority, one.left_out)


def matched_texts(first: Version, one: Version) -> list[tuple[str, str]]:
    """The texts of each row that both versions have, matched by id.

    If ids are row numbers, the rows must be in the same order, otherwise none is matched: at most one label in
    twenty differs, and at least half of the rows that did not change have the same number in both versions.
    """
    old, new = (
        dict(
            zip(ids_of(each.dataset), zip(each.rows.inputs.texts, each.rows.labels, strict=True), strict=True)
        )
        for each in (first, one)
    )
    rows = [(row, new[id_]) for id_, row in old.items() if id_ in new]
    if not one.dataset.ids_are_good or (
        not first.dataset.ids_are_good and one.dataset.columns.id != ID_COLUMN
    ):
        unchanged = (Counter(old.values()) & Counter(new.values())).total()
        in_place = sum(before == after for before, after in rows)
        relabelled = sum(before[1] != after[1] for before, after in rows)
        if 2 * in_place < unchanged or 20 * relabelled > len(rows):
            return []
    return [(before[0], after[0]) for before, after in rows]


def _unmatched(
    versions: Sequence[Version], matched: Mapping[str, list[tuple[str, str]]]
) -> Iterator[Concern]:
    """The versions whose rows cannot be matched with those of the first."""
    for one in versions[1:]:
        if not matched[one.name]:
            text = (
                f"The rows of {versions[0].name!r} and {one.name!r} cannot be matched, so how much the texts differ was "
                "not measured. Give both a column 'id' with the same ids."
            )
            yield Concern.remark("data", len(one.rows), text)
