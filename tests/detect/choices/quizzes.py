"""Small questions with candidates for tests, made of random words."""

import numpy as np

from longway.data.choices import Question

WORDS = "river stone cloud garden music winter paper silver candle forest window harbour letter mountain kitchen shadow".split()


def question(*candidates, right=0, prompt="", number=0, judge="", makers=()):
    return Question(str(number), number, prompt, candidates, right, judge, makers)


def random_questions(n, sizes=(4,), seed=0, n_words=(1, 5)):
    """Questions whose right option is drawn at random."""
    random = np.random.default_rng(seed)

    def option():
        return " ".join(random.choice(WORDS, random.integers(*n_words)))

    found = []
    for i in range(n):
        size = int(random.choice(sizes))
        options = set()
        while len(options) < size:
            options.add(option())
        right = int(random.integers(size))
        found.append(question(*sorted(options), right=right, prompt=f"What is number {i}?", number=i))
    return found
