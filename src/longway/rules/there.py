"""What there is, with and without "there is": what pictures show, and what has a name.

    "A man is sleeping outside."   ->  "There is a man sleeping outside."     and back
    "Two men riding a horse."      ->  "Two men are riding a horse."
    "Lima is a city."              ->  "There is a city called Lima."         and back
    "Lima is a city."              ->  "One example of a city is Lima."

Pictures: only for somebody or something that is not known yet ("a man", "two men"). Never with "no" or "not".
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.clauses import Clause, clauses
from longway.rules.fronting import has_scope
from longway.rules.phrase_conditions import is_person
from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import Piece, in_names, opening, plain_sentences
from longway.text.changes import Change
from longway.text.document import Document, Word

_AMOUNTS = frozenset("a an two three four five six seven eight nine ten several some many another".split())
_PLACES = frozenset("near on in at outside inside behind under beside by next".split())

# Things that have names of their own; of people `is_person` knows.
_THINGS = frozenset(
    "film movie song album novel book play poem show series sitcom band company city town village country river lake "
    "mountain island newspaper magazine website game character school university museum park language religion festival "
    "team club party award bridge building software browser brand car ship train airline drug mineral planet star".split()
)
_BARE = frozenset(("DET", "ADJ", "NOUN", "NUM", "PROPN"))
_MOST_WORDS = 7  # of "a tall round tower" in "One example of a tall round tower is ..."


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one "there is" more or less, or with a verb made finite."""
    document = scene.document
    for clause in clauses(document):
        yield from _there_is(clause)
        yield from _named(clause)
    for number, sentence in plain_sentences(document):
        yield from _called(document, number, sentence)
        yield from _plain(document, number, sentence)
        yield from _finite(document, sentence)


def _there_is(clause: Clause) -> Iterator[Rewriting]:
    """As in "A man is sleeping." -> "There is a man sleeping."."""
    document, subject = clause.document, clause.subject
    if (
        clause.finite.lower not in ("is", "are")
        or subject.words[0].lower not in _AMOUNTS
        or has_scope(clause.verbs)
    ):
        return
    is_doing = (
        clause.head.tag == "VBG" and len(clause.verbs) == 2 and clause.head.index == clause.verbs[-1].index
    )
    rest = clause.rest
    is_somewhere = rest is not None and len(clause.verbs) == 1 and rest.words[0].lower in _PLACES
    is_somewhere = is_somewhere and clause.head.upos == "NOUN" and not is_doing
    if not is_doing and not is_somewhere:
        return
    if any(w.tag in ("WDT", "WP", "VBG", "VBN", "CC") for w in subject.words):
        return
    is_mixed = clause.finite.lower == "are" and subject.words[0].lower in ("a", "an")  # "a group of men are"
    if is_mixed or not any(w.upos == "NOUN" for w in subject.words):
        return
    joined = document.children(clause.head, "conj", "parataxis")
    if any(document.children(w, "nsubj") for w in joined):
        return
    there = opening(document, clause.sentence, "there")
    changes = (
        Change(subject.start, subject.start + 1, f"{there} {clause.finite.lower} {subject.inside[0]}"),
        Change(subject.end, clause.finite.end, ""),
    )
    yield Rewriting("there.there_is", changes)


def _plain(document: Document, number: int, sentence: Piece) -> Iterator[Rewriting]:
    """As in "There is a man sleeping." -> "A man is sleeping."."""
    words = sentence.words
    if len(words) < 5 or words[0].lower != "there" or words[1].lower not in ("is", "are") or has_scope(words):
        return
    if words[2].lower not in _AMOUNTS or any(w.tag in ("WP", "WDT", "VBZ", "VBP", "VBD") for w in words[2:]):
        return
    ends = (w.index for w in words[3:] if w.tag == "VBG" or (w.upos == "ADP" and w.lower in _PLACES))
    place = next(ends, None)
    if place is None or document.words[place - 1].upos != "NOUN" or place == sentence.last:
        return
    subject = Piece(document, words[2].index, place - 1)
    if any(w.upos not in ("DET", "NUM", "ADJ", "NOUN") for w in subject.words):
        return
    changes = (
        Change(words[0].start, subject.end, f"{opening(document, number, subject.text)} {words[1].text}"),
    )
    yield Rewriting("there.plain", changes)


def _finite(document: Document, sentence: Piece) -> Iterator[Rewriting]:
    """As in "Two men riding a horse." -> "Two men are riding a horse."."""
    words = sentence.words
    root = next((w for w in words if w.dep == "root"), None)
    if root is None or root.tag not in ("NN", "NNS") or words[0].lower not in _AMOUNTS | {"the"}:
        return
    after = document.words[root.index + 1] if root.index < sentence.last else None
    if after is None or after.tag != "VBG" or after.head != root.index or _has_finite_verb(words):
        return
    if any(
        w.upos not in ("DET", "NUM", "ADJ", "NOUN") for w in document.words[sentence.first : root.index + 1]
    ):
        return
    form = "are" if root.tag == "NNS" else "is"
    yield Rewriting("there.finite", (Change(root.end, root.end, f" {form}"),))


def _has_finite_verb(words: tuple[Word, ...]) -> bool:
    return any(w.tag in ("VBZ", "VBD", "VBP", "MD") for w in words)


def _named(clause: Clause) -> Iterator[Rewriting]:
    """As in "Lima is a city." -> "There is a city called Lima.", "One example of a city is Lima."."""
    document, subject, rest = clause.document, clause.subject, clause.rest
    if rest is None or clause.finite.lower not in ("is", "was") or len(clause.verbs) > 1:
        return
    noun, names = rest.words[-1], in_names(document)
    is_name = all(w.index in names for w in subject.words) and "(" not in subject.text
    is_bare = rest.words[0].lower in ("a", "an") and all(w.upos in _BARE for w in rest.words)
    is_known = noun.lemma.lower() in _THINGS or (noun.upos == "NOUN" and is_person(document, noun))
    if not is_name or not is_bare or not is_known or noun.tag != "NN" or noun.index in names:
        return
    texts = {"named": f"there {clause.finite.lower} {rest.text} called {subject.text}"}
    if clause.finite.lower == "is" and len(rest) <= _MOST_WORDS:
        texts["example"] = f"one example of {rest.text} is {subject.text}"
    for name, text in texts.items():
        change = Change(subject.start, rest.end, opening(document, clause.sentence, text))
        yield Rewriting(f"there.{name}", (change,))


def _called(document: Document, number: int, sentence: Piece) -> Iterator[Rewriting]:
    """As in "There is a film called Blue Sky." -> "Blue Sky is a film."."""
    words, names = sentence.words, in_names(document)
    if len(words) < 6 or words[0].lower != "there" or words[1].lower not in ("is", "was"):
        return
    called = next((w for w in words[4:-1] if w.lower in ("called", "named")), None)
    if called is None or words[2].lower not in ("a", "an"):
        return
    name = Piece(document, called.index + 1, sentence.last)
    thing = Piece(document, words[2].index, called.index - 1)
    if any(w.index not in names for w in name.words) or any(w.upos not in _BARE for w in thing.words):
        return
    if thing.words[-1].upos == "NOUN":
        text = opening(document, number, f"{name.text} {words[1].text} {thing.text}")
        yield Rewriting("there.called", (Change(words[0].start, name.end, text),))
