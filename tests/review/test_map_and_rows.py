"""The map of an audit, and rows in the orders that its checks give."""

import json
import re

import polars as pl
import pytest

import longway as lw
from longway.detect.concepts.vectors import TextVectors
from longway.errors import RunError
from longway.review.pages import PAGES, render
from longway.review.run_contents import RunContents
from tests.jobs.topics import TopicEncoder, topic_of, topic_rows


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


def test_the_map_links_each_concept_to_its_rows(contents):
    data, html = page(contents, "map")
    assert data["concepts"]
    assert len(re.findall(r'<a href="/map\?concept=\d+#rows"><ellipse', html)) == len(data["concepts"])
    assert not data["ids"]


def test_a_chosen_concept_shows_its_rows(contents):
    data, html = page(contents, "map", concept="1")
    assert (data["concept"], len(data["ids"])) == (1, min(50, data["concepts"][0]["rows"]))
    texts = re.findall(r"<bdi>([^<]*case \d+x)</bdi>", html)
    assert len(texts) == len(data["ids"])
    assert len({topic_of(text) for text in texts}) == 1


def test_a_concept_that_is_not_there_shows_the_map_alone(contents):
    data, _ = page(contents, "map", concept="999")
    assert data["concept"] is None


def test_without_the_data_the_map_says_how_to_see_rows(run, tmp_path):
    opened = RunContents(run[0])
    _, html = page(opened, "map", concept="1")
    opened.close()
    assert "--data FILE" in html


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
    assert "This run has no map." in page(other, "map")[1]
    other.close()


def test_a_damaged_map_is_an_error_with_the_next_step(contents):
    contents.summary["maps"] = [{"column": 3}]
    with pytest.raises(RunError, match=r'findings.json, "maps", is damaged.*again'):
        _ = contents.maps
