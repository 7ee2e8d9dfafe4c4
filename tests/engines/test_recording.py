"""Replay: a recorded run answers the same questions again, and no others."""

import json
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from longway.engines.asker import Asker
from longway.engines.engine import Sampling
from longway.engines.prompt import edit_prompt, mended, rewrite_prompt
from longway.engines.recording import CallKeys, ReplayEngine
from longway.errors import DataError, RunError
from longway.store.journal import Journal, JournalEntry
from longway.verify.model_cache import ModelCache
from tests.engines.conftest import engine_of, judging, writing
from tests.engines.loopback import Loopback
from tests.engines.test_triple_prompts import PAIRS, REVIEWS, prompts
from tests.engines.toys import ToyEngine

LABELS = ("neg", "pos")
PINNED = {
    "triples": "174c1a4c2d85",
    "alter": "9812eb36d3e8",
    "realise": "1834fad9d3e4",
    "identify": "f93d3405f6d9",
    "pick": "595f1d6340f1",
    "counterfactual": "c0f28322e534",
    "triples of a pair": "c3ef899ca8ff",
    "alter of a pair": "9fb87cf9da26",
    "realise of a pair": "1cf9baaeb38a",
    "identify of a pair": "1fa83b2059fa",
    "pick of a pair": "595f1d6340f1",
    "counterfactual of a pair": "95feae239901",
    "rewrite": "6b70eae9b882",
    "edit": "b9f89e8ecc3f",
    "mended": "5894d3e68ad4",
    "judge": "29f7ccdfa7c4",
}


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


def test_a_journal_gives_the_same_answers_without_the_server(recorded):
    path, answers = recorded
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


def test_a_journal_is_known_by_its_answers_and_holds_no_key(recorded, tmp_path):
    copied, other = tmp_path / "copied.sqlite", tmp_path / "other.sqlite"
    for path, word in ((copied, "Indeed"), (other, "Truly")):
        with closing(Journal(recorded[0])) as journal, closing(Journal(path)) as new:
            for entry in journal.entries():
                answer = json.loads(json.dumps(entry.answer).replace("Indeed", word))
                new.put(replace(entry, answer=answer))
    assert ReplayEngine(copied).identity == ReplayEngine(recorded[0]).identity
    assert ReplayEngine(other).identity != ReplayEngine(copied).identity
    assert b"canary" not in copied.read_bytes()


def test_what_is_no_journal_is_told(tmp_path):
    with pytest.raises(DataError, match="does not exist"):
        ReplayEngine(tmp_path / "none.sqlite")
    (tmp_path / "lines.jsonl").write_text('{"key": "a"}\n')
    with pytest.raises(RunError, match=r"lines\.jsonl is damaged or no journal"):
        ReplayEngine(tmp_path / "lines.jsonl")


def test_the_keys_of_calls_stay():
    """A journal can be continued and replayed only as long as each prompt is rendered to the byte as before."""
    keys_of = CallKeys({"engine": "x"})
    of_pairs = prompts(task=PAIRS, label="neutral", target="entailment")
    asked = {**prompts(), **{f"{kind} of a pair": prompt for kind, prompt in of_pairs.items()}}
    asked["rewrite"] = rewrite_prompt(REVIEWS, "It was dull.", label="neg")
    asked["edit"] = edit_prompt(REVIEWS, "It was dull.", label="neg", include="lake")
    asked["mended"] = mended(asked["triples"], "no", "it is empty")
    keys = {kind: keys_of.write_key(prompt, 2, Sampling())[:12] for kind, prompt in asked.items()}
    keys["judge"] = keys_of.judge_key(judging("a")[0], LABELS)[:12]
    assert keys == PINNED
