"""What all pages share: the query, addresses, cutting of texts, and the HTML frame.

    (contents, query)  ->  PageView(template, data, view)  ->  .json: data as it is
                                                       ->  render(): HTML, from `page` (data) and `view` (cards, charts)

Texts are cut, so that no page grows with the texts of a dataset: `cut_edit` for lists, `part_of` for whole texts. Everything is
escaped and cleaned as in the report. Pages have no inline style and no inline script: the policy forbids both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from importlib.resources import files
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote, urlencode

from jinja2 import Environment
from markupsafe import Markup, escape

from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut
from longway.report.html import environment
from longway.report.labels import Label, labels_of
from longway.report.numbers import counted, percent
from longway.review.decisions import Decision
from longway.review.edit_list import EditFilter, ListPage, ReviewedEdit
from longway.review.run_contents import RunContents

Query = Mapping[
    str, Any
]  # values of the path and behind the ?, checked (`routes.PAGES`), and "author": who looks at the page
Json = dict[str, object]
View = SimpleNamespace  # what a template shows of one thing: its texts cut, its figures in words

LIST_BUDGET = 10_000  # characters of each version of a text, over all texts of a list
LONGEST_IN_LIST = 1_000
PART = 8_000  # characters of a whole text on one page
MAX_PARTS = 200  # links to parts
MAX_OPTIONS, OPTION_BUDGET = 60, 4_000  # of a filter: number, and characters of all of them
LONGEST_ADDRESS = 1_900  # of the page that a form goes back to
FILTERS = tuple(entry.name for entry in fields(EditFilter))
CHOICES = {
    "edit": {"accept": "accepted", "reject": "rejected", "hand": "edited by hand", "none": "not decided"},
    "finding": {"signal": "real signal, leave alone", "shortcut": "shortcut, remove", "none": "not decided"},
}
# Trees and proof have the style sheets of their reports; all others those of edits of any command.
SHEETS = {
    "trees.html.jinja": ("style.css", "grammar.css"),
    "proof.html.jinja": ("style.css", "rewrite.css", "highlights.css", "prove.css"),
}
EDIT_SHEETS = ("style.css", "rewrite.css", "augment.css", "perturb.css", "highlights.css")
TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


@dataclass(frozen=True)
class PageView:
    """A page. data: plain JSON, for scripts. view: what the template needs in addition."""

    template: str
    data: Mapping[str, object]
    view: Mapping[str, object] = field(default_factory=dict)


def edit_filter(query: Query) -> EditFilter:
    """The filter of an address."""
    return EditFilter(**{name: query[name] for name in FILTERS if query.get(name)})


def address(path: str, values: Mapping[str, object]) -> str:
    """An address with query parameters; empty values are left out.

    >>> address("/edits", {"label": "a&b", "search": "", "page": 2})
    '/edits?label=a%26b&page=2'
    """
    given = {name: str(value) for name, value in values.items() if value not in ("", None)}
    return f"{path}?{urlencode(given)}" if given else path


def back_to(place: str, *, otherwise: str) -> str:
    """Where a form goes back to; `otherwise` if the address is too long to be sent along."""
    return place if len(place) <= LONGEST_ADDRESS else otherwise


def row_address(id_: str) -> str:
    """The address of a row; its id can be any text."""
    return "/data/" + quote(id_, safe="").replace(".", "%2E")


def page_links(page: ListPage[Any], path: str, values: Mapping[str, object]) -> View:
    """The links between the pages of a list."""

    def at(number: int) -> str:
        return address(path, {**values, "page": number})

    near = sorted({1, page.pages, *range(max(1, page.number - 2), min(page.pages, page.number + 2) + 1)})
    return View(
        total=page.total,
        number=page.number,
        pages=page.pages,
        links=[(number, address(path, {**values, "page": number if number > 1 else ""})) for number in near],
        previous=at(page.number - 1) if page.number > 1 else "",
        next=at(page.number + 1) if page.number < page.pages else "",
    )


def part_links(here: str, values: Mapping[str, object], parts: int) -> list[str]:
    """Links to the parts of a whole text."""
    return [address(here, {**values, "part": at}) for at in range(1, min(parts, MAX_PARTS) + 1)]


def numbers_of(page: ListPage[Any]) -> dict[str, object]:
    """The position of a page in its list, as JSON."""
    return {"total": page.total, "number": page.number, "pages": page.pages}


def options(counts: Mapping[str, int], chosen: str) -> dict[str, int]:
    """The values of a filter with their counts, as many as fit; always includes the chosen one."""
    shown: dict[str, int] = {}
    left = OPTION_BUDGET
    for value, n in counts.items():
        if len(shown) == MAX_OPTIONS or len(value) > min(left, 400):
            break
        left -= len(value)
        shown[value] = n
    if chosen:
        shown.setdefault(chosen, counts.get(chosen, 0))
    return shown


def labels_for(contents: RunContents) -> dict[str, Label]:
    """The labels of the run with the colours of its report."""
    known = (contents.summary.get("dataset") or {}).get("labels")
    return labels_of(known if isinstance(known, dict) else contents.edits.facets().get("label", {}))


def list_limit(n: int) -> int:
    """How many characters of each text a list of n shows."""
    return min(LONGEST_IN_LIST, LIST_BUDGET // max(n, 1))


def cut_edit(reviewed: ReviewedEdit, limit: int) -> Json:
    """An edit as JSON for a list: texts cut, trace left out; "is_cut" says whether something is missing."""
    failed = [
        {**verdict.to_dict(), "reason": verdict.reason[:200]}
        for verdict in reviewed.edit.verdicts
        if not verdict.passed
    ]
    values = {name: value for name, value in reviewed.to_dict().items() if name not in ("trace", "verdicts")}
    return {
        **{name: value[:limit] if isinstance(value, str) else value for name, value in values.items()},
        "failed": failed[:3],
        "decision": cut_decision(reviewed.decision, limit),
        "is_cut": max(len(reviewed.edit.before), len(reviewed.edit.after)) > limit,
    }


def cut_decision(decision: Decision | None, limit: int) -> Json | None:
    """A decision as JSON, with its texts and lists cut."""
    if decision is None:
        return None
    value = {
        name: item[:limit] if isinstance(item, str) else item[:14] if isinstance(item, list) else item
        for name, item in decision.value.items()
    }
    return {**decision.to_dict(), "value": value}


def decided_by(decision: Decision | None) -> str:
    """The decision and its author in words; "" if undecided."""
    if decision is None or decision.choice == "none":
        return ""
    return f"{CHOICES[decision.kind][decision.choice]} by {cut(decision.author)}"


def history_lines(history: Iterable[Decision]) -> list[tuple[str, str, str, str]]:
    """Decisions in words: time, author, choice, key."""
    return [
        (
            when(decision.time),
            cut(decision.author),
            CHOICES[decision.kind].get(decision.choice, "changed"),
            decision.key,
        )
        for decision in history
    ]


def part_of(text: str, number: int) -> tuple[str, int]:
    """One part of a whole text, and the number of parts."""
    n_parts = max(1, -(-len(text) // PART))
    at = min(number, n_parts) - 1
    return text[at * PART : (at + 1) * PART], n_parts


def when(time: str) -> str:
    """A time of the log, for people.

    >>> when("2026-11-16T01:44:34.123456Z")
    '2026-11-16 01:44'
    """
    return time[:16].replace("T", " ")


def render(shown: PageView, contents: RunContents, *, path: str, author: str) -> str:
    """The whole HTML of a page. path: its address. author: who looks at it."""
    facets = contents.edits.facets()
    n_edits = sum(facets["status"].values())
    template = review_environment().get_template(shown.template)
    return template.render(
        page=shown.data,
        view=shown.view,
        run=cut(contents.folder.name, PATTERN_LIMIT),
        command=cut(contents.command),
        author=cut(author),
        tabs=_tabs(contents, path),
        json_address=shown.view.get("json") or ("/overview.json" if path in ("", "/") else f"{path}.json"),
        sheets=(*SHEETS.get(shown.template, EDIT_SHEETS), "review.css"),
        n_edits=n_edits,
        n_decided=n_edits - facets["choice"].get("none", 0),
    )


def render_error(message: str, contents: RunContents, *, author: str) -> str:
    """A page with an error message."""
    shown = PageView("error.html.jinja", {"error": message}, {"title": "Not shown"})
    return render(shown, contents, path="", author=author)


def static_files() -> dict[str, tuple[bytes, str]]:
    """The files that pages refer to, by name, with their types: ours and the style sheets of the report."""
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
    """The environment of the templates: whatever text they show is escaped, and cleaned on the way."""
    ours = environment("longway.review")
    ours.globals["exactly"] = exactly
    ours.filters |= {
        "percent": percent,
        "counted": counted,
        "name": lambda text: cut(str(text)),
        "short": lambda text: cut(str(text), PATTERN_LIMIT),
        "sentence": lambda text: cut(str(text), TEXT_LIMIT),
        "when": when,
        "row_address": row_address,
    }
    return ours


def exactly(text: str) -> Markup:
    """A value that a form sends back unchanged: escaped, but not cleaned."""
    return escape(text.encode("utf-8", "replace").decode())


def _tabs(contents: RunContents, path: str) -> list[View]:
    """The pages that have content for this run."""
    needs = {
        "findings": "findings",
        "edits": "edits",
        "groups": "edits",
        "data": "rows",
        "trees": "trees",
        "proof": "proof",
    }
    first = {"edits": "/edits?status=kept"}  # edits that are in the dataset come first
    here = path.split("/")[1:2]
    named = [
        View(name=name.title(), address=first.get(name, f"/{name}"), is_here=here == [name])
        for name, needed in {**needs, "sample": "edits"}.items()
        if contents.has(needed)
    ]
    overview = View(name="Overview", address="/", is_here=path == "/")
    return [overview, *named, View(name="Run", address="/run", is_here=here == ["run"])]
