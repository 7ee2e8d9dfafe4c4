"""Punctuation, casing, markup and digits: what is on the page besides the words."""

from __future__ import annotations

import numpy as np
import polars as pl
from scipy.sparse import csr_matrix

from longway.arrays import Ints
from longway.detect.detector import Description, Detector, Spans, TokenizedRow, tagged
from longway.detect.reading import CONTEXT, TEXT, Reading, ReadingPart
from longway.detect.surface_questions import QUESTIONS
from longway.records import Pattern

MAX_SHARE = 0.5  # of a text: a trait that covers more of it is at no particular place


class SurfaceDetector(Detector):
    """Does the raw text have this trait? The traits are in `surface_questions.py`."""

    level = "surface"
    roles = (TEXT, CONTEXT)

    def __init__(self, reading: Reading, role: str) -> None:
        super().__init__(reading, role)
        self.patterns = [
            Description(Pattern(self.level, self.field, place=name), tagged(role, f"<{family}>"), role)
            for family, name, _ in QUESTIONS
        ]

    def matrix(self, piece: ReadingPart, keys: Ints) -> csr_matrix:
        """Which texts have which trait."""
        bits = piece.flags[self.role][:, None] >> keys.astype(np.uint32)
        return csr_matrix((bits & 1).astype(np.int64))

    @staticmethod
    def where(row: TokenizedRow, pattern: Pattern) -> dict[str, Spans] | None:
        """The characters that match the trait's expression, if they are a small part of the text."""
        expression = next((expression for _, name, expression in QUESTIONS if name == pattern.place), None)
        column = row.get(pattern.field)
        if expression is None or column is None:
            return None
        text = pl.Series([column.text])
        if not text.str.contains(expression).item():
            return None
        spans, end = [], 0
        for part in text.str.extract_all(expression).item().to_list():
            start = column.text.index(part, end)
            end = start + len(part)
            if part.strip() and len(part) <= MAX_SHARE * len(column.text):
                spans.append((start, end))
        return {pattern.field: spans} if spans else {}
