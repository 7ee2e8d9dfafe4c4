"""Does the new text look like a text of its own: no copy, no piece of the prompt, whole, of a like length and language?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from longway.records import Verdict
from longway.verify.check import Candidate
from longway.verify.words import FUNCTION_WORDS, stem, words

_PREAMBLE = re.compile(
    r"^\W*(sure\b[,!:]|certainly\b[,!:]|of course[,!]|here(?:'s| is| are)\b.{0,60}:|okay\b[,!:]|ok[,:]|as an ai\b|i'm sorry\b|"
    r"i am sorry\b|i apologi[sz]e|i cannot\b|(?:the )?(?:rewritten|revised|paraphrased|new)\b.{0,40}:|answer:|text:|output:|note:|"
    r"label:|claim:|hypothesis:|premise:|evidence:|context:|sentence:)",
    re.IGNORECASE,
)
_MARKUP = re.compile(
    r"<\||\|>|```|</?[a-z_]+>|\[/?inst\]|\{\s*\"|\"\s*\}|^\s*[-*#>]+\s|\\n|\blabel\s*[:=]|\bas an ai\b",
    re.IGNORECASE,
)
_TALK = (
    "rewrite",
    "rewritten",
    "rewriting",
    "paraphrase",
    "paraphrased",
    "reworded",
    "instruction",
    "prompt",
)
_PAIRED = (("(", ")"), ("[", "]"), ("{", "}"), ("“", "”"))
# Small words of other languages that are no English ones and seldom stand in names.
_NOT_ENGLISH = re.compile(
    r"(?<!\w)(?:und|nicht|ist|eine|einen|sich|wurde|une|pas|avec|dans|sont|était|que|una|pero|muy|está|fue|che|sono|della|"
    r"het|een|niet|zijn|och|inte|não|uma|jest|się)(?!\w)"
)
# English function words that are words of other languages too: they do not tell that a text is English.
_SHARED = frozenset(
    "a all also am an as at by can do even for had has have he her i in is me most my of on one over s same so still to under "
    "was we will".split()
)
# The others do, and so do some frequent words.
_TELLING = (FUNCTION_WORDS - _SHARED) | frozenset(
    "not never nothing without why how only out up down off again around near next like together always often sometimes quite enough "
    "other another several himself herself two three four five first new old young little great good best worst nice small large "
    "people person woman women girl girls boy boys child children kids guy guys friend friends couple dog dogs bird time day year "
    "years life world house street town school car bike water food place work game movie movies story book books song thing things "
    "player writer actress singer born died makes take takes gets got went comes came says said sees saw know knows think wants "
    "needs likes looks play plays runs walk walks stands sits holds wears eats watch watches ride rides drives works won wrote "
    "written left well known became gives please".split()
)
# Pairs too: languages that have one of these words do not have the other.
_TELLING_PAIR = re.compile(r"(?<!\w)(?:(?:as|at|by|for|had|has|have|in|is|of|was) a|(?:has|is|of) an)(?!\w)")
_ENGLISH_ENDING = re.compile(r"[a-z]{2,}(?:ing|ly|ness|less|ful)|[a-z]{3,}ed|[a-z]+'(?:s|t|re|ve|ll|d|m)")
_BORROWED = frozenset(
    "blasé brûlée café cafés cliché clichéd clichés crème crêpe crêpes déjà décor entrée exposé façade fiancé fiancée jalapeño "
    "naïve née piñata protégé résumé señor soufflé touché".split()
)
_DOUBLED_FINE = frozenset("that had very so really bye no ha many far long".split())
# So many new words, and such a share of a text, are taken for another language where no word is surely English.
_MANY, _SHARE = 3, 0.5


class Surface:
    """The check of a text's shape.

    labels: their names must not enter a text; shortest, longest: words, as a share of the original's (and some more).
    """

    name = "surface"

    def __init__(
        self, labels: Sequence[str] = (), *, shortest: float = 0.5, longest: float = 1.8, more: int = 4
    ) -> None:
        self.labels = tuple(label.lower() for label in labels if len(label) > 2)
        self.shortest, self.longest, self.more = shortest, longest, more

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; the reason names the first fault found."""
        return [
            Verdict(self.name, not reason, reason=reason)
            for reason in (
                self.fault(c.before, c.after, keeps=c.keeps, may_copy=c.may_copy, context=c.context or "")
                for c in candidates
            )
        ]

    def fault(
        self, before: str, after: str, *, keeps: str = "meaning", may_copy: bool = False, context: str = ""
    ) -> str:
        """What is wrong with the new text, "" where nothing is. context: names and foreign words may come from it."""
        old, new = words(before), words(after)
        if not new or not any(c.isalpha() for c in after):
            return "no text"
        if old == new:
            return "" if may_copy else "a copy"
        # What keeps only its label may leave things out.
        shortest = self.shortest if keeps == "meaning" else 0.5 * self.shortest
        if not shortest * len(old) <= len(new) <= self.longest * len(old) + self.more:
            return f"{len(new)} words instead of {len(old)}"
        for test in (_control, _leaked, _unbalanced):
            if reason := test(before, after):
                return reason
        if reason := _foreign(before, after, context):
            return reason
        for test in (_doubled, _unfinished):
            if reason := test(before, after):
                return reason
        return self._label(before, after)

    def _label(self, before: str, after: str) -> str:
        for label in self.labels:
            pattern = rf"(?<!\w){re.escape(label)}(?!\w)"
            if re.search(pattern, after.lower()) and not re.search(pattern, before.lower()):
                return f"the label's name {label!r} came in"
        return ""


def _control(before: str, after: str) -> str:
    if "\n" in after.strip() and "\n" not in before.strip():
        return "several paragraphs"
    if any(unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs") and c not in before for c in after):
        return "control characters"
    return ""


def _leaked(before: str, after: str) -> str:
    for pattern in (_PREAMBLE, _MARKUP):
        found = pattern.search(after)
        if found and not pattern.search(before):
            return f"prompt text: {found.group().strip()!r}"
    old, new = set(words(before)), set(words(after))
    talk = [word for word in _TALK if word in new - old]
    return f"prompt text: {talk[0]!r}" if talk else ""


def _unbalanced(before: str, after: str) -> str:
    def odd(text: str) -> set[str]:
        found = {first + last for first, last in _PAIRED if text.count(first) != text.count(last)}
        return found | ({'"'} if text.count('"') % 2 else set())

    new = odd(after) - odd(before)
    return f"unbalanced {' '.join(sorted(new))}" if new else ""


def _foreign(before: str, after: str, context: str) -> str:
    """A letter from another script, an unlikely word, or words of another language, that original and context have not."""
    given = f"{before} {context}"
    for c in after:
        if c.isalpha() and ord(c) > 0x24F and c not in given:
            return f"a letter that is not Latin: {c!r}"
    old = set(words(given))
    for word in words(after):
        if len(word) > 30 and word not in old:
            return "not a word"
    other = sorted(set(_NOT_ENGLISH.findall(after)) - old)
    if len(other) > 1:
        return f"another language: {other[0]!r}, {other[1]!r}"
    unknown = [] if _is_english(after) or not _is_english(before) else _unknown(old, after)
    return f"another language: {', '.join(map(repr, unknown[:3]))}" if unknown else ""


def _is_english(text: str) -> bool:
    """Whether any word shows that it is: a frequent word that only English has, or an English ending."""
    found = words(text)
    return (
        any(word in _TELLING or _ENGLISH_ENDING.fullmatch(word) for word in found)
        or _TELLING_PAIR.search(" ".join(found)) is not None
    )


def _unknown(old: set[str], after: str) -> list[str]:
    """The new words of a text that no word shows to be English, where they are many or have foreign letters; else none."""
    known, stems, new = FUNCTION_WORDS | _BORROWED, {stem(word) for word in old}, words(after)
    unknown = [word for word in new if word not in known and stem(word) not in stems]
    marked = [word for word in unknown if not word.isascii()]
    is_many = len(unknown) >= _MANY and len(unknown) > _SHARE * len(new)
    return unknown if is_many or (marked and len(unknown) > 1) else []


def _doubled(before: str, after: str) -> str:
    def pairs(text: str) -> set[str]:
        found = words(text)
        return {one for one, two in pairwise(found) if one == two and not one[0].isdigit()}

    new = pairs(after) - pairs(before) - _DOUBLED_FINE
    return f"a word twice: {min(new)!r}" if new else ""


def _unfinished(before: str, after: str) -> str:
    if before[:1].isupper() and after[:1].islower():
        return "starts in lower case"
    if before.rstrip()[-1:] in ".!?" and after.rstrip()[-1:] in ",;:-–—" + "(":
        return "breaks off"
    return ""
