"""Showing results: sections (`sections.py`) rendered to HTML, the terminal and Markdown; charts, numbers, excerpts of texts."""
