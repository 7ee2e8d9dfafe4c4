"""What people decided in the review of a run, for the next rewrite of the same data.

    findings marked as real signal   ->  no shortcut to any method, and no text loses them
    findings marked as shortcut      ->  texts that have them are taken up first, where the method looks at single words
    edits that were rejected         ->  not proposed again: the same text for the same row

`review/decided.py` reads them from a run folder; `Heeding` holds what engines write against them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from longway.detect import TokenizedRow, where
from longway.detect.position import FIRST, LAST
from longway.engines.engine import Written
from longway.english.negation_words import NEGATIONS
from longway.methods.leak_aware import Feature, feature
from longway.methods.method import Objection, RewriteRequest, Write
from longway.records import Pattern

REJECTED = "a person rejected this text before"
LOSES_SIGNAL = "it would lose what a person called real signal"
_WHOLE = (
    "length",
    "negation",
)  # levels about a text as a whole that a choice by the leak can leave out of account


@dataclass(frozen=True, slots=True)
class Marked:
    """A finding that a person decided on."""

    pattern: Pattern
    label: str

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain JSON values."""
        return {**self.pattern.to_dict(), "label": self.label}

    @classmethod
    def from_dict(cls, row: Mapping[str, Any]) -> Marked:
        """The finding of a JSON object that `to_dict` wrote."""
        return cls(Pattern.from_dict(row), str(row.get("label", "")))


@dataclass(frozen=True, slots=True)
class Decided:
    """All that was decided on one run.

    source: the run's name. rejected: `fingerprint` of every rejected edit.
    """

    source: str
    signal: tuple[Marked, ...] = ()
    shortcuts: tuple[Marked, ...] = ()
    rejected: frozenset[str] = field(default_factory=frozenset)

    def told(self) -> dict[str, Any]:
        """The decisions in short, as the settings of a run hold them: other decisions make another run."""
        found = blake2b(digest_size=16)
        for one in sorted(self.rejected):
            found.update(one.encode())
        return {
            "source": self.source,
            "signal": [one.to_dict() for one in self.signal],
            "shortcuts": [one.to_dict() for one in self.shortcuts],
            "rejected": len(self.rejected),
            "rejected_fingerprint": found.hexdigest(),
        }

    @classmethod
    def from_told(cls, told: Mapping[str, Any]) -> Decided:
        """The marks that the settings of a run tell of; which texts were rejected is not among them."""
        signal, shortcuts = (tuple(map(Marked.from_dict, told[name])) for name in ("signal", "shortcuts"))
        return cls(told["source"], signal, shortcuts)


@dataclass(frozen=True, slots=True)
class Heeded:
    """Decisions as a method can use them.

    signal: must stay where they stand. shortcuts: aimed at first. whole: levels of `_WHOLE` that count as real signal.
    left_out: what could not be taken over, and why.
    """

    decided: Decided
    signal: tuple[Pattern, ...]
    shortcuts: tuple[Pattern, ...]
    whole: frozenset[str]
    left_out: tuple[tuple[Marked, str], ...]

    @classmethod
    def of(cls, decided: Decided, *, text: str, aims: bool) -> Heeded:
        """text: the column that is rewritten. aims: whether the method can begin with given patterns."""
        left_out: list[tuple[Marked, str]] = []
        whole = frozenset(
            one.pattern.level for one in decided.signal if aims and one.pattern.field == text
        ) & set(_WHOLE)
        signal = _phrases(decided.signal, text, left_out, whole)
        shortcuts: list[Pattern] = []
        if aims:
            shortcuts = [one for one in _phrases(decided.shortcuts, text, left_out) if one not in signal]
        else:
            why = "this method looks at no single words; it aims with --choose leak"
            left_out += [(one, why) for one in decided.shortcuts]
        return cls(decided, tuple(signal), tuple(shortcuts), whole, tuple(left_out))

    @property
    def keep(self) -> tuple[str, ...]:
        """The words of the real signal, as `--keep` takes them."""
        denials = sorted(NEGATIONS) if "negation" in self.whole else []
        return tuple(dict.fromkeys([*(" ".join(one.words) for one in self.signal), *denials]))

    @property
    def names(self) -> tuple[str, ...]:
        """The findings that are left alone, as they are called."""
        out = {one for one, _ in self.left_out}
        return tuple(one.pattern.name for one in self.decided.signal if one not in out)

    def objection(self, field: str, *, keeps_signal: bool = True) -> Objection:
        """What says why a text must not be proposed for a row's column; keeps_signal: whether it must have the row's real signal."""
        signal = self.signal if keeps_signal else ()

        def object_to(id: str, before: str, after: str) -> str:
            if fingerprint(id, field, after) in self.decided.rejected:
                return REJECTED
            had = [
                pattern for pattern in signal if where(pattern, _tokenized(pattern.field, before)) is not None
            ]
            loses = any(where(pattern, _tokenized(pattern.field, after)) is None for pattern in had)
            return LOSES_SIGNAL if loses else ""

        return object_to

    def to_dict(self) -> dict[str, Any]:
        """What was taken over, as rewrite.json holds it."""
        out = {one for one, _ in self.left_out}
        return {
            "source": self.decided.source,
            "signal": list(self.names),
            "shortcuts": [one.pattern.name for one in self.decided.shortcuts if one not in out],
            "rejected": len(self.decided.rejected),
            "left_out": [{**one.to_dict(), "why": why} for one, why in self.left_out],
        }


class Heeding:
    """A writer whose texts are held against what people decided; what speaks against one is told like an engine's refusal."""

    def __init__(self, write: Write, ids: Sequence[str], objection: Objection) -> None:
        self.write, self.ids, self.objection = write, ids, objection

    @property
    def name(self) -> str:
        """The engine, as people call it."""
        return self.write.name

    def __call__(self, requests: Sequence[RewriteRequest]) -> Iterator[Written]:
        """What was written for each row, in order, less what must not be proposed."""
        for one, written in zip(
            requests, self.write(requests), strict=False
        ):  # ends early where the budget does
            yield self._held(one, written)

    def _held(self, one: RewriteRequest, written: Written) -> Written:
        whys = [self.objection(self.ids[one.row], one.text, text) for text in written.texts]
        fine = [i for i, why in enumerate(whys) if not why]
        return Written(
            tuple(written.texts[i] for i in fine),
            (*written.refusals, *(why for why in whys if why)),
            tuple(written.how[i] for i in fine) if written.how else (),
            written.usage,
        )


def fingerprint(id: str, field: str, after: str) -> str:
    """What tells a proposal apart: the row, the column and the text proposed for it.

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
    marked: Iterable[Marked],
    text: str,
    left_out: list[tuple[Marked, str]],
    otherwise: frozenset[str] = frozenset(),
) -> list[Pattern]:
    """The findings that are words of the text; all others go to `left_out`.

    otherwise: levels that are heeded in another way.
    """
    found: list[Pattern] = []
    for one in marked:
        if one.pattern.field != text:
            left_out.append((one, f"it is about {one.pattern.field}, and only {text} is rewritten"))
        elif (phrase := phrase_of(one.pattern)) is not None:
            found.append(phrase)
        elif one.pattern.level not in otherwise:
            left_out.append((one, "it is no word or phrase of the text"))
    return list(dict.fromkeys(found))


def phrase_of(pattern: Pattern) -> Pattern | None:
    """A pattern that a rewrite can keep or aim at: words anywhere in a text, or first or last. None for all others.

    A quarter of a text moves with every edit, so a word in it counts wherever it is.
    """
    if pattern.level == "position" and pattern.place not in (FIRST, LAST):
        pattern = replace(pattern, place="")
    if not pattern.words or pattern.level not in ("token", "ngram", "position"):
        return None
    return pattern if pattern.place else replace(pattern, level="ngram")


@lru_cache(maxsize=4096)
def _tokenized(field: str, text: str) -> TokenizedRow:
    """The tokens of a text; the text before comes again with each candidate."""
    return TokenizedRow({field: text})
