"""The report of an audit: one HTML file that opens offline.

run folder/findings.json  ->  write_report()  ->  run folder/report.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.report.page import render_page, write_page
from longway.report.view import audit_page

VERSION = 1  # of findings.json


def render_report(findings: Mapping[str, Any], *, title: str | None = None) -> str:
    """The whole page for the findings of one audit (the content of `findings.json`)."""
    page = audit_page(findings, title=title)
    return render_page("audit.html.jinja", findings, page, sheets=("style.css",))


def write_report(run_dir: Path) -> Path:
    """Writes `report.html` beside the run's `findings.json` and gives its path; it is there whole or not at all."""
    return write_page(run_dir / "findings.json", render_report, version=VERSION, command="audit")
