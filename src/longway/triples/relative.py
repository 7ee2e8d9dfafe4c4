"""Relative clauses that say something of the words before them, as statements of their own.

    It is a film that fails.        It | is | a film         The film | fails |

Only where that changes nothing: "no film that works", "I want a film that works" and "a film is not a thing that works" do not
say that something works, and "people who sing" does not say that people do.
"""

from __future__ import annotations

from dataclasses import replace

from longway.text.document import Document, Word
from longway.text.negations import is_negation
from longway.triples.pieces import Piece, verb_group, written

_WHO = frozenset({"who", "which", "that"})
_NAMED = frozenset("a an the this that these those his her its their my our your".split())
_FINITE = frozenset({"VBZ", "VBD", "VBP"})
# What one looks for, or only likes the idea of, need not be there.
_OF_WISHES = frozenset(
    "want need wish hope expect like prefer seek look imagine deserve require await dream long ask search lack miss "
    "avoid love hate enjoy recommend try find think know".split()
)


def cut_relatives(document: Document, head: Word, piece: Piece) -> list[Piece]:
    """The statement without the relative clauses that can stand alone, and those behind it."""
    if any(is_negation(w.lower) or w.tag == "MD" for w in piece.predicate):
        return [piece]
    found: list[Piece] = []
    for noun in (head, *document.children(head, "nsubj", "obj", "obl")):
        is_wish = noun.relation in ("obj", "obl") and head.lemma in _OF_WISHES
        relatives = document.children(noun, "acl:relcl") if not is_wish else ()
        if len(relatives) == 1:
            cut = _cut(document, noun, relatives[0], piece)
            if cut is not None:
                piece = cut[0]
                found.append(cut[1])
    return [piece, *found]


def _cut(document: Document, noun: Word, relative: Word, piece: Piece) -> tuple[Piece, Piece] | None:
    below = document.subtree(relative)
    inside = {w.index for w in below}
    if len(inside) != below[-1].index - below[0].index + 1 or below[0].index < noun.index:
        return None
    statement = _statement(
        document, relative, [w for w in below if w.upos != "PUNCT" or w.index > relative.index]
    )
    antecedent = [w for w in document.subtree(noun) if w.index not in inside and w.index < below[0].index]
    antecedent = [w for w in antecedent if w.index >= _first_of(document, noun)]
    name = _name(document, noun, antecedent)
    if statement is None or name is None:
        return None
    kept = piece.without(inside)
    if len(kept.used) == len(piece.used):
        return None
    is_subject = any(w.index == noun.index for w in piece.subject)
    rest = [w for w in kept.object if w.index > below[-1].index]
    if not is_subject and (rest or kept.moved):
        return None  # something follows that may belong to either
    made = replace(statement, subject=tuple(antecedent), subject_text="" if is_subject else name)
    return kept, made


def _first_of(document: Document, noun: Word) -> int:
    """Where the noun phrase begins: a predicate noun has the subject and "be" below it, too."""
    own = [
        w
        for w in document.children(noun)
        if w.relation in ("det", "amod", "nummod", "compound", "nmod") and w.index < noun.index
    ]
    return min((document.subtree(w)[0].index for w in own), default=noun.index)


def _name(document: Document, noun: Word, antecedent: list[Word]) -> str | None:
    """How the noun phrase is called again: "the film" for "a film"; None for one that names nothing certain."""
    words = [w for w in antecedent if w.upos != "PUNCT"]
    if noun.upos not in ("NOUN", "PROPN") or not words or len(words) > 8:
        return None
    if document.children(noun, "conj") or any(w.tag in ("JJS", "RBS") for w in words):
        return None
    first = words[0]
    if noun.upos == "PROPN":
        return written(document, words)
    is_root = document.head(noun) is None
    is_adjective = (
        is_root and first.upos in ("ADJ", "NOUN") and not document.children(noun, "cop")
    )  # a fragment without article
    if first.lower not in _NAMED and not is_adjective:
        return None
    if first.lower in ("a", "an"):
        return "The " + written(document, words[1:])
    text = written(document, words)
    return text[:1].upper() + text[1:]


def _statement(document: Document, verb: Word, words: list[Word]) -> Piece | None:
    """What a relative clause says: verbs and rest, where its pronoun is the subject and comes first."""
    verbs = [*document.children(verb, "aux", "cop"), *([verb] if verb.upos in ("VERB", "AUX") else [])]
    first = min(verbs, key=lambda w: w.index, default=None)
    if not words or first is None or first.tag not in _FINITE:
        return None
    who = words[0]
    if who.lower not in _WHO or who.relation != "nsubj" or who.head != verb.index:
        return None
    rest = words[1:]
    size = verb_group(document, verb, sorted(verbs, key=lambda w: w.index), rest)
    if size is None:
        return None
    group, rest = rest[:size], rest[size:]
    if document.children(verb, "conj") or any(w.text in (";", ":") for w in rest):
        return None
    return Piece((), tuple(group), tuple(rest), more=(who,))
