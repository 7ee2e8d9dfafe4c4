"""Which word of a row becomes what: Algorithm 1 of the perturbation paper.

    K = {(w, t): w a demographic word of the row, t another attribute of its axis}          options_of
    (w, t) ~ U(K)                                                                            choose

One draw a row, so that the dataset keeps its size. Drawn uniformly, the axis with most words wins: pronouns are everywhere, so nearly
everything is gender. The paper's footnote 2 has "a modified frequency-based sampling strategy" for training sets "that ensures
representation of race/ethnicity" and leaves it at that; ours (`axis_weights`) draws the axis first, each with a weight of one over the number
of rows that have it, then a word and a target within the axis.

    perturbability(s) = (m0 NER(s) + m1 |s & D|) / |s|                                       Eq. 2
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from longway.demographics.axes import Attribute, others
from longway.demographics.found import Found, FoundIn
from longway.text.document import Document


@dataclass(frozen=True, slots=True)
class Option:
    """A demographic word and what it could become: an element of K."""

    word: Found
    target: Attribute

    @property
    def axis(self) -> str:
        """The axis that changes."""
        return self.target.axis


def options_of(found: FoundIn, *, axes: Collection[str], targets: Collection[Attribute] = ()) -> list[Option]:
    """All that could be changed in a row: K. targets: only to these, where some are given.

    A change that only adds a mark ("two men" to "two middle-aged men") is one where it is asked for: the paper's audit counts marks
    that nobody would write among the faults (appendix E).
    """
    return [
        Option(word, target)
        for word in found.words
        if word.attribute.axis in axes and not word.is_generic
        for target in others(word.attribute)
        if target in targets or (not targets and not _adds_a_mark(word, target))
    ]


def _adds_a_mark(word: Found, target: Attribute) -> bool:
    if word.entry is None:
        return False
    return word.entry.counterparts.get(target.name, "").lower().endswith(f" {word.entry.word.lower()}")


def axis_weights(options: Iterable[Sequence[Option]]) -> dict[str, float]:
    """One over the number of rows that have something to change on an axis, for each axis."""
    rows = Counter(axis for each in options for axis in {option.axis for option in each})
    return {axis: 1 / n for axis, n in rows.items()}


def choose(
    options: Sequence[Option], random: Random, weights: Mapping[str, float] | None = None
) -> Option | None:
    """One of them; None where there are none. weights: of the axes; without, every option is as likely as every other."""
    if not options:
        return None
    if weights is None:
        return options[random.randrange(len(options))]
    axes = sorted({option.axis for option in options})
    axis = random.choices(axes, [weights[axis] for axis in axes])[0]
    within = [option for option in options if option.axis == axis]
    return within[random.randrange(len(within))]


def in_order(options: Sequence[Option], first: Option, random: Random) -> list[Option]:
    """The chosen option, then the others in random order: what to try where the first cannot be done."""
    rest = [option for option in options if option is not first]
    random.shuffle(rest)
    return [first, *rest]


def perturbability(document: Document, found: FoundIn, *, m0: float = 1.0, m1: float = 1.0) -> float:
    """How much of a text speaks of people, Eq. 2: named people and demographic words, for each word of the text.

    m0, m1: the weights of names and of listed words. 0.0 for an empty text.
    """
    if not len(document):
        return 0.0
    listed = len({(word.first, word.end) for word in found.words if word.kind not in ("name", "surname")})
    return (m0 * found.names + m1 * listed) / len(document)
