"""Whom a text speaks of: a woman, a child, a Black person.

    tokens  ->  words that say it without a parse (`demographics.plain_words`)  ->  one yes/no answer for each attribute

A model that has learned that texts about women are negative has learned a shortcut like any other. One pattern stands for all
words of an attribute, so that the test sees them together; a single word that tells more has a finding of its own.
A word inside a longer phrase of the same axis does not count: the "man" of "old man" tells a gender, and no age.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.detector import (
    Description,
    Detector,
    Features,
    Ints,
    Spans,
    TokenizedRow,
    TokenizedText,
    columns_of,
    enough,
    tagged,
    tally,
    zeros,
)
from longway.detect.phrase_finder import PhraseFinder, inside_a_longer
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.english.people.demographics import AXES, Attribute
from longway.english.people.unambiguous_words import UnambiguousWord, unambiguous_words
from longway.records import Pattern
from longway.text.corpus import Block

ATTRIBUTES = tuple(Attribute(axis, name) for axis, names in AXES.items() for name in names)
WHO = {
    "man": "a man",
    "woman": "a woman",
    "non-binary": "a person of open gender",
    "white": "a white person",
    "black": "a Black person",
    "hispanic": "a Hispanic person",
    "asian": "an Asian person",
    "native-american": "a Native American",
    "pacific-islander": "a Pacific Islander",
    "child": "a child",
    "young": "a young adult",
    "middle-aged": "a middle-aged person",
    "senior": "an old person",
    "adult": "an adult",
}
_THING, _SILENT = -1, -2  # a phrase that means no person; one that says nothing on the axis


class PeopleDetector(Detector):
    """Does the text speak of a person with this attribute?

    texts, mentions: by attribute and label, how many texts do and how often; known after `count`.
    """

    level = "people"
    roles = (TEXT, CONTEXT)

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self._finder = PhraseFinder(unambiguous_words(), reading.vocabulary.codes)
        self._words, self._word_of, self._tokens, self._tells = _tables()
        self.texts = zeros(len(ATTRIBUTES), reading.n_labels)
        self.mentions = zeros(len(ATTRIBUTES), reading.n_labels)
        self._texts_with = zeros(len(ATTRIBUTES), len(self._words))

    def count(self, reading: Reading) -> Features:
        """How often each attribute stands with each label."""
        n, n_words, n_labels = len(ATTRIBUTES), len(self._words), reading.n_labels
        self.texts, self.mentions = zeros(n, n_labels), zeros(n, n_labels)
        self._texts_with = zeros(n, n_words)
        for piece in reading.pieces():
            rows, told, words = self._mentioned(piece.blocks[self.role])
            self.mentions += tally(told, piece.labels[rows], n, n_labels)
            once = np.unique(rows * n + told)  # ten mentions are still one text
            self.texts += tally(once % n, piece.labels[once // n], n, n_labels)
            with_word = np.unique((rows * n + told) * n_words + words) % (n * n_words)
            self._texts_with += np.bincount(with_word, minlength=n * n_words).reshape(n, n_words)
        keys = enough(self.texts, reading.min_count, n_texts=reading.n_texts)
        return Features(keys, self.texts[keys])

    def describe(self, key: int) -> Description:
        """The attribute."""
        phrases = [tokens for word in self._said(key) for tokens in self._tokens[word]]
        tags = tagged(self.role, *(token for tokens in phrases for token in tokens))
        pattern = Pattern(self.level, self.field, place=trait_of(ATTRIBUTES[key]))
        return Description(pattern, tags, self.role, others=tuple(phrases))

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts speak of whom."""
        rows, told, _ = self._mentioned(piece.blocks[self.role])
        return columns_of(rows, told, keys, piece.n_texts)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The words that mention a person with the attribute."""
        attribute = next((each for each in ATTRIBUTES if trait_of(each) == pattern.place), None)
        text = row.get(pattern.field)
        if attribute is None or text is None:
            return None
        spans = _mentions(text, attribute)
        return {pattern.field: spans} if spans else None

    def words(self, key: int) -> list[tuple[str, int]]:
        """The words that told an attribute and the texts they stand in, most texts first."""
        return [(self._words[word].word, int(self._texts_with[key, word])) for word in self._said(key)]

    def _said(self, key: int) -> list[int]:
        texts = self._texts_with[key]
        return [word for word in np.argsort(-texts, kind="stable").tolist() if texts[word]]

    def _mentioned(self, block: Block) -> tuple[Ints, Ints, Ints]:
        """Row, attribute and word of each mention."""
        starts, stops, phrases = self._finder.find(block)
        parts: list[tuple[Ints, Ints, Ints]] = []
        for tells in self._tells:
            here = np.flatnonzero(tells[phrases] != _SILENT)
            told = here[~inside_a_longer(starts[here], stops[here])]
            told = told[tells[phrases[told]] != _THING]
            rows = np.searchsorted(block.offsets, starts[told], side="right") - 1
            parts.append((rows, tells[phrases[told]], self._word_of[phrases[told]]))
        rows, attributes, words = (np.concatenate(column) for column in zip(*parts, strict=True))
        return rows, attributes, words


@lru_cache(maxsize=1)
def _tables() -> tuple[list[UnambiguousWord], Ints, list[list[tuple[str, ...]]], list[Ints]]:
    """Return the distinct words, the word of each phrase, the phrases of each word, and by axis the attribute of each phrase."""
    phrases = unambiguous_words()
    words = list({id(one): one for one in phrases.values()}.values())
    number = {id(one): i for i, one in enumerate(words)}
    word_of = np.array([number[id(one)] for one in phrases.values()], dtype=np.int64)
    tokens_of: list[list[tuple[str, ...]]] = [[] for _ in words]
    for tokens, one in phrases.items():
        tokens_of[number[id(one)]].append(tokens)
    known = {attribute: i for i, attribute in enumerate(ATTRIBUTES)} | {None: _THING}
    tells = [
        np.array(
            [known[one.attributes[axis]] if axis in one.attributes else _SILENT for one in phrases.values()]
        )
        for axis in AXES
    ]
    return words, word_of, tokens_of, tells


def trait_of(attribute: Attribute) -> str:
    """The name of the pattern: "speaks of a woman"."""
    return f"speaks of {WHO[attribute.name]}"


def _mentions(text: TokenizedText, attribute: Attribute) -> Spans:
    """The phrases that mention the attribute, but not those inside a longer one about the same axis."""
    known, longest = unambiguous_words(), _longest_phrase()
    tokens = [token for token, _, _ in text.tokens]
    on_axis = [
        (start, stop, known[phrase].attributes[attribute.axis])
        for start in range(len(tokens))
        for stop in range(start + 1, min(start + longest, len(tokens)) + 1)
        if (phrase := tuple(tokens[start:stop])) in known and attribute.axis in known[phrase].attributes
    ]
    return [
        (text.tokens[start][1], text.tokens[stop - 1][2])
        for start, stop, meant in on_axis
        if meant == attribute
        and not any(a <= start and stop <= b and b - a > stop - start for a, b, _ in on_axis)
    ]


@lru_cache(maxsize=1)
def _longest_phrase() -> int:
    return max(map(len, unambiguous_words()))
