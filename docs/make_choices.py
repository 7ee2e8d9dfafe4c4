"""Writes the quiz and the pairs that the pages about candidates read: quiz.jsonl and pairs.jsonl in a folder.

    python docs/make_choices.py FOLDER

The quiz has 160 questions with four options. Its author qualified many right options, so that they are longer, and left a space before
some of them. The pairs are 160 answers to household questions; the longer one, and the one with a list, was preferred more often.
"""

from __future__ import annotations

import json
import random
import sys
from pathlib import Path

KINDS = {
    "bird": ("sparrow", "heron", "owl", "finch", "stork", "gull", "robin", "crane"),
    "fish": ("trout", "herring", "salmon", "perch", "cod", "eel", "carp", "pike"),
    "insect": ("beetle", "wasp", "moth", "ant", "cricket", "fly", "bee", "termite"),
    "tree": ("oak", "birch", "larch", "willow", "maple", "ash", "elm", "poplar"),
    "metal": ("copper", "tin", "zinc", "nickel", "silver", "lead", "iron", "gold"),
    "instrument": ("cello", "flute", "harp", "tuba", "lute", "oboe", "drum", "viola"),
}
NOTES = ("as most people know", "in every field guide", "found in many countries", "by common agreement")
TASKS = (
    "clean a window",
    "store potatoes",
    "sharpen a knife",
    "wash wool",
    "dry herbs",
    "oil a hinge",
    "keep bread fresh",
    "remove wax",
)
TIPS = (
    "Begin with a dry cloth", "Work slowly and in good light", "Use warm water and a little soap", "Let everything dry for an hour",
    "Keep it away from direct sun", "Test a small spot first", "Change the water when it is cloudy", "Put newspaper under your work",
    "Wear old clothes", "Ask a neighbour for a second pair of hands",
)  # fmt: skip
N = 160


def quiz(chance: random.Random) -> list[dict[str, object]]:
    """Questions about kinds of things."""
    rows = []
    for number in range(N):
        kind = chance.choice(list(KINDS))
        others = chance.sample([other for other in KINDS if other != kind], 3)
        options = [chance.choice(KINDS[kind]), *(chance.choice(KINDS[other]) for other in others)]
        qualified = 0 if chance.random() < 0.55 else chance.randrange(4)
        options[qualified] += f", {chance.choice(NOTES)}"
        if chance.random() < 0.2:
            options[0] = f" {options[0]}"
        order = chance.sample(range(4), 4)
        rows.append({
            "id": number + 1, "question": f"Which of these is a kind of {kind}? ({number + 1})",
            "choices": [options[i] for i in order], "answer": "ABCD"[order.index(0)],
        })  # fmt: skip
    return rows


def answer(chance: random.Random, n: int, *, is_list: bool) -> str:
    """Some tips, as a list or as a paragraph."""
    tips = chance.sample(TIPS, n)
    return "\n".join(f"- {tip}" for tip in tips) if is_list else ". ".join(tips) + "."


def pairs(chance: random.Random) -> list[dict[str, object]]:
    """Two answers to a question, of which the longer one and the one with a list win more often."""
    rows = []
    for number in range(N):
        sizes, lists = chance.sample(range(2, 8), 2), [chance.random() < 0.4 for _ in range(2)]
        answers = [answer(chance, n, is_list=is_list) for n, is_list in zip(sizes, lists, strict=True)]
        score = (1 if sizes[0] > sizes[1] else -1) + 0.8 * (lists[0] - lists[1])
        first = int(chance.random() * 4 - 2 > score)
        prompt = f"How do I {TASKS[number % len(TASKS)]}? ({number + 1})"
        rows.append({"prompt": prompt, "chosen": answers[first], "rejected": answers[1 - first]})
    return rows


def write(folder: Path) -> None:
    """Write both files."""
    for name, rows in {"quiz": quiz(random.Random(3)), "pairs": pairs(random.Random(4))}.items():
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
