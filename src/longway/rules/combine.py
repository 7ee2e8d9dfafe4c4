"""Texts out of rewritings: which of them go together, which texts are worth offering, and in what order.

    drafts(scene, rewritings, order=...)   texts by one, two or three rewritings that do not get into each other's way
    choose(drafts, n)                      n of them: those that take away the most telling words, of many kinds

`order` is any string; it decides among equals, the same way each time.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations

from longway.rules.rule import Rewriting, Scene
from longway.text.articles import article_before
from longway.text.changes import Change, apply_changes

MOST_PARTS = 3  # rewritings in one text
MOST_COMBINED = 10  # the best single ones, out of which combinations are made
# Families that rebuild a clause: two of them in one text could each rely on what the other takes away.
REBUILDING = frozenset(
    "negation restrictors contrast passive clause_order fronting there list_order nominal aspect".split()
)
_BAD = re.compile(
    r"  | [,.;:!?](?!\.)|\b(?:the|a|an) (?:the|a|an)\b|,,|,\.|\w\.\.(?!\.)|\b(\w+) \1\b", re.IGNORECASE
)
_ARTICLE = re.compile(r"\b(an?) (\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Draft:
    """A text made by some rewritings. telling: how many telling patterns of the original it no longer has."""

    text: str
    parts: tuple[Rewriting, ...]
    telling: int

    @property
    def rules(self) -> tuple[str, ...]:
        """The rules that made it."""
        return tuple(part.rule for part in self.parts)

    @property
    def families(self) -> frozenset[str]:
        """The files that its rules live in."""
        return frozenset(map(family, self.rules))

    @property
    def keeps(self) -> str:
        """ "label" where one of its parts keeps only the label, else "meaning"."""
        return "label" if any(part.keeps == "label" for part in self.parts) else "meaning"


def family(rule: str) -> str:
    """The file of a rule: "negation" for "negation.fail_to"."""
    return rule.partition(".")[0]


def drafts(scene: Scene, rewritings: Iterable[Rewriting], *, order: str = "") -> list[Draft]:
    """All texts by one to three of the rewritings, each once; the best first."""
    singles = list(_made(scene, ((one,) for one in rewritings), set()))
    singles.sort(key=lambda draft: _rank(draft, order))
    best = [draft.parts[0] for draft in spread(singles, MOST_COMBINED)]
    joined = [
        parts
        for size in range(2, MOST_PARTS + 1)
        for parts in combinations(best, size)
        if all(go_together(one, other) for one, other in combinations(parts, 2))
    ]
    combined = list(_made(scene, joined, {draft.text for draft in singles}))
    return sorted([*singles, *combined], key=lambda draft: _rank(draft, order))


def choose(found: Sequence[Draft], n: int) -> list[Draft]:
    """Up to n of the drafts, in their order, but no kind of text twice while there is another."""
    return spread(found, n)


def spread(found: Sequence[Draft], n: int) -> list[Draft]:
    """Up to n drafts: those that take away most first, and among them each set of rules in turn."""
    seen: Counter[tuple[str, ...]] = Counter()
    turns = []
    for place, draft in enumerate(found):
        kind = tuple(sorted(draft.rules))
        turns.append((-draft.telling, seen[kind], place))
        seen[kind] += 1
    return [found[place] for *_, place in sorted(turns)[:n]]


def go_together(one: Rewriting, other: Rewriting) -> bool:
    """True where two rewritings can be made at once: no common place, and not both rebuild a clause."""
    if one.rule == other.rule or {family(one.rule), family(other.rule)} <= REBUILDING:
        return False
    return all(a.end < b.start or b.end < a.start for a in one.changes for b in other.changes)


def has_flaw(before: str, after: str) -> bool:
    """True where a text has an odd space, a doubled word or a wrong article that was not there before."""
    if _count(_BAD, after) - _count(_BAD, before):
        return True
    known = set(_ARTICLE.findall(before))
    return any(
        article.lower() != article_before(word) for article, word in set(_ARTICLE.findall(after)) - known
    )


def _count(pattern: re.Pattern[str], text: str) -> Counter[str]:
    return Counter(found[0].lower() for found in pattern.finditer(text))


def _made(scene: Scene, several: Iterable[tuple[Rewriting, ...]], known: set[str]) -> Iterator[Draft]:
    before = scene.document.text
    known = known | {before}
    for parts in several:
        changes: list[Change] = [change for part in parts for change in part.changes]
        text = apply_changes(before, changes)
        if text not in known and not has_flaw(before, text):
            known.add(text)
            yield Draft(text, parts, _gone(scene.telling, before, text))


def _gone(telling: frozenset[str], before: str, after: str) -> int:
    """How many of the telling patterns the text had before and has no more."""
    old, new = before.lower(), after.lower()
    return sum(
        bool(pattern.search(old)) and not pattern.search(new) for pattern in map(_pattern, sorted(telling))
    )


@lru_cache(maxsize=4096)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")


def _rank(draft: Draft, order: str) -> tuple[int, bytes]:
    # What takes away telling words first; among equals the seed decides.
    noise = blake2b(f"{order}\0{draft.text}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return -draft.telling, noise
