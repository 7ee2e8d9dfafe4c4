"""The page of a repair: what each remedy did, the leak and the patterns before and after, and a sample of edits."""

from __future__ import annotations

from dataclasses import replace

from longway.jobs.change.page import (
    card_section,
    compared_page,
    leak_figure,
    leak_lines,
    leak_sentence,
    sample_section,
    worse_section,
)
from longway.jobs.repair.plan import PlannedRemedy, RepairPlan
from longway.jobs.repair.result import FILE, RemedyUse, RepairResult, WeightSummary
from longway.jobs.results import page_of
from longway.methods.repair import DROP
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.labels import POINTS, Labels, labels_of
from longway.report.numbers import arrow, count, counted, duration, few, percent
from longway.report.sections import (
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Column,
    KeyFigure,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
    nothing,
    table_of,
)

GONE = 0.2  # share of its information that a pattern may keep to count as gone
LEFTOVERS = "rows that kept what was taken out of most others, or that added rows take the place of"
MAX_NAMED = 5
READING = [
    ("Leak", "How often a model that sees only a bag of words from one part of the input predicts the right label. Lower is better, down to chance."),
    ("Label’s share", "The share of the texts with a pattern that carry the label."),
    POINTS,
    ("Remedies", "Take out, normalise, exchange, put in and reshape change texts. A counterpart is a new row with another label. Drop leaves rows out. An edit is used only if it passes all checks and makes the labels harder to guess from the surface."),
]  # fmt: skip
NOTE: Words = [
    Span("Fewer shortcuts, not none.", "strong"),
    " The page counts what this program can see: words, phrases, positions, lengths. A model may find others. Look at the sample, then train on "
    "both versions and test on other data.",
]


@page_of(RepairResult)
def repair_page(result: RepairResult) -> Page:
    """All sections of a repair."""
    labels = labels_of(result.dataset.labels)
    read = "Drawn at random. Read each one: does the label hold, and is it good English?"
    rows = f"{result.changed:,} changed, {result.added:,} added, {result.dropped:,} dropped"
    items = [
        f"Rows: {result.dataset.used:,} before, {result.rows_after:,} after; {rows}.",
        *leak_lines(result.comparison.leak),
    ]
    return compared_page(
        result,
        "Repair of",
        verdict=verdict(result),
        figures=_key_figures(result),
        first=[_remedies_section(result)],
        worse=_worse_section(result, labels),
        sample=sample_section(result.sample, labels, read, file=FILE),
        card=card_section(result, items),
        reading=READING,
        note=NOTE,
    )


def plan_page(plan: RepairPlan, name: str) -> Page:
    """The plan, before anything is changed."""
    columns = [
        Column("Remedy", "remedy"),
        Column("Aimed at", _aimed_at),
        Column("Rows", "rows", number=True),
    ]
    return Page(
        kicker="Longway repair",
        title=cut(f"Plan for {name}", PATTERN_LIMIT),
        verdict=_plan_verdict(plan),
        facts=[],
        figures=[],
        sections=[Section("plan", "Remedies", table_of(plan.steps, columns), on=SCREEN)],
        version="",
        fingerprint="",
    )


def _plan_verdict(plan: RepairPlan) -> str:
    if not plan.steps:
        return " ".join(["No remedy applies: nothing will be changed.", *plan.notes])
    goal = f"The goal is that a bag of words predicts {percent(plan.goal)} of the labels or less."
    free = " and costs nothing" if plan.calls is None else ""
    takes = f"It takes about {duration(plan.seconds)} on two slow cores (a rough estimate){free}."
    return " ".join([goal, takes, *plan.notes])


def _aimed_at(step: PlannedRemedy) -> str:
    if not step.patterns:
        return step.why
    shown = few(list(map(cut, step.patterns)), MAX_NAMED)
    return f"{shown}; {step.why}" if step.why else shown


def gone(result: RepairResult) -> tuple[int, int]:
    """Of the patterns listed before, how many keep at most a fifth of their information; and how many there are. Real signal is left out."""
    listed = [one for one in result.comparison.findings if not one.marked]
    return sum(one.gain_after <= GONE * one.gain_before for one in listed), len(listed)


def verdict(result: RepairResult) -> str:
    """The result in one or two sentences."""
    n_gone, n_listed = gone(result)
    parts = []
    if n_listed and result.is_changed:
        parts.append(f"{count(n_gone)} of {counted(n_listed, 'shortcut')} gone")
    # What a bag of words gets from a single text is mostly real signal.
    if result.dataset.fields.get("context") is not None or not result.is_changed:
        parts.append(leak_sentence(result.comparison.leak))
    parts.append(_rows(result) or "no remedy applied, and nothing was changed")
    if result.labels_at_risk is not None and (result.changed or result.added):
        share = result.labels_at_risk / max(1, result.rows_after)
        parts.append(f"about {percent(share)} of the labels at risk")
    first, *others = parts
    return "; ".join([first[:1].upper() + first[1:], *(part[:1].lower() + part[1:] for part in others)]) + "."


def _rows(result: RepairResult) -> str:
    counts = {"changed": result.changed, "added": result.added, "dropped": result.dropped}
    return ", ".join(f"{counted(n, 'row')} {what}" for what, n in counts.items() if n)


def _key_figures(result: RepairResult) -> list[KeyFigure]:
    n_gone, n_listed = gone(result)
    rows = arrow(count(result.dataset.used), count(result.rows_after))
    return [
        leak_figure(result.comparison.leak),
        KeyFigure("Shortcuts gone", f"{count(n_gone)} of {count(n_listed)}", "at least 80% weaker"),
        KeyFigure("Rows", rows, _rows(result) or "nothing was changed"),
    ]


def _remedies_section(result: RepairResult) -> Section:
    uses = {use.remedy: use for use in result.uses}
    columns = [
        Column("Remedy"),
        Column("Aimed at"),
        Column("Rows", number=True),
        Column("Drafts", number=True),
        Column("Used", number=True),
        Column("Mostly refused because", screen=False),
    ]
    rows = []
    planned = {step.remedy for step in result.plan}
    leftovers = [
        PlannedRemedy(use.remedy, (), use.rows, LEFTOVERS) for use in result.uses if use.remedy not in planned
    ]
    for step in (*result.plan, *leftovers):
        use = uses.get(step.remedy, RemedyUse(step.remedy, 0, 0, 0))
        reason = f"{use.refused[0].reason} ({count(use.refused[0].count)})" if use.refused else ""
        figures = map(count, (use.rows, use.drafts, use.used))
        rows.append(Row([step.remedy, _aimed_at(step), *figures, reason]))
    blocks: Blocks = [Table(columns, rows, "labels")] if rows else [nothing("No remedy applies.")]
    if result.weights is not None:
        blocks.append(Paragraph(_weights(result.weights), "rest"))
    if result.stopped and any(step.remedy == DROP for step in result.plan):
        goal = f"The goal was a leak of {percent(result.goal)} or less."
        blocks.append(Paragraph(f"{goal} Stopped because {result.stopped}.", "rest"))
    return Section("remedies", "What was done", blocks, on=REPORT_AND_SCREEN)


def _worse_section(result: RepairResult, labels: Labels) -> Section:
    """What got worse; that real signal predicts its label better is what a repair is for."""
    comparison = result.comparison
    worse = tuple(one for one in comparison.worse if not one.marked)
    n_signal = len(comparison.worse) - len(worse)
    notes = []
    if n_signal:
        notes.append(
            f"{counted(n_signal, 'pattern')} of real signal predict{'s' * (n_signal == 1)} a label better than before. "
            "What a bag of words gets from such texts is mostly real signal."
        )
    left = replace(comparison, worse=worse, n_worse=max(0, comparison.n_worse - n_signal))
    return worse_section(left, labels, objections=notes)


def _weights(weights: WeightSummary) -> str:
    return (
        f"The column longway_weight has weights from {weights.smallest:.2f} to {weights.largest:.2f}; they are worth "
        f"{count(round(weights.effective_rows))} rows of equal weight. With them a bag of words gets {percent(weights.leak)} "
        f"(chance {percent(weights.chance)}). `longway prove` trains with them."
    )
