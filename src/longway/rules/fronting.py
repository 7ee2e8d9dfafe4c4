"""Sentences turned round: a time at the front or the end, "is where", and "it was ... who".

    "Ann was born in Rome in 1984."   ->  "In 1984, Ann was born in Rome."       and back
    "Ann died in Rome."               ->  "Rome is where Ann died."              and back
    "It was Ann who wrote it."        ->  "Ann wrote it."
    "Ann is the owner of the house."  ->  "The owner of the house is Ann."       and back

Nothing is moved across "not", "only" and the like: what they speak of could change.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.clauses import Clause, be, clauses, number_of
from longway.rules.passive import VERBS
from longway.rules.phrase_conditions import is_person, kinds_of
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import MONTHS, Piece, comma_of, in_names, is_year, opening, plain_sentences
from longway.text.changes import Change
from longway.text.document import Document, Word

SCOPE = frozenset(
    "not n't n’t never no only just even solely exclusively first last still already hardly rarely any neither nor nothing "
    "nobody none yet always ever until".split()
)
_DATE_WORDS = frozenset(
    "the of early late mid century centuries decade and spring summer autumn winter ,".split()
)


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one sentence turned round."""
    document = scene.document
    for clause in clauses(document):
        yield from _time_to_front(clause)
        yield from _where(clause)
        yield from _inverted(clause)
        yield from _cleft(clause)
    for number, sentence in plain_sentences(document):
        yield from _time_to_end(document, number, sentence)
        yield from _plain_for_cleft(document, number, sentence)
        yield from _plain_for_where(document, number, sentence)


# Times


def _time_to_front(clause: Clause) -> Iterator[Rewriting]:
    document = clause.document
    if clause.rest is None or clause.head.upos != "VERB" or has_scope(clause.verbs + clause.rest.words):
        return
    time = _final_time(clause.rest)
    if time is None or _is_opened_by(clause.subject, ("it", "there", "this", "that")):
        return
    last = time.first - 1
    if document.words[last].text == ",":
        last -= 1
    between = document.words[clause.verbs[-1].index + 1 : last + 1]
    if any(w.upos in ("VERB", "AUX") and w.index not in in_names(document) for w in between):
        return  # "an actor born in 1982"
    if last < clause.verbs[-1].index or document.words[last].upos in ("CCONJ", "ADP", "SCONJ", "NUM"):
        return
    subject = Piece(document, clause.subject.first, clause.subject.first)
    front = opening(document, clause.sentence, time.text)
    changes = (
        Change(subject.start, subject.end, f"{front}{comma_of(document)} {subject.inside}"),
        Change(document.words[last].end, time.end, ""),
    )
    yield Rewriting("fronting.time_to_front", changes)


def _final_time(rest: Piece) -> Piece | None:
    """The time that ends a sentence, with its preposition: "in 1984", "on May 5, 1984", "in the 20th century"."""
    for place in range(rest.last, rest.first - 1, -1):
        word = rest.document.words[place]
        if word.upos == "ADP" and word.lower in ("in", "on", "during"):
            found = Piece(rest.document, place, rest.last)
            return found if len(found) > 1 and _is_time(found) else None
        if not _is_date_word(word):
            return None
    return None


def _is_time(piece: Piece) -> bool:
    words = piece.words[1:]
    has_date = any(is_year(w) or w.lower in MONTHS or w.lower == "century" for w in words)
    return has_date and not (words[0].upos == "NUM" and not is_year(words[0]))


def _is_date_word(word: Word) -> bool:
    is_number = word.upos == "NUM" or (word.text[:1].isdigit() and len(word.text) < 6)
    return is_number or is_year(word) or word.lower in MONTHS or word.lower in _DATE_WORDS


def _time_to_end(document: Document, number: int, sentence: Piece) -> Iterator[Rewriting]:
    words = sentence.words
    if words[0].lower not in ("in", "on", "during") or has_scope(words):
        return
    comma = next(
        (w for w in words if w.text == "," and w.index + 1 <= sentence.last and not _is_in_date(document, w)),
        None,
    )
    if comma is None:
        return
    time = Piece(document, sentence.first, comma.index - 1)
    main = Piece(document, comma.index + 1, sentence.last)
    if (
        not all(_is_date_word(w) for w in time.words[1:])
        or not _is_time(time)
        or _final_time(main) is not None
    ):
        return
    root = next((w for w in main.words if w.dep == "root"), None)
    if root is None or root.upos != "VERB" or not document.children(root, "nsubj"):
        return
    if document.children(root, "conj", "advcl", "ccomp") or any(w.text == "," for w in main.words):
        return
    first = main.words[0]
    changes = (
        Change(time.start, first.end, opening(document, number, first.text)),
        Change(sentence.end, sentence.end, f" {time.inside}"),
    )
    yield Rewriting("fronting.time_to_end", changes)


def _is_in_date(document: Document, comma: Word) -> bool:
    """True for the comma of "May 5, 1984"."""
    return is_year(document.words[comma.index + 1]) and document.words[comma.index - 1].text[:1].isdigit()


# Places


def _where(clause: Clause) -> Iterator[Rewriting]:
    """As in "Ann died in Rome." -> "Rome is where Ann died."."""
    document, rest = clause.document, clause.rest
    if (
        rest is None
        or clause.finite.tag != "VBD"
        or clause.head.lower not in ("born", "died", "raised", "lived", "filmed")
    ):
        return
    if len(clause.verbs) > 2 or has_scope(clause.verbs) or rest.words[0].lower != "in" or len(rest) < 2:
        return
    place = Piece(document, rest.first + 1, rest.last)
    is_name = all(w.index in in_names(document) or w.tag == "DT" for w in place.words)
    if not is_name or place.words[0].lower in MONTHS or any(is_year(w) for w in place.words):
        return
    verbs = Piece(document, clause.verbs[0].index, clause.verbs[-1].index)
    subject = clause.subject
    changes = (
        Change(
            subject.start,
            subject.end,
            f"{opening(document, clause.sentence, place.text)} is where {subject.inside}",
        ),
        Change(verbs.end, rest.end, ""),
    )
    yield Rewriting("fronting.where", changes)


def _plain_for_where(document: Document, number: int, sentence: Piece) -> Iterator[Rewriting]:
    """ "Rome is where Ann died." -> "Ann died in Rome."; the same for "is the place where", "is when" is left."""
    words = sentence.words
    found = [w.index for w in words if w.lower == "where"]
    if len(found) != 1 or has_scope(words):
        return
    before = [w.lower for w in document.words[sentence.first : found[0]]]
    size = 1 if before[-1:] == ["is"] else 3 if before[-3:] == ["is", "the", "place"] else 0
    if not size or found[0] - size <= sentence.first or found[0] + 2 > sentence.last:
        return
    place = Piece(document, sentence.first, found[0] - size - 1)
    main = Piece(document, found[0] + 1, sentence.last)
    verb = main.words[-1]
    if not all(w.index in in_names(document) or w.tag == "DT" for w in place.words) or verb.tag not in (
        "VBD",
        "VBN",
    ):
        return
    changes = (
        Change(place.start, main.words[0].end, opening(document, number, main.words[0].text)),
        Change(sentence.end, sentence.end, f" in {place.inside}"),
    )
    yield Rewriting("fronting.plain_for_where", changes)


# Who it is


def _inverted(clause: Clause) -> Iterator[Rewriting]:
    """ "Ann is the owner of the house." -> "The owner of the house is Ann." and back; both sides single and definite."""
    document, subject, rest = clause.document, clause.subject, clause.rest
    if rest is None or len(clause.verbs) != 1 or clause.finite.lower not in ("is", "was"):
        return
    if not (_is_definite(subject) and _is_name(rest)) and not (_is_name(subject) and _is_definite(rest)):
        return
    definite = rest if _is_definite(rest) else subject
    words = [w.lower for w in definite.words]
    if (
        "of" not in words
        or not {"same", "one", "a", "an"}.isdisjoint(words)
        or has_scope(definite.words)
        or "," in words
    ):
        return
    if any(w.tag in ("WDT", "WP", "WRB", "VBD", "VBZ", "CC") for w in definite.words):
        return
    changes = (
        Change(subject.start, subject.end, opening(document, clause.sentence, rest.text)),
        Change(rest.start, rest.end, subject.inside),
    )
    yield Rewriting("fronting.inverted", changes)


def _is_name(piece: Piece) -> bool:
    names = in_names(piece.document)
    return all(w.index in names for w in piece.words) and number_of(piece.document, piece) == "sing"


def _is_definite(piece: Piece) -> bool:
    names, first = in_names(piece.document), piece.words[0]
    if first.lower != "the" or first.index in names:
        return False
    return piece.words[1].index not in names and number_of(piece.document, piece) in ("sing", None)


def _cleft(clause: Clause) -> Iterator[Rewriting]:
    """As in "Ann wrote the song." -> "It was Ann who wrote the song."."""
    document, verb = clause.document, clause.head
    things = document.children(verb, "obj")
    if clause.verbs != (verb,) or verb.tag != "VBD" or verb.lemma.lower() not in VERBS or len(things) != 1:
        return
    determiners = document.children(things[0], "det")
    if things[0].index not in in_names(document) and not any(w.lower == "the" for w in determiners):
        return  # "It was Ann who made films" stresses what the plain sentence does not
    heads = [w for w in clause.subject.words if is_person(document, w) and w.index in in_names(document)]
    if (
        not heads
        or not _is_name(clause.subject)
        or (clause.rest is not None and has_scope(clause.rest.words))
    ):
        return
    it = opening(document, clause.sentence, "it")
    changes = (
        Change(clause.subject.start, clause.subject.start, f"{it} {be('past', 'sing')} "),
        Change(clause.subject.end, clause.subject.end, " who"),
    )
    yield Rewriting("fronting.cleft", changes)


def _plain_for_cleft(document: Document, number: int, sentence: Piece) -> Iterator[Rewriting]:
    """As in "It was Ann who wrote the song." -> "Ann wrote the song."."""
    words = sentence.words
    if words[0].lower != "it" or words[1].lower not in ("is", "was") or has_scope(words):
        return
    found = [w for w in words[3:-1] if w.lower in ("who", "that") and w.tag in ("WP", "WDT", "IN")]
    if not found:
        return
    who, verb = found[0], document.words[found[0].index + 1]
    subject = Piece(document, words[2].index, who.index - 1)
    finite = verb.tag in ("VBD", "VBZ", "MD") and verb.index not in in_names(document)
    is_noun = subject.words[0].upos in ("PROPN", "DET", "NOUN") and "end" not in kinds_of(document, verb)
    if not finite or not is_noun or any(w.upos in ("VERB", "AUX", "PUNCT", "ADP") for w in subject.words):
        return
    changes = (
        Change(words[0].start, subject.words[0].end, opening(document, number, subject.words[0].text)),
        Change(subject.end, who.end, ""),
    )
    yield Rewriting("fronting.plain_for_cleft", changes)


def has_scope(words: tuple[Word, ...]) -> bool:
    """True where "not", "only" or the like is among the words: what they speak of hangs on the order."""
    return any(w.lower in SCOPE for w in words)


def _is_opened_by(piece: Piece, words: tuple[str, ...]) -> bool:
    return piece.words[0].lower in words
