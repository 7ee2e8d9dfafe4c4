"""A dry run estimates what the run then takes, calls no server, and writes nothing."""

import pytest

import longway as lw
from longway.data import load
from longway.jobs.augment.job import augment_estimate
from longway.jobs.augment.settings import AugmentSettings
from longway.jobs.engine_use import SECONDS_BY_RULES, Engines, estimate_calls
from longway.jobs.estimate import RunEstimate
from longway.jobs.perturb.job import perturb_estimate
from longway.jobs.perturb.settings import PerturbSettings
from longway.jobs.rewrite.job import rewrite_estimate
from longway.jobs.rewrite.settings import RewriteSettings
from tests.jobs import toy_perturb
from tests.jobs.toy_run import write_csv
from tests.jobs.watching import watching

pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "reviews.csv")


def settings(**more):
    return RewriteSettings(
        **{"engine": "served:toy", "rounds": 2, "k": 6, "candidates": 2, "stop": "never"} | more
    )


def test_it_counts_what_the_run_announces_and_calls_no_server(data, server, prices):
    announced = []
    dry = rewrite_estimate(load(data), settings(), engines=Engines(server.url))
    assert not server.calls
    assert sorted(path.name for path in data.parent.iterdir() if path.suffix != ".toml") == ["reviews.csv"]
    watcher = watching(estimate=announced.append)
    lw.rewrite(load(data), settings(), engines=Engines(server.url), watcher=watcher)
    (estimate,) = announced
    assert (dry.rows, dry.writes, dry.judgements) == (24, 12, 24)  # 6 rows, 2 rounds, 2 candidates
    assert (dry.calls, dry.prompt_tokens) == (estimate.calls, estimate.prompt_tokens)
    assert dry.cost == pytest.approx(estimate.cost) != 0
    assert len(server.calls) <= dry.calls


def test_the_time_of_a_server_follows_from_calls_and_tokens(data, server):
    dry = rewrite_estimate(load(data), settings(), engines=Engines(server.url))
    assert (dry.calls, dry.cost) == (36, 0)
    assert dry.seconds == pytest.approx((36 * 1.0 + dry.completion_tokens / 50) / 32)


def test_a_price_that_is_not_known_is_not_nothing(data, server, monkeypatch):
    monkeypatch.setattr("longway.engines.costs.is_local", lambda base_url: False)
    how = settings(engine="served:unheard-of")
    assert rewrite_estimate(load(data), how, engines=Engines(server.url)).cost is None


def test_the_time_of_rules_is_known_and_nothing_is_written(data):
    dry = rewrite_estimate(load(data), settings(engine="rules"))
    n = dry.writes
    assert n > 0
    assert (dry.seconds, dry.cost, dry.judgements) == (pytest.approx(n * SECONDS_BY_RULES), 0.0, 0)
    assert rewrite_estimate(load(data), settings(engine="none", method="eda")).writes == 0


def test_a_sample_of_prompts_is_scaled_to_all_calls(server, prices):
    from longway.engines.prompt import judge_prompt
    from longway.engines.registry import engine_named
    from longway.task import task_of

    toy, task = engine_named("served:toy", base_url=server.url), task_of(("bad", "good"))
    prompts = [judge_prompt(task, f"text {i}") for i in range(4)]
    (few,), (many,) = (estimate_calls(toy, prompts, n, options=task.labels) for n in (4, 4000))
    assert (many.calls, many.prompt_tokens) == (4000, 1000 * few.prompt_tokens)
    assert many.cost == pytest.approx(1000 * few.cost)
    both = RunEstimate.of(4, [few], [many], spent=0.5)
    assert (both.writes, both.judgements, both.calls, both.spent) == (4, 4000, 4004, 0.5)


def test_an_augmentation_is_estimated(data, server, prices):
    how = AugmentSettings(method="counterfactual", engine="served:toy")
    dry = augment_estimate(load(data), how, engines=Engines(server.url))
    assert not server.calls
    assert (dry.writes, dry.judgements) == (24, 24)
    assert dry.cost > 0


def test_a_perturbation_is_estimated(tmp_path, server, prices):
    data = load(toy_perturb.write(tmp_path / "bakers.csv", toy_perturb.bakers_of(12)))
    how = PerturbSettings(engine="served:toy", axes=("gender",), to=("woman",))
    dry = perturb_estimate(data, how, engines=Engines(server.url))
    assert not server.calls
    assert (dry.rows, dry.writes) == (12, 24)  # two words of each row, one attribute
    assert dry.cost > 0
    assert {path.name for path in tmp_path.iterdir()} == {"bakers.csv", "prices.toml"}


def test_a_dry_perturbation_of_many_rows_reads_some_of_them(tmp_path, server, prices, monkeypatch):
    monkeypatch.setattr("longway.jobs.perturb.job.DRY_SAMPLE", (5, 10_000))
    data = load(toy_perturb.write(tmp_path / "bakers.csv", toy_perturb.bakers_of(12)))
    how = PerturbSettings(engine="served:toy", axes=("gender",), to=("woman",))
    read = []
    watcher = watching(progress=lambda done, of: read.append((done, of)))
    dry = perturb_estimate(data, how, engines=Engines(server.url), watcher=watcher)
    assert (dry.rows, dry.writes, dry.sampled, dry.texts) == (12, 24, 5, 12)  # all rows are alike
    assert read[-1] == (5, 5)


def test_methods_without_an_engine_make_no_calls(data):
    assert rewrite_estimate(load(data), RewriteSettings(method="eda")) == RunEstimate(rows=24)
    assert augment_estimate(load(data), AugmentSettings(method="eda")) == RunEstimate(rows=24)
