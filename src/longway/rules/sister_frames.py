"""Frames of sister terms: where in a sentence a term of a class excludes the others of its class.

FRAMES["place"](document, first, last)    whether these words, a place, stand where something can be in one place only
verb_of(document, word)                   the main verb that a date belongs to, where that happens once to each thing
"""

from __future__ import annotations

from collections.abc import Callable

from longway.rules.frame import main_of
from longway.rules.sister_classes import terms_of
from longway.text.document import Document, Word

ONCE = frozenset(  # what happens once to each thing
    "bear die release found establish publish form build create launch premiere open debut assassinate incorporate "
    "inaugurate discover invent".split()
)
LYING = frozenset("bear die locate situate base set headquarter lie raise found".split())
_TEAM = frozenset({"player", "team", "club", "coach", "league"})
_BROADCAST = frozenset("air premiere broadcast show debut run televise".split())


def at(document: Document, index: int) -> Word | None:
    """The word with an index, None outside the text."""
    return document.words[index] if 0 <= index < len(document) else None


def ends(document: Document, last: Word, *also: str) -> bool:
    """True where a phrase ends with a word: the clause ends there, too, or one of some words follows."""
    after = at(document, last.index + 1)
    return after is None or after.text in (".", "!") or after.lower in also


def _is_predicate(document: Document, word: Word) -> bool:
    """True for the noun or adjective behind a copula: of the main clause, or of "incapable of being"."""
    copulas = document.children(word, "cop")
    if not copulas or document.children(word, "case"):  # "was in a film"
        return False
    below = ("xcomp", "advcl", "obl", "ccomp")
    return word.relation == "root" or (copulas[0].lower in ("be", "being") and word.relation in below)


def _is_quality(document: Document, first: Word, last: Word) -> bool:
    if _is_predicate(document, last):
        return last.upos == "ADJ" and ends(document, last)
    head = document.head(last)
    return (
        last.relation == "amod"
        and head is not None
        and head.text.islower()
        and head.index > last.index
        and _is_predicate(document, head)
    )


def _is_place(document: Document, first: Word, last: Word) -> bool:
    before = at(document, first.index - 1)
    if before is None or before.lower not in ("in", "from", "outside", "of") or not ends(document, last):
        return False
    head = next(
        (w for w in document.words[first.index : last.index + 1] if not first.index <= w.head <= last.index),
        last,
    )
    outside = at(document, first.index - 2)
    is_outside = before.lower == "of" and outside is not None and outside.lower == "outside"
    if head.relation == "root":
        return bool(document.children(head, "cop")) and (before.lower != "of" or is_outside)
    governor = document.head(head)
    if governor is None or (before.lower == "of" and not is_outside):
        return governor is not None and governor.lemma == "capital"
    return (
        governor.lemma in LYING and governor.upos == "VERB" and main_of(document, governor.index) is not None
    )


def _is_kind(document: Document, first: Word, last: Word) -> bool:
    before = at(document, first.index - 1)
    if not _is_predicate(document, last) or last.upos != "NOUN" or before is None:
        return False
    return (before.lower in ("a", "an") and ends(document, last)) or (
        _is_origin(before)
        and ends(document, last)
        and (two := at(document, before.index - 1)) is not None
        and two.lower in ("a", "an")
    )


def _is_origin(word: Word) -> bool:
    return word.text in terms_of("nationality")


def _is_kin(document: Document, first: Word, last: Word) -> bool:
    before, after = at(document, first.index - 1), at(document, last.index + 1)
    named = before is not None and after is not None and before.lower == "the" and after.lower == "of"
    return named and _is_predicate(document, last)


def _is_month(document: Document, first: Word, last: Word) -> bool:
    before, after = at(document, first.index - 1), at(document, last.index + 1)
    if before is None or after is None or before.text not in ("in", "on") or not after.text[0].isdigit():
        return False
    return verb_of(document, last) is not None


def verb_of(document: Document, word: Word) -> Word | None:
    """The verb of the main clause where it is one that happens once and the word belongs to it."""
    for above in document.ancestors(word):
        if above.upos == "VERB":
            happens = above.lemma in ONCE or (above.lemma == "come" and _is_come_out(document, above))
            once = happens and not any(_is_one_of_many(document, w) for w in document.children(above, "obj"))
            return above if once and above.relation == "root" else None
        if above.relation == "root":
            return None
    return None


def _is_one_of_many(document: Document, noun: Word) -> bool:
    """True for "released an album": others may have followed."""
    return noun.tag == "NNS" or any(w.lower in ("a", "an") for w in document.children(noun, "det"))


def _is_come_out(document: Document, verb: Word) -> bool:
    after = at(document, verb.index + 1)
    return after is not None and after.lower == "out"


def _is_network(document: Document, first: Word, last: Word) -> bool:
    before = at(document, first.index - 1)
    governor = document.head(last)
    if before is None or before.text != "on" or governor is None or not ends(document, last):
        return False
    return governor.relation == "root" and governor.lemma in _BROADCAST


def _is_team(document: Document, first: Word, last: Word) -> bool:
    head = document.head(last)
    before = at(document, first.index - 1)
    plain = before is not None and (
        before.lower in ("a", "an") or _is_origin(before) or before.lower == "professional"
    )
    return (
        plain
        and last.relation == "compound"
        and head is not None
        and head.lemma in _TEAM
        and _is_predicate(document, head)
        and ends(document, head)
    )


FRAMES: dict[str, Callable[[Document, Word, Word], bool]] = {
    "quality": _is_quality,
    "place": _is_place,
    "kind": _is_kind,
    "kin": _is_kin,
    "month": _is_month,
    "network": _is_network,
    "team": _is_team,
}
