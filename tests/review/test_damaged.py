"""A damaged run folder: one error that names the file and the line, and says to run the command again."""

import json

import pytest

from longway.errors import RunError
from longway.json_values import from_json
from longway.records import Edit
from longway.review.edit_list import EditFilter
from longway.review.pages import PAGES, render
from longway.review.run_contents import RunContents
from tests.report.invented_augment import augment
from tests.report.invented_rewrite import rewrite
from tests.review.made_runs import an_edit, made_run

TRACE = {
    "principal": ["dull"],
    "spurious": ["film"],
    "triples": [{"kind": "spurious", "before": "film | is | dull", "after": None, "place": 0}],
    "gender": [["he", "she"]],
    "chain": [["text", 0, 1]],
    "left": ["a word"],
    "word": "her",
}
WHOLE = an_edit(
    before="a dull film",
    after="a bright film",
    verdicts=[{"check": "names", "passed": False, "score": 0.5, "reason": "x"}],
    trace=TRACE,
)
JUNK = (
    None, 3, -1.5, True, "words", [], ["x"], [[]], [[1, 2, 3]], {}, {"x": 1}, [{}], [{"check": 1}], [None],
)  # fmt: skip


def fits(name, junk):
    """Whether a value can be that of a field."""
    whole = WHOLE[name]
    if name.startswith("score"):
        return junk is None or (isinstance(junk, int | float) and not isinstance(junk, bool))
    if name == "round":
        return isinstance(junk, int)
    return type(junk) is type(whole) and (name != "verdicts" or junk == [])


@pytest.mark.parametrize("name", WHOLE)
def test_a_damaged_line_is_named_with_its_field(tmp_path, name):
    for at, junk in enumerate(JUNK):
        edits = [WHOLE, {**WHOLE, "id": "2", name: junk}]
        if fits(name, junk):
            RunContents(made_run(tmp_path / str(at), edits)).close()
            continue
        with pytest.raises(RunError, match=r"edits.jsonl, line 2, is damaged: .*Run the same command again"):
            RunContents(made_run(tmp_path / str(at), edits))


@pytest.mark.parametrize("line", ["{", "[]", "3", '"x"', "\\ud800", "\0"])
def test_a_line_that_is_no_edit_is_named(tmp_path, line):
    folder = made_run(tmp_path / "run", [WHOLE])
    path = folder / "edits.jsonl"
    path.write_text(path.read_text() + line)
    about = json.loads((folder / "run.json").read_text())
    about["files"]["edits.jsonl"] = path.stat().st_size
    (folder / "run.json").write_text(json.dumps(about))
    with pytest.raises(RunError, match=r"edits.jsonl, line 2, is damaged"):
        RunContents(folder)


def outcome(page, *given):
    """A page, or the error instead of it."""
    try:
        return page(*given), None
    except RunError as error:
        return None, str(error)


@pytest.mark.parametrize("command", ["rewrite", "augment"])
def test_a_damaged_trace_is_named_on_the_page_of_its_edit(tmp_path, command):
    damaged = [
        {**WHOLE, "id": f"{name}-{at}", "trace": {**TRACE, name: junk}}
        for name in TRACE
        for at, junk in enumerate(JUNK)
    ]
    summary = {"rewrite__json": rewrite()} if command == "rewrite" else {"augment__json": augment()}
    contents = RunContents(made_run(tmp_path / "run", damaged, command=command, **summary))
    n_named = 0
    for key in contents.edits.keys(EditFilter()):
        page, error = outcome(PAGES["edits/{key}"], contents, {"author": "ada", "key": key})
        if error is None:
            assert render(page, contents, path="/edits", author="ada")
        else:
            assert error.startswith(
                f"edits.jsonl, line {contents.edits.get(key).number}, is damaged: its trace"
            )
            n_named += 1
    assert 20 < n_named < len(damaged)
    contents.close()


def test_an_edit_of_an_earlier_version_has_defaults():
    needed = "id field before after label_before label_after method engine accepted".split()
    edit = from_json(Edit, {name: WHOLE[name] for name in needed})
    assert (edit.reason, edit.verdicts, edit.round, edit.source, edit.trace) == ("", (), 1, "", {})


@pytest.mark.parametrize("name", ["count_before", "share_after", "variants", "supporting", "field", "label"])
def test_a_damaged_finding_is_named(tmp_path, name):
    whole = rewrite()["findings"][0]
    for at, junk in enumerate((3 if name in ("field", "label") else "words", {}, [None])):
        made = rewrite() | {"findings": [whole, {**whole, name: junk}], "worse": []}
        with pytest.raises(RunError, match=r'rewrite.json, "findings", number 2, is damaged'):
            RunContents(made_run(tmp_path / str(at), [WHOLE], rewrite__json=made))
