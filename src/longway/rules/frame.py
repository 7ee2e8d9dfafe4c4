"""The frame of a sentence: whether it is one plain statement, who it is about, and how to put words before it.

is_plain(document, denial.last)   one main clause that begins with its subject, nothing joined to it
embedded(scene, first, words)     the change that lets a sentence follow "It is false that"
is_person(scene, subject)         whether a subject is surely one person
"""

from __future__ import annotations

import re

from longway.rules.denial import subject_of
from longway.rules.rule import Scene
from longway.rules.stretches import OF_TITLES, in_names
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.people import people

_JOINED = ("conj", "parataxis", "advcl", "ccomp", "csubj", "discourse", "dislocated", "vocative")
_OF_PEOPLE = re.compile(
    r"\bborn\b|\b(?:he|she|his|her) \b|\b(?:actor|actress|singer|politician|director|writer|author|player|musician|producer"
    r"|model|comedian|rapper|wrestler|painter|lawyer|businessman|businesswoman|journalist|philosopher|composer|king|queen"
    r"|emperor|screenwriter|novelist|poet|boxer|footballer|coach|racing driver|scientist|songwriter|host)\b"
)


def main_of(document: Document, index: int) -> Word | None:
    """The root of a word's sentence, where the word is that root or its auxiliary, copula or open complement."""
    word: Word | None = document.words[index]
    while word is not None and word.relation != "root":
        if word.relation not in ("aux", "cop", "xcomp", "advcl", "ccomp", "advmod", "obl"):
            return None
        word = document.head(word)
    return word


def is_plain(document: Document, index: int) -> bool:
    """True where a verb belongs to the main clause of a sentence that is one statement, its subject first."""
    main = main_of(document, index)
    if main is None or document.children(main, *_JOINED):
        return False
    words = document.sentence(document.sentence_number(main))
    subject = subject_of(document, main)
    if subject is None or words[-1].text not in (".", "!") or _is_torn(document, main):
        return False
    below = document.subtree(subject)
    is_first = below[0].index == words[0].index and below[-1].index < index
    return is_first and not any(w.text in (";", ":", "?") for w in words if w.index > index)


def _is_torn(document: Document, main: Word) -> bool:
    """True beside a sentence of a word or two: a name with initials that was cut up."""
    number = document.sentence_number(main)
    beside = [n for n in (number - 1, number + 1) if 0 <= n < len(document.sentences)]
    return any(len(document.sentence(n)) < 3 for n in beside)


def is_person(scene: Scene, subject: Word | None) -> bool:
    """True where a subject is surely one person: by the name, and by what the context says."""
    if subject is None:
        return False
    found = next((m for m in people(scene.document) if m.start <= subject.index < m.end), None)
    if found is None or found.number != "sing" or found.kind == "pronoun":
        return found is not None and found.number == "sing"
    if found.kind != "name":
        return True
    opening = (scene.context or "")[:400]
    return found.certain and len(found.parts) > 1 and bool(_OF_PEOPLE.search(opening))


def lowered(scene: Scene, first: Word) -> str | None:
    """The first word of a sentence as it is written further inside; None where that cannot be told."""
    text, document = first.text, scene.document
    small = text[:1].lower() + text[1:]
    if text == "I" or text == small or text[1:] != text[1:].lower():
        return text
    after = document.words[first.index + 1].text if first.index + 1 < len(document) else ""
    context = scene.context or ""
    if first.upos == "DET" or first.tag == "PRP$":
        if not after[:1].isupper():
            return small
        inside = re.search(rf"\w ({text}|{small}) {re.escape(after)}\b", context)
        if inside is not None:
            return inside[1]
        # "an American band", "the Corvane Bridge"; but a title has its capital from the first word on.
        head = document.head(first)
        is_plain_noun = head is not None and head.text.islower()
        is_work = first.index in in_names(document) or not OF_TITLES.isdisjoint(
            re.findall("[a-z]+", context[:400].lower())
        )
        return small if is_plain_noun or (text == "The" and not is_work) else text
    if first.index in in_names(document):
        return text
    if first.upos == "PRON" or re.search(rf"\b{re.escape(small)}\b", context):
        return small
    if re.search(rf"\b{re.escape(text)}\b", context):  # a title of one word: "Reanimation"
        return text
    return small if first.tag in ("NNS", "JJ") and not after[:1].isupper() else None


def embedded(scene: Scene, first: Word, words: str) -> Change | None:
    """The change that puts words before a sentence: "It is false that", with the first word's capital mended."""
    new = lowered(scene, first)
    return None if new is None else Change(first.start, first.end, f"{words} {new}")
