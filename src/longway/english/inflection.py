"""Forms of English words: capitals, inflection, finite verbs and numbers in words.

    match_case("house", "COTTAGE")         "HOUSE"
    inflect("child", "NNS")                "children"
    inflect("give up", "VBD")              "gave up"
    inflect("information", "NNS")          None: a mass noun has no plural
    lemmas("leaves", "VERB")               ("leave",)
    verb_in_number("isn't", plural=True)   "aren't"

Forms come from lemminflect's dictionary. The tables here hold what it lacks or gets wrong, and choose between accepted
forms: always the more common one ("traveled", "people", "fish").
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import import_module
from itertools import pairwise
from types import ModuleType

from longway.english.document import Word
from longway.english.words import listed_phrases, listed_words

_LISTS = listed_words(__name__)


def match_case(word: str, model: str, *, around: str = "") -> str:
    """Return `word` with the capitals of the word `model`. A name keeps its own capitals.

    around: the sentence of `model`. It decides for single letters: "A" may open a sentence or be all caps, and "I" is always
    a capital.

    >>> match_case("house", "Cottage"), match_case("Paris", "cottage"), match_case("house", "iPhone")
    ('House', 'Paris', 'house')
    >>> match_case("an", "A"), match_case("an", "A", around="A MAN SHOUTS"), match_case("they", "I", around="I think I know")
    ('An', 'AN', 'They')
    """
    letters = [c for c in model if c.isalpha()]
    if len(letters) == 1:
        return _match_single_letter(word, letters[0], around)
    if letters and all(c.isupper() for c in letters):
        return word.upper()
    return capitalise(word) if letters and letters[0].isupper() else word


def capitalise(word: str) -> str:
    """The word with a capital first letter; a word that has capitals ("iPhone") is unchanged.

    >>> capitalise("house"), capitalise("iPhone"), capitalise("'tis")
    ('House', 'iPhone', "'Tis")
    """
    if any(c.isupper() for c in word.partition(" ")[0]):
        return word
    first = next((i for i, c in enumerate(word) if c.isalpha()), None)
    if first is None or len(word[first].upper()) != 1:  # "ß" has no capital of one letter
        return word
    return word[:first] + word[first].upper() + word[first + 1 :]


def is_all_caps(text: str) -> bool:
    """True if a text has no lower-case letter and at least two capitals in a row.

    >>> is_all_caps("GIVE ME A DOG!"), is_all_caps("I, A."), is_all_caps("NASA is big")
    (True, False, False)
    """
    has_small_letter = any(c.islower() for c in text)
    return not has_small_letter and any(a.isupper() and b.isupper() for a, b in pairwise(text))


def _match_single_letter(word: str, letter: str, around: str) -> str:
    if not letter.isupper():
        return word
    if is_all_caps(around):
        return word.upper()
    if letter == "I" and not around.lstrip("\"'“‘([*-–— ").startswith("I"):
        return word
    return capitalise(word)


# --- inflection -----------------------------------------------------------------------------------------

UNINFLECTED = frozenset("VB VBP NN NNP JJ RB IN RP UH FW CC CD".split())  # their form is the lemma
_UPOS = {"N": "NOUN", "V": "VERB", "J": "ADJ", "R": "ADV"}


MASS_NOUNS = _LISTS["mass_nouns"]

# Countable nouns whose plural equals the singular.
_SAME_IN_PLURAL = re.compile(
    r"(.*(craft|fish|ese)|sheep|deer|elk|moose|bison|swine|salmon|trout|cod|shrimp|staff|series|species|means|offspring"
    r"|crossroads|headquarters|gallows|barracks|police|cattle|clergy|media|percent|mm|cm|km|kg|ft)"
)

_LISTED_FORMS = {
    (lemma, tag): form.replace("_", " ")
    for lemma, listed in listed_phrases(__name__, "forms").items()
    for tag, form in (pair.split("=") for pair in listed)
}


@lru_cache(maxsize=65536)
def inflect(lemma: str, tag: str) -> str | None:
    """The form of a lemma for a Penn tag (NNS, VBZ, JJR ...), or None if it has none.

    >>> inflect("stop", "VBG"), inflect("ice_cream", "NNS"), inflect("quickly", "RBR"), inflect("must", "VBD")
    ('stopping', 'ice creams', 'more quickly', None)
    """
    lemma = lemma.replace("_", " ").strip()
    if not lemma or not tag:
        return None
    if tag == "MD":
        return lemma if lemma in _LISTS.modals else None
    listed = _LISTED_FORMS.get((lemma.lower(), tag))
    if listed is not None:
        return match_case(listed, lemma)
    if tag in UNINFLECTED:
        return None if tag.startswith("V") and lemma in _LISTS.modals - {"can", "will"} else lemma
    if tag == "NNPS":
        return _with_s(lemma)
    if tag[0] not in _UPOS or (tag[0] == "V" and lemma in _LISTS.modals - {"can", "will"}):
        return None
    if tag[0] in "JR":
        return _compared(lemma, tag)
    separator = next((mark for mark in " -" if mark in lemma.strip(" -")), "")
    return _of_several_words(lemma, tag, separator) if separator else _of_one_word(lemma, tag)


def inflect_like(lemma: str, word: Word) -> str | None:
    """The lemma in the form and with the capitals of the word it replaces, or None if it has no such form."""
    form = _form_of_be(word) if lemma == "be" and word.tag in ("VBP", "VBD") else inflect(lemma, word.tag)
    return None if form is None else match_case(form, word.text)


@lru_cache(maxsize=65536)
def lemmas(word: str, upos: str) -> tuple[str, ...]:
    """The lemmas that a form may belong to, most common first; empty if the dictionary does not have it.

    >>> lemmas("lives", "VERB"), lemmas("lives", "NOUN"), lemmas("qwxs", "VERB")
    (('live',), ('life',), ())
    """
    if upos not in ("NOUN", "PROPN", "VERB", "AUX", "ADJ", "ADV"):
        return ()
    by_class = _lemminflect().getAllLemmas(word.lower(), "NOUN" if upos == "PROPN" else upos)
    return tuple(form for forms in by_class.values() for form in forms)


def forms(lemma: str, tag: str) -> tuple[str, ...]:
    """All forms of the dictionary for a Penn tag; `inflect` returns the first.

    >>> forms("travel", "VBD")
    ('traveled', 'travelled')
    """
    preferred = inflect(lemma, tag)
    return tuple(dict.fromkeys([*([preferred] if preferred else []), *_known_forms(lemma, tag)]))


def _form_of_be(word: Word) -> str:
    plural = word.feature("Number") == "Plur" or word.feature("Person") == "2"
    if word.tag == "VBD":
        return "were" if plural else "was"
    return "am" if word.feature("Person") == "1" and not plural else "are"


def _of_several_words(lemma: str, tag: str, separator: str) -> str | None:
    """Compounds: one word takes the ending, the others stay."""
    words = lemma.split(separator)
    inflected = _noun_that_inflects(words) if tag == "NNS" else _verb_that_inflects(words, separator)
    form = inflect(words[inflected], tag)
    return None if form is None else separator.join([*words[:inflected], form, *words[inflected + 1 :]])


def _noun_that_inflects(words: list[str]) -> int:
    for place in range(1, len(words)):
        last = place == len(words) - 1
        if words[place].lower() in (_LISTS.after_its_noun if last else _LISTS.inside_a_noun):
            return place - 1
    return len(words) - 1


def _verb_that_inflects(words: list[str], separator: str) -> int:
    if words[-1] in _LISTS.particles:
        return 0
    return (
        len(words) - 1 if separator == "-" or (len(words) == 2 and words[0] in _LISTS.before_its_verb) else 0
    )


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
    """The first form; of "channelled" and "channeled" the one with a single l."""
    doubled = re.fullmatch(r"(.*)ll(ed|ing)", forms[0])
    single = f"{doubled[1]}l{doubled[2]}" if doubled else ""
    return single if single in forms and not single.startswith("control") else forms[0]


def _compared(lemma: str, tag: str) -> str:
    """Comparatives and superlatives: "bigger", "more beautiful"."""
    if lemma in _LISTS.compared:
        return lemma
    known = _known_forms(lemma, tag)
    return known[0] if known else f"{'more' if tag.endswith('R') else 'most'} {lemma}"


def _known_forms(lemma: str, tag: str) -> tuple[str, ...]:
    forms: tuple[str, ...] = _lemminflect().getInflection(lemma.lower(), tag, inflect_oov=False)
    return forms if lemma.islower() else tuple(match_case(form, lemma) for form in forms)


def _guessed(lemma: str, tag: str) -> str | None:
    """The form of a word that is not in the dictionary, by spelling rules."""
    forms: tuple[str, ...] = _lemminflect().getInflection(lemma.lower(), tag)
    return match_case(forms[0], lemma) if forms else None


def _with_s(name: str) -> str:
    """The plural of a name: "Kennedys", "Joneses"."""
    hisses = name.lower().endswith(("s", "x", "z", "ch", "sh")) and not name.isupper()
    return name + ("es" if hisses else "s")


@lru_cache(maxsize=1)
def _lemminflect() -> ModuleType:
    return import_module("lemminflect")


# --- finite verbs ---------------------------------------------------------------------------------------

_PLURAL_OF = {"is": "are", "was": "were", "has": "have", "does": "do"}
_SINGULAR_OF = {plural: singular for singular, plural in _PLURAL_OF.items()}
_NEGATED = r"(n['’`´]?t?[.,!?]?)?"  # some tokenisers leave the full stop on "ISN'T."
_SINGULAR_AUXILIARY = re.compile(rf"(is|was|has|does){_NEGATED}", re.IGNORECASE)
_PLURAL_AUXILIARY = re.compile(rf"(are|were|have|do){_NEGATED}", re.IGNORECASE)
_OTHER_AUXILIARY = re.compile(
    r"(am|did|had|can|could|may|might|must|shall|should|will|would|wo|ca|sha|ai|ought|gonna|['’]?d|['’]?ll)"
    rf"({_NEGATED}|n|not)?",
    re.IGNORECASE,
)
CONTRACTED_SINGULAR = frozenset({"'s", "’s", "`s", "´s", "s"})
CONTRACTED_PLURAL = frozenset({"'re", "’re", "`re", "´re", "re", "'ve", "’ve", "`ve", "´ve", "ve"})
APOSTROPHES = frozenset({"'", "’", "‘", "`", "´"})


def verb_in_number(form: str, *, plural: bool, lemma: str = "") -> str | None:
    """A finite verb form for a plural (or singular) subject, or None if it does not change.

    The form must be in the present tense, or "was" or "were". Works on spelling, not tags, and takes contractions in all
    spellings: "isn't", "isn’t", "isnt", and the "isn" of a tokeniser. lemma: decides if a form belongs to two verbs.

    >>> verb_in_number("HAS", plural=True), verb_in_number("weren’t", plural=False), verb_in_number("must", plural=True)
    ('HAVE', 'wasn’t', None)
    >>> verb_in_number("cries", plural=True), verb_in_number("cry", plural=False), verb_in_number("went", plural=True)
    ('cry', 'cries', None)
    """
    auxiliary = (_SINGULAR_AUXILIARY if plural else _PLURAL_AUXILIARY).fullmatch(form)
    if auxiliary:
        stem = (_PLURAL_OF if plural else _SINGULAR_OF)[auxiliary[1].lower()]
        return match_case(stem, auxiliary[1]) + (auxiliary[2] or "")
    if is_auxiliary(form) or not form.isalpha():
        return None
    new = _without_s(form.lower(), lemma) if plural else inflect(form.lower(), "VBZ")
    return None if new is None or new == form.lower() else match_case(new, form)


def is_auxiliary(form: str) -> bool:
    """True for finite forms of be, have, do and the modal verbs, contracted or not.

    >>> is_auxiliary("isn"), is_auxiliary("ca"), is_auxiliary("been")
    (True, True, False)
    """
    return any(p.fullmatch(form) for p in (_SINGULAR_AUXILIARY, _PLURAL_AUXILIARY, _OTHER_AUXILIARY))


def is_singular_auxiliary(form: str) -> bool:
    """True for is, was, has, does and their contractions with not."""
    return _SINGULAR_AUXILIARY.fullmatch(form) is not None


def takes_base_forms(form: str, relation: str) -> bool:
    """True for a verb followed by base forms: "can", "did", and "do" or "have" as an auxiliary (`relation` "aux")."""
    lower = form.lower()
    if _OTHER_AUXILIARY.fullmatch(lower):
        return lower not in ("had", "am")
    return relation == "aux" and lower.startswith(("do", "have", "has"))


def is_third_person_form(form: str) -> bool:
    """True if a word can be the third person of a verb: "goes", also "hands"."""
    lower = form.lower()
    return lower.endswith("s") and any(inflect(lemma, "VBZ") == lower for lemma in lemmas(lower, "VERB"))


def is_surely_third_person(form: str, tag: str) -> bool:
    """True for the third person of a verb by its tag, or because no noun has this plural: "writes"."""
    return tag == "VBZ" or (is_third_person_form(form) and not lemmas(form.lower(), "NOUN"))


def is_participle(form: str) -> bool:
    """True if a word can be a past participle: "seen", also "run" and "hurt"."""
    lower = form.lower()
    return lower in ("proven", "sewn") or any(lower in forms(lemma, "VBN") for lemma in lemmas(form, "VERB"))


def is_base_form(form: str) -> bool:
    """True if a word can be the base form of a verb: "go", also "hand"."""
    return form.lower() in lemmas(form, "VERB")


def _without_s(form: str, lemma: str) -> str | None:
    """The base form of an -s form."""
    known = [verb for verb in lemmas(form, "VERB") if inflect(verb, "VBZ") == form]
    if known:
        return lemma if lemma in known else known[0]
    if len(form) < 3 or not form.endswith("s") or form.endswith("ss"):
        return None
    if re.search(r"(ss|sh|ch|x|zz|o)es$", form):
        return form[:-2]
    return form[:-3] + "y" if len(form) > 4 and form.endswith("ies") else form[:-1]


# --- numbers and months: ONES[7] is "seven", TENS[0] is "twenty", ORDINALS[3] is "third" ----------------

ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth"
).split()
MONTHS = "January February March April May June July August September October November December".split()


def number_in_words(number: int) -> str:
    """Return a whole number below 200 in words.

    >>> number_in_words(11), number_in_words(45), number_in_words(103)
    ('eleven', 'forty-five', 'one hundred and three')
    """
    if number >= 100:
        return "one hundred" + (f" and {number_in_words(number - 100)}" if number > 100 else "")
    if number < len(ONES):
        return ONES[number]
    tens, ones = divmod(number, 10)
    return TENS[tens - 2] + (f"-{ONES[ones]}" if ones else "")
