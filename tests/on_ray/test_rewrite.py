"""Engines that are asked on Ray: the rewrite is that of a run here, each question is asked once, a worker that dies is no loss."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import longway as lw
from longway.data import load
from longway.engines.asker import Asker
from longway.engines.engine import Engine, Judgement, Usage, Written
from longway.engines.prompt import rewrite_prompt
from longway.errors import CallFailed, SettingError
from longway.jobs.engine_use import Engines
from longway.jobs.rewrite.settings import RewriteSettings
from longway.store import Journal
from longway.task import task_of
from tests.engines.loopback import Loopback
from tests.environment import without_encoder, without_settings_of_the_user
from tests.jobs.toy_run import answer, write_csv

pytest.importorskip("ray", reason="Ray is not installed: pip install 'longway[ray]'")
from longway.on_ray.ray_engine import RayEngine, engines_on_ray

pytestmark = pytest.mark.usefixtures("ray_here")
TASK = task_of(["good", "bad"], text_name="review")


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    without_settings_of_the_user(monkeypatch, tmp_path)
    without_encoder(monkeypatch)
    monkeypatch.chdir(tmp_path)


def rewrite(data, server, out, *, on):
    settings = RewriteSettings(engine="served:toy", paper=True, rounds=2, k=6, candidates=2, stop="never")
    engines = Engines(server.url, options={"backoff": 0.001, "retries": 0, "max_in_flight": 4})
    return lw.rewrite(load(data), settings=settings, engines=engines, out=out, on=on)


@pytest.mark.soak
def test_a_rewrite_on_ray_is_the_same_and_asks_each_question_once(tmp_path):
    data = write_csv(tmp_path / "reviews.csv")
    with Loopback(answer) as server:
        here = rewrite(data, server, tmp_path / "here", on=None)
        asked, server.counts = server.counts.copy(), type(server.counts)()
        there = rewrite(data, server, tmp_path / "there", on="ray")
        assert server.counts == asked
        assert set(asked.values()) == {1}
        assert server.most_in_flight <= 4
        for name in ("dataset.csv", "edits.jsonl"):
            assert (there.folder / name).read_bytes() == (here.folder / name).read_bytes()
        assert there.accepted == here.accepted > 0
        n = len(server.calls)
        (there.folder / "dataset.csv").unlink()
        rewrite(data, server, tmp_path / "there", on=None)  # goes on without Ray, with the same journal
        assert len(server.calls) == n
        assert (there.folder / "dataset.csv").read_bytes() == (here.folder / "dataset.csv").read_bytes()


class Toy(Engine):
    """Writes the text in capitals; says where it was asked. Some texts have it fail, or die once."""

    name, can = "toy", frozenset({"write", "judge"})

    def __init__(self, folder: str) -> None:
        self.folder = Path(folder)
        self.looked_at: list[str] = []

    @property
    def identity(self):
        return {"engine": "toy"}

    def prepare(self, prompts):
        self.looked_at += [prompt.text for prompt in prompts]

    async def write(self, prompt, n, sampling):
        if prompt.text == "die" and not (self.folder / "died").exists():
            (self.folder / "died").touch()
            os._exit(1)
        if prompt.text == "die each time":
            os._exit(1)
        if prompt.text == "fail":
            raise CallFailed("The toy fails.", usage=Usage(cost=0.25))
        assert prompt.text in self.looked_at
        return Written((prompt.text.upper(),), how=(str(os.getpid()),))

    async def judge(self, prompt, options):
        return Judgement({options[0]: 1.0})

    async def close(self):
        pass


@pytest.fixture
def toy(tmp_path):
    import ray.cloudpickle

    import tests.on_ray.test_rewrite as here

    ray.cloudpickle.register_pickle_by_value(here)  # the workers do not know the tests
    folder = str(tmp_path)
    yield RayEngine(Toy(folder), lambda: Toy(folder), actors=2)
    ray.cloudpickle.unregister_pickle_by_value(here)


def prompts(*texts):
    return [rewrite_prompt(TASK, text, label="good", context=None) for text in texts]


@pytest.mark.soak
def test_answers_come_in_the_order_of_the_questions_from_other_processes(toy):
    texts = [f"text {i}" for i in range(150)]
    with Asker(toy, Journal(None)) as asker:
        written = asker.write_all(prompts(*texts), 1)
        assert [one.texts for one in written] == [(text.upper(),) for text in texts]
        workers = {one.how[0] for one in written}
        assert len(workers) == 2
        assert str(os.getpid()) not in workers
        assert [one.best for one in asker.judge_all(prompts("a", "b"), ["bad", "good"])] == ["bad", "bad"]


def test_a_failed_call_is_told_with_what_it_cost_and_the_others_are_answered(toy):
    with Asker(toy, Journal(None)) as asker:
        first, failed, last = asker.write_all(prompts("a", "fail", "b"), 1)
        assert (first.texts, last.texts) == (("A",), ("B",))
        assert failed.texts == ()
        assert asker.why == {"The toy fails.": 1}
        assert asker.journal.spent() == 0.25


@pytest.mark.soak
def test_a_worker_that_dies_is_started_anew_and_only_the_call_to_blame_has_failed(toy):
    with Asker(toy, Journal(None)) as asker:
        written = asker.write_all(prompts("a", "die", "b"), 1)  # dies once
        assert [one.texts for one in written] == [("A",), ("DIE",), ("B",)]
        written = asker.write_all(prompts("c", "die each time", "d"), 1)
        assert [one.texts for one in written] == [("C",), (), ("D",)]
        assert asker.failed == 1
        assert "A Ray worker died during a call to toy" in next(iter(asker.why))


@pytest.mark.parametrize("secret", [{"api_key": "k"}, {"base_url": "http://me:sesame@host/v1"}])
def test_a_key_does_not_travel_with_the_work(secret):
    with (
        engines_on_ray("ray", lambda spec, **more: Toy(".")) as named,
        pytest.raises(SettingError, match="environment of Ray's workers") as told,
    ):
        named("served:toy", **secret)
    assert "sesame" not in str(told.value)
