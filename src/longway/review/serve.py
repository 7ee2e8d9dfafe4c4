"""The server of a review: a socket on 127.0.0.1, uvicorn, and the URL that opens it.

RunContents  ->  app.application  ->  guard.Guard  ->  uvicorn on 127.0.0.1:PORT

serve()     for the command: until Ctrl-C
serving()   for scripts and tests: in a thread, for the duration of the `with`
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
from typing import TYPE_CHECKING

from longway.errors import MissingExtra, SettingError
from longway.review.guard import Guard

try:
    import uvicorn

    from longway.review.app import application
except ModuleNotFoundError as error:
    if error.name not in ("starlette", "uvicorn"):
        raise
    raise MissingExtra(error.name, extra="review", purpose="Serving the review") from None

if TYPE_CHECKING:
    from longway.review.run_contents import RunContents

HOST = "127.0.0.1"
MAX_HEAD = 16 * 1024  # bytes of a request's head


class Review:
    """A review, ready to be served.

    address: where. url: the first page (page: its path), with the token. server: the uvicorn server.
    """

    def __init__(self, contents: RunContents, *, author: str, port: int = 0, page: str = "") -> None:
        self.contents = contents
        self._socket = _bound(port)
        self.port: int = self._socket.getsockname()[1]
        self.guard = Guard(application(contents, author=author), port=self.port)
        self.address = f"http://{HOST}:{self.port}/"
        self.url = f"{self.address}{page}?token={self.guard.token}"
        self.server = uvicorn.Server(
            uvicorn.Config(
                self.guard,
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,
                timeout_graceful_shutdown=3,
                h11_max_incomplete_event_size=MAX_HEAD,
            )
        )
        logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # the guard reports what matters

    def run(self) -> None:
        """Serve until the process receives Ctrl-C or SIGTERM, or `server.should_exit` is set."""
        self.server.run(sockets=[self._socket])

    def close(self) -> None:
        """Release the port without having served."""
        self._socket.close()


def serve(review: Review, *, folder: Path, browser: bool) -> None:
    """Serve until Ctrl-C, then shut down gracefully.

    browser: open the page. The browser opens a file, readable by this user only, that redirects to the URL: every user of the
    machine can see the arguments of a command, so the token must not be one.
    """
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    opener = _opener(folder, review.url) if browser else None
    try:
        if opener is not None:
            threading.Timer(0.5, webbrowser.open, [opener.as_uri()]).start()
        review.run()  # uvicorn handles the signals and raises them again afterwards: ignored here
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        if opener is not None:
            opener.unlink(missing_ok=True)


@contextmanager
def serving(contents: RunContents, *, author: str = "reviewer") -> Iterator[Review]:
    """A review that is served for the duration of the `with`; open `review.url`."""
    review = Review(contents, author=author)
    thread = threading.Thread(target=review.run, daemon=True)
    thread.start()
    try:
        yield review
    finally:
        review.server.should_exit = True
        thread.join()


def has_display() -> bool:
    """Whether a browser can open on this machine."""
    return sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )


def _bound(port: int) -> socket.socket:
    """A socket on 127.0.0.1 that no other process can share."""
    if not 0 <= port < 65536:
        raise SettingError(f"--port must be between 0 and 65535. Got {port}. 0 takes a free one.")
    # Declared as TCP: otherwise asyncio does not disable Nagle's algorithm, and every response is 40 ms late.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if os.name == "posix":  # a port that was just closed is free; one in use is not
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((HOST, port))
        bound.listen()  # at once: requests before uvicorn is ready wait, and no other process takes the port
    except OSError as error:
        bound.close()
        reasons = {errno.EADDRINUSE: "is used by another program", errno.EACCES: "is not open to this user"}
        if error.errno in reasons:
            raise SettingError(
                f"Port {port} of {HOST} {reasons[error.errno]}. Expected a free one. Give another --port, or none."
            ) from None
        raise
    return bound


def _opener(folder: Path, url: str) -> Path:
    """A file that redirects to the URL; only this user can read it."""
    path = folder / "review" / "open.html"
    path.parent.mkdir(exist_ok=True)
    path.unlink(missing_ok=True)
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(
            f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(url)}"><title>Longway</title>'
        )
    return path.resolve()
