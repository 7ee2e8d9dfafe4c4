"""Put the full names of people that WordNet knows into the list of widely known people, beside those written by hand.

python train/famous_people.py --database FOLDER

FOLDER has WordNet 3.0's data.noun (see `train/wordnet.py`). Taken are the instances ("@i") in noun.person whose name has two words or more:
single names are shared with many others. Lines written by hand have a gender and stay as they are; lines from WordNet have "-".
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

from longway.english.people.words import FAMOUS_PATH, plain

HEADER = """\
# Widely known people: full name, gender (m, f, n; - if not stated), single names that are used for this person alone.
# Lines with a gender were written for Longway; lines with "-" are the people of WordNet 3.0 (train/famous_people.py).
"""
PERSON_FILE = "18"  # the number of noun.person


def wordnet_names(data: Path) -> Iterator[str]:
    """The names of several words of all people that are instances in WordNet."""
    for line in data.read_text(encoding="latin-1").splitlines():
        fields = line.split(" | ")[0].split()
        if line.startswith(" ") or fields[1] != PERSON_FILE or "@i" not in fields:
            continue
        n_words = int(fields[3], 16)
        names = [fields[4 + 2 * i].replace("_", " ") for i in range(n_words)]
        yield from (name for name in names if re.fullmatch(r"[A-Z][\w.'-]*( [\w.'-]+)* [A-Z][\w.'-]*", name))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--database", type=Path, required=True, help="a folder with data.noun")
    options = parser.parse_args()
    lines = [
        line for line in FAMOUS_PATH.read_text(encoding="utf-8").splitlines() if not line.startswith("#")
    ]
    by_hand = {line.split("\t")[0]: line for line in lines if line.split("\t")[1] != "-"}
    others = {plain(name) for name in wordnet_names(options.database / "data.noun")} - by_hand.keys()
    rows = [*by_hand.values(), *(f"{name}\t-\t" for name in others)]
    FAMOUS_PATH.write_text(HEADER + "\n".join(sorted(rows)) + "\n", encoding="utf-8")
    print(f"{len(by_hand):,} written by hand, {len(others):,} from WordNet")


if __name__ == "__main__":
    main()
