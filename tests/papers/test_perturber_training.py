"""papers/perturbation/train.py trains for real: a small network learns he and she from scratch."""

import json
import math
from dataclasses import replace

import pytest

from longway.english.people.words import parse_attribute
from longway.methods.perturb.neural import NeuralPerturber
from longway.metrics.bleu import sacre_bleu
from panda import PandaRow
from tests.methods.perturb.toy_sentences import learned, request_of, toy_rows

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
training = pytest.importorskip("train")
Training, held_out, options_of = training.Training, training.held_out, training.options_of
SHORT = ("--epochs=3", "--batch-size=16")


@pytest.fixture(autouse=True)
def one_thread():
    """So small a network gains nothing from two, and where cores are busy it loses much."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def weights_in(folder):
    from safetensors.torch import load_file

    return load_file(folder / "model.safetensors")


def prepared(rows, tmp_path, *options, base="tiny"):
    """A training that has not begun; a few rows are for validation."""
    told = ["FILE", "--base", str(base), "--out", str(tmp_path / "model"), "--device", "cpu", *options]
    return Training(rows, rows[:5], options_of(told))


@pytest.mark.soak
def test_a_small_network_learns_to_perturb_sentences_it_has_never_seen(tmp_path):
    rows = toy_rows(1400)
    learn, stop = held_out(rows[:1200], 0)
    about = learned("tiny", learn, tmp_path, "--epochs=7", "--batch-size=32", validation=stop)
    found = NeuralPerturber(tmp_path, batch_size=64).perturb([request_of(row) for row in rows[1200:]])
    right = sum(done.segments == row.after for done, row in zip(found, rows[1200:], strict=True))
    assert right / 200 >= 0.8
    losses = [epoch["validation_loss"] for epoch in about["epochs"]]
    assert min(losses) < 0.2 < losses[0]
    assert {path.suffix for path in tmp_path.iterdir()} <= {".json", ".safetensors"}  # no pickle


def test_the_folder_says_what_the_model_is_and_what_it_writes_for_the_validation_rows(tmp_path):
    rows = toy_rows(30)
    about = learned("tiny", rows, tmp_path, *SHORT, "--form=released", validation=rows[:6])
    assert json.loads((tmp_path / "perturber.json").read_text()) == about
    assert (about["form"], about["rows"], about["validation_rows"]) == ("released", 30, 6)
    assert (about["settings"]["base"], about["settings"]["lr"]) == ("tiny", 3e-3)
    perturber = NeuralPerturber(tmp_path)
    assert perturber.form.name == "released"
    before, wanted = ([getattr(row, side)[0] for row in rows[:6]] for side in ("before", "after"))
    wrote = [one.segments[0] for one in perturber.perturb([request_of(row) for row in rows[:6]])]
    scores = about["validation"]
    assert scores["copied"] == pytest.approx(sacre_bleu(before, wanted))
    assert scores["source"] == pytest.approx(sacre_bleu(wrote, before))
    assert scores["people"] == pytest.approx(sacre_bleu(wrote, wanted))
    best = min(epoch["validation_loss"] for epoch in about["epochs"])
    assert scores["perplexity"] == pytest.approx(math.exp(best))


def test_training_stops_when_validation_gets_no_better_and_keeps_the_best_weights(tmp_path, monkeypatch):
    losses, seen = iter([3.0, 2.0, 2.5, 2.2, 1.0]), []

    def scripted(self):
        seen.append({name: value.clone() for name, value in self.network.model.state_dict().items()})
        return next(losses)

    monkeypatch.setattr(Training, "validation_loss", scripted)
    rows = toy_rows(20)
    about = learned("tiny", rows, tmp_path, "--epochs=9", "--batch-size=16", "--patience=2", validation=rows)
    assert [epoch["validation_loss"] for epoch in about["epochs"]] == [3.0, 2.0, 2.5, 2.2]
    kept = weights_in(tmp_path)
    assert all(torch.equal(kept[name], seen[1][name]) for name in kept)
    assert not all(torch.equal(kept[name], seen[3][name]) for name in kept)


def test_on_a_plateau_the_learning_rate_falls(tmp_path, monkeypatch):
    losses = iter([3.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    monkeypatch.setattr(Training, "validation_loss", lambda self: next(losses))
    epochs = prepared(toy_rows(20), tmp_path, "--epochs=6", "--batch-size=16", "--lr-patience=1").run()
    rate = training.RATE_FROM_SCRATCH
    assert [epoch["learning_rate"] for epoch in epochs] == pytest.approx([rate] * 4 + [rate / 100] * 2)


def test_validations_during_the_warm_up_do_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr(Training, "validation_loss", lambda self: 1.0)
    monkeypatch.setattr(Training, "epoch", lambda self, number: setattr(self, "steps", self.steps + 2) or 1.0)
    job = prepared(toy_rows(40), tmp_path, "--epochs=7", "--batch-size=20", "--lr-patience=0")
    job.warm = 8
    rates = [epoch["learning_rate"] for epoch in job.run()]
    assert rates == pytest.approx(
        [job.rate] * 6 + [job.rate / 100]
    )  # the fifth is the best, the sixth no lower


def test_the_warm_up_grows_to_the_full_rate_and_never_takes_more_than_a_tenth(tmp_path):
    job = prepared(toy_rows(100), tmp_path, "--epochs=10", "--batch-size=10")
    assert job.warm == 10  # of 100 steps
    rates = []
    for _ in range(12):
        job.step(job.learn[:1])
        rates.append(job.optimizer.param_groups[0]["lr"] / job.rate)
    assert rates == pytest.approx([n / 10 for n in range(1, 11)] + [1, 1])


def test_a_batch_in_pieces_is_the_same_step(tmp_path, monkeypatch):
    rows = toy_rows(30)
    whole = prepared(rows, tmp_path, "--batch-size=16")
    loss = whole.epoch(1)
    monkeypatch.setattr(training, "PIECE", 60)
    parts = prepared(rows, tmp_path, "--batch-size=16")
    assert parts.epoch(1) == pytest.approx(loss, rel=1e-4)
    assert parts.validation_loss() == pytest.approx(whole.validation_loss(), rel=1e-3)


@pytest.mark.parametrize("kind", ["tiny", "causal"])
def test_the_loss_is_the_mean_over_the_tokens_that_are_written(tmp_path, bases, kind):
    """The slow twin: one text at a time, the log-probability of each token looked up."""
    job = prepared(toy_rows(5), tmp_path, base=kind if kind == "tiny" else bases(kind))
    job.network.model.eval()
    total = n = 0
    for example in job.stop:
        with torch.inference_mode():
            scores = torch.log_softmax(job.network.model(**training.batch(job.network, [example])).logits[0], -1)  # fmt: skip
        shift = int(job.network.is_causal)  # what stands at a place says what comes next
        for place, label in enumerate(example.labels):
            if label != -100:
                total, n = total - float(scores[place - shift][label]), n + 1
    assert job.validation_loss() == pytest.approx(total / n, rel=1e-5)


def test_another_architecture_is_trained_from_a_folder(tmp_path, bases):
    rows = toy_rows(20)
    learned(bases("t5"), rows, tmp_path, "--epochs=1", "--batch-size=8", validation=rows[:2])
    network = NeuralPerturber(tmp_path).network
    assert network.tokenizer.convert_tokens_to_ids("<PERT_SEP>") < network.model.config.vocab_size


def test_texts_kept_aside_are_not_learned_from():
    rows = toy_rows(50)
    twice = [*rows, *(replace(row, word="the") for row in rows)]
    learn, stop = held_out(twice, seed=3)
    assert len(stop) == 10
    assert not {row.before for row in learn} & {row.before for row in stop}
    assert sorted(map(repr, [*learn, *stop])) == sorted(map(repr, twice))


def test_rows_that_are_too_long_are_left_out_and_too_few_rows_are_told(tmp_path):
    long = PandaRow(("he " * 600,), "he", parse_attribute("woman"), ("she " * 600,))
    assert prepared([*toy_rows(20), long], tmp_path).too_long == 1
    with pytest.raises(SystemExit, match="At least two texts"):
        prepared([long], tmp_path)
    assert held_out(toy_rows(1), 0)[1] == []


def test_the_defaults_are_table_10():
    options = options_of(["FILE", "--out", "DIR"])
    assert (options.base, options.batch_size, options.patience) == ("facebook/bart-large", 64, 10)
    assert (training.WARM_UP, training.CLIP, training.WEIGHT_DECAY, options.lr_decay) == (1200, 0.1, 0.01, 0.01)  # fmt: skip
    assert (training.RATE, training.BETAS, training.EPSILON) == (1e-5, (0.9, 0.999), 1e-8)


def test_a_loss_that_is_no_number_is_told(tmp_path):
    job = prepared(toy_rows(10), tmp_path)
    with torch.no_grad():
        next(job.network.model.parameters()).fill_(math.nan)
    with pytest.raises(SystemExit, match="Try --lr 1e-03"):
        job.run()
