"""`longway review` as a process of its own: the address it prints, what is kept when it ends, what it says when it cannot."""

import re
import signal
import stat
import subprocess
import sys

import httpx
import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.errors import LongwayError
from longway.review import serve as serve_module
from longway.review.edit_list import EditFilter
from longway.review.run_contents import RunContents
from longway.review.sampling import sample_state, tag
from longway.review.serve import Review, serve
from tests.review.made_runs import an_edit, made_run
from tests.review.wire import tab


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    edits = [an_edit(id=str(i), before=f"text {i}", after=f"other {i}") for i in range(3)]
    return made_run(tmp_path / "longway-runs" / "made", edits)


def started(*args):
    """The process and the first lines it says, up to the one that tells how to end it."""
    code = "from longway.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "review", "--no-browser", *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    lines = []
    for line in process.stdout:
        lines.append(line)
        if "Ctrl-C" in line:
            break
    return process, "".join(lines)


def test_it_serves_until_it_is_stopped_and_says_where_every_decision_is_kept(folder):
    process, said = started("--author", "ada")  # no folder: the newest one
    url = re.search(r"http://127\.0\.0\.1:\d+/\?token=[\w-]{43}$", said, re.MULTILINE).group()
    origin = url.partition("/?")[0]
    with httpx.Client(base_url=origin, headers={"origin": origin}, follow_redirects=True) as client:
        assert client.get(url).status_code == 200
        key = client.get("edits.json").json()["edits"][0]["key"]
        assert client.post("decide", json={"kind": "edit", "key": key, "choice": "accept"}).status_code == 200
    process.send_signal(signal.SIGINT)
    end, told = process.communicate(timeout=60)
    assert process.returncode == 0, told
    assert "Verdict: 1 edit and 0 findings are decided." in end
    assert str(folder.relative_to(folder.parents[1]) / "review" / "review.sqlite") in end
    assert told == ""
    contents = RunContents(folder)
    held = contents.decisions.of("edit", key)
    contents.close()
    assert (held.author, held.value) == ("ada", {"choice": "accept"})


def test_data_that_is_not_needed_is_said_to_be_left_aside(tmp_path, monkeypatch):
    monkeypatch.setattr("longway.review.serve.serve", lambda review, **more: review.close())
    made = made_run(
        tmp_path / "run",
        [an_edit()],
        rows=[
            {"longway_id": "1", "text": "b", "label": "pos"},
            {"longway_id": "2", "text": "c", "label": "neg"},
        ],
    )
    said = run(made, "--data", tmp_path / "other.jsonl", "--no-browser").stderr
    assert (
        f"--data {tmp_path / 'other.jsonl'} is ignored: the run has its own dataset, dataset.jsonl." in said
    )
    assert "not looked at" not in run(made, "--no-browser").stderr


def test_two_people_rate_the_same_sample(folder, monkeypatch):
    opened = []

    def rate(review, **more):
        """Everybody says the same of the first edit, only ada of the second."""
        opened.append(review.url.replace(review.guard.token, "").removeprefix(review.address))
        review.close()
        who = ("ada", "bob")[len(opened) - 1]
        for number, item in enumerate(sample_state(review.contents, "sample-2-7", rater=who).items):
            is_wrong = number == 0 or who == "ada"
            said = "label changed" if is_wrong else "label kept"
            tag(review.contents, "sample-2-7", item.key, [said], author=who)

    contents = RunContents(folder)
    keys = contents.edits.keys(EditFilter())
    contents.decisions.write_many("edit", {key: {"choice": "accept"} for key in keys}, author="ada")
    contents.close()
    monkeypatch.setattr("longway.review.serve.serve", rate)
    for who in ("ada", "bob"):
        assert run(folder, "--author", who, "--sample", 2, "--seed", 7, "--no-browser").exit_code == 0
    assert opened == ["sample/sample-2-7?token="] * 2
    contents = RunContents(folder)
    states = [sample_state(contents, "sample-2-7", rater=who) for who in ("ada", "bob")]
    contents.close()
    assert [state.error.hits for state in states] == [2, 1]


def run(*args):
    return CliRunner().invoke(app, ["review", *(str(arg) for arg in args)])


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["no-such-folder"], "no-such-folder does not exist"),
        (["longway-runs"], "holds no run"),
        (["--author", "a\x1bb"], "--author must be a name"),
        (["--author", " "], "--author must be a name"),
        (["--author", "x" * 81], "--author must be a name"),
    ],
)
def test_a_mistake_is_told_in_words_with_the_next_step(folder, args, words):
    result = run(*args)
    assert isinstance(result.exception, LongwayError)
    assert words in str(result.exception)


def test_a_port_that_is_taken_is_named(folder):
    contents = RunContents(folder)
    first = Review(contents, author="ann")
    result = run(folder, "--no-browser", "--port", first.port)
    first.close()
    contents.close()
    assert isinstance(result.exception, LongwayError)
    assert f"Port {first.port} of 127.0.0.1 is used by another program" in str(result.exception)
    assert "Give another --port" in str(result.exception)


def test_without_any_run_it_says_how_to_make_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run()
    assert isinstance(result.exception, LongwayError)
    assert "longway rewrite DATA" in str(result.exception)


def test_the_browser_gets_a_file_that_nobody_else_can_read_and_never_the_token(folder, monkeypatch):
    """Every user of a machine can see the arguments of a command, those of a browser that is started among them."""
    contents = RunContents(folder)
    review = Review(contents, author="ann")
    opened = []

    def look(address):
        path = folder / "review" / "open.html"
        opened.append((address, stat.S_IMODE(path.stat().st_mode), path.read_text()))
        review.server.should_exit = True

    monkeypatch.setattr(serve_module.webbrowser, "open", look)
    serve(review, folder=folder, browser=True)
    contents.close()
    [(address, mode, page)] = opened
    assert address == (folder / "review" / "open.html").as_uri()
    assert mode == 0o600
    assert f"url={review.url}" in page
    assert not (folder / "review" / "open.html").exists()


def test_no_browser_is_started_where_there_is_no_display_or_none_is_wanted(folder, monkeypatch):
    wanted = []
    monkeypatch.setattr(
        serve_module, "serve", lambda review, folder, browser: wanted.append(browser) or review.close()
    )
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    for display, option in (("", "--browser"), (":0", "--browser"), (":0", "--no-browser")):
        monkeypatch.setenv("DISPLAY", display)
        assert run(folder, option).exit_code == 0
    assert wanted == [False, True, False]


def test_the_extra_that_is_missing_is_named(folder):
    code = "import sys; sys.modules['uvicorn'] = None; from longway.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "review", str(folder)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "pip install 'longway[review]'" in done.stderr.replace("\n", " ")
    assert "Traceback" not in done.stderr


def test_two_reviews_of_one_run_see_each_others_decisions(folder):
    first, second = RunContents(folder), RunContents(folder)
    with (
        serve_module.serving(first, author="ann") as one,
        serve_module.serving(second, author="bob") as other,
        tab(one) as anns,
        tab(other) as bobs,
    ):
        key = first.edits.keys(EditFilter())[0]
        sent = {"kind": "edit", "key": key, "choice": "accept", "seen": 0}
        assert anns.post("decide", json=sent).status_code == 200
        assert bobs.get(f"edits/{key}.json").json()["decision"]["author"] == "ann"
        assert bobs.post("decide", json={**sent, "choice": "reject"}).status_code == 409
    first.close()
    second.close()
