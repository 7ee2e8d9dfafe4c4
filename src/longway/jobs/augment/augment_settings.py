"""What an augmentation can be told, and what is wrong with it where something is."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Literal, get_args

from longway.classify import minilm
from longway.classify.catalog import model_named
from longway.classify.ensemble import DEFAULT
from longway.classify.importance import METHODS as IMPORTANCE
from longway.engines.engine import Sampling
from longway.errors import MissingExtra, SettingError
from longway.tokens.tokenizer import tokenize

METHODS = (
    "coba",
    "counterfactual",
    "paraphrase",
    "back-translation",
    "contextual",
    "eda",
    "crossaug",
    "given",
)
WITHOUT_ENGINE = ("eda", "crossaug", "given")
Identify = Literal["models", "engine"]
Mixed = Literal["spurious", "principal"]
OTHER = "other"  # any label but the row's own, drawn at random


def default_models() -> tuple[str, ...]:
    """Five classifiers of different kinds; an odd number of fewer where torch or the small encoder is not installed.

    The networks among them read its word vectors, so that without the encoder only bags of words are left.
    """
    try:
        minilm.model_folder()
    except MissingExtra:
        return ("bow",)
    return DEFAULT if find_spec("torch") is not None else ("bow", "nb", "minilm")


@dataclass(frozen=True, slots=True)
class AugmentSettings:
    """What an augmentation can be told.

    method: one of `METHODS`. engine, judge: who writes and who judges (see `llm/engines.py`); judge "auto" is the writing engine
    in a conversation of its own where it can judge.
    models, importance, top_k: CoBA's vote (section 3.3.2): an odd number of classifiers, how words are weighed ("ig", "lime" or
    "shapley"), words taken of each. identify: "models" for the vote, "engine" to ask the engine for the words instead.
    spurious: words that are not to predict a label, whatever the vote says.
    mixed: what triples with words of both kinds are, "spurious" or "principal".
    alter, permute, drop, gender: CoBA's steps, each of which can be left out (Table 10); drop_share: how likely a normal triple
    is left out. contexts: those of pairs are taken apart and put into words again, too; else they stay as they are.
    to: the label of new texts, "other" for any but the row's own. variants: new texts for each row. balance: leave out
    additions so that all labels have the same number of rows, as far as that goes.
    language: for back-translation. rewrites: for "given", the file with texts made elsewhere.
    target: the column with the output text, for data that has no labels (section 4.5).
    """

    method: str = "coba"
    engine: str = "auto"
    judge: str = "auto"
    models: tuple[str, ...] = field(default_factory=default_models)
    importance: str = "ig"
    top_k: int = 5
    identify: Identify = "models"
    spurious: tuple[str, ...] = ()
    mixed: Mixed = "spurious"
    alter: bool = True
    permute: bool = True
    drop: bool = True
    gender: bool = True
    drop_share: float = 0.1
    contexts: bool = False
    to: str = OTHER
    variants: int = 1
    balance: bool = False
    language: str = "German"
    rewrites: str | None = None
    target: str | None = None
    temperature: float = 0.7
    top_p: float = 0.9
    seed: int = 0

    def __post_init__(self) -> None:
        self._check_names()
        self._check_numbers()
        if self.method == "coba" and self.identify == "models" and self.target is None:
            self._check_models()
        if any(not tokenize(word) for word in self.spurious):
            raise SettingError(
                f"'spurious' must be words. Got {list(self.spurious)}. Leave the empty one out."
            )
        if (self.method == "given") != (self.rewrites is not None):
            raise SettingError(
                "The method given takes texts made elsewhere from a file, and only that method does. "
                f"Got method {self.method!r} and {'no file' if self.rewrites is None else f'the file {self.rewrites!r}'}. "
                "Write --method given --rewrites FILE."
            )
        if self.to != OTHER and not self.changes_labels:
            who = "coba without its step alter" if self.method == "coba" else f"the method {self.method}"
            raise SettingError(
                f"'to' is for texts that get another label: by coba or counterfactual. Got {self.to!r} and {who}. Leave --to out."
            )
        if self.target is not None and self.method != "coba":
            raise SettingError(
                f"A column with output texts ('target') is for the method coba. Got {self.method!r}. "
                "Leave --target out, or take --method coba."
            )

    def _check_names(self) -> None:
        known = (
            ("method", METHODS),
            ("importance", IMPORTANCE),
            ("identify", get_args(Identify)),
            ("mixed", get_args(Mixed)),
        )
        for name, options in known:
            if getattr(self, name) not in options:
                raise SettingError(
                    f"'{name}' must be one of {', '.join(options)}. Got {getattr(self, name)!r}. Choose one of them."
                )

    def _check_numbers(self) -> None:
        for name, least in (("top_k", 1), ("variants", 1)):
            if getattr(self, name) < least:
                raise SettingError(f"'{name}' must be {least} or more. Got {getattr(self, name)}.")
        if not 0 <= self.drop_share < 1:
            raise SettingError(
                f"'drop_share' must be from 0 to less than 1. Got {self.drop_share}. The usual share is 0.1."
            )
        if not 0 <= self.seed < 2**32:
            raise SettingError(f"'seed' must be from 0 to 4294967295. Got {self.seed}.")

    def _check_models(self) -> None:
        names = self.models
        if len(names) % 2 == 0 or len(set(names)) < len(names):
            raise SettingError(
                f"'models' must be an odd number of different models, so that their vote has a majority. "
                f"Got {len(names)}: {', '.join(names) or 'none'}. Add one or leave one out."
            )
        for name in names:
            model_named(name)

    @property
    def needs_engine(self) -> bool:
        """Whether the method has texts written."""
        return self.method not in WITHOUT_ENGINE

    @property
    def changes_labels(self) -> bool:
        """Whether the method aims at another label than the row's own."""
        return self.method == "counterfactual" or (self.method == "coba" and self.alter)

    @property
    def labelled(self) -> bool:
        """Whether the rows have labels; False for text-to-text data."""
        return self.target is None

    def sampling(self, sample: int = 0) -> Sampling:
        """How an engine draws texts, for the n-th time for the same text."""
        return Sampling(self.temperature, self.top_p, seed=self.seed, sample=sample)
