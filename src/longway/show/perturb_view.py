"""What the page of a perturbation shows, taken from what the run left: capped, counted, in reading order.

    perturb.json (dict)  ->  perturb_page()  ->  PerturbPage  ->  templates/perturb.html.jinja

Every list is cut here, and what is cut is counted, so the page stays small whatever the run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from longway.show.change_charts import ChangeRow, change_chart
from longway.show.costs_view import CostRow, cost_row, total_cost
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import (
    Label,
    Listing,
    columns_of,
    labels_of,
    listing,
    setting_rows,
)
from longway.show.numbers import NONE, arrow, count, counted, money, percent, short
from longway.show.perturb_cards import PersonCard, person_card
from longway.show.perturb_verdict import perturb_verdict
from longway.show.sections import KeyFigure

SOURCE = "perturb.json"
MAX_REASONS = MAX_ROWS = 40
OPEN_SAMPLE, MAX_SAMPLE = 4, 20  # of each axis
OPEN_PAIRS, MAX_PAIRS = 12, 80
MAX_REFUSED = 12
MAX_AXES = 6
MAX_ATTRIBUTES = 12
OFFENSIVE, CONTRAST = "offensive", "label contrast"  # the checks; what the first one blocked is not shown

Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Refusal:
    """A reason why candidates were refused, or why there were none."""

    reason: str
    count: str
    share: str


@dataclass(frozen=True, slots=True)
class AxisView:
    """One axis: who was spoken of and is now, and rows that were perturbed on it, a few of them shown."""

    name: str
    told: str
    chart: Markup
    sample: Listing[PersonCard]


@dataclass(frozen=True, slots=True)
class PairRow:
    """How many rows went from one attribute to another."""

    axis: str
    source: str
    target: str
    count: str
    share: str


@dataclass(frozen=True, slots=True)
class RefusedChoice:
    """A reason why choices could not be made, with one of them."""

    reason: str
    count: str
    share: str
    example: PersonCard


@dataclass(frozen=True, slots=True)
class LeftRow:
    """Words that look as if they told who somebody is, and were left alone."""

    reason: str
    count: str
    words: str


@dataclass(frozen=True, slots=True)
class PerturbPage:
    """Everything the template shows; the charts are finished SVG."""

    title: str
    verdict: str
    about: list[tuple[str, str]]
    key_figures: list[KeyFigure]
    axes: list[AxisView]
    pairs: Listing[PairRow]
    perturbed: str
    is_added: bool
    doubts: list[str]
    refused: Listing[RefusedChoice]
    tries: str
    stayed: Listing[Refusal]
    left: Listing[LeftRow]
    distance: list[str]
    failed: Listing[Refusal]
    costs: Listing[CostRow]
    spent: str
    stopped: str
    settings: list[tuple[str, str]]


def perturb_page(perturb: Row) -> PerturbPage:
    """The page of one perturbation; raises KeyError or TypeError where the run left out something."""
    dataset = perturb["dataset"]
    labels = labels_of(dataset["labels"])
    n_refused = sum(row["count"] for row in perturb["refused"])
    return PerturbPage(
        title=cut(f"Perturbation of {dataset['name']}", PATTERN_LIMIT),
        verdict=perturb_verdict(perturb),
        about=_about(perturb),
        key_figures=_key_figures(perturb),
        axes=[_axis(row, perturb, labels) for row in perturb["axes"][:MAX_AXES]],
        pairs=listing(
            perturb["pairs"],
            lambda row: _pair(row, perturb["perturbed"]),
            at_once=OPEN_PAIRS,
            limit=MAX_PAIRS,
        ),
        perturbed=counted(perturb["perturbed"], "perturbed row"),
        is_added=bool(perturb["settings"]["add"]),
        doubts=_doubts(perturb),
        refused=listing(perturb["refused"], lambda row: _refused(row, labels, n_refused), limit=MAX_REFUSED),
        tries=counted(n_refused, "choice"),
        stayed=reasons_of(perturb["stayed"]),
        left=listing(perturb["left"], _left, limit=MAX_ROWS),
        distance=_distance(perturb["distances"]),
        failed=reasons_of(perturb["failed_calls"]),
        costs=listing(perturb["cost"], cost_row, limit=MAX_ROWS),
        spent=spent_words(perturb),
        stopped=cut(perturb["stopped"], TEXT_LIMIT) if perturb["stopped"] else "",
        settings=setting_rows(perturb["settings"], source=SOURCE),
    )


def _about(perturb: Row) -> list[tuple[str, str]]:
    """Which file, which columns, who changed it, when."""
    dataset, settings = perturb["dataset"], perturb["settings"]
    return [
        ("Dataset", cut(dataset["name"], PATTERN_LIMIT)),
        ("Columns", columns_of(dataset)),
        ("Changed by", cut(perturb["engine"], NAME_LIMIT)),
        ("Drawn", cut(f"{settings['sampling']}, seed {settings['seed']}", NAME_LIMIT)),
        ("Made", cut(perturb["created"], NAME_LIMIT)),
    ]


def _key_figures(perturb: Row) -> list[KeyFigure]:
    rows, could, done = perturb["rows"], perturb["perturbable"], perturb["perturbed"]
    far = perturb["distances"]
    most = sorted(perturb["axes"], key=lambda row: -row["perturbed"])[:MAX_AXES]
    return [
        KeyFigure(
            "Rows that tell who somebody is",
            percent(could / rows) if rows else NONE,
            f"{count(could)} of {counted(rows, 'row')}",
        ),
        KeyFigure(
            "Rows added" if perturb["settings"]["add"] else "Rows changed",
            count(done),
            f"{percent(done / could) if could else NONE} of these",
        ),
        KeyFigure(
            "By axis",
            f"{cut(most[0]['axis'], NAME_LIMIT)} {percent(most[0]['perturbed'] / done)}" if done else NONE,
            ", ".join(
                f"{cut(row['axis'], NAME_LIMIT)} {percent(row['perturbed'] / done)}" for row in most[1:]
            )
            if done
            else "nothing was changed",
        ),
        KeyFigure(
            "Words changed in such a row",
            short(far["edits"]) if far else NONE,
            f"{percent(far['edit_share'])} of its words" if far else "not measured",
        ),
        KeyFigure(
            "Blocked as offensive",
            count(perturb["blocked"]),
            f"of {counted(perturb['tries'], 'choice')} that {'was' if perturb['tries'] == 1 else 'were'} tried",
        ),
        KeyFigure(
            "Labels in doubt",
            count(perturb["warned"]),
            f"{count(perturb['kept_warned'])} of them kept"
            if perturb["warned"]
            else "by the contrast of pairs",
        ),
    ]


def _axis(axis: Row, perturb: Row, labels: Mapping[str, Label]) -> AxisView:
    name = cut(axis["axis"], NAME_LIMIT)
    sample = [row for row in perturb["sample"] if row["axis"] == axis["axis"]]
    rows = [row for row in perturb["balance"] if row["axis"] == axis["axis"]][:MAX_ATTRIBUTES]
    return AxisView(
        name=name,
        told=f"told in {counted(axis['rows'], 'row')}, changed in {count(axis['perturbed'])}",
        chart=_chart(name, rows),
        sample=listing(sample, lambda row: person_card(row, labels), at_once=OPEN_SAMPLE, limit=MAX_SAMPLE),
    )


def _chart(axis: str, rows: list[Row]) -> Markup:
    """Rows with a word for each attribute, before and now."""
    drawn = [
        ChangeRow(
            cut(row["attribute"], NAME_LIMIT),
            row["rows_before"],
            row["rows_after"],
            arrow(count(row["rows_before"]), count(row["rows_after"])),
            f"l{at % 8}",
        )
        for at, row in enumerate(rows)
    ]
    full = max((value for row in drawn for value in (row.before, row.after)), default=0.0)
    said = "; ".join(f"{row.name}: {row.shown}" for row in drawn)
    return change_chart(
        drawn,
        key=f"balance-{axis}",
        title=f"Rows that have a word for each attribute of {axis}, before and now",
        desc=said or "none",
        full=full,
    )


def _pair(row: Row, perturbed: int) -> PairRow:
    return PairRow(
        axis=cut(row["axis"], NAME_LIMIT),
        source=cut(row["source"], NAME_LIMIT),
        target=cut(row["target"], NAME_LIMIT),
        count=count(row["count"]),
        share=percent(row["count"] / perturbed) if perturbed else NONE,
    )


def _refused(row: Row, labels: Mapping[str, Label], n_refused: int) -> RefusedChoice:
    return RefusedChoice(
        reason=cut(row["reason"], TEXT_LIMIT),
        count=count(row["count"]),
        share=percent(row["count"] / n_refused) if n_refused else NONE,
        example=person_card(row["example"], labels, hidden=row["reason"] == OFFENSIVE),
    )


def _left(row: Row) -> LeftRow:
    words: Iterable[tuple[str, int]] = row["words"]
    return LeftRow(
        reason=cut(row["reason"], TEXT_LIMIT),
        count=count(row["count"]),
        words=", ".join(f"{cut(word, NAME_LIMIT)} ({count(n)})" for word, n in words),
    )


def _doubts(perturb: Row) -> list[str]:
    """What the two guards said, in sentences."""
    seen = {row["check"]: row["seen"] for row in perturb["checks"]}
    told = []
    if OFFENSIVE in seen:
        blocked = perturb["blocked"]
        told.append(
            f"{count(blocked) if blocked else 'None'} of {counted(seen[OFFENSIVE], 'new text')} would have put a group beside a word of contempt, "
            f"or made it the oppressor, where it was not before.{' They were not used.' if blocked else ''}"
        )
    if CONTRAST in seen:
        kept = perturb["kept_warned"]
        used = f"{count(kept)} of these {'was' if kept == 1 else 'were'} kept, as asked, and marked in edits.jsonl."
        told.append(
            f"In {count(perturb['warned']) if perturb['warned'] else 'none'} of {counted(seen[CONTRAST], 'new pair')} the texts no longer differ in who "
            "is spoken of, or differ now where they did not, so that the label may no longer hold. "
            + (used if kept else "They were not used." if perturb["warned"] else "")
        )
    return told


def _distance(far: Row | None) -> list[str]:
    if not far:
        return []
    return [
        f"Measured on {counted(far['rows'], 'perturbed row')} against what they were: {short(far['edits'])} words put in, taken out or exchanged in "
        f"a row ({percent(far['edit_share'])} of its words), BLEU {short(far['bleu'])}, ROUGE-2 {short(far['rouge']['rouge2'])}."
    ]


def reasons_of(rows: Sequence[Row]) -> Listing[Refusal]:
    """Reasons with their counts, as lists show them."""
    total = sum(row["count"] for row in rows)

    def refusal(row: Row) -> Refusal:
        share = percent(row["count"] / total) if total else NONE
        return Refusal(cut(row["reason"], TEXT_LIMIT), count(row["count"]), share)

    return listing(rows, refusal, limit=MAX_REASONS)


def spent_words(rewrite: Row) -> str:
    """What all engines cost and took together, and the budget."""
    cost, time = total_cost(rewrite["cost"])
    budget = rewrite.get("budget")
    limit = "no budget was set" if budget is None else f"the budget was {money(budget)}"
    return f"Together {cost}, {time}; {limit}."
