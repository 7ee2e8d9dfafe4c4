"""Classifiers of single texts: cross-validated, and strict only where the label really moves."""

from dataclasses import replace

import numpy as np
import pytest

from longway.verify import model_checks
from longway.verify.model_checks import Bounds, ClassifiersCheck
from tests.verify.scenes import candidate

GOOD = "fine lovely bright warm kind".split()
BAD = "awful dull grim cold cruel".split()
FILL = "the film was shown here that evening again".split()
BOUNDS = Bounds(least=0.45, share=0.6, doubt=0.6)


def reviews(n=200, seed=0):
    random = np.random.default_rng(seed)
    texts, labels = [], []
    for i in range(n):
        words = GOOD if i % 2 else BAD
        texts.append(" ".join([*random.choice(FILL, 3), *random.choice(words, 2)]))
        labels.append("pos" if i % 2 else "neg")
    return texts, labels


def vectors(texts):
    """How many good and bad words, whichever they are: an encoder that knows synonyms."""
    kinds = ({*GOOD, "superb"}, {*BAD, "dire"})
    return np.array([[sum(w in kind for w in t.split()) for kind in kinds] for t in texts], np.float32)


TEXTS, LABELS = reviews()


@pytest.mark.parametrize(
    ("before", "after", "is_fine"),
    [
        ("the film was fine", "the film was lovely", True),
        ("the film was fine", "the film was superb", True),  # a word that the bag of words never saw
        ("the film was fine", "the film was awful", False),
        ("the film was fine and warm", "the film was dire and dire", False),
    ],
)
def test_a_label_that_moves_is_rejected(before, after, is_fine):
    check = ClassifiersCheck(TEXTS, LABELS, BOUNDS, vectors=vectors)
    verdict = check([candidate(before, after, "pos", row=1)])[0]
    assert verdict.passed == is_fine
    assert 0 <= verdict.score <= 1


def test_without_an_encoder_the_words_decide():
    check = ClassifiersCheck(TEXTS, LABELS, BOUNDS, vectors=None)
    some = [
        candidate("the film was fine", after, "pos") for after in ("it was lovely warm", "it was awful dull")
    ]
    assert [v.passed for v in check(some)] == [True, False]


def test_a_row_is_judged_by_models_that_did_not_see_it():
    """The last row alone has a word, with the label it should not have; its own model must not have learned it."""
    texts, labels = [*TEXTS, "zyzzyva zyzzyva"], [*LABELS, "pos"]
    check = ClassifiersCheck(texts, labels, BOUNDS, vectors=None)
    check([candidate("a", "b", "pos")])
    for fold, (_, bag) in enumerate(check._models):
        assert ("zyzzyva" in bag._reader.vocabulary_) == (check._folds[-1] != fold)


def test_large_datasets_are_learned_from_a_part(monkeypatch):
    monkeypatch.setattr(model_checks, "MOST_ROWS", 50)
    check = ClassifiersCheck(TEXTS, LABELS, BOUNDS, vectors=vectors)
    check([candidate("a", "b", "pos")])
    assert (check._folds >= 0).sum() == 50
    left_out = int(np.flatnonzero(check._folds < 0)[0])
    assert check([candidate("it was fine", "it was awful", "pos", row=left_out)])[0].passed is False


def test_no_candidates_need_no_models():
    check = ClassifiersCheck(TEXTS, LABELS, BOUNDS, vectors=None)
    assert check([]) == []
    assert check._models == []


def test_what_was_meant_to_go_is_no_loss_to_the_label():
    """The classifiers learned the telling word themselves: a text without it is compared with the original without it."""
    check = ClassifiersCheck(TEXTS, LABELS, Bounds(least=0.9, share=0.95, doubt=0.9), vectors=vectors)
    before, after = "the film was grim that evening", "the film was shown that evening"
    lost = candidate(before, after, "neg", row=0)
    meant = replace(lost, telling=frozenset({"grim"}))
    assert [verdict.passed for verdict in check([lost, meant])] == [False, True]


@pytest.mark.parametrize("label", ["a rare one", "rare", "zz rare"])  # wherever it is sorted in
@pytest.mark.parametrize("encoder", [vectors, None])
def test_a_label_that_no_other_row_has_cannot_be_checked_and_is_refused(label, encoder):
    texts, labels = [*TEXTS, "the film was warm"], [*LABELS, label]
    check = ClassifiersCheck(texts, labels, BOUNDS, vectors=encoder)
    verdict = check([candidate("the film was warm", "the film was bright", label, row=len(texts) - 1)])[0]
    assert (verdict.passed, verdict.score) == (False, None)
    assert "too few other rows" in verdict.reason


def test_rows_that_have_one_label_apart_from_one_are_no_error():
    texts, labels = TEXTS[:20], ["pos"] * 19 + ["neg"]
    check = ClassifiersCheck(texts, labels, BOUNDS, vectors=vectors)
    some = [candidate("the film was fine", "the film was warm", labels[row], row=row) for row in range(20)]
    assert not check(some)[19].passed


def test_columns_are_in_the_same_order_in_each_process():
    """The order of a set changes from process to process: then two runs would differ in the last digits of a score."""
    learned = model_checks._Words(["b a b", "a c d"], np.array(["x", "y"]), seed=0)
    expected = ["a", "a b", "a c", "b", "b a", "c", "c d", "d"]
    assert learned._reader.get_feature_names_out().tolist() == expected
