"""The page of a repair of data with candidates: the leak before and after, what each remedy did, findings, examples; and the plan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from longway.detect.severity import too_few_words
from longway.jobs.change.page import SHEET, card_section, points_cell
from longway.jobs.choices.audit.page import (
    UNITS,
    option_words,
    pattern_span,
    place_letter,
    prompt_span,
)
from longway.jobs.choices.repair.result import (
    FILE,
    ChangedQuestion,
    ChoicePlan,
    ChoiceRepairResult,
    ChoiceStep,
    CueChange,
)
from longway.jobs.results import dataset_page, page_of
from longway.report import charts
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.labels import SEEN, leak_words, setting_rows
from longway.report.numbers import NONE, arrow, count, counted, or_dash, percent
from longway.report.sections import (
    REPORT_AND_SCREEN,
    SCREEN,
    Block,
    Blocks,
    Chart,
    Column,
    Facts,
    Heading,
    KeyFigure,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
    table_of,
)

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


@page_of(ChoiceRepairResult)
def choice_repair_page(result: ChoiceRepairResult) -> Page:
    """All sections of a repair."""
    return dataset_page(
        result,
        "Longway repair",
        "Repair of",
        verdict=_verdict(result),
        figures=_key_figures(result),
        figures_style="three",
        sections=[
            _remedies_section(result),
            _leak_section(result),
            _findings_section(result),
            *_places_section(result),
            *_sample_section(result.sample),
            _card_section(result),
            Section("reading", "How to read this", [Facts(READING, "reading"), Paragraph(NOTE, "note")]),
        ],
        settings=setting_rows(result.settings, source=FILE),
        sheets=(SHEET,),
    )


def choice_plan_page(plan: ChoicePlan, name: str) -> Page:
    """The plan, before anything is changed."""
    names = [
        Column("Remedy"),
        Column("What"),
        Column("Questions", number=True),
        Column("Leak after", number=True),
    ]
    rows = [
        Row(
            [
                one.remedy,
                _step_words(one),
                f"{'about ' * one.about}{count(one.questions)}",
                or_dash(one.leak, percent),
            ]
        )
        for one in plan.steps
    ]
    leak = plan.leak
    verdict = f"Without the prompt, a simple ranker ({SEEN[leak.part]}) is right in {percent(leak.accuracy)}; chance is {percent(leak.majority)}. The goal is {percent(plan.goal)} or less."
    return Page(
        kicker="Longway repair",
        title=cut(f"Plan for {name}", PATTERN_LIMIT),
        verdict=" ".join([verdict, *plan.notes]),
        facts=[],
        figures=[],
        sections=[Section("plan", "Remedies", [Table(names, rows)] if rows else [], on=SCREEN)],
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
    was, chance = percent(before.accuracy), percent(after.majority)
    if not result.is_changed:
        return f"Nothing was changed. Without the prompt, {ranker} is right in {was}; chance is {chance}{too_few_words(before)}."
    first = f"Without the prompt, {ranker} now picks the {unit.best} in {percent(after.accuracy)}; before: {was}, chance: {chance}"
    goal = "" if result.reached else f" The goal of {percent(result.goal)} was not reached{_why(result)}."
    return f"{first}. {unit.question.capitalize()}s: {_changes(result)}.{goal}"


def _changes(result: ChoiceRepairResult) -> str:
    numbers = {"changed": result.changed, "added": result.added, "left out": result.dropped}
    return ", ".join(f"{count(n)} {what}" for what, n in numbers.items() if n)


def _why(result: ChoiceRepairResult) -> str:
    why = "in the folds that choose questions it is" if result.stopped == REACHED else result.stopped
    return f": {why}" if why else ""


def _key_figures(result: ChoiceRepairResult) -> list[KeyFigure]:
    before, after = result.leak_before, result.leak_after
    question = UNITS[result.dataset.kind].question
    gone = sum(one.points_after <= GONE * one.points_before for one in result.findings)
    leak = arrow(percent(before.accuracy), percent(after.accuracy))
    questions = arrow(count(result.dataset.used), count(result.questions_after))
    return [
        KeyFigure("Right without the prompt", leak, f"chance is {percent(after.majority)}"),
        KeyFigure("Shortcuts gone", f"{count(gone)} of {count(len(result.findings))}", "at least 80% weaker"),
        KeyFigure(f"{question.capitalize()}s", questions, _changes(result)),
    ]


def _remedies_section(result: ChoiceRepairResult) -> Section:
    columns = [
        Column("Remedy", "remedy"),
        Column("What", _step_words),
        Column("Questions", "questions", number=True),
    ]
    blocks = table_of(result.steps, columns, "labels") or [Paragraph("No remedy was used.", "nothing")]
    if result.random is not None:
        random, after = percent(result.random.accuracy), percent(result.leak_after.accuracy)
        ended = "" if result.reached else f" It ended{_why(result)}."
        text = f"The goal was a leak of {percent(result.goal)} or less. With as many questions left out at random it would be {random}, with these it is {after}.{ended}"
        blocks.append(Paragraph(text, "rest"))
    return Section("remedies", "What was done", blocks, on=REPORT_AND_SCREEN)


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
    caption = f"{SEEN[after.part]}; {after.how}, {counted(after.rows, 'question')} after"
    parts = [(part, was, result.leaks_after[part]) for part, was in result.leaks_before.items()]
    columns = [
        Column("The ranker sees"),
        Column("Before", number=True),
        Column("After", number=True),
        Column("Chance", number=True, drop=1),
    ]
    rows = [
        Row([SEEN[part], leak_words(was), leak_words(now), percent(now.majority)]) for part, was, now in parts
    ]
    blocks: Blocks = [Paragraph(lead, "lead"), Chart(svg, caption), Table(columns, rows)]
    return Section("leak", "Leak before and after", blocks, on=REPORT_AND_SCREEN)


def _findings_section(result: ChoiceRepairResult) -> Section:
    """The findings of the audit before, then what predicts the right candidate better than before."""
    found = f"{counted(result.found_before, 'finding')} before, {count(result.found_after)} after."
    blocks: Blocks = [Paragraph(found), *_changes_table(result.findings, result.dataset.kind)]
    if result.worse:
        worse = f"{counted(len(result.worse), 'pattern')} predict{'s' * (len(result.worse) == 1)} the right candidate better than before."
        blocks += [
            Heading("What got worse"),
            Paragraph(worse),
            *_changes_table(result.worse, result.dataset.kind),
        ]
    else:
        blocks.append(Paragraph("No pattern predicts the right candidate better than before.", "nothing"))
    return Section("findings", "Findings before and after", blocks, on=REPORT_AND_SCREEN)


def _changes_table(changes: Sequence[CueChange], kind: str) -> Blocks:
    unit = UNITS[kind]
    full = max((max(one.points_before, one.points_after) for one in changes), default=0.0) or 1.0
    columns = [
        Column("Pattern"),
        Column(f"{unit.best.capitalize()} has it", number=True, short=f"{unit.right.capitalize()} has it"),
        Column("Chance", number=True, drop=1),
        Column("Points", number=True),
    ]
    rows = []
    for one in changes:
        left = [percent(value) if one.applies_after else NONE for value in (one.share_after, one.base_after)]
        shares = [arrow(percent(one.share_before), left[0]), arrow(percent(one.base_before), left[1])]
        cell = points_cell(one.points_before, one.points_after, full=full)
        rows.append(Row([pattern_span(one.name), *shares, cell]))
    return [Table(columns, rows, open=20, more="patterns", screen=10)] if rows else []


def _places_section(result: ChoiceRepairResult) -> list[Section]:
    """How often the right candidate is at each place."""
    if not result.places_before:
        return []
    lead = "Where the right candidate is. With different numbers of candidates, later places are rarer."
    columns = [Column("Place"), Column("Before", number=True), Column("After", number=True)]
    both = zip(_place_shares(result.places_before), _place_shares(result.places_after), strict=False)
    rows = [Row([place_letter(at), *shares]) for at, shares in enumerate(both)]
    return [Section("places", "Places", [Paragraph(lead, "lead"), Table(columns, rows)])]


def _place_shares(counts: Sequence[int]) -> list[Words]:
    total = max(1, sum(counts))
    return [[count(n), Span(f" {percent(n / total)}", "quiet")] for n in counts]


def _sample_section(sample: Sequence[ChangedQuestion]) -> list[Section]:
    if not sample:
        return []
    lead = Paragraph("Drawn at random. The right candidate is in bold.", "lead")
    return [Section("sample", "A sample to look at", [lead, *map(_example, sample)])]


def _example(one: ChangedQuestion) -> Block:
    name = Span(f"{one.remedy}, row {cut(one.id)}", "quiet")
    after = _options(one.after, one.right_after) if one.after else Span("left out", "quiet")
    return Facts([
        (name, prompt_span(one.prompt)), ("Before", _options(one.before, one.right_before)), ("After", after),
    ])  # fmt: skip


def _options(texts: Sequence[str], right: int) -> Words:
    words: list[str | Span] = []
    for at, text in enumerate(texts):
        words += [Span(" · " if at else "", "quiet"), *option_words(text, at, is_right=at == right)]
    return words


def _card_section(result: ChoiceRepairResult) -> Section:
    before, after = result.leak_before, result.leak_after
    question = UNITS[result.dataset.kind].question
    steps = [
        f"{step.remedy}: {_step_words(step)}; {counted(step.questions, 'question')}." for step in result.steps
    ]
    items = [
        f"{question.capitalize()}s: {result.dataset.used:,} before, {result.questions_after:,} after; {result.changed:,} changed, {result.added:,} added, {result.dropped:,} left out.",
        f"Right without the prompt: {percent(before.accuracy)} before, {percent(after.accuracy)} after; chance is {percent(after.majority)}.",
        *steps,
    ]
    limits = "Longway reduces shortcuts; it does not certify that a benchmark cannot be solved without its questions."
    return card_section(result, items, limits=limits)
