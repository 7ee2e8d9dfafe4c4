"""Edits with the label kept: words put in, fewer words, more words. How many texts get one that passes the checks, and whether it does what was asked.

The words to put in are those that speak for another label in the same file, as repair would choose them. Sources are those of `writer_rewrite.py`.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from longway.engines.prompt import edit_prompt
from longway.tokens.tokenizer import tokenize
from longway.verify.check import Candidate
from longway.verify.verifier import passed
from writer_common import Row, asker_of, engine_of, noted, share, some, table
from writer_rewrite import Data, datasets

LIMIT = 60
KINDS = ("include", "shorter", "longer")
SHORTER, LONGER = 0.75, 1.3  # times the words of the source


def part(options: Namespace) -> dict[str, Any]:
    """Every dataset and kind of edit, by the writer alone: rules are not asked for edits."""
    figures: dict[str, Any] = {}
    kept: list[dict[str, Any]] = []
    for name, data in datasets(options.sets).items():
        telling, verifier = data.telling(), data.verifier(options.seed)
        sources = some(data.rows, options.limit or LIMIT, options.seed)
        place = {row.id: i for i, row in enumerate(data.rows)}
        engine = engine_of("writer", options.seed)
        for kind in KINDS:
            asked = list(questions(kind, sources, data, telling, Random(options.seed)))
            prompts = [
                edit_prompt(data.task, row.text, label=row.label, context=row.context, **wanted)
                for row, wanted in asked
            ]
            answers = asker_of(engine, f"edit {name} {kind}").write_all(prompts, options.n)
            candidates = [
                Candidate(place[row.id], row.text, new, row.label, row.context, keeps="label")
                for (row, _), written in zip(asked, answers, strict=True)
                for new in written.texts
            ]
            accepted: dict[str, list[str]] = {}
            for candidate, verdicts in zip(candidates, verifier.verify(candidates), strict=True):
                if passed(verdicts):
                    accepted.setdefault(data.rows[candidate.row].id, []).append(candidate.after)
            followed = [follows(new, **wanted) for row, wanted in asked for new in accepted.get(row.id, ())]
            figures[f"{name}_{kind}"] = noted(
                f"{name} {kind}",
                {
                    "written": share([bool(written.texts) for written in answers]),
                    "accepted": share([row.id in accepted for row, _ in asked]),
                    "followed": share(followed),
                },
            )
            kept += [
                {"data": name, "kind": kind, "id": row.id, "before": row.text, "after": accepted[row.id][0],
                 "label": row.label, "context": row.context, **wanted}
                for row, wanted in asked if row.id in accepted
            ]  # fmt: skip
    table(
        "edits: sources with a text, with one that passes, and accepted texts that do what was asked",
        ("", "sources", "written", "accepted", "followed", "texts"),
        [
            (name, f["accepted"]["n"], f["written"], f["accepted"], f["followed"], f["followed"]["n"])
            for name, f in figures.items()
        ],
    )
    if options.write:
        options.write.write_text("".join(json.dumps(one) + "\n" for one in kept), encoding="utf-8")
    return figures


def questions(
    kind: str, sources: Sequence[Row], data: Data, telling: dict[str, tuple[str, ...]], chance: Random
) -> Iterator[tuple[Row, dict[str, Any]]]:
    """Sources with what is asked of them."""
    for row in sources:
        n_words = len(row.text.split())
        if kind == "include":
            others = [one for one in data.rows if one.label != row.label and telling[one.id]]
            yield row, {"include": chance.choice(telling[chance.choice(others).id])}
        elif kind == "shorter" and n_words >= 6:
            yield row, {"most": int(SHORTER * n_words)}
        elif kind == "longer":
            yield row, {"least": int(LONGER * n_words) + 1}


def follows(text: str, *, include: str = "", least: int = 0, most: int | None = None) -> bool:
    """Whether a text does what was asked."""
    has = f" {include} " in f" {' '.join(tokenize(text))} " if include else True
    n_words = len(text.split())
    return has and n_words >= least and (most is None or n_words <= most)
