"""Integrated gradients of neural models: complete, and equal to a slow even walk."""

import numpy as np
import pytest

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

from longway.models.classifier import Inputs, Labelled  # noqa: E402
from longway.models.encoder import Encoder  # noqa: E402
from longway.models.frozen import Frozen  # noqa: E402
from longway.models.importance import word_importance  # noqa: E402
from longway.models.importance.torch_gradients import Path, integrate  # noqa: E402
from longway.models.static import StaticNet  # noqa: E402

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


@pytest.mark.parametrize(
    ("pairs", "field"), [(False, "text"), (True, "text"), (True, "context"), (True, "both")]
)
def test_the_scores_of_the_words_sum_to_what_the_text_changes(models, pairs, field):
    model, rows = models[pairs], data(pairs).inputs
    chances = model.predict_proba(rows)
    for i, found in enumerate(word_importance(model, rows, method="ig", field=field)):
        assert found.scores.sum() == pytest.approx(found.value - found.baseline, abs=1e-2)
        assert found.value == pytest.approx(chances[i].max(), abs=1e-4)
        texts = {"text": rows.texts[i], "context": (rows.contexts or TEXTS)[i]}
        texts["both"] = f"{texts['context']}\n{texts['text']}"
        assert " ".join(found.words) == texts[field].replace("\n", " ")
        assert [texts[field][start:end] for start, end in found.spans] == list(found.words)
        assert (found.norms > 0).all()


def test_the_points_of_gauss_and_legendre_sum_as_many_small_even_steps_do():
    torch.manual_seed(1)
    head = torch.nn.Sequential(torch.nn.Linear(4, 6), torch.nn.Tanh(), torch.nn.Linear(6, 2))
    whole, start = torch.randn(4, 4), torch.randn(4, 4)
    start[[0, 3]] = whole[[0, 3]]
    path = Path(
        whole, start, lambda now: head(now.sum(dim=1)), [(i, i + 1) for i in range(4)], np.ones(4, bool)
    )
    found = integrate(path, 1, 24)
    slopes = torch.zeros_like(whole)
    for a in (np.arange(2000) + 0.5) / 2000:
        now = (start + a * (whole - start)).requires_grad_()
        torch.softmax(head(now.sum(dim=0)), dim=0)[1].backward()
        slopes += now.grad / 2000
    vectors = ((whole - start) * slopes).numpy()
    assert found.scores == pytest.approx(vectors.sum(axis=1), abs=1e-5)
    assert found.norms == pytest.approx(np.sqrt((vectors**2).sum(axis=1)), abs=1e-5)
    assert found.scores[[0, 3]].tolist() == found.norms[[0, 3]].tolist() == [0, 0]
    assert found.scores.sum() == pytest.approx(found.value - found.baseline, abs=1e-5)


@pytest.mark.soak
def test_the_norms_of_an_encoder_are_those_of_a_slow_numeric_twin(folder):
    """Every number of every word's vector by central differences, without autograd and without a hook: the vectors of the words are
    written into the table of embeddings, at even steps. Each word of the row occurs once in it, and the blank never."""
    model = Encoder(folder, tuning="full", epochs=2, learning_rate=1e-2, device="cpu").fit(data(True))
    rows = Inputs(["the dog ran"], ["a cat sat"])
    (found,) = word_importance(model, rows, method="ig", field="both", target="yes", samples=48)
    table = model.network_.base.model.get_input_embeddings().weight
    ids = model.network_.base.tokenizer("a cat sat the dog ran", add_special_tokens=False)["input_ids"]
    own, blank, target = table[ids].detach().clone(), table[0].detach().clone(), model.labels_.index("yes")

    def chance(vectors):
        with torch.no_grad():
            table[ids] = vectors
            value = model.predict_proba(rows)[0, target]
            table[ids] = own
        return value

    slopes, n, h = np.zeros(tuple(own.shape)), 12, 1e-2
    for a in (np.arange(n) + 0.5) / n:
        at = blank + a * (own - blank)
        for place in np.ndindex(*own.shape):
            up, down = at.clone(), at.clone()
            up[place] += h
            down[place] -= h
            slopes[place] += (chance(up) - chance(down)) / (2 * h) / n
    vectors = (own - blank).numpy() * slopes
    assert found.words == ("a", "cat", "sat", "the", "dog", "ran")
    assert found.norms == pytest.approx(np.linalg.norm(vectors, axis=1), rel=0.05, abs=1e-4)
    assert found.scores == pytest.approx(vectors.sum(axis=1), rel=0.05, abs=1e-3)
    assert found.scores.sum() == pytest.approx(found.value - found.baseline, abs=1e-6)


def test_parts_that_fit_into_memory_give_the_same(models, monkeypatch):
    model, rows = models[False], Inputs(TEXTS[:1])
    whole = word_importance(model, rows, method="ig", samples=12)[0].scores
    monkeypatch.setattr("longway.models.importance.torch_gradients.TOKENS_AT_ONCE", 20)
    assert word_importance(model, rows, method="ig", samples=12)[0].scores == pytest.approx(whole, abs=1e-5)


def test_a_text_without_words_has_no_scores(models):
    (found,) = word_importance(models[False], Inputs([""]), method="ig")
    assert len(found.scores) == 0
    assert found.value == pytest.approx(found.baseline, abs=1e-5)
