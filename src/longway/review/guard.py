"""Who may talk to the review: the one browser that opened the URL with the token, and pages of ours only.

    request -> Host ours? -> method known? -> Origin and Sec-Fetch-Site ours? -> cookie ours? -> body small and in time? -> the application
                 |403          |405             |403                             |403               |413, 408

    /?token=...  the token of the URL that was printed: the answer sets the cookie (another random value) and goes on to the
                 same address without the token, so that it is in no history, no log and no link

It is plain ASGI around everything, unknown addresses and static files included: nothing is answered before these questions are.
A page of another site cannot send our Host with our cookie (SameSite=Strict), nor read an answer (no CORS header, CORP). A foreign
name that points to 127.0.0.1 (DNS rebinding) has another Host. A page of another port of this machine is "same-site" for the browser,
so Origin and Sec-Fetch-Site must say same-origin. What remains: browsers send a cookie of 127.0.0.1 to every port of it, so whoever
opens a web page that another person serves on this machine, in the same browser, shows them the cookie.
"""

from __future__ import annotations

import asyncio
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
BODY_SECONDS = 15.0  # for a whole body
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
_FORBIDDEN = (
    "Open the address that `longway review` printed in the terminal: it has a token that lets you in."
)


class Refused(Exception):  # noqa: N818 - named after what happened
    """A request that goes no further: its status and what to tell."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        self.status, self.message, self.headers = status, message, headers or {}
        super().__init__(message)


class Guard:
    """The application behind the questions above.

    port: where the server listens. token: what the URL carries. cookie: what the browser has afterwards.
    """

    def __init__(self, app: App, *, port: int) -> None:
        self._app = app
        self._hosts = tuple(f"{name}:{port}".encode() for name in ("127.0.0.1", "localhost"))
        self.token = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.cookie_name = f"longway_review_{port}"  # cookies know no ports: two reviews must not share one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            raise RuntimeError(f"the review speaks HTTP only, not {scope['type']}")
        answer = _Answer(send)
        try:
            body = await self._admitted(scope, receive, answer)
            if body is not None:
                await self._app(scope, _replayed(body, receive), answer.send)
        except Refused as refused:
            await answer.refuse(refused, scope)
        except Exception:
            tell(f"{scope['method']} {scope['path']} failed:\n{traceback.format_exc()}")
            await answer.refuse(Refused(500, "Something went wrong. The terminal says what."), scope)

    async def _admitted(self, scope: Scope, receive: Receive, answer: _Answer) -> bytes | None:
        """The body of a request that may pass; None where it was the token's, and is answered."""
        headers = _Headers(scope)
        host = self._host(headers)
        if not scope["path"].startswith("/") or not (scope.get("raw_path") or b"/").startswith(b"/"):
            raise Refused(400, "Expected an address that starts with /.")
        if scope["method"] not in METHODS:
            raise Refused(405, f"Expected one of {', '.join(METHODS)}.", {"allow": ", ".join(METHODS)})
        self._check_origin(headers, host, scope["method"])
        if scope["method"] != "POST" and (token := _token(scope)) is not None:
            if not secrets.compare_digest(token.encode(), self.token.encode()):
                raise Refused(403, _FORBIDDEN)
            await self._let_in(scope, headers, host, answer)
            return None
        if headers.one("sec-fetch-site") not in (None, b"none", b"same-origin"):
            raise Refused(403, _FORBIDDEN)
        if not self._has_cookie(headers):
            raise Refused(403, _FORBIDDEN)
        return await _whole_body(headers, scope["method"], receive)

    def _host(self, headers: _Headers) -> str:
        host = headers.one("host")
        if host not in self._hosts:
            raise Refused(403, "This name is not served here. " + _FORBIDDEN)
        return host.decode()

    def _check_origin(self, headers: _Headers, host: str, method: str) -> None:
        """Whatever is sent must be ours; a POST must say where it comes from.

        A form's Origin is "null" under our Referrer-Policy; then Sec-Fetch-Site, which no page can set, must be same-origin.
        """
        origin, site = headers.one("origin"), headers.one("sec-fetch-site")
        is_ours = origin == f"http://{host}".encode() or (origin == b"null" and site == b"same-origin")
        if origin is not None and not is_ours:
            raise Refused(403, "This came from a page of another site.")
        if method == "POST" and (origin is None or site not in (None, b"same-origin")):
            raise Refused(
                403, "This came from a page of another site, or from none: a POST needs our Origin."
            )

    def _has_cookie(self, headers: _Headers) -> bool:
        """Whether the request carries the cookie. Compared in constant time.

        Split by hand: http.cookies gives up where a cookie of another program has a letter that it does not know.
        """
        pairs = [one.strip().partition(b"=") for line in headers.all("cookie") for one in line.split(b";")]
        given = [value for name, _, value in pairs if name == self.cookie_name.encode()]
        return len(given) == 1 and secrets.compare_digest(given[0], self.cookie.encode())

    async def _let_in(self, scope: Scope, headers: _Headers, host: str, answer: _Answer) -> None:
        """Set the cookie and go on without the token.

        Where a link on another site was followed (a terminal in a browser, a file that opens us), the browser would not send
        a SameSite=Strict cookie along with a redirect; a page of ours that goes on is same-site.
        """
        rest = [(name, value) for name, value in _query(scope) if name != "token"]
        place = f"http://{host}{quote(scope['path'], safe='/')}" + (f"?{urlencode(rest)}" if rest else "")
        cookie = f"{self.cookie_name}={self.cookie}; HttpOnly; SameSite=Strict; Path=/"
        if headers.one("sec-fetch-site") in (None, b"none", b"same-origin"):
            await answer.whole(303, "", {"location": place, "set-cookie": cookie}, scope)
        else:
            page = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(place)}"><title>Longway</title>'
            await answer.whole(200, page, {"set-cookie": cookie}, scope)


class _Headers:
    """The headers of a request, by their names in small letters."""

    def __init__(self, scope: Scope) -> None:
        self._pairs = [(name.lower(), value) for name, value in scope["headers"]]

    def all(self, name: str) -> list[bytes]:
        return [value for key, value in self._pairs if key == name.encode()]

    def one(self, name: str) -> bytes | None:
        """The header's value, None where there is none; twice is refused."""
        values = self.all(name)
        if len(values) > 1:
            raise Refused(400, f"Expected one {name} header, got {len(values)}.")
        return values[0] if values else None


class _Answer:
    """What is sent: our headers with everything, and whether it has begun."""

    def __init__(self, send: Send) -> None:
        self._send, self._has_begun = send, False

    async def send(self, message: Message) -> None:
        """Send one piece."""
        if message["type"] == "http.response.start":
            self._has_begun = True
            own = [
                (name, value)
                for name, value in message.get("headers", [])
                if name.decode().lower() not in HEADERS
            ]
            ours = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message = {**message, "headers": own + ours}
        await self._send(message)

    async def whole(self, status: int, page: str, headers: dict[str, str], scope: Scope) -> None:
        """Send a page at once."""
        body = page.encode()
        named = {"content-type": "text/html; charset=utf-8", "content-length": str(len(body)), **headers}
        pairs = [(name.encode(), value.encode()) for name, value in named.items()]
        await self.send({"type": "http.response.start", "status": status, "headers": pairs})
        await self.send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})

    async def refuse(self, refused: Refused, scope: Scope) -> None:
        """Send why not, unless an answer is under way; as JSON where JSON was asked for."""
        if self._has_begun:
            return
        headers = {**refused.headers, "connection": "close"}  # a body that was not read ends here
        if scope["method"] == "POST" or scope["path"].endswith(".json"):
            text = json.dumps({"error": refused.message})
            await self.whole(refused.status, text, {**headers, "content-type": "application/json"}, scope)
        else:
            await self.whole(refused.status, plain_page(refused.message), headers, scope)


def plain_page(message: str) -> str:
    """A page that says one thing, without anything from elsewhere."""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Longway review</title></head>'
        f'<body><h1>Longway review</h1><p>{escape(message)}</p><p><a href="/">Overview</a></p></body></html>'
    )


def tell(text: str) -> None:
    """Say something in the terminal, without the characters that steer one."""
    clean = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
    print(f"longway review: {clean}", file=sys.stderr, flush=True)


def _query(scope: Scope) -> list[tuple[str, str]]:
    try:
        return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise Refused(400, "Expected at most 100 parameters in the address.") from None


def _token(scope: Scope) -> str | None:
    """The token in the address, None where there is none."""
    return next((value for name, value in _query(scope) if name == "token"), None)


async def _whole_body(headers: _Headers, method: str, receive: Receive) -> bytes:
    """The body, read to its end; refused as soon as it is too large or takes too long."""
    too_large = Refused(413, f"Expected at most {MAX_BODY // 1024} KB.")
    length = headers.one("content-length")
    if length is not None and int(length) > MAX_BODY:  # the server has checked that it is a number
        raise too_large
    if method != "POST":
        if (length is not None and int(length) > 0) or headers.one("transfer-encoding") is not None:
            raise Refused(400, f"Expected no body with {method}.")
        return b""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise Refused(400, "The request ended before its body did.")
                body += message.get("body", b"")
                more = message.get("more_body", False)
                if len(body) > MAX_BODY:
                    raise too_large
    except TimeoutError:
        raise Refused(408, f"Expected the whole request within {BODY_SECONDS:g} seconds.") from None
    return bytes(body)


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body that was read, and then what comes (the end of the connection)."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
