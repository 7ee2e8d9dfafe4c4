"""Data must agree, wording may differ: tried on small recordings made by hand."""

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden import compare, digest
from tests.golden.answers import completion

FINDINGS = {
    "created": "2026-01-01T00:00:00Z",
    "leak": {"text": {"accuracy": 0.8123, "how": "10-fold"}},
    "findings": [{"count": 3, "pattern": "not"}],
}
EDITS = [{"id": "1", "after": "a text", "accepted": False, "reason": "names: all new", "verdicts": [{"check": "drift", "passed": False}]}]  # fmt: skip


def recording(folder, *, findings=FINDINGS, edits=EDITS, page="<h2>Shortcuts</h2><table></table>"):
    run = folder / "case" / "run"
    run.mkdir(parents=True)
    (folder / "times.json").write_text("{}")
    (run / "findings.json").write_text(json.dumps(findings))
    (run / "edits.jsonl").write_text("".join(json.dumps(edit) + "\n" for edit in edits))
    (run / "report.html").write_text(page)
    return folder


def changed(value, path, new):
    """A copy with another value at the end of a path of keys."""
    copy = json.loads(json.dumps(value))
    *way, last = path
    inside = copy
    for key in way:
        inside = inside[key]
    if new is None:
        del inside[last]
    else:
        inside[last] = new
    return copy


@pytest.fixture
def before(tmp_path):
    return recording(tmp_path / "before")


def test_equal_recordings_agree(before, tmp_path):
    later = changed(FINDINGS, ["created"], "2026-02-02T00:00:00Z")
    found = compare.compare(before, recording(tmp_path / "after", findings=later))
    assert not found.data
    assert not found.wording
    assert not found.added
    assert not found.reports


@pytest.mark.parametrize(("new", "differs"), [(0.8124, True), (0.812300001, True), (0.8123 + 1e-13, False)])
def test_a_number_may_differ_in_its_last_digits_only(before, tmp_path, new, differs):
    after = recording(tmp_path / "after", findings=changed(FINDINGS, ["leak", "text", "accuracy"], new))
    found = compare.compare(before, after)
    assert bool(found.data) == differs
    if differs:
        assert found.data[0].startswith("case/run/findings.json: leak.text.accuracy: 0.8123 -> ")


@pytest.mark.parametrize(
    ("part", "path", "new", "line"),
    [
        ("findings", ["findings", 0, "count"], None, "findings.json: findings[0].count: the key is missing, it was 3"),
        ("findings", ["findings", 0, "pattern"], "no", 'findings.json: findings[0].pattern: "not" -> "no"'),
        ("findings", ["findings"], [], 'findings.json: findings: "1 items" -> "0 items"'),
        ("edits", [0, "accepted"], True, "edits.jsonl: [0].accepted: false -> true"),
        ("edits", [0, "verdicts", 0, "check"], "name", 'edits.jsonl: [0].verdicts[0].check: "drift" -> "name"'),
    ],
)  # fmt: skip
def test_changed_data_and_dropped_keys_are_named_by_their_path(before, tmp_path, part, path, new, line):
    value = changed({"findings": FINDINGS, "edits": EDITS}[part], path, new)
    found = compare.compare(before, recording(tmp_path / "after", **{part: value}))
    assert found.data == [f"case/run/{line}"]
    allowed = compare.compare(before, tmp_path / "after", allow=[line.split(": ")[0]])
    assert not allowed.data


def test_wording_and_added_keys_are_listed_and_agree(before, tmp_path):
    edits = changed(changed(EDITS, [0, "reason"], "names: both are new"), [0, "place"], 3)
    after = recording(
        tmp_path / "after", edits=edits, findings=changed(FINDINGS, ["leak", "text", "how"], "ten folds")
    )
    found = compare.compare(before, after)
    assert not found.data
    assert found.added == {"key case/run/edits.jsonl: .place": 1}
    assert set(found.wording) == {
        ("case/run/edits.jsonl: .reason", "names: all new", "names: both are new"),
        ("case/run/findings.json: leak.text.how", "10-fold", "ten folds"),
    }


def test_a_missing_file_differs_and_a_new_one_is_listed(before, tmp_path):
    after = recording(tmp_path / "after")
    (after / "case" / "run" / "edits.jsonl").unlink()
    (after / "case" / "run" / "more.json").write_text("{}")
    found = compare.compare(before, after)
    assert found.data == ["case/run/edits.jsonl: the file is missing"]
    assert found.added == {"file case/run/more.json": 1}


def test_reports_are_compared_by_their_outline(before, tmp_path):
    after = recording(tmp_path / "after", page="<h2>Findings</h2><table></table><table></table>")
    found = compare.compare(before, after)
    assert not found.data
    assert found.reports == ["case/run/report.html: headings ['Shortcuts'] -> ['Findings']; table 1 -> 2"]


def test_journals_are_compared_without_keys_and_order(before, tmp_path):
    after = recording(tmp_path / "after")
    rows = [("k1", '{"text": "a"}', 1.0), ("k2", '{"text": "b"}', 2.0)]
    for folder, kept in ((before, rows), (after, [("x", rows[1][1], 3.0), ("y", rows[0][1], 4.0)])):
        with sqlite3.connect(folder / "case" / "run" / "journal.sqlite") as database:
            database.execute("create table calls (key text, answer text, seconds real)")
            database.executemany("insert into calls values (?, ?, ?)", kept)
        database.close()
    assert not compare.compare(before, after).data


def test_the_exit_code_says_whether_data_differs(before, tmp_path):
    after = recording(tmp_path / "after", edits=[])
    script = [sys.executable, str(Path(compare.__file__))]
    assert subprocess.run([*script, before, before], capture_output=True, check=False).returncode == 0
    differs = subprocess.run([*script, before, after], capture_output=True, check=False, text=True)
    assert differs.returncode == 1
    assert 'edits.jsonl: "1 items" -> "0 items"' in differs.stdout


def test_the_fixed_server_gives_the_same_answer_to_the_same_request():
    prompt = 'The row to rewrite:\n<text>"The film was warm."</text>\n\nWrite 2 rewritings. Answer with JSON.'
    messages = [{"role": "system", "content": "You rewrite texts of a labelled dataset."}, {"role": "user", "content": prompt}]  # fmt: skip
    first = completion({"model": "golden-1", "messages": messages})
    assert first == completion({"model": "golden-1", "messages": messages})
    assert json.loads(first["choices"][0]["message"]["content"]) == {
        "rewrites": ["On the whole, the film was warm.", "In the end, the film was warm."]
    }


def test_a_digest_has_no_text_and_counts_what_differs(tmp_path):
    other = [*EDITS, EDITS[0] | {"id": "2"}]
    folders = [recording(tmp_path / "a"), recording(tmp_path / "b", edits=other, findings=FINDINGS | {"leak": {"text": {"accuracy": 0.6}}})]  # fmt: skip
    for folder in folders:
        (folder / "times.json").write_text('{"case": {}}')
        (folder / "case" / "codes.json").write_text("{}")
    one, two = map(digest.digest, folders)
    assert "a text" not in json.dumps(one)
    assert not any(digest.differences(one, one)["case"].values())
    found = digest.differences(one, two)["case"]
    assert (found["rows"], found["edits"], found["findings"]) == (0, 1, 0)
    assert found["figures"] == {"findings.leak.text.accuracy": (0.8123, 0.6)}
    assert "1 differ: 0 rows, 1 edits" in "\n".join(digest.lines_of(one, two))


def test_digests_are_compared_by_the_command(tmp_path):
    folder = recording(tmp_path / "a")
    (folder / "times.json").write_text('{"case": {}}')
    (folder / "case" / "codes.json").write_text("{}")
    kept = tmp_path / "kept.json"
    content = digest.digest(folder)
    kept.write_text(json.dumps(content))
    same = subprocess.run([sys.executable, compare.__file__, kept, folder], capture_output=True, text=True)
    assert same.returncode == 0, same.stderr
    content["cases"]["case"]["edits"] = "0000"
    kept.write_text(json.dumps(content))
    changed = subprocess.run([sys.executable, compare.__file__, kept, folder], capture_output=True, text=True)
    assert changed.returncode == 1
    assert "1 differ: 0 rows, 1 edits" in changed.stdout
