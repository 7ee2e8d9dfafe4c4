"""What the pages show alike: labels with their colours, key figures, lists that are cut, settings.

A label keeps one colour through the whole page: its place among the largest labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from longway.levels import LEVELS, level_noun
from longway.records import Leak, Problem, Verdict
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.report.numbers import count, percent, short
from longway.report.sections import (
    REPORT_AND_SCREEN,
    Bullet,
    Bullets,
    Chip,
    Paragraph,
    Section,
    Span,
    Words,
    left_out,
)

MAX_LABELS = 8  # with a colour and a chart of their own
MAX_SETTINGS = 60
MAX_PROBLEMS = 50
MAX_ROWS = 10  # row numbers of a problem
POINTS = (
    "Points",
    "Percentage points of accuracy: how much more often than by chance a model is right that predicts the label for exactly the rows with the pattern, if the label and all others were equally frequent. Rare patterns have few points even if they are certain.",
)  # in "How to read this"

SEEN = {
    "candidates": "surface and words",
    "encoder": "surface and meaning",
    "cues": "surface only",
    "words": "words only",
    "overlap": "words of the prompt",
}  # what the ranker of each part sees of the candidates


@dataclass(frozen=True, slots=True)
class Label:
    """A label with its colour class and how often it occurs; key: its name in the data, name: as shown."""

    key: str
    name: str
    colour: str
    count: int
    share: str


Labels = Mapping[str, Label]  # by name in the data


def labels_of(counts: Mapping[str, int]) -> dict[str, Label]:
    """Labels by name, largest first; the first MAX_LABELS have colours of their own."""
    total = sum(counts.values()) or 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return {
        name: Label(name, cut(name), f"l{at}" if at < MAX_LABELS else "lx", n, percent(n / total))
        for at, (name, n) in enumerate(ordered)
    }


def with_colour(labels: Labels) -> list[Label]:
    """The labels with colours of their own."""
    return list(labels.values())[:MAX_LABELS]


def label_named(name: str, labels: Labels) -> Label:
    """The label of this name, also where the counts do not know it."""
    return labels.get(name) or Label(name, cut(name), "lx", 0, percent(0))


def label_span(label: Label) -> Span:
    """The label with a dot in its colour."""
    return Span(label.name, "label", label.colour)


def named_span(name: str, labels: Labels) -> Span:
    """The label of this name with a dot in its colour."""
    return label_span(label_named(name, labels))


def level_name(level: str) -> str:
    """What kind of pattern it is, in plain words."""
    return level_noun(level) if level in LEVELS else cut(level)


def part_name(leak: Leak) -> str:
    """ "the claim" if the column is a plain word, else the column in quotes."""
    column = cut(" + ".join(leak.columns) or leak.part)
    return f"the {column}" if column.isalpha() and column.islower() else f"the column “{column}”"


def with_interval(share: float, low: float, high: float, *, is_clear: bool) -> Words:
    """A share with its 95% interval, strong if it is clearly not chance."""
    style = "strong" if is_clear else "quiet"
    return [Span(percent(share), style), Span(f" ({100 * low:.1f} to {100 * high:.1f})", "quiet")]


def leak_words(leak: Leak) -> Words:
    """The accuracy with its 95% interval, strong if it is above chance."""
    if not leak.is_measured:
        return Span("not measurable", "quiet")
    return with_interval(leak.accuracy, leak.low, leak.high, is_clear=leak.low > leak.majority)


def verdict_chip(verdict: Verdict) -> Chip:
    """The verdict of a check, in short."""
    return Chip(
        name=cut(verdict.check),
        passed=bool(verdict.passed),
        score="" if verdict.score is None else short(verdict.score),
        reason=cut(verdict.reason, TEXT_LIMIT) if verdict.reason else "",
    )


def problems_section(problems: Sequence[Problem], heading: str, file: str) -> list[Section]:
    """The problems of the data, if there are any. file: has those left out."""
    if not problems:
        return []
    bullets = Bullets([problem_bullet(problem) for problem in problems[:MAX_PROBLEMS]], "problems")
    more = left_out(len(problems) - MAX_PROBLEMS, "kinds of problem", file)
    return [Section("problems", heading, [bullets, *more], on=REPORT_AND_SCREEN)]


def problem_bullet(problem: Problem) -> Bullet:
    """A problem of the data with the first rows and the next step; its message has the count."""
    rows = ", ".join(str(row) for row in problem.rows[:MAX_ROWS])
    if rows and problem.count > len(problem.rows[:MAX_ROWS]):
        rows += " …"
    below = [Paragraph(f"Row{'s' * (problem.count > 1)} {rows}", "quiet")] if rows else []
    below.append(Paragraph(cut(problem.next_step, TEXT_LIMIT), "next"))
    return Bullet(Span(cut(problem.message, TEXT_LIMIT), "data"), below=below)


def setting_rows(settings: Mapping[str, Any], *, source: str) -> list[tuple[str, str]]:
    """Settings as (name, value); source: the file that has those left out."""
    items = islice(settings.items(), MAX_SETTINGS)
    shown = [(cut(str(name)), cut(_setting(value), PATTERN_LIMIT)) for name, value in items]
    n_more = len(settings) - len(shown)
    return [*shown, ("and", f"{count(n_more)} more in {source}")] if n_more else shown


def _setting(value: object) -> str:
    """Lists and tables without brackets."""
    if isinstance(value, Mapping):
        value = [f"{key}: {one}" for key, one in value.items()]
    return ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)
