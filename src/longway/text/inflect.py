"""Inflection: the form of a word that a place in a sentence asks for.

    inflect("child", "NNS")        "children"
    inflect("give up", "VBD")      "gave up"
    inflect("beautiful", "JJR")    "more beautiful"
    inflect("information", "NNS")  None: a mass noun has no plural
    inflect_like("child", word)    in the form and with the capitals of the word it replaces
    lemmas("leaves", "VERB")       ("leave",)

Forms come from lemminflect's dictionary; the tables here hold what it does not know or gets wrong, and the
choices: where several forms are good English, the commoner one is taken ("traveled", "people", "fish"), always
the same one.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

from longway.errors import MissingExtra
from longway.text.capitals import like
from longway.text.document import Word

FIRST_FORM = frozenset({"VB", "VBP", "NN", "NNP", "JJ", "RB"})  # the lemma itself
UNINFLECTED = frozenset({"IN", "RP", "UH", "FW", "CC", "CD"})  # words that have one form only
_UPOS = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV"}

MODALS = frozenset("can could may might must shall should will would ought".split())

# Nouns that are not counted; lemminflect makes "informations" of some and "furniture" of others.
MASS_NOUNS = frozenset(
    "accommodation advice aggression anger applause baggage bread butter cash chaos chess clothing "
    "clutter cutlery dirt dust education electricity employment enjoyment equipment evidence feedback "
    "flour fun furniture garbage gasoline gold gossip gravity happiness hardware harm health homework "
    "honesty housework housing humidity humour humor hunger ignorance information intelligence "
    "jewelry jewellery junk knowledge laughter legislation leisure literature luck luggage lightning "
    "machinery mail mathematics merchandise milk money mud music news nonsense nutrition oxygen "
    "patience patriotism permission physics poetry pollution poverty pride progress publicity racism "
    "research rice rubbish sadness safety salt scenery seafood sexism shopping silence silver slang "
    "snow software spaghetti stuff sunshine thunder traffic transportation trash violence wealth "
    "weather welfare wisdom".split()
)

# Nouns that are counted, and the same in the plural.
_SAME_IN_PLURAL = re.compile(
    r"(.*(craft|fish|ese)|sheep|deer|elk|moose|bison|swine|salmon|trout|cod|shrimp|staff|series|species|means|offspring"
    r"|crossroads|headquarters|gallows|barracks|police|cattle|clergy|media|percent|mm|cm|km|kg|ft)"
)
_COMPARED = frozenset("more most less least better best worse worst further furthest".split())

# Forms that the dictionary lacks, has wrong, or gives in an order that is not that of use.
_OWN_FORMS: dict[tuple[str, str], str] = {
    ("be", "VBP"): "are",
    ("be", "VBD"): "was",
    ("can", "VBD"): "canned",  # the verb of tins: the modal "could" has the tag MD
    ("can", "VBN"): "canned",
    ("will", "VBD"): "willed",
    ("will", "VBN"): "willed",
    ("bear", "VBN"): "borne",
    ("spit", "VBD"): "spit",
    ("bid", "VBD"): "bid",
    ("bust", "VBN"): "busted",
    ("relay", "VBD"): "relayed",
    ("relay", "VBN"): "relayed",
    ("babysit", "VBD"): "babysat",
    ("babysit", "VBN"): "babysat",
    ("forecast", "VBD"): "forecast",
    ("forecast", "VBN"): "forecast",
    ("program", "VBD"): "programmed",
    ("program", "VBN"): "programmed",
    ("program", "VBG"): "programming",
    ("enrol", "VBD"): "enrolled",
    ("enrol", "VBN"): "enrolled",
    ("enrol", "VBG"): "enrolling",
    ("mimic", "VBG"): "mimicking",
    ("casino", "NNS"): "casinos",
    ("praise", "NNS"): "praises",
    ("writing", "NNS"): "writings",
    ("ox", "NNS"): "oxen",
    ("person", "NNS"): "people",
    ("die", "NNS"): "dice",
    ("gas", "NNS"): "gases",
    ("cactus", "NNS"): "cacti",
    ("runner-up", "NNS"): "runners-up",
    ("passerby", "NNS"): "passersby",
    ("passer-by", "NNS"): "passers-by",
    ("hanger-on", "NNS"): "hangers-on",
    ("free", "JJR"): "freer",
    ("free", "JJS"): "freest",
    ("fun", "JJR"): "more fun",
    ("fun", "JJS"): "most fun",
    ("far", "JJR"): "further",
    ("far", "JJS"): "furthest",
    ("far", "RBR"): "further",
    ("far", "RBS"): "furthest",
    ("little", "JJR"): "smaller",
    ("little", "JJS"): "smallest",
    ("little", "RBR"): "less",
    ("little", "RBS"): "least",
    ("much", "JJR"): "more",
    ("much", "JJS"): "most",
    ("many", "JJR"): "more",
    ("many", "JJS"): "most",
    ("badly", "RBR"): "worse",
    ("badly", "RBS"): "worst",
    ("right", "JJR"): "more right",
    ("right", "JJS"): "most right",
}

# "mother-in-law", "man of letters": the noun before one of these words takes the ending.
_INSIDE_A_NOUN = frozenset("in of at to de for on with from by".split())
_AFTER_ITS_NOUN = frozenset({"general", "elect", "laureate", "martial", "emeritus"})  # "attorney general"
# "ice skate", "dry clean": the verb is the last word, where that is no particle ("double up").
_BEFORE_ITS_VERB = frozenset(
    "ice roller figure short double fast deep dry cold hot spoon force breast bottle mass window baby "
    "house proof stir pan cross fine blow over under out re co".split()
)
_PARTICLES = frozenset(
    "up down in out on off over away back by about around along through together apart aside ahead "
    "after at for into of to upon with from against under across forth it oneself".split()
)


@lru_cache(maxsize=65536)
def inflect(lemma: str, tag: str) -> str | None:
    """The form of a word that a Penn tag names (NNS, VBZ, JJR ...); None where there is none.

    >>> inflect("stop", "VBG"), inflect("ice_cream", "NNS"), inflect("quickly", "RBR"), inflect("must", "VBD")
    ('stopping', 'ice creams', 'more quickly', None)
    """
    lemma = lemma.replace("_", " ").strip()
    if not lemma or not tag:
        return None
    if tag == "MD":
        return lemma if lemma in MODALS else None
    own = _OWN_FORMS.get((lemma.lower(), tag))
    if own is not None:
        return like(own, lemma)
    if tag in FIRST_FORM | UNINFLECTED:
        return None if tag.startswith("V") and lemma in MODALS - {"can", "will"} else lemma
    if tag == "NNPS":
        return _with_s(lemma)
    if tag[0] not in _UPOS or (tag[0] == "V" and lemma in MODALS - {"can", "will"}):
        return None
    if tag[0] in "JR":
        return _compared(lemma, tag)
    separator = next((mark for mark in " -" if mark in lemma.strip(" -")), "")
    return _of_several_words(lemma, tag, separator) if separator else _of_one_word(lemma, tag)


def inflect_like(lemma: str, word: Word) -> str | None:
    """The lemma in the form and with the capitals of the word it replaces; None where it has no such form."""
    form = _form_of_be(word) if lemma == "be" and word.tag in ("VBP", "VBD") else inflect(lemma, word.tag)
    return None if form is None else like(form, word.text)


@lru_cache(maxsize=65536)
def lemmas(word: str, upos: str) -> tuple[str, ...]:
    """The lemmas that a form may belong to, commonest first; none where the dictionary does not know it.

    >>> lemmas("lives", "VERB"), lemmas("lives", "NOUN"), lemmas("qwxs", "VERB")
    (('live',), ('life',), ())
    """
    if upos not in ("NOUN", "PROPN", "VERB", "AUX", "ADJ", "ADV"):
        return ()
    found = _lemminflect().getAllLemmas(word.lower(), "NOUN" if upos == "PROPN" else upos)
    return tuple(form for forms in found.values() for form in forms)


def forms(lemma: str, tag: str) -> tuple[str, ...]:
    """All forms that the dictionary has for a Penn tag, the one we write first: ("proved", "proven").

    >>> forms("travel", "VBD")
    ('traveled', 'travelled')
    """
    own = inflect(lemma, tag)
    return tuple(dict.fromkeys([*([own] if own else []), *_known_forms(lemma, tag)]))


def _form_of_be(word: Word) -> str:
    plural = word.feature("Number") == "Plur" or word.feature("Person") == "2"
    if word.tag == "VBD":
        return "were" if plural else "was"
    return "am" if word.feature("Person") == "1" and not plural else "are"


def _of_several_words(lemma: str, tag: str, separator: str) -> str | None:
    """Compounds: the word that carries the ending is inflected, the others stay."""
    words = lemma.split(separator)
    place = _noun_that_inflects(words) if tag == "NNS" else _verb_that_inflects(words, separator)
    form = inflect(words[place], tag)
    return None if form is None else separator.join([*words[:place], form, *words[place + 1 :]])


def _noun_that_inflects(words: list[str]) -> int:
    for place in range(1, len(words)):
        last = place == len(words) - 1
        if words[place].lower() in (_AFTER_ITS_NOUN if last else _INSIDE_A_NOUN):
            return place - 1
    return len(words) - 1


def _verb_that_inflects(words: list[str], separator: str) -> int:
    if words[-1] in _PARTICLES:
        return 0
    return len(words) - 1 if separator == "-" or (len(words) == 2 and words[0] in _BEFORE_ITS_VERB) else 0


def _of_one_word(lemma: str, tag: str) -> str | None:
    if tag == "NNS":
        return _plural(lemma)
    known = _known_forms(lemma, tag)
    if known:
        return _american(known)
    return _guessed(lemma, tag) if lemma.isalpha() else None


def _plural(lemma: str) -> str | None:
    lower = lemma.lower()
    if lower in MASS_NOUNS:
        return None
    if _SAME_IN_PLURAL.fullmatch(lower):
        return lemma
    known = _known_forms(lemma, "NNS")
    if known and set(known) != {lemma}:
        return next(form for form in known if form != lemma)
    if lower.endswith("s") and lemma.islower() and (known or not lower.endswith(("ss", "us", "is"))):
        return lemma  # "scissors", "thanks": plural already
    if known:  # no form but the noun itself: a mass noun
        return None
    return _guessed(lemma, "NNS") if lemma.isalpha() and lemma.islower() else _with_s(lemma)


def _american(forms: tuple[str, ...]) -> str:
    """The first form; of "channelled" and "channeled" the one with a single l, as in "traveled"."""
    doubled = re.fullmatch(r"(.*)ll(ed|ing)", forms[0])
    single = f"{doubled[1]}l{doubled[2]}" if doubled else ""
    return single if single in forms and not single.startswith("control") else forms[0]


def _compared(lemma: str, tag: str) -> str:
    """Comparatives and superlatives: "bigger", "more beautiful"."""
    if lemma in _COMPARED:
        return lemma
    known = _known_forms(lemma, tag)
    return known[0] if known else f"{'more' if tag.endswith('R') else 'most'} {lemma}"


def _known_forms(lemma: str, tag: str) -> tuple[str, ...]:
    forms: tuple[str, ...] = _lemminflect().getInflection(lemma.lower(), tag, inflect_oov=False)
    return forms if lemma.islower() else tuple(like(form, lemma) for form in forms)


def _guessed(lemma: str, tag: str) -> str | None:
    """The form of a word that no dictionary has, by the rules of spelling."""
    forms: tuple[str, ...] = _lemminflect().getInflection(lemma.lower(), tag)
    return like(forms[0], lemma) if forms else None


def _with_s(name: str) -> str:
    """The plural of a name: "Kennedys", "Joneses"."""
    hisses = name.lower().endswith(("s", "x", "z", "ch", "sh")) and not name.isupper()
    return name + ("es" if hisses else "s")


@lru_cache(maxsize=1)
def _lemminflect() -> ModuleType:
    if find_spec("lemminflect") is None:
        raise MissingExtra("lemminflect", extra="rules", purpose="Inflecting English words")
    return import_module("lemminflect")
