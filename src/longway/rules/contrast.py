"""Other claims with the same label, where the labels tell what the context says about a claim.

A refuted claim may become another one that the context refutes, a supported one another that it supports:

    refuted     "X is not a French film"        "X is a Greek film"      the context says that it is French
                "X only stars in Greek films"   "X ... Dutch films"      a wrong detail becomes another wrong detail
                "X did not star in Y"           "X turned down the chance to star in Y"
                "X does not include Y"          "X excludes Y"
    supported   "X was born in 1984"            "X was not born in 1979"

    rewritings(scene)    every way; nothing for other stances, or without a context
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from longway.rules.denial import Denial, finite, number_of, subject_of
from longway.rules.denials import denials
from longway.rules.focus import focus_of, is_restrictor, taken_of
from longway.rules.frame import is_person, is_plain, main_of
from longway.rules.lifted import lifted
from longway.rules.negation import before_verb, false_that, with_verb
from longway.rules.opposites import contrary, contrary_participle, takes_preposition
from longway.rules.rule import Rewriting, Scene
from longway.rules.sisters import Spot, spots
from longway.rules.stretches import in_names
from longway.rules.verbs import CHOSEN, TRIED
from longway.text.articles import mend_articles
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.inflect import inflect

# Of these a thing has one as a rule, so that the context's one rules out the claim's; a novel may be a film, too.
_ONE_OF = frozenset(
    "nationality country state city continent year month director author family_f family_m".split()
)
_OF_ANY = frozenset("lack lose avoid miss reject turn do fail oppose".split())  # mean none at all before "a"
_NO_LONGER_LICENSED = frozenset("any anything anyone anybody ever yet either anymore".split())
_DENYING = frozenset(
    "not n't no never zero nothing nobody none without rarely seldom hardly unable incapable refused declined "
    "failed lacks lacked only solely exclusively just".split()
)


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """Other claims with the same label."""
    if scene.context is None or len(scene.document.sentences) != 1:
        return
    if scene.stance == "contradicts":
        found = chain(
            _denied(scene), _none_at_all(scene), _restricted(scene), _outside(scene), _wrong_details(scene)
        )
    elif scene.stance == "entails":
        found = chain(_deny_sisters(scene))
    else:
        return
    for name, changes in found:
        mended = (*changes, *mend_articles(scene.document, changes))
        yield Rewriting(f"contrast.{name}", mended, keeps="label")


Found = Iterator[tuple[str, tuple[Change, ...]]]


def _denied(scene: Scene) -> Found:
    """Refuted denials: what they deny is so."""
    for denial in denials(scene.document):
        if main_of(scene.document, denial.last) is None:
            continue
        yield from _other_denials(scene, denial)
        yield from _contraries(scene, denial)
        positive = denial.finite()
        if positive is None or not _can_be_affirmed(scene, denial):
            continue
        for spot in spots(scene):
            if spot.start < denial.end or (spot.name == "year" and denial.time == "perfect"):
                continue
            if not spot.sure and not (spot.is_known or spot.has_rival):
                continue
            for other in spot.others:
                yield f"sister_{spot.name}", (denial.becoming(positive), Change(spot.start, spot.end, other))


def _can_be_affirmed(scene: Scene, denial: Denial) -> bool:
    """True where nothing behind the verb needs a "not" before it, and nothing else is denied."""
    rest = scene.document.words[denial.last + 1 :]
    words = {w.lower for w in rest}
    joined = any(w.lower in ("and", "or", "but") and w.text.islower() for w in rest)
    return not joined and words.isdisjoint(_NO_LONGER_LICENSED | _DENYING)


def _other_denials(scene: Scene, denial: Denial) -> Found:
    """Other ways to deny it: weaker and stronger ones are as false."""
    subject = subject_of(scene.document, scene.document.words[denial.first]) or _subject(
        scene.document, denial
    )
    written = scene.document.text[denial.start : denial.end]
    facts = {"person": is_person(scene, subject), "dated": _has_date(scene, denial)}
    for name, text in _ways(denial, **facts, definite=_is_of_one_thing(scene, denial)):
        if text is not None and text != written:
            yield name, (denial.becoming(text),)
    if denial.kind not in ("not", "never", "unable"):
        for one in false_that(scene, replace(denial, kind="not")):
            yield one.rule.partition(".")[2], one.changes


def _subject(document: Document, denial: Denial) -> Word | None:
    main = main_of(document, denial.last)
    return None if main is None else subject_of(document, main)


def _is_of_one_thing(scene: Scene, denial: Denial) -> bool:
    """True for "star in The Hill", "play the king"; not for "act in a film"."""
    for word in scene.document.words[denial.last + 1 : denial.last + 3]:
        if word.upos != "ADP":
            return word.upos == "PROPN" or word.lower == "the"
    return False


def _has_date(scene: Scene, denial: Denial) -> bool:
    return any(w.tag == "CD" for w in scene.document.words[denial.last + 1 :])


def _ways(denial: Denial, *, person: bool, dated: bool, definite: bool) -> Iterator[tuple[str, str | None]]:
    if denial.kind != "not":
        yield "not", denial.with_auxiliary("not")
    if denial.kind != "never" and not dated and denial.time != "present":
        yield "never", before_verb(denial, "never")
    if denial.kind not in ("not", "fail") and denial.verb in TRIED:
        yield "fail_to", with_verb(denial, "fail", f"to {denial.verb}")
    if denial.kind != "unable" and denial.verb in TRIED | CHOSEN and denial.verb != "become":
        yield "unable_to", with_verb(denial, "be", f"unable to {denial.verb}")
    if denial.verb == "be" and denial.kind != "not" and denial.time in ("past", "present"):
        yield "far_from", with_verb(denial, "be", "far from being")
        yield "in_no_way", with_verb(denial, "be", "in no way")
    if person and denial.verb in CHOSEN and denial.time in ("past", "perfect"):
        yield from _choices(denial, definite)


def _choices(denial: Denial, definite: bool) -> Iterator[tuple[str, str | None]]:
    yield "barred_from", with_verb(denial, "be", f"barred from {denial.gerund}")
    if denial.kind != "avoid":
        yield "avoid", with_verb(denial, "avoid", denial.gerund)
    if not definite:  # who turned down one film may have made another
        return
    yield "turn_down", with_verb(denial, "turn", f"down the chance to {denial.verb}")
    yield "miss_chance", with_verb(denial, "miss", f"the chance to {denial.verb}")
    if denial.kind != "refuse":
        yield "decline_to", with_verb(denial, "decline", f"to {denial.verb}")
        yield "unwilling_to", with_verb(denial, "be", f"unwilling to {denial.verb}")


def _contraries(scene: Scene, denial: Denial) -> Found:
    """ "does not include" -> "excludes"; "was not renewed" -> "was cancelled"."""
    words = scene.document.words[denial.last + 1 : denial.last + 3]
    if not words or not _can_be_affirmed(scene, denial):
        return
    if denial.verb == "be":
        follows = words[1] if len(words) > 1 else None
        be = denial.finite("be")
        if (
            be is None
            or follows is None
            or (follows.upos != "PUNCT" and follows.lower not in ("by", "in", "for"))
        ):
            return
        for new in contrary_participle(words[0].text):
            yield "contrary", (Change(denial.start, words[0].end, f"{be} {new}"),)
        return
    takes = takes_preposition(denial.verb, words[0].lower)
    if not takes and words[0].upos not in ("DET", "NOUN", "PROPN", "ADJ", "NUM", "PRON"):
        return
    object_of = words[1] if takes and len(words) > 1 else words[0]
    for new in contrary(denial.verb, words[0].lower if takes else ""):
        verb, _, rest = new.partition(" ")
        if object_of.lower in ("a", "an", "one") and verb not in _OF_ANY:
            continue  # "was absent from a film" is true of everybody
        if (takes and object_of.upos not in ("PROPN", "DET", "NUM")) or (
            verb == "lack" and object_of.upos == "PROPN"
        ):
            continue
        form = denial.finite(verb)
        if form is not None:
            end = words[0].end if takes else denial.end
            yield "contrary", (Change(denial.start, end, f"{form} {rest}".strip()),)


def _none_at_all(scene: Scene) -> Found:
    """ "directed zero films" (refuted: some were) -> "avoided directing films"."""
    words = scene.document.words
    for no in words[2:]:
        verb, noun = words[no.index - 1], words[no.head]
        if (
            no.text not in ("no", "zero")
            or noun.tag != "NNS"
            or noun.relation != "obj"
            or noun.head != verb.index
        ):
            continue
        if (
            verb.tag != "VBD"
            or verb.lemma not in CHOSEN
            or not is_person(scene, subject_of(scene.document, verb))
        ):
            continue
        gerund = inflect(verb.lemma, "VBG")
        for name, start in (
            ("avoid", "avoided"),
            ("barred_from", "was barred from"),
            ("steer_clear", "steered clear of"),
        ):
            yield name, (Change(verb.start, no.end, f"{start} {gerund}"),)


def _restricted(scene: Scene) -> Found:
    """Refuted restrictions: what is restricted becomes something that the context rules out."""
    names = in_names(scene.document)
    for word in scene.document.words[1:]:
        if word.index in names or not is_restrictor(scene.document, word) or word.upos != "ADV":
            continue
        others = {w.lower for w in scene.document if w.index != word.index}
        if not others.isdisjoint(_DENYING):
            continue
        yield from lifted(scene, word, taken_of(scene.document, word)[0])
        focus = focus_of(scene, word)
        if focus is None:
            continue
        dropped = Change(*focus.taken, "")
        for spot in spots(scene):
            if not (focus.start <= spot.start and spot.end <= focus.end) or not spot.has_rival:
                continue
            if not spot.is_known and spot.name in _ONE_OF:
                yield "drop_restrictor", (dropped,)
            for other in spot.others:
                yield f"sister_{spot.name}", (dropped, Change(spot.start, spot.end, other))


def _outside(scene: Scene) -> Found:
    """ "is outside of Italy" (refuted: it is inside) -> "is in Peru"."""
    words = scene.document.words
    for word in words[1:]:
        before = words[word.index - 1]
        start = before.start if is_restrictor(scene.document, before) else word.start
        others = {w.lower for w in words if w.end <= start or w.start > word.start}
        if word.text != "outside" or not others.isdisjoint(_DENYING):
            continue
        of = words[word.index + 1 : word.index + 2]
        end = of[0].end if of and of[0].lower == "of" else word.end
        for spot in spots(scene):
            if spot.start == end + 1 and spot.name in ("country", "state", "city", "continent"):
                for other in spot.others:
                    yield "inside", (Change(start, end, "in"), Change(spot.start, spot.end, other))


def _wrong_details(scene: Scene) -> Found:
    """A detail that the context does not have, while it has another one of the class: still another one."""
    if not {w.lower for w in scene.document}.isdisjoint(_DENYING | {"outside", "before", "after"}):
        return
    for spot in spots(scene):
        if spot.has_rival and not spot.is_known:
            for other in spot.others:
                yield f"wrong_{spot.name}", (Change(spot.start, spot.end, other),)


def _deny_sisters(scene: Scene) -> Found:
    """Supported claims: what excludes them is denied."""
    document = scene.document
    if not {w.lower for w in document}.isdisjoint(_DENYING | {"also", "both", "and", "or"}):
        return
    for spot in spots(scene):
        if not spot.is_known or not (spot.sure or _is_sure_of_thing(scene, spot)):
            continue
        negated = _with_not(document)
        if negated is not None and negated.end <= spot.start:
            for other in spot.others:
                yield "deny_sister", (negated, Change(spot.start, spot.end, other))


def _is_sure_of_thing(scene: Scene, spot: Spot) -> bool:
    """A film has one nationality as a rule, a person may have two."""
    root = next((w for w in scene.document if w.relation == "root"), None)
    works = ("film", "movie", "series", "album", "novel", "song", "sitcom", "show")
    return spot.name == "nationality" and root is not None and root.lemma in works


def _with_not(document: Document) -> Change | None:
    """The change that denies the main clause: "was not born", "did not air"."""
    root = next((w for w in document if w.relation == "root"), None)
    if root is None or not is_plain(document, root.index):
        return None
    helpers = document.children(root, "aux", "cop")
    if helpers:
        first = helpers[0]
        is_finite = (
            first.tag in ("VBZ", "VBD", "VBP") and first.text.islower() and first.lower not in ("'s", "’s")
        )
        return Change(first.end, first.end, " not") if is_finite else None
    subject = subject_of(document, root)
    if (
        subject is None
        or root.tag not in ("VBZ", "VBD", "VBP")
        or not root.text.islower()
        or root.lemma == "be"
    ):
        return None
    plural = {"VBZ": False, "VBP": True}.get(root.tag, number_of(document, subject))
    do = "did" if root.tag == "VBD" else finite("do", "present", plural)
    return Change(root.start, root.end, f"{do} not {root.lemma}") if do else None
