"""Does the new text look like a text of its own: no copy, no piece of the prompt, whole, of a like length and language?"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from longway.records import Verdict
from longway.verify.check import Candidate
from longway.verify.words import words

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
_DOUBLED_FINE = frozenset("that had very so really bye no ha many far long".split())


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
                self.fault(c.before, c.after, keeps=c.keeps, may_copy=c.may_copy) for c in candidates
            )
        ]

    def fault(self, before: str, after: str, *, keeps: str = "meaning", may_copy: bool = False) -> str:
        """What is wrong with the new text, "" where nothing is."""
        old, new = words(before), words(after)
        if not new or not any(c.isalpha() for c in after):
            return "no text"
        if old == new:
            return "" if may_copy else "a copy"
        # What keeps only its label may leave things out.
        shortest = self.shortest if keeps == "meaning" else 0.5 * self.shortest
        if not shortest * len(old) <= len(new) <= self.longest * len(old) + self.more:
            return f"{len(new)} words instead of {len(old)}"
        for test in (_control, _leaked, _unbalanced, _foreign, _doubled, _unfinished):
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


def _foreign(before: str, after: str) -> str:
    """A letter from another script, an unlikely word, or small words of another language, that the original has not."""
    for c in after:
        if c.isalpha() and ord(c) > 0x24F and c not in before:
            return f"a letter that is not Latin: {c!r}"
    old = set(words(before))
    for word in words(after):
        if len(word) > 30 and word not in old:
            return "not a word"
    other = sorted(set(_NOT_ENGLISH.findall(after)) - old)
    return f"another language: {other[0]!r}, {other[1]!r}" if len(other) > 1 else ""


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
