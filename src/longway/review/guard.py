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

import secrets
import sys
import traceback
from html import escape
from urllib.parse import parse_qsl, quote, urlencode

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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

    def __init__(self, app: ASGIApp, *, port: int) -> None:
        self._app = app
        self._hosts = tuple(f"{name}:{port}" for name in ("127.0.0.1", "localhost"))
        self.token = secrets.token_urlsafe(32)
        self.cookie = secrets.token_urlsafe(32)
        self.cookie_name = f"longway_review_{port}"  # cookies ignore ports: two reviews must not share one

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            raise RuntimeError(f"the review supports HTTP only, not {scope['type']}")
        has_begun = False

        async def send_with_headers(message: Message) -> None:
            nonlocal has_begun
            if message["type"] == "http.response.start":
                has_begun = True
                headers = MutableHeaders(raw=[(name.lower(), value) for name, value in message["headers"]])
                headers.update(HEADERS)
                message = {**message, "headers": headers.raw}
            await send(message)

        try:
            answer = await self._answer(Request(scope, receive))
            await answer(scope, receive, send_with_headers)
        except RequestRejected as rejected:
            await _rejection(scope, rejected)(scope, receive, send_with_headers)
        except Exception:
            log(f"{scope['method']} {scope['path']} failed:\n{traceback.format_exc()}")
            if not has_begun:
                failed = RequestRejected(500, "Something went wrong. See the terminal for details.")
                await _rejection(scope, failed)(scope, receive, send_with_headers)

    async def _answer(self, request: Request) -> ASGIApp:
        """What answers an admitted request: a response to the token, or the application. Raises RequestRejected."""
        method, scope = request.method, request.scope
        host = _single(request, "host")
        if host not in self._hosts:
            raise RequestRejected(403, "This host name is not served here. " + _FORBIDDEN)
        if not scope["path"].startswith("/") or not (scope.get("raw_path") or b"/").startswith(b"/"):
            raise RequestRejected(400, "Expected an address that starts with /.")
        if method not in METHODS:
            allowed = ", ".join(METHODS)
            raise RequestRejected(405, f"Expected one of {allowed}.", {"allow": allowed})
        _check_origin(request, host)
        query = _query(scope)
        token = next((value for name, value in query if name == "token"), None)
        if method != "POST" and token is not None:
            if not secrets.compare_digest(token.encode(), self.token.encode()):
                raise RequestRejected(403, _FORBIDDEN)
            return self._let_in(request, query)
        if _single(request, "sec-fetch-site") not in (None, "none", "same-origin"):
            raise RequestRejected(403, _FORBIDDEN)
        if not self._has_cookie(request):
            raise RequestRejected(403, _FORBIDDEN)
        return _with_body(self._app, await _read_body(request))

    def _has_cookie(self, request: Request) -> bool:
        """Whether the request carries the cookie. Compared in constant time.

        Split by hand: http.cookies gives up if a cookie of another program has a character it does not know.
        """
        pairs = [
            pair.strip().partition("=")
            for line in request.headers.getlist("cookie")
            for pair in line.split(";")
        ]
        given = [value for name, _, value in pairs if name == self.cookie_name]
        return len(given) == 1 and secrets.compare_digest(given[0].encode(), self.cookie.encode())

    def _let_in(self, request: Request, query: list[tuple[str, str]]) -> Response:
        """Set the cookie and redirect to the same address without the token.

        After a link on another site (a terminal in a browser, a file that opens us), the browser would not send a SameSite=Strict
        cookie along with a redirect; a page of ours that refreshes is same-site.
        """
        rest = urlencode([(name, value) for name, value in query if name != "token"])
        place = f"http://{request.headers['host']}{quote(request.scope['path'], safe='/')}" + (
            f"?{rest}" if rest else ""
        )
        cookie = {"set-cookie": f"{self.cookie_name}={self.cookie}; HttpOnly; SameSite=Strict; Path=/"}
        if _single(request, "sec-fetch-site") in (None, "none", "same-origin"):
            return _page("", request.scope, 303, {**cookie, "location": place})
        refresh = f'<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0; url={escape(place)}"><title>Longway</title>'
        return _page(refresh, request.scope, 200, cookie)


def _single(request: Request, name: str) -> str | None:
    """The header's value, None if absent; a repeated header is rejected."""
    values = request.headers.getlist(name)
    if len(values) > 1:
        raise RequestRejected(400, f"Expected one {name} header, got {len(values)}.")
    return values[0] if values else None


def _check_origin(request: Request, host: str) -> None:
    """The Origin must be ours if sent; a POST must send one.

    A form's Origin is "null" under our Referrer-Policy; then Sec-Fetch-Site, which no page can set, must be same-origin.
    """
    origin, site = _single(request, "origin"), _single(request, "sec-fetch-site")
    is_ours = origin == f"http://{host}" or (origin == "null" and site == "same-origin")
    if origin is not None and not is_ours:
        raise RequestRejected(403, "This request came from a page of another site.")
    if request.method == "POST" and (origin is None or site not in (None, "same-origin")):
        raise RequestRejected(
            403, "This request came from another site, or has no Origin: a POST needs ours."
        )


def _rejection(scope: Scope, rejected: RequestRejected) -> Response:
    """The response to a rejected request: JSON to scripts, a page with one message to people."""
    headers = {**rejected.headers, "connection": "close"}  # an unread body ends here
    if scope["method"] == "POST" or scope["path"].endswith(".json"):
        return JSONResponse({"error": rejected.message}, rejected.status, headers)
    page = (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>Longway review</title></head>'
        f'<body><h1>Longway review</h1><p>{escape(rejected.message)}</p><p><a href="/">Overview</a></p></body></html>'
    )
    return _page(page, scope, rejected.status, headers)


def _page(page: str, scope: Scope, status: int, headers: dict[str, str]) -> Response:
    """A page of the guard itself; without its body for HEAD."""
    if scope["method"] != "HEAD":
        return HTMLResponse(page, status, headers)
    return HTMLResponse("", status, {**headers, "content-length": str(len(page.encode()))})


def log(text: str) -> None:
    """Print a message to the terminal, without control characters."""
    clean = "".join(c if c.isprintable() or c == "\n" else "\ufffd" for c in text)
    print(f"longway review: {clean}", file=sys.stderr, flush=True)


def _query(scope: Scope) -> list[tuple[str, str]]:
    try:
        return parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=100)
    except ValueError:
        raise RequestRejected(400, "Expected at most 100 parameters in the address.") from None


async def _read_body(request: Request) -> bytes:
    """The whole body; rejected as soon as it is too large."""
    too_large = RequestRejected(413, f"Expected at most {MAX_BODY // 1024} KB.")
    length = int(_single(request, "content-length") or 0)  # the server has checked that it is a number
    if length > MAX_BODY:
        raise too_large
    if request.method != "POST":
        if length > 0 or "transfer-encoding" in request.headers:
            raise RequestRejected(400, f"Expected no body with {request.method}.")
        return b""
    body = bytearray()
    try:
        async for part in request.stream():
            body += part
            if len(body) > MAX_BODY:
                raise too_large
    except ClientDisconnect:
        raise RequestRejected(400, "The request ended before its body did.") from None
    return bytes(body)


def _with_body(app: ASGIApp, body: bytes) -> ASGIApp:
    """The application, for which the body that was read comes first, then what follows (the end of the connection)."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def replay() -> Message:
            return messages.pop() if messages else await receive()

        await app(scope, replay, send)

    return answer
