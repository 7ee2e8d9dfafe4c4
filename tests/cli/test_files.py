"""Files in other encodings and layouts, through whole commands: what goes in comes out, except for the edits."""

import json
from contextlib import closing

import pytest
from typer.testing import CliRunner

from longway.cli import app
from longway.data import load
from longway.errors import DataError, SettingError
from longway.jobs.prove.job import load_version
from longway.review.export import export_dataset
from longway.review.run_contents import RunContents

pytestmark = pytest.mark.usefixtures("alone")

ROWS = [
    '"He said, ""no"" – again.";"да";1',
    "My father liked the film.;нет;2",
    '"The plot is thin.";"да";3',
    "It was long.;нет;4",
] * 6


def run(*args):
    return CliRunner().invoke(app, [str(arg) for arg in args], catch_exceptions=False)


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "отзывы.csv"
    lines = ['"text";label;"n"', *ROWS]
    path.write_bytes("\r\n".join(lines).encode("cp1251"))
    return path


def test_an_unclear_encoding_names_the_option(data):
    with pytest.raises(DataError, match=r"отзывы\.csv is not UTF-8 \(line 2 .* --encoding cp1252"):
        run("audit", data)
    with pytest.raises(SettingError, match="There is no encoding 'latin-99'"):
        run("audit", data, "--encoding", "latin-99")


@pytest.mark.parametrize("stream", ["--stream", "--no-stream"])
def test_a_run_writes_the_layout_and_encoding_of_its_input(data, tmp_path, stream):
    out = tmp_path / "run"
    result = run("perturb", data, "--encoding", "windows-1251", "--id", "", "--out", out, stream)
    assert result.exit_code == 0, result.output
    written = (out / "dataset.csv").read_bytes().decode("cp1251").split("\r\n")
    edited = {
        edit["id"]
        for edit in map(json.loads, (out / "edits.jsonl").read_text(encoding="utf-8").splitlines())
        if edit["accepted"]
    }
    assert edited
    assert written[0] == '"text";label;"n";longway_id'
    assert len(written) == len(ROWS) + 1
    for number, line in enumerate(ROWS):
        is_same = written[number + 1] == f"{line};{number}"
        assert is_same == (str(number) not in edited)
    with closing(RunContents(out)) as contents:
        exported = export_dataset(contents, tmp_path / "reviewed.csv")
    assert exported.read_bytes() == (out / "dataset.csv").read_bytes()


def test_prove_reads_the_dataset_of_a_run_in_the_encoding_of_its_input(data, tmp_path):
    run("perturb", data, "--encoding", "cp1251", "--out", tmp_path / "run")
    before = load(data, encoding="cp1251")
    assert load_version(tmp_path / "run", like=before).labels == before.labels == ("да", "нет")
    with pytest.raises(DataError, match="--encoding"):
        load_version(data, like=before)
    assert load_version(data, like=before, encoding="cp1251").labels == before.labels
