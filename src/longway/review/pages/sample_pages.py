"""Samples: edits drawn at random for people to rate, and the resulting error rate.

samples(contents)                   ->  samples_page(): the samples, and a form to draw one
sample_state(contents, name, ...)   ->  sample_page(): one edit to rate, progress, the error rate with its interval
"""

from __future__ import annotations

from dataclasses import asdict

from longway.metrics.judgements import EstimatedShare
from longway.report.excerpts import cut
from longway.report.numbers import count, percent
from longway.review.edit_list import EditFilter
from longway.review.pages.edit_pages import WHOLE_LIMIT, edit_view, other_column_view, read_person
from longway.review.pages.page_layout import PageView, Query, View, address, cut_edit, labels_for
from longway.review.run_contents import RunContents
from longway.review.sampling import OTHER_TAGS, VERDICTS, sample_state, samples

MAX_SAMPLES = 50
MAX_RATERS = 12
MAX_LINKS = 200  # to edits of the sample


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
    number = min(query.get("page", first), size)
    item = items[number - 1]
    reviewed = contents.edits.get(item.key)
    here = f"/sample/{state.summary.name}"
    this = address(here, {"page": number})
    start = max(0, min(number - MAX_LINKS // 2, size - MAX_LINKS))
    view = {
        "item": item,
        "edit": edit_view(reviewed, labels_for(contents), {}, limit=WHOLE_LIMIT),
        "person": read_person(reviewed),
        "other": other_column_view(contents.other_column(reviewed.edit)),
        "verdicts": VERDICTS,
        "other_tags": OTHER_TAGS,
        "here": this,
        "then": here if state.rated + (not item.tags) < size else this,
        "strip": [
            (each.number, address(here, {"page": each.number}), bool(each.tags))
            for each in items[start : start + MAX_LINKS]
        ],
        "previous": address(here, {"page": number - 1}) if number > 1 else "",
        "next": address(here, {"page": number + 1}) if number < size else "",
        "raters": [
            (cut(who), n, percent(n / size)) for who, n in list(state.summary.progress.items())[:MAX_RATERS]
        ],
        "error": _share(state.error),
        "tags": [(name, _share(share)) for name, share in state.tags.items()],
        "population": count(state.summary.population),
    }
    around = asdict(contents.edits.neighbours(item.key, EditFilter()))
    data = {**state.to_dict(), "number": number, "edit": {**cut_edit(reviewed, WHOLE_LIMIT), **around}}
    return PageView("sample.html.jinja", data, view)


def _share(found: EstimatedShare | None) -> View | None:
    if found is None:
        return None
    return View(share=percent(found.share), interval=f"{percent(found.low)} to {percent(found.high)}")
