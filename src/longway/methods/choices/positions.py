"""The right candidate at every place equally often: as equal as its number allows, for each number of candidates.

All candidates of a question are put in a new random order, not only the right one: in a list that was sorted, the one that was moved
would stand out. Questions whose candidates or prompt refer to places ("all of the above", "A and B", "option C") stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from longway.data.choices import Question
from longway.detect.choices.cues import ALL_OF_ABOVE
from longway.languages.references import CORRECT, means_others

REFERS = "refers to other options"
LETTERS = "ABCDEFGHJ"  # not I, which is a numeral or a pronoun
LETTER = rf"\(?[{LETTERS}]\)?"
NUMBER = r"\(?\d\)?"
AND = r"(?:,?\s+(?:and|or|nor|but not|y|e|o|und|oder|et|ou|en|ve|и|или)\s+|\s*[和或と]\s*)"
TOGETHER = rf"(?:\s*[,;&/+]\s*|{AND})"
CUE = r"(?:both|either|neither|only|just|not|except|but|than|all|same as|as well as|ambas|tanto|sowohl|beide)"
TRUE = rf"(?:is|are|was|were|seems?|son|es|sind|ist|sont|est)\s+(?:also |both |all |not |the |partly |partially )*(?:{CORRECT}|best|better|correctas?|richtig|falsch|correctes?|answers?)"
END = r"(?=$|[.,;:)\]!?])"
TO_LETTERS = re.compile(
    rf"(?:^|[,;:(\[]\s*|\b(?i:{CUE})\s+){LETTER}(?:{TOGETHER}{LETTER})+(?=$|[\s.,;:)\]])|"  # A and B, both (A) and (C)
    rf"^\W*(?i:{CUE}\s+)?{NUMBER}(?:\s*,\s*{NUMBER})*{AND}{NUMBER}(?:\s+(?:only|both|alone|(?i:{TRUE})))?\W*$|"  # (1) and (2), 1 and 3 only
    rf"\b(?i:{CUE})\s+{LETTER}(?:{END}|\s+(?:is|are|and|or|nor|but)\b)|"  # only B is true, same as A, but not C
    rf"(?:^|[,;:(]\s*|\b(?i:that|because|since)\s+){LETTER}\s+(?i:{TRUE})\b|"  # B is correct
    rf"^\W*{LETTER}\s+(?:only|alone|but not|except)\b"
)
TO_PLACES = re.compile(
    rf"^(?:only |just |not )?the (?:former|latter)(?:{END}|\s+(?:two|three|one|only|is|are|but|and|or)\b)",
    re.I,
)
NAMED = re.compile(
    r"\b(?:option|choice|answer|alternative|candidate|response)s?\s+\(?(?:[A-J]\b|\d\b|[ivx]+\b|one\b|two\b|three\b|four\b)|"
    r"\b(?:first|second|third|fourth|last|previous|next|other) (?:two |three )?(?:option|choice|answer|alternative|candidate|response)s?\b|"
    r"\b(?:the|of|as|mentioned|listed|given) (?:above|below)\b|\babove (?:options|choices|answers)\b|"
    r"\b(?:all|none|neither|both|any|each|some) of (?:the )?(?:other|options|choices|answers|others)\b",
    re.I,
)


def refers(text: str, n: int = 10) -> bool:
    """Whether a candidate refers to others, by place or letter. n: the number of candidates, which limits the letters.

    A capital letter counts only in a context of reference: "only B is true", not "vitamin B".

    >>> [refers(text) for text in ("All of the above", "Both A and C", "vitamin", "option B", "I and II only", "Plan A worked")]
    [True, True, False, True, False, False]
    """
    plain = text.strip()
    if any(pattern.search(plain) for pattern in (ALL_OF_ABOVE, NAMED, TO_PLACES)) or means_others(plain):
        return True
    return any(_in_range(match[0], n) for match in TO_LETTERS.finditer(plain))


def _in_range(reference: str, n: int) -> bool:
    """Whether the letters and numbers of a reference are of different options."""
    letters = [ord(letter) - ord("A") for letter in re.findall(rf"\b[{LETTERS}]\b", reference)]
    numbers = [int(number) - 1 for number in re.findall(r"\b\d\b", reference)]
    places = letters + numbers
    return len({*places}) == len(places) and all(0 <= place < n for place in places)


def must_stay(question: Question) -> str:
    """Why the candidates of a question must keep their places; "" if they may move."""
    if any(refers(text, len(question.candidates)) for text in question.candidates):
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
        counts = np.array([taken[place] for place in range(size)])
        slots: list[int] = []
        while len(slots) < len(free):  # always one of the places with the fewest so far, ties at random
            lowest = np.flatnonzero(counts == counts.min())
            chosen = rng.permutation(lowest)[: len(free) - len(slots)]
            counts[chosen] += 1
            slots += chosen.tolist()
        for i, place in zip(free, rng.permutation(slots).tolist(), strict=True):
            result[i] = int(place)
    return result


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
