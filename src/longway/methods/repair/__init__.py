"""The remedies of a repair: each weakens patterns in its own way. `REMEDIES` lists them in the order in which they are tried.

`proposers.py` prepares those that change texts, for one dataset; `repair.py` chooses among what they propose.
"""

from __future__ import annotations

from dataclasses import dataclass

from longway.levels import CONCEPT

TAKE_OUT, NORMALISE, EXCHANGE, REWORD = "take out", "normalise", "exchange", "reword"
PUT_IN, RESHAPE = "put in", "reshape"
COUNTERPART, DROP, WEIGH = "counterpart", "drop", "weigh"


@dataclass(frozen=True, slots=True)
class Remedy:
    """One row of the table.

    levels: of the patterns that it can weaken by other texts; empty if it adds, drops or weighs rows. module: of this package, whose function
    `proposers(name, parts)` makes it; "" if it changes no texts. by_engine: whether an engine can
    be asked for it. into_others: whether it puts a pattern into rows of other labels. english_rules: whether the rules behind it know
    English only. words: what it is called while it works. seconds: per row that it looks at, on two slow cores (notes/LOG.md).
    """

    name: str
    levels: frozenset[str] = frozenset()
    module: str = ""
    by_engine: bool = False
    into_others: bool = False
    english_rules: bool = False
    words: str = ""
    seconds: float = 0.06


_PHRASES = frozenset(["token", "ngram", "position"])
_ALL = (
    Remedy(TAKE_OUT, _PHRASES | {"negation", "surface", "overlap"}, "take_out"),
    Remedy(NORMALISE, frozenset(["surface"]), "normalise"),
    Remedy(EXCHANGE, _PHRASES, "exchange"),
    Remedy(REWORD, _PHRASES | {"negation", CONCEPT}, "reword", by_engine=True, english_rules=True),
    Remedy(RESHAPE, frozenset(["length", "position"]), "reshape", by_engine=True),
    Remedy(PUT_IN, _PHRASES | {"surface"}, "put_in", by_engine=True, into_others=True),
    Remedy(COUNTERPART, by_engine=True, words="counterparts", seconds=0.02),
    Remedy(DROP, words="dropping rows", seconds=0.03),
    Remedy(WEIGH, words="weighing rows", seconds=0.0),
)
REMEDIES = {remedy.name: remedy for remedy in _ALL}
