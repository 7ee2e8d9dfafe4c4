"""Closeness: the cosine of two vectors between its bounds."""

import pytest

from longway.verify.model_checks import MeaningCheck
from tests.verify.scenes import Vectors, candidate

VECTORS = {"original": [1, 0], "same": [0.99, 0.1], "near": [1, 0.8], "far": [0.2, 1], "copy": [2, 0]}


@pytest.mark.parametrize(
    ("after", "keeps", "is_fine"),
    [
        ("same", "meaning", True),
        ("near", "meaning", False),  # 0.78
        ("near", "label", True),
        ("far", "label", False),  # 0.20
        ("copy", "meaning", False),  # 1.00
    ],
)
def test_the_cosine_must_lie_between_the_bounds(after, keeps, is_fine):
    check = MeaningCheck(Vectors(VECTORS), low=0.8, low_label=0.5, high=0.9999)
    verdict = check([candidate("original", after, keeps=keeps)])[0]
    assert verdict.passed == is_fine
    assert (verdict.reason == "") == is_fine


def test_the_score_is_the_cosine():
    check = MeaningCheck(Vectors(VECTORS), low=0.8, low_label=0.5, high=0.9999)
    assert check([candidate("original", "near")])[0].score == pytest.approx(1 / 1.64**0.5, abs=1e-5)
