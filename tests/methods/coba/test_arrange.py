"""Kinds of triples and the order they come back in; every property the paper states, on random triples."""

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from longway.english.triples.triple import Triple
from longway.methods.coba.votes import Important, arranged, kind_of, kinds_of

KINDS = st.lists(st.sampled_from(["spurious", "principal", "normal"]), min_size=1, max_size=12)


@given(KINDS, st.integers(0, 99), st.booleans(), st.sampled_from([0.0, 0.1, 0.5, 0.99]))
def test_only_normal_triples_move_or_go(kinds, seed, permute, drop):
    order = arranged(kinds, Random(seed), permute=permute, drop=drop)
    assert len(set(order)) == len(order) > 0
    fixed = [place for place, kind in enumerate(kinds) if kind != "normal"]
    assert [place for place in order if place in fixed] == fixed
    if not drop:
        assert sorted(order) == list(range(len(kinds)))
        assert all(order[place] == place for place in fixed)
    if not permute:
        assert order == sorted(order)


def test_the_same_seed_gives_the_same_order_and_seeds_differ():
    kinds = ["normal"] * 10
    orders = {tuple(arranged(kinds, Random(seed), permute=True, drop=0.2)) for seed in range(20)}
    assert len(orders) == 20
    assert arranged(kinds, Random(3), permute=True, drop=0.2) == arranged(
        kinds, Random(3), permute=True, drop=0.2
    )


def test_about_the_asked_share_is_left_out():
    kept = sum(len(arranged(["normal"] * 20, Random(i), permute=True, drop=0.1)) for i in range(200))
    assert 0.88 < kept / 4000 < 0.92


def test_a_spurious_word_weighs_more_than_a_principal_one():
    important = Important(("great",), ("nancy",))
    assert kind_of(Triple("Nancy Drew", "is", "great"), important) == "spurious"
    assert kind_of(Triple("The plot", "is", "great"), important) == "principal"
    assert kind_of(Triple("We", "saw", "it"), important) == "normal"


def test_without_a_purely_principal_triple_the_mixed_ones_are_changed():
    important = Important(("great",), ("nancy",))
    triples = [Triple("Nancy", "is", "great"), Triple("Nancy", "lives", "here"), Triple("We", "left", "")]
    assert kinds_of(triples, [], important, mixed="needed") == (["principal", "spurious", "normal"], [])
    assert kinds_of(triples, [], important) == (["spurious", "spurious", "normal"], [])


def test_the_triples_of_a_context_are_sorted_by_its_own_words():
    important = Important(("great",), ("nancy",), context=Important(("nancy",), ("great",)))
    triples = [Triple("Nancy", "is", "tall"), Triple("The plot", "is", "great"), Triple("We", "left", "")]
    text, context = kinds_of(triples, triples, important)
    assert text == ["spurious", "principal", "normal"]
    assert context == ["principal", "spurious", "normal"]


def test_mixed_triples_stay_if_the_other_side_has_one_to_change():
    important = Important(("great",), ("nancy",), context=Important(("sits",), ()))
    mixed, other = Triple("Nancy", "is", "great"), Triple("She", "sits", "here")
    assert kinds_of([mixed], [other], important, mixed="needed") == (["spurious"], ["principal"])


def test_a_whole_sentence_with_a_principal_word_is_changed_whatever_else_it_has():
    important = Important(("great",), ("nancy",))
    assert kind_of(Triple.whole("Well, Nancy was so great!"), important) == "principal"
    assert kind_of(Triple.whole("Well, Nancy!"), important) == "spurious"
    assert kind_of(Triple("Nancy", "was", "great"), important, mixed="principal") == "principal"
