"""Clauses that rules rebuild: subject, verbs and what follows, where the grammar is plain enough to be sure.

clauses(document)               the plain clauses of a document
number_of(document, piece)      "sing", "plur" or None: what a verb must agree with
conjugated(lemma, tense, ...)   "was", "have been" ... for a number
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from longway.rules.stretches import Piece, in_names, plain_sentences
from longway.text.document import Document, Word
from longway.text.inflect import inflect

Number = Literal["sing", "plur"]

_PLURAL_PRONOUNS = frozenset("they we you these those both many several few".split())
_SINGULAR_PRONOUNS = frozenset(
    "he she it this that one someone somebody everyone everybody nobody each another".split()
)
_SAME_IN_PLURAL = frozenset("series species fish sheep deer aircraft staff media people police".split())
NOT_WORDS = frozenset({"not", "n't", "n’t"})


@dataclass(frozen=True, slots=True)
class Clause:
    """A sentence of the plain kind: subject, verbs, the rest.

    sentence: its number. subject: the phrase before the verbs. head: the main verb, or what is said of the subject
    behind "be". verbs: auxiliaries, negation, adverbs and the main verb, in order. rest: what follows, None for nothing.
    """

    document: Document
    sentence: int
    subject: Piece
    head: Word
    verbs: tuple[Word, ...]
    rest: Piece | None

    @property
    def finite(self) -> Word:
        """The verb that agrees with the subject."""
        return self.verbs[0]

    @property
    def negation(self) -> Word | None:
        """The "not" among the verbs."""
        return next((word for word in self.verbs if word.lower in NOT_WORDS), None)

    @property
    def adverbs(self) -> tuple[Word, ...]:
        """The adverbs among the verbs, "not" left out."""
        return tuple(w for w in self.verbs if w.upos in ("ADV", "PART") and w.lower not in NOT_WORDS)

    @property
    def auxiliaries(self) -> tuple[Word, ...]:
        """The verbs before the main one, of which "be" may be the last."""
        return tuple(w for w in self.verbs if w.upos in ("AUX", "VERB") and w.index != self.head.index)


def clauses(document: Document) -> Iterator[Clause]:
    """The clauses that make up a whole plain sentence, one for each at most.

    Everything before the verbs is the subject: sentences with something else in front are left out.
    """
    for number, sentence in plain_sentences(document):
        found = _clause(document, number, sentence)
        if found is not None:
            yield found


def _clause(document: Document, number: int, sentence: Piece) -> Clause | None:
    head = next((w for w in sentence.words if w.dep == "root"), None)
    if head is None:
        return None
    below = document.children(head, "aux", "cop")
    if head.upos not in ("VERB", "AUX") and not any(w.relation == "cop" for w in below):
        return None
    verbs = sorted(
        [w for w in below if w.index <= head.index] + ([head] if head.upos in ("VERB", "AUX") else []),
        key=lambda w: w.index,
    )
    if not verbs:
        return None  # "be" behind what it says
    first, last = verbs[0].index, verbs[-1].index
    while first - 1 > sentence.first and _is_verbal_adverb(document, document.words[first - 1], head):
        first -= 1
    if first == sentence.first or last > sentence.last:
        return None
    if head.upos not in ("VERB", "AUX"):
        while last + 1 < head.index and _is_verbal_adverb(document, document.words[last + 1], head):
            last += 1
    group = document.words[first : last + 1]
    if any(w.upos not in ("AUX", "VERB", "ADV", "PART") for w in group):
        return None
    subject = Piece(document, sentence.first, first - 1)
    rest = Piece(document, last + 1, sentence.last) if last < sentence.last else None
    found = Clause(document, number, subject, head, group, rest)
    return found if _is_plain(found) else None


def _is_verbal_adverb(document: Document, word: Word, head: Word) -> bool:
    is_adverb = word.upos == "ADV" or word.lower in NOT_WORDS
    return is_adverb and word.head == head.index and word.index not in in_names(document)


def _is_plain(clause: Clause) -> bool:
    """True where all that stands before the verbs is one noun phrase, and no verb is shared or left open."""
    document, subject = clause.document, clause.subject
    if clause.finite.tag not in ("VBD", "VBZ", "VBP", "MD") and not clause.adverbs:
        return False
    if any(w.index in in_names(document) for w in clause.verbs):
        return False
    names = in_names(document)
    if all(w.index in names or w.tag == "DT" for w in subject.words):
        return True  # a name: whatever the parser made of "Born in Paris"
    heads = [w for w in document.children(clause.head, "nsubj") if w.index <= subject.last]
    if len(heads) != 1:
        return False
    below = document.subtree(heads[0])
    return len(below) == len(subject) and below[0].index == subject.first and below[-1].index == subject.last


def number_of(document: Document, piece: Piece) -> Number | None:
    """Whether a phrase is singular or plural for a verb; None where that is not sure."""
    words, names = piece.words, in_names(document)
    if all(w.index in names or w.tag == "DT" for w in words):
        return _number_of_name(words)
    inside = {w.index for w in words}
    heads = [w for w in words if w.head not in inside or w.dep == "root"]
    if len(heads) != 1:
        return None
    head = heads[0]
    if any(w.index in inside for w in document.children(head, "conj")):
        return "plur" if any(w.lower == "and" for w in words) else None
    if head.upos == "PRON":
        known = {**dict.fromkeys(_PLURAL_PRONOUNS, "plur"), **dict.fromkeys(_SINGULAR_PRONOUNS, "sing")}
        found = known.get(head.lower)
        return "sing" if found == "sing" else "plur" if found == "plur" else None
    if head.tag in ("NNS", "NNPS"):
        return "plur" if head.index not in names else None
    if head.lemma.lower() in _SAME_IN_PLURAL and not any(
        w.lower in ("a", "an", "this", "one") for w in words
    ):
        return None
    if head.tag in ("NN", "NNP", "VBG", "CD"):
        return "sing"
    return None


def _number_of_name(words: tuple[Word, ...]) -> Number | None:
    lower = [w.lower for w in words]
    if "and" in lower or "&" in lower or any(w.tag == "NNPS" for w in words):
        return None  # two people, or a title: "Jane and Joan"
    if lower[0] == "the" and lower[-1].endswith("s") and not lower[-1].endswith("ss"):
        return None  # "The Kinks"
    return "sing"


def number_of_subject(clause: Clause) -> Number | None:
    """The number that the verb shows, else that of the phrase."""
    verb = clause.finite.lower
    if verb in ("is", "was", "has", "does", "isn", "wasn") or clause.finite.tag == "VBZ":
        return "sing"
    is_first = clause.subject.words[0].lower == "i"
    if verb in ("are", "were") or (
        clause.finite.tag == "VBP" and verb not in ("am", "have", "do") and not is_first
    ):
        return "plur"
    if clause.subject.words[0].lower == "i" and len(clause.subject) == 1:
        return None
    return number_of(clause.document, clause.subject)


def be(tense: str, number: Number) -> str:
    """The form of "be" for a tense ("past" or "present") and a number."""
    forms = {"past": ("was", "were"), "present": ("is", "are")}
    return forms[tense][number == "plur"]


def have(tense: str, number: Number) -> str:
    """The form of "have" for a tense and a number."""
    return "had" if tense == "past" else ("have" if number == "plur" else "has")


def do(tense: str, number: Number) -> str:
    """The form of "do" for a tense and a number."""
    return "did" if tense == "past" else ("do" if number == "plur" else "does")


def verb_form(lemma: str, tense: str, number: Number) -> str | None:
    """The form of any verb for a tense and a number."""
    if lemma == "be":
        return be(tense, number)
    return inflect(lemma, "VBD" if tense == "past" else "VB" if number == "plur" else "VBZ")
