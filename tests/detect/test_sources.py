"""Groups of rows: do they predict the label, and are findings their fingerprint?"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import longway as lw
from longway.detect.sources import right_by_group
from longway.errors import ColumnError
from longway.stats import within_groups

VOCABULARY = [f"word{i}" for i in range(300)]


def right_one_by_one(groups, labels):
    """Rows whose label is the most frequent one of the other rows of their group, row by row."""
    overall = sorted(set(labels), key=lambda label: (-labels.count(label), label))
    right = 0
    for i, (group, label) in enumerate(zip(groups, labels, strict=True)):
        others = [labels[j] for j in range(len(labels)) if j != i and groups[j] == group]
        counts = {each: others.count(each) for each in overall}
        right += max(overall, key=lambda each: (counts[each], -overall.index(each))) == label
    return right


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=20))
def test_the_label_of_the_others_is_predicted_as_row_by_row(rows):
    groups, labels = ([pair[i] for pair in rows] for i in (0, 1))
    table = np.zeros((4, 3), dtype=np.int64)
    for group, label in rows:
        table[group, label] += 1
    assert right_by_group(table) == right_one_by_one(groups, labels)


def test_a_pattern_within_groups_is_seen():
    points, p = within_groups(*(np.array(each) for each in ([20, 4], [25, 5], [25, 25], [50, 50])))
    assert points == pytest.approx(((20 - 5) / 25 + (4 - 1) / 25) / 4)
    assert p < 0.001
    assert within_groups(*(np.array(each) for each in ([20], [25], [25], [50])), effect=8.0)[1] > 0.05


def rows_of(kind, seed, n=400):
    """Rows from four sources. kind: "fingerprint": each source has a phrase and prefers a label; "word": a word predicts the label everywhere."""
    random = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        source = int(random.integers(4))
        p = 0.85 if source < 2 else 0.15
        label = int(random.random() < (p if kind == "fingerprint" else 0.5))
        words = random.choice(VOCABULARY, 9).tolist()
        if kind == "fingerprint":
            words.insert(4, "alpha" if source < 2 else "omega")
        elif random.random() < (0.5 if label else 0.05):
            words.insert(4, "sadly")
        rows.append({"text": " ".join(words), "label": "ab"[label], "source": f"s{source}"})
    return rows


@pytest.mark.parametrize(
    ("kind", "word", "is_fingerprint"), [("fingerprint", "alpha", True), ("word", "sadly", False)]
)
def test_planted_groups_are_recognised(kind, word, is_fingerprint):
    right = predicts = 0
    for seed in range(10):
        found = lw.audit(rows_of(kind, seed), levels="token", group="source").sources
        planted = [one for one in found.findings if word in one.pattern.name]
        right += bool(planted) and all(one.is_fingerprint == is_fingerprint for one in planted)
        predicts += found.low > found.majority
    assert right >= 9
    assert predicts == 10 if is_fingerprint else predicts <= 1


def test_the_loss_on_new_groups_is_measured_and_kept(tmp_path):
    rows = rows_of("fingerprint", 0)
    for row in rows:  # each source has a word for its label that others do not have
        row["text"] += f" {row['source']}{row['label']}"
    result = lw.audit(rows, levels="token", group="source", out=tmp_path / "run")
    found = result.sources
    assert found.left_out < found.at_random
    assert 0 < found.drop_low < found.at_random - found.left_out < found.drop_high
    assert type(result).from_dict(result.to_dict()).sources == found
    assert "Groups by source" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")


def test_a_column_that_is_not_there_is_told():
    with pytest.raises(ColumnError, match="has no column 'origin'"):
        lw.audit(rows_of("word", 0), levels="token", group="origin")


def test_one_group_has_no_loss():
    rows = [{**row, "source": "only"} for row in rows_of("word", 0)]
    found = lw.audit(rows, levels="token", group="source").sources
    assert (found.groups, found.left_out) == (1, None)
