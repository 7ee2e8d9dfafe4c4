"""Other contexts: a text beside the context of another row, where a model says with what label the two go together.

No text is written, so everything stays natural. Contexts that share rare words with a text are tried, and a pair is proposed if the model is sure
of a label that the text does not have so far. The text then occurs with several labels, and only its context can tell which is right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.methods.additions import Proposal
from longway.methods.method import Rows
from longway.task import Stance
from longway.text.tokenizer import is_word, tokenize

TRIED = 4  # contexts for each text
LEAST_ALIKE = 0.15  # cosine of a text and a context that is tried
SURE: dict[Stance, float] = {"entails": 0.85, "contradicts": 0.9, "neutral": 0.7}
STANCES: tuple[Stance, ...] = ("entails", "contradicts", "neutral")


class Judge(Protocol):
    """Says how a context relates to a text."""

    def __call__(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.floating]:
        """For each (context, text) the probabilities of `STANCES`."""
        ...


class OtherContexts:
    """Proposes texts beside other contexts; for data with labels that entail, contradict and are neutral."""

    engine = "rules"

    def __init__(self, rows: Rows, judge: Judge) -> None:
        self.rows, self.judge = rows, judge
        self.labels = {stance: label for label, stance in rows.task.stances.items()}
        self._contexts = list(dict.fromkeys(rows.contexts or ()))
        words: dict[str, int] = {}
        self._texts = _vectors(rows.texts, words)
        contexts = _vectors(self._contexts, words)
        width = len(words)
        self._texts, contexts = (
            csr_matrix((m.data, m.indices, m.indptr), (m.shape[0], width)) for m in (self._texts, contexts)
        )
        weight = np.log((len(self._contexts) + 1) / (np.asarray((contexts > 0).sum(axis=0)).ravel() + 1)) + 1
        self._texts, self._by_word = (
            _unit(self._texts.multiply(weight)),
            _unit(contexts.multiply(weight)).T.tocsr(),
        )

    def propose(self, rows: Sequence[int]) -> Iterator[list[Proposal]]:
        """The proposals for each row, in order."""
        for start in range(0, len(rows), 256):
            part = rows[start : start + 256]
            tried = [self._tried(row) for row in part]
            pairs = [
                (context, self.rows.texts[row])
                for row, some in zip(part, tried, strict=True)
                for context in some
            ]
            answers = iter(self.judge(pairs)) if pairs else iter(())
            for row, some in zip(part, tried, strict=True):
                yield [
                    one
                    for context in some
                    if (one := self._proposal(row, context, next(answers))) is not None
                ]

    def _tried(self, row: int) -> list[str]:
        likeness = csr_matrix(self._texts[row] @ self._by_word)
        best = np.argsort(-likeness.data, kind="stable")[:TRIED]
        own = self.rows.context(row)
        found = [self._contexts[likeness.indices[i]] for i in best if likeness.data[i] > LEAST_ALIKE]
        return [context for context in found if context != own]

    def _proposal(self, row: int, context: str, answer: NDArray[np.floating]) -> Proposal | None:
        stance = STANCES[int(np.argmax(answer))]
        label = self.labels.get(stance)
        if label is None or label == self.rows.label(row) or answer.max() < SURE[stance]:
            return None
        return Proposal(row, self.rows.texts[row], label, context, how="other context")


def _vectors(texts: Sequence[str], words: dict[str, int]) -> csr_matrix:
    """Which words each text has; words that are new get the next number."""
    indices: list[int] = []
    ends = [0]
    for text in texts:
        indices += sorted({words.setdefault(word, len(words)) for word in tokenize(text) if is_word(word)})
        ends.append(len(indices))
    return csr_matrix((np.ones(len(indices)), indices, ends), shape=(len(texts), len(words)))


def _unit(matrix: csr_matrix) -> csr_matrix:
    rows = csr_matrix(matrix)
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return csr_matrix(rows.multiply(1 / np.maximum(lengths, 1e-9)[:, None]))
