"""Words about people: pronouns, kinship terms, titles, roles, and words that show that a name is not a person's.

The long lists are in `person_words.txt`, one section each. A gender is the one that the word itself expresses; a role such as
"teacher" expresses none ("").
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple


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
    **_pronouns("", "sing", 1, "i/s me/o my/p mine/p myself/r"),
    **_pronouns("", "plur", 1, "we/s us/o our/p ours/p ourselves/r"),
    **_pronouns("", "sing", 2, "you/s your/p yours/p yourself/r"),
    **_pronouns("", "plur", 2, "yourselves/r"),
}


def _read_sections() -> dict[str, list[str]]:
    sections: dict[str, list[str]] = {}
    words: list[str] = []
    for line in Path(__file__).with_suffix(".txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            words = sections.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            words += line.split()
    return sections


_SECTIONS = _read_sections()


def _by_gender(name: str) -> dict[str, str]:
    genders = {"masculine": "masculine", "feminine": "feminine", "either": ""}
    return {word: gender for section, gender in genders.items() for word in _SECTIONS[f"{name} {section}"]}


KIN = _by_gender("KIN")
TITLES = _by_gender("TITLES") | {  # in front of a name
    "congressman": "masculine", "congresswoman": "feminine", "councilman": "masculine", "councilwoman": "feminine",
    "chairman": "masculine", "chairwoman": "feminine", "archduke": "masculine", "alderman": "masculine",
}  # fmt: skip
ROLES = _by_gender("ROLES") | dict.fromkeys(
    "actor host hero heir priest".split(), ""
)  # used for everybody today
NOT_PERSON = frozenset(_SECTIONS["NOT_PERSON"])
PLACES = frozenset(_SECTIONS["PLACES"])
COMMON_WORDS = frozenset(_SECTIONS["COMMON_WORDS"])
OPENERS = frozenset(_SECTIONS["OPENERS"])
HUMAN_VERBS = frozenset(_SECTIONS["HUMAN_VERBS"])
SPEECH_VERBS = frozenset(_SECTIONS["SPEECH_VERBS"])
OPENING_PHRASES = frozenset(_SECTIONS["OPENING_PHRASES"])

PLURAL_ONLY = frozenset(
    "people men women children folks twins parents guys ladies gentlemen kids police".split()
)

ROLE_ENDINGS: dict[str, str] = {
    "woman": "feminine", "man": "masculine", "person": "", "ologist": "", "ographer": "", "ician": "", "keeper": "",
    "maker": "", "player": "", "worker": "", "writer": "", "holder": "", "owner": "",
}  # fmt: skip
NOT_ROLES = frozenset(
    "human german roman ottoman talisman shaman caiman norman pacemaker typewriter placeholder".split()
)

NUMERALS = frozenset("i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii".split())
PATRONYMICS = frozenset(("ibn", "bin", "ben", "bint", "ap"))  # what follows is the father's name
PARTICLES = frozenset(
    "de da do dos das di du del della der den des van von zu bin ibn ben al el la le ten ter af av y e".split()
)
SUFFIXES = frozenset("esq esq. phd ph.d. md m.d. obe mbe cbe".split())
# Behind a name, they distinguish two people with the same name.
GENERATIONS = NUMERALS | frozenset("jr jr. sr sr. junior senior".split())
PLACE_PREPOSITIONS = frozenset(
    "in at near throughout across into within outside towards toward via around".split()
)
