"""Before and after: each pattern is counted in both, also where it is no finding any more."""

import pytest

from longway.jobs.before_after import compare
from tests.conftest import dataset_of as dataset

WORDS = "lamp chair door table window garden river street".split()


@pytest.fixture(scope="module")
def planted():
    """Half of the texts of label b begin with "not"."""
    texts, labels = [], []
    for i in range(200):
        label = "ab"[i % 2]
        text = f"the {WORDS[i % 8]} is by the {WORDS[(i // 8) % 8]} number {i}"
        texts.append("not " + text if label == "b" and i % 4 == 1 else text)
        labels.append(label)
    return texts, labels


def fate_of(fates, pattern, level="token"):
    return next(fate for fate in fates if fate.pattern.name == pattern and fate.pattern.level == level)


def test_a_word_that_went_has_its_number_and_no_gain(planted):
    texts, labels = planted
    found = compare(dataset(texts, labels), dataset([t.removeprefix("not ") for t in texts], labels))
    fate = found.findings[0]
    assert "not" in fate.pattern.name.split()
    assert (fate.count_before, fate.share_before) == (50, 1.0)
    assert (fate.count_after, fate.share_after) == (0, 0.0)
    assert fate.gain_after < fate.gain_before / 50
    assert (fate.points_before, fate.points_after) == (
        0.25,
        0.0,
    )  # 50 of 100 rows of its label, none of the other
    assert found.leak.before.rows == found.leak.after.rows == 200


def test_a_shortcut_that_only_changed_its_clothes_is_told_as_worse(planted):
    texts, labels = planted
    found = compare(
        dataset(texts, labels), dataset([t.replace("not the", "hardly the") for t in texts], labels)
    )
    worse = [fate for fate in found.worse if "hardly" in fate.pattern.name]
    assert worse
    assert worse[0].count_before == 0
    assert worse[0].gain_after > 0.05


def test_all_that_got_worse_are_counted_though_the_strongest_are_listed(planted, monkeypatch):
    texts, labels = planted
    new = [t.replace("not the", "hardly a") + (" indeed" if i % 6 == 0 else "") for i, t in enumerate(texts)]
    new = [t + " truly so" if labels[i] == "b" and i % 5 == 0 else t for i, t in enumerate(new)]
    before, after = dataset(texts, labels), dataset(new, labels)
    whole = compare(before, after)
    monkeypatch.setattr("longway.jobs.before_after.LISTED", 1)
    cut = compare(before, after)
    assert cut.n_worse == whole.n_worse == len(whole.worse) > 3
    assert cut.worse == whole.worse[:1]


def test_balanced_in_both_labels_is_no_shortcut_any_more(planted):
    texts, labels = planted
    balanced = [
        "not " + t if label == "a" and i % 4 == 0 else t
        for i, (t, label) in enumerate(zip(texts, labels, strict=True))
    ]
    fate = compare(dataset(texts, labels), dataset(balanced, labels)).findings[0]
    assert fate.share_after == pytest.approx(0.5)
    assert fate.gain_after < 0.001


def test_nothing_changed_is_nothing_worse(planted):
    texts, labels = planted
    found = compare(dataset(texts, labels), dataset(texts, labels), keep=["not"])
    assert not found.worse
    assert found.n_worse == 0
    assert all(fate.gain_after == fate.gain_before for fate in found.findings)
    assert found.found.before == found.found.after
