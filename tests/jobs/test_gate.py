"""The gate: limits, a baseline, the files that other tools read, exit codes."""

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from typer.testing import CliRunner

import longway as lw
from longway.cli import app
from longway.detect.severity import CRITICAL, HIGH, LOW, severity_of
from longway.errors import CheckFailed, RunError, SettingError
from longway.jobs.audit.gate import Limits, gate, junit, sarif
from longway.records import Pattern

ROOT = Path(__file__).parents[2]


def rows_of(n=160, *, share=0.8):
    """Texts of random words; "sadly" stands somewhere in most texts of one label."""
    random = np.random.default_rng(0)
    rows = []
    for i in range(n):
        words = random.choice([f"word{k}" for k in range(300)], 9).tolist()
        if i % 2 and random.random() < share:
            words.insert(int(random.integers(1, 8)), "sadly")
        rows.append({"text": " ".join(words), "label": "bad" if i % 2 else "good"})
    return rows


@pytest.fixture(scope="module")
def audited():
    return lw.audit(rows_of(), levels="-grammar")


def test_severity_is_by_points_and_certainty_and_needs_a_strict_test(audited):
    sadly = audited.findings[0]
    assert (sadly.pattern.name, severity_of(sadly)) == ("sadly", CRITICAL)
    assert severity_of(replace(sadly, points=0.05, share_low=0.6)) == HIGH
    assert severity_of(replace(sadly, points=0.001, share_low=0.95)) == HIGH
    assert severity_of(replace(sadly, points=0.001, share_low=0.6)) == LOW
    assert severity_of(replace(sadly, q=0.01)) == LOW


def test_points_are_what_the_pattern_alone_is_worth(audited):
    sadly = audited.findings[0]
    texts = ["sadly" in row["text"].split() for row in rows_of()]
    labels = [row["label"] == "bad" for row in rows_of()]
    rates = [
        np.mean([has for has, bad in zip(texts, labels, strict=True) if bad == which])
        for which in (True, False)
    ]
    assert sadly.points == pytest.approx((rates[0] - rates[1]) / 2)


def test_an_audit_over_its_limits_says_why_in_one_line_each(audited):
    reasons = gate(audited, Limits(leak=0.6, severity="high"))
    assert [one.rule for one in reasons][:2] == ["leak", "finding"]
    assert "from text alone a simple model gets" in reasons[0].message
    assert reasons[1].message.startswith("critical: “sadly” in text predicts bad (100% of ")
    assert all("\n" not in one.message for one in reasons)
    assert gate(audited, Limits()) == []
    assert gate(audited, Limits(leak=0.99)) == []


def test_what_the_baseline_has_does_not_count_and_what_is_new_does(audited):
    assert gate(audited, Limits(severity="low"), baseline=audited) == []
    clean = replace(audited, findings=())
    (reason, *_) = gate(audited, Limits(), baseline=clean)
    assert reason.message.endswith("not in the baseline")
    weaker = replace(audited, findings=tuple(replace(one, q=0.04, points=0.01) for one in audited.findings))
    (reason, *_) = gate(audited, Limits(), baseline=weaker)
    assert reason.message.endswith("low in the baseline")


def test_a_bound_that_moved_with_the_data_is_not_new(audited):
    length = replace(audited.findings[0], pattern=Pattern("length", "text", place="at least", bound=20))
    moved = replace(length, pattern=Pattern("length", "text", place="at least", bound=21))
    before, after = (replace(audited, findings=(one,)) for one in (length, moved))
    assert gate(after, Limits(severity="high"), baseline=before) == []


def test_a_check_is_an_assertion(audited, tmp_path):
    audited.check(leak=0.999)
    with pytest.raises(AssertionError, match="sadly") as raised:
        audited.check(severity="high")
    assert isinstance(raised.value, CheckFailed)
    path = tmp_path / "findings.json"
    path.write_text(json.dumps(audited.to_dict()), encoding="utf-8")
    audited.check(severity="low", baseline=path)
    with pytest.raises(RunError, match=r"findings\.json"):
        audited.check(baseline=tmp_path / "no.json")


@pytest.mark.parametrize("words", ["leak=much", "severity=bad", "size=3", "leak=60"])
def test_limits_that_are_none_are_refused(words):
    with pytest.raises(SettingError):
        Limits.read([words])


def test_junit_and_sarif_hold_the_reasons_whatever_the_pattern(audited):
    odd = replace(audited.findings[0], label="<b>&\x00\x1b")
    reasons = gate(replace(audited, findings=(odd,)), Limits(severity="high"))
    suite = ElementTree.fromstring(junit(audited, reasons))
    assert (suite.get("tests"), suite.get("failures")) == ("2", "1")
    (failure,) = suite.iter("failure")
    assert "predicts <b>&" in failure.get("message")
    content = json.loads(sarif(audited, reasons))
    (result,) = content["runs"][0]["results"]
    assert "locations" not in result
    placed = json.loads(sarif(audited, reasons, path=Path("data/my file.csv")))["runs"][0]["results"][0]
    assert placed["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "data/my%20file.csv"}
    assert (result["ruleId"], result["level"]) == ("finding", "error")
    assert {rule["id"] for rule in content["runs"][0]["tool"]["driver"]["rules"]} == {"leak", "finding"}


def test_the_command_exits_with_1_and_says_why(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows_of()), encoding="utf-8")
    audit = ["audit", "data.jsonl", "--levels", "token", "--quiet"]
    result = CliRunner().invoke(
        app, [*audit, "--fail-over", "severity=high", "--junit", "out/j.xml", "--sarif", "s.json"]
    )
    assert result.exit_code == 1
    assert result.stdout == ""
    assert result.stderr.startswith("critical: “sadly” in text predicts bad")
    assert Path("out/j.xml").exists()
    assert Path("s.json").exists()
    again = CliRunner().invoke(app, [*audit, "--baseline", "longway-runs/data-audit/findings.json"])
    assert (again.exit_code, again.output) == (0, "")


@pytest.mark.parametrize("n", [2, 10, 100])
def test_too_few_rows_to_find_anything_do_not_pass(n):
    found = lw.audit(rows_of(n, share=0.0), levels="-grammar")
    assert gate(found, Limits()) == []  # without a limit it is no gate
    for limits in (Limits(severity="high"), Limits(leak=0.55), Limits(leak=0.9, severity="high")):
        (reason,) = gate(found, limits)
        assert "Too few rows to tell" in reason.message
        assert " rows like these are needed" in reason.message
    assert gate(found, Limits(), baseline=found) == []  # nothing new
    (reason,) = gate(found, Limits(), baseline=replace(found, leaks={}, all_leaks={}))
    assert reason.rule == "leak"


def test_an_interval_below_the_only_limit_is_enough():
    found = lw.audit(rows_of(100, share=0.0), levels="-grammar")
    assert max(leak.high for leak in found.measured_leaks) < 0.8
    assert gate(found, Limits(leak=0.8)) == []


def test_random_labels_pass_the_gate():
    random = np.random.default_rng(7)
    rows = rows_of(400, share=0.0)
    failed = 0
    for _ in range(8):
        labels = random.permutation([row["label"] for row in rows])
        found = lw.audit(
            [{**row, "label": label} for row, label in zip(rows, labels, strict=True)], levels="-grammar"
        )
        failed += bool(gate(found, Limits(leak=0.6, severity="high")))
    assert failed == 0  # runs/gate.py counts 100


def test_the_hook_and_the_action_name_options_that_exist():
    hook, action = (ROOT / ".pre-commit-hooks.yaml").read_text(), (ROOT / "action.yml").read_text()
    help_text = CliRunner().invoke(app, ["audit", "--help-all"], env={"COLUMNS": "200"}).output
    for option in ("--quiet", "--fail-over", "--baseline", "--sarif", "--junit", "--out"):
        assert option in hook + action
        assert option in help_text
    if shutil.which("bash"):
        script = action.split("run: |\n")[1].split("      shell:")[0]
        assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
