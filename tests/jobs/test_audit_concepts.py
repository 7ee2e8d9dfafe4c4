"""The concept level in an audit and a repair, with a toy encoder: findings, files of the run, what is said where it is left out."""

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import longway as lw
from longway import AuditResult
from longway.cli import app
from longway.detect.concepts.vectors import TextVectors
from longway.detect.levels import where
from longway.jobs.audit import concept_level
from longway.jobs.audit.concept_level import held_apart, load_concepts
from longway.jobs.audit.settings import QUICK, AuditSettings, levels_named
from longway.jobs.engine_use import Engines
from longway.jobs.repair.job import repair
from longway.levels import AUDITED
from tests.detect.test_concepts import WordEncoder, topic_texts
from tests.engines.loopback import Call, Loopback, Reply, completion

SOME = "token,length,concept"


@pytest.fixture(autouse=True)
def by_words(monkeypatch):
    monkeypatch.setattr(TextVectors, "_encoder", WordEncoder())
    monkeypatch.setattr(concept_level, "missing_encoder", lambda encoder="": None)


def rows_of(n=1200, *, moved="sea"):
    """Texts about the sea, the law and anything; those about one topic have the label a."""
    texts, topics = topic_texts(n)
    labels = np.where(np.random.default_rng(5).random(n) < 0.5, "a", "b")
    labels[topics == moved] = "a"
    return [
        {"text": text, "label": label} for text, label in zip(texts, labels.tolist(), strict=True)
    ], topics


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A finished audit, its rows and their topics."""
    rows, topics = rows_of()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextVectors, "_encoder", WordEncoder())
        patch.setattr(concept_level, "missing_encoder", lambda encoder="": None)
        folder = tmp_path_factory.mktemp("run") / "audit"
        return lw.audit(rows, levels=SOME, language="en", out=folder), rows, topics


def found_in(result):
    return [finding for finding in result.findings if finding.level == "concept"]


def test_a_topic_is_a_finding_with_typical_rows_and_counter_examples(run):
    result, rows, topics = run
    best = found_in(result)[0]
    assert best.label == "a"
    assert best.label_share > 0.9
    assert len(best.typical) == 3
    about = [topics[[row["text"] for row in rows].index(text)] for text in best.typical]
    assert about == ["sea"] * 3
    assert best.example == best.typical[0]
    assert all(one.q <= 0.05 for one in found_in(result))


def test_the_audit_says_how_many_rows_were_tested(run):
    messages = [problem.message for problem in run[0].problems if problem.kind == "sample"]
    assert messages == [
        "The concept level read 1,200 rows: concepts were made from 300 of them and counted in the other 900."
    ]


def test_a_run_keeps_its_concepts_so_that_rows_can_be_asked_later(run):
    result, rows, topics = run
    pattern = found_in(AuditResult.open(result.folder))[0].pattern
    (loaded,) = load_concepts(result.folder)
    assert loaded.column == "text"
    shown = np.array([where(pattern, row, loaded) is not None for row in rows])
    assert (topics[shown] == "sea").mean() > 0.8


def test_the_report_names_the_concepts(run):
    html = (run[0].folder / "report.html").read_text(encoding="utf-8")
    assert "texts like: " in html
    assert "Also typical" in html


def test_labels_without_shortcuts_have_no_concepts():
    rows, _ = rows_of(moved="none")
    result = lw.audit(rows, levels=SOME)
    assert not found_in(result)
    assert result.tested["concept"] > 20


def test_a_sample_is_drawn_from_many_rows_and_named(monkeypatch):
    monkeypatch.setattr(concept_level, "MAX_ROWS", 500)
    result = lw.audit(rows_of()[0], levels=SOME)
    (message,) = [problem.message for problem in result.problems if problem.kind == "sample"]
    assert message.startswith("The concept level read a sample of 500 of 1,200 rows")


def test_few_rows_have_no_concepts_and_the_audit_says_why():
    result = lw.audit(rows_of(200)[0], levels=SOME)
    (problem,) = [one for one in result.problems if one.kind == "no_concept"]
    assert "there are 200 rows, and it needs 500" in problem.message


def test_without_the_encoder_the_level_is_left_out_with_a_next_step(monkeypatch):
    monkeypatch.setattr(concept_level, "missing_encoder", lambda encoder="": "It needs onnxruntime.")
    result = lw.audit(rows_of(500)[0], levels=SOME)
    (problem,) = [one for one in result.problems if one.kind == "no_concept"]
    assert "needs onnxruntime" in problem.message
    assert problem.next_step


def test_rows_that_belong_together_are_on_one_side():
    related = np.repeat(np.arange(50), 4)
    tested = held_apart(related, np.random.default_rng(0))
    assert all(len(set(tested[related == i].tolist())) == 1 for i in range(50))
    assert tested.mean() == pytest.approx(0.75, abs=0.05)


def test_a_column_with_few_texts_is_left_out_and_the_audit_says_so():
    rows = [{**row, "context": f"Which topic? {i % 2}"} for i, row in enumerate(rows_of(600)[0])]
    result = lw.audit(rows, text="text", context="context", label="label", levels=SOME)
    (problem,) = [one for one in result.problems if one.kind == "no_concept"]
    assert problem.message == ("The concept level left out context: it has 2 different texts, and needs 100.")
    assert {finding.field for finding in found_in(result)} <= {"text"}
    assert result.scores["pvi_encoder"].is_finite().all()


def test_a_text_of_half_the_rows_leaves_others_to_make_concepts_from():
    related = np.concatenate([np.zeros(500, int), np.arange(1, 501)])
    for seed in range(5):
        tested = held_apart(related, np.random.default_rng(seed))
        assert tested[:500].all()
        assert (~tested).sum() == 250


def test_the_level_is_looked_at_only_if_asked_for():
    assert "concept" not in AuditSettings().chosen_levels
    assert "concept" not in levels_named("-grammar")
    assert levels_named("all") == AUDITED
    assert set(AUDITED) - set(QUICK) == {"concept"}


def test_the_command_offers_the_level_as_a_next_step(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows, _ = rows_of(520)
    lines = "".join(f"{row['text']},{row['label']}\n" for row in rows)
    (tmp_path / "rows.csv").write_text(f"text,label\n{lines}", encoding="utf-8")
    said = CliRunner().invoke(app, ["audit", "rows.csv"]).output
    assert "topics and tones" in said
    assert "--levels all" in said


def test_contexts_have_concepts_too():
    rows, topics = rows_of()
    other = [f"word{i % 97} word{i % 89}" for i in range(len(rows))]
    pairs = [
        {"claim": text, "evidence": row["text"], "label": row["label"]}
        for text, row in zip(other, rows, strict=True)
    ]
    result = lw.audit(pairs, text="claim", context="evidence", label="label", levels=SOME, encoder="minilm")
    assert {finding.field for finding in found_in(result)} == {"evidence"}
    assert topics.size == len(pairs)


def test_a_repair_drops_rows_until_the_concept_says_little(tmp_path):
    rows, _ = rows_of()
    result = repair(
        rows, levels=SOME, remedy=("drop",), engine="none", max_change=0.6, out=tmp_path / "repair"
    )
    changes = [one for one in result.comparison.findings if one.pattern.level == "concept"]
    assert changes
    assert all(one.gain_after < 0.5 * one.gain_before for one in changes)
    assert any("texts like" in name or "concept" in name for step in result.plan for name in step.patterns)
    assert (tmp_path / "repair" / "concepts-text.safetensors").is_file()


def about_anything(call: Call) -> Reply:
    """A server that writes other words in place of those about the sea, as it does for a topic that it was shown."""
    assert "<typical>" in call.body["messages"][0]["content"]
    return completion(json.dumps({"rewrites": [re.sub(r"sea(\d+)", r"word\1", call.text)]}))


@pytest.mark.soak
def test_a_served_engine_rewords_rows_without_their_topic():
    rows, _ = rows_of(600)
    with Loopback(about_anything) as server:
        engines = Engines(server.url, options={"backoff": 0.001, "retries": 0})
        result = repair(
            rows, levels=SOME, remedy=("reword",), engine="served:toy", judge="none", engines=engines
        )
    shown = server.calls[0].body["messages"][0]["content"]
    assert "sea" in shown.split("<typical>")[1].split("</typical>")[0]
    used = [edit for edit in result.edits if edit.accepted]
    assert used
    assert {edit.method for edit in used} == {"reword"}
    assert all("sea" in edit.before and "sea" not in edit.after for edit in used)
    assert all(edit.label_after == edit.label_before for edit in used)
    changes = [one for one in result.comparison.findings if one.pattern.level == "concept"]
    assert any(one.gain_after < 0.5 * one.gain_before for one in changes)


def test_rules_do_not_reword_a_topic():
    rows, _ = rows_of(600)
    result = repair(rows, levels=SOME, remedy=("reword",), engine="rules")
    assert not any("texts like" in name for step in result.plan for name in step.patterns)
