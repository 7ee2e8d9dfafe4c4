"""How many calls run at once: on a simulated server without a clock, and with real coroutines."""

import asyncio
import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.limit import START, Limit


def simulate(limit, *, slots, calls, latency=1.0, refuse_above=None):
    """Calls answered a second by a server with so many slots, and the limit after each event."""
    now, asked, done, busy_until = 0.0, 0, 0, [0.0] * slots
    under_way, sizes = [], []
    while done < calls:
        while asked < calls and len(under_way) < int(limit.size) and now >= limit.open_at:
            asked += 1
            refused = refuse_above is not None and len(under_way) >= refuse_above
            start = now if refused else max(now, heapq.heappop(busy_until))
            end = start + (0.05 if refused else latency)
            if not refused:
                heapq.heappush(busy_until, end)
            heapq.heappush(under_way, (end, now, asked, refused))
        if not under_way:
            now = max(now, limit.open_at)
            continue
        limit.running = len(under_way)
        now, began, _, refused = heapq.heappop(under_way)
        if refused:
            asked -= 1
            limit.refused(began=began, now=now, wait=0.1)
        else:
            done += 1
            limit.answered(now - began)
        sizes.append(limit.size)
    return calls / now, sizes


@pytest.mark.parametrize("slots", [1, 8, 64, 100])
def test_a_server_is_used_to_the_full_whatever_its_size(slots):
    throughput, _ = simulate(Limit(128), slots=slots, calls=60 * slots + 2000)
    assert throughput > 0.93 * slots


def test_a_small_server_is_not_flooded():
    _, sizes = simulate(Limit(128), slots=4, calls=3000)
    assert max(sizes) <= 4 * 6  # a queue of some length, not 128


def test_refusals_halve_the_limit_and_it_recovers():
    _, sizes = simulate(Limit(128), slots=200, calls=4000, refuse_above=40)
    late = sizes[2000:]
    assert min(late) >= 15
    assert 35 <= max(late) <= 45


def test_refusals_of_calls_sent_together_count_once():
    limit = Limit(64)
    limit.size = 64.0
    for _ in range(40):
        limit.refused(began=0.0, now=1.0)
    assert limit.size == 32
    limit.refused(began=1.5, now=2.0)
    assert limit.size == 16


def test_a_server_that_has_become_slower_by_itself_is_still_used():
    limit = Limit(128)
    simulate(limit, slots=64, calls=2000)
    throughput, _ = simulate(limit, slots=64, calls=4000, latency=8.0)
    assert throughput > 0.7 * 64 / 8


def test_short_calls_do_not_make_long_ones_look_slow():
    limit = Limit(64)
    limit.running = 64
    for _ in range(100):
        limit.answered(0.1, "judge")
        limit.answered(5.0, "write")
    assert limit.size == 64


def test_room_that_is_not_used_does_not_grow():
    limit = Limit(64)
    limit.running = START - 1
    for _ in range(100):
        limit.answered(1.0)
    assert limit.size == START


def test_no_call_goes_before_the_pause_is_over():
    limit = Limit(64)
    limit.refused(began=0.0, now=10.0, wait=30.0)
    limit.refused(began=0.0, now=11.0, wait=1.0)  # a shorter one does not undo a longer one
    assert limit.open_at == 40.0


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 100), st.integers(1, 200)), max_size=200),
    st.integers(1, 300),
)
def test_the_limit_stays_between_one_and_the_most(events, most):
    limit, now = Limit(most), 0.0
    for is_refusal, seconds, limit.running in events:
        now += 0.1
        if is_refusal:
            limit.refused(began=now - seconds, now=now)
        else:
            limit.answered(seconds)
        assert 1 <= limit.size <= most


def test_as_many_run_at_once_as_the_limit_allows_while_it_changes():
    async def calls():
        limit, seen = Limit(64), []

        async def call(number):
            async with limit.slot():
                seen.append((limit.running, int(limit.size)))
                await asyncio.sleep(0.001)
                if number == 100:
                    limit.refused(began=0.0, now=1.0)
                limit.answered(1.0)

        await asyncio.gather(*(call(number) for number in range(400)))
        return limit, seen

    limit, seen = asyncio.run(calls())
    assert len(seen) == 400
    assert max(running for running, _ in seen) > 2 * START
    before, after = seen[:100], seen[200:]
    assert all(running <= size for running, size in (*before, *after))
    assert limit.running == 0


def test_calls_that_are_cancelled_while_waiting_do_not_block_the_others():
    async def calls():
        limit, done = Limit(1), []

        async def call(number):
            async with limit.slot():
                await asyncio.sleep(0.001)
                done.append(number)

        tasks = [asyncio.create_task(call(number)) for number in range(20)]
        await asyncio.sleep(0.005)
        for task in tasks[1::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return limit, done

    limit, done = asyncio.run(calls())
    assert set(range(0, 20, 2)) <= set(done)
    assert limit.running == 0
