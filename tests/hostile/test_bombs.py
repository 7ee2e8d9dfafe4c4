"""Files that are small on disk and large once read, or nest without end: read or refused in words, by a process with little memory."""

import resource
import subprocess
import sys

import pytest

from tests.hostile.corpus import bombs

LIMIT = 4 * 2**30  # of addresses; libraries take one of the four before anything is read
TOLD = """
import sys
from longway.data import load
from longway.errors import LongwayError
for path in sys.argv[1:]:
    try:
        dataset = load(path)
        print("read", dataset.n_rows, flush=True)
    except LongwayError as error:
        print("refused", str(error).replace(chr(10), " ")[:300], flush=True)
"""


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What loading each bomb gave, by name; one process for all."""
    made = bombs(tmp_path_factory.mktemp("bombs"))
    assert max(path.stat().st_size for path in made.values()) < 3_000_000
    done = subprocess.run(
        [sys.executable, "-c", TOLD, *map(str, made.values())],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return dict(zip(made, done.stdout.splitlines(), strict=True))


def test_a_bomb_is_read_or_refused_in_words_and_never_ends_the_process(told):
    assert len(told) == 6
    for name, line in told.items():
        assert line.startswith(("read ", "refused ")), (name, line)


@pytest.mark.parametrize("name", ["json-deep", "jsonl-deep", "zstd-line", "gzip-line", "csv-columns"])
def test_what_holds_no_rows_is_refused_by_name(told, name):
    assert told[name].startswith("refused ")
    assert name.partition("-")[2].replace("line", "line.") in told[name]


def test_what_is_merely_large_is_read(told):
    assert told["parquet-repeats"] == "read 20"
