"""How a grammar run is asked for, and what it takes where nothing was asked: the paper's sizes on a GPU, smaller ones on a CPU."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from longway.errors import MissingExtra, SettingError

if TYPE_CHECKING:
    from longway.grammar.induction import InduceSettings

HELD_OUT = 0.15  # of the rows, where the data have no split for it


@dataclass(frozen=True, slots=True)
class Sizes:
    """What a run takes. texts: sentences or pairs to learn from, at most; None for all there are."""

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


@dataclass(frozen=True, slots=True)
class GrammarSettings:
    """What a grammar run can be told; what is None is chosen by the device (`SIZES`).

    nonterminals, preterminals, dimension: the grammar's size. epochs: at most. limit: rows to learn from, the labels taking turns.
    classifier: whose accuracy on supporting and counter-examples is measured, None for no classifier (names as in `classify.catalog`).
    contrast: whether contrast examples are made of held-out pairs; contrast_labels: the labels that stand for "entailment", "neutral" and
    "contradiction", guessed from their names where it is None. max_q: false discovery rate of findings. device: auto, cpu or cuda.
    """

    nonterminals: int | None = None
    preterminals: int | None = None
    dimension: int | None = None
    epochs: int | None = None
    limit: int | None = None
    classifier: str | None = "bow"
    contrast: bool = False
    contrast_labels: Mapping[str, str] | None = None
    max_q: float = 0.05
    seed: int = 0
    device: str = "auto"

    def __post_init__(self) -> None:
        for name in ("nonterminals", "preterminals", "dimension", "epochs", "limit"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise SettingError(f"'{name}' must be at least 1. Got {value}.")
        if not 0 < self.max_q <= 1:
            raise SettingError(f"'max_q' must be between 0 and 1. Got {self.max_q}. The usual value is 0.05.")
        if not 0 <= self.seed < 2**32:
            raise SettingError(f"'seed' must be from 0 to 4294967295. Got {self.seed}.")
        if self.device not in ("auto", "cpu", "cuda"):
            raise SettingError(f"'device' must be auto, cpu or cuda. Got {self.device!r}.")

    def sizes(self, device: str, *, pair: bool) -> Sizes:
        """What the run takes on this device: what was asked, and the usual where nothing was."""
        usual = SIZES[device, pair]
        return Sizes(
            self.nonterminals or usual.nonterminals,
            self.preterminals or usual.preterminals,
            self.dimension or usual.dimension,
            self.epochs or usual.epochs,
            None if self.limit else usual.texts,
        )


def device_of(settings: GrammarSettings) -> str:
    """cpu or cuda; MissingExtra where no network can be trained."""
    needs_torch()
    from longway.classify.network_training import device_named

    return device_named(settings.device).type


def needs_torch() -> None:
    """Raise MissingExtra where torch is not installed."""
    if find_spec("torch") is None:
        raise MissingExtra("torch", extra="neural", purpose="learning a grammar")


def induce_settings(sizes: Sizes, *, seed: int, device: str) -> InduceSettings:
    """The same for the training itself."""
    from longway.grammar.induction import InduceSettings

    return InduceSettings(
        nonterminals=sizes.nonterminals,
        preterminals=sizes.preterminals,
        dimension=sizes.dimension,
        epochs=sizes.epochs,
        seed=seed,
        device=device,
    )
