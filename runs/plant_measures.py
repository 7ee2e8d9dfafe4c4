"""Whether plants were found and removed, and what else was changed.

detection(findings, truth)                  rank of each plant, precision and recall
repair(truth, clean, before, after)         share of each plant's information that was removed, and the harm done
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from longway.detect.levels import required_words
from longway.jobs.plant.job import (
    KINDS,
    PatternInformation,
    PlantTruth,
    information,
    share_gone,
    showing,
    tokens_of,
    words_of,
)
from longway.records import Example, Finding

PHRASES = frozenset(["token", "ngram", "position", "pair"])  # levels of findings whose patterns are words
MOVED = frozenset(
    ["length", "surface", "overlap"]
)  # levels that shift with any plant and are neither right nor wrong
# Levels whose findings are a plant of a kind whatever their words, and the names of marks in findings.
LEVELS = {"negation": "negation", "length": "length", "overlap": "overlap", "punctuation": "surface"}
MARKS = {"!": "exclamation", "?": "question", ".": "ellipsis", "…": "ellipsis"}
LEANS = 0.05  # p up to which a pattern counts as already in the clean data


@dataclass(frozen=True, slots=True)
class Detected:
    """The rank of a plant among the findings, from 1; None if it was not found. pattern: of the finding or variant that matches."""

    kind: str
    value: str
    label: str
    rank: int | None
    pattern: str = ""


@dataclass(frozen=True, slots=True)
class Detection:
    """How well plants were found: recall over plants, precision over findings."""

    plants: tuple[Detected, ...]
    precision: float
    recall: float


def detection(
    findings: Sequence[Finding],
    truth: Sequence[PlantTruth],
    *,
    clean: Sequence[Finding] = (),
    max_q: float = 0.05,
) -> Detection:
    """Which plants an audit found, and how much of what it found was planted.

    findings: of the planted rows, strongest first. clean: of the same rows before planting, preferably with `max_q=1`. Patterns that were
    correlated with the label there (p up to 0.05) count neither as right nor as wrong, nor do those that shift with a plant (texts get longer).
    """
    sure = [finding for finding in findings if finding.q <= max_q]
    known = {
        (each.level, each.pattern.name, each.label)
        for finding in clean
        for each in (finding, *finding.variants)
        if each.p <= LEANS
    }
    plants = tuple(_detected(one, sure) for one in truth)
    right = [finding for finding in sure if any(is_plant(finding, one) for one in truth)]
    wrong = [
        finding
        for finding in sure
        if finding not in right
        and (finding.level, finding.pattern.name, finding.label) not in known
        and finding.level not in MOVED
    ]
    n = len(right) + len(wrong)
    found = sum(one.rank is not None for one in plants)
    return Detection(plants, len(right) / n if n else 1.0, found / len(plants) if plants else 1.0)


def is_plant(finding: Finding, truth: PlantTruth) -> bool:
    """Whether a finding is this plant: of its kind; or with its words only, or a word that only it added, in its rows.

    A plant that repeats the context may add any word. In its rows: at least half of the finding's supporting examples have the
    plant, so that "the" is not taken for a plant that contains "the".
    """
    kind = KINDS[truth.plant.kind]
    if finding.level == LEVELS.get(truth.plant.kind):
        named = {MARKS[mark] for mark in truth.plant.value} if finding.level == "surface" else ()
        return not named or any(name in finding.pattern.name for name in named)
    if finding.level not in PHRASES:
        return False
    tokens = required_words(finding.pattern)
    words = words_of(tokens) or tokens
    own_words = set(words) <= set(truth.words) or not set(truth.new_words).isdisjoint(words)
    in_its_rows = 2 * len(set(finding.supporting) & set(truth.ids)) >= len(finding.supporting)
    return bool(words) and (own_words or kind.needs_context) and in_its_rows


def _detected(truth: PlantTruth, findings: Sequence[Finding]) -> Detected:
    one, kind = truth.plant, KINDS[truth.plant.kind]
    for rank, finding in enumerate(findings, start=1):
        for each in (finding, *finding.variants):
            has_level = (
                not kind.needs_context or each.level == LEVELS[one.kind]
            )  # repeated words are not enough
            if each.label == one.label and has_level and is_plant(each, truth):
                return Detected(one.kind, one.value, one.label, rank, each.pattern.name)
    return Detected(one.kind, one.value, one.label, None)


@dataclass(frozen=True, slots=True)
class Repaired:
    """One plant before and after a repair. gone: the share of its information that was removed."""

    kind: str
    value: str
    label: str
    before: PatternInformation
    after: PatternInformation
    gone: float


@dataclass(frozen=True, slots=True)
class Repair:
    """What a repair did to rows with plants.

    harm: the share of the original words that were changed. labels_changed: rows with another label than before; lost: missing rows.
    """

    plants: tuple[Repaired, ...]
    harm: float
    labels_changed: int
    lost: int


def repair(
    truth: Sequence[PlantTruth],
    clean: Sequence[Example],
    before: Sequence[Example],
    after: Sequence[Example],
) -> Repair:
    """How much of the plants was removed, and what else was changed.

    clean: the original rows; before: with the plants; after: repaired. Rows are matched by their ids; added rows count for a
    plant's information, but not as harm.
    """
    now = {row.id: row for row in after}
    kept = [(old, row, now[row.id]) for old, row in zip(clean, before, strict=True) if row.id in now]
    words = [tokens_of([rows[i].text for rows in kept]) for i in range(3)]
    changed = sum(_changed_words(*texts) for texts in zip(*words, strict=True))
    n_words = sum(len(words_of(text)) for text in words[0])
    return Repair(
        plants=tuple(_repaired(one, before, after) for one in truth),
        harm=changed / n_words if n_words else 0.0,
        labels_changed=sum(row.label != new.label for _, row, new in kept),
        lost=len(before) - len(kept),
    )


def _repaired(truth: PlantTruth, before: Sequence[Example], after: Sequence[Example]) -> Repaired:
    one = truth.plant
    was, now = (
        information(showing(one, rows), [row.label for row in rows], one.label) for rows in (before, after)
    )
    return Repaired(one.kind, one.value, one.label, was, now, share_gone(was, now))


def _changed_words(clean: Sequence[str], planted: Sequence[str], repaired: Sequence[str]) -> int:
    """Words removed, inserted or replaced between the planted and the repaired text, without those of the plant."""
    clean, planted, repaired = words_of(clean), words_of(planted), words_of(repaired)
    if planted == repaired:
        return 0
    is_planted = {place for tag, place in _edits(clean, planted, of_target=True) if tag != "delete"}
    changed = 0
    for tag, place in _edits(planted, repaired):
        beside = {place - 1, place} if tag == "insert" else {place}
        changed += is_planted.isdisjoint(beside)
    return changed


def _edits(source: list[str], target: list[str], *, of_target: bool = False) -> Iterator[tuple[str, int]]:
    """Single edits from one list of words to another, and the place of each in the source (or in the target).

    rapidfuzz returns the fewest possible; without it, difflib returns nearly as few.
    """
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError:
        yield from _edits_by_difflib(source, target, of_target=of_target)
        return
    for step in Levenshtein.editops(source, target):
        yield step.tag, step.dest_pos if of_target else step.src_pos


def _edits_by_difflib(source: list[str], target: list[str], *, of_target: bool) -> Iterator[tuple[str, int]]:
    for tag, i, i_end, j, j_end in SequenceMatcher(None, source, target, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for k in range(max(i_end - i, j_end - j)):
            step = "replace" if i + k < i_end and j + k < j_end else "delete" if i + k < i_end else "insert"
            yield step, min(j + k, j_end) if of_target else min(i + k, i_end)
