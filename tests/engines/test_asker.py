"""Asking: order kept, nothing asked twice, nothing used before it is on disk, no budget broken."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import tracemalloc
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.asker import Asker
from longway.engines.costs import Call, Ledger, Price
from longway.engines.engine import Sampling
from longway.engines.prompt import rewrite_prompt
from longway.errors import BudgetSpent, EngineError, RunError, SettingError
from longway.store.journal import Journal
from tests.engines.conftest import REVIEWS, engine_of, judging, writing
from tests.engines.loopback import Loopback, Reply, completion, echo, error
from tests.engines.toys import ToyEngine

DEAR = Price(100.0, 100.0)  # a call of the loopback server: 18 tokens, 0.0018 dollars


@pytest.fixture
def journal(tmp_path):
    opened = Journal(tmp_path / "journal.sqlite")
    yield opened
    opened.close()


def texts_of(n, start=0):
    return [f"Film {number} was dull." for number in range(start, start + n)]


def test_nothing_is_asked_whose_answer_could_not_be_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("longway.store.journal.WAIT", 0.1)
    path = tmp_path / "journal.sqlite"
    with (
        closing(Journal(path)) as journal,
        closing(sqlite3.connect(path, isolation_level=None)) as other,
        Loopback() as server,
        Asker(engine_of(server), journal) as asker,
    ):
        other.execute("begin immediate")
        with pytest.raises(RunError, match="locked"):
            asker.write_all(writing(*texts_of(4)), 1)
        assert not server.calls
        other.execute("rollback")
        assert len(asker.write_all(writing(*texts_of(4)), 1)) == len(server.calls) == 4


def test_answers_come_in_the_order_of_the_prompts(journal):
    def answer(call):
        return replace(echo(call), wait=0.02 if "3" in call.text else 0.0)

    with Loopback(answer) as server, Asker(engine_of(server), journal) as asker:
        written = asker.write_all(writing(*texts_of(40)), 1)
    assert [each.texts for each in written] == [(f"Indeed, {text}",) for text in texts_of(40)]


def test_equal_questions_are_asked_once_and_answered_everywhere(journal):
    with Loopback() as server, Asker(engine_of(server), journal) as asker:
        written = asker.write_all(writing("a", "b", "a", "a"), 1)
        assert server.texts == {"a": 1, "b": 1}
    assert [each.texts[0] for each in written] == ["Indeed, a", "Indeed, b", "Indeed, a", "Indeed, a"]


def test_what_the_journal_has_is_not_asked_again_and_is_the_same(tmp_path):
    with Loopback() as server:
        results = []
        for _ in range(2):
            journal = Journal(tmp_path / "journal.sqlite")
            with Asker(engine_of(server), journal) as asker:
                results.append(
                    (
                        asker.write_all(writing(*texts_of(9)), 2),
                        asker.judge_all(judging(*texts_of(9)), ("neg", "pos")),
                    )
                )
            journal.close()
        assert len(server.calls) == 18
        assert (asker.found, asker.asked) == (18, 0)
    assert results[0] == results[1]


@pytest.mark.parametrize(
    "change",
    [
        lambda ask, prompt: ask(prompt, 2, Sampling()),
        lambda ask, prompt: ask(prompt, 1, Sampling(temperature=0.1)),
        lambda ask, prompt: ask(prompt, 1, Sampling(sample=1)),
        lambda ask, prompt: ask(replace(prompt, text="b"), 1, Sampling()),
        lambda ask, prompt: ask(replace(prompt, label="pos"), 1, Sampling()),
        lambda ask, prompt: ask(replace(prompt, avoid=("dull",)), 1, Sampling()),
    ],
)
def test_whatever_shapes_an_answer_makes_it_another_question(change, journal):
    toy = ToyEngine()
    with Loopback() as server:
        for engine in (engine_of(server), toy):
            asker = Asker(engine, journal)

            def ask(prompt, n, sampling, asker=asker):
                asker.write_all([prompt], n, sampling)

            ask(writing("a")[0], 1, Sampling())
            change(ask, writing("a")[0])
            asker.close()
        assert len(server.calls) == 2
    assert len(toy.asked) == 3  # and closed
    assert len(journal) == 4


def test_an_answer_is_on_disk_before_anyone_sees_it(tmp_path, journal):
    missing = []

    def look(done, total):
        other = Journal(tmp_path / "journal.sqlite")
        missing.append(done - len(other))
        other.close()

    with Loopback() as server, Asker(engine_of(server), journal, progress=look) as asker:
        asker.write_all(writing(*texts_of(12)), 1)
    Asker(ToyEngine(), Journal(None), progress=look)
    assert len(missing) == 13
    assert max(missing) <= 0


def test_an_engine_that_computes_here_is_asked_in_order_and_kept(journal):
    toy = ToyEngine()
    with Asker(toy, journal) as asker:
        written = asker.write_all(writing(*texts_of(300)), 1)
    assert toy.asked == [*texts_of(300), "closed"]
    assert written[7].texts == (texts_of(300)[7][::-1],)
    assert written[7].how == ("backwards",)
    assert len(journal) == 300


def test_progress_is_told_up_to_the_last_one(journal):
    seen = []
    asker = Asker(ToyEngine(), journal, progress=lambda done, total: seen.append((done, total)))
    asker.write_all(writing(*texts_of(5)), 1)
    asker.write_all(writing(*texts_of(7)), 1)
    assert seen[0] == (0, 5)
    assert seen[5:] == [(5, 5), (5, 7), (6, 7), (7, 7)]


def test_it_works_inside_a_running_loop(journal):
    async def notebook():
        with Loopback() as server, Asker(engine_of(server), journal) as asker:
            return asker.write_all(writing("a"), 1)

    assert asyncio.run(notebook())[0].texts == ("Indeed, a",)


def test_an_engine_that_asks_through_an_asker_is_told_that_it_would_wait_for_itself(journal):
    def nested(_):
        Asker(ToyEngine(), journal).write_all(writing("b"), 1)

    with pytest.raises(RuntimeError, match="wait for itself"):
        Asker(ToyEngine(on_write=nested), journal).write_all(writing("a"), 1)


def test_two_threads_may_ask_at_the_same_time(journal):
    with Loopback() as server:
        engine, results = engine_of(server), {}

        def ask(name):
            results[name] = Asker(engine, journal).write_all(writing(*(f"{name} {i}" for i in range(10))), 1)

        threads = [threading.Thread(target=ask, args=(name,)) for name in ("one", "two")]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert [written.texts[0] for written in results["two"]] == [f"Indeed, two {i}" for i in range(10)]


@pytest.mark.soak
def test_fifty_thousand_prompts_are_not_fifty_thousand_tasks(journal):
    most = 0

    def look(_):
        nonlocal most
        most = max(most, len(asyncio.all_tasks()))

    prompts = writing(*texts_of(500)) * 100
    toy = ToyEngine(on_write=look)
    toy.max_in_flight = 64
    assert len(Asker(toy, journal).write_all(prompts, 1)) == 50_000
    assert most <= 70


# Failures


def test_a_call_that_failed_for_a_passing_reason_is_not_kept_and_asked_again_next_time(journal):
    down = {"Film 3 was dull."}

    def answer(call):
        return error(503, "down") if call.text in down else echo(call)

    with Loopback(answer) as server, Asker(engine_of(server, retries=1), journal) as asker:
        written = asker.write_all(writing(*texts_of(8)), 1)
        assert written[3].texts == ()
        assert "status 503" in written[3].refusals[0]
        assert (asker.failed, asker.asked, len(journal)) == (1, 7, 7)
        assert asker.why == {written[3].refusals[0]: 1}
        down.clear()
        assert asker.write_all(writing(*texts_of(8)), 1)[3].texts


def test_a_refusal_is_kept(journal):
    with Loopback(lambda _: completion("", finish="content_filter")) as server:
        for _ in range(2):
            with Asker(engine_of(server), journal) as asker:
                assert "content filter" in asker.write_all(writing("a"), 1)[0].refusals[0]
        assert len(server.calls) == 1


def test_a_server_that_goes_away_ends_it_and_says_what_was_saved_and_how_to_go_on(tmp_path, journal):
    def answer(call):
        return echo(call) if int(call.text.split()[1]) < 10 else error(500, "gone")

    with (
        Loopback(answer) as server,
        Asker(engine_of(server, retries=1, max_in_flight=4), journal) as asker,
        pytest.raises(
            EngineError, match=r"5 calls in a row failed\. .* same command again .* 10 answers are saved in "
        ),
    ):
        asker.write_all(writing(*texts_of(200)), 1)
    assert len(journal) == 10
    assert sum(server.texts.values()) < 60


def test_a_wrong_key_ends_it_after_one_call(journal):
    with (
        Loopback(lambda _: error(401, "who?")) as server,
        Asker(engine_of(server), journal) as asker,
        pytest.raises(EngineError, match="did not accept the key"),
    ):
        asker.write_all(writing(*texts_of(50)), 1)
    assert len(server.calls) == 1


def test_an_engine_is_not_asked_for_what_it_cannot_do(journal):
    toy = ToyEngine()
    toy.can = frozenset({"write"})
    with pytest.raises(SettingError, match=r"cannot judge\. It can: write"):
        Asker(toy, journal).judge_all(judging("a"), ("neg", "pos"))
    with pytest.raises(SettingError, match="at least 1"):
        Asker(toy, journal).write_all(writing("a"), 0)
    with pytest.raises(SettingError, match="one item for each of the 1 prompts"):
        Asker(toy, journal).write_all(writing("a"), 1, [])
    with pytest.raises(SettingError, match="two or more different labels"):
        Asker(ToyEngine(), journal).judge_all(judging("a"), ("neg",))


# Money


def test_a_budget_is_never_broken_and_what_was_answered_stays(journal):
    with Loopback() as server:
        engine = engine_of(server, price=DEAR, retries=0)
        most = engine.first_write_cost(writing(texts_of(1)[0])[0], 1, Sampling())
        asker = Asker(engine, journal, budget=most + 20 * 0.0018)
        with pytest.raises(BudgetSpent, match="answers are saved"):
            asker.write_all(writing(*texts_of(200)), 1)
        assert 20 <= len(journal) <= 22
        assert journal.spent() == pytest.approx(len(journal) * 0.0018)
        assert len(server.calls) == len(journal)  # nothing half-done
        calls = len(server.calls)
        with pytest.raises(BudgetSpent):
            Asker(engine, journal, budget=most).write_all(writing(*texts_of(200)), 1)
        assert len(server.calls) == calls
        asker.close()


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), max_size=30), st.floats(0, 5), st.integers(1, 5))
def test_whatever_calls_cost_the_ledger_stays_within_the_budget(calls, budget, workers):
    async def spend():
        ledger, left = Ledger(budget, 0.0), iter(calls)

        async def work():
            for most, share in left:
                if not await ledger.reserve(most):
                    return
                await asyncio.sleep(0)
                ledger.settle(most, most * share)

        await asyncio.gather(*(work() for _ in range(workers)))
        return ledger

    ledger = asyncio.run(spend())
    assert ledger.spent <= budget + 1e-9
    assert (ledger.reserved, ledger.running) == (0.0, 0)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), max_size=20), st.floats(0, 3))
def test_calls_that_need_a_second_request_stay_within_the_budget_and_never_wait_for_ever(calls, budget):
    async def spend():
        ledger, left = Ledger(budget, 0.0), iter(calls)

        async def work():
            for first, second, share in left:
                if not await ledger.reserve(first):
                    return
                reservation = Call(ledger, first, used=first * share)
                await asyncio.sleep(0)
                if await reservation.covers(second):
                    reservation.used += second * share
                ledger.settle(reservation.amount, reservation.used)

        await asyncio.wait_for(asyncio.gather(*(work() for _ in range(4))), 10)
        return ledger

    ledger = asyncio.run(spend())
    assert ledger.spent <= budget + 1e-9
    assert (ledger.reserved, ledger.running, ledger.waiting) == (0.0, 0, 0)


def test_lost_calls_count_against_the_budget(journal):
    def answer(call):
        return Reply(echo(call).body, cut_at=30) if call.text == "b" else echo(call)

    with Loopback(answer) as server, Asker(engine_of(server, price=DEAR, retries=0), journal) as asker:
        asker.write_all(writing("a"), 1)
        before = journal.spent()
        assert asker.write_all(writing("b"), 1)[0].refusals
        assert journal.spent() > before
        assert [total.kind for total in journal.totals()] == ["lost", "write"]


def test_what_was_lost_before_the_server_was_gone_counts_too(journal):
    """Sent once and cut off, then refused for good: the first may be on the bill."""
    tries = 0

    def answer(call):
        nonlocal tries
        tries += 1
        return Reply(echo(call).body, cut_at=30) if tries == 1 else error(401, "the account is closed")

    with (
        Loopback(answer) as server,
        Asker(engine_of(server, price=DEAR, retries=2), journal) as asker,
        pytest.raises(EngineError, match="closed"),
    ):
        asker.write_all(writing("a"), 1)
    assert journal.spent() > 0
    assert [total.kind for total in journal.totals()] == ["lost"]


def test_without_a_price_there_is_no_budget(journal):
    engine = engine_of(Loopback(port=9), price=None)
    engine.price = None
    with pytest.raises(SettingError, match="price is unknown"):
        Asker(engine, journal, budget=1.0)
    with pytest.raises(SettingError, match="0 dollars or more"):
        Asker(ToyEngine(), journal, budget=-1)
    assert Asker(ToyEngine(), journal, budget=0.0).write_all(writing("a"), 1)


def test_an_estimate_counts_what_is_not_answered_yet(journal):
    with Loopback() as server, Asker(engine_of(server, price=Price(1.0, 2.0)), journal) as asker:
        prompts = writing(*texts_of(10))
        before = asker.estimate(prompts, 2)
        asker.write_all(prompts[:4], 2)
        after = asker.estimate(prompts, 2)
        judge = asker.estimate(judging("a"), options=("neg", "pos"))
    assert (before.calls, after.calls, judge.calls) == (10, 6, 1)
    assert before.cost == pytest.approx((before.prompt_tokens + 2 * before.completion_tokens) / 1e6)
    assert before.prompt_tokens == pytest.approx(10 * len(str(prompts[0].messages(n=2))) / 4, rel=0.1)
    assert Asker(ToyEngine(), journal).estimate(prompts, 2).cost == 0.0


# Interruptions

SCRIPT = """
import sys
from pathlib import Path
from longway.engines.asker import Asker
from longway.store.journal import Journal
from tests.engines.conftest import writing
from longway.engines.served import ServedEngine

url, path, n = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
engine = ServedEngine("toy", base_url=url, max_in_flight=8)
journal = Journal(path)
print("ready", flush=True)
try:
    Asker(engine, journal).write_all(writing(*(f"Film {i} was dull." for i in range(n))), 1)
except KeyboardInterrupt:
    print("interrupted", len(journal), flush=True)
    sys.exit(3)
print("done", len(journal), flush=True)
"""


def start(server, path, n):
    command = [sys.executable, "-c", SCRIPT, server.url, str(path), str(n)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": "."})


def test_killed_at_any_moment_no_answer_that_was_kept_is_asked_again(tmp_path):
    """Calls that were under way when the process died have no answer on disk: those, and only those, are asked again."""
    n, path = 120, tmp_path / "journal.sqlite"
    kept_then: list[set[str]] = []
    with Loopback(lambda call: replace(echo(call), wait=0.02)) as server:
        for stop_at in (15, 60):
            process = start(server, path, n)
            while len(server.texts) < stop_at:
                assert process.poll() is None
                time.sleep(0.002)
            process.kill()
            process.wait()
            process.stdout.close()
            journal = Journal(path)
            kept_then.append({call.asked["text"] for call in journal.entries()})
            journal.close()
            before = server.texts.copy()
            assert 0 < len(kept_then[-1]) <= len(before) <= len(kept_then[-1]) + 8 * len(kept_then)
        process = start(server, path, n)
        assert process.communicate(timeout=60)[0].split() == ["ready", "done", str(n)]
        assert len(server.texts) == n
        again = {text for text, count in server.texts.items() if count > 1}
        assert not again & kept_then[0]
        assert all(server.texts[text] == before[text] for text in kept_then[1])
        assert len(again) <= 16


def test_ctrl_c_abandons_what_is_under_way_and_keeps_the_rest(tmp_path):
    with Loopback(lambda call: replace(echo(call), wait=30.0 if "7 was" in call.text else 0.0)) as server:
        process = start(server, tmp_path / "journal.sqlite", 30)
        while len(server.answered) < 20:
            assert process.poll() is None
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[0].split()
    assert process.returncode == 3
    assert said[:2] == ["ready", "interrupted"]
    assert 12 <= int(said[2]) <= 27  # of the 20 that were sent, up to 8 may have been on their way
    journal = Journal(tmp_path / "journal.sqlite")
    assert len(journal) == int(said[2])
    journal.close()


def test_memory_does_not_grow_with_what_waits_in_line(journal):
    prompts = [rewrite_prompt(REVIEWS, text, label="neg") for text in texts_of(800)]
    toy = ToyEngine()
    tracemalloc.start()
    Asker(toy, journal).write_all(prompts, 1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak / len(prompts) < 3000  # bytes a prompt: its key, its row and its answer
