"""The leak: how well does a simple model predict the label from part of the input?

    leak_by_folds, leak_on_test     from words: a bag of words, and of two and three words in sequence
    with `seen`                     also from what detectors see: length, position, punctuation and casing, overlap, people, grammar

A model that sees the claim and not the evidence should do no better than always answering the commonest label. Whatever it
does better is what the surface gives away. Measured by cross-validation, or on a held-out set. What a kind of feature contributes is
the accuracy lost without it.

Rows that share a text or a context, or nearly, stay in one fold: otherwise the classifier would remember a text it has seen, or learn
the topic of a claim to be wrong about its negated twin.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_matrix, hstack

from longway.arrays import Floats, Ints, Ints32
from longway.detect.clusters import Clusters
from longway.detect.findings import Tests
from longway.detect.reading import CONTEXT, TEXT, Reading
from longway.models.folds import balanced_folds, linked, numbered
from longway.models.nbsvm import NbSvm
from longway.records import Leak
from longway.stats import wilson_interval
from longway.text.keys import words_and_phrases

# Models of different folds learn from mostly the same rows, so their errors are related: with permuted labels the variance of the accuracy is
# up to 1.7 times that of independent answers (runs/gate.py).
SHARED = 2.0
MAX_ROWS = 30_000  # more tell nothing new: the interval is about half a point
FEWEST_GROUPS = 20  # groups of rows from which folds can be made of them
LARGEST_GROUP = 0.2  # share of the rows that may be tied together
WORDS = "words"
LEFT_OUT = ("token", "ngram", "pair")  # levels that are words, or too many to learn from
MAX_REPEATS = 2  # of cross-validation with more features than words
SAMPLE = 3_000  # rows on which contributions are measured
MAX_TOKENS = 4_000_000  # of the rows measured on; more would need too much memory
MAX_TOKENS_READ = 1_500_000  # of all repeats of a cross-validation: with that much text the draw of the folds hardly matters


def parts_of(reading: Reading) -> dict[str, tuple[str, ...]]:
    """The parts of the input that a leak can be measured from: name to roles."""
    if CONTEXT not in reading.columns:
        return {"text": (TEXT,)}
    return {"text": (TEXT,), "context": (CONTEXT,), "both": (TEXT, CONTEXT)}


def leak_by_folds(
    reading: Reading,
    part: str,
    *,
    seen: Sequence[Tests] = (),
    clusters: Clusters | None = None,
    weights: Sequence[float] | None = None,
    seed: int = 0,
) -> Leak:
    """The leak from one part, by cross-validation over the dataset's own rows.

    seen: patterns that the model sees besides words. clusters: which rows belong together, if that is known already.
    weights: of the rows, for the model and for its accuracy.
    """
    roles = parts_of(reading)[part]
    rows = sample_of(reading, roles, seed)
    labels, groups = reading.labels[rows], linked_rows(reading, rows, roles, clusters)
    n_folds, n_repeats = folds_for(len(rows), reading.n_labels)
    n_folds = max(2, min(n_folds, int(groups.max(initial=0)) + 1))
    n_tokens = sum(int(reading.block_of(role, rows).lengths.sum()) for role in roles)
    n_repeats = min(n_repeats, max(1, MAX_TOKENS_READ // max(n_tokens, 1)))
    if seen:  # there is more to compute
        n_repeats = min(n_repeats, MAX_REPEATS)
    features = {WORDS: word_features([reading], roles, [rows])}
    features |= _detected(reading, seen, roles, rows)
    folds = drawn_folds(groups, labels, n_folds, n_repeats, seed)
    weighed = None if weights is None else np.asarray(weights, dtype=np.float64)[rows]
    correct = cross_validated(_side_by_side(features), labels, folds, seed, weighed)
    how = f"{n_folds}-fold cross-validation" + (f", {n_repeats} times" if n_repeats > 1 else "")
    leak = _leak(reading, part, correct, groups, labels, how, shared=SHARED, weights=weighed)
    return replace(leak, families=_contributions(features, labels, groups, seed)) if seen else leak


def drawn_folds(groups: Ints, labels: Ints32, n_folds: int, n_repeats: int, seed: int) -> list[Ints]:
    """For each repeat the fold of each row, drawn at random; rows of one group are in one fold, unless there is only one."""
    groups = groups if groups.any() else np.arange(len(groups))
    of_group = np.zeros(int(groups.max(initial=-1)) + 1, dtype=np.int64)
    of_group[groups] = labels  # of one of its rows
    return [balanced_folds(groups, of_group, n_folds, seed=[seed, repeat]) for repeat in range(n_repeats)]


def cross_validated(
    features: csr_matrix,
    labels: Ints32,
    folds: Sequence[Ints],
    seed: int,
    weights: Floats | None = None,
) -> Floats:
    """For each row, the share of repeats in which it was predicted right. folds: for each repeat the fold of each row."""
    correct = np.zeros(len(labels))
    for fold in folds:
        for k in range(int(fold.max(initial=0)) + 1):
            test, train = fold == k, fold != k
            if test.any() and train.any():
                weighed = None if weights is None else weights[train]
                model = NbSvm(seed=seed).fit(features[train], labels[train], weighed)
                correct[test] += (model.predict(features[test]) == labels[test]) / len(folds)
    return correct


def _contributions(
    features: Mapping[str, csr_matrix], labels: Ints32, groups: Ints, seed: int
) -> dict[str, float]:
    """The accuracy lost without each kind of feature, on a sample of the rows, if it is more than twice its standard error."""
    rows = np.arange(len(labels))
    if len(rows) > SAMPLE:
        rows = np.sort(np.random.default_rng(seed).choice(rows, SAMPLE, replace=False))
    some, of_rows = {name: csr_matrix(each[rows]) for name, each in features.items()}, labels[rows]
    folds = drawn_folds(groups[rows], of_rows, min(3, len(rows)), 1, seed)

    def right(names: Iterable[str]) -> Floats:
        chosen = {name: some[name] for name in names}
        return cross_validated(_side_by_side(chosen), of_rows, folds, seed)

    lost: dict[str, float] = {}
    whole = right(some)
    for name in some if len(some) > 1 else ():
        difference = whole - right(set(some) - {name})
        loss = float(difference.mean())
        by_group = np.bincount(groups[rows], weights=difference - loss)
        if loss > 2 * float(np.sqrt(np.square(by_group).sum())) / len(rows):
            lost[name] = loss
    return lost


def _detected(
    reading: Reading, seen: Sequence[Tests], roles: tuple[str, ...], rows: Ints
) -> dict[str, csr_matrix]:
    """Texts x patterns of each level that can be seen in these roles."""
    found: dict[str, list[csr_matrix]] = {}
    for tests in seen:
        detector, keys = tests.detector, tests.keys
        is_wanted = tests.is_for_all and detector.level not in LEFT_OUT and set(detector.reads) <= set(roles)
        if is_wanted and len(keys):
            found.setdefault(detector.level, []).append(detector.matrix_of(reading, keys, rows))
    return {level: csr_matrix(hstack(each, format="csr")) for level, each in found.items()}


def _side_by_side(features: Mapping[str, csr_matrix]) -> csr_matrix:
    return csr_matrix(hstack([features[name] for name in sorted(features)], format="csr"))


def leak_on_test(
    reading: Reading,
    test: Reading,
    part: str,
    *,
    name: str,
    seed: int = 0,
) -> Leak:
    """The leak from one part, learned from the dataset and measured on a held-out one.

    `test` must have been read with the vocabulary of `reading`; its labels are matched by name.
    """
    roles = parts_of(reading)[part]
    rows, test_rows = sample_of(reading, roles, seed), sample_of(test, roles, seed)
    both = word_features([reading, test], roles, [rows, test_rows])
    model = NbSvm(seed=seed).fit(both[: len(rows)], np.array(reading.label_names)[reading.labels[rows]])
    truth = np.array(test.label_names)[test.labels[test_rows]]
    correct = (model.predict(both[len(rows) :]) == truth).astype(np.float64)
    return _leak(
        test, part, correct, linked_rows(test, test_rows, roles), test.labels[test_rows], f"held-out {name}"
    )


def folds_for(n_rows: int, n_labels: int = 2) -> tuple[int, int]:
    """Folds, and how often to repeat with other folds: more where rows are few and the draw of folds matters.

    Each label costs a model of its own, so that many labels get fewer folds.
    """
    if n_labels > 10:
        return max(2, min(5 if n_labels <= 50 else 3, n_rows)), 1
    n_folds = 10 if n_rows <= 10_000 else 5 if n_rows <= 20_000 else 3
    return max(2, min(n_folds, n_rows)), max(1, min(5, 30_000 // max(n_rows, 1)))


def word_features(readings: list[Reading], roles: tuple[str, ...], rows: list[Ints]) -> csr_matrix:
    """Texts x (words, and pairs and triples of words seen twice) of each role, zeros and ones.

    The start and the end of a text count as words in pairs and triples. Readings stand one below the other.
    """
    columns = []
    for role in roles:
        blocks = [reading.block_of(role, chosen) for reading, chosen in zip(readings, rows, strict=True)]
        lengths = np.concatenate([block.lengths for block in blocks])
        hashes = readings[0].vocabulary.hashes[np.concatenate([block.codes for block in blocks])]
        for size, found in enumerate(words_and_phrases(lengths, hashes), start=1):
            _, which, counts = np.unique(found.key, return_inverse=True, return_counts=True)
            kept = counts >= min(size, 2)
            number, here = np.cumsum(kept) - 1, kept[which]
            ends = found.row[here], number[which[here]]
            shape = (len(lengths), int(kept.sum()))
            columns.append(csr_matrix((np.ones(len(ends[0]), dtype=np.int32), ends), shape=shape))
            columns[-1].data[:] = 1
    return csr_matrix(hstack(columns, format="csr"))


def linked_rows(
    reading: Reading, rows: Ints, roles: tuple[str, ...], clusters: Clusters | None = None
) -> Ints:
    """A number for each row, the same for rows that share a text or a context, or nearly, also by way of a third row.

    Where that ties too many rows together (a hypothesis that goes with every premise), rows are held together by the
    first column measured from alone: then nothing can be remembered, and twins by context may be apart.
    """
    by_role = (clusters or Clusters.of(reading)).by_role
    groups = linked([each[rows] for each in by_role.values()])
    if np.bincount(groups).max(initial=0) > LARGEST_GROUP * len(rows):
        groups = numbered(by_role[roles[0]][rows])
    return groups


def number_measured(n_texts: int, n_tokens: int, *, most_tokens: int = MAX_TOKENS) -> int:
    """How many rows are worth measuring a leak on."""
    return min(MAX_ROWS, n_texts, max(1000, most_tokens * n_texts // max(n_tokens, 1)))


def rows_measured(n_texts: int, n_tokens: int, *, seed: int, most_tokens: int = MAX_TOKENS) -> Ints:
    """The rows that a leak is measured on: all, or as many drawn at random as are worth it."""
    n_rows = number_measured(n_texts, n_tokens, most_tokens=most_tokens)
    if n_rows >= n_texts:
        return np.arange(n_texts)
    return np.sort(np.random.default_rng(seed).choice(n_texts, n_rows, replace=False))


def sample_of(reading: Reading, roles: tuple[str, ...], seed: int) -> Ints:
    """The rows of a reading that its leak is measured on."""
    n_tokens = sum(reading.corpora[role].n_tokens for role in roles)
    most = MAX_TOKENS // 4 if reading.is_spilled else MAX_TOKENS  # spilled: memory is short
    return rows_measured(reading.n_texts, n_tokens, seed=seed, most_tokens=most)


def _leak(
    reading: Reading,
    part: str,
    correct: Floats,
    groups: Ints,
    labels: Ints32,
    how: str,
    *,
    shared: float = 1.0,
    weights: Floats | None = None,
) -> Leak:
    """Accuracy with an interval that allows for rows of one group being right or wrong together.

    correct: for each row, the share of repeats in which it was predicted right. shared: see `SHARED`. weights: of the rows.
    """
    n = len(correct)
    share = np.ones(n) if weights is None else weights * n / weights.sum()
    accuracy = float((share * correct).mean()) if n else 0.0
    per_group = np.bincount(groups, weights=share * (correct - accuracy)) if n else np.zeros(0)
    variance = float(np.square(per_group).sum()) / max(n, 1) ** 2
    effective = float(len(per_group))  # all right, or all wrong: as many observations as groups
    if 0 < accuracy < 1:  # the variance is 0 where all groups are right equally often
        effective = accuracy * (1 - accuracy) / max(variance, 1e-12)
    low, high = wilson_interval(accuracy, min(effective, n) / shared)
    if n < reading.n_texts:
        how += f" on {n:,} rows drawn at random"
    return Leak(
        part=part,
        columns=tuple(reading.columns[role] for role in parts_of(reading)[part]),
        accuracy=accuracy,
        low=low,
        high=high,
        majority=float(np.bincount(labels, weights=share).max(initial=0) / max(n, 1)),
        how=how,
        rows=n,
        observations=min(effective, n) / shared,
    )
