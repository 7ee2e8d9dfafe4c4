"""The fault campaign in its bounded form: a few kills of every command, and every fault once; `make soak` does it at length."""

import sys

import pytest

from tests.faults.campaign import Campaign, shares, told
from tests.faults.injected import FAULTS
from tests.faults.jobs import Bench

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="processes are watched in /proc")
KILLS = {"audit": 2, "rewrite": 2, "augment": 1, "prove": 1, "review": 2}
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
