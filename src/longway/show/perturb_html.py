"""The report of a perturbation: one HTML file that opens offline.

run folder/perturb.json  ->  write_perturb_report()  ->  run folder/report.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.show.page import render_page, write_page
from longway.show.perturb_view import perturb_page

VERSION = 1  # of perturb.json


def render_perturb(perturb: Mapping[str, Any]) -> str:
    """The whole page of one perturbation (the content of `perturb.json`)."""
    sheets = ("style.css", "rewrite.css", "perturb.css")
    return render_page("perturb.html.jinja", perturb, perturb_page(perturb), sheets=sheets)


def write_perturb_report(run_dir: Path) -> Path:
    """Writes `report.html` beside the run's `perturb.json` and gives its path; it is there whole or not at all."""
    return write_page(run_dir / "perturb.json", render_perturb, version=VERSION, command="perturb")
