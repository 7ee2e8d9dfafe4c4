"""Words about people: the demographic lists, pronouns, kin, titles and roles, and widely known people.

    entries_for("aunt")              the entry "aunt", gender:woman, with the counterparts "uncle" and "relative"
    demographic_entries("race")      every word of an axis
    KIN, TITLES, ROLES               words for people, with the gender that the word itself expresses ("" for "teacher")
    is_widely_known(("barack", "obama"))           True
    is_widely_known(("obama",))                    True: hardly anybody else is meant
    is_widely_known(("clinton",), genders={"man"}) True; a Clinton who is neither man nor woman is somebody else

    gender   man, woman, non-binary (also for an unspecified gender)
    race     white, black, hispanic, asian, native-american, pacific-islander
    age      child (under 18), young (18 to 44), middle-aged (45 to 64), senior (65 and over), adult (18 and over, unspecified)

The axes follow section 2 of the perturbation paper (Qian et al. 2022); the categories of race and ethnicity are those of the US
Census. Every such list leaves people out: it defines what is measured here, not what exists.

Each list is a table (gender.tsv, race.tsv, age.tsv). A row is one concept, such as "mother's or father's brother or sister", plural;
a column is one attribute. A cell holds the word to write; words after a bar ("aunt|auntie") are recognised but not written.

    -            none ("-|enby": nothing to write, one word recognised)
    >relative    written but not recognised: an uncle becomes a relative, but no relative becomes an uncle

Notes: "generic": the man's word is used for everybody (actor); "senses": a word of the row has another meaning (count);
"thing", "colour", "place": it may describe a thing (an old car, Asian markets); "side": a "maternal uncle" is one on the
mother's side. Kind "thing": a fixed phrase that refers to no person ("mother tongue") or to everybody ("men and women").

Widely known people stay as they are by default, since a president with another gender is a false statement. `famous_people.tsv` has one
person per line: the full name in lower case, the gender (m, f, n), and single names that are used for this person alone. Every such
list is incomplete, and leans towards people known in English.

`word_lists.md` describes how the lists were made and what they leave out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

from longway.english.wordnet import senses
from longway.english.words import listed_words
from longway.errors import SettingError

AXES: dict[str, tuple[str, ...]] = {
    "gender": ("man", "woman", "non-binary"),
    "race": ("white", "black", "hispanic", "asian", "native-american", "pacific-islander"),
    "age": ("child", "young", "middle-aged", "senior", "adult"),
}
AGE_RANGES: dict[str, tuple[int, int]] = {
    "child": (0, 17),
    "young": (18, 44),
    "middle-aged": (45, 64),
    "senior": (65, 120),
}


@dataclass(frozen=True, slots=True, order=True)
class Attribute:
    """A value of an axis: Attribute("gender", "woman"), written "gender:woman"."""

    axis: str
    name: str

    def __str__(self) -> str:
        return f"{self.axis}:{self.name}"


def parse_attribute(name: str) -> Attribute:
    """Return the attribute with this name, with or without its axis.

    >>> str(parse_attribute("woman")), str(parse_attribute("age:senior"))
    ('gender:woman', 'age:senior')
    """
    bare = name.rpartition(":")[2]
    for known, names in AXES.items():
        if bare in names and name in (bare, f"{known}:{bare}"):
            return Attribute(known, bare)
    raise SettingError(
        f"{name!r} is not a demographic attribute. Expected one of: "
        f"{'; '.join(f'{known}: ' + ', '.join(names) for known, names in AXES.items())}."
    )


def other_attributes(given: Attribute) -> tuple[Attribute, ...]:
    """The other attributes of the same axis: what a person with this one can be perturbed to."""
    return tuple(Attribute(given.axis, name) for name in AXES[given.axis] if name != given.name)


def age_attribute(years: int) -> Attribute:
    """The attribute of an age in years.

    >>> str(age_attribute(11)), str(age_attribute(70))
    ('age:child', 'age:senior')
    """
    for name, (low, high) in AGE_RANGES.items():
        if low <= years <= high:
            return Attribute("age", name)
    return Attribute("age", "senior")


LISTS_FOLDER = Path(__file__).parent
NOTHING = "-"
ELSEWHERE = ">"


@dataclass(frozen=True, slots=True, eq=False)  # read once: compared by identity
class DemographicEntry:
    """A word of the lists.

    word: as written. kind: "person", "kin", "title", "role", "group", "age" ... pos: "NOUN", "ADJ", "PROPN", "ADV".
    number: "sing", "plur", or "" if the word has none.
    counterparts: the word for each other attribute that has one. notes: how to read it ("colour": "black" may be one).
    """

    word: str
    attribute: Attribute
    kind: str
    pos: str
    number: str
    counterparts: Mapping[str, str]
    notes: frozenset[str]


@lru_cache(maxsize=8)
def demographic_entries(axis: str | None = None) -> tuple[DemographicEntry, ...]:
    """All words of an axis, or of all axes, in the order of the lists."""
    if axis is None:
        return tuple(entry for name in AXES for entry in demographic_entries(name))
    lines = (LISTS_FOLDER / f"{axis}.tsv").read_text(encoding="utf-8").splitlines()
    entries: list[DemographicEntry] = []
    for line in lines:
        if line and not line.startswith("#"):
            entries += _entries_of(line, axis)
    return tuple(entries)


def entries_for(words: str) -> tuple[DemographicEntry, ...]:
    """The entries of a word or phrase, ignoring case; empty if it is not listed.

    >>> [(str(entry.attribute), entry.counterparts["man"]) for entry in entries_for("Aunt")]
    [('gender:woman', 'uncle')]
    """
    plain = words.lower().replace("’", "'")
    return _by_word().get(plain) or _compound(plain)


_LAST_PARTS = {  # of compounds that are not listed: attribute, number, and the other part for each attribute
    "woman": ("woman", "sing", {"man": "man", "non-binary": "person"}),
    "women": ("woman", "plur", {"man": "men", "non-binary": "people"}),
    "girl": ("woman", "sing", {"man": "boy"}),
    "girls": ("woman", "plur", {"man": "boys"}),
    "boy": ("man", "sing", {"woman": "girl"}),
    "boys": ("man", "plur", {"woman": "girls"}),
}


@lru_cache(maxsize=10_000)
def _compound(word: str) -> tuple[DemographicEntry, ...]:
    """The entry of a compound that is not listed: "farmgirl", "presswomen"."""
    for ending, (name, number, others) in _LAST_PARTS.items():
        stem = word.removesuffix(ending)
        if word.endswith(ending) and len(stem) > 2 and stem.isalpha() and senses(stem, "NOUN"):
            counterparts = {other: stem + part for other, part in others.items()}
            attribute = Attribute("gender", name)
            return (DemographicEntry(word, attribute, "role", "NOUN", number, counterparts, frozenset()),)
    return ()


@lru_cache(maxsize=1)
def longest_entry() -> int:
    """The length of the longest entry in characters."""
    return max(len(entry.word) for entry in demographic_entries())


@lru_cache(maxsize=1)
def _by_word() -> dict[str, tuple[DemographicEntry, ...]]:
    by_word: dict[str, tuple[DemographicEntry, ...]] = {}
    for entry in demographic_entries():
        known = by_word.get(entry.word.lower(), ())
        if all((entry.attribute, entry.pos) != (other.attribute, other.pos) for other in known):
            by_word[entry.word.lower()] = (*known, entry)
    return by_word


def _entries_of(line: str, axis: str) -> list[DemographicEntry]:
    kind, pos, number, *cells, notes = line.split("\t")
    columns = {name: cell.split("|") for name, cell in zip(AXES[axis], cells, strict=True)}
    written = {
        name: words[0].removeprefix(ELSEWHERE) for name, words in columns.items() if words[0] != NOTHING
    }
    return [
        DemographicEntry(
            word=word,
            attribute=Attribute(axis, name),
            kind=kind,
            pos=pos,
            number="" if number == NOTHING else number,
            counterparts={other: theirs for other, theirs in written.items() if other != name},
            notes=frozenset() if notes == NOTHING else frozenset(notes.split(",")),
        )
        for name, words in columns.items()
        for word in words
        if word != NOTHING and not word.startswith(ELSEWHERE)
    ]


# Words for people

_LISTS = listed_words(__name__)


class PronounFeatures(NamedTuple):
    """Gender ("" if none), number, person and form of a personal pronoun.

    form: "subject", "object", "possessive" or "reflexive"; that of "her" depends on the sentence.
    """

    gender: str
    number: str
    person: int
    form: str


def _pronouns(gender: str, number: str, person: int, words: str) -> dict[str, PronounFeatures]:
    pairs = (word.split("/") for word in words.split())
    forms = {"s": "subject", "o": "object", "p": "possessive", "r": "reflexive"}
    return {word: PronounFeatures(gender, number, person, forms[form]) for word, form in pairs}


PRONOUN_FEATURES: dict[str, PronounFeatures] = {
    **_pronouns("masculine", "sing", 3, "he/s him/o his/p himself/r"),
    **_pronouns("feminine", "sing", 3, "she/s her/o hers/p herself/r"),
    **_pronouns("", "plur", 3, "they/s them/o their/p theirs/p themselves/r"),
    **_pronouns("", "sing", 3, "themself/r"),
    **_pronouns("neutral", "sing", 3, "xe/s xem/o xyr/p xyrs/p xemself/r xyrself/r"),
    **_pronouns("neutral", "sing", 3, "ze/s zie/s hir/o zir/o hirs/p zirs/p hirself/r zirself/r"),
    **_pronouns("neutral", "sing", 3, "ey/s eir/p eirs/p emself/r eirself/r"),
    **_pronouns("", "sing", 1, "i/s me/o my/p mine/p myself/r"),
    **_pronouns("", "plur", 1, "we/s us/o our/p ours/p ourselves/r"),
    **_pronouns("", "sing", 2, "you/s your/p yours/p yourself/r"),
    **_pronouns("", "plur", 2, "yourselves/r"),
}


def _by_gender(name: str) -> dict[str, str]:
    genders = {"masculine": "masculine", "feminine": "feminine", "either": ""}
    return {word: gender for section, gender in genders.items() for word in _LISTS[f"{name}_{section}"]}


KIN = _by_gender("kin")
TITLES = _by_gender("titles") | {  # in front of a name
    "congressman": "masculine", "congresswoman": "feminine", "councilman": "masculine", "councilwoman": "feminine",
    "chairman": "masculine", "chairwoman": "feminine", "archduke": "masculine", "alderman": "masculine",
}  # fmt: skip
ROLES = _by_gender("roles") | dict.fromkeys(
    "actor host hero heir priest".split(), ""
)  # used for everybody today
NOT_PERSON = _LISTS["not_person"]
PLACES = _LISTS["places"]
COMMON_WORDS = _LISTS["common_words"]
OPENERS = _LISTS["openers"]
HUMAN_VERBS = _LISTS["human_verbs"]
SPEECH_VERBS = _LISTS["speech_verbs"]
OPENING_PHRASES = _LISTS["opening_phrases"]

PLURAL_ONLY = _LISTS["plural_only"]

ROLE_ENDINGS: dict[str, str] = {
    "woman": "feminine", "man": "masculine", "person": "", "ologist": "", "ographer": "", "ician": "", "keeper": "",
    "maker": "", "player": "", "worker": "", "writer": "", "holder": "", "owner": "",
}  # fmt: skip
NOT_ROLES = _LISTS["not_roles"]

NUMERALS = frozenset("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii".split())
PATRONYMICS = frozenset(("ibn", "bin", "ben", "bint", "ap"))  # what follows is the father's name
PARTICLES = _LISTS["particles"]
SUFFIXES = frozenset("esq esq. phd ph.d. md m.d. obe mbe cbe".split())
# Behind a name, they distinguish two people with the same name.
GENERATIONS = NUMERALS | frozenset("jr jr. sr sr. junior senior".split())
PLACE_PREPOSITIONS = _LISTS["place_prepositions"]


# Widely known people

FAMOUS_PATH = LISTS_FOLDER / "famous_people.tsv"
_GENDERS = {"m": "man", "f": "woman", "n": "non-binary"}


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
    for line in FAMOUS_PATH.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            full, gender, singles = line.split("\t")
            for name in (full, *filter(None, singles.split(","))):
                people[plain(name)].add(_GENDERS.get(gender, ""))
    return {name: frozenset(genders) for name, genders in people.items()}
