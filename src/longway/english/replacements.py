"""Synonyms, antonyms and more general words that can replace a word in its sentence, in the right form.

    synonyms(word, document)     "films" -> "movies"      antonyms(...)  "bigger" -> "smaller"
    hypernyms(word, document)    "guitar" -> "instrument"
    with_article(document, replacement)    the changes, including the "a" or "an" before the word

A replacement is returned only if it is safe:

    lookup_unit     the word may be replaced: it is not part of a name, expression, compound or title, nor an auxiliary
                    or a light verb ("take", "get"). Words that belong together are looked up together: "gave up", "ice cream"
    weigh_senses    most uses of the word have a sense in which the new word is right, and the grammar fits
    _is_safe        most uses of the new word have that sense, it is common enough, and no list rules it out
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Literal

import numpy as np

from longway.english.articles import fix_articles
from longway.english.document import Change, Document, Word, any_lower
from longway.english.inflection import MASS_NOUNS, inflect, inflect_like, lemmas
from longway.english.wordnet import (
    Member,
    RelatedWord,
    Relation,
    Sense,
    frequency,
    is_expression,
    related_in_senses,
    senses,
    shares,
    word_lists,
)
from longway.english.words import listed_words

_LISTS = listed_words(__name__)
LONGEST_EXPRESSION = 4  # words

_TAGS = {
    "NOUN": "NN NNS",
    "VERB": "VB VBD VBG VBN VBP VBZ",
    "ADJ": "JJ JJR JJS",
    "ADV": "RB RBR RBS",
}
# Relations of each part of speech; with others the parse is wrong, or the word is used as another one ("a short").
_RELATIONS = {
    "NOUN": "root nsubj obj iobj obl nmod conj appos xcomp ccomp advcl acl parataxis dislocated",
    "VERB": "root conj xcomp ccomp advcl acl parataxis csubj",
    "ADJ": "root amod conj xcomp ccomp advcl acl parataxis csubj",
    "ADV": "root advmod conj xcomp ccomp advcl acl parataxis",
}
_AFTER_ADJECTIVES = _LISTS.free_prepositions | {"than", "as"}  # "bigger than ours"
_QUOTED = re.compile(r'"[^"]*"|“[^”]*”|``[^\']*\'\'|‘[^’]*’')
_EXPLAINED = re.compile(r"\([^()]{1,25}\)")
_LONGEST_QUOTED_NAME = 60  # characters; longer quotations are speech

# Numbers of WordNet's sentence frames ("Somebody ----s something" is 8), by what follows the verb.
_FRAMES = {
    "nothing": frozenset({1, 2, 3, 4, 12, 13, 22, 23, 27}),
    "object": frozenset({8, 9, 10, 11, 15, 16, 17, 18, 19, 20, 21, 31}),
    "two objects": frozenset({14}),
    "object and clause": frozenset({24, 25, 30}),
    "clause": frozenset({26, 29, 34}),
    "to": frozenset({28}),
    "infinitive": frozenset({32, 35}),
    "ing": frozenset({33}),
    "complement": frozenset({5, 6, 7}),
}


@dataclass(frozen=True, slots=True)
class LookupUnit:
    """What is looked up and replaced: a word, or words that belong together.

    lemma: dictionary form, with spaces. word: the word that is inflected. start, end: offsets in the text.
    """

    lemma: str
    upos: str
    word: Word
    start: int
    end: int


def lookup_unit(word: Word, document: Document) -> LookupUnit | None:
    """What is looked up and replaced for a word: the word, or the words it belongs to; None if it must stay."""
    if (
        not _is_content_word(word, document)
        or _is_in_name(word, document)
        or _is_held_together(word, document)
    ):
        return None
    unit = _with_its_words(word, document)
    if unit is None or unit.lemma in word_lists().kept[unit.upos] or not senses(unit.lemma, unit.upos):
        return None
    if word.text.isupper() and any(sense.has_capitals(unit.lemma) for sense in senses(unit.lemma, unit.upos)):
        return None  # "SUV", "AIDS"
    return None if _is_in_expression(unit, document) or _chooses_what_follows(unit, document) else unit


def frames_at(unit: LookupUnit, document: Document) -> frozenset[int]:
    """WordNet's sentence frames that fit a verb's objects and clauses; empty if its object is uncertain ("the film I saw")."""
    word = unit.word
    after = {w.relation: w for w in document.children(word, "obj", "iobj", "ccomp", "xcomp")}
    is_passive = bool(document.children(word, "nsubj:pass")) or (word.relation == "acl" and word.tag == "VBN")
    if "iobj" in after:
        return _FRAMES["two objects"]
    if "obj" in after or is_passive:
        return _FRAMES["object and clause" if "xcomp" in after else "object"]
    if "xcomp" in after:
        return _FRAMES[_clause_after(after["xcomp"], document)]
    if "ccomp" in after:
        return _FRAMES["clause"]
    return frozenset() if word.dep == "acl:relcl" else _FRAMES["nothing"]


def position_at(unit: LookupUnit, document: Document) -> Literal["a", "ip", "p"]:
    """The position of an adjective: "a" before its noun, "ip" directly after it, "p" as a predicate."""
    head = document.head(unit.word)
    if unit.word.relation != "amod" or head is None:
        return "p"
    return "a" if unit.word.index < head.index else "ip"


def is_counted(noun: Word, document: Document) -> bool:
    """True for a noun that counts things here: "a dog", "two dogs"."""
    before = document.children(noun, "det", "nummod")
    return noun.tag == "NNS" or any(w.relation == "nummod" or w.lower in _LISTS.counting for w in before)


def _is_content_word(word: Word, document: Document) -> bool:
    """True for nouns, verbs, adjectives and adverbs with a consistent tag, relation and spelling."""
    lemma, tags = word.lemma.lower(), _TAGS.get(word.upos, "").split()
    if word.tag not in tags or word.relation not in _RELATIONS[word.upos].split():
        return False
    if not word.text.isalpha() or len(lemma) < 3:
        return False
    if word.tag in ("VBG", "VBN") and any_lower(document.children(word, "advmod"), _LISTS.degree):
        return False  # "so shattering": an adjective in all but the tag
    # If the lemma does not inflect to the word, the tagger or the writer erred; "travelled" is an exception.
    return inflect(lemma, word.tag) == word.lower or (
        word.upos == "VERB" and lemma in lemmas(word.text, "VERB")
    )


def _is_in_name(word: Word, document: Document) -> bool:
    first = document.sentence_of(word)[0]
    if word.entity:
        return True
    if word.text[0].isupper() and not (word.text.isupper() and len(word.text) > 1):
        following = document.words[word.index + 1 : word.index + 2]
        if word.index != first.index or any(w.text[0].isupper() for w in following):
            return True
    return any(end - start <= _LONGEST_QUOTED_NAME for start, end in _around(word, _QUOTED, document.text))


def _around(word: Word, pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    """The match of a pattern that contains a word, as a list of zero or one span: matches do not overlap."""
    spans = _spans(pattern, text)
    last = bisect_left(spans, (word.start, 0)) - 1
    return [spans[last]] if last >= 0 and word.start < spans[last][1] else []


@lru_cache(maxsize=8)
def _spans(pattern: re.Pattern[str], text: str) -> list[tuple[int, int]]:
    return [match.span() for match in pattern.finditer(text)]


def _is_held_together(word: Word, document: Document) -> bool:
    """True inside compounds ("self-consciously"), explained names ("Dreamer (film)") and fixed phrases."""
    if word.relation == "compound" or document.children(word, "fixed", "flat", "goeswith"):
        return True
    following = document.after(word)
    if (
        word.upos == "ADJ"
        and following is not None
        and (following.tag == "CD" or following.lower in _LISTS.looking)
    ):
        return True  # "a good 30 minutes", "a smart looking suit"
    if _around(word, _EXPLAINED, document.text):
        return True
    return "-" in (document.text[max(word.start - 1, 0) : word.start], document.text[word.end : word.end + 1])


def _with_its_words(word: Word, document: Document) -> LookupUnit | None:
    """The verb with its particle, the noun with the words before it that WordNet lists with it, or the word alone."""
    particles = document.children(word, "compound:prt")
    if particles:
        particle = particles[0]
        if len(particles) > 1 or not _are_neighbours(word, particle, document):
            return None
        return LookupUnit(f"{word.lemma.lower()} {particle.lower}", word.upos, word, word.start, particle.end)
    before = [w for w in document.children(word, "compound", "amod") if w.index < word.index]
    for first in before if word.upos == "NOUN" else ():
        words = document.words[first.index : word.index + 1]
        lemma = " ".join([*(w.lower for w in words[:-1]), word.lemma.lower()])
        if len(words) <= LONGEST_EXPRESSION and _is_unbroken(words, document) and senses(lemma, "NOUN"):
            # "industrial rock band": the words before may belong to a part of it
            return LookupUnit(lemma, word.upos, word, first.start, word.end) if first is before[0] else None
    if any(w.relation == "compound" for w in before):
        return None  # "television writer": what suits the last word need not suit the whole
    return LookupUnit(word.lemma.lower(), word.upos, word, word.start, word.end)


def _is_in_expression(unit: LookupUnit, document: Document) -> bool:
    """True if the unit and its neighbours form a known expression: "of course", "take care"."""
    inside = [w.index for w in document.words_between(unit.start, unit.end)]
    low, high = inside[0], inside[-1]
    for first in range(max(0, high - LONGEST_EXPRESSION + 1), low + 1):
        for last in range(high, min(len(document), first + LONGEST_EXPRESSION)):
            words = document.words[first : last + 1]
            if len(words) > len(inside) and _is_unbroken(words, document) and _is_known(words):
                return True
    return False


def _is_known(words: tuple[Word, ...]) -> bool:
    """True for an expression as written, or with the first word, the last word or all words as lemmas."""
    written, base = [w.lower for w in words], [w.lemma.lower() for w in words]
    forms = map(" ".join, (written, base, [base[0], *written[1:]], [*written[:-1], base[-1]]))
    return any(is_expression(joined) or joined in word_lists().expressions for joined in forms)


def _chooses_what_follows(unit: LookupUnit, document: Document) -> bool:
    """True for "listen to", "full of", "able to", "enjoy yourself": another word would take another complement."""
    word = unit.word
    if unit.upos == "ADJ" and word.relation != "amod":
        if any(_preposition(w, document) not in _AFTER_ADJECTIVES for w in document.children(word, "obl")):
            return True
        return any(_is_chosen_clause(w, document) for w in document.children(word, "advcl", "ccomp", "xcomp"))
    if unit.upos == "VERB":
        if any(w.lower.endswith(("self", "selves")) for w in document.children(word, "obj")):
            return True
        return any(
            _preposition(w, document) not in _LISTS.free_prepositions for w in document.children(word, "obl")
        )
    if unit.upos == "NOUN" and senses(unit.lemma, "NOUN")[0].field.removeprefix("noun.") in _LISTS.abstract:
        clauses = document.children(word, "acl", "ccomp", "xcomp", "advcl")
        modifiers = [
            _preposition(w, document) for w in document.children(word, "nmod") if w.dep != "nmod:poss"
        ]
        is_clause = any(clause.dep != "acl:relcl" for clause in clauses)
        return is_clause or any(p not in _LISTS.free_prepositions and p != "of" for p in modifiers)
    return False


def _is_chosen_clause(clause: Word, document: Document) -> bool:
    """True for "easy to use", "sure he came"; not for "happy because it works"."""
    marks = [w.lower for w in document.children(clause, "mark")]
    return not marks or "to" in marks or clause.relation != "advcl"


def _preposition(word: Word, document: Document) -> str:
    case = document.children(word, "case")
    return case[0].lower if case else "in"  # none: a time or a measure ("last year")


def _clause_after(clause: Word, document: Document) -> str:
    if clause.upos in ("ADJ", "NOUN", "ADV", "PROPN", "PRON"):
        return "complement"
    if clause.tag == "VBG":
        return "ing"
    return "to" if document.children(clause, "mark") else "infinitive"


def _is_unbroken(words: tuple[Word, ...], document: Document) -> bool:
    return all(_are_neighbours(first, second, document) for first, second in pairwise(words))


def _are_neighbours(first: Word, second: Word, document: Document) -> bool:
    between = document.text[first.end : second.start]
    return second.index == first.index + 1 and between in (" ", "-", "")


def weigh_senses(unit: LookupUnit, document: Document) -> list[tuple[Sense, float]]:
    """The senses that a unit can have at its place, each with its share of uses; the shares add up to 1."""
    fits = grammar_of(unit, document)
    weighed = zip(senses(unit.lemma, unit.upos), shares(unit.lemma, unit.upos), strict=True)
    possible = [(sense, share) for sense, share in weighed if (m := sense.member(unit.lemma)) and fits(m)]
    if not possible:
        return []
    weights = np.array([share for _, share in possible])
    return [(sense, float(w)) for (sense, _), w in zip(possible, weights / weights.sum(), strict=True)]


def grammar_of(unit: LookupUnit, document: Document) -> Callable[[Member], bool]:
    """Return a function that is True for words whose grammar fits the place of the unit."""
    if unit.upos == "VERB":
        frames = frames_at(unit, document)
        if frames:
            return lambda member: bool(member.frames & frames)
        # The object is uncertain: only words with all frames of this one fit.
        own = frozenset(
            number
            for sense in senses(unit.lemma, unit.upos)
            if (member := sense.member(unit.lemma))
            for number in member.frames
        )
        return lambda member: own <= member.frames or member.lemma == unit.lemma
    if unit.upos == "ADJ":
        position = position_at(unit, document)
        return lambda member: member.position in ("", position)
    return lambda member: True


# How cautious replacements are; the values were checked by hand (notes/wordnet-check.md).
MIN_FIT = 0.7  # least share of the word's uses in which the new word is right
MIN_BACK = 0.5  # least share of the new word's uses with the sense meant
MIN_COUNT = 3  # least count of the new word in SemCor ...
MIN_RATIO = 0.02  # ... and least share of the old word's count
MAX_REPLACEMENTS = 3


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word that may replace a stretch of the text.

    text: as written, inflected and with capitals. lemma: dictionary form. sense: its WordNet sense here ("movie.n.01").
    fit, back: shares of uses, see `RelatedWord`.
    """

    start: int
    end: int
    text: str
    lemma: str
    relation: Relation
    sense: str
    fit: float
    back: float

    @property
    def change(self) -> Change:
        """The change of the word, without its article."""
        return Change(self.start, self.end, self.text)


def synonyms(word: Word, document: Document) -> list[Replacement]:
    """Words with the same meaning here, best first; empty if no word is safe enough."""
    return _replacements("synonym", word, document)


def antonyms(word: Word, document: Document) -> list[Replacement]:
    """Words with the opposite meaning here, best first."""
    return _replacements("antonym", word, document)


def with_article(document: Document, replacement: Replacement) -> list[Change]:
    """The change of the word and, if its sound requires it, of the "a" or "an" before it."""
    return [replacement.change, *fix_articles(document, [replacement.change])]


def _replacements(relation: Relation, word: Word, document: Document) -> list[Replacement]:
    unit = lookup_unit(word, document)
    if unit is None:
        return []
    weighed = weigh_senses(unit, document)
    fits = grammar_of(unit, document)
    candidates = related_in_senses(unit.lemma, unit.upos, relation, weighed, fits=fits)
    sentence = document.sentence_of(word)
    around = {
        f" {' '.join(forms)} " for forms in ([w.lower for w in sentence], [w.lemma.lower() for w in sentence])
    }
    given = [
        (-candidate.fit * candidate.back, candidate.lemma, text)
        for candidate in candidates
        if not any(f" {candidate.lemma} " in words for words in around)
        and _is_safe(relation, unit, candidate)
        and _is_grammatical(unit, candidate.lemma, document)
        and (text := _in_its_form(relation, unit, candidate)) is not None
    ]
    return [replacement for *_, replacement in sorted(given, key=lambda g: g[:2])[:MAX_REPLACEMENTS]]


def _in_its_form(relation: Relation, unit: LookupUnit, candidate: RelatedWord) -> Replacement | None:
    text = inflect_like(candidate.lemma, unit.word)
    if text is None or text == unit.word.text:  # "smallest" is the form of "little", too
        return None
    if unit.word.tag in ("RBR", "RBS") and " " in text:  # "sooner": not "more shortly"
        return None
    return Replacement(
        start=unit.start,
        end=unit.end,
        text=text,
        lemma=candidate.lemma,
        relation=relation,
        sense=candidate.sense.name,
        fit=candidate.fit,
        back=candidate.back,
    )


def _is_safe(relation: Relation, unit: LookupUnit, candidate: RelatedWord) -> bool:
    lists, lemma = word_lists(), candidate.lemma
    is_word = lemma.islower() and lemma.replace(" ", "").replace("-", "").isalpha() and len(lemma) > 2
    member = candidate.sense.member(lemma)
    is_marked = member is not None and member.is_marked  # slang, archaic
    if (
        not is_word
        or candidate.sense.is_name
        or is_marked
        or lists.is_wrong(relation, unit.upos, unit.lemma, lemma)
    ):
        return False
    if lists.is_right(relation, unit.upos, unit.lemma, lemma):
        return True
    least = max(MIN_COUNT, MIN_RATIO * frequency(unit.lemma, unit.upos))
    is_common = frequency(lemma, unit.upos) >= least
    return is_common and candidate.fit >= MIN_FIT and candidate.back >= MIN_BACK


def _is_grammatical(unit: LookupUnit, lemma: str, document: Document) -> bool:
    if unit.upos == "NOUN":
        last = lemma.split()[-1]
        if last.endswith("s") and lemmas(last, "NOUN")[:1] not in ((), (last,)):
            return False  # always plural: "surroundings"
        return not (
            is_counted(unit.word, document) and last in MASS_NOUNS | word_lists().mass
        )  # "a furniture"
    if unit.upos == "ADJ" and " " not in (inflect(lemma, "JJR") or " "):  # "more large"
        return not any_lower(document.children(unit.word, "advmod"), ("more", "most", "less", "least"))
    return True
