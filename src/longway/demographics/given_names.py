"""The name somebody gets whose gender or group is changed.

    name_for("Robert", attribute("woman"))       "Roberta": of the same group, as far as the name tells one
    name_for("Robert", attribute("hispanic"))    "Ramon": a man's name still
    name_for("Miller", attribute("hispanic"))    "Morales": a surname for a surname

    name  ->  its gender and group (the census, `text/names.py`)  ->  names with the wanted ones (`names.tsv`)  ->  the one most like it

Most alike: the same first letter, then about the same length; what is left is settled by a hash of the name and a key, so that one
name always becomes the same other one. `train/demographic_names.py` made the table; `words.md` tells its rule and its limits. A name
describes a population, never a person: these are names to write, not ways to tell who somebody is.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple
from unicodedata import normalize

from longway.demographics.axes import Attribute
from longway.text.names import FirstName, Surname, first_name, surname

TABLE = Path(__file__).parent / "names.tsv"
OPEN = (0.25, 0.75)  # shares of women between which a first name leaves the gender open
SURE_GROUP = 0.75  # share of one group from which a name tells it
FEW = 5  # a group with fewer names of a gender also takes those of no group
ANY = "any"
_CENSUS = {
    "white": "white",
    "black": "black",
    "api": "asian",
    "aian": "native-american",
    "hispanic": "hispanic",
}
Kind = Literal["first", "surname"]


class Name(NamedTuple):
    """A line of the table. gender: "-" for surnames. group: "any" where it tells none. source: "census" or "hand"."""

    name: str
    gender: str
    group: str
    kind: str
    source: str


@lru_cache(maxsize=1)
def names() -> tuple[Name, ...]:
    """All names that can be written, in the order of the table."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return tuple(Name(*line.split("\t")) for line in lines if not line.startswith("#"))


def name_for(
    name: str,
    attribute: Attribute,
    *,
    kind: Kind | None = None,
    taken: Collection[str] = frozenset(),
    key: str = "",
) -> str | None:
    """The name that somebody called so gets with the attribute; the same one where it says so already; None where there is none.

    kind: whether it is a first name or a surname here; by default what more people have it as.
    taken: words that must not be written, capitals aside (the names in the text). key: another one gives other names.

    >>> from longway.demographics.axes import attribute
    >>> name_for("Robert", attribute("woman")), name_for("Smith", attribute("woman")), name_for("Ann", attribute("senior"))
    ('Roberta', 'Smith', None)
    """
    kind = kind or kind_of(name)
    told = (gender_of(name) if kind == "first" else "-", group_of(name, kind=kind))
    gender, group = told
    if attribute.axis == "race":
        group = attribute.name
    elif attribute.axis == "gender" and kind == "first":
        gender = attribute.name
    elif attribute.axis == "age":
        return None
    if (gender, group) == told:
        return name
    if gender is None:
        return None
    forbidden = {word.casefold() for word in taken} | {name.casefold()}
    free = [other for other in _pool(kind, gender, group) if other.casefold() not in forbidden]
    return min(free, key=lambda other: _unlike(name, other, key)) if free else None


def gender_of(name: str) -> str | None:
    """What a first name tells of the gender: "man", "woman", "non-binary" where many of both bear it, None where it is not known.

    >>> gender_of("Robert"), gender_of("Riley"), gender_of("Qwxyz")
    ('man', 'non-binary', None)
    """
    listed = _listed().get(("first", name.casefold()))
    if listed is not None:
        return listed.gender
    known = first_name(name)
    if known is None:
        return None
    if OPEN[0] <= known.female <= OPEN[1]:
        return "non-binary"
    return "woman" if known.female > OPEN[1] else "man"


def group_of(name: str, *, kind: Kind = "first") -> str:
    """What a name tells of the group: one of the attributes of the axis race, "any" where it tells none.

    >>> group_of("Guadalupe"), group_of("Smith", kind="surname"), group_of("Kekoa")
    ('hispanic', 'any', 'pacific-islander')
    """
    listed = _listed().get((kind, name.casefold()))
    if listed is not None:
        return listed.group
    known: FirstName | Surname | None = first_name(name) if kind == "first" else surname(name)
    if known is None or max(known.groups) < SURE_GROUP:
        return ANY
    return _CENSUS.get(known.group, ANY)


def kind_of(name: str) -> Kind:
    """Whether more people have it as a first name or as a surname; a first name where nobody is known to have it."""
    first, last = first_name(name), surname(name)
    is_surname = last is not None and (first is None or last.count > first.count)
    return "surname" if is_surname and ("first", name.casefold()) not in _listed() else "first"


def _unlike(name: str, other: str, key: str) -> tuple[bool, int, bytes]:
    """How unlike two names are, to sort by; a difference of one letter in length counts nothing."""
    settled = blake2b("\t".join((key, name.casefold(), other)).encode(), digest_size=8).digest()
    initials = (normalize("NFKD", word)[:1].casefold() for word in (name, other))
    return len(set(initials)) > 1, max(1, abs(len(name) - len(other))), settled


@lru_cache(maxsize=1)
def _listed() -> dict[tuple[str, str], Name]:
    return {(row.kind, row.name.casefold()): row for row in names()}


@lru_cache(maxsize=64)
def _pool(kind: Kind, gender: str, group: str) -> tuple[str, ...]:
    """The names of a gender and a group; with those of no group where they are few."""
    found = tuple(row.name for row in names() if (row.kind, row.gender, row.group) == (kind, gender, group))
    return found if len(found) >= FEW or group == ANY else found + _pool(kind, gender, ANY)
