"""Spans of a text that rules move or protect: names and titles, phrases, sentences, times.

name_indices(document)      indices of words in names and titles ("Mutiny on the Barge"); rules never change them
WordSpan                        consecutive words
span_of(document, word)     the phrase below a word, None if it is not contiguous
plain_sentences(document)   sentences that rules may rebuild, without the final mark
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from longway.english.document import Change, Document, Word, Words
from longway.english.inflection import MONTHS, capitalise
from longway.english.listed_words import listed_words

_LISTS = listed_words(__name__)
_NAME_CONNECTORS = _LISTS["name_connectors"]
_OPENERS = _LISTS["openers"]
TITLE_WORDS = _LISTS["title_words"]
_OBJECT_PRONOUNS = frozenset("me him her us them".split())
MONTH_WORDS = frozenset(map(str.lower, MONTHS))
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


@lru_cache(maxsize=256)
def name_indices(document: Document) -> frozenset[int]:
    """Return the indices of words in names and titles, including brackets after them and quotations."""
    capital = [_is_capital(document, word) for word in document]
    indices = {i for i, is_capital in enumerate(capital) if is_capital}
    indices |= set(_connectors(document, capital))
    indices |= set(_brackets(document, indices)) | set(_quoted(document)) | set(_numbers(document, indices))
    return frozenset(indices)


def _is_capital(document: Document, word: Word) -> bool:
    """Return True if a capital marks a name; at the start of a sentence more evidence is needed."""
    text = word.text
    if not any(c.isupper() for c in text) or text in ("I", "I'm"):
        return False
    if " " in text:
        return True  # a title that `titles.py` merged into one word
    first, end = document.sentences[document.sentence_number(word)]
    if word.index > first and document.words[word.index - 1].text not in ("“", '"', "``", "''", "'"):
        return True
    if any(c.isupper() or c.isdigit() for c in text[1:]):
        return True
    if word.lower in _OPENERS:
        return _opens_a_number_title(document, word, end)
    return (
        word.upos == "PROPN"
        or _leads_to_a_capital(document, word, end)
        or _may_be_a_title(document, word, end)
    )


def _may_be_a_title(document: Document, word: Word, end: int) -> bool:
    """Return True for the first word of "Telephone was released": a noun without an article may be a title."""
    after = document.words[word.index + 1] if word.index + 1 < end else None
    return after is not None and word.tag in ("NN", "NNP", "VB", "JJ") and after.tag in ("VBZ", "VBD", "MD")


def _leads_to_a_capital(document: Document, word: Word, end: int) -> bool:
    """Return True for "Mutiny" in "Mutiny on the Barge": only connectors precede the next capital or bracket."""
    for other in document.words[word.index + 1 : min(end, word.index + 5)]:
        if other.text[:1].isupper() or other.text == "(":
            return True
        if other.lower not in _NAME_CONNECTORS:
            return False
    return False


def _opens_a_number_title(document: Document, word: Word, end: int) -> bool:
    """Return True for "Two" in "Two and a Half Cats", "No" in "No Way Back", "It" in "It Happens"."""
    if word.lower in ("the", "a", "an") or word.upos == "ADP" or word.index + 1 >= end:
        return False
    after = document.words[word.index + 1]
    follows = after.text[:1].isupper() and after.text != "I"
    return (follows and after.upos != "PROPN") or (
        after.lower == "and" and _leads_to_a_capital(document, word, end)
    )


def _connectors(document: Document, capital: list[bool]) -> Iterator[int]:
    """Yield the connectors between two capitals, and "The" at the start of a title."""
    last = None
    for index, is_capital in enumerate(capital):
        if not is_capital:
            continue
        between = range(last + 1, index) if last is not None else range(0)
        if between and len(between) <= 3 and all(_is_connector(document, i) for i in between):
            yield from between
        last = index
    for index in range(len(capital) - 1):
        word = document.words[index]
        if word.text in ("The", "A", "An") and capital[index + 1] and _opens_a_title(document, index):
            yield index


def _numbers(document: Document, names: set[int]) -> Iterator[int]:
    """Yield the "2" of "Blue Sky 2"."""
    for word in document:
        is_bare = word.upos == "NUM" and word.text.isdigit() and len(word.text) < 3
        if is_bare and word.index - 1 in names and document.words[word.index - 1].lower not in MONTH_WORDS:
            yield word.index


def _is_connector(document: Document, index: int) -> bool:
    word = document.words[index]
    return word.lower in _NAME_CONNECTORS or word.upos == "NUM"


def _opens_a_title(document: Document, index: int) -> bool:
    words = document.sentence_of(document.words[index])
    is_first = words[0].index == index
    return not is_first or any(word.lemma.lower() in TITLE_WORDS for word in words[1:])


def _brackets(document: Document, names: set[int]) -> Iterator[int]:
    """Yield brackets right after a name: "Pearl (album)"."""
    opened: int | None = None
    for word in document:
        if word.text == "(" and word.index - 1 in names:
            opened = word.index
        elif word.text == ")" and opened is not None:
            yield from range(opened, word.index + 1)
            opened = None


def _quoted(document: Document) -> Iterator[int]:
    opened: int | None = None
    for word in document:
        if word.text in ('"', "“", "”", "``", "''"):
            if opened is None:
                opened = word.index
            else:
                yield from range(opened, word.index + 1)
                opened = None


@dataclass(frozen=True, slots=True)
class WordSpan:
    """The words from `first` to `last` (inclusive) of a document."""

    document: Document
    first: int
    last: int

    @property
    def start(self) -> int:
        """Offset of its first character."""
        return self.document.words[self.first].start

    @property
    def end(self) -> int:
        """Offset after its last character."""
        return self.document.words[self.last].end

    @property
    def text(self) -> str:
        """Its text."""
        return self.document.text[self.start : self.end]

    @property
    def words(self) -> Words:
        """Its words."""
        return self.document.words[self.first : self.last + 1]

    @property
    def inside(self) -> str:
        """Its text as written inside a sentence, without the capital of a sentence start."""
        word = self.document.words[self.first]
        opens = any(first == self.first for first, _ in self.document.sentences)
        if not opens or self.first in name_indices(self.document) or word.lower.startswith(("i'", "i ")):
            return self.text
        is_name = word.upos == "PROPN" or word.text == "I" or any(c.isupper() for c in word.text[1:])
        # "Up was released", "Her won a prize": a subject that cannot be one is a title.
        is_name |= word.relation.startswith("nsubj") and (
            word.upos in ("ADV", "ADP") or word.lower in _OBJECT_PRONOUNS
        )
        return self.text if is_name else self.text[:1].lower() + self.text[1:]

    def becomes(self, text: str) -> Change:
        """Return the change that replaces the span."""
        return Change(self.start, self.end, text)

    def __len__(self) -> int:
        return self.last - self.first + 1


def span_of(document: Document, word: Word) -> WordSpan | None:
    """Return the phrase below a word; None if it is not contiguous."""
    below = document.subtree(word)
    first, last = below[0].index, below[-1].index
    return WordSpan(document, first, last) if last - first + 1 == len(below) else None


def as_sentence_start(document: Document, sentence: int, text: str) -> str:
    """Return a text with a capital if the sentence starts with one."""
    first = document.words[document.sentences[sentence][0]].text
    return capitalise(text) if first[:1].isupper() and text[:1].isalpha() else text


def comma_style(document: Document) -> str:
    """Return a comma as the text writes it: some corpora have a space before it."""
    return " ," if " , " in document.text or document.text.endswith(" .") else ","


def plain_sentences(document: Document) -> Iterator[tuple[int, WordSpan]]:
    """Yield the sentences that can be rebuilt: their number and their words up to the final mark.

    Skips questions, quotations, sentences with several marks, and a last word that includes the full stop ("Sun.").
    """
    for number, (first, end) in enumerate(document.sentences):
        last = end - 1
        while last > first and document.words[last].upos == "PUNCT":
            last -= 1
        marks = "".join(word.text for word in document.words[last + 1 : end])
        inner = document.words[first : last + 1]
        if marks not in ("", ".", "!") or document.words[last].text.endswith((".", "]")):
            continue
        if _follows_an_initial(document, first):
            continue
        broken = any(w.text in _BREAKING and w.index not in name_indices(document) for w in inner)
        if last - first >= 1 and not broken and inner[0].upos != "PUNCT":
            yield number, WordSpan(document, first, last)


def _follows_an_initial(document: Document, first: int) -> bool:
    """Return True if a sentence is the rest of one that was split after "J."."""
    before = document.words[max(0, first - 2) : first]
    return bool(before) and (
        len(before[-1].text) <= 3 and before[-1].text not in (".", "!", "?", "...", '"', ")")
    )


_BREAKING = frozenset(
    {'"', "“", "”", "``", "''", ";", ":", "?", "!", "...", "…", "--", "–", "—", "|", "-lrb-", "-rrb-"}
)


def is_time(document: Document, word: Word) -> bool:
    """Return True for the head of a time phrase: "1984", "May", "the 20th century"."""
    words = [word, *document.children(word)]
    if word.upos == "NUM" or word.lower in MONTH_WORDS | _DAYS:
        return any(is_year(w) or w.lower in MONTH_WORDS | _DAYS for w in words)
    return word.lower in _TIMES


def is_year(word: Word) -> bool:
    """Return True for "1984", "1990s"."""
    digits = word.text.rstrip("s").rstrip("'’")
    return len(digits) == 4 and digits.isdigit() and digits[0] in "12"


_TIMES = _LISTS["times"]
