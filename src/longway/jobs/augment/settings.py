"""Settings of `longway augment`."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Literal, get_args

from longway.errors import MissingExtra, SettingError
from longway.jobs.options import ENGINE, check_options, fill_in, option

if TYPE_CHECKING:
    from longway.engines.engine import Sampling

Method = Literal["coba", "counterfactual", "eda", "crossaug", "given"]
METHODS: tuple[str, ...] = get_args(Method)
WITHOUT_ENGINE = ("eda", "crossaug", "given")
# Appendix B: the classifiers that vote. The best epoch is the one with the highest accuracy on held-out rows.
PAPER_MODELS = (
    "hf:google-bert/bert-base-uncased-full",
    "hf:google-bert/bert-large-uncased-full",
    "hf:FacebookAI/roberta-large-full",
    "hf:distilbert/distilbert-base-uncased-full",
    "hf:facebook/bart-base-full",
)
PAPER_TUNING = {"learning_rate": 5e-5, "batch": 32, "epochs": 10, "patience": 10, "max_tokens": 300}
OTHER = "other"  # any label but the row's own, drawn at random


def default_models() -> tuple[str, ...]:
    """Five classifiers of different kinds; one or three if torch or the sentence encoder is not installed.

    The networks among them read the word vectors of the encoder.
    """
    from longway.models import minilm
    from longway.models.ensemble import DEFAULT

    try:
        minilm.model_folder()
    except MissingExtra:
        return ("bow",)
    return DEFAULT if find_spec("torch") is not None else ("bow", "nb", "minilm")


@dataclass(frozen=True, slots=True)
class AugmentSettings:
    """How texts are added."""

    paper: bool = option(
        False,
        "As published: the options that are not given get the paper's values, and no text is checked.",
        flag=True,
    )
    method: Method = option(
        "coba",
        "coba; for comparison counterfactual (with an engine), eda and crossaug (without); given takes "
        "texts from a file, see --rewrites.",
    )
    engine: str = option(
        "auto",
        "Writes the texts: rules (no model, English only), gguf:FILE (a model file of yours), "
        "served:MODEL (any OpenAI-compatible server), rules,served:MODEL (the model if no rule applies), "
        "replay:FILE, or auto. `longway doctor` lists those that work here.",
        group=ENGINE,
    )
    judge: str = option(
        "auto",
        "Checks that the label of a new text holds: an engine, none, or auto (the writer, in a separate "
        "conversation).",
        paper="none",
        group=ENGINE,
        advanced=True,
    )
    models: tuple[str, ...] = option(
        (),
        "A classifier that votes on the words: bow, nb, minilm, cnn, gru, dan, minilm-lora, minilm-full, "
        "hf:NAME, or MODULE:NAME for a model of your own. Repeatable, an odd number of times. Default: "
        "five of them, as far as they are installed; with --paper five fine-tuned encoders of the hub.",
        name="model",
        advanced=True,
        objects=True,
    )
    folds: int = option(
        2,
        "Parts that the rows are divided into: no classifier explains rows that it was trained on. 1: "
        "each is trained on all rows.",
        paper=1,
        at_least=1,
        rare=True,
    )
    learning_rate: float | None = option(
        None,
        "Of encoders that are fine-tuned to vote. Default: 3e-5, with LoRA 5e-4.",
        at_least=0,
        rare=True,
    )
    epochs: int | None = option(
        None,
        "The most epochs of encoders that are fine-tuned to vote. Default: 3, with LoRA 6.",
        at_least=1,
        rare=True,
    )
    importance: Literal["lime", "shapley", "ig"] = option(
        "ig",
        "How the words that a classifier relies on are found: ig (integrated gradients), lime or shapley.",
        advanced=True,
    )
    top_k: int = option(5, "Words taken from each classifier and text.", at_least=1, rare=True)
    identify: Literal["models", "engine"] = option(
        "models", "What names principal and spurious words: models (by vote) or engine.", advanced=True
    )
    spurious: tuple[str, ...] = option(
        (),
        "A word that should not predict the label, whatever the vote says; with a tab and a label behind it, "
        "in rows of that label only. Repeatable.",
    )
    mixed: Literal["needed", "spurious", "principal"] = option(
        "needed",
        "How to treat a triple with spurious and principal words: as spurious, so that it stays (the "
        "paper); as principal, so that it is changed around its spurious words, which finds more to "
        "change in long sentences; needed: as spurious, unless nothing else in the row could be changed.",
        paper="spurious",
        advanced=True,
    )
    alter: bool = option(True, "Change the principal triples towards another label.", rare=True)
    permute: bool = option(True, "Change the order of normal triples.", rare=True)
    drop: bool = option(True, "Leave out some normal triples.", rare=True)
    gender: bool = option(
        True,
        "Swap gendered words, he for she, in all triples; for pairs only with --contexts, so that both "
        "texts agree.",
        rare=True,
    )
    drop_share: float = option(
        0.1, "Probability that a normal triple is left out.", at_least=0, at_most=1, rare=True
    )
    contexts: bool = option(
        False,
        "Change and rewrite the contexts of pairs too, by a vote on the words of both texts. Otherwise "
        "they stay unchanged.",
        paper=True,
        advanced=True,
    )
    to: str = option(OTHER, "Label of new texts: a label of the data, or other (any but the row's own).")
    variants: int = option(1, "New texts per row.", at_least=1)
    balance: bool = option(
        False,
        "Leave out additions so that all labels have the same number of rows.",
        flag=True,
        rare=True,
    )
    rate: float = option(
        0.1,
        "For eda: share of the words that an operation changes.",
        paper=0.2,
        at_least=0,
        at_most=1,
        rare=True,
    )
    rewrites: str | None = option(
        None,
        "For --method given: a file with texts written elsewhere, in the columns original (or source, or "
        "id: the row each was made from), text and label.",
        metavar="FILE",
        advanced=True,
    )
    target: str | None = option(
        None,
        "Column with an output text, for data that has texts instead of labels.",
        metavar="COLUMN",
        advanced=True,
    )
    describe: tuple[str, ...] = option(
        (),
        'What a label means, for a language model: LABEL="...", for labels such as 0 and 1. Repeatable.',
        group=ENGINE,
        metavar="LABEL=TEXT",
        advanced=True,
    )
    temperature: float = option(
        0.7, "Sampling temperature of the engine.", group=ENGINE, at_least=0, rare=True
    )
    top_p: float = option(
        0.9, "Nucleus sampling of the engine.", group=ENGINE, at_least=0, at_most=1, rare=True
    )
    seed: int = option(0, "Seed of everything random.", at_least=0, at_most=2**32 - 1, advanced=True)

    def __post_init__(self) -> None:
        fill_in(self)
        check_options(self)
        if any(not isinstance(one, str) for one in self.models):
            from longway.models.catalog import names_of

            object.__setattr__(self, "models", names_of(self.models))
        if not self.models:
            object.__setattr__(self, "models", PAPER_MODELS if self.paper else default_models())
        if self.paper and self.judge != "none":
            raise SettingError(
                f"'judge' checks new texts, and CoBA as published checks none. Got {self.judge!r}. Leave out --judge or --paper."
            )
        if self.drop_share == 1:
            raise SettingError("'drop_share' must be less than 1. Got 1. The default is 0.1.")
        if self.method == "coba" and self.identify == "models" and self.labelled:
            _check_models(self.models)
        if any(not word.strip() for word in self.spurious):
            raise SettingError(
                f"'spurious' must be words. Got {list(self.spurious)}. Leave out the empty ones."
            )
        if (self.method == "given") != (self.rewrites is not None):
            file = "no file" if self.rewrites is None else f"the file {self.rewrites!r}"
            raise SettingError(
                f"The method given, and no other, reads texts from a file. Got method {self.method!r} and {file}. "
                "Use --method given --rewrites FILE."
            )
        changes_labels = self.method == "counterfactual" or (self.method == "coba" and self.alter)
        if self.to != OTHER and not changes_labels:
            what = "coba without its step alter" if self.method == "coba" else f"the method {self.method}"
            raise SettingError(
                f"'to' is for methods that change the label: coba and counterfactual. Got {self.to!r} and {what}. Leave out --to."
            )
        if not self.labelled and self.method != "coba":
            raise SettingError(
                f"A column with output texts ('target') is for the method coba. Got {self.method!r}. "
                "Leave out --target, or use --method coba."
            )

    @property
    def needs_engine(self) -> bool:
        """Whether an engine writes the texts."""
        return self.method not in WITHOUT_ENGINE

    @property
    def labelled(self) -> bool:
        """Whether the rows have labels; False for text-to-text data."""
        return self.target is None

    def tuning(self) -> dict[str, Any]:
        """The options of encoders that are fine-tuned to vote; with `paper` those of appendices A and B."""
        given = {"learning_rate": self.learning_rate, "epochs": self.epochs}
        chosen = {name: value for name, value in given.items() if value is not None}
        return {**PAPER_TUNING, **chosen} if self.paper else chosen

    def sampling(self) -> Sampling:
        """How the engine samples texts."""
        from longway.engines.engine import Sampling

        return Sampling(self.temperature, self.top_p, seed=self.seed)


def _check_models(names: tuple[str, ...]) -> None:
    from longway.models.catalog import check_named

    if len(names) % 2 == 0 or len(set(names)) < len(names):
        raise SettingError(
            f"'models' must be an odd number of different models, so that their vote has a majority. "
            f"Got {len(names)}: {', '.join(names)}. Add one or leave one out."
        )
    for name in names:
        check_named(name)
