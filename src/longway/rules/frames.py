"""Sentences put into a frame that adds nothing: "It is true that ...", "As it happens, ...", "happens to be".

    "Lima is a city."    ->  "It is true that Lima is a city.", "Lima is indeed a city.", "Lima happens to be a city."
    "Lima is a city."    ->  "There is a city called Lima.", "One example of a city is Lima."
    "There is a film called Blue Sky."  ->  "Blue Sky is a film."

These change little of the words; they are for sentences that no other rule can put differently, and combine with those that can.
Only whole plain sentences that state something, one to a text.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.clauses import Clause, clauses
from longway.rules.phrase_conditions import is_person
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import Piece, comma_of, in_names, opening, plain_sentences
from longway.text.changes import Change
from longway.text.document import Document

FRAMES = {
    "true": "it is true that",
    "fact": "it is a fact that",
    "case": "it is the case that",
    "happens": "it so happens that",
}
_MOST_WORDS = 25
_FRAMED = frozenset("true fact case happens indeed actually really false untrue myth claim".split())
_THINGS = frozenset(
    "film movie song album novel book play poem show series sitcom band company city town village country river lake "
    "mountain island newspaper magazine website game character school university museum park language religion festival "
    "team club party award bridge building software browser brand car ship train airline drug mineral planet star".split()
)


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with its one sentence in a frame."""
    document = scene.document
    if any(word.lower in _FRAMED for word in document):
        return
    for number, sentence in plain_sentences(document):
        yield from _called(document, number, sentence)
    if len(document.sentences) != 1:
        return
    for clause in clauses(document):
        if _states(clause):
            yield from _framed(clause)
            yield from _indeed(clause)
            yield from _happens(clause)
            yield from _there_is(clause)
            yield from _example(clause)


def _states(clause: Clause) -> bool:
    """True for a sentence that states something of somebody or something."""
    is_pronoun = (
        clause.subject.words[0].tag in ("PRP", "EX", "WP", "WDT") and clause.subject.text.lower() != "it"
    )
    return not is_pronoun and len(clause.document) <= _MOST_WORDS and clause.finite.tag != "MD"


def _framed(clause: Clause) -> Iterator[Rewriting]:
    document, first = clause.document, Piece(clause.document, clause.subject.first, clause.subject.first)
    for name, frame in FRAMES.items():
        text = f"{opening(document, clause.sentence, frame)} {first.inside}"
        yield Rewriting(f"frames.{name}", (Change(first.start, first.end, text),))
    text = f"{opening(document, clause.sentence, 'as it happens')}{comma_of(document)} {first.inside}"
    yield Rewriting("frames.as_it_happens", (Change(first.start, first.end, text),))


def _indeed(clause: Clause) -> Iterator[Rewriting]:
    """ "is indeed a city"; beside a verb of its own it stands before it: "indeed won"."""
    if clause.adverbs or clause.negation is not None:
        return
    verb = clause.finite
    is_helper = len(clause.verbs) > 1 or verb.lemma.lower() == "be"
    change = Change(verb.end, verb.end, " indeed") if is_helper else Change(verb.start, verb.start, "indeed ")
    yield Rewriting("frames.indeed", (change,))


def _is_a(clause: Clause) -> bool:
    """True for "X is a Y" and the like, without negation or adverbs."""
    rest = clause.rest
    is_plain = (
        len(clause.verbs) == 1 and clause.finite.lower in ("is", "was", "are", "were") and rest is not None
    )
    return is_plain and rest is not None and rest.words[0].lower in ("a", "an", "the")


def _happens(clause: Clause) -> Iterator[Rewriting]:
    if _is_a(clause):
        forms = {"is": "happens", "are": "happen", "was": "happened", "were": "happened"}
        text = f"{forms[clause.finite.lower]} to be"
        yield Rewriting("frames.happens_to_be", (Change(clause.finite.start, clause.finite.end, text),))


def _there_is(clause: Clause) -> Iterator[Rewriting]:
    """As in "Lima is a city." -> "There is a city called Lima."."""
    document, rest = clause.document, clause.rest
    if (
        not _is_a(clause)
        or rest is None
        or rest.words[0].lower == "the"
        or clause.finite.lower not in ("is", "was")
    ):
        return
    noun, subject = rest.words[-1], clause.subject
    names = in_names(document)
    is_name = all(w.index in names for w in subject.words) and "(" not in subject.text
    is_person_noun = noun.upos == "NOUN" and is_person(document, noun)
    known = noun.lemma.lower() in _THINGS or is_person_noun
    is_bare = all(w.upos in ("DET", "ADJ", "NOUN", "NUM", "PROPN") for w in rest.words)
    if not is_name or not known or not is_bare or noun.tag != "NN":
        return
    text = f"there {clause.finite.lower} {rest.text} called {subject.text}"
    yield Rewriting(
        "frames.there_is", (Change(subject.start, rest.end, opening(document, clause.sentence, text)),)
    )


def _example(clause: Clause) -> Iterator[Rewriting]:
    """As in "Lima is a city." -> "One example of a city is Lima."."""
    document, rest = clause.document, clause.rest
    if (
        not _is_a(clause)
        or rest is None
        or rest.words[0].lower == "the"
        or clause.finite.lower != "is"
        or len(rest) > 5
    ):
        return
    is_bare = all(w.upos in ("DET", "ADJ", "NOUN", "NUM", "PROPN") for w in rest.words)
    if not is_bare or rest.words[-1].tag != "NN" or rest.words[-1].index in in_names(document):
        return
    if any(w.upos == "PUNCT" and w.index not in in_names(document) for w in clause.subject.words):
        return
    text = f"one example of {rest.text} is {clause.subject.inside}"
    yield Rewriting(
        "frames.example", (Change(clause.subject.start, rest.end, opening(document, clause.sentence, text)),)
    )


def _called(document: Document, number: int, sentence: Piece) -> Iterator[Rewriting]:
    """As in "There is a film called Blue Sky." -> "Blue Sky is a film."."""
    words = sentence.words
    if (
        len(words) < 6
        or words[0].lower != "there"
        or words[1].lower not in ("is", "was")
        or words[2].lower not in ("a", "an")
    ):
        return
    called = next((w for w in words if w.lower in ("called", "named")), None)
    if called is None or called.index == sentence.last:
        return
    name, thing = (
        Piece(document, called.index + 1, sentence.last),
        Piece(document, words[2].index, called.index - 1),
    )
    if any(w.index not in in_names(document) for w in name.words) or thing.words[-1].upos != "NOUN":
        return
    text = f"{name.text} {words[1].text} {thing.text}"
    yield Rewriting("frames.called", (Change(words[0].start, name.end, opening(document, number, text)),))
