"""The pages of a review: (contents, query) -> PageView, as JSON for scripts and as HTML for people.

PAGES["edits"](contents, {"label": "refuted", "page": "2"})  ->  PageView  ->  render(): HTML
"""

from __future__ import annotations

from collections.abc import Callable

from longway.review.pages.edit_pages import (
    data_page,
    edit_page,
    edits_page,
    groups_page,
    row_page,
    sample_page,
    samples_page,
)
from longway.review.pages.finding_pages import finding_page, findings_page
from longway.review.pages.page_layout import PageView, Query, render, render_error, static_files
from longway.review.pages.run_pages import overview_page, proof_page, run_page, summary_page, trees_page
from longway.review.run_contents import RunContents

__all__ = ["PAGES", "PageView", "render", "render_error", "static_files"]

PAGES: dict[str, Callable[[RunContents, Query], PageView]] = {
    "": overview_page,
    "findings": findings_page,
    "findings/{key}": finding_page,
    "edits": edits_page,
    "edits/{key}": edit_page,
    "groups": groups_page,
    "summary": summary_page,
    "data": data_page,
    "data/{id}": row_page,
    "trees": trees_page,
    "proof": proof_page,
    "run": run_page,
    "sample": samples_page,
    "sample/{name}": sample_page,
}
