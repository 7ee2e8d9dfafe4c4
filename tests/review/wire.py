"""Talking to a served review: politely as one tab of a browser, or with the bare bytes that no polite client would send."""

import socket
import time
from contextlib import contextmanager
from html.parser import HTMLParser

import httpx

from longway.review import routes
from longway.review.app import EXPORTS


@contextmanager
def tab(review):
    """A client that opened the printed address, as a browser would."""
    with httpx.Client(base_url=review.address, headers={"origin": review.address[:-1]}, timeout=30) as client:
        assert client.get(review.url).status_code == 303
        yield client


def cookie(review):
    """The header that lets a request in."""
    return f"{review.guard.cookie_name}={review.guard.cookie}"


def head(review, target, method="GET", **headers):
    """The bytes of a request's head; names with _ for -, None leaves one out."""
    named = {"host": f"127.0.0.1:{review.port}", "cookie": cookie(review), "connection": "close"}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = (
        [f"{method} ".encode() + target + b" HTTP/1.1"]
        if isinstance(target, bytes)
        else [f"{method} {target} HTTP/1.1".encode()]
    )
    lines += [f"{name}: {value}".encode("latin-1") for name, value in named.items() if value is not None]
    return b"\r\n".join(lines) + b"\r\n\r\n"


def connect(review):
    made = socket.create_connection(("127.0.0.1", review.port), timeout=20)
    made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return made


def rest_of(connection):
    """All that still comes, until the server closes."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def raw(review, request):
    """Status and the whole answer to these bytes; status 0 where the server just closed."""
    with connect(review) as connection:
        connection.sendall(request)
        answer = rest_of(connection)
    return (int(answer.split(b" ", 2)[1]) if answer.startswith(b"HTTP/1.1 ") else 0), answer


def until(is_so):
    """Wait for something that takes its time on a busy machine."""
    for _ in range(400):
        if is_so():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come")


def addresses():
    """Every address of the table of routes, with values that can be in the place of those in braces."""
    values = {"key": "0" * 16, "id": "1", "name": "first"}
    pages = [f"/{name.format(**values)}" for name in routes.PAGES]
    twins = [f"/{name.format(**values) or 'overview'}.json" for name in routes.PAGES]
    exports = [f"/export/{name}" for name in EXPORTS]
    others = [
        "/static/review.css",
        "/static/nothing",
        "/no-such-page",
        "/.git/config",
        "/favicon.ico",
    ]
    return [*pages, *twins, *exports, *(f"/{name}" for name in routes.ACTIONS), *others]


class Elements(HTMLParser):
    """What a browser would find in a page: elements with attributes, and its texts."""

    def __init__(self, page):
        super().__init__()
        self.found, self.texts, self._inside = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))
        self._inside.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in self._inside:
            while self._inside.pop() != tag:
                pass

    def handle_data(self, data):
        self.texts.append((self._inside[-1] if self._inside else "", data))
