"""What the engine tests share: an environment without keys, prompts, engines that wait little."""

import pytest

from longway.engines.prompt import judge_prompt, rewrite_prompt
from longway.engines.served import ServedEngine
from longway.task import task_of
from tests.environment import without_settings_of_the_user

REVIEWS = task_of(["neg", "pos"], text_name="review")


@pytest.fixture(autouse=True)
def no_settings_of_the_user(monkeypatch, tmp_path):
    """No key, address or price table of whoever runs the tests."""
    without_settings_of_the_user(monkeypatch, tmp_path)


def writing(*texts, task=REVIEWS, label="neg"):
    """A question for other words, for each text."""
    return [rewrite_prompt(task, text, label=label) for text in texts]


def judging(*texts, task=REVIEWS):
    """A question for the label, for each text."""
    return [judge_prompt(task, text) for text in texts]


def engine_of(server, **options):
    """An engine that talks to a loopback server and loses no time over retries."""
    return ServedEngine("toy", base_url=server.url, **{"timeout": 10, "backoff": 0.001} | options)
