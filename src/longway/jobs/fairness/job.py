"""Fairness: measure a model with published benchmarks, or the fairscore of a classifier on labelled data.

    files  ->  items, sampled  ->  the model's answers, kept in the journal  ->  measures  ->  fairness.json, results.json, report.html, card.md

All measures are optional. None of them can show that a model is fair; see `metrics.fairness`.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from longway.data import with_columns
from longway.data.benchmarks.association_tests import AssociationWords
from longway.errors import SettingError, with_checked_arguments
from longway.jobs.engine_use import Engines, close, costs
from longway.jobs.fairness import answers
from longway.jobs.fairness.answers import ItemScores, Questions
from longway.jobs.fairness.benchmarks import Benchmarks, read_benchmarks
from longway.jobs.fairness.classifier import ClassifierRows, FairscoreRun
from longway.jobs.fairness.models import MeasuredModel
from longway.jobs.fairness.page import fairness_page  # noqa: F401  (registers the page of the result)
from longway.jobs.fairness.result import (
    CrowsPairsMeasure,
    FairnessResult,
    HolisticMeasure,
    Measures,
    NamedAssociation,
    NamedModel,
    StereoSetMeasure,
    TaskScores,
    WeatMeasure,
)
from longway.jobs.fairness.settings import FairnessSettings
from longway.jobs.options import settings_from
from longway.jobs.perturb.perturbers import Who, who_perturbs
from longway.jobs.run import ActiveRun, PlannedRun, RunIdentity, Watcher
from longway.metrics.fairness.holistic import compare_descriptors
from longway.metrics.fairness.preferences import Quality, crows_pairs, quality_of, stereoset
from longway.metrics.fairness.weat import association_test, associations_of, corrected
from longway.store import Journal

Item = TypeVar("Item")
N_PAIRS = 12  # descriptor pairs listed per axis
CONTROLS = ({"flowers", "insects"}, {"instruments", "weapons"})  # targets that are not people
NOTHING = (
    "There is nothing to measure with. Give at least one of these files, which are not part of Longway: "
    "--crows-pairs FILE: crows_pairs_anonymized.csv of nyu-mll/crows-pairs. "
    "--stereoset FILE: data/dev.json of moinnadeem/StereoSet. "
    "--weat FILE_OR_FOLDER: tests/ of W4ngatang/sent-bias. "
    "--holistic FOLDER: holistic_bias/dataset of facebookresearch/ResponsibleNLP (all on GitHub). "
    "For a classifier, --fairscore DATA: any labelled data that it was not trained on. "
    "For example: longway fairness --model local --crows-pairs crows_pairs_anonymized.csv"
)


@with_checked_arguments
def fairness(
    data: object = None,
    settings: FairnessSettings | None = None,
    *,
    split: str | None = None,
    engines: Engines | None = None,
    out: Path | str | Literal[True] | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> FairnessResult:
    """Measure stereotypes in a language model or encoder, or the fairscore of a classifier.

    data: labelled data for the fairscore, if the model is a classifier; anything that `load` reads. split: the split of it to use.
    engines: where a served model and a served perturber are, and what they may cost; `judge_base_url` is the address of the model, if it is another.
    out: write a run folder; True chooses one in longway-runs. A finished run is read, an interrupted one is resumed.
    watcher: follows the run. options: columns as in `load` (text, context, label, id), and the options of `longway fairness` by name, such as `model="minilm", weat="tests"`.
    """
    if data is not None:
        data, options = with_columns(data, options)
    chosen = settings_from(FairnessSettings, settings, options)
    watcher, engines = watcher or Watcher(), engines or Engines()
    if chosen.axes and chosen.holistic is None:
        raise SettingError(
            f"'axes' are those of HolisticBias, which is not measured. Got {', '.join(chosen.axes)}. "
            "Give its folder: holistic=FOLDER, on the command line --holistic FOLDER. Or leave them out."
        )
    watcher.step("reading the benchmarks")
    rows = None
    if data is not None:
        rows = ClassifierRows.of(data, split=split, limit=chosen.limit, seed=chosen.seed)
    elif chosen.perturber or chosen.describe:
        raise SettingError(
            "--perturber and --describe are about the fairscore, and there is no data for it. Add --fairscore DATA, or remove them."
        )
    elif not chosen.files:
        raise SettingError(NOTHING)
    given = read_benchmarks(chosen)
    fingerprints = dict(given.fingerprints) | ({"fairscore": rows.dataset.fingerprint} if rows else {})
    model = MeasuredModel.named(chosen, fingerprints, engines)
    with ExitStack() as stack:
        stack.callback(close, model.engine)
        who = None
        if rows is not None:
            who = who_perturbs(chosen.perturb, replace(engines, device=chosen.device))
            stack.callback(close, who.engine)
        return _Job(chosen, model, given, rows, who, fingerprints, engines, watcher).run(out)


@dataclass(frozen=True, slots=True)
class _Job:
    """A measurement whose files and models are known."""

    settings: FairnessSettings
    model: MeasuredModel
    given: Benchmarks
    rows: ClassifierRows | None
    who: Who | None
    fingerprints: Mapping[str, str]
    engines: Engines
    watcher: Watcher

    def run(self, out: Path | str | Literal[True] | None) -> FairnessResult:
        """Measure, in a run folder if there is to be one."""
        if out is None:
            return self._measure(Journal(None), None)
        digest = sha256(" ".join(self.fingerprints.values()).encode()).hexdigest()
        identity = RunIdentity("fairness", self._recorded(), f"sha256:{digest}")
        planned = PlannedRun.choose(identity, self.settings.model, None if out is True else out)
        return planned.read(FairnessResult) or planned.make(self._work, self.watcher)

    def _work(self, run: ActiveRun) -> FairnessResult:
        result = self._measure(run.journal, run.folder)
        run.run.write("results.json", {"rows": result.to_dict()["rows"]})
        return result

    def _recorded(self) -> dict[str, object]:
        more: dict[str, object] = {"measures": self.fingerprints, "identity": self.model.identity}
        if self.who is not None and self.who.fingerprint:
            more["perturber_fingerprint"] = self.who.fingerprint
        if self.who is not None and self.who.engine is not None:
            more["perturber_identity"] = dict(self.who.engine.identity)
        return {**self.settings.recorded(), **more}

    def _measure(self, journal: Journal, folder: Path | None) -> FairnessResult:
        started = time.monotonic()
        questions = Questions(journal, self.watcher)
        measures = Measuring(self.model, self.given, self.settings, questions).measures()
        failed: Mapping[str, int] = {}
        asked = self.model.engine
        if self.rows is not None and self.who is not None and self.model.classifier is not None:
            measured = FairscoreRun(
                self.model.classifier,
                self.rows,
                self.who,
                questions,
                describe=self.settings.describe,
                budget=self.engines.budget,
                folder=folder,
            )
            fairscore, failed = measured.measure()
            measures = replace(measures, fairscore=fairscore)
        engines = [one for one in (self.who.engine if self.who else None, asked) if one is not None]
        names = {engine.name for engine in engines}
        return FairnessResult(
            NamedModel(self.settings.model, self.model.kind),
            measures,
            self.settings,
            self.fingerprints,
            self.model.identity,
            version("longway"),
            round(time.monotonic() - started, 1),
            folder,
            failed,
            tuple(one for one in costs(journal, *engines) if one.engine in names),
        )


@dataclass(frozen=True, slots=True)
class Measuring:
    """Asks a model about the items of the published files, and computes their measures."""

    model: MeasuredModel
    given: Benchmarks
    settings: FairnessSettings
    questions: Questions

    def measures(self) -> Measures:
        """The measures of the files that were given."""
        files = self.settings.files
        return Measures(
            self._crows_pairs() if "crows_pairs" in files else None,
            self._stereoset() if "stereoset" in files else None,
            self._weat() if "weat" in files else None,
            self._holistic() if "holistic" in files else None,
        )

    def _ask(
        self,
        name: str,
        items: Sequence[Item],
        score: Callable[[Any, Sequence[Item]], list[ItemScores]],
        *,
        as_json: Callable[[Any], Mapping[str, object]] = asdict,
        batch: int = answers.BATCH,
    ) -> list[ItemScores]:
        by_vectors = score in (answers.associate_targets, answers.associate_sentences)
        model = self.model.vectors if by_vectors else self.model.likelihoods
        assert model is not None  # `MeasuredModel.named` has checked it
        shaped_by = {**model.identity, "asking": answers.VERSION}
        return self.questions.ask(
            name, items, lambda some: score(model, some), into=ItemScores, shaped_by=shaped_by, as_json=as_json, batch=batch
        )  # fmt: skip

    def _about(self, benchmark: str) -> dict[str, Any]:
        source = self.settings.files[benchmark].name
        return {"source": source, "of": self.given.counts[benchmark], "method": self.model.method}

    def _quality(self, scores: Sequence[ItemScores]) -> Quality:
        totals, tokens = [one.total for one in scores], [one.tokens for one in scores]
        return quality_of(totals, tokens, seed=self.settings.seed)

    def _crows_pairs(self) -> CrowsPairsMeasure:
        pairs = self.given.pairs
        scores = self._ask("CrowS-Pairs", pairs, answers.score_pairs)
        preferences = crows_pairs(
            [one.values[0] for one in scores],
            [one.values[1] for one in scores],
            [pair.bias_type for pair in pairs],
            [pair.direction for pair in pairs],
        )
        return CrowsPairsMeasure(**self._about("crows_pairs"), **_fields(preferences), quality=self._quality(scores))  # fmt: skip

    def _stereoset(self) -> StereoSetMeasure:
        contexts = self.given.contexts
        scores = self._ask("StereoSet", contexts, answers.score_contexts)
        preferences = stereoset(
            [one.values for one in scores],
            [context.target for context in contexts],
            [context.bias_type for context in contexts],
            [context.task for context in contexts],
            seed=self.settings.seed,
        )
        by_both = tuple(
            TaskScores(**_fields(group), task=task, bias_type=bias_type)
            for (task, bias_type), group in preferences.by_task_and_type.items()
        )
        parts = _fields(preferences) | {"by_task_and_type": by_both}
        return StereoSetMeasure(**self._about("stereoset"), **parts, quality=self._quality(scores))

    def _weat(self) -> WeatMeasure:
        seed, given = self.settings.seed, self.given.tests
        scores = self._ask("WEAT and SEAT", given, answers.associate_targets, batch=1)
        tests = []
        for words, score in zip(given, scores, strict=True):
            n = len(words.x.examples)
            tests.append(association_test(words.name, score.values[:n], score.values[n:], seed=seed))
        named = [_named(words, **_fields(test)) for words, test in zip(given, corrected(tests), strict=True)]
        people = [test for test in named if not test.control]
        groups = {
            "about people": people,
            "words, about people": [test for test in people if not test.name.startswith("sent-")],
            "sentences, about people": [test for test in people if test.name.startswith("sent-")],
            "controls": [test for test in named if test.control],
        }
        summaries = {name: associations_of(some, seed=seed) for name, some in groups.items() if some}
        overall = associations_of(named, seed=seed)
        about = self._about("weat") | {"method": "vectors"}
        return WeatMeasure(**about, tests=tuple(named), overall=overall, groups=summaries)

    def _holistic(self) -> HolisticMeasure:
        sentences = self.given.sentences
        name, score = (
            ("HolisticBias", answers.score_sentences)
            if self.model.likelihoods is not None
            else ("HolisticBias, by association", answers.associate_sentences)
        )
        scores = self._ask(name, [one.text for one in sentences], score, as_json=lambda text: {"text": text})
        values: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        for one, scored in zip(sentences, scores, strict=True):
            values[one.axis][one.template][one.descriptor].append(scored.values[0])
        axes = {
            axis: compare_descriptors(by_template, seed=self.settings.seed).top(N_PAIRS)
            for axis, by_template in values.items()
        }
        return HolisticMeasure(
            **self._about("holistic"),
            sentences=len(sentences),
            templates=tuple(sorted({one.template for one in sentences})),
            axes=axes,
            mean=float(np.mean([descriptors.raw.value for descriptors in axes.values()])),
            quality=self._quality(scores) if self.model.likelihoods is not None else None,
        )


def _named(words: AssociationWords, **test: Any) -> NamedAssociation:
    x, y, a, b = (concept.category for concept in words.concepts)
    return NamedAssociation(**test, x=x, y=y, a=a, b=b, control={x.lower(), y.lower()} in CONTROLS)


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass, by name; unlike with `asdict`, their values stay what they are."""
    return {each.name: getattr(record, each.name) for each in fields(record)}
