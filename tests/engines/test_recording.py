"""Replay: a recorded run answers the same questions again, and no others."""

import json

import numpy as np
import pytest

from longway.engines.asker import Asker
from longway.engines.engine import Sampling
from longway.engines.recording import ReplayEngine, record
from longway.errors import DataError
from longway.store.journal import Journal, JournalEntry
from longway.verify.model_cache import ModelCache
from tests.engines.conftest import engine_of, judging, writing
from tests.engines.loopback import Loopback
from tests.engines.toys import ToyEngine

LABELS = ("neg", "pos")


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    """A run with two engines: its journal, and its answers."""
    path = tmp_path_factory.mktemp("run") / "journal.sqlite"
    journal = Journal(path)
    with Loopback() as server:
        with Asker(engine_of(server, api_key="sk-canary-123456"), journal) as served:
            answers = ask_all(served)
        Asker(ToyEngine(), journal).write_all(writing("z"), 1)
    journal.put(JournalEntry("lost-1", kind="lost", engine="toy", answer={}, cost=0.1))
    ModelCache(journal).rows("minilm 1", ["a"], lambda texts: np.ones((len(texts), 2)))  # as the checks leave
    journal.close()
    return path, answers


def ask_all(asker):
    return (
        asker.write_all(writing("a", "b"), 2),
        asker.judge_all(judging("a", "b"), LABELS),
    )


@pytest.mark.parametrize("form", ["journal", "lines"])
def test_a_recording_gives_the_same_answers_without_the_server(form, recorded, tmp_path):
    path, answers = recorded
    if form == "lines":
        assert record(path, tmp_path / "answers.jsonl") == 5
        path = tmp_path / "answers.jsonl"
    engine = ReplayEngine(path)
    assert engine.can == {"write", "judge", "edit"}
    assert ask_all(Asker(engine, Journal(None))) == answers
    assert Asker(engine, Journal(None)).write_all(writing("z"), 1)[0].texts == ("z",)


def test_what_was_not_recorded_is_refused_with_a_reason(recorded):
    asker = Asker(ReplayEngine(recorded[0]), Journal(None))
    assert "no answer" in asker.write_all(writing("other"), 2)[0].refusals[0]
    assert "no answer" in asker.write_all(writing("a"), 3)[0].refusals[0]
    assert "no answer" in asker.write_all(writing("a"), 2, Sampling(sample=1))[0].refusals[0]
    assert "no answer" in asker.judge_all(judging("c"), LABELS)[0].refusal


def test_a_recording_is_known_by_its_contents_and_holds_no_key(recorded, tmp_path):
    record(recorded[0], tmp_path / "one.jsonl")
    text = (tmp_path / "one.jsonl").read_text()
    (tmp_path / "two.jsonl").write_text(text)
    (tmp_path / "three.jsonl").write_text(text.replace("Indeed", "Truly"))
    one, two, three = (ReplayEngine(tmp_path / f"{name}.jsonl").identity for name in ("one", "two", "three"))
    assert one == two == ReplayEngine(recorded[0]).identity
    assert one != three
    assert "canary" not in text


def test_recording_an_open_journal_leaves_it_open(tmp_path):
    journal = Journal(tmp_path / "journal.sqlite")
    Asker(ToyEngine(), journal).write_all(writing(*map(str, range(1200))), 1)
    assert record(journal, tmp_path / "out.jsonl") == 1200
    assert len(journal) == 1200
    keys = [json.loads(line)["key"] for line in (tmp_path / "out.jsonl").open()]
    assert keys == sorted(set(keys))


@pytest.mark.parametrize(
    "line", ["not json", "[]", '{"key": "a"}', '{"key": "a", "kind": "write", "asked": {}, "answer": {}}']
)
def test_a_broken_recording_is_told_with_its_line(line, tmp_path):
    (tmp_path / "x.jsonl").write_text(line + "\n")
    with pytest.raises(DataError, match=r"Line 1 of .*x\.jsonl"):
        ReplayEngine(tmp_path / "x.jsonl")


def test_a_recording_that_is_not_there_is_told(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        ReplayEngine(tmp_path / "none.jsonl")
    with pytest.raises(DataError, match="does not exist"):
        record(tmp_path / "none.sqlite", tmp_path / "out.jsonl")
