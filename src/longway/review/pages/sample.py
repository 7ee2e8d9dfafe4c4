"""Samples: edits drawn at random for people to rate, one after another, and the error rate they come to.

samples(book)                   ->  samples_page(): those that were drawn, and a form to draw one
sample_state(book, name, ...)   ->  sample_page(): one edit to rate, how far raters are, agreement, the error rate with its interval
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from longway.report.numbers import NONE, count, or_dash, percent, three_digits
from longway.report.shown import NAME_LIMIT, cut
from longway.review.book import Book
from longway.review.pages.edits import WHOLE_LIMIT, beside_view, edit_view
from longway.review.pages.shown import Query, Shown, address, cut_edit, labels_for, when, whole_number
from longway.review.sampling import sample_state, samples

MAX_SAMPLES = 50
MAX_RATERS = 12
STRIP = 200  # numbers of edits that a page links to
HINTS = {
    "label kept": "the label still holds for the new text",
    "label changed": "the label no longer holds",
    "unnatural": "no person would write it like this",
    "incomplete": "changed in one place and not in another that belongs to it",
    "factual change": "a fact about the world or a real person became wrong",
}


def samples_page(book: Book, query: Query) -> Shown:
    """The samples of the run."""
    drawn = samples(book)[:MAX_SAMPLES] if book.has("edits") else []
    view = {
        "samples": [
            {
                **one,
                "name": cut(one["name"], NAME_LIMIT),
                "address": f"/sample/{one['name']}",
                "when": when(one["drawn_at"]),
                "by": cut(one["drawn_by"], NAME_LIMIT),
                "raters": [
                    (cut(rater, NAME_LIMIT), n) for rater, n in list(one["progress"].items())[:MAX_RATERS]
                ],
            }
            for one in drawn
        ],
        "has_edits": book.has("edits"),
        "suggested": _free_name({one["name"] for one in drawn}),
    }
    return Shown("samples.html.jinja", {"samples": drawn}, view)


def sample_page(book: Book, query: Query) -> Shown:
    """One edit of a sample to rate, and what the ratings come to so far."""
    rater = query.get("author") or "nobody"
    state = sample_state(book, query["name"], rater=rater)
    items = state["items"]
    first = next((at for at, one in enumerate(items, 1) if not one["tags"]), 1)
    number = min(whole_number(query, "page", first), len(items))
    item = items[number - 1]
    edit = book.edit(item["key"])
    here = f"/sample/{state['name']}"
    start = max(0, min(number - STRIP // 2, len(items) - STRIP))
    data = {**state, "number": number, "edit": cut_edit(edit, WHOLE_LIMIT)}
    view = {
        "item": item,
        "edit": edit_view(edit, labels_for(book), {}, limit=WHOLE_LIMIT),
        "beside": beside_view(book.beside(edit)),
        "here": address(here, {"page": number}),
        "then": here if state["rated"] + (not item["tags"]) < len(items) else address(here, {"page": number}),
        "strip": [
            (one["number"], address(here, {"page": one["number"]}), bool(one["tags"]))
            for one in items[start : start + STRIP]
        ],
        "previous": address(here, {"page": number - 1}) if number > 1 else "",
        "next": address(here, {"page": number + 1}) if number < len(items) else "",
        "hints": HINTS,
        "raters": [
            (cut(who, NAME_LIMIT), n, percent(n / len(items)))
            for who, n in list(state["progress"].items())[:MAX_RATERS]
        ],
        "error": _share(state["estimate"]["error"]),
        "tags": [(name, _share(one)) for name, one in state["estimate"]["tags"].items()],
        "agreement": _agreement(state["agreement"]),
        "population": count(state["population"]),
    }
    return Shown("sample.html.jinja", data, view)


def _share(found: Mapping[str, Any] | None) -> dict[str, str] | None:
    """A share with its interval; None where some kind of edit was not rated yet."""
    if found is None:
        return None
    return {
        "share": percent(found["share"]),
        "interval": f"{percent(found['low'])} to {percent(found['high'])}",
    }


def _agreement(found: Mapping[str, Any] | None) -> list[dict[str, Any]]:
    """What each two raters agree on, in figures."""
    if found is None:
        return []
    return [
        {
            "raters": " and ".join(cut(who, NAME_LIMIT) for who in pair["raters"]),
            "rows": [
                (what, or_dash(one["percent"], percent), or_dash(one["kappa"], three_digits), _interval(one))
                for what, one in {"error": pair["error"], **pair["tags"]}.items()
            ],
        }
        for pair in found["pairs"][:MAX_RATERS]
    ]


def _interval(one: Mapping[str, Any]) -> str:
    low, high = one.get("low"), one.get("high")
    return NONE if low is None or high is None else f"{three_digits(low)} to {three_digits(high)}"


def _free_name(known: set[str]) -> str:
    """A name for the next sample."""
    return next(name for at in range(1, MAX_SAMPLES + 2) if (name := f"sample-{at}") not in known)
