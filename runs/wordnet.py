"""WordNet replacements sampled in context, with the default settings, and the shares that were judged right by hand.

python runs/wordnet.py                      the sample, and the shares where notes/wordnet-check.md judges it
python runs/wordnet.py --context --n 40     with the sentence, for judging; the texts are shown on the screen only
python runs/wordnet.py --limit 50 --n 20    a quick look

No pair of word and replacement is drawn twice, so that a few frequent words do not decide the result.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any

import common
from longway.english.document import Document, Word, apply_changes
from longway.english.pipeline import MODEL_PATH, load_pipeline
from longway.english.replacements import Replacement, antonyms, synonyms, with_article
from longway.english.wordnet import VERSION
from longway.stats import wilson_interval

# Files that the settings were not chosen on; those were SNLI dev, FEVER paper_dev, IMDb train, SST-2 train, Yelp and others.
SETS = {
    "snli": ("snli/test.jsonl.gz", "hypothesis"),
    "mnli": ("mnli/train_subset_3k.jsonl.gz", "hypothesis"),
    "fever": ("fever/paper_test_supports_refutes.jsonl.gz", "claim"),
    "imdb": ("imdb/test.jsonl.gz", "text"),
    "gap": ("gap/development.jsonl.gz", "text"),
    "qqp": ("qqp/train_2k.jsonl.gz", "question1"),
}
FIND = {"synonym": synonyms, "antonym": antonyms}
PARTS = {"synonym": 0.67, "antonym": 0.33}
CONTENT = ("NOUN", "VERB", "ADJ", "ADV")
NOTES = Path(__file__).resolve().parents[1] / "notes" / "wordnet-check.md"
LONGEST = 2_000  # characters of one text that are read; the longest reviews would crowd out the rest

Row = tuple[str, int, Word, Document]
Drawn = tuple[str, int, str, Replacement, Document]


def texts_of(name: str, *, rows: int, seed: int) -> Iterator[tuple[int, str]]:
    """Randomly drawn rows of a dataset with their numbers, the first being 1."""
    path, column = SETS[name]
    with gzip.open(common.data(path), "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)[column] for line in lines]
    for number in Random(f"{seed} {name}").sample(range(len(texts)), min(rows, len(texts))):
        yield number + 1, texts[number][:LONGEST]


def words_of(options: argparse.Namespace) -> dict[str, list[Row]]:
    """The content words of the drawn rows of each dataset, in random order."""
    found: dict[str, list[Row]] = {}
    for name in SETS:
        numbers, texts = zip(*texts_of(name, rows=options.limit, seed=options.seed), strict=True)
        documents = load_pipeline(options.model).analyse_all(texts)
        rows = [
            (name, n, w, d) for n, d in zip(numbers, documents, strict=True) for w in d if w.upos in CONTENT
        ]
        Random(f"{options.seed} words {name}").shuffle(rows)
        found[name] = rows
    return found


def draw(relation: str, n: int, words: dict[str, list[Row]], random: Random) -> list[Drawn]:
    """Replacements of one relation, taken from the datasets in turn; one for each pair of words."""
    waiting = {name: iter(rows) for name, rows in words.items()}
    drawn: list[Drawn] = []
    seen: set[tuple[str, str]] = set()
    while len(drawn) < n and waiting:
        for name in list(waiting):
            found = next(_new(relation, waiting[name], seen, random), None)
            if found is None:
                del waiting[name]
            elif len(drawn) < n:
                drawn.append(found)
    return drawn


def _new(relation: str, rows: Iterator[Row], seen: set[tuple[str, str]], random: Random) -> Iterator[Drawn]:
    for name, number, word, document in rows:
        given = FIND[relation](word, document)
        if not given:
            continue
        one = random.choice(given)
        written = document.text[one.start : one.end]
        if (word.lemma.lower(), one.lemma) not in seen:
            seen.add((word.lemma.lower(), one.lemma))
            yield name, number, written, one, document


def coverage(words: dict[str, list[Row]]) -> dict[str, float]:
    """The share of content words that have a replacement, by relation and by any."""
    counts: Counter[str] = Counter()
    for rows in words.values():
        for _, _, word, document in rows:
            has = [relation for relation, find in FIND.items() if find(word, document)]
            counts.update(["words", *has, *(["any"] if has else [])])
    return {key: round(counts[key] / max(counts["words"], 1), 4) for key in (*FIND, "any")}


def verdicts() -> dict[tuple[str, str, str, str, str], tuple[bool, bool]]:
    """The judgements in the notes: (dataset, row, word, replacement, relation) -> (right form, right sense)."""
    if not NOTES.exists():
        return {}
    rows = re.findall(
        r"^\| (\w+) \| (\d+) \| (.+?) \| (.+?) \| (\w+) \| (yes|no) \| (yes|no) \|", NOTES.read_text(), re.M
    )
    return {tuple(row[:5]): (row[5] == "yes", row[6] == "yes") for row in rows}  # type: ignore[misc]


def share(right: Sequence[bool]) -> dict[str, Any]:
    """The share of True with its 95% interval."""
    part = sum(right) / len(right)
    low, high = wilson_interval(part, len(right))
    return {"n": len(right), "share": round(part, 4), "low": round(low, 4), "high": round(high, 4)}


def show(drawn: Drawn, *, context: bool) -> None:
    name, number, written, one, document = drawn
    print(f"  {name:20s} {number:6d} {written:20s} -> {one.text:20s} {one.relation:9s} {one.sense}")
    if context:
        word = document.words_between(one.start, one.end)[0]
        words = document.sentence(document.sentence_number(word))
        changed = apply_changes(document.text, with_article(document, one))
        grown = len(changed) - len(document.text)
        print(f"      {document.text[words[0].start : words[-1].end]}")
        print(f"      {changed[words[0].start : words[-1].end + grown]}")


def show_shares(relation: str, given: list[tuple[bool, bool]]) -> dict[str, Any]:
    forms, senses = zip(*given, strict=True)
    shares = {"form": share(forms), "sense": share(senses), "both": share([f and s for f, s in given])}
    listed = ", ".join(
        f"{key} {s['share']:.1%} [{s['low']:.1%}, {s['high']:.1%}]" for key, s in shares.items()
    )
    print(f"\n{relation}, {len(given)} judged: right {listed}")
    return shares


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, default=200, help="replacements to draw")
    parser.add_argument("--limit", type=int, default=200, help="rows read of each dataset")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--model", default=MODEL_PATH, help="the English pipeline")
    parser.add_argument("--context", action="store_true", help="show the sentences, before and after")
    options = parser.parse_args()
    print(f"WordNet {VERSION}")
    words = words_of(options)
    judged = verdicts()
    right: dict[str, list[tuple[bool, bool]]] = {}
    for relation, part in PARTS.items():
        print(f"\n{relation}s")
        right[relation] = []
        for drawn in draw(relation, round(options.n * part), words, Random(f"{options.seed} {relation}")):
            show(drawn, context=options.context)
            key = (drawn[0], str(drawn[1]), drawn[2], drawn[3].text, relation)
            right[relation] += [judged[key]] if key in judged else []
    right["all"] = [verdict for given in right.values() for verdict in given]
    figures: dict[str, Any] = {"coverage": coverage(words), "judged": {}}
    for relation, given in right.items():
        if given:
            figures["judged"][relation] = show_shares(relation, given)
    print(f"\ncontent words with a replacement: {figures['coverage']}")
    common.finish("runs/wordnet.py", **figures)


if __name__ == "__main__":
    main()
