"""Texts that real language models wrote: how often do the checks of form refuse one whose label is right?

    python runs/form_replay.py                  500 texts of each source
    python runs/form_replay.py --limit 2000     more
    python runs/form_replay.py --reasons        the reasons, counted

Sources: counterfactuals by Llama-2, Mistral and Mixtral on IMDb and SNLI, and by GPT-3 on SNLI (DISCO). Each is checked as a rewrite that keeps only its label, which
is what it is; the check `added words` skips those, so it is also given each text as a paraphrase. A label is right if a model that no check uses here
agrees with it: a bag of words trained on other IMDb reviews, or our entailment model. Ends with one line of JSON.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from common import data, finish
from longway.engines.answers import in_form
from longway.models.entailment import STANCES, Entailment
from longway.verify.check import Candidate, Check
from longway.verify.form_checks import AddedWordsCheck, OrdersCheck, SurfaceCheck
from longway.verify.wordforms import words

SNLI = ("contradiction", "entailment", "neutral")
STANCE = {"contradiction": "contradicts", "entailment": "entails", "neutral": "neutral"}


@dataclass(frozen=True, slots=True)
class Source:
    """Texts of language models. labels: of the task. is_right: for each text, whether a model agrees with its label."""

    name: str
    labels: tuple[str, ...]
    candidates: list[Candidate]
    is_right: Callable[[Sequence[Candidate]], list[bool]]


def lines_of(name: str) -> list[dict[str, Any]]:
    """The rows of a file of JSON lines."""
    with gzip.open(data(name), "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def some(rows: list[Candidate], limit: int, seed: int) -> list[Candidate]:
    """So many of the rows, drawn at random."""
    return random.Random(seed).sample(rows, min(limit, len(rows)))


def imdb(limit: int, seed: int) -> Source:
    """Counterfactual reviews."""
    pairs = lines_of("llm_counterfactuals_imdb/pairs.jsonl.gz")
    texts = [
        Candidate(i, one["original"], one["counterfactual"], one["counterfactual_label"], keeps="label")
        for i, one in enumerate(pairs)
    ]
    known = {one["original"] for one in pairs}
    other = [row for row in lines_of("imdb/train.jsonl.gz") if row["text"] not in known]
    model = make_pipeline(TfidfVectorizer(min_df=3), LogisticRegression(C=10, max_iter=300))
    model.fit([row["text"] for row in other], [row["label"] for row in other])

    def is_right(candidates: Sequence[Candidate]) -> list[bool]:
        return [
            label == one.label
            for one, label in zip(candidates, model.predict([c.after for c in candidates]), strict=True)
        ]

    return Source("imdb", ("negative", "positive"), some(texts, limit, seed), is_right)


def agrees(candidates: Sequence[Candidate]) -> list[bool]:
    """Whether the entailment model finds the label most likely."""
    pairs = [(one.context or "", one.after) for one in candidates]
    best = Entailment.load().probabilities(pairs).argmax(axis=1)
    return [STANCES[place] == STANCE[one.label] for one, place in zip(candidates, best.tolist(), strict=True)]


def snli(limit: int, seed: int) -> Source:
    """Revised hypotheses; the premise says which pair it was."""
    known = {row["premise"]: row["hypothesis"] for row in lines_of("human_cad_snli/original_train.jsonl.gz")}
    texts = [
        Candidate(i, known[one["premise"]], one["hypothesis"], one["label"], one["premise"], keeps="label")
        for i, one in enumerate(lines_of("llm_counterfactuals_snli/revised.jsonl.gz"))
        if one["revised"] == "hypothesis" and one["premise"] in known
    ]
    return Source("snli", SNLI, some(texts, limit, seed), agrees)


def disco(limit: int, seed: int) -> Source:
    """Premises with another phrase."""
    texts = [
        Candidate(i, one["premise"], one["new_premise"], one["new_label"], one["hypothesis"], keeps="label")
        for i, one in enumerate(lines_of("disco_snli_counterfactuals/accepted.jsonl.gz"))
    ]

    def is_right(candidates: Sequence[Candidate]) -> list[bool]:
        return agrees([replace(one, after=one.context or "", context=one.after) for one in candidates])

    return Source("disco", SNLI, some(texts, limit, seed), is_right)


def as_read(one: Candidate) -> Candidate:
    """The text as it is read from an engine's answer."""
    return replace(one, after=in_form(one.after, one.before))


def failures(check: Check, candidates: Sequence[Candidate]) -> list[str]:
    """Per candidate, why the check refuses it; "" if it does not, or does not apply."""
    verdicts = [check([one])[0] if check.concerns(one) else None for one in candidates]
    return ["" if verdict is None or verdict.passed else verdict.reason for verdict in verdicts]


def kind_of(reason: str) -> str:
    """A reason without the words of a text."""
    return reason.partition("'")[0].partition('"')[0].strip(" :") if not reason[:1].isdigit() else "length"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limit", type=int, default=500, help="texts of each source")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--reasons", action="store_true", help="count the reasons")
    options = parser.parse_args()
    figures: dict[str, dict[str, float]] = {}
    print(
        f"{'source':8} {'texts':>6} {'right':>6} {'surface':>8} {'orders':>8} {'any':>8} {'added words':>12}"
    )
    for source_of in (imdb, snli, disco):
        source = source_of(options.limit, options.seed)
        # A copy is refused rightly: it has the label of the row.
        right = [
            as_read(one)
            for one, is_right in zip(source.candidates, source.is_right(source.candidates), strict=True)
            if is_right and words(one.after) != words(one.before)
        ]
        texts = [one.before for one in source.candidates]
        surface = failures(SurfaceCheck(source.labels, texts=texts), right)
        orders = failures(OrdersCheck(), right)
        added = failures(AddedWordsCheck(), [replace(one, keeps="meaning") for one in right])
        n = max(1, len(right))
        shares = {
            "texts": len(source.candidates),
            "right": len(right),
            "surface": sum(map(bool, surface)) / n,
            "orders": sum(map(bool, orders)) / n,
            "any": sum(bool(a or b) for a, b in zip(surface, orders, strict=True)) / n,
            "added_words": sum(map(bool, added)) / n,
        }
        figures[source.name] = {name: round(value, 4) for name, value in shares.items()}
        print(
            f"{source.name:8} {shares['texts']:6} {shares['right']:6} {shares['surface']:8.1%} {shares['orders']:8.1%} "
            f"{shares['any']:8.1%} {shares['added_words']:12.1%}"
        )
        if options.reasons:
            for reason, count in Counter(
                map(kind_of, filter(None, [*surface, *orders, *added]))
            ).most_common():
                print(f"    {count:5} {reason}")
    finish("runs/form_replay.py", **figures)


if __name__ == "__main__":
    main()
