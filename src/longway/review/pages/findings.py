"""Findings: the patterns that give a label away, what people say of each, and rows with the pattern in context.

    book.findings(...)  ->  findings_page()  ->  a table with filters
    book.finding(key)   ->  finding_page()   ->  rows that follow the pattern and rows that do not, with the pattern marked

A finding of an audit has counts and tests; one of a rewrite has what it told before and tells now.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from longway.detect.seen import words_of
from longway.errors import SettingError
from longway.report.change_charts import change_bar
from longway.report.charts import share_bar
from longway.report.numbers import NONE, arrow, count, finite, millibits, or_dash, percent, q_value, short
from longway.report.parts import Label, label_named, level_name
from longway.report.shown import (
    NAME_LIMIT,
    PATTERN_LIMIT,
    READ_LIMIT,
    Piece,
    cut,
    harmless,
    pieces,
)
from longway.review.book import Book
from longway.review.pages.shown import (
    Query,
    Shown,
    address,
    back_to,
    choice_of,
    labels_for,
    numbers_of,
    options,
    paged,
    row_address,
    when,
    whole_number,
)
from longway.stats import is_stronger

SIZE, MOST = 25, 100
EXAMPLE_LIMIT, CONTEXT_LIMIT = 500, 300
MARK_LEVEL = 4
MAX_MARKS = 60
NAMES = ("level", "label", "field", "max_q", "search", "choice")
CHOICES = {"signal": "real signal, leave alone", "shortcut": "shortcut, remove", "none": "not decided"}
MAX_HISTORY = 20
MAX_VARIANTS = 30


@dataclass(frozen=True, slots=True)
class FindingView:
    """A finding on a page; figures that a run did not measure are dashes, and is_change: whether it has a before and a now."""

    key: str
    address: str
    pattern: str
    level: str
    field: str
    label: Label
    texts: str
    share: str
    usual: str
    share_bar: Markup
    gain: str
    z: str
    q: str
    is_change: bool
    stronger: bool
    note: str
    choice: str
    decided: str
    seen: int


@dataclass(frozen=True, slots=True)
class Context:
    """A row with the pattern marked."""

    id: str
    address: str
    label: Label
    text: list[Piece]
    context: list[Piece]


def findings_page(book: Book, query: Query) -> Shown:
    """A page of the table of findings."""
    asked = {name: query[name] for name in NAMES if query.get(name)}
    found = book.findings(
        level=asked.get("level", ""),
        label=asked.get("label", ""),
        field=asked.get("field", ""),
        max_q=_max_q(asked.get("max_q", "")),
        search=asked.get("search", ""),
        choice=asked.get("choice", ""),
        page=whole_number(query, "page", 1),
        size=whole_number(query, "size", SIZE, most=MOST),
    )
    labels = labels_for(book)
    facets = _facets(book)
    data = {
        "filter": asked,
        **numbers_of(found),
        "findings": [light(one) for one in found.rows],
        "facets": {name: dict(options(counts, asked.get(name, ""))) for name, counts in facets.items()},
    }
    view = {
        "asked": {name: asked.get(name, "") for name in NAMES},
        "findings": [finding_view(one, labels) for one in found.rows],
        "pages": paged(found, "/findings", asked),
        "back": back_to(address("/findings", {**asked, "page": found.number}), otherwise="/findings"),
        "choices": CHOICES,
        "level_name": level_name,
        "n_damaged": book.n_damaged_findings,
        "has_q": any(one.get("q") is not None for one in found.rows),
    }
    return Shown("findings.html.jinja", data, view)


def finding_page(book: Book, query: Query) -> Shown:
    """One finding, with rows that follow it and rows that do not."""
    finding = book.finding(query["key"])
    labels = labels_for(book)
    history = book.decisions.history("finding", finding["key"], last=MAX_HISTORY)
    rows = {name: finding[f"{name}_rows"] for name in ("supporting", "counter")}
    data = {
        **light(finding),
        **{
            f"{name}_rows": [
                {**one, "text": one["text"][:1000], "context": (one["context"] or "")[:1000]} for one in some
            ]
            for name, some in rows.items()
        },
        "previous": finding["previous"],
        "next": finding["next"],
        "history": [one.to_dict() for one in history],
    }
    here = f"/findings/{finding['key']}"
    words = words_of(finding["level"], finding["pattern"], str(finding.get("field") or ""))
    view = {
        "finding": finding_view(finding, labels),
        "supporting": [_context(book, one, finding, labels) for one in rows["supporting"]],
        "counter": [_context(book, one, finding, labels) for one in rows["counter"]],
        "has_rows": book.has("rows"),
        "variants": [cut(one["pattern"], PATTERN_LIMIT) for one in finding.get("variants", ())][
            :MAX_VARIANTS
        ],
        "previous": f"/findings/{finding['previous']}" if finding["previous"] else "",
        "next": f"/findings/{finding['next']}" if finding["next"] else "",
        "here": here,
        "history": [
            (when(one.time), cut(one.author, NAME_LIMIT), CHOICES.get(choice_of(one.to_dict()), "changed"))
            for one in history
        ],
        "is_gone": finding.get("count_after") == 0,
        "edits": address("/edits", {"search": words})
        if words and book.has("edits") and len(words) <= 200
        else "",
    }
    return Shown("finding.html.jinja", data, view)


def finding_view(one: Mapping[str, Any], labels: Mapping[str, Label]) -> FindingView:
    """A finding of an audit, or one of a rewrite with its figures before and now."""
    label = label_named(one["label"], labels)
    decision = one.get("decision")
    choice = choice_of(decision)
    figures = _changed_figures(one, label, labels) if "count_before" in one else _figures(one, label)
    return FindingView(
        key=one["key"],
        address=f"/findings/{one['key']}",
        pattern=cut(one["pattern"], PATTERN_LIMIT),
        level=level_name(one["level"]),
        field=cut(one.get("field") or "text", NAME_LIMIT),
        label=label,
        note=cut(str(one["marked"]), PATTERN_LIMIT) if one.get("marked") else "",
        choice=choice,
        decided=""
        if decision is None or choice == "none"
        else f"{CHOICES[choice]} by {cut(decision['author'], NAME_LIMIT)}",
        seen=0 if decision is None else int(decision["seq"]),
        **figures,
    )


def light(one: Mapping[str, Any]) -> dict[str, Any]:
    """A finding for scripts: its variants by name, its texts cut."""
    told = {key: value for key, value in one.items() if not key.endswith("_rows")}
    if "variants" in told:
        told["variants"] = [cut(row["pattern"], PATTERN_LIMIT) for row in told["variants"][:MAX_VARIANTS]]
    return {key: value[:1000] if isinstance(value, str) else value for key, value in told.items()}


def _context(
    book: Book, row: Mapping[str, Any], finding: Mapping[str, Any], labels: Mapping[str, Label]
) -> Context:
    places = book.places(finding, book.seen(row["text"], row["context"])) or {}
    return Context(
        id=cut(row["id"], NAME_LIMIT),
        address=row_address(row["id"]),
        label=label_named(row["label"], labels),
        text=_marked(row["text"], places.get(book.text_column, ()), EXAMPLE_LIMIT),
        context=_marked(row["context"] or "", places.get(book.context_column or "", ()), CONTEXT_LIMIT),
    )


def _marked(text: str, spans: Iterable[tuple[int, int]], limit: int) -> list[Piece]:
    """The text around the pattern; what stands too far behind to be read is not marked."""
    near = [(start, end, MARK_LEVEL) for start, end in spans if end <= READ_LIMIT]
    return pieces(harmless(text[:READ_LIMIT]), near[:MAX_MARKS], limit=limit)


def _figures(one: Mapping[str, Any], label: Label) -> dict[str, Any]:
    share, usual = one.get("label_share"), one.get("base_rate")
    return {
        "texts": or_dash(one.get("count"), lambda n: count(int(n))),
        "share": or_dash(share, percent),
        "usual": f"usual {percent(usual)}" if usual is not None else "",
        "share_bar": share_bar(finite(share or 0.0), finite(usual or 0.0), colour=label.colour),
        "gain": or_dash(one.get("gain"), lambda nats: short(millibits(nats))),
        "z": or_dash(one.get("z"), short),
        "q": or_dash(one.get("q"), q_value),
        "is_change": False,
        "stronger": False,
    }


def _changed_figures(one: Mapping[str, Any], label: Label, labels: Mapping[str, Label]) -> dict[str, Any]:
    total = sum(each.count for each in labels.values()) or 1
    shares = [finite(one[f"share_{name}"] or 0.0) for name in ("before", "after")]
    gains = [finite(one[f"gain_{name}"] or 0.0) for name in ("before", "after")]
    return {
        "texts": _moved(*(count(int(one[f"count_{name}"] or 0)) for name in ("before", "after"))),
        "share": _moved(*map(percent, shares)),
        "usual": f"usual {percent(label.count / total)}",
        "share_bar": change_bar(*shares, full=1.0, usual=label.count / total),
        "gain": _moved(*(short(millibits(nats)) for nats in gains)),
        "z": NONE,
        "q": NONE,
        "is_change": True,
        "stronger": is_stronger(*gains),
    }


def _moved(before: str, now: str) -> str:
    """Both figures, or one where nothing moved."""
    return now if before == now else arrow(before, now)


def _facets(book: Book) -> dict[str, Mapping[str, int]]:
    """How many findings there are of each level, label and field."""
    counts: dict[str, Counter[str]] = {name: Counter() for name in ("level", "label", "field")}
    number, pages = 1, 1
    while number <= pages:
        found = book.findings(page=number, size=200)
        for one in found.rows:
            for name, counter in counts.items():
                counter[str(one.get(name) or "")] += 1
        number, pages = number + 1, found.pages
    return {name: dict(counter.most_common()) for name, counter in counts.items()}


def _max_q(given: str) -> float:
    if not given:
        return 1.0
    try:
        value = float(given)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise SettingError(f"'max_q' must be a number from 0 to 1. Got {given[:40]!r}. Try 0.05.")
    return value
