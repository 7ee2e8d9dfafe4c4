"""Stretches of a text that rules move about: what is a name, where a phrase ends, how it is written elsewhere.

in_names(document)          indices of words that belong to a name or title ("Mutiny on the Barge"): never touched
Piece                       some words in a row, as rules move them
piece_of(document, word)    the phrase that hangs on a word, None where it is not in one piece
plain_sentences(document)   sentences that rules may rebuild, with their last word before the full stop
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from longway.text.capitals import capitalised
from longway.text.document import Document, Word

# Small words that stand inside names: "Mutiny on the Barge", "The Lord of the Rings".
_INSIDE = frozenset(
    "of the and in on a an to for with at from by de la van der du von & 's - : , 's’".split()
)
_OPENERS = frozenset(
    "the a an this that these those there it he she they we i you his her its their our my your in on at by for "
    "from with during after before since until while when although though because if as both all some many most "
    "several two three four five six seven eight nine ten one no not only every each another other such what who".split()
)
# Words that tell that capitals behind "The" are a title: there "The" keeps its capital.
OF_TITLES = frozenset(
    "film movie album song novel book show series sitcom episode comic magazine newspaper band single play game "
    "soundtrack sequel franchise documentary direct star release write air premiere feature act cast".split()
)
_OBJECTS = frozenset("me him her us them".split())
MONTHS = frozenset(
    "january february march april may june july august september october november december".split()
)
_DAYS = frozenset("monday tuesday wednesday thursday friday saturday sunday".split())


@lru_cache(maxsize=256)
def in_names(document: Document) -> frozenset[int]:
    """Indices of the words that belong to names and titles, brackets behind them and quotations included."""
    capital = [_is_capital(document, word) for word in document]
    found = {i for i, is_capital in enumerate(capital) if is_capital}
    found |= set(_bridges(document, capital))
    found |= set(_brackets(document, found)) | set(_quoted(document)) | set(_numbers(document, found))
    return frozenset(found)


def _is_capital(document: Document, word: Word) -> bool:
    """True where a capital tells a name; at the start of a sentence the tag or a second capital must tell it."""
    text = word.text
    if not any(c.isupper() for c in text) or text in ("I", "I'm"):
        return False
    if " " in text:
        return True  # a title that `rules/reading.py` made one word
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
    """True for the first word of "Telephone was released", which may be a song: a single noun without an article."""
    after = document.words[word.index + 1] if word.index + 1 < end else None
    return after is not None and word.tag in ("NN", "NNP", "VB", "JJ") and after.tag in ("VBZ", "VBD", "MD")


def _leads_to_a_capital(document: Document, word: Word, end: int) -> bool:
    """True for the "Mutiny" of "Mutiny on the Barge": only small words stand before the next capital or a bracket."""
    for other in document.words[word.index + 1 : min(end, word.index + 5)]:
        if other.text[:1].isupper() or other.text == "(":
            return True
        if other.lower not in _INSIDE:
            return False
    return False


def _opens_a_number_title(document: Document, word: Word, end: int) -> bool:
    """True for the "Two" of "Two and a Half Cats", the "No" of "No Way Back", the "It" of "It Happens"."""
    if word.lower in ("the", "a", "an") or word.upos == "ADP" or word.index + 1 >= end:
        return False
    after = document.words[word.index + 1]
    follows = after.text[:1].isupper() and after.text != "I"
    return (follows and after.upos != "PROPN") or (
        after.lower == "and" and _leads_to_a_capital(document, word, end)
    )


def _bridges(document: Document, capital: list[bool]) -> Iterator[int]:
    """The small words between two capitals, and "The" before them at the start of a title."""
    last = None
    for place, is_capital in enumerate(capital):
        if not is_capital:
            continue
        between = range(last + 1, place) if last is not None else range(0)
        if between and len(between) <= 3 and all(_is_bridge(document, i) for i in between):
            yield from between
        last = place
    for place in range(len(capital) - 1):
        word = document.words[place]
        if word.text in ("The", "A", "An") and capital[place + 1] and _opens_a_title(document, place):
            yield place


def _numbers(document: Document, names: set[int]) -> Iterator[int]:
    """The "2" of "Blue Sky 2"."""
    for word in document:
        is_bare = word.upos == "NUM" and word.text.isdigit() and len(word.text) < 3
        if is_bare and word.index - 1 in names and document.words[word.index - 1].lower not in MONTHS:
            yield word.index


def _is_bridge(document: Document, place: int) -> bool:
    word = document.words[place]
    return word.lower in _INSIDE or word.upos == "NUM"


def _opens_a_title(document: Document, place: int) -> bool:
    words = document.sentence(document.sentence_number(document.words[place]))
    is_first = words[0].index == place
    return not is_first or any(word.lemma.lower() in OF_TITLES for word in words[1:])


def _brackets(document: Document, names: set[int]) -> Iterator[int]:
    """What stands in brackets right behind a name: "Pearl (album)"."""
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
class Piece:
    """The words from `first` to `last` (both included) of a document."""

    document: Document
    first: int
    last: int

    @property
    def start(self) -> int:
        """Where it begins in the text."""
        return self.document.words[self.first].start

    @property
    def end(self) -> int:
        """Where it ends in the text."""
        return self.document.words[self.last].end

    @property
    def text(self) -> str:
        """As it is written."""
        return self.document.text[self.start : self.end]

    @property
    def words(self) -> tuple[Word, ...]:
        """Its words."""
        return self.document.words[self.first : self.last + 1]

    @property
    def inside(self) -> str:
        """As it is written in the middle of a sentence: without the capital that only the start asks for."""
        word = self.document.words[self.first]
        opens = any(first == self.first for first, _ in self.document.sentences)
        if not opens or self.first in in_names(self.document) or word.lower.startswith(("i'", "i ")):
            return self.text
        is_name = word.upos == "PROPN" or word.text == "I" or any(c.isupper() for c in word.text[1:])
        # "Up was released", "Her won a prize": what cannot be a subject and is one is a title.
        is_name |= word.relation.startswith("nsubj") and (
            word.upos in ("ADV", "ADP") or word.lower in _OBJECTS
        )
        return self.text if is_name else self.text[:1].lower() + self.text[1:]

    def __len__(self) -> int:
        return self.last - self.first + 1


def piece_of(document: Document, word: Word) -> Piece | None:
    """The phrase that hangs on a word; None where other words stand in between."""
    below = document.subtree(word)
    first, last = below[0].index, below[-1].index
    return Piece(document, first, last) if last - first + 1 == len(below) else None


def opening(document: Document, sentence: int, text: str) -> str:
    """The text as it opens a sentence: with a capital where the sentence had one."""
    first = document.words[document.sentences[sentence][0]].text
    return capitalised(text) if first[:1].isupper() and text[:1].isalpha() else text


def comma_of(document: Document) -> str:
    """A comma as the text writes it: some corpora put a space before it."""
    return " ," if " , " in document.text or document.text.endswith(" .") else ","


def plain_sentences(document: Document) -> Iterator[tuple[int, Piece]]:
    """Numbers of the sentences that can be rebuilt, with their words up to the final mark.

    Left out: questions, quotations, several marks, and a last word that has swallowed the full stop ("Sun.").
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
        broken = any(w.text in _BREAKING and w.index not in in_names(document) for w in inner)
        if last - first >= 1 and not broken and inner[0].upos != "PUNCT":
            yield number, Piece(document, first, last)


def _follows_an_initial(document: Document, first: int) -> bool:
    """True where a "sentence" is the rest of one that was cut behind "J."."""
    before = document.words[max(0, first - 2) : first]
    return bool(before) and (
        len(before[-1].text) <= 3 and before[-1].text not in (".", "!", "?", "...", '"', ")")
    )


_BREAKING = frozenset(
    {'"', "“", "”", "``", "''", ";", ":", "?", "!", "...", "…", "--", "–", "—", "|", "-lrb-", "-rrb-"}
)


def is_time(document: Document, word: Word) -> bool:
    """True for the head of a phrase that tells a time: "1984", "May", "the 20th century"."""
    words = [word, *document.children(word)]
    if word.upos == "NUM" or word.lower in MONTHS | _DAYS:
        return any(is_year(w) or w.lower in MONTHS | _DAYS for w in words)
    return word.lower in _TIMES


def is_year(word: Word) -> bool:
    """True for "1984", "1990s"."""
    digits = word.text.rstrip("s").rstrip("'’")
    return len(digits) == 4 and digits.isdigit() and digits[0] in "12"


_TIMES = frozenset(
    "century decade year month week summer winter spring autumn morning evening afternoon night day season "
    "1920s 1930s 1940s 1950s 1960s 1970s 1980s 1990s 2000s 2010s".split()
)
