"""Batches on a server that takes them: upload a file of requests, begin its batch, fetch what was answered.

    server = BatchServer(base_url)
    server.submit(path, file, save)      uploads and begins; `save` is called after each step, so that nothing is begun twice
    server.look(file)                    how far it is: a `Progress`
    server.fetch(file_id, path)          an answer file

It speaks to `/files` and `/batches` of the OpenAI protocol. A server that has none of it says so, and its files are uploaded by hand.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from longway.errors import EngineError, MissingExtra
from longway.llm.batch import URL, RequestFile
from longway.llm.prices import is_local
from longway.llm.secret import Secret, find_key
from longway.store import replacing

UNDER_WAY = frozenset({"validating", "in_progress", "finalizing", "cancelling"})
_NOT_THERE = (404, 405, 501)


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a batch is. outputs: ids of its answer and error files; why: what a server says that did not take it."""

    status: str
    outputs: tuple[str, ...] = ()
    why: str = ""

    @property
    def is_under_way(self) -> bool:
        """Whether answers may still come."""
        return self.status in UNDER_WAY


class BatchServer:
    """One server that may take batches. api_key: from the environment or a keyring where not given."""

    def __init__(self, base_url: str, *, api_key: str | None = None, timeout: float = 120.0) -> None:
        self.base_url, self.timeout = base_url, timeout
        self.key = Secret(api_key) if api_key else find_key(base_url)

    def submit(self, path: Path, file: RequestFile, save: Callable[[], object]) -> None:
        """Upload the requests and begin their batch; `file` gets the ids. A file that is on its way already is not begun again."""
        with self._client() as client:
            if not file.file_id:
                with path.open("rb") as content:
                    sent = client.files.create(file=(path.name, content), purpose="batch")
                file.file_id = str(sent.id)
                save()
            begun = self._begun(client, file.file_id) or client.batches.create(
                input_file_id=file.file_id, endpoint=URL, completion_window="24h"
            )
            file.batch_id, file.status = str(begun.id), str(begun.status)
            save()

    def look(self, file: RequestFile) -> Progress:
        """How far the batch of a file is."""
        with self._client() as client:
            batch = client.batches.retrieve(file.batch_id)
            said = getattr(batch.errors, "data", None) or []
            why = "; ".join(str(one.message) for one in said if one.message)
            outputs = tuple(name for name in (batch.output_file_id, batch.error_file_id) if name)
            return Progress(str(batch.status), outputs, self.key.hide(why))

    def fetch(self, file_id: str, path: Path) -> Path:
        """Put an answer file at a path, whole or not at all."""
        with (
            self._client() as client,
            replacing(path) as temporary,
            client.files.with_streaming_response.content(file_id) as content,
        ):
            content.stream_to_file(temporary)
        return path

    @staticmethod
    def _begun(client: Any, file_id: str) -> Any:
        """The batch of an uploaded file, where this process was killed after it had begun one."""
        return next(
            (batch for batch in client.batches.list(limit=100) if batch.input_file_id == file_id), None
        )

    @contextmanager
    def _client(self) -> Iterator[Any]:
        """A client whose errors are told in our words."""
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
            told = self._of_status(error.status_code, error.message)
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

    def _of_status(self, status: int, message: str) -> EngineError:
        said = " ".join(self.key.hide(message).split())[:300]
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
