"""Proof: the tables and charts of `longway prove`, the same as in its report.

results.json  ->  prove_page() of the report  ->  proof_page(), in as many pages as it takes
"""

from __future__ import annotations

from longway.review.book import Book
from longway.review.pages.overview import report_of
from longway.review.pages.sections import in_pages, report_shown
from longway.review.pages.shown import Query, Shown

KEPT = (
    "labels",
    "runs",
    "scores",
    "comparisons",
    "leaks",
    "worse",
    "worst",
    "concerns",
    "failed",
    "settings",
)


def proof_page(book: Book, query: Query) -> Shown:
    """What training on each version of the data came to."""
    if not book.has("proof"):
        words = "This run trained nothing on its data."
        told = {"title": "Proof", "words": words, "make": "longway prove BEFORE AFTER"}
        return Shown("nothing.html.jinja", {}, told)
    made = in_pages("prove_main.html.jinja", report_of(book))
    return report_shown("proof", book.summary, query, made, KEPT)
