"""Order of clauses: "Although it rained, they played" and "They played, although it rained".

Moves a subordinate clause with a subject and a verb of its own to the other end of its sentence. A name and the pronoun that
stands for it keep their order: where moving would put a pronoun before its name, nothing is done.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import Piece, comma_of, opening, piece_of, plain_sentences
from longway.text.changes import Change
from longway.text.document import Document, Word

MARKS = frozenset(
    "although though because when while if after before since unless until once whereas".split()
)
_WITHOUT_COMMA = frozenset("because when if after before since until once while unless".split())
_TIED = frozenset("only just even than as and or but not shortly right soon long".split())  # "only because"
_PRONOUNS = frozenset("he she it they him her them his its their this that".split())


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one subordinate clause at the other end of its sentence."""
    document = scene.document
    for number, sentence in plain_sentences(document):
        for word in sentence.words:
            if word.relation == "advcl" and document.words[word.head].dep == "root":
                yield from _moved(document, number, sentence, word)


def _moved(document: Document, number: int, sentence: Piece, head: Word) -> Iterator[Rewriting]:
    clause = _clause(document, head)
    if clause is None:
        return
    mark = document.words[clause.first].lower
    if clause.first == sentence.first:
        yield from _to_the_end(document, number, sentence, clause, mark)
    elif clause.last == sentence.last:
        yield from _to_the_front(document, number, sentence, clause, mark)


def _clause(document: Document, head: Word) -> Piece | None:
    """The clause with its mark first; None where it is no whole clause."""
    piece = piece_of(document, head)
    if piece is not None and document.words[piece.first].text == "," and piece.first < head.index:
        piece = Piece(document, piece.first + 1, piece.last)
    if piece is None or document.words[piece.first].lower not in MARKS:
        return None
    while piece.last > piece.first and document.words[piece.last].text == ",":
        piece = Piece(document, piece.first, piece.last - 1)
    has_subject = bool(document.children(head, "nsubj"))
    is_finite = any(
        w.tag in ("VBD", "VBZ", "VBP", "MD") for w in [head, *document.children(head, "aux", "cop")]
    )
    marks = [w for w in document.children(head, "mark", "advmod") if w.index == piece.first]
    return piece if has_subject and is_finite and marks and len(piece) > 2 else None


def _to_the_end(
    document: Document, number: int, sentence: Piece, clause: Piece, mark: str
) -> Iterator[Rewriting]:
    comma = document.words[clause.last + 1]
    if comma.text != "," or clause.last + 2 > sentence.last:
        return
    main = Piece(document, clause.last + 2, sentence.last)
    if not _is_main(main) or _is_order_bound(clause, main):
        return
    joint = " " if mark in _WITHOUT_COMMA else f"{comma_of(document)} "
    changes = (
        Change(clause.start, main.words[0].end, opening(document, number, main.words[0].text)),
        Change(sentence.end, sentence.end, f"{joint}{clause.inside}"),
    )
    yield Rewriting("clause_order.to_the_end", changes)


def _to_the_front(
    document: Document, number: int, sentence: Piece, clause: Piece, mark: str
) -> Iterator[Rewriting]:
    last = clause.first - 1
    if document.words[last].text == ",":
        last -= 1
    if last < sentence.first:
        return
    main = Piece(document, sentence.first, last)
    before = document.words[last]
    if (
        not _is_main(main)
        or _is_order_bound(main, clause)
        or before.lower in _TIED
        or main.words[0].upos == "ADV"
    ):
        return
    if mark == "when" and before.upos == "NOUN":
        return  # "the year when"
    first = main.words[0]
    inside = Piece(document, main.first, main.first).inside
    changes = (
        Change(
            first.start, first.end, f"{opening(document, number, clause.text)}{comma_of(document)} {inside}"
        ),
        Change(main.end, sentence.end, ""),
    )
    yield Rewriting("clause_order.to_the_front", changes)


def _is_main(main: Piece) -> bool:
    """True for a main clause that stands alone: nothing joined to it, no other clause in front, no question."""
    words, document = main.words, main.document
    if words[0].upos in ("CCONJ", "SCONJ", "PUNCT", "VERB", "AUX") or words[0].lower in (
        "then",
        "there",
        "it",
    ):
        return False
    root = [w for w in words if w.dep == "root"]
    joined = any(w.upos in ("VERB", "AUX") for w in document.children(root[0], "conj")) if root else True
    return len(words) > 2 and not joined and bool(document.children(root[0], "nsubj"))


def _is_order_bound(first: Piece, second: Piece) -> bool:
    """True where the second clause has a pronoun that may speak of the first one."""
    has_pronoun = any(w.lower in _PRONOUNS for w in second.words)
    starts_with_one = first.words[0].lower in _PRONOUNS or first.words[1].lower in _PRONOUNS
    return has_pronoun and not starts_with_one
