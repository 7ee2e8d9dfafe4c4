"""Train the writer that ships with the package: `pack` here, `train` where a GPU is, `export` here.

    python train/writer.py pack                                     datasets -> build/writer: rows, tokens, counts
    python train/writer.py train --data DIR --base GGUF --out DIR --minutes 8
    python train/writer.py train ... --resume                       goes on with the last checkpoint in --out
    python train/writer.py prefer --data DIR --base GGUF --start NPZ --out DIR         accepted answers against refused ones
    python train/writer.py questions --out DIR                      questions for the writer and for a larger model
    python train/writer.py sample --data DIR --base GGUF --out DIR  the writer's own answers
    python train/writer.py ask --from DIR --model NAME --base-url URL --minutes 8      a larger model's answers; goes on where it stopped
    python train/writer.py judge --from DIR --model NAME --base-url URL --minutes 8    what a larger model says of all answers; likewise
    python train/writer.py teach --from DIR                         those that are confirmed become rows; then pack and train again
    python train/writer.py export --from DIR                        GGUF, about.json -> src/longway/engines/writer_model

`train` needs torch and numpy and nothing else, no dataset and no network. The loss counts answers alone; texts are packed into rows of 512
tokens and see only themselves. The rate rises, then falls with the time that is left, so that a run of any length ends well.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
CHECKPOINT = 120.0  # seconds between two


def train(args: argparse.Namespace) -> None:
    """Train for some minutes; adapter.npz, curve.jsonl, dev.json and samples.txt go to --out."""
    import torch
    from torch.nn.functional import cross_entropy

    from longway.engines.scoring.gguf_weights import read_gguf
    from writer_model import Network

    started = time.time()
    torch.manual_seed(args.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    network = Network(read_gguf(args.base), rank=args.rank, layers=args.layers, dtype=dtype).to(device)
    trained = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(
        trained, lr=args.rate, betas=(0.9, 0.98), weight_decay=0.01, fused=device == "cuda"
    )
    rows = Rows(args.data / "train.npz", args.seed, room=args.room)
    args.out.mkdir(parents=True, exist_ok=True)
    checkpoint = args.out / "checkpoint.pt"
    spent, step = 0.0, 0
    if args.resume and checkpoint.exists():
        kept = torch.load(checkpoint, map_location=device, weights_only=True)
        network.load_state_dict(kept["network"])
        optimizer.load_state_dict(kept["optimizer"])
        spent, step = kept["spent"], kept["step"]
        rows.skip(kept["batches"])
    elif args.start:
        network.load_adapter(dict(np.load(args.start)))
    total, seen, last, began = args.minutes * 60, 0, time.time(), time.time()
    curve = (args.out / "curve.jsonl").open("a" if spent else "w", encoding="utf-8")
    losses: list[Any] = []
    while True:
        share = step / args.steps if args.steps else (spent + time.time() - began) / total
        if share >= 1:
            break
        rate = args.rate * min(1.0, (step + 1) / 50) * (0.5 + 0.5 * math.cos(math.pi * share))
        for group in optimizer.param_groups:
            group["lr"] = max(rate, 1e-6)
        ids, places, mask, at, wanted = (part.to(device) for part in rows.batch(args.rows))
        states = network(ids, places, mask).flatten(0, 1)[at]
        loss = cross_entropy(network.logits(states), wanted)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(trained, 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(loss.detach())
        step, seen = step + 1, seen + ids.numel()
        if step % 20 == 0:
            mean, losses = float(torch.stack(losses).mean()), []
            speed = seen / (time.time() - began)
            curve.write(
                json.dumps({"step": step, "loss": mean, "rate": rate, "tokens_a_second": speed}) + "\n"
            )
            curve.flush()
            print(
                f"step {step} {share:.0%} loss {mean:.4f} {speed:,.0f} tokens/s pass {rows.passes}",
                flush=True,
            )
        if time.time() - last > CHECKPOINT:
            last = time.time()
            _save(checkpoint, network, optimizer, spent + time.time() - began, step, rows.batches)
    _save(checkpoint, network, optimizer, spent + time.time() - began, step, rows.batches)
    np.savez(args.out / "adapter.npz", **network.adapter())
    if (args.data / "dev.npz").exists() and not args.steps:
        measure(network, args)
    print(f"{step} steps, {time.time() - started:.0f} s in all", flush=True)


def _save(path: Path, network: Any, optimizer: Any, spent: float, step: int, batches: int) -> None:
    import torch

    kept = {
        "network": network.state_dict(),
        "optimizer": optimizer.state_dict(),
        "spent": spent,
        "step": step,
        "batches": batches,
    }
    torch.save(kept, path.with_suffix(".new"))
    path.with_suffix(".new").replace(path)


class Rows:
    """The packed rows of a file, mixed anew for every pass."""

    def __init__(self, path: Path, seed: int, *, room: int = 512) -> None:
        kept = np.load(path)
        self.tokens, self.starts, self.answers = kept["tokens"], kept["starts"], kept["answers"]
        self.random = np.random.default_rng(seed)
        self.weights, self.room = kept["weights"], room
        self.passes = self.batches = 0
        self._waiting: list[list[int]] = []

    def __len__(self) -> int:
        return len(self.answers)

    def skip(self, batches: int) -> None:
        """Go on after so many batches in other orders: what was seen before is not drawn in the same order again."""
        self.random = np.random.default_rng([batches, 1])
        self.batches = batches

    def text(self, number: int) -> np.ndarray:
        """The tokens of one text, prompt and answer."""
        return self.tokens[self.starts[number] : self.starts[number + 1]]

    def batch(self, n: int) -> tuple[Any, ...]:
        """n packed rows: ids, places, mask, which states predict an answer's tokens, and those tokens."""
        import torch

        chosen = [self._next() for _ in range(n)]
        self.batches += 1
        ids = np.zeros((n, self.room), np.int64)
        places = np.zeros((n, self.room), np.int64)
        number = np.full((n, self.room), -1, np.int64)
        at, wanted = [], []
        for row, texts in enumerate(chosen):
            place = 0
            for text in texts:
                tokens = self.text(text)
                stop = place + len(tokens)
                ids[row, place:stop] = tokens
                places[row, place:stop] = np.arange(len(tokens))
                number[row, place:stop] = text
                first = place + self.answers[text]
                at.append(row * self.room + np.arange(first - 1, stop - 1))
                wanted.append(ids[row, first:stop])
                place = stop
        text_of = torch.from_numpy(number)
        same = text_of[:, None, :, None] == text_of[:, None, None, :]
        mask = same & torch.ones(self.room, self.room, dtype=torch.bool).tril()
        return (
            torch.from_numpy(ids),
            torch.from_numpy(places),
            mask,
            torch.from_numpy(np.concatenate(at)),
            torch.from_numpy(np.concatenate(wanted)),
        )

    def _next(self) -> list[int]:
        from writer_model import packed

        if not self._waiting:
            # A weight of 2.5 means twice in every pass, and once more in every other.
            times = np.floor(self.weights + self.random.random(len(self.weights))).astype(np.int64)
            drawn = self.random.permutation(np.repeat(np.arange(len(times)), times))
            lengths = (self.starts[1:] - self.starts[:-1])[drawn].tolist()
            self._waiting = [[int(drawn[i]) for i in row] for row in packed(lengths, self.room)]
            self.passes += 1
        return self._waiting.pop()


def measure(network: Any, args: argparse.Namespace) -> None:
    """Likeliest answers on held-out rows, by job and source: how many are word for word the wanted ones."""
    import torch

    from writer_model import write

    kept = Rows(args.data / "dev.npz", 0)
    names = json.loads((args.data / "dev.json").read_text())
    prompts = [kept.text(i)[: kept.answers[i]].tolist() for i in range(len(kept))]
    wanted = [kept.text(i)[kept.answers[i] :].tolist() for i in range(len(kept))]
    ends = json.loads((args.data / "ends.json").read_text())
    network.eval()
    with torch.autocast("cuda", enabled=False):
        new = write(network, prompts, ends=ends, most=96)
    right: dict[str, list[bool]] = {}
    for name, one, other in zip(names, new, wanted, strict=True):
        right.setdefault(name, []).append(one == other[:-1])
    figures = {name: [float(np.mean(found)), len(found)] for name, found in sorted(right.items())}
    (args.out / "dev_figures.json").write_text(json.dumps(figures, indent=1))
    np.savez_compressed(
        args.out / "dev_answers.npz", tokens=np.concatenate([[*t, 0] for t in new]).astype(np.uint16)
    )
    print(json.dumps(figures, indent=1), flush=True)


def sample(args: argparse.Namespace) -> None:
    """n answers of the adapter in --out to each question in --data: answers.npz beside the questions."""
    import torch

    from longway.engines.scoring.gguf_weights import read_gguf
    from writer_model import Network, write

    device = "cuda" if torch.cuda.is_available() else "cpu"
    dtype = torch.bfloat16 if device == "cuda" else torch.float32
    network = Network(read_gguf(args.base), rank=args.rank, layers=args.layers, dtype=dtype).to(device)
    network.load_adapter(dict(np.load(args.out / "adapter.npz")))
    network.eval()
    kept = np.load(args.data / "sample.npz")
    tokens, starts = kept["tokens"], kept["starts"]
    prompts = [tokens[a:b].tolist() for a, b in pairwise(starts.tolist())]
    ends = json.loads((args.data / "ends.json").read_text())
    began = time.time()
    flat: list[int] = []
    for number in range(args.n):
        warm = (0.6, 0.8, 1.0, 1.2)[number % 4]
        generator = torch.Generator(device).manual_seed(args.seed + number)
        for answer in write(network, prompts, ends=ends, most=72, temperature=warm, generator=generator):
            flat += [*answer, 0]
        print(f"draw {number + 1} of {args.n} at {warm}: {time.time() - began:.0f} s", flush=True)
    np.savez_compressed(args.data / "answers.npz", tokens=np.array(flat, np.uint16))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("pack")
    one.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    one.add_argument("--out", type=Path, default=ROOT / "build" / "device" / "writer")
    one.set_defaults(run=pack)
    for name, run in (("train", train), ("prefer", prefer), ("sample", sample)):
        one = commands.add_parser(name)
        one.add_argument("--data", type=Path, required=True)
        one.add_argument("--base", type=Path, required=True)
        one.add_argument("--out", type=Path, required=True)
        one.add_argument("--rank", type=int, default=32)
        one.add_argument("--layers", type=int, default=None)
        one.add_argument("--seed", type=int, default=0)
        one.set_defaults(run=run)
        if name == "sample":
            one.add_argument("--n", type=int, default=8)
            continue
        one.add_argument("--minutes", type=float, default=8)
        one.add_argument("--steps", type=int, default=0)
        one.add_argument("--rate", type=float, default=1e-3 if name == "train" else 5e-5)
        one.add_argument("--rows", type=int, default=64)
        if name == "prefer":
            one.add_argument("--start", type=Path, required=True)
            continue
        one.add_argument("--room", type=int, default=512, help="tokens of a packed row")
        one.add_argument("--resume", action="store_true")
        one.add_argument("--start", type=Path, default=None)
    one = commands.add_parser("questions")
    one.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    one.add_argument("--out", type=Path, required=True)
    one.add_argument("--each", type=int, default=5000, help="sources of each dataset")
    one.set_defaults(run=questions)
    for name, run in (("ask", ask), ("judge", judge)):
        one = commands.add_parser(name)
        one.add_argument("--from", dest="source", type=Path, required=True)
        one.add_argument("--model", required=True)
        one.add_argument("--base-url", required=True)
        one.add_argument("--minutes", type=float, default=8)
        one.add_argument("--at-once", type=int, default=48, help="questions in flight")
        one.set_defaults(run=run)
    one = commands.add_parser("teach")
    one.add_argument("--shared", type=Path, default=ROOT.parent / "shared" / "data")
    one.add_argument("--from", dest="source", type=Path, required=True)
    one.set_defaults(run=teach)
    one = commands.add_parser("export")
    one.add_argument("--from", dest="source", type=Path, required=True)
    one.add_argument("--out", type=Path, default=ROOT / "src" / "longway" / "engines" / "writer_model")
    one.set_defaults(run=export)
    args = parser.parse_args()
    args.run(args)


def prefer(args: argparse.Namespace) -> None:
    """Preference pairs."""
    import writer_prefer

    writer_prefer.prefer(args)


def pack(args: argparse.Namespace) -> None:
    """Rows, tokens and counts."""
    from writer_pack import pack_all

    pack_all(args.shared, args.out)


def questions(args: argparse.Namespace) -> None:
    """What the writer and a larger model are asked."""
    import writer_taught
    from writer_data import Shared

    writer_taught.write_questions(args.out, writer_taught.questions(Shared.of(args.shared), args.each))


def ask(args: argparse.Namespace) -> None:
    """A larger model's answers."""
    import writer_taught

    writer_taught.ask(
        args.source, model=args.model, base_url=args.base_url, minutes=args.minutes, at_once=args.at_once
    )


def judge(args: argparse.Namespace) -> None:
    """What a larger model says of the answers."""
    import writer_judged

    writer_judged.judge(
        args.source, model=args.model, base_url=args.base_url, minutes=args.minutes, at_once=args.at_once
    )


def teach(args: argparse.Namespace) -> None:
    """Rows from the answers."""
    from writer_data import Shared
    from writer_pack import PAIRS, ROWS, TAUGHT
    from writer_taught import pairs_of, taught, write

    rows = list(taught(args.source, Shared.of(args.shared)))
    write(ROWS / TAUGHT, rows)
    write(ROWS / PAIRS, pairs_of(args.source, rows))


def export(args: argparse.Namespace) -> None:
    """The adapter as it ships."""
    from writer_export import export_all

    export_all(args.source, args.out)


if __name__ == "__main__":
    main()
