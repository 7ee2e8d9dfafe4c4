"""Details left out: a true claim stays true, and a false one stays false where the false part stays.

    entails        "Mira Sol is a Peruvian painter."           ->  "Mira Sol is a painter."
    entails        "The bridge opened in May in Oslo."         ->  "The bridge opened in May."
    contradicts    "Mira Sol is a Peruvian boxer." (evidence: a Peruvian painter)  ->  "Mira Sol is a boxer."

Logic is on our side only in plain statements: nothing may be denied, compared, counted from below or above, or said of
all or of the only one. Of a false claim only what the context confirms word for word may go, and something that the
context does not have must stay: that is what makes it false. These texts say less than before, so they keep the label, not
the meaning.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.clauses import clauses
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import Piece, in_names, piece_of
from longway.text.articles import mend_articles
from longway.text.changes import Change
from longway.text.document import Document, Word
from longway.text.tokens import tokenize

# Words under which leaving something out no longer makes a claim weaker.
_CLOSED = frozenset(
    "not no never nor neither none nobody nothing nowhere without only just merely solely exclusively all every each any "
    "both few little less fewer least most more than first last final best worst main sole same other another next "
    "unless if until before after since except hardly barely rarely seldom fail refuse lack avoid deny stop cannot "
    "incapable unable yet still exactly entirely always ever how many much".split()
)
# Adjectives that take back what their noun says, or that the noun needs.
_PRIVATIVE = frozenset(
    "former fake false alleged possible potential unsuccessful supposed so-called fictional fictitious imaginary "
    "unreleased unfinished cancelled canceled proposed planned aspiring would-be future retired late ex near half semi "
    "own such certain several many few various different human total single double triple high low good bad".split()
)
# What is left of these verbs says nothing without a place, a time or a thing beside it.
_HUNGRY = frozenset(
    "be bear locate situate base star appear come go live reside belong consist depend lead take make put set place "
    "direct know call name rank refer feature include host serve play work release publish".split()
)
# Nouns that say nothing alone: "a long time" is no "time".
_EMPTY = frozenset(
    "time way number part kind type sort thing one place piece member group set series lot variety range half amount "
    "level rate degree manner name fact case role position person people woman man".split()
)
_CONTENT = frozenset(("NOUN", "PROPN", "ADJ", "NUM", "VERB"))


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text without one of its details, where its label is sure to hold."""
    document = scene.document
    if (
        scene.context is None
        or scene.stance not in ("entails", "contradicts")
        or len(document.sentences) != 1
    ):
        return
    if any(
        word.lemma.lower() in _CLOSED or word.lower in _CLOSED or word.tag in _COMPARED for word in document
    ):
        return
    if not any(True for _ in clauses(document)):
        return
    known = _stems(scene.context)
    for rule, piece in _details(document):
        if _is_cut_clean(document, piece) and _label_holds(scene, piece, known):
            yield _without(document, rule, piece)


_COMPARED = ("JJR", "JJS", "RBR", "RBS")


def _details(document: Document) -> Iterator[tuple[str, Piece]]:
    """What can go, with the name of its rule."""
    names = in_names(document)
    for word in document:
        if word.index in names and word.dep not in ("obl", "nmod") and word.tag != "JJ":
            continue  # "Peruvian" has a capital and is no name
        if word.dep == "amod" or (word.dep == "compound" and word.upos == "NOUN"):
            if _is_optional_modifier(document, word, names):
                yield (
                    "adjective" if word.dep == "amod" else "compound",
                    Piece(document, word.index, word.index),
                )
        elif word.dep in ("obl", "nmod") and (piece := _phrase(document, word)) is not None:
            yield "phrase", piece
        elif word.relation == "acl" and (piece := _clause(document, word)) is not None:
            yield "clause", piece
        elif word.dep == "conj" and (piece := _joined(document, word, names)) is not None:
            yield "joined", piece


def _is_optional_modifier(document: Document, word: Word, names: frozenset[int]) -> bool:
    """True for the "Peruvian" of "a Peruvian painter": plain, before its noun, and the noun is no name."""
    head = document.head(word)
    if head is None or head.upos != "NOUN" or head.index in names or head.index <= word.index:
        return False
    if (
        word.lemma.lower() in _PRIVATIVE
        or document.children(word)
        or "-" in word.text
        or not word.text.isalpha()
    ):
        return False
    before = document.words[word.index - 1] if word.index else None
    if (
        before is None
        or before.text in (",", "and", "or")
        or (before.dep == "amod" and word.dep == "compound")
    ):
        return False
    articles = [w for w in document.children(head, "det") if w.lower in ("a", "an")]
    in_front = [w for w in document.children(head) if w.index < head.index]
    return bool(articles) and all(
        w.index == articles[0].index or w.dep in ("amod", "compound") for w in in_front
    )


def _phrase(document: Document, word: Word) -> Piece | None:
    """The "in Oslo" of a sentence that has more to say than that, None for one that the sentence needs."""
    head, piece = document.head(word), piece_of(document, word)
    cases = document.children(word, "case")
    if head is None or piece is None or not cases or cases[0].index != piece.first:
        return None
    if cases[0].lower not in ("in", "on", "at", "from", "with", "during", "near"):
        return None
    if word.dep == "nmod":
        has_article = any(w.lower in ("a", "an") for w in document.children(head, "det"))
        return piece if has_article and cases[0].lower in ("in", "on", "at", "from", "with") else None
    others = [w for w in document.children(head, "obl", "obj", "xcomp") if w.index != word.index]
    if head.lemma.lower() in _HUNGRY and not others:
        return None
    is_enough = bool(others) or head.upos == "NOUN"
    return piece if is_enough and head.relation == "root" else None


def _clause(document: Document, word: Word) -> Piece | None:
    """The "that opened in May" or "built by monks" at the end of a sentence, behind a noun with "a" or "an"."""
    head, piece = document.head(word), piece_of(document, word)
    if head is None or piece is None or head.upos != "NOUN" or head.lemma.lower() in _EMPTY:
        return None
    if piece.first != head.index + 1 or not _ends_the_sentence(document, piece):
        return None
    return piece if any(w.lower in ("a", "an") for w in document.children(head, "det")) else None


def _ends_the_sentence(document: Document, piece: Piece) -> bool:
    return all(word.upos == "PUNCT" for word in document.words[piece.last + 1 :])


def _joined(document: Document, word: Word, names: frozenset[int]) -> Piece | None:
    """The "and poet" of "a painter and poet", where two nouns are joined behind "be" or a verb."""
    head, piece = document.head(word), piece_of(document, word)
    if head is None or piece is None or head.upos != "NOUN" or word.upos != "NOUN" or head.index in names:
        return None
    joiners = document.children(word, "cc")
    if len(joiners) != 1 or joiners[0].lower != "and" or joiners[0].index != piece.first:
        return None
    if len(document.children(head, "conj")) != 1 or head.relation not in ("root", "obj"):
        return None
    return piece if head.tag == word.tag else None


def _is_cut_clean(document: Document, piece: Piece) -> bool:
    """False inside a word ("the 1960's"), or where what is left would end on a small word."""
    end = document.words[piece.last].end
    before = document.words[piece.first - 1] if piece.first else None
    is_clean = document.text[end : end + 1] in ("", " ", ".", ",", ";", "!")
    return (
        is_clean
        and before is not None
        and before.upos not in ("ADP", "DET", "CCONJ", "PART", "PUNCT", "SCONJ")
    ) or (is_clean and piece.first == piece.last and before is not None)


def _label_holds(scene: Scene, piece: Piece, known: frozenset[str]) -> bool:
    gone = {word.index for word in piece.words}
    if scene.stance == "entails":
        return True
    content = [word for word in scene.document if word.upos in _CONTENT]
    is_known = {word.index: _stem(word.lower) in known for word in content}
    confirmed = all(is_known[word.index] for word in content if word.index in gone)
    false_part = [word for word in content if word.index not in gone and not is_known[word.index]]
    return confirmed and any(word.lemma.lower() not in ("be", "have", "do") for word in false_part)


def _without(document: Document, rule: str, piece: Piece) -> Rewriting:
    """The text without the piece and the space before it."""
    first, last = document.words[piece.first], document.words[piece.last]
    start = document.words[piece.first - 1].end if piece.first else first.start
    gone = Change(start, last.end, "")
    return Rewriting(f"details.{rule}", (gone, *mend_articles(document, [gone])), keeps="label")


def _stems(text: str) -> frozenset[str]:
    return frozenset(map(_stem, tokenize(text)))


def _stem(word: str) -> str:
    """Enough of a word to find its other forms: "paint" for painter, painted, paintings."""
    return word if len(word) <= 4 or not word.isalpha() else word[: max(4, len(word) - 3)]
