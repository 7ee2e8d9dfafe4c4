"""Data: any row of the dataset, and what became of it.

book.rows(search, label)  ->  data_page();   book.row(id)  ->  row_page(): its text, its edits, who decided what
"""

from __future__ import annotations

from typing import Any

from longway.report.edit_view import EDIT_LIMIT
from longway.report.parts import label_named
from longway.report.shown import NAME_LIMIT, cut
from longway.review.book import Book
from longway.review.pages.edits import CHOICES, edit_view
from longway.review.pages.shown import (
    Query,
    Shown,
    address,
    choice_of,
    cut_decision,
    cut_edit,
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

SIZE, MOST = 25, 100
MAX_EDITS = 25
MAX_HISTORY = 50


def data_page(book: Book, query: Query) -> Shown:
    """A page of the rows."""
    asked = {name: query[name] for name in ("search", "label") if query.get(name)}
    size = whole_number(query, "size", SIZE, most=MOST)
    found = book.rows(
        search=asked.get("search", ""),
        label=asked.get("label", ""),
        page=whole_number(query, "page", 1),
        size=size,
    )
    labels = labels_for(book)
    limit = min(400, list_limit(len(found.rows)))
    known = {label.key: label.count for label in labels.values()}
    data = {
        "filter": asked,
        **numbers_of(found),
        "rows": [_cut_row(one, limit) for one in found.rows],
        "labels": dict(options(known, asked.get("label", ""))),
    }
    view = {
        "asked": {name: asked.get(name, "") for name in ("search", "label")},
        "rows": [
            {
                "id": cut(one["id"], NAME_LIMIT),
                "address": row_address(one["id"]),
                "label": label_named(one["label"], labels),
                "text": cut(one["text"], limit),
                "context": cut(one["context"], limit // 2) if one["context"] else "",
            }
            for one in found.rows
        ],
        "pages": paged(found, "/data", {**asked, "size": size if size != SIZE else ""}),
    }
    return Shown("data.html.jinja", data, view)


def row_page(book: Book, query: Query) -> Shown:
    """One row with its edits and what was decided about them."""
    row = book.row(query["id"])
    number = whole_number(query, "part", 1)
    labels = labels_for(book)
    edits = row["edits"][:MAX_EDITS]
    limit = list_limit(len(edits))
    text, n_parts = part_of(row["text"] or "", number)
    context, n_context = part_of(row["context"] or "", number)
    parts = max(n_parts, n_context)
    data: dict[str, Any] = {
        "id": row["id"],
        "number": row["number"],
        "label": row["label"],
        "text": None if row["text"] is None else text,
        "context": None if row["context"] is None else context,
        "part": min(number, parts),
        "parts": parts,
        "edits": [cut_edit(one, limit) for one in edits],
        "n_edits": len(row["edits"]),
        "history": [cut_decision(one, 300) for one in row["history"][:MAX_HISTORY]],
    }
    here = row_address(row["id"])
    view = {
        "label": label_named(row["label"], labels) if row["label"] is not None else None,
        "edits": [edit_view(one, labels, {}, limit=min(limit, EDIT_LIMIT)) for one in edits],
        "history": [
            (
                when(one["time"]),
                cut(one["author"], NAME_LIMIT),
                CHOICES.get(choice_of(one), "changed"),
                one["key"],
            )
            for one in row["history"][:MAX_HISTORY]
        ],
        "here": here,
        "json": f"{here}.json",
        "parts": [address(here, {"part": at}) for at in range(1, min(parts, 200) + 1)] if parts > 1 else [],
    }
    return Shown("row.html.jinja", data, view)


def _cut_row(row: dict[str, Any], limit: int) -> dict[str, Any]:
    return {**row, "text": row["text"][:limit], "context": (row["context"] or "")[:limit] or None}
