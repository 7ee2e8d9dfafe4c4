"""The decisions of a review, as a rewrite of the same data applies them.

    findings marked as real signal   no method counts them as shortcuts, and no text loses them
    findings marked as shortcuts     texts with them are rewritten first, if the method looks at single words
    rejected edits                   the same text is not proposed for the same row again

`review/export.py` reads them from a run folder.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b

from longway.detect.levels import TokenizedRow, where
from longway.detect.words import FIRST, LAST
from longway.english.words import NEGATIONS
from longway.jobs.rewrite.settings import Decisions, MarkedFinding
from longway.methods.leak_aware import Feature, feature
from longway.methods.method import Objection
from longway.records import Pattern
from longway.text.tokenizer import PLAIN, Tokenizer

REJECTED = "a person rejected this text before"
LOSES_SIGNAL = "it would lose what a person called real signal"
_WHOLE_TEXT = ("length", "negation")  # levels about a text as a whole that the choice by leak can ignore


@dataclass(frozen=True, slots=True)
class DecisionSummary:
    """Which decisions a rewrite applied, as rewrite.json has them. signal, shortcuts: names of patterns. rejected: number of texts."""

    source: str
    signal: tuple[str, ...]
    shortcuts: tuple[str, ...]
    rejected: int
    left_out: tuple[MarkedFinding, ...]


@dataclass(frozen=True, slots=True)
class AppliedDecisions:
    """Decisions as a method can use them.

    signal: patterns that every text must keep. shortcuts: patterns to remove first. whole_text: levels of `_WHOLE_TEXT` that are signal.
    """

    decisions: Decisions
    signal: tuple[Pattern, ...]
    shortcuts: tuple[Pattern, ...]
    whole_text: frozenset[str]
    left_out: tuple[MarkedFinding, ...]
    tokenizer: Tokenizer = PLAIN

    @classmethod
    def of(
        cls, decisions: Decisions, *, text: str, aims: bool, tokenizer: Tokenizer = PLAIN
    ) -> AppliedDecisions:
        """Apply decisions. text: the column that is rewritten. aims: whether the method can begin with given patterns."""
        left_out: list[MarkedFinding] = []
        marked = {one.pattern.level for one in decisions.signal if aims and one.pattern.field == text}
        whole_text = frozenset(marked) & set(_WHOLE_TEXT)
        signal = _phrases(decisions.signal, text, left_out, whole_text)
        shortcuts: list[Pattern] = []
        if aims:
            shortcuts = [one for one in _phrases(decisions.shortcuts, text, left_out) if one not in signal]
        else:
            why = "this method looks at no single words; it aims without --paper and --choose gamma"
            left_out += [replace(one, why=why) for one in decisions.shortcuts]
        return cls(decisions, tuple(signal), tuple(shortcuts), whole_text, tuple(left_out), tokenizer)

    @property
    def keep(self) -> tuple[str, ...]:
        """The words of the real signal, as `--keep` takes them."""
        negations = sorted(NEGATIONS) if "negation" in self.whole_text else []
        return tuple(dict.fromkeys([*(" ".join(one.words) for one in self.signal), *negations]))

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the findings that are left alone."""
        return self._used(self.decisions.signal)

    def _used(self, marked: Iterable[MarkedFinding]) -> tuple[str, ...]:
        out = {(one.pattern, one.label) for one in self.left_out}
        return tuple(one.pattern.name for one in marked if (one.pattern, one.label) not in out)

    def objection(self, field: str, *, keeps_signal: bool = True) -> Objection:
        """A function that says why a text may not be proposed for a row. keeps_signal: whether it must keep the row's real signal."""
        signal = self.signal if keeps_signal else ()

        def object_to(id: str, before: str, after: str) -> str:
            if fingerprint(id, field, after) in self.decisions.rejected:
                return REJECTED
            shown = [
                one for one in signal if where(one, _tokenized(one.field, before, self.tokenizer)) is not None
            ]
            loses = any(where(one, _tokenized(one.field, after, self.tokenizer)) is None for one in shown)
            return LOSES_SIGNAL if loses else ""

        return object_to

    def summary(self) -> DecisionSummary:
        """What was applied, for the result."""
        given = self.decisions
        n_rejected = len(given.rejected)
        return DecisionSummary(
            given.source, self.names, self._used(given.shortcuts), n_rejected, self.left_out
        )


def fingerprint(id: str, field: str, after: str) -> str:
    """The fingerprint of a proposal: the row, the column and the proposed text.

    >>> fingerprint("17", "review", "A fine film.") == fingerprint("17", "review", "A fine film")
    False
    """
    parts = "\0".join(part.replace("\0", "\\0") for part in (id, field, after))
    return blake2b(parts.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def feature_of(pattern: Pattern) -> Feature:
    """A pattern of words as `GiveAway` counts it."""
    return feature(" ".join(pattern.words), first=pattern.place == FIRST, last=pattern.place == LAST)


def features_of(pattern: Pattern) -> tuple[Feature, ...]:
    """A pattern of words as `GiveAway` counts it: a long one by its sequences of three words."""
    whole = feature_of(pattern)
    return tuple(whole[i : i + 3] for i in range(max(1, len(whole) - 2)))


def _phrases(
    marked: Iterable[MarkedFinding],
    text: str,
    left_out: list[MarkedFinding],
    otherwise: frozenset[str] = frozenset(),
) -> list[Pattern]:
    """The findings that are words of the text; all others go to `left_out`. otherwise: levels that are applied in another way."""
    found: list[Pattern] = []
    for one in marked:
        why = ""
        if one.pattern.field != text:
            why = f"it is about {one.pattern.field}, and only {text} is rewritten"
        elif (phrase := phrase_of(one.pattern)) is not None:
            found.append(phrase)
        elif one.pattern.level not in otherwise:
            why = "it is no word or phrase of the text"
        if why:
            left_out.append(replace(one, why=why))
    return list(dict.fromkeys(found))


def phrase_of(pattern: Pattern) -> Pattern | None:
    """A pattern that a rewrite can keep or remove: words anywhere in a text, or first or last. None for all others.

    A quarter of a text moves with every edit, so a word in it counts wherever it is.
    """
    if pattern.level == "position" and pattern.place not in (FIRST, LAST):
        pattern = replace(pattern, place="")
    if not pattern.words or pattern.level not in ("token", "ngram", "position"):
        return None
    return pattern if pattern.place else replace(pattern, level="ngram")


@lru_cache(maxsize=4096)
def _tokenized(field: str, text: str, tokenizer: Tokenizer) -> TokenizedRow:
    """The tokens of a text; the text before occurs again with each candidate."""
    return TokenizedRow({field: text}, tokenizer)
