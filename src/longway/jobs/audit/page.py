"""The page of an audit: leak, strongest shortcuts, findings, people, the shortcut space, the data and its problems.

Every list is cut here and what is cut is counted, so the page stays small whatever the dataset.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from itertools import product
from math import sqrt

from longway.data.label_lists import tag_name
from longway.data.summary import DatasetSummary
from longway.detect.row_checks import CERTAIN, ENCODER, UNLIKELY, WORDS
from longway.detect.severity import SEVERITIES, severity_of, too_few, undecided
from longway.detect.sources import Sources
from longway.jobs.audit.croissant import biases, limitations
from longway.jobs.audit.result import PARTS, AuditResult, Histogram
from longway.jobs.audit.rows import PossibleError, RowSummary
from longway.jobs.results import dataset_page, page_of
from longway.languages.dataset import described
from longway.levels import GRAMMAR, LEVELS
from longway.records import Finding, Leak, Mentions, Pattern, Telling
from longway.report import charts
from longway.report.excerpts import (
    PATTERN_LIMIT,
    READ_LIMIT,
    TEXT_LIMIT,
    cut,
    cut_to_width,
    harmless,
    highlighted,
    token_spans,
)
from longway.report.labels import (
    MAX_LABELS,
    MAX_SETTINGS,
    POINTS,
    Label,
    Labels,
    label_named,
    label_span,
    labels_of,
    leak_words,
    level_name,
    named_span,
    part_name,
    problems_section,
    setting_rows,
    with_colour,
)
from longway.report.markdown import plain
from longway.report.numbers import NONE, count, counted, gamma, length, percent, points, q_value, short
from longway.report.sections import (
    CARD,
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Bullets,
    Card,
    Cards,
    Cell,
    Chart,
    Column,
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
    table_of,
)

SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
)  # as the Hub names them
OPEN_GROUPS = 20  # findings visible at once
MAX_GROUPS = 100  # and after a click
ON_SCREEN = 10  # findings on the terminal
MAX_VARIANTS = 6
MAX_OUTLIERS = 6  # documents per label and ranking
MARK_LEVEL = 3  # highlighting of a pattern in its example
N_NAMED = 3  # patterns in the verdict
CONTRIBUTES = 0.001  # accuracy lost without a kind of feature, from which it is worth naming
MAX_PEOPLE = 60
N_WORDS = 5
ERRORS_SHOWN = 10  # possible errors in the report
ERRORS_ON_SCREEN = 3
WIDTH = 300
NEIGHBOURS = 3
WITHIN = {True: "the groups’ fingerprint", False: "seen within groups"}
PEOPLE = (
    "Texts with words that indicate a person’s gender, race or age in any context, counted by words: colours, things and titles are excluded, so some "
    "people are missed. Bold: correlated with a label, and among the findings above. The bar shows how the labels divide these texts, its ticks how they "
    "divide all texts: "
)
RANKINGS = {"lean": "Most typical of the label", "gamma": "Least like the other labels"}
READING = [
    ("Leak", "How often a simple model that sees one part of the input, its words or everything that the detectors see, predicts the right label. If one side of a pair is enough, a model need not read the other."),
    ("Rows and texts", "How many rows have the pattern, and how many different texts they have. Rows that repeat a text, nearly repeat it or share a context are not independent: tests, intervals and ranks count them as fewer observations if their labels agree."),
    ("Share and base rate", "The share of the texts with the pattern that carry the label, and the label’s share in the whole dataset."),
    POINTS,
    ("Severity", "Critical: the pattern alone is worth 10 points or more. High: 2 points or more, or nearly every text with the pattern has the label. Low: the rest. Critical and high findings passed a stricter test (q ≤ 0.005)."),
    ("z", "How many standard errors the share is above the base rate. A value above 3 is unlikely to be chance for a single pattern."),
    ("q", "The p-value corrected for testing many patterns: of all findings with q up to 0.05, about 5% are expected to be chance."),
    ("Gamma", "One minus the mean cosine similarity between a text and the texts of other labels, in a space of word weights and word positions. A high value means that the text is easy to classify by its surface, or just unusual."),
    ("Bits of a label", "How much a model learns about a row’s label by reading the row (pointwise V-information, PVI). With two labels of equal size a label has 1 bit; a row with a PVI near 1 is solved, one below 0 is misleading. Each row is predicted by a model that did not see it."),
    ("Lean", "How much more similar a text is to the texts of its own label than to the others, word by word. The highest values show the clearest shortcuts."),
]  # fmt: skip
NOTE: Words = [
    Span("A pattern is not a verdict.", "strong"),
    " “Great” in good reviews is meaning; “not” in refuted claims is mostly a habit of the people who wrote them. The numbers cannot "
    "separate the two: you decide. Longway reduces shortcuts; it does not certify that a dataset or a model is fair.",
]


@page_of(AuditResult)
def audit_page(result: AuditResult) -> Page:
    """All sections of an audit."""
    dataset = result.dataset
    labels = labels_of(dataset.labels)
    n_significant, n_tested = sum(result.significant.values()), sum(result.tested.values())
    about_tag = "" if dataset.tag is None else f": {cut(tag_name(dataset.tag))}"
    problems = problems_section(result.problems, "Problems in the data", "findings.json") or [
        Section("problems", "Problems in the data", [Paragraph("None found.", "nothing")])
    ]
    page = dataset_page(
        result,
        "Longway audit",
        "Audit of",
        verdict=verdict(result.measured_leaks, result.findings),
        facts=_language_facts(dataset),
        figures=_key_figures(result, labels, n_tested),
        sections=[
            _leak_section(result),
            _findings_section(result, labels, n_significant, n_tested),
            *_sources_section(result.sources),
            *people_section(result, labels),
            *_space_section(result, labels),
            *rows_section(result.rows, labels),
            _data_section(result, labels),
            *problems,
            _card_section(result),
            Section("reading", "How to read this", [Facts(READING, "reading"), Paragraph(NOTE, "note")]),
        ],
        settings=setting_rows(asdict(result.settings), source="findings.json"),
    )
    return replace(page, title=page.title + about_tag, card_metadata=_hub_metadata(dataset))


def _language_facts(dataset: DatasetSummary) -> list[tuple[str, str]]:
    """The languages of the texts, and how their words were found."""
    if not dataset.languages:
        return []
    how = f"; {dataset.splitting}" if dataset.splitting else ""
    return [("Language", described(dataset.languages) + how)]


def _hub_metadata(dataset: DatasetSummary) -> str:
    """The YAML at the head of card.md, which the Hugging Face Hub reads."""
    size = next((name for most, name in SIZES if dataset.used < most), "n>1M")
    name = json.dumps(plain(dataset.name))
    return f"pretty_name: {name}\ntask_categories:\n- text-classification\nsize_categories:\n- {size}"


def _card_section(result: AuditResult) -> Section:
    blocks: Blocks = []
    for heading, items in (("Shortcuts", biases(result)), ("Limitations", limitations(result))):
        blocks += [Heading(heading), Bullets([cut(item, TEXT_LIMIT) for item in items[:ON_SCREEN]])]
    note = "Found by Longway. Not every pattern is a mistake of the data: some are the meaning of the label."
    return Section("card", "Known shortcuts and limitations", [*blocks, Paragraph(note)], on=CARD)


def verdict(leaks: Sequence[Leak], findings: Sequence[Finding]) -> str:
    """The result of an audit in one or two sentences: how well a model does without reading, and the strongest patterns.

    >>> claim = Leak("text", ("claim",), 0.673, 0.66, 0.69, 0.5, "5-fold cross-validation", 6660)
    >>> verdict([claim], [])
    'From the claim alone a simple model gets 67% right; chance is 50%.'
    """
    leak = strongest_leak(leaks)
    names = ", ".join(quoted(finding) for finding in by_severity(findings)[:N_NAMED])
    strongest = f" Strongest: {names}." if names else ""
    if leak is None:
        return f"The leak could not be measured.{strongest}"
    source = f"From {part_name(leak)} alone a simple model"
    chance = f"{leak.majority:.0%}"
    if leak.low > leak.majority:
        return f"{source} gets {leak.accuracy:.0%} right; chance is {chance}.{strongest}"
    if names:
        return (
            f"{source} does no better than chance ({chance}), but some patterns predict a label.{strongest}"
        )
    if unclear := undecided(leaks):
        return too_few(unclear, f"from {part_name(unclear)} alone")
    return f"No surface pattern predicts the label beyond chance ({chance})."


def quoted(finding: Finding) -> str:
    """The pattern in quotation marks."""
    return f"“{cut(str(finding.pattern))}”"


def strongest_leak(leaks: Sequence[Leak]) -> Leak | None:
    """The leak furthest above chance, from the text or the context alone."""
    parts = [leak for leak in leaks if leak.part != "both"]
    return max(parts, key=lambda leak: leak.low - leak.majority, default=None)


def by_severity(findings: Sequence[Finding]) -> list[Finding]:
    """The worst first; within a severity, the strongest first."""
    return sorted(findings, key=lambda finding: SEVERITIES.index(severity_of(finding)))


def _key_figures(result: AuditResult, labels: Labels, n_tested: int) -> list[KeyFigure]:
    dataset = result.dataset
    largest = next(iter(labels.values()), None)
    whole = f"the split {cut(dataset.split)}" if dataset.split else "the data"
    figures = [
        KeyFigure("Rows used", count(dataset.used), f"of {count(dataset.rows)} in {whole}"),
        KeyFigure("Labels", count(len(labels)), f"largest: {largest.name}, {largest.share}" if largest else ""),
    ]  # fmt: skip
    if leak := strongest_leak(result.measured_leaks):
        name = f"Right from {_columns(leak)} alone"
        figures.append(KeyFigure(name, percent(leak.accuracy), f"chance is {percent(leak.majority)}"))
    severities = Counter(severity_of(finding) for finding in result.findings)
    told = ", ".join(f"{count(severities[name])} {name}" for name in SEVERITIES if severities[name])
    return [
        *figures,
        KeyFigure(
            "Shortcuts", count(len(result.findings)), told or f"of {counted(n_tested, 'pattern')} tested"
        ),
    ]


# The leak


def _leak_section(result: AuditResult) -> Section:
    words, everything = _in_order(result.leaks), _in_order(result.all_leaks)
    measured = [("from words", words), ("from words and everything else that detectors see", everything)]
    measured += [("from words", _in_order(leaks)) for leaks in result.held_out.values()]
    shown = [_leak_chart(leaks, f"leak-{at}", of) for at, (of, leaks) in enumerate(measured) if leaks]
    nothing = Paragraph("The leak was not measured.", "nothing")
    columns = [
        Column("Right from"), Column("Words alone", number=True), Column("Everything", number=True), Column("Chance", number=True),
    ]  # fmt: skip
    rows = [_leak_row(_columns(leak), leak, result.all_leaks.get(leak.part)) for leak in words]
    for name, leaks in result.held_out.items():
        if leak := leaks.get("text"):
            rows.append(_leak_row(f"{_columns(leak)}, on {cut(name)}", leak, None))
    lead = (
        "How often a simple model predicts the right label from each part of the input: from its words, and from everything that the "
        "detectors see (length, position, punctuation and casing, overlap, people, grammar). The dashed line is the accuracy of always "
        "predicting the most frequent label; the whisker is the 95% interval."
    )
    blocks: Blocks = [
        Paragraph(lead, "lead"),
        Only(REPORT, [Grid(shown or [nothing])]),
        Only(SCREEN, [Table(columns, rows)]),
    ]
    if told := _contributions(everything):
        blocks.append(Paragraph(told, "rest"))
    return Section("leak", "Leak against chance", blocks, on=REPORT_AND_SCREEN)


def _contributions(leaks: Sequence[Leak]) -> str:
    """What each kind of feature contributes to the strongest leak, if any contributes."""
    leak = strongest_leak(leaks)
    if leak is None or leak.low <= leak.majority:
        return ""
    lost = sorted(leak.families.items(), key=lambda item: -item[1])
    told = [f"{level_name(name)} {points(-share)}" for name, share in lost if share >= CONTRIBUTES]
    if not told:  # without any one of them the others predict as well
        return ""
    return f"Points of accuracy lost from {part_name(leak)} without one kind of feature: {', '.join(told)}."


def _in_order(leaks: Mapping[str, Leak]) -> list[Leak]:
    return [leaks[part] for part in PARTS if part in leaks]


def _columns(leak: Leak) -> str:
    return cut(" + ".join(leak.columns) or leak.part)


def _leak_row(name: str, leak: Leak, everything: Leak | None) -> Row:
    of_all = NONE if everything is None else leak_words(everything)
    return Row([name, leak_words(leak), of_all, percent(leak.majority)])


def _leak_chart(leaks: Sequence[Leak], key: str, of: str) -> Chart:
    how = f"{of}; {cut(leaks[0].how, PATTERN_LIMIT)}, {counted(leaks[0].rows, 'row')}"
    title = f"Accuracy of a simple model against chance ({how})"
    desc = "; ".join(_leak_text(leak) for leak in leaks)
    svg = charts.leak_chart(leaks, key=key, majority=leaks[0].majority, title=title, desc=desc)
    return Chart(svg, how)


def _leak_text(leak: Leak) -> str:
    interval = f"95% interval {percent(leak.low)} to {percent(leak.high)}"
    return f"{_columns(leak)}: {percent(leak.accuracy)}, {interval}, chance {percent(leak.majority)}"


# Findings


def _findings_section(result: AuditResult, labels: Labels, n_significant: int, n_tested: int) -> Section:
    blocks: Blocks = [Paragraph(_found(result, n_significant, n_tested))]
    if result.tested.get(GRAMMAR):
        blocks.append(Paragraph(_missed_by_words(result), "note"))
    if result.findings:
        lead = (
            "Patterns that say the same thing are grouped under the strongest of them. The small bar is the label’s share among the texts "
            "with the pattern; its tick is the label’s base rate."
        )
        blocks += [Paragraph(lead, "lead"), *findings_table(by_severity(result.findings), labels)]
    if (n_more := n_significant - result.n_listed) > 0:
        text = f"A further {n_more:,} patterns passed the test (q ≤ {result.settings.max_q:g}); findings.json keeps the strongest of each level."
        blocks.append(Only(REPORT, [Paragraph(text, "rest")]))
    tested: list[list[str | Span]] = [
        [f"{level_name(level)} ", Span(count(result.significant.get(level, 0)), "strong"), Span(f" of {count(n)}", "quiet")]
        for level, n in list(result.tested.items())[:MAX_SETTINGS]
    ]  # fmt: skip
    blocks.append(Only(REPORT, [Heading("What was tested"), Bullets(tested, "tested")]))
    return Section("findings", "Findings", blocks, on=REPORT_AND_SCREEN)


def _found(result: AuditResult, n_significant: int, n_tested: int) -> str:
    if not n_tested:
        return "Nothing could be tested: no pattern is in at least five rows and missing from at least five."
    if not result.findings:
        return f"No shortcut found: of {n_tested:,} patterns none is correlated with a label beyond chance."
    return (
        f"{n_significant:,} of {n_tested:,} patterns are correlated with a label (q ≤ {result.settings.max_q:g}), "
        f"listed in {counted(len(result.findings), 'group')}:"
    )


def _missed_by_words(result: AuditResult) -> str:
    """What only the grammar sees."""
    only = [finding for finding in result.findings if finding.level == GRAMMAR]
    if not only:
        return "The grammar found no pattern that words miss."
    more = f" and {count(len(only) - N_NAMED)} more" if len(only) > N_NAMED else ""
    return f"{counted(len(only), 'pattern')} that words miss: {', '.join(map(quoted, only[:N_NAMED]))}{more}."


def findings_table(findings: Sequence[Finding], labels: Labels) -> Blocks:
    """Findings with their figures; each row has an example and variants below it."""

    def colour(finding: Finding) -> str:
        return label_named(finding.label, labels).colour

    def share(finding: Finding) -> Cell:
        base = Span(f"base rate {percent(finding.base_rate)}", "quiet")
        bar = charts.share_bar(finding.label_share, finding.base_rate, colour=colour(finding))
        return Cell([Span(percent(finding.label_share), "strong"), " ", base], bar)

    columns = [
        Column("Pattern", pattern_words),
        Column("Severity", severity_span, drop=1),
        Column("Predicts", "label", style="to", form=partial(named_span, labels=labels)),
        Column("Rows", "count", number=True, drop=3),
        Column("Texts", _n_texts, number=True, drop=4),
        Column("Label’s share", share, style="shares", drop=2),
        Column("Points", "points", number=True, form=points),
        Column("z", "z", number=True, screen=False, form=short),
        Column("q", "q", number=True, screen=False, form=q_value),
    ]
    return table_of(
        findings,
        columns,
        "findings",
        below=_below,
        colour=colour,
        limit=MAX_GROUPS,
        what="groups",
        file="findings.json",
        open=OPEN_GROUPS,
        screen=ON_SCREEN,
    )


def severity_span(finding: Finding) -> Span:
    """How severe it is, in its colour."""
    return Span(severity_of(finding), f"severity {severity_of(finding)}")


def _n_texts(finding: Finding) -> int:
    return finding.count if finding.texts is None else finding.texts


def pattern_words(finding: Finding) -> Words:
    """The pattern with its level and column."""
    where = f"{level_name(finding.level)} in {cut(finding.field)}"
    return [_pattern_span(finding.pattern), " ", Span(where, "where")]


def _pattern_span(pattern: Pattern) -> Span:
    return Span(cut(str(pattern), PATTERN_LIMIT), "pattern")


def _below(finding: Finding) -> Blocks:
    marks = sorted((int(start), int(end), MARK_LEVEL) for start, end in finding.marks)
    example = highlighted(harmless(finding.example[:READ_LIMIT]), marks)
    blocks: Blocks = [Paragraph(example, "example")] if finding.example else []
    for texts, with_label in (
        (finding.typical[1:], "Also typical"),
        (finding.untypical, "With another label"),
    ):
        if texts:
            shown = [Paragraph(harmless(text[:READ_LIMIT]), "example") for text in texts]
            blocks.append(Only(REPORT, [Paragraph(f"{with_label}:", "also"), *shown]))
    blocks.append(Paragraph(LEVELS.get(finding.level, LEVELS["token"]).advice, "advice"))
    of_grammar = [variant for variant in finding.variants if variant.level == "grammar"]
    others = [variant for variant in finding.variants if variant.level != "grammar"]
    explained = "also" if finding.level == "grammar" else "patterns of the grammar that it explains"
    blocks += _variants("also", others) + _variants(explained, of_grammar)
    return blocks


def _variants(intro: str, variants: Sequence[Finding]) -> Blocks:
    """The names of weaker patterns; those of a grammar have commas."""
    if not variants:
        return []
    names = [cut(str(variant.pattern), PATTERN_LIMIT) for variant in variants[:MAX_VARIANTS]]
    more = f" and {len(variants) - len(names)} more" if len(variants) > len(names) else ""
    between = "; " if variants[0].level == "grammar" else ", "
    listed = [part for name in names for part in (between, Span(name, "data"))]  # each in its own direction
    return [Paragraph([f"{intro}: ", *listed[1:], more], "also")]


# Sources


def _sources_section(found: Sources | None) -> list[Section]:
    """What a column of groups says about the labels, if one was named."""
    if found is None:
        return []
    column = cut(found.column)
    alone = (
        f"From {column} alone, without reading the text, {percent(found.accuracy)} of the labels are right (95% interval {percent(found.low)} to "
        f"{percent(found.high)}, chance {percent(found.majority)}; {counted(found.groups, 'group')})."
    )
    blocks: Blocks = [Paragraph(alone)]
    if found.at_random is not None and found.left_out is not None:
        interval = f"{points(found.drop_low or 0.0)} to {points(found.drop_high or 0.0)}"
        blocks.append(
            Paragraph(
                f"A bag of words is right on {percent(found.at_random)} of rows drawn at random, and on {percent(found.left_out)} of rows from groups it was "
                f"not trained on: {points(found.left_out - found.at_random)} points (the loss has the 95% interval {interval})."
            )
        )
    columns = [
        Column("Pattern", "pattern", form=_pattern_span),
        Column("Points", "points", number=True, form=points),
        Column("Within groups", "within", number=True, form=points),
        Column("p within", "p", number=True, screen=False, form=q_value),
        Column("It is", "is_fingerprint", form=WITHIN.__getitem__),
    ]
    blocks += table_of(
        found.findings,
        columns,
        "figures-only",
        limit=MAX_GROUPS,
        what="findings",
        file="findings.json",
        open=OPEN_GROUPS,
        screen=ON_SCREEN,
    )
    return [Section("sources", f"Groups by {column}", blocks, on=REPORT_AND_SCREEN)]


# The shortcut space


def _space_section(result: AuditResult, labels: Labels) -> list[Section]:
    space, shown = result.space, with_colour(labels)
    if space is None:
        return []
    means = {name: mean for name, mean in space.mean_gamma.items() if mean is not None}
    chart = _histogram(
        space.histogram,
        shown,
        key="gamma",
        title="Distribution of gamma by label",
        form=gamma,
        means=means,
    )
    outliers = _outliers(space.telling, shown)
    if chart is None and not outliers:
        return []
    lead = (
        "Gamma compares the surface of a text (which words, at which positions) with the texts of all other labels. Further right: less "
        "similar to any of them. The line marks the label’s mean; the last bar includes all higher values. Shortcut space: "
        f"{cut(space.variant)} variant, {counted(space.dimensions, 'dimension')}."
    )
    blocks: Blocks = [Paragraph(lead, "lead"), *([chart] if chart else [])]
    if outliers:
        text = (
            "Below are the texts most typical of their label (lean) and those least like the other labels (gamma). The stronger the colour, "
            "the more a word predicts the label."
        )
        blocks.append(Paragraph(text, "lead telling"))
    return [Section("gamma", "How different each text is from the other labels", [*blocks, *outliers])]


def _outliers(documents: Sequence[Telling], shown: Sequence[Label]) -> Blocks:
    """Per label, the texts most typical of it, then those least like the other labels."""
    blocks: Blocks = []
    for label, (ranking, heading) in product(shown, RANKINGS.items()):
        chosen = [one for one in documents if (one.label, one.chosen_by) == (label.key, ranking)]
        cards = [_document(document) for document in chosen[:MAX_OUTLIERS]]
        named: Blocks = [Heading(label_span(label), heading), Cards(cards, f"documents {label.colour}")]
        blocks += [*(named if cards else []), *left_out(len(chosen) - MAX_OUTLIERS, "texts", "findings.json")]
    return blocks


def _document(document: Telling) -> Card:
    text = harmless(document.text[:READ_LIMIT])
    words = highlighted(text, token_spans(text, document.tokens))
    scores = f"lean {gamma(document.lean)}, gamma {gamma(document.gamma)}, id {cut(document.id)}"
    return Card([], below=[Paragraph(words), Paragraph(scores, "quiet")], style="document")


# The data


def _data_section(result: AuditResult, labels: Labels) -> Section:
    shown = with_colour(labels)
    bars = [
        charts.Bar(label.name, label.count, f"{count(label.count)} ({label.share})", label.colour)
        for label in shown
    ]
    svg = charts.bar_chart(
        bars,
        key="labels",
        title="Texts per label",
        desc="; ".join(f"{label.name}: {count(label.count)}" for label in shown),
        full=max((label.count for label in shown), default=0),
    )
    below: Blocks = []
    if smaller := list(labels.values())[MAX_LABELS:]:
        texts = counted(sum(label.count for label in smaller), "text")
        below.append(
            Paragraph(f"{len(smaller)} smaller labels have {texts}; they are counted but not drawn.", "rest")
        )
    title = "Words per text, by label"
    lengths = _histogram(result.lengths, shown, key="lengths", title=title, form=length, means={})
    figures: Blocks = [Chart(svg, "Texts per label", below=below)]
    if lengths is not None:
        rest = Paragraph("The last bar includes longer texts.", "rest")
        figures.append(Chart(lengths.svg, "Words per text", below=[rest]))
    return Section("data", "The data", [Grid(figures)])


def _histogram(
    histogram: Histogram,
    shown: Sequence[Label],
    *,
    key: str,
    title: str,
    form: Callable[[float], str],
    means: Mapping[str, float],
) -> Chart | None:
    """A histogram with a row for each label that has counts; None if it cannot be drawn."""
    counts = histogram.counts
    mine = [label for label in shown if label.key in counts]
    if not mine or not charts.drawable(histogram.edges, [counts[label.key] for label in mine]):
        return None
    rows = []
    for label in mine:
        mean = means.get(label.key)
        note = "" if mean is None else f"mean {form(mean)}"
        rows.append(charts.Distribution(label.name, counts[label.key], label.colour, mean, note))
    desc = "Share of each label's own texts per bin, all labels on one scale. " + "; ".join(
        f"{row.name}: {counted(sum(row.counts), 'text')} {row.note}" for row in rows
    )
    return Chart(charts.histogram(rows, histogram.edges, key=key, title=title, desc=desc, form=form))


# People


def leaning(texts: Mapping[str, int], totals: Mapping[str, int]) -> tuple[str, float, float]:
    """The label that is most over-represented in some texts, its share among them and its share among all.

    >>> leaning({"good": 10, "bad": 30}, {"good": 500, "bad": 500})
    ('bad', 0.75, 0.5)
    """
    n, n_all = sum(texts.values()) or 1, sum(totals.values()) or 1
    shares = {name: (number / n, totals.get(name, 0) / n_all) for name, number in texts.items()}

    def standard_errors(name: str) -> float:
        share, base = shares[name]
        return (share - base) / sqrt(base * (1 - base)) if 0 < base < 1 else 0.0

    label = max(texts, key=standard_errors)
    return label, *shares[label]


def people_section(result: AuditResult, labels: Labels) -> list[Section]:
    """How the labels divide the texts that mention people."""
    by_heading: dict[str, list[Mentions]] = {}
    for mentions in result.people[:MAX_PEOPLE]:
        heading = f"{cut(mentions.axis.capitalize())} in {cut(mentions.field)}"
        by_heading.setdefault(heading, []).append(mentions)
    if not by_heading:
        return []
    max_q = result.settings.max_q
    columns = [
        Column("Mention", _mention),
        Column("Texts", "texts", _total, number=True),
        Column("Mentions", "mentions", _total, number=True),
        Column("q", "q", partial(_q_span, max_q=max_q), number=True),
        Column("Leans to", partial(_leaning_cell, labels=labels, max_q=max_q), style="shares"),
    ]
    blocks: Blocks = [Paragraph([PEOPLE, *_legend(labels)], "lead")]
    for heading, rows in by_heading.items():
        table = table_of([row for row in rows if row.q is not None], columns, "people")
        others = [
            f"{_who(row)} ({counted(sum(row.texts.values()), 'text')})" for row in rows if row.q is None
        ]
        few = Paragraph(f"Too few or too many texts to test: {', '.join(others)}.", "rest")
        blocks += [Only(REPORT_AND_SCREEN if table else REPORT, [Heading(heading)]), *table]
        blocks += [Only(REPORT, [few])] if others else []
    is_correlated = any(m.q is not None and m.q <= max_q for m in result.people)
    on = REPORT_AND_SCREEN if is_correlated else REPORT
    return [Section("people", "People in the texts", blocks, on=on)]


def _legend(labels: Labels) -> list[str | Span]:
    """The labels in their colours."""
    smaller = Span(f"{len(labels) - MAX_LABELS} smaller labels", "label", "lx")
    named = [part for label in with_colour(labels) for part in (label_span(label), " ")]
    return [*named, *([smaller] if len(labels) > MAX_LABELS else [])]


def _who(row: Mentions) -> str:
    return cut(row.pattern.removeprefix("speaks of "))


def _mention(row: Mentions) -> Words:
    words = ", ".join(cut(word) for word, _ in row.words[:N_WORDS])
    return [Span(_who(row), "pattern"), " ", Span(words, "where")]


def _q_span(q: float, max_q: float) -> Span:
    return Span(q_value(q), "strong" if q <= max_q else "")


def _total(by_label: Mapping[str, int]) -> str:
    return count(sum(by_label.values()))


def _leaning_cell(row: Mentions, labels: Labels, max_q: float) -> Cell:
    """The label that is most over-represented, and how all labels divide these texts; strong if the mention is a finding."""
    name, share, base = leaning(row.texts, {name: label.count for name, label in labels.items()})
    n, n_all = sum(row.texts.values()) or 1, sum(label.count for label in labels.values()) or 1
    shown = with_colour(labels)
    shares = [row.texts.get(label.key, 0) / n for label in shown]
    usual = [label.count / n_all for label in shown]
    if len(labels) > MAX_LABELS:
        shares, usual = [*shares, 1 - sum(shares)], [*usual, 1 - sum(usual)]
    colours = [*(label.colour for label in shown), "lx"][: len(shares)]
    style = "strong" if row.q is not None and row.q <= max_q else ""
    base_rate = Span(f"base rate {percent(base)}", "quiet")
    words: Words = [named_span(name, labels), " ", Span(percent(share), style), " ", base_rate]
    return Cell(words, charts.split_bar(shares, usual, colours=colours))


# Single rows


def rows_section(rows: RowSummary | None, labels: Labels) -> list[Section]:
    """Nothing if words predict no label and no label looks wrong."""
    if rows is None:
        return []
    words = rows.information[WORDS]
    blocks: Blocks = []
    if words.low > 0 and rows.solved:
        blocks.append(
            Paragraph(
                f"Words alone predict {words.bits:.2f} of the {words.entropy:.2f} bits that a label has (95% interval {words.low:.2f} to {words.high:.2f}). "
                f"They solve {percent(rows.solved / max(rows.measured, 1))} of the rows: the label is at least {CERTAIN:.0%} certain from them. "
                f"A model can label these rows from single words (solved in scores.parquet).{_encoder_words(rows)}"
            )
        )
    if rows.possible_errors:
        blocks += _errors(rows, labels)
    return [Section("rows", "Single rows", blocks, on=REPORT_AND_SCREEN)] if blocks else []


def _encoder_words(rows: RowSummary) -> str:
    read = rows.information.get(ENCODER)
    return (
        ""
        if read is None
        else f" A linear model of sentence vectors reads {read.bits:.2f} bits ({read.low:.2f} to {read.high:.2f})."
    )


def _errors(rows: RowSummary, labels: Labels) -> Blocks:
    text = (
        f"{counted(rows.n_possible_errors or 0, 'label')} may be wrong: of rows like these, at least {1 - UNLIKELY:.0%} have another label. "
        "Read them before you change anything: an unusual text looks the same. All of them have may_be_wrong in scores.parquet."
    )
    columns = [
        Column("Row", "id", cut),
        Column("Label", "label", partial(named_span, labels=labels)),
        Column("More likely label", "likely", partial(named_span, labels=labels)),
        Column("Certain", "p_likely", percent, number=True),
    ]
    table = table_of(
        rows.possible_errors,
        columns,
        "possible-errors",
        below=partial(_similar_rows, labels=labels),
        limit=ERRORS_SHOWN,
        file="findings.json",
        screen=ERRORS_ON_SCREEN,
    )
    return [Only(REPORT, [Heading("Possible wrong labels")]), Paragraph(text), *table]


def _similar_rows(one: PossibleError, labels: Labels) -> Blocks:
    below: Blocks = [Paragraph(cut_to_width(one.text, WIDTH), "example")] if one.text else []
    for similar in one.neighbours[:NEIGHBOURS]:
        text = f" {cut_to_width(similar.text, WIDTH // 2)}"
        below.append(Paragraph(["similar: ", named_span(similar.label, labels), text], "also"))
    return [Only(REPORT, below)]
