"""Triples, how they are written down, and how an answer is read: strictly, with a reason where it cannot be.

    1. A few people | are in | a restaurant
    2. One of them | is drinking | orange juice

For pairs the lines of the context are numbered 1-1, 1-2 and so on, those of the text 2-1, 2-2 (CoBA, appendix H). A sentence
that was not taken apart stands as a triple with only an object, `3. | | Well, what can I say?`; only rules and the small writer
write those, and an answer of a served language model may not have them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from longway.text.tokens import tokenize

LONGEST = 60  # triples of one text
_LINE = re.compile(r"(?:(?P<part>[12])-)?(?P<number>[0-9]{1,3})[.)]\s+(?P<triple>.*)")
_NAMES = ("subject", "predicate", "object")
_FORMATTED = re.compile(r"\*\*.+\*\*|__.+__|`[^`]+`|</?(?:subject|predicate|object|triple)>.*", re.IGNORECASE)


class BadTriples(ValueError):  # noqa: N818 - says what happened
    """An answer holds no triples as they were asked for; the message says why, for the engine and for people."""


@dataclass(frozen=True, slots=True)
class Triple:
    """One statement. A sentence that was left whole is the object of a triple without subject and predicate."""

    subject: str
    predicate: str
    object: str

    @classmethod
    def whole(cls, sentence: str) -> Triple:
        """A sentence as it stands."""
        return cls("", "", sentence)

    @property
    def is_whole(self) -> bool:
        """Whether this is a sentence that was not taken apart."""
        return not self.subject and not self.predicate

    @property
    def text(self) -> str:
        """Its words in one line.

        >>> Triple("A dog", "is chasing", "a ball").text
        'A dog is chasing a ball'
        """
        return " ".join(part for part in (self.subject, self.predicate, self.object) if part)

    @property
    def words(self) -> frozenset[str]:
        """Its different words, in lower case."""
        return frozenset(tokenize(self.text))

    def __str__(self) -> str:
        return " | ".join((self.subject, self.predicate, self.object)).strip()


def numbered(triples: Sequence[Triple], *, part: int | None = None) -> str:
    """Triples as lines. part: 1 for those of a context, 2 for those of the text beside it.

    >>> print(numbered([Triple("The soup", "was", "cold")], part=2))
    2-1. The soup | was | cold
    """
    mark = "" if part is None else f"{part}-"
    return "\n".join(f"{mark}{number}. {triple}" for number, triple in enumerate(triples, 1))


def parse(answer: str, *, n: int | None = None, may_be_whole: bool = False) -> list[Triple]:
    """The triples of an answer; BadTriples where it is not exactly numbered triples. n: how many there must be.

    >>> parse("1. The soup | was | cold\\n2. The waiter | was | rude")[1].subject
    'The waiter'
    """
    found = _read(answer, may_be_whole)
    if any(part is not None for part, _ in found):
        raise BadTriples("lines are numbered 1-1 or 2-1, and plain numbers were asked for")
    if n is not None and len(found) != n:
        raise BadTriples(f"{len(found)} triples instead of {n}")
    return [triple for _, triple in found]


def parse_pair(answer: str, *, may_be_whole: bool = False) -> tuple[list[Triple], list[Triple]]:
    """The triples of a context and those of the text beside it.

    >>> context, text = parse_pair("1-1. A man | sleeps | \\n2-1. A man | is | awake")
    >>> context[0].predicate, text[0].object
    ('sleeps', 'awake')
    """
    found = _read(answer, may_be_whole)
    context = [triple for part, triple in found if part == "1"]
    text = [triple for part, triple in found if part == "2"]
    if len(context) + len(text) != len(found):
        raise BadTriples("lines must be numbered 1-1, 1-2 ... for the context and 2-1, 2-2 ... for the text")
    if not context or not text:
        raise BadTriples(f"no triples for the {'text' if context else 'context'}")
    return context, text


def _read(answer: str, may_be_whole: bool) -> list[tuple[str | None, Triple]]:
    lines = [line.strip() for line in answer.strip().splitlines() if line.strip()]
    if not lines:
        raise BadTriples("the answer is empty")
    if lines[0].startswith(("{", "[")):
        raise BadTriples("the answer is JSON, and numbered lines were asked for")
    if len(lines) > LONGEST:
        raise BadTriples(f"{len(lines)} lines, and at most {LONGEST} are read")
    found = [_read_line(line, may_be_whole) for line in lines]
    if len({part is None for part, *_ in found}) > 1:
        raise BadTriples("plain numbers and numbers such as 1-1 are mixed")
    counts: Counter[str | None] = Counter()
    for line, (part, number, _) in zip(lines, found, strict=True):
        counts[part] += 1
        if number != counts[part]:
            # Altered triples take the place of those with their number: a wrong one would end up elsewhere.
            mark = "" if part is None else f"{part}-"
            raise BadTriples(f"this line should have the number {mark}{counts[part]}: {_short(line)}")
    return [(part, triple) for part, _, triple in found]


def _read_line(line: str, may_be_whole: bool) -> tuple[str | None, int, Triple]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise BadTriples(f"this line does not begin with its number: {_short(line)}")
    parts = [" ".join(part.split()) for part in found["triple"].split("|")]
    if len(parts) != 3:
        raise BadTriples(
            f"this line has {len(parts)} part{'s' * (len(parts) != 1)} instead of three: {_short(line)}"
        )
    triple = Triple(*parts)
    if triple.is_whole and not (may_be_whole and triple.object):
        raise BadTriples(f"this line has neither subject nor predicate: {_short(line)}")
    if not triple.is_whole:
        _check(triple, line)
    return found["part"], int(found["number"]), triple


def _check(triple: Triple, line: str) -> None:
    """BadTriples where a part is missing, or is there for the form's sake."""
    if not (triple.subject and triple.predicate):
        raise BadTriples(
            f"this line has no {'subject' if not triple.subject else 'predicate'}: {_short(line)}"
        )
    parts = (triple.subject, triple.predicate, triple.object)
    if all(part.lower().strip("<>[]*.") in {name, ""} for part, name in zip(parts, _NAMES, strict=True)):
        raise BadTriples(f"this line repeats the form instead of filling it in: {_short(line)}")
    if any(part.lower().startswith(f"{name}:") for part, name in zip(parts, _NAMES, strict=True)):
        raise BadTriples(f"this line names its parts; the words alone were asked for: {_short(line)}")
    if any(map(_FORMATTED.fullmatch, parts)) or (triple.subject[0] in "([<" and line[-1] in ")]>"):
        raise BadTriples(f"this line has brackets or formatting around its words: {_short(line)}")


def _short(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:57] + "...")
