"""Why the rules do not change a person: doubts about who is meant, or whether a person is meant at all.

    reason_of_doubt(document, person, people, request, words)     the reason; "" if the person can be changed

A wrong change is worse than none: the row stays as it is, and the reason is reported. There is doubt if

    pronouns     a pronoun of the same gender may be somebody else's, or this person's and be left behind
    nouns        another noun may mean the same person: "an actress ... that woman", "a boy ... the child"
    names        a name may be a surname, a place or a company; or it would stay beside the new pronouns
    ages         others of the same age are mentioned; dates go with the age
    the body     what is said is true of one gender only: "pregnant"
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import partial

from longway.english.document import Document, Word
from longway.english.inflection import is_all_caps
from longway.english.listed_words import listed_words
from longway.english.people.demographic_mentions import (
    NEUTRAL,
    PRONOUN_ATTRIBUTES,
    SURE_GENDER,
    TITLE_OF_A_WORK,
    DemographicMention,
    DescribedPerson,
    is_other_person,
)
from longway.english.people.demographics import Attribute, entries_for
from longway.english.people.mentions import Mention, find_mentions, is_mainly_first_name, person_noun_kind
from longway.english.people.person_names import (
    census_first_name,
    census_surname,
    gender_attribute,
    gender_of_first_name,
    group_attribute,
    name_kind,
    suits_gender,
)
from longway.english.people.person_words import HUMAN_VERBS, PLACES, SPEECH_VERBS
from longway.english.people.pronouns import THEY, pronoun_form
from longway.english.people.referents import IN_A_NAME, is_animal, is_capitalised, is_person, is_work
from longway.english.wordnet import senses
from longway.methods.perturb.perturber import Request
from longway.methods.perturb.segments import starts_of

CLEAR = 5  # a name is a surname if so many times more people bear it as surname than as first name, and vice versa
COMMON_FIRST = 5_000  # bearers from which a first name shows a person
LONG = 30  # words; in a longer text with several people every pronoun must be certain
MIXED = "words of two genders refer to this person"
ONLY_A_NAME = "only a name, which may be that of a thing"
NAME_KEPT = "the name would stay"
FIRST_OR_LAST = "it may be a first name or a surname"
OTHERS_NEAR = "it may be the same people"
OTHERS = "others of this gender are mentioned"
SAME_GROUP = "others of this group are mentioned"
SAME_AGE = "others of this age are mentioned"
WITH_AGE = "it goes with the age"
OFFSPRING = "may say whose child it is"
THINGS = "a thing for people of this age"
DATED = "dates or spans of years go with the age"
UNCERTAIN = "it is not certain who this refers to"
BODY = "may be true of one gender only"

_DATES = re.compile(r"\b1[5-9]\d\d\b|\b20[0-2]\d\b|\byears\s+(?:later|of|in|on|before|after)\b")
_LISTS = listed_words(__name__)
_BODY, _ABOUT_AGES = _LISTS["body"], _LISTS["about_ages"]
_PARTS_OF_WORDS = re.compile(r"\(\s*\w{1,2}\s*\)\s*$")
_OF_A_NUMBER = frozenset("old age aged born".split())
_OFFSPRING = frozenset("child children kid kids".split())
_DECADE = re.compile(r"['’]?\d0['’]?s|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties")
_OTHER = {"man": ("woman",), "woman": ("man",)}
_POINTING = frozenset(("the", "this", "that", "as"))


def reason_of_doubt(
    document: Document,
    person: DescribedPerson,
    people: Sequence[DescribedPerson],
    request: Request,
    words: Mapping[DemographicMention, str],
    *,
    keep_names: bool = False,
) -> str:
    """Why it is not certain that a change would be right; "" if it is.

    words: the new words of the person, without pronouns. keep_names: names stay on request.
    """
    reason = (
        _name_elsewhere(document, words)
        or _only_a_name(document, person)
        or _capital_noun(document, words)
        or _figure_of_speech(document, words)
        or _beside_a_name(document, person, words)
        or _same_word(document, _in_the_same_text(people, words, request), words)
        or _contrast(document, words)
        or _small_title(document, words, person)
    )
    if reason:
        return reason
    if request.target.axis == "age":
        return _other_ages(document, person, people, request)
    if request.target.axis == "race":
        is_named = any(word.kind in ("name", "surname") for word in words)
        reason = _doubtful_name(document, person, words)
        return reason or (_other_groups(document, person, people, request) if is_named else "")
    reason = _doubt_about_gender(document, person, people, request, words)
    return reason or ("" if keep_names else _kept_name(document, person, request, words))


def _doubt_about_gender(
    document: Document,
    person: DescribedPerson,
    people: Sequence[DescribedPerson],
    request: Request,
    words: Mapping[DemographicMention, str],
) -> str:
    source = request.source
    others = person.attributes("gender") - {source.name, NEUTRAL.name if source != NEUTRAL else ""}
    if others:
        return MIXED
    numbers = {
        word.entry.number for word in person.words if word.entry is not None and word.kind != "pronoun"
    }
    if {"sing", "plur"} <= numbers:
        return f"{_written(document, person.words[0])!r}: {UNCERTAIN}"
    if (
        request.target != NEUTRAL
        and (said := next((w for w in document if w.lower in _BODY), None)) is not None
    ):
        return f"{said.text!r}: {BODY}"
    if source == NEUTRAL and "as they come" in document.text:
        return f"'they': {UNCERTAIN}"
    if source == NEUTRAL:
        return _uncertain_they(document, person) or _is_shown_elsewhere(document, person, people)
    return _doubtful_name(document, person, words) or _uncertain(document, person, people, request)


def _uncertain(
    document: Document, person: DescribedPerson, people: Sequence[DescribedPerson], request: Request
) -> str:
    """Why it is not certain which words mean a person; "" if it is.

    "John met Bill before he left": who left? A pronoun that belongs to nobody could be this person's.
    """
    source = request.source
    same = [other for other in people if other is not person and source.name in other.attributes("gender")]
    word = (
        _ship(document, person, source)
        or _unread_name(document, person, source)
        or _doubtful_pronoun(document, person, people, source)
        or _half_a_word(document, person)
        or _animals_pronoun(document, person)
        or _same_noun(document, person, same)
        or _skipped_noun(document, person, people, source)
    )
    if word is not None:
        return f"{word.text!r}: {UNCERTAIN}"
    for other in same:
        open_one, known = (person, other) if _is_open(person) else (other, person)
        if not _is_open(open_one) or _is_open(known):
            continue
        shares = any(word.kind == "pronoun" and not _is_reflexive(document, word) for word in known.words)
        if _are_two(document, open_one, known) and not shares:
            continue
        is_named = any(word.kind in ("name", "surname") for word in known.words)
        if shares or _start(known) < _start(open_one) or not (is_named or _is_kin(known)):
            return f"{_written(document, open_one.words[0])!r}: {UNCERTAIN}"
    return ""


def _is_kin(person: DescribedPerson) -> bool:
    return any(word.kind == "kin" for word in person.words)


def _ship(document: Document, person: DescribedPerson, source: Attribute) -> Word | None:
    """The subject of "the Macdonough patrolled the waters", which "she" may mean."""
    if source.name != "woman" or not _is_open(person):
        return None
    subjects = (w for w in document if w.upos == "PROPN" and w.relation == "nsubj")
    return next((w for w in subjects if any(d.lower == "the" for d in document.children(w, "det"))), None)


def _half_a_word(document: Document, person: DescribedPerson) -> Word | None:
    """The "his" of "( t ) his", the "she" of "ain't-she-cute"."""
    for word in (document.words[word.first] for word in person.words if word.kind == "pronoun"):
        around = document.text[max(0, word.start - 1) : word.start], document.text[word.end : word.end + 1]
        if "-" in around or _PARTS_OF_WORDS.search(document.text[: word.start]):
            return word
    return None


def _animals_pronoun(document: Document, person: DescribedPerson) -> Word | None:
    """A pronoun behind an animal: "This woman lost my dog, and I never found her"."""
    animals = [word for word in document if word.text.islower() and word.tag == "NN" and is_animal(word)]
    for word in (document.words[word.first] for word in person.words if word.kind == "pronoun"):
        is_object = word.relation in ("obj", "iobj", "obl")
        if is_object and any(animal.index < word.index and animal.head != word.head for animal in animals):
            return word
    return None


def _same_noun(document: Document, person: DescribedPerson, same: Sequence[DescribedPerson]) -> Word | None:
    """A noun with "the", "this" or "that" that may mean the same as an earlier noun or name: "an actress ... that woman"."""
    for first, second in (
        (person, other) if _start(person) < _start(other) else (other, person) for other in same
    ):
        if _is_open(first) or _is_several(first):
            continue
        for word in second.words:
            noun = document.words[word.end - 1]
            is_pointed_at = any(w.lower in _POINTING for w in document.children(noun, "det", "case"))
            is_defined = bool(document.children(noun, "nmod", "nmod:poss"))
            is_noun = word.entry is not None and word.entry.number == "sing" and noun.upos == "NOUN"
            if is_noun and is_pointed_at and not is_defined and second.words[0] is word:
                return noun
    return None


def _skipped_noun(
    document: Document, person: DescribedPerson, people: Sequence[DescribedPerson], source: Attribute
) -> Word | None:
    """A noun of the same gender that was not read as a person: "man confronting his fear". It may be this person."""
    read = {index for one in people for word in one.words for index in range(word.first, word.end)}
    if _is_several(person):
        return None
    kinds = ("person", "kin", "role", "title", "noble")
    return next(
        (
            word
            for word in document
            if word.index not in read
            and word.text.islower()
            and any(
                entry.attribute == source
                and entry.number == "sing"
                and entry.kind in kinds
                and (entry.kind == "title" or word.relation != "compound")
                for entry in entries_for(word.text)
                if "generic" not in entry.notes
            )
        ),
        None,
    )


def _start(person: DescribedPerson) -> int:
    return min(word.start for word in person.words)


def _is_several(person: DescribedPerson) -> bool:
    return any(word.entry is not None and word.entry.number == "plur" for word in person.words)


def _is_shown_elsewhere(
    document: Document, person: DescribedPerson, people: Sequence[DescribedPerson]
) -> str:
    """Why a "child" or "person" may be somebody whose gender other words show; "" if nobody is: "a boy ... the child"."""
    if _is_several(person):
        return ""
    for other in people:
        genders = other.attributes("gender") - {NEUTRAL.name}
        if other is not person and genders and not _is_several(other):
            return f"{_written(document, other.words[0])!r}: {UNCERTAIN}"
    return ""


def _doubtful_name(
    document: Document, person: DescribedPerson, words: Mapping[DemographicMention, str]
) -> str:
    """Why the names of a person may be misread; "" if they are clear.

    A single name may be a surname; a first name that contradicts the pronouns is one, or two people are taken for one.
    """
    names = [mention for mention in person.mentions if mention.kind == "name"]
    if not any(word.kind in ("name", "surname") for word in words):
        return ""
    shown = {
        word.attribute.name
        for word in person.words
        if word.attribute.axis == "gender" and word.kind not in ("name", "surname") and not word.is_generic
    }
    firsts = {mention.parts[0] for mention in names if len(mention.parts) > 1}
    lasts = {mention.parts[-1] for mention in names if len(mention.parts) > 1 or mention.title}
    groups = {
        word.attribute
        for word in person.words
        if word.kind in ("name", "surname") and word.attribute.axis == "race"
    }
    is_relative = any(
        word.kind == "kin" for word in person.words
    )  # "her mother, Ann Roe ... Roe": who is "Roe"?
    has_surname_only = any(len(m.parts) == 1 and not m.title and m.parts[0] in lasts - firsts for m in names)
    if any(_is_of_something(document, mention) for mention in names):
        return f"{person.name!r}: {ONLY_A_NAME}"
    if not shown and any(_is_no_full_name(mention) for mention in names if len(mention.parts) > 1):
        return f"{person.name!r}: {ONLY_A_NAME}"
    if any(
        word.kind == "surname" and is_mainly_first_name(_written(document, word).lower()) for word in words
    ):
        return f"{person.name!r}: {FIRST_OR_LAST}"
    if len(groups) > 1 or _is_short_first(names) or (is_relative and has_surname_only):
        return f"{person.name!r}: {UNCERTAIN}"
    if any(word.attribute.axis == "race" for word in words):
        kept = next(_kept_parts(document, names, words), None)
        if kept is not None:
            return f"{kept!r}: {NAME_KEPT}"
    if shown and any(
        _gender_of_new(new) not in ("", *shown)
        for word, new in words.items()
        if word.kind == "name" and word.attribute.axis == "race"
    ):
        return f"{person.name!r}: {UNCERTAIN}"
    texts = {w.text for w in document}
    for mention in names:
        first = mention.parts[0]
        if len(mention.parts) == 1 and first in texts and not document.text.islower():
            return f"{_named(document, mention)!r}: {ONLY_A_NAME}"  # "a maverick ... Maverick means non-conformist"
        if len(mention.parts) == 1 and first in PLACES and not is_mainly_first_name(first):
            return f"{_named(document, mention)!r}: {UNCERTAIN}"
        is_alone = len(mention.parts) == 1 and not mention.title and first not in firsts
        if is_alone and first not in lasts and not _is_clear(document, first, shown):
            return f"{_named(document, mention)!r}: {FIRST_OR_LAST}"
        is_read_as_first = any(word.kind == "name" for word in words)
        if is_alone and first not in lasts and not is_read_as_first and not _acts(document, names):
            return f"{_named(document, mention)!r}: {ONLY_A_NAME}"
        is_surname = (
            len(mention.parts) == 1
            and first not in firsts
            and (first in lasts or name_kind(first) == "surname")
        )
        if not is_surname and _gender_shown(first) not in ("", *shown) and shown:
            return f"{_named(document, mention)!r}: {UNCERTAIN}"
    return ""


def _is_no_full_name(mention: Mention) -> bool:
    """True for "Kids Shows", "Nationalist Juan Roe": it begins with an ordinary word that is no first name."""
    first = mention.parts[0]
    known = census_first_name(first)
    is_rare = known is None or known.count < COMMON_FIRST
    last = mention.parts[-1]
    is_thing = census_surname(last) is None and bool(senses(last, "NOUN"))  # "Mickey Mouse"
    return is_thing or (is_rare and bool(senses(first, "NOUN") or senses(first, "ADJ")) and not mention.title)


def _is_of_something(document: Document, mention: Mention) -> bool:
    """True for "Emmy winners", "Nirvana leader Kurt Cobain", "Sophie's World"."""
    head, mark, owned = (
        document.words[mention.head],
        document.word_at(mention.end),
        document.word_at(mention.end + 1),
    )
    above = document.head(head)
    is_before = head.relation == "compound" and above is not None and above.index >= mention.end
    is_owner = mark is not None and mark.lower in ("'s", "’s", "'", "’") and owned is not None
    return is_before or (is_owner and owned is not None and is_capitalised(owned))


def _gender_of_new(name: str) -> str:
    gender = gender_attribute(name)
    return gender if gender in ("man", "woman") else ""


def _other_groups(
    document: Document, person: DescribedPerson, people: Sequence[DescribedPerson], request: Request
) -> str:
    """Why a group cannot change alone; "" if it can: "Ms. Jaramillo is of Latina descent"."""
    for word in (word for other in people if other is not person for word in other.words):
        if word.attribute in (request.source, request.target) and word.entry is not None:
            return f"{_written(document, word)!r}: {SAME_GROUP}"
    return ""


def _is_short_first(names: Sequence[Mention]) -> bool:
    """True for "Maria ... Maria Caterina Farnese": a full name comes first, unless they are two people."""
    short = [m.start for m in names if len(m.parts) == 1 and not m.title]
    full = [m.start for m in names if len(m.parts) > 1]
    return bool(short and full) and min(short) < min(full)


def _kept_parts(
    document: Document, names: Sequence[Mention], words: Mapping[DemographicMention, str]
) -> Iterator[str]:
    """The parts of a name that show the same group as those that change, but would stay: the "Zhang" of "Zhang Feng"."""
    groups = {word.attribute.name for word in words if word.attribute.axis == "race"}
    changed = {index for word in words for index in range(word.first, word.end)}
    for mention in names if groups - {"white"} else ():
        for word in document.words[mention.start : mention.end]:
            shown = {group_attribute(word.text), group_attribute(word.text, kind="surname")}
            if word.index not in changed and shown & groups:
                yield word.text


def _named(document: Document, mention: Mention) -> str:
    return document.text[document.words[mention.start].start : document.words[mention.end - 1].end]


def _gender_shown(name: str) -> str:
    """The gender that nearly all bearers of a first name have; "" if there is none."""
    genders = {"masculine": "man", "feminine": "woman"}
    return genders.get(gender_of_first_name(name, sure=SURE_GENDER) or "", "")


def _is_clear(document: Document, name: str, shown: Collection[str]) -> bool:
    """True for a single name that is clearly a first name or a surname: by its bearers, or since the pronouns fit a first name.

    "Ryan" is a surname in "Ryan lost her keys", and may be one in "Ryan said" if the text has no "he".
    """
    first, last = census_first_name(name), census_surname(name)
    if first is None or last is None or last.count >= CLEAR * first.count:
        return True
    if _gender_shown(name) in shown or is_mainly_first_name(name):
        return True
    return first.count >= CLEAR * last.count and not _contradicts(document, _gender_shown(name))


def _contradicts(document: Document, gender: str) -> bool:
    """True if all pronouns of a text show another gender."""
    readings = (pronoun_form(document, word) for word in document)
    shown = {PRONOUN_ATTRIBUTES[r.pronoun].name for r in readings if r and r.pronoun in PRONOUN_ATTRIBUTES}
    return bool(shown) and gender not in shown


def _kept_name(
    document: Document, person: DescribedPerson, request: Request, words: Mapping[DemographicMention, str]
) -> str:
    """Why a first name would stay beside new pronouns; "" if none does, or if people of the new gender bear it."""
    changed = {index for word in words for index in range(word.first, word.end)}
    for mention in person.mentions:
        if mention.kind != "name" or any(i in changed for i in range(mention.start, mention.end)):
            continue
        first = mention.parts[0]
        is_first = len(mention.parts) > 1 or is_mainly_first_name(first)
        is_initial = len(first.rstrip(".")) == 1
        if is_first and not is_initial and not suits_gender(first, request.target.name):
            return f"{_named(document, mention)!r}: {NAME_KEPT}"
    return ""


def _capital_noun(document: Document, words: Mapping[DemographicMention, str]) -> str:
    """Why a capitalised noun may be part of a name; "" if none may: "the People's Bank", "BBC Children in Need"."""
    if is_all_caps(document.text):
        return ""
    names = [
        mention for mention in find_mentions(document) if mention.kind == "name" and len(mention.parts) > 1
    ]
    parts = {mention.parts[-1] for mention in names}
    for word in words:
        written = _written(document, word)
        if (
            word.attribute.axis == "race"
            and word.entry is not None
            and written.istitle()
            and written.lower() in parts
        ):
            return f"{written!r}: {IN_A_NAME}"  # "Victor Black ... the Black family"
        first, after = document.words[word.first], document.word_at(word.end)
        is_noun = word.entry is not None and word.attribute.axis != "race"
        opens = first.index == document.sentence_of(first)[0].index or document.text[
            first.start - 1 : first.start
        ] in ('"', "“")
        is_title = word.kind in ("title", "noble", "kin", "role")
        has_name = is_title and after is not None and (is_capitalised(after) or after.lower == "of")
        has_name |= word.kind in ("title", "noble", "role") and document.lower_at(word.first - 1) == "the"
        is_address = (
            word.kind == "kin"
            and first.upos == "PROPN"
            and not document.children(first, "compound", "amod", "det")
        )
        if is_noun and is_capitalised(first) and not opens and not has_name and not is_address:
            return f"{_written(document, word)!r}: {IN_A_NAME}"
    return ""


def _beside_a_name(
    document: Document, person: DescribedPerson, words: Mapping[DemographicMention, str]
) -> str:
    """Why a noun may be part of a name, or belong to one that would stay; "" if it does not: "Jimmy boy", "his wife, Joan"."""
    own = {i for mention in person.mentions for i in range(mention.start, mention.end)}
    own |= {word.first for word in person.words}
    names = {m.start: m for m in find_mentions(document) if m.kind == "name" and m.start not in own}
    for word in words:
        if word.entry is None or word.kind in ("title", "noble"):
            continue
        before, after = document.word_at(word.first - 1), word.end + (document.lower_at(word.end) == ",")
        is_after_name = (
            before is not None and before.upos == "PROPN" and before.tag != "POS" and word.entry.pos == "NOUN"
        )
        is_one = word.entry.number == "sing" and word.attribute.axis == "gender"
        if is_after_name and before is not None and not before.lower.endswith("."):
            return f"{_written(document, word)!r}: {IN_A_NAME}"
        if (
            is_one
            and after in names
            and document.words[names[after].head].relation in ("appos", "flat", "compound")
        ):
            return f"{_named(document, names[after])!r}: {NAME_KEPT}"
        if "/" in (document.text[word.start - 1 : word.start], document.text[word.stop : word.stop + 1]):
            return f"{_written(document, word)!r}: {OTHERS}"
    return ""


def _figure_of_speech(document: Document, words: Mapping[DemographicMention, str]) -> str:
    """Why a word for kin may not mean kin; "" if it does: "the mother of coincidence", "tv's big brother"."""
    for word in words:
        head = document.words[word.end - 1]
        is_doubtful = (_is_bare, _is_plural_after_a, _is_after_hyphen, _has_singular_verb)
        if any(check(document, word) for check in is_doubtful):
            return f"{_written(document, word)!r}: {UNCERTAIN}"
        if word.kind != "kin" or word.entry is None or word.entry.number != "sing":
            continue
        of = [
            w
            for w in document.children(head, "nmod")
            if any(c.lower == "of" for c in document.children(w, "case"))
        ]
        is_of_a_thing = any(
            w.upos == "NOUN" and not is_person(w) and not document.children(w, "det", "nmod:poss", "nummod")
            for w in of
        )
        owners = [w for w in document.children(head, "nmod:poss") if w.upos != "PRON" and not is_person(w)]
        has_the = any(w.lower == "the" for w in document.children(head, "det"))
        is_described = bool(document.children(head, "amod", "compound")) and (has_the or bool(owners))
        if is_of_a_thing or (document.text.islower() and is_described):
            return f"{_written(document, word)!r}: {UNCERTAIN}"
    return ""


_OPEN_GROUPS = frozenset("boys girls men women kids ladies".split())


def _is_bare(document: Document, word: DemographicMention) -> bool:
    """True for "damn it man", "spy kids", "girls can't swim is a film": no article, or no capitals that could show a title."""
    head = document.words[word.end - 1]
    if word.kind != "person" or word.entry is None or word.entry.pos != "NOUN":
        return False
    own = document.children(head, "det", "nmod:poss", "nummod", "amod", "compound")
    if word.entry.number == "sing":
        return (
            not own
            and word.end - word.first == 1
            and not (
                head.relation in ("conj", "xcomp") or (head.relation == "compound" and head.head > head.index)
            )
        )
    is_group = word.entry.word in _OPEN_GROUPS and document.text.islower()
    is_kind = any(w.relation == "compound" for w in own)
    return is_group and (is_kind or (not own and head.relation == "nsubj" and word.first <= 2))


def _is_plural_after_a(document: Document, word: DemographicMention) -> bool:
    """True for "a teenage boys first attempt"."""
    is_plural = word.entry is not None and word.entry.number == "plur"
    head = document.words[word.end - 1]
    dets = (*document.children(head, "det"), *document.words[max(0, word.first - 1) : word.first])
    return is_plural and any(w.lower in ("a", "an") for w in dets)


def _is_after_hyphen(document: Document, word: DemographicMention) -> bool:
    """True for "all-woman"; not for "ex-wife", "24-man"."""
    is_noun = word.entry is not None and word.entry.pos == "NOUN"
    is_before = re.match(r"-[^\W\d]", document.text[word.stop : word.stop + 2]) is not None  # "girl-on-girl"
    return is_noun and (is_before or document.text[: word.start].endswith(("all-", "every-", "no-")))


def _has_singular_verb(document: Document, word: DemographicMention) -> bool:
    """True for a plural that is a title: "all the queen's men is inspired by a true story"."""
    head = document.words[word.end - 1]
    verb = document.head(head) if head.relation == "nsubj" else None
    if verb is None or word.entry is None or word.entry.number != "plur":
        return False
    verbs = (verb, *document.children(verb, "cop", "aux", "aux:pass"))
    return any(w.tag == "VBZ" or w.lower in ("is", "was", "has") for w in verbs)


def _in_the_same_text(
    people: Sequence[DescribedPerson], words: Mapping[DemographicMention, str], request: Request
) -> list[DescribedPerson]:
    """The people of the text that has these words: the same people in the other text of a pair are changed, too."""
    starts = starts_of(request.segments)
    texts = {bisect_right(starts, word.start) for word in words}
    return [one for one in people if any(bisect_right(starts, word.start) in texts for word in one.words)]


def _same_word(
    document: Document, people: Sequence[DescribedPerson], words: Mapping[DemographicMention, str]
) -> str:
    """Why a gender would change in one place only; "" if it would not: "female workers ... because they are women"."""
    changed = [word for word in words if _shows_gender(word)]
    genders = {word.attribute for word in changed if _is_of_several(word)}
    written = {_written(document, word).lower() for word in changed if word.kind != "kin"}
    n_people = sum(w.lower == "people" for w in document)
    if n_people > 2 and any(_written(document, word).lower() == "people" for word in words):
        return f"'people': {OTHERS_NEAR}"
    offspring = any(word.entry is not None and word.entry.word in _OFFSPRING for word in words)
    places = {word.start for word in words}
    for word in (word for person in people for word in person.words):
        if word.start in places:
            continue
        is_child = word.entry is not None and (
            word.entry.word in _OFFSPRING or word.attribute.name == "child"
        )
        if offspring and is_child:
            return f"{_written(document, word)!r}: {OTHERS_NEAR}"
        if not _shows_gender(word):
            continue
        is_same_group = word.attribute in genders and _is_of_several(word)
        if is_same_group or _written(document, word).lower() in written:
            return f"{_written(document, word)!r}: {OTHERS}"
    return ""


def _contrast(document: Document, words: Mapping[DemographicMention, str]) -> str:
    """Why the new word may contrast with the old one; "" if it is not in the text: "from a male persona to a female"."""
    texts = {w.lower for w in document}
    for word, new in words.items():
        if _shows_gender(word) and _is_of_several(word) and new.lower() in texts:
            return f"{new!r}: {OTHERS}"
        near = {w.lower for w in document.words[max(0, word.first - 4) : word.end + 4]}
        pair = (
            set(word.entry.counterparts.values()) if word.entry is not None and _shows_gender(word) else set()
        )
        is_list = word.kind == "person" or bool(near & {"and", "or"})  # "the mother and father"
        if word.kind in ("person", "kin") and is_list and near & (pair - {_written(document, word).lower()}):
            return f"{_written(document, word)!r}: {OTHERS}"
    return ""


def _small_title(document: Document, words: Mapping[DemographicMention, str], person: DescribedPerson) -> str:
    """Why a word may be part of a title in a text without capitals; "" if none may: "talk to her is not the perfect movie"."""
    if not document.text.islower():
        return ""
    for word in (*words, *person.words):
        behind = document.words[word.end : word.end + 4]
        verb = next((w for w in behind if w.lower in ("is", "are", "was", "were", "'s")), None)
        rest = document.words[verb.index + 1 : verb.index + 12] if verb is not None else ()
        is_owner = document.words[word.first].dep == "nmod:poss"  # "his greatest triumph is"
        if (
            word.first <= 4
            and not is_owner
            and any(is_work(w) for w in rest)
            and not any(w.text == "," for w in rest)
        ):
            return f"{_written(document, word)!r}: {TITLE_OF_A_WORK}"
        is_idiom = (
            word.entry is not None and word.entry.word == "man" and document.lower_at(word.first - 1) == "the"
        )
        if (
            is_idiom
            and document.children(document.words[word.first], "cop")
            and not document.children(document.words[word.first], "acl", "amod", "nmod")
        ):
            return f"{_written(document, word)!r}: {UNCERTAIN}"
    return ""


def _shows_gender(word: DemographicMention) -> bool:
    """True for a listed word of one gender."""
    is_gendered = word.attribute.axis == "gender" and word.attribute != NEUTRAL
    return word.entry is not None and is_gendered and not word.is_generic


def _is_of_several(word: DemographicMention) -> bool:
    """True for "women", "female"; kin are particular people."""
    return word.entry is not None and word.entry.number != "sing" and word.kind != "kin"


def _name_elsewhere(document: Document, words: Mapping[DemographicMention, str]) -> str:
    """Why a new name would leave the old one in the text; "" if it would not: a namesake cannot be told apart."""
    names = {_written(document, word) for word in words if word.kind in ("name", "surname")}
    changed = {index for word in words for index in range(word.first, word.end)}
    names |= {f"{name}s" for name in names}  # "the Koopmans"
    left = next((w for w in document if w.text in names and w.index not in changed), None)
    return "" if left is None else f"{left.text!r}: {UNCERTAIN}"


def _only_a_name(document: Document, person: DescribedPerson) -> str:
    """Why a name may be that of a company, a place or a work; "" if something shows a person.

    A common first name with a surname shows a person; in a longer text it must also do something that people do.
    """
    names = [m for m in person.mentions if m.kind == "name"]
    if not names or len(names) < len(person.mentions) or any(m.title for m in names):
        return ""
    if any(word.kind not in ("name", "surname") for word in person.words):
        return ""
    is_common = any(map(_is_common_name, names))
    return (
        ""
        if _acts(document, names) or (is_common and len(document) <= LONG)
        else f"{person.name!r}: {ONLY_A_NAME}"
    )


def _acts(document: Document, names: Sequence[Mention]) -> bool:
    """True if somebody with a name does what people do, or is called what people are called: "Ann said", "the singer Ann"."""
    for head in (document.words[mention.head] for mention in names):
        above = document.head(head)
        if above is None:
            continue
        if head.dep == "nsubj" and above.lemma.lower() in HUMAN_VERBS | SPEECH_VERBS:
            return True
        if head.relation in ("appos", "flat", "compound") and person_noun_kind(above) is not None:
            return True
        if any(
            person_noun_kind(noun) is not None
            for noun in document.children(head, "appos", "compound", "nmod:desc")
        ):
            return True
        if head.dep == "nsubj" and document.children(above, "cop") and is_person(above):
            return True
    return False


def _is_common_name(mention: Mention) -> bool:
    """True for "Ann Roe", "Ann"; not for "Time Warner", "Sony BMG", "Washington"."""
    first, last = census_first_name(mention.parts[0]), census_surname(mention.parts[0])
    if first is None or (len(mention.parts) == 1 and last is not None and first.count < CLEAR * last.count):
        return False
    return first.count >= COMMON_FIRST or _gender_shown(first.name) != ""


def _are_two(document: Document, pronouns: DescribedPerson, person: DescribedPerson) -> bool:
    """True if grammar says that pronouns are somebody else: "His father loves him", "Juliet is her favourite singer"."""
    own = {index for mention in person.mentions for index in range(mention.start, mention.end)}
    own |= {index for word in person.words for index in range(word.first, word.end)}
    for mention in pronouns.words:
        word = document.words[mention.first]
        above = document.head(word)
        is_owner = word.dep == "nmod:poss" and above is not None and above.index in own  # "her mother"
        beside = document.children(above, "nsubj", "obj", "iobj") if above is not None else ()
        is_argument = word.relation in ("nsubj", "obj", "iobj") and pronoun_form(document, word) is not None
        if is_owner or is_other_person(document, word, own):
            return True
        if (
            is_argument
            and not _is_reflexive(document, mention)
            and any(other.index in own for other in beside)
        ):
            return True
    return False


def _is_reflexive(document: Document, word: DemographicMention) -> bool:
    return document.words[word.first].lower.endswith(("self", "selves"))


def _is_open(person: DescribedPerson) -> bool:
    """True for a person who is mentioned by pronouns alone."""
    return all(word.kind == "pronoun" for word in person.words)


def _other_ages(
    document: Document, person: DescribedPerson, people: Sequence[DescribedPerson], request: Request
) -> str:
    """Why an age cannot change alone; "" if it can.

    "The children sang. The kids were tired": both may be the same. "Too heady for children, too silly for adults": a contrast.
    """
    attributes = (request.source, request.target)
    for other in people:
        for word in other.words if other is not person else ():
            is_same_number = word.kind == "years" and word.attribute == request.source
            if is_same_number or (word.attribute in attributes and word.entry is not None):
                return f"{_written(document, word)!r}: {SAME_AGE}"
    if any(map(partial(_is_of_a_thing, document), person.words)):
        return THINGS
    if any(_is_offspring(document, word) for word in person.words):
        return OFFSPRING
    decades = [w for w in document if _DECADE.fullmatch(w.lower)]
    if len(decades) > 1:
        return f"{decades[1].text!r}: {SAME_AGE}"
    is_in_years = any(word.kind == "years" for word in person.words)
    if is_in_years and _DATES.search(document.text):
        return DATED
    own = {index for word in person.words for index in range(word.first, word.end)}
    if is_in_years and request.source.name != "child":
        return ""
    of_number = _OF_A_NUMBER if is_in_years else frozenset()  # "a 9-year-old", "born 5 years ago"
    near = next((w for w in document if w.lower in _ABOUT_AGES - of_number and w.index not in own), None)
    return "" if near is None else f"{near.text!r}: {WITH_AGE}"


def _is_offspring(document: Document, word: DemographicMention) -> bool:
    """True for "children" that may be somebody's: "his wife and four children", and in longer texts always."""
    if word.entry is None or word.entry.word not in _OFFSPRING:
        return False
    above = document.words[document.words[word.end - 1].head]
    is_listed = document.words[word.end - 1].relation == "conj" and bool(
        document.children(above, "nmod:poss")
    )
    return is_listed or len(document) > LONG


def _is_of_a_thing(document: Document, word: DemographicMention) -> bool:
    """True for "the 75-year-old Monastery", "kids meals", "the children's menu"."""
    if word.kind == "years":
        behind = document.words[word.end : word.end + 5]
        old = next((w.index for w in behind if w.lower == "old"), None)
        noun = document.word_at(old + 1) if old is not None else None
        return noun is not None and is_capitalised(noun) and census_first_name(noun.text) is None
    head = document.words[word.end - 1]
    above = document.head(head)
    if (
        word.kind != "person"
        or above is None
        or is_person(above)
        or head.relation not in ("compound", "nmod")
    ):
        return False
    is_owner = document.lower_at(word.end) in ("'s", "'", "’s", "’")
    is_noun = word.entry is not None and word.entry.pos == "NOUN"
    is_bare = not document.children(head, "det", "nmod:poss")
    return is_noun and (above.index == word.end or (is_owner and is_bare and above.index > word.end))


def _unread_name(document: Document, person: DescribedPerson, source: Attribute) -> Word | None:
    """A first name of the gender in small letters that was not read as one: "don called, but he was rude"."""
    own = {index for word in person.words for index in range(word.first, word.end)}
    return next(
        (
            word
            for word in document
            if word.text.islower()
            and word.index not in own
            and not pronoun_form(document, word)
            and (word.upos == "PROPN" or (document.text.islower() and word.upos == "NOUN"))
            and is_mainly_first_name(word.lower)
            and gender_attribute(word.lower) == source.name
        ),
        None,
    )


def _doubtful_pronoun(
    document: Document, person: DescribedPerson, people: Sequence[DescribedPerson], source: Attribute
) -> Word | None:
    """A pronoun that may belong to somebody else, or to the person; None if there is no such.

    Coreference is right in about nine of ten links. With several candidates and several pronouns, hardly any person would come out whole.
    """
    own = {word.first for word in person.words}
    pronouns = [
        word
        for word in document
        if (reading := pronoun_form(document, word)) is not None
        and PRONOUN_ATTRIBUTES.get(reading.pronoun) == source
    ]
    left = [word for word in pronouns if word.index not in own]
    rivals = [other for other in people if other is not person and _may_be(other, source)]
    mine = own | {index for mention in person.mentions for index in range(mention.start, mention.end)}
    strangers = [m for m in find_mentions(document) if _is_rival(document, m, mine, source)]
    if len(document) > LONG:
        doubtful = [
            *left,
            *(pronouns if rivals or strangers else ()),
            *_far_pronouns(document, person, pronouns),
        ]
        return next(iter(doubtful), None)
    strangers = [m for m in strangers if len(m.parts) > 1] if _is_open(person) else strangers
    if strangers and any(word.index in own for word in pronouns):
        return next(
            (word for word in pronouns if word.start > document.words[strangers[0].start].start), None
        )
    return _between_two(document, person, rivals, pronouns)


def _far_pronouns(document: Document, person: DescribedPerson, pronouns: Sequence[Word]) -> list[Word]:
    """The pronouns of somebody without a name who is mentioned again after other sentences: it may be somebody else."""
    if not _is_open(person):
        return []
    numbers = [document.sentence_number(word) for word in pronouns]
    return [
        word
        for word, before, now in zip(pronouns[1:], numbers, numbers[1:], strict=False)
        if now > before + 1
    ]


def _between_two(
    document: Document, person: DescribedPerson, rivals: Sequence[DescribedPerson], pronouns: Sequence[Word]
) -> Word | None:
    """A pronoun that follows two people of its gender, this person and another: "John met Bill before he left"."""
    if _is_open(person):
        return None
    for word in pronouns:
        for other in rivals:
            is_behind = max(_start(person), _start(other)) < word.start
            if is_behind and not document.words[word.index].lower.endswith("self"):
                return word
    return None


def _may_be(person: DescribedPerson, source: Attribute) -> bool:
    """True for one person of a gender, mentioned by more than pronouns."""
    is_one = not any(word.entry is not None and word.entry.number == "plur" for word in person.words)
    return is_one and not _is_open(person) and source.name in person.attributes("gender")


def _is_rival(document: Document, mention: Mention, own: Collection[int], source: Attribute) -> bool:
    """True for the name of somebody else whose gender is not known."""
    is_own = any(index in own for index in range(mention.start, mention.end))
    may_be = mention.certain or len(document) > LONG or document.words[mention.head].relation == "nsubj"
    is_other_gender = bool(mention.parts) and gender_attribute(mention.parts[0]) in _OTHER.get(
        source.name, ()
    )
    return mention.kind == "name" and may_be and not mention.gender and not is_own and not is_other_gender


def _uncertain_they(document: Document, person: DescribedPerson) -> str:
    """Why a "they" may refer to a person who has other words; "" if none does, or if something in the plural precedes it."""
    own = {word.first for word in person.words} | {mention.head for mention in person.mentions}
    first = min(word.first for word in person.words)
    is_called_they = any(word.kind == "pronoun" for word in person.words)
    if not is_called_they and any(word.tag in ("NNS", "NNPS") for word in document):
        return ""
    for word in document.words[first:]:
        reading = pronoun_form(document, word)
        if reading is not None and reading.pronoun == THEY and word.index not in own:
            return f"{word.text!r}: {UNCERTAIN}"
    return ""


def _written(document: Document, word: DemographicMention) -> str:
    return document.text[word.start : word.stop]
