"""Small quizzes without meaning, in which the right option has a planted cue in a share of the questions."""

import random

WORDS = [
    a + b + c
    for a in ("ba", "de", "ki", "lo", "mu", "na", "po", "ri", "sa", "te")
    for b in ("l", "m", "n", "r", "st")
    for c in ("an", "el", "in", "or", "um")
]
CUES = ("position", "longest", "space", "absolute", "bullets", "echo")
LETTERS = "ABCDEFGH"


def quiz(cue="", n=160, share=0.5, seed=0, size=4):
    """Questions with options and the letter of the right one. cue: one of CUES; "" for none."""
    draw = random.Random(seed)
    rows = []
    for number in range(n):
        asked = draw.sample(WORDS, 6)
        options = [" ".join(draw.choice(WORDS) for _ in range(draw.randint(4, 7))) for _ in range(size)]
        right = draw.randrange(size)
        if draw.random() < share:
            if cue == "position":
                right = 0
            options[right] = _with(cue, options[right], asked, draw)
        rows.append(
            {
                "id": f"q{number}",
                "question": f"Which {' '.join(asked)}?",
                "choices": options,
                "answer": LETTERS[right],
            }
        )
    return rows


def _with(cue, text, asked, draw):
    more = {
        "longest": " " + " ".join(draw.choice(WORDS) for _ in range(5)),
        "echo": " " + " ".join(asked[:3]),
    }
    before = {"space": " ", "absolute": "never ", "bullets": "- "}
    inner = text.replace(" ", "\n- ", 2) if cue == "bullets" else text
    return before.get(cue, "") + inner + more.get(cue, "")
