"""Files that Ray's workers read and write: same findings, same rows, in shards that together are the file of a local run."""

from __future__ import annotations

import shutil

import polars as pl
import pytest

import longway as lw
from longway.data import load, save
from longway.errors import DataError
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings
from longway.jobs.engine_use import Engines
from longway.jobs.rewrite.settings import RewriteSettings
from tests.environment import without_encoder, without_settings_of_the_user
from tests.jobs.shortcut_data import soups

pytest.importorskip("ray", reason="Ray is not installed: pip install 'longway[ray]'")
from longway.on_ray.ray_reading import RayReading, parts_of

pytestmark = pytest.mark.usefixtures("ray_here")
FEW = AuditSettings(levels=("token", "surface", "length"))


@pytest.fixture(scope="module")
def frame():
    """Rows with a shortcut, some without a text, and a split that is held out."""
    found = soups(900, honest_with="good", seed=1).frame.drop("id")
    number = pl.int_range(pl.len())
    return found.with_columns(
        text=pl.when(number % 50 != 7).then("text"),
        split=pl.when(number % 9 == 0).then(pl.lit("test")).otherwise(pl.lit("train")),
    )


def shards(folder, frame, ending, sizes=(300, 2, 598)):
    folder.mkdir()
    start = 0
    for number, size in enumerate(sizes):
        save(frame[start : start + size], folder / f"{number}.{ending}")
        start += size
    return folder


def told(findings):
    return {**findings, "created": None}


@pytest.mark.parametrize(
    "ending",
    ["csv", pytest.param("parquet", marks=pytest.mark.soak), pytest.param("jsonl", marks=pytest.mark.soak)],
)
@pytest.mark.soak
def test_an_audit_of_shards_is_the_same_and_its_scores_are_shards(frame, tmp_path, ending):
    data = shards(tmp_path / "data", frame, ending)
    here = audit(load(data, stream=True), settings=FEW, out=tmp_path / "here")
    there = audit(load(data, stream=True), settings=FEW, out=tmp_path / "there", on="ray")
    assert told(there.to_dict()) == told(here.to_dict())
    assert here.findings
    names = [path.name for path in sorted((there.folder / "scores.parquet").iterdir())]
    assert names == ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    local = pl.read_parquet(here.folder / "scores.parquet")
    assert pl.read_parquet(there.folder / "scores.parquet").equals(local)
    assert local["id"].n_unique() == len(local)


@pytest.mark.soak
def test_parts_of_one_parquet_file_are_read_by_workers(frame, tmp_path, monkeypatch):
    monkeypatch.setattr("longway.data.arrow_file.CHUNK_ROWS", 40)
    frame.write_parquet(tmp_path / "rows.parquet", row_group_size=170)
    dataset = load(tmp_path / "rows.parquet", stream=True).select_split("train")
    assert len(RayReading.read(dataset).parts) == 6
    here, there = audit(dataset, settings=FEW), audit(dataset, settings=FEW, on="ray")
    assert told(there.to_dict()) == told(here.to_dict())
    assert there.scores.equals(here.scores)


@pytest.mark.soak
def test_a_part_without_a_row_to_use_leaves_the_others_in_their_places(frame, tmp_path):
    data = shards(tmp_path / "data", frame, "parquet", sizes=(300, 300, 300))
    empty = frame[300:600].with_columns(text=pl.lit(None, pl.String))
    save(empty, data / "1.parquet")
    here = audit(load(data, stream=True), settings=FEW, out=tmp_path / "here")
    there = audit(load(data, stream=True), settings=FEW, out=tmp_path / "there", on="ray")
    local = pl.read_parquet(here.folder / "scores.parquet")
    assert pl.read_parquet(there.folder / "scores.parquet").equals(local)
    assert pl.read_parquet(there.folder / "scores.parquet" / "part-00001.parquet").is_empty()


def test_files_that_workers_do_not_see_are_read_here(frame, tmp_path, monkeypatch):
    data = shards(tmp_path / "data", frame, "csv")
    dataset = load(data, stream=True)
    assert len(parts_of(dataset)) == 3
    parts = dataset.parts()
    monkeypatch.setattr(dataset, "parts", lambda: parts)
    with (data / "1.csv").open("a") as file:  # another file than the one that was opened
        file.write("more,good,train\n")
    assert parts_of(dataset) == []


def test_files_that_change_between_two_passes_are_told(frame, tmp_path):
    data = shards(tmp_path / "data", frame, "csv")
    dataset = load(data, stream=True)
    shutil.copy(data / "0.csv", data / "1.csv")
    with pytest.raises(DataError, match="changed while it was read"):
        RayReading.read(dataset)


@pytest.mark.soak
def test_a_run_that_was_begun_with_shards_is_finished_without_ray(frame, tmp_path):
    data = shards(tmp_path / "data", frame, "csv")
    run = audit(load(data, stream=True), settings=FEW, out=tmp_path / "run", on="ray")
    shared = pl.read_parquet(run.folder / "scores.parquet")
    (run.folder / "findings.json").unlink()  # as if it had been killed
    audit(load(data, stream=True), settings=FEW, out=tmp_path / "run")
    assert (run.folder / "scores.parquet").is_file()
    assert pl.read_parquet(run.folder / "scores.parquet").equals(shared)
    (run.folder / "findings.json").unlink()
    audit(load(data, stream=True), settings=FEW, out=tmp_path / "run", on="ray")
    assert (run.folder / "scores.parquet").is_dir()


@pytest.mark.parametrize("ending", ["jsonl", pytest.param("parquet", marks=pytest.mark.soak)])
def test_a_rewritten_dataset_is_written_in_shards(frame, tmp_path, ending, monkeypatch):
    without_settings_of_the_user(monkeypatch, tmp_path)
    without_encoder(monkeypatch)
    data = shards(tmp_path / "data", frame, ending)
    settings = RewriteSettings(method="eda", k=20, rounds=1)

    def rewritten(out, on):
        found = lw.rewrite(
            load(data, stream=True), settings=settings, engines=Engines(), out=tmp_path / out, on=on
        )
        return found.folder / f"dataset.{ending}", found

    (here, found), (there, same) = rewritten("here", None), rewritten("there", "ray")
    assert here.is_file()
    assert len(list(there.iterdir())) == 3
    assert load(there).frame.equals(load(here).frame)
    if ending == "jsonl":
        assert b"".join(path.read_bytes() for path in sorted(there.iterdir())) == here.read_bytes()
    assert same.comparison.leak == found.comparison.leak
    assert same.comparison.findings == found.comparison.findings
    before = load(data).frame
    assert load(there).frame.height == before.height
    assert not load(there).frame["text"].equals(before["text"])
