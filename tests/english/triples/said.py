"""Sentences as triples and back, with the pipeline that comes with the package."""

from __future__ import annotations

from functools import cache

from longway.english.document import Document
from longway.english.pipeline import load_pipeline
from longway.english.triples.extract import triples_of


@cache
def read(text: str) -> Document:
    """The analysis of a text."""
    return load_pipeline().analyse(text)


def said(text: str) -> list[str]:
    """The triples of a text as they are written."""
    return [str(triple) for triple in triples_of(read(text))]
