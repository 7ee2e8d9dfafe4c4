"""Commands on Ray: the result is that of a run here, and what is in the journal is not computed again.

Each test runs with Ray, and with a shard map that copies everything as Ray does but stays in this process: that is quick.
"""

from __future__ import annotations

import pickle
import sqlite3
from contextlib import contextmanager
from types import SimpleNamespace

import polars as pl
import pytest

import longway as lw
from longway.data import load
from longway.errors import EngineError
from longway.jobs.engine_use import Engines
from longway.jobs.run import Watcher
from tests.engines.loopback import Loopback
from tests.environment import without_settings_of_the_user
from tests.jobs import toy_perturb
from tests.jobs.shortcut_data import soups
from tests.jobs.toy_run import answer, write_csv

pytest.importorskip("lemminflect", reason="The rules are not installed: pip install 'longway[rules]'")


def copied(value):
    return pickle.loads(pickle.dumps(value))


@pytest.fixture(params=["copies", pytest.param("ray", marks=pytest.mark.soak)])
def work(request, monkeypatch, tmp_path, small_shards):
    """Makes `on="ray"` use a shard map; lists the shards that it was given. `stop_after`: how many it computes before it fails."""
    without_settings_of_the_user(monkeypatch, tmp_path)
    ray = request.getfixturevalue("ray_here") if request.param == "ray" else None
    given = SimpleNamespace(shards=[], stop_after=None)

    def noted(shards):
        for shard in shards:
            if given.stop_after is not None and len(given.shards) >= given.stop_after:
                raise EngineError("The cluster is gone.")
            given.shards.append(shard)
            yield shard

    def shard_map(work, shards):
        if ray is not None:
            yield from ray(work, noted(shards))
            return
        for shard in noted(shards):
            yield copied(copied(work)(copied(shard)))

    @contextmanager
    def shards_on_ray(place):
        yield shard_map

    backend = SimpleNamespace(shards_on_ray=shards_on_ray, check_place=lambda place: None)
    monkeypatch.setattr("longway.jobs.run.import_module", lambda name: backend)
    return given


def same(here, there, *files):
    for file in files:
        assert (there.folder / file).read_bytes() == (here.folder / file).read_bytes(), file


def claims(path, n):
    load(lw.sample_path("claims")).frame.head(n).write_csv(path)
    return path


@pytest.mark.parametrize("variant", ["mean", "token"])
@pytest.mark.parametrize("stream", [False, True])
def test_an_audit_finds_and_scores_the_same(work, tmp_path, variant, stream):
    soups(300, honest_with="good", seed=1).frame.write_parquet(tmp_path / "rows.parquet")
    data = load(tmp_path / "rows.parquet", stream=stream)
    how = {"levels": ("token", "surface"), "variant": variant, "dimensions": 8}
    here, there = lw.audit(data, out=tmp_path / "here", **how), lw.audit(data, on="ray", **how)
    assert {**there.to_dict(), "created": None} == {**here.to_dict(), "created": None}
    assert here.findings
    assert there.scores.equals(pl.read_parquet(here.folder / "scores.parquet"))
    assert len(work.shards) > 8  # gamma and lean, several pieces each


def journal_of(result):
    """What is in the journal of a run, without times."""
    with sqlite3.connect(result.folder / "journal.sqlite") as journal:
        return journal.execute("select key, kind, engine, asked, answer from calls order by key").fetchall()


@pytest.mark.usefixtures("same_in_any_batch")
def test_a_rewrite_by_rules_is_the_same_and_goes_on_after_a_failure(work, tmp_path):
    data = claims(tmp_path / "claims.csv", 60)
    how = {"text": "claim", "context": "evidence", "label": "label", "engine": "rules", "rounds": 1}
    here = lw.rewrite(data, out=tmp_path / "here", **how)
    there = lw.rewrite(data, out=tmp_path / "there", on="ray", **how)
    same(here, there, "edits.jsonl", "dataset.csv")
    assert here.accepted > 0
    assert journal_of(there) == journal_of(here)
    assert {kind for _, kind, *_ in journal_of(here)} == {"verify"}
    n, work.shards = len(work.shards), []
    work.stop_after = n // 2
    with pytest.raises(EngineError, match="cluster is gone"):
        lw.rewrite(data, out=tmp_path / "resumed", on="ray", **how)
    work.stop_after, work.shards = None, []
    resumed = lw.rewrite(data, out=tmp_path / "resumed", on="ray", **how)
    same(here, resumed, "edits.jsonl", "dataset.csv")
    assert journal_of(resumed) == journal_of(here)
    assert 0 < len(work.shards) <= n  # texts by rules are written again, and only missing checks are made
    work.shards = []
    (there.folder / "dataset.csv").unlink()
    again = lw.rewrite(data, out=there.folder, on="ray", **how)
    same(here, again, "edits.jsonl", "dataset.csv")
    assert 0 < len(work.shards) < n  # the checks are in the journal


@pytest.mark.usefixtures("same_in_any_batch")
def test_an_augmentation_by_rules_is_the_same(work, tmp_path):
    data = write_csv(tmp_path / "reviews.csv", 48)
    how = {"text": "review", "method": "counterfactual", "engine": "rules", "models": ("bow",)}
    here = lw.augment(data, out=tmp_path / "here", **how)
    there = lw.augment(data, out=tmp_path / "there", on="ray", **how)
    same(here, there, "edits.jsonl", "dataset.csv")
    assert there.added == here.added > 0
    assert len(work.shards) > 9


@pytest.mark.parametrize("everyone", [False, True])
def test_a_perturbation_by_rules_is_the_same_and_analyses_no_text_again(work, tmp_path, everyone):
    data = toy_perturb.write(tmp_path / "people.csv", toy_perturb.rows_of(24))
    how = {"text": "text", "engine": "rules", "everyone": everyone}
    here = lw.perturb(data, out=tmp_path / "here", **how)
    work.stop_after = 5  # all texts are analysed
    with pytest.raises(EngineError, match="cluster is gone"):
        lw.perturb(data, out=tmp_path / "there", on="ray", **how)
    assert len(work.shards) == 5
    work.stop_after, work.shards = None, []
    there = lw.perturb(data, out=tmp_path / "there", on="ray", **how)
    same(here, there, "edits.jsonl", "dataset.csv", "people.jsonl")
    assert here.changed > 0
    assert isinstance(work.shards[0], dict)  # requests


@pytest.mark.soak
@pytest.mark.usefixtures("same_in_any_batch")
def test_a_repair_is_the_same(work, tmp_path):
    data = claims(tmp_path / "claims.csv", 80)
    how = {"text": "claim", "context": "evidence", "label": "label", "levels": ("token", "negation")}
    here = lw.repair(data, out=tmp_path / "here", **how)
    there = lw.repair(data, out=tmp_path / "there", on="ray", **how)
    same(here, there, "edits.jsonl", "dataset.csv")
    assert (here.folder / "edits.jsonl").stat().st_size > 0
    assert work.shards


def test_calls_of_a_served_engine_stay_in_this_process(work, tmp_path):
    said = []
    watcher = Watcher()
    watcher.say = said.append
    data = write_csv(tmp_path / "reviews.csv")
    how = {"text": "review", "engine": "served:toy", "rounds": 1, "k": 6, "checks": "judge"}
    with Loopback(answer) as server:
        engines = Engines(server.url, options={"backoff": 0.001, "retries": 0, "max_in_flight": 4})
        here = lw.rewrite(data, engines=engines, out=tmp_path / "here", **how)
        asked, server.counts = server.counts.copy(), type(server.counts)()
        there = lw.rewrite(data, engines=engines, out=tmp_path / "there", on="ray", watcher=watcher, **how)
        assert server.counts == asked
    same(here, there, "edits.jsonl", "dataset.csv")
    assert here.accepted > 0
    assert any("made from this process" in sentence for sentence in said)
