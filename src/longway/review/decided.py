"""What was decided on a run, as the next rewrite takes it: `longway rewrite DATA --decisions RUN`.

RUN/review/review.sqlite  ->  Decided: findings that are real signal, findings that are shortcuts, texts that were rejected
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from longway.errors import SettingError
from longway.recipes.decided import Decided, Marked, fingerprint
from longway.review.book import Book, EditFilter, Page

AT_ONCE = 200


def decisions_of(folder: Path | str) -> Decided:
    """What people decided in the review of a run, for `RewriteSettings(decisions=...)`; SettingError where it is nothing."""
    folder = Path(folder)
    book = Book(folder)
    try:
        decided = Decided(
            folder.resolve().name,
            signal=_marked(book, "signal"),
            shortcuts=_marked(book, "shortcut"),
            rejected=frozenset(_rejected(book)),
        )
    finally:
        book.close()
    if not (decided.signal or decided.shortcuts or decided.rejected):
        raise SettingError(
            f"Nothing that a rewrite could heed was decided on {folder}: no finding was marked and no edit rejected. "
            f"Decide first, with: longway review {folder}"
        )
    return decided


def _marked(book: Book, choice: str) -> tuple[Marked, ...]:
    """The findings that were marked so, strongest first; those that the run no longer has are left out."""
    found = _all(lambda number: book.findings(choice=choice, page=number, size=AT_ONCE))
    names = ("level", "pattern", "field", "label")
    return tuple(Marked(*(str(one.get(name, "")) for name in names)) for one in found)


def _rejected(book: Book) -> Iterator[str]:
    for edit in _all(lambda number: book.edits(EditFilter(choice="reject"), page=number, size=AT_ONCE)):
        yield fingerprint(edit.get("source") or edit["id"], edit["field"], edit["after"])


def _all(page_of: Callable[[int], Page]) -> Iterator[dict[str, Any]]:
    """The rows of all pages."""
    number, pages = 1, 1
    while number <= pages:
        page = page_of(number)
        yield from page.rows
        number, pages = number + 1, page.pages
