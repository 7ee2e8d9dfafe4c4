"""Integrated gradients of neural models, through the layer that turns tokens into vectors.

    tokens of the row  ->  vectors; those of the explained field go from a blank to their own  ->  the rest of the network

The blank is the padding token's vector for pretrained encoders, zeros for networks on word vectors. The other field of a pair (unless
both are explained) and special tokens stay unchanged. The points on the path are those of Gauss-Legendre quadrature, which integrates a smooth curve
with far fewer steps than equal spacing. torch is imported only when a neural model is explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from longway.errors import MissingExtra, SettingError
from longway.models.classifier import Classifier, Inputs
from longway.models.importance.gradients import HasGradients, Ints, PieceScores, text_starts
from longway.models.importance.word_scores import Bools, Floats, MaskableText

if TYPE_CHECKING:
    from torch import Tensor, nn

    from longway.models.encoder import Encoder
    from longway.models.frozen import Frozen
    from longway.models.pretrained import Pretrained
    from longway.models.static import StaticNet

TOKENS_AT_ONCE = 8192
IdsForward = Callable[["Tensor"], "Tensor"]  # ids of copies of one row -> their logits


def torch_gradients(model: Classifier) -> HasGradients | None:
    """The source of gradients of a neural model, None for any other."""
    kinds: dict[str, Callable[[Any], HasGradients]] = {
        "encoder": _EncoderGradients,
        "frozen": _FrozenGradients,
        "static": _StaticGradients,
    }
    kind = kinds.get(model.name)
    if kind is None:
        return None
    if find_spec("torch") is None:
        raise MissingExtra("torch", extra="neural", purpose="integrated gradients of a neural model")
    return kind(model)


class _EncoderGradients:
    """An encoder trained with its head: text and context are read together."""

    def __init__(self, model: Encoder) -> None:
        self.model = model
        self.network = model.network_
        self.base: Pretrained = model.network_.base

    def piece_scores(self, inputs: Inputs, targets: Ints, *, field: str, steps: int) -> list[PieceScores]:
        """For each row the word pieces of one field, or of both, and their scores."""
        self.network.eval()
        contexts = inputs.contexts
        firsts, seconds = (inputs.texts, None) if contexts is None else (contexts, inputs.texts)
        numbers = {"text": (0 if contexts is None else 1,), "context": (0,), "both": (0, 1)}[field]
        result = []
        for row, target in enumerate(targets.tolist()):
            second = None if seconds is None else seconds[row]
            pieces = _Pieces(self.base, firsts[row], second, numbers, self.model.max_tokens)
            logits_of = partial(pieces.with_vectors, partial(self._logits, pieces.segments))
            result.append(integrate(*pieces.ends(), logits_of, target, steps).of_pieces([pieces]))
        return result

    def _logits(self, segments: list[int] | None, ids: Tensor) -> Tensor:
        """The logits of copies of one row. segments: the token types, for encoders that have them."""
        import torch

        from longway.models.pretrained import mean_state

        given = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        if segments is not None:
            given["token_type_ids"] = torch.tensor(segments, device=ids.device).expand_as(ids)
        logits: Tensor = self.network.head(mean_state(self.network.encoder, given))
        return logits


class _FrozenGradients:
    """A frozen encoder with softmax regression: text and context are read separately."""

    def __init__(self, model: Frozen) -> None:
        import torch

        from longway.models.pretrained import Pretrained

        self.model = model
        self.base = Pretrained.load(model.encoder, device=model.device)
        regression = model.regression_
        self.mean, self.spread, self.weights, self.bias = (
            torch.tensor(array, dtype=torch.float32, device=self.base.device)
            for array in (model.mean_, model.spread_, regression.weights, regression.bias)
        )

    def piece_scores(self, inputs: Inputs, targets: Ints, *, field: str, steps: int) -> list[PieceScores]:
        """For each row the word pieces of one field, or of both, and their scores."""
        import torch

        self.base.model.eval()
        result = []
        for row, target in enumerate(targets.tolist()):
            texts = {} if inputs.contexts is None else {"context": inputs.contexts[row]}
            texts["text"] = inputs.texts[row]
            shift = text_starts(texts["context"]) if field == "both" else 0
            limit, pieces, states = self.model.max_tokens, {}, {}
            for name, text in texts.items():
                if field in (name, "both"):
                    pieces[name] = _Pieces(self.base, text, None, (0,), limit, shift if name == "text" else 0)
                else:
                    fixed = self.base.embed([text], max_tokens=limit)
                    states[name] = torch.from_numpy(fixed).to(self.base.device)
            whole, start = map(torch.cat, zip(*(one.ends() for one in pieces.values()), strict=True))
            found = integrate(whole, start, partial(self._logits, pieces, states), target, steps)
            result.append(found.of_pieces(list(pieces.values())))
        return result

    def _logits(self, pieces: Mapping[str, _Pieces], states: Mapping[str, Tensor], now: Tensor) -> Tensor:
        """The logits for vectors of the explained texts end to end. states: those of the texts that are not explained."""
        import torch

        parts = torch.split(now, [len(one.ids) for one in pieces.values()], dim=1)
        every = {name: state.expand(len(now), -1) for name, state in states.items()}
        for (name, one), part in zip(pieces.items(), parts, strict=True):
            every[name] = one.with_vectors(self._state, part)
        raw = u = every["text"]
        if (v := every.get("context")) is not None:
            raw = torch.cat([u, v, (u - v).abs(), u * v], dim=1)
        return (raw - self.mean) / self.spread @ self.weights + self.bias

    def _state(self, ids: Tensor) -> Tensor:
        import torch

        from longway.models.pretrained import mean_state

        state = mean_state(self.base.model, {"input_ids": ids, "attention_mask": torch.ones_like(ids)})
        return torch.nn.functional.normalize(state, dim=1)


class _StaticGradients:
    """A small network on word vectors; the path starts at zero."""

    def __init__(self, model: StaticNet) -> None:
        from longway.models.static import WordVectors

        self.model, self.network = model, model.network_
        self.words = WordVectors()

    def piece_scores(self, inputs: Inputs, targets: Ints, *, field: str, steps: int) -> list[PieceScores]:
        """For each row the words of one field, or of both, and their scores."""
        import torch

        self.network.eval()
        explained = {"text": [0], "context": [1], "both": [1, 0]}[field]  # numbers of the network's inputs
        result = []
        for row, target in enumerate(targets.tolist()):
            texts = [inputs.texts[row], *([] if inputs.contexts is None else [inputs.contexts[row]])]
            vectors = [self._vectors(text) for text in texts]
            whole = torch.cat([vectors[i] for i in explained], dim=1)[0]
            logits_of = partial(self._logits, vectors, explained)
            found = integrate(whole, torch.zeros_like(whole), logits_of, target, steps)
            shift = text_starts(texts[1]) if field == "both" else 0
            words = [self._words(texts[i], vectors[i], 0 if i else shift) for i in explained]
            result.append(found.of_pieces(words))
        return result

    def _logits(self, vectors: list[Tensor], explained: list[int], now: Tensor) -> Tensor:
        """The logits for vectors of the explained texts end to end. vectors: of all texts."""
        import torch

        given = [one.expand(len(now), -1, -1) for one in vectors]
        parts = torch.split(now, [vectors[i].shape[1] for i in explained], dim=1)
        for i, part in zip(explained, parts, strict=True):
            given[i] = part
        lengths = [torch.full((len(now),), one.shape[1]) for one in given]
        logits: Tensor = self.network(list(zip(given, lengths, strict=True)))
        return logits

    def _vectors(self, text: str) -> Tensor:
        """(1, words, width); a text without words has one blank."""
        import torch

        numbers = self.words.numbers([text], max_words=self.model.max_words)
        device = next(self.network.parameters()).device
        return torch.from_numpy(self.words.stacked(numbers)).to(device)

    def _words(self, text: str, vectors: Tensor, shift: int) -> _Spans:
        """The words that have a vector; the blank of a text without words is none."""
        spans = MaskableText.of(text).spans[: self.model.max_words]
        moved = [(start + shift, end + shift) for start, end in spans]
        return _Spans(moved, np.arange(vectors.shape[1]) < len(spans))


@dataclass(frozen=True)
class _Spans:
    """Where the pieces of one text are, and which of its vectors are pieces."""

    spans: Sequence[tuple[int, int]]
    inside: Bools


class _Pieces:
    """One row as the tokenizer splits it: ids, and the spans of the pieces of the explained texts.

    numbers: of the explained texts. shift: what is added to all spans; those of a second text beside a first start after it (`joined`).
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
        import torch

        row = self._row()
        blank = torch.full_like(row, self.base.tokenizer.pad_token_id or 0)
        explained = torch.tensor(self.inside, device=row.device)
        with torch.no_grad():
            whole = self.embedding(row)
            return whole, torch.where(explained[:, None], self.embedding(blank), whole)

    def with_vectors(self, forward: IdsForward, now: Tensor) -> Tensor:
        """What `forward` returns if the tokens have these vectors, (points, tokens, width)."""
        hook = self.embedding.register_forward_hook(lambda module, given, result: now)
        try:
            return forward(self._row().expand(len(now), -1))
        finally:
            hook.remove()

    def _row(self) -> Tensor:
        import torch

        return torch.tensor(self.ids, device=next(self.embedding.parameters()).device)


@dataclass(frozen=True)
class PathScores:
    """The score and the norm of each token, and the label's probability at the end and at the start of the path."""

    scores: Floats
    norms: Floats
    value: float
    baseline: float

    def of_pieces(self, texts: Sequence[_Pieces | _Spans]) -> PieceScores:
        """The scores of the tokens that are pieces. texts: in the order of their tokens on the path."""
        inside = np.concatenate([one.inside for one in texts])
        spans = [span for one in texts for span in one.spans]
        return PieceScores(spans, self.scores[inside], self.norms[inside], self.value, self.baseline)


def integrate(
    whole: Tensor, start: Tensor, logits_of: Callable[[Tensor], Tensor], target: int, steps: int
) -> PathScores:
    """Integrated gradients of the label's probability from the vectors `start` to the vectors `whole`.

    whole, start: (tokens, width). logits_of: of some points on the path, (points, tokens, width).
    """
    import torch

    nodes, weights = np.polynomial.legendre.leggauss(steps)
    # The ends have weight 0; they give the expected sum.
    points = np.concatenate([[0.0, 1.0], (nodes + 1) / 2])
    shares = np.concatenate([[0.0, 0.0], weights / 2])
    slopes, chances = torch.zeros_like(whole), []
    for part in _parts(len(points), len(whole)):
        at, share = (torch.from_numpy(values[part]).to(whole)[:, None, None] for values in (points, shares))
        now = (start + at * (whole - start)).requires_grad_()
        # cuDNN's recurrent networks have no gradients in eval mode.
        with torch.backends.cudnn.flags(enabled=False):
            chance = torch.softmax(logits_of(now), dim=1)[:, target]
            (slope,) = torch.autograd.grad(chance.sum(), now)
        slopes += (share * slope).sum(dim=0)
        chances += chance.detach().tolist()
    found = ((whole - start) * slopes).cpu().double()  # (tokens, width)
    return PathScores(
        found.sum(dim=1).numpy(), found.norm(dim=1).numpy(), float(chances[1]), float(chances[0])
    )


def _parts(n_points: int, n_tokens: int) -> Iterator[slice]:
    """The points in parts that fit into memory."""
    size = max(1, TOKENS_AT_ONCE // max(1, n_tokens))
    return (slice(start, start + size) for start in range(0, n_points, size))
