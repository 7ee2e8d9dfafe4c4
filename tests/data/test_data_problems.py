"""What is odd about the data is told once, with a count, row numbers and a next step."""

import polars as pl
import pytest

from longway.data import load
from longway.data.problems import KINDS, ProblemLog
from longway.errors import DataError


def problems(source, **options):
    return {p.kind: p for p in load(source, **options).problems}


def rows(*pairs):
    return [{"text": text, "label": label} for text, label in pairs]


def plenty(label="a", n=5):
    return [{"text": f"text {i}", "label": label} for i in range(n)]


def test_clean_data_has_no_problems():
    assert load(plenty("a") + plenty("b")).problems == ()


@pytest.mark.parametrize("empty", [None, "", " \t\u00a0"])
def test_empty_texts(empty):
    found = problems(plenty("a") + plenty("b") + rows((empty, "a")))
    assert list(found) == ["empty_text"]
    assert (found["empty_text"].count, found["empty_text"].rows) == (1, (11,))
    assert found["empty_text"].message == "1 row without a text, skipped."
    assert found["empty_text"].next_step


@pytest.mark.parametrize("empty", [None, ""])
def test_null_labels(empty):
    found = problems(plenty("a") + rows(("x", empty), ("y", empty)) + plenty("b"))
    assert list(found) == ["null_label"]
    assert (found["null_label"].count, found["null_label"].rows) == (2, (6, 7))


def test_nan_is_a_null_label():
    frame = pl.DataFrame({"text": ["a"] * 11, "label": [1.0] * 5 + [0.0] * 5 + [float("nan")]})
    assert list(problems(frame)) == ["null_label"]


def test_only_the_first_ten_rows_are_named():
    found = problems(plenty("a") + plenty("b") + rows(*[("", "a")] * 30))
    assert found["empty_text"].count == 30
    assert found["empty_text"].rows == tuple(range(11, 21))


@pytest.mark.parametrize("stream", [False, True])
def test_a_recognised_encoding_is_reported_with_the_lines_it_concerns(tmp_path, stream):
    path = tmp_path / "latin.csv"
    path.write_bytes("text,label\nfine,a\ncaf\xe9,a\nna\xefve,b\n".encode("latin-1"))
    (problem,) = [p for p in load(path, stream=stream).problems if p.kind == "other_encoding"]
    assert problem.message == "2 rows with characters that are not UTF-8 (read as Windows-1252)."
    assert "--encoding" in problem.next_step


def test_lone_surrogates_are_undecodable_too(tmp_path):
    path = tmp_path / "odd.jsonl"
    path.write_bytes(b'{"text": "ok \\ud83d\\ude42", "label": "a"}\n{"text": "bad \\ud800!", "label": "b"}\n')
    dataset = load(path)
    assert dataset.frame["text"].to_list() == ["ok \U0001f642", "bad \ufffd!"]
    assert [p.rows for p in dataset.problems if p.kind == "undecodable_bytes"] == [(2,)]
    assert load(rows(("bad \ud800!", "a"))).frame["text"].to_list() == ["bad \ufffd!"]


@pytest.mark.parametrize("stream", [False, True])
def test_ragged_rows(tmp_path, stream):
    path = tmp_path / "ragged.csv"
    path.write_text("text,label,n\none,a,1\ntwo,b\nthree,a,1,9,9\nfour,b,1\n")
    dataset = load(path, stream=stream)
    (problem,) = [p for p in dataset.problems if p.kind == "ragged_row"]
    assert (problem.count, problem.rows) == (2, (2, 3))
    assert dataset.take([1, 2])["n"].to_list() == [None, "1"]
    assert dataset.n_used == 4


@pytest.mark.parametrize("stream", [False, True])
def test_broken_lines_are_skipped(tmp_path, stream):
    path = tmp_path / "broken.jsonl"
    path.write_text('{"text": "a", "label": "x"}\n\n{"text": "b", "la\n[1]\n{"text": "c", "label": "y"}\n')
    dataset = load(path, stream=stream)
    (problem,) = [p for p in dataset.problems if p.kind == "broken_line"]
    assert (problem.count, problem.rows) == (2, (3, 4))
    assert "lines of the file" in problem.message
    assert dataset.n_rows == 2


def test_an_object_spread_over_two_lines_is_broken_not_joined(tmp_path):
    path = tmp_path / "split.jsonl"
    path.write_text('{"text": "a"\n"label": "x"}\n{"text": "b", "label": "y"}\n')
    assert problems(path)["broken_line"].rows == (1, 2)


@pytest.mark.parametrize("ids", [["p", "q", "p"], ["p", None, None]])
def test_duplicate_ids_give_way_to_row_numbers(ids):
    dataset = load(pl.DataFrame({"id": ids, "text": ["a", "b", "c"], "label": ["x", "y", "x"]}))
    (problem,) = [p for p in dataset.problems if p.kind == "duplicate_id"]
    assert (problem.count, problem.rows) == (1, (3,))
    assert next(dataset.batches()).ids.to_list() == ["0", "1", "2"]


def test_good_ids_are_used():
    dataset = load(pl.DataFrame({"id": [7, 8], "text": ["a", "b"], "label": ["x", "y"]}))
    assert next(dataset.batches()).ids.to_list() == ["7", "8"]


def test_one_label():
    found = problems(plenty("a"))
    assert list(found) == ["one_label"]
    assert "('a')" in found["one_label"].message


@pytest.mark.parametrize("labels", [range(200), [0.5, 1.0, 0.25] * 9])
def test_regression_labels(labels):
    found = problems(rows(*[(f"text {i}", label) for i, label in enumerate(labels)]))
    assert list(found) == ["regression_label"]


def test_whole_fractions_are_classes():
    assert not problems(rows(*[(f"text {i}", float(i % 3)) for i in range(30)]))


def test_many_labels():
    found = problems(rows(*[(f"text {i}", f"label {i % 101}") for i in range(1010)]))
    assert list(found) == ["many_labels"]
    assert "101, such as" in found["many_labels"].message


def test_rare_labels():
    found = problems(plenty("a") + plenty("b") + plenty("c", 4))
    assert list(found) == ["rare_label"]
    assert (found["rare_label"].count, "'c'" in found["rare_label"].message) == (4, True)


def test_row_numbers_go_on_from_shard_to_shard(tmp_path):
    (tmp_path / "a.csv").write_text("text,label\none,x\ntwo\n")
    (tmp_path / "b.csv").write_text("text,label\nthree,y\nfour\n")
    for stream in (False, True):
        found = problems(tmp_path, stream=stream)
        assert found["ragged_row"].rows == (2, 4)
        assert found["null_label"].rows == (2, 4)


def test_every_kind_has_a_message_and_a_next_step():
    log = ProblemLog()
    for kind in KINDS:
        log.add(kind, [0])
    for problem in log.problems():
        assert "{" not in problem.message
        assert problem.next_step.endswith(".")


def test_no_usable_rows_is_an_error_that_says_why():
    with pytest.raises(DataError, match=r"2 rows, but none can be used: 1 without a text, 1 without a label"):
        load(rows(("", "a"), ("b", None)))


@pytest.mark.parametrize("name", ["", "~nobody-here/x.csv", "x" * 5000 + ".csv"])
def test_a_name_that_cannot_be_a_file_is_a_clear_error(name):
    with pytest.raises(DataError, match=r"(file|path)"):
        load(name)


def test_json_nested_beyond_reason_is_a_broken_line(tmp_path):
    path = tmp_path / "d.jsonl"
    good = '{"text": "a", "label": "x"}\n{"text": "b", "label": "y"}\n'
    path.write_text(good + "[" * 100_000 + "\n")
    assert [problem.kind for problem in load(path).problems][:1] == ["broken_line"]


@pytest.mark.parametrize(
    "value", ["[" * 10_000 + "]" * 10_000, "1" * 5_000, '{"a":' * 10_000 + "1" + "}" * 10_000]
)
@pytest.mark.parametrize("stream", [False, True])
def test_valid_lines_that_cannot_be_read_are_not_called_broken(tmp_path, value, stream):
    path = tmp_path / "d.jsonl"
    path.write_text('{"text": "a", "label": "x"}\n{"text": "b", "label": "y", "n": ' + value + "}\n")
    dataset = load(path, stream=stream)
    problem = dataset.problems[0]
    assert (problem.count, problem.rows, dataset.n_rows) == (1, (2,), 1)
    assert "nested too deeply, or with a number of more than 4,300 digits" in problem.message
    assert "A written file does not have them" in problem.message


@pytest.mark.parametrize("value", ["[" * 100_000 + "]" * 100_000, "1" * 5_000])
def test_valid_json_that_cannot_be_read_is_not_called_invalid(tmp_path, value):
    (tmp_path / "d.json").write_text('[{"text": "a", "label": "x", "n": ' + value + "}]")
    with pytest.raises(DataError, match=r"^d\.json cannot be read as JSON \("):
        load(tmp_path / "d.json")
