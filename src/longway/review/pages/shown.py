"""What a page is: plain JSON for scripts, and the same made ready for people.

    (book, query)  ->  Shown(template, data, view)  ->  .json: data as it is
                                                    ->  HTML: the template, with `page` (data) and `view` (cards, charts)

Texts are cut here, so that no page grows with the texts of a dataset: `cut_edit` for lists, `part_of` for whole texts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode

from longway.errors import SettingError
from longway.report.parts import Label, labels_of
from longway.review.book import Book, EditFilter, Page

Query = Mapping[str, str]

LIST_BUDGET = 10_000  # characters of each version of a text, over all texts of a list
LONGEST_IN_LIST = 1_000
PART = 8_000  # characters of a whole text on one page
MOST_OPTIONS, OPTION_BUDGET = 60, 4_000  # of a filter: how many, and characters of all of them
LONGEST_ADDRESS = 1_900  # of the page that a form goes back to
FILTERS = ("status", "choice", "label", "method", "engine", "check", "search", "order")


@dataclass(frozen=True)
class Shown:
    """A page. data: plain JSON. view: what the template needs besides, made of the same data."""

    template: str
    data: dict[str, Any]
    view: dict[str, Any] = field(default_factory=dict)


def edit_filter(query: Query) -> EditFilter:
    """The filter that an address asks for."""
    return EditFilter(**{name: query[name] for name in FILTERS if query.get(name)})


def whole_number(query: Query, name: str, default: int, *, most: int = 1_000_000_000) -> int:
    """A number of an address, from 1; SettingError where it is none."""
    given = query.get(name, "")
    if not given:
        return default
    if not (given.isascii() and given.isdigit() and int(given) >= 1):
        raise SettingError(f"'{name}' must be a whole number from 1. Got {given[:40]!r}. Try {default}.")
    return min(int(given), most)


def address(path: str, values: Mapping[str, Any]) -> str:
    """An address of ours with values behind the ?; empty ones and those that say nothing are left out.

    >>> address("/edits", {"label": "a&b", "search": "", "page": 2})
    '/edits?label=a%26b&page=2'
    """
    told = {name: str(value) for name, value in values.items() if value not in ("", None)}
    return f"{path}?{urlencode(told)}" if told else path


def back_to(place: str, *, otherwise: str) -> str:
    """Where a form goes back to; `otherwise` where the address is too long to be sent along."""
    return place if len(place) <= LONGEST_ADDRESS else otherwise


def row_address(id_: str) -> str:
    """The address of a row; its id can be any text."""
    return "/data/" + quote(id_, safe="").replace(".", "%2E")


def asked(filter: EditFilter) -> dict[str, str]:
    """The filter as values of an address; what stands for all is left out."""
    plain = EditFilter()
    return {name: getattr(filter, name) for name in FILTERS if getattr(filter, name) != getattr(plain, name)}


def paged(page: Page, path: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """What leads from one page of a list to the others."""
    around = sorted({1, page.pages, *range(max(1, page.number - 2), min(page.pages, page.number + 2) + 1)})
    return {
        "total": page.total,
        "number": page.number,
        "pages": page.pages,
        "links": [(one, address(path, {**values, "page": one if one > 1 else ""})) for one in around],
        "previous": address(path, {**values, "page": page.number - 1}) if page.number > 1 else "",
        "next": address(path, {**values, "page": page.number + 1}) if page.number < page.pages else "",
    }


def numbers_of(page: Page) -> dict[str, int]:
    """Where a page of a list stands, for scripts."""
    return {"total": page.total, "number": page.number, "pages": page.pages}


def options(counts: Mapping[str, int], chosen: str) -> list[tuple[str, int]]:
    """The values of a filter with their counts, as many as a page holds; the chosen one is always there."""
    found: list[tuple[str, int]] = []
    left = OPTION_BUDGET
    for value, n in counts.items():
        if len(found) == MOST_OPTIONS or len(value) > min(left, 400):
            break
        left -= len(value)
        found.append((value, n))
    if chosen and all(value != chosen for value, _ in found):
        found.append((chosen, counts.get(chosen, 0)))
    return found


def labels_for(book: Book) -> dict[str, Label]:
    """The labels of the run with their colours, as its report has them."""
    known = (book.summary.get("dataset") or {}).get("labels")
    return labels_of(known if isinstance(known, dict) else book.facets().get("label", {}))


def list_limit(n: int) -> int:
    """How many characters of each text a list of n has."""
    return min(LONGEST_IN_LIST, LIST_BUDGET // max(n, 1))


def cut_edit(edit: Mapping[str, Any], limit: int) -> dict[str, Any]:
    """An edit for a list: texts cut, the steps on the way left out; "is_cut" says whether something is missing."""
    long = any(len(edit[name]) > limit for name in ("before", "after"))
    told = {key: value for key, value in edit.items() if key not in ("trace", "verdicts")}
    failed = [
        {**one, "reason": str(one.get("reason", ""))[:200]}
        for one in edit.get("verdicts", ())
        if not one.get("passed")
    ]
    return {
        **{key: value[:limit] if isinstance(value, str) else value for key, value in told.items()},
        "failed": failed[:3],
        "decision": cut_decision(edit.get("decision"), limit),
        "is_cut": long,
    }


def cut_decision(decision: Mapping[str, Any] | None, limit: int) -> dict[str, Any] | None:
    """A decision whose text, where it has one, is cut."""
    if decision is None:
        return None
    value = {
        key: one[:limit] if isinstance(one, str) else one[:14] if isinstance(one, list) else one
        for key, one in decision["value"].items()
    }
    return {**decision, "value": value}


def part_of(text: str, number: int) -> tuple[str, int]:
    """One part of a whole text, and how many parts there are."""
    n_parts = max(1, -(-len(text) // PART))
    at = min(number, n_parts) - 1
    return text[at * PART : (at + 1) * PART], n_parts


def choice_of(decision: Mapping[str, Any] | None) -> str:
    """What was decided; "none" where nothing was."""
    return "none" if decision is None else str(decision["value"].get("choice") or "none")


def when(time: str) -> str:
    """A time of the log as people read it.

    >>> when("2026-11-16T01:44:34.123456Z")
    '2026-11-16 01:44'
    """
    return time[:16].replace("T", " ")
