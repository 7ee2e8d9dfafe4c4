"""The map: rows in two dimensions with the concepts that an audit found; a concept that is clicked shows its rows."""

from __future__ import annotations

from longway.jobs.audit.show_map import how_made, layers_of, name_of, outlines_of
from longway.review.pages.edit_pages import row_view
from longway.review.pages.page_layout import PageView, Query, address, labels_for, list_limit, whole_number
from longway.review.run_contents import RunContents
from longway.show.excerpts import NAME_LIMIT, cut
from longway.show.labels import label_named
from longway.show.map_chart import legend, map_chart
from longway.show.numbers import count, counted


def map_page(contents: RunContents, query: Query) -> PageView:
    """One map, the rows of the chosen concept below it."""
    maps, labels = contents.maps, labels_for(contents)
    if not maps:
        reason = (
            "This run has no map. An audit draws one with the concept level: longway audit DATA --levels all"
        )
        return PageView("error.html.jinja", {"error": reason}, {"title": "No map"})
    at = min(whole_number(query, "map", 1), len(maps))
    shown = maps[at - 1]
    number = whole_number(query, "concept", 0)
    concept = shown.concepts[number - 1] if 0 < number <= len(shown.concepts) else None

    def link(of: int) -> str:
        return address("/map", {"map": at if at > 1 else "", "concept": of}) + "#rows"

    svg = map_chart(
        layers_of(shown, labels),
        outlines_of(shown, labels, link=link, chosen=number),
        key="map",
        title=f"Rows in two dimensions, by {shown.column}",
        desc=f"{counted(len(shown.points), 'row')}; {counted(len(shown.concepts), 'concept')} outlined.",
    )
    rows = contents.with_ids(concept.ids) if concept else []
    limit = min(400, list_limit(len(rows)))
    data = {
        "column": shown.column,
        "method": shown.method,
        "rows": shown.rows,
        "concepts": [{"number": i, "name": one.name, "called": one.called, "label": one.label, "rows": one.rows} for i, one in enumerate(shown.concepts, 1)],
        "concept": number if concept else None,
        "ids": list(concept.ids) if concept else [],
    }  # fmt: skip
    view = {
        "svg": svg,
        "legend": legend(layers_of(shown, labels)),
        "how": how_made(shown),
        "maps": [
            (cut(one.column, NAME_LIMIT), address("/map", {"map": i}), i == at)
            for i, one in enumerate(maps, 1)
        ],
        "concepts": [
            (i, name_of(one), label_named(one.label, labels), count(one.rows), link(i))
            for i, one in enumerate(shown.concepts, 1)
        ],
        "chosen": name_of(concept) if concept else "",
        "n_rows": concept.rows if concept else 0,
        "rows": [row_view(row, labels, limit) for row in rows],
    }
    return PageView("map.html.jinja", data, view)
