"""Augmenting and perturbing with engines that are asked on Ray: same rows, each question asked once."""

from __future__ import annotations

import pytest

from longway.data import load
from longway.errors import SettingError
from longway.jobs.augment.job import augment
from longway.jobs.augment.settings import AugmentSettings
from longway.jobs.engine_use import Engines
from longway.jobs.perturb.job import perturb
from longway.jobs.perturb.settings import PerturbSettings
from tests.engines.loopback import Loopback
from tests.jobs import toy_augment, toy_perturb
from tests.jobs.toy_run import write_csv

pytest.importorskip("ray", reason="Ray is not installed: pip install 'longway[ray]'")
pytestmark = pytest.mark.usefixtures("ray_here", "alone")


def same_twice(answer, run, tmp_path):
    """What the run gave on Ray, after comparing it with a run here: the files, and what was asked."""
    with Loopback(answer) as server:
        engines = Engines(server.url, options={"backoff": 0.001, "retries": 0, "max_in_flight": 4})
        here = run(engines=engines, out=tmp_path / "here")
        asked, server.counts = server.counts.copy(), type(server.counts)()
        there = run(engines=engines, out=tmp_path / "there", on="ray")
        assert server.counts == asked
        assert asked
    for name in ("dataset.csv", "edits.jsonl"):
        assert (there.folder / name).read_bytes() == (here.folder / name).read_bytes()
    return there


@pytest.mark.soak
def test_an_augmentation_on_ray_is_the_same_and_asks_each_question_once(tmp_path):
    data = load(write_csv(tmp_path / "reviews.csv", 24))
    settings = AugmentSettings(method="counterfactual", engine="served:toy", models=("bow",))
    found = same_twice(toy_augment.answer, lambda **how: augment(data, settings, **how), tmp_path)
    assert found.added > 0


@pytest.mark.soak
def test_a_perturbation_on_ray_is_the_same_and_asks_each_question_once(tmp_path):
    data = load(toy_perturb.write(tmp_path / "bakers.csv", toy_perturb.bakers_of(8)))
    settings = PerturbSettings(engine="served:toy", axes=("gender",), to=("woman",), tries=1)
    found = same_twice(toy_perturb.answer, lambda **how: perturb(data, settings, **how), tmp_path)
    assert found.changed == 8


def test_a_gguf_file_does_not_run_on_ray_and_the_message_says_what_to_do(tmp_path):
    pytest.importorskip("xllamacpp")
    (file := tmp_path / "own.gguf").write_bytes(b"GGUF")
    data = load(toy_perturb.write(tmp_path / "bakers.csv", toy_perturb.bakers_of(4)))
    settings = PerturbSettings(engine=f"gguf:{file}", axes=("gender",), to=("woman",))
    with pytest.raises(SettingError, match=r"does not run on Ray.*Omit --on"):
        perturb(data, settings, on="ray")
