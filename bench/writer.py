"""How fast does the writer (the `local` engine) write in ONNX Runtime, all candidates of a text together?

    python bench/writer.py --texts 5 --n 8

Draws n continuations of each text's input lines, up to the end of their line. Tokens per second include reading the input, as a user
waits for both.
"""

from __future__ import annotations

import argparse
import sys
import time

import common
from longway.engines.model_files import installed_adapter, installed_model
from longway.engines.onnx_writer import OnnxWriter, loaded_with
from longway.engines.writer_lines import rewrite_lines

TEXTS = (
    "The museum opened its new wing in the spring of last year.",
    "A boy and his dog are running along the beach.",
    "The plot is thin, but the actors make up for it.",
    "She was born in a small town near the border and moved to the capital at twenty.",
    "Two men are repairing a bicycle in front of a shop.",
)
TEMPERATURE, TOP_P, MAX_TOKENS = 0.9, 0.9, 40


def timed(model: OnnxWriter, texts: list[str], n: int) -> tuple[float, float]:
    """Texts per minute and tokens per second."""

    def draw(text: str, seed: int) -> int:
        draws = model.draw(
            rewrite_lines(text), n, temperature=TEMPERATURE, top_p=TOP_P, max_tokens=MAX_TOKENS, seed=seed
        )
        return sum(one.tokens for one in draws)

    draw("A warm up.", 0)
    started = time.perf_counter()
    tokens = sum(draw(text, seed) for seed, text in enumerate(texts))
    seconds = time.perf_counter() - started
    return 60 * len(texts) / seconds, tokens / seconds


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--texts", type=int, default=5)
    parser.add_argument("--n", type=int, default=8)
    options = parser.parse_args()
    adapter = installed_adapter()
    if adapter is None:
        sys.exit("The writer is not in this installation. It ships with the package: reinstall longway.")
    texts = [TEXTS[i % len(TEXTS)] for i in range(options.texts)]
    per_minute, per_second = timed(loaded_with(installed_model(), adapter.path), texts, options.n)
    print(f"{per_minute:.1f} texts per minute, {per_second:.1f} tokens per second")
    common.finish(
        "bench/writer.py",
        n=options.n,
        texts=len(texts),
        texts_per_minute=round(per_minute, 1),
        tokens_per_second=round(per_second, 1),
        peak_mb=round(common.peak_mb()),
    )


if __name__ == "__main__":
    main()
