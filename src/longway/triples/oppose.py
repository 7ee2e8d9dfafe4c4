"""Statements changed towards the opposite sentiment, a few words at a time.

    opposed_text(document, "negative")      a whole text, and what was changed
    oppose(read, triple, "negative")        one triple; None where nothing speaks for the other side

    I loved the witty script.       I hated the corny script.
    It was not good at all.         It was good.
    Never boring.                   Never exciting.

Words that speak for the other side are replaced by an opposite in the same form (`opposites.tsv`); which of several depends on the key, so
that no opposite becomes a sign of its own. What is denied counts for the other side (`scope.py`). Words of names and quotations, and
words that speak for the wanted side already, stay.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from longway.text.articles import mend_articles
from longway.text.changes import Change, apply_changes
from longway.text.document import Document, Word
from longway.triples.affirm import affirmed
from longway.triples.opposites import Mention, Side, choose, mentions
from longway.triples.replaced import replaced
from longway.triples.scope import scope_of
from longway.triples.triple import Triple

Read = Callable[[str], Document]
_LONGEST_QUOTE = 15  # words; what is longer is no title
_QUOTES = {'"': '"', "“": "”", "``": "''", "`": "'"}  # how a quotation opens and ends


def opposed_text(
    document: Document, towards: Side, *, key: str = "", keep: Collection[str] = ()
) -> tuple[str, list[Change]]:
    """A text changed towards one side, and the changes; none where nothing speaks for the other.

    key: another one chooses other opposites. keep: words that must stay.
    """
    changes = opposing_changes(document, towards, key=key, keep=keep)
    return apply_changes(document.text, changes), changes


def oppose(
    read: Read, triple: Triple, towards: Side, *, key: str = "", keep: Collection[str] = ()
) -> Triple | None:
    """A triple changed towards one side; None where nothing in it speaks for the other.

    read: analyses a text.
    """
    changes = opposing_changes(read(sentence_of(triple)), towards, key=key, keep=keep)
    changed = in_parts(triple, changes)
    return None if changed == triple else changed


def sentence_of(triple: Triple) -> str:
    """The text of a triple that is analysed: with a full stop, where it has none."""
    text = triple.text
    return text if text.endswith((".", "!", "?")) else f"{text}."


def in_parts(triple: Triple, changes: Collection[Change]) -> Triple:
    """A triple with changes at places of its text; what reaches into another part goes to the first one."""
    parts, start = [], 0
    for part in (triple.subject, triple.predicate, triple.object):
        end = start + len(part)
        inside = []
        for change in changes:
            if change.start >= end + bool(part) or change.end < start or (change.end == start and start):
                continue
            text = change.text if change.start >= start else ""
            inside.append(Change(max(change.start, start) - start, min(change.end, end) - start, text))
        parts.append(" ".join(apply_changes(part, inside).split()))
        start = end + bool(part)
    return Triple(*parts)


def opposing_changes(
    document: Document, towards: Side, *, key: str = "", keep: Collection[str] = ()
) -> list[Change]:
    """The changes that turn a text towards one side, articles mended."""
    found: list[Change] = []
    fixed = fixed_words(document, keep)
    every = list(mentions(document, fixed))
    sides = {mention.word.index: mention.side for mention in every}
    for mention in every:
        one = f"{key}\0{mention.first}\0{document.text[:40]}"
        for change in _changes(document, mention, towards, one, sides):
            if not any(change.start < other.end and other.start < change.end for other in found):
                found.append(change)
    found = sorted(set(found))
    return sorted([*found, *mend_articles(document, found)])


def fixed_words(document: Document, keep: Collection[str] = ()) -> frozenset[int]:
    """Indices of the words that stay: names, quotations, and those to keep."""
    kept = {word.lower() for word in keep}
    named = {w.index for w in document if _is_name(document, w) or w.lower in kept or w.lemma.lower() in kept}
    quoted: set[int] = set()
    opened: Word | None = None
    for word in document:
        is_near = opened is not None and word.index - opened.index <= _LONGEST_QUOTE
        if opened is not None and is_near and word.text == _QUOTES[opened.text]:
            quoted.update(range(opened.index, word.index))
            opened = None
        elif word.text in _QUOTES:
            opened = word
    return frozenset(named | quoted)


def _is_name(document: Document, word: Word) -> bool:
    """True for a capital inside a sentence; what is written in capitals as a whole is only loud."""
    if not word.text[:1].isupper() or (word.text.isupper() and len(word.text) > 1 and word.upos != "PROPN"):
        return False
    first, _ = document.sentences[document.sentence_number(word)]
    before = document.words[word.index - 1].text if word.index > first else ""
    return word.upos == "PROPN" or (
        word.index > first and before not in ('"', "“", "...", "-", "(", ":", "*")
    )


def _changes(
    document: Document, mention: Mention, towards: Side, key: str, sides: dict[int, Side]
) -> list[Change]:
    scope = scope_of(document, mention.word)
    if scope.is_unclear:
        return []
    if scope.negation is None or mention.first <= scope.negation.index <= mention.last:
        if (
            mention.side == towards
            or _only_strengthens(document, mention, sides)
            or _is_excess(document, mention)
        ):
            return []
        return replaced(document, mention, key) or []
    if mention.side != towards:
        return []  # "not bad" speaks for the good side already
    without = affirmed(document, scope.negation)
    swapped = replaced(document, mention, key)
    if without is not None and (
        towards == "positive" or swapped is None or choose(("out", "in"), key)[0] == "out"
    ):
        return without
    return swapped or []


def _only_strengthens(document: Document, mention: Mention, sides: dict[int, Side]) -> bool:
    """True for the "terribly" of "terribly funny": the word it goes with speaks for the other side."""
    if mention.word.upos != "ADV" or mention.is_phrase:
        return False
    head = document.head(mention.word)
    return (
        head is not None and head.upos in ("ADJ", "ADV") and sides.get(head.index) not in (None, mention.side)
    )


def _is_excess(document: Document, mention: Mention) -> bool:
    """True for "too good" and "too dull to watch": the opposite with "too", or without it, says something else."""
    before = document.children(mention.word, "advmod")
    is_too = any(w.lower == "too" and w.index < mention.word.index for w in before)
    leads_on = any(w.tag == "VB" for w in document.children(mention.word))
    return is_too and (mention.side == "positive" or leads_on)
