"""Other claims with the same label, for pairs with a known stance. Families: contrast, details.

`contrast`: a refuted claim becomes another claim that the context refutes, a supported claim another that it supports.

    refuted     "X is not a French film"            "X is a Greek film"      the context says that it is French
                "X only stars in Greek films"       "X ... Dutch films"      a wrong detail becomes another wrong detail
                "X did not star in Y"               "X turned down the chance to star in Y"
                "X does not include Y"              "X excludes Y"
                "X has only written 6 novels"       "X has written 71 novels"    the context says 54
                "X was only made by Y"              "X was made by Y"            the context names another maker
    supported   "X was born in 1984"                "X was not born in 1979"

Whoever wrote 54 novels also wrote 6, so a new number must be larger than the one in the context.

`details`: a true claim stays true without one of its details, and a false one stays false if the false part stays.

    entails        "Mira Sol is a Peruvian painter."           ->  "Mira Sol is a painter."
    entails        "The bridge opened in Oslo in 1952."        ->  "The bridge opened in 1952."
    contradicts    "Mira Sol is a Peruvian boxer." (evidence: a Peruvian painter)  ->  "Mira Sol is a boxer."

This is sound only in plain statements: no negation, comparison, bound or quantifier. From a false claim only details that
the context confirms word for word may be removed, and something that the context does not have must stay: it makes
the claim false. The new texts say less, so they keep the label, not the meaning.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import chain

from longway.english.articles import with_articles
from longway.english.denials import DO_FORMS, Denial, denials, do_not, not_after, subject_of
from longway.english.document import Change, Document, Word, any_lower
from longway.english.inflection import inflect, number_in_words
from longway.english.opposites import CONTRARIES, CONTRARY_PARTICIPLES
from longway.english.rules.facts import PEOPLE_NOUNS
from longway.english.rules.negatives import (
    ATTEMPT_VERBS,
    CHOICE_VERBS,
    false_that,
    in_other_words,
    with_adverb,
)
from longway.english.rules.restrictors import focus_of, is_restrictor, restrictor_range
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sentence import (
    WordSpan,
    clauses,
    is_known_person,
    is_plain_statement,
    is_time,
    is_year,
    main_clause_root,
    name_indices,
    span_of,
)
from longway.english.rules.sisters import SisterSpot, ends_clause, sister_spots, terms_of
from longway.english.words import listed_words
from longway.text.tokenizer import tokenize

_LISTS = listed_words(__name__)
# Classes of which a thing usually has one, so the value in the context excludes that of the claim.
_SINGLE_VALUED = frozenset(
    "nationality country state city continent year month director author family_f family_m".split()
)


_ENDING_VERBS = ("stop", "quit", "cease")  # who refuses to stop goes on
_AVOIDANCE = {"avoid": "avoided", "barred_from": "was barred from", "steer_clear": "steered clear of"}
NamedChanges = Iterator[tuple[str, tuple[Change, ...]]]


def contrast(scene: Scene) -> Rephrasings:
    """Yield other claims with the same label."""
    if scene.context is None or len(scene.document.sentences) != 1:
        return
    if scene.stance == "contradicts":
        variants: NamedChanges = chain(
            _denied(scene), _none_at_all(scene), _restricted(scene), _outside(scene), _wrong_details(scene)
        )
    elif scene.stance == "entails":
        variants = _deny_sisters(scene)
    else:
        return
    for name, changes in variants:
        yield Rephrasing(f"contrast.{name}", with_articles(scene.document, *changes), keeps="label")


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
    return not joined and words.isdisjoint(_LISTS.need_negation | _LISTS.denying_words)


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
        yield "fail_to", in_other_words(denial, "fail to {verb}")
    if denial.kind != "unable" and denial.verb in ATTEMPT_VERBS | CHOICE_VERBS and denial.verb != "become":
        yield "unable_to", in_other_words(denial, "be unable to {verb}")
    if denial.verb == "be" and denial.kind != "not" and denial.tense in ("past", "present"):
        yield "far_from", in_other_words(denial, "be far from being")
        if noun:  # no "is in no way written"
            yield "in_no_way", in_other_words(denial, "be in no way")
    if person and denial.verb in CHOICE_VERBS and denial.tense in ("past", "perfect"):
        yield from _choice_variants(denial, definite)


def _choice_variants(denial: Denial, definite: bool) -> Iterator[tuple[str, str | None]]:
    yield "barred_from", in_other_words(denial, "be barred from {gerund}")
    if denial.kind != "avoid":
        yield "avoid", in_other_words(denial, "avoid {gerund}")
    if not definite:  # a person who turned down one film may have made another
        return
    yield "turn_down", in_other_words(denial, "turn down the chance to {verb}")
    yield "miss_chance", in_other_words(denial, "miss the chance to {verb}")
    if denial.kind != "refuse":
        yield "decline_to", in_other_words(denial, "decline to {verb}")
        yield "unwilling_to", in_other_words(denial, "be unwilling to {verb}")


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
        if object_of.lower in ("a", "an", "one") and verb not in _LISTS.negative_verbs:
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
        if not others.isdisjoint(_LISTS.denying_words):
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
        if word.text != "outside" or not others.isdisjoint(_LISTS.denying_words):
            continue
        of = words[word.index + 1 : word.index + 2]
        end = of[0].end if of and of[0].lower == "of" else word.end
        for spot in sister_spots(scene):
            if spot.start == end + 1 and spot.name in ("country", "state", "city", "continent"):
                for other in spot.others:
                    yield "inside", (Change(start, end, "in"), spot.becomes(other))


def _wrong_details(scene: Scene) -> NamedChanges:
    """Replace a detail that is not in the context, if the context has another one of its class."""
    if not {w.lower for w in scene.document}.isdisjoint(
        _LISTS.denying_words | {"outside", "before", "after"}
    ):
        return
    for spot in sister_spots(scene):
        if spot.has_rival and not spot.is_known:
            for other in spot.others:
                yield f"wrong_{spot.name}", (spot.becomes(other),)


def _deny_sisters(scene: Scene) -> NamedChanges:
    """Deny something that a supported claim excludes."""
    document = scene.document
    if not {w.lower for w in document}.isdisjoint(_LISTS.denying_words | {"also", "both", "and", "or"}):
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
        matches = re.findall(rf"([\w,-]+) (?:[a-z-]+ ){{0,2}}{re.escape(noun.lower)}\b", scene.context or "")
        counts = [count for match in matches if (count := _parse_number(match)) is not None]
        if counts and number < min(counts) and max(counts) < _MAX_NUMBER:
            seed = int.from_bytes(blake2b(document.text.encode(), digest_size=4).digest(), "big")
            larger = max(counts) + 2 + seed % max(6, max(counts) // 2)  # it depends on the text
            is_word = word.text.isalpha() and larger <= 100
            yield word, number_in_words(larger) if is_word else f"{larger:,}"


def _parse_number(text: str) -> int | None:
    digits = text.replace(",", "")
    return int(digits) if digits.isdigit() and len(digits) < 9 else _NUMBER_VALUES.get(text.lower())


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


_YEAR_SUFFICES = frozenset("bear release publish".split())  # for these a year is enough
_ARTICLES = ("a", "an")


def details(scene: Scene) -> Rephrasings:
    """Yield the text without one of its details, if the label surely holds."""
    document = scene.document
    if scene.context is None or scene.stance not in ("entails", "contradicts"):
        return
    if len(document.sentences) != 1 or not any(clauses(document)):
        return
    if any(
        {w.lower, w.lemma.lower()} & _LISTS.blocking_words or w.tag in ("JJR", "JJS", "RBR", "RBS")
        for w in document
    ):
        return
    known = frozenset(map(_stem, tokenize(scene.context)))
    for rule, piece in _details(document):
        if not _is_cut_clean(document, piece):
            continue
        if scene.stance == "entails" or _stays_false(document, rule, piece, known):
            removal = Change(document.words[piece.first - 1].end, piece.end, "")  # and the space before it
            yield Rephrasing(f"details.{rule}", with_articles(document, removal), keeps="label")


def _details(document: Document) -> Iterator[tuple[str, WordSpan]]:
    """Yield the removable spans with the names of their rules."""
    names = name_indices(document)
    for word in document:
        if word.index in names and word.dep not in ("obl", "nmod") and word.tag != "JJ":
            continue  # "Peruvian" has a capital but is not a name
        if word.dep == "amod" or (word.dep == "compound" and word.upos == "NOUN"):
            if _is_optional_modifier(document, word, names):
                name = "adjective" if word.dep == "amod" else "compound"
                yield name, WordSpan(document, word.index, word.index)
        elif word.dep in ("obl", "nmod") and (piece := _phrase(document, word, names)) is not None:
            yield "phrase", piece
        elif word.relation == "acl" and (piece := _relative_clause(document, word)) is not None:
            yield "clause", piece
        elif word.dep == "conj" and (piece := _conjunct(document, word, names)) is not None:
            yield "joined", piece


def _is_predicate_noun(document: Document, noun: Word) -> bool:
    """Return True for "painter" in "is a painter"."""
    return noun.relation == "root" and noun.upos == "NOUN" and bool(document.children(noun, "cop"))


def _has_article(document: Document, noun: Word) -> bool:
    return any_lower(document.children(noun, "det"), _ARTICLES)


def _is_optional_modifier(document: Document, word: Word, names: frozenset[int]) -> bool:
    """Return True for "Peruvian" in "a Peruvian painter": a plain modifier of a noun that is not a name."""
    head = document.head(word)
    if head is None or head.upos != "NOUN" or head.index in names or head.index <= word.index:
        return False
    is_concrete = _is_predicate_noun(document, head) or head.lemma.lower() in _LISTS.concrete_nouns
    if head.lemma.lower() in _LISTS.vague_nouns or not is_concrete:
        return False
    if (
        {word.lower, word.lemma.lower()} & _LISTS.privative
        or document.children(word)
        or not word.text.isalpha()
    ):
        return False
    if word.text[0].isupper() and word.text not in terms_of("nationality"):
        return False  # the "Germanic" of "East Germanic"
    if word.dep == "compound" and not _is_removable_compound(document, word, head):
        return False
    in_front = [w for w in document.children(head) if w.index < head.index and w.dep not in ("cop", "nsubj")]
    plain = all(w.lower in _ARTICLES or w.dep in ("amod", "compound") for w in in_front)
    before = document.words[word.index - 1]
    return plain and _has_article(document, head) and before.text not in (",", "and", "or")


def _is_removable_compound(document: Document, word: Word, head: Word) -> bool:
    """Return True for "film" in "a Peruvian film director"; not for "rock" in "a hard rock band"."""
    is_last = word.index == head.index - 1
    before = document.words[word.index - 1]
    is_alone = before.lower in _ARTICLES or before.text in terms_of("nationality")
    return is_last and is_alone and head.lemma.lower() in _LISTS.concrete_nouns | PEOPLE_NOUNS


def _phrase(document: Document, word: Word, names: frozenset[int]) -> WordSpan | None:
    """Return "in Oslo" if the sentence is complete without it, else None."""
    head, piece = document.head(word), span_of(document, word)
    cases = document.children(word, "case")
    if head is None or piece is None or not cases or cases[0].index != piece.first or word.upos == "PRON":
        return None
    if cases[0].index in names or cases[0].lower not in ("in", "on", "at", "from", "with", "during"):
        return None  # the "on the Corner" of a title
    if any(w.upos == "NUM" and not is_year(w) and w.index not in names for w in document):
        return None  # "won two awards" would mean two in all
    if word.dep == "nmod":
        is_noun = head.lemma.lower() not in _LISTS.vague_nouns and _has_article(document, head)
        is_predicate = _is_predicate_noun(document, head) and not document.children(head, "case")
        return piece if is_noun and is_predicate else None
    is_exact = is_time(document, word) or word.index in names
    is_free = cases[0].lower in ("in", "at", "during") or is_time(document, word)  # not "released on DVD"
    return piece if is_exact and is_free and _is_complete_without(document, head, word) else None


def _is_complete_without(document: Document, head: Word, removed: Word) -> bool:
    """Return True if the main verb has an object, or another place or time that completes it."""
    if head.relation != "root" or head.upos != "VERB":
        return False
    objects = document.children(head, "obj")
    things = [w for w in objects if w.upos != "PRON" and w.lemma.lower() not in _LISTS.vague_nouns]
    others = [w for w in document.children(head, "obl", "xcomp") if w.index != removed.index]
    cases = [{case.lower for case in document.children(other, "case")} for other in others]
    if any(case & {"to", "until", "through"} for case in cases):
        return False  # "from May to June"
    if head.lemma.lower() in _LISTS.need_complement - _YEAR_SUFFICES:
        places = (w for w, case in zip(others, cases, strict=True) if case & {"in", "by", "at"})
        return bool(things) or any(not is_time(document, w) for w in places)
    return bool(things) or (bool(others) and not objects)


def _relative_clause(document: Document, word: Word) -> WordSpan | None:
    """Return "that opened in May" or "built by monks" at the end of a sentence, after a noun with "a" or "an"."""
    head, piece = document.head(word), span_of(document, word)
    if head is None or piece is None or head.upos != "NOUN" or head.lemma.lower() in _LISTS.vague_nouns:
        return None
    is_behind = piece.first == head.index + 1 and _is_last(document, piece) and piece.words[0].lower != "to"
    is_predicate = _is_predicate_noun(document, head) and _has_article(document, head)
    return piece if is_behind and is_predicate else None


def _is_last(document: Document, piece: WordSpan) -> bool:
    return all(w.upos == "PUNCT" for w in document.words[piece.last + 1 :])


def _conjunct(document: Document, word: Word, names: frozenset[int]) -> WordSpan | None:
    """Return "and poet" of "a painter and poet", if two nouns are joined after "be" or a verb."""
    head, piece = document.head(word), span_of(document, word)
    if head is None or piece is None or head.upos != "NOUN" or word.upos != "NOUN" or head.index in names:
        return None
    joiners = document.children(word, "cc")
    if len(joiners) != 1 or joiners[0].lower != "and" or joiners[0].index != piece.first:
        return None
    is_one_of_two = len(document.children(head, "conj")) == 1 and head.index == piece.first - 1
    is_one_of_two = is_one_of_two and _is_last(document, piece)
    is_fine = (
        is_one_of_two and _is_predicate_noun(document, head) and head.lemma.lower() not in _LISTS.vague_nouns
    )
    return piece if is_fine and head.tag == word.tag and not document.children(head, "case") else None


def _is_cut_clean(document: Document, piece: WordSpan) -> bool:
    """Return False inside a word ("the 1960's"), or if the rest would end in a function word."""
    end = document.words[piece.last].end
    before = document.word_at(piece.first - 1)
    if before is None or document.text[end : end + 1] not in ("", " ", ".", ",", ";", "!"):
        return False
    if piece.first == piece.last:
        return True
    after = document.word_at(piece.last + 1)
    # "in the 2nd century AD", "appeared in the poem by Ann", "was built in 1900, during the war"
    is_open = after is not None and (
        after.upos in ("PROPN", "NOUN", "NUM", "ADJ", "X") or after.lower in ("by", "of", ",")
    )
    return not is_open and before.upos not in ("ADP", "DET", "CCONJ", "PART", "PUNCT", "SCONJ")


def _stays_false(document: Document, rule: str, piece: WordSpan, known: frozenset[str]) -> bool:
    """Return True if a false claim stays false: the removed words are confirmed and the predicate noun is not.

    In "is a Peruvian boxer" only "boxer" can then be wrong. Other phrases may be all that is wrong, so they stay.
    """
    content = [w for w in piece.words if w.upos in ("NOUN", "PROPN", "ADJ", "NUM", "VERB")]
    root = document.root
    if rule == "phrase" or root is None or not _is_predicate_noun(document, root):
        return False
    is_confirmed = bool(content) and all(_stem(w.lower) in known for w in content)
    return is_confirmed and _stem(root.lower) not in known


def _stem(word: str) -> str:
    """Return a prefix shared by related forms: "paint" for painter, painted, paintings."""
    return word if len(word) <= 4 or not word.isalpha() else word[: max(4, len(word) - 3)]
