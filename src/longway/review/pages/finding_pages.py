"""Findings: the patterns that predict a label, the decisions on them, rows with the pattern, and the findings in an edit.

    contents.findings(filter)  ->  findings_page()   a table with filters
    contents.finding(key)      ->  finding_page()    rows with the label and rows with another one, the pattern marked
    an edit                ->  edit_findings()   the findings that its text shows before and after, with the words to mark

A finding of an audit has counts and tests; a finding of a rewrite has figures before and after.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

from longway.detect.detector import Spans
from longway.detect.levels import TokenizedRow, required_words
from longway.records import Edit
from longway.report.charts import change_bar, share_bar
from longway.report.differences import COMPARE_LIMIT
from longway.report.excerpts import PATTERN_LIMIT, READ_LIMIT, Piece, Span, cut, harmless, pieces
from longway.report.labels import Label, Labels, label_named, level_name
from longway.report.numbers import NONE, arrow, count, finite, or_dash, percent, points, q_value, short
from longway.review.pages.page_layout import (
    CHOICES,
    Json,
    PageView,
    Query,
    View,
    address,
    back_to,
    decided_by,
    history_lines,
    labels_for,
    numbers_of,
    options,
    page_links,
    row_address,
)
from longway.review.run_contents import DataRow, FindingFilter, ReviewedFinding, RunContents
from longway.review.run_folder import PatternFigures, RunFinding
from longway.stats import is_stronger

Places = dict[str, Spans]  # by column
SIZE, MAX_SIZE = 25, 100
EXAMPLE_LIMIT, CONTEXT_LIMIT = 500, 300
MARK_LEVEL = 4
MAX_MARKS = 60
MAX_HISTORY = 20
MAX_VARIANTS = 30
FILTERS = ("level", "label", "field", "max_q", "search", "choice")
STRENGTHS = ("somewhat more often", "clearly more often", "nearly always")
MAX_IN_EDIT = 12
FATES = {(True, True): "stays", (True, False): "goes", (False, True): "comes"}


def findings_page(contents: RunContents, query: Query) -> PageView:
    """The table of findings."""
    chosen = {name: query[name] for name in FILTERS if query.get(name)}
    found = contents.findings(
        FindingFilter(**{**chosen, "max_q": float(chosen.get("max_q", 1))}),
        page=query.get("page", 1),
        size=min(query.get("size", SIZE), MAX_SIZE),
    )
    labels = labels_for(contents)
    findings = [reviewed.finding for reviewed in contents.all_findings()]
    facets = {
        "level": Counter(finding.level for finding in findings),
        "label": Counter(finding.label for finding in findings),
        "field": Counter(finding.field for finding in findings),
    }
    data = {
        "filter": chosen,
        **numbers_of(found),
        "findings": [finding_json(reviewed) for reviewed in found.rows],
        "facets": {
            name: options(dict(counts.most_common()), chosen.get(name, "")) for name, counts in facets.items()
        },
    }
    view = {
        "asked": {name: chosen.get(name, "") for name in FILTERS},
        "findings": [finding_view(reviewed, labels) for reviewed in found.rows],
        "pages": page_links(found, "/findings", chosen),
        "back": back_to(address("/findings", {**chosen, "page": found.number}), otherwise="/findings"),
        "choices": CHOICES["finding"],
        "has_q": any(reviewed.finding.q is not None for reviewed in found.rows),
    }
    return PageView("findings.html.jinja", data, view)


def finding_page(contents: RunContents, query: Query) -> PageView:
    """One finding, with rows that have its label and rows that have another one."""
    reviewed = contents.finding(query["key"])
    finding, labels = reviewed.finding, labels_for(contents)
    history = contents.decisions.history("finding", reviewed.key, last=MAX_HISTORY)
    supporting, counter = (contents.examples(finding, supporting=which) for which in (True, False))
    previous, following = contents.finding_neighbours(reviewed.key)
    data = {
        **finding_json(reviewed),
        "supporting_rows": [_row_json(row) for row in supporting],
        "counter_rows": [_row_json(row) for row in counter],
        "previous": previous,
        "next": following,
        "history": [decision.to_dict() for decision in history],
    }
    words = " ".join(required_words(finding.shape))
    n_changing = contents.edits.facets()["pattern"].get(reviewed.key, 0)
    has_edits = words and contents.edits.has_any and len(words) <= 200
    view = {
        "finding": finding_view(reviewed, labels),
        "supporting": [_marked_row(contents, row, finding, labels) for row in supporting],
        "counter": [_marked_row(contents, row, finding, labels) for row in counter],
        "has_rows": contents.has("rows"),
        "variants": [cut(variant.pattern, PATTERN_LIMIT) for variant in finding.variants[:MAX_VARIANTS]],
        "previous": f"/findings/{previous}" if previous else "",
        "next": f"/findings/{following}" if following else "",
        "here": f"/findings/{reviewed.key}",
        "history": history_lines(history),
        "is_gone": finding.before is not None and finding.now.count == 0,
        "n_changing": n_changing,
        "changing": address("/edits", {"pattern": reviewed.key}),
        "edits": address("/edits", {"search": words}) if has_edits else "",
    }
    return PageView("finding.html.jinja", data, view)


def finding_view(reviewed: ReviewedFinding, labels: Labels) -> View:
    """A finding as lists and pages show it. note: how a reviewer had marked it before the run."""
    finding = reviewed.finding
    label = label_named(finding.label, labels)
    return View(
        key=reviewed.key,
        address=f"/findings/{reviewed.key}",
        pattern=cut(finding.pattern, PATTERN_LIMIT),
        level=level_name(finding.level),
        field=cut(finding.field or "text"),
        label=label,
        figures=_figures(finding, label)
        if finding.before is None
        else _changed_figures(finding.before, finding.now, label, labels),
        note=cut(finding.marked, PATTERN_LIMIT) if finding.marked else "",
        choice=reviewed.choice,
        decided=decided_by(reviewed.decision),
        seen=0 if reviewed.decision is None else reviewed.decision.seq,
    )


def finding_json(reviewed: ReviewedFinding) -> Json:
    """A finding for scripts: its variants by name, its texts cut."""
    values = reviewed.to_dict()
    if "variants" in values:
        values["variants"] = [
            cut(each.pattern, PATTERN_LIMIT) for each in reviewed.finding.variants[:MAX_VARIANTS]
        ]
    return {name: value[:1000] if isinstance(value, str) else value for name, value in values.items()}


def _row_json(row: DataRow) -> Json:
    return {**asdict(row), "text": (row.text or "")[:1000], "context": (row.context or "")[:1000]}


def _marked_row(contents: RunContents, row: DataRow, finding: RunFinding, labels: Labels) -> View:
    text, context = row.text or "", row.context or ""
    places = contents.where(finding, contents.tokenized(text, row.context)) or {}
    return View(
        id=cut(row.id),
        address=row_address(row.id),
        label=label_named(row.label or "", labels),
        text=_marked(text, places.get(contents.text_column, ()), EXAMPLE_LIMIT),
        context=_marked(context, places.get(contents.columns.context or "", ()), CONTEXT_LIMIT),
    )


def _marked(text: str, spans: Iterable[tuple[int, int]], limit: int) -> list[Piece]:
    """The text around the pattern; occurrences too far into the text are not marked."""
    near = [(start, end, MARK_LEVEL) for start, end in spans if end <= READ_LIMIT]
    return pieces(harmless(text[:READ_LIMIT]), near[:MAX_MARKS], limit=limit)


def _figures(finding: RunFinding, label: Label) -> View:
    now, usual = finding.now, finding.base_rate
    return View(
        texts=or_dash(now.count, lambda n: count(int(n))),
        share=or_dash(now.share, percent),
        usual=f"base rate {percent(usual)}" if usual is not None else "",
        share_bar=share_bar(finite(now.share or 0.0), finite(usual or 0.0), colour=label.colour),
        points=or_dash(now.points, points),
        z=or_dash(finding.z, short),
        q=or_dash(finding.q, q_value),
        is_change=False,
        stronger=False,
    )


def _changed_figures(before: PatternFigures, now: PatternFigures, label: Label, labels: Labels) -> View:
    usual = label.count / (sum(each.count for each in labels.values()) or 1)
    shares = [finite(figures.share or 0.0) for figures in (before, now)]
    gains = [finite(figures.gain or 0.0) for figures in (before, now)]
    return View(
        texts=_moved(count(int(before.count or 0)), count(int(now.count or 0))),
        share=_moved(*map(percent, shares)),
        usual=f"base rate {percent(usual)}",
        share_bar=change_bar(*shares, full=1.0, usual=usual),
        points=_moved(or_dash(before.points, points), or_dash(now.points, points)),
        z=NONE,
        q=NONE,
        is_change=True,
        stronger=is_stronger(*gains),
    )


def _moved(before: str, now: str) -> str:
    """Both figures, or one if they are equal."""
    return now if before == now else arrow(before, now)


@dataclass(frozen=True, slots=True)
class EditFindings:
    """The findings in the texts of an edit, strongest first. before, after: spans to mark, with the position in `shown`, from 1."""

    shown: list[View]
    before: list[Span]
    after: list[Span]
    n_more: int

    @property
    def has_words(self) -> bool:
        """Whether there is anything to mark in the texts."""
        return bool(self.before or self.after)

    def to_json(self) -> list[Json]:
        """The findings as plain JSON values."""
        return [{**vars(shown), "label": shown.label.key} for shown in self.shown]


def edit_findings(
    contents: RunContents, edit: Edit, labels: Labels, other: tuple[str, str] | None
) -> EditFindings:
    """The findings of the run in the two texts of an edit. other: the unchanged column of a pair, and its text."""
    before_row, after_row = (_row(contents, edit, text, other) for text in (edit.before, edit.after))
    found: list[tuple[ReviewedFinding, Places | None, Places | None]] = []
    for reviewed in contents.all_findings():
        before, after = (
            contents.where(reviewed.finding, before_row),
            contents.where(reviewed.finding, after_row),
        )
        if before is not None or after is not None:
            found.append((reviewed, before, after))
    found.sort(key=lambda each: -_strength(each[0].finding, labels)[0])
    kept = found[:MAX_IN_EDIT]
    return EditFindings(
        [_edit_finding(*each, labels) for each in kept],
        before=_spans([before for _, before, _ in kept], edit.field),
        after=_spans([after for _, _, after in kept], edit.field),
        n_more=len(found) - len(kept),
    )


def _row(contents: RunContents, edit: Edit, text: str, other: tuple[str, str] | None) -> TokenizedRow:
    """The row with one version of the edited column."""
    beside = None if other is None else other[1][:COMPARE_LIMIT]
    if edit.field == contents.columns.context:
        return contents.tokenized(beside or "", text[:COMPARE_LIMIT])
    return contents.tokenized(text[:COMPARE_LIMIT], beside)


def _edit_finding(
    reviewed: ReviewedFinding, before: Places | None, after: Places | None, labels: Labels
) -> View:
    finding = reviewed.finding
    strength, share, usual = _strength(finding, labels)
    return View(
        address=f"/findings/{reviewed.key}",
        pattern=cut(finding.pattern, PATTERN_LIMIT),
        level=level_name(finding.level),
        label=label_named(finding.label, labels),
        strength=min(int(strength * len(STRENGTHS)), len(STRENGTHS) - 1) + 1,
        share=percent(share),
        usual=percent(usual),
        count=count(int(finding.strongest.count or 0)),
        fate=FATES[before is not None, after is not None],
        is_marked=bool(before or after),
    )


def _strength(finding: RunFinding, labels: Labels) -> tuple[float, float, float]:
    """The label's share on the scale from its usual share (0) to always (1), the share, and the usual share."""
    total = sum(label.count for label in labels.values()) or 1
    known = finding.base_rate
    usual = finite(known) if known is not None else label_named(finding.label, labels).count / total
    share = finite(finding.strongest.share or 0.0)
    return max(share - usual, 0.0) / max(1 - usual, 1e-9), share, usual


def _spans(sides: Sequence[Places | None], field: str) -> list[Span]:
    """The spans of one text in reading order; of overlapping spans, the stronger one is kept."""
    taken: list[Span] = []
    for number, places in enumerate(sides, 1):
        for start, end in (places or {}).get(field, ()):
            if not any(start < other and first < end for first, other, _ in taken):
                taken.append((start, end, number))
    return sorted(taken)
