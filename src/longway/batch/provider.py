"""Batches on a server that supports them: upload a file of requests, begin its batch, fetch the answers.

    provider = BatchProvider(base_url)
    provider.submit(path, file, save)      uploads and begins; calls `save` around each step, so that nothing is begun twice
    provider.progress(file)                how far it is: a `BatchProgress`
    provider.fetched(file_id, folder)      an answer file, for the duration of the block

The last two raise `BatchForgotten` if the server no longer knows a batch that it began.

It uses `/files` and `/batches` of the OpenAI API. If a server has neither, the files must be uploaded by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longway.batch.request_files import BEGINNING, URL, RequestFile, temporary_in
from longway.engines.costs import is_local
from longway.engines.secret import Secret, find_key
from longway.engines.transport import redirected
from longway.errors import EngineError, MissingExtra
from longway.store.atomic import disk_errors

if TYPE_CHECKING:
    from openai import OpenAI

# A batch with any other status, known or not, may still answer: the same calls elsewhere would be paid twice.
_OVER = frozenset({"completed", "failed", "expired", "cancelled"})
_NOT_SUPPORTED = (404, 405, 501)


class BatchForgotten(EngineError):  # noqa: N818 - says what happened
    """A server no longer knows a batch that it began, or has deleted its answers."""


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch is. outputs: ids of its answer and error files; why: the server's message if it did not accept it."""

    status: str
    outputs: tuple[str, ...] = ()
    why: str = ""

    @property
    def is_running(self) -> bool:
        """Whether answers may still come."""
        return self.status not in _OVER


class BatchProvider:
    """One server that may support batches. api_key: by default from the environment or a keyring."""

    def __init__(self, base_url: str, *, api_key: str | None = None, timeout: float = 120.0) -> None:
        self.base_url, self.timeout = base_url, timeout
        self.key = Secret(api_key) if api_key else find_key(base_url)

    def submit(self, path: Path, file: RequestFile, save: Callable[[], object]) -> None:
        """Upload the requests at `path` and begin their batch; sets the ids of `file`.

        If an earlier request to begin it was not answered, the batch is looked for, and begun only if it does not exist.
        """
        with self._client() as client:
            if not file.file_id:
                with path.open("rb") as content:
                    uploaded = client.files.create(file=(file.name, content), purpose="batch")
                file.file_id = _id_of(uploaded)
                save()
            batch = self._existing(client, file) if file.is_in_doubt else None
            batch = batch or self._begin(client, file, save)
            file.batch_id, file.status = _id_of(batch), str(batch.status).lower()
            save()

    def progress(self, file: RequestFile) -> BatchProgress:
        """How far the batch of a file is."""
        with self._client(is_begun=True) as client:
            batch = client.batches.retrieve(file.batch_id)
            errors = (batch.errors.data if batch.errors else None) or []
            why = "; ".join(str(error.message) for error in errors if error.message)
            outputs = tuple(name for name in (batch.output_file_id, batch.error_file_id) if name)
            return BatchProgress(str(batch.status).lower(), outputs, self.key.hide(why))

    @contextmanager
    def fetched(self, file_id: str, folder: Path) -> Iterator[Path]:
        """An answer file, temporarily in the folder: it is not kept, because a server may repeat the key in it."""
        with temporary_in(folder) as path:
            with (
                self._client(is_begun=True) as client,
                disk_errors(path),
                client.files.with_streaming_response.content(file_id) as content,
            ):
                content.stream_to_file(path)
            yield path

    def _begin(self, client: OpenAI, file: RequestFile, save: Callable[[], object]) -> Any:
        """Begin a batch. The attempt is saved first: if the answer is lost, nothing else shows that it was begun."""
        from openai import APIStatusError

        file.status = BEGINNING
        save()
        try:
            # Sent once: if only the answer is lost, a second request would begin a second batch.
            once = client.with_options(max_retries=0)
            return once.batches.create(input_file_id=file.file_id, endpoint=URL, completion_window="24h")
        except APIStatusError as error:
            if 400 <= error.status_code < 500 and error.status_code != 408:  # the server did not begin it
                file.status = ""
                save()
            raise

    def _existing(self, client: OpenAI, file: RequestFile) -> Any:
        """The batch of a file whose beginning is in doubt; None if it was not begun."""
        from openai import APIStatusError

        try:
            batches = client.batches.list(limit=100)
            return next((batch for batch in batches if batch.input_file_id == file.file_id), None)
        except APIStatusError as error:
            if error.status_code not in _NOT_SUPPORTED:
                raise
        raise EngineError(
            f"{self.base_url} does not list batches, and it is unknown whether the batch of {file.name} was begun: the answer was "
            "lost. Check your provider's page. If the batch is there, download its answers for `longway batch collect`; if not, "
            "upload the file there."
        )

    @contextmanager
    def _client(self, *, is_begun: bool = False) -> Iterator[OpenAI]:
        """A client whose errors become ours. is_begun: the request is about a batch that the server has begun."""
        try:
            import openai
        except ImportError:
            raise MissingExtra("openai", extra="served", purpose="A batch on a server") from None
        failure: EngineError
        try:
            with openai.OpenAI(
                api_key=self.key.reveal() or "none",
                base_url=self.base_url,
                timeout=self.timeout,
                max_retries=2,
                http_client=openai.DefaultHttpxClient(
                    trust_env=not is_local(self.base_url),
                    follow_redirects=is_begun,  # the other requests have rows
                ),
            ) as client:
                yield client
                return
        except openai.APIStatusError as error:
            failure = self._error_of_status(error.status_code, error.message, is_begun)
            if error.response.has_redirect_location:
                failure = redirected(
                    self.base_url, error.status_code, error.response.headers, self.key, "--base-url"
                )
        except openai.APIConnectionError as error:
            failure = EngineError(
                f"{self.base_url} cannot be reached: {type(error.__cause__).__name__}. Expected a server that supports batches. "
                "Run the same command again later: finished steps are kept."
            )
        except (openai.OpenAIError, AttributeError, TypeError, ValueError) as error:
            failure = EngineError(
                f"{self.base_url} answered in another form than OpenAI's batch API: {self.key.hide(str(error))[:200]}. "
                "Expected /files and /batches. Upload the files by hand."
            )
        raise failure  # outside the handlers: the library's error contains the request with its key

    def _error_of_status(self, status: int, message: str, is_begun: bool) -> EngineError:
        said = " ".join(self.key.hide(message).split())[:300]
        if is_begun and status in (404, 410):
            return BatchForgotten(f"{self.base_url} does not know it (status {status}: {said})")
        if status in _NOT_SUPPORTED:
            return EngineError(
                f"{self.base_url} takes no batches (status {status}). Expected /files and /batches. Upload the request files "
                "to your provider, then run: longway batch collect ANSWERS."
            )
        if status in (401, 403):
            return EngineError(
                f"{self.base_url} did not accept the key (status {status}: {said}). Check LONGWAY_API_KEY or OPENAI_API_KEY."
            )
        return EngineError(
            f"{self.base_url} did not accept a batch (status {status}: {said}). "
            "Run the same command again later: finished steps are kept."
        )


def _id_of(created: Any) -> str:
    """The server's id of what it has created."""
    if not created.id:
        raise ValueError("it has no id")
    return str(created.id)
