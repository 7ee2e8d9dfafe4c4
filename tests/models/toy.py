"""Rows to learn from, invented: the label follows from one word, or from whether text and context agree."""

import random

from longway.models.classifier import Inputs, Labelled

THINGS = "film book song play walk meal game town boat coat".split()
GOOD, BAD = "good great lovely fine".split(), "bad awful dull poor".split()


def reviews(n=40, *, seed=0):
    """Texts whose label is decided by one word."""
    rng = random.Random(seed)
    labels = ["pos" if i % 2 else "neg" for i in range(n)]
    texts = [
        f"The {rng.choice(THINGS)} was a {rng.choice(GOOD if label == 'pos' else BAD)} {rng.choice(THINGS)}"
        for label in labels
    ]
    return Labelled(Inputs(texts), labels)


def agreements(n=60, *, seed=0):
    """Pairs whose label is decided by whether the text's thing is the context's; neither alone tells."""
    rng = random.Random(seed)
    labels = ["same" if i % 2 else "other" for i in range(n)]
    texts, contexts = [], []
    for label in labels:
        one, two = rng.sample(THINGS, 2)
        texts.append(f"We saw the {one}")
        contexts.append(f"There was a {one if label == 'same' else two} here")
    return Labelled(Inputs(texts, contexts), labels)


def accuracy(model, data):
    """The share of rows that is right."""
    found = model.predict(data.inputs)
    return sum(a == b for a, b in zip(found, data.labels, strict=True)) / len(data)


def column_names(features):
    """The name of each column of `WordFeatures`, as in the docstring of its module."""
    n = len(features.words)
    marks = ("{}", "({})", "{}+", "{}-")

    def name(key):
        if key < 4 * n:
            return marks[key // n].format(features.words[key % n])
        if key < 4 * n + 2:
            return "+-"[key - 4 * n]
        first, second = divmod(key - 4 * n - 2, n)
        return f"{features.words[first]} {features.words[second]}"

    return [name(key) for key in features.kept.tolist()]
