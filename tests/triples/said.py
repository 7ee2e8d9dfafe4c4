"""Sentences as triples and back, with the pipeline that comes with the package."""

from __future__ import annotations

from functools import cache

from longway.text.document import Document
from longway.text.english import english
from longway.triples.extract import triples_of


@cache
def read(text: str) -> Document:
    """The analysis of a text."""
    return english("longway").analyse(text)


def said(text: str) -> list[str]:
    """The triples of a text as they are written."""
    return [str(triple) for triple in triples_of(read(text))]
