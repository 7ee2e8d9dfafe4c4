"""Which of two answers a vote prefers: "A", "model_b", "[[A>B]]", the name of a model, the text of an answer, true or false, or a number.

Numbers have no fixed meaning. `numbers_of` decides by all votes of the column, and says what it assumed.

    numbers_of(["0", "1", "2"])          0 is the first answer, 1 the second, 2 a tie
    vote_decoder(votes, base)            a function from a vote to a place, "tie", or what is wrong with it
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

TIES = frozenset(
    "tie|both|tied|draw|equal|none|neither|same|tie (bothbad)|tie (both bad)|bothbad|both_bad|0.5|c".split(
        "|"
    )
)
WORDS = {"a": 0, "b": 1, "left": 0, "right": 1, "first": 0, "second": 1}
SIGNS = {">": 0, "<": 1}
FLAGS = {"true": "1", "false": "0"}
STEM = re.compile(r"^(model|response|answer|output|assistant|completion)[ _]?")
WHOLE = re.compile(r"-?\d")
COMPARED = re.compile(r"([ab])\s*(<|>|=)\2*\s*([ab])")  # A>B, B>>A, A=B


@dataclass(frozen=True, slots=True)
class VoteNumbers:
    """What the numbers of a column of votes mean. base: the number of the first answer. places: of the other numbers; "tie" where there is none."""

    base: int
    places: dict[str, int | str]

    def __str__(self) -> str:
        """The coding in words.

        >>> str(VoteNumbers(0, {"0": 0, "1": 1, "2": "tie"}))
        '0 = first answer, 1 = second answer, 2 = tie'
        """
        names: dict[int | str, str] = {0: "first answer", 1: "second answer", "tie": "tie"}
        return ", ".join(f"{number} = {names[place]}" for number, place in sorted(self.places.items(), key=lambda item: int(item[0])))  # fmt: skip


def numbers_of(votes: Collection[str], base: int | None = None) -> VoteNumbers | None:
    """The coding of the numbers among votes; None if there are none. base: the number of the first answer, if known.

    Negative numbers: the sign decides, and 0 is a tie; 1 is the second answer, or with the base 1 the first.
    Else with 0: the first answer is 0, the second 1; with the base 1, 1 and 2, or 1 and 0 if no vote is 2. Without 0: 1 and 2. Other numbers are ties.

    >>> print(numbers_of(["-1", "0", "1"]))
    -1 = first answer, 0 = tie, 1 = second answer
    >>> print(numbers_of(["0", "1", "2"], base=1))
    0 = tie, 1 = first answer, 2 = second answer
    """
    numbers = {vote for vote in votes if WHOLE.fullmatch(vote)}
    if not numbers:
        return None
    if any(number.startswith("-") for number in numbers):
        first = 1 if base == 1 else -1
        places: dict[str, int | str] = {
            number: "tie" if number == "0" else int(int(number) * first < 0) for number in numbers
        }
        return VoteNumbers(1 if base == 1 else 0, places)
    start = base if base is not None else int("0" not in numbers)
    second = 0 if start == 1 and "0" in numbers and numbers <= {"0", "1"} else start + 1
    named: dict[str, int | str] = {str(start): 0, str(second): 1}
    ties: dict[str, int | str] = {
        number: "tie" for number in numbers if number not in named and int(number) < 4
    }
    return VoteNumbers(start, {**named, **ties})


def vote_decoder(
    answers: Sequence[str | None], base: int | None = None
) -> Callable[[str | None, Sequence[str], Sequence[str]], int | str]:
    """A function from a vote, the two answers and the names of their models to the place of the winner, "tie", or what is wrong."""
    numbers = numbers_of([vote_word(answer) for answer in answers], base)
    places: dict[str, int | str] = {
        **WORDS,
        **dict.fromkeys(TIES, "tie"),
        **(numbers.places if numbers else {}),
    }

    def decode(answer: str | None, texts: Sequence[str], names: Sequence[str]) -> int | str:
        word = vote_word(answer)
        if word in ("", "nan"):
            return "no_answer"
        if word in places:
            return places[word]
        if match := COMPARED.fullmatch(word):
            return _compared(*match.groups())
        whole = str(answer).strip()
        for offered in (names, [text.strip() for text in texts]):
            if list(offered).count(whole) == 1:
                return list(offered).index(whole)
        return "foreign_answer"

    return decode


def _compared(left: str, sign: str, right: str) -> int | str:
    """The winner of "a>b" and the like.

    >>> _compared("b", ">", "a"), _compared("a", "<", "b"), _compared("a", "=", "b")
    (1, 1, 'tie')
    """
    if sign == "=":
        return "tie"
    return "foreign_answer" if left == right else WORDS[(left, right)[SIGNS[sign]]]


def vote_word(answer: str | None) -> str:
    """A vote without brackets and without what all votes may begin with; true and false as numbers.

    >>> vote_word("model_a"), vote_word("[[B]]"), vote_word("True")
    ('a', 'b', '1')
    """
    word = (answer or "").strip().strip("[]").strip().casefold()
    return FLAGS.get(word, STEM.sub("", word))
