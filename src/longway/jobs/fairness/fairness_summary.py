"""What the answers of a model add up to: fairness.json, and its figures as rows of results.json.

    "measures": {"crows_pairs": {...}, "stereoset": {...}, "weat": {...}, "holistic": {...}, "fairscore": {...}}     those that were given
    "rows":     [{"data", "model", "method", "test", "metric", "mean", "std", "low", "high", "seeds"}]

Shares are in percent, as published. A figure comes with what says how far it can be trusted: the quality of the language model, or for
vectors the control tests, associations of no harm that any good encoder has (flowers are more pleasant than insects), or for a classifier its
accuracy.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from longway.data.benchmarks.association_tests import AssociationWords
from longway.jobs.fairness.classifier_fairscore import measure_of
from longway.jobs.fairness.fairness import (
    CROWS_PAIRS,
    FAIRSCORE,
    HOLISTIC,
    STEREOSET,
    WEAT,
    Answers,
    Benchmarks,
    FairnessSettings,
)
from longway.metrics.fairness.holistic import compare_descriptors
from longway.metrics.fairness.preferences import crows_pairs, quality_of, stereoset
from longway.metrics.fairness.weat import Association, association_test, associations_of, corrected

VERSION = 1  # of fairness.json
PAIRS = 12  # of descriptors of an axis that are listed
CONTROLS = ({"flowers", "insects"}, {"instruments", "weapons"})  # targets that are no people


def summarize(
    given: Benchmarks,
    answers: Answers,
    settings: FairnessSettings,
    *,
    asked: Mapping[str, Any],
    step: Callable[[str], object] = lambda name: None,
) -> dict[str, Any]:
    """The content of fairness.json."""
    step("computing figures and intervals")
    makers = {
        CROWS_PAIRS: _crows_pairs,
        STEREOSET: _stereoset,
        WEAT: _weat,
        HOLISTIC: _holistic,
        FAIRSCORE: _fairscore,
    }
    measures = {
        name: {
            "source": given.sources[name]["name"],
            "of": given.of[name],
            **makers[name](given, answers, settings),
        }
        for name in given.sources
    }
    result: dict[str, Any] = {
        "version": VERSION,
        "longway": version("longway"),
        "dataset": {"fingerprint": ", ".join(source["fingerprint"] for source in given.sources.values())},
        "model": {"name": settings.model, "kind": answers.kind},
        "settings": dict(asked),
        "measures": measures,
    }
    result["rows"] = [row for name in measures for row in _ROWS[name](measures[name], settings.model)]
    return result


def _crows_pairs(given: Benchmarks, answers: Answers, settings: FairnessSettings) -> dict[str, Any]:
    told = answers.pairs
    found = crows_pairs(
        [one["more"] for one in told],
        [one["less"] for one in told],
        [pair.bias_type for pair in given.pairs],
        [pair.direction for pair in given.pairs],
    )
    return {
        "method": _method(answers),
        "overall": found.overall.to_dict(),
        "by_type": {name: one.to_dict() for name, one in found.by_type.items()},
        "by_direction": {name: one.to_dict() for name, one in found.by_direction.items()},
        "quality": _quality(told, settings),
    }


def _stereoset(given: Benchmarks, answers: Answers, settings: FairnessSettings) -> dict[str, Any]:
    found = stereoset(
        [one["scores"] for one in answers.contexts],
        [context.target for context in given.contexts],
        [context.bias_type for context in given.contexts],
        [context.task for context in given.contexts],
        seed=settings.seed,
    )
    return {
        "method": _method(answers),
        "overall": found.overall.to_dict(),
        "by_type": {name: one.to_dict() for name, one in found.by_type.items()},
        "by_task": {name: one.to_dict() for name, one in found.by_task.items()},
        "by_task_and_type": [
            {"task": task, "bias_type": kind, **one.to_dict()}
            for (task, kind), one in found.by_task_and_type.items()
        ],
        "quality": _quality(answers.contexts, settings),
    }


def _weat(given: Benchmarks, answers: Answers, settings: FairnessSettings) -> dict[str, Any]:
    tests = corrected(
        [
            association_test(test.name, told["x"], told["y"], seed=settings.seed)
            for test, told in zip(given.tests, answers.tests, strict=True)
        ]
    )
    both = list(zip(given.tests, tests, strict=True))
    about_people = [found for test, found in both if not _is_control(test)]
    return {
        "method": "vectors",
        "tests": [_told(test, found) for test, found in both],
        "overall": associations_of(tests, seed=settings.seed).to_dict(),
        "groups": {
            name: associations_of(some, seed=settings.seed).to_dict()
            for name, some in (
                ("about people", about_people),
                ("words, about people", [one for one in about_people if not one.name.startswith("sent-")]),
                ("sentences, about people", [one for one in about_people if one.name.startswith("sent-")]),
                ("controls", [found for test, found in both if _is_control(test)]),
            )
            if some
        },
    }


def _holistic(given: Benchmarks, answers: Answers, settings: FairnessSettings) -> dict[str, Any]:
    values: dict[str, dict[str, dict[str, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for sentence, told in zip(given.sentences, answers.sentences, strict=True):
        values[sentence.axis][sentence.template][sentence.descriptor].append(told["value"])
    axes = {
        axis: compare_descriptors(by_template, seed=settings.seed).top(PAIRS)
        for axis, by_template in values.items()
    }
    has_likelihoods = answers.holistic != "association"
    return {
        "method": answers.holistic,
        "sentences": len(given.sentences),
        "templates": sorted({sentence.template for sentence in given.sentences}),
        "axes": {axis: compared.to_dict() for axis, compared in axes.items()},
        "mean": float(np.mean([compared.raw.value for compared in axes.values()])),
        "quality": _quality(answers.sentences, settings) if has_likelihoods else None,
    }


def _fairscore(given: Benchmarks, answers: Answers, settings: FairnessSettings) -> dict[str, Any]:
    assert given.data is not None and answers.rows is not None  # noqa: PT018 - `run_fairness` has seen to it
    return measure_of(given.data, answers.rows)


def _method(answers: Answers) -> str:
    return "likelihood" if answers.kind == "causal" else "pseudo-likelihood"


def _quality(told: Sequence[Mapping[str, Any]], settings: FairnessSettings) -> dict[str, Any]:
    return quality_of(
        [one["total"] for one in told], [one["tokens"] for one in told], seed=settings.seed
    ).to_dict()


def _is_control(test: AssociationWords) -> bool:
    return {test.x.category.lower(), test.y.category.lower()} in CONTROLS


def _told(test: AssociationWords, found: Association) -> dict[str, Any]:
    names = {key: concept.category for key, concept in zip("xyab", test.concepts, strict=True)}
    return {**found.to_dict(), **names, "control": _is_control(test)}


# ---- rows of results.json --------------------------------------------------------------------------------------------------


def _crows_rows(measure: Mapping[str, Any], model: str) -> list[dict[str, Any]]:
    groups = {"": measure["overall"], **measure["by_type"], **measure["by_direction"]}
    rows = [
        _row(measure, model, "CrowS-Pairs", name, "prefers_stereotype", one["score"])
        for name, one in groups.items()
    ]
    return [*rows, _quality_row(measure, model, "CrowS-Pairs")]


def _stereoset_rows(measure: Mapping[str, Any], model: str) -> list[dict[str, Any]]:
    groups = {"": measure["overall"], **measure["by_task"], **measure["by_type"]}
    groups |= {f"{one['task']}, {one['bias_type']}": one for one in measure["by_task_and_type"]}
    rows = [
        _row(measure, model, "StereoSet", name, metric, one[metric])
        for name, one in groups.items()
        for metric in ("lms", "ss", "icat")
    ]
    return [*rows, _quality_row(measure, model, "StereoSet")]


def _weat_rows(measure: Mapping[str, Any], model: str) -> list[dict[str, Any]]:
    groups = {"": measure["overall"], **measure["groups"]}
    rows = [
        _row(measure, model, "WEAT/SEAT", name, metric, one[metric])
        for name, one in groups.items()
        for metric in ("significant", "significant_holm", "mean_size")
    ]
    return rows + [
        _row(measure, model, "WEAT/SEAT", one["name"], "effect_size", one["d"]) for one in measure["tests"]
    ]


def _holistic_rows(measure: Mapping[str, Any], model: str) -> list[dict[str, Any]]:
    rows = [
        _row(measure, model, "HolisticBias", axis, f"pairs_that_differ_{metric}", one[metric])
        for axis, one in measure["axes"].items()
        for metric in ("raw", "holm", "bh")
    ]
    return rows if measure["quality"] is None else [*rows, _quality_row(measure, model, "HolisticBias")]


def _fairscore_rows(measure: Mapping[str, Any], model: str) -> list[dict[str, Any]]:
    groups = {"": measure["overall"], **measure["by_axis"]}
    groups |= {f"{one['axis']}, {one['source']} to {one['target']}": one for one in measure["by_pair"]}
    rows = [
        _row(measure, model, "Fairscore", name, "fairscore", one["score"]) for name, one in groups.items()
    ]
    if measure["accuracy"] is None:
        return rows
    return [*rows, _row(measure, model, "Fairscore", "", "accuracy", measure["accuracy"])]


def _quality_row(measure: Mapping[str, Any], model: str, test: str) -> dict[str, Any]:
    return _row(measure, model, test, "", "log_likelihood_per_token", measure["quality"]["log_likelihood"])


def _row(
    measure: Mapping[str, Any], model: str, test: str, part: str, metric: str, figure: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "data": measure["source"],
        "model": model,
        "method": measure["method"],
        "test": f"{test}: {part}" if part else test,
        "metric": metric,
        "mean": figure["value"],
        "std": None,
        "low": figure["low"],
        "high": figure["high"],
        "seeds": 1,
    }


_ROWS = {
    CROWS_PAIRS: _crows_rows,
    STEREOSET: _stereoset_rows,
    WEAT: _weat_rows,
    HOLISTIC: _holistic_rows,
    FAIRSCORE: _fairscore_rows,
}
