"""Widely known people, whom perturbation leaves alone by default: a president with another gender is a false statement.

    is_widely_known(("barack", "obama"))           True
    is_widely_known(("obama",))                    True: hardly anybody else is meant
    is_widely_known(("clinton",), genders={"man"}) True; a Clinton who is neither man nor woman is somebody else

`famous_people.tsv` has one person per line: the full name in lower case, the gender (m, f, n), and single names that are used for this
person alone. `word_lists.md` describes its sources. Every such list is incomplete, and leans towards people known in English.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path
from unicodedata import normalize

PATH = Path(__file__).parent / "famous_people.tsv"
GENDERS = {"m": "man", "f": "woman", "n": "non-binary"}


def is_widely_known(parts: tuple[str, ...], *, title: str = "", genders: Collection[str] = ()) -> bool:
    """Return whether a name is that of a widely known person.

    parts: the words of the name in lower case, without its title. genders: what the text says; if given, the person must agree with it.

    >>> is_widely_known(("albert", "einstein")), is_widely_known(("victoria",), title="queen"), is_widely_known(("victoria",))
    (True, True, False)
    """
    name = plain(" ".join(parts))
    known = _people().get(f"{plain(title)} {name}" if title else name, frozenset()) | _people().get(
        name, frozenset()
    )
    return any(not gender or not genders or gender in genders for gender in known)


def plain(name: str) -> str:
    """A name in lower case, without accents and points."""
    letters = normalize("NFKD", name.lower().replace("’", "'")).encode("ascii", "ignore").decode()
    return " ".join(letters.replace(".", " ").split())


@lru_cache(maxsize=1)
def _people() -> dict[str, frozenset[str]]:
    """The genders of the people with each name; "" if it is not known."""
    people: defaultdict[str, set[str]] = defaultdict(set)
    for line in PATH.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            full, gender, singles = line.split("\t")
            for name in (full, *filter(None, singles.split(","))):
                people[plain(name)].add(GENDERS.get(gender, ""))
    return {name: frozenset(genders) for name, genders in people.items()}
