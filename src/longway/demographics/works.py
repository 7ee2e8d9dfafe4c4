"""Titles of works that are written like people: "Emma is a novel", "Pretty Woman is her favourite film".

    in_works(document)     the words of such titles, as indices

    subject    "Romeo and Juliet is a play"; nobody is one
    beside     "Anna Karenina, a novel", "her novel, Emma", "the film Erin Brockovich"
    read       "I read Jane Eyre to her", "She wrote Jane Eyre", "Jane Eyre was written by her"

What is seen or watched may be a person as well as a film, so that these verbs tell nothing. Titles in quotation marks, and capitals such
as "Iron Man", are for `meant.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.text.document import Document, Word

WORKS = frozenset(
    "film movie play novel novella book song album show series musical opera ballet sitcom poem memoir documentary thriller sequel "
    "prequel remake biopic trilogy cartoon podcast".split()
)
_READ = frozenset(("read", "reread"))
_WRITTEN = _READ | {"write"}
_INSIDE = frozenset(
    "flat compound amod det nummod nmod case conj cc".split()
)  # what belongs to a title below its main word


def in_works(document: Document) -> frozenset[int]:
    """The words that are titles of works, as indices."""
    return frozenset(
        word.index for head in _heads(document) if _is_capital(head) for word in _title(document, head)
    )


def _heads(document: Document) -> Iterator[Word]:
    """The main words of what is said to be a work or treated as one."""
    for word in document:
        if is_work(word):
            yield from _called(document, word)
        elif word.lemma in _WRITTEN:
            yield from _read(document, word)


def is_work(word: Word) -> bool:
    """True for "novel", "films"."""
    return word.upos == "NOUN" and word.lemma.lower() in WORKS


def _called(document: Document, noun: Word) -> Iterator[Word]:
    """What a noun for a work is said of: "Emma is a novel", "the novel is Emma", "Emma, a novel", "the novel Emma"."""
    if document.children(noun, "cop") and not document.children(noun, "case"):  # not "Emma was on the show"
        yield from document.children(noun, "nsubj")
    above = document.head(noun)
    if above is not None and noun.relation == "appos":
        yield above
    if above is not None and noun.relation == "nsubj" and document.children(above, "cop"):
        yield from () if document.children(above, "case") else (above,)  # "The play is Emma's"
    if noun.relation != "nmod":  # "the author of the novel, Jane Roe"
        yield from document.children(noun, "appos")
    behind = document.words[noun.index + 1] if noun.index + 1 < len(document) else None
    if behind is not None and _is_capital(behind) and _is_named_so(document, noun, behind):
        yield behind


def _is_named_so(document: Document, noun: Word, name: Word) -> bool:
    """True for "the film Emma", not for "in the film Emma sings" and "the book Emma bought is old"."""
    if name.head == noun.index and name.relation in ("appos", "flat", "compound", "nmod"):
        return not document.children(name, "case")
    verb = document.head(name)
    is_misread = noun.dep == "root" and not document.children(noun, "cop")  # "The film Emma made her famous"
    return is_misread and verb is not None and verb.relation == "acl" and verb.head == noun.index


def _read(document: Document, verb: Word) -> Iterator[Word]:
    """What is read or written. With one name, "I wrote Mary" speaks of a letter, and "I read Mary a story" has two objects."""
    if document.children(verb, "iobj", "compound:prt"):
        return
    yield from document.children(verb, "nsubj:pass")
    for thing in document.children(verb, "obj"):
        n_capitals = sum(map(_is_capital, _title(document, thing)))
        if verb.lemma in _READ or n_capitals > 1:
            yield thing


def _title(document: Document, head: Word) -> Iterator[Word]:
    """The words of a title: its main word and what belongs to it, without whose it is and who made it."""
    yield head
    for word in document.children(head):
        is_of_somebody = word.dep == "nmod:poss" or any(
            case.lower in ("by", "from") for case in document.children(word, "case")
        )
        is_part = word.relation not in ("nmod", "conj") or _is_capital(word)
        if word.relation in _INSIDE and is_part and not is_of_somebody:
            yield from _title(document, word)


def _is_capital(word: Word) -> bool:
    return word.text[:1].isupper() and word.upos not in ("PRON", "DET")
