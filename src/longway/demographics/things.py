"""What is called "she" or "he" and is no person: ships, countries, animals.

    pronouns_of_things(document, chains)     the pronouns that stand for one, as indices

    "The ship lost her mast."    "The motherland and her sons."    "My cat is ill. She sleeps."

Only where nobody else can be meant: no person who fits is spoken of before, and the thing is what the clause or the sentence before it
is about. "The captain left his ship" and "On the ship she slept" speak of people.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longway.text.chains import Chain
from longway.text.document import Document, Word
from longway.text.people import Mention, people

ANIMALS = frozenset(
    "animal ape bear beast beetle bird bitch bull butterfly calf camel cat chicken chimpanzee cow crab crocodile deer dog dolphin donkey "
    "duck eagle elephant elk falcon fish fox frog giraffe goat goose gorilla hamster hare hawk hen horse hound insect kangaroo kitten "
    "lamb leopard lion lioness lizard mammal mare monkey moose moth mouse orca orangutan otter owl ox panda panther parrot penguin pet "
    "pig pigeon pony puppy rabbit rat reptile rhino rooster salmon seal shark sheep snake spider squirrel stallion swan tiger tigress "
    "toad tortoise turtle whale wolf wombat worm zebra".split()
)
_CALLED_SHE = frozenset(
    "ship boat vessel yacht schooner frigate galleon steamer steamship warship battleship destroyer cruiser submarine ferry liner tanker "
    "brig trawler tugboat barge country nation motherland fatherland homeland".split()
)


def is_animal(word: Word) -> bool:
    """True for "cat", "wolves"."""
    return word.upos in ("NOUN", "PROPN") and word.lemma.lower() in ANIMALS


def pronouns_of_things(document: Document, chains: Sequence[Chain]) -> frozenset[int]:
    """The words "he" and "she", in all forms, that stand for a ship, a country or an animal, as indices."""
    if not any(word.lemma.lower() in ANIMALS | _CALLED_SHE for word in document):
        return frozenset()
    mentions = people(document)
    groups = [chain.mentions for chain in chains]
    known = {mention.start for group in groups for mention in group}
    groups += [(mention,) for mention in mentions if mention.start not in known]
    return frozenset(
        mention.head
        for group in groups
        if all(mention.kind == "pronoun" for mention in group)
        and any(_is_of_a_thing(document, mention, mentions) for mention in group)
        for mention in group
    )


def _is_of_a_thing(document: Document, pronoun: Mention, mentions: Sequence[Mention]) -> bool:
    if not pronoun.gender:
        return False
    number = document.sentence_number(document.words[pronoun.head])
    if any(other.lower in ("it", "its") for other in document.sentence(number)):
        return False  # "The ship was old, but she loved it"
    may_be_meant = any(
        mention.start < pronoun.start and mention.person == 3 and mention.certain
        and mention.number == "sing" and mention.gender in ("", pronoun.gender)
        for mention in mentions
    )  # fmt: skip
    names = ANIMALS | _CALLED_SHE if pronoun.gender == "feminine" else ANIMALS
    return not may_be_meant and any(other.lemma.lower() in names for other in _topics(document, pronoun))


def _topics(document: Document, pronoun: Mention) -> Iterator[Word]:
    """What the sentence before is about, and for "her" and "his" what its own is about up to there."""
    number = document.sentence_number(document.words[pronoun.head])
    first, _ = document.sentences[number]
    start = document.sentences[number - 1][0] if number else first
    end = pronoun.start if pronoun.form == "possessive" else first
    for word in document.words[start:end]:
        if word.tag in ("NN", "NNP") and word.relation in ("nsubj", "root"):
            yield word
