"""Statements that contradict a statement: its negation, or the statement with an opposite in it.

    contradictions(document)     ways to change a single sentence, each a list of changes
    affirmations(document)       a negated sentence without its negation
    shortened(document)          a sentence without the adverbial at its end, which it entails

    A man is sleeping.              A man is not sleeping.        A man is waking.
    Some people eat.                No people eat.
    The dog is not outside.         The dog is outside.

Sentences with "most" or "many", or with several statements, are skipped: their negation may be true as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.english.denials import DO_FORMS, do_not, not_after, without_negation
from longway.english.document import Change, Document, Word, apply_changes
from longway.english.inflection import match_case
from longway.english.opposites import antonym_changes, predicate_words

_NEGATIVE_QUANTIFIERS = {"some": "no", "someone": "no one", "somebody": "nobody", "something": "nothing"}
_POSITIVE_QUANTIFIERS = {"nobody": "somebody", "nothing": "something", "none": "some", "no": "some"}
_UNSURE_WORDS = frozenset(
    "most many several all every each few any both other others only may might could would should never always "
    "everyone everybody".split()
)
_NEED_A_PLACE = frozenset("put place set lay lie be live sit stand lean look go come get turn".split())

_CONTRACTED = frozenset({"'s", "'re", "'m", "'ve", "'ll", "'d", "’s", "’re", "’m", "’ve", "’ll", "’d"})


def contradictions(document: Document, *, with_antonyms: bool = True) -> list[list[Change]]:
    """Return ways to change a sentence into one that cannot be true with it; none if unsure.

    with_antonyms: also replace words by WordNet antonyms.
    """
    if len(document.sentences) != 1 or document.text.rstrip().endswith("?"):
        return []
    if any(word.lower in _UNSURE_WORDS for word in document):
        return []
    variants = list(_denials(document))
    if with_antonyms and not any(_is_denying(word) for word in document):
        variants += _opposites(document)
    return [changes for changes in variants if apply_changes(document.text, changes) != document.text]


def affirmations(document: Document) -> list[list[Change]]:
    """Return the ways to remove the only negation of a sentence."""
    negations = [word for word in document if _is_denying(word)]
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
    if root is None or root.upos != "VERB" or root.lemma in _NEED_A_PLACE or len(document.sentences) != 1:
        return []
    if any(_is_denying(word) for word in document) or not document.children(root, "nsubj"):
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


def _is_denying(word: Word) -> bool:
    return word.lower in ("not", "n't", "never", "no", "nobody", "nothing", "none", "without")


def _denials(document: Document) -> Iterator[list[Change]]:
    root = document.root
    if root is None or _has_second_statement(document, root):
        return
    if any(_is_denying(word) for word in document):
        yield from affirmations(document)
        return
    subjects = document.children(root, "nsubj", "expl")
    first = document.words[0]
    if first.lower in _NEGATIVE_QUANTIFIERS and subjects:
        yield [first.becomes(match_case(_NEGATIVE_QUANTIFIERS[first.lower], first.text))]
        return
    if not subjects or any(w.lower in _NEGATIVE_QUANTIFIERS for w in document.subtree(subjects[0])):
        return
    yield from _denied(document, root, subjects[0])


def _denied(document: Document, root: Word, subject: Word) -> Iterator[list[Change]]:
    verbs = sorted(document.children(root, "aux", "cop"), key=lambda w: w.index)
    first = verbs[0] if verbs else root
    is_be = first.upos == "AUX" or first.lemma == "be"
    if subject.index > first.index or (is_be and first.lower in _CONTRACTED):
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


def _opposites(document: Document) -> Iterator[list[Change]]:
    """One word of what is said, not of the subject, replaced by its opposite."""
    words = [word for word in predicate_words(document) if word.upos in ("ADJ", "VERB", "ADV")]
    yield from antonym_changes(document, words)


def _has_second_statement(document: Document, root: Word) -> bool:
    """Return True if a second statement depends on the first: "sings and dances", "sings because she is happy"."""
    joined = document.children(root, "conj")
    is_second = any(w.upos in ("VERB", "AUX") or document.children(w, "cop", "aux", "nsubj") for w in joined)
    return is_second or bool(document.children(root, "parataxis", "advcl", "ccomp"))
