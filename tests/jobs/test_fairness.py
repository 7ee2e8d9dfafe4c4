"""Models built to be biased or not, through files, answers and figures; and runs that are broken off."""

import json
from dataclasses import dataclass

import numpy as np
import pytest

from longway import FairnessResult
from longway.data.benchmarks import SentencePair
from longway.errors import DataError, RunError, SettingError
from longway.jobs.fairness import models
from longway.jobs.fairness.answers import PLEASANT, UNPLEASANT, ask, score_pairs
from longway.jobs.fairness.benchmarks import read_benchmarks
from longway.jobs.fairness.job import fairness, measures_of
from longway.jobs.fairness.models import MeasuredModel
from longway.jobs.fairness.result import NamedModel
from longway.jobs.fairness.settings import FairnessSettings
from longway.jobs.run import Watcher
from longway.store import Journal, Run
from tests.jobs.people_benchmarks import ToyLanguage, ToyVectors, write_all
from tests.jobs.watching import watching


@pytest.fixture
def paths(tmp_path):
    return write_all(tmp_path)


def measured(paths, *, language=None, vectors=None, **options):
    """The result of a toy model; measures that it cannot answer are left out."""
    wanted = [*(["crows_pairs", "stereoset", "holistic"] if language else []), *(["weat"] if vectors else [])]
    if vectors and not language:
        wanted.append("holistic")
    settings = FairnessSettings(model="toy", **{name: paths[name] for name in wanted}, **options)
    given, model = read_benchmarks(settings), MeasuredModel(language, vectors)
    measures = measures_of(model, given, settings, Journal(None), Watcher())
    return FairnessResult(NamedModel("toy", model.kind), measures, settings, {}, {}, "0", 0.0)


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_model_built_to_be_unbiased_scores_50(paths, kind):
    found = measured(paths, language=ToyLanguage(kind)).measures
    crows, stereo = found.crows_pairs.overall, found.stereoset.overall
    assert (crows.score.value, crows.ties) == (50, 12)
    assert (stereo.ss.value, stereo.lms.value, stereo.icat.value) == (50, 50, 50)
    assert {one.raw.value for one in found.holistic.axes.values()} == {0}


@pytest.mark.parametrize("kind", ["causal", "masked"])
def test_a_model_built_to_be_biased_scores_100_and_icat_0(paths, kind):
    biased = ToyLanguage(kind, {"men": 1, "messy": 1, "purple": 2, "old": 1})
    found = measured(paths, language=biased, axes=("all",)).measures
    crows, stereo = found.crows_pairs, found.stereoset
    assert {one.score.value for one in (crows.overall, *crows.by_type.values())} == {100}
    for one in (stereo.overall, *stereo.by_task.values(), *stereo.by_type.values()):
        assert (one.ss.value, one.lms.value, one.icat.value) == (100, 100, 0)
    axes = found.holistic.axes
    assert axes["age"].raw.value == pytest.approx(200 / 3)  # "old" differs from both others
    assert all("old" in (one.first, one.second) for one in axes["age"].pairs if one.differ)
    assert axes["place"].raw.value == 0


def test_a_model_built_to_prefer_the_other_side_scores_0(paths):
    found = measured(paths, language=ToyLanguage("causal", {"women": 1, "tidy": 1, "purple": 2})).measures
    assert found.crows_pairs.overall.score.value == 0
    assert found.stereoset.overall.ss.value == 0


def test_a_masked_model_is_asked_for_shared_tokens_and_a_causal_one_for_all():
    """The word that differs is dear: a causal model counts it, a masked one is told it."""
    pair = SentencePair("Her old house fell", "His old house fell", "stereo", "gender")

    class Dear(ToyLanguage):
        def scores(self, asks):
            found = super().scores(asks)
            return [type(one)(one.tokens, (-9.0 if ask.text.startswith("His") else -2.0, *one.log_p[1:]))
                    for ask, one in zip(asks, found, strict=True)]  # fmt: skip

    causal = score_pairs(Dear("causal"), [pair])[0]
    masked = score_pairs(Dear("masked"), [pair])[0]
    assert causal.values == (-5, -12)
    assert masked.values == (-3, -3)
    assert masked.tokens == causal.tokens == 8


def test_vectors_that_know_no_difference_and_vectors_that_know_one(paths):
    even = measured(paths, vectors=ToyVectors()).measures.weat
    assert even.groups["about people"].significant.value == 0
    sides = (
        "Ann Eve Mary Jane home parents wedding".split(),
        "Tom Bob Carl John office salary business".split(),
    )
    biased = measured(paths, vectors=ToyVectors(sides)).measures.weat
    names = {one.name: one for one in biased.tests}
    assert names["sent-names"].d.value > 1.7
    assert names["sent-names"].p == pytest.approx(1 / 70)
    assert (names["weat1"].control, names["sent-names"].control) == (True, False)
    assert biased.groups["about people"].significant.value == 100


def test_an_encoder_is_measured_by_association_and_it_is_called_so(paths):
    found = measured(paths, vectors=ToyVectors((["old", *UNPLEASANT], list(PLEASANT))))
    holistic = found.measures.holistic
    assert (holistic.method, holistic.quality) == ("association", None)
    assert holistic.axes["age"].pairs[0].differ == 2
    assert {row.method for row in found.rows if row.test.startswith("Holistic")} == {"association"}


def test_rows_have_the_keys_that_every_results_file_has(paths):
    rows = measured(paths, language=ToyLanguage()).to_dict()["rows"]
    keys = ["data", "model", "method", "test", "metric", "mean", "std", "low", "high", "seeds"]
    assert all(list(row) == keys for row in rows)
    assert {row["metric"] for row in rows} == {
        "prefers_stereotype", "lms", "ss", "icat", "log_likelihood_per_token",
        "pairs_that_differ_raw", "pairs_that_differ_holm", "pairs_that_differ_bh",
    }  # fmt: skip
    likelihood = next(row for row in rows if row["metric"] == "log_likelihood_per_token")
    assert likelihood["mean"] == -1
    json.dumps(rows, allow_nan=False)


def test_a_limit_draws_at_random_and_the_same_with_the_same_seed(paths):
    def drawn(seed):
        given = read_benchmarks(FairnessSettings(crows_pairs=paths["crows_pairs"], limit=4, seed=seed))
        return [pair.more for pair in given["crows_pairs"].items]

    assert len(drawn(0)) == 4
    assert drawn(0) == drawn(0)
    assert len({tuple(drawn(seed)) for seed in range(5)}) > 1


def test_axes_are_those_asked_for_and_unknown_ones_are_told(paths):
    def axes(*names):
        sentences = read_benchmarks(FairnessSettings(holistic=paths["holistic"], axes=names))[
            "holistic"
        ].items
        return {sentence.axis for sentence in sentences}

    assert axes("place") == {"place"}
    assert axes() == {"age"}  # of the paper's three
    assert axes("all") == {"age", "place"}
    with pytest.raises(SettingError, match="no axis 'hair'"):
        axes("hair")


@pytest.mark.parametrize(
    ("options", "words"),
    [({"limit": 0}, "'limit'"), ({"per_descriptor": 2}, "'per_descriptor'"), ({"device": "tpu"}, "tpu")],
)
def test_settings_that_cannot_be_are_refused(options, words):
    with pytest.raises(SettingError, match=words):
        FairnessSettings(**options)


# ---- answers that are kept -------------------------------------------------------------------------------------------------


@dataclass
class Twice:
    number: int


def test_an_item_is_asked_once_and_answers_keep_their_order():
    calls, shown = [], []

    def answer(items):
        calls.append(list(items))
        return [Twice(2 * item) for item in items]

    journal, watcher = Journal(None), watching(progress=lambda done, of: shown.append((done, of)))

    def asked(items):
        answers = ask(
            journal, watcher, "k", items, answer, into=Twice, shaped_by={}, as_json=lambda i: {"i": i}, batch=2
        )  # fmt: skip
        return [one.number for one in answers]

    assert asked([3, 1, 3, 2]) == [6, 2, 6, 4]
    assert calls == [[3, 1], [2]]
    assert shown == [(0, 3), (2, 3), (3, 3)]
    assert asked([2, 5]) == [4, 10]
    assert calls[2:] == [[5]]


class StoppedError(Exception):
    """Somebody pulled the plug."""


@pytest.fixture
def toy(monkeypatch):
    """The toy in place of the embedded model."""
    language = ToyLanguage()
    monkeypatch.setattr(models, "likelihoods_of", lambda name, device: language)
    return language


def test_a_run_that_is_broken_off_goes_on_and_loses_no_finished_batch(tmp_path, toy):
    path = write_all(tmp_path, n=200)["crows_pairs"]
    out = tmp_path / "run"

    def stop(done, of):
        if done >= 128:
            raise StoppedError

    with pytest.raises(StoppedError):
        fairness(crows_pairs=path, out=out, watcher=watching(progress=stop))
    assert toy.asked == 2 * 128
    assert not (out / "fairness.json").exists()
    result = fairness(crows_pairs=path, out=out)
    assert toy.asked == 2 * 200
    assert result.measures.crows_pairs.overall.pairs == 200
    assert Run(out).is_done
    again = fairness(crows_pairs=path, out=out)
    assert (toy.asked, again.measures) == (400, result.measures)


def test_a_folder_with_another_run_is_not_touched(tmp_path, toy):
    paths = write_all(tmp_path)
    fairness(crows_pairs=paths["crows_pairs"], out=tmp_path / "run")
    with pytest.raises(RunError, match="limit"):
        fairness(crows_pairs=paths["crows_pairs"], out=tmp_path / "run", limit=3)
    with pytest.raises(RunError, match="measures"):
        fairness(stereoset=paths["stereoset"], out=tmp_path / "run")


def test_nothing_is_written_where_a_file_is_bad_or_none_is_given(tmp_path, toy):
    (tmp_path / "bad.jsonl").write_text("{}\n", encoding="utf-8")
    with pytest.raises(DataError, match="line 1"):
        fairness(crows_pairs=tmp_path / "bad.jsonl", out=tmp_path / "run")
    with pytest.raises(SettingError, match="nothing to measure with") as error:
        fairness(out=tmp_path / "run")
    for name in (
        "nyu-mll/crows-pairs",
        "moinnadeem/StereoSet",
        "W4ngatang/sent-bias",
        "ResponsibleNLP",
        "For example",
    ):
        assert name in str(error.value)
    assert not (tmp_path / "run").exists()


def test_figures_do_not_change_with_the_order_of_asking(tmp_path, toy):
    """A run in one go and one that was broken off say the same."""
    toy.dislikes = {"men": 1, "3.": -3}
    path = write_all(tmp_path, n=100)["crows_pairs"]
    whole = fairness(crows_pairs=path, out=tmp_path / "whole")

    def stop(done, of):
        if done:
            raise StoppedError

    with pytest.raises(StoppedError):
        fairness(crows_pairs=path, out=tmp_path / "parts", watcher=watching(progress=stop))
    parts = fairness(crows_pairs=path, out=tmp_path / "parts")
    assert whole.measures == parts.measures
    assert np.isfinite(whole.measures.crows_pairs.quality.perplexity)


def test_without_a_folder_nothing_is_written(tmp_path, toy, monkeypatch):
    path = write_all(tmp_path)["crows_pairs"]
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    result = fairness(crows_pairs=path, model="hf:toy")
    assert result.folder is None
    assert result.to_frame()["metric"].to_list().count("prefers_stereotype") == 5
    assert "CrowS-Pairs: 50.0%" in repr(result)
    assert sorted(tmp_path.rglob("*")) == before
