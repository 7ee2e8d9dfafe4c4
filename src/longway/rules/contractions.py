"""Contractions: "is not" and "isn't", "it is" and "it's", both ways.

Left alone: a possessive 's, "'d" (had or would?), a verb that ends its clause ("as tall as she is"), questions ("Isn't it?"), and
texts that set "n't" apart, where the space before it is kept.
"""

from __future__ import annotations

from collections.abc import Iterator

from longway.rules.rule import Rewriting, Scene
from longway.rules.stretches import in_names
from longway.text.changes import Change
from longway.text.document import Document, Word

_NEGATED = frozenset("is are was were do does did has have had would could should must need might".split())
_SPECIAL = {"ca": "cannot", "wo": "will not", "sha": "shall not"}
_SHORT_FORMS = {"is": "'s", "are": "'re", "am": "'m", "will": "'ll", "have": "'ve", "has": "'s"}
_LONG_FORMS = {"'re": "are", "'m": "am", "'ll": "will", "'ve": "have"}
_SUBJECTS = frozenset("i you he she it we they that there".split())
_AUXILIARIES = ("aux", "cop")


def rewritings(scene: Scene) -> Iterator[Rewriting]:
    """The text with one contraction written out, or one pair of words contracted."""
    document = scene.document
    for first, second in zip(document.words, document.words[1:], strict=False):
        if first.index in in_names(document) or _inverts(document, first):
            continue
        if second.lower in ("n't", "n’t"):
            yield from _written_out(document, first, second)
        elif second.lower == "not":
            yield from _contracted(document, first, second)
        elif first.lower in _SUBJECTS and first.upos in ("PRON", "DET"):
            yield from _verb(document, first, second)


def _written_out(document: Document, verb: Word, negation: Word) -> Iterator[Rewriting]:
    special = _SPECIAL.get(verb.lower)
    text = special or (f"{verb.lower} not" if verb.lower in _NEGATED or verb.lower == "could" else None)
    if text is None or _ends_clause(document, negation):
        return
    if verb.text[:1].isupper():
        text = text[:1].upper() + text[1:]
    yield Rewriting("contractions.written_out", (Change(verb.start, negation.end, text),))


def _contracted(document: Document, verb: Word, negation: Word) -> Iterator[Rewriting]:
    short = {"can": "can't", "will": "won't"}.get(verb.lower)
    text = short or (f"{verb.text}n't" if verb.lower in _NEGATED - {"might", "need"} else None)
    after = document.words[negation.index + 1] if negation.index + 1 < len(document) else None
    if text is None or (negation.head == verb.index and verb.upos == "VERB") or after is None:
        return
    if after.upos == "PUNCT" or after.lower in ("only", "just", "merely", "to"):
        return
    if verb.text[:1].isupper():
        text = text[:1].upper() + text[1:]
    if " n't" in document.text:
        text = text.replace("n't", " n't")
    yield Rewriting("contractions.contracted", (Change(verb.start, negation.end, text),))


def _verb(document: Document, subject: Word, verb: Word) -> Iterator[Rewriting]:
    if verb.upos not in ("AUX", "VERB") or _ends_clause(document, verb):
        return
    before = document.words[subject.index - 1].lower if subject.index else ""
    if before in ("than", "as"):
        return  # "worse than he is in front of it"
    if subject.relation not in ("nsubj", "expl") or document.words[verb.index + 1].text == "Not":
        return  # "it's" for "its"; a title
    glued = document.text[subject.end : verb.start]
    if verb.lower.startswith(("'", "’")):
        long = _LONG_FORMS.get(verb.lower.replace("’", "'")) or _long_s(document, verb)
        if long is not None:
            yield Rewriting("contractions.written_out", (Change(subject.end, verb.end, f" {long}"),))
        return
    short = _SHORT_FORMS.get(verb.lower)
    after = document.words[verb.index + 1]
    is_helper = verb.relation in _AUXILIARIES or verb.upos == "AUX"
    if short is None or not glued or not is_helper or after.lower == "not" or after.tag == "TO":
        return
    if verb.lower in ("have", "has") and after.tag != "VBN":
        return
    if subject.lower in ("that", "there") and verb.lower != "is":
        return
    style = " " if " '" in document.text else ""
    yield Rewriting("contractions.contracted", (Change(subject.end, verb.end, f"{style}{short}"),))


def _long_s(document: Document, verb: Word) -> str | None:
    """What "'s" stands for; None where it may be a possessive or either verb."""
    if verb.lower not in ("'s", "’s") or verb.tag == "POS":
        return None
    rest = document.words[verb.index + 1 : verb.index + 4]
    after = next((w for w in rest if w.upos != "ADV"), rest[0])
    if after.tag == "VBN":
        return "has" if after.lower in ("been", "got", "had", "become", "gone") else None
    return "is"


def _ends_clause(document: Document, word: Word) -> bool:
    """True where nothing follows that the verb belongs to: "than she is."."""
    after = document.words[word.index + 1] if word.index + 1 < len(document) else None
    return after is None or after.upos in ("PUNCT", "CCONJ", "SCONJ")


def _inverts(document: Document, verb: Word) -> bool:
    """True where the verb opens its sentence or a subject follows: "Isn't it?", "nor is it"."""
    first, _ = document.sentences[document.sentence_number(verb)]
    after = document.words[verb.index + 1 : verb.index + 3]
    is_auxiliary = verb.upos == "AUX"
    opens = is_auxiliary and (
        verb.index == first or document.words[verb.index - 1].lower in ("nor", "neither", "why")
    )
    return opens or (
        is_auxiliary and len(after) == 2 and after[1].tag == "PRP" and after[1].relation == "nsubj"
    )
