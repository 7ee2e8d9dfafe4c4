"""What an audit says about single rows."""

import json
import re
from dataclasses import replace

import polars as pl
import pytest

import longway as lw
from longway import AuditResult
from longway.detect.concepts.vectors import TextVectors
from longway.jobs.audit.page import rows_section
from longway.report.html import render
from longway.report.labels import labels_of
from longway.report.terminal import show
from tests.jobs.topics import TopicEncoder, topic_of, topics

LEVELS = ("token", "concept")


@pytest.fixture(scope="module", autouse=True)
def by_topics():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextVectors, "_encoder", TopicEncoder())
        yield


@pytest.fixture(scope="module")
def audited(by_topics, tmp_path_factory):
    return lw.audit(topics(), levels=LEVELS, out=tmp_path_factory.mktemp("topics") / "run")


def test_scores_have_the_columns_of_the_row_checks(audited):
    scores = pl.read_parquet(audited.folder / "scores.parquet")
    assert {"pvi", "solved", "pvi_encoder", "p_label", "may_be_wrong"} <= set(scores.columns)
    assert scores.schema["solved"] == pl.Boolean
    assert scores["pvi_encoder"].mean() == pytest.approx(audited.rows.information["encoder"].bits, abs=1e-3)
    assert scores["p_label"].is_between(0, 1).all()
    assert scores["may_be_wrong"].sum() == audited.rows.n_possible_errors > 0


def test_without_vectors_words_are_measured_alone(tmp_path):
    result = lw.audit(topics(200), levels=("token",))
    assert "p_label" not in result.scores.columns
    assert result.rows.n_possible_errors is None
    assert list(result.rows.information) == ["words"]


def test_rows_of_a_topic_with_the_other_topics_label_are_possible_errors(audited):
    errors = audited.rows.possible_errors
    assert errors
    data = topics().frame["text"].to_list()
    assert {topic_of(data[one.row]) for one in errors} == {0}
    assert {(one.label, one.likely) for one in errors} == {("bad", "good")}
    for one in errors:
        assert {topic_of(other.text) for other in one.neighbours} == {0}


def test_the_result_is_read_back_whole(audited):
    again = AuditResult.open(audited.folder)
    assert again.rows == audited.rows


def test_findings_without_row_checks_are_read(audited):
    content = audited.to_dict()
    content.pop("rows")
    old = AuditResult.from_dict(json.loads(json.dumps(content)))
    assert old.rows is None


def test_the_section_is_left_out_if_there_is_nothing_to_say(audited):
    words = replace(audited.rows.information["words"], bits=0.0, low=-0.1)
    quiet = replace(audited.rows, information={"words": words}, possible_errors=())
    assert rows_section(quiet, labels_of({"good": 1, "bad": 1})) == []
    assert rows_section(None, {}) == []


def test_the_report_shows_possible_errors_with_similar_rows(audited):
    page = render(audited.page())
    section = re.search(r'<section id="rows".*?</section>', page, re.DOTALL)[0]
    assert "may be wrong" in section
    assert audited.rows.possible_errors[0].neighbours[0].text in section


def test_the_terminal_shows_few_lines_about_rows(audited, capsys):
    show(audited.page())
    printed = capsys.readouterr().out
    assert "may be wrong" in printed
    assert "similar:" not in printed
