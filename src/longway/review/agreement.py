"""How far the raters of a sample agree, as tables: occurrence and agreement of each tag as in table 9 of the perturbation paper, and kappa.

agreement_table(pair)               one pair of raters; for the page of the sample
agreement_sections(contents, ...)   all samples; for the summary
agreement_page(contents, ...)       the same for the terminal
"""

from __future__ import annotations

from longway.errors import SettingError
from longway.metrics.judgements import Agreement
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.numbers import NONE, count, counted, percent
from longway.report.sections import (
    CARD,
    SCREEN,
    Blocks,
    Column,
    Heading,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
)
from longway.review.run_contents import RunContents
from longway.review.sampling import PairAgreement, RaterAgreement, finished_agreement, samples
from longway.review.tags import COMPLEMENTS, REASONS

MAX_PAIRS = 12
NOTE = (
    "Occurrence: at least one of the two gave the tag. Agreement: both gave it, or neither did. Kappa, with its 95% interval, corrects "
    "agreement for chance; it is not defined if nobody, or everybody, gave the tag."
)
COLUMNS = (
    Column("Tag"),
    Column("Items", number=True, drop=1),
    Column("Occurrence", number=True),
    Column("Agreement", number=True),
    Column("Cohen’s kappa", number=True, short="Kappa"),
)


def agreement_table(pair: PairAgreement) -> Table:
    """The agreement of two raters. Reasons that neither of them gave are left out, and so is one of the two verdicts."""
    shown = {} if pair.error is None else {"wrong": pair.error}
    tags = {name: on for name, on in pair.tags.items() if name not in COMPLEMENTS}
    shown |= {name: on for name, on in tags.items() if on.occurrence or name not in REASONS}
    return Table(COLUMNS, [Row([_name(name), *_cells(on)]) for name, on in shown.items()], "figures-only")


def alpha_table(found: RaterAgreement) -> Table:
    """Krippendorff's alpha of all raters, for tags that have one."""
    alphas = {"wrong": found.alpha, **found.alphas}
    rows = [
        Row([_name(name), f"{alpha:.2f}"])
        for name, alpha in alphas.items()
        if alpha is not None and name not in COMPLEMENTS
    ]
    return Table([Column("Tag"), Column("Krippendorff’s alpha", number=True)], rows, "figures-only")


def pair_name(pair: PairAgreement) -> str:
    """The two raters."""
    return " and ".join(cut(who) for who in pair.raters)


def agreement_sections(contents: RunContents, *, reader: str) -> list[Section]:
    """A section for each sample that two raters have finished; none of those that the reader is still rating."""
    sections = []
    for sample in samples(contents):
        found = finished_agreement(contents, sample.name, reader=reader)
        if found is not None:
            heading = f"Agreement on {cut(sample.name)}, {counted(sample.size, 'item')}"
            sections.append(Section("agreement", heading, _blocks(found), on=CARD | SCREEN))
    return sections


def agreement_page(contents: RunContents, *, reader: str) -> Page:
    """All samples that two raters have finished; SettingError if there is none."""
    sections = agreement_sections(contents, reader=reader)
    if not sections:
        raise SettingError(
            f"No sample of {contents.folder} has been rated to its end by two people, or you are still rating it. Expected at least "
            "one. Each person rates it with: longway review RUN --sample 300 --author NAME"
        )
    return Page(
        kicker="review",
        title=cut(f"Agreement of the raters of {contents.folder.name}", PATTERN_LIMIT),
        verdict=NOTE,
        facts=[],
        figures=[],
        sections=sections,
        version="",
        fingerprint="",
    )


def _blocks(found: RaterAgreement) -> Blocks:
    blocks: Blocks = []
    for pair in found.pairs[:MAX_PAIRS]:
        blocks += [Heading(Span(pair_name(pair), "data")), agreement_table(pair)]
    if more := len(found.pairs) - MAX_PAIRS:
        blocks += [Paragraph(f"{counted(more, 'more pair')} not shown.", "rest")] if more > 0 else []
    if found.alphas:
        blocks += [Heading("All raters"), alpha_table(found)]
    return blocks


def _name(name: str) -> Words:
    return [Span(f"– {name}", "quiet")] if name in REASONS else name


def _cells(on: Agreement) -> list[Words]:
    kappa = NONE
    if on.kappa is not None:
        kappa = f"{on.kappa:.2f} ({on.low:.2f} to {on.high:.2f})"
    return [count(on.n), percent(on.occurrence), percent(on.percent), kappa]
