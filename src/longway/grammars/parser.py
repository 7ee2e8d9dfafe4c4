"""A trained grammar: parses texts, computes their likelihood, and is saved as two files.

grammar.safetensors   the networks' weights
grammar.json          kind, sizes, words, and how it was trained
"""

from __future__ import annotations

import gc
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
import torch

from longway.errors import DataError
from longway.grammars.backtrace import backtrace
from longway.grammars.minibatch import PARSING, Pair, PairBatch, batches, leaves_on_device
from longway.grammars.model import GRAMMARS, NeuralGrammar
from longway.grammars.partition import log_partition, tree_chart
from longway.grammars.semiring import MaxSemiring, SampleSemiring, Semiring
from longway.grammars.trees import Tree
from longway.grammars.vocabulary import GrammarVocabulary

# the words of both texts; the second is empty for sentences
Texts = Sequence[tuple[Sequence[str], Sequence[str]]]

FORMAT = 1
_NO_TREE = Tree(-1)
_WEIGHTS, _ABOUT = "grammar.safetensors", "grammar.json"


@dataclass(frozen=True, slots=True)
class TrainingRecord:
    """How a grammar was trained. history: epoch and held-out nats per word of each check."""

    settings: dict[str, object] = field(default_factory=dict)
    texts: int = 0
    held_out_texts: int = 0
    epochs: int = 0
    held_out_nats_per_word: float = float("nan")
    history: list[dict[str, float]] = field(default_factory=list)


class Grammar:
    """A trained grammar."""

    def __init__(
        self, model: NeuralGrammar, vocabulary: GrammarVocabulary, *, trained: TrainingRecord | None = None
    ) -> None:
        self.model, self.vocabulary = model, vocabulary
        self.trained = trained or TrainingRecord()

    @property
    def kind(self) -> str:
        """ "sentence" or "pair"."""
        return self.model.kind

    @property
    def nonterminals(self) -> int:
        """The number of nonterminals; preterminals are numbered after them."""
        return self.model.sizes["nonterminals"]

    @property
    def device(self) -> torch.device:
        """Where it computes."""
        return next(self.model.parameters()).device

    def parse(self, texts: Texts, *, progress: Callable[[int], None] | None = None) -> list[Tree]:
        """The most likely tree of each text or pair, in order.

        progress: called with the number of newly parsed texts.
        """
        return self._trees(texts, MaxSemiring(), progress)

    def draw(self, texts: Texts, *, seed: int = 0) -> list[Tree]:
        """One tree of each text or pair, drawn by its probability given the text."""
        return self._trees(texts, SampleSemiring(torch.Generator(self.device).manual_seed(seed)), None)

    def log_likelihood(self, texts: Texts) -> np.ndarray:
        """The log probability of each text or pair, summed over all its trees, in nats."""
        result = np.empty(len(texts))
        with torch.no_grad():
            rules = self.model.rules()
            for batch in self._batches(texts):
                leaves, lengths, shape = leaves_on_device(self.model, batch)
                logs = log_partition(rules, leaves, lengths, shape)
                result[batch.rows] = logs.double().cpu().numpy()
        return result

    def _trees(self, texts: Texts, semiring: Semiring, progress: Callable[[int], None] | None) -> list[Tree]:
        by_row: list[Tree | None] = [None] * len(texts)
        waiting: list[tuple[PairBatch, Future[list[tuple[int, Tree]]]]] = []
        with torch.no_grad(), _without_garbage_collection(), ThreadPoolExecutor(1) as builder:
            rules = self.model.rules()
            for batch in self._batches(texts):
                leaves, lengths, shape = leaves_on_device(self.model, batch)
                chart = tree_chart(semiring, rules, leaves, lengths, shape)
                nodes = backtrace(semiring, rules, leaves, lengths, shape, chart).cpu().numpy()
                known = [tuple(map(self.vocabulary.known, texts[row])) for row in batch.rows]
                # while the device computes the next chart
                waiting.append((batch, builder.submit(_built, nodes, known, self.nonterminals)))
                if progress:
                    progress(len(batch.rows))
            for batch, built in waiting:
                for item, tree in built.result():
                    by_row[batch.rows[item]] = tree
        trees = [tree for tree in by_row if tree is not None]
        assert len(trees) == len(texts)
        return trees

    def _batches(self, texts: Texts) -> list[PairBatch]:
        pairs = word_ids(texts, self.vocabulary, self.kind)
        return batches(pairs, PARSING[self.device.type])

    def save(self, folder: Path) -> None:
        """Write the two files, grammar.json last."""
        from safetensors.torch import save_file

        folder.mkdir(parents=True, exist_ok=True)
        weights = {
            name: tensor.detach().cpu().contiguous() for name, tensor in self.model.state_dict().items()
        }
        about = {
            "format": FORMAT, "kind": self.kind, "sizes": self.model.sizes, "trained": asdict(self.trained),
            "words": self.vocabulary.words,
        }  # fmt: skip
        save_file(weights, folder / (_WEIGHTS + ".part"))
        (folder / (_WEIGHTS + ".part")).replace(folder / _WEIGHTS)
        (folder / (_ABOUT + ".part")).write_text(json.dumps(about, ensure_ascii=False), encoding="utf-8")
        (folder / (_ABOUT + ".part")).replace(folder / _ABOUT)

    @classmethod
    def load(cls, folder: Path, *, device: str = "cpu") -> Grammar:
        """Read the grammar saved in this folder."""
        from safetensors import SafetensorError
        from safetensors.torch import load_file

        try:
            about = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))
            model = GRAMMARS[about["kind"]](**about["sizes"])
            model.load_state_dict(load_file(folder / _WEIGHTS))
            if about["format"] != FORMAT:
                raise ValueError(f"format {about['format']}")
            vocabulary = GrammarVocabulary(tuple(about["words"]))
            return cls(model.to(device), vocabulary, trained=TrainingRecord(**about["trained"]))
        except (OSError, ValueError, KeyError, TypeError, RuntimeError, SafetensorError) as error:
            raise DataError(
                f"No grammar can be read from {folder}: {str(error).splitlines()[0]}. Expected {_ABOUT} and {_WEIGHTS} of format {FORMAT}, "
                "as written by 'longway grammar'. Use the folder of such a run, or induce the grammar again."
            ) from error


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Trees have no reference cycles, and searching for some takes four times as long as building the trees."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def word_ids(texts: Texts, vocabulary: GrammarVocabulary, kind: str) -> list[Pair]:
    """The texts as word ids.

    Raises DataError for a text without words, or a second text for a grammar of sentences.
    """
    for i, (first, second) in enumerate(texts):
        if not (len(first) or len(second)):
            raise DataError(f"Text {i} has no word, and a tree needs at least one. Leave such texts out.")
        if kind == "sentence" and len(second):
            raise DataError(
                f"Text {i} is a pair, but this is a grammar of single sentences. Pass one text each."
            )
    return [(vocabulary.ids(first), vocabulary.ids(second)) for first, second in texts]


def _built(
    nodes: np.ndarray, known: Sequence[tuple[list[str], ...]], nonterminals: int
) -> list[tuple[int, Tree]]:
    """The trees of a batch from the rows of `backtrace`, in which parents come before their parts.

    Equal leaves are the same object: a tree does not change, and half of all nodes are leaves.
    """
    made: list[Tree] = [_NO_TREE] * len(nodes)
    lefts = [0] * len(nodes)  # for each node its left part, directly before its right part
    leaves: dict[tuple[int, str, str], Tree] = {}
    roots: list[tuple[int, Tree]] = []
    rows = nodes.tolist()
    for number in range(len(rows) - 1, -1, -1):
        item, i, wa, k, wb, symbol, parent = rows[number]
        if symbol < nonterminals:
            left = lefts[number]
            tree = Tree(symbol, (made[left], made[left + 1]))
        else:
            first, second = known[item]
            words = (first[i] if wa else "", second[k] if wb else "")
            key = (symbol, *words)
            tree = leaves.get(key) or leaves.setdefault(key, Tree(symbol, None, words))
        made[number] = tree
        if parent < 0:
            roots.append((item, tree))
        else:
            lefts[parent] = number  # the right part first, then the left one
    return roots
