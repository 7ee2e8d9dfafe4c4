"""The Llama in ONNX Runtime, against the one in numpy with the same rounded weights. What is left is the rounding of what flows through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.classify.onnx_graph import BLOCK, in_8_bits
from longway.engines.onnx_writer import LlamaOnnx, with_adapter
from longway.engines.scoring.gguf_weights import GgufFile
from longway.engines.scoring.llama import Llama

WIDTH, INNER, HEADS, SHARED, LAYERS, VOCABULARY = 64, 96, 4, 2, 2, 40
CLOSE = 0.5
tokens = st.integers(0, VOCABULARY - 1)


def rounded(weight):
    packed, scales = in_8_bits(weight, BLOCK)
    numbers = (packed.astype(np.float32) - 128) * scales.reshape(*packed.shape[:2], 1)
    return numbers.reshape(weight.shape)


def llama(seed=0):
    chance = np.random.default_rng(seed)
    keys = WIDTH // HEADS * SHARED
    shapes = {
        "attn_q": (WIDTH, WIDTH), "attn_k": (keys, WIDTH), "attn_v": (keys, WIDTH), "attn_output": (WIDTH, WIDTH),
        "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER),
    }  # fmt: skip
    tensors = {
        "token_embd.weight": chance.standard_normal((VOCABULARY, WIDTH)) * 0.3,
        "output_norm.weight": 1 + 0.1 * chance.standard_normal(WIDTH),
    }
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            tensors[f"blk.{layer}.{name}.weight"] = chance.standard_normal(shape) * 0.25
        for name in ("attn_norm", "ffn_norm"):
            tensors[f"blk.{layer}.{name}.weight"] = 1 + 0.1 * chance.standard_normal(WIDTH)
    about = {
        "general.architecture": "llama", "llama.context_length": 64, "llama.block_count": LAYERS,
        "llama.attention.head_count": HEADS, "llama.attention.head_count_kv": SHARED, "llama.embedding_length": WIDTH,
        "llama.attention.layer_norm_rms_epsilon": 1e-5, "llama.rope.freq_base": 10000.0,
    }  # fmt: skip
    values = {name: value.astype(np.float32) for name, value in tensors.items()}
    return GgufFile(about, {n: rounded(v) if v.ndim == 2 else v for n, v in values.items()})


@pytest.fixture(scope="module")
def file():
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    return llama()


@pytest.fixture(scope="module")
def network(file):
    return LlamaOnnx(file)


def slowly(file, ids):
    """The log-likelihood of each token but the first."""
    return Llama(file).log_likelihoods([ids[1:]], start=ids[0])[0]


@given(st.data())
def test_rows_that_go_on_apart_are_what_each_is_alone(file, network, data):
    start = data.draw(st.lists(tokens, min_size=1, max_size=6))
    n_rows, n_more = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 6))
    more = np.array(data.draw(st.lists(tokens, min_size=n_rows * n_more, max_size=n_rows * n_more)))
    more = more.reshape(n_rows, n_more)
    reading = network.read(start, rows=n_rows, room=n_more)
    texts, found = [[] for _ in range(n_rows)], [[] for _ in range(n_rows)]
    for place in range(n_more):
        for row in range(len(texts)):
            found[row].append(float(reading.log_p[row, more[row, place]]))
            texts[row].append(int(more[row, place]))
        if place + 1 == n_more:
            break
        reading.advance([text[-1] for text in texts])
        n_kept = data.draw(st.integers(1, len(texts)))
        for row in range(n_kept, len(texts)):  # what the last rows have read goes on in some of the first
            to = data.draw(st.integers(0, n_kept - 1))
            texts[to], found[to] = list(texts[row]), list(found[row])
            reading.copy(row, to)
            reading.log_p[to] = reading.log_p[row]
        texts, found = texts[:n_kept], found[:n_kept]
    for text, likely in zip(texts, found, strict=True):
        np.testing.assert_allclose(
            likely, slowly(file, [*start, *text])[len(start) - 1 :], atol=CLOSE, rtol=0.04
        )


def test_likelihoods_are_those_of_all_tokens_together(network):
    log_p = network.read([3, 1, 4], rows=2, room=1).log_p
    np.testing.assert_allclose(np.exp(log_p).sum(axis=1), 1, atol=1e-5)
    assert (log_p[0] == log_p[1]).all()


def test_what_was_read_before_matters(file, network):
    """The test above would pass on a network that forgets, if nothing hung on what came before."""
    one, other = (slowly(file, [start, 5, 7])[-1] for start in (3, 20))
    assert abs(one - other) > 1


def test_the_same_reading_gives_the_same_numbers(network):
    first, again = (network.read([9, 8, 7], rows=3, room=2) for _ in range(2))
    for reading in (first, again):
        reading.advance([1, 2, 3])
    assert (first.log_p == again.log_p).all()


@given(st.lists(st.floats(-4, 4, width=32), min_size=2 * BLOCK, max_size=2 * BLOCK))
def test_a_weight_is_rounded_by_at_most_half_a_step(values):
    weight = np.array(values, np.float32).reshape(1, -1)
    step = np.abs(weight.reshape(2, BLOCK)).max(axis=1).repeat(BLOCK) / 127
    assert (np.abs(rounded(weight)[0] - weight[0]) <= step * 0.501 + 1e-6).all()


def test_an_adapter_is_added_with_its_scale(file):
    name = "blk.0.attn_q.weight"
    a, b = np.full((2, WIDTH), 0.5, np.float32), np.full((WIDTH, 2), 0.25, np.float32)
    adapter = GgufFile({"adapter.lora.alpha": 8.0}, {f"{name}.lora_a": a, f"{name}.lora_b": b})
    merged = with_adapter(file, adapter)
    np.testing.assert_allclose(merged.tensors[name], file.tensors[name] + 8 / 2 * 2 * 0.5 * 0.25, rtol=1e-6)
    assert merged.tensors["blk.1.attn_q.weight"] is file.tensors["blk.1.attn_q.weight"]
    assert list(merged.tensors) == list(file.tensors)
    other = GgufFile({"adapter.lora.alpha": 8.0}, {"blk.9.attn_q.weight.lora_a": a})
    with pytest.raises(ValueError, match=r"the model has no blk\.9"):
        with_adapter(file, other)
