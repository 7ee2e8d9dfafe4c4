"""What people on the same machine, other sites and hostile rows may try: a real server, and bytes that no polite client sends."""

import re
from urllib.parse import urljoin, urlsplit

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.review import routes
from longway.review.app import EXPORTS
from longway.review.edit_list import EditFilter
from longway.review.guard import HEADERS, MAX_BODY
from longway.review.run_contents import RunContents
from longway.review.serve import serving
from tests.review.wire import Elements, addresses, connect, cookie, head, raw, rest_of, tab

SECRET = "canary-5d1f"


@pytest.fixture(scope="module")
def review(hostile):
    (hostile.rewrite.parent / "secret.txt").write_text(SECRET)
    (hostile.rewrite / "review").mkdir(exist_ok=True)
    contents = RunContents(hostile.rewrite)
    with serving(contents, author="ann") as review:
        yield review
    contents.close()


# Who may talk to it


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "DELETE", "OPTIONS"])
def test_a_foreign_name_that_points_here_is_served_nothing(review, method):
    for address in addresses():
        for host in (f"evil.example:{review.port}", "127.0.0.1", f"127.0.0.1:{review.port}.evil.example", ""):
            origin = f"http://{host}"
            status, answer = raw(
                review, head(review, address, method, host=host, origin=origin, content_length="0")
            )
            assert status == 403, (address, host)
            assert SECRET.encode() not in answer


def test_a_request_without_a_host_is_refused(review):
    assert raw(review, head(review, "/", host=None))[0] == 400  # HTTP/1.1 asks for one
    assert raw(review, head(review, "/", host=None).replace(b"HTTP/1.1", b"HTTP/1.0"))[0] == 403
    two = head(review, "/", cookie=None).replace(b"\r\n\r\n", b"\r\nhost: evil.example\r\n\r\n")
    assert raw(review, two)[0] == 400


@pytest.mark.parametrize(
    "target", ["http://evil.example/", "http://127.0.0.1/edits", "evil.example:443", "*", "edits"]
)
def test_a_request_line_that_names_a_server_is_refused(review, target):
    for method in ("GET", "POST", "CONNECT"):
        assert raw(review, head(review, target, method))[0] in (400, 405)


@pytest.mark.parametrize("method", ["POST", "DELETE", "PUT", "PATCH"])
@pytest.mark.parametrize(
    "sent",
    [
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"origin": None},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},  # a page of another port of this machine
        {"sec_fetch_site": "none"},
        {"origin": "null", "sec_fetch_site": "cross-site"},
        {"origin": "http://127.0.0.1:1"},
    ],
    ids=str,
)
def test_pages_of_other_sites_change_nothing_even_with_the_cookie(review, method, sent):
    before = review.contents.decisions.last_seq
    for name in routes.ACTIONS:
        ours = {"origin": review.address[:-1], "content_type": "application/json", "content_length": "2"}
        status, _ = raw(review, head(review, f"/{name}", method, **(ours | sent)) + b"{}")
        assert status == (403 if method == "POST" else 405)
    assert review.contents.decisions.last_seq == before


def test_other_methods_are_refused_everywhere(review):
    for address in addresses():
        for method in ("DELETE", "PUT", "OPTIONS", "TRACE", "PROPFIND"):
            status, answer = raw(review, head(review, address, method, origin=review.address[:-1]))
            assert status == 405
            assert b"access-control" not in answer.lower()


def test_without_the_cookie_every_address_is_the_same_closed_door(review):
    answers = set()
    for address in addresses():
        for sent in (
            None,
            f"{review.guard.cookie_name}=",
            f"{review.guard.cookie_name}={review.guard.token}",
        ):
            status, answer = raw(review, head(review, address, cookie=sent))
            assert status == 403
            answers.add(answer.partition(b"\r\n\r\n")[2])
    assert len(answers) == 2  # as a page and as JSON: nothing tells whether there is anything behind


@pytest.mark.parametrize("token", ["", "x", "{short}", "{longer}", "{cookie}", "%00", "a&token={right}"])
def test_a_wrong_token_opens_nothing(review, token):
    right = review.guard.token
    text = token.format(short=right[:-1], longer=right + "A", cookie=review.guard.cookie, right=right)
    status, answer = raw(review, head(review, f"/?token={text}", cookie=None))
    assert status == 403
    assert b"set-cookie" not in answer


def test_token_and_cookie_of_another_run_open_nothing(review, hostile):
    contents = RunContents(hostile.audit, data=hostile.data)
    with serving(contents) as other:
        assert raw(review, head(review, f"/?token={other.guard.token}", cookie=None))[0] == 403
        assert raw(review, head(review, "/", cookie=cookie(other)))[0] == 403
        assert (
            raw(review, head(review, "/", cookie=f"{review.guard.cookie_name}={other.guard.cookie}"))[0]
            == 403
        )
        both = f"{cookie(other)}; {cookie(review)}"
        assert (
            raw(review, head(review, "/", cookie=both))[0]
            == raw(other, head(other, "/", cookie=both))[0]
            == 200
        )
    contents.close()


def test_it_listens_on_this_machine_only(review):
    assert review._socket is not None
    with open("/proc/net/tcp") as lines:  # noqa: PTH123
        listening = [line.split()[1] for line in lines if line.split()[3] == "0A"]
    assert [one for one in listening if one.endswith(f":{review.port:04X}")] == [
        f"0100007F:{review.port:04X}"
    ]


def test_every_answer_has_the_strict_headers(review):
    with tab(review) as client:
        for address in addresses():
            answer = client.get(address)
            assert HEADERS.items() <= dict(answer.headers).items(), address
            assert not [name for name in answer.headers if name.startswith("access-control")]
            assert "server" not in answer.headers


# What reaches the file system

CLIMBS = (
    "../secret.txt",
    "..%2fsecret.txt",
    "%2e%2e/secret.txt",
    "%2e%2e%2fsecret.txt",
    "..\\secret.txt",
    "..%5csecret.txt",
    "%252e%252e%252fsecret.txt",
    "..%c0%afsecret.txt",
    "../../../../../../../../etc/passwd",
    "..%2f..%2f..%2f..%2f..%2f..%2f..%2fetc%2fpasswd",
    "/etc/passwd",
    "%2fetc%2fpasswd",
    "file:///etc/passwd",
    "secret.txt%00.json",
    "%00",
    "....//secret.txt",
    "run.json",
    "review/review.sqlite",
    "review.css/../review.css",
)


def leaks(answer):
    return SECRET.encode() in answer or b"root:x:" in answer or b"SQLite format" in answer


def test_no_path_climbs_out_of_the_pages(review, hostile):
    before = everything_below(hostile)
    places = [
        "/",
        "/static/",
        "/export/",
        *(f"/{name.partition('{')[0]}" for name in routes.PAGES if "{" in name),
    ]
    for place in places:
        for climb in CLIMBS:
            for end in ("", ".json"):
                status, answer = raw(review, head(review, place + climb + end))
                assert status in (200, 303, 400, 404), (place, climb, status)
                assert not leaks(answer), (place, climb)
    assert everything_below(hostile) == before


def test_no_value_behind_the_question_mark_climbs_either(review, hostile):
    before = everything_below(hostile)
    exports = {
        f"export/{name}": {"undecided": routes.UNDECIDED, "path": None, "name": None} for name in EXPORTS
    }
    for name, values in {**routes.PAGES, **exports}.items():
        if "{" in name:
            continue
        for value in values or {"path": None}:
            for climb in CLIMBS[::4]:
                status, answer = raw(review, head(review, f"/{name}?{value}={climb}"))
                assert status in (200, 400, 404), (name, value, climb, status)
                assert not leaks(answer), (name, value, climb)
    assert everything_below(hostile) == before


def test_no_value_of_a_post_climbs(review, hostile):
    before = everything_below(hostile)
    with tab(review) as client:
        for name, fields in routes.ACTIONS.items():
            if name == "undo":
                continue
            for field in fields:
                for climb in ("../secret.txt", "/etc/passwd", "..\\x", "\0", "%2e%2e"):
                    body = {"key": "0" * 16, "kind": "edit", "choice": "none", field: climb}
                    answer = client.post(name, json=body)
                    assert answer.status_code in (400, 404), (name, field, climb, answer.text)
                    assert not leaks(answer.content)
    assert everything_below(hostile) == before


def everything_below(hostile):
    return sorted(
        (str(path), path.stat().st_size)
        for path in hostile.data.parent.rglob("*")
        if path.is_file() and "review.sqlite" not in path.name
    )


@pytest.mark.parametrize(
    "kind", ["multipart/form-data; boundary=x", "application/octet-stream", "text/plain", ""]
)
def test_files_are_not_accepted(review, kind):
    body = b'--x\r\ncontent-disposition: form-data; name="key"; filename="../a"\r\n\r\nabc\r\n--x--\r\n'
    with tab(review) as client:
        for name in routes.ACTIONS:
            assert client.post(name, content=body, headers={"content-type": kind}).status_code == 415


# What stands in texts, labels, columns and file names


def crawl(review, limit):
    """Address and page of the overview, of some edits and of everything that links lead to from there."""
    with tab(review) as client:
        edits = [f"{review.address}edits/{key}" for key in review.contents.edits.keys(EditFilter())[:4]]
        wanted, seen = [review.address, *edits], set()
        while wanted and len(seen) < limit:
            address = wanted.pop(0)
            if address in seen or not address.startswith(review.address) or "/export/" in address:
                continue
            seen.add(address)
            answer = client.get(address)
            if answer.headers["content-type"].startswith("text/html"):
                yield address, answer
                links = [attributes.get("href") for _, attributes in Elements(answer.text).found]
                wanted += [urljoin(address, link).partition("#")[0] for link in links if link]


ADDRESSES = "href src action formaction xlink:href data poster srcset background ping".split()


def wrong_in(page):
    """Everything in a page that runs, loads or leads where it should not."""
    elements = Elements(page)
    for tag, attributes in elements.found:
        is_ours = tag == "script" and (attributes.get("src") or "").startswith("/static/")
        if (
            tag in ("script", "style", "iframe", "object", "embed", "base", "foreignobject", "applet")
            and not is_ours
        ):
            yield f"<{tag}>"
        yield from (
            f"{tag} {name}" for name in attributes if name.startswith("on") or name in ("style", "srcdoc")
        )
        for name in ADDRESSES:
            link = re.sub(r"[\x00-\x20]", "", attributes.get(name) or "")
            is_picture = tag in ("img", "image", "link") and link.startswith("data:image/")
            is_no_icon = (tag, link) == ("link", "data:,")
            if urlsplit(link).scheme and not is_picture and not is_no_icon:
                yield f"{tag} {name}={link}"
    yield from (f"script {text!r}" for inside, text in elements.texts if inside == "script" and text.strip())


def test_the_judge_of_pages_sees_what_is_wrong():
    bad = [
        "<script>1</script>",
        "<p onclick=x>",
        '<a href=" java\nscript:x">',
        "<svg/onload=1>",
        "<p style=x>",
        "<base href=/>",
    ]
    good = '<script src="/static/a.js"></script><a href="/edits?a=b">x</a><img src="data:image/png;base64,">&lt;script&gt;'
    assert all(list(wrong_in(page)) for page in bad)
    assert not list(wrong_in(good))


@pytest.mark.parametrize("which", ["rewrite", "audit", "made"])
def test_no_row_label_column_or_file_name_becomes_markup(hostile, which):
    contents = RunContents(getattr(hostile, which), data=hostile.data)
    texts, kinds = "", set()
    with serving(contents, author='ann"><script>alert(1)</script>') as review:
        for address, answer in crawl(review, 40):
            assert answer.status_code == 200, address
            assert not list(wrong_in(answer.text)), address
            assert "alert" not in str(answer.headers)
            texts += "".join(text for _, text in Elements(answer.text).texts)
            kinds.add(urlsplit(address).path.strip("/").split("/")[0])
    contents.close()
    assert (
        kinds
        >= {"", "data", "run"}
        | {"rewrite": {"edits", "findings"}, "audit": {"findings"}, "made": {"edits"}}[which]
    )
    for attack in ('<script>alert("x")</script>', "giveaway<script>", *hostile.labels):
        assert attack in texts, "shown as text, or the test looks at nothing"


def test_json_has_no_markup_either(review):
    with tab(review) as client:
        for name in ("overview", "findings", "edits", "data", "run"):
            answer = client.get(f"{name}.json")
            assert answer.headers["content-type"] == "application/json"
            assert "<" not in answer.text
        found = client.get("data.json", params={"search": "<script>", "size": 200}).json()
        assert any("<script>" in str(row) for row in found["rows"])


# Headers

LINES = (
    "%0d%0aset-cookie:%20a=b",
    "%0a%20set-cookie:a=b",
    "%E5%98%8A%E5%98%8Dset-cookie:a=b",
    "%00",
    "%0d",
    "\u010a",
)


def test_nothing_that_is_sent_becomes_a_header(review):
    token = review.guard.token
    for line in LINES:
        for target in (
            f"/{line}",
            f"/?a={line}&token={token}",
            f"/{line}?token={token}",
            f"/data/{line}",
            f"/export/{line}",
        ):
            status, answer = raw(review, head(review, target.encode()))
            assert status < 500, target
            names = [one.partition(b":")[0] for one in answer.partition(b"\r\n\r\n")[0].split(b"\r\n")[1:]]
            assert names.count(b"set-cookie") == (1 if status == 303 else 0)


def test_going_back_after_a_form_leads_nowhere_else(review):
    with tab(review) as client:
        for back in (
            "//evil.example",
            "/\\evil.example",
            "http://evil.example",
            "/\t/evil.example",
            "/a\r\nset-cookie: a=b",
        ):
            answer = client.post("undo", data={"back": back})
            assert answer.status_code == 400, back
        answer = client.post("undo", data={"back": "/edits?label=a b&search=<\u00e9>"})
        assert answer.headers["location"] == review.address + "edits?label=a%20b&search=%3C%C3%A9%3E"


# Large


def test_bodies_over_the_limit_are_refused_whatever_they_say_of_themselves(review):
    ours = {"method": "POST", "origin": review.address[:-1], "content_type": "application/json"}
    told = head(review, "/decide", **ours, content_length=str(MAX_BODY + 1))
    assert raw(review, told)[0] == 413  # before a byte of it was sent
    with connect(review) as connection:
        connection.sendall(head(review, "/decide", **ours, transfer_encoding="chunked"))
        answer = never_ending(connection, b"2000\r\n" + b"x" * 0x2000 + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 413")


def never_ending(connection, piece):
    """Send until the server has had enough; what it said."""
    try:
        for _ in range(100_000):
            connection.sendall(piece)
    except (BrokenPipeError, ConnectionResetError):
        return rest_of_reset(connection)
    raise AssertionError("it took everything")


def rest_of_reset(connection):
    """What came before the connection was reset, where the system still has it."""
    return rest_of(connection) or b"HTTP/1.1 413 (lost with the reset)"


def test_a_head_that_never_ends_is_cut_off(review):
    with connect(review) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n")
        answer = never_ending(connection, b"x-more: " + b"y" * 1000 + b"\r\n")
    assert answer.startswith(b"HTTP/1.1 4")


# Anything at all


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["GET", "POST", "HEAD"]),
    st.binary(max_size=40),
    st.dictionaries(
        st.sampled_from(["key", "page", "search", "label", "token", "size", "max_q"]), st.text(max_size=20)
    ),
    st.binary(max_size=60),
)
def test_whatever_is_sent_there_is_no_server_error(review, method, path, query, body):
    safe = bytes(one for one in path if 0x21 <= one < 0x7F and one != 0x3F)
    target = b"/" + safe + b"?" + str(httpx.QueryParams(query)).encode()
    more = {
        "origin": review.address[:-1],
        "content_type": "application/json",
        "content_length": str(len(body)),
    }
    request = head(review, target, method, **(more if method == "POST" else {}))
    status, _ = raw(review, request + (body if method == "POST" else b""))
    assert 200 <= status < 500
