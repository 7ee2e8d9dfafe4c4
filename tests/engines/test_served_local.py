"""A run against a real OpenAI-compatible server: the small model on this machine. Its texts are weak; the way is tested."""

import pytest

from longway.engines.asker import Asker
from longway.engines.engine import Sampling
from longway.engines.prompt import counterfactual_prompt, judge_prompt
from longway.engines.registry import engine_named, models_of
from longway.store import Journal
from longway.task import task_of
from tests.engines.llama_cpp import local_server  # noqa: F401

TASK = task_of(["negative", "positive"])
TEXT = "The soup was cold and the waiter was rude."


@pytest.fixture
def engine(local_server, monkeypatch):  # noqa: F811
    for name in ("LONGWAY_MODEL", "LONGWAY_BASE_URL", "OPENAI_BASE_URL", "LONGWAY_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return engine_named("served", base_url=local_server, timeout=300)


def test_the_first_model_of_the_server_is_taken(engine, local_server):  # noqa: F811
    assert engine.name == f"served:{models_of(local_server)[0]}"


@pytest.mark.soak  # test_gguf.py has a real server, too
def test_a_real_server_writes_and_judges_and_nothing_is_asked_twice(engine, tmp_path):
    prompts = [counterfactual_prompt(TASK, TEXT, label=TASK.labels[0], target=TASK.labels[1])]
    questions = [judge_prompt(TASK, TEXT)]
    journal = Journal(tmp_path / "journal.sqlite")
    with Asker(engine, journal) as asker:
        written = asker.write_all(prompts, 1, Sampling(max_tokens=24))
        judged = asker.judge_all(questions, TASK.labels)
        assert asker.asked == 2
        assert asker.failed == 0
        assert asker.write_all(prompts, 1, Sampling(max_tokens=24)) == written
        assert asker.judge_all(questions, TASK.labels) == judged
        assert asker.asked == 2
    assert written[0].texts or written[0].refusals
    assert judged[0].best in TASK.labels  # the schema leaves no other answer
    assert sum(judged[0].probabilities.values()) == pytest.approx(1)
    assert {row.kind for row in journal.totals()} == {"write", "judge"}
    assert all(row.prompt_tokens > 100 for row in journal.totals())
    journal.close()
