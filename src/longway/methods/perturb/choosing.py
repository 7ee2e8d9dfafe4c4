"""Which word of a row becomes what: Algorithm 1 of the perturbation paper.

    K = {(w, t): w in s & D, t another attribute of the axis of w}                           options_of
    (w, t) ~ U(K)                                                                            choose
    if w occurs more than once in s: which occurrence, and what to try after it              in_order

K is a set: "he" five times in a row is one word, as likely as an "aunt" that occurs once. A perturber changes one person, and the
five may be several people, so the occurrence is drawn after the word. Unlike in the paper, K excludes words that have no attribute by
themselves ("actor" is used for everybody) and changes that would only add a modifier; and if the drawn change cannot be made, others are
tried.

There is one draw per row, so the dataset keeps its size. In a uniform draw the axis with most words dominates: pronouns are everywhere,
so nearly everything is gender. The paper's footnote 2 mentions "a modified frequency-based sampling strategy" for training sets "that
ensures representation of race/ethnicity" without details. Ours (`axis_weights`) draws the axis first, weighted by one over the number
of rows that have it, then a word and a target within the axis.

    perturbability(s) = (m0 NER(s) + m1 |s & D|) / |s|                                       Eq. 2

|s & D| counts distinct words, |s| is the length of the text. NER(s) counts names of people; in the paper it counts names of everything,
and its list contains names, too. Here they are counted once, as names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from random import Random

from longway.english.document import Document
from longway.english.people.demographic_mentions import DemographicMention, Demographics
from longway.english.people.words import Attribute, other_attributes

ADULT = Attribute("age", "adult")
_BABIES = frozenset("baby babies infant infants newborn newborns toddler toddlers".split())


@dataclass(frozen=True, slots=True)
class PossibleChange:
    """A demographic word and a target attribute: an element of K.

    word: in lower case. source: its attribute. places: its occurrences with this attribute, in order.
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
) -> list[PossibleChange]:
    """All possible changes of a text: K. found: its demographic words. targets: if given, only changes to these.

    A change that only adds a modifier ("two men" to "two middle-aged men") counts only if it is in `targets`: the paper's audit
    lists unnatural modifiers among the faults (appendix E).
    """
    places: dict[tuple[str, Attribute, Attribute], list[DemographicMention]] = {}
    for one in found:
        if one.attribute.axis not in axes or one.is_generic:
            continue
        for target in other_attributes(one.attribute):
            if target in targets or (not targets and not _adds_a_modifier(one, target)):
                places.setdefault((_word(text, one), one.attribute, target), []).append(one)
    return [PossibleChange(*pair, tuple(where)) for pair, where in places.items()]


def _word(text: str, found: DemographicMention) -> str:
    """The word as an element of a set: the same for "She" and "she"."""
    return " ".join(text[found.start : found.stop].lower().replace("’", "'").split())


def _adds_a_modifier(word: DemographicMention, target: Attribute) -> bool:
    """True for "two men" to "two middle-aged men", "guys" to "elderly men", "an old poet" to "an adult poet".

    Also where more than an age would change, since what an adult does, a child may not: "a man" to "a boy", "a 72-year-old president"
    to "a 17-year-old president", "kids" to "senior citizens", "a baby" to anything else.
    """
    if word.attribute.axis == "age" and _is_another_life(word, target):
        return True
    if word.entry is None:
        return False
    new = word.entry.counterparts.get(target.name, "").lower()
    is_modified = word.attribute == ADULT
    is_empty = target == ADULT and word.entry.pos == "ADJ"
    return is_modified or is_empty or new.endswith(f" {word.entry.word.lower()}")


def _is_another_life(word: DemographicMention, target: Attribute) -> bool:
    """True if somebody becomes a child, or a child becomes more than a young adult."""
    if word.entry is not None and (word.entry.word in _BABIES or word.entry.kind == "phase"):
        return True
    if word.attribute.name == "child":
        return word.entry is None or word.entry.pos == "ADJ" or target.name not in ("young", "adult")
    return target.name == "child"


def axis_weights(options: Iterable[Sequence[PossibleChange]]) -> dict[str, float]:
    """For each axis, one over the number of rows with a possible change on it."""
    rows = Counter(axis for each in options for axis in {option.axis for option in each})
    return {axis: 1 / n for axis, n in rows.items()}


def choose(
    options: Sequence[PossibleChange], random: Random, weights: Mapping[str, float] | None = None
) -> PossibleChange | None:
    """A random option; None if there are none. weights: of the axes; by default all options are equally likely."""
    if not options:
        return None
    if weights is None:
        return options[random.randrange(len(options))]
    axes = sorted({option.axis for option in options})
    axis = random.choices(axes, [weights[axis] for axis in axes])[0]
    within = [option for option in options if option.axis == axis]
    return within[random.randrange(len(within))]


def in_order(
    options: Sequence[PossibleChange], first: PossibleChange, random: Random
) -> list[tuple[DemographicMention, Attribute]]:
    """The changes to try, in order: the chosen one, and others in case it cannot be made.

    One occurrence of each option, the chosen one first, the others in random order; then their second occurrences, and so on.
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
    """How much of a text is about people, Eq. 2: named people and distinct demographic words, per word of the text.

    m0, m1: the weights of names and of listed words. 0.0 for an empty text.
    """
    if not len(document):
        return 0.0
    listed = {_word(document.text, one) for one in found.words if one.kind not in ("name", "surname")}
    return (m0 * found.names + m1 * len(listed)) / len(document)
