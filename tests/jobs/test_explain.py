"""An explanation of invented rows, from the folds to the run folder."""

import json

import numpy as np
import polars as pl
import pytest

import longway as lw
from longway.detect.reading import Reading
from longway.errors import RunError, SettingError
from longway.jobs.explain import explain as recipe
from longway.jobs.explain.explain_folds import FoldResult, rows_of

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
    settings = lw.ExplainSettings(models=("bow", "nb"), rows=8, samples=60, folds=3)
    return lw.explain(invented(), settings=settings)


def test_what_misleads_is_found_as_a_set_that_recurs(explained):
    finding = explained.findings[0]
    assert (finding.level, finding.pattern.name, finding.label) == ("sufficient", "not", "no")
    assert finding.label_share > 0.8
    assert set(finding.supporting) <= set(explained.rows.ids)
    start, end = finding.marks[0]
    assert finding.example[start:end] == "not"


def test_the_word_that_tells_is_at_the_top_of_the_texts_that_have_it(explained):
    for model in ("bow", "nb"):
        refuted = [one for one in explained.scores(model) if "not" in one.words]
        assert refuted
        assert all(one.top(1) == ["not"] for one in refuted)
    assert explained.overlap.every > 0.5
    assert set(explained.parts_of_speech) == {"bow", "nb"}


def test_every_row_is_answered_once_by_a_model_that_has_not_seen_it(explained):
    assert all(sorted(answers) == list(range(160)) for answers in explained.predicted.values())
    told = explained.to_dict()
    model = told["models"][0]
    assert model["wrong"] == model["searched"] > 10
    assert model["accuracy"] == pytest.approx(1 - model["wrong"] / 160)
    assert 0 < model["sets"] <= model["wrong"]
    assert json.loads(json.dumps(told, allow_nan=False))["texts"][0]["explanations"][1]["model"] == "nb"


def test_rows_with_one_text_are_in_one_fold():
    texts = [f"copy {i % 30}" for i in range(90)]
    data = lw.load(pl.DataFrame({"text": texts, "label": ["a", "b", "b"] * 30}))
    rows = rows_of(data, Reading.of(data), folds=4, seed=1, field="text")
    fold_of = {}
    for text, fold in zip(texts, rows.fold.tolist(), strict=True):
        assert fold_of.setdefault(text, fold) == fold
    assert set(rows.fold.tolist()) == {0, 1, 2, 3}


def test_wrong_shows_what_the_first_model_gets_wrong_and_ids_what_is_asked_for():
    data = invented()
    wrong = lw.explain(data, settings=lw.ExplainSettings(rows=5, wrong=True, search=0, samples=20, folds=2))
    assert len(wrong.shown) == 5
    assert all(wrong.predicted["bow"][row] != wrong.rows.data.labels[row] for row in wrong.shown)
    assert wrong.overlap is None
    asked = lw.ExplainSettings(ids=("r7", "r3"), search=0, samples=20, folds=2)
    assert [one["id"] for one in lw.explain(data, settings=asked).to_dict()["texts"]] == ["r7", "r3"]
    with pytest.raises(SettingError, match=r"'r999'.*'r0'"):
        lw.explain(data, settings=lw.ExplainSettings(ids=("r999",)))


def test_a_text_that_is_too_long_is_answered_and_not_explained():
    frame = invented().frame
    long = {7, 8, 9, 10}
    texts = ["word " * 6_000 if row in long else text for row, text in enumerate(frame["text"])]
    data = lw.load(frame.with_columns(text=pl.Series(texts)))
    found = lw.explain(data, settings=lw.ExplainSettings(rows=1_000, samples=20, folds=2))
    assert sorted(found.predicted["bow"]) == list(range(160))
    assert set(range(160)) - set(found.shown) == long == set(range(160)) - set(found.explained["bow"])
    (told,) = [problem for problem in found.problems if problem.kind == "too_long"]
    assert (told.count, told.rows) == (4, (8, 9, 10, 11))
    with pytest.raises(SettingError, match=r"'r8' has more than 5,000 words"):
        lw.explain(data, settings=lw.ExplainSettings(ids=("r3", "r8")))


def test_the_context_is_explained_where_asked_and_only_where_there_is_one():
    rows = [
        {"claim": f"claim {i}", "evidence": f"it is {'not ' * (i % 2)}so {i % 7}", "label": "ab"[i % 2]}
        for i in range(60)
    ]
    data = lw.load(pl.DataFrame(rows), text="claim", context="evidence", label="label")
    settings = lw.ExplainSettings(field="context", rows=6, samples=30, folds=2, method="ig")
    found = lw.explain(data, settings=settings)
    assert all(one.field == "context" and "it" in one.words for one in found.scores("bow"))
    with pytest.raises(SettingError, match="no context column"):
        lw.explain(invented(40), settings=settings)


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
def test_a_setting_that_cannot_be_is_told(options, words):
    with pytest.raises(SettingError, match=words):
        lw.ExplainSettings(**options)


def plain(value):
    """As it reads from a file: tuples are lists."""
    return json.loads(json.dumps(value))


def test_a_run_fills_its_folder_and_is_not_repeated(tmp_path, monkeypatch):
    settings = lw.ExplainSettings(rows=3, samples=20, folds=2)
    run, first = lw.run_explain(invented(), settings=settings, out=tmp_path / "run")
    assert {"explain.json", "report.html", "run.json"} <= {path.name for path in run.folder.iterdir()}
    monkeypatch.setattr(recipe, "explain_fold", None)  # would fail if it were asked again
    _, again = lw.run_explain(invented(), settings=settings, out=tmp_path / "run")
    assert again == plain(first)
    with pytest.raises(RunError, match="rows"):
        lw.run_explain(
            invented(), settings=lw.ExplainSettings(rows=4, samples=20, folds=2), out=tmp_path / "run"
        )


def test_a_run_that_was_broken_off_goes_on_with_the_folds_that_are_missing(tmp_path, monkeypatch):
    settings = lw.ExplainSettings(rows=3, samples=20, folds=3)
    whole = lw.explain(invented(), settings=settings).to_dict()
    made, real = [], recipe.explain_fold

    def dies_once(fresh, rows, fold, *args, **options):
        made.append(fold)
        if made == [0, 1]:
            raise KeyboardInterrupt
        return real(fresh, rows, fold, *args, **options)

    monkeypatch.setattr(recipe, "explain_fold", dies_once)
    with pytest.raises(KeyboardInterrupt):
        lw.run_explain(invented(), settings=settings, out=tmp_path / "run")
    _, found = lw.run_explain(invented(), settings=settings, out=tmp_path / "run")
    assert made == [0, 1, 1, 2]
    assert {**plain(found), "created": ""} == {**plain(whole), "created": ""}


def test_a_fold_comes_back_from_json_as_it_was(explained):
    kept = list(explained.explained["bow"].values())
    told = plain(FoldResult(explained.predicted["bow"], kept).to_dict())
    back = FoldResult.from_dict(told, explained.rows.data.inputs.texts, "text")
    assert back.predicted == explained.predicted["bow"]
    assert [one.sufficient for one in back.explained] == [one.sufficient for one in kept]
    assert back.explained[0].scores.spans == kept[0].scores.spans


@pytest.mark.parametrize(
    ("options", "words"), [({"ids": ("r0", "x9")}, "'x9'"), ({"field": "context"}, "context")]
)
def test_what_the_data_has_not_is_told_before_a_folder_is_made(tmp_path, options, words):
    with pytest.raises(SettingError, match=words):
        lw.run_explain(invented(), settings=lw.ExplainSettings(**options), out=tmp_path / "run")
    assert not (tmp_path / "run").exists()
