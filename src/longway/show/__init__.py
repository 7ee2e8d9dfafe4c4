"""Showing results: sections (`sections.py`) rendered to HTML, the terminal and Markdown; charts, numbers, excerpts of texts."""

from longway.show.perturb_html import render_perturb, write_perturb_report
from longway.show.prove_html import render_prove, write_prove_report

__all__ = [
    "render_perturb",
    "render_prove",
    "write_perturb_report",
    "write_prove_report",
]
