"""Reports inside the review: trees of a grammar run and the proof, split into pages between sections.

summary of the run  ->  report_of(contents)  ->  template of the report  ->  sections  ->  pages of at most LIMIT bytes
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

import longway
from longway.errors import RunError
from longway.report.html import body
from longway.report.sections import Page
from longway.review.edit_list import ListPage
from longway.review.pages.page_layout import (
    PageView,
    Query,
    View,
    address,
    page_links,
)
from longway.review.run_contents import RunContents

RESULTS = {  # by command: the result, and the key of its file that only the result on candidates has
    "repair": ("RepairResult", "leaks_before"),
    "rewrite": ("RewriteResult", ""),
    "augment": ("AugmentResult", ""),
    "perturb": ("PerturbResult", ""),
    "audit": ("AuditResult", "candidates"),
    "grammar": ("GrammarResult", ""),
    "fairness": ("FairnessResult", ""),
    "prove": ("ProveResult", "gaps"),
    "explain": ("ExplainResult", ""),
}
LIMIT = 230_000  # bytes of a page without its frame
_START = re.compile(r'(?=<section id="(?:\w+)">)')  # ours: values of the data are escaped and contain no "<"
TREES_JSON = ("dataset", "grammar", "classifier", "composites", "rules", "pictures")
PROOF_JSON = (
    "labels", "runs", "scores", "comparisons", "leaks", "worse", "worst", "concerns", "failed", "settings",
)  # fmt: skip


def report_of(contents: RunContents) -> Any:
    """The contents of the run's report; None for a run without one."""
    if contents.command not in RESULTS or not contents.summary:
        return None
    name, of_candidates = RESULTS[contents.command]
    try:
        is_choice = of_candidates in contents.summary or of_candidates in contents.summary.get("leak", ())
        kind = getattr(longway, f"Choice{name}" if is_choice else name)
        return kind.from_dict(contents.summary).page()
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise RunError(
            f"The figures of this run cannot be shown: {type(error).__name__}. Expected what `longway {contents.command}` "
            "of this version writes. Run it again."
        ) from error


def trees_page(contents: RunContents, query: Query) -> PageView:
    """The trees of the run."""
    if not contents.has("trees"):
        return _missing("Trees", "This run has no trees.", "longway grammar DATA")
    return _report_page(contents, query, "trees", TREES_JSON)


def proof_page(contents: RunContents, query: Query) -> PageView:
    """The tables and charts of `longway prove`."""
    if not contents.has("proof"):
        return _missing("Proof", "This run has no proof.", "longway prove BEFORE AFTER")
    return _report_page(contents, query, "proof", PROOF_JSON)


def _missing(title: str, words: str, make: str) -> PageView:
    return PageView("nothing.html.jinja", {}, {"title": title, "words": words, "make": make})


def _report_page(contents: RunContents, query: Query, name: str, keys: Sequence[str]) -> PageView:
    """One page of the run's report. keys: parts of the summary for the JSON, as far as they fit."""
    pages, sections = in_pages(report_of(contents))
    number = min(query.get("page", 1), len(pages))
    kept: dict[str, object] = {}
    left_out, left = [], LIMIT
    for key in keys:
        if key in contents.summary:
            size = len(json.dumps(contents.summary[key]))
            if size <= left:
                kept[key] = contents.summary[key]
                left -= size
            else:
                left_out.append(key)
    links = [
        (
            section.title,
            f"{address(f'/{name}', {'page': section.page if section.page > 1 else ''})}#{section.id}",
        )
        for section in sections
    ]
    view = {
        "title": name.title(),
        "html": pages[number - 1],
        "pages": page_links(ListPage([], len(sections), number, len(pages)), f"/{name}", {}),
        "sections": links,
    }
    data = {"pages": len(pages), "number": number, "left_out": left_out, **kept}
    return PageView(f"{name}.html.jinja", data, view)


def in_pages(page: Page) -> tuple[list[Markup], list[View]]:
    """The pages of a report, and its sections in order."""
    first, *rest = _START.split(body(page))
    pages, left = [[first]], LIMIT - len(first.encode())
    sections = []
    for section in map(_fitting, rest):
        size = len(section.encode())
        if size > left and pages[-1]:
            pages.append([])
            left = LIMIT
        pages[-1].append(section)
        left -= size
        id_, title = re.search(r'id="(\w+)"', section), re.search(r"<h2>([^<]*)", section)
        words = title[1].strip() if title else ""
        sections.append(View(id=id_[1] if id_ else "", title=words, page=len(pages)))
    return [Markup("".join(parts)) for parts in pages], sections


def _fitting(section: str) -> str:
    """The section, or a pointer to the report if it alone is larger than a page."""
    if len(section.encode()) <= LIMIT:
        return section
    head = section[: section.index("</h2>") + len("</h2>")]
    return f'{head}<p class="nothing">This section is too large for the review. See report.html in the run folder.</p></section>'
