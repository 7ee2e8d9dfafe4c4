"""Batch files in OpenAI's form: requests that a provider answers together, within a day and usually for less.

    requests-0001.jsonl    what the provider gets: {"custom_id", "method", "url", "body"}, one request a line
    asked-0001.jsonl       what we need to read the answers: one line for each request, in the same order
    batch.json             which files there are, where they went, what the server does not take; written last

All of it lies in the folder `batch` of a run. A file has at most 50,000 requests, 200 MB and one model. `custom_id` is the
question's key in the journal; a request that is sent again, or another one for the same question (a repair), ends in its number
instead. So a `custom_id` stands for one request, whatever file its answer comes in, and however often.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from longway.errors import RunError
from longway.llm.request import Features
from longway.store import read_json, replacing, write_json

FOLDER, STATE = "batch", "batch.json"
MOST_LINES, MOST_BYTES = 50_000, 200_000_000
URL = "/v1/chat/completions"
_ID_LENGTH = 64  # some providers take no more


@dataclass(frozen=True, slots=True)
class Request:
    """One request for one question.

    key: of the question in the journal; number: 1 for its first request. body: what the server gets. asked, kind, reads, features:
    what it takes to read the answer and to keep it. most: what the question can cost at most, in dollars. sent: bytes of its messages.
    used: tokens read and written and dollars of the requests before.
    """

    key: str
    kind: str
    engine: str
    base_url: str
    body: Mapping[str, Any]
    asked: Mapping[str, Any]
    reads: str = "texts"
    features: Features = field(default_factory=Features)
    number: int = 1
    is_repair: bool = False
    most: float = 0.0
    sent: int = 0
    used: tuple[int, int, float] = (0, 0, 0.0)

    @property
    def custom_id(self) -> str:
        """Its name in the files.

        >>> Request("f" * 64, "write", "served:m", "http://x/v1", {}, {}, number=2).custom_id[-4:]
        'ff-2'
        """
        if self.number == 1:
            return self.key
        ending = f"-{self.number}"
        return self.key[: _ID_LENGTH - len(ending)] + ending

    def line(self) -> str:
        """The line that the provider gets."""
        return json.dumps(
            {"custom_id": self.custom_id, "method": "POST", "url": URL, "body": self.body}, ensure_ascii=True
        )

    def about(self) -> str:
        """The line that we keep: everything but the body."""
        values = {name: value for name, value in _plain(self).items() if name != "body"}
        return json.dumps(values | {"custom_id": self.custom_id}, ensure_ascii=True)


@dataclass(slots=True)
class RequestFile:
    """One file of requests and what became of it; file_id, batch_id, status: as the server calls them, "" before."""

    name: str
    engine: str
    base_url: str
    requests: int
    file_id: str = ""
    batch_id: str = ""
    status: str = ""

    @property
    def is_submitted(self) -> bool:
        """Whether the server has it."""
        return bool(self.batch_id)


class BatchFolder:
    """The batch files of one run; `folder` is the run's.

    files: in the order in which they were written. features: what a server has answered to, by kind of call. rejected: requests
    that a server will not take as they are, by `custom_id`, and what to ask for instead.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER
        self.files: list[RequestFile] = []
        self.features: dict[str, Features] = {}
        self.rejected: dict[str, Features] = {}
        if self.exists:
            self._load()

    @property
    def exists(self) -> bool:
        """Whether requests were written for this run."""
        return (self.folder / STATE).exists()

    def save(self) -> None:
        """Put down what became of the files."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_json(
            self.folder / STATE,
            {
                "version": 1,
                "files": [asdict(file) for file in self.files],
                "features": {name: _features(one) for name, one in self.features.items()},
                "rejected": {name: _features(one) for name, one in self.rejected.items()},
            },
        )

    def path(self, file: RequestFile) -> Path:
        """Where a file of requests is."""
        return self.folder / file.name

    def features_of(self, engine: str, base_url: str, kind: str) -> Features | None:
        """What a server takes for such a call, None where it has answered none."""
        return self.features.get(_server(engine, base_url, kind))

    def learn(self, request: Request) -> None:
        """Remember that the server answered such a request; what the first one found out holds."""
        self.features.setdefault(_server(request.engine, request.base_url, request.kind), request.features)

    def requests(self, files: Iterable[RequestFile] | None = None) -> Iterator[Request]:
        """All requests in the order in which they were written, without their bodies. files: of some only."""
        for file in self.files if files is None else files:
            for line in _lines_of(_about(self.path(file))):
                yield _request(line)

    def with_bodies(self, wanted: set[str]) -> Iterator[Request]:
        """The requests of these `custom_id`s, with their bodies."""
        for file in self.files:
            lines = zip(_lines_of(self.path(file)), _lines_of(_about(self.path(file))), strict=True)
            for sent, about in lines:
                if sent["custom_id"] in wanted:
                    yield _request(about, body=sent["body"])

    def _load(self) -> None:
        path = self.folder / STATE
        state = read_json(path)
        try:
            self.files = [RequestFile(**file) for file in state["files"]]
            self.features = {name: _features_of(one) for name, one in state["features"].items()}
            self.rejected = {name: _features_of(one) for name, one in state["rejected"].items()}
        except (KeyError, TypeError, AttributeError):
            raise RunError(
                f"{path} is not what `longway batch write` writes. Delete the folder {self.folder} and write the requests again: "
                "answers that were collected are in the journal."
            ) from None


class RequestWriter:
    """Writes requests into files of a batch folder, as many as it takes; use it in a `with` block.

    written: the files, each there once it is whole. Nothing is written where no request is added. A block that ends in an error
    leaves the folder as it was.
    """

    def __init__(
        self, batch: BatchFolder, *, most_lines: int = MOST_LINES, most_bytes: int = MOST_BYTES
    ) -> None:
        self.batch, self.most_lines, self.most_bytes = batch, most_lines, most_bytes
        self.written: list[RequestFile] = []
        self.n = 0
        self._open: dict[tuple[str, str], _Part] = {}

    def __enter__(self) -> RequestWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: Any) -> None:
        parts, self._open = list(self._open.values()), {}
        for part in parts:
            part.close(keep=kind is None)
        if kind is None and self.written:
            self.batch.files += self.written
            self.batch.save()

    def add(self, request: Request) -> None:
        """Add one request to the file of its model and server."""
        line = request.line().encode() + b"\n"
        where = request.engine, request.base_url
        part = self._open.get(where)
        if part is not None and (part.lines >= self.most_lines or part.size + len(line) > self.most_bytes):
            part.close(keep=True)
            part = None
        if part is None:
            part = self._open[where] = self._part(request)
        part.add(line, request.about().encode() + b"\n")
        self.n += 1

    def _part(self, request: Request) -> _Part:
        self.batch.folder.mkdir(parents=True, exist_ok=True)
        name = f"requests-{len(self.batch.files) + len(self.written) + 1:04}.jsonl"
        file = RequestFile(name, request.engine, request.base_url, 0)
        self.written.append(file)
        return _Part(file, self.batch.path(file))


class _Part:
    """A file of requests that is being written, and the one beside it."""

    def __init__(self, file: RequestFile, path: Path) -> None:
        self.file, self.lines, self.size = file, 0, 0
        self._stack = ExitStack()
        self._sent = self._opened(path)
        self._about = self._opened(_about(path))

    def _opened(self, path: Path) -> IO[bytes]:
        return self._stack.enter_context(self._stack.enter_context(replacing(path)).open("wb"))

    def add(self, line: bytes, about: bytes) -> None:
        self._sent.write(line)
        self._about.write(about)
        self.lines += 1
        self.size += len(line)
        self.file.requests += 1

    def close(self, *, keep: bool) -> None:
        if keep:
            self._stack.close()
        else:
            error = KeyboardInterrupt()  # any: what was written so far is thrown away
            self._stack.__exit__(type(error), error, None)


def _about(path: Path) -> Path:
    return path.with_name(path.name.replace("requests-", "asked-", 1))


def _lines_of(path: Path) -> Iterator[Any]:
    try:
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                yield json.loads(line)
    except (OSError, ValueError) as error:
        raise RunError(
            f"{path} cannot be read: {error}. Expected the file that `longway batch write` wrote. Delete the folder {path.parent} "
            "and write the requests again: answers that were collected are in the journal."
        ) from None


def _plain(request: Request) -> dict[str, Any]:
    return {name: getattr(request, name) for name in Request.__slots__} | {
        "features": _features(request.features)
    }


def _request(about: Mapping[str, Any], body: Mapping[str, Any] | None = None) -> Request:
    values = {name: value for name, value in about.items() if name != "custom_id"}
    values |= {"features": _features_of(about["features"]), "used": tuple(about["used"]), "body": body or {}}
    return Request(**values)


def _features(features: Features) -> dict[str, Any]:
    return asdict(features) | {"without": sorted(features.without)}


def _features_of(values: Mapping[str, Any]) -> Features:
    return Features(**{**values, "without": frozenset(values["without"])})


def _server(engine: str, base_url: str, kind: str) -> str:
    return f"{kind} {engine} {base_url}"
