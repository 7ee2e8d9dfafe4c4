"""The judge (Eq. 13): asked through the real asker, with an engine whose answers are written down."""

import pytest

from longway.engines.asker import Asker
from longway.engines.engine import Engine, Judgement
from longway.store.journal import Journal
from longway.task import task_of
from longway.verify.model_checks import JudgeCheck
from tests.verify.scenes import candidate

TASK = task_of(["neg", "pos"])


class Answers(Engine):
    """An engine that judges texts as written down."""

    name, can = "written", frozenset({"judge"})

    def __init__(self, known):
        self.known, self.asked = known, []

    @property
    def identity(self):
        return {"engine": self.name}

    async def judge(self, prompt, options, call=None):
        self.asked.append(prompt.text)
        answer = self.known[prompt.text]
        return Judgement({}, refusal="no label in the answer") if answer is None else Judgement(answer)

    async def close(self):
        pass


@pytest.mark.parametrize(
    ("answer", "is_fine", "why"),
    [
        ({"neg": 0.2, "pos": 0.8}, True, ""),
        ({"neg": 0.7, "pos": 0.3}, False, "judged neg"),
        (None, False, "no answer from the judge: no label in the answer"),
    ],
)
def test_the_label_must_be_the_judges_answer(answer, is_fine, why):
    asker = Asker(Answers({"new": answer}), Journal(None))
    verdict = JudgeCheck(TASK, asker)([candidate("old", "new", "pos")])[0]
    assert (verdict.passed, verdict.reason) == (is_fine, why)


def test_the_judge_is_asked_once_for_equal_texts_and_never_for_the_original():
    engine = Answers({"new": {"neg": 0.2, "pos": 0.8}})
    check = JudgeCheck(TASK, Asker(engine, Journal(None)))
    assert all(v.passed for v in check([candidate("old", "new", "pos"), candidate("older", "new", "pos")]))
    check([candidate("old", "new", "pos")])
    assert engine.asked == ["new"]
