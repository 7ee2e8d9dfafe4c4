"""What a text denies and what it restricts, counted from its words.

    negations("He has yet to win.")       1
    is_restricted("It is nothing but a film.")    True: "nothing but" means "only" and denies nothing
    flips(before, after)                  words that were exchanged for their opposites

Two texts can say the same only if negations and exchanged opposites come out even: "was not alive" and "was dead".
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from longway.errors import LongwayError
from longway.rules.opposites import COMPLEMENTS
from longway.verify.words import words

# Phrases that restrict, or that do neither though they have a negative word in them.
_ONLY_PHRASE = re.compile(
    r"\b(?:and )?(?:nothing|nowhere|no ?one|nobody|none) (?:but|except|other than|else|more)\b|\band no more\b|"
    r"\b(?:and )?at no other time\b|\bno more than\b|\bno other \w+ (?:but|than)\b|\bnot more than\b|\bno longer than\b"
)
_IDLE_PHRASE = re.compile(
    r"\bno (?:fewer|less) than\b|\bnot (?:only|just|merely|solely)\b|\bno doubt\b|\bno matter\b|\bno wonder\b|"
    r"\bwhether or not\b|\bnot to mention\b|\bnone other than\b|\bnothing short of\b|\bif not\b|\bno\. ?\d|\bnever ?mind\b"
)
# "Alone" that restricts nothing: somebody is by himself.
_BY_ONESELF = re.compile(
    r"\b(?<=(?:live|left|home) )alone\b|\b(?<=(?:lives|lived|stand|stood|alone) )alone\b|\b(?<=living )alone\b"
)
# Several words that deny once.
_ONE_DENIAL = re.compile(
    r"\banything but\b|\bfar from\b|\bby no means\b|\bin no way\b|\bat no (?:time|point)\b|\bnot (?:at all|once|ever|even once)\b|"
    r"\bnot (?:a|one) single\b|\bnot one\b|\byet to\b|\bno longer\b|\b(?:turn|turns|turned) down\b|\bfree (?:of|from)\b|\bleft out\b|"
    r"\bmiss(?:es|ed)? out on\b|\bnever once\b|\bnever ever\b|\bdevoid of\b"
)
_NEITHER = re.compile(r"\bneither\b(.{0,80}?)\bnor\b")
DENIALS = frozenset(
    "not no never none nobody nothing nowhere neither nor cannot without hardly scarcely barely rarely seldom infrequently zero "
    "fail fails failed failing failure refuse refuses refused refusing refusal decline declines declined declining "
    "neglect neglects neglected unable inability incapable incapacity unwilling impossible unlikely lack lacks lacked lacking "
    "absence absent avoid avoids avoided avoiding refrain refrains refrained refraining abstain abstains abstained abstaining "
    "deny denies denied denying reject rejects rejected rejecting prevent prevents prevented preventing false untrue myth "
    "unrelated unconnected exclude excludes excluded excluding omit omits omitted omitting isnt wasnt dont doesnt didnt wont "
    "cant arent werent hasnt havent couldnt wouldnt shouldnt nt outside beyond instead".split()
)
_STRONG = frozenset("only solely exclusively merely sole alone lone <only>".split())
_WEAK = frozenset("just simply purely wholly entirely completely nothing".split()) | _STRONG
_PREFIXES = ("un", "in", "im", "ir", "il", "dis", "non", "non-", "mis")


def plain(text: str) -> str:
    """The text in lower case with phrases that restrict or deny as a whole put as one sign each."""
    text = text.lower().replace("’", "'")
    text = re.sub(r"\bcan't\b|\bcan not\b", "cannot", text)
    text = _BY_ONESELF.sub(" ", text)
    text = _IDLE_PHRASE.sub(" ", _ONLY_PHRASE.sub(" <only> ", text))
    return _NEITHER.sub(r" not \1 ", _ONE_DENIAL.sub(" not ", text))


def negations(text: str) -> int:
    """How often a text denies something.

    >>> negations("She did not win."), negations("She failed to win."), negations("She is nothing but a poet.")
    (1, 1, 0)
    """
    return sum(word in DENIALS or word.endswith("n't") for word in words(plain(text)))


def is_restricted(text: str, *, weakly: bool = False) -> bool:
    """Whether a text says "only" in one way or another; weakly: "just" and "entirely" count as well."""
    simple = plain(text)
    found = set(words(simple)) | ({"<only>"} if "<only>" in simple else set())
    return bool(found & (_WEAK if weakly else _STRONG))


def flips(before: str, after: str) -> list[tuple[str, str]]:
    """Pairs of a word that went and its opposite that came."""
    old, new = (Counter(w for w in words(plain(t)) if w not in DENIALS) for t in (before, after))
    gone, come = list((old - new).elements()), list((new - old).elements())
    found = []
    for word in gone:
        other = next((w for w in come if are_opposites(word, w)), None)
        if other is not None:
            come.remove(other)
            found.append((word, other))
    return found


def are_opposites(one: str, other: str) -> bool:
    """Whether one word is the other's opposite: by its prefix or ending, our list, or WordNet where it is installed.

    >>> are_opposites("happy", "unhappy"), are_opposites("dead", "alive"), are_opposites("film", "movie")
    (True, True, False)
    """
    if COMPLEMENTS.get(one) == other:
        return True
    for short, long in ((one, other), (other, one)):
        if len(short) > 3 and any(long == prefix + short for prefix in _PREFIXES):
            return True
    if {one[-4:], other[-4:]} & {"less"} and one.removesuffix("less") == other.removesuffix("ful"):
        return True
    if {one[-4:], other[-4:]} & {"less"} and other.removesuffix("less") == one.removesuffix("ful"):
        return True
    return other in _antonyms(one) or one in _antonyms(other)


@cache
def _antonyms(word: str) -> frozenset[str]:
    """WordNet's opposites of a word, in every form that the word could be one of."""
    try:
        from longway.text.inflect import forms, lemmas
        from longway.text.related import related

        found: set[str] = set()
        for upos, tags in _TAGS.items():
            for lemma in lemmas(word, upos) or (word,):
                for candidate in related(lemma, upos, "antonym"):
                    found.add(candidate.lemma)
                    found.update(form for tag in tags for form in forms(candidate.lemma, tag))
        return frozenset(found)
    except LongwayError:  # the optional packages are not there: prefixes and our own list must do
        return frozenset()


_TAGS = {
    "ADJ": ("JJR", "JJS"),
    "ADV": (),
    "NOUN": ("NNS",),
    "VERB": ("VBD", "VBG", "VBN", "VBZ"),
}
