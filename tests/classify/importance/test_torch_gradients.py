"""Integrated gradients of neural models: complete, and equal to a slow even walk."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from longway.classify.classifier import Inputs, Labelled  # noqa: E402
from longway.classify.encoder import Encoder  # noqa: E402
from longway.classify.frozen import Frozen  # noqa: E402
from longway.classify.importance import word_importance  # noqa: E402
from longway.classify.importance.torch_gradients import integrate  # noqa: E402
from longway.classify.static import StaticNet  # noqa: E402

from ..tiny_encoder import tiny_tokenizer  # noqa: E402

TEXTS = [
    "the cat sat on the mat",
    "no dog ran home",
    "a dog sat",
    "not a cat",
    "the dog ran",
    "no cat sat on a mat",
] * 2
CONTEXTS = ["a mat", "the dog sat home", "no", "the cat", "dog", "cat on a mat"] * 2
LABELS = ["yes", "no", "yes", "no", "yes", "no"] * 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A BERT of a few narrow layers with random weights, as a folder."""
    path = tmp_path_factory.mktemp("bert")
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=15, hidden_size=16, num_hidden_layers=2, num_attention_heads=2, intermediate_size=24,
        max_position_embeddings=64, initializer_range=0.4,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(path)
    cut = transformers.PreTrainedTokenizerFast(
        tokenizer_object=tiny_tokenizer(),
        pad_token="[PAD]",
        cls_token="[CLS]",
        sep_token="[SEP]",
        unk_token="[UNK]",
    )
    cut.model_input_names = ["input_ids", "token_type_ids", "attention_mask"]
    cut.save_pretrained(path)
    return str(path)


def data(pairs):
    return Labelled(Inputs(TEXTS, CONTEXTS if pairs else None), LABELS)


@pytest.fixture(scope="module", params=["full", "lora", "frozen", "cnn", "gru", "dan"])
def models(request, folder):
    """The same kind of model for texts and for pairs."""
    if request.param == "frozen":
        fresh = lambda: Frozen(folder, strength=1.0)  # noqa: E731
    elif request.param in ("cnn", "gru", "dan"):
        fresh = lambda: StaticNet(request.param, hidden=8, epochs=2, device="cpu")  # noqa: E731
    else:
        fresh = lambda: Encoder(folder, tuning=request.param, epochs=2, learning_rate=1e-2, device="cpu")  # noqa: E731
    return {pairs: fresh().fit(data(pairs)) for pairs in (False, True)}


@pytest.mark.parametrize(("pairs", "field"), [(False, "text"), (True, "text"), (True, "context")])
def test_the_scores_of_the_words_sum_to_what_the_text_changes(models, pairs, field):
    model, rows = models[pairs], data(pairs).inputs
    chances = model.predict_proba(rows)
    for i, found in enumerate(word_importance(model, rows, method="ig", field=field)):
        assert found.scores.sum() == pytest.approx(found.value - found.baseline, abs=1e-2)
        assert found.value == pytest.approx(chances[i].max(), abs=1e-4)
        assert " ".join(found.words) == (rows.texts if field == "text" else rows.contexts)[i]


def test_the_points_of_gauss_and_legendre_sum_as_many_small_even_steps_do():
    torch.manual_seed(1)
    head = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 2))
    whole, start = torch.randn(4, 4), torch.randn(4, 4)
    start[[0, 3]] = whole[[0, 3]]
    found, value, baseline = integrate(whole, start, lambda now: head(now.sum(dim=1)), 1, 24)
    slopes = torch.zeros_like(whole)
    for a in (np.arange(2000) + 0.5) / 2000:
        now = (start + a * (whole - start)).requires_grad_()
        torch.softmax(head(now.sum(dim=0)), dim=0)[1].backward()
        slopes += now.grad / 2000
    assert found == pytest.approx(((whole - start) * slopes).sum(dim=1).numpy(), abs=1e-5)
    assert found[[0, 3]].tolist() == [0, 0]
    assert found.sum() == pytest.approx(value - baseline, abs=1e-5)


def test_parts_that_fit_into_memory_give_the_same(models, monkeypatch):
    model, rows = models[False], Inputs(TEXTS[:1])
    whole = word_importance(model, rows, method="ig", samples=12)[0].scores
    monkeypatch.setattr("longway.classify.importance.torch_gradients.TOKENS_AT_ONCE", 20)
    assert word_importance(model, rows, method="ig", samples=12)[0].scores == pytest.approx(whole, abs=1e-5)


def test_a_text_without_words_has_no_scores(models):
    (found,) = word_importance(models[False], Inputs([""]), method="ig")
    assert len(found.scores) == 0
    assert found.value == pytest.approx(found.baseline, abs=1e-5)
