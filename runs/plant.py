"""Plant known shortcuts in a clean dataset, and make test sets that show whether a model uses them.

python runs/plant.py reviews.csv --kind word --kind length:0.9 --rate 0.1 --out planted
python runs/plant.py claims.jsonl --text claim --context evidence --kind overlap --for SUPPORTS --test dev.jsonl --out planted

Writes the training rows with the shortcuts, the test rows three times (shortcuts tied to the other labels, to none, and no shortcuts at
all) and planted.json with the truth. The same command gives the same files. See docs/planting.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import common
import longway as lw


def parse_kind(text: str, strength: float) -> tuple[str, float, str]:
    """Kind, strength and value of KIND[:STRENGTH][=VALUE].

    >>> parse_kind("word:0.8=matinee", 0.95), parse_kind("length", 0.95)
    (('word', 0.8, 'matinee'), ('length', 0.95, ''))
    """
    head, _, value = text.partition("=")
    name, colon, number = head.partition(":")
    try:
        return name.strip(), float(number) if colon else strength, value.strip()
    except ValueError:
        sys.exit(
            f"--kind {text!r} has no number after the colon. Expected KIND[:STRENGTH][=VALUE]. Try {name}:0.9."
        )


def plants_of(options: argparse.Namespace, labels: list[str]) -> list[lw.Plant]:
    """The shortcuts, each with the label that it predicts."""
    given = options.labels or labels
    if len(options.labels) not in (0, 1, len(options.kind)):
        sys.exit(
            f"--for was given {len(options.labels)} times for {len(options.kind)} shortcuts. Give it once, or once for each."
        )
    kinds = [parse_kind(text, options.strength) for text in options.kind]
    return [
        lw.Plant(kind, given[i % len(given)], strength, options.rate, value)
        for i, (kind, strength, value) in enumerate(kinds)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", help="anything that `longway audit` reads")
    parser.add_argument(
        "--kind", action="append", metavar="KIND[:STRENGTH][=VALUE]", help="repeatable; default: word"
    )
    parser.add_argument(
        "--strength", type=float, default=0.95, help="the label's share among the rows with a shortcut"
    )
    parser.add_argument("--rate", type=float, default=0.3, help="share of rows that get each shortcut")
    parser.add_argument(
        "--for",
        dest="labels",
        action="append",
        default=[],
        metavar="LABEL",
        help="the label that a shortcut predicts; repeatable",
    )
    parser.add_argument(
        "--test", metavar="FILE", help="test rows; default: the split test or dev, else a fifth of the rows"
    )
    for name in ("text", "context", "label"):
        parser.add_argument(f"--{name}", help="its column; default: guessed")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, required=True, help="folder for the files")
    options = parser.parse_args()
    options.kind = options.kind or ["word"]
    try:
        data = lw.load(options.data, text=options.text, context=options.context, label=options.label)
        roles = data.columns
        test = options.test and lw.load(
            options.test, text=roles.text, context=roles.context or "", label=roles.label
        )
        planted = lw.plant_shortcuts(data, plants_of(options, data.labels), test=test, seed=options.seed)
        files = planted.write(options.out)
    except lw.LongwayError as error:
        sys.exit(f"plant.py: {error}")
    print(f"{'plant':12} {'value':24} {'predicts':12} {'rows':>6} {'share':>7} {'showing it anyway':>18}")
    for one in planted.parts["train"].truth:
        n, shown = len(one.ids), sum(one.shown.values())
        share = one.planted[one.plant.label] / n if n else 0.0
        print(
            f"{one.plant.kind:12} {one.plant.value[:24]:24} {one.plant.label[:12]:12} {n:>6} {share:>7.0%} {shown - n:>18}"
        )
    print(f"\nFind them: longway audit {files['train']}")
    common.finish(
        "runs/plant.py", rows=len(planted.divided.train_rows), test_rows=len(planted.divided.test_rows)
    )


if __name__ == "__main__":
    main()
