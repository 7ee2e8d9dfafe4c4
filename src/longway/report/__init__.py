"""The report: a run folder as one HTML file that opens offline."""

from longway.report.html import render_report, write_report

__all__ = ["render_report", "write_report"]
