"""Frozen word vectors and a small network on top: a convolution (Kim 2014), a recurrent network, or a mean. Needs torch.

    words  ->  vectors  ->  CNN over 3, 4 and 5 words, or GRU in both directions  ->  largest over the text  ->  linear head
                        ->  their mean, and a layer on it (a deep averaging network, Iyyer et al. 2015)   ->  linear head

The vectors are MiniLM's input embeddings, for a word of several pieces their mean: every word has one, seen in training or not.
A pair goes through the same network twice and becomes [u, v, |u - v|, u * v].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import ClassVar, Self

import numpy as np
import polars as pl
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from longway.classify.classifier import (
    Floats,
    FromLogits,
    Inputs,
    Labelled,
    Watch,
    label_names,
    read_about,
    targets_of,
    write_about,
)
from longway.classify.minilm import MiniLM, model_folder
from longway.classify.objectives import CrossEntropy, Objective
from longway.classify.saved import check_base, check_kind, folder_hash, load_arrays, save_arrays
from longway.classify.training import Plan, Task, arrays_of, device_named, train
from longway.classify.validation import parts
from longway.errors import SettingError
from longway.text.tokens import tokenize_column

WINDOWS = (3, 4, 5)
AT_ONCE = 256
Ids = list[list[int]]


class StaticNet(FromLogits):
    """A small network on frozen word vectors.

    kind: cnn, gru or dan. hidden: filters of each window, states of each direction, or units on the mean. max_words: of a text, the rest is cut.
    patience: epochs without a better validation result before it stops.
    """

    name: ClassVar[str] = "static"

    def __init__(
        self,
        kind: str = "cnn",
        *,
        hidden: int = 64,
        dropout: float = 0.5,
        learning_rate: float = 1e-3,
        epochs: int = 10,
        batch: int = 32,
        max_words: int = 256,
        patience: int = 3,
        device: str = "auto",
        seed: int = 0,
    ) -> None:
        if kind not in NETWORKS:
            raise SettingError(f"'kind' must be one of {', '.join(NETWORKS)}. Got {kind!r}.")
        self.kind, self.hidden, self.dropout = kind, hidden, dropout
        self.learning_rate, self.epochs, self.batch = learning_rate, epochs, batch
        self.max_words, self.patience, self.device, self.seed = max_words, patience, device, seed

    def fit(
        self,
        data: Labelled,
        *,
        objective: Objective | None = None,
        validation: Labelled | None = None,
        watch: Watch | None = None,
    ) -> Self:
        """Learn, and keep the state that was best on the validation rows: a tenth of the rows where none are given."""
        self.labels_ = label_names(data.labels)
        targets = targets_of(data.labels, self.labels_)
        self.pairs_ = data.inputs.contexts is not None
        rows, stop = parts(data, targets, validation, seed=self.seed)
        stop_targets = targets_of(stop.labels, self.labels_)
        read = self._read(data.inputs)
        plan = Plan(self.epochs, self.batch, self.learning_rate, patience=self.patience, seed=self.seed)
        with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
            torch.manual_seed(self.seed)
            self._build()
            task = Task(
                objective or CrossEntropy(targets),
                rows,
                [max(map(len, row)) for row in zip(*read, strict=True)],
                lambda some: self.network_(self._batch(read, some)),
                lambda: (self.logits(stop.inputs), stop_targets),
            )
            train(self.network_, task, plan, watch=watch)
        return self

    def logits(self, inputs: Inputs) -> Floats:
        """(n, labels): what softmax makes probabilities of."""
        read = self._read(inputs)
        found = np.zeros((len(inputs), len(self.labels_)))
        order = np.argsort([len(ids) for ids in read[0]], kind="stable")
        self.network_.eval()
        with torch.inference_mode():
            for start in range(0, len(order), AT_ONCE):
                some = order[start : start + AT_ONCE]
                found[some] = self.network_(self._batch(read, some)).cpu().double().numpy()
        return found

    def save(self, folder: Path) -> None:
        """Write the network, and which word vectors it is for."""
        save_arrays(folder, arrays_of(dict(self.network_.named_parameters())))
        names = (
            "kind", "hidden", "dropout", "learning_rate", "epochs", "batch", "max_words", "patience", "seed",
        )  # fmt: skip
        settings = {name: getattr(self, name) for name in names}
        about = {"model": self.name, "labels": self.labels_, "pairs": self.pairs_, "settings": settings}
        write_about(folder, about | {"base_hash": folder_hash(model_folder())})

    @classmethod
    def load(cls, folder: Path, *, device: str = "auto") -> Self:
        """The classifier that was saved there; an error where the word vectors are others now."""
        about, arrays = read_about(folder), load_arrays(folder)
        check_base("minilm", about["base_hash"], folder_hash(model_folder()))
        found = cls(**about["settings"], device=device)
        found.labels_, found.pairs_ = tuple(about["labels"]), about["pairs"]
        found._build()
        found.network_.load_state_dict({name: torch.from_numpy(array) for name, array in arrays.items()})
        return found

    @cached_property
    def _words(self) -> WordVectors:
        return WordVectors()

    def _build(self) -> None:
        make = NETWORKS[self.kind]
        network = _Network(make(self._words.width, self.hidden), len(self.labels_), self.dropout, self.pairs_)
        self.network_ = network.to(device_named(self.device))

    def _read(self, inputs: Inputs) -> list[Ids]:
        """Numbers of the words: of the texts, and of the contexts where rows are pairs."""
        check_kind(inputs, pairs=self.pairs_)
        columns = [inputs.texts] if inputs.contexts is None else [inputs.texts, inputs.contexts]
        return [self._words.numbers(column, max_words=self.max_words) for column in columns]

    def _batch(self, read: list[Ids], rows: NDArray[np.int64]) -> list[tuple[Tensor, Tensor]]:
        """For each column of the rows their vectors, filled up with zeros, and how many there are."""
        device = device_named(self.device)
        found = []
        for column in read:
            some = [column[i] for i in rows]
            lengths = torch.tensor([max(1, len(ids)) for ids in some])
            vectors = self._words.stacked(some)
            found.append((torch.from_numpy(vectors).to(device), lengths))
        return found


class WordVectors:
    """MiniLM's input embeddings, by word; scaled so that their numbers spread by 1."""

    def __init__(self) -> None:
        model = MiniLM.load()
        table = model.weights["embeddings.word_embeddings.weight"]
        self.table = table / table.std()
        self.tokenizer = model.tokenizer
        self.width = table.shape[1]
        self._number = {"": 0}  # stands for no word
        self._vectors = np.zeros((1, self.width), np.float32)

    def numbers(self, texts: Sequence[str], *, max_words: int) -> Ids:
        """The words of each text as numbers of their vectors."""
        column = tokenize_column(pl.Series(texts, dtype=pl.String)).list.head(max_words)
        words: list[list[str]] = column.to_list()
        self._add(list(dict.fromkeys(w for found in words for w in found if w not in self._number)))
        return [[self._number[word] for word in found] for found in words]

    def stacked(self, texts: Ids) -> NDArray[np.float32]:
        """(texts, longest, width), zeros where a text has ended."""
        numbers = np.zeros((len(texts), max(1, *map(len, texts))), np.int64)
        for i, ids in enumerate(texts):
            numbers[i, : len(ids)] = ids
        return self._vectors[numbers]

    def _add(self, words: list[str]) -> None:
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()
        new = np.zeros((len(words), self.width), np.float32)
        for i, read in enumerate(self.tokenizer.encode_batch(words, add_special_tokens=False)):
            if read.ids:
                new[i] = self.table[read.ids].mean(axis=0)
        self._number.update({word: len(self._number) + i for i, word in enumerate(words)})
        self._vectors = np.concatenate([self._vectors, new])


class _Cnn(nn.Module):
    """Filters over some words at a time, the strongest answer of each."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.windows = nn.ModuleList(nn.Conv1d(width, hidden, size, padding=size - 1) for size in WINDOWS)
        self.width = hidden * len(WINDOWS)

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        turned = vectors.transpose(1, 2)  # (batch, width, words)
        places = torch.arange(vectors.shape[1] + max(WINDOWS), device=vectors.device)
        found = []
        for window, size in zip(self.windows, WINDOWS, strict=True):
            answers = torch.relu(window(turned))  # (batch, hidden, words + size - 1)
            # Windows that hold none of the text's words would make a row's result depend on what it is batched with.
            inside = places[: answers.shape[2]] < (lengths.to(vectors.device) + size - 1)[:, None]
            found.append(answers.masked_fill(~inside[:, None], 0).amax(dim=2))
        return torch.cat(found, dim=1)


class _Gru(nn.Module):
    """A recurrent network in both directions, the largest state over the text."""

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
    """The mean of a text's vectors, and one layer on it: the order of words says nothing."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.layer = nn.Linear(width, hidden)
        self.width = hidden

    def forward(self, vectors: Tensor, lengths: Tensor) -> Tensor:
        mean = vectors.sum(dim=1) / lengths.to(vectors.device)[:, None]
        return torch.relu(self.layer(mean))


_Encoder = _Cnn | _Gru | _Dan
NETWORKS: dict[str, type[_Cnn] | type[_Gru] | type[_Dan]] = {"cnn": _Cnn, "gru": _Gru, "dan": _Dan}


class _Network(nn.Module):
    def __init__(self, encoder: _Encoder, n_labels: int, dropout: float, pairs: bool) -> None:
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
