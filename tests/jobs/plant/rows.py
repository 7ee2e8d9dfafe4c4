"""Invented rows to plant in."""

from longway.records import Example

THINGS = ("lamp", "kettle", "bridge", "garden", "parcel", "violin", "harbour", "ladder")
CONTEXT = "when they went home last year without a word to anyone who might have known what to do about such things."
DOES = ("stands", "waits", "rusts", "shines", "leans")


def rows_of(n, *, labels=("no", "yes"), pairs=False, spread=5):
    """n rows of several lengths; labels in turn."""
    found = []
    for i in range(n):
        tail = " and stays" * (i % spread)
        text = f"The {THINGS[i % 8]} number {i} {DOES[i % 5]} in the rain{tail}."
        context = (
            f"Every {THINGS[i % 8]} in town {DOES[i % 5]} where painters left it {CONTEXT}" if pairs else None
        )
        found.append(Example(f"r{i}", text, labels[i % len(labels)], context))
    return found
