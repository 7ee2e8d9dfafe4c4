"""RAZOR's shortcut space against the paper's equations, worked out by loops."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from longway.errors import SettingError
from longway.space.live_space import LiveSpace
from longway.space.shortcut import ShortcutSpace, position_code
from longway.text.corpus import Corpus
from tests import oracles
from tests.methods.oracle import candidate_gamma, mean_kl, sum_of_cosines

VARIANTS = ["mean", "token"]
text = st.lists(st.sampled_from("a b c d e f not only 10/10 . !".split()), max_size=9).map(" ".join)
rows = st.lists(st.tuples(text, st.integers(0, 2)), min_size=4, max_size=14).filter(
    lambda rows: len({label for _, label in rows}) > 1
)


def fitted_gamma(texts, labels, variant, dimensions=8):
    space = ShortcutSpace(variant=variant, dimensions=dimensions)
    return space.fit(Corpus.from_texts(texts), np.array(labels)).gamma_


@pytest.mark.parametrize("variant", VARIANTS)
@given(rows=rows)
def test_gamma_in_linear_time_equals_the_double_loop(variant, rows):
    texts, labels = zip(*rows, strict=True)
    slow = oracles.gammas(list(texts), list(labels), variant=variant, dimensions=8)
    np.testing.assert_allclose(fitted_gamma(texts, labels, variant), slow, atol=2e-5)


def test_position_code_equals_equations_8_and_9():
    expected = [oracles.position(p, 10) for p in range(1, 30)]
    np.testing.assert_allclose(position_code(29, 10), expected)


@pytest.mark.parametrize("variant", VARIANTS)
@given(rows=rows, data=st.data())
def test_replacing_documents_equals_a_full_rescore(variant, rows, data):
    texts, labels = map(list, zip(*rows, strict=True))
    live = LiveSpace(texts, labels, variant=variant, dimensions=8)
    for _ in range(3):
        places = data.draw(st.lists(st.integers(0, len(texts) - 1), min_size=1, max_size=3, unique=True))
        new = {i: data.draw(text | st.just("brand new words a a")) for i in places}
        live.replace(new)
        for i, value in new.items():
            texts[i] = value
        np.testing.assert_allclose(live.gamma(), fitted_gamma(texts, labels, variant), atol=2e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_replacement_touches_only_documents_that_share_a_changed_word(variant, monkeypatch):
    texts = ["red fish swims", "blue fish swims", "green tree grows", "old tree grows"]
    live = LiveSpace(texts, [0, 1, 0, 1], variant=variant, dimensions=8)
    touched = []
    add = live.space.add
    monkeypatch.setattr(live.space, "add", lambda b, y, **how: (touched.append(b.n_texts), add(b, y, **how)))
    live.replace({0: "red bird swims"})
    assert touched == [2, 2]  # itself and the other fish, out and in again; the trees stay


@pytest.mark.parametrize("variant", VARIANTS)
def test_contributions_sum_to_own_cosine_minus_other_cosine(variant):
    texts = ["not a hit", "not a film again", "a hit hit", "one film", "so"]
    labels = np.array([0, 0, 1, 1, 1])
    corpus = Corpus.from_texts(texts)
    space = ShortcutSpace(variant=variant, dimensions=8).fit(corpus, labels)
    block = next(corpus.blocks())
    units = space.units(block)
    own, other = space._means()
    shares = [space._shares(block, labels, table, units) for table in (own, other)]
    expected = [np.bincount(block.rows(), weights=share, minlength=5) for share in shares]
    sums = np.bincount(block.rows(), weights=space.contributions(block, labels), minlength=5)
    np.testing.assert_allclose(sums, expected[0] - expected[1], atol=1e-6)


def test_chunks_of_a_block_give_the_same_gammas(monkeypatch):
    texts = [f"word{i % 7} again word{i % 3} {'x ' * (i % 5)}" for i in range(60)]
    labels = [i % 3 for i in range(60)]
    whole = fitted_gamma(texts, labels, "token")
    monkeypatch.setattr("longway.space.shortcut._CHUNK", 11)
    np.testing.assert_allclose(fitted_gamma(texts, labels, "token"), whole, atol=1e-6)


def test_the_token_variant_knows_which_word_it_was_and_the_mean_does_not():
    texts = ["alpha film", "alpha show", "gamma film", "gamma show"]
    labels = [0, 0, 1, 1]
    swapped = ["gamma film", "alpha show", "gamma film", "gamma show"]
    assert np.allclose(fitted_gamma(texts, labels, "mean"), fitted_gamma(texts, labels, "mean")[0])
    assert fitted_gamma(swapped, labels, "token")[0] < fitted_gamma(texts, labels, "token")[0]


@pytest.mark.parametrize("settings", [{"variant": "median"}, {"dimensions": 1}])
def test_impossible_settings_are_named(settings):
    with pytest.raises(SettingError, match=next(iter(settings))):
        ShortcutSpace(**settings)


def test_weights_computed_again_give_the_same_gammas_as_weights_kept(monkeypatch):
    texts = [f"word{i % 7} again word{i % 3}" for i in range(60)]
    labels = [i % 3 for i in range(60)]
    kept = fitted_gamma(texts, labels, "mean")
    monkeypatch.setattr("longway.space.shortcut._MAX_KEPT", 0)
    np.testing.assert_array_equal(fitted_gamma(texts, labels, "mean"), kept)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_candidate_with_new_words_scores_nearly_as_it_does_once_it_is_in(variant):
    texts = [f"w{i % 7} and w{i % 5} of w{i % 3} not" for i in range(60)]
    labels = [i % 2 for i in range(60)]
    candidate = "brand new words of w1 and w2"
    live = LiveSpace(texts, labels, variant=variant, dimensions=16)
    (score,) = live.score([candidate], labels[0])
    live.replace({0: candidate})
    assert live.gamma([0])[0] == pytest.approx(score, abs=0.02)


def test_lean_compares_with_the_other_documents_of_the_label_not_with_itself():
    texts = ["alpha beta", "gamma delta", "epsilon zeta", "eta theta"]
    corpus, labels = Corpus.from_texts(texts), np.array([0, 0, 1, 1])
    space = ShortcutSpace(variant="token", dimensions=8).fit(corpus, labels)
    np.testing.assert_allclose(space.lean(next(corpus.blocks()), labels), 0, atol=1e-6)  # nothing in common


@pytest.mark.parametrize("variant", VARIANTS)
@given(rows=rows, data=st.data())
def test_a_candidate_scores_as_the_double_loop_says_and_leaves_no_trace(variant, rows, data):
    texts, labels = map(list, zip(*rows, strict=True))
    live = LiveSpace(texts, labels, variant=variant, dimensions=8)
    before, n_words = live.gamma(), len(live._vocabulary)
    candidates = data.draw(st.lists(text | st.just("brand new words new a"), min_size=1, max_size=3))
    of = data.draw(st.sampled_from(sorted(set(labels))))
    slow = [candidate_gamma(c, of, texts, labels, variant=variant, dimensions=8) for c in candidates]
    np.testing.assert_allclose(live.score(candidates, of), slow, atol=2e-5)
    np.testing.assert_array_equal(live.gamma(), before)
    assert len(live._vocabulary) == n_words


@pytest.mark.parametrize("variant", VARIANTS)
def test_candidates_of_several_labels_are_scored_together(variant):
    texts, labels = ["not a hit", "not a film", "a hit", "one film"], [0, 0, 1, 1]
    live = LiveSpace(texts, labels, variant=variant)
    together = live.score(["a new hit", "a new hit", "one"], [0, 1, 1])
    assert together.tolist() == [*live.score(["a new hit"], 0), *live.score(["a new hit", "one"], 1)]
    assert live.score([], []).shape == (0,)


@pytest.mark.parametrize("variant", VARIANTS)
@given(rows=rows)
def test_the_mean_cosine_equals_equation_14_over_all_pairs(variant, rows):
    texts, labels = map(list, zip(*rows, strict=True))
    total, pairs = sum_of_cosines(texts, labels, variant=variant, dimensions=8)
    live = LiveSpace(texts, labels, variant=variant, dimensions=8)
    assert live.mean_cosine() == pytest.approx(total / pairs, abs=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
@given(rows=rows)
def test_the_divergence_equals_algorithm_1s_sum_over_all_pairs(variant, rows):
    texts, labels = map(list, zip(*rows, strict=True))
    documents = [oracles.words(t) for t in texts]
    vectors = [oracles.mean_vector(d, documents, 8) for d in documents]
    dense = [[v.get(k, 0.0) for k in range(8)] for v in vectors]
    live = LiveSpace(texts, labels, variant=variant, dimensions=8)
    assert live.divergence() == pytest.approx(mean_kl(dense, labels), abs=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_pieces_of_a_live_space_give_the_same_numbers(variant, monkeypatch):
    texts = [f"word{i % 7} again word{i % 3} {'x ' * (i % 5)}" for i in range(40)]
    labels = [i % 3 for i in range(40)]
    whole = LiveSpace(texts, labels, variant=variant)
    monkeypatch.setattr("longway.space.live_space._PIECE", 17)
    cut = LiveSpace(texts, labels, variant=variant)
    for live in (whole, cut):
        live.replace({row: f"again word{row}" for row in range(0, 40, 2)})
    np.testing.assert_allclose(cut.gamma(), whole.gamma(), atol=1e-6)
    assert cut.divergence() == pytest.approx(whole.divergence())


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("rows", [[4], [0, 1, 7], list(range(25))])
def test_what_is_kept_of_each_token_stays_that_of_a_space_made_anew(variant, rows):
    texts = [f"word{i % 7} again word{i % 3} {'x ' * (i % 5)}" for i in range(30)]
    labels = [i % 3 for i in range(30)]
    live = LiveSpace(texts, labels, variant=variant, dimensions=8)
    for turn in range(3):
        new = {row: f"word{row} {'turn ' * turn}again and{turn}" for row in rows}
        live.replace(new)
        texts = [new.get(row, text) for row, text in enumerate(texts)]
        anew = LiveSpace(texts, labels, variant=variant, dimensions=8)
        np.testing.assert_allclose(live.gamma([20, 4, 0]), anew.gamma([20, 4, 0]), atol=2e-5)
        assert live.divergence() == pytest.approx(anew.divergence(), abs=1e-6)
        assert live.mean_cosine() == pytest.approx(anew.mean_cosine(), abs=1e-6)


@pytest.mark.parametrize("variant", VARIANTS)
def test_where_a_replacement_touches_most_documents_all_are_added_anew(variant, monkeypatch):
    texts = ["red fish", "blue fish", "old fish", "old tree"]
    live = LiveSpace(texts, [0, 1, 0, 1], variant=variant, dimensions=8)
    touched = []
    add = live.space.add
    monkeypatch.setattr(
        live.space,
        "add",
        lambda b, y, sign, **how: (touched.append(b.n_texts * sign), add(b, y, sign=sign, **how)),
    )
    live.replace({0: "red bird"})
    assert touched == [4]
    np.testing.assert_allclose(
        live.gamma(), fitted_gamma(["red bird", *texts[1:]], [0, 1, 0, 1], variant), atol=2e-5
    )


def test_documents_without_words_can_be_replaced_and_scored():
    live = LiveSpace(["", ""], [0, 1], variant="token")
    assert np.isnan(live.gamma()).all()
    assert live.score(["hello there"], 0).tolist() == [1.0]
    live.replace({0: "hello there", 1: "hello you"})
    assert not np.isnan(live.gamma()).any()


def test_a_space_is_cloned_by_its_parameters():
    space = ShortcutSpace(variant="token", dimensions=8)
    copied = clone(space)
    assert copied is not space
    assert copied.get_params() == {"variant": "token", "dimensions": 8}
    assert copied.set_params(dimensions=16).dimensions == 16
    with pytest.raises(SettingError, match="dimensions"):
        copied.set_params(dimensions=1)
