"""Negations taken away: "was not good" becomes "was good", "didn't like" becomes "liked", "no good jokes" becomes "good jokes".

affirmed(document, negation)     the changes, None where the sentence would not be English without it
"""

from __future__ import annotations

from longway.text.articles import article_before
from longway.text.capitals import like
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.inflect import MASS_NOUNS, inflect
from longway.text.word_lists import word_lists

_WHOLE = {"ca": "can", "wo": "will", "sha": "shall"}
_TAGS = {"do": "VBP", "does": "VBZ", "did": "VBD"}
_INSTEAD = {"any": "some", "anything": "something", "or": "and"}
_NOT_WITHOUT = frozenset("ever yet either anymore nor until".split())  # need a negation before them
_SMALL = frozenset({"never", "hardly", "barely", "scarcely"})
_NEARLY = frozenset("virtually almost practically nearly absolutely".split())
_MORE = {"less": "more", "least": "most"}


def affirmed(document: Document, negation: Word) -> list[Change] | None:
    """The changes that take a negation away."""
    behind = _behind(document, negation)
    if any(w.lower in _NOT_WITHOUT for w in behind):
        return None
    changes = _without(document, negation)
    if changes is None or negation.lower in _MORE:
        return changes
    taken = {place for change in changes for place in range(change.start, change.end)}
    return changes + [change for change in _licensed(document, behind) if change.start not in taken]


def _behind(document: Document, negation: Word) -> list[Word]:
    """The words behind a negation up to the end of its clause."""
    found = []
    _, end = document.sentences[document.sentence_number(negation)]
    for word in document.words[negation.index + 1 : end]:
        if word.text in (".", ";", "!", "?", "--") or word.lower in ("but", "because", "although"):
            break
        found.append(word)
    return found


def _licensed(document: Document, behind: list[Word]) -> list[Change]:
    """Words that only go with a negation, in the form for a statement: "any" -> "some", "at all" left out."""
    found = []
    for word in behind:
        if (
            word.lower == "at"
            and word.index + 1 < len(document)
            and document.words[word.index + 1].lower == "all"
        ):
            found.append(Change(document.words[word.index - 1].end, document.words[word.index + 1].end, ""))
        elif word.lower in _INSTEAD and (word.lower != "or" or word.upos == "CCONJ"):
            found.append(Change(word.start, word.end, like(_INSTEAD[word.lower], word.text)))
    return found


def _without(document: Document, negation: Word) -> list[Change] | None:
    lower, text = negation.lower, negation.text
    if lower in _MORE:
        return [Change(negation.start, negation.end, like(_MORE[lower], text))]
    if lower == "without":
        return [Change(negation.start, negation.end, like("with", text))]
    if lower == "nothing":
        return [Change(negation.start, negation.end, like("something", text))]
    if lower == "no":
        return _without_no(document, negation)
    if lower in _SMALL:
        first, _ = document.sentences[document.sentence_number(negation)]
        return None if negation.index == first else _dropped(document, negation)
    return _without_not(document, negation) if lower in ("not", "n't") else None


def _dropped(document: Document, word: Word) -> list[Change] | None:
    """A word left out, its capital handed on."""
    if word.index + 1 >= len(document):
        return None
    after = document.words[word.index + 1]
    if not word.text[:1].isupper():
        return [Change(word.start, after.start, "")]
    return [Change(word.start, after.end, like(after.text, word.text.capitalize()))]


def _without_no(document: Document, no: Word) -> list[Change] | None:
    noun = document.head(no)
    if noun is None or no.index + 1 >= len(document):
        return None
    if no.index and document.words[no.index - 1].lower in _NEARLY:
        return None
    is_mass = noun.lemma in MASS_NOUNS or noun.lemma in word_lists().mass
    if noun.upos != "NOUN" or noun.tag == "NNS" or is_mass:
        return _dropped(document, no)
    article = article_before(document.words[no.index + 1].text)
    return [Change(no.start, no.end, like(article, no.text))]


def _without_not(document: Document, negation: Word) -> list[Change] | None:
    before = document.words[negation.index - 1] if negation.index else None
    if before is None or before.upos not in ("AUX", "VERB") or before.index < _first(document, negation):
        return _dropped(document, negation) if negation.lower == "not" else None
    if _is_inverted(document, negation):
        return None
    if before.lower in _TAGS:
        return _without_do(document, before, negation)
    if before.lower == "ai":
        return None
    whole = _WHOLE.get(before.lower)
    if whole is not None and negation.lower == "n't":
        return [Change(before.start, negation.end, like(whole, before.text))]
    return [Change(before.end, negation.end, "")]


def _without_do(document: Document, do: Word, negation: Word) -> list[Change] | None:
    verb = document.head(negation)
    if verb is None or verb.tag not in ("VB", "VBP") or verb.index <= negation.index:
        return None
    if not document.children(verb, "nsubj") and verb.relation != "conj":
        return None  # "Don't miss it"
    form = inflect(verb.lemma, _TAGS[do.lower])
    if form is None or verb.lemma == "be":
        return None
    after = document.words[negation.index + 1]
    return [Change(do.start, after.start, ""), Change(verb.start, verb.end, form)]


def _first(document: Document, word: Word) -> int:
    return document.sentences[document.sentence_number(word)][0]


def _is_inverted(document: Document, negation: Word) -> bool:
    """True for "Isn't it good", "doesn't he like it"."""
    after = document.words[negation.index + 1] if negation.index + 1 < len(document) else None
    opens = negation.index - 1 == _first(document, negation)
    return opens or (after is not None and after.relation == "nsubj")
