"""GGUF files of the user's own: the engine, its server in this process, and where files are found."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from urllib.parse import urlsplit

import pytest

from longway.engines import gguf, llama_server
from longway.engines.asker import Asker
from longway.engines.costs import FREE
from longway.engines.gguf import GgufEngine
from longway.engines.prompt import judge_prompt
from longway.engines.registry import engine_named, is_engine
from longway.errors import EngineError, MissingExtra, SettingError
from longway.store import Journal
from longway.task import task_of
from tests.engines.llama_cpp import model_or_skip, needs_llama_cpp

TASK = task_of(["negative", "positive"])
SHORT = task_of(["a", "b"])  # has no examples, so that its prompt is soon read


def is_listening(address):
    parts = urlsplit(address)
    with socket.socket() as client:
        return client.connect_ex((parts.hostname, parts.port)) == 0


def test_a_file_that_is_missing_or_of_another_kind_is_refused_with_the_next_step(tmp_path):
    with pytest.raises(SettingError, match=r"cannot be read.*Check the path"):
        engine_named(f"gguf:{tmp_path / 'none.gguf'}")
    (other := tmp_path / "other.gguf").write_bytes(b"PK\x03\x04 a zip file")
    with pytest.raises(SettingError, match=r"not a GGUF file.*ends in .gguf"):
        engine_named(f"gguf:{other}")
    with pytest.raises(SettingError, match="gguf:FILE"):
        engine_named("gguf:")
    assert is_engine("rules,gguf:a.gguf")
    assert not is_engine("gguf:")


def test_without_llama_cpp_the_message_names_the_extra(tmp_path, monkeypatch):
    (file := tmp_path / "a.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr(gguf, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match=r"longway\[gguf\]"):
        GgufEngine(file)


@needs_llama_cpp
def test_a_damaged_file_is_an_error_and_no_crash(tmp_path):
    (file := tmp_path / "damaged.gguf").write_bytes(b"GGUF" + b"junk" * 100)
    engine = GgufEngine(file)
    with (
        Asker(engine, Journal(None)) as asker,
        pytest.raises(EngineError, match=r"cannot load damaged\.gguf"),
    ):
        asker.judge_all([judge_prompt(TASK, "Fine.")], TASK.labels)


def test_the_server_says_why_it_does_not_start():
    settings = {"path": "x", "name": "x", "context": 512, "slots": 1, "threads": 1, "batch": 64, "key": "k"}
    blocked = (
        "import sys, runpy; sys.modules['xllamacpp'] = None; runpy.run_path(sys.argv[1], run_name='__main__')"
    )
    command = [sys.executable, "-c", blocked, llama_server.__file__]
    ended = subprocess.run(
        command, input=json.dumps(settings) + "\n", capture_output=True, text=True, timeout=60, check=True
    )
    assert "xllamacpp" in json.loads(ended.stdout)["error"]


@pytest.mark.soak
@needs_llama_cpp
def test_a_file_is_served_with_a_key_and_judges(tmp_path):
    (link := tmp_path / "mine.gguf").symlink_to(model_or_skip())
    engine = GgufEngine(link, context=1024, slots=1)
    assert engine.name == "gguf:mine.gguf"
    assert engine.price == FREE
    assert str(tmp_path) not in json.dumps(engine.identity)
    assert engine.identity == GgufEngine(model_or_skip(), context=1024).identity
    assert engine._process is None  # it starts with the first call
    with Asker(engine, Journal(None)) as asker:
        [judged] = asker.judge_all([judge_prompt(SHORT, "Fine.")], SHORT.labels)
        assert judged.best in SHORT.labels
        address = engine.address
        assert is_listening(address)
        assert engine.base_url == gguf.ADDRESS  # the port is not recorded
        engine._process.kill()
        engine._process.wait()
        [judged] = asker.judge_all(
            [judge_prompt(SHORT, "Bad.")], SHORT.labels
        )  # a server that died is started again
        assert judged.best in SHORT.labels
        assert engine.address != address
        address = engine.address
        assert is_listening(address)
    assert not is_listening(address)


def started(script, *arguments):
    environ = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)], stdout=pipe, stderr=pipe, env=environ, text=True
    )


@needs_llama_cpp
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_server_is_left_behind(how):
    script = (
        "import sys, time\n"
        "from longway.engines.gguf import GgufEngine\n"
        "engine = GgufEngine(sys.argv[1], context=512, slots=1)\n"
        "engine.start()\n"
        "print(engine.address, flush=True)\n"
        "time.sleep(60)\n"
    )
    with started(script, model_or_skip()) as process:
        address = process.stdout.readline().strip()
        assert is_listening(address)
        process.send_signal(how)
        process.wait(timeout=30)
    until = time.monotonic() + 5  # a killed process cannot wait for its server
    while is_listening(address):
        assert time.monotonic() < until
        time.sleep(0.05)
