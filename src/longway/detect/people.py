"""Whom a text speaks of: a woman, a child, a Black person.

    tokens  ->  words that say it without a parse (`demographics.plain_words`)  ->  one yes/no answer for each attribute

A model that has learned that texts about women are negative has learned a shortcut like any other. One pattern stands for all
words of an attribute, so that the test sees them together; a single word that tells more has a finding of its own.
A word inside a longer phrase of the same axis does not count: the "man" of "old man" tells a gender, and no age.
"""

from __future__ import annotations

from collections import defaultdict
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix

from longway.arrays import Bools, Ints
from longway.detect.detector import (
    Description,
    Detector,
    Features,
    Spans,
    TokenizedRow,
    by_label,
    columns_of,
    frequent,
    tagged,
)
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.english.people.unambiguous_words import UnambiguousWord, unambiguous_words
from longway.english.people.words import AXES, Attribute
from longway.records import Pattern
from longway.text.corpus import Block, hash_of
from longway.text.keys import Hashes, Occurrences, joined, key_of, phrases

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
        self._hashes = reading.vocabulary.hashes
        self._is_part = np.isin(self._hashes, _phrases().hashes)
        n, n_labels = len(ATTRIBUTES), reading.n_labels
        self.texts, self.mentions = (np.zeros((n, n_labels), dtype=np.int64) for _ in range(2))
        self._texts_with = np.zeros((n, len(_phrases().words)), dtype=np.int64)

    def count(self, reading: Reading) -> Features:
        """How often each attribute stands with each label."""
        every = np.arange(len(ATTRIBUTES))
        for counts in (self.texts, self.mentions, self._texts_with):
            counts[:] = 0
        for piece in reading.pieces():
            found, words = self._mentions(piece.blocks[self.role])
            np.add.at(self.mentions, (found.key, piece.labels[found.row]), 1)
            present = columns_of(
                found.row, found.key, every, piece.n_texts
            )  # ten mentions are still one text
            self.texts += by_label(present, piece.labels, reading.n_labels)
            n = self._texts_with.size
            of_row = np.unique(found.row * n + found.key * self._texts_with.shape[1] + words)
            np.add.at(self._texts_with.ravel(), of_row % n, 1)
        return frequent(every, self.texts, reading.min_count, n_texts=reading.n_texts)

    def describe(self, key: int) -> Description:
        """The attribute."""
        said = [tokens for word in self._said(key) for tokens in _phrases().tokens[word]]
        tags = tagged(self.role, *(token for tokens in said for token in tokens))
        pattern = Pattern(self.level, self.field, place=trait_of(ATTRIBUTES[key]))
        return Description(pattern, tags, self.role, others=tuple(said))

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts speak of whom."""
        found, _ = self._mentions(piece.blocks[self.role])
        return columns_of(found.row, found.key, keys, piece.n_texts)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The words that mention a person with the attribute."""
        attribute = next((i for i, each in enumerate(ATTRIBUTES) if trait_of(each) == pattern.place), None)
        text = row.get(pattern.field)
        if attribute is None or text is None:
            return None
        hashes = np.array([hash_of(token) for token, _, _ in text.tokens], dtype=np.uint64)
        found, _ = mentions(np.zeros(len(hashes), np.int64), hashes, np.isin(hashes, _phrases().hashes))
        here = found.only(found.key == attribute)
        spans = [
            (text.tokens[start][1], text.tokens[stop - 1][2])
            for start, stop in sorted(zip(here.start.tolist(), here.stop.tolist(), strict=True))
        ]
        return {pattern.field: spans} if spans else None

    def words(self, key: int) -> list[tuple[str, int]]:
        """The words that told an attribute and the texts they stand in, most texts first."""
        return [(_phrases().words[word].word, int(self._texts_with[key, word])) for word in self._said(key)]

    def _said(self, key: int) -> list[int]:
        texts = self._texts_with[key]
        return [word for word in np.argsort(-texts, kind="stable").tolist() if texts[word]]

    def _mentions(self, block: Block) -> tuple[Occurrences, Ints]:
        return mentions(block.rows(), self._hashes[block.codes], self._is_part[block.codes])


class _Phrases(NamedTuple):
    """The phrases that mention people. words: that they are forms of; tokens: by word, its phrases. hashes: of all their tokens.

    by_size: of the phrases of so many tokens the keys, ascending, and their numbers. word_of: the word of each phrase.
    tells: by axis, the place in `ATTRIBUTES` that each phrase means, or one of `_THING` and `_SILENT`.
    """

    words: list[UnambiguousWord]
    tokens: list[list[tuple[str, ...]]]
    hashes: Hashes
    by_size: dict[int, tuple[Ints, Ints]]
    word_of: Ints
    tells: list[Ints]


@lru_cache(maxsize=1)
def _phrases() -> _Phrases:
    known = unambiguous_words()
    words = list({id(one): one for one in known.values()}.values())
    number = {id(one): i for i, one in enumerate(words)}
    word_of = np.array([number[id(one)] for one in known.values()], dtype=np.int64)
    tokens: list[list[tuple[str, ...]]] = [[] for _ in words]
    sizes: dict[int, dict[int, int]] = defaultdict(dict)
    for i, (phrase, word) in enumerate(zip(known, word_of.tolist(), strict=True)):
        tokens[word].append(phrase)
        sizes[len(phrase)][key_of(phrase)] = i
    by_size = {
        size: (
            np.array(sorted(of_key), np.int64),
            np.array([of_key[key] for key in sorted(of_key)], np.int64),
        )
        for size, of_key in sizes.items()
    }
    hashes = np.unique(np.array([hash_of(token) for phrase in known for token in phrase], dtype=np.uint64))
    place = {attribute: i for i, attribute in enumerate(ATTRIBUTES)} | {None: _THING}
    tells = [
        np.array(
            [place[one.attributes[axis]] if axis in one.attributes else _SILENT for one in known.values()]
        )
        for axis in AXES
    ]
    return _Phrases(words, tokens, hashes, by_size, word_of, tells)


def trait_of(attribute: Attribute) -> str:
    """The name of the pattern: "speaks of a woman"."""
    return f"speaks of {WHO[attribute.name]}"


def mentions(rows: Ints, hashes: Hashes, is_part: Bools) -> tuple[Occurrences, Ints]:
    """Every mention of a person, with the place of the attribute in `ATTRIBUTES` as its key, and the number of its word.

    rows, hashes: of the tokens. is_part: the tokens that are part of any phrase.
    """
    table, parts = _phrases(), []
    for size, (keys, numbers) in table.by_size.items():
        every = phrases(rows, hashes, size, is_part)
        place = np.minimum(np.searchsorted(keys, every.key), len(keys) - 1)
        is_known = keys[place] == every.key
        parts.append(every._replace(key=numbers[place]).only(is_known))
    found, told, words = joined(parts), [], []
    for tells in table.tells:
        on_axis = found.only(tells[found.key] != _SILENT)
        longest = on_axis.only(~inside_a_longer(on_axis.start, on_axis.stop))
        person = longest.only(tells[longest.key] != _THING)
        told.append(person._replace(key=tells[person.key]))
        words.append(table.word_of[person.key])
    return joined(told), np.concatenate(words)


def inside_a_longer(starts: Ints, stops: Ints) -> Bools:
    """Which of the stretches lie inside another one; no two may be the same.

    >>> inside_a_longer(np.array([3, 0, 1]), np.array([5, 2, 2])).tolist()
    [False, False, True]
    """
    order = np.lexsort((-stops, starts))
    reach = np.maximum.accumulate(stops[order])
    inside = np.zeros(len(starts), dtype=bool)
    inside[order[1:]] = reach[:-1] >= stops[order[1:]]
    return inside
