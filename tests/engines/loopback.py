"""A server on this machine that speaks the OpenAI protocol and does what a script says, misbehaviour included.

    with Loopback(answer) as server:                answer: request -> Reply; `echo` where not given
        ServedEngine("toy", base_url=server.url)
        server.calls                                every request, in the order in which it came

It counts each question by its content, so that a test can say that no call came twice; and what it charged for, by
idempotency key. With `remembers` it knows a key again, as a careful server does: the same answer, at once and for free. It runs in a thread; in another
process with `python tests/engines/loopback.py --slots 64 --seconds 0.5` (prints its address, and figures for GET /figures).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

TEXT = re.compile(r"<text>(\".*\")</text>")


@dataclass
class Call:
    """One request: its path, headers and JSON body."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        """The row's text, read back from its fence; "" where the question shows none."""
        found = TEXT.search(self.question["content"])
        return json.loads(found[1]) if found else ""

    @property
    def question(self) -> dict[str, str]:
        """The message about the row: examples come before it, a repair after it."""
        asked = [
            one for one in self.body["messages"][1:] if one["role"] == "user" and TEXT.search(one["content"])
        ]
        return asked[-1] if asked else self.body["messages"][1]

    @property
    def n(self) -> int:
        """The number of texts that are asked for."""
        return int(re.search(r"Write (\d+)", self.question["content"])[1])

    @property
    def kind(self) -> str:
        return "judge" if "annotator" in self.body["messages"][0]["content"] else "write"

    @property
    def has_schema(self) -> bool:
        return "response_format" in self.body

    @property
    def content(self) -> str:
        return json.dumps(self.body, sort_keys=True)

    @property
    def key(self) -> str:
        return self.headers.get("idempotency-key", "")


@dataclass
class Reply:
    """What the server does: waits, answers with a status and a body, or breaks off."""

    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    wait: float = 0.0
    cut_at: int | None = None  # send so many bytes of the body, then close
    raw: bytes | None = None  # send this as the body


def completion(content, *, finish="stop", usage=(11, 7), refusal=None, logprobs=None) -> Reply:
    """A chat completion with this content."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": content, "refusal": refusal},
        "finish_reason": finish,
        "logprobs": logprobs,
    }
    body = {"id": "x", "object": "chat.completion", "model": "toy", "choices": [choice]}
    if usage is not None:
        body["usage"] = {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}
    return Reply(body)


def error(status, message, *, code=None, param=None, headers=None) -> Reply:
    """An error as the protocol has it."""
    told = {"message": message, "type": "error", "code": code, "param": param}
    return Reply({"error": told}, status=status, headers=headers or {})


def echo(call: Call) -> Reply:
    """A sensible answer: the text with a word before it, or the first label."""
    if call.kind == "judge":
        label = re.search(r"does it have: (\"[^\"]*\")", call.question["content"])[1]
        return completion(f'{{"label": {label}}}' if call.has_schema else json.loads(label))
    texts = [f"{word}, {call.text}" for word in ("Indeed", "Well", "Yes", "Now", "So", "Oh")[: call.n]]
    rewrites = json.dumps({"rewrites": texts})
    return completion(rewrites if call.has_schema else f"Here they are:\n```json\n{rewrites}\n```")


def script(*replies: Reply, then: Callable[[Call], Reply] = echo) -> Callable[[Call], Reply]:
    """The replies one after the other, then the rest."""
    left = deque(replies)
    return lambda call: left.popleft() if left else then(call)


@dataclass
class Endless(Reply):
    """A reply whose body has no end. pause: seconds between its pieces."""

    piece: bytes = b" " * 2**16
    pause: float = 0.0


class Loopback:
    """The server. slots: requests answered at once, others wait in line; None for all."""

    def __init__(
        self,
        answer: Callable[[Call], Reply] = echo,
        *,
        slots: int | None = None,
        port: int = 0,
        remembers: bool = False,
    ):
        self.answer, self.slots, self.port, self.remembers = answer, slots, port, remembers
        self.keys: Counter[str] = Counter()  # requests by idempotency key
        self.charged: Counter[str] = Counter()  # answers that were made, by idempotency key
        self._made: dict[str, Reply] = {}
        self.calls: list[Call] = []
        self.counts: Counter[str] = Counter()
        self.texts: Counter[str] = Counter()
        self.in_flight = self.most_in_flight = 0
        self.began: float | None = None
        self.answered: list[float] = []
        self.levels: list[int] = []
        self.keep_calls = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> Loopback:
        ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        assert ready.wait(10)
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._done.set)
        self._thread.join(10)

    def _run(self, ready: threading.Event) -> None:
        async def serve() -> None:
            self._done = asyncio.Event()
            await self.start()
            ready.set()
            await self._done.wait()
            self._server.close()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()

        self._loop.run_until_complete(serve())

    async def start(self) -> None:
        self._room = asyncio.Semaphore(self.slots or 1_000_000)
        self._server = await asyncio.start_server(self._connection, "127.0.0.1", self.port, backlog=512)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (call := await self._read(reader)) is not None:
                if not await self._reply(call, writer):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client went away, or the test is over
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> Call | None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
        except asyncio.IncompleteReadError:
            return None
        lines = head.decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        # Values as they were sent: keys are looked for in them.
        headers |= {
            line.split(": ", 1)[0].lower(): line.split(": ", 1)[1] for line in lines[1:] if ": " in line
        }
        body = await reader.readexactly(int(headers.get("content-length", 0)))
        return Call(lines[0].split(" ")[1], headers, json.loads(body) if body else {})

    async def _reply(self, call: Call, writer: asyncio.StreamWriter) -> bool:
        """Answer one request; False where the connection is broken off."""
        if call.path.endswith("/figures"):
            return await self._send(Reply(self.figures()), writer)
        if self.keep_calls:
            self.calls.append(call)
            self.counts[call.content] += 1
            if "messages" in call.body:
                self.texts[call.text] += 1
        self.began = self.began or time.monotonic()
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        self.levels.append(self.in_flight)
        try:
            async with self._room:
                reply = self._answer(call)
                if reply.wait:
                    await asyncio.sleep(reply.wait)
            return await self._send(reply, writer)
        finally:
            self.in_flight -= 1
            self.answered.append(time.monotonic())

    def _answer(self, call: Call) -> Reply:
        """The answer, made anew or remembered; one that was made is charged for, whoever is there to hear it."""
        self.keys[call.key] += 1
        if call.key in self._made:
            return self._made[call.key]
        reply = self.answer(call)
        if reply.status == 200:
            self.charged[call.key] += 1
            if self.remembers and call.key:
                self._made[call.key] = replace(reply, wait=0.0, cut_at=None)
        return reply

    async def _send(self, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        while isinstance(reply, Endless):
            if not reply.headers:
                reply.headers["transfer-encoding"] = "chunked"
                writer.write(f"HTTP/1.1 {reply.status} X\r\ntransfer-encoding: chunked\r\n\r\n".encode())
            writer.write(f"{len(reply.piece):x}\r\n".encode() + reply.piece + b"\r\n")
            await writer.drain()
            await asyncio.sleep(reply.pause)
        body = reply.raw if reply.raw is not None else json.dumps(reply.body).encode()
        headers = {"content-type": "application/json", "content-length": str(len(body))} | reply.headers
        head = f"HTTP/1.1 {reply.status} X\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in headers.items()
        )
        writer.write(head.encode() + b"\r\n" + body[: reply.cut_at])
        await writer.drain()
        return reply.cut_at is None

    def figures(self) -> dict[str, Any]:
        levels = sorted(self.levels)
        return {
            "calls": len(self.answered),
            "seconds": self.answered[-1] - self.began if self.began and self.answered else 0.0,
            "in_flight": levels[len(levels) // 2] if levels else 0,
            "most_in_flight": self.most_in_flight,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--slots", type=int, default=64)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_args()

    def answer(call: Call) -> Reply:
        reply = echo(call)
        reply.wait = options.seconds
        return reply

    async def serve() -> None:
        server = Loopback(answer, slots=options.slots)
        server.keep_calls = False
        await server.start()
        print(server.url, flush=True)
        await asyncio.Event().wait()

    asyncio.run(serve())


if __name__ == "__main__":
    main()
