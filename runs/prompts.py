"""Every prompt on a real model: how many answers can be read, how many pass the checks, how many are right.

    python runs/prompts.py --engine served:NAME --base-url URL [--rows 40] [--jobs judge,edit] [--families topic] [--write FILE]

Each job is asked about rows of each family of tasks: fact checking (FEVER), inference (SNLI), sentiment (SST-2), toxicity (hate speech), topic
(sentences of restaurant reviews, film reviews and science questions), labels whose names say little (SUBJ, as A and B) and reviews (IMDb, 60
to 250 words). People are changed in mt_geneval. "passed" is the product's checks for that job; "right" is counted where the answer is known:
a judge's label, a changed person word for word, an edit that does what was asked. The other answers are read by hand: --write keeps them.
"""

from __future__ import annotations

import argparse
import gzip
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from common import data, finish
from longway.engines.answers import read_identified
from longway.engines.asker import Asker
from longway.engines.engine import Sampling, Written
from longway.engines.prompt import (
    Prompt,
    counterfactual_prompt,
    edit_prompt,
    identify_prompt,
    judge_prompt,
    rewrite_prompt,
    triples_prompt,
)
from longway.engines.registry import engine_named
from longway.english.people.change import Place, Request
from longway.english.people.demographic_mentions import find_demographics
from longway.english.people.words import parse_attribute
from longway.english.pipeline import load_pipeline
from longway.english.triples.triple import parse, parse_pair
from longway.errors import LongwayError
from longway.methods.loop import Refused, ask_structured
from longway.methods.perturb.asked import perturb_by_prompts
from longway.store.journal import Journal
from longway.task import Task, task_of
from longway.verify.check import Candidate
from longway.verify.verifier import ADDED, passed, verifier_for
from longway.verify.wordforms import FUNCTION_WORDS
from perturb import SIDES

KNOWN = 1000  # rows that the checks know
SAMPLING = Sampling(max_tokens=256)
TURNED_CHECKS = (
    "surface",
    "orders",
    "entailment",
    "sentiment",
)  # of the new label, where a model of ours knows it
NLI = task_of(["entailment", "neutral", "contradiction"], text_name="hypothesis", context_name="premise")
FACTS = task_of(["SUPPORTS", "REFUTES"], text_name="claim", context_name="evidence")
SENTIMENT = task_of(["positive", "negative"])
_WORD = re.compile(r"\b[a-z]{4,}\b")


@dataclass(frozen=True, slots=True)
class Row:
    """A labelled text; id: the dataset and the row's number in its file."""

    id: str
    text: str
    label: str
    context: str | None = None


def lines_of(file: str) -> list[dict[str, Any]]:
    with gzip.open(data(f"{file}.jsonl.gz"), "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@cache
def rows_of(file: str, text: str = "text", context: str = "") -> tuple[Row, ...]:
    """All rows of a file."""
    name = file.partition("/")[0]
    return tuple(
        Row(f"{name}-{i}", line[text], line["label"], line[context] if context else None)
        for i, line in enumerate(lines_of(file))
    )


def some(rows: Sequence[Row], limit: int | None, seed: int) -> list[Row]:
    """At most so many of the rows, drawn by the seed, in their order."""
    order = np.random.default_rng(seed).permutation(len(rows))[:limit]
    return [rows[i] for i in sorted(order.tolist())]


def request_of(text: str, sources: Sequence[str], target: str) -> Request | None:
    """The question about the first word that names one of the sources."""
    wanted = [parse_attribute(source) for source in sources]
    for found in find_demographics(load_pipeline().analyse(text)).words:
        if found.attribute in wanted:
            place = Place(0, found.start, found.stop)
            return Request((text,), place, found.attribute, parse_attribute(target))
    return None


@dataclass(frozen=True, slots=True)
class Family:
    """A dataset that stands for a family of tasks."""

    name: str
    task: Task
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer to one row. right: None if only a person can tell."""

    job: str
    family: str
    id: str
    wanted: str
    texts: tuple[str, ...] = ()
    reason: str = ""
    is_passed: bool = False
    right: bool | None = None

    @property
    def is_readable(self) -> bool:
        """Whether anything could be read."""
        return bool(self.texts)


@cache
def families() -> dict[str, Family]:
    """By name."""
    topics = task_of(["food", "entertainment", "science"])
    sources = {
        "food": ("yelp_sentences/dev_sample", "text"),
        "entertainment": ("rotten_tomatoes_mr/all", "text"),
        "science": ("choice/arc", "question"),
    }
    topical = tuple(
        Row(f"{file.partition('/')[0]}-{i}", line[text], label)
        for label, (file, text) in sources.items()
        for i, line in enumerate(lines_of(file)[:400])
    )
    opinions = {"subjective": "A", "objective": "B"}
    plain = tuple(Row(row.id, row.text, opinions[row.label]) for row in rows_of("subj/all"))
    reviews = tuple(row for row in rows_of("imdb/test") if 60 <= len(row.text.split()) <= 250)
    found = [
        Family("fact checking", FACTS, rows_of("fever/paper_test_supports_refutes", "claim", "evidence")),
        Family("inference", NLI, tuple(r for r in rows_of("snli/dev", "hypothesis", "premise") if r.label in NLI.labels)),
        Family("sentiment", SENTIMENT, rows_of("sst2/dev")),
        Family("toxicity", task_of(["hate", "nothate"]), rows_of("hate_speech_human_cf/dev")),
        Family("topic", topics, topical),
        Family("unknown", task_of(["A", "B"]), plain),
        Family("reviews", SENTIMENT, reviews),
    ]  # fmt: skip
    return {one.name: one for one in found}


def sample(family: Family, n: int) -> list[Row]:
    """n rows, the same for every engine and job."""
    return some(family.rows, n, seed=5)


def chance_of(row: Row) -> random.Random:
    """Chance that depends on the row alone."""
    return random.Random(row.id)


def judged(asker: Asker, family: Family, rows: Sequence[Row]) -> Iterator[Answer]:
    """The label of each row."""
    prompts = [judge_prompt(family.task, row.text, context=row.context) for row in rows]
    for row, one in zip(rows, asker.judge_all(prompts, family.task.labels), strict=True):
        texts = () if one.best is None else (one.best,)
        yield Answer(
            "judge", family.name, row.id, row.label, texts, one.refusal, bool(texts), one.best == row.label
        )


def rewritten(asker: Asker, family: Family, rows: Sequence[Row], n: int) -> Iterator[Answer]:
    """Rewritings without one of their words."""
    avoid = {row.id: _one_word(row) for row in rows}
    prompts = [
        rewrite_prompt(family.task, row.text, label=row.label, context=row.context, avoid=avoid[row.id])
        for row in rows
    ]
    for row, one, fine in _checked(asker, family, rows, prompts, n, telling=avoid):
        yield Answer("rewrite", family.name, row.id, row.label, fine or one.texts, _why(one), bool(fine))


def turned(asker: Asker, family: Family, rows: Sequence[Row], n: int) -> Iterator[Answer]:
    """Counterparts with another label."""
    labels = family.task.labels
    target = {row.id: chance_of(row).choice([one for one in labels if one != row.label]) for row in rows}
    prompts = [
        counterfactual_prompt(
            family.task, row.text, label=row.label, target=target[row.id], context=row.context
        )
        for row in rows
    ]
    turned_rows = [Row(row.id, row.text, target[row.id], row.context) for row in rows]
    for row, one, fine in _checked(asker, family, turned_rows, prompts, n, names=TURNED_CHECKS):
        yield Answer("counterpart", family.name, row.id, row.label, fine or one.texts, _why(one), bool(fine))


def edited(asker: Asker, family: Family, rows: Sequence[Row], n: int) -> Iterator[Answer]:
    """A word put in, fewer words, or more."""
    wanted = {row.id: _edit(row, rows) for row in rows}
    prompts = [
        edit_prompt(family.task, row.text, label=row.label, context=row.context, **wanted[row.id])
        for row in rows
    ]
    for row, one, fine in _checked(asker, family, rows, prompts, n, keeps="label"):
        done = [text for text in one.texts if reaches(text, **wanted[row.id])]
        texts = [text for text in fine if text in done] or done or one.texts
        is_passed = any(text in done for text in fine)
        yield Answer(
            "edit",
            family.name,
            row.id,
            json.dumps(wanted[row.id]),
            tuple(texts),
            _why(one),
            is_passed,
            bool(done),
        )


def identified(asker: Asker, family: Family, rows: Sequence[Row], n: int) -> Iterator[Answer]:
    """Words that decide the label, and words that only go with it."""
    prompts = [
        identify_prompt(family.task, row.text, label=row.label, k=3, context=row.context) for row in rows
    ]
    for row, one in zip(rows, _structured(asker, prompts, read_identified), strict=True):
        if isinstance(one, Refused):
            yield Answer("identify", family.name, row.id, row.label, reason=one.reason)
            continue
        around = f"{row.text} {row.context or ''}".lower()
        is_passed = bool(one[0]) and all(word.lower() in around for word in (*one[0], *one[1]))
        texts = (f"principal: {', '.join(one[0])}; spurious: {', '.join(one[1])}",)
        yield Answer("identify", family.name, row.id, row.label, texts, is_passed=is_passed)


def parsed(asker: Asker, family: Family, rows: Sequence[Row], n: int) -> Iterator[Answer]:
    """The statements of a text as triples."""
    prompts = [triples_prompt(family.task, row.text, context=row.context) for row in rows]
    read: Callable[[str], Any] = parse_pair if family.task.is_pair else parse
    for row, one in zip(rows, _structured(asker, prompts, read), strict=True):
        if isinstance(one, Refused):
            yield Answer("triples", family.name, row.id, row.label, reason=one.reason)
        else:
            triples = one[0] + one[1] if family.task.is_pair else one
            texts = ("; ".join(map(str, triples)),)
            yield Answer("triples", family.name, row.id, row.label, texts, is_passed=True)


def perturbed(asker: Asker, n_rows: int) -> Iterator[Answer]:
    """Women to men and men to women; right if word for word as people did it."""
    for source, target in (("feminine", "masculine"), ("masculine", "feminine")):
        lines = lines_of("mt_geneval/part_a")[: 3 * n_rows : 3]
        asked = [
            (i, line, request)
            for i, line in enumerate(lines)
            if (request := request_of(line[source], [SIDES[source]], SIDES[target])) is not None
        ]
        done = perturb_by_prompts([request for _, _, request in asked], asker)
        for (i, line, _), one in zip(asked, done, strict=True):
            texts = () if one.reason else (one.segments[0],)
            right = bool(texts) and texts[0].split() == line[target].split()
            yield Answer(
                "perturb", f"to {target}", f"mt_geneval-{3 * i}", "", texts, one.reason, bool(texts), right
            )


def _checked(
    asker: Asker,
    family: Family,
    rows: Sequence[Row],
    prompts: Sequence[Prompt],
    n: int,
    *,
    telling: dict[str, tuple[str, ...]] | None = None,
    keeps: str | None = None,
    names: Sequence[str] | None = None,
) -> Iterator[tuple[Row, Written, tuple[str, ...]]]:
    """The rows with what was written for them and what of it passed the checks."""
    answers = asker.write_all(prompts, n, SAMPLING)
    known = [*rows, *some(family.rows, KNOWN, seed=6)]
    contexts = [row.context or "" for row in known] if family.task.is_pair else None
    texts, labels = [row.text for row in known], [row.label for row in known]
    if names is None:
        verifier = verifier_for(family.task, texts, labels, contexts)
    else:
        # Each text has another label than its row.
        verifier = verifier_for(family.task, texts, (), contexts, kind=ADDED, names=names, is_english=True)
    candidates = [
        Candidate(
            i, row.text, text, row.label, row.context,
            keeps=keeps or family.task.keeps(row.label), telling=frozenset(telling[row.id] if telling else ()),
        )
        for i, (row, one) in enumerate(zip(rows, answers, strict=True)) for text in one.texts
    ]  # fmt: skip
    fine: dict[int, list[str]] = {}
    for candidate, verdicts in zip(candidates, verifier.verify(candidates), strict=True):
        if passed(verdicts):
            fine.setdefault(candidate.row, []).append(candidate.after)
    for i, (row, one) in enumerate(zip(rows, answers, strict=True)):
        yield row, one, tuple(fine.get(i, ()))


def _structured(asker: Asker, prompts: Sequence[Prompt], read: Callable[[str], Any]) -> list[Any]:
    n = len(prompts)
    return list(ask_structured(asker.write_all, prompts, [SAMPLING] * n, [read] * n))


def _why(written: Written) -> str:
    return next(iter(written.refusals), "")


def _one_word(row: Row) -> tuple[str, ...]:
    own = [word for word in _WORD.findall(row.text) if word not in FUNCTION_WORDS]
    return (chance_of(row).choice(own),) if own else ()


def _edit(row: Row, rows: Sequence[Row]) -> dict[str, Any]:
    chance, n_words = chance_of(row), len(row.text.split())
    words = [word for other in rows for word in _WORD.findall(other.text)]
    return chance.choice(
        (
            {"include": chance.choice(words)},
            {"most": max(3, int(0.7 * n_words))},
            {"least": int(1.3 * n_words) + 2},
        )
    )


def reaches(text: str, *, include: str = "", least: int = 0, most: int | None = None) -> bool:
    """Whether an edit did what was asked."""
    n_words = len(text.split())
    has = not include or re.search(rf"\b{re.escape(include)}\b", text, re.IGNORECASE) is not None
    return has and least <= n_words and (most is None or n_words <= most)


JOBS: dict[str, Callable[..., Iterator[Answer]]] = {
    "rewrite": rewritten,
    "counterpart": turned,
    "edit": edited,
    "identify": identified,
    "triples": parsed,
}


def answers_of(asker: Asker, options: argparse.Namespace) -> Iterator[Answer]:
    """All jobs on all families."""
    for family in families().values():
        if options.families and family.name not in options.families:
            continue
        rows = sample(family, options.rows)
        if "judge" in options.jobs:
            yield from judged(asker, family, rows)
        for job, ask in JOBS.items():
            if job in options.jobs:
                yield from ask(asker, family, rows, options.n)
    if "perturb" in options.jobs:
        yield from perturbed(asker, options.rows)


def show(found: Sequence[Answer]) -> dict[str, Any]:
    """The table, and its figures by job and family."""
    groups: dict[str, list[Answer]] = {}
    for one in found:
        groups.setdefault(f"{one.job} {one.family}", []).append(one)
    figures: dict[str, Any] = {}
    table = Table("prompts", "rows", "readable", "passed", "right")
    for name, members in groups.items():
        counts = [sum(one.is_readable for one in members), sum(one.is_passed for one in members)]
        is_known = members[0].right is not None
        right = sum(bool(one.right) for one in members) if is_known else None
        cells = (len(members), *counts, "by hand" if right is None else right)
        table.add_row(name, *map(str, cells))
        figures[name] = dict(
            zip(("rows", "readable", "passed", "right"), (len(members), *counts, right), strict=True)
        )
    Console().print(table)
    return figures


def main() -> None:
    names = ["judge", *JOBS, "perturb"]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--engine", required=True)
    parser.add_argument("--base-url")
    parser.add_argument("--rows", type=int, default=40)
    parser.add_argument("--n", type=int, default=4, help="texts to ask for")
    parser.add_argument("--jobs", type=lambda given: given.split(","), default=names, metavar=",".join(names))
    parser.add_argument("--families", type=lambda given: given.split(","))
    parser.add_argument("--write", type=Path, help="keep the answers here, as JSON lines")
    options = parser.parse_args()
    try:
        asker = Asker(engine_named(options.engine, base_url=options.base_url), Journal(None))
        found = list(answers_of(asker, options))
    except LongwayError as error:
        raise SystemExit(str(error)) from None
    if options.write:
        lines = (json.dumps(asdict(one), ensure_ascii=False) + "\n" for one in found)
        options.write.write_text("".join(lines), encoding="utf-8")
    finish("runs/prompts.py", engine=options.engine, **show(found))


if __name__ == "__main__":
    main()
