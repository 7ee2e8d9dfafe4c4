"""Trees: the pictures and tables of a grammar run, the same as in its report.

tables.json  ->  grammar_page() of the report  ->  trees_page(), in as many pages as it takes
"""

from __future__ import annotations

from longway.review.book import Book
from longway.review.pages.overview import report_of
from longway.review.pages.sections import in_pages, report_shown
from longway.review.pages.shown import Query, Shown

KEPT = ("dataset", "grammar", "classifier", "composites", "rules", "pictures")


def trees_page(book: Book, query: Query) -> Shown:
    """The trees of the run and what they tell."""
    if not book.has("trees"):
        told = {"title": "Trees", "words": "This run has no trees.", "make": "longway grammar DATA"}
        return Shown("nothing.html.jinja", {}, told)
    made = in_pages("grammar_main.html.jinja", report_of(book))
    return report_shown("trees", book.summary, query, made, KEPT)
