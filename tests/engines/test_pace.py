"""The pace of calls, on simulated servers without a clock, and the gate that keeps it."""

import asyncio
import heapq

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.engines.pace import Gate, Pace


def simulate(pace, *, slots, calls, latency=1.0, refuse_above=None):
    """Calls answered a second by a server with so many slots, and the limit after each event, at this pace."""
    now, asked, done, under_way, busy_until = 0.0, 0, 0, [], [0.0] * slots
    limits = []
    while done < calls:
        while asked < calls and len(under_way) < int(pace.limit) and now >= pace.open_at:
            asked += 1
            refused = refuse_above is not None and len(under_way) >= refuse_above
            start = max(now, heapq.heappop(busy_until)) if not refused else now
            end = now + 0.05 if refused else start + latency
            if not refused:
                heapq.heappush(busy_until, end)
            heapq.heappush(under_way, (end, now, asked, refused))
        if not under_way:
            now = max(now, pace.open_at)
            continue
        now, began, _, refused = heapq.heappop(under_way)
        if refused:
            asked -= 1
            pace.refused(began=began, now=now, wait=0.1)
        else:
            done += 1
            pace.answered(began=began, now=now, in_flight=len(under_way) + 1)
        limits.append(pace.limit)
    return calls / now, limits


@pytest.mark.parametrize("slots", [1, 8, 64, 100])
def test_a_server_is_used_to_the_full_whatever_its_size(slots):
    throughput, _ = simulate(Pace(), slots=slots, calls=60 * slots + 2000)
    assert throughput > 0.93 * min(slots, 128)


def test_a_small_server_is_not_flooded():
    _, limits = simulate(Pace(), slots=4, calls=3000)
    assert max(limits[500:]) <= 4 * 6  # a queue of some length, not 128


def test_refusals_halve_the_limit_and_it_recovers():
    _, limits = simulate(Pace(), slots=200, calls=4000, refuse_above=40)
    late = limits[2000:]
    assert min(late) >= 15
    assert max(late) <= 45
    assert max(late) > min(late) + 3  # down, and up again


def test_refusals_of_calls_sent_together_count_once():
    pace = Pace(start=64)
    for _ in range(40):
        pace.refused(began=0.0, now=1.0)
    assert pace.limit == 32
    pace.refused(began=1.5, now=2.0)
    assert pace.limit == 16


def test_a_server_that_has_become_slower_by_itself_is_still_used():
    pace = Pace()
    simulate(pace, slots=64, calls=2000)
    throughput, limits = simulate(pace, slots=64, calls=4000, latency=8.0)
    assert limits[-1] > 40
    assert throughput > 0.7 * 64 / 8


def test_short_calls_do_not_make_long_ones_look_slow():
    pace = Pace(start=64, most=64)
    for second in range(100):
        pace.answered(began=second, now=second + 0.1, in_flight=64, kind="judge")
        pace.answered(began=second, now=second + 5.0, in_flight=64, kind="write")
    assert pace.limit == 64


def test_room_that_is_not_used_does_not_grow():
    pace = Pace(start=16)
    for second in range(100):
        pace.answered(began=second, now=second + 1.0, in_flight=2)
    assert pace.limit == 16


def test_no_call_goes_before_the_pause_is_over():
    pace = Pace()
    pace.refused(began=0.0, now=10.0, wait=30.0)
    pace.refused(began=0.0, now=11.0, wait=1.0)  # a shorter one does not undo a longer one
    assert pace.open_at == 40.0


@given(
    st.lists(st.tuples(st.booleans(), st.floats(0, 100), st.integers(1, 200)), max_size=200),
    st.integers(1, 300),
)
def test_the_limit_stays_between_one_and_the_most(events, most):
    pace, now = Pace(most=most), 0.0
    for is_refusal, latency, in_flight in events:
        now += 0.1
        if is_refusal:
            pace.refused(began=now - latency, now=now)
        else:
            pace.answered(began=now - latency, now=now, in_flight=in_flight)
        assert 1 <= pace.limit <= most


def test_the_gate_lets_no_more_through_than_the_pace_allows():
    async def calls():
        gate, seen = Gate(Pace(start=5, most=5)), []

        async def call():
            async with gate.slot():
                seen.append(gate.in_flight)
                await asyncio.sleep(0.001)

        await asyncio.gather(*(call() for _ in range(60)))
        return gate, seen

    gate, seen = asyncio.run(calls())
    assert len(seen) == 60
    assert max(seen) == gate.most_in_flight == 5
    assert gate.in_flight == 0


def test_calls_that_are_cancelled_while_waiting_do_not_block_the_others():
    async def calls():
        gate, done = Gate(Pace(start=1, most=1)), []

        async def call(number):
            async with gate.slot():
                await asyncio.sleep(0.001)
                done.append(number)

        tasks = [asyncio.create_task(call(number)) for number in range(20)]
        await asyncio.sleep(0.005)
        for task in tasks[1::2]:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        return gate, done

    gate, done = asyncio.run(calls())
    assert set(range(0, 20, 2)) <= set(done)
    assert gate.in_flight == 0
