"""Changing a person: is the text word for word what a human wrote?

Every third sentence of mt_geneval (women to men and men to women) and of neutralrewriter's Reddit and OpenSubtitles parts (to singular "they");
the writer learned from the others. The rules change everybody, as the references do. The small model is asked about the first
word that names somebody, as in a run, and its answer goes through the same reading as there; where others are spoken of besides, that
cannot be the reference. "writer_all" is the writer asked to change everybody.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from typing import Any

import numpy as np

from longway.engines.local import LocalEngine
from longway.engines.onnx_writer import loaded_with
from longway.engines.writer_lines import person_lines
from longway.english.people.demographic_mentions import find_demographics
from longway.english.people.demographics import parse_attribute
from longway.english.pipeline import load_pipeline
from longway.methods.perturb.asked import AskedPerturber
from longway.methods.perturb.perturber import Place, Request
from longway.methods.perturb.rule_perturber import RulePerturber
from perturb import SIDES, edit_distance, perturbed, words
from writer_common import asker_of, chosen, engine_of, lines_of, noted, progress_of, share, table

HELD_OUT = 3
PARTS = ("reddit", "opensubtitles")
TO = {"man": "a man", "woman": "a woman", "non-binary": "a person whose gender is non-binary or left open"}


def by_rules(texts: Sequence[str], sources: Sequence[str], target: str) -> list[str]:
    """Everybody changed; nouns stay where the target is "they", as in the references."""
    perturber = RulePerturber(everyone=True, names=False, nouns=target != "non-binary")
    return [perturbed(text, perturber, sources, target) for text in texts]


def by_model(name: str, texts: Sequence[str], sources: Sequence[str], target: str, what: str) -> list[str]:
    """The first person of each text changed by the small model; the text as it is where there is none or the answer is of no use."""
    asked = [request_of(text, sources, target) for text in texts]
    perturber = AskedPerturber(asker_of(engine_of(name), f"person {what} {name}"))
    answers = iter(perturber.perturb([request for request in asked if request is not None]))
    return [
        next(answers).segments[0] if request is not None else text
        for text, request in zip(texts, asked, strict=True)
    ]


def by_writer_for_all(texts: Sequence[str], target: str, what: str) -> list[str]:
    """Everybody changed by the writer: no word is marked."""
    engine = engine_of("writer")
    assert isinstance(engine, LocalEngine)
    model, progress = (
        loaded_with(engine.model_path, engine.adapter.path),
        progress_of(f"person {what} writer_all"),
    )
    new = []
    for i, text in enumerate(texts):
        lines = person_lines(text, TO[target])
        new.append(
            model.draw(lines, 1, temperature=0.0, top_p=1.0, max_tokens=len(text) // 2 + 16, seed=0)[
                0
            ].text.strip()
        )
        progress(i + 1, len(texts))
    return new


def request_of(text: str, sources: Sequence[str], target: str) -> Request | None:
    """The question about the first word that names one of the sources."""
    wanted = [parse_attribute(source) for source in sources]
    for found in find_demographics(load_pipeline().analyse(text)).words:
        if found.attribute in wanted:
            return Request(
                (text,), Place(0, found.start, found.stop), found.attribute, parse_attribute(target)
            )
    return None


def held_out(file: str, limit: int | None) -> list[dict[str, Any]]:
    return lines_of(file)[::HELD_OUT][:limit]


def figures_of(new: Sequence[str], wanted: Sequence[str], texts: Sequence[str]) -> dict[str, Any]:
    pairs = [(words(a), words(b)) for a, b in zip(new, wanted, strict=True)]
    return {
        "exact": share([a == b for a, b in pairs]),
        "word_error_rate": sum(edit_distance(a, b) for a, b in pairs) / max(1, sum(len(b) for _, b in pairs)),
        "unchanged": float(np.mean([a == b for a, b in zip(new, texts, strict=True)])) if texts else 0.0,
    }


def part(options: Namespace) -> dict[str, Any]:
    """Every way with every engine."""
    sentences = held_out("mt_geneval/part_a", options.limit)
    ways = {
        f"to_{target}": (
            [row[source] for row in sentences],
            [row[target] for row in sentences],
            [SIDES[source]],
            SIDES[target],
        )
        for source, target in (("feminine", "masculine"), ("masculine", "feminine"))
    }
    for part_name in PARTS:
        rows = held_out(f"neutralrewriter/{part_name}", options.limit)
        texts, wanted = [row["original"] for row in rows], [row["gender_neutral"] for row in rows]
        ways[f"they_{part_name}"] = (texts, wanted, ["man", "woman"], "non-binary")
    figures = {}
    for way, (texts, wanted, sources, target) in chosen(ways, options.sets).items():
        for engine in options.engines:
            if engine == "rules":
                made = {engine: by_rules(texts, sources, target)}
            else:
                made = {engine: by_model(engine, texts, sources, target, way)}
            if engine == "writer":
                made["writer_all"] = by_writer_for_all(texts, target, way)
            for name, new in made.items():
                figures[f"{name}_{way}"] = noted(f"{name} {way}", figures_of(new, wanted, texts))
    rows = [
        (name, f["exact"]["n"], f["exact"], f["word_error_rate"], f["unchanged"])
        for name, f in figures.items()
    ]
    table("person", ("", "texts", "word for word", "word error rate", "unchanged"), rows)
    return figures
