"""Counterfactuals: does a text that was turned to another label have it, and is the change as small as a human's?

Sources are dev sets of human counterfactuals: SNLI pairs whose hypothesis is turned to both other labels (the originals), reviews up to
600 characters and sentences of reviews (both versions; only sentences that the human changed). Whether a text has its new label is said
by a judge that had no part in training the writer (--judge, another adapter for the same model), beside it by an encoder: for pairs our
entailment model, which chose some of the writer's training rows, for reviews MiniLM with a linear head that learned SST-2.
The human revisions are judged the same way: more than their share cannot be hoped for.

"first": the engine's first text. "best": of all its texts the one whose new label the writer's own judge finds likeliest.
A source without a text counts as failed. Intervals count sources, since the two turns of one source are not independent.
"""

from __future__ import annotations

import json
import re
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from functools import partial
from typing import Any

import numpy as np

from longway.engines.model_files import installed_adapter
from longway.engines.prompt import counterfactual_prompt
from longway.task import Task
from perturb import edit_distance, words
from writer_common import (
    NLI,
    SENTIMENT,
    asker_of,
    chosen,
    engine_of,
    in_parts,
    judge_of,
    judged_by,
    lines_of,
    noted,
    share,
    table,
)
from writer_judge import by_encoder

LIMIT, LONGEST = 100, 600
REVISIONS = 4  # of each pair: premise and hypothesis, to both other labels
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[\"'A-Z])")
Opinion = Callable[[Sequence[tuple[str, str | None]]], np.ndarray]


@dataclass(frozen=True, slots=True)
class Turn:
    """A text to be turned to a label, and what a human made of it. source: turns of one text have one."""

    source: str
    text: str
    label: str
    target: str
    human: str
    context: str | None = None


def pair_turns() -> list[Turn]:
    originals = lines_of("human_cad_snli/original_dev")
    revisions = in_parts(lines_of("human_cad_snli/revised_combined_dev"), REVISIONS)
    return [
        Turn(f"snli-{i}", one["hypothesis"], one["label"], new["label"], new["hypothesis"], one["premise"])
        for i, (one, group) in enumerate(zip(originals, revisions, strict=True))
        for new in group
        if new["premise"] == one["premise"]
        and new["hypothesis"] != one["hypothesis"]
        and new["label"] != one["label"]
    ]


def review_turns() -> list[Turn]:
    return [turn for turn in _reviews() if max(len(turn.text), len(turn.human)) <= LONGEST]


def sentence_turns() -> list[Turn]:
    return [
        Turn(f"{turn.source}.{i}", one, turn.label, turn.target, other)
        for turn in _reviews()
        for i, (one, other) in enumerate(changed_sentences(turn.text, turn.human))
    ]


def _reviews() -> Iterator[Turn]:
    for one, other in in_parts(lines_of("human_cad_imdb/dev"), 2):
        for row, new in ((one, other), (other, one)):
            source, label = f"imdb-{row['pair_id']}-{row['label']}", row["label"]
            yield Turn(source, _bare(row["text"]), label, new["label"], _bare(new["text"]))


def _bare(text: str) -> str:
    return " ".join(re.sub(r"<br\s*/?>", " ", text).split())


def changed_sentences(one: str, other: str) -> Iterator[tuple[str, str]]:
    """Sentences that stand in the same place of two versions, differ, and have more than half of their words in common.

    >>> list(changed_sentences("It rained. A good film.", "It rained. A bad film."))
    [('A good film.', 'A bad film.')]
    """
    a, b = _SENTENCE_END.split(one), _SENTENCE_END.split(other)
    for tag, i, j, k, m in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if tag == "replace" and j - i == m - k:
            for old, new in zip(a[i:j], b[k:m], strict=True):
                if SequenceMatcher(None, words(old), words(new), autojunk=False).ratio() > 0.5:
                    yield old, new


SETS: dict[str, tuple[Task, Callable[[], list[Turn]]]] = {
    "pair": (NLI, pair_turns),
    "review": (SENTIMENT, review_turns),
    "sentence": (SENTIMENT, sentence_turns),
}


def some_turns(turns: Sequence[Turn], limit: int, seed: int) -> list[Turn]:
    """The turns of at most so many sources, drawn by the seed."""
    sources = list(dict.fromkeys(turn.source for turn in turns))
    kept = {sources[i] for i in np.random.default_rng(seed).permutation(len(sources))[:limit]}
    return [turn for turn in turns if turn.source in kept]


def opinions_of(name: str, task: Task, options: Namespace) -> dict[str, Opinion]:
    """Who says whether a text has its new label."""
    found: dict[str, Opinion] = {}
    if options.judge:
        found["judge"] = partial(judged_by, judge_of(options.judge), task, what=f"{name}: --judge says")
    found["encoder"] = partial(by_encoder, task)
    return found


def says_target(
    opinion: Opinion, task: Task, turns: Sequence[Turn], texts: Sequence[str | None]
) -> np.ndarray:
    """For each turn whether its text has the new label by this opinion; False where there is no text or no answer."""
    asked = [i for i, text in enumerate(texts) if text is not None]
    said = np.zeros(len(turns), bool)
    if asked:
        likely = np.nan_to_num(opinion([(texts[i] or "", turns[i].context) for i in asked]), nan=-1.0)
        wanted = np.array([task.labels.index(turns[i].target) for i in asked])
        said[asked] = (likely.argmax(axis=1) == wanted) & (likely.max(axis=1) >= 0)
    return said


def best_of(
    task: Task, turns: Sequence[Turn], written: Sequence[Sequence[str]], what: str
) -> list[str | None]:
    """For each turn the text whose new label the writer finds likeliest; the first of equals, None where there is none."""
    flat = [(place, text) for place, texts in enumerate(written) for text in texts]
    pairs = [(text, turns[place].context) for place, text in flat]
    likely = judged_by(engine_of("writer"), task, pairs, what)
    best: dict[int, tuple[float, str]] = {}
    for (place, text), row in zip(flat, likely, strict=True):
        value = float(np.nan_to_num(row[task.labels.index(turns[place].target)], nan=-1.0))
        if place not in best or value > best[place][0]:
            best[place] = (value, text)
    return [best[place][1] if place in best else None for place in range(len(turns))]


def edits(turns: Sequence[Turn], texts: Sequence[str | None]) -> dict[str, float | None]:
    """Words that were changed, as they are and by the source's length: in these texts, and by the human for the same turns."""
    both = [(turn, text) for turn, text in zip(turns, texts, strict=True) if text is not None]
    if not both:
        return dict.fromkeys(("ours", "human", "ours_relative", "human_relative"))
    lengths = np.array([max(1, len(words(turn.text))) for turn, _ in both])
    ours = np.array([edit_distance(words(turn.text), words(text)) for turn, text in both])
    human = np.array([edit_distance(words(turn.text), words(turn.human)) for turn, _ in both])
    return {
        "ours": float(ours.mean()),
        "human": float(human.mean()),
        "ours_relative": float((ours / lengths).mean()),
        "human_relative": float((human / lengths).mean()),
    }


def figures_of(
    task: Task, turns: Sequence[Turn], texts: Sequence[str | None], opinions: dict[str, Opinion]
) -> dict[str, Any]:
    n = len({turn.source for turn in turns})
    said = {who: share(says_target(opinion, task, turns, texts), n) for who, opinion in opinions.items()}
    n_texts = sum(text is not None for text in texts)
    return {"turns": len(turns), "texts": n_texts, **said, "edits": edits(turns, texts)}


def written_by(
    engine: str, task: Task, turns: Sequence[Turn], options: Namespace, what: str
) -> list[tuple[str, ...]]:
    prompts = [
        counterfactual_prompt(task, turn.text, label=turn.label, target=turn.target, context=turn.context)
        for turn in turns
    ]
    asker = asker_of(engine_of(engine, options.seed), f"turn {what} {engine}")
    return [answer.texts for answer in asker.write_all(prompts, options.n)]


def part(options: Namespace) -> dict[str, Any]:
    """Every set with every engine; the human revisions beside them."""
    figures: dict[str, Any] = {}
    kept: list[dict[str, Any]] = []
    for name, (task, turns_of) in chosen(SETS, options.sets).items():
        turns = some_turns(turns_of(), options.limit or LIMIT, options.seed)
        opinions = opinions_of(name, task, options)
        figures[f"human_{name}"] = figures_of(task, turns, [turn.human for turn in turns], opinions)
        for engine in options.engines:
            written = written_by(engine, task, turns, options, name)
            first = [texts[0] if texts else None for texts in written]
            figures[f"{engine}_{name}_first"] = noted(
                f"{engine} {name} first", figures_of(task, turns, first, opinions)
            )
            if installed_adapter() is not None:
                best = best_of(task, turns, written, f"rank {name} {engine}")
                figures[f"{engine}_{name}_best"] = noted(
                    f"{engine} {name} best", figures_of(task, turns, best, opinions)
                )
                kept += [
                    {"engine": engine, "set": name, **asdict(turn), "after": text}
                    for turn, text in zip(turns, best, strict=True)
                    if text is not None
                ]
    show(figures)
    if options.write:
        options.write.write_text("".join(json.dumps(one) + "\n" for one in kept), encoding="utf-8")
    return figures


def show(figures: dict[str, Any]) -> None:
    columns = (
        "",
        "turns",
        "with text",
        "--judge: new label",
        "encoder: new label",
        "words changed",
        "human's",
        "by length",
        "human's",
    )
    rows = [
        (
            name,
            f["turns"],
            f["texts"],
            f.get("judge"),
            f["encoder"],
            *(f["edits"][key] for key in ("ours", "human", "ours_relative", "human_relative")),
        )
        for name, f in figures.items()
    ]
    table("counterfactual: texts that have the label they were turned to", columns, rows)
