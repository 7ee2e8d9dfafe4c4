"""Triples by rules, over the package's own analysis of a text.

    triples_of(document)    its triples in reading order

    The waiter was rude and brought cold soup.    The waiter | was | rude          The waiter | brought | cold soup
    A poor film that fails to move anybody.       The film | is | poor             The film | fails to move | anybody
    Well, what can I say?                         | | Well, what can I say?

A sentence is cut where the grammar is plain: at predicates that "and" or "but" joins, at relative clauses that say something of
the word before them, and between subject, verbs and the rest. Nothing is made up: the words of a triple stand in the sentence, besides "is"
and "are" before an adjective and "the" before what was named already; all its words stand in some triple, besides "and", "but",
relative pronouns and marks. A sentence for which that does not hold stays whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.text.document import Document, Word
from longway.triples.fragments import fragment
from longway.triples.pieces import JOINING, MARKS, Piece, is_break, trimmed, verb_group, written
from longway.triples.relative import cut_relatives
from longway.triples.triple import LONGEST, BadTriples, Triple, numbered, parse

_FINITE = frozenset({"VBZ", "VBD", "VBP", "MD"})
_LONGEST_BEFORE_MOVED = 12  # words
_ASKING = frozenset("when why how where not never so even just only almost quite both".split())
_DENYING = ("not ", "never ", "only ", "neither ", "nor ")  # a subject behind these stands behind its verb


def triples_of(document: Document, *, most: int | None = None) -> list[Triple]:
    """The triples of a text in reading order; a sentence that cannot be taken apart is one of them, whole.

    most: how many there may be. In a text that has more, sentences stay whole, the last ones first; if there are still
    too many, neighbours stand together.
    """
    found = [sentence_triples(document, number) for number in range(len(document.sentences))]
    wholes = [_whole(document, number) for number in range(len(found))] if most is not None else []
    last = len(found) - 1
    while most is not None and last >= 0 and sum(map(len, found)) > most:
        found[last] = [Triple.whole(wholes[last])] if found[last] else []
        last -= 1
    triples = [triple for one in found for triple in one]
    if most is None or len(triples) <= most:
        return triples
    size = -(-len(triples) // most)
    parts = (triples[start : start + size] for start in range(0, len(triples), size))
    return [Triple.whole(" ".join(triple.text for triple in part)) for part in parts]


def _whole(document: Document, number: int) -> str:
    words = [word for word in document.sentence(number) if not is_break(word)]
    return written(document, words, ends=True).replace("|", "/")


def sentence_triples(document: Document, number: int) -> list[Triple]:
    """The triples of one sentence; the sentence itself where it cannot be taken apart."""
    words = tuple(word for word in document.sentence(number) if not is_break(word))
    whole = _whole(document, number)
    if not any(c.isalnum() for c in whole):
        return []
    pieces = _pieces(document, words) if _is_open(words, whole) else None
    triples = None if pieces is None else [_triple(document, piece) for piece in pieces]
    if pieces is None or triples is None or not _is_complete(words, pieces):
        return [Triple.whole(whole)]
    made = [triple for triple in triples if triple is not None]
    is_sound = len(made) == len(triples) and all(map(_is_sound, made)) and _reads_back(made)
    return made if is_sound else [Triple.whole(whole)]


def _reads_back(triples: list[Triple]) -> bool:
    """True where the triples, written down, are read as they are: not so where a bracket stands around all words."""
    try:
        return parse(numbered(triples[:LONGEST])) == triples[:LONGEST]
    except BadTriples:
        return False


def _is_open(words: tuple[Word, ...], whole: str) -> bool:
    """True for a sentence that can be tried: no question, no marks of its own, and not endless."""
    return len(words) <= 60 and "?" not in whole and not any(w.text == "|" for w in words)


def _is_sound(triple: Triple) -> bool:
    """True where brackets and quotation marks were not torn apart."""
    text = triple.text
    return (
        text.count("(") == text.count(")")
        and text.count('"') % 2 == 0
        and text.count("“") == text.count("”")
        and text.count("-lrb-") == text.count("-rrb-")
        and not triple.subject.lower().startswith(_DENYING)
        and bool(triple.subject and triple.predicate)
    )


def _is_complete(words: tuple[Word, ...], pieces: list[Piece]) -> bool:
    """True where every word that says something is in a piece."""
    used = {index for piece in pieces for index in piece.used}
    left = [word for word in words if word.index not in used]
    return all(
        word.upos in ("PUNCT", "SYM")
        or word.lower in JOINING
        or (word.lower in ("a", "an") and word.upos == "DET")
        for word in left
    )


def _triple(document: Document, piece: Piece) -> Triple | None:
    subject = piece.subject_text or written(document, piece.subject)
    rest = written(document, piece.object)
    if piece.moved:
        moved = written(document, piece.moved, opens=True)
        rest = f"{rest}{piece.aside} {moved}" if rest else moved
    if not subject or _is_torn(piece.subject):
        return None
    return Triple(subject, piece.predicate_text or written(document, piece.predicate), rest)


def _is_torn(subject: tuple[Word, ...]) -> bool:
    """True where the comma behind "Ann, my friend," would be lost; not where what it closed was cut out."""
    ends = len(subject) > 1 and subject[-1].text in MARKS
    return ends and subject[-2].index == subject[-1].index - 1


def _pieces(document: Document, words: tuple[Word, ...]) -> list[Piece] | None:
    """The statements of a sentence; None where it is not plain."""
    roots = [word for word in words if word.head == word.index]
    if len(roots) != 1:
        return None
    root, inner = roots[0], _without_marks(words)
    is_open = root.upos not in ("VERB", "AUX") or root.tag == "VBG"
    if is_open and not document.children(root, "cop", "aux"):
        return fragment(document, root, inner)
    found: list[Piece] = []
    last: Piece | None = None
    for head, part in _joined(document, root, inner):
        piece = _clause(document, head, part, last)
        if piece is None:
            return None
        found += cut_relatives(document, head, piece)
        last = piece
    return found


def _without_marks(words: tuple[Word, ...]) -> list[Word]:
    """The words of a sentence without the marks at its end and a joining word at its start."""
    inner = list(words)
    while inner and inner[-1].upos == "PUNCT" and inner[-1].text not in (")", '"', "”", "''"):
        inner.pop()
    if inner and inner[0].upos == "CCONJ" and inner[0].lower in JOINING:
        inner.pop(0)
    return inner


def _joined(document: Document, root: Word, inner: list[Word]) -> Iterator[tuple[Word, list[Word]]]:
    """The predicates of a sentence that stand on their own, each with its words."""
    heads = [
        word for word in document.children(root, "conj", "parataxis") if _stands_alone(document, word, inner)
    ]
    below = {head.index: {w.index for w in document.subtree(head)} for head in heads}
    taken = set().union(*below.values()) if below else set()
    yield root, trimmed([word for word in inner if word.index not in taken])
    for head in heads:
        part = [word for word in inner if word.index in below[head.index]]
        first = 0
        while first < len(part) and (part[first].upos in ("PUNCT", "CCONJ")):
            first += 1
        yield head, trimmed(part[first:])


def _stands_alone(document: Document, head: Word, inner: list[Word]) -> bool:
    """True for a joined predicate that is finite and ends the sentence or is followed by another one."""
    verbs = [*document.children(head, "aux", "cop"), *([head] if head.upos in ("VERB", "AUX") else [])]
    if not verbs or min(verbs, key=lambda w: w.index).tag not in _FINITE:
        return False
    subjects = document.children(head, "nsubj", "csubj", "expl")
    has_subject = bool(subjects) and subjects[0].lower not in ("that", "which", "who")
    joins = [w for w in document.children(head, "cc") if w.index < head.index]
    if any(w.lower not in JOINING for w in joins) or not (joins or has_subject):
        return False
    below = document.subtree(head)
    is_one = below[-1].index - below[0].index + 1 == len(below)
    after = below[-1].index + 1
    is_last = after > inner[-1].index or document.words[after].upos in ("PUNCT", "CCONJ")
    if head.relation == "parataxis":
        before = document.words[below[0].index - 1].text if below[0].index else ""
        opens = below[0].text in (";", ",", "--", "-", "–", "—")
        return is_one and is_last and has_subject and (before in (";", ",", "--", "-", "–", "—") or opens)
    return is_one and is_last


def _clause(document: Document, head: Word, part: list[Word], before: Piece | None) -> Piece | None:
    """A clause as subject, verbs and rest, in the order of the text; before: the clause whose subject may be shared."""
    verbs = [w for w in document.children(head, "aux", "cop") if w.index < head.index or w.relation == "cop"]
    verbs += [head] if head.upos in ("VERB", "AUX") else []
    verbs = sorted(set(verbs), key=lambda w: w.index)
    if not verbs or verbs[0].tag not in _FINITE:
        return None
    subjects = document.children(head, "nsubj", "csubj", "expl")
    subjects = tuple(w for w in subjects if w.index < verbs[0].index) or subjects
    moved: list[Word] = []
    subject: tuple[Word, ...] = ()
    if subjects:
        subject = _without_joining(document.subtree(subjects[0]))
        moved = [w for w in part if w.index < subject[0].index]
        if len(subjects) > 1 or any(w.index > verbs[0].index for w in subject):
            return None  # "neither is the snow"
    elif before is None or head.relation != "conj":
        return None
    start = subject[-1].index + 1 if subject else part[0].index
    aside = _movable(document, head, moved)
    if aside is None:
        return None
    rest = [w for w in part if w.index >= start]
    size = verb_group(document, head, verbs, rest)
    if size is None or (size < len(rest) and rest[size].upos == "CCONJ"):
        return None
    if moved and len(rest) - size > _LONGEST_BEFORE_MOVED:
        return None  # at the end it would seem to belong to something else
    piece = Piece(subject, tuple(rest[:size]), tuple(rest[size:]), tuple(trimmed(moved)), aside)
    return piece if subject else piece.after(before)


def _without_joining(words: tuple[Word, ...]) -> tuple[Word, ...]:
    while len(words) > 1 and (words[0].lower in JOINING or words[0].text in MARKS):
        words = words[1:]
    return words


def _movable(document: Document, head: Word, moved: list[Word]) -> str | None:
    """The mark before what goes from before the subject to the end, a comma or nothing; None where it cannot go there."""
    words = trimmed(moved)
    if not words:
        return ""
    comma = next((w for w in moved[len(words) :] if w.text == ","), None)
    aside = "" if comma is None else " ," if document.text[comma.start - 1].isspace() else ","
    tops = [w for w in words if w.head == head.index and w.upos != "PUNCT"]
    if len(tops) != 1 or len(words) > 14 or any(w.text in ('"', "(", ":", ";") for w in words):
        return None
    top = tops[0]
    if {w.index for w in words} - {w.index for w in document.subtree(top)}:
        return None
    is_adverb = top.relation == "advmod" and top.upos == "ADV" and len(words) <= 2
    if is_adverb and not any(w.lower in _ASKING for w in words):
        return aside or ","
    introduced = {"obl": "case", "advcl": "mark"}.get(top.relation, "")
    return aside if any(w.relation == introduced for w in document.children(top)) else None
