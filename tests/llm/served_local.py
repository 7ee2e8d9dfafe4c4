"""The small model as a real OpenAI-compatible server on this machine, for tests of what talks to servers."""

from importlib.util import find_spec

import pytest

from longway.errors import EngineError


def model_or_skip():
    """The small model's file; the test is skipped, saying why, where it is not installed."""
    if find_spec("xllamacpp") is None:
        pytest.skip("xllamacpp is not installed: longway engines install local")
    from longway.llm.gguf import installed_model

    try:
        return installed_model()
    except EngineError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def local_server():
    """The base URL of the small model, served on a free port of this machine."""
    path = model_or_skip()
    from longway.llm.gguf import serve

    with serve(path) as base_url:
        yield base_url
