"""How much of a server's throughput does the served engine reach, how many calls does it hold in flight, in how much memory?

    python bench/served.py [--rows 4000] [--slots 40] [--seconds 1.0] [--real 0]

A server in another process answers `slots` requests at once, each after `seconds`: slots / seconds calls a second are all
it can give. Three clients ask it the same rewriting prompts, one after the other: the engine through Asker with a journal on
disk (what a run does); httpx alone with `slots` workers, which sends the same bodies and reads nothing but the status (the raw peer);
and the bare openai SDK behind a semaphore of `slots`. The server counts, from the first request to the last answer, the
slow start included; "in flight" is what it saw when the middle one of all requests came in. Processor time is the client's own.

--real N runs the small model as a real server on this machine (llama.cpp, package `xllamacpp`, two slots): N prompts through the engine
and N similar ones through httpx, alternating, both with two calls at once: requests per second of wall-clock time, and their ratio.
The small model often writes answers that cannot be read; the engine then sends a repair, which is a longer request.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import common
from longway.engines.asker import Asker
from longway.engines.engine import Sampling
from longway.engines.prompt import rewrite_prompt
from longway.engines.requests import ServerFeatures
from longway.engines.served import ServedEngine
from longway.store import Journal
from longway.task import task_of

SERVER = Path(__file__).resolve().parents[1] / "tests" / "engines" / "loopback.py"
WORDS = "harbour winter engine garden letter copper market island doctor signal timber orchestra".split()
N = 4
REAL_SLOTS, REAL_TOKENS, REAL_PART = 2, 24, 32


def prompts_of(rows: int, seed: int, *, words: int = 12):
    draw, task = random.Random(seed), task_of(["neg", "pos"])
    return [
        rewrite_prompt(
            task, f"{number}: the {' '.join(draw.choices(WORDS, k=words))} was not good", label="neg"
        )
        for number in range(rows)
    ]


@contextmanager
def server_of(slots: int, seconds: float):
    command = [sys.executable, str(SERVER), "--slots", str(slots), "--seconds", str(seconds)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()


def figures_of(url: str) -> dict:
    with urllib.request.urlopen(f"{url}/figures") as answer:
        return json.load(answer)


def ours(url: str, prompts, *, n: int = N, sampling: Sampling | None = None, **options) -> int:
    """How many requests it sent: an answer that cannot be read is asked for once more."""
    engine, sent = ServedEngine("toy", base_url=url, **options), 0
    post = engine._post

    async def counted(*about):
        nonlocal sent
        sent += 1
        return await post(*about)

    engine._post = counted
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        with Asker(engine, journal) as asker:
            asker.write_all(prompts, n, sampling or Sampling())
        assert asker.failed == 0
        assert len(journal) == len(prompts)
        journal.close()
    return sent


def raw(url: str, prompts, slots: int, *, n: int = N, sampling: Sampling | None = None) -> int:
    """The same bodies, sent by httpx alone, `slots` at once."""
    import httpx

    engine = ServedEngine("toy", base_url=url)

    async def work(client, left) -> None:
        for prompt in left:
            body = engine.write_call(prompt, n, sampling or Sampling()).body("toy", ServerFeatures())
            answer = await client.post("/chat/completions", json=body)
            assert answer.status_code == 200

    async def work_all() -> None:
        async with httpx.AsyncClient(base_url=url, timeout=600, trust_env=False) as client:
            left = iter(prompts)
            await asyncio.gather(*(work(client, left) for _ in range(slots)))

    asyncio.run(work_all())
    return len(prompts)


def bare(url: str, prompts, slots: int) -> None:
    import openai

    async def ask(client, room, prompt) -> None:
        async with room:
            body = prompt.messages(n=N)
            answer = await client.chat.completions.create(
                model="toy", messages=body, response_format={"type": "json_object"}
            )
            assert len(json.loads(answer.choices[0].message.content)["rewrites"]) == N

    async def ask_all() -> None:
        http = openai.DefaultAsyncHttpxClient(trust_env=False)
        client = openai.AsyncOpenAI(api_key="none", base_url=url, max_retries=0, http_client=http)
        room = asyncio.Semaphore(slots)
        await asyncio.gather(*(ask(client, room, prompt) for prompt in prompts))
        await client.close()

    asyncio.run(ask_all())


def measure(client, options) -> dict:
    """Calls a second, what the server saw, and the client's processor time for a call."""
    with server_of(options.slots, options.seconds) as url:
        began = time.process_time()
        client(url)
        used = time.process_time() - began
        seen = figures_of(url)
        assert seen["calls"] == options.rows
        return seen | {"calls_s": seen["calls"] / seen["seconds"], "cpu_ms": 1000 * used / options.rows}


def real(n: int, seed: int) -> tuple[float, float]:
    """Requests a second of the engine and of httpx, asking the small model on this machine in turn."""
    sys.path.insert(0, str(SERVER.parents[2]))
    from tests.engines.llama_cpp import serve

    how = Sampling(max_tokens=REAL_TOKENS)
    prompts = prompts_of(2 * n, seed, words=6)
    clients = {
        "ours": lambda url, part: ours(url, part, n=1, sampling=how, max_in_flight=REAL_SLOTS, timeout=600),
        "raw": lambda url, part: raw(url, part, REAL_SLOTS, n=1, sampling=how),
    }
    seconds, sent = dict.fromkeys(clients, 0.0), dict.fromkeys(clients, 0)
    with serve() as url:
        raw(url, prompts_of(2, seed + 1, words=6), REAL_SLOTS, n=1, sampling=how)  # loads what is loaded once
        for start in range(0, 2 * n, 2 * REAL_PART):
            part = prompts[start : start + 2 * REAL_PART]
            for number, (name, client) in enumerate(clients.items()):
                began = time.perf_counter()
                sent[name] += client(url, part[number::2])
                seconds[name] += time.perf_counter() - began
    return sent["ours"] / seconds["ours"], sent["raw"] / seconds["raw"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=4000)
    parser.add_argument("--slots", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument(
        "--real", type=int, default=0, help="Calls to the small model on this machine, by each client."
    )
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    prompts = prompts_of(options.rows, options.seed)
    own = options.slots / options.seconds
    mine = measure(lambda url: ours(url, prompts), options)
    peak = common.peak_mb()  # before the peers add their own
    peer = measure(lambda url: raw(url, prompts, options.slots), options)
    theirs = measure(lambda url: bare(url, prompts, options.slots), options)
    print(
        f"{options.rows:,} calls to a server with {options.slots} slots and {options.seconds:g} s: {own:.0f} calls/s"
    )
    print(f"{'':24}{'calls/s':>10}{'share':>8}{'of raw':>8}{'in flight':>11}{'most':>6}{'cpu ms':>8}")
    rows = (("served engine, journal", mine), ("httpx alone", peer), ("bare SDK, semaphore", theirs))
    for name, seen in rows:
        share, of_raw = seen["calls_s"] / own, seen["calls_s"] / peer["calls_s"]
        print(
            f"{name:24}{seen['calls_s']:10.1f}{share:8.3f}{of_raw:8.3f}{seen['in_flight']:11}{seen['most_in_flight']:6}"
            f"{seen['cpu_ms']:8.2f}"
        )
    print(f"peak memory of the served engine: {peak:.0f} MB")
    more = {}
    if options.real:
        real_ours, real_raw = real(options.real, options.seed)
        more = {"real_calls_s": round(real_ours, 3), "share_of_real": round(real_ours / real_raw, 3)}
        print(
            f"small model on this machine, {REAL_SLOTS} at once, {options.real} calls each: served engine {real_ours:.2f} requests/s, "
            f"httpx alone {real_raw:.2f}, ratio {real_ours / real_raw:.3f}"
        )
    common.finish(
        "bench/served.py",
        share_of_server=round(mine["calls_s"] / own, 3),
        in_flight=mine["in_flight"],
        peak_mb=round(peak, 1),
        share_of_raw=round(mine["calls_s"] / peer["calls_s"], 3),
        share_of_bare_sdk=round(mine["calls_s"] / theirs["calls_s"], 3),
        calls_s=round(mine["calls_s"], 1),
        cpu_ms=round(mine["cpu_ms"], 2),
        rows=options.rows,
        **more,
    )


if __name__ == "__main__":
    main()
