"""Plain texts for the teacher to label: what the small pipeline learns from besides the treebank.

    FOLDER/NAME/*.jsonl.gz  ->  texts  ->  sentences as spaCy Docs (no labels)

Only the texts are read, never the labels, and none of them ends up in the pipeline. The evaluation sets of the analysis
(treebank dev and test, `ud_gum`, `gap`, `neutralrewriter`) are not among them, nor are files whose name begins with "test". FEVER's
claims are drawn from all of its files.
"""

from __future__ import annotations

import gzip
import json
import random
import re
from collections.abc import Iterator
from pathlib import Path

# (folder, fields, most texts taken): reviews, captions, encyclopedia, questions, comments, linguists' examples.
SOURCES = (
    ("imdb", ("text",), 10_000),
    ("snli", ("premise", "hypothesis"), 30_000),
    ("mnli", ("premise", "hypothesis"), 26_000),
    ("wanli", ("premise", "hypothesis"), 30_000),
    ("fever", ("claim", "evidence"), 20_000),
    ("qqp", ("text", "text_a", "text_b", "question1", "question2"), 12_000),
    ("mrpc", ("text", "text_a", "text_b", "sentence1", "sentence2"), 6_000),
    ("cola", ("text",), 9_000),
    ("subj", ("text",), 5_000),
    ("rotten_tomatoes_mr", ("text",), 5_000),
    ("yelp_sentences", ("text",), 6_000),
    ("hate_speech_human_cf", ("text", "cf_text"), 3_000),
)
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[]*[A-Z0-9])|\s*(?:<br\s*/?>\s*)+|\s*\n+\s*")


def texts(folder: Path, *, seed: int = 0) -> Iterator[str]:
    """Texts of all sources, each once, in a fixed random order."""
    drawn: dict[str, None] = {}
    chance = random.Random(seed)
    for name, fields, most in SOURCES:
        found = dict.fromkeys(_of(folder / name, fields))
        kept = list(found)
        chance.shuffle(kept)
        drawn.update(dict.fromkeys(kept[:most]))
    order = list(drawn)
    chance.shuffle(order)
    yield from order


def _of(folder: Path, fields: tuple[str, ...]) -> Iterator[str]:
    for path in sorted(folder.glob("*.jsonl.gz")):
        if path.name.startswith("test"):
            continue
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for line in file:
                row = json.loads(line)
                yield from (
                    row[field] for field in fields if isinstance(row.get(field), str) and row[field].strip()
                )


def sentences(text: str) -> list[str]:
    """A text cut at line ends and after full stops: good enough to label, not to teach sentence ends from."""
    return [part.strip() for part in _SENTENCE_END.split(text) if part and part.strip()]
