"""Other contexts: a text beside the context of another row, where a model says with what label the two go together.

No text is written, so everything stays natural. Contexts that share rare words with a text are tried, and a pair is proposed if the model is sure
of a label that the text does not have so far. The text then occurs with several labels, and only its context can tell which is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from longway.methods.loop import Draft, new_row
from longway.methods.method import Rows
from longway.task import Stance
from longway.text.tokenizer import Tokenizer, is_word

TRIED = 4  # contexts for each text
LEAST_ALIKE = 0.15  # cosine of a text and a context that is tried
SURE: dict[Stance, float] = {"entails": 0.85, "contradicts": 0.9, "neutral": 0.7}
STANCES: tuple[Stance, ...] = ("entails", "contradicts", "neutral")


# For each (context, text) the probabilities of `STANCES`.
Judge = Callable[[Sequence[tuple[str, str]]], NDArray[np.floating]]


class OtherContexts:
    """Proposes texts beside other contexts; for data with labels that entail, contradict and are neutral."""

    def __init__(self, rows: Rows, judge: Judge) -> None:
        self.rows, self.judge = rows, judge
        self.labels = {stance: label for label, stance in rows.task.stances.items()}
        self._contexts = list(dict.fromkeys(rows.contexts or ()))
        n_texts = len(rows.texts)
        table = _vectors([*rows.texts, *self._contexts], rows.tokenizer)
        self._texts, contexts = csr_matrix(table[:n_texts]), csr_matrix(table[n_texts:])
        weight = np.log((len(self._contexts) + 1) / (np.asarray((contexts > 0).sum(axis=0)).ravel() + 1)) + 1
        self._texts, self._by_word = (
            _unit(self._texts.multiply(weight)),
            _unit(contexts.multiply(weight)).T.tocsr(),
        )

    def propose(self, rows: Sequence[int]) -> Iterator[Draft]:
        """The drafts for some rows."""
        pairs = [(row, context) for row in rows for context in self._tried(row)]
        if not pairs:
            return
        answers = self.judge([(context, self.rows.texts[row]) for row, context in pairs])
        for (row, context), answer in zip(pairs, answers, strict=True):
            stance = STANCES[int(np.argmax(answer))]
            label = self.labels.get(stance)
            if label not in (None, self.rows.label(row)) and answer.max() >= SURE[stance]:
                text = self.rows.texts[row]
                yield new_row(self.rows, row, text, label, context=context, how="other context")

    def _tried(self, row: int) -> list[str]:
        likeness = csr_matrix(self._texts[row] @ self._by_word)
        best = np.argsort(-likeness.data, kind="stable")[:TRIED]
        own = self.rows.context(row)
        found = [self._contexts[likeness.indices[i]] for i in best if likeness.data[i] > LEAST_ALIKE]
        return [context for context in found if context != own]


def _vectors(texts: Sequence[str], tokenizer: Tokenizer) -> csr_matrix:
    """Which words each text has."""
    words: dict[str, int] = {}
    indices: list[int] = []
    ends = [0]
    for text in texts:
        indices += sorted(
            {words.setdefault(word, len(words)) for word in tokenizer.tokens(text) if is_word(word)}
        )
        ends.append(len(indices))
    return csr_matrix((np.ones(len(indices)), indices, ends), shape=(len(texts), len(words)))


def _unit(matrix: csr_matrix) -> csr_matrix:
    rows = csr_matrix(matrix)
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return csr_matrix(rows.multiply(1 / np.maximum(lengths, 1e-9)[:, None]))
