"""Order of lists: "Ann Roe and Ben Poe" -> "Ben Poe and Ann Roe", "a singer and actor" -> "an actor and singer".

Only where the order says nothing: lists of people or places by name, of bare nouns and of bare adjectives. Fixed pairs stay
("rock and roll"), and so do lists whose parts speak of each other ("Ann and her brother"), titles, and whatever is told step by step.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.phrase_conditions import is_person
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import Piece, in_names, piece_of
from longway.text.articles import mend_articles
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.person_words import PLACES

_FIXED = (
    "rock roll", "rhythm blues", "salt pepper", "black white", "husband wife", "man wife", "cause effect", "trial error",
    "supply demand", "law order", "profit loss", "bread butter", "fish chips", "bed breakfast", "day night", "life death",
    "war peace", "crime punishment", "pride prejudice", "sense sensibility", "pros cons", "arts crafts", "research development",
    "track field", "hide seek", "mother child", "ladies gentlemen", "brothers sisters", "mind body", "heart soul", "sword sorcery",
    "science fiction", "wife child", "wife children", "drum bass", "country western", "food drink", "flora fauna", "past present", "north south", "east west",
    "question answer", "hardware software", "men women", "boys girls", "husbands wives", "king queen", "lord lady", "sci tech",
    "macaroni cheese", "mac cheese", "cat mouse", "cops robbers", "hit run", "truth dare", "bow arrow", "cup saucer", "yin yang",
    "executive legislative", "sodium chloride", "loss grief", "birth death", "radio television", "back forth", "up down", "old new",
)  # fmt: skip
_PAIRS = frozenset(frozenset(pair.split()) for pair in _FIXED)
_STEPS = frozenset(
    "first then later respectively finally subsequently before after next former latter followed between from".split()
)


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with the first and the last part of one list exchanged."""
    document = scene.document
    for word in document:
        others = document.children(word, "conj")
        if others and word.relation != "conj":
            yield from _swapped(document, [word, *others])


def _swapped(document: Document, items: list[Word]) -> Iterator[Rewriting]:
    sentence = document.sentence(document.sentence_number(items[0]))
    if any(w.lower in _STEPS for w in sentence) or not 2 <= len(items) <= 5:
        return
    if frozenset((items[0].lower, items[-1].lower)) in _PAIRS or not _is_joined_by_and(document, items):
        return
    pieces = _names(document, items) or _bare(document, items)
    if pieces is None:
        return
    first, last = pieces[0], pieces[-1]
    sentence_start = first.first == document.sentences[document.sentence_number(items[0])][0]
    new_first = last.text
    if sentence_start and first.text[:1].isupper():
        new_first = new_first[:1].upper() + new_first[1:]
    changes = [Change(first.start, first.end, new_first), Change(last.start, last.end, first.inside)]
    yield Rewriting("list_order.swapped", (*changes, *mend_articles(document, changes)))


def _is_joined_by_and(document: Document, items: list[Word]) -> bool:
    joints = [w for item in items for w in document.children(item, "cc")]
    return (
        len(joints) == 1
        and joints[0].lower in ("and", "or")
        and not document.children(items[0], "det:predet", "cc:preconj")
    )


def _names(document: Document, items: list[Word]) -> list[Piece] | None:
    """The parts where all of them are people, or all of them places."""
    names = in_names(document)
    pieces = []
    for item in items:
        piece = _whole_name(document, item)
        if any(w.index not in names or w.lower in ("and", ",", "of") for w in piece.words):
            return None
        pieces.append(piece)
    people = all(
        is_person(document, item) and len(piece) > 1 for item, piece in zip(items, pieces, strict=True)
    )
    places = all(piece.text.lower() in PLACES for piece in pieces)
    after = document.words[pieces[-1].last + 1] if pieces[-1].last + 1 < len(document) else None
    ends = after is None or (after.index not in names and after.lower not in ("'s", "’s", "'"))
    return pieces if (people or places) and ends else None


def _whole_name(document: Document, item: Word) -> Piece:
    """The name that a word belongs to, up to the next comma or "and"."""
    names = in_names(document)

    def belongs(place: int) -> bool:
        return place in names and document.words[place].lower not in (",", "and", "or", "&")

    first = last = item.index
    while belongs(first - 1):
        first -= 1
    while belongs(last + 1):
        last += 1
    return Piece(document, first, last)


def _bare(document: Document, items: list[Word]) -> list[Piece] | None:
    """The parts where all are single nouns, or single adjectives, with an article each, the first one, or none."""
    kind = items[0].upos
    tags = {item.tag for item in items}
    if kind not in ("NOUN", "ADJ") or any(item.upos != kind for item in items) or len(tags) != 1:
        return None
    names = in_names(document)
    articles = []
    for number, item in enumerate(items):
        below = [w for w in document.children(item) if w.relation not in ("conj", "cc", "punct")]
        if number == 0 and kind == "NOUN":
            below = [w for w in below if w.index < item.index]
        if number == 0 and item.dep == "root":
            below = [w for w in below if w.relation not in ("cop", "nsubj", "aux", "advmod")]
        if (
            any(w.relation != "det" or w.lower not in ("a", "an", "the") for w in below)
            or item.index in names
        ):
            return None
        articles.append(below[0].lower if below else "")
    if kind == "NOUN" and _is_modified(document, items):
        return None
    if len(set(articles)) == 1 or not any(articles[1:]) or {"a", "an"} >= set(articles):
        return [Piece(document, item.index, item.index) for item in items]
    return None


def _is_modified(document: Document, items: list[Word]) -> bool:
    """True where something hangs on the list that may belong to one part only: "a book and a film about it"."""
    after = document.words[items[-1].index + 1] if items[-1].index + 1 < len(document) else None
    is_followed = after is not None and (after.upos in ("NOUN", "PROPN", "ADP", "PART") or after.text == "-")
    whole = piece_of(document, items[0])
    behind = [
        w
        for w in document.children(items[0])
        if w.index > items[0].index and w.relation not in ("conj", "cc", "punct")
    ]
    behind = [w for w in behind if items[0].dep != "root" or w.relation not in ("nsubj", "cop")]
    return is_followed or bool(behind) or whole is None
