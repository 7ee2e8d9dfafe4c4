"""Label columns that hold lists: recognised in every format, and read as tags."""

import json

import pandas as pd
import polars as pl
import pytest

from longway.data import load, save
from longway.data.label_lists import lists_in, tag_lists
from longway.data.table import DataTable
from longway.errors import ColumnError

ROWS = [
    {"text": "one word", "tags": ["b", "a"]},
    {"text": "two words", "tags": []},
    {"text": "three words", "tags": None},
    {"text": "four words", "tags": ["a"]},
]


def written(folder, kind):
    path = folder / f"rows.{kind}"
    if kind == "csv":  # as pandas writes lists
        pd.DataFrame(ROWS).to_csv(path, index=False)
    elif kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    else:
        pl.DataFrame(ROWS).write_parquet(path)
    return path


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "parquet"])
def test_lists_are_recognised_and_read_alike_in_every_format(tmp_path, kind, stream):
    dataset = load(written(tmp_path, kind), label="tags", stream=stream)
    assert dataset.columns.lists == "several"
    assert dict(zip(dataset.labels, dataset.label_counts, strict=True)) == {
        '["a"]': 1,
        '["a", "b"]': 1,
        "[]": 1,
    }
    assert dataset.n_used == 3  # an empty list is usable, a missing cell is not
    tagged = dataset.with_label("tags", "a")
    assert dict(zip(tagged.labels, tagged.label_counts, strict=True)) == {"a": 2, "not a": 1}
    assert [problem.kind for problem in tagged.problems if problem.kind == "null_label"] == ["null_label"]


@pytest.mark.parametrize(
    ("cell", "tags"),
    [
        ('["a", "b"]', ["a", "b"]),
        ("['a', 'b']", ["a", "b"]),
        ("['a' 'b']", ["a", "b"]),  # a NumPy array, printed
        ("['it\\'s', \"x, y\"]", ["it's", "x, y"]),
        ("[1, 2.0, True, None]", ["1", "2", "true"]),
        ("['a', 'a', '']", ["", "a"]),
        (" [ ] ", []),
    ],
)
def test_a_cell_of_text_may_hold_a_list(cell, tags):
    table = DataTable(pl.DataFrame({"x": [cell, "[]"]}))
    assert lists_in([table], "x") == "several"
    assert json.loads(tag_lists(table, "x")[0]) == tags


@pytest.mark.parametrize(
    "cell",
    [
        "[spam]",
        "[a, b]",
        "['a'",
        "[[1], [2]]",
        '[{"a": 1}]',
        "[" * 5000 + "]" * 5000,
        "a",
        "__import__('os')",
    ],
)
def test_other_text_is_an_ordinary_label(cell):
    assert lists_in([DataTable(pl.DataFrame({"x": ["['a', 'b']", cell]}))], "x") == ""
    assert cell in load([{"text": "x y", "label": cell}, {"text": "z", "label": "['a', 'b']"}]).labels


def test_lists_of_one_element_everywhere_are_an_ordinary_label(tmp_path):
    rows = [{"text": "one word", "label": ["a"]}, {"text": "two words", "label": ["b"]}]
    for source in (rows, pl.DataFrame(rows)):
        dataset = load(source)
        assert (dataset.columns.lists, dataset.labels) == ("", ("a", "b"))
        assert dataset.frame["label"].to_list() == ["a", "b"]  # what a command writes can be read again
    path = save(pl.DataFrame(rows), tmp_path / "rows.parquet")
    assert load(path, stream=True).labels == ("a", "b")
    cells = [{**row, "label": str(row["label"])} for row in rows]
    assert load(cells).labels == ("['a']", "['b']")  # text of a file is never changed


def test_class_names_in_lists_are_kept(tmp_path):
    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {
            "text": datasets.Value("string"),
            "labels": datasets.Sequence(datasets.ClassLabel(names=["joy", "anger"])),
        }
    )
    rows = datasets.Dataset.from_dict(
        {"text": ["a b", "c", "d"], "labels": [[0], [0, 1], []]}, features=features
    )
    rows.save_to_disk(tmp_path / "saved")
    for source in (rows, tmp_path / "saved"):
        assert load(source).labels == ('["anger", "joy"]', '["joy"]', "[]")


def test_a_tag_of_rows_that_have_no_lists_is_their_whole_cell():
    dataset = load(
        [{"text": "x", "tags": "a"}, {"text": "y", "tags": "b"}, {"text": "z", "tags": "['a', 'b']"}],
        label="tags",
    )
    assert dataset.with_label("tags", "a").label_counts == (2, 1)


def test_another_label_column_must_exist_and_be_no_text():
    dataset = load([{"text": "x", "one": 1, "two": 0}, {"text": "y", "one": 0, "two": 1}], label="one")
    assert dataset.with_label("two").columns.label == "two"
    with pytest.raises(ColumnError, match="Did you mean 'two'"):
        dataset.with_label("tow")
    with pytest.raises(ColumnError, match="text or the context"):
        dataset.with_label("text")
