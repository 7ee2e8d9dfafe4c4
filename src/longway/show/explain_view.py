"""What the page of an explanation shows, taken from explain.json: capped, counted, in reading order.

explain.json (dict)  ->  explain_page()  ->  ExplainPage  ->  templates/explain.html.jinja
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from longway.records import Finding
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, Piece, clean, cut, harmless, pieces
from longway.show.highlights import highlighted
from longway.show.labels import (
    Label,
    columns_of,
    label_named,
    labels_of,
    setting_rows,
)
from longway.show.numbers import NONE, count, counted, or_dash, percent, q_value, short
from longway.show.sections import KeyFigure

MAX_TEXTS = 200
MAX_SETS = 40
MAX_FINDINGS = 40
MAX_WORDS = 12
MARK_LEVEL = 3
METHODS = {"lime": "LIME", "shapley": "Shapley values", "ig": "integrated gradients"}


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A model of the table: how well it does, and what its wrong answers rest on."""

    name: str
    accuracy: str
    wrong: str
    searched: str
    sets: str
    size: str
    by_default: str
    lemma: str


@dataclass(frozen=True, slots=True)
class View:
    """One text as one model sees it."""

    model: str
    predicted: Label
    probability: str
    right: bool
    text: Markup
    enough: str
    by_default: bool


@dataclass(frozen=True, slots=True)
class Text:
    """One row with its explanations; other: the side of a pair that is not explained."""

    id: str
    label: Label
    views: list[View]
    other: str


@dataclass(frozen=True, slots=True)
class SetRow:
    """A set of words that recurs, and what it tells in the whole dataset."""

    words: str
    label: Label
    count: str
    share: str
    base_rate: str
    q: str
    wrong: str
    example: list[Piece]


@dataclass(frozen=True, slots=True)
class ExplainPage:
    """Everything the template shows."""

    title: str
    verdict: str
    about: list[tuple[str, str]]
    key_figures: list[KeyFigure]
    method: str
    models: list[ModelRow]
    findings: list[SetRow]
    n_more_findings: int
    other_sets: list[tuple[str, str]]
    n_more_sets: int
    overlap: list[tuple[str, str]]
    top: int
    kinds: list[tuple[str, list[str]]]
    kind_names: list[str]
    texts: list[Text]
    n_more_texts: int
    settings: list[tuple[str, str]]


def explain_page(explanation: Mapping[str, Any]) -> ExplainPage:
    """The page of one explanation."""
    dataset, models, settings = (explanation[key] for key in ("dataset", "models", "settings"))
    labels = labels_of(dataset["labels"])
    wrong = {tuple(one["words"]): int(one["wrong"]) for one in explanation["sufficient"]}
    findings = [Finding.from_dict(row) for row in explanation["findings"]]
    told = {_words(finding) for finding in findings}
    other = [(words, n) for words, n in wrong.items() if words not in told]
    texts = [_text(row, labels, settings["field"]) for row in explanation["texts"][:MAX_TEXTS]]
    kinds = explanation["parts_of_speech"] or {}
    return ExplainPage(
        title=cut(dataset["name"], PATTERN_LIMIT),
        verdict=_verdict(findings, models, explanation["texts"]),
        about=[
            ("Columns", columns_of(dataset)),
            ("Method", METHODS.get(settings["method"], settings["method"])),
        ],
        key_figures=_key_figures(models, explanation),
        method=METHODS.get(settings["method"], settings["method"]),
        models=[_model(model) for model in models],
        findings=[_set(finding, labels, wrong) for finding in findings[:MAX_FINDINGS]],
        n_more_findings=max(0, len(findings) - MAX_FINDINGS),
        other_sets=[(_joined(words), count(n)) for words, n in other[:MAX_SETS]],
        n_more_sets=max(0, len(other) - MAX_SETS),
        overlap=_overlap(explanation["overlap"]),
        top=int(settings["top"]),
        kinds=[
            (cut(name, NAME_LIMIT), [percent(share) for share in of.values()]) for name, of in kinds.items()
        ],
        kind_names=list(next(iter(kinds.values()), {})),
        texts=texts,
        n_more_texts=len(explanation["texts"]) - len(texts),
        settings=setting_rows(settings, source="run.json"),
    )


def _verdict(findings: Sequence[Finding], models: Sequence[Mapping[str, Any]], texts: Sequence[Any]) -> str:
    n_wrong = sum(model["searched"] for model in models)
    if findings:
        best = findings[0]
        named = f"“{cut(best.pattern.name, PATTERN_LIMIT)}” alone is enough for some wrong answers"
        return f"{named}: it stands in {counted(best.count, 'text')}, {percent(best.label_share)} of them {cut(best.label, NAME_LIMIT)}."
    if n_wrong:
        return "No set of words that is enough for a wrong answer recurs and is tied to a label."
    return f"{counted(len(texts), 'text')} explained; no answer was wrong."


def _key_figures(models: Sequence[Mapping[str, Any]], explanation: Mapping[str, Any]) -> list[KeyFigure]:
    first = models[0]
    misled = first["sets"] - first["by_default"]
    share = misled / first["searched"] if first["searched"] else float("nan")
    name = cut(first["name"], NAME_LIMIT)
    return [
        KeyFigure("Texts explained", count(len(explanation["texts"])), "by models that have not seen them"),
        KeyFigure(f"{name} is right", percent(first["accuracy"]), "of all rows, cross-validated"),
        KeyFigure(
            "Misled by a few words",
            percent(share),
            f"of {counted(first['searched'], 'wrong answer')} searched",
        ),
        KeyFigure(
            "Words that are enough",
            or_dash(first["mean_size"], short),
            "on average, at most half of the text",
        ),
    ]


def _model(model: Mapping[str, Any]) -> ModelRow:
    sets = int(model["sets"])
    return ModelRow(
        cut(model["name"], NAME_LIMIT),
        percent(model["accuracy"]),
        count(model["wrong"]),
        count(model["searched"]),
        count(sets),
        or_dash(model["mean_size"], short),
        count(model["by_default"]),
        percent(model["lemma_1"] / sets) if sets else NONE,
    )


def _words(finding: Finding) -> tuple[str, ...]:
    """The words of a set; its name if it is from a run of an older version."""
    return finding.pattern.words or (finding.pattern.name,)


def _set(finding: Finding, labels: Mapping[str, Label], wrong: Mapping[tuple[str, ...], int]) -> SetRow:
    words = _words(finding)
    marks = [(start, end, MARK_LEVEL) for start, end in finding.marks]
    return SetRow(
        _joined(words),
        label_named(finding.label, labels),
        count(finding.count),
        percent(finding.label_share),
        percent(finding.base_rate),
        q_value(finding.q),
        count(wrong.get(words, 0)),
        pieces(harmless(finding.example), marks, limit=TEXT_LIMIT),
    )


def _text(row: Mapping[str, Any], labels: Mapping[str, Label], field: str) -> Text:
    explained, other = (row["text"], row["context"]) if field == "text" else (row["context"], row["text"])
    label = label_named(row["label"], labels)
    views = [_view(one, explained, label, labels) for one in row["explanations"]]
    return Text(cut(row["id"], NAME_LIMIT), label, views, cut(other, TEXT_LIMIT) if other else "")


def _view(one: Mapping[str, Any], text: str, label: Label, labels: Mapping[str, Label]) -> View:
    predicted, enough = label_named(one["predicted"], labels), one["sufficient"]
    return View(
        cut(one["model"], NAME_LIMIT),
        predicted,
        percent(one["probability"]),
        predicted.key == label.key,
        highlighted(text, one["words"], label=predicted.name),
        "" if enough is None else _joined(enough["words"]),
        bool(enough and enough["by_default"]),
    )


def _overlap(found: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    if found is None:
        return []
    rows = [("texts where all models share a top word", percent(found["every"]))]
    if len(found["pairs"]) > 1:  # of two models, two are all
        rows += [("texts where two or more share one, but not all", percent(found["some"]))]
    rows += [("top words that two or more models have", percent(found["words"]))]
    return rows + [
        (f"{cut(pair, PATTERN_LIMIT)}: words in common", percent(share))
        for pair, share in found["pairs"].items()
    ]


def _joined(words: Sequence[str]) -> str:
    shown = " + ".join(clean(word) for word in words[:MAX_WORDS])
    return cut(shown + (" + …" if len(words) > MAX_WORDS else ""), PATTERN_LIMIT)
