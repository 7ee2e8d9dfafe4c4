"""Third-person pronouns: their forms, and the pronoun and form of a word in a text.

    HE.object                            "him"
    pronoun_form(document, word)         PronounForm(HE, "determiner") for "his hat", PronounForm(HE, "possessive") for "it is his"
    find_pronouns(document)              all of them, in text order
    paired_pronoun(document, word)       the other half of "he/she", "his or her", "himself or herself"

    subject      she runs      he    she    they        it
    object       I see her     him   her    them        it
    determiner   her hat       his   her    their       its
    possessive   it is hers    his   hers   theirs      its
    reflexive    herself       himself      themselves  itself

"her", "his" and "it" are ambiguous. The next word decides if possible ("I saw her.", "a friend of his"), otherwise the parse, and
for the "her" of "I saw her leave" the verb before it (`is_object_her`). "'em" is left alone: no form of "he" or "she" has its tone.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from longway.english.document import Document, Word, Words
from longway.english.inflection import is_base_form, is_participle, lemmas
from longway.english.people.words import KIN, ROLES, TITLES
from longway.english.words import listed_phrases, listed_words

_LISTS = listed_words(__name__)
Form = Literal["subject", "object", "determiner", "possessive", "reflexive"]
FORMS: tuple[Form, ...] = ("subject", "object", "determiner", "possessive", "reflexive")


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A third-person pronoun in all its forms; plural_verb: "they are", not "they is"."""

    subject: str
    object: str
    determiner: str
    possessive: str
    reflexive: str
    plural_verb: bool = False

    def form(self, form: Form) -> str:
        """Return one form."""
        forms = (self.subject, self.object, self.determiner, self.possessive, self.reflexive)
        return forms[FORMS.index(form)]


HE = Pronoun("he", "him", "his", "his", "himself")
SHE = Pronoun("she", "her", "her", "hers", "herself")
IT = Pronoun("it", "it", "its", "its", "itself")
THEY = Pronoun("they", "them", "their", "theirs", "themselves", plural_verb=True)
XE = Pronoun("xe", "xem", "xyr", "xyrs", "xemself")
ZE = Pronoun("ze", "hir", "hir", "hirs", "hirself")
EY = Pronoun("ey", "em", "eir", "eirs", "emself")
NEOPRONOUNS = (XE, ZE, EY)
PRONOUNS = {pronoun.subject: pronoun for pronoun in (HE, SHE, IT, THEY, *NEOPRONOUNS)}


def singular_they(reflexive: Literal["themselves", "themself"] = "themselves") -> Pronoun:
    """The pronoun "they" with the chosen reflexive; "themselves" is much more common."""
    return replace(THEY, reflexive=reflexive)


class PronounForm(NamedTuple):
    """The pronoun and the form of a word."""

    pronoun: Pronoun
    form: Form


_OTHER_SPELLINGS = {
    "hisn": PronounForm(HE, "possessive"),
    "hern": PronounForm(SHE, "possessive"),
    "hisself": PronounForm(HE, "reflexive"),
    "themself": PronounForm(THEY, "reflexive"),
    "xyrself": PronounForm(XE, "reflexive"),
    "zie": PronounForm(ZE, "subject"),
    "zirs": PronounForm(ZE, "possessive"),
    "zirself": PronounForm(ZE, "reflexive"),
    "eirself": PronounForm(EY, "reflexive"),
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
_FORMS_OF["zir"] = _FORMS_OF["hir"]
del _FORMS_OF["em"]  # "'em" is short for "them"

_OPENING = frozenset({'"', "“", "‘", "'", "`", "``", "''", "*", "_", "(", "[", "-", "–"})


def pronoun_form(document: Document, word: Word) -> PronounForm | None:
    """The third-person pronoun that a word is, and its form; None for other words."""
    readings = _FORMS_OF.get(word.lower, [])
    if len(readings) < 2:
        return readings[0] if readings else None
    forms = {reading.form: reading for reading in readings}
    if "subject" in forms:
        return forms["subject" if _is_subject(document, word) else "object"]
    other: Form = "object" if "object" in forms else "possessive"
    return forms["determiner" if _stands_before_its_noun(document, word, other) else other]


def find_pronouns(document: Document) -> list[tuple[Word, PronounForm]]:
    """All third-person pronouns of a document with their forms, in text order."""
    readings = ((word, pronoun_form(document, word)) for word in document)
    return [(word, reading) for word, reading in readings if reading is not None]


def paired_pronoun(document: Document, word: Word) -> Word | None:
    """The other half if a word is one of two pronouns for one person: "he/she", "his or her"."""
    own = pronoun_form(document, word)
    if own is None:
        return None
    for step in (2, -2):
        other = document.word_at(word.index + step)
        between = document.word_at(word.index + step // 2)
        if other is None or between is None or between.lower not in ("/", "or"):
            continue
        theirs = pronoun_form(document, other)
        if theirs is not None and _are_halves(own, theirs) and not _is_list(document, word, other):
            return other
    return None


def _are_halves(first: PronounForm, other: PronounForm) -> bool:
    forms = {first.form, other.form}  # of "his or her" each has two readings
    is_same = len(forms) == 1 or forms <= {"determiner", "possessive", "object"}
    return is_same and {first.pronoun, other.pronoun} == {HE, SHE}


def _is_list(document: Document, word: Word, other: Word) -> bool:
    """True for "his / hers / ours", which lists words and refers to no person."""
    ends = (
        document.word_at(min(word.index, other.index) - 1),
        document.word_at(max(word.index, other.index) + 1),
    )
    return any(end is not None and end.lower == "/" for end in ends)


def _is_subject(document: Document, word: Word) -> bool:
    """True if "it" is a subject, False if it is an object."""
    before, after = document.before(word), document.after(word)
    if word.relation in ("nsubj", "expl", "csubj", "root"):
        return True
    if word.relation in ("obj", "iobj") or (before is not None and before.upos == "ADP"):
        return False
    return any(near is not None and near.upos == "AUX" for near in (before, after))


def _stands_before_its_noun(document: Document, word: Word, other: Form) -> bool:
    """True if what is owned follows "her", "his" or "its"."""
    after = _next_word(document, word)
    if after is None:
        return False
    if after.lower in ("and", "or", "/") and _is_shared(document, word, after):
        return True
    if document.lower_at(word.index - 1) == "at" and after.lower in ("most", "least"):
        return True  # "at his most charming"
    is_compound = document.text[after.end : after.end + 1] == "-"  # "her so-called friends", "his in-laws"
    if not is_compound and _is_never_owned(document, after):
        return False
    if word.lower in ("hir", "zir"):  # unknown to taggers
        return _begins_a_noun_phrase(document, after)
    if other == "possessive":
        # "his" without a noun, before a verb or a time: "his came first", "it was his yesterday"
        if after.lower in _LISTS.days:
            return False
        return word.relation in ("nmod", "det") or after.upos not in ("VERB", "PART", "ADP")
    return _is_owner(document, word, after)


def _is_never_owned(document: Document, after: Word) -> bool:
    if after.lower in _LISTS.never_owned or after.tag in _LISTS.never_owned_tags or after.text == "/":
        return True
    return after.upos in ("PUNCT", "AUX", "INTJ") or (
        after.upos == "ADV" and not _leads_to_a_noun(document, after)
    )


def _begins_a_noun_phrase(document: Document, after: Word) -> bool:
    """True for "her new house", "her own"; not for "it made her angry.", "I told her nothing"."""
    if after.upos == "ADJ":
        return after.lower in _LISTS.stand_for_nouns or _leads_to_a_noun(document, after)
    is_pronoun = after.lower in ("nothing", "something", "anything", "everything")
    return after.upos in ("NOUN", "PROPN", "NUM") and not is_pronoun


def _leads_to_a_noun(document: Document, word: Word) -> bool:
    """True for the "newly" of "her newly built house", not for the "first" of "I met her first."."""
    for other in document.words[word.index + 1 : word.index + 7]:
        if other.upos in ("NOUN", "PROPN", "NUM"):
            return True
        is_between = other.upos in ("ADJ", "ADV", "CCONJ") or other.tag in ("VBN", "VBG", "HYPH")
        if not is_between and other.text not in ("-", ","):  # "her kind, generous nature"
            return False
    return False


def _is_owner(document: Document, word: Word, after: Word) -> bool:
    """True if "her" is a determiner: by word order if that is certain, then by tag and relation."""
    before = document.before(word)
    if after.lower == "own":
        return True
    if (after.tag == "VB" and is_base_form(after.lower)) or _is_object_between(before, after):
        return False  # "let her go"
    if is_object_her(document, word, after):
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
    is_noun = after.tag in ("NN", "NNS") and after.lower not in _LISTS.times_and_places
    return is_noun and verb is not None and verb.upos == "VERB" and verb.lemma not in _LISTS.take_two_objects


def _is_object_between(before: Word | None, after: Word) -> bool:
    """True for the "her" of "take her home", "saw her running"."""
    verb = before.lemma if before is not None and before.upos == "VERB" else ""
    if after.lower == "home":
        return verb in _LISTS.take_home
    return after.lower.endswith("ing") and verb in _LISTS.perceive


def _is_shared(document: Document, word: Word, joint: Word) -> bool:
    """True for the "his" of "his and her books", "his or my books", not for that of "his and hers"."""
    partner = document.after(joint)
    if partner is None or partner.tag != "PRP$" or partner.lower == word.lower:
        return False
    follows = _next_word(document, partner)
    return follows is not None and follows.upos in ("NOUN", "PROPN", "ADJ", "NUM")


def _next_word(document: Document, word: Word) -> Word | None:
    """The next word, skipping opening quotes and brackets."""
    rest = document.words[word.index + 1 : word.index + 9]
    return next((other for other in rest if other.text not in _OPENING), None)


# --- "her" as an object: word lists. She does it: "I saw her leave"

_OBJECT_LISTS = listed_phrases(__name__, "second_objects")


def _with_lists(words: tuple[str, ...]) -> frozenset[str]:
    """The words, with each name of a list, in capitals, replaced by the words of that list."""
    lists = [_with_lists(_OBJECT_LISTS[word]) for word in words if word.isupper()]
    return frozenset(word for word in words if not word.isupper()).union(*lists)


_SECOND_OBJECTS = {verb: _with_lists(nouns) for verb, nouns in _OBJECT_LISTS.items() if verb.islower()}
_TAKE_NUMBERS = _LISTS.take_any_plural | frozenset("bring buy pay earn win take feed hand show".split())

_NICKNAMES = frozenset(KIN) | frozenset("baby boss buddy friend hero master mate pal".split())
_RELATED = _NICKNAMES | _LISTS.related
_ALIVE = _RELATED | _LISTS.animals | KIN.keys() | ROLES.keys()


def is_object_her(document: Document, pronoun: Word, after: Word) -> bool:
    """True if "her", between a verb and what looks like a noun, is an object. after: the word behind "her".

        I saw her leave        him    she does it: after "let", "make", "help", "have" and verbs of perception
        I gave her money       him    she receives it: after verbs with two objects
        They call her boss     him    she is it: after "call", "name", "elect"
        I like her dance       his

    A parser takes nearly all of these for determiners, because most are. Word order helps: a countable second object needs an article
    ("gave her a book"), so without one only plurals and mass nouns are considered, and only a "she" gives her own money. If both
    readings are possible ("I saw her dance on TV"), the choice is that of "him" and "his" in the same place in running text: "saw him
    play", "watched him dance", but "saw his work".
    """
    verb = document.before(pronoun)
    if verb is None or verb.upos not in ("VERB", "AUX"):
        return False
    return (
        _does(document, verb, after)
        or _gets(document, verb, after)
        or _is_called(document, verb, after)
        or _becomes(document, verb, after)
    )


# --- she does it --------------------------------------------------------------------------------------


def _does(document: Document, verb: Word, after: Word) -> bool:
    """True for "saw her leave", "helps her sleep", "had her check the tickets"."""
    if verb.lemma not in _LISTS.cause | _LISTS.perception_verbs | {"have"} or after.tag in (
        "NNS",
        "NNP",
        "NNPS",
    ):
        return False
    behind, further = document.after(after), document.word_at(after.index + 2)
    if not is_base_form(after.lower):
        return False
    if behind is not None and further is not None and behind.tag == "CC" and further.tag in ("PRP$", "DT"):
        return False  # "we watched her dance and her play"
    is_cause = verb.lemma in _LISTS.cause
    if verb.lemma == "let" and (behind is None or behind.upos in ("PUNCT", "ADP", "ADV", "CCONJ")):
        return True  # "let her park"
    if verb.lemma == "make" and after.lower in _LISTS.makes_her_own and _may_be_she(document, verb):
        return False
    if (is_cause or after.lower in _LISTS.done_to) and _has_an_object(document, after):
        return True
    if any(complement.index > after.index for complement in document.children(verb, "xcomp")):
        return False  # "made her work difficult"
    if verb.lemma in _LISTS.perception_verbs:
        is_watched = verb.lemma == "watch" and after.lower == "work"
        return is_watched or after.lower in _LISTS.doings - _LISTS.seen or _is_no_noun(after)
    is_doing = after.lower in _LISTS.doings | _LISTS.caused or _is_no_noun(after)
    return is_doing and (
        is_cause or not _may_be_she(document, verb)
    )  # "I had her work", but "she had her say"


def _is_no_noun(word: Word) -> bool:
    return not lemmas(word.lower, "NOUN") and word.upos not in ("ADJ", "ADV")


def _has_an_object(document: Document, verb: Word) -> bool:
    """True for "help her carry it", "see her play a villain"; not for "saw her play the other day"."""
    after = document.after(verb)
    is_object = after is not None and after.tag in ("DT", "PDT", "PRP", "PRP$")
    return after is not None and is_object and not _begins_a_time(document, after)


# --- she gets it --------------------------------------------------------------------------------------


def _gets(document: Document, verb: Word, after: Word) -> bool:
    """True for "gave her money", "told her stories", "offered her better terms"."""
    phrase = _noun_phrase(document, after)
    if not phrase or verb.lemma not in _TAKE_NUMBERS | _SECOND_OBJECTS.keys():
        return False
    noun = phrase[-1]
    if (
        any(word.upos == "PROPN" or word.lemma.lower() in _ALIVE for word in phrase)
        or _is_kept_apart(document, noun)
        or after.tag == "JJS"
    ):
        return False  # "gave her mother flowers", "gave her keys back", "gave her best advice"
    second = _SECOND_OBJECTS.get(verb.lemma, frozenset())
    is_taken = noun.lower in second
    if verb.lemma in ("wish", "bid") and is_taken:
        return True
    if noun is after and noun.lower in _LISTS.given and (is_taken or verb.lemma in _LISTS.take_any_plural):
        return True
    if after.lower in _LISTS.quantities or (after.lower == "more" and len(phrase) == 2):
        return True
    if after.upos == "NUM" and noun.tag == "NNS" and verb.lemma in _TAKE_NUMBERS:
        return not _may_be_she(document, verb) or verb.lemma in ("take", "give", "cost", "earn")
    is_plural = (
        noun.tag == "NNS" and verb.lemma in _LISTS.take_any_plural and noun.lower not in _LISTS.ones_own
    )
    is_stuff = is_taken or (noun.lower in _LISTS.given and verb.lemma in _LISTS.take_any_plural)
    return (is_plural or is_stuff) and not _may_be_she(document, verb)


def _noun_phrase(document: Document, after: Word) -> Words:
    """The words from the first one to the last of the following nouns: "better terms", "two dinner plates"."""
    phrase: list[Word] = []
    for word in document.words[after.index : after.index + 6]:
        is_noun = word.upos in ("NOUN", "PROPN")
        has_noun = bool(phrase) and phrase[-1].upos in ("NOUN", "PROPN")
        if (has_noun and (not is_noun or word.lemma in _LISTS.times)) or (
            not is_noun and word.upos not in ("ADJ", "NUM")
        ):
            break
        if has_noun and phrase[-1].relation != "compound":
            return ()  # "gave her dog water": two objects
        phrase.append(word)
    return tuple(phrase) if phrase and phrase[-1].upos in ("NOUN", "PROPN") else ()


def _is_kept_apart(document: Document, noun: Word) -> bool:
    """True if what follows a noun shows that it is not a second object: "her money to Tom", "her keys back"."""
    after = document.after(noun)
    if after is None:
        return False
    behind = document.word_at(noun.index + 2)
    if after.lower == "to":
        return noun.lower != "access" and (behind is None or behind.tag not in ("VB", "VBP"))
    if after.lower in ("in", "over", "out"):
        return behind is None or behind.upos == "PUNCT"
    if after.upos == "ADJ":
        return after.lower not in ("last", "next")
    return (
        after.lower in _LISTS.moved
        or after.tag in ("POS", "VBN")
        or (after.tag in ("DT", "PRP$", "PRP") and not _begins_a_time(document, after))
    )


def _begins_a_time(document: Document, article: Word) -> bool:
    """True for the first word of "every day", "that night", "the other day"."""
    rest = document.words[article.index : article.index + 4]
    return any(word.lemma in _LISTS.times for word in rest)


# --- she is it ----------------------------------------------------------------------------------------


def _is_called(document: Document, verb: Word, after: Word) -> bool:
    """True for "they call her boss", "elected her president", "made her one of them"."""
    if verb.lemma not in _LISTS.name:
        return False
    behind = document.after(after)
    is_last = behind is None or behind.text in _LISTS.ends | {","}
    lower = after.lower
    if lower in ("one", "part"):
        return behind is not None and behind.lower == "of"
    if lower in _LISTS.addresses:
        return verb.lemma == "call"
    if lower in _RELATED:  # "they called her boss" may be a phone call
        is_habit = verb.lemma == "call" and verb.tag in ("VBP", "VBZ") and lower in _NICKNAMES
        return is_habit and is_last and not _may_be_she(document, verb)
    if after.tag == "NNP" and verb.lemma in ("call", "name"):
        return behind is None or behind.tag != "POS"
    is_role = lower in ROLES or lower in TITLES
    return is_role and (is_last or (behind is not None and behind.lower in ("of", "in", "for", "and")))


def _becomes(document: Document, verb: Word, after: Word) -> bool:
    """True for "found her guilty", "had her freed", if the word was tagged as a noun."""
    if verb.lemma not in _LISTS.find or after.tag not in ("NN", "VBN") or lemmas(after.lower, "NOUN"):
        return False
    behind = document.after(after)
    is_predicate = bool(lemmas(after.lower, "ADJ")) or is_participle(after.lower)
    return is_predicate and (
        behind is None or behind.upos not in ("NOUN", "PROPN", "ADJ", "PUNCT") or behind.text in _LISTS.ends
    )


# --- whose it could be --------------------------------------------------------------------------------


def _may_be_she(document: Document, verb: Word) -> bool:
    """True if the subject of a verb could be the woman herself: "she gave her money", "Ann offered her help"."""
    subject = _subject(document, verb)
    if subject is None:
        return verb.tag not in ("VB", "VBP")  # "give her time!"
    lower = subject.lower
    if lower == "she" or subject.upos == "PROPN":
        return True
    if lower in _LISTS.never_hers or subject.tag == "NNS":
        return False
    genders = [words[lower] for words in (KIN, ROLES, TITLES) if lower in words]
    return bool(genders) and "masculine" not in genders


def _subject(document: Document, verb: Word) -> Word | None:
    """The subject of a verb, including one it shares with the verb it is joined to or depends on."""
    current: Word | None = verb
    while current is not None:
        subjects = [
            s for s in document.children(current, "nsubj") if s.index < verb.index and s.dep != "nsubj:outer"
        ]
        if current.dep == "acl:relcl" and (not subjects or subjects[-1].tag in ("WP", "WDT")):
            return document.head(current)
        if subjects:
            return subjects[-1]
        if current.relation not in ("conj", "xcomp", "advcl"):
            return None
        current = document.head(current)
    return None
