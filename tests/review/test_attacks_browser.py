"""The same attacks where they would happen: in a real browser, which keeps its own rules about cookies, origins and policies."""

import http.server
import threading
from contextlib import contextmanager

import pytest

from longway.review.edit_list import EditFilter
from longway.review.run_contents import RunContents
from longway.review.serve import _opener, serving


@pytest.fixture(scope="module")
def review(hostile):
    contents = RunContents(hostile.made)
    with serving(contents, author="ann") as review:
        yield review
    contents.close()


@contextmanager
def served(page):
    """Somebody else's page, on another port of this machine."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("content-type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def log_message(self, *told):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()


def test_the_file_that_opens_the_review_leads_in_and_the_token_is_gone(new_page, review, tmp_path):
    """A file is another site: a plain redirect would arrive without the strict cookie."""
    with new_page() as page:
        page.goto(_opener(tmp_path, review.url).as_uri())
        page.wait_for_url(review.address)
        assert page.locator("h1").count() == 1
        assert review.guard.token not in page.content()
        assert page.evaluate("document.cookie") == ""  # no script can read it


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_a_page_of_another_port_can_neither_read_nor_decide(new_page, review, name):
    key = review.contents.edits.keys(EditFilter())[0]
    evil = f"""<form id=f method=post action="{review.address}decide"><input name=kind value=edit><input name=key value={key}>
        <input name=choice value=reject></form><iframe src="{review.address}"></iframe><script>
        fetch("{review.address}edits.json", {{credentials: "include"}}).then(() => document.title = "read", () => document.title = "no")
        </script>"""
    with served(evil) as port, new_page() as page:
        page.goto(review.url)
        page.goto(f"http://{name}:{port}/")
        page.wait_for_function("document.title")
        assert page.title() == "no"
        frame = page.frames[1]
        assert frame.locator("nav").count() == 0
        with page.expect_navigation() as went:
            page.evaluate("document.getElementById('f').submit()")
        assert went.value.status == 403
    assert review.contents.decisions.of("edit", key) is None


def test_no_script_of_a_row_runs_and_the_policy_has_nothing_to_refuse(new_page, review):
    told = []
    with new_page() as page:
        page.on("dialog", lambda dialog: (told.append(dialog.message), dialog.dismiss()))
        page.on("console", lambda message: told.append(message.text) if message.type == "error" else None)
        page.goto(review.url)
        keys = review.contents.edits.keys(EditFilter())
        for address in ("edits", "data", "run", *(f"edits/{key}" for key in keys[:4])):
            page.goto(review.address + address)
            assert page.locator("h1").count() >= 1
    assert told == []
