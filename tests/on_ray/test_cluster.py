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

from tests.jobs.shortcut_data import soups
from tests.jobs.toy_perturb import rows_of, write
from tests.jobs.toy_run import write_csv
from tests.on_ray.cluster import ClusterError, cluster

pytest.importorskip("ray", reason="Ray is not installed: pip install 'longway[ray]'")
pytestmark = pytest.mark.soak  # a cluster that starts and seven processes


@pytest.fixture(scope="module")
def place():
    """The address and the environment of a cluster; skipped, with the reason, where none starts."""
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
    soups(30_000, honest_with="good", seed=1).frame.write_parquet(tmp_path / "rows.parquet")
    words = ["audit", tmp_path / "rows.parquet", "--stream", "--levels", "token,surface", "--out"]
    longway(*words, tmp_path / "here")
    longway(*words, tmp_path / "there", "--on", address, environment=environment)
    here, there = (json.loads((tmp_path / run / "findings.json").read_text()) for run in ("here", "there"))
    assert {**there, "created": None} == {**here, "created": None}
    assert here["findings"]
    one, other = (pl.read_parquet(tmp_path / run / "scores.parquet") for run in ("here", "there"))
    assert other.equals(one)


def test_edits_through_an_address_are_the_same(place, tmp_path):
    address, environment = place
    reviews = write_csv(tmp_path / "reviews.csv", 96)
    people = write(tmp_path / "people.csv", rows_of(160))
    for command, data, more in (
        ("rewrite", reviews, ["--k", "80", "--rounds", "1", "--text", "review"]),
        ("perturb", people, ["--text", "text"]),
    ):
        words = [command, data, "--engine", "rules", *more, "--out"]
        longway(*words, tmp_path / f"{command}-here")
        longway(*words, tmp_path / f"{command}-there", "--on", address, environment=environment)
        for name in ("dataset.csv", "edits.jsonl"):
            here, there = ((tmp_path / f"{command}-{run}" / name).read_bytes() for run in ("here", "there"))
            assert there == here
        assert (tmp_path / f"{command}-here" / "dataset.csv").read_bytes() != data.read_bytes()


def test_an_address_where_nothing_listens_is_an_error_without_a_traceback(tmp_path):
    pytest.importorskip("grpc", reason="grpcio is not installed: pip install 'ray[client]'")
    command = [sys.executable, "-m", "tests.jobs.toy_run", "audit", str(write_csv(tmp_path / "reviews.csv"))]
    command += ["--on", "ray://127.0.0.1:9", "--out", str(tmp_path / "run")]
    done = subprocess.run(
        command, env={**os.environ}, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "No Ray cluster answers at ray://127.0.0.1:9" in " ".join(done.stderr.split())
