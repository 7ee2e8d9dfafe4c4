"""Synonyms, antonyms and more general words for a word in its sentence, in the form that the sentence asks for.

    synonyms(word, document)     "films" -> "movies"      antonyms(...)  "bigger" -> "smaller"
    hypernyms(word, document)    "guitar" -> "instrument"
    with_article(document, replacement)    the changes, with the "a" or "an" before the word mended

A replacement is given only where it is safe: the word may be replaced at all (`text/replaceable.py`), most of its uses
have a sense in which the new word would do, most uses of the new word have that sense (`text/related.py`), the new
word is common enough, and it is grammatical here. Known mistakes and known good pairs are in `wordnet_words.txt`. How often
that is right is in `notes/wordnet-check.md`.
"""

from __future__ import annotations

from dataclasses import dataclass

from longway.text.articles import mend_articles
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.inflect import MASS_NOUNS, inflect, inflect_like, lemmas
from longway.text.related import Candidate, Relation, candidates
from longway.text.replaceable import Unit, counting_at, unit_of
from longway.text.word_lists import word_lists
from longway.text.word_sense import Encoder, grammar_of, weigh
from longway.text.wordnet import frequency


@dataclass(frozen=True, slots=True)
class ReplacementSettings:
    """How careful to be; the defaults are those that were checked by hand.

    min_fit: the least share of the word's uses in which the new word would do.
    min_back: the least share of the new word's uses that have the sense meant.
    min_count: how often SemCor must have the new word; min_ratio: the same, as a share of the old word's count.
    most: replacements given at most. encoder_weight: how much an encoder counts against the frequencies.
    """

    min_fit: float = 0.7
    min_back: float = 0.5
    min_count: int = 3
    min_ratio: float = 0.02
    most: int = 3
    encoder_weight: float = 8.0


@dataclass(frozen=True, slots=True)
class Replacement:
    """A word that may stand for a stretch of the text.

    text: as it is to be written, inflected and with capitals. lemma: its dictionary form.
    sense: the WordNet sense it has there ("movie.n.01"). fit, back: see `text/related.py`.
    frequency: how often SemCor has it.
    """

    start: int
    end: int
    text: str
    lemma: str
    relation: Relation
    sense: str
    fit: float
    back: float
    frequency: int

    @property
    def change(self) -> Change:
        """The change of the word alone."""
        return Change(self.start, self.end, self.text)


DEFAULTS = ReplacementSettings()


def synonyms(
    word: Word,
    document: Document,
    *,
    encoder: Encoder | None = None,
    settings: ReplacementSettings = DEFAULTS,
) -> list[Replacement]:
    """Words that mean the same here, best first; none where no word is safe enough.

    encoder: turns texts into one vector each; where it is given, the sentence helps to choose the sense.
    """
    return _replacements("synonym", word, document, encoder, settings)


def antonyms(
    word: Word,
    document: Document,
    *,
    indirect: bool = False,
    encoder: Encoder | None = None,
    settings: ReplacementSettings = DEFAULTS,
) -> list[Replacement]:
    """Words that mean the opposite here, best first.

    indirect: also the opposite of the adjective that an adjective is like ("gigantic" -> "little").
    """
    return _replacements("antonym", word, document, encoder, settings, indirect=indirect)


def hypernyms(
    word: Word,
    document: Document,
    *,
    encoder: Encoder | None = None,
    settings: ReplacementSettings = DEFAULTS,
) -> list[Replacement]:
    """More general words that are true and natural here, nearest first: for nouns and a few verbs."""
    return _replacements("hypernym", word, document, encoder, settings)


def with_article(document: Document, replacement: Replacement) -> list[Change]:
    """The change of the word and, where its sound asks for it, of the "a" or "an" before it."""
    return [replacement.change, *mend_articles(document, [replacement.change])]


def _replacements(
    relation: Relation,
    word: Word,
    document: Document,
    encoder: Encoder | None,
    settings: ReplacementSettings,
    *,
    indirect: bool = False,
) -> list[Replacement]:
    unit = unit_of(word, document)
    if unit is None:
        return []
    weighed = weigh(unit, document, encoder=encoder, encoder_weight=settings.encoder_weight)
    fits = grammar_of(unit, document)
    found = candidates(unit.lemma, unit.upos, relation, weighed, fits=fits, indirect=indirect)
    sentence = document.sentence(document.sentence_number(word))
    around = {
        f" {' '.join(forms)} " for forms in ([w.lower for w in sentence], [w.lemma.lower() for w in sentence])
    }
    given = [
        (candidate.steps, -candidate.fit * candidate.back, candidate.lemma, text)
        for candidate in found
        if not any(f" {candidate.lemma} " in words for words in around)
        and _is_safe(relation, unit, candidate, settings)
        and _is_grammatical(relation, unit, candidate.lemma, document)
        and (text := _in_its_form(relation, unit, candidate)) is not None
    ]
    return [replacement for *_, replacement in sorted(given, key=lambda g: g[:3])[: settings.most]]


def _in_its_form(relation: Relation, unit: Unit, candidate: Candidate) -> Replacement | None:
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
        frequency=frequency(candidate.lemma, unit.upos),
    )


def _is_safe(relation: Relation, unit: Unit, candidate: Candidate, settings: ReplacementSettings) -> bool:
    lists, lemma = word_lists(), candidate.lemma
    if not _is_plain(candidate) or lists.is_wrong(relation, unit.upos, unit.lemma, lemma):
        return False
    if lists.is_right(relation, unit.upos, unit.lemma, lemma):
        return True
    if relation == "hypernym":  # its words are chosen by hand
        return candidate.fit >= settings.min_fit
    least = max(settings.min_count, settings.min_ratio * frequency(unit.lemma, unit.upos))
    is_common = frequency(lemma, unit.upos) >= least
    return is_common and candidate.fit >= settings.min_fit and candidate.back >= settings.min_back


def _is_plain(candidate: Candidate) -> bool:
    """No names, numbers, abbreviations; nothing that WordNet marks as slang or archaic."""
    lemma = candidate.lemma
    is_word = lemma.islower() and lemma.replace(" ", "").replace("-", "").isalpha() and len(lemma) > 2
    member = candidate.sense.member(lemma)
    return is_word and not candidate.sense.is_name and not (member and member.is_marked)


def _is_grammatical(relation: Relation, unit: Unit, lemma: str, document: Document) -> bool:
    if unit.upos == "NOUN":
        if relation == "hypernym" and any(w.dep != "nmod:poss" for w in document.children(unit.word, "nmod")):
            return False  # "a river of sadness" is no body of water
        return _is_counted_alike(relation, lemma, unit, document)
    if unit.upos == "ADJ" and " " not in (inflect(lemma, "JJR") or " "):  # "more large"
        more = document.children(unit.word, "advmod")
        return not any(w.lower in ("more", "most", "less", "least") for w in more)
    return True


def _is_counted_alike(relation: Relation, lemma: str, unit: Unit, document: Document) -> bool:
    """False for "a furniture", "in building" and words that are plural in themselves ("surroundings")."""
    lists, last = word_lists(), lemma.split()[-1]
    if last.endswith("s") and lemmas(last, "NOUN")[:1] not in ((), (last,)):
        return False
    counting = counting_at(unit, document)
    if counting == "count":
        return last not in MASS_NOUNS | lists.mass
    if counting == "mass" and relation == "hypernym":
        return last in MASS_NOUNS | lists.mass | lists.mass_or_count
    return True
