"""Mentions of people: on sentences written by hand where the parse matters, by the real pipeline elsewhere."""

from dataclasses import replace
from itertools import pairwise

import pytest

from longway.english.document import Word
from longway.english.people.mentions import find_mentions, head_index, is_mainly_first_name, person_noun_kind
from tests.english.handmade import document_of, pipeline


def found(document, *kinds):
    """The mentions as they are written, of some kinds or of all."""
    return [
        document.text[document.words[m.start].start : document.words[m.end - 1].end]
        for m in find_mentions(document)
        if not kinds or m.kind in kinds
    ]


def only(annotated):
    mentions = find_mentions(document_of(annotated))
    assert len(mentions) == 1
    return mentions[0]


@pytest.mark.parametrize(
    ("word", "gender", "number", "person", "form"),
    [
        ("she|PRP", "feminine", "sing", 3, "subject"),
        ("they|PRP", "", "plur", 3, "subject"),
        ("I|PRP", "", "sing", 1, "subject"),
        ("ours|PRP", "", "plur", 1, "possessive"),
        ("yourself|PRP", "", "sing", 2, "reflexive"),
    ],
)
def test_a_pronoun_says_who_it_can_be(word, gender, number, person, form):
    mention = only(word)
    assert mention.kind == "pronoun"
    assert (mention.gender, mention.number, mention.person, mention.form) == (gender, number, person, form)


@pytest.mark.parametrize(
    ("annotated", "form"),
    [
        ("lost|VBD her|PRP$|nmod:poss|2 keys|NNS|obj|0", "possessive"),
        ("saw|VBD her|PRP|obj|0", "object"),
        ("gave|VBD her|PRP|iobj|0 keys|NNS|obj|0", "object"),
    ],
)
def test_her_is_possessive_where_it_determines_a_noun(annotated, form):
    assert only(annotated).form == form


@pytest.mark.parametrize("word", ["US|NNP", "mine|NN", "I|CD", "it|PRP", "who|WP"])
def test_what_only_looks_like_a_personal_pronoun_is_none(word):
    assert all(mention.kind != "pronoun" for mention in find_mentions(document_of(word)))


@pytest.mark.parametrize(
    ("annotated", "kind", "gender", "number"),
    [
        ("mother|NN", "kin", "feminine", "sing"),
        ("cousin|NN", "kin", "", "sing"),
        ("waitress|NN", "role", "feminine", "sing"),
        ("teacher|NN", "role", "", "sing"),
        ("people|NNS", "role", "", "plur"),
        ("oceanographer|NN", "role", "", "sing"),
        ("chairwoman|NN", "role", "feminine", "sing"),
        ("human|NN", None, None, None),
        ("typewriter|NN", None, None, None),
        ("madam|NN", "title", "feminine", "sing"),
    ],
)
def test_nouns_for_people(annotated, kind, gender, number):
    mentions = find_mentions(document_of(annotated))
    assert [(m.kind, m.gender, m.number) for m in mentions] == ([(kind, gender, number)] if kind else [])


def test_a_noun_takes_its_article_and_adjectives_but_no_possessor():
    document = document_of(
        "The|DT|det|2 old|JJ|amod|2 nurse|NN|nsubj|3 met|VBD his|PRP$|nmod:poss|6 young|JJ|amod|6 wife|NN|obj|3"
    )
    assert found(document) == ["The old nurse", "his", "young wife"]


def test_a_noun_that_only_modifies_a_thing_is_no_person():
    assert found(document_of("student|NN|compound|1 union|NN")) == []
    assert found(document_of("student|NN|compound|1 nurse|NN")) == ["student", "nurse"]


@pytest.mark.parametrize(
    ("annotated", "parts", "title", "gender"),
    [
        ("Nora|NNP|nsubj|2 Vance|NNP|flat|0 sang|VBD", ("nora", "vance"), "", "feminine"),
        ("Dr.|NNP|nmod|1 Vance|NNP|nsubj|2 sang|VBD", ("vance",), "dr.", ""),
        ("Mrs.|NNP|nmod|1 Vance|NNP|nsubj|2 sang|VBD", ("vance",), "mrs.", "feminine"),
        ("Sir|NNP|nmod|1 Taylor|NNP|nsubj|2 sang|VBD", ("taylor",), "sir", "masculine"),
        ("Ben|NNP|nsubj|3 Vance|NNP|flat|0 Jr.|NNP|flat|0 sang|VBD", ("ben", "vance", "jr"), "", "masculine"),
        ("Anna|NNP|nsubj|4 van|IN|flat|0 der|DT|flat|0 Meer|NNP|flat|0 sang|VBD", ("anna", "van", "der", "meer"), "", "feminine"),
        ("Jean|NNP|nsubj|3 ~-|:|punct|2 ~Marc|NNP|flat|0 sang|VBD", ("jean", "marc"), "", ""),
        ("Mary|NNP|nsubj|1 sang|VBD", ("mary",), "", "feminine"),
        ("Taylor|NNP|nsubj|1 said|VBD", ("taylor",), "", ""),
    ],
)  # fmt: skip
def test_a_name_is_one_mention_with_its_title(annotated, parts, title, gender):
    mention = only(annotated)
    assert (mention.kind, mention.parts, mention.title, mention.gender) == ("name", parts, title, gender)


def test_a_nickname_in_quotes_is_part_of_the_name():
    assert found(
        document_of("Joan|NNP|nsubj|5 “|``|punct|2 Jo|NNP|flat|0 ”|''|punct|2 Vance|NNP|flat|0 sang|VBD")
    ) == ["Joan “ Jo ” Vance"]


@pytest.mark.parametrize(
    "text",
    [
        "She studied at Columbia University.",
        "They moved to Springfield, Illinois.",
        "Paris is lovely in April.",
        "He joined the Royal Navy in May.",
        "Will you be there on Monday?",
        "NATO and the BBC agreed.",
        "Early in the morning it rained.",
    ],
)
def test_places_firms_and_days_are_no_people(text):
    document = pipeline().analyse(text)
    assert [m for m in find_mentions(document) if m.kind == "name" and m.certain] == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Carla Mendes met her old friend Tom at the station.", ["Carla Mendes", "Tom"]),
        ("Professor Adler introduced Grace Okafor and Yusuf Khan.", ["Professor Adler", "Grace Okafor", "Yusuf Khan"]),
        ("Eleanor of Aquitaine outlived Henry II.", ["Eleanor of Aquitaine", "Henry II"]),
        ("Vrbkova, who was born in 1950, paints.", ["Vrbkova"]),
        ("Vrbkova's husband paints.", ["Vrbkova"]),
    ],
)  # fmt: skip
def test_people_are_found_by_name_and_by_their_place(text, names):
    document = pipeline().analyse(text)
    certain = {m.start for m in find_mentions(document) if m.kind == "name" and m.certain}
    assert found(document, "name") == names
    assert len(certain) == len(names)


def test_entities_of_the_pipeline_count():
    document = document_of("Zyxx|NNP|nsubj|1 shone|VBD")
    person, firm = (
        replace(document, words=(replace(document.words[0], entity=entity), document.words[1]))
        for entity in ("PERSON", "ORG")
    )
    assert [m.certain for m in find_mentions(person)] == [True]
    assert find_mentions(firm) == ()


def test_mentions_do_not_overlap_and_come_in_order():
    document = pipeline().analyse(
        "His wife, the actress Ines Marlow, told President Lena Ortiz and her aides that Mr. Roe's son had left them."
    )
    mentions = find_mentions(document)
    assert all(one.end <= other.start for one, other in pairwise(mentions))
    assert all(m.start <= m.head < m.end for m in mentions)


def test_the_head_of_a_run_hangs_outside_it():
    document = document_of("saw|VBD Ann|NNP|compound|2 Roe|NNP|obj|0")
    assert head_index(document, document.words[1:]) == 2


def test_noun_kind_reads_the_lemma_too():
    assert person_noun_kind(Word(0, 0, 8, "nephews", "nephew", "NOUN", "NNS", "", 0, "root")) == (
        "kin",
        "masculine",
    )


@pytest.mark.parametrize(
    ("name", "is_first"),
    [("Mary", True), ("Robert", True), ("Taylor", False), ("Smith", False), ("Qwxyz", False)],
)
def test_first_names_that_are_surnames_too_are_told_apart(name, is_first):
    assert is_mainly_first_name(name) is is_first
