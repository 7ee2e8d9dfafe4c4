"""Subtrees and rules as findings, and the simpler versions of a feature."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longway.detect.findings import presence, search
from longway.detect.grammar import GrammarDetector
from longway.detect.levels import detectors_for
from longway.errors import SettingError
from longway.grammars.trees import Tree, nodes, read_brackets, sides
from tests.conftest import reading_of
from tests.grammar.toy_trees import any_tree

SUBJECTS = {
    "same": [("man", "man"), ("woman", "woman"), ("boy", "boy"), ("girl", "girl")],
    "other": [("man", "woman"), ("woman", "man"), ("boy", "girl"), ("girl", "boy")],
}
ENDS = ["sits", "walks", "reads", "waits", "sings"]


def pair_tree(first, second, end):
    return read_brackets(f"(1 (14 (41 a/a) (32 {first}/{second})) (78 {end}/{end}))")


def pairs(n_each=10):
    """Rows whose subject is the other one where the label is "no" and the same where it is "yes", each in ten rows of forty."""
    documents, labels = [], []
    for label, key in (("yes", "same"), ("no", "other")):
        for i in range(4 * n_each):
            documents.append([pair_tree(*SUBJECTS[key][i % 4], ENDS[i % 5])])
            labels.append(label)
    contexts, texts = zip(*(map(" ".join, sides(tree)) for (tree,) in documents), strict=True)
    return documents, list(texts), list(contexts), labels


def pair_reading():
    documents, texts, contexts, labels = pairs()
    return documents, reading_of(texts, labels, contexts)


def sentence(*words):
    """A tree of one text that puts its last words together first."""
    tree = Tree(60, words=(words[-1], ""))
    for word in reversed(words[:-1]):
        tree = Tree(2, (Tree(50, words=(word, "")), tree))
    return tree


def asked(tree, pattern):
    """Whether a tree has what a pattern says."""
    if pattern.place:
        rule = pattern.place.removeprefix("rule ").replace("→ ", "")
        return any(
            node.parts and f"{node.symbol} {node.parts[0].symbol} {node.parts[1].symbol}" == rule
            for node in nodes(tree)
        )
    return any("\t".join(map(" ".join, sides(node))) in pattern.words for node in nodes(tree))


@settings(max_examples=20)
@given(
    st.lists(st.tuples(any_tree(max_leaves=4, n_symbols=2), st.sampled_from("xyz")), min_size=12, max_size=24)
)
def test_counts_and_matrix_equal_asking_every_tree(rows):
    rows = [(read_brackets("(0 (2 a/b) (3 b/ε))"), "x"), (read_brackets("(2 b/b)"), "y"), *rows]
    trees, labels = zip(*rows, strict=True)
    reading = reading_of([f"text {i}" for i in range(len(rows))], list(labels), ["context"] * len(rows))
    detector = GrammarDetector(reading, [[tree] for tree in trees])
    features = detector.count(reading)
    (piece,) = reading.pieces()
    matrix = detector.matrix(piece, features.keys).toarray()
    for i, key in enumerate(features.keys.tolist()):
        answers = np.array([asked(tree, detector.describe(key).pattern) for tree in trees])
        counts = [int((answers & (np.array(labels) == name)).sum()) for name in reading.label_names]
        assert features.counts[i].tolist() == counts, detector.describe(key)
        assert matrix[:, i].astype(bool).tolist() == answers.tolist(), detector.describe(key)


def test_a_pattern_that_no_word_tells_is_found_by_its_tree():
    documents, reading = pair_reading()
    found = search(reading, detectors=[*detectors_for(reading), GrammarDetector(reading, documents)])
    of_grammar = {c.finding.pattern.name: c.finding for c in found.chosen if c.finding.level == "grammar"}
    antonym = of_grammar["a man → a woman"]
    assert (antonym.label, antonym.count, antonym.label_share) == ("no", 10, 1.0)
    assert antonym.field == "text + context"
    assert not [c for c in found.chosen if c.finding.level == "token"]
    assert found.tested["grammar"] == len(GrammarDetector(reading, documents).count(reading).keys)


def test_a_subtree_that_comes_with_a_larger_one_is_told_once():
    documents, reading = pair_reading()
    found = search(reading, detectors=[GrammarDetector(reading, documents)]).chosen
    leader = {c.finding.pattern.name: found[c.leader].finding.pattern.name for c in found}
    assert leader["man → woman"] == leader["a man → a woman"] == "a man → a woman"
    assert leader["a boy → a girl"] == "a boy → a girl"


def test_supporting_and_counter_examples_are_places_of_the_reading():
    documents, texts, contexts, labels = pairs()
    labels[40] = "yes"  # a man/a woman
    reading = reading_of(texts, labels, contexts)
    found = search(reading, detectors=[GrammarDetector(reading, documents)]).chosen
    antonym = next(c for c in found if c.finding.pattern.name == "a man → a woman")
    assert antonym.counter == [40]
    assert antonym.supporting == list(range(44, 80, 4))


def test_rules_can_be_left_out():
    documents, texts, contexts, labels = pairs()
    other = [[Tree(2, tree.parts)] for (tree,) in documents[::2]]
    reading = reading_of(texts[::2] + texts[1::2], labels[::2] + labels[1::2], contexts[::2] + contexts[1::2])
    both = GrammarDetector(reading, other + documents[1::2])
    patterns = {both.describe(key).pattern for key in both.count(reading).keys.tolist()}
    alone = GrammarDetector(reading, other + documents[1::2], rules=False)
    kept = {alone.describe(key).pattern for key in alone.count(reading).keys.tolist()}
    assert kept == {pattern for pattern in patterns if not pattern.place}
    assert kept < patterns


def test_trees_of_a_sample_are_scored_as_a_sample():
    documents, texts, contexts, labels = pairs(n_each=20)
    places = [i for i in range(160) if i % 8 < 4]
    reading = reading_of(texts, labels, contexts)
    detector = GrammarDetector(reading, [documents[i] for i in places], places=places)
    found = search(reading, detectors=[detector]).chosen
    sample = reading_of(*([column[i] for i in places] for column in (texts, labels, contexts)))
    alone = search(sample, detectors=[GrammarDetector(sample, [documents[i] for i in places])]).chosen
    assert "a man → a woman" in [c.finding.pattern.name for c in found]
    assert [c.finding for c in found] == [c.finding for c in alone]
    assert [c.supporting for c in found] == [[places[i] for i in c.supporting] for c in alone]


def test_permuted_labels_give_no_finding():
    documents, texts, contexts, labels = pairs(n_each=20)
    reading = reading_of(texts, labels, contexts)
    random, clean = np.random.default_rng(3), 0
    for _ in range(40):
        reading.labels = random.permutation(reading.labels)
        clean += not search(reading, detectors=[GrammarDetector(reading, documents)]).chosen
    assert clean >= 38


def test_a_single_text_is_asked_for_two_words_or_more():
    texts = ["it was so dull", "it was so kind"] * 10
    reading = reading_of(texts, ["bad", "good"] * 10)
    detector = GrammarDetector(reading, [[sentence(*text.split())] for text in texts])
    names = {detector.describe(key).pattern.name for key in detector.count(reading).keys.tolist()}
    assert names == {"so dull", "was so dull", "it was so dull", "so kind", "was so kind", "it was so kind"}
    assert detector.field == "text"


def test_rules_are_shown_with_what_they_make():
    texts = ["it was dull", "it sang"] * 10
    reading = reading_of(texts, ["bad", "good"] * 10)
    detector = GrammarDetector(reading, [[sentence(*text.split())] for text in texts])
    names = {detector.describe(key).pattern.name for key in detector.count(reading).keys.tolist()}
    assert "built like it was dull" in names


def test_the_same_words_put_together_in_two_ways_are_one_pattern():
    left, right = "(2 (2 (50 a) (50 b)) (60 c))", "(3 (50 a) (2 (50 b) (60 c)))"
    reading = reading_of(["a b c"] * 20 + ["b"] * 20, ["x", "y"] * 20)
    other = [read_brackets("(50 b)")]
    detector = GrammarDetector(
        reading, [[read_brackets(left)], [read_brackets(right)]] * 10 + [other] * 20, rules=False
    )
    features = detector.count(reading)
    names = [detector.describe(key).pattern.name for key in features.keys.tolist()]
    assert sorted(names) == ["a b", "a b c", "b c"]
    assert features.counts[names.index("a b c")].tolist() == [10, 10]


def test_a_rating_is_marked_as_it_was_written():
    reading = reading_of(["I say 10/10 !"] * 10 + ["I say no"] * 10, ["good"] * 10 + ["bad"] * 10)
    rating = sentence("10", "/", "10")
    detector = GrammarDetector(reading, [[rating]] * 10 + [[sentence("say", "no")]] * 10)
    patterns = {
        detector.describe(key).pattern.name: detector.describe(key)
        for key in detector.count(reading).keys.tolist()
    }
    assert patterns["10/10"].others == (("10/10",), ("10", "/", "10"))
    assert patterns["say no"].phrase == ("say", "no")


@pytest.mark.parametrize("places", [[0], [0, 0], [1, 0], [0, 9], [-1, 0]])
def test_places_that_do_not_fit_are_told(places):
    reading = reading_of(["a", "b", "c"], ["x", "y", "x"])
    with pytest.raises(SettingError, match="'places' must name a different row of 3 for each of 2 documents"):
        GrammarDetector(reading, [[], []], places=places)


def test_patterns_can_be_described_without_being_counted_first():
    documents, reading = pair_reading()
    keys = GrammarDetector(reading, documents).count(reading).keys.tolist()
    counted, fresh = (GrammarDetector(reading, documents) for _ in range(2))
    counted.count(reading)
    assert [fresh.describe(key) for key in keys] == [counted.describe(key) for key in keys]


def test_another_reading_is_refused_instead_of_miscounted():
    documents, reading = pair_reading()
    detector, (_, other) = GrammarDetector(reading, documents), pair_reading()
    chosen = search(reading, detectors=[detector]).chosen
    assert presence(chosen, reading).sum() > 0
    for ask in (detector.count, partial(presence, chosen)):
        with pytest.raises(SettingError, match="the reading it was made from"):
            ask(other)
