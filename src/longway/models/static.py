"""Frozen word vectors with a small network: a convolution (Kim 2014), a recurrent network, or a mean. Needs torch.

    words  ->  vectors  ->  CNN over 3, 4 and 5 words, or bidirectional GRU  ->  maximum over the text  ->  linear head
                        ->  their mean, and a layer on it (a deep averaging network, Iyyer et al. 2015)   ->  linear head

The vectors are MiniLM's input embeddings, for a word of several pieces their mean, so every word has one, seen in training or
not. A pair goes through the same network twice and becomes [u, v, |u - v|, u * v].
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from longway.models.classifier import Inputs, Ints
from longway.models.minilm import MiniLM, model_folder
from longway.models.network_training import NetworkClassifier, device_named
from longway.models.saved import folder_hash
from longway.text.tokenizer import PLAIN, Tokenizer

WINDOWS = (3, 4, 5)
AT_ONCE = 256
Ids = list[list[int]]
Columns = list[Ids]  # word numbers of the texts, and of the contexts if rows are pairs


@dataclass(eq=False)
class StaticNet(NetworkClassifier[Columns]):
    """A small network on frozen word vectors.

    kind: cnn, gru or dan. hidden: filters per window, states per direction, or units on the mean. max_words: per text, the
    rest is cut. patience: epochs without a better validation result before training stops.
    """

    name: ClassVar[str] = "static"

    kind: str = "cnn"
    _: KW_ONLY
    hidden: int = 64
    dropout: float = 0.5
    learning_rate: float = 1e-3
    epochs: int = 10
    batch: int = 32
    max_words: int = 256
    patience: int = 3
    device: str = "auto"
    seed: int = 0

    @cached_property
    def _words(self) -> WordVectors:
        return WordVectors()

    def _build(self) -> None:
        body = NETWORKS[self.kind](self._words.width, self.hidden)
        network = _StaticNetwork(body, len(self.labels_), self.dropout, self.pairs_)
        self.network_: _StaticNetwork = network.to(device_named(self.device))

    def _base(self) -> tuple[str, str]:
        return "minilm", folder_hash(model_folder())

    def _read(self, inputs: Inputs) -> Columns:
        columns = [inputs.texts] if inputs.contexts is None else [inputs.texts, inputs.contexts]
        return [
            self._words.numbers(column, max_words=self.max_words, tokenizer=inputs.tokenizer)
            for column in columns
        ]

    def _lengths(self, read: Columns) -> list[int]:
        return [max(map(len, row)) for row in zip(*read, strict=True)]

    def _batches(self, read: Columns) -> Iterator[Ints]:
        order = np.argsort([len(ids) for ids in read[0]], kind="stable")
        return (order[start : start + AT_ONCE] for start in range(0, len(order), AT_ONCE))

    def _forward(self, read: Columns, rows: Ints) -> Tensor:
        """The logits of some rows, from each column's vectors, padded with zeros, and their number."""
        device = device_named(self.device)
        columns = []
        for column in read:
            texts = [column[i] for i in rows]
            lengths = torch.tensor([max(1, len(ids)) for ids in texts])
            columns.append((torch.from_numpy(self._words.stacked(texts)).to(device), lengths))
        logits: Tensor = self.network_(columns)
        return logits


class WordVectors:
    """MiniLM's input embeddings by word, scaled to a standard deviation of 1."""

    def __init__(self) -> None:
        model = MiniLM.load()
        table = model.weights["embeddings.word_embeddings.weight"]
        self.table = table / table.std()
        self.tokenizer = model.tokenizer
        self.width = table.shape[1]
        self._number = {"": 0}  # padding
        self._vectors = np.zeros((1, self.width), np.float32)

    def numbers(self, texts: Sequence[str], *, max_words: int, tokenizer: Tokenizer = PLAIN) -> Ids:
        """The words of each text as numbers of their vectors."""
        words = [tokens[:max_words] for tokens in tokenizer.lists(texts)]
        self._add(list(dict.fromkeys(w for text in words for w in text if w not in self._number)))
        return [[self._number[word] for word in text] for text in words]

    def stacked(self, texts: Ids) -> NDArray[np.float32]:
        """(texts, longest, width), zeros after a text's end."""
        numbers = np.zeros((len(texts), max(1, *map(len, texts))), np.int64)
        for i, ids in enumerate(texts):
            numbers[i, : len(ids)] = ids
        return self._vectors[numbers]

    def _add(self, words: list[str]) -> None:
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        new = np.zeros((len(words), self.width), np.float32)
        for i, encoded in enumerate(self.tokenizer.encode_batch(words, add_special_tokens=False)):
            if encoded.ids:
                new[i] = self.table[encoded.ids].mean(axis=0)
        self._number.update({word: len(self._number) + i for i, word in enumerate(words)})
        self._vectors = np.concatenate([self._vectors, new])


class _Cnn(nn.Module):
    """Filters over windows of words, the maximum of each over the text."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.windows = nn.ModuleList(nn.Conv1d(width, hidden, size, padding=size - 1) for size in WINDOWS)
        self.width = hidden * len(WINDOWS)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        transposed = vectors.transpose(1, 2)  # (batch, width, words)
        positions = torch.arange(vectors.shape[1] + max(WINDOWS), device=vectors.device)
        maxima = []
        for window, size in zip(self.windows, WINDOWS, strict=True):
            values = torch.relu(window(transposed))  # (batch, hidden, words + size - 1)
            # Windows without any word of the text would make a row's result depend on its batch.
            inside = positions[: values.shape[2]] < (lengths.to(vectors.device) + size - 1)[:, None]
            maxima.append(values.masked_fill(~inside[:, None], 0).amax(dim=2))
        return torch.cat(maxima, dim=1)


class _Gru(nn.Module):
    """A bidirectional recurrent network, the maximum of its states over the text."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.gru = nn.GRU(width, hidden, batch_first=True, bidirectional=True)
        self.width = 2 * hidden

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        packed = nn.utils.rnn.pack_padded_sequence(vectors, lengths, batch_first=True, enforce_sorted=False)
        states, _ = nn.utils.rnn.pad_packed_sequence(
            self.gru(packed)[0], batch_first=True, padding_value=float("-inf")
        )
        return states.amax(dim=1)


class _Dan(nn.Module):
    """The mean of a text's vectors, and one layer on it; ignores word order."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, hidden)
        self.width = hidden

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        mean = vectors.sum(dim=1) / lengths.to(vectors.device)[:, None]
        return torch.relu(self.layer(mean))


NETWORKS: dict[str, type[_Cnn] | type[_Gru] | type[_Dan]] = {"cnn": _Cnn, "gru": _Gru, "dan": _Dan}


class _StaticNetwork(nn.Module):
    def __init__(self, encoder: _Cnn | _Gru | _Dan, n_labels: int, dropout: float, pairs: bool) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.head = nn.Linear(encoder.width * (4 if pairs else 1), n_labels)

    def forward(self, columns: list[tuple[Tensor, Tensor]]) -> Tensor:
        vectors = [self.encoder(*column) for column in columns]
        if len(vectors) == 2:
            u, v = vectors
            vectors += [(u - v).abs(), u * v]
        logits: Tensor = self.head(self.dropout(torch.cat(vectors, dim=1)))
        return logits
