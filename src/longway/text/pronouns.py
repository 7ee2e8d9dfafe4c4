"""Third-person pronouns: their forms, and which pronoun in which form a word of a text is.

    HE.object                        "him"
    form_of(document, word)          PronounForm(HE, "determiner") for "his hat", PronounForm(HE, "possessive") for "it is his"
    pronouns_in(document)            all of them, in order
    doubled(document, word)          the other half of "he/she", "his or her", "himself or herself"

    subject      she runs      he    she    they        it
    object       I see her     him   her    them        it
    determiner   her hat       his   her    their       its
    possessive   it is hers    his   hers   theirs      its
    reflexive    herself       himself      themselves  itself

"her" and "his" have two uses each and "it" too. What stands behind the word decides where it can ("I saw her.",
"a friend of his"); otherwise the grammar of the sentence does, and for the "her" of "I saw her leave" the verb before it
(`text/her.py`). "'em" is left alone: no form of "he" or "she" has its tone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from longway.text.document import Document, Word
from longway.text.finite import is_base_form
from longway.text.her import is_object

Form = Literal["subject", "object", "determiner", "possessive", "reflexive"]
FORMS: tuple[Form, ...] = ("subject", "object", "determiner", "possessive", "reflexive")


@dataclass(frozen=True, slots=True)
class Pronoun:
    """One third-person pronoun in all its forms; plural_verb: "they are", not "they is"."""

    subject: str
    object: str
    determiner: str
    possessive: str
    reflexive: str
    plural_verb: bool = False

    def form(self, form: Form) -> str:
        """The pronoun in one form."""
        return str(getattr(self, form))


HE = Pronoun("he", "him", "his", "his", "himself")
SHE = Pronoun("she", "her", "her", "hers", "herself")
IT = Pronoun("it", "it", "its", "its", "itself")
THEY = Pronoun("they", "them", "their", "theirs", "themselves", plural_verb=True)
XE = Pronoun("xe", "xem", "xyr", "xyrs", "xemself")
ZE = Pronoun("ze", "hir", "hir", "hirs", "hirself")
PRONOUNS = {pronoun.subject: pronoun for pronoun in (HE, SHE, IT, THEY, XE, ZE)}


def singular_they(reflexive: Literal["themselves", "themself"] = "themselves") -> Pronoun:
    """The pronoun "they" with the reflexive of one's choice; "themselves" is much the commoner."""
    return replace(THEY, reflexive=reflexive)


class PronounForm(NamedTuple):
    """What a pronoun in a text is: which one, in which form."""

    pronoun: Pronoun
    form: Form


_OTHER_SPELLINGS = {
    "hisn": PronounForm(HE, "possessive"),
    "hern": PronounForm(SHE, "possessive"),
    "hisself": PronounForm(HE, "reflexive"),
    "themself": PronounForm(THEY, "reflexive"),
    "theirself": PronounForm(THEY, "reflexive"),
    "theirselves": PronounForm(THEY, "reflexive"),
    "s/he": PronounForm(SHE, "subject"),
    "s)he": PronounForm(SHE, "subject"),  # what a tokeniser leaves of "(s)he"
}
_FORMS_OF: dict[str, list[PronounForm]] = {
    written: [PronounForm(p, form) for p in PRONOUNS.values() for form in FORMS if p.form(form) == written]
    for pronoun in PRONOUNS.values()
    for written in map(pronoun.form, FORMS)
} | {written: [mention] for written, mention in _OTHER_SPELLINGS.items()}

_OPENING = frozenset({'"', "“", "‘", "'", "`", "``", "''", "*", "_", "(", "[", "-", "–"})
# No noun phrase after a possessive begins with one of these: "I saw her there", "I gave her the book".
_NEVER_OWNED = frozenset(
    "a an the this that these those some any and or but nor if because when while since until than so "
    "as to too of in on at by for from with about into after before through up off away there here "
    "again eh huh lol i you he she it we they him me us them my your our their its who what which how "
    "why where is was are were be been am has had have does did could would should".split()
)
_NEVER_OWNED_TAGS = frozenset({"PRP", "PRP$", "WP", "WP$", "WRB", "WDT", "EX", "MD", "CC", "TO"})
_TAKE_TWO_OBJECTS = frozenset(
    "give tell show send offer buy get bring make call ask teach pay owe lend hand cause wish cost "
    "leave name consider find deny grant allow promise serve read write sing pass throw feed save "
    "spare do keep cook bake order book earn win deal deem declare elect appoint label term crown set "
    "let have see help watch hear feel want think take".split()
)
_STAND_FOR_NOUNS = frozenset(
    "own best worst favorite favourite usual first second third last next latest ex better elder "
    "superior equal".split()
)
_TAKE_HOME = frozenset("take bring drive get send walk carry follow see fly invite".split())
_PERCEIVE = frozenset(
    "see hear watch catch find keep leave notice feel remember spot picture imagine get".split()
)
_DAYS = frozenset("today tonight tomorrow yesterday".split())
_TIMES_AND_PLACES = frozenset(
    "home today tonight tomorrow yesterday lots tons loads monday tuesday wednesday thursday friday "
    "saturday sunday mornings evenings nights days weekends times way".split()
)


def form_of(document: Document, word: Word) -> PronounForm | None:
    """Which third-person pronoun a word is, and in which form; None where it is none."""
    readings = _FORMS_OF.get(word.lower, [])
    if len(readings) < 2:
        return readings[0] if readings else None
    forms = {mention.form: mention for mention in readings}
    if "subject" in forms:
        return forms["subject" if _is_subject(document, word) else "object"]
    other: Form = "object" if "object" in forms else "possessive"
    return forms["determiner" if _stands_before_its_noun(document, word, other) else other]


def pronouns_in(document: Document) -> list[tuple[Word, PronounForm]]:
    """All third-person pronouns of a document with what they are, in order."""
    found = ((word, form_of(document, word)) for word in document)
    return [(word, mention) for word, mention in found if mention is not None]


def doubled(document: Document, word: Word) -> Word | None:
    """The other half where a word is one of two pronouns that stand for one person: "he/she", "his or her"."""
    mention = form_of(document, word)
    if mention is None:
        return None
    for step in (2, -2):
        other = _at(document, word.index + step)
        between = _at(document, word.index + step // 2)
        if other is None or between is None or between.lower not in ("/", "or"):
            continue
        theirs = form_of(document, other)
        if theirs is not None and _are_halves(mention, theirs) and not _is_list(document, word, other):
            return other
    return None


def _are_halves(one: PronounForm, other: PronounForm) -> bool:
    forms = {one.form, other.form}  # of "his or her" each has two readings
    is_same = len(forms) == 1 or forms <= {"determiner", "possessive", "object"}
    return is_same and {one.pronoun, other.pronoun} == {HE, SHE}


def _is_list(document: Document, word: Word, other: Word) -> bool:
    """True for "his / hers / ours", which names words and no person."""
    ends = (_at(document, min(word.index, other.index) - 1), _at(document, max(word.index, other.index) + 1))
    return any(end is not None and end.lower == "/" for end in ends)


def _is_subject(document: Document, word: Word) -> bool:
    """Of "it": subject or object?"""
    before, after = _at(document, word.index - 1), _at(document, word.index + 1)
    if word.relation in ("nsubj", "expl", "csubj", "root"):
        return True
    if word.relation in ("obj", "iobj") or (before is not None and before.upos == "ADP"):
        return False
    return any(near is not None and near.upos == "AUX" for near in (before, after))


def _stands_before_its_noun(document: Document, word: Word, other: Form) -> bool:
    """Of "her", "his" and "its": does the thing that is owned follow?"""
    after = _next_word(document, word)
    if after is None:
        return False
    if after.lower in ("and", "or", "/") and _is_shared(document, word, after):
        return True
    is_compound = document.text[after.end : after.end + 1] == "-"  # "her so-called friends", "his in-laws"
    if not is_compound and _is_never_owned(document, after):
        return False
    if other == "possessive":
        # "his" stands alone before a verb or a time: "his came first", "it was his yesterday"
        if after.lower in _DAYS:
            return False
        return word.relation in ("nmod", "det") or after.upos not in ("VERB", "PART", "ADP")
    return _is_owner(document, word, after)


def _is_never_owned(document: Document, after: Word) -> bool:
    if after.lower in _NEVER_OWNED or after.tag in _NEVER_OWNED_TAGS or after.text == "/":
        return True
    return after.upos in ("PUNCT", "AUX", "INTJ") or (
        after.upos == "ADV" and not _leads_to_a_noun(document, after)
    )


def _begins_a_noun_phrase(document: Document, after: Word) -> bool:
    """True for "her new house", "her own"; not for "it made her angry.", "I told her nothing"."""
    if after.upos == "ADJ":
        return after.lower in _STAND_FOR_NOUNS or _leads_to_a_noun(document, after)
    is_pronoun = after.lower in ("nothing", "something", "anything", "everything")
    return after.upos in ("NOUN", "PROPN", "NUM") and not is_pronoun


def _leads_to_a_noun(document: Document, word: Word) -> bool:
    """True for the "newly" of "her newly built house", not for the "first" of "I met her first."."""
    for other in document.words[word.index + 1 : word.index + 7]:
        if other.upos in ("NOUN", "PROPN", "NUM"):
            return True
        if (
            other.upos not in ("ADJ", "ADV", "CCONJ")
            and other.tag not in ("VBN", "VBG", "HYPH")
            and other.text not in ("-", ",")  # "her kind, generous nature"
        ):
            return False
    return False


def _is_owner(document: Document, word: Word, after: Word) -> bool:
    """Of "her": word order where it is sure, then tag and relation."""
    before = _at(document, word.index - 1)
    if after.lower == "own":
        return True
    if (after.tag == "VB" and is_base_form(after.lower)) or _is_object_between(before, after):
        return False  # "let her go"
    if is_object(document, word, after):
        return False  # "I saw her leave", "I gave her money", "they call her boss"
    if before is not None and before.upos == "ADP" and _begins_a_noun_phrase(document, after):
        return True  # "to her sister"
    by_tag = word.tag == "PRP$"
    by_relation = word.dep == "nmod:poss"
    if by_tag or by_relation:
        is_sure = by_tag == by_relation and after.upos != "ADJ"
        return is_sure or _begins_a_noun_phrase(document, after)
    # "they malign her friends", tagged as if it were "they show her friends": few verbs take two objects
    verb = document.head(word)
    is_noun = after.tag in ("NN", "NNS") and after.lower not in _TIMES_AND_PLACES
    return is_noun and verb is not None and verb.upos == "VERB" and verb.lemma not in _TAKE_TWO_OBJECTS


def _is_object_between(before: Word | None, after: Word) -> bool:
    """True for the "her" of "take her home", "saw her running"."""
    verb = before.lemma if before is not None and before.upos == "VERB" else ""
    if after.lower == "home":
        return verb in _TAKE_HOME
    return after.lower.endswith("ing") and verb in _PERCEIVE


def _is_shared(document: Document, word: Word, joint: Word) -> bool:
    """True for the "his" of "his and her books", "his or my books", not for that of "his and hers"."""
    partner = _at(document, joint.index + 1)
    if partner is None or partner.tag != "PRP$" or partner.lower == word.lower:
        return False
    follows = _next_word(document, partner)
    return follows is not None and follows.upos in ("NOUN", "PROPN", "ADJ", "NUM")


def _next_word(document: Document, word: Word) -> Word | None:
    """The word behind a word, opening quotes and brackets left out."""
    rest = document.words[word.index + 1 : word.index + 9]
    return next((other for other in rest if other.text not in _OPENING), None)


def _at(document: Document, index: int) -> Word | None:
    return document.words[index] if 0 <= index < len(document) else None
