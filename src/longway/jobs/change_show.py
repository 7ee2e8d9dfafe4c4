"""Sections of jobs that change data: leaks and patterns before and after, edits as cards, checks, refusals and costs.

`rewrite`, `augment` and `perturb` build their pages from these. Every list is cut and what is cut is counted. `file` is the
JSON file of the run, which has everything.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from longway.detect.severity import too_few_words
from longway.jobs.before_after import Comparison, LeakChange, PatternChange
from longway.jobs.edit_counts import CheckCount, ReasonCount, ShownEdit
from longway.records import Leak, Verdict
from longway.show.change_charts import change_bar
from longway.show.charts import leak_chart
from longway.show.differences import EDIT_LIMIT, versions
from longway.show.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import Labels, label_named, label_span, level_name, part_name
from longway.show.numbers import (
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
    short,
    three_digits,
)
from longway.show.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Block,
    Blocks,
    Bullet,
    Bullets,
    Card,
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
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
    left_out,
)
from longway.store import CallTotals
from longway.verify.verifier import ExpectedWrong


class _WithReason(Protocol):
    @property
    def reason(self) -> str: ...

    @property
    def count(self) -> int: ...


Refused = TypeVar("Refused", bound=_WithReason)

SHEET = "rewrite.css"  # the style sheet of these sections
MAX_LEAKS = 8
OPEN_PATTERNS, MAX_PATTERNS = 15, 60  # the first number is visible at once, the second after a click
MAX_WORSE = 40
MAX_REFUSED = 12
MAX_REASONS = 40
MAX_ROWS = 40  # of the tables of checks and costs
MAX_CHIPS = 14
CONTEXT_LIMIT = 800
ON_SCREEN, REASONS_ON_SCREEN = 5, 3


# Leaks


def leak_words(change: LeakChange | None) -> str:
    """The change of a leak as the first half of a verdict. It says "instead of" only if the change is more than chance.

    >>> old = Leak("text", ("claim",), 0.681, 0.67, 0.692, 0.5, "5-fold cross-validation", 6666)
    >>> new = Leak("text", ("claim",), 0.601, 0.589, 0.613, 0.5, "5-fold cross-validation", 6666)
    >>> leak_words(LeakChange(old, new))
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
    n_more = max(len(comparison.other_leaks) - MAX_LEAKS, 0)
    leaks = comparison.leaks[: len(comparison.leaks) - n_more]
    lead = (
        "How often a bag of words predicts the right label from one part of the input. The dashed line is the accuracy of always "
        "predicting the most frequent label; the whisker is the 95% interval."
    )
    if not leaks:
        nothing = Paragraph("The leak was not measured before and after.", "nothing")
        return Section("leak", "Leak before and after", [Paragraph(lead, "lead"), Grid([nothing])])
    charts = [_leak_chart(change, f"leak-{at}") for at, change in enumerate(leaks)]
    blocks = [Paragraph(lead, "lead"), Grid(charts), *left_out(n_more, "leaks are", file)]
    return Section("leak", "Leak before and after", blocks)


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
        nothing = Paragraph("No pattern was correlated with a label before.", "nothing")
        return Section("findings", heading, [nothing])
    lead = (
        "The strongest patterns of the original data, and how well they predict the label now. The pale bar is before, the narrow one "
        "inside it is after; the tick is the label’s base rate."
    )
    found = comparison.found
    blocks: Blocks = [
        Paragraph(lead, "lead"),
        *([Only(SCREEN, [Paragraph(_found(found.before, found.after))])] if found else []),
        pattern_table(findings[:MAX_PATTERNS], labels, full=_most_points(comparison)),
        *left_out(max(len(findings) - MAX_PATTERNS, 0), "patterns are", file),
    ]
    return Section("findings", heading, blocks, on=REPORT_AND_SCREEN)


def _found(before: int, after: int) -> str:
    return f"{before:,} patterns were correlated with a label, {after:,} are now. The strongest, before and after:"


def worse_section(comparison: Comparison, labels: Labels, *, objections: Sequence[str] = ()) -> Section:
    """What got worse: leaks that rose, patterns that got stronger. objections: further sentences."""
    sentences = [*(_risen(change) for change in comparison.leaks if _has_risen(change)), *objections]
    worse = comparison.worse[:MAX_WORSE]
    if not sentences and not worse:
        text = "Nothing: no pattern became noticeably stronger, and no leak rose."
        return Section("worse", "What got worse", [Paragraph(text, "nothing")], on=REPORT_AND_SCREEN)
    lead = "Removing one shortcut can introduce another. These figures moved the wrong way."
    blocks: Blocks = [Paragraph(lead, "lead")]
    if sentences:
        blocks.append(Bullets([Span(sentence, "data") for sentence in sentences], "objections"))
    if worse:
        full = _most_points(comparison)
        blocks.append(pattern_table(worse, labels, full=full, is_worse=True))
    if n_more := n_worse(comparison) - len(worse):
        blocks.append(Paragraph(f"{n_more:,} more patterns got stronger, each less than these.", "rest"))
    return Section("worse", "What got worse", blocks, on=REPORT_AND_SCREEN)


def n_worse(comparison: Comparison) -> int:
    """The number of patterns that got stronger; the comparison lists the strongest of them."""
    return max(comparison.n_worse, len(comparison.worse))


def _has_risen(change: LeakChange) -> bool:
    return change.after.accuracy > change.before.accuracy


def _risen(change: LeakChange) -> str:
    chance = "" if change.is_clear else " The difference may be chance."
    figures = f"{percent(change.before.accuracy)} to {percent(change.after.accuracy)}"
    return f"The leak from {cut(change.columns)} rose from {figures}.{chance}"


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
    words: list[str | Span] = [
        Span(cut(pattern.name, PATTERN_LIMIT), "pattern"),
        " ",
        Span(f"{level_name(pattern.level)} in {cut(pattern.field)}", "where"),
    ]
    if change.marked:
        words += [" ", Span(cut(change.marked, PATTERN_LIMIT), "remark")]
    if change.is_stronger and not is_worse:
        words += [" ", Span("▲ stronger now", "remark stronger")]
    shares, worth = (change.share_before, change.share_after), (change.points_before, change.points_after)
    share_after = percent(shares[1]) if change.count_after else NONE
    return Row(
        [
            words,
            label_span(label),
            _changed(count(change.count_before), count(change.count_after)),
            Cell(
                _changed(percent(shares[0]) if change.count_before else NONE, share_after),
                change_bar(*shares, full=1.0, usual=label.count / total),
            ),
            points_cell(*worth, full=full),
        ],
        colour=label.colour,
    )


def points_cell(before: float | None, after: float | None, *, full: float) -> Cell:
    """Points before and after with both bars; dashes for runs of earlier versions. full: the points of a full bar."""
    words = _changed(or_dash(before, points), or_dash(after, points))
    return Cell(words, change_bar(bar_length(before), bar_length(after), full=full))


def _changed(before: str, after: str) -> Words:
    return [Span(f"{before} →", "quiet"), " ", Span(after, "strong")]


# Edits


def edit_card(edit: ShownEdit, labels: Labels, *, limit: int = EDIT_LIMIT) -> Card:
    """An edit: label, engine and score, both texts with their differences, verdicts, context. limit: characters of each text."""
    before, after = versions(edit.before, edit.after, limit=limit)
    scores = (or_dash(score, three_digits) for score in (edit.score_before, edit.score_after))
    context = cut(edit.context, CONTEXT_LIMIT) if edit.context else ""
    return Card(
        facts=[
            label_change(edit.label_before, edit.label_after, labels),
            *([Span(cut(edit.how, PATTERN_LIMIT), "code")] if edit.how else []),
            Span(f"{cut(edit.engine)}, round {edit.round}", "quiet"),
            *(
                [Span(f"gamma {arrow(*scores)}", "quiet end")]
                if edit.method == "razor" or edit.score_before is not None
                else []
            ),
            Span(f"id {cut(edit.id)}", "quiet"),
        ],
        versions=[("Before", before), ("After", after)],
        chips=verdict_chips(edit.verdicts),
        n_more_chips=max(len(edit.verdicts) - MAX_CHIPS, 0),
        below=context_block(context),
    )


def label_change(before: str, after: str, labels: Labels) -> Words:
    """The label; both labels if it changed."""
    old = label_span(label_named(before, labels))
    return old if before == after else [old, Span(" → ", "quiet"), label_span(label_named(after, labels))]


def context_block(context: str) -> Sequence[Block]:
    """The context of a text, folded, in the report only."""
    if not context:
        return ()
    inside = Paragraph(Span(context, "data"))
    return (Only(REPORT, [Details("Context", [inside], style="context")]),)


def verdict_chips(verdicts: Sequence[Verdict]) -> list[Chip]:
    """What the first checks said, small."""
    return [
        Chip(
            name=cut(verdict.check),
            passed=bool(verdict.passed),
            score="" if verdict.score is None else short(verdict.score),
            reason=cut(verdict.reason, TEXT_LIMIT) if verdict.reason else "",
        )
        for verdict in verdicts[:MAX_CHIPS]
    ]


def refusal(reason: str) -> Paragraph:
    """Why a candidate was not used."""
    return Paragraph([Span("✗", "sign"), " ", Span(cut(reason, TEXT_LIMIT), "data")], "refusal")


def refused_section(
    refused: Sequence[Refused],
    card: Callable[[Refused], Card | None],
    *,
    n_rejected: int,
    file: str,
    heading: str = "Refused candidates",
    lead: str = "",
    nothing: str = "No candidate was refused.",
) -> Section:
    """Why candidates were rejected, most frequent reason first. card: shows an example. nothing: what to say if none was."""
    if not refused:
        return Section("refused", heading, [Paragraph(nothing, "nothing")])
    lead = lead or (
        f"{counted(n_rejected, 'candidate')} {'was' if n_rejected == 1 else 'were'} not used. The reasons, most frequent first, with an "
        "example of each."
    )
    reasons = [ReasonCount(one.reason, one.count) for one in refused]
    shown = zip(
        reasons, map(card, refused[:MAX_REFUSED]), strict=False
    )  # cards take time, those left out are not made
    items = [
        Bullet(reason_words(one, n_rejected), below=[example] if example else []) for one, example in shown
    ]
    blocks: Blocks = [
        Only(REPORT, [Paragraph(lead, "lead"), Bullets(items, "refusals")]),
        Only(REPORT, left_out(max(len(refused) - MAX_REFUSED, 0), "reasons are", file)),
        Only(SCREEN, [_few_reasons(reasons)]),
    ]
    return Section("refused", heading, blocks, on=REPORT_AND_SCREEN)


def _few_reasons(reasons: Sequence[ReasonCount]) -> Paragraph:
    """The most frequent reasons in one line."""
    few = [f"{cut(one.reason, PATTERN_LIMIT)} ({one.count:,})" for one in reasons[:REASONS_ON_SCREEN]]
    more = f"; {len(reasons) - len(few):,} more reasons in the report" if len(reasons) > len(few) else ""
    return Paragraph(f"{'; '.join(few)}{more}.")


def reason_words(one: ReasonCount, total: int) -> Words:
    """A reason with its count and its share."""
    share = percent(one.count / total) if total else NONE
    return [
        Span(count(one.count), "strong"), " ", Span(cut(one.reason, TEXT_LIMIT), "data"), " ", Span(share, "quiet"),
    ]  # fmt: skip


def unwritten_section(
    unwritten: Sequence[ReasonCount], failed: Sequence[ReasonCount], *, file: str
) -> Section:
    """Texts that engines did not write, and calls that failed. The terminal shows the section only if there are any."""
    heading = "Not written"
    if not unwritten and not failed:
        text = "Nothing: engines wrote every text that was requested, and no call failed."
        return Section("unwritten", heading, [Paragraph(text, "nothing")])
    n_unwritten, n_failed = (sum(one.count for one in rows) for rows in (unwritten, failed))
    said = (
        f"Engines gave {counted(n_unwritten, 'time')} a reason for writing no text or fewer than requested."
    )
    lost = f"{counted(n_failed, 'call')} to engines failed for a passing reason; run the same command again to retry."
    lead = " ".join([*([said] if n_unwritten else []), *([lost] if n_failed else [])])
    blocks: Blocks = [
        Only(REPORT, [Paragraph(lead, "lead")]),
        Only(SCREEN, [Paragraph(lost)] if n_failed else []),
        *reasons_blocks(unwritten, "Show the reasons", file=file),
        *reasons_blocks(failed, "Show why calls failed", file=file),
    ]
    return Section("unwritten", heading, blocks, on=REPORT_AND_SCREEN)


def reasons_blocks(reasons: Sequence[ReasonCount], summary: str, *, file: str) -> Blocks:
    """Reasons with their counts and shares: a folded list in the report, a line on the terminal."""
    if not reasons:
        return []
    total = sum(one.count for one in reasons)
    items = [reason_words(one, total) for one in reasons[:MAX_REASONS]]
    rest = left_out(max(len(reasons) - MAX_REASONS, 0), "reasons are", file)
    return [
        Only(REPORT, [Details(summary, [Bullets(items, "missing"), *rest])]),
        Only(SCREEN, [_few_reasons(reasons)]),
    ]


# Checks and costs


def checks_section(checks: Sequence[CheckCount], missing: Sequence[str], words: str, *, file: str) -> Section:
    """What each check rejected and how often it errs. words: how many labels are expected to be wrong."""
    blocks: Blocks = [Paragraph(Span(words, "data"), "lead")]
    if checks:
        columns = [
            Column("Check"), Column("Candidates seen", number=True, short="Seen"), Column("Failed", number=True),
            Column("Share", number=True), Column("Accepts a wrong one", number=True), Column("Rejects a right one", number=True),
        ]  # fmt: skip
        note = (
            "Cheap checks come first, so a later check may see fewer candidates. The two rates on the right were measured on data with "
            "known answers; a dash means not measured."
        )
        rows = [_check_row(check) for check in checks[:MAX_ROWS]]
        rest = left_out(max(len(checks) - MAX_ROWS, 0), "checks are", file)
        blocks += [Table(columns, rows, "figures-only checks"), *rest, Paragraph(note, "rest")]
    else:
        blocks.append(Paragraph("Nothing was checked.", "nothing"))
    if missing:
        shown = [Span(cut(words, TEXT_LIMIT), "data") for words in missing[:MAX_ROWS]]
        rest = left_out(max(len(missing) - MAX_ROWS, 0), "are", file)
        blocks = [Only(REPORT, blocks), Heading("Not checked"), Bullets(shown, "missing"), *rest]
    return Section("checks", "Checks", blocks, on=REPORT_AND_SCREEN if missing else REPORT)


def _check_row(check: CheckCount) -> Row:
    error = check.error
    return Row(
        [
            Span(cut(check.check), "data"),
            count(check.seen),
            count(check.failed),
            percent(check.failed / check.seen) if check.seen else NONE,
            NONE if error is None else percent(error.false_accept),
            NONE if error is None else percent(error.false_reject),
        ]
    )


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
    blocks: Blocks = []
    if costs:
        blocks += [
            cost_table(costs[:MAX_ROWS]),
            *left_out(max(len(costs) - MAX_ROWS, 0), "rows are", file),
        ]
    return Section("cost", "Cost", [*blocks, Paragraph(f"In total {cost}, {time}; {limit}.", "rest")])


def cost_table(costs: Sequence[CallTotals]) -> Table:
    """Calls, tokens, cost and time of each engine."""
    columns = [
        Column("Engine"), Column("Did"), Column("Calls", number=True), Column("Tokens in", number=True), Column("Tokens out", number=True),
        Column("Cost", number=True), Column("Time", number=True),
    ]  # fmt: skip
    rows = [
        Row(
            [
                Span(cut(one.engine), "data"),
                Span(cut(one.kind), "data"),
                count(one.calls),
                count(one.prompt_tokens),
                count(one.completion_tokens),
                Span(or_dash(one.cost, money), "strong"),
                or_dash(one.seconds, duration),
            ]
        )
        for one in costs
    ]
    return Table(columns, rows, "figures-only")


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
