"""The report: a run folder as one HTML file that opens offline."""

from longway.report.html import render_report, write_report
from longway.report.rewrite_html import render_rewrite, write_rewrite_report

__all__ = ["render_report", "render_rewrite", "write_report", "write_rewrite_report"]
