"""Details left out: a true claim stays true, and a false one stays false if the false part stays. Family: details.

    entails        "Mira Sol is a Peruvian painter."           ->  "Mira Sol is a painter."
    entails        "The bridge opened in Oslo in 1952."        ->  "The bridge opened in 1952."
    contradicts    "Mira Sol is a Peruvian boxer." (evidence: a Peruvian painter)  ->  "Mira Sol is a boxer."

This is sound only in plain statements: no negation, comparison, bound or quantifier. From a false claim only details that
the context confirms word for word may be removed, and something that the context does not have must stay: it makes
the claim false. The new texts say less, so they keep the label, not the meaning.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.english.articles import with_articles
from longway.english.document import Change, Document, Word
from longway.english.listed_words import listed_words
from longway.english.rules.clauses import clauses
from longway.english.rules.context_facts import PEOPLE_NOUNS
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sisters import terms_of
from longway.english.rules.spans import WordSpan, is_time, is_year, name_indices, span_of
from longway.text.tokenizer import tokenize

_LISTS = listed_words(__name__)
_BLOCKING_WORDS = _LISTS["blocking_words"]
_COMPARED = ("JJR", "JJS", "RBR", "RBS")
_PRIVATIVE = _LISTS["privative"]
_NEED_COMPLEMENT = _LISTS["need_complement"]
_YEAR_SUFFICES = frozenset("bear release publish".split())  # for these a year is enough
_VAGUE_NOUNS = _LISTS["vague_nouns"]
_CONCRETE_NOUNS = _LISTS["concrete_nouns"]
_CONTENT_POS = frozenset(("NOUN", "PROPN", "ADJ", "NUM", "VERB"))
_CONTENT_AFTER = frozenset(("PROPN", "NOUN", "NUM", "ADJ", "X"))
_ARTICLES = ("a", "an")


def details(scene: Scene) -> Rephrasings:
    """Yield the text without one of its details, if the label surely holds."""
    document = scene.document
    if scene.context is None or scene.stance not in ("entails", "contradicts"):
        return
    if len(document.sentences) != 1 or not any(clauses(document)):
        return
    if any({w.lower, w.lemma.lower()} & _BLOCKING_WORDS or w.tag in _COMPARED for w in document):
        return
    known = frozenset(map(_stem, tokenize(scene.context)))
    for rule, piece in _details(document):
        if not _is_cut_clean(document, piece):
            continue
        if scene.stance == "entails" or _stays_false(document, rule, piece, known):
            yield _without(document, rule, piece)


def _details(document: Document) -> Iterator[tuple[str, WordSpan]]:
    """Yield the removable spans with the names of their rules."""
    names = name_indices(document)
    for word in document:
        if word.index in names and word.dep not in ("obl", "nmod") and word.tag != "JJ":
            continue  # "Peruvian" has a capital but is not a name
        if word.dep == "amod" or (word.dep == "compound" and word.upos == "NOUN"):
            if _is_optional_modifier(document, word, names):
                name = "adjective" if word.dep == "amod" else "compound"
                yield name, WordSpan(document, word.index, word.index)
        elif word.dep in ("obl", "nmod") and (piece := _phrase(document, word, names)) is not None:
            yield "phrase", piece
        elif word.relation == "acl" and (piece := _relative_clause(document, word)) is not None:
            yield "clause", piece
        elif word.dep == "conj" and (piece := _conjunct(document, word, names)) is not None:
            yield "joined", piece


def _is_predicate_noun(document: Document, noun: Word) -> bool:
    """Return True for "painter" in "is a painter"."""
    return noun.relation == "root" and noun.upos == "NOUN" and bool(document.children(noun, "cop"))


def _has_article(document: Document, noun: Word) -> bool:
    return any(w.lower in _ARTICLES for w in document.children(noun, "det"))


def _is_optional_modifier(document: Document, word: Word, names: frozenset[int]) -> bool:
    """Return True for "Peruvian" in "a Peruvian painter": a plain modifier of a noun that is not a name."""
    head = document.head(word)
    if head is None or head.upos != "NOUN" or head.index in names or head.index <= word.index:
        return False
    is_concrete = _is_predicate_noun(document, head) or head.lemma.lower() in _CONCRETE_NOUNS
    if head.lemma.lower() in _VAGUE_NOUNS or not is_concrete:
        return False
    if {word.lower, word.lemma.lower()} & _PRIVATIVE or document.children(word) or not word.text.isalpha():
        return False
    if word.text[0].isupper() and word.text not in terms_of("nationality"):
        return False  # the "Germanic" of "East Germanic"
    if word.dep == "compound" and not _is_removable_compound(document, word, head):
        return False
    in_front = [w for w in document.children(head) if w.index < head.index and w.dep not in ("cop", "nsubj")]
    plain = all(w.lower in _ARTICLES or w.dep in ("amod", "compound") for w in in_front)
    before = document.words[word.index - 1]
    return plain and _has_article(document, head) and before.text not in (",", "and", "or")


def _is_removable_compound(document: Document, word: Word, head: Word) -> bool:
    """Return True for "film" in "a Peruvian film director"; not for "rock" in "a hard rock band"."""
    is_last = word.index == head.index - 1
    before = document.words[word.index - 1]
    is_alone = before.lower in _ARTICLES or before.text in terms_of("nationality")
    return is_last and is_alone and head.lemma.lower() in _CONCRETE_NOUNS | PEOPLE_NOUNS


def _phrase(document: Document, word: Word, names: frozenset[int]) -> WordSpan | None:
    """Return "in Oslo" if the sentence is complete without it, else None."""
    head, piece = document.head(word), span_of(document, word)
    cases = document.children(word, "case")
    if head is None or piece is None or not cases or cases[0].index != piece.first or word.upos == "PRON":
        return None
    if cases[0].index in names or cases[0].lower not in ("in", "on", "at", "from", "with", "during"):
        return None  # the "on the Corner" of a title
    if any(w.upos == "NUM" and not is_year(w) and w.index not in names for w in document):
        return None  # "won two awards" would mean two in all
    if word.dep == "nmod":
        is_noun = head.lemma.lower() not in _VAGUE_NOUNS and _has_article(document, head)
        is_predicate = _is_predicate_noun(document, head) and not document.children(head, "case")
        return piece if is_noun and is_predicate else None
    is_exact = is_time(document, word) or word.index in names
    is_free = cases[0].lower in ("in", "at", "during") or is_time(document, word)  # not "released on DVD"
    return piece if is_exact and is_free and _is_complete_without(document, head, word) else None


def _is_complete_without(document: Document, head: Word, removed: Word) -> bool:
    """Return True if the main verb has an object, or another place or time that completes it."""
    if head.relation != "root" or head.upos != "VERB":
        return False
    objects = document.children(head, "obj")
    things = [w for w in objects if w.upos != "PRON" and w.lemma.lower() not in _VAGUE_NOUNS]
    others = [w for w in document.children(head, "obl", "xcomp") if w.index != removed.index]
    cases = [{case.lower for case in document.children(other, "case")} for other in others]
    if any(case & {"to", "until", "through"} for case in cases):
        return False  # "from May to June"
    if head.lemma.lower() in _NEED_COMPLEMENT - _YEAR_SUFFICES:
        places = (w for w, case in zip(others, cases, strict=True) if case & {"in", "by", "at"})
        return bool(things) or any(not is_time(document, w) for w in places)
    return bool(things) or (bool(others) and not objects)


def _relative_clause(document: Document, word: Word) -> WordSpan | None:
    """Return "that opened in May" or "built by monks" at the end of a sentence, after a noun with "a" or "an"."""
    head, piece = document.head(word), span_of(document, word)
    if head is None or piece is None or head.upos != "NOUN" or head.lemma.lower() in _VAGUE_NOUNS:
        return None
    is_behind = piece.first == head.index + 1 and _is_last(document, piece) and piece.words[0].lower != "to"
    is_predicate = _is_predicate_noun(document, head) and _has_article(document, head)
    return piece if is_behind and is_predicate else None


def _is_last(document: Document, piece: WordSpan) -> bool:
    return all(w.upos == "PUNCT" for w in document.words[piece.last + 1 :])


def _conjunct(document: Document, word: Word, names: frozenset[int]) -> WordSpan | None:
    """Return "and poet" of "a painter and poet", if two nouns are joined after "be" or a verb."""
    head, piece = document.head(word), span_of(document, word)
    if head is None or piece is None or head.upos != "NOUN" or word.upos != "NOUN" or head.index in names:
        return None
    joiners = document.children(word, "cc")
    if len(joiners) != 1 or joiners[0].lower != "and" or joiners[0].index != piece.first:
        return None
    is_one_of_two = len(document.children(head, "conj")) == 1 and head.index == piece.first - 1
    is_one_of_two = is_one_of_two and _is_last(document, piece)
    is_fine = is_one_of_two and _is_predicate_noun(document, head) and head.lemma.lower() not in _VAGUE_NOUNS
    return piece if is_fine and head.tag == word.tag and not document.children(head, "case") else None


def _is_cut_clean(document: Document, piece: WordSpan) -> bool:
    """Return False inside a word ("the 1960's"), or if the rest would end in a function word."""
    end = document.words[piece.last].end
    before = document.words[piece.first - 1] if piece.first else None
    if before is None or document.text[end : end + 1] not in ("", " ", ".", ",", ";", "!"):
        return False
    if piece.first == piece.last:
        return True
    after = document.words[piece.last + 1] if piece.last + 1 < len(document) else None
    # "in the 2nd century AD", "appeared in the poem by Ann", "was built in 1900, during the war"
    is_open = after is not None and (after.upos in _CONTENT_AFTER or after.lower in ("by", "of", ","))
    return not is_open and before.upos not in ("ADP", "DET", "CCONJ", "PART", "PUNCT", "SCONJ")


def _stays_false(document: Document, rule: str, piece: WordSpan, known: frozenset[str]) -> bool:
    """Return True if a false claim stays false: the removed words are confirmed and the predicate noun is not.

    In "is a Peruvian boxer" only "boxer" can then be wrong. Other phrases may be all that is wrong, so they stay.
    """
    content = [w for w in piece.words if w.upos in _CONTENT_POS]
    root = document.root
    if rule == "phrase" or root is None or not _is_predicate_noun(document, root):
        return False
    is_confirmed = bool(content) and all(_stem(w.lower) in known for w in content)
    return is_confirmed and _stem(root.lower) not in known


def _without(document: Document, rule: str, piece: WordSpan) -> Rephrasing:
    """Return the text without the span and the space before it."""
    first, last = document.words[piece.first], document.words[piece.last]
    start = document.words[piece.first - 1].end if piece.first else first.start
    removal = Change(start, last.end, "")
    return Rephrasing(f"details.{rule}", with_articles(document, removal), keeps="label")


def _stem(word: str) -> str:
    """Return a prefix shared by related forms: "paint" for painter, painted, paintings."""
    return word if len(word) <= 4 or not word.isalpha() else word[: max(4, len(word) - 3)]
