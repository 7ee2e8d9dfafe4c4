"""What cannot be true beside a statement: the statement denied, or with an opposite in it.

    contradictions(document)     ways to change a single sentence, each a list of changes
    affirmations(document)       a denied sentence without its negation
    shortened(document)          what a sentence says without what is told at its end, which therefore is so, too

    A man is sleeping.              A man is not sleeping.        A man is waking.
    Some people eat.                No people eat.
    The dog is not outside.         The dog is outside.

Sentences that say "most" or "many", or more than one thing, have none: their denial may be true as well.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.errors import LongwayError
from longway.text.capitals import like
from longway.text.changes import Change, apply_changes
from longway.text.document import Document, Word
from longway.text.replacements import antonyms, with_article
from longway.triples.affirm import affirmed

_NONE = {"some": "no", "someone": "no one", "somebody": "nobody", "something": "nothing"}
_ANY = {"nobody": "somebody", "nothing": "something", "none": "some", "no": "some"}
_UNSURE = frozenset(
    "most many several all every each few any both other others only may might could would should never always "
    "everyone everybody".split()
)
_NEED_A_PLACE = frozenset("put place set lay lie be live sit stand lean look go come get turn".split())
_DO = {"VBP": "do", "VBZ": "does", "VBD": "did"}
_SHORT = frozenset({"'s", "'re", "'m", "'ve", "'ll", "'d", "’s", "’re", "’m", "’ve", "’ll", "’d"})


def contradictions(document: Document, *, with_antonyms: bool = True) -> list[list[Change]]:
    """Ways to change a sentence into one that cannot be true beside it; none where that is not sure.

    with_antonyms: also words replaced by WordNet's opposites.
    """
    if len(document.sentences) != 1 or document.text.rstrip().endswith("?"):
        return []
    if any(word.lower in _UNSURE for word in document):
        return []
    found = list(_denials(document))
    if with_antonyms and not any(_is_denying(word) for word in document):
        found += _opposites(document)
    return [changes for changes in found if apply_changes(document.text, changes) != document.text]


def affirmations(document: Document) -> list[list[Change]]:
    """The ways to take the one negation of a sentence away."""
    denying = [word for word in document if _is_denying(word)]
    if len(denying) != 1 or len(document.sentences) != 1:
        return []
    word = denying[0]
    if word.lower in _ANY and word.relation in ("nsubj", "det"):
        return [[Change(word.start, word.end, like(_ANY[word.lower], word.text))]]
    changes = affirmed(document, word)
    return [] if changes is None else [changes]


def shortened(document: Document) -> list[list[Change]]:
    """A sentence without where, when or how at its end: "A man sleeps on a bench" -> "A man sleeps"."""
    root = next((word for word in document if word.head == word.index), None)
    if root is None or root.upos != "VERB" or root.lemma in _NEED_A_PLACE or len(document.sentences) != 1:
        return []
    if any(_is_denying(word) for word in document) or not document.children(root, "nsubj"):
        return []
    last = len(document) - 1
    while last > root.index and document.words[last].upos == "PUNCT":
        last -= 1
    for one in document.children(root, "obl", "advcl"):
        below = document.subtree(one)
        is_last = below[-1].index >= last and below[0].index > root.index
        if is_last and below[-1].index - below[0].index + 1 == len(below):
            return [[Change(document.words[below[0].index - 1].end, document.words[last].end, "")]]
    return []


def _is_denying(word: Word) -> bool:
    return word.lower in ("not", "n't", "never", "no", "nobody", "nothing", "none", "without")


def _denials(document: Document) -> Iterator[list[Change]]:
    root = next((word for word in document if word.head == word.index), None)
    if root is None or _says_more(document, root):
        return
    if any(_is_denying(word) for word in document):
        yield from affirmations(document)
        return
    subjects = document.children(root, "nsubj", "expl")
    first = document.words[0]
    if first.lower in _NONE and subjects:
        yield [Change(first.start, first.end, like(_NONE[first.lower], first.text))]
        return
    if not subjects or any(w.lower in _NONE for w in document.subtree(subjects[0])):
        return
    yield from _denied(document, root, subjects[0])


def _denied(document: Document, root: Word, subject: Word) -> Iterator[list[Change]]:
    verbs = sorted(document.children(root, "aux", "cop"), key=lambda w: w.index)
    first = verbs[0] if verbs else root
    is_be = first.upos == "AUX" or first.lemma == "be"
    if subject.index > first.index or (is_be and first.lower in _SHORT):
        return
    if subject.lower == "there" and is_be:
        yield from _there_is_no(document, first)
    elif is_be and first.tag in ("VBZ", "VBP", "VBD", "MD"):
        yield [Change(first.end, first.end, "not" if first.lower == "can" else " not")]
    elif root.tag in _DO and root.upos == "VERB":
        yield [Change(root.start, root.end, f"{_DO[root.tag]} not {root.lemma}")]


def _there_is_no(document: Document, be: Word) -> Iterator[list[Change]]:
    """ "There is a dog" -> "There is no dog", "There are dogs" -> "There are no dogs"."""
    after = document.words[be.index + 1] if be.index + 1 < len(document) else None
    if after is None:
        return
    if after.lower in ("a", "an", "some"):
        yield [Change(after.start, after.end, "no")]
    elif after.upos in ("NOUN", "ADJ", "NUM"):
        yield [Change(after.start, after.start, "no ")]


def _opposites(document: Document) -> Iterator[list[Change]]:
    """One word of what is said, not of the subject, replaced by its opposite."""
    subjects = [w for w in document if w.relation in ("nsubj", "expl")]
    named = {w.index for subject in subjects for w in document.subtree(subject)}
    for word in document:
        if word.index in named or word.upos not in ("ADJ", "VERB", "ADV"):
            continue
        try:
            found = antonyms(word, document)[:1]
        except LongwayError:  # WordNet is not installed
            return
        for replacement in found:
            yield with_article(document, replacement)


def _says_more(document: Document, root: Word) -> bool:
    """True where a second statement hangs on the first: "sings and dances", "sings because she is happy"."""
    joined = document.children(root, "conj")
    is_second = any(w.upos in ("VERB", "AUX") or document.children(w, "cop", "aux", "nsubj") for w in joined)
    return is_second or bool(document.children(root, "parataxis", "advcl", "ccomp"))
