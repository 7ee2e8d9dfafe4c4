"""Folders and names through the real `datasets` package, without a network."""

import json

import pytest

from longway.data import load


@pytest.fixture
def datasets(tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "home"))
    package = pytest.importorskip("datasets", reason="the hub extra is not installed")
    monkeypatch.setattr(package.config, "HF_DATASETS_CACHE", tmp_path / "cache")
    package.disable_progress_bars()
    return package


def made(datasets, n):
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])}
    )
    columns = {"text": [f"text {i}" for i in range(n)], "label": [i % 2 for i in range(n)]}
    return datasets.Dataset.from_dict(columns, features=features)


def test_a_saved_dict_of_splits_is_read_with_its_splits(datasets, tmp_path):
    splits = datasets.DatasetDict({"train": made(datasets, 20), "test": made(datasets, 6)})
    splits.save_to_disk(tmp_path / "saved")
    dataset = load(tmp_path / "saved")
    assert (dataset.splits, dataset.select_split("test").n_used) == (("train", "test"), 6)


def test_a_name_is_loaded_whole_or_one_split_of_it(datasets, tmp_path):
    folder = tmp_path / "three"
    folder.mkdir()
    for split, n in (("train", 12), ("test", 4)):
        rows = [json.dumps({"text": f"{split} {i}", "label": ["no", "yes"][i % 2]}) for i in range(n)]
        (folder / f"{split}.jsonl").write_text("\n".join(rows))
    assert load(f"hf:{folder}").splits == ("train", "test")
    assert load(f"hf:{folder}::test").n_used == 4
