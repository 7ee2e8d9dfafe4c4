"""Files as they are met: damage, wrong names, shards, files that do not fit."""

import contextlib
import datetime
import decimal
import gzip
import os
import socket
import subprocess
import sys

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.data import formats, load, memory, save
from longway.errors import ColumnError, DataError, LongwayError

FRAME = pl.DataFrame({"text": ["one", "two"], "label": ["a", "b"]})


def put(tmp_path, content, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_jsonl_may_begin_with_a_mark_and_lack_a_last_newline(tmp_path):
    path = put(tmp_path, '\ufeff{"text": "a", "label": "x"}\r\n{"text": "b", "label": "y"}', "data.jsonl")
    assert load(path).frame["text"].to_list() == ["a", "b"]


def test_arrow_streams_are_read_like_arrow_files(tmp_path):
    with (
        pa.OSFile(str(tmp_path / "data.arrow"), "wb") as raw,
        pa.ipc.new_stream(raw, FRAME.to_arrow().schema) as out,
    ):
        out.write_table(FRAME.to_arrow())
    assert load(tmp_path / "data.arrow").frame.equals(FRAME)
    assert load(tmp_path / "data.arrow", stream=True).n_used == 2


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.csv", b"", r"a\.csv is empty\. .* Check the path"),
        ("a.csv.gz", gzip.compress(b"", mtime=0), r"a\.csv\.gz is empty"),
        ("a.csv", b"text,label\n", r"a\.csv has no rows"),
        (
            "a.csv",
            b"PAR1....",
            r"a\.csv has the ending of a CSV file but contains Parquet\. .* Rename the file",
        ),
        (
            "a.csv",
            "text,label\na,x\n".encode("utf-16-le"),
            r"contains binary or UTF-16 .* --encoding utf-16-le",
        ),
        ("a.csv", "text,label\na,x\n".encode("utf-16")[:-1], r"a\.csv is not UTF-16-LE text: .* --encoding"),
        ("a.csv", b"PK\x03\x04....", r"contains Excel or zip"),
        ("a.parquet", b"", r"a\.parquet cannot be read as parquet"),
        ("a.arrow", b"text,label\na,x\n", r"a\.arrow cannot be read as arrow"),
        ("a.parquet.gz", gzip.compress(b"nothing", mtime=0), r"a\.parquet\.gz cannot be read as parquet\.gz"),
        ("a.json", b'{"a": ', r"a\.json cannot be read as JSON .* name the file \.jsonl"),
        ("a.json", b'{"a": 1}', r"JSON but not a table\. .* got one object with the keys 'a'"),
        ("a.json", b"[1]", r"got an array that also contains a int"),
        ("a.json", b"3", r"got a int"),
        ("a.json", b"[]", r"a\.json is empty"),
        ("a.jsonl", b"not json\n", r"a\.jsonl cannot be read .*none of its 1 lines is a JSON object"),
        ("a.txt", b"hello", r"a\.txt has an unknown ending: \.txt\. Expected \.csv"),
        (
            "a.csv.gz",
            b"text,label\n",
            r"a\.csv\.gz is damaged or truncated: it cannot be decompressed as \.gz",
        ),
        ("a.csv.zst", b"text,label\n", r"a\.csv\.zst is damaged or truncated"),
    ],
)
def test_files_that_cannot_be_used_say_why(tmp_path, name, content, message):
    with pytest.raises(DataError, match=message):
        load(put(tmp_path, content, name))


@pytest.mark.parametrize(
    "suffix", ["csv.gz", "jsonl.gz", "parquet.gz", "csv.zst", "jsonl.zst", "arrow.zst", "parquet"]
)
@pytest.mark.parametrize("stream", [None, True])
def test_a_file_that_is_cut_off_is_named(tmp_path, suffix, stream):
    frame = pl.DataFrame(
        {"text": [f"text {i * 7919 % 1000}" for i in range(5000)], "label": ["a", "b"] * 2500}
    )
    path = save(frame, tmp_path / f"data.{suffix}")
    path.write_bytes(path.read_bytes()[:-2000])
    with pytest.raises(
        DataError, match=rf"data\.{suffix} (is damaged or truncated|cannot be read|is empty or truncated)"
    ):
        load(path, stream=stream)


def test_a_missing_file_is_told_with_near_names(tmp_path):
    save(FRAME, tmp_path / "reviews.csv")
    with pytest.raises(DataError, match=r"review\.csv does not exist\. .* Did you mean reviews\.csv\?"):
        load(tmp_path / "review.csv")
    with pytest.raises(DataError, match=r"zzz\.csv does not exist\. .* nothing with a similar name"):
        load(tmp_path / "zzz.csv")
    with pytest.raises(DataError, match="The folder does not exist"):
        load(tmp_path / "no" / "zzz.csv")


def test_missing_columns_and_missing_rows_come_in_one_message(tmp_path):
    with pytest.raises(ColumnError, match=r"as the label.*There are no rows either"):
        load(put(tmp_path, "text,other\n"))


@pytest.mark.parametrize("suffix", ["csv", "jsonl.gz", "parquet", "json", "arrow.gz"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_folder_and_a_glob_of_shards_are_read_in_order(tmp_path, suffix, stream):
    for name, texts in (("b", ["three"]), ("a", ["one", "two"])):
        save(pl.DataFrame({"text": texts, "label": ["x"] * len(texts)}), tmp_path / f"part-{name}.{suffix}")
    (tmp_path / "README.md").write_text("not data")
    for source in (tmp_path, str(tmp_path / "part-*")):
        dataset = load(source, stream=stream)
        assert next(dataset.batches()).texts[0] == "one"
        assert dataset.take([2, 0])["text"].to_list() == ["three", "one"]
        assert (dataset.n_rows, dataset.format) == (3, suffix)


@pytest.mark.parametrize("stream", [False, True])
def test_shards_with_other_columns_are_refused(tmp_path, stream):
    save(FRAME, tmp_path / "a.csv")
    save(FRAME.rename({"label": "target"}), tmp_path / "b.csv")
    with pytest.raises(DataError, match=r"b\.csv does not have the columns of a\.csv"):
        load(tmp_path, text="text", label="label", stream=stream)


def test_folders_without_data_or_with_several_formats_are_refused(tmp_path):
    with pytest.raises(DataError, match="contains no data file"):
        load(tmp_path)
    with pytest.raises(DataError, match="contains no data file"):
        load(tmp_path / "*.csv")
    save(FRAME, tmp_path / "a.csv")
    save(FRAME, tmp_path / "b.parquet")
    with pytest.raises(DataError, match=r"several formats: csv, parquet\. .* as in"):
        load(tmp_path)


def test_what_does_not_fit_is_streamed_or_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "available_bytes", lambda: 10)
    assert load(save(FRAME, tmp_path / "a.parquet")).streamed
    assert not load(tmp_path / "a.parquet", limit=1).streamed
    assert not load(tmp_path / "a.parquet", stream=False).streamed
    with pytest.raises(DataError, match=r"b\.json needs about .* must be read whole\. Convert it to Parquet"):
        load(save(FRAME, tmp_path / "b.json"))


def test_available_memory_is_a_sensible_number():
    assert 2**20 < memory.available_bytes() < 2**50


def test_the_tightest_control_group_around_us_counts(tmp_path):
    (tmp_path / "own").write_text("0::/outer/inner\n")
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (inner.parent / "memory.max").write_text("1000\n")
    (inner.parent / "memory.current").write_text("900\n")
    (inner.parent / "memory.stat").write_text("anon 700\ninactive_file 200\n")
    (inner / "memory.max").write_text("max\n")
    found = [left for left in memory._cgroups(tmp_path, tmp_path / "own") if left is not None]
    assert found == [1000 - (900 - 200)]


def test_version_1_control_groups_count_too(tmp_path):
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("500\n")
    (tmp_path / "memory" / "memory.usage_in_bytes").write_text("100\n")
    assert 400 in list(memory._cgroups(tmp_path, tmp_path / "own"))


@pytest.mark.parametrize("suffix", ["parquet", "arrow", "csv", "json", "jsonl.gz"])
def test_a_streamed_dataset_is_saved_piece_by_piece(tmp_path, monkeypatch, suffix):
    monkeypatch.setattr("longway.data.arrow_file.CHUNK_ROWS", 2)
    frame = pl.DataFrame({"text": [f"text {i}" for i in range(9)], "label": ["a", "b", "c"] * 3})
    streamed = load(save(frame, tmp_path / "a.parquet"), stream=True)
    assert load(save(streamed, tmp_path / f"b.{suffix}")).frame.equals(frame)


def test_pieces_of_different_types_cannot_be_saved_as_parquet(tmp_path, monkeypatch):
    monkeypatch.setattr("longway.data.json_file.BLOCK", 40)
    path = put(
        tmp_path,
        '{"text": "a", "label": 1, "v": 1}\n' * 3 + '{"text": "a", "label": 2, "v": "x"}\n' * 3,
        "a.jsonl",
    )
    with pytest.raises(DataError, match=r"change their type within the dataset .* Save as \.jsonl"):
        save(load(path, stream=True), tmp_path / "b.parquet")
    assert save(load(path, stream=True), tmp_path / "b.jsonl").read_bytes() == path.read_bytes()
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet", "arrow", "csv.gz", "jsonl.zst"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(where=st.floats(0, 1), junk=st.binary(max_size=6), cut=st.integers(0, 40), stream=st.booleans())
def test_a_damaged_file_is_read_or_refused_but_never_crashes(tmp_path, suffix, where, junk, cut, stream):
    whole = save(FRAME, tmp_path / f"good.{suffix}").read_bytes()
    at = int(where * len(whole))
    path = put(tmp_path, whole[:at] + junk + whole[at + cut :], f"bad.{suffix}")
    with contextlib.suppress(LongwayError):
        dataset = load(path, stream=stream)
        assert dataset.fingerprint
        assert dataset.take([0]).height == 1


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.text(st.sampled_from('text,label\n\r"\t;{}[]:1 \x00é\\'), max_size=40), stream=st.booleans()
)
def test_any_text_file_is_read_or_refused_but_never_crashes(tmp_path, suffix, content, stream):
    path = put(tmp_path, "text,label\n" + content if suffix == "csv" else content, f"any.{suffix}")
    with contextlib.suppress(LongwayError):
        assert load(path, stream=stream).fingerprint


def make_fifo(path):
    os.mkfifo(path)
    return contextlib.nullcontext()


def make_socket(path):
    held = socket.socket(socket.AF_UNIX)
    held.bind(os.path.relpath(path))  # a path of a socket is short
    return held


def make_link_to_a_device(path):
    path.symlink_to("/dev/zero")
    return contextlib.nullcontext()


READ_PATH = """
import sys
from longway.data import load
from longway.data.choices import load_choices
from longway.data.shards import read_any
from longway.errors import DataError
for read in (load, load_choices, lambda path: read_any(__import__("pathlib").Path(path))):
    try:
        read(sys.argv[1])
    except DataError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
@pytest.mark.parametrize("make", [make_fifo, make_socket, make_link_to_a_device])
@pytest.mark.parametrize("name", ["d.csv", "d.jsonl.gz", "d.xlsx", "d.parquet", "without-ending"])
def test_what_is_no_file_is_refused_and_never_waited_for(tmp_path, monkeypatch, make, name):
    monkeypatch.chdir(tmp_path)
    with make(tmp_path / name):
        done = subprocess.run(
            [sys.executable, "-c", READ_PATH, name], capture_output=True, text=True, timeout=120
        )
    lines = done.stdout.splitlines()
    assert len(lines) == 3, done.stderr
    for line in lines:
        assert line.startswith(f"{name} is a pipe, a socket or a device. ")
        assert line.endswith("Save the data to a file, and name that file.")


@pytest.mark.skipif(sys.platform == "win32", reason="has no such files")
def test_a_pipe_among_the_files_of_a_folder_is_not_opened(tmp_path):
    save(FRAME, tmp_path / "a.csv")
    os.mkfifo(tmp_path / "b.csv")
    assert load(tmp_path).n_rows == load(str(tmp_path / "*.csv")).n_rows == 2


SMALL = decimal.Decimal("1.50")
FOREIGN = {  # types that Arrow has and Polars does not, with the text of a value
    "decimal256": (pa.array([SMALL, None], pa.decimal256(50, 2)), "1.50"),
    "list of decimal256": (pa.array([[SMALL], None], pa.list_(pa.decimal256(50, 2))), '["1.50"]'),
    "struct": (pa.array([{"n": SMALL}, None], pa.struct([("n", pa.decimal256(50, 2))])), '{"n": "1.50"}'),
    "dictionary": (pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array([SMALL], pa.decimal256(50, 2))), "1.50"),
    "time zone": (pa.array([datetime.datetime(2020, 1, 1), None], pa.timestamp("us", "+01:30")), "2020-01-01 01:30:00+01:30"),
    "interval": (pa.array([(1, 2, 3), None], pa.month_day_nano_interval()), "[1, 2, 3]"),
    "runs": (pa.RunEndEncodedArray.from_arrays([1, 2], pa.array(['the "x"', None])), 'the "x"'),
    "list view": (pa.array([[1, 2], None], pa.list_view(pa.int8())), "[1, 2]"),
}  # fmt: skip
NOT_IN_PARQUET = {"interval", "runs"}


def type_of(path):
    """The type of the column "odd" of a file."""
    if path.suffix == ".parquet":
        return pq.read_schema(path).field("odd").type
    with formats.open_bytes(path, formats.data_file(path).compression) as stream:
        return pa.ipc.open_file(stream.read()).schema.field("odd").type


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("suffix", ["parquet", "arrow", "arrow.gz"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_column_of_a_foreign_type_is_read_as_text_and_reported(tmp_path, capfd, kind, suffix, stream):
    if suffix == "parquet" and kind in NOT_IN_PARQUET:
        pytest.skip("Parquet has no such type")
    column, text = FOREIGN[kind]
    table = pa.table({"text": ["one", "two"], "odd": column, "label": ["a", "b"]})
    path = tmp_path / f"d.{suffix}"
    if suffix == "parquet":
        pq.write_table(table, path)
    else:
        with (
            formats.create_bytes(path, suffix.partition(".")[2]) as raw,
            pa.ipc.new_file(raw, table.schema) as out,
        ):
            out.write_table(table)
    dataset = load(path, stream=stream)
    assert next(dataset.batches()).texts.to_list() == ["one", "two"]
    (read,) = [table.frame["odd"].to_list() for table in dataset.tables() if table.frame.height]
    assert read == [text, None]
    out = save(dataset, tmp_path / "out.csv")
    assert load(out).frame["odd"].to_list() == [text, None]
    (problem,) = [problem for problem in dataset.problems if problem.kind == "read_as_text"]
    assert problem.count == 1
    assert f"(odd: {type_of(path)})" in problem.message
    assert "panicked" not in capfd.readouterr().err


def test_a_number_of_256_bits_can_be_the_label(tmp_path):
    labels = pa.array([SMALL, decimal.Decimal("2.00")], pa.decimal256(50, 2))
    pq.write_table(pa.table({"text": ["one", "two"], "label": labels}), tmp_path / "d.parquet")
    for stream in (False, True):
        dataset = load(tmp_path / "d.parquet", stream=stream)
        assert dataset.labels == ("1.50", "2.00")
        assert "read_as_text" in {problem.kind for problem in dataset.problems}
