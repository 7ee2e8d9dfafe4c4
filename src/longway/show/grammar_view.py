"""What the page of a grammar run shows, taken from tables.json: capped, counted, in reading order.

tables.json (dict)  ->  grammar_page()  ->  GrammarPage  ->  templates/grammar.html.jinja
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from longway.grammar.trees import read_brackets
from longway.show.charts import share_bar
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.grammar_contrast import ContrastRow, contrast_rows
from longway.show.labels import (
    Label,
    Listing,
    columns_of,
    label_named,
    labels_of,
    listing,
    setting_rows,
)
from longway.show.numbers import (
    NONE,
    count,
    counted,
    millibits,
    or_dash,
    percent,
    points,
    q_value,
    short,
)
from longway.show.sections import KeyFigure
from longway.show.tree_picture import tree_picture

MAX_COMPOSITES = 40
AT_ONCE = 12
MAX_RULES = 20
MAX_COMPARED = 20
MAX_PICTURES = 40
MAX_WRONG = 20
MAX_PROBLEMS = 50
MAX_SPANS = 5
MAX_OUTLINES = 3

Labels = Mapping[str, Label]


@dataclass(frozen=True, slots=True)
class Row:
    """A composite feature or a rule: what it is, and what it tells."""

    name: str
    where: str
    label: Label
    count: str
    share: str
    usual: str
    bar: Markup
    information: str
    q: str
    lines: list[str]


@dataclass(frozen=True, slots=True)
class Picture:
    """A tree. side: what it stands for; svg: None where it is too large to draw."""

    id: str
    label: Label
    side: str
    svg: Markup | None


@dataclass(frozen=True, slots=True)
class Gallery:
    """The trees of one composite feature."""

    name: str
    label: Label
    pictures: list[Picture]


@dataclass(frozen=True, slots=True)
class Compared:
    """One composite feature in its versions: (version, rows with its label and without, accuracy on both, gap)."""

    name: str
    label: Label
    versions: list[tuple[str, str, str, str, str, str]]


@dataclass(frozen=True, slots=True)
class Wrong:
    """A wrong answer, its tree, and the rules that speak for it: (rule, words, times as often)."""

    picture: Picture
    answer: Label
    rules: list[tuple[str, str, str]]


@dataclass(frozen=True, slots=True)
class GrammarPage:
    """Everything the template shows."""

    title: str
    verdict: str
    about: list[tuple[str, str]]
    key_figures: list[KeyFigure]
    is_pair: bool
    composites: Listing[Row]
    phrases: Listing[Row]
    rules: list[Row]
    galleries: list[Gallery]
    compared: list[Compared]
    classifier: str
    overall: str
    wrong: list[Wrong]
    contrasts: list[ContrastRow] | None
    problems: list[tuple[str, str, str]]
    settings: list[tuple[str, str]]


def grammar_page(tables: Mapping[str, Any]) -> GrammarPage:
    """The page of one grammar run."""
    dataset, grammar, classifier = (tables[key] for key in ("dataset", "grammar", "classifier"))
    labels = labels_of(grammar["labels"])
    pair = grammar["kind"] == "pair"
    usual = _usual(grammar["labels"])

    def composite(row: Mapping[str, Any]) -> Row:
        return _composite(row, labels, usual)

    pictures = tables["pictures"][:MAX_PICTURES]
    return GrammarPage(
        title=cut(dataset["name"], PATTERN_LIMIT),
        verdict=_verdict(tables, labels, pair),
        about=[("Columns", columns_of(dataset)), ("Learned from", _learned_from(grammar))],
        key_figures=_key_figures(tables),
        is_pair=pair,
        composites=listing(tables["composites"], composite, limit=MAX_COMPOSITES, at_once=AT_ONCE),
        phrases=listing(tables["phrases"], composite, limit=MAX_COMPOSITES, at_once=AT_ONCE),
        rules=[_rule(row, labels, usual) for row in tables["rules"][:MAX_RULES]],
        galleries=_galleries(pictures, labels, pair),
        compared=[_compared(row, labels) for row in tables["versions"][:MAX_COMPARED]],
        classifier="" if classifier is None else cut(classifier["name"], NAME_LIMIT),
        overall="" if classifier is None else percent(classifier["accuracy"]),
        wrong=[_wrong(row, labels, pair, i) for i, row in enumerate(tables["wrong"][:MAX_WRONG])],
        contrasts=None if tables.get("contrast") is None else contrast_rows(tables["contrast"], labels),
        problems=[_problem(row) for row in tables["problems"][:MAX_PROBLEMS]],
        settings=setting_rows(tables["settings"], source="run.json"),
    )


def _usual(counts: Mapping[str, int]) -> dict[str, float]:
    total = sum(counts.values()) or 1
    return {name: n / total for name, n in counts.items()}


def _learned_from(grammar: Mapping[str, Any]) -> str:
    unit = "pair" if grammar["kind"] == "pair" else "sentence"
    return f"{counted(grammar['texts'], unit)} of {counted(grammar['rows'], 'row')}, no label seen"


def _verdict(tables: Mapping[str, Any], labels: Labels, pair: bool) -> str:
    rows = (row for key in ("composites", "phrases") for row in tables[key])
    told = next((row for row in rows if row["q"] is not None), None)
    tied = sum(tables["significant"].values())
    if told is None and tied:
        are = "is" if tied == 1 else "are"
        return f"{counted(tied, 'piece')} of the trees {are} tied to a label beyond chance, but no kind of phrase that is listed here."
    if told is None:
        piece = "piece of the trees" if pair else "phrase of two words or more"
        return f"No {piece} is tied to a label beyond chance."
    words = ", ".join(f"“{cut(span, NAME_LIMIT)}”" for span in told["spans"][:2])
    label = label_named(told["label"], labels).name
    more = " and the like" if told["subtrees"] > len(told["spans"][:2]) else ""
    return f"{words}{more}: {percent(told['share'])} of {counted(told['count'], 'row')} are {label}."


def _key_figures(tables: Mapping[str, Any]) -> list[KeyFigure]:
    grammar, classifier = tables["grammar"], tables["classifier"]
    symbols = f"{count(grammar['nonterminals'])} + {count(grammar['preterminals'])}"
    tied, tested = (sum(tables[key].values()) for key in ("significant", "tested"))
    figures = [
        KeyFigure("Pieces tied to a label", count(tied), f"of {count(tested)} tested"),
        KeyFigure("Symbols", symbols, f"{counted(grammar['words'], 'word')} known"),
        KeyFigure(
            "Held-out likelihood",
            short(grammar["held_out_nats_per_word"]),
            f"nats a word after {counted(grammar['epochs'], 'epoch')}; lower is better",
        ),
    ]
    if classifier is not None:
        note = f"of {counted(classifier['rows'], 'row')} that were held out"
        name = cut(classifier["name"], NAME_LIMIT)
        figures.append(KeyFigure(f"{name} is right", percent(classifier["accuracy"]), note))
    return figures


def _composite(row: Mapping[str, Any], labels: Labels, usual: Mapping[str, float]) -> Row:
    spans = [cut(span, PATTERN_LIMIT) for span in row["spans"][:MAX_SPANS]]
    n_more = row["subtrees"] - len(spans)
    more = f", {count(n_more)} more" if n_more > 0 else ""
    where = f"symbol {row['root']}{more}"
    return _row(" · ".join(spans), where, row, labels, usual, or_dash(row["q"], q_value), [])


def _rule(row: Mapping[str, Any], labels: Labels, usual: Mapping[str, float]) -> Row:
    lines = [cut(outline, TEXT_LIMIT) for outline in row["outlines"][:MAX_OUTLINES]]
    return _row(cut(row["rule"], PATTERN_LIMIT), "", row, labels, usual, "", lines)


def _row(
    name: str,
    where: str,
    row: Mapping[str, Any],
    labels: Labels,
    usual: Mapping[str, float],
    q: str,
    lines: list[str],
) -> Row:
    label = label_named(row["label"], labels)
    base = usual.get(row["label"], 0.0)
    return Row(
        name=name,
        where=where,
        label=label,
        count=count(row["count"]),
        share=percent(row["share"]),
        usual=percent(base),
        bar=share_bar(row["share"], base, colour=label.colour),
        information=short(millibits(row["mutual_information"])),
        q=q,
        lines=lines,
    )


def _galleries(pictures: Sequence[Mapping[str, Any]], labels: Labels, pair: bool) -> list[Gallery]:
    members: dict[tuple[int, str], list[tuple[int, Mapping[str, Any]]]] = {}
    for i, row in enumerate(pictures):
        members.setdefault((row["root"], row["composite"]), []).append((i, row))
    found = []
    for (root, name), its in members.items():
        label = label_named(name, labels)
        shown = [
            _picture(row, labels, label, pair, key=f"tree-{i}", side=_side(row, label)) for i, row in its
        ]
        spans = ", ".join(dict.fromkeys(cut(row["marked"], NAME_LIMIT) for _, row in its))
        found.append(Gallery(f"{root}: {spans}", label, shown))
    return found


def _side(row: Mapping[str, Any], label: Label) -> str:
    return f"goes with {label.name}" if row["side"] == "supporting" else "goes against it"


def _picture(
    row: Mapping[str, Any], labels: Labels, told: Label, pair: bool, *, key: str, side: str
) -> Picture:
    svg = tree_picture(read_brackets(row["tree"]), row["marks"], colour=told.colour, pair=pair, key=key)
    return Picture(cut(row["id"], NAME_LIMIT), label_named(row["label"], labels), side, svg)


def _compared(row: Mapping[str, Any], labels: Labels) -> Compared:
    spans = ", ".join(cut(span, NAME_LIMIT) for span in row["spans"][:2])
    return Compared(
        f"{row['root']}: {spans}",
        label_named(row["label"], labels),
        [_version(one) for one in row["versions"]],
    )


def _version(one: Mapping[str, Any]) -> tuple[str, str, str, str, str, str]:
    accuracy = one["accuracy"]
    told = [NONE, NONE, NONE]
    if accuracy is not None:
        sides = (accuracy["supporting"], accuracy["counter"])
        told = [f"{or_dash(side['accuracy'], percent)} of {count(side['n'])}" for side in sides]
        told.append(or_dash(accuracy["gap"], points))
    return (cut(one["name"], NAME_LIMIT), count(one["supporting"]), count(one["counter"]), *told)  # type: ignore[return-value]


def _wrong(row: Mapping[str, Any], labels: Labels, pair: bool, i: int) -> Wrong:
    answer = label_named(row["answer"], labels)
    rules = [
        (cut(one["rule"], NAME_LIMIT), cut(one["span"], PATTERN_LIMIT), f"{short(one['ratio'])} times")
        for one in row["rules"]
    ]
    picture = _picture(row, labels, answer, pair, key=f"wrong-{i}", side="")
    return Wrong(picture, answer, rules)


def _problem(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return count(row["count"]), cut(row["message"], TEXT_LIMIT), cut(row["next_step"], TEXT_LIMIT)
