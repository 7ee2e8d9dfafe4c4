"""Texts of three topics that no word shows, and an encoder that knows them."""

import re

import numpy as np

from longway.data import as_dataset

TOPICS = ("sea", "law", "tea")
WIDTH = 12
_NUMBER = re.compile(r"case (\d+)x")


def topic_of(text):
    """The topic of a text, by the number in it, which is different in each: no word tells."""
    return int(_NUMBER.search(text)[1]) % len(TOPICS)


class TopicEncoder:
    """Vectors around one direction for each topic."""

    base_hash = "topics"

    def embed(self, texts, *, max_tokens):
        return np.stack([self._of(text) for text in texts]) if texts else np.zeros((0, WIDTH), np.float32)

    def _of(self, text):
        if not _NUMBER.search(text):  # a word alone
            return np.random.default_rng([*map(ord, text)]).normal(size=WIDTH).astype(np.float32)
        noise = np.random.default_rng(int(_NUMBER.search(text)[1])).normal(0, 0.15, WIDTH)
        return (np.eye(WIDTH)[topic_of(text)] + noise).astype(np.float32)


def topic_rows(n=600, seed=0):
    """The first topic is nearly always good, the others mostly bad; five rows of it have the wrong label."""
    random = np.random.default_rng(seed)
    rows = []
    for number in range(n):
        topic = number % len(TOPICS)
        is_good = random.random() < (0.97, 0.3, 0.3)[topic]
        words = " ".join(random.choice(list("abcdefgh"), 4))
        rows.append({"text": f"{words} case {number}x", "label": "good" if is_good else "bad"})
    return rows


def topics(n=600):
    return as_dataset(topic_rows(n))
