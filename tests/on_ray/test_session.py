"""Where Ray is opened, and what is said where that cannot be."""

from __future__ import annotations

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import MissingExtra, SettingError
from longway.on_ray.ray_engine import distribute
from longway.on_ray.session import check_place


@pytest.mark.parametrize("place", ["rays", "ray://", "ray://host", "http://host:1", "ray://host:1/x", ""])
def test_a_place_that_is_none_is_refused_with_the_next_step(place):
    with pytest.raises(SettingError, match="--on ray"):
        check_place(place)


def test_a_missing_ray_is_told_with_how_to_install_it(monkeypatch):
    monkeypatch.setattr("longway.on_ray.session.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'longway\[ray\]'"):
        check_place("ray")


def test_a_place_that_is_none_is_told_by_the_command_before_anything_is_read(tmp_path):
    start = "from longway.cli import main; main()"
    command = [sys.executable, "-c", start, "audit", str(tmp_path / "none.csv"), "--on", "spark"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "'on' must be 'ray'" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


@given(actors=st.integers(0, 1000), waits=st.integers(1, 1000))
def test_actors_together_ask_a_server_for_no_more_calls_at_once_than_one_process_would(actors, waits):
    found, at_once = distribute(actors, waits)
    assert found >= 1
    assert at_once >= 1
    assert waits / 2 < found * at_once <= waits
