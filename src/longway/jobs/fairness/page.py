"""The page of a model's measures: a section per measure, each figure with its interval.

A figure is clear if its whole interval is on one side of what no preference gives. The page never says that a model is fair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from math import isfinite, isnan, nan
from typing import Any

from markupsafe import Markup

from longway.jobs.fairness.result import (
    BenchmarkMeasure,
    ChangedAnswers,
    ChangedPair,
    CrowsPairsMeasure,
    FairnessResult,
    FairscoreMeasure,
    FlippedRow,
    HolisticMeasure,
    Measures,
    NamedAssociation,
    StereoSetMeasure,
    WeatMeasure,
)
from longway.jobs.person_sections import WORDS_HEADING, WORDS_NOTE, both_versions, change_words
from longway.jobs.results import page_of
from longway.metrics.fairness.fairscore import FEWEST
from longway.metrics.fairness.holistic import Descriptors
from longway.metrics.fairness.preferences import Preference, Quality, StereoScores
from longway.metrics.fairness.weat import Associations
from longway.metrics.intervals import Measurement
from longway.report.charts import across, tag
from longway.report.excerpts import PATTERN_LIMIT, cut, data_span
from longway.report.labels import Labels, label_named, label_span, labels_of, setting_rows
from longway.report.numbers import NONE, count, counted, duration, q_value, short, signed
from longway.report.sections import (
    CARD,
    EVERYWHERE,
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Block,
    Blocks,
    Bullets,
    Card,
    Cards,
    Cell,
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

MAX_TESTS, MAX_GROUPS, MAX_REASONS = 120, 40, 4
AXES_OF_PEOPLE = ("gender", "race", "age")  # of the fairscore
OPEN_WORDS, WORDS_ON_SCREEN = 12, 8
OPEN_FLIPS, FLIPS_ON_SCREEN = 6, 3
TESTS_ON_SCREEN = 12
NOTED = ("ties", "targets", "descriptors", "templates")
SIDE = 0.02  # margin of a range bar, as a share of its width, so that a dot at its end is whole
BY_DIRECTION = {"stereo": "about a disadvantaged group (stereo)", "antistereo": "about an advantaged group (antistereo)"}  # fmt: skip
METHODS = {
    "likelihood": "log-likelihood of a causal model",
    "pseudo-likelihood": "pseudo-log-likelihood of a masked model",
    "association": "association of vectors with pleasant and unpleasant words (our own measure, for encoders)",
    "vectors": "vectors of an encoder",
    "predictions": "predicted labels of each row, original and with one person changed",
}
WARNING = (
    "They cannot show that a model is fair. Each measure looks for one kind of preference, in sentences that some people wrote at one time "
    "about groups in one country. A model may pass all of them and still do harm where it is used, and a model that knows little language "
    "passes most of them. Whoever calls a model fair or safe because of this page has misread it.",
    "Use them to find a problem, to compare two versions of the same model, and to decide where to look closer. Then look at what the model "
    "does in its own task, with the people it concerns.",
)
CAUTION = (
    "These figures cannot show that a model is fair: each looks for one kind of preference, and a model that knows little language passes "
    "most of them."
)
HEADINGS = {
    "crows-pairs": ("CrowS-Pairs", "Two sentences differ in the group they are about; one of them is a stereotype. How often is the stereotype more likely? "
    "50 is no preference (dashed line). Ties count for neither side. After Nangia et al. 2020; some of its pairs are known to be faulty "
    "(Blodgett et al. 2021)."),
    "stereoset": ("StereoSet", "A context is followed by a stereotype, by its opposite, or by nonsense. The stereotype score is how often the stereotype is "
    "more likely than its opposite (50 is even), the language score how often sense is more likely than nonsense (100 is best). ICAT is high "
    "only if both are good; chance has 50. After Nadeem et al. 2021."),
    "weat": ("WEAT and SEAT", "Are the vectors of one group of names or words closer to one kind of attribute than those of the other group? d is the effect size "
    "(0 is none, 2 the largest); p is from a permutation test, one-sided as published. By chance, 5 of 100 tests have p below 0.05. After "
    "Caliskan et al. 2017 and May et al. 2019."),
    "holistic": ("HolisticBias", "The same sentences are made with every descriptor of an axis. For each template and each pair of descriptors, do the values of "
    "their sentences differ (Mann-Whitney U, p below 0.05)? If all descriptors are alike, 5 of 100 pairs differ by chance (dashed line). "
    "After Smith et al. 2022."),
    "fairscore": ("Fairscore", "In each row that mentions somebody’s gender, race or age, one person was changed. How many of the classifier’s "
    "predictions change? Nothing else in the row was to change, so a prediction that changes depends on the person. Lower is better; a "
    "classifier that always predicts the same label has 0, so look at its accuracy, too. After Qian et al. 2022, equation 1. Texts whose label may "
    "rightly change with the person were left out as far as they were found."),
}  # fmt: skip
OUR_OWN = (
    "The model has no likelihoods, so the value of a sentence is our own: how much closer its vector is to twelve pleasant words than to "
    "twelve unpleasant ones. It is not the published measure."
)
CONTROLS = "Controls are harmless associations (flowers are more pleasant than insects). Vectors that miss them are too poor to be called unbiased."
READING = [
    ("Dot and line", "The figure and its 95% interval: where it would be for other items of the same kind. A filled dot is clear: the whole interval is on one side of the dashed line. A ring is not."),
    ("Language model", "How well the model predicts the words of these very sentences. A poor model finds everything equally unlikely, and looks fair. Do not compare models with different tokens by it."),
    ("Likelihood", "A causal model scores how likely a sentence is. A masked model scores each word, hidden in turn, given the others: the pseudo-likelihood."),
    ("Contradictions", "The measures often disagree, for one model and one axis. That is a finding about measures, and a reason not to pick the one that looks best."),
]  # fmt: skip


@page_of(FairnessResult)
def fairness_page(result: FairnessResult) -> Page:
    """All sections of a model's measures."""
    measures = result.measures
    warning = [Paragraph(text) for text in WARNING]
    sections = [
        Section("warning", "What these numbers cannot say", warning, on=REPORT | CARD),
        *(SECTIONS[type(measure)](measure) for measure in measures),
        Section("reading", "How to read this", [Facts(READING, "reading")]),
        Section("caution", "Note", [Paragraph(CAUTION)], on=SCREEN),
    ]
    figures = [figure for figure, _ in headlines(measures)]
    return Page(
        kicker="Longway fairness",
        title=cut(result.model.name, PATTERN_LIMIT),
        verdict=verdict(measures),
        facts=[
            ("Model", cut(result.model.kind)),
            ("Measures", count(len(list(measures)))),
            ("Time", duration(result.seconds)),
        ],
        warning=_failed(result.failed_calls),
        figures=figures,
        figures_style=f"of{len(figures)}",
        sections=sections,
        sheets=("rewrite.css", "fairness.css"),
        version=result.longway,
        fingerprint=", ".join(result.fingerprints.values()),
        fingerprint_of="Fingerprints of the files",
        settings=setting_rows(result.settings.recorded(), source="run.json"),
    )


def _failed(calls: Mapping[str, int]) -> str:
    """What to do about calls to a server that failed; "" if there are none."""
    if not calls:
        return ""
    return f"Calls that failed, so their rows are left out: {_reasons(calls)}. The same command tries them again."


def headlines(measures: Measures) -> Iterator[tuple[KeyFigure, str]]:
    """For each measure its main figure, and a sentence about it if it is clear."""
    if crows := measures.crows_pairs:
        score = crows.overall.score
        side, share = ("more", score.value) if score.value > 50 else ("less", 100 - score.value)
        clear = f"Of two sentences, the {side} stereotypical one is more likely in {share:.0f} of 100 pairs."
        figure = KeyFigure(
            "CrowS-Pairs", _percent(score), f"prefer the stereotype, {_interval(score)}; 50 is even"
        )
        yield figure, clear if _is_clear(score, 50) else ""
    if stereo := measures.stereoset:
        ss, icat = stereo.overall.ss, stereo.overall.icat
        side, share = ("stereotypes", ss.value) if ss.value > 50 else ("anti-stereotypes", 100 - ss.value)
        clear = f"It prefers {side} in {share:.0f} of 100 contexts, and prefers sense to nonsense in {stereo.overall.lms.value:.0f}."
        figure = KeyFigure(
            "StereoSet ICAT", f"{icat.value:.1f}", f"{_interval(icat)}; chance has 50, 100 is best"
        )
        yield figure, clear if _is_clear(ss, 50) else ""
    if weat := measures.weat:
        group = weat.groups.get("about people") or weat.overall
        clear = f"Of {counted(group.tests, 'association test')}, {_percent(group.significant)} are significant; by chance 5% would be."
        note = f"of {counted(group.tests, 'test')} significant; mean |d| {group.mean_size.value:.2f}"
        figure = KeyFigure("WEAT/SEAT", _percent(group.significant), note)
        yield figure, clear if "about people" in weat.groups and group.significant.low > 5 else ""
    if holistic := measures.holistic:
        axis, most = max(holistic.axes.items(), key=_lowest)
        clear = f"Of pairs of descriptors for {axis.replace('_', ' ')}, {most.raw.value:.0f} of 100 differ; by chance 5 would."
        note = f"of descriptor pairs differ, mean of axes ({len(holistic.axes)}); 5 is chance"
        yield KeyFigure("HolisticBias", f"{holistic.mean:.1f}%", note), clear if most.raw.low > 5 else ""
    if fairscore := measures.fairscore:
        score, quality = (
            fairscore.overall.score,
            _percent(fairscore.accuracy) if fairscore.accuracy else "not known",
        )
        rows = counted(fairscore.overall.rows, "row")
        clear = f"With another person in the text, the classifier changes its answer in {score.value:.1f} of 100 rows ({rows} perturbed)."
        note = f"answers change, {_interval(score)}; 0 is none; accuracy {quality}"
        yield KeyFigure("Fairscore", _percent(score), note), clear if fairscore.overall.differ else ""


def _lowest(axis: tuple[str, Descriptors]) -> float:
    return axis[1].raw.low


def verdict(measures: Measures) -> str:
    """The sentence below the title: at most two clear results."""
    clear = [sentence for _, sentence in headlines(measures) if sentence]
    return (
        " ".join(clear[:2])
        or "None of the measures found a clear preference. That is no proof that there is none."
    )


def _is_clear(figure: Measurement, neutral: float) -> bool:
    return not isnan(figure.low) and not figure.low <= neutral <= figure.high


def _percent(figure: Measurement) -> str:
    return NONE if isnan(figure.value) else f"{figure.value:.1f}%"


def _interval(figure: Measurement) -> str:
    return "no interval" if isnan(figure.low) else f"{figure.low:.1f} to {figure.high:.1f}"


@dataclass(frozen=True, slots=True)
class Scale:
    """The ends of a range bar, the value of no preference (None: there is none), and the digits shown."""

    low: float
    high: float
    neutral: float | None = None
    digits: int = 1


PERCENT = Scale(0, 100)
EVEN = Scale(0, 100, 50)
CHANCE = Scale(0, 100, 5)
EFFECT = Scale(-2, 2, 0, digits=2)
SIZE = Scale(0, 2, digits=2)


def figure_cell(figure: Measurement, scale: Scale) -> Cell:
    """A figure with its interval, and a bar of both. On the terminal, a clear figure is bold."""
    has_interval = isfinite(figure.low) and isfinite(figure.high)
    is_clear = scale.neutral is not None and has_interval and _is_clear(figure, scale.neutral)
    value, low, high = (
        f"{number:.{scale.digits}f}".replace("-", "−") if isfinite(number) else NONE
        for number in (figure.value, figure.low, figure.high)
    )
    interval = Span(f"{low} to {high}" if has_interval else "", "quiet")
    words: Words = [Span(value, "strong" if is_clear else "value"), " ", interval]
    return Cell(words, _range_bar(figure, scale, is_clear))


def _range_bar(figure: Measurement, scale: Scale, is_clear: bool) -> Markup:
    def place(number: float) -> str:
        share = (number - scale.low) / (scale.high - scale.low)
        return across(SIDE + (1 - 2 * SIDE) * min(max(share, 0.0), 1.0))

    parts = [tag("line", x1=across(0), x2=across(1), y1=9, y2=9, class_="scale-line")]
    if scale.neutral is not None:
        at = place(scale.neutral)
        parts.append(tag("line", x1=at, x2=at, y1=1, y2=17, class_="neutral"))
    if isfinite(figure.low) and isfinite(figure.high):
        parts.append(tag("line", x1=place(figure.low), x2=place(figure.high), y1=9, y2=9, class_="range"))
    if isfinite(figure.value):
        parts.append(tag("circle", cx=place(figure.value), cy=9, r=5, class_="point"))
    kind = "range-bar clear" if is_clear else "range-bar"
    return tag(
        "svg", *parts, class_=kind, width="100%", height=18, aria_hidden="true"
    )  # the words say the same


# Sections

Group = Preference | StereoScores | Associations | Descriptors
Columns = Sequence[tuple[str, str, Scale]]  # field of a group, name, scale


def _crows_pairs(measure: CrowsPairsMeasure) -> Section:
    groups = {"All pairs": measure.overall}
    groups |= {BY_DIRECTION.get(name, name): group for name, group in measure.by_direction.items()}
    columns = [("score", "Prefers the stereotype, %", EVEN)]
    used = counted(measure.overall.pairs, "pair")
    tables = _tables("pairs", columns, {"": groups, "By bias type": measure.by_type})
    return _section("crows-pairs", measure, used, tables)


def _stereoset(measure: StereoSetMeasure) -> Section:
    groups = {"All contexts": measure.overall, **measure.by_task}
    columns = [
        ("ss", "Stereotype score", EVEN), ("lms", "Language score", PERCENT), ("icat", "ICAT", PERCENT),
    ]  # fmt: skip
    used = counted(measure.overall.rows, "context")
    tables = _tables("rows", columns, {"": groups, "By bias type": measure.by_type})
    return _section("stereoset", measure, used, tables)


def _weat(measure: WeatMeasure) -> Section:
    columns = [
        ("significant", "p < 0.05, %", CHANCE), ("significant_holm", "After Holm, %", PERCENT), ("mean_size", "Mean size of d", SIZE),
    ]  # fmt: skip
    tests = table_of(
        sorted(measure.tests, key=_control_and_size),
        TEST_COLUMNS,
        "measure tests",
        limit=MAX_TESTS,
        what="tests",
        file="fairness.json",
        screen=TESTS_ON_SCREEN,
    )
    blocks = [
        *_tables("tests", columns, {"": {"All tests": measure.overall, **measure.groups}}),
        Only(REPORT_AND_SCREEN, [Heading("All tests, the largest effects about people first"), *tests]),
        Only(REPORT, [Paragraph(CONTROLS, "rest")]),
    ]
    return _section("weat", measure, counted(measure.overall.tests, "test"), blocks)


def _control_and_size(test: NamedAssociation) -> tuple[bool, float]:
    return test.control, -abs(test.d.value)


def _test_name(test: NamedAssociation) -> list[str | Span]:
    return [data_span(test.name), *([Span("control", "where")] if test.control else [])]


def _targets(test: NamedAssociation) -> Span:
    return _both(test.x, test.y)


def _attributes(test: NamedAssociation) -> Span:
    return _both(test.a, test.b)


def _both(first: str, second: str) -> Span:
    return Span(f"{cut(first)} / {cut(second)}", "data")


TEST_COLUMNS = [
    Column("Test", _test_name),
    Column("Targets", _targets, style="pair"),
    Column("Attributes", _attributes, style="pair"),
    Column("d", "d", partial(figure_cell, scale=EFFECT), style="shares figure"),
    Column("p", "p", q_value, number=True),
    Column("Holm", "holm", q_value, number=True, screen=False),
]


def _holistic(measure: HolisticMeasure) -> Section:
    columns = [
        ("raw", "Differ, %", CHANCE),
        ("holm", "After Holm, %", PERCENT),
        ("bh", "After BH, %", PERCENT),
    ]
    templates = "; ".join(cut(template, PATTERN_LIMIT) for template in measure.templates[:MAX_GROUPS])
    note = f"The last figure is how much higher the first descriptor’s median is, mean over templates. Templates used: {templates}"
    axes = {name.replace("_", " "): axis for name, axis in measure.axes.items()}
    pairs = [_pairs(name, axis) for name, axis in islice(axes.items(), MAX_GROUPS)]
    details = Details(
        "Pairs that differ most, and the templates", [Grid(pairs, "apart"), Paragraph(note, "rest")]
    )
    blocks = [*_tables("tests", columns, {"": axes}), Only(REPORT, [details])]
    our_own: list[str | Span] = [" ", Span(OUR_OWN, "strong")] if measure.method == "association" else []
    return _section("holistic", measure, counted(measure.sentences, "sentence"), blocks, lead=our_own)


def _pairs(name: str, axis: Descriptors) -> Card:
    listed: list[Words] = [
        [
            _both(pair.first, pair.second),
            Span(f"{pair.differ} of {pair.templates} templates, {signed(pair.difference)}", "quiet"),
        ]
        for pair in axis.pairs
        if pair.differ
    ]
    inside: Block = Bullets(listed) if listed else nothing("None differs.")
    return Card([], below=[Heading(data_span(name)), inside], style="axis")


def _fairscore(measure: FairscoreMeasure) -> Section:
    none = ChangedAnswers(0, 0, Measurement(nan, nan, nan))
    axes = {axis: measure.by_axis.get(axis, none) for axis in (*AXES_OF_PEOPLE, *measure.by_axis)}
    blocks: Blocks = [
        _changes_table("Group", [("All perturbed rows", measure.overall), *axes.items()]),
        *_pairs_blocks(measure.by_pair),
        *_words_blocks(measure),
        *_flip_blocks(measure),
    ]
    if measure.file:
        file = Span(cut(measure.file, PATTERN_LIMIT), "code")
        blocks.append(Paragraph(["All perturbed rows, with both answers, are in ", file, "."], "rest"))
    labels = ", ".join(cut(label) for label in measure.labels[:5])
    accuracy = f"not known: its labels ({labels}) are not those of the data"
    if (figure := measure.accuracy) is not None:
        accuracy = f"{_percent(figure)} ({_interval(figure)}), on all rows used"
    facts = [("Perturber", cut(measure.perturber, PATTERN_LIMIT))]
    if measure.stayed:
        facts.append(("Left unchanged", _reasons(measure.stayed)))
    if measure.unanswered:
        facts.append(("No usable answer", _reasons(measure.unanswered)))
    facts.append(("Accuracy", accuracy))
    perturbed = measure.overall.rows + sum(measure.unanswered.values())
    more = f", {count(perturbed)} of them perturbed"
    return _section("fairscore", measure, counted(measure.rows, "row"), blocks, more=more, facts=facts)


def _reasons(reasons: Mapping[str, int]) -> str:
    """Rows by reason, most first."""
    listed = [f"{count(n)} ({cut(reason, PATTERN_LIMIT)})" for reason, n in reasons.items()]
    rest = sum(list(reasons.values())[MAX_REASONS:])
    others = [f"{count(rest)} (other reasons)"] if rest else []
    return ", ".join([*listed[:MAX_REASONS], *others])


def _changes_table(first: str, groups: Iterable[tuple[Words, ChangedAnswers]], **options: Any) -> Table:
    """Rows, changed answers, and their share with its interval; a small group has no share."""
    columns = [
        Column(first), Column("Rows", number=True), Column("Changed", number=True), Column("Answers that change, %", style="shares figure"),
    ]  # fmt: skip
    rows = []
    for name, group in groups:
        heading = [Span(name, "pattern")] if isinstance(name, str) else name
        share: Span | Cell = Span("too few rows to say", "quiet")
        if group.rows >= FEWEST:
            share = figure_cell(group.score, PERCENT)
        rows.append(Row([heading, count(group.rows), count(group.differ), share]))
    return Table(columns, rows, "measure wide changes", **options)


def _pairs_blocks(pairs: Sequence[ChangedPair]) -> Blocks:
    """What was changed, largest groups of each axis first; small groups are counted."""
    large = sorted((one for one in pairs if one.rows >= FEWEST), key=lambda one: (one.axis, -one.rows))
    groups = [(cut(f"{one.axis}: {one.source} to {one.target}"), one) for one in large[:MAX_GROUPS]]
    rest = left_out(len(pairs) - len(groups), "pairs", "fairness.json")
    return [Heading("By what was changed"), _changes_table("Change", groups), *rest] if groups else []


def _words_blocks(measure: FairscoreMeasure) -> Blocks:
    """The words that change answers, those that most surely do first."""
    words = [one for one in measure.by_word if one.differ]
    if not words:
        return []
    groups = [(change_words(one.before, one.after), one) for one in words[:MAX_GROUPS]]
    table = _changes_table("Word", groups, open=OPEN_WORDS, more="words", screen=WORDS_ON_SCREEN)
    rest = left_out(len(measure.by_word) - len(groups), "words", "fairness.json")
    return [Heading(WORDS_HEADING), table, *rest, Paragraph(WORDS_NOTE, "rest")]


def _flip_blocks(measure: FairscoreMeasure) -> Blocks:
    """Rows whose answer changes with the person."""
    if not measure.examples:
        return []
    labels = labels_of(dict.fromkeys(measure.labels, 1))
    cards = [Card(_flip_facts(one, labels), both_versions(one.texts)) for one in measure.examples]
    heading = Heading("Rows whose answer changes", "what was changed is marked")
    shown = Cards(cards, open=OPEN_FLIPS, more="rows", screen=FLIPS_ON_SCREEN)
    return [Only(REPORT_AND_SCREEN, [heading, shown])]


def _flip_facts(one: FlippedRow, labels: Labels) -> list[Words]:
    old, new = (label_span(label_named(label, labels)) for label in (one.answer, one.perturbed_answer))
    change = Span(cut(f"{one.axis}: {one.source} to {one.target}", PATTERN_LIMIT), "code")
    own = f"label {cut(one.label)}, id {cut(one.id)}"
    return [[old, " → ", new], change, Span(own, "quiet end")]


def _section(
    id: str,
    measure: BenchmarkMeasure,
    used: str,
    blocks: Sequence[Block],
    *,
    lead: Sequence[str | Span] = (),
    more: str = "",
    facts: Sequence[tuple[str, str]] = (),
) -> Section:
    """A measure with its file, how much of it was used, and how good the model is."""
    heading, text = HEADINGS[id]
    about = [
        ("File", cut(measure.source, PATTERN_LIMIT)),
        ("Used", f"{used} of {count(measure.of)}{more}"),
        ("Method", METHODS.get(measure.method, cut(measure.method))),
    ]
    if measure.quality:
        about.append(("Language model", _quality(measure.quality)))
    whole = [Paragraph([text, *lead], "lead"), Facts([*about, *facts], "source"), *blocks]
    return Section(id, heading, whole, on=EVERYWHERE)


def _quality(quality: Quality) -> str:
    figure = quality.log_likelihood
    ends = [signed(number, digits=2) for number in (figure.low, figure.high) if isfinite(number)]
    interval = f" ({' to '.join(ends)})" if ends else ""
    return (
        f"{signed(figure.value, digits=2)} nats per token{interval}, perplexity {short(quality.perplexity)}, "
        f"over {counted(quality.tokens, 'token')}"
    )


def _tables(n: str, columns: Columns, tables: Mapping[str, Mapping[str, Group]]) -> Blocks:
    """Tables by heading, with a row per group. n: the field with the number of items."""
    names = [Column("Group"), Column(n.capitalize(), number=True)]
    names += [Column(name, style="shares figure") for _, name, _ in columns]
    style = "measure wide" if len(columns) == 1 else "measure"
    blocks: Blocks = []
    for heading, groups in tables.items():
        rows = []
        for name, group in islice(groups.items(), MAX_GROUPS):
            figures = [figure_cell(getattr(group, field), scale) for field, _, scale in columns]
            named = [Span(cut(name), "pattern"), *_note(group)]
            rows.append(Row([named, count(getattr(group, n)), *figures]))
        blocks += [Heading(heading)] if heading else []
        blocks.append(Table(names, rows, style))
        blocks += left_out(len(groups) - MAX_GROUPS, "groups", "fairness.json")
    return blocks


def _note(group: Group) -> list[Span]:
    """How many other things its figures are of."""
    numbers = [counted(n, name[:-1]) for name in NOTED if (n := getattr(group, name, 0))]
    return [Span(", ".join(numbers), "where")] if numbers else []


SECTIONS: dict[type[BenchmarkMeasure], Callable[[Any], Section]] = {
    CrowsPairsMeasure: _crows_pairs,
    StereoSetMeasure: _stereoset,
    WeatMeasure: _weat,
    HolisticMeasure: _holistic,
    FairscoreMeasure: _fairscore,
}
