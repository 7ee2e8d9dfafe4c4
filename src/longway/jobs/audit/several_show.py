"""The page of the audits of several labels: a table with one row per label, and the strongest patterns of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from urllib.parse import quote

from longway.data.label_lists import tag_name
from longway.detect.severity import SEVERITIES, severity_of, too_few, undecided
from longway.jobs.audit.several import N_STRONGEST, AuditLabelsResult, LabelAudit, LeftOut
from longway.jobs.audit.show import by_severity, leak_words, pattern_words
from longway.records import Finding
from longway.show.excerpts import PATTERN_LIMIT, cut
from longway.show.labels import part_name, setting_rows
from longway.show.numbers import NONE, count, counted, percent, points
from longway.show.sections import (
    REPORT,
    REPORT_AND_SCREEN,
    SCREEN,
    Blocks,
    Bullets,
    Column,
    KeyFigure,
    Only,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    left_out,
)

ON_SCREEN = 10  # patterns on the terminal
MAX_PATTERNS = 50
OPEN_PATTERNS = 20
SHORT_NAME = 15  # characters of a label's name on the terminal
N_NAMED = 12  # tags that were left out


def labels_page(result: AuditLabelsResult) -> Page:
    """All sections of the audits of several labels."""
    dataset = result.labels[0].audit.dataset
    columns = {role: dataset.fields.get(role) for role in ("text", "context")}
    used = ", ".join(f"{role} = {cut(name)}" for role, name in columns.items() if name)
    predictable = [label for label in result.labels if label.is_predictable]
    severe = sum(label.severities[name] for label in result.labels for name in SEVERITIES[:2])
    return Page(
        kicker="Longway audit",
        title=cut(f"Audit of {counted(len(result.labels), 'label')} of {dataset.name}", PATTERN_LIMIT),
        verdict=verdict(result.labels),
        facts=[
            ("Dataset", cut(dataset.name, PATTERN_LIMIT)),
            ("Columns", used),
            ("Labels", _recognised(result)),
            ("Made", cut(result.created)),
        ],
        figures=[
            KeyFigure(
                "Rows",
                count(dataset.rows),
                f"in the split {cut(dataset.split)}" if dataset.split else "in the data",
            ),
            KeyFigure("Labels", count(len(result.labels)), "one audit each"),
            KeyFigure("Better than chance", count(len(predictable)), "from part of the input alone"),
            KeyFigure("Critical and high findings", count(severe), "of all labels"),
        ],
        sections=[
            _labels_section(result),
            *_patterns_section(result.labels),
            *_left_out_section(result.left_out),
        ],
        version=result.longway,
        fingerprint=result.fingerprint,
        streamed=dataset.streamed,
        settings=setting_rows(asdict(result.settings), source="labels.json"),
    )


def verdict(labels: Sequence[LabelAudit]) -> str:
    """The result over all labels in one sentence."""
    leaks = [(label, label.leak) for label in labels if label.leak is not None]
    if not leaks:
        return "The leak could not be measured for any label."
    label, leak = max(leaks, key=lambda one: one[1].low - one[1].majority)
    parts = {part_name(one) for _, one in leaks}
    source = f"From {parts.pop() if len(parts) == 1 else 'one part of the input'} alone a simple model"
    n = sum(one.is_predictable for one in labels)
    if n:
        which = "the label" if len(labels) == 1 else f"{n} of {len(labels)} labels"
        most = "" if n == 1 else "most of all "
        return (
            f"{source} predicts {which} better than chance: {most}{cut(label.name)}, {leak.accuracy:.0%} right "
            f"(chance is {leak.majority:.0%})."
        )
    if any(one.audit.findings for one in labels):
        return f"{source} predicts no label better than chance, but some patterns predict one."
    if unclear := undecided(one for label in labels for one in label.audit.measured_leaks):
        return too_few(unclear, f"from {part_name(unclear)} alone")
    return f"{source} predicts no label better than chance."


def _recognised(result: AuditLabelsResult) -> str:
    """The label columns; for lists, that they were recognised and how many tags are audited."""
    columns: dict[str, list[LabelAudit]] = {}
    for label in result.labels:
        columns.setdefault(label.column, []).append(label)
    words = []
    for column, labels in columns.items():
        name = cut(column)
        if labels[0].tag is None:
            words.append(name)
            continue
        n_all = len(labels) + sum(tag.column == column for tag in result.left_out)
        words.append(
            f"{name} holds lists: one audit per tag, {count(len(labels))} of {counted(n_all, 'tag')}"
        )
    return ", ".join(words)


def _labels_section(result: AuditLabelsResult) -> Section:
    columns = [
        Column("Label"),
        Column("Rows", number=True),
        Column("Share", number=True),
        Column("Leak", number=True),
        Column("Chance", number=True),
        *(Column(name.capitalize(), number=True) for name in SEVERITIES),
        Column("Strongest patterns", screen=False),
    ]
    rows = [_label_row(label, is_linked=result.folder is not None) for label in result.labels]
    narrow = [
        Column("Label"),
        *(
            Column(name, number=True)
            for name in ("Rows", "Share", "Leak (95%)", "Chance", "Crit.", "High", "Low")
        ),
    ]
    lead = (
        "Each label has an audit of its own. Share: of the label, or of the named value. Leak: how often a simple model that "
        "sees one part of the input predicts the label, with its 95% interval; chance is the accuracy of always predicting the most frequent "
        "value, which is high for a rare label. Critical, high, low: findings by severity."
    )
    return Section(
        "labels",
        "Labels",
        [
            Paragraph(lead, "lead"),
            Only(REPORT, [Table(columns, rows, "labels")]),
            Only(SCREEN, [Table(narrow, [_narrow_row(label) for label in result.labels])]),
        ],
        on=REPORT_AND_SCREEN,
    )


def _label_row(label: LabelAudit, *, is_linked: bool) -> Row:
    link = f"{quote(label.folder)}/report.html" if is_linked else ""
    strongest = by_severity(label.audit.findings)[:N_STRONGEST]
    names = ", ".join(f"“{cut(str(finding.pattern))}”" for finding in strongest)
    value = [] if label.tag is not None else [Span(f" {cut(label.value)}", "quiet")]
    leak = NONE if label.leak is None else leak_words(label.leak)
    chance = NONE if label.leak is None else percent(label.leak.majority)
    return Row(
        [
            Span(cut(label.name), "data", link=link),
            count(label.audit.dataset.used),
            [percent(label.share), *value],
            leak,
            chance,
            *(count(n) for n in label.severities.values()),
            names or NONE,
        ]
    )


def _narrow_row(label: LabelAudit) -> Row:
    """The row for a terminal of 80 columns."""
    cells = list(_label_row(label, is_linked=False).cells[:-1])
    cells[0] = Span(cut(label.name, SHORT_NAME), "strong")
    cells[2] = percent(label.share)
    return Row(cells)


def _patterns_section(labels: Sequence[LabelAudit]) -> list[Section]:
    """The strongest patterns of all labels together."""
    found = [(label, finding) for label in labels for finding in label.audit.findings]
    found.sort(key=lambda one: (SEVERITIES.index(severity_of(one[1])), -one[1].points))
    if not found:
        return []
    columns = [
        Column("Pattern"), Column("Label"), Column("Severity"), Column("Predicts"), Column("Rows", number=True), Column("Share", number=True),
        Column("Points", number=True),
    ]  # fmt: skip
    rows = [_pattern_row(label, finding) for label, finding in found[:MAX_PATTERNS]]
    lead = "The worst first. Points: what the pattern alone is worth, in percentage points of accuracy. The report of each label explains all terms."
    table = Table(columns, rows, "labels", open=OPEN_PATTERNS, more="patterns", screen=ON_SCREEN)
    blocks: Blocks = [Paragraph(lead, "lead"), table]
    if n_more := max(len(found) - MAX_PATTERNS, 0):
        blocks.append(Only(REPORT, [Paragraph(f"{n_more:,} more are in the reports of the labels.", "rest")]))
    return [Section("patterns", "Strongest patterns of all labels", blocks, on=REPORT_AND_SCREEN)]


def _pattern_row(label: LabelAudit, finding: Finding) -> Row:
    severity = severity_of(finding)
    return Row(
        [
            pattern_words(finding),
            Span(cut(label.name, SHORT_NAME), "data"),
            Span(severity, f"severity {severity}"),
            Span(cut(finding.label, SHORT_NAME), "data"),
            count(finding.count),
            percent(finding.label_share),
            points(finding.points),
        ]
    )


def _left_out_section(tags: Sequence[LeftOut]) -> list[Section]:
    if not tags:
        return []
    by_reason: dict[str, list[LeftOut]] = {}
    for tag in tags[:N_NAMED]:
        by_reason.setdefault(tag.reason, []).append(tag)
    reasons = [
        f"{reason.capitalize()}: {', '.join(f'{tag_name(cut(tag.tag))} ({count(tag.rows)})' for tag in named)}."
        for reason, named in by_reason.items()
    ]
    blocks: Blocks = [Bullets(reasons), *left_out(max(len(tags) - N_NAMED, 0), "tags", "labels.json")]
    return [Section("left-out", "Tags that were not audited", blocks, on=REPORT_AND_SCREEN)]
