"""A run folder in which something was damaged: the page says which line, and all other pages are as they were."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longway.review.book import Book, EditFilter
from longway.review.damaged import is_finding, mended
from longway.review.pages import PAGES, render
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
    None,
    3,
    -1.5,
    True,
    "words",
    [],
    ["x"],
    [[]],
    [[1, 2, 3]],
    {},
    {"x": 1},
    [{}],
    [{"check": 1}],
    [None],
)


def all_pages(book):
    """Every page of the edits, the rows and the samples."""
    asked = [("", {}), ("edits", {}), ("data", {}), ("findings", {}), ("run", {})]
    for at, one in enumerate(book.edits(EditFilter(), size=100).rows):
        asked.append(("edits/{key}", {"key": one["key"]}))
        if at % 10 == 0:
            asked.append(("data/{id}", {"id": one["id"]}))
    for name, query in asked:
        shown = PAGES[name](book, {"author": "ada", **query})
        json.dumps(shown.data)
        yield name, query, render(shown, book, {"path": f"/{name}", "author": "ada"})


@pytest.mark.parametrize("command", ["rewrite", "augment"])
def test_each_damaged_line_is_named_on_its_page_and_the_rest_works(tmp_path, command):
    names = [name for name in WHOLE if name not in ("id", "before", "after")]
    damaged = [{**WHOLE, "id": f"{name}-{at}", name: junk} for name in names for at, junk in enumerate(JUNK)]
    damaged += [
        {**WHOLE, "id": f"{name}-{at}", "trace": {**TRACE, name: junk}}
        for name in TRACE
        for at, junk in enumerate(JUNK)
    ]
    edits = [{**WHOLE, "id": "whole"}, *damaged]
    wrong = {number: mended(edit)[1] for number, edit in enumerate(edits, 1)}
    assert not wrong[1]
    assert sum(map(bool, wrong.values())) > 200
    summary = {"rewrite__json": rewrite()} if command == "rewrite" else {"augment__json": augment()}
    for start in range(0, len(edits), 100):
        book = Book(made_run(tmp_path / str(start), edits[start : start + 100], command=command, **summary))
        for name, query, html in all_pages(book):
            if name == "edits/{key}":
                number = book.edit(query["key"])["number"]
                fields = wrong[start + number]
                words = f"Line {number} of edits.jsonl is damaged: {', '.join(fields)} cannot be shown."
                assert (words in html) == bool(fields), query
                assert ("is damaged" in html) == bool(fields)
        book.close()


_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3)
_VALUES = st.recursive(_LEAVES, lambda inner: st.lists(inner, max_size=3), max_leaves=6)


@given(st.dictionaries(st.sampled_from(list(WHOLE)), _VALUES, max_size=4))
@settings(max_examples=60, deadline=None)
def test_what_is_mended_needs_no_more_mending(junk):
    told, wrong = mended({**WHOLE, **junk})
    assert mended(told)[1] == []
    changed = {name for name in WHOLE if told[name] != {**WHOLE, **junk}[name]}
    assert changed <= {name.partition(".")[0] for name in wrong}


def test_findings_that_cannot_be_read_are_left_out_and_counted(tmp_path):
    whole = rewrite()["findings"][0]
    assert is_finding(whole)
    junk = [
        {**whole, "pattern": f"{name} {at}", name: value}
        for name in ("count_before", "share_after", "variants", "supporting", "q", "field")
        for at, value in enumerate(JUNK)
    ]
    junk += [
        {name: value for name, value in whole.items() if name != gone}
        for gone in ("label", "level", "gain_after")
    ]
    kept = [one for one in junk if is_finding(one)]
    made = rewrite() | {"findings": [whole, *junk, None, 3], "worse": "nothing"}
    book = Book(made_run(tmp_path / "run", [WHOLE], rewrite__json=made))
    n_damaged = len(junk) + 2 - len(kept)
    assert book.n_damaged_findings == n_damaged > 20
    for one in book.all_findings():
        shown = PAGES["findings/{key}"](book, {"author": "ada", "key": one["key"]})
        assert render(shown, book, {"path": "/findings", "author": "ada"})
    shown = PAGES["findings"](book, {"author": "ada"})
    html = render(shown, book, {"path": "/findings", "author": "ada"})
    assert f"{n_damaged} findings of the run folder cannot be read and are not shown." in html
    book.close()
