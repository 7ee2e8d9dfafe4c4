"""Makes the pictures of the documentation: docs/images/*.png and *.svg, from real runs of the built-in samples.

    python docs/make_pictures.py                  # makes the runs, too: some minutes
    python docs/make_pictures.py --runs FOLDER    # in a folder in which `longway demo` ran, which takes most of the time

Pages are photographed by Chromium, the terminal is drawn by rich.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import make_choices
from playwright.sync_api import sync_playwright
from rich.console import Console
from rich.text import Text

from longway.review.edit_list import EditFilter
from longway.review.run_contents import RunContents
from longway.review.sampling import draw_sample
from longway.review.serve import serving
from longway.sample import sample_path

IMAGES = Path(__file__).parent / "images"
LIMIT = 200_000  # bytes of a picture
WIDTH = 80
GRAMMAR = [
    "grammar",
    "longway-runs/claims.jsonl",
    "--text",
    "claim",
    "--context",
    "",
    "--limit",
    "200",
    "--epochs",
    "2",
]
NEEDED = {
    "reviews-repair": ["demo", "reviews"],
    "claims-audit": ["audit", "longway-runs/claims.jsonl", "--levels", "-grammar"],
    "claims-grammar": GRAMMAR,
    "quiz-audit": ["audit", "quiz.jsonl"],
    "pairs-audit": ["audit", "pairs.jsonl"],
    "quiz-repair": ["repair", "quiz.jsonl"],
}


def main() -> None:
    """Make the runs that are missing, then all pictures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=Path, help="the folder in which the commands ran")
    given = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as temporary:
        work = (given or Path(temporary)).resolve()
        runs = work / "longway-runs"
        runs.mkdir(exist_ok=True)
        shutil.copy(sample_path("claims"), runs / "claims.jsonl")
        make_choices.write(work)
        for run, command in NEEDED.items():
            if not (runs / run / "report.html").exists():
                longway(command, work)
        terminal(work)
        with browser() as new_page:
            reports(runs, new_page)
            candidates(runs, new_page)
            question(runs, Path(temporary), new_page)
            reviews(runs, Path(temporary), new_page)
    for picture in IMAGES.iterdir():
        if picture.stat().st_size > LIMIT:
            sys.exit(f"{picture} has {picture.stat().st_size:,} bytes: at most {LIMIT:,}.")


def longway(arguments: list[str], folder: Path) -> str:
    """Run a command in a folder, as on a terminal with colours, and return what it printed."""
    shown = {**os.environ, "COLUMNS": str(WIDTH), "FORCE_COLOR": "1", "TERM": "xterm-256color"}
    command = [sys.executable, "-c", "from longway.cli import main; main()", *arguments]
    return subprocess.run(
        command, cwd=folder, env=shown, check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def terminal(work: Path) -> None:
    """terminal.svg: the screen after `longway audit`, up to the strongest patterns."""
    printed = longway(["audit", "longway-runs/reviews.jsonl", "--levels", "-grammar", "--top", "4"], work)
    lines = printed.splitlines()
    end = next((at for at, line in enumerate(lines) if "Texts that" in line), len(lines))
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(width=WIDTH, record=True, file=nowhere, force_terminal=True)
        console.print(Text("$ longway audit reviews.jsonl", style="bold"))
        console.print(Text.from_ansi("\n".join(lines[: min(end, 33)])))
    svg = console.export_svg(title="longway audit reviews.jsonl", unique_id="audit")
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # fonts would be fetched from elsewhere
    (IMAGES / "terminal.svg").write_text(
        svg.replace("Fira Code", "ui-monospace, Menlo, Consolas"), encoding="utf-8"
    )


@contextmanager
def browser() -> Iterator[Any]:
    """Opens pages of a width in Chromium."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        sys.exit("Chromium is not installed. It takes the pictures. Install it and try again.")
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield lambda width, height, **more: started.new_page(
            viewport={"width": width, "height": height}, **more
        )
        started.close()


def reports(runs: Path, new_page: Any) -> None:
    """report.png, repair.png and tree.png: the top of an audit, an edited row, and a tree of a grammar."""
    page = new_page(1100, 900)
    page.goto((runs / "reviews-audit" / "report.html").as_uri())
    page.screenshot(path=IMAGES / "report.png")
    page.goto((runs / "reviews-repair" / "report.html").as_uri())
    page.set_viewport_size({"width": 1100, "height": 800})
    page.locator("#sample .edit", has_text="take_out").first.screenshot(path=IMAGES / "repair.png")
    page.goto((runs / "claims-grammar" / "report.html").as_uri())
    trees = page.locator("svg.tree").all()
    clearest = min(trees, key=lambda tree: (tree.text_content() or "").count("[UNK]"))
    clearest.screenshot(path=IMAGES / "tree.png")


def candidates(runs: Path, new_page: Any) -> None:
    """choice.png and preferences.png: the top of an audit of a quiz, and what is preferred in pairs."""
    page = new_page(1100, 900)
    page.goto((runs / "quiz-audit" / "report.html").as_uri())
    page.screenshot(path=IMAGES / "choice.png")
    page.goto((runs / "pairs-audit" / "report.html").as_uri())
    page.locator("#style").screenshot(path=IMAGES / "preferences.png")


def question(runs: Path, temporary: Path, new_page: Any) -> None:
    """choice-review.png: a question whose candidates were normalised and moved, in the review."""
    contents = RunContents(shutil.copytree(runs / "quiz-repair", temporary / "quiz-repair"))
    try:
        key = contents.edits.keys(EditFilter(method="normalise, positions"))[0]
        with serving(contents, author="ada") as served:
            page = new_page(1100, 720)
            page.goto(served.url)
            page.goto(f"{served.address}edits/{key}")
            page.screenshot(path=IMAGES / "choice-review.png")
    finally:
        contents.close()


def reviews(runs: Path, temporary: Path, new_page: Any) -> None:
    """review-*.png: the pages of a review, on a copy of the run with a few decisions."""
    contents = RunContents(shutil.copytree(runs / "reviews-repair", temporary / "reviews-repair"))
    try:
        keys = contents.edits.keys(EditFilter(status="kept"))
        for at, choice in enumerate(["accept", "accept", "reject", "accept"]):
            contents.decisions.write("edit", keys[at], {"choice": choice}, author="ada")
        draw_sample(contents, name="first", size=20, seed=0, author="ada")
        with serving(contents, author="ada") as served:
            page = new_page(1100, 800)
            page.goto(served.url)
            for name, place in {
                "overview": "",
                "edit": f"edits/{keys[4]}?status=kept",
                "edits": "edits?status=kept&choice=none",
                "groups": "groups",
                "finding": f"findings/{contents.findings().rows[0].key}",
                "sample": "sample/first",
            }.items():
                page.goto(served.address + place)
                page.screenshot(path=IMAGES / f"review-{name}.png")
            phone = new_page(390, 844, color_scheme="dark")
            phone.goto(served.url)
            phone.goto(f"{served.address}edits/{keys[4]}?status=kept")
            phone.screenshot(path=IMAGES / "review-phone.png")
    finally:
        contents.close()


if __name__ == "__main__":
    main()
