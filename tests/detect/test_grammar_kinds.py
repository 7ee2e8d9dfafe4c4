"""Kinds of phrases are tested on rows that did not choose them: a slow twin, permuted labels, and a planted phrase."""

from collections import defaultdict
from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from longway.detect.clusters import Clusters
from longway.detect.findings import search
from longway.detect.grammar import GrammarDetector
from longway.detect.grammar_kinds import Evidence, _separable, as_chosen, blocks, evidence_of, find_kinds
from longway.grammar_names import grammar_name
from longway.grammars.forest import Forest
from longway.grammars.information import composites
from longway.grammars.trees import Tree, nodes, sides
from longway.stats import q_values
from tests.conftest import reading_of
from tests.grammar.toy_trees import any_tree

N_LABELS = 3
WORDS = [f"word{i}" for i in range(400)]
PLANTED = ("as", "it", "happens")


def chain(words, symbol):
    """A tree of one text that puts its last words together first. The symbols count up from the smallest phrase to the whole."""
    tree = Tree(60, words=(words[-1], ""))
    for i, word in enumerate(reversed(words[:-1])):
        tree = Tree(symbol + i, (Tree(50, words=(word, "")), tree))
    return tree


def sentences(n=150, n_planted=30, seed=0):
    """Sentences of random words with random labels; a planted phrase in some of label "a" and few of "b". Near-whole sentences are subtrees."""
    rng = np.random.default_rng(seed)
    documents, texts, labels = [], [], []
    for i in range(n):
        label, words = "ab"[i % 2], list(rng.choice(WORDS, 9))
        has = i // 2 < n_planted if label == "a" else i // 2 < n_planted // 10
        tree = chain(words, symbol=10)
        if has:
            tree = Tree(3, (chain(list(PLANTED), symbol=1), tree))
            words = [*PLANTED, *words]
        documents.append([tree])
        texts.append(" ".join(words))
        labels.append(label)
    return documents, texts, labels


def subtrees_of(tree):
    return set(nodes(tree))


def slow_z(hits, n, base):
    return (hits / n - base) / sqrt(base * (1 - base) / n)


def slow_relation(first, second, is_pair):
    """Added: the text keeps the context's words and has some between them. Left out: the other way round."""
    if not is_pair:
        return "phrase"
    if first == second:
        return "copied"
    short, long = sorted((first, second), key=len)
    is_inside = any(long[:i] + long[i + len(long) - len(short) :] == short for i in range(len(short) + 1))
    if not is_inside or len(first) == len(second):
        return "replaced"
    return "added" if short == first else "left out"


def slow_kinds(documents, labels, block, number, at_least, min_z):
    """The subtrees of each (root, label) that the blocks before `number` choose, one by one."""
    earlier = [i for i in range(len(labels)) if block[i] < number]
    totals = [sum(labels[i] == y for i in earlier) for y in range(N_LABELS)]
    needed = max(2, round(at_least * len(earlier) / len(labels)))
    kinds = defaultdict(set)
    is_pair = any(sides(document)[1] for document in documents)
    for subtree in {each for i in earlier for each in subtrees_of(documents[i])}:
        rows = [i for i in earlier if subtree in subtrees_of(documents[i])]
        z = [
            slow_z(sum(labels[i] == y for i in rows), len(rows), totals[y] / len(earlier))
            if 0 < totals[y] < len(earlier) else -np.inf
            for y in range(N_LABELS)
        ]  # fmt: skip
        label = int(np.argmax(z))
        if len(rows) >= needed and z[label] >= min_z:
            first, second = sides(subtree)
            kinds[subtree.symbol, slow_relation(first, second, is_pair), label].add(subtree)
    return kinds


def slow_evidence(documents, labels, block, at_least, min_z):
    """Row by row: does it have a subtree that earlier blocks chose? Then a binomial test of the label."""
    counts = defaultdict(lambda: [0] * N_LABELS)
    for number in range(1, max(block) + 1):
        kinds = slow_kinds(documents, labels, block, number, at_least, min_z)
        for i in (i for i in range(len(labels)) if block[i] == number):
            for kind, members in kinds.items():
                if members & subtrees_of(documents[i]):
                    counts[kind][labels[i]] += 1
    tested = [y for y, at in zip(labels, block, strict=True) if at > 0]
    p = {kind: slow_p(its, kind[2], tested) for kind, its in counts.items()}
    return {kind: (tuple(its), p[kind]) for kind, its in counts.items()}


def slow_p(counts, label, tested):
    """The chance of as many rows with the label; as few rows without the pattern if those are rarer. One-sided."""
    n, total, own = sum(counts), len(tested), tested.count(label)
    if counts[label] * total <= n * own:
        return 1.0
    base = own / total
    if n <= total - n:
        return min(0.5, binom.sf(counts[label] - 1, n, base))
    return min(0.5, binom.cdf(own - counts[label], total - n, base))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(any_tree(max_leaves=3, n_symbols=2), st.integers(0, N_LABELS - 1), st.integers(0, 2)),
        min_size=6,
        max_size=24,
    ),
    st.sampled_from([0.3, 1.0, 2.0]),
)
def test_the_evidence_equals_asking_row_by_row(rows, min_z):
    rows = sorted(rows, key=lambda row: row[2])
    trees, labels, block = (list(each) for each in zip(*rows, strict=True))
    block = [sorted(set(block)).index(each) for each in block]
    forest = Forest([[tree] for tree in trees])
    found = evidence_of(forest, np.array(labels), N_LABELS, np.array(block), at_least=5, min_z=min_z)
    slow = slow_evidence(trees, labels, block, 5, min_z)
    assert {kind: one.counts for kind, one in found.items()} == {
        kind: counts for kind, (counts, _) in slow.items()
    }
    for kind, one in found.items():
        assert one.p == pytest.approx(slow[kind][1])
    q = q_values(np.array([one.p for one in found.values()])) if found else []
    assert [one.q for one in found.values()] == pytest.approx(list(q))


def test_permuted_labels_give_no_kind():
    documents, _, labels = sentences()
    forest, labels = Forest(documents), np.array([label == "b" for label in labels], dtype=np.int64)
    random, clean = np.random.default_rng(3), 0
    for seed in range(100):
        shuffled = random.permutation(labels)
        block = blocks(np.arange(len(labels)), shuffled, seed)
        found = evidence_of(forest, shuffled, 2, block, at_least=2, min_z=1.0)
        clean += not any(one.q <= 0.05 for one in found.values())
    assert clean >= 95


def test_a_planted_phrase_leads_and_not_near_whole_sentences():
    """In 150 sentences, near-whole ones of one label are the most informative kinds by their own rows, at 100%; they have no evidence."""
    documents, texts, labels = sentences()
    reading = reading_of(texts, labels)
    detector = GrammarDetector(reading, documents)
    by_own_rows = composites(detector.forest, reading.labels.astype(np.int64), 2)
    planted = next(i for i, one in enumerate(by_own_rows) if one.spans == ("as it happens",))
    assert sum(one.label_share == 1.0 for one in by_own_rows[:planted]) >= 8
    found = find_kinds(detector, reading)
    significant = [kind for kind in found if kind.is_significant(0.05)]
    assert found[: len(significant)] == significant
    assert ("as it happens",) in [kind.spans for kind in significant[:3]]
    assert all(set(" ".join(kind.spans).split()) & set(PLANTED) for kind in significant)


def test_a_kind_as_a_finding_has_the_count_of_all_rows_and_the_scores_of_its_evidence():
    documents, texts, labels = sentences()
    reading = reading_of(texts, labels)
    detector = GrammarDetector(reading, documents)
    kind = next(kind for kind in find_kinds(detector, reading) if kind.composite.root == 2)
    chosen = as_chosen(kind, search(reading, detectors=[detector]), reading, detector)
    finding = chosen.finding
    assert (finding.count, finding.label, finding.q, finding.p) == (33, "a", kind.evidence.q, kind.evidence.p)
    evidence = kind.evidence
    own, n, total = evidence.counts[0], sum(evidence.counts), sum(evidence.totals)
    assert n < finding.count
    base = evidence.totals[0] / total
    assert finding.base_rate == base
    assert finding.label_share == own / n
    assert finding.points == evidence.points(0)
    assert finding.share_low == pytest.approx(evidence.interval(0)[0])
    assert finding.z == pytest.approx(slow_z(own, n, base) / sqrt(evidence.effect))
    assert finding.gain == pytest.approx(evidence.information(0))
    assert finding.pattern.name == grammar_name(kind.spans)
    assert finding.pattern.place == "2"
    assert [variant.pattern.name for variant in finding.variants] == ["as it happens"]
    assert all(labels[place] == "a" for place in chosen.supporting)
    assert [labels[place] for place in chosen.counter] == ["b"] * 3


def test_the_scores_of_a_kind_are_for_its_label_and_by_its_design_effect():
    documents, texts, labels = sentences()
    reading = reading_of(texts, labels)
    detector = GrammarDetector(reading, documents)
    kind = next(kind for kind in find_kinds(detector, reading) if kind.composite.root == 2)
    found = search(reading, detectors=[detector])
    for effect in (1.0, 4.0):
        evidence = Evidence(
            (9, 11), (60, 60), effect=effect
        )  # another label is more frequent in the tested rows
        finding = as_chosen(replace(kind, evidence=evidence), found, reading, detector).finding
        assert (finding.label, finding.label_share, finding.effect) == ("a", 0.45, effect)
        assert finding.z == pytest.approx(slow_z(9, 20, 0.5) / sqrt(effect))
        assert finding.share_low == pytest.approx(evidence.interval(0)[0])


def pair_tree(first, second, symbol=1):
    """A tree whose smallest phrase aligns two words, inside words that are the same in all rows."""
    return Tree(9, (Tree(symbol, words=(first, second)), Tree(8, words=("there", "there"))))


def test_words_that_are_added_and_words_that_are_replaced_are_different_kinds_even_with_one_symbol():
    trees = [pair_tree("man", "woman"), pair_tree("", "sleeping"), pair_tree("man", "man")]
    documents = [[trees[i % 3]] for i in range(180)]
    labels = ["no" if i % 3 < 2 else "yes" for i in range(180)]
    texts, contexts = ([f"{name} {i}" for i in range(180)] for name in ("text", "context"))
    reading = reading_of(texts, labels, contexts)
    detector = GrammarDetector(reading, documents)
    found = [kind for kind in find_kinds(detector, reading) if kind.composite.root == 1]
    assert {(kind.spans, kind.is_significant(0.05)) for kind in found} == {
        (("man\twoman",), True), (("\tsleeping",), True), (("man\tman",), True),
    }  # fmt: skip


def test_the_order_is_the_information_in_rows_that_did_not_choose_and_few_rows_have_a_wide_interval():
    large, small = (Evidence(counts, (500, 500)) for counts in ((90, 30), (6, 2)))
    assert large.share(0) == small.share(0) == 0.75
    assert large.information(0) > small.information(0)
    assert large.interval(0) == pytest.approx((0.666, 0.819), abs=0.001)
    assert small.interval(0) == pytest.approx((0.409, 0.929), abs=0.001)
    copied = Evidence((90, 30), (500, 500), effect=15.0)
    assert copied.interval(0) == small.interval(0), "fifteen rows of one text say as much as one"
    documents, texts, labels = sentences(n=300, n_planted=60)
    reading = reading_of(texts, labels)
    found = find_kinds(GrammarDetector(reading, documents), reading)
    keys = [(not kind.is_significant(0.05), -kind.information) for kind in found]
    assert keys == sorted(keys)
    assert sum(not key[0] for key in keys) >= 2


def test_the_points_of_a_kind_are_those_of_the_tested_rows():
    # The phrase is in 30% of the rows of "a" and in none of "b": predicting "a" for it is right 15 points more often than chance.
    documents, texts, labels = sentences(n=400, n_planted=0)
    for i in (i for i in range(400) if labels[i] == "a" and i // 2 % 10 < 3):
        documents[i] = [Tree(3, (chain(list(PLANTED), symbol=1), documents[i][0]))]
        texts[i] = " ".join([*PLANTED, texts[i]])
    reading = reading_of(texts, labels)
    kind = next(
        kind
        for kind in find_kinds(GrammarDetector(reading, documents), reading)
        if kind.spans == ("as it happens",)
    )
    assert sum(kind.evidence.totals) == 300, "three of four blocks"
    assert kind.evidence.points(0) == pytest.approx(0.15, abs=0.02)
    assert Evidence((30, 0), (100, 100)).points(0) == pytest.approx(0.15)


def test_copies_of_a_text_are_in_one_block_and_count_once():
    documents, texts, labels = sentences(n=40, n_planted=5)
    reading = reading_of(texts * 5, labels * 5)
    detector = GrammarDetector(reading, documents * 5)
    planted = [kind for kind in find_kinds(detector, reading) if kind.composite.root == 2]
    assert planted
    assert not any(kind.is_significant(0.05) for kind in planted), (
        "five sentences of one label, five times each"
    )


def of_pairs(texts, contexts):
    reading = reading_of(texts, ["a", "b"] * (len(texts) // 2), contexts)
    return _separable(Clusters.of(reading), np.arange(len(texts))).tolist()


def same(values):
    """A number for each value, the same for equal ones."""
    return [values.index(value) for value in values]


def test_if_links_join_most_rows_those_with_one_context_stay_together():
    words = [f"{WORDS[i]} {WORDS[i + 100]} {WORDS[i + 200]}" for i in range(60)]
    contexts, few = [words[i // 2] for i in range(40)], [f"only {words[i // 10]}" for i in range(40)]
    # Each row has a context with its neighbour, and a text with the next: one chain of all rows.
    chained = [words[30 + (i + 1) % 40 // 2] for i in range(40)]
    assert same(of_pairs(chained, contexts)) == same(contexts)
    # Half of all rows have one context: only texts remain.
    assert same(of_pairs(chained, ["the same context"] * 20 + contexts[20:])) == same(chained)
    # No link joins more rows than a block has: all links count.
    assert same(of_pairs(few, few)) == same(few)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 2)), min_size=8, max_size=60), st.integers(0, 9))
def test_blocks_keep_clusters_together_and_have_similar_sizes(rows, seed):
    cluster, labels = (np.array(each) for each in zip(*rows, strict=True))
    found = blocks(cluster, labels, seed)
    for number in np.unique(cluster):
        assert len(set(found[cluster == number].tolist())) == 1
    alone = blocks(np.arange(len(rows)), labels, seed)
    for label in range(3):
        sizes = np.bincount(alone[labels == label], minlength=4)
        assert sizes.max() - sizes.min() <= 1
