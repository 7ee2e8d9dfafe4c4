"""Details of a sentence: the numbers and names that a statement can get wrong, and what could be there instead.

details_of(document, words)    "It was directed by Ann Lee in 1950." -> Ann Lee, 1950
can_replace(new, old, said)    whether a detail of one sentence can stand in place of one of another
People(documents)              who stands in the same place in other sentences: "directed by Ann Lee" -> "directed by Eva Ray"
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from longway.english.articles import article_before
from longway.english.document import Document, Word
from longway.english.inflection import MONTHS
from longway.english.people.person_names import gender_of_first_name
from longway.text.tokenizer import tokenize

LEAST_KNOWN = 5  # different people that are seen in a place before they are exchanged
_NUMBER = re.compile(r"\d+")
_YEAR = re.compile(r"(1\d|20)\d\d")


class Detail(NamedTuple):
    """A number or a name in a sentence. before: the word before it; head: the lemma of the word that it belongs to."""

    start: int
    end: int
    text: str
    before: str
    head: str

    @property
    def is_number(self) -> bool:
        """Whether it is a number in digits."""
        return bool(_NUMBER.fullmatch(self.text))

    @property
    def gender(self) -> str | None:
        """Of a person."""
        return gender_of(self.text)


def details_of(document: Document, words: Iterable[Word]) -> Iterator[Detail]:
    """The numbers and names among some words of a sentence, which a statement can get wrong."""
    spans: list[list[Word]] = []
    for word in words:
        if word.tag == "CD" and _NUMBER.fullmatch(word.text):
            spans.append([word])
        elif word.upos == "PROPN":
            last = spans[-1][-1] if spans else None
            if last is not None and last.upos == "PROPN" and last.index + 1 == word.index:
                spans[-1].append(word)
            else:
                spans.append([word])
    for span in spans:
        inside = {word.index for word in span}
        heads = [
            head for word in span if (head := document.head(word)) is not None and head.index not in inside
        ]
        if _continues(document, span):
            continue
        start, end = span[0].start, span[-1].end
        before = document.lower_at(span[0].index - 1) if span[0].index else ""
        yield Detail(start, end, document.text[start:end], before, heads[0].lemma if heads else "")


def _continues(document: Document, span: list[Word]) -> bool:
    """Whether a name is part of a longer one: "Arts" of "the Academy of Arts and Letters"."""
    if span[0].upos != "PROPN":
        return False
    before = document.words[max(0, span[0].index - 2) : span[0].index]
    after = document.words[span[-1].index + 1 : span[-1].index + 3]
    is_inside = len(before) == 2 and before[0].upos == "PROPN" and before[1].lower == "of"
    return is_inside or (len(after) == 2 and after[0].lower in ("&", "of") and after[1].upos == "PROPN")


def can_replace(new: Detail, old: Detail, said: set[str]) -> bool:
    """Whether a detail of the context can stand where a claim has another one.

    A year is replaced by a year, another number by one of the same noun with as many digits. A name is replaced by one behind the same word, that belongs to the same verb or noun:
    "directed by Ann Lee" and "directed by Bob Ray", not "born in Lima" and "born in April 1950".
    """
    if set(tokenize(new.text)) & said:
        return False
    if old.is_number:
        both_years = _YEAR.fullmatch(new.text) and _YEAR.fullmatch(old.text)
        same_kind = both_years or (old.head == new.head and bool(old.head))
        return new.is_number and len(new.text) == len(old.text) and bool(same_kind)
    same_place = bool(old.head) and (new.before, new.head) == (old.before, old.head)
    return not new.is_number and same_place and new.text not in MONTHS


class People:
    """People's names by the place that they have in sentences: the word before them and the word that they belong to. seed: decides who is taken."""

    def __init__(self, documents: Iterable[Document], *, seed: int = 0) -> None:
        self._seed = seed
        places: dict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        for document in documents:
            for detail in details_of(document, document.words):
                if detail.gender is not None and detail.head:
                    places[detail.before, detail.head][detail.text] = None
        self._places = {place: tuple(found) for place, found in places.items() if len(found) >= LEAST_KNOWN}

    def other(self, person: Detail, *, not_in: str) -> str | None:
        """Somebody else of the same gender with the same place in a sentence, of whom a text does not speak; None if nobody is known."""
        known = self._places.get((person.before, person.head), ())
        there = set(tokenize(not_in))
        fitting = [one for one in known if gender_of(one) == person.gender and not set(tokenize(one)) & there]
        return Random(f"{self._seed}|{not_in}").choice(fitting) if fitting and person.gender else None


def gender_of(name: str) -> str | None:
    """The gender of a full name by its first name; None if it is not known, or the name is no person's.

    >>> gender_of("Robert Ray"), gender_of("Robert"), gender_of("New York")
    ('masculine', None, None)
    """
    first, *rest = name.split()
    return gender_of_first_name(first) if rest else None


def replaced_in(text: str, old: str, new: str) -> str | None:
    """The text with a detail replaced wherever it is, "a" and "an" fitted; None if it is not there, or a part of it is mentioned without the rest.

    >>> replaced_in("Ann Lee was an Irish pilot. Irish people liked her.", "Irish", "French")
    'Ann Lee was a French pilot. French people liked her.'
    >>> replaced_in("An Irish pilot left.", "Irish", "French")
    'A French pilot left.'
    >>> replaced_in("Bob Ray directed it. Ray was 30.", "Bob Ray", "Tim Fox") is None
    True
    """
    pattern = re.compile(rf"\b(?:([Aa]n?) )?(?<!\w){re.escape(old)}(?!\w)")
    rest = pattern.sub(" ", text)
    if rest == text or set(tokenize(rest)) & {word for word in tokenize(old) if len(word) > 2}:
        return None

    def fitted(found: re.Match[str]) -> str:
        if found[1] is None:
            return new
        article = article_before(new)
        return f"{article.capitalize() if found[1][0].isupper() else article} {new}"

    return pattern.sub(fitted, text)
