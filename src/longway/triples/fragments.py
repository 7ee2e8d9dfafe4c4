"""Sentences without a finite verb: a noun phrase and what it says of its noun.

A dull, predictable film.       The film | is | dull            The film | is | predictable
A boy riding a horse.           A boy | is riding | a horse
"""

from __future__ import annotations

from longway.text.capitals import capitalised
from longway.text.document import Document, Word
from longway.triples.pieces import Piece, verb_group, written
from longway.triples.relative import cut_relatives

# Adjectives that stand before a noun and not behind "is", or that say something else there.
_BEFORE_NOUNS = frozenset(
    "main other same first last only such whole own former latter mere sheer utter next second third entire certain "
    "various several many few more most little much like old big late final total complete overall very real true "
    "new different less another particular single double american british french".split()
)


def fragment(document: Document, root: Word, inner: list[Word]) -> list[Piece] | None:
    """The statements of a sentence that has no finite verb; None where there are none that are sure."""
    if not inner:
        return None
    doing = _doing(document, root)
    return _of_doing(document, *doing, inner) if doing is not None else _of_adjectives(document, root, inner)


def _doing(document: Document, root: Word) -> tuple[Word, Word] | None:
    """Who does what in "A boy riding a horse", whichever of the two the parser hung on the other."""
    if root.tag == "VBG" and not document.children(root, "aux", "cop"):
        subjects = document.children(root, "nsubj")
        return (subjects[0], root) if len(subjects) == 1 and subjects[0].upos == "NOUN" else None
    verbs = [w for w in document.children(root, "acl") if w.tag == "VBG" and w.index > root.index]
    return (root, verbs[0]) if root.upos == "NOUN" and len(verbs) == 1 else None


def _of_doing(document: Document, noun: Word, verb: Word, inner: list[Word]) -> list[Piece] | None:
    below = document.subtree(verb)
    inside = (
        {w.index for w in below}
        if noun.head != verb.index
        else {w.index for w in inner if w.index >= verb.index}
    )
    subject = tuple(w for w in inner if w.index not in inside and w.index < verb.index)
    rest = [w for w in inner if w.index in inside]
    is_all = len(subject) + len(rest) == len(inner)
    if not is_all or not rest or rest[0].index != verb.index or not subject or subject[-1].upos == "PUNCT":
        return None
    if document.children(noun, "conj", "acl:relcl") or document.children(verb, "conj"):
        return None
    size = verb_group(document, verb, [verb], rest)
    if size is None:
        return None
    be = "are" if noun.tag == "NNS" else "is"
    predicate = f"{be} {written(document, rest[:size])}"
    return [Piece(subject, tuple(rest[:size]), tuple(rest[size:]), predicate_text=predicate)]


def _of_adjectives(document: Document, root: Word, inner: list[Word]) -> list[Piece] | None:
    """A sentence that is only a noun phrase with adjectives: each adjective is said of the noun."""
    if root.upos != "NOUN" or root.tag not in ("NN", "NNS"):
        return None
    below = document.subtree(root)
    if {w.index for w in inner} - {w.index for w in below}:
        return None
    allowed = ("det", "amod", "nmod", "compound", "acl", "punct")
    children = [w for w in document.children(root) if w.index <= inner[-1].index]
    if any(w.relation not in allowed or w.dep == "nmod:desc" for w in children):
        return None
    determiners = document.children(root, "det")
    if any(w.lower not in ("a", "an", "the", "this") for w in determiners) or len(determiners) > 1:
        return None
    said = [w for w in document.children(root, "amod") if w.index < root.index]
    if not said or any(not _can_be_said(document, w) for w in said):
        return None
    gone = {w.index for one in said for w in document.subtree(one)}
    kept = tuple(w for w in inner if w.index not in gone and w not in determiners)
    if any(w.upos == "PUNCT" and w.index < root.index for w in kept):
        kept = tuple(w for w in kept if w.upos != "PUNCT" or w.index > root.index)
    return _said_of(document, root, said, kept, determiners)


def _said_of(
    document: Document, root: Word, said: list[Word], kept: tuple[Word, ...], determiners: tuple[Word, ...]
) -> list[Piece] | None:
    be = "are" if root.tag == "NNS" else "is"
    article = determiners[0].lower if determiners and determiners[0].lower == "this" else "the"
    base = Piece((), (), kept)
    found = cut_relatives(document, root, base)
    phrase, relatives = found[0].object, found[1:]
    if not phrase or phrase[-1].upos == "PUNCT" or any(w.dep == "acl:relcl" for w in phrase):
        return None
    name = capitalised(f"{article} {written(document, phrase, opens=True)}")
    pieces = []
    for one in said:
        words = tuple(w for w in document.subtree(one) if w.upos not in ("PUNCT", "CCONJ"))
        joined = tuple(
            w for w in document.subtree(one) if w.index >= words[0].index and w.index <= words[-1].index
        )
        pieces.append(Piece(phrase, (), joined, subject_text=name, predicate_text=be, more=determiners))
    return [*pieces, *(relative.named(name) for relative in relatives)]


def _can_be_said(document: Document, word: Word) -> bool:
    """True for an adjective that goes behind "is": "poor", not "main" nor "third"."""
    if word.tag != "JJ" or word.lower in _BEFORE_NOUNS or word.upos != "ADJ":
        return False
    below = document.subtree(word)
    return len(below) <= 6 and all(w.upos in ("ADJ", "ADV", "PUNCT", "CCONJ") for w in below)
