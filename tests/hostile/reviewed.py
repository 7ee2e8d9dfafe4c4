"""Every page of the review of a run, opened in a real browser: what ran, what was asked for elsewhere, what could not be shown.

with browser() as chromium: wrong, n_pages = look_at(chromium, folder, most=...)
"""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

from longway.review.edit_list import EditFilter
from longway.review.export import FORMULA
from longway.review.run_contents import RunContents
from longway.review.serve import serving
from tests.hostile.corpus import PRODUCT, SENTINEL

LISTS = (
    "",
    "findings?size=500",
    "edits?status=all&size=500",
    "data?size=500",
    "run",
    "sample",
    "trees",
    "proof",
)


@contextmanager
def browser() -> Iterator[Any]:
    """Chromium without a window; an ImportError or LookupError where there is none."""
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    if path is None:
        raise LookupError("chromium is not installed")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield started
        started.close()


def look_at(chromium: Any, folder: Path, *, every: int = 1) -> tuple[list[str], int]:
    """What is wrong with the pages and exports of a run's review, and how many were opened. every: 1 for the page of each edit, finding and row."""
    contents = RunContents(folder)
    try:
        with serving(contents, author="ann") as review:
            with httpx.Client(base_url=review.address, timeout=60) as client:
                client.get(review.url)
                wrong = [*wrong_in_exports(client)]
            keys = contents.edits.keys(EditFilter(status="all")) if contents.has("edits") else []
            findings = (
                [one.key for one in contents.findings(size=500).rows] if contents.has("findings") else []
            )
            ids = [row.id for row in contents.rows(size=500).rows]
            paths = [
                *LISTS,
                *(f"edits/{key}" for key in keys[::every]),
                *(f"findings/{key}" for key in findings[::every]),
                *(f"data/{quote(one, safe='')}" for one in ids[::every]),
            ]
            wrong += _open_all(chromium, review, paths)
    finally:
        contents.close()
    return wrong, len(paths)


def _open_all(chromium: Any, review: Any, paths: list[str]) -> list[str]:
    page = chromium.new_page()
    asked: list[str] = []
    talked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: (talked.append(dialog.message), dialog.dismiss()))
    page.goto(review.url)
    wrong = []
    for path in paths:
        answer = page.goto(review.address + path)
        if answer is None or (answer.status >= 400 and path not in ("trees", "proof", "sample")):
            wrong.append(f"/{path:.80} answers {answer and answer.status}")
        if page.evaluate(f"window.{SENTINEL}") is not None or SENTINEL in page.title() or talked:
            wrong.append(f"/{path:.80}: a script of a row ran")
            talked.clear()
        if PRODUCT in page.content():
            wrong.append(f"/{path:.80}: a template was filled in")
    page.close()
    foreign = {url for url in asked if not url.startswith((review.address, "data:"))}
    return wrong + [f"asked for {url:.80}" for url in sorted(foreign)]


def wrong_in_exports(client: httpx.Client) -> Iterator[str]:
    """What is wrong with the files that the review gives out."""
    answer = client.get("/export/edits.csv")
    if answer.status_code == 200:
        csv.field_size_limit(2**31 - 1)
        for number, row in enumerate(csv.reader(io.StringIO(answer.content.decode("utf-8-sig"), newline=""))):
            for cell in row:
                if cell.lstrip(" ").startswith(FORMULA) and not _is_number(cell):
                    yield f"edits.csv, line {number}: a formula, {cell:.40}"
    answer = client.get("/export/everything.json")
    if answer.status_code == 200:
        json.loads(answer.text)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True
