"""The product on all cores is the product."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from longway.grammars import device

SIZES = st.integers(1, 5)


@given(stack=st.lists(st.integers(1, 9), max_size=3), rows=SIZES, inner=st.integers(0, 5), columns=SIZES,
       one_for_all=st.booleans(), threads=st.integers(1, 4), seed=st.integers(0, 99))  # fmt: skip
def test_as_numpy(stack, rows, inner, columns, one_for_all, threads, seed):
    rng = np.random.default_rng(seed)
    left = rng.normal(size=(*stack, rows, inner))
    right = rng.normal(size=(inner, columns) if one_for_all else (*stack, inner, columns))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device, "_WORTH", 1)  # so that the smallest product is shared out
        patch.setattr(device, "_threads", [threads])
        found = device.product(left, right)
    np.testing.assert_allclose(found, left @ right, rtol=1e-12, atol=1e-12)


def stopped_within():
    with device.all_cores():
        assert torch.get_num_threads() == 1
        raise ValueError("stop")


def test_pytorch_has_its_cores_back():
    before = torch.get_num_threads()
    with pytest.raises(ValueError, match="stop"):
        stopped_within()
    assert torch.get_num_threads() == before
