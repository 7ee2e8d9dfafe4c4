"""What the page of a rewrite shows, taken from what the run left: capped, counted, in reading order.

    rewrite.json (dict)  ->  rewrite_page()  ->  RewritePage  ->  templates/rewrite.html.jinja

Every list is cut here, and what is cut is counted, so the page stays small whatever the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longway.show.change_view import PatternChange, TermChart, highest_gain, pattern_change, term_charts
from longway.show.costs_view import CheckRow, CostRow, check_row, cost_row, total_cost
from longway.show.edit_view import EditCard, edit_card
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import A_FEW, Listing, columns_of, labels_of, listing, setting_rows
from longway.show.leak_view import LeakChange, objections, other_leaks, text_leak
from longway.show.numbers import NONE, arrow, count, counted, money, or_dash, percent
from longway.show.rewrite_verdict import rewrite_verdict
from longway.show.rounds_view import RoundChart, RoundRow, round_charts, round_row
from longway.show.sections import KeyFigure

MAX_LEAKS = 8
OPEN_ROUNDS, MAX_ROUNDS = 12, 100  # the first number is shown at once, the second on request
OPEN_PATTERNS, MAX_PATTERNS = 15, 60
OPEN_STRONGEST, MAX_STRONGEST = 5, 20
MAX_WORSE = 40
MAX_SAMPLE = 20
MAX_REFUSED = 12
MAX_REASONS = 40  # of engines that wrote nothing, and of calls that failed
MAX_ROWS = 40  # of the tables of checks and costs

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason why candidates were refused, with one of them, or why there were none."""

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
    not_written: str
    unwritten: Listing[Refusal]
    failed: Listing[Refusal]
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
    failed = rewrite.get("failed_calls", [])
    unwritten = unwritten_of(rewrite["rounds"], failed)
    n_worse = _n_worse(rewrite)
    worse_rows = rewrite["worse"][:MAX_WORSE]

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
        patterns=listing(rewrite["findings"], pattern, at_once=OPEN_PATTERNS, limit=MAX_PATTERNS),
        objections=objections(leaks, rewrite["rounds"]),
        worse=Listing([pattern(row) for row in worse_rows], [], n_worse - len(worse_rows)),
        terms=terms,
        n_more_terms=n_more_terms,
        accepted=counted(rewrite["accepted"], "accepted edit"),
        sample=listing(rewrite["sample"], card, limit=MAX_SAMPLE),
        strongest=listing(rewrite["strongest"], card, at_once=OPEN_STRONGEST, limit=MAX_STRONGEST),
        rejected=count(rewrite["rejected"]),
        refused=listing(
            rewrite["refused"], lambda row: _refusal(row, card, rewrite["rejected"]), limit=MAX_REFUSED
        ),
        not_written=not_written(unwritten, failed),
        unwritten=reasons_of(unwritten),
        failed=reasons_of(failed),
        checks=listing(rewrite["checks"], check_row, limit=MAX_ROWS),
        missing_checks=listing(
            rewrite["missing_checks"], lambda words: cut(words, TEXT_LIMIT), limit=MAX_ROWS
        ),
        expected_wrong=_expected_wrong(rewrite.get("expected_wrong")),
        costs=listing(rewrite["cost"], cost_row, limit=MAX_ROWS),
        spent=spent_words(rewrite),
        settings=setting_rows(rewrite["settings"], source="rewrite.json"),
    )


def _rounds(rounds: Sequence[Row]) -> Listing[RoundRow]:
    """The first and the last rounds at once, those between on request."""
    if len(rounds) <= OPEN_ROUNDS + A_FEW:
        return listing(rounds, round_row, limit=MAX_ROUNDS)
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
        n_worse=_n_worse(rewrite),
    )


def _n_worse(rewrite: Row) -> int:
    """How many patterns tell more than before; the run lists the strongest of them."""
    return max(rewrite.get("n_worse") or 0, len(rewrite["worse"]))


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
            percent((wrong.get("rows") or wrong)["share"]) if wrong else NONE,
            _of_what(wrong) if wrong else "not estimated",
        ),
        KeyFigure("Likeness to the originals", or_dash(rewrite.get("bleu"), _bleu), "BLEU; 1 is a copy"),
        KeyFigure("Cost", cost, time),
    ]


def _of_what(wrong: Row) -> str:
    """What the key figure is a share of: rewritten texts, or edits where texts were not counted."""
    shown, whose = (wrong["rows"], "rewritten texts") if wrong.get("rows") else (wrong, "accepted edits")
    return f"of the {whose}; 95% interval {percent(shown['low'])} to {percent(shown['high'])}"


def _bleu(value: float) -> str:
    return f"{value:.2f}"


def _leak_figure(leak: LeakChange | None) -> KeyFigure:
    if leak is None:
        return KeyFigure("Right from the text alone", NONE, "not measured")
    change = arrow(percent(leak.before.accuracy), percent(leak.after.accuracy))
    return KeyFigure(f"Right from {leak.name} alone", change, f"chance is {percent(leak.after.majority)}")


def unwritten_of(rounds: Sequence[Row], failed: Sequence[Row]) -> list[Row]:
    """What engines said about texts they did not write, over all rounds; calls that failed are told apart."""
    reasons = Counter[str]()
    for one in rounds:
        reasons.update(one.get("refusals") or {})
    for row in failed:
        reasons.pop(row["reason"], None)
    return [{"reason": reason, "count": n} for reason, n in reasons.most_common()]


def not_written(unwritten: Sequence[Row], failed: Sequence[Row]) -> str:
    """How often no text came, and how many calls failed; "" for never."""
    n_unwritten, n_failed = (sum(row["count"] for row in rows) for rows in (unwritten, failed))
    said = f"Engines said {counted(n_unwritten, 'time')} why they wrote no text or not as many as asked for."
    lost = f"{counted(n_failed, 'call')} to engines failed for a passing reason; the same command asks again."
    return " ".join([*([said] if n_unwritten else []), *([lost] if n_failed else [])])


def reasons_of(rows: Sequence[Row]) -> Listing[Refusal]:
    """Reasons with their counts, as lists show them."""
    total = sum(row["count"] for row in rows)
    return listing(rows, lambda row: _refusal(row, None, total), limit=MAX_REASONS)


def _refusal(row: Row, card: Callable[[Row], EditCard] | None, rejected: int) -> Refusal:
    return Refusal(
        reason=cut(row["reason"], TEXT_LIMIT),
        count=count(row["count"]),
        share=percent(row["count"] / rejected) if rejected else NONE,
        example=card(row["example"]) if card is not None and row.get("example") else None,
    )


def _expected_wrong(wrong: Row | None) -> str:
    """How many labels no longer fit, as far as the checks' known errors tell."""
    if not wrong:
        return "The share of labels that no longer fit was not estimated."
    interval = f"95% interval {percent(wrong['low'])} to {percent(wrong['high'])}"
    rows = wrong.get("rows")
    more = ""
    if rows:  # a text that was rewritten twice had two chances
        ends = f"{percent(rows['low'])} to {percent(rows['high'])}"
        more = f", and with all edits of a text taken together {percent(rows['share'])} of the rewritten texts ({ends})"
    basis = f" Basis: {cut(wrong['basis'], TEXT_LIMIT).rstrip('.')}." if wrong.get("basis") else ""
    return f"About {percent(wrong['share'])} of the accepted edits are expected to have a label that no longer fits ({interval}){more}.{basis}"


def spent_words(rewrite: Row) -> str:
    """What all engines cost and took together, and the budget."""
    cost, time = total_cost(rewrite["cost"])
    budget = rewrite.get("budget")
    limit = "no budget was set" if budget is None else f"the budget was {money(budget)}"
    return f"Together {cost}, {time}; {limit}."
