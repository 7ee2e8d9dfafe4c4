"""Settings of `longway grammar`: the paper's sizes by default on a GPU, smaller ones on a CPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from longway.errors import SettingError
from longway.jobs.options import check_options, option

Device = Literal["auto", "cpu", "cuda"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size of a grammar and of its training. texts: sentences or pairs to learn from, at most; None for all."""

    nonterminals: int
    preterminals: int
    dimension: int
    epochs: int
    texts: int | None


# By device and whether the rows are pairs. On a CPU a pair takes some hundred times as long as on a GPU.
SIZES = {
    ("cuda", False): Sizes(32, 64, 256, 40, None),
    ("cuda", True): Sizes(32, 64, 256, 10, None),
    ("cpu", False): Sizes(16, 32, 128, 8, 4000),
    ("cpu", True): Sizes(16, 32, 128, 5, 1000),
}


# Fewer rows than these: at most so many symbols. The phrases of a few rows spread over many symbols are kinds that nothing can be said about.
SYMBOLS = {500: (4, 12), 3_000: (8, 24), 12_000: (16, 32)}
MOST_EPOCHS = 40  # over few rows, which take more passes for as many steps


def classifier_named(name: str) -> str | None:
    """The classifier of the command line; None for "none"."""
    return None if name == "none" else name


def labels_named(text: str) -> dict[str, str]:
    """The label for each of entailment, neutral and contradiction.

    >>> labels_named("entailment=0, neutral=1, contradiction=2")
    {'entailment': '0', 'neutral': '1', 'contradiction': '2'}
    """
    parts = [part.partition("=") for part in text.split(",")]
    return {name.strip(): label.strip() for name, _, label in parts}


@dataclass(frozen=True, slots=True)
class GrammarSettings:
    """The grammar to learn, and what to do with it.

    nonterminals: Symbols that expand to two others. Default: 4 below 500 rows, 8 below 3,000, 16 below 12,000 and on a CPU, else 32.
    preterminals: Symbols that expand to words. Default: 12, 24, 32 and 64 for as many rows.
    dimension: Width of the networks. Default: 256 on a GPU, 128 on a CPU.
    epochs: Passes over the texts, at most; training stops early if held-out texts do not become more likely. Default: 10 for pairs and 40
        for sentences on a GPU, 5 and 8 on a CPU, and more for few rows.
    limit: Rows to learn from, balanced over labels. Default: all on a GPU; on a CPU rows with 1000 pairs or 4000 sentences.
    classifier: Classifier to test with and against each phrase: a model as for `longway explain`, or none.
    contrast: Also generate contrast examples from held-out pairs and test the classifier on them. Needs labels for entailment,
        contradiction and neutral, and the extra `rules`.
    contrast_labels: Which labels these are, if their names do not say: entailment=0,neutral=1,contradiction=2. Implies --contrast.
    max_q: False discovery rate of findings.
    seed: Seed of the sample and the networks.
    device: auto (a GPU if there is one), cpu or cuda.
    """

    nonterminals: int | None = option(None, at_least=1, advanced=True)
    preterminals: int | None = option(None, at_least=1, advanced=True)
    dimension: int | None = option(None, at_least=1, advanced=True)
    epochs: int | None = option(None, at_least=1)
    limit: int | None = option(None, at_least=1)
    classifier: str | None = option("bow", parse=classifier_named)
    contrast: bool = option(False, flag=True)
    contrast_labels: Mapping[str, str] | None = option(None, parse=labels_named, advanced=True)
    max_q: float = option(0.05, advanced=True)
    seed: int = option(0, at_least=0, at_most=2**32 - 1)
    device: Device = option("auto")

    def __post_init__(self) -> None:
        check_options(self)
        if not 0 < self.max_q <= 1:
            raise SettingError(f"'max_q' must be between 0 and 1. Got {self.max_q}. The usual value is 0.05.")

    def sizes(self, device: str, *, pair: bool, rows: int) -> Sizes:
        """The sizes on this device for so many rows: as given, with defaults for the others."""
        usual = SIZES[device, pair]
        n = min(rows, self.limit or rows, (None if self.limit else usual.texts) or rows)
        most = next((symbols for below, symbols in SYMBOLS.items() if n < below), (n, n))
        passes = usual.epochs * (usual.texts or n) // max(1, n)
        return Sizes(
            self.nonterminals or min(usual.nonterminals, most[0]),
            self.preterminals or min(usual.preterminals, most[1]),
            self.dimension or usual.dimension,
            self.epochs or max(usual.epochs, min(MOST_EPOCHS, passes)),
            None if self.limit else usual.texts,
        )
