"""The review in a few tables of Markdown, to paste into a pull request: what the run did, what was decided, and by which rules.

    summary(contents, author="ada")       ->  "# Repair of reviews.jsonl ... ## Decisions ... ## By rule ..."
    summary_page(contents, author="ada")  ->  the same as sections

The figures of the run are those of its card; nothing in them is read as markup, whatever the data calls its labels.
"""

from __future__ import annotations

from dataclasses import replace

from longway.report import markdown
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.labels import setting_rows
from longway.report.numbers import count, counted, percent
from longway.report.sections import (
    CARD,
    Bullet,
    Bullets,
    Column,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
)
from longway.review.chosen import chosen
from longway.review.edit_list import EditFilter
from longway.review.pages.page_layout import CHOICES
from longway.review.pages.report_pages import report_of
from longway.review.run_contents import RunContents
from longway.review.sampling import sample_state, samples

MAX_RULES = 20
MAX_MARKED = 20


def summary(contents: RunContents, *, author: str) -> str:
    """The summary as Markdown. author: as in `summary_page`."""
    return markdown.render(summary_page(contents, author=author))


def summary_page(contents: RunContents, *, author: str) -> Page:
    """The summary. author: who reads it; raters of a sample do not see the results of others before their own."""
    report = report_of(contents)
    if not isinstance(report, Page):
        report = Page(
            kicker="",
            title=cut(f"Review of {contents.folder.name}", PATTERN_LIMIT),
            verdict="",
            facts=[],
            figures=[],
            sections=[],
            version=str(contents.about.get("versions", {}).get("longway", "")),
            fingerprint=str(contents.about.get("fingerprint", "")),
            settings=setting_rows(contents.settings, source="run.json"),
        )
    sections = [section for section in report.sections if CARD in section.on]
    return replace(report, sections=[*_review_sections(contents, author), *sections])


def _review_sections(contents: RunContents, author: str) -> list[Section]:
    sections = []
    if contents.has("edits"):
        sections.append(_decisions_section(contents))
        sections += _rules_section(contents)
    sections += _findings_section(contents)
    return sections + _sample_section(contents, author)


def _decisions_section(contents: RunContents) -> Section:
    """How many edits were accepted, rejected and written by hand, and by whom."""
    counts = _counts(contents, EditFilter(status="kept"))
    n_kept, decided = sum(counts.values()), contents.decisions.current("edit")
    authors = sorted({cut(one.author) for one in decided.values() if one.choice != "none"})
    n_refused = len(contents.edits.keys(EditFilter(status="refused", choice="accept")))
    rows = [Row([CHOICES["edit"][name], count(n), percent(n / max(n_kept, 1))]) for name, n in counts.items()]
    changed = sum(row.differs for row in chosen(contents))
    words = [f"{counted(n_kept, 'edit')} of the run are in the dataset."]
    words += [f"Reviewed by {', '.join(authors)}."] if authors else ["None is decided yet."]
    words += [f"{counted(n_refused, 'refused edit')} accepted by the review."] if n_refused else []
    words += [f"The review changes {counted(changed, 'row')} of it."] if changed else []
    words += ["Undecided edits stay as the run left them."] if counts["none"] else []
    return Section(
        "decisions",
        "Decisions",
        [Paragraph(" ".join(words), "lead"), Table([Column("Edits"), Column("Number", number=True), Column("Share", number=True)], rows, "figures-only")],
        on=CARD,
    )  # fmt: skip


def _counts(contents: RunContents, filter: EditFilter) -> dict[str, int]:
    """The number of edits of a filter by decision."""
    return {name: len(contents.edits.keys(replace(filter, choice=name))) for name in CHOICES["edit"]}


def _rules_section(contents: RunContents) -> list[Section]:
    groups = contents.edits.groups("rule")
    if not groups:
        return []
    rows = []
    for group in groups[:MAX_RULES]:
        counts = _counts(contents, EditFilter(status="kept", rule=group.name))
        rows.append(Row([Span(cut(group.name), "code"), count(group.n), *map(count, counts.values())]))
    columns = [Column("Rule"), Column("Edits", number=True)]
    columns += [Column(words.capitalize(), number=True) for words in CHOICES["edit"].values()]
    more = len(groups) - MAX_RULES
    rest = [Paragraph(f"{counted(more, 'more rule')} made fewer edits.")] if more > 0 else []
    lead = Paragraph("Edits that the run kept, by the rule that made them.", "lead")
    return [Section("rules", "By rule", [lead, Table(columns, rows, "figures-only"), *rest], on=CARD)]


def _findings_section(contents: RunContents) -> list[Section]:
    """Findings that somebody marked."""
    marked = [one for one in contents.all_findings() if one.choice != "none"]
    if not marked:
        return []
    items: list[Words | Bullet] = [
        [Span(cut(one.finding.pattern, PATTERN_LIMIT), "code"), f" ({cut(one.finding.label)}): {CHOICES['finding'][one.choice]}"]
        for one in marked[:MAX_MARKED]
    ]  # fmt: skip
    return [Section("marked", "Marked findings", [Bullets(items)], on=CARD)]


def _sample_section(contents: RunContents, author: str) -> list[Section]:
    """The estimated share of wrong edits, by samples that the author has rated."""
    lines: list[Words | Bullet] = []
    for one in samples(contents):
        wrong = sample_state(contents, one.name, rater=author).error
        if wrong is not None:
            interval = f"{percent(wrong.low)} to {percent(wrong.high)}"
            lines.append(
                f"Sample {cut(one.name)}, {counted(one.size, 'item')}: {percent(wrong.share)} of edits are wrong "
                f"(95% interval {interval})."
            )
    return [Section("sample", "Error rate", [Bullets(lines)], on=CARD)] if lines else []
