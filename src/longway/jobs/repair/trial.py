"""Which remedy for your data? Each is tried on a sample, and a quick model is tested where shortcuts do not help.

    try_remedies(dataset, rows, settings, ...)  ->  Trial: one `TrialRow` for each remedy, and the one to use

By cross-validation: rows of two folds are repaired, a model learns from them, and answers the rows of the third as they are. Counter-examples
are the rows in which the strongest patterns of the folds learned from point to another label than theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from longway.classify.catalog import model_named
from longway.classify.classifier import Inputs, Labelled
from longway.classify.objectives import CrossEntropy
from longway.classify.training import TrainingData
from longway.detect.clusters import copies_of, linked
from longway.detect.reading import Reading
from longway.errors import LongwayError
from longway.jobs.repair.plan import LEVELS, RepairPlan
from longway.jobs.repair.repairing import Repairing
from longway.jobs.repair.settings import COUNTERPART, DROP, WEIGH, RepairSettings
from longway.jobs.rows import dataset_of, rows_of
from longway.jobs.run import Watcher
from longway.languages.words import languages_in_use
from longway.methods.method import Rows
from longway.methods.repair.remedy import RepairRow, Target
from longway.methods.repair.take_out import shows
from longway.stats import wilson_interval

ROWS = 900  # of the sample
FOLDS = 3
STRONGEST = 12  # patterns that say what a counter-example is
LOSS = 0.02  # accuracy on all rows that a remedy may cost
FEWEST = 20  # counter-examples that can decide
NOTHING, CHANGE, ALL = "nothing", "change texts", "all of them"
Plan = Callable[[Rows, RepairSettings], RepairPlan]
Build = Callable[[Rows, RepairPlan, RepairSettings], Repairing]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TrialRow:
    """One remedy. remedies: those it stands for; rows: that the model learned from, on average. accuracy, counter: on all rows and on
    counter-examples of the folds left out, with 95% intervals."""

    name: str
    remedies: tuple[str, ...]
    rows: int
    accuracy: float
    low: float
    high: float
    counter: float
    counter_low: float
    counter_high: float


@dataclass(frozen=True, slots=True)
class Trial:
    """All remedies that were tried. model: that learned. counter_examples: rows that it was tested on. chosen: the name of the best."""

    model: str
    sample: int
    counter_examples: int
    rows: tuple[TrialRow, ...]
    chosen: str

    @property
    def best(self) -> TrialRow:
        """The row of the remedy to use."""
        return next(row for row in self.rows if row.name == self.chosen)


def try_remedies(
    rows: Rows, settings: RepairSettings, *, plan: Plan, build: Build, watcher: Watcher
) -> Trial:
    """Compare the remedies of the plan on a sample. plan: makes the plan of some rows; build: puts a repair together."""
    watcher.step("trying remedies")
    sample = rows_of(dataset_of(_sample(rows, settings.seed)), seed=settings.seed)
    model = _encoder() or "bow"
    tried = _variants(plan(sample, settings))
    folds = _folds(sample, settings.seed)
    counters = np.zeros(len(sample), dtype=bool)
    right = {name: np.zeros(len(sample), dtype=bool) for name in tried}
    learned: dict[str, list[int]] = {name: [] for name in tried}
    done = 0
    for fold in range(FOLDS):
        train, test = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        part = sample.part(train.tolist())
        counters[test] = _counter_examples(sample, test, plan(part, settings).targets)
        for name, remedies in tried.items():
            data = _repaired(part, replace(settings, remedy=remedies), plan, build, watcher)
            learned[name].append(len(data.labelled))
            right[name][test] = _right(model, data, sample.part(test.tolist()), settings.seed)
            done += 1
            watcher.progress(done, FOLDS * len(tried))
    found = tuple(_row(name, tried[name], learned[name], right[name], counters) for name in tried)
    return Trial(model, len(sample), int(counters.sum()), found, _chosen(found, int(counters.sum())))


def _variants(plan: RepairPlan) -> dict[str, tuple[str, ...]]:
    """The remedies to compare: all that change texts together, each of the others, and the whole plan."""
    steps = [step.remedy for step in plan.steps]
    change = tuple(name for name in steps if name in LEVELS)
    alone = [COUNTERPART] if COUNTERPART in steps else []
    variants = {NOTHING: (), CHANGE: change, **{name: (name,) for name in [*alone, DROP, WEIGH]}}
    if len(steps) > 1:
        variants[ALL] = tuple(steps)
    return {name: remedies for name, remedies in variants.items() if remedies or name == NOTHING}


def _repaired(
    part: Rows, settings: RepairSettings, plan: Plan, build: Build, watcher: Watcher
) -> TrainingData:
    """The rows after a repair, as classifiers take them."""
    weights = None
    if settings.remedy:
        repairing = build(part, plan(part, settings), settings)
        for _ in repairing.run():
            pass
        rows = repairing.repair.rows_now()
        weights = np.array(list(repairing.repair.weights.values())) if repairing.repair.weights else None
    else:
        rows = [(text, part.context(i), part.label(i)) for i, text in enumerate(part.texts)]
    contexts = None if part.contexts is None else [context or "" for _, context, _ in rows]
    labelled = Labelled(Inputs([text for text, _, _ in rows], contexts), [label for _, _, label in rows])
    return TrainingData(labelled, weights=weights)


def _right(model: str, data: TrainingData, test: Rows, seed: int) -> NDArray[np.bool_]:
    """Which rows a model that learned from the data gets right."""
    objective = None if data.weights is None else CrossEntropy(data.targets(), weights=data.weights)
    trained = model_named(model, seed=seed).fit(data.labelled, objective=objective)
    logits = trained.logits(Inputs(list(test.texts), None if test.contexts is None else list(test.contexts)))
    predicted = [trained.labels_[i] for i in logits.argmax(axis=1)]
    return np.array([label == test.label(i) for i, label in enumerate(predicted)])


def _counter_examples(rows: Rows, places: Ints, targets: Sequence[Target]) -> NDArray[np.bool_]:
    """Which rows show patterns, and only such as predict another label than theirs."""
    found = []
    for place in places.tolist():
        row = RepairRow(place, rows.texts[place], rows.label(place), rows.context(place))
        labels = {one.label for one in targets[:STRONGEST] if shows(one.pattern, row.text, row)}
        found.append(bool(labels) and row.label not in labels)
    return np.array(found, dtype=bool)


def _row(
    name: str,
    remedies: tuple[str, ...],
    learned: Sequence[int],
    right: NDArray[np.bool_],
    counters: NDArray[np.bool_],
) -> TrialRow:
    def measured(chosen: NDArray[np.bool_]) -> tuple[float, float, float]:
        share = float(chosen.mean()) if len(chosen) else 0.0
        low, high = wilson_interval(share, len(chosen)) if len(chosen) else (0.0, 1.0)
        return share, low, high

    return TrialRow(
        name, remedies, round(float(np.mean(learned))), *measured(right), *measured(right[counters])
    )


def _chosen(rows: Sequence[TrialRow], counter_examples: int) -> str:
    """The remedy with the best answers on counter-examples among those that cost little elsewhere; the whole plan if too few rows decide."""
    plain = rows[0]
    if counter_examples < FEWEST:
        return rows[-1].name
    good = [row for row in rows if row.accuracy >= plain.accuracy - LOSS]
    return max(good, key=lambda row: (row.counter, row.accuracy)).name


def _folds(rows: Rows, seed: int) -> Ints:
    """The fold of each row; rows that share a text or a context are in one."""
    reading = Reading.of(dataset_of(rows))
    keys = [copies_of(reading.block_of(role, np.arange(len(rows))).keys()) for role in reading.columns]
    groups = linked(keys)
    order = np.random.default_rng(seed).permutation(int(groups.max(initial=0)) + 1)
    return np.asarray(order[groups] % FOLDS, dtype=np.int64)


def _sample(rows: Rows, seed: int) -> Rows:
    if len(rows) <= ROWS:
        return rows
    return rows.part(np.sort(np.random.default_rng(seed).choice(len(rows), ROWS, replace=False)).tolist())


def _encoder() -> str:
    """The embedded encoder that knows the language of most rows; "" if it is not installed."""
    from longway.classify.minilm import MiniLM
    from longway.classify.multilingual import MINILM, encoder_for

    try:
        name = encoder_for(languages_in_use()[:1])
        if name == MINILM:
            MiniLM.load()
    except LongwayError:
        return ""
    return name
