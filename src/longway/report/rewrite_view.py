"""What the page of a rewrite shows, taken from what the run left: capped, counted, in reading order.

    rewrite.json (dict)  ->  rewrite_page()  ->  RewritePage  ->  templates/rewrite.html.jinja

Every list is cut here, and what is cut is counted, so the page stays small whatever the run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from longway.report.change_view import PatternChange, TermChart, highest_gain, pattern_change, term_charts
from longway.report.costs_view import CheckRow, CostRow, check_row, cost_row, total_cost
from longway.report.edit_view import EditCard, edit_card
from longway.report.leak_view import LeakChange, objections, other_leaks, text_leak
from longway.report.numbers import NONE, arrow, count, counted, money, or_dash, percent
from longway.report.parts import KeyFigure, columns_of, labels_of, setting_rows
from longway.report.rewrite_verdict import rewrite_verdict
from longway.report.rounds_view import RoundChart, RoundRow, round_charts, round_row
from longway.report.shown import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut

MAX_LEAKS = 8
OPEN_ROUNDS, MAX_ROUNDS = 12, 100  # the first number is shown at once, the second on request
OPEN_PATTERNS, MAX_PATTERNS = 15, 60
OPEN_STRONGEST, MAX_STRONGEST = 5, 20
MAX_WORSE = 40
MAX_SAMPLE = 20
MAX_REFUSED = 12
MAX_ROWS = 40  # of the tables of checks and costs
A_FEW = 3  # more than are shown at once, where that is all: not worth a click

Row = Mapping[str, Any]
Shown = TypeVar("Shown")


@dataclass(frozen=True, slots=True)
class Listing(Generic[Shown]):
    """A list on the page: what is seen at once, what on request, and how many are in rewrite.json only."""

    open: list[Shown]
    folded: list[Shown]
    n_more: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason why candidates were refused, with one of them."""

    reason: str
    count: str
    share: str
    example: EditCard | None


@dataclass(frozen=True, slots=True)
class RewritePage:
    """Everything the template shows; the charts are finished SVG."""

    title: str
    verdict: str
    about: list[tuple[str, str]]
    key_figures: list[KeyFigure]
    leaks: list[LeakChange]
    n_more_leaks: int
    round_charts: list[RoundChart]
    rounds: Listing[RoundRow]
    stopped: str
    patterns: Listing[PatternChange]
    objections: list[str]
    worse: Listing[PatternChange]
    terms: list[TermChart]
    n_more_terms: int
    accepted: str
    sample: Listing[EditCard]
    strongest: Listing[EditCard]
    rejected: str
    refused: Listing[Refusal]
    checks: Listing[CheckRow]
    missing_checks: Listing[str]
    expected_wrong: str
    costs: Listing[CostRow]
    spent: str
    settings: list[tuple[str, str]]


def rewrite_page(rewrite: Row) -> RewritePage:
    """The page of one rewrite; raises KeyError or TypeError where the run left out something."""
    dataset = rewrite["dataset"]
    labels = labels_of(dataset["labels"])
    leak = text_leak(rewrite["leak"])
    leaks = [*([leak] if leak else []), *other_leaks(rewrite["other_leaks"][:MAX_LEAKS])]
    full = highest_gain([*rewrite["findings"][:MAX_PATTERNS], *rewrite["worse"][:MAX_WORSE]])
    terms, n_more_terms = term_charts(rewrite["terms"], labels)

    def card(row: Row) -> EditCard:
        return edit_card(row, labels)

    def pattern(row: Row) -> PatternChange:
        return pattern_change(row, labels, full=full)

    return RewritePage(
        title=cut(f"Rewrite of {dataset['name']}", PATTERN_LIMIT),
        verdict=_verdict(rewrite, leak),
        about=_about(rewrite),
        key_figures=_key_figures(rewrite, leak),
        leaks=leaks,
        n_more_leaks=max(len(rewrite["other_leaks"]) - MAX_LEAKS, 0),
        round_charts=round_charts(rewrite["rounds"], chance=leak.before.majority if leak else None),
        rounds=_rounds(rewrite["rounds"]),
        stopped=cut(rewrite["stopped"], TEXT_LIMIT) if rewrite.get("stopped") else "",
        patterns=_listing(rewrite["findings"], pattern, at_once=OPEN_PATTERNS, limit=MAX_PATTERNS),
        objections=objections(leaks, rewrite["rounds"]),
        worse=_listing(rewrite["worse"], pattern, limit=MAX_WORSE),
        terms=terms,
        n_more_terms=n_more_terms,
        accepted=counted(rewrite["accepted"], "accepted edit"),
        sample=_listing(rewrite["sample"], card, limit=MAX_SAMPLE),
        strongest=_listing(rewrite["strongest"], card, at_once=OPEN_STRONGEST, limit=MAX_STRONGEST),
        rejected=count(rewrite["rejected"]),
        refused=_listing(
            rewrite["refused"], lambda row: _refusal(row, card, rewrite["rejected"]), limit=MAX_REFUSED
        ),
        checks=_listing(rewrite["checks"], check_row, limit=MAX_ROWS),
        missing_checks=_listing(
            rewrite["missing_checks"], lambda words: cut(words, TEXT_LIMIT), limit=MAX_ROWS
        ),
        expected_wrong=_expected_wrong(rewrite.get("expected_wrong")),
        costs=_listing(rewrite["cost"], cost_row, limit=MAX_ROWS),
        spent=_spent(rewrite),
        settings=setting_rows(rewrite["settings"], source="rewrite.json"),
    )


def _listing(
    rows: Sequence[Any], view: Callable[[Any], Shown], *, limit: int, at_once: int | None = None
) -> Listing[Shown]:
    """At most `limit` of the rows as they are shown, `at_once` of them unfolded."""
    shown = [view(row) for row in rows[:limit]]
    if at_once is None or len(shown) <= at_once + A_FEW:
        at_once = len(shown)
    return Listing(shown[:at_once], shown[at_once:], max(len(rows) - limit, 0))


def _rounds(rounds: Sequence[Row]) -> Listing[RoundRow]:
    """The first and the last rounds at once, those between on request."""
    if len(rounds) <= OPEN_ROUNDS + A_FEW:
        return _listing(rounds, round_row, limit=MAX_ROUNDS)
    between = rounds[1 : 1 - OPEN_ROUNDS]
    seen = [round_row(row) for row in (rounds[0], *rounds[1 - OPEN_ROUNDS :])]
    return Listing(seen, [round_row(row) for row in between[:MAX_ROUNDS]], max(len(between) - MAX_ROUNDS, 0))


def _verdict(rewrite: Row, leak: LeakChange | None) -> str:
    return rewrite_verdict(
        leak.before if leak else None,
        leak.after if leak else None,
        changed=rewrite["changed"],
        rows=rewrite["dataset"]["used"],
        labels_changed=rewrite["labels_changed"],
        n_worse=len(rewrite["worse"]),
    )


def _about(rewrite: Row) -> list[tuple[str, str]]:
    """Which file, which columns, what was done by whom, when."""
    dataset = rewrite["dataset"]
    return [
        ("Dataset", cut(dataset["name"], PATTERN_LIMIT)),
        ("Columns", columns_of(dataset)),
        ("Method", cut(rewrite["method"], NAME_LIMIT)),
        ("Written by", cut(rewrite["engine"], NAME_LIMIT)),
        ("Judged by", cut(rewrite["judge"] or "none", NAME_LIMIT)),
        ("Made", cut(rewrite["created"], NAME_LIMIT)),
    ]


def _key_figures(rewrite: Row, leak: LeakChange | None) -> list[KeyFigure]:
    n_labels = rewrite["labels_changed"]
    labels = counted(n_labels, "label") + " changed" if n_labels else "no label changed"
    wrong = rewrite.get("expected_wrong")
    cost, time = total_cost(rewrite["cost"])
    return [
        _leak_figure(leak),
        KeyFigure(
            "Texts rewritten", count(rewrite["changed"]), f"of {count(rewrite['dataset']['used'])}; {labels}"
        ),
        KeyFigure(
            "Edits accepted", count(rewrite["accepted"]), f"of {counted(rewrite['candidates'], 'candidate')}"
        ),
        KeyFigure(
            "Labels expected to be wrong",
            percent(wrong["share"]) if wrong else NONE,
            f"95% interval {percent(wrong['low'])} to {percent(wrong['high'])}" if wrong else "not estimated",
        ),
        KeyFigure("Likeness to the originals", or_dash(rewrite.get("bleu"), _bleu), "BLEU; 1 is a copy"),
        KeyFigure("Cost", cost, time),
    ]


def _bleu(value: float) -> str:
    return f"{value:.2f}"


def _leak_figure(leak: LeakChange | None) -> KeyFigure:
    if leak is None:
        return KeyFigure("Right from the text alone", NONE, "not measured")
    change = arrow(percent(leak.before.accuracy), percent(leak.after.accuracy))
    return KeyFigure(f"Right from {leak.name} alone", change, f"chance is {percent(leak.after.majority)}")


def _refusal(row: Row, card: Callable[[Row], EditCard], rejected: int) -> Refusal:
    return Refusal(
        reason=cut(row["reason"], TEXT_LIMIT),
        count=count(row["count"]),
        share=percent(row["count"] / rejected) if rejected else NONE,
        example=card(row["example"]) if row.get("example") else None,
    )


def _expected_wrong(wrong: Row | None) -> str:
    """How many labels no longer fit, as far as the checks' known errors tell."""
    if not wrong:
        return "The share of labels that no longer fit was not estimated."
    interval = f"95% interval {percent(wrong['low'])} to {percent(wrong['high'])}"
    basis = f" Basis: {cut(wrong['basis'], TEXT_LIMIT).rstrip('.')}." if wrong.get("basis") else ""
    return f"About {percent(wrong['share'])} of the accepted edits are expected to have a label that no longer fits ({interval}).{basis}"


def _spent(rewrite: Row) -> str:
    cost, time = total_cost(rewrite["cost"])
    budget = rewrite.get("budget")
    limit = "no budget was set" if budget is None else f"the budget was {money(budget)}"
    return f"Together {cost}, {time}; {limit}."
