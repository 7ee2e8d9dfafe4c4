"""Integrated gradients of neural models, through the layer that turns tokens into vectors.

    tokens of the row  ->  vectors; those of the explained field go from a blank to their own  ->  the rest of the network

The blank is the padding token's vector for pretrained encoders, zeros for networks on word vectors. The other field of a pair and
special tokens stay unchanged. The points on the path are those of Gauss-Legendre quadrature, which integrates a smooth curve
with far fewer steps than equal spacing. torch is imported only when a neural model is explained.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from longway.classify.classifier import Classifier, Inputs
from longway.classify.importance.gradients import HasGradients, Ints, PieceScores
from longway.classify.importance.word_scores import Bools, Floats, MaskableText
from longway.errors import MissingExtra, SettingError

if TYPE_CHECKING:
    from torch import Tensor, nn

    from longway.classify.encoder import Encoder
    from longway.classify.frozen import Frozen
    from longway.classify.pretrained import Pretrained
    from longway.classify.static import StaticNet

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
        """For each row the word pieces of one field and their scores."""
        from longway.classify.pretrained import mean_state

        self.network.eval()
        encoder, head = self.network.encoder, self.network.head

        def forward(ids: Tensor) -> Tensor:
            logits: Tensor = head(mean_state(encoder, {**self._other_inputs(ids), "input_ids": ids}))
            return logits

        contexts = inputs.contexts
        firsts, seconds = (inputs.texts, None) if contexts is None else (contexts, inputs.texts)
        number = 0 if contexts is None or field == "context" else 1
        result = []
        for row, target in enumerate(targets.tolist()):
            second = None if seconds is None else seconds[row]
            pieces = _Pieces(self.base, firsts[row], second, number, self.model.max_tokens)
            self._segments = pieces.segments
            result.append(pieces.scored(encoder.get_input_embeddings(), forward, target, steps))
        return result

    def _other_inputs(self, ids: Tensor) -> dict[str, Tensor]:
        """The encoder's inputs besides the ids: attention mask and segments."""
        import torch

        given = {"attention_mask": torch.ones_like(ids)}
        if self._segments is not None:
            given["token_type_ids"] = torch.tensor(self._segments, device=ids.device).expand_as(ids)
        return given


class _FrozenGradients:
    """A frozen encoder with softmax regression: text and context are read separately."""

    def __init__(self, model: Frozen) -> None:
        from longway.classify.pretrained import Pretrained

        self.model = model
        self.base = Pretrained.load(model.encoder, device=model.device)

    def piece_scores(self, inputs: Inputs, targets: Ints, *, field: str, steps: int) -> list[PieceScores]:
        """For each row the word pieces of one field and their scores."""
        self.base.model.eval()
        is_text = field == "text"
        own, other = (inputs.texts, inputs.contexts) if is_text else (inputs.contexts, inputs.texts)
        assert own is not None
        result = []
        for row, target in enumerate(targets.tolist()):
            beside = (
                None if other is None else self.base.embed([other[row]], max_tokens=self.model.max_tokens)
            )
            pieces = _Pieces(self.base, own[row], None, 0, self.model.max_tokens)
            forward = self._forward(beside, is_text=is_text)
            result.append(pieces.scored(self.base.model.get_input_embeddings(), forward, target, steps))
        return result

    def _forward(self, beside: NDArray[np.float32] | None, *, is_text: bool) -> IdsForward:
        """The logits of copies of one field, given the vector of the other."""
        import torch

        from longway.classify.pretrained import mean_state

        device = self.base.device
        regression = self.model.regression_
        mean, spread, weights, bias = (
            torch.tensor(array, dtype=torch.float32, device=device)
            for array in (self.model.mean_, self.model.spread_, regression.weights, regression.bias)
        )

        def forward(ids: Tensor) -> Tensor:
            state = mean_state(self.base.model, {"input_ids": ids, "attention_mask": torch.ones_like(ids)})
            own = torch.nn.functional.normalize(state, dim=1)
            if beside is None:
                raw = own
            else:
                fixed = torch.from_numpy(beside).to(device).expand_as(own)
                u, v = (own, fixed) if is_text else (fixed, own)
                raw = torch.cat([u, v, (u - v).abs(), u * v], dim=1)
            return (raw - mean) / spread @ weights + bias

        return forward


class _StaticGradients:
    """A small network on word vectors; the path starts at zero."""

    def __init__(self, model: StaticNet) -> None:
        from longway.classify.static import WordVectors

        self.model, self.network = model, model.network_
        self.words = WordVectors()

    def piece_scores(self, inputs: Inputs, targets: Ints, *, field: str, steps: int) -> list[PieceScores]:
        """For each row the words of one field and their scores."""
        import torch

        self.network.eval()
        own = 0 if field == "text" else 1
        result = []
        for row, target in enumerate(targets.tolist()):
            context = [] if inputs.contexts is None else [inputs.contexts[row]]
            fields = [inputs.texts[row], *context]
            columns = [self._vectors(text) for text in fields]

            def logits_of(now: Tensor, columns: list[Tensor] = columns) -> Tensor:
                given = [
                    now if i == own else column.expand(len(now), -1, -1) for i, column in enumerate(columns)
                ]
                lengths = [torch.full((len(now),), column.shape[1]) for column in given]
                logits: Tensor = self.network(list(zip(given, lengths, strict=True)))
                return logits

            whole = columns[own][0]
            scores, value, baseline = integrate(whole, torch.zeros_like(whole), logits_of, target, steps)
            spans = MaskableText.of(fields[own]).spans[: self.model.max_words]
            result.append(PieceScores(spans, scores[: len(spans)], value, baseline))
        return result

    def _vectors(self, text: str) -> Tensor:
        """(1, words, width); a text without words has one blank."""
        import torch

        numbers = self.words.numbers([text], max_words=self.model.max_words)
        device = next(self.network.parameters()).device
        return torch.from_numpy(self.words.stacked(numbers)).to(device)


class _Pieces:
    """One row as the tokenizer splits it: ids, and the spans of the pieces of the explained field in its text."""

    def __init__(
        self, base: Pretrained, first: str, second: str | None, number: int, max_tokens: int
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
        self.inside: Bools = np.array([field == number for field in again.sequence_ids(0)], dtype=bool)
        self.spans = [tuple(again["offset_mapping"][i]) for i in np.flatnonzero(self.inside)]

    def scored(self, embedding: nn.Module, forward: IdsForward, target: int, steps: int) -> PieceScores:
        """The scores of the pieces. embedding: its output is replaced by the points on the path."""
        import torch

        device = next(embedding.parameters()).device
        row = torch.tensor(self.ids, device=device)
        blank = torch.full_like(row, self.base.tokenizer.pad_token_id or 0)
        explained = torch.tensor(self.inside, device=device)
        with torch.no_grad():
            whole = embedding(row)  # (tokens, width)
            start = torch.where(explained[:, None], embedding(blank), whole)

        def logits_of(now: Tensor) -> Tensor:
            hook = embedding.register_forward_hook(lambda module, given, result: now)
            try:
                return forward(row.expand(len(now), -1))
            finally:
                hook.remove()

        scores, value, baseline = integrate(whole, start, logits_of, target, steps)
        return PieceScores(self.spans, scores[self.inside], value, baseline)


def integrate(
    whole: Tensor, start: Tensor, logits_of: Callable[[Tensor], Tensor], target: int, steps: int
) -> tuple[Floats, float, float]:
    """The score of each token, and the label's probability at the end and at the start of the path.

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
    scores = ((whole - start) * slopes).sum(dim=1)
    return scores.cpu().double().numpy(), float(chances[1]), float(chances[0])


def _parts(n_points: int, n_tokens: int) -> Iterator[slice]:
    """The points in parts that fit into memory."""
    size = max(1, TOKENS_AT_ONCE // max(1, n_tokens))
    return (slice(start, start + size) for start in range(0, n_points, size))
