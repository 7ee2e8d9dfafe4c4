"""The page of a proof with candidates: verdict, accuracy before and after by part of the test set, reliance on each cue, the random drop."""

from __future__ import annotations

from collections.abc import Sequence

from longway.jobs.choices.audit.page import UNITS, pattern_span
from longway.jobs.choices.prove.measure import (
    ALL,
    CUES_BALANCED,
    LENGTH_BALANCED,
    REVERSED,
    SUPPORTING,
)
from longway.jobs.choices.prove.result import (
    AFTER,
    BEFORE,
    CONTROL,
    FILE,
    ChoiceProveResult,
    GapChange,
)
from longway.jobs.prove.page import comparison_columns, grouped
from longway.jobs.prove.result import BETTER, WORSE, Comparison
from longway.jobs.prove.verdict import before_and_after, change, change_interval, largest, model_name, name
from longway.jobs.results import page_of
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.labels import setting_rows
from longway.report.numbers import NONE, arrow, count, counted, duration, few, or_dash, percent, points
from longway.report.sections import (
    REPORT_AND_SCREEN,
    Blocks,
    Bullets,
    Column,
    Facts,
    Heading,
    KeyFigure,
    Page,
    Paragraph,
    Row,
    Section,
    Table,
    Words,
)

MAX_NAMED = 4
WHERE = {
    ALL: "all",
    REVERSED: "cues wrong",
    SUPPORTING: "cues right",
    CUES_BALANCED: "cues balanced",
    LENGTH_BALANCED: "length balanced",
}
READING: list[tuple[Words, Words]] = [
    ("Cues", "The strongest patterns that the right candidates of before have in common, as longway audit finds them. Each candidate gets the points of those it has; the cues point to the one with the most."),
    ("Cues wrong", "Another candidate than the right one has the most points. A model that follows the cues is wrong here."),
    ("Cues right", "The right candidate has the most points. A model that follows the cues is right here without reading the prompt, so a model that no longer does may lose here."),
    ("Cues balanced", "For each question with n candidates whose cues point the right way there are n − 1 whose cues point the wrong way, as with random answers. Following the cues is right as often as a random choice."),
    ("Length balanced", "Pairs, chosen so that among pairs with about the same difference in length the right one is as often the longer as the shorter. Choosing by length alone is right in half of them."),
    ("Random drop", "Before, without as many random questions as after lacks. A gain over it comes from which questions were dropped, not from how many."),
    ("Better, worse, unclear", "Both models answer the same questions, so the difference is tested question by question, corrected for the number of comparisons. Better or worse also requires that the seeds alone would hardly make such a difference."),
    ("Interval", "A range that contains the true figure in 95 of 100 such measurements; questions with the same prompt are drawn together."),
]  # fmt: skip
NOTE = "Evidence, not a certificate: it shows how much these models rely on these cues, with this data. Other shortcuts may be left."


@page_of(ChoiceProveResult)
def prove_page(result: ChoiceProveResult) -> Page:
    """All sections of a proof with candidates."""
    first, unit = result.versions[0], UNITS[result.kind]
    versions = [f"{one.name} ({count(one.questions)} {unit.question}s)" for one in result.versions]
    tests = list(dict.fromkeys(name(one.source) for one in result.tests))
    models = [model_name(one) for one in dict.fromkeys(row.model for row in result.rows)]
    noted = Section("notes", "Notes", [Bullets(result.notes, "problems")], on=REPORT_AND_SCREEN)
    notes = [noted] if result.notes else []
    return Page(
        kicker="Longway proof",
        title=cut(f"{result.versions[1].source} against {first.source}", PATTERN_LIMIT),
        verdict=verdict(result),
        details=" ".join([*map(_gap_sentence, result.gaps[:MAX_NAMED]), *_no_better_than_chance(result)]),
        facts=[
            ("Versions", ", ".join(versions)),
            ("Models", few(models, MAX_NAMED)),
            ("Test sets", few(tests, MAX_NAMED)),
            ("Seeds", str(max((row.seeds for row in result.rows), default=NONE))),
            ("Took", or_dash(result.seconds, duration)),
            ("Made", name(result.created)),
        ],
        figures=_key_figures(result),
        sections=[
            *notes,
            *_score_sections(result),
            *_cue_section(result),
            Section("reading", "How to read this", [Facts(READING, "reading"), Paragraph(NOTE, "note")]),
        ],
        sheets=("rewrite.css", "highlights.css", "prove.css"),
        version=result.longway,
        fingerprint=first.fingerprint,
        fingerprint_of="Fingerprint of before:",
        settings=setting_rows(result.settings, source=FILE),
    )


def verdict(result: ChoiceProveResult) -> str:
    """The result in one sentence: where the cues point the wrong way, else where they cancel out, else on all questions; see `_decisive`."""
    kind = _decisive(result)
    changes = result.compared(kind) if kind else []
    if not changes:
        return "Nothing could be compared: no model has figures for both versions."
    if kind == ALL and result.cues:
        return _not_judged(result, changes)
    better, worse = ([one for one in changes if one.verdict == verdict] for verdict in (BETTER, WORSE))
    main = largest(better or worse or changes)
    where = {
        REVERSED: " where the cues point the wrong way",
        CUES_BALANCED: " where the cues cancel out",
        LENGTH_BALANCED: " on length-balanced pairs",
    }.get(kind, "")
    on_all, sources = "", {test.name: test.source for test in result.tests}
    whole = [
        one
        for one in result.compared(ALL)
        if one.model == main.model and sources.get(one.test) == sources.get(main.test)
    ]
    if kind != ALL and whole:
        one = largest(whole)
        on_all = f"; on all {UNITS[result.kind].question}s {before_and_after(one)} ({one.verdict})"
    return (
        f"{_start(better, worse, len(changes))}{where}: {model_name(main.model)} {before_and_after(main)} "
        f"({change(main.difference)} points, 95% interval {change_interval(main)}){on_all}."
    )


def _decisive(result: ChoiceProveResult) -> str:
    """The part of the tests that the verdict is about; "" if nothing was compared.

    A model that no longer follows the cues gets worse on questions that they help with. So where there are cues, only questions with
    reversed or balanced cues show whether it got better. Where there are none, balanced length takes their place.
    """
    kinds = (REVERSED, CUES_BALANCED) if result.cues else (LENGTH_BALANCED,)
    return next((kind for kind in (*kinds, ALL) if result.compared(kind)), "")


def _not_judged(result: ChoiceProveResult, changes: Sequence[Comparison]) -> str:
    """Why all questions do not show the effect, and the largest change on them."""
    question, main = UNITS[result.kind].question, largest(changes)
    return (
        f"The effect cannot be judged: too few {question}s have cues that point to a wrong candidate. On all {question}s, {model_name(main.model)} "
        f"{before_and_after(main)} ({change(main.difference)} points). A fall there is what a removed cue looks like."
    )


def _start(better: Sequence[Comparison], worse: Sequence[Comparison], n: int) -> str:
    if better and worse:
        return f"Mixed: {len(better)} of {n} comparisons clearly better, {len(worse)} clearly worse"
    if not better and not worse:
        return "No clear difference"
    clear = "Clearly better" if better else "Clearly worse"
    n_clear = len(better or worse)
    return clear if n_clear == n else f"{clear} in {n_clear} of {n} comparisons"


def is_unclear(result: ChoiceProveResult) -> bool:
    """Whether no comparison with before is clear where cues do not help."""
    kind = _decisive(result)
    if kind == ALL and result.cues:
        return False  # more seeds would not help
    kinds = {kind, CUES_BALANCED, LENGTH_BALANCED} if kind != ALL else {ALL}
    changes = [one for kind in kinds for one in result.compared(kind)]
    return not any(one.verdict in (BETTER, WORSE) for one in changes)


def _gap_sentence(one: GapChange) -> str:
    gap = arrow(_gap(one.before), _gap(one.after))
    interval = f"95% interval {points(one.low)} to {points(one.high)}"
    return f"The gap between questions whose cues point the right and the wrong way: {model_name(one.model)} {gap} points ({points(one.change)}, {interval})."


def _no_better_than_chance(result: ChoiceProveResult) -> list[str]:
    """A sentence for each model that cannot do the task without cues."""
    chances = {one.name: one.chance for one in result.tests if one.kind == CUES_BALANCED}
    return [
        f"On {name(row.test)}, {model_name(row.model)} trained on the changed data is no better than chance ({percent(chances[row.test])})."
        for row in result.rows
        if row.data == AFTER and (row.low or 0.0) <= chances.get(row.test, -1.0)
    ]


def _key_figures(result: ChoiceProveResult) -> list[KeyFigure]:
    """Before and after where the cues mislead, are balanced, and on everything; then the gap."""
    figures = []
    for kind in (REVERSED, CUES_BALANCED, LENGTH_BALANCED, ALL):
        if changes := result.compared(kind):
            one = largest(changes)
            note = f"{model_name(one.model)}, {one.verdict}"
            figures.append(KeyFigure(WHERE[kind].capitalize(), before_and_after(one), note))
    if result.gaps:
        gap = max(result.gaps, key=lambda one: abs(one.change))
        both = arrow(_gap(gap.before), _gap(gap.after))
        figures.append(KeyFigure("Gap, right and wrong cues", both, f"points, {model_name(gap.model)}"))
    return figures


def _score_sections(result: ChoiceProveResult) -> list[Section]:
    """After against before, each further version against before, and after against the random drop."""
    dropped = result.versions[0].questions - result.versions[-1].questions
    lead = "Each model was trained on both versions and answers the same questions, none of which it was trained on. A row shows how often it is right when trained on before and on after."
    against_random = f"After lacks {counted(dropped, UNITS[result.kind].question)} of before. Here it is compared with before without as many random ones: what is left is the effect of which ones were dropped or changed."
    headings = {
        (AFTER, BEFORE): ("scores", "Right before and after", lead),
        (AFTER, CONTROL): ("control", "Against a random drop", against_random),
    }
    sections = []
    by_versions = grouped(result.comparisons, lambda one: (one.data, one.against))
    for number, ((data, against), changes) in enumerate(by_versions.items()):
        further = (f"further{number}", f"Before and {name(data)}", "Each model was trained on both versions.")
        id_, title, words = headings.get((data, against), further)
        tables = _tables(result, changes, against.capitalize(), "After" if data == AFTER else name(data))
        sections.append(Section(id_, title, [Paragraph(words, "lead"), *tables], on=REPORT_AND_SCREEN))
    return sections


def _tables(
    result: ChoiceProveResult,
    changes: Sequence[Comparison],
    before: str,
    after: str,
) -> Blocks:
    """A table for each model and test set, one row for each part of the test set. before, after: what the versions are called."""
    tests, figures = {one.name: one for one in result.tests}, comparison_columns(before, after)
    columns = [Column("Questions"), Column("n", number=True), Column("Chance", number=True, drop=2), *figures]
    tables: dict[tuple[str, str], list[Row]] = {}
    for one in (one for one in changes if one.test in tests):
        test, cells = tests[one.test], [column.cell(one) for column in figures]
        row = Row([WHERE[test.kind], count(test.questions), percent(test.chance), *cells])
        tables.setdefault((one.model, test.source), []).append(row)
    blocks: Blocks = []
    for (model, source), rows in tables.items():
        blocks += [Heading(f"{model_name(model)}, {name(source)}"), Table(columns, rows)]
    return blocks


def _cue_section(result: ChoiceProveResult) -> list[Section]:
    """The gap of each cue, by version."""
    if not result.groups:
        return []
    lead = "For each cue: how often a model is right where a wrong candidate has it and the right one has not, and where it is the other way round. The smaller the gap, the less the model relies on the cue."
    after = {(one.model, one.test, one.pattern): one for one in result.groups if one.data == AFTER}
    columns = [
        Column("Cue"),
        Column("n wrong", number=True, screen=False),
        Column("Cue wrong", number=True),
        Column("Cue right", number=True, drop=1),
        Column("Gap", number=True),
    ]
    tables: dict[tuple[str, str], list[Row]] = {}
    for old in result.groups:
        new = after.get((old.model, old.test, old.pattern))
        if old.data == BEFORE and new is not None:
            sides = [(old.against, new.against), (old.supporting, new.supporting)]
            shares = [arrow(*(or_dash(one.accuracy, percent) for one in both)) for both in sides]
            cells: list[Words] = [
                pattern_span(old.pattern),
                count(old.against.n),
                *shares,
                arrow(_gap(old.gap), _gap(new.gap)),
            ]
            tables.setdefault((old.model, old.test), []).append(Row(cells))
    blocks: Blocks = [Paragraph(lead, "lead")]
    for (model, test), rows in tables.items():
        blocks += [Heading(f"{model_name(model)}, {name(test)}"), Table(columns, rows)]
    return [Section("cues", "Reliance on each cue", blocks, on=REPORT_AND_SCREEN)]


def _gap(value: float) -> str:
    return points(value).lstrip("+")
