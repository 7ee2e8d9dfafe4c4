"""A CSV file comes out as it went in, byte for byte, except for edited cells and new columns."""

import io

import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from longway.data import load, save
from longway.data.csv_raw import _Layout, csv_rows
from longway.data.edited import AddedRow, Changes, apply_edits
from longway.data.table import CsvLayout
from longway.errors import DataError, LongwayError
from longway.records import Edit

any_folder = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
plain_cells = st.text("abé €’,;|\t\n\r\"' 0", max_size=8)


@st.composite
def files(draw):
    """The rows of a file, as cells in their quotes, and how the file is written."""
    delimiter = draw(st.sampled_from(",;\t|"))
    quoting = draw(st.sampled_from(["minimal", "all", "mixed"]))

    def quoted(cell):
        needed = any(c in cell for c in f'{delimiter}"\r\n')
        if needed or quoting == "all" or (quoting == "mixed" and draw(st.booleans())):
            return '"' + cell.replace('"', '""') + '"'
        return cell

    texts = [f"x{draw(plain_cells)}" for _ in range(draw(st.integers(1, 5)))]
    rows = [["text", "note", "label"]] + [[text, draw(plain_cells), "a"] for text in texts]
    mark, encoding = draw(
        st.sampled_from([("", "utf-8"), ("\ufeff", "utf-8"), ("", "cp1252"), ("\ufeff", "utf-16-le"), ("\ufeff", "utf-16-be")])
    )  # fmt: skip
    return {
        "delimiter": delimiter,
        "kind": draw(st.sampled_from(["csv", "tsv"])) if delimiter == "\t" else "csv",
        "rows": [[quoted(cell) for cell in row] for row in rows],
        "texts": texts,
        "newline": draw(st.sampled_from(["\n", "\r\n"])),
        "is_ended": draw(st.booleans()),
        "mark": mark,
        "encoding": encoding,
    }


def written(file, rows):
    lines = [file["delimiter"].join(cells) for cells in rows]
    text = file["newline"].join(lines) + (file["newline"] if file["is_ended"] else "")
    return (file["mark"] + text).encode(file["encoding"])


def load_file(tmp_path, file, stream=False):
    path = tmp_path / f"in.{file['kind']}"
    path.write_bytes(written(file, file["rows"]))
    return load(path, text="text", label="label", stream=stream, encoding="cp1252")


@any_folder
@given(file=files(), stream=st.booleans())
def test_a_file_is_saved_byte_for_byte(tmp_path, file, stream):
    dataset = load_file(tmp_path, file, stream)
    out = save(dataset, tmp_path / f"out.{dataset.format}")
    assert out.read_bytes() == written(file, file["rows"])


@any_folder
@given(
    file=files(),
    stream=st.booleans(),
    new=st.text("abé,;|\t\n\"'", min_size=1, max_size=8).filter(str.strip),
    data=st.data(),
)
def test_only_edited_cells_and_the_new_column_differ(tmp_path, file, stream, new, data):
    is_ascii = file["encoding"] == "cp1252" and written(file, file["rows"]).isascii()
    assume(new.isascii() or not is_ascii)  # such a file is UTF-8 as well
    dataset = load_file(tmp_path, file, stream)
    edited = data.draw(st.integers(0, len(file["texts"]) - 1))
    edit = Edit(str(edited), "text", "", new, "a", "a", "toy", "toy", True)
    out = save(apply_edits(dataset, [edit]), tmp_path / f"out.{dataset.format}")

    def quoted(cell, always):
        needed = any(c in cell for c in f'{file["delimiter"]}"\r\n')
        return '"' + cell.replace('"', '""') + '"' if needed or always else cell

    def is_quoted(cells):
        return all(cell.startswith('"') for cell in cells)

    names = ["longway_id", *map(str, range(len(file["texts"])))]
    rows = [[*row, quoted(name, is_quoted(row))] for row, name in zip(file["rows"], names, strict=True)]
    old = file["rows"][edited + 1][0]
    if new != file["texts"][edited]:
        rows[edited + 1][0] = quoted(new, old.startswith('"'))
    assert out.read_bytes() == written(file, rows)
    again = load(out, text="text", label="label", encoding="cp1252")
    assert again.frame["text"].to_list()[edited] == new


@any_folder
@given(file=files())
def test_what_is_written_again_does_not_change(tmp_path, file):
    kind = file["kind"]
    first = save(apply_edits(load_file(tmp_path, file), []), tmp_path / f"first.{kind}")
    again = load(first, text="text", label="label", encoding="cp1252")
    assert save(apply_edits(again, []), tmp_path / f"second.{kind}").read_bytes() == first.read_bytes()


odd = st.text('a",\n\r ', max_size=12)


@given(text=odd, quote=st.sampled_from(['"', None]))
def test_raw_cells_are_those_of_the_csv_module(text, quote):
    lines = io.StringIO(text, newline="")
    row = next(csv_rows(lines, ",", quote), [])
    if not row:
        return
    raw = text[: lines.tell()]
    split = _Layout(CsvLayout(",", quote, (), "")).split(raw)
    assert split.values == row
    assert len(split.cells) == len(row)
    assert ",".join(split.cells) + split.end == raw


@pytest.mark.parametrize("stream", [False, True])
@any_folder
@given(content=odd)
def test_irregular_files_are_saved_as_they_are_except_blank_lines(tmp_path, stream, content):
    path = tmp_path / "in.csv"
    path.write_text(f"text,label\nx,y\n{content}", newline="")
    try:
        dataset = load(path, text="text", label="label", stream=stream)
    except LongwayError:
        return
    out = save(dataset, tmp_path / "out.csv")
    again = load(out, text="text", label="label")
    assert [t.frame.fill_null("").rows() for t in again.tables()] == [
        [row for t in dataset.tables() for row in t.frame.fill_null("").rows()]
    ]
    if "\n\n" not in path.read_text() and "\r" not in content:
        assert out.read_bytes() == path.read_bytes()


def test_stray_quotes_mixed_line_ends_and_ragged_rows(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b'text,label,n\r\n5" disc,"x",1\n"a" b,y\r\nc,y,1,2\n"d",x,"3"')
    dataset = load(path, text="text", label="label")
    assert save(dataset, tmp_path / "same.csv").read_bytes() == path.read_bytes()
    out = save(apply_edits(dataset, []), tmp_path / "out.csv")
    assert out.read_bytes() == (
        b'text,label,n,longway_id\r\n5" disc,"x",1,0\n"a" b,y,,1\r\nc,y,1,2\n"d",x,"3",3'
    )


def test_an_open_quote_at_the_end_is_closed_before_a_new_column(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b'label,text\nx,a\ny,"open, and on\n')
    dataset = load(path)
    assert save(dataset, tmp_path / "same.csv").read_bytes() == path.read_bytes()
    out = save(apply_edits(dataset, []), tmp_path / "out.csv")
    assert load(out).frame["text"].to_list() == ["a", "open, and on\n"]


def test_repeated_names_stay_in_the_header(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b'text,label,n,"n"\na,x,1,2\n')
    out = save(apply_edits(load(path), []), tmp_path / "out.csv")
    assert out.read_bytes() == b'text,label,n,"n",longway_id\na,x,1,2,0\n'


def test_added_rows_are_written_like_the_rows_they_were_made_from(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b'"text";"label"\r\n"a";x\r\nb;"y"')
    changes = Changes(added={"0+1": AddedRow("0", "y", {"text": 'new "one"'}), "1+1": AddedRow("1", "x")})
    out = save(apply_edits(load(path), changes), tmp_path / "out.csv")
    assert out.read_bytes() == (
        b'"text";"label";"longway_id";"longway_source"\r\n"a";x;0;\r\nb;"y";1;\r\n'
        b'"new ""one""";y;0+1;0\r\nb;"x";1+1;1'
    )


def test_dropped_rows_and_other_splits_leave_the_rest_alone(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b'text,label,split\n"a",x,train\nb,"y",train\n"c",x,test\n')
    dataset = load(path)
    changes = Changes(dropped={"0"})
    out = save(apply_edits(dataset.select_split("train"), changes), tmp_path / "out.csv")
    assert out.read_bytes() == b'text,label,split,longway_id\nb,"y",train,1\n'


def test_a_cell_that_a_file_without_quotes_cannot_hold_is_refused(tmp_path):
    path = tmp_path / "in.tsv"
    path.write_bytes(b'text\tlabel\n"open\tx\nin "the" middle\ty\n')
    dataset = load(path)
    assert save(dataset, tmp_path / "same.tsv").read_bytes() == path.read_bytes()
    edit = Edit("0", "text", "", "two\nlines", "x", "x", "toy", "toy", True)
    with pytest.raises(DataError, match=r"'two\\nlines' has a tab or a line break"):
        save(apply_edits(dataset, [edit]), tmp_path / "out.tsv")
    assert not (tmp_path / "out.tsv").exists()


def test_a_file_that_changed_since_it_was_read_is_written_from_memory(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b'"text";"label"\n"a";"x"\n')
    dataset = load(path)
    path.write_bytes(b'"text";"label"\n"other";"y"\n')
    assert save(dataset, tmp_path / "out.csv").read_bytes() == b"text,label\na,x\n"


def test_other_formats_and_frames_do_not_see_the_raw_text(tmp_path):
    path = tmp_path / "in.csv"
    path.write_bytes(b'"text";"label"\n"a";"x"\n')
    dataset = load(path)
    for ending in ("parquet", "jsonl", "tsv"):
        frame = load(save(apply_edits(dataset, []), tmp_path / f"out.{ending}")).frame
        assert frame.equals(pl.DataFrame({"text": ["a"], "label": ["x"], "longway_id": ["0"]}))
    assert dataset.frame.columns == ["text", "label"]


@pytest.mark.parametrize("stream", [False, True])
def test_shards_of_several_layouts_become_one_file_in_the_first(tmp_path, stream):
    folder = tmp_path / "shards"
    folder.mkdir()
    (folder / "a.csv").write_bytes(b'"text";"label"\r\n"a";x')
    (folder / "b.csv").write_bytes(b'label,text\n"y","b;c"\n')
    out = save(load(folder, stream=stream), tmp_path / "out.csv")
    assert out.read_bytes() == b'"text";"label"\r\n"a";x\r\n"b;c";y'


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "cp1252", "utf-16"])
def test_the_line_that_states_the_delimiter_is_written_again(tmp_path, stream, encoding):
    path = tmp_path / "in.csv"
    path.write_bytes('sep=;\r\ntext;label\r\ncafé, bar;x\r\n"b";y\r\n'.encode(encoding))
    dataset = load(path, stream=stream)
    assert save(dataset, tmp_path / "same.csv").read_bytes() == path.read_bytes()
    edit = Edit("1", "text", "b", "c", "y", "y", "toy", "toy", True)
    out = save(apply_edits(dataset, [edit]), tmp_path / "out.csv").read_bytes().decode(encoding)
    assert out == 'sep=;\r\ntext;label;longway_id\r\ncafé, bar;x;0\r\n"c";y;1\r\n'
    assert load(tmp_path / "out.csv", stream=stream).take([1])["text"].to_list() == ["c"]
