"""Batch files in OpenAI's format: requests that a provider answers together, within a day and usually for less.

    requests-0001.jsonl    for the provider: {"custom_id", "method", "url", "body"}, one request per line
    asked-0001.jsonl       for reading the answers: one line per request, in the same order
    batch.json             the files, where they were sent, what the server does not support; written last

They are in the folder `batch` of a run. A file has at most 50,000 requests, 200 MB, and one model. `custom_id` is the call's key in the
journal; a repeated request, or another one for the same call (a repair), has its number appended. So a `custom_id` identifies
one request, in whatever file its answer comes, and however often.
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
from typing import IO, Any, Final

from longway.engines.recording import Asked
from longway.engines.transport import ServerFeatures
from longway.errors import RunError
from longway.jobs.run import block_run
from longway.store import replacing, write_json
from longway.store.atomic import disk_errors

FOLDER, STATE = "batch", "batch.json"
MAX_LINES, MAX_BYTES = 50_000, 200_000_000
URL: Final = "/v1/chat/completions"
BEGINNING = (
    "beginning"  # status of a file from before the server is asked to begin its batch until it confirms
)
_MAX_ID = 64  # characters that some providers accept


@dataclass(frozen=True, slots=True)
class BatchRequest:
    """One request for one call.

    key: of the call in the journal; number: 1 for its first request. body: for the server. asked, kind, reads, features: for reading
    and storing the answer. most: the most that the call can cost, in dollars. sent: bytes of its messages.
    used: tokens read and written, and dollars, of its earlier requests.
    """

    key: str
    kind: str
    engine: str
    base_url: str
    body: Mapping[str, Any]
    asked: Asked
    reads: str = "texts"
    features: ServerFeatures = field(default_factory=ServerFeatures)
    number: int = 1
    is_repair: bool = False
    most: float = 0.0
    sent: int = 0
    used: tuple[int, int, float] = (0, 0, 0.0)

    @property
    def custom_id(self) -> str:
        """Its name in the files.

        >>> BatchRequest("f" * 64, "write", "served:m", "http://x/v1", {}, {}, number=2).custom_id[-4:]
        'ff-2'
        """
        if self.number == 1:
            return self.key
        ending = f"-{self.number}"
        return self.key[: _MAX_ID - len(ending)] + ending

    def line(self) -> str:
        """The line for the provider."""
        return json.dumps(
            {"custom_id": self.custom_id, "method": "POST", "url": URL, "body": self.body}, ensure_ascii=True
        )

    def record(self) -> str:
        """The line that is kept: everything except the body."""
        values = asdict(replace(self, body={})) | {"features": _json_of(self.features)}
        del values["body"]
        return json.dumps(values | {"custom_id": self.custom_id}, ensure_ascii=True)

    @staticmethod
    def of_record(values: Mapping[str, Any]) -> BatchRequest:
        """The request of a kept line, without its body."""
        read, written, cost = values["used"]
        typed = {
            "features": _features_of(values["features"]),
            "used": (int(read), int(written), float(cost)),
            "body": {},
        }
        request = BatchRequest(**{name: v for name, v in values.items() if name != "custom_id"} | typed)
        if request.custom_id != values["custom_id"] or not isinstance(request.asked, dict):
            raise ValueError("a line is incomplete")
        return request


@dataclass(slots=True)
class RequestFile:
    """One file of requests, and its state. file_id, batch_id, status: as the server calls them; "" before.

    is_collected: its batch has ended and all answers were fetched. is_heard: that is so, or an answer file mentions one of its
    requests; before that, an answer cannot be missing.
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
        """Whether the server was asked to begin its batch, and it is unknown whether it did."""
        return not self.batch_id and self.status == BEGINNING and not self.is_heard

    @property
    def is_running(self) -> bool:
        """Whether a server may be answering it: the same calls elsewhere would be paid twice."""
        return self.is_in_doubt or (self.is_submitted and not self.is_collected)


class BatchFolder:
    """The batch files of one run; `folder` is the run's.

    files: in the order in which they were written. features: what a server supports, by kind of call. rejected: requests that a
    server does not accept, by `custom_id`, and what to request instead. left_out: `custom_id`s of the last requests of calls that
    were repeated too often; `longway rewrite` makes them one by one.
    """

    def __init__(self, folder: Path) -> None:
        self.run_folder, self.folder = folder, folder / FOLDER
        self.files: list[RequestFile] = []
        self.features: dict[str, ServerFeatures] = {}
        self.rejected: dict[str, ServerFeatures] = {}
        self.left_out: set[str] = set()
        if (self.folder / STATE).exists():
            self._load()

    def save(self) -> None:
        """Write the state of the files; the run is blocked while a batch is running."""
        self.folder.mkdir(parents=True, exist_ok=True)
        reason = self._why_blocked(self.files)
        if reason:  # before the state: a process that dies in between must leave the run blocked
            block_run(self.run_folder, reason)
        write_json(
            self.folder / STATE,
            {
                "version": 1,
                "files": [asdict(file) for file in self.files],
                "features": {name: _json_of(features) for name, features in self.features.items()},
                "rejected": {name: _json_of(features) for name, features in self.rejected.items()},
                "left_out": sorted(self.left_out),
            },
        )
        if not reason:
            block_run(self.run_folder, "")

    def path(self, file: RequestFile) -> Path:
        """The path of a file of requests."""
        return self.folder / file.name

    def check_none_running(self, *, ended: Collection[str] = ()) -> None:
        """Raises RunError if a batch is running. ended: names of files whose batch is over."""
        if reason := self._why_blocked([file for file in self.files if file.name not in ended]):
            raise RunError(reason)

    def _why_blocked(self, files: Iterable[RequestFile]) -> str:
        running = [file for file in files if file.is_running]
        if doubtful := [file.name for file in running if file.is_in_doubt]:
            return (
                f"It is unknown whether the batch of {', '.join(doubtful)} was begun: the server's answer was lost. New calls may be "
                f"paid twice. First run `longway batch submit --run {self.run_folder}`, which looks for the batch."
            )
        if not running:
            return ""
        batches = "1 batch is" if len(running) == 1 else f"{len(running):,} batches are"
        return f"{batches} running. New calls would be paid twice. First run `longway batch collect --run {self.run_folder}`."

    def features_of(self, engine: str, base_url: str, kind: str) -> ServerFeatures | None:
        """What a server supports for such a call; None if it has answered none."""
        return self.features.get(f"{kind} {engine} {base_url}")

    def learn(self, request: BatchRequest) -> None:
        """Remember that the server answered such a request; the features of the first one are kept."""
        self.features.setdefault(f"{request.kind} {request.engine} {request.base_url}", request.features)

    def requests(self, files: Iterable[RequestFile] | None = None) -> Iterator[BatchRequest]:
        """All requests in the order in which they were written, without bodies. files: only those."""
        for file in self.files if files is None else files:
            path = _record_path(self.path(file))
            for line in _lines_of(path):
                with _reporting_damage(path):
                    request = BatchRequest.of_record(line)
                yield request

    def with_bodies(self, files: Iterable[RequestFile] | None = None) -> Iterator[BatchRequest]:
        """The same with bodies."""
        for file in self.files if files is None else files:
            path = self.path(file)
            for request, line in zip_longest(self.requests([file]), _lines_of(path)):
                with _reporting_damage(path):
                    if request is None or line is None or line["custom_id"] != request.custom_id:
                        raise ValueError("its lines do not match the file beside it")
                    whole = replace(request, body=line["body"])
                yield whole

    @contextmanager
    def unanswered(self, file: RequestFile, answered: Collection[str]) -> Iterator[Path]:
        """The requests of a file without those of answered calls, in a temporary file."""
        with temporary_in(self.folder) as path:
            with disk_errors(path), path.open("w", encoding="ascii", newline="\n") as lines:
                for request in self.with_bodies([file]):
                    if request.key not in answered:
                        lines.write(request.line() + "\n")
            yield path

    def _load(self) -> None:
        path = self.folder / STATE
        with _reporting_damage(path):
            state = json.loads(path.read_text(encoding="utf-8"))
            self.files = [RequestFile(**file) for file in state["files"]]
            self.features = {name: _features_of(values) for name, values in state["features"].items()}
            self.rejected = {name: _features_of(values) for name, values in state["rejected"].items()}
            self.left_out = set(state.get("left_out", ()))


class RequestWriter:
    """Writes requests into files of a batch folder, in a `with` block.

    written: the files. No file is written without a request. A block that ends in an error leaves the folder unchanged.
    """

    def __init__(self, batch: BatchFolder, *, max_lines: int = MAX_LINES, max_bytes: int = MAX_BYTES) -> None:
        self.batch, self.max_lines, self.max_bytes = batch, max_lines, max_bytes
        self.written: list[RequestFile] = []
        self._open: dict[tuple[str, str], _OpenFile] = {}

    def __enter__(self) -> RequestWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        open_files, self._open = list(self._open.values()), {}
        for file in open_files:
            file.close(keep=kind is None)
        if kind is not None:
            for written in self.written:  # those that were full before the error
                self.batch.path(written).unlink(missing_ok=True)
                _record_path(self.batch.path(written)).unlink(missing_ok=True)
        elif self.written:
            self.batch.files += self.written
            self.batch.save()

    def add(self, request: BatchRequest) -> None:
        """Add one request to the file of its model and server."""
        line = request.line().encode() + b"\n"
        server = request.engine, request.base_url
        file = self._open.get(server)
        if file is not None and (file.lines >= self.max_lines or file.size + len(line) > self.max_bytes):
            file.close(keep=True)
            file = None
        if file is None:
            self.batch.folder.mkdir(parents=True, exist_ok=True)
            name = f"requests-{len(self.batch.files) + len(self.written) + 1:04}.jsonl"
            self.written.append(RequestFile(name, *server, 0))
            file = self._open[server] = _OpenFile(self.written[-1], self.batch.folder / name)
        file.add(line, request.record().encode() + b"\n")


class _OpenFile:
    """A file of requests that is being written, and the record beside it."""

    def __init__(self, file: RequestFile, path: Path) -> None:
        self.file, self.lines, self.size = file, 0, 0
        self._stack = ExitStack()
        self._sent = self._opened(path)
        self._records = self._opened(_record_path(path))

    def _opened(self, path: Path) -> IO[bytes]:
        return self._stack.enter_context(self._stack.enter_context(replacing(path)).open("wb"))

    def add(self, line: bytes, record: bytes) -> None:
        self._sent.write(line)
        self._records.write(record)
        self.lines += 1
        self.size += len(line)
        self.file.requests += 1

    def close(self, *, keep: bool) -> None:
        if keep:
            self._stack.close()
        else:
            error = KeyboardInterrupt()  # any error discards what was written so far
            self._stack.__exit__(type(error), error, None)


@contextmanager
def temporary_in(folder: Path) -> Iterator[Path]:
    """A file that is removed afterwards; `Run.open` removes it after a process that was killed."""
    with disk_errors(folder):
        handle, name = tempfile.mkstemp(dir=folder, prefix=".lines.", suffix=".jsonl")
        os.close(handle)
    try:
        yield Path(name)
    finally:
        Path(name).unlink(missing_ok=True)


def _record_path(path: Path) -> Path:
    return path.with_name(path.name.replace("requests-", "asked-", 1))


def _lines_of(path: Path) -> Iterator[Any]:
    with _reporting_damage(path), path.open(encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


@contextmanager
def _reporting_damage(path: Path) -> Iterator[None]:
    """Turns errors of reading our own files into one that explains how to recover without paying twice."""
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = (
            str(error) if isinstance(error, OSError | ValueError) else "a part is missing, or of another type"
        )
        raise RunError(
            f"{path} is not what `longway batch write` wrote: {why}. Submitted batches are paid for: first download their answers "
            f"from your provider. Then delete the folder {path.parent}, write the requests again, and pass the answers to "
            "`longway batch collect`. The new requests have the same names, and answers that were collected are in the journal."
        ) from None


def _json_of(features: ServerFeatures) -> dict[str, object]:
    return asdict(features) | {"without": sorted(features.without)}


def _features_of(values: Mapping[str, Any]) -> ServerFeatures:
    return ServerFeatures(**{**values, "without": frozenset(values["without"])})
