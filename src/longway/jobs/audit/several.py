"""Audits of several labels of one dataset: one for each label column, and one for each tag of a column of lists.

    audit_labels("comments.csv", ["toxic", "obscene"])    two label columns
    audit_labels("posts.jsonl", ["tags"])                 a column of lists: has a row the tag, or has it not?

A run folder has labels.json, report.html and one ordinary audit folder for each label. Finished audits are not repeated.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import ClassVar, Literal, Self
from unicodedata import normalize
from urllib.parse import quote

import polars as pl

from longway.data import Dataset, load
from longway.data.label_lists import tag_name
from longway.detect.severity import SEVERITIES, severity_of, too_few, undecided
from longway.errors import DataError, SettingError, with_checked_arguments
from longway.jobs.audit.gate import Limited, Limits, Reason, gate, one_line
from longway.jobs.audit.job import audit
from longway.jobs.audit.page import by_severity, quoted, strongest_leak, verdict
from longway.jobs.audit.result import AuditResult, Findings
from longway.jobs.audit.settings import AuditSettings
from longway.jobs.held_out import Arranged, arrange, loaded_tests
from longway.jobs.options import settings_from
from longway.jobs.results import check_version, page_of, readable
from longway.jobs.run import ActiveRun, RunIdentity, Watcher, Within, run_job
from longway.json_values import from_json
from longway.records import Leak
from longway.report.excerpts import PATTERN_LIMIT, cut, data_span
from longway.report.labels import leak_words, part_name, setting_rows
from longway.report.numbers import NONE, count, counted, percent
from longway.report.sections import (
    REPORT_AND_SCREEN,
    Column,
    KeyFigure,
    Page,
    Paragraph,
    Section,
    Span,
    Words,
    table_of,
)
from longway.store import now

COMMAND = "audit-labels"
FILE = "labels.json"
MAX_TAGS = 20  # audited of a column of lists, the most frequent ones
MIN_ROWS = 20  # with a tag, and without it
N_STRONGEST = 3  # patterns named for each label
NAMED = 5  # tags in an error
FOLDER_NAME = 40  # characters
N_NAMED = 12  # tags that were left out
RESERVED = {
    "con",
    "prn",
    "aux",
    "nul",
    *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)),
}  # on Windows


@dataclass(frozen=True, slots=True)
class LabelAudit:
    """The audit of one label. tag: None if the column holds one label per row. folder: the name of its folder in the run folder."""

    name: str
    column: str
    tag: str | None
    folder: str
    audit: AuditResult

    @property
    def value(self) -> str:
        """The label whose share is given: the tag, the second of two labels (1, true, yes), or the most frequent of several."""
        counts = self.audit.dataset.labels
        if self.tag is not None:
            return tag_name(self.tag)
        return list(counts)[-1] if len(counts) == 2 else max(counts, key=lambda label: counts[label])

    @property
    def share(self) -> float:
        """The share of the rows with that label."""
        return self.audit.dataset.labels.get(self.value, 0) / max(self.audit.dataset.used, 1)

    @property
    def leak(self) -> Leak | None:
        """The leak furthest above chance."""
        return strongest_leak(self.audit.measured_leaks)

    @property
    def is_predictable(self) -> bool:
        """Whether part of the input alone predicts the label better than chance."""
        return self.leak is not None and self.leak.low > self.leak.majority

    @property
    def severities(self) -> dict[str, int]:
        """Findings by severity."""
        counts = Counter(severity_of(finding) for finding in self.audit.findings)
        return {name: counts[name] for name in SEVERITIES}

    def to_dict(self) -> dict[str, object]:
        """An entry of labels.json."""
        audited = self.audit
        return {
            "label": self.name,
            "column": self.column,
            "tag": self.tag,
            "folder": self.folder,
            "rows": audited.dataset.used,
            "value": self.value,
            "count": audited.dataset.labels.get(self.value, 0),
            "share": self.share,
            "leak": None if self.leak is None else self.leak.to_dict(),
            "verdict": verdict(audited.measured_leaks, audited.findings),
            "findings": self.severities,
            "strongest": [
                {
                    "pattern": one.pattern.name,
                    "field": one.field,
                    "label": one.label,
                    "severity": severity_of(one),
                    "points": one.points,
                }
                for one in by_severity(audited.findings)[:N_STRONGEST]
            ],
        }


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A tag that was not audited, and why. rows: rows that have it."""

    tag: str
    column: str
    rows: int
    reason: str


@dataclass(frozen=True, slots=True, repr=False)
class AuditLabelsResult(Limited):
    """The audits of several labels, in the order of the columns and, for tags, the most frequent first.

    left_out: tags that were not audited. fingerprint: of the texts and all labels. folder: the run folder, if there is one.
    """

    file: ClassVar[str] = FILE
    command: ClassVar[str] = "audit"

    labels: tuple[LabelAudit, ...]
    left_out: tuple[LeftOut, ...]
    settings: AuditSettings
    fingerprint: str
    longway: str
    created: str
    folder: Path | None = field(default=None, compare=False)

    @property
    def audits(self) -> dict[str, AuditResult]:
        """The audit of each label, by its name."""
        return {label.name: label.audit for label in self.labels}

    @property
    def verdict(self) -> str:
        """The result in one sentence."""
        return self.page().verdict

    def reasons(
        self, limits: Limits, *, baseline: AuditLabelsResult | None = None
    ) -> dict[str, list[Reason]]:
        """Why each label does not pass, by its name; each reason names the label. A label that the baseline lacks is new as a whole."""
        found = {}
        for label in self.labels:
            before = None
            if baseline is not None:
                before = baseline.audits.get(label.name) or replace(label.audit, findings=Findings())
            found[label.name] = [
                replace(reason, message=f"{one_line(label.name)}: {reason.message}")
                for reason in gate(label.audit, limits, baseline=before)
            ]
        return found

    def over(self, limits: Limits, baseline: Self | None) -> list[Reason]:
        """The reasons of all labels."""
        return [reason for found in self.reasons(limits, baseline=baseline).values() for reason in found]

    @classmethod
    def from_dict(cls, content: object, folder: Path | None = None) -> Self:
        """The audits that a labels.json names, in its run folder."""
        given = check_version(content, cls)
        assert folder is not None  # the audits are in it
        with readable(f"{folder / FILE}"):
            labels = tuple(
                LabelAudit(
                    one["label"],
                    one["column"],
                    one["tag"],
                    one["folder"],
                    AuditResult.open(folder / one["folder"]),
                )
                for one in given["labels"]
            )
            left_out = from_json(tuple[LeftOut, ...], given["left_out"])
            names = given["fingerprint"], given["longway"], given["created"]
            return cls(labels, left_out, labels[0].audit.settings, *names, folder)

    def to_dict(self) -> dict[str, object]:
        """The content of labels.json."""
        dataset = self.labels[0].audit.dataset
        return {
            "version": self.version,
            "longway": self.longway,
            "created": self.created,
            "verdict": self.verdict,
            "dataset": {
                "name": dataset.name,
                "split": dataset.split,
                "rows": dataset.rows,
                "fields": {role: dataset.fields.get(role) for role in ("text", "context")},
            },
            "fingerprint": self.fingerprint,
            "labels": [label.to_dict() for label in self.labels],
            "left_out": [asdict(tag) for tag in self.left_out],
            "settings": asdict(self.settings),
        }

    def _frame(self) -> pl.DataFrame:
        """One row per label."""
        return pl.DataFrame(
            [
                {
                    "label": label.name,
                    "rows": label.audit.dataset.used,
                    "share": label.share,
                    "leak": label.leak and label.leak.accuracy,
                    "leak_low": label.leak and label.leak.low,
                    "leak_high": label.leak and label.leak.high,
                    "chance": label.leak and label.leak.majority,
                    **label.severities,
                    "strongest": next((f.pattern.name for f in by_severity(label.audit.findings)), None),
                }
                for label in self.labels
            ],
            infer_schema_length=None,
        )


@with_checked_arguments
def audit_labels(
    data: object,
    labels: Sequence[str] | str | None = None,
    settings: AuditSettings | None = None,
    *,
    split: str | None = None,
    tests: Mapping[str, object] | None = None,
    out: Path | str | Literal[True] | None = None,
    on: str | None = None,
    watcher: Watcher | None = None,
    **options: object,
) -> AuditLabelsResult:
    """Audit several labels of a dataset: one audit for each label column, and for each frequent tag of a column of lists.

    labels: the label columns; by default the label column of the dataset. The 20 most frequent tags of a column of lists are audited, if at
    least 20 rows have the tag and 20 do not. Other arguments are those of `audit`; the run folder has one folder for each label.
    """
    chosen = settings_from(AuditSettings, settings, options)
    watcher = watcher or Watcher()
    columns = _columns(labels)
    dataset = data if isinstance(data, Dataset) else load(data, label=columns[0] if columns else None)
    test_data = loaded_tests(tests, dataset)
    arranged = {
        column: _arranged(dataset, column, split, test_data) for column in columns or [dataset.columns.label]
    }
    choices, left_out = _choices(arranged)
    folders = unique([folder_name(name) for name, _, _ in choices], key=str.casefold)
    fingerprint = _joined([one.dataset.fingerprint for one in arranged.values()])

    def audited(at: int, run_folder: Path | None) -> LabelAudit:
        name, column, tag = choices[at]
        result = audit(
            dataset.with_label(column, tag),
            chosen,
            split=split,
            tests={name: test.with_label(column, tag) for name, test in test_data.items()},
            out=None if run_folder is None else run_folder / folders[at],
            on=on,
            watcher=Within(watcher, f"{name} ({at + 1} of {len(choices)})"),
        )
        if run_folder is None:
            return LabelAudit(name, column, tag, "", result)
        return LabelAudit(name, column, tag, folders[at], replace(result, score_frames=None))  # on disk

    def work(run: ActiveRun) -> AuditLabelsResult:
        audits = tuple(audited(at, run.kept) for at in range(len(choices)))
        return AuditLabelsResult(audits, left_out, chosen, fingerprint, version("longway"), now(), run.kept)

    first = next(iter(arranged.values()))
    held_out = {name: _joined([one.held_out[name].fingerprint for one in arranged.values() if name in one.held_out]) for name in first.held_out}  # fmt: skip
    identity = replace(
        RunIdentity.of(COMMAND, first.dataset, chosen, more={"label": list(arranged), "held_out": held_out}),
        fingerprint=fingerprint,
        name=dataset.source_name,
    )
    return run_job(AuditLabelsResult, identity, work, out, watcher, parts=folders)


def _columns(labels: Sequence[str] | str | None) -> list[str]:
    columns = [labels] if isinstance(labels, str) else list(labels or ())
    if twice := [name for name, n in Counter(columns).items() if n > 1]:
        raise SettingError(f"The label column {twice[0]!r} was given twice. Give each column once.")
    return columns


def _arranged(dataset: Dataset, column: str, split: str | None, tests: Mapping[str, Dataset]) -> Arranged:
    """The rows to audit and those held out, with this label column; DataError if it cannot be audited."""
    labelled = dataset if column == dataset.columns.label else dataset.with_label(column)
    others = {
        name: test if column == test.columns.label else test.with_label(column)
        for name, test in tests.items()
    }
    return arrange(labelled, split, others, labelled=labelled.columns.lists != "several")


def _choices(
    arranged: Mapping[str, Arranged],
) -> tuple[list[tuple[str, str, str | None]], tuple[LeftOut, ...]]:
    """The name, column and tag of each label to audit, and the tags that are left out."""
    choices: list[tuple[str, str, str | None]] = []
    left_out: list[LeftOut] = []
    for column, one in arranged.items():
        if one.dataset.columns.lists != "several":
            choices.append((column, column, None))
            continue
        tags, others = _tags(one.dataset)
        left_out += others
        prefix = "" if len(arranged) == 1 else f"{column}: "
        choices += [(prefix + tag_name(tag), column, tag) for tag in tags]
    names = unique([name for name, _, _ in choices])
    return [(name, *label[1:]) for name, label in zip(names, choices, strict=True)], tuple(left_out)


def _tags(dataset: Dataset) -> tuple[list[str], list[LeftOut]]:
    """The tags to audit, the most frequent first, and the others; DataError if there is none to audit."""
    counts: Counter[str] = Counter()
    for tags, n in zip(dataset.labels, dataset.label_counts, strict=True):
        counts.update(dict.fromkeys(json.loads(tags), n))
    column = dataset.columns.label
    chosen: list[str] = []
    left_out: list[LeftOut] = []
    for tag, n in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if n < MIN_ROWS:
            left_out.append(LeftOut(tag, column, n, f"fewer than {MIN_ROWS} rows have it"))
        elif dataset.n_used - n < MIN_ROWS:
            left_out.append(LeftOut(tag, column, n, f"fewer than {MIN_ROWS} rows lack it"))
        elif len(chosen) == MAX_TAGS:
            left_out.append(LeftOut(tag, column, n, f"not among the {MAX_TAGS} most frequent"))
        else:
            chosen.append(tag)
    if not chosen:
        shown = ", ".join(f"{one.tag[:FOLDER_NAME]!r} ({one.rows:,})" for one in left_out[:NAMED])
        raise DataError(
            f"No tag in column {column!r} of {dataset.source_name} can be audited. At least {MIN_ROWS} rows must have the tag and {MIN_ROWS} "
            f"must not; of {dataset.n_used:,} rows have it: {shown or 'none, all lists are empty'}. Add rows, or join rare tags."
        )
    return chosen, left_out


def folder_name(name: str) -> str:
    """A name that every file system takes.

    >>> folder_name("../a b"), folder_name("NUL"), folder_name("")
    ('a-b', 'NUL_', 'label')
    """
    safe = "".join(c if c.isalnum() or c in "-_" else "-" for c in normalize("NFC", name))
    safe = safe.strip("-")[:FOLDER_NAME] or "label"
    return f"{safe}_" if safe.lower() in RESERVED else safe


def unique(names: Iterable[str], *, key: Callable[[str], str] = str) -> list[str]:
    """The names, with a number where one occurs again. key: what must differ.

    >>> unique(["a", "A", "a"]), unique(["a", "A"], key=str.casefold)
    (['a', 'A', 'a-2'], ['a', 'A-2'])
    """
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        free, number = name, 2
        while key(free) in taken:
            free, number = f"{name}-{number}", number + 1
        taken.add(key(free))
        found.append(free)
    return found


def _joined(fingerprints: Sequence[str]) -> str:
    """One fingerprint of several."""
    if len(fingerprints) == 1:
        return fingerprints[0]
    return f"sha256:{sha256(' '.join(fingerprints).encode()).hexdigest()}"


# The page


@page_of(AuditLabelsResult)
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
        verdict=verdict_over(result.labels),
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
            *_left_out_section(result.left_out),
        ],
        version=result.longway,
        fingerprint=result.fingerprint,
        streamed=dataset.streamed,
        settings=setting_rows(asdict(result.settings), source="labels.json"),
    )


def verdict_over(labels: Sequence[LabelAudit]) -> str:
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
    columns = ", ".join(map(cut, dict.fromkeys(label.column for label in result.labels)))
    n = sum(label.tag is not None for label in result.labels)
    of = counted(n + len(result.left_out), "tag")
    return f"{columns} holds lists: one audit per tag, {count(n)} of {of}" if n else columns


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


def _tag(left_out: LeftOut) -> Span:
    return data_span(tag_name(left_out.tag))


def _left_out_section(tags: Sequence[LeftOut]) -> list[Section]:
    columns = [
        Column("Tag", _tag),
        Column("Rows", "rows", number=True),
        Column("Reason", "reason"),
    ]
    table = table_of(tags, columns, limit=N_NAMED, what="tags", file=FILE)
    return [Section("left-out", "Tags that were not audited", table, on=REPORT_AND_SCREEN)] if tags else []
