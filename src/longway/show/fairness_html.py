"""The report of a model's measures: one HTML file that opens offline.

run folder/fairness.json  ->  write_fairness_report()  ->  run folder/report.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.show.fairness_view import fairness_page
from longway.show.page import render_page, write_page

VERSION = 1  # of fairness.json


def render_fairness(result: Mapping[str, Any]) -> str:
    """The whole page of one model (the content of `fairness.json`)."""
    return render_page(
        "fairness.html.jinja", result, fairness_page(result), sheets=("style.css", "fairness.css")
    )


def write_fairness_report(run_dir: Path) -> Path:
    """Writes `report.html` beside the run's `fairness.json` and gives its path; it is there whole or not at all."""
    return write_page(run_dir / "fairness.json", render_fairness, version=VERSION, command="fairness")
