"""The run: its settings, what it cost, what its engines were asked, its files and its card; and the exports.

run.json, card.md, journal.sqlite, the summary's "cost"  ->  run_page()
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from longway.report.costs_view import cost_row, total_cost
from longway.report.numbers import counted
from longway.report.parts import setting_rows
from longway.report.shown import NAME_LIMIT, PATTERN_LIMIT, TEXT_LIMIT, cut, harmless
from longway.review.book import Book
from longway.review.decisions import Decision
from longway.review.pages.edits import CHOICES
from longway.review.pages.findings import CHOICES as FINDING_CHOICES
from longway.review.pages.shown import Query, Shown, choice_of, cut_decision, when
from longway.store import Journal

CARD, JOURNAL = "card.md", "journal.sqlite"
CARD_LIMIT = 20_000
MAX_COSTS = 40
MAX_FILES = 60
MAX_HISTORY = 60


def run_page(book: Book, query: Query) -> Shown:
    """How the run was made, and what was decided last."""
    about = book.about
    costs = book.summary.get("cost")
    costs = costs[:MAX_COSTS] if isinstance(costs, list) else []
    journal = _journal(book.folder / JOURNAL)
    history = book.decisions.history(last=MAX_HISTORY)
    card = _card(book)
    files = dict(list(book.files.items())[:MAX_FILES])
    data: dict[str, Any] = {
        "run": book.folder.name,
        "command": book.command,
        **{
            name: about.get(name)
            for name in ("settings", "versions", "python", "started", "finished", "fingerprint")
        },
        "files": files,
        "cost": costs,
        "journal": journal,
        "card": card,
        "history": [_told(one, rater=query.get("author", "")) for one in history],
    }
    shown = [
        ("Command", f"longway {cut(book.command, NAME_LIMIT)}"),
        ("Started", when(str(about.get("started", "")))),
        ("Finished", when(str(about.get("finished", "")))),
        ("Python", cut(str(about.get("python", "")), NAME_LIMIT)),
        ("Fingerprint of the data", cut(str(about.get("fingerprint", "")), PATTERN_LIMIT)),
    ]
    view = {
        "about": shown,
        "card": Markup("\n").join(escape(harmless(line)) for line in card.splitlines()),
        "settings": setting_rows(about["settings"], source="run.json"),
        "versions": setting_rows(about.get("versions") or {}, source="run.json"),
        "files": [(cut(name, NAME_LIMIT), _size(size)) for name, size in files.items()],
        "costs": [cost_row(row) for row in costs],
        "spent": total_cost(costs) if costs else None,
        "journal": [cost_row(row) for row in journal],
        "n_answers": counted(sum(int(row["calls"]) for row in journal), "answer"),
        "history": _lines(book),
        "can_export": book.dataset_path is not None and book.has("edits"),
        "has_edits": book.has("edits"),
        "kept_in": cut(str(book.database.path), TEXT_LIMIT),
    }
    return Shown("run.html.jinja", data, view)


@dataclass(frozen=True, slots=True)
class Line:
    """What was done at once. address: of the one edit or finding it was about, "" for several."""

    time: str
    author: str
    what: str
    address: str


def _lines(book: Book) -> list[Line]:
    """The last things that people did, newest first; tags that one rater gave one after another are one thing."""
    found = []
    batches = book.decisions.batches(last=MAX_HISTORY)
    for _, together in groupby(batches, key=lambda one: _alike(one[0])):
        some = list(together)
        newest, n = some[0][0], sum(n for _, n in some)
        is_one = n == 1 and newest.kind in ("edit", "finding")
        found.append(
            Line(
                when(newest.time),
                cut(newest.author, NAME_LIMIT),
                _done(newest, n),
                f"/{newest.kind}s/{newest.key}" if is_one else "",
            )
        )
    return found


def _alike(one: Decision) -> tuple[Any, ...]:
    """The same for tags that belong together, another one for everything else."""
    return ("tag", one.author, one.key.partition(":")[0]) if one.kind == "tag" else (one.kind, one.batch)


def _done(one: Decision, n: int) -> str:
    """What was done, in words.

    >>> _done(Decision(1, "", "ada", "edit", "k", {"choice": "accept"}, 1), 25)
    '25 edits: accepted'
    """
    name = cut(one.key.partition(":")[0], NAME_LIMIT)
    if one.kind == "tag":
        return f"{counted(n, 'edit')} of the sample {name} rated"
    if one.kind == "sample":
        return f"sample {name} {'drawn' if one.value.get('keys') else 'taken back'}"
    what = {**CHOICES, **FINDING_CHOICES}.get(choice_of(one.to_dict()), "changed")
    return f"{counted(n, one.kind)}: {what}"


def _told(one: Decision, *, rater: str) -> dict[str, Any] | None:
    """A decision for scripts; what another rater said of an edit stays with the sample, which knows when it may be seen."""
    is_blind = one.kind == "tag" and one.author != rater
    return cut_decision({**one.to_dict(), "value": {}} if is_blind else one.to_dict(), 300)


def _card(book: Book) -> str:
    """The card of the run, where it wrote one."""
    if CARD not in book.files:
        return ""
    return (book.folder / CARD).read_text(encoding="utf-8", errors="replace")[:CARD_LIMIT]


def _journal(path: Path) -> list[dict[str, Any]]:
    """How many answers of engines and models the journal holds, of each kind."""
    if not path.is_file():
        return []
    journal = Journal(path)
    try:
        return journal.totals()[:MAX_COSTS]
    finally:
        journal.close()


def _size(n: int) -> str:
    """The size of a file as people say it.

    >>> _size(900), _size(123_456), _size(4_400_000)
    ('900 bytes', '121 KB', '4.2 MB')
    """
    if n < 1024:
        return counted(n, "byte")
    return f"{n / 1024:,.0f} KB" if n < 1024**2 else f"{n / 1024**2:,.1f} MB"
