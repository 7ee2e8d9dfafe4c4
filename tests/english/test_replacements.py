"""Words put in the place of others: hand-worked cases, any document, and the real pipeline."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english import replacements
from longway.english.document import Document, Word, apply_changes
from longway.english.replacements import (
    antonyms,
    synonyms,
    with_article,
)
from longway.english.wordnet import related_words, word_lists
from tests.english.handmade import pipeline
from tests.english.test_replaceable import analysed

pytest.importorskip("lemminflect")

FIND = {"synonym": synonyms, "antonym": antonyms}


def words_for(relation, annotated, place, **options):
    document = analysed(annotated)
    return [r.text for r in FIND[relation](document.words[place], document, **options)]


@pytest.mark.parametrize(
    ("relation", "annotated", "place", "expected"),
    [
        ("synonym", "two|two|CD|nummod|1 movies|movie|NNS|root|1", 1, ["motion pictures", "films"]),
        ("synonym", "She|she|PRP|nsubj|1 purchased|purchase|VBD|root|1 it|it|PRP|obj|1", 1, ["bought"]),
        ("synonym", "Children|child|NNS|nsubj|1 sleep|sleep|VBP|root|1", 0, ["Kids"]),
        ("synonym", "CHILDREN|child|NNS|nsubj|1 SLEEP|sleep|VBP|root|1", 0, ["KIDS"]),
        ("antonym", "a|a|DT|det|2 bigger|big|JJR|amod|2 dog|dog|NN|root|2", 1, ["smaller"]),
        ("antonym", "the|the|DT|det|2 worst|bad|JJS|amod|2 dog|dog|NN|root|2", 1, ["best"]),
        ("antonym", "They|they|PRP|nsubj|1 hated|hate|VBD|root|1 it|it|PRP|obj|1", 1, ["loved"]),
    ],
)
def test_a_replacement_has_the_form_of_the_word(relation, annotated, place, expected):
    assert words_for(relation, annotated, place) == expected


def test_a_word_that_is_there_already_is_not_given():
    text = "films|film|NNS|root|0 and|and|CC|cc|2 movies|movie|NNS|conj|0"
    assert words_for("synonym", text, 0) == ["motion pictures"]


def test_transitive_use_asks_for_a_transitive_word():
    intransitive = "It|it|PRP|nsubj|1 happened|happen|VBD|root|1"
    assert words_for("synonym", intransitive, 1) == ["occurred"]


def test_more_goes_only_with_words_that_have_no_comparative_of_their_own():
    compared = "more|more|RBR|advmod|1 difficult|difficult|JJ|root|1"
    assert words_for("synonym", compared, 1) == []
    assert words_for("synonym", "difficult|difficult|JJ|root|0", 0) == ["hard"]


def test_a_verb_with_its_particle_is_replaced_as_one():
    document = analysed(
        "He|he|PRP|nsubj|1 summed|sum|VBD|root|1 up|up|RP|compound:prt|1 the|the|DT|det|4 plot|plot|NN|obj|1"
    )
    [replacement] = synonyms(document.words[1], document)
    assert apply_changes(document.text, [replacement.change]) == "He summarized the plot"


def test_the_article_follows_the_new_word():
    document = analysed("a|a|DT|det|2 difficult|difficult|JJ|amod|2 task|task|NN|root|2")
    replacement = next(r for r in antonyms(document.words[1], document) if r.text == "easy")
    assert apply_changes(document.text, [replacement.change]) == "a easy task"
    assert apply_changes(document.text, with_article(document, replacement)) == "an easy task"


def test_a_replacement_says_what_it_is():
    document = analysed("the|the|DT|det|1 movie|movie|NN|root|1")
    film = next(r for r in synonyms(document.words[1], document) if r.lemma == "film")
    assert (film.relation, film.sense) == ("synonym", "movie.n.01")
    assert film.fit == pytest.approx(1.0)
    assert film.back == pytest.approx(39 / (39 + 16.5 + 5 + 1 / 3 + 5 + 1 / 4 + 1 / 5))


def test_stricter_bounds_give_fewer_words_and_loose_ones_more(monkeypatch):
    document = analysed("the|the|DT|det|1 actor|actor|NN|root|1")
    monkeypatch.setattr(replacements, "MIN_COUNT", 10_000)
    assert synonyms(document.words[1], document) == []
    for name, value in (("MIN_COUNT", 0), ("MIN_BACK", 0.1), ("MIN_RATIO", 0)):
        monkeypatch.setattr(replacements, name, value)
    assert {"thespian", "histrion"} <= {r.lemma for r in synonyms(document.words[1], document)}


def test_looking_up_without_a_sentence_lists_everything():
    assert {c.lemma for c in related_words("film", "NOUN", "synonym")} >= {"movie", "picture", "celluloid"}
    assert next(c.lemma for c in related_words("large", "ADJ", "antonym")) == "small"
    indirect = related_words("gigantic", "ADJ", "antonym", indirect=True)
    assert {c.lemma for c in indirect} & {"small", "little"}
    assert related_words("gigantic", "ADJ", "antonym") == []
    assert related_words("qwx", "NOUN", "synonym") == []


def test_no_pair_is_listed_as_both_right_and_wrong():
    lists = word_lists()
    for (relation, upos, word), others in lists.right.items():
        assert word not in lists.kept[upos], word
        for other in others:
            assert not lists.is_wrong(relation, upos, word, other), (word, other)


TAGS = [
    "NN",
    "NNS",
    "VB",
    "VBD",
    "VBG",
    "VBN",
    "VBZ",
    "JJ",
    "JJR",
    "JJS",
    "RB",
    "DT",
    "IN",
    "RP",
    "NNP",
    "PRP",
    "",
]
UPOS = ["NOUN", "VERB", "ADJ", "ADV", "DET", "ADP", "PROPN", "PRON", "X", "PUNCT"]
DEPS = [
    "nsubj",
    "obj",
    "amod",
    "advmod",
    "compound",
    "compound:prt",
    "obl",
    "xcomp",
    "ccomp",
    "case",
    "det",
    "acl:relcl",
    "mark",
    "cop",
]
FORMS = ["film", "films", "movie", "big", "bigger", "Dogs", "sleeping", "gave", "up", "a", "an", "of", "course", "CAR", "quickly", "-", "(", ")",
         '"', "ice", "cream", "best", "hated", "ß", "İ", "é", "naïve", "x", "children", "bought", "happened", "really", "\ud800", "’"]  # fmt: skip


@st.composite
def documents(draw):
    """Documents of one or two sentences with any tags and any tree."""
    n = draw(st.integers(1, 9))
    text, words = draw(st.sampled_from(["", " ", "- "])), []
    cut = draw(st.integers(1, n))
    for index in range(n):
        form = draw(st.sampled_from(FORMS))
        first = 0 if index < cut else cut
        head = draw(st.integers(first, index)) if index > first else index
        dep = "root" if head == index else draw(st.sampled_from(DEPS))
        lemma = draw(st.sampled_from([form.lower(), "film", "give", "big", ""]))
        upos, tag = draw(st.sampled_from(UPOS)), draw(st.sampled_from(TAGS))
        words.append(Word(index, len(text), len(text) + len(form), form, lemma, upos, tag, "", head, dep))
        text += form + draw(st.sampled_from([" ", "", "  ", "-"]))
    return Document(text, tuple(words), tuple((a, b) for a, b in ((0, cut), (cut, n)) if a < b))


@given(documents())
def test_any_document_gives_replacements_that_leave_the_rest_as_it_was(document):
    for word in document:
        for find in FIND.values():
            given = find(word, document)
            assert given == find(word, document)
            for one in given:
                changed = apply_changes(document.text, [one.change])
                assert changed == document.text[: one.start] + one.text + document.text[one.end :]
                assert one.start <= word.start < word.end <= one.end
                assert one.text != word.text


@pytest.mark.parametrize(
    ("text", "relation", "word", "expected"),
    [
        ("I bought a car yesterday.", "synonym", "bought", "purchased"),
        ("The children are playing in the garden.", "synonym", "children", "kids"),
        ("The food was awful.", "synonym", "awful", "terrible"),
        ("This is the best restaurant in town.", "antonym", "best", "worst"),
        ("The rooms were bigger than ours.", "antonym", "bigger", "smaller"),
    ],
)
def test_the_real_pipeline_finds_the_expected_word(text, relation, word, expected):
    document = pipeline().analyse(text)
    place = next(w for w in document if w.text == word)
    assert expected in [r.text for r in FIND[relation](place, document)]
