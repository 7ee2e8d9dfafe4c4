"""Where many phrases stand in a block of texts, found by one walk over it.

    phrases -> a tree: each branch a token, each phrase ends at a node  ->  all places of the block go down it at once

Most places fall off at the first token, so that the walk costs little more than looking at each token once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from longway.text.corpus import Block

_BITS = 20  # of one word's code (corpus.MAX_WORDS)
_NONE = -1

Ints = NDArray[np.int64]


class Places(NamedTuple):
    """Where phrases stand: the first token and the one after the last, counted through the block, and the phrase's number."""

    starts: Ints
    stops: Ints
    phrases: Ints


class PhraseFinder:
    """Finds phrases, given as tokens and known by their place in the list; shorter ones inside longer ones too."""

    def __init__(self, phrases: Iterable[Sequence[str]], codes: Mapping[str, int]) -> None:
        branches: dict[int, int] = {}
        ends = [_NONE]
        for number, phrase in enumerate(phrases):
            path = [codes.get(token, _NONE) for token in phrase]
            if _NONE in path:
                continue  # a word that no text has
            node = 0
            for code in path:
                node = branches.setdefault(node << _BITS | code, len(ends))
                if node == len(ends):
                    ends.append(_NONE)
            ends[node] = number
        self._ends = np.array(ends, dtype=np.int64)
        self._keys = np.array(sorted(branches), dtype=np.int64)
        self._nodes = np.array([branches[key] for key in sorted(branches)], dtype=np.int64)
        self._first = np.zeros(len(codes), dtype=np.int64)  # by code: the node after it, 0 for none
        opening = self._keys < 1 << _BITS
        self._first[self._keys[opening]] = self._nodes[opening]

    def find(self, block: Block) -> Places:
        """All places of all phrases, those with one token first. No phrase goes over the end of a text."""
        starts = np.flatnonzero(self._first[block.codes])
        nodes = self._first[block.codes[starts]]
        ends_of_text = block.offsets[np.searchsorted(block.offsets, starts, side="right")]
        found = []
        at = starts
        while len(at):
            at = at + 1
            whole = self._ends[nodes] != _NONE
            found.append((starts[whole], at[whole], self._ends[nodes[whole]]))
            inside = at < ends_of_text
            at, starts, nodes, ends_of_text = (x[inside] for x in (at, starts, nodes, ends_of_text))
            nodes = self._after(nodes, block.codes[at].astype(np.int64))
            alive = nodes != _NONE
            at, starts, nodes, ends_of_text = (x[alive] for x in (at, starts, nodes, ends_of_text))
        if not found:
            return Places(*(np.zeros(0, dtype=np.int64) for _ in range(3)))
        return Places(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def _after(self, nodes: Ints, codes: Ints) -> Ints:
        """The node after each with one more token; none where no phrase goes on so."""
        keys = nodes << _BITS | codes
        place = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return np.where(self._keys[place] == keys, self._nodes[place], _NONE)


def inside_a_longer(starts: Ints, stops: Ints) -> NDArray[np.bool_]:
    """Which of the stretches lie inside another one; no two may be the same.

    >>> inside_a_longer(np.array([3, 0, 1]), np.array([5, 2, 2])).tolist()
    [False, False, True]
    """
    order = np.lexsort((-stops, starts))
    reach = np.maximum.accumulate(stops[order])
    inside = np.zeros(len(starts), dtype=bool)
    inside[order[1:]] = reach[:-1] >= stops[order[1:]]
    return inside
