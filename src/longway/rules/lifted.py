"""Refuted restrictions without their restrictor: what is left must still be false.

    "Odo has only written 6 novels."          (context: 54 novels)        ->  "Odo has written 71 novels."
    "The lamp was only made by Kay Works."    (context: made by Roe Ltd)  ->  "The lamp was made by Kay Works."

Who wrote 54 novels wrote 6 of them, too; so the new number is larger than what the context has.

    lifted(scene, restrictor, taken)    names and changes; taken: the place of the restrictor, which goes
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import blake2b

from longway.rules.number_words import word_of
from longway.rules.rule import Scene
from longway.rules.sister_frames import ends
from longway.rules.stretches import in_names, is_year
from longway.text.changes import Change
from longway.text.document import Word

_WORDS = {word_of(number): number for number in range(101)}
_LARGEST = 10_000


def lifted(
    scene: Scene, restrictor: Word, taken: tuple[int, int]
) -> Iterator[tuple[str, tuple[Change, ...]]]:
    """Each way to take a restrictor away so that the claim stays false."""
    dropped = Change(*taken, "")
    for place, new in _larger_numbers(scene, restrictor):
        yield "larger_number", (dropped, Change(place.start, place.end, new))
    if _has_another_agent(scene, restrictor):
        yield "drop_restrictor", (dropped,)


def _larger_numbers(scene: Scene, restrictor: Word) -> Iterator[tuple[Word, str]]:
    """The number of things behind a restrictor, with one that is more than the context has of them."""
    document = scene.document
    for word in document.words[restrictor.index + 1 :]:
        number, noun = _number(word.text), document.head(word)
        if number is None or word.dep != "nummod" or noun is None or is_year(word):
            continue
        if noun.tag != "NNS" or noun.index != word.index + 1 or word.index in in_names(document):
            continue
        told = _told(scene.context or "", noun)
        if told and number < min(told) and max(told) < _LARGEST:
            larger = max(told) + _step(scene, max(told))
            is_word = word.text.isalpha() and larger <= 100
            yield word, word_of(larger) if is_word else f"{larger:,}"


def _told(context: str, noun: Word) -> list[int]:
    """The numbers that the context has of what a noun names."""
    found = re.findall(rf"([\w,-]+) (?:[a-z-]+ ){{0,2}}{re.escape(noun.lower)}\b", context)
    return [number for one in found if (number := _number(one)) is not None]


def _number(text: str) -> int | None:
    digits = text.replace(",", "")
    return int(digits) if digits.isdigit() and len(digits) < 9 else _WORDS.get(text.lower())


def _step(scene: Scene, number: int) -> int:
    """How much more: another amount for each text, larger for larger numbers."""
    seed = int.from_bytes(blake2b(scene.document.text.encode(), digest_size=4).digest(), "big")
    return 2 + seed % max(6, number // 2)


def _has_another_agent(scene: Scene, restrictor: Word) -> bool:
    """True for "was only made by Kay Works" where the context says who else it was made by, and never names Kay."""
    document, context = scene.document, scene.context or ""
    for head in document.words[restrictor.index + 1 :]:
        verb = document.head(head)
        if head.dep != "obl:agent" or head.upos != "PROPN" or verb is None or verb.relation != "root":
            continue
        name = [w for w in document.subtree(head) if w.relation != "case"]
        is_plain = all(w.upos == "PROPN" for w in name) and not document.children(verb, "conj")
        is_new = not any(re.search(rf"\b{re.escape(w.text)}\b", context) for w in name)
        if is_plain and is_new and ends(document, name[-1]):
            return re.search(rf"\b{re.escape(verb.lower)}(?: and \w+)? by [A-Z]", context) is not None
    return False
