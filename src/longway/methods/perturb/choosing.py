"""Which word of a row becomes what: Algorithm 1 of the perturbation paper.

    K = {(w, t): w in s & D, t another attribute of the axis of w}                           options_of
    (w, t) ~ U(K)                                                                            choose
    where w stands more than once in s: which of them, and what is tried after it            in_order

K is a set: "he" five times in a row is one word, as likely as an "aunt" that stands there once. The perturber changes a person, and
the five may be several people: the place is drawn after the word. Other than in the paper, K is without words that tell nothing by
themselves ("actor" is said of everybody) and without changes that would only add a mark, and a row whose drawn change cannot be made is
given others.

One draw a row, so that the dataset keeps its size. Drawn uniformly, the axis with most words wins: pronouns are everywhere, so nearly
everything is gender. The paper's footnote 2 has "a modified frequency-based sampling strategy" for training sets "that ensures
representation of race/ethnicity" and leaves it at that; ours (`axis_weights`) draws the axis first, each with a weight of one over the number
of rows that have it, then a word and a target within the axis.

    perturbability(s) = (m0 NER(s) + m1 |s & D|) / |s|                                       Eq. 2

|s & D| counts distinct words, |s| is the length of the text. NER(s) counts names of people; the paper's counts names of everything,
and its list has names, too. Ours are counted once, as names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random

from longway.english.document import Document
from longway.english.people.demographic_mentions import DemographicMention, Demographics
from longway.english.people.demographics import Attribute, other_attributes


@dataclass(frozen=True, slots=True)
class Option:
    """A demographic word and what it could become: an element of K.

    word: in lower case. source: what it tells. places: where it stands and tells that, in order of the text.
    """

    word: str
    source: Attribute
    target: Attribute
    places: tuple[DemographicMention, ...]

    @property
    def axis(self) -> str:
        """The axis that changes."""
        return self.target.axis


def options_of(
    text: str,
    found: Iterable[DemographicMention],
    *,
    axes: Collection[str],
    targets: Collection[Attribute] = (),
) -> list[Option]:
    """All that could be changed in a text: K. found: its demographic words. targets: only to these, where some are given.

    A change that only adds a mark ("two men" to "two middle-aged men") is one where it is asked for: the paper's audit counts marks
    that nobody would write among the faults (appendix E).
    """
    places: dict[tuple[str, Attribute, Attribute], list[DemographicMention]] = {}
    for one in found:
        if one.attribute.axis not in axes or one.is_generic:
            continue
        for target in other_attributes(one.attribute):
            if target in targets or (not targets and not _adds_a_mark(one, target)):
                places.setdefault((_word(text, one), one.attribute, target), []).append(one)
    return [Option(*pair, tuple(where)) for pair, where in places.items()]


def _word(text: str, found: DemographicMention) -> str:
    """The word as an element of a set: the same for "She" and "she"."""
    return " ".join(text[found.start : found.stop].lower().replace("’", "'").split())


def _adds_a_mark(word: DemographicMention, target: Attribute) -> bool:
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


def in_order(
    options: Sequence[Option], first: Option, random: Random
) -> list[tuple[DemographicMention, Attribute]]:
    """Where something is changed, and to what: the chosen option, and what to try after it where it cannot be done.

    One place of each option, the chosen one first, the others in random order; then their second places, and so on.
    """
    rest = [option for option in options if option is not first]
    random.shuffle(rest)
    turns = zip_longest(
        *(
            [(place, option.target) for place in random.sample(option.places, len(option.places))]
            for option in (first, *rest)
        )
    )
    return [one for turn in turns for one in turn if one is not None]


def perturbability(document: Document, found: Demographics, *, m0: float = 1.0, m1: float = 1.0) -> float:
    """How much of a text speaks of people, Eq. 2: named people and distinct demographic words, for each word of the text.

    m0, m1: the weights of names and of listed words. 0.0 for an empty text.
    """
    if not len(document):
        return 0.0
    listed = {_word(document.text, one) for one in found.words if one.kind not in ("name", "surname")}
    return (m0 * found.names + m1 * len(listed)) / len(document)
