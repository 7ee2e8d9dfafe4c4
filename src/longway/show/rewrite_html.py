"""The report of a rewrite: one HTML file that opens offline.

run folder/rewrite.json  ->  write_rewrite_report()  ->  run folder/report.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.show.page import render_page, write_page
from longway.show.rewrite_view import rewrite_page

VERSION = 1  # of rewrite.json


def render_rewrite(rewrite: Mapping[str, Any]) -> str:
    """The whole page of one rewrite (the content of `rewrite.json`)."""
    return render_page(
        "rewrite.html.jinja", rewrite, rewrite_page(rewrite), sheets=("style.css", "rewrite.css")
    )


def write_rewrite_report(run_dir: Path) -> Path:
    """Writes `report.html` beside the run's `rewrite.json` and gives its path; it is there whole or not at all."""
    return write_page(run_dir / "rewrite.json", render_rewrite, version=VERSION, command="rewrite")
