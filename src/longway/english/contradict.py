"""Statements that contradict a statement: its negation, or the statement with an opposite or another number in it.

    contradictions(document)     ways to change a single sentence, each a list of changes: it cannot be true with the result
    affirmations(document)       a negated sentence without its negation
    shortened(document)          a sentence without the adverbial at its end, which it entails
    negated(document, random)    negative claims: a true statement becomes a false one, by a single change

    A man is sleeping.              A man is not sleeping.        A man is waking.
    Some people eat.                No people eat.
    The dog is not outside.         The dog is outside.
    Anna won the race in 1998.      Anna won the race in 1995.    Anna did not win the race in 1998.

`contradictions` is for premises and their statements: sentences with "most" or "many", or with several statements, are skipped, since their negation may be true as well.

`negated` is for claims. It skips sentences whose negation is unclear or could still be true: quantified subjects ("some dogs bark"),
coordinated verbs, bounds ("more than 20", "the top 10"), ranges ("from 1990 to 1995"), times of a state ("had 500 members in 1990"), a time
before the subject ("In 1990, ..."), several sentences, questions. Opposites are for what there is one of: who won a prize may
have lost another.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random

from longway.english.denials import DO_FORMS, do_not, not_after, remove_not, without_negation
from longway.english.document import Change, Document, Word, any_lower, apply_changes
from longway.english.inflection import inflect, match_case
from longway.english.opposites import antonym_changes, predicate_words
from longway.english.people.mentions import person_noun_kind
from longway.english.rules.sentence import MONTH_WORDS
from longway.english.words import NOT_TOKENS, listed_words

_LISTS = listed_words(__name__)

_NEGATIVE_QUANTIFIERS = {"some": "no", "someone": "no one", "somebody": "nobody", "something": "nothing"}
_POSITIVE_QUANTIFIERS = {"nobody": "somebody", "nothing": "something", "none": "some", "no": "some"}


def contradictions(document: Document, *, with_antonyms: bool = True) -> list[list[Change]]:
    """Return ways to change a sentence into one that cannot be true with it; none if unsure.

    with_antonyms: also replace words by WordNet antonyms.
    """
    is_question = document.text.rstrip().endswith("?")
    if is_question or len(document.sentences) != 1 or any_lower(document, _LISTS.unsure_words):
        return []
    variants = list(_denials(document))
    if with_antonyms and not any_lower(document, _LISTS.denying):
        words = [word for word in predicate_words(document) if word.upos in ("ADJ", "VERB", "ADV")]
        variants += antonym_changes(document, words)
    return [changes for changes in variants if apply_changes(document.text, changes) != document.text]


def affirmations(document: Document) -> list[list[Change]]:
    """Return the ways to remove the only negation of a sentence."""
    negations = [word for word in document if word.lower in _LISTS.denying]
    if len(negations) != 1 or len(document.sentences) != 1:
        return []
    word = negations[0]
    if word.lower in _POSITIVE_QUANTIFIERS and word.relation in ("nsubj", "det"):
        return [[word.becomes(match_case(_POSITIVE_QUANTIFIERS[word.lower], word.text))]]
    changes = without_negation(document, word)
    return [] if changes is None else [changes]


def shortened(document: Document) -> list[list[Change]]:
    """Return a sentence without the place, time or manner at its end: "A man sleeps on a bench" -> "A man sleeps"."""
    root = document.root
    if (
        root is None
        or root.upos != "VERB"
        or root.lemma in _LISTS.need_a_place
        or len(document.sentences) != 1
    ):
        return []
    if any_lower(document, _LISTS.denying) or not document.children(root, "nsubj"):
        return []
    last = len(document) - 1
    while last > root.index and document.words[last].upos == "PUNCT":
        last -= 1
    for adverbial in document.children(root, "obl", "advcl"):
        phrase = document.subtree(adverbial)
        is_last = phrase[-1].index >= last and phrase[0].index > root.index
        if is_last and phrase[-1].index - phrase[0].index + 1 == len(phrase):
            return [[Change(document.words[phrase[0].index - 1].end, document.words[last].end, "")]]
    return []


def _denials(document: Document) -> Iterator[list[Change]]:
    root = document.root
    if root is None or _has_second_statement(document, root):
        return
    if any_lower(document, _LISTS.denying):
        yield from affirmations(document)
        return
    subjects, first = document.children(root, "nsubj", "expl"), document.words[0]
    if first.lower in _NEGATIVE_QUANTIFIERS and subjects:
        yield [first.becomes(match_case(_NEGATIVE_QUANTIFIERS[first.lower], first.text))]
    elif subjects and not any_lower(document.subtree(subjects[0]), _NEGATIVE_QUANTIFIERS):
        yield from _denied(document, root, subjects[0])


def _denied(document: Document, root: Word, subject: Word) -> Iterator[list[Change]]:
    verbs = sorted(document.children(root, "aux", "cop"), key=lambda w: w.index)
    first = verbs[0] if verbs else root
    is_be = first.upos == "AUX" or first.lemma == "be"
    if subject.index > first.index or (is_be and first.lower in _LISTS.contracted):
        return
    if subject.lower == "there" and is_be:
        yield from _there_is_no(document, first)
    elif is_be and first.tag in ("VBZ", "VBP", "VBD", "MD"):
        yield [not_after(first)]
    elif root.tag in DO_FORMS and root.upos == "VERB":
        yield [do_not(root)]


def _there_is_no(document: Document, be: Word) -> Iterator[list[Change]]:
    """Rephrase "There is a dog" as "There is no dog", "There are dogs" as "There are no dogs"."""
    after = document.after(be)
    if after is None:
        return
    if after.lower in ("a", "an", "some"):
        yield [after.becomes("no")]
    elif after.upos in ("NOUN", "ADJ", "NUM"):
        yield [Change(after.start, after.start, "no ")]


def _has_second_statement(document: Document, root: Word) -> bool:
    """Return True if a second statement depends on the first: "sings and dances", "sings because she is happy"."""
    joined = document.children(root, "conj")
    is_second = any(w.upos in ("VERB", "AUX") or document.children(w, "cop", "aux", "nsubj") for w in joined)
    return is_second or bool(document.children(root, "parataxis", "advcl", "ccomp"))


_WORDS = listed_words(__name__)
_UNCLEAR = _WORDS["unclear"]
_BOUNDS = _WORDS["bounds"]


@dataclass(frozen=True, slots=True)
class Negated:
    """A negative claim and how it was made ("negate.antonym")."""

    text: str
    how: str


def negated(document: Document, random: Random) -> Iterator[Negated]:
    """The negative claims that the rules make of a parsed text, opposites and other numbers first."""
    if len(document.sentences) != 1 or document.text.rstrip().endswith("?"):
        return
    is_denied = any_lower(document, NOT_TOKENS)
    asserted = [] if is_denied or _is_unclear(document) else predicate_words(document)
    exclusive = [word for word in asserted if _excludes_its_opposite(document, word)]
    found = [("antonym", changes) for changes in antonym_changes(document, exclusive)]
    found += [("number", [change]) for change in _numbers(document, asserted, random)]
    seen = {document.text}
    for how, changes in [*found, *_denied_claims(document)]:
        text = apply_changes(document.text, changes)
        if text not in seen:
            seen.add(text)
            yield Negated(text, f"negate.{how}")


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


def _numbers(document: Document, asserted: Iterable[Word], random: Random) -> Iterator[Change]:
    """The asserted numbers, each changed; those of the subject only name its topic ("the 1998 edition")."""
    for word in asserted:
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
        number = int(word.text)
        if number <= 31 and any(map(_is_month, document.words[max(0, word.index - 1) : word.index + 2])):
            other = random.choice(
                [day for day in range(1, 29) if day != number]
            )  # a day that every month has
        elif 1000 <= number <= 2100:
            other = number + random.choice([-7, -5, -4, -3, 3, 4])
        else:
            other = number + random.randint(1, max(2, number // 2))
        yield word.becomes(str(other))


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


def _denied_claims(document: Document) -> Iterator[tuple[str, list[Change]]]:
    root = document.root
    if root is None or root.upos == "PROPN" or (root.index > 0 and root.text[:1].isupper()):
        return  # a title: "So You Think You Can Dance"
    verbs = [w for w in document.children(root, "aux", "cop") if w.index < root.index]
    first = verbs[0] if verbs else root
    denied = [w for w in document.children(root, "advmod") if w.lower in ("not", "n't")]
    opening = document.words[: first.index]
    is_dated = any(w.tag == "CD" or _is_month(w) for w in opening) and opening[0].upos == "ADP"
    if is_dated or not document.children(root, "nsubj", "expl") or _has_other_verbs(document, root):
        return  # "In 1990, the bridge was not built" says little
    if denied:
        yield from _affirmed(document, root, first, denied)
    elif _is_unclear(document) or first.lower in _LISTS.short:
        return
    elif first.upos == "AUX" or first.lemma == "be":
        yield "not", [not_after(first)]
    elif root.upos == "VERB" and root.tag in DO_FORMS and root.lower == inflect(root.lemma, root.tag):
        yield "not", [do_not(root)]


def _affirmed(
    document: Document, root: Word, first: Word, denied: list[Word]
) -> Iterator[tuple[str, list[Change]]]:
    """The sentence without its "not"; "does not tour" becomes "tours"."""
    (negation, *more) = denied
    others = [w for w in document if w.lower in _UNCLEAR | NOT_TOKENS and w.index != negation.index]
    if more or others or first.lower in _LISTS.short or negation.index != first.index + 1:
        return
    verb = root if root.index == negation.index + 1 else None
    changes = remove_not(document, first, negation, verb)
    if changes is not None:
        yield "affirm", changes


def _is_unclear(document: Document) -> bool:
    is_part = document.lower_at(0) in (
        "part",
        "parts",
        "half",
    )  # "Part of the road was not built" may be true as well
    return is_part or any(
        word.lower in _UNCLEAR or (word.lower in ("may", "might") and word.tag == "MD") for word in document
    )


def _has_other_verbs(document: Document, root: Word) -> bool:
    """Whether a second statement depends on the first: "sings and dances"."""
    joined = document.children(root, "conj")
    if root.upos == "VERB" and joined:
        return True
    is_verb = any(w.upos == "VERB" or document.children(w, "cop", "aux") for w in joined)
    return is_verb or bool(document.children(root, "parataxis", "advcl"))
