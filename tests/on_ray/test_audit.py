"""An audit on Ray gives what an audit here gives: finding for finding, score for score, whatever the number of blocks."""

from __future__ import annotations

import json
import runpy
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import longway as lw
from longway.data import load
from longway.detect.findings import presence, recount, search
from longway.detect.grammar import GrammarDetector
from longway.detect.reading import Reading
from longway.grammars.trees import Tree
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings
from longway.tokens.corpus import Vocabulary
from tests.jobs.shortcut_data import soups

pytest.importorskip("ray", reason="Ray is not installed: pip install 'longway[ray]'")
from longway.on_ray.ray_reading import RayReading

pytestmark = pytest.mark.usefixtures("ray_here")


def told(result):
    """All that an audit says, but for the time it was made."""
    return {**result.to_dict(), "created": None}


def chosen(found):
    return [(c.key, c.description, c.finding, c.supporting, c.counter, c.leader) for c in found.chosen]


@pytest.fixture(scope="module")
def claims():
    """Pairs, with a split that is held out."""
    return load(lw.sample_path("claims"))


@pytest.fixture(scope="module")
def many():
    """Some thousand rows with a shortcut, and copies of rows."""
    frame = soups(2000, honest_with="good", seed=1).frame
    return load(frame.vstack(frame.head(40).with_columns(id="again-" + frame.head(40)["id"])))


@pytest.mark.parametrize(
    "pieces_in_a_block", [pytest.param(1, marks=pytest.mark.soak), pytest.param(1000, marks=pytest.mark.soak)]
)
def test_an_audit_of_many_rows_is_the_same(many, small_pieces, pieces_in_a_block):
    small_pieces(pieces_in_a_block)
    here, there = audit(many), audit(many, on="ray")
    assert told(there) == told(here)
    assert there.scores.equals(here.scores)
    assert here.findings
    assert {problem.kind for problem in there.problems} >= {"duplicate"}


@pytest.mark.soak
def test_an_audit_of_pairs_with_a_held_out_set_is_the_same(claims, small_pieces):
    small_pieces(2)
    settings = AuditSettings(variant="token", dimensions=16, seed=3)
    here, there = audit(claims, settings=settings), audit(claims, settings=settings, on="ray")
    assert told(there) == told(here)
    assert there.scores.equals(here.scores)
    assert there.held_out


@pytest.mark.soak
def test_codes_are_those_of_a_reading_here_also_when_the_vocabulary_is_full(many, small_pieces, monkeypatch):
    monkeypatch.setattr("longway.detect.reading.Vocabulary", lambda: Vocabulary(max_words=40))
    here, there = Reading.of(many), RayReading.read(many, pieces_per_block=4)
    assert there.vocabulary.is_full
    assert there.vocabulary.words == here.vocabulary.words
    for one, other in zip(here.pieces(), there.pieces(), strict=True):
        np.testing.assert_array_equal(one.blocks["text"].codes, other.blocks["text"].codes)
        np.testing.assert_array_equal(one.flags["text"], other.flags["text"])


@pytest.mark.soak
def test_patterns_are_counted_anew_in_another_reading(many, small_pieces):
    here, there = Reading.of(many), RayReading.read(many, pieces_per_block=3)
    patterns = search(here).chosen
    np.testing.assert_array_equal(recount(patterns, there), recount(patterns, here))
    assert (presence(patterns, there) != presence(patterns, here)).nnz == 0
    assert recount(patterns, here).sum() > 0


def test_trees_of_a_sample_are_found_where_the_pieces_are(many, small_pieces):
    """The grammar's detector knows its trees by the rows' places, and travels with them."""
    places = np.flatnonzero(np.arange(len(many)) % 3 == 0)

    def found(reading):
        trees = [
            [Tree(1, (Tree(2, None, ("so", "")), Tree(3 + int(reading.labels[place]), None, ("it", ""))))]
            for place in places
        ]
        return search(reading, detectors=[GrammarDetector(reading, trees, places=places.tolist())])

    here, there = found(Reading.of(many)), found(RayReading.read(many, pieces_per_block=4))
    assert chosen(there) == chosen(here)
    assert here.chosen


def test_a_streamed_file_gives_the_run_that_is_found_again_without_ray(many, small_pieces, tmp_path):
    path = tmp_path / "soups.parquet"
    many.frame.head(600).write_parquet(path, row_group_size=200)
    settings = AuditSettings(levels=("token", "surface"))
    findings = audit(load(path, stream=True), settings=settings, out=tmp_path / "run", on="ray")
    same = audit(load(path, stream=True), settings=settings, out=tmp_path / "run")
    here = audit(load(path, stream=True), settings=settings, out=tmp_path / "here")
    assert same == findings
    assert replace(here, created="") == replace(findings, created="")


@pytest.mark.soak
def test_the_script_that_compares_more_rows_finds_no_difference(small_pieces, monkeypatch, capsys):
    script = Path(__file__).parents[2] / "runs" / "on_ray.py"
    monkeypatch.syspath_prepend(script.parent)
    monkeypatch.delitem(sys.modules, "common", raising=False)
    small_pieces(1)  # the script sets its own; this puts back what was there
    monkeypatch.setattr(sys, "argv", [str(script), "--rows", "1500", "--pieces", "2"])
    runpy.run_path(str(script), run_name="__main__")
    sys.modules.pop("common")  # bench/ has another one
    figures = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert figures["identical"]
    assert figures["findings"] > 0
    assert figures["runs"][0]["blocks"] > 1
