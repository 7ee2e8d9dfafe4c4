import re

from hypothesis import example, given
from hypothesis import strategies as st

from longway.english.people.change import NO_NUMBER, NOBODY, Place, Request, Rules, as_one, change_person
from longway.english.people.demographic_mentions import find_demographics
from longway.english.people.person_names import replacement_names
from longway.english.people.pronouns import FORMS, HE, SHE
from longway.english.people.words import demographic_entries, parse_attribute
from longway.english.pipeline import load_pipeline
from longway.english.verb_agreement import verbs_of

PRONOUNS = {pronoun.form(form) for pronoun in (HE, SHE) for form in FORMS}


def request(texts, word, target):
    """The request to change the person that a word names, the word given by its first place."""
    segments = (texts,) if isinstance(texts, str) else tuple(texts)
    joined = as_one(segments)
    wanted = parse_attribute(target)
    match = next(
        (i, found)
        for i, text in enumerate(segments)
        if (found := re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text))
    )
    sources = [
        found.attribute
        for found in find_demographics(load_pipeline().analyse(joined)).words
        if joined[found.start : found.stop] == word and found.attribute.axis == wanted.axis
    ]
    source = sources[0] if sources else parse_attribute("man")
    return Request(segments, Place(match[0], *match[1].span()), source, wanted)


def perturbed(texts, word, target, **settings):
    done = change_person(request(texts, word, target), Rules(**settings))
    return done.segments[0] if isinstance(texts, str) else done.segments


def test_an_age_in_numbers_is_not_left_open():
    done = change_person(request("A 9-year-old boy waved.", "boy", "adult"))
    assert done.segments == ("A 9-year-old boy waved.",)
    assert done.reason == NO_NUMBER


def test_a_pair_is_changed_with_one_name_in_both_texts():
    pair = ("John lost his hat.", "A hat was lost by John.")
    premise, hypothesis = perturbed(pair, "John", "woman")
    name = premise.split()[0]
    assert name != "John"
    assert premise == f"{name} lost her hat."
    assert hypothesis == f"A hat was lost by {name}."


def test_people_with_a_full_name_stay_on_request():
    text = "Mary Smith said she agreed."
    assert perturbed(text, "she", "man") != text
    assert perturbed(text, "she", "man", keep_entities=True) == text


def test_a_word_that_names_nobody_changes_nothing():
    done = change_person(request("The rain fell.", "rain", "woman"))
    assert done.segments == ("The rain fell.",)
    assert done.reason == NOBODY


PEOPLE = st.sampled_from(["He", "She"])
ACTIONS = st.sampled_from(
    [
        "lost {d} hat",
        "hurt {r}",
        "said that the dog bit {o}",
        "sold {d} old car to pay {d} debts",
        "kept it, for it was {p}",
        # where "her" is "him" or "his" by what stands around it only
        "said that we saw {o} leave",
        "said that we watched {o} dance all night",
        "said that it helps {o} sleep",
        "said that they gave {o} money",
        "said that they gave {o} flowers and {d} keys",
        "thanked us because we told {o} stories",
        "liked {d} dance",
        "read {d} stories",
        "lost {d} money",
        "gave {d} money to the poor",
        "said that I know {d} house",
    ]
)


@st.composite
def pronoun_sentences(draw):
    person = draw(PEOPLE)
    pronoun = HE if person == "He" else SHE
    action = draw(ACTIONS).format(
        d=pronoun.determiner, o=pronoun.object, p=pronoun.possessive, r=pronoun.reflexive
    )
    ending = draw(st.sampled_from([".", " yesterday.", f", and {pronoun.subject} laughed."]))
    return f"{person} {action}{ending}"


@given(pronoun_sentences())
@example("He knew that they call him boss.")
def test_there_and_back_gives_the_original_for_pronouns(text):
    person = text.split()[0]
    there, back = ("woman", "man") if person == "He" else ("man", "woman")
    changed = perturbed(text, person, there)
    other = changed.split()[0]
    assert other != person
    assert perturbed(changed, other, back) == text


@given(
    first=st.sampled_from(["uncle", "father", "nephew", "brother"]),
    second=st.sampled_from(["sister", "aunt", "mother", "niece"]),
    thing=st.sampled_from(["a red ball", "the old house", "two letters", "her keys"]),
)
def test_nothing_outside_the_chain_changes_and_every_new_word_is_listed(first, second, thing):
    text = f"Yesterday my {first} gave {thing} to a {second} of the mayor."
    changed = perturbed(text, first, "woman")
    before, after = text.split(), changed.split()
    assert len(before) == len(after)
    listed = (
        {entry.word for entry in demographic_entries()}
        | {name.name for name in replacement_names()}
        | PRONOUNS
    )
    for old, new in zip(before, after, strict=True):
        if old != new:
            assert old in (first, "her", "his")
            assert new in listed
    assert second in after


def words_and_places(text):
    return [(match[0], match.start()) for match in re.finditer(r"\w+|[^\w\s]", text)]


def strays_of(done, text):
    """The words that were changed though they are neither in the chain nor an article or verb that belongs to it."""
    document = load_pipeline().analyse(text)
    chain = [range(place.start, place.end) for place in done.chain]
    mine = [word for word in document if any(word.start in span for span in chain)]
    allowed = {verb.start for word in mine for verb in verbs_of(document, word)}
    allowed |= {
        document.words[word.index - 1].start
        for word in mine
        if word.index and document.words[word.index - 1].lower in ("a", "an")
    }
    before, after = words_and_places(text), words_and_places(done.segments[0])
    assert len(before) == len(after)
    return [
        old
        for (old, place), (new, _) in zip(before, after, strict=True)
        if old != new and place not in allowed and not any(place in span for span in chain)
    ]


MEN = st.sampled_from(["father", "brother", "uncle", "son", "nephew", "grandfather"])
WOMEN = st.sampled_from(["mother", "sister", "aunt", "daughter", "niece", "grandmother"])


@given(
    kin=MEN | WOMEN,
    verb=st.sampled_from(["loves", "hates", "helps", "knows", "kissed", "scolded"]),
    ending=st.sampled_from([".", " very much.", " every day."]),
)
def test_whose_relative_it_is_stays_with_every_word_for_them(kin, verb, ending):
    is_man = kin in ("father", "brother", "uncle", "son", "nephew", "grandfather")
    owner, them, target = ("His", "him", "woman") if is_man else ("Her", "her", "man")
    text = f"{owner} {kin} {verb} {them}{ending}"
    done = change_person(request(text, kin, target))
    other = done.segments[0].split()[1]
    assert other != kin
    assert done.segments[0] == f"{owner} {other} {verb} {them}{ending}"
    assert [text[place.start : place.end] for place in done.chain] == [kin]


@given(
    people=st.tuples(MEN, MEN) | st.tuples(WOMEN, WOMEN),
    sentence=st.sampled_from(
        [
            "My {0} met the {1} of the mayor.",
            "An {adjective} {0} helped the {1} of a friend.",
            "My {0} says that {s} is late, and your {1} is angry.",
            "My {0} hurt {r}, said the {1} of the mayor.",
        ]
    ),
    adjective=st.sampled_from(["old", "angry"]),
    target=st.sampled_from(["other", "non-binary"]),
)
def test_of_two_people_of_one_gender_only_the_chosen_one_changes(people, sentence, adjective, target):
    is_man = people[0] in ("father", "brother", "uncle", "son", "nephew", "grandfather")
    pronoun = HE if is_man else SHE
    text = sentence.format(*people, adjective=adjective, s=pronoun.subject, r=pronoun.reflexive)
    wanted = target if target != "other" else "woman" if is_man else "man"
    done = change_person(request(text, people[0], wanted))
    if done.segments[0] != text:  # some words have no counterpart without a gender
        assert strays_of(done, text) == []
        assert f" {people[1]} " in done.segments[0]
    else:
        assert target == "non-binary"


def test_everyone_is_changed_on_request():
    text = "My aunt met a waitress and her son."
    assert perturbed(text, "aunt", "man", everyone=True) == "My uncle met a waiter and his son."


def test_the_chain_is_told_with_exact_places():
    asked = request("My aunt hurt herself.", "aunt", "man")
    done = change_person(asked)
    words = [asked.segments[p.segment][p.start : p.end] for p in done.chain]
    assert {"aunt", "herself"} <= set(words)
