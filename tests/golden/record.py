"""Run every command that leaves a run folder on the built-in samples, and keep what it wrote.

    python tests/golden/record.py --out DIR [--only NAME ...] [--missing] [--list] [--digest FILE]

Each case of `cases.py` has a folder in DIR with its run folder, what each command printed (`1-audit.out`, `.err`; `.json` for --json), exit
codes and, for served engines, the requests that the server received. `times.json` has the processor time of each command. Commands run in
forks of this process, which has imported the large libraries once: starting them anew would take longer than most of the work.
--digest writes hashes and figures without any text, which may be kept in the repository; `compare.py` reads them, too.
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import json
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

LARGE = (
    "numpy", "scipy.sparse", "scipy.stats", "scipy.optimize", "sklearn.linear_model", "sklearn.naive_bayes", "sklearn.feature_extraction.text",
    "sklearn.model_selection", "pandas", "polars", "pyarrow.parquet", "torch", "onnxruntime", "spacy", "rich.console", "rich.table", "rich.progress",
    "typer", "jinja2", "httpx", "pydantic", "starlette.applications", "uvicorn", "lemminflect", "tokenizers",
)  # fmt: skip
ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "POLARS_MAX_THREADS": "1",
    "COLUMNS": "120",
    "NO_COLOR": "1",
    "TZ": "UTC",
    "TOKENIZERS_PARALLELISM": "false",
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "longway-golden-bytecode"),
}
PRICES = '[models]\n"golden-*" = { input = 0.5, output = 1.5 }\n'


def with_fixed_environment() -> None:
    """Start this script again where the environment could change a result."""
    if os.environ.get("LONGWAY_GOLDEN"):
        return
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("LONGWAY_", "OPENAI_")) and name != "PYTHONDONTWRITEBYTECODE"
    }
    seed = {name: os.environ[name] for name in ("PYTHONHASHSEED",) if name in os.environ}
    os.execve(
        sys.executable,
        [sys.executable, str(Path(__file__).resolve()), *sys.argv[1:]],
        kept | ENVIRONMENT | seed | {"LONGWAY_GOLDEN": "1"},
    )


class Case:
    """The folder of one case, and the commands that run in it."""

    def __init__(self, folder: Path) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        self.folder, self.codes, self.seconds = folder, {}, {}
        self._number = 0

    def command(self, *arguments: str, json: bool = True, codes: Iterable[int] = (0,)) -> None:
        """Run a command; with `json` again, with --json, which shows the finished run."""
        self._run(arguments, codes, ".out")
        if json:
            self._run((*arguments, "--json"), codes, ".json")

    def _run(self, arguments: tuple[str, ...], codes: Iterable[int], ending: str) -> None:
        name = self.name_of(arguments)
        process = self.start(name, arguments, ending)
        _, status, usage = os.wait4(process, 0)
        self.codes[name] = os.waitstatus_to_exitcode(status)
        self.seconds[name] = round(usage.ru_utime + usage.ru_stime, 2)
        if self.codes[name] not in codes:
            error = (self.folder / f"{name}.err").read_text(encoding="utf-8")
            print(f"  {name} ended with {self.codes[name]}: {error[-1500:]}", file=sys.stderr)

    def name_of(self, arguments: tuple[str, ...]) -> str:
        """The name of the files that keep what a command printed."""
        self._number += 1
        words = [word for word in arguments[:2] if word.isalpha()]
        return f"{self._number}-{'-'.join(words)}"

    def start(self, name: str, arguments: tuple[str, ...], ending: str = ".out") -> int:
        """Start a command in a fork of this process."""
        sys.stdout.flush()
        sys.stderr.flush()
        process = os.fork()
        if process:
            return process
        code = 70
        try:
            os.chdir(self.folder)
            for number, path in ((0, os.devnull), (1, f"{name}{ending}"), (2, f"{name}.err")):
                file = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
                os.dup2(file, number)
            faulthandler.register(signal.SIGUSR1)
            code = _call(arguments)
        except BaseException:
            traceback.print_exc()
        finally:
            with suppress(BaseException):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)

    def close(self) -> None:
        """Write the exit codes."""
        (self.folder / "codes.json").write_text(json.dumps(self.codes, indent=1), encoding="utf-8")


def _call(arguments: tuple[str, ...]) -> int:
    """Run the command line in this process; its exit code."""
    from longway.cli import main

    sys.argv = ["longway", *arguments]
    try:
        main()
    except SystemExit as end:
        if isinstance(end.code, str):
            print(end.code, file=sys.stderr)
        return end.code if isinstance(end.code, int) else int(end.code is not None)
    return 0


def in_fork(work: Callable[[], object]) -> None:
    """Do something in a fork, since threads that it may start (those of Polars) would not be there in later ones."""
    process = os.fork()
    if process == 0:
        code = 1
        try:
            work()
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    if os.waitpid(process, 0)[1]:
        raise RuntimeError("The data of the recording could not be written.")


def import_large_libraries() -> None:
    """Import what most commands need, so that their forks have it; what is not installed is left out."""
    for name in LARGE:
        with suppress(ImportError):
            importlib.import_module(name)
    importlib.import_module("longway.cli")


def main() -> None:
    from tests.golden import cases

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="folder for the recording")
    parser.add_argument(
        "--only", action="append", metavar="NAME", help="cases whose names contain this, and those they need"
    )
    parser.add_argument("--missing", action="store_true", help="only cases that DIR does not have yet")
    parser.add_argument("--list", action="store_true", help="print the names of all cases")
    parser.add_argument(
        "--digest", type=Path, metavar="FILE", help="also write hashes and figures, without texts"
    )
    options = parser.parse_args()
    chosen = cases.chosen(options.only)
    if options.list or options.out is None:
        print(*chosen, sep="\n")
        return
    out = options.out.resolve()
    began = time.monotonic()
    import_large_libraries()
    import longway

    print(f"recording {Path(longway.__file__).parent} in {out}")
    in_fork(lambda: cases.write_data(out / "data"))
    (out / "prices.toml").write_text(PRICES, encoding="utf-8")
    os.environ["LONGWAY_PRICES"] = str(out / "prices.toml")
    times = json.loads((out / "times.json").read_text()) if (out / "times.json").exists() else {}
    if options.missing:
        chosen = [name for name in chosen if name not in times]
    for name in chosen:
        started = time.monotonic()
        case = Case(out / name)
        cases.CASES[name](case)
        case.close()
        times[name] = case.seconds
        (out / "times.json").write_text(json.dumps(times, indent=1), encoding="utf-8")
        wall = time.monotonic() - started
        print(f"{name:34} {sum(case.seconds.values()):7.1f} s of processor time {wall:7.1f} s", flush=True)
    total = sum(sum(times[name].values()) for name in chosen)
    if options.digest is not None:
        from tests.golden.digest import digest

        options.digest.resolve().write_text(json.dumps(digest(out), indent=1) + "\n", encoding="utf-8")
    print(f"{len(chosen)} cases, {total:.0f} s of processor time, {time.monotonic() - began:.0f} s in all")


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    with_fixed_environment()
    main()
