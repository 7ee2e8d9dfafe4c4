"""What is saved is loaded again, cell by cell, in every format and compression."""

import gzip
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.data import load, save
from longway.data.edited import AddedRow, Changes, edited_dataset
from longway.errors import DataError

KINDS = ["csv", "tsv", "jsonl", "ndjson", "json", "parquet", "pq", "arrow", "feather", "ipc"]
SUFFIXES = [f"{kind}{packed}" for kind in KINDS for packed in ("", ".gz", ".zst")]
FRAME = pl.DataFrame(
    {
        "text": ['says "hi", twice', "two\nlines", " spaces ", "näïve 🙂 \u2028", "semi;colon\ttab"],
        "label": ["a", "b", "a", "b", "a"],
        "note": ["", None, "007", "null", "[1]"],
    }
)

cells = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
texts = cells.filter(str.strip)
tables = st.lists(st.tuples(texts, texts, st.none() | cells), min_size=1, max_size=6)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_frame_comes_back_from_every_format_and_compression(tmp_path, suffix):
    path = save(FRAME, tmp_path / f"data.{suffix}")
    assert load(path).frame.equals(FRAME)
    assert [p.name for p in tmp_path.iterdir()] == [f"data.{suffix}"]


@pytest.mark.parametrize("suffix", ["csv", "tsv.gz", "jsonl", "json.zst", "parquet", "arrow.gz"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=tables)
def test_any_text_comes_back(tmp_path, suffix, rows):
    frame = pl.DataFrame(
        rows, schema={"text": pl.String, "label": pl.String, "note": pl.String}, orient="row"
    )
    loaded = load(save(frame, tmp_path / f"data.{suffix}"))
    assert loaded.frame.cast(pl.String).equals(frame)
    assert loaded.fingerprint == load(frame).fingerprint


@pytest.mark.parametrize("suffix", ["csv", "jsonl.gz", "parquet", "arrow"])
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=tables)
def test_a_streamed_file_has_the_same_rows_as_one_in_memory(tmp_path, suffix, rows):
    frame = pl.DataFrame(
        rows, schema={"text": pl.String, "label": pl.String, "note": pl.String}, orient="row"
    )
    path = save(frame, tmp_path / f"data.{suffix}")
    whole, streamed = load(path), load(path, stream=True)
    assert streamed.streamed
    assert streamed.fingerprint == whole.fingerprint
    assert (streamed.labels, streamed.label_counts, streamed.n_rows) == (
        whole.labels,
        whole.label_counts,
        whole.n_rows,
    )


def test_a_changed_frame_is_written_like_the_dataset_it_came_from(tmp_path):
    rows = [{"text": "a", "label": "x", "ids": [1, "2"]}, {"text": "b", "label": "y"}]
    dataset = load(rows)
    changed = dataset.frame.with_columns(pl.lit("new").alias("text"))
    assert _rows(save(changed, tmp_path / "out.jsonl", like=dataset)) == [
        row | {"text": "new"} for row in rows
    ]


def test_a_text_column_of_several_types_becomes_plain_text(tmp_path):
    dataset = load([{"text": 5, "label": "x"}, {"text": "five", "label": 1.0}])
    assert dataset.frame["text"].to_list() == ["5", "five"]
    assert dataset.labels == ("1", "x")


def test_types_in_different_pieces_of_a_file_are_kept(tmp_path, monkeypatch):
    monkeypatch.setattr("longway.data.json_file.BLOCK", 64)
    rows = [{"text": f"text {i}", "label": "x", "v": i if i < 9 else f"{i}"} for i in range(20)]
    path = tmp_path / "data.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    assert _rows(save(load(path), tmp_path / "out.jsonl")) == rows


def test_lists_are_json_text_in_csv(tmp_path):
    frame = pl.DataFrame({"text": ["a"], "label": ["x"], "tags": [["p", "q"]]})
    assert load(save(frame, tmp_path / "out.csv")).frame["tags"].to_list() == ['["p", "q"]']


def test_a_failed_save_leaves_the_old_file_and_no_other(tmp_path, monkeypatch):
    path = save(FRAME, tmp_path / "data.csv")
    before = path.read_bytes()
    monkeypatch.setattr(pl.DataFrame, "write_csv", _fail_half_way)
    with pytest.raises(RuntimeError):
        save(FRAME, path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def test_gzip_files_do_not_depend_on_the_clock(tmp_path):
    first = save(FRAME, tmp_path / "a.csv.gz").read_bytes()
    assert save(FRAME, tmp_path / "b.csv.gz").read_bytes() == first
    assert gzip.decompress(first).startswith(b"text,label,note")


def test_saving_under_an_unknown_ending_is_refused(tmp_path):
    with pytest.raises(DataError, match=r"out\.doc has an unknown ending: \.doc\. Expected \.csv, \.tsv"):
        save(FRAME, tmp_path / "out.doc")


@pytest.mark.parametrize("name", ["missing/out.csv", "folder.csv"])
def test_a_path_that_cannot_be_written_is_told(tmp_path, name):
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(DataError, match=rf"{name} cannot be written .* Choose another path"):
        save(FRAME, tmp_path / name)
    assert [p.name for p in tmp_path.iterdir()] == ["folder.csv"]


def _rows(path):
    text = path.read_text()
    return json.loads(text) if path.suffix == ".json" else [json.loads(line) for line in text.splitlines()]


def _fail_half_way(frame, stream, **options):
    stream.write(b"half")
    raise RuntimeError("disk full")


@pytest.mark.parametrize("kind", [pa.int64(), pa.int8()])
def test_new_ids_are_text_beside_an_id_column_of_numbers(tmp_path, kind):
    """A CSV that Longway wrote, read and saved by another program."""
    rows = {"text": [f"text {i}" for i in range(60)], "label": ["a", "b"] * 30}
    table = pa.table(rows).append_column("longway_id", pa.array(range(60), kind))
    pq.write_table(table, tmp_path / "own.parquet")
    data = load(tmp_path / "own.parquet")
    new = edited_dataset(data, Changes(added={"3+repair1": AddedRow("3", "b", {"text": "new text"})}))
    save(new, tmp_path / "new.parquet")
    assert pq.read_table(tmp_path / "new.parquet")["longway_id"].to_pylist()[-1] == "3+repair1"


def test_a_column_of_categories_that_grows_gets_a_wider_type(tmp_path):
    frame = pd.DataFrame(
        {"text": pd.Categorical([f"text {i}" for i in range(100)]), "label": ["a", "b"] * 50}
    )
    frame.to_parquet(tmp_path / "old.parquet")
    data = load(tmp_path / "old.parquet")
    new = edited_dataset(data, Changes({"text": {str(i): f"new text {i}" for i in range(80)}}))
    save(new, tmp_path / "new.parquet")
    assert pd.read_parquet(tmp_path / "new.parquet")["text"].tolist()[79:81] == ["new text 79", "text 80"]
