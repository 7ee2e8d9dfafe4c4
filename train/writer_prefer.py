"""Learning from pairs of answers to one question: an accepted one and a refused one (direct preference optimisation, arXiv 2305.18290).

    loss = -log sigmoid(beta * ((log p(better) - log p0(better)) - (log p(worse) - log p0(worse)))) - ANCHOR * mean log p(better)

p0 is the network as it was when this began. The last term keeps accepted answers likely: without it both may become unlikely together.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from longway.engines.scoring.gguf_weights import read_gguf
from writer_model import Network

BETA, ANCHOR = 0.1, 0.2


def prefer(args: argparse.Namespace) -> None:
    """Go on from --start with the pairs in --data; adapter.npz and preferred.jsonl go to --out."""
    torch.manual_seed(args.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    network = Network(read_gguf(args.base), rank=args.rank, layers=args.layers, dtype=dtype).to(device)
    network.load_adapter(dict(np.load(args.start)))
    trained = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trained, lr=args.rate, betas=(0.9, 0.98))
    kept = np.load(args.data / "pairs.npz")
    pairs = texts_of(kept)
    with torch.no_grad():
        before = torch.cat([log_p(network, part).cpu() for part in _parts(pairs, 2 * args.rows)])
    order, step = np.random.default_rng(args.seed), 0
    args.out.mkdir(parents=True, exist_ok=True)
    began = time.time()
    with (args.out / "preferred.jsonl").open("w", encoding="utf-8") as curve:
        while step < args.steps if args.steps else time.time() - began < 60 * args.minutes:
            chosen = order.integers(len(pairs) // 2, size=args.rows)
            rows = [2 * i + side for i in chosen.tolist() for side in (0, 1)]
            now = log_p(network, [pairs[i] for i in rows])
            loss, right = preference_loss(now, before[rows].to(device))
            lengths = torch.tensor([len(pairs[i][0]) - pairs[i][1] for i in rows[::2]], device=device)
            (loss - ANCHOR * (now[::2] / lengths).mean()).backward()
            torch.nn.utils.clip_grad_norm_(trained, 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            step += 1
            if step % 20 == 0:
                line = {"step": step, "loss": float(loss.detach()), "right": float(right)}
                curve.write(json.dumps(line) + "\n")
                print(line, flush=True)
    np.savez(args.out / "adapter.npz", **network.adapter())
    print(f"{step} steps on {len(pairs) // 2} pairs, {time.time() - began:.0f} s", flush=True)


def preference_loss(now: Tensor, before: Tensor) -> tuple[Tensor, Tensor]:
    """The loss, and the share of pairs whose better answer gained more. Both are better, worse, better, worse ..."""
    gain = (now - before).view(-1, 2)
    margin = gain[:, 0] - gain[:, 1]
    return -functional.logsigmoid(BETA * margin).mean(), (margin > 0).float().mean()


def log_p(network: Network, texts: Sequence[tuple[np.ndarray, int]]) -> Tensor:
    """The log-likelihood of each answer. texts: tokens, and where the answer begins."""
    device = network.embedding.device
    longest = max(len(tokens) for tokens, _ in texts)
    ids = torch.zeros(len(texts), longest, dtype=torch.long)
    answer = torch.zeros(len(texts), longest, dtype=torch.bool)
    for row, (tokens, start) in enumerate(texts):
        ids[row, : len(tokens)] = torch.from_numpy(tokens.astype(np.int64))
        answer[row, start : len(tokens)] = True
    ids, answer = ids.to(device), answer.to(device)
    places = torch.arange(longest, device=device).expand(len(texts), longest)
    mask = torch.ones(longest, longest, dtype=torch.bool, device=device).tril()[None, None]
    states = network(ids, places, mask)[:, :-1]
    at = answer[:, 1:]
    found = functional.log_softmax(network.logits(states[at]), dim=-1)
    each = found.gather(1, ids[:, 1:][at][:, None])[:, 0]
    rows = torch.arange(len(texts), device=device)[:, None].expand_as(at)[at]
    return torch.zeros(len(texts), device=device).index_add(0, rows, each)


def texts_of(kept: Any) -> list[tuple[np.ndarray, int]]:
    """Tokens of question and answer with the answer's place: better, worse, better, worse ..."""
    tokens, starts = kept["tokens"], kept["starts"]
    return [(tokens[a:b], int(at)) for a, b, at in zip(starts[:-1], starts[1:], kept["answers"], strict=True)]


def _parts(texts: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [texts[start : start + size] for start in range(0, len(texts), size)]
