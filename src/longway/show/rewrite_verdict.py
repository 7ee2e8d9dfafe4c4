"""The sentence at the top of a rewrite's page and what it must own up to, built from the numbers alone.

A fall of the leak is told as a fall only where it is more than the intervals allow for luck.
"""

from __future__ import annotations

from longway.records import Leak
from longway.show.labels import part_name
from longway.show.numbers import count, counted, percent


def rewrite_verdict(
    before: Leak | None, after: Leak | None, *, changed: int, rows: int, labels_changed: int, n_worse: int
) -> str:
    """What the rewrite did to the leak, to how many texts, and what it cost, in plain words.

    before, after: from the text alone; None where it was not measured. n_worse: patterns stronger than before.

    >>> before = Leak("text", ("claim",), 0.681, 0.67, 0.692, 0.5, "5-fold cross-validation", 6666)
    >>> after = Leak("text", ("claim",), 0.601, 0.589, 0.613, 0.5, "5-fold cross-validation", 6666)
    >>> rewrite_verdict(before, after, changed=1204, rows=6666, labels_changed=0, n_worse=0)
    'From the claim alone a bag of words now gets 60.1% right instead of 68.1% (chance is 50.0%);
    1,204 of 6,666 texts were rewritten and no label changed.'
    """
    labels = "no label changed" if not labels_changed else f"{counted(labels_changed, 'label')} changed"
    done = (
        f"{count(changed)} of {count(rows)} texts {'was' if changed == 1 else 'were'} rewritten and {labels}"
    )
    if not changed:
        done = f"no text was rewritten and {labels}"
    worse = f" {counted(n_worse, 'pattern')} {'tells' if n_worse == 1 else 'tell'} more than before."
    return f"{_leak_words(before, after)}; {done}.{worse if n_worse else ''}"


def differ(before: Leak, after: Leak) -> bool:
    """Whether each accuracy lies outside the other's interval."""
    return not (before.low <= after.accuracy <= before.high or after.low <= before.accuracy <= after.high)


def _leak_words(before: Leak | None, after: Leak | None) -> str:
    if before is None or after is None:
        return "The leak was not measured before and after"
    start = f"From {part_name(after)} alone a bag of words"
    old, new, chance = percent(before.accuracy), percent(after.accuracy), percent(after.majority)
    if old == new:
        return f"{start} still gets {new} right, as before (chance is {chance})"
    if not differ(before, after):
        return f"{start} gets {new} right, {old} before (chance is {chance}), a difference that may be luck"
    if after.accuracy > before.accuracy:
        return f"{start} now gets {new} right, more than the {old} before (chance is {chance})"
    if after.low <= after.majority:
        return f"{start} now gets {new} right instead of {old}, no better than chance ({chance})"
    return f"{start} now gets {new} right instead of {old} (chance is {chance})"
