"""How fast is MiniLM's forward pass? torch, ONNX Runtime, and ONNX Runtime with weights of 8 bits.

    python bench/encoder.py --rows 200

All three get the same batches of similar length. The vectors of each are compared with torch's: the largest difference of any
number, and the lowest cosine. Both matter to a classifier on top, so speed alone does not decide.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable

import numpy as np

import common
from longway.models.minilm import MiniLM, model_folder

ROUNDS = 3


def torch_forward() -> Callable:
    import torch
    from transformers import AutoModel

    model = AutoModel.from_pretrained(str(model_folder()), use_safetensors=True, dtype=torch.float32).eval()

    def forward(ids, segments, mask):
        with torch.inference_mode():
            given = (torch.from_numpy(part) for part in (ids, mask.astype(np.int64), segments))
            return model(*given).last_hidden_state.numpy()

    return forward


def with_forward(encoder: MiniLM, forward: Callable) -> MiniLM:
    other = MiniLM(encoder.weights, encoder.tokenizer)
    other.forward = forward
    return other


def timed(encoder: MiniLM, texts: list[str]) -> tuple[float, float, np.ndarray]:
    """Texts per second of wall clock and of processor time, the best of some rounds; and the vectors."""
    encoder.embed(texts[:8])
    walls, processors = [], []
    for _ in range(ROUNDS):
        start, busy = time.perf_counter(), time.process_time()
        vectors = encoder.embed(texts)
        walls.append(time.perf_counter() - start)
        processors.append(time.process_time() - busy)
    return len(texts) / min(walls), len(texts) / min(processors), vectors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    texts = common.short_texts(200_000)[0]
    chosen = np.random.default_rng(options.seed).permutation(len(texts))[: options.rows]
    texts = [texts[i] for i in chosen]
    encoder = MiniLM.load()
    runtimes = {
        "torch": with_forward(encoder, torch_forward()),
        "onnx": encoder,
        "onnx_int8": encoder.rounded,
    }
    print(f"{len(texts)} texts, {sum(map(len, texts)) / len(texts):.0f} characters on average")
    print(f"{'':12}{'texts/s':>10}{'texts/CPU s':>13}{'largest difference':>20}{'lowest cosine':>15}")
    figures: dict[str, float] = {}
    expected = None
    for name, runtime in runtimes.items():
        wall, processor, vectors = timed(runtime, texts)
        expected = vectors if expected is None else expected
        difference = float(np.abs(vectors - expected).max())
        cosine = float((vectors * expected).sum(axis=1).min())
        print(f"{name:12}{wall:10.1f}{processor:13.1f}{difference:20.1e}{cosine:15.6f}")
        figures |= {
            f"{name}_texts_s": round(wall, 1),
            f"{name}_texts_cpu_s": round(processor, 1),
            f"{name}_difference": float(f"{difference:.2e}"),
            f"{name}_cosine": round(cosine, 6),
        }
    common.finish("bench/encoder.py", rows=len(texts), peak_mb=round(common.peak_mb()), **figures)


if __name__ == "__main__":
    main()
