"""Hedges and openers that say nothing about the matter: dropped, or exchanged for another of their kind.

    "Honestly, the film is fine."    ->  "The film is fine.", "To be honest, the film is fine."
    "I think that the film is fine." ->  "The film is fine.", "In my opinion, the film is fine."
    "The film is really basically fine." -> without "basically"

An opener is one only at the start of its sentence and before a comma: "He answered honestly" stays. "I think" stays where
something is denied or asked of it ("I do not think").
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import comma_of
from longway.text.capitals import capitalised
from longway.text.changes import Change
from longway.text.document import Document, Word

# Openers in groups of the same kind; "" in a group: it may be dropped.
OPENERS = (
    ("honestly", "to be honest", "frankly", "quite frankly", "in all honesty", "to tell the truth", ""),
    ("in my opinion", "in my view", "to my mind", "i think", "if you ask me", ""),
    ("basically", "essentially", "in essence", ""),
    ("actually", "as a matter of fact", "in fact", ""),
    ("overall", "all in all", "on the whole"),
    ("clearly", "obviously", "evidently"),
    ("unfortunately", "sadly", "regrettably"),
    ("fortunately", "luckily"),
    ("surprisingly", "to my surprise"),
    ("however", "nevertheless", "still"),
    ("moreover", "furthermore", "in addition", "what is more"),
    ("therefore", "as a result", "consequently", "for this reason"),
    ("well", ""),
    ("anyway", "in any case", ""),
)  # fmt: skip
_OPINIONS = ("think", "believe", "feel", "find")
_FILLERS = frozenset("basically actually honestly literally simply essentially".split())


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one hedge dropped or exchanged."""
    document = scene.document
    for number, (first, _) in enumerate(document.sentences):
        yield from _openers(document, number, first)
        yield from _opinion(document, number)
    for word in document:
        yield from _filler(document, word)


def _openers(document: Document, number: int, first: int) -> Iterator[Rewriting]:
    words = document.sentence(number)
    comma = next((w for w in words[:7] if w.text == ","), None)
    if comma is None or comma.index + 2 >= words[-1].index:
        return
    opener = " ".join(w.lower for w in words if w.index < comma.index)
    group = next((g for g in OPENERS if opener and opener in g), None)
    if group is None:
        return
    after = document.words[comma.index + 1]
    is_capital = words[0].text[:1].isupper()
    for other in group:
        if other == opener or (other == "i think" and after.tag in ("VB", "VBG")):
            continue
        if other == "":
            text = capitalised(after.text) if is_capital else after.text
            yield Rewriting("hedges.dropped", (Change(words[0].start, after.end, text),))
        elif other == "i think":
            i = "I think" if is_capital else "i think"
            yield Rewriting("hedges.exchanged", (Change(words[0].start, comma.end, i),))
        else:
            text = capitalised(other) if is_capital else other
            yield Rewriting(
                "hedges.exchanged", (Change(words[0].start, document.words[comma.index - 1].end, text),)
            )


def _opinion(document: Document, number: int) -> Iterator[Rewriting]:
    """ "I think (that) X" at the start of a sentence, where X is a whole clause."""
    words = document.sentence(number)
    if len(words) < 5 or words[0].lower != "i" or words[1].lower not in _OPINIONS or words[1].dep != "root":
        return
    clauses = document.children(words[1], "ccomp")
    if len(clauses) != 1 or not document.children(clauses[0], "nsubj") or document.children(words[1], "conj"):
        return
    rest = words[3] if words[2].lower == "that" and words[2].relation == "mark" else words[2]
    if rest.upos == "PUNCT" or rest.lower in ("so", "not", "about", "of"):
        return
    is_capital = words[0].text == "I" and number >= 0 and document.text[words[0].start].isupper()
    text = capitalised(rest.text) if is_capital else rest.text
    yield Rewriting("hedges.dropped", (Change(words[0].start, rest.end, text),))
    for other in ("In my opinion", "In my view"):
        front = other if is_capital else other.lower()
        change = Change(words[0].start, rest.start, f"{front}{comma_of(document)} ")
        yield Rewriting("hedges.exchanged", (change,))


def _filler(document: Document, word: Word) -> Iterator[Rewriting]:
    """A filler before an adjective, a noun phrase or a verb, which says the same without it."""
    first, end = document.sentences[document.sentence_number(word)]
    if word.lower not in _FILLERS or word.upos != "ADV" or word.index == first or word.index + 1 >= end:
        return
    before, after = document.words[word.index - 1], document.words[word.index + 1]
    is_denied = before.lower in (
        "not",
        "n't",
        "n’t",
        "never",
        "so",
        "how",
        "as",
        "too",
        "quite",
        "very",
        "more",
        "most",
    )
    if is_denied or before.upos == "PUNCT" or after.upos not in ("ADJ", "DET", "VERB"):
        return
    if after.upos == "VERB" and word.lower == "simply":
        return  # "simply made" is made in a simple way
    if after.upos == "VERB" and before.upos not in ("AUX", "PRON", "NOUN"):
        return
    yield Rewriting("hedges.filler", (Change(before.end, word.end, ""),))
