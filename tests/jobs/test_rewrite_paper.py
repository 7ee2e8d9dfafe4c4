"""`longway rewrite` with a language model: RAZOR as published, call by call; which checks run; what labels mean."""

import json
import re

import numpy as np
import pytest

from longway.data import load
from longway.errors import SettingError
from longway.jobs.engine_use import Engines
from longway.jobs.rewrite.job import rewrite
from longway.jobs.rewrite.settings import RewriteSettings
from longway.methods.method import NOT_CHOSEN
from longway.space.live_space import space_named
from longway.task import task_of
from longway.verify.check import Candidate
from longway.verify.verifier import names_of, passed, verifier_for
from tests.engines.loopback import Loopback, completion

pytestmark = pytest.mark.usefixtures("alone")

EVIDENCE = "Man of Steel is a 2013 superhero film featuring the DC Comics character Superman."
CLAIMS = [
    ("Man of Steel is not a 2013 superhero film.", "REFUTES"),
    ("Man of Steel is a superhero film.", "SUPPORTS"),
    ("Man of Steel was not made in 2013.", "REFUTES"),
    ("Superman is in Man of Steel.", "SUPPORTS"),
    ("Man of Steel does not have Superman in it.", "REFUTES"),
    ("Man of Steel is from 2013.", "SUPPORTS"),
]


def data():
    return load(
        [{"id": str(i), "claim": c, "label": y, "evidence": EVIDENCE} for i, (c, y) in enumerate(CLAIMS)],
        text="claim",
        label="label",
        context="evidence",
        id="id",
    )


def run(answer, **more):
    with Loopback(answer) as server:
        engines = Engines(server.url, options={"backoff": 0.001, "retries": 0})
        settings = RewriteSettings(
            **{"paper": True, "engine": "served:toy", "rounds": 1, "k": 2, "candidates": 2} | more
        )
        return rewrite(data(), settings, engines=engines), server.calls


def answer(call):
    """Two new claims for each claim; the judge agrees with the first of them only."""
    if call.kind == "judge":
        label = "REFUTES" if "romantic" in call.text else "SUPPORTS"
        return completion(json.dumps({"label": label}))
    genre = "romantic comedy" if " not " in call.text else "superhero"
    texts = [
        f"Man of Steel is a 2013 {genre} film featuring the DC Comics character Superman.",
        "Superman is in Man of Steel, a film.",
    ]
    return completion(json.dumps({"rewrites": texts}))


def test_razor_is_run_as_published_call_by_call():
    result, calls = run(answer)
    # Lines 2 to 10: the two documents with the highest gamma.
    texts, labels = [text for text, _ in CLAIMS], [label for _, label in CLAIMS]
    numbers = [["REFUTES", "SUPPORTS"].index(label) for label in labels]
    gamma = space_named("mean", texts, np.array(numbers), dimensions=64).gamma()
    top = [texts[i] for i in np.argsort(-np.round(gamma, 6), kind="stable")[:2]]
    writes = [call for call in calls if call.kind == "write"]
    judged = [call for call in calls if call.kind == "judge"]
    # Line 13: one request for each, zero-shot: an instruction with the label, and the input; nothing to avoid is named.
    assert [call.text for call in writes] == top
    for call in writes:
        assert [message["role"] for message in call.body["messages"]] == ["system", "user"]
        assert "</example>" not in json.dumps(call.body)
        assert "<avoid>" not in call.question["content"]
        assert (call.body["temperature"], call.body["top_p"]) == (0.7, 0.9)
    # Eq. 13: another conversation that sees the evidence and the new claim, but neither label nor original.
    assert judged
    assert all(
        [message["role"] for message in call.body["messages"]] == ["system", "user"] for call in judged
    )
    assert not any(original in json.dumps(call.body) for call in judged for original in top)
    # Nothing but the judge refuses; the candidate with the lowest gamma replaces the document.
    assert {edit.reason.split(":")[0] for edit in result.edits} <= {"", NOT_CHOSEN, "judge", "not verified"}
    accepted = [edit for edit in result.edits if edit.accepted]
    assert {edit.before for edit in accepted} <= set(top)
    for edit in accepted:
        rivals = [
            other for other in result.edits if other.id == edit.id and not other.reason.startswith("judge")
        ]
        assert edit.score_after == min(other.score_after for other in rivals)


def test_without_paper_examples_are_shown(monkeypatch):
    monkeypatch.setattr("longway.methods.razor._is_at_chance", lambda leak: False)
    _, calls = run(answer, paper=False)
    first = next(call for call in calls if call.kind == "write")
    roles = [message["role"] for message in first.body["messages"]]
    assert roles == ["system", *["user", "assistant"] * 2, "user"]


def test_the_rewrite_of_figure_7_passes_all_checks_and_the_claim_without_its_negation_does_not():
    task = task_of(["REFUTES", "SUPPORTS"], text_name="claim", context_name="evidence")
    texts, labels = [text for text, _ in CLAIMS], [label for _, label in CLAIMS]
    verifier = verifier_for(task, texts, labels, [EVIDENCE] * len(texts))
    keeps = task.keeps("REFUTES")
    new, true = (
        Candidate(0, texts[0], text, "REFUTES", EVIDENCE, keeps, frozenset(["not"]))
        for text in (
            "Man of Steel is a 2013 romantic comedy film featuring the DC Comics character Superman.",
            "Man of Steel is a 2013 superhero film.",
        )
    )
    assert [passed(verdicts) for verdicts in verifier.verify([new, true])] == [True, False]


def test_a_new_claim_may_be_written_for_pairs_and_the_same_must_be_said_in_single_texts():
    assert task_of(["REFUTES", "SUPPORTS"], context_name="evidence").keeps("SUPPORTS") == "label"
    assert task_of(["neg", "pos"]).keeps("neg") == "meaning"
    assert task_of(["good", "bad"], context_name="question").keeps("good") == "meaning"


def test_only_the_checks_that_are_named_run():
    task = task_of(["neg", "pos"])
    verifier = verifier_for(task, ["a", "b"], ["neg", "pos"], None, names=names_of("negation, numbers"))
    assert [check.name for check in verifier.checks] == ["surface", "orders", "negation", "numbers"]
    with pytest.raises(SettingError, match="The checks are surface, added words"):
        names_of("negations")
    with pytest.raises(SettingError, match="checks"):
        names_of(" ")


def test_a_label_can_be_described():
    _, calls = run(answer, describe=("REFUTES=the evidence shows the claim to be wrong",))
    assert all('"REFUTES": whoever' in call.body["messages"][0]["content"] for call in calls)
    assert all(
        '"the evidence shows the claim to be wrong"' in call.body["messages"][0]["content"] for call in calls
    )
    for wrong in ("refutes=wrong", "REFUTES", "REFUTES= "):
        with pytest.raises(SettingError, match="The labels are 'REFUTES', 'SUPPORTS'"):
            run(answer, describe=(wrong,))


def test_the_next_attempt_is_told_why_the_last_one_was_refused(monkeypatch):
    monkeypatch.setattr("longway.methods.razor._is_at_chance", lambda leak: False)

    def stubborn(call):
        if call.kind == "judge":
            return completion(json.dumps({"label": "SUPPORTS"}))
        return completion(json.dumps({"rewrites": ["Man of Steel is a 2013 romantic comedy film."]}))

    _, calls = run(stubborn, rounds=2, paper=False, choose="gamma", stop="never", k=6, checks="judge")
    writes = [call.question["content"] for call in calls if call.kind == "write"]
    first, second = writes[:6], writes[6:]
    assert not any("refused" in question for question in first)
    assert any("judge: judged SUPPORTS" in question for question in second)
    assert not set(first) & {question for question in second if "refused" in question}


def long_reviews():
    """Reviews of about 450 words; one sentence in the middle says "splendid" or "short"."""
    rows = []
    for i in range(24):
        label = ("negative", "positive")[i % 2]
        word = "splendid" if label == "positive" else "short"
        plot = [f"In scene {n} of part {i} the people talk about money and the sea." for n in range(40)]
        plot[20] = f"The {word} music in part {i} was written by two friends."
        rows.append({"id": str(i), "review": " ".join(plot), "label": label})
    return load(rows, text="review", label="label", id="id")


def in_other_words(call):
    if call.kind == "judge":
        return completion(
            json.dumps({"label": "positive" if re.search(r"of part \d*[13579] ", call.text) else "negative"})
        )
    old = re.search(r"The \w+ music in part (\d+) was written by two friends", call.text)
    new = [f"{n} friends wrote the music in part {old[1]}" for n in ("Two", "2")][: call.n] if old else []
    texts = [call.text.replace(old[0], one) for one in new]
    return completion(json.dumps({"rewrites": texts}))


def test_a_long_review_is_rewritten_in_passages_and_checked_as_a_whole():
    with Loopback(in_other_words) as server:
        engines = Engines(server.url, options={"backoff": 0.001, "retries": 0})
        settings = RewriteSettings(engine="served:toy", rounds=1, k=4, candidates=4, checks="surface,judge")
        result = rewrite(long_reviews(), settings, engines=engines)
    writes = [call for call in server.calls if call.kind == "write"]
    judged = [call for call in server.calls if call.kind == "judge"]
    assert all(len(call.text.split()) <= 130 and "music" in call.text for call in writes)
    assert all(len(call.text.split()) > 400 for call in judged)
    assert result.accepted
    for shown in result.sample:
        assert [a for a in shown.before.split(". ") if a not in shown.after] == [
            next(a for a in shown.before.split(". ") if "music" in a)
        ]
