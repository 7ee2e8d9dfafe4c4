"""Rewrites against those of people: slow twins written from the paper's words, and hand computations."""

import re
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from longway.errors import MissingExtra
from longway.metrics import bleu as bleu_module
from longway.metrics import rewrites
from longway.metrics.bleu import bleu_counts, bleu_of_counts, sacre_bleu
from longway.metrics.intervals import resampled_sums
from longway.metrics.rewrites import (
    AGREEMENTS,
    agreement,
    agreement_with,
    closeness,
    closeness_rows,
    mean_agreement,
    pairwise_agreement,
    word_distance,
    written_words,
)
from longway.metrics.versions import rouge_lsum
from tests.metrics.test_versions import slow_edits

WORDS = "She she he lost her his hat . , ?".split()
texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
pairs = st.lists(st.tuples(texts, texts), min_size=1, max_size=5)
several = st.lists(texts, min_size=2, max_size=4)
MEASURED = {name: i for i, name in enumerate(AGREEMENTS)}


def slow_words(text):
    return re.findall(r"\w+|[^\w\s]", text)


def slow_rouge2(text, other):
    """F1 of shared word pairs, each counted as often as both texts have it."""
    counts = []
    for one in (text, other):
        words = re.findall(r"\w+", one.lower())
        counts.append(Counter(pairwise(words)))
    shared = (counts[0] & counts[1]).total()
    return 2 * shared / (counts[0].total() + counts[1].total()) if shared else 0.0


@given(pairs=pairs)
def test_closeness_equals_the_slow_twins(pairs):
    wrote, wanted = map(list, zip(*pairs, strict=True))
    found = closeness(closeness_rows(wrote, wanted), together=np.arange(len(pairs)))
    distances = [slow_edits(slow_words(one), slow_words(other)) for one, other in pairs]
    assert found.rows == len(pairs)
    assert found.bleu.value == pytest.approx(sacre_bleu(wrote, wanted))
    assert found.rouge2.value == pytest.approx(100 * np.mean([slow_rouge2(*pair) for pair in pairs]))
    assert found.distance.value == pytest.approx(np.mean(distances))
    assert found.exact.value == pytest.approx(100 * np.mean([distance == 0 for distance in distances]))


def slow_agreement(texts):
    """Appendix D, loop by loop."""
    tokens = [slow_words(text) for text in texts]
    most = max(tokens.count(one) for one in tokens)
    at_places = []
    for place in range(max(map(len, tokens))):
        there = [one[place] if place < len(one) else None for one in tokens]
        at_places.append(max(there.count(token) for token in there) / len(texts))
    scorer = RougeScorer(["rouge1", "rouge2", "rougeL", "rougeLsum"])
    scores = {name: [] for name in AGREEMENTS[2:]}
    for i, one in enumerate(texts):
        for j, other in enumerate(texts):
            if i == j:
                continue
            rouge = {name: value.fmeasure for name, value in scorer.score(other, one).items()}
            scores["bleu"].append(BLEU(effective_order=True).sentence_score(one, [other]).score)
            for name, theirs in (("rouge1", "rouge1"), ("rouge2", "rouge2"), ("rouge_l", "rougeL")):
                scores[name].append(100 * rouge[theirs])
            scores["rouge_lsum"].append(100 * rouge["rougeLsum"])
            longer = max(len(tokens[i]), len(tokens[j]))
            scores["distance"].append(slow_edits(tokens[i], tokens[j]) / longer)
    means = [np.mean(scores[name]) for name in AGREEMENTS[2:]]
    return [100 * most / len(texts), 100 * np.mean(at_places), *means]


@given(several=several)
def test_agreement_equals_appendix_d_loop_by_loop(several):
    assert agreement(several) == pytest.approx(slow_agreement(several))


def test_agreement_of_three_by_hand():
    """Two of three write the same; the third has another word at one of four places."""
    found = agreement(["He lost it.", "He lost it.", "They lost it."])
    assert found[MEASURED["full"]] == pytest.approx(200 / 3)
    assert found[MEASURED["tokens"]] == pytest.approx((200 / 3 + 300) / 4)
    assert found[MEASURED["rouge1"]] == pytest.approx((100 + 2 * 200 / 3) / 3)
    assert found[MEASURED["distance"]] == pytest.approx(2 / 3 * 1 / 4)


def test_a_rewrite_that_ends_early_agrees_with_nothing_at_the_places_it_lacks():
    assert agreement(["He left", "He left at once"])[MEASURED["tokens"]] == pytest.approx(75)


def test_the_same_text_agrees_fully_and_one_rewrite_with_each_of_others():
    assert agreement(["He left.", "He left."]) == pytest.approx([100] * 7 + [0])
    assert agreement(["", ""])[:2].tolist() == [100, 100]
    one, two = agreement(["He left.", "He left."]), agreement(["He left.", "They left."])
    assert agreement_with("He left.", ["He left.", "They left."]) == pytest.approx((one + two) / 2)
    assert pairwise_agreement(["He left.", "He left.", "They left."]) == pytest.approx((one + 2 * two) / 3)


def test_case_counts_and_white_space_does_not():
    assert word_distance("He  left .", "He left.") == (0, 3)
    assert word_distance("he left.", "He left.") == (1, 3)
    assert written_words("Zoë’s 10/10\n\nhat") == ["Zoë’s", "10/10", "hat"]


def test_lines_are_compared_line_by_line_by_rouge_lsum():
    before, after = "he left\nshe stayed", "she stayed\nhe left"
    theirs = RougeScorer(["rougeLsum"]).score(before, after)["rougeLsum"].fmeasure
    assert rouge_lsum(before, after) == pytest.approx(theirs) == 1.0
    assert rouge_lsum("", "") == 0


def test_rows_of_one_text_are_drawn_together():
    """Ten copies of one of two texts: drawn together there are two units, and resamples are all, none or half."""
    values = np.array([[1.0]] * 10 + [[0.0]] * 10)
    together = np.repeat([0, 1], 10)
    assert set(resampled_sums(values, together=together, draws=200)[:, 0]) == {0.0, 10.0, 20.0}
    assert len(set(resampled_sums(values, draws=200)[:, 0])) > 3


def test_intervals_narrow_with_rows_and_hold_the_value():
    wrote, wanted = ["He lost it .", "he lost it ."], ["He lost it .", "He lost it ."]
    few, many = (
        closeness(closeness_rows(wrote * n, wanted * n), together=np.arange(2 * n)) for n in (5, 100)
    )
    for name in ("bleu", "rouge2", "distance", "exact"):
        assert getattr(few, name).value == pytest.approx(getattr(many, name).value), name
    assert few.exact.low < many.exact.low <= 50 <= many.exact.high < few.exact.high
    assert many.bleu.low < many.bleu.value < many.bleu.high


def test_an_agreement_has_intervals_over_texts():
    tasks = [agreement(["a b", "a b"]), agreement(["a b", "a c"])] * 20
    found = mean_agreement(tasks, together=np.arange(40))
    assert (found.tasks, found.full.value) == (40, 75)
    assert found.full.low < 75 < found.full.high
    assert found.to_dict()["distance"]["value"] == pytest.approx(0.25)


@given(pairs=pairs)
def test_the_sum_of_counts_has_the_score_of_the_corpus(pairs):
    wrote, wanted = map(list, zip(*pairs, strict=True))
    counts = bleu_counts(wrote, wanted)
    assert bleu_of_counts(counts.sum(axis=0)) == pytest.approx(sacre_bleu(wrote, wanted))


@pytest.mark.parametrize(("module", "package"), [(rewrites, "rapidfuzz"), (rewrites, "sacrebleu")])
def test_a_missing_package_is_named(module, package, monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None if name == package else object())
    with pytest.raises(MissingExtra, match=rf"{package}.*longway\[prove\]"):
        agreement(["a", "b"])


def test_without_sacrebleu_its_counts_are_an_error(monkeypatch):
    monkeypatch.setattr(bleu_module, "find_spec", lambda name: None)
    with pytest.raises(MissingExtra, match="sacrebleu"):
        bleu_counts(["a"], ["a"])
