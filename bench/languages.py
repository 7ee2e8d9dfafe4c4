"""Is an audit in another language as fast as in English, per character?

    python bench/languages.py --characters 1000000

Rows of the same length in characters in each language, made as in runs/languages.py, are audited one language after the other. Processor time
counts, so that other programs do not. ratio: seconds per character over those of English. tokens: the same for finding the words alone.
"""

from __future__ import annotations

import argparse
import os
import runpy
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"  # threads that wait for each other count as processor time, too

import common
from longway.data import load
from longway.jobs.audit.job import audit
from longway.jobs.audit.settings import AuditSettings, levels_named
from longway.languages.words import tokenizer_for

_TEXTS = runpy.run_path(str(Path(__file__).resolve().parents[1] / "runs" / "languages.py"))
LANGUAGES, made_rows, planted_in = (_TEXTS[name] for name in ("LANGUAGES", "made_rows", "planted_in"))
LENGTH = 300  # characters; in shorter rows, whole sentences would differ too much
SETTINGS = AuditSettings(levels=levels_named("-grammar"))


def rows_of(language: str, characters: int, seed: int) -> list[dict[str, str]]:
    """Rows of about `LENGTH` characters each, this number of characters together."""
    size = sum(len(row["text"]) for row in made_rows(planted_in(language, seed), 400, seed)) / 400
    made = made_rows(planted_in(language, seed), 2 * round(characters / size / 2), seed)
    rows, waiting = [], {"a": "", "b": ""}
    for row in made:
        label = row["label"]
        waiting[label] = f"{waiting[label]} {row['text']}".strip()
        if len(waiting[label]) >= LENGTH:
            rows.append({"text": waiting[label], "label": label})
            waiting[label] = ""
    return rows


def seconds(call, *args) -> float:
    start = time.process_time()
    call(*args)
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--characters", type=int, default=1_000_000)
    parser.add_argument("--only", nargs="*", default=list(LANGUAGES), choices=list(LANGUAGES))
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    print(f"{'language':9} {'rows':>7} {'words':>8} {'audit':>8} {'ratio':>6}")
    for language in dict.fromkeys(["en", *options.only]):
        rows = rows_of(language, options.characters, options.seed)
        size = sum(len(row["text"]) for row in rows)
        audit(load(rows[:400]), SETTINGS)  # loads what is loaded once
        tokens = seconds(tokenizer_for([language]).lists, [row["text"] for row in rows]) / size
        took = seconds(audit, load(rows), SETTINGS) / size
        english = figures.get("en", {"audit": took})["audit"]
        figures[language] = {"tokens": tokens, "audit": took, "ratio": took / english}
        print(
            f"{language:9} {len(rows):7,} {tokens * 1e6:6.2f} s {took * 1e6:6.2f} s {took / english:6.2f}",
            flush=True,
        )
    print("seconds per million characters, of one processor")
    common.finish(
        "bench/languages.py",
        characters=options.characters,
        ratio={k: v["ratio"] for k, v in figures.items()},
        languages=figures,
    )


if __name__ == "__main__":
    main()
