"""What people decided in the review of a run, for the next rewrite of the same data.

    findings marked as real signal   ->  no shortcut to any method, and no text loses them
    findings marked as shortcut      ->  texts that have them are taken up first, where the method looks at single words
    edits that were rejected         ->  not proposed again: the same text for the same row

`review/decided.py` reads them from a run folder; `Heeding` holds what engines write against them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from hashlib import blake2b
from typing import Any, Literal

from longway.llm.engine import Written
from longway.rewrite.leak_aware import Feature, feature
from longway.rewrite.method import Asked, Objection, Write
from longway.text.negations import NEGATIONS
from longway.text.real_signal import stands_inside
from longway.text.tokens import is_word, tokenize

REJECTED = "a person rejected this text before"
LOSES_SIGNAL = "it would lose what a person called real signal"
_PLACES = {
    "first word: ": "first",
    "last word: ": "last",
    "in the first quarter: ": "",
    "in the last quarter: ": "",
}
_WHOLE = (
    "length",
    "negation",
)  # levels about a text as a whole that a choice by the leak can leave out of account
_CUT = "…"  # at the end of a pattern that was too long to be told in full


@dataclass(frozen=True, slots=True)
class Marked:
    """A finding that somebody decided on: what tells it apart from others."""

    level: str
    pattern: str
    field: str
    label: str


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words of a text, in order. place: "first" or "last" where they must be the text's first or last; "" for anywhere."""

    words: tuple[str, ...]
    place: Literal["", "first", "last"] = ""

    def stands_in(self, tokens: Sequence[str]) -> bool:
        """Whether a text of these tokens has the phrase; marks are passed over at its start and end, as an audit does."""
        if not self.place:
            return len(self.words) <= len(tokens) and stands_inside(self.words, tokens)
        said = [token for token in tokens if is_word(token)]
        n = len(self.words)
        return tuple(said[:n] if self.place == "first" else said[-n:]) == self.words

    @property
    def features(self) -> tuple[Feature, ...]:
        """The phrase as `GiveAway` counts it: a longer one by the triples of words it is made of."""
        whole = feature(" ".join(self.words), first=self.place == "first", last=self.place == "last")
        return tuple(whole[i : i + 3] for i in range(max(1, len(whole) - 2)))


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
            "signal": [asdict(one) for one in self.signal],
            "shortcuts": [asdict(one) for one in self.shortcuts],
            "rejected": len(self.rejected),
            "rejected_fingerprint": found.hexdigest(),
        }

    @classmethod
    def from_told(cls, told: Mapping[str, Any]) -> Decided:
        """The marks that the settings of a run tell of; which texts were rejected is not among them."""
        signal, shortcuts = (tuple(Marked(**one) for one in told[name]) for name in ("signal", "shortcuts"))
        return cls(told["source"], signal, shortcuts)


@dataclass(frozen=True, slots=True)
class Heeded:
    """Decisions as a method can use them.

    signal: must stay where they stand. shortcuts: aimed at first. whole: levels of `_WHOLE` that count as real signal.
    left_out: what could not be taken over, and why.
    """

    decided: Decided
    signal: tuple[Phrase, ...]
    shortcuts: tuple[Phrase, ...]
    whole: frozenset[str]
    left_out: tuple[tuple[Marked, str], ...]

    @classmethod
    def of(cls, decided: Decided, *, text: str, aims: bool) -> Heeded:
        """text: the column that is rewritten. aims: whether the method can begin with given patterns."""
        left_out: list[tuple[Marked, str]] = []
        whole = frozenset(one.level for one in decided.signal if aims and one.field == text) & set(_WHOLE)
        signal = _phrases(decided.signal, text, left_out, whole)
        shortcuts: list[Phrase] = []
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
        return tuple(one.pattern for one in self.decided.signal if one not in out)

    def objection(self, field: str, *, keeps_signal: bool = True) -> Objection:
        """What says why a text must not be proposed for a row's column; keeps_signal: whether it must have the row's real signal."""
        signal = self.signal if keeps_signal else ()

        def object_to(id: str, before: str, after: str) -> str:
            if fingerprint(id, field, after) in self.decided.rejected:
                return REJECTED
            had = [one for one in signal if one.stands_in(_tokens(before))]
            loses = any(not one.stands_in(_tokens(after)) for one in had)
            return LOSES_SIGNAL if loses else ""

        return object_to

    def to_dict(self) -> dict[str, Any]:
        """What was taken over, as rewrite.json holds it."""
        out = {one for one, _ in self.left_out}
        return {
            "source": self.decided.source,
            "signal": list(self.names),
            "shortcuts": [one.pattern for one in self.decided.shortcuts if one not in out],
            "rejected": len(self.decided.rejected),
            "left_out": [{**asdict(one), "why": why} for one, why in self.left_out],
        }


class Heeding:
    """A writer whose texts are held against what people decided; what speaks against one is told like an engine's refusal."""

    def __init__(self, write: Write, ids: Sequence[str], objection: Objection) -> None:
        self.write, self.ids, self.objection = write, ids, objection

    @property
    def name(self) -> str:
        """The engine, as people call it."""
        return self.write.name

    def __call__(self, asked: Sequence[Asked]) -> Iterator[Written]:
        """What was written for each row, in order, less what must not be proposed."""
        for one, written in zip(asked, self.write(asked), strict=False):  # ends early where the budget does
            yield self._held(one, written)

    def _held(self, one: Asked, written: Written) -> Written:
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


def _phrases(
    marked: Iterable[Marked],
    text: str,
    left_out: list[tuple[Marked, str]],
    otherwise: frozenset[str] = frozenset(),
) -> list[Phrase]:
    """The words that findings stand for; what is no sequence of words of the text goes to `left_out`.

    otherwise: levels that are heeded in another way.
    """
    found: list[Phrase] = []
    for one in marked:
        if one.field != text:
            left_out.append((one, f"it is about {one.field}, and only {text} is rewritten"))
        elif (phrase := phrase_of(one)) is not None:
            found.append(phrase)
        elif one.level not in otherwise:
            left_out.append((one, "it is no word or phrase of the text"))
    return list(dict.fromkeys(found))


def phrase_of(marked: Marked) -> Phrase | None:
    """The words that a finding is about; None for what is no sequence of words, and for what was cut.

    >>> phrase_of(Marked("position", "first word: honestly", "review", "bad"))
    Phrase(words=('honestly',), place='first')
    """
    if marked.pattern.endswith(_CUT):
        return None
    if marked.level in ("token", "ngram"):
        words = tuple(tokenize(marked.pattern))
        return Phrase(words) if words else None
    if marked.level == "position":
        for opening, place in _PLACES.items():
            if marked.pattern.startswith(opening):
                words = tuple(tokenize(marked.pattern.removeprefix(opening)))
                return Phrase(words, place) if words else None  # type: ignore[arg-type]
    return None


@lru_cache(maxsize=4096)
def _tokens(text: str) -> tuple[str, ...]:
    """The tokens of a text; the text before comes again with each candidate."""
    return tuple(tokenize(text))
