"""The entailment model: what its file keeps, how long contexts are cut, and what the shipped weights answer."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.errors import LongwayError
from longway.models.entailment import MODEL, STANCES, Entailment, restored, shortened
from longway.models.minilm import model_folder
from tests.models.tiny_encoder import tiny_encoder

pytest.importorskip("tokenizers", reason="the tokenizers package is not installed")


def tiny():
    random = np.random.default_rng(3)
    encoder = tiny_encoder(seed=2)
    return Entailment(encoder, random.normal(size=(16, 3)).astype(np.float32), np.zeros(3, np.float32))


def test_probabilities_are_the_softmax_of_the_head():
    model = tiny()
    pairs = [("the cat sat", "a cat sat"), ("the dog ran home", "no dog ran"), ("the cat sat", "a cat sat")]
    found = model.probabilities(pairs)
    logits = model.encoder.states(pairs) @ model.head
    expected = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    assert found.shape == (3, len(STANCES))


def test_probabilities_do_not_depend_on_the_other_pairs():
    """So that a run on other processes, or a resumed one, gives the same digits."""
    random = np.random.default_rng(4)
    states = {(f"a{i}", f"b{i}"): random.normal(size=768).astype(np.float32) for i in range(40)}

    class Encoder:
        def states(self, pairs, *, max_tokens):
            return np.array([states[pair] for pair in pairs])

    model = Entailment(Encoder(), random.normal(size=(768, 3)).astype(np.float32), np.zeros(3, np.float32))
    together = model.probabilities(list(states))
    for size in (1, 2, 3, 7, 33):
        parts = [list(states)[start : start + size] for start in range(0, len(states), size)]
        np.testing.assert_array_equal(np.vstack([model.probabilities(part) for part in parts]), together)


def test_a_higher_temperature_is_less_sure():
    sure, less = tiny(), tiny()
    less.temperature = 3.0
    pair = [("the cat sat on the mat", "a dog ran home")]
    assert less.probabilities(pair).max() < sure.probabilities(pair).max()


def test_eight_bits_give_back_the_weight_up_to_half_a_step():
    weight = np.random.default_rng(0).normal(size=(5, 7)).astype(np.float32)
    scale = np.abs(weight).max(axis=1) / 127
    stored = {"w": np.round(weight / scale[:, None]).astype(np.int8), "w.scale": scale}
    assert np.all(np.abs(restored(stored, {})["w"] - weight) <= scale[:, None] / 2 + 1e-6)


def test_thin_matrices_are_added_to_the_encoders_own_weight():
    base = {"w": np.ones((3, 2), np.float32)}
    stored = {"w.thin": np.array([[1.0], [2.0], [0.0]]), "w.wide": np.array([[3.0, 4.0]]), "b": np.zeros(2)}
    found = restored(stored, base)
    assert found["w"].tolist() == [[4, 5], [7, 9], [1, 1]]
    assert found["b"].tolist() == [0, 0]


def test_a_short_context_stays_as_it_is():
    assert (
        shortened("The mill burned down. It was old.", "The mill burned.")
        == "The mill burned down. It was old."
    )


def test_a_long_context_keeps_the_sentences_about_the_text_in_their_order():
    filler = "Nothing of note was reported on that day by anyone. " * 20
    context = f"The mill was built in 1870. {filler}The mill burned down in 1911. {filler}"
    found = shortened(context, "The mill burned down in 1911.")
    assert "burned down in 1911" in found
    assert found.index("built in 1870") < found.index("burned down")
    assert len(found.split()) <= 120


@given(st.text(alphabet="ab. ", max_size=400), st.text(alphabet="ab ", max_size=20))
def test_a_cut_context_has_only_words_of_the_context_in_their_order(context, text):
    found = shortened(context, text, words=10).split()
    words = iter(context.split())
    assert all(word in words for word in found)


def shipped():
    if not (MODEL / "weights.safetensors").exists():
        pytest.skip("the entailment model is not in this checkout")
    try:
        model_folder()
    except LongwayError as error:
        pytest.skip(str(error))
    return Entailment.load()


@pytest.mark.parametrize(
    ("context", "text", "stance"),
    [
        ("The bridge was opened in 1932 and is 500 metres long.", "The bridge opened in 1932.", "entails"),
        ("The bridge was opened in 1932 and is 500 metres long.", "The bridge opened in 1958.", "contradicts"),
        ("The bridge was opened in 1932 and is 500 metres long.", "The bridge was not opened in 1932.", "contradicts"),
        ("Two children are playing football in a park.", "Children are playing outside.", "entails"),
        ("Two children are playing football in a park.", "The children are asleep in bed.", "contradicts"),
        ("Two children are playing football in a park.", "The children are brothers.", "neutral"),
    ],
)  # fmt: skip
def test_the_shipped_model_knows_plain_cases(context, text, stance):
    found = shipped().probabilities([(context, text)])[0]
    assert STANCES[int(found.argmax())] == stance


def test_the_shipped_model_has_a_card_and_is_small():
    shipped()
    assert (MODEL / "weights.safetensors").stat().st_size <= 12 * 2**20
    assert "CC BY-SA 4.0" in (MODEL / "card.md").read_text(encoding="utf-8")
