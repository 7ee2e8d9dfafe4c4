"""Samples: edits drawn at random for people to rate, and the resulting error rate.

samples(contents)                   ->  samples_page(): the samples, and a form to draw one
sample_state(contents, name, ...)   ->  sample_page(): one edit to rate, progress, agreement, the error rate with its interval
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from markupsafe import Markup

from longway.metrics.judgements import EstimatedShare
from longway.report import html
from longway.report.excerpts import TEXT_LIMIT, Piece, cut
from longway.report.labels import Label, label_named
from longway.report.numbers import count, percent
from longway.review.agreement import NOTE, agreement_table, alpha_table, pair_name
from longway.review.edit_list import EditFilter, unknown
from longway.review.pages.edit_pages import WHOLE_LIMIT, edit_view, other_column_view, person_views
from longway.review.pages.page_layout import (
    Json,
    PageView,
    Query,
    address,
    cut_edit,
    labels_for,
    row_address,
    whole_number,
)
from longway.review.pages.people_views import row_pieces, row_stages, words_json
from longway.review.run_contents import RunContents
from longway.review.sampling import UNCHANGED, RaterAgreement, sample_state, samples
from longway.review.tags import COMPLEMENTS, REASONS

MAX_SAMPLES = 50
MAX_RATERS = 12
MAX_LINKS = 200  # to edits of the sample


@dataclass(frozen=True, slots=True)
class ShareText:
    """A share with its interval."""

    share: str
    interval: str


@dataclass(frozen=True, slots=True)
class UnchangedView:
    """A row that was left unchanged. before: its text, with the demographic words marked. why: the reason."""

    id: str
    address: str
    label: Label
    before: list[Piece]
    why: str


def samples_page(contents: RunContents, query: Query) -> PageView:
    """The samples of the run."""
    drawn = samples(contents)[:MAX_SAMPLES] if contents.has("edits") else []
    known = {sample.name for sample in drawn}
    view = {
        "samples": [(sample, list(sample.progress.items())[:MAX_RATERS]) for sample in drawn],
        "has_edits": contents.has("edits"),
        "is_perturbation": contents.command == "perturb",
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
    here = f"/sample/{state.summary.name}"
    this = address(here, {"page": number})
    start = max(0, min(number - MAX_LINKS // 2, size - MAX_LINKS))
    shown, data = (_row_item if item.kind == "row" else _edit_item)(contents, item.key)
    view = {
        "item": item,
        **shown,
        "scheme": state.drawn.schemes[item.key],
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
        "error": _share(state.estimate.error),
        "tags": [
            (name, _share(share))
            for name, share in state.estimate.tags.items()
            if state.drawn.scheme == "edits" or name not in REASONS | COMPLEMENTS
        ],
        "agreement": _tables(state.agreement),
        "alphas": html.block(alpha_table(state.agreement))
        if state.agreement and state.agreement.alphas
        else "",
        "note": NOTE,
        "population": count(state.summary.population),
        "n_unchanged": sum(stratum.members for stratum in state.drawn.strata if stratum.method == UNCHANGED),
        "can_draw_rows": state.drawn.scheme == "edits" or contents.has_people,
    }
    return PageView("sample.html.jinja", {**state.to_dict(), "number": number, **data}, view)


def _edit_item(contents: RunContents, key: str) -> tuple[Json, Json]:
    """An edit to rate, as values of the view and of the JSON."""
    reviewed = contents.edits.get(key)
    view: Json = {
        "edit": edit_view(reviewed, labels_for(contents), {}, limit=WHOLE_LIMIT),
        "row": None,
        **person_views(contents, reviewed),
        "other": other_column_view(contents.other_column(reviewed.edit)),
    }
    around = asdict(contents.edits.neighbours(key, EditFilter()))
    people = contents.people_of(reviewed.edit)
    return view, {
        "edit": {**cut_edit(reviewed, WHOLE_LIMIT), **around},
        "row": None,
        "words": words_json(people),
    }


def _row_item(contents: RunContents, key: str) -> tuple[Json, Json]:
    """An unchanged row to rate, as values of the view and of the JSON."""
    people = contents.people(key)
    if people is None:
        raise unknown("row", key)
    row = contents.row(people.id).row
    text, context = row.text or "", contents.columns.context
    view: Json = {
        "edit": None,
        "person": None,
        "row": UnchangedView(
            cut(people.id),
            row_address(people.id),
            label_named(row.label or "", labels_for(contents)),
            row_pieces(people, text, contents.text_column, limit=WHOLE_LIMIT),
            cut(people.stayed, TEXT_LIMIT),
        ),
        "stages": row_stages(people),
        "other": other_column_view((context, row.context) if context and row.context else None),
    }
    values = {
        "id": people.id,
        "label": row.label,
        "text": text[:WHOLE_LIMIT],
        "stayed": people.stayed[:TEXT_LIMIT],
    }
    return view, {"edit": None, "row": values, "words": words_json(people)}


def _share(found: EstimatedShare | None) -> ShareText | None:
    if found is None:
        return None
    return ShareText(percent(found.share), f"{percent(found.low)} to {percent(found.high)}")


def _tables(found: RaterAgreement | None) -> list[tuple[str, Markup]]:
    """The names of each two raters, and their table."""
    pairs = [] if found is None else found.pairs[:MAX_RATERS]
    return [(pair_name(pair), html.block(agreement_table(pair))) for pair in pairs]
