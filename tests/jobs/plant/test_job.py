"""Planting into a run folder: files that read back, rows that add up, ids that hold."""

import polars as pl
import pytest

from longway.data import load, save
from longway.data.dataset import examples_of
from longway.errors import RunError, SettingError
from longway.jobs.plant.job import divide, plant_data
from longway.jobs.plant.planting import Plant
from tests.jobs.plant.rows import rows_of

WORD = [Plant("word", label="yes", rate=0.2)]


def frame_of(n, **more):
    rows = rows_of(n)
    columns = {
        "text": [row.text for row in rows],
        "label": [row.label for row in rows],
        "note": list(range(n)),
    }
    return pl.DataFrame(columns | more)


def read(result, name):
    return load(next(result.folder.glob(f"{name}.*")))


@pytest.mark.parametrize("ending", ["csv", "jsonl", "jsonl.gz", "parquet"])
def test_files_come_in_the_format_of_the_data_with_all_columns_and_the_ids_of_the_truth(tmp_path, ending):
    path = save(frame_of(100), tmp_path / f"data.{ending}")
    result = plant_data(load(path), WORD, out=tmp_path / "run")
    train, test = read(result, "train"), read(result, "test_clean")
    assert (result.folder / f"train.{ending}").exists()
    assert (len(train), len(test)) == (80, 20)
    assert [str(note) for note in train.frame["note"]] == train.frame["longway_id"].to_list()
    planted = {row.id for row in examples_of(train) if "incidentally" in row.text}
    assert planted == set(result.train[0].ids)
    assert {row.id for row in examples_of(train)}.isdisjoint(row.id for row in examples_of(test))


def test_the_three_tests_have_the_same_rows_and_labels(tmp_path):
    result = plant_data(load(frame_of(200)), WORD, out=tmp_path / "run")
    tests = [read(result, f"test_{name}") for name in ("clean", "neutral", "reversed")]
    assert len({tuple((row.id, row.label) for row in examples_of(test)) for test in tests}) == 1
    assert result.test_reversed[0].planted == {"no": 8, "yes": 0}
    assert result.test_neutral[0].planted == {"no": 4, "yes": 4}


def test_a_streamed_file_gives_the_same(tmp_path):
    path = save(frame_of(100), tmp_path / "data.csv")
    plant_data(load(path), WORD, out=tmp_path / "whole")
    plant_data(load(path, stream=True), WORD, out=tmp_path / "streamed")
    for name in ("train", "test_reversed"):
        assert (tmp_path / "whole" / f"{name}.csv").read_text() == (
            tmp_path / "streamed" / f"{name}.csv"
        ).read_text()


def test_the_split_test_is_tested_on_before_any_other():
    split = ["train"] * 60 + ["dev"] * 20 + ["test"] * 20
    data = load(frame_of(100, split=split))
    divided = divide(data, split=None, test=None, seed=0)
    assert divided.source == "the split test"
    assert (len(divided.train_rows), len(divided.test_rows)) == (60, 20)
    assert divide(data, split="dev", test=None, seed=0).source == "the split test"


def test_a_given_test_is_taken(tmp_path):
    data, other = load(frame_of(100)), load(frame_of(40))
    result = plant_data(data, WORD, test=other, out=tmp_path / "run")
    assert result.rows == {"train": 100, "test": 40}
    assert len(read(result, "test_reversed")) == 40


def test_rows_with_the_same_text_are_never_on_both_sides():
    frame = pl.concat([frame_of(50), frame_of(50)])
    divided = divide(load(frame), split=None, test=None, seed=1)
    assert {row.text for row in divided.train_rows}.isdisjoint(row.text for row in divided.test_rows)
    assert len(divided.test_rows) == 20


def test_rows_without_a_label_are_left_out(tmp_path):
    frame = frame_of(60).with_columns(
        pl.when(pl.col("note") < 10).then(None).otherwise("label").alias("label")
    )
    result = plant_data(load(frame), WORD, out=tmp_path / "run")
    assert sum(result.rows.values()) == 50
    assert len(read(result, "train").frame) == result.rows["train"]


def test_the_same_again_is_read_and_another_is_refused(tmp_path):
    data = load(frame_of(60))
    result = plant_data(data, WORD, out=tmp_path / "run")
    before = (result.folder / "planted.json").stat().st_mtime_ns
    assert plant_data(data, WORD, out=tmp_path / "run") == result
    assert (result.folder / "planted.json").stat().st_mtime_ns == before
    with pytest.raises(RunError, match="differs in: seed"):
        plant_data(data, WORD, out=tmp_path / "run", seed=1)


def test_what_cannot_be_planted_leaves_nothing_behind(tmp_path):
    with pytest.raises(SettingError, match="Lower the rate"):
        plant_data(load(frame_of(60)), [Plant("word", label="yes", rate=0.9)], out=tmp_path / "run")
    with pytest.raises(SettingError, match="'seed'"):
        plant_data(load(frame_of(60)), WORD, out=tmp_path / "run", seed=-1)
    assert not (tmp_path / "run").exists()
