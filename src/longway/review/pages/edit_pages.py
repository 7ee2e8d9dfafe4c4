"""Edits and rows: the list of edits with its filters, edits by rule and pattern, one edit in detail, the rows of the dataset and one row with its edits.

contents.edits.page(filter)  ->  edits_page()   cards with both texts, decided one by one or all at once
contents.edits.groups(...)   ->  groups_page()  edits by rule and by pattern, decided at once
contents.edits.get(key)      ->  edit_page()    both texts, checks, triples, the person's words, decisions, editing by hand
contents.rows(...)           ->  data_page();   contents.row(id)  ->  row_page()
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace

from markupsafe import Markup

from longway.errors import RunError
from longway.jobs.augment.page import steps_block
from longway.jobs.augment.result import CobaTrace
from longway.records import Edit, Verdict
from longway.report import html
from longway.report.edit_view import (
    COMPARE_LIMIT,
    EDIT_LIMIT,
    MAX_CHIPS,
    Chip,
    EditCard,
    edit_card,
    side_by_side,
    verdict_chip,
)
from longway.report.excerpts import PATTERN_LIMIT, Piece, Span, cut, harmless
from longway.report.labels import Label, Labels, label_named, record
from longway.report.numbers import arrow, or_dash, percent, three_digits
from longway.review.choice_rows import FIELD, QuestionTrace
from longway.review.edit_list import EditGroup, ReviewedEdit
from longway.review.index import rules_of
from longway.review.pages.finding_pages import STRENGTHS, edit_findings
from longway.review.pages.page_layout import (
    CHOICES,
    FILTERS,
    Json,
    PageView,
    Query,
    address,
    back_to,
    cut_decision,
    cut_edit,
    decided_by,
    edit_filter,
    exactly,
    history_lines,
    labels_for,
    list_limit,
    numbers_of,
    options,
    page_links,
    part_links,
    part_of,
    row_address,
    whole_number,
)
from longway.review.pages.people_views import PersonView, person_view
from longway.review.row_edits import RowTrace
from longway.review.run_contents import DataRow, RunContents
from longway.review.run_folder import EDITS

Notes = tuple[Sequence[Span], Sequence[Span]]

SIZE, MAX_SIZE = 20, 50
ROWS_SIZE, MAX_ROWS_SIZE = 25, 100
ROW_ORDER_NAMES = {"solved": "solved by words alone", "unlikely": "possible wrong labels"}
ABOUT_ORDERS = {
    "solved": "Rows whose label words alone make at least 90% certain, the most certain first: a model need not read them.",
    "unlikely": "Rows whose label at most 10% of similar rows have, the least likely first. Read them: an unusual text looks the same.",
}
WHOLE_LIMIT = 4_000  # characters of each version on the page of one edit; whole texts have their own pages
HAND_LIMIT = 20_000  # characters of a text that can be edited by hand here
OTHER_LIMIT = 4_000  # of the other column of a pair
MAX_TRACE = 40_000  # characters of JSON
MAX_HISTORY, MAX_ROW_HISTORY = 20, 50
MAX_ROW_EDITS = 25
MAX_STEPS, MAX_RULES = 30, 6
EXAMPLE_LIMIT = 160  # characters of the example of a group
STATUS = {"kept": "kept by the run", "refused": "refused by the run"}
MORE_FILTERS = ("label", "method", "engine", "check", "rule", "pattern", "order")  # folded unless one is used
ORDERS = {"file": "as in the run", "random": "at random", "score": "largest change of gamma first"}


@dataclass(frozen=True, slots=True)
class HandText:
    """A text written by hand, and the verdicts on it."""

    after: list[Piece]
    passed: bool
    chips: list[Chip]
    n_more_chips: int = 0


@dataclass(frozen=True, slots=True)
class ColumnChange:
    """Another column that changed with the text of a row."""

    name: str
    before: list[Piece]
    after: list[Piece]


@dataclass(frozen=True, slots=True)
class StepView:
    """One step of a repair of a row. change: its words; None if the row was dropped. why: the reason if it was refused."""

    method: str
    how: str
    change: ColumnChange | None
    why: str


@dataclass(frozen=True, slots=True)
class OptionView:
    """A candidate of a question: its letter or name, its words with those that changed, and whether it is the right one."""

    name: str
    text: list[Piece]
    is_right: bool


@dataclass(frozen=True, slots=True)
class QuestionView:
    """Both versions of a question."""

    prompt: str
    before: Sequence[OptionView]
    after: Sequence[OptionView]


@dataclass(frozen=True, slots=True)
class EditView:
    """An edit on a page. seen: number of the decision shown, to detect concurrent decisions.

    fate: "added" or "dropped" if a repair did so with the whole row. columns: other columns that changed. steps: of a repair, if there are several.
    rules: what made the edit, each with the address of all its edits. question: for data with candidates.
    """

    key: str
    number: int
    address: str
    card: EditCard
    status: str
    choice: str
    decided: str
    seen: int
    hand: HandText | None
    row: str
    source: str
    fate: str = ""
    columns: Sequence[ColumnChange] = ()
    steps: Sequence[StepView] = ()
    rules: Sequence[tuple[str, str]] = ()
    question: QuestionView | None = None


@dataclass(frozen=True, slots=True)
class GroupView:
    """The edits of one rule, or that change one pattern. kind: "rule" or "pattern". name: its value in a filter."""

    kind: str
    name: str
    title: str
    n: int
    n_decided: int
    address: str
    example: EditView

    @property
    def adds(self) -> bool:
        """Whether the example has new words."""
        return any(piece.level for piece in self.example.card.after)


def edits_page(contents: RunContents, query: Query) -> PageView:
    """The list of edits."""
    filter = edit_filter(query)
    size = whole_number(query, "size", SIZE, most=MAX_SIZE)
    found = contents.edits.page(filter, page=whole_number(query, "page", 1), size=size)
    limit = list_limit(len(found.rows))
    chosen, labels = filter.chosen, labels_for(contents)
    links = {**chosen, "size": size if size != SIZE else ""}
    current = asdict(filter)
    data = {
        "filter": chosen,
        **numbers_of(found),
        "edits": [cut_edit(reviewed, limit) for reviewed in found.rows],
        "facets": {name: options(counts, current[name]) for name, counts in contents.edits.facets().items()},
    }
    view = {
        "asked": {name: chosen.get(name, "") for name in FILTERS},
        "edits": [
            edit_view(reviewed, labels, chosen, limit=min(limit, EDIT_LIMIT)) for reviewed in found.rows
        ],
        "pages": page_links(found, "/edits", links),
        "back": back_to(address("/edits", {**links, "page": found.number}), otherwise="/edits"),
        "status": STATUS,
        "choices": CHOICES["edit"],
        "orders": ORDERS,
        "patterns": _pattern_names(contents),
        "more": any(chosen.get(name) for name in MORE_FILTERS),
    }
    return PageView("edits.html.jinja", data, view)


def groups_page(contents: RunContents, query: Query) -> PageView:
    """The edits by rule and by pattern, each group decided at once."""
    names, labels = _pattern_names(contents), labels_for(contents)
    groups = {"rule": contents.edits.groups("rule"), "pattern": contents.edits.groups("pattern")}
    groups["pattern"] = [group for group in groups["pattern"] if group.name in names]
    data = {
        name: [{"name": group.name, "edits": group.n, "decided": group.n_decided} for group in some]
        for name, some in groups.items()
    }
    view = {
        name: [_group_view(group, name, names.get(group.name, group.name), labels) for group in some]
        for name, some in groups.items()
    }
    return PageView("groups.html.jinja", data, view)


def _pattern_names(contents: RunContents) -> dict[str, str]:
    """The patterns by which edits can be filtered, by the key of their finding."""
    known = contents.edits.facets()["pattern"]
    return {one.key: one.finding.pattern for one in contents.all_findings() if one.key in known}


def _group_view(group: EditGroup, kind: str, title: str, labels: Labels) -> GroupView:
    return GroupView(
        kind=kind,
        name=group.name,
        title=cut(title, PATTERN_LIMIT),
        n=group.n,
        n_decided=group.n_decided,
        address=address("/edits", {"status": "kept", kind: group.name}),
        example=edit_view(group.example, labels, {}, limit=EXAMPLE_LIMIT),
    )


def edit_page(contents: RunContents, query: Query) -> PageView:
    """One edit, with its neighbours in the filter."""
    filter = edit_filter(query)
    reviewed = contents.edits.get(query["key"])
    edit, around, chosen = reviewed.edit, contents.edits.neighbours(reviewed.key, filter), filter.chosen
    history = contents.decisions.history("edit", reviewed.key, last=MAX_HISTORY)
    number = whole_number(query, "part", 0)  # 0: what changed, not the whole text
    labels, other = labels_for(contents), contents.other_column(edit)
    before, after = (part_of(text, number or 1) for text in (edit.before, edit.after))
    n_parts = max(before[1], after[1])
    findings = edit_findings(contents, edit, labels, other)
    data = {
        **reviewed.to_dict(),
        **asdict(around),
        "before": before[0],
        "after": after[0],
        "part": number or 1,
        "parts": n_parts,
        "trace": edit.trace if len(json.dumps(edit.trace)) <= MAX_TRACE else {},
        "verdicts": [_verdict_json(verdict) for verdict in edit.verdicts[:MAX_CHIPS]],
        "decision": cut_decision(reviewed.decision, HAND_LIMIT),
        "history": [cut_decision(decision, 300) for decision in history],
        "beside": None if other is None else {"column": other[0], "text": other[1][:OTHER_LIMIT]},
        "telling": findings.to_json(),
        "filter": chosen,
    }
    here = f"/edits/{reviewed.key}"
    following = address(f"/edits/{around.next}", chosen) if around.next else ""
    is_long = max(len(edit.before), len(edit.after)) > WHOLE_LIMIT
    view = {
        "edit": edit_view(
            reviewed, labels, chosen, limit=WHOLE_LIMIT, notes=(findings.before, findings.after)
        ),
        "findings": findings,
        "strengths": STRENGTHS,
        "other": other_column_view(_unchanged(edit, other)),
        **_coba_steps(reviewed, labels),
        "person": read_person(reviewed, findings.before),
        "change": _gamma(edit),
        "hand_text": None if contents.choice_fields else _hand_text(reviewed),
        "is_question": contents.choice_fields is not None,
        "history": history_lines(history),
        "previous": address(f"/edits/{around.previous}", chosen) if around.previous else "",
        "next": following,
        "list": address("/edits", chosen),
        "here": back_to(address(here, chosen), otherwise=here),
        "then": back_to(following or address(here, chosen), otherwise=here),
        "whole": address(here, {**chosen, "part": 1}) if is_long else "",
        "parts": part_links(here, chosen, n_parts) if number else [],
    }
    return PageView("edit.html.jinja", data, view)


def edit_view(
    reviewed: ReviewedEdit,
    labels: Labels,
    chosen: Mapping[str, str],
    *,
    limit: int,
    notes: Notes = ((), ()),
) -> EditView:
    """An edit as lists and pages show it. chosen: the filter, for its link. notes: spans of both texts to mark."""
    card = edit_card(reviewed.to_dict(), labels, notes=notes, limit=limit)
    trace = RowTrace.of(reviewed.edit)
    return EditView(
        key=reviewed.key,
        number=reviewed.number,
        address=address(f"/edits/{reviewed.key}", chosen),
        card=card if limit == WHOLE_LIMIT else _small(card),
        status=reviewed.status,
        choice=reviewed.choice,
        decided=decided_by(reviewed.decision),
        seen=0 if reviewed.decision is None else reviewed.decision.seq,
        hand=_hand(reviewed, limit) if reviewed.choice == "hand" else None,
        row=row_address(reviewed.edit.id),
        source=cut(reviewed.edit.source) if reviewed.edit.source else "",
        fate="dropped" if reviewed.edit.drops else "added" if trace and reviewed.edit.source else "",
        columns=[_column_change(name, *both, limit) for name, both in trace.columns.items()]
        if trace and reviewed.edit.field != FIELD
        else (),
        steps=_step_views(trace.steps, limit) if trace else (),
        rules=[
            (cut(name), address("/edits", {"status": "kept", "rule": name}))
            for name in rules_of(reviewed.edit, trace)[:MAX_RULES]
        ],
        question=_question_view(QuestionTrace.of(reviewed.edit), limit),
    )


def _question_view(question: QuestionTrace | None, limit: int) -> QuestionView | None:
    """Both versions with the words that differ. Options are compared with those that are most like them, answers with those of the same name."""
    if question is None:
        return None
    sides = []
    for side, ((texts, right), (others, _)) in enumerate(
        ((question.was, question.now), (question.now, question.was))
    ):
        views = []
        for at, text in enumerate(texts):
            other = others[at] if question.names else question.counterpart(text, others)
            both = (harmless(one[:COMPARE_LIMIT]) for one in ((text, other) if side == 0 else (other, text)))
            views.append(OptionView(question.name(at), side_by_side(*both, limit=limit)[side], at == right))
        sides.append(views)
    return QuestionView(cut(question.prompt, limit), *sides)


def _column_change(name: str, before: str, after: str, limit: int) -> ColumnChange:
    texts = (harmless(text[:COMPARE_LIMIT]) for text in (before, after))
    return ColumnChange(cut(name), *side_by_side(*texts, limit=limit))


def _step_views(steps: Sequence[Edit], limit: int) -> list[StepView]:
    """The steps of a row; none if there is only one, in one or several columns, which the card shows."""
    if len({(step.round, step.method, step.how, step.accepted) for step in steps}) < 2:
        return []
    return [
        StepView(
            method=cut(step.method),
            how=cut(step.how) if step.how else "",
            change=None
            if step.drops
            else _column_change(step.field, step.before, step.after, min(limit, EDIT_LIMIT)),
            why=cut(step.reason, PATTERN_LIMIT) if step.reason else "",
        )
        for step in steps[:MAX_STEPS]
    ]


def _small(card: EditCard) -> EditCard:
    """The card for a list: only failed checks, in short."""
    reason = cut(card.reason, PATTERN_LIMIT) if card.reason else ""
    return replace(card, chips=_failed(card.chips), n_more_chips=0, reason=reason, context="")


def _failed(chips: Sequence[Chip]) -> list[Chip]:
    failed = [chip for chip in chips if not chip.passed]
    return [
        replace(chip, reason=cut(chip.reason, PATTERN_LIMIT) if chip.reason else "") for chip in failed[:2]
    ]


def _hand(reviewed: ReviewedEdit, limit: int) -> HandText:
    value = reviewed.decision.value if reviewed.decision else {}
    texts = (harmless(text[:COMPARE_LIMIT]) for text in (reviewed.edit.before, reviewed.text))
    chips = [verdict_chip(record(Verdict, verdict)) for verdict in (value.get("verdicts") or [])[:MAX_CHIPS]]
    return HandText(
        after=side_by_side(*texts, limit=limit)[1],
        passed=bool(value.get("passed", True)),
        chips=chips if limit == WHOLE_LIMIT else _failed(chips),
    )


def _hand_text(reviewed: ReviewedEdit) -> Markup | None:
    """The text to start from, unchanged; None if it is too long to be sent back, or the row was dropped."""
    return None if len(reviewed.text) > HAND_LIMIT or reviewed.edit.drops else exactly(reviewed.text)


def _verdict_json(verdict: Verdict) -> Json:
    return {**verdict.to_dict(), "reason": verdict.reason[:1000]}


def _unchanged(edit: Edit, other: tuple[str, str] | None) -> tuple[str, str] | None:
    """The other column of a pair, unless it changed too."""
    trace = RowTrace.of(edit)
    return None if other is None or (trace and other[0] in trace.columns) else other


def other_column_view(other: tuple[str, str] | None) -> tuple[str, str] | None:
    """The unchanged column of a pair and its text, cut."""
    return None if other is None else (cut(other[0]), cut(other[1], OTHER_LIMIT))


def _coba_steps(reviewed: ReviewedEdit, labels: Labels) -> Json:
    """How CoBA made the edit."""
    with _reading_trace(reviewed):
        coba = CobaTrace.of(reviewed.edit)
        return {"steps": html.block(steps_block(reviewed.edit, coba, labels)) if coba else None}


def read_person(reviewed: ReviewedEdit, notes: Sequence[Span] = ()) -> PersonView | None:
    """The person of a perturbation; None for other methods."""
    with _reading_trace(reviewed):
        return person_view(reviewed.edit, notes, limit=WHOLE_LIMIT)


@contextmanager
def _reading_trace(reviewed: ReviewedEdit) -> Iterator[None]:
    """RunError if the trace of the edit is not what a run writes."""
    try:
        yield
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise RunError(
            f"{EDITS}, line {reviewed.number}, is damaged: its trace cannot be read ({type(error).__name__}). "
            "Expected what a run writes. Run the same command again in a new folder."
        ) from error


def _gamma(edit: Edit) -> str:
    """Gamma before and after; "" if the run measured neither."""
    if edit.score_before is None and edit.score_after is None:
        return ""
    before, after = (or_dash(score, three_digits) for score in (edit.score_before, edit.score_after))
    return before if before == after else arrow(before, after)


@dataclass(frozen=True, slots=True)
class RowView:
    """A row in the list."""

    id: str
    address: str
    label: Label
    text: str
    context: str
    why: str = ""
    similar: Sequence[RowView] = ()


def data_page(contents: RunContents, query: Query) -> PageView:
    """The rows of the dataset."""
    chosen = {name: query[name] for name in ("search", "label", "order") if query.get(name)}
    size = whole_number(query, "size", ROWS_SIZE, most=MAX_ROWS_SIZE)
    found = contents.rows(**chosen, page=whole_number(query, "page", 1), size=size)
    labels = labels_for(contents)
    limit = min(400, list_limit(len(found.rows)))
    counts = {label.key: label.count for label in labels.values()}
    data = {
        "filter": chosen,
        **numbers_of(found),
        "rows": [
            {**asdict(row), "text": (row.text or "")[:limit], "context": (row.context or "")[:limit] or None}
            for row in found.rows
        ],
        "labels": options(counts, chosen.get("label", "")),
        "orders": {order: ROW_ORDER_NAMES[order] for order in contents.row_orders},
    }
    view = {
        "asked": {name: chosen.get(name, "") for name in ("search", "label", "order")},
        "about": ABOUT_ORDERS.get(chosen.get("order", ""), ""),
        "rows": [
            _doubted_view(contents, row, labels, limit)
            if chosen.get("order") == "unlikely"
            else row_view(row, labels, limit)
            for row in found.rows
        ],
        "pages": page_links(found, "/data", {**chosen, "size": size if size != ROWS_SIZE else ""}),
    }
    return PageView("data.html.jinja", data, view)


def _doubted_view(contents: RunContents, row: DataRow, labels: Labels, limit: int) -> RowView:
    """A row whose label may be wrong, with the most similar rows; those without them are beyond what the audit keeps."""
    view, error = row_view(row, labels, limit), contents.possible_errors.get(row.id)
    if error is None:
        return view
    similar = contents.with_ids([one.id for one in error.neighbours])
    likely = label_named(error.likely, labels).name
    return replace(
        view,
        why=f"{percent(error.p_likely)} of rows like it are {likely}",
        similar=[row_view(one, labels, limit // 2) for one in similar],
    )


def row_view(row: DataRow, labels: Labels, limit: int) -> RowView:
    """A row for a list, its texts cut."""
    return RowView(
        id=cut(row.id),
        address=row_address(row.id),
        label=label_named(row.label or "", labels),
        text=cut(row.text or "", limit),
        context=cut(row.context, limit // 2) if row.context else "",
    )


def row_page(contents: RunContents, query: Query) -> PageView:
    """One row with its edits and the decisions on them."""
    found = contents.row(query["id"])
    row, history = found.row, found.history[:MAX_ROW_HISTORY]
    number, labels = whole_number(query, "part", 1), labels_for(contents)
    edits = found.edits[:MAX_ROW_EDITS]
    limit = list_limit(len(edits))
    text, n_text = part_of(row.text or "", number)
    context, n_context = part_of(row.context or "", number)
    parts = max(n_text, n_context)
    data = {
        **asdict(row),
        "text": None if row.text is None else text,
        "context": None if row.context is None else context,
        "part": min(number, parts),
        "parts": parts,
        "edits": [cut_edit(reviewed, limit) for reviewed in edits],
        "n_edits": len(found.edits),
        "history": [cut_decision(decision, 300) for decision in history],
    }
    here = row_address(row.id)
    view = {
        "label": label_named(row.label, labels) if row.label is not None else None,
        "edits": [edit_view(reviewed, labels, {}, limit=min(limit, EDIT_LIMIT)) for reviewed in edits],
        "history": history_lines(history),
        "here": here,
        "json": f"{here}.json",
        "parts": part_links(here, {}, parts) if parts > 1 else [],
    }
    return PageView("row.html.jinja", data, view)
