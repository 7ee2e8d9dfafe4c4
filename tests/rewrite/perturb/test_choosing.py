from collections import Counter
from random import Random

import pytest

from longway.demographics.axes import AXES, attribute
from longway.demographics.found import found_in
from longway.rewrite.perturb.choosing import axis_weights, choose, in_order, options_of, perturbability
from longway.text.english import english


def options(text, **more):
    return options_of(found_in(english().analyse(text)), axes=more.pop("axes", AXES), **more)


def test_options_are_all_words_with_all_other_attributes_of_their_axis():
    """The slow twin: Algorithm 1 line by line."""
    text = "The old man saw his aunt."
    found = found_in(english().analyse(text))
    slow = {
        (word.start, word.attribute.axis, target)
        for word in found.words
        for target in AXES[word.attribute.axis]
        if target != word.attribute.name
    }
    assert {(o.word.start, o.axis, o.target.name) for o in options_of(found, axes=AXES)} == slow


def test_axes_and_targets_restrict_the_options():
    assert {o.axis for o in options("The old man saw his aunt.", axes=["gender"])} == {"gender"}
    only = options("The old man saw his aunt.", targets=[attribute("woman")])
    assert {str(o.target) for o in only} == {"gender:woman"}
    assert options("The rain fell.") == []


def test_uniform_draws_are_uniform_over_words_and_targets():
    all_options = options("The old man saw his aunt.")
    random = Random(0)
    drawn = Counter(choose(all_options, random) for _ in range(3000))
    expected = 3000 / len(all_options)
    assert set(drawn) == set(all_options)
    assert all(abs(n - expected) < 6 * expected**0.5 for n in drawn.values())


def test_weights_give_a_rare_axis_its_share():
    axes = ("gender", "race")
    rows = [options("He lost his hat.", axes=axes)] * 9 + [options("He met an Asian man.", axes=axes)]
    weights = axis_weights(rows)
    assert weights["gender"] == pytest.approx(1 / 10)
    assert weights["race"] == pytest.approx(1)
    random = Random(1)
    drawn = Counter(choose(rows[-1], random, weights).axis for _ in range(2000))
    assert drawn["race"] / 2000 == pytest.approx(10 / 11, abs=0.03)


def test_nothing_to_choose_from_gives_nothing():
    assert choose([], Random(0)) is None


def test_the_chosen_option_is_tried_first_and_every_other_once():
    all_options = options("The old man saw his aunt.")
    order = in_order(all_options, all_options[3], Random(0))
    assert order[0] is all_options[3]
    assert sorted(map(id, order)) == sorted(map(id, all_options))


def test_perturbability_is_equation_2():
    document = english().analyse("Ann saw her aunt in Paris .")
    found = found_in(document)
    assert found.names == 1
    # one name; "her" and "aunt" are listed; seven words
    assert perturbability(document, found) == pytest.approx((1 + 2) / 7)
    assert perturbability(document, found, m0=2, m1=0.5) == pytest.approx((2 * 1 + 0.5 * 2) / 7)
    empty = english().analyse("")
    assert perturbability(empty, found_in(empty)) == 0


def test_a_mark_that_nobody_would_write_is_only_added_where_it_is_asked_for():
    plain = options("Two men sang.", axes=["age"])
    assert "age:senior" not in {str(o.target) for o in plain}
    asked = options("Two men sang.", axes=["age"], targets=[attribute("senior")])
    assert [str(o.target) for o in asked] == ["age:senior"]
