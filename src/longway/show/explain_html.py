"""The report of an explanation: one HTML file that opens offline.

run folder/explain.json  ->  write_explain_report()  ->  run folder/report.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.show.explain_view import explain_page
from longway.show.page import render_page, write_page

VERSION = 1  # of explain.json


def render_explain(explanation: Mapping[str, Any]) -> str:
    """The whole page of one explanation (the content of `explain.json`)."""
    page = explain_page(explanation)
    return render_page(
        "explain.html.jinja", explanation, page, sheets=("style.css", "highlights.css", "explain.css")
    )


def write_explain_report(run_dir: Path) -> Path:
    """Writes `report.html` beside the run's `explain.json` and gives its path; it is there whole or not at all."""
    return write_page(run_dir / "explain.json", render_explain, version=VERSION, command="explain")
