"""Synonyms for single words, in the form that the sentence asks for: "children" -> "kids", "purchased" -> "bought".

The words come from WordNet by way of `text/replacements.py`, which gives only what is safe. Without WordNet
(`text/wordnet.py` says where it comes from) this family gives nothing. Names and titles stay. So does a verb with a
preposition right behind it ("result in"), unless WordNet says that the new verb takes one ("ensue in" it does not know).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from longway.errors import LongwayError
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import in_names, is_time
from longway.text.document import Document, Word
from longway.text.replacements import Replacement, synonyms, with_article
from longway.text.wordnet import is_expression, senses, wordnet_source

_CLASSES = ("NOUN", "VERB", "ADJ", "ADV")
# Common in claims and captions, and wrong there too often: a lead role is no "leading part", "played" no "performed".
_LEFT_OUT = frozenset(
    "play act work make take have get go come give show run call name line man woman person people star role part show "
    "season series single record title character place group member number set order state house court party field point "
    "large small little first last next new old high low long short top lead major own same other only even just still die value provide deity behavior big manner era newspaper film movie solely exclusively exactly merely".split()
)
_WITH_PREPOSITION = frozenset({4, 22})  # WordNet's frames "Something is ----ing PP", "Somebody ----s PP"


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one word exchanged for a synonym; words that give the label away come first."""
    document = scene.document
    if not has_wordnet():
        return
    names = in_names(document)
    for word in sorted(document, key=lambda w: (w.lower not in scene.telling, w.index)):
        if word.upos not in _CLASSES or word.index in names or not word.text.isalpha():
            continue
        if word.lemma.lower() in _LEFT_OUT and word.lower not in scene.telling:
            continue
        if _is_in_compound(scene, word):
            continue
        preposition = _preposition_behind(word, document)
        for replacement in synonyms(word, document):
            if preposition and not _takes(replacement, preposition):
                continue
            yield Rewriting("words.synonym", tuple(with_article(document, replacement)))


def _is_in_compound(scene: Scene, word: Word) -> bool:
    """True for the parts of "film festival" or "well-known", which are terms of their own."""
    document = scene.document
    glued = "-" in (
        document.text[word.end : word.end + 1],
        document.text[max(0, word.start - 1) : word.start],
    )
    is_part = word.relation == "compound" or (
        word.upos == "NOUN" and bool(document.children(word, "compound"))
    )
    is_participle = word.upos == "VERB" and word.relation in ("amod", "compound")  # "purchasing power"
    return glued or is_part or is_participle


def _preposition_behind(word: Word, document: Document) -> str:
    """The preposition right behind a verb that may belong to it: "resulted in"; "" where none does.

    A time ("began in May") and the doer of a passive ("was bought by") go with any verb.
    """
    after = document.words[word.index + 1 : word.index + 2]
    if (
        word.upos != "VERB"
        or not after
        or after[0].upos != "ADP"
        or after[0].relation not in ("case", "mark")
    ):
        return ""
    what = document.head(after[0])
    is_passive = bool(document.children(word, "aux:pass", "nsubj:pass")) or word.tag == "VBN"
    if (what is not None and is_time(document, what)) or (after[0].lower == "by" and is_passive):
        return ""
    return after[0].lower


def _takes(replacement: Replacement, preposition: str) -> bool:
    """Whether WordNet has the new verb with a preposition, in the sense that is meant."""
    if is_expression(f"{replacement.lemma} {preposition}"):
        return True
    meant = (sense for sense in senses(replacement.lemma, "VERB") if sense.name == replacement.sense)
    members = (sense.member(replacement.lemma) for sense in meant)
    return any(member is not None and bool(member.frames & _WITH_PREPOSITION) for member in members)


@lru_cache(maxsize=1)
def wordnet_version() -> str:
    """The version of WordNet that is read, "" where there is none."""
    try:
        return wordnet_source().version
    except LongwayError:
        return ""


def has_wordnet() -> bool:
    """True where WordNet's files are there."""
    return wordnet_version() != ""
