"""Exchange: a name or a number replaced by one that rows of other labels have, so that the dataset keeps its names.

    person     "Nora Vance left. Vance was tired." -> "Lena Marsh left. Marsh was tired."   same gender, as many words
    place      "She moved to Leeds."               -> "She moved to York."
    number     "It took 45 days."                  -> "It took 38 days."                    as many digits
    month, day "in May", "on Monday"               -> "in June", "on Friday"

A name that the context has too is left alone, because the label depends on it. So is a person of unknown gender if the text has
"he" or "she", and a name in a text without capitals. In other languages than English only numbers are exchanged.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import product
from random import Random
from typing import NamedTuple, TypeVar

from longway.english.document import Change, Document, Word, Words, apply_changes
from longway.english.inflection import MONTHS
from longway.english.people.mentions import find_mentions
from longway.english.people.person_names import gender_of_first_name, name_kind
from longway.english.people.referents import starts_a_thing
from longway.english.people.words import PLACES, is_widely_known
from longway.english.wordnet import senses
from longway.methods.loop import Draft
from longway.methods.repair.recurring import words_of
from longway.methods.repair.remedy import Parts, Proposer, RepairRow, Target

T = TypeVar("T")
N_DRAFTS = 3
MOST_ROWS = 1500  # rows of other labels in which names are looked for
_LEVELS = frozenset(["token", "ngram", "position"])
_NUMBER = re.compile(r"\d{2,}")
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_GENDERED = frozenset("he him his himself she her hers herself".split())
_MONTHS = tuple(name for name in MONTHS if name != "May")  # "may" is a verb as well
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


class _Name(NamedTuple):
    """A name in a text. kind: "person" or "place". gender: "masculine", "feminine", or "" if unknown."""

    words: tuple[str, ...]
    kind: str
    gender: str


class Exchange:
    """Replaces names, numbers and dates by those of rows with other labels. rows: all rows of the dataset. seed: decides which."""

    def __init__(self, rows: Sequence[RepairRow], *, seed: int = 0) -> None:
        self._rows, self._seed = rows, seed

    def propose(self, row: RepairRow, target: Target) -> Iterator[Draft]:
        """The text with other names or numbers in place of the pattern's."""
        pattern = target.pattern
        spans = row.spans(target) if pattern.level in _LEVELS else []
        if not spans or set(pattern.words) & set(words_of(row.context or "", row.tokenizer)):
            return
        if row.is_english:
            yield from self._drafts(row, row.document.words_between(*spans[0]))
        elif number := _NUMBER.search(row.text, *spans[0]):  # names cannot be told from other words
            yield from self._numbers(row, number.group(), *number.span())

    def _drafts(self, row: RepairRow, words: Sequence[Word]) -> Iterator[Draft]:
        for word in words:
            if _NUMBER.fullmatch(word.text):
                yield from self._numbers(row, word.text, word.start, word.end)
                return
            for listed, how in ((_MONTHS, "month"), (_DAYS, "day")):
                if word.text in listed:
                    for other in self._drawn([one for one in listed if one != word.text], row, how):
                        text = re.sub(rf"\b{word.text}\b", other, row.text)
                        yield row.draft(text, f"exchange.{how}", "label")
                    return
        for name, run in names_in(row.document):
            if any(word in run for word in words):
                yield from self._names(row, name)
                return

    def _numbers(self, row: RepairRow, number: str, start: int, end: int) -> Iterator[Draft]:
        beside = row.text[max(0, start - 1) : start] + row.text[end : end + 1]
        if any(c in "/.,:%$€£-+#" for c in beside if not c.isspace()) and not re.match(
            r"[.,](?:\s|$)", row.text[end:]
        ):
            return  # a rating, an amount, a time
        is_year = bool(_YEAR.fullmatch(number))
        fit = [
            n
            for n in self._numbers_by_label[row.label]
            if len(n) == len(number) and bool(_YEAR.fullmatch(n)) == is_year
        ]
        own = set(words_of(row.text, row.tokenizer))
        for other in self._drawn([n for n in fit if n not in own], row, "number"):
            text = re.sub(rf"(?<!\d){number}(?!\d)", other, row.text)
            yield row.draft(text, "exchange.number", "label")

    def _names(self, row: RepairRow, name: _Name) -> Iterator[Draft]:
        own = set(words_of(row.text, row.tokenizer)) | set(words_of(row.context or "", row.tokenizer))
        is_gendered = bool(own & _GENDERED)
        if is_gendered and name.kind == "person" and not name.gender:
            return
        alike = [
            other
            for other in self._people_and_places[row.label]
            if (other.kind, len(other.words)) == (name.kind, len(name.words))
            and not own & {word.lower() for word in other.words}
        ]
        fit = [
            other
            for other in alike
            if name.kind == "place" or other.gender == name.gender or (not is_gendered and not name.gender)
        ]
        if name.kind == "person" and len(name.words) == 2:
            fit = self._recombined(row, fit, alike)
        for other in self._drawn(fit, row, name.kind):
            text = _renamed(row.document, name, other)
            if text is not None:
                yield row.draft(text, f"exchange.{name.kind}", "label")

    def _recombined(self, row: RepairRow, people: Sequence[_Name], others: Sequence[_Name]) -> list[_Name]:
        """First names of people with surnames of others: nobody in the data, nobody widely known."""
        pairs = product(self._drawn(people, row, "first name"), self._drawn(others, row, "surname"))
        made = [one._replace(words=(one.words[0], other.words[1])) for one, other in pairs]
        return [
            one for one in made if one not in others and not is_widely_known(tuple(map(str.lower, one.words)))
        ]

    def _drawn(self, some: Sequence[T], row: RepairRow, how: str) -> list[T]:
        return Random(f"{self._seed}|{row.number}|{how}").sample(list(some), min(N_DRAFTS, len(some)))

    @cached_property
    def _numbers_by_label(self) -> dict[str, list[str]]:
        """For each label the numbers of rows with other labels."""
        return self._of_others(
            lambda row: [word for word in words_of(row.text, row.tokenizer) if _NUMBER.fullmatch(word)]
        )

    @cached_property
    def _people_and_places(self) -> dict[str, list[_Name]]:
        """For each label the names of rows with other labels."""
        return self._of_others(
            lambda row: (
                [name for name, _ in names_in(row.document)]
                if row.is_english and any(c.isupper() for c in row.text[1:])
                else []
            )
        )

    def _of_others(self, found_in: Callable[[RepairRow], Iterable[T]]) -> dict[str, list[T]]:
        """For each label what is found in rows with other labels."""
        order = Random(self._seed).sample(range(len(self._rows)), min(MOST_ROWS, len(self._rows)))
        by_label: dict[str, dict[T, None]] = defaultdict(dict)
        for place in sorted(order):
            row = self._rows[place]
            for one in found_in(row):
                by_label[row.label][one] = None
        labels = {row.label for row in self._rows}
        return {
            label: list(
                dict.fromkeys(one for other in sorted(by_label) if other != label for one in by_label[other])
            )
            for label in labels
        }


def names_in(document: Document) -> Iterator[tuple[_Name, Words]]:
    """The names of people and places in a text, with their words."""
    run: list[Word] = []
    for word in (*document, None):
        fits = word is not None and word.upos == "PROPN" and word.text[:1].isupper() and word.text.isalpha()
        if fits and word is not None and (not run or run[-1].index + 1 == word.index):
            run.append(word)
            continue
        if run and (name := _name(document, run)) is not None:
            yield name, tuple(run)
        run = [word] if fits and word is not None else []


def _name(document: Document, run: Sequence[Word]) -> _Name | None:
    """The name that a run of capitalised words is; of a person only if the sentence shows that it is one."""
    words = tuple(word.text for word in run)
    last, before = run[-1], document.before(run[0])
    if any(word.isupper() and len(word) > 1 for word in words):
        return None
    behind = document.text[last.end : last.end + 1]
    if behind == "-" or (before is not None and before.text == "-") or last.relation in ("compound", "amod"):
        return None  # part of a longer name, or a word before a noun
    if before is not None and (before.lower in ("the", "a", "an") or _ends_a_name(document, before)):
        return None
    if " ".join(words).lower() in PLACES:
        return _Name(words, "place", "")
    parts = tuple(word.lower for word in run)
    people = {one.start: one.parts for one in find_mentions(document) if one.kind == "name" and one.certain}
    is_noun = bool(document.children(last, "det", "amod")) or starts_a_thing(
        document, last.index + 1, places=True
    )
    is_adjective = len(parts) == 1 and bool(senses(parts[0], "ADJ"))  # "Norman", but not "Norman Lee"
    gender = None if is_noun or is_adjective or is_widely_known(parts[:1]) else gender_of_first_name(words[0])
    is_first = gender is not None and name_kind(words[0]) == "first" and parts[0] not in PLACES
    if is_first and len(parts) <= 2 and people.get(run[0].index) == parts:
        return _Name(words, "person", gender or "")
    return None


def _ends_a_name(document: Document, before: Word) -> bool:
    """Whether a name goes on: "Bank of America"."""
    above = document.before(before)
    return before.lower == "of" and above is not None and above.text[:1].isupper()


def _renamed(document: Document, old: _Name, new: _Name) -> str | None:
    """The text with another name wherever the name or one of its words is a name; None if a word of it is used otherwise."""
    pairs = {word.lower(): other for word, other in zip(old.words, new.words, strict=True)}
    changes: list[Change] = []
    for word in document:
        if word.lower in pairs:
            if word.upos != "PROPN" or not word.text[:1].isupper():
                return None
            changes.append(word.becomes(pairs[word.lower]))
    return apply_changes(document.text, changes)


def proposers(name: str, parts: Parts) -> Iterator[Proposer]:
    """The remedy for one dataset."""
    yield Proposer(name, Exchange(parts.every, seed=parts.seed).propose)
