"""What a loaded dataset says and gives."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from longway.data import as_dataset, load, save
from longway.errors import DataError

ROWS = [
    {"text": "one", "label": "b", "split": "train", "other": 1},
    {"text": "  ", "label": "a", "split": "train", "other": 2},
    {"text": "three", "label": "a", "split": "test", "other": 3},
    {"text": "four", "label": None, "split": "test", "other": 4},
    {"text": "five", "label": "a", "split": "test", "other": 5},
]


@pytest.fixture(params=["memory", "jsonl", "csv", "parquet", "arrow"])
def dataset(request, tmp_path):
    if request.param == "memory":
        return load(ROWS)
    return load(save(load(ROWS), tmp_path / f"data.{request.param}"), stream=True)


def test_rows_without_text_or_label_are_counted_and_left_out(dataset):
    assert (dataset.n_rows, dataset.n_used) == (5, 3)
    assert (dataset.labels, dataset.label_counts) == (("a", "b"), (2, 1))


def test_batches_hold_the_usable_rows_in_order(dataset):
    for _ in range(2):  # can be asked for again
        batches = list(dataset.batches(2))
        assert max(len(batch.rows) for batch in batches) <= 2
        assert np.concatenate([batch.rows for batch in batches]).tolist() == [0, 2, 4]
        assert pl.concat([batch.texts for batch in batches]).to_list() == ["one", "three", "five"]
        assert pl.concat([batch.ids for batch in batches]).to_list() == ["0", "2", "4"]
        assert np.concatenate([batch.labels for batch in batches]).tolist() == [1, 0, 0]
        assert batches[0].labels.dtype == np.int32
        assert batches[0].rows.dtype == np.int64


def test_take_gives_full_rows_in_the_order_asked_for(dataset):
    taken = dataset.take([4, 0, 4])
    assert taken["text"].to_list() == ["five", "one", "five"]
    assert taken["other"].cast(pl.Int64).to_list() == [5, 1, 5]
    assert dataset.take([]).columns == taken.columns


def test_take_refuses_rows_that_are_not_there(dataset):
    with pytest.raises(DataError, match=r"has the rows 0 to 4\. Got rows from 0 to 5"):
        dataset.take([0, 5])


def test_a_split_is_a_dataset_whose_ids_stay(dataset):
    assert dataset.splits == ("train", "test")
    test = dataset.select_split("test")
    (batch,) = test.batches()
    assert (test.n_rows, test.n_used) == (3, 2)
    assert batch.ids.to_list() == ["2", "4"]
    assert test.take(batch.rows)["text"].to_list() == batch.texts.to_list()


def test_an_unknown_split_is_told_with_those_that_exist(dataset):
    with pytest.raises(DataError, match=r"no split 'dev'\. The splits are 'train', 'test'"):
        dataset.select_split("dev")


def test_ids_of_a_split_stay_row_numbers_when_the_whole_has_duplicates():
    rows = [{"id": "x", "text": "a", "label": "1", "split": s} for s in ("train", "test")]
    (batch,) = load(rows).select_split("test").batches()
    assert batch.ids.to_list() == ["1"]


def test_the_frame_has_all_rows_and_a_streamed_one_says_why_not(tmp_path):
    assert load(ROWS).frame["other"].to_list() == [1, 2, 3, 4, 5]
    assert load(ROWS).select_split("test").frame["other"].to_list() == [3, 4, 5]
    streamed = load(save(load(ROWS), tmp_path / "data.parquet"), stream=True)
    with pytest.raises(DataError, match=r"data\.parquet is streamed because it is too large .* take\(\)"):
        _ = streamed.frame


def test_contexts_are_text_with_empty_cells_as_empty_text():
    rows = [{"premise": "p", "hypothesis": "h", "label": 1}, {"premise": None, "hypothesis": "i", "label": 0}]
    (batch,) = load(rows).batches()
    assert batch.contexts.to_list() == ["p", ""]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([10, 9, 1], ("1", "9", "10")),
        ([True, False, True], ("false", "true")),
        ([1.0, 0.0, None], ("0", "1")),
        ([0.5, 1.0, 2.0], ("0.5", "1", "2")),
        (["b", "B", "a"], ("B", "a", "b")),
        (["10", "9", "x"], ("10", "9", "x")),
        (["007", "7", "08"], ("007", "7", "08")),
    ],
)
def test_labels_are_text_in_their_natural_order(values, expected):
    assert load(pl.DataFrame({"text": ["a", "b", "c"], "label": values})).labels == expected


def test_numbers_as_texts_are_cast():
    (batch,) = load(pl.DataFrame({"text": [1, 2], "label": ["a", "b"]})).batches()
    assert batch.texts.to_list() == ["1", "2"]


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (pd.DataFrame, "pandas frame"),
        (pl.DataFrame, "polars frame"),
        (pl.LazyFrame, "polars frame"),
        (lambda rows: rows, "list of dicts"),
    ],
)
def test_frames_of_every_kind_give_the_same_dataset(make, name):
    dataset = load(make(ROWS))
    assert dataset.fingerprint == load(ROWS).fingerprint
    assert (dataset.source_name, dataset.format, dataset.streamed) == (name, "frame", False)


def test_a_pandas_category_is_text():
    frame = pd.DataFrame({"text": ["a", "b"], "label": pd.Categorical(["x", "y"])}, index=[7, 3])
    dataset = load(frame)
    assert dataset.labels == ("x", "y")
    assert dataset.frame.columns == ["text", "label"]


def test_a_pandas_column_of_mixed_objects_is_read():
    dataset = load(pd.DataFrame({"text": ["a", 2, None], "label": ["x", 1, True], 5: [{"k": 1}, "v", 3]}))
    assert dataset.labels == ("1", "x")
    assert dataset.frame["text"].to_list() == ["a", "2", None]
    assert dataset.frame["5"].to_list() == ['{"k": 1}', '"v"', "3"]


def test_a_name_used_twice_in_pandas_is_told():
    with pytest.raises(DataError, match="uses a column name twice"):
        load(pd.DataFrame([["a", "b"]], columns=["text", "text"]))


def test_a_lazy_frame_that_fails_is_told(tmp_path):
    with pytest.raises(DataError, match="lazy frame cannot be collected"):
        load(pl.scan_parquet(tmp_path / "missing.parquet"))


def test_something_else_cannot_be_loaded():
    with pytest.raises(DataError, match=r"A int cannot be loaded\. Expected a path"):
        load(5)


def test_limit_takes_the_first_rows(tmp_path):
    path = save(load(ROWS), tmp_path / "data.jsonl")
    for dataset in (load(ROWS, limit=3), load(path, limit=3), load(path, limit=3, stream=True)):
        assert (dataset.n_rows, dataset.n_used) == (3, 2)


def test_limit_must_be_positive():
    with pytest.raises(ValueError, match=r"'limit' must be at least 1\. Got 0"):
        load(ROWS, limit=0)


def test_the_fingerprint_depends_on_what_is_seen_and_on_nothing_else(tmp_path):
    dataset = load(ROWS)
    paths = [
        save(dataset, tmp_path / f"data.{s}")
        for s in ("csv", "tsv", "jsonl.gz", "json", "parquet", "arrow.zst")
    ]
    assert {load(path).fingerprint for path in paths} == {dataset.fingerprint}
    assert dataset.fingerprint.startswith("sha256:")
    changed = [ROWS[0] | {"other": 9}, *ROWS[1:]]
    assert load(changed).fingerprint == dataset.fingerprint
    for row in (ROWS[0] | {"text": "One"}, ROWS[0] | {"label": "c"}):
        assert load([row, *ROWS[1:]]).fingerprint != dataset.fingerprint


def test_the_fingerprint_tells_where_a_cell_ends():
    first = [{"text": "ab", "label": "x"}, {"text": "c", "label": "x"}]
    second = [{"text": "a", "label": "x"}, {"text": "bc", "label": "x"}]
    assert load(first).fingerprint != load(second).fingerprint


def test_the_fingerprint_does_not_depend_on_the_pieces_read(tmp_path, monkeypatch):
    rows = [{"text": f"text {i}", "label": i % 2} for i in range(100)]
    path = save(load(rows), tmp_path / "data.csv")
    monkeypatch.setattr("longway.data.csv_file.CHUNK_ROWS", 7)
    assert load(path, stream=True).fingerprint == load(rows).fingerprint


def test_as_dataset_keeps_a_dataset_and_loads_anything_else(tmp_path):
    dataset = load(ROWS)
    assert as_dataset(dataset) is dataset
    path = save(dataset, tmp_path / "rows.csv")
    for source in (ROWS, pl.DataFrame(ROWS), pd.DataFrame(ROWS), path, str(path)):
        assert as_dataset(source).fingerprint == dataset.fingerprint
