"""What the benchmark scripts share: real short texts, peak memory, the closing line."""

from __future__ import annotations

import gzip
import json
import resource
import sys
from itertools import cycle, islice
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SHORT_TEXTS = (
    ("sst2/train.jsonl.gz", "text"),
    ("snli/train_pool.jsonl.gz", "hypothesis"),
    ("fever/paper_test_supports_refutes.jsonl.gz", "claim"),
)


def rows_of(name: str) -> list[dict[str, Any]]:
    """The rows of one dataset; says what is missing and stops where it is not there."""
    path = DATA / name
    if not path.exists():
        sys.exit(
            f"This benchmark reads {path}, which is not there. Put the dataset in place and run it again."
        )
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def short_texts(n: int) -> tuple[list[str], list[int]]:
    """n short texts with labels 0 and 1, by repeating three datasets."""
    pool = [(row[field], hash_label(row["label"])) for name, field in SHORT_TEXTS for row in rows_of(name)]
    chosen = list(islice(cycle(pool), n))
    return [text for text, _ in chosen], [label for _, label in chosen]


def hash_label(label: str) -> int:
    """Two labels out of the datasets' different ones."""
    return int(label in {"positive", "entailment", "SUPPORTS"})


def peak_mb() -> float:
    """The largest amount of memory this process had so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def finish(script: str, **figures: Any) -> None:
    """Print the closing line for programs."""
    print(json.dumps({"script": script, **figures}))
