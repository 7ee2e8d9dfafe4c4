"""Different continuations of a text, drawn together: none comes twice (stochastic beam search; Kool, van Hoof and Welling 2019).

Drawing with repetition wastes most of its draws, since a trained model repeats itself. Here each unfinished line has a key, its log-likelihood
plus Gumbel noise; a line's children get keys whose largest is the key of the line; the lines with the largest keys go on:

    φ(child) = φ(line) + log p(token),   g(child) = φ(child) + Gumbel noise,   Z = max g
    key(child) = -log(exp(-key(line)) - exp(-Z) + exp(-g(child)))

The k lines that are left are k draws without replacement, the first drawn having the largest key. A group of size 1 is ordinary drawing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
COMPACT_AFTER = 4  # unused rows before lines are moved together


class Rows(Protocol):
    """Several texts that are read on token by token. log_p: (rows, vocabulary), of the next token of each."""

    log_p: NDArray[np.float32]

    def advance(self, tokens: Sequence[int]) -> None:
        """The first rows, one for each token, read one more token."""

    def copy(self, source: int, to: int) -> None:
        """Let a row have read what another has."""


@dataclass(frozen=True, slots=True)
class Group:
    """Lines that differ from each other. size: how many. start: tokens that all begin with."""

    size: int
    start: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Line:
    """What was written so far.

    log_p: of its tokens, as the model has them. lowest: of the least likely one that was drawn. drawn: as log_p, as they were drawn.
    key: see above.
    """

    group: int
    tokens: tuple[int, ...] = ()
    log_p: float = 0.0
    lowest: float = 0.0
    drawn: float = 0.0
    key: float = 0.0
    ended: bool = False


Choices = Callable[[Line, NDArray[np.float32]], tuple[NDArray[np.int64], Array]]


def draw_distinct(
    rows: Rows,
    groups: Sequence[Group],
    choices: Choices,
    *,
    ends: Collection[int],
    max_tokens: int,
    generator: np.random.Generator,
) -> list[Line]:
    """The lines of all groups, by group, the first drawn first; a line that reached `max_tokens` has not ended.

    choices: the tokens that may follow a line, and the log-likelihood with which each is drawn.
    """
    active: list[Line | None] = [Line(number) for number in range(len(groups))]  # by row
    ended: list[list[Line]] = [[] for _ in groups]
    for _ in range(max_tokens):
        children: list[list[tuple[Line, int]]] = [[] for _ in groups]  # with the row of their parent
        for row, line in enumerate(active):
            if line is not None:
                start = groups[line.group].start
                found = _children(line, start, rows.log_p[row], choices, ends, generator)
                children[line.group] += [(child, row) for child in found]
        going: list[tuple[Line, int]] = []
        for number, group in enumerate(groups):
            pool = [*children[number], *((line, -1) for line in ended[number])]
            best = sorted(pool, key=lambda one: -one[0].key)[: group.size]
            ended[number] = [line for line, _ in best if line.ended]
            going += [(line, row) for line, row in best if not line.ended]
        active = _placed(rows, going, len(active))
        if not going:
            break
        rows.advance([line.tokens[-1] if line is not None else 0 for line in active])
    left = [line for line in active if line is not None]
    return [
        line
        for number in range(len(groups))
        for line in sorted(
            [*ended[number], *(one for one in left if one.group == number)], key=lambda one: -one.key
        )
    ]


def _children(
    line: Line,
    start: Sequence[int],
    log_p: NDArray[np.float32],
    choices: Choices,
    ends: Collection[int],
    generator: np.random.Generator,
) -> list[Line]:
    """The line with one more token, for each that may follow."""
    at = len(line.tokens)
    if at < len(start):
        token = start[at]
        return [replace(line, tokens=(*line.tokens, token), log_p=line.log_p + float(log_p[token]))]
    tokens, likely = choices(line, log_p)
    drawn = line.drawn + likely
    keys = conditioned(drawn + generator.gumbel(size=len(tokens)), line.key)
    return [
        Line(
            line.group,
            (*line.tokens, token),
            line.log_p + float(log_p[token]),
            min(line.lowest, float(log_p[token])),
            float(drawn[i]),
            float(keys[i]),
            token in ends,
        )
        for i, token in enumerate(tokens.tolist())
    ]


def conditioned(keys: Array, largest: float) -> Array:
    """Gumbel keys, given that the largest of them is `largest`.

    >>> conditioned(np.array([1.0, 3.0, 2.0]), 0.5).round(2).tolist()
    [0.08, 0.5, 0.37]
    """
    with np.errstate(divide="ignore"):
        v = largest - keys + np.log1p(-np.exp(keys - keys.max()))
    return np.asarray(largest - np.maximum(v, 0.0) - np.log1p(np.exp(-np.abs(v))))


def _placed(rows: Rows, going: Sequence[tuple[Line, int]], n_rows: int) -> list[Line | None]:
    """The lines by row. A line stays in the row of its parent if it can; the others take rows that are free, or new ones."""
    active: list[Line | None] = [None] * n_rows
    waiting = []
    for line, parent in going:
        if active[parent] is None:
            active[parent] = line
        else:
            waiting.append((line, parent))
    free = [row for row, line in enumerate(active) if line is None]
    for line, parent in waiting:
        if free:
            row = free.pop(0)
            active[row] = line
        else:
            row = len(active)
            active.append(line)
        rows.copy(parent, row)
    if active.count(None) >= COMPACT_AFTER:
        _move_together(rows, active)
    return active


def _move_together(rows: Rows, active: list[Line | None]) -> None:
    """Move the last lines to the free rows, and drop what is left at the end."""
    n_lines = len(active) - active.count(None)
    free = [row for row in range(n_lines) if active[row] is None]
    for row in range(n_lines, len(active)):
        if active[row] is not None:
            to = free.pop(0)
            rows.copy(row, to)
            active[to] = active[row]
    del active[n_lines:]
