"""What an earlier state of the writer wrote, as rows to learn from: only what passes the product's checks, at most two for a source.

build/writer/sample.jsonl + answers.npz  ->  build/writer/rows/sampled_rewrite.jsonl, sampled_turn.jsonl
"""

from __future__ import annotations

import json
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from longway.classify.entailment import Entailment
from longway.engines.model_files import installed_model
from longway.engines.scoring.gguf_weights import read_gguf
from longway.engines.scoring.llama import tokenizer_of
from longway.engines.writer_lines import rewrite_lines, turn_lines
from writer_data import SURE, Row, Shared, alike, avoided, sentiment
from writer_made import Source, verified
from writer_pack import ROWS

MOST = 2  # rows from one source and question


def learn_from(folder: Path, shared: Shared) -> None:
    """Verify the answers in a folder and keep the rows."""
    asked = [json.loads(line) for line in (ROWS.parent / "sample.jsonl").read_text("utf-8").splitlines()]
    texts = answers(folder / "answers.npz", len(asked))
    rows = list(rewritten(asked, texts))
    write(ROWS / "sampled_rewrite.jsonl", rows)
    write(ROWS / "sampled_turn.jsonl", list(turned(asked, texts, shared)))


def answers(path: Path, n: int) -> list[list[str]]:
    """The answers to each of n prompts; a zero ends each, and all prompts were asked in turn several times."""
    tokens = np.load(path)["tokens"]
    tokenizer = tokenizer_of(read_gguf(installed_model()).settings)
    from tokenizers import decoders

    tokenizer.decoder = decoders.ByteLevel()
    found: list[list[str]] = [[] for _ in range(n)]
    lists, current = [], []
    for token in tokens.tolist():
        if token == 0:
            lists.append(current)
            current = []
        else:
            current.append(token)
    for number, text in enumerate(tokenizer.decode_batch(lists)):
        found[number % n].append(text.strip())
    return found


def rewritten(asked: list[dict[str, Any]], texts: list[list[str]]) -> Iterator[Row]:
    """Rewritings that the checks let through, and of which our entailment model says that they say the same."""
    chance = random.Random(1)
    for name in ("fever", "snli", "sst2"):
        rows = [i for i, one in enumerate(asked) if one["kind"] == "rewrite" and one["data"] == name]
        parts = [Source(asked[i]["text"], asked[i]["label"], asked[i]["context"]) for i in rows]
        passed: dict[Source, list[str]] = defaultdict(list)
        for one, new in verified(name, parts, [texts[i] for i in rows]):
            passed[one].append(new)
        print(
            f"{name}: {len(passed) / len(parts):.1%} of {len(parts)} sources have an accepted rewriting",
            flush=True,
        )
        chosen = [
            (one, new) for one, found in passed.items() for new in chance.sample(found, min(MOST, len(found)))
        ]
        for one, new in same_both_ways(chosen):
            lines = rewrite_lines(one.text, avoid=avoided(one.text, new, chance))
            yield Row("rewrite", f"sampled_{name}", lines, new)


def same_both_ways(pairs: list[tuple[Source, str]]) -> list[tuple[Source, str]]:
    """Those of which each text entails the other."""
    model = Entailment.load()
    there = model.probabilities([(one.text, new) for one, new in pairs])[:, 0]
    back = model.probabilities([(new, one.text) for one, new in pairs])[:, 0]
    return [pair for pair, share in zip(pairs, np.minimum(there, back), strict=True) if share > SURE]


def turned(asked: list[dict[str, Any]], texts: list[list[str]], shared: Shared) -> Iterator[Row]:
    """Texts with the label that was asked for."""
    rows = [i for i, one in enumerate(asked) if one["kind"] == "turn"]
    for name in dict.fromkeys(asked[i]["data"] for i in rows):
        mine = [i for i in rows if asked[i]["data"] == name]
        wanted = [
            (Source(asked[i]["text"], asked[i]["label"], asked[i]["context"]), asked[i]["to"], texts[i])
            for i in mine
        ]
        found = list(confirmed(wanted, shared))
        for one, to, new in found:
            yield Row("turn", f"sampled_{name}", turn_lines(one.text, to, context=one.context), new)
        share = len({(one, to) for one, to, _ in found}) / len(mine)
        print(f"{name}: {share:.1%} of {len(mine)} questions have a turned text", flush=True)


def confirmed(
    wanted: Sequence[tuple[Source, str, Sequence[str]]], shared: Shared
) -> Iterator[tuple[Source, str, str]]:
    """Texts that have the label asked for, according to models that were trained on other rows, and are still alike.

    wanted: sources, the label asked for, and the texts. The likeliest ones of each, at most so many: source, label, text.
    """
    stances = ("entailment", "contradiction", "neutral")
    found = [
        (i, new)
        for i, (one, _, texts) in enumerate(wanted)
        for new in dict.fromkeys(texts)
        if 0.5 < alike(one.text, new) < 1
    ]
    pairs = [(i, new) for i, new in found if wanted[i][0].context]
    sure: dict[tuple[int, str], float] = {}
    if pairs:
        likely = Entailment.load().probabilities([(wanted[i][0].context, new) for i, new in pairs])
        for (i, new), shares in zip(pairs, likely, strict=True):
            sure[i, new] = float(shares[stances.index(wanted[i][1])])
    singles = [(i, new) for i, new in found if not wanted[i][0].context]
    for (i, new), share in zip(singles, sentiment(shared, [new for _, new in singles]), strict=True):
        sure[i, new] = float(share if wanted[i][1] == "positive" else 1 - share)
    by_question: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for (i, new), share in sure.items():
        if share > SURE:
            by_question[i].append((share, new))
    for i, good in by_question.items():
        for _, new in sorted(good, reverse=True)[:MOST]:
            yield wanted[i][0], wanted[i][1], new


def write(path: Path, rows: list[Row]) -> None:
    """Rows as lines."""
    lines = [json.dumps(asdict(row), ensure_ascii=False) for row in rows]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(path.name, len(rows), "rows", flush=True)
