"""A Ray cluster of one machine, as `ray start` makes it, with the server for `ray://` addresses; for tests that reach it from outside."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

START_S = 60


class ClusterError(Exception):
    """Why there is none."""


@contextmanager
def cluster():
    """The address of a cluster with two processors, and the environment of a process that may reach it."""
    if find_spec("grpc") is None:
        raise ClusterError("ray:// needs grpcio, which is not installed: pip install 'ray[client]'")
    folder = Path(tempfile.mkdtemp(prefix="lw-"))  # a short path: Ray's sockets lie below it
    token = folder / "token"
    token.write_text(secrets.token_hex(32))  # of its own: without, Ray takes or makes one in the user's home
    environment = {
        **os.environ,
        "RAY_AUTH_MODE": "token",
        "RAY_AUTH_TOKEN_PATH": str(token),
        "RAY_USAGE_STATS_ENABLED": "0",
        "PYTHONPATH": os.pathsep.join([str(Path(__file__).parents[2]), *sys.path]),
    }
    port = _free_port()
    options = (
        f"--head --block --port 0 --ray-client-server-port {port} --num-cpus 2 --include-dashboard false"
    )
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", *options.split()]
    command += ["--object-store-memory", str(150 * 2**20), "--temp-dir", str(folder / "ray")]
    with (folder / "log").open("w") as log:
        head = subprocess.Popen(
            command, env=environment, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            _wait(head, port, folder / "log")
            yield f"ray://127.0.0.1:{port}", environment
        finally:
            # All it started is in its process group. It would take half a minute to say goodbye to its workers.
            os.killpg(head.pid, signal.SIGKILL)
            head.wait()
            shutil.rmtree(folder, ignore_errors=True)


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _wait(head, port, log):
    end = time.monotonic() + START_S
    while time.monotonic() < end and head.poll() is None:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0 and "block forever" in log.read_text():
                return
        time.sleep(0.2)
    raise ClusterError(f"A Ray cluster did not come up here: {log.read_text()[-500:]}")
