"""Writes the built-in sample: joins hand-written pieces so that known shortcuts arise.

    reviews.jsonl     what is told about a film; a premise has one positive and one negative review
    verdicts.toml     sentences that judge, with slots for words of either side
    plants.toml       names, words, openings and remarks that say nothing about a film
    asides.txt        sentences about the visit, to make a review long
    claims.jsonl      evidence with true and false claims
                      ->  src/longway/sample/{reviews.jsonl, claims.jsonl, planted.json}

What a review tells and judges carries its label. What is planted carries none: the seed draws one entry of each list in plants.toml, and the
tables below say how many rows of each label get it.

    train     each plant goes about fourteen times as often to one label as to the other
    test      other premises and other sentences, each plant equally often in both labels
    flipped   the rows of `test`, the plants tied to the other label

No dependencies: `python sample-source/build.py` writes the same bytes every time, `--seed` draws other plants, `--plain` plants nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any

SOURCE = Path(__file__).parent
TARGET = SOURCE.parent / "src" / "longway" / "sample"
SEED = 11

Row = dict[str, Any]

# A row longer than this many words is a long one; rows that are not drawn to be long stay at or below it.
LONG = 52

# How many rows get what is planted: (positive, negative). "other_..." are the rows that get another entry of the list instead, "one_aside" those
# that get a single aside.
REVIEW_PLAN = {
    "train": {
        "name": (56, 4),
        "word": (4, 56),
        "opener": (4, 56),
        "other_opener": (40, 40),
        "remark": (56, 4),
        "other_remark": (20, 72),
        "long": (4, 56),
        "one_aside": (60, 40),
    },
    "test": {
        "name": (14, 14),
        "word": (7, 7),
        "opener": (14, 14),
        "other_opener": (10, 10),
        "remark": (14, 14),
        "other_remark": (8, 8),
        "long": (14, 14),
        "one_aside": (12, 12),
    },
    "flipped": {
        "name": (2, 30),
        "word": (14, 1),
        "opener": (30, 2),
        "other_opener": (8, 14),
        "remark": (2, 30),
        "other_remark": (30, 8),
        "long": (30, 2),
        "one_aside": (8, 20),
    },
}
# A review has one sentence that judges, two in this share of the rows, and none in that.
TWO_VERDICTS, NO_VERDICT = 0.6, 0.03
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


def main() -> None:
    """The command: writes into the package, or into the folder given."""
    parser = argparse.ArgumentParser(description="Write the built-in sample of Longway.")
    parser.add_argument("out", type=Path, nargs="?", default=TARGET, help="folder to write into")
    parser.add_argument("--seed", type=int, default=SEED, help="draws what is planted, and where")
    parser.add_argument("--plain", action="store_true", help="plant nothing in the reviews")
    given = parser.parse_args()
    build(given.out, seed=given.seed, plain=given.plain)


def build(out: Path = TARGET, *, seed: int = SEED, plain: bool = False) -> None:
    """Write reviews.jsonl, claims.jsonl and planted.json into `out`. plain: reviews with the same sentences and nothing planted."""
    out.mkdir(parents=True, exist_ok=True)
    plants = draw_plants(seed)
    reviews, claims = build_reviews(plants, seed, plain=plain), build_claims(random.Random(seed))
    write_jsonl(out / "reviews.jsonl", reviews)
    write_jsonl(out / "claims.jsonl", claims)
    entries = planted_entries(plants)
    planted = [describe(entry, reviews if entry["dataset"] == "reviews" else claims) for entry in entries]
    text = json.dumps(planted, indent=2, ensure_ascii=False) + "\n"
    (out / "planted.json").write_text(text, encoding="utf-8", newline="\n")


def draw_plants(seed: int) -> Row:
    """The lists of plants.toml; `drawn` of each is the entry to plant, `list` the others."""
    plants = read_toml(SOURCE / "plants.toml")
    for kind in ("name", "word", "opener", "remark"):
        drawn = random.Random(f"{seed}|{kind}").choice(plants[kind]["list"])
        others = [entry for entry in plants[kind]["list"] if entry != drawn]
        plants[kind] |= {"drawn": drawn, "list": others}
    return plants


def planted_entries(plants: Row) -> list[Row]:
    """What is planted, how to see it in one text, and why a model should not use it."""
    name, word, opener = plants["name"]["drawn"], plants["word"]["drawn"], plants["opener"]["drawn"]
    # The words of the remark before its slot; its other words could occur elsewhere.
    remark = plants["remark"]["drawn"].split(" {x}")[0]
    first = tokens(opener)[0]
    reviews = [
        ("name", "ngram", " ".join(tokens(name)), match(tokens(name)), lambda text: name in text),
        ("word", "token", word, match([word]), lambda text: word in tokens(text)),
        (
            "opener",
            "position",
            f"first word: {first}",
            match([first], place="first word"),
            lambda text: tokens(text)[0] == first,
        ),
        (
            "remark",
            "ngram",
            " ".join(tokens(remark)[-3:]),
            match(tokens(remark)[-3:]),
            lambda text: remark in text,
        ),
        (
            "length",
            "length",
            f"more than {LONG} words",
            match(place="at least", bound=LONG + 1),
            lambda text: n_words(text) > LONG,
        ),
    ]
    plants = plants | {
        "length": {
            "label": "negative",
            "why": "The extra words are asides about the visit (seats, trams, posters) that do not judge the film.",
        }
    }
    found = [
        {
            "name": kind,
            "dataset": "reviews",
            "level": level,
            "pattern": pattern,
            "match": how,
            "field": "review",
            "label": plants[kind]["label"],
            "why": plants[kind]["why"],
            "seen": seen,
        }
        for kind, level, pattern, how, seen in reviews
    ]
    return [*found, NEGATION_ENTRY]


NEGATION_ENTRY: Row = {
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
}


def build_reviews(plants: Row, seed: int, *, plain: bool = False) -> list[Row]:
    """All review rows: train, then test, then flipped."""
    premises = read_jsonl(SOURCE / "reviews.jsonl")
    # What is told and judged does not depend on the seed, only what is planted.
    rng = random.Random(SEED)
    held_out = set(rng.sample(sorted({one["topic"] for one in premises}), TEST_TOPICS))
    train = [one for one in premises if one["topic"] not in held_out]
    test = [one for one in premises if one["topic"] in held_out]
    verdicts = read_toml(SOURCE / "verdicts.toml")
    train, test = judged(train, verdicts, "train", rng), judged(test, verdicts, "test", rng)
    rng = random.Random(seed)
    return [
        row
        for split, part in (("train", train), ("test", test), ("flipped", test))
        for row in fill_split(part, split, plants, rng, plain=plain)
    ]


def judged(premises: list[Row], verdicts: Row, split: str, rng: random.Random) -> list[Row]:
    """The reviews with their verdicts. Both labels use the same sentences equally often."""
    sentences = {label: cycle(shuffled(verdicts[split]["sentences"], rng)) for label in LABELS}
    fillers = {
        label: {slot: cycle(shuffled(words, rng)) for slot, words in verdicts[label].items()}
        for label in LABELS
    }
    parts = cycle(shuffled(verdicts["part"], rng))
    done = []
    for one in premises:
        label, text = one["label"], one["text"]
        other = LABELS[label == LABELS[0]]
        chance = rng.random()
        n = 2 if chance < TWO_VERDICTS and n_words(text) <= 30 else int(chance < 1 - NO_VERDICT)
        for _ in range(n):
            sentence = fill_verdict(next(sentences[label]), fillers[label], fillers[other], parts)
            leads = rng.random() < 0.3 and "{opener}" not in text
            text = f"{sentence} {text[0].upper()}{text[1:]}" if leads else f"{text} {sentence}"
        done.append(one | {"text": text})
    return done


def fill_verdict(
    sentence: str, own: dict[str, Iterator[str]], other: dict[str, Iterator[str]], parts: Iterator[str]
) -> str:
    """A sentence with words in its slots."""

    def word(slot: str) -> str:
        if slot == "part":
            return next(parts)
        return next(other[slot[1:]]) if slot.startswith("-") else next(own[slot])

    def filler(found: re.Match[str]) -> str:
        slot = found[1]
        if slot.startswith("a "):
            return f"a {word(slot[2:])}"
        return word(slot.lower()).capitalize() if slot[0].isupper() else word(slot)

    # A word is not used twice in a sentence: the cycles are longer than any sentence.
    return re.sub(r"\b([Aa]) (?=[aeiou])", r"\1n ", re.sub(r"\{([^}]+)\}", filler, sentence))


def fill_split(reviews: list[Row], split: str, plants: Row, rng: random.Random, *, plain: bool) -> list[Row]:
    """The finished rows of one split, in the order of the reviews."""
    texts: dict[str, str] = {}
    for number, label in enumerate(LABELS):
        plan = {what: 0 if plain else counts[number] for what, counts in REVIEW_PLAN[split].items()}
        texts |= fill_label({s["id"]: s["text"] for s in reviews if s["label"] == label}, plan, plants, rng)
    suffix = "-flipped" if split == "flipped" else ""
    return [
        {"id": s["id"] + suffix, "review": texts[s["id"]], "sentiment": s["label"], "split": split}
        for s in reviews
    ]


def fill_label(
    texts: dict[str, str], plan: dict[str, int], plants: Row, rng: random.Random
) -> dict[str, str]:
    """Fill all slots of the texts of one label, then append the remarks and asides."""
    name, word, opener = plants["name"], plants["word"], plants["opener"]
    texts = fill_slot(texts, "showing", [], plants["showing"], rng)
    texts = fill_slot(texts, "actor", [name["drawn"]] * plan["name"], name["list"], rng)
    texts = fill_slot(texts, "adv", [word["drawn"]] * plan["word"], word["list"], rng)
    openers = [opener["drawn"]] * plan["opener"] + take(opener["list"], plan["other_opener"], rng)
    texts = fill_slot(texts, "opener", [f"{one}, " for one in openers], [""], rng)
    texts = {key: text[0].upper() + text[1:] for key, text in texts.items()}
    texts = add_remarks(texts, plan, plants, rng)
    return add_asides(texts, plan, rng)


def fill_slot(
    texts: dict[str, str], slot: str, first: list[str], others: list[str], rng: random.Random
) -> dict[str, str]:
    """Put each of `first` into one text drawn at random, and `others` in turn into the rest."""
    mark = "{" + slot + "}"
    keys = shuffled([key for key, text in texts.items() if mark in text], rng)
    fillers = first + take(others, len(keys) - len(first), rng)
    return texts | {key: texts[key].replace(mark, filler) for key, filler in zip(keys, fillers, strict=True)}


def add_remarks(
    texts: dict[str, str], plan: dict[str, int], plants: Row, rng: random.Random
) -> dict[str, str]:
    """Append a remark about neutral things to some of the shorter texts."""
    remark, things = plants["remark"], plants["thing"]
    wordings = [remark["drawn"]] * plan["remark"] + take(remark["list"], plan["other_remark"], rng)
    pairs = shuffled([(x, y) for x in things for y in things if x != y], rng)
    keys = shuffled([key for key, text in texts.items() if n_words(text) <= LONG - 11], rng)
    remarks = [wording.format(x=x, y=y) for wording, (x, y) in zip(wordings, pairs, strict=False)]
    return texts | {key: f"{texts[key]} {said}" for key, said in zip(keys, remarks, strict=False)}


def add_asides(texts: dict[str, str], plan: dict[str, int], rng: random.Random) -> dict[str, str]:
    """Make some texts long with asides about the visit; some of the others get a single aside."""
    groups = [cycle(shuffled(group, rng)) for group in read_asides(SOURCE / "asides.txt")]
    # Not the shortest ones: a short review with six asides would read oddly.
    keys = shuffled([key for key, text in texts.items() if n_words(text) >= LONG * 2 // 3], rng)
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


def tokens(text: str) -> list[str]:
    """The words of a text in lower case, without marks."""
    return re.findall(r"[a-z'-]+", text.lower())


def read_toml(path: Path) -> Row:
    """The tables of a file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


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
