"""The fault campaign in its bounded form: a few kills of every command, and every fault once; `make soak` does it at length."""

import signal
import sys
import time

import pytest

from longway.store import RUN_FILE, read_json
from tests.faults.campaign import Campaign, shares, told
from tests.faults.injected import FAULTS
from tests.faults.jobs import Bench
from tests.faults.kills import kept_in

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are watched in /proc")
KILLS = {"audit": 2, "rewrite": 2, "augment": 1, "coba": 1, "perturb": 1, "prove": 1, "review": 2}
INJECTED = (
    ("file limit", "rewrite", 0),
    ("disk full", "audit", 0),
    ("read-only", "audit", 1),
    ("journal locked", "rewrite", 0),
    ("journal damaged", "rewrite", 0),
    ("clock jumps", "audit", 0),
    ("two processes", "audit", 0),
)
LEFT_TO_SOAK = {"little memory"}  # a run that hangs is ended after a minute


@pytest.fixture(scope="module")
def whole():
    """The undisturbed runs by command."""
    return {}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    with Bench(tmp_path_factory.mktemp("bench")) as made:
        yield made


@pytest.fixture
def campaign(bench, whole):
    """A campaign that has counted nothing yet."""
    return Campaign(bench, whole=whole)


@pytest.mark.soak
def test_killed_at_random_moments_nothing_is_lost_and_nothing_paid_twice(campaign):
    for name, kills in KILLS.items():
        campaign.kill(name, kills)
    assert campaign.counts.lost == []
    assert dict(campaign.counts.kills) == KILLS
    assert campaign.counts.ends >= len(KILLS)
    assert campaign.counts.decisions > 0


@pytest.mark.soak
def test_every_fault_is_told_and_the_same_command_goes_on(campaign):
    for name, job, place in INJECTED:
        campaign.inject(FAULTS[name], job, place)
    counts = campaign.counts
    assert counts.lost == []
    assert {name for name, _, _ in INJECTED} == set(FAULTS) - LEFT_TO_SOAK
    # What cannot be had everywhere is counted apart; the others were all injected.
    assert counts.faults.total() + counts.skipped.total() == len(INJECTED)
    assert all("mount" in reason for reason in counts.skipped)
    assert "lost               none" in told(counts)


def test_kills_are_shared_out_evenly():
    assert shares(200, ["a", "b", "c"]) == {"a": 67, "b": 67, "c": 66}


def test_ctrl_c_says_what_was_kept_and_how_to_go_on(bench):
    job, out = bench.job("rewrite"), bench.folder / "interrupted"
    job.forget()
    child = bench.start(job, out.name)
    while job.server.keys.total() < 15:
        assert child.is_running(), child.said.read_text()
        time.sleep(0.002)
    child.kill(signal.SIGINT)
    assert child.wait() == 130
    said, n = child.said.read_text(), len(kept_in(out))
    assert n >= 8
    assert (
        f"{n} answers are kept in {out.name}. The same command resumes the run and pays for nothing twice."
        in said
    )
    assert "longway: stopped." in said
    assert "Traceback" not in said
    assert read_json(out / RUN_FILE)["state"] == "running"
    code, said = bench.run(job, out.name)
    assert code == 0, said
    assert read_json(out / RUN_FILE)["state"] == "done"
    assert set(job.server.charged.values()) == {1}
