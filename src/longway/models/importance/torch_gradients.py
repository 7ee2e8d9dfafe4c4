"""Integrated gradients of neural models, through the layer that turns tokens into vectors.

    tokens of the row  ->  vectors; those of the explained field go from a blank to their own  ->  the rest of the network

The blank is the padding token's vector for pretrained encoders, zeros for networks on word vectors. The other field of a pair (unless
both are explained) and special tokens stay unchanged. The points on the path are those of Gauss-Legendre quadrature, which integrates a smooth curve
with far fewer steps than equal spacing. This module is imported only when a neural model is explained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from longway.errors import SettingError
from longway.models.classifier import Bools, Classifier, Inputs, Ints
from longway.models.encoder import Encoder
from longway.models.frozen import Frozen
from longway.models.importance.word_scores import MaskableText, PieceScores, Scorer, text_starts
from longway.models.pretrained import Pretrained, mean_state
from longway.models.static import StaticNet, WordVectors
from longway.text.tokenizer import Tokenizer

TOKENS_AT_ONCE = 8192


@dataclass(frozen=True)
class Path:
    """One row, whose explained tokens go from a blank to their own vectors.

    whole, start: (tokens, width), the vectors at the end and at the start. logits: of some points, (points, tokens, width).
    spans: where the tokens that are pieces of the explained texts are. inside: which tokens these are.
    """

    whole: Tensor
    start: Tensor
    logits: Callable[[Tensor], Tensor]
    spans: Sequence[tuple[int, int]]
    inside: Bools


PathOf = Callable[[str, "str | None", str, Tokenizer], Path]  # text, context, field, what splits them


def neural_scores(model: Classifier) -> Scorer:
    """What computes the scores of a model of `PATHS`."""
    path_of = PATHS[model.name](model)

    def score(inputs: Inputs, targets: Ints, field: str, steps: int) -> list[PieceScores]:
        contexts: Sequence[str | None] = inputs.contexts or [None] * len(inputs)
        return [
            integrate(path_of(text, context, field, inputs.tokenizer), target, steps)
            for text, context, target in zip(inputs.texts, contexts, targets.tolist(), strict=True)
        ]

    return score


def _encoder_paths(model: Encoder) -> PathOf:
    """An encoder trained with its head: text and context are read together."""
    network = model.network_
    network.eval()

    def path_of(text: str, context: str | None, field: str, tokenizer: Tokenizer) -> Path:
        first, second = (text, None) if context is None else (context, text)
        numbers = {"text": (0 if context is None else 1,), "context": (0,), "both": (0, 1)}[field]
        pieces = _Pieces(network.base, first, second, numbers, model.max_tokens)

        def logits(ids: Tensor) -> Tensor:
            given = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
            if pieces.segments is not None:
                given["token_type_ids"] = torch.tensor(pieces.segments, device=ids.device).expand_as(ids)
            result: Tensor = network.head(mean_state(network.encoder, given))
            return result

        return Path(*pieces.ends(), partial(pieces.with_vectors, logits), pieces.spans, pieces.inside)

    return path_of


def _frozen_paths(model: Frozen) -> PathOf:
    """A frozen encoder with softmax regression: text and context are read separately."""
    base = Pretrained.load(model.encoder, device=model.device)
    base.model.eval()
    regression, limit = model.regression_, model.max_tokens
    mean, spread, weights, bias = (
        torch.tensor(array, dtype=torch.float32, device=base.device)
        for array in (model.mean_, model.spread_, regression.weights, regression.bias)
    )

    def state(ids: Tensor) -> Tensor:
        states = mean_state(base.model, {"input_ids": ids, "attention_mask": torch.ones_like(ids)})
        return torch.nn.functional.normalize(states, dim=1)

    def path_of(text: str, context: str | None, field: str, tokenizer: Tokenizer) -> Path:
        texts = ({} if context is None else {"context": context}) | {"text": text}
        shift = {"text": text_starts(texts["context"]) if field == "both" else 0, "context": 0}
        pieces = {
            name: _Pieces(base, one, None, (0,), limit, shift[name])
            for name, one in texts.items()
            if field in (name, "both")
        }
        fixed = {
            name: torch.from_numpy(base.embed([one], max_tokens=limit)).to(base.device)
            for name, one in texts.items()
            if name not in pieces
        }

        def logits(now: Tensor) -> Tensor:
            """For vectors of the explained texts end to end."""
            parts = torch.split(now, [len(one.ids) for one in pieces.values()], dim=1)
            every = {name: one.expand(len(now), -1) for name, one in fixed.items()}
            for (name, one), part in zip(pieces.items(), parts, strict=True):
                every[name] = one.with_vectors(state, part)
            raw = u = every["text"]
            if (v := every.get("context")) is not None:
                raw = torch.cat([u, v, (u - v).abs(), u * v], dim=1)
            return (raw - mean) / spread @ weights + bias

        whole, start = map(torch.cat, zip(*(one.ends() for one in pieces.values()), strict=True))
        spans = [span for one in pieces.values() for span in one.spans]
        return Path(whole, start, logits, spans, np.concatenate([one.inside for one in pieces.values()]))

    return path_of


def _static_paths(model: StaticNet) -> PathOf:
    """A small network on word vectors; the path starts at zero."""
    network, words = model.network_, WordVectors()
    network.eval()
    device = next(network.parameters()).device

    def path_of(text: str, context: str | None, field: str, tokenizer: Tokenizer) -> Path:
        explained = {"text": [0], "context": [1], "both": [1, 0]}[field]  # numbers of the network's inputs
        texts = [text, *([] if context is None else [context])]
        vectors = []  # of each text, (1, words, width); a text without words has one blank
        for one in texts:
            numbers = words.numbers([one], max_words=model.max_words, tokenizer=tokenizer)
            vectors.append(torch.from_numpy(words.stacked(numbers)).to(device))
        spans, inside = [], []
        for i in explained:
            own = MaskableText.of(texts[i], tokenizer).spans[: model.max_words]
            shift = text_starts(texts[1]) if field == "both" and i == 0 else 0
            spans += [(start + shift, end + shift) for start, end in own]
            inside.append(np.arange(vectors[i].shape[1]) < len(own))  # the blank is no piece

        def logits(now: Tensor) -> Tensor:
            """For vectors of the explained texts end to end."""
            given = [one.expand(len(now), -1, -1) for one in vectors]
            parts = torch.split(now, [vectors[i].shape[1] for i in explained], dim=1)
            for i, part in zip(explained, parts, strict=True):
                given[i] = part
            lengths = [torch.full((len(now),), one.shape[1]) for one in given]
            result: Tensor = network(list(zip(given, lengths, strict=True)))
            return result

        whole = torch.cat([vectors[i] for i in explained], dim=1)[0]
        return Path(whole, torch.zeros_like(whole), logits, spans, np.concatenate(inside))

    return path_of


# By the name of the classifier.
PATHS: dict[str, Callable[[Any], PathOf]] = {
    "encoder": _encoder_paths,
    "frozen": _frozen_paths,
    "static": _static_paths,
}


class _Pieces:
    """One row as the tokenizer splits it: ids, and the spans of the pieces of the explained texts.

    numbers: of the explained texts. shift: what is added to all spans; those of a second text beside a first start after it (`text_starts`).
    """

    def __init__(
        self,
        base: Pretrained,
        first: str,
        second: str | None,
        numbers: tuple[int, ...],
        max_tokens: int,
        shift: int = 0,
    ) -> None:
        if not base.tokenizer.is_fast:
            raise SettingError(
                "The encoder's tokenizer does not report the positions of its pieces, which integrated gradients need. "
                "Choose the method lime or shapley."
            )
        (read,) = base.read([second or first], None if second is None else [first], max_tokens=max_tokens)
        self.base, self.ids = base, read["input_ids"]
        self.segments = read.get("token_type_ids")
        again = base.tokenizer(
            first, second, truncation=True, max_length=len(self.ids), return_offsets_mapping=True
        )
        places = again.sequence_ids(0)
        self.inside: Bools = np.array([number in numbers for number in places], dtype=bool)
        moved = {0: shift, 1: text_starts(first) if len(numbers) > 1 else shift}
        self.spans = [
            (
                again["offset_mapping"][i][0] + moved[places[i]],
                again["offset_mapping"][i][1] + moved[places[i]],
            )
            for i in np.flatnonzero(self.inside).tolist()
        ]

    @property
    def embedding(self) -> nn.Module:
        """The layer whose output is replaced by the points on the path."""
        layer: nn.Module = self.base.model.get_input_embeddings()
        return layer

    def ends(self) -> tuple[Tensor, Tensor]:
        """The vectors of the tokens, (tokens, width), and the same with blanks for the explained pieces."""
        row = self._row()
        blank = torch.full_like(row, self.base.tokenizer.pad_token_id or 0)
        explained = torch.tensor(self.inside, device=row.device)
        with torch.no_grad():
            whole = self.embedding(row)
            return whole, torch.where(explained[:, None], self.embedding(blank), whole)

    def with_vectors(self, forward: Callable[[Tensor], Tensor], now: Tensor) -> Tensor:
        """What `forward` returns if the tokens have these vectors, (points, tokens, width)."""
        hook = self.embedding.register_forward_hook(lambda module, given, result: now)
        try:
            return forward(self._row().expand(len(now), -1))
        finally:
            hook.remove()

    def _row(self) -> Tensor:
        return torch.tensor(self.ids, device=next(self.embedding.parameters()).device)


def integrate(path: Path, target: int, steps: int) -> PieceScores:
    """Integrated gradients of the label's probability from the vectors `path.start` to the vectors `path.whole`."""
    nodes, weights = np.polynomial.legendre.leggauss(steps)
    # The ends have weight 0; they give the expected sum.
    points = np.concatenate([[0.0, 1.0], (nodes + 1) / 2])
    shares = np.concatenate([[0.0, 0.0], weights / 2])
    whole, start = path.whole, path.start
    slopes, chances = torch.zeros_like(whole), []
    size = max(1, TOKENS_AT_ONCE // max(1, len(whole)))  # points that fit into memory together
    for part in (slice(first, first + size) for first in range(0, len(points), size)):
        at, share = (torch.from_numpy(values[part]).to(whole)[:, None, None] for values in (points, shares))
        now = (start + at * (whole - start)).requires_grad_()
        # cuDNN's recurrent networks have no gradients in eval mode.
        with torch.backends.cudnn.flags(enabled=False):
            chance = torch.softmax(path.logits(now), dim=1)[:, target]
            (slope,) = torch.autograd.grad(chance.sum(), now)
        slopes += (share * slope).sum(dim=0)
        chances += chance.detach().tolist()
    found = ((whole - start) * slopes).cpu().double()[torch.from_numpy(path.inside)]  # (pieces, width)
    scores, norms = found.sum(dim=1).numpy(), found.norm(dim=1).numpy()
    return PieceScores(path.spans, scores, norms, float(chances[1]), float(chances[0]))
