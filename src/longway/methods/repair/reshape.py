"""Reshape: length by leaving out or adding neutral sentences, position by moving clauses and times.

    "20 or more words"   sentences that many rows have are left out, then neutral ones that have least to do with the rest
    "5 or fewer words"   a neutral sentence of another row is added
    "first word: X"      "In 1984, Ann left." -> "Ann left in 1984."; and the reverse for last words

A sentence is neutral if it judges nothing, denies nothing and names nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from random import Random

from longway.detect.words import FIRST, LAST
from longway.english.document import Document
from longway.english.parts import has_names_or_numbers, has_sentiment
from longway.english.rules.rule import Scene
from longway.english.rules.word_order import clause_order, fronting
from longway.english.words import STOP_WORDS, is_negation
from longway.methods.loop import Draft
from longway.methods.repair.mend import Span, after, cut_sentences, sentence_spans
from longway.methods.repair.recurring import Recurring, words_of
from longway.methods.repair.remedy import Parts, Proposer, RepairRow, Target
from longway.methods.repair.take_out import FEWEST

MOST_ADDED = 3  # sentences that are added to one text
MOST_READ, LARGEST_POOL = 2000, 500  # texts in which sentences to add are looked for, and sentences
N_DRAFTS = 3  # different additions for one text
SHORTEST, LONGEST = 4, 14  # words of a sentence that is added
_REFERRING = frozenset(["PRON", "INTJ"])
_POINTING = frozenset("this that these those here so such else too also another other same fact".split())
MAX_LEFT_OUT = 0.5  # share of a text's own sentences


class Reshape:
    """Changes length and order.

    rows: those whose neutral sentences may be added to rows of the same label: what judges after all says the same there. seed: decides
    which ones a row gets.
    """

    def __init__(
        self,
        recurring: Recurring,
        rows: Sequence[RepairRow] = (),
        *,
        seed: int = 0,
    ) -> None:
        self._recurring, self._rows, self._seed = recurring, rows, seed
        self._pool = cache(self._sentences)

    def propose(self, row: RepairRow, target: Target) -> Iterator[Draft]:
        """Texts of another length or order, which do not show the pattern."""
        pattern = target.pattern
        if not row.shows(target):
            return
        if pattern.level == "length":
            yield from (self._shorter if pattern.place == "at least" else self._longer)(row, target)
        elif pattern.level == "position" and pattern.place in (FIRST, LAST) and row.read is not None:
            yield from self._moved(row)

    def _shorter(self, row: RepairRow, target: Target) -> Iterator[Draft]:
        """Without the sentences that recur; else without as few of the neutral ones as needed."""
        sentences = sentence_spans(row.text)
        recurring = [
            span
            for span in sentences
            if self._recurring.is_boilerplate(row.text[slice(*span)])
            and (row.read is None or not has_sentiment(row.document, *span))
        ]
        own = [span for span in sentences if span not in recurring]
        if not any(len(words_of(row.text[slice(*span)])) >= FEWEST for span in own):
            return
        if recurring:
            asides = [row.text[slice(*span)] for span in recurring]
            yield row.draft(cut_sentences(row.text, recurring), "reshape.recurring", asides=asides)
        if row.read is None or len(own) < 2:
            return
        gone = list(recurring)
        for span in self._least_related(row, own)[: int(MAX_LEFT_OUT * len(own))]:
            gone.append(span)
            text = cut_sentences(row.text, gone)
            if not row.shows(target, text):
                yield row.draft(text, "reshape.neutral", "label")
                return

    def _longer(self, row: RepairRow, target: Target) -> Iterator[Draft]:
        """With neutral sentences of other rows. A pair is left alone: what is added would have to follow from the context."""
        if row.context is not None or row.read is None or not any(c.isalnum() for c in row.text):
            return
        own = set(words_of(row.text))
        others = [one for one, words in self._pool(row.label, row.read) if not words <= own]
        for draw in range(min(N_DRAFTS, len(others))):
            some = Random(f"{self._seed}|{row.number}|{draw}").sample(others, min(MOST_ADDED, len(others)))
            text = row.text
            for sentence in some:
                text = after(sentence.rstrip(".!?… "), text, row.language)
                if not row.shows(target, text):
                    yield row.draft(text, "reshape.added", "label")
                    break

    def _sentences(self, label: str, read: Callable[[str], Document]) -> list[tuple[str, frozenset[str]]]:
        """Neutral sentences of texts of a label, each with its words."""
        texts = [row.text for row in self._rows if row.label == label]
        some = [texts[i] for i in range(0, len(texts), max(1, len(texts) // MOST_READ))]
        found = [one for one in neutral_sentences(some, read) if not self._recurring.is_boilerplate(one)]
        return [(one, frozenset(words_of(one))) for one in found[:LARGEST_POOL]]

    def _moved(self, row: RepairRow) -> Iterator[Draft]:
        scene = Scene(row.document, context=row.context)
        for rule in (fronting, clause_order):
            for rephrasing in rule(scene):
                yield row.draft(
                    rephrasing.apply(row.document), f"reshape.{rephrasing.rule}", rephrasing.keeps
                )

    def _least_related(self, row: RepairRow, own: Sequence[Span]) -> list[Span]:
        """The neutral sentences after the first, those that share fewest words with the rest and the context first."""
        content = {span: _content(row.text[slice(*span)]) for span in own}
        context = _content(row.context or "")
        neutral = [
            span for span in own[1:] if is_neutral(row.document, *span) and not content[span] & context
        ]
        return sorted(neutral, key=lambda span: _n_shared(content, span))


def neutral_sentences(texts: Iterable[str], read: Callable[[str], Document]) -> list[str]:
    """The neutral sentences of texts that have several: without names, numbers, pronouns, negations and judgements; for `Reshape`."""
    found: dict[str, None] = {}
    for text in texts:
        spans = sentence_spans(text)
        if len(spans) < 2:
            continue
        for start, end in spans:
            # A sentence begins with a capital, as far as the text has any.
            begins = text[start].isupper() or not any(c.isupper() for c in text)
            if begins and SHORTEST <= len(words_of(text[start:end])) <= LONGEST:
                document = read(text)  # the whole text: a sentence on its own may be analysed differently
                words = document.words_between(start, end)
                stands_alone = not any(word.upos in _REFERRING or word.lower in _POINTING for word in words)
                is_clause = {"VERB", "AUX"} & {word.upos for word in words} and "nsubj" in {
                    word.relation for word in words
                }
                is_whole = text[end - 1] == "." and words[0].upos in ("DET", "NOUN", "ADJ") and is_clause
                if stands_alone and is_whole and is_neutral(document, start, end):
                    found[text[start:end]] = None
    return list(found)


def is_neutral(document: Document, start: int, end: int) -> bool:
    """Whether a sentence judges nothing, denies nothing, and has no names and numbers."""
    words = document.words_between(start, end)
    if any(is_negation(word.lower) or word.text in ('"', "“", "”", "``", "(") for word in words):
        return False
    return not has_sentiment(document, start, end) and not has_names_or_numbers(document, start, end)


def _content(text: str) -> frozenset[str]:
    return frozenset(word for word in words_of(text) if word not in STOP_WORDS)


def _n_shared(content: dict[Span, frozenset[str]], span: Span) -> tuple[int, int]:
    rest = frozenset().union(*(words for other, words in content.items() if other != span))
    return len(content[span] & rest), -span[0]


def proposers(name: str, parts: Parts) -> Iterator[Proposer]:
    """The remedy for one dataset."""
    yield Proposer(name, Reshape(parts.recurring, parts.every, seed=parts.seed).propose)
