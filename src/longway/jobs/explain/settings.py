"""Settings of `longway explain`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from longway.errors import SettingError
from longway.jobs.options import check_options, option

Method = Literal["lime", "shapley", "ig"]


def ids_named(text: str) -> tuple[str, ...]:
    """The ids in a comma-separated list."""
    return tuple(part.strip() for part in text.split(","))


@dataclass(frozen=True, slots=True)
class ExplainSettings:
    """Which models and texts to explain, and how."""

    models: tuple[str, ...] = option(
        ("bow",),
        "Model: bow, nb, cnn, gru, dan, minilm, minilm-lora, minilm-full, hf:NAME, or MODULE:NAME for a "
        "model of your own. Repeatable.",
        name="model",
        objects=True,
    )
    method: Method = option("lime", "lime, shapley (Shapley values) or ig (integrated gradients).")
    field: Literal["text", "context"] = option("text", "Explain the words of the text or of the context.")
    rows: int = option(50, "Texts to show, drawn at random.", at_least=1)
    wrong: bool = option(False, "Show texts that the first model gets wrong.", flag=True)
    ids: tuple[str, ...] = option((), "Show the rows with these ids: a,b,c.", parse=ids_named)
    search: int = option(
        200, "Wrong predictions per model to search for sufficient sets of words.", at_least=0, advanced=True
    )
    top: int = option(5, "Words per text that count as the model's top words.", at_least=1, advanced=True)
    samples: int | None = option(
        None,
        "lime: masked texts, 400. shapley: orders of words, 16. ig: steps, 48.",
        at_least=2,
        advanced=True,
    )
    folds: int = option(5, "Folds of the cross-validation.", at_least=2, advanced=True)
    max_q: float = option(0.05, "False discovery rate of recurring sets.", above=0, at_most=1, advanced=True)
    seed: int = option(0, "Seed of folds, drawn rows and samples.", at_least=0, at_most=2**32 - 1)

    def __post_init__(self) -> None:
        from longway.models.catalog import names_of

        check_options(self)
        object.__setattr__(self, "models", names_of(self.models))
        if not self.models or len(set(self.models)) < len(self.models):
            raise SettingError(f"'models' must name different models, at least one. Got {list(self.models)}.")
