"""Principal and spurious words by a vote of models (CoBA, section 3.3.2).

    top words of each model  ->  vote()  ->  principal: in the top words of most models; spurious: of some only

The paper's threshold is (|M| + 1) / 2 models, and |M| is odd: a word is principal where a majority has it. (The sentence says
"more than the threshold"; taken to the letter, a vote of one model would have no principal word, and the paper's Table 11 has
such a vote. `votes` asks for more.)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from longway.errors import SettingError


@dataclass(frozen=True, slots=True)
class Important:
    """The words of one text that matter: `principal` to most models, `spurious` to some; in lower case, most votes first."""

    principal: tuple[str, ...] = ()
    spurious: tuple[str, ...] = ()


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

    tops: for each model the words it looks at most. votes: how many models a principal word needs, a majority where not
    given. given: words that the user knows to be spurious; they count where they are among `words`, those of the text.

    >>> vote([["great", "nancy"], ["great", "film"], ["great", "nancy"]], votes=3)
    Important(principal=('great',), spurious=('nancy', 'film'))
    """
    needed = votes_needed(len(tops)) if votes is None else votes
    counts = Counter(word for top in tops for word in dict.fromkeys(top))
    there = set(words)
    known = [word for word in dict.fromkeys(given) if word in there or word in counts]
    ranked = [word for word, _ in counts.most_common()]
    return Important(
        tuple(word for word in ranked if counts[word] >= needed and word not in known),
        tuple(dict.fromkeys([*(word for word in ranked if counts[word] < needed or word in known), *known])),
    )
