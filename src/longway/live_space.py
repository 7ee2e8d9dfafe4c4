"""A shortcut space that stays exact while documents are replaced, without rescoring the rest.

RAZOR's loop (Algorithm 1) swaps one document after another for its rewrite. A swap changes the document
itself and the document frequency of the words that came or went; through Eq. 7 that moves every document
that holds one of *those* words, and no other. So `replace` takes just these out of the label sums, updates the
frequencies, and puts them back in; all gammas then follow from the sums.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from longway.shortcut_space import ShortcutSpace, Variant
from longway.text.corpus import Block, Corpus
from longway.text.tokens import tokenize


class LiveSpace:
    """The shortcut space of a dataset that is being rewritten.

    >>> live = LiveSpace(["not a hit", "not a film", "a hit", "a film"], [0, 0, 1, 1], variant="token")
    >>> before = live.gamma([0])[0]
    >>> live.replace({0: "no hit"})
    >>> bool(live.gamma([1])[0] == before)
    False
    """

    def __init__(
        self, texts: Sequence[str], labels: Sequence[int], *, variant: Variant = "mean", dimensions: int = 64
    ) -> None:
        corpus = Corpus.from_texts(texts)
        self.labels = np.asarray(labels, dtype=np.int64)
        self.space = ShortcutSpace(variant=variant, dimensions=dimensions).fit(corpus, self.labels)
        self._vocabulary = corpus.vocabulary
        self._codes = [c for block in corpus.blocks() for c in np.split(block.codes, block.offsets[1:-1])]
        self._frequency = self.space.document_frequency_.copy()
        self._documents_with: defaultdict[int, set[int]] = defaultdict(set)
        for row, codes in enumerate(self._codes):
            self._index(row, codes)

    def __len__(self) -> int:
        return len(self._codes)

    def gamma(self, rows: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Eq. 12 for the given rows, or for all, as the dataset stands now."""
        chosen = np.arange(len(self)) if rows is None else np.asarray(rows, dtype=np.int64)
        return self.space.gamma(self._block([self._codes[i] for i in chosen]), self.labels[chosen])

    def score(self, candidates: Sequence[str], label: int) -> NDArray[np.float64]:
        """Eq. 12 for texts that are not in the dataset, as if they carried the label (Algorithm 1, line 15).

        Document frequencies are those of the dataset as it stands: what the text that would go makes of them is not
        foreseen, so that the gamma after `replace` can differ a little.
        """
        codes = [self._encode(text) for text in candidates]
        self._set_frequencies(codes)
        return self.space.gamma(self._block(codes), np.full(len(codes), label))

    def replace(self, texts: Mapping[int, str]) -> None:
        """Put new texts in place of the given rows and bring counts and means up to date."""
        new = {row: self._encode(text) for row, text in texts.items()}
        before = {row: set(self._codes[row].tolist()) for row in new}
        changed = self._frequency_changes(before, new)
        touched = sorted(set(new).union(*(self._documents_with[w] for w in changed)))
        self._add(touched, sign=-1)
        for row, codes in new.items():
            for word in before[row]:
                self._documents_with[word].discard(row)
            self._codes[row] = codes
            self._index(row, codes)
        self._frequency = np.pad(self._frequency, (0, len(self._vocabulary) - len(self._frequency)))
        for word in changed:
            self._frequency[word] = len(self._documents_with[word])
        self._set_frequencies(list(new.values()))
        self._add(touched, sign=1)

    def _frequency_changes(
        self, before: dict[int, set[int]], new: Mapping[int, NDArray[np.int32]]
    ) -> list[int]:
        """Words that stand in more or fewer documents once the new texts are in."""
        difference: defaultdict[int, int] = defaultdict(int)
        for row, codes in new.items():
            for word in set(codes.tolist()):
                difference[word] += 1
            for word in before[row]:
                difference[word] -= 1
        return [word for word, change in difference.items() if change]

    def _add(self, rows: Sequence[int], *, sign: int) -> None:
        self.space.add(self._block([self._codes[i] for i in rows]), self.labels[list(rows)], sign=sign)

    def _index(self, row: int, codes: NDArray[np.int32]) -> None:
        for word in set(codes.tolist()):
            self._documents_with[word].add(row)

    def _encode(self, text: str) -> NDArray[np.int32]:
        return self._vocabulary.add(tokenize(text))

    def _set_frequencies(self, coming: list[NDArray[np.int32]]) -> None:
        self._frequency = np.pad(self._frequency, (0, len(self._vocabulary) - len(self._frequency)))
        self.space.set_frequencies(self._frequency.copy(), max((len(c) for c in coming), default=0))

    @staticmethod
    def _block(codes: list[NDArray[np.int32]]) -> Block:
        flat = np.concatenate([np.zeros(0, dtype=np.int32), *codes])
        return Block(flat, np.concatenate([[0], np.cumsum([len(c) for c in codes])]).astype(np.int64))
