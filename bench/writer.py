"""How fast does the writer write? ONNX Runtime, all candidates of a text together, against llama.cpp with the same adapter.

    python bench/writer.py --texts 5 --n 8

Both draw n continuations of the same lines at the same temperature, to the end of their line. Tokens a second are counted over reading and
writing together, as a user waits for them; the ratio is ONNX Runtime's over llama.cpp's.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable

import common
from longway.llm.engine import Sampling
from longway.llm.gguf import Draw, installed_model, loaded
from longway.llm.onnx_model import loaded_with
from longway.llm.writer import installed_writer
from longway.llm.writer_lines import rewrite_lines

TEXTS = (
    "The museum opened its new wing in the spring of last year.",
    "A boy and his dog are running along the beach.",
    "The plot is thin, but the actors make up for it.",
    "She was born in a small town near the border and moved to the capital at twenty.",
    "Two men are repairing a bicycle in front of a shop.",
)
TEMPERATURE, TOP_P = 0.9, 0.9


def timed(draw: Callable[[str, int], list[Draw]], texts: list[str]) -> tuple[float, float]:
    """Texts a minute and tokens a second."""
    draw(rewrite_lines("A warm up."), 0)
    started, tokens = time.perf_counter(), 0
    for seed, text in enumerate(texts):
        tokens += sum(one.tokens for one in draw(rewrite_lines(text), seed))
    seconds = time.perf_counter() - started
    return 60 * len(texts) / seconds, tokens / seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=5)
    parser.add_argument("--n", type=int, default=8)
    options = parser.parse_args()
    writer = installed_writer()
    if writer is None:
        sys.exit("The writer is not in this installation. It comes with the package; install longway again.")
    texts = [TEXTS[i % len(TEXTS)] for i in range(options.texts)]
    onnx, llama_cpp = loaded_with(installed_model(), writer.path), loaded(installed_model(), writer.path)
    most = 40
    found = {
        "onnxruntime": timed(
            lambda lines, seed: onnx.draw(
                lines, [TEMPERATURE] * options.n, top_p=TOP_P, most=most, seed=seed
            ),
            texts,
        ),
        "llama_cpp": timed(
            lambda lines, seed: llama_cpp.draw(
                lines, "", options.n, sampling=Sampling(TEMPERATURE, TOP_P, max_tokens=most), seed=seed
            ),
            texts,
        ),
    }
    print(f"{'':14}{'texts a minute':>16}{'tokens a second':>18}")
    for name, (per_minute, per_second) in found.items():
        print(f"{name:14}{per_minute:16.1f}{per_second:18.1f}")
    ratio = found["onnxruntime"][1] / found["llama_cpp"][1]
    print(f"ratio of tokens a second: {ratio:.1f}")
    common.finish(
        "bench/writer.py",
        n=options.n,
        texts=len(texts),
        ratio=round(ratio, 2),
        texts_per_minute={name: round(one[0], 1) for name, one in found.items()},
        tokens_per_second={name: round(one[1], 1) for name, one in found.items()},
        peak_mb=round(common.peak_mb()),
    )


if __name__ == "__main__":
    main()
