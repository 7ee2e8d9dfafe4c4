"""Edits and rows: the list of edits with its filters, edits by rule and pattern, one edit in detail, the rows of the dataset, one row with its edits, and samples to rate.

contents.edits.page(filter)  ->  edits_page()   cards with both texts, decided one by one or all at once
contents.edits.groups(...)   ->  groups_page()  edits by rule and by pattern, decided at once
contents.edits.get(key)      ->  edit_page()    both texts, checks, triples, the person's words, decisions, editing by hand
contents.rows(...)           ->  data_page();   contents.row(id)  ->  row_page()
samples(contents)            ->  samples_page();  sample_state(contents, name, ...)  ->  sample_page()   one edit to rate, the error rate so far
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import islice

from longway.errors import RunError
from longway.jobs.augment.page import steps_block
from longway.jobs.augment.result import CobaTrace
from longway.jobs.perturb.page import CHAIN
from longway.metrics.judgements import EstimatedShare
from longway.records import Edit, Verdict
from longway.report import html
from longway.report.differences import EDIT_LIMIT, side_by_side
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, Span, cut
from longway.report.labels import Labels, label_named, verdict_chip
from longway.report.numbers import arrow, count, or_dash, percent, three_digits
from longway.report.sections import Chip
from longway.review.choice_rows import FIELD, QUESTION, candidate_name, counterpart
from longway.review.edit_list import EditFilter, EditGroup, ReviewedEdit
from longway.review.index import rules_of
from longway.review.pages.finding_pages import STRENGTHS, edit_findings
from longway.review.pages.page_layout import (
    CHOICES,
    FILTERS,
    Json,
    PageView,
    Query,
    View,
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
)
from longway.review.row_edits import RowTrace
from longway.review.run_contents import DataRow, RunContents
from longway.review.run_folder import EDITS
from longway.review.sampling import OTHER_TAGS, VERDICTS, sample_state, samples

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
MAX_STEPS, MAX_RULES, MAX_CHIPS = 30, 6, 14
MAX_CHAIN, MAX_LEFT = 200, 6  # words of a person: referring to it, and left alone
EXAMPLE_LIMIT = 160  # characters of the example of a group
STATUS = {"kept": "kept by the run", "refused": "refused by the run"}
MORE_FILTERS = ("label", "method", "engine", "check", "rule", "pattern", "order")  # folded unless one is used
ORDERS = {"file": "as in the run", "random": "at random", "score": "largest change of gamma first"}


def edits_page(contents: RunContents, query: Query) -> PageView:
    """The list of edits."""
    filter = edit_filter(query)
    size = min(query.get("size", SIZE), MAX_SIZE)
    found = contents.edits.page(filter, page=query.get("page", 1), size=size)
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


def _group_view(group: EditGroup, kind: str, title: str, labels: Labels) -> View:
    example = edit_view(group.example, labels, {}, limit=EXAMPLE_LIMIT)
    return View(
        kind=kind,
        name=group.name,
        title=cut(title, PATTERN_LIMIT),
        n=group.n,
        n_decided=group.n_decided,
        address=address("/edits", {"status": "kept", kind: group.name}),
        example=example,
        adds=any(piece.level for piece in example.card.after),
    )


def edit_page(contents: RunContents, query: Query) -> PageView:
    """One edit, with its neighbours in the filter."""
    filter = edit_filter(query)
    reviewed = contents.edits.get(query["key"])
    edit, around, chosen = reviewed.edit, contents.edits.neighbours(reviewed.key, filter), filter.chosen
    history = contents.decisions.history("edit", reviewed.key, last=MAX_HISTORY)
    number = query.get("part", 0)  # 0: what changed, not the whole text
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
        "verdicts": [
            {**verdict.to_dict(), "reason": verdict.reason[:1000]} for verdict in edit.verdicts[:MAX_CHIPS]
        ],
        "decision": cut_decision(reviewed.decision, HAND_LIMIT),
        "history": [cut_decision(decision, 300) for decision in history],
        "beside": None if other is None else {"column": other[0], "text": other[1][:OTHER_LIMIT]},
        "telling": findings.to_json(),
        "filter": chosen,
    }
    here = f"/edits/{reviewed.key}"
    following = address(f"/edits/{around.next}", chosen) if around.next else ""
    is_long = max(len(edit.before), len(edit.after)) > WHOLE_LIMIT
    may_edit = not (contents.choice_fields or edit.drops or len(reviewed.text) > HAND_LIMIT)
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
        # the text to start from, unchanged
        "hand_text": exactly(reviewed.text) if may_edit else None,
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
) -> View:
    """An edit as lists and pages show it. chosen: the filter, for its link. notes: spans of both texts to mark.

    seen: number of the decision shown, to detect concurrent decisions. fate: "added" or "dropped" if a repair did so with the whole row.
    columns: other columns that changed. rules: what made the edit, each with the address of all its edits.
    """
    edit, trace = reviewed.edit, RowTrace.of(reviewed.edit)
    is_whole = limit == WHOLE_LIMIT
    before, after = side_by_side(edit.before, edit.after, notes=notes, limit=limit)
    card = View(
        id=cut(edit.id),
        field=cut(edit.field),
        label=label_named(edit.label_before, labels),
        new_label=None if edit.label_after == edit.label_before else label_named(edit.label_after, labels),
        how=cut(edit.how, PATTERN_LIMIT) if edit.how else "",
        engine=cut(edit.engine),
        before=before,
        after=after,
        chips=_chips(edit.verdicts, is_whole=is_whole),
        n_more_chips=max(len(edit.verdicts) - MAX_CHIPS, 0) if is_whole else 0,
        reason=cut(edit.reason, TEXT_LIMIT if is_whole else PATTERN_LIMIT) if edit.reason else "",
    )
    return View(
        key=reviewed.key,
        number=reviewed.number,
        address=address(f"/edits/{reviewed.key}", chosen),
        card=card,
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
        question=_question_view(edit, limit),
    )


def _question_view(edit: Edit, limit: int) -> View | None:
    """Both versions of a question with the words that differ; None for an edit of a labelled text.

    Options are compared with those that are most like them, answers with those of the same name.
    """
    question = edit.trace.get(QUESTION)
    if question is None or edit.field != FIELD:
        return None
    names, sides = question["names"], []
    for side, (this, other) in enumerate((("before", "after"), ("after", "before"))):
        (texts, right), (others, _) = question[this], question[other]
        views = []
        for at, text in enumerate(texts):
            both = (text, others[at] if names else counterpart(text, others))
            words = side_by_side(*(both if side == 0 else both[::-1]), limit=limit)[side]
            views.append(View(name=candidate_name(at, names), text=words, is_right=at == right))
        sides.append(views)
    return View(prompt=cut(question["prompt"], limit), before=sides[0], after=sides[1])


def _column_change(name: str, before: str, after: str, limit: int) -> View:
    old, new = side_by_side(before, after, limit=limit)
    return View(name=cut(name), before=old, after=new)


def _step_views(steps: Sequence[Edit], limit: int) -> list[View]:
    """The steps of a row (change: None if it was dropped; why: if it was refused); none if there is only one, in one or several columns, which the card shows."""
    if len({(step.round, step.method, step.how, step.accepted) for step in steps}) < 2:
        return []
    return [
        View(
            method=cut(step.method),
            how=cut(step.how) if step.how else "",
            change=None
            if step.drops
            else _column_change(step.field, step.before, step.after, min(limit, EDIT_LIMIT)),
            why=cut(step.reason, PATTERN_LIMIT) if step.reason else "",
        )
        for step in steps[:MAX_STEPS]
    ]


def _chips(verdicts: Iterable[Verdict], *, is_whole: bool) -> list[Chip]:
    """The first verdicts on the page of an edit; for a list only failed ones, in short."""
    chips = [verdict_chip(verdict) for verdict in islice(verdicts, MAX_CHIPS)]
    if is_whole:
        return chips
    failed = [chip for chip in chips if not chip.passed][:2]
    return [replace(chip, reason=cut(chip.reason, PATTERN_LIMIT) if chip.reason else "") for chip in failed]


def _hand(reviewed: ReviewedEdit, limit: int) -> View:
    value = reviewed.decision.value if reviewed.decision else {}
    verdicts = [Verdict(**verdict) for verdict in value.get("verdicts") or []]
    return View(
        after=side_by_side(reviewed.edit.before, reviewed.text, limit=limit)[1],
        passed=bool(value.get("passed", True)),
        chips=_chips(verdicts, is_whole=limit == WHOLE_LIMIT),
        n_more_chips=0,
    )


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


def read_person(reviewed: ReviewedEdit, notes: Sequence[Span] = ()) -> View | None:
    """The person that a perturbation changed; None for an edit of another method. notes: spans of the original text.

    before: the original text with the words for this person marked. left: words that were left alone.
    """
    edit, trace = reviewed.edit, reviewed.edit.trace
    if "chain" not in trace:
        return None
    with _reading_trace(reviewed):
        marks = [
            (int(start), int(end), CHAIN)
            for name, start, end in trace["chain"][:MAX_CHAIN]
            if str(name) == edit.field
        ]
        return View(
            word=cut(str(trace.get("word", ""))),
            how=cut(f"{trace.get('axis')}: {trace.get('source')} to {trace.get('target')}", TEXT_LIMIT),
            before=side_by_side(edit.before, edit.after, marks=marks, notes=(notes, ()), limit=WHOLE_LIMIT)[
                0
            ],
            left=[cut(str(words), TEXT_LIMIT) for words in (trace.get("left") or [])[:MAX_LEFT]],
        )


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


def data_page(contents: RunContents, query: Query) -> PageView:
    """The rows of the dataset."""
    chosen = {name: query[name] for name in ("search", "label", "order") if query.get(name)}
    size = min(query.get("size", ROWS_SIZE), MAX_ROWS_SIZE)
    found = contents.rows(**chosen, page=query.get("page", 1), size=size)
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


def _doubted_view(contents: RunContents, row: DataRow, labels: Labels, limit: int) -> View:
    """A row whose label may be wrong, with the most similar rows; those without them are beyond what the audit keeps."""
    view, error = row_view(row, labels, limit), contents.possible_errors.get(row.id)
    if error is None:
        return view
    similar = contents.with_ids([one.id for one in error.neighbours])
    view.why = f"{percent(error.p_likely)} of rows like it are {label_named(error.likely, labels).name}"
    view.similar = [row_view(one, labels, limit // 2) for one in similar]
    return view


def row_view(row: DataRow, labels: Labels, limit: int) -> View:
    """A row for a list, its texts cut."""
    return View(
        id=cut(row.id),
        address=row_address(row.id),
        label=label_named(row.label or "", labels),
        text=cut(row.text or "", limit),
        context=cut(row.context, limit // 2) if row.context else "",
        why="",
        similar=(),
    )


def row_page(contents: RunContents, query: Query) -> PageView:
    """One row with its edits and the decisions on them."""
    found = contents.row(query["id"])
    row, history = found.row, found.history[:MAX_ROW_HISTORY]
    number, labels = query.get("part", 1), labels_for(contents)
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


# Samples: edits drawn at random for people to rate, and the resulting error rate

MAX_SAMPLES = 50
MAX_RATERS = 12
MAX_LINKS = 200  # to edits of the sample


def samples_page(contents: RunContents, query: Query) -> PageView:
    """The samples of the run."""
    drawn = samples(contents)[:MAX_SAMPLES] if contents.has("edits") else []
    known = {sample.name for sample in drawn}
    view = {
        "samples": [(sample, list(sample.progress.items())[:MAX_RATERS]) for sample in drawn],
        "has_edits": contents.has("edits"),
        "suggested": next(name for at in range(1, len(known) + 2) if (name := f"sample-{at}") not in known),
    }
    return PageView("samples.html.jinja", {"samples": [asdict(sample) for sample in drawn]}, view)


def sample_page(contents: RunContents, query: Query) -> PageView:
    """One edit of a sample to rate, and the results so far."""
    state = sample_state(contents, query["name"], rater=query.get("author") or "nobody")
    items, size = state.items, len(state.items)
    first = next((item.number for item in items if not item.tags), 1)
    number = min(query.get("page", first), size)
    item = items[number - 1]
    reviewed = contents.edits.get(item.key)
    here = f"/sample/{state.summary.name}"
    this = address(here, {"page": number})
    start = max(0, min(number - MAX_LINKS // 2, size - MAX_LINKS))
    view = {
        "item": item,
        "edit": edit_view(reviewed, labels_for(contents), {}, limit=WHOLE_LIMIT),
        "person": read_person(reviewed),
        "other": other_column_view(contents.other_column(reviewed.edit)),
        "verdicts": VERDICTS,
        "other_tags": OTHER_TAGS,
        "here": this,
        "then": here if state.rated + (not item.tags) < size else this,
        "strip": [
            (each.number, address(here, {"page": each.number}), bool(each.tags))
            for each in items[start : start + MAX_LINKS]
        ],
        "previous": address(here, {"page": number - 1}) if number > 1 else "",
        "next": address(here, {"page": number + 1}) if number < size else "",
        "raters": [
            (cut(who), n, percent(n / size)) for who, n in list(state.summary.progress.items())[:MAX_RATERS]
        ],
        "error": _share(state.error),
        "tags": [(name, _share(share)) for name, share in state.tags.items()],
        "population": count(state.summary.population),
    }
    around = asdict(contents.edits.neighbours(item.key, EditFilter()))
    data = {**state.to_dict(), "number": number, "edit": {**cut_edit(reviewed, WHOLE_LIMIT), **around}}
    return PageView("sample.html.jinja", data, view)


def _share(found: EstimatedShare | None) -> View | None:
    if found is None:
        return None
    return View(share=percent(found.share), interval=f"{percent(found.low)} to {percent(found.high)}")
