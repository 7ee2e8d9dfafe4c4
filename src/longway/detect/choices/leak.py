"""How often a ranker that never sees the prompt picks the right candidate.

    cues        what the surface of the candidates says: length, place, punctuation, style ...
    words       which words and pairs of words they have
    candidates  both
    encoder     the surface, and what they mean to a sentence encoder; if one is given
    overlap     how much of the prompt's wording they have, and nothing else

Cross-validated several times, with other folds each time; questions with the same prompt stay in one fold. Chance is the mean of
1 / (number of candidates).

The encoder reads the start of each candidate, of a random part of the questions that fits the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from longway.detect.choices.candidates import (
    Candidates,
    Floats,
    Ints,
    Sets,
    WordTable,
    design_effect,
    fit,
    hits,
    standardised,
)
from longway.detect.choices.cues import CUES
from longway.errors import LongwayError
from longway.language_names import ENGLISH, UNKNOWN
from longway.languages.row_languages import main_language
from longway.models import minilm, multilingual
from longway.models.encoders import CachedEncoder, VectorCache, encoder_named
from longway.models.folds import folds_of
from longway.models.minilm import MiniLM
from longway.models.multilingual import MINILM, MULTILINGUAL, encoder_for
from longway.records import Leak
from longway.stats import wilson_interval

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
MAX_TOKENS = 64  # of a candidate; the rest is cut
MAX_CHARACTERS = 16 * MAX_TOKENS  # cut before the text is divided into tokens
BUDGET = 100_000  # tokens of all candidates: about 45 s of processor time on a slow core
REPAIR_BUDGET = 4 * BUDGET  # of a repair, in which every question must be read
MOST_QUESTIONS = 5000
TEXTS_AT_ONCE = 256  # between two reports of progress
VECTOR_PENALTY = 1000.0  # of each number of the vectors


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
        parts.append(is_top / np.maximum(1, sets.total(is_top.astype(np.float64)))[question])
    return np.hstack(parts)


def places(sets: Sets) -> Floats:
    """The place of each candidate as indicators, and whether it is the last."""
    table = sets.place[:, None] == np.arange(sets.sizes.max())
    is_last = sets.place == sets.sizes[sets.question] - 1
    return np.column_stack([table, is_last]).astype(np.float64)


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


def surface_of(given: Candidates, names: Collection[str]) -> Floats:
    """These cues of all candidates as a ranker sees them, with the places of candidates that have an order."""
    values = relative(given.cues[:, [i for i, name in enumerate(CUES) if name in names]], given.sets)
    return np.hstack([values, places(given.sets)]) if given.is_ordered else values


def feature_sets(
    given: Candidates, *, encoder: Encoder | None = None
) -> dict[str, tuple[Any, Floats | float]]:
    """The features of each ranker, and how strongly its weights are kept small. encoder: reads all candidates."""
    cues = surface_of(given, CUES.keys() - READS_PROMPT)
    overlap = [i for i, name in enumerate(CUES) if name in OVERLAP]
    words = weighted(given.words)
    penalty = np.concatenate([np.full(cues.shape[1], CUE_PENALTY), np.full(words.shape[1], WORD_PENALTY)])
    found: dict[str, tuple[Any, Floats | float]] = {
        CANDIDATES: (sp.hstack([sp.csr_matrix(cues), words]).tocsr(), penalty),
        "cues": (cues, CUE_PENALTY),
        "words": (words, WORD_PENALTY),
        "overlap": (relative(given.cues[:, overlap], given.sets), CUE_PENALTY),
    }
    if encoder is not None:
        found[ENCODER] = encoder_features(given, encoder)
    return found


def encoder_features(
    given: Candidates, encoder: Encoder, progress: Progress = lambda done, total: None
) -> tuple[Floats, Floats]:
    """The surface of the candidates, the vectors of their texts and how close these are to one another; and the penalty of each."""
    vectors = vectors_of(given.texts, encoder.embedded, progress)
    surface = surface_of(given, CUES.keys() - READS_PROMPT)
    features = [surface, relative(closeness(vectors, given.sets), given.sets), within(vectors, given.sets)]
    n_vectors = features[-1].shape[1]
    n_others = sum(one.shape[1] for one in features[:-1])
    return np.hstack(features), np.repeat([CUE_PENALTY, VECTOR_PENALTY], [n_others, n_vectors])


def leaks(
    given: Candidates,
    *,
    columns: tuple[str, ...],
    seed: int,
    encoder: Encoder | None = None,
    budget: int = BUDGET,
    step: Callable[[str], object] = lambda name: None,
    progress: Progress = lambda done, total: None,
) -> dict[str, Leak]:
    """The leak by kind of features, "candidates" first. budget: the tokens that the encoder may read."""
    found: dict[str, Leak] = {}
    for part, (features, penalty) in feature_sets(given).items():
        step(f"measuring what a ranker picks by {part}")
        found[part] = leak_of(part, repeated_hits(features, penalty, given, seed), given, columns, REPEATS)
    if encoder is not None:
        step("reading the candidates with the sentence encoder")
        some = given.part(sampled(given, encoder, seed, budget))
        read = encoder_features(some, encoder, progress)
        found[ENCODER] = leak_of(ENCODER, repeated_hits(*read, some, seed), some, columns, REPEATS)
    return found


def headline(found: Mapping[str, Leak]) -> Leak:
    """The leak of a verdict: by surface and meaning if an encoder read the candidates, else by surface and words.

    It is chosen before it is measured, so that its interval holds.
    """
    return found.get(ENCODER, found[CANDIDATES])


def repeated_hits(features: Any, penalty: Floats | float, given: Candidates, seed: int) -> Floats:
    """How often each right candidate is picked, over several cross-validations. Only the first has the folds of the seed itself, which other measurements use, too."""
    seeds: list[int | list[int]] = [seed, *([seed, number] for number in range(1, REPEATS))]
    made = [picks(features, penalty, given.sets, given.group, one).hit for one in seeds]
    return np.asarray(np.mean(made, axis=0))


def leak_of(part: str, hit: Floats, given: Candidates, columns: tuple[str, ...], repeats: int = 1) -> Leak:
    """The accuracy of picks, with its interval and chance. repeats: cross-validations that `hit` is the mean of: 1 or REPEATS.

    Questions of fewer groups than folds are not enough to measure it.
    """
    chance = float((1 / given.sets.sizes).mean())
    n_groups = len(np.unique(given.group))
    if n_groups < FOLDS:
        how = f"{n_groups} different questions, fewer than the {FOLDS} folds of a cross-validation"
        return Leak(part, columns, chance, 0.0, 1.0, chance, how, 0)
    accuracy = float(hit.mean())
    shared = SHARED_ONCE if repeats == 1 else SHARED
    observations = len(hit) / design_effect(hit - accuracy, given.group) / shared
    interval = wilson_interval(accuracy, observations)
    how = f"{FOLDS}-fold cross-validation" + (f", repeated {repeats} times" if repeats > 1 else "")
    return Leak(
        part, columns, accuracy, *interval, chance, how, len(hit), observations=float(observations)
    )  # fmt: skip


# The sentence encoder


class Encoder:
    """An embedded sentence encoder, "minilm" or "multilingual". cache: a file that keeps vectors by the content of their texts."""

    def __init__(self, name: str = MINILM, cache: Path | None = None) -> None:
        self.name, self._encoder = name, encoder_named(name, rounded=True)
        self._vectors = CachedEncoder(self._encoder, VectorCache(cache), max_tokens=MAX_TOKENS)

    def embedded(self, texts: Sequence[str]) -> NDArray[Any]:
        """One vector of length 1 for each text."""
        return self._vectors([text[:MAX_CHARACTERS] for text in texts])

    def n_tokens(self, texts: Sequence[str]) -> Ints:
        """The tokens of each text that are read; about, for the multilingual encoder, which is many times as fast."""
        if not isinstance(self._encoder, MiniLM):
            return np.array([min(len(text) // 4 + 1, MAX_TOKENS) for text in texts], dtype=np.int64)
        read = self._encoder.tokenized([(text[:MAX_CHARACTERS], None) for text in texts], MAX_TOKENS)
        return np.array([len(ids) for ids, _ in read], dtype=np.int64)


def encoder_of(texts: Sequence[str], cache: Path | None = None) -> tuple[Encoder | None, str]:
    """The embedded encoder that knows the language of most of these texts, and why there is none; "" if there is one."""
    main = main_language(texts)
    try:
        name = encoder_for([ENGLISH if main == UNKNOWN else main])
    except LongwayError as error:
        return None, str(error)
    return (Encoder(name, cache) if name != MINILM or minilm.is_installed() else None), ""


def installed() -> list[str]:
    """The embedded encoders that are installed: with others, a run finds something else."""
    return [MINILM] * minilm.is_installed() + [MULTILINGUAL] * multilingual.is_installed()


def sampled(given: Candidates, encoder: Encoder, seed: int, budget: int = BUDGET) -> Ints:
    """The questions that the encoder reads: all of them, or a random part whose candidates have as many tokens as the budget allows."""
    order = np.random.default_rng(seed).permutation(len(given.questions))[:MOST_QUESTIONS]
    texts = [text for at in order for text in given.questions[at].candidates]
    ends = np.cumsum(given.sets.sizes[order])
    spent = np.cumsum(encoder.n_tokens(texts))[ends - 1]
    return np.sort(order[: max(1, int((spent <= budget).sum()))])


def reads_all(given: Candidates, encoder: Encoder, budget: int) -> bool:
    """Whether the budget is enough for all questions."""
    return len(sampled(given, encoder, 0, budget)) == len(given.questions)


def vectors_of(
    texts: Sequence[str],
    embedded: Callable[[Sequence[str]], NDArray[Any]],
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> NDArray[np.float32]:
    """The vector of each text; equal texts are read once, and texts of similar length together."""
    different = sorted(set(texts), key=len)
    parts = []
    for start in range(0, len(different), TEXTS_AT_ONCE):
        progress(start, len(different))
        parts.append(embedded(different[start : start + TEXTS_AT_ONCE]))
    progress(len(different), len(different))
    index = {text: i for i, text in enumerate(different)}
    return np.concatenate(parts).astype(np.float32)[[index[text] for text in texts]]


def within(values: NDArray[Any], sets: Sets) -> Floats:
    """Values less the mean of their question, in standard deviations over all questions."""
    away = sets.centred(values)
    spread = np.sqrt((away**2).mean(axis=0))
    return np.asarray(away / np.where(spread > 1e-12, spread, 1), dtype=np.float64)


def closeness(vectors: NDArray[Any], sets: Sets) -> Floats:
    """For each candidate its mean cosine with the others of its question, and that with the closest one."""
    found = np.zeros((len(vectors), 2))
    for start, end in zip(sets.starts, sets.starts[1:], strict=False):
        cosines = vectors[start:end] @ vectors[start:end].T
        np.fill_diagonal(cosines, -np.inf)
        found[start:end, 1] = cosines.max(axis=1)
        np.fill_diagonal(cosines, 0)
        found[start:end, 0] = cosines.sum(axis=1) / (end - start - 1)
    return found
