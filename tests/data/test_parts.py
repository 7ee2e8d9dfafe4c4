"""Parts of a dataset read alone: together they give what the dataset gives, row for row and batch for batch."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import polars as pl
import pytest

from longway.data import load, save
from longway.data.batches import RowCounter


def rows(n, start=0, *, split=False, ids=False):
    """Rows of which some have no text or no label."""
    numbers = range(start, start + n)
    frame = pl.DataFrame(
        {
            "text": [None if i % 7 == 3 else f"text {i} " + "word " * (i % 5) for i in numbers],
            "label": [None if i % 11 == 5 else ("good", "bad")[i % 2] for i in numbers],
        }
    )
    if ids:
        frame = frame.with_columns(id=pl.Series([f"row-{i}" for i in numbers]))
    return (
        frame.with_columns(split=pl.Series([("train", "test")[i % 3 == 0] for i in numbers]))
        if split
        else frame
    )


def placed(dataset):
    """The parts with their row numbers, as they are once all were read; read from a copy, as another process would."""
    source_row = row = 0
    for part in dataset.parts():
        part = pickle.loads(pickle.dumps(replace(part, source_row=source_row, row=row)))
        seen = RowCounter()
        list(part.batches(seen))
        assert seen.source_rows == part.n_source_rows()
        source_row, row = source_row + seen.source_rows, row + seen.rows
        yield part


def same_batches(dataset):
    found = [batch for part in placed(dataset) for batch in part.batches()]
    for one, other in zip(dataset.batches(), found, strict=True):
        assert one.texts.equals(other.texts)
        assert one.ids.equals(other.ids)
        np.testing.assert_array_equal(one.rows, other.rows)
        np.testing.assert_array_equal(one.labels, other.labels)
    return len(found)


@pytest.mark.parametrize("ids", [True, False])
@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet", "arrow", "json", "csv.gz"])
def test_parts_of_a_folder_give_its_batches(tmp_path, ending, ids):
    for number, n in enumerate((40, 1, 63)):
        save(rows(n, 100 * number, ids=ids), tmp_path / f"{number}.{ending}")
    dataset = load(tmp_path, stream=True)
    assert len(dataset.parts()) == 3
    assert same_batches(dataset) == 3
    tables = [table for part in placed(dataset) for table in part.tables_with_ids()]
    whole = list(dataset.tables_with_ids())
    assert pl.concat(i for _, i in tables).equals(pl.concat(i for _, i in whole))
    assert pl.concat(t.frame for t, _ in tables).equals(pl.concat(t.frame for t, _ in whole))


@pytest.mark.parametrize("row_group_size", [7, 30, 1000])
def test_a_large_parquet_file_has_several_parts_cut_as_it_is_read(tmp_path, monkeypatch, row_group_size):
    monkeypatch.setattr("longway.data.arrow_file.CHUNK_ROWS", 11)
    path = tmp_path / "rows.parquet"
    rows(200, split=True).write_parquet(path, row_group_size=row_group_size)
    dataset = load(path, stream=True)
    assert len(dataset.parts()) == 5  # of 4 pieces of 11 rows each
    assert same_batches(dataset) == 19
    assert same_batches(dataset.select_split("test")) > 5


def test_rows_that_are_here_or_cut_off_have_no_parts(tmp_path):
    save(rows(30), tmp_path / "rows.csv")
    assert load(tmp_path / "rows.csv", stream=False).parts() == []
    assert load(tmp_path / "rows.csv", stream=True, limit=10).parts() == []


def test_a_part_is_not_there_where_its_file_is_another_one(tmp_path):
    save(rows(30), tmp_path / "rows.csv")
    (part,) = load(tmp_path / "rows.csv", stream=True).parts()
    assert part.is_there
    save(rows(31), tmp_path / "rows.csv")
    assert not part.is_there
    (tmp_path / "rows.csv").unlink()
    assert not part.is_there
