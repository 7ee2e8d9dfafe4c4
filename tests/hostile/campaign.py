"""The corpus through every command: runs them, and says what is wrong with anything they left or printed.

    python -m tests.hostile.campaign [--every 1] [--command audit ...]     at length; prints a table and one line of JSON
                                     [--form csv] [--review] [--huge 10]   as CSV; reviews opened in Chromium; one text of 10 MB
    Campaign(folder, every=6).run("audit")                                 one command on every sixth case; the tests' form

What is wrong is told in words (`Seen.wrong`): a control character on the terminal, markup from a row in a page, a template that was
filled in, a row that shows another row's mark, an id that is lost or doubled, a label or another column that changed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from typer.testing import CliRunner

from longway.cli import app
from longway.data.json_file import _mend
from longway.errors import LongwayError
from tests.hostile.corpus import PRODUCT, cases, huge, marks_in, rows
from tests.hostile.forms import FORMS, read_rows, whole, write_rows
from tests.hostile.reviewed import browser, look_at
from tests.review.wire import Elements

SMALL = "--nonterminals 3 --preterminals 6 --dimension 8 --epochs 1 --device cpu --limit 40"
COMMANDS = {
    "audit": "audit {data} --levels=-grammar",
    "rewrite": "rewrite {data} --engine rules --judge none --rounds 1 --k {k} --candidates 2",
    "rewrite-eda": "rewrite {data} --method eda",
    "augment": "augment {data} --method eda",
    "perturb": "perturb {data}",
    "explain": "explain {data} --rows 6 --samples 20 --folds 2 --search 0",
    "plant": "bench plant {data}",
    "prove": "prove {data} {after} --test <t>={test} --seeds 1 --model bow",
    "grammar": f"grammar {{data}} {SMALL} --classifier none",
}
# Style codes are rich's own where a terminal has colours; anything else that steers one is not.
LARGEST_PAGE = 5_000_000  # characters of a report, whatever the rows are
STYLE = re.compile(r"\x1b\[[0-9;]*m")
STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
NEVER = {*"script iframe object embed base form input video link template math foreignobject".split()}


@dataclass
class Seen:
    """What one command did. told: what it printed. wrong: what must not be, in words."""

    command: str
    code: int
    told: str
    folder: Path
    rows: int
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


class Campaign:
    """Commands on a dataset of the corpus in a folder. every: 1 for all cases, 6 for each sixth; all families are in it.

    form: of the file. megabytes: of one more row's text.
    """

    def __init__(self, folder: Path, *, every: int = 1, form: str = "jsonl", megabytes: int = 0) -> None:
        self.folder = folder
        all_cases = cases()
        self.rows = rows([*all_cases[::every]])
        if megabytes:
            self.rows.append({**self.rows[0], "id": "huge", "text": f"{huge(megabytes)} qz999"})
        self.data = write_rows(folder / f"rows{{{{x}}}}<b>.{form}", self.rows)
        others = [
            {**row, "text": f"{row['text']} unseen", "id": f"t{row['id']}"}
            for row in rows([*all_cases[1::every]])
        ]
        self.test = write_rows(folder / "others.jsonl", others)

        changed = [{**row, "text": f"indeed {row['text']}"} for row in self.rows]
        self.after = write_rows(folder / f"after.{form}", changed)

    def run(self, name: str, *, coloured: bool = False) -> Seen:
        """Run one command and look at everything it left. coloured: as on a terminal with colours."""
        out = self.folder / f"{name}-run<script>"
        values = {
            "data": str(self.data),
            "test": str(self.test),
            "after": str(self.after),
            "k": str(max(2, len(self.rows) // 12)),
        }
        command = [part.format(**values) if part[0] in "{<" else part for part in COMMANDS[name].split()]
        started = time.monotonic()
        environment = {"FORCE_COLOR": "1", "COLUMNS": "120"} if coloured else {"COLUMNS": "120"}
        done = CliRunner(env=environment).invoke(app, [*command, "--out", str(out)])
        seen = Seen(
            name, done.exit_code, done.output, out, len(self.rows), seconds=time.monotonic() - started
        )
        if done.exception is not None and not isinstance(done.exception, LongwayError | SystemExit):
            seen.wrong.append(f"ended in {done.exception!r:.300}")
        elif done.exit_code:
            seen.wrong.append(f"refused: {done.exception!s:.300}")
        # Where there are colours there is a moving bar, too, on standard error: its own codes steer the terminal.
        told = done.stdout if coloured else done.output
        seen.wrong += [*wrong_on_terminal(told), *self._wrong_in_folder(out)]
        return seen

    def _wrong_in_folder(self, out: Path) -> Iterator[str]:
        for path in sorted(one for one in out.rglob("*") if one.is_file()):
            text = path.read_bytes().decode("utf-8", "replace")
            if path.suffix == ".html" and len(text) > LARGEST_PAGE:
                yield f"{path.name}: {len(text):,} characters"
            if PRODUCT in text:
                yield f"{path.name}: a template was filled in"
            if path.suffix == ".html":
                yield from (f"{path.name}: {told}" for told in wrong_in_page(text))
            elif path.suffix == ".json":
                json.loads(text)
            elif path.name == "edits.jsonl":
                yield from wrong_in_edits(text)
            elif path.stem == "dataset":
                yield from wrong_in_dataset(read_rows(path), self.rows)


def wrong_on_terminal(told: str) -> Iterator[str]:
    """What of an output would steer a terminal."""
    if "\x1b[31;1mred" in told or "\x1b[31m\u202e" in told:
        yield "a row's colour on the terminal"
    yield from (f"{found!r} on the terminal" for found in sorted(set(STEERING.findall(STYLE.sub("", told)))))


def wrong_in_page(page: str) -> Iterator[str]:
    """What in a report runs, loads or leads elsewhere. A report has no script, so none may be there."""
    told: Counter[str] = Counter()
    for tag, attributes in Elements(page).found:
        if tag in NEVER:
            told[f"<{tag}>"] += 1
        for name, value in attributes.items():
            link = re.sub(r"[\x00-\x20]", "", value or "").lower()
            if name.startswith("on") or name in ("style", "srcdoc", "formaction"):
                told[f"{tag} {name}"] += 1
            if name in ("href", "src", "xlink:href", "action", "data") and re.match(
                r"(javascript|data:text|https?:|//)", link
            ):
                told[f"{tag} {name}={link:.40}"] += 1
    yield from told
    if re.search("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]", page):
        yield "control characters"


def wrong_in_edits(text: str) -> Iterator[str]:
    """Lines that do not parse, and texts that show the mark of a row they were not made from."""
    for number, line in enumerate(text.split("\n")[:-1]):
        edit = json.loads(line)
        if strange := marks_in(edit["after"]) - marks_in(edit["before"]):
            yield f"edit {number} of {edit['id']} shows {sorted(strange)}"


def wrong_in_dataset(found: list[dict[str, Any]], given: list[dict[str, Any]]) -> Iterator[str]:
    """Rows that are lost, doubled or mixed up; labels and other columns that are not as they were."""
    first = found[: len(given)]  # additions stand behind
    if len({row["longway_id"] for row in found}) != len(found):
        yield "an id stands twice"
    if len(found) < len(given):
        yield f"{len(found)} rows of {len(given)}"
    for was, now in zip(given, first, strict=False):
        if any(not _same(now.get(name), was[name]) for name in was if name != "text"):
            yield f"row {was['id']!r}: another column changed"
        if strange := marks_in(str(now["text"])) - marks_in(str(was["text"])):
            yield f"row {was['id']!r} shows {sorted(strange)}"


def _same(now: object, was: object) -> bool:
    """Whether a cell is as it was, in a form where half a character, or a number beside texts, has no place."""
    return now in (_mend({"x": was})["x"], whole(was), str(was))


def main() -> int:
    """Run the commands, print a table and one line of JSON; 1 where anything is wrong."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--every", type=int, default=1, help="take each Nth case")
    parser.add_argument("--command", action="append", choices=sorted(COMMANDS))
    parser.add_argument("--form", default="jsonl", choices=FORMS, help="of the file that is read and written")
    parser.add_argument(
        "--review", action="store_true", help="open every page of each run's review in Chromium"
    )
    parser.add_argument(
        "--huge", type=int, default=0, metavar="MB", help="add a row whose text has so many megabytes"
    )
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        os.chdir(folder)
        chromium = stack.enter_context(browser()) if options.review else None
        campaign = Campaign(Path(folder), every=options.every, form=options.form, megabytes=options.huge)
        print(f"{'command':14}{'rows':>6}{'files':>7}{'pages':>7}{'seconds':>9}  wrong", flush=True)
        wrong, n_files, n_pages, done = 0, 0, 0, options.command or list(COMMANDS)
        for name in done:
            seen, pages = campaign.run(name), 0
            if chromium is not None and (seen.folder / "run.json").exists():
                # The lists show every row; each row's own page is opened once in the campaign.
                more, pages = look_at(chromium, seen.folder, every=1 if name == "rewrite-eda" else 6)
                seen.wrong += more
            files = len(list(seen.folder.glob("*")))
            n_files, n_pages, wrong = n_files + files, n_pages + pages, wrong + len(seen.wrong)
            print(
                f"{name:14}{seen.rows:6,}{files:7}{pages:7}{seen.seconds:9.1f}  {'; '.join(seen.wrong) or 'nothing'}",
                flush=True,
            )
    figures = {
        "cases": len(campaign.rows),
        "commands": len(done),
        "files": n_files,
        "pages": n_pages,
        "wrong": wrong,
    }
    print(json.dumps({"script": "tests/hostile/campaign.py", **figures}))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
