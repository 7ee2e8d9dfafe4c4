"""The report of an augmentation: one HTML file that opens offline.

run folder/augment.json  ->  write_augment_report()  ->  run folder/report.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.show.augment_view import augment_page
from longway.show.page import render_page, write_page

VERSION = 1  # of augment.json


def render_augment(augment: Mapping[str, Any]) -> str:
    """The whole page of one augmentation (the content of `augment.json`)."""
    sheets = ("style.css", "rewrite.css", "augment.css")
    return render_page("augment.html.jinja", augment, augment_page(augment), sheets=sheets)


def write_augment_report(run_dir: Path) -> Path:
    """Writes `report.html` beside the run's `augment.json` and gives its path; it is there whole or not at all."""
    return write_page(run_dir / "augment.json", render_augment, version=VERSION, command="augment")
