"""How much of a server's throughput does the served engine reach, how many calls does it hold in flight, in how much memory?

    python bench/served.py [--rows 8000] [--slots 80] [--seconds 1.0]

A server in another process answers `slots` requests at once, each after `seconds`: slots / seconds calls a second are all
it can give. Two clients ask it the same rewriting prompts: the engine through Asker with a journal on disk (what a run does), and
the bare openai SDK behind a semaphore of `slots`. The server counts, from the first request to the last answer, the
slow start included; "in flight" is what it saw when the middle one of all requests came in.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import random
import subprocess
import sys
import tempfile
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import common
from longway.llm.asking import Asker
from longway.llm.prompt import rewrite_prompt
from longway.llm.served import ServedEngine
from longway.store import Journal
from longway.task import task_of

SERVER = Path(__file__).resolve().parents[1] / "tests" / "llm" / "loopback.py"
WORDS = "harbour winter engine garden letter copper market island doctor signal timber orchestra".split()
N = 4


def prompts_of(rows: int, seed: int):
    draw, task = random.Random(seed), task_of(["neg", "pos"])
    return [
        rewrite_prompt(task, f"{number}: the {' '.join(draw.choices(WORDS, k=12))} was not good", label="neg")
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


def ours(url: str, prompts) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = Journal(Path(folder) / "journal.sqlite")
        with Asker(ServedEngine("toy", base_url=url), journal) as asker:
            written = asker.write_all(prompts, N)
        assert all(len(each.texts) == N for each in written)
        assert len(journal) == len(prompts)
        journal.close()


def bare(url: str, prompts, slots: int) -> None:
    import openai

    async def ask(client, room, prompt) -> None:
        async with room:
            body = prompt.messages(form="json", n=N)
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
    """Calls a second, and what the server saw."""
    with server_of(options.slots, options.seconds) as url:
        client(url)
        seen = figures_of(url)
        assert seen["calls"] == options.rows
        return seen | {"calls_s": seen["calls"] / seen["seconds"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--slots", type=int, default=80)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    prompts = prompts_of(options.rows, options.seed)
    own = options.slots / options.seconds
    mine = measure(lambda url: ours(url, prompts), options)
    peak = common.peak_mb()  # before the peer adds its own
    theirs = measure(lambda url: bare(url, prompts, options.slots), options)
    print(
        f"{options.rows:,} calls to a server with {options.slots} slots and {options.seconds:g} s: {own:.0f} calls/s"
    )
    print(f"{'':24}{'calls/s':>10}{'share':>8}{'in flight':>11}{'most':>6}")
    for name, seen in (("served engine, journal", mine), ("bare SDK, semaphore", theirs)):
        share = seen["calls_s"] / own
        print(f"{name:24}{seen['calls_s']:10.1f}{share:8.3f}{seen['in_flight']:11}{seen['most_in_flight']:6}")
    print(f"peak memory of the served engine: {peak:.0f} MB")
    common.finish(
        "bench/served.py",
        share_of_server=round(mine["calls_s"] / own, 3),
        in_flight=mine["in_flight"],
        peak_mb=round(peak, 1),
        share_of_bare_sdk=round(mine["calls_s"] / theirs["calls_s"], 3),
        calls_s=round(mine["calls_s"], 1),
        rows=options.rows,
    )


if __name__ == "__main__":
    main()
