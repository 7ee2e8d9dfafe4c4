"""A page as HTML: its template inside the frame of the review, with the parts that reports are made of, too.

    Shown  ->  render()  ->  HTML;  static_files(): the style sheets of the report and ours, and one script

Everything is escaped and cleaned as in the report. No style and no script stands in the page itself: the policy forbids both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader
from markupsafe import Markup, escape

from longway.report.numbers import count, counted, percent
from longway.report.page import environment
from longway.report.shown import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.review.book import Book
from longway.review.pages.shown import Shown, choice_of, row_address, when

# Trees and proof have the sheets of their reports; all others what edits of any command need.
SHEETS = {
    "trees.html.jinja": ("style.css", "grammar.css"),
    "proof.html.jinja": ("style.css", "rewrite.css", "highlights.css", "prove.css"),
}
EDIT_SHEETS = ("style.css", "rewrite.css", "augment.css", "perturb.css", "highlights.css")
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass(frozen=True, slots=True)
class Tab:
    """A link of the frame."""

    name: str
    address: str
    is_here: bool


def render(shown: Shown, book: Book, around: Mapping[str, Any]) -> str:
    """The whole HTML of a page. around: "path", "author" of who looks at it; nothing secret."""
    path = str(around.get("path", "/"))
    facets = book.facets() if book.has("edits") else {}
    n_edits = sum(facets.get("status", {}).values())
    return (
        review_environment()
        .get_template(shown.template)
        .render(
            page=shown.data,
            view=shown.view,
            run=cut(book.folder.name, PATTERN_LIMIT),
            command=cut(book.command, NAME_LIMIT),
            author=cut(str(around.get("author", "")), NAME_LIMIT),
            tabs=_tabs(book, path),
            json_address=shown.view.get("json") or _json_address(path),
            sheets=(*SHEETS.get(shown.template, EDIT_SHEETS), "review.css"),
            n_edits=n_edits,
            n_decided=n_edits - facets.get("choice", {}).get("none", 0),
        )
    )


def render_error(message: str, book: Book, *, author: str) -> str:
    """A page that says what is wrong, with the way to all others."""
    shown = Shown("error.html.jinja", {"error": message}, {"title": "Not shown"})
    return render(shown, book, {"path": "", "author": author})


def static_files() -> dict[str, tuple[bytes, str]]:
    """The files that pages refer to, by name, with their kinds: ours and the style sheets of the report."""
    folders = (files("longway.report").joinpath("templates"), files("longway.review").joinpath("static"))
    return {
        file.name: (file.read_bytes(), kind)
        for folder in folders
        for file in folder.iterdir()
        for ending, kind in TYPES.items()
        if file.name.endswith(ending)
    }


@cache
def review_environment() -> Environment:
    """The environment of the report with our templates beside its own, and a few words for them."""
    made = environment().overlay(
        loader=ChoiceLoader(
            [PackageLoader("longway.review", "templates"), PackageLoader("longway.report", "templates")]
        )
    )
    made.globals = {**made.globals, "exactly": exactly}
    made.filters = {
        **made.filters,
        "count": count,
        "percent": percent,
        "counted": counted,
        "name": lambda text: cut(str(text), NAME_LIMIT),
        "short": lambda text: cut(str(text), PATTERN_LIMIT),
        "sentence": lambda text: cut(str(text), TEXT_LIMIT),
        "when": when,
        "choice": choice_of,
        "row_address": row_address,
    }
    return made


def exactly(text: str) -> Markup:
    """A value that a form sends back letter for letter: escaped, and not cleaned as what people read is."""
    return escape(text.encode("utf-8", "replace").decode())


_FIRST = {"edits": "/edits?status=kept"}  # what stands in the dataset comes before what the run refused


def _tabs(book: Book, path: str) -> list[Tab]:
    """The pages that this run has something for."""
    has = {
        "findings": book.has("findings"),
        "edits": book.has("edits"),
        "data": book.has("rows"),
        "trees": book.has("trees"),
        "proof": book.has("proof"),
        "sample": book.has("edits"),
    }
    here = path.split("/")[1:2]
    named = [
        Tab(name.title(), _FIRST.get(name, f"/{name}"), here == [name])
        for name, there in has.items()
        if there
    ]
    return [Tab("Overview", "/", path == "/"), *named, Tab("Run", "/run", here == ["run"])]


def _json_address(path: str) -> str:
    return "/overview.json" if path in ("", "/") else f"{path}.json"
