"""A run against a real OpenAI-compatible server: the small model on this machine. Its texts are weak; the way is tested."""

import pytest

from longway.engines.registry import engine_named, models_of
from tests.engines.llama_cpp import local_server  # noqa: F401


@pytest.fixture
def engine(local_server, monkeypatch):  # noqa: F811
    for name in ("LONGWAY_MODEL", "LONGWAY_BASE_URL", "OPENAI_BASE_URL", "LONGWAY_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    return engine_named("served", base_url=local_server, timeout=300)


def test_the_first_model_of_the_server_is_taken(engine, local_server):  # noqa: F811
    assert engine.name == f"served:{models_of(local_server)[0]}"
