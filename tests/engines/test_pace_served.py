"""The pace against a real server on this machine: more calls until it slows down or refuses, fewer then, and more again after."""

from dataclasses import replace

import pytest

from longway.engines.asker import Asker
from longway.store.journal import Journal
from tests.engines.conftest import engine_of, writing
from tests.engines.loopback import Loopback, echo, error


def ask(engine, n, name):
    """Ask for n texts; the pace stays with the engine."""
    written = Asker(engine, Journal(None)).write_all(writing(*(f"{name} {i} was dull." for i in range(n))), 1)
    assert all(one.texts for one in written)


@pytest.fixture
def server():
    """Refuses what comes while more than `room` are under way."""

    class Guarded(Loopback):
        room = 10**6
        refused = 0

    def answer(call):
        if running.in_flight > running.room:
            running.refused += 1
            return error(429, "too many", headers={"retry-after-ms": "1"})
        return replace(echo(call), wait=0.5)

    running = Guarded(answer)
    with running:
        yield running


@pytest.mark.soak  # the rule itself is tested without waiting in test_pace.py
def test_it_grows_until_the_server_refuses_backs_off_and_recovers(server):
    engine = engine_of(server, max_in_flight=64, retries=40)
    pace = engine._transport.pace
    ask(engine, 60, "Grown")
    grown = pace.limit
    assert grown > 8  # more than it began with
    assert server.most_in_flight > 8
    assert not server.refused

    server.room = 5
    ask(engine, 40, "Refused")
    assert server.refused
    backed_off = pace.limit
    assert backed_off <= 12  # about what the server takes; a step or two above it
    assert backed_off < grown

    server.room, server.most_in_flight, before = 10**6, 0, server.refused
    ask(engine, 120, "Recovered")
    assert server.refused == before
    assert pace.limit > backed_off + 4
    assert server.most_in_flight > backed_off + 4


def test_it_stops_growing_where_answers_take_longer():
    """Four at a time: more would only wait in line."""
    with Loopback(lambda call: replace(echo(call), wait=0.05), slots=4) as small:
        engine = engine_of(small, max_in_flight=128)
        ask(engine, 200, "Slow")
        assert engine._transport.pace.limit < 48
        assert small.most_in_flight < 64
