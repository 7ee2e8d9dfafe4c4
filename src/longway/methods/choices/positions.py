"""The right candidate at every place equally often: as equal as its number allows, for each number of candidates.

All candidates of a question are put in a new random order, not only the right one: in a list that was sorted, the one that was moved
would stand out. Questions whose candidates or prompt refer to places ("all of the above", "A and B", "option C") stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.random import Generator

from longway.data.choices import Question
from longway.detect.choices.cues import ALL_OF_ABOVE

REFERS = "refers to other options"
LETTER = r"[A-J]"
LETTERS_TOGETHER = re.compile(
    rf"(?:^|[\s(\[])(?:both |either |neither |only )?\(?{LETTER}\)?(?:\s*,\s*\(?{LETTER}\)?)*\s*(?:,|and|or|nor|&|/|,\s*and)\s*\(?{LETTER}\)?(?=$|[\s.,;)\]])"
)
NAMED = re.compile(
    r"\b(?:option|choice|answer|alternative|candidate|response)s?\s+\(?(?:[A-J]\b|\d\b|[ivx]+\b|one\b|two\b|three\b|four\b)|"
    r"\b(?:first|second|third|fourth|last|previous|next|other) (?:two |three )?(?:option|choice|answer|alternative|candidate|response)s?\b|"
    r"\b(?:the|of|as|mentioned|listed|given) (?:above|below)\b|\babove (?:options|choices|answers)\b|"
    r"\b(?:all|none|neither|both|any|each|some) of (?:the )?(?:other|options|choices|answers|others)\b",
    re.I,
)
ONE_LETTER = re.compile(rf"\(?{LETTER}\)?\.?")


def refers(text: str) -> bool:
    """Whether a candidate refers to others, by place or letter.

    >>> [refers(text) for text in ("All of the above", "Both A and C", "vitamin", "option B", "I and II only", "Plan A worked")]
    [True, True, False, True, False, False]
    """
    return bool(ALL_OF_ABOVE.search(text) or LETTERS_TOGETHER.search(text) or NAMED.search(text))


def must_stay(question: Question) -> str:
    """Why the candidates of a question must keep their places; "" if they may move."""
    if any(refers(text) for text in question.candidates):
        return REFERS
    if question.prompt and NAMED.search(question.prompt):
        return "its prompt refers to an option"
    return ""


def balanced(places: Sequence[int], sizes: Sequence[int], fixed: Sequence[bool], *, seed: int) -> list[int]:
    """A new place for the right candidate of each question; of the fixed ones the old place.

    For each size, the numbers of right candidates at its places differ by at most one, as far as the fixed questions allow.

    >>> sorted(balanced([0] * 5, [2] * 5, [False] * 5, seed=0))
    [0, 0, 0, 1, 1]
    """
    rng = np.random.default_rng(seed)
    result = list(places)
    for size in sorted(set(sizes)):
        mine = [i for i, one in enumerate(sizes) if one == size]
        free = [i for i in mine if not fixed[i]]
        taken = Counter(places[i] for i in mine if fixed[i])
        slots = _slots(taken, size, len(free), rng)
        for i, place in zip(free, rng.permutation(slots).tolist(), strict=True):
            result[i] = int(place)
    return result


def _slots(taken: Counter[int], size: int, n: int, rng: Generator) -> list[int]:
    """Places for n right candidates: always one of those with the fewest so far, ties at random."""
    counts = np.array([taken[place] for place in range(size)])
    slots: list[int] = []
    while len(slots) < n:
        lowest = np.flatnonzero(counts == counts.min())
        chosen = rng.permutation(lowest)[: n - len(slots)]
        counts[chosen] += 1
        slots += chosen.tolist()
    return slots


def is_balanced(questions: Sequence[Question]) -> bool:
    """Whether, for each number of candidates, the right ones are at all places equally often, as far as the number allows."""
    counts: dict[int, Counter[int]] = {}
    for one in questions:
        counts.setdefault(len(one.candidates), Counter())[one.right or 0] += 1
    return all(
        max(found.values()) - min(found[place] for place in range(size)) <= 1
        for size, found in counts.items()
    )


def new_order(question: Question, place: int, *, seed: int) -> tuple[int, ...]:
    """A random order of the candidates with the right one at a place; the same for the same question and seed."""
    rng = np.random.default_rng([seed, question.row])
    right = question.right or 0
    others = [i for i in range(len(question.candidates)) if i != right]
    order = [others[i] for i in rng.permutation(len(others))]
    order.insert(place, right)
    return tuple(order)
