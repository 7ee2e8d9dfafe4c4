"""Grading a judge on labelled rows, and what a run does with the grade of a model that "auto" chose."""

import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

import longway as lw
from longway.engines.asker import Asker
from longway.engines.engine import Engine, Judgement
from longway.records import Example
from longway.stats import wilson_interval
from longway.store import Journal
from longway.task import task_of
from longway.verify.grading import grade, graded_rows
from tests.engines.loopback import Loopback, completion, echo

TASK = task_of(["bad", "good"], text_name="review")


class Judge(Engine):
    """Answers from a list, by the row's text."""

    name, can = "listed", frozenset({"judge"})

    def __init__(self, answers):
        self.answers = answers

    async def judge(self, prompt, options, call=None):
        answer = self.answers[prompt.text]
        return (
            Judgement({}, "no answer") if answer is None else Judgement({"good": answer, "bad": 1 - answer})
        )


@given(
    st.lists(st.tuples(st.booleans(), st.sampled_from([None, 0.0, 0.25, 0.9, 1.0])), min_size=1, max_size=30)
)
def test_a_grade_is_what_counting_by_hand_gives(drawn):
    rows = [Example(str(i), f"text {i}", "good" if good else "bad") for i, (good, _) in enumerate(drawn)]
    judge = Judge({row.text: answer for row, (_, answer) in zip(rows, drawn, strict=True)})
    found = grade(Asker(judge, Journal(None)), TASK, rows)
    right = sum(answer is not None and (answer > 0.5) == good for good, answer in drawn)
    assert found.answered == sum(answer is not None for _, answer in drawn)
    assert (found.right.n, found.right.share) == (len(rows), round(right / len(rows), 4))
    low, high = wilson_interval(right / len(rows), len(rows))
    assert (found.right.low, found.right.high) == (round(low, 4), round(high, 4))
    squares = [(answer - good) ** 2 for good, answer in drawn if answer is not None]
    assert found.brier == (pytest.approx(sum(squares) / len(squares), abs=1e-4) if squares else None)
    assert found.is_good_enough == (right / len(rows) >= 0.65 and low > 0.5)


@given(st.lists(st.sampled_from("aaaabbc"), min_size=1, max_size=60), st.integers(1, 40))
def test_rows_to_grade_on_are_as_even_as_the_labels_allow(labels, n):
    rows = graded_rows(labels, n)
    assert rows == sorted(set(rows))
    assert len(rows) == min(n, len(labels))
    drawn, there = Counter(labels[row] for row in rows), Counter(labels)
    full = [drawn[name] for name in there if drawn[name] < there[name]]
    assert not full or max(drawn.values()) - min(full) <= 1


def answering(right):
    """A server that knows the labels of `right` in ten rows."""

    def answer(call):
        if call.kind != "judge":
            return echo(call)
        number = int(call.text.split("film number ")[1].split()[0])
        is_even = (number % 2 == 0) == (number % 10 < right)
        return completion(json.dumps({"label": "good" if is_even else "bad"}))

    return answer


@pytest.mark.parametrize(("right", "is_used"), [(10, True), (5, False)])
def test_auto_uses_a_model_only_if_it_judges_the_users_rows_well(right, is_used, tmp_path, monkeypatch):
    texts = [f"The film number {i} was shown on day {i}." for i in range(60)]
    data = lw.load([{"text": text, "label": ("good", "bad")[i % 2]} for i, text in enumerate(texts)])
    with Loopback(answering(right)) as server:
        monkeypatch.setenv("LONGWAY_MODEL", "toy")
        monkeypatch.setenv("LONGWAY_BASE_URL", server.url)
        for _ in range(2):
            made = lw.rewrite(data, engine="auto", rounds=1, k=4, out=tmp_path / "run")
        graded = [call for call in server.calls if call.kind == "judge" and call.text in texts]
    assert made.engine == ("served:toy" if is_used else "rules")
    assert made.judge == ("served:toy" if is_used else "none")
    assert len(graded) == 40  # once, although the command ran twice
    notes = [note for note in made.missing_checks if note.startswith("judge: served:toy got")]
    assert len(notes) == (0 if is_used else 1)
