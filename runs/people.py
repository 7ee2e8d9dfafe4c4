"""Who is meant? Person chains on the GAP corpus, beside the two baselines of its paper, and on GUM.

python runs/people.py
python runs/people.py --limit 200 --model longway
python runs/people.py --file another_part_of_gap.jsonl.gz

GAP (Webster et al. 2018): a pronoun and two names; does it stand for the first, for the second? Our chains get the plain text and find
names themselves; the baselines are given both names and choose one, as in the paper. The weights of the chains are
fitted on GAP development, so that on that part the figures are cross-validated: each row is answered with
weights fitted on other rows. On another part (`--file`) they are those of the package as it is.

GUM, as a check on other kinds of text that nothing was fitted on: of the "he" and "she" that were linked to names or nouns,
how many stand for the person that most of these are there; of the names that were taken for people, how many are.
"""

from __future__ import annotations

import argparse
import gzip
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import conllu
import numpy as np
from rich.console import Console
from rich.table import Table

from common import data, finish
from longway.english.document import Document, Word
from longway.english.people.chains import find_chains, load_weights
from longway.english.people.discourse import Discourse
from longway.english.people.mentions import Mention, head_index
from longway.english.pipeline import MODEL_PATH, EnglishPipeline, load_pipeline

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "train"))
from chains import cross_validated
from gap import Answer, Row, Score, answer, bounds, read_gap, score

DEVELOPMENT = "gap/development.jsonl.gz"
GUM = "ud_gum/dev.conllu.gz"
GENDERS = ("masculine", "feminine")
RESAMPLES = 1000

Answers = list[tuple[bool, bool]]


# The baselines: the better of two given names


def nearest_name(row: Row) -> int:
    """The name with the fewest words between it and the pronoun."""
    return min((0, 1), key=lambda which: _words_apart(row, which))


def parallel_name(row: Row) -> int:
    """The nearest name in the pronoun's place, if that is subject or object; else the nearest in the parse, then in words."""
    place = _place(row.document, _pronoun(row))
    parallel = [which for which in (0, 1) if place and _place(row.document, _name(row, which)) == place]
    if parallel:
        return min(parallel, key=lambda which: _words_apart(row, which))
    return min((0, 1), key=lambda which: (_steps_apart(row, which), _words_apart(row, which)))


BASELINES: dict[str, Callable[[Row], int]] = {"nearest name": nearest_name, "parallel name": parallel_name}


def _pronoun(row: Row) -> Word:
    return row.document.words_between(*row.pronoun)[0]


def _name(row: Row, which: int) -> Word:
    words = row.document.words_between(*row.names[which])
    return row.document.words[head_index(row.document, words)]


def _place(document: Document, word: Word) -> str:
    return {"nsubj": "subject", "obj": "object"}.get(word.relation, "")


def _words_apart(row: Row, which: int) -> int:
    pronoun, words = _pronoun(row).index, row.document.words_between(*row.names[which])
    return min(abs(word.index - pronoun) for word in words)


def _steps_apart(row: Row, which: int) -> int:
    """Steps through the parse; from one sentence to the next it is one step between the roots."""
    scene, name, pronoun = Discourse(row.document, ()), _name(row, which), _pronoun(row)
    apart = abs(row.document.sentence_number(name) - row.document.sentence_number(pronoun))
    if apart == 0:
        return scene.steps(name, pronoun)
    return scene.depths[name.index] + scene.depths[pronoun.index] + apart


# Figures on GAP


@dataclass(frozen=True)
class Line:
    """One system: its scores by gender, "all" included, and the 95% intervals of some."""

    scores: dict[str, Score]
    intervals: dict[str, tuple[float, float]] = field(default_factory=dict)

    @property
    def ratio(self) -> float:
        """F1 on feminine pronouns over F1 on masculine ones: 1 is fair."""
        return self.scores["feminine"].f1 / max(self.scores["masculine"].f1, 1e-9)


@dataclass(frozen=True)
class Gap:
    """All systems on one part of GAP. lines: name -> figures; curve: bound -> scores of the chains."""

    rows: int
    how: str
    sure: float
    lines: dict[str, Line]
    curve: dict[float, Score]

    def closing(self) -> dict[str, Any]:
        """The figures for the closing line of a script, in per cent."""
        figures: dict[str, Any] = {"gap_rows": self.rows, "gap_how": self.how}
        for key, name in (("gap", "chains"), ("gap_balanced", "chains, balanced")):
            line = self.lines[name]
            figures[f"{key}_precision"] = round(100 * line.scores["all"].precision, 2)
            figures[f"{key}_recall"] = round(100 * line.scores["all"].recall, 2)
            figures[f"{key}_f1"] = round(100 * line.scores["all"].f1, 2)
            figures |= {f"{key}_f1_{gender}": round(100 * line.scores[gender].f1, 2) for gender in GENDERS}
            figures[f"{key}_ratio"] = round(line.ratio, 3)
        for name in BASELINES:
            figures[f"gap_{name.split()[0]}_f1"] = round(100 * self.lines[name].scores["all"].f1, 2)
        return figures


def gap_figures(
    pipeline: EnglishPipeline, *, limit: int | None = None, seed: int = 0, file: Path | None = None
) -> Gap:
    """Chains and baselines on GAP development, cross-validated, or on another file of GAP."""
    rows = read_gap(file or data(DEVELOPMENT), pipeline, limit=limit)
    weights = load_weights()
    answers = [answer(row, weights) for row in rows] if file else cross_validated(rows, seed=seed)
    given: dict[str, Answers] = {
        "chains": [found.at(weights.sure) for found in answers],
        "chains, balanced": [found.at(weights.balanced) for found in answers],
    }
    for name, choose in BASELINES.items():
        given[name] = [(chosen == 0, chosen == 1) for chosen in map(choose, rows)]
    lines = {name: _line(rows, guesses, seed) for name, guesses in given.items()}
    return Gap(
        len(rows), "as shipped" if file else "cross-validated", weights.sure, lines, _curve(rows, answers)
    )


def _line(rows: Sequence[Row], given: Answers, seed: int) -> Line:
    right, genders = [row.right for row in rows], np.array([row.gender for row in rows])
    chosen = {"all": np.full(len(rows), True)} | {gender: genders == gender for gender in GENDERS}
    scores = {}
    for name, mask in chosen.items():
        where = np.flatnonzero(mask)
        scores[name] = score([right[i] for i in where], [given[i] for i in where])
    return Line(scores, _intervals(np.array(right), np.array(given), chosen, seed))


def _intervals(right: Any, given: Any, chosen: dict[str, Any], seed: int) -> dict[str, tuple[float, float]]:
    """95% intervals of precision, of each F1 and of their ratio: rows drawn anew (bootstrap)."""
    hits, links, wanted = (right & given).sum(1), given.sum(1), right.sum(1)
    rng = np.random.default_rng(seed)
    drawn: dict[str, list[float]] = {"precision": [], "ratio": []} | {name: [] for name in chosen}
    for _ in range(RESAMPLES):
        times = np.bincount(rng.integers(len(right), size=len(right)), minlength=len(right))
        f1 = {
            name: 2 * (times * mask) @ hits / max(1, (times * mask) @ (links + wanted))
            for name, mask in chosen.items()
        }
        for name, value in f1.items():
            drawn[name].append(value)
        drawn["precision"].append(times @ hits / max(1, times @ links))
        drawn["ratio"].append(f1["feminine"] / max(f1["masculine"], 1e-9))
    return {name: tuple(np.quantile(values, (0.025, 0.975)).tolist()) for name, values in drawn.items()}


def _curve(rows: Sequence[Row], answers: Sequence[Answer]) -> dict[float, Score]:
    right = [row.right for row in rows]
    return {bound: score(right, [found.at(bound) for found in answers]) for bound in bounds()}


def show_gap(console: Console, gap: Gap) -> None:
    """Print the tables."""
    title = f"GAP, {gap.rows:,} rows, {gap.how}; per cent, [95% interval]"
    table = Table(
        "",
        "precision",
        "recall",
        "F1",
        "masculine",
        "feminine",
        "ratio",
        title=title,
        title_justify="left",
        box=None,
    )
    for name, line in gap.lines.items():
        every = line.scores["all"]
        cells = [_cell(every.precision, line.intervals["precision"]), f"{100 * every.recall:.1f}"]
        cells += [_cell(line.scores[key].f1, line.intervals[key]) for key in ("all", *GENDERS)]
        low, high = line.intervals["ratio"]
        table.add_row(name, *cells, f"{line.ratio:.2f} [{low:.2f}, {high:.2f}]".replace("[", r"\["))
    console.print(table)
    curve = Table(
        "links that are right", "bound", "recall", "F1", title="the trade", title_justify="left", box=None
    )
    for least in (0.0, 0.80, 0.85, 0.87, 0.90, 0.95):
        bound = next((b for b, found in gap.curve.items() if found.precision >= least), None)
        if bound is not None:
            found = gap.curve[bound]
            curve.add_row(f"{found.precision:.1%}", f"{bound:.2f}", f"{found.recall:.1%}", f"{found.f1:.1%}")
    console.print(curve)


def _cell(value: float, interval: tuple[float, float]) -> str:
    return f"{100 * value:.1f} \\[{100 * interval[0]:.1f}, {100 * interval[1]:.1f}]"


# GUM: other kinds of text


@dataclass(frozen=True)
class Gold:
    """A document of GUM: its text, and each mention of an entity as (start, end, entity, type)."""

    text: str
    mentions: list[tuple[int, int, str, str]]

    def entity(self, start: int, end: int) -> tuple[str, str]:
        """Entity and type of the shortest mention around a stretch of the text; empty where there is none."""
        around = [m for m in self.mentions if m[0] <= start and m[1] >= end]
        best = min(around, key=lambda m: m[1] - m[0], default=(0, 0, "", ""))
        return best[2], best[3]


def gum_documents(path: Path) -> Iterator[Gold]:
    """The documents of GUM with their entities."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        texts: list[list[conllu.TokenList]] = []
        for sentence in conllu.parse_incr(file):
            if "newdoc id" in sentence.metadata:
                texts.append([])
            texts[-1].append(sentence)
    yield from map(_gold, texts)


def _gold(sentences: list[conllu.TokenList]) -> Gold:
    text = ""
    found: list[tuple[int, int, str, str]] = []
    begun: list[tuple[int, str, str]] = []
    for sentence in sentences:
        text += "\n\n" if text and "newpar" in sentence.metadata else ""
        written, place = sentence.metadata["text"], 0
        for token in sentence:
            start = written.find(token["form"], place) if isinstance(token["id"], int) else -1
            if start >= 0:
                place = start + len(token["form"])
                _mark(_entity(token), len(text) + start, len(text) + place, begun, found)
        text += written + " "
    return Gold(text, found)


def _mark(
    marks: str,
    start: int,
    end: int,
    begun: list[tuple[int, str, str]],
    found: list[tuple[int, int, str, str]],
) -> None:
    """Begin and end mentions at one word: "(3-person-...", "3)", "(3-person-...)", one behind the other."""
    for mark in re.findall(r"\([^()]+\)?|[^()]+\)", marks):
        entity, *rest = mark.strip("()").split("-")
        if mark.startswith("("):
            begun.append((start, entity, rest[0]))
        if mark.endswith(")"):
            which = max((i for i, item in enumerate(begun) if item[1] == entity), default=None)
            if which is not None:
                first, entity, kind = begun.pop(which)
                found.append((first, end, entity, kind))


def _entity(token: dict[str, Any]) -> str:
    return (token["misc"] or {}).get("Entity") or ""


def gum_figures(pipeline: EnglishPipeline, *, limit: int | None = None) -> dict[str, float]:
    """Shares on GUM: links and names that are right, and pronouns that were linked."""
    documents = list(gum_documents(data(GUM)))[:limit]
    counts = dict.fromkeys(("links", "right_links", "pronouns", "names", "right_names"), 0)
    for gold, document in zip(documents, pipeline.analyse_all(gold.text for gold in documents), strict=True):
        _count(gold, document, counts)
    return {
        "gum_link_precision": 100 * counts["right_links"] / max(1, counts["links"]),
        "gum_linked": 100 * counts["links"] / max(1, counts["pronouns"]),
        "gum_name_precision": 100 * counts["right_names"] / max(1, counts["names"]),
        "gum_pronouns": counts["pronouns"],
    }


def _count(gold: Gold, document: Document, counts: dict[str, int]) -> None:
    def entity(mention: Mention) -> tuple[str, str]:
        head = document.words[mention.head]
        return gold.entity(head.start, head.end)

    counts["pronouns"] += sum(w.lower in ("he", "him", "his", "she", "her") for w in document.words)
    for chain in find_chains(document):
        nouns = [mention for mention in chain.mentions if mention.kind != "pronoun"]
        names = [mention for mention in nouns if mention.kind == "name"]
        counts["names"] += len(names)
        counts["right_names"] += sum(entity(name)[1] == "person" for name in names)
        meant = Counter(entity(noun)[0] for noun in nouns).most_common(1)
        for pronoun in (m for m in chain.mentions if m.kind == "pronoun" and m.gender and nouns):
            counts["links"] += 1
            counts["right_links"] += meant[0][0] == entity(pronoun)[0] != ""


def main() -> None:
    """Print the tables and the closing line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--model", default=MODEL_PATH, help="a spaCy pipeline with Universal Dependencies labels"
    )
    parser.add_argument("--limit", type=int, help="only so many rows and documents")
    parser.add_argument("--seed", type=int, default=0, help="for folds and intervals")
    parser.add_argument("--file", type=Path, help="another part of GAP, answered with the package's weights")
    options = parser.parse_args()
    pipeline, console = load_pipeline(options.model), Console(width=150)
    gap = gap_figures(pipeline, limit=options.limit, seed=options.seed, file=options.file)
    show_gap(console, gap)
    gum = gum_figures(pipeline, limit=options.limit)
    console.print(
        f"\nGUM dev: {gum['gum_link_precision']:.1f}% of the links of he and she are right, {gum['gum_linked']:.1f}% of "
        f"{gum['gum_pronouns']} such pronouns linked; {gum['gum_name_precision']:.1f}% of the names are people"
    )
    finish("runs/people.py", **gap.closing(), **{name: round(value, 2) for name, value in gum.items()})


if __name__ == "__main__":
    main()
