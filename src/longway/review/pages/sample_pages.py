"""Samples: edits drawn at random for people to rate, and the resulting error rate.

samples(contents)                   ->  samples_page(): the samples, and a form to draw one
sample_state(contents, name, ...)   ->  sample_page(): one edit to rate, progress, agreement, the error rate with its interval
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from longway.metrics.judgements import Agreement, EstimatedShare
from longway.review.edit_list import EditFilter
from longway.review.pages.edit_pages import WHOLE_LIMIT, edit_view, other_column_view
from longway.review.pages.page_layout import PageView, Query, address, cut_edit, labels_for, whole_number
from longway.review.run_contents import RunContents
from longway.review.sampling import RaterAgreement, sample_state, samples
from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.numbers import NONE, count, or_dash, percent, three_digits

MAX_SAMPLES = 50
MAX_RATERS = 12
MAX_LINKS = 200  # to edits of the sample
HINTS = {
    "label kept": "the label still holds for the new text",
    "label changed": "the label no longer holds",
    "unnatural": "nobody would write it like this",
    "incomplete": "changed in one place but not in another that belongs to it",
    "factual change": "a fact about the world or a real person became wrong",
}


@dataclass(frozen=True, slots=True)
class ShareText:
    """A share with its interval."""

    share: str
    interval: str


@dataclass(frozen=True, slots=True)
class AgreementTable:
    """The agreement of two raters. rows: tag, share of equal answers, kappa, interval of kappa."""

    raters: str
    rows: list[tuple[str, str, str, str]]


def samples_page(contents: RunContents, query: Query) -> PageView:
    """The samples of the run."""
    drawn = samples(contents)[:MAX_SAMPLES] if contents.has("edits") else []
    known = {sample.name for sample in drawn}
    view = {
        "samples": [(sample, list(sample.progress.items())[:MAX_RATERS]) for sample in drawn],
        "has_edits": contents.has("edits"),
        "suggested": next(name for at in range(1, len(known) + 2) if (name := f"sample-{at}") not in known),
    }
    return PageView("samples.html.jinja", {"samples": [asdict(sample) for sample in drawn]}, view)


def sample_page(contents: RunContents, query: Query) -> PageView:
    """One edit of a sample to rate, and the results so far."""
    state = sample_state(contents, query["name"], rater=query.get("author") or "nobody")
    items, size = state.items, len(state.items)
    first = next((item.number for item in items if not item.tags), 1)
    number = min(whole_number(query, "page", first), size)
    item = items[number - 1]
    reviewed = contents.edits.get(item.key)
    here = f"/sample/{state.summary.name}"
    this = address(here, {"page": number})
    start = max(0, min(number - MAX_LINKS // 2, size - MAX_LINKS))
    view = {
        "item": item,
        "edit": edit_view(reviewed, labels_for(contents), {}, limit=WHOLE_LIMIT),
        "other": other_column_view(contents.other_column(reviewed.edit)),
        "here": this,
        "then": here if state.rated + (not item.tags) < size else this,
        "strip": [
            (each.number, address(here, {"page": each.number}), bool(each.tags))
            for each in items[start : start + MAX_LINKS]
        ],
        "previous": address(here, {"page": number - 1}) if number > 1 else "",
        "next": address(here, {"page": number + 1}) if number < size else "",
        "hints": HINTS,
        "raters": [
            (cut(who, NAME_LIMIT), n, percent(n / size))
            for who, n in list(state.summary.progress.items())[:MAX_RATERS]
        ],
        "error": _share(state.estimate.error),
        "tags": [(name, _share(share)) for name, share in state.estimate.tags.items()],
        "agreement": _tables(state.agreement),
        "population": count(state.summary.population),
    }
    around = asdict(contents.edits.neighbours(item.key, EditFilter()))
    data = {**state.to_dict(), "number": number, "edit": {**cut_edit(reviewed, WHOLE_LIMIT), **around}}
    return PageView("sample.html.jinja", data, view)


def _share(found: EstimatedShare | None) -> ShareText | None:
    if found is None:
        return None
    return ShareText(percent(found.share), f"{percent(found.low)} to {percent(found.high)}")


def _tables(found: RaterAgreement | None) -> list[AgreementTable]:
    pairs = [] if found is None else found.pairs[:MAX_RATERS]
    return [
        AgreementTable(
            " and ".join(cut(who, NAME_LIMIT) for who in pair.raters),
            [
                (
                    what,
                    or_dash(agreed.percent, percent),
                    or_dash(agreed.kappa, three_digits),
                    _interval(agreed),
                )
                for what, agreed in {"error": pair.error, **pair.tags}.items()
            ],
        )
        for pair in pairs
    ]


def _interval(agreed: Agreement) -> str:
    if agreed.low is None or agreed.high is None:
        return NONE
    return f"{three_digits(agreed.low)} to {three_digits(agreed.high)}"
