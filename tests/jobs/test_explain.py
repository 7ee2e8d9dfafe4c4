"""An explanation of invented rows, from the folds to the run folder."""

import json
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

import longway as lw
from longway.detect.reading import Reading
from longway.errors import RunError, SettingError
from longway.jobs.explain import job
from longway.jobs.explain.job import explain_fold, fold_rows

THINGS = ["harbour", "market", "orchard", "museum", "bridge", "library", "station", "garden"]
PLACES = ["in the north", "by the sea", "on the hill", "near the mill", "at the lake", "in town"]


def invented(n=160, seed=0):
    """Claims of which those with "not" are mostly refuted, and the rest mostly supported."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(n):
        refuted = bool(i % 2)
        with_not = refuted != bool(rng.random() < 0.15)
        thing, place = rng.choice(THINGS), rng.choice(PLACES)
        verb = "is not open" if with_not else "is open"
        rows.append(
            {
                "id": f"r{i}",
                "text": f"The {thing} number {i} {place} {verb}.",
                "label": "no" if refuted else "yes",
            }
        )
    return lw.load(pl.DataFrame(rows))


@pytest.fixture(scope="module")
def explained():
    return lw.explain(invented(), models=("bow", "nb"), rows=8, samples=60, folds=3)


def test_what_misleads_is_found_as_a_set_that_recurs(explained):
    finding = explained.findings[0]
    assert (finding.level, finding.pattern.name, finding.label) == ("sufficient", "not", "no")
    assert finding.label_share > 0.8
    assert set(finding.supporting) <= {f"r{i}" for i in range(160)}
    start, end = finding.marks[0]
    assert finding.example[start:end] == "not"


def test_the_word_that_tells_is_at_the_top_of_the_texts_that_have_it(explained):
    views = [view for text in explained.texts if " not " in text.text for view in text.explanations]
    assert {view.model for view in views} == {"bow", "nb"}
    assert all(view.top[0] == "not" for view in views)
    assert explained.overlap.every > 0.5
    assert set(explained.parts_of_speech) == {"bow", "nb"}


def test_every_row_is_predicted_once_by_a_model_that_was_not_trained_on_it(explained):
    model = explained.models[0]
    assert model.wrong == model.searched > 10
    assert model.accuracy == pytest.approx(1 - model.wrong / 160)
    assert 0 < model.sets <= model.wrong


def test_a_result_is_json_and_comes_back_from_it(explained):
    content = json.loads(json.dumps(explained.to_dict(), allow_nan=False))
    assert content["texts"][0]["explanations"][1]["model"] == "nb"
    assert lw.ExplainResult.from_dict(content) == explained


def test_a_result_is_a_frame_of_scored_words_and_a_page_in_a_notebook(explained):
    frame = explained.to_frame()
    assert set(frame.filter(pl.col("id") == explained.texts[0].id)["model"]) == {"bow", "nb"}
    assert "not" in frame["word"]
    assert "srcdoc" in explained._repr_html_()
    assert "“not” alone is enough" in repr(explained)


def test_rows_with_one_text_are_in_one_fold():
    texts = [f"copy {i % 30}" for i in range(90)]
    data = lw.load(pl.DataFrame({"text": texts, "label": ["a", "b", "b"] * 30}))
    rows = fold_rows(data, Reading.of(data), lw.ExplainSettings(folds=4, seed=1))
    fold_of = {}
    for text, fold in zip(texts, rows.fold.tolist(), strict=True):
        assert fold_of.setdefault(text, fold) == fold
    assert set(rows.fold.tolist()) == {0, 1, 2, 3}


def test_wrong_shows_what_the_first_model_gets_wrong_and_ids_what_is_asked_for():
    data = invented()
    wrong = lw.explain(data, rows=5, wrong=True, search=0, samples=20, folds=2)
    assert len(wrong.texts) == 5
    assert all(text.explanations[0].predicted != text.label for text in wrong.texts)
    assert wrong.overlap is None
    asked = lw.explain(data, ids=("r7", "r3"), search=0, samples=20, folds=2)
    assert [text.id for text in asked.texts] == ["r7", "r3"]
    with pytest.raises(SettingError, match=r"'r999'.*'r0'"):
        lw.explain(data, ids=("r999",))


def test_a_text_that_is_too_long_is_predicted_and_not_explained():
    frame = invented().frame
    long = {7, 8, 9, 10}
    texts = ["word " * 6_000 if row in long else text for row, text in enumerate(frame["text"])]
    data = lw.load(frame.with_columns(text=pl.Series(texts)))
    found = lw.explain(data, rows=1_000, samples=20, folds=2)
    assert {f"r{i}" for i in range(160)} - {text.id for text in found.texts} == {f"r{i}" for i in long}
    (problem,) = [problem for problem in found.problems if problem.kind == "too_long"]
    assert (problem.count, problem.rows) == (4, (8, 9, 10, 11))
    with pytest.raises(SettingError, match=r"'r8' has more than 5,000 words"):
        lw.explain(data, ids=("r3", "r8"))


def test_the_context_is_explained_where_asked_and_only_where_there_is_one():
    rows = [
        {"claim": f"claim {i}", "evidence": f"it is {'not ' * (i % 2)}so {i % 7}", "label": "ab"[i % 2]}
        for i in range(60)
    ]
    data = lw.load(pl.DataFrame(rows), text="claim", context="evidence", label="label")
    settings = lw.ExplainSettings(field="context", rows=6, samples=30, folds=2, method="ig")
    found = lw.explain(data, settings)
    assert "it" in found.to_frame()["word"]
    assert "claim" not in found.to_frame()["word"]
    view = found.texts[0].explanations[0]
    assert len(view.norms) == len(view.words)
    assert all(norm >= abs(score) / 10 for norm, (*_, score) in zip(view.norms, view.words, strict=True))
    assert view.strongest
    assert lw.explain(data, settings, method="lime").texts[0].explanations[0].norms == ()
    with pytest.raises(SettingError, match="no context column"):
        lw.explain(invented(40), settings)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"models": ("bow", "bow")}, "different models"),
        ({"models": ()}, "at least one"),
        ({"models": ("crystal-ball",)}, "crystal-ball"),
        ({"method": "tea-leaves"}, "lime"),
        ({"rows": 0}, "'rows' must be 1"),
        ({"folds": 1}, "'folds' must be 2"),
        ({"max_q": 2.0}, "'max_q'"),
        ({"samples": 1}, "'samples'"),
    ],
)
def test_an_impossible_setting_is_an_error(options, words):
    with pytest.raises(SettingError, match=words):
        lw.explain(invented(40), **options)


def test_a_run_fills_its_folder_and_is_not_repeated(tmp_path, monkeypatch):
    settings = lw.ExplainSettings(rows=3, samples=20, folds=2)
    first = lw.explain(invented(), settings, out=tmp_path / "run")
    assert first.folder == tmp_path / "run"
    assert {"explain.json", "report.html", "run.json"} <= {path.name for path in first.folder.iterdir()}
    monkeypatch.setattr(job, "explain_fold", None)  # would fail if it were called again
    assert lw.explain(invented(), settings, out=tmp_path / "run") == first
    with pytest.raises(RunError, match="rows"):
        lw.explain(invented(), settings, rows=4, out=tmp_path / "run")


def test_an_interrupted_run_resumes_with_the_folds_that_are_missing(tmp_path, monkeypatch):
    settings = lw.ExplainSettings(rows=3, samples=20, folds=3)
    whole = lw.explain(invented(), settings)
    made = []

    def dies_once(name, rows, fold, *args):
        made.append(fold)
        if made == [0, 1]:
            raise KeyboardInterrupt
        return explain_fold(name, rows, fold, *args)

    monkeypatch.setattr(job, "explain_fold", dies_once)
    with pytest.raises(KeyboardInterrupt):
        lw.explain(invented(), settings, out=tmp_path / "run")
    resumed = lw.explain(invented(), settings, out=tmp_path / "run")
    assert made == [0, 1, 1, 2]
    assert replace(resumed, created=whole.created) == whole


@pytest.mark.parametrize(
    ("options", "words"), [({"ids": ("r0", "x9")}, "'x9'"), ({"field": "context"}, "context")]
)
def test_missing_rows_and_columns_are_an_error_before_a_folder_is_made(tmp_path, options, words):
    with pytest.raises(SettingError, match=words):
        lw.explain(invented(), **options, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
