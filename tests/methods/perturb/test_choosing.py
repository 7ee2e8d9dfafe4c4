import re
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.people.demographic_mentions import find_demographics
from longway.english.people.words import AXES, parse_attribute
from longway.english.pipeline import load_pipeline
from longway.methods.perturb.choosing import axis_weights, choose, in_order, options_of, perturbability


def options(text, **more):
    return options_of(
        text, find_demographics(load_pipeline().analyse(text)).words, axes=more.pop("axes", AXES), **more
    )


# Algorithm 1 and Eq. 2 as the paper has them, over sets of words

GENDER = ("man", "woman", "non-binary")
D = {"he": "man", "uncle": "man", "king": "man", "she": "woman", "aunt": "woman", "mother": "woman"}
sentence = st.builds(
    "{} {} {}.".format,
    st.sampled_from(
        ["He", "She", "The uncle", "My aunt", "Our mother", "The king", "The rain", "My neighbour"]
    ),
    st.sampled_from(["saw", "heard", "followed"]),
    st.sampled_from(["the uncle", "my aunt", "our mother", "a king", "the bread", "a tree"]),
)
texts = st.lists(sentence, min_size=1, max_size=6).map(" ".join)


def words_of(text):
    return re.findall(r"\w+|\.", text.lower())


@given(text=texts)
def test_options_are_the_set_of_algorithm_1(text):
    k = set()
    for w in set(words_of(text)) & set(D):
        for t in GENDER:
            if t != D[w]:
                k.add((w, t))
    found = [(option.word, option.target.name) for option in options(text, axes=("gender",))]
    assert len(found) == len(set(found))
    assert set(found) == k


@given(text=texts)
def test_an_option_has_every_place_of_its_word(text):
    for option in options(text, axes=("gender",)):
        places = [(match.start(), match.end()) for match in re.finditer(rf"\b{option.word}\b", text.lower())]
        assert [(place.start, place.stop) for place in option.places] == places


@given(text=texts, m0=st.floats(0, 3), m1=st.floats(0, 3))
def test_perturbability_counts_the_set_of_listed_words(text, m0, m1):
    words = words_of(text)
    slow = (m0 * 0 + m1 * len(set(words) & set(D))) / len(words)  # nobody is named
    document = load_pipeline().analyse(text)
    assert perturbability(document, find_demographics(document), m0=m0, m1=m1) == pytest.approx(slow)


def test_perturbability_is_equation_2():
    document = load_pipeline().analyse("Ann saw her aunt in Paris .")
    found = find_demographics(document)
    assert found.names == 1
    # one name; "her" and "aunt" are listed; seven words
    assert perturbability(document, found) == pytest.approx((1 + 2) / 7)
    assert perturbability(document, found, m0=2, m1=0.5) == pytest.approx((2 * 1 + 0.5 * 2) / 7)
    empty = load_pipeline().analyse("")
    assert perturbability(empty, find_demographics(empty)) == 0


def test_a_word_that_tells_two_things_is_an_option_on_both_axes():
    found = {(o.word, str(o.source), o.axis) for o in options("The girl sang.")}
    assert found == {("girl", "gender:woman", "gender"), ("girl", "age:child", "age")}


def test_capitals_make_no_second_word():
    he = [o for o in options("He left. Then he came back.") if o.target == parse_attribute("woman")]
    assert [(o.word, len(o.places)) for o in he] == [("he", 2)]


def test_axes_and_targets_restrict_the_options():
    assert {o.axis for o in options("The old man saw his aunt.", axes=["gender"])} == {"gender"}
    only = options("The old man saw his aunt.", targets=[parse_attribute("woman")])
    assert {str(o.target) for o in only} == {"gender:woman"}
    assert options("The rain fell.") == []


# Draws


def test_uniform_draws_are_uniform_over_words_and_targets_however_often_a_word_stands():
    all_options = options("The old man saw his aunt. He waved, he called, he sang.")
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


def test_the_chosen_option_is_tried_first_then_each_other_and_every_place_once():
    all_options = options("The old man saw his aunt. He waved, and he sang.")
    chosen = next(option for option in all_options if option.word == "he")
    order = in_order(all_options, chosen, Random(0))
    assert order[0][0] in chosen.places
    assert order[0][1] == chosen.target
    whose = [next(o for o in all_options if p in o.places and o.target == t) for p, t in order]
    assert set(whose[: len(all_options)]) == set(all_options)
    assert Counter(order) == Counter((p, o.target) for o in all_options for p in o.places)


def test_each_place_of_the_chosen_word_is_as_likely_as_every_other():
    all_options = options("He waved, he called, he sang.", targets=[parse_attribute("woman")])
    (chosen,) = all_options
    random = Random(0)
    drawn = Counter(in_order(all_options, chosen, random)[0][0] for _ in range(1500))
    assert set(drawn) == set(chosen.places)
    assert all(abs(n - 500) < 6 * 500**0.5 for n in drawn.values())


def test_a_mark_that_nobody_would_write_is_only_added_where_it_is_asked_for():
    plain = options("Two men sang.", axes=["age"])
    assert "age:senior" not in {str(o.target) for o in plain}
    asked = options("Two men sang.", axes=["age"], targets=[parse_attribute("senior")])
    assert [str(o.target) for o in asked] == ["age:senior"]
