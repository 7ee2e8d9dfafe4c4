"""Mentions of people in a document: pronouns, names, kinship terms, titles and roles.

    find_mentions(document)  ->  mentions in text order; no two share a word

A name is a run of capitalised words that looks like a person: a known first name, a title in front, a surname seen before, its
grammar ("Brill, who ...", "Brill's wife"). Places, works and companies are capitalised, too, so a run that only may be a person is
a mention that is not `certain`; `chains.py` keeps it if a pronoun refers to it. If the pipeline recognises named entities
(`Word.entity`), they decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from longway.english.document import Document, Word
from longway.english.inflection import is_all_caps
from longway.english.people.person_names import census_first_name, census_surname, gender_of_first_name
from longway.english.people.words import (
    COMMON_WORDS,
    GENERATIONS,
    HUMAN_VERBS,
    KIN,
    NOT_PERSON,
    NOT_ROLES,
    NUMERALS,
    OPENERS,
    PARTICLES,
    PLACE_PREPOSITIONS,
    PLACES,
    PLURAL_ONLY,
    PRONOUN_FEATURES,
    ROLE_ENDINGS,
    ROLES,
    SUFFIXES,
    TITLES,
    is_widely_known,
)

OPEN_TAGS = frozenset(("PROPN", "NOUN", "ADJ", "VERB", "ADV", "X", "INTJ"))  # tags of rare names
SMALL_NAME = 20_000  # bearers from which a word in lower case may be a first name
COMMON_NAME = 1_000  # bearers from which a first name counts as evidence
GENDERED_NAME = (200, 0.97)  # least bearers and least share of one gender for a gendered first name
FIRST_NOT_LAST, RAREST_SURNAME = 10, 1_000  # "Mary" alone is a first name, "James" may be a surname
SURE_PERSON, THING = 2, -3  # points from which a run is certainly a person, and up to which it is a thing
OPENING_QUOTES, CLOSING_QUOTES = ("``", '"', "“", "‘", "'", "`"), ("''", '"', "”", "’", "'")


@dataclass(frozen=True, slots=True)
class Mention:
    """Words that refer to a person or to several.

    kind: "pronoun", "name", "kin", "title" or "role".
    head: index of its main word. start, end: indices of its first word and of the word after its last.
    gender: "masculine", "feminine", or "" if the words do not show it. number: "sing" or "plur". person: 1, 2 or 3.
    female: share of women among the bearers of the first name; 0.5 if unknown.
    parts: the words of a name in lower case, without titles, "jr" and the like last. title: the title in front of it, or "".
    form: for a pronoun "subject", "object", "possessive" or "reflexive"; else "".
    certain: False if it may be a thing: a run of capitals, "they".
    """

    kind: str
    head: int
    start: int
    end: int
    gender: str = ""
    number: str = "sing"
    person: int = 3
    female: float = 0.5
    parts: tuple[str, ...] = ()
    title: str = ""
    form: str = ""
    certain: bool = True


@lru_cache(maxsize=256)
def find_mentions(document: Document) -> tuple[Mention, ...]:
    """Return the mentions of people in a document, in text order.

    No two of them share a word: "his mother" is two mentions, "President Jane Roe" is one.
    """
    named = _names(document)
    taken = {index for mention in named for index in range(mention.start, mention.end)}
    others = (word for word in document.words if word.index not in taken)
    single = [m for word in others if (m := _pronoun(document, word) or _noun(document, word)) is not None]
    return tuple(sorted([*named, *single], key=lambda mention: mention.start))


# Pronouns and nouns


def _pronoun(document: Document, word: Word) -> Mention | None:
    known = PRONOUN_FEATURES.get(word.lower)
    if known is None or (word.lower in ("us", "mine", "i") and word.upos != "PRON"):  # US, a mine, part I
        return None
    return Mention(
        "pronoun",
        word.index,
        word.index,
        word.index + 1,
        gender=known.gender,
        number=known.number,
        person=known.person,
        form=_form(document, word) if word.lower == "her" else known.form,
        certain=known.number == "sing" or known.person != 3,  # "they" may be things
    )


def _form(document: Document, word: Word) -> str:
    """The form of "her": possessive if tagged so or if it determines a noun."""
    above = document.head(word)
    determines = word.relation in ("nmod", "det") and above is not None and above.index > word.index
    return "possessive" if determines or word.tag == "PRP$" else "object"


def _noun(document: Document, word: Word) -> Mention | None:
    """A kinship term, title or role without a name."""
    kind = person_noun_kind(word) if word.upos in ("NOUN", "PROPN", "PRON") else None
    if kind is None or _only_modifies(document, word):
        return None
    plural = word.tag in ("NNS", "NNPS") or word.feature("Number") == "Plur" or word.lower in PLURAL_ONLY
    number = "plur" if plural else "sing"
    first = _first_of_noun(document, word)
    return Mention(kind[0], word.index, first, word.index + 1, gender=kind[1], number=number)


def person_noun_kind(word: Word) -> tuple[str, str] | None:
    """The kind ("kin", "title" or "role") and gender of a noun for a person; None for other words."""
    for form in dict.fromkeys((word.lower, word.lemma.lower())):
        for kind, words in (("kin", KIN), ("role", ROLES), ("title", TITLES)):
            if form in words:
                return kind, words[form]
        if form in PLURAL_ONLY:
            return "role", ""
        for ending, gender in ROLE_ENDINGS.items():
            if form.endswith(ending) and len(form) > len(ending) + 2 and form not in NOT_ROLES:
                return "role", gender
    return None


def _only_modifies(document: Document, word: Word) -> bool:
    """True for "student" in "student union": a noun before a noun that is not a person."""
    above = document.head(word)
    if word.relation != "compound" or above is None:
        return False
    return above.upos != "PROPN" and (above.upos != "NOUN" or person_noun_kind(above) is None)


def _first_of_noun(document: Document, word: Word) -> int:
    """The first word of "the old police officer"; possessors and nouns for people are separate mentions."""
    first = word.index
    while first > 0:
        before = document.words[first - 1]
        belongs = before.head == word.index and before.relation in ("det", "amod", "compound", "nummod")
        is_name = before.upos == "PROPN" and before.text[:1].isupper()
        if not belongs or is_name or before.lower in PRONOUN_FEATURES or person_noun_kind(before) is not None:
            break
        first -= 1
    return first


# Names: runs of capitals, then which of them are people


def _names(document: Document) -> list[Mention]:
    capitals = _capitals_inside(document)
    runs = (_read(document, *run) for run in _runs(document, capitals))
    read = [mention_and_points for mention_and_points in runs if mention_and_points is not None]
    sure = {part for mention, points in read if points >= SURE_PERSON for part in mention.parts}
    known = sure - NOT_PERSON - PARTICLES
    names = []
    for mention, points in read:
        seen = points > THING and not known.isdisjoint(mention.parts)
        if points >= 0 or seen:
            names.append(replace(mention, certain=points >= SURE_PERSON or seen))
    return names


def _capitals_inside(document: Document) -> frozenset[str]:
    """Words that are capitalised inside a sentence and never written in lower case."""
    inside = {w.text for w in document.words if w.text[:1].isupper() and not _opens(document, w)}
    small = {w.text for w in document.words if w.text[:1].islower()}
    return frozenset(word for word in inside if word.lower() not in small)


def _opens(document: Document, word: Word) -> bool:
    """True for a word capitalised because of its position: first of a sentence, or after an opening mark."""
    first = document.sentence_of(word)[0].index
    if word.index == first:
        return True
    before = document.words[word.index - 1].text
    return before in OPENING_QUOTES or before in (":", ".", "(", "-", "--", "•", "*")


def _is_name_word(document: Document, word: Word, capitals: frozenset[str]) -> bool:
    if word.upos not in OPEN_TAGS:
        return False
    if not word.text[:1].isupper():
        return _is_small_name(document, word)
    if word.lower in PRONOUN_FEATURES or word.lower in OPENERS:
        return False
    if word.upos == "PROPN" or word.text in capitals:
        return True
    if not _opens(document, word):
        return len(word.text) > 1
    first_name = census_first_name(word.text)
    return first_name is not None and first_name.count >= COMMON_NAME and word.lower not in COMMON_WORDS


def _is_small_name(document: Document, word: Word) -> bool:
    """True for a first name in a text without capitals that a pronoun may refer to: "mike is late, his alarm never works"."""
    if word.upos != "PROPN" or not document.text.islower():
        return False
    known = [PRONOUN_FEATURES[other.lower] for other in document if other.lower in PRONOUN_FEATURES]
    is_other = any(word.lower in words for words in (PLACES, NOT_PERSON, KIN, TITLES, ROLES))
    if is_other or not any(features.gender for features in known):
        return False
    before = document.word_at(word.index - 1)  # the "clint" of "clint eastwood"
    is_surname = before is not None and before.upos == "PROPN" and _is_small_first_name(before)
    return is_surname or is_widely_known((word.lower,)) or _is_small_first_name(word)


def _is_small_first_name(word: Word) -> bool:
    first_name = census_first_name(word.text)
    return first_name is not None and first_name.count >= SMALL_NAME and is_mainly_first_name(word.lower)


def _runs(document: Document, capitals: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Runs of words that may be one name: index of the first word and of the word after the last."""
    end = 0
    for word in document.words:
        if word.index >= end and _is_name_word(document, word, capitals):
            end = _end_of_run(document, word, capitals)
            yield word.index, end


def _end_of_run(document: Document, first: Word, capitals: frozenset[str]) -> int:
    limit = document.sentences[document.sentence_number(first)][1]
    end = first.index + 1
    while end < limit:
        word = document.words[end]
        goes_on = _is_name_word(document, word, capitals) and not _is_new_title(document, word)
        if goes_on or (word.text[:1].isupper() and (word.lower in SUFFIXES or word.lower in GENERATIONS)):
            end += 1
        elif (skipped := _bridge(document, end, limit, capitals)) > 0:
            end += skipped
        else:
            break
    return end


def _is_new_title(document: Document, word: Word) -> bool:
    """True for a title inside a run of capitals: it begins another person ("Ann Lee President Roe")."""
    before = document.words[word.index - 1].lower
    is_title = word.lower in TITLES and word.lower not in COMMON_WORDS
    return is_title and before not in TITLES and before not in ROLES


def _bridge(document: Document, at: int, limit: int, capitals: frozenset[str]) -> int:
    """How many words to include if a name continues after lower-case words: "de la", a hyphen, a nickname, "of"."""
    words = document.words

    def is_name(index: int) -> bool:
        return index < limit and _is_name_word(document, words[index], capitals)

    text, before = words[at].text, words[at - 1]
    if words[at].lower in PARTICLES:
        reach = at + 1
        while reach < limit and words[reach].lower in PARTICLES:
            reach += 1
        return reach + 1 - at if is_name(reach) else 0
    if text in ("-", "–") and before.end == words[at].start and is_name(at + 1):
        return 2 if words[at].end == words[at + 1].start else 0
    if (
        text in OPENING_QUOTES
        and is_name(at + 1)
        and is_name(at + 3)
        and words[at + 2].text in CLOSING_QUOTES
    ):
        return 4
    if words[at].lower == "of" and before.lower not in PLACES and is_name(at + 1) and _may_be_of(before):
        return 2
    return 0


def _may_be_of(word: Word) -> bool:
    """True for the word before "of" in "Eleanor of Aquitaine", "Henry VIII of England", "Duke of York"."""
    name = census_first_name(word.text)
    is_common = name is not None and name.count >= COMMON_NAME
    return is_common or word.lower in NUMERALS or word.lower in TITLES


def _read(document: Document, first: int, end: int) -> tuple[Mention, int] | None:
    """A run of capitals as a mention, with its points; None for nouns and empty runs."""
    words = document.words[first:end]
    n_titles = _titles_in_front(words)
    body = words[n_titles:]
    if _is_noun(words) or body[0].lower == "of":
        return None
    kept = [word for word in body if word.text[:1].isalnum() and word.lower not in SUFFIXES]
    parts = tuple(word.lower.rstrip(".") if len(word.text) > 2 else word.lower for word in kept)  # "J." stays
    if not parts:
        return None
    title = words[n_titles - 1].lower if n_titles else ""
    first_name = census_first_name(parts[0])
    female = first_name.female if first_name is not None else 0.5
    gender = TITLES.get(title) or ROLES.get(title) or _gender_of_name(parts)
    head = head_index(document, words)
    mention = Mention("name", head, first, end, gender=gender, female=female, parts=parts, title=title)
    return mention, _points(document, words, parts, title)


def _titles_in_front(words: tuple[Word, ...]) -> int:
    n = 0
    while n < len(words) - 1:
        is_role = words[n].lower in ROLES and census_first_name(words[n].text) is None
        if words[n].lower not in TITLES and not is_role:  # "Actress Jane Roe", but "Hunter Roe"
            break
        n += 1
    return n


def _is_noun(words: tuple[Word, ...]) -> bool:
    """True for "the President", "Dad": a noun with a capital."""
    word = words[0].lower
    return len(words) == 1 and (word in TITLES or word in KIN or word in ROLES) and word not in COMMON_WORDS


def without_generation(parts: tuple[str, ...]) -> tuple[str, ...]:
    """A name without a final mark such as "jr".

    >>> without_generation(("ann", "roe", "jr"))
    ('ann', 'roe')
    """
    return parts[:-1] if len(parts) > 1 and parts[-1] in GENERATIONS else parts


def _gender_of_name(parts: tuple[str, ...]) -> str:
    """The gender of a name. A single name has one if far more people bear it as first name than as surname."""
    least, share = GENDERED_NAME
    first_name = census_first_name(parts[0])
    is_usable = len(parts) > 1 or is_mainly_first_name(parts[0])
    if first_name is None or first_name.count < least or not is_usable:
        return ""
    return gender_of_first_name(parts[0], sure=share) or ""


def is_mainly_first_name(name: str) -> bool:
    """True for a name that far more people bear as first name than as surname.

    >>> is_mainly_first_name("mary"), is_mainly_first_name("taylor")
    (True, False)
    """
    first_name, family = census_first_name(name), census_surname(name)
    least = FIRST_NOT_LAST * (RAREST_SURNAME if family is None else family.count)
    return first_name is not None and first_name.count >= least


def head_index(document: Document, words: tuple[Word, ...]) -> int:
    """The word of a run whose head is outside it; the first one if the parse splits the run."""
    inside = {word.index for word in words}
    outer = [word.index for word in words if word.head not in inside or word.head == word.index]
    return outer[0] if outer else words[-1].index


# Which runs are people: points for and against


def _points(document: Document, words: tuple[Word, ...], parts: tuple[str, ...], title: str) -> int:
    """Evidence for a person: certain from `SURE_PERSON` on, not a person below 0."""
    entities = {word.entity for word in words} - {""}
    if entities:
        return 3 if "PERSON" in entities else -1
    if title in TITLES and NOT_PERSON.isdisjoint(parts):
        return 3
    head = document.words[head_index(document, words)]
    by_words = _points_of_words(parts) + (title != "")  # "Director Roe"
    return by_words + _points_of_neighbours(document, words, head) + _points_of_grammar(document, head, parts)


def _points_of_words(parts: tuple[str, ...]) -> int:
    first_name, last = census_first_name(parts[0]), census_surname(without_generation(parts)[-1])
    known = first_name is not None and first_name.count >= COMMON_NAME and parts[0] not in COMMON_WORDS
    several = len(parts) > 1
    points = known + (last is not None)
    points += known + (first_name is not None) if several else known and is_mainly_first_name(parts[0])
    things = [part for part in parts if part in NOT_PERSON]
    is_surname = known and several and last is not None and things == [parts[-1]]  # "Ann North"
    if things and not is_surname:
        points -= 4
    if not several and parts[0] in PLACES:
        points -= 3
    return points


def _points_of_neighbours(document: Document, words: tuple[Word, ...], head: Word) -> int:
    points = 0
    is_first_name = is_all_caps(document.text) and is_mainly_first_name(words[0].lower)  # "DAVID, STOP!"
    if not is_first_name and all(word.text.isupper() and 1 < len(word.text) < 6 for word in words):
        points -= 2  # "NATO"
    before = document.lower_at(words[0].index - 1)
    if before in ("the", "a", "an", "this", "these"):
        points -= 2
    after = [word.lower for word in document.words[words[-1].index + 1 : words[-1].index + 3]]
    if len(after) == 2 and after[0] == "," and after[1] in PLACES:
        points -= 3  # "Springfield, Illinois"
    cases = document.children(head, "case")
    if any(word.lower in PLACE_PREPOSITIONS and word.index < head.index for word in cases):
        points -= 2
    return points


def _points_of_grammar(document: Document, head: Word, parts: tuple[str, ...]) -> int:
    points = 0
    above = document.head(head)
    cases = [word.lower for word in document.children(head, "case") if word.index < head.index]
    if head.relation == "nsubj" and above is not None:
        points += above.lemma.lower() in HUMAN_VERBS
    elif head.relation in ("obj", "iobj") or (
        head.relation == "obl" and cases[:1] in (["with"], ["by"], ["to"], ["for"])
    ):
        points += 1
    elif head.dep == "nmod:poss" and above is not None:
        points += 3 if above.lower in KIN else len(parts) == 1
    elif head.relation in ("appos", "flat", "compound") and above is not None and _is_person_noun(above):
        points += 3
    if any(map(_is_person_noun, document.children(head, "appos", "compound", "nmod"))):
        points += 2
    clauses = document.children(head, "acl")
    if any(w.lower in ("who", "whom", "whose") for clause in clauses for w in document.children(clause)):
        points += 3
    return points


def _is_person_noun(word: Word) -> bool:
    return word.upos == "NOUN" and person_noun_kind(word) is not None
