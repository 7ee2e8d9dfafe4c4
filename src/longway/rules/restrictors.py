"""Only, solely, exclusively, always and the like, said in other words.

    rewritings(scene)    every way, e.g.

    "is only a poet"            "is nothing but a poet", "is a poet and nothing else"
    "only stars Ann Lee"        "stars Ann Lee alone", "stars no one but Ann Lee"
    "aired only in 2005"        "aired in 2005 alone", "aired in 2005 and at no other time"
    "the only bridge"           "the sole bridge"            "only four"   "no more than four", "just four"
    "has always been"           "has at all times been"      "at least two"  "no fewer than two"
    "is outside of Italy"       "is beyond Italy", "is not in Italy"

What "only" stresses is found by `rules/focus.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from longway.rules.denial import finite
from longway.rules.focus import Focus, focus_of, is_restrictor
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import in_names
from longway.rules.verbs import CHOSEN
from longway.text.articles import mend_articles
from longway.text.changes import Change
from longway.text.document import Word

# What may stand for "only" at its own place, by what is stressed.
_IN_PLACE = {
    "quality": ("purely", "wholly", "entirely"),
    "kind": ("just", "merely", "simply", "nothing but", "no more than"),
    "kinds": ("just", "merely", "nothing but"),
    "place": ("entirely", "nowhere but"),
    "origin": (),
    "matter": (),
    "time": (),
    "number": ("just", "no more than", "merely"),
    "thing": ("just", "nothing but"),
    "person": ("just", "no one but", "nobody but"),
    "by": ("entirely",),
    "other": (),
}
# What may follow what is stressed, once "only" is gone.
_BEHIND = {
    "quality": ("and nothing else",),
    "kind": ("and nothing else", "and nothing more"),
    "kinds": ("and nothing else",),
    "place": ("and nowhere else", "alone"),
    "origin": ("and nowhere else", "alone"),
    "matter": ("and nothing else", "alone"),
    "time": ("and at no other time", "alone"),
    "number": ("and no more",),
    "thing": ("and nothing else", "alone"),
    "person": ("and no one else", "and nobody else", "alone"),
    "by": ("and no one else", "alone"),
    "other": ("alone",),
}
_SOLE = ("sole", "lone")
_ALWAYS = ("at all times", "invariably", "consistently")
_FULLY = ("entirely", "completely", "wholly")


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The ways to say a text's restrictors in other words."""
    names = in_names(scene.document)
    for word in scene.document.words[1:]:
        if not word.text.islower() or word.index in names:
            continue
        if is_restrictor(scene.document, word):
            yield from _restrictor(scene, word)
        elif word.lower == "always":
            yield from _always(scene, word)
        elif word.lower in _FULLY:
            is_last = scene.document.text[word.end : word.end + 1] in (".", ",", "!", "")
            yield from _swap(scene, word, _FULLY[:2] if is_last else _FULLY)
        elif word.lower == "outside":
            yield from _outside(scene, word)
        elif word.lower == "least":
            yield from _at_least(scene, word)


def _restrictor(scene: Scene, word: Word) -> Iterator[Rewriting]:
    document = scene.document
    before = document.words[word.index - 1]
    after = document.words[word.index + 1 : word.index + 2]
    if word.relation == "amod" or (before.lower in ("the", "its", "his", "her", "their", "'s", "’s")):
        yield from _the_only(scene, word)
        return
    if word.lower == "only" and after and after[0].lower == "one":
        yield from _only_one(scene, word, after[0])
    if after and after[0].relation == "amod" and after[0].upos == "ADJ" and before.lower in ("a", "an"):
        yield from _swap(scene, word, ("purely", "wholly", "entirely"))
        return
    focus = focus_of(scene, word)
    if focus is None or (after and after[0].lower == "one"):
        return
    yield from chain(_in_place(scene, focus), _behind(scene, focus), _nothing_but(scene, focus))


def _the_only(scene: Scene, word: Word) -> Iterator[Rewriting]:
    """ "the only N" -> "the sole N"; an only child is none, and "with only Spanish roots" has no article to go with."""
    document = scene.document
    after = document.words[word.index + 1 : word.index + 2]
    if word.lower != "only" or not after or after[0].lower == "child" or after[0].upos == "PRON":
        return
    noun = document.head(word)
    if noun is None or not any(w.index < word.index for w in document.children(noun, "det", "nmod:poss")):
        return
    if after[0].upos in ("NOUN", "ADJ", "PROPN") and noun.tag in ("NN", "NNP"):
        yield from _swap(scene, word, _SOLE)


def _only_one(scene: Scene, only: Word, one: Word) -> Iterator[Rewriting]:
    """ "only one N" -> "a single N", where "one" counts a noun."""
    noun = scene.document.head(one)
    if one.relation != "nummod" or noun is None or noun.index < one.index:
        return
    for new in ("a single", "just a single", "no more than one", "exactly one"):
        yield Rewriting(f"restrictors.{new.replace(' ', '_')}", (Change(only.start, one.end, new),))


def _in_place(scene: Scene, focus: Focus) -> Iterator[Rewriting]:
    """Another word where what is stressed begins; "only" itself goes."""
    for new in _IN_PLACE[focus.kind]:
        if new == "entirely" and focus.kind == "place" and not focus.is_state:
            continue
        if new == "no more than" and focus.kind == "kind" and not focus.has_article:
            continue
        if new == "just" and focus.kind == "thing" and focus.verb is not None and focus.verb.lemma == "have":
            continue  # "has just" begins a perfect
        changes = focus.with_words_before(new)
        yield Rewriting(f"restrictors.{new.replace(' ', '_')}", _mended(scene, changes))


def _behind(scene: Scene, focus: Focus) -> Iterator[Rewriting]:
    """What is stressed, and then "and nothing else"."""
    if not focus.is_short:
        return
    for new in _BEHIND[focus.kind]:
        if focus.kind not in ("person", "by") and not focus.ends_clause:
            continue
        changes = focus.with_words_behind(new)
        yield Rewriting(f"restrictors.{new.replace(' ', '_')}", _mended(scene, changes))


def _nothing_but(scene: Scene, focus: Focus) -> Iterator[Rewriting]:
    """ "only produces water" -> "does nothing but produce water"."""
    verb = focus.verb
    if verb is None or verb.lemma not in CHOSEN or verb.tag not in ("VBZ", "VBP"):
        return
    do = finite("do", "present", verb.tag == "VBP")
    if do is not None and focus.restrictor.index + 1 == verb.index:
        new = f"{do} nothing but {verb.lemma.lower()}"
        yield Rewriting("restrictors.do_nothing_but", (Change(focus.restrictor.start, verb.end, new),))


def _mended(scene: Scene, changes: tuple[Change, ...]) -> tuple[Change, ...]:
    return (*changes, *mend_articles(scene.document, changes))


def _swap(scene: Scene, word: Word, others: tuple[str, ...]) -> Iterator[Rewriting]:
    for new in others:
        if new != word.lower:
            changes = _mended(scene, (Change(word.start, word.end, new),))
            yield Rewriting(f"restrictors.{new.replace(' ', '_')}", changes)


def _always(scene: Scene, word: Word) -> Iterator[Rewriting]:
    """ "has always been" -> "has at all times been"; only inside a verb group, where these can stand."""
    after = scene.document.words[word.index + 1 : word.index + 2]
    if after and after[0].upos in ("VERB", "AUX", "ADJ") and word.relation == "advmod":
        yield from _swap(scene, word, _ALWAYS)


def _outside(scene: Scene, word: Word) -> Iterator[Rewriting]:
    """ "is outside (of) Italy" -> "is not in Italy", "is beyond Italy"."""
    document = scene.document
    before = document.words[word.index - 1]
    after = document.words[word.index + 1 : word.index + 3]
    if word.relation != "case" or not after or after[-1].upos == "PUNCT":
        return
    of = after[0] if after[0].lower == "of" else None
    end = of.end if of else word.end
    yield Rewriting("restrictors.beyond", (Change(word.start, end, "beyond"),))
    if before.lower in ("is", "are", "was", "were"):
        for new in ("not in", "not within", "nowhere in"):
            yield Rewriting(f"restrictors.{new.replace(' ', '_')}", (Change(word.start, end, new),))
    elif of is None:
        yield Rewriting("restrictors.outside_of", (Change(word.start, end, "outside of"),))


def _at_least(scene: Scene, least: Word) -> Iterator[Rewriting]:
    """ "at least two" -> "no fewer than two", before a number of things."""
    document = scene.document
    at = document.words[least.index - 1]
    number = document.words[least.index + 1 : least.index + 2]
    if at.text != "at" or not number or number[0].upos != "NUM":
        return
    noun = document.head(number[0])
    if number[0].relation != "nummod" or noun is None or noun.tag not in ("NNS", "NN"):
        return
    for new in ("no fewer than", "a minimum of"):
        if number[0].lower not in ("one", "1"):
            yield Rewriting(f"restrictors.{new.replace(' ', '_')}", (Change(at.start, least.end, new),))
