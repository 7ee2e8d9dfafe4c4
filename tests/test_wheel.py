"""The wheel: its size and contents, and what the README says to type after installing it."""

import re
import shlex
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from zipfile import ZipFile

import polars as pl
import pytest

from longway.sample import sample_path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "longway"
MOST_BYTES = 23_000_000  # the entailment model 10, the English pipeline 7, WordNet 2.4, languages 0.4
INSTALLERS = {
    "pip": "{python} -m pip install --quiet {wheel}",
    "uv": "uv tool install --quiet --python {python} {wheel}",
    "pipx": "pipx install --quiet --python {python} {wheel}",
}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    pytest.importorskip("hatchling")
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT, capture_output=True, check=True)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_is_small_and_has_no_large_file_twice(wheel):
    assert wheel.stat().st_size <= MOST_BYTES
    with ZipFile(wheel) as content:
        large = Counter((file.CRC, file.file_size) for file in content.infolist() if file.file_size > 10_000)
    assert max(large.values()) == 1


def test_the_wheel_has_every_file_of_the_package_and_no_other(wheel):
    with ZipFile(wheel) as content:
        shipped = {name for name in content.namelist() if ".dist-info/" not in name}
    files = {path for path in PACKAGE.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    assert shipped == {path.relative_to(PACKAGE.parent).as_posix() for path in files}


def first_commands():
    """The commands of the README's section on installation, without the installation itself."""
    section = (
        (ROOT / "README.md").read_text(encoding="utf-8").partition("## Install")[2].partition("\n## ")[0]
    )
    return [
        shlex.split(line, comments=True) for line in re.findall(r"^    (longway .*)$", section, re.MULTILINE)
    ]


def test_the_readme_starts_with_audit_and_ends_with_prove():
    assert [command[1] for command in first_commands()] == ["audit", "repair", "prove"]


@pytest.mark.soak
@pytest.mark.parametrize("installer", INSTALLERS)
def test_the_first_commands_of_the_readme_work_in_a_clean_environment(
    installer, wheel, tmp_path, monkeypatch
):
    """Needs a package index. The data is a small part of the sample."""
    if installer != "pip" and shutil.which(installer) is None:
        pytest.skip(f"{installer} is not installed")
    rows = pl.read_ndjson(sample_path("reviews")).select("review", "sentiment", "split")
    rows.filter(pl.col("split") == "train").head(120).drop("split").write_csv(tmp_path / "reviews.csv")
    rows.filter(pl.col("split") == "test").head(60).drop("split").write_csv(tmp_path / "other-reviews.csv")
    folder = tmp_path / "bin"
    for name in ("UV_TOOL_BIN_DIR", "PIPX_BIN_DIR"):
        monkeypatch.setenv(name, str(folder))
    for name in ("UV_TOOL_DIR", "PIPX_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "tools"))
    monkeypatch.delenv("PYTHONPATH", raising=False)
    python = sys.executable
    if installer == "pip":
        subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
        folder = tmp_path / "venv" / "bin"
        python = str(folder / "python")
    install = INSTALLERS[installer].format(python=shlex.quote(python), wheel=shlex.quote(str(wheel)))
    for command in [shlex.split(install), *first_commands()]:
        program = str(folder / "longway") if command[0] == "longway" else command[0]
        done = subprocess.run(
            [program, *command[1:]], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{shlex.join(command)}\n{done.stdout}\n{done.stderr}"
    assert (tmp_path / "longway-runs" / "reviews-prove" / "report.html").is_file()
