"""Rows in the orders that its checks give."""

import json

import polars as pl
import pytest

import longway as lw
from longway.detect.concepts.vectors import TextVectors
from longway.errors import RunError
from longway.review.pages import PAGES, render
from longway.review.run_contents import RunContents
from tests.jobs.topics import TopicEncoder, topic_rows


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """The folder of a real audit with the concept level, and its data."""
    folder = tmp_path_factory.mktemp("map")
    data = folder / "topics.jsonl"
    data.write_text("".join(json.dumps(row) + "\n" for row in topic_rows()), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextVectors, "_encoder", TopicEncoder())
        lw.audit(data, levels=("token", "concept"), out=folder / "run")
    return folder / "run", data


@pytest.fixture
def contents(run):
    opened = RunContents(run[0], data=run[1])
    yield opened
    opened.close()


def page(contents, name, **query):
    shown = PAGES[name](contents, {**query, "author": "me"})
    return shown.data, render(shown, contents, path=f"/{name}", author="me")


def test_rows_that_words_solve_come_in_the_order_of_their_bits(contents, run):
    scores = pl.read_parquet(run[0] / "scores.parquet")
    data, _ = page(contents, "data", order="solved")
    solved = scores.filter("solved").sort("pvi", descending=True)
    assert data["total"] == solved.height
    assert [row["id"] for row in data["rows"]][:3] == solved["id"].to_list()[:3]


def test_possible_wrong_labels_are_listed_with_similar_rows(contents, run):
    scores = pl.read_parquet(run[0] / "scores.parquet")
    doubted = scores.filter(pl.col("may_be_wrong"))
    data, html = page(contents, "data", order="unlikely")
    assert data["total"] == doubted.height > 0
    assert {row["id"] for row in data["rows"]} <= set(doubted["id"])
    assert "of rows like it are good" in html
    assert "5 similar rows" in html


def test_orders_go_with_filters(contents):
    bad, _ = page(contents, "data", order="unlikely", label="bad")
    good, _ = page(contents, "data", order="unlikely", label="good")
    every, _ = page(contents, "data", order="unlikely")
    assert bad["total"] + good["total"] == every["total"]


def test_only_orders_with_rows_are_offered(contents, small_rewrite):
    assert "unlikely" in page(contents, "data")[0]["orders"]
    other = RunContents(small_rewrite)
    assert page(other, "data")[0]["orders"] == {}
    other.close()


def test_damaged_row_checks_are_an_error_with_the_next_step(contents):
    contents.summary["rows"] = [{"column": 3}]
    with pytest.raises(RunError, match=r'findings.json, "rows", is damaged.*again'):
        _ = contents.possible_errors
