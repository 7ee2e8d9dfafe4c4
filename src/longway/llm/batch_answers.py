"""What came back for a batch: answers into the journal, and what has to be asked again.

    collecting = Collecting(batch, journal)
    collecting.read(path)            one answer file, in any order, as often as you like
    collecting.finish()              writes a file with what is asked again; gives it
    collecting.counts, .listed       what there was

A line is an answer, a refusal, a failure for a passing reason (asked again as it was), an answer that cannot be read (asked again,
once, telling what was wrong), or a request that the server does not take (`longway batch write` writes it without the part in
question). Lines that are no JSON, and lines about requests of others, are counted and left alone. The first answer to a question
holds. Answers are on disk before a file counts as read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from longway.errors import DataError
from longway.llm.answers import BadBody, Completion, Declined, Misread, completion_of
from longway.llm.batch import BatchFolder, Request, RequestFile, RequestWriter
from longway.llm.engine import Judged, Written
from longway.llm.prices import Price, price_of
from longway.llm.reading import label_in, not_read, texts_in
from longway.llm.recorded import answer_of
from longway.llm.request import lower, repair_messages, size_of
from longway.llm.secret import Secret, find_key
from longway.llm.transport import PASSING, Rejected, tokens_in
from longway.store.journal import Journal

MOST_TRIES = 4  # requests for one question; then it is left to be asked one by one
EXPIRED = "batch_expired"
KEPT_AT_ONCE = 500
ANSWERED, REFUSED, FAILED, EXPIRED_TOO = "answered", "refused", "failed", "expired"
REPAIRED, REJECTED, AGAIN = "to be repaired", "not taken by the server", "answered before"
UNKNOWN, BROKEN = "not of this run", "broken lines"
_LISTED = 20  # examples of each kind


@dataclass(slots=True)
class Collected:
    """What answer files held. counts: lines by what they were; listed: for some of those that failed, which and why."""

    counts: Counter[str] = field(default_factory=Counter)
    listed: list[tuple[str, str, str]] = field(default_factory=list)

    def note(self, kind: str, custom_id: str = "", why: str = "") -> None:
        """Count one line, and list it where it says why."""
        self.counts[kind] += 1
        if why and self.counts[kind] <= _LISTED:
            self.listed.append((kind, custom_id, why))


class Collecting:
    """Reads answer files of one batch folder into the journal."""

    def __init__(self, batch: BatchFolder, journal: Journal) -> None:
        self.batch, self.journal = batch, journal
        self.collected = Collected()
        self._requests: dict[str, Request] = {}
        self._last: dict[str, int] = {}
        for request in batch.requests():
            self._requests[request.custom_id] = request
            self._last[request.key] = max(request.number, self._last.get(request.key, 0))
        keys = {request.key for request in self._requests.values()}
        self._answered = set(journal.get_all(keys))
        self._again: dict[str, Completion | None] = {}  # by custom_id; with the answer where it is a repair
        self._wrong: dict[str, str] = {}
        self._rows: list[Any] = []
        self._keys: dict[str, Secret] = {}
        self._prices: dict[tuple[str, str], Price | None] = {}

    @property
    def missing(self) -> int:
        """Questions that have neither an answer nor a request that is about to be written."""
        again = {self._requests[name].key for name in self._again}
        return len(self._last.keys() - self._answered - again)

    def read(self, path: Path) -> Collected:
        """Take one answer file or error file; what all files so far held. One that was read before changes nothing."""
        try:
            with path.open("rb") as lines:
                for line in lines:
                    if line.strip():
                        self._line(line)
        except OSError as error:
            raise DataError(
                f"{path} cannot be read: {error.strerror}. Expected an answer file of a batch (JSON lines). Check its name."
            ) from None
        self._keep()
        self.batch.save()
        return self.collected

    def fail(self, file: RequestFile, why: str) -> None:
        """Say that all requests of a file that have no answer failed: the server did not take the file, or gave it up."""
        for request in self.batch.requests([file]):
            if request.key not in self._answered:
                self._failed(request, FAILED, why)

    def repeat_missing(self) -> int:
        """Ask again for everything that has no answer; how many that are. Only where no batch is under way any more."""
        missing = [
            request
            for name, request in self._requests.items()
            if request.number == self._last[request.key]
            and request.key not in self._answered
            and name not in self._again
            and name not in self.batch.rejected
        ]
        for request in missing:
            self._failed(request, FAILED, "there is no answer for it")
        return len(missing)

    def finish(self) -> list[RequestFile]:
        """Write what is asked again into new request files, if anything."""
        self._keep()
        with RequestWriter(self.batch) as writer:
            for request in self.batch.with_bodies(set(self._again)):
                writer.add(self._next(request))
        self._again.clear()
        self.batch.save()
        return writer.written

    def _line(self, line: bytes) -> None:
        note = self.collected.note
        try:
            entry = json.loads(line)
            custom_id = entry["custom_id"]
            response, error = entry.get("response"), entry.get("error")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return note(BROKEN, "", "a line is not whole, or no answer of a batch")
        request = self._requests.get(custom_id) if isinstance(custom_id, str) else None
        if request is None:
            return note(UNKNOWN, str(custom_id)[:64], "this run has no such request")
        if request.key in self._answered:
            return note(AGAIN)
        if isinstance(response, Mapping):
            return self._response(request, response)
        code = str(error.get("code") or "") if isinstance(error, Mapping) else ""
        why = self._words(request, error) or "neither an answer nor an error came"
        return self._failed(request, EXPIRED_TOO if code == EXPIRED else FAILED, why)

    def _response(self, request: Request, response: Mapping[str, Any]) -> None:
        """Take what the server would have answered to a single request."""
        status, body = response.get("status_code"), response.get("body")
        try:
            if status == 200:
                return self._completion(request, completion_of(json.dumps(body)))
            error = body.get("error") if isinstance(body, Mapping) else None
            self._error(request, status if isinstance(status, int) else 500, error or body)
        except BadBody as bad:
            if bad.error is None:
                return self._failed(request, FAILED, str(bad))
            self._error(request, 500, bad.error)
        except Declined as declined:
            self._refuse(request, str(declined), REFUSED)

    def _completion(self, request: Request, completion: Completion) -> None:
        request = replace(request, used=self._used(request, completion))
        if self._key(request).is_in(completion.content + completion.refusal):
            raise Declined("the answer repeated the key of the server and was thrown away")
        self.batch.learn(request)
        try:
            found = _reader(request)(completion, form=request.features.form)
            return self._put(request, answer_of(found), ANSWERED)
        except Misread as misread:
            if request.is_repair:
                return self._refuse(request, not_read(misread), REFUSED)
            self._wrong[request.custom_id] = str(misread)
            self._requests[request.custom_id] = request  # with what it has used
            return self._ask_again(request, REPAIRED, str(misread), completion)
        except Declined as declined:
            return self._refuse(request, str(declined), REFUSED)

    def _error(self, request: Request, status: int, error: Any) -> None:
        why = self._words(request, error)
        told = f"status {status}: {why}".rstrip(": ")
        if status in PASSING or status >= 500 or status in (401, 403, 404):
            return self._failed(request, FAILED, told)
        about = error if isinstance(error, Mapping) else {}
        rejected = Rejected(
            status, why, code=str(about.get("code") or ""), param=str(about.get("param") or "")
        )
        names = ("logprobs", "top_logprobs") if request.kind == "judge" else ("top_p",)
        less = lower(request.features, rejected, (*names, "temperature", "seed"))
        if less is None:
            return self._failed(request, FAILED, told)
        if request.number < self._last[request.key]:
            return self.collected.note(AGAIN)
        self.batch.rejected[request.custom_id] = less
        return self.collected.note(REJECTED, request.custom_id, told)

    def _failed(self, request: Request, kind: str, why: str) -> None:
        self._ask_again(request, kind, why, None)

    def _ask_again(self, request: Request, kind: str, why: str, completion: Completion | None) -> None:
        """Note a request that has to be sent again, unless that was done, or too often."""
        if request.number < self._last[request.key] or request.custom_id in self._again:
            return self.collected.note(AGAIN)
        if request.number >= MOST_TRIES:
            return self.collected.note(
                FAILED, request.custom_id, f"{why}; it was sent {request.number} times and is left out"
            )
        self._again[request.custom_id] = completion
        return self.collected.note(kind, request.custom_id, why)

    def _next(self, request: Request) -> Request:
        """The request that follows another one for the same question."""
        completion = self._again[request.custom_id]
        request = replace(request, number=request.number + 1, used=self._requests[request.custom_id].used)
        if completion is None:
            return request
        wrong = self._wrong[self._custom_id_before(request)]
        body = dict(request.body)
        room = int(body[request.features.length])
        body["messages"] = [*body["messages"], *repair_messages(completion, wrong, room)]
        if completion.is_cut:
            body[request.features.length] = 2 * room
        return replace(request, body=body, is_repair=True, sent=size_of(body["messages"]))

    @staticmethod
    def _custom_id_before(request: Request) -> str:
        return replace(request, number=request.number - 1).custom_id

    def _refuse(self, request: Request, why: str, kind: str) -> None:
        refused = Written((), (why,)) if request.kind == "write" else Judged({}, why)
        self._put(request, answer_of(refused), kind)

    def _put(self, request: Request, answer: dict[str, Any], kind: str) -> None:
        read, written, cost = request.used
        self._answered.add(request.key)
        asked = json.dumps(request.asked)
        self._rows.append(
            (request.key, request.kind, request.engine, asked, json.dumps(answer), cost, read, written, 0.0)
        )
        self.collected.note(kind)
        if len(self._rows) >= KEPT_AT_ONCE:
            self._keep()

    def _keep(self) -> None:
        rows, self._rows = self._rows, []
        if rows:
            self.journal.put_all(rows)

    def _used(self, request: Request, completion: Completion) -> tuple[int, int, float]:
        """Tokens and dollars of a question so far, this answer included."""
        read, written, cost = request.used
        sent = request.sent
        received = len(completion.content.encode("utf-8", "replace"))
        price = self._price(request)
        n_read, n_written = completion.prompt_tokens, completion.completion_tokens
        cost += 0.0 if price is None else price.of(n_read or sent, n_written or received)
        return read + (n_read or tokens_in(sent)), written + (n_written or tokens_in(received)), cost

    def _price(self, request: Request) -> Price | None:
        where = request.engine, request.base_url
        if where not in self._prices:
            model = request.engine.removeprefix("served:")
            self._prices[where] = price_of(model, base_url=request.base_url)
        return self._prices[where]

    def _key(self, request: Request) -> Secret:
        if request.base_url not in self._keys:
            self._keys[request.base_url] = find_key(request.base_url)
        return self._keys[request.base_url]

    def _words(self, request: Request, error: object) -> str:
        """What an error says, without keys and cut to a line."""
        said = error.get("message") if isinstance(error, Mapping) else error
        told = " ".join(self._key(request).hide(str(said or "")).split())
        return told if len(told) <= 300 else told[:299] + "…"


def _reader(request: Request) -> Any:
    """How the answer to a request is read."""
    asked = request.asked
    if request.kind == "judge":
        return partial(label_in, options=tuple(asked["options"]))
    return partial(texts_in, reads=request.reads, n=int(asked["n"]), original=str(asked["text"]))


def answer_files(paths: list[Path]) -> Iterator[Path]:
    """The files that were named; of a folder, its JSON lines."""
    for path in paths:
        yield from sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
