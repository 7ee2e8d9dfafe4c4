"""The page of a repair: what each remedy did, the leak and the patterns before and after, and a sample of edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longway.jobs.change_show import (
    SHEET,
    checks_section,
    edit_card,
    encoding_section,
    leak_figure,
    leak_section,
    leak_words,
    patterns_section,
    reading_sections,
    worse_section,
)
from longway.jobs.pages import dataset_page
from longway.jobs.repair.plan import ExpectedPattern, PlannedRemedy, RepairPlan
from longway.jobs.repair.result import FILE, RemedyUse, RepairResult, WeightSummary
from longway.jobs.repair.settings import DROP
from longway.show.excerpts import PATTERN_LIMIT, cut
from longway.show.labels import POINTS, Labels, labels_of, setting_rows
from longway.show.numbers import count, counted, duration, percent
from longway.show.sections import (
    CARD,
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Bullets,
    Cards,
    Column,
    KeyFigure,
    Only,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
)

GONE = 0.2  # share of its information that a pattern may keep to count as gone
LEFTOVERS = "rows that kept what was taken out of most others, or that added rows take the place of"
MAX_SAMPLE, SAMPLE_ON_SCREEN = 20, 3
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


def repair_page(result: RepairResult) -> Page:
    """All sections of a repair."""
    dataset, comparison = result.dataset, result.comparison
    labels = labels_of(dataset.labels)
    return dataset_page(
        result,
        "Longway repair",
        "Repair of",
        verdict=verdict(result),
        figures=_key_figures(result),
        figures_style="three",
        sections=[
            _remedies_section(result),
            leak_section(comparison, file=FILE),
            patterns_section(comparison, labels, file=FILE),
            _worse_section(result, labels),
            _sample_section(result, labels),
            checks_section(result.checks, result.missing_checks, "", file=FILE),
            _card_section(result),
            *encoding_section(result.encoding_note),
            *reading_sections(READING, NOTE, formulas=dataset.formulas),
        ],
        settings=setting_rows(result.settings, source=FILE),
        sheets=(SHEET,),
    )


def plan_page(plan: RepairPlan, name: str) -> Page:
    """The plan, before anything is changed."""
    sections = []
    if plan.steps:
        sections.append(Section("plan", "Remedies", [_plan_table(plan)], on=SCREEN))
    if plan.patterns:
        table = _expected_table(plan.patterns)
        sections.append(Section("patterns", "What changed texts can do", [table], on=SCREEN))
    return Page(
        kicker="Longway repair",
        title=cut(f"Plan for {name}", PATTERN_LIMIT),
        verdict=_plan_verdict(plan),
        facts=[],
        figures=[],
        sections=sections,
        version="",
        fingerprint="",
    )


def _plan_verdict(plan: RepairPlan) -> str:
    if not plan.steps:
        return " ".join(["No remedy applies: nothing will be changed.", *plan.notes])
    sentences = [
        "" if plan.leak is None else f"A bag of words predicts {percent(plan.leak)} of the labels.",
        f"The goal is that a bag of words predicts {percent(plan.goal)} of the labels or less."
        if plan.leak is None
        else f"The goal is {percent(plan.goal)} or less.",
        f"It takes about {duration(plan.seconds)} on two slow cores (a rough estimate)"
        + (" and costs nothing." if plan.calls is None else "."),
        *plan.notes,
    ]
    return " ".join(filter(None, sentences))


def _plan_table(plan: RepairPlan) -> Table:
    columns = [Column("Remedy"), Column("Aimed at"), Column("Rows", number=True)]
    rows = [[step.remedy, _aimed_at(step), count(step.rows)] for step in plan.steps]
    if any(step.edits is not None for step in plan.steps):
        columns.append(Column("Edits at most", number=True))
        for row, step in zip(rows, plan.steps, strict=True):
            row.append("" if step.edits is None else count(step.edits))
    return Table(columns, [Row([*row]) for row in rows])


def _expected_table(patterns: Sequence[ExpectedPattern]) -> Table:
    columns = [
        Column("Pattern"),
        Column("Label"),
        Column("Rows", number=True),
        Column("Label’s share", number=True),
        Column("Chance", number=True),
    ]
    rows = [
        Row(
            [
                cut(one.name),
                cut(one.label),
                f"{count(one.rows)} → {count(one.rows_after)}",
                f"{percent(one.share)} → {percent(one.share_after)}",
                percent(one.chance),
            ]
        )
        for one in patterns
    ]
    return Table(columns, rows)


def _aimed_at(step: PlannedRemedy) -> str:
    shown = ", ".join(cut(name) for name in step.patterns[:MAX_NAMED])
    more = f" and {len(step.patterns) - MAX_NAMED} more" if len(step.patterns) > MAX_NAMED else ""
    return "; ".join(filter(None, [f"{shown}{more}", step.why]))


def gone(result: RepairResult) -> tuple[int, int]:
    """Of the patterns listed before, how many keep at most a fifth of their information; and how many there are. Real signal is left out."""
    listed = [one for one in result.comparison.findings if not one.marked]
    return sum(one.gain_after <= GONE * one.gain_before for one in listed), len(listed)


def verdict(result: RepairResult) -> str:
    """The result in one or two sentences."""
    n_gone, n_listed = gone(result)
    shortcuts = (
        [f"{count(n_gone)} of {counted(n_listed, 'shortcut')} gone"] if n_listed and result.is_changed else []
    )
    # What a bag of words gets from a single text is mostly real signal.
    leaks = [leak_words(result.comparison.leak)] if _has_context(result) or not result.is_changed else []
    rows = [_rows(result) or "no remedy applied, and nothing was changed"]
    risk = (
        [f"about {percent(share)} of the labels at risk"] if (share := _at_risk(result)) is not None else []
    )
    first, *others = (*shortcuts, *leaks, *rows, *risk)
    return "; ".join([first[:1].upper() + first[1:], *map(_lower_first, others)]) + "."


def _at_risk(result: RepairResult) -> float | None:
    """The share of all rows whose label may have become wrong."""
    if result.labels_at_risk is None or not (result.changed or result.added):
        return None
    return result.labels_at_risk / max(1, result.rows_after)


def _has_context(result: RepairResult) -> bool:
    return result.dataset.fields.get("context") is not None


def _rows(result: RepairResult) -> str:
    parts = [
        f"{counted(n, 'row')} {what}"
        for n, what in ((result.changed, "changed"), (result.added, "added"), (result.dropped, "dropped"))
        if n
    ]
    return ", ".join(parts)


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _key_figures(result: RepairResult) -> list[KeyFigure]:
    n_gone, n_listed = gone(result)
    return [
        leak_figure(result.comparison.leak),
        KeyFigure("Shortcuts gone", f"{count(n_gone)} of {count(n_listed)}", "keep at most a fifth of what they said about a label"),
        KeyFigure("Rows", f"{count(result.dataset.used)} → {count(result.rows_after)}", _rows(result) or "nothing was changed"),
    ]  # fmt: skip


def _remedies_section(result: RepairResult) -> Section:
    uses = {use.remedy: use for use in result.uses}
    columns = [
        Column("Remedy"),
        Column("Aimed at"),
        Column("Rows", number=True),
        Column("Expected at most", number=True, screen=False),
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
        rows.append(
            Row(
                [
                    step.remedy,
                    _aimed_at(step),
                    count(use.rows),
                    "" if step.edits is None else count(step.edits),
                    count(use.drafts),
                    count(use.used),
                    reason,
                ]
            )
        )
    blocks: Blocks = (
        [Table(columns, rows, "labels")] if rows else [Paragraph("No remedy applies.", "nothing")]
    )
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


def _sample_section(result: RepairResult, labels: Labels) -> Section:
    heading = "A sample to look at"
    if not result.sample:
        return Section("sample", heading, [Paragraph("No text was changed or added.", "nothing")])
    lead = "Drawn at random. Read each one: does the label hold, and is it good English?"
    cards = [edit_card(edit, labels) for edit in result.sample[:MAX_SAMPLE]]
    blocks: Blocks = [
        Only(REPORT, [Paragraph(lead, "lead"), Cards(cards)]),
        Only(SCREEN, [Cards(cards[:SAMPLE_ON_SCREEN])]),
    ]
    return Section("sample", heading, blocks, on=REPORT_AND_SCREEN)


def _card_section(result: RepairResult) -> Section:
    leak = result.comparison.leak
    items: list[Words] = [
        f"Rows: {result.dataset.used:,} before, {result.rows_after:,} after; {result.changed:,} changed, {result.added:,} added, "
        f"{result.dropped:,} dropped."
    ]
    if leak is not None:
        items.append(
            f"Leak from {leak.columns} alone: {percent(leak.before.accuracy)} before, {percent(leak.after.accuracy)} after; chance is "
            f"{percent(leak.after.majority)}."
        )
    items.append(
        "Longway reduces shortcuts; it does not certify that a dataset or a model trained on it is fair."
    )
    return Section("card", "What was done", [Bullets(items)], on=CARD)
