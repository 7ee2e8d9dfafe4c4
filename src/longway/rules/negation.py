"""Negations said in other words: the same is denied.

    rewritings(scene)    every way, e.g.

    "did not win"         "failed to win"               "never won"     "at no time won", "did not once win"
    "was not able to V"   "was unable to V"             "could not V"   "was incapable of V-ing"
    "has yet to V"        "still has not V-ed"          "refused to V"  "declined to V", "was unwilling to V"
    "is not a poet"       "is anything but a poet"      "X did not V"   "It is false that X V-ed"
    "is not possible"     "is impossible"               "rarely"        "seldom", "hardly ever"

What has "no N", "zero N" or "nothing" in it is in `rules/absence.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from longway.rules.absence import absences
from longway.rules.denial import Denial, finite
from longway.rules.denials import denials
from longway.rules.frame import embedded, is_plain, main_of
from longway.rules.opposites import complement
from longway.rules.rule import Rewriting, Scene
from longway.rules.verbs import TRIED
from longway.text.articles import mend_articles
from longway.text.changes import Change
from longway.text.document import Word

_FALSE_THAT = {
    "false_that": ("It is false that", ""),
    "untrue_that": ("It is untrue that", ""),
    "myth_that": ("It is a myth that", ""),
    "claim_that": ("The claim that", " is false"),
    "no_truth": ("There is no truth in the claim that", ""),
}
_SELDOM = ("rarely", "seldom", "hardly ever", "scarcely ever", "infrequently")
_NO_TIME = ("at no time", "at no point")
_NOT_A = {"anything_but": "anything but", "far_from": "far from being", "in_no_way": "in no way"}

Said = Iterator[tuple[str, str | None]]  # a rule's name and the new verb group, None where there is none


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The ways to say a text's negations in other words."""
    for denial in denials(scene.document):
        written = scene.document.text[denial.start : denial.end]
        for name, text in _SAID.get(denial.kind, _not)(denial):
            if text is not None and text != written:
                yield Rewriting(f"negation.{name}", (denial.becoming(text),))
        if denial.kind == "not" and denial.verb == "be":
            yield from _not_a(scene, denial)
        yield from false_that(scene, denial)
    yield from _seldom(scene)
    yield from absences(scene)


def _not(denial: Denial) -> Said:
    if denial.verb in TRIED and denial.time != "present":
        yield "fail_to", with_verb(denial, "fail", f"to {denial.verb}")
        yield "not_succeed", negated(denial, "succeed", f"in {denial.gerund}")


def _fail(denial: Denial) -> Said:
    if denial.verb != "be":
        yield "did_not", denial.with_auxiliary("not")
        yield "not_manage", negated(denial, "manage", f"to {denial.verb}")
        yield "not_succeed", negated(denial, "succeed", f"in {denial.gerund}")


def _never(denial: Denial) -> Said:
    if denial.by != "never":
        yield "never", before_verb(denial, "never")
    for words in _NO_TIME:
        yield words.replace(" ", "_"), before_verb(denial, words)
    if denial.verb != "be":
        yield "not_once", denial.with_auxiliary("not once")
    yield "not_ever", denial.with_auxiliary("not ever")


def _unable(denial: Denial) -> Said:
    if denial.by != "can" and denial.time in ("past", "present"):
        yield "could_not", f"{'could not' if denial.time == 'past' else 'cannot'} {denial.verb}"
    if denial.by != "unable":
        yield "unable_to", with_verb(denial, "be", f"unable to {denial.verb}")
    if denial.by != "incapable":
        yield "incapable_of", with_verb(denial, "be", f"incapable of {denial.gerund}")
    if denial.by != "able":
        yield "not_able_to", negated(denial, "be", f"able to {denial.verb}")
    if denial.verb != "be":
        yield "lack_ability", with_verb(denial, "lack", f"the ability to {denial.verb}")


def _yet(denial: Denial) -> Said:
    if denial.by == "yet to":
        yield "not_yet", denial.with_auxiliary("not yet")
    else:
        have = finite("have", "past" if denial.time == "pluperfect" else "present", denial.plural)
        yield "yet_to", have and f"{have} yet to {denial.verb}"
    yield "still_not", denial.with_auxiliary("still not")
    yield "so_far_not", denial.with_auxiliary("so far not")


def _refuse(denial: Denial) -> Said:
    other = "decline" if denial.by == "refuse" else "refuse"
    yield f"{other}_to", with_verb(denial, other, f"to {denial.verb}")
    yield "unwilling_to", with_verb(denial, "be", f"unwilling to {denial.verb}")
    yield "not_willing_to", negated(denial, "be", f"willing to {denial.verb}")
    if denial.time == "past":
        yield "would_not", f"would not {denial.verb}"


def _avoid(denial: Denial) -> Said:
    yield "stay_away", with_verb(denial, "stay", f"away from {denial.gerund}")
    yield "steer_clear", with_verb(denial, "steer", f"clear of {denial.gerund}")
    if denial.by != "refrain":
        yield "refrain_from", with_verb(denial, "refrain", f"from {denial.gerund}")


_SAID = {
    "not": _not,
    "fail": _fail,
    "never": _never,
    "unable": _unable,
    "yet": _yet,
    "refuse": _refuse,
    "avoid": _avoid,
}


def with_verb(denial: Denial, verb: str, rest: str) -> str | None:
    """Another verb in the denial's tense and number, and what follows it: "failed to win"."""
    form = denial.finite(verb)
    return form and f"{form} {rest}"


def negated(denial: Denial, verb: str, rest: str) -> str | None:
    """The same with "not": "was not able to win"."""
    group = replace(denial, verb=verb).with_auxiliary("not")
    return group and f"{group} {rest}"


def before_verb(denial: Denial, adverb: str) -> str | None:
    """The denied verb without its "not", with an adverb in its place: "never won", "was never", "has never won"."""
    if denial.time in ("perfect", "pluperfect") or denial.verb == "be":
        return denial.with_auxiliary(adverb)
    form = denial.finite()
    return form and f"{adverb} {form}"


def _not_a(scene: Scene, denial: Denial) -> Iterator[Rewriting]:
    """ "is not possible" by a complement; "is not a poet" by words for "not"."""
    be = denial.finite("be")
    words = scene.document.words[denial.last + 1 : denial.last + 3]
    if be is None or len(words) < 2 or denial.time in ("perfect", "pluperfect"):
        return
    first, after = words
    new = complement(first.lower) if first.text.islower() else None
    if new is not None and (
        after.upos == "PUNCT" or after.lower in ("in", "to", "by", "at", "since", "with")
    ):
        yield Rewriting("negation.complement", (Change(denial.start, first.end, f"{be} {new}"),))
    if not _is_noun_phrase(scene, first):
        return
    for name, text in _NOT_A.items():
        if first.lower != "the" or name == "in_no_way":
            yield Rewriting(f"negation.{name}", (denial.becoming(f"{be} {text}"),))
    if first.lower in ("a", "an") and denial.time == "present" and (do := denial.finite("do")):
        yield Rewriting("negation.not_count_as", (denial.becoming(f"{do} not count as"),))


def _is_noun_phrase(scene: Scene, first: Word) -> bool:
    """True where an article after the copula opens the predicate of the main clause."""
    head = scene.document.head(first)
    if first.lower not in ("a", "an", "the") or head is None or first.relation != "det":
        return False
    return head.relation == "root" and head.upos in ("NOUN", "PROPN")


def false_that(scene: Scene, denial: Denial) -> Iterator[Rewriting]:
    """Words that call the whole statement false: "It is false that X won" for "X did not win"."""
    document = scene.document
    if denial.kind not in ("not", "never", "unable") or not is_plain(document, denial.last):
        return
    if denial.kind == "unable":
        positive = with_verb(denial, "be", f"able to {denial.verb}")
    else:
        positive = before_verb(denial, "ever") if denial.kind == "never" else denial.finite()
    main = main_of(document, denial.last)
    if positive is None or main is None:
        return
    words = document.sentence(document.sentence_number(main))
    for name, (before, after) in _FALSE_THAT.items():
        change = embedded(scene, words[0], before)
        if change is not None and change.end <= denial.start:
            end = [Change(words[-1].start, words[-1].start, after)] if after else []
            yield Rewriting(f"negation.{name}", (change, denial.becoming(positive), *end))


def _seldom(scene: Scene) -> Iterator[Rewriting]:
    """ "rarely", "seldom", "hardly ever" for one another, inside a clause."""
    words = scene.document.words
    for word in words[1:]:
        two = words[word.index : word.index + 2]
        text = " ".join(w.text for w in two)
        end = two[-1].end if text in _SELDOM else word.end
        written = text if text in _SELDOM else word.text
        after = words[end_index(words, end) : end_index(words, end) + 1]
        if written not in _SELDOM or not after or after[0].upos in ("PUNCT", "ADJ", "ADV"):
            continue
        for new in _SELDOM:
            if new != written:
                change = Change(word.start, end, new)
                changes = (change, *mend_articles(scene.document, [change]))
                yield Rewriting(f"negation.{new.replace(' ', '_')}", changes)


def end_index(words: tuple[Word, ...], end: int) -> int:
    """The index of the first word that begins at or after an offset."""
    return next((w.index for w in words if w.start >= end), len(words))
