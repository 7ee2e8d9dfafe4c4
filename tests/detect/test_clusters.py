"""Rows that belong together: design effects against the double loop, agreement of labels, honest tests on clustered rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from longway.detect.clusters import Clusters, Grouping, agreement_by_size, effects
from longway.detect.detector import Features
from longway.detect.findings import search
from longway.detect.leak import leak_by_folds
from longway.detect.levels import detectors_for
from longway.detect.reading import CONTEXT, TEXT
from longway.detect.words import TokenDetector
from longway.models.folds import linked
from tests.conftest import reading_of


def extra_by_pairs(cluster, rho, x):
    """The sum over all pairs of rows of one cluster, by the double loop."""
    mean = sum(x) / len(x)
    return sum(
        rho[cluster[i]] * (x[i] - mean) * (x[j] - mean)
        for i in range(len(x))
        for j in range(len(x))
        if i != j and cluster[i] == cluster[j]
    )


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), min_size=2, max_size=20), st.integers(0, 99))
def test_the_extra_variance_is_that_of_all_pairs_in_a_cluster(rows, seed):
    cluster, x = (np.array(each) for each in zip(*rows, strict=True))
    _, cluster = np.unique(cluster, return_inverse=True)
    rho = np.random.default_rng(seed).random(cluster.max() + 1)
    grouping = Grouping(np.arange(len(x)), cluster, rho, np.bincount(cluster), np.full(len(rho), 10**6 * 6))
    present = csr_matrix(x[:, None].astype(np.int64))
    found = grouping.extra(lambda rows: present[rows], np.array([x.mean()]))
    assert found.item() == pytest.approx(extra_by_pairs(cluster, rho, x))


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=2, max_size=20).map(
        lambda rows: rows * 2
    )
)
def test_agreement_is_that_of_all_pairs_of_clusters_of_similar_size(rows):
    cluster, labels = (np.array(each) for each in zip(*rows, strict=True))
    _, cluster, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
    share = np.bincount(labels, minlength=3) / len(labels)
    found = agreement_by_size(cluster, sizes, labels.astype(np.int32), share)
    chance = float((share**2).sum())
    for number, size in enumerate(sizes):
        alike = [n for n, other in enumerate(sizes) if int(np.log2(other)) == int(np.log2(size))]
        pairs = [
            labels[i] == labels[j]
            for i in range(len(labels))
            for j in range(len(labels))
            if i != j and cluster[i] == cluster[j] and cluster[i] in alike
        ]
        rho = (np.mean(pairs) - chance) / (1 - chance) if pairs and chance < 1 else 0.0
        assert found[number] == pytest.approx(min(1.0, max(0.0, rho)))


def test_copies_near_copies_and_shared_contexts_belong_together():
    texts = [
        "The old bridge was closed in May",
        "the old  bridge was closed in may",
        "The old bridge was closed in May again",
    ]
    texts += ["Trams run again", "A cat slept", "A cat slept"]
    contexts = ["one", "two", "three", "three", "", ""]
    clusters = Clusters.of(reading_of(texts, ["a", "b"] * 3, contexts))
    assert clusters.by_role[TEXT].tolist() == [0, 0, 0, 1, 2, 2]
    assert clusters.by_role[CONTEXT].tolist() == [0, 1, 2, 2, 3, 4]  # a missing context is shared with nobody
    assert clusters.by_any.tolist() == [0, 0, 0, 0, 1, 1]
    assert clusters.is_first(TEXT).tolist() == [True, False, True, True, True, False]


def test_rows_are_linked_by_way_of_a_third():
    assert linked([np.array([0, 0, 1, 2]), np.array([0, 1, 1, 2])]).tolist() == [0, 0, 0, 1]


def test_a_pattern_of_a_repeated_text_counts_each_text_once():
    # 20 texts, each 6 times with one label: 120 rows are 20 observations.
    texts = [f"number {i} {'red' if i % 4 else 'blue'} house" for i in range(20) for _ in range(6)]
    labels = ["a" if i % 2 else "b" for i in range(20) for _ in range(6)]
    reading = reading_of(texts, labels)
    detector = TokenDetector(reading, TEXT)
    features = detector.count(reading)
    wanted = np.ones(len(features.keys), dtype=bool)
    found = effects(reading, detector, features, Clusters.of(reading).groupings(reading), wanted)
    assert found.tolist() == pytest.approx([6.0] * len(found))


def test_rows_count_fully_where_labels_are_mixed_in_a_cluster():
    texts = [f"claim {i} {'not' if i % 2 else 'so'}" for i in range(200)]
    labels = ["a" if i % 2 else "b" for i in range(200)]
    contexts = [f"context {i // 4}" for i in range(200)]
    reading = reading_of(texts, labels, contexts)
    assert Clusters.of(reading).groupings(reading) == []


def test_clusters_are_looked_at_in_parts_with_the_same_result(monkeypatch):
    texts = [f"number {i} {'red' if i % 4 else 'blue'} house" for i in range(20) for _ in range(6)]
    reading = reading_of(texts, ["a" if i % 2 else "b" for i in range(20) for _ in range(6)])
    (whole,) = Clusters.of(reading).groupings(reading)
    monkeypatch.setattr("longway.detect.clusters.MAX_TOKENS", 50)
    parts = list(whole.parts())
    assert len(parts) > 5
    assert sorted(np.concatenate([rows for rows, _ in parts]).tolist()) == whole.rows.tolist()
    assert max(len(rows) for rows, _ in parts) <= 18
    detector = TokenDetector(reading, TEXT)
    features = detector.count(reading)
    found = effects(reading, detector, features, [whole], np.ones(len(features.keys), dtype=bool))
    assert found.tolist() == pytest.approx([6.0] * len(found))


def test_near_copies_with_opposite_labels_do_not_hide_that_copies_agree():
    random = np.random.default_rng(1)
    words = [f"copied{i}" for i in range(80)]
    texts, labels = [], []
    for _ in range(60):  # copies, each with one label
        texts += [" ".join(random.choice(words, 8))] * 6
        labels += [int(random.integers(2))] * 6
    for _ in range(120):  # contrast pairs
        own = random.choice([f"other{i}" for i in range(400)], 9).tolist()
        texts += [" ".join([*own, end]) for end in ("so", "not")] * 3
        labels += [0, 1] * 3
    reading = reading_of(texts, ["ab"[label] for label in labels])
    found = search(reading).chosen
    assert not [c.finding.pattern.name for c in found if "copied" in c.finding.pattern.name]
    assert "not" in {c.finding.pattern.name for c in found}


@pytest.mark.parametrize("changed", [0, 1, 2])
@pytest.mark.parametrize(("originals", "copies"), [(8, 30), (40, 10), (200, 2)])
def test_near_copies_whose_labels_are_drawn_by_coin_predict_nothing(originals, copies, changed):
    random = np.random.default_rng(4)
    words = [f"w{k}" for k in range(3000)]
    texts, labels = [], []
    for i in range(originals):
        own = random.choice(words, 14, replace=False)
        for _ in range(copies):
            copy = own.copy()
            copy[random.choice(14, changed, replace=False)] = random.choice(words, changed)
            texts.append(" ".join(copy))
            labels.append("ab"[i % 2])
    reading = reading_of(texts, labels)
    leak = leak_by_folds(reading, "text")  # also where the clusters are not given
    assert leak == leak_by_folds(reading, "text", clusters=Clusters.of(reading))
    assert leak.low <= leak.majority
    assert leak.accuracy < 0.75
    assert not search(reading).chosen


def test_texts_of_the_same_words_in_other_combinations_stay_apart():
    random = np.random.default_rng(4)
    texts = [" ".join(f"w{k}" for k in random.choice(200, 14)) for _ in range(400)]
    reading = reading_of(texts, ["a", "b"] * 200)
    assert len(np.unique(Clusters.of(reading).by_role[TEXT])) == 400


VOCABULARY = [f"word{i}" for i in range(60)]


def clustered_rows(kind, sizes, random):
    """Rows of clusters: one text with many contexts, or one context with texts that share its words."""
    texts, contexts, cluster = [], [], []
    for number, size in enumerate(sizes):
        own = random.choice(VOCABULARY, 9).tolist()
        for i in range(size):
            words = own if kind == "text" else random.choice(own, 6).tolist()
            texts.append(" ".join(words))
            contexts.append(f"about {i} {number}" if kind == "text" else f"about {number} {own[0]}")
            cluster.append(number)
    return texts, contexts, np.array(cluster)


@pytest.mark.parametrize("kind", ["text", "context"])
@pytest.mark.soak
def test_random_labels_of_clusters_give_no_finding_in_95_of_100_runs(kind):
    random = np.random.default_rng(5)
    sizes = [1] * 40 + [2] * 20 + [8] * 10 + [30] * 2
    texts, contexts, cluster = clustered_rows(kind, sizes, random)
    reading = reading_of(texts, ["a", "b"] * (len(texts) // 2) + ["a"] * (len(texts) % 2), contexts)
    clusters = Clusters.of(reading)
    detectors = detectors_for(reading)
    clean = by_rows = 0
    for _ in range(100):
        reading.labels = random.integers(0, 2, len(sizes))[cluster].astype(np.int32)
        found = search(reading, detectors=detectors, clusters=clusters)
        clean += not found.chosen
        by_rows += not found.significant_rows
    assert clean >= 95
    assert by_rows <= 50  # it is the clusters: counted by rows, most runs would have findings


def test_a_shortcut_in_clustered_rows_is_found_and_says_how_many_texts_it_has():
    random = np.random.default_rng(3)
    texts, contexts, cluster = clustered_rows("text", [8] * 80, random)
    planted = random.random(80) < 0.4
    texts = [f"{text} indeed" if planted[c] else text for text, c in zip(texts, cluster, strict=True)]
    labels = ["a" if planted[c] or c % 2 else "b" for c in cluster]
    found = search(reading_of(texts, labels, contexts))
    (indeed,) = (c.finding for c in found.chosen if c.finding.pattern.name == "indeed")
    assert indeed.count == 8 * planted.sum()
    assert indeed.texts == planted.sum()
    assert indeed.effect == pytest.approx(8.0)


def test_features_of_some_rows_use_the_clusters_of_these_rows():
    reading = reading_of(["one text"] * 6 + ["another text"] * 6, ["a"] * 6 + ["b"] * 6)
    some = np.array([0, 6, 7])
    (grouping,) = Clusters.of(reading).groupings(reading, some)
    assert grouping.rows.tolist() == [6, 7]
    assert Features(np.zeros(0, dtype=np.int64), np.zeros((0, 2), dtype=np.int64), some).rows is some
