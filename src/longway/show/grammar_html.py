"""The report of a grammar run: one HTML file that opens offline.

run folder/tables.json  ->  write_grammar_report()  ->  run folder/report.html
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from longway.show.grammar_view import grammar_page
from longway.show.page import render_page, write_page

VERSION = 1  # of tables.json


def render_grammar(tables: Mapping[str, Any]) -> str:
    """The whole page of one grammar run (the content of `tables.json`)."""
    page = grammar_page(tables)
    return render_page("grammar.html.jinja", tables, page, sheets=("style.css", "grammar.css"))


def write_grammar_report(run_dir: Path) -> Path:
    """Writes `report.html` beside the run's `tables.json` and gives its path; it is there whole or not at all."""
    return write_page(run_dir / "tables.json", render_grammar, version=VERSION, command="grammar")
