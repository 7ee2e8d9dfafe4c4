"""The fuzzer in a bounded form: every target for a moment, the same inputs each time. At length: python -m tests.fuzz.fuzz."""

import random

import pytest

from tests.fuzz.fuzz import fuzz, mutated, shares
from tests.fuzz.targets import TARGETS, Target

EXECUTIONS = 4_000  # of all targets together; some seconds
BY_TARGET = shares(EXECUTIONS, list(TARGETS))


@pytest.mark.parametrize("name", sorted(TARGETS))
def test_only_declared_errors_come_out(name):
    report = fuzz(name, BY_TARGET[name])
    assert not report.failures
    assert report.executions == BY_TARGET[name]
    assert report.read > 0, "not even the well-formed inputs are read"
    if name != "lines":  # its readers are asked in turn, and each refusal counts as read
        assert report.refused.total() > 0, "nothing was broken enough to be refused"


def test_a_reader_that_lets_something_else_out_is_caught():
    def careless(data):
        return data.index(b"label") + int(data[:1] == b"t")

    target = Target(TARGETS["csv"].seeds, careless, (KeyError,))
    report = fuzz("csv", 300, target=target)
    assert list(report.failures) == ["ValueError in careless"]
    assert b"label" not in report.failures["ValueError in careless"][0]


def test_the_same_seed_gives_the_same_inputs_and_another_seed_others():
    seeds = TARGETS["csv"].seeds()

    def inputs(seed):
        draw = random.Random(seed)
        return [mutated(seeds[0], seeds[1], draw) for _ in range(50)]

    assert inputs(0) == inputs(0) != inputs(1)
    assert len(set(inputs(0))) > 40
