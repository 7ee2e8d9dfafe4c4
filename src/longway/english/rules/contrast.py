"""Other claims with the same label, for pairs with a known stance. Family: contrast.

A refuted claim becomes another claim that the context refutes, a supported claim another that it supports:

    refuted     "X is not a French film"            "X is a Greek film"      the context says that it is French
                "X only stars in Greek films"       "X ... Dutch films"      a wrong detail becomes another wrong detail
                "X did not star in Y"               "X turned down the chance to star in Y"
                "X does not include Y"              "X excludes Y"
                "X has only written 6 novels"       "X has written 71 novels"    the context says 54
                "X was only made by Y"              "X was made by Y"            the context names another maker
    supported   "X was born in 1984"                "X was not born in 1979"

Whoever wrote 54 novels also wrote 6, so a new number must be larger than the one in the context.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import chain

from longway.english.articles import with_articles
from longway.english.denials import DO_FORMS, Denial, denials, do_not, not_after, subject_of
from longway.english.document import Change, Document, Word
from longway.english.inflection import inflect, number_in_words
from longway.english.listed_words import listed_words
from longway.english.opposites import CONTRARIES, CONTRARY_PARTICIPLES
from longway.english.rules.clauses import is_known_person, is_plain_statement, main_clause_root
from longway.english.rules.negatives import ATTEMPT_VERBS, CHOICE_VERBS, false_that, with_adverb, with_verb
from longway.english.rules.restrictors import focus_of, is_restrictor, restrictor_range
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sisters import SisterSpot, ends_clause, sister_spots
from longway.english.rules.spans import is_year, name_indices

_LISTS = listed_words(__name__)
# Classes of which a thing usually has one, so the value in the context excludes that of the claim.
_SINGLE_VALUED = frozenset(
    "nationality country state city continent year month director author family_f family_m".split()
)
_NEGATIVE_VERBS = _LISTS["negative_verbs"]
_NEED_NEGATION = frozenset("any anything anyone anybody ever yet either anymore".split())
_DENYING_WORDS = _LISTS["denying_words"]


_ENDING_VERBS = ("stop", "quit", "cease")  # who refuses to stop goes on
_AVOIDANCE = {"avoid": "avoided", "barred_from": "was barred from", "steer_clear": "steered clear of"}
NamedChanges = Iterator[tuple[str, tuple[Change, ...]]]


def contrast(scene: Scene) -> Rephrasings:
    """Yield other claims with the same label."""
    if scene.context is None or len(scene.document.sentences) != 1:
        return
    if scene.stance == "contradicts":
        variants = chain(
            _denied(scene), _none_at_all(scene), _restricted(scene), _outside(scene), _wrong_details(scene)
        )
    elif scene.stance == "entails":
        variants = chain(_deny_sisters(scene))
    else:
        return
    for name, changes in variants:
        mended = with_articles(scene.document, *changes)
        yield Rephrasing(f"contrast.{name}", mended, keeps="label")


def _denied(scene: Scene) -> NamedChanges:
    """Rephrase refuted denials: what they deny is true."""
    for denial in denials(scene.document):
        if main_clause_root(scene.document, denial.last) is None:
            continue
        yield from _other_denials(scene, denial)
        yield from _contraries(scene, denial)
        positive = denial.conjugated()
        if positive is None or not _can_be_affirmed(scene, denial):
            continue
        for spot in sister_spots(scene):
            if spot.start < denial.end or (spot.name == "year" and denial.tense == "perfect"):
                continue
            if not spot.sure and not (spot.is_known or spot.has_rival):
                continue
            for other in spot.others:
                yield f"sister_{spot.name}", (denial.becomes(positive), spot.becomes(other))


def _can_be_affirmed(scene: Scene, denial: Denial) -> bool:
    """Return True if nothing after the verb needs a "not" before it, and nothing else is denied."""
    words_after = scene.document.words[denial.last + 1 :]
    words = {w.lower for w in words_after}
    joined = any(w.lower in ("and", "or", "but") and w.text.islower() for w in words_after)
    return not joined and words.isdisjoint(_NEED_NEGATION | _DENYING_WORDS)


def _other_denials(scene: Scene, denial: Denial) -> NamedChanges:
    """Yield other denials: weaker and stronger ones are just as false."""
    document = scene.document
    main = main_clause_root(document, denial.last)
    subject = subject_of(document, document.words[denial.first])
    if subject is None and main is not None:
        subject = subject_of(document, main)
    is_dated = any(w.tag == "CD" for w in document.words[denial.last + 1 :])
    after = document.words[denial.last + 1 : denial.last + 2]
    is_noun = bool(after) and after[0].lower in ("a", "an", "the")
    facts = {"person": is_known_person(scene, subject), "dated": is_dated, "noun": is_noun}
    for name, text in _denial_variants(denial, **facts, definite=_is_of_one_thing(scene, denial)):
        if text is not None and text != document.text[denial.start : denial.end]:
            yield name, (denial.becomes(text),)
    if denial.kind not in ("not", "never", "unable") and denial.verb not in _ENDING_VERBS:
        for rephrasing in false_that(scene, replace(denial, kind="not")):
            yield rephrasing.rule.removeprefix("negation."), rephrasing.changes


def _is_of_one_thing(scene: Scene, denial: Denial) -> bool:
    """Return True for "star in The Hill", "play the king"; not for "act in a film"."""
    for word in scene.document.words[denial.last + 1 : denial.last + 3]:
        if word.upos != "ADP":
            return word.upos == "PROPN" or word.lower == "the"
    return False


def _denial_variants(
    denial: Denial, *, person: bool, dated: bool, noun: bool, definite: bool
) -> Iterator[tuple[str, str | None]]:
    if denial.kind != "not":
        yield "not", denial.with_auxiliary("not")
    if denial.kind != "never" and not dated and denial.tense != "present":
        yield "never", with_adverb(denial, "never")
    if denial.kind not in ("not", "fail") and denial.verb in ATTEMPT_VERBS:
        yield "fail_to", with_verb(denial, "fail", f"to {denial.verb}")
    if denial.kind != "unable" and denial.verb in ATTEMPT_VERBS | CHOICE_VERBS and denial.verb != "become":
        yield "unable_to", with_verb(denial, "be", f"unable to {denial.verb}")
    if denial.verb == "be" and denial.kind != "not" and denial.tense in ("past", "present"):
        yield "far_from", with_verb(denial, "be", "far from being")
        if noun:  # no "is in no way written"
            yield "in_no_way", with_verb(denial, "be", "in no way")
    if person and denial.verb in CHOICE_VERBS and denial.tense in ("past", "perfect"):
        yield from _choice_variants(denial, definite)


def _choice_variants(denial: Denial, definite: bool) -> Iterator[tuple[str, str | None]]:
    yield "barred_from", with_verb(denial, "be", f"barred from {denial.gerund}")
    if denial.kind != "avoid":
        yield "avoid", with_verb(denial, "avoid", denial.gerund)
    if not definite:  # a person who turned down one film may have made another
        return
    yield "turn_down", with_verb(denial, "turn", f"down the chance to {denial.verb}")
    yield "miss_chance", with_verb(denial, "miss", f"the chance to {denial.verb}")
    if denial.kind != "refuse":
        yield "decline_to", with_verb(denial, "decline", f"to {denial.verb}")
        yield "unwilling_to", with_verb(denial, "be", f"unwilling to {denial.verb}")


def _contraries(scene: Scene, denial: Denial) -> NamedChanges:
    """Rephrase "does not include" as "excludes", "was not renewed" as "was cancelled"."""
    words = scene.document.words[denial.last + 1 : denial.last + 3]
    if not words or not _can_be_affirmed(scene, denial):
        return
    if denial.verb == "be":
        be = denial.conjugated("be") if denial.kind != "yet" else None  # no "has been single"
        ends = len(words) > 1 and (words[1].upos == "PUNCT" or words[1].lower in ("by", "in", "for"))
        bound = ("included in", "renewed for")  # "left out of", "cancelled after"
        ends = ends and f"{words[0].lower} {words[1].lower}" not in bound
        for participle in CONTRARY_PARTICIPLES.get(words[0].text, ()) if be and ends else ():
            yield "contrary", (Change(denial.start, words[0].end, f"{be} {participle}"),)
        return
    with_preposition = f"{denial.verb} {words[0].lower}"  # "star in" becomes "be absent from"
    takes = with_preposition in CONTRARIES
    if not takes and words[0].upos not in ("DET", "NOUN", "PROPN", "ADJ", "NUM", "PRON"):
        return
    object_of = words[1] if takes and len(words) > 1 else words[0]
    for contrary_verb in CONTRARIES.get(with_preposition if takes else denial.verb, ()):
        verb, _, rest = contrary_verb.partition(" ")
        if object_of.lower in ("a", "an", "one") and verb not in _NEGATIVE_VERBS:
            continue  # "was absent from a film" is true of everyone
        if takes and object_of.upos not in ("PROPN", "DET", "NUM"):
            continue
        if verb == "lack" and any(w.lower == "it" for w in scene.document.words[denial.last + 1 :]):
            continue  # no "lacks a song in it"
        if verb == "lack" and (object_of.upos == "PROPN" or denial.tense in ("perfect", "pluperfect")):
            continue
        form = denial.conjugated(verb)
        if form is not None:
            end = words[0].end if takes else denial.end
            yield "contrary", (Change(denial.start, end, f"{form} {rest}".strip()),)


def _none_at_all(scene: Scene) -> NamedChanges:
    """Rephrase "directed zero films" (refuted: there were some) as "avoided directing films"."""
    words = scene.document.words
    for no in words[2:]:
        verb, noun = words[no.index - 1], words[no.head]
        is_object = noun.tag == "NNS" and noun.relation == "obj" and noun.head == verb.index
        if (
            no.text not in ("no", "zero")
            or not is_object
            or verb.tag != "VBD"
            or verb.lemma not in CHOICE_VERBS
        ):
            continue
        if is_known_person(scene, subject_of(scene.document, verb)):
            gerund = inflect(verb.lemma, "VBG")
            for name, start in _AVOIDANCE.items():
                yield name, (Change(verb.start, no.end, f"{start} {gerund}"),)


def _restricted(scene: Scene) -> NamedChanges:
    """Replace the focus of a refuted restriction by something that the context excludes."""
    names = name_indices(scene.document)
    for word in scene.document.words[1:]:
        if word.index in names or not is_restrictor(scene.document, word) or word.upos != "ADV":
            continue
        others = {w.lower for w in scene.document if w.index != word.index}
        if not others.isdisjoint(_DENYING_WORDS):
            continue
        yield from without_restrictor(scene, word, restrictor_range(scene.document, word)[0])
        focus = focus_of(scene, word)
        if focus is None:
            continue
        dropped = Change(*focus.removed, "")
        for spot in sister_spots(scene):
            if not (focus.start <= spot.start and spot.end <= focus.end) or not spot.has_rival:
                continue
            if not spot.is_known and spot.name in _SINGLE_VALUED:
                yield "drop_restrictor", (dropped,)
            for other in spot.others:
                yield f"sister_{spot.name}", (dropped, spot.becomes(other))


def _outside(scene: Scene) -> NamedChanges:
    """Rephrase "is outside of Italy" (refuted: it is inside) as "is in Peru"."""
    words = scene.document.words
    for word in words[1:]:
        before = words[word.index - 1]
        start = before.start if is_restrictor(scene.document, before) else word.start
        others = {w.lower for w in words if w.end <= start or w.start > word.start}
        if word.text != "outside" or not others.isdisjoint(_DENYING_WORDS):
            continue
        of = words[word.index + 1 : word.index + 2]
        end = of[0].end if of and of[0].lower == "of" else word.end
        for spot in sister_spots(scene):
            if spot.start == end + 1 and spot.name in ("country", "state", "city", "continent"):
                for other in spot.others:
                    yield "inside", (Change(start, end, "in"), spot.becomes(other))


def _wrong_details(scene: Scene) -> NamedChanges:
    """Replace a detail that is not in the context, if the context has another one of its class."""
    if not {w.lower for w in scene.document}.isdisjoint(_DENYING_WORDS | {"outside", "before", "after"}):
        return
    for spot in sister_spots(scene):
        if spot.has_rival and not spot.is_known:
            for other in spot.others:
                yield f"wrong_{spot.name}", (spot.becomes(other),)


def _deny_sisters(scene: Scene) -> NamedChanges:
    """Deny something that a supported claim excludes."""
    document = scene.document
    if not {w.lower for w in document}.isdisjoint(_DENYING_WORDS | {"also", "both", "and", "or"}):
        return
    for spot in sister_spots(scene):
        if not spot.is_known or not (spot.sure or _is_sure_of_thing(scene, spot)):
            continue
        if spot.name.startswith("family"):  # the son of one poet may be the uncle of another
            continue
        negated = _negated_main_clause(document)
        if negated is not None and negated.end <= spot.start:
            for other in spot.others:
                yield "deny_sister", (negated, spot.becomes(other))


def _is_sure_of_thing(scene: Scene, spot: SisterSpot) -> bool:
    """Return True for the nationality of a work: it usually has one, while a person may have two."""
    root = scene.document.root
    works = ("film", "movie", "series", "album", "novel", "song", "sitcom", "show")
    return spot.name == "nationality" and root is not None and root.lemma in works


def _negated_main_clause(document: Document) -> Change | None:
    """Return the change that negates the main clause: "was not born", "did not air"."""
    root = document.root
    if root is None or not is_plain_statement(document, root.index):
        return None
    helpers = document.children(root, "aux", "cop")
    verb = helpers[0] if helpers else root
    if verb.tag not in DO_FORMS or not verb.text.islower():
        return None
    if helpers:
        return None if verb.lower == "'s" else not_after(verb)
    return None if subject_of(document, root) is None or root.lemma == "be" else do_not(root)


_NUMBER_VALUES = {number_in_words(number): number for number in range(101)}
_MAX_NUMBER = 10_000


def without_restrictor(
    scene: Scene, restrictor: Word, removed: tuple[int, int]
) -> Iterator[tuple[str, tuple[Change, ...]]]:
    """Yield each way to remove a restrictor from a claim that stays false. removed: offsets of the restrictor."""
    dropped = Change(*removed, "")
    for number, new in _larger_numbers(scene, restrictor):
        yield "larger_number", (dropped, number.becomes(new))
    if _has_another_agent(scene, restrictor):
        yield "drop_restrictor", (dropped,)


def _larger_numbers(scene: Scene, restrictor: Word) -> Iterator[tuple[Word, str]]:
    """Yield the number of things after a restrictor, with a number larger than those in the context."""
    document = scene.document
    for word in document.words[restrictor.index + 1 :]:
        number, noun = _parse_number(word.text), document.head(word)
        if number is None or word.dep != "nummod" or noun is None or is_year(word):
            continue
        if noun.tag != "NNS" or noun.index != word.index + 1 or word.index in name_indices(document):
            continue
        counts = _context_counts(scene.context or "", noun)
        if counts and number < min(counts) and max(counts) < _MAX_NUMBER:
            larger = max(counts) + _increase(scene, max(counts))
            is_word = word.text.isalpha() and larger <= 100
            yield word, number_in_words(larger) if is_word else f"{larger:,}"


def _context_counts(context: str, noun: Word) -> list[int]:
    """Return the numbers that the context gives for a noun."""
    matches = re.findall(rf"([\w,-]+) (?:[a-z-]+ ){{0,2}}{re.escape(noun.lower)}\b", context)
    return [number for match in matches if (number := _parse_number(match)) is not None]


def _parse_number(text: str) -> int | None:
    digits = text.replace(",", "")
    return int(digits) if digits.isdigit() and len(digits) < 9 else _NUMBER_VALUES.get(text.lower())


def _increase(scene: Scene, number: int) -> int:
    """Return how much larger the new number is: it depends on the text and grows with the number."""
    seed = int.from_bytes(blake2b(scene.document.text.encode(), digest_size=4).digest(), "big")
    return 2 + seed % max(6, number // 2)


def _has_another_agent(scene: Scene, restrictor: Word) -> bool:
    """Return True for "was only made by Kay Works" if the context names another maker and never mentions Kay Works."""
    document, context = scene.document, scene.context or ""
    for head in document.words[restrictor.index + 1 :]:
        verb = document.head(head)
        if head.dep != "obl:agent" or head.upos != "PROPN" or verb is None or verb.relation != "root":
            continue
        name = [w for w in document.subtree(head) if w.relation != "case"]
        is_plain = all(w.upos == "PROPN" for w in name) and not document.children(verb, "conj")
        is_new = not any(re.search(rf"\b{re.escape(w.text)}\b", context) for w in name)
        if is_plain and is_new and ends_clause(document, name[-1]):
            return re.search(rf"\b{re.escape(verb.lower)}(?: and \w+)? by [A-Z]", context) is not None
    return False
