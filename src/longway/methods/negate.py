"""Negative claims by rules: a true statement becomes a false one, by a single change.

    negations("Anna won the race in 1998.")     "... in 1995.", "Anna did not win the race in 1998."

    antonym     a word becomes its opposite: "a large city" -> "a small city"
    number      a year or a number becomes another one
    not         "is" -> "is not", "won" -> "did not win"; "was not" -> "was", "does not tour" -> "tours"

Sentences whose negation is unclear or could still be true are skipped: quantified subjects ("some dogs bark"), coordinated
verbs, bounds ("more than 20", "the top 10"), ranges ("from 1990 to 1995"), times of a state ("had 500 members in 1990"), a time
before the subject ("In 1990, ..."), several sentences, questions. Opposites are for what there is one of: who won a prize may
have lost another.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from longway.engines.engine import Written
from longway.english.denials import DO_FORMS, do_not, not_after, remove_not
from longway.english.document import Change, Document, Word, apply_changes
from longway.english.inflection import inflect
from longway.english.listed_words import listed_words
from longway.english.negation_words import NOT_TOKENS
from longway.english.opposites import antonym_changes, predicate_words
from longway.english.people.mentions import person_noun_kind
from longway.english.pipeline import load_pipeline
from longway.english.rules.spans import MONTH_WORDS
from longway.languages.row_languages import NOT_ENGLISH
from longway.methods.method import RewriteRequest

_WORDS = listed_words(__name__)
_UNCLEAR = _WORDS["unclear"]
_BOUNDS = _WORDS["bounds"]
_SHORT = frozenset({"ca", "wo", "sha", "ai", "'s", "'re", "'ve", "'d", "'ll", "'m"})  # "can't", "he's"


@dataclass(frozen=True, slots=True)
class Negated:
    """A negative claim and how it was made ("negate.antonym")."""

    text: str
    how: str


class RuleNegator:
    """Writes negative claims by rules; the default `write` of CrossAug."""

    name = "negate"

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._english = load_pipeline()

    def __call__(self, requests: Sequence[RewriteRequest]) -> Iterator[Written]:
        """Up to n negative claims per request; opposites and other numbers come first."""
        documents = self._english.analyse_all(
            ["" if request.language else request.text for request in requests]
        )
        for request, document in zip(requests, documents, strict=True):
            if request.language:
                yield Written((), (NOT_ENGLISH,))
                continue
            found = list(negated(document, Random(f"{self.seed}|{request.sample}|{request.text}")))[
                : request.n
            ]
            refusals = () if found else ("no rule can negate this text",)
            yield Written(tuple(n.text for n in found), refusals, tuple(n.how for n in found))


def negations(text: str, *, seed: int = 0) -> list[Negated]:
    """All negative claims that the rules make of a text."""
    return list(negated(load_pipeline().analyse(text), Random(f"{seed}|0|{text}")))


def negated(document: Document, random: Random) -> Iterator[Negated]:
    """The negative claims that the rules make of a parsed text, opposites and other numbers first."""
    if len(document.sentences) != 1 or document.text.rstrip().endswith("?"):
        return
    is_denied = any(word.lower in NOT_TOKENS for word in document)
    found = [*_opposites(document), *_numbers(document, random)] if not is_denied else []
    seen = {document.text}
    for how, changes in [*found, *_denials(document)]:
        text = apply_changes(document.text, changes)
        if text not in seen:
            seen.add(text)
            yield Negated(text, f"negate.{how}")


def _opposites(document: Document) -> Iterator[tuple[str, list[Change]]]:
    words = [word for word in _asserted_words(document) if _excludes_its_opposite(document, word)]
    for changes in antonym_changes(document, words):
        yield "antonym", changes


def _excludes_its_opposite(document: Document, word: Word) -> bool:
    """Whether the opposite of a word makes the statement false.

    "is a large town", "won the race"; not "has a large garden", beside which there may be a small one, "won a prize", nor "at
    least two sons".
    """
    before = {w.lower for w in document.words[max(0, word.index - 3) : word.index]}
    if before & {"least", "most", "than"} or document.children(word, "appos", "conj", "iobj"):
        return False
    if word.upos == "VERB":
        return any(_is_definite(document, thing) for thing in document.children(word, "obj"))
    if word.lower.endswith("ing"):
        return False  # the "opening" of "its opening week"
    if word.upos == "NOUN":
        is_plain = word.relation == "root" or person_noun_kind(word) is not None
        # who has a sister may have a brother
        return is_plain and (word.relation != "obj" or _is_definite(document, word))
    return word.upos == "ADJ" and _is_exclusive_adjective(document, word)


def _is_exclusive_adjective(document: Document, word: Word) -> bool:
    noun, after = document.head(word), document.after(word)
    if word.relation != "amod" or noun is None:
        return word.relation == "root"
    is_last = after is not None and after.upos != "ADJ"  # not the "legal" of "a legal political novel"
    return is_last and (noun.relation == "root" or _is_definite(document, noun))


def _is_definite(document: Document, noun: Word) -> bool:
    """Whether there is one such thing: "the race", "her house", "her"."""
    determiners = document.children(noun, "det", "nmod")
    return noun.tag == "PRP" or any(
        w.lower == "the" or (w.relation == "nmod" and w.index < noun.index) for w in determiners
    )


def _numbers(document: Document, random: Random) -> Iterator[tuple[str, list[Change]]]:
    for word in _asserted_words(document):
        is_plain = word.tag == "CD" and word.text.isascii() and word.text.isdigit()
        before = {w.lower for w in document.words[max(0, word.index - 2) : word.index]}
        before |= {document.lower_at(word.index - 3)} & {"between"}  # "between 1990 and 1995"
        if (
            not is_plain
            or _is_in_name(document, word)
            or before & _BOUNDS
            or _is_time_of_state(document, word)
        ):
            continue
        number = _other_day(int(word.text), random) if _is_day(document, word) else None
        yield "number", [Change(word.start, word.end, number or _other_number(int(word.text), random))]


def _is_in_name(document: Document, number: Word) -> bool:
    """Whether a number belongs to a name: "Blue Hill 2", "the Group of 15", "the Top 40"."""
    head = document.head(number)
    if head is None or (head.upos == "PROPN" and not _is_month(head)) or number.relation in ("flat", "appos"):
        return True
    before = [w for w in document.words[max(0, number.index - 2) : number.index] if w.lower != "of"]
    return (
        bool(before) and before[-1].text[:1].isupper() and before[-1].index > 0 and not _is_month(before[-1])
    )


def _is_time_of_state(document: Document, number: Word) -> bool:
    """Whether a date says when something was so or happened once: "had 500 members in 1990", "hosted a game in 1990"."""
    dated = [w for w in (number, *document.ancestors(number)) if w.relation == "obl"]
    verb = document.head(dated[0]) if dated else None
    if verb is None or verb.upos != "VERB":
        return False
    things = document.children(verb, "obj")
    is_one_of_many = any(w.lower in ("a", "an") for thing in things for w in document.children(thing, "det"))
    return verb.lemma in ("have", "own", "contain") or is_one_of_many


def _is_month(word: Word) -> bool:
    return word.lower in MONTH_WORDS and word.text[:1].isupper()


def _is_day(document: Document, number: Word) -> bool:
    around = document.words[max(0, number.index - 1) : number.index + 2]
    return int(number.text) <= 31 and any(map(_is_month, around))


def _other_day(day: int, random: Random) -> str:
    """Another day that every month has."""
    return str(random.choice([other for other in range(1, 29) if other != day]))


def _asserted_words(document: Document) -> list[Word]:
    """The words of the statement, without those of the subject, which only name its topic ("the 1998 edition")."""
    return [] if _is_unclear(document) else predicate_words(document)


def _other_number(number: int, random: Random) -> str:
    """Another number of the same kind: a year nearby, or a number up to half as large again."""
    if 1000 <= number <= 2100:
        return str(number + random.choice([-7, -5, -4, -3, 3, 4]))
    return str(number + random.randint(1, max(2, number // 2)))


def _denials(document: Document) -> Iterator[tuple[str, list[Change]]]:
    root = next((word for word in document if word.head == word.index), None)
    if root is None or root.upos == "PROPN" or (root.index > 0 and root.text[:1].isupper()):
        return  # a title: "So You Think You Can Dance"
    verbs = [w for w in document.children(root, "aux", "cop") if w.index < root.index]
    first = verbs[0] if verbs else root
    denied = [w for w in document.children(root, "advmod") if w.lower in ("not", "n't")]
    if not document.children(root, "nsubj", "expl") or _has_other_verbs(document, root):
        return
    if _starts_with_time(document, first):
        return
    if denied:
        yield from _affirmed(document, root, first, denied)
    elif not _is_unclear(document) and first.lower not in _SHORT:
        yield from _denied(document, root, first)


def _starts_with_time(document: Document, verb: Word) -> bool:
    """Whether a time opens the sentence: "In 1990, the bridge was not built" says little."""
    opening = document.words[: verb.index]
    return bool(opening) and opening[0].upos == "ADP" and any(w.tag == "CD" or _is_month(w) for w in opening)


def _denied(document: Document, root: Word, first: Word) -> Iterator[tuple[str, list[Change]]]:
    if first.upos == "AUX" or first.lemma == "be":
        yield "not", [not_after(first)]
    elif root.upos == "VERB" and root.tag in DO_FORMS and root.lower == inflect(root.lemma, root.tag):
        yield "not", [do_not(root)]


def _affirmed(
    document: Document, root: Word, first: Word, denied: list[Word]
) -> Iterator[tuple[str, list[Change]]]:
    """The sentence without its "not"; "does not tour" becomes "tours"."""
    (negation, *more) = denied
    others = [w for w in document if w.lower in _UNCLEAR | NOT_TOKENS and w.index != negation.index]
    if more or others or first.lower in _SHORT or negation.index != first.index + 1:
        return
    verb = root if root.index == negation.index + 1 else None
    changes = remove_not(document, first, negation, verb)
    if changes is not None:
        yield "affirm", changes


def _is_unclear(document: Document) -> bool:
    if document.lower_at(0) in (
        "part",
        "parts",
        "half",
    ):  # "Part of the road was not built" may be true as well
        return True
    return any(
        word.lower in _UNCLEAR or (word.lower in ("may", "might") and word.tag == "MD") for word in document
    )


def _has_other_verbs(document: Document, root: Word) -> bool:
    """Whether a second statement depends on the first: "sings and dances"."""
    joined = document.children(root, "conj")
    if root.upos == "VERB" and joined:
        return True
    is_verb = any(w.upos == "VERB" or document.children(w, "cop", "aux") for w in joined)
    return is_verb or bool(document.children(root, "parataxis", "advcl"))
