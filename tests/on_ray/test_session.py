"""Errors where Ray cannot be opened."""

from __future__ import annotations

import subprocess
import sys

import pytest

from longway.errors import MissingExtra, SettingError
from longway.on_ray.session import check_place


@pytest.mark.parametrize("place", ["rays", "ray://", "ray://host", "http://host:1", "ray://host:1/x", ""])
def test_a_wrong_place_is_refused_with_the_next_step(place):
    with pytest.raises(SettingError, match="--on ray"):
        check_place(place)


def test_the_error_of_a_missing_ray_has_the_line_that_installs_it(monkeypatch):
    monkeypatch.setattr("longway.on_ray.session.find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"pip install 'longway\[ray\]'"):
        check_place("ray")


@pytest.mark.parametrize("command", ["audit", "rewrite", "augment", "perturb", "repair"])
def test_a_command_refuses_a_wrong_place_before_anything_is_read(command, tmp_path):
    start = "from longway.cli import main; main()"
    words = [sys.executable, "-c", start, command, str(tmp_path / "none.csv"), "--on", "spark"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "'on' must be 'ray'" in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr
