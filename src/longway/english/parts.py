"""Parts of a sentence: those that can be left out, and details, the numbers and names that a statement can get wrong.

is_optional_adverb(document, word)    whether a sentence does not need a word: "frankly", "incredibly"; not "only", "here"
is_closed(document, start, end)       whether a stretch can be left out without loss for the rest

details_of(document, words)    "It was directed by Ann Lee in 1950." -> Ann Lee, 1950
can_replace(new, old, said)    whether a detail of one sentence can stand in place of one of another
People(documents)              who has the same place in other sentences: "directed by Ann Lee" -> "directed by Eva Ray"
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from longway.english.articles import article_before
from longway.english.document import Document, Word, any_upos
from longway.english.inflection import MONTHS
from longway.english.opposites import sentiment_mentions
from longway.english.people.person_names import gender_of_first_name
from longway.english.wordnet import senses
from longway.english.words import STOP_WORDS, WEAK_RESTRICTIONS, is_negation, listed_words
from longway.text.tokenizer import tokenize

NEEDED = listed_words(__name__)["needed"] | WEAK_RESTRICTIONS
# How a phrase that can be left out depends on the rest.
LOOSE = frozenset(["advmod", "discourse", "parataxis", "obl", "advcl", "nmod", "fixed", "dep", "vocative"])
_ATTRACTED = LOOSE | {"punct", "conj", "cc", "mark"}
_JOINTS = frozenset(["ADP", "SCONJ", "CCONJ", "PUNCT"])
_AMOUNTS = frozenset("much many more less little few".split())
_DEGREES = frozenset("so too as how more most less least that".split())
CLOSED = frozenset(["ADP", "SCONJ", "CCONJ", "DET", "PRON", "AUX", "PART", "NUM"])


def is_closed(document: Document, start: int, end: int, *, strict: bool = True) -> bool:
    """Whether the words of a stretch depend on the rest as something optional, and no word outside depends on them.

    strict: False if modifiers outside may depend on them: an aside in the middle of a sentence often attracts what follows it.
    """
    inside = document.words_between(start, end)
    indices = {word.index for word in inside}
    outer = [word for word in inside if word.head == word.index or word.head not in indices]
    if not inside or any(
        word.head == word.index or word.relation not in LOOSE or word.dep == "obl:unmarked" for word in outer
    ):
        return False  # a word depends on one outside, but not as something optional
    children = (child for word in inside for child in document.children(word))
    free = _ATTRACTED if not strict else frozenset(["punct"])
    return all(child.relation in free for child in children if child.index not in indices)


def introduces(document: Document, start: int, end: int) -> bool:
    """Whether words of a stretch belong to a word behind it: "at all" in "at all costs", "in a" in "in a way"."""
    inside = document.words_between(start, end)
    if not inside:
        return False
    last = inside[-1].index
    heads = [
        word.head
        for word in inside
        if word.head > last and word.relation in ("case", "det", "nummod", "fixed")
    ]
    between = document.words[last + 1 : min(heads, default=last)]
    return bool(heads) and not any_upos(between, _JOINTS)


def is_adverb_only(word: str) -> bool:
    """Whether a word is known as an adverb and as nothing else: "forthwith", "nonetheless"; not "well", "back"."""
    if word in NEEDED or word in STOP_WORDS:
        return False
    return bool(senses(word, "ADV")) and not any(senses(word, upos) for upos in ("NOUN", "VERB", "ADJ"))


def may_be_adverb(document: Document, word: Word) -> bool:
    """Whether a word is known as an adverb only, and may be left out although the analysis attaches it in another way."""
    return word.upos not in CLOSED and is_adverb_only(word.lower) and not _matters(document, word)


def is_optional_adverb(document: Document, word: Word) -> bool:
    """Whether a word is an adverb or interjection that the sentence does not need: "frankly", "incredibly"; not "only", "here"."""
    if (
        word.upos not in ("ADV", "INTJ")
        or word.relation not in ("advmod", "discourse")
        or _matters(document, word)
    ):
        return False
    if word.upos == "INTJ" and not _opens(document, word):
        return False  # "and yeah, it works"
    above = document.head(word)
    return (
        above is not None
        and above.upos in ("VERB", "ADJ", "AUX", "ADV", "NOUN")
        and is_closed(document, word.start, word.end)
    )


def _matters(document: Document, word: Word) -> bool:
    """Whether an adverb changes what is said: it limits, compares or judges, is denied, or belongs to a word beside it."""
    if word.lower in NEEDED or word.tag in ("WRB", "RBR", "RBS", "RP") or is_negation(word.lower):
        return True
    before, above = document.before(word), document.head(word)
    if before is not None and (is_negation(before.lower) or before.lower in _DEGREES):
        return True  # "not really", "so incredibly"
    if above is not None:
        if above.lower in _AMOUNTS:
            return True  # "pretty much", "any more"
        denied = (other for other in document.children(above) if is_negation(other.lower))
        if any(other.index < word.index < above.index for other in denied):
            return True  # "did not completely fail"
    around = document.text[max(0, word.start - 1) : word.start] + document.text[word.end : word.end + 1]
    is_joined = "-" in around or bool(
        document.children(word, "conj", "cc")
    )  # "slowly and carefully", "well-made"
    return is_joined or has_sentiment(document, word.start, word.end)


def _opens(document: Document, word: Word) -> bool:
    """Whether a word begins a sentence, or stands between two commas."""
    before, after = document.before(word), document.after(word)
    is_first = word.index == document.sentence_of(word)[0].index
    is_between = before is not None and after is not None and before.text == after.text == ","
    return is_first or is_between


def has_sentiment(document: Document, start: int, end: int) -> bool:
    """Whether a stretch has a word that judges."""
    words = document.words_between(start, end)
    if not words:
        return False
    first, last = words[0].index, words[-1].index
    return any(mention.first <= last and mention.last >= first for mention in sentiment_mentions(document))


def has_names_or_numbers(document: Document, start: int, end: int) -> bool:
    """Whether a stretch has a name or a number."""
    words = document.words_between(start, end)
    return any(word.upos in ("PROPN", "NUM") or any(c.isdigit() for c in word.text) for word in words)


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
            if last is None or last.upos != "PROPN" or last.index + 1 != word.index:
                spans.append([])
            spans[-1].append(word)
    for span in spans:
        if _continues(document, span):
            continue
        start, end = span[0].start, span[-1].end
        heads = (document.words[word.head] for word in span if word.head != word.index)
        head = next((head.lemma for head in heads if head not in span), "")
        yield Detail(start, end, document.text[start:end], document.lower_at(span[0].index - 1), head)


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
