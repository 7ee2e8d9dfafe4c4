"""Counterparts: new rows that keep what gives a label away and have another label.

    of pairs that support or refute:
        supported claim      its negation, refuted; and with a changed number changed in the context too, supported again (CrossAug)
        refuted claim        the claim without its negation, or with the context's own number, name or opposite: supported;
                             and the context with the claim's words instead: supports the claim
        supported claim      a term, a place or a person exchanged in the claim: refuted; in claim and context: supported; in the context: refuted
        supported claim      a false variant denied: "was not born in 1987", supported, so that "not" predicts nothing
    of sentiment:
        a review             with its judgements turned round

Every counterpart is a draft; checks decide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from random import Random

from longway.english.contradict import affirmations, negated
from longway.english.document import Change, Document, apply_changes
from longway.english.inflection import ORDINALS
from longway.english.opposites import antonym_changes, predicate_words, sentiment_mentions
from longway.english.parts import People, can_replace, details_of, replaced_in
from longway.english.pipeline import EnglishPipeline, load_pipeline
from longway.english.rules.rule import Scene
from longway.english.rules.sisters import SisterSpot, sister_spots
from longway.english.triples.oppose import opposing_changes
from longway.methods.crossaug import changed_too, replace_in
from longway.methods.loop import Draft, new_row
from longway.methods.method import Rows
from longway.task import Side
from longway.text.tokenizer import tokenize

MOST = 2  # negations for each text
NOT_EXCHANGED = (
    "year",
    "work",
)  # classes of sister terms: numbers are changed elsewhere, and another kind of work fits no context
AGENTS = ("director", "author", "performer")  # the context may name such a person as something else
MOST_READ = 4000  # texts from which the places of names are learned
RESTRICTORS = frozenset(
    ["only", "solely", "exclusively", "just", "merely"]
)  # a claim with one stays false with another detail
MOST_NEEDED, WORDS_PER_CHANGE = 3, 25  # judgements to turn round in a long text, and words of a text for each
DENSITY = 12  # words for each of them in the sentences where they are: no list knows all words that judge
CONTRASTS = frozenset("but though although while despite yet however".split())
SHORT = 60  # words; one odd sentence spoils a short text, not a long one
LEAST_TURNED = 0.75  # share of the judgements for the old label
LEAST_TOUCHED = 0.5  # share of the words that are in sentences with a turned judgement: the others still say what they said
_RANGE = re.compile(r"\d\s*(?:--?|–|—)\s*\d")  # "2001 -- 02", of which one end cannot be changed alone
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_NUMBER = re.compile(r"\d+")
_NEGATIVE_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non")


class PairCounterparts:
    """Counterparts of texts with a context that supports or refutes them."""

    def __init__(self, rows: Rows, *, seed: int = 0) -> None:
        self.rows, self.seed = rows, seed
        stances = {stance: label for label, stance in rows.task.stances.items()}
        self.supported, self.refuted = stances["entails"], stances["contradicts"]
        self._english: EnglishPipeline = load_pipeline()

    def propose(self, rows: Sequence[int]) -> Iterator[Draft]:
        """The counterparts of some rows."""
        ways = {
            self.supported: (self._negated, self._denied, self._exchanged),
            self.refuted: (self._affirmed, self._swapped, self._exchanged),
        }
        for row, document in zip(rows, self._documents(rows), strict=True):
            for way in ways.get(self.rows.label(row), ()):
                yield from way(row, document)

    def _documents(self, rows: Iterable[int]) -> Iterator[Document]:
        return self._english.analyse_all(self.rows.texts[row] for row in rows)

    @cached_property
    def _people(self) -> People:
        step = max(1, len(self.rows) // MOST_READ)
        return People(self._documents(range(0, len(self.rows), step)), seed=self.seed)

    def _exchanged(self, row: int, document: Document) -> Iterator[Draft]:
        """What a claim says exchanged in the claim, in the context, and in both: whichever of them agree, the claim is supported."""
        context = self.rows.context(row) or ""
        is_supported = self.rows.label(row) == self.supported
        exchanges = self._exchanges(document, context) if is_supported else _corrections(document, context)
        other = self.refuted if is_supported else self.supported
        for old, new in exchanges:
            text = replaced_in(document.text, old, new)
            changed = replaced_in(context, old, new) if is_supported else replaced_in(context, new, old)
            if text is not None and changed is not None:
                yield self._proposal(row, text, other, context, "exchange")
                yield self._proposal(row, text, self.rows.label(row), changed, "exchange.context")
                yield self._proposal(row, document.text, other, changed, "exchange.context")
                return

    def _exchanges(self, document: Document, context: str) -> Iterator[tuple[str, str]]:
        """What a supported claim says, not what it is about, and what could be there instead; not if the context says it in other words, too."""
        for spot in _spots(document, context):
            if spot.is_known and not any(_has(context, alias) for alias in spot.aliases):
                yield document.text[spot.start : spot.end], spot.others[0]
        words = predicate_words(document)
        about = {one for word in document if word not in words for one in tokenize(word.text)}
        for detail in details_of(document, words):
            other = self._people.other(detail, not_in=f"{document.text} {context}")
            if other is not None and not set(tokenize(detail.text)) & about:
                yield detail.text, other

    def _negated(self, row: int, document: Document) -> Iterator[Draft]:
        random = Random(f"{self.seed}|{document.text}")
        context = self.rows.context(row) or ""
        for made in islice(negated(document, random), MOST):
            yield self._proposal(row, made.text, self.refuted, context, made.how)
            if made.how != "negate.number":
                continue  # the rest of the context would contradict another change
            changed = changed_too(context, document.text, made.text)
            if changed is not None:
                yield self._proposal(row, made.text, self.supported, changed, f"{made.how}.context")
                yield self._proposal(row, document.text, self.refuted, changed, f"{made.how}.context")

    def _denied(self, row: int, document: Document) -> Iterator[Draft]:
        """A false variant of a true statement, denied: true again."""
        random = Random(f"{self.seed}|denied|{document.text}")
        context = self.rows.context(row) or ""
        for made in islice(negated(document, random), MOST + 2):
            if made.how not in ("negate.antonym", "negate.number"):
                continue
            if made.how == "negate.antonym" and not _can_be_denied(document, made.text):
                continue
            again = self._english.analyse(made.text)
            for denied in negated(again, random):
                if denied.how == "negate.not":
                    yield self._proposal(row, denied.text, self.supported, context, f"{made.how}.denied")
                    return

    def _affirmed(self, row: int, document: Document) -> Iterator[Draft]:
        context = self.rows.context(row) or ""
        for changes in affirmations(document)[:1]:
            text = apply_changes(document.text, changes)
            yield self._proposal(row, text, self.supported, context, "affirm")

    def _swapped(self, row: int, document: Document) -> Iterator[Draft]:
        """The claim with the context's word for what it gets wrong, and the context with the claim's."""
        context = self.rows.context(row) or ""
        if not context:
            return
        there = set(tokenize(context))
        wrong = [
            one
            for one in details_of(document, predicate_words(document))
            if not set(tokenize(one.text)) & there
        ]
        if len(wrong) == 1:
            (old,) = wrong
            said = set(tokenize(document.text))
            sentence = self._english.analyse(most_alike(context, document.text))
            others = {
                one.text: one for one in details_of(sentence, sentence.words) if can_replace(one, old, said)
            }
            for new in others.values() if len(others) == 1 and not said & RESTRICTORS else ():
                text = document.text[: old.start] + new.text + document.text[old.end :]
                yield self._proposal(row, text, self.supported, context, "swap")
                changed = replace_in(context, new.text, old.text)
                if changed is not None and not _RANGE.search(context):
                    yield self._proposal(row, document.text, self.supported, changed, "swap.context")
                    yield self._proposal(row, text, self.refuted, changed, "swap.context")
        yield from self._opposite(row, document, context)

    def _opposite(self, row: int, document: Document, context: str) -> Iterator[Draft]:
        """The claim with the opposite of a word, if the context has it before the same word and everything else."""
        said, there = tokenize(document.text), set(tokenize(context))
        details = details_of(document, document.words)
        if RESTRICTORS & set(said) or any(not set(tokenize(one.text)) <= there for one in details):
            return
        for changes in antonym_changes(document, predicate_words(document)):
            words = document.words_between(changes[0].start, changes[0].end)
            after = document.after(words[-1])
            if after is None or after.upos == "PUNCT":
                continue
            pair = rf"(\S+) {re.escape(changes[0].text)} {re.escape(after.text)}\b"
            before = [match[1].lower() for match in re.finditer(pair, f". {context}", re.IGNORECASE)]
            if any(
                word not in ORDINALS and not _NUMBER.match(word) for word in before
            ):  # "the 3rd largest port"
                text = apply_changes(document.text, changes)
                yield self._proposal(row, text, self.supported, context, "opposite")

    def _proposal(self, row: int, text: str, label: str, context: str, how: str) -> Draft:
        return new_row(self.rows, row, text, label, context=context, how=how)


def _corrections(document: Document, context: str) -> Iterator[tuple[str, str]]:
    """The one thing that a refuted claim gets wrong, and what the context has instead."""
    spots = list(_spots(document, context))
    places = {(spot.start, spot.end) for spot in spots}
    others = (one for one in details_of(document, document.words) if (one.start, one.end) not in places)
    if RESTRICTORS & set(tokenize(document.text)) or not all(_has(context, one.text) for one in others):
        return
    for spot in spots:
        if (
            spot.name not in AGENTS
            and not spot.is_known
            and len(spot.rivals) == 1
            and _has(context, spot.rivals[0])
        ):
            yield document.text[spot.start : spot.end], spot.rivals[0]


def _spots(document: Document, context: str) -> Iterator[SisterSpot]:
    """Terms that can be exchanged in a sentence and in its context. Another kind of work ("ballet" for "film") would not fit the rest of the context."""
    for spot in sister_spots(Scene(document, context=context)):
        before = "".join(document.text[: spot.start].split()[-1:])
        is_noun = before in ("a", "an") and not re.match(r"[ -]\w", document.text[spot.end :])  # "a Dutch."
        is_part = before[:1].isupper() or document.text[spot.end : spot.end + 1] == "-"  # "South Korean"
        if spot.name not in NOT_EXCHANGED and not is_part and not (is_noun and spot.name == "nationality"):
            yield spot


def _has(text: str, words: str) -> bool:
    return set(tokenize(words)) <= set(tokenize(text))


def sentiment_counterparts(
    rows: Rows, places: Sequence[int], *, read: Callable[[str], Document] | None = None, seed: int = 0
) -> Iterator[Draft]:
    """Counterparts of texts that judge something: the judgements turned round. read: analyses texts."""
    read, sides = read or load_pipeline().analyse, rows.task.sides
    for row in places:
        document, label = read(rows.texts[row]), rows.label(row)
        other = next((name for name in sides if name != label), None)
        if label not in sides or other is None:
            continue
        changes = opposing_changes(document, sides[other], key=f"{seed}|{document.text}")
        against = sum(one.side == sides[label] for one in sentiment_mentions(document))
        touched, n_words = _touched(document, changes, sides[other])
        wanted = max(1 + n_words // WORDS_PER_CHANGE, touched / DENSITY)
        needed = max(min(MOST_NEEDED, wanted), LEAST_TURNED * against)
        if len(changes) >= needed and touched >= LEAST_TOUCHED * n_words:
            yield new_row(rows, row, apply_changes(document.text, changes), other, how="oppose")


def _touched(document: Document, changes: Iterable[Change], towards: Side) -> tuple[int, int]:
    """The number of words in sentences with a change, and of all words.

    In a short text, a sentence that contrasts both sides does not count: with one of them turned round, "predictable but fun"
    contrasts nothing.
    """
    places = [change.start for change in changes]
    mentions = sentiment_mentions(document) if len(document) <= SHORT else ()
    there = {one.word.index for one in mentions if one.side == towards}
    touched = total = 0
    for first, last in document.sentences:
        words = document.words[first:last]
        n_words = sum(word.upos != "PUNCT" for word in words)
        total += n_words
        contrasts = any(word.lower in CONTRASTS for word in words) and any(
            word.index in there for word in words
        )
        is_turned = any(words[0].start <= place <= words[-1].end for place in places)
        touched += n_words * (is_turned and not contrasts)
    return touched, total


def _can_be_denied(document: Document, opposite: str) -> bool:
    """Whether the denial of an opposite says what the text says: not "is unavailable", "lost the race", "is a boy and a poet"."""
    old, new = set(tokenize(document.text)), set(tokenize(opposite))
    is_prefixed = any(prefix + word in new - old for word in old for prefix in _NEGATIVE_PREFIXES)
    is_verb = any(word.upos == "VERB" and word.lower not in new for word in document)
    return not is_prefixed and not is_verb and "and" not in old


def most_alike(context: str, text: str) -> str:
    """The sentence of a context that shares most words with a text."""
    words = set(tokenize(text))
    return max(_SENTENCE_END.split(context), key=lambda one: len(words & set(tokenize(one))), default="")
