"""Writing within a budget: money is kept for what follows, and what was paid for is returned."""

import re

import pytest

from longway.engines.asker import Asker, PaidWriting
from longway.engines.costs import Price
from longway.engines.engine import NOT_ASKED, Sampling
from longway.engines.prompt import judge_prompt, mended, rewrite_prompt
from longway.engines.served import ServedEngine
from longway.errors import BudgetSpent, SettingError
from longway.store import Journal
from longway.task import task_of
from tests.engines.loopback import Loopback, completion, echo

TASK = task_of(["negative", "positive"])
PROMPTS = [rewrite_prompt(TASK, f"Row {i} is a fine film.", label="positive") for i in range(12)]


def metered(call):
    reply = echo(call)
    sent = sum(len(message["content"]) for message in call.body["messages"]) // 4
    reply.body["usage"] = {"prompt_tokens": sent, "completion_tokens": 40}
    return reply


def paid(server, budget, **more):
    engine = ServedEngine("toy", base_url=server.url, price=Price(100.0, 100.0), retries=0, **more)
    journal = Journal(None)
    asker, judge = (Asker(engine, journal, budget=budget) for _ in range(2))
    return PaidWriting(asker, judge=judge, task=TASK)


def ask(writing, prompts=PROMPTS):
    return writing(prompts, 2, [Sampling()] * len(prompts))


@pytest.mark.parametrize("budget", [0.47, 0.62, 1.0])
def test_every_row_that_is_written_can_be_judged(budget):
    with Loopback(metered) as server:
        writing = paid(server, budget)
        written = ask(writing)
        texts = [answer.texts[0] for answer in written if answer.texts]
        assert writing.is_spent
        assert 0 < len(texts) < len(PROMPTS)
        assert {answer.refusals for answer in written if not answer.texts} == {(NOT_ASKED,)}
        judged = writing.judge.judge_all([judge_prompt(TASK, text) for text in texts], TASK.labels)
        assert all(one.best for one in judged)
        assert writing.asker.journal.spent() <= budget


def test_money_that_is_kept_for_calls_that_follow_is_not_spent():
    prompts = [rewrite_prompt(TASK, f"Row {i} is a fine film.", label="positive") for i in range(60)]
    spent = {}
    for kept in (0.0, 0.4):
        with Loopback(metered) as server:
            asker = paid(server, 1.0).asker
            asker.kept = kept
            with pytest.raises(BudgetSpent):
                asker.write_all(prompts, 2)
            spent[kept] = asker.journal.spent()
    assert spent[0.4] <= 0.6 < spent[0.0] <= 1.0


def test_a_budget_that_is_too_small_names_one_that_is_not():
    with Loopback(metered) as server:
        with pytest.raises(SettingError, match="Nothing was sent") as error:
            ask(paid(server, 0.01))
        assert not server.calls
        enough = float(re.search(r"--budget (\S+)", str(error.value))[1])
        assert ask(paid(server, enough))[0].texts


def test_without_any_answer_the_end_of_the_budget_is_raised_but_not_for_a_repair():
    with Loopback(metered) as server:
        with pytest.raises(BudgetSpent):
            ask(paid(server, 0.0))
        again = [mended(prompt, "No.", "unreadable") for prompt in PROMPTS]
        assert ask(paid(server, 0.0), again)[0].refusals == (NOT_ASKED,)
        assert not server.calls


def test_without_a_budget_or_a_price_nothing_is_kept():
    with Loopback(lambda call: completion('{"rewrites": ["Something else entirely."]}')) as server:
        assert all(answer.texts for answer in ask(paid(server, None)))
