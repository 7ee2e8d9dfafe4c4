"""The run as a whole: the overview with the results and the open decisions, the summary for a pull request, the report, and how it was made.

contents.summary  ->  the views of the report              ->  overview_page()
the same and the decisions  ->  summary_sections()         ->  summary_page(), and summary() as Markdown
the report, split into pages between sections              ->  trees_page(), proof_page()
run.json, card.md, journal.sqlite, the summary's "cost"    ->  run_page()

The figures in the summary are those of the card; nothing in them is read as markup, whatever the data calls its labels.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, replace
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

import longway
from longway.errors import RunError
from longway.jobs.change.page import cost_table, total_cost
from longway.jobs.results import read
from longway.json_values import to_json
from longway.report import html, markdown
from longway.report.excerpts import PATTERN_LIMIT, TEXT_LIMIT, cut, harmless
from longway.report.html import body
from longway.report.labels import setting_rows
from longway.report.numbers import count, counted, percent
from longway.report.sections import (
    CARD,
    Bullet,
    Bullets,
    Column,
    Page,
    Paragraph,
    Row,
    Section,
    Span,
    Table,
    Words,
)
from longway.review.chosen import chosen
from longway.review.decisions import Decision
from longway.review.edit_list import EditFilter, ListPage
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
    page_links,
    when,
)
from longway.review.run_contents import RunContents
from longway.review.run_folder import SUMMARIES
from longway.review.sampling import sample_state, samples
from longway.store import CHECKED, CallTotals, Journal

CARD_FILE, JOURNAL = "card.md", "journal.sqlite"
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
    page = summary_sections(contents, author=query.get("author", ""))
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
        (contents.folder / CARD_FILE).read_text("utf-8", "replace")[:CARD_LIMIT]
        if CARD_FILE in contents.files
        else ""
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


# The summary for a pull request

MAX_RULES = 20
MAX_MARKED = 20


def summary(contents: RunContents, *, author: str) -> str:
    """The summary as Markdown. author: as in `summary_sections`."""
    return markdown.render(summary_sections(contents, author=author))


def summary_sections(contents: RunContents, *, author: str) -> Page:
    """The summary. author: who reads it; raters of a sample do not see the results of others before their own."""
    report = report_of(contents)
    if not isinstance(report, Page):
        report = Page(
            kicker="",
            title=cut(f"Review of {contents.folder.name}", PATTERN_LIMIT),
            verdict="",
            facts=[],
            figures=[],
            sections=[],
            version=str(contents.about.get("versions", {}).get("longway", "")),
            fingerprint=str(contents.about.get("fingerprint", "")),
            settings=setting_rows(contents.settings, source="run.json"),
        )
    sections = [section for section in report.sections if CARD in section.on]
    return replace(report, sections=[*_review_sections(contents, author), *sections])


def _review_sections(contents: RunContents, author: str) -> list[Section]:
    sections = []
    if contents.has("edits"):
        sections.append(_decisions_section(contents))
        sections += _rules_section(contents)
    sections += _findings_section(contents)
    return sections + _sample_section(contents, author)


def _decisions_section(contents: RunContents) -> Section:
    """How many edits were accepted, rejected and written by hand, and by whom."""
    counts = _counts(contents, EditFilter(status="kept"))
    n_kept, decided = sum(counts.values()), contents.decisions.current("edit")
    authors = sorted({cut(one.author) for one in decided.values() if one.choice != "none"})
    n_refused = len(contents.edits.keys(EditFilter(status="refused", choice="accept")))
    rows = [Row([CHOICES["edit"][name], count(n), percent(n / max(n_kept, 1))]) for name, n in counts.items()]
    changed = sum(row.differs for row in chosen(contents))
    words = [f"{counted(n_kept, 'edit')} of the run are in the dataset."]
    words += [f"Reviewed by {', '.join(authors)}."] if authors else ["None is decided yet."]
    words += [f"{counted(n_refused, 'refused edit')} accepted by the review."] if n_refused else []
    words += [f"The review changes {counted(changed, 'row')} of it."] if changed else []
    words += ["Undecided edits stay as the run left them."] if counts["none"] else []
    return Section(
        "decisions",
        "Decisions",
        [Paragraph(" ".join(words), "lead"), Table([Column("Edits"), Column("Number", number=True), Column("Share", number=True)], rows, "figures-only")],
        on=CARD,
    )  # fmt: skip


def _counts(contents: RunContents, filter: EditFilter) -> dict[str, int]:
    """The number of edits of a filter by decision."""
    return {name: len(contents.edits.keys(replace(filter, choice=name))) for name in CHOICES["edit"]}


def _rules_section(contents: RunContents) -> list[Section]:
    groups = contents.edits.groups("rule")
    if not groups:
        return []
    rows = []
    for group in groups[:MAX_RULES]:
        counts = _counts(contents, EditFilter(status="kept", rule=group.name))
        rows.append(Row([Span(cut(group.name), "code"), count(group.n), *map(count, counts.values())]))
    columns = [Column("Rule"), Column("Edits", number=True)]
    columns += [Column(words.capitalize(), number=True) for words in CHOICES["edit"].values()]
    more = len(groups) - MAX_RULES
    rest = [Paragraph(f"{counted(more, 'more rule')} made fewer edits.")] if more > 0 else []
    lead = Paragraph("Edits that the run kept, by the rule that made them.", "lead")
    return [Section("rules", "By rule", [lead, Table(columns, rows, "figures-only"), *rest], on=CARD)]


def _findings_section(contents: RunContents) -> list[Section]:
    """Findings that somebody marked."""
    marked = [one for one in contents.all_findings() if one.choice != "none"]
    if not marked:
        return []
    items: list[Words | Bullet] = [
        [Span(cut(one.finding.pattern, PATTERN_LIMIT), "code"), f" ({cut(one.finding.label)}): {CHOICES['finding'][one.choice]}"]
        for one in marked[:MAX_MARKED]
    ]  # fmt: skip
    return [Section("marked", "Marked findings", [Bullets(items)], on=CARD)]


def _sample_section(contents: RunContents, author: str) -> list[Section]:
    """The estimated share of wrong edits, by samples that the author has rated."""
    lines: list[Words | Bullet] = []
    for one in samples(contents):
        wrong = sample_state(contents, one.name, rater=author).error
        if wrong is not None:
            interval = f"{percent(wrong.low)} to {percent(wrong.high)}"
            lines.append(
                f"Sample {cut(one.name)}, {counted(one.size, 'item')}: {percent(wrong.share)} of edits are wrong "
                f"(95% interval {interval})."
            )
    return [Section("sample", "Error rate", [Bullets(lines)], on=CARD)] if lines else []


# Reports inside the review

RESULTS = {  # by command: the result, and the key of its file that only the result on candidates has
    "repair": ("RepairResult", "leaks_before"),
    "rewrite": ("RewriteResult", ""),
    "augment": ("AugmentResult", ""),
    "perturb": ("PerturbResult", ""),
    "audit": ("AuditResult", "candidates"),
    "grammar": ("GrammarResult", ""),
    "fairness": ("FairnessResult", ""),
    "prove": ("ProveResult", "gaps"),
    "explain": ("ExplainResult", ""),
}
LIMIT = 230_000  # bytes of a page without its frame
_START = re.compile(r'(?=<section id="(?:\w+)">)')  # ours: values of the data are escaped and contain no "<"
TREES_JSON = ("dataset", "grammar", "classifier", "composites", "rules", "pictures")
PROOF_JSON = (
    "labels", "runs", "scores", "comparisons", "leaks", "worse", "worst", "concerns", "failed", "settings",
)  # fmt: skip


def report_of(contents: RunContents) -> Any:
    """The contents of the run's report; None for a run without one."""
    if contents.command not in RESULTS or not contents.summary:
        return None
    name, of_candidates = RESULTS[contents.command]
    try:
        is_choice = of_candidates in contents.summary or of_candidates in contents.summary.get("leak", ())
        kind = getattr(longway, f"Choice{name}" if is_choice else name)
        return kind.from_dict(contents.summary).page()
    except (LookupError, TypeError, AttributeError, ValueError) as error:
        raise RunError(
            f"The figures of this run cannot be shown: {type(error).__name__}. Expected what `longway {contents.command}` "
            "of this version writes. Run it again."
        ) from error


def trees_page(contents: RunContents, query: Query) -> PageView:
    """The trees of the run."""
    if not contents.has("trees"):
        return _missing("Trees", "This run has no trees.", "longway grammar DATA")
    return _report_page(contents, query, "trees", TREES_JSON)


def proof_page(contents: RunContents, query: Query) -> PageView:
    """The tables and charts of `longway prove`."""
    if not contents.has("proof"):
        return _missing("Proof", "This run has no proof.", "longway prove BEFORE AFTER")
    return _report_page(contents, query, "proof", PROOF_JSON)


def _missing(title: str, words: str, make: str) -> PageView:
    return PageView("nothing.html.jinja", {}, {"title": title, "words": words, "make": make})


def _report_page(contents: RunContents, query: Query, name: str, keys: Sequence[str]) -> PageView:
    """One page of the run's report. keys: parts of the summary for the JSON, as far as they fit."""
    pages, sections = in_pages(report_of(contents))
    number = min(query.get("page", 1), len(pages))
    kept: dict[str, object] = {}
    left_out, left = [], LIMIT
    for key in keys:
        if key in contents.summary:
            size = len(json.dumps(contents.summary[key]))
            if size <= left:
                kept[key] = contents.summary[key]
                left -= size
            else:
                left_out.append(key)
    links = [
        (
            section.title,
            f"{address(f'/{name}', {'page': section.page if section.page > 1 else ''})}#{section.id}",
        )
        for section in sections
    ]
    view = {
        "title": name.title(),
        "html": pages[number - 1],
        "pages": page_links(ListPage([], len(sections), number, len(pages)), f"/{name}", {}),
        "sections": links,
    }
    data = {"pages": len(pages), "number": number, "left_out": left_out, **kept}
    return PageView(f"{name}.html.jinja", data, view)


def in_pages(page: Page) -> tuple[list[Markup], list[View]]:
    """The pages of a report, and its sections in order."""
    first, *rest = _START.split(body(page))
    pages, left = [[first]], LIMIT - len(first.encode())
    sections = []
    for section in map(_fitting, rest):
        size = len(section.encode())
        if size > left and pages[-1]:
            pages.append([])
            left = LIMIT
        pages[-1].append(section)
        left -= size
        id_, title = re.search(r'id="(\w+)"', section), re.search(r"<h2>([^<]*)", section)
        words = title[1].strip() if title else ""
        sections.append(View(id=id_[1] if id_ else "", title=words, page=len(pages)))
    return [Markup("".join(parts)) for parts in pages], sections


def _fitting(section: str) -> str:
    """The section, or a pointer to the report if it alone is larger than a page."""
    if len(section.encode()) <= LIMIT:
        return section
    head = section[: section.index("</h2>") + len("</h2>")]
    return f'{head}<p class="nothing">This section is too large for the review. See report.html in the run folder.</p></section>'
