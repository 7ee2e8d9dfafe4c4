"""The overview: what the run found or changed, what got worse, and how much of it people have decided.

book.summary  ->  the same views as the report  ->  overview_page()
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from longway.errors import RunError
from longway.report.augment_view import augment_page
from longway.report.explain_view import explain_page
from longway.report.fairness_view import fairness_page
from longway.report.grammar_view import grammar_page
from longway.report.perturb_view import perturb_page
from longway.report.prove_view import prove_page
from longway.report.rewrite_view import rewrite_page
from longway.report.shown import PATTERN_LIMIT, cut
from longway.report.view import audit_page
from longway.review.book import Book, EditFilter
from longway.review.pages.edits import CHOICES
from longway.review.pages.findings import CHOICES as FINDING_CHOICES
from longway.review.pages.findings import FindingView, finding_view
from longway.review.pages.shown import Query, Shown, address, choice_of, labels_for

REPORTS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "rewrite": rewrite_page,
    "augment": augment_page,
    "perturb": perturb_page,
    "audit": audit_page,
    "grammar": grammar_page,
    "prove": prove_page,
    "fairness": fairness_page,
    "explain": explain_page,
}
MAX_STRONGEST = 8
MAX_WORSE = 10


def overview_page(book: Book, query: Query) -> Shown:
    """What the run came to, and what is left to decide."""
    report = report_of(book)
    decided = decided_counts(book)
    findings = book.findings(size=MAX_STRONGEST)
    labels = labels_for(book)
    worse = [one for one in book.summary.get("worse", []) if isinstance(one, dict)]
    data = {
        "run": book.folder.name,
        "command": book.command,
        "verdict": getattr(report, "verdict", ""),
        "about": [list(pair) for pair in getattr(report, "about", [])],
        "key_figures": [asdict(one) for one in getattr(report, "key_figures", [])],
        "leak": book.summary.get("leak"),
        "changed": book.summary.get("changed"),
        "n_worse": max(int(book.summary.get("n_worse") or 0), len(worse)),
        "worse": worse[:MAX_WORSE],
        "decided": decided,
    }
    n_kept = book.edits(EditFilter(status="kept"), size=1).total
    undecided = book.edits(EditFilter(status="kept", choice="none"), size=1).total
    strongest: list[FindingView] = [finding_view(one, labels) for one in findings.rows]
    view = {
        "report": report,
        "title": getattr(report, "title", cut(book.folder.name, PATTERN_LIMIT)),
        "leaks": getattr(report, "leaks", []) if book.command in ("rewrite", "augment") else [],
        "leak_charts": getattr(report, "leak_charts", []),
        "axes": getattr(report, "axes", []) if book.command == "perturb" else [],
        "objections": getattr(report, "objections", []) if book.command in ("rewrite", "augment") else [],
        "worse": getattr(report, "worse", None) if book.command in ("rewrite", "augment") else None,
        "strongest": strongest,
        "n_findings": findings.total,
        "edits": [
            (name, CHOICES[name], n, address("/edits", {"choice": name}))
            for name, n in decided["edits"].items()
        ],
        "findings": [
            (name, FINDING_CHOICES[name], n, address("/findings", {"choice": name}))
            for name, n in decided["findings"].items()
        ],
        "n_edits": sum(decided["edits"].values()),
        "n_kept": n_kept,
        "kept_decided": n_kept - undecided,
        "to_decide": address("/edits", {"status": "kept", "choice": "none"}),
        "has": {name: book.has(name) for name in ("edits", "findings", "rows", "trees", "proof")},
        "can_export": book.dataset_path is not None and book.has("edits"),
    }
    return Shown("overview.html.jinja", data, view)


def report_of(book: Book) -> Any:
    """What the report of this run shows; None for a run without one."""
    view = REPORTS.get(book.command)
    if view is None or not book.summary:
        return None
    try:
        return view(book.summary)
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise RunError(
            f"The figures of this run cannot be shown: {type(error).__name__}. Expected what `longway {book.command}` "
            "of this version writes. Run it again."
        ) from error


def decided_counts(book: Book) -> dict[str, dict[str, int]]:
    """How many edits and findings were decided, and how."""
    edits = book.facets().get("choice", {}) if book.has("edits") else {}
    known = book.decisions.current("finding").values()
    findings = dict.fromkeys(("signal", "shortcut"), 0)
    for one in known:
        choice = choice_of(one.to_dict())
        if choice in findings:
            findings[choice] += 1
    total = book.findings(size=1).total if book.has("findings") else 0
    return {"edits": dict(edits), "findings": {"none": max(0, total - sum(findings.values())), **findings}}
