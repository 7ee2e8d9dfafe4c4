"""Analysed sentences written by hand, and the real pipeline for tests that need it."""

from __future__ import annotations

import os

import pytest

from longway.english.document import Document, Word
from longway.english.pipeline import MODEL_PATH, load_pipeline

UPOS = {
    "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN", "PRP": "PRON", "PRP$": "PRON", "WP": "PRON", "DT": "DET",
    "WDT": "PRON", "JJ": "ADJ", "RB": "ADV", "WRB": "ADV", "IN": "ADP", "TO": "PART", "CC": "CCONJ", "CD": "NUM", "MD": "AUX",
    "VB": "VERB", "VBZ": "VERB", "VBP": "VERB", "VBD": "VERB", "VBN": "VERB", "VBG": "VERB", "POS": "PART", "UH": "INTJ",
    ".": "PUNCT", ",": "PUNCT", ":": "PUNCT", "``": "PUNCT", "''": "PUNCT", "FW": "X", "AUX": "AUX",
}  # fmt: skip


def document_of(annotated: str) -> Document:
    """A document of one sentence from "He|PRP|nsubj|1 sings|VBZ ~.|."; ~ joins a word to the one before it.

    A word without a head depends on the first word without one, the root.
    """
    parts = [item.removeprefix("~").split("|") for item in annotated.split()]
    glued = [item.startswith("~") for item in annotated.split()]
    root = next(i for i, part in enumerate(parts) if len(part) < 4)
    text, words = "", []
    for index, (form, tag, *rest) in enumerate(parts):
        text += "" if index == 0 or glued[index] else " "
        dep, head = (rest[0], int(rest[1])) if len(rest) == 2 else ("root" if index == root else "dep", root)
        start = len(text)
        text += form
        upos = "AUX" if rest and rest[0] in ("aux", "cop", "aux:pass") else UPOS[tag]
        words.append(Word(index, start, len(text), form, form.lower(), upos, tag, "", head, dep))
    return Document(text, tuple(words), ((0, len(words)),))


def pipeline():
    """The pipeline that comes with the package, or the one that LONGWAY_TEST_MODEL names; else the test is skipped."""
    pytest.importorskip("spacy")
    pytest.importorskip("lemminflect")
    return load_pipeline(os.environ.get("LONGWAY_TEST_MODEL", MODEL_PATH))
