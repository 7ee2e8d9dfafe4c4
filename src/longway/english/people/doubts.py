"""Reasons not to change a person: it is not certain who is meant, or whether a person is meant at all.

    reason_of_doubt(case)     the reason; "" if the person can be changed

A wrong change is worse than none: the text stays as it is, and the reason is reported. There is doubt if

    pronouns     a pronoun of the same gender may be somebody else's, or this person's and be left behind
    nouns        another noun may mean the same person: "an actress ... that woman", "a boy ... the child"
    names        a name may be a surname, a place or a company; or it would stay beside the new pronouns
    ages         others of the same age are mentioned; dates go with the age
    the body     what is said is true of one gender only: "pregnant"

`DOUBTS` lists the tests in order, each with its reason. The first test that succeeds decides.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from operator import attrgetter
from typing import Any

from longway.english.document import Document, Word, any_lower
from longway.english.inflection import is_all_caps
from longway.english.people.demographic_mentions import (
    NEUTRAL,
    PRONOUN_ATTRIBUTES,
    TITLE_OF_A_WORK,
    DemographicMention,
    DescribedPerson,
    indices_of,
    is_other_person,
    shown_gender,
)
from longway.english.people.mentions import Mention, find_mentions, is_mainly_first_name, person_noun_kind
from longway.english.people.person_names import (
    census_first_name,
    census_surname,
    gender_attribute,
    group_attribute,
    name_kind,
    suits_gender,
)
from longway.english.people.pronouns import THEY, pronoun_form
from longway.english.people.referents import IN_A_NAME, is_animal, is_capitalised, is_person, is_work
from longway.english.people.words import HUMAN_VERBS, PLACES, SPEECH_VERBS, Attribute, entries_for
from longway.english.wordnet import senses
from longway.english.words import listed_words

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
WITHOUT_WORD = (MIXED, THINGS, OFFSPRING, DATED)  # reasons that are reported without a word

_DATES = re.compile(r"\b1[5-9]\d\d\b|\b20[0-2]\d\b|\byears\s+(?:later|of|in|on|before|after)\b")
_LISTS = listed_words(__name__)
_PARTS_OF_WORDS = re.compile(r"\(\s*\w{1,2}\s*\)\s*$")
_DECADE = re.compile(r"['’]?\d0['’]?s|twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties")
_APOSTROPHES = ("'s", "'", "’s", "’")
_TITLES = ("title", "noble")


@dataclass(frozen=True)
class Case:
    """A change that may be made.

    person: whom it concerns, one of the `people` of the document. source, target: the attribute that changes, and what it becomes.
    words: the new words of the person, without pronouns. starts: where each text of the document begins.
    keep_names: names stay on request.
    """

    document: Document
    person: DescribedPerson
    people: Sequence[DescribedPerson]
    source: Attribute
    target: Attribute
    words: Mapping[DemographicMention, str]
    starts: Sequence[int] = (0,)
    keep_names: bool = False

    @cached_property
    def others(self) -> list[DescribedPerson]:
        """The other people."""
        return [other for other in self.people if other is not self.person]

    @cached_property
    def changed(self) -> set[int]:
        """The indices of the words that change."""
        return indices_of(self.words)

    @cached_property
    def own(self) -> set[int]:
        """The indices of the demographic words of the person."""
        return indices_of(self.person.words)

    @cached_property
    def pronouns(self) -> list[Word]:
        """The pronouns of the person."""
        return [self.document.words[word.first] for word in self.person.words if word.kind == "pronoun"]

    @cached_property
    def shown(self) -> set[str]:
        """The genders that words other than names show."""
        words = [word for word in self.person.words if not word.is_name and not word.is_generic]
        return {word.attribute.name for word in words if word.attribute.axis == "gender"}

    @cached_property
    def firsts(self) -> set[str]:
        """The first words of the person's names of several words."""
        return {mention.parts[0] for mention in self.person.names if len(mention.parts) > 1}

    @cached_property
    def lasts(self) -> set[str]:
        """The last words of the person's names of several words, or behind a title."""
        names = self.person.names
        return {mention.parts[-1] for mention in names if len(mention.parts) > 1 or mention.title}

    @cached_property
    def same_gender(self) -> list[DescribedPerson]:
        """The other people of the gender."""
        return [other for other in self.others if self.source.name in other.attributes("gender")]

    @cached_property
    def described(self) -> set[int]:
        """The indices of the demographic words of all people."""
        return indices_of(word for person in self.people for word in person.words)

    def is_in_years(self) -> bool:
        """Whether the person's age is a number."""
        return any(word.kind == "years" for word in self.person.words)

    def text_of(self, item: DemographicMention | DescribedPerson | Mention | Word) -> str:
        """The item as it is written; of a person, the name."""
        if isinstance(item, Word):
            return item.text
        if isinstance(item, DescribedPerson):
            return item.name
        if isinstance(item, Mention):
            words = self.document.words[item.start : item.end]
            return self.document.text[words[0].start : words[-1].end]
        return self.document.text[item.start : item.stop]


def reason_of_doubt(case: Case) -> str:
    """Why it is not certain that a change would be right; "" if it is."""
    kinds = _kinds_of(case)
    for kind, items, tests in DOUBTS:
        for item, (test, reason) in product(items(case) if kind in kinds else (), tests):
            if doubt := test(case, item):
                word = doubt if isinstance(doubt, str) else case.text_of(item)
                return reason if reason in WITHOUT_WORD else f"{word!r}: {reason}"
    return ""


def _kinds_of(case: Case) -> tuple[str, ...]:
    """The kinds of doubts that concern a change."""
    has_names = any(word.is_name for word in case.words)
    if case.target.axis == "age":
        return "any", "age"
    if case.target.axis == "race":
        return ("any", "name", "race") if has_names else ("any",)
    if case.source == NEUTRAL:
        return "any", "gender", "they"
    return ("any", "gender", "he or she", "name") if has_names else ("any", "gender", "he or she")


# What is tested


def _person(case: Case) -> Iterable[DescribedPerson]:
    return (case.person,)


def _all_words(case: Case) -> Iterable[DemographicMention]:
    return (*case.words, *case.person.words)


def _words_of_others(case: Case) -> Iterable[DemographicMention]:
    return [word for other in case.others for word in other.words]


def _words_that_stay(case: Case) -> Iterable[DemographicMention]:
    """The words that stay, of all people in the same texts: in the other text of a pair the same people change, too."""
    starts = {word.start for word in case.words}
    texts = {bisect_right(case.starts, start) for start in starts}
    for person in case.people:
        if any(bisect_right(case.starts, word.start) in texts for word in person.words):
            yield from (word for word in person.words if word.start not in starts)


# Every change: names that stay, and nouns that may not mean a person


def _is_namesake(case: Case, word: Word) -> bool:
    """True for a name that a new one would leave in the text: a namesake cannot be recognised."""
    names = {case.text_of(new) for new in case.words if new.is_name}
    is_name = word.text in names or word.text.removesuffix("s") in names  # "the Koopmans"
    return is_name and word.index not in case.changed


def _is_only_a_name(case: Case, person: DescribedPerson) -> bool:
    """True for a name that may be that of a company, a place or a work.

    A common first name with a surname shows a person; in a longer text it must also do something that people do.
    """
    names = person.names
    if len(names) < len(person.mentions) or any(mention.title for mention in names):
        return False
    if not names or any(not word.is_name for word in person.words) or _acts(case.document, names):
        return False
    return len(case.document) > LONG or not any(map(_is_common_name, names))


def _is_in_a_name(case: Case, word: DemographicMention) -> bool:
    """True for the nouns of "the People's Bank", "BBC Children in Need"."""
    document, first, after = case.document, case.document.words[word.first], case.document.word_at(word.end)
    if word.entry is None or is_all_caps(document.text):
        return False
    if word.attribute.axis == "race":  # "Victor Black ... the Black family"
        written = case.text_of(word)
        names = [m for m in find_mentions(document) if m.kind == "name" and len(m.parts) > 1]
        return written.istitle() and written.lower() in {mention.parts[-1] for mention in names}
    is_quoted = document.text[first.start - 1 : first.start] in ('"', "“")
    if not is_capitalised(first) or is_quoted or first.index == document.sentence_of(first)[0].index:
        return False
    is_before_name = after is not None and (is_capitalised(after) or after.lower == "of")
    if is_before_name and word.kind in ("title", "noble", "kin", "role"):
        return False
    if word.kind in ("title", "noble", "role"):
        return document.lower_at(word.first - 1) != "the"
    is_address = word.kind == "kin" and first.upos == "PROPN"
    return not is_address or bool(document.children(first, "compound", "amod", "det"))


def _is_bare(case: Case, word: DemographicMention) -> bool:
    """True for "damn it man", "spy kids", "girls can't swim is a film": no article, or no capitals that could show a title."""
    document, head = case.document, word.head(case.document)
    if word.kind != "person" or word.pos != "NOUN":
        return False
    own = document.children(head, "det", "nmod:poss", "nummod", "amod", "compound")
    if word.number == "sing":
        is_before_noun = head.relation == "compound" and head.head > head.index
        is_one_word = word.end - word.first == 1
        return not own and is_one_word and head.relation not in ("conj", "xcomp") and not is_before_noun
    if word.listed not in _LISTS.open_groups or not document.text.islower():
        return False
    is_kind = any(w.relation == "compound" for w in own)
    return is_kind or (not own and head.relation == "nsubj" and word.first <= 2)


def _is_plural_after_a(case: Case, word: DemographicMention) -> bool:
    """True for "a teenage boys first attempt"."""
    document, head = case.document, word.head(case.document)
    dets = (*document.children(head, "det"), *document.words[max(0, word.first - 1) : word.first])
    return word.number == "plur" and any_lower(dets, ("a", "an"))


def _is_after_hyphen(case: Case, word: DemographicMention) -> bool:
    """True for "all-woman", "girl-on-girl"; not for "ex-wife", "24-man"."""
    text = case.document.text
    is_before = re.match(r"-[^\W\d]", text[word.stop : word.stop + 2]) is not None
    return word.pos == "NOUN" and (is_before or text[: word.start].endswith(("all-", "every-", "no-")))


def _has_singular_verb(case: Case, word: DemographicMention) -> bool:
    """True for a plural that is a title: "all the queen's men is inspired by a true story"."""
    head = word.head(case.document)
    verb = case.document.head(head) if head.relation == "nsubj" else None
    if verb is None or word.number != "plur":
        return False
    verbs = (verb, *case.document.children(verb, "cop", "aux", "aux:pass"))
    return any(w.tag == "VBZ" or w.lower in ("is", "was", "has") for w in verbs)


def _is_figure_of_speech(case: Case, word: DemographicMention) -> bool:
    """True for a word for kin that may not mean kin: "the mother of coincidence", "tv's big brother"."""
    document, head = case.document, word.head(case.document)
    if word.kind != "kin" or word.number != "sing":
        return False
    for noun in document.children(head, "nmod"):
        is_thing = noun.upos == "NOUN" and not is_person(noun)
        is_of = any_lower(document.children(noun, "case"), ("of",))
        if is_of and is_thing and not document.children(noun, "det", "nmod:poss", "nummod"):
            return True
    owners = [w for w in document.children(head, "nmod:poss") if w.upos != "PRON" and not is_person(w)]
    has_the = any_lower(document.children(head, "det"), ("the",))
    is_described = bool(document.children(head, "amod", "compound")) and (has_the or bool(owners))
    return document.text.islower() and is_described


def _is_after_name(case: Case, word: DemographicMention) -> bool:
    """True for "Jimmy boy"."""
    before = case.document.word_at(word.first - 1)
    if before is None or word.pos != "NOUN" or word.kind in _TITLES:
        return False
    return before.upos == "PROPN" and before.tag != "POS" and not before.lower.endswith(".")


def _name_behind(case: Case, word: DemographicMention) -> str:
    """The name that would stay behind a noun: "his wife, Joan"."""
    after = word.end + (case.document.lower_at(word.end) == ",")
    is_one = word.number == "sing" and word.attribute.axis == "gender" and word.kind not in _TITLES
    for mention in find_mentions(case.document) if is_one else ():
        is_own = mention.start in case.person.mentioned | case.own
        relation = case.document.words[mention.head].relation
        if mention.kind == "name" and mention.start == after and not is_own:
            return case.text_of(mention) if relation in ("appos", "flat", "compound") else ""
    return ""


def _is_beside_a_slash(case: Case, word: DemographicMention) -> bool:
    text = case.document.text
    beside = text[word.start - 1 : word.start], text[word.stop : word.stop + 1]
    return "/" in beside and word.entry is not None and word.kind not in _TITLES


def _is_people_again(case: Case, person: DescribedPerson) -> str:
    """The "people" that is in the text more than twice."""
    n_people = sum(word.lower == "people" for word in case.document)
    is_new = any(case.text_of(word).lower() == "people" for word in case.words)
    return "people" if n_people > 2 and is_new else ""


def _is_child_again(case: Case, word: DemographicMention) -> bool:
    """True for another word for children if a word for children changes."""
    if word.entry is None or all(new.listed not in _LISTS.offspring for new in case.words):
        return False
    return word.listed in _LISTS.offspring or word.attribute.name == "child"


def _is_same_gender(case: Case, word: DemographicMention) -> bool:
    """True for a gender that would change in one place only: "female workers ... because they are women"."""
    changed = [new for new in case.words if new.shows_gender]
    genders = {new.attribute for new in changed if new.is_of_several}
    written = {case.text_of(new).lower() for new in changed if new.kind != "kin"}
    is_same = (word.attribute in genders and word.is_of_several) or case.text_of(word).lower() in written
    return word.shows_gender and is_same


def _new_word_there(case: Case, word: DemographicMention) -> str:
    """The new word if it is in the text: "from a male persona to a female"."""
    new = case.words[word]
    is_there = new.lower() in {other.lower for other in case.document}
    return new if is_there and word.shows_gender and word.is_of_several else ""


def _is_beside_its_pair(case: Case, word: DemographicMention) -> bool:
    """True for "mother" in "the mother and father"."""
    if word.entry is None or word.kind not in ("person", "kin") or not word.shows_gender:
        return False
    near = {w.lower for w in case.document.words[max(0, word.first - 4) : word.end + 4]}
    is_list = word.kind == "person" or bool(near & {"and", "or"})
    pair = set(word.entry.counterparts.values()) - {case.text_of(word).lower()}
    return is_list and bool(near & pair)


def _is_in_a_small_title(case: Case, word: DemographicMention) -> bool:
    """True for the "her" of "talk to her is not the perfect movie", in a text without capitals."""
    document = case.document
    behind = document.words[word.end : word.end + 4]
    verb = next((w for w in behind if w.lower in ("is", "are", "was", "were", "'s")), None)
    is_owner = document.words[word.first].dep == "nmod:poss"  # "his greatest triumph is"
    if verb is None or word.first > 4 or is_owner or not document.text.islower():
        return False
    rest = document.words[verb.index + 1 : verb.index + 12]
    return any(map(is_work, rest)) and not any(w.text == "," for w in rest)


def _is_the_man(case: Case, word: DemographicMention) -> bool:
    """True for "he's the man", in a text without capitals."""
    document, first = case.document, case.document.words[word.first]
    is_idiom = word.listed == "man" and document.lower_at(word.first - 1) == "the"
    if not is_idiom or not document.text.islower() or not document.children(first, "cop"):
        return False
    return not document.children(first, "acl", "amod", "nmod")


# Ages


def _is_like_this(case: Case, word: DemographicMention) -> bool:
    """True for words of others that may go with those that change.

    "The children sang. The kids were tired": both may be the same. "Too heady for children, too silly for adults": a contrast.
    "Ms. Jaramillo is of Latina descent".
    """
    is_number = word.kind == "years" and word.attribute == case.source
    return is_number or (word.entry is not None and word.attribute in (case.source, case.target))


def _is_of_a_thing(case: Case, word: DemographicMention) -> bool:
    """True for "the 75-year-old Monastery", "kids meals", "the children's menu"."""
    document = case.document
    if word.kind == "years":
        behind = document.words[word.end : word.end + 5]
        old = next((w.index for w in behind if w.lower == "old"), None)
        noun = document.word_at(old + 1) if old is not None else None
        return noun is not None and is_capitalised(noun) and census_first_name(noun.text) is None
    head = word.head(document)
    above = document.head(head)
    if above is None or is_person(above) or head.relation not in ("compound", "nmod"):
        return False
    if word.kind != "person" or word.pos != "NOUN":
        return False
    is_owner = document.lower_at(word.end) in _APOSTROPHES and above.index > word.end
    return above.index == word.end or (is_owner and not document.children(head, "det", "nmod:poss"))


def _is_offspring(case: Case, word: DemographicMention) -> bool:
    """True for "children" that may be somebody's: "his wife and four children", and in longer texts always."""
    document, head = case.document, word.head(case.document)
    is_listed = head.relation == "conj" and document.children(document.words[head.head], "nmod:poss")
    return word.listed in _LISTS.offspring and (bool(is_listed) or len(document) > LONG)


def _second_decade(case: Case, person: DescribedPerson) -> str:
    decades = [word.text for word in case.document if _DECADE.fullmatch(word.lower)]
    return decades[1] if len(decades) > 1 else ""


def _is_dated(case: Case, person: DescribedPerson) -> bool:
    return case.is_in_years() and _DATES.search(case.document.text) is not None


def _goes_with_an_age(case: Case, word: Word) -> bool:
    """True for "childhood", "born"."""
    if case.is_in_years() and (case.source.name != "child" or word.lower in _LISTS.of_a_number):
        return False
    return word.lower in _LISTS.about_ages and word.index not in case.own


# Names


def _of_something(case: Case, mention: Mention) -> str:
    """The name of the person in "Emmy winners", "Nirvana leader Kurt Cobain", "Sophie's World"."""
    document, head = case.document, case.document.words[mention.head]
    above, owned = document.head(head), document.word_at(mention.end + 1)
    is_before = head.relation == "compound" and above is not None and above.index >= mention.end
    is_owner = document.lower_at(mention.end) in _APOSTROPHES and owned is not None
    is_of_something = is_before or (is_owner and owned is not None and is_capitalised(owned))
    return case.person.name if is_of_something else ""


def _no_full_name(case: Case, mention: Mention) -> str:
    """The name of the person in "Kids Shows", "Nationalist Juan Roe": it begins with an ordinary word that is no first name."""
    first, last = mention.parts[0], mention.parts[-1]
    if case.shown or len(mention.parts) < 2:
        return ""
    known = census_first_name(first)
    is_rare = known is None or known.count < COMMON_FIRST
    is_thing = census_surname(last) is None and bool(senses(last, "NOUN"))  # "Mickey Mouse"
    is_word = bool(senses(first, "NOUN") or senses(first, "ADJ")) and not mention.title
    return case.person.name if is_thing or (is_rare and is_word) else ""


def _surname_like_first(case: Case, word: DemographicMention) -> str:
    is_like_first = word.kind == "surname" and is_mainly_first_name(case.text_of(word).lower())
    return case.person.name if is_like_first else ""


def _may_be_two_people(case: Case, person: DescribedPerson) -> bool:
    """True for names of two groups, "Maria ... Maria Caterina Farnese", and "her mother, Ann Roe ... Roe"."""
    groups = {word.attribute for word in person.words if word.is_name and word.attribute.axis == "race"}
    single = [m for m in person.names if len(m.parts) == 1 and not m.title]
    full = [m.start for m in person.names if len(m.parts) > 1]
    is_short_first = bool(single and full) and min(mention.start for mention in single) < min(full)
    has_surname = any(mention.parts[0] in case.lasts - case.firsts for mention in single)
    return len(groups) > 1 or is_short_first or (person.is_kin and has_surname)


def _kept_part(case: Case, person: DescribedPerson) -> str:
    """The part of a name that shows the same group as those that change, but would stay: the "Zhang" of "Zhang Feng"."""
    groups = {word.attribute.name for word in case.words if word.attribute.axis == "race"}
    for mention in person.names if groups - {"white"} else ():
        for word in case.document.words[mention.start : mention.end]:
            shown = {group_attribute(word.text), group_attribute(word.text, kind="surname")}
            if word.index not in case.changed and shown & groups:
                return word.text
    return ""


def _other_gender_of_new(case: Case, word: DemographicMention) -> str:
    """The name of the person if the new name shows another gender than the other words."""
    gender = gender_attribute(case.words[word])
    is_other = gender in ("man", "woman") and bool(case.shown) and gender not in case.shown
    return case.person.name if is_other and word.kind == "name" and word.attribute.axis == "race" else ""


def _is_word_too(case: Case, mention: Mention) -> bool:
    """True for "a maverick ... Maverick means non-conformist"."""
    is_there = mention.parts[0] in {word.text for word in case.document}
    return len(mention.parts) == 1 and is_there and not case.document.text.islower()


def _is_place(case: Case, mention: Mention) -> bool:
    first = mention.parts[0]
    return len(mention.parts) == 1 and first in PLACES and not is_mainly_first_name(first)


def _is_single(case: Case, mention: Mention) -> bool:
    """True for a name of one word that is no part of a longer one."""
    is_alone = len(mention.parts) == 1 and not mention.title
    return is_alone and mention.parts[0] not in case.firsts | case.lasts


def _is_first_or_last(case: Case, mention: Mention) -> bool:
    """True for a single name that may be a first name or a surname: by its bearers, and by the pronouns.

    "Ryan" is a surname in "Ryan lost her keys", and may be one in "Ryan said" if the text has no "he".
    """
    first, last = census_first_name(mention.parts[0]), census_surname(mention.parts[0])
    if first is None or last is None or not _is_single(case, mention) or last.count >= CLEAR * first.count:
        return False
    gender = shown_gender(mention.parts[0])
    if gender in case.shown or is_mainly_first_name(mention.parts[0]):
        return False
    readings = [pronoun_form(case.document, word) for word in case.document]
    genders = {PRONOUN_ATTRIBUTES[r.pronoun].name for r in readings if r and r.pronoun in PRONOUN_ATTRIBUTES}
    return first.count < CLEAR * last.count or (bool(genders) and gender not in genders)


def _is_idle_surname(case: Case, mention: Mention) -> bool:
    """True for a single name that is not read as a first name and does nothing that people do."""
    if not _is_single(case, mention) or any(word.kind == "name" for word in case.words):
        return False
    return not _acts(case.document, case.person.names)


def _is_of_other_gender(case: Case, mention: Mention) -> bool:
    """True for a first name that contradicts the other words."""
    first = mention.parts[0]
    is_known = first in case.lasts or name_kind(first) == "surname"
    is_surname = len(mention.parts) == 1 and first not in case.firsts and is_known
    gender = shown_gender(first)
    return bool(case.shown) and not is_surname and gender not in ("", *case.shown)


def _stays_beside_pronouns(case: Case, mention: Mention) -> bool:
    """True for a first name that would stay, and that people of the new gender do not bear."""
    if case.keep_names or any(i in case.changed for i in range(mention.start, mention.end)):
        return False
    first = mention.parts[0]
    is_first = len(mention.parts) > 1 or is_mainly_first_name(first)
    is_initial = len(first.rstrip(".")) == 1
    return is_first and not is_initial and not suits_gender(first, case.target.name)


def _acts(document: Document, names: Sequence[Mention]) -> bool:
    """True if somebody with a name does what people do, or is called what people are called: "Ann said", "the singer Ann"."""
    for head in (document.words[mention.head] for mention in names):
        above = document.head(head)
        if above is None:
            continue
        beside = [above] if head.relation in ("appos", "flat", "compound") else []
        beside += document.children(head, "appos", "compound", "nmod:desc")
        is_person_there = bool(document.children(above, "cop")) and is_person(above)
        is_subject = above.lemma.lower() in HUMAN_VERBS | SPEECH_VERBS or is_person_there
        if (head.dep == "nsubj" and is_subject) or any(map(person_noun_kind, beside)):
            return True
    return False


def _is_common_name(mention: Mention) -> bool:
    """True for "Ann Roe", "Ann"; not for "Time Warner", "Sony BMG", "Washington"."""
    first, last = census_first_name(mention.parts[0]), census_surname(mention.parts[0])
    if first is None or (len(mention.parts) == 1 and last is not None and first.count < CLEAR * last.count):
        return False
    return first.count >= COMMON_FIRST or shown_gender(first.name) != ""


# Genders


def _is_mixed(case: Case, person: DescribedPerson) -> bool:
    return bool(person.attributes("gender") - {case.source.name, NEUTRAL.name})


def _one_and_several(case: Case, person: DescribedPerson) -> str:
    """The first word of a person whose words are in the singular and in the plural."""
    has_both = {"sing", "plur"} <= {word.number for word in person.words}
    return case.text_of(person.words[0]) if has_both else ""


def _is_of_a_body(case: Case, word: Word) -> bool:
    return word.lower in _LISTS.body and case.target != NEUTRAL


def _idiom_with_they(case: Case, person: DescribedPerson) -> str:
    return "they" if "as they come" in case.document.text else ""


def _is_uncertain_they(case: Case, word: Word) -> bool:
    """True for a "they" that may refer to a person who has other words, unless something in the plural is in the text."""
    reading = pronoun_form(case.document, word)
    own = case.own | {mention.head for mention in case.person.mentions}
    if reading is None or reading.pronoun != THEY or word.index in own or word.index < min(case.own):
        return False
    return bool(case.pronouns) or all(other.tag not in ("NNS", "NNPS") for other in case.document)


def _shown_elsewhere(case: Case, other: DescribedPerson) -> str:
    """The word for somebody of a gender whom a "child" or "person" may be: "a boy ... the child"."""
    is_one = not case.person.has_plural and not other.has_plural
    return case.text_of(other.words[0]) if is_one and other.attributes("gender") - {NEUTRAL.name} else ""


def _is_ship(case: Case, word: Word) -> bool:
    """True for the subject of "the Macdonough patrolled the waters", which "she" may mean."""
    is_name = word.upos == "PROPN" and word.relation == "nsubj"
    has_the = any_lower(case.document.children(word, "det"), ("the",))
    return is_name and has_the and case.source.name == "woman" and case.person.is_open


def _is_unread_name(case: Case, word: Word) -> bool:
    """True for a first name of the gender in small letters: "don called, but he was rude"."""
    is_noun = word.upos == "PROPN" or (word.upos == "NOUN" and case.document.text.islower())
    if not is_noun or not word.text.islower() or word.index in case.own or pronoun_form(case.document, word):
        return False
    return is_mainly_first_name(word.lower) and gender_attribute(word.lower) == case.source.name


def _doubtful_pronoun(case: Case, person: DescribedPerson) -> str:
    """A pronoun that may belong to somebody else, or to the person.

    Coreference is right in about nine of ten links. With several candidates and several pronouns, hardly any person would come
    out whole.
    """
    document, own = case.document, case.own
    readings = [(word, pronoun_form(document, word)) for word in document]
    known = [(word, PRONOUN_ATTRIBUTES.get(reading.pronoun)) for word, reading in readings if reading]
    pronouns = [word for word, attribute in known if attribute == case.source]
    rivals = [other for other in case.same_gender if not other.has_plural and not other.is_open]
    strangers = [mention for mention in find_mentions(document) if _is_rival(case, mention)]
    if len(document) > LONG:
        left = [word for word in pronouns if word.index not in own]
        numbers = [document.sentence_number(word) for word in pronouns if person.is_open]
        rows = zip(pronouns[1:], numbers, numbers[1:], strict=False)
        far = [word for word, before, now in rows if now > before + 1]
        doubtful = left or (pronouns if rivals or strangers else far)
        return doubtful[0].text if doubtful else ""
    if person.is_open:
        strangers = [mention for mention in strangers if len(mention.parts) > 1]
    if strangers and any(word.index in own for word in pronouns):
        start = strangers[0].start
        return next((word.text for word in pronouns if word.index > start), "")
    for word in pronouns if not person.is_open else ():  # "John met Bill before he left"
        is_behind = any(max(person.start, rival.start) < word.start for rival in rivals)
        if is_behind and not word.lower.endswith("self"):
            return word.text
    return ""


def _is_rival(case: Case, mention: Mention) -> bool:
    """True for the name of somebody else whose gender is not known."""
    document = case.document
    if mention.kind != "name" or mention.gender:
        return False
    if (case.own | case.person.mentioned).intersection(range(mention.start, mention.end)):
        return False
    other = {"man": "woman", "woman": "man"}.get(case.source.name)
    if mention.parts and other is not None and gender_attribute(mention.parts[0]) == other:
        return False
    return mention.certain or len(document) > LONG or document.words[mention.head].relation == "nsubj"


def _is_half_a_word(case: Case, pronoun: Word) -> bool:
    """True for the "his" of "( t ) his", the "she" of "ain't-she-cute"."""
    text, start = case.document.text, pronoun.start
    around = text[max(0, start - 1) : start], text[pronoun.end : pronoun.end + 1]
    return "-" in around or _PARTS_OF_WORDS.search(text[:start]) is not None


def _is_behind_animal(case: Case, pronoun: Word) -> bool:
    """True for "her" in "This woman lost my dog, and I never found her"."""
    before = [w for w in case.document.words[: pronoun.index] if w.text.islower() and w.tag == "NN"]
    animals = [word for word in before if word.head != pronoun.head and is_animal(word)]
    return bool(animals) and pronoun.relation in ("obj", "iobj", "obl")


def _same_noun(case: Case, other: DescribedPerson) -> str:
    """A noun with "the", "this" or "that" that may mean an earlier noun or name: "an actress ... that woman"."""
    document, person = case.document, case.person
    first, second = (person, other) if person.start < other.start else (other, person)
    noun = second.words[0].head(document)
    is_noun = second.words[0].number == "sing" and noun.upos == "NOUN"
    is_pointed_at = any_lower(document.children(noun, "det", "case"), _LISTS.pointing)
    if first.is_open or first.has_plural or not is_noun or document.children(noun, "nmod", "nmod:poss"):
        return ""
    return noun.text if is_pointed_at else ""


def _is_skipped_noun(case: Case, word: Word) -> bool:
    """True for a noun of the same gender that was not read as a person: "man confronting his fear"."""
    if case.person.has_plural or word.index in case.described or not word.text.islower():
        return False
    kinds = ("title",) if word.relation == "compound" else ("title", "person", "kin", "role", "noble")
    entries = [entry for entry in entries_for(word.text) if entry.number == "sing" and entry.kind in kinds]
    return any(entry.attribute == case.source and "generic" not in entry.notes for entry in entries)


def _same_person(case: Case, other: DescribedPerson) -> str:
    """The first of the pronouns of one person that may mean another: this one, or this one's that may mean the other."""
    document = case.document
    pronouns, known = (case.person, other) if case.person.is_open else (other, case.person)
    if not pronouns.is_open or known.is_open:
        return ""
    shares = any(word.kind == "pronoun" and not _is_reflexive(document, word) for word in known.words)
    may_be = known.start < pronouns.start or not (known.is_named or known.is_kin)
    is_same = shares or (may_be and not _are_two(document, pronouns, known))
    return case.text_of(pronouns.words[0]) if is_same else ""


def _are_two(document: Document, pronouns: DescribedPerson, person: DescribedPerson) -> bool:
    """True if grammar shows that pronouns are somebody else's: "His father loves him", "Juliet is her favourite singer"."""
    own = person.mentioned | indices_of(person.words)
    for mention in pronouns.words:
        word = document.words[mention.first]
        above = document.head(word)
        is_owner = word.dep == "nmod:poss" and above is not None and above.index in own  # "her mother"
        if is_owner or is_other_person(document, word, own):
            return True
        is_argument = word.relation in ("nsubj", "obj", "iobj") and pronoun_form(document, word) is not None
        beside = document.children(above, "nsubj", "obj", "iobj") if above is not None else ()
        is_beside = any(other.index in own for other in beside)
        if is_beside and is_argument and not _is_reflexive(document, mention):
            return True
    return False


def _is_reflexive(document: Document, word: DemographicMention) -> bool:
    return document.words[word.first].lower.endswith(("self", "selves"))


Test = Callable[[Case, Any], str | bool]  # True for the item's own words, or the words that are in doubt
# Which changes they concern; what is tested, item by item; the tests with their reasons. `_kinds_of` names the changes.
_WORDS, _PRONOUNS = attrgetter("document"), attrgetter("pronouns")
_NEW_WORDS, _OWN_WORDS, _NAMES = attrgetter("words"), attrgetter("person.words"), attrgetter("person.names")
_OTHERS, _SAME_GENDER = attrgetter("others"), attrgetter("same_gender")
DOUBTS: tuple[tuple[str, Callable[[Case], Iterable[Any]], tuple[tuple[Test, str], ...]], ...] = (
    ("any", _WORDS, ((_is_namesake, UNCERTAIN),)),
    ("any", _person, ((_is_only_a_name, ONLY_A_NAME),)),
    ("any", _NEW_WORDS, ((_is_in_a_name, IN_A_NAME),)),
    ("any", _NEW_WORDS, (
        (_is_bare, UNCERTAIN), (_is_plural_after_a, UNCERTAIN), (_is_after_hyphen, UNCERTAIN),
        (_has_singular_verb, UNCERTAIN), (_is_figure_of_speech, UNCERTAIN),
    )),
    ("any", _NEW_WORDS, (
        (_is_after_name, IN_A_NAME), (_name_behind, NAME_KEPT), (_is_beside_a_slash, OTHERS),
    )),
    ("any", _person, ((_is_people_again, OTHERS_NEAR),)),
    ("any", _words_that_stay, ((_is_child_again, OTHERS_NEAR), (_is_same_gender, OTHERS))),
    ("any", _NEW_WORDS, ((_new_word_there, OTHERS), (_is_beside_its_pair, OTHERS))),
    ("any", _all_words, ((_is_in_a_small_title, TITLE_OF_A_WORK), (_is_the_man, UNCERTAIN))),
    ("age", _words_of_others, ((_is_like_this, SAME_AGE),)),
    ("age", _OWN_WORDS, ((_is_of_a_thing, THINGS),)),
    ("age", _OWN_WORDS, ((_is_offspring, OFFSPRING),)),
    ("age", _person, ((_second_decade, SAME_AGE), (_is_dated, DATED))),
    ("age", _WORDS, ((_goes_with_an_age, WITH_AGE),)),
    ("gender", _person, ((_is_mixed, MIXED), (_one_and_several, UNCERTAIN))),
    ("gender", _WORDS, ((_is_of_a_body, BODY),)),
    ("they", _person, ((_idiom_with_they, UNCERTAIN),)),
    ("they", _WORDS, ((_is_uncertain_they, UNCERTAIN),)),
    ("they", _OTHERS, ((_shown_elsewhere, UNCERTAIN),)),
    ("name", _NAMES, ((_of_something, ONLY_A_NAME),)),
    ("name", _NAMES, ((_no_full_name, ONLY_A_NAME),)),
    ("name", _NEW_WORDS, ((_surname_like_first, FIRST_OR_LAST),)),
    ("name", _person, ((_may_be_two_people, UNCERTAIN), (_kept_part, NAME_KEPT))),
    ("name", _NEW_WORDS, ((_other_gender_of_new, UNCERTAIN),)),
    ("name", _NAMES, (
        (_is_word_too, ONLY_A_NAME), (_is_place, UNCERTAIN), (_is_first_or_last, FIRST_OR_LAST),
        (_is_idle_surname, ONLY_A_NAME), (_is_of_other_gender, UNCERTAIN),
    )),
    ("race", _words_of_others, ((_is_like_this, SAME_GROUP),)),
    ("he or she", _WORDS, ((_is_ship, UNCERTAIN),)),
    ("he or she", _WORDS, ((_is_unread_name, UNCERTAIN),)),
    ("he or she", _person, ((_doubtful_pronoun, UNCERTAIN),)),
    ("he or she", _PRONOUNS, ((_is_half_a_word, UNCERTAIN),)),
    ("he or she", _PRONOUNS, ((_is_behind_animal, UNCERTAIN),)),
    ("he or she", _SAME_GENDER, ((_same_noun, UNCERTAIN),)),
    ("he or she", _WORDS, ((_is_skipped_noun, UNCERTAIN),)),
    ("he or she", _SAME_GENDER, ((_same_person, UNCERTAIN),)),
    ("gender", _NAMES, ((_stays_beside_pronouns, NAME_KEPT),)),
)  # fmt: skip
