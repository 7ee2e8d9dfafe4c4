"""Words that deny something: one list for the audit and for choosing what to rewrite."""

from __future__ import annotations

NEGATIONS = frozenset(
    "not no never none nobody nothing nowhere neither nor cannot without n't nt hardly scarcely".split()
)


def is_negation(word: str) -> bool:
    """True for the words of `NEGATIONS` and for everything that ends in n't.

    >>> is_negation("isn't"), is_negation("note")
    (True, False)
    """
    return word in NEGATIONS or word.endswith("n't")
