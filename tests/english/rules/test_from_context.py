"""Other claims from the same evidence: exact texts, silence where the context is not sure, and word-by-word twins."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.rules.facts import Opening, from_context, openings, sentences
from longway.english.rules.sisters import terms_of
from tests.english.rules.said import said, scene_of

SOL = "Mira Sol ( born 4 May 1959 ) is a Peruvian painter , sculptor and poet . She lives in Lima ."
TIDE = "`` Low Tide '' is a 2012 Danish crime film written and directed by Ann Lee , and starring Tom Hill , Bo Kay and Al Roe ."
# Words that a statement has of its own; all others come from the context or the name.
CARRIERS = frozenset(
    "is was are were a an the in on by from born died stars premiered released founded formed of".split()
)


def texts(text, stance, context):
    return [new for found in said(from_context, text, stance, context).values() for new in found]


@pytest.mark.parametrize(
    ("text", "context", "expected"),
    [
        (
            "Mira Sol paints.",
            SOL,
            [
                "Mira Sol is a Peruvian painter.",
                "Mira Sol was born in 1959.",
                "Mira Sol was born in May 1959.",
                "Mira Sol was born on May 4, 1959.",
                "Mira Sol was born on May 4.",
            ],
        ),
        (
            "Low Tide has a plot.",
            TIDE,
            [
                "Low Tide is a 2012 Danish crime film.",
                "Low Tide is a Danish crime film.",
                "Low Tide is a Danish film.",
                "Low Tide is a 2012 Danish film.",
                "Low Tide is a film.",
                "Low Tide was written by Ann Lee.",
                "Low Tide was directed by Ann Lee.",
                "Low Tide stars Tom Hill.",
                "Low Tide stars Bo Kay.",
            ],
        ),
        (
            "Ana Bo was an engineer.",
            "Ana Bo (3 June 1901 – 9 March 1988) was a Chilean engineer. She built bridges.",
            [
                "Ana Bo was a Chilean engineer.",
                "Ana Bo was born in 1901.",
                "Ana Bo was born in June 1901.",
                "Ana Bo was born on June 3, 1901.",
                "Ana Bo was born on June 3.",
                "Ana Bo died in 1988.",
                "Ana Bo died in March 1988.",
                "Ana Bo died on March 9, 1988.",
                "Ana Bo died on March 9.",
            ],
        ),
        (
            "Red Dust sold well.",
            "Red Dust is the third studio album by Irish singer Nora Flynn , released in 1999 .",
            [
                "Red Dust is a studio album by Nora Flynn.",
                "Red Dust is an album by Nora Flynn.",
                "Red Dust is an album.",
            ],
        ),
        (
            "Corvel lies by a river.",
            "Corvel is a small city in Portugal . Corvel was founded in 1602 .",
            [
                "Corvel is a small city.",
                "Corvel is a city.",
                "Corvel is a city in Portugal.",
                "Corvel is in Portugal.",
                "Corvel was founded in 1602.",
            ],
        ),
        (
            "The Bay Kites won twice.",
            "The Bay Kites are an Irish rock band formed in Cork in 1987 .",
            [
                "The Bay Kites are an Irish rock band.",
                "The Bay Kites were formed in 1987.",
            ],
        ),
        (
            "Night Shift ran for years.",
            "Night Shift is an American television series created by Nora Flynn . Night Shift premiered on NBC .",
            [
                "Night Shift is an American television series.",
                "Night Shift was created by Nora Flynn.",
                "Night Shift premiered on NBC.",
            ],
        ),
        ("Odo is old.", "Odo is the capital of Peru .", ["Odo is the capital of Peru."]),
        ("Odo is old.", "Odo is an independently run shop .", ["Odo is an independently run shop."]),
        (
            "Ana Bo is old.",
            "Ana Bo is a Chilean film and television actress .",
            ["Ana Bo is a Chilean film and television actress.", "Ana Bo is a Chilean actress."],
        ),
        (
            "Odo is old.",
            "Odo AG is a Danish firm , based in Oslo .",
            ["Odo is a Danish firm.", "Odo is a firm.", "Odo is based in Oslo."],
        ),
        (
            "Tom Hill sings.",
            "Hill died of cancer on May 2 , 2001 . Hill was born in Lima .",
            [
                "Tom Hill died in 2001.",
                "Tom Hill died in May 2001.",
                "Tom Hill died on May 2, 2001.",
                "Tom Hill died on May 2.",
                "Tom Hill was born in Lima.",
            ],
        ),
    ],
)
def test_true_claims_say_what_the_context_says(text, context, expected):
    assert sorted(texts(text, "entails", context)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "context", "pattern", "term_class"),
    [
        ("Mira Sol never paints.", SOL, r"Mira Sol is an? (\w+) painter\.", "nationality"),
        ("Mira Sol never paints.", SOL, r"Mira Sol is a Peruvian ([\w ]+)\.", "profession"),
        ("Mira Sol never paints.", SOL, r"Mira Sol was born in (\w+) 1959\.", "month"),
        ("Low Tide is a song.", TIDE, r"Low Tide was directed by ([\w. ]+)\.", "director"),
        ("Low Tide is a song.", TIDE, r"Low Tide is an? ([\w ]+)\.", "work"),
        ("Corvel is big.", "Corvel is a city in Portugal .", r"Corvel is in ([\w ]+)\.", "country"),
        ("Odo is big.", "Odo is a firm based in Oslo .", r"Odo is based in ([\w ]+)\.", "city"),
        ("Odo aired late.", "Odo aired on NBC .", r"Odo aired on ([\w ]+)\.", "network"),
        (
            "Red Dust failed.",
            "Red Dust is an album by Nora Flynn .",
            r"Red Dust is an album by ([\w ]+)\.",
            "performer",
        ),
    ],
)
def test_false_claims_change_one_thing_to_another_of_its_class(text, context, pattern, term_class):
    found = [m[1] for new in texts(text, "contradicts", context) if (m := re.fullmatch(pattern, new))]
    known = terms_of(term_class)
    offered = [
        one
        for one in found
        if one in known or one.removeprefix("the ") in known or term_class == "profession"
    ]
    assert len(offered) >= 3
    assert all(one not in context and one not in text for one in offered)


def test_false_years_are_not_near_and_not_known():
    years = [
        int(m[1])
        for new in texts("Mira Sol is old.", "contradicts", SOL)
        if (m := re.search(r"(\d{4})\.$", new))
    ]
    wrong = [year for year in years if year != 1959]
    assert len(wrong) >= 3
    assert all(abs(year - 1959) > 2 for year in wrong)


@pytest.mark.parametrize("stance", ["entails", "contradicts"])
@pytest.mark.parametrize(
    ("text", "context"),
    [
        ("Mira Sol paints.", None),
        ("Mira Sol paints. She is good.", SOL),  # two sentences
        ("A woman paints.", SOL),  # no name
        ("Ana Bo paints.", SOL),  # another name
        ("Mira Sol paints.", "She is a Peruvian painter ."),
        ("Mira Sol paints.", "The work of Mira Sol is a treasure ."),
        ("Mira Sol paints.", "Mira Sol 's mother is a Peruvian painter ."),
        ("Mira Sol paints.", "Mira Sol and Ana Bo are Peruvian painters ."),
        ("Odo is good.", "Odo is a term for dry soil ."),
        ("Odo is good.", "Odo is a form of art ."),
        ("Odo is good.", "Odo is an old cable and satellite channel ."),  # no cable
        ("Odo is good.", "Odo is an intellectual and art movement ."),
        ("Odo is good.", "Odo is a group ."),
        ("Odo is good.", "Odo is an independently run by monks ."),
        ("Odo (film) is good.", "Odo is a sitcom based on the film ."),  # another Odo
        ("Tide is good.", TIDE),  # half a name
        ("Sol is good.", SOL),
    ],
)
def test_nothing_is_said_where_it_is_not_sure(text, context, stance):
    assert texts(text, stance, context) == []


@pytest.mark.parametrize(
    ("text", "context", "wrong"),
    [
        (
            "Odo is good.",
            "Odo is a film based on a novel written by Ann Lee .",
            "written by",
        ),  # the novel was
        ("Odo is good.", "Odo is an album by Boys on the Corner .", "Boys"),
        ("Odo is good.", "Odo is a film written by Roe and Ann Lee , with help from Bo Roe .", "by Roe"),
        ("Odo is good.", "Odo is a reality television judge .", "a judge"),
        ("Odo is good.", "Odo is a fictional city in Peru .", "is a city."),
        ("Odo is good.", "Odo is a comic appearing in American books published by Kay Press .", "published"),
    ],
)
def test_parts_of_a_sentence_that_speak_of_something_else_are_left(text, context, wrong):
    assert not [new for new in texts(text, "entails", context) if wrong in new]


@pytest.mark.parametrize("stance", ["neutral", None])
def test_other_stances_give_nothing(stance):
    assert texts("Mira Sol paints.", stance, SOL) == []


def test_a_name_that_tells_its_kind_keeps_it():
    context = "The Gate is a 1984 French film ."
    made = texts("The Gate (1984 film) is good.", "contradicts", context)
    assert made
    assert all(re.fullmatch(r"The Gate \(1984 film\) is an? (1984 )?\w+ film\.", new) for new in made)
    assert all(m.group() == "1984" for new in made for m in re.finditer(r"\d{4}", new))


def test_no_date_is_made_that_does_not_exist():
    context = "Ana Bo (born 30 January 1959) is a Chilean poet."
    made = [new for new in texts("Ana Bo is old.", "contradicts", context) if re.search(r" on \w+ 30\.", new)]
    assert made == []


@pytest.mark.parametrize(
    ("context", "name", "expected"),
    [
        ("Mira Sol is old.", "Mira Sol", Opening("Mira Sol", "", "is old")),
        ("Mira Ana Sol ( born 1959 ) is old .", "Mira Sol", Opening("Mira Sol", "born 1959", "is old")),
        ("Miranda `` Mira '' Sol is old .", "Mira Sol", Opening("Mira Sol", "", "is old")),
        (
            "Ana Bo , known professionally as Mira Sol , is old .",
            "Mira Sol",
            Opening("Mira Sol", "", "is old"),
        ),
        ("Mira Sol , a Peruvian , is old .", "Mira Sol", Opening("Mira Sol", "", "is old")),
        ("The Hills are old.", "Hills", Opening("The Hills", "", "are old")),
        ("Pearl is an album.", "Pearl (album)", Opening("Pearl (album)", "", "is an album")),
        (
            "Mira Sol ( Lima ) ( born 1959 ) is old .",
            "Mira Sol",
            Opening("Mira Sol", "Lima; born 1959", "is old"),
        ),
    ],
)
def test_a_name_is_found_in_the_forms_that_are_surely_it(context, name, expected):
    assert list(openings(context, name)) == [expected]


def test_sentences_end_where_they_end():
    assert sentences("A . B J. Roe . C") == ["A", "B J. Roe", "C"]
    assert sentences("By J. Roe Jr. of Lima. It ends.") == ["By J. Roe Jr. of Lima", "It ends"]
    assert sentences("") == []


NATIONS = st.sampled_from(sorted(terms_of("nationality")))
NOUNS = st.sampled_from(
    ["film", "novel", "song", "album", "television series", "crime film", "short documentary"]
)
PEOPLE = st.sampled_from(["Ann Lee", "Tom Hill", "Nora Flynn", "Bo van Kay"])
CONTEXTS = st.builds(
    lambda year, nation, noun, verb, who: (
        f"Low Tide is a {year} {nation} {noun} {verb} by {who} . Others exist ."
    ),
    st.integers(1900, 2015),
    NATIONS,
    NOUNS,
    st.sampled_from(["directed", "written", "produced", "written and directed"]),
    PEOPLE,
)


def _content(text):
    return [word for word in re.findall(r"[\w-]+", text) if word.lower() not in CARRIERS]


@given(CONTEXTS)
def test_every_word_of_a_true_claim_stands_in_the_context(context):
    scene = scene_of("Low Tide exists.", "entails", context)
    made = [one.apply(scene.document) for one in from_context(scene)]
    assert made
    for new in made:
        assert set(_content(new)) <= set(_content(context)), new


@given(CONTEXTS)
def test_a_false_claim_differs_by_something_that_stands_nowhere(context):
    scene = scene_of("Low Tide exists.", "contradicts", context)
    made = list(from_context(scene))
    assert made
    for one in made:
        assert one.keeps == "label"
        new = one.apply(scene.document)
        assert set(_content(new)) - set(_content(f"{context} Low Tide exists.")), new


@given(CONTEXTS, st.sampled_from(["entails", "contradicts"]))
def test_claims_are_different_keep_the_label_and_come_the_same_each_time(context, stance):
    scene = scene_of("Low Tide exists.", stance, context)
    made = list(from_context(scene))
    assert made == list(from_context(scene))
    assert len({one.apply(scene.document) for one in made}) == len(made)
    assert {one.keeps for one in made} == {"label"}
    assert all(re.fullmatch(r"Low Tide \w+ .*[^.]\.", one.apply(scene.document)) for one in made)
