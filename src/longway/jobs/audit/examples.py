"""Findings with examples from the data: one finding per group of patterns that say the same, with ids and a text that shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from longway.data import Dataset
from longway.data.dataset import examples_at
from longway.detect.concepts.detector import ConceptDetector
from longway.detect.findings import KEPT_IDS, Chosen
from longway.detect.levels import CONCEPT, where
from longway.detect.reading import TEXT, Reading
from longway.records import Example, Finding
from longway.text.tokenizer import token_spans

WIDTH = 110  # characters of an example
CONCEPT_WIDTH = 300  # and of one that shows what a concept is
N_TYPICAL = 3


def examples_by_place(dataset: Dataset, reading: Reading, places: NDArray[np.int64]) -> dict[int, Example]:
    """The examples at these places (ascending) of the reading."""
    found = examples_at(dataset, reading.rows[places])
    return dict(zip(places.tolist(), found, strict=True))


def places_of(chosen: Sequence[Chosen]) -> list[int]:
    """Where the supporting and counter-examples of some patterns stand in the reading."""
    return [place for one in chosen for place in (*one.supporting, *one.counter)]


def grouped(chosen: Sequence[Chosen], examples: Mapping[int, Example]) -> list[Finding]:
    """One finding for each group, strongest first, with the weaker members as its variants."""
    members: dict[int, list[Finding]] = {}
    for one, finding in zip(chosen, with_examples(chosen, examples), strict=True):
        members.setdefault(one.leader, []).append(finding)
    leaders = [replace(best, variants=tuple(others)) for best, *others in members.values()]
    return sorted(leaders, key=lambda finding: -finding.gain)  # those of a sample came behind all others


def with_examples(chosen: Sequence[Chosen], examples: Mapping[int, Example]) -> list[Finding]:
    """The findings with ids and an example each, if possible a different one."""
    shown: set[str] = set()
    return [_with_example(one, examples, shown) for one in chosen]


def _with_example(chosen: Chosen, examples: Mapping[int, Example], shown: set[str]) -> Finding:
    """A short supporting text, if possible one that was not shown. shown: texts that were."""
    supporting, counter = (
        [examples[place] for place in places] for places in (chosen.supporting, chosen.counter)
    )
    is_text = chosen.description.role == TEXT
    texts, others = (
        [(example.text if is_text else example.context) or "" for example in some]
        for some in (supporting, counter)
    )
    is_concept = chosen.detector.level == CONCEPT
    text = min(texts, key=lambda each: (each in shown, 0 if is_concept else len(each)), default="")
    shown.add(text)
    texts.sort(key=lambda each: each != text)
    for phrase in chosen.description.others or (chosen.description.phrase,):
        snippet, marks = in_context(text, phrase, last=chosen.description.at_end)
        if marks:
            break
    if is_concept:
        snippet = _from_sentence(text, chosen, WIDTH)
    elif not marks and (place := _surface_place(chosen, text)) is not None:
        snippet, marks = _around(text, *place)
    return replace(
        chosen.finding,
        supporting=tuple(example.id for example in supporting[:KEPT_IDS]),
        counter=tuple(example.id for example in counter[:KEPT_IDS]),
        example=snippet,
        marks=marks,
        typical=_shortened(texts, chosen) if is_concept else (),
        untypical=_shortened(others, chosen) if is_concept else (),
    )


def _shortened(texts: Sequence[str], chosen: Chosen) -> tuple[str, ...]:
    """The first different texts, each cut to a line or three."""
    return tuple(
        _from_sentence(text, chosen, CONCEPT_WIDTH) for text in list(dict.fromkeys(texts))[:N_TYPICAL]
    )


def _from_sentence(text: str, chosen: Chosen, width: int) -> str:
    """So many characters of a text, from the sentence on that has most of the concept."""
    start = 0
    if len(text) > width and isinstance(chosen.detector, ConceptDetector):
        start = text.find(chosen.detector.concepts.sentence(text, chosen.key))
    return ("…" if start else "") + in_context(text[start:], (), width=width)[0]


def in_context(
    text: str, phrase: tuple[str, ...], *, last: bool = False, width: int = WIDTH
) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of the text around the phrase, and where the phrase stands in that part.

    last: take the last place where the phrase stands instead of the first. width: characters, if the phrase is not there.

    >>> in_context("It is NOT a film.", ("is", "not"))
    ('It is NOT a film.', ((3, 9),))
    """
    tokens = token_spans(text[:20_000])  # far enough for an example, whatever the text
    n = len(phrase)
    places = [
        i for i in range(len(tokens) - n + 1) if n and tuple(t for t, _, _ in tokens[i : i + n]) == phrase
    ]
    if not places:
        return _flat(text[:width]) + ("…" if len(text) > width else ""), ()
    first = places[-1 if last else 0]
    return _around(text, tokens[first][1], tokens[first + n - 1][2])


def _surface_place(chosen: Chosen, text: str) -> tuple[int, int] | None:
    """The first characters that a surface pattern is about, such as an exclamation mark; None for other levels and whole texts."""
    pattern = chosen.description.pattern
    if pattern.level != "surface":
        return None
    spans = (where(pattern, {pattern.field: text}) or {}).get(pattern.field, ())
    return next(iter(spans), None)


def _around(text: str, start: int, end: int) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The part of the text around start..end, and where these stand in it."""
    left, right = _window(text, start, end)
    before = "…" if left > 0 else ""
    shift = len(before) - left
    after = "…" if right < len(text) else ""
    return before + _flat(text[left:right]) + after, ((start + shift, end + shift),)


def _window(text: str, start: int, end: int) -> tuple[int, int]:
    """A stretch of about WIDTH characters around start..end that cuts no word in two."""
    room = max(0, WIDTH - (end - start))
    left, right = max(0, start - room // 2), min(len(text), end + room // 2)
    while 0 < left < start and not text[left - 1].isspace():
        left += 1
    while end < right < len(text) and not text[right].isspace():
        right -= 1
    return left, right


def _flat(text: str) -> str:
    """The text on one line, character for character."""
    return "".join(" " if c.isspace() or not c.isprintable() else c for c in text)
