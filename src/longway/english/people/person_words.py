"""Words about people: pronouns, kinship terms, titles, roles, and words that show that a name is not a person's.

A gender is the one that the word itself expresses; a role such as "teacher" expresses none ("").
"""

from __future__ import annotations

from typing import NamedTuple

from longway.english.listed_words import listed_words

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
