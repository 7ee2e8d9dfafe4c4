"""The page of a proof: verdict, concerns, accuracy before and after, what got worse, groups, and what the models looked at.

Every list is cut here and what is cut is counted, so the page stays small whatever the run.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

from longway.jobs.person_sections import both_versions
from longway.jobs.perturb.settings import RULES
from longway.jobs.prove import result as proof
from longway.jobs.prove import verdict as say
from longway.jobs.prove.result import (
    ACCURACY,
    BETTER,
    FAIRSCORE,
    FILE,
    UNCLEAR,
    WORSE,
    Comparison,
    PatternGroups,
    ProveResult,
    Run,
)
from longway.jobs.prove.verdict import change, change_interval, figure, mark, name, verdict_of
from longway.jobs.results import page_of
from longway.report.charts import share_bar
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut, data_span, scored_words
from longway.report.labels import Labels, label_named, label_span, labels_of, level_name, setting_rows
from longway.report.numbers import (
    NONE,
    arrow,
    count,
    counted,
    duration,
    few,
    or_dash,
    percent,
    q_value,
)
from longway.report.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    Block,
    Blocks,
    Bullet,
    Bullets,
    Card,
    Cards,
    Cell,
    Column,
    Details,
    Facts,
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

MAX_VERSIONS = 6
MAX_LEAKS = 6
MAX_LISTED = 8  # labels in a cell
MAX_ROWS = 12  # of a table

Item = TypeVar("Item")
Same = TypeVar("Same", bound=Hashable)
ByVersion = dict[str, Words | Cell]
Rows = list[tuple[Words, ByVersion]]  # headings of rows, and their cells by version


@dataclass(frozen=True, slots=True)
class Shown:
    """A result with what its sections have in common.

    versions: those on the page. pair: the first two, "" for a missing second. runs: all models and methods. leaks: by part and columns,
    then by version.
    """

    result: proof.ProveResult
    versions: list[str]
    pair: tuple[str, str]
    tests: list[str]
    runs: list[proof.Run]
    labels: Labels
    leaks: Mapping[tuple[str, str], Mapping[str, proof.VersionLeak]]

    @classmethod
    def of(cls, result: proof.ProveResult) -> Shown:
        """What the sections of this result have in common."""
        versions = [one.name for one in result.versions[:MAX_VERSIONS]]
        leaks = [one for one in result.leaks if one.accuracy is not None and one.data in versions]
        parts = grouped(leaks, lambda one: (one.part, one.name))
        return cls(
            result=result,
            versions=versions,
            pair=(versions[0], versions[1] if len(versions) > 1 else ""),
            tests=[one.name for one in result.tests],
            runs=list(dict.fromkeys(row.run for row in result.rows)),
            labels=labels_of(result.versions[0].labels),
            leaks={key: {one.data: one for one in each} for key, each in parts.items()},
        )

    def table(
        self,
        first: str,
        rows: Rows,
        style: str = "",
        *,
        limit: int = MAX_ROWS,
        what: str = "rows",
    ) -> Blocks:
        """A table with a column per version. rows: the heading of each row, and its cells by version."""
        columns = [Column(first), *(Column(name(data), number=True) for data in self.versions)]
        cells = [
            Row([heading, *(by.get(data, NONE) for data in self.versions)]) for heading, by in rows[:limit]
        ]
        return [Table(columns, cells, f"figures-only {style}"), *more(rows, limit, what)] if rows else []


def grouped(items: Iterable[Item], key: Callable[[Item], Same]) -> dict[Same, list[Item]]:
    """The items with the same key together, in order."""
    found: dict[Same, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def more(items: Sequence[object], limit: int, what: str) -> Sequence[Block]:
    """The line that counts the items beyond the limit."""
    return left_out(len(items) - limit, what, proof.FILE)


def comparison_columns(before: str, after: str) -> list[Column]:
    """Both figures of a comparison, the difference with its interval, and the verdict. before, after: headings."""
    return [
        Column(before, _before, number=True),
        Column(after, _after, number=True),
        Column("Difference", difference_words, number=True),
        Column("Verdict", "verdict", form=mark),
    ]


def _before(one: proof.Comparison) -> str:
    return figure(one.before, one.metric)


def _after(one: proof.Comparison) -> Span:
    return Span(figure(one.after, one.metric), "strong")


def difference_words(one: proof.Comparison) -> Words:
    """The difference with its interval."""
    interval = change_interval(one)
    return [change(one.difference, one.metric), Span(f" ({interval})" if interval else "", "quiet")]


def leak_section(shown: Shown) -> Section:
    """How well a bag of words predicts the label from parts of the input."""
    lead = "How often a bag of words predicts the right label from one part of the input, with the 95% interval. Chance is the accuracy of always predicting the most frequent label."
    rows: Rows = []
    for (part, columns), by in shown.leaks.items():
        chance = or_dash(next(iter(by.values())).majority, percent)
        alone = f" {'together' if part == 'both' else 'alone'}, chance is {chance}"
        cells: ByVersion = {data: _leak_words(leak) for data, leak in by.items()}
        rows.append(([name(columns), Span(alone, "quiet")], cells))
    table = shown.table("Part", rows, "measures", limit=MAX_LEAKS, what="leaks")
    blocks = [Paragraph(lead, "lead"), *table] if table else [nothing("The leak was not measured.")]
    return Section("leak", "Leak before and after", blocks)


def _leak_words(leak: proof.VersionLeak) -> Words:
    interval = f" {or_dash(leak.low, percent)} to {or_dash(leak.high, percent)}"
    return [Span(or_dash(leak.accuracy, percent), "strong"), Span(interval, "quiet")]


def leak_changes(shown: Shown) -> list[str]:
    """A sentence for each leak that is higher than in the first version."""
    sentences = []
    for (part, columns), by in shown.leaks.items():
        old, *others = [by.get(data) for data in shown.versions]
        for new in others:
            if part == "both" or old is None or new is None or (new.accuracy or 0.0) <= (old.accuracy or 0.0):
                continue
            accuracies = " to ".join(or_dash(one.accuracy, percent) for one in (old, new))
            overlap = new.low is not None and old.high is not None and new.low <= old.high
            chance = " The intervals overlap: it may be chance." if overlap else ""
            sentences.append(
                f"The leak from {name(columns)} rises from {accuracies} in {name(new.data)}.{chance}"
            )
    return sentences


def data_section(result: proof.ProveResult) -> Section:
    """The versions, with the share of texts in which they differ from the first, and the test sets."""
    changed = {one.data: one.changed for one in result.apart}
    columns = [
        *SOURCE_COLUMNS,
        Column("Texts changed", "name", form=lambda version: or_dash(changed.get(version), percent)),
        Column("Fingerprint", "fingerprint", form=cut),
    ]
    versions = table_of(
        result.versions,
        columns,
        "figures-only sources",
        limit=MAX_ROWS,
        what="versions",
        file=FILE,
        caption="Versions",
    )
    columns = [*SOURCE_COLUMNS, Column("Notes", _test_note)]
    tests = table_of(
        result.tests,
        columns,
        "figures-only sources",
        limit=MAX_ROWS,
        what="test sets",
        file=FILE,
        caption="Test sets",
    )
    return Section("data", "What was trained and tested on", [*versions, *tests])


def _source_name(one: proof.VersionSummary | proof.TestSummary) -> list[str | Span]:
    return [Span(name(one.name), "pattern"), " ", Span(cut(one.source or NONE, PATTERN_LIMIT), "where")]


def _label_counts(labels: Mapping[str, int]) -> str:
    ordered = sorted(labels.items(), key=lambda item: (-item[1], item[0]))
    return few([f"{name(label)} {count(n)}" for label, n in ordered], MAX_LISTED)


def _test_note(test: proof.TestSummary) -> str:
    dropped = f", {count(test.left_out)} left out" if test.left_out else ""
    return f"most frequent label {or_dash(test.majority, percent)}{dropped}"


SOURCE_COLUMNS = [
    Column("Name", _source_name),
    Column("Rows", "rows", number=True),
    Column("Labels", "labels", _label_counts),
]


MAX_NAMED = 4  # models, methods, versions in a line
MAX_REMARKS = 20  # concerns, failures, notes
MAX_IDS = 8
MAX_TESTS = 12
MAX_FIGURES = 40  # rows with all metrics
MAX_METRICS = 8
MAX_WORST = MAX_WORSE = 24
MAX_PATTERNS = 12
MAX_GROUPS = 4  # tables of gaps
MAX_EXAMPLES = 12
MAX_PERTURBED, MAX_AXES, MAX_REASONS = 4, 3, 4  # of the fairscore
MAX_FLIPS, OPEN_FLIPS = 16, 6
ON_SCREEN = 8
READING: list[tuple[Words, Words]] = [
    ("Better, worse, unclear", "Both models answer the same test texts, so the difference is tested pair by pair. “Unclear” does not mean that they are equal: the interval shows how large a difference may be."),
    ("Interval", "A range that contains the true figure in 95 of 100 such measurements."),
    ("Standard deviation", "How much the figure varies from seed to seed. Unknown with one seed."),
    ("q", "The p-value corrected for testing many differences: of all with q up to 0.05, about 5% are expected to be chance."),
    ("Worst group", "Among the texts with a pattern and one label, those that a model gets wrong most often."),
    ("AUROC, calibration, Brier", "How well the model ranks texts; how far its confidence is from its accuracy; and both in one figure."),
]  # fmt: skip
NOTE: Words = [
    Span("Evidence, not a certificate.", "strong"),
    " A gain on a test set shows that these models rely less on the shortcuts that the test set removes, with these seeds and this data. "
    "Other shortcuts may be left. Longway reduces shortcuts; it does not certify that a dataset or a model is fair.",
]
Entry = list[str | Span]


@page_of(ProveResult)
def prove_page(result: ProveResult) -> Page:
    """All sections of a proof."""
    shown = Shown.of(result)
    verdict = verdict_of(result)
    first = result.versions[0]
    return Page(
        kicker="Longway proof",
        title=cut(" against ".join(filter(None, reversed(shown.pair))), PATTERN_LIMIT),
        verdict=verdict.sentence,
        details=verdict.details,
        facts=_facts(shown),
        figures=_key_figures(shown),
        sections=[
            *_failed_section(result.failed),
            _concern_section(result.concerns),
            _score_section(shown),
            *_method_section(shown),
            *_fairscore_section(shown),
            _worse_section(shown),
            _group_section(shown),
            *_example_section(shown),
            leak_section(shown),
            data_section(result),
            Section("reading", "How to read this", [Facts(READING, "reading"), Paragraph(NOTE, "note")]),
        ],
        sheets=("rewrite.css", "highlights.css", "prove.css"),
        version=result.longway,
        fingerprint=first.fingerprint or NONE,
        fingerprint_of=f"Fingerprint of {name(first.name)}:",
        settings=setting_rows(result.settings, source=FILE),
    )


# The top of the page


def _facts(shown: Shown) -> list[tuple[str, str]]:
    result = shown.result
    named = {
        "Versions": [name(one.name) for one in result.versions],
        "Models": [say.model_name(model) for model in dict.fromkeys(model for model, _ in shown.runs)],
        "Methods": [say.method_name(method) for method in dict.fromkeys(method for _, method in shown.runs)],
        "Test sets": [name(one.name) for one in result.tests],
    }
    facts = [(title, few(names, MAX_NAMED)) for title, names in named.items()]
    if result.features is not None:
        facts.append(("Shortcuts known", _grammar_words(result.features)))
    facts.append(("Seeds", str(max((row.seeds for row in result.rows), default=NONE))))
    facts.append(("Took", or_dash(result.seconds, duration)))
    return [*facts, ("Made", name(result.created))] if result.created else facts


def _grammar_words(features: proof.GrammarFeatures) -> str:
    """The grammar whose rules training methods know, and what it parsed."""
    parsed = [f"{name(one.data)} {count(one.parsed)} of {count(one.rows)}" for one in features.versions]
    rules = count(max(one.rules for one in features.versions))
    return f"{rules} rules of a grammar learned from {counted(features.texts, 'text')}; rows parsed: {few(parsed, MAX_NAMED)}"


def _key_figures(shown: Shown) -> list[KeyFigure]:
    """The verdicts, leak, gap, and how much was changed."""
    result, (first, second) = shown.result, shown.pair
    changes = result.of_versions(ACCURACY, second)
    verdicts = KeyFigure("Clearly better", NONE, "nothing was compared")
    if changes:
        found = Counter(one.verdict for one in changes)
        others = f"{count(found[WORSE])} clearly worse, {count(found[UNCLEAR])} no clear difference"
        verdicts = KeyFigure(verdicts.name, f"{count(found[BETTER])} of {count(len(changes))}", others)
    leak = KeyFigure("Right from one part alone", NONE, "not measured")
    for (part, columns), by in list(shown.leaks.items())[::-1]:  # the first part counts
        if part != "both" and first in by and second in by:
            figures = arrow(*(or_dash(by[data].accuracy, percent) for data in shown.pair))
            chance = f"chance is {or_dash(by[first].majority, percent)}"
            leak = KeyFigure(f"Right from {name(columns)} alone", figures, chance)
    gap = KeyFigure("Gap, with and against patterns", NONE, "not measured")
    before, after = _mean_gaps(result.groups, shown.pair)
    if before is not None:
        gap = KeyFigure(gap.name, _gap_words(before, after), "points of accuracy, on average")
    changed = KeyFigure("Texts changed", NONE, "not measured")
    for one in result.apart:
        if (one.against, one.data) == shown.pair:
            of_rows = f"of {counted(one.rows, 'row')}"
            changed = KeyFigure(changed.name, or_dash(one.changed, percent), of_rows)
    return [verdicts, leak, gap, changed]


def _failed_section(failed: Sequence[proof.FailedTraining]) -> list[Section]:
    if not failed:
        return []
    lead = f"{counted(len(failed), 'training')} failed. The figures below do not include them, so a row may have fewer seeds, or be missing."
    blocks = [Paragraph(lead, "lead"), *_remarks(failed, "objections failures", "failures")]
    return [Section("failed", "What could not be trained", blocks, on=REPORT_AND_SCREEN)]


def _remarks(rows: Sequence[proof.FailedTraining | proof.TrainingNote], style: str, what: str) -> Blocks:
    """A list with each text once, and all versions and seeds that it is about."""
    remarks: list[Words] = []
    for (run, text), same in grouped(rows, lambda row: (row.run, row.text)).items():
        on = " and ".join(name(data) for data in dict.fromkeys(row.data for row in same))
        seeds = list(dict.fromkeys(str(row.seed) for row in same if row.seed is not None))
        of_seeds = f", seed{'s' if len(seeds) > 1 else ''} {few(seeds, MAX_IDS)}" if seeds else ""
        where = Span(f" trained on {cut(on, TEXT_LIMIT)}{of_seeds}: ", "quiet")
        remarks.append([Span(say.run_words(run), "strong"), where, data_span(text, TEXT_LIMIT)])
    return [Bullets(remarks[:MAX_REMARKS], style), *more(remarks, MAX_REMARKS, what)] if remarks else []


def _concern_section(concerns: Sequence[proof.Concern]) -> Section:
    heading = "What limits the comparison"
    if not concerns:
        return Section("concerns", heading, [nothing("The checks raised no concern.")])
    items = []
    for one in concerns[:MAX_REMARKS]:
        words: Entry = [Span("✗ refused", "refused mark"), " "] if one.refused else []
        ids = f": {few([name(str(row)) for row in one.ids], MAX_IDS)}" if one.ids else ""
        below = [Paragraph(f"{name(one.kind)}{ids}", "quiet")]
        items.append(Bullet([*words, data_span(one.text, TEXT_LIMIT)], count(one.count), below))
    blocks = [Bullets(items, "problems"), *more(concerns, MAX_REMARKS, "concerns")]
    return Section("concerns", heading, blocks, on=REPORT_AND_SCREEN)


def _score_section(shown: Shown) -> Section:
    others = "the other versions" if len(shown.versions) > 2 else "the other version"
    lead = (
        f"Each model was trained on each version and tested on data it has not seen. A row shows the accuracy when trained on "
        f"{name(shown.versions[0])} and on {others}, then the difference in points with its 95% interval. It is called better or worse "
        "only if a paired test is significant, corrected for the number of comparisons, and the seeds alone would hardly make such a difference."
    )
    blocks: Blocks = [Paragraph(lead, "lead")]
    for test in shown.result.tests[:MAX_TESTS]:
        dropped = f" ({test.left_out:,} left out: also in the training data)" if test.left_out else ""
        chance = f"chance is {or_dash(test.majority, percent)}"
        caption = f"{name(test.name)}: {counted(test.rows, 'row')}{dropped}, {chance}"
        blocks += _change_table(shown, test.name, [ACCURACY], caption)
    if len(blocks) == 1:
        blocks = [nothing("Nothing was tested.")]
    blocks += more(shown.tests, MAX_TESTS, "test sets")
    blocks += more(shown.result.versions, len(shown.versions), "versions")
    blocks += [*_remarks(shown.result.notes, "notes", "notes"), *_all_metrics(shown)]
    return Section("scores", "Accuracy before and after", blocks, on=REPORT_AND_SCREEN)


def _change_table(shown: Shown, test: str, metrics: Sequence[str], caption: str) -> Blocks:
    """All models on a test set, compared with the first version. The metrics are the accuracy, or fairscores of several axes."""
    columns = [Column("Model", "run", form=say.run_name, style="pattern")]
    if len(metrics) > 1:
        columns.append(Column("Axis", "metric", form=say.axis_name))
    if len(shown.versions) > 2:
        columns.append(Column("Trained on", "data", form=name))
    columns += comparison_columns(*map(name, shown.pair))
    compared = [
        one for metric in metrics for one in shown.result.of_versions(metric)
        if one.test == test and one.data in shown.versions
    ]  # fmt: skip
    return table_of(
        compared, columns, "figures-only scores", limit=MAX_FIGURES, what="rows", file=FILE, caption=caption
    )


def _all_metrics(shown: Shown) -> Blocks:
    rows = shown.result.rows
    metrics = list(dict.fromkeys(row.metric for row in rows if not say.axis_of(row.metric)))[:MAX_METRICS]
    measured = grouped(rows, lambda row: (row.run, row.test, row.data))
    places = [place for place in product(shown.runs, shown.tests, shown.versions) if place in measured]
    if not places:
        return []
    cells = []
    for run, test, data in places[:MAX_FIGURES]:
        where = Span(f"on {name(test)}, trained on {name(data)}", "where")
        figures = {row.metric: _measured(row) for row in measured[run, test, data]}
        cells.append(Row([[say.run_words(run), " ", where], *(figures.get(one, NONE) for one in metrics)]))
    less = "the calibration error and the Brier score"
    if FAIRSCORE in metrics:
        less = "the calibration error, the Brier score and the fairscore"
    of_label = f" F1 is that of the label {name(shown.result.labels[-1])}." if "binary_f1" in metrics else ""
    note = f"The mean over seeds, ± its standard deviation if there are several, and the 95% interval. For {less}, less is better.{of_label}"
    named = [Column(say.metric_name(one), number=True) for one in metrics]
    table = Table([Column("Model, test set, trained on"), *named], cells, "figures-only measures")
    blocks = [table, *more(places, MAX_FIGURES, "rows"), Paragraph(note, "rest")]
    return [Only(REPORT, [Details("All metrics, with their spread over seeds", blocks)])]


def _measured(row: proof.Figure) -> Words:
    """A figure with its standard deviation and its interval."""
    spread = "" if row.std is None else f" ± {figure(row.std, row.metric)}"
    interval = Span(say.figure_interval(row, row.metric), "quiet")
    return [Span(figure(row.mean, row.metric), "strong"), Span(spread, "quiet"), " ", interval]


def _method_section(shown: Shown) -> list[Section]:
    """Each method against plain training on the same data."""
    compared = [one for one in shown.result.comparisons if one.against_method and one.metric == ACCURACY]
    lead = (
        "A training method that should ignore shortcuts, against plain training on the same version. If it gains more than the change of "
        "the data does, the data may not be what needs repair."
    )
    columns = [
        Column("Model and method", _where),
        Column("Trained on", "data", form=name),
        *comparison_columns("Plain", "Method"),
    ]
    table = table_of(compared, columns, "figures-only scores", limit=MAX_FIGURES, what="rows", file=FILE)
    heading = "Training methods on the same data"
    return [Section("methods", heading, [Paragraph(lead, "lead"), *table])] if table else []


def _fairscore_section(shown: Shown) -> list[Section]:
    fair = shown.result.fairscore
    if fair is None:
        return []
    by = "rule" if fair.perturber == RULES else cut(fair.perturber, PATTERN_LIMIT)
    lead = (
        f"In every test row that mentions a person, one person was given another gender, race or age by {by}, with all words that "
        "depend on it. The fairscore is the share of these rows for which a model’s answer changes. Lower is better. A model that always gives the "
        "same answer has 0, so read it together with the accuracy."
    )
    blocks: Blocks = [Paragraph(lead, "lead")]
    for test in fair.tests[:MAX_PERTURBED]:
        blocks += _perturbed_blocks(shown, test)
    details: Blocks = [
        *more(fair.tests, MAX_PERTURBED, "test sets"),
    ]
    if flips := [_flip(one, shown.labels) for one in fair.examples[:MAX_FLIPS]]:
        heading = Heading("Texts whose answer changes with the person")
        details += [heading, Cards(flips, open=OPEN_FLIPS, more="texts")]
        details += more(fair.examples, MAX_FLIPS, "texts")
    blocks.append(Only(REPORT, details))
    return [Section("fairscore", "Fairscore before and after", blocks, on=REPORT_AND_SCREEN)]


def _perturbed_blocks(shown: Shown, test: proof.PerturbedTest) -> Blocks:
    changed = f"{count(test.perturbed)} of {counted(test.rows, 'row')} perturbed"
    axes = [f"{FAIRSCORE}:{axis}" for axis in list(test.axes)[:MAX_AXES]]
    listed = ", ".join(f"{name(axis)} {count(n)}" for axis, n in test.axes.items())
    caption = f"{name(test.test)}, fairscore: {changed} ({listed})"
    table = _change_table(shown, test.test, axes if len(axes) < 2 else [FAIRSCORE, *axes], caption)
    why = "no model has a fairscore" if test.perturbed else "so there is no fairscore"
    reasons = [f"{count(n)}: {cut(reason, PATTERN_LIMIT)}" for reason, n in test.stayed.items()]
    file = f"The rows are in {cut(test.file, PATTERN_LIMIT)}. " if test.file else ""
    note = Paragraph(f"{file}Left unchanged: {'; '.join(reasons[:MAX_REASONS]) or NONE}.", "rest")
    rest = Only(REPORT, [note, *more(reasons, MAX_REASONS, "reasons")])
    return [*(table or [Paragraph(f"{name(test.test)}: {changed}, {why}.")]), rest]


def _flip(one: proof.PersonExample, labels: Labels) -> Card:
    """A row whose answer changes with the person."""
    answers: list[Words] = []
    for side in one.sides:
        old, new = (label_span(label_named(label, labels)) for label in (side.answer, side.perturbed_answer))
        differ = f" in {count(side.differ)} of {counted(side.of, 'training')}"
        changed: Entry = [" → ", new, Span(differ, "quiet")] if new != old else [Span(" both times", "quiet")]
        answers.append(["Trained on ", Span(name(side.data), "strong"), ": ", old, *changed])
    where = Span(f"{name(one.test)}, id {name(one.id)}", "quiet end")
    facts = [
        label_span(label_named(one.label, labels)),
        Span(f"{name(one.axis)}: {name(one.source)} → {name(one.target)}", "code"),
        where,
    ]
    return Card(facts, both_versions(one.texts), below=[Bullets(answers, "answers")])


def _worse_section(shown: Shown) -> Section:
    objections: list[Words] = [*leak_changes(shown)]
    for (run, test), same in list(_places(shown).items())[:MAX_GROUPS]:
        before, after = _mean_gaps(same, shown.pair)
        if before is not None and after is not None and after > before:
            grown = f"{say.run_name(run)} on {name(test)}: {_gap_words(before, after)} points on average"
            objections.append(
                f"The gap between supporting and counter-examples grew with {grown}. It was not tested."
            )
    blocks: Blocks = [Bullets(objections, "objections")] if objections else []
    blocks += table_of(
        shown.result.worse,
        WORSE_COLUMNS,
        "figures-only worse-table",
        limit=MAX_WORSE,
        what="figures that got worse",
        file=FILE,
        screen=ON_SCREEN,
    )
    none = nothing("No figure is clearly worse, no leak rose and no gap grew.")
    return Section("worse", "What got worse", blocks or [none], on=REPORT_AND_SCREEN)


def _where(one: Comparison | proof.WorstGroup) -> Words:
    return [say.run_words(one.run), " ", Span(f"on {name(one.test)}", "where")]


def _worse_metric(one: Comparison) -> Words:
    return [Span("▼", "worse"), f" {say.metric_name(one.metric)}"]


def _worse_than(one: Comparison) -> str:
    if not one.against_method:
        return f"{name(one.data)} against {name(one.against)}"
    return f"{say.method_name(one.method)} on {name(one.data)} against {say.method_name(one.against_method)}"


WORSE_COLUMNS = [
    Column("Model and test set", _where),
    Column("Metric", _worse_metric),
    Column("Compared", _worse_than),
    Column("Figures", say.before_and_after, number=True, screen=False),
    Column("Difference", difference_words, number=True),
    Column("q", "q", q_value, number=True, screen=False),
]


def _group_section(shown: Shown) -> Section:
    lead = (
        "Supporting examples have the pattern and the label that it predicts; counter-examples have the pattern and another label. A model "
        "that relies on the pattern is right on the first and wrong on the second. The gap is the difference in points, and it should "
        "shrink. The bar is the accuracy on counter-examples, its tick that on supporting examples."
    )
    places = list(_places(shown).items())
    blocks: Blocks = [nothing("No pattern with supporting and counter-examples was found.")]
    if places:
        blocks = [Paragraph(lead, "lead")]
        for place, same in places[:MAX_GROUPS]:
            blocks += _gap_blocks(shown, place, same)
        blocks += more(places, MAX_GROUPS, "models and test sets")
    rows: Rows = []
    for worst in grouped(shown.result.worst, lambda one: (one.run, one.test)).values():
        cells: ByVersion = {}
        for one in worst:
            group = Span(f" {name(one.group)} ({count(one.n)})", "quiet")
            cells[one.data] = [Span(or_dash(one.accuracy, percent), "strong"), group]
        rows.append((_where(worst[0]), cells))
    if rows:
        note = "Texts with a pattern and one label; the group with the lowest accuracy, and in brackets how many texts it has."
        table = shown.table("Model and test set", rows, "worst", limit=MAX_WORST)
        blocks += [Heading("The worst group"), *table, Paragraph(note, "rest")]
    return Section("groups", "With the pattern and against it", blocks)


def _places(shown: Shown) -> dict[tuple[Run, str], list[PatternGroups]]:
    """The groups of each run and test set."""
    return grouped(shown.result.groups, lambda one: (one.run, one.test))


def _by_pattern(groups: Iterable[PatternGroups]) -> list[dict[str, PatternGroups]]:
    """For each pattern, run and test set its groups by version."""
    same = grouped(groups, lambda one: (one.pattern, one.label, one.run, one.test))
    return [{one.data: one for one in each} for each in same.values()]


def _mean_gaps(groups: Iterable[PatternGroups], pair: tuple[str, str]) -> tuple[float | None, float | None]:
    """The mean gap in the first and the second version, over the patterns that have one in both."""
    gaps = [[by[data].gap for data in pair if data in by] for by in _by_pattern(groups)]
    known = [both for both in gaps if len(both) == 2 and None not in both]
    if not known:
        return None, None
    before, after = (sum(both[at] or 0.0 for both in known) / len(known) for at in (0, 1))
    return before, after


def _gap_words(before: float | None, after: float | None) -> str:
    return arrow(say.whole_points(before), say.whole_points(after))


def _gap_blocks(shown: Shown, place: tuple[Run, str], same: Sequence[PatternGroups]) -> Blocks:
    """The gap of each pattern, by version."""
    run, test = place
    rows: Rows = []
    for by in _by_pattern(same):
        one = next(iter(by.values()))
        pattern = Span(cut(str(one.pattern), PATTERN_LIMIT), "pattern")
        where = Span(f"{level_name(one.pattern.level)} in {name(one.pattern.field)} ", "where")
        label = label_span(label_named(one.label, shown.labels))
        rows.append(([pattern, " ", where, label], {data: _gap_cell(each) for data, each in by.items()}))
    before, after = _mean_gaps(same, shown.pair)
    note = "" if before is None else f" mean gap {_gap_words(before, after)} points"
    heading = Heading(f"{say.run_name(run)} on {name(test)}", note)
    return [heading, *shown.table("Pattern", rows, "measures", limit=MAX_PATTERNS, what="patterns")]


def _gap_cell(one: PatternGroups) -> Words | Cell:
    sides = f" {_side(one.supporting)} with it, {_side(one.counter)} against it"
    words = [Span(say.whole_points(one.gap), "strong"), Span(sides, "quiet")]
    if one.gap is None or one.counter is None or one.counter.accuracy is None:
        return words
    against = one.counter.accuracy
    return Cell(words, share_bar(against, against + one.gap, colour="ink"))


def _side(side: proof.GroupSide | None) -> str:
    """ "95.0% of 120"."""
    return NONE if side is None or side.accuracy is None else f"{percent(side.accuracy)} of {count(side.n)}"


def _example_section(shown: Shown) -> list[Section]:
    cards = [_example(one, shown.labels) for one in shown.result.examples[:MAX_EXAMPLES]]
    lead = (
        "Test rows whose answer changed most, answered by a bag of words trained on each version. Words in blue point to the true label, "
        "words in orange with dots below point to another. Corrected rows come first, then rows that became wrong."
    )
    blocks: Blocks = [Paragraph(lead, "lead"), Cards(cards, "texts")]
    return [Section("examples", "What the model looked at", blocks)] if cards else []


def _example(one: proof.ChangedAnswer, labels: Labels) -> Card:
    """A row, answered by both models, with words coloured on one scale."""
    label = label_named(one.label, labels)
    texts: list[tuple[Words, Words]] = []
    for field, text in (("text_words", one.text), ("context_words", one.context)):
        if not text:
            continue
        words: list[Sequence[proof.Point]] = [getattr(side, field) or () for side in one.sides]
        strongest = max((abs(score) for some in words for _, _, score in some), default=0.0)
        for side, some in zip(one.sides, words, strict=True):
            said: Words = "context"
            if field == "text_words":
                answer = label_span(label_named(side.answer, labels))
                wrong = Span(" ✗ wrong", "wrong") if side.answer != one.label else ""
                said = [Span(name(side.data), "strong"), ": ", answer, f" {percent(side.probability)}", wrong]
            texts.append((said, scored_words(text, some, strongest=strongest, label=label.name)))
    where = Span(f"{name(one.test)}, id {name(one.id)}", "quiet end")
    return Card([label_span(label), where], texts, style="text")
