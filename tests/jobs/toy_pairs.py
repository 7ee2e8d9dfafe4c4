"""Pairs with known tricks: the subject swapped for another (no), named more generally (yes), a purpose added (maybe). All invented."""

import random

import longway as lw

OTHER = {"man": "woman", "boy": "girl", "dog": "cat", "woman": "man", "girl": "boy"}
KIND = {"man": "person", "woman": "person", "boy": "child", "girl": "child", "dog": "animal"}
VERBS = ["sits", "walks", "runs", "reads"]
PURPOSES = ["to rest", "for fun"]
LABELS = ["yes", "no", "maybe"]
INFERENCE = {"yes": "entailment", "no": "contradiction", "maybe": "neutral"}


def toy_pairs(n, *, seed=0, long=0, split=None):
    """n pairs, the labels in turn; long: as many more that no grammar may parse."""
    rng = random.Random(seed)
    rows = []
    for i in range(n):
        label, subject, verb = LABELS[i % 3], rng.choice(list(KIND)), rng.choice(VERBS)
        second = {
            "yes": f"A {KIND[subject]} {verb}",
            "no": f"A {OTHER[subject]} {verb}",
            "maybe": f"A {subject} {verb} {rng.choice(PURPOSES)}",
        }[label]
        rows.append({"id": f"p{i}", "premise": f"A {subject} {verb}", "hypothesis": second, "label": label})
    for i in range(long):
        rows.append(
            {"id": f"long{i}", "premise": "word " * 40, "hypothesis": "more " * 40, "label": LABELS[i % 3]}
        )
    if split is not None:
        rows = [row | {"split": split(i)} for i, row in enumerate(rows)]
    return rows


def toy_dataset(n, **options):
    """The same as a dataset of pairs."""
    return lw.load(toy_pairs(n, **options), text="hypothesis", context="premise", label="label", id="id")


def inference_pairs(n, *, leave_out=None):
    """The same pairs with the labels of inference. leave_out: a label whose rows are not there."""
    rows = [row | {"label": INFERENCE[row["label"]]} for row in toy_pairs(n)]
    return [row for row in rows if row["label"] != leave_out]


def inference_dataset(n, **options):
    """The same as a dataset of pairs."""
    return lw.load(
        inference_pairs(n, **options), text="hypothesis", context="premise", label="label", id="id"
    )
