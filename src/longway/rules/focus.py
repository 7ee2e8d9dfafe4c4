"""What a restrictor stresses: the phrase that "only", "solely" or "exclusively" holds for, and what kind it is.

"The Hill only stars Ann Lee."     Ann Lee        person
"The Hill aired only in 2005."     in 2005        time
"Ann Lee is only German."          German         quality
"Ann Lee is exclusively a poet."   a poet         kind

focus_of(scene, word)    the phrase; None where the grammar leaves it open
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from longway.rules.rule import Scene
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.people import noun_kind, people

RESTRICTORS = frozenset({"only", "solely", "exclusively", "merely"})
_TIME = re.compile(
    r"(1[0-9]|20)\d\d|\d{4}s|january|february|march|april|may|june|july|august|september|october|november|december"
)
_PLACE = frozenset({"in", "at", "on", "inside", "within"})
_MADE_BY = frozenset(
    "direct write produce create found host compose sing record perform design invent publish".split()
)
_LONGEST = 8  # words of a phrase behind which "and nothing else" is still clear


@dataclass(frozen=True, slots=True)
class Focus:
    """The phrase that a restrictor stresses.

    start, end: its place in the text. taken: the restrictor (with an "ever" behind it) and one space, which go. kind: "quality",
    "kind" (a noun with article), "kinds" (a noun without), "place", "origin", "matter", "time", "number", "thing", "person", "by",
    "other".
    verb: the finite verb, where the restrictor stands before it. is_short: words may be put behind it.
    """

    restrictor: Word
    start: int
    end: int
    taken: tuple[int, int]
    kind: str
    verb: Word | None
    is_short: bool
    ends_clause: bool
    has_article: bool
    is_state: bool

    def with_words_before(self, words: str) -> tuple[Change, ...]:
        """The changes that put words before the phrase and take the restrictor away."""
        if self.taken[1] == self.start:
            return (Change(*self.taken, f"{words} "),)
        return (Change(*self.taken, ""), Change(self.start, self.start, f"{words} "))

    def with_words_behind(self, words: str) -> tuple[Change, ...]:
        """The changes that put words behind the phrase and take the restrictor away."""
        if self.taken[0] == self.end:
            return (Change(*self.taken, f" {words}"),)
        return (Change(*self.taken, ""), Change(self.end, self.end, f" {words}"))


def is_restrictor(document: Document, word: Word) -> bool:
    """True for "only" and the like as an adverb or before a noun; not in "not only", "if only", "only if"."""
    if word.text not in RESTRICTORS or word.upos not in ("ADV", "ADJ"):
        return False
    before = document.words[word.index - 1].lower if word.index else ""
    after = document.words[word.index + 1].lower if word.index + 1 < len(document) else ""
    if before in ("a", "an", "of") and after in ("a", "an"):  # "a solely a", "of only a few"
        return False
    return before not in ("not", "n't", "if", "and", "-") and after not in (
        "if",
        "when",
        "because",
        "to",
        "after",
        "until",
        "-",
    )


def focus_of(scene: Scene, word: Word) -> Focus | None:
    """The phrase that a restrictor stresses, None where it is not plain."""
    document = scene.document
    taken, last = taken_of(document, word)
    after = document.words[last.index + 1 : last.index + 2]
    if not after:
        return None
    if after[0].upos == "PUNCT":
        return _before(scene, word, taken)
    if after[0].text == "been":
        return _phrase_at(scene, word, taken, last.index + 2, verb=None)
    if after[0].upos == "VERB" and after[0].tag != "VBG" and (not document.text[after[0].start].isupper()):
        return _after_verb(scene, word, taken, after[0])
    return _phrase_at(scene, word, taken, last.index + 1, verb=None)


def taken_of(document: Document, word: Word) -> tuple[tuple[int, int], Word]:
    """The stretch that goes with the restrictor, "ever" and a space with it, and its last word."""
    last = word
    after = document.words[word.index + 1 : word.index + 3]
    if after and after[0].text == "ever":
        last = after[0]
        after = after[1:]
    if after and after[0].upos != "PUNCT":
        return (word.start, after[0].start), last
    before = document.words[word.index - 1]
    return (before.end, last.end), last


def _after_verb(scene: Scene, word: Word, taken: tuple[int, int], verb: Word) -> Focus | None:
    """The object or the phrase right behind the verb that the restrictor stands before."""
    document = scene.document
    following = document.words[verb.index + 1 : verb.index + 2]
    if not following or following[0].upos == "PUNCT" or following[0].lower in ("to", "that", "as"):
        return None
    finite = verb if verb.tag in ("VBZ", "VBP", "VBD") else None
    return _phrase_at(scene, word, taken, verb.index + 1, verb=finite, governor=verb)


def _before(scene: Scene, word: Word, taken: tuple[int, int]) -> Focus | None:
    """The phrase that ends right before a restrictor at the end of a clause: "in Boston only"."""
    document = scene.document
    last = document.words[word.index - 1]
    for head in (last, *document.ancestors(last)):
        below = [w for w in document.subtree(head) if w.index < word.index]
        if head.index >= word.index or below[-1] is not last or head.upos not in ("NOUN", "PROPN", "NUM"):
            return None
        copulas = document.children(head, "cop")
        if copulas and head.relation == "root":
            return _focus(scene, word, taken, [w for w in below if w.index > copulas[-1].index], head, None)
        if head.relation == "obj" or (below[0].upos == "ADP" and head.relation in ("obl", "nmod")):
            return _focus(scene, word, taken, below, head, None)
    return None


def _phrase_at(
    scene: Scene,
    word: Word,
    taken: tuple[int, int],
    index: int,
    *,
    verb: Word | None,
    governor: Word | None = None,
) -> Focus | None:
    """The phrase that begins at a word."""
    document = scene.document
    if index >= len(document):
        return None
    first = document.words[index]
    if first.tag == "VBN" and governor is None:
        return _after_verb(scene, word, taken, first)
    head = first
    while (above := document.head(head)) is not None and above.index > head.index and above.upos != "VERB":
        head = above
    if head.upos not in ("NOUN", "PROPN", "NUM", "ADJ", "PRON"):
        return None
    skipped = {w.index for w in document.words[:index]}
    below = [w for w in document.subtree(head) if w.index not in skipped and w.upos != "PUNCT"]
    if not below or below[0].index != index or below[-1].index - below[0].index + 1 != len(below):
        return None
    return _focus(scene, word, taken, below, head, verb)


def _focus(
    scene: Scene, word: Word, taken: tuple[int, int], below: list[Word], head: Word, verb: Word | None
) -> Focus | None:
    document = scene.document
    kind = _kind(scene, below, head)
    governor = document.words[below[0].index - 1] if below else word
    if kind is None or governor.lemma in ("bear", "die"):  # nobody is born twice
        return None
    rest = document.words[below[-1].index + 1 :]
    ends = all(w.upos == "PUNCT" or w.index == word.index for w in rest)
    plain = not any(w.text in (",", ";", ":", "and", "or", "but", "who", "that", "which") for w in below)
    return Focus(
        restrictor=word,
        start=below[0].start,
        end=below[-1].end,
        taken=taken,
        kind=kind,
        verb=verb,
        is_short=plain and len(below) <= _LONGEST,
        ends_clause=ends,
        has_article=below[0].lower in ("a", "an"),
        is_state=below[0].lower == "in" and _is_state(document, governor, word),
    )


def _is_state(document: Document, governor: Word, word: Word) -> bool:
    """True after "is" and "is located": what is so all over, and does not happen."""
    one = document.words[word.index - 1] if governor is word else governor
    return one.tag == "VBN" or one.lemma == "be"


def _kind(scene: Scene, below: list[Word], head: Word) -> str | None:
    first = below[0]
    preposition = first.lower if first.upos == "ADP" else ""
    if preposition:
        return _kind_of_phrase(scene, below, head, preposition)
    if first.tag == "CD" and head.upos in ("NOUN", "PROPN"):
        return "number"
    if head.relation in ("root", "conj", "xcomp") and head.upos == "ADJ":
        return "quality" if len(below) == 1 else None
    if head.upos == "ADJ":
        return None
    is_predicate = bool(scene.document.children(head, "cop"))
    if not is_predicate and noun_kind(head) is not None:
        return "person"
    if first.lower in ("a", "an", "the"):
        return "thing" if first.lower == "the" or head.relation == "obj" else "kind"
    if head.upos == "PROPN":
        return "person" if _is_person(scene, head) else "other"
    if head.relation == "root" and head.tag == "NNS":
        return "kinds"
    return "thing" if head.relation == "obj" else None


def _kind_of_phrase(scene: Scene, below: list[Word], head: Word, preposition: str) -> str | None:
    if preposition in ("by", "with") and (_is_person(scene, head) or _is_maker(scene, head, preposition)):
        return "by"
    if head.tag == "CD" or _TIME.fullmatch(head.lower):
        return "time" if preposition in ("in", "on", "during", "at", "since", "before", "after") else None
    if preposition == "from" and head.upos == "PROPN":
        return "origin"
    if preposition == "on" and head.upos == "NOUN":
        return "matter"
    if preposition in _PLACE:
        return "place"
    if head.relation == "root":
        return None
    return (
        "other"
        if preposition in ("with", "for", "by", "through", "under", "as", "from", "about")
        and head.upos == "PROPN"
        else None
    )


def _is_maker(scene: Scene, head: Word, preposition: str) -> bool:
    governor = scene.document.head(head)
    return (
        preposition == "by" and head.upos == "PROPN" and governor is not None and governor.lemma in _MADE_BY
    )


def _is_person(scene: Scene, head: Word) -> bool:
    return any(
        m.start <= head.index < m.end and m.kind == "name" and m.certain and len(m.parts) > 1
        for m in people(scene.document)
    )
