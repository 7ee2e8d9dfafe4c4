"""How training went: learning curves, where the logits lie, which rows were easy or hard.

results.json "curves"        validation accuracy by epoch, the versions in one chart
results.json "projections"   the first two principal components of the logits (RAZOR Fig. 6)
results.json "cartography"   confidence and variability over training, by row

all of them  ->  training()  ->  charts in the order of the runs
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite

from markupsafe import Markup

from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.labels import MAX_LABELS, Label, Listing, label_named, listing
from longway.show.numbers import arrow, count, or_dash, percent
from longway.show.prove_charts import MAX_POINTS, SHAPES, Cloud, Curve, curve_chart, scatter, span, thinned
from longway.show.prove_results import Row, method_name, model_name

MAX_LINES = 20  # in one chart of learning curves
MAX_PANELS = 4  # versions side by side
FLAT = 0.02  # a second component this much smaller than the first is not worth an axis
GOLDEN = 0.618034  # multiples of it, cut to what is behind the point, are evenly spread
MAX_CURVES = 9
OPEN_FIGURES, MAX_FIGURES = 2, 5  # the first number is shown at once, the second on request
MAX_HARDEST = 10
CORRECTNESS = (
    ("mostly right", "l0", "round"),
    ("now and then", "l4", "ring"),
    ("mostly wrong", "l1", "square"),
)


@dataclass(frozen=True, slots=True)
class CurveFigure:
    """The learning curves of a run; reached: the mean of the last epochs, first and second version."""

    model: str
    method: str
    reached: str
    chart: Markup


@dataclass(frozen=True, slots=True)
class Panel:
    """A chart of one version; note: what can be counted there."""

    version: str
    note: str
    chart: Markup
    hardest: list[str]


@dataclass(frozen=True, slots=True)
class PanelFigure:
    """The versions side by side; test: empty where there is none."""

    model: str
    method: str
    test: str
    panels: list[Panel]


@dataclass(frozen=True, slots=True)
class KeyItem:
    """An entry of a legend."""

    name: str
    colour: str
    shape: str


@dataclass(frozen=True, slots=True)
class Training:
    """How training went, in charts with their legends."""

    curves: Listing[CurveFigure]
    label_key: list[KeyItem]
    logits: Listing[PanelFigure]
    correctness_key: list[KeyItem]
    maps: Listing[PanelFigure]


def training(results: Row, colours: Mapping[str, str], labels: Mapping[str, Label]) -> Training:
    """All charts; colours: those of the versions, by name."""
    names = list(colours)
    runs = _together(results["curves"], ("model", "method"))
    curves = [figure for at, rows in enumerate(runs) if (figure := _curve_figure(rows, colours, at=at))]
    logits = list(enumerate(_together(results["projections"], ("model", "method", "test"))))
    maps = list(enumerate(_together(results["cartography"], ("model", "method"))))
    return Training(
        curves=listing(curves, lambda one: one, limit=MAX_CURVES),
        label_key=_label_key(results["labels"], labels),
        logits=listing(
            logits,
            lambda one: _logits_figure(one[1], names, results["labels"], labels, at=one[0]),
            limit=MAX_FIGURES,
            at_once=OPEN_FIGURES,
        ),
        correctness_key=[KeyItem(*item) for item in CORRECTNESS],
        maps=listing(
            maps,
            lambda one: _map_figure(one[1], names, at=one[0]),
            limit=MAX_FIGURES,
            at_once=OPEN_FIGURES,
        ),
    )


def _together(rows: Sequence[Row], keys: Sequence[str]) -> list[list[Row]]:
    """The rows that agree in these keys, in order."""
    found: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        found.setdefault(tuple(row[key] for key in keys), []).append(row)
    return list(found.values())


def _curve_figure(rows: Sequence[Row], versions: Mapping[str, str], *, at: int) -> CurveFigure | None:
    """The learning curves of one run (all rows of it); None where no validation accuracy is known."""
    curves: dict[str, list[Curve]] = {}
    for row in rows:
        points = [
            (float(epoch["number"]), float(epoch["validation_accuracy"]))
            for epoch in row["epochs"]
            if _known(epoch.get("validation_accuracy"))
        ]
        if points and row["data"] in versions:
            curves.setdefault(row["data"], []).append(Curve(versions[row["data"]], points))
    if not curves:
        return None
    ordered = [version for version in versions if version in curves]
    last = {version: _mean([curve.points[-1][1] for curve in curves[version]]) for version in ordered}
    told = [f"{cut(version, NAME_LIMIT)} reaches {percent(value)}" for version, value in last.items()]
    model, method = model_name(rows[0]["model"]), method_name(rows[0]["method"])
    chart = curve_chart(
        [curve for version in ordered for curve in curves[version]][:MAX_LINES],
        key=f"curves-{at}",
        title=f"Validation accuracy by epoch: {model}, {method}",
        desc="; ".join(told),
        form=percent,
    )
    reached = [percent(last[version]) for version in ordered[:2]]
    return CurveFigure(model, method, arrow(*reached) if len(reached) == 2 else reached[0], chart)


def _logits_figure(
    rows: Sequence[Row],
    versions: Sequence[str],
    labels: Sequence[str],
    known: Mapping[str, Label],
    *,
    at: int,
) -> PanelFigure:
    """The logits of one run on one test set, one scale for all versions."""
    shown = [row for version in versions for row in rows if row["data"] == version][:MAX_PANELS]
    flat = _is_flat([point for row in shown for point in row["points"]])
    drawn = [_in_rows(row["points"]) if flat else row["points"] for row in shown]
    xs = span(point[0] for points in drawn for point in points)
    ys = span(point[1] for points in drawn for point in points)
    model, method, test = (rows[0][key] for key in ("model", "method", "test"))
    panels = []
    for n, (row, points) in enumerate(zip(shown, drawn, strict=True)):
        version = cut(row["data"], NAME_LIMIT)
        explained = [or_dash(share, percent) for share in row["explained"][:2]]
        title = f"Logits of {model_name(model)} trained on {version}, by label"
        desc = f"{count(len(row['points']))} texts of {cut(test, NAME_LIMIT)}"
        chart = scatter(
            _label_clouds(points, labels, known),
            xs=xs, ys=ys, key=f"logits-{at}-{n}", title=title, desc=desc,
            axes=("first component", "a row for each label" if flat else "second component"),
        )  # fmt: skip
        panels.append(Panel(version, f"{' + '.join(explained)} of the variance", chart, []))
    return PanelFigure(model_name(model), method_name(method), cut(test, NAME_LIMIT), panels)


def _map_figure(rows: Sequence[Row], versions: Sequence[str], *, at: int) -> PanelFigure:
    """The training rows of one run by variability and confidence."""
    shown = [row for version in versions for row in rows if row["data"] == version][:MAX_PANELS]
    widest = span(point[0] for row in shown for point in row["points"])[1]
    model, method = rows[0]["model"], rows[0]["method"]
    panels = []
    for n, row in enumerate(shown):
        version = cut(row["data"], NAME_LIMIT)
        regions = ", ".join(
            f"{cut(name, NAME_LIMIT)} {count(n)}" for name, n in list(row["regions"].items())[:3]
        )
        confidence = [point[1] for point in row["points"] if _known(point[1])]
        note = f"mean confidence {_mean(confidence):.2f}" if confidence else "no row drawn"
        chart = scatter(
            _correctness_clouds(row["points"]),
            xs=(0.0, max(widest, 0.05)), ys=(0.0, 1.0), key=f"map-{at}-{n}",
            title=f"Training rows of {version} by variability and confidence, {model_name(model)}",
            desc=regions, axes=(f"variability, to {max(widest, 0.05):.2f}", "confidence, 0 to 1"),
        )  # fmt: skip
        hardest = [cut(str(id_), NAME_LIMIT) for id_ in row["hardest"][:MAX_HARDEST]]
        panels.append(Panel(version, f"{note}; rows: {regions}", chart, hardest))
    return PanelFigure(model_name(model), method_name(method), "", panels)


def _label_key(labels: Sequence[str], known: Mapping[str, Label]) -> list[KeyItem]:
    """The legend of the logits; labels without a colour of their own have one entry together."""
    items = [
        KeyItem(label_named(name, known).name, *_look(name, at, known))
        for at, name in enumerate(labels[:MAX_LABELS])
    ]
    return [*items, KeyItem("other labels", "lx", "round")] if len(labels) > MAX_LABELS else items


def _is_flat(points: Sequence[Sequence[float]]) -> bool:
    """Whether nearly all of it lies on one line: two labels have one number between them."""
    (left, right), (low, high) = span(point[0] for point in points), span(point[1] for point in points)
    return high - low < FLAT * (right - left)


def _in_rows(points: Sequence[Sequence[float]]) -> list[tuple[float, float, float]]:
    """The points with the label's row in place of a second component, spread so that they do not cover each other."""
    return [(x, -label + 0.7 * (at * GOLDEN % 1 - 0.5), label) for at, (x, _, label) in enumerate(points)]


def _label_clouds(
    points: Sequence[Sequence[float]], labels: Sequence[str], known: Mapping[str, Label]
) -> list[Cloud]:
    looks: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for x, y, index in thinned(points, MAX_POINTS):
        at = int(index)
        look = _look(labels[at], at, known) if 0 <= at < min(len(labels), MAX_LABELS) else ("lx", "round")
        if _known(x) and _known(y):
            looks.setdefault(look, []).append((x, y))
    return [Cloud(colour, shape, found) for (colour, shape), found in sorted(looks.items())]


def _look(name: str, at: int, known: Mapping[str, Label]) -> tuple[str, str]:
    """Colour and shape of a label: the colour it has on the whole page, a shape that tells it from its neighbours."""
    return label_named(name, known).colour, SHAPES[at % len(SHAPES)]


def _correctness_clouds(points: Sequence[Sequence[float]]) -> list[Cloud]:
    parts: list[list[tuple[float, float]]] = [[], [], []]
    for variability, confidence, correctness in thinned(points, MAX_POINTS):
        if _known(variability) and _known(confidence):
            at = 0 if correctness >= 2 / 3 else 1 if correctness > 1 / 3 else 2
            parts[at].append((variability, confidence))
    return [
        Cloud(colour, shape, found)
        for (_, colour, shape), found in zip(CORRECTNESS, parts, strict=True)
        if found
    ]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _known(value: float | None) -> bool:
    return value is not None and isfinite(value)
