"""Analyses of a dataset's texts: on disk, since they take far more room than the texts, and a part of them in memory.

    documents = Documents(folder / "analyses.sqlite")
    documents.all(texts)           one Document for each, in order; known ones come from the file
    documents.at_hand(some)        those that are needed next
    documents("She left.")         one of them

What was analysed before a run was stopped is in the file when it goes on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from longway.english.document import Document
from longway.english.pipeline import EnglishPipeline, load_pipeline
from longway.shard_map import ShardMap

ANALYSES_FILE = "analyses.sqlite"


class Documents:
    """Analyses by the package's pipeline.

    cache: the file they are kept in; None keeps none. shard_map: computes those that are missing in other processes.
    """

    def __init__(self, cache: Path | None, *, shard_map: ShardMap | None = None) -> None:
        self._cache, self._shard_map = cache, shard_map
        self._english: EnglishPipeline = load_pipeline()
        self._near: dict[str, Document] = {}

    def all(self, texts: Iterable[str]) -> Iterator[Document]:
        """One document for each text, in order, as soon as it is ready."""
        return self._english.analyse_all(texts, cache=self._cache, shard_map=self._shard_map)

    def at_hand(self, texts: Iterable[str]) -> None:
        """Have the documents of these texts in memory, and no others."""
        self._near = {document.text: document for document in self.all(texts)}

    def __call__(self, text: str) -> Document:
        """The document of a text."""
        return self._near.get(text) or self._english.analyse(text)

    def forget(self) -> None:
        """Delete the file: when all is done it is of no more use."""
        self._near.clear()
        if self._cache is not None:
            for path in self._cache.parent.glob(f"{self._cache.name}*"):
                path.unlink(missing_ok=True)
