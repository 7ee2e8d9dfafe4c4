"""CSV and TSV as they are met: delimiters, quotes, marks, line ends."""

import io

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.data import csv_file, load, save
from longway.data.problems import ProblemLog


def put(tmp_path, content, name="data.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("text,label\na,x\n007,y\n", [["a", "x"], ["007", "y"]]),
        ("text,label\r\na,x\r\nb,y\r\n", [["a", "x"], ["b", "y"]]),
        ("\ufefftext,label\na,x\nb,y", [["a", "x"], ["b", "y"]]),
        ("text;label\na, b;x\nc;y\n", [["a, b", "x"], ["c", "y"]]),
        ('text,label\n"two\nlines, ""quoted""",x\nb,y\n', [['two\nlines, "quoted"', "x"], ["b", "y"]]),
        ('text,label\n5" disc,x\n7" disc,y\n', [['5" disc', "x"], ['7" disc', "y"]]),
        ("text,label\na,x\n\nb,y\n\n", [["a", "x"], ["b", "y"]]),
        ('"text","label"\n"a","x"\n"b","y"\n', [["a", "x"], ["b", "y"]]),
        ("text\tlabel\na, b\tx\nc\ty\n", [["a, b", "x"], ["c", "y"]]),
        ("text,label\rold,x\rmac,y\r", [["old", "x"], ["mac", "y"]]),
        ("text,label\na\x00b,x\nc,y\n", [["a\x00b", "x"], ["c", "y"]]),
        ("sep=;\r\ntext;label\r\na, b;x\r\nc;y\r\n", [["a, b", "x"], ["c", "y"]]),
        ('\ufeffSEP=|\ntext|label\na;b|x\n5" disc|y\n', [["a;b", "x"], ['5" disc', "y"]]),
        (" text ; label \na, b;x\nc;y\n", [["a, b", "x"], ["c", "y"]]),
    ],
)
@pytest.mark.parametrize("stream", [False, True])
def test_csv_as_it_is_met_in_the_wild(tmp_path, content, expected, stream):
    dataset = load(put(tmp_path, content), stream=stream)
    assert [list(row) for row in dataset.take([0, 1]).iter_rows()] == expected
    assert dataset.n_rows == 2
    assert {p.kind for p in dataset.problems} == {"rare_label"}


@pytest.mark.parametrize("stream", [False, True])
def test_quotes_mean_nothing_in_tab_separated_files_written_without_quoting(tmp_path, stream):
    path = put(tmp_path, 'text\tlabel\n"open\tx\nin "the" middle\ty\n', "data.tsv")
    assert load(path, stream=stream).take([0, 1])["text"].to_list() == ['"open', 'in "the" middle']


@pytest.mark.parametrize("block", [1, 2, 3, 7, 1000])
def test_the_check_for_regular_files_does_not_depend_on_its_blocks(tmp_path, monkeypatch, block):
    monkeypatch.setattr("longway.data.csv_file.BLOCK", block)
    good = b'text,label\n"a ""b"", c\nd",x\ne,y\n'
    assert csv_file._is_regular(good, ",", 2)
    for bad in (
        good + b"short\n",
        good + b"a,b,c\n",
        good + b'5" x,y\n',
        good + b'"open,y\n',
        good + b"\na,b\n",
    ):
        assert not csv_file._is_regular(bad, ",", 2)


ODD_CELLS = [
    "a",
    "",
    " ",
    '""',
    '"a"',
    '"a,b"',
    '"a""b"',
    '"\n"',
    '"\r\n"',
    '"""',
    'a"b',
    ' "a"',
    '"a" ',
    "\r",
    "é",
]
odd_rows = st.lists(st.tuples(*[st.sampled_from(ODD_CELLS)] * 2).map(",".join), max_size=5)


@given(st.builds(str.join, st.sampled_from(["\n", "\r\n"]), odd_rows))
def test_what_polars_reads_is_what_the_csv_module_would_read(content):
    data = f"text,label\n{content}".encode()
    style = csv_file._style(data, tab=False)
    if style.is_regular:
        stream = io.BufferedReader(io.BytesIO(data))
        fast = next(csv_file.read(stream, ProblemLog(), whole=True)).frame
        log = ProblemLog()
        careful = pl.concat([t.frame for t in csv_file._row_by_row(io.BytesIO(data), style, log)])
        assert fast.with_columns(pl.when(pl.all() != "").then(pl.all())).equals(careful)
        assert not log.counts


def test_texts_longer_than_the_csv_module_likes(tmp_path):
    path = put(tmp_path, f"text,label\n{'long ' * 50_000},x\nragged\n")
    assert len(load(path).frame["text"][0]) == 250_000


def test_repeated_names_in_a_header_are_told_apart(tmp_path):
    assert load(put(tmp_path, "text,label,n,n\na,x,1,2\n")).frame.columns == ["text", "label", "n", "n_2"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_new_name_for_a_repeated_one_is_no_name_of_the_file(tmp_path, stream):
    path = put(tmp_path, "text,label,a,a,a_2\none,x,1,2,3\ntwo,y,4,5,6\n")
    dataset = load(path, stream=stream)
    row = dataset.take([0]).row(0, named=True)
    assert row == {"text": "one", "label": "x", "a": "1", "a_3": "2", "a_2": "3"}
    assert save(dataset, tmp_path / "out.csv").read_bytes() == path.read_bytes()


@given(st.lists(st.sampled_from(["", "a", "a_2", "a_3", "a_2_2", "_2", "b"]), max_size=12))
def test_names_of_columns_differ_and_a_name_that_occurs_once_stays(header):
    names = csv_file.unique_names(header)
    assert len(set(names)) == len(names) == len(header)
    for old, new in zip(header, names, strict=True):
        assert new == old or header.count(old) > 1
        assert new == old or new not in header


@pytest.mark.parametrize("delimiter", [";", "\t", "|"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_comma_in_a_quoted_name_separates_nothing(tmp_path, delimiter, stream):
    header = delimiter.join(['"Name, first"', '"text"', '"label, or class"', '"sentiment"'])
    rows = [delimiter.join(["Ann", '"a, b"', "1", "x"]), delimiter.join(["Bo", "c", "2", "y"])]
    dataset = load(put(tmp_path, "\n".join([header, *rows]) + "\n"), stream=stream)
    assert dataset.take([0]).columns == ["Name, first", "text", "label, or class", "sentiment"]
    assert (dataset.columns.text, dataset.columns.label) == ("text", "sentiment")
    assert dataset.take([0, 1])["text"].to_list() == ["a, b", "c"]


@pytest.mark.parametrize("stream", [False, True])
def test_a_quote_left_open_is_told(tmp_path, stream):
    rows = [f"a,text number {i}" for i in range(200)]
    rows[50] = 'a,"never closed'
    path = tmp_path / "d.csv"
    path.write_text("label,text\nb,first\n" + "\n".join(rows) + "\n")
    problems = {problem.kind: problem for problem in load(path, stream=stream).problems}
    assert problems["open_quote"].rows == (52,)
