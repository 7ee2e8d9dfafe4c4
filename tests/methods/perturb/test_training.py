"""Training a perturber for real: a small network learns he and she from scratch; killed, it ends as if it had not been."""

import math
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.people.demographics import parse_attribute
from longway.errors import DataError, RunError, SettingError, TrainingError
from longway.methods.perturb import training
from longway.methods.perturb.neural import NeuralPerturber
from longway.methods.perturb.panda import PandaRow, fingerprint_of, write_panda
from longway.methods.perturb.training import TrainingPlan, train
from longway.metrics.bleu import sacre_bleu
from longway.store.atomic import read_json
from tests.methods.perturb.toy_sentences import request_of, toy_rows

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
SHORT = TrainingPlan(epochs=3, batch_size=16)


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


def are_equal(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[name], other[name]) for name in one)


@pytest.mark.soak
def test_a_small_network_learns_to_perturb_sentences_it_has_never_seen(tmp_path):
    rows = toy_rows(1400)
    learn, unseen = rows[:1200], rows[1200:]
    plan = TrainingPlan(epochs=7, batch_size=32)
    trained = train("tiny", learn, tmp_path / "model", plan=plan)
    perturber = NeuralPerturber(trained.folder, batch_size=64)
    found = perturber.perturb([request_of(row) for row in unseen])
    right = sum(done.segments == row.after for done, row in zip(found, unseen, strict=True))
    assert right / len(unseen) >= 0.8
    assert trained.best.validation_loss < 0.2 < trained.epochs[0].validation_loss
    assert not (trained.folder / "checkpoints").exists()
    assert {path.suffix for path in trained.folder.iterdir()} <= {".json", ".safetensors"}  # no pickle


@pytest.mark.soak
def test_a_training_that_was_killed_ends_as_if_it_had_not_been(tmp_path):
    rows = toy_rows(60)
    whole = train("tiny", rows, tmp_path / "whole", plan=SHORT)
    write_panda(rows, tmp_path / "rows.jsonl")
    script = f"""
import time, torch
from pathlib import Path
from longway.methods.perturb.panda import read_panda
from longway.methods.perturb.training import TrainingPlan, train

torch.set_num_threads(1)
def stuck(done, of):
    if list(Path("killed/checkpoints").glob("epoch-0002")):
        print("in the middle of epoch 3", flush=True)
        time.sleep(600)

train("tiny", read_panda("rows.jsonl").rows, Path("killed"), plan={SHORT!r}, progress=stuck)
"""
    child = subprocess.Popen([sys.executable, "-c", script], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert "epoch 3" in child.stdout.readline()
    child.kill()
    child.wait()
    done = []
    again = train("tiny", rows, tmp_path / "killed", plan=SHORT, progress=lambda n, of: done.append((n, of)))
    assert done[0] == (9, 12)  # two epochs of four batches are not trained again
    assert again.epochs == whole.epochs
    assert are_equal(weights_in(again.folder), weights_in(whole.folder))


def test_the_same_training_again_trains_nothing_and_another_one_is_told(tmp_path):
    rows = toy_rows(30)
    first = train("tiny", rows, tmp_path / "model", plan=SHORT)
    again = train(
        "tiny", rows, tmp_path / "model", plan=SHORT, progress=lambda n, of: pytest.fail("trained again")
    )
    assert again == first
    with pytest.raises(RunError, match=r"contains another run\. .* seed"):
        train("tiny", rows, tmp_path / "model", plan=replace(SHORT, seed=1))
    with pytest.raises(RunError, match="the data"):
        train("tiny", rows[:-1], tmp_path / "model", plan=SHORT)


def test_the_folder_says_what_the_model_is(tmp_path):
    rows = toy_rows(30)
    trained = train("tiny", rows, tmp_path / "model", plan=replace(SHORT, form="released"))
    about = read_json(trained.folder / "perturber.json")
    assert (about["form"], about["kind"], about["rows"], about["validation_rows"]) == (
        "released",
        "seq2seq",
        27,
        3,
    )
    assert about["settings"]["base"] == "tiny"
    assert about["fingerprint"] == fingerprint_of(rows)
    assert about["settings"]["batch_size"] == 16
    assert NeuralPerturber(trained.folder).form.name == "released"
    assert read_json(trained.folder / "run.json")["state"] == "done"


def test_training_stops_when_validation_gets_no_better_and_keeps_the_best_weights(tmp_path, monkeypatch):
    losses, seen = iter([3.0, 2.0, 2.5, 2.2, 1.0]), []

    def scripted(self):
        seen.append({name: value.clone() for name, value in self.network.model.state_dict().items()})
        return next(losses)

    monkeypatch.setattr(training._Training, "_validation_loss", scripted)
    plan = TrainingPlan(epochs=9, batch_size=16, patience=2)
    trained = train("tiny", toy_rows(20), tmp_path / "model", plan=plan)
    assert [epoch.validation_loss for epoch in trained.epochs] == [3.0, 2.0, 2.5, 2.2]
    assert trained.best.number == 2
    kept = weights_in(trained.folder)
    assert all(torch.equal(kept[name], seen[1][name]) for name in kept)
    assert not all(torch.equal(kept[name], seen[3][name]) for name in kept)


@given(
    losses=st.lists(st.sampled_from([1.0, 2.0, 2.0001, 2.5, 3.0]), max_size=14),
    patience=st.integers(0, 4),
    decay=st.sampled_from([0.01, 0.5, 1.0]),
)
def test_the_learning_rate_decays_as_by_reduce_lr_on_plateau(losses, patience, decay):
    """ParlAI's default scheduler is torch's; its `eps` only ignores changes below 1e-8."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
    scheduler = None
    if decay < 1:  # torch refuses a factor that changes nothing, and so does ParlAI
        scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(
            optimizer, "min", factor=decay, patience=patience, eps=0
        )
        for loss in losses:
            scheduler.step(loss)
    theirs = optimizer.param_groups[0]["lr"]
    assert training.plateau_factor(losses, decay=decay, patience=patience) == pytest.approx(theirs)


def test_on_a_plateau_the_learning_rate_falls_and_the_folder_says_so(tmp_path, monkeypatch):
    losses = iter([3.0, 2.0, 2.0, 2.0, 2.0, 2.0])
    monkeypatch.setattr(training._Training, "_validation_loss", lambda self: next(losses))
    plan = TrainingPlan(epochs=6, batch_size=16, decay_patience=1)
    trained = train("tiny", toy_rows(20), tmp_path / "model", plan=plan)
    rate = training.LEARNING_RATE_FROM_SCRATCH
    rates = [epoch.learning_rate for epoch in trained.epochs]
    assert rates == pytest.approx([rate, rate, rate, rate, rate / 100, rate / 100])
    assert read_json(trained.folder / "perturber.json")["epochs"][-1]["learning_rate"] == rates[-1]


def test_validations_during_the_warm_up_do_not_count(tmp_path):
    run = training.Run.open(tmp_path / "run", command="x", settings={}, fingerprint="x")
    rows = toy_rows(40)
    plan = TrainingPlan(epochs=100, batch_size=20, warm_up=8, decay_patience=0)
    job = training._Training("tiny", rows, rows[:5], run, plan, "cpu")  # two steps an epoch: four are warm-up
    job.epochs = [training.TrainedEpoch(n, 1.0, 1.0, n == 1) for n in range(1, 5)]
    assert job._pace(8) == 1.0
    job.epochs += [training.TrainedEpoch(n, 1.0, 1.0, False) for n in (5, 6)]
    assert job._pace(12) == 0.01  # the first after the warm-up is the best so far, the second is no lower


def test_the_validation_rows_are_rewritten_at_the_end(tmp_path):
    rows = toy_rows(20)
    plan = TrainingPlan(epochs=2, batch_size=8)
    trained = train("tiny", rows, tmp_path / "model", plan=plan, validation=rows[:6])
    scores = trained.validation
    before, wanted = ([getattr(row, side)[0] for row in rows[:6]] for side in ("before", "after"))
    done = NeuralPerturber(trained.folder).perturb([request_of(row) for row in rows[:6]])
    wrote = [one.segments[0] for one in done]
    assert (scores.rows, scores.refused) == (6, sum(bool(one.reason) for one in done))
    assert scores.copied == pytest.approx(sacre_bleu(before, wanted))
    assert scores.source == pytest.approx(sacre_bleu(wrote, before))
    assert scores.people == pytest.approx(sacre_bleu(wrote, wanted))
    assert trained.best.perplexity == pytest.approx(math.exp(trained.best.validation_loss))
    assert read_json(trained.folder / "perturber.json")["validation"]["rows"] == 6


def test_without_the_packages_for_bleu_training_ends_all_the_same(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "find_spec", lambda name: None)
    trained = train("tiny", toy_rows(10), tmp_path / "model", plan=TrainingPlan(epochs=1, batch_size=8))
    assert trained.validation is None


def test_a_batch_in_pieces_is_the_same_step(tmp_path, monkeypatch):
    rows = toy_rows(30)
    plan = TrainingPlan(epochs=1, batch_size=16)
    whole = train("tiny", rows, tmp_path / "whole", plan=plan)
    monkeypatch.setattr(training, "PIECE", 60)
    pieces = train("tiny", rows, tmp_path / "pieces", plan=plan)
    assert pieces.epochs[0].loss == pytest.approx(whole.epochs[0].loss, rel=1e-4)
    assert pieces.epochs[0].validation_loss == pytest.approx(whole.epochs[0].validation_loss, rel=1e-3)


@pytest.mark.parametrize("kind", ["tiny", "causal"])
def test_the_loss_is_the_mean_over_the_tokens_that_are_written(tmp_path, bases, kind):
    """The slow twin: one text at a time, the log-probability of each token looked up."""
    rows = toy_rows(4)
    run = training.Run.open(tmp_path / "run", command="x", settings={}, fingerprint="x")
    base = kind if kind == "tiny" else str(bases(kind))
    job = training._Training(base, rows, rows, run, TrainingPlan(), "cpu")
    job.network.model.eval()
    total = n = 0
    with torch.inference_mode():
        fast = float(job._loss(job.learn))
        for example in job.learn:
            batch = job.network.batch([example])
            scores = torch.log_softmax(job.network.model(**batch).logits[0], dim=-1)
            if job.network.is_causal:  # what stands at a place says what comes next
                scores, labels = scores[:-1], example.labels[1:]
            else:
                labels = example.labels
            for place, label in enumerate(labels):
                if label != -100:
                    total, n = total - float(scores[place][label]), n + 1
    assert fast == pytest.approx(total / n, rel=1e-5)


@pytest.mark.parametrize("kind", ["causal", "t5"])
def test_other_architectures_are_trained_from_a_folder(tmp_path, bases, kind):
    rows = toy_rows(20)
    trained = train(str(bases(kind)), rows, tmp_path / "model", plan=TrainingPlan(epochs=1, batch_size=8))
    assert read_json(trained.folder / "perturber.json")["kind"] == (
        "causal" if kind == "causal" else "seq2seq"
    )
    perturber = NeuralPerturber(trained.folder)
    assert (
        perturber.network.tokenizer.convert_tokens_to_ids("<PERT_SEP>")
        < perturber.network.model.config.vocab_size
    )
    assert len(perturber.perturb([request_of(rows[0])])) == 1


def test_texts_kept_aside_are_not_learned_from():
    rows = toy_rows(50)
    twice = [*rows, *(replace(row, word="the") for row in rows)]
    learn, stop = training._held_out(twice, seed=3)
    assert len(stop) == 10
    assert not {row.before for row in learn} & {row.before for row in stop}
    assert sorted(map(repr, [*learn, *stop])) == sorted(map(repr, twice))


def test_rows_that_are_too_long_are_left_out_and_counted(tmp_path):
    long = PandaRow(("he " * 600,), "he", parse_attribute("woman"), ("she " * 600,))
    trained = train("tiny", [*toy_rows(20), long], tmp_path / "model", plan=replace(SHORT, epochs=1))
    assert trained.too_long == 1
    assert trained.rows + trained.validation_rows == 20


def test_the_warm_up_grows_to_the_full_rate_and_never_takes_more_than_a_tenth(tmp_path):
    run = training.Run.open(tmp_path / "run", command="x", settings={}, fingerprint="x")
    rows = toy_rows(100)
    job = training._Training("tiny", rows, rows[:5], run, TrainingPlan(epochs=10, batch_size=10), "cpu")
    assert [job._pace(step) for step in (0, 4, 9, 50)] == [0.1, 0.5, 1.0, 1.0]  # 100 steps: 10 of them
    short = training._Training(
        "tiny", rows, rows[:5], run, TrainingPlan(epochs=10, batch_size=10, warm_up=4), "cpu"
    )
    assert [short._pace(step) for step in (0, 3, 9)] == [0.25, 1.0, 1.0]


def test_the_plan_is_table_10():
    plan = TrainingPlan()
    assert (plan.batch_size, plan.weight_decay, plan.patience) == (64, 0.01, 10)
    assert (plan.warm_up, plan.clip, plan.decay) == (1200, 0.1, 0.01)
    assert training.LEARNING_RATE == 1e-5


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"epochs": 0}, "'epochs' must be at least 1"),
        ({"batch_size": 0}, "'batch_size'"),
        ({"learning_rate": math.inf}, "'learning_rate'"),
        ({"form": "other"}, "paper, released"),
        ({"decay": 0}, "'decay' must be above 0"),
        ({"decay_patience": -1}, "'decay_patience'"),
    ],
)
def test_a_plan_that_cannot_be_is_told(change, told):
    with pytest.raises(SettingError, match=told):
        TrainingPlan(**change)


def test_too_few_rows_are_told(tmp_path):
    with pytest.raises(DataError, match="too few"):
        train("tiny", toy_rows(1), tmp_path / "model")


def test_a_gpu_that_is_too_small_is_told(tmp_path, monkeypatch):
    def full(self, some):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(training._Training, "_loss", full)
    with pytest.raises(SettingError, match="do not fit into the GPU's memory"):
        train("tiny", toy_rows(10), tmp_path / "model", plan=SHORT)


def test_a_loss_that_is_no_number_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(
        training._Training, "_loss", lambda self, some: torch.tensor(math.nan, requires_grad=True)
    )
    with pytest.raises(TrainingError, match=r"Try a lower one, such as 1e-03"):
        train("tiny", toy_rows(10), tmp_path / "model", plan=SHORT)
