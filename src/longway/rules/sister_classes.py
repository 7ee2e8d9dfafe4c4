"""The classes of sister terms, read from `sisters.toml`: nationalities, countries, kinds of works, professions and so on."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PATH = Path(__file__).parent / "sisters.toml"


@dataclass(frozen=True, slots=True)
class Term:
    """A term and other words that say the same."""

    text: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SisterClass:
    """Terms that exclude each other; see `sisters.toml`. given: those that may be put in."""

    name: str
    frame: str
    sure: bool
    of: str
    verbs: frozenset[str]
    terms: tuple[Term, ...]
    given: tuple[Term, ...]


@lru_cache(maxsize=1)
def sister_classes() -> tuple[SisterClass, ...]:
    """The classes, as the file has them."""
    return tuple(_class(name, row) for name, row in tomllib.loads(PATH.read_text("utf-8")).items())


def _class(name: str, row: dict[str, str | bool]) -> SisterClass:
    terms = _terms(str(row["terms"]))
    return SisterClass(
        name=name,
        frame=str(row["frame"]),
        sure=bool(row["sure"]),
        of=str(row.get("of", "")),
        verbs=frozenset(str(row.get("verbs", "")).split()),
        terms=terms,
        given=_terms(str(row["new"])) if "new" in row else terms,
    )


def _terms(text: str) -> tuple[Term, ...]:
    parts = [" ".join(part.split()) for part in text.split(",") if part.strip()]
    split = (part.partition("=") for part in parts)
    return tuple(Term(term, tuple(aliases.split("|")) if aliases else ()) for term, _, aliases in split)


@lru_cache(maxsize=32)
def terms_of(name: str) -> frozenset[str]:
    """The terms of one class as they are written, e.g. of "month"."""
    return frozenset(term.text for one in sister_classes() if one.name == name for term in one.terms)
