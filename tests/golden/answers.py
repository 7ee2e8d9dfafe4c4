"""A server on this machine that gives a fixed answer to every prompt of Longway.

    with serving(log) as url:             in a process of its own; one line of `log` per request
    completion(body)                      the answer to one request, as the OpenAI protocol has it

The answer depends on the request alone. Some answers are wrong on purpose, to record what happens then: the first answer to about one
prompt in eleven cannot be read, one in thirteen is cut off, one in seventeen is a refusal.
"""

from __future__ import annotations

import json
import os
import re
import signal
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

OPENINGS = ("On the whole", "In the end", "All in all", "For the most part", "In short", "After all")
MAY_BE_LOWERED = {*"The A An It This That In At On There He She They We".split()}
OPPOSITES = {
    "good": "bad", "great": "awful", "best": "worst", "love": "hate", "loved": "hated", "fine": "poor",
    "warm": "cold", "funny": "dull", "strong": "weak", "beautiful": "ugly", "enjoyed": "endured",
}  # fmt: skip
OPPOSITES |= {value: key for key, value in OPPOSITES.items()}
PEOPLE = {
    "he": "she", "him": "her", "his": "her", "man": "woman", "men": "women", "father": "mother",
    "son": "daughter", "brother": "sister", "husband": "wife", "boy": "girl", "uncle": "aunt",
}  # fmt: skip
PEOPLE |= {value: key for key, value in PEOPLE.items() if value != "her"} | {"her": "his"}


def number_of(*parts: str) -> int:
    """A number that depends on these texts, the same in every process."""
    return zlib.crc32("\x1f".join(parts).encode())


def completion(body: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request for a chat completion."""
    messages = body["messages"]
    # The row is the last request that says how to answer; after it there is only a request to repair the answer.
    *_, row = (message for message in messages[1:] if "Answer with" in message["content"])
    chance, first = number_of(row["content"]), row is messages[-1]
    content, finish, refusal = _answer(messages[0]["content"], row["content"]), "stop", None
    if first and chance % 11 == 0:
        content = "There is nothing that I could say."
    elif first and chance % 13 == 0:
        content, finish = content[: len(content) // 2], "length"
    elif chance % 17 == 0:
        content, refusal = "", "I would rather not."
    message = {"role": "assistant", "content": content, "refusal": refusal}
    usage = {"prompt_tokens": len(json.dumps(messages)) // 4, "completion_tokens": 1 + len(content) // 4}
    usage["total_tokens"] = sum(usage.values())
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}
    return {
        "id": "golden",
        "object": "chat.completion",
        "model": body["model"],
        "choices": [choice],
        "usage": usage,
    }


def _answer(system: str, prompt: str) -> str:
    for beginning, answer in _ANSWERS.items():
        if system.lstrip().startswith(beginning):
            return json.dumps(answer(prompt), ensure_ascii=False)
    raise ValueError(f"No answer for a prompt that begins with {system[:60]!r}.")


def _fenced(tag: str, prompt: str) -> list[str]:
    """The JSON strings inside a tag."""
    blocks = re.findall(rf"<{tag}>(.*?)</{tag}>", prompt, re.DOTALL)
    return [json.loads(found) for block in blocks for found in re.findall(r'"(?:[^"\\]|\\.)*"', block)]


def _text(prompt: str) -> str:
    return _fenced("text", prompt)[-1]


def _count(prompt: str) -> int:
    found = re.search(r"Write (\d+) ", prompt)
    return int(found[1]) if found else 1


def _with_openings(text: str, n: int) -> list[str]:
    first = text.split(" ", 1)[0]
    rest = text[:1].lower() + text[1:] if first in MAY_BE_LOWERED else text
    return [f"{opening}, {rest}" for opening in OPENINGS[:n]]


def _replaced(text: str, words: dict[str, str]) -> str:
    def other(found: re.Match[str]) -> str:
        word = words.get(found[0].lower(), found[0])
        return word.capitalize() if found[0][0].isupper() else word

    return re.sub(r"\w+", other, text)


def _rewrite(prompt: str) -> dict[str, Any]:
    return {"rewrites": _with_openings(_text(prompt), _count(prompt))}


def _judge(prompt: str) -> dict[str, Any]:
    """The first label that is offered, or another one for a quarter of the texts."""
    offered = re.search(r"labels does it have: (.*)\?", prompt)
    assert offered is not None
    labels = json.loads(f"[{offered[1]}]")
    chance = number_of("judge", " ".join(_text(prompt).split()[-4:]))
    return {"label": labels[chance // 4 % len(labels)] if chance % 4 == 0 else labels[0]}


def _triples_of(text: str) -> list[str]:
    triples = []
    for sentence in re.split(r"(?<=[.!?]) ", text):
        words = sentence.rstrip(".!?").split()
        if len(words) > 2:
            triples.append(f"{' '.join(words[:2])} | {words[2]} | {' '.join(words[3:])}")
    return triples or [f"It | is | {text.rstrip('.!?')}"]


def _triples(prompt: str) -> dict[str, Any]:
    text = [*_triples_of(_text(prompt))]
    if contexts := _fenced("context", prompt):
        lines = [f"1-{i}. {triple}" for i, triple in enumerate(_triples_of(contexts[-1]), 1)]
        return {"lines": lines + [f"2-{i}. {triple}" for i, triple in enumerate(text, 1)]}
    return {"lines": [f"{i}. {triple}" for i, triple in enumerate(text, 1)]}


def _alter(prompt: str) -> dict[str, Any]:
    changed = []
    for i, triple in enumerate([*_fenced("context-triples", prompt), *_fenced("triples", prompt)], 1):
        subject, predicate, rest = [*triple.split(" | "), "", ""][:3]
        other = _replaced(rest, OPPOSITES)
        changed.append(f"{i}. {subject} | {predicate if other != rest else f'hardly {predicate}'} | {other}")
    return {"lines": changed}


def _sentences(triples: list[str]) -> str:
    return " ".join(" ".join(triple.replace(" | ", " ").split()) + "." for triple in triples)


def _realise(prompt: str) -> dict[str, Any]:
    text = _sentences(_fenced("triples", prompt))
    if contexts := _fenced("context-triples", prompt):
        return {"lines": [f"context: {_sentences(contexts)}", f"text: {text}"]}
    return {"rewrites": [text, *_with_openings(text, 5)][: _count(prompt)]}


def _identify(prompt: str) -> dict[str, Any]:
    words = sorted(set(re.findall(r"[A-Za-z]{4,}", _text(prompt))), key=lambda word: (-len(word), word))
    return {"lines": [f"principal: {', '.join(words[:2])}", f"spurious: {', '.join(words[2:4])}"]}


def _counterfactual(prompt: str) -> dict[str, Any]:
    text = _replaced(_text(prompt), OPPOSITES)
    denied = re.sub(r"\b(is|was|were|are|has)\b", r"\1 hardly", text, count=1)
    return {"rewrites": [denied, *_with_openings(denied, 5)][: _count(prompt)]}


def _perturb(prompt: str) -> dict[str, Any]:
    lines = [_replaced(line.replace("⟦", "").replace("⟧", ""), PEOPLE) for line in _fenced("line", prompt)]
    return {"lines": [f"{i}. {line}" for i, line in enumerate(lines, 1)]}


def _fill(prompt: str) -> dict[str, Any]:
    words = ("quiet", "modern", "common", "early", "public", "single")
    text = _text(prompt)
    filled = [re.sub(r"⟦.*?⟧", words[(i + number_of(text)) % 6], text) for i in range(_count(prompt))]
    return {"rewrites": filled}


def _translate(prompt: str) -> dict[str, Any]:
    return {"rewrites": _with_openings(_text(prompt), _count(prompt))}


def _pick(prompt: str) -> dict[str, Any]:
    return {"lines": ["source: 1", "target: 1"]}


_ANSWERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "You rewrite texts": _rewrite,
    "You are a careful annotator": _judge,
    "You take texts apart": _triples,
    "You change statements": _alter,
    "You put statements into words": _realise,
    "You study a labelled dataset": _identify,
    "You change texts of a labelled dataset": _counterfactual,
    "You change who one person": _perturb,
    "You put other words": _fill,
    "You translate": _translate,
    "You compare two texts": _pick,
}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    log_path: Path

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.log_path.open("a", encoding="utf-8") as log:
            log.write(json.dumps({"path": self.path, "body": body}, ensure_ascii=False) + "\n")
        try:
            self._send(200, completion(body))
        except (KeyError, ValueError, AssertionError) as error:
            self._send(400, {"error": {"message": f"golden server: {error!r}", "type": "error"}})

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "golden-1", "object": "model"}]})

    def _send(self, status: int, answer: dict[str, Any]) -> None:
        content = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(log: Path) -> Iterator[str]:
    """Start the server in a process of its own; the address for --base-url."""
    log.write_text("", encoding="utf-8")
    handler = type("Handler", (_Handler,), {"log_path": log.resolve()})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    process = os.fork()
    if process == 0:
        try:
            server.serve_forever()
        finally:
            os._exit(0)
    server.socket.close()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)
