"""Counterparts: new rows that keep what gives a label away and have another label.

    of pairs that support or refute:
        supported claim      its negation, refuted; and with the changed words changed in the context too, supported again (CrossAug)
        refuted claim        the claim without its negation, or with the context's own number, name or opposite: supported;
                             and the context with the claim's words instead: supports the claim
        supported claim      a false variant denied: "was not born in 1987", supported, so that "not" predicts nothing
    of sentiment:
        a review             with its judgements turned round

Every counterpart is a proposal; checks decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

from longway.english.document import Document, Word, apply_changes
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
MOST_SWAPS = 6  # words of a context that are tried in place of a word of the text
MOST_NEEDED, WORDS_PER_CHANGE = 3, 25  # judgements to turn round in a long text, and words of a text for each
LEAST_TURNED = 0.75  # share of the judgements for the old label
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_NUMBER = re.compile(r"\d+")


class PairCounterparts:
    """Counterparts of texts with a context that supports or refutes them."""

    name = "counterpart"

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
        wrong = [span for span in _details(document) if not set(tokenize(span[2])) & there]
        if len(wrong) == 1:
            (start, end, old) = wrong[0]
            sentence = most_alike(context, document.text)
            said = set(tokenize(document.text))
            for new in islice(_others(self._english.analyse(sentence), old, said), MOST_SWAPS):
                text = document.text[:start] + new + document.text[end:]
                yield self._proposal(row, text, self.supported, context, "swap")
                changed = replace_in(context, new, old)
                if changed is not None:
                    yield self._proposal(row, document.text, self.supported, changed, "swap.context")
                    yield self._proposal(row, text, self.refuted, changed, "swap.context")
        for changes in antonym_changes(document, predicate_words(document)):
            new = changes[0].text
            if new.lower() in there:
                text = apply_changes(document.text, changes)
                yield self._proposal(row, text, self.supported, context, "opposite")

    def _proposal(self, row: int, text: str, label: str, context: str, how: str) -> Proposal:
        return Proposal(row, text, label, context, how=how)


class SentimentCounterparts:
    """Counterparts of texts that judge something: the judgements turned round. sides: the sentiment of each label."""

    name = "counterpart"

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
            enough = len(changes) >= needed
            yield [Proposal(row, text, other, how="oppose")] if enough else []


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


def most_alike(context: str, text: str) -> str:
    """The sentence of a context that shares most words with a text."""
    words = set(tokenize(text))
    return max(_SENTENCE_END.split(context), key=lambda one: len(words & set(tokenize(one))), default="")


def _details(document: Document) -> Iterator[tuple[int, int, str]]:
    """Numbers and names of the predicate, which a statement can get wrong: start, end, text."""
    words = predicate_words(document)
    for word in words:
        if word.tag == "CD" and _NUMBER.fullmatch(word.text):
            yield word.start, word.end, word.text
    names: list[list[Word]] = []
    for word in words:
        if word.upos == "PROPN":
            if names and names[-1][-1].index + 1 == word.index:
                names[-1].append(word)
            else:
                names.append([word])
    for name in names:
        start, end = name[0].start, name[-1].end
        yield start, end, document.text[start:end]


def _others(document: Document, old: str, said: set[str]) -> Iterator[str]:
    """Numbers or names of a sentence of the same kind as one of the claim, which the claim does not have."""
    is_number = bool(_NUMBER.fullmatch(old))
    names: list[list[Word]] = []
    for word in document:
        if (
            is_number
            and _NUMBER.fullmatch(word.text)
            and len(word.text) == len(old)
            and word.text not in said
        ):
            yield word.text
        if not is_number and word.upos == "PROPN":
            if names and names[-1][-1].index + 1 == word.index:
                names[-1].append(word)
            else:
                names.append([word])
    for name in names:
        text = document.text[name[0].start : name[-1].end]
        if not set(tokenize(text)) & said:
            yield text
