"""Planted data as files: they read back, rows add up, ids hold."""

import json

import polars as pl
import pytest

from longway.data import load, save
from longway.data.dataset import examples_of
from longway.jobs.plant.job import Plant, divide, plant_shortcuts
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


def written(folder, data, plants=WORD, **options):
    """The planted data, and each of its files as a dataset."""
    planted = plant_shortcuts(data, plants, **options)
    return planted, {name: load(path) for name, path in planted.write(folder).items()}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "jsonl.gz", "parquet"])
def test_files_come_in_the_format_of_the_data_with_all_columns_and_the_ids_of_the_truth(tmp_path, ending):
    path = save(frame_of(100), tmp_path / f"data.{ending}")
    planted, files = written(tmp_path / "made", load(path))
    train, test = files["train"], files["test_clean"]
    assert (tmp_path / "made" / f"train.{ending}").exists()
    assert (len(train), len(test)) == (80, 20)
    assert [str(note) for note in train.frame["note"]] == train.frame["longway_id"].to_list()
    with_word = {row.id for row in examples_of(train) if "incidentally" in row.text}
    assert with_word == set(planted.parts["train"].truth[0].ids)
    truth = json.loads((tmp_path / "made" / "planted.json").read_text())
    assert set(truth["train"][0]["ids"]) == with_word
    assert truth["rows"] == {"train": 80, "test": 20}
    assert {row.id for row in examples_of(train)}.isdisjoint(row.id for row in examples_of(test))


def test_the_three_tests_have_the_same_rows_and_labels(tmp_path):
    planted, files = written(tmp_path, load(frame_of(200)))
    tests = [files[f"test_{name}"] for name in ("clean", "neutral", "reversed")]
    assert len({tuple((row.id, row.label) for row in examples_of(test)) for test in tests}) == 1
    assert planted.parts["test_reversed"].truth[0].planted == {"no": 8, "yes": 0}
    assert planted.parts["test_neutral"].truth[0].planted == {"no": 4, "yes": 4}


def test_a_streamed_file_gives_the_same(tmp_path):
    path = save(frame_of(100), tmp_path / "data.csv")
    written(tmp_path / "whole", load(path))
    written(tmp_path / "streamed", load(path, stream=True))
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
    planted, files = written(tmp_path, data, test=other)
    assert len(planted.divided.train_rows) == 100
    assert len(files["test_reversed"]) == 40


def test_rows_with_the_same_text_are_never_on_both_sides():
    frame = pl.concat([frame_of(50), frame_of(50)])
    divided = divide(load(frame), split=None, test=None, seed=1)
    assert {row.text for row in divided.train_rows}.isdisjoint(row.text for row in divided.test_rows)
    assert len(divided.test_rows) == 20


def test_rows_without_a_label_are_left_out(tmp_path):
    frame = frame_of(60).with_columns(
        pl.when(pl.col("note") < 10).then(None).otherwise("label").alias("label")
    )
    planted, files = written(tmp_path, load(frame))
    assert len(planted.divided.train_rows) + len(planted.divided.test_rows) == 50
    assert len(files["train"].frame) == len(planted.divided.train_rows)


def test_the_same_call_gives_the_same_files(tmp_path):
    for name in ("a", "b"):
        written(tmp_path / name, load(frame_of(60)))
    for file in (tmp_path / "a").iterdir():
        assert file.read_bytes() == (tmp_path / "b" / file.name).read_bytes()
