"""Hugging Face datasets: folders on disk, names on the hub through a stand-in package, and objects in memory."""

import json
import sys
from types import ModuleType, SimpleNamespace

import pyarrow as pa
import pytest

from longway.data import as_dataset, load
from longway.errors import DataError, MissingExtra

FEATURES = {
    "text": {"dtype": "string", "_type": "Value"},
    "label": {"names": ["neg", "pos"], "_type": "ClassLabel"},
}


def save_to_disk(folder, *shards):
    """What `Dataset.save_to_disk` writes."""
    folder.mkdir(parents=True)
    names = [f"data-{i:05}-of-{len(shards):05}.arrow" for i in range(len(shards))]
    for name, rows in zip(names, shards, strict=True):
        table = table_of(rows)
        with pa.OSFile(str(folder / name), "wb") as raw, pa.ipc.new_stream(raw, table.schema) as out:
            out.write_table(table)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))
    (folder / "dataset_info.json").write_text(json.dumps({"features": FEATURES}))
    return folder


def table_of(rows):
    texts, labels = zip(*rows, strict=True)
    return pa.table({"text": pa.array(texts), "label": pa.array(labels, pa.int64())})


@pytest.mark.parametrize("stream", [False, True])
def test_a_saved_dataset_is_read_with_its_class_names(tmp_path, stream):
    folder = save_to_disk(tmp_path / "reviews", [("one", 1), ("two", 0)], [("three", 1), ("four", -1)])
    dataset = load(folder, stream=stream)
    assert (dataset.labels, dataset.label_counts) == (("neg", "pos"), (1, 2))
    assert dataset.take([3, 0])["label"].to_list() == [None, "pos"]
    assert (dataset.format, dataset.source_name) == ("hf", "reviews")
    assert [p.rows for p in dataset.problems if p.kind == "null_label"] == [(4,)]


@pytest.mark.parametrize("stream", [False, True])
def test_a_saved_dataset_dict_gets_a_split_column(tmp_path, stream):
    save_to_disk(tmp_path / "d" / "train", [("one", 1), ("two", 0)])
    save_to_disk(tmp_path / "d" / "test", [("three", 1)])
    (tmp_path / "d" / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    dataset = load(tmp_path / "d", stream=stream)
    assert dataset.splits == ("train", "test")
    assert next(dataset.select_split("test").batches()).texts.to_list() == ["three"]
    assert dataset.take([2])["split"].to_list() == ["test"]


def test_incomplete_folders_are_told(tmp_path):
    folder = save_to_disk(tmp_path / "a", [("one", 1)])
    next(folder.glob("*.arrow")).unlink()
    with pytest.raises(DataError, match=r"its data is missing: data-00000-of-00001\.arrow"):
        load(folder)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "dataset_dict.json").write_text('{"splits": ["train"]}')
    with pytest.raises(DataError, match="lacks the folder of a split: train"):
        load(tmp_path / "b")
    (tmp_path / "b" / "dataset_dict.json").write_text("{")
    with pytest.raises(DataError, match=r"dataset_dict\.json is not valid JSON"):
        load(tmp_path / "b")


class FakeDataset:
    features = {"text": SimpleNamespace(), "label": SimpleNamespace(names=["neg", "pos"])}  # noqa: RUF012

    def __init__(self, rows):
        self.rows = rows

    def with_format(self, kind):
        assert kind == "arrow"
        return self

    def __getitem__(self, rows):
        return table_of(self.rows[rows])


@pytest.fixture
def calls(monkeypatch):
    seen = []

    def load_dataset(path, name=None, *, split=None):
        seen.append((path, name, split))
        if path == "nowhere":
            raise FileNotFoundError("Dataset 'nowhere' doesn't exist on the Hub")
        if split:
            return FakeDataset([("one", 1), ("two", 0)])
        return {"train": FakeDataset([("one", 1), ("two", 0)]), "test": FakeDataset([("three", 1)])}

    module = ModuleType("datasets")
    module.load_dataset = load_dataset
    monkeypatch.setitem(sys.modules, "datasets", module)
    return seen


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("hf:imdb", ("imdb", None, None)),
        ("hf:imdb:train", ("imdb", None, "train")),
        ("hf:imdb:train[:10%]", ("imdb", None, "train[:10%]")),
        ("hf:glue:sst2", ("glue", "sst2", None)),
        ("hf:glue:sst2:validation", ("glue", "sst2", "validation")),
        ("hf:org/name::test", ("org/name", None, "test")),
    ],
)
def test_the_name_says_configuration_and_split(calls, name, call):
    dataset = load(name)
    assert calls == [call]
    assert dataset.labels == ("neg", "pos")
    assert (dataset.source_name, dataset.format) == (name, "hub")


def test_all_splits_are_told_apart_by_a_column(calls):
    assert load("hf:imdb").splits == ("train", "test")
    assert load("hf:imdb", limit=2).splits == ("train",)


def test_what_the_hub_refuses_is_told(calls):
    with pytest.raises(DataError, match=r"hf:nowhere cannot be loaded .* doesn't exist .* Check the name"):
        load("hf:nowhere")
    with pytest.raises(DataError, match="names no dataset"):
        load("hf:")


def test_without_the_extra_the_line_that_installs_it_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(MissingExtra, match=r"reading hf:imdb needs .* pip install 'longway\[hub\]'"):
        load("hf:imdb")


@pytest.fixture
def objects():
    """A `Dataset` with class names and a `DatasetDict`, made by the real package."""
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])}
    )
    train = datasets.Dataset.from_dict({"text": ["one", "two"], "label": [1, 0]}, features=features)
    test = datasets.Dataset.from_dict({"text": ["three"], "label": [1]}, features=features)
    return train, datasets.DatasetDict({"train": train, "test": test})


def test_a_dataset_object_is_loaded_with_its_class_names(objects):
    dataset = as_dataset(objects[0])
    assert (dataset.labels, dataset.n_rows) == (("neg", "pos"), 2)
    assert (dataset.source_name, dataset.format) == ("Hugging Face dataset", "frame")
    assert next(dataset.batches()).texts.to_list() == ["one", "two"]


def test_a_shuffled_dataset_object_keeps_its_order(objects):
    assert next(load(objects[0].select([1, 0])).batches()).texts.to_list() == ["two", "one"]


def test_the_splits_of_a_dataset_dict_object_become_a_column(objects):
    dataset = load(objects[1])
    assert dataset.splits == ("train", "test")
    assert next(dataset.select_split("test").batches()).texts.to_list() == ["three"]
