"""Encoders, frozen and trained, on a random BERT of one layer; and what happens when a machine or a number gives up."""

import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest

from longway.errors import SettingError, TrainingError
from longway.models.catalog import load_model, model_named
from longway.models.classifier import Inputs, Labelled
from longway.models.importance import word_importance
from longway.models.objectives import CrossEntropy
from tests.models.toy import accuracy, agreements, reviews

torch = pytest.importorskip("torch", reason="torch is not installed")
pytest.importorskip("peft", reason="peft is not installed")

QUICK = {
    "frozen": {"strength": 1.0},
    "lora": {"learning_rate": 2e-2, "epochs": 6},
    "full": {"learning_rate": 3e-3, "epochs": 6},
}


@pytest.fixture
def epochs(monkeypatch):
    """The number of steps after each epoch of a training."""
    from longway.models.network_training import NetworkTraining

    steps, epoch = [], NetworkTraining._epoch

    def counted(self, rng):
        epoch(self, rng)
        steps.append(self.n_steps)

    monkeypatch.setattr(NetworkTraining, "_epoch", counted)
    return steps


def quick(folder, tuning, **options):
    return model_named(f"hf:{folder}-{tuning}", device="cpu", **{**QUICK[tuning], **options})


@pytest.mark.parametrize("tuning", ["frozen", "lora", "full"])
def test_texts_are_learned_and_come_back_from_disk(tiny_bert, tuning, tmp_path):
    rows = reviews(400 if tuning == "frozen" else 80)  # vectors of random weights tell little
    model = quick(tiny_bert, tuning).fit(rows)
    assert accuracy(model, reviews(seed=1)) >= 0.8
    model.save(tmp_path)
    again = load_model(tmp_path)
    np.testing.assert_allclose(again.logits(rows.inputs), model.logits(rows.inputs), atol=1e-5)
    assert {path.suffix for path in tmp_path.iterdir()} == {".json", ".safetensors"}


@pytest.mark.parametrize("tuning", ["frozen", "lora", "full"])
def test_of_a_model_with_a_decoder_the_encoder_is_used(tiny_encoder_decoder, tuning, tmp_path):
    rows = agreements(20)
    model = quick(tiny_encoder_decoder, tuning, **({} if tuning == "frozen" else {"epochs": 1})).fit(rows)
    for field in ("text", "context"):
        for scores in word_importance(model, rows.inputs, method="ig", field=field, samples=128):
            assert scores.scores.sum() == pytest.approx(scores.value - scores.baseline, abs=0.1)
            assert np.abs(scores.scores).max() > 0
    model.save(tmp_path)
    np.testing.assert_allclose(load_model(tmp_path).logits(rows.inputs), model.logits(rows.inputs), atol=1e-5)


@pytest.mark.parametrize("tuning", ["frozen", "lora", "full"])
def test_two_fits_say_the_same_and_another_seed_something_else(tiny_bert, tuning):
    rows = reviews(24)
    one, two, other = (
        quick(tiny_bert, tuning, seed=seed, **({} if tuning == "frozen" else {"epochs": 1}))
        .fit(rows)
        .logits(rows.inputs)
        for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, two)
    assert np.array_equal(one, other) == (tuning == "frozen")


@pytest.mark.parametrize("tuning", ["frozen", "full"])
def test_pairs_and_empty_texts_are_read(tiny_bert, tuning):
    rows = agreements(20)
    model = quick(tiny_bert, tuning, **({} if tuning == "frozen" else {"epochs": 1})).fit(rows)
    assert model.logits(Inputs(["", "We saw the film"], ["There was a film here", ""])).shape == (2, 2)
    assert model.logits(Inputs([], [])).shape == (0, 2)
    with pytest.raises(SettingError, match="learned from pairs, got texts alone"):
        model.logits(Inputs(["We saw the film"]))


def test_a_row_gets_the_same_logits_alone_and_among_longer_ones(tiny_bert):
    model = quick(tiny_bert, "full", epochs=1).fit(reviews(16))
    short, long = "A good film", "The film was a good book " * 9  # more than the 24 places there are
    together = model.logits(Inputs([short, long]))
    np.testing.assert_allclose(model.logits(Inputs([short]))[0], together[0], atol=1e-5)


def test_lora_trains_thin_matrices_and_the_head_only(tiny_bert):
    model = quick(tiny_bert, "lora", epochs=1).fit(reviews(16))
    trained = [name for name, p in model.network_.named_parameters() if p.requires_grad]
    assert all("lora" in name or name.startswith("head.") for name in trained)
    assert {name.split(".lora")[0].rpartition(".")[2] for name in trained if "lora" in name} == {
        "query",
        "value",
    }


def test_queries_and_values_are_found_by_any_of_their_names():
    from longway.models.encoder import attention_names

    def layer(*names):
        return torch.nn.Sequential(torch.nn.ModuleDict({name: torch.nn.Linear(2, 2) for name in names}))

    assert attention_names(layer("q_lin", "k_lin", "v_lin")) == ("q_lin", "v_lin")
    assert attention_names(layer("Wqkv", "Wo")) == ("Wqkv",)
    with pytest.raises(SettingError, match="no queries and values in Sequential"):
        attention_names(layer("dense"))


def test_it_stops_early_and_keeps_its_best_state(tiny_bert, offered):
    rows = reviews(20)
    stop = Labelled(rows.inputs, [{"pos": "neg", "neg": "pos"}[label] for label in rows.labels])
    model = quick(tiny_bert, "full", epochs=40, patience=1).fit(rows, validation=stop)
    assert len(offered) < 40
    assert accuracy(model, stop) == max(offered)


def test_patience_counts_the_checks_within_an_epoch(tiny_bert, epochs, offered):
    """60 rows in batches of 4 are 15 steps. Nothing improves on labels that are turned around."""
    rows = reviews(60)
    turned = Labelled(rows.inputs, [{"pos": "neg", "neg": "pos"}[label] for label in rows.labels])
    options = {"epochs": 40, "patience": 3, "batch": 4, "learning_rate": 1e-3}
    n_epochs = {}
    for check in (None, 3):
        model = quick(tiny_bert, "full", check=check, **options).fit(rows, validation=turned)
        n_epochs[check] = len(epochs)
        assert accuracy(model, turned) == max(offered)
        assert (epochs[-1] % 15 > 0) == (check is not None)  # the last epoch ends in the middle
        epochs.clear()
        offered.clear()
    assert n_epochs[3] < n_epochs[None]


def test_without_validation_rows_it_trains_all_epochs(tiny_bert, epochs):
    rows = reviews(24)
    nothing = Labelled(Inputs([]), [])
    model = quick(tiny_bert, "full", epochs=4, patience=1)
    model.fit(rows, validation=nothing)
    assert len(epochs) == 4


def test_weight_decay_and_warm_up_change_what_is_learned(tiny_bert):
    rows = reviews(24)
    plain, decayed, warm = (
        quick(tiny_bert, "full", epochs=1, **options).fit(rows).logits(rows.inputs)
        for options in ({}, {"weight_decay": 0.5}, {"warm_up": 0.9})
    )
    assert not np.array_equal(plain, decayed)
    assert not np.array_equal(plain, warm)


def test_rows_that_do_not_fit_are_cut_and_it_goes_on(tiny_bert, monkeypatch):
    """As if the GPU had room for 4 rows of 16: the result is that of the whole batch."""
    from longway.models import encoder

    rows = reviews(16)
    options = {"epochs": 1, "seed": 1}
    real = encoder.EncoderNetwork.forward

    def small_memory(self, some):
        if self.training and len(some) > 4:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return real(self, some)

    # Rows cut otherwise would draw other zeros, so none are drawn.
    monkeypatch.setattr(torch.nn.functional, "dropout", lambda x, *_, **__: x)
    wanted = quick(tiny_bert, "full", **options).fit(rows, validation=rows).logits(rows.inputs)
    monkeypatch.setattr(encoder.EncoderNetwork, "forward", small_memory)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        found = quick(tiny_bert, "full", **options).fit(rows, validation=rows).logits(rows.inputs)
    assert sum("do not fit into the GPU's memory" in str(w.message) for w in told) == 1
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_one_row_that_does_not_fit_is_told(tiny_bert, monkeypatch):
    from longway.models import encoder

    def no_memory(self, some):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(encoder.EncoderNetwork, "forward", no_memory)
    with (
        pytest.warns(UserWarning, match="do not fit"),
        pytest.raises(SettingError, match="One row alone does not fit"),
    ):
        quick(tiny_bert, "full").fit(reviews(16))


def test_a_loss_that_is_not_a_number_stops_with_advice(tiny_bert):
    weights = np.full(16, np.nan)
    objective = CrossEntropy(np.array([0, 1] * 8), weights=weights)
    with pytest.raises(TrainingError, match=r"not-a-number.*try a lower one, such as 1e-03"):
        quick(tiny_bert, "full").fit(reviews(16), objective=objective)


def test_an_encoder_that_cannot_be_had_is_told(monkeypatch, tmp_path):
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    rows = reviews(8)
    for tuning in ("frozen", "lora"):
        with pytest.raises(SettingError, match=r"no-such/encoder' cannot be read.*name the folder"):
            model_named(f"hf:no-such/encoder-{tuning}").fit(rows)
    with pytest.raises(SettingError, match="cannot be read"):
        model_named(f"hf:{tmp_path}-full").fit(rows)


def test_other_weights_than_those_it_was_trained_on_are_told(tiny_bert, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(tiny_bert, copy)
    for tuning in ("frozen", "lora"):
        options = {} if tuning == "frozen" else {"epochs": 1}
        quick(copy, tuning, **options).fit(reviews(8)).save(tmp_path / tuning)
    from longway.models.saved import folder_hash

    (Path(copy) / "tokenizer_config.json").write_text("{}")
    folder_hash.cache_clear()
    for tuning in ("frozen", "lora"):
        with pytest.raises(SettingError, match="with other files"):
            load_model(tmp_path / tuning)


def test_vectors_are_kept_between_runs(tiny_bert, tmp_path, monkeypatch):
    from longway.models.pretrained import Pretrained

    options = {"cache": tmp_path / "v.sqlite"}
    first = quick(tiny_bert, "frozen", **options).fit(reviews())

    def computed_again(self, texts, *, max_tokens):
        raise AssertionError(f"{len(texts)} texts were computed again")

    monkeypatch.setattr(Pretrained, "embed", computed_again)
    second = quick(tiny_bert, "frozen", **options).fit(reviews())
    np.testing.assert_array_equal(first.logits(reviews().inputs), second.logits(reviews().inputs))


def test_candidates_are_ranked_by_a_question_as_a_whole(tiny_bert):
    """Questions have two or three candidates, one of them a praise, at every place."""
    from longway.models.ranking import EncoderRanker  # needs torch

    bad, good = reviews(400).inputs.texts[::2], reviews(400).inputs.texts[1::2]
    asked, right = [], []
    for i in range(150):
        candidates = list(bad[i : i + 1 + i % 2])
        right.append(i % (len(candidates) + 1))
        candidates.insert(right[-1], good[i])
        asked.append(("We saw the", candidates))
    model = EncoderRanker(tiny_bert, tuning="full", device="cpu", **QUICK["full"])
    model.fit_questions(asked[:120], right[:120])
    ends = np.cumsum([len(candidates) for _, candidates in asked[120:]])
    picked = [int(np.argmax(part)) for part in np.split(model.scores(asked[120:]), ends[:-1])]
    assert np.mean(np.array(picked) == right[120:]) >= 0.8
