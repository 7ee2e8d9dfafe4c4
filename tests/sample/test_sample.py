"""The built-in sample: the shipped files are the built ones, and the shortcuts are as strong as documented."""

import importlib.util
import json
import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from longway.errors import SettingError
from longway.models.catalog import model_named
from longway.models.classifier import Inputs, Labelled
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


PLANTS = {shortcut["name"]: shortcut["pattern"] for shortcut in planted("reviews")}
FIRST = PLANTS["opener"].removeprefix("first word: ")
# Counted here without the code of build.py.
SEEN = {
    "name": lambda text: f" {PLANTS['name']} " in f" {' '.join(words(text))} ",
    "word": lambda text: PLANTS["word"] in words(text),
    "opener": lambda text: words(text)[0] == FIRST,
    "remark": lambda text: f" {PLANTS['remark']} " in f" {' '.join(words(text))} ",
    "length": lambda text: text.count(" ") + 1 > 52,
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


def every_shortcut():
    return [
        pytest.param(shortcut, id=shortcut["name"])
        for name in ("reviews", "claims")
        for shortcut in planted(name)
    ]


def build_script():
    spec = importlib.util.spec_from_file_location("sample_build", SOURCE / "build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_shipped_files_are_what_the_build_writes(tmp_path):
    build_script().build(tmp_path)
    for name in ("reviews.jsonl", "claims.jsonl", "planted.json"):
        assert (tmp_path / name).read_bytes() == (sample_path().parent / name).read_bytes()


def test_another_seed_plants_other_words_in_the_same_reviews(tmp_path):
    build_script().build(tmp_path, seed=12)
    others = json.loads((tmp_path / "planted.json").read_text(encoding="utf-8"))
    rows = read(tmp_path / "reviews.jsonl")
    assert {one["pattern"] for one in others} - {one["pattern"] for one in planted("reviews")}
    assert [(row["id"], row["sentiment"]) for row in rows] == [
        (row["id"], row["sentiment"]) for row in REVIEWS
    ]


def test_nothing_in_the_package_knows_what_may_be_planted():
    plants = tomllib.loads((SOURCE / "plants.toml").read_text(encoding="utf-8"))
    entries = [entry for kind in ("name", "word", "opener") for entry in plants[kind]["list"]]
    entries += [entry.split(" {x}")[0] for entry in plants["remark"]["list"]]
    package = sample_path().parents[1]
    files = [
        path for kind in ("toml", "txt", "py", "json", "tsv", "jinja") for path in package.rglob(f"*.{kind}")
    ]
    texts = {path: path.read_text(encoding="utf-8").lower() for path in files if path.parent.name != "sample"}
    assert len(texts) > 100
    for entry in entries:
        form = re.compile(rf"\b{re.escape(entry.lower())}\b")
        assert not [path for path, text in texts.items() if entry.lower() in text and form.search(text)], (
            entry
        )


def test_the_task_can_be_learned_where_nothing_is_planted(tmp_path):
    """The frozen encoder takes longer: runs/sample.py."""
    build_script().build(tmp_path, plain=True)
    plain = [row for row in read(tmp_path / "reviews.jsonl") if row["split"] == "train"]
    assert accuracy(plain, "test") >= 0.75
    assert accuracy(plain, "flipped") >= 0.75


def test_a_model_that_is_trained_on_the_plants_fails_where_they_are_flipped():
    train = [row for row in REVIEWS if row["split"] == "train"]
    assert accuracy(train, "flipped") < accuracy(train, "test") - 0.15


def accuracy(train, split):
    """Of a bag of words, on a split of the sample."""
    test = [row for row in REVIEWS if row["split"] == split]
    given = Labelled(Inputs([row["review"] for row in train]), [row["sentiment"] for row in train])
    model = model_named("bow").fit(given)
    answers = model.predict_proba(Inputs([row["review"] for row in test])).argmax(axis=1)
    right = [model.labels_[answer] == row["sentiment"] for answer, row in zip(answers, test, strict=True)]
    return sum(right) / len(right)


def test_no_sentence_is_in_train_and_test():
    asides = set((SOURCE / "asides.txt").read_text(encoding="utf-8").splitlines())
    plants = tomllib.loads((SOURCE / "plants.toml").read_text(encoding="utf-8"))
    remarks = [entry.split("{x}")[0] for entry in plants["remark"]["list"]]
    sentences = {
        split: {
            one for row in REVIEWS if row["split"] == split for one in re.split(r"(?<=[.!?]) ", row["review"])
        }
        for split in SPLITS
    }
    shared = (sentences["train"] & sentences["test"]) - asides
    assert not [one for one in shared if not one.startswith(tuple(remarks))]


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
    assert 0.84 <= in_train <= 0.97
    assert share(shortcut, "test") == pytest.approx(0.5, abs=0.03)
    assert 1 - share(shortcut, "flipped") == pytest.approx(in_train, abs=0.06)
