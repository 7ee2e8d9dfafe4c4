"""A Ray cluster of two nodes on this machine, as `ray start` makes it, for tests that reach it from outside.

The head has the server for `ray://` addresses and no processor; the other node has two. So whatever is computed is computed on a
node of which the head knows by network only, and every object that it gives back goes from one object store to the other.
"""

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
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

START_S = 60


class ClusterError(Exception):
    """Why there is none."""


@contextmanager
def cluster():
    """The address of a cluster with two nodes, and the environment of a process that may reach it."""
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
    inside, door = _free_port(), _free_port()
    head = f"--head --port {inside} --ray-client-server-port {door} --num-cpus 0 --include-dashboard false"
    with ExitStack() as stack:
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        stack.enter_context(_node(f"{head} --temp-dir {folder / 'ray'}", folder / "head.log", environment))
        _wait_for_door(door)
        node = f"--address 127.0.0.1:{inside} --num-cpus 2"
        stack.enter_context(_node(node, folder / "node.log", environment))
        yield f"ray://127.0.0.1:{door}", environment


@contextmanager
def _node(options, log, environment):
    """`ray start` with these options, until it says that it runs; killed at the end."""
    command = [sys.executable, "-m", "ray.scripts.scripts", "start", "--block", *options.split()]
    command += ["--object-store-memory", str(150 * 2**20)]
    with log.open("w") as written:
        node = subprocess.Popen(
            command, env=environment, stdout=written, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            end = time.monotonic() + START_S
            while "block forever" not in log.read_text():
                if node.poll() is not None or time.monotonic() > end:
                    raise ClusterError(f"A Ray cluster did not come up here: {log.read_text()[-500:]}")
                time.sleep(0.2)
            yield
        finally:
            # All it started is in its process group. It would take half a minute to say goodbye to its workers.
            os.killpg(node.pid, signal.SIGKILL)
            node.wait()


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def _wait_for_door(port):
    end = time.monotonic() + START_S
    while time.monotonic() < end:
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.2)
    raise ClusterError(f"Nothing listens for ray:// addresses after {START_S} seconds")
