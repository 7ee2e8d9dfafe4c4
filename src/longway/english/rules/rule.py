"""Rewriting rules: what a rule receives and returns, and how rephrasings are combined into texts.

    Scene                                  a parsed text with its context and label information
    Rephrasing                              one way to rephrase it: the changes, and the rule that made them
    drafts(scene, rephrasings, order=...)   texts made of one to three compatible rephrasings, best first
    choose(drafts, n)                      n of them, made by different rules

A rule yields nothing if it is not sure: no rephrasing is better than a bad sentence.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from itertools import combinations

from longway.english.articles import article_before
from longway.english.document import Change, Document, apply_changes
from longway.task import Stance


@dataclass(frozen=True, slots=True)
class Scene:
    """A parsed text, and what a rule may know about it.

    context: the evidence or premise; never changed. stance: the relation of the context to the text; None for single
    texts and unknown labels. avoid: lower-case words and phrases that predict the label.
    """

    document: Document
    context: str | None = None
    stance: Stance | None = None
    avoid: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Rephrasing:
    """One way to rephrase a text.

    rule: "family.case", for example "negation.fail_to". changes: non-overlapping changes to the original text. keeps:
    "meaning", or "label" if the new text says something else with the same label (another false claim).
    """

    rule: str
    changes: tuple[Change, ...]
    keeps: str = "meaning"

    @classmethod
    def of(cls, rule: str, *changes: Change) -> Rephrasing:
        """Return a rephrasing that keeps the meaning."""
        return cls(rule, changes)

    def apply(self, document: Document) -> str:
        """Return the document's text with the changes applied."""
        return apply_changes(document.text, self.changes)


Rephrasings = Iterator[Rephrasing]
Rule = Callable[[Scene], Rephrasings]


MAX_PARTS = 3  # rephrasings per text
MAX_COMBINED = 10  # single rephrasings that are combined
# Families that rebuild a clause. Two of them are never combined: one could change what the other relies on.
REBUILDING = frozenset("negation restrictors contrast passive fronting there nominal aspect".split())
_FLAW = re.compile(
    r"  | [,.;:!?](?!\.)|\b(?:the|a|an) (?:the|a|an)\b|,,|,\.|\w\.\.(?!\.)|\b(\w+) \1\b", re.IGNORECASE
)
_ARTICLE = re.compile(r"\b(an?) (\S+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class RuleDraft:
    """A text made by some rephrasings. n_removed: how many of the words to avoid it no longer contains."""

    text: str
    parts: tuple[Rephrasing, ...]
    n_removed: int

    @property
    def rules(self) -> tuple[str, ...]:
        """The names of the rules that made it."""
        return tuple(part.rule for part in self.parts)

    @property
    def keeps(self) -> str:
        """ "label" if one of its rephrasings keeps only the label, else "meaning"."""
        return "label" if any(part.keeps == "label" for part in self.parts) else "meaning"


def family(rule: str) -> str:
    """Return the family of a rule: "negation" for "negation.fail_to"."""
    return rule.partition(".")[0]


def drafts(scene: Scene, rephrasings: Iterable[Rephrasing], *, order: str = "") -> list[RuleDraft]:
    """Return all distinct texts made of one to three rephrasings, best first. order: a seed that decides among equals."""
    singles = list(_unique_drafts(scene, ((rephrasing,) for rephrasing in rephrasings), set()))
    singles.sort(key=lambda draft: _rank(draft, order))
    best = [draft.parts[0] for draft in choose(singles, MAX_COMBINED)]
    joined = [
        parts
        for size in range(2, MAX_PARTS + 1)
        for parts in combinations(best, size)
        if all(are_compatible(rephrasing, other) for rephrasing, other in combinations(parts, 2))
    ]
    combined = list(_unique_drafts(scene, joined, {draft.text for draft in singles}))
    return sorted([*singles, *combined], key=lambda draft: _rank(draft, order))


def choose(candidates: Sequence[RuleDraft], n: int) -> list[RuleDraft]:
    """Return up to n drafts: those that remove most first, and among equals each set of rules in turn."""
    seen: Counter[tuple[str, ...]] = Counter()
    ranked = []
    for position, draft in enumerate(candidates):
        kind = tuple(sorted(draft.rules))
        ranked.append((-draft.n_removed, seen[kind], position))
        seen[kind] += 1
    return [candidates[position] for *_, position in sorted(ranked)[:n]]


def are_compatible(first: Rephrasing, second: Rephrasing) -> bool:
    """Return True if two rephrasings touch different places and do not both rebuild a clause."""
    if first.rule == second.rule or {family(first.rule), family(second.rule)} <= REBUILDING:
        return False
    return all(a.end < b.start or b.end < a.start for a in first.changes for b in second.changes)


def has_flaw(before: str, after: str) -> bool:
    """Return True if a text has an odd space, a doubled word or a wrong article that was not there before."""
    flaws_after, flaws_before = (
        Counter(match[0].lower() for match in _FLAW.finditer(text)) for text in (after, before)
    )
    if flaws_after - flaws_before:
        return True
    known = set(_ARTICLE.findall(before))
    return any(
        article.lower() != article_before(word) for article, word in set(_ARTICLE.findall(after)) - known
    )


def _unique_drafts(
    scene: Scene, combinations: Iterable[tuple[Rephrasing, ...]], seen: set[str]
) -> Iterator[RuleDraft]:
    before = scene.document.text
    seen = seen | {before}
    telling = [pattern for pattern in map(_pattern, sorted(scene.avoid)) if pattern.search(before.lower())]
    for parts in combinations:
        text = apply_changes(before, (change for part in parts for change in part.changes))
        if text not in seen and not has_flaw(before, text):
            seen.add(text)
            yield RuleDraft(text, parts, sum(not pattern.search(text.lower()) for pattern in telling))


@lru_cache(maxsize=4096)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w){re.escape(words)}(?!\w)")


def _rank(draft: RuleDraft, order: str) -> tuple[int, bytes]:
    # Among drafts that remove equally many words, the seed decides.
    noise = blake2b(f"{order}\0{draft.text}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return -draft.n_removed, noise
