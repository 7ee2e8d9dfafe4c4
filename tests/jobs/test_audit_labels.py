"""Audits of several label columns and of tags: one folder for each label, one report, one gate."""

import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import polars as pl
import pytest
from rich.console import Console
from typer.testing import CliRunner

import longway as lw
from longway.cli import app
from longway.errors import CheckFailed, ColumnError, DataError, RunError, SettingError
from longway.jobs.audit.several import MIN_ROWS
from longway.report.html import render
from longway.report.terminal import show

LEVELS = "token,length"
AWFUL = ["a/b/../c", "..", "", "CON", "toxic", "Toxic", "x" * 300, "<b>bold</b>", "not toxic", "two\nlines"]


def rows_of(n=160):
    """Texts of random words; "sadly" is in most texts with the tag "toxic"; the tag "rude" is at random, "rare" in three rows."""
    random = np.random.default_rng(0)
    rows = []
    for i in range(n):
        words = random.choice([f"word{k}" for k in range(300)], 9).tolist()
        tags = [
            name for name, has in (("toxic", i % 2), ("rude", random.random() < 0.4), ("rare", i < 3)) if has
        ]
        if i % 2 and random.random() < 0.8:
            words.insert(4, "sadly")
        rows.append(
            {"text": " ".join(words), "tags": tags, **{name: int(name in tags) for name in ("toxic", "rude")}}
        )
    return rows


def written(folder, kind, rows):
    path = folder / f"rows.{kind}"
    if kind == "csv":
        pd.DataFrame(rows).to_csv(path, index=False)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    else:
        pl.DataFrame(rows).write_parquet(path)
    return path


def run(*arguments):
    return CliRunner().invoke(app, ["audit", *map(str, arguments), "--levels", LEVELS])


@pytest.fixture(scope="module")
def audited():
    return lw.audit_labels(rows_of(), "tags", levels=LEVELS)


def on_screen(result, *, width=80):
    console = Console(width=width, record=True, file=StringIO())
    show(result.page(), console)
    return console.export_text()


def test_each_tag_has_the_audit_of_rows_with_and_without_it(audited):
    assert list(audited.audits) == ["toxic", "rude"]
    assert audited.audits["toxic"].dataset.labels == {"not toxic": 80, "toxic": 80}
    alone = lw.audit(
        [{"text": row["text"], "label": "toxic" if row["toxic"] else "not toxic"} for row in rows_of()],
        levels=LEVELS,
    )
    assert audited.audits["toxic"].leaks == alone.leaks
    assert [f.pattern for f in audited.audits["toxic"].findings] == [f.pattern for f in alone.findings]
    assert [(one.tag, one.rows) for one in audited.left_out] == [("rare", 3)]
    assert audited.verdict.startswith(
        "From the text alone a simple model predicts 1 of 2 labels better than chance: toxic, "
    )
    frame = audited.to_frame()
    assert frame["label"].to_list() == ["toxic", "rude"]
    assert frame["critical"][0] >= 1


@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_a_list_column_is_recognised_in_every_format(tmp_path, kind):
    rows = rows_of()
    rows[0]["tags"] = None
    done = run(written(tmp_path, kind, rows), "--label", "tags", "--out", tmp_path / "out")
    assert done.exit_code == 0, done.output
    assert "Labels: tags holds lists: one audit per tag, 2 of 3 tags" in done.output
    assert f"Report: {tmp_path / 'out' / 'report.html'}" in done.output
    content = json.loads((tmp_path / "out" / "labels.json").read_text())
    assert [(one["label"], one["rows"], one["folder"]) for one in content["labels"]] == [
        ("toxic", 159, "toxic"),
        ("rude", 159, "rude"),
    ]
    for one in content["labels"]:
        folder = tmp_path / "out" / one["folder"]
        names = "card.md croissant.json findings.json report.html run.json scores.parquet"
        assert sorted(path.name for path in folder.iterdir()) == names.split()
        assert lw.AuditResult.open(folder).dataset.tag == one["tag"]
        assert pl.read_parquet(folder / "scores.parquet").height == 159
    assert "sadly" in content["labels"][0]["strongest"][0]["pattern"]


def test_several_columns_have_one_report_with_a_link_to_each(tmp_path):
    data = written(tmp_path, "csv", rows_of())
    done = run(data, "--label", "toxic", "--label", "rude", "--out", tmp_path / "out", "--json")
    content = json.loads(done.stdout)
    assert [(one["label"], one["tag"], one["value"], one["share"]) for one in content["labels"]] == [
        ("toxic", None, "1", 0.5),
        ("rude", None, "1", pytest.approx(sum(row["rude"] for row in rows_of()) / 160)),
    ]
    page = (tmp_path / "out" / "report.html").read_text()
    assert '<a href="toxic/report.html"><bdi>toxic</bdi></a>' in page
    assert '<a href="rude/report.html">' in page
    assert json.loads(json.dumps(lw.AuditLabelsResult.open(tmp_path / "out").to_dict())) == content


def test_one_label_given_once_is_an_ordinary_audit(tmp_path):
    done = run(written(tmp_path, "csv", rows_of()), "--label", "toxic", "--out", tmp_path / "out")
    assert done.exit_code == 0
    assert (tmp_path / "out" / "findings.json").is_file()
    assert not (tmp_path / "out" / "labels.json").exists()
    assert "tag" not in json.loads((tmp_path / "out" / "findings.json").read_text())["dataset"]


class Stops(lw.Watcher):
    """Interrupts the audit of a label."""

    def __init__(self, name):
        self.name, self.steps = name, []

    def step(self, name):
        self.steps.append(name)
        if name.startswith(f"{self.name} "):
            raise KeyboardInterrupt


def test_an_interrupted_run_repeats_no_finished_audit(tmp_path):
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        lw.audit_labels(rows_of(), "tags", levels=LEVELS, out=out, watcher=Stops("rude"))
    assert json.loads((out / "run.json").read_text())["state"] == "running"
    before = (out / "toxic" / "run.json").read_bytes()
    watcher = Stops("nothing")
    resumed = lw.audit_labels(rows_of(), "tags", levels=LEVELS, out=out, watcher=watcher)
    assert {step.split(":")[0] for step in watcher.steps} == {"rude (2 of 2)", "writing the report"}
    assert (out / "toxic" / "run.json").read_bytes() == before
    again = Stops("nothing")
    assert (
        lw.audit_labels(rows_of(), "tags", levels=LEVELS, out=out, watcher=again).to_dict()
        == resumed.to_dict()
    )
    assert again.steps == []
    (out / "rude" / "findings.json").unlink()  # a damaged label is audited again, the other is not
    lw.audit_labels(rows_of(), "tags", levels=LEVELS, out=out, watcher=again)
    assert {step.split(":")[0] for step in again.steps} == {"rude (2 of 2)", "writing the report"}
    with pytest.raises(RunError, match="contains another run"):
        lw.audit_labels(rows_of(150), "tags", levels=LEVELS, out=out)


def test_the_gate_names_the_label_of_each_reason(tmp_path, audited):
    data = written(tmp_path, "jsonl", rows_of())
    files = ["--junit", tmp_path / "junit.xml", "--sarif", tmp_path / "all.sarif"]
    arguments = [data, "--label", "tags", "--out", tmp_path / "out", "--quiet"]
    done = run(*arguments, "--fail-over", "severity=high", *files)
    assert done.exit_code == 1
    assert done.stderr.splitlines()[0].startswith("toxic: critical: “sadly” in text predicts toxic")
    few = done.stderr.splitlines()[1]
    assert few.startswith("rude: leak: Too few rows to tell")
    suites = ElementTree.parse(tmp_path / "junit.xml").getroot().findall("testsuite")
    assert [(one.get("name"), one.get("failures")) for one in suites] == [("toxic", "1"), ("rude", "1")]
    results = json.loads((tmp_path / "all.sarif").read_text())["runs"][0]["results"]
    assert [one["message"]["text"] for one in results] == done.stderr.splitlines()
    assert run(*arguments, "--baseline", tmp_path / "out").exit_code == 0
    wrong = run(*arguments, "--baseline", tmp_path / "out" / "toxic" / "findings.json")
    assert isinstance(wrong.exception, RunError)
    assert "labels.json" in str(wrong.exception)
    with pytest.raises(CheckFailed, match="toxic: leak: from text alone"):
        audited.check(leak=0.6)
    audited.check(severity="low", baseline=tmp_path / "out")
    audited.check(leak=0.99)


def test_held_out_sets_have_the_same_tags(tmp_path):
    held_out = lw.load(
        [{"text": row["text"], "tags": ["toxic"] if row["toxic"] else ["none"]} for row in rows_of(40)],
        label="tags",
    )
    result = lw.audit_labels(rows_of(), "tags", tests={"other": held_out}, levels=LEVELS)
    assert result.audits["toxic"].held_out["other"]["text"].rows == 40
    split = [{**row, "split": "train" if i < 120 else "dev"} for i, row in enumerate(rows_of())]
    parts = lw.audit_labels(split, ["tags"], levels=LEVELS)
    assert parts.audits["toxic"].dataset.used == 120
    assert parts.audits["toxic"].held_out["dev"]["text"].rows == 40
    assert "toxic: leak" in run_test_file(tmp_path)


def run_test_file(folder):
    data = written(folder, "csv", rows_of())
    options = "--label tags --fail-over leak=0.6 --quiet".split()
    return run(data, *options, "--test", f"other={data}", "--out", folder / "t").stderr


def test_awful_tag_names_are_safe_as_folders_and_on_the_page(tmp_path):
    random = np.random.default_rng(1)
    rows = [
        {
            "text": " ".join(random.choice([f"word{k}" for k in range(50)], 8)),
            "tags": [tag for tag in AWFUL if random.random() < 0.4],
        }
        for _ in range(120)
    ]
    result = lw.audit_labels(rows, "tags", levels="length", out=tmp_path / "out")
    assert {label.tag for label in result.labels} == set(AWFUL)
    assert len(result.audits) == len(AWFUL)
    names = [path.name for path in (tmp_path / "out").iterdir() if path.is_dir()]
    assert sorted(names) == sorted(label.folder for label in result.labels)
    assert len({name.casefold() for name in names}) == len(AWFUL)
    assert all(len(name) < 50 and "." not in name and name.lower() != "con" for name in names)
    assert list(tmp_path.iterdir()) == [tmp_path / "out"]  # nothing was written elsewhere
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<b>bold" not in page
    assert "&lt;b&gt;bold" in page
    assert result.audits['""'].dataset.labels.keys() == {'""', 'not ""'}
    assert max(map(len, on_screen(result).splitlines())) <= 80


def test_of_five_hundred_tags_the_most_frequent_are_audited_and_the_rest_is_named():
    random = np.random.default_rng(2)
    rows = [
        {
            "text": f"word{random.integers(9)} here",
            "tags": [f"tag{k}" for k in range(500) if random.random() < 0.5 / (1 + k // 10)],
        }
        for _ in range(200)
    ]
    result = lw.audit_labels(rows, "tags", levels="length")
    assert len(result.labels) == 20
    assert len(result.labels) + len(result.left_out) == len({tag for row in rows for tag in row["tags"]})
    shares = [label.share for label in result.labels]
    assert shares == sorted(shares, reverse=True)
    beyond = [tag for tag in result.left_out if tag.reason == "not among the 20 most frequent"]
    assert beyond
    assert all(MIN_ROWS <= tag.rows <= 200 * shares[-1] for tag in beyond)
    assert "more tags are in labels.json" in result.report.html


@pytest.mark.parametrize(
    "rows",
    [
        [{"text": "one row", "tags": ["a", "b"]}],
        [{"text": f"row {i}", "tags": []} for i in range(50)],
        [{"text": f"row {i}", "tags": [f"tag{i}", "always"]} for i in range(50)],
    ],
    ids=["one row", "empty lists", "rare and constant tags"],
)
def test_without_a_frequent_tag_there_is_nothing_to_audit(rows):
    with pytest.raises(DataError, match=r"No tag in column 'tags' .* At least 20 rows must have the tag"):
        lw.audit_labels(rows, "tags")


def test_what_cannot_be_audited_is_refused_before_anything_is_written(tmp_path):
    rows = [{**row, "same": 1} for row in rows_of(40)]
    with pytest.raises(DataError, match="one label only"):
        lw.audit_labels(rows, ["toxic", "same"], out=tmp_path / "out")
    with pytest.raises(ColumnError, match="no column 'rud'"):
        lw.audit_labels(rows, ["toxic", "rud"], out=tmp_path / "out")
    with pytest.raises(SettingError, match="given twice"):
        lw.audit_labels(rows, ["toxic", "toxic"], out=tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_columns_and_tags_with_the_same_name_are_told_apart():
    rows = [{**row, "tags": [*row["tags"], *(["b"] if i % 3 else [])]} for i, row in enumerate(rows_of(80))]
    result = lw.audit_labels(rows, ["toxic", "tags"], levels="length")
    assert list(result.audits) == ["toxic", "tags: b", "tags: toxic", "tags: rude"]


@pytest.mark.parametrize("job", ["audit", "rewrite", "augment", "explain", "grammar"])
def test_other_jobs_say_what_to_do_with_lists(job):
    dataset = lw.load(rows_of(40), label="tags")
    with pytest.raises(ColumnError, match=r"holds lists of tags.*lw\.audit_labels"):
        getattr(lw, job)(dataset)


@pytest.mark.parametrize(
    "command", ["rewrite", "augment", "perturb", "explain", "grammar", "fairness --fairscore"]
)
def test_other_commands_take_one_label_only(tmp_path, command):
    data = written(tmp_path, "csv", rows_of(40))
    done = CliRunner().invoke(app, [*command.split(), str(data), "--label", "toxic", "--label", "rude"])
    assert isinstance(done.exception, SettingError)
    assert "only `longway audit` takes several" in str(done.exception)


def test_the_report_is_never_wider_than_the_window_and_its_links_open(new_page, tmp_path):
    rows = [
        {**row, "tags": [*row["tags"], "a label with a rather long name / and a slash"]}
        for row in rows_of(80)
    ]
    rows += [{"text": f"other text {i}", "tags": ["rude"] if i % 2 else []} for i in range(60)]
    lw.audit_labels(rows, "tags", levels=LEVELS, out=tmp_path / "out")
    with new_page() as page:
        page.goto((tmp_path / "out" / "report.html").as_uri())
        for width in (390, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            assert page.evaluate(
                "document.documentElement.scrollWidth <= document.documentElement.clientWidth"
            )
        links = page.eval_on_selector_all("a", "links => links.map((link) => link.href)")
        assert len(links) == 3
        assert all(Path(link.removeprefix("file://")).is_file() for link in links)
        page.click("a >> nth=0")
        assert "Audit of list of dicts: " in page.title()
        assert page.errors == []


def test_a_result_in_memory_has_no_links(audited):
    assert "<a " not in render(audited.page())


def test_it_ends_with_a_repair_for_each_label_that_has_findings(tmp_path):
    data = written(tmp_path, "csv", rows_of())
    done = run(data, "--label", "toxic", "--label", "rude", "--limit", 150, "--out", tmp_path / "out")
    commands = [line for line in done.output.splitlines() if "longway repair" in line]
    assert commands == [
        f"Repair the data for toxic: longway repair {data} --text text --label toxic --limit 150"
    ]


def test_a_tag_has_no_repair_of_its_own(tmp_path):
    done = run(written(tmp_path, "jsonl", rows_of()), "--label", "tags", "--out", tmp_path / "out")
    assert "longway repair" not in done.output
    assert "make a column that says whether a row has the tag" in " ".join(done.output.split())


def test_the_findings_of_a_tag_can_be_reviewed_by_the_printed_command(tmp_path):
    from longway.review.run_contents import RunContents

    done = run(written(tmp_path, "jsonl", rows_of()), "--label", "tags", "--out", tmp_path / "out")
    contents = RunContents(Path(done.output.strip().rpartition("longway review ")[2]))
    assert contents.all_findings()
    contents.close()
