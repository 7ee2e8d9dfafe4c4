"""The page of the audits of several labels: a table with one row per label, and the strongest patterns of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import NamedTuple
from urllib.parse import quote

from longway.data.label_lists import tag_name
from longway.detect.severity import SEVERITIES, severity_of, too_few, undecided
from longway.jobs.audit.page import by_severity, pattern_words, quoted, severity_span
from longway.jobs.audit.several import N_STRONGEST, AuditLabelsResult, LabelAudit, LeftOut
from longway.records import Finding
from longway.report.excerpts import PATTERN_LIMIT, cut
from longway.report.labels import leak_words, part_name, setting_rows
from longway.report.numbers import NONE, count, counted, percent, points
from longway.report.sections import (
    REPORT_AND_SCREEN,
    Blocks,
    Bullets,
    Column,
    KeyFigure,
    Page,
    Paragraph,
    Section,
    Span,
    Words,
    left_out,
    table_of,
)

SHORT_NAME = 15  # characters of a label's name beside a pattern
N_NAMED = 12  # tags that were left out


def labels_page(result: AuditLabelsResult) -> Page:
    """All sections of the audits of several labels."""
    dataset = result.labels[0].audit.dataset
    columns = {role: dataset.fields.get(role) for role in ("text", "context")}
    used = ", ".join(f"{role} = {cut(name)}" for role, name in columns.items() if name)
    n_predictable = sum(label.is_predictable for label in result.labels)
    severe = sum(label.severities[name] for label in result.labels for name in SEVERITIES[:2])
    n_labels = len(result.labels)
    of_split = f"in the split {cut(dataset.split)}" if dataset.split else "in the data"
    return Page(
        kicker="Longway audit",
        title=cut(f"Audit of {counted(n_labels, 'label')} of {dataset.name}", PATTERN_LIMIT),
        verdict=verdict(result.labels),
        facts=[
            ("Dataset", cut(dataset.name, PATTERN_LIMIT)),
            ("Columns", used),
            ("Labels", _recognised(result)),
            ("Made", cut(result.created)),
        ],
        figures=[
            KeyFigure("Rows", count(dataset.rows), of_split),
            KeyFigure("Labels", count(n_labels), "one audit each"),
            KeyFigure("Better than chance", count(n_predictable), "from part of the input alone"),
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
    words = []
    for column in dict.fromkeys(label.column for label in result.labels):
        n = sum(label.column == column and label.tag is not None for label in result.labels)
        n_all = n + sum(tag.column == column for tag in result.left_out)
        lists = f" holds lists: one audit per tag, {count(n)} of {counted(n_all, 'tag')}" if n else ""
        words.append(cut(column) + lists)
    return ", ".join(words)


def _labels_section(result: AuditLabelsResult) -> Section:
    columns = [
        Column("Label", partial(_label_link, is_linked=result.folder is not None)),
        Column("Rows", "audit.dataset.used", number=True, drop=2),
        Column("Share", _label_share, number=True, drop=1),
        Column("Leak (95%)", "leak", number=True, form=leak_words),
        Column("Chance", "leak.majority", number=True, form=percent),
        *(Column(name.capitalize(), partial(_of_severity, name), number=True) for name in SEVERITIES),
        Column("Strongest patterns", _strongest, screen=False),
    ]
    lead = (
        "Each label has an audit of its own. Share: of the label, or of the named value. Leak: how often a simple model that "
        "sees one part of the input predicts the label, with its 95% interval; chance is the accuracy of always predicting the most frequent "
        "value, which is high for a rare label. Critical, high, low: findings by severity."
    )
    blocks = [Paragraph(lead, "lead"), *table_of(result.labels, columns, "labels")]
    return Section("labels", "Labels", blocks, on=REPORT_AND_SCREEN)


def _label_link(label: LabelAudit, is_linked: bool) -> Span:
    link = f"{quote(label.folder)}/report.html" if is_linked else ""
    return Span(cut(label.name), "data", link=link)


def _label_share(label: LabelAudit) -> Words:
    """The share of the label, with the value that is counted; a tag is present or not."""
    value = [] if label.tag is not None else [Span(f" {cut(label.value)}", "quiet")]
    return [percent(label.share), *value]


def _of_severity(name: str, label: LabelAudit) -> int:
    return label.severities[name]


def _strongest(label: LabelAudit) -> str:
    strongest = by_severity(label.audit.findings)[:N_STRONGEST]
    return ", ".join(map(quoted, strongest)) or NONE


def _patterns_section(labels: Sequence[LabelAudit]) -> list[Section]:
    """The strongest patterns of all labels together."""
    found = [_LabelFinding(label, finding) for label in labels for finding in label.audit.findings]
    found.sort(key=_worst_first)
    columns = [
        Column("Pattern", "finding", form=pattern_words),
        Column("Label", "label.name", form=_short_name),
        Column("Severity", "finding", form=severity_span),
        Column("Predicts", "finding.label", form=_short_name),
        Column("Rows", "finding.count", number=True),
        Column("Share", "finding.label_share", number=True, form=percent),
        Column("Points", "finding.points", number=True, form=points),
    ]
    lead = "The worst first. Points: what the pattern alone is worth, in percentage points of accuracy. The report of each label explains all terms."
    table = table_of(
        found,
        columns,
        "labels",
        limit=50,
        what="patterns",
        file="the reports of the labels",
        open=20,
        screen=10,
    )
    blocks = [Paragraph(lead, "lead"), *table]
    return (
        [Section("patterns", "Strongest patterns of all labels", blocks, on=REPORT_AND_SCREEN)]
        if found
        else []
    )


class _LabelFinding(NamedTuple):
    label: LabelAudit
    finding: Finding


def _worst_first(one: _LabelFinding) -> tuple[int, float]:
    return SEVERITIES.index(severity_of(one.finding)), -one.finding.points


def _short_name(name: str) -> Span:
    return Span(cut(name, SHORT_NAME), "data")


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
    blocks: Blocks = [Bullets(reasons), *left_out(len(tags) - N_NAMED, "tags", "labels.json")]
    return [Section("left-out", "Tags that were not audited", blocks, on=REPORT_AND_SCREEN)]
