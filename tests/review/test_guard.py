"""The guard alone: requests handed to it as a server would, without a socket."""

import asyncio
import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.review.guard import HEADERS, MAX_BODY, Guard

PORT = 8123
OURS = f"127.0.0.1:{PORT}"


class Behind:
    """An application that keeps what reached it."""

    def __init__(self, error=None):
        self.bodies, self.error = [], error

    async def __call__(self, scope, receive, send):
        message = await receive()
        self.bodies.append(message["body"])
        if self.error is not None:
            raise self.error
        await send({"type": "http.response.start", "status": 200, "headers": [(b"Cache-Control", b"public")]})
        await send({"type": "http.response.body", "body": b"inside"})


def ask(guard, method="GET", path="/", query=b"", headers=(), body=(b"",), raw_path=None):
    """Status, headers and text of the answer; body: the pieces in which it comes, an exception instead of one is awaited forever."""
    sent, pieces = [], list(body)

    async def receive():
        if not pieces:
            await asyncio.sleep(60)
        piece = pieces.pop(0)
        if piece is None:
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": piece, "more_body": bool(pieces) or piece == b"more to come"}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": path,
        "raw_path": raw_path or path.encode(),
        "query_string": query,
        "headers": [(name.encode(), value.encode("latin-1")) for name, value in headers],
    }
    asyncio.run(guard(scope, receive, send))
    got = [(name.decode().lower(), value.decode()) for name, value in sent[0]["headers"]]
    text = b"".join(one["body"] for one in sent[1:]).decode()
    return sent[0]["status"], got, text, len(pieces)


def cookie_of(guard):
    return ("cookie", f"{guard.cookie_name}={guard.cookie}")


def test_who_has_host_and_cookie_comes_in_with_all_headers_of_ours_and_none_of_others():
    guard = Guard(Behind(), port=PORT)
    status, headers, text, _ = ask(guard, headers=[("host", OURS), cookie_of(guard)])
    assert (status, text) == (200, "inside")
    assert [value for name, value in headers if name == "cache-control"] == ["no-store"]
    assert HEADERS.items() <= dict(headers).items()
    assert not any(name.startswith("access-control") for name, _ in headers)


def may_pass(method, host, origin, site, cookie):
    """The rule, said once more in the plainest way."""
    if host not in ("127.0.0.1:8123", "localhost:8123") or cookie != "right":
        return False
    origin_is_ours = origin == "http://" + host or (origin == "null" and site == "same-origin")
    if method == "GET":
        return (origin is None or origin_is_ours) and site in (None, "none", "same-origin")
    return method == "POST" and origin_is_ours and site in (None, "same-origin")


ORIGINS = (
    None,
    "null",
    "http://127.0.0.1:8123",
    "http://localhost:8123",
    "https://127.0.0.1:8123",
    "http://127.0.0.1:9",
)
SITES = (None, "none", "same-origin", "same-site", "cross-site", "Same-Origin", "")


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("host", ["127.0.0.1:8123", "localhost:8123", "evil.example:8123", None])
def test_exactly_those_requests_pass_that_the_rule_lets_pass(method, host):
    """All of them, not a sample: few pass, and a sample would hardly meet those."""
    for origin, site, cookie in product(ORIGINS, SITES, ("right", "wrong", None)):
        behind = Behind()
        guard = Guard(behind, port=PORT)
        value = {"right": guard.cookie, "wrong": guard.token, None: None}[cookie]
        sent = {
            "host": host,
            "origin": origin,
            "sec-fetch-site": site,
            "cookie": value and f"{guard.cookie_name}={value}",
        }
        headers = [(name, one) for name, one in sent.items() if one is not None]
        status, answered, _, _ = ask(guard, method, headers=headers)
        assert (status == 200) == may_pass(method, host, origin, site, cookie) == bool(behind.bodies), sent
        assert HEADERS.items() <= dict(answered).items()


@pytest.mark.parametrize("method", ["PUT", "OPTIONS", "TRACE", "PATCH", "CONNECT", "get", ""])
def test_other_methods_are_refused(method):
    guard = Guard(Behind(), port=PORT)
    headers = [("host", OURS), ("origin", f"http://{OURS}"), cookie_of(guard)]
    status, answered, _, _ = ask(guard, method, headers=headers)
    assert (status, dict(answered)["allow"]) == (405, "GET, HEAD, POST")


@given(st.text(st.characters(max_codepoint=255), max_size=40))
def test_no_other_host_is_served(host):
    guard = Guard(Behind(), port=PORT)
    expected = 200 if host in (OURS, f"localhost:{PORT}") else 403
    assert ask(guard, headers=[("host", host), cookie_of(guard)])[0] == expected


@pytest.mark.parametrize("name", ["host", "origin", "sec-fetch-site", "content-length"])
def test_a_header_that_decides_may_come_once_only(name):
    guard = Guard(Behind(), port=PORT)
    good = {"host": OURS, "origin": f"http://{OURS}", "sec-fetch-site": "same-origin", "content-length": "0"}
    headers = [*good.items(), (name, good[name]), cookie_of(guard)]
    assert ask(guard, "POST", headers=headers)[0] == 400


@pytest.mark.parametrize(
    "cookie",
    [
        "",
        ";",
        "=",
        "a=b",
        "{name}",
        "{name}=",
        "{name}={token}",
        '{name}="',
        "{name}={value}x",
        "{name}=\xff",
        "x" * 9000,
    ],
)
def test_a_cookie_that_is_not_ours_is_no_cookie(cookie):
    guard = Guard(Behind(), port=PORT)
    text = cookie.format(name=guard.cookie_name, token=guard.token, value=guard.cookie)
    assert ask(guard, headers=[("host", OURS), ("cookie", text)])[0] == 403


def test_the_cookie_is_found_among_those_of_other_programs():
    guard = Guard(Behind(), port=PORT)
    cookie = f'_xsrf=2|a|b; other={{"a": 1}}; {guard.cookie_name}={guard.cookie}; last=x'
    assert ask(guard, headers=[("host", OURS), ("cookie", cookie)])[0] == 200


def test_the_token_sets_another_secret_as_cookie_and_leaves_the_address():
    guard = Guard(Behind(), port=PORT)
    query = f"label=a%26b&token={guard.token}&search=%C3%A9".encode()
    status, headers, text, _ = ask(guard, path="/edits", query=query, headers=[("host", OURS)])
    answer = dict(headers)
    assert (status, text) == (303, "")
    assert answer["location"] == f"http://{OURS}/edits?label=a%26b&search=%C3%A9"
    assert answer["set-cookie"] == f"{guard.cookie_name}={guard.cookie}; HttpOnly; SameSite=Strict; Path=/"
    assert guard.token not in str(headers)
    assert len(guard.token) >= 43  # 256 bits in letters of 6 bits
    assert len(guard.cookie) >= 43


def test_a_link_on_another_site_goes_on_by_a_page_of_ours_since_a_redirect_would_have_no_strict_cookie():
    guard = Guard(Behind(), port=PORT)
    query = f"token={guard.token}&a=%22%3E%3Cscript%3E".encode()
    status, headers, text, _ = ask(
        guard, path='/"><script>', query=query, headers=[("host", OURS), ("sec-fetch-site", "cross-site")]
    )
    assert status == 200
    assert guard.cookie in dict(headers)["set-cookie"]
    assert f'content="0; url=http://{OURS}/%22%3E%3Cscript%3E?a=%22%3E%3Cscript%3E"' in text


@pytest.mark.parametrize(
    "path", ["//evil.example", "//evil.example/%2f..", "/\\evil.example", "/\r\nset-cookie: a=b", "/\0"]
)
def test_the_token_leads_nowhere_but_to_ourselves(path):
    guard = Guard(Behind(), port=PORT)
    _, headers, _, _ = ask(guard, path=path, query=b"token=" + guard.token.encode(), headers=[("host", OURS)])
    assert re.fullmatch(rf"http://{re.escape(OURS)}/[!-~]*", dict(headers)["location"])


@pytest.mark.parametrize("token", ["", "x", "%00", "%ff", "{cookie}"])
def test_a_wrong_token_is_refused_even_with_the_cookie(token):
    guard = Guard(Behind(), port=PORT)
    query = b"token=" + token.format(cookie=guard.cookie).encode()
    assert ask(guard, query=query, headers=[("host", OURS), cookie_of(guard)])[0] == 403


def test_a_token_in_a_post_opens_nothing():
    guard = Guard(Behind(), port=PORT)
    headers = [("host", OURS), ("origin", f"http://{OURS}")]
    assert ask(guard, "POST", query=b"token=" + guard.token.encode(), headers=headers)[0] == 403


@pytest.mark.parametrize("path", ["http://evil.example/", "*", "", "edits"])
def test_an_address_that_is_no_path_is_refused(path):
    guard = Guard(Behind(), port=PORT)
    assert ask(guard, path=path, headers=[("host", OURS), cookie_of(guard)])[0] == 400


def posted(guard, body, *more):
    return ask(
        guard,
        "POST",
        headers=[("host", OURS), ("origin", f"http://{OURS}"), cookie_of(guard), *more],
        body=body,
    )


def test_a_body_comes_whole_or_not_at_all():
    behind = Behind()
    guard = Guard(behind, port=PORT)
    assert posted(guard, [b"ab", b"", b"c"])[0] == 200
    assert posted(guard, [b"x" * MAX_BODY])[0] == 200
    assert posted(guard, [b"a", None])[0] == 400
    assert behind.bodies == [b"abc", b"x" * MAX_BODY]


def test_a_body_that_says_it_is_too_large_is_not_read():
    status, _, _, left = posted(Guard(Behind(), port=PORT), [b"x"], ("content-length", str(MAX_BODY + 1)))
    assert (status, left) == (413, 1)


def test_a_body_that_does_not_say_its_size_is_read_up_to_the_limit_only():
    pieces = [b"x" * 1000] * 1000
    status, _, _, left = posted(Guard(Behind(), port=PORT), pieces, ("transfer-encoding", "chunked"))
    assert (status, 1000 - left) == (413, MAX_BODY // 1000 + 1)


def test_without_the_cookie_nothing_of_a_body_is_read():
    guard = Guard(Behind(), port=PORT)
    status, headers, _, left = ask(
        guard, "POST", headers=[("host", OURS), ("origin", f"http://{OURS}")], body=[b"x"]
    )
    assert (status, left, dict(headers)["connection"]) == (403, 1, "close")


@pytest.mark.parametrize("header", [("content-length", "3"), ("transfer-encoding", "chunked")])
def test_a_get_has_no_body(header):
    guard = Guard(Behind(), port=PORT)
    assert ask(guard, headers=[("host", OURS), cookie_of(guard), header], body=[b"abc"])[0] == 400


@pytest.mark.parametrize("path", ["/edits", "/edits.json"])
def test_an_error_shows_nothing_of_the_inside_but_the_terminal_says_it(path, capsys):
    guard = Guard(Behind(KeyError("secret \x1b[31m of the inside")), port=PORT)
    status, _, text, _ = ask(guard, path=path, headers=[("host", OURS), cookie_of(guard)])
    assert status == 500
    assert "Something went wrong" in text
    assert "secret" not in text
    assert "Traceback" not in text
    told = capsys.readouterr().err
    assert "KeyError" in told
    assert "of the inside" in told
    assert "\x1b" not in told


def test_head_has_headers_and_no_body():
    status, headers, text, _ = ask(Guard(Behind(), port=PORT), "HEAD", headers=[("host", OURS)])
    assert (status, text) == (403, "")
    assert int(dict(headers)["content-length"]) > 0


def test_what_is_not_http_is_not_spoken():
    async def nothing(*given):
        raise AssertionError

    with pytest.raises(RuntimeError, match="HTTP only"):
        asyncio.run(Guard(Behind(), port=PORT)({"type": "websocket"}, nothing, nothing))
