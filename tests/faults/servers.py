"""Servers that go wrong: a table with a fault of each kind that a run meets, and the loopback server that has them.

    FAULTS["500"]                               what the server does, and what a run makes of it
    with FaultyServer(FAULTS["500"], is_bad) as server:
        server.sent_for(text)                   how many requests came for a row

`is_bad` says for which texts the server goes wrong; all others get a sensible answer. Rows of `plain_rows` hold no number: an answer
that is refused there is refused for what it says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.engines.loopback import Call, Loopback, Reply, completion, error
from tests.jobs.toy_run import answer, rows_of

RETRIES = 2
PLACES = "barn harbour museum garden palace tower".split()
TIMES = "spring summer autumn winter twilight".split()
FAILS, KEPT, USED = "fails", "kept", "used"


@dataclass(frozen=True)
class Fault:
    """One way to go wrong.

    reply: what is sent for a bad row. outcome: FAILS (no answer, after some tries), KEPT (an answer that is of no use) or USED (good
    in the end). calls: requests for a bad row. reason: words of every reason that the run gives for a bad row; "" only where the
    answer is used. options: of the engine. bad: rows it hits. is_plain: whether it is tried on rows without numbers.
    """

    reply: Callable[[Call], Reply]
    outcome: str = FAILS
    calls: int = 1 + RETRIES
    reason: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    bad: int = 6  # more than may fail in a row
    is_plain: bool = False


def plain_rows(n):
    """The toy rows with a place and a time instead of a number; at most 30."""
    rows = rows_of(n)
    for i, row in enumerate(rows):
        where = f"in the {PLACES[i % 6]} in {TIMES[i // 6]}"
        row["review"] = row["review"].replace(f"on day {i}", where)
    return rows


def _rewrites(*texts: str) -> Reply:
    return completion(json.dumps({"rewrites": texts}))


def _thinking(call: Call) -> Reply:
    good = answer(call)
    message = good.body["choices"][0]["message"]
    message["content"] = f"<think>Let me see. {{}} [1]</think>\n```json\n{message['content']}\n```"
    return good


def of_another_row(texts: Sequence[str]) -> Fault:
    """A sensible answer, to another row with the same label: as when a server mixes up what belongs to whom."""
    other = dict(zip(texts, [*texts[2:], *texts[:2]], strict=True))

    def reply(call: Call) -> Reply:
        body = json.loads(json.dumps(call.body))
        place = body["messages"].index(call.question)
        body["messages"][place]["content"] = call.question["content"].replace(call.text, other[call.text])
        return answer(Call(call.path, call.headers, body))

    return Fault(reply, KEPT, 1, "meaning: ", is_plain=True)


# Few at once, so that a busy machine does not make the good rows late.
_PATIENCE = {"timeout": 4.0, "max_in_flight": 2}
FAULTS = {
    "reset mid-body": Fault(lambda call: Reply(answer(call).body, cut_at=60), reason="the connection failed"),
    "stall": Fault(lambda _: Reply(wait=60.0), reason="no answer within", options=_PATIENCE, bad=1),
    "429 with Retry-After": Fault(
        lambda _: error(429, "slow down", headers={"Retry-After": "0.05"}), reason="status 429: slow down"
    ),
    "500": Fault(lambda _: error(500, "oops"), reason="status 500: oops"),
    "truncated JSON": Fault(
        lambda call: Reply(raw=json.dumps(answer(call).body).encode()[:80]), reason="the body is not JSON"
    ),
    "valid JSON of the wrong shape": Fault(
        lambda _: completion('{"why": ["x"]}'), KEPT, 2, 'no list of texts under "rewrites"'
    ),
    "10 MB of text": Fault(lambda _: _rewrites("so dull " * 1_250_000), KEPT, 1, "surface: 2500000 words instead of", bad=1),
    "another language": Fault(
        lambda _: _rewrites("Der Film im Hafen war leider langweilig und schwach.", "Film, który oglądaliśmy, był niestety nudny i słaby."),
        KEPT, 1, "surface: another language", is_plain=True,
    ),
    "thinking tags": Fault(_thinking, USED, 1),
}  # fmt: skip


class FaultyServer(Loopback):
    """The server; a question that is about no row (is it there at all?) is answered."""

    def __init__(self, fault: Fault, is_bad: Callable[[str], bool], **more: Any) -> None:
        self.fault, self.is_bad = fault, is_bad
        super().__init__(self._answered, **more)

    def _answered(self, call: Call) -> Reply:
        if call.text and self.is_bad(call.text):
            return self.fault.reply(call)
        return answer(call) if call.text else completion("yes")

    def sent_for(self, text: str) -> int:
        """How many requests came for a row."""
        return self.texts[text]
