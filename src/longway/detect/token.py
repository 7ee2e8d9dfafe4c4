"""Single words: "not" in refuted claims.

In data of one language other than English, with the extra `lemmas`, also all forms of a word together: "any form: wandern".
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_matrix

from longway.detect.detector import (
    Description,
    Detector,
    Features,
    Ints,
    Spans,
    TokenizedRow,
    columns_of,
    distinct,
    enough,
    tagged,
    tally,
    zeros,
)
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.languages.lemmas import forms_by_lemma, has_lemmas, lemma
from longway.languages.words import languages_in_use
from longway.records import Pattern

ANY_FORM = "any form"  # the place of a pattern whose word is the dictionary form


class TokenDetector(Detector):
    """Does the text contain this word? Punctuation marks are left to the surface detector."""

    level = "token"
    roles = (TEXT, CONTEXT)

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self._words = reading.vocabulary.words
        languages = languages_in_use()
        self._language = languages[0] if len(languages) == 1 and has_lemmas(languages[0]) else ""
        forms = forms_by_lemma(self._words, self._language) if self._language else {}
        self._forms = list(forms.items())
        self._form_of = np.full(
            len(self._words), -1, dtype=np.int64
        )  # of each word, the number of its dictionary form
        for number, (_, places) in enumerate(self._forms):
            self._form_of[places] = number

    def count(self, reading: Reading) -> Features:
        """Counts of every frequent word, and of all forms of a word together."""
        n, n_labels = len(self._words) + len(self._forms), reading.n_labels
        counts = zeros(n, n_labels)
        for piece in reading.pieces():
            rows, keys = self._present(piece)
            once = distinct(rows * n + keys)  # a word that occurs twice is still in one text
            counts += tally(once % n, piece.labels[once // n], n, n_labels)
        keys = enough(counts, reading.min_count, n_texts=reading.n_texts)
        is_word = np.append(reading.vocabulary.word_mask(), np.ones(len(self._forms), dtype=bool))
        keys = keys[is_word[keys]]
        return Features(keys, counts[keys])

    def _present(self, piece: ReadingPart) -> tuple[Ints, Ints]:
        """Row and key of each word, and of the dictionary form of each word that has several."""
        block = piece.blocks[self.role]
        rows, codes = block.rows(), block.codes.astype(np.int64)
        if not self._forms:
            return rows, codes
        form = self._form_of[codes]
        has_form = form >= 0
        return np.append(rows, rows[has_form]), np.append(codes, len(self._words) + form[has_form])

    def describe(self, key: int) -> Description:
        """The word."""
        if key >= len(self._words):
            base, places = self._forms[key - len(self._words)]
            forms = [self._words[place] for place in places]
            pattern = Pattern(self.level, self.field, (base,), ANY_FORM, language=self._language)
            others = tuple((form,) for form in forms)
            return Description(pattern, tagged(self.role, *forms), self.role, others[0], others)
        word = self._words[key]
        pattern = Pattern(self.level, self.field, (word,))
        return Description(pattern, tagged(self.role, word), self.role, (word,))

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts contain which words."""
        return columns_of(*self._present(piece), keys, piece.n_texts)

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """Every occurrence of the word, or of its forms."""
        if pattern.place != ANY_FORM:
            return row.phrases(pattern.field, pattern.words)
        text = row.get(pattern.field)
        if text is None or not has_lemmas(pattern.language):
            return None
        spans = [
            (start, end)
            for token, start, end in text.tokens
            if token.isalpha() and (lemma(token, pattern.language),) == pattern.words
        ]
        return {pattern.field: spans} if spans else None
