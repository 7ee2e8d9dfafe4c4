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
import os
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import IO, Any

from longway.errors import RunError
from longway.llm.request import Features
from longway.store import replacing, write_json
from longway.store.disk_errors import told_of_disk

FOLDER, STATE = "batch", "batch.json"
MOST_LINES, MOST_BYTES = 50_000, 200_000_000
URL = "/v1/chat/completions"
BEGINNING = (
    "beginning"  # status of a file whose batch a server was asked to begin, before it said that it did
)
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
    """One file of requests and what became of it; file_id, batch_id, status: as the server calls them, "" before.

    is_collected: whether its batch has ended and all of its answers were fetched. is_heard: whether that is so, or an answer file
    spoke of one of its requests; no answer can be missing before.
    """

    name: str
    engine: str
    base_url: str
    requests: int
    file_id: str = ""
    batch_id: str = ""
    status: str = ""
    is_heard: bool = False
    is_collected: bool = False

    @property
    def is_submitted(self) -> bool:
        """Whether the server has begun its batch."""
        return bool(self.batch_id)

    @property
    def is_in_doubt(self) -> bool:
        """Whether the server was asked to begin its batch, and nothing tells that it did."""
        return not self.batch_id and self.status == BEGINNING and not self.is_heard

    @property
    def is_under_way(self) -> bool:
        """Whether a server may be answering it: to ask elsewhere would pay twice."""
        return self.is_in_doubt or (self.is_submitted and not self.is_collected)


class BatchFolder:
    """The batch files of one run; `folder` is the run's.

    files: in the order in which they were written. features: what a server has answered to, by kind of call. rejected: requests
    that a server will not take as they are, by `custom_id`, and what to ask for instead. left_out: `custom_id`s of the last
    requests of questions that were asked often enough; they are left to be asked one by one.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder / FOLDER
        self.files: list[RequestFile] = []
        self.features: dict[str, Features] = {}
        self.rejected: dict[str, Features] = {}
        self.left_out: set[str] = set()
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
                "left_out": sorted(self.left_out),
            },
        )

    def path(self, file: RequestFile) -> Path:
        """Where a file of requests is."""
        return self.folder / file.name

    def check_none_under_way(self, *, ended: Collection[str] = ()) -> None:
        """RunError where a batch is under way, so that asking now would pay twice. ended: names of files whose batch is over."""
        under_way = [file for file in self.files if file.is_under_way and file.name not in ended]
        if not under_way:
            return
        doubtful = [file.name for file in under_way if file.is_in_doubt]
        if doubtful:
            raise RunError(
                f"Whether the batch of {', '.join(doubtful)} was begun is not known: the server's answer got lost. Asking now may "
                f"pay twice. Run `longway batch submit --run {self.folder.parent}` first: it looks for the batch."
            )
        told = "1 batch is" if len(under_way) == 1 else f"{len(under_way):,} batches are"
        raise RunError(
            f"{told} under way. Asking now would pay twice. Run `longway batch collect --run {self.folder.parent}` first."
        )

    def features_of(self, engine: str, base_url: str, kind: str) -> Features | None:
        """What a server takes for such a call, None where it has answered none."""
        return self.features.get(_server(engine, base_url, kind))

    def learn(self, request: Request) -> None:
        """Remember that the server answered such a request; what the first one found out holds."""
        self.features.setdefault(_server(request.engine, request.base_url, request.kind), request.features)

    def requests(self, files: Iterable[RequestFile] | None = None) -> Iterator[Request]:
        """All requests in the order in which they were written, without their bodies. files: of some only."""
        for file in self.files if files is None else files:
            path = _about(self.path(file))
            for line in _lines_of(path):
                with _told_of_damage(path):
                    request = _request(line)
                yield request

    def with_bodies(self, files: Iterable[RequestFile] | None = None) -> Iterator[Request]:
        """The same with their bodies."""
        for file in self.files if files is None else files:
            path = self.path(file)
            for request, sent in zip_longest(self.requests([file]), _lines_of(path)):
                with _told_of_damage(path):
                    if request is None or sent is None or sent["custom_id"] != request.custom_id:
                        raise ValueError("its lines are not those of the file beside it")
                    whole = replace(request, body=sent["body"])
                yield whole

    @contextmanager
    def without(self, file: RequestFile, answered: Collection[str]) -> Iterator[Path]:
        """The requests of a file without those of questions that are answered, in a temporary file."""
        with temporary_in(self.folder) as path:
            with told_of_disk(path), path.open("w", encoding="ascii", newline="\n") as kept:
                for request in self.with_bodies([file]):
                    if request.key not in answered:
                        kept.write(request.line() + "\n")
            yield path

    def _load(self) -> None:
        path = self.folder / STATE
        with _told_of_damage(path):
            state = json.loads(path.read_text(encoding="utf-8"))
            self.files = [RequestFile(**file) for file in state["files"]]
            self.features = {name: _features_of(one) for name, one in state["features"].items()}
            self.rejected = {name: _features_of(one) for name, one in state["rejected"].items()}
            self.left_out = set(state.get("left_out", ()))


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
        if kind is not None:
            for file in self.written:  # those that were full before the error
                self.batch.path(file).unlink(missing_ok=True)
                _about(self.batch.path(file)).unlink(missing_ok=True)
        elif self.written:
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


@contextmanager
def temporary_in(folder: Path) -> Iterator[Path]:
    """A file that is gone afterwards; `Run.open` tidies it up after a process that was killed."""
    with told_of_disk(folder):
        handle, name = tempfile.mkstemp(dir=folder, prefix=".lines.", suffix=".jsonl")
        os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _about(path: Path) -> Path:
    return path.with_name(path.name.replace("requests-", "asked-", 1))


def _lines_of(path: Path) -> Iterator[Any]:
    with _told_of_damage(path), path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


@contextmanager
def _told_of_damage(path: Path) -> Iterator[None]:
    """Make errors of reading a file of ours one that tells the way out, without paying twice."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = (
            str(error) if isinstance(error, OSError | ValueError) else "a part is missing, or of another kind"
        )
        raise RunError(
            f"{path} is not what `longway batch write` wrote: {why}. Batches that were submitted are paid for: download their answers "
            f"from your provider first. Then delete the folder {path.parent}, write the requests again, and hand what you downloaded to "
            "`longway batch collect`. The requests have the same names again, and answers that were collected are in the journal."
        ) from None


def _plain(request: Request) -> dict[str, Any]:
    return {name: getattr(request, name) for name in Request.__slots__} | {
        "features": _features(request.features)
    }


def _request(about: Mapping[str, Any]) -> Request:
    """A request as it was put down, without its body."""
    values = {name: value for name, value in about.items() if name != "custom_id"}
    read, written, cost = about["used"]
    values |= {
        "features": _features_of(about["features"]),
        "used": (int(read), int(written), float(cost)),
        "body": {},
    }
    request = Request(**values)
    if request.custom_id != about["custom_id"] or not isinstance(request.asked, dict):
        raise ValueError("a line is not whole")
    return request


def _features(features: Features) -> dict[str, Any]:
    return asdict(features) | {"without": sorted(features.without)}


def _features_of(values: Mapping[str, Any]) -> Features:
    return Features(**{**values, "without": frozenset(values["without"])})


def _server(engine: str, base_url: str, kind: str) -> str:
    return f"{kind} {engine} {base_url}"
