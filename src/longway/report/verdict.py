"""The one sentence at the top of the page, built from the numbers alone.

It says "leaks" only where part of a pair gives the label away: there the answer should need both sides. Where
the text is all there is (a review), words that tell the label may be its meaning, so the sentence says less.
"""

from __future__ import annotations

from longway.records import Leak
from longway.report.numbers import count, percent
from longway.report.shown import NAME_LIMIT, cut

SMALL = 0.02  # a gap to chance below this is called little, however sure it is


def verdict(leaks: dict[str, Leak], *, n_significant: int, n_tested: int) -> str:
    """The finding of the whole audit in one plain sentence.

    leaks: by part ("text", "context", "both"); what is missing was not measured.

    >>> claim = Leak("text", ("claim",), 0.673, 0.66, 0.69, 0.5, "5-fold cross-validation", 6660)
    >>> verdict({"text": claim, "context": claim}, n_significant=9, n_tested=100)
    'From the claim alone a bag of words gets 67.3% right where chance is 50.0%: this dataset leaks.'
    """
    strongest = _strongest(leaks)
    if strongest is None:
        measured = f"{count(n_significant)} of {count(n_tested)} patterns tested are tied to a label"
        return f"The leak could not be measured; {measured}."
    figures = f"gets {percent(strongest.accuracy)} right where chance is {percent(strongest.majority)}"
    if strongest.low > strongest.majority:
        return f"From {part_name(strongest)} alone a bag of words {figures}: {_meaning(strongest, leaks)}."
    if n_significant:
        patterns = f"{count(n_significant)} of {count(n_tested)} patterns are tied to a label all the same"
        return f"From {part_name(strongest)} alone a bag of words does no better than chance, but {patterns}."
    return "No surface pattern gives the label away beyond chance."


def _strongest(leaks: dict[str, Leak]) -> Leak | None:
    """The part furthest above chance; both together are the whole input, which may well tell the label."""
    parts = [leaks[part] for part in ("text", "context") if part in leaks]
    return max(parts, key=lambda leak: leak.low - leak.majority, default=None)


def _meaning(leak: Leak, leaks: dict[str, Leak]) -> str:
    small = leak.accuracy - leak.majority < SMALL
    if "context" not in leaks:
        return f"its words tell {'a little' if small else 'much'} of the label, whether they should or not"
    return f"this dataset leaks{' a little' if small else ''}"


def part_name(leak: Leak) -> str:
    """ "the claim" where the column is called like a thing, else the column by its name."""
    column = cut(" + ".join(leak.columns) or leak.part, NAME_LIMIT)
    return f"the {column}" if column.isalpha() and column.islower() else f"the column “{column}”"
