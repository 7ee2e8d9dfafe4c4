"""The limit of calls against a real server on this machine: more calls until it slows down."""

from dataclasses import replace

from longway.engines.asker import Asker
from longway.store.journal import Journal
from tests.engines.conftest import engine_of, writing
from tests.engines.loopback import Loopback, echo


def ask(engine, n, name):
    """Ask for n texts; the limit stays with the engine."""
    written = Asker(engine, Journal(None)).write_all(writing(*(f"{name} {i} was dull." for i in range(n))), 1)
    assert all(one.texts for one in written)


def test_it_stops_growing_where_answers_take_longer():
    """Four at a time: more would only wait in line."""
    with Loopback(lambda call: replace(echo(call), wait=0.05), slots=4) as small:
        engine = engine_of(small, max_in_flight=128)
        ask(engine, 200, "Slow")
        assert small.most_in_flight < 32
