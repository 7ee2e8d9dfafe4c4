"""An analysed text: words with their tags, lemmas and grammar, each at its exact place in the original.

    Document   the text, its words, its sentences
    Word       one word: where it stands, what it is, on which word it depends

Tags and relations are those of Universal Dependencies, whichever pipeline made them (`text/english.py`), so
that nothing above knows spaCy. A document never changes its text: `document.text[word.start:word.end]` is the word
as it was written.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a document.

    index: its place among the document's words. start, end: its place in the text.
    upos: universal part of speech (NOUN, VERB ...). tag: Penn Treebank tag (NNS, VBZ ...).
    morph: features, "Number=Sing|Person=3"; `feature` reads one.
    head: index of the word it depends on; its own index for the root of a sentence.
    dep: Universal Dependencies relation ("nsubj", "obl:agent" ...); "root" for a root.
    entity: "PERSON", "ORG" ... where the pipeline recognises names, else "".
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
        """One grammatical feature, "" where the word has none.

        >>> Word(0, 0, 4, "runs", "run", "VERB", "VBZ", "Number=Sing|Person=3", 0, "root").feature("Number")
        'Sing'
        """
        for pair in self.morph.split("|"):
            key, _, value = pair.partition("=")
            if key == name:
                return value
        return ""


@dataclass(frozen=True)
class Document:
    """A text and what was found out about its words.

    sentences: the first word of each sentence and the word after its last, as indices into `words`.
    """

    text: str
    words: tuple[Word, ...]
    sentences: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.words)

    def __hash__(self) -> int:
        return hash(
            self.text
        )  # caches hash it for every word; all its words would take as long as the text is

    def __iter__(self) -> Iterator[Word]:
        return iter(self.words)

    @cached_property
    def _children(self) -> tuple[tuple[Word, ...], ...]:
        below: list[list[Word]] = [[] for _ in self.words]
        for word in self.words:
            if word.head != word.index:
                below[word.head].append(word)
        return tuple(map(tuple, below))

    @cached_property
    def _sentence_numbers(self) -> tuple[int, ...]:
        return tuple(number for number, (first, end) in enumerate(self.sentences) for _ in range(first, end))

    def children(self, word: Word, *relations: str) -> tuple[Word, ...]:
        """The words that depend on a word directly, in order; only those with one of the relations if some are given.

        A relation without a subtype ("nsubj") also stands for its subtypes ("nsubj:pass").
        """
        below = self._children[word.index]
        return (
            tuple(w for w in below if w.dep in relations or w.relation in relations) if relations else below
        )

    def head(self, word: Word) -> Word | None:
        """The word that a word depends on, None for the root of a sentence."""
        return None if word.head == word.index else self.words[word.head]

    def ancestors(self, word: Word) -> Iterator[Word]:
        """The word's head, the head's head and so on up to the root."""
        above = self.head(word)
        while above is not None:
            yield above
            above = self.head(above)

    def subtree(self, word: Word) -> tuple[Word, ...]:
        """The word and everything below it, in order of the text."""
        found, waiting = [], [word]
        while waiting:
            current = waiting.pop()
            found.append(current)
            waiting.extend(self._children[current.index])
        return tuple(sorted(found, key=lambda w: w.index))

    def sentence_number(self, word: Word) -> int:
        """Which sentence the word stands in, counted from 0."""
        return self._sentence_numbers[word.index]

    def sentence(self, number: int) -> tuple[Word, ...]:
        """The words of one sentence."""
        first, end = self.sentences[number]
        return self.words[first:end]

    def words_between(self, start: int, end: int) -> tuple[Word, ...]:
        """The words that overlap a stretch of the text, given by its offsets."""
        first = bisect_right(self.words, start, key=lambda w: w.end)
        return self.words[first : bisect_left(self.words, end, key=lambda w: w.start)]
