"""A Parquet file larger than the memory the process may have."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from longway.data import arrow_file
from longway.data.problems import ProblemLog

LIMIT = 640 * 2**20  # imports of Polars and PyArrow take about 350 MiB of address space
ROWS, LENGTH, REPEATS = 10_000, 1_000, 70

SCRIPT = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
from longway.data import load
dataset = load(sys.argv[1])
assert dataset.streamed
n = sum(len(batch.texts) for batch in dataset.batches())
print(n, *dataset.label_counts, dataset.take([dataset.n_rows - 1])["id"][0])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="needs RLIMIT_AS")
def test_a_file_larger_than_the_address_space_is_streamed(tmp_path):
    path = tmp_path / "large.parquet"
    write_large(path)
    assert path.stat().st_size > LIMIT
    few = {"POLARS_MAX_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    env = os.environ | few | {"ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, path, str(LIMIT)], env=env, capture_output=True, text=True, check=False
    )
    n = ROWS * REPEATS
    assert done.stdout.split() == [str(n), str(n // 2), str(n // 2), str(n - 1)], done.stderr[-2000:]


def write_large(path):
    """Random letters, uncompressed, in one row group: the hardest case."""
    letters = np.random.default_rng(0).integers(32, 127, ROWS * LENGTH, dtype=np.uint8)
    offsets = np.arange(ROWS + 1, dtype=np.int32) * LENGTH
    texts = pa.Array.from_buffers(pa.string(), ROWS, [None, pa.py_buffer(offsets), pa.py_buffer(letters)])
    labels = pa.array(["no", "yes"] * (ROWS // 2))
    tables = [
        pa.table({"id": np.arange(i * ROWS, (i + 1) * ROWS), "text": texts, "label": labels})
        for i in range(REPEATS)
    ]
    pq.write_table(
        pa.concat_tables(tables),
        path,
        row_group_size=ROWS * REPEATS,
        compression="none",
        use_dictionary=False,
    )


@pytest.mark.parametrize("encoding", ["dictionary", "PLAIN", "DELTA_BYTE_ARRAY"])
@pytest.mark.parametrize("seed", range(4))
def test_the_size_of_a_parquet_file_is_that_of_its_rows(tmp_path, encoding, seed):
    rng = np.random.default_rng(seed)
    table = random_table(rng, int(rng.integers(1, 5_000)))
    path = tmp_path / "rows.parquet"
    how = {} if encoding == "dictionary" else {"use_dictionary": False, "column_encoding": {"text": encoding}}
    pq.write_table(table, path, row_group_size=int(rng.integers(1, 3_000)), **how)
    assert arrow_file.size_of(path).n_bytes == pytest.approx(table.nbytes, rel=0.15, abs=2_000)


@pytest.mark.parametrize("seed", range(4))
def test_no_piece_of_a_parquet_file_is_larger_than_the_limit(tmp_path, monkeypatch, seed):
    monkeypatch.setattr(arrow_file, "CHUNK_BYTES", 10_000)
    monkeypatch.setattr(arrow_file, "LARGEST_CHUNK", 40_000)
    path = tmp_path / "rows.parquet"
    table = random_table(np.random.default_rng(seed), 3_000)
    pq.write_table(pa.concat_tables([table.sort_by("text"), table]), path, row_group_size=700)
    pieces = list(arrow_file.read_parquet(path, ProblemLog(), None))
    assert sum(piece.frame.height for piece in pieces) == 6_000
    assert max(piece.frame.to_arrow().nbytes for piece in pieces) < 2 * 40_000


def random_table(rng, n):
    """Texts of which few are different and one is long, in a column and inside others; some are missing."""
    distinct = ["x" * int(length) for length in rng.integers(1, 60, 40)] + ["y" * 5_000, None]
    texts = [distinct[i] for i in rng.integers(0, len(distinct), n)]
    return pa.table(
        {
            "text": pa.array(texts, pa.string()),
            "words": [[text, "w"] if text else None for text in texts],
            "inside": [{"a": text, "b": 1} for text in texts],
            "number": rng.integers(0, 3, n),
        }
    )
