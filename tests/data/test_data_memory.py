"""A Parquet file larger than the memory the process may have."""

import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

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
