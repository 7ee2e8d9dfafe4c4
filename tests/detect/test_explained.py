"""Patterns of the grammar that words already explain join the words; what only the grammar sees stays."""

from itertools import cycle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_matrix
from scipy.stats import chi2

from longway.detect.detector import Description, tagged
from longway.detect.findings import search
from longway.detect.grammar import GrammarDetector
from longway.detect.groups import explained_by_words
from longway.detect.levels import detectors_for
from longway.grammars.trees import read_brackets, sides
from longway.records import Pattern
from longway.stats import within_groups
from tests.conftest import reading_of

ROWS = st.lists(st.tuples(st.integers(0, 2), st.booleans(), st.booleans()), min_size=2, max_size=40)
ADMISSIONS = [  # Berkeley 1973 by department: men admitted and rejected, women admitted and rejected
    (512, 313, 89, 19), (353, 207, 17, 8), (120, 205, 202, 391), (138, 279, 131, 244), (53, 138, 94, 299), (22, 351, 24, 317),
]  # fmt: skip


def test_the_test_within_groups_is_that_of_the_textbook():
    men = np.array(ADMISSIONS)
    both, with_it = men[:, 0], men[:, 0] + men[:, 1]
    _, p = within_groups(both, with_it, men[:, 0] + men[:, 2], men.sum(axis=1))
    assert p == pytest.approx(0.2323, abs=5e-5)  # mantelhaen.test(UCBAdmissions) in R


def row_by_row(rows):
    """Points and p of a pattern, from rows (group, has the pattern, has the label) that are compared within their group."""
    excess = spread = weights = weighted = 0.0
    for group in {group for group, _, _ in rows}:
        mine = [(has, own) for g, has, own in rows if g == group]
        n, has, own = len(mine), sum(h for h, _ in mine), sum(o for _, o in mine)
        both = sum(h and o for h, o in mine)
        excess += both - has * own / n
        spread += has * (n - has) * own * (n - own) / (n * n * max(n - 1, 1))
        if 0 < own < n:
            of_label, of_others = ([h for h, o in mine if o == value] for value in (True, False))
            weights += own * (n - own) / n
            weighted += own * (n - own) / n * (np.mean(of_label) - np.mean(of_others)) / 2
    statistic = max(0.0, abs(excess) - 0.5) ** 2 / spread if spread else 0.0
    return weighted / weights if weights else 0.0, chi2.sf(statistic, 1)


@given(ROWS)
def test_points_and_p_within_groups_equal_counting_row_by_row(rows):
    table = np.zeros((4, 3), dtype=np.int64)
    for group, has, own in rows:
        table[:, group] += [has and own, has, own, 1]
    assert within_groups(*table) == pytest.approx(row_by_row(rows))


def described(*words):
    """A pattern for each word or phrase; None for one without words."""
    return [Description(Pattern("token", "text"), tagged("text", *(each or "").split())) for each in words]


def worth(has, own):
    """How much more often than by chance "it has the label if it has the pattern" is right, if both answers are equally frequent."""
    right = has == own
    return (right[own].mean() + right[~own].mean()) / 2 - 0.5 if 0 < own.sum() < len(own) else 0.0


def worth_given(shows, has, own):
    """What the pattern is worth within the rows that show the words, and within those that do not: the mean, by pairs of a row of each answer per row."""
    parts = [part for part in (shows, ~shows) if part.any()]
    weights = [own[part].sum() * (~own[part]).sum() / part.sum() for part in parts]
    each = [worth(has[part], own[part]) for part in parts]
    return np.average(each, weights=weights) if sum(weights) else 0.0


def explained_slowly(patterns, present, labels, predicts, is_grammar):
    """`explained_by_words` from rows, one pair of patterns after the other."""
    explained, tested = set(), {}
    for phrase in np.flatnonzero(is_grammar).tolist():
        own, has = labels == predicts[phrase], present[:, phrase].astype(bool)
        for word in np.flatnonzero(~is_grammar & (predicts == predicts[phrase])).tolist():
            shows = present[:, word].astype(bool)
            if (has & shows).sum() < 0.5 * has.sum():
                continue
            third = worth(has, own) / 3
            if -third < worth_given(shows, has, own) < third:
                explained.add(phrase)
            if patterns[phrase].tags & patterns[word].tags:
                p = row_by_row(list(zip(shows.astype(int), has, own, strict=True)))[1]
                tested[phrase] = max(p, tested.get(phrase, 0.0))
    # Benjamini and Hochberg: the k smallest p are evidence, for the largest k whose p is at most 0.05 k / n.
    ordered = sorted(tested, key=lambda phrase: tested[phrase])
    k = max(
        (i for i, phrase in enumerate(ordered, 1) if tested[phrase] <= 0.05 * i / len(ordered)), default=0
    )
    return explained | set(ordered[k:])


@settings(max_examples=50)
@given(st.integers(0, 10**6))
def test_what_is_explained_equals_comparing_row_by_row(seed):
    random = np.random.default_rng(seed)
    n, labels = 120, random.integers(0, 2, 120)
    base = labels ^ (random.random(n) < 0.2)  # what patterns have in common
    rates = random.choice([0.2, 0.5, 0.9], 6)  # some patterns are in few of the rows of another
    columns = [base & (random.random(n) < rate) | (random.random(n) < 0.1) for rate in rates]
    present = np.stack(columns, axis=1).astype(np.int64)
    predicts, is_grammar = np.array([1, 1, 0, 1, 1, 0]), np.array([False] * 3 + [True] * 3)
    patterns = described("a", None, "b", "a c", "d", "b d")
    found = explained_by_words(patterns, csr_matrix(present), labels, predicts, is_grammar, np.ones(6))
    assert set(found) == explained_slowly(patterns, present, labels, predicts, is_grammar)
    assert all(predicts[phrase] == predicts[word] for phrase, word in found.items())


def test_a_pattern_in_few_rows_is_not_kept_for_lack_of_evidence():
    # 9 of 10 rows with the phrase have the label, as 80 of 100 with the word.
    word = np.array([1] * 100 + [0] * 100)
    phrase = np.array([1] * 10 + [0] * 190)
    labels = np.array([1] * 9 + [0] + [1] * 71 + [0] * 19 + [1] * 20 + [0] * 80)
    present = csr_matrix(np.stack([word, phrase], axis=1))
    given = (present, labels, np.array([1, 1]), np.array([False, True]), np.ones(2))
    assert explained_by_words(described("end", "the end"), *given) == {1: 0}
    # If they have nothing in common, a lack of evidence joins nothing.
    assert explained_by_words(described("end", "a man"), *given) == {}


def rows_of(*groups):
    """Labels and presence of (word, phrase), from (rows, has the word, has the phrase, label)."""
    rows = np.repeat([each[1:] for each in groups], [each[0] for each in groups], axis=0)
    return rows[:, 2], csr_matrix(rows[:, :2])


def explained(words, labels, present):
    last = np.arange(len(words)) == len(words) - 1
    return explained_by_words(
        described(*words), present, labels, np.ones(len(words), dtype=np.int64), last, np.ones(len(words))
    )


@pytest.mark.parametrize("phrase", ["in the end", "by far"])
def test_a_rare_phrase_of_one_label_does_not_join_a_word_that_is_in_most_rows(phrase):
    # 4,000 rows: "the" is in 62% and 58% of the rows of the labels, the phrase in 18 rows of label 1. Alone it is worth 0.45 points.
    data = rows_of((18, 1, 1, 1), (1222, 1, 0, 1), (760, 0, 0, 1), (1160, 1, 0, 0), (840, 0, 0, 0))
    assert explained(["the", phrase], *data) == {}


@pytest.mark.parametrize("phrase", ["the end", "a man"])
def test_a_pattern_that_predicts_the_other_label_given_the_word_stays(phrase):
    # With the word 80% of the rows with the phrase have the label, and 90% of those without it; without the word 10% and 30%. In all rows 66% and 45%.
    data = rows_of(
        (640, 1, 1, 1), (160, 1, 1, 0), (180, 1, 0, 1), (20, 1, 0, 0),
        (20, 0, 1, 1), (180, 0, 1, 0), (240, 0, 0, 1), (560, 0, 0, 0),
    )  # fmt: skip
    assert explained(["end", phrase], *data) == {}


def test_patterns_that_share_no_word_do_not_count_as_tests():
    # 100 rows with the word, 65 of them with the label. All 10 rows with the first phrase have the label, and 6 of 10 with the second.
    labels = np.array([1] * 65 + [0] * 35 + [1] * 35 + [0] * 65)
    place = np.arange(200)
    word, first, second = place < 100, place < 10, (place >= 59) & (place < 69)
    counts = [(column & (labels == 1) & part).sum() for column in (first, second) for part in (word, ~word)]
    p = [
        within_groups(*map(np.array, (its, [10, 0], [65, 35], [100, 100])))[1]
        for its in (counts[:2], counts[2:])
    ]
    assert 0.025 < p[0] < 0.05 < 0.5 < p[1], "one of two tests at this p may be chance"
    present = csr_matrix(np.stack([word, first, second, *[first] * 20], axis=1).astype(np.int64))
    patterns = described("end", "the end", "an end", *["a man"] * 20)
    predicts, is_grammar = np.ones(23, dtype=np.int64), np.arange(23) > 0
    found = explained_by_words(patterns, present, labels, predicts, is_grammar, np.ones(23))
    assert found == {1: 0, 2: 0}


# Whole searches, with trees that were made by hand

PEOPLE = [("man", "woman"), ("boy", "girl"), ("dog", "cat")]
VERBS = [
    first + last
    for first in ("un", "re", "out", "over")
    for last in ("does", "calls", "sees", "meets", "helps")
]


def sentence(one, other, verb, *, swapped, added=""):
    """The tree of a pair: two nouns and a verb. swapped: the second text names the nouns the other way round. added: a word there."""
    first, second = ((one, other), (other, one)) if swapped else ((one, one), (other, other))
    noun = f"(32 {first[0]}/{first[1]})"
    if added:
        noun = f"(33 (44 ε/{added}) {noun})"
    return read_brackets(
        f"(1 (14 (41 the/the) {noun}) (15 (50 {verb}/{verb}) (14 (41 the/the) (32 {second[0]}/{second[1]}))))"
    )


def planted(swap_share, word_share, *, n=240, seed=0):
    """Rows of two labels. swap_share, word_share: how often the nouns are swapped, and "tall" is added, with "no"; else as often with "yes"."""
    random = np.random.default_rng(seed)
    documents, labels, turns = [], [], cycle((a, b) for pair in PEOPLE for a, b in (pair, pair[::-1]))
    for i in range(n):
        label = int(random.random() < 0.5)
        swapped, tall = (
            random.random() < (share if label else 1 - share) for share in (swap_share, word_share)
        )
        documents.append([sentence(*next(turns), VERBS[i % 20], swapped=swapped, added="tall" * bool(tall))])
        labels.append("no" if label else "yes")
    contexts, texts = zip(*(map(" ".join, sides(tree)) for (tree,) in documents), strict=True)
    return documents, reading_of(list(texts), labels, list(contexts))


def leaders(documents, reading, **options):
    """The name of the leader of each pattern's group, by level and name."""
    places = options.get("places")
    trees = documents if places is None else [documents[i] for i in places]
    detectors = [*detectors_for(reading), GrammarDetector(reading, trees, rules=False, **options)]
    chosen = search(reading, detectors=detectors).chosen
    return {(c.finding.level, c.finding.pattern.name): chosen[c.leader].finding for c in chosen}


def is_word(finding):
    """Whether it is about the added word, at the level of words or phrases."""
    return finding.level in ("token", "ngram") and "tall" in finding.pattern.words


def test_a_swap_that_no_word_shows_stays():
    found = leaders(*planted(0.9, 0.5))
    of_swaps = {name: leader for (level, name), leader in found.items() if "→" in name}
    assert of_swaps
    assert {leader.level for leader in of_swaps.values()} == {"grammar"}
    assert not [name for level, name in found if level != "grammar"]


def test_an_added_word_joins_the_word():
    found = leaders(*planted(0.5, 0.9))
    assert is_word(found["grammar", "added: tall"])
    assert not [name for (level, name), leader in found.items() if leader.level == "grammar"]


def test_of_two_planted_patterns_one_joins_and_one_stays():
    found = leaders(*planted(0.9, 0.9))
    assert is_word(found["grammar", "added: tall"])
    assert {leader.level for (_, name), leader in found.items() if name == "man → woman"} == {"grammar"}


def test_of_a_sample_only_the_parsed_rows_are_compared():
    documents, reading = planted(0.5, 0.9, n=480)
    # Outside of the sample the word predicts nothing: given the word, rows without a tree must not count as rows without the pattern.
    reading.labels[240:] = np.random.default_rng(1).permutation(reading.labels[240:])
    found = leaders(documents, reading, places=list(range(240)))
    assert is_word(found["grammar", "added: tall"])


def test_without_the_comparison_the_added_word_is_listed_twice(monkeypatch):
    monkeypatch.setattr("longway.detect.findings.explained_by_words", lambda *args: {})
    found = leaders(*planted(0.5, 0.9))
    assert found["grammar", "added: tall"].level == "grammar"


def test_words_never_join_the_grammar():
    found = leaders(*planted(0.9, 0.9))
    assert all(leader.level != "grammar" for (level, _), leader in found.items() if level != "grammar")
