"""The page of a repair of data with candidates: the leak before and after, what each remedy did, findings, examples; and the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longway.detect.choices.leak import SEEN
from longway.detect.severity import too_few_words
from longway.jobs.change_show import SHEET
from longway.jobs.choices.audit.show import UNITS, Unit, leak_words, visible
from longway.jobs.choices.repair.result import (
    FILE,
    ChangedQuestion,
    ChoicePlan,
    ChoiceRepairResult,
    ChoiceStep,
    CueChange,
)
from longway.show import charts
from longway.show.change_charts import change_bar
from longway.show.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import setting_rows
from longway.show.numbers import NONE, arrow, count, counted, percent, points
from longway.show.sections import (
    CARD,
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Block,
    Blocks,
    Bullets,
    Cell,
    Chart,
    Column,
    Facts,
    KeyFigure,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
)

EVERYWHERE = REPORT_AND_SCREEN
ON_SCREEN = 10
REACHED = "the goal is reached"  # in other folds
GONE = 0.2  # share of its points that a pattern may keep to count as gone
READING = [
    ("Leak", "How often a simple ranker picks the right candidate. It learned from other questions and never sees the prompt. At best it falls to chance."),
    ("Chance", "The accuracy of a random choice: the mean of one divided by the number of candidates."),
    ("Points", "How much more often than by chance one is right by choosing among the candidates with a pattern, over all questions; in percentage points."),
    ("Positions", "All candidates of a question are put in a new random order, so that the right one is at every place equally often."),
    ("Drop", "The questions whose right candidate a ranker picks most clearly are left out, as few as possible. What is left is measured with other folds than those that chose them."),
]  # fmt: skip
NOTE: Words = [
    Span("Fewer shortcuts, not none.", "strong"),
    " The rankers see length, place, punctuation, style, words and, if the sentence encoder is installed, meaning. A large model may find others. Right answers keep their meaning: normalising changes "
    "spaces, first letters and full stops only.",
]


def choice_repair_page(result: ChoiceRepairResult) -> Page:
    """All sections of a repair."""
    data = result.dataset
    return Page(
        kicker="Longway repair",
        title=cut(f"Repair of {data.name}", PATTERN_LIMIT),
        verdict=_verdict(result),
        facts=[
            ("Dataset", cut(data.name, PATTERN_LIMIT)),
            ("Columns", ", ".join(f"{role} = {cut(name)}" for role, name in data.fields.items())),
            ("Made", cut(result.created)),
        ],
        figures=_key_figures(result),
        figures_style="three",
        sections=[
            _remedies_section(result),
            _leak_section(result),
            _findings_section(result),
            _worse_section(result),
            *_places_section(result),
            *_sample_section(result),
            _card_section(result),
            Section("reading", "How to read this", [Facts(READING, "reading"), Paragraph(NOTE, "note")]),
        ],
        version=result.longway,
        fingerprint=data.fingerprint,
        settings=setting_rows(result.settings, source=FILE),
        sheets=(SHEET,),
    )


def choice_plan_page(plan: ChoicePlan, name: str) -> Page:
    """The plan, before anything is changed."""
    columns = [
        Column("Remedy"),
        Column("What"),
        Column("Questions", number=True),
        Column("Leak after", number=True),
    ]
    rows = [
        Row(
            [
                step.remedy,
                _step_words(step),
                f"about {count(step.questions)}" if step.about else count(step.questions),
                NONE if step.leak is None else percent(step.leak),
            ]
        )
        for step in plan.steps
    ]
    leak = plan.leak
    verdict = f"Without the prompt, a simple ranker ({SEEN[leak.part]}) is right in {percent(leak.accuracy)}; chance is {percent(leak.majority)}. The goal is {percent(plan.goal)} or less."
    return Page(
        kicker="Longway repair",
        title=cut(f"Plan for {name}", PATTERN_LIMIT),
        verdict=" ".join([verdict, *plan.notes]),
        facts=[],
        figures=[],
        sections=[Section("plan", "Remedies", [Table(columns, rows)], on=SCREEN)],
        version="",
        fingerprint="",
    )


def _step_words(step: ChoiceStep) -> str:
    left = "; ".join(f"{count(one.count)} stay: {one.reason}" for one in step.left)
    return f"{step.aim} ({left})" if left else step.aim


def _verdict(result: ChoiceRepairResult) -> str:
    before, after = result.leak_before, result.leak_after
    unit = UNITS[result.dataset.kind]
    ranker = f"a simple ranker ({SEEN[after.part]})"
    if not result.is_changed:
        return f"Nothing was changed. Without the prompt, {ranker} is right in {percent(before.accuracy)}; chance is {percent(before.majority)}{too_few_words(before)}."
    rows = [
        f"{counted(n, unit.question)} {what}"
        for n, what in ((result.changed, "changed"), (result.added, "added"), (result.dropped, "left out"))
        if n
    ]
    first = f"Without the prompt, {ranker} now picks the {unit.right} {unit.candidate} in {percent(after.accuracy)}; before: {percent(before.accuracy)}, chance: {percent(after.majority)}"
    goal = "" if result.reached else f" The goal of {percent(result.goal)} was not reached{_why(result)}."
    return f"{first}. {', '.join(rows)}.{goal}"


def _why(result: ChoiceRepairResult) -> str:
    why = "in the folds that choose questions it is" if result.stopped == REACHED else result.stopped
    return f": {why}" if why else ""


def _key_figures(result: ChoiceRepairResult) -> list[KeyFigure]:
    before, after = result.leak_before, result.leak_after
    question = UNITS[result.dataset.kind].question
    gone = sum(one.points_after <= GONE * one.points_before for one in result.findings)
    added = f"{count(result.added)} added, " if result.added else ""
    changed = f"{count(result.changed)} changed, {added}{count(result.dropped)} left out"
    return [
        KeyFigure("Right without the prompt", arrow(percent(before.accuracy), percent(after.accuracy)), f"chance is {percent(after.majority)}"),
        KeyFigure("Shortcuts gone", f"{count(gone)} of {count(len(result.findings))}", "at least 80% weaker"),
        KeyFigure(f"{question.capitalize()}s", arrow(count(result.dataset.used), count(result.questions_after)), changed),
    ]  # fmt: skip


def _remedies_section(result: ChoiceRepairResult) -> Section:
    columns = [Column("Remedy"), Column("What"), Column("Questions", number=True)]
    rows = [Row([step.remedy, _step_words(step), count(step.questions)]) for step in result.steps]
    blocks: Blocks = (
        [Table(columns, rows, "labels")] if rows else [Paragraph("No remedy was used.", "nothing")]
    )
    if result.random is not None:
        after, other = result.leak_after, result.random
        blocks.append(
            Paragraph(
                f"The goal was a leak of {percent(result.goal)} or less. With as many questions left out at random it would be {percent(other.accuracy)}, "
                f"with these it is {percent(after.accuracy)}.{_stopped(result)}",
                "rest",
            )
        )
    return Section("remedies", "What was done", blocks, on=EVERYWHERE)


def _stopped(result: ChoiceRepairResult) -> str:
    return "" if result.reached else f" It ended{_why(result)}."


def _leak_section(result: ChoiceRepairResult) -> Section:
    lead = "How often a simple ranker picks the right candidate, by what it sees. The dashed line is a random choice; the whisker is the 95% interval."
    before, after = result.leak_before, result.leak_after
    svg = charts.leak_chart(
        [replace(before, columns=("before",)), replace(after, columns=("after",))],
        key="leak",
        majority=after.majority,
        title="How often a ranker without the prompt is right, before and after",
        desc=f"before {percent(before.accuracy)}; after {percent(after.accuracy)}; chance {percent(after.majority)}",
    )
    columns = [Column("The ranker sees"), Column("Before", number=True), Column("After", number=True), Column("Chance", number=True, drop=1)]  # fmt: skip
    rows = [
        Row([SEEN.get(part, part), leak_words(was), leak_words(result.leaks_after[part]), percent(result.leaks_after[part].majority)])
        for part, was in result.leaks_before.items()
    ]  # fmt: skip
    caption = f"{SEEN[after.part]}; {after.how}, {counted(after.rows, 'question')} after"
    return Section("leak", "Leak before and after", [Paragraph(lead, "lead"), Chart(svg, caption), Table(columns, rows)], on=EVERYWHERE)  # fmt: skip


def _findings_section(result: ChoiceRepairResult) -> Section:
    heading = "Findings before and after"
    if not result.findings:
        return Section("findings", heading, [Paragraph("There were no findings.", "nothing")])
    said = f"{counted(result.found_before, 'finding')} before, {count(result.found_after)} after."
    return Section(
        "findings",
        heading,
        [Paragraph(said), _changes_table(result.findings, UNITS[result.dataset.kind])],
        on=EVERYWHERE,
    )


def _worse_section(result: ChoiceRepairResult) -> Section:
    heading = "What got worse"
    if not result.worse:
        return Section("worse", heading, [Paragraph("No pattern predicts the right candidate better than before.", "nothing")], on=REPORT)  # fmt: skip
    said = f"{counted(len(result.worse), 'pattern')} predict{'s' * (len(result.worse) == 1)} the right candidate better than before."
    return Section(
        "worse",
        heading,
        [Paragraph(said), _changes_table(result.worse, UNITS[result.dataset.kind])],
        on=EVERYWHERE,
    )


def _changes_table(changes: Sequence[CueChange], unit: Unit) -> Table:
    full = max(max(one.points_before, one.points_after) for one in changes) or 1.0
    right = f"{unit.right.capitalize()} {unit.candidate} has it"
    columns = [Column("Pattern"), Column(right, number=True, short=f"{unit.right.capitalize()} has it"), Column("Chance", number=True, drop=1), Column("Points", number=True)]  # fmt: skip
    rows = [
        Row(
            [
                Span(cut(one.name, PATTERN_LIMIT), "pattern"),
                arrow(percent(one.share_before), percent(one.share_after) if one.applies_after else NONE),
                arrow(percent(one.base_before), percent(one.base_after) if one.applies_after else NONE),
                Cell(
                    arrow(points(one.points_before), points(one.points_after)),
                    change_bar(max(one.points_before, 0.0), max(one.points_after, 0.0), full=full),
                ),
            ]
        )
        for one in changes
    ]
    return Table(columns, rows, open=20, more="patterns", screen=ON_SCREEN)


def _places_section(result: ChoiceRepairResult) -> list[Section]:
    if not result.places_before:
        return []
    columns = [Column("Place"), Column("Before", number=True), Column("After", number=True)]
    rows = [
        Row([chr(65 + at) if at < 26 else str(at + 1), _share(was, result.places_before), _share(now, result.places_after)])
        for at, (was, now) in enumerate(zip(result.places_before, result.places_after, strict=False))
    ]  # fmt: skip
    lead = "Where the right candidate is. With different numbers of candidates, later places are rarer."
    return [Section("places", "Places", [Paragraph(lead, "lead"), Table(columns, rows)], on=REPORT)]


def _share(n: int, counts: Sequence[int]) -> Words:
    return [count(n), Span(f" {percent(n / max(1, sum(counts)))}", "quiet")]


def _sample_section(result: ChoiceRepairResult) -> list[Section]:
    if not result.sample:
        return []
    blocks: Blocks = [Paragraph("Drawn at random. The right candidate is in bold.", "lead")]
    blocks += [_example(one) for one in result.sample]
    return [Section("sample", "A sample to look at", blocks, on=REPORT)]


def _example(one: ChangedQuestion) -> Block:
    prompt = cut(" ".join(one.prompt.split()), TEXT_LIMIT)
    items: list[tuple[Words, Words]] = [
        (
            [Span(f"{one.remedy}, row {cut(one.id)}", "quiet")],
            Span(prompt, "data") if prompt else "",
        ),
        ("Before", _options(one.before, one.right_before)),
        ("After", _options(one.after, one.right_after) if one.after else Span("left out", "quiet")),
    ]
    return Facts(items, "about")


def _options(texts: Sequence[str], right: int) -> Words:
    words: list[str | Span] = []
    for at, text in enumerate(texts):
        words += [
            Span(f"{' · ' if at else ''}{chr(65 + at) if at < 26 else at + 1} ", "quiet"),
            Span(visible(text), "strong" if at == right else "data"),
        ]
    return words


def _card_section(result: ChoiceRepairResult) -> Section:
    before, after = result.leak_before, result.leak_after
    question = UNITS[result.dataset.kind].question
    items: list[Words] = [
        f"{question.capitalize()}s: {result.dataset.used:,} before, {result.questions_after:,} after; {result.changed:,} changed, {result.added:,} added, {result.dropped:,} left out.",
        f"Right without the prompt: {percent(before.accuracy)} before, {percent(after.accuracy)} after; chance is {percent(after.majority)}.",
        *(
            f"{step.remedy}: {_step_words(step)}; {counted(step.questions, 'question')}."
            for step in result.steps
        ),
        "Longway reduces shortcuts; it does not certify that a benchmark cannot be solved without its questions.",
    ]
    return Section("card", "What was done", [Bullets(items)], on=CARD)
