"""Negation: in the text and, for pairs, on one side only.

English negations are words of `english/words.py`; other languages have tables in `languages/`. A dataset in several languages has a
pattern for each. For a language without a table the level is skipped (`without_negations`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix

from longway.arrays import Bools, Ints
from longway.detect.detector import ROW, Description, Detector, Spans, TokenizedRow, TokenizedText
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.english.words import is_negation
from longway.language_names import ENGLISH
from longway.languages.row_languages import language_in
from longway.languages.word_lists import find, has_words, may_start, says
from longway.records import Pattern
from longway.text.corpus import Block

PLACES = ("text", "text only", "context only", "both")


def negates(tokens: Sequence[str], language: str = "") -> bool:
    """Whether tokens, in lower case, have a negation. language: of the text; "" for English.

    >>> negates(["not", "bad"]), negates(["nicht", "schlecht"], "de"), negates(["nicht", "schlecht"])
    (True, True, False)
    """
    return says(tokens, "negation", language) if language else any(map(is_negation, tokens))


def without_negations(languages: Iterable[str]) -> list[str]:
    """Those of the languages whose negations are not known; "" stands for English."""
    return [language for language in languages if language and not has_words(language)]


class NegationDetector(Detector):
    """Does the text contain a negation; for pairs: the text only, the context only, both?"""

    level = "negation"
    roles = (ROW,)
    by_piece = True  # a piece is searched once: other languages take long

    def __init__(self, reading: Reading, role: str = ROW) -> None:
        super().__init__(reading, role)
        words = self._words = reading.vocabulary.words
        self._main = reading.tokenizer.languages
        self._languages = [
            "" if one == ENGLISH else one for one in self._main if one == ENGLISH or has_words(one)
        ]
        self._masks = {
            language: np.array(
                [may_start(word, "negation", language) if language else is_negation(word) for word in words],
                dtype=bool,
            )
            for language in self._languages
        }
        self._known: dict[tuple[int, int], Bools] = {}  # answers by reading and start of the piece
        text, context = reading.columns[TEXT], reading.columns.get(CONTEXT, "")
        of_pair = [
            Pattern(self.level, self.field, place=place, context=context) for place in PLACES[1:] if context
        ]
        patterns = [Pattern(self.level, text, place=PLACES[0]), *of_pair]
        self.patterns = [
            Description(replace(pattern, language=language), frozenset(["<negation>"]))
            for language in self._languages
            for pattern in patterns
        ]

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which examples have which kind of negation."""
        place = (piece.of, piece.start)
        if place not in self._known:
            self._known[place] = self._answers(piece)
        return csr_matrix(self._known[place][:, keys].astype(np.int64))

    def _answers(self, piece: ReadingPart) -> Bools:
        """For each row of a whole piece, whether it has each kind of negation."""
        columns: list[Bools] = []
        for language in self._languages:
            text, *others = (self._negated(block, language) for block in piece.blocks.values())
            of_pair = [each for there in others for each in (text & ~there, there & ~text, text & there)]
            columns += [text, *of_pair]
        return np.stack(columns, axis=1) if columns else np.zeros((piece.n_texts, 0), dtype=bool)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The words that negate, in a row of the pattern's language."""
        spans = {
            column: _spans(text, pattern.language)
            for column in pattern.columns
            if (text := row.get(column)) is not None
        }
        if pattern.place not in PLACES or len(spans) != len(pattern.columns):
            return None
        here, *others = (bool(each) for each in spans.values())
        there = others == [True]
        shows = (here, here and not there, there and not here, here and there)
        return (
            {column: each for column, each in spans.items() if each}
            if shows[PLACES.index(pattern.place)]
            else None
        )

    def _negated(self, block: Block, language: str) -> Bools:
        """Which texts have a negation of a language. Only texts with a word that may be one are searched for phrases.

        In mixed data a text in another of the languages does not count: "no" and "sin" are also English words.
        """
        has_word = np.asarray(block.sum_by_text(self._masks[language][block.codes]) > 0)
        if (language or len(self._main) > 1) and has_word.any():
            rows = np.flatnonzero(has_word)
            has_word[rows] = [
                negates(tokens, language) and _is_in(tokens, language, self._main)
                for tokens in block.take(rows).spelled(self._words)
            ]
        return has_word


def _is_in(tokens: Sequence[str], language: str, main: tuple[str, ...]) -> bool:
    """Whether a text is in a language, "" for English. main: the languages of its dataset."""
    return len(main) < 2 or language_in(" ".join(tokens), languages=main) == (language or ENGLISH)


def _spans(text: TokenizedText, language: str) -> Spans:
    tokens = [token for token, _, _ in text.tokens]
    if not language:
        found = [(at, at + 1) for at, token in enumerate(tokens) if is_negation(token)]
    else:
        found = find(tokens, "negation", language)
    if not found or not _is_in(tokens, language, text.tokenizer.languages):
        return []
    return [(text.tokens[first][1], text.tokens[last - 1][2]) for first, last in found]
