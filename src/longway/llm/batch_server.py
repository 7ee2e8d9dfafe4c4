"""Batches on a server that takes them: upload a file of requests, begin its batch, fetch what was answered.

    server = BatchServer(base_url)
    server.submit(path, file, save)      uploads and begins; `save` is called around each step, so that nothing is begun twice
    server.look(file)                    how far it is: a `Progress`
    server.fetched(file_id, folder)      an answer file, for as long as it is read

The last two raise `BatchForgotten` where the server does not know any more what it has begun.

It speaks to `/files` and `/batches` of the OpenAI protocol. A server that has none of it says so, and its files are uploaded by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longway.errors import EngineError, MissingExtra
from longway.llm.batch import BEGINNING, URL, RequestFile, temporary_in
from longway.llm.prices import is_local
from longway.llm.secret import Secret, find_key
from longway.store.disk_errors import told_of_disk

# A batch of any other status, those we do not know included, may still answer: asking again would pay twice.
_OVER = frozenset({"completed", "failed", "expired", "cancelled"})
_NOT_THERE = (404, 405, 501)


class BatchForgotten(EngineError):  # noqa: N818 - named after what happened
    """A server does not know a batch any more that it has begun, or has thrown its answers away."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is. outputs: ids of its answer and error files; why: what a server says that did not take it."""

    status: str
    outputs: tuple[str, ...] = ()
    why: str = ""

    @property
    def is_under_way(self) -> bool:
        """Whether answers may still come."""
        return self.status not in _OVER


class BatchServer:
    """One server that may take batches. api_key: from the environment or a keyring where not given."""

    def __init__(self, base_url: str, *, api_key: str | None = None, timeout: float = 120.0) -> None:
        self.base_url, self.timeout = base_url, timeout
        self.key = Secret(api_key) if api_key else find_key(base_url)

    def submit(self, path: Path, file: RequestFile, save: Callable[[], object]) -> None:
        """Upload the requests, which are at `path`, and begin their batch; `file` gets the ids.

        Where it was asked to begin before and its answer got lost, the batch is looked for, and begun only if it is not there.
        """
        with self._client() as client:
            if not file.file_id:
                with path.open("rb") as content:
                    sent = client.files.create(file=(file.name, content), purpose="batch")
                file.file_id = _id_of(sent)
                save()
            begun = self._begun(client, file) if file.is_in_doubt else None
            begun = begun or self._begin(client, file, save)
            file.batch_id, file.status = _id_of(begun), str(begun.status).lower()
            save()

    def look(self, file: RequestFile) -> Progress:
        """How far the batch of a file is."""
        with self._client(is_begun=True) as client:
            batch = client.batches.retrieve(file.batch_id)
            said = getattr(batch.errors, "data", None) or []
            why = "; ".join(str(one.message) for one in said if one.message)
            outputs = tuple(name for name in (batch.output_file_id, batch.error_file_id) if name)
            return Progress(str(batch.status).lower(), outputs, self.key.hide(why))

    @contextmanager
    def fetched(self, file_id: str, folder: Path) -> Iterator[Path]:
        """An answer file, in a temporary place in the folder: a server may repeat the key in it, so it does not stay."""
        with temporary_in(folder) as path:
            with (
                self._client(is_begun=True) as client,
                told_of_disk(path),
                client.files.with_streaming_response.content(file_id) as content,
            ):
                content.stream_to_file(path)
            yield path

    def _begin(self, client: Any, file: RequestFile, save: Callable[[], object]) -> Any:
        """Have a batch begun. That it is tried is put down before: nobody else may know that it was begun."""
        file.status = BEGINNING
        save()
        try:
            # Sent once: a second try would begin a second batch where only the answer to the first got lost.
            once = client.with_options(max_retries=0)
            return once.batches.create(input_file_id=file.file_id, endpoint=URL, completion_window="24h")
        except Exception as error:
            status = getattr(error, "status_code", 500)
            if 400 <= status < 500 and status != 408:  # the server said that it did not
                file.status = ""
                save()
            raise

    def _begun(self, client: Any, file: RequestFile) -> Any:
        """The batch of a file of which nobody knows whether it was begun; None where it was not."""
        try:
            listed = client.batches.list(limit=100)
            return next((batch for batch in listed if batch.input_file_id == file.file_id), None)
        except Exception as error:
            if getattr(error, "status_code", 0) not in _NOT_THERE:
                raise
        raise EngineError(
            f"{self.base_url} lists no batches. The one of {file.name} may have been begun: the answer to that got lost. Look on "
            "your provider's page. If it is there, download its answers for `longway batch collect`; if not, upload the file there."
        )

    @contextmanager
    def _client(self, *, is_begun: bool = False) -> Iterator[Any]:
        """A client whose errors are told in our words. is_begun: it is asked about a batch that the server has begun."""
        try:
            import openai
        except ImportError:
            raise MissingExtra("openai", extra="served", purpose="A batch on a server") from None
        told: EngineError
        try:
            with openai.OpenAI(
                api_key=self.key.reveal() or "none",
                base_url=self.base_url,
                timeout=self.timeout,
                max_retries=2,
                http_client=openai.DefaultHttpxClient(trust_env=not is_local(self.base_url)),
            ) as client:
                yield client
                return
        except openai.APIStatusError as error:
            told = self._of_status(error.status_code, error.message, is_begun)
        except openai.APIConnectionError as error:
            told = EngineError(
                f"{self.base_url} cannot be reached: {type(error.__cause__).__name__}. Expected a server that takes batches. "
                "Run the same command again later: what was done is kept."
            )
        except (openai.OpenAIError, AttributeError, TypeError, ValueError) as error:
            told = EngineError(
                f"{self.base_url} answered in a form that is none of a batch: {self.key.hide(str(error))[:200]}. "
                "Expected /files and /batches as OpenAI has them. Upload the files by hand."
            )
        raise told  # outside of the handlers: the library's error holds the request with its key

    def _of_status(self, status: int, message: str, is_begun: bool) -> EngineError:
        said = " ".join(self.key.hide(message).split())[:300]
        if is_begun and status in (404, 410):
            return BatchForgotten(f"{self.base_url} does not know it (status {status}: {said})")
        if status in _NOT_THERE:
            return EngineError(
                f"{self.base_url} takes no batches (status {status}). Expected /files and /batches. Upload the request files "
                "where your provider takes them, then: longway batch collect ANSWERS."
            )
        if status in (401, 403):
            return EngineError(
                f"{self.base_url} did not accept the key (status {status}: {said}). Check LONGWAY_API_KEY or OPENAI_API_KEY."
            )
        return EngineError(
            f"{self.base_url} did not take a batch (status {status}: {said}). Expected it to be begun. "
            "Run the same command again later: what was done is kept."
        )


def _id_of(made: Any) -> str:
    """What a server calls what it has made."""
    if not made.id:
        raise ValueError("it has no id")
    return str(made.id)
