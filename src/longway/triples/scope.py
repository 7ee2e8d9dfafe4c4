"""Under which negation a word stands, and whether it is meant at all.

scope_of(document, word)     Scope(negation, is_unclear)

not a good film, is never dull, do not think it is bad, nothing good      the word that denies
would have been great, if it were good, tries to be funny, lacks charm    unclear: said of something that is not so
"""

from __future__ import annotations

from typing import NamedTuple

from longway.text.document import Document, Word

DENYING = frozenset("not n't never hardly barely scarcely no nothing without neither less least".split())
_ONLY = frozenset("only just merely simply necessarily".split())
_SEEMING = frozenset("seem look feel sound find make be become appear get consider call prove".split())
_THINKING = frozenset("think believe feel say suppose guess expect find claim".split())
_TRYING = frozenset(
    "try attempt want wish hope struggle pretend strive strain suppose aim promise expect".split()
)
_MISSING = frozenset("lack miss need want avoid".split())
_WITHOUT = frozenset("lack absence shortage dearth want devoid free bereft void".split())
_MODALS = frozenset("could would should might".split())


class Scope(NamedTuple):
    """The word that denies a word, None for none; is_unclear: what is said is not said to be so."""

    negation: Word | None = None
    is_unclear: bool = False


def scope_of(document: Document, word: Word) -> Scope:
    """Under which negation a word stands."""
    if any(_is_supposed(document, one) for one in (word, *document.ancestors(word))):
        return Scope(is_unclear=True)
    current = word
    for _ in range(5):
        if _is_unclear(document, current):
            return Scope(is_unclear=True)
        negation = _negation_at(document, current, word)
        if negation is not None:
            return Scope(negation)
        above = document.head(current)
        if above is None:
            break
        if _is_missed(document, current, above):
            return Scope(is_unclear=True)
        if not _reaches(document, current, above):
            break
        current = above
    return Scope()


def _negation_at(document: Document, current: Word, word: Word) -> Word | None:
    """The word that denies this one directly."""
    if current.lower == "nothing":
        return current
    for one in document.children(current, "advmod", "det", "cc", "case"):
        if one.lower not in DENYING or one.index > word.index:
            continue
        if one.lower in ("less", "least") and current.index != word.index:
            continue
        after = document.words[one.index + 1].lower
        if after in _ONLY or (one.lower == "no" and after in ("doubt", "matter", "wonder", "less")):
            continue
        return one
    return None


def _is_unclear(document: Document, word: Word) -> bool:
    """True for "would have been great", "could be better"."""
    helpers = {w.lower for w in document.children(word, "aux", "cop")}
    return bool(helpers & _MODALS) and (bool(helpers & {"have", "'ve"}) or word.tag in ("JJR", "RBR"))


def _is_supposed(document: Document, word: Word) -> bool:
    if word.relation != "advcl":
        return False
    return any(w.lower in ("if", "unless", "whether") for w in document.children(word, "mark", "advmod"))


def _is_missed(document: Document, word: Word, above: Word) -> bool:
    """True for what is tried, missing or wanted: "tries to be funny", "lacks charm", "a lack of wit"."""
    if word.relation == "xcomp":
        return above.lemma in _TRYING or above.lemma == "fail"
    if word.relation in ("obj", "conj") and above.lemma in _MISSING:
        return True
    if word.relation == "ccomp" and above.lemma in ("wish", "hope", "doubt", "pretend"):
        return True
    if word.relation in ("obj", "xcomp") and above.lemma == "deserve":
        return True
    return word.relation in ("nmod", "obl") and above.lemma in _WITHOUT


def _reaches(document: Document, word: Word, above: Word) -> bool:
    """True where a "not" at the word above denies this one, too."""
    relation = word.relation
    if relation == "conj":
        joins = {w.lower for w in document.children(word, "cc")}
        is_alike = word.upos == above.upos and word.tag == above.tag
        return is_alike and not joins & {"but", "yet"} and not document.children(word, "nsubj", "aux", "cop")
    if relation == "amod":
        return _is_said(document, above)
    if relation == "advmod":
        return True
    if relation == "xcomp":
        return above.lemma in _SEEMING
    if relation == "ccomp":
        return above.lemma in _THINKING
    return relation == "obj" and _is_open(document, word)


def _is_said(document: Document, noun: Word) -> bool:
    """True where a noun phrase says something: "is a good film", "a good film.", "has good jokes"; not "the good film"."""
    if document.children(noun, "cop") or document.head(noun) is None or noun.lower == "nothing":
        return True
    if any(w.lower in ("no", "without") for w in document.children(noun, "det", "case")):
        return True
    return noun.relation in ("obj", "conj", "nsubj") and _is_open(document, noun)


def _is_open(document: Document, noun: Word) -> bool:
    owners = document.children(noun, "det", "nmod:poss")
    return all(w.lower in ("a", "an", "any", "much", "many", "no") for w in owners)
