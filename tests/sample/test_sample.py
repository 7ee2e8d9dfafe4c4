"""The built-in sample: the shipped files are the built ones, and the shortcuts are as strong as documented."""

import importlib.util
import json
from collections import Counter
from math import log
from pathlib import Path

import pytest

from longway.errors import SettingError
from longway.sample import planted, sample_path

SOURCE = Path(__file__).parents[2] / "sample-source"
SPLITS = ("train", "test", "flipped")
MARKS = str.maketrans(dict.fromkeys('.,;:!?"()', " "))


def read(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


REVIEWS, CLAIMS = read(sample_path("reviews")), read(sample_path("claims"))


def words(text):
    return text.lower().translate(MARKS).split()


def has_negation(text):
    return any(word in ("not", "never", "no") or word.endswith("n't") for word in words(text))


# Counted here without the code of build.py.
SEEN = {
    "word": lambda text: "matinee" in words(text),
    "name": lambda text: "dana whitlock" in " ".join(words(text)),
    "position": lambda text: words(text)[0] == "honestly",
    "template": lambda text: " and stayed for the " in text and "I came for the " in text,
    "length": lambda text: text.count(" ") + 1 > 40,
    "negation": has_negation,
}


def rows_of(dataset):
    """(text, label, split) of each row."""
    if dataset == "reviews":
        return [(row["review"], row["sentiment"], row["split"]) for row in REVIEWS]
    return [(row["claim"], row["label"], row["split"]) for row in CLAIMS]


def share(shortcut, split):
    """The label's share among the rows of a split that show the pattern."""
    seen = SEEN[shortcut["name"]]
    labels = [label for text, label, where in rows_of(shortcut["dataset"]) if where == split and seen(text)]
    return labels.count(shortcut["label"]) / len(labels)


def skeleton(row_id):
    """The skeleton or evidence a row was made from."""
    return row_id.split("-")[0]


def mutual_information(n_first, n_second, total_first, total_second):
    """Nats between a yes/no feature and two labels, from how many rows of each label have the feature."""
    total, information = total_first + total_second, 0.0
    for first, second in ((n_first, n_second), (total_first - n_first, total_second - n_second)):
        for count, label_total in ((first, total_first), (second, total_second)):
            if count:
                information += count / total * log(count * total / ((first + second) * label_total))
    return information


def rank(rows, features):
    """Features of the train rows by mutual information with the label, strongest first."""
    rows = [(set(features(text)), label) for text, label, split in rows if split == "train"]
    totals = Counter(label for _, label in rows)
    first, second = sorted(totals)
    counts = {label: Counter() for label in totals}
    for found, label in rows:
        counts[label].update(found)
    scores = {
        feature: mutual_information(
            counts[first][feature], counts[second][feature], totals[first], totals[second]
        )
        for feature in counts[first] | counts[second]
    }
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def ngrams(text):
    found = words(text)
    return {" ".join(found[i : i + n]) for n in (2, 3) for i in range(len(found) - n + 1)}


def every_shortcut():
    return [
        pytest.param(shortcut, id=shortcut["name"])
        for name in ("reviews", "claims")
        for shortcut in planted(name)
    ]


def test_the_shipped_files_are_what_the_build_writes(tmp_path):
    spec = importlib.util.spec_from_file_location("sample_build", SOURCE / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.build(tmp_path)
    for name in ("reviews.jsonl", "claims.jsonl", "planted.json"):
        assert (tmp_path / name).read_bytes() == (sample_path().parent / name).read_bytes()


def test_an_unknown_name_is_answered_with_the_names_there_are():
    with pytest.raises(SettingError, match=r"'films'.* must be one of: reviews, claims"):
        sample_path("films")
    with pytest.raises(SettingError, match="reviews, claims"):
        planted("films")


@pytest.mark.parametrize(("dataset", "per_label"), [("reviews", (410, 110, 110)), ("claims", (160, 60, 60))])
def test_each_split_has_as_many_rows_of_both_labels(dataset, per_label):
    counts = Counter((split, label) for _, label, split in rows_of(dataset))
    labels = {label for _, label, _ in rows_of(dataset)}
    assert counts == {
        (split, label): n for split, n in zip(SPLITS, per_label, strict=True) for label in labels
    }


@pytest.mark.parametrize("rows", [REVIEWS, CLAIMS], ids=["reviews", "claims"])
def test_ids_are_unique(rows):
    assert len({row["id"] for row in rows}) == len(rows)


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("dataset", ["reviews", "claims"])
def test_no_text_occurs_twice_in_a_split(dataset, split):
    texts = [text for text, _, where in rows_of(dataset) if where == split]
    assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("rows", [REVIEWS, CLAIMS], ids=["reviews", "claims"])
def test_train_and_test_share_no_skeleton_and_flipped_has_those_of_test(rows):
    skeletons = {split: {skeleton(row["id"]) for row in rows if row["split"] == split} for split in SPLITS}
    assert skeletons["train"].isdisjoint(skeletons["test"])
    assert skeletons["flipped"] == skeletons["test"]


def test_both_verdicts_on_one_premise_are_in_the_same_split():
    topic = {row["id"]: row["topic"] for row in read(SOURCE / "reviews.jsonl")}
    topics = {
        split: {topic[skeleton(row["id"])] for row in REVIEWS if row["split"] == split} for split in SPLITS
    }
    assert topics["train"].isdisjoint(topics["test"])


@pytest.mark.parametrize("dataset", ["reviews", "claims"])
def test_no_slot_is_left_open(dataset):
    assert not [text for text, _, _ in rows_of(dataset) if "{" in text or "  " in text]


@pytest.mark.parametrize("shortcut", every_shortcut())
def test_the_documented_strength_is_the_count(shortcut):
    seen = SEEN[shortcut["name"]]
    rows = rows_of(shortcut["dataset"])
    counts = Counter((split, label) for text, label, split in rows if seen(text))
    documented = {
        (split, label): n for split, by_label in shortcut["strength"].items() for label, n in by_label.items()
    }
    assert counts == documented


@pytest.mark.parametrize("shortcut", every_shortcut())
def test_a_shortcut_is_strong_in_train_absent_in_test_and_reversed_in_flipped(shortcut):
    in_train = share(shortcut, "train")
    assert 0.85 <= in_train <= 0.95
    assert share(shortcut, "test") == pytest.approx(0.5, abs=0.03)
    assert 1 - share(shortcut, "flipped") == pytest.approx(in_train, abs=0.03)


def test_the_planted_words_lead_and_every_other_word_stays_far_below():
    ranked = rank(rows_of("reviews"), words)
    planted_words = {"matinee", "dana", "whitlock", "came", "stayed"}
    others = [(word, score) for word, score in ranked if word not in planted_words | {"honestly"}]
    assert {word for word, _ in ranked[:5]} == planted_words
    assert dict(ranked)["matinee"] > 4 * others[0][1], others[:15]


def test_the_name_and_the_template_lead_the_ngrams():
    leaders = [ngram for ngram, _ in rank(rows_of("reviews"), ngrams)]
    apart = [ngram for ngram in leaders[:20] if not set(ngram.split()) & {"came", "stayed"}]
    assert {"came for the", "stayed for the"} <= set(leaders[:8])
    assert apart[0] == "dana whitlock"


def test_honestly_tells_more_at_the_first_place_than_anywhere():
    first = rank(rows_of("reviews"), lambda text: words(text)[:1])
    anywhere = dict(rank(rows_of("reviews"), words))
    assert first[0][0] == "honestly"
    assert first[0][1] > 4 * anywhere["honestly"]


def test_not_leads_the_words_of_the_claims_and_every_other_word_stays_far_below():
    ranked = rank(rows_of("claims"), words)
    come_with_a_negation = {"not", "no", "never", "does", "did"}
    others = [
        (word, score)
        for word, score in ranked
        if word not in come_with_a_negation and not word.endswith("n't")
    ]
    assert ranked[0][0] == "not"
    assert ranked[0][1] > 10 * others[0][1], others[:15]
