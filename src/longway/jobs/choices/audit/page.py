"""The page of an audit of candidates: the leak without the prompt, findings with examples, style effects, judges, the data."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace

from longway.detect.choices.candidates import place_name
from longway.detect.choices.leak import ENCODER
from longway.detect.choices.preferences import OWN, JudgeReport, Share, StyleEffect
from longway.detect.severity import severity_of, too_few, undecided
from longway.errors import install_command
from longway.jobs.choices.audit.result import (
    NO_ENCODER_OF_LANGUAGE,
    ChoiceAuditResult,
    ChoiceExample,
    ChoiceSummary,
)
from longway.jobs.results import dataset_page, page_of
from longway.records import Finding
from longway.report import charts
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.report.labels import SEEN, leak_words, problems_section, setting_rows, with_interval
from longway.report.numbers import NONE, count, counted, percent, points, q_value
from longway.report.sections import (
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
    Only,
    Page,
    Paragraph,
    Section,
    Span,
    Words,
    table_of,
)

MAX_FINDINGS = 100
N_NAMED = 3
OPTION_LIMIT = 160
EXPLAINED = 6  # weaker patterns named below a finding


@dataclass(frozen=True, slots=True)
class Unit:
    """What a kind of data calls its questions and candidates; right: the one that is looked for."""

    question: str
    candidate: str
    right: str

    @property
    def best(self) -> str:
        """The candidate that is looked for: "right option"."""
        return f"{self.right} {self.candidate}"


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
NO_JUDGES = "The votes do not name their judges, so several votes on the same pair in the same order count as those of different judges, and a vote on it in each order as those of one judge. Name the column with --set judge=COLUMN."
NOTE = "A pattern is not a verdict: a longer answer can be the better one. It is a shortcut if a model is rewarded for it without reading the prompt."


@page_of(ChoiceAuditResult)
def choice_page(result: ChoiceAuditResult) -> Page:
    """All sections of an audit of candidates."""
    return dataset_page(
        result,
        "Longway audit",
        "Audit of",
        verdict=_verdict(result),
        figures=_key_figures(result),
        figures_style="" if result.findings else "three",
        sections=[
            _leak_section(result),
            _findings_section(result),
            *_effects_section(result),
            *_judges_section(result.judges),
            _data_section(result.dataset),
            *problems_section(result.problems, "Problems in the data", "findings.json"),
            Section("reading", "How to read this", [Facts(READING, "reading"), Paragraph(NOTE, "note")]),
        ],
        sheets=("choices.css",),
        settings=setting_rows(asdict(result.settings), source="findings.json"),
    )


def _key_figures(result: ChoiceAuditResult) -> list[KeyFigure]:
    data, leak, findings = result.dataset, result.headline, result.findings
    unit, n_tested = UNITS[data.kind], sum(result.tested.values())
    used = f"of {counted(data.rows, 'row')}; {counted(data.candidates, unit.candidate)}"
    accuracy = percent(leak.accuracy) if leak.is_measured else NONE
    figures = [
        KeyFigure(f"{unit.question.capitalize()}s used", count(data.used), used),
        KeyFigure("Right without the prompt", accuracy, f"chance is {percent(leak.majority)}"),
        KeyFigure("Shortcuts", count(len(findings)), f"of {counted(n_tested, 'pattern')} tested"),
    ]
    if findings:
        note = f"points over chance: {cut(findings[0].pattern.name)}"
        figures.append(KeyFigure("Strongest", points(findings[0].points), note))
    return figures


def _verdict(result: ChoiceAuditResult) -> str:
    clear = (one for one in (result.headline, *result.measured_leaks) if one.low > one.majority)
    leak = next(clear, result.headline)
    right = UNITS[result.dataset.kind].best
    names = "; ".join(cut(one.pattern.name) for one in result.findings[:N_NAMED])
    strongest = f" Strongest: {names}." if names else ""
    shares = result.judges.shares if result.judges is not None else ()
    if biased := [f"{one.name} in {one.share:.0%}" for one in shares if not one.judge and one.is_off]:
        strongest += f" The judges chose {' and '.join(biased)} of the votes; fair judges would in 50%."
    if not leak.is_measured:
        return f"How often a ranker picks the {right} without the prompt could not be measured: {leak.how}.{strongest}"
    ranker = f"Without the prompt a simple ranker ({SEEN[leak.part]})"
    if leak.low > leak.majority:
        return f"{ranker} picks the {right} in {leak.accuracy:.0%}; chance is {leak.majority:.0%}.{strongest}"
    no_better = f"{ranker} does no better than chance ({leak.majority:.0%})"
    if names:
        return f"{no_better}, but some patterns predict the {right}.{strongest}"
    if strongest:
        return f"{no_better}.{strongest}"
    if unclear := undecided(result.measured_leaks):
        return too_few(unclear, f"without the prompt ({SEEN[unclear.part]})")
    return f"Nothing about the candidates clearly predicts the {right}. {no_better}."


def _leak_section(result: ChoiceAuditResult) -> Section:
    unit = UNITS[result.dataset.kind]
    shown = [result.leaks[part] for part in SEEN if part in result.leaks]
    lead = f"How often a simple ranker picks the {unit.best}, by what it sees of the candidates: their surface (length, place, punctuation, style), their words, their meaning to a sentence encoder, or how many words of the prompt they repeat. It learned from other questions and never sees the prompt itself. The dashed line is a random choice; the whisker is the 95% interval."
    blocks: Blocks = [Paragraph(lead, "lead")]
    if result.leak.is_measured:
        svg = charts.leak_chart(
            [replace(leak, columns=(SEEN[leak.part],)) for leak in shown],
            key="leak",
            majority=result.leak.majority,
            title=f"How often a ranker picks the {unit.best}, against chance",
            desc="; ".join(f"{SEEN[leak.part]}: {percent(leak.accuracy)}" for leak in shown),
        )
        blocks.append(Chart(svg, f"{result.leak.how}, {counted(result.leak.rows, unit.question)}"))
    columns = [
        Column("The ranker sees", "part", form=SEEN.__getitem__),
        Column("Right", leak_words, number=True),
        Column("Chance", "majority", number=True, form=percent),
    ]
    note = _encoder_note(result)
    blocks += [Only(SCREEN, table_of(shown, columns)), *([Paragraph(note)] if note else [])]
    return Section("leak", "Right without the prompt", blocks, on=REPORT_AND_SCREEN)


def _encoder_note(result: ChoiceAuditResult) -> str:
    """What a reader must know about the ranker with the sentence encoder; "" if nothing."""
    encoder = result.leaks.get(ENCODER)
    if encoder is not None and encoder.rows < result.leak.rows:
        of = counted(result.leak.rows, UNITS[result.dataset.kind].question)
        return f"The sentence encoder read {count(encoder.rows)} of {of}, drawn at random, to save time."
    is_known = any(problem.kind == NO_ENCODER_OF_LANGUAGE for problem in result.problems)
    if encoder is not None or is_known or not result.settings.encoder:
        return ""
    return f"The sentence encoder is not installed, so meaning was not measured: {install_command('local')}."


def _findings_section(result: ChoiceAuditResult) -> Section:
    n_tested, unit = sum(result.tested.values()), UNITS[result.dataset.kind]
    title = f"What the {unit.best}s have in common"
    if not result.findings:
        text = f"None of the {counted(n_tested, 'pattern')} tested is more frequent among the {unit.best}s than among the others (q ≤ {result.settings.max_q:g})."
        return Section("findings", title, [Paragraph(text, "nothing")], on=REPORT_AND_SCREEN)

    def below(finding: Finding) -> Blocks:
        at = result.findings.index(finding)
        examples = [_example(one, unit) for one in result.examples if one.finding == at]
        variants = [cut(one.pattern.name) for one in finding.variants]
        more = f" and {len(variants) - EXPLAINED} more" if len(variants) > EXPLAINED else ""
        names = Paragraph(f"Explains: {'; '.join(variants[:EXPLAINED])}{more}", "quiet")
        return [*([names] if variants else []), *([Only(REPORT, examples)] if examples else [])]

    columns = [
        Column("Pattern", "pattern.name", form=pattern_span),
        Column("Applies to", "count", number=True, short="Applies"),
        Column(
            f"{unit.best.capitalize()} has it",
            _share_cell,
            number=True,
            short=f"{unit.right.capitalize()} has it",
        ),
        Column("Points", "points", number=True, form=points),
        Column("Severity", severity_of, drop=1),
        Column("q", "q", number=True, drop=2, form=q_value),
    ]
    intro = f"{counted(len(result.findings), 'pattern')} that the {unit.best}s have more often than a random choice would; {count(n_tested)} were tested. Patterns that add nothing to a stronger one are listed under it."
    table = table_of(
        result.findings,
        columns,
        "findings",
        below=below,
        limit=MAX_FINDINGS,
        what="patterns",
        file="findings.json",
        open=20,
        screen=10,
    )
    return Section("findings", title, [Paragraph(intro), *table], on=REPORT_AND_SCREEN)


def pattern_span(name: str) -> Span:
    """The name of a pattern."""
    return Span(cut(name, PATTERN_LIMIT), "pattern")


def _share_cell(finding: Finding) -> Cell:
    chance = Span(f" chance {percent(finding.base_rate)}", "quiet")
    bar = charts.share_bar(finding.label_share, finding.base_rate, colour="l0")
    return Cell([Span(percent(finding.label_share), "strong"), chance], bar)


def _example(example: ChoiceExample, unit: Unit) -> Block:
    """A question and its candidates, a line each: the right one in bold, and which have the pattern."""
    items: list[Words] = [[Span(f"Row {cut(example.id)} ", "quiet"), prompt_span(example.prompt)]]
    for at, has in enumerate(example.has):
        is_right = at == example.right
        notes = [unit.right] * is_right + ["has it"] * has
        note = Span(f" ← {', '.join(notes)}", "quiet") if notes else ""
        items.append([*option_words(example.candidates[at], at, is_right=is_right), note])
    return Bullets(items, "options")


def prompt_span(prompt: str) -> Span:
    """The prompt of a question on one line."""
    return Span(cut(prompt, TEXT_LIMIT) if prompt else "", "data")


def option_words(text: str, at: int, *, is_right: bool) -> list[str | Span]:
    """A candidate with the letter of its place; the right one in bold, spaces at the ends shown."""
    before, behind = ("␣" if end.isspace() else "" for end in (text[:1], text[-1:]))
    shown = f"{before}{cut(text, OPTION_LIMIT)}{behind}"
    return [Span(f"{place_letter(at)} ", "quiet"), Span(shown, "strong" if is_right else "data")]


def place_letter(at: int) -> str:
    """A to Z, then numbers."""
    return chr(65 + at) if at < 26 else str(at + 1)


def _effects_section(result: ChoiceAuditResult) -> list[Section]:
    effects, data = result.effects, result.dataset
    unit, n_pairs = UNITS[data.kind], data.sizes.get("2", 0)
    if not effects:
        return []
    columns = [
        Column("Feature", "name", form=pattern_span),
        Column("Pairs", "pairs", number=True, drop=2),
        Column("Preferred", _preferred, number=True),
        Column("At equal length", _at_equal_length, number=True, drop=1),
    ]
    lead = f"How often the {unit.candidate} with more of a feature is preferred, among the pairs in which the two differ. At equal length: what remains when length is accounted for."
    n_clear = sum(is_clear(one.low, one.high) for one in effects)
    n_left = sum(is_clear(one.equal_low, one.equal_high) for one in effects)
    found = f"{counted(n_clear, 'feature')} of {count(len(effects))} make a difference as they are, {count(n_left)} at equal length."
    if n_pairs < data.used and data.kind == "ranking":
        found += f" Compared: the {unit.best} of each {unit.question} with each other one; the interval allows for pairs of one {unit.question} being related."
    elif n_pairs < data.used:
        found += f" Compared: {count(n_pairs)} of {counted(data.used, unit.question)}, those with two {unit.candidate}s."
    table = table_of(effects, columns, limit=40, what="features", file="findings.json", open=20, screen=8)
    blocks = [Paragraph(lead, "lead"), Paragraph(found), *table]
    return [Section("style", "What is preferred", blocks, on=REPORT_AND_SCREEN)]


def is_clear(low: float | None, high: float | None) -> bool:
    """Whether an interval leaves out one half; None is no interval."""
    return low is not None and high is not None and not low <= 0.5 <= high


def _preferred(one: StyleEffect) -> Cell:
    words = with_interval(one.share, one.low, one.high, is_clear=is_clear(one.low, one.high))
    return Cell(words, charts.share_bar(one.share, 0.5, colour="l0"))


def _at_equal_length(one: StyleEffect) -> Words | None:
    share, low, high = one.equal_share, one.equal_low or 0.0, one.equal_high or 0.0
    return None if share is None else with_interval(share, low, high, is_clear=is_clear(low, high))


def _judges_section(report: JudgeReport | None) -> list[Section]:
    if report is None:
        return []

    def chosen_share(one: Share) -> Words:
        return with_interval(one.share, one.low, one.high, is_clear=one.is_off)

    columns = [
        Column("Prefers", "name"),
        Column("Judge", "judge", drop=1, form=cut),
        Column("Votes", "n", number=True, drop=2),
        Column("Share", chosen_share, number=True),
        Column("Fair", "expected", number=True, form=percent),
    ]
    shares = [replace(one, judge=one.judge or "all") for one in (*report.shares, report.order) if one]
    n_votes = counted(sum(report.votes.values()), "vote")
    blocks: Blocks = [Paragraph(f"{n_votes}, {count(report.ties)} of them ties.")]
    blocks += table_of(shares, columns, open=20, screen=12)
    own = [one for one in report.shares if one.name == OWN]
    if any(one.expected is not None for one in own):
        blocks.append(Paragraph(OWN_NOTE, "quiet"))
    if any(one.expected is None for one in own):
        blocks.append(Paragraph(NOT_SEPARATED, "quiet"))
    if not report.is_named and report.order:
        blocks.append(Paragraph(NO_JUDGES))
    return [Section("judges", "The judges", blocks, on=REPORT_AND_SCREEN)]


def _data_section(data: ChoiceSummary) -> Section:
    unit = UNITS[data.kind]
    sizes = ", ".join(f"{count(n)} with {size}" for size, n in data.sizes.items())
    facts: list[tuple[Words, Words]] = [("Candidates", sizes)]
    if data.places:
        total = sum(data.places) or 1
        names = [place_name(at, unit.candidate).removeprefix("option ") for at in range(len(data.places))]
        shares = [f"{name} {percent(n / total)}" for name, n in zip(names, data.places, strict=True)]
        facts.append((f"{unit.best.capitalize()} at", ", ".join(shares)))
    return Section("data", "Candidates and places", [Facts(facts)])
