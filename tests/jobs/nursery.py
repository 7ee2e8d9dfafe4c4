"""A process that has everything loaded and runs the command line in children, so that a test can kill many of them.

    with Nursery() as nursery:
        child = nursery.start(["rewrite", "data.csv"], cwd=folder)      a process of its own, seconds earlier than usual
        child.kill(signal.SIGKILL)
        child.wait()                                                    its exit code; minus the signal where one ended it

The sentence encoder is left out. Nothing that starts threads is used before a child is forked.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import traceback
from pathlib import Path


class Child:
    def __init__(self, nursery, pid, said):
        self.pid, self.said, self._nursery, self._code = pid, said, nursery, None

    def kill(self, number):
        os.kill(self.pid, number)  # it is waited for only in `wait`, so that the number is still its own

    def is_running(self):
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"

    def wait(self):
        if self._code is None:
            self._code = self._nursery.ask("wait")
        return self._code


class Nursery:
    def __enter__(self):
        command = [sys.executable, "-m", "tests.jobs.nursery"]
        root = Path(__file__).resolve().parents[2]
        self._process = subprocess.Popen(
            command, cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert json.loads(self._process.stdout.readline()) == "ready"
        return self

    def __exit__(self, *_):
        self._process.stdin.close()
        self._process.wait(30)
        self._process.stdout.close()

    def ask(self, question):
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def start(self, args, *, cwd, env=None):
        said = Path(cwd) / "said.txt"
        asked = {"args": [str(arg) for arg in args], "cwd": str(cwd), "said": str(said), "env": env or {}}
        return Child(self, self.ask(asked), said)


def run(args, cwd, said, env):
    """The command line, in a child; never comes back."""
    code = 1
    try:
        handle = os.open(said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for number in (1, 2):
            os.dup2(handle, number)
        os.chdir(cwd)
        os.environ.update(env)
        sys.argv = ["longway", *args]
        from longway.cli import main

        main()
    except SystemExit as end:
        code = end.code or 0
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def load_everything():
    """What a run imports, and the dictionaries it looks into; frames of data are left to the children."""
    import openai  # noqa: F401
    import sklearn.linear_model
    import sklearn.model_selection  # noqa: F401

    import longway.cli.live
    import longway.detect.leak
    import longway.jobs.augment.job
    import longway.jobs.rewrite.job
    import longway.verify.model_checks
    from longway.verify.wordforms import are_opposites
    from tests.jobs.toy_run import without_encoder

    without_encoder()
    longway.detect.leak.folds_for = lambda n_rows, n_labels: (
        3,
        1,
    )  # the leak is not the point, and takes most of the time
    assert are_opposites("dull", "bright")
    gc.collect()
    gc.freeze()  # what is loaded stays shared between the children


def main():
    answers = sys.stdout
    load_everything()
    print(json.dumps("ready"), file=answers, flush=True)
    child = 0
    for line in sys.stdin:
        asked = json.loads(line)
        if asked == "wait":
            answer = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        else:
            child = answer = os.fork()
            if child == 0:
                run(**asked)
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
