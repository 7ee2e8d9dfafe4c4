"""What people decided in a review, and what the next rewrite makes of it: `longway rewrite DATA --decisions RUN`."""

import csv
import json
import shutil
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

import longway as lw
from longway.cli import app
from longway.data import load
from longway.detect.levels import where
from longway.errors import RunError, SettingError
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.jobs.engine_use import Engines
from longway.jobs.rewrite.decisions import (
    LOSES_SIGNAL,
    REJECTED,
    AppliedDecisions,
    fingerprint,
    phrase_of,
)
from longway.jobs.rewrite.rewriting import Rewriting
from longway.jobs.rewrite.settings import Decisions, MarkedFinding, RewriteSettings
from longway.jobs.rows import rows_of
from longway.methods.eda import eda_texts
from longway.methods.leak_aware import FIRST, GiveAway, feature
from longway.records import Pattern
from longway.review.edit_list import EditFilter
from longway.review.export import decisions_of
from longway.review.run_contents import RunContents
from longway.sample import planted, sample_path
from longway.store import Journal
from longway.text.tokenizer import tokenize
from tests.engines.loopback import Loopback
from tests.environment import without_encoder, without_settings_of_the_user
from tests.jobs.toy_run import answer, write_csv
from tests.methods.parts import texts_after

pytestmark = pytest.mark.usefixtures("alone")

PLANTED = {one["name"]: one["pattern"] for one in planted("reviews")}
GIVEN_AWAY = "sadly saw on"  # what the toy reviews have too often
SADLY = MarkedFinding(Pattern("token", "review", ("sadly",)), "bad")


def words(*words, place=""):
    """Words of the reviews, as a rewrite keeps them or aims at them."""
    return Pattern("position" if place else "ngram", "review", words, place)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A finished rewrite of toy reviews by the leak, whose server takes "sadly" out of every text."""
    folder = tmp_path_factory.mktemp("made")
    with pytest.MonkeyPatch.context() as patch, Loopback(answer) as server:
        without_settings_of_the_user(patch, folder)
        without_encoder(patch)
        rewrite(write_csv(folder / "reviews.csv", 80), server, folder / "first")
    return folder


@pytest.fixture
def first(made, tmp_path):
    """The same, on which nothing was decided yet."""
    shutil.copytree(made / "first", tmp_path / "first")
    return SimpleNamespace(data=made / "reviews.csv", folder=tmp_path / "first")


def rewrite(data, server, out, **more):
    asked = {"engine": "served:toy", "choose": "leak", "rounds": 2, "k": 40, "candidates": 2, "stop": "never"}
    engines = Engines(server.url, options={"backoff": 0.001, "retries": 0})
    return lw.rewrite(load(data), settings=RewriteSettings(**asked | more), engines=engines, out=out)


def texts(folder):
    with next(folder.glob("dataset.*")).open(newline="", encoding="utf-8") as file:
        return [row["review"] for row in csv.DictReader(file)]


def edits(folder):
    return [json.loads(line) for line in (folder / "edits.jsonl").read_text(encoding="utf-8").splitlines()]


def with_word(texts, word):
    return sum(word in tokenize(text) for text in texts)


def mark(folder, choice, *patterns):
    contents = RunContents(folder)
    keys = {str(one.finding.pattern): one.key for one in contents.findings(size=200).rows}
    for pattern in patterns:
        contents.decisions.write("finding", keys[pattern], {"choice": choice}, author="ann")
    contents.close()


# ---- whole runs --------------------------------------------------------------------------------------------------------


def test_a_word_marked_as_real_signal_stays_in_all_texts(first, server, tmp_path):
    before = [row["review"] for row in csv.DictReader(first.data.open(encoding="utf-8"))]
    assert with_word(texts(first.folder), "sadly") < with_word(before, "sadly")  # what happens without
    mark(first.folder, "signal", GIVEN_AWAY)
    found = rewrite(first.data, server, tmp_path / "next", decisions=decisions_of(first.folder))
    assert with_word(texts(found.folder), "sadly") == with_word(before, "sadly")
    assert not any(
        edit["accepted"] and "sadly" in edit["before"] and "sadly" not in edit["after"]
        for edit in edits(found.folder)
    )
    assert found.to_dict()["decisions"] == {
        "source": "first", "signal": [GIVEN_AWAY], "shortcuts": [], "rejected": 0, "left_out": [],
    }  # fmt: skip
    change = next(one for one in found.comparison.findings if one.pattern.name == GIVEN_AWAY)
    assert change.marked == "real signal, left alone"


def test_rejected_texts_are_not_proposed_again(first, server, tmp_path):
    contents = RunContents(first.folder)
    kept = contents.edits.keys(EditFilter(status="kept"))[:5]
    rejected = {(one.edit.id, one.edit.after) for one in map(contents.edits.get, kept)}
    contents.decisions.write_many("edit", {key: {"choice": "reject"} for key in kept}, author="ann")
    contents.close()
    again = rewrite(first.data, server, tmp_path / "again")
    assert rejected <= {(edit["id"], edit["after"]) for edit in edits(again.folder)}  # what happens without
    found = rewrite(first.data, server, tmp_path / "next", decisions=decisions_of(first.folder))
    assert not rejected & {(edit["id"], edit["after"]) for edit in edits(found.folder)}
    assert found.decisions.rejected == 5
    assert sum(one.refusals.get(REJECTED, 0) for one in found.rounds) >= 5


def test_texts_with_a_marked_shortcut_are_taken_up_first(first, server, tmp_path):
    mark(first.folder, "shortcut", GIVEN_AWAY)
    found = rewrite(
        first.data, server, tmp_path / "next", k=10, rounds=1, decisions=decisions_of(first.folder)
    )
    asked = {edit["before"] for edit in edits(found.folder)}
    assert len(asked) == 10
    assert all("sadly" in text for text in asked)
    assert found.decisions.shortcuts == (GIVEN_AWAY,)


def test_the_same_decisions_are_the_same_run_and_others_another_one(first, server, tmp_path):
    mark(first.folder, "signal", GIVEN_AWAY)
    found = rewrite(first.data, server, tmp_path / "next", decisions=decisions_of(first.folder))
    n_calls = len(server.calls)
    same = rewrite(first.data, server, tmp_path / "next", decisions=decisions_of(first.folder))
    assert json.dumps(same.to_dict()) == json.dumps(found.to_dict())
    assert len(server.calls) == n_calls
    assert found.settings["decisions"]["signal"][0]["pattern"] == GIVEN_AWAY
    contents = RunContents(first.folder)
    contents.decisions.write("edit", contents.edits.keys(EditFilter())[0], {"choice": "reject"}, author="ann")
    contents.close()
    with pytest.raises(RunError, match="differs in: decisions"):
        rewrite(first.data, server, found.folder, decisions=decisions_of(first.folder))


def test_on_the_built_in_sample_the_marked_words_of_an_audit_stay(tmp_path):
    """By commands: an audit, two marks, `longway rewrite --decisions`; EDA changes words at random."""
    data = load(sample_path("reviews"), limit=400)
    found = audit(
        data, settings=AuditSettings(levels=levels_named("token,ngram,position")), out=tmp_path / "audit"
    )
    name, word = PLANTED["name"].split()[-1], PLANTED["word"]
    signal = next(one.pattern.name for one in found.findings if name in one.pattern.name)
    mark(found.folder, "signal", signal, word)
    came = counts([text for batch in data.batches() for text in batch.texts], signal)
    plain = Rewriting(rows_of(data), RewriteSettings(method="eda"), Journal(None))
    texts = texts_after(plain.rows, plain.run())
    assert counts(texts, signal) != came  # what happens without
    asked = "rewrite", sample_path("reviews"), "--limit", 400, "--method", "eda", "--decisions", found.folder
    result = CliRunner().invoke(app, [str(one) for one in (*asked, "--out", tmp_path / "heeding")])
    assert result.exit_code == 0, result.output
    after = load(tmp_path / "heeding" / "dataset.jsonl")
    assert counts([text for batch in after.batches() for text in batch.texts], signal) == came
    told = " ".join(result.output.split())
    assert "Decisions of audit: left alone as real signal: " in told
    assert f"{signal}, {word}." in told or f"{word}, {signal}." in told
    assert f"Look at every edit and decide: longway review {tmp_path / 'heeding'}" in told


def counts(texts, phrase):
    """How many texts have a phrase, and how many the planted word."""
    patterns = words(*tokenize(phrase)), words(PLANTED["word"])
    return [sum(where(one, {"review": text}) is not None for text in texts) for one in patterns]


def test_a_run_on_which_nothing_was_decided_is_told(first):
    with pytest.raises(SettingError, match=r"has no decisions that a rewrite can use.*longway review"):
        decisions_of(first.folder)


def test_a_mark_that_was_taken_back_counts_no_more(first):
    mark(first.folder, "signal", GIVEN_AWAY)
    contents = RunContents(first.folder)
    contents.decisions.undo(author="ann")
    contents.close()
    with pytest.raises(SettingError, match="has no decisions that a rewrite can use"):
        decisions_of(first.folder)


def test_no_run_is_told_with_the_next_step(tmp_path):
    result = CliRunner().invoke(
        app, ["rewrite", str(write_csv(tmp_path / "a.csv")), "--decisions", str(tmp_path / "no")]
    )
    assert isinstance(result.exception, RunError)
    assert "longway runs" in str(result.exception)


# ---- parts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (Pattern("token", "review", ("sadly",)), words("sadly")),
        (Pattern("ngram", "review", ("isn't", "it")), words("isn't", "it")),
        (Pattern("position", "review", ("honestly",), "first word"), words("honestly", place="first word")),
        (Pattern("position", "review", ("ever",), "last word"), words("ever", place="last word")),
        (Pattern("position", "review", ("well",), "in the first quarter"), words("well")),
        (Pattern("length", "review", (), "at least", 38), None),
        (Pattern("grammar", "review", ("a b",), "7"), None),
        (Pattern("token", "review", place="aaaa…"), None),  # too long to be kept: only its name is known
    ],
)
def test_findings_stand_for_their_words(pattern, expected):
    assert phrase_of(pattern) == expected


def test_what_cannot_be_taken_over_is_told_with_the_reason():
    decided = Decisions(
        "run",
        signal=(
            SADLY,
            MarkedFinding(Pattern("token", "evidence", ("she",)), "bad"),
            MarkedFinding(Pattern("surface", "review", place="an exclamation mark"), "bad"),
        ),
        shortcuts=(MarkedFinding(Pattern("token", "review", ("fine",)), "good"),),
    )
    gamma = AppliedDecisions.of(decided, text="review", aims=False)
    assert [(one.pattern.name, one.why) for one in gamma.left_out] == [
        ("she", "it is about evidence, and only review is rewritten"),
        ("an exclamation mark", "it is no word or phrase of the text"),
        ("fine", "this method looks at no single words; it aims without --paper and --choose gamma"),
    ]
    assert gamma.names == ("sadly",)
    leak = AppliedDecisions.of(decided, text="review", aims=True)
    assert leak.shortcuts == (words("fine"),)


def test_lengths_and_negation_count_as_no_shortcut_where_the_leak_decides():
    decided = Decisions(
        "run",
        signal=(
            MarkedFinding(Pattern("length", "claim", (), "at least", 38), "x"),
            MarkedFinding(Pattern("negation", "claim", place="text"), "x"),
        ),
    )
    heeded = AppliedDecisions.of(decided, text="claim", aims=True)
    assert heeded.whole_text == {"length", "negation"}
    assert "not" in heeded.keep
    assert heeded.left_out == ()
    assert len(AppliedDecisions.of(decided, text="claim", aims=False).left_out) == 2


def test_a_word_that_is_signal_is_no_shortcut_whatever_else_was_said():
    decided = Decisions(
        "run", signal=(SADLY,), shortcuts=(MarkedFinding(Pattern("token", "review", ("sadly",)), "good"),)
    )
    assert AppliedDecisions.of(decided, text="review", aims=True).shortcuts == ()


def test_rejected_texts_and_texts_that_lose_signal_are_objected_to():
    decided = Decisions(
        "run", (SADLY,), rejected=frozenset({fingerprint("r1", "review", "It was sadly fine.")})
    )
    objection = AppliedDecisions.of(decided, text="review", aims=True).objection("review")

    before = "It sadly was fine."
    assert objection("r1", before, "It was sadly fine.") == REJECTED
    assert objection("r1", before, "It was fine.") == LOSES_SIGNAL
    assert objection("r1", before, "Sadly, it was fine.") == ""
    # Another row, and a text that had no signal to lose.
    assert {objection("r0", "It was fine.", text) for text in ("It was sadly fine.", "Fine.")} == {""}


def test_eda_draws_another_text_where_one_is_objected_to():
    text = "The plot was slow and the ending was weak."
    ((_how, once),) = eda_texts(text, key="r1")
    again = lambda id, before, after: REJECTED if after == once else ""  # noqa: E731
    ((_, other),) = eda_texts(text, key="r1", objection=again)
    assert other not in (text, once)
    assert eda_texts(text, key="r1", objection=lambda id, before, after: REJECTED) == []


def test_texts_with_a_first_pattern_lead_as_long_as_it_tells():
    told = ["sadly slow", "sadly weak", "sadly dull", "a grim mess", "a grim end"]
    told += ["bright", "warm", "quick", "sadly strong", "fine"]
    labels = [0] * 5 + [1] * 5
    plain, aimed = (GiveAway(told, labels, first=first) for first in ((), [feature("sadly")]))
    assert aimed.scores()[:3] - plain.scores()[:3] == pytest.approx(FIRST)
    assert (aimed.scores()[3:] == plain.scores()[3:]).all()  # "sadly strong" has the other label
    assert aimed.telling(told[0], 0)[0] == "sadly"
    aimed.replace({0: "slow", 1: "weak"})
    assert (aimed.scores() < FIRST).all()  # as common with both labels now: nothing to aim at


def test_fingerprints_do_not_run_into_each_other():
    assert fingerprint("a", "b\0c", "d") != fingerprint("a\0b", "c", "d")
