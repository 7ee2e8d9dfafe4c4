"""The page of a proof with candidates: verdict, accuracy before and after by part of the test set, reliance on each cue, the random drop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from markupsafe import Markup

from longway.jobs.choices.audit.show import UNITS
from longway.jobs.choices.prove.parts import (
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
    ChoiceTest,
    GapChange,
)
from longway.jobs.prove.charts import GapRow, Lane, gap_chart
from longway.jobs.prove.result import BETTER, UNCLEAR, WORSE, Comparison, GroupSide
from longway.jobs.prove.wording import before_and_after, change, change_interval, mark, model_name, name
from longway.show.excerpts import PATTERN_LIMIT, cut
from longway.show.labels import setting_rows
from longway.show.numbers import NONE, arrow, count, counted, duration, few, or_dash, percent, points
from longway.show.sections import (
    REPORT_AND_SCREEN,
    Blocks,
    Bullets,
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
)

MAX_TESTS = 6  # test sets on the page
MAX_CHARTS = 6
MAX_NAMED = 4
EVERYWHERE = REPORT_AND_SCREEN
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
    ("Better, worse, no clear difference", "Both models answer the same questions, so the difference is tested question by question, corrected for the number of comparisons. Better or worse also requires that the seeds alone would hardly make such a difference."),
    ("Interval", "A range that contains the true figure in 95 of 100 such measurements; questions with the same prompt are drawn together."),
]  # fmt: skip
NOTE = "Evidence, not a certificate: it shows how much these models rely on these cues, with this data. Other shortcuts may be left."


def prove_page(result: ChoiceProveResult) -> Page:
    """All sections of a proof with candidates."""
    first = result.versions[0]
    return Page(
        kicker="Longway proof",
        title=cut(f"{result.versions[1].source} against {first.source}", PATTERN_LIMIT),
        verdict=verdict(result),
        details=_details(result),
        facts=[
            ("Versions", ", ".join(f"{one.name} ({count(one.questions)} {UNITS[result.kind].question}s)" for one in result.versions)),
            ("Models", few([model_name(one) for one in _models(result)], MAX_NAMED)),
            ("Test sets", few(list(dict.fromkeys(name(one.source) for one in result.tests)), MAX_NAMED)),
            ("Seeds", str(max((row.seeds for row in result.rows), default=NONE))),
            ("Took", or_dash(result.seconds, duration)),
            ("Made", name(result.created)),
        ],
        figures=_key_figures(result),
        sections=[
            *([Section("notes", "Notes", [Bullets(result.notes, "problems")], on=EVERYWHERE)] if result.notes else []),
            *(_score_section(result, source) for source in _sources(result)[:MAX_TESTS]),
            *_cue_section(result),
            *_control_section(result),
            *_further_sections(result),
            Section("reading", "How to read this", [Facts(READING, "reading"), Paragraph(NOTE, "note")]),
        ],
        sheets=("rewrite.css", "highlights.css", "prove.css"),
        version=result.longway,
        fingerprint=first.fingerprint,
        fingerprint_of="Fingerprint of before:",
        settings=setting_rows({key: _setting(value) for key, value in result.settings.items()}, source=FILE),
    )  # fmt: skip


def verdict(result: ChoiceProveResult) -> str:
    """The result in one sentence: where the cues point the wrong way, then where they cancel out, then on all questions; see `_decisive`."""
    kind = _decisive(result)
    changes = result.compared(kind) if kind else []
    if not changes:
        return "Nothing could be compared: no model has figures for both versions."
    if kind == ALL and result.cues:
        return _not_judged(result, changes)
    better, worse = ([one for one in changes if one.verdict == verdict] for verdict in (BETTER, WORSE))
    main = max(better or worse or changes, key=lambda one: abs(one.difference or 0.0))
    start = _start(better, worse, len(changes))
    where = {
        REVERSED: " where the cues point the wrong way",
        CUES_BALANCED: " where the cues cancel out",
        LENGTH_BALANCED: " on length-balanced pairs",
    }.get(kind, "")
    said = f"{model_name(main.model)} {before_and_after(main)} ({change(main.difference)} points, 95% interval {change_interval(main)})"
    rest = [
        f"{words} {before_and_after(one)} ({_clearly(one)})"
        for other, words in ((CUES_BALANCED, "with balanced cues"), (LENGTH_BALANCED, "at balanced length"), (ALL, f"on all {UNITS[result.kind].question}s"))
        if other != kind
        for one in result.compared(other)
        if one.model == main.model and _source(result, one) == _source(result, main)
    ]  # fmt: skip
    return f"{start}{where}: {'; '.join([said, *rest])}."


def _decisive(result: ChoiceProveResult) -> str:
    """The part of the tests that the verdict is about; "" if nothing was compared.

    A model that no longer follows the cues gets worse on questions that they help with. So where there are cues, only questions with
    reversed or balanced cues show whether it got better. Where there are none, balanced length takes their place.
    """
    kinds = (REVERSED, CUES_BALANCED) if result.cues else (LENGTH_BALANCED,)
    return next((kind for kind in (*kinds, ALL) if result.compared(kind)), "")


def _not_judged(result: ChoiceProveResult, changes: Sequence[Comparison]) -> str:
    """Why all questions do not show the effect, and the largest change on them."""
    question = UNITS[result.kind].question
    main = max(changes, key=lambda one: abs(one.difference or 0.0))
    return (
        f"The effect cannot be judged: too few {question}s have cues that point to a wrong candidate. On all {question}s, {model_name(main.model)} "
        f"{before_and_after(main)} ({change(main.difference)} points). A fall there is what a removed cue looks like."
    )


def _start(better: Sequence[Comparison], worse: Sequence[Comparison], n: int) -> str:
    if better and worse:
        return f"Mixed: {len(better)} of {n} comparisons clearly better, {len(worse)} clearly worse"
    if better:
        return "Clearly better" if len(better) == n else f"Clearly better in {len(better)} of {n} comparisons"
    if worse:
        return "Clearly worse" if len(worse) == n else f"Clearly worse in {len(worse)} of {n} comparisons"
    return "No clear difference"


def _clearly(one: Comparison) -> str:
    return UNCLEAR if one.verdict == UNCLEAR else f"clearly {one.verdict}"


def is_unclear(result: ChoiceProveResult) -> bool:
    """Whether no comparison with before is clear where cues do not help."""
    kind = _decisive(result)
    if kind == ALL and result.cues:
        return False  # more seeds would not help
    kinds = {kind, CUES_BALANCED, LENGTH_BALANCED} if kind != ALL else {ALL}
    changes = [one for kind in kinds for one in result.compared(kind)]
    return not any(one.verdict in (BETTER, WORSE) for one in changes)


def _details(result: ChoiceProveResult) -> str:
    """Reliance on the cues, models that are no better than chance, and the random drop."""
    said = []
    if result.gaps:
        gaps = "; ".join(f"{model_name(one.model)} {_gap_words(one)}" for one in result.gaps[:MAX_NAMED])
        said.append(f"The gap between questions whose cues point the right and the wrong way: {gaps}")
    tests = {one.name: one for one in result.tests if one.kind == CUES_BALANCED}
    said += [
        f"On {name(row.test)}, {model_name(row.model)} trained on the changed data is no better than chance ({percent(tests[row.test].chance)})"
        for row in result.rows
        if row.data == AFTER and row.test in tests and (row.low or 0.0) <= tests[row.test].chance
    ]
    against = result.compared(REVERSED, CONTROL) or result.compared(ALL, CONTROL)
    if against:
        where = REVERSED if result.compared(REVERSED, CONTROL) else ALL
        rest = "; ".join(
            f"{model_name(one.model)} {before_and_after(one)} ({_clearly(one)})"
            for one in against[:MAX_NAMED]
        )
        said.append(f"Against a random drop of as many questions, {WHERE[where]}: {rest}")
    return "".join(f"{one}. " for one in said).strip()


def _gap_words(one: GapChange) -> str:
    return (
        f"{points(one.before).lstrip('+')} → {points(one.after).lstrip('+')} points "
        f"({points(one.change)}, 95% interval {points(one.low)} to {points(one.high)})"
    )


def _key_figures(result: ChoiceProveResult) -> list[KeyFigure]:
    """Before and after where the cues mislead, are balanced, and on everything; then the gap."""
    figures = []
    for kind in (REVERSED, CUES_BALANCED, LENGTH_BALANCED, ALL):
        if changes := result.compared(kind):
            one = max(changes, key=lambda one: abs(one.difference or 0.0))
            figures.append(
                KeyFigure(
                    WHERE[kind].capitalize(), before_and_after(one), f"{model_name(one.model)}, {one.verdict}"
                )
            )
    if result.gaps:
        gap = max(result.gaps, key=lambda one: abs(one.change))
        both = arrow(*(points(value).lstrip("+") for value in (gap.before, gap.after)))
        figures.append(KeyFigure("Gap, right and wrong cues", both, f"points, {model_name(gap.model)}"))
    return figures


def _score_section(result: ChoiceProveResult, source: str) -> Section:
    tests = [one for one in result.tests if one.source == source]
    lead = "Each model was trained on both versions and answers the same questions, none of which it was trained on. A row shows how often it is right when trained on before and on after."
    blocks: Blocks = [Paragraph(lead, "lead")]
    for model in _models(result):
        compared = {
            one.test: one
            for one in result.comparisons
            if one.data == AFTER and one.model == model and one.against == BEFORE
        }
        rows = [(test, compared[test.name]) for test in tests if test.name in compared]
        if rows:
            blocks += [Heading(model_name(model)), Chart(_chart(result, model, rows), LEGEND), _table(rows)]
    number = _sources(result).index(source)
    return Section(f"scores{number}", f"Right before and after: {name(source)}", blocks, on=EVERYWHERE)


LEGEND = "Ring: trained on before. Full dot: trained on after. Bars: 95% intervals."


def _chart(result: ChoiceProveResult, model: str, rows: Sequence[tuple[ChoiceTest, Comparison]]) -> Markup:
    """A row per part of the test set: a ring for before, a dot for after."""
    figures = {(row.data, row.test): row for row in result.rows if row.model == model}
    drawn = []
    for test, one in rows:
        before, after = (figures[data, test.name] for data in (BEFORE, AFTER))
        both = [GroupSide(test.questions, row.mean, row.low, row.high) for row in (after, before)]
        words = f"{WHERE[test.kind]}: {before_and_after(one)}"
        drawn.append(GapRow(WHERE[test.kind], before_and_after(one), [Lane("l0", both[0], both[1], words)]))
    key = f"scores-{_models(result).index(model)}-{_sources(result).index(rows[0][0].source)}"
    desc = "; ".join(f"{WHERE[test.kind]}: {before_and_after(one)}" for test, one in rows)
    return gap_chart(drawn, key=key, title=f"Accuracy before and after, {model_name(model)}", desc=desc)


def _table(rows: Sequence[tuple[ChoiceTest, Comparison]]) -> Table:
    columns = [
        Column("Questions"), Column("n", number=True), Column("Chance", number=True, drop=2), Column("Before", number=True),
        Column("After", number=True), Column("Change", number=True), Column("Verdict", drop=1),
    ]  # fmt: skip
    return Table(columns, [Row([
        WHERE[test.kind], count(test.questions), percent(test.chance), or_dash(one.before, percent),
        Span(or_dash(one.after, percent), "strong"), [change(one.difference), Span(f" ({change_interval(one)})", "quiet")], _mark(one.verdict),
    ]) for test, one in rows])  # fmt: skip


def _mark(verdict: str) -> Span:
    """The verdict as a sign and a word, short enough for a terminal."""
    sign = mark(verdict)
    return Span("≈ unclear", sign.style) if verdict == UNCLEAR else sign


def _cue_section(result: ChoiceProveResult) -> list[Section]:
    """The gap of each cue, by version."""
    if not result.groups:
        return []
    lead = "For each cue: how often a model is right where the right candidate has it and another has not (full dot), and where it is the other way round (ring). The shorter the line, the less the model relies on the cue."
    blocks: Blocks = [Paragraph(lead, "lead")]
    by_place = {(one.data, one.model, one.test, one.pattern): one for one in result.groups}
    places = list(dict.fromkeys((one.model, one.test) for one in result.groups))
    for number, (model, test) in enumerate(places[:MAX_CHARTS]):
        drawn, rows = [], []
        for cue in result.cues:
            before, after = (by_place.get((data, model, test, cue)) for data in (BEFORE, AFTER))
            if before is None or after is None:
                continue
            shown = arrow(_gap_of(before.gap), _gap_of(after.gap))
            lanes = [
                Lane(colour, one.supporting, one.against, f"{one.data}: gap {_gap_of(one.gap)}")
                for colour, one in (("l0", before), ("l1", after))
            ]
            drawn.append(GapRow(cue, shown, lanes))
            rows.append(Row([
                Span(cut(cue, PATTERN_LIMIT), "pattern"),
                count(before.against.n),
                arrow(_side(before.against), _side(after.against)),
                arrow(_side(before.supporting), _side(after.supporting)),
                shown,
            ]))  # fmt: skip
        title = f"{model_name(model)}, {name(test)}"
        columns = [
            Column("Cue"), Column("n wrong", number=True, screen=False), Column("Cue wrong", number=True), Column("Cue right", number=True, drop=1),
            Column("Gap", number=True),
        ]  # fmt: skip
        if drawn:
            svg = gap_chart(drawn, key=f"cues-{number}", title=f"Reliance on each cue, {title}", desc="; ".join(f"{row.name}: gap {row.shown}" for row in drawn))  # fmt: skip
            blocks += [Heading(title), Chart(svg, "Upper line: trained on before. Lower line: trained on after. Right: the gap in points."), Table(columns, rows)]  # fmt: skip
    return [Section("cues", "Reliance on each cue", blocks, on=EVERYWHERE)]


def _gap_of(value: float) -> str:
    return points(value).lstrip("+")


def _side(side: GroupSide) -> str:
    return or_dash(side.accuracy, percent)


def _control_section(result: ChoiceProveResult) -> list[Section]:
    changes = [one for one in result.comparisons if one.against == CONTROL]
    if not changes:
        return []
    dropped = result.versions[0].questions - result.versions[-1].questions
    lead = f"After lacks {counted(dropped, UNITS[result.kind].question)} of before. Here it is compared with before without as many random ones: what is left is the effect of which ones were dropped or changed."
    tables = _compared_tables(result, changes, {"Before": "Random drop"})
    return [Section("control", "Against a random drop", [Paragraph(lead), *tables], on=EVERYWHERE)]


def _further_sections(result: ChoiceProveResult) -> list[Section]:
    """One for each further version: it against before."""
    found = []
    for number, version in enumerate(result.further):
        changes = [one for one in result.comparisons if one.data == version]
        title = f"Before and {cut(version, PATTERN_LIMIT)}"
        tables = _compared_tables(result, changes, {"After": cut(version)})
        found.append(Section(f"further{number}", title, tables, on=EVERYWHERE))
    return found


def _compared_tables(
    result: ChoiceProveResult, changes: Sequence[Comparison], headings: Mapping[str, str]
) -> Blocks:
    """A table for each model and test set. headings: new names of columns."""
    tests = {one.name: one for one in result.tests}
    blocks: Blocks = []
    for model in _models(result):
        for source in _sources(result)[:MAX_TESTS]:
            rows = [
                (tests[one.test], one)
                for one in changes
                if one.model == model and tests[one.test].source == source
            ]
            if rows:
                table = _table(rows)
                columns = [replace(one, name=headings.get(one.name, one.name)) for one in table.columns]
                blocks += [Heading(f"{model_name(model)}, {name(source)}"), Table(columns, table.rows)]
    return blocks


def _models(result: ChoiceProveResult) -> list[str]:
    return list(dict.fromkeys(row.model for row in result.rows))


def _sources(result: ChoiceProveResult) -> list[str]:
    return list(dict.fromkeys(one.source for one in result.tests))


def _source(result: ChoiceProveResult, one: Comparison) -> str:
    return next((test.source for test in result.tests if test.name == one.test), "")


def _setting(value: object) -> object:
    """Lists and tables without brackets."""
    if isinstance(value, dict):
        value = [f"{key}: {one}" for key, one in value.items()]
    return ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else value
