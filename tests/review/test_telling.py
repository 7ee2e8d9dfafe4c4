"""What gives the label away in an edit: every finding of the run that one of the texts has is told, and its words are marked."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.json_values import from_json
from longway.records import Edit, Pattern
from longway.review.edit_list import EditFilter
from longway.review.pages import PAGES, render
from longway.review.pages.finding_pages import edit_findings
from longway.review.pages.page_layout import labels_for
from longway.review.run_contents import RunContents
from tests.report.invented_rewrite import rewrite
from tests.review.made_runs import an_edit, made_run

WORDS = ("sadly", "dull", "matinee", "so", "it")


def fate(level, *words, place="", bound=None, field="text", context="", label="neg", share=0.9, **more):
    figures = {"count": 20, "share": share, "gain": 0.1}
    told = {f"{name}_{when}": value for name, value in figures.items() for when in ("before", "after")}
    pattern = Pattern(level, field, words, place, bound, context)
    return {**pattern.to_dict(), "label": label, "marked": "", **told, **more}


def opened(folder, findings, edits, rows=(), **columns):
    summary = rewrite() | {"findings": findings, "worse": []}
    summary["dataset"] |= {"labels": {"neg": 50, "pos": 50}}
    rows = [
        *rows,
        {"text": "x", "label": "pos", "longway_id": "else"},
        {"text": "y", "label": "neg", "longway_id": "other"},
    ]
    asked = {"text": "text", "context": None, "label": "label", "id": None, "split": None, **columns}
    return RunContents(made_run(folder, edits, rows=rows, settings=asked, rewrite__json=summary))


def page_of(contents, at=0):
    made = PAGES["edits/{key}"](contents, {"author": "ada", "key": contents.edits.keys(EditFilter())[at]})
    return made, render(made, contents, path="/edits", author="ada")


def test_a_finding_goes_comes_or_stays(tmp_path):
    findings = [
        fate("position", "sadly", place="first word", share=0.97),
        fate("length", place="at least", bound=4, share=0.8),
        fate("token", "dull", share=0.7),
        fate("ngram", "quite", "so", label="pos", share=0.6),
        fate("token", "matinee"),
        fate("token", "new", count_before=0, share_before=0.0, gain_before=0.0, share_after=1.0),
    ]
    contents = opened(
        tmp_path / "run",
        findings,
        [an_edit(before="Sadly, a dull film.", after="A dull film, quite so new.")],
    )
    made, html = page_of(contents)
    told = made.view["findings"].shown
    assert [(one.pattern, one.fate, one.strength, one.share, one.is_marked) for one in told] == [
        ("new", "comes", 3, "100.0%", True),
        ("first word: sadly", "goes", 3, "97.0%", True),
        ("4 or more words", "stays", 2, "80.0%", False),
        ("dull", "stays", 2, "70.0%", True),
        ("quite so", "comes", 1, "60.0%", True),
    ]
    marked = re.findall(
        r'<span class="tells t(\d) l\d">([^<]*)<span class="hidden aside"> \(predicts (\w+)\)', html
    )
    assert marked == [
        ("3", "Sadly", "neg"),
        ("2", "dull", "neg"),
        ("2", "dull", "neg"),
        ("1", "quite so", "pos"),
        ("3", "new", "neg"),
    ]
    assert made.data["telling"][0]["label"] == "neg"
    contents.close()


def test_a_run_without_findings_says_nothing(tmp_path):
    contents = opened(tmp_path / "run", [], [an_edit(before="Sadly dull.", after="Dull.")])
    _, html = page_of(contents)
    assert "Patterns that predict the label" not in html
    contents.close()


@given(
    st.lists(st.sampled_from([*WORDS, "film", ", ", "Sadly "]), min_size=1, max_size=30),
    st.lists(st.sampled_from([*WORDS, "new"]), min_size=1, max_size=30),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_word_that_tells_is_marked_once_and_no_letter_is_lost(tellers, before, after):
    texts = {"before": " ".join(before), "after": " ".join(after)}
    found = edit_findings(tellers, from_json(Edit, an_edit(**texts)), labels_for(tellers), None)
    for side, text in texts.items():
        words = [match.span() for match in re.finditer(rf"\b(?:{'|'.join(WORDS)})\b", text, re.IGNORECASE)]
        assert [(start, end) for start, end, _ in getattr(found, side)] == words
        for start, end, number in getattr(found, side):
            assert found.shown[number - 1].pattern == text[start:end].lower()


@pytest.fixture(scope="module")
def tellers(tmp_path_factory):
    contents = opened(tmp_path_factory.mktemp("tell") / "run", [fate("token", word) for word in WORDS], [])
    yield contents
    contents.close()


def test_a_long_text_keeps_the_words_that_tell(tmp_path):
    """Where a text is cut to what changed, what tells is part of what is left."""
    filler = "and so on " * 500
    edit = an_edit(before=f"{filler} matinee {filler} old", after=f"{filler} matinee {filler} new")
    contents = opened(tmp_path / "run", [fate("token", "matinee")], [edit])
    made, _ = page_of(contents)
    card = made.view["edit"].card
    assert [piece.text for piece in card.before if piece.note] == ["matinee"]
    assert sum(len(piece.text) for piece in card.before) < 1000
    contents.close()


@pytest.mark.parametrize(
    ("field", "expected"),
    [("claim", ("evidence", "Seen <b>here</b>.")), ("evidence", ("claim", "It is so."))],
)
def test_the_other_side_of_a_pair_stands_beside_the_edit(tmp_path, field, expected):
    rows = [{"claim": "It is so.", "evidence": "Seen <b>here</b>.", "label": "neg", "longway_id": "1"}]
    edits = [
        an_edit("1", field=field),
        an_edit("1-new", field=field, source="1"),
        an_edit("gone", field=field),
    ]
    findings = [
        fate("token", "seen", field="evidence"),
        fate("pair", "here", "b", field="claim + evidence", context="evidence"),
    ]
    contents = opened(tmp_path / "run", findings, edits, rows, text="claim", context="evidence")
    for at, beside in enumerate((expected, expected, None)):
        made, html = page_of(contents, at)
        assert made.view["other"] == beside
        assert ("&lt;b&gt;here&lt;/b&gt;" in html) == (beside is not None and beside[0] == "evidence")
    fates = [(one.pattern, one.fate) for one in page_of(contents)[0].view["findings"].shown]
    assert fates == (
        [("seen", "stays"), ("here (evidence) + b (claim)", "comes")] if field == "claim" else []
    )
    contents.close()
