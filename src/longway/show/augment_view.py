"""What the page of an augmentation shows, taken from what the run left: capped, counted, in reading order.

    augment.json (dict)  ->  augment_page()  ->  AugmentPage  ->  templates/augment.html.jinja

Every list is cut here, and what is cut is counted, so the page stays small whatever the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from longway.show.augment_steps import StepCard, step_card
from longway.show.augment_tables import (
    Analysis,
    LabelRow,
    WordRow,
    analysis_tables,
    diversity_words,
    label_rows,
    most_told,
    word_row,
)
from longway.show.augment_verdict import augment_verdict
from longway.show.change_view import PatternChange, highest_gain, pattern_change
from longway.show.costs_view import CheckRow, CostRow, check_row, cost_row, total_cost
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import Label, Listing, columns_of, labels_of, listing, setting_rows
from longway.show.leak_view import LeakChange, objections, other_leaks, text_leak
from longway.show.numbers import NONE, arrow, count, counted, millibits, percent, short, three_digits
from longway.show.rewrite_view import (
    MAX_LEAKS,
    MAX_PATTERNS,
    MAX_ROWS,
    MAX_WORSE,
    OPEN_PATTERNS,
    Refusal,
    not_written,
    reasons_of,
    spent_words,
    unwritten_of,
)
from longway.show.sections import KeyFigure

SOURCE = "augment.json"
OPEN_WORDS, MAX_WORDS = 20, 100
OPEN_SAMPLE, MAX_SAMPLE = 6, 20
MAX_REFUSED = 12
MAX_LABEL_ROWS = 40

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RefusedStep:
    """A reason why candidates were refused, with one of them."""

    reason: str
    count: str
    share: str
    example: StepCard


@dataclass(frozen=True, slots=True)
class AugmentPage:
    """Everything the template shows; the charts are finished SVG."""

    title: str
    verdict: str
    about: list[tuple[str, str]]
    key_figures: list[KeyFigure]
    words: Listing[WordRow]
    labels: list[LabelRow]
    sample: Listing[StepCard]
    accepted: str
    rejected: str
    refused: Listing[RefusedStep]
    leaks: list[LeakChange]
    patterns: Listing[PatternChange]
    objections: list[str]
    worse: Listing[PatternChange]
    analysis: Analysis | None
    diversity: list[str]
    not_written: str
    unwritten: Listing[Refusal]
    failed: Listing[Refusal]
    checks: Listing[CheckRow]
    missing_checks: Listing[str]
    expected_wrong: str
    costs: Listing[CostRow]
    spent: str
    stopped: str
    settings: list[tuple[str, str]]


def augment_page(augment: Row) -> AugmentPage:
    """The page of one augmentation; raises KeyError or TypeError where the run left out something."""
    dataset = augment["dataset"]
    labels = labels_of(dataset["labels"])
    leak = text_leak(augment["leak"])
    leaks = [*([leak] if leak else []), *other_leaks(augment["other_leaks"][:MAX_LEAKS])]
    full = highest_gain([*augment["findings"][:MAX_PATTERNS], *augment["worse"][:MAX_WORSE]])
    failed = augment.get("failed_calls", [])
    unwritten = unwritten_of(augment["rounds"], failed)
    most = most_told(augment["words"])

    def pattern(row: Row) -> PatternChange:
        return pattern_change(row, labels, full=full)

    return AugmentPage(
        title=cut(f"Augmentation of {dataset['name']}", PATTERN_LIMIT),
        verdict=augment_verdict(augment),
        about=_about(augment),
        key_figures=_key_figures(augment, leak),
        words=listing(
            augment["words"],
            lambda row: word_row(row, labels, full=most),
            at_once=OPEN_WORDS,
            limit=MAX_WORDS,
        ),
        labels=label_rows(augment, labels, MAX_LABEL_ROWS),
        sample=listing(
            augment["sample"], lambda row: step_card(row, labels), at_once=OPEN_SAMPLE, limit=MAX_SAMPLE
        ),
        accepted=counted(augment["accepted"], "accepted addition"),
        rejected=counted(augment["rejected"], "candidate"),
        refused=listing(
            augment["refused"], lambda row: _refused(row, labels, augment["rejected"]), limit=MAX_REFUSED
        ),
        leaks=leaks,
        patterns=listing(augment["findings"], pattern, at_once=OPEN_PATTERNS, limit=MAX_PATTERNS),
        objections=objections(leaks, []),
        worse=Listing(
            [pattern(row) for row in augment["worse"][:MAX_WORSE]],
            [],
            max(augment["n_worse"], len(augment["worse"])) - len(augment["worse"][:MAX_WORSE]),
        ),
        analysis=analysis_tables(augment["analysis"]),
        diversity=diversity_words(augment["diversity"]),
        not_written=not_written(unwritten, failed),
        unwritten=reasons_of(unwritten),
        failed=reasons_of(failed),
        checks=listing(augment["checks"], check_row, limit=MAX_ROWS),
        missing_checks=listing(
            augment["missing_checks"], lambda words: cut(words, TEXT_LIMIT), limit=MAX_ROWS
        ),
        expected_wrong=_expected_wrong(augment.get("expected_wrong")),
        costs=listing(augment["cost"], cost_row, limit=MAX_ROWS),
        spent=spent_words(augment),
        stopped=cut(augment["stopped"], TEXT_LIMIT) if augment.get("stopped") else "",
        settings=setting_rows(augment["settings"], source=SOURCE),
    )


def _about(augment: Row) -> list[tuple[str, str]]:
    """Which file, which columns, what was done by whom, when."""
    dataset = augment["dataset"]
    return [
        ("Dataset", cut(dataset["name"], PATTERN_LIMIT)),
        ("Columns", columns_of(dataset)),
        ("Method", cut(augment["method"], NAME_LIMIT)),
        ("Written by", cut(augment["engine"], NAME_LIMIT)),
        ("Judged by", cut(augment["judge"] or "none", NAME_LIMIT)),
        ("Made", cut(augment["created"], NAME_LIMIT)),
    ]


def _key_figures(augment: Row, leak: LeakChange | None) -> list[KeyFigure]:
    cost, time = total_cost(augment["cost"])
    found, mean = augment["diversity"], augment["mean_mi"]
    told = NONE if mean is None else arrow(*(short(millibits(mean[when])) for when in ("before", "after")))
    n_words = len(augment["words"])
    return [
        KeyFigure("Rows added", count(augment["added"]), f"to {counted(augment['dataset']['used'], 'row')}"),
        KeyFigure(
            "New texts accepted",
            percent(augment["accepted"] / augment["candidates"]) if augment["candidates"] else NONE,
            f"of {counted(augment['candidates'], 'candidate')}",
        ),
        KeyFigure(
            "What a spurious word tells",
            told,
            f"thousandths of a bit, mean of {counted(n_words, 'word')}" if n_words else "no words were named",
        ),
        KeyFigure("Right from the text alone", _leak_words(leak), _chance(leak)),
        KeyFigure(
            "Likeness to the source",
            three_digits(found["cosine"]) if found else NONE,
            "cosine; 1 is a copy" if found else "not measured",
        ),
        KeyFigure("Cost", cost, time),
    ]


def _leak_words(leak: LeakChange | None) -> str:
    return NONE if leak is None else arrow(percent(leak.before.accuracy), percent(leak.after.accuracy))


def _chance(leak: LeakChange | None) -> str:
    return "not measured" if leak is None else f"chance is {percent(leak.after.majority)}"


def _refused(row: Row, labels: Mapping[str, Label], rejected: int) -> RefusedStep:
    return RefusedStep(
        reason=cut(row["reason"], TEXT_LIMIT),
        count=count(row["count"]),
        share=percent(row["count"] / rejected) if rejected else NONE,
        example=step_card(row["example"], labels),
    )


def _expected_wrong(wrong: Row | None) -> str:
    """How many labels do not fit, as far as the checks' known errors tell."""
    if not wrong:
        return "The share of additions whose label does not fit was not estimated."
    ends = f"95% interval {percent(wrong['low'])} to {percent(wrong['high'])}"
    basis = f" Basis: {cut(wrong['basis'], TEXT_LIMIT).rstrip('.')}." if wrong.get("basis") else ""
    return f"About {percent(wrong['share'])} of the additions are expected to have a label that does not fit ({ends}).{basis}"
