"""Several engines in turn, with toy engines."""

import asyncio

import pytest

from longway.engines.engine import CombinedEngine, Engine, FallbackEngine, Judgement, Sampling, Usage, Written
from longway.engines.prompt import rewrite_prompt
from longway.errors import SettingError
from longway.task import task_of

TASK = task_of(["neg", "pos"])
PROMPT = rewrite_prompt(TASK, "A text.", label="pos")


class Toy(Engine):
    """Writes what it is told, and counts how often it was asked."""

    def __init__(self, name, texts, *, can=("write",), how=(), cost=0.0, judged=None):
        self.name, self.can, self.calls, self.closed = name, frozenset(can), 0, False
        self._written = Written(tuple(texts), (f"{name} is tired",), tuple(how), Usage(1, 2, cost, 0.5))
        self._judged = judged or Judgement({}, "cannot")

    @property
    def identity(self):
        return {"engine": self.name}

    async def write(self, prompt, n, sampling, call=None):
        self.calls += 1
        return Written(
            self._written.texts[:n], self._written.refusals, self._written.how[:n], self._written.usage
        )

    async def judge(self, prompt, options, call=None):
        self.calls += 1
        return self._judged

    async def close(self):
        self.closed = True


def written(engine, n):
    return asyncio.run(engine.write(PROMPT, n, Sampling()))


def test_the_second_engine_is_asked_only_for_what_is_missing():
    first, second = Toy("a", ["one", "two"], how=["rule.x", "rule.y"]), Toy("b", ["two", "three", "four"])
    engine = CombinedEngine([first, second])
    assert written(engine, 2).texts == ("one", "two")
    assert second.calls == 0
    both = written(engine, 3)
    assert both.texts == ("one", "two", "three")
    assert both.how == ("rule.x", "rule.y", "b")
    assert both.refusals == ("a: a is tired", "b: b is tired")
    assert both.usage == Usage(2, 4, 0.0, 1.0)


def test_else_the_second_engine_is_asked_only_where_the_first_gave_nothing():
    first, second = Toy("a", ["one"]), Toy("b", ["two", "three"], can=["write", "judge"])
    engine = FallbackEngine([first, second])
    assert written(engine, 3).texts == ("one",)
    assert second.calls == 0
    nothing = FallbackEngine([Toy("a", []), second])
    assert written(nothing, 3).texts == ("two", "three")
    assert nothing.name == "a,b"
    assert nothing.can == {"write"}
    assert nothing.identity != CombinedEngine([Toy("a", []), second]).identity


def test_an_unknown_cost_stays_unknown():
    assert written(CombinedEngine([Toy("a", []), Toy("b", ["x"], cost=None)]), 1).usage.cost is None


def test_the_first_engine_with_an_answer_judges():
    certain = Judgement({"neg": 0.1, "pos": 0.9})
    engine = CombinedEngine(
        [Toy("a", []), Toy("b", [], can=["judge"]), Toy("c", [], can=["judge"], judged=certain)]
    )
    judged = asyncio.run(engine.judge(PROMPT, ["neg", "pos"]))
    assert judged.best == "pos"
    nobody = asyncio.run(
        CombinedEngine([Toy("a", []), Toy("b", [], can=["judge"])]).judge(PROMPT, ["neg", "pos"])
    )
    assert nobody.refusal == "b: cannot"


def test_name_abilities_and_identity_are_those_of_all():
    engine = CombinedEngine([Toy("a", []), Toy("b", [], can=["judge"])])
    assert engine.name == "a+b"
    assert engine.can == {"write", "judge"}
    assert engine.identity == {"engine": "turn", "engines": [{"engine": "a"}, {"engine": "b"}]}
    asyncio.run(engine.close())
    assert all(part.closed for part in engine.engines)


def test_the_most_that_a_call_can_cost_is_the_sum_of_those_that_may_be_asked():
    first, second = Toy("a", []), Toy("b", [])
    second.max_write_cost = lambda prompt, n, sampling: 0.25 * n
    second.price, second.max_in_flight = None, 8
    engine = CombinedEngine([first, second])
    assert engine.max_write_cost(PROMPT, 4, Sampling()) == 1.0
    assert engine.max_judge_cost(PROMPT, ["neg", "pos"]) == 0.0
    assert engine.price is None
    assert engine.max_in_flight == 8


def test_one_engine_alone_is_no_turn():
    with pytest.raises(SettingError, match="at least two"):
        CombinedEngine([Toy("a", [])])
