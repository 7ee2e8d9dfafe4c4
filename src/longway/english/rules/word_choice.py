"""Single words. Family: words.

    words    "children" -> "kids", "purchased" -> "bought": WordNet synonyms

Names, titles, and verbs followed by a preposition ("result in") stay, unless WordNet lists the new verb with one.
"""

from __future__ import annotations

from longway.english.document import Document, Word
from longway.english.listed_words import listed_words
from longway.english.replacements import Replacement, synonyms, with_article
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.spans import is_time, name_indices
from longway.english.wordnet import is_expression, senses

_OPEN_CLASSES = ("NOUN", "VERB", "ADJ", "ADV")
_EXCLUDED = listed_words(__name__)["excluded"]
_PREPOSITION_FRAMES = frozenset({4, 22})  # WordNet's frames "Something is ----ing PP", "Somebody ----s PP"


def words(scene: Scene) -> Rephrasings:
    """Yield the text with one word replaced by a synonym; words to avoid come first."""
    document = scene.document
    names = name_indices(document)
    for word in sorted(document, key=lambda w: (w.lower not in scene.avoid, w.index)):
        if word.upos not in _OPEN_CLASSES or word.index in names or not word.text.isalpha():
            continue
        if word.lemma.lower() in _EXCLUDED and word.lower not in scene.avoid:
            continue
        if _is_in_compound(scene, word):
            continue
        preposition = _following_preposition(word, document)
        for replacement in synonyms(word, document):
            if preposition and not _takes(replacement, preposition):
                continue
            if " " in replacement.text and _is_before_modifier(document, word):
                continue  # no "a for the most part red house"
            yield Rephrasing("words.synonym", tuple(with_article(document, replacement)))


def _is_in_compound(scene: Scene, word: Word) -> bool:
    """Return True for parts of "film festival" or "well-known", which are fixed terms."""
    document = scene.document
    glued = "-" in document.text[max(0, word.start - 1) : word.start] + document.text[word.end : word.end + 1]
    has_part = word.upos == "NOUN" and bool(document.children(word, "compound"))
    is_part = word.relation == "compound" or has_part
    is_participle = word.upos == "VERB" and word.relation in ("amod", "compound")  # "purchasing power"
    return glued or is_part or is_participle


def _is_before_modifier(document: Document, word: Word) -> bool:
    head = document.head(word)
    return word.upos == "ADV" and head is not None and head.relation in ("amod", "compound")


def _following_preposition(word: Word, document: Document) -> str:
    """Return the preposition right after a verb that may belong to it ("resulted in"), or "".

    A time ("began in May") and the agent of a passive ("was bought by") are compatible with any verb.
    """
    after = document.words[word.index + 1 : word.index + 2]
    if word.upos != "VERB" or not after or after[0].upos != "ADP":
        return ""
    if after[0].relation not in ("case", "mark"):
        return ""
    governed = document.head(after[0])
    is_passive = bool(document.children(word, "aux:pass", "nsubj:pass")) or word.tag == "VBN"
    if (governed is not None and is_time(document, governed)) or (after[0].lower == "by" and is_passive):
        return ""
    return after[0].lower


def _takes(replacement: Replacement, preposition: str) -> bool:
    """Return True if WordNet lists the new verb, in this sense, with a preposition."""
    if is_expression(f"{replacement.lemma} {preposition}"):
        return True
    same_senses = (sense for sense in senses(replacement.lemma, "VERB") if sense.name == replacement.sense)
    members = (sense.member(replacement.lemma) for sense in same_senses)
    return any(member is not None and bool(member.frames & _PREPOSITION_FRAMES) for member in members)
