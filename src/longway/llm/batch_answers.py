"""What came back for a batch: answers into the journal, and what has to be asked again.

    collecting = Collecting(batch, journal)
    collecting.read(path)            one answer file, in any order, as often as you like
    collecting.finish()              writes a file with what is asked again; gives it
    collecting.counts, .listed       what there was

A line is an answer, a refusal, a failure for a passing reason (asked again as it was), an answer that cannot be read (asked again,
once, telling what was wrong), or a request that the server does not take (`longway batch write` writes it without the part in
question). One that was turned away for its key or its model is not asked again: the next one would be, too. Lines that are no JSON,
and lines about requests of others, are counted and left alone. The first answer to a question holds. Answers are on disk before a
file counts as read, and so is what was paid for an answer that is none.
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
from longway.llm.answers import BadBody, Completion, Declined, Misread, completion_of, usage_of
from longway.llm.batch import BatchFolder, Request, RequestFile, RequestWriter
from longway.llm.engine import Judged, Written
from longway.llm.prices import Price, price_of
from longway.llm.reading import label_in, not_read, texts_in
from longway.llm.recorded import LOST, answer_of
from longway.llm.request import lower, repair_messages, size_of
from longway.llm.secret import Secret, find_key
from longway.llm.transport import PASSING, Rejected, tokens_in
from longway.store.journal import Journal

MOST_TRIES = 4  # requests for one question; then it is left to be asked one by one
KEPT_AT_ONCE = 500
# What a line is counted as.
ANSWERED, REFUSED, FAILED, EXPIRED, TURNED_AWAY = "answered", "refused", "failed", "expired", "turned away"
REPAIRED, REJECTED, AGAIN = "to be repaired", "not taken by the server", "answered before"
UNKNOWN, BROKEN = "not of this run", "broken"
_EXPIRED_CODE = "batch_expired"
_NOT_LET_IN = frozenset({401, 403, 404})  # the key or the model is wrong, and would be the next time
_LISTED = 20  # reasons of each kind


@dataclass(slots=True)
class Collected:
    """What answer files held. counts: lines by what they were; listed: why some failed, each reason once with the first such request."""

    counts: Counter[str] = field(default_factory=Counter)
    listed: list[tuple[str, str, str]] = field(default_factory=list)

    def told(self) -> str:
        """The counts in words.

        >>> Collected(Counter({"answered": 1200, "broken": 1})).told()
        '1,200 answered, 1 broken'
        """
        return ", ".join(f"{n:,} {kind}" for kind, n in self.counts.items()) or "nothing"

    def note(self, kind: str, custom_id: str = "", why: str = "") -> None:
        """Count one line, and list why where that is new."""
        self.counts[kind] += 1
        if not why:
            return
        reasons = [reason for listed, _, reason in self.listed if listed == kind]
        if why not in reasons and len(reasons) < _LISTED:
            self.listed.append((kind, custom_id, why))


@dataclass(slots=True)
class Waiting:
    """Questions without an answer. missing: of a file that was submitted, or that answers came for; unsent: of another one.

    rejected: those that the server does not take as they are. left_out: those that were asked often enough by the batch.
    """

    missing: int = 0
    unsent: int = 0
    rejected: int = 0
    left_out: int = 0

    @property
    def n(self) -> int:
        """All of them."""
        return self.missing + self.unsent + self.rejected + self.left_out


class Collecting:
    """Reads answer files of one batch folder into the journal."""

    def __init__(self, batch: BatchFolder, journal: Journal) -> None:
        self.batch, self.journal = batch, journal
        self.collected = Collected()
        self._requests: dict[str, Request] = {}
        self._last: dict[str, int] = {}
        self._file_of: dict[str, RequestFile] = {}
        for file in batch.files:
            for request in batch.requests([file]):
                self._requests[request.custom_id] = request
                self._file_of[request.custom_id] = file
                self._last[request.key] = max(request.number, self._last.get(request.key, 0))
        keys = {request.key for request in self._requests.values()}
        self._answered = set(journal.get_all(keys))
        self._again: dict[str, Completion | None] = {}  # by custom_id; with the answer where it is a repair
        self._spoken_of: set[str] = set()  # custom_ids in the files read now
        self._wrong: dict[str, str] = {}
        self._rows: list[Any] = []
        self._keys: dict[str, Secret] = {}
        self._prices: dict[tuple[str, str], Price | None] = {}

    @property
    def has_heard(self) -> bool:
        """Whether a line that was read now speaks of a request of this run."""
        return bool(self._spoken_of)

    def waiting(self) -> Waiting:
        """The questions that have neither an answer nor a request that is about to be written, by what they wait for."""
        found = Waiting()
        for name, _ in self._last_requests():
            file = self._file_of[name]
            if name in self.batch.left_out:
                found.left_out += 1
            elif name in self.batch.rejected:
                found.rejected += 1
            elif name in self._again:
                continue
            elif file.is_heard or file.is_submitted:
                found.missing += 1
            else:
                found.unsent += 1
        return found

    def _last_requests(self) -> Iterator[tuple[str, Request]]:
        """The last request of each question that has no answer, with its `custom_id`."""
        for name, request in self._requests.items():
            if request.number == self._last[request.key] and request.key not in self._answered:
                yield name, request

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
            if request.key not in self._answered and request.custom_id not in self._spoken_of:
                self._ask_again(request, FAILED, why)

    def repeat_missing(self) -> None:
        """Ask again for everything that has no answer, in files that were answered otherwise. Only where no batch is under way any more."""
        for name, request in list(self._last_requests()):
            is_settled = name in self._again or name in self.batch.rejected or name in self.batch.left_out
            if self._file_of[name].is_heard and not is_settled:
                self._ask_again(request, FAILED, "there is no answer for it")

    def finish(self) -> list[RequestFile]:
        """Write what is asked again into new request files, if anything."""
        self._keep()
        with RequestWriter(self.batch) as writer:
            wanted = {name for name in self._again if self._requests[name].key not in self._answered}
            for request in self.batch.with_bodies() if wanted else ():
                if request.custom_id in wanted:
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
        if not {"response", "error"} & entry.keys():  # our own request files have the same ids
            return note(BROKEN, "", "a line is no answer of a batch; is it a file of requests?")
        request = self._requests.get(custom_id) if isinstance(custom_id, str) else None
        if request is None:
            return note(UNKNOWN, str(custom_id)[:64], "this run has no such request")
        self._file_of[custom_id].is_heard = True
        self._spoken_of.add(custom_id)
        if request.key in self._answered:
            return note(AGAIN)
        if isinstance(response, Mapping):
            return self._response(request, response)
        code = str(error.get("code") or "") if isinstance(error, Mapping) else ""
        why = self._words(request, error) or "neither an answer nor an error came"
        return self._ask_again(request, EXPIRED if code == _EXPIRED_CODE else FAILED, why)

    def _response(self, request: Request, response: Mapping[str, Any]) -> None:
        """Take what the server would have answered to a single request."""
        status, body = response.get("status_code"), response.get("body")
        try:
            if status == 200:
                return self._completion(request, completion_of(json.dumps(body)))
            error = body.get("error") if isinstance(body, Mapping) else None
            self._error(request, status if type(status) is int else 500, error or body)
        except BadBody as bad:
            if bad.error is not None:
                return self._error(request, 500, bad.error)
            self._lose(request.custom_id, request, self._cost_of(request, body))
            self._ask_again(request, FAILED, str(bad))
        except Declined as declined:
            self._refuse(request, str(declined), REFUSED)

    def _completion(self, request: Request, completion: Completion) -> None:
        request = replace(request, used=self._used(request, completion))
        try:
            if self._key(request).is_in(completion.content + completion.refusal):
                raise Declined("the answer repeated the key of the server and was thrown away")
            self.batch.learn(request)
            found = _reader(request)(completion, form=request.features.form)
            return self._put(request, answer_of(found), ANSWERED)
        except Misread as misread:
            if request.is_repair or request.number >= MOST_TRIES:
                return self._refuse(request, not_read(misread), REFUSED)
            self._wrong[request.custom_id] = str(misread)
            self._requests[request.custom_id] = request  # with what it has used
            return self._ask_again(request, REPAIRED, str(misread), completion)
        except Declined as declined:
            return self._refuse(request, str(declined), REFUSED)

    def _error(self, request: Request, status: int, error: Any) -> None:
        why = self._words(request, error)
        told = f"status {status}: {why}".rstrip(": ")
        if status in _NOT_LET_IN:
            is_old = request.number < self._last[request.key]
            return self.collected.note(AGAIN if is_old else TURNED_AWAY, request.custom_id, told)
        if status in PASSING or status >= 500:
            return self._ask_again(request, FAILED, told)
        about = error if isinstance(error, Mapping) else {}
        rejected = Rejected(
            status, why, code=str(about.get("code") or ""), param=str(about.get("param") or "")
        )
        names = ("logprobs", "top_logprobs") if request.kind == "judge" else ("top_p",)
        less = lower(request.features, rejected, (*names, "temperature", "seed"))
        if less is None:
            return self._ask_again(request, FAILED, told)
        if request.number < self._last[request.key]:
            return self.collected.note(AGAIN)
        self.batch.rejected[request.custom_id] = less
        return self.collected.note(REJECTED, request.custom_id, told)

    def _ask_again(self, request: Request, kind: str, why: str, completion: Completion | None = None) -> None:
        """Note a request that has to be sent again, unless that was done, or too often. completion: given where it is to be repaired."""
        if request.number < self._last[request.key] or request.custom_id in self._again:
            return self.collected.note(AGAIN)
        if request.number >= MOST_TRIES:
            self.batch.left_out.add(request.custom_id)
            self._lose(f"{request.custom_id}-before", request, request.used)
            return self.collected.note(
                kind, request.custom_id, f"{why}; it was sent {request.number} times and is left out"
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

    def _lose(self, name: str, request: Request, used: tuple[int, int, float]) -> None:
        """Note in the journal what an answer has cost that is none; under its name, so that it counts once however often it is read."""
        read, written, cost = used
        if cost > 0:
            self._rows.append((f"{LOST}-{name}", LOST, request.engine, "{}", "{}", cost, read, written, 0.0))

    def _cost_of(self, request: Request, body: object) -> tuple[int, int, float]:
        """What a body of the wrong shape has used: what it says, or else the most that one request can cost."""
        price = self._price(request)
        read, written = usage_of(body)
        if price is None or not (read or written):
            return read, written, request.most / 2  # the other half is for a repair
        return read, written, price.of(read, written)

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
