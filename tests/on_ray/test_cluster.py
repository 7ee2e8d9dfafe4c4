"""A cluster by its address: the commands reach it as `ray://`, and give what they give here.

They run in processes of their own, as a user's would: this one has Ray open already.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import ExitStack

import polars as pl
import pytest

from longway.data import load, save
from tests.engines.loopback import Loopback
from tests.jobs.shortcut_data import soups
from tests.jobs.toy_run import answer, write_csv
from tests.on_ray.cluster import ClusterError, cluster

pytest.importorskip("ray", reason="Ray is not installed: pip install 'longway[ray]'")
pytestmark = pytest.mark.soak  # a cluster that starts and six processes


@pytest.fixture(scope="module")
def place():
    """The address and the environment of a cluster; skipped, saying why, where none comes up."""
    with ExitStack() as stack:
        try:
            found = stack.enter_context(cluster())
        except ClusterError as why:
            pytest.skip(str(why))
        yield found


def longway(*words, environment=None):
    command = [sys.executable, "-m", "tests.jobs.toy_run", *map(str, words)]
    done = subprocess.run(
        command, env=environment or os.environ, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr


def test_an_audit_through_an_address_is_the_same(place, tmp_path):
    address, environment = place
    (tmp_path / "data").mkdir()
    frame = soups(600, honest_with="good", seed=1).frame
    for number in range(3):
        save(frame[number * 200 : (number + 1) * 200], tmp_path / "data" / f"{number}.jsonl")
    words = ["audit", tmp_path / "data", "--stream", "--levels", "token,surface", "--out"]
    longway(*words, tmp_path / "here")
    longway(*words, tmp_path / "there", "--on", address, environment=environment)
    here, there = (json.loads((tmp_path / run / "findings.json").read_text()) for run in ("here", "there"))
    assert {**there, "created": None} == {**here, "created": None}
    assert here["findings"]
    assert len(list((tmp_path / "there" / "scores.parquet").iterdir())) == 3  # the workers read and wrote
    one, other = (pl.read_parquet(tmp_path / run / "scores.parquet") for run in ("here", "there"))
    assert other.equals(one)


def test_a_rewrite_through_an_address_is_the_same_and_asks_each_question_once(place, tmp_path):
    address, environment = place
    data = write_csv(tmp_path / "reviews.csv")
    with Loopback(answer) as server:
        words = [
            "rewrite",
            data,
            "--engine",
            "served:toy",
            "--base-url",
            server.url,
            "--rounds",
            "1",
            "--k",
            "6",
        ]
        words += ["--candidates", "2", "--yes", "--out"]
        longway(*words, tmp_path / "here")
        asked, server.counts = server.counts.copy(), type(server.counts)()
        longway(*words, tmp_path / "there", "--on", address, environment=environment)
        assert server.counts == asked
        assert set(asked.values()) == {1}
    for name in ("dataset.csv", "edits.jsonl"):
        assert (tmp_path / "there" / name).read_bytes() == (tmp_path / "here" / name).read_bytes()
    assert not load(data).frame["review"].equals(load(tmp_path / "there" / "dataset.csv").frame["review"])


def test_an_address_where_nobody_answers_is_told_without_a_traceback(tmp_path):
    pytest.importorskip("grpc", reason="grpcio is not installed: pip install 'ray[client]'")
    data = write_csv(tmp_path / "reviews.csv")
    command = [sys.executable, "-m", "tests.jobs.toy_run", "audit", str(data)]
    command += ["--on", "ray://127.0.0.1:9", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        command, env={**os.environ}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "No Ray cluster answers at ray://127.0.0.1:9" in " ".join(done.stderr.split())
