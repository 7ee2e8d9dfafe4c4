"""Does perturbed text make a pretrained model fairer? Section 5.1 and Table 3 of the perturbation paper, at the size of one machine.

python runs/pretrain.py --made DIR --only-make                     perturbs the corpus into DIR, part by part; what is there is kept
python runs/pretrain.py --made DIR --device cuda --seeds 3         trains on what is in DIR; needs no perturber

The corpus: texts of the datasets in shared/data, documents in windows of 256 tokens, one person changed in each window that mentions one.
For each seed a masked language model is trained from scratch twice, on the windows as they are and on the perturbed ones, with the
same steps, order and masks. Both are measured with CrowS-Pairs, WEAT/SEAT and HolisticBias, and on held-out documents.

Figures are the mean and standard deviation over seeds. A difference is that of the two models of one seed; p is from a paired t-test over
seeds. Measures that were computed are kept in --trained and not repeated; the models themselves are deleted unless --keep.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import tempfile
import time
from argparse import Namespace
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from scipy.stats import ttest_rel

import common
from longway.jobs.perturb.settings import PerturbSettings
from longway.jobs.pretrain.corpus import Window, cut, perturb_windows
from longway.jobs.pretrain.job import Pretraining, read_windows, write_windows
from longway.jobs.pretrain.result import AFTER, BEFORE, START, TrainedModel, table_3
from longway.jobs.pretrain.settings import PretrainSettings
from longway.jobs.run import Watcher
from longway.metrics import json_values
from longway.metrics.intervals import mean_and_std
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
    write_windows(path, made)
    return path, sum(bool(one.change) for one in made), sum(len(tokenize(one.before)) for one in made)


def made_in(folder: Path) -> list[Window]:
    """The windows in a folder."""
    return [window for path in sorted(folder.glob("part-*.jsonl")) for window in read_windows(path)]


class _Printed(Watcher):
    """Prints the steps of a training."""

    def __init__(self, seed: int) -> None:
        self._seed, self._since = seed, time.monotonic()

    def step(self, name: str) -> None:
        """A step begins."""
        now = time.monotonic()
        print(f"  {now - self._since:6.1f} s; seed {self._seed}: {name}", flush=True)
        self._since = now


def figures_of(model: TrainedModel) -> dict[str, float]:
    """The figures of one model: those of Table 3, and its perplexity."""
    measured = {name: figure.value for name, figure in table_3(model.measures).items()}
    if model.measures is not None and (weat := model.measures.weat) is not None:
        measured["WEAT/SEAT, mean size of d"] = weat.overall.mean_size.value
    measured["Perplexity, original text"] = model.on_original.perplexity
    measured["Perplexity, perturbed text"] = model.on_perturbed.perplexity
    return measured


def train(windows: Sequence[Window], seed: int, options: Namespace) -> dict[str, dict[str, float]]:
    """The figures of each model of one seed; read from the folder if they are there."""
    settings = PretrainSettings(
        model=options.model,
        steps=options.steps,
        batch=options.batch,
        length=options.length,
        lr=options.lr,
        crows_pairs=common.data("crows_pairs/all.jsonl.gz"),
        weat=common.data("weat_seat/tests.jsonl.gz"),
        holistic=common.data("holistic_bias"),
        measure_limit=options.measure_limit,
        per_descriptor=options.per_descriptor,
        seed=seed,
        device=options.device,
    )
    about = json.dumps({**json_values(settings.recorded()), "windows": len(windows)}, sort_keys=True)
    folder = options.trained / f"{options.model.replace(':', '-')}-{seed}"
    path, of = folder / "figures.json", folder / "about.json"
    if not of.exists() or of.read_text(encoding="utf-8") != about:
        shutil.rmtree(folder, ignore_errors=True)  # of another training
        folder.mkdir(parents=True)
        of.write_text(about, encoding="utf-8")
    if path.exists():
        known: dict[str, dict[str, float]] = json.loads(path.read_text(encoding="utf-8"))
        return known
    is_first = seed == options.first
    pretraining = Pretraining(windows, settings, folder, _Printed(seed), with_start=is_first)
    found = {model.name: figures_of(model) for model in pretraining.models()}
    print(f"{pretraining.sequences:,} sequences, {pretraining.weights:,} weights on {pretraining.device}")
    path.write_text(json.dumps(found), encoding="utf-8")
    if not options.keep:
        for name in (START, BEFORE, AFTER, "measures"):
            shutil.rmtree(folder / name, ignore_errors=True)
    return found


def table(by_seed: Sequence[dict[str, dict[str, float]]]) -> list[dict[str, Any]]:
    """Table 3 over seeds; printed."""
    print(f"\n{'':28}{'untrained':>10}{'original':>18}{'perturbed':>18}{'difference':>20}{'p':>8}")
    rows = []
    for name in by_seed[0][BEFORE]:
        before, after = ([one[side][name] for one in by_seed] for side in (BEFORE, AFTER))
        difference = [new - old for old, new in zip(before, after, strict=True)]
        is_tested = len(by_seed) > 1 and np.std(difference) > 0
        p = float(ttest_rel(after, before).pvalue) if is_tested else None
        start = by_seed[0][START][name]
        spread = [mean_and_std(values) for values in (before, after, difference)]
        shown = "".join(f"{mean:>{width}.2f} ± {std:<5.2f}" for width, (mean, std) in zip((10, 10, 12), spread, strict=True))  # fmt: skip
        print(f"{name:28}{start:>10.2f}{shown}{'-' if p is None else f'{p:.3f}':>8}")
        rows.append({"measure": name, "untrained": start, "original": before, "perturbed": after, "p": p})
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--made", type=Path, required=True, help="folder that keeps the perturbed windows")
    parser.add_argument("--only-make", action="store_true", help="perturb, do not train")
    parser.add_argument("--windows", type=int, default=0, help="the most windows; 0: all")
    parser.add_argument("--processes", type=int, default=1, help="parts that are perturbed at the same time")
    parser.add_argument("--seed", type=int, default=0, help="of what is drawn")
    parser.add_argument("--trained", type=Path, help="folder of the trainings; default: in --made")
    parser.add_argument("--keep", action="store_true", help="keep the trained models")
    parser.add_argument(
        "--model", default="new:small", help="new:tiny, new:small, new:medium, new:base or hf:FOLDER"
    )
    parser.add_argument("--seeds", type=int, default=3, help="trainings of each kind")
    parser.add_argument("--first", type=int, default=0, help="the first of them")
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--batch", type=int, default=256, help="sequences per step")
    parser.add_argument("--length", type=int, default=128, help="tokens of a sequence")
    parser.add_argument("--lr", type=float)
    parser.add_argument("--measure-limit", type=int, help="the most pairs, tests and sentences")
    parser.add_argument("--per-descriptor", type=int, default=64, help="sentences of HolisticBias")
    parser.add_argument("--device", default="auto", choices=["auto", "cpu", "cuda"])
    options = parser.parse_args()
    options.trained = options.trained or options.made / "trained"
    if options.only_make or not list(options.made.glob("part-*.jsonl")):
        make(options.made, options)
    windows = made_in(options.made)[: options.windows or None]
    changes = Counter(one.change[0] for one in windows if one.change)
    about: dict[str, Any] = {"windows": len(windows), "changed": changes.total(), **changes}
    print(", ".join(f"{name} {n:,}" for name, n in about.items()), flush=True)
    if not options.only_make:
        seeds = range(options.first, options.first + options.seeds)
        about |= {"model": options.model, "steps": options.steps, "seeds": len(seeds)}
        about["rows"] = table([train(windows, seed, options) for seed in seeds])
    common.finish("runs/pretrain.py", **about)


if __name__ == "__main__":
    main()
