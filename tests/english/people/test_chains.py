"""Person chains on short texts of our own, read by the real pipeline, and what must hold for every document."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longway.english.document import Document, Word
from longway.english.people.chains import find_chains, load_weights
from tests.english.handmade import pipeline


def groups(text):
    """The chains of a text that hold more than one mention, as written."""
    document = pipeline().analyse(text)
    found = find_chains(document)
    return [
        [_written(document, mention) for mention in chain.mentions]
        for chain in found
        if len(chain.mentions) > 1
    ]


def _written(document, mention):
    return document.text[document.words[mention.start].start : document.words[mention.end - 1].end]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Anna Berg left. Berg was tired.", [["Anna Berg", "Berg"]]),
        ("Mary Stone left. Mary was tired.", [["Mary Stone", "Mary"]]),
        ("John Miller met Peter Miller.", []),
        ("He hurt himself.", [["He", "himself"]]),
        ("She lost her keys.", [["She", "her"]]),
        ("Mary Stone lost her keys.", [["Mary Stone", "her"]]),
        ("He thanked his wife. She smiled.", [["He", "his"], ["wife", "She"]]),
        ("Anna met her brother. He was late.", [["Anna", "her"], ["brother", "He"]]),
        ("Tom told Mary that she was right.", [["Mary", "she"]]),
        ("Mary told Tom that he was right.", [["Tom", "he"]]),
        ("John saw him.", []),  # two places of one verb are two people
        ("The nurse, Ann Lee, came at once.", [["The nurse", "Ann Lee"]]),
        ("My mother is a nurse. She works nights.", [["mother", "a nurse", "She"]]),
        ("The nurse, Ann Lee, and Tom Gray came at once.", []),  # a list, no apposition
    ],
)
def test_mentions_of_one_person_are_one_chain(text, expected):
    assert groups(text) == expected


def test_gender_comes_from_words_pronouns_and_first_names():
    document = pipeline().analyse("Mr. Brown slept. Mary Stone read. The teacher laughed.")
    assert [(chain.name, chain.gender) for chain in find_chains(document)] == [
        ("Mr. Brown", "masculine"),
        ("Mary Stone", "feminine"),
        ("", ""),
    ]


def test_the_shipped_weights_are_fitted_and_their_bounds_in_order():
    weights = load_weights()
    assert 0 < weights.balanced < weights.sure < 1
    assert any(value for row in weights.table.values() for value in row)


WORDS = st.sampled_from(
    'He she him her his hers himself they them I you we it Mary Stone Mr. John said who wife the a doctor , . " and of saw was US Mrs'.split()
)
TAGS = st.sampled_from("NNP NN NNS PRP PRP$ VBD VBZ VB DT IN CC , . `` '' WP JJ".split())
RELATIONS = st.sampled_from(
    "nsubj obj obl nmod nmod:poss appos flat compound conj cc root cop acl:relcl ccomp advcl det punct dep".split()
)
UPOS = st.sampled_from("PROPN NOUN PRON VERB AUX DET ADP CCONJ PUNCT ADJ X".split())


@st.composite
def documents(draw):
    """Any words with any tags in any forest, cut into sentences anywhere: parsers err in every way."""
    text, words, sentences = "", [], []
    for _ in range(draw(st.integers(0, 4))):
        first, length = len(words), draw(st.integers(1, 8))
        for place in range(length):
            form = draw(WORDS)
            start = len(text) + bool(text)
            text = f"{text} {form}" if text else form
            head = first + draw(st.integers(0, place))  # an earlier word or itself: no circles
            index = first + place
            dep = "root" if head == index else draw(RELATIONS.filter(lambda r: r != "root"))
            words.append(
                Word(
                    index, start, start + len(form), form, form.lower(), draw(UPOS), draw(TAGS), "", head, dep
                )
            )
        sentences.append((first, len(words)))
    return Document(text, tuple(words), tuple(sentences))


@given(documents())
def test_any_document_has_chains_in_order_and_no_mention_twice(document):
    found = find_chains(document)
    assert found == find_chains(document)
    starts = [mention.start for chain in found for mention in chain.mentions]
    assert len(starts) == len(set(starts))
    assert all(list(chain.mentions) == sorted(chain.mentions, key=lambda m: m.start) for chain in found)
    assert [chain.mentions[0].start for chain in found] == sorted(chain.mentions[0].start for chain in found)


def test_long_documents_take_time_in_proportion():
    """No timing: the work is counted by how many people a pronoun is held against, which must not grow with the text."""
    from longway.english.people.chains import PronounResolver
    from longway.english.people.discourse import PronounContext

    unit = "Mary Stone met John Brown. She told him that her friend had left. "
    sizes = []
    for times in (10, 40):
        reading = PronounResolver(pipeline().analyse(unit * times), load_weights())
        sizes.append(max(len(PronounContext(reading.scene, pronoun).people) for pronoun in reading.pronouns))
    assert sizes[0] == sizes[1]
