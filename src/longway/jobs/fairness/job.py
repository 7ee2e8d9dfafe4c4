"""Fairness: measure a model with published benchmarks, or the fairscore of a classifier on labelled data.

    files  ->  items, sampled  ->  the model's answers, kept in the journal  ->  measures  ->  fairness.json, results.json, report.html, card.md

All measures are optional. None of them can show that a model is fair; see `metrics.fairness`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from longway.data import with_columns
from longway.data.benchmarks import AssociationWords
from longway.errors import SettingError, with_checked_arguments
from longway.jobs.engine_use import Engines, close, costs
from longway.jobs.fairness import answers
from longway.jobs.fairness.answers import ItemScores
from longway.jobs.fairness.benchmarks import Benchmark, read_benchmarks
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
from longway.jobs.perturb.perturbing import who_perturbs
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, run_job
from longway.metrics.fairness.holistic import compare_descriptors
from longway.metrics.fairness.preferences import crows_pairs, quality_of, stereoset
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
    fingerprints = {name: one.fingerprint for name, one in given.items()}
    fingerprints |= {"fairscore": rows.dataset.fingerprint} if rows else {}
    model = MeasuredModel.named(chosen, fingerprints, engines)
    with ExitStack() as stack:
        stack.callback(close, model.engine)
        who = None
        recorded = {**chosen.recorded(), "measures": fingerprints, "identity": model.identity}
        if rows is not None:
            who = who_perturbs(chosen.perturb, replace(engines, device=chosen.device))
            stack.callback(close, who.engine)
            recorded |= {"perturber_fingerprint": who.fingerprint} if who.fingerprint else {}
            recorded |= {"perturber_identity": dict(who.engine.identity)} if who.engine else {}

        def work(run: ActiveRun) -> FairnessResult:
            started, journal = time.monotonic(), run.journal
            measures = measures_of(model, given, chosen, journal, watcher)
            failed: Mapping[str, int] = {}
            if rows is not None and who is not None and model.classifier is not None:
                fairscore, failed = FairscoreRun(
                    model.classifier, rows, who, journal, watcher, chosen.describe, engines.budget, run.kept
                ).measure()
                measures = replace(measures, fairscore=fairscore)
            called = [one for one in (who.engine if who else None, model.engine) if one is not None]
            names = {engine.name for engine in called}
            result = FairnessResult(
                NamedModel(chosen.model, model.kind),
                measures,
                chosen,
                fingerprints,
                model.identity,
                version("longway"),
                round(time.monotonic() - started, 1),
                run.kept,
                failed,
                tuple(one for one in costs(journal, *called) if one.engine in names),
            )
            run.write("results.json", {"rows": result.to_dict()["rows"]})
            return result

        digest = sha256(" ".join(fingerprints.values()).encode()).hexdigest()
        identity = RunIdentity("fairness", recorded, f"sha256:{digest}", chosen.model)
        return run_job(FairnessResult, identity, work, out, watcher)


def measures_of(
    model: MeasuredModel,
    given: Mapping[str, Benchmark],
    settings: FairnessSettings,
    journal: Journal,
    watcher: Watcher,
) -> Measures:
    """The measures of the files that were given."""
    seed = settings.seed

    def scores_of(
        name: str,
        items: Sequence[Item],
        score: Callable[[Any, Sequence[Item]], list[ItemScores]],
        **more: Any,
    ) -> list[ItemScores]:
        by_vectors = score in (answers.associate_targets, answers.associate_sentences)
        scorer = model.vectors if by_vectors else model.likelihoods
        assert scorer is not None  # `MeasuredModel.named` has checked it
        shaped_by = {**scorer.identity, "asking": answers.VERSION}
        return answers.ask(
            journal, watcher, name, items, partial(score, scorer), into=ItemScores, shaped_by=shaped_by, **more
        )  # fmt: skip

    def about(benchmark: str, scores: Sequence[ItemScores] | None = None) -> dict[str, Any]:
        """What all measures have. scores: likelihoods, which show the quality of the model."""
        same = {
            "source": settings.files[benchmark].name,
            "of": given[benchmark].of,
            "method": model.method,
        }
        if scores is None:
            return same
        totals, tokens = [one.total for one in scores], [one.tokens for one in scores]
        return {**same, "quality": quality_of(totals, tokens, seed=seed)}

    def measured_pairs() -> CrowsPairsMeasure:
        pairs = given["crows_pairs"].items
        scores = scores_of("CrowS-Pairs", pairs, answers.score_pairs)
        more, less = ([one.values[side] for one in scores] for side in (0, 1))
        types, directions = [pair.bias_type for pair in pairs], [pair.direction for pair in pairs]
        found = crows_pairs(more, less, types, directions)
        return CrowsPairsMeasure(**about("crows_pairs", scores), **_fields(found))

    def measured_contexts() -> StereoSetMeasure:
        contexts = given["stereoset"].items
        scores = scores_of("StereoSet", contexts, answers.score_contexts)
        found = stereoset(
            [one.values for one in scores],
            [context.target for context in contexts],
            [context.bias_type for context in contexts],
            [context.task for context in contexts],
            seed=seed,
        )
        by_both = tuple(
            TaskScores(**_fields(group), task=task, bias_type=bias_type)
            for (task, bias_type), group in found.by_task_and_type.items()
        )
        parts = _fields(found) | {"by_task_and_type": by_both}
        return StereoSetMeasure(**about("stereoset", scores), **parts)

    def measured_tests() -> WeatMeasure:
        tests, asked = [], given["weat"].items
        scores = scores_of("WEAT and SEAT", asked, answers.associate_targets, batch=1)
        for words, score in zip(asked, scores, strict=True):
            n = len(words.x.examples)
            tests.append(association_test(words.name, score.values[:n], score.values[n:], seed=seed))
        rows = zip(asked, corrected(tests), strict=True)
        named = [_named(words, **_fields(test)) for words, test in rows]
        people = [test for test in named if not test.control]
        groups = {
            "about people": people,
            "words, about people": [test for test in people if not test.name.startswith("sent-")],
            "sentences, about people": [test for test in people if test.name.startswith("sent-")],
            "controls": [test for test in named if test.control],
        }
        summaries = {name: associations_of(some, seed=seed) for name, some in groups.items() if some}
        overall = associations_of(named, seed=seed)
        more = about("weat") | {"method": "vectors"}
        return WeatMeasure(**more, tests=tuple(named), overall=overall, groups=summaries)

    def measured_sentences() -> HolisticMeasure:
        sentences = given["holistic"].items
        texts = [one.text for one in sentences]
        score: Callable[[Any, Sequence[str]], list[ItemScores]] = answers.associate_sentences
        name = "HolisticBias, by association"
        if model.likelihoods is not None:
            name, score = "HolisticBias", answers.score_sentences
        scores = scores_of(name, texts, score, as_json=lambda text: {"text": text})
        values: dict[str, dict[str, dict[str, list[float]]]] = {}
        for one, scored in zip(sentences, scores, strict=True):
            by_descriptor = values.setdefault(one.axis, {}).setdefault(one.template, {})
            by_descriptor.setdefault(one.descriptor, []).append(scored.values[0])
        axes = {
            axis: compare_descriptors(by_template, seed=seed).top(N_PAIRS)
            for axis, by_template in values.items()
        }
        return HolisticMeasure(
            **about("holistic", scores if model.likelihoods is not None else None),
            sentences=len(sentences),
            templates=tuple(sorted({one.template for one in sentences})),
            axes=axes,
            mean=float(np.mean([descriptors.raw.value for descriptors in axes.values()])),
        )

    measured: dict[str, Callable[[], Any]] = {"crows_pairs": measured_pairs, "stereoset": measured_contexts, "weat": measured_tests, "holistic": measured_sentences}  # fmt: skip
    return Measures(**{name: measure() for name, measure in measured.items() if name in given})


def _named(words: AssociationWords, **test: Any) -> NamedAssociation:
    x, y, a, b = (concept.category for concept in words.concepts)
    return NamedAssociation(**test, x=x, y=y, a=a, b=b, control={x.lower(), y.lower()} in CONTROLS)


def _fields(record: Any) -> dict[str, Any]:
    """The fields of a dataclass, by name; unlike with `asdict`, their values stay what they are."""
    return {each.name: getattr(record, each.name) for each in fields(record)}
