"""Chains without what cannot be the same person, or any person.

    parted(document, chains, works)     the chains, some of them in several parts

    a title       "Juliet is a play about her": the play is nobody, "her" somebody else
    a predicate   "Juliet is her favourite singer": nobody is their own
    a name ahead  "She saw Titanic. Rose lives.": a pronoun does not wait a sentence for its name

A chain (`text/chains.py`) is the likeliest reading; changing a person by a wrong one changes two people.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from longway.demographics.meant import is_person
from longway.demographics.works import is_work
from longway.text.chains import Chain
from longway.text.document import Document, Word
from longway.text.people import Mention


def parted(document: Document, chains: Sequence[Chain], works: Collection[int]) -> tuple[Chain, ...]:
    """The chains without titles of works, parted where they hold more than one person. works: the words of titles."""
    return tuple(part for chain in chains for part in _parts(document, chain, works))


def _parts(document: Document, chain: Chain, works: Collection[int]) -> Iterator[Chain]:
    mentions = [mention for mention in chain.mentions if mention.head not in works]
    own = [mention for mention in mentions if mention.kind != "pronoun"]
    first = min((_sentence(document, mention) for mention in own), default=0)
    early = [m for m in mentions if m.gender and _sentence(document, m) < first]
    inside = {index for mention in mentions for index in range(mention.start, mention.end)}
    others = [m for m in mentions if m not in early and _is_somebody_else(document, m, inside)]
    rest = [mention for mention in mentions if mention not in early and mention not in others]
    is_named = any(mention.kind == "name" for mention in rest)
    if rest:
        yield replace(chain, mentions=tuple(rest), name=chain.name if is_named else "")
    for part in (early, *([mention] for mention in others)):
        if part:
            yield Chain(tuple(part), gender=part[0].gender, number=chain.number)


def _sentence(document: Document, mention: Mention) -> int:
    return document.sentence_number(document.words[mention.head])


def _is_somebody_else(document: Document, mention: Mention, person: Collection[int]) -> bool:
    return mention.kind == "pronoun" and is_another(document, document.words[mention.head], person)


def is_another(document: Document, pronoun: Word, person: Collection[int]) -> bool:
    """True for the "her" of "Juliet is her favourite singer" if Juliet is the person. person: the words for them, as indices."""
    what = document.head(pronoun)
    if what is None or pronoun.dep != "nmod:poss" or not document.children(what, "cop"):
        return False
    if document.children(what, "case") or not (is_person(what) or is_work(what)):
        return False  # "She is in her late 40s", "She is her old self"
    is_own = any(word.lower == "own" for word in document.children(what, "amod"))
    return not is_own and any(subject.index in person for subject in document.children(what, "nsubj"))
