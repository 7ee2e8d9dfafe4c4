"""When and where something is from: "a 1999 film" and "a film from 1999", "an Italian actor" and "an actor from Italy".

The words are in `nominal.toml`. Where a list hangs on the noun, nothing is done: of "an Italian actor and singer" it is not
sure who is Italian.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.nominal import words
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import in_names, is_year
from longway.text.articles import mend_articles
from longway.text.changes import Change
from longway.text.document import Document, Word


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one year or nation on the other side of its noun."""
    document = scene.document
    for word in document:
        if word.upos != "NOUN" or word.index in in_names(document):
            continue
        yield from _year_behind(document, word)
        yield from _year_before(document, word)
        yield from _nation_behind(document, word)
        yield from _nation_before(document, word)


def _before(document: Document, noun: Word) -> tuple[Word, list[Word]] | None:
    """The article of a noun and what stands between; None where it is no plain phrase."""
    modifiers: list[Word] = []
    for place in range(noun.index - 1, max(-1, noun.index - 6), -1):
        word = document.words[place]
        if word.lower in ("a", "an", "the", "this"):
            return word, modifiers[::-1]
        if word.upos not in ("ADJ", "NOUN", "NUM", "PROPN") and word.text != "-":
            return None
        modifiers.append(word)
    return None


def _year_behind(document: Document, noun: Word) -> Iterator[Rewriting]:
    found = (
        _before(document, noun)
        if noun.lemma.lower() in words().works and not _joined(document, noun)
        else None
    )
    if found is None or not found[1] or not is_year(found[1][0]) or found[0].lower == "the":
        return
    year = found[1][0]
    following = document.words[year.index + 1]
    removed = Change(year.start, following.start, "")
    changes = (removed, Change(noun.end, noun.end, f" from {year.text}"))
    yield Rewriting("origins.year_behind", (*changes, *mend_articles(document, [removed])))


def _year_before(document: Document, noun: Word) -> Iterator[Rewriting]:
    if noun.lemma.lower() not in words().works or noun.index + 2 >= len(document):
        return
    of, year = document.words[noun.index + 1], document.words[noun.index + 2]
    found = _before(document, noun)
    if (
        of.lower != "from"
        or not is_year(year)
        or not year.text.isdigit()
        or found is None
        or found[0].lower == "this"
    ):
        return
    if any(is_year(w) for w in found[1]):
        return
    first = found[1][0] if found[1] else noun
    added = Change(first.start, first.start, f"{year.text} ")
    changes = (added, Change(noun.end, year.end, ""))
    yield Rewriting("origins.year_before", (*changes, *mend_articles(document, [added])))


def _nation_behind(document: Document, noun: Word) -> Iterator[Rewriting]:
    lists = words()
    known = noun.lemma.lower() in lists.people | lists.works
    found = _before(document, noun) if known and not _joined(document, noun) else None
    if found is None or found[0].lower == "this" or noun.tag == "NNS":
        return
    for size in (2, 1):
        adjective = " ".join(w.text for w in found[1][:size])
        country = lists.nations.get(adjective) if len(found[1]) >= size else None
        if country is None:
            continue
        last = found[1][size - 1]
        following = document.words[last.index + 1]
        if following.text == "-" or following.index in in_names(document):
            return  # "American-born", "American Football"
        removed = Change(found[1][0].start, following.start, "")
        changes = (removed, Change(noun.end, noun.end, f" from {country}"))
        yield Rewriting("origins.nation_behind", (*changes, *mend_articles(document, [removed])))
        return


def _nation_before(document: Document, noun: Word) -> Iterator[Rewriting]:
    lists = words()
    if noun.lemma.lower() not in lists.people | lists.works or noun.index + 2 >= len(document):
        return
    found = _before(document, noun)
    if document.words[noun.index + 1].lower != "from" or found is None or found[0].lower == "this":
        return
    for size in (3, 2, 1):
        place = document.words[noun.index + 2 : noun.index + 2 + size]
        nation = lists.countries.get(" ".join(w.lower for w in place)) if len(place) == size else None
        if nation is None:
            continue
        after = document.words[place[-1].index + 1] if place[-1].index + 1 < len(document) else None
        is_end = after is None or after.text in (".", "!") or after.lower in ("who", "that", "by", "with")
        modifiers = [w for w in found[1] if not is_year(w)]
        if not is_end or any(w.text in lists.nations for w in found[1]):
            return
        first = modifiers[0] if modifiers else noun
        added = Change(first.start, first.start, f"{nation} ")
        changes = (added, Change(noun.end, place[-1].end, ""))
        yield Rewriting("origins.nation_before", (*changes, *mend_articles(document, [added])))
        return


def _joined(document: Document, noun: Word) -> bool:
    """True where another noun or a list follows: "an American actor and singer", "a 1999 film festival"."""
    after = document.words[noun.index + 1] if noun.index + 1 < len(document) else None
    if after is None:
        return False
    return (
        after.upos in ("NOUN", "PROPN", "CCONJ")
        or after.text in (",", "-", "(", "'s", "'")
        or after.lower in ("from", "of")
    )
