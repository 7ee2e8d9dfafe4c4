"""Distances between versions: against the packages' own numbers and against loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from longway.errors import MissingExtra
from longway.metrics import bleu as bleu_module
from longway.metrics import versions
from longway.metrics.bleu import sacre_bleu
from longway.metrics.versions import (
    compare_versions,
    edit_distances,
    rouge_rows,
)
from tests import oracles

WORDS = "a b c d e No, not. is".split()
texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=4)


def slow_edits(old, new):
    """Levenshtein's table, row by row."""
    table = list(range(len(new) + 1))
    for i, a in enumerate(old, start=1):
        above, table = table, [i]
        for j, b in enumerate(new, start=1):
            table.append(min(above[j] + 1, table[j - 1] + 1, above[j - 1] + (a != b)))
    return table[-1]


@given(pairs=pairs)
def test_edit_distance_equals_the_table(pairs):
    before, after = zip(*pairs, strict=True)
    distances, shares = edit_distances(before, after)
    for old, new, distance, share in zip(before, after, distances, shares, strict=True):
        old_words, new_words = oracles.words(old), oracles.words(new)
        assert distance == slow_edits(old_words, new_words)
        assert share == pytest.approx(distance / max(len(old_words), len(new_words), 1))


@given(pairs=pairs)
def test_rouge_equals_rouge_score_on_plain_english(pairs):
    before, after = zip(*pairs, strict=True)
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL"])
    scores = [scorer.score(old, new) for old, new in pairs]
    got = compare_versions(before, after).rouge
    for name, value in (("rouge1", got.rouge1), ("rouge2", got.rouge2), ("rougeL", got.rouge_l)):
        assert value == pytest.approx(np.mean([one[name].fmeasure for one in scores]))


def test_rouge_keeps_letters_of_every_script():
    assert compare_versions(["größe ändert alles"], ["größe ändert nichts"]).rouge.rouge1 == pytest.approx(
        2 / 3
    )
    assert compare_versions(["слово и дело"], ["слово и дело"]).rouge.rouge_l == 1


def test_bleu_of_versions_is_sacrebleus():
    before = ["The film was not good at all.", "Nobody in the small village had seen it."]
    after = ["The film was hardly good at all.", "Nobody in the small village had seen it."]
    assert compare_versions(before, after).bleu == pytest.approx(BLEU().corpus_score(after, [before]).score)
    assert compare_versions(before, before).bleu == pytest.approx(100)


def test_a_summary_of_two_versions():
    before, after = ["It is not so.", "Same here."], ["It is hardly so.", "Same here."]
    got = compare_versions(before, after)
    assert (got.rows, got.changed, got.edits, got.edit_share) == (2, 0.5, 0.5, 0.1)
    assert got.to_dict()["rouge"]["rouge1"] == pytest.approx((3 / 4 + 1) / 2)
    empty = compare_versions(["", ""], ["", ""])
    assert (empty.changed, empty.edits, empty.edit_share) == (0, 0, 0)


@pytest.mark.parametrize(
    ("function", "package"),
    [(sacre_bleu, "sacrebleu"), (rouge_rows, "rouge_score"), (edit_distances, "rapidfuzz")],
)
def test_a_missing_package_is_named(function, package, monkeypatch):
    for module in (versions, bleu_module):
        monkeypatch.setattr(module, "find_spec", lambda name: None if name == package else object())
    with pytest.raises(MissingExtra, match=rf"{package}.*longway\[prove\]"):
        function(["a"], ["a"])
