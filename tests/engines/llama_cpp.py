"""llama.cpp (package `xllamacpp`): a real OpenAI-compatible server on this machine, and an oracle for likelihoods.

model_or_skip()         the small model's file; skips the test if it is not installed
serve(path)             the base URL of a server for the model, for the duration of the block
LlamaCpp(path, adapter) likelihoods of the model, with a LoRA adapter or without
"""

import json
import secrets
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

import pytest

from longway.engines.model_files import installed_model
from longway.errors import EngineError

needs_llama_cpp = pytest.mark.skipif(find_spec("xllamacpp") is None, reason="xllamacpp is not installed")


def model_or_skip():
    if find_spec("onnxruntime") is None or find_spec("tokenizers") is None:
        pytest.skip("the small model cannot run here: longway engines install local")
    try:
        return installed_model()
    except EngineError as error:
        pytest.skip(str(error))


def started(path, adapter=None, *, slots=1, context=1024, port=0, api_key=None):
    xllamacpp = import_module("xllamacpp")
    params = xllamacpp.CommonParams()
    params.model.path = str(path)
    params.model_alias = {path.stem}
    params.hostnames, params.port = ["127.0.0.1"], port
    params.api_keys = [api_key] if api_key else []
    params.verbosity, params.ui, params.warmup = -1, False, False
    params.n_ctx, params.n_parallel = context * slots, slots
    if adapter is not None:
        params.lora_adapters = [xllamacpp.CommonAdapterLoraInfo(str(adapter), 1.0)]
    server = xllamacpp.Server(params)
    # Its loop starts a little later; a server that ends before its loop has begun waits for it forever.
    server.handle_completions({"prompt": "a", "n_predict": 0})
    return server


@contextmanager
def serve(path=None):
    server = started(path or installed_model(), slots=2, context=3072)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server  # its listener ends with it


class LlamaCpp:
    def __init__(self, path, adapter=None):
        self.server = started(path, adapter, api_key=secrets.token_urlsafe(24))

    def likelihoods(self, prompt, options):
        """For each option the log-likelihood of each of its tokens: a grammar forces the option, the likelihoods are those without it."""
        return [self._likelihood(prompt, option) for option in options]

    def _likelihood(self, prompt, option):
        request = {
            "prompt": prompt,
            "max_tokens": 64,
            "temperature": 0.0,
            "n_probs": 1,
            "cache_prompt": False,
        }
        answer = self.server.handle_completions({**request, "grammar": f"root ::= {json.dumps(option)}"})
        steps = answer["choices"][0]["logprobs"]["content"]
        return [step["logprob"] for step in steps if step["bytes"]]  # the end of the text has no bytes


@pytest.fixture(scope="module")
def local_server():
    """The base URL of the small model, served on a free port of this machine."""
    pytest.importorskip("xllamacpp")
    with serve(model_or_skip()) as base_url:
        yield base_url
