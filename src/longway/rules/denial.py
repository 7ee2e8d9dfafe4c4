"""Denials: the verb groups that say that something is not so, taken apart and put together in another way.

    "Ann did not win a race."           not      win   past
    "Ann has never been to Rome."       never    be    perfect
    "Ann was incapable of winning."     unable   win   past
    "Ann has yet to win."               yet      win   perfect

    denial.finite("fail")          "failed", in the tense and number of the group
    denial.with_auxiliary("not")   "did not win"

Copulas and passives count as "be" with a rest, so that all that follows the verb stays as it was written. `rules/denials.py`
finds them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.inflect import inflect

Kind = Literal["not", "never", "fail", "refuse", "unable", "yet", "avoid"]
Time = Literal["past", "present", "perfect", "pluperfect"]

_PLURAL_PRONOUNS = frozenset({"they", "we", "you", "these", "those", "both", "many", "some", "most"})
_SINGULAR_PRONOUNS = frozenset({"he", "she", "it", "this", "that", "nobody", "somebody", "someone"})


@dataclass(frozen=True, slots=True)
class Denial:
    """One denied verb.

    start, end: the stretch of the text from the group's first word to the verb. verb: its lemma, "be" for copulas and
    passives. plural: the subject's number, None where it cannot be told. last: index of the group's last word;
    first: of its first. by: the word that denies ("refuse" and "decline" are both of the kind "refuse").
    """

    kind: Kind
    by: str
    first: int
    last: int
    start: int
    end: int
    verb: str
    time: Time
    plural: bool | None

    @property
    def participle(self) -> str:
        """The verb as "been", "won"."""
        return inflect(self.verb, "VBN") or self.verb

    @property
    def gerund(self) -> str:
        """The verb as "being", "winning"."""
        return inflect(self.verb, "VBG") or self.verb

    def finite(self, lemma: str | None = None) -> str | None:
        """A verb, this one if none is given, in the group's tense and number; None where the number is not known.

        >>> Denial("not", "not", 0, 2, 0, 11, "win", "past", False).finite("be")
        'was'
        """
        return finite(lemma or self.verb, self.time, self.plural)

    def with_auxiliary(self, word: str) -> str | None:
        """The verb with a word where "not" stands: "did not win", "was never", "has still not won"."""
        if self.time in ("perfect", "pluperfect"):
            have = finite("have", "past" if self.time == "pluperfect" else "present", self.plural)
            return have and f"{have} {word} {self.participle}"
        auxiliary = finite("be" if self.verb == "be" else "do", self.time, self.plural)
        if self.verb == "be":
            return auxiliary and f"{auxiliary} {word}"
        return auxiliary and f"{auxiliary} {word} {self.verb}"

    def becoming(self, text: str) -> Change:
        """The change of the group."""
        return Change(self.start, self.end, text)


def finite(lemma: str, time: Time, plural: bool | None) -> str | None:
    """A verb in a tense and number: finite("be", "past", True) is "were"; None where the unknown number matters."""
    if time in ("perfect", "pluperfect"):
        have = finite("have", "past" if time == "pluperfect" else "present", plural)
        participle = inflect(lemma, "VBN")
        return f"{have} {participle}" if have and participle else None
    if plural is None and (time == "present" or lemma == "be"):
        return None
    if lemma == "be":
        return {("past", False): "was", ("past", True): "were", ("present", False): "is"}.get(
            (time, bool(plural)), "are"
        )
    if time == "past":
        return inflect(lemma, "VBD")
    return lemma if plural else inflect(lemma, "VBZ")


def number_of(document: Document, subject: Word) -> bool | None:
    """True for a plural subject, False for a singular one, None where it cannot be told."""
    if subject.lower in _PLURAL_PRONOUNS:
        return True
    if subject.lower in _SINGULAR_PRONOUNS:
        return False
    if subject.tag in ("NNPS", "PRP") or document.children(subject, "conj"):
        joined = document.children(subject, "conj")
        is_names = subject.tag in ("NNP", "NNPS") or any(w.tag in ("NNP", "NNPS") for w in joined)
        return True if joined and not is_names else None
    if subject.tag == "NNS":
        return True
    return False if subject.tag in ("NN", "NNP", "VBG") else None


def subject_of(document: Document, word: Word) -> Word | None:
    """The subject of a verb or of the predicate that a copula belongs to."""
    for one in (word, *([h] if (h := document.head(word)) and word.relation in ("aux", "cop") else [])):
        found = document.children(one, "nsubj")
        if found:
            return found[0]
    return None
