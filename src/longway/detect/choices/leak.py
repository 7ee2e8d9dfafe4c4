"""How often a ranker that never sees the prompt picks the right candidate.

    cues        what the surface of the candidates says: length, place, punctuation, style ...
    words       which words and pairs of words they have
    candidates  both
    encoder     the surface, and what they mean to a sentence encoder; if one is given
    overlap     how much of the prompt's wording they have, and nothing else

Cross-validated several times, with other folds each time; questions with the same prompt stay in one fold. Chance is the mean of
1 / (number of candidates).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from longway.detect.choices.cues import CUES
from longway.detect.choices.patterns import Candidates, WordTable, standardised, word_table
from longway.detect.choices.ranker import Sets, fit, hits
from longway.detect.choices.search import design_effect
from longway.detect.choices.vectors import (
    BUDGET,
    VECTOR_PENALTY,
    Encoder,
    closeness,
    sampled,
    vectors_of,
    within,
)
from longway.models.folds import folds_of
from longway.records import Leak
from longway.stats import wilson_interval

Ints = NDArray[np.int64]

Floats = NDArray[np.float64]
FOLDS = 5
REPEATS = 5  # cross-validations with other folds, whose mean is reported
# Rankers of different folds learn from mostly the same questions, so their errors are related: the variance of the accuracy is up to 2.2
# times that of independent answers after one cross-validation, and up to 1.4 times after five, with random answers (runs/choice.py --coverage).
SHARED_ONCE, SHARED = 2.5, 1.6
CUE_PENALTY, WORD_PENALTY = 100.0, 1.0
MOST_WORDS = 20_000
OVERLAP = frozenset({"echo share", "echo", "restated prompt"})  # cues that read the prompt
READS_PROMPT = OVERLAP | {"article fit", "number fit"}
CANDIDATES, ENCODER = "candidates", "encoder"
Progress = Callable[[int, int], object]


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


def picks(
    features: Any, penalty: Floats | float, sets: Sets, group: Ints, seed: int | Sequence[int]
) -> Picks:
    """What a ranker picks in each question, having learned from the other folds."""
    fold = folds_of(np.unique(group, return_inverse=True)[1], FOLDS, seed=seed)
    scores = np.zeros(int(sets.starts[-1]))
    for number in np.unique(fold):
        learned, rows = sets.part(np.flatnonzero(fold != number))
        _, held_out = sets.part(np.flatnonzero(fold == number))
        if len(learned.right):
            scores[held_out] = features[held_out] @ fit(features[rows], learned, penalty)
    return Picks(scores, hits(scores, sets))


def feature_sets(
    given: Candidates, *, is_ordered: bool, encoder: Encoder | None = None
) -> dict[str, tuple[Any, Floats | float]]:
    """The features of each ranker, and how strongly its weights are kept small. encoder: reads all candidates."""
    blind = [i for i, cue in enumerate(CUES) if cue.name not in READS_PROMPT]
    overlap = [i for i, cue in enumerate(CUES) if cue.name in OVERLAP]
    cues = relative(given.cues[:, blind], given.sets)
    if is_ordered:
        cues = np.hstack([cues, places(given.sets)])
    words = weighted(given.words)
    penalty = np.concatenate([np.full(cues.shape[1], CUE_PENALTY), np.full(words.shape[1], WORD_PENALTY)])
    found: dict[str, tuple[Any, Floats | float]] = {
        CANDIDATES: (sp.hstack([sp.csr_matrix(cues), words]).tocsr(), penalty),
        "cues": (cues, CUE_PENALTY),
        "words": (words, WORD_PENALTY),
        "overlap": (relative(given.cues[:, overlap], given.sets), CUE_PENALTY),
    }
    if encoder is not None:
        found[ENCODER] = encoder_features(given, encoder, is_ordered=is_ordered)
    return found


def encoder_features(
    given: Candidates, encoder: Encoder, *, is_ordered: bool, progress: Progress = lambda done, total: None
) -> tuple[Floats, Floats]:
    """The surface of the candidates, the vectors of their texts and how close these are to one another; and the penalty of each."""
    vectors = vectors_of(given.texts, encoder, progress)
    surface, _ = feature_sets(given, is_ordered=is_ordered)["cues"]
    features = [surface, relative(closeness(vectors, given.sets), given.sets), within(vectors, given.sets)]
    n_vectors = features[-1].shape[1]
    n_others = sum(one.shape[1] for one in features[:-1])
    return np.hstack(features), np.repeat([CUE_PENALTY, VECTOR_PENALTY], [n_others, n_vectors])


def leaks(
    given: Candidates,
    *,
    is_ordered: bool,
    columns: tuple[str, ...],
    seed: int,
    encoder: Encoder | None = None,
    budget: int = BUDGET,
    step: Callable[[str], object] = lambda name: None,
    progress: Progress = lambda done, total: None,
) -> tuple[dict[str, Leak], Picks]:
    """The leak by kind of features, "candidates" first; and the picks of that one, in the first cross-validation.

    budget: the tokens that the encoder may read.
    """
    found: dict[str, Leak] = {}
    best: Picks | None = None
    for part, (features, penalty) in feature_sets(given, is_ordered=is_ordered).items():
        step(f"measuring what a ranker picks by {part}")
        made = repeated_picks(features, penalty, given, seed)
        best = best or made[0]
        found[part] = leak_of(part, np.mean([one.hit for one in made], axis=0), given, columns, REPEATS)
    if encoder is not None:
        step("reading the candidates with the sentence encoder")
        some = given.part(sampled(given, encoder, seed, budget))
        made = repeated_picks(
            *encoder_features(some, encoder, is_ordered=is_ordered, progress=progress), some, seed
        )
        found[ENCODER] = leak_of(ENCODER, np.mean([one.hit for one in made], axis=0), some, columns, REPEATS)
    assert best is not None
    return found, best


def headline(found: Mapping[str, Leak]) -> Leak:
    """The leak of a verdict: by surface and meaning if an encoder read the candidates, else by surface and words.

    It is chosen before it is measured, so that its interval holds.
    """
    return found.get(ENCODER, found[CANDIDATES])


def repeated_picks(features: Any, penalty: Floats | float, given: Candidates, seed: int) -> list[Picks]:
    """The picks of several cross-validations. Only the first has the folds of the seed itself, which other measurements use, too."""
    seeds: list[int | list[int]] = [seed, *([seed, number] for number in range(1, REPEATS))]
    return [picks(features, penalty, given.sets, given.group, one) for one in seeds]


def leak_of(part: str, hit: Floats, given: Candidates, columns: tuple[str, ...], repeats: int = 1) -> Leak:
    """The accuracy of picks, with its interval and chance. repeats: cross-validations that `hit` is the mean of: 1 or REPEATS.

    Questions of fewer groups than folds are not enough to measure it.
    """
    chance = 1 / given.sets.sizes
    n_groups = len(np.unique(given.group))
    if n_groups < FOLDS:
        how = f"{n_groups} different questions, fewer than the {FOLDS} folds of a cross-validation"
        return Leak(part, columns, float(chance.mean()), 0.0, 1.0, float(chance.mean()), how, 0)
    effect = design_effect(hit - hit.mean(), given.group)
    accuracy = float(hit.mean())
    shared = SHARED_ONCE if repeats == 1 else SHARED
    observations = len(hit) / effect / shared
    low, high = wilson_interval(accuracy, observations)
    how = f"{FOLDS}-fold cross-validation" + (f", repeated {repeats} times" if repeats > 1 else "")
    return Leak(
        part,
        columns,
        accuracy,
        low,
        high,
        float(chance.mean()),
        how,
        len(hit),
        observations=float(observations),
    )
