"""Cases on real data: 300 rows each of public datasets, which lie beside the repository and are left out where they do not.

Only hashes and figures of these recordings are kept (`digest.py`); no text is.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterable
from pathlib import Path
from typing import Any

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
ROWS = 300
TEXTS = {
    "fever": ("fever/paper_test_supports_refutes", ("claim", "evidence", "label")),
    "snli": ("snli/train_balanced", ("premise", "hypothesis", "label")),
    "sst2": ("sst2/train", ("text", "label")),
    "imdb": ("imdb/train", ("text", "label")),
}
CANDIDATES = {"quiz": "choice/mmlu", "preferences": "choice/arena_preferences"}
MIXED = "mixed"  # English and German


def is_here() -> bool:
    """Whether the data lie beside the repository."""
    return SHARED.is_dir()


def write_data(folder: Path) -> None:
    """Write the rows that the cases read."""
    for name, (file, columns) in TEXTS.items():
        rows = list(_drawn(file))
        _write(folder / f"{name}.jsonl", ({key: row[key] for key in columns} for row in rows[:ROWS]))
        _write(folder / f"{name}-test.jsonl", ({key: row[key] for key in columns} for row in rows[ROWS:]))
    for name, file in CANDIDATES.items():
        _write(folder / f"{name}.jsonl", list(_drawn(file))[:ROWS])
    _write(folder / f"{MIXED}.jsonl", _mixed(folder / "sst2.jsonl"))


def _drawn(file: str) -> Iterable[dict[str, Any]]:
    """Twice as many rows as a case reads, drawn with a fixed seed: the second half is to test on."""
    with gzip.open(SHARED / f"{file}.jsonl.gz", "rt", encoding="utf-8") as opened:
        rows = [json.loads(line) for line in opened]
    return random.Random(0).sample(rows, min(len(rows), 2 * ROWS))


def _mixed(english: Path) -> list[dict[str, str]]:
    """Half of the rows in English, half of our own German sentences in pairs, "nicht" more often in negative ones."""
    from tests.languages.foreign_sentences import FOREIGN

    random_ = random.Random(0)
    rows = [json.loads(line) for line in english.read_text(encoding="utf-8").splitlines()][: ROWS // 2]
    german = FOREIGN["de"]
    for _ in range(ROWS - len(rows)):
        label = random_.choice(("positive", "negative"))
        added = " Das war nicht anders zu erwarten." if label == "negative" and random_.random() < 0.6 else ""
        rows.append({"text": f"{' '.join(random_.sample(german, 2))}{added}", "label": label})
    random_.shuffle(rows)
    return rows


def _write(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
