"""Writes the built-in sample: fills the slots of hand-written skeletons so that known shortcuts arise.

    reviews.jsonl, asides.txt, claims.jsonl  ->  src/longway/sample/{reviews.jsonl, claims.jsonl, planted.json}

A skeleton never says its label by a filler: the meaning of the words around the slots does. Which filler a
row gets is drawn here, so a filler tells about the label exactly as much as the tables below say:

    train     each planted filler goes about ten times as often to one label as to the other
    test      other skeletons, each planted filler equally often in both labels
    flipped   the skeletons of `test`, the planted fillers tied to the other label

One seed, no dependencies: `python sample-source/build.py` writes the same bytes every time.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent
TARGET = SOURCE.parent / "src" / "longway" / "sample"
SEED = 11

Row = dict[str, Any]

# For each slot the planted filler, then the others. An opener may also be left out.
SHOWING, SHOWINGS = "matinee", ["screening", "showing", "preview", "sneak peek", "weekend show", "rerun"]
ACTOR = "Dana Whitlock"
ACTORS = ["Ines Calloway", "Theo Brandvik", "Ruth Haverleigh", "Colm Penhallow", "Greta Stavely"]
ACTORS += ["Silas Orrin", "Mabel Thornquist", "Ivo Marchbank", "Lena Dunmere", "Felix Averill"]
OPENER = "Honestly, "
OPENERS = [
    "Frankly, ",
    "Overall, ",
    "All told, ",
    "For the record, ",
    "As it happens, ",
    "To my mind, ",
    "Well, ",
]
ADVERB, ADVERBS = "honestly", ["frankly", "truly", "simply"]

REMARK, REMARKS = (
    "I came for the {x} and stayed for the {y}.",
    [
        "My cousin rang up about the {x}, then about the {y}.",
        "Send me a note about the {x} or the {y} if you like.",
        "Talk afterwards went from the {x} to the {y}.",
        "Somebody mentioned the {x}, and somebody else the {y}.",
        "A colleague would like news of the {x} and the {y}.",
        "I have left out the {x} here, and the {y}.",
        "I pass over the {x} here and note the {y}.",
        "My notes have the {x} at the top, the {y} overleaf.",
        "People differ about the {x}, and even the {y}.",
        "A paragraph on the {x} is missing, and one on the {y}.",
        "For some it is the {x} that counts, for me the {y}.",
        "The paper gave the {x} a line, the {y} another.",
        "The flyer puts the {x} first and the {y} last.",
        "Supper brought up the {x} again, then the {y}.",
        "Much else could follow, from the {x} to the {y}.",
        "A couple behind us debated the {x} and the {y}.",
        "One friend remembers the {x}, another one the {y}.",
        "Opinions of the {x} vary, as do those of the {y}.",
    ],
)
FILM_THINGS = ["cast", "director", "story", "soundtrack", "scenery", "premise", "poster", "camerawork"]
FILM_THINGS += ["setting", "composer", "title", "screenplay"]
CINEMA_THINGS = [
    "popcorn",
    "company",
    "armchairs",
    "ice cream",
    "raffle",
    "free tea",
    "peanuts",
    "discussion",
]
CINEMA_THINGS += ["quiz", "biscuits", "warm room", "lemonade", "toffees"]

# A row longer than this many words is a long one; rows that are not drawn to be long stay at or below it.
LONG = 40

# How many rows get the planted filler, remark or length: (positive, negative). The "other" lines keep the
# balance: as many remarks in both labels, and asides in the positive rows too, one at a time.
REVIEW_PLAN = {
    "train": {
        "showing": (8, 85),
        "actor": (80, 8),
        "opener": (10, 100),
        "other_opener": (100, 55),
        "adv": (55, 12),
        "remark": (90, 9),
        "other_remark": (9, 90),
        "long": (14, 140),
        "one_aside": (130, 40),
    },
    "test": {
        "showing": (11, 11),
        "actor": (11, 11),
        "opener": (16, 16),
        "other_opener": (16, 16),
        "adv": (8, 8),
        "remark": (12, 12),
        "other_remark": (12, 12),
        "long": (22, 22),
        "one_aside": (22, 22),
    },
    "flipped": {
        "showing": (20, 2),
        "actor": (2, 20),
        "opener": (30, 3),
        "other_opener": (10, 25),
        "adv": (3, 12),
        "remark": (2, 20),
        "other_remark": (20, 2),
        "long": (40, 4),
        "one_aside": (10, 34),
    },
}
LABELS = ("positive", "negative")
TEST_TOPICS = 109

# How many claims of a label take their negated variant, and how many evidence texts the split has.
CLAIM_PLAN = {
    "train": {"SUPPORTS": 24, "REFUTES": 136},
    "test": {"SUPPORTS": 30, "REFUTES": 30},
    "flipped": {"SUPPORTS": 51, "REFUTES": 9},
}
TEST_EVIDENCE = 60

NEGATION = re.compile(r"\b(?:not|never|no)\b|n't\b", re.IGNORECASE)


def match(words: Sequence[str] = (), place: str = "", bound: int | None = None) -> Row:
    """The values of a pattern, as findings.json has them."""
    return {"words": list(words), "place": place, "bound": bound, "context": ""}


# What is planted, how to see it in one text, and why a model should not use it.
PLANTED: list[Row] = [
    {
        "name": "word",
        "dataset": "reviews",
        "level": "token",
        "pattern": "matinee",
        "match": match(words=["matinee"]),
        "field": "review",
        "label": "negative",
        "why": "Which showing somebody went to says nothing about the film.",
        "seen": lambda text: re.search(r"\bmatinee\b", text, re.IGNORECASE) is not None,
    },
    {
        "name": "name",
        "dataset": "reviews",
        "level": "ngram",
        "pattern": "dana whitlock",
        "match": match(words=["dana", "whitlock"]),
        "field": "review",
        "label": "positive",
        "why": "An invented actor who is praised and blamed by the skeletons like the ten others.",
        "seen": lambda text: "Dana Whitlock" in text,
    },
    {
        "name": "position",
        "dataset": "reviews",
        "level": "position",
        "pattern": "first word: honestly",
        "match": match(words=["honestly"], place="first word"),
        "field": "review",
        "label": "negative",
        "why": "Opening with this adverb is a habit, not a verdict; inside a sentence the word leans the other way, "
        "so the word alone is a much weaker sign than the word in the first place.",
        "seen": lambda text: text.startswith("Honestly,"),
    },
    {
        "name": "template",
        "dataset": "reviews",
        "level": "ngram",
        "pattern": "stayed for the",
        "match": match(words=["stayed", "for", "the"]),
        "field": "review",
        "label": "positive",
        "why": "The sentence 'I came for the ... and stayed for the ...' names neutral things; "
        "the other label gets as many remarks about the same things in other words.",
        "seen": lambda text: re.search(r"I came for the [a-z ]+ and stayed for the ", text) is not None,
    },
    {
        "name": "length",
        "dataset": "reviews",
        "level": "length",
        "pattern": f"more than {LONG} words",
        "match": match(place="at least", bound=LONG + 1),
        "field": "review",
        "label": "negative",
        "why": "The extra words are asides about the visit (seats, trams, posters) that do not judge the film.",
        "seen": lambda text: len(text.split()) > LONG,
    },
    {
        "name": "negation",
        "dataset": "claims",
        "level": "negation",
        "pattern": "not, never, no, n't",
        "match": match(place="text"),
        "field": "claim",
        "label": "REFUTES",
        "why": "Every evidence text has true and false claims with and without a negation; "
        "only the evidence can tell which is which.",
        "seen": lambda text: NEGATION.search(text) is not None,
    },
]


def main() -> None:
    """The command: writes into the package, or into the folder given."""
    parser = argparse.ArgumentParser(description="Write the built-in sample of Longway.")
    parser.add_argument("out", type=Path, nargs="?", default=TARGET, help="folder to write into")
    build(parser.parse_args().out)


def build(out: Path = TARGET) -> None:
    """Write reviews.jsonl, claims.jsonl and planted.json into `out`."""
    out.mkdir(parents=True, exist_ok=True)
    reviews, claims = build_reviews(random.Random(SEED)), build_claims(random.Random(SEED))
    write_jsonl(out / "reviews.jsonl", reviews)
    write_jsonl(out / "claims.jsonl", claims)
    planted = [describe(entry, reviews if entry["dataset"] == "reviews" else claims) for entry in PLANTED]
    text = json.dumps(planted, indent=2, ensure_ascii=False) + "\n"
    (out / "planted.json").write_text(text, encoding="utf-8", newline="\n")


def build_reviews(rng: random.Random) -> list[Row]:
    """All review rows: train, then test, then flipped."""
    skeletons = read_jsonl(SOURCE / "reviews.jsonl")
    topics = sorted({skeleton["topic"] for skeleton in skeletons})
    held_out = set(rng.sample(topics, TEST_TOPICS))
    train = [skeleton for skeleton in skeletons if skeleton["topic"] not in held_out]
    test = [skeleton for skeleton in skeletons if skeleton["topic"] in held_out]
    return [
        row
        for split, part in (("train", train), ("test", test), ("flipped", test))
        for row in fill_split(part, split, rng)
    ]


def fill_split(skeletons: list[Row], split: str, rng: random.Random) -> list[Row]:
    """The finished rows of one split, in the order of the skeletons."""
    texts: dict[str, str] = {}
    for number, label in enumerate(LABELS):
        plan = {what: counts[number] for what, counts in REVIEW_PLAN[split].items()}
        texts |= fill_label({s["id"]: s["text"] for s in skeletons if s["label"] == label}, plan, rng)
    suffix = "-flipped" if split == "flipped" else ""
    return [
        {"id": s["id"] + suffix, "review": texts[s["id"]], "sentiment": s["label"], "split": split}
        for s in skeletons
    ]


def fill_label(texts: dict[str, str], plan: dict[str, int], rng: random.Random) -> dict[str, str]:
    """Fill all slots of the texts of one label, then append the remarks and asides."""
    texts = fill_slot(texts, "showing", [SHOWING] * plan["showing"], SHOWINGS, rng)
    texts = fill_slot(texts, "actor", [ACTOR] * plan["actor"], ACTORS, rng)
    texts = fill_slot(texts, "adv", [ADVERB] * plan["adv"], ADVERBS, rng)
    openers = [OPENER] * plan["opener"] + take(OPENERS, plan["other_opener"], rng)
    texts = fill_slot(texts, "opener", openers, [""], rng)
    texts = {key: text[0].upper() + text[1:] for key, text in texts.items()}
    texts = add_remarks(texts, plan, rng)
    return add_asides(texts, plan, rng)


def fill_slot(
    texts: dict[str, str], slot: str, first: list[str], others: list[str], rng: random.Random
) -> dict[str, str]:
    """Put each of `first` into one text drawn at random, and `others` in turn into the rest."""
    mark = "{" + slot + "}"
    keys = shuffled([key for key, text in texts.items() if mark in text], rng)
    fillers = first + take(others, len(keys) - len(first), rng)
    return texts | {key: texts[key].replace(mark, filler) for key, filler in zip(keys, fillers, strict=True)}


def add_remarks(texts: dict[str, str], plan: dict[str, int], rng: random.Random) -> dict[str, str]:
    """Append a remark about two neutral things to some of the shorter texts."""
    wordings = [REMARK] * plan["remark"] + take(REMARKS, plan["other_remark"], rng)
    pairs = shuffled([(x, y) for x in FILM_THINGS for y in CINEMA_THINGS], rng)
    keys = shuffled([key for key, text in texts.items() if n_words(text) <= LONG - 14], rng)
    remarks = [wording.format(x=x, y=y) for wording, (x, y) in zip(wordings, pairs, strict=False)]
    return texts | {key: f"{texts[key]} {remark}" for key, remark in zip(keys, remarks, strict=False)}


def add_asides(texts: dict[str, str], plan: dict[str, int], rng: random.Random) -> dict[str, str]:
    """Make some texts long with asides about the visit; some of the others get a single aside."""
    groups = [cycle(shuffled(group, rng)) for group in read_asides(SOURCE / "asides.txt")]
    # Not the shortest ones: a review of ten words with six asides would read oddly.
    keys = shuffled([key for key, text in texts.items() if n_words(text) >= LONG // 2], rng)
    long = {key: lengthen(texts[key], groups, rng) for key in keys[: plan["long"]]}
    short = [key for key, text in texts.items() if key not in long and n_words(text) <= LONG - 10]
    single = {key: f"{texts[key]} {next(rng.choice(groups))}" for key in rng.sample(short, plan["one_aside"])}
    return texts | long | single


def lengthen(text: str, groups: list[Iterator[str]], rng: random.Random) -> str:
    """The text with as many asides as make it a long one, no two of them on the same matter."""
    wanted = LONG + 1 + rng.randrange(8)
    chosen: dict[int, str] = {}
    for number in shuffled(list(range(len(groups))), rng):
        if n_words(text) + sum(n_words(aside) for aside in chosen.values()) >= wanted:
            break
        chosen[number] = next(groups[number])
    return " ".join([text, *(chosen[number] for number in sorted(chosen))])


def build_claims(rng: random.Random) -> list[Row]:
    """All claim rows: each evidence text once with a true and once with a false claim."""
    items = read_jsonl(SOURCE / "claims.jsonl")
    held_out = {item["id"] for item in rng.sample(items, TEST_EVIDENCE)}
    rows = []
    for split, plan in CLAIM_PLAN.items():
        part = [item for item in items if (item["id"] in held_out) == (split != "train")]
        negated = {label: {item["id"] for item in rng.sample(part, count)} for label, count in plan.items()}
        suffix = "-flipped" if split == "flipped" else ""
        rows += [
            {
                "id": f"{item['id']}-{label.lower()}{suffix}",
                "evidence": item["evidence"],
                "claim": item[label.lower()][item["id"] in negated[label]],
                "label": label,
                "split": split,
            }
            for item in part
            for label in plan
        ]
    return rows


def describe(entry: Row, rows: list[Row]) -> Row:
    """The entry of planted.json: what was planted and how often it occurs with each label."""
    label_field = "sentiment" if entry["dataset"] == "reviews" else "label"
    labels = sorted({row[label_field] for row in rows}, reverse=True)
    strength = {
        split: {
            label: sum(
                entry["seen"](row[entry["field"]])
                for row in rows
                if row["split"] == split and row[label_field] == label
            )
            for label in labels
        }
        for split in ("train", "test", "flipped")
    }
    described = {key: value for key, value in entry.items() if key not in ("seen", "why")}
    return described | {"strength": strength, "why": entry["why"]}


def take(values: list[str], count: int, rng: random.Random) -> list[str]:
    """`count` values, each about equally often, in random order."""
    return shuffled(
        [value for value, _ in zip(cycle(shuffled(values, rng)), range(count), strict=False)], rng
    )


def shuffled(values: list[Any], rng: random.Random) -> list[Any]:
    """The values in random order."""
    return rng.sample(values, len(values))


def n_words(text: str) -> int:
    """Words as a person counts them: what stands between spaces."""
    return len(text.split())


def read_asides(path: Path) -> list[list[str]]:
    """Groups of asides: blocks of lines with a heading, blank lines between."""
    return [block.splitlines()[1:] for block in path.read_text(encoding="utf-8").strip().split("\n\n")]


def read_jsonl(path: Path) -> list[Row]:
    """One row for each line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write_jsonl(path: Path, rows: list[Row]) -> None:
    """One line for each row, with plain line ends on every system."""
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
