"""Whatever is not edited comes back as it went in: values, nulls, types, metadata, the index."""

import datetime as dt
import decimal
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.data import load, save
from longway.data.edited import AddedRow, Changes, apply_edits, edited_dataset, writing_note

any_file = settings(
    deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
LABELS = ["a", "b"]
N = 6
TEXTS = [f"text number {i}" for i in range(N)]

# JSON: cells of any type, absent, or null.
json_cells = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False)
    | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=4,
)
json_rows = st.lists(
    st.dictionaries(st.sampled_from(["p", "q", "r", "a\x00b", ""]), json_cells), min_size=N, max_size=N
).map(
    lambda rows: [
        {**more, "text": text, "label": LABELS[i % 2]}
        for i, (more, text) in enumerate(zip(rows, TEXTS, strict=True))
    ]
)
wrappers = st.dictionaries(
    st.text(max_size=4).filter(lambda key: key not in ("data", "rows", "examples")), json_cells, max_size=3
)

# Changes of the six rows: new texts and labels, dropped rows, copies.
numbers = st.sampled_from(range(N))


@st.composite
def changes(draw):
    dropped = draw(st.sets(numbers, max_size=3))
    made = Changes(
        cells={"text": {str(i): f"new {i}" for i in draw(st.sets(numbers, max_size=3))}},
        labels={str(i): "b" for i in draw(st.sets(numbers, max_size=2)) if i % 2 == 0},
        dropped={str(i) for i in dropped},
    )
    for i in draw(st.sets(numbers, max_size=2)):
        made.added[f"{i}+1"] = AddedRow(str(i), "a", {"text": f"added {i}"})
    return made


def expected_rows(rows, made):
    """The rows with the changes applied, the obvious way."""
    kept = []
    for i, row in enumerate(rows):
        new = {
            "text": made.cells["text"].get(str(i), row["text"]),
            "label": made.labels.get(str(i), row["label"]),
        }
        kept.append((str(i), {**row, **new}))
    added = [
        (id_, {**dict(kept)[add.source], "text": add.cells["text"], "label": add.label})
        for id_, add in made.added.items()
    ]
    return [(id_, row) for id_, row in kept if id_ not in made.dropped] + added


@any_file
@given(rows=json_rows, made=changes(), around=wrappers, wraps=st.booleans(), stream=st.booleans())
@pytest.mark.parametrize("ending", ["json", "jsonl"])
def test_json_rows_come_back(tmp_path, ending, rows, made, around, wraps, stream):
    path = tmp_path / f"in.{ending}"
    before = {**around, "data": rows, "version": 3} if wraps else rows
    text = json.dumps(before) if ending == "json" else "\n".join(map(json.dumps, rows))
    path.write_text(text)
    dataset = load(path, text="text", label="label", id="", stream=stream and ending == "jsonl")
    out = save(apply_edits(dataset, made, with_sources=False), tmp_path / f"out.{ending}")
    after = (
        json.loads(out.read_text())
        if ending == "json"
        else [json.loads(line) for line in out.read_text().rstrip("\n").split("\n")]
    )
    wanted = [{**row, "longway_id": id_} for id_, row in expected_rows(rows, made)]
    if ending == "json" and wraps:
        wanted = {**before, "data": wanted}
    assert repr_of(after) == repr_of(wanted)


def repr_of(value):
    """1, 1.0 and True differ; the order of keys does not matter."""
    return json.dumps(value, sort_keys=True)


@any_file
@given(rows=json_rows, made=changes())
def test_a_list_of_dicts_is_saved_with_its_nulls(tmp_path, rows, made):
    out = save(
        edited_dataset(load(rows, text="text", label="label", id=""), made, with_sources=False),
        tmp_path / "out.jsonl",
    )
    after = [json.loads(line) for line in out.read_text().rstrip("\n").split("\n")]
    assert repr_of(after) == repr_of([{**row, "longway_id": id_} for id_, row in expected_rows(rows, made)])


D = decimal.Decimal
ARROW = {
    "i8": pa.array([1, None, 3, 4, 5, 6], pa.int8()),
    "u64": pa.array([1, None, 2**64 - 1, 4, 5, 6], pa.uint64()),
    "f16": pa.array([1.5, None, 2.5, 1, 1, 1], pa.float16()),
    "text32": pa.array(["x", None, "", "x", "y", "é"], pa.string()),
    "view": pa.array(["x", None, "", "x", "y", "é"], pa.string_view()),
    "list": pa.array([[1], None, [], [2, None], [3], [4]], pa.list_(pa.int32())),
    "fixed": pa.array([b"ab", None, b"cd", b"ef", b"gh", b"ij"], pa.binary(2)),
    "time": pa.array([1, None, 3, 4, 5, 6], pa.time32("s")),
    "date64": pa.array([dt.date(2020, 1, 1), None, dt.date(1900, 1, 1)] * 2, pa.date64()),
    "zone": pa.array([1, None, 3, 4, 5, 6], pa.timestamp("ms", "Europe/Berlin")),
    "money": pa.array([D("1.50"), None, D("2.00")] * 2, pa.decimal128(9, 2)),
    "kind": pa.array(["p", None, "q"] * 2).dictionary_encode().cast(pa.dictionary(pa.int8(), pa.string())),
    "order": pa.DictionaryArray.from_arrays(pa.array([1, None, 0] * 2, pa.int8()), ["lo", "hi", "never"], ordered=True),
    "struct": pa.array([{"a": 1}, None, {"a": None}] * 2, pa.struct([("a", pa.int16())])),
    "map": pa.array([[("k", 1)], None, []] * 2, pa.map_(pa.string(), pa.int8())),
    "none": pa.nulls(N),
    "": pa.array(range(N), pa.int16()),
}  # fmt: skip
SCHEMA = {"pandas": "{}", "own": "kept"}


def arrow_table(names, label):
    columns = {"text": pa.array(TEXTS), "label": label, **{name: ARROW[name] for name in names}}
    table = pa.table(columns)
    fields = [field.with_metadata({"of": field.name}) for field in table.schema]
    return table.cast(pa.schema(fields, metadata=SCHEMA))


labels = st.sampled_from([
    pa.array(LABELS * 3), pa.array(LABELS * 3).dictionary_encode(), pa.array(LABELS * 3, pa.large_string()),
])  # fmt: skip


@any_file
@given(
    names=st.lists(st.sampled_from(sorted(ARROW)), unique=True, max_size=5),
    label=labels,
    made=changes(),
    stream=st.booleans(),
)
@pytest.mark.parametrize("ending", ["parquet", "arrow"])
def test_arrow_columns_come_back(tmp_path, ending, names, label, made, stream):
    table = arrow_table(names, label)
    path, out = tmp_path / f"in.{ending}", tmp_path / f"out.{ending}"
    write_arrow(table, path)
    before = read_arrow(path)  # what the format itself keeps
    dataset = load(path, text="text", label="label", id="", stream=stream)
    after = read_arrow(save(apply_edits(dataset, made, with_sources=False), out))
    assert after.schema.remove(len(before.schema)).equals(before.schema, check_metadata=True)
    rows = [
        dict(zip(before.column_names, row, strict=True))
        for row in zip(*before.to_pydict().values(), strict=True)
    ]
    wanted = expected_rows(rows, made)
    assert after.column("longway_id").to_pylist() == [id_ for id_, _ in wanted]
    assert after.drop_columns("longway_id").to_pylist() == [row for _, row in wanted]


def write_arrow(table, path):
    if path.suffix == ".parquet":
        pq.write_table(table, path)
    else:
        with pa.ipc.new_file(path, table.schema) as writer:
            writer.write_table(table)


def read_arrow(path):
    return pq.read_table(path) if path.suffix == ".parquet" else pa.ipc.open_file(path).read_all()


def test_numbers_and_dates_as_labels_keep_their_type(tmp_path):
    for values in (
        [0, 1],
        [0.5, 1.0],
        [True, False],
        [dt.date(2020, 1, 1), dt.date(2021, 1, 1)],
        [D("1.50"), D("2.00")],
    ):
        table = pa.table({"text": TEXTS, "label": values * 3})
        write_arrow(table, path := tmp_path / "in.parquet")
        dataset = load(path, text="text", label="label")
        other = next(batch for batch in dataset.batches())
        label = dataset.labels[other.labels[1]]
        made = Changes(labels={"0": label}, added={"0+1": AddedRow("0", label)})
        after = read_arrow(save(apply_edits(dataset, made), tmp_path / "out.parquet"))
        assert after.column("label").to_pylist() == [values[1], *(values * 3)[1:], values[1]]
        assert after.schema.field("label").type == table.schema.field("label").type
        if not isinstance(values[0], dt.date):
            frame = edited_dataset(dataset, made).frame
            assert frame["label"].dtype == dataset.frame["label"].dtype
            assert frame["label"].to_list() == after.column("label").to_pylist()


def test_shards_that_differ_in_their_types_are_still_written(tmp_path):
    (tmp_path / "in").mkdir()
    for name, values in (("a", pa.nulls(N)), ("b", pa.array([1.5] * N))):
        write_arrow(
            pa.table({"text": TEXTS, "label": LABELS * 3, "more": values}),
            tmp_path / "in" / f"{name}.parquet",
        )
    after = read_arrow(save(apply_edits(load(tmp_path / "in"), Changes()), tmp_path / "out.parquet"))
    assert after.column("more").to_pylist() == [None] * N + [1.5] * N


def test_the_report_names_the_column_with_earlier_ids():
    rows = pl.DataFrame({"text": TEXTS, "label": LABELS * 3, "longway_id": ["0", "1", "2"] * 2})
    dataset = load(rows)
    assert "in the column longway_id_2, because" in writing_note(dataset, edited_dataset(dataset, Changes()))
    good = load(rows.drop("longway_id"))
    assert writing_note(good, edited_dataset(good, Changes())) == ""


def test_a_parquet_file_of_pandas_and_of_hugging_face_keeps_index_and_class_names(tmp_path):
    frame = pd.DataFrame({"text": TEXTS, "label": [0, 1] * 3}, index=pd.Index(list("uvwxyz"), name="key"))
    frame.to_parquet(path := tmp_path / "in.parquet")
    dataset = load(path, text="text", label="label", id="")
    out = save(
        apply_edits(dataset, Changes(cells={"text": {"1": "new"}}, dropped={"0"})), tmp_path / "out.parquet"
    )
    frame.loc["v", "text"] = "new"
    pd.testing.assert_frame_equal(pd.read_parquet(out).drop(columns="longway_id"), frame.drop("u"))

    datasets = pytest.importorskip("datasets")
    features = datasets.Features(
        {"text": datasets.Value("string"), "label": datasets.ClassLabel(names=["neg", "pos"])}
    )
    datasets.Dataset.from_dict({"text": TEXTS, "label": [0, 1] * 3}, features=features).to_parquet(path)
    out = save(apply_edits(load(path), Changes(cells={"text": {"1": "new"}}, labels={"1": "0"})), out)
    after = datasets.Dataset.from_parquet(str(out), cache_dir=str(tmp_path / "cache"))
    assert after.features["label"] == features["label"]
    assert after["label"][:3] == [0, 0, 0]


PANDAS = {
    "i8": pd.array([1, 2, 3, 4, 5, 6], dtype="int8"),
    "Int64": pd.array([1, None, 1234567890123456789, 4, 5, 6], dtype="Int64"),
    "u64": pd.array([1, 2, 2**64 - 1, 4, 5, 6], dtype="uint64"),
    "f32": pd.array([1.1, float("nan"), 3, 4, 5, 6], dtype="float32"),
    "mixed": [1, "x", None, 2.5, True, [1]],
    "big": [2**70, 1, 2, 3, 4, 5],
    "complex": [1j, 2j, 3, 4, 5, 6],
    "sets": [{1}, {2}, set(), {3}, {4}, {5}],
    "order": pd.Categorical(["lo", "hi", None] * 2, categories=["lo", "hi", "never"], ordered=True),
    "numbers": pd.Categorical([3, 1, 2] * 2, categories=[1, 2, 3, 4]),
    "zone": pd.date_range("2020", periods=N, tz="Europe/Berlin"),
    "period": pd.period_range("2020", periods=N),
    "interval": pd.interval_range(0, N),
    "sparse": pd.arrays.SparseArray([0, 1, 0, 0, 2, 0]),
    "bool": pd.array([True, None, False] * 2, dtype="boolean"),
    "arrow": pd.array([1, None, 3, 4, 5, 6], dtype="int64[pyarrow]"),
    "python": pd.Series(["x", None, "y"] * 2, dtype="object"),
    7: range(N),
}  # fmt: skip
INDEXES = [
    pd.RangeIndex(N),
    pd.RangeIndex(100, 100 + N, name="number"),
    pd.Index([5, 3, 9, 1, 0, 2]),
    pd.Index(list("uvwxyz"), name="key"),
    pd.date_range("2020", periods=N),
    pd.MultiIndex.from_product([["u", "v"], [1, 2, 3]], names=["k", None]),
    pd.Index([0, 1, 2] * 2),
]  # fmt: skip
pandas_labels = st.sampled_from([
    LABELS * 3, pd.Categorical(LABELS * 3, categories=["b", "a", "never"], ordered=True), pd.Series(LABELS * 3, dtype="string[pyarrow]"),
])  # fmt: skip


@any_file
@given(
    names=st.lists(st.sampled_from(list(PANDAS)), unique=True, max_size=6), index=st.sampled_from(INDEXES),
    label=pandas_labels, made=changes(), twice=st.booleans(),
)  # fmt: skip
def test_a_pandas_frame_comes_back(names, index, label, made, twice):
    frame = pd.DataFrame({"text": TEXTS, "label": label, **{name: PANDAS[name] for name in names}})
    frame.index = index
    given_ = frame.copy()
    dataset = load(frame, text="text", label="label")
    pd.testing.assert_frame_equal(dataset.to_pandas(), frame, check_column_type=False)

    ids = index.map(str) if index.is_unique else pd.Index([str(i) for i in range(N)])
    made = renamed(made, ids)
    edited = edited_dataset(dataset, made, with_sources=False)
    if twice:
        edited = edited_dataset(edited, Changes(), with_sources=False)
    after = edited.to_pandas()
    pd.testing.assert_frame_equal(frame, given_)  # the input is not changed

    wanted = frame.set_axis(range(N))
    for id_, text in made.cells["text"].items():
        wanted.loc[ids.get_loc(id_), "text"] = text
    for id_, new in made.labels.items():
        wanted.loc[ids.get_loc(id_), "label"] = new
    kept = [i for i in range(N) if ids[i] not in made.dropped]
    sources = [ids.get_loc(added.source) for added in made.added.values()]
    wanted = pd.concat([wanted.loc[kept], wanted.loc[sources]]) if sources else wanted.loc[kept]
    text, target = wanted["text"].to_list(), wanted["label"].to_list()
    for place, added in enumerate(made.added.values(), len(kept)):
        text[place], target[place] = added.cells["text"], added.label
    wanted["text"], wanted["label"] = text, pd.Series(target, wanted.index, dtype=frame["label"].dtype)
    pd.testing.assert_frame_equal(
        after.drop(columns="longway_id").reset_index(drop=True),
        wanted.reset_index(drop=True),
        check_column_type=False,
    )
    assert after["longway_id"].to_list() == [*ids[kept], *made.added]
    assert after.index[: len(kept)].equals(index[kept])
    assert after.index.names == index.names
    new = after.index[len(kept) :]
    if index.dtype.kind == "i":
        assert list(new) == list(range(index.max() + 1, index.max() + 1 + len(sources)))
    else:
        assert list(new) == list(index[sources])


def renamed(made, ids):
    """The changes with these ids instead of row numbers."""
    name = {str(i): id_ for i, id_ in enumerate(ids)}
    return Changes(
        cells={"text": {name[i]: text for i, text in made.cells["text"].items()}},
        labels={name[i]: label for i, label in made.labels.items()},
        dropped={name[i] for i in made.dropped},
        added={
            f"{name[add.source]}+1": AddedRow(name[add.source], add.label, add.cells)
            for add in made.added.values()
        },
    )


def test_whole_numbers_beside_empty_cells_keep_their_digits_in_pandas(tmp_path):
    numbers = [None, 1234567890123456791, 2**63 - 1, 3, 4, 5]
    frame = pl.DataFrame({"text": TEXTS, "label": LABELS * 3, "number": numbers})
    for data in (
        frame,
        frame.to_dicts(),
        save(frame, tmp_path / "a.parquet"),
        save(frame, tmp_path / "a.jsonl"),
        save(frame, tmp_path / "a.csv"),
    ):
        column = load(data).to_pandas()["number"]
        assert [None if pd.isna(number) else int(number) for number in column] == numbers


def test_a_polars_frame_comes_back():
    frame = pl.DataFrame(
        {"text": TEXTS, "label": pl.Series(LABELS * 3, dtype=pl.Enum(["b", "a", "never"])), "u8": pl.Series(range(N), dtype=pl.UInt8),
         "kind": pl.Series(["x", None] * 3, dtype=pl.Categorical), "list": [[i] for i in range(N)]}
    )  # fmt: skip
    dataset = load(frame)
    assert dataset.frame.equals(frame)
    made = Changes(
        cells={"text": {"1": "new"}}, labels={"0": "b"}, dropped={"2"}, added={"3+1": AddedRow("3", "a")}
    )
    after = edited_dataset(dataset, made, with_sources=False).frame.drop("longway_id")
    assert after.schema == frame.schema
    assert after[[2, 3, 4]].equals(frame[[3, 4, 5]])
    assert after["label"].to_list() == ["b", "b", "b", "a", "b", "a"]


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("stream", [False, True])
def test_ids_of_an_earlier_run_that_are_repeated_are_kept_under_another_name(tmp_path, ending, stream):
    earlier = ["0", "1", "2"] * 2
    rows = pl.DataFrame(
        {"text": TEXTS, "label": LABELS * 3, "longway_id": earlier, "longway_id_2": ["x"] * N}
    )
    dataset = load(save(rows, tmp_path / f"in.{ending}"), stream=stream)
    out = save(apply_edits(dataset, Changes(cells={"text": {"4": "new"}})), tmp_path / f"out.{ending}")
    after = load(out).frame
    assert after["longway_id_3"].cast(pl.String).to_list() == earlier
    assert after["longway_id_2"].to_list() == ["x"] * N
    assert after["longway_id"].cast(pl.String).to_list() == [str(i) for i in range(N)]
    assert after["text"].to_list() == [*TEXTS[:4], "new", TEXTS[5]]
    again = load(save(apply_edits(load(out), Changes()), tmp_path / f"again.{ending}")).frame
    assert again.equals(after)


def test_another_id_column_does_not_overwrite_the_ids_of_an_earlier_run():
    rows = pl.DataFrame(
        {"text": TEXTS, "label": LABELS * 3, "longway_id": list("uvwxyz"), "number": range(N)}
    )
    for name, ids in (("number", range(N)), ("", range(N))):
        frame = edited_dataset(load(rows, id=name), Changes()).frame
        assert frame["longway_id"].to_list() == [str(i) for i in ids]
        assert frame["longway_id_2"].to_list() == list("uvwxyz")
