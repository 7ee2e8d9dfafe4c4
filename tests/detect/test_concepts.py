"""Concepts: vectors of texts, directions and bounds, the test beyond words, names."""

import json
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.stats import chi2

from longway.data import as_dataset
from longway.detect.clusters import Clusters
from longway.detect.concepts import beyond, concepts, fields, vectors
from longway.detect.concepts.beyond import (
    NOT_EXPLAINED,
    SeparatedError,
    fitted,
    leaders,
    most_covariates,
    score_test,
)
from longway.detect.concepts.concepts import Concepts
from longway.detect.concepts.detector import CLOSEST, ConceptDetector, SampledRows
from longway.detect.concepts.kmeans import bounds_for, cluster_directions
from longway.detect.concepts.names import contrastive_words
from longway.detect.concepts.vectors import TextVectors, excerpt, unit_rows
from longway.detect.findings import search
from longway.detect.levels import where
from longway.detect.reading import Reading
from longway.detect.words import TokenDetector
from longway.errors import DataError, SettingError
from longway.methods.repair import concepts as repair_concepts
from longway.methods.repair.remedy import Target
from longway.records import Pattern

WIDTH = 12
TOPICS = ("sea", "law")  # of words such as sea12


class WordEncoder:
    """An encoder of texts: a random vector for each word, the same every time; the topics have words of their own around one vector."""

    base_hash = "words"

    def __init__(self):
        self.n_texts = 0

    def embed(self, texts, *, max_tokens):
        self.n_texts += len(texts)
        return (
            np.stack([self._of(text.split()[:max_tokens]) for text in texts])
            if texts
            else np.zeros((0, WIDTH), np.float32)
        )

    def _of(self, words):
        total = np.full(WIDTH, 0.05, np.float32)
        for word in words:
            topic = word.rstrip("0123456789.")
            common = (
                np.random.default_rng(sum(map(ord, topic))).normal(size=WIDTH) if topic in TOPICS else 0.0
            )
            own = np.random.default_rng([len(word), *map(ord, word)]).normal(size=WIDTH)
            total += (2 * common + 0.3 * own).astype(np.float32)
        return total


@pytest.fixture
def by_words(monkeypatch):
    encoder = WordEncoder()
    monkeypatch.setattr(TextVectors, "_encoder", encoder)
    return encoder


# Vectors


def test_a_short_text_is_read_whole_and_a_long_one_in_parts_from_start_to_end():
    assert excerpt("It rains. It pours.") == ["It rains.", "It pours."]
    long = " ".join(f"Sentence number {i} is here." for i in range(100))
    read = excerpt(long)
    assert len(" ".join(read).split()) <= 2 * vectors.MAX_WORDS
    assert read[0] == "Sentence number 0 is here."
    assert int(read[-1].split()[2]) > 90


def test_a_text_is_the_mean_of_its_sentences(by_words):
    one, other, both = TextVectors().of(["AA bb.", "CC dd.", "AA bb. CC dd."])
    assert both == pytest.approx((one + other) / np.linalg.norm(one + other), abs=1e-6)


def test_equal_texts_are_computed_once_and_never_again_with_a_cache(by_words, tmp_path):
    TextVectors(cache=tmp_path / "v.sqlite").of(["aa", "bb", "aa"])
    assert by_words.n_texts == 2
    TextVectors(cache=tmp_path / "v.sqlite").of(["bb", "cc"])
    assert by_words.n_texts == 3


def test_no_texts_give_no_vectors(by_words):
    assert TextVectors().of([]).shape == (0, WIDTH)


def test_vectors_that_are_not_finite_are_refused(by_words, monkeypatch):
    monkeypatch.setattr(by_words, "_of", lambda words: np.full(WIDTH, np.nan, np.float32))
    with pytest.raises(DataError, match="not finite for 1 of 1 sentences"):
        TextVectors().of(["aa"])


# Fields of words


def test_words_of_one_topic_are_a_field_if_they_are_close_to_it(by_words, monkeypatch):
    """The words of each topic have one vector; one word has its own."""
    axes = {"sea": 0, "law": 1, "sky": 2, "oth": 3}
    monkeypatch.setattr(by_words, "_of", lambda words: np.eye(WIDTH)[axes[words[0][:3]]])
    monkeypatch.setattr(fields, "SIZES", (3,))
    words = [topic + a + b for topic in ("sea", "law", "sky") for a, b in product("abcde", repeat=2)]
    counts = dict.fromkeys(words, 5) | {"other": 5, "seaz": 2, "lawz": 50, "sea9": 5}
    found = [set(field) for _, field in fields.word_fields(counts, 400, TextVectors())]
    assert sorted(map(len, found)) == [25, 25, 25]
    assert {word for field in found for word in field} == set(words)
    assert all(len({word[:3] for word in field}) == 1 for field in found)


def test_a_text_that_only_mentions_a_topic_has_its_field(by_words):
    by = TextVectors()
    made = Concepts(
        np.zeros(WIDTH, np.float32),
        np.eye(2, WIDTH, dtype=np.float32),
        np.array([0.5, 0.01], np.float32),
        ("clusters of 8", "words of 50"),
        "text",
        vectors=by,
        fields=(("harbour", "ship"),),
    )
    long = " ".join(["word1"] * 250)
    texts = ["word1 word2 word3 Ship", "word1 word2", f"{long} ship ship", f"{long} ship ship ship"]
    assert made.has(texts, 1).tolist() == [True, False, False, True]  # of a long text, one of each 100 words
    assert (made.words(0), made.words(1)) == ((), ("harbour", "ship"))


# Directions


def groups_of_units(n=90, seed=0):
    """Vectors around three axes, and the axis of each."""
    random = np.random.default_rng(seed)
    axis = np.arange(n) % 3
    units = np.eye(WIDTH)[axis] + random.normal(0, 0.1, (n, WIDTH))
    return (units / np.linalg.norm(units, axis=1, keepdims=True)).astype(np.float32), axis


def test_clusters_have_the_rows_around_each_centre():
    units, axis = groups_of_units()
    [(name, directions, bounds)] = cluster_directions(units, sizes=(3,))
    assert name == "clusters of 3"
    has = units @ directions.T >= bounds
    assert sorted(axis[has[:, i]].tolist() for i in range(3)) == [[0] * 30, [1] * 30, [2] * 30]


def test_more_clusters_than_rows_allow_are_left_out():
    assert cluster_directions(groups_of_units()[0], sizes=(10,)) == []


@pytest.mark.parametrize("count", [1, 3, 5])
def test_a_bound_is_reached_by_as_many_rows_as_asked(count):
    scores = np.random.default_rng(0).normal(size=(5, 4)).astype(np.float32)
    assert ((scores >= bounds_for(scores, np.full(4, count))).sum(axis=0) == count).all()


def test_concepts_are_neither_rare_nor_common_and_no_copies():
    units, _ = groups_of_units(400)
    directions = np.eye(WIDTH, dtype=np.float32)[[0, 0, 1, 2]]
    bounds = np.array([0.5, 0.5, -1.0, 2.0], np.float32)  # a third of the rows, the same, all, none
    assert concepts._kept(units, directions, bounds) == [0]


# A file


def some_concepts(texts, column="text", seed=0):
    by = TextVectors()
    return Concepts.make(by.of(texts), column=column, by=by, seed=seed)


def topic_texts(n=600, seed=0):
    """Texts about two topics of many words, none of them frequent, and other texts; and the topic of each."""
    random = np.random.default_rng(seed)
    texts, topics = [], []
    for i in range(n):
        topic = ("sea", "law")[i % 6] if i % 6 < 2 else ""
        words = [f"{topic}{random.integers(150)}" for _ in range(3)] if topic else []
        words += [f"word{random.integers(200)}" for _ in range(4)]
        texts.append(" ".join(words))
        topics.append(topic)
    return texts, np.array(topics)


def test_saved_concepts_are_the_same_and_where_finds_them(by_words, tmp_path):
    texts, _ = topic_texts()
    made = some_concepts(texts)
    made.save(tmp_path / "concepts-text.safetensors")
    pattern = Pattern("concept", "text", ("sea",), f"{made.fingerprint}:0", float(made.bounds[0]))
    assert where(pattern, {"text": texts[0]}) is None  # without the concepts
    read = Concepts.load(tmp_path / "concepts-text.safetensors")
    assert (read.fingerprint, read.sources, read.column) == (made.fingerprint, made.sources, "text")
    shown = [where(pattern, {"text": text}, read) is not None for text in texts]
    assert shown == made.has(texts, 0).tolist()
    assert 0 < sum(shown) < len(texts)
    assert where(pattern, {"other": texts[0]}, read) is None


@pytest.mark.parametrize("place", ["", "x:0", "{}:999999", "{}:-1", "{}"])
def test_a_concept_that_does_not_exist_is_shown_by_no_row(by_words, place):
    made = some_concepts(topic_texts()[0])
    pattern = Pattern("concept", "text", ("a",), place.format(made.fingerprint))
    assert where(pattern, {"text": "sea1"}, made) is None


def test_a_file_of_something_else_is_refused(tmp_path):
    path = tmp_path / "concepts-text.safetensors"
    path.write_bytes(b"no concepts")
    with pytest.raises(DataError, match="could not be read as concepts"):
        Concepts.load(path)


# The test beyond words


def test_without_covariates_the_score_test_is_pearsons_test():
    random = np.random.default_rng(0)
    x, y = random.random(200) < 0.3, random.random(200) < 0.5
    z, p = score_test(csr_matrix(x[:, None].astype(int)), y, np.zeros((200, 0)))
    table = np.array([[np.sum(x & y), np.sum(x & ~y)], [np.sum(~x & y), np.sum(~x & ~y)]], float)
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True) / table.sum()
    statistic = ((table - expected) ** 2 / expected).sum()
    assert z[0] ** 2 == pytest.approx(statistic, rel=1e-4)
    assert p[0] == pytest.approx(chi2.sf(statistic, 1), rel=1e-3)


def test_the_score_test_agrees_with_the_likelihood_ratio():
    random = np.random.default_rng(1)
    n = 4000
    covariates = random.normal(size=(n, 2))
    x = (random.random(n) < 0.2).astype(float)
    y = random.random(n) < 1 / (1 + np.exp(-(0.5 * covariates[:, 0] + 0.25 * x)))

    def likelihood(*columns):
        p = fitted(y, np.column_stack(columns))
        return np.log(np.where(y, p, 1 - p)).sum()

    ratio = 2 * (likelihood(covariates, x) - likelihood(covariates))
    z, _ = score_test(csr_matrix(x[:, None]), y, covariates)
    assert z[0] ** 2 == pytest.approx(ratio, rel=0.02)


def test_fitted_probabilities_are_those_of_the_penalized_likelihood():
    random = np.random.default_rng(4)
    x, y = random.normal(size=(90, 3)), random.random(90) < 0.4

    def loss(weights):
        odds = weights[0] + x @ weights[1:]
        return np.logaddexp(0, odds).sum() - odds[y].sum() + 1e-3 * (weights[1:] ** 2).sum() / 2

    best = minimize(loss, np.zeros(4), tol=1e-12).x
    np.testing.assert_allclose(fitted(y, x), 1 / (1 + np.exp(-(best[0] + x @ best[1:]))), atol=1e-5)
    assert fitted(y, x[:, :0]).tolist() == [y.mean()] * 90


def test_a_concept_that_only_repeats_a_word_adds_nothing():
    random = np.random.default_rng(2)
    word = random.random(2000) < 0.2
    concept = word & (random.random(2000) < 0.8)  # texts with the word, mostly
    label = np.where(word, random.random(2000) < 0.9, random.random(2000) < 0.5)
    alone, given = (
        score_test(csr_matrix(concept[:, None].astype(int)), label, covariates)[1][0]
        for covariates in (np.zeros((2000, 0)), word[:, None].astype(float))
    )
    assert alone < 1e-10
    assert given > 0.01


def test_the_score_test_is_right_about_chance():
    random = np.random.default_rng(3)
    covariates = random.normal(size=(400, 3))
    concepts_ = csr_matrix(random.random((400, 2000)) < 0.1).astype(int)
    y = random.random(400) < 1 / (1 + np.exp(-covariates[:, 0]))
    _, p = score_test(concepts_, y, covariates)
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=0.015)


def test_as_many_covariates_as_are_allowed_keep_the_level_of_the_score_test():
    random = np.random.default_rng(6)
    p_values = []
    for _ in range(100):
        covariates = (random.random((240, 12)) < 0.2).astype(float)
        odds = covariates @ random.normal(size=12)
        y = random.random(240) < 1 / (1 + np.exp(odds.mean() - odds))
        known = covariates[:, : most_covariates(y)]
        assert 8 <= known.shape[1] <= 12
        concepts_ = csr_matrix(random.random((240, 60)) < 0.15).astype(int)
        p_values.append(score_test(concepts_, y, known)[1])
    p = np.concatenate(p_values)
    assert np.mean(p < 0.05) == pytest.approx(0.05, abs=0.01)
    assert np.mean(p < 0.01) == pytest.approx(0.01, abs=0.004)


def test_a_fit_that_separates_the_rows_does_not_diverge():
    x = np.linspace(-1, 1, 60)
    p = fitted(x > 0, 1000 * x[:, None])
    assert np.isfinite(p).all()
    assert ((p > 0.5) == (x > 0)).all()


def test_covariates_that_determine_the_label_leave_nothing_to_test():
    x = np.linspace(-1, 1, 60)
    with pytest.raises(SeparatedError):
        score_test(csr_matrix(np.ones((60, 1))), x > 0, np.sign(x)[:, None])


def test_a_search_names_labels_that_words_determine(by_words):
    texts, topics = topic_texts(600)
    labels = np.where(topics == "sea", "a", "b")
    known = np.stack([labels == "a", labels == "b"], axis=1).astype(float)
    detector, reading = detector_and_reading(labels, texts, surface=known)
    assert not search(reading, detectors=[detector]).significant["concept"]
    assert set(detector.untested) == {"a", "b"}


def test_a_search_gives_the_score_test_no_more_covariates_than_are_allowed(by_words, monkeypatch):
    texts, _ = topic_texts(400)
    random = np.random.default_rng(8)
    labels = np.where(random.random(400) < 0.5, "a", "b")
    texts = [
        " ".join([text, *(f"{label}{i}" for i in range(60) if random.random() < 0.3)])
        for text, label in zip(texts, labels, strict=True)
    ]
    detector, reading = detector_and_reading(labels, texts)
    given = []

    def counted(concepts_, outcome, covariates, effect=None):
        given.append((covariates.shape[1], most_covariates(outcome)))
        return score_test(concepts_, outcome, covariates, effect)

    monkeypatch.setattr(beyond, "score_test", counted)
    search(reading, detectors=[TokenDetector(reading, "text"), detector])
    assert given
    assert all(n <= most + 1 + reading.n_labels for n, most in given)  # and length, and the bag of words


def test_rows_that_count_as_half_an_observation_halve_the_statistic():
    random = np.random.default_rng(4)
    x, y = csr_matrix((random.random((300, 1)) < 0.3).astype(int)), random.random(300) < 0.5
    (full, _), (half, _) = (
        score_test(x, y, np.zeros((300, 0))),
        score_test(x, y, np.zeros((300, 0)), np.array([2.0])),
    )
    assert half[0] ** 2 == pytest.approx(full[0] ** 2 / 2)


# Concepts that say the same


def slow_leaders(x, y, covariates, effect):
    """One concept after the other, each with a fit of its own."""
    led_by, found = [], []
    for i in range(x.shape[1]):
        if not found:
            says_more = True
        else:
            known = np.column_stack([covariates, x[:, found]])
            z, p = score_test(csr_matrix(x[:, [i]]), y, known, effect[[i]])
            shares_rows = max(np.corrcoef(x[:, lead], x[:, i])[0, 1] for lead in found) > 0
            says_more = (z[0] > 0 and p[0] <= NOT_EXPLAINED) or not shares_rows
        if says_more:
            found.append(i)
            led_by.append(i)
        else:
            before = [lead for lead in found if lead < i]
            led_by.append(max(before, key=lambda lead: np.corrcoef(x[:, lead], x[:, i])[0, 1]))
    return led_by


@pytest.mark.parametrize("seed", range(5))
def test_leaders_are_those_of_one_test_after_the_other(seed):
    random = np.random.default_rng(seed)
    n, k = 800, 12
    topics = random.random((n, 3)) < 0.3
    noise = random.random((n, k)) < 0.1
    x = (topics[:, random.integers(3, size=k)] ^ noise).astype(float)
    covariates = random.normal(size=(n, 2))
    odds = topics @ np.array([1.0, 0.8, 0.6]) + covariates[:, 0] - 1
    y = random.random(n) < 1 / (1 + np.exp(-odds))
    effect = random.uniform(1, 1.5, size=k)
    led_by = leaders(csr_matrix(x), y, covariates, effect)
    assert led_by == slow_leaders(x, y, covariates, effect)
    assert 1 < len(set(led_by)) < k


def test_where_leaders_determine_the_label_others_with_rows_like_theirs_join():
    y = np.arange(400) < 200
    x = csr_matrix(np.stack([y, np.arange(400) < 150, y & (np.arange(400) % 3 == 0)], axis=1).astype(int))
    assert leaders(x, y, np.zeros((400, 0))) == [0, 0, 0]


def test_a_concept_joins_no_leader_whose_rows_it_does_not_share():
    y = np.arange(400) < 200
    x = csr_matrix(np.stack([y, np.arange(400) >= 390], axis=1).astype(int))
    assert leaders(x, y, np.zeros((400, 0))) == [0, 1]


# In a repair


def test_concepts_of_a_repair_are_read_in_batches(by_words, monkeypatch):
    texts, _ = topic_texts(60)
    by = TextVectors()
    made = Concepts.make(by.of(topic_texts(300)[0]), column="text", by=by)
    monkeypatch.setattr(repair_concepts, "BATCH", 7)
    numbers = (len(made) - 1, 0, 3)
    targets = [
        Target(Pattern("concept", "text", place=f"x:{number}"), "a", concepts=made) for number in numbers
    ]
    read = repair_concepts.ConceptPatterns(targets, "text").read(texts, None)
    shown = np.array([np.isin(np.arange(3) + repair_concepts.N_FEATURES, row) for row in read])
    assert shown.any()
    assert (shown == np.column_stack([made.has(texts, number) for number in numbers])).all()


# The detector


def detector_and_reading(labels, texts, *, surface=None, seed=77):
    data = as_dataset([{"text": text, "label": label} for text, label in zip(texts, labels, strict=True)])
    reading = Reading.of(data)
    by = TextVectors()
    computed = by.of(texts)
    is_tested = np.random.default_rng(seed).random(len(texts)) < 0.5
    made = Concepts.make(computed[~is_tested], column="text", by=by)
    surface = np.zeros((int(is_tested.sum()), 2)) if surface is None else surface[is_tested]
    return ConceptDetector(
        reading, "text", made, SampledRows(np.arange(len(texts)), computed, is_tested, surface)
    ), reading


def test_a_topic_with_one_label_is_found_and_named(by_words):
    texts, topics = topic_texts(1200)
    random = np.random.default_rng(0)
    labels = np.where(topics == "sea", "a", np.where(random.random(1200) < 0.5, "a", "b"))
    detector, reading = detector_and_reading(labels, texts)
    found = search(reading, detectors=[TokenDetector(reading, "text"), detector]).chosen
    mine = [one for one in found if one.detector is detector]
    assert mine
    best = mine[0]
    rows = detector.places[detector.typical_rows(best.key)]
    assert best.finding.label == "a"
    assert (topics[rows] == "sea").mean() > 0.8
    assert best.finding.count <= detector.is_tested.sum()
    name = detector.name(best.key)
    assert not name or any(word.startswith("sea") for word in name)


def test_of_the_most_typical_rows_those_with_a_word_of_the_name_are_shown_first(by_words):
    texts, topics = topic_texts(600)
    detector, _ = detector_and_reading(np.where(topics == "sea", "a", "b"), texts)
    wanted = np.random.default_rng(0).random(len(detector.places)) < 0.6
    for key in range(0, len(detector.concepts), 7):
        words = detector.name(key)
        typical = detector.places[detector.typical_rows(key, wanted)].tolist()
        closest = sorted(typical[:CLOSEST], key=lambda place: not set(words) & set(texts[place].split()))
        assert detector.examples(key, wanted).tolist() == closest + typical[CLOSEST:]


def test_concepts_with_the_same_name_are_one_finding(by_words, monkeypatch):
    texts, topics = topic_texts(1200)
    random = np.random.default_rng(0)
    labels = np.where(topics == "sea", "a", np.where(random.random(1200) < 0.5, "a", "b"))
    # The same cluster is found at several sizes.
    monkeypatch.setattr(concepts, "_kept", lambda units, directions, bounds: list(range(len(directions))))
    detector, reading = detector_and_reading(labels, texts)
    monkeypatch.setattr(
        "longway.detect.concepts.beyond.leaders", lambda present, *_: list(range(present.shape[1]))
    )
    monkeypatch.setattr(detector, "name", lambda key: (f"sea{key}",))
    apart = search(reading, detectors=[detector]).chosen
    assert len({one.leader for one in apart}) == len(apart) > 1
    monkeypatch.setattr(detector, "name", lambda key: ("sea",))
    assert {one.leader for one in search(reading, detectors=[detector]).chosen} == {0}


def test_the_sentence_shown_is_the_one_with_most_of_the_concept(by_words):
    made = Concepts(
        np.zeros(WIDTH, np.float32),
        np.stack([TextVectors().of(["sea1"])[0], np.eye(WIDTH, dtype=np.float32)[0]]),
        np.array([0.5, 0.01], np.float32),
        ("clusters of 8", "words of 50"),
        "text",
        fields=(("law2", "law3"),),
    )
    text = "Nothing here. Then sea2 sea3. Later law2 law3 sea1. Then law2 and on."
    assert made.sentence(text, 0) == "Then sea2 sea3."
    assert made.sentence(text, 1) == "Later law2 law3 sea1."
    assert made.sentence("", 0) == made.sentence("", 1) == ""


def test_permuted_labels_have_no_concepts(by_words):
    texts, _ = topic_texts(800)
    detector, reading = detector_and_reading(np.array(["a", "b"])[np.arange(800) % 2], texts)
    clean = 0
    for seed in range(20):
        reading.labels[:] = np.random.default_rng(seed).permutation(800) % 2
        clean += not search(reading, detectors=[detector]).significant["concept"]
    assert clean >= 17


def test_a_topic_that_words_predict_as_well_is_not_listed(by_words):
    texts, topics = topic_texts(1200)
    random = np.random.default_rng(0)
    labels = np.where(topics == "sea", "a", np.where(random.random(1200) < 0.5, "a", "b"))
    known = np.stack([topics == "sea", topics != "sea"], axis=1).astype(
        float
    )  # a bag of words that has learned the topic
    detector, reading = detector_and_reading(labels, texts, surface=known)
    assert not search(reading, detectors=[detector]).significant["concept"]


def test_counts_are_of_rows_that_the_concepts_were_not_made_from(by_words):
    texts, topics = topic_texts()
    detector, reading = detector_and_reading(np.where(topics == "sea", "a", "b"), texts)
    features = detector.count(reading)
    assert features.rows.tolist() == np.flatnonzero(detector.is_tested).tolist()
    present = detector.matrix_of(reading, features.keys, features.rows).toarray()
    assert present.sum(axis=0).tolist() == features.counts.sum(axis=1).tolist()
    share = present.mean(axis=0)
    assert ((share >= 0.005) & (share <= 0.5)).all()


def test_where_agrees_with_the_matrix_on_every_row(by_words):
    texts, topics = topic_texts(450)
    detector, reading = detector_and_reading(np.where(topics == "sea", "a", "b"), texts)
    keys = detector.count(reading).keys[:10]
    matrix = np.concatenate([detector.matrix(piece, keys).toarray() for piece in reading.pieces()])
    for column, key in enumerate(keys.tolist()):
        pattern = Pattern.from_dict(json.loads(json.dumps(detector.describe(key).pattern.to_dict())))
        shown = [where(pattern, {"text": text}, detector.concepts) is not None for text in texts]
        assert shown == matrix[:, column].astype(bool).tolist()


def test_typical_rows_are_tested_ones_the_most_typical_first(by_words):
    texts, topics = topic_texts()
    detector, reading = detector_and_reading(np.where(topics == "sea", "a", "b"), texts)
    key = int(detector.count(reading).keys[0])
    scores = detector.units @ detector.concepts.directions[key]
    places = detector.places[detector.typical_rows(key)]
    assert (np.diff(scores[places]) <= 0).all()
    members = detector.members[:, key].toarray().ravel() & detector.is_tested
    assert set(places.tolist()) == set(np.flatnonzero(members).tolist())


def test_another_reading_is_refused(by_words):
    texts, topics = topic_texts(450)
    labels = np.where(topics == "sea", "a", "b")
    detector, _ = detector_and_reading(labels, texts)
    _, other = detector_and_reading(labels, texts)
    with pytest.raises(SettingError, match="a different one"):
        detector.count(other)


def test_unit_rows_have_length_one_and_zeros_stay_zeros():
    assert unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32)).tolist() == [
        pytest.approx([0.6, 0.8]),
        [0.0, 0.0],
    ]


# Names


def test_names_are_words_that_similar_texts_lack():
    about = [["the", "court", "ruled", "today"], ["a", "court", "of", "law"], ["the", "judge", "ruled"]] * 5
    near = [["the", "mayor", "spoke", "today"], ["a", "town", "of", "fame"], ["the", "mayor", "spoke"]] * 5
    assert "court" in contrastive_words(about, near)
    assert "the" not in contrastive_words(about, near)


def test_a_phrase_is_named_whole():
    about = [["in", "new", "york", str(i)] for i in range(9)]
    near = [["in", "the", "town", str(i)] for i in range(9)]
    assert contrastive_words(about, near, most=1) == ("new york",)


def test_a_word_that_fits_the_concept_comes_before_one_that_is_only_frequent():
    about = [["and", "so", "pointless"], ["and", "is", "pointless"], ["and", "a", "sea"]] * 6
    every = [["the", "sea"], ["a", "law", "is"], ["so", "tea"]] * 6
    fit = {"and": 0.05, "pointless": 0.9}

    def fits(words):
        return [fit.get(word, 0.01) for word in words]

    assert contrastive_words(about, every, every, most=1, fits=fits) == ("pointless",)
    assert contrastive_words(about, every, every, most=1) == ("and",)


def test_texts_that_differ_in_nothing_have_no_name():
    same = [["a", "b"], ["b", "c"]] * 4
    assert contrastive_words(same, same) == ()


@pytest.mark.parametrize(
    ("words", "name"), [(("court", "new york"), "texts like: court, new york"), ((), "concept 7")]
)
def test_the_name_of_a_concept(words, name):
    assert Pattern("concept", "text", words, "abc:7", 0.4).name == name


def test_clusters_of_rows_are_kept(by_words):
    texts, topics = topic_texts(450)
    detector, reading = detector_and_reading(np.where(topics == "sea", "a", "b"), texts)
    assert search(reading, detectors=[detector], clusters=Clusters.of(reading)).tested["concept"] > 0


def test_a_name_has_one_form_of_a_word_and_words_of_other_texts_first():
    # "dock" is in the same texts as "boats", "wind" in others.
    about = [["boats", "boat", "dock", str(i)] for i in range(12)] + [["wind", str(i)] for i in range(8)]
    near = [["road", str(i)] for i in range(20)]
    assert contrastive_words(about, near, most=2)[1] == "wind"
    assert len({"boat", "boats"} & set(contrastive_words(about, near))) <= 1


def test_a_word_that_fits_much_less_than_others_is_left_out_of_a_name():
    about, near = [["red", "blue", str(i)] for i in range(9)], [["he", str(i)] for i in range(9)]
    fit = {"red": 0.5, "blue": 0.4, "red blue": 0.1}
    assert set(
        contrastive_words(about, near, fits=lambda terms: [fit.get(term, -1.0) for term in terms])
    ) == {"red", "blue"}
    fit["blue"] = 0.2
    assert contrastive_words(about, near, fits=lambda terms: [fit.get(term, -1.0) for term in terms]) == (
        "red",
    )


def test_frequent_words_name_a_concept_only_if_there_are_no_others():
    about = [["it", "rains", str(i)] for i in range(9)]
    near = [["he", "walks", str(i)] for i in range(9)]
    assert "it" not in contrastive_words(about, near, frequent={"it"})
    assert contrastive_words([["it"]] * 9, [["he"]] * 9, frequent={"it"}) == ("it",)
