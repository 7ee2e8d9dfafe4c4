"""Does perturbed text make a pretrained model fairer? Section 5.1 and Table 3 of the perturbation paper, at the size of one machine.

python runs/pretrain.py --made DIR --only-make                     perturbs the corpus into DIR, part by part; what is there is kept
python runs/pretrain.py --made DIR --device cuda --seeds 3         trains on what is in DIR; needs no perturber

The corpus: texts of the datasets in shared/data, documents in windows of 256 tokens, one person changed in each window that mentions one.
For each seed a masked language model is trained from scratch twice, on the windows as they are and on the perturbed ones, with the
same steps, order and masks. Then both are measured with CrowS-Pairs, WEAT/SEAT and HolisticBias.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import Any

import common
from longway.jobs.perturb.settings import PerturbSettings
from longway.jobs.pretrain.corpus import Window, cut, perturb_windows
from longway.tokens.tokenizer import tokenize

# File, columns, and the most documents of it: what one slow core perturbs in less than an hour.
SOURCES: Sequence[tuple[str, tuple[str, ...], int]] = (
    ("imdb/train.jsonl.gz", ("text",), 3000),
    ("gap/development.jsonl.gz", ("text",), 2000),
    ("fever/paper_test_supports_refutes.jsonl.gz", ("evidence",), 8000),
    ("snli/train_pool.jsonl.gz", ("premise",), 15000),
    ("mnli/dev_matched.jsonl.gz", ("premise",), 5000),
    ("rte/train.jsonl.gz", ("premise",), 2500),
    ("mrpc/train.jsonl.gz", ("sentence1",), 3500),
    ("subj/all.jsonl.gz", ("text",), 5000),
    ("rotten_tomatoes_mr/all.jsonl.gz", ("text",), 5000),
    ("yelp_sentences/dev_sample.jsonl.gz", ("text",), 5000),
    ("wikipedia_toxicity_identity_swap/test.jsonl.gz", ("original",), 1500),
    ("ud_ewt/train.conllu.gz", ("# newdoc",), 600),
)
PART = 1000  # windows that are perturbed together and written to one file


def documents(seed: int) -> list[str]:
    """The distinct documents of all sources, in random order, so that any part of them is a fair sample."""
    found: dict[str, None] = {}
    for name, columns, most in SOURCES:
        own = dict.fromkeys(text for text in _texts(common.data(name), columns) if text.strip())
        found |= dict.fromkeys(Random(seed).sample(list(own), min(most, len(own))))
    return Random(seed).sample(list(found), len(found))


def _texts(path: Path, columns: Sequence[str]) -> Iterator[str]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        if ".conllu" in path.name:
            sentences: list[str] = []
            for line in lines:
                if line.startswith("# newdoc") and sentences:
                    yield " ".join(sentences)
                    sentences = []
                elif line.startswith("# text = "):
                    sentences.append(line.removeprefix("# text = ").strip())
            yield " ".join(sentences)
            return
        for line in lines:
            row = json.loads(line)
            yield from (row[name].replace("<br />", "\n").strip() for name in columns)


def make(folder: Path, options: Namespace) -> None:
    """Perturb the windows that are not in the folder yet."""
    windows = cut(documents(options.seed))[: options.windows or None]
    parts = {
        folder / f"part-{number:04}.jsonl": windows[start : start + PART]
        for number, start in enumerate(range(0, len(windows), PART))
    }
    missing = [(path, part) for path, part in parts.items() if not path.exists()]
    print(f"{len(windows):,} windows in {len(parts)} parts, {len(missing)} to perturb", flush=True)
    started, done = time.monotonic(), 0
    write = partial(_make_part, seed=options.seed)
    with Pool(options.processes) if options.processes > 1 else _Alone() as pool:
        for path, n_changed, n_tokens in pool.imap(write, missing):
            done += len(parts[path])
            seconds = time.monotonic() - started
            print(
                f"{path.name}: {n_changed} of {len(parts[path])} windows changed, {n_tokens:,} tokens; "
                f"{done / seconds:.1f} windows/s",
                flush=True,
            )


class _Alone:
    """A pool of this process."""

    imap = staticmethod(map)

    def __enter__(self) -> _Alone:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _make_part(given: tuple[Path, Sequence[tuple[int, str]]], *, seed: int) -> tuple[Path, int, int]:
    path, windows = given
    with tempfile.TemporaryDirectory() as cache:
        made = perturb_windows(windows, PerturbSettings(seed=seed), cache=Path(cache) / "analyses.sqlite")
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    part.write_text("".join(json.dumps(asdict(one)) + "\n" for one in made), encoding="utf-8")
    part.replace(path)
    return path, sum(bool(one.change) for one in made), sum(len(tokenize(one.before)) for one in made)


def made_in(folder: Path) -> list[Window]:
    """The windows in a folder."""
    rows = [json.loads(line) for path in sorted(folder.glob("part-*.jsonl")) for line in path.open()]
    return [Window(**{**row, "change": tuple(row["change"])}) for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--made", type=Path, required=True, help="folder that keeps the perturbed windows")
    parser.add_argument("--only-make", action="store_true", help="perturb, do not train")
    parser.add_argument("--windows", type=int, default=0, help="the most windows; 0: all")
    parser.add_argument("--processes", type=int, default=1, help="parts that are perturbed at the same time")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    options = parser.parse_args()
    if options.only_make:
        make(options.made, options)
    windows = made_in(options.made)
    changes = Counter(one.change[0] for one in windows if one.change)
    figures: dict[str, Any] = {"windows": len(windows), "changed": sum(changes.values()), **changes}
    common.finish("runs/pretrain.py", **figures)


if __name__ == "__main__":
    main()
