"""The embedded model with an adapter that can be trained: a Llama in torch, its weights those of the GGUF file, unpacked and frozen.

    network = Network(read_gguf(path), rank=32)      every dense layer is W x + (alpha / rank) B (A x), as llama.cpp computes it
    network(ids, places, mask)                       the last states; `network.logits(states)` over the vocabulary
    write(network, prompts, ...)                     continuations of many prompts together

Only A and B are trained. B starts at zero: the first step is the plain model's.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

DENSE = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
ALPHA = 2.0  # times the rank: what B A is multiplied by, as it is usual for adapters


class Dense(nn.Module):
    """A frozen matrix and its adapter; rank 0 has none."""

    def __init__(self, weight: Tensor, rank: int) -> None:
        super().__init__()
        out, into = weight.shape
        self.register_buffer("weight", weight, persistent=False)
        self.a = nn.Parameter(torch.randn(rank, into) / into**0.5) if rank else None
        self.b = nn.Parameter(torch.zeros(out, rank)) if rank else None

    def forward(self, x: Tensor) -> Tensor:  # (N, in) -> (N, out)
        y = x @ self.weight.T
        if self.a is None or self.b is None:
            return y
        return torch.addmm(y, x @ self.a.to(x.dtype).T, (ALPHA * self.b).to(x.dtype).T)


class Layer(nn.Module):
    """Attention and a gated dense part."""

    def __init__(self, tensors: dict[str, Tensor], heads: int, shared: int, tiny: float, rank: int) -> None:
        super().__init__()
        self.heads, self.shared, self.tiny = heads, shared, tiny
        self.dense = nn.ModuleDict({name: Dense(tensors[name], rank) for name in DENSE})
        for name in ("attn_norm", "ffn_norm"):
            self.register_buffer(name, tensors[name], persistent=False)

    def forward(
        self, x: Tensor, turns: tuple[Tensor, Tensor], mask: Tensor, past: list[Tensor] | None = None
    ) -> Tensor:
        """x: (B, T, C). mask: (B, 1, T, S), True where a token is seen. past: keys and values so far, replaced here."""
        B, T, C = x.shape
        h = normed(x, self.attn_norm, self.tiny).reshape(B * T, C)
        q, k, v = (
            self.dense[f"attn_{part}"](h).reshape(B, T, -1, C // self.heads).transpose(1, 2) for part in "qkv"
        )  # (B, heads, T, D); k and v have fewer heads
        q, k = turned(q, *turns), turned(k, *turns)
        if past is not None:
            if past:
                k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)
            past[:] = [k, v]
        k, v = (one.repeat_interleave(self.shared, dim=1) for one in (k, v))
        mixed = (
            functional.scaled_dot_product_attention(q, k, v, attn_mask=mask).transpose(1, 2).reshape(B * T, C)
        )
        x = x + self.dense["attn_output"](mixed).reshape(B, T, C)
        h = normed(x, self.ffn_norm, self.tiny).reshape(B * T, C)
        gated = functional.silu(self.dense["ffn_gate"](h)) * self.dense["ffn_up"](h)
        return x + self.dense["ffn_down"](gated).reshape(B, T, C)


class Network(nn.Module):
    """The whole network. layers: how many of its layers are used, None for all (a test takes few)."""

    def __init__(
        self, file: Any, *, rank: int, layers: int | None = None, dtype: torch.dtype = torch.bfloat16
    ) -> None:
        super().__init__()
        about = file.settings
        self.base = float(about["llama.rope.freq_base"])
        self.tiny = float(about["llama.attention.layer_norm_rms_epsilon"])
        heads = int(about["llama.attention.head_count"])
        shared = heads // int(about["llama.attention.head_count_kv"])
        tensors = {name: torch.from_numpy(values).to(dtype) for name, values in file.tensors.items()}
        self.register_buffer("embedding", tensors["token_embd.weight"], persistent=False)
        self.register_buffer("output_norm", tensors["output_norm.weight"], persistent=False)
        self.register_buffer(
            "out", tensors.get("output.weight", tensors["token_embd.weight"]), persistent=False
        )
        self.width = self.embedding.shape[1] // heads
        self.layers = nn.ModuleList(
            Layer(of_layer(tensors, number), heads, shared, self.tiny, rank)
            for number in range(layers or int(about["llama.block_count"]))
        )

    def forward(
        self, ids: Tensor, places: Tensor, mask: Tensor, past: list[list[Tensor]] | None = None
    ) -> Tensor:
        """The last states. ids, places: (B, T), a token's number and where it stands in its own text."""
        x = functional.embedding(ids, self.embedding)
        powers = torch.arange(0, self.width, 2, device=ids.device) / self.width
        angles = places[:, None, :, None] * self.base**-powers  # (B, 1, T, D / 2)
        turns = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        for number, layer in enumerate(self.layers):
            x = layer(x, turns, mask, None if past is None else past[number])
        return normed(x, self.output_norm, self.tiny)

    def logits(self, states: Tensor) -> Tensor:
        """Over the vocabulary, as 32-bit floats."""
        return (states @ self.out.T).float()

    def adapter(self) -> dict[str, np.ndarray]:
        """A and B of every dense layer under llama.cpp's names, 16 bits; alpha / rank is not in them."""
        found = {}
        for number, layer in enumerate(self.layers):
            for name in DENSE:
                dense = layer.dense[name]
                found[f"blk.{number}.{name}.weight.lora_a"] = (
                    dense.a.detach().cpu().numpy().astype(np.float16)
                )
                found[f"blk.{number}.{name}.weight.lora_b"] = (
                    dense.b.detach().cpu().numpy().astype(np.float16)
                )
        return found

    def load_adapter(self, found: dict[str, np.ndarray]) -> None:
        """Take over what `adapter` gave."""
        with torch.no_grad():
            for number, layer in enumerate(self.layers):
                for name in DENSE:
                    layer.dense[name].a.copy_(torch.from_numpy(found[f"blk.{number}.{name}.weight.lora_a"]))
                    layer.dense[name].b.copy_(torch.from_numpy(found[f"blk.{number}.{name}.weight.lora_b"]))


def of_layer(tensors: dict[str, Tensor], number: int) -> dict[str, Tensor]:
    """One layer's tensors by their short names."""
    start = f"blk.{number}."
    return {
        name.removeprefix(start).removesuffix(".weight"): values
        for name, values in tensors.items()
        if name.startswith(start)
    }


def normed(x: Tensor, weight: Tensor, tiny: float) -> Tensor:
    """Root mean square norm."""
    return functional.rms_norm(x, (x.shape[-1],), weight, tiny)


def turned(x: Tensor, cosine: Tensor, sine: Tensor) -> Tensor:
    """Rotary positions: neighbouring numbers are turned together, as the file's weights expect."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cosine - odd * sine, even * sine + odd * cosine), dim=-1).flatten(-2)


@torch.no_grad()
def write(
    network: Network,
    prompts: Sequence[Sequence[int]],
    *,
    ends: Sequence[int],
    most: int = 64,
    temperature: float = 0.0,
    top_p: float = 0.95,
    at_once: int = 1024,
    generator: torch.Generator | None = None,
) -> list[list[int]]:
    """A continuation of each prompt, up to a token of `ends`, which is left out; temperature 0 takes the likeliest token."""
    found: list[list[int]] = [[] for _ in prompts]
    order = sorted(range(len(prompts)), key=lambda i: len(prompts[i]))
    for start in range(0, len(order), at_once):
        rows = order[start : start + at_once]
        tokens = _written(network, [prompts[i] for i in rows], set(ends), most, temperature, top_p, generator)
        for place, row in enumerate(rows):
            found[row] = tokens[place]
    return found


def _written(
    network: Network,
    prompts: Sequence[Sequence[int]],
    ends: set[int],
    most: int,
    temperature: float,
    top_p: float,
    generator: torch.Generator | None,
) -> list[list[int]]:
    device = network.embedding.device
    longest = max(map(len, prompts))
    ids = torch.zeros(len(prompts), longest, dtype=torch.long)
    seen = torch.zeros(len(prompts), longest, dtype=torch.bool)
    for row, prompt in enumerate(prompts):  # filled up on the left, so that all go on at the same place
        ids[row, longest - len(prompt) :] = torch.tensor(prompt)
        seen[row, longest - len(prompt) :] = True
    ids, seen = ids.to(device), seen.to(device)
    places = (seen.cumsum(1) - 1).clamp(min=0)
    causal = torch.ones(longest, longest, dtype=torch.bool, device=device).tril()
    mask = causal[None, None] & seen[:, None, None, :]
    mask = (
        mask | torch.eye(longest, dtype=torch.bool, device=device)[None, None]
    )  # no row of a mask may be empty
    past: list[list[Tensor]] = [[] for _ in network.layers]
    states = network(ids, places, mask, past)[:, -1]
    end = torch.tensor(sorted(ends), device=device)
    done = torch.zeros(len(prompts), dtype=torch.bool, device=device)
    written, place = [], places[:, -1]
    for _ in range(most):
        token = _chosen(network.logits(states), temperature, top_p, generator)
        done |= torch.isin(token, end)
        written.append(torch.where(done, -1, token))
        if bool(done.all()):
            break
        place = place + 1
        seen = torch.cat([seen, torch.ones_like(done)[:, None]], dim=1)
        states = network(token[:, None], place[:, None], seen[:, None, None, :], past)[:, -1]
    return [[t for t in row if t >= 0] for row in torch.stack(written, dim=1).tolist()]


def _chosen(logits: Tensor, temperature: float, top_p: float, generator: torch.Generator | None) -> Tensor:
    if not temperature:
        return logits.argmax(-1)
    best, tokens = logits.topk(64, dim=-1)  # the rest is never among the likeliest 95%, or hardly
    shares = torch.softmax(best / temperature, dim=-1)
    shares = shares * (shares.cumsum(-1) - shares < top_p)
    drawn = torch.multinomial(shares, 1, generator=generator)
    return tokens.gather(1, drawn)[:, 0]


def packed(lengths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Which texts share a row of `room` tokens: first fit, in the order given."""
    open_rows: list[tuple[int, list[int]]] = []
    for text, length in enumerate(lengths):
        if length > room:
            continue
        for number, (left, row) in enumerate(open_rows):
            if length <= left:
                row.append(text)
                open_rows[number] = (left - length, row)
                break
        else:
            open_rows.append((room - length, [text]))
        if len(open_rows) > 32:
            fullest = min(range(len(open_rows)), key=lambda i: open_rows[i][0])
            yield open_rows.pop(fullest)[1]
    yield from (row for _, row in open_rows)
