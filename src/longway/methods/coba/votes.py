"""Principal and spurious words by a vote of models, and what they make of triples (CoBA, section 3.3.2).

    vote(tops)         principal: in the top words of most models; spurious: of some only
    kinds_of(triples)  spurious triples have a spurious word and stay; principal ones are changed; the others are normal
    arranged(kinds)    normal triples are shuffled and some are dropped; all others keep their places

The paper's threshold is (|M| + 1) / 2 models, and |M| is odd: a word is principal if a majority has it. (The sentence says
"more than the threshold". Taken literally, a vote of one model would have no principal word, but the paper's Table 11 has
such a vote. `votes` can be set higher.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Literal

from longway.english.triples.triple import Triple
from longway.errors import SettingError

Kind = Literal["spurious", "principal", "normal"]
Mixed = Literal["needed", "spurious", "principal"]


@dataclass(frozen=True, slots=True)
class Important:
    """The important words of one text: `principal` to most models, `spurious` to some; in lower case, most votes first.

    context: those of its context; None for single texts, and if contexts stay as they are.
    """

    principal: tuple[str, ...] = ()
    spurious: tuple[str, ...] = ()
    context: Important | None = None

    @property
    def all_principal(self) -> tuple[str, ...]:
        """The principal words of the text and of its context."""
        return self.principal + (self.context.principal if self.context else ())


def votes_needed(n_models: int) -> int:
    """The paper's threshold.

    >>> votes_needed(5), votes_needed(1)
    (3, 1)
    """
    if n_models < 1 or n_models % 2 == 0:
        raise SettingError(
            f"A vote needs an odd number of models, so that it cannot end in a tie. Got {n_models}. "
            "Leave one out, or add one of another kind."
        )
    return (n_models + 1) // 2


def vote(
    tops: Sequence[Sequence[str]],
    *,
    votes: int | None = None,
    given: Iterable[str] = (),
    words: Iterable[str] = (),
) -> Important:
    """The principal and the spurious words of one text.

    tops: each model's most important words. votes: models that a principal word needs; default a majority.
    given: words known to be spurious; they count if they are in `words`, the words of the text.

    >>> vote([["great", "nancy"], ["great", "film"], ["great", "nancy"]], votes=3)
    Important(principal=('great',), spurious=('nancy', 'film'), context=None)
    """
    needed = votes_needed(len(tops)) if votes is None else votes
    counts = Counter(word for top in tops for word in dict.fromkeys(top))
    of_text = set(words)
    known = [word for word in dict.fromkeys(given) if word in of_text or word in counts]
    ranked = [word for word, _ in counts.most_common()]
    return Important(
        tuple(word for word in ranked if counts[word] >= needed and word not in known),
        tuple(dict.fromkeys([*(word for word in ranked if counts[word] < needed or word in known), *known])),
    )


def kind_of(triple: Triple, important: Important, *, mixed: Kind = "spurious") -> Kind:
    """The kind of a triple, by its words. mixed: the kind of a triple with words of both kinds; spurious in the paper.

    A sentence that was not split is no triple, and has many words: with a principal word it is always principal. The spurious
    words of a triple that is changed must survive the change.
    """
    is_spurious = bool(triple.words & set(important.spurious))
    is_principal = bool(triple.words & set(important.principal))
    if is_spurious and is_principal:
        return "principal" if triple.is_whole else mixed
    return "spurious" if is_spurious else "principal" if is_principal else "normal"


def kinds_of(
    text: Sequence[Triple], context: Sequence[Triple], important: Important, *, mixed: Mixed = "spurious"
) -> tuple[list[Kind], list[Kind]]:
    """The kind of each triple of a text and of its context, by the words of each.

    mixed: as in `kind_of`. "needed": spurious, unless every principal word is in a triple with a spurious one. Then no triple would
    be principal and no label could change, and they are principal.
    """
    ways: tuple[Kind, ...] = ("spurious", "principal") if mixed == "needed" else (mixed,)
    for way in ways:
        kinds = [kind_of(triple, important, mixed=way) for triple in text]
        of_context = [kind_of(triple, important.context or Important(), mixed=way) for triple in context]
        if "principal" in (*kinds, *of_context):
            break
    return kinds, of_context


def arranged(kinds: Sequence[Kind], random: Random, *, permute: bool, drop: float) -> list[int]:
    """The indices of the kept triples, in their new order. drop: the probability that a normal one is dropped; one is always kept."""
    normal = [place for place, kind in enumerate(kinds) if kind == "normal"]
    kept = [place for place in normal if random.random() >= drop]
    if not kept and len(normal) == len(kinds):
        kept = normal[:1]
    places = sorted(set(range(len(kinds))) - set(normal) | set(kept))
    shuffled = list(kept)
    if permute:
        random.shuffle(shuffled)
    new = iter(shuffled)
    return [next(new) if kinds[place] == "normal" else place for place in places]
