"""The entailment model in torch, as trained: BERT's layers as plain functions over named weights.

The names are those of BERT's files, so that a weight learned here is the weight of the same name in
`longway/models/minilm.py`, the numpy twin. Word embeddings stay as they are.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F  # noqa: N812

WORDS = "embeddings.word_embeddings.weight"


class CrossEncoder(nn.Module):
    """Token ids and segments of pairs -> three logits each."""

    def __init__(self, weights: dict[str, Tensor], *, heads: int = 12, dropout: float = 0.1) -> None:
        super().__init__()
        self.heads, self.dropout = heads, dropout
        self.names = {name.replace(".", "/"): name for name in weights}
        self.weights = nn.ParameterDict(
            {
                key: nn.Parameter(weights[name].clone(), requires_grad=name != WORDS)
                for key, name in self.names.items()
            }
        )
        width = weights["embeddings.LayerNorm.weight"].shape[0]
        self.layers = sum(name.endswith("self.query.weight") for name in weights)
        self.head = nn.Linear(2 * width, 3)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def named(self) -> dict[str, Tensor]:
        """The weights by BERT's names, without the word embeddings, and the head's."""
        found = {name: self.weights[key].data for key, name in self.names.items() if name != WORDS}
        return found | {"head.weight": self.head.weight.data, "head.bias": self.head.bias.data}

    def put(self, weights: dict[str, Tensor]) -> None:
        """Take over weights by name."""
        with torch.no_grad():
            for key, name in self.names.items():
                if name in weights:
                    self.weights[key].copy_(weights[name])
            self.head.weight.copy_(weights["head.weight"])
            self.head.bias.copy_(weights["head.bias"])

    def forward(self, ids: Tensor, segments: Tensor, mask: Tensor) -> Tensor:
        """Logits for entails, contradicts, neutral: (batch, 3)."""
        rate = self.dropout if self.training else 0.0
        x = self._w(WORDS)[ids] + self._w("embeddings.position_embeddings.weight")[: ids.shape[1]]
        x = x + self._w("embeddings.token_type_embeddings.weight")[segments]
        x = F.dropout(self._normed(x, "embeddings.LayerNorm"), rate)
        for i in range(self.layers):
            x = self._layer(x, mask, f"encoder.layer.{i}.", rate)
        weight = mask.to(x.dtype)[..., None]
        mean = (x * weight).sum(1) / weight.sum(1)
        return self.head(F.dropout(torch.cat([x[:, 0], mean], dim=1), rate)).float()

    def _layer(self, x: Tensor, mask: Tensor, prefix: str, rate: float) -> Tensor:
        B, T, C = x.shape
        q, k, v = (
            self._dense(x, f"{prefix}attention.self.{part}").view(B, T, self.heads, -1).transpose(1, 2)
            for part in ("query", "key", "value")
        )  # (B, heads, T, C / heads)
        mixed = F.scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None, :], dropout_p=rate)
        mixed = mixed.transpose(1, 2).reshape(B, T, C)
        mixed = F.dropout(self._dense(mixed, f"{prefix}attention.output.dense"), rate)
        x = self._normed(x + mixed, f"{prefix}attention.output.LayerNorm")
        inner = self._dense(F.gelu(self._dense(x, f"{prefix}intermediate.dense")), f"{prefix}output.dense")
        return self._normed(x + F.dropout(inner, rate), f"{prefix}output.LayerNorm")

    def _w(self, name: str) -> Tensor:
        return self.weights[name.replace(".", "/")]

    def _dense(self, x: Tensor, name: str) -> Tensor:
        return F.linear(x, self._w(name + ".weight"), self._w(name + ".bias"))

    def _normed(self, x: Tensor, name: str) -> Tensor:
        return F.layer_norm(x, x.shape[-1:], self._w(name + ".weight"), self._w(name + ".bias"), 1e-12)


class Packed:
    """Tokenised pairs on one device, cut into batches of like length."""

    def __init__(self, arrays: dict[str, Any], device: str) -> None:
        self.device = device
        self.ids = torch.as_tensor(arrays["ids"].astype("int32"), device=device)
        self.lengths = torch.as_tensor(arrays["lengths"].astype("int64"))
        self.there = self.lengths.to(device)  # the same, beside the ids
        self.starts = (self.lengths.cumsum(0) - self.lengths).to(device)
        self.second = torch.as_tensor(arrays["second"].astype("int64"), device=device)
        answers = torch.as_tensor(arrays["answers"].astype("int64"), device=device)
        self.right = torch.stack([(answers >> i) & 1 for i in range(3)], dim=1).bool()
        self.bias = torch.as_tensor(arrays["bias"].astype("float32"), device=device)
        self.source = arrays["source"]
        self.twice = torch.as_tensor(arrays["twice"])  # rows that come twice in an epoch

    def __len__(self) -> int:
        return len(self.lengths)

    def batch(self, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Ids, segments and mask of some rows."""
        longest = int(self.lengths[rows].max())
        longest += -longest % 8
        rows = rows.to(self.device)
        at = torch.arange(longest, device=self.device)
        mask = at < self.there[rows][:, None]
        places = (self.starts[rows][:, None] + at).clamp(max=len(self.ids) - 1)
        ids = torch.where(mask, self.ids[places], 0).long()
        segments = ((at >= self.second[rows][:, None]) & mask).long()
        return ids, segments, mask

    def batches(self, rows: Tensor, tokens: int, generator: torch.Generator | None) -> list[Tensor]:
        """Rows in batches of about so many tokens; shuffled where a generator is given."""
        if generator is not None:
            rows = rows[torch.randperm(len(rows), generator=generator)]
        found: list[Tensor] = []
        for part in rows.split(20_000 if generator is not None else len(rows)):
            part = part[self.lengths[part].argsort()]
            lengths, start = self.lengths[part], 0
            while start < len(part):
                end = start + 1
                while end < len(part) and int(lengths[min(end, len(part) - 1)]) * (end - start + 1) <= tokens:
                    end = min(len(part), end + max(1, (end - start) // 8))
                found.append(part[start:end])
                start = end
        if generator is None:
            return found
        return [found[i] for i in torch.randperm(len(found), generator=generator).tolist()]
