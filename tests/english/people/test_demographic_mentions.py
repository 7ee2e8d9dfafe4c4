import pytest

from longway.english.people.demographic_mentions import find_demographics, find_persons
from longway.english.pipeline import load_pipeline


def words(text, axis=None):
    found = find_demographics(load_pipeline().analyse(text)).words
    return [
        (text[word.start : word.stop], str(word.attribute))
        for word in found
        if axis in (None, word.attribute.axis)
    ]


def left(text):
    return {
        text[one.start : one.stop]: one.reason
        for one in find_demographics(load_pipeline().analyse(text)).skipped
    }


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "His mother called him.",
            [("His", "gender:man"), ("mother", "gender:woman"), ("him", "gender:man")],
        ),
        ("The Duchess of Parma sold her palace.", [("Duchess", "gender:woman"), ("her", "gender:woman")]),
        ("A young man waved.", [("man", "gender:man")]),
        ("My father-in-law cooks.", [("father-in-law", "gender:man")]),
        ("The girls' school won the women's cup.", [("girls", "gender:woman"), ("women", "gender:woman")]),
    ],
)
def test_words_that_tell_a_gender(text, expected):
    assert words(text, "gender") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A black man bought a black car.", [("black", "race:black")]),
        ("An Asian poet sold Asian art.", [("Asian", "race:asian")]),
        ("The white pawn took a black pawn on an Asian board.", []),
        ("The Black community met.", [("Black", "race:black")]),
    ],
)
def test_words_that_tell_a_race_and_those_that_do_not(text, expected):
    assert [one for one in words(text, "race") if one[0].lower() in ("black", "white", "asian")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A ten-year-old girl drove a ten-year-old car.", [("ten", "age:child"), ("girl", "age:child")]),
        ("The old man met his old car.", [("old man", "age:senior")]),
        ("Grandpa, aged 81, slept.", [("81", "age:senior")]),
        ("She is 30 years old.", [("30", "age:young")]),
    ],
)
def test_words_that_tell_an_age(text, expected):
    assert words(text, "age") == expected


@pytest.mark.parametrize(
    ("text", "word", "reason"),
    [
        ("He wore a white shirt.", "white", "a colour"),
        ("Stephen King wrote it.", "King", "a surname"),
        ("They met at King's College in May.", "King", "part of a name"),
        ("It was a near miss.", "miss", "no title here"),
        ("The Miss World pageant began.", "Miss", "part of a name"),
        ("They father a plan.", "father", "a verb here"),
        ("It is a sister city of Lyon.", "sister city", "no person is meant"),
        ("Another chick flick opened.", "chick", "describes a thing"),
        ("The 10-year-old car broke.", "10", "the age of a thing"),
        ('We saw "Iron Man" twice.', "Man", "part of a name"),
    ],
)
def test_what_only_looks_demographic_is_left_with_the_reason(text, word, reason):
    assert left(text).get(word) == reason
    assert word not in [found for found, _ in words(text)]


def test_names_tell_a_gender_where_they_are_a_person():
    assert ("Ann", "gender:woman") in words("Ann lost her hat.")
    assert words("Clinton Memorial opened.", "gender") == []


def test_a_word_that_is_said_of_everybody_tells_nothing_alone():
    document = load_pipeline().analyse("The actor smiled.")
    (person,) = find_persons(document)
    assert person.words[0].is_generic
    assert person.attributes("gender") == set()


def test_words_of_one_person_come_together():
    text = "My father-in-law is a middle-aged man; he loves his Asian wife."
    people = [
        [text[w.start : w.stop] for w in person.words]
        for person in find_persons(load_pipeline().analyse(text))
    ]
    assert any({"father-in-law", "he", "his"} <= set(words) for words in people)
    assert ["Asian", "wife"] in people


def test_singular_they_belongs_to_its_person():
    text = "Kim hurt themself."
    assert ("themself", "gender:non-binary") in words(text)


def test_a_text_without_people_has_none():
    assert words("The rain fell on the black roof of the old mill.") == []
    assert find_persons(load_pipeline().analyse("")) == ()
