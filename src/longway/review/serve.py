"""The review on this machine: a socket on 127.0.0.1, uvicorn behind it, and the address that opens it.

    Book  ->  server.application  ->  guard.Guard  ->  Connection (slow clients)  ->  127.0.0.1:PORT

    serve()     for the command: until Ctrl-C
    serving()   for scripts and tests: in a thread, as long as the `with` lasts

A connection has HEAD_SECONDS to say what it wants, counted from its start (or from the last answer) however slowly it goes on
talking; one that does not read its answer is let go after STALL_SECONDS. Where all places are taken, the one that has been silent
longest makes room. So whoever holds connections open blocks nobody.
"""

from __future__ import annotations

import errno
import logging
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longway.errors import MissingExtra, SettingError
from longway.review.guard import Guard

try:
    import h11
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    from longway.review.server import application
except ModuleNotFoundError as error:
    if error.name not in ("h11", "starlette", "uvicorn"):
        raise
    raise MissingExtra(error.name, extra="review", purpose="Serving the review") from None

if TYPE_CHECKING:
    from longway.review.book import Book

HOST = "127.0.0.1"
MAX_CONNECTIONS = 64
HEAD_SECONDS = 10.0
IDLE_SECONDS = 5
STALL_SECONDS = 30.0
MAX_HEAD = 16 * 1024


class Connection(H11Protocol):
    """One connection that cannot be kept open by being slow."""

    def __init__(self, *args: Any, **settings: Any) -> None:
        super().__init__(*args, **settings)
        self._silent_since: float | None = None  # while we wait for the head of a request
        self._head_timer: Any = None
        self._stall_timer: Any = None

    def connection_made(self, transport: Any) -> None:
        """Take a place; where there is none left, that of who has been silent longest."""
        super().connection_made(transport)
        others = [other for other in self.connections if isinstance(other, Connection) and other is not self]
        if len(others) >= MAX_CONNECTIONS:
            silent = [other for other in others if other._silent_since is not None]
            (min(silent, key=lambda other: other._silent_since or 0.0) if silent else self).transport.abort()
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Read on; the time for the head goes on as well."""
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request, for as long as for the first."""
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Let the clocks stop."""
        self._stop(self._head_timer)
        self._stop(self._stall_timer)
        self._silent_since = None
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not read as fast as we write: give it some time."""
        super().pause_writing()
        self._stall_timer = self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """The client reads again."""
        self._stop(self._stall_timer)
        super().resume_writing()

    def _watch(self) -> None:
        """Have the clock run exactly while the head of a request is due."""
        is_due = self.conn.their_state is h11.IDLE and not self.transport.is_closing()
        if is_due and self._silent_since is None:
            self._silent_since = self.loop.time()
            self._head_timer = self.loop.call_later(HEAD_SECONDS, self.transport.abort)
        elif not is_due and self._silent_since is not None:
            self._silent_since = None
            self._stop(self._head_timer)

    @staticmethod
    def _stop(timer: Any) -> None:
        if timer is not None:
            timer.cancel()


class Review:
    """A review that is about to be served.

    address: where. url: the same with the token. server: what answers there.
    """

    def __init__(self, book: Book, *, author: str, port: int = 0) -> None:
        self.book = book
        self._socket = _bound(port)
        self.port: int = self._socket.getsockname()[1]
        self.guard = Guard(application(book, author=author), port=self.port)
        self.address = f"http://{HOST}:{self.port}/"
        self.url = f"{self.address}?token={self.guard.token}"
        self.server = uvicorn.Server(
            uvicorn.Config(
                self.guard,
                http=Connection,
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=IDLE_SECONDS,
                timeout_graceful_shutdown=3,
                h11_max_incomplete_event_size=MAX_HEAD,
            )
        )
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # what matters is told by the guard

    def run(self) -> None:
        """Serve until the process gets Ctrl-C or SIGTERM, or `server.should_exit` is set."""
        self.server.run(sockets=[self._socket])

    def close(self) -> None:
        """Give the port back without having served."""
        self._socket.close()


def serve(review: Review, *, folder: Path, browser: bool) -> None:
    """Serve until Ctrl-C, which ends it as it should be ended.

    browser: open the page. The browser gets a file that only this user can read and that leads to the address: every user of the
    machine can see the arguments of a command, so the token must not be one.
    """
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    opener = _opener(folder, review.url) if browser else None
    try:
        if opener is not None:
            threading.Timer(0.5, webbrowser.open, [opener.as_uri()]).start()
        review.run()  # uvicorn listens to the signals and afterwards raises them again: ignored here
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if opener is not None:
            opener.unlink(missing_ok=True)


@contextmanager
def serving(book: Book, *, author: str = "reviewer", port: int = 0) -> Iterator[Review]:
    """A review that is served while the `with` lasts; open `review.url`."""
    review = Review(book, author=author, port=port)
    thread = threading.Thread(target=review.run, daemon=True)
    thread.start()
    try:
        yield review
    finally:
        review.server.should_exit = True
        thread.join()


def has_display() -> bool:
    """Whether there is a screen that a browser of this machine could open on."""
    return sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def _bound(port: int) -> socket.socket:
    """A socket on 127.0.0.1 that no other can share."""
    if not 0 <= port < 65536:
        raise SettingError(f"--port must be between 0 and 65535. Got {port}. 0 takes a free one.")
    # Named as TCP, or asyncio would not switch Nagle's algorithm off and every answer would come 40 ms late.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # a port that was just closed is free; one that is in use is not
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
        bound.listen(
            MAX_CONNECTIONS
        )  # at once: who asks before uvicorn is ready waits, and no other takes the port
    except OSError as error:
        bound.close()
        if error.errno in (errno.EADDRINUSE, errno.EACCES):
            why = (
                "is used by another program"
                if error.errno == errno.EADDRINUSE
                else "is not open to this user"
            )
            raise SettingError(
                f"Port {port} of {HOST} {why}. Expected one that is free. Give another --port, or none: a free one is taken."
            ) from None
        raise
    return bound


def _opener(folder: Path, url: str) -> Path:
    """A file that leads to the address; nobody else can read it."""
    path = folder / "review" / "open.html"
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(url)}"><title>Longway</title>'
        )
    return path.resolve()
