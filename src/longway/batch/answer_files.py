"""Answer files of a batch: answers are stored in the journal, and failed requests are written again.

    collector = AnswerCollector(batch, journal)
    collector.read(path)             one answer file; the order does not matter, nor does reading it twice
    collector.finish()               writes and returns files with the requests to repeat
    collector.collected              what the files contained

A line is an answer, a refusal, a temporary failure (repeated unchanged), an answer that cannot be read (repeated once, saying what was
wrong), or a request that the server does not accept (`longway batch write` writes it without the rejected part). A request that failed
because of its key or model is not repeated, since it would fail again. Lines that are not JSON, and lines about other requests, are
counted and skipped. The first answer to a call is kept. Answers, and the cost of unusable ones, are on disk before a file
counts as read.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from longway.batch.request_files import BatchFolder, BatchRequest, RequestFile, RequestWriter
from longway.engines.answers import (
    BadBody,
    Completion,
    Declined,
    Misread,
    completion_of,
    label_in,
    refusal_of,
    texts_in,
    usage_of,
)
from longway.engines.costs import Price, price_of
from longway.engines.engine import Judgement, Written
from longway.engines.recording import LOST, answer_of
from longway.engines.secret import Secret, find_key
from longway.engines.transport import TEMPORARY, Rejected, lower, repair_messages, size_of, tokens_in
from longway.errors import DataError
from longway.store.journal import Journal, JournalEntry

MAX_TRIES = 4  # requests for one call; then it is left out of batches
COMMIT_ROWS = 500
# Outcomes of a line.
ANSWERED, REFUSED, FAILED, EXPIRED, TURNED_AWAY = "answered", "refused", "failed", "expired", "turned away"
REPAIRED, REJECTED, AGAIN = "to be repaired", "not taken by the server", "answered before"
UNKNOWN, BROKEN = "not of this run", "broken"
_EXPIRED_CODE = "batch_expired"
_ACCESS_DENIED = frozenset({401, 403, 404})  # the key or the model is wrong
_MAX_REASONS = 20  # per outcome


@dataclass(slots=True)
class Collected:
    """The contents of answer files. counts: lines by outcome; listed: (outcome, custom_id, reason), each reason once."""

    counts: Counter[str] = field(default_factory=Counter)
    listed: list[tuple[str, str, str]] = field(default_factory=list)

    def summary(self) -> str:
        """The counts in words.

        >>> Collected(Counter({"answered": 1200, "broken": 1})).summary()
        '1,200 answered, 1 broken'
        """
        return ", ".join(f"{n:,} {kind}" for kind, n in self.counts.items()) or "nothing"

    def add(self, outcome: str, custom_id: str = "", why: str = "") -> None:
        """Count one line, and list its reason if it is new."""
        self.counts[outcome] += 1
        reasons = [reason for listed, _, reason in self.listed if listed == outcome]
        if why and why not in reasons and len(reasons) < _MAX_REASONS:
            self.listed.append((outcome, custom_id, why))


@dataclass(slots=True)
class Unanswered:
    """The number of calls without an answer. missing: their file was submitted, or has answers; unsent: other files.

    rejected: the server does not accept them as they are. left_out: repeated too often.
    """

    missing: int = 0
    unsent: int = 0
    rejected: int = 0
    left_out: int = 0

    @property
    def n(self) -> int:
        """The total."""
        return self.missing + self.unsent + self.rejected + self.left_out


class AnswerCollector:
    """Reads answer files of one batch folder into the journal."""

    def __init__(self, batch: BatchFolder, journal: Journal) -> None:
        self.batch, self.journal = batch, journal
        self.collected = Collected()
        self._requests: dict[str, BatchRequest] = {}
        self._last: dict[str, int] = {}  # the number of the last request of each call
        self._file_of: dict[str, RequestFile] = {}
        for file in batch.files:
            for request in batch.requests([file]):
                self._requests[request.custom_id] = request
                self._file_of[request.custom_id] = file
                self._last[request.key] = max(request.number, self._last.get(request.key, 0))
        self._answered = set(journal.get_all({request.key for request in self._requests.values()}))
        self._repeat: dict[
            str, Completion | None
        ] = {}  # by custom_id; with the answer and `_wrong` for a repair
        self._wrong: dict[str, str] = {}
        self._mentioned: set[str] = set()  # custom_ids in the files read so far
        self._entries: list[JournalEntry] = []
        self._keys: dict[str, Secret] = {}
        self._prices: dict[tuple[str, str], Price | None] = {}

    @property
    def has_matched(self) -> bool:
        """Whether any line was about a request of this run."""
        return bool(self._mentioned)

    def unanswered(self) -> Unanswered:
        """The calls that have neither an answer nor a request that is about to be repeated."""
        counts = Unanswered()
        for name, _ in self._last_requests():
            file = self._file_of[name]
            if name in self.batch.left_out:
                counts.left_out += 1
            elif name in self.batch.rejected:
                counts.rejected += 1
            elif name in self._repeat:
                continue
            elif file.is_heard or file.is_submitted:
                counts.missing += 1
            else:
                counts.unsent += 1
        return counts

    def _last_requests(self) -> Iterator[tuple[str, BatchRequest]]:
        """The last request of each call without an answer, with its `custom_id`."""
        for name, request in self._requests.items():
            if request.number == self._last[request.key] and request.key not in self._answered:
                yield name, request

    def read(self, path: Path) -> Collected:
        """Read one answer file or error file; returns the contents of all files so far."""
        try:
            with path.open("rb") as lines:
                for line in lines:
                    if line.strip():
                        self._read_line(line)
        except OSError as error:
            raise DataError(
                f"{path} cannot be read: {error.strerror}. Expected an answer file of a batch (JSON lines). Check its name."
            ) from None
        self._commit()
        self.batch.save()
        return self.collected

    def fail(self, file: RequestFile, why: str) -> None:
        """Repeat all requests of a file without an answer: the server rejected the file, or gave up."""
        for request in self.batch.requests([file]):
            if request.key not in self._answered and request.custom_id not in self._mentioned:
                self._repeat_later(request, FAILED, why)

    def repeat_missing(self) -> None:
        """Repeat all requests without an answer in files that have answers. Only if no batch is running."""
        for name, request in list(self._last_requests()):
            is_settled = name in self._repeat or name in self.batch.rejected or name in self.batch.left_out
            if self._file_of[name].is_heard and not is_settled:
                self._repeat_later(request, FAILED, "there is no answer for it")

    def finish(self) -> list[RequestFile]:
        """Write the requests to repeat into new files, and return these."""
        self._commit()
        with RequestWriter(self.batch) as writer:
            wanted = {name for name in self._repeat if self._requests[name].key not in self._answered}
            for request in self.batch.with_bodies() if wanted else ():
                if request.custom_id in wanted:
                    writer.add(self._next(request))
        self._repeat.clear()
        self.batch.save()
        return writer.written

    def _read_line(self, line: bytes) -> None:
        try:
            entry = json.loads(line)
            custom_id = entry["custom_id"]
            response, error = entry.get("response"), entry.get("error")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return self.collected.add(BROKEN, "", "a line is incomplete, or not an answer of a batch")
        if not {"response", "error"} & entry.keys():  # our own request files have the same ids
            return self.collected.add(
                BROKEN, "", "a line is not an answer of a batch; is it a file of requests?"
            )
        request = self._requests.get(custom_id) if isinstance(custom_id, str) else None
        if request is None:
            return self.collected.add(UNKNOWN, str(custom_id)[:64], "this run has no such request")
        self._file_of[custom_id].is_heard = True
        self._mentioned.add(custom_id)
        if request.key in self._answered:
            return self.collected.add(AGAIN)
        if isinstance(response, Mapping):
            return self._read_response(request, response)
        code = str(error.get("code") or "") if isinstance(error, Mapping) else ""
        why = self._words(request, error) or "there is neither an answer nor an error"
        return self._repeat_later(request, EXPIRED if code == _EXPIRED_CODE else FAILED, why)

    def _read_response(self, request: BatchRequest, response: Mapping[str, object]) -> None:
        """Read the server's response to a single request."""
        status, body = response.get("status_code"), response.get("body")
        try:
            if status == 200:
                return self._read_completion(request, completion_of(json.dumps(body)))
            error = body.get("error") if isinstance(body, Mapping) else None
            self._read_error(request, status if type(status) is int else 500, error or body)
        except BadBody as bad:
            if bad.error is not None:
                return self._read_error(request, 500, bad.error)
            self._add_lost(request.custom_id, request, self._cost_of(request, body))
            self._repeat_later(request, FAILED, str(bad))
        except Declined as declined:
            self._refuse(request, str(declined))

    def _read_completion(self, request: BatchRequest, completion: Completion) -> None:
        request = replace(request, used=self._used(request, completion))
        try:
            if self._key(request).is_in(completion.content + completion.refusal):
                raise Declined("the answer contained the server's key and was discarded")
            self.batch.learn(request)
            return self._store(request, _reader(request)(completion, form=request.features.form), ANSWERED)
        except Misread as misread:
            if request.is_repair or request.number >= MAX_TRIES:
                return self._refuse(request, refusal_of(misread))
            self._wrong[request.custom_id] = str(misread)
            self._requests[request.custom_id] = request  # with what it has used
            return self._repeat_later(request, REPAIRED, str(misread), completion)
        except Declined as declined:
            return self._refuse(request, str(declined))

    def _read_error(self, request: BatchRequest, status: int, error: object) -> None:
        why = self._words(request, error)
        shown = f"status {status}: {why}".rstrip(": ")
        is_old = request.number < self._last[request.key]
        if status in _ACCESS_DENIED:
            return self.collected.add(AGAIN if is_old else TURNED_AWAY, request.custom_id, shown)
        if status in TEMPORARY or status >= 500:
            return self._repeat_later(request, FAILED, shown)
        about = error if isinstance(error, Mapping) else {}
        rejected = Rejected(
            status, why, code=str(about.get("code") or ""), param=str(about.get("param") or "")
        )
        names = ("logprobs", "top_logprobs") if request.kind == "judge" else ("top_p",)
        less = lower(request.features, rejected, (*names, "temperature", "seed"))
        if less is None:
            return self._repeat_later(request, FAILED, shown)
        if is_old:
            return self.collected.add(AGAIN)
        self.batch.rejected[request.custom_id] = less
        return self.collected.add(REJECTED, request.custom_id, shown)

    def _repeat_later(
        self, request: BatchRequest, outcome: str, why: str, completion: Completion | None = None
    ) -> None:
        """Note a request to repeat, unless that was done, or too often. completion: the answer to repair."""
        name = request.custom_id
        if request.number < self._last[request.key] or name in self._repeat:
            return self.collected.add(AGAIN)
        if request.number >= MAX_TRIES:
            self.batch.left_out.add(name)
            self._add_lost(f"{name}-before", request, request.used)
            return self.collected.add(
                outcome, name, f"{why}; it was sent {request.number} times and is left out"
            )
        self._repeat[name] = completion
        return self.collected.add(outcome, name, why)

    def _next(self, request: BatchRequest) -> BatchRequest:
        """The request that follows another one for the same call."""
        name = request.custom_id
        completion = self._repeat[name]
        again = replace(request, number=request.number + 1, used=self._requests[name].used)
        if completion is None:
            return again
        body = dict(request.body)
        room = int(body[request.features.length])
        body["messages"] = [*body["messages"], *repair_messages(completion, self._wrong[name], room)]
        if completion.is_cut:
            body[request.features.length] = 2 * room
        return replace(again, body=body, is_repair=True, sent=size_of(body["messages"]))

    def _refuse(self, request: BatchRequest, why: str) -> None:
        refused = Written((), (why,)) if request.kind == "write" else Judgement({}, why)
        self._store(request, refused, REFUSED)

    def _store(self, request: BatchRequest, result: Written | Judgement, outcome: str) -> None:
        read, written, cost = request.used
        self._answered.add(request.key)
        answer = answer_of(result)
        self._entries.append(
            JournalEntry(
                request.key, request.kind, request.engine, answer, request.asked, cost, read, written
            )
        )
        self.collected.add(outcome)
        if len(self._entries) >= COMMIT_ROWS:
            self._commit()

    def _add_lost(self, name: str, request: BatchRequest, used: tuple[int, int, float]) -> None:
        """Record the cost of an unusable answer, under its name, so that it counts once however often it is read."""
        read, written, cost = used
        if cost > 0:
            self._entries.append(
                JournalEntry(f"{LOST}-{name}", LOST, request.engine, {}, {}, cost, read, written)
            )

    def _cost_of(self, request: BatchRequest, body: object) -> tuple[int, int, float]:
        """The usage of a malformed body: as it says, or else the most that one request can cost."""
        price = self._price(request)
        read, written = usage_of(body)
        if price is None or not (read or written):
            return read, written, request.most / 2  # the other half is for a repair
        return read, written, price.of(read, written)

    def _commit(self) -> None:
        entries, self._entries = self._entries, []
        if entries:
            self.journal.put_all(entries)

    def _used(self, request: BatchRequest, completion: Completion) -> tuple[int, int, float]:
        """Tokens and dollars of a call so far, including this answer."""
        read, written, cost = request.used
        sent, received = request.sent, len(completion.content.encode("utf-8", "replace"))
        price = self._price(request)
        n_read, n_written = completion.prompt_tokens, completion.completion_tokens
        cost += 0.0 if price is None else price.of(n_read or sent, n_written or received)
        return read + (n_read or tokens_in(sent)), written + (n_written or tokens_in(received)), cost

    def _price(self, request: BatchRequest) -> Price | None:
        server = request.engine, request.base_url
        if server not in self._prices:
            model = request.engine.removeprefix("served:")
            self._prices[server] = price_of(model, base_url=request.base_url)
        return self._prices[server]

    def _key(self, request: BatchRequest) -> Secret:
        if request.base_url not in self._keys:
            self._keys[request.base_url] = find_key(request.base_url)
        return self._keys[request.base_url]

    def _words(self, request: BatchRequest, error: object) -> str:
        """The message of an error, without keys and shortened to one line."""
        said = error.get("message") if isinstance(error, Mapping) else error
        message = " ".join(self._key(request).hide(str(said or "")).split())
        return message if len(message) <= 300 else message[:299] + "…"


def _reader(request: BatchRequest) -> Callable[..., Any]:
    """The function that reads the answer to a request."""
    asked = request.asked
    if request.kind == "judge":
        return partial(label_in, options=tuple(asked["options"]))
    return partial(texts_in, reads=request.reads, n=int(asked["n"]), original=str(asked["text"]))


def answer_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The files; for a folder, its JSON lines."""
    for path in paths:
        yield from sorted(path.glob("*.jsonl")) if path.is_dir() else [path]
