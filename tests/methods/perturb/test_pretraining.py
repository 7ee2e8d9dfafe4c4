"""Masked language models trained on two versions of a corpus: same order, same masks, and resumed as if undisturbed."""

from dataclasses import replace

import numpy as np
import pytest

from longway.errors import DataError, SettingError, TrainingError
from longway.methods.perturb import pretraining
from longway.methods.perturb.pretraining import (
    Masking,
    NewEncoder,
    PretrainingPlan,
    held_out_losses,
    load_encoder,
    pack,
    train,
)
from tests.tiny_language_models import save_bert

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
SHORT = PretrainingPlan(steps=6, batch=4, learning_rate=3e-3)
PAIRS = [
    (f"She sold her {thing} to the nurse .", f"Jonathan sold his {thing} to the nurse .") for thing in "hat boat cat dog car old young kind rude baker".split() * 4
]  # fmt: skip


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setitem(pretraining.SIZES, "tiny", NewEncoder(2, 32, 2, 300))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def new_encoder():
    return load_encoder("new:tiny", [text for pair in PAIRS for text in pair], length=16, device="cpu")


def weights_of(encoder):
    return {name: value.clone() for name, value in encoder.model.state_dict().items()}


def are_equal(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


# Packing


def test_both_versions_of_a_window_begin_at_the_same_place():
    encoder = new_encoder()
    packed = pack(PAIRS, encoder, length=16)
    assert packed.before.shape == packed.after.shape == (len(packed.before), 16)
    pad, end = encoder.tokenizer.pad_token_id, encoder.between
    for side, place in ((packed.before, 0), (packed.after, 1)):
        assert (side[:, 0] == encoder.begin).all()
        flat = [token for token in side[:, 1:].flatten().tolist() if token != pad]
        texts = encoder.tokenizer.decode(flat).split(encoder.tokenizer.decode([end]))
        assert texts == [*(pair[place] for pair in PAIRS), ""]
    ends = [np.flatnonzero(side[:, 1:].flatten() == end) for side in (packed.before, packed.after)]
    longest = [max(len(encoder.tokenizer(text)["input_ids"]) - 1 for text in pair) for pair in PAIRS]
    for side, found in zip(
        (0, 1), ends, strict=True
    ):  # a window begins where the longer version of those before it ends
        starts = np.cumsum([0, *longest[:-1]])
        own = [len(encoder.tokenizer(pair[side])["input_ids"]) - 1 for pair in PAIRS]
        assert found.tolist() == (starts + own - 1).tolist()


def test_equal_texts_are_packed_without_padding_but_at_the_end():
    encoder = new_encoder()
    packed = pack([(before, before) for before, _ in PAIRS], encoder, length=16)
    assert np.array_equal(packed.before, packed.after)
    assert (packed.before[:-1] != encoder.tokenizer.pad_token_id).all()


def test_a_length_that_the_model_cannot_read_and_a_corpus_without_text_are_refused():
    encoder = new_encoder()
    with pytest.raises(SettingError, match="'length' must be from 8 to 128"):
        pack(PAIRS, encoder, length=129)
    with pytest.raises(DataError, match="no text to train on"):
        pack([], encoder, length=16)


# Masks


def test_the_same_positions_are_masked_in_both_versions_and_no_special_token():
    encoder = new_encoder()
    masking, packed = Masking(encoder), pack(PAIRS, encoder, length=16)
    found = []
    for side in (packed.before, packed.after):
        torch.manual_seed(3)
        ids = torch.from_numpy(side).long()
        places, hidden, labels = masking._masked(ids)
        found.append(places)
        is_learned = labels != -100
        own = ids.gather(1, places)
        assert torch.equal(labels[is_learned], own[is_learned])
        assert not torch.isin(own[is_learned], masking.special).any()
        changed = (hidden != ids).nonzero().tolist()
        learned = {(row, place) for row, some in enumerate(places.tolist()) for place in some}
        assert {tuple(one) for one in changed} <= learned
    # Only where one version has a special token or padding and the other has not can they differ.
    same = torch.from_numpy(packed.before == packed.after).all(dim=1)
    assert torch.equal(found[0][same], found[1][same])


def test_most_masked_tokens_are_hidden_some_replaced_and_some_kept():
    encoder = new_encoder()
    masking = Masking(encoder)
    ids = torch.full((400, 100), int(encoder.tokenizer("cat", add_special_tokens=False)["input_ids"][0]))
    _, hidden, labels = masking._masked(ids)
    assert labels.shape == (400, 15)
    n = labels.numel()
    assert (hidden == masking.mask).sum().item() / n == pytest.approx(0.8, abs=0.03)
    kept = 15 * 400 - (hidden != ids).sum().item()
    assert kept / n == pytest.approx(0.1, abs=0.03)


def test_a_roberta_computes_the_same_loss_as_the_model_with_labels():
    """The slow twin: transformers' own loss over all positions."""
    encoder = new_encoder()
    encoder.model.eval()
    ids = torch.from_numpy(pack(PAIRS, encoder, length=16).before).long()
    masking = Masking(encoder)
    torch.manual_seed(5)
    sums, counts = masking.losses(ids)
    torch.manual_seed(5)
    places, hidden, labels = masking._masked(ids)
    everywhere = torch.full_like(ids, -100).scatter(1, places, labels)
    slow = encoder.model(input_ids=hidden, attention_mask=ids != masking.pad, labels=everywhere).loss
    assert (sums.sum() / counts.sum()).item() == pytest.approx(slow.item(), rel=1e-5)


def test_held_out_text_is_scored_with_the_same_masks_each_time():
    encoder = new_encoder()
    sequences = pack(PAIRS, encoder, length=16).before
    first, again = (held_out_losses(encoder, sequences) for _ in range(2))
    assert first == again
    assert all(total < 0 for total in first[0])
    assert all(n == 2 for n in first[1][:-1])


# Training


def test_training_lowers_the_loss_on_what_it_reads(tmp_path):
    encoder = new_encoder()
    sequences = pack(PAIRS, encoder, length=16).before
    before = -sum(held_out_losses(encoder, sequences)[0])
    losses = train(encoder, sequences, replace(SHORT, steps=60, batch=8), tmp_path)
    assert -sum(held_out_losses(encoder, sequences)[0]) < 0.8 * before
    assert len(losses) == 3
    assert losses[-1] < losses[0]


def test_a_training_that_was_stopped_ends_as_if_it_had_not_been(tmp_path, monkeypatch):
    monkeypatch.setattr(pretraining, "SAVE_EVERY", 0.0)
    monkeypatch.setattr(pretraining, "NOTED", 2)
    whole, stopped, resumed = (new_encoder() for _ in range(3))
    sequences = pack(PAIRS, whole, length=16).after
    losses = train(whole, sequences, SHORT, tmp_path / "whole")

    def stop(done, of):
        if done == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train(stopped, sequences, SHORT, tmp_path / "stopped", progress=stop)
    done = []
    again = train(resumed, sequences, SHORT, tmp_path / "stopped", progress=lambda n, of: done.append(n))
    assert done == [5, 6]  # four steps are not repeated
    assert again == pytest.approx(losses, rel=1e-6)
    assert are_equal(weights_of(resumed), weights_of(whole))


def test_another_seed_is_another_training(tmp_path):
    first, second = new_encoder(), new_encoder()
    sequences = pack(PAIRS, first, length=16).before
    assert are_equal(weights_of(first), weights_of(second))
    train(first, sequences, SHORT, tmp_path / "first")
    train(second, sequences, replace(SHORT, seed=1), tmp_path / "second")
    assert not are_equal(weights_of(first), weights_of(second))


def test_any_masked_model_is_trained_further_and_saved_as_safetensors(tmp_path):
    encoder = load_encoder(f"hf:{save_bert(tmp_path / 'bert')}", device="cpu")
    before = weights_of(encoder)
    pairs = [("the nurse is kind .", "the nurse is old .")] * 20
    train(encoder, pack(pairs, encoder, length=12).after, SHORT, tmp_path / "checkpoints")
    assert not are_equal(weights_of(encoder), before)
    encoder.save(tmp_path / "trained", more={"losses.json": [1.0]})
    again = load_encoder(f"hf:{tmp_path / 'trained'}", device="cpu")
    assert are_equal(weights_of(again), weights_of(encoder))
    assert {path.suffix for path in (tmp_path / "trained").iterdir()} == {".json", ".safetensors"}


def test_a_rate_that_is_too_high_is_named(tmp_path):
    encoder = new_encoder()
    sequences = pack(PAIRS, encoder, length=16).before
    with torch.no_grad():
        next(encoder.model.parameters()).fill_(float("nan"))
    with pytest.raises(TrainingError, match="Try a lower one"):
        train(encoder, sequences, SHORT, tmp_path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("new:huge", "new:tiny, new:small"),
        ("roberta-base", "hf:FOLDER_OR_NAME"),
        ("hf:", "hf:FOLDER_OR_NAME"),
    ],
)
def test_a_name_of_no_model_is_answered_with_those_there_are(name, words):
    with pytest.raises(SettingError, match=words):
        load_encoder(name)


def test_an_encoder_without_a_head_is_refused(tmp_path):
    with pytest.raises(SettingError, match="names no masked-language-model head"):
        load_encoder(f"hf:{save_bert(tmp_path / 'bert', head=False)}")
