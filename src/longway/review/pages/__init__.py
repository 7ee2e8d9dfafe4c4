"""The pages of a review, one a file: (book, query) -> Shown, as JSON for scripts and as HTML for people.

    PAGES["edits"](book, {"label": "refuted", "page": "2"})  ->  Shown  ->  render(): HTML

The query has the values behind the ? and those in the path ("key", "id", "name"), and "author": who looks at the page.
"""

from __future__ import annotations

from collections.abc import Callable

from longway.review.book import Book
from longway.review.pages.data import data_page, row_page
from longway.review.pages.edits import edit_page, edits_page
from longway.review.pages.findings import finding_page, findings_page
from longway.review.pages.overview import overview_page
from longway.review.pages.proof import proof_page
from longway.review.pages.render import render, render_error, static_files
from longway.review.pages.run import run_page
from longway.review.pages.sample import sample_page, samples_page
from longway.review.pages.shown import Query, Shown
from longway.review.pages.trees import trees_page

__all__ = ["PAGES", "Shown", "render", "render_error", "static_files"]

PAGES: dict[str, Callable[[Book, Query], Shown]] = {
    "": overview_page,
    "findings": findings_page,
    "findings/{key}": finding_page,
    "edits": edits_page,
    "edits/{key}": edit_page,
    "data": data_page,
    "data/{id}": row_page,
    "trees": trees_page,
    "proof": proof_page,
    "run": run_page,
    "sample": samples_page,
    "sample/{name}": sample_page,
}
