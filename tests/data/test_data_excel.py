"""Excel workbooks in and out."""

import datetime
import importlib
import zipfile

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from longway.data import excel_file, load, memory, save
from longway.data.edited import apply_edits
from longway.errors import DataError, MissingExtra
from longway.records import Edit

python_calamine = pytest.importorskip("python_calamine", reason="needs the extra xlsx")
xlsxwriter = pytest.importorskip("xlsxwriter", reason="needs the extra xlsx")

FRAME = pl.DataFrame(
    {
        "text": ["=1+1", "two\r\nlines", " spaces ", "näïve 🙂", "_x0041_ \x01"],
        "label": [1, 0, 1, 0, 1],
        "score": [0.5, None, 1e300, -2.0, 3.0],
        "good": [True, False, None, True, False],
        "day": [datetime.date(2024, 2, 29)] * 5,
        "code": ["007", "+1", "-x", "@a", "#N/A"],
    }
)


def write_book(path, sheets):
    with xlsxwriter.Workbook(path) as book:
        for rows in sheets:
            sheet = book.add_worksheet()
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
    return path


def test_cells_come_back_with_their_types(tmp_path):
    again = load(save(FRAME, tmp_path / "data.xlsx"))
    assert again.frame.equals(FRAME.with_columns(pl.col("label").cast(pl.Float64)))
    assert (again.labels, again.format) == (("0", "1"), "xlsx")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    cells=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufffe\uffff"), max_size=12).map(
            lambda text: f"={text}"
        )
        | st.sampled_from(["=A1", "{=1}", "1", "TRUE", "https://a.b", "internal:x", "'x", "2024-01-01"]),
        min_size=1,
        max_size=4,
    )
)
def test_text_that_looks_like_something_else_stays_text(tmp_path, cells):
    frame = pl.DataFrame({"text": cells, "label": ["a"] * len(cells)})
    assert load(save(frame, tmp_path / "data.xlsx")).frame.equals(frame)


def test_no_cell_of_the_file_is_a_formula(tmp_path):
    path = save(FRAME, tmp_path / "data.xlsx")
    assert b"<f>" not in zipfile.ZipFile(path).read("xl/worksheets/sheet1.xml")


def test_the_first_sheet_is_read_and_empty_rows_are_skipped(tmp_path):
    rows = [["text", "label", 2024, "n", "n"], ["a", "x", 1, 2, "z"], [], ["b", "y", "w", 3]]
    frame = load(write_book(tmp_path / "data.xlsx", [rows, [["other"]]])).frame
    assert frame.columns == ["text", "label", "2024", "n", "n_2"]
    assert frame["text"].to_list() == ["a", "b"]
    assert frame["n_2"].to_list() == ["z", None]


def test_a_number_among_words_stays_a_number(tmp_path):
    path = write_book(tmp_path / "data.xlsx", [[["text", "label", "n"], ["a", "x", 5], [12, "y", "five"]]])
    dataset = load(path)
    assert dataset.frame["text"].to_list() == ["a", "12"]
    out = save(dataset, tmp_path / "out.xlsx")
    sheet = python_calamine.CalamineWorkbook.from_path(str(out)).get_sheet_by_index(0)
    assert sheet.to_python() == [["text", "label", "n"], ["a", "x", 5.0], ["12", "y", "five"]]


def test_edits_and_the_id_column_are_written(tmp_path):
    dataset = load(save(FRAME, tmp_path / "in.xlsx"))
    edit = Edit("0", "text", "=1+1", "=2+2", "1", "1", "toy", "toy", True)
    again = load(save(apply_edits(dataset, [edit]), tmp_path / "out.xlsx"))
    assert again.frame["text"].to_list() == ["=2+2", *FRAME["text"][1:]]
    assert again.frame["longway_id"].to_list() == ["0", "1", "2", "3", "4"]


def test_what_a_sheet_cannot_hold_is_refused(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=r"has 40,000 characters\. A cell of an \.xlsx file can have 32,767"):
        save(pl.DataFrame({"text": ["x" * 40_000], "label": ["a"]}), tmp_path / "out.xlsx")
    monkeypatch.setattr(excel_file, "MOST_ROWS", 3)
    with pytest.raises(DataError, match="more than 2 rows"):
        save(FRAME, tmp_path / "out.xlsx")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04....", b"text,label\na,b\n"])
def test_a_damaged_workbook_is_refused(tmp_path, content):
    (tmp_path / "data.xlsx").write_bytes(content)
    with pytest.raises(DataError, match=r"data\.xlsx cannot be read as xlsx"):
        load(tmp_path / "data.xlsx")


def test_an_empty_sheet_is_refused(tmp_path):
    with pytest.raises(DataError, match="is empty"):
        load(write_book(tmp_path / "data.xlsx", [[]]))
    with pytest.raises(DataError, match="no rows"):
        load(write_book(tmp_path / "data.xlsx", [[["text", "label"]]]))


def test_without_the_extra_the_error_says_how_to_install_it(tmp_path, monkeypatch):
    path = save(FRAME, tmp_path / "data.xlsx")

    def fail(name):
        raise ImportError(name)

    monkeypatch.setattr(importlib, "import_module", fail)
    with pytest.raises(MissingExtra, match=r"reading an \.xlsx file needs .*longway\[xlsx\]"):
        load(path)
    with pytest.raises(MissingExtra, match=r"writing an \.xlsx file needs"):
        save(FRAME, tmp_path / "out.xlsx")
    assert [p.name for p in tmp_path.iterdir()] == ["data.xlsx"]


def write_far(path, *cells, sheet=0):
    """A small table on the first of two sheets, and cells of one of them as (row, column, text or None)."""
    with xlsxwriter.Workbook(path) as book:
        sheets = [book.add_worksheet(), book.add_worksheet()]
        for number, row in enumerate([["text", "label"], ["a", "x"], ["b", "y"]]):
            sheets[0].write_row(number, 0, row)
        for row, column, text in cells:
            if text is None:
                sheets[sheet].write_blank(row, column, None, book.add_format({"bold": True}))
            else:
                sheets[sheet].write_string(row, column, text)
    return path


def renamed(path, *changes):
    """The workbook with other text in its parts, as other programs write them."""
    with zipfile.ZipFile(path) as book:
        parts = {name: book.read(name) for name in book.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as book:
        for name, content in parts.items():
            for old, new in changes:
                content = content.replace(old, new)
            book.writestr(name, content)
    return path


@pytest.mark.parametrize(
    ("cells", "where"),
    [
        ([(1_048_575, 16_383, "x")], "row 1,048,576 and one in column 16,384"),
        ([(0, 16_383, "x"), (40_000, 0, "y")], "row 40,001 and one in column 16,384"),
        ([(700_000, 700, "x")], "row 700,001 and one in column 701"),
    ],
)
@pytest.mark.parametrize(
    "changes",
    [
        [],
        [(b'Target="worksheets/', b'Target="/xl/worksheets/')],
        [(b"<c r=", b"<x:c  r="), (b"</c>", b"</x:c>"), (b"<worksheet ", b'<worksheet xmlns:x="urn:x" ')],
        [(b' t="s">', b" t='s'  >"), (b"<c ", b'<c s="0" ')],
    ],
)
def test_a_sheet_that_does_not_fit_is_refused_before_it_is_read(tmp_path, monkeypatch, cells, where, changes):
    path = renamed(write_far(tmp_path / "far.xlsx", *cells), *changes)
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**30)
    with pytest.raises(
        DataError, match=rf"^The first sheet of far\.xlsx has a cell in {where}\..*Ctrl\+End .*save the file"
    ):
        load(path)


@pytest.mark.parametrize(
    ("cells", "sheet"),
    [
        ([(1_048_575, 16_383, None)], 0),  # formatted, without content
        ([(1_048_575, 16_383, "x")], 1),  # on a sheet that is not read
        ([(2, 1_000, "x"), (2_000, 0, "y")], 0),  # fits
    ],
)
def test_far_cells_that_cost_no_memory_do_not_matter(tmp_path, monkeypatch, cells, sheet):
    path = write_far(tmp_path / "far.xlsx", *cells, sheet=sheet)
    monkeypatch.setattr(memory, "available_bytes", lambda: 2**30)
    assert load(path).frame["text"].to_list()[:2] == ["a", "b"]


def test_the_size_of_a_sheet_is_that_of_all_its_blocks(tmp_path, monkeypatch):
    monkeypatch.setattr(excel_file, "BLOCK", 1_000)
    path = write_far(tmp_path / "far.xlsx", *[(row, row % 60, "x") for row in range(3, 300)])
    with path.open("rb") as stream:
        assert excel_file._extent(stream) == (300, 60)


@pytest.mark.parametrize("name", ["Ünï & <1>", "Sheet1", "a" * 31])
def test_the_sheet_keeps_its_name_and_other_sheets_are_a_problem(tmp_path, name):
    with xlsxwriter.Workbook(tmp_path / "in.xlsx") as book:
        sheet = book.add_worksheet(name)
        for number, row in enumerate([["text", "label"], ["a", "x"], ["b", "y"]]):
            sheet.write_row(number, 0, row)
        for other in ("Notes", "Old rows"):
            book.add_worksheet(other)
    dataset = load(tmp_path / "in.xlsx")
    problem = dataset.problems[0]
    assert (problem.kind, problem.count) == ("other_sheets", 2)
    assert "('Notes', 'Old rows')" in problem.message
    edit = Edit("0", "text", "a", "c", "x", "x", "toy", "toy", True)
    for out in (
        save(dataset, tmp_path / "same.xlsx"),
        save(apply_edits(dataset, [edit]), tmp_path / "out.xlsx"),
    ):
        assert python_calamine.CalamineWorkbook.from_path(str(out)).sheet_names == [name]


def test_a_name_that_no_sheet_can_have_is_not_written(tmp_path):
    path = write_book(tmp_path / "in.xlsx", [[["text", "label"], ["a", "x"]]])
    dataset = load(renamed(path, (b'name="Sheet1"', b'name="a/b?"')))
    out = save(dataset, tmp_path / "out.xlsx")
    assert python_calamine.CalamineWorkbook.from_path(str(out)).sheet_names == ["Sheet1"]
    assert [problem.kind for problem in dataset.problems] == ["one_label"]
