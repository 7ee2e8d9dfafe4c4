"""A key goes into the header of a request and nowhere else: a whole run as a process, with a server that repeats the key wherever it can."""

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

from longway.engines.secret import Secret
from tests.engines.loopback import Loopback, completion, error
from tests.environment import OF_THE_USER
from tests.jobs.toy_run import answer, write_csv

KEY = "lw+canary/7f3A=0b5d29c4e81"  # characters that encodings change; begins with nothing that looks like a key
ROOT = Path(__file__).resolve().parents[2]


def in_codes(text):
    """The text letter by letter, URL-encoded or JSON-escaped: all letters, or those with a meaning."""
    codes = ("%{:02X}", "%{:02x}", "\\u{:04x}", "\\u{:04X}")
    small = quote(text, safe="").replace("%2B", "%2b").replace("%2F", "%2f").replace("%3D", "%3d")
    return [
        *("".join(code.format(ord(letter)) for letter in text) for code in codes),
        quote(text), quote(text, safe=""), small, text.replace("/", "\\/"),
    ]  # fmt: skip


def spellings(key):
    """The key in every spelling that is recognised, as bytes; worked out here, apart from the code that hides them."""
    data = key.encode()
    base64s = [base64.b64encode(b"x" * before + data)[4:-8] for before in range(3)]
    found = [text.encode() for text in (key, *in_codes(key), data.hex(), data.hex().upper())]
    return [*found, *base64s, *(one.replace(b"+", b"-").replace(b"/", b"_") for one in base64s)]


def encoded(key):
    """The key as a server may send it back: alone, and behind or before something else."""
    texts = [before + key + after for before in ("", "a", "ab", "abc", "abcd") for after in ("", "z")]
    found = [*texts, *map(json.dumps, texts), *(form for text in texts for form in in_codes(text))]
    for data in (text.encode() for text in texts):
        found += [data.hex(), data.hex().upper()]
        found += [encode(data).decode() for encode in (base64.b64encode, base64.urlsafe_b64encode)]
    return found


def leaked(data):
    return [one for one in spellings(KEY) if one in data]


def test_whatever_a_server_repeats_is_seen_and_hidden():
    secret = Secret(KEY)
    for shown in encoded(KEY):
        assert leaked(shown.encode("latin-1")), f"the test would not see {shown!r}"
        assert secret.is_in(shown), shown
        assert not leaked(secret.hide(f"wrong key: {shown} !").encode("latin-1")), shown


def repeated(call):
    """What the server knows of the key, in every spelling."""
    assert call.headers["authorization"] == f"Bearer {KEY}"
    return " ".join(encoded(KEY))


class Shaky:
    """A server whose first answers are errors that repeat the key, and then rewritings that do; from then on it behaves."""

    def __init__(self):
        self.n, self.process, self.titles = 0, None, set()

    def __call__(self, call):
        self.n += 1
        told = repeated(call)
        if self.process is not None:
            here = Path("/proc") / str(self.process.pid)
            self.titles |= {(here / "cmdline").read_bytes(), (here / "comm").read_bytes()}
        if self.n in (2, 3, 4):
            headers = {"x-key": quote(KEY), "retry-after": "0"}
            return error((500, 429, 400)[self.n - 2], told, code=KEY, param=told, headers=headers)
        if self.n in (5, 6):
            return completion(json.dumps({"rewrites": [told], "label": told}))
        return answer(call)


def start(folder, server):
    """The command line as a process of its own, with the key in its environment."""
    environment = {name: value for name, value in os.environ.items() if name not in OF_THE_USER}
    environment |= {
        "LONGWAY_API_KEY": KEY,
        "XDG_CONFIG_HOME": str(folder / "config"),
        "PYTHONPATH": str(ROOT),
    }
    command = [sys.executable, "-m", "tests.jobs.toy_run", "rewrite", "reviews.csv", "--base-url", server.url]
    command += "--engine served:toy --rounds 1 --k 6 --candidates 2 --yes".split()
    return subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
    )


def test_a_whole_run_leaves_the_key_nowhere(tmp_path):
    write_csv(tmp_path / "reviews.csv")
    shaky = Shaky()
    with Loopback(shaky) as server:
        with start(tmp_path, server) as process:
            shaky.process = process
            told = process.communicate()
        calls = len(server.calls)
    assert process.returncode == 0, told[1].decode()
    assert calls > 10
    files = [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "reviews.csv"]
    assert {"journal.sqlite", "edits.jsonl", "report.html", "run.json", "dataset.csv"} <= {
        path.name for path in files
    }
    for path in files:
        assert not leaked(path.read_bytes()), path.name
        assert not leaked(str(path).encode())
    assert not any(map(leaked, told))
    assert shaky.titles
    assert not any(map(leaked, shaky.titles))


def test_a_run_that_ends_in_an_error_says_nothing_of_the_key(tmp_path):
    write_csv(tmp_path / "reviews.csv")
    strict = Loopback(lambda call: error(401, repeated(call), code=KEY))
    with strict as server, start(tmp_path, server) as process:
        told = process.communicate()
    assert process.returncode == 3
    assert b"did not accept the key" in told[1]
    assert not any(map(leaked, told))
    assert not any(
        leaked(path.read_bytes())
        for path in tmp_path.rglob("*")
        if path.is_file() and path.name != "reviews.csv"
    )
