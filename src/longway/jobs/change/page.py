"""The page of a command that changes data, and its sections: leaks and patterns before and after, edits as cards, checks, refusals, costs.

    compared_page(result, ...)      the page of a rewrite, an augmentation or a repair, with the sections that only these have

Every list is cut and what is cut is counted; the JSON file of the run, `file`, has everything. On the terminal are the figures and what
needs attention; the edits are in the report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from longway.detect.severity import too_few_words
from longway.jobs.before_after import Comparison, LeakChange, PatternChange
from longway.jobs.change.collect import CheckCount, ReasonCount, ShownEdit, refusals_of
from longway.jobs.change.result import ChangeResult, ComparedResult, ResultOfRounds
from longway.jobs.results import dataset_page
from longway.records import Leak, Verdict
from longway.report.charts import change_bar, leak_chart
from longway.report.differences import versions
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut, data_span
from longway.report.labels import (
    Labels,
    label_named,
    label_span,
    labels_of,
    level_name,
    part_name,
    setting_rows,
    verdict_chip,
)
from longway.report.numbers import (
    NONE,
    arrow,
    count,
    counted,
    duration,
    finite,
    money,
    or_dash,
    percent,
    points,
    three_digits,
)
from longway.report.sections import (
    CARD,
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Block,
    Blocks,
    Bullet,
    Bullets,
    Card,
    Cards,
    Cell,
    Chart,
    Chip,
    Column,
    Details,
    Facts,
    Grid,
    Heading,
    KeyFigure,
    Only,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
    left_out,
    nothing,
    table_of,
)
from longway.store import CallTotals
from longway.verify.calibration import ExpectedWrong

Refused = TypeVar("Refused", bound=ReasonCount)

LIMITS = "Longway reduces shortcuts; it does not certify that a dataset or a model trained on it is fair."
SHEET = "rewrite.css"  # the style sheet of these sections
MAX_LEAKS = 8
OPEN_PATTERNS, MAX_PATTERNS = 15, 60  # the first number is visible at once, the second after a click
MAX_WORSE = 40
MAX_REFUSED = 12
OPEN_SAMPLE, MAX_SAMPLE = 6, 20
MAX_REASONS = 40
MAX_ROWS = 40  # of the tables of checks and costs
CONTEXT_LIMIT = 800
ON_SCREEN, REASONS_ON_SCREEN = 5, 3


# Leaks


def leak_sentence(change: LeakChange | None) -> str:
    """The change of a leak as the first half of a verdict. It says "instead of" only if the change is more than chance.

    >>> old = Leak("text", ("claim",), 0.681, 0.67, 0.692, 0.5, "5-fold cross-validation", 6666)
    >>> new = Leak("text", ("claim",), 0.601, 0.589, 0.613, 0.5, "5-fold cross-validation", 6666)
    >>> leak_sentence(LeakChange(old, new))
    'From the claim alone a bag of words now gets 60.1% right instead of 68.1% (chance: 50.0%)'
    """
    if change is None:
        return "The leak was not measured before and after"
    before, after = change.before, change.after
    start = f"From {part_name(after)} alone a bag of words"
    old, new, chance = percent(before.accuracy), percent(after.accuracy), percent(after.majority)
    if old == new:
        return f"{start} still gets {new} right, as before (chance: {chance}{too_few_words(after)})"
    if not change.is_clear:
        return f"{start} gets {new} right, {old} before (chance: {chance}{too_few_words(after)}), a difference that may be chance"
    if after.accuracy > before.accuracy:
        return f"{start} now gets {new} right, more than the {old} before (chance: {chance})"
    if after.low <= after.majority:
        return f"{start} now gets {new} right instead of {old}, no better than chance ({chance}{too_few_words(after)})"
    return f"{start} now gets {new} right instead of {old} (chance: {chance})"


def leak_figure(change: LeakChange | None) -> KeyFigure:
    """The leak from the text as a key figure."""
    if change is None:
        return KeyFigure("Right from the text alone", NONE, "not measured")
    name = f"Right from {cut(change.columns)} alone"
    figures = arrow(percent(change.before.accuracy), percent(change.after.accuracy))
    return KeyFigure(name, figures, f"chance is {percent(change.after.majority)}")


def leak_section(comparison: Comparison, *, file: str) -> Section:
    """Leaks before and after, as charts."""
    leaks, heading = comparison.leaks, "Leak before and after"
    if not leaks:
        return Section("leak", heading, [nothing("The leak was not measured before and after.")])
    lead = (
        "How often a bag of words predicts the right label from one part of the input. The dashed line is the accuracy of always "
        "predicting the most frequent label; the whisker is the 95% interval."
    )
    charts = [_leak_chart(change, f"leak-{at}") for at, change in enumerate(leaks[:MAX_LEAKS])]
    rest = left_out(len(leaks) - MAX_LEAKS, "leaks", file)
    return Section("leak", heading, [Paragraph(lead, "lead"), Grid(charts), *rest])


def leak_lines(change: LeakChange | None) -> list[str]:
    """The leak before and after as an item of the card."""
    if change is None:
        return []
    before, after = (
        f"{percent(one.accuracy)} ({percent(one.low)} to {percent(one.high)})"
        for one in (change.before, change.after)
    )
    chance = percent(change.after.majority)
    return [f"Leak from {change.columns} alone: {before} before, {after} after; chance is {chance}."]


def _leak_chart(change: LeakChange, key: str) -> Chart:
    before, after, name = change.before, change.after, cut(change.columns)
    svg = leak_chart(
        [replace(before, columns=("before",)), replace(after, columns=("after",))],
        key=key,
        majority=after.majority,
        title=f"Accuracy of a bag of words from {name} alone, before and after",
        desc=f"before {_interval(before)}; after {_interval(after)}; chance {percent(after.majority)}",
    )
    return Chart(
        svg, [Span(name, "data"), " alone"], f"{cut(after.how, PATTERN_LIMIT)}, {counted(after.rows, 'row')}"
    )


def _interval(leak: Leak) -> str:
    return f"{percent(leak.accuracy)}, 95% interval {percent(leak.low)} to {percent(leak.high)}"


# Patterns


def patterns_section(comparison: Comparison, labels: Labels, *, file: str) -> Section:
    """The strongest patterns of the original data, and how strong they are now."""
    heading, findings = "Findings before and after", comparison.findings
    if not findings:
        return Section("findings", heading, [nothing("No pattern was correlated with a label before.")])
    lead = (
        "The strongest patterns of the original data, and how well they predict the label now. The pale bar is before, the narrow one "
        "inside it is after; the tick is the label’s base rate."
    )
    blocks: Blocks = [Paragraph(lead, "lead")]
    if found := comparison.found:
        text = f"{found.before:,} patterns were correlated with a label, {found.after:,} are now. The strongest, before and after:"
        blocks.append(Only(SCREEN, [Paragraph(text)]))
    blocks.append(pattern_table(findings[:MAX_PATTERNS], labels, full=_most_points(comparison)))
    blocks += left_out(len(findings) - MAX_PATTERNS, "patterns", file)
    return Section("findings", heading, blocks, on=REPORT_AND_SCREEN)


def worse_section(comparison: Comparison, labels: Labels, *, objections: Sequence[str] = ()) -> Section:
    """What got worse: leaks that rose, patterns that got stronger. objections: further sentences."""
    sentences = [data_span(text, TEXT_LIMIT) for text in (*_risen(comparison.leaks), *objections)]
    worse = comparison.worse[:MAX_WORSE]
    blocks: Blocks = []
    if sentences:
        blocks.append(Bullets(sentences, "objections"))
    if worse:
        full = _most_points(comparison)
        blocks.append(pattern_table(worse, labels, full=full, is_worse=True))
    if n_more := n_worse(comparison) - len(worse):
        blocks.append(Paragraph(f"{n_more:,} more patterns got stronger, each less than these.", "rest"))
    none = nothing("Nothing: no pattern became noticeably stronger, and no leak rose.")
    return Section("worse", "What got worse", blocks or [none], on=REPORT_AND_SCREEN)


def n_worse(comparison: Comparison) -> int:
    """The number of patterns that got stronger; the comparison lists the strongest of them."""
    return max(comparison.n_worse, len(comparison.worse))


def _risen(changes: Sequence[LeakChange]) -> Iterator[str]:
    for change in changes:
        before, after = change.before.accuracy, change.after.accuracy
        if after > before:
            chance = "" if change.is_clear else " The difference may be chance."
            yield f"The leak from {cut(change.columns)} rose from {percent(before)} to {percent(after)}.{chance}"


def _most_points(comparison: Comparison) -> float:
    """The points of a full bar."""
    shown = [*comparison.findings[:MAX_PATTERNS], *comparison.worse[:MAX_WORSE]]
    each = [value for change in shown for value in (change.points_before, change.points_after)]
    return max(map(bar_length, each), default=0.0)


def bar_length(value: float | None) -> float:
    """The length of a bar of points: none if they are not known, or if the pattern now predicts another label."""
    return max(finite(value or 0.0), 0.0)


def pattern_table(
    changes: Sequence[PatternChange], labels: Labels, *, full: float, is_worse: bool = False
) -> Table:
    """Patterns before and after. full: the points of a full bar. is_worse: all of them got stronger."""
    columns = [
        Column("Pattern"), Column("Predicts", style="to"), Column("Texts", number=True), Column("Label’s share", style="shares"),
        Column("Points", style="shares"),
    ]  # fmt: skip
    rows = [_pattern_row(change, labels, full, is_worse) for change in changes]
    n_open = None if is_worse else OPEN_PATTERNS
    return Table(columns, rows, "changes", open=n_open, more="patterns", screen=ON_SCREEN)


def _pattern_row(change: PatternChange, labels: Labels, full: float, is_worse: bool) -> Row:
    total = sum(label.count for label in labels.values()) or 1
    label, pattern = label_named(change.label, labels), change.pattern
    where = f"{level_name(pattern.level)} in {cut(pattern.field)}"
    words: list[str | Span] = [Span(cut(pattern.name, PATTERN_LIMIT), "pattern"), " ", Span(where, "where")]
    if change.marked:
        words += [" ", Span(cut(change.marked, PATTERN_LIMIT), "remark")]
    if change.is_stronger and not is_worse:
        words += [" ", Span("▲ stronger now", "remark stronger")]
    before, after = change.share_before, change.share_after
    shares = changed_words(
        percent(before) if change.count_before else NONE, percent(after) if change.count_after else NONE
    )
    cells: list[Words | Cell] = [
        words,
        label_span(label),
        changed_words(count(change.count_before), count(change.count_after)),
        Cell(shares, change_bar(before, after, full=1.0, usual=label.count / total)),
        points_cell(change.points_before, change.points_after, full=full),
    ]
    return Row(cells, label.colour)


def points_cell(before: float | None, after: float | None, *, full: float) -> Cell:
    """Points before and after with both bars; dashes for runs of earlier versions. full: the points of a full bar."""
    words = changed_words(or_dash(before, points), or_dash(after, points))
    return Cell(words, change_bar(bar_length(before), bar_length(after), full=full))


def changed_words(before: str, after: str) -> Words:
    """A figure before and after."""
    return [Span(f"{before} →", "quiet"), " ", Span(after, "strong")]


# Edits


def edit_card(edit: ShownEdit, labels: Labels) -> Card:
    """An edit: label, engine and score, both texts with their differences, why it was refused, verdicts, context."""
    label = [
        label_span(label_named(name, labels)) for name in dict.fromkeys((edit.label_before, edit.label_after))
    ]
    facts: list[Words] = [label if len(label) == 1 else [label[0], Span(" → ", "quiet"), label[1]]]
    if edit.how:
        facts.append(Span(cut(edit.how, PATTERN_LIMIT), "code"))
    facts.append(Span(f"{cut(edit.engine)}, round {edit.round}", "quiet"))
    if edit.method == "razor" or edit.score_before is not None:
        scores = (or_dash(score, three_digits) for score in (edit.score_before, edit.score_after))
        facts.append(Span(f"gamma {arrow(*scores)}", "quiet end"))
    source = f", made from {cut(edit.source)}" if edit.source else ""
    facts.append(Span(f"id {cut(edit.id)}{source}", "quiet"))
    names = ("Source", "Addition") if edit.source else ("Before", "After")
    both = list(zip(names, versions(edit.before, edit.after), strict=True))
    between = [refusal(edit.reason)] if edit.reason else []
    chips = verdict_chips(edit.verdicts)
    return Card(facts, both, between, chips, context_block(edit.context_before, edit.context))


def context_block(before: str | None, after: str | None) -> Sequence[Block]:
    """The context of a text, folded; both if it was changed."""
    shown = list(dict.fromkeys(text for text in (before, after) if text))
    name = "Context" if len(shown) < 2 else "Context, before and after"
    texts = [Paragraph(data_span(text, CONTEXT_LIMIT)) for text in shown]
    return (Details(name, texts, style="context"),) if texts else ()


def verdict_chips(verdicts: Sequence[Verdict]) -> list[Chip]:
    """What the checks said, small."""
    return [verdict_chip(verdict) for verdict in verdicts]


def sample_section(
    edits: Sequence[ShownEdit],
    labels: Labels,
    lead: Words,
    *,
    file: str,
    id: str = "sample",
    heading: str = "A sample to look at",
    card: Callable[[ShownEdit, Labels], Card] = edit_card,
) -> Section:
    """Edits to read."""
    if not edits:
        return Section(id, heading, [nothing("No text was changed or added.")])
    cards = Cards([card(edit, labels) for edit in edits[:MAX_SAMPLE]], open=OPEN_SAMPLE)
    rest = left_out(len(edits) - MAX_SAMPLE, "edits", file)
    return Section(id, heading, [Paragraph(lead, "lead"), cards, *rest])


def refusal(reason: str) -> Paragraph:
    """Why a candidate was not used."""
    return Paragraph([Span("✗", "sign"), " ", data_span(reason, TEXT_LIMIT)], "refusal")


def refused_section(
    refused: Sequence[Refused],
    example: Callable[[Refused], Blocks],
    *,
    n_rejected: int,
    file: str,
    heading: str = "Refused candidates",
    lead: str = "",
    none: str = "No candidate was refused.",
) -> Section:
    """Why candidates were rejected, most frequent reason first, with an example of each. none: what to say if none was."""
    if not refused:
        return Section("refused", heading, [nothing(none)])
    lead = lead or (
        f"{counted(n_rejected, 'candidate')} {'was' if n_rejected == 1 else 'were'} not used. The reasons, most frequent first, with an "
        "example of each."
    )
    items = [
        Bullet(reason_words(one, n_rejected), below=[Only(REPORT, example(one))])
        for one in refused[:MAX_REFUSED]
    ]
    reasons = Bullets(items, "refusals", screen=REASONS_ON_SCREEN, more="reasons")
    rest = Only(REPORT, left_out(len(refused) - MAX_REFUSED, "reasons", file))
    return Section("refused", heading, [Paragraph(lead, "lead"), reasons, rest], on=REPORT_AND_SCREEN)


def reason_words(one: ReasonCount, total: int) -> Words:
    """A reason with its count and its share."""
    share = percent(one.count / total) if total else NONE
    reason = data_span(one.reason, TEXT_LIMIT)
    return [Span(count(one.count), "strong"), " ", reason, " ", Span(share, "quiet")]


def unwritten_section(
    unwritten: Sequence[ReasonCount], failed: Sequence[ReasonCount], *, file: str
) -> Section:
    """Texts that engines did not write, and calls that failed. The terminal shows the section only if there are any."""
    heading = "Not written"
    if not unwritten and not failed:
        none = nothing("Nothing: engines wrote every text that was requested, and no call failed.")
        return Section("unwritten", heading, [none])
    blocks: Blocks = []
    if unwritten:
        n = sum(one.count for one in unwritten)
        said = f"Engines gave a reason for writing no text, or fewer than requested, {counted(n, 'time')}."
        blocks = [Paragraph(said), *reasons_blocks(unwritten, "Show the reasons", file=file)]
    blocks += failed_blocks(failed, file=file)
    return Section("unwritten", heading, blocks, on=REPORT_AND_SCREEN)


def failed_blocks(failed: Sequence[ReasonCount], *, file: str) -> Blocks:
    """Calls that failed, and how to repeat them."""
    if not failed:
        return []
    n = counted(sum(one.count for one in failed), "call")
    lost = f"{n} to engines failed temporarily; run the same command again to retry."
    return [Paragraph(lost), *reasons_blocks(failed, "Show why calls failed", file=file)]


def reasons_blocks(reasons: Sequence[ReasonCount], summary: str, *, file: str) -> Blocks:
    """Reasons with their counts and shares, folded."""
    total = sum(one.count for one in reasons)
    items = [reason_words(one, total) for one in reasons[:MAX_REASONS]]
    listed = Bullets(items, "missing", screen=REASONS_ON_SCREEN, more="reasons")
    rest = Only(REPORT, left_out(len(reasons) - MAX_REASONS, "reasons", file))
    return [Details(summary, [listed, rest])]


# Checks and costs


def checks_section(checks: Sequence[CheckCount], missing: Sequence[str], words: str, *, file: str) -> Section:
    """What each check rejected and how often it errs. words: how many labels are expected to be wrong."""
    columns = [
        Column("Check", "check", data_span),
        Column("Candidates seen", "seen", number=True, short="Seen"),
        Column("Failed", "failed", number=True),
        Column("Share", "share", percent, number=True),
        Column("Accepts a wrong one", "error.false_accept", percent, number=True),
        Column("Rejects a right one", "error.false_reject", percent, number=True),
    ]
    note = (
        "Cheap checks come first, so a later check may see fewer candidates. The two rates on the right were measured on data with "
        "known answers; a dash means not measured."
    )
    table = table_of(checks, columns, "figures-only checks", limit=MAX_ROWS, what="checks", file=file)
    seen = [*table, Paragraph(note, "rest")] if checks else [nothing("Nothing was checked.")]
    blocks: Blocks = [Only(REPORT, [Paragraph(data_span(words, len(words)), "lead"), *seen])]
    if missing:
        listed = [data_span(words, TEXT_LIMIT) for words in missing[:MAX_ROWS]]
        blocks += [Heading("Not checked"), Bullets(listed, "missing")]
        blocks += left_out(len(missing) - MAX_ROWS, "checks", file)
    return Section("checks", "Checks", blocks, on=REPORT_AND_SCREEN if missing else REPORT)


def wrong_words(wrong: ExpectedWrong | None) -> str:
    """How many labels are expected to be wrong, from the error rates of the checks."""
    if wrong is None:
        return "The share of labels that no longer fit was not estimated."
    rows = ""
    if wrong.rows is not None:  # a text that was rewritten twice had two chances
        ends = f"{percent(wrong.rows.low)} to {percent(wrong.rows.high)}"
        rows = (
            f", and {percent(wrong.rows.share)} of the rewritten texts ({ends}), which may have several edits"
        )
    interval = f"95% interval {percent(wrong.low)} to {percent(wrong.high)}"
    basis = f" Basis: {cut(wrong.basis, TEXT_LIMIT).rstrip('.')}." if wrong.basis else ""
    return f"About {percent(wrong.share)} of the accepted edits are expected to have a label that no longer fits ({interval}){rows}.{basis}"


def total_cost(costs: Sequence[CallTotals]) -> tuple[str, str]:
    """The cost of all engines and the time they took; a dash if a price is not known."""
    if any(one.cost is None for one in costs):
        return NONE, "a price is not known"
    seconds = duration(sum(one.seconds or 0.0 for one in costs))
    return money(sum(one.cost or 0.0 for one in costs)), (
        f"{seconds} of engine time" if costs else "no engine was used"
    )


def cost_figure(costs: Sequence[CallTotals]) -> KeyFigure:
    """The total cost as a key figure."""
    return KeyFigure("Cost", *total_cost(costs))


def cost_section(costs: Sequence[CallTotals], *, budget: float | None, file: str) -> Section:
    """What each engine did and cost. The terminal shows only the total, as a key figure."""
    cost, time = total_cost(costs)
    limit = "no budget was set" if budget is None else f"the budget was {money(budget)}"
    total = Paragraph(f"In total {cost}, {time}; {limit}.", "rest")
    return Section("cost", "Cost", [*cost_table(costs, file), total])


def cost_table(costs: Sequence[CallTotals], file: str) -> Blocks:
    """Calls, tokens, cost and time of each engine."""
    columns = [
        Column("Engine", "engine", data_span),
        Column("Did", "kind", data_span),
        Column("Calls", "calls", number=True),
        Column("Tokens in", "prompt_tokens", number=True),
        Column("Tokens out", "completion_tokens", number=True),
        Column("Cost", "cost", money, number=True),
        Column("Time", "seconds", duration, number=True),
    ]
    return table_of(costs, columns, "figures-only", limit=MAX_ROWS, what="rows", file=file)


def stopped_words(reason: str) -> Blocks:
    """Why a run ended."""
    return [Paragraph(["Stopped because: ", data_span(reason, TEXT_LIMIT), "."], "rest")] if reason else []


def encoding_section(note: str) -> list[Section]:
    """Why the written dataset has another encoding or another name for a column, if so."""
    blocks: Blocks = [Paragraph(Span(note, "data"))]
    return [Section("encoding", "Problems", blocks, on=REPORT_AND_SCREEN)] if note else []


def reading_sections(reading: Sequence[tuple[Words, Words]], note: Words, *, formulas: int) -> list[Section]:
    """How to read the report. formulas: cells that a spreadsheet would run as a formula; if there are any, the terminal warns too."""
    cells = f"{counted(formulas, 'cell')} of the dataset would run as a formula in a spreadsheet."
    rest = " They begin with =, +, -, @ or a tab and are written unchanged: import the file as text instead of opening it."
    warning: Blocks = [Paragraph([Span(cells, "strong"), rest], "note")] if formulas else []
    blocks: Blocks = [Facts(reading, "reading"), Paragraph(note, "note"), *warning]
    return [
        Section("reading", "How to read this", blocks),
        *([Section("formulas", "Formulas", warning, on=SCREEN)] if formulas else []),
    ]


# The page, and the card


def compared_page(
    result: ComparedResult,
    title: str,
    *,
    verdict: str,
    figures: Sequence[KeyFigure],
    first: Sequence[Section],
    worse: Section,
    sample: Section,
    rest: Sequence[Section] = (),
    card: Section,
    wrong: str = "",
    edit: Callable[[ShownEdit, Labels], Card] = edit_card,
    reading: Sequence[tuple[Words, Words]],
    note: Words,
    sheets: Sequence[str] = (),
) -> Page:
    """The page of a result that compares the data before and after.

    first, rest: sections that only this command has. wrong: how many labels are expected to be wrong. edit: how an edit is shown.
    """
    labels, file = labels_of(result.dataset.labels), result.file
    facts: Sequence[tuple[str, str]] = ()
    unwritten: Sequence[ReasonCount] = ()
    if isinstance(result, ResultOfRounds):
        facts = [
            ("Method", cut(result.method)),
            ("Written by", cut(result.engine)),
            ("Judged by", cut(result.judge or "none")),
        ]
        unwritten = refusals_of(result.rounds, result.failed_calls)
    refused = refused_section(
        result.refused, lambda one: [edit(one.example, labels)], n_rejected=result.rejected, file=file
    )
    return dataset_page(
        result,
        f"Longway {result.command}",
        title,
        verdict=verdict,
        facts=facts,
        figures=figures,
        figures_style="three",
        sections=[
            *first,
            leak_section(result.comparison, file=file),
            patterns_section(result.comparison, labels, file=file),
            worse,
            sample,
            refused,
            unwritten_section(unwritten, result.failed_calls, file=file),
            *rest,
            checks_section(result.checks, result.missing_checks, wrong, file=file),
            cost_section(result.cost, budget=result.budget, file=file),
            *encoding_section(result.encoding_note),
            *reading_sections(reading, note, formulas=result.dataset.formulas),
            card,
        ],
        settings=setting_rows(result.settings, source=file),
        sheets=(SHEET, *sheets),
    )


def card_section(result: ChangeResult, items: Sequence[Words], *, limits: str = LIMITS) -> Section:
    """What was done to the dataset, for whoever gets the file later: figures and settings, and no text of the dataset."""
    cost, _ = total_cost(result.cost)
    ended = f"Stopped because {result.stopped or 'it was done'}. Seed: {result.settings.get('seed')}. Cost: {cost}."
    edits: list[str | Span] = ["Every change is in edits.jsonl, with its checks. The column ", Span("longway_id", "code"), " has the id of the row."]  # fmt: skip
    if result.added:
        edits += [" ", Span("longway_source", "code"), " has the row that an added row was made from."]
    return Section("card", "What was done", [Bullets([*items, ended, edits, limits])], on=CARD)
