"""Quizzes whose answers can be learned, with a planted cue: the right option is nearly always the longest."""

import random

SOUNDS = {"cow": "moo", "cat": "meow", "dog": "woof", "duck": "quack", "sheep": "baa", "owl": "hoot", "bee": "buzz", "pig": "oink"}  # fmt: skip
FILLERS = ("softly", "loudly", "twice", "again", "slowly", "quickly", "often", "daily")


def quiz(n=200, *, supporting=0.85, seed=0):
    """Questions with four options; in this share of them the right option is the longest, else a wrong one."""
    draw = random.Random(seed)
    rows = []
    for i in range(n):
        animal = draw.choice(sorted(SOUNDS))
        right = SOUNDS[animal]
        options = [right, *draw.sample(sorted(set(SOUNDS.values()) - {right}), 3)]
        longest = 0 if draw.random() < supporting else draw.randrange(1, 4)
        texts = [_padded(text, 3 if at == longest else 1, draw) for at, text in enumerate(options)]
        rows.append(_row(i, f"What does the {animal} on farm {i} say?", texts, draw))
    return rows


def evened(rows, seed=1):
    """The quiz with all options of about the same length."""
    draw = random.Random(seed)
    return [
        {**row, "choices": [_padded(text.split()[0], 2, draw) for text in row["choices"]]} for row in rows
    ]


def pairs(n=200, *, longer=0.8, seed=0):
    """Preference pairs; the chosen answer is right about the animal, and in this share the longer one."""
    draw = random.Random(seed)
    rows = []
    for i in range(n):
        animal = draw.choice(sorted(SOUNDS))
        wrong = draw.choice(sorted(set(SOUNDS.values()) - {SOUNDS[animal]}))
        more, less = draw.randint(4, 9), draw.randint(1, 3)
        sizes = (more, less) if draw.random() < longer else (less, more)
        chosen, rejected = (
            _padded(text, n, draw) for text, n in zip((SOUNDS[animal], wrong), sizes, strict=True)
        )
        rows.append({"id": f"p{i}", "prompt": f"What does the {animal} on farm {i} say?", "chosen": chosen, "rejected": rejected})  # fmt: skip
    return rows


def _padded(text, n, draw):
    return " ".join([text, *draw.choices(FILLERS, k=n)])


def _row(i, question, texts, draw):
    order = draw.sample(range(4), 4)
    choices = [texts[at] for at in order]
    return {"id": f"q{i}", "question": question, "choices": choices, "answer": "ABCD"[order.index(0)]}
