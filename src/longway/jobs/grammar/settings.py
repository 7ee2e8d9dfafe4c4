"""Settings of `longway grammar`: by default the paper's sizes on a GPU and smaller ones on a CPU; with `paper` all settings of the paper.

The paper (Friedman, Wettig and Chen 2022, section 3.1 and appendix B): 32 + 64 symbols, networks of width 256, 20,000 words, pairs with
|context| * |text| < 225, 65,000 training and 16,000 validation pairs; Adam with a learning rate of 1e-3; 4 sentences or 1 pair on each of 4
GPUs per step; at most 40 passes over sentences and 10 over pairs; a check every 4,096 steps, and an end after five without improvement.
Classifiers are BERT, fine-tuned at 1e-5 in batches of 16 for at most 20 epochs with the same checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from longway.jobs.options import check_options, option

Device = Literal["auto", "cpu", "cuda"]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The size of a grammar and of its training, as far as it depends on the device and on whether the rows are pairs.

    texts: sentences or pairs to learn from, at most; None for all. rows: the same in rows. held_out: held-out rows, at most; None for a
    fifth of the training rows. batch: texts per step; None for the device's usual number. check: texts between two checks.
    """

    nonterminals: int
    preterminals: int
    dimension: int
    epochs: int
    texts: int | None = None
    rows: int | None = None
    held_out: int | None = None
    batch: int | None = None
    check: int = 16_384


STEPS = 4096  # between two checks of the paper
PAPER_SIZES = {
    False: Sizes(32, 64, 256, 40, batch=16, check=STEPS * 16),
    True: Sizes(32, 64, 256, 10, rows=65_000, held_out=16_000, batch=4, check=STEPS * 4),
}
PAPER_CLASSIFIER = "hf:google-bert/bert-base-uncased-full"

# By device and whether the rows are pairs. On a CPU a pair takes some hundred times as long as on a GPU.
SIZES = {
    ("cuda", False): Sizes(32, 64, 256, 40),
    ("cuda", True): Sizes(32, 64, 256, 10),
    ("cpu", False): Sizes(16, 32, 128, 8, texts=4000),
    ("cpu", True): Sizes(16, 32, 128, 5, texts=1000),
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
    """The grammar to learn, and what to do with it."""

    paper: bool = option(
        False,
        "As published: the options that are not given get the paper's values, and the classifier is "
        "BERT-base, fine-tuned. For a GPU.",
        flag=True,
    )
    nonterminals: int | None = option(
        None,
        "Symbols that expand to two others. Default: 4 below 500 rows, 8 below 3,000, 16 below 12,000 and"
        " on a CPU, else 32; with --paper 32.",
        at_least=1,
        advanced=True,
    )
    preterminals: int | None = option(
        None,
        "Symbols that expand to words. Default: 12, 24, 32 and 64 for as many rows; with --paper 64.",
        at_least=1,
        advanced=True,
    )
    dimension: int | None = option(
        None,
        "Width of the networks. Default: 256 on a GPU and with --paper, 128 on a CPU.",
        at_least=1,
        advanced=True,
    )
    words: int = option(
        20_000, "Words that the grammar knows; rarer ones are one unknown word.", at_least=3, advanced=True
    )
    longest: int = option(
        225,
        "Pairs are parsed if the product of their lengths in words is below this.",
        at_least=2,
        advanced=True,
    )
    batch: int | None = option(
        None,
        "Sentences or pairs per training step. Default: 64 on a GPU, 16 on a CPU; with --paper 16 "
        "sentences or 4 pairs.",
        at_least=1,
        advanced=True,
    )
    learning_rate: float = option(1e-3, "Of the grammar's networks.", at_least=0, advanced=True)
    check: int | None = option(
        None,
        "Sentences or pairs between two measurements of the held-out likelihood, besides one after each "
        "pass. Default: 16384; with --paper 65536 sentences or 16384 pairs, 4096 steps.",
        at_least=1,
        rare=True,
    )
    patience: int = option(
        5, "Measurements without improvement before training stops.", at_least=1, rare=True
    )
    epochs: int | None = option(
        None,
        "Passes over the texts, at most; training stops early if held-out texts do not become more "
        "likely. Default: 10 for pairs and 40 for sentences on a GPU and with --paper, 5 and 8 on a CPU, "
        "and more for few rows.",
        at_least=1,
    )
    limit: int | None = option(
        None,
        "Rows to learn from, balanced over labels. Default: all on a GPU; on a CPU rows with 1000 pairs "
        "or 4000 sentences; with --paper 65000 pairs.",
        at_least=1,
    )
    classifier: str | None = option(
        "auto",
        "Classifier to test with and against each phrase: a model as for `longway explain`, or none. "
        "auto: bow, with --paper BERT-base.",
        parse=classifier_named,
    )
    contrast: bool = option(
        False,
        "Also generate contrast examples from held-out pairs and test the classifier on them. Needs "
        "labels for entailment, contradiction and neutral.",
        flag=True,
    )
    contrast_labels: Mapping[str, str] | None = option(
        None,
        "Which labels these are, if their names do not say: entailment=0,neutral=1,contradiction=2. "
        "Implies --contrast.",
        parse=labels_named,
        advanced=True,
    )
    max_q: float = option(0.05, "False discovery rate of findings.", above=0, at_most=1, advanced=True)
    seed: int = option(
        0, "Seed of the sample and the networks.", at_least=0, at_most=2**32 - 1, advanced=True
    )
    device: Device = option("auto", "auto (a GPU if there is one), cpu or cuda.")

    def __post_init__(self) -> None:
        check_options(self)
        if self.classifier == "auto":
            object.__setattr__(self, "classifier", PAPER_CLASSIFIER if self.paper else "bow")

    def sizes(self, device: str, *, pair: bool, rows: int) -> Sizes:
        """The sizes on this device for so many rows: as given, with defaults for the others."""
        usual = PAPER_SIZES[pair] if self.paper else self._for_rows(SIZES[device, pair], rows)
        given = {
            name: value
            for name in ("nonterminals", "preterminals", "dimension", "epochs", "batch", "check")
            if (value := getattr(self, name)) is not None
        }
        if self.limit is not None:
            given |= {"texts": None, "rows": self.limit}
        return replace(usual, **given)

    def _for_rows(self, usual: Sizes, rows: int) -> Sizes:
        """Fewer symbols and more passes for few rows."""
        texts = None if self.limit else usual.texts
        n = min(rows, self.limit or rows, texts or rows)
        most = next((symbols for below, symbols in SYMBOLS.items() if n < below), (n, n))
        passes = usual.epochs * (usual.texts or n) // max(1, n)
        return replace(
            usual,
            nonterminals=min(usual.nonterminals, most[0]),
            preterminals=min(usual.preterminals, most[1]),
            epochs=max(usual.epochs, min(MOST_EPOCHS, passes)),
        )

    def tuning(self) -> dict[str, Any]:
        """The options of the classifier: those of the paper or the usual ones, if it is fine-tuned; none for others."""
        from longway.models.catalog import tuning_of

        return {} if self.classifier is None else tuning_of(self.classifier, paper=self.paper)

    def recorded(self, sizes: Sizes, *, batch: int, device: Device) -> GrammarSettings:
        """The settings with the values that were used where none were given. batch, device: those that were used."""
        used = {
            name: getattr(sizes, name)
            for name in ("nonterminals", "preterminals", "dimension", "epochs", "check")
        }
        return replace(self, **used, batch=batch, device=device)
