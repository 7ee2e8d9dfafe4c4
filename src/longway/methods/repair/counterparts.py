"""Counterparts: new rows that keep what gives a label away and have another label.

    of pairs that support or refute:
        supported claim      its negation, refuted; and with a changed number changed in the context too, supported again (CrossAug)
        refuted claim        the claim without its negation, or with the context's own number, name or opposite: supported;
                             and the context with the claim's words instead: supports the claim
        supported claim      a false variant denied: "was not born in 1987", supported, so that "not" predicts nothing
    of sentiment:
        a review             with its judgements turned round

Every counterpart is a proposal; checks decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from random import Random
from typing import NamedTuple

from longway.english.document import Change, Document, Word, apply_changes
from longway.english.inflection import ORDINALS
from longway.english.opposites import Side, antonym_changes, predicate_words, sentiment_mentions
from longway.english.pipeline import EnglishPipeline, load_pipeline
from longway.english.triples.contradict import affirmations
from longway.english.triples.oppose import opposed_text
from longway.methods.additions import Proposal
from longway.methods.crossaug import replace_in, substituted
from longway.methods.method import Rows
from longway.methods.negate import negated
from longway.tokens.tokenizer import tokenize

MOST = 2  # negations for each text
RESTRICTORS = frozenset(
    ["only", "solely", "exclusively", "just", "merely"]
)  # a claim with one stays false with another detail
MOST_NEEDED, WORDS_PER_CHANGE = 3, 25  # judgements to turn round in a long text, and words of a text for each
LEAST_TURNED = 0.75  # share of the judgements for the old label
LEAST_TOUCHED = 0.5  # share of the words that are in sentences with a turned judgement: the others still say what they said
MONTHS = frozenset(
    "January February March April May June July August September October November December".split()
)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_NUMBER = re.compile(r"\d+")
_YEAR = re.compile(r"(1\d|20)\d\d")
_NEGATIVE_PREFIXES = ("un", "in", "im", "il", "ir", "dis", "non")


class PairCounterparts:
    """Counterparts of texts with a context that supports or refutes them."""

    engine = "rules"

    def __init__(self, rows: Rows, *, seed: int = 0) -> None:
        self.rows, self.seed = rows, seed
        stances = {stance: label for label, stance in rows.task.stances.items()}
        self.supported, self.refuted = stances["entails"], stances["contradicts"]
        self._english: EnglishPipeline = load_pipeline()

    def propose(self, rows: Sequence[int]) -> Iterator[list[Proposal]]:
        """The proposals for each row, in order."""
        documents = self._english.analyse_all(self.rows.texts[row] for row in rows)
        for row, document in zip(rows, documents, strict=True):
            label = self.rows.label(row)
            if label == self.supported:
                yield [*self._negated(row, document), *self._denied(row, document)]
            elif label == self.refuted:
                yield [*self._affirmed(row, document), *self._swapped(row, document)]
            else:
                yield []

    def _negated(self, row: int, document: Document) -> Iterator[Proposal]:
        random = Random(f"{self.seed}|{document.text}")
        context = self.rows.context(row) or ""
        for made in islice(negated(document, random), MOST):
            yield self._proposal(row, made.text, self.refuted, context, made.how)
            if made.how != "negate.number":
                continue  # the rest of the context would contradict another change
            change = substituted(document.text, made.text)
            changed = None if change is None else replace_in(context, *change)
            if changed is not None:
                yield self._proposal(row, made.text, self.supported, changed, f"{made.how}.context")
                yield self._proposal(row, document.text, self.refuted, changed, f"{made.how}.context")

    def _denied(self, row: int, document: Document) -> Iterator[Proposal]:
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

    def _affirmed(self, row: int, document: Document) -> Iterator[Proposal]:
        context = self.rows.context(row) or ""
        for changes in affirmations(document)[:1]:
            text = apply_changes(document.text, changes)
            yield self._proposal(row, text, self.supported, context, "affirm")

    def _swapped(self, row: int, document: Document) -> Iterator[Proposal]:
        """The claim with the context's word for what it gets wrong, and the context with the claim's."""
        context = self.rows.context(row) or ""
        if not context:
            return
        there = set(tokenize(context))
        wrong = [
            one
            for one in _details(document, predicate_words(document))
            if not set(tokenize(one.text)) & there
        ]
        if len(wrong) == 1:
            (old,) = wrong
            said = set(tokenize(document.text))
            sentence = self._english.analyse(most_alike(context, document.text))
            others = {
                one.text: one for one in _details(sentence, sentence.words) if _can_replace(one, old, said)
            }
            for new in others.values() if len(others) == 1 and not said & RESTRICTORS else ():
                text = document.text[: old.start] + new.text + document.text[old.end :]
                yield self._proposal(row, text, self.supported, context, "swap")
                changed = replace_in(context, new.text, old.text)
                if changed is not None:
                    yield self._proposal(row, document.text, self.supported, changed, "swap.context")
                    yield self._proposal(row, text, self.refuted, changed, "swap.context")
        yield from self._opposite(row, document, context)

    def _opposite(self, row: int, document: Document, context: str) -> Iterator[Proposal]:
        """The claim with the opposite of a word, if the context has it before the same word and everything else."""
        said, there = tokenize(document.text), set(tokenize(context))
        details = _details(document, document.words)
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

    def _proposal(self, row: int, text: str, label: str, context: str, how: str) -> Proposal:
        return Proposal(row, text, label, context, how=how)


class SentimentCounterparts:
    """Counterparts of texts that judge something: the judgements turned round. sides: the sentiment of each label."""

    engine = "rules"

    def __init__(self, rows: Rows, sides: dict[str, Side], *, seed: int = 0) -> None:
        self.rows, self.sides, self.seed = rows, sides, seed
        self._english = load_pipeline()

    def propose(self, rows: Sequence[int]) -> Iterator[list[Proposal]]:
        """The proposals for each row, in order."""
        documents = self._english.analyse_all(self.rows.texts[row] for row in rows)
        for row, document in zip(rows, documents, strict=True):
            label = self.rows.label(row)
            other = next((name for name in self.sides if name != label), None)
            if label not in self.sides or other is None:
                yield []
                continue
            text, changes = opposed_text(document, self.sides[other], key=f"{self.seed}|{document.text}")
            against = sum(one.side == self.sides[label] for one in sentiment_mentions(document))
            needed = max(min(MOST_NEEDED, 1 + len(document) // WORDS_PER_CHANGE), LEAST_TURNED * against)
            enough = len(changes) >= needed and _touched(document, changes) >= LEAST_TOUCHED
            yield [Proposal(row, text, other, how="oppose")] if enough else []


def _touched(document: Document, changes: Iterable[Change]) -> float:
    """The share of the words that are in sentences with a change."""
    places = [change.start for change in changes]
    touched = 0
    for first, last in document.sentences:
        start, end = document.words[first].start, document.words[last - 1].end
        touched += (last - first) * any(start <= place <= end for place in places)
    return touched / max(1, len(document.words))


def sides_of(labels: Sequence[str]) -> dict[str, Side]:
    """The labels that mean a positive or a negative judgement.

    >>> sides_of(["neg", "neutral", "pos"])
    {'neg': 'negative', 'pos': 'positive'}
    """
    names: dict[str, Side] = {
        "positive": "positive",
        "pos": "positive",
        "negative": "negative",
        "neg": "negative",
    }
    plain = {label: label.strip().lower() for label in labels}
    return {label: names[name] for label, name in plain.items() if name in names}


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


class _Detail(NamedTuple):
    """A number or a name in a sentence. before: the word before it; head: the lemma of the word that it belongs to."""

    start: int
    end: int
    text: str
    before: str
    head: str

    @property
    def is_number(self) -> bool:
        return bool(_NUMBER.fullmatch(self.text))


def _details(document: Document, words: Iterable[Word]) -> Iterator[_Detail]:
    """The numbers and names among some words of a sentence, which a statement can get wrong."""
    spans: list[list[Word]] = []
    for word in words:
        if word.tag == "CD" and _NUMBER.fullmatch(word.text):
            spans.append([word])
        elif word.upos == "PROPN":
            last = spans[-1][-1] if spans else None
            if last is not None and last.upos == "PROPN" and last.index + 1 == word.index:
                spans[-1].append(word)
            else:
                spans.append([word])
    for span in spans:
        inside = {word.index for word in span}
        heads = [
            head for word in span if (head := document.head(word)) is not None and head.index not in inside
        ]
        if _continues(document, span):
            continue
        start, end = span[0].start, span[-1].end
        before = document.lower_at(span[0].index - 1) if span[0].index else ""
        yield _Detail(start, end, document.text[start:end], before, heads[0].lemma if heads else "")


def _continues(document: Document, span: list[Word]) -> bool:
    """Whether a name is part of a longer one: "Arts" of "the Academy of Arts and Letters"."""
    if span[0].upos != "PROPN":
        return False
    before = document.words[max(0, span[0].index - 2) : span[0].index]
    after = document.words[span[-1].index + 1 : span[-1].index + 3]
    is_inside = len(before) == 2 and before[0].upos == "PROPN" and before[1].lower == "of"
    return is_inside or (len(after) == 2 and after[0].lower in ("&", "of") and after[1].upos == "PROPN")


def _can_replace(new: _Detail, old: _Detail, said: set[str]) -> bool:
    """Whether a detail of the context can stand where a claim has another one.

    A year is replaced by a year, another number by one of the same noun with as many digits. A name is replaced by one behind the same word, that belongs to the same verb or noun:
    "directed by Ann Lee" and "directed by Bob Ray", not "born in Lima" and "born in April 1950".
    """
    if set(tokenize(new.text)) & said:
        return False
    if old.is_number:
        both_years = _YEAR.fullmatch(new.text) and _YEAR.fullmatch(old.text)
        same_kind = both_years or (old.head == new.head and bool(old.head))
        return new.is_number and len(new.text) == len(old.text) and bool(same_kind)
    same_place = bool(old.head) and (new.before, new.head) == (old.before, old.head)
    return not new.is_number and same_place and new.text not in MONTHS
