"""The page of a score: Table 2 for every perturber, by axis and attribute, Table 8 if several people rewrote a text, rows to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isfinite

from longway.jobs.change_show import SHEET, cost_section
from longway.jobs.perturb_score.result import (
    FILE,
    REWRITES_FILE,
    NamedAgreement,
    PartScore,
    PerturbScoreResult,
    ScoredRewrite,
)
from longway.metrics.intervals import Measurement
from longway.show.differences import versions
from longway.show.excerpts import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.show.labels import setting_rows
from longway.show.numbers import NONE, count, counted
from longway.show.sections import (
    REPORT,
    SCREEN,
    Block,
    Bullet,
    Bullets,
    Card,
    Cards,
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
    left_out,
)

MAX_REASONS = 12
MAX_PERTURBERS = 12
MANY = 4  # columns of figures with intervals on a terminal
PAPER: Words = [
    "For comparison, the paper reports on PANDA (Table 2): its network BLEU 86.7, ROUGE-2 90.9, distance 5.20; AugLy 80.6, 87.2, 7.88; "
    "TextFlint 72.3, 78.3, 9.25. Other texts have other figures."
]
PAPER_AGREEMENT = (
    "For comparison, the paper's Table 8 (people with each other, premises of NLI data in PANDA): full 73.65, tokens 94.84, sacreBLEU 92.85, "
    "ROUGE-1 94.44, ROUGE-2 89.92, ROUGE-L 94.32, ROUGE-Lsum 94.32, distance 0.06."
)
READING: list[tuple[Words, Words]] = [
    ("Source copied", "The text before, unchanged. Most words of a text stay, so this is close to what people wrote as well. A perturber is of use only where it is closer."),
    ("BLEU", "Shared words and phrases, 0 to 100, by sacrebleu over all rows. Upper and lower case count."),
    ("ROUGE-2", "F1 of shared word pairs, 0 to 100, lower case, mean over rows."),
    ("Distance", "Words to insert, delete or replace to get what the person wrote, mean over rows; lower is better. Words and punctuation marks as written; white space does not count."),
    ("Exact", "Percentage of rows that are word for word what the person wrote. People differ, too: with another name, a correct rewrite is not exact."),
    ("Unchanged", "Percentage of rows that came back as they were; in brackets those that were refused with a reason. They count like any other row."),
    ("Perplexity", "How surprised a network is by what the person wrote, per token; 1 is not at all. Only networks have one, and tokens differ between networks."),
    ("Intervals", "95%, by resampling texts: where the figure would be for other texts of the same kind."),
]  # fmt: skip
READING_AGREEMENT: list[tuple[Words, Words]] = [
    ("Full and token agreement", "Of several rewrites of the same text, the percentage that are equal to the most frequent one; the same at each token position, mean over positions (appendix D of the paper). Two rewrites that differ have 50."),
    ("The other measures", "Every two rewrites are compared in both directions; the distance is a share of the longer one's words. A perturber is compared with each person, two at a time."),
]  # fmt: skip
NOTE: Words = [
    Span("What this does not prove.", "strong"),
    " A perturber that is close to these people may be far from others, and a rewrite may differ from theirs and be right. Read the rows "
    "below. Perturbed data does not make a model fair.",
]


def score_page(result: PerturbScoreResult) -> Page:
    """All sections of a score."""
    return Page(
        kicker="Longway perturb score",
        title=cut(f"Perturbers on {result.data}", PATTERN_LIMIT),
        verdict=verdict(result),
        facts=[
            ("Data", cut(result.data, PATTERN_LIMIT)),
            ("Perturbers", cut(", ".join(one.name for one in result.perturbers[1:]), PATTERN_LIMIT)),
            ("Made", cut(result.created, NAME_LIMIT)),
        ],
        figures=_key_figures(result),
        figures_style=f"of{min(3, len(_key_figures(result)))}",
        sections=[
            _overall_section(result),
            *_parts_sections(result),
            *_agreement_section(result),
            *_refused_section(result),
            *_skipped_section(result),
            *_examples_section(result),
            *([cost_section(result.cost, budget=result.budget, file=FILE)] if result.cost else []),
            Section("reading", "How to read this", [Facts(_reading(result), "reading"), Paragraph(NOTE, "note")]),
        ],
        sheets=("fairness.css", SHEET),
        version=result.longway,
        fingerprint=result.fingerprint,
        settings=setting_rows(result.settings, source="run.json"),
    )  # fmt: skip


def verdict(result: PerturbScoreResult) -> str:
    """Which perturber is closest to people by BLEU, and whether it is closer than the source copied."""
    copied, *others = result.perturbers
    best = max(others, key=lambda one: one.overall.bleu.value)
    part, base = best.overall, copied.overall
    which = cut(best.name, NAME_LIMIT) if len(others) == 1 else f"{cut(best.name, NAME_LIMIT)}, the closest,"
    if part.bleu.value <= base.bleu.value:
        return (
            f"No perturber is closer to what people wrote than the source copied unchanged: {which} has a BLEU of {part.bleu.value:.1f} "
            f"against {base.bleu.value:.1f} ({counted(result.rows, 'row')})."
        )
    return (
        f"Of {counted(result.rows, 'rewrite')} by people, {which} writes {_plain(part.exact)}% word for word, with a BLEU of "
        f"{_plain(part.bleu)} against {_plain(base.bleu)} of the source copied unchanged."
    )


def _key_figures(result: PerturbScoreResult) -> list[KeyFigure]:
    return [
        KeyFigure(
            cut(one.name, NAME_LIMIT),
            _plain(one.overall.bleu),
            f"BLEU; {_plain(one.overall.exact)}% exact; distance {_plain(one.overall.distance, 2)}",
        )
        for one in result.perturbers[:MAX_PERTURBERS]
    ]


def _reading(result: PerturbScoreResult) -> list[tuple[Words, Words]]:
    return [*READING, *(READING_AGREEMENT if result.agreement else [])]


# Table 2

Figure = str | tuple[Measurement, int]  # with the digits to show


def _plain(figure: Measurement, digits: int = 1) -> str:
    return f"{figure.value:.{digits}f}" if isfinite(figure.value) else NONE


def _overall_section(result: PerturbScoreResult) -> Section:
    scored = result.perturbers[:MAX_PERTURBERS]
    names = ("BLEU", "ROUGE-2", "Distance", "Exact, %", "Unchanged, %", "Perplexity")
    about = f"{counted(result.rows, 'row')} of {counted(result.texts, 'text')}."
    lead = f"{about} Each perturber got the text, the word and the target attribute of the file. After Table 2 of Qian et al. 2022."
    tables = _tables("Perturber", names, {one.name: _measures(one.overall) for one in scored})
    blocks: list[Block] = [Paragraph(lead, "lead"), *tables, Paragraph(PAPER, "rest")]
    return Section("overall", "Against what people wrote", blocks, on=REPORT | SCREEN)


def _tables(head: str, names: Sequence[str], values: Mapping[str, Sequence[Figure]]) -> list[Block]:
    """A row per name with its measures; on the terminal, where that is too wide, a row per measure, without intervals if there are many."""
    columns = [Column(head), *(Column(name, number=True) for name in names)]
    rows = [
        Row([Span(cut(name, NAME_LIMIT), "data"), *(_shown(cell) for cell in cells)])
        for name, cells in values.items()
    ]
    turned = [Column(""), *(Column(cut(name, NAME_LIMIT), number=True) for name in values)]
    plain = len(values) > MANY
    measures = [
        Row([name, *(_shown(cell, plain=plain) for cell in cells)])
        for name, *cells in zip(names, *values.values(), strict=True)
    ]
    return [Only(REPORT, [Table(columns, rows, "figures-only")]), Only(SCREEN, [Table(turned, measures)])]


def _shown(cell: Figure, *, plain: bool = False) -> Words:
    if isinstance(cell, str):
        return cell
    return _plain(*cell) if plain else _narrow(*cell)


def _measures(part: PartScore) -> list[Figure]:
    known = NONE if part.perplexity is None else (part.perplexity, 2)
    return [(part.bleu, 1), (part.rouge2, 1), (part.distance, 2), (part.exact, 1), _unchanged(part), known]


def _unchanged(part: PartScore) -> str:
    refused = f" ({count(part.refused)} refused)" if part.refused else ""
    return f"{_plain(part.unchanged)}{refused}"


def _parts_sections(result: PerturbScoreResult) -> list[Section]:
    """The same figures by axis and by target attribute, if there are several; on the terminal without intervals."""
    axes = [part.name for part in result.perturbers[0].parts if part.axis and not part.attribute]
    attributes = [part.name for part in result.perturbers[0].parts if part.attribute]
    return [
        Section(
            f"by-{id_}",
            heading,
            [
                Paragraph("The same measures for rows with the same target.", "lead"),
                Only(REPORT, [_parts_table(result, names, head, _narrow)]),
                Only(SCREEN, [_parts_table(result, names, head, _plain)]),
            ],
            on=REPORT | SCREEN,
        )
        for id_, heading, head, names in (
            ("axis", "By axis", "Axis", axes),
            ("attribute", "By target attribute", "To", attributes),
        )
        if len(names) > 1
    ]


def _parts_table(
    result: PerturbScoreResult, names: Sequence[str], head: str, shown: Callable[[Measurement, int], Words]
) -> Table:
    columns = [
        Column(head),
        Column("Rows", number=True),
        Column("Perturber"),
        Column("BLEU", number=True),
        Column("ROUGE-2", number=True),
        Column("Distance", number=True),
        Column("Exact, %", number=True),
        Column("Unchanged, %", number=True, drop=1),
    ]
    rows = []
    for name in names:
        for place, one in enumerate(result.perturbers[:MAX_PERTURBERS]):
            part = next(part for part in one.parts if part.name == name)
            cells = [("" if place else name.rpartition(":")[2]), ("" if place else count(part.rows))]
            figures = [
                shown(part.bleu, 1),
                shown(part.rouge2, 1),
                shown(part.distance, 2),
                shown(part.exact, 1),
            ]
            rows.append(Row([*cells, Span(cut(one.name, NAME_LIMIT), "data"), *figures, _unchanged(part)]))
    return Table(columns, rows, "figures-only")


def _narrow(figure: Measurement, digits: int = 1) -> Words:
    """The figure with its interval."""
    if not isfinite(figure.low):
        return _plain(figure, digits)
    return [
        _plain(figure, digits),
        " ",
        Span(f"{figure.low:.{digits}f}–{figure.high:.{digits}f}", "quiet"),
    ]


# Table 8


def _agreement_section(result: PerturbScoreResult) -> list[Section]:
    if not result.agreement:
        return []
    names = ("Full, %", "Tokens, %", "sacreBLEU", "ROUGE-1", "ROUGE-2", "ROUGE-L", "ROUGE-Lsum", "Distance")
    lead = (
        f"{count(result.agreement[0].tasks)} times, several rows rewrite the same person of a text. How much do these people agree, and how much "
        "does a perturber agree with them? A row that is in the file twice counts as two people who agree."
    )
    tables = _tables("Who", names, {one.name: _agreements(one) for one in result.agreement})
    blocks: list[Block] = [Paragraph(lead, "lead"), *tables, Paragraph(PAPER_AGREEMENT, "rest")]
    return [Section("agreement", "Agreement with people", blocks, on=REPORT | SCREEN)]


def _agreements(one: NamedAgreement) -> list[Figure]:
    figures = (one.full, one.tokens, one.bleu, one.rouge1, one.rouge2, one.rouge_l, one.rouge_lsum)
    return [*((figure, 1) for figure in figures), (one.distance, 2)]


# What was not rewritten, and rows to read


def _refused_section(result: PerturbScoreResult) -> list[Section]:
    blocks: list[Block] = []
    for one in result.perturbers:
        if not one.refused:
            continue
        items = [
            Bullet(Span(cut(why.reason, TEXT_LIMIT), "data"), count(why.count))
            for why in one.refused[:MAX_REASONS]
        ]
        blocks += [
            Heading(Span(cut(one.name, NAME_LIMIT), "data")),
            Bullets(items, "objections"),
            *left_out(max(len(one.refused) - MAX_REASONS, 0), "reasons are", FILE),
        ]
    if result.failed_calls:
        n = sum(why.count for why in result.failed_calls)
        words = f"{counted(n, 'call')} to a language model failed: {cut(result.failed_calls[0].reason, TEXT_LIMIT)}. The same command asks again."
        blocks.append(Paragraph(words, "note"))
    return [Section("refused", "Why rows were refused", blocks, on=REPORT | SCREEN)] if blocks else []


def _skipped_section(result: PerturbScoreResult) -> list[Section]:
    items = [
        Bullet(Span(cut(why.reason, TEXT_LIMIT), "data"), count(why.count))
        for why in result.skipped[:MAX_REASONS]
    ]
    if long := max((one.unlikely for one in result.perturbers), default=0):
        items.append(Bullet("too long for a network: no perplexity", count(long)))
    if not items:
        return []
    return [Section("skipped", "Rows that were not scored", [Bullets(items, "problems")], on=REPORT | SCREEN)]


def _examples_section(result: PerturbScoreResult) -> list[Section]:
    if not result.examples:
        return []
    lead = f"A random sample of rows in which a perturber and a person differ. All rewrites are in {REWRITES_FILE}."
    blocks: list[Block] = [Paragraph(lead, "lead")]
    for name in dict.fromkeys(one.perturber for one in result.examples):
        cards = [_card(one) for one in result.examples if one.perturber == name]
        blocks += [Heading(Span(cut(name, NAME_LIMIT), "data")), Cards(cards, open=4, more="rows")]
    return [Section("examples", "Rows to read", blocks)]


def _card(one: ScoredRewrite) -> Card:
    wanted, wrote = versions(one.wanted, one.wrote)
    between: list[Block] = [
        Facts([("The text before", cut(one.before, TEXT_LIMIT))], "versions whole"),
        Facts([("A person wrote", wanted), (f"{cut(one.perturber, NAME_LIMIT)} wrote", wrote)], "versions"),
    ]
    if one.reason:
        reason = Span(cut(one.reason, TEXT_LIMIT), "data")
        between.append(Paragraph([Span("Refused: ", "quiet"), reason], "kept"))
    return Card(
        facts=[
            Span(cut(one.target, PATTERN_LIMIT), "data"),
            [Span("chosen word ", "quiet"), Span(cut(one.word, NAME_LIMIT), "strong")],
            Span(f"distance {one.distance}", "quiet end"),
        ],
        between=between,
    )
