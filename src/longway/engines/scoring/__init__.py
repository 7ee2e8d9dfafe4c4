"""Language models that score a text token by token.

    gguf_weights.py       weights and vocabulary of a GGUF file, as numpy arrays
    llama.py              the embedded model in numpy; needs neither torch nor ONNX Runtime
    llama_versions.py     the same model by ONNX Runtime with 8-bit weights: two versions of a text from where they differ
    transformers_lm.py    causal and masked models of Hugging Face, in torch

`llama.py` and `transformers_lm.py` implement `LikelihoodModel`, below.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from longway.errors import DataError


@dataclass(frozen=True, slots=True)
class ScoredText:
    """A text to score.

    part: the span (start, end) whose tokens are scored; the rest is only context. None scores all tokens.
    fill: whether the part fills a gap. A masked model then sees only the tokens of the part before the scored one.
    """

    text: str
    part: tuple[int, int] | None = None
    fill: bool = False


@dataclass(frozen=True, slots=True)
class TokenScores:
    """The ids of the scored tokens of a text, and the log-likelihood of each in nats."""

    tokens: tuple[int, ...]
    log_p: tuple[float, ...]

    @property
    def total(self) -> float:
        """The sum of the log-likelihoods."""
        return sum(self.log_p)

    @property
    def mean(self) -> float:
        """The mean log-likelihood per token."""
        return self.total / len(self.log_p)


class LikelihoodModel(Protocol):
    """Log-likelihoods by a causal model, or pseudo-log-likelihoods by a masked one: each token hidden in turn, the others visible."""

    kind: Literal["causal", "masked"]

    @property
    def identity(self) -> Mapping[str, object]:
        """Everything that affects its scores."""

    def scores(self, asks: Sequence[ScoredText]) -> list[TokenScores]:
        """The scored tokens of each text."""


def scored_places(ask: ScoredText, spans: Sequence[tuple[int, int]]) -> list[int]:
    """The indices of the scored tokens of a text. spans: of each token in the text, (0, 0) for tokens that are not in it.

    >>> scored_places(ScoredText("He is old", part=(6, 9)), [(0, 2), (2, 5), (5, 9)])
    [2]
    """
    start, end = ask.part or (0, len(ask.text))
    found = [i for i, (left, right) in enumerate(spans) if left < end and right > start]
    if not found:
        raise DataError(
            f"The model has no token for {ask.text[start:end][:60]!r}. A text with letters was expected. Remove this row."
        )
    return found


def refuse_long(text: str, tokens: int, most: int) -> None:
    """Raise DataError if a text has more tokens than the model reads: scoring a part would score another text."""
    if tokens > most:
        raise DataError(
            f"A text is too long for this model: {tokens} tokens, and it reads {most}. It begins {text[:60]!r}. "
            "Shorten or remove it, or choose a model that reads more."
        )
