"""The budget under concurrency, against servers that count tokens and send a bill."""

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace

import pytest

from longway.engines.asker import Asker
from longway.engines.costs import Price
from longway.engines.engine import Sampling
from longway.engines.served import ServedEngine
from longway.errors import BudgetSpent
from longway.store import Journal
from tests.engines.conftest import judging, writing
from tests.engines.loopback import Loopback, Reply, completion, echo
from tests.environment import without_settings_of_the_user

PRICE = Price(10.0, 30.0)  # dollars per million tokens
HOW = Sampling(max_tokens=200)
TEXTS = [f"Film {number} was dull." for number in range(300)]


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    without_settings_of_the_user(monkeypatch, tmp_path)


class Till:
    """A server's answers with their tokens, and its bill: what was answered or cut off is charged for, what was refused is not.

    times: how often it writes what it was asked for at most.
    """

    def __init__(self, *, times=1.0, spoil=lambda call, reply: reply):
        self.times, self.spoil = times, spoil
        self.bill, self.dearest, self.calls = 0.0, 0.0, 0

    def __call__(self, call):
        read = sum(
            len(message["content"].encode()) for message in call.body["messages"]
        )  # a token is a byte at least
        written = int(self.times * call.body["max_tokens"])
        reply = echo(call) if call.text else completion("yes")  # whether it is there at all
        reply.body["usage"] = {"prompt_tokens": read, "completion_tokens": written}
        reply = self.spoil(call, replace(reply, wait=0.01))
        if reply.status == 200:
            cost = PRICE.of(read, written)
            self.bill, self.dearest, self.calls = self.bill + cost, max(self.dearest, cost), self.calls + 1
        return reply


def engine_of(url, **options):
    return ServedEngine("toy", base_url=url, price=PRICE, backoff=0.001, **{"retries": 1} | options)


def most_of_a_call(url):
    """With a repair and a retry: three requests, two of them with twice the room."""
    return 5 * engine_of(url).first_write_cost(writing(TEXTS[-1])[0], 2, HOW)


def number_of(call):
    return int(call.text.split()[1]) if call.text else 0


def cut_every_third(call, reply):
    return replace(reply, cut_at=30) if number_of(call) % 3 == 2 else reply


def late_every_fifth(call, reply):
    return Reply(status=503, body={}) if number_of(call) % 5 == 4 else reply


@pytest.mark.parametrize("spoil", [lambda call, reply: reply, cut_every_third, late_every_fifth])
def test_a_server_that_keeps_to_its_limits_never_bills_more_than_the_budget(tmp_path, spoil):
    till = Till(spoil=spoil)
    with Loopback(till) as server, closing(Journal(tmp_path / "journal.sqlite")) as journal:
        budget = 12 * most_of_a_call(server.url)
        with (
            Asker(engine_of(server.url), journal, budget=budget) as asker,
            pytest.raises(BudgetSpent, match=r"does not allow another call"),
        ):
            asker.write_all(writing(*TEXTS), 2, HOW)
        assert server.most_in_flight > 1
        assert till.bill <= journal.spent() + 1e-9 <= budget + 2e-9
    assert till.calls >= 12


def test_a_server_that_charges_more_than_was_asked_for_overspends_by_no_more_than_the_calls_in_flight(
    tmp_path,
):
    till, at_once = Till(times=40.0), 6
    with Loopback(till) as server, closing(Journal(tmp_path / "journal.sqlite")) as journal:
        most = most_of_a_call(server.url)
        budget = 20 * most
        engine = engine_of(server.url, max_in_flight=at_once)
        with Asker(engine, journal, budget=budget) as asker, pytest.raises(BudgetSpent):
            asker.write_all(writing(*TEXTS), 2, HOW)
        assert till.dearest > most  # it did break its limit
        assert till.bill > budget
        # A call in flight has reserved its first request.
        reserved = min(engine.first_write_cost(prompt, 2, HOW) for prompt in writing(*TEXTS))
        assert till.bill <= budget + at_once * (till.dearest - reserved) + 1e-9
        assert till.bill == pytest.approx(journal.spent())
        # And from then on nothing is sent.
        n = len(server.calls)
        with Asker(engine_of(server.url), journal, budget=budget) as asker, pytest.raises(BudgetSpent):
            asker.write_all(writing(*TEXTS), 2, HOW)
        assert len(server.calls) == n


def test_two_who_ask_at_the_same_time_share_one_budget(tmp_path):
    till = Till()
    with Loopback(till) as server, closing(Journal(tmp_path / "journal.sqlite")) as journal:
        budget = 16 * most_of_a_call(server.url)
        ended = []

        def ask(what):
            with Asker(engine_of(server.url), journal, budget=budget) as asker:
                try:
                    what(asker)
                except BudgetSpent:
                    ended.append(what)

        jobs = [
            lambda asker: asker.write_all(writing(*TEXTS), 2, HOW),
            lambda asker: asker.judge_all(judging(*TEXTS), ("neg", "pos")),
        ]
        threads = [threading.Thread(target=ask, args=(job,)) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(ended) == 2
        assert till.calls >= 16
        assert till.bill <= budget + 1e-9


SCRIPT = """
import sys
from pathlib import Path
from longway.errors import BudgetSpent
from longway.engines.asker import Asker
from longway.store.journal import Journal
from tests.faults.test_budget import HOW, TEXTS, engine_of
from tests.engines.conftest import writing

url, path, budget = sys.argv[1], Path(sys.argv[2]), float(sys.argv[3])
try:
    Asker(engine_of(url, max_in_flight=6), Journal(path), budget=budget).write_all(writing(*TEXTS), 2, HOW)
except BudgetSpent:
    sys.exit(7)
"""


def test_killed_in_the_middle_it_overspends_by_no_more_than_the_calls_that_were_under_way(tmp_path):
    """What was under way has no line in the journal: the next start cannot know of it."""
    till = Till(spoil=lambda call, reply: replace(reply, wait=0.05))
    with Loopback(till) as server:
        budget = 25 * most_of_a_call(server.url)
        command = [sys.executable, "-c", SCRIPT, server.url, str(tmp_path / "journal.sqlite"), str(budget)]
        env = os.environ | {"PYTHONPATH": "."}
        process = subprocess.Popen(command, env=env)
        while till.calls < 15 or server.in_flight < 2:
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert subprocess.run(command, env=env, timeout=120).returncode == 7
        assert till.calls > 25
        assert till.bill <= budget + 6 * till.dearest
