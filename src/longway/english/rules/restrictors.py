"""Restrictors in other words: only, solely, exclusively, always, outside. Family: restrictors.

    "is only a poet"            "is nothing but a poet", "is a poet and nothing else"
    "only stars Ann Lee"        "stars Ann Lee alone", "stars no one but Ann Lee"
    "aired only in 2005"        "aired in 2005 alone", "aired in 2005 and at no other time"
    "the only bridge"           "the sole bridge"            "only four"     "no more than four", "just four"
    "has always been"           "has at all times been"      "at least two"  "no fewer than two"
    "is outside of Italy"       "is not in Italy", "is nowhere in Italy"

The focus of a restrictor is the phrase that it restricts:

    "The Hill only stars Ann Lee."     Ann Lee      person      "Ann Lee is only German."          German    quality
    "The Hill aired only in 2005."     in 2005      time        "Ann Lee is exclusively a poet."   a poet    kind
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain

from longway.english.articles import with_articles
from longway.english.denials import conjugated
from longway.english.document import Change, Document, Word
from longway.english.people.mentions import find_mentions, person_noun_kind
from longway.english.rules.negatives import CHOICE_VERBS
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sentence import MONTH_WORDS, name_indices
from longway.english.words import listed_phrases, listed_words

_WORDS_BEFORE = listed_phrases(__name__, "words_before")
_WORDS_AFTER = listed_phrases(__name__, "words_after")
_FULLY = ("entirely", "completely", "wholly")


def restrictors(scene: Scene) -> Rephrasings:
    """Yield the ways to rephrase the restrictors of a text."""
    names = name_indices(scene.document)
    for word in scene.document.words[1:]:
        if not word.text.islower() or word.index in names:
            continue
        if is_restrictor(scene.document, word):
            yield from _restrictor(scene, word)
        elif word.lower == "always":
            yield from _always(scene, word)
        elif word.lower in _FULLY:
            is_last = scene.document.text[word.end : word.end + 1] in (".", ",", "!", "")
            yield from _swap(scene, word, _FULLY[:2] if is_last else _FULLY)
        elif word.lower == "outside":
            yield from _outside(scene, word)
        elif word.lower == "least":
            yield from _at_least(scene, word)


def _restrictor(scene: Scene, word: Word) -> Rephrasings:
    document = scene.document
    before = document.words[word.index - 1]
    after = document.words[word.index + 1 : word.index + 2]
    if word.relation == "amod" or (before.lower in ("the", "its", "his", "her", "their", "'s", "’s")):
        yield from _the_only(scene, word)
        return
    if word.lower == "only" and after and after[0].lower == "one":
        yield from _only_one(scene, word, after[0])
    if after and after[0].relation == "amod" and after[0].upos == "ADJ" and before.lower in ("a", "an"):
        yield from _swap(scene, word, ("purely", "wholly", "entirely"))
        return
    focus = focus_of(scene, word)
    if focus is None or (after and after[0].lower == "one"):
        return
    yield from chain(_before_focus(scene, focus), _after_focus(scene, focus), _nothing_but(scene, focus))


def _the_only(scene: Scene, word: Word) -> Rephrasings:
    """Rephrase "the only N" as "the sole N"; not "only child", and not "with only Spanish roots", which has no article."""
    document = scene.document
    after = document.words[word.index + 1 : word.index + 2]
    if word.lower != "only" or not after or after[0].lower == "child" or after[0].upos == "PRON":
        return
    noun = document.head(word)
    if noun is None or not any(w.index < word.index for w in document.children(noun, "det", "nmod:poss")):
        return
    if after[0].upos in ("NOUN", "ADJ", "PROPN") and noun.tag in ("NN", "NNP"):
        yield from _swap(scene, word, ("sole", "lone"))


def _only_one(scene: Scene, only: Word, one: Word) -> Rephrasings:
    """Rephrase "only one N" as "a single N", if "one" counts a noun."""
    noun = scene.document.head(one)
    if one.relation != "nummod" or noun is None or noun.index < one.index:
        return
    for new in ("a single", "just a single", "no more than one", "exactly one"):
        yield Rephrasing.of(f"restrictors.{new.replace(' ', '_')}", Change(only.start, one.end, new))


def _before_focus(scene: Scene, focus: Focus) -> Rephrasings:
    """Replace the restrictor by words before the focus."""
    for new in _WORDS_BEFORE[focus.kind]:
        if new == "entirely" and focus.kind == "place" and not focus.is_state:
            continue
        if new == "entirely" and not focus.ends_clause:
            continue
        if new == "no more than" and focus.kind == "kind" and not focus.has_article:
            continue
        if new == "just" and focus.kind == "thing" and focus.verb is not None and focus.verb.lemma == "have":
            continue  # "has just" begins a perfect
        if new == "nothing but" and focus.kind == "thing" and not focus.ends_clause:
            continue  # "only sang songs at home" says where, not what
        yield _swapped(scene, new, *focus.with_words_before(new))


def _after_focus(scene: Scene, focus: Focus) -> Rephrasings:
    """Replace the restrictor by words after the focus: "and nothing else"."""
    if not focus.is_short:
        return
    for new in _WORDS_AFTER[focus.kind]:
        if (focus.kind not in ("person", "by") or new == "alone") and not focus.ends_clause:
            continue  # "met Ann alone once" means without others
        verb = focus.verb or scene.document.words[focus.restrictor.index - 1]
        if focus.kind == "person" and verb.lemma == "have":
            continue  # no "has sons and no one else"
        yield _swapped(scene, new, *focus.with_words_after(new))


def _nothing_but(scene: Scene, focus: Focus) -> Rephrasings:
    """Rephrase "only produces water" as "does nothing but produce water"."""
    verb = focus.verb
    if verb is None or verb.lemma not in CHOICE_VERBS or verb.tag not in ("VBZ", "VBP"):
        return
    do = conjugated("do", "present", verb.tag == "VBP")
    if do is not None and focus.restrictor.index + 1 == verb.index:
        new = f"{do} nothing but {verb.lemma.lower()}"
        yield Rephrasing.of("restrictors.do_nothing_but", Change(focus.restrictor.start, verb.end, new))


def _swap(scene: Scene, word: Word, others: tuple[str, ...]) -> Rephrasings:
    return (_swapped(scene, new, word.becomes(new)) for new in others if new != word.lower)


def _swapped(scene: Scene, new: str, *changes: Change) -> Rephrasing:
    return Rephrasing(f"restrictors.{new.replace(' ', '_')}", with_articles(scene.document, *changes))


def _always(scene: Scene, word: Word) -> Rephrasings:
    """Rephrase "has always been" as "has at all times been", inside a verb group only."""
    after = scene.document.after(word)
    if after is not None and after.upos in ("VERB", "AUX", "ADJ") and word.relation == "advmod":
        yield from _swap(scene, word, ("at all times",))


def _outside(scene: Scene, word: Word) -> Rephrasings:
    """Rephrase "is outside (of) Italy" as "is not in Italy"."""
    document = scene.document
    before = document.words[word.index - 1]
    after = document.words[word.index + 1 : word.index + 3]
    if word.relation != "case" or not after or after[-1].upos == "PUNCT":
        return
    of = after[0] if after[0].lower == "of" else None
    end = of.end if of else word.end
    if before.lower in ("is", "are", "was", "were"):
        for new in ("not in", "not within", "nowhere in"):
            yield Rephrasing.of(f"restrictors.{new.replace(' ', '_')}", Change(word.start, end, new))
    elif of is None:
        yield Rephrasing.of("restrictors.outside_of", Change(word.start, end, "outside of"))


def _at_least(scene: Scene, least: Word) -> Rephrasings:
    """Rephrase "at least two" as "no fewer than two", before a number of things."""
    document = scene.document
    at = document.words[least.index - 1]
    number = document.words[least.index + 1 : least.index + 2]
    if at.text != "at" or not number or number[0].upos != "NUM":
        return
    noun = document.head(number[0])
    if number[0].relation != "nummod" or noun is None or noun.tag not in ("NNS", "NN"):
        return
    for new in ("no fewer than", "a minimum of"):
        if number[0].lower not in ("one", "1"):
            yield Rephrasing.of(f"restrictors.{new.replace(' ', '_')}", Change(at.start, least.end, new))


Range = tuple[int, int]  # start and stop in the text
RESTRICTORS = frozenset({"only", "solely", "exclusively", "merely"})
_TIME_PATTERN = re.compile(rf"(1[0-9]|20)\d\d|\d{{4}}s|{'|'.join(MONTH_WORDS)}")
_CREATION_VERBS = listed_words(__name__)["creation_verbs"]
_MAX_WORDS = 8  # of a phrase before "and nothing else"


@dataclass(frozen=True, slots=True)
class Focus:
    """The phrase that a restrictor restricts.

    start, end: its offsets. removed: offsets of the restrictor with an "ever" after it and one space. kind: "quality",
    "kind" (a noun with article), "kinds" (a noun without), "place", "origin", "matter", "time", "number", "thing", "person",
    "by" or "other". verb: the finite verb after the restrictor, if any. is_short: words can be added after the phrase.
    """

    restrictor: Word
    start: int
    end: int
    removed: Range
    kind: str
    verb: Word | None
    is_short: bool
    ends_clause: bool
    has_article: bool
    is_state: bool

    def with_words_before(self, words: str) -> tuple[Change, ...]:
        """Return the changes that remove the restrictor and put words before the phrase."""
        if self.removed[1] == self.start:
            return (Change(*self.removed, f"{words} "),)
        return (Change(*self.removed, ""), Change(self.start, self.start, f"{words} "))

    def with_words_after(self, words: str) -> tuple[Change, ...]:
        """Return the changes that remove the restrictor and put words after the phrase."""
        if self.removed[0] == self.end:
            return (Change(*self.removed, f" {words}"),)
        return (Change(*self.removed, ""), Change(self.end, self.end, f" {words}"))


def is_restrictor(document: Document, word: Word) -> bool:
    """Return True for "only" and the like as an adverb or before a noun; not in "not only", "if only", "only if"."""
    if word.text not in RESTRICTORS or word.upos not in ("ADV", "ADJ"):
        return False
    before = document.lower_at(word.index - 1)
    after = document.lower_at(word.index + 1)
    if before in ("a", "an", "of") and after in ("a", "an"):  # "a solely a", "of only a few"
        return False
    is_joined = before in ("not", "n't", "if", "and", "-")
    return not is_joined and after not in ("if", "when", "because", "to", "after", "until", "-")


def focus_of(scene: Scene, word: Word) -> Focus | None:
    """Return the phrase that a restrictor restricts, None if unclear."""
    document = scene.document
    removed, last = restrictor_range(document, word)
    after = document.words[last.index + 1 : last.index + 2]
    if not after:
        return None
    if after[0].upos == "PUNCT":
        return _focus_before(scene, word, removed)
    if after[0].text == "been":
        return _focus_at(scene, word, removed, last.index + 2)
    if after[0].upos == "VERB" and after[0].tag != "VBG" and (not document.text[after[0].start].isupper()):
        return _focus_after_verb(scene, word, removed, after[0])
    return _focus_at(scene, word, removed, last.index + 1)


def restrictor_range(document: Document, word: Word) -> tuple[Range, Word]:
    """Return the offsets of a restrictor with "ever" and a space, and its last word."""
    last = word
    after = document.words[word.index + 1 : word.index + 3]
    if after and after[0].text == "ever":
        last = after[0]
        after = after[1:]
    if after and after[0].upos != "PUNCT":
        return (word.start, after[0].start), last
    before = document.words[word.index - 1]
    return (before.end, last.end), last


def _focus_after_verb(scene: Scene, word: Word, removed: Range, verb: Word) -> Focus | None:
    """Return the object or phrase right after a verb that follows the restrictor."""
    document = scene.document
    following = document.words[verb.index + 1 : verb.index + 2]
    if not following or following[0].upos == "PUNCT" or following[0].lower in ("to", "that", "as"):
        return None
    return _focus_at(scene, word, removed, verb.index + 1, governor=verb)


def _focus_before(scene: Scene, word: Word, removed: Range) -> Focus | None:
    """Return the phrase right before a restrictor that ends a clause: "in Boston only"."""
    document = scene.document
    last = document.words[word.index - 1]
    for head in (last, *document.ancestors(last)):
        phrase = [w for w in document.subtree(head) if w.index < word.index]
        if head.index >= word.index or phrase[-1] is not last or head.upos not in ("NOUN", "PROPN", "NUM"):
            return None
        copulas = document.children(head, "cop")
        if copulas and head.relation == "root":
            predicate = [w for w in phrase if w.index > copulas[-1].index]
            return _make_focus(scene, word, removed, predicate, head, None)
        if head.relation == "obj" or (phrase[0].upos == "ADP" and head.relation in ("obl", "nmod")):
            return _make_focus(scene, word, removed, phrase, head, None)
    return None


def _focus_at(
    scene: Scene, word: Word, removed: Range, index: int, *, governor: Word | None = None
) -> Focus | None:
    """Return the phrase that starts at an index. governor: the verb before it."""
    document = scene.document
    if index >= len(document):
        return None
    first = document.words[index]
    if first.tag == "VBN" and governor is None:
        return _focus_after_verb(scene, word, removed, first)
    head = first
    while (above := document.head(head)) is not None and above.index > head.index and above.upos != "VERB":
        head = above
    if head.upos not in ("NOUN", "PROPN", "NUM", "ADJ", "PRON"):
        return None
    skipped = {w.index for w in document.words[:index]}
    phrase = [w for w in document.subtree(head) if w.index not in skipped and w.upos != "PUNCT"]
    if not phrase or phrase[0].index != index or phrase[-1].index - phrase[0].index + 1 != len(phrase):
        return None
    verb = governor if governor is not None and governor.tag in ("VBZ", "VBP", "VBD") else None
    return _make_focus(scene, word, removed, phrase, head, verb)


def _make_focus(
    scene: Scene, word: Word, removed: Range, phrase: list[Word], head: Word, verb: Word | None
) -> Focus | None:
    document = scene.document
    kind = _focus_kind(scene, phrase, head)
    governor = document.words[phrase[0].index - 1] if phrase else word
    if kind is None or governor.lemma in ("bear", "die"):  # these happen once
        return None
    rest = document.words[phrase[-1].index + 1 :]
    ends = all(w.upos == "PUNCT" or w.index == word.index for w in rest)
    plain = not any(w.text in (",", ";", ":", "and", "or", "but", "who", "that", "which") for w in phrase)
    return Focus(
        restrictor=word,
        start=phrase[0].start,
        end=phrase[-1].end,
        removed=removed,
        kind=kind,
        verb=verb,
        is_short=plain and len(phrase) <= _MAX_WORDS,
        ends_clause=ends,
        has_article=phrase[0].lower in ("a", "an"),
        is_state=phrase[0].lower == "in" and _is_state(document, governor, word),
    )


def _is_state(document: Document, governor: Word, word: Word) -> bool:
    """Return True after "is" and "is located": states, not events."""
    verb = document.words[word.index - 1] if governor is word else governor
    return verb.lower in ("located", "situated", "based", "set") or verb.lemma == "be"


def _focus_kind(scene: Scene, phrase: list[Word], head: Word) -> str | None:
    first = phrase[0]
    preposition = first.lower if first.upos == "ADP" else ""
    if preposition:
        return _prepositional_kind(scene, phrase, head, preposition)
    if first.tag == "CD" and head.upos in ("NOUN", "PROPN"):
        return "number"
    if head.relation in ("root", "conj", "xcomp") and head.upos == "ADJ":
        return "quality" if len(phrase) == 1 else None
    if head.upos == "ADJ":
        return None
    is_predicate = bool(scene.document.children(head, "cop"))
    if not is_predicate and person_noun_kind(head) is not None:
        return "person"
    if first.lower in ("a", "an", "the"):
        return "thing" if first.lower == "the" or head.relation == "obj" else "kind"
    if head.upos == "PROPN":
        return "person" if _is_named_person(scene, head) else "other"
    if head.relation == "root" and head.tag == "NNS":
        return "kinds"
    return "thing" if head.relation == "obj" else None


def _prepositional_kind(scene: Scene, phrase: list[Word], head: Word, preposition: str) -> str | None:
    if preposition in ("by", "with") and (
        _is_named_person(scene, head) or _is_maker(scene, head, preposition)
    ):
        return "by"
    if head.tag == "CD" or _TIME_PATTERN.fullmatch(head.lower):
        return "time" if preposition in ("in", "on", "during", "at", "since", "before", "after") else None
    if preposition == "from" and head.upos == "PROPN":
        return "origin"
    if preposition == "on" and head.upos == "NOUN":
        return "matter"
    if preposition in ("in", "at", "on", "inside", "within"):
        return "place"
    if head.relation == "root":
        return None
    return (
        "other"
        if preposition in ("with", "for", "by", "through", "under", "as", "from", "about")
        and head.upos == "PROPN"
        else None
    )


def _is_maker(scene: Scene, head: Word, preposition: str) -> bool:
    governor = scene.document.head(head)
    return (
        preposition == "by"
        and head.upos == "PROPN"
        and governor is not None
        and governor.lemma in _CREATION_VERBS
    )


def _is_named_person(scene: Scene, head: Word) -> bool:
    return any(
        m.start <= head.index < m.end and m.kind == "name" and m.certain and len(m.parts) > 1
        for m in find_mentions(scene.document)
    )
