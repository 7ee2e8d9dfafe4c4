"""What the page of a model's measures shows, taken from fairness.json: one section a measure, in reading order.

fairness.json (dict)  ->  fairness_page()  ->  FairnessPage  ->  templates/fairness.html.jinja
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, cut
from longway.show.fairness_charts import Measured, Scale, measured
from longway.show.fairness_verdict import fairness_verdict, key_figures
from longway.show.labels import setting_rows
from longway.show.numbers import NONE, count, counted, duration, q_value, short, signed
from longway.show.sections import KeyFigure

MAX_TESTS, MAX_AXES, MAX_GROUPS = 120, 20, 40
PERCENT = Scale(0, 100, None)
EVEN = Scale(0, 100, 50)
CHANCE = Scale(0, 100, 5)
EFFECT = Scale(-2, 2, 0, digits=2)
SIZE = Scale(0, 2, None, digits=2)
METHODS = {
    "likelihood": "log-likelihood of a causal model",
    "pseudo-likelihood": "pseudo-log-likelihood of a masked model",
    "association": "association of vectors with pleasant and unpleasant words (our own measure, for encoders)",
    "vectors": "vectors of an encoder",
    "predictions": "the label of each row, as it was and with one person changed",
}


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A line of a table: a group, how many items it has, and its figures."""

    name: str
    n: str
    figures: list[Measured]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A title ("" for none), the names of the figures, and the lines."""

    title: str
    columns: list[str]
    rows: list[GroupRow]
    n_more: int = 0


@dataclass(frozen=True, slots=True)
class TestRow:
    """One association test."""

    name: str
    targets: str
    attributes: str
    d: Measured
    p: str
    holm: str
    control: bool


@dataclass(frozen=True, slots=True)
class PairList:
    """The descriptors of an axis that differ most: both names, in how many templates, and by how much."""

    axis: str
    pairs: list[tuple[str, str, str, str]]


@dataclass(frozen=True, slots=True)
class Section:
    """One measure. used: how much of the file; quality: of the language model, "" where it is not one; accuracy: of a classifier."""

    source: str
    method: str
    used: str
    quality: str
    tables: list[Table]
    accuracy: str = ""


@dataclass(frozen=True, slots=True)
class FairnessPage:
    """Everything the template shows; a measure that was not given is None."""

    title: str
    verdict: str
    about: list[tuple[str, str]]
    key_figures: list[KeyFigure]
    crows_pairs: Section | None
    stereoset: Section | None
    weat: Section | None
    tests: list[TestRow]
    n_more_tests: int
    holistic: Section | None
    is_association: bool
    templates: list[str]
    pairs: list[PairList]
    fairscore: Section | None
    file: str
    settings: list[tuple[str, str]]


def fairness_page(result: Mapping[str, Any]) -> FairnessPage:
    """The page of one model."""
    measures = result["measures"]
    weat, holistic = measures.get("weat"), measures.get("holistic")
    tests = weat["tests"] if weat else []
    shown = {key: value for key, value in result["settings"].items() if key not in ("measures", "identity")}
    return FairnessPage(
        title=cut(result["model"]["name"], PATTERN_LIMIT),
        verdict=fairness_verdict(measures),
        about=[
            ("Model", cut(result["model"]["kind"], NAME_LIMIT)),
            ("Measures", count(len(measures))),
            ("Time", duration(result["seconds"])),
        ],
        key_figures=key_figures(measures),
        crows_pairs=_crows_pairs(measures["crows_pairs"]) if "crows_pairs" in measures else None,
        stereoset=_stereoset(measures["stereoset"]) if "stereoset" in measures else None,
        weat=_weat(weat) if weat else None,
        tests=[_test(one) for one in tests[:MAX_TESTS]],
        n_more_tests=max(0, len(tests) - MAX_TESTS),
        holistic=_holistic(holistic) if holistic else None,
        is_association=bool(holistic and holistic["method"] == "association"),
        templates=[cut(one, PATTERN_LIMIT) for one in holistic["templates"][:MAX_GROUPS]] if holistic else [],
        pairs=[_pairs(axis, one) for axis, one in _first(holistic["axes"], MAX_AXES)] if holistic else [],
        fairscore=_fairscore(measures["fairscore"]) if "fairscore" in measures else None,
        file=cut(measures["fairscore"]["file"], PATTERN_LIMIT) if "fairscore" in measures else "",
        settings=setting_rows(shown, source="run.json"),
    )


def _crows_pairs(measure: Mapping[str, Any]) -> Section:
    def row(name: str, one: Mapping[str, Any]) -> GroupRow:
        ties = counted(one["ties"], "tie") if one["ties"] else ""
        return GroupRow(cut(name, NAME_LIMIT), count(one["pairs"]), [measured(one["score"], EVEN)], ties)

    columns = ["Pairs", "Prefers the stereotype, %"]
    by_direction = {
        "about a disadvantaged group (stereo)": measure["by_direction"].get("stereo"),
        "about an advantaged group (antistereo)": measure["by_direction"].get("antistereo"),
    }
    tables = [
        Table(
            "",
            columns,
            [
                row("All pairs", measure["overall"]),
                *(row(name, one) for name, one in by_direction.items() if one),
            ],
        ),
        _by_type(measure["by_type"], columns, row),
    ]
    return _section(
        measure, tables, f"{counted(measure['overall']['pairs'], 'pair')} of {count(measure['of'])}"
    )


def _stereoset(measure: Mapping[str, Any]) -> Section:
    def row(name: str, one: Mapping[str, Any]) -> GroupRow:
        figures = [measured(one["ss"], EVEN), measured(one["lms"], PERCENT), measured(one["icat"], PERCENT)]
        return GroupRow(cut(name, NAME_LIMIT), count(one["rows"]), figures, counted(one["targets"], "target"))

    columns = ["Contexts", "Stereotype score", "Language score", "ICAT"]
    tables = [
        Table(
            "",
            columns,
            [
                row("All contexts", measure["overall"]),
                *(row(name, one) for name, one in measure["by_task"].items()),
            ],
        ),
        _by_type(measure["by_type"], columns, row),
    ]
    return _section(
        measure, tables, f"{counted(measure['overall']['rows'], 'context')} of {count(measure['of'])}"
    )


def _weat(measure: Mapping[str, Any]) -> Section:
    def row(name: str, one: Mapping[str, Any]) -> GroupRow:
        figures = [
            measured(one["significant"], CHANCE),
            measured(one["significant_holm"], PERCENT),
            measured(one["mean_size"], SIZE),
        ]
        return GroupRow(cut(name, NAME_LIMIT), count(one["tests"]), figures)

    columns = ["Tests", "p < 0.05, %", "After Holm, %", "Mean size of d"]
    rows = [
        row("All tests", measure["overall"]),
        *(row(name, one) for name, one in measure["groups"].items()),
    ]
    used = f"{counted(measure['overall']['tests'], 'test')} of {count(measure['of'])}"
    return _section(measure, [Table("", columns, rows)], used)


def _holistic(measure: Mapping[str, Any]) -> Section:
    def row(name: str, one: Mapping[str, Any]) -> GroupRow:
        figures = [measured(one["raw"], CHANCE), measured(one["holm"], PERCENT), measured(one["bh"], PERCENT)]
        note = f"{counted(one['descriptors'], 'descriptor')}, {counted(one['templates'], 'template')}"
        return GroupRow(cut(name.replace("_", " "), NAME_LIMIT), count(one["tests"]), figures, note)

    columns = ["Tests", "Differ, %", "After Holm, %", "After BH, %"]
    rows = [row(axis, one) for axis, one in _first(measure["axes"], MAX_AXES)]
    table = Table("", columns, rows, max(0, len(measure["axes"]) - MAX_AXES))
    return _section(
        measure, [table], f"{counted(measure['sentences'], 'sentence')} of {count(measure['of'])}"
    )


def _fairscore(measure: Mapping[str, Any]) -> Section:
    def row(name: str, one: Mapping[str, Any]) -> GroupRow:
        differ = f"{count(one['differ'])} of {count(one['rows'])} answers"
        return GroupRow(cut(name, NAME_LIMIT), count(one["rows"]), [measured(one["score"], PERCENT)], differ)

    columns = ["Rows", "Answers that change, %"]
    rows = [row("All perturbed rows", measure["overall"])]
    rows += [row(axis, one) for axis, one in _first(measure["by_axis"], MAX_AXES)]
    pairs = {f"{one['axis']}: {one['source']} to {one['target']}": one for one in measure["by_pair"]}
    changes = [row(name, one) for name, one in _first(pairs, MAX_GROUPS)]
    tables = [
        Table("", columns, rows),
        Table("By what was changed", columns, changes, max(0, len(pairs) - MAX_GROUPS)),
    ]
    used = f"{counted(measure['rows'], 'row')} of {count(measure['of'])}, {count(measure['overall']['rows'])} of them perturbed"
    return replace(_section(measure, tables, used), accuracy=_accuracy(measure))


def _accuracy(measure: Mapping[str, Any]) -> str:
    figure = measure["accuracy"]
    if figure is None:
        shown = ", ".join(cut(label, NAME_LIMIT) for label in measure["labels"][:5])
        return f"not known: its labels ({shown}) are not those of the data"
    return f"{figure['value']:.1f}% ({figure['low']:.1f} to {figure['high']:.1f}), on all rows used"


def _by_type(groups: Mapping[str, Any], columns: list[str], row: Any) -> Table:
    shown = [row(name, one) for name, one in _first(groups, MAX_GROUPS)]
    return Table("By bias type", columns, shown, max(0, len(groups) - MAX_GROUPS))


def _section(measure: Mapping[str, Any], tables: list[Table], used: str) -> Section:
    return Section(
        cut(measure["source"], PATTERN_LIMIT),
        METHODS.get(measure["method"], cut(measure["method"], NAME_LIMIT)),
        used,
        _quality(measure.get("quality")),
        tables,
    )


def _quality(quality: Mapping[str, Any] | None) -> str:
    if quality is None:
        return ""
    figure = quality["log_likelihood"]
    ends = [signed(figure[key], digits=2) for key in ("low", "high") if figure[key] is not None]
    within = f" ({' to '.join(ends)})" if ends else ""
    return (
        f"{signed(figure['value'], digits=2)} nats per token{within}, perplexity {short(quality['perplexity'])}, "
        f"over {counted(quality['tokens'], 'token')}"
    )


def _test(one: Mapping[str, Any]) -> TestRow:
    x, y, a, b = (cut(one[key], NAME_LIMIT) for key in "xyab")
    return TestRow(
        cut(one["name"], NAME_LIMIT),
        f"{x} / {y}",
        f"{a} / {b}",
        measured(one["d"], EFFECT),
        q_value(one["p"]),
        q_value(one["holm"]) if one["holm"] is not None else NONE,
        bool(one["control"]),
    )


def _pairs(axis: str, one: Mapping[str, Any]) -> PairList:
    listed = [
        (
            cut(pair["first"], NAME_LIMIT),
            cut(pair["second"], NAME_LIMIT),
            f"{pair['differ']} of {pair['templates']}",
            signed(pair["difference"]),
        )
        for pair in one["pairs"]
        if pair["differ"]
    ]
    return PairList(cut(axis.replace("_", " "), NAME_LIMIT), listed)


def _first(groups: Mapping[str, Any], n: int) -> Sequence[tuple[str, Any]]:
    return list(groups.items())[:n]
