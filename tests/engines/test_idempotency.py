"""Idempotency keys: the same call has the same key whenever it is sent, and another request has another."""

import asyncio
from dataclasses import replace

from longway.engines.asker import Asker
from longway.engines.costs import Call, Ledger
from longway.engines.engine import Sampling
from longway.engines.recording import CallKeys
from longway.store.journal import Journal
from tests.engines.conftest import engine_of, judging, writing
from tests.engines.loopback import Loopback, Reply, completion, echo, error, script

TEXTS = [f"Film {number} was dull." for number in range(5)]


def ask(server, *, journal=None, **options):
    """Write and judge once, with a journal of its own unless one is given."""
    with Asker(engine_of(server, **options), Journal(None) if journal is None else journal) as asker:
        return asker.write_all(writing(*TEXTS), 2), asker.judge_all(judging(*TEXTS), ("neg", "pos"))


def keys_after(*replies, **options):
    """The keys of the requests that one call takes where the server answers so."""
    with Loopback(script(*replies)) as server, Asker(engine_of(server, **options), Journal(None)) as asker:
        written = asker.write_all(writing(TEXTS[0]), 1)
        assert written[0].texts == (f"Indeed, {TEXTS[0]}",)
        return [call.key for call in server.calls]


def test_the_key_begins_with_that_of_the_journal():
    journal = Journal(None)
    with Loopback() as server:
        ask(server, journal=journal)
        sent = {call.key.split("-")[0] for call in server.calls}
    assert sent == {call.key for call in journal.entries()}
    assert len(sent) == 10


def test_a_second_start_without_the_journal_sends_the_same_keys_and_is_charged_nothing():
    with Loopback(remembers=True) as server:
        assert ask(server) == ask(server)
        assert set(server.keys.values()) == {2}
        assert set(server.charged.values()) == {1}


def test_a_server_that_does_not_know_keys_charges_again():
    with Loopback() as server:
        ask(server)
        ask(server)
        assert set(server.charged.values()) == {2}


def test_without_an_answer_the_key_stays():
    late = Reply({}, wait=1.0)
    broken_off = replace(completion("{}"), cut_at=5)
    full = error(429, "slow down", headers={"retry-after": "0"})
    keys = keys_after(full, late, broken_off, timeout=0.3)
    assert len(keys) == 4
    assert len(set(keys)) == 1


def test_an_answer_of_no_use_is_not_asked_for_again():
    """A server that honours keys would give the same broken answer for ever."""
    keys = keys_after(error(500, "oh"), Reply(raw=b"<html>"), Reply({"error": {"message": "no"}}))
    assert [key.rsplit("-", 1)[1] for key in keys] == ["0", "1", "2", "3"]
    assert len({key.rsplit("-", 1)[0] for key in keys}) == 1


def test_a_repair_and_a_request_with_less_are_requests_of_their_own():
    keys = keys_after(error(400, "response_format is unknown"), completion("what?"))
    assert len(keys) == len(set(keys)) == 3
    assert len({key.split("-")[0] for key in keys}) == 1


def test_a_client_that_died_under_way_is_not_charged_when_it_comes_back(tmp_path):
    """The server works on without it; the journal knows nothing of the calls."""
    with Loopback(lambda call: replace(echo(call), wait=0.2), remembers=True) as server:

        async def die():
            engine = engine_of(server)
            asking = asyncio.create_task(_keyed(engine))
            while not server.calls:
                await asyncio.sleep(0.01)
            asking.cancel()

        asyncio.run(die())
        journal = Journal(tmp_path / "journal.sqlite")
        with Asker(engine_of(server), journal) as asker:
            asker.write_all(writing(TEXTS[0]), 1)
        journal.close()
        assert list(server.keys.values()) == [2]
        assert list(server.charged.values()) == [1]


async def _keyed(engine):
    """One call with its key, as `Asker` makes it."""
    prompt = writing(TEXTS[0])[0]
    key = CallKeys.of(engine).write_key(prompt, 1, Sampling())
    await engine.write(prompt, 1, Sampling(), Call(Ledger(None, 0.0), 0.0, key))


def test_an_engine_that_is_used_without_a_journal_sends_no_key():
    with Loopback() as server:
        engine = engine_of(server)

        async def write():
            await engine.write(writing(TEXTS[0])[0], 1, Sampling())
            await engine.close()

        asyncio.run(write())
        assert [call.key for call in server.calls] == [""]
