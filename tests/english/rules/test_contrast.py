"""Other claims with the same label: exact sentences where a rule must fire, nothing where the label could change."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.rules.claims import contrast
from longway.english.rules.sisters import sister_classes, terms_of
from tests.english.rules.said import said, scene_of

BELL = "Anna Bell ( born March 3 , 1984 ) is an American actress . She starred in The Long Road ."
ROAD = "The Long Road is a 1999 French drama film directed by Tom Hill and starring Anna Bell ."
LAKE = "Lake Green is a lake in Italy ."


def made(text, stance, context, rule):
    return said(contrast, text, stance, context).get(f"contrast.{rule}", [])


@pytest.mark.parametrize(
    ("text", "context", "rule", "pattern", "term_class"),
    [
        (
            "The Long Road is not a French film.",
            ROAD,
            "sister_nationality",
            r"The Long Road is an? (\w+) film\.",
            "nationality",
        ),
        ("The Long Road is not a film.", ROAD, "sister_work", r"The Long Road is an? ([\w ]+)\.", "work"),
        (
            "The Long Road is incapable of being a film.",
            ROAD,
            "sister_work",
            r"The Long Road is an? ([\w ]+)\.",
            "work",
        ),
        ("Anna Bell is only German.", BELL, "sister_nationality", r"Anna Bell is (\w+)\.", "nationality"),
        ("Lake Green is not in Italy.", LAKE, "sister_country", r"Lake Green is in ([\w ]+)\.", "country"),
        ("Lake Green is outside of Italy.", LAKE, "inside", r"Lake Green is in ([\w ]+)\.", "country"),
        ("Lake Green is only outside of Italy.", LAKE, "inside", r"Lake Green is in ([\w ]+)\.", "country"),
        ("Anna Bell is Dutch.", BELL, "wrong_nationality", r"Anna Bell is (\w+)\.", "nationality"),
    ],
)
def test_a_refuted_claim_becomes_another_false_one(text, context, rule, pattern, term_class):
    new = made(text, "contradicts", context, rule)
    assert new
    for sentence in new:
        found = re.fullmatch(pattern, sentence)
        assert found is not None, sentence
        assert found[1] in terms_of(term_class)
        assert found[1] not in context
        assert sentence != text


def test_a_profession_becomes_one_that_the_context_does_not_name():
    new = made("Anna Bell is not an actress.", "contradicts", BELL, "sister_profession")
    given_ones = {t.text for c in sister_classes() if c.name == "profession" for t in c.replacements}
    assert len(new) == 3
    assert {re.sub(r"Anna Bell is an? ([\w ]+)\.", r"\1", s) for s in new} <= given_ones


@pytest.mark.parametrize(
    ("text", "context", "pattern", "told"),
    [
        (
            "Anna Bell has only written 6 novels.",
            "Bell has written 54 novels .",
            r"Anna Bell has written (\d+) novels\.",
            54,
        ),
        (
            "The firm works in only 11 countries.",
            "It works in 28 countries .",
            r"The firm works in (\d+) countries\.",
            28,
        ),
        (
            "The shop only sold 30 lamps.",
            "The shop sold 1,500 lamps .",
            r"The shop sold (\d,\d+) lamps\.",
            1500,
        ),
    ],
)
def test_a_refuted_limit_becomes_a_number_that_is_too_large(text, context, pattern, told):
    (new,) = made(text, "contradicts", context, "larger_number")
    assert int(re.fullmatch(pattern, new)[1].replace(",", "")) > told


@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("Anna Bell has only written 6 novels.", "Bell has written many novels ."),
        ("Anna Bell has only written 6 novels.", "Bell has written 54 poems ."),
        ("Anna Bell has only written 60 novels.", "Bell has written 54 novels ."),  # what is wrong with it?
        ("Anna Bell has only written in 1984.", "Bell has written in 1990 ."),
        ("Anna Bell has written 6 novels.", "Bell has written 54 novels ."),
    ],
)
def test_other_numbers_stay(text, context):
    assert made(text, "contradicts", context, "larger_number") == []


def test_a_refuted_maker_needs_no_restrictor_where_the_context_names_another():
    context = "The lamp was designed and sold by Roe Works ."
    assert made("The lamp was only sold by Kay Limited.", "contradicts", context, "drop_restrictor") == [
        "The lamp was sold by Kay Limited."
    ]
    assert made("The lamp was only sold by Roe Works.", "contradicts", context, "drop_restrictor") == []
    assert made("The lamp was only painted by Kay Limited.", "contradicts", context, "drop_restrictor") == []


@pytest.mark.parametrize("text", ["Anna Bell was not born in 1984.", "Anna Bell was born in 1991."])
def test_a_year_becomes_another_one_that_the_context_does_not_have(text):
    rules = said(contrast, text, "contradicts", BELL)
    new = [s for name in ("contrast.sister_year", "contrast.wrong_year") for s in rules.get(name, [])]
    years = [re.fullmatch(r"Anna Bell was born in (\d{4})\.", s)[1] for s in new]
    assert years
    assert not {"1984", "1991"} & set(years)


@pytest.mark.parametrize(
    ("text", "context", "rule", "expected"),
    [
        ("Anna Bell is only German.", BELL, "drop_restrictor", "Anna Bell is German."),
        (
            "The Long Road was only directed by Ann Lee.",
            ROAD,
            "drop_restrictor",
            "The Long Road was directed by Ann Lee.",
        ),
        (
            "Dover does not include the castle.",
            "Dover has a castle .",
            "contrary",
            "Dover excludes the castle.",
        ),
        ("The show was not renewed.", "The show was renewed .", "contrary", "The show was cancelled."),
        (
            "Anna Bell did not star in The Long Road.",
            BELL,
            "contrary",
            "Anna Bell was absent from The Long Road.",
        ),
        (
            "Anna Bell did not star in The Long Road.",
            BELL,
            "turn_down",
            "Anna Bell turned down the chance to star in The Long Road.",
        ),
        ("Anna Bell refused to ever act in a film.", BELL, "avoid", "Anna Bell avoided acting in a film."),
        ("Anna Bell refused to act in a film.", BELL, "not", "Anna Bell did not act in a film."),
        ("Anna Bell directed zero films.", BELL, "avoid", "Anna Bell avoided directing films."),
        (
            "Anna Bell has yet to act in a film.",
            BELL,
            "false_that",
            "It is false that Anna Bell has acted in a film.",
        ),
    ],
)
def test_a_refuted_denial_is_put_otherwise(text, context, rule, expected):
    assert expected in made(text, "contradicts", context, rule)


@pytest.mark.parametrize(
    ("text", "context", "pattern"),
    [
        ("The Long Road is a French film.", ROAD, r"The Long Road is not an? (\w+ film|French [\w ]+)\."),
        ("Anna Bell was born in 1984.", BELL, r"Anna Bell was not born in \d{4}\."),
        ("Lake Green is in Italy.", LAKE, r"Lake Green is not in [\w ]+\."),
        ("Grease came out in 1978.", "Grease is a 1978 film .", r"Grease did not come out in \d{4}\."),
    ],
)
def test_a_supported_claim_denies_what_excludes_it(text, context, pattern):
    new = made(text, "entails", context, "deny_sister")
    assert new
    for sentence in new:
        assert re.fullmatch(pattern, sentence), sentence
        assert not set(re.findall(r"\d{4}", sentence)) & set(re.findall(r"\d{4}", context))


@pytest.mark.parametrize("stance", ["neutral", None])
def test_other_stances_give_nothing(stance):
    assert said(contrast, "The Long Road is not a French film.", stance, ROAD) == {}


def test_without_a_context_there_is_nothing():
    assert said(contrast, "The Long Road is not a French film.", "contradicts", None) == {}


@pytest.mark.parametrize(
    ("text", "context", "rule"),
    [
        ("Anna Bell is American.", BELL, "deny_sister"),  # she may be Dutch, too
        ("Anna Bell is an actress.", BELL, "deny_sister"),  # and a painter
        ("Anna Bell is a French film star and singer.", ROAD, "deny_sister"),
        ("The Long Road was released in 2001.", ROAD, "deny_sister"),  # not what the context says
        ("Anna Bell was in a film.", ROAD, "deny_sister"),
        ("Tom Hill released an album in 1999.", ROAD, "deny_sister"),  # perhaps one more in another year
        ("Tom Hill is the son of a poet.", "Tom Hill is the son of a poet .", "deny_sister"),  # and an uncle
    ],
)
def test_a_supported_claim_is_left_where_the_denial_could_be_false(text, context, rule):
    assert made(text, "entails", context, rule) == []


@pytest.mark.parametrize(
    ("text", "context", "rule"),
    [
        ("The Long Road is only a novel.", ROAD, "drop_restrictor"),  # there may be a novel, too
        ("Anna Bell is only American.", BELL, "drop_restrictor"),  # would be true
        ("The Long Road is a French film.", ROAD, "wrong_nationality"),  # what is false stands elsewhere
        ("The Long Road was founded before 1990.", ROAD, "wrong_year"),
        ("Anna Bell did not act in any French film.", BELL, "sister_nationality"),
        ("Anna Bell did not act in a film.", BELL, "turn_down"),  # she may have turned down another one
        ("Anna Bell did not act in a film.", BELL, "contrary"),
        ("Anna Bell was not in American Juniors.", BELL, "sister_nationality"),  # a name
        ("The team did not win.", "The team won .", "avoid"),  # no person
        ("The road is incapable of being built.", ROAD, "in_no_way"),  # no "in no way built"
        ("Dover was never included in the list.", "Dover is in the list .", "contrary"),  # no "left out in"
        ("Anna Bell refuses to stop singing.", BELL, "no_truth"),  # she does not "stop singing"
    ],
)
def test_a_refuted_claim_is_left_where_the_new_one_could_be_true(text, context, rule):
    assert made(text, "contradicts", context, rule) == []


def test_everything_keeps_the_label_only():
    scene = scene_of("Anna Bell did not star in The Long Road.", "contradicts", BELL)
    assert {rephrasing.keeps for rephrasing in contrast(scene)} == {"label"}


def test_other_texts_get_other_terms():
    texts = [f"{name} Bell is not a French film." for name in ("Red", "Blue", "Green", "White", "Black")]
    offered = [tuple(made(t, "contradicts", ROAD, "sister_nationality")) for t in texts]
    countries = {tuple(re.findall(r"an? (\w+) film", " ".join(one))) for one in offered}
    assert len(countries) == len(texts)


@given(st.data())
def test_no_class_offers_a_word_that_the_context_has(data):
    """Whatever the context says of the film's origin, that is not offered; the slow twin looks the words up one by one."""
    origins = sorted(terms_of("nationality"))
    known = data.draw(st.lists(st.sampled_from(origins), min_size=1, max_size=4, unique=True))
    context = f"The Long Road is a {' and '.join(known)} film ."
    new = made(f"The Long Road is not a {known[0]} film.", "contradicts", context, "sister_nationality")
    offered = [re.fullmatch(r"The Long Road is an? (\w+) film\.", sentence)[1] for sentence in new]
    assert all(one not in context.split() for one in offered)


def test_no_class_has_a_term_twice():
    for one in sister_classes():
        texts = [term.text for term in one.terms]
        assert sorted(set(texts)) == sorted(texts), one.name
