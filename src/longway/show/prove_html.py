"""The report of a proof: one HTML file that opens offline.

run folder/results.json  ->  write_prove_report()  ->  run folder/report.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.show.numbers import NONE
from longway.show.page import render_page, write_page
from longway.show.prove_view import prove_page

VERSION = 1  # of results.json


def render_prove(results: Mapping[str, Any]) -> str:
    """The whole page of one proof (the content of `results.json`)."""
    first = results["versions"][0]  # the frame of a page tells one dataset; the page itself tells all of them
    frame = {
        "longway": results.get("longway", NONE),
        "dataset": {"fingerprint": first.get("fingerprint") or NONE},
    }
    return render_page(
        "prove.html.jinja",
        frame,
        prove_page(results),
        sheets=("style.css", "rewrite.css", "highlights.css", "prove.css"),
    )


def write_prove_report(run_dir: Path) -> Path:
    """Writes `report.html` beside the run's `results.json` and gives its path; it is there whole or not at all."""
    return write_page(run_dir / "results.json", render_prove, version=VERSION, command="prove")
