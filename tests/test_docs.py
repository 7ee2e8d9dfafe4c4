"""The documentation is true: its examples run, its output is what comes out, its links lead somewhere.

A ```console block holds `$ longway ...` lines, each with the output below it; a line of three dots stands for any lines. A
```text block right behind a ```python block is what that block prints. All examples of a page run in one folder, one after
the other, beside a few files made of the built-in sample (`FILES`).
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import fields, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

import longway
from longway.cli import app
from longway.data.formats import KINDS as FORMATS
from longway.data.problems import KINDS as PROBLEMS
from longway.detect.surface_questions import QUESTIONS
from longway.engines.registry import NAMES as ENGINES
from longway.english.pipeline import load_pipeline
from longway.english.rules import RULES
from longway.english.rules.rule import Scene
from longway.english.rules.sentence import read_all
from longway.jobs.augment.settings import METHODS as AUGMENTATIONS
from longway.jobs.before_after import PatternChange
from longway.jobs.plant.job import KINDS as PLANTS
from longway.jobs.prove import settings as prove_settings
from longway.jobs.rewrite import rewriting
from longway.jobs.rewrite.settings import Method
from longway.levels import AUDITED
from longway.records import Edit, Finding, Leak, Mentions, Pattern, Problem, Telling, Verdict
from longway.sample import NAMES as SAMPLES
from longway.sample import planted, sample_path
from longway.store import CallTotals
from tests.environment import without_encoder

pytestmark = pytest.mark.usefixtures("all_folds")

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
DETECTOR_PAGES = [*AUDITED, "leak", "duplicates"]
SECTIONS = ["What it looks for", "Why it matters", "Example", "How to fix it", "Known limits"]

# The context of the pairs on the page of rules.
CONTEXT = "Mira Sol (born 4 May 1959) is a Peruvian painter who has lived in Oslo since 1990."
# What the examples read: name, sample, split.
FILES = [
    ("reviews.csv", "reviews", "train"),
    ("reviews.parquet", "reviews", "train"),
    ("numbers.csv", "reviews", "train"),  # labels 0 and 1
    ("claims.jsonl", "claims", "train"),
    ("dev.jsonl", "claims", "test"),
]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def script(name):
    """A script of the documentation, as a module."""
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


COMMANDS: Any = dict(typer.main.get_command(app).commands)


def name_of(page):
    return str(page.relative_to(ROOT))


def blocks_of(page, language):
    """The blocks of a language, each with the ```text block right behind it (empty where there is none)."""
    text = page.read_text(encoding="utf-8")
    found = list(BLOCK.finditer(text))
    for block, behind in zip_longest(found, found[1:]):
        if block[1] == language:
            follows = behind and behind[1] == "text" and not text[block.end() : behind.start()].strip()
            yield block[2], behind[2] if follows else ""


def pages_with(*languages):
    return [page for page in PAGES if any(any(blocks_of(page, language)) for language in languages)]


def bag_of_words_alone(patch):
    """No page shows the encoder's proof, which takes far longer (`tests/jobs/test_prove_encoder.py` has one)."""
    patch.setattr(prove_settings, "default_models", lambda: ("bow",))


def shorter(razor):
    """One round with a few texts."""
    return lambda settings: replace(razor(settings), k=24, rounds=1)


@pytest.fixture(scope="module")
def demos(tmp_path_factory):
    """Gives the folder with the runs of the demos of some samples, each made once: nearly every page shows one.

    Rewriting a sample takes a minute or two, so that the processes of one test run share the work: where one that is
    wanted is being made by another process, this one makes the next before it waits.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent / "demo" if "PYTEST_XDIST_WORKER" in os.environ else base / "demo"
    shared.mkdir(exist_ok=True)

    def is_made(name):
        return (shared / f"{name}.ended").exists()

    def make(name):
        with contextlib.suppress(FileExistsError):  # another process makes it
            (shared / f"{name}.begun").mkdir()
            with contextlib.chdir(shared), pytest.MonkeyPatch.context() as patch:
                bag_of_words_alone(patch)
                without_encoder(patch)  # no page shows the figures of a repair in a console
                ended = CliRunner().invoke(app, ["demo", name])
                if name == "claims" and ended.exit_code == 0:  # some pages read a rewrite
                    patch.setattr(rewriting, "razor_settings", shorter(rewriting.razor_settings))
                    ended = CliRunner().invoke(
                        app, ["rewrite", "longway-runs/claims.jsonl", "--engine", "rules"]
                    )
            told = "" if ended.exit_code == 0 else f"{ended!r}\n{ended.output}"
            (shared / f"{name}.told").write_text(told, encoding="utf-8")
            (shared / f"{name}.told").replace(shared / f"{name}.ended")  # never read half written

    def made(*names):
        for name in names:
            make(name)
        for name in SAMPLES:
            if not all(map(is_made, names)):
                make(name)
        deadline = time.monotonic() + 900
        while not all(map(is_made, names)) and time.monotonic() < deadline:
            time.sleep(0.1)
        for name in names:
            assert (shared / f"{name}.ended").read_text(encoding="utf-8") == ""
        return shared / "longway-runs"

    return made


def demos_on(page):
    """The samples whose demo a page runs, or whose runs it reads."""
    text = page.read_text(encoding="utf-8")
    return [
        name
        for name in SAMPLES
        if re.search(rf"longway demo {name}|longway-runs/{name}-(audit|repair|rewrite|prove)", text)
    ]


@pytest.fixture
def folder(tmp_path, monkeypatch, demos, page):
    """The working folder: the files of the examples, and the demos of the page as finished runs."""
    bag_of_words_alone(monkeypatch)  # else a demo would not be the finished run, and train anew
    for name in demos_on(page):
        for run in demos(name).glob(f"{name}-*"):
            shutil.copytree(run, tmp_path / "longway-runs" / run.name)
        shutil.copy(demos(name) / f"{name}.jsonl", tmp_path / "longway-runs")
    for file, sample, split in FILES:
        rows = pl.read_ndjson(sample_path(sample)).filter(pl.col("split") == split).drop("split")
        if file == "numbers.csv":
            rows = rows.with_columns((pl.col("sentiment") == "positive").cast(pl.Int8))
        write = {".csv": rows.write_csv, ".parquet": rows.write_parquet, ".jsonl": rows.write_ndjson}
        write[Path(file).suffix](tmp_path / file)
    script("make_choices").write(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return tmp_path


def commands_in(block):
    """Each command of a ```console block with the lines that are said to come out."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output.splitlines()


def plain(line):
    """The line without what may differ from machine to machine: a date, the figures of a leak, spaces between columns."""
    line = re.sub(r"\d{4}-\d\d-\d\dT[\d:]+Z", "DATE", line)
    if "cross-validation" in line or "held-out" in line:
        line = re.sub(r"[\d.]+%", "N%", line)
    return " ".join(line.split())


def first_that_does_not_come(expected, printed):
    """The first expected line that is not where it should be; None where all are. Dots stand for any lines."""
    place, anywhere = 0, False
    for line in map(plain, expected):
        if line == "...":
            anywhere = True
            continue
        if anywhere and line in printed[place:]:
            place = printed.index(line, place)
        if place >= len(printed) or printed[place] != line:
            return line
        place, anywhere = place + 1, False
    return None


@pytest.mark.parametrize("page", pages_with("console", "python"), ids=name_of)
def test_examples_run_and_print_what_the_page_says(page, folder):
    check_console_examples(page)
    check_python_examples(page)  # they may read what a command has written


def check_console_examples(page):
    for block, _ in blocks_of(page, "console"):
        for command, expected in commands_in(block):
            program, *arguments = shlex.split(command)
            assert program == "longway"
            result = CliRunner().invoke(app, arguments)
            assert result.exit_code == 0, f"$ {command}\n{result.output}\n{result.exception!r}"
            missing = first_that_does_not_come(expected, [plain(line) for line in result.stdout.splitlines()])
            if arguments[0] == "demo":
                assert not [*Path("longway-runs").glob("*-2")], "a finished demo was made again"
            assert missing is None, f"$ {command}\ndoes not print (here): {missing}\n\n{result.stdout}"


def check_python_examples(page):
    names = {"__name__": "example"}
    for block, expected in blocks_of(page, "python"):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(block, name_of(page), "exec"), names)
        if expected or printed.getvalue():
            assert printed.getvalue() == expected
    for test in [value for name, value in names.items() if name.startswith("test_")]:
        test()  # as pytest would


def commands_on(page):
    """Every command on a page, those that are not run included: in fenced and in indented blocks, without continued lines."""
    text = page.read_text(encoding="utf-8")
    lines = re.findall(r"^(?: {4,}|\$ )?(longway [a-z].*[^\\\n])$", text, flags=re.MULTILINE)
    return [line for line in lines if not re.search(r"[.…]$| \[|<", line)]


@pytest.mark.parametrize("page", [page for page in PAGES if page.name != "commands.md"], ids=name_of)
def test_every_command_on_a_page_has_options_that_exist(page):
    for line in commands_on(page):
        words = shlex.split(line, comments=True)[1:]
        name = " ".join(words[:2]) if " ".join(words[:2]) in COMMANDS else words[0]
        assert name in COMMANDS, line
        known = {flag for option in COMMANDS[name].params for flag in (*option.opts, *option.secondary_opts)}
        used = {word.partition("=")[0] for word in words if re.match(r"--[a-z]", word)}
        assert used <= known | {"--help", "--help-all"}, line


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, marks=() if page.stem == "fact-checking" else pytest.mark.soak)
        for page in sorted((DOCS / "notebooks").glob("*.ipynb"))
    ],
    ids=name_of,
)
def test_notebooks_run_and_print_what_they_show(page, folder):
    """Cells tagged "varies" show figures of a repair, which is made without its language model here: they must run and print."""
    notebooks = script("make_notebooks")
    notebook = json.loads(page.read_text(encoding="utf-8"))
    codes = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    shown = notebooks.plain_outputs([cell["outputs"] for cell in codes])
    for cell, expected, printed in zip(
        codes, shown, notebooks.plain_outputs(notebooks.execute(notebook)), strict=True
    ):
        assert printed.strip()
        if "varies" not in cell["metadata"].get("tags", ()):
            assert printed == expected


@pytest.mark.parametrize("page", sorted((DOCS / "notebooks").glob("*.ipynb")), ids=name_of)
def test_notebooks_use_public_names_and_link_to_files_that_exist(page):
    text = "".join("".join(cell["source"]) for cell in json.loads(page.read_text(encoding="utf-8"))["cells"])
    assert set(re.findall(r"\blw\.(\w+)", text)) <= set(longway.__all__)
    for target in LINK.findall(text):
        assert (page.parent / target.partition("#")[0]).exists(), target


def test_pictures_are_small_and_shown_on_a_page():
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    for picture in (DOCS / "images").iterdir():
        assert picture.stat().st_size <= 200_000, picture.name
        assert f"images/{picture.name}" in text, picture.name


def test_a_wrong_output_in_a_console_example_would_be_noticed():
    printed = ["one", "two", "three"]
    assert first_that_does_not_come(["...", "two", "three"], printed) is None
    assert first_that_does_not_come(["one", "three"], printed) == "three"
    assert first_that_does_not_come(["...", "four"], printed) == "four"


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_use_public_names_only(page):
    text = page.read_text(encoding="utf-8")
    assert re.findall(r"^\s*(?:from|import) longway\..*$", text, flags=re.MULTILINE) == []
    assert set(re.findall(r"\blw\.(\w+)", text)) <= set(longway.__all__)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_to_files_that_exist(page):
    for target in LINK.findall(page.read_text(encoding="utf-8")):
        if not target.startswith(("http:", "https:", "#")):
            assert (page.parent / target.partition("#")[0]).exists(), target


def test_the_start_page_leads_to_every_page_by_four_kinds():
    text = (DOCS / "index.md").read_text(encoding="utf-8")
    kinds = re.findall(r"^## .*: (.*)$", text, flags=re.MULTILINE)
    assert kinds == ["tutorials", "questions and how-to pages", "reference", "explanation"]
    others = {path.relative_to(DOCS).as_posix() for path in (*DOCS.glob("*.md"), *DOCS.rglob("*.ipynb"))}
    assert others - set(LINK.findall(text)) == {"index.md"}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_a_section_in_the_reference(command):
    text = (DOCS / "commands.md").read_text(encoding="utf-8")
    section = text.partition(f"\n## longway {command}\n")[2].partition("\n## ")[0]
    assert section
    for parameter in COMMANDS[command].params:
        listed = (parameter.help or "").replace("\n\n* ", "<br>")  # --set lists its settings
        assert parameter.name == "help" or (listed and listed in section.replace("\\|", "|"))
    result = CliRunner().invoke(app, [*command.split(), "--help"])
    assert result.exit_code == 0
    assert command in result.output


@pytest.mark.parametrize("name", ["commands", "languages"])
def test_a_page_is_what_its_script_makes(name):
    again = f"run: python docs/make_{name}.py"
    assert (DOCS / f"{name}.md").read_text(encoding="utf-8") == script(f"make_{name}").page(), again


@pytest.mark.parametrize("detector", DETECTOR_PAGES)
def test_every_detector_has_a_page_with_the_five_sections(detector):
    text = (DOCS / "detectors" / f"{detector}.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (.*)$", text, flags=re.MULTILINE) == SECTIONS
    assert f"({detector}.md)" in (DOCS / "detectors" / "index.md").read_text(encoding="utf-8")


def test_the_surface_page_names_every_trait():
    text = (DOCS / "detectors" / "surface.md").read_text(encoding="utf-8")
    for family, name, _ in QUESTIONS:
        assert name in re.search(rf"^\| {family} \| (.*) \|$", text, flags=re.MULTILINE)[1].split("; ")


def test_the_run_folder_page_names_every_key_of_the_records():
    text = (DOCS / "run-folder.md").read_text(encoding="utf-8")
    records = (Edit, Finding, Leak, Mentions, Pattern, PatternChange, Problem, Telling, Verdict)
    keys = {field.name for record in records for field in fields(record)} | {*Pattern("", "").to_dict()}
    assert {key for key in keys | set(PROBLEMS) if f"`{key}`" not in text} == set()


def test_the_run_folder_page_names_every_key_of_a_proof(demos):
    text = (DOCS / "run-folder.md").read_text(encoding="utf-8")
    found = json.loads((demos("claims") / "claims-prove" / "results.json").read_text(encoding="utf-8"))
    lists = ("versions", "tests", "rows", "comparisons", "apart", "leaks")
    keys = {*found, *(key for name in lists for key in found[name][0])}
    assert {key for key in keys if f"`{key}`" not in text} == set()


def test_the_run_folder_page_names_every_key_of_a_rewrite(demos):
    text = (DOCS / "run-folder.md").read_text(encoding="utf-8")
    runs = demos("claims")
    found = json.loads((runs / "claims-rewrite" / "rewrite.json").read_text(encoding="utf-8"))
    of_calls = {field.name for field in fields(CallTotals)}  # rules make no calls
    keys = {*found, *found["rounds"][0], *of_calls, *found["checks"][0]}
    assert {key for key in keys if f"`{key}`" not in text} == set()
    run_files = {path.name for path in (runs / "claims-rewrite").iterdir()}
    assert {
        file for file in run_files if f"`{file}`" not in text and f"`{Path(file).stem}.*`" not in text
    } == set()


def test_the_rewriting_page_names_every_check_and_method():
    text, *others = (
        (DOCS / name).read_text(encoding="utf-8")
        for name in ("rewriting.md", "augmenting.md", "repairing.md")
    )
    source = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/longway/verify").glob("*.py"))
    checks = set(re.findall(r'^    name = "(.+)"$', source, flags=re.MULTILINE))
    assert len(checks) > 5
    assert {name for name in checks if f"| `{name}` |" not in "".join((text, *others))} == set()
    assert [name for name in get_args(Method) if name != "razor" and f"`--method {name}`" not in text] == []


@pytest.mark.parametrize(
    ("page", "names", "form"),
    [
        ("augmenting.md", AUGMENTATIONS, "| `{}` |"),
        ("engines.md", ENGINES, "| `{}` |"),
        ("planting.md", PLANTS, "| `{}` |"),
        ("your-data.md", FORMATS, "`{}`"),
    ],
)
def test_a_page_names_every_kind_that_there_is(page, names, form):
    text = (DOCS / page).read_text(encoding="utf-8")
    assert [name for name in names if form.format(name) not in text] == []


def rows_of_rules():
    """Family, example, what becomes of it and what is left alone, from the table on the page of rules."""
    text = (DOCS / "rules.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(\w+)` \| (.+?) \| (.+?) \| (.+?) \|$", text, flags=re.MULTILINE)


def test_the_rules_page_has_every_family():
    assert [row[0] for row in rows_of_rules()] == list(RULES)
    assert CONTEXT in (DOCS / "rules.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("row", rows_of_rules(), ids=lambda row: row[0])
def test_a_rule_does_what_its_example_says_and_leaves_the_other_alone(row):
    family, example, becomes, left_alone = row
    assert becomes in texts_by(family, example)
    assert texts_by(family, left_alone) == []


def texts_by(family, told):
    """What a family makes of a sentence of the page; bold words are telling, a stance in brackets makes it a pair."""
    told, _, stance = told.removesuffix(")").partition(" (")
    telling = frozenset(phrase.lower() for phrase in re.findall(r"\*\*(.+?)\*\*", told))
    document = next(read_all(load_pipeline(), [told.replace("**", "")]))
    scene = Scene(document, CONTEXT if stance else None, stance or None, telling)
    return [rewriting.apply(document) for rewriting in RULES[family](scene)]


def test_the_sample_page_has_the_planted_counts():
    text = (DOCS / "sample.md").read_text(encoding="utf-8")
    for shortcut in [*planted("reviews"), *planted("claims")]:
        row = re.search(rf"^\| {shortcut['name']} \| {shortcut['level']} \|.*$", text, flags=re.MULTILINE)[0]
        for by_label in shortcut["strength"].values():
            assert " + ".join(map(str, by_label.values())) in row


def test_the_readme_names_the_commands_of_a_checkout_and_every_part_of_the_package():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert "`make demo`" in text
    assert "`make test`" in text
    assert "pip install ." in text
    table = text.partition("## What is where")[2]
    parts = [
        path
        for path in (ROOT / "src/longway").iterdir()
        if path.suffix == ".py" or any(path.glob("*.py"))
        if path.name != "__main__.py"  # it calls the command line
    ]
    assert [path for path in parts if f"`{name_of(path)}{'/' if path.is_dir() else ''}`" not in table] == []
    assert [
        path for path in re.findall(r"^\| `([^`]+)`", table, flags=re.MULTILINE) if not (ROOT / path).exists()
    ] == []


def test_the_results_page_names_scripts_that_exist_and_a_date_for_each_claim():
    table = (DOCS / "results.md").read_text(encoding="utf-8").partition("\n## ")[0]
    rows = [line.split(" | ") for line in table.splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 15
    for row in rows:
        assert re.fullmatch(r"2026-\d\d-\d\d \|", row[-1]), row
        for script in re.findall(r"(?:runs|bench|notes|papers/\w+)/\w+\.\w+", row[-2]):
            assert (ROOT / script).exists(), script


def test_the_contributing_page_names_every_script():
    table = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("## Scripts")[2]
    scripts = {name_of(path) for folder in ("bench", "runs") for path in (ROOT / folder).glob("*.py")}
    assert set(re.findall(r"`((?:bench|runs)/\w+\.py)`", table)) == scripts


def test_the_readme_of_a_paper_names_each_of_its_scripts():
    for folder in (ROOT / "papers").iterdir():
        text = (folder / "README.md").read_text(encoding="utf-8")
        named = set(re.findall(r"\b\w+\.py", text))
        assert {path.name for path in folder.glob("*.py")} <= named


def test_the_pages_build_without_a_warning(tmp_path):
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "NO_COLOR": "1"}
    )
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "site" / "index.html").exists()
    fetched = re.compile(r'<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?//')
    assert [
        page.name for page in (tmp_path / "site").rglob("*.html") if fetched.search(page.read_text())
    ] == []
