"""What an audit says about single rows, its map, and names of concepts by a real server on this machine."""

import json
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest

import longway as lw
from longway.detect.concepts.vectors import TextVectors
from longway.errors import SettingError
from longway.jobs.audit.concept_names import MAX_P, ConceptRows, fisher_p
from longway.jobs.audit.map import MAX_POINTS, ellipse, in_two_dimensions
from longway.jobs.audit.result import AuditResult
from longway.jobs.audit.show_map import map_section
from longway.jobs.audit.show_rows import rows_section
from longway.jobs.engine_use import Engines
from longway.jobs.run import Watcher
from longway.show.html import render
from longway.show.labels import labels_of
from longway.show.terminal import show
from tests.engines.loopback import Loopback
from tests.jobs.topics import TOPICS, TopicEncoder, knows_nothing, knows_topics, topic_of, topics

LEVELS = ("token", "concept")


@pytest.fixture(scope="module", autouse=True)
def by_topics():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextVectors, "_encoder", TopicEncoder())
        yield


@pytest.fixture(scope="module")
def audited(by_topics, tmp_path_factory):
    return lw.audit(topics(), levels=LEVELS, out=tmp_path_factory.mktemp("topics") / "run")


def engines(server, **more):
    return Engines(server.url, options={"backoff": 0.001, "retries": 0}, **more)


# Rows


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
    assert (again.rows, again.maps) == (audited.rows, audited.maps)


def test_an_earlier_findings_json_has_neither_rows_nor_maps(audited):
    content = audited.to_dict()
    for name in ("rows", "maps", "names", "cost", "failed_calls"):
        content.pop(name)
    old = AuditResult.from_dict(json.loads(json.dumps(content)))
    assert (old.rows, old.maps, old.names) == (None, (), ())
    assert "Map of the rows" not in render(old.page())


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


# The map


def test_each_concept_is_outlined_around_its_rows(audited):
    (shown,) = audited.maps
    assert (shown.column, shown.method, shown.rows) == ("text", "PCA", 600)
    assert shown.concepts
    texts = dict(zip(audited.scores["id"], topics().frame["text"], strict=True))
    first = shown.concepts[0]
    assert 0 < len(first.ids) <= first.rows
    assert len({topic_of(texts[one]) for one in first.ids}) == 1


def test_a_large_dataset_is_drawn_in_part_and_the_map_says_so(audited):
    (shown,) = audited.maps
    points = shown.points * (MAX_POINTS // len(shown.points))
    page = render(replace(audited, maps=(replace(shown, points=points, rows=10 * len(points)),)).page())
    assert f"a sample of {len(points):,} of {10 * len(points):,} rows" in page
    section = re.search(r'<section id="map".*?</section>', page, re.DOTALL)[0]
    assert len(section) < 300_000


def test_names_of_labels_and_concepts_are_escaped(audited):
    (shown,) = audited.maps
    hostile = replace(shown.concepts[0], name="<script>alert(1)</script>")
    page = render(replace(audited, maps=(replace(shown, concepts=(hostile,)),)).page())
    assert "<script>alert" not in page


def test_without_the_concept_level_there_is_no_map():
    assert map_section((), {}) == []


def test_an_ellipse_lies_along_its_points():
    along = np.array([[x, x] for x in range(100)], dtype=float)
    x, y, wide, high, angle = ellipse(along)
    assert (x, y, angle) == (pytest.approx(49.5), pytest.approx(49.5), pytest.approx(45))
    assert wide > 30
    assert high == pytest.approx(0, abs=1e-5)


# Names by an engine


def test_a_name_by_which_the_engine_finds_the_rows_is_kept():
    with Loopback(knows_topics) as server:
        result = lw.audit(topics(), levels=LEVELS, engine="served:toy", engines=engines(server))
    kept = {one.pattern: one for one in result.names if one.is_kept}
    assert kept
    assert all(one.asked == 20 and one.right >= 15 and one.p <= MAX_P for one in kept.values())
    every = [one for finding in result.findings for one in (finding, *finding.variants)]
    called = {one.called for one in every if one.called}
    assert called == {one.name for one in kept.values()} <= {f"texts about the {topic}" for topic in TOPICS}
    assert {one.called for one in result.maps[0].concepts if one.called} == called
    assert sum(one.calls for one in result.cost) == len(server.calls)
    page = render(result.page())
    assert "served:toy named" in page
    assert f"{max(one.right for one in kept.values())} of 20 rows right" in page


def test_a_name_that_finds_nothing_is_not_used():
    with Loopback(knows_nothing) as server:
        result = lw.audit(topics(), levels=LEVELS, engine="served:toy", engines=engines(server))
    assert result.names
    assert not any(one.is_kept for one in result.names)
    assert not any(finding.called for finding in result.findings)
    assert "not used" in render(result.page())


def test_rows_of_the_check_were_not_shown_for_the_name():
    ranked = np.random.default_rng(0).permutation(100)
    detector = SimpleNamespace(
        places=np.arange(100),
        ranked=lambda key: ranked,
        n_members=lambda key: 30,
        number_of=lambda pattern: 2,
    )
    finding = SimpleNamespace(pattern=SimpleNamespace(place="abc:2"))
    rows = ConceptRows.of(finding, detector, seed=0)
    assert not {*rows.shown.tolist(), *rows.similar.tolist()} & set(rows.asked.tolist())
    assert (len(rows.shown), len(rows.similar), len(rows.asked)) == (10, 10, 20)
    members = set(ranked[:30].tolist())
    assert [place in members for place in rows.asked.tolist()] == list(rows.is_member)
    assert sum(rows.is_member) == 10


def test_labels_are_not_sent_to_the_engine():
    with Loopback(knows_topics) as server:
        lw.audit(topics(), levels=LEVELS, engine="served:toy", engines=engines(server))
    assert not any('"good"' in call.content or '"bad"' in call.content for call in server.calls)


def test_the_cost_is_shown_before_and_declining_it_sends_nothing():
    class Declines(Watcher):
        def estimate(self, estimate):
            assert estimate.judgements == 20 * estimate.writes > 0
            raise SettingError("declined")

    with Loopback(knows_topics) as server:
        with pytest.raises(SettingError, match="declined"):
            lw.audit(
                topics(), levels=LEVELS, engine="served:toy", engines=engines(server), watcher=Declines()
            )
        assert not server.calls


def test_the_same_command_again_asks_nothing_twice(tmp_path):
    with Loopback(knows_topics) as server:
        for _ in range(2):
            result = lw.audit(
                topics(), levels=LEVELS, engine="served:toy", engines=engines(server), out=tmp_path / "run"
            )
        assert len({call.content for call in server.calls}) == len(server.calls)
    assert result.names
    assert (tmp_path / "run" / "journal.sqlite").exists()


def test_a_spent_budget_is_said_and_a_higher_one_names_the_rest(tmp_path, monkeypatch):
    prices = tmp_path / "prices.toml"
    prices.write_text('[models]\n"toy" = { input = 100.0, output = 100.0 }\n', encoding="utf-8")
    monkeypatch.setenv("LONGWAY_PRICES", str(prices))
    with Loopback(knows_topics) as server:
        short, same, whole = (
            lw.audit(
                topics(),
                levels=LEVELS,
                engine="served:toy",
                engines=engines(server, budget=budget),
                out=tmp_path / "run",
            )
            for budget in (0.0, 0.0, 1e6)
        )
    assert not short.names
    (problem,) = [one for one in short.problems if one.kind == "budget"]
    assert "higher --budget" in problem.next_step
    assert same.created == short.created
    assert whole.names
    assert not [one for one in whole.problems if one.kind == "budget"]


def test_a_package_umap_that_is_another_one_is_not_used(monkeypatch):
    monkeypatch.setitem(sys.modules, "umap", SimpleNamespace())
    points, method, _ = in_two_dimensions(np.eye(5, dtype=np.float32), 0)
    assert method == "PCA"
    assert points.shape == (5, 2)


def test_an_engine_without_the_concept_level_is_refused():
    with pytest.raises(SettingError, match="concept level is left out"):
        lw.audit(topics(200), engine="served:toy")


def test_an_engine_that_is_no_language_model_is_refused():
    with pytest.raises(SettingError, match="cannot name concepts"):
        lw.audit(topics(200), levels=LEVELS, engine="rules")


@pytest.mark.parametrize(
    ("members", "others", "p"),
    [(10, 0, 1 / 184756), (5, 5, 0.67), (0, 0, 1.0), (10, 10, 1.0), (8, 1, 0.0027)],
)
def test_the_exact_test_equals_the_hypergeometric_tail(members, others, p):
    assert fisher_p(members, 10, others, 10) == pytest.approx(p, rel=0.02)
