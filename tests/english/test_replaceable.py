"""Which words may be replaced, on sentences analysed by hand."""

import pytest

from longway.english.document import Document, Word
from longway.english.replacements import LookupUnit, frames_at, is_counted, lookup_unit, position_at

pytest.importorskip("lemminflect")

UPOS = {
    "N": "NOUN",
    "V": "VERB",
    "J": "ADJ",
    "R": "ADV",
    "D": "DET",
    "I": "ADP",
    "P": "PRON",
    "T": "PART",
    "M": "AUX",
}


def analysed(annotated: str) -> Document:
    """A document of one sentence from "The|the|DT|det|1 films|film|NNS|nsubj|2 ~.|.|.|punct|2"; ~ joins to the left."""
    text, words = "", []
    for index, item in enumerate(annotated.split()):
        form, lemma, tag, dep, head = item.removeprefix("~").split("|")
        text += "" if index == 0 or item.startswith("~") else " "
        upos = "PROPN" if tag.startswith("NNP") else UPOS.get(tag[0], "PUNCT")
        words.append(
            Word(index, len(text), len(text) + len(form), form, lemma, upos, tag, "", int(head), dep)
        )
        text += form
    return Document(text, tuple(words), ((0, len(words)),))


def unit_at(annotated: str, place: int):
    document = analysed(annotated)
    return lookup_unit(document.words[place], document)


def test_a_plain_noun_is_its_own_unit():
    unit = unit_at("The|the|DT|det|1 movie|movie|NN|nsubj|2 ended|end|VBD|root|2", 1)
    assert (unit.lemma, unit.upos, unit.start, unit.end) == ("movie", "NOUN", 4, 9)


@pytest.mark.parametrize(
    ("annotated", "place", "why"),
    [
        ("The|the|DT|det|1 Movie|movie|NN|nsubj|2 ended|end|VBD|root|2", 1, "a capital inside the sentence"),
        ("Movie|movie|NN|compound|1 Night|night|NN|nsubj|2 ended|end|VBD|root|2", 0, "part of a compound"),
        ("Paris|paris|NNP|nsubj|1 slept|sleep|VBD|root|1", 0, "a proper noun"),
        ("Dreamer|dreamer|NN|nsubj|4 (|(|-LRB-|punct|2 ~film|film|NN|appos|0 ~)|)|-RRB-|punct|2 ended|end|VBD|root|4", 2, "title"),
        ('I|I|PRP|nsubj|1 saw|see|VBD|root|1 "|"|``|punct|4 ~the|the|DT|det|4 movie|movie|NN|obj|1 ~"|"|\'\'|punct|4', 4, "quoted"),
        ("self|self|NN|obl|2 ~-|-|HYPH|punct|2 ~consciously|consciously|RB|root|2", 2, "part of a hyphenated word"),
        ("She|she|PRP|nsubj|1 took|take|VBD|root|1 it|it|PRP|obj|1", 1, "a verb that means little by itself"),
        ("of|of|IN|case|1 course|course|NN|root|1", 1, "an expression of WordNet"),
        ("as|as|IN|case|2 a|a|DT|det|2 result|result|NN|root|2", 2, "an expression of our list"),
        ("They|they|PRP|nsubj|1 enjoyed|enjoy|VBD|root|1 themselves|themselves|PRP|obj|1", 1, "a reflexive verb"),
        ("I|I|PRP|nsubj|1 depend|depend|VBP|root|1 on|on|IN|case|3 you|you|PRP|obl|1", 1, "a chosen preposition"),
        ("He|he|PRP|nsubj|2 is|be|VBZ|cop|2 careful|careful|JJ|root|2 of|of|IN|case|4 it|it|PRP|obl|2", 2, "careful of"),
        ("so|so|RB|advmod|1 amazing|amaze|VBG|root|1", 1, "an adjective with the tag of a verb"),
        ("two|two|CD|nummod|1 moovies|moovie|NNS|root|1", 1, "no such word"),
        ("the|the|DT|det|1 movies|movie|NN|root|1", 1, "a tag that the form contradicts"),
        ("a|a|DT|det|1 short|short|JJ|obj|1", 1, "an adjective where nouns stand"),
    ],
)  # fmt: skip
def test_a_word_stays_where_another_would_be_wrong(annotated, place, why):
    assert unit_at(annotated, place) is None, why


def test_a_particle_elsewhere_in_the_sentence_keeps_the_verb():
    assert (
        unit_at("She|she|PRP|nsubj|1 gave|give|VBD|root|1 it|it|PRP|obj|1 up|up|RP|compound:prt|1", 1) is None
    )


def test_a_noun_is_looked_up_with_the_words_before_it():
    unit = unit_at("two|two|CD|nummod|2 ice|ice|NN|compound|2 creams|cream|NNS|root|2", 2)
    assert (unit.lemma, unit.start, unit.end) == ("ice cream", 4, 14)


def test_a_compound_that_wordnet_does_not_have_stays():
    assert unit_at("a|a|DT|det|2 television|television|NN|compound|2 writer|writer|NN|root|2", 2) is None


def test_words_in_capitals_are_no_names_but_abbreviations_stay():
    assert unit_at("A|a|DT|det|1 MOVIE|movie|NN|root|1", 1) is not None
    assert unit_at("An|a|DT|det|1 SUV|suv|NN|root|1", 1) is None


@pytest.mark.parametrize(
    ("annotated", "place", "has", "has_not"),
    [
        ("He|he|PRP|nsubj|1 reads|read|VBZ|root|1 books|book|NNS|obj|1", 1, 8, 2),
        ("He|he|PRP|nsubj|1 sleeps|sleep|VBZ|root|1", 1, 2, 8),
        ("He|he|PRP|nsubj|1 tries|try|VBZ|root|1 to|to|TO|mark|3 win|win|VB|xcomp|1", 1, 28, 8),
        ("He|he|PRP|nsubj|1 stops|stop|VBZ|root|1 singing|sing|VBG|xcomp|1", 1, 33, 28),
        ("It|it|PRP|nsubj:pass|2 was|be|VBD|aux:pass|2 built|build|VBN|root|2", 2, 11, 2),
        ("He|he|PRP|nsubj|1 says|say|VBZ|root|1 she|she|PRP|nsubj|3 won|win|VBD|ccomp|1", 1, 26, 8),
        ("He|he|PRP|nsubj|1 lent|lend|VBD|root|1 her|she|PRP|iobj|1 money|money|NN|obj|1", 1, 14, 8),
    ],
)
def test_frames_follow_what_stands_after_the_verb(annotated, place, has, has_not):
    document = analysed(annotated)
    word = document.words[place]
    frames = frames_at(_unit(word), document)
    assert has in frames
    assert has_not not in frames


def test_a_relative_clause_leaves_the_frame_open():
    document = analysed("films|film|NNS|root|0 I|I|PRP|nsubj|2 bought|buy|VBD|acl:relcl|0")
    assert frames_at(_unit(document.words[2]), document) == frozenset()


def test_adjectives_stand_before_after_or_as_predicates():
    before = analysed("a|a|DT|det|2 big|big|JJ|amod|2 dog|dog|NN|root|2")
    predicate = analysed("dogs|dog|NNS|nsubj|2 are|be|VBP|cop|2 big|big|JJ|root|2")
    after = analysed("something|something|NN|root|0 big|big|JJ|amod|0")
    assert position_at(_unit(before.words[1]), before) == "a"
    assert position_at(_unit(predicate.words[2]), predicate) == "p"
    assert position_at(_unit(after.words[1]), after) == "ip"


@pytest.mark.parametrize(
    ("annotated", "place", "counted"),
    [
        ("a|a|DT|det|1 dog|dog|NN|root|1", 1, True),
        ("dogs|dog|NNS|root|0", 0, True),
        ("the|the|DT|det|1 bread|bread|NN|root|1", 1, False),
        ("her|she|PRP$|nmod:poss|1 bread|bread|NN|root|1", 1, False),
        ("bread|bread|NN|root|0", 0, False),
    ],
)
def test_counting_follows_article_and_number(annotated, place, counted):
    document = analysed(annotated)
    assert is_counted(document.words[place], document) == counted


def _unit(word):
    return LookupUnit(word.lemma, word.upos, word, word.start, word.end)
