"""Showing results: sections (`sections.py`) rendered to HTML, the terminal and Markdown; charts, numbers, excerpts of texts."""

from longway.show.prove_html import render_prove, write_prove_report

__all__ = [
    "render_prove",
    "write_prove_report",
]
