"""Finite verbs: the forms that agree with their subject, and the same form for the other number.

    in_number("is", plural=True)        "are"
    in_number("doesn't", plural=True)   "don't"
    in_number("cries", plural=True)     "cry"
    in_number("cry", plural=False)      "cries"
    in_number("went", plural=True)      None: the past, modal verbs and "had" know no number

Works on what is written, not on what a tagger made of it, and takes contractions in all spellings: "isn't",
"isn’t", "isnt", and the "isn" that is left where a tokeniser set the rest apart.
"""

from __future__ import annotations

import re

from longway.text.capitals import like
from longway.text.inflect import forms, inflect, lemmas

_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}
_SINGULAR = {plural: singular for singular, plural in _PLURAL.items()}
_NEGATED = r"(n['’`´]?t?[.,!?]?)?"  # some tokenisers leave the full stop on "ISN'T."
_SINGULAR_AUXILIARY = re.compile(rf"(is|was|has|does){_NEGATED}", re.IGNORECASE)
_PLURAL_AUXILIARY = re.compile(rf"(are|were|have|do){_NEGATED}", re.IGNORECASE)
_OTHER_AUXILIARY = re.compile(
    r"(am|did|had|can|could|may|might|must|shall|should|will|would|wo|ca|sha|ai|ought|gonna|['’]?d|['’]?ll)"
    rf"({_NEGATED}|n|not)?",
    re.IGNORECASE,
)
SHORT_SINGULAR = frozenset({"'s", "’s", "`s", "´s", "s"})
SHORT_PLURAL = frozenset({"'re", "’re", "`re", "´re", "re", "'ve", "’ve", "`ve", "´ve", "ve"})
NEGATIONS = frozenset({"n't", "n’t", "nt", "not", "n`t", "n´t", "'t", "’t"})
APOSTROPHES = frozenset({"'", "’", "‘", "`", "´"})


def in_number(form: str, *, plural: bool, lemma: str = "") -> str | None:
    """The verb form as a plural (or singular) subject wants it; None where it stays.

    Takes for granted that the form is a finite one in the present, or "was" and "were".
    lemma: helps where a form belongs to two verbs.

    >>> in_number("HAS", plural=True), in_number("weren’t", plural=False), in_number("must", plural=True)
    ('HAVE', 'wasn’t', None)
    """
    found = (_SINGULAR_AUXILIARY if plural else _PLURAL_AUXILIARY).fullmatch(form)
    if found:
        stem = (_PLURAL if plural else _SINGULAR)[found[1].lower()]
        return like(stem, found[1]) + (found[2] or "")
    if is_auxiliary(form) or not form.isalpha():
        return None
    new = _without_s(form.lower(), lemma) if plural else inflect(form.lower(), "VBZ")
    return None if new is None or new == form.lower() else like(new, form)


def is_auxiliary(form: str) -> bool:
    """True for be, have, do and the modal verbs in a finite form, contracted or not.

    >>> is_auxiliary("isn"), is_auxiliary("ca"), is_auxiliary("been")
    (True, True, False)
    """
    return any(p.fullmatch(form) for p in (_SINGULAR_AUXILIARY, _PLURAL_AUXILIARY, _OTHER_AUXILIARY))


def is_singular_auxiliary(form: str) -> bool:
    """True for is, was, has, does and their contractions with not."""
    return _SINGULAR_AUXILIARY.fullmatch(form) is not None


def governs_plain_forms(form: str, relation: str) -> bool:
    """True for a verb that takes others in the plain form: "can", "did", and "do" or "have" as an auxiliary.

    relation: that of the verb, "aux" for an auxiliary.
    """
    lower = form.lower()
    if _OTHER_AUXILIARY.fullmatch(lower):
        return lower not in ("had", "am")
    return relation == "aux" and lower.startswith(("do", "have", "has"))


def is_s_form(form: str) -> bool:
    """True where a word can be the third person of a verb: "goes", also "hands"."""
    lower = form.lower()
    return lower.endswith("s") and any(inflect(lemma, "VBZ") == lower for lemma in lemmas(lower, "VERB"))


def is_surely_s_form(form: str, tag: str) -> bool:
    """True for the third person of a verb by its tag, or because no noun has such a plural: "writes"."""
    return tag == "VBZ" or (is_s_form(form) and not lemmas(form.lower(), "NOUN"))


def is_participle(form: str) -> bool:
    """True where a word can be a past participle: "seen", also "run" and "hurt"."""
    lower = form.lower()
    return lower in ("proven", "sewn") or any(lower in forms(lemma, "VBN") for lemma in lemmas(form, "VERB"))


def is_base_form(form: str) -> bool:
    """True where a word can be the plain form of a verb: "go", also "hand"."""
    return form.lower() in lemmas(form, "VERB")


def _without_s(form: str, lemma: str) -> str | None:
    """The plain form behind an -s form."""
    known = [one for one in lemmas(form, "VERB") if inflect(one, "VBZ") == form]
    if known:
        return lemma if lemma in known else known[0]
    if len(form) < 3 or not form.endswith("s") or form.endswith("ss"):
        return None
    if re.search(r"(ss|sh|ch|x|zz|o)es$", form):
        return form[:-2]
    return form[:-3] + "y" if len(form) > 4 and form.endswith("ies") else form[:-1]
