"""A process under a limit of memory that ends on the spot, or hangs, does not do so without a word."""

import signal
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="what a process waits for is told by Linux only"
)

FRAME = """
import os, resource, signal, socket, sys, threading, time
from longway.cli.last_words import last_words
def busy():
    until = time.monotonic() + 2
    while time.monotonic() < until:
        sum(range(10**5))
if {limited}:
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
with last_words(stuck=0.6):
    {body}
print("at the end")
"""
HANGS = "threading.Event().wait(4)"


def ended(body, *, limited=True):
    done = subprocess.run(
        [sys.executable, "-c", FRAME.format(body=body, limited=limited)],
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout, done.stderr


def test_a_process_that_ends_as_it_should_says_nothing():
    assert ended("pass") == (0, "at the end\n", "")


def test_one_that_is_ended_on_the_spot_is_spoken_for():
    code, _, said = ended("os.abort()")
    assert code == -signal.SIGABRT
    assert (
        "longway: the process was killed, most likely because memory ran out: the limit is 2,048 MB" in said
    )


def test_one_that_waits_for_a_thread_that_never_began_is_ended():
    code, out, said = ended(HANGS)
    assert (code, out) == (-signal.SIGKILL, "")
    assert "longway: the process got stuck" in said
    assert "run the same command again" in said


@pytest.mark.parametrize(
    "body",
    [
        "time.sleep(2)",
        f"held = socket.socket(); {HANGS}",
        "works = threading.Thread(target=busy); works.start(); works.join()",
    ],
    ids=["sleeps", "may wait for a server", "another thread works"],
)
def test_one_that_waits_for_something_else_is_left_alone(body):
    code, out, said = ended(body)
    assert (code, out, said) == (0, "at the end\n", "")


def test_without_a_limit_nobody_watches():
    assert ended(HANGS, limited=False) == (0, "at the end\n", "")


@pytest.mark.parametrize("megabytes", [300, 700])
def test_a_real_command_with_little_memory_ends_with_one_message(tmp_path, megabytes):
    (tmp_path / "d.csv").write_text("text,label\n" + "a b,yes\nc d,no\n" * 20)
    code = (
        f"import resource; resource.setrlimit(resource.RLIMIT_AS, ({megabytes} << 20, {megabytes} << 20))\n"
        "from longway.cli import main; main()"
    )
    command = [sys.executable, "-c", code, "audit", "d.csv"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 4 or done.returncode < 0, done.stderr  # a library may end the process
    assert "Traceback" not in done.stderr
    assert "panicked" not in done.stderr
    assert done.stderr.strip().splitlines()[-1].startswith("longway: ")
