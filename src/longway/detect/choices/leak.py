"""How often a ranker that never sees the prompt picks the right candidate.

    cues        what the surface of the candidates says: length, place, punctuation, style ...
    words       which words and pairs of words they have
    candidates  both
    overlap     how much of the prompt's wording they have, and nothing else

Cross-validated; questions with the same prompt stay in one fold. Chance is the mean of 1 / (number of candidates).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from longway.detect.choices.cues import CUES
from longway.detect.choices.patterns import Candidates, WordTable, standardised, word_table
from longway.detect.choices.ranker import Sets, fit, hits
from longway.detect.choices.search import design_effect
from longway.records import Leak
from longway.stats import wilson_interval

Floats = NDArray[np.float64]
FOLDS = 5
# Rankers of different folds learn from mostly the same questions, so their errors are related: with random answers the variance of the
# accuracy is up to 2.2 times that of independent answers (runs/choice.py --permute).
SHARED = 2.5
CUE_PENALTY, WORD_PENALTY = 100.0, 1.0
MOST_WORDS = 20_000
OVERLAP = frozenset({"echo share", "echo", "restated prompt"})  # cues that read the prompt
READS_PROMPT = OVERLAP | {"article fit", "number fit"}
CANDIDATES = "candidates"


@dataclass(frozen=True, slots=True)
class Picks:
    """What a ranker picked. scores: of each candidate, by a ranker that did not learn from its question; hit: chance that each right one is picked."""

    scores: Floats
    hit: Floats


def relative(values: Floats, sets: Sets) -> Floats:
    """Cues as a ranker sees them: each value in standard deviations from the mean of its question, and whether it is the highest or the lowest.

    Where k candidates share the highest value, each has 1 / k.
    """
    starts, question = sets.starts[:-1], sets.question
    parts = [standardised(values, sets)[0]]
    differs = (np.maximum.reduceat(values, starts) > np.minimum.reduceat(values, starts))[question]
    for extreme, at in ((np.maximum, 1), (np.minimum, -1)):
        top = extreme.reduceat(values, starts)[question]
        is_top = ((values - top) * at >= -1e-12) & differs
        share = np.maximum(1, np.add.reduceat(is_top.astype(np.float64), starts))[question]
        parts.append(is_top / share)
    return np.hstack(parts)


def places(sets: Sets) -> Floats:
    """The place of each candidate as indicators, and whether it is the last."""
    place = np.arange(sets.starts[-1]) - np.repeat(sets.starts[:-1], sets.sizes)
    table = np.zeros((len(place), int(sets.sizes.max()) + 1))
    table[np.arange(len(place)), place] = 1
    table[:, -1] = place == sets.sizes[sets.question] - 1
    return table


def word_features(texts: Sequence[str]) -> Any:
    """Words and pairs of words as a sparse matrix: rare ones count more, and every candidate has length 1."""
    return weighted(word_table(texts))


def weighted(table: WordTable) -> Any:
    """The most frequent words of a table, weighted by rarity; every row has length 1."""
    counts = np.asarray(table.has.sum(axis=0)).ravel()
    kept = np.sort(np.argsort(-counts, kind="stable")[:MOST_WORDS])
    if not len(kept):
        return sp.csr_matrix((table.has.shape[0], 1))
    matrix = table.has[:, kept] @ sp.diags_array(np.log(table.has.shape[0] / counts[kept]))
    norm = np.sqrt(np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel())
    return (sp.diags_array(1 / np.maximum(norm, 1e-12)) @ matrix).tocsr()


def folds_of(group: NDArray[np.int64], seed: int) -> NDArray[np.int64]:
    """A fold for each question, the same for all questions of a group."""
    names = np.unique(group)
    fold = np.random.default_rng(seed).permutation(len(names)) % FOLDS
    return np.asarray(fold[np.searchsorted(names, group)])


def picks(features: Any, penalty: Floats | float, sets: Sets, group: NDArray[np.int64], seed: int) -> Picks:
    """What a ranker picks in each question, having learned from the other folds."""
    fold = folds_of(group, seed)
    scores = np.zeros(int(sets.starts[-1]))
    for number in np.unique(fold):
        learned, rows = sets.part(np.flatnonzero(fold != number))
        _, held_out = sets.part(np.flatnonzero(fold == number))
        if len(learned.right):
            scores[held_out] = features[held_out] @ fit(features[rows], learned, penalty)
    return Picks(scores, hits(scores, sets))


def feature_sets(given: Candidates, *, is_ordered: bool) -> dict[str, tuple[Any, Floats | float]]:
    """The features of each ranker, and how strongly its weights are kept small."""
    blind = [i for i, cue in enumerate(CUES) if cue.name not in READS_PROMPT]
    overlap = [i for i, cue in enumerate(CUES) if cue.name in OVERLAP]
    cues = relative(given.cues[:, blind], given.sets)
    if is_ordered:
        cues = np.hstack([cues, places(given.sets)])
    words = weighted(given.words)
    penalty = np.concatenate([np.full(cues.shape[1], CUE_PENALTY), np.full(words.shape[1], WORD_PENALTY)])
    return {
        CANDIDATES: (sp.hstack([sp.csr_matrix(cues), words]).tocsr(), penalty),
        "cues": (cues, CUE_PENALTY),
        "words": (words, WORD_PENALTY),
        "overlap": (relative(given.cues[:, overlap], given.sets), CUE_PENALTY),
    }


def leaks(
    given: Candidates,
    *,
    is_ordered: bool,
    columns: tuple[str, ...],
    seed: int,
    step: Callable[[str], object] = lambda name: None,
) -> tuple[dict[str, Leak], Picks]:
    """The leak by kind of features, "candidates" first; and the picks of that one."""
    found: dict[str, Leak] = {}
    best: Picks | None = None
    for part, (features, penalty) in feature_sets(given, is_ordered=is_ordered).items():
        step(f"measuring what a ranker picks by {part}")
        made = picks(features, penalty, given.sets, given.group, seed)
        best = best or made
        found[part] = leak_of(part, made.hit, given, columns)
    assert best is not None
    return found, best


def leak_of(part: str, hit: Floats, given: Candidates, columns: tuple[str, ...]) -> Leak:
    """The accuracy of picks, with its interval and chance."""
    chance = 1 / given.sets.sizes
    effect = design_effect(hit - hit.mean(), given.group)
    accuracy = float(hit.mean())
    low, high = wilson_interval(accuracy, len(hit) / effect / SHARED)
    return Leak(
        part, columns, accuracy, low, high, float(chance.mean()), f"{FOLDS}-fold cross-validation", len(hit)
    )
