"""A plan tells what the run then takes, asks no server, and says where its times come from."""

import time
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from longway.data import load
from longway.errors import SettingError
from longway.llm.engine import Judged, Written
from longway.recipes import plan as plan_module
from longway.recipes.audit import AuditSettings, levels_named
from longway.recipes.augment_forecast import augment_forecast
from longway.recipes.augment_settings import AugmentSettings
from longway.recipes.engine_runs import Engines
from longway.recipes.forecast import forecast
from longway.recipes.plan import ServerLimits, plan_audit, plan_augment, plan_rewrite
from longway.recipes.rewrite import RewriteSettings
from longway.recipes.run_rewrite import run_rewrite
from longway.recipes.speed import ASKED, Line, Watch, rows_fitted, sample_of
from tests.recipes.toy_run import write_csv

pytestmark = pytest.mark.usefixtures("alone")


@pytest.fixture
def data(tmp_path):
    return write_csv(tmp_path / "reviews.csv")


def settings(**more):
    return RewriteSettings(
        **{"engine": "served:toy", "rounds": 2, "k": 6, "candidates": 2, "stop": "never"} | more
    )


def step_of(plan, name):
    return next(step for step in plan.steps if step.name == name)


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        (ServerLimits(in_flight=10), 14.0),  # 100 calls of 1 s, 2000 tokens at 50 a second, 10 at once
        (ServerLimits(in_flight=10, requests_per_minute=60), 100.0),
        (ServerLimits(in_flight=10, tokens_per_minute=1000), 420.0),  # 7000 tokens
        (ServerLimits(in_flight=10, requests_per_minute=60_000, tokens_per_minute=60_000), 14.0),
    ],
)
def test_the_slowest_limit_of_a_server_decides(limits, seconds):
    assert limits.seconds(100, 5000, 2000) == pytest.approx(seconds)


@pytest.mark.parametrize("name", ["requests_per_minute", "tokens_per_minute", "in_flight"])
def test_a_limit_of_nothing_is_told(name):
    with pytest.raises(SettingError, match=rf"'{name}' must be a number above 0\. Got 0"):
        ServerLimits(**{name: 0})


def test_a_plan_counts_what_the_forecast_of_the_run_counts_and_asks_no_server(data, server, prices):
    told = []
    plan = plan_rewrite(load(data), settings(), Engines(server.url), ServerLimits(requests_per_minute=6))
    assert not server.calls
    run_rewrite(load(data), settings=settings(), engines=Engines(server.url), on_estimate=told.append)
    (foreseen,) = told
    assert (step_of(plan, "write").calls, step_of(plan, "judge").calls) == (12, 24)
    assert plan.calls == foreseen.calls
    assert plan.cost == pytest.approx(foreseen.cost)
    assert plan.to_dict()["prompt_tokens"] == foreseen.prompt_tokens
    assert step_of(plan, "write").seconds == 120.0  # 12 calls, 6 a minute
    assert len(server.calls) <= plan.calls  # the most it may take


def test_a_free_server_is_planned_and_not_asked(data, server):
    plan = plan_rewrite(load(data), settings(), Engines(server.url))
    assert not server.calls
    assert (plan.calls, plan.cost) == (36, 0)
    assert step_of(plan, "write").how == "the server's limits, see below"
    assert any("32 calls under way" in note and "--requests-per-minute" in note for note in plan.notes)


def test_rules_before_a_server_take_none_of_its_time(data, server, prices):
    limits = ServerLimits(requests_per_minute=6)
    plan = plan_rewrite(
        load(data), settings(engine="rules,served:toy", judge="none"), Engines(server.url), limits
    )
    assert step_of(plan, "write").seconds == 120.0  # 12 calls to the server, 6 a minute
    assert "judged" not in plan.notes[0]


@pytest.mark.parametrize("n", [2, 3, 5])
def test_a_handful_of_rows_is_planned(n):
    rows = [{"text": f"a text number {i}", "label": "ab"[i % 2]} for i in range(n)]
    plan = plan_audit(load(rows), AuditSettings(levels=("token",)))
    assert plan.rows == n
    assert plan.seconds >= 0


def test_what_waits_takes_its_time():
    computes, waits = Watch(), Watch(waits=True)
    time.sleep(0.1)
    assert computes.lap() < 0.1 <= waits.lap()


def test_a_price_that_is_not_known_is_not_nothing(data, server, monkeypatch):
    monkeypatch.setattr("longway.llm.prices.is_local", lambda base_url: False)
    plan = plan_rewrite(load(data), settings(engine="served:unheard-of"), Engines(server.url))
    assert plan.cost is None
    assert any("unheard-of is not known" in note for note in plan.notes)


def test_a_sample_stands_for_all_rows(data, server, prices):
    from longway.llm.engines import engine_named

    toy, loaded = engine_named("served:toy", base_url=server.url), load(data)
    some = forecast(loaded, settings(k=0.5), toy, toy)
    more = forecast(loaded, settings(k=0.5), toy, toy, n_rows=24_000)
    assert (more.writes, more.judgements) == (1000 * some.writes, 1000 * some.judgements)
    assert more.cost == pytest.approx(1000 * some.cost)
    added = augment_forecast(loaded, AugmentSettings(method="paraphrase"), toy, n_rows=24_000)
    assert added.writes == 24_000


class Here:
    """An engine in this process that counts what it is asked."""

    name, can, identity = "here", frozenset({"write", "judge"}), {"engine": "here"}

    def __init__(self):
        self.written = self.judged = 0

    async def write(self, prompt, n, sampling):
        self.written += 1
        return Written((f"All in all, {prompt.text}",))

    async def judge(self, prompt, options):
        self.judged += 1
        return Judged({option: 1 / len(options) for option in options})

    async def close(self):
        pass


def test_an_engine_in_this_process_is_timed_on_a_few_rows(data, monkeypatch):
    here = Here()
    monkeypatch.setattr(plan_module, "engines_of", lambda settings, engines: (here, here))
    plan = plan_rewrite(load(data), settings())
    assert 1 < here.written <= ASKED + 1
    assert 1 < here.judged <= ASKED + 1
    assert (step_of(plan, "write").calls, step_of(plan, "judge").calls) == (12, 24)
    assert step_of(plan, "write").how == "measured on a few rows"
    assert 0 < step_of(plan, "check").seconds < plan.seconds


def test_an_audit_asks_no_engine_and_the_grammar_is_named(data):
    plain = plan_audit(load(data), AuditSettings(levels=levels_named("-grammar")))
    whole = plan_audit(load(data), AuditSettings(levels=levels_named("token,grammar")))
    assert (plain.calls, plain.cost, plain.rows) == (0, 0, 24)
    assert plain.seconds > 0
    assert [step.name for step in whole.steps] == ["read", "count and score", "grammar"]
    assert "grammar" not in [step.name for step in plain.steps]


def test_an_augmentation_is_planned(data, server, prices):
    plan = plan_augment(
        load(data), AugmentSettings(method="paraphrase", engine="served:toy"), Engines(server.url)
    )
    assert not server.calls
    assert (step_of(plan, "write").calls, step_of(plan, "judge").calls) == (24, 24)
    assert plan.cost > 0


def test_a_method_without_engine_is_planned_without_calls(data):
    plan = plan_rewrite(load(data), RewriteSettings(method="eda"))
    assert (plan.calls, plan.cost) == (0, 0)


@pytest.mark.parametrize("n", [1, 7, 100, 500])
def test_a_sample_is_spread_over_the_whole_dataset(n):
    frame = pl.DataFrame({"t": [f"text {i}" for i in range(100)], "y": ["a"] * 50 + ["b"] * 50})
    sample = sample_of(load(frame, text="t", label="y"), n).dataset
    wanted = sorted({int(x) for x in np.linspace(0, 99, min(n, 100))} | {0, 50})  # the first of each label
    assert sample.frame["t"].to_list() == [f"text {i}" for i in wanted]
    assert sample.frame["y"].to_list() == ["a" if i < 50 else "b" for i in wanted]


def test_a_sample_has_all_labels():
    """The rare ones stand in different batches, and not where the rows are spread."""
    labels = ["a"] * 5000
    for place in (1, 77, 4998):
        labels[place] = f"rare {place}"
    rows = [{"text": f"text {i}", "label": label} for i, label in enumerate(labels)]
    sample = sample_of(load(rows), 10).dataset
    assert set(sample.labels) == set(labels)
    assert sample.n_used == 13
    assert plan_audit(load(rows), AuditSettings(levels=("token",))).rows == 5000


def test_a_sample_keeps_context_and_the_names_of_columns(tmp_path):
    rows = [{"id": f"t{i}", "label": f"ctx {i}", "text": "ab"[i % 2]} for i in range(40)]
    sample = sample_of(load(rows, text="id", context="label", label="text"), 10).dataset
    assert (sample.columns.text, sample.columns.context, sample.columns.label) == ("id", "label", "text")
    assert sample.n_used == 11  # the second row is the first of its label


def test_a_line_extrapolates_rows_and_bounds_the_leak():
    line = Line(fixed=2.0, per_row=0.001, per_fit=1e-5)
    assert line.seconds(1_000_000) == pytest.approx(2 + 1000 + 1.8)  # 3 folds of 60,000 rows
    assert rows_fitted(60_000, 2) == rows_fitted(10**9, 2) == 180_000
    long_texts = replace(line, tokens_a_row=500.0)
    assert long_texts.seconds(1_000_000) == pytest.approx(
        2 + 1000 + 2.4
    )  # 8,000 rows, 10 folds, drawn 3 times
