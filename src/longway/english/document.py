"""Analysed texts: words with tags, lemmas and grammar, each with its offsets in the original text.

    Document, Word           a text, its words and sentences
    Change, apply_changes    replacements of stretches of a text

Tags and relations are those of Universal Dependencies. A document never changes its text:
`document.text[word.start:word.end]` is the word as written.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a document.

    index: position among the document's words. start, end: offsets in the text.
    upos: universal part of speech (NOUN, VERB ...). tag: Penn Treebank tag (NNS, VBZ ...).
    morph: features such as "Number=Sing|Person=3"; `feature` returns one of them.
    head: index of the word it depends on; its own index for the root of a sentence.
    dep: Universal Dependencies relation ("nsubj", "obl:agent" ...); "root" for a root.
    entity: "PERSON", "ORG" ... if the pipeline recognises named entities, else "".
    """

    index: int
    start: int
    end: int
    text: str
    lemma: str
    upos: str
    tag: str
    morph: str
    head: int
    dep: str
    entity: str = ""

    @property
    def relation(self) -> str:
        """The relation without its subtype: "nsubj" for "nsubj:pass"."""
        return self.dep.partition(":")[0]

    @property
    def lower(self) -> str:
        """The word in lower case, with a plain apostrophe."""
        return self.text.lower().replace("’", "'")

    def feature(self, name: str) -> str:
        """The value of one grammatical feature, or "".

        >>> Word(0, 0, 4, "runs", "run", "VERB", "VBZ", "Number=Sing|Person=3", 0, "root").feature("Number")
        'Sing'
        """
        for pair in self.morph.split("|"):
            key, _, value = pair.partition("=")
            if key == name:
                return value
        return ""

    def becomes(self, text: str) -> Change:
        """Return the change that replaces the word."""
        return Change(self.start, self.end, text)


Words = tuple[Word, ...]


def any_lower(words: Iterable[Word], options: Container[str]) -> bool:
    """Whether one of some words, in lower case, is among the options."""
    return any(word.lower in options for word in words)


def any_tag(words: Iterable[Word], tags: Container[str]) -> bool:
    """Whether one of some words has one of the tags."""
    return any(word.tag in tags for word in words)


def any_upos(words: Iterable[Word], parts: Container[str]) -> bool:
    """Whether one of some words is one of the parts of speech."""
    return any(word.upos in parts for word in words)


@dataclass(frozen=True)
class Document:
    """A text and the analysis of its words.

    sentences: for each sentence the index of its first word and of the word after its last.
    """

    text: str
    words: Words
    sentences: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.words)

    def __hash__(self) -> int:
        return hash(self.text)  # hashing all words would make caches keyed by document slow

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    @cached_property
    def _children(self) -> tuple[Words, ...]:
        below: list[list[Word]] = [[] for _ in self.words]
        for word in self.words:
            if word.head != word.index:
                below[word.head].append(word)
        return tuple(map(tuple, below))

    @cached_property
    def _sentence_numbers(self) -> tuple[int, ...]:
        return tuple(number for number, (first, end) in enumerate(self.sentences) for _ in range(first, end))

    def children(self, word: Word, *relations: str) -> Words:
        """The direct dependents of a word in text order, optionally only those with one of the relations.

        A relation without a subtype ("nsubj") includes its subtypes ("nsubj:pass").
        """
        below = self._children[word.index]
        if not relations:
            return below
        return tuple(w for w in below if w.dep in relations or w.relation in relations)

    def word_at(self, index: int) -> Word | None:
        """The word with that index, or None outside the document."""
        return self.words[index] if 0 <= index < len(self.words) else None

    def lower_at(self, index: int) -> str:
        """The word with that index in lower case, or "" outside the document."""
        return self.words[index].lower if 0 <= index < len(self.words) else ""

    def before(self, word: Word) -> Word | None:
        """The word before a word, or None at the start of the text."""
        return self.word_at(word.index - 1)

    def after(self, word: Word) -> Word | None:
        """The word after a word, or None at the end of the text."""
        return self.word_at(word.index + 1)

    @property
    def root(self) -> Word | None:
        """The root of the first sentence, or None in an empty text."""
        return next((word for word in self.words if word.head == word.index), None)

    def head(self, word: Word) -> Word | None:
        """The word that a word depends on, or None for the root of a sentence."""
        return None if word.head == word.index else self.words[word.head]

    def ancestors(self, word: Word) -> Iterator[Word]:
        """The head of a word, the head of that head, and so on up to the root."""
        above = self.head(word)
        while above is not None:
            yield above
            above = self.head(above)

    def subtree(self, word: Word) -> Words:
        """The word and all its descendants, in text order."""
        members, stack = [], [word]
        while stack:
            current = stack.pop()
            members.append(current)
            stack.extend(self._children[current.index])
        return tuple(sorted(members, key=lambda w: w.index))

    def sentence_number(self, word: Word) -> int:
        """The number of the sentence that contains the word, counted from 0."""
        return self._sentence_numbers[word.index]

    def sentence(self, number: int) -> Words:
        """The words of one sentence."""
        first, end = self.sentences[number]
        return self.words[first:end]

    def sentence_of(self, word: Word) -> Words:
        """The words of the sentence that contains the word."""
        return self.sentence(self.sentence_number(word))

    def words_between(self, start: int, end: int) -> Words:
        """The words that overlap the stretch of text between two offsets."""
        first = bisect_right(self.words, start, key=lambda w: w.end)
        return self.words[first : bisect_left(self.words, end, key=lambda w: w.start)]


@dataclass(frozen=True, slots=True, order=True)
class Change:
    """Replaces `text[start:end]` by `text`; an empty stretch is an insertion."""

    start: int
    end: int
    text: str


def apply_changes(text: str, changes: Iterable[Change]) -> str:
    """Return the text with all changes applied. Offsets refer to the original text.

    >>> apply_changes("He runs.", [Change(3, 7, "walks"), Change(0, 2, "She")])
    'She walks.'

    Overlapping changes are a bug of the caller and raise ValueError.
    """
    parts, position = [], 0
    for change in sorted(changes):
        if not position <= change.start <= change.end <= len(text):
            raise ValueError(
                f"A change must lie inside the text ({len(text)} characters) and start after the previous one, "
                f"which ends at {position}. Got {change!r}. Drop one of two changes that overlap."
            )
        parts += [text[position : change.start], change.text]
        position = change.end
    return "".join([*parts, text[position:]])
