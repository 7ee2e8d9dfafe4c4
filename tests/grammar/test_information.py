"""Subtrees and rules as features, against a loop over all trees that asks each question anew."""

from math import log, sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from longway.errors import SettingError
from longway.grammars.forest import Forest, Rule, rule_key, rule_of
from longway.grammars.information import (
    RuleShares,
    composites,
    count_rules,
    count_subtrees,
    for_and_against,
    informative_rules,
)
from longway.grammars.trees import Tree, brackets, leaves, read_brackets, span
from longway.stats import score_counts
from tests.grammar.toy_trees import any_tree, documents_of

N_LABELS = 3
corpus = st.lists(
    st.tuples(st.lists(any_tree(), max_size=2), st.integers(0, N_LABELS - 1)), min_size=1, max_size=8
)


def all_subtrees(tree):
    """The complete subtrees, by the plain recursion."""
    parts = [] if tree.parts is None else [sub for part in tree.parts for sub in all_subtrees(part)]
    return [tree, *parts]


def all_rules(tree):
    return [(t.symbol, t.parts[0].symbol, t.parts[1].symbol) for t in all_subtrees(tree) if t.parts]


def has(document, features, feature):
    return any(feature in features(tree) for tree in document)


def information(answers, labels):
    """Section 2.3: p(y, z) in proportion to 1 + the documents with label y and answer z."""
    cells = {(y, z): 1 for y in range(N_LABELS) for z in (False, True)}
    for answer, label in zip(answers, labels, strict=True):
        cells[label, answer] += 1
    p = {cell: n / sum(cells.values()) for cell, n in cells.items()}
    p_y = {y: p[y, False] + p[y, True] for y in range(N_LABELS)}
    p_z = {z: sum(p[y, z] for y in range(N_LABELS)) for z in (False, True)}
    return sum(p[y, z] * log(p[y, z] / (p_y[y] * p_z[z])) for y, z in p)


def counts_of(answers, labels):
    return tuple(
        sum(a for a, label in zip(answers, labels, strict=True) if label == y) for y in range(N_LABELS)
    )


def spoken_for(counts, labels):
    """The label whose share among the documents with a feature is farthest above its share of all, in standard errors."""
    n, found = sum(counts), {}
    for label in sorted(set(labels)):
        base = labels.count(label) / len(labels)
        found[label] = (counts[label] / n - base) / sqrt(max(base * (1 - base), 1e-300) / n)
    return max(found, key=found.get)


def told_slowly(documents, labels, features):
    """{feature: (counts by label, mutual information)}, one question after the other."""
    every = {f for document in documents for tree in document for f in features(tree)}
    answers = {f: [has(document, features, f) for document in documents] for f in every}
    return {f: (counts_of(a, labels), information(a, labels)) for f, a in answers.items()}


def arrays(rows):
    documents, labels = zip(*rows, strict=True)
    return Forest(documents), np.array(labels), documents, labels


def same(counted, keys, slow):
    assert sorted(keys, key=repr) == sorted(slow, key=repr)
    for key, counts, told in zip(keys, counted.counts.tolist(), counted.mutual_information, strict=True):
        assert tuple(counts) == slow[key][0]
        assert told == pytest.approx(slow[key][1], abs=1e-12)
    assert list(counted.mutual_information) == sorted(counted.mutual_information, reverse=True)


@given(corpus)
def test_subtrees_are_counted_as_by_asking_every_document(rows):
    forest, labels, documents, names = arrays(rows)
    counted = count_subtrees(forest, labels, N_LABELS)
    keys = [forest.subtrees.tree(number) for number in counted.keys.tolist()]
    same(counted, keys, told_slowly(documents, names, all_subtrees))


@given(corpus, st.integers(1, 4))
def test_subtrees_with_few_leaves_can_be_left_out(rows, min_leaves):
    forest, labels, documents, names = arrays(rows)
    counted = count_subtrees(forest, labels, N_LABELS, min_leaves=min_leaves)
    keys = [forest.subtrees.tree(number) for number in counted.keys.tolist()]
    slow = told_slowly(
        documents, names, lambda tree: [t for t in all_subtrees(tree) if len(leaves(t)) >= min_leaves]
    )
    same(counted, keys, slow)


@given(corpus)
def test_rules_are_counted_as_by_asking_every_document(rows):
    forest, labels, documents, names = arrays(rows)
    counted = count_rules(forest, labels, N_LABELS)
    same(
        counted,
        [tuple(rule_of(key)) for key in counted.keys.tolist()],
        told_slowly(documents, names, all_rules),
    )


@given(corpus, corpus)
def test_a_forest_like_another_has_the_same_numbers(rows, others):
    first = Forest(document for document, _ in rows)
    second = Forest((document for document, _ in others), like=first)
    for number in count_subtrees(first, np.zeros(len(rows), int), 1).keys.tolist():
        tree = first.subtrees.tree(number)
        expected = [has(document, all_subtrees, tree) for document, _ in others]
        assert second.has_any([number]).tolist() == expected


@given(any_tree())
def test_a_subtree_comes_back_from_its_number(tree):
    forest = Forest([[tree]])
    assert forest.subtrees.tree(len(forest.subtrees) - 1) == tree


def test_symbols_of_a_large_grammar_make_different_rules():
    rules = [Rule(a, b, c) for a in (0, 1, 5000) for b in (0, 1, 5000) for c in (0, 1, 5000)]
    assert [rule_of(rule_key(rule)) for rule in rules] == rules
    assert str(Rule(17, 49, 35)) == "17 → 49 35"


def composites_slowly(documents, labels, top, order):
    """Zα,y: the union of the top subtrees with root α that speak for label y. order: of subtrees with equal information."""
    slow = told_slowly(documents, labels, all_subtrees)
    best = sorted(slow, key=lambda tree: (-round(slow[tree][1], 12), order[tree]))[:top]
    groups = {}
    for tree in best:
        counts = slow[tree][0]
        groups.setdefault((tree.symbol, spoken_for(counts, labels)), []).append(tree)
    found = {}
    for key, members in groups.items():
        answers = [any(has(document, all_subtrees, tree) for tree in members) for document in documents]
        found[key] = (members, counts_of(answers, labels), information(answers, labels))
    return found


@given(corpus, st.integers(1, 8))
def test_composites_equal_the_union_of_their_subtrees(rows, top):
    forest, labels, documents, names = arrays(rows)
    order = {forest.subtrees.tree(number): number for number in range(len(forest.subtrees))}
    counted = count_subtrees(forest, labels, N_LABELS)
    distinct, rounded = (
        np.unique(told) for told in (counted.mutual_information, counted.mutual_information.round(12))
    )
    assume(len(distinct) == len(rounded))  # equal up to rounding: which comes first is not defined
    slow = composites_slowly(documents, names, top, order)
    found = composites(forest, labels, N_LABELS, top=top)
    assert [one.mutual_information for one in found] == sorted(
        (one.mutual_information for one in found), reverse=True
    )
    assert {(one.root, one.label) for one in found} == set(slow)
    for one in found:
        members, counts, told = slow[one.root, one.label]
        assert [forest.subtrees.tree(number) for number in one.subtrees] == members
        assert one.counts == counts
        assert one.count == sum(counts)
        assert one.mutual_information == pytest.approx(told, abs=1e-12)
        spans = list(dict.fromkeys(span(tree, pair=forest.subtrees.has_pairs) for tree in members))
        assert list(one.spans) == spans[:5]


MAN, BOY, DOG = "(14 (41 a/a) (32 man/woman))", "(14 (41 a/a) (32 boy/girl))", "(14 (41 a/a) (32 dog/dog))"
WORD = "(32 dog/dog)"  # no rule


def test_a_composite_joins_what_a_root_says_for_one_label():
    documents = documents_of(*[MAN] * 4, *[BOY] * 3, *[DOG] * 6, MAN)
    labels = np.array([1] * 7 + [0] * 6 + [0])
    found = {(one.root, one.label): one for one in composites(Forest(documents), labels, 2, min_leaves=2)}
    assert set(found) == {(14, 0), (14, 1)}
    antonyms = found[14, 1]
    assert antonyms.spans == ("a man/a woman", "a boy/a girl") or antonyms.spans == (
        "a boy/a girl",
        "a man/a woman",
    )
    assert antonyms.counts == (1, 7)
    assert antonyms.label_share == 7 / 8


def test_a_kind_speaks_for_the_rare_label_that_it_tells():
    documents = documents_of(*[MAN] * 12, *[BOY] * 4, *[DOG] * 184)
    labels = np.array([1] * 6 + [0] * 6 + [1] * 4 + [0] * 184)
    found = {(one.root, one.label): one for one in composites(Forest(documents), labels, 2, min_leaves=2)}
    rare = found[14, 1]
    assert set(rare.spans) == {"a man/a woman", "a boy/a girl"}
    assert (rare.counts, rare.label_share) == ((6, 10), 10 / 16)
    assert found[14, 0].spans == ("a dog/a dog",)
    rules = count_rules(Forest(documents), labels, 2)
    assert rules.labels.tolist() == [0], "a rule of all documents tells nothing"


@given(st.lists(st.integers(1, 40), min_size=2, max_size=4), st.integers(1, 40))
def test_where_labels_are_equally_frequent_the_most_frequent_is_spoken_for(counts, more):
    size = max(counts) + more
    documents = documents_of(*(tree for n in counts for tree in [MAN] * n + [DOG] * (size - n)))
    labels = np.repeat(np.arange(len(counts)), size)
    counted = count_subtrees(Forest(documents), labels, len(counts))
    assert counted.labels.tolist() == counted.counts.argmax(axis=1).tolist()


@given(corpus, st.integers(1, 4))
def test_telling_rules_show_subtrees_that_they_make_for_the_same_label(rows, top):
    forest, labels, documents, names = arrays(rows)
    rules = told_slowly(documents, names, all_rules)
    subtrees = told_slowly(documents, names, all_subtrees)
    found = informative_rules(forest, labels, N_LABELS, top=top)
    assert len(found) == min(top, len(rules))
    left_out = [told for rule, (_, told) in rules.items() if rule not in {tuple(one.rule) for one in found}]
    for one in found:
        counts, told = rules[tuple(one.rule)]
        assert (one.counts, one.label) == (counts, spoken_for(counts, names))
        assert all(told >= other - 1e-12 for other in left_out)
        fit = [
            subtrees[tree][1]
            for tree in subtrees
            if tree.parts
            and all_rules(tree)[0] == tuple(one.rule)
            and spoken_for(subtrees[tree][0], names) == one.label
        ]
        shown = [forest.subtrees.tree(number) for number in one.subtrees]
        assert all(all_rules(tree)[0] == tuple(one.rule) for tree in shown)
        assert [subtrees[tree][1] for tree in shown] == pytest.approx(sorted(fit, reverse=True)[:3])


def test_telling_rules_read_as_in_the_paper():
    added = "(1 (14 (41 a/a) (32 man/man)) (17 (49 ε/to) (35 ε/work)))"
    documents = documents_of(*[added] * 5, *[MAN] * 5)
    found = informative_rules(Forest(documents), np.array([0] * 5 + [1] * 5), 2)
    by_rule = {one.rule: one for one in found}
    assert by_rule[Rule(17, 49, 35)].outlines == ("(17 (49 ε/to) (35 ε/work))",)
    assert by_rule[Rule(1, 14, 17)].outlines == ("(1 (14 a man/a man) (17 ε/to work))",)
    assert by_rule[Rule(17, 49, 35)].counts == (5, 0)


@given(corpus)
def test_a_feature_speaks_for_the_same_label_as_the_finding_of_it(rows):
    forest, labels, *_ = arrays(rows)
    totals = np.bincount(labels, minlength=N_LABELS)
    assume(totals.all())
    counted = count_subtrees(forest, labels, N_LABELS)
    assert counted.labels.tolist() == score_counts(counted.counts, totals).label.tolist()


@given(corpus)
def test_supporting_and_counter_examples_share_out_the_documents_with_the_feature(rows):
    forest, labels, documents, names = arrays(rows)
    counted = count_subtrees(forest, labels, N_LABELS)
    for number, label in zip(counted.keys.tolist(), counted.labels.tolist(), strict=True):
        tree = forest.subtrees.tree(number)
        supporting, counter = for_and_against(forest.has_any([number]), labels, label)
        having = [i for i, document in enumerate(documents) if has(document, all_subtrees, tree)]
        assert supporting.tolist() == [i for i in having if names[i] == label]
        assert counter.tolist() == [i for i in having if names[i] != label]


@pytest.mark.parametrize("labels", [[0], [0, 0, 1], [0, 2], [-1, 0]])
def test_labels_that_do_not_fit_the_documents_are_told(labels):
    with pytest.raises(SettingError, match="'labels' must have a number from 0 to 1 for each of 2 documents"):
        count_subtrees(Forest(documents_of(MAN, BOY)), np.array(labels), 2)


@given(corpus, any_tree(), st.integers(0, N_LABELS - 1), st.integers(0, N_LABELS - 1))
def test_rules_of_a_tree_are_ordered_by_the_ratio_of_their_shares(rows, tree, answer, truth):
    """Section 6, with as many more documents as there are labels, and the shares beside those of all documents."""
    forest, labels, documents, names = arrays(rows)
    base = [(1 + list(names).count(y)) / (N_LABELS + len(names)) for y in range(N_LABELS)]

    def share(rule, label):
        seen = [
            N_LABELS * base[y]
            + sum(has(d, all_rules, rule) for d, name in zip(documents, names, strict=True) if name == y)
            for y in range(N_LABELS)
        ]
        return seen[label] / sum(seen) / base[label]

    found = RuleShares(forest, labels, N_LABELS).explain([tree], answer=answer, truth=truth)
    assert {tuple(one.rule) for one in found} == set(all_rules(tree))
    for one in found:
        assert one.ratio == pytest.approx(share(one.rule, answer) / share(one.rule, truth))
        assert one.node in all_subtrees(tree)
        assert all_rules(one.node)[0] == tuple(one.rule)
    assert [one.ratio for one in found] == sorted((one.ratio for one in found), reverse=True)


def test_on_balanced_labels_the_ratio_is_the_papers_with_each_count_one_more_than_seen():
    shares = RuleShares(
        Forest(documents_of(MAN, MAN, MAN, WORD, MAN, WORD, WORD, WORD)), np.arange(8) // 4, 2
    )
    (spoken,) = shares.explain([read_brackets(MAN)], answer=0, truth=1)
    assert spoken.ratio == pytest.approx((3 + 1) / (1 + 1))


def test_a_rule_speaks_for_a_rare_label_that_it_is_seen_with_more_often_than_expected():
    """Nine documents in ten have label 0; the rule is in 6 of those 90 and in 3 of the ten others, though 6 is more than 3."""
    forest = Forest(documents_of(*[MAN] * 6, *[WORD] * 84, *[MAN] * 3, *[WORD] * 7))
    shares = RuleShares(forest, np.array([0] * 90 + [1] * 10), 2)
    (spoken,) = shares.explain([read_brackets(MAN)], answer=1, truth=0)
    base = 91 / 102, 11 / 102
    assert spoken.ratio == pytest.approx((3 + 2 * base[1]) / base[1] / ((6 + 2 * base[0]) / base[0]))
    assert spoken.ratio > 3


@pytest.mark.parametrize("labels", [[0, 1], [0, 0]])
def test_a_rule_that_was_never_seen_speaks_for_no_label(labels):
    shares = RuleShares(Forest(documents_of(MAN, BOY)), np.array(labels), 2)
    (spoken,) = shares.explain(
        [Tree(7, (Tree(8, words=("x", "")), Tree(9, words=("y", ""))))], answer=0, truth=1
    )
    assert spoken.ratio == 1
    assert brackets(spoken.node) == "(7 (8 x) (9 y))"


def test_features_need_no_torch():
    import subprocess
    import sys

    code = (
        "import sys, longway.grammars.information, longway.grammars.information, longway.grammars.vocabulary, longway.detect.grammar\n"
        "print('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
