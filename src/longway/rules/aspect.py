"""What pictures show, in either form of the present: "A man is riding a horse" and "A man rides a horse".

In a caption both say the same; of a named person they do not ("Ann directs films"). So only for somebody without a name,
and not for verbs of states ("knows") or with words like "often".
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from longway.rules.clauses import Clause, clauses, number_of_subject, verb_form
from longway.rules.phrase_conditions import is_person
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import in_names
from longway.text.changes import Change
from longway.text.inflect import inflect

_STATES = frozenset(
    "be have know want like love need own belong contain seem see hear think believe cost mean hate prefer understand "
    "remember consist exist include resemble deserve fit matter involve lack owe possess appear feel look wear help cause "
    "require live work enjoy become use come die win lose finish arrive start stop begin end let".split()
)
_HABITS = frozenset(
    "always often usually never sometimes every each still already currently now soon today tomorrow daily".split()
)
_OPENERS = frozenset("a an the two three four five six several some".split())
_ANIMALS = frozenset("dog cat horse bird puppy kitten animal cow sheep crowd group couple".split())


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one verb in the other form of the present."""
    for clause in clauses(scene.document):
        if _shows_somebody(clause):
            yield from _simple(clause)
            yield from _progressive(clause)


def _shows_somebody(clause: Clause) -> bool:
    document, subject = clause.document, clause.subject
    heads = [w for w in document.children(clause.head, "nsubj") if subject.first <= w.index <= subject.last]
    if len(heads) != 1 or subject.words[0].lower not in _OPENERS or heads[0].index in in_names(document):
        return False
    around = document.sentence(clause.sentence)
    is_somebody = is_person(document, heads[0]) or heads[0].lemma.lower() in _ANIMALS
    joined = document.children(clause.head, "conj", "advcl", "ccomp", "parataxis") or _goes_on(clause)
    return is_somebody and not joined and not any(w.lower in _HABITS for w in around)


def _goes_on(clause: Clause) -> bool:
    """True where "and" and another verb in -ing follow, whatever the parse made of them."""
    words = clause.rest.words if clause.rest is not None else ()
    return any(one.upos == "CCONJ" and other.lower.endswith("ing") for one, other in pairwise(words))


def _simple(clause: Clause) -> Iterator[Rewriting]:
    """As in "is riding" -> "rides"."""
    verb, number = clause.head, number_of_subject(clause)
    is_plain = [w.index for w in clause.verbs] == [clause.finite.index, verb.index]
    if verb.tag != "VBG" or clause.finite.lower not in ("is", "are") or not is_plain or number is None:
        return
    if verb.lemma.lower() in ("go", "get", "have", "be", "try"):
        return
    form = verb_form(verb.lemma.lower(), "present", number)
    if form is not None:
        yield Rewriting("aspect.simple", (Change(clause.finite.start, verb.end, form),))


def _progressive(clause: Clause) -> Iterator[Rewriting]:
    """As in "rides" -> "is riding"."""
    verb, number = clause.head, number_of_subject(clause)
    if (
        clause.verbs != (verb,)
        or verb.tag not in ("VBZ", "VBP")
        or verb.lemma.lower() in _STATES
        or number is None
    ):
        return
    if clause.document.children(verb, "xcomp"):
        return
    form = inflect(verb.lemma.lower(), "VBG")
    if form is not None:
        yield Rewriting(
            "aspect.progressive", (Change(verb.start, verb.end, f"{('is', 'are')[number == 'plur']} {form}"),)
        )
