"""The tables of an augmentation's page: spurious words, labels, what models look at, how new the additions are.

augment.json "words", "labels_before", "analysis", "diversity"  ->  rows of tables
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from longway.show.change_charts import change_bar
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import Label, label_named
from longway.show.numbers import count, counted, finite, millibits, percent, short, three_digits
from longway.stats import is_stronger

MAX_MODELS = 12

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class WordRow:
    """A spurious word: what it told about the label and tells now. label: the one it goes with."""

    word: str
    label: Label
    rows_before: str
    rows_after: str
    told_before: str
    told_after: str
    bar: Markup
    stronger: bool


@dataclass(frozen=True, slots=True)
class LabelRow:
    """Rows of one label."""

    label: Label
    before: str
    added: str
    after: str
    share: str


@dataclass(frozen=True, slots=True)
class Analysis:
    """What models look at. overlap: (what, share); kinds: by model the share of each kind of word."""

    overlap: list[tuple[str, str]]
    kind_names: list[str]
    kinds: list[tuple[str, list[str]]]
    votes: str


def word_row(row: Row, labels: Mapping[str, Label], *, full: float) -> WordRow:
    """A row of the table of spurious words. full: the information in nats of a whole bar."""
    was, now = finite(row["mi_before"] or 0.0), finite(row["mi_after"] or 0.0)
    return WordRow(
        word=cut(str(row["word"]), PATTERN_LIMIT),
        label=label_named(str(row["label"]), labels),
        rows_before=count(row["rows_before"]),
        rows_after=count(row["rows_after"]),
        told_before=short(millibits(was)),
        told_after=short(millibits(now)),
        bar=change_bar(was, now, full=full),
        stronger=is_stronger(was, now),
    )


def most_told(words: Sequence[Row]) -> float:
    """The most that a word tells or told, in nats."""
    return max((finite(row[when] or 0.0) for row in words for when in ("mi_before", "mi_after")), default=0.0)


def label_rows(augment: Row, labels: Mapping[str, Label], limit: int) -> list[LabelRow]:
    """How many rows each label had and has, the largest first."""
    before, added, after = (augment[key] for key in ("labels_before", "added_by_label", "labels_after"))
    total = sum(after.values()) or 1
    return [
        LabelRow(
            label_named(name, labels),
            count(before.get(name, 0)),
            count(added.get(name, 0)),
            count(after[name]),
            percent(after[name] / total),
        )
        for name in sorted(after, key=lambda name: (-after[name], name))[:limit]
    ]


def analysis_tables(analysis: Row | None) -> Analysis | None:
    """What models look at; None where nothing was asked of them."""
    if not analysis:
        return None
    kinds = analysis.get("parts_of_speech") or {}
    return Analysis(
        overlap=_overlap(analysis.get("overlap")),
        kind_names=[cut(name, NAME_LIMIT) for name in next(iter(kinds.values()), {})],
        kinds=[
            (cut(name, NAME_LIMIT), [percent(share) for share in of.values()]) for name, of in kinds.items()
        ],
        votes=_votes(analysis),
    )


def _overlap(found: Row | None) -> list[tuple[str, str]]:
    if not found:
        return []
    rows = [
        ("texts where all models share a top word", percent(found["every"])),
        ("texts where two or more share one, but not all", percent(found["some"])),
        ("top words that two or more models have", percent(found["words"])),
    ]
    return rows + [
        (f"{cut(pair, PATTERN_LIMIT)}: words in common", percent(share))
        for pair, share in found["pairs"].items()
    ]


def _votes(analysis: Row) -> str:
    """Who named the words, how, and how many there were."""
    models = [cut(str(name), NAME_LIMIT) for name in (analysis.get("models") or ())[:MAX_MODELS]]
    told = [f"The engine named up to {analysis.get('k')} words of each kind."]
    if models:
        told = [
            f"Asked: {', '.join(models)}. A word is principal where {analysis.get('votes')} of them have it among their "
            f"top {analysis.get('k')}."
        ]
    if "principal_words" in analysis:
        told.append(
            f"A text has {short(analysis['principal_words'])} principal and {short(analysis['spurious_words'])} spurious words on "
            "average."
        )
    if why := analysis.get("no_parts_of_speech"):
        told.append(cut(str(why), TEXT_LIMIT))
    return " ".join(told)


def diversity_words(found: Row | None) -> list[str]:
    """How close the additions are to their sources, and how spread out, in sentences."""
    if not found:
        return []
    told = [
        f"An addition and the text it was made from have a cosine of {three_digits(found['cosine'])} on average "
        f"(from {three_digits(found['cosine_low'])} to {three_digits(found['cosine_high'])} for nine in ten of "
        f"{counted(found['rows'], 'addition')}); 1 is a copy."
    ]
    if variance := found.get("variance"):
        told.append(
            f"The {variance['components']} strongest directions hold {percent(variance['added'])} of the variance of the "
            f"additions and {percent(variance['before'])} of that of as many texts as they came; lower is more varied."
        )
    return told
