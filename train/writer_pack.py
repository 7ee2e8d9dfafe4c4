"""Everything the writer learns from as tokens: train.npz, dev.npz, pairs.npz, and counts.json for the card.

Rows of each part are kept as build/writer/rows/PART.jsonl, so that a part that was made once is not made again; take the file away to make it anew.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

import writer_data as data
import writer_made as made
from longway.engines.model_files import installed_model
from longway.engines.scoring.gguf_weights import read_gguf
from longway.engines.scoring.llama import tokenizer_of
from longway.engines.writer_lines import answered
from writer_data import Row, Shared
from writer_edited import edited
from writer_taught import ends_of

ROWS = Path(__file__).resolve().parents[1] / "build" / "writer" / "rows"
TAUGHT, PAIRS = "taught.jsonl", "taught_pairs.jsonl"
END = "\n"
DEV = 0.01  # share of the prompts that is kept to follow the training by
# A judge that never saw a counterfactual learns from these alone; counterfactuals are measured by it (`runs/writer.py`).
OTHER_JUDGE = ("snli", "wanli", "mnli", "sst2", "sst2_sentences", "imdb")
# How often a row is seen in a pass: small jobs more often, large ones less.
WEIGHTS = {
    "judge/snli": 0.4,
    "judge/disco": 0.4,
    "judge/sst2": 0.6,
    "judge/cad": 1.5,
    "judge/fever": 1.5,
    "turn/cad_hypothesis": 2.0,
    "turn/cad_premise": 1.0,
    "turn/cad_imdb": 1.5,
    "turn/models_imdb": 0.7,
    "turn/disco": 0.5,
    "rewrite/qqp": 0.4,
    "rewrite/mrpc": 0.3,
    "rewrite/wanli": 0.5,
    "rewrite/mnli": 0.5,
    "rewrite/rules_fever": 1.5,
    "rewrite/rules_snli": 1.5,
    "rewrite/rules_sst2": 1.5,
    **{f"rewrite/taught_{name}": 3.0 for name in ("fever", "snli", "sst2", "imdb")},
    **{f"turn/taught_{name}": 1.5 for name in ("fever", "snli", "sst2", "imdb")},
    **{
        f"edit/{kind}_{name}": 0.5
        for kind in ("put_in", "longer", "shorter")
        for name in ("fever", "snli", "sst2", "imdb")
    },
    "fill/disco": 0.3,
    "fill/words": 0.7,
    "person/mt_geneval": 3.0,
    "person/they_reddit": 2.0,
    "person/they_opensubtitles": 2.0,
    "person/they_winobias_plus": 0.5,
}


def pack_all(shared_folder: Path, out: Path) -> None:
    """Make or read every part, tokenise, and write what training needs."""
    shared = Shared.of(shared_folder)
    rows = [row for name, make in parts(shared).items() for row in kept(name, make)]
    if (ROWS / TAUGHT).exists():
        rows += read(ROWS / TAUGHT)
    rows = [row for row in dict.fromkeys(rows) if row.answer.strip()]
    tokenizer = tokenizer_of(read_gguf(installed_model()).settings)
    chance = random.Random(5)
    prompts = sorted({row.ask for row in rows})
    held = set(chance.sample(prompts, int(DEV * len(prompts))))
    out.mkdir(parents=True, exist_ok=True)
    train = [row for row in rows if row.ask not in held]
    dev = [row for row in rows if row.ask in held]
    chance.shuffle(dev)
    dev = list({row.ask: row for row in dev}.values())[:4000] + list(measured(shared))
    save(out / "train.npz", train, tokenizer)
    save(out / "dev.npz", dev, tokenizer)
    if (ROWS / PAIRS).exists():
        pairs = [row for row in read(ROWS / PAIRS) if row.ask not in held]
        save(out / "pairs.npz", pairs, tokenizer)
    others = [row for row in train if row.job == "judge" and row.source in OTHER_JUDGE]
    (out / "judge").mkdir(exist_ok=True)
    save(out / "judge" / "train.npz", others, tokenizer)
    (out / "dev.json").write_text(json.dumps([f"{row.job}/{row.source}" for row in dev]))
    (out / "ends.json").write_text(json.dumps(ends_of(tokenizer)))
    counts = Counter(f"{row.job}/{row.source}" for row in train)
    (out / "counts.json").write_text(json.dumps(dict(sorted(counts.items())), indent=1))
    print(json.dumps(dict(sorted(counts.items())), indent=1))


def parts(shared: Shared) -> dict[str, Callable[[], Iterable[Row]]]:
    """How each part is made."""
    chance = random.Random
    return {
        "judging": lambda: data.judging(shared, chance(0)),
        "turning_pairs": lambda: data.turning_pairs(shared),
        "turning_reviews": lambda: data.turning_reviews(shared),
        "filling": lambda: data.filling(shared, chance(3)),
        "paraphrases": lambda: data.paraphrases(shared, chance(4)),
        "people": lambda: data.people(shared),
        "by_rules": lambda: made.by_rules(shared, 2000),
        "triples": lambda: made.of_triples(short_texts(shared, 6000)),
        "altered": lambda: made.altered(turned(shared)),
        "edits": lambda: edits(shared),
        "changed_people": lambda: made.changed_people(people_texts(shared, 16_000)),
    }


def short_texts(shared: Shared, n: int) -> list[str]:
    """Sentences of three datasets."""
    found = made.sources(shared, n // 3, seed=9)
    return [one.text for part in found.values() for one in part]


def edits(shared: Shared) -> Iterator[Row]:
    """Sentences of four datasets with a part cut out."""
    found = made.sources(shared, 8000, seed=12)
    found["imdb"] = made.review_sentences(shared, 8000, random.Random(12))
    for name, part in found.items():
        yield from edited([one.text for one in part], name)


def turned(shared: Shared) -> list[tuple[str, str, str]]:
    """Sentences of reviews that people turned: text, new text, new label."""
    rows = [row for row in kept("turning_reviews", lambda: []) if row.source == "cad_imdb"]
    found = []
    for row in rows:
        head, text, _ = row.ask.split("\n")
        if len(text) < 140:
            found.append((text.removeprefix("text: "), row.answer, head.removeprefix("turn to ")))
    return found


def people_texts(shared: Shared, n: int) -> list[str]:
    """Sentences in which a person's gender may be told, from four datasets."""
    chance = random.Random(11)
    captions = sorted({row["premise"] for row in shared.rows("snli/train_pool")})
    paragraphs = [row["premise"] for row in shared.fever()]
    paragraphs += [row["text"] for row in shared.rows("gap/development")]
    paragraphs += [data.untagged(row["text"]) for row in chance.sample(list(shared.rows("imdb/train")), 2000)]
    sentences = [sentence for text in paragraphs for sentence in data.SENTENCE_END.split(text)]
    told = [s for s in dict.fromkeys(sentences) if data.GENDERED.search(s) and 30 < len(s) < 300]
    return chance.sample(captions, n // 2) + chance.sample(told, min(n // 2, len(told)))


def measured(shared: Shared) -> Iterator[Row]:
    """Held-out rows whose right answers are known: judging and persons."""
    chance = random.Random(0)
    for name in ("human_cad_snli/revised_combined_dev", "human_cad_snli/original_dev"):
        for row in data.rows(shared.data / f"{name}.jsonl.gz"):
            yield Row(
                "judge",
                "dev_cad",
                data.judge_lines(row["hypothesis"], data.NLI, context=row["premise"]),
                row["label"],
            )
    fever = list(data.rows(shared.data / "fever/paper_test_supports_refutes.jsonl.gz"))
    for row in chance.sample(fever, 1000):
        claim, evidence = data.tidied(row["claim"]), data.tidied(row["evidence"])[: data.LONGEST]
        yield Row(
            "judge",
            "dev_fever",
            data.judge_lines(claim, data.FACTS, context=evidence),
            data.FEVER[row["label"]],
        )
    for row in data.rows(shared.data / "sst2/dev.jsonl.gz"):
        yield Row("judge", "dev_sst2", data.judge_lines(row["text"], data.SENTIMENT), row["label"])
    for number, row in enumerate(data.rows(shared.data / "mt_geneval/part_a.jsonl.gz")):
        if number % data.HELD_OUT == 0:
            for one, other in (("feminine", "masculine"), ("masculine", "feminine")):
                lines = data.person_lines(row[one], data.GENDERS[other])
                yield Row("person", "dev_geneval", lines, row[other])


def kept(name: str, make: Callable[[], Iterable[Row]]) -> list[Row]:
    """The rows of a part, from its file where it was made before."""
    path = ROWS / f"{name}.jsonl"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = [json.dumps(asdict(row), ensure_ascii=False) for row in make()]
        path.with_suffix(".new").write_text("\n".join(lines) + "\n", encoding="utf-8")
        path.with_suffix(".new").replace(path)
        print(name, len(lines), "rows", flush=True)
    return list(read(path))


def read(path: Path) -> Iterator[Row]:
    """The rows of a file."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            if line.strip():
                yield Row(**json.loads(line))


def save(path: Path, rows: Sequence[Row], tokenizer: object) -> None:
    """Tokens of prompts and answers, where each begins, and how often it is seen."""
    asks = [one.ids for one in tokenizer.encode_batch([row.ask for row in rows], add_special_tokens=False)]  # type: ignore[attr-defined]
    answers = [
        one.ids
        for one in tokenizer.encode_batch([answered(row.answer) for row in rows], add_special_tokens=False)  # type: ignore[attr-defined]
    ]
    texts = [ask + answer for ask, answer in zip(asks, answers, strict=True)]
    np.savez_compressed(
        path,
        tokens=np.concatenate([np.array(text, np.uint16) for text in texts]),
        starts=np.cumsum([0, *map(len, texts)]).astype(np.int64),
        answers=np.array([len(ask) for ask in asks], np.int32),
        weights=np.array([WEIGHTS.get(f"{row.job}/{row.source}", 1.0) for row in rows], np.float32),
    )
    print(path.name, len(rows), "rows", sum(map(len, texts)), "tokens", flush=True)
