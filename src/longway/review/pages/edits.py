"""Edits: the list with its filters, and one edit with everything that is known about it.

book.edits(filter)  ->  edits_page()  ->  cards with both texts, decisions at once or all of a filter
book.edit(key)      ->  edit_page()   ->  both texts, checks, triples, the person's words, what was decided, by hand or not
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from markupsafe import Markup, escape

from longway.records import Verdict
from longway.report.augment_steps import step_card
from longway.report.edit_view import (
    COMPARE_LIMIT,
    MAX_CHIPS,
    Chip,
    EditCard,
    edit_card,
    side_by_side,
    verdict_chip,
)
from longway.report.numbers import arrow, or_dash, three_digits
from longway.report.parts import Label, record
from longway.report.perturb_cards import CHAIN
from longway.report.shown import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, Piece, Span, cut, harmless
from longway.review.book import Book
from longway.review.pages.shown import (
    FILTERS,
    Query,
    Shown,
    address,
    asked,
    back_to,
    choice_of,
    cut_decision,
    cut_edit,
    edit_filter,
    labels_for,
    list_limit,
    numbers_of,
    options,
    paged,
    part_of,
    row_address,
    when,
    whole_number,
)
from longway.review.pages.telling import STRENGTHS, telling

Notes = tuple[Sequence[Span], Sequence[Span]]

SIZE, MOST = 20, 50
WHOLE_LIMIT = 4_000  # characters of each version on the page of one edit; the whole text has pages of its own
HAND_LIMIT = 20_000  # characters of a text that can be written by hand here
BESIDE_LIMIT = 4_000  # of the other side of a pair
MOST_TRACE = 40_000  # characters of the steps on the way
MAX_CHAIN = 200
MAX_LEFT = 6
MAX_HISTORY = 20
STATUS = {"kept": "kept by the run", "refused": "refused by the run"}
CHOICES = {"accept": "accepted", "reject": "rejected", "hand": "edited by hand", "none": "not decided"}
ORDERS = {"file": "as in the run", "random": "at random", "score": "largest change of gamma first"}


@dataclass(frozen=True, slots=True)
class Hand:
    """A text that was written by hand."""

    after: list[Piece]
    passed: bool
    chips: list[Chip]
    n_more_chips: int


@dataclass(frozen=True, slots=True)
class Person:
    """Whom a perturbation changed: the words that stand for the person are marked in `before`."""

    word: str
    how: str
    before: list[Piece]
    after: list[Piece]
    left: list[str]


@dataclass(frozen=True, slots=True)
class EditView:
    """One edit on a page. seen: the number of the decision that is shown, for those who decide at the same time."""

    key: str
    number: int
    address: str
    card: EditCard
    status: str
    choice: str
    decided: str
    seen: int
    hand: Hand | None
    row: str
    source: str


def edits_page(book: Book, query: Query) -> Shown:
    """A page of the list of edits."""
    filter = edit_filter(query)
    size = whole_number(query, "size", SIZE, most=MOST)
    found = book.edits(filter, page=whole_number(query, "page", 1), size=size)
    limit = list_limit(len(found.rows))
    values = asked(filter)
    facets = book.facets()
    labels = labels_for(book)
    links = {**values, "size": size if size != SIZE else ""}
    data = {
        "filter": values,
        **numbers_of(found),
        "edits": [cut_edit(one, limit) for one in found.rows],
        "facets": {name: dict(options(counts, getattr(filter, name))) for name, counts in facets.items()},
    }
    view = {
        "asked": {name: values.get(name, "") for name in FILTERS},
        "edits": [edit_view(one, labels, values, limit=min(limit, 800)) for one in found.rows],
        "pages": paged(found, "/edits", links),
        "back": back_to(address("/edits", {**links, "page": found.number}), otherwise="/edits"),
        "status": STATUS,
        "choices": CHOICES,
        "orders": ORDERS,
    }
    return Shown("edits.html.jinja", data, view)


def edit_page(book: Book, query: Query) -> Shown:
    """One edit, with its neighbours in the filter."""
    filter = edit_filter(query)
    edit = book.edit(query["key"], filter)
    history = book.decisions.history("edit", edit["key"], last=MAX_HISTORY)
    number = whole_number(query, "part", 0)  # 0: what changed, not the whole text
    labels, values = labels_for(book), asked(filter)
    texts = {name: part_of(edit[name], number or 1) for name in ("before", "after")}
    n_parts = max(n for _, n in texts.values())
    trace = edit.get("trace") or {}
    is_whole = len(json.dumps(trace)) <= MOST_TRACE
    beside = book.beside(edit)
    told = telling(book, edit, labels, beside)
    data = {
        **edit,
        **{name: text for name, (text, _) in texts.items()},
        "part": number or 1,
        "parts": n_parts,
        "trace": trace if is_whole else {},
        "verdicts": [
            {**one, "reason": str(one.get("reason", ""))[:1000]} for one in edit["verdicts"][:MAX_CHIPS]
        ],
        "decision": cut_decision(edit["decision"], HAND_LIMIT),
        "history": [cut_decision(one.to_dict(), 300) for one in history],
        "beside": None if beside is None else {"column": beside[0], "text": beside[1][:BESIDE_LIMIT]},
        "telling": told.plain(),
        "filter": values,
    }
    here = f"/edits/{edit['key']}"
    onward = {
        name: address(f"/edits/{edit[name]}", values) if edit[name] else "" for name in ("previous", "next")
    }
    long = max(len(edit["before"]), len(edit["after"])) > WHOLE_LIMIT
    view = {
        "edit": edit_view(edit, labels, values, limit=WHOLE_LIMIT, notes=(told.before, told.after)),
        "telling": told,
        "strengths": STRENGTHS,
        "beside": beside_view(beside),
        "steps": step_card(edit, labels) if "triples" in trace else None,
        "person": _person(edit, told.before) if "chain" in trace else None,
        "change": _change(edit),
        "hand_text": _hand_text(edit),
        "history": [
            (when(one.time), cut(one.author, NAME_LIMIT), CHOICES.get(choice_of(one.to_dict()), "changed"))
            for one in history
        ],
        **onward,
        "list": address("/edits", values),
        "here": back_to(address(here, values), otherwise=here),
        "then": back_to(onward["next"] or address(here, values), otherwise=here),
        "whole": address(here, {**values, "part": 1}) if long else "",
        "parts": [address(here, {**values, "part": at}) for at in range(1, min(n_parts, 200) + 1)]
        if number
        else [],
    }
    return Shown("edit.html.jinja", data, view)


def edit_view(
    edit: Mapping[str, Any],
    labels: Mapping[str, Label],
    values: Mapping[str, str],
    *,
    limit: int,
    notes: Notes = ((), ()),
) -> EditView:
    """An edit as lists and pages show it; values: the filter, for its link. notes: words of both texts that tell something."""
    decision = edit["decision"]
    choice = choice_of(decision)
    card = edit_card(edit, labels, notes=notes, limit=limit)
    return EditView(
        key=edit["key"],
        number=edit["number"],
        address=address(f"/edits/{edit['key']}", values),
        card=card if limit == WHOLE_LIMIT else _small(card),
        status=edit["status"],
        choice=choice,
        decided=""
        if decision is None or choice == "none"
        else f"{CHOICES[choice]} by {cut(decision['author'], NAME_LIMIT)}",
        seen=0 if decision is None else int(decision["seq"]),
        hand=_hand(edit, decision, limit) if choice == "hand" else None,
        row=row_address(edit["id"]),
        source=cut(edit["source"], NAME_LIMIT) if edit.get("source") else "",
    )


def _small(card: EditCard) -> EditCard:
    """The card as a list has it: what failed, shortly."""
    return replace(
        card,
        chips=_failed(card.chips),
        n_more_chips=0,
        reason=cut(card.reason, PATTERN_LIMIT) if card.reason else "",
        context="",
    )


def _failed(chips: Sequence[Chip]) -> list[Chip]:
    failed = [one for one in chips if not one.passed]
    return [replace(one, reason=cut(one.reason, PATTERN_LIMIT) if one.reason else "") for one in failed[:2]]


def _hand(edit: Mapping[str, Any], decision: Mapping[str, Any], limit: int) -> Hand:
    value = decision["value"]
    texts = (harmless(text[:COMPARE_LIMIT]) for text in (edit["before"], value["text"]))
    verdicts = value.get("verdicts") or []
    chips = [verdict_chip(record(Verdict, one)) for one in verdicts[:MAX_CHIPS]]
    return Hand(
        after=side_by_side(*texts, limit=limit)[1],
        passed=bool(value.get("passed", True)),
        chips=chips if limit == WHOLE_LIMIT else _failed(chips),
        n_more_chips=0,
    )


def _hand_text(edit: Mapping[str, Any]) -> Markup | None:
    """The text to start from, letter for letter; None for one that is too long to be sent back."""
    decision = edit["decision"]
    text = decision["value"]["text"] if choice_of(decision) == "hand" else edit["after"]
    return None if len(text) > HAND_LIMIT else escape(text.encode("utf-8", "replace").decode())


def beside_view(beside: tuple[str, str] | None) -> tuple[str, str] | None:
    """The other side of a pair: its column and what stands there, cut."""
    return None if beside is None else (cut(beside[0], NAME_LIMIT), cut(beside[1], BESIDE_LIMIT))


def _person(edit: Mapping[str, Any], notes: Sequence[Span]) -> Person:
    """The words that stand for the person, in the text of this edit."""
    trace = edit["trace"]
    before, after = (harmless(edit[name][:COMPARE_LIMIT]) for name in ("before", "after"))
    marks = [
        (int(start), int(end), CHAIN)
        for name, start, end in trace["chain"][:MAX_CHAIN]
        if name == edit["field"]
    ]
    old, new = side_by_side(before, after, marks=marks, notes=(notes, ()), limit=WHOLE_LIMIT)
    return Person(
        word=cut(str(trace.get("word", "")), NAME_LIMIT),
        how=cut(f"{trace.get('axis')}: {trace.get('source')} to {trace.get('target')}", TEXT_LIMIT),
        before=old,
        after=new,
        left=[cut(str(words), TEXT_LIMIT) for words in (trace.get("left") or [])[:MAX_LEFT]],
    )


def _change(edit: Mapping[str, Any]) -> str:
    """Gamma before and after; "" where the run measured neither."""
    if edit.get("score_before") is None and edit.get("score_after") is None:
        return ""
    before, after = (or_dash(edit.get(f"score_{side}"), three_digits) for side in ("before", "after"))
    return before if before == after else arrow(before, after)
