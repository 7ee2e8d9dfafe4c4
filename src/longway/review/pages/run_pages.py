"""The run as a whole: the overview with the results and the open decisions, and the settings, costs, files and exports.

contents.summary  ->  the views of the report              ->  overview_page()
run.json, card.md, journal.sqlite, the summary's "cost"  ->  run_page()
"""

from __future__ import annotations

from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from longway.jobs.change.page import cost_table, total_cost
from longway.jobs.results import read
from longway.json_values import to_json
from longway.report import html, markdown
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut, harmless
from longway.report.labels import setting_rows
from longway.report.numbers import counted
from longway.report.sections import Page
from longway.review.decisions import Decision
from longway.review.edit_list import EditFilter
from longway.review.pages.finding_pages import finding_view
from longway.review.pages.page_layout import (
    CHOICES,
    Json,
    PageView,
    Query,
    View,
    address,
    cut_decision,
    exactly,
    labels_for,
    when,
)
from longway.review.pages.report_pages import report_of
from longway.review.run_contents import RunContents
from longway.review.run_folder import SUMMARIES
from longway.review.summary import summary_page as sections_of_summary
from longway.store import CHECKED, CallTotals, Journal

CARD, JOURNAL = "card.md", "journal.sqlite"
CARD_LIMIT = 20_000
MAX_COSTS = 40
MAX_FILES = 60
MAX_HISTORY = 60
MAX_STRONGEST = 8
MAX_WORSE = 10
SECTIONS = ("leak", "balance", "worse")  # of the report that the overview shows


def overview_page(contents: RunContents, query: Query) -> PageView:
    """The results of the run, and the open decisions."""
    report: Any = report_of(contents)
    is_page = isinstance(report, Page)
    facts = report.facts if is_page else getattr(report, "about", [])
    figures = report.figures if is_page else getattr(report, "key_figures", [])
    edits, findings = decided_counts(contents)
    strongest = contents.findings(size=MAX_STRONGEST)
    labels = labels_for(contents)
    worse = [item for item in contents.summary.get("worse", []) if isinstance(item, dict)]
    data = {
        "run": contents.folder.name,
        "command": contents.command,
        "verdict": getattr(report, "verdict", ""),
        "about": [list(pair) for pair in facts],
        "key_figures": [asdict(figure) for figure in figures],
        "leak": contents.summary.get("leak"),
        "changed": contents.summary.get("changed"),
        "n_worse": max(int(contents.summary.get("n_worse") or 0), len(worse)),
        "worse": worse[:MAX_WORSE],
        "decided": {"edits": edits, "findings": findings},
    }
    n_kept = len(contents.edits.keys(EditFilter(status="kept")))
    undecided = len(contents.edits.keys(EditFilter(status="kept", choice="none")))
    view = {
        "title": getattr(report, "title", cut(contents.folder.name, PATTERN_LIMIT)),
        "verdict": html.sentence(getattr(report, "verdict", "")),
        "sections": [html.section(section) for section in report.sections if section.id in SECTIONS]
        if is_page
        else [],
        "strongest": [finding_view(finding, labels) for finding in strongest.rows],
        "n_findings": strongest.total,
        "edits": [
            (name, CHOICES["edit"][name], n, address("/edits", {"choice": name})) for name, n in edits.items()
        ],
        "findings": [
            (name, CHOICES["finding"][name], n, address("/findings", {"choice": name}))
            for name, n in findings.items()
        ],
        "n_edits": sum(edits.values()),
        "n_kept": n_kept,
        "kept_decided": n_kept - undecided,
        "to_decide": address("/edits", {"status": "kept", "choice": "none"}),
        "has": {name: contents.has(name) for name in ("edits", "findings", "rows", "trees", "proof")},
        "can_export": contents.can_export,
    }
    return PageView("overview.html.jinja", data, view)


def summary_page(contents: RunContents, query: Query) -> PageView:
    """The review in short, and the same as Markdown, to paste into a pull request."""
    page = sections_of_summary(contents, author=query.get("author", ""))
    text = markdown.render(page)
    view = {
        "title": page.title,
        "verdict": page.verdict,
        "sections": [html.section(section) for section in page.sections],
        "text": exactly(text),
    }
    return PageView("summary.html.jinja", {"markdown": text}, view)


def decided_counts(contents: RunContents) -> tuple[dict[str, int], dict[str, int]]:
    """The number of edits and of findings by decision."""
    edits = contents.edits.facets()["choice"] if contents.has("edits") else {}
    choices = [item.choice for item in contents.decisions.current("finding").values()]
    decided = {name: choices.count(name) for name in ("signal", "shortcut")}
    total = contents.findings(size=1).total
    return edits, {"none": max(0, total - sum(decided.values())), **decided}


def run_page(contents: RunContents, query: Query) -> PageView:
    """How the run was made, and the latest decisions."""
    about = contents.about
    costs = read(
        tuple[CallTotals, ...],
        contents.summary.get("cost") or (),
        file=SUMMARIES.get(contents.command, contents.command),
    )[:MAX_COSTS]
    journal = _journal_totals(contents.folder / JOURNAL)
    card = (
        (contents.folder / CARD).read_text("utf-8", "replace")[:CARD_LIMIT] if CARD in contents.files else ""
    )
    files = dict(list(contents.files.items())[:MAX_FILES])
    rater = query.get("author", "")
    names = ("settings", "versions", "python", "started", "finished", "fingerprint")
    data = {
        "run": contents.folder.name,
        "command": contents.command,
        **{name: about.get(name) for name in names},
        "files": files,
        "cost": to_json(costs),
        "journal": to_json(journal),
        "card": card,
        "history": [_decision_json(item, rater) for item in contents.decisions.history(last=MAX_HISTORY)],
    }
    view = {
        "about": [
            ("Command", f"longway {cut(contents.command)}"),
            ("Started", when(str(about.get("started", "")))),
            ("Finished", when(str(about.get("finished", "")))),
            ("Python", cut(str(about.get("python", "")))),
            ("Fingerprint of the data", cut(str(about.get("fingerprint", "")), PATTERN_LIMIT)),
        ],
        "card": Markup("\n").join(escape(harmless(line)) for line in card.splitlines()),
        "settings": setting_rows(about["settings"], source="run.json"),
        "versions": setting_rows(about.get("versions") or {}, source="run.json"),
        "files": [(cut(name), _size(size)) for name, size in files.items()],
        "costs": html.blocks(cost_table(costs, "journal.sqlite")),
        "spent": total_cost(costs) if costs else None,
        "journal": html.blocks(cost_table(journal, "journal.sqlite")),
        "n_answers": counted(sum(item.calls for item in journal), "answer"),
        "history": _history(contents),
        "can_export": contents.can_export,
        "has_edits": contents.has("edits"),
        "kept_in": cut(str(contents.database.path), TEXT_LIMIT),
    }
    return PageView("run.html.jinja", data, view)


def _history(contents: RunContents) -> list[View]:
    """The latest batches, newest first; consecutive tags of one rater are one line."""

    def group(batch: tuple[Decision, int]) -> tuple[object, ...]:
        decision = batch[0]
        return (
            ("tag", decision.author, decision.key.partition(":")[0])
            if decision.kind == "tag"
            else (decision.kind, decision.batch)
        )

    lines = []
    for _, batches in groupby(contents.decisions.batches(last=MAX_HISTORY), key=group):
        some = list(batches)
        newest, n = some[0][0], sum(n for _, n in some)
        is_single = n == 1 and newest.kind in CHOICES
        place = f"/{newest.kind}s/{newest.key}" if is_single else ""
        author = cut(newest.author)
        words = _in_words(newest, n)
        lines.append(View(time=when(newest.time), author=author, what=words, address=place))
    return lines


def _in_words(decision: Decision, n: int) -> str:
    """A batch in words.

    >>> _in_words(Decision(1, "", "ada", "edit", "k", {"choice": "accept"}, 1), 25)
    '25 edits: accepted'
    """
    name = cut(decision.key.partition(":")[0])
    if decision.kind == "tag":
        return f"{counted(n, 'edit')} of the sample {name} rated"
    if decision.kind == "sample":
        return f"sample {name} {'drawn' if decision.value.get('keys') else 'removed'}"
    return f"{counted(n, decision.kind)}: {CHOICES[decision.kind].get(decision.choice, 'changed')}"


def _decision_json(decision: Decision, rater: str) -> Json | None:
    """A decision for scripts, without the tags of other raters: the sample knows when they may be seen."""
    cut_ = cut_decision(decision, 300)
    return (
        {**decision.to_dict(), "value": {}} if decision.kind == "tag" and decision.author != rater else cut_
    )


def _journal_totals(path: Path) -> list[CallTotals]:
    """The number of answers in the journal, by engine and kind."""
    if not path.is_file():
        return []
    journal = Journal(path)
    try:
        return [one for one in journal.totals() if one.kind != CHECKED][:MAX_COSTS]
    finally:
        journal.close()


def _size(n: int) -> str:
    """The size of a file.

    >>> _size(900), _size(123_456), _size(4_400_000)
    ('900 bytes', '121 KB', '4.2 MB')
    """
    if n < 1024:
        return counted(n, "byte")
    return f"{n / 1024:,.0f} KB" if n < 1024**2 else f"{n / 1024**2:,.1f} MB"
