"""Which words of a document may be replaced by another word at all, and what their place asks of the new one.

A replacement from a dictionary is right only where the word stands for itself: not inside a name, a fixed expression
("of course", "take care"), a compound or a quoted title, not as an auxiliary or a verb that means little by itself
("take", "get"). Words that belong together are looked up together: "gave up" is one unit, "ice cream" another.

    unit_of(word, document)        what is looked up and replaced for the word; None where it must stay
    frames_at(unit, document)      the sentence frames of WordNet that fit a verb's objects and clauses
    position_at(unit, document)    whether an adjective stands before its noun or is a predicate
    counting_at(unit, document)    whether a noun is counted here
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

from longway.text.document import Document, Word
from longway.text.inflect import inflect, lemmas
from longway.text.word_lists import word_lists
from longway.text.wordnet import is_expression, senses

LONGEST_EXPRESSION = 4  # words

_TAGS = {
    "NOUN": "NN NNS",
    "VERB": "VB VBD VBG VBN VBP VBZ",
    "ADJ": "JJ JJR JJS",
    "ADV": "RB RBR RBS",
}
# Where each part of speech stands; elsewhere the parse is wrong, or the word is used as another one ("a short").
_RELATIONS = {
    "NOUN": "root nsubj obj iobj obl nmod conj appos xcomp ccomp advcl acl parataxis dislocated",
    "VERB": "root conj xcomp ccomp advcl acl parataxis csubj",
    "ADJ": "root amod conj xcomp ccomp advcl acl parataxis csubj",
    "ADV": "root advmod conj xcomp ccomp advcl acl parataxis",
}
_FREE_PREPOSITIONS = frozenset(
    "in inside outside during after before by since until while near behind".split()
)
_AFTER_ADJECTIVES = _FREE_PREPOSITIONS | {"than", "as"}  # "bigger than ours"
_DEGREE = frozenset(
    "so very too as more most less least how quite rather really truly utterly deeply highly".split()
)
_LOOKING = frozenset("looking sounding tasting smelling feeling seeming".split())
_COUNTING = frozenset("a an another each every either neither".split())
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|``[^\']*\'\'|‘[^’]*’')
_EXPLAINED = re.compile(r"\([^()]{1,25}\)")
_LONGEST_QUOTED_NAME = 60  # characters; longer quotations are speech
# WordNet's groups of nouns that often choose what follows them ("the reason for", "an attempt to").
_ABSTRACT = frozenset(
    "act attribute cognition communication event feeling motive phenomenon process relation state Tops".split()
)

# Numbers of WordNet's sentence frames ("Somebody ----s something" is 8), grouped by what stands after the verb.
_NOTHING_AFTER = frozenset({1, 2, 3, 4, 12, 13, 22, 23, 27})
_OBJECT = frozenset({8, 9, 10, 11, 15, 16, 17, 18, 19, 20, 21, 31})
_TWO_OBJECTS = frozenset({14})
_OBJECT_AND_CLAUSE = frozenset({24, 25, 30})
_CLAUSE = frozenset({26, 29, 34})
_TO_INFINITIVE = frozenset({28})
_PLAIN_INFINITIVE = frozenset({32, 35})
_ING = frozenset({33})
_COMPLEMENT = frozenset({5, 6, 7})


@dataclass(frozen=True, slots=True)
class Unit:
    """What is looked up and replaced: a word, or words that belong together.

    lemma: its dictionary form, with spaces. word: the word that is inflected. start, end: its place in the text.
    """

    lemma: str
    upos: str
    word: Word
    start: int
    end: int


def unit_of(word: Word, document: Document) -> Unit | None:
    """What is looked up and replaced for a word: itself, or the words it belongs with; None where it must stay."""
    if (
        not _is_content_word(word, document)
        or _is_in_name(word, document)
        or _is_held_together(word, document)
    ):
        return None
    unit = _with_its_words(word, document)
    if unit is None or unit.lemma in word_lists().kept[unit.upos] or not senses(unit.lemma, unit.upos):
        return None
    if word.text.isupper() and any(one.has_capitals(unit.lemma) for one in senses(unit.lemma, unit.upos)):
        return None  # "SUV", "AIDS"
    return None if _is_in_expression(unit, document) or _chooses_what_follows(unit, document) else unit


def frames_at(unit: Unit, document: Document) -> frozenset[int]:
    """The sentence frames that a verb's place allows; none where it may have an object or not ("the film I saw")."""
    word = unit.word
    after = {w.relation: w for w in document.children(word, "obj", "iobj", "ccomp", "xcomp")}
    is_passive = bool(document.children(word, "nsubj:pass")) or (word.relation == "acl" and word.tag == "VBN")
    if "iobj" in after:
        return _TWO_OBJECTS
    if "obj" in after or is_passive:
        return _OBJECT_AND_CLAUSE if "xcomp" in after else _OBJECT
    if "xcomp" in after:
        return _frames_before(after["xcomp"], document)
    if "ccomp" in after:
        return _CLAUSE
    return frozenset() if word.dep == "acl:relcl" else _NOTHING_AFTER


def position_at(unit: Unit, document: Document) -> Literal["a", "ip", "p"]:
    """Where an adjective stands: "a" before its noun, "ip" right after it, "p" as a predicate."""
    head = document.head(unit.word)
    if unit.word.relation != "amod" or head is None:
        return "p"
    return "a" if unit.word.index < head.index else "ip"


def counting_at(unit: Unit, document: Document) -> Literal["count", "mass", ""]:
    """How a noun is used: "count" ("a dog", "two dogs"), "mass" (no article at all), "" where both may be."""
    before = document.children(unit.word, "det", "nummod", "nmod:poss")
    if unit.word.tag == "NNS" or any(w.relation == "nummod" or w.lower in _COUNTING for w in before):
        return "count"
    return "" if before else "mass"


def _is_content_word(word: Word, document: Document) -> bool:
    """True for nouns, verbs, adjectives and adverbs that are tagged, parsed and spelled as such."""
    lemma, tags = word.lemma.lower(), _TAGS.get(word.upos, "").split()
    if word.tag not in tags or word.relation not in _RELATIONS[word.upos].split():
        return False
    if not word.text.isalpha() or len(lemma) < 3:
        return False
    if word.tag in ("VBG", "VBN") and any(w.lower in _DEGREE for w in document.children(word, "advmod")):
        return False  # "so shattering": an adjective in all but the tag
    # A lemma that does not lead back to the word is a slip of the tagger or of the writer; "travelled" is neither.
    return inflect(lemma, word.tag) == word.lower or (
        word.upos == "VERB" and lemma in lemmas(word.text, "VERB")
    )


def _is_in_name(word: Word, document: Document) -> bool:
    first = document.sentence(document.sentence_number(word))[0]
    if word.entity:
        return True
    if word.text[0].isupper() and not (word.text.isupper() and len(word.text) > 1):
        following = document.words[word.index + 1 : word.index + 2]
        if word.index != first.index or any(w.text[0].isupper() for w in following):
            return True
    return any(end - start <= _LONGEST_QUOTED_NAME for start, end in _around(word, _QUOTED, document.text))


def _around(word: Word, pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """The match of a pattern that a word stands in, as a list of none or one: matches do not overlap."""
    spans = _spans(pattern, text)
    last = bisect_left(spans, (word.start, 0)) - 1
    return [spans[last]] if last >= 0 and word.start < spans[last][1] else []


@lru_cache(maxsize=8)
def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


def _is_held_together(word: Word, document: Document) -> bool:
    """True inside compounds ("self-consciously"), names with an explanation ("Dreamer (film)"), fixed phrases."""
    if word.relation == "compound" or document.children(word, "fixed", "flat", "goeswith"):
        return True
    following = document.words[word.index + 1] if word.index + 1 < len(document) else None
    if (
        word.upos == "ADJ"
        and following is not None
        and (following.tag == "CD" or following.lower in _LOOKING)
    ):
        return True  # "a good 30 minutes", "a smart looking suit"
    if _around(word, _EXPLAINED, document.text):
        return True
    return "-" in (document.text[max(word.start - 1, 0) : word.start], document.text[word.end : word.end + 1])


def _with_its_words(word: Word, document: Document) -> Unit | None:
    """The verb with its particle, the noun with the words before it that WordNet has it with, or the word alone."""
    particles = document.children(word, "compound:prt")
    if particles:
        particle = particles[0]
        if len(particles) > 1 or not _are_neighbours(word, particle, document):
            return None
        return Unit(f"{word.lemma.lower()} {particle.lower}", word.upos, word, word.start, particle.end)
    before = [w for w in document.children(word, "compound", "amod") if w.index < word.index]
    for first in before if word.upos == "NOUN" else ():
        words = document.words[first.index : word.index + 1]
        lemma = " ".join([*(w.lower for w in words[:-1]), word.lemma.lower()])
        if len(words) <= LONGEST_EXPRESSION and _is_unbroken(words, document) and senses(lemma, "NOUN"):
            # "industrial rock band": what stands before may belong to a part of it
            return Unit(lemma, word.upos, word, first.start, word.end) if first is before[0] else None
    if any(w.relation == "compound" for w in before):
        return None  # "television writer": what suits the last word need not suit the whole
    return Unit(word.lemma.lower(), word.upos, word, word.start, word.end)


def _is_in_expression(unit: Unit, document: Document) -> bool:
    """True where the unit and words beside it are known as one expression: "of course", "take care"."""
    inside = [w.index for w in document.words_between(unit.start, unit.end)]
    low, high = inside[0], inside[-1]
    for first in range(max(0, high - LONGEST_EXPRESSION + 1), low + 1):
        for last in range(high, min(len(document), first + LONGEST_EXPRESSION)):
            words = document.words[first : last + 1]
            if len(words) > len(inside) and _is_unbroken(words, document) and _is_known(words):
                return True
    return False


def _is_known(words: tuple[Word, ...]) -> bool:
    """True for expressions as they are written, and with their first word, their last word or all words as lemmas."""
    written, base = [w.lower for w in words], [w.lemma.lower() for w in words]
    forms = (written, base, [base[0], *written[1:]], [*written[:-1], base[-1]])
    listed = word_lists().expressions
    return any(is_expression(joined) or joined in listed for joined in map(" ".join, forms))


def _chooses_what_follows(unit: Unit, document: Document) -> bool:
    """True for "listen to", "full of", "able to", "enjoy yourself": another word would go with something else."""
    word = unit.word
    if unit.upos == "ADJ" and word.relation != "amod":
        if any(_preposition(w, document) not in _AFTER_ADJECTIVES for w in document.children(word, "obl")):
            return True
        return any(_is_chosen_clause(w, document) for w in document.children(word, "advcl", "ccomp", "xcomp"))
    if unit.upos == "VERB":
        if any(w.lower.endswith(("self", "selves")) for w in document.children(word, "obj")):
            return True
        return any(
            _preposition(w, document) not in _FREE_PREPOSITIONS for w in document.children(word, "obl")
        )
    if unit.upos == "NOUN" and senses(unit.lemma, "NOUN")[0].field.removeprefix("noun.") in _ABSTRACT:
        clauses = document.children(word, "acl", "ccomp", "xcomp", "advcl")
        modifiers = [
            _preposition(w, document) for w in document.children(word, "nmod") if w.dep != "nmod:poss"
        ]
        is_clause = any(clause.dep != "acl:relcl" for clause in clauses)
        return is_clause or any(p not in _FREE_PREPOSITIONS and p != "of" for p in modifiers)
    return False


def _is_chosen_clause(clause: Word, document: Document) -> bool:
    """True for "easy to use", "sure he came"; not for "happy because it works"."""
    marks = [w.lower for w in document.children(clause, "mark")]
    return not marks or "to" in marks or clause.relation != "advcl"


def _preposition(word: Word, document: Document) -> str:
    case = document.children(word, "case")
    return case[0].lower if case else "in"  # none: a time or a measure ("last year")


def _frames_before(clause: Word, document: Document) -> frozenset[int]:
    if clause.upos in ("ADJ", "NOUN", "ADV", "PROPN", "PRON"):
        return _COMPLEMENT
    if clause.tag == "VBG":
        return _ING
    return _TO_INFINITIVE if document.children(clause, "mark") else _PLAIN_INFINITIVE


def _is_unbroken(words: tuple[Word, ...], document: Document) -> bool:
    return all(_are_neighbours(first, second, document) for first, second in pairwise(words))


def _are_neighbours(first: Word, second: Word, document: Document) -> bool:
    between = document.text[first.end : second.start]
    return second.index == first.index + 1 and between in (" ", "-", "")
