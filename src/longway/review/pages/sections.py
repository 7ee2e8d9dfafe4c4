"""A page of the report inside the review, in as many pages as its size asks for: cut between sections, never within one.

template of the report  ->  HTML  ->  sections  ->  pages of at most LIMIT bytes, and a list of what stands where
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from longway.review.book import Page
from longway.review.pages.render import review_environment
from longway.review.pages.shown import Query, Shown, address, paged, whole_number

LIMIT = 230_000  # bytes of a page without its frame
_START = re.compile(r'(?=<section id="(?:\w+)">)')  # ours: what comes from data is escaped and has no "<"


@dataclass(frozen=True, slots=True)
class Section:
    """A section: its id, its heading, and the page it stands on, from 1."""

    id: str
    title: str
    page: int


def in_pages(template: str, page: Any) -> tuple[list[Markup], list[Section]]:
    """The pages of a report's template, and its sections in order."""
    first, *rest = _START.split(review_environment().get_template(template).render(page=page))
    pages, left = [[first]], LIMIT - len(first.encode())
    sections = []
    for one in map(_fitting, rest):
        size = len(one.encode())
        if size > left and pages[-1]:
            pages.append([])
            left = LIMIT
        pages[-1].append(one)
        left -= size
        sections.append(Section(_found(r'id="(\w+)"', one), _found(r"<h2>([^<]*)", one).strip(), len(pages)))
    return [Markup("".join(parts)) for parts in pages], sections


def report_shown(
    name: str,
    summary: Mapping[str, Any],
    query: Query,
    made: tuple[list[Markup], list[Section]],
    kept: Sequence[str],
) -> Shown:
    """One of the pages. name: of the page in the review; kept: what scripts get of the summary, as far as it fits."""
    pages, sections = made
    found = Page([], len(sections), min(whole_number(query, "page", 1), len(pages)), len(pages))
    data: dict[str, Any] = {"pages": len(pages), "number": found.number, "left_out": []}
    left = LIMIT
    for key in kept:
        if key in summary:
            size = len(json.dumps(summary[key]))
            if size <= left:
                data[key] = summary[key]
                left -= size
            else:
                data["left_out"].append(key)
    view = {
        "title": name.title(),
        "html": pages[found.number - 1],
        "pages": paged(found, f"/{name}", {}),
        "sections": [
            (one.title, f"{address(f'/{name}', {'page': one.page if one.page > 1 else ''})}#{one.id}")
            for one in sections
        ],
    }
    return Shown(f"{name}.html.jinja", data, view)


def _fitting(section: str) -> str:
    """The section, or where to find it if it would fill more than a page alone."""
    if len(section.encode()) <= LIMIT:
        return section
    head = section[: section.index("</h2>") + len("</h2>")]
    return f'{head}<p class="nothing">This part is too large for a page of the review. report.html in the run folder has it.</p></section>'


def _found(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    return match[1] if match else ""
