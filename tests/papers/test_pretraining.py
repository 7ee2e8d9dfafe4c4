"""papers/perturbation/pretrain.py: masked language models trained on two versions of a corpus, with the same order and masks."""

from argparse import Namespace

import numpy as np
import pytest

from tests.tiny_language_models import save_bert

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pretrain = pytest.importorskip("pretrain")
loss_of, make_part, masked, new_encoder = (
    pretrain.loss_of,
    pretrain.make_part,
    pretrain.masked,
    pretrain.new_encoder,
)
pack, perplexity, read_encoder, train = (
    pretrain.pack,
    pretrain.perplexity,
    pretrain.read_encoder,
    pretrain.train,
)
OPTIONS = Namespace(model="tiny", steps=6, batch=4, lr=3e-3)
PAIRS = [
    (f"She sold her {thing} to the nurse .", f"Jonathan sold his {thing} to the nurse .") for thing in "hat boat cat dog car old young kind rude baker".split() * 4
]  # fmt: skip


@pytest.fixture(autouse=True)
def small(monkeypatch):
    monkeypatch.setitem(pretrain.SIZES, "tiny", (2, 32, 2, 300))
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def encoder_of_pairs():
    return new_encoder("tiny", [text for pair in PAIRS for text in pair], length=16, seed=0)


def weights_of(encoder):
    return {name: value.clone() for name, value in encoder.model.state_dict().items()}


def are_equal(one, other):
    return all(torch.equal(one[name], other[name]) for name in one)


def test_each_window_has_its_own_person_changed_and_the_rest_is_kept(tmp_path):
    pytest.importorskip("spacy")
    windows = [(0, "Mary sold a boat in May."), (0, "The hat was old."), (1, "John left his town.")]
    make_part(tmp_path / "part-0000.jsonl", windows, Namespace(perturber="rules", sampling="uniform", seed=0))
    made = pretrain.rows_in(tmp_path / "part-0000.jsonl")
    assert [(one["document"], one["before"]) for one in made] == windows
    assert [bool(one["change"]) for one in made] == [one["after"] != one["before"] for one in made]
    assert made[0]["change"]
    assert made[1]["change"] == []


def test_both_versions_of_a_window_begin_at_the_same_place():
    encoder = encoder_of_pairs()
    packed = pack(PAIRS, encoder, length=16)
    assert packed[0].shape == packed[1].shape == (len(packed[0]), 16)
    pad, end = encoder.tokenizer.pad_token_id, encoder.tokenizer.eos_token_id
    for place, side in enumerate(packed):
        assert (side[:, 0] == encoder.tokenizer.bos_token_id).all()
        flat = [token for token in side[:, 1:].flatten().tolist() if token != pad]
        texts = encoder.tokenizer.decode(flat).split(encoder.tokenizer.decode([end]))
        assert texts == [*(pair[place] for pair in PAIRS), ""]
    sizes = [[len(encoder.tokenizer(text)["input_ids"]) - 1 for text in pair] for pair in PAIRS]
    starts = np.cumsum([0, *(max(both) for both in sizes[:-1])])  # after the longer version of those before
    for place, side in enumerate(packed):
        own = [both[place] for both in sizes]
        assert np.flatnonzero(side[:, 1:].flatten() == end).tolist() == (starts + own - 1).tolist()


def test_equal_texts_are_packed_without_padding_but_at_the_end():
    encoder = encoder_of_pairs()
    before, after = pack([(before, before) for before, _ in PAIRS], encoder, length=16)
    assert np.array_equal(before, after)
    assert (before[:-1] != encoder.tokenizer.pad_token_id).all()
    with pytest.raises(SystemExit, match="--length must be from 8 to 128"):
        pack(PAIRS, encoder, length=129)


def test_the_same_positions_are_masked_in_both_versions_and_no_special_token():
    encoder = encoder_of_pairs()
    special, found = torch.tensor(encoder.tokenizer.all_special_ids), []
    packed = pack(PAIRS, encoder, length=16)
    for side in packed:
        torch.manual_seed(3)
        ids = torch.from_numpy(side)
        places, hidden, labels = masked(ids, encoder.tokenizer)
        found.append(places)
        own = ids.gather(1, places)[labels != -100]
        assert torch.equal(labels[labels != -100], own)
        assert not torch.isin(own, special).any()
        changed = {tuple(one) for one in (hidden != ids).nonzero().tolist()}
        assert changed <= {(row, place) for row, some in enumerate(places.tolist()) for place in some}
    same = torch.from_numpy(packed[0] == packed[1]).all(dim=1)
    assert torch.equal(found[0][same], found[1][same])


def test_most_masked_tokens_are_hidden_some_replaced_and_some_kept():
    tokenizer = encoder_of_pairs().tokenizer
    ids = torch.full((400, 100), int(tokenizer("cat", add_special_tokens=False)["input_ids"][0]))
    _, hidden, labels = masked(ids, tokenizer)
    assert labels.shape == (400, 15)
    n = labels.numel()
    assert (hidden == tokenizer.mask_token_id).sum().item() / n == pytest.approx(0.8, abs=0.03)
    assert (n - (hidden != ids).sum().item()) / n == pytest.approx(0.1, abs=0.03)


def test_the_loss_is_that_of_the_model_with_labels():
    """The slow twin: transformers' own loss over all positions."""
    encoder = encoder_of_pairs()
    encoder.model.eval()
    sequences = pack(PAIRS, encoder, length=16)[0]
    torch.manual_seed(5)
    loss, n = loss_of(encoder, sequences)
    torch.manual_seed(5)
    ids = torch.from_numpy(sequences)
    places, hidden, labels = masked(ids, encoder.tokenizer)
    everywhere = torch.full_like(ids, -100).scatter(1, places, labels)
    mask = ids != encoder.tokenizer.pad_token_id
    slow = encoder.model(input_ids=hidden, attention_mask=mask, labels=everywhere).loss
    assert (loss / n).item() == pytest.approx(slow.item(), rel=1e-5)


def test_training_lowers_the_loss_on_what_it_reads_and_depends_on_the_seed():
    encoder, same, other = (encoder_of_pairs() for _ in range(3))
    sequences = pack(PAIRS, encoder, length=16)[0]
    before = perplexity(encoder, sequences, 0)
    assert perplexity(encoder, sequences, 0) == before  # the same masks
    train(encoder, sequences, 0, Namespace(**{**vars(OPTIONS), "steps": 60, "batch": 8}))
    assert perplexity(encoder, sequences, 0) < 0.6 * before
    assert are_equal(weights_of(same), weights_of(other))
    train(same, sequences, 0, OPTIONS)
    train(other, sequences, 1, OPTIONS)
    assert not are_equal(weights_of(same), weights_of(other))


def test_any_masked_model_is_trained_further_and_saved_as_safetensors(tmp_path):
    encoder = read_encoder(str(save_bert(tmp_path / "bert")), "cpu")
    before = weights_of(encoder)
    pairs = [("the nurse is kind .", "the nurse is old .")] * 20
    train(encoder, pack(pairs, encoder, length=12)[1], 0, OPTIONS)
    assert not are_equal(weights_of(encoder), before)
    encoder.save(tmp_path / "trained")
    assert are_equal(weights_of(read_encoder(str(tmp_path / "trained"), "cpu")), weights_of(encoder))
    assert {path.suffix for path in (tmp_path / "trained").iterdir()} == {".json", ".safetensors"}


def test_a_rate_that_is_too_high_is_named():
    encoder = encoder_of_pairs()
    sequences = pack(PAIRS, encoder, length=16)[0]
    with torch.no_grad():
        next(encoder.model.parameters()).fill_(float("nan"))
    with pytest.raises(SystemExit, match="Try --lr 1e-03"):
        train(encoder, sequences, 0, OPTIONS)
