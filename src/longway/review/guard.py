"""Access control: only the browser that opened the URL with the token, and only our own pages.

    request -> Host ours? -> method known? -> Origin and Sec-Fetch-Site ours? -> cookie ours? -> body small? -> the application
                 |403          |405             |403                             |403               |413

    /?token=...  the token of the printed URL: the response sets the cookie (another random value) and redirects to the same
                 address without the token, which keeps it out of history, logs and links

Plain ASGI around everything, including unknown addresses and static files: nothing is answered before these checks.
A page of another site cannot send our Host with our cookie (SameSite=Strict), nor read a response (no CORS header, CORP). A foreign
name that points to 127.0.0.1 (DNS rebinding) has another Host. A page on another port of this machine is "same-site" for the browser,
so Origin and Sec-Fetch-Site must say same-origin. What remains: browsers send a cookie of 127.0.0.1 to every port, so opening a
web page that another user serves on this machine, in the same browser, reveals the cookie to that user.
"""

from __future__ import annotations

import json
import secrets
import sys
import traceback
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

METHODS = ("GET", "HEAD", "POST")
MAX_BODY = 256 * 1024
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
_FORBIDDEN = "Open the address that `longway review` printed in the terminal: it contains the access token."


class RequestRejected(Exception):  # noqa: N818 - named after what happened
    """A request that goes no further, with its status and message."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        self.status, self.message, self.headers = status, message, headers or {}
        super().__init__(message)


class Guard:
    """The application behind the checks above.

    port: where the server listens. token: part of the URL. cookie: what the browser sends afterwards.
    """

    def __init__(self, app: App, *, port: int) -> None:
        self._app = app
        self._hosts = tuple(f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost"))
        self.token = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.cookie_name = f"longway_review_{port}"  # cookies ignore ports: two reviews must not share one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            raise RuntimeError(f"the review supports HTTP only, not {scope['type']}")
        response = _Response(scope, send)
        try:
            body = await self._admit(scope, receive, response)
            if body is not None:
                await self._app(scope, _replayed(body, receive), response.send)
        except RequestRejected as rejected:
            await response.reject(rejected)
        except Exception:
            log(f"{scope['method']} {scope['path']} failed:\n{traceback.format_exc()}")
            await response.reject(RequestRejected(500, "Something went wrong. See the terminal for details."))

    async def _admit(self, scope: Scope, receive: Receive, response: _Response) -> bytes | None:
        """The body of an admitted request; None if it was the token's, which is answered here."""
        headers, method = _Headers(scope), scope["method"]
        host = headers.value("host")
        if host not in self._hosts:
            raise RequestRejected(403, "This host name is not served here. " + _FORBIDDEN)
        if not scope["path"].startswith("/") or not (scope.get("raw_path") or b"/").startswith(b"/"):
            raise RequestRejected(400, "Expected an address that starts with /.")
        if method not in METHODS:
            raise RequestRejected(
                405, f"Expected one of {', '.join(METHODS)}.", {"allow": ", ".join(METHODS)}
            )
        _check_origin(headers, host.decode(), method)
        query = _query(scope)
        token = next((value for name, value in query if name == "token"), None)
        if method != "POST" and token is not None:
            if not secrets.compare_digest(token.encode(), self.token.encode()):
                raise RequestRejected(403, _FORBIDDEN)
            await self._let_in(query, headers, f"http://{host.decode()}", response)
            return None
        if headers.value("sec-fetch-site") not in (None, b"none", b"same-origin"):
            raise RequestRejected(403, _FORBIDDEN)
        if not self._has_cookie(headers):
            raise RequestRejected(403, _FORBIDDEN)
        return await _read_body(headers, method, receive)

    def _has_cookie(self, headers: _Headers) -> bool:
        """Whether the request carries the cookie. Compared in constant time.

        Split by hand: http.cookies gives up if a cookie of another program has a character it does not know.
        """
        pairs = [pair.strip().partition(b"=") for line in headers.all("cookie") for pair in line.split(b";")]
        given = [value for name, _, value in pairs if name == self.cookie_name.encode()]
        return len(given) == 1 and secrets.compare_digest(given[0], self.cookie.encode())

    async def _let_in(
        self, query: list[tuple[str, str]], headers: _Headers, server: str, response: _Response
    ) -> None:
        """Set the cookie and redirect to the same address without the token.

        After a link on another site (a terminal in a browser, a file that opens us), the browser would not send a SameSite=Strict
        cookie along with a redirect; a page of ours that refreshes is same-site.
        """
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        place = f"{server}{quote(response.scope['path'], safe='/')}" + (f"?{rest}" if rest else "")
        cookie = f"{self.cookie_name}={self.cookie}; HttpOnly; SameSite=Strict; Path=/"
        if headers.value("sec-fetch-site") in (None, b"none", b"same-origin"):
            await response.whole(303, "", {"location": place, "set-cookie": cookie})
        else:
            page = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(place)}"><title>Longway</title>'
            await response.whole(200, page, {"set-cookie": cookie})


def _check_origin(headers: _Headers, host: str, method: str) -> None:
    """The Origin must be ours if sent; a POST must send one.

    A form's Origin is "null" under our Referrer-Policy; then Sec-Fetch-Site, which no page can set, must be same-origin.
    """
    origin, site = headers.value("origin"), headers.value("sec-fetch-site")
    is_ours = origin == f"http://{host}".encode() or (origin == b"null" and site == b"same-origin")
    if origin is not None and not is_ours:
        raise RequestRejected(403, "This request came from a page of another site.")
    if method == "POST" and (origin is None or site not in (None, b"same-origin")):
        raise RequestRejected(
            403, "This request came from another site, or has no Origin: a POST needs ours."
        )


class _Headers:
    """The headers of a request, by lower-case name."""

    def __init__(self, scope: Scope) -> None:
        self._pairs = [(name.lower(), value) for name, value in scope["headers"]]

    def all(self, name: str) -> list[bytes]:
        return [value for key, value in self._pairs if key == name.encode()]

    def value(self, name: str) -> bytes | None:
        """The header's value, None if absent; a repeated header is rejected."""
        values = self.all(name)
        if len(values) > 1:
            raise RequestRejected(400, f"Expected one {name} header, got {len(values)}.")
        return values[0] if values else None


class _Response:
    """Sends responses, all with our headers."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self.scope, self._send, self._has_begun = scope, send, False

    async def send(self, message: Message) -> None:
        """Send one part."""
        if message["type"] == "http.response.start":
            self._has_begun = True
            given = message.get("headers", [])
            own = [(name, value) for name, value in given if name.decode().lower() not in HEADERS]
            ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": own + ours}
        await self._send(message)

    async def whole(self, status: int, page: str, headers: dict[str, str]) -> None:
        """Send a complete page."""
        body = page.encode()
        named = {"content-type": "text/html; charset=utf-8", "content-length": str(len(body)), **headers}
        pairs = [(name.encode(), value.encode()) for name, value in named.items()]
        is_head = self.scope["method"] == "HEAD"
        await self.send({"type": "http.response.start", "status": status, "headers": pairs})
        await self.send({"type": "http.response.body", "body": b"" if is_head else body})

    async def reject(self, rejected: RequestRejected) -> None:
        """Send an error, unless a response has begun; as JSON to scripts."""
        if self._has_begun:
            return
        headers = {**rejected.headers, "connection": "close"}  # an unread body ends here
        if self.scope["method"] == "POST" or self.scope["path"].endswith(".json"):
            text = json.dumps({"error": rejected.message})
            await self.whole(rejected.status, text, {**headers, "content-type": "application/json"})
        else:
            await self.whole(rejected.status, plain_page(rejected.message), headers)


def plain_page(message: str) -> str:
    """A page with one message and no other resources."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Longway review</title></head>'
        f'<body><h1>Longway review</h1><p>{escape(message)}</p><p><a href="/">Overview</a></p></body></html>'
    )


def log(text: str) -> None:
    """Print a message to the terminal, without control characters."""
    clean = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
    print(f"longway review: {clean}", file=sys.stderr, flush=True)


def _query(scope: Scope) -> list[tuple[str, str]]:
    try:
        return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise RequestRejected(400, "Expected at most 100 parameters in the address.") from None


async def _read_body(headers: _Headers, method: str, receive: Receive) -> bytes:
    """The whole body; rejected as soon as it is too large."""
    too_large = RequestRejected(413, f"Expected at most {MAX_BODY // 1024} KB.")
    length = int(headers.value("content-length") or 0)  # the server has checked that it is a number
    if length > MAX_BODY:
        raise too_large
    if method != "POST":
        if length > 0 or headers.value("transfer-encoding") is not None:
            raise RequestRejected(400, f"Expected no body with {method}.")
        return b""
    body, more = bytearray(), True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise RequestRejected(400, "The request ended before its body did.")
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > MAX_BODY:
            raise too_large
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that returns the body that was read, then what follows (the end of the connection)."""
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay
