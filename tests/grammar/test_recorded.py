"""Recorded training steps against plain ones."""

from copy import deepcopy

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="the grammar's charts need torch (longway[neural])")

from longway.grammars.minibatch import BatchLimits, batches, improve, log_probabilities  # noqa: E402
from longway.grammars.model import GRAMMARS  # noqa: E402
from longway.grammars.recorded import RecordedSteps  # noqa: E402

LIMITS = BatchLimits(4, 10_000, 2.0)
HAS_GPU = torch.cuda.is_available()


def texts_of(kind, seed=0):
    rng = np.random.default_rng(seed)

    def words(most):
        return rng.integers(1, 50, size=rng.integers(1, most + 1)).tolist()

    return [(words(5), words(3) if kind == "pair" else []) for _ in range(24)]


@pytest.mark.parametrize("kind", ["sentence", "pair"])
@pytest.mark.parametrize(
    "device", ["cpu", pytest.param("cuda", marks=pytest.mark.skipif(not HAS_GPU, reason="no GPU"))]
)
def test_steps_are_those_of_improve(kind, device):
    """Four passes: computed, recorded, and replayed twice; on a CPU, always computed from the packed numbers."""
    torch.manual_seed(0)
    one = GRAMMARS[kind](nonterminals=16, preterminals=16, dimension=8, words=50).to(device)
    other = deepcopy(one)
    optimizers = [
        torch.optim.Adam(model.parameters(), lr=1e-3, capturable=device == "cuda") for model in (one, other)
    ]
    steps = RecordedSteps(other, optimizers[1])
    for epoch in range(4):
        for batch in batches(texts_of(kind), LIMITS, rng=np.random.default_rng(epoch)):
            expected = improve(one, optimizers[0], log_probabilities(one, batch))
            assert float(steps.step(batch)) == pytest.approx(float(expected), rel=1e-4)
    for weight, same in zip(one.parameters(), other.parameters(), strict=True):
        assert torch.allclose(weight, same, atol=1e-3)
    assert (len(steps._recorded) > 0) == (device == "cuda")
