"""Files that are small on disk and large once read, or nest without end: read or refused in words, by a process with little memory."""

import resource
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
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

STREAMED = """
import sys
from longway.data import load
from longway.errors import LongwayError
for stream in (None, True, False):
    try:
        dataset = load(sys.argv[1], stream=stream)
        largest = max(batch.texts.str.len_bytes().sum() for batch in dataset.batches())
        print(dataset.streamed, dataset.n_rows, largest <= 40_000_000, flush=True)
    except LongwayError as error:
        print("refused", error, flush=True)
"""
TEXT = "a" * 1_000_000


@pytest.fixture(scope="module")
def told(tmp_path_factory):
    """What loading each bomb gave, by name; one process for all."""
    made = bombs(tmp_path_factory.mktemp("bombs"))
    assert max(path.stat().st_size for path in made.values()) < 3_000_000
    return dict(zip(made, printed(TOLD, *made.values()), strict=True))


def printed(script, *paths):
    """The lines that a process with little memory prints."""
    done = subprocess.run(
        [sys.executable, "-c", script, *map(str, paths)],
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (LIMIT, LIMIT)),
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def test_a_bomb_is_read_or_refused_in_words_and_never_ends_the_process(told):
    assert len(told) == 7
    for name, line in told.items():
        assert line.startswith(("read ", "refused ")), (name, line)


@pytest.mark.parametrize(
    "name", ["json-deep", "jsonl-deep", "zstd-line", "gzip-line", "csv-columns", "xlsx-far"]
)
def test_what_holds_no_rows_is_refused_by_name(told, name):
    assert told[name].startswith("refused ")
    assert name.partition("-")[2].replace("line", "line.") in told[name]


def test_what_is_merely_large_is_read(told):
    assert told["parquet-repeats"] == "read 20"


@pytest.mark.parametrize(
    "n_short",
    [pytest.param(0, id="all"), pytest.param(50_000, id="after short texts", marks=pytest.mark.soak)],
)
def test_a_text_that_a_dictionary_repeats_is_streamed_or_refused(tmp_path, n_short):
    n_long = 3_000
    codes = pa.array([0] * n_short + [1] * n_long, pa.int32())
    texts = pa.DictionaryArray.from_arrays(codes, pa.array(["short", TEXT]))
    labels = pa.array(["p", "n"] * (len(codes) // 2))
    path = tmp_path / "repeats.parquet"
    pq.write_table(pa.table({"text": texts, "label": labels}), path, compression="zstd", store_schema=False)
    assert path.stat().st_size < 10_000
    by_default, streamed, whole = printed(STREAMED, path)
    assert by_default == streamed == f"True {n_short + n_long} True"
    assert whole.startswith("refused repeats.parquet needs about 2.8 GiB once it is read")


@pytest.mark.soak
def test_a_text_that_differences_repeat_is_streamed(tmp_path):
    path = tmp_path / "repeats.parquet"
    table = pa.table({"text": [TEXT] * 500, "label": ["p", "n"] * 250})
    with pq.ParquetWriter(
        path,
        table.schema,
        compression="zstd",
        use_dictionary=False,
        column_encoding={"text": "DELTA_BYTE_ARRAY"},
    ) as writer:
        for _ in range(4):
            writer.write_table(table)
    assert path.stat().st_size < 30_000
    by_default, streamed, whole = printed(STREAMED, path)
    assert by_default == streamed == "True 2000 True"
    assert whole.startswith("refused ")
