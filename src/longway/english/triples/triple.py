"""Triples: subject, predicate and object of a statement, their notation, and the way back to a text.

    parse("1. A few people | are in | a restaurant")      raises BadTriples with a reason
    numbered(triples)                                     the same notation
    text_of(triples)                                      one sentence per triple; neighbours with the same subject are joined

For pairs the lines of the context are numbered 1-1, 1-2 and so on, those of the text 2-1, 2-2 (CoBA, appendix H). A sentence that
was not split is a triple with only an object, `3. | | Well, what can I say?`. Only the rules
produce such triples; in an answer of a language model they are errors.

Parsing ignores formatting that models add: bullets, bold numbers, quotes around all parts, and lines without bars before the first triple and after
the last. Lines without numbers are counted. An object may be missing ("It | rained").
"""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from longway.english.document import Change, apply_changes
from longway.english.inflection import capitalise
from longway.text.tokenizer import tokenize

MAX_TRIPLES = 60  # per text
_LINE = re.compile(r"(?:(?P<part>[12])-)?(?P<number>[0-9]{1,3})[.):]+\s+(?P<triple>.*)")
_BULLET = re.compile(r"[-*•]\s+")
_BOLD_NUMBER = re.compile(
    r"(\*\*|__)\(?((?:[12]-)?[0-9]{1,3})[.):]*\1[.):]*\s*|\(((?:[12]-)?[0-9]{1,3})\)\s+"
)
_STARTS_MARKED = re.compile(r"\W*\d|\W*[ivxIVX]{1,4}[.)]\s|\||<")
_WRAPPED = re.compile(r"(\*\*|__|`)(.+)\1")
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("‘", "’"))
_PART_NAMES = ("subject", "predicate", "object")
_FORMATTED = re.compile(r"</?(?:subject|predicate|object|triple)>.*", re.IGNORECASE)


class BadTriples(ValueError):  # noqa: N818 - says what happened
    """An answer without valid triples; the message gives the reason, for the engine and for users."""


@dataclass(frozen=True, slots=True)
class Triple:
    """One statement. A sentence that was not split is the object of a triple without subject and predicate."""

    subject: str
    predicate: str
    object: str

    @classmethod
    def whole(cls, sentence: str) -> Triple:
        """Return a sentence as a triple."""
        return cls("", "", sentence)

    @property
    def is_whole(self) -> bool:
        """Whether this is a sentence that was not split."""
        return not self.subject and not self.predicate

    @property
    def text(self) -> str:
        """Its words as one line.

        >>> Triple("A dog", "is chasing", "a ball").text
        'A dog is chasing a ball'
        """
        return " ".join(part for part in (self.subject, self.predicate, self.object) if part)

    @property
    def words(self) -> frozenset[str]:
        """Its distinct words, in lower case."""
        return frozenset(tokenize(self.text))

    def __str__(self) -> str:
        return " | ".join((self.subject, self.predicate, self.object)).strip()


def numbered(triples: Sequence[Triple], *, part: int | None = None) -> str:
    """Return triples as lines. part: 1 for the context, 2 for the text of a pair.

    >>> print(numbered([Triple("The soup", "was", "cold")], part=2))
    2-1. The soup | was | cold
    """
    mark = "" if part is None else f"{part}-"
    return "\n".join(f"{mark}{number}. {triple}" for number, triple in enumerate(triples, 1))


def parse(answer: str, *, n: int | None = None, may_be_whole: bool = False) -> list[Triple]:
    """Return the triples of an answer; raises BadTriples if it is not a list of triples. n: the expected number.

    >>> parse("1. The soup | was | cold\\n2. The waiter | was | rude")[1].subject
    'The waiter'
    """
    lines = _parse_lines(answer, may_be_whole)
    if any(part is not None for part, _ in lines):
        raise BadTriples("lines are numbered 1-1 or 2-1; plain numbers were expected")
    if n is not None and len(lines) != n:
        raise BadTriples(f"{len(lines)} triples instead of {n}")
    return [triple for _, triple in lines]


def parse_pair(answer: str, *, may_be_whole: bool = False) -> tuple[list[Triple], list[Triple]]:
    """Return the triples of a context and those of the text.

    >>> context, text = parse_pair("1-1. A man | sleeps | \\n2-1. A man | is | awake")
    >>> context[0].predicate, text[0].object
    ('sleeps', 'awake')
    """
    lines = _parse_lines(answer, may_be_whole)
    context = [triple for part, triple in lines if part == "1"]
    text = [triple for part, triple in lines if part == "2"]
    if len(context) + len(text) != len(lines):
        raise BadTriples("lines must be numbered 1-1, 1-2 ... for the context and 2-1, 2-2 ... for the text")
    if not context or not text:
        raise BadTriples(f"no triples for the {'text' if context else 'context'}")
    return context, text


def _parse_lines(answer: str, may_be_whole: bool) -> list[tuple[str | None, Triple]]:
    lines = [_plain(line.strip()) for line in answer.strip().splitlines() if line.strip()]
    if not lines:
        raise BadTriples("the answer is empty")
    if lines[0].startswith(("{", "[")):
        raise BadTriples("the answer is JSON; numbered lines were expected")
    if any("|" in line for line in lines):  # others are remarks: "Here are the triples:"
        places = [place for place, line in enumerate(lines) if "|" in line or _LINE.match(line)]
        lines = lines[places[0] : places[-1] + 1]
    if all("|" in line and not _STARTS_MARKED.match(line) for line in lines):
        lines = [f"{number}. {line}" for number, line in enumerate(lines, 1)]
    if len(lines) > MAX_TRIPLES:
        raise BadTriples(f"{len(lines)} lines; at most {MAX_TRIPLES} are accepted")
    parsed = [_parse_line(line, may_be_whole) for line in lines]
    if len({part is None for part, *_ in parsed}) > 1:
        raise BadTriples("plain numbers and numbers such as 1-1 are mixed")
    counts: Counter[str | None] = Counter()
    for line, (part, number, _) in zip(lines, parsed, strict=True):
        counts[part] += 1
        if number != counts[part]:
            # Altered triples replace those with the same number, so numbers must be right.
            mark = "" if part is None else f"{part}-"
            raise BadTriples(f"this line should have the number {mark}{counts[part]}: {_short(line)}")
    return [(part, triple) for part, _, triple in parsed]


def _plain(line: str) -> str:
    """A line without bullet, and its number without formatting.

    >>> _plain("- **1.** It | rained"), _plain("(2) It | was | wet")
    ('1. It | rained', '2. It | was | wet')
    """
    if bullet := _BULLET.match(line):
        line = line[bullet.end() :]
    if bold := _BOLD_NUMBER.match(line):
        line = f"{bold[2] or bold[3]}. {line[bold.end() :]}"
    return line


def _unwrapped(parts: list[str]) -> list[str]:
    """The parts of a triple without formatting, and without quotes if they are around all parts or around the whole line.

    >>> _unwrapped(['"It"', '"rained"', '""']), _unwrapped(['"It', "was", 'wet"']), _unwrapped(['"Heat"', "is", "long"])
    (['It', 'rained', ''], ['It', 'was', 'wet'], ['"Heat"', 'is', 'long'])
    """
    parts = [match[2] if (match := _WRAPPED.fullmatch(part)) else part for part in parts]
    for opening, closing in _QUOTES:
        given = [part for part in parts if part]
        if len(given) < 2:
            return parts
        if all(len(p) > 1 and p[0] == opening and p[-1] == closing for p in given):
            return [part[1:-1].strip() for part in parts]
        first, last = given[0], given[-1]
        if first[0] == opening and last[-1] == closing:
            inside = " ".join([first[1:], *given[1:-1], last[:-1]])
            if opening not in inside and closing not in inside:
                ends = {first: first[1:].strip(), last: last[:-1].strip()}
                return [ends.get(part, part) for part in parts]
    return parts


def _parse_line(line: str, may_be_whole: bool) -> tuple[str | None, int, Triple]:
    match = _LINE.fullmatch(line)
    if match is None:
        raise BadTriples(f"this line does not begin with its number: {_short(line)}")
    parts = _unwrapped([" ".join(part.split()) for part in match["triple"].split("|")])
    if len(parts) == 2 and all(parts) and parts[1].lower() not in _COPULAS:
        parts.append("")  # a verb alone: "It | rained"
    given = [part for part in parts if part]
    if len(parts) > 3 and 3 <= len(given) <= 4:
        # Bars around the line, or a predicate cut in two: "is | in | the garden".
        parts = [given[0], " ".join(given[1:-1]), given[-1]]
    if len(parts) != 3:
        raise BadTriples(
            f"this line has {len(parts)} part{'s' * (len(parts) != 1)} instead of three: {_short(line)}"
        )
    triple = Triple(*parts)
    if triple.is_whole and not (may_be_whole and triple.object):
        raise BadTriples(f"this line has neither subject nor predicate: {_short(line)}")
    if not triple.is_whole:
        _check(triple, line)
    return match["part"], int(match["number"]), triple


def _check(triple: Triple, line: str) -> None:
    """Raise BadTriples if a part is missing or is only a placeholder."""
    if not (triple.subject and triple.predicate):
        raise BadTriples(
            f"this line has no {'subject' if not triple.subject else 'predicate'}: {_short(line)}"
        )
    parts = (triple.subject, triple.predicate, triple.object)
    if all(part.lower().strip("<>[]*.") in {name, ""} for part, name in zip(parts, _PART_NAMES, strict=True)):
        raise BadTriples(f"this line repeats the form instead of filling it in: {_short(line)}")
    if any(part.lower().startswith(f"{name}:") for part, name in zip(parts, _PART_NAMES, strict=True)):
        raise BadTriples(f"this line names its parts; only the words were expected: {_short(line)}")
    if any(map(_FORMATTED.fullmatch, parts)) or (triple.subject[0] in "([<" and line[-1] in ")]>"):
        raise BadTriples(f"this line has brackets or formatting around its words: {_short(line)}")


def _short(line: str) -> str:
    return repr(line if len(line) <= 60 else line[:57] + "...")


MAX_JOINED_WORDS = 9  # of the first of two joined statements
_SHORT_VERB = re.compile(r" ((?:['’](?:s|re|ve|ll|d|m)|n['’]t)\b)", re.IGNORECASE)
_COPULAS = frozenset("is are was were 's 're seems looks feels".split())
_ENDS = re.compile(r"[.!?…][\"'”’)\]]*$")
# Words that start a clause, to which a joined predicate would seem to belong.
_OPENS_CLAUSE = re.compile(r"\b(?:that|which|who|because|when|if|while|and|but|or)\b|,", re.IGNORECASE)


def text_of(triples: Sequence[Triple], *, join: bool = True, like: str = "") -> str:
    """Return a text that states the triples in order.

    join: make one sentence of neighbours with the same subject. like: a text whose style is imitated: spaces before
    punctuation, lower case, no full stop.

    >>> text_of([Triple("the waiter", "was", "rude"), Triple("the waiter", "brought", "cold soup")])
    'The waiter was rude and brought cold soup.'
    """
    texts = list(_sentences(triples, join))
    if not _is_spaced(like):
        texts = [_SHORT_VERB.sub(r"\1", sentence) for sentence in texts]
    if not next((c for c in like if c.isalpha()), "A").islower():
        texts = [capitalise(sentence) for sentence in texts]
    mark = " ." if _is_spaced(like) else "."
    closed = [sentence if _ENDS.search(sentence) else sentence + mark for sentence in texts]
    if like and len(closed) == 1 and not _ENDS.search(like.rstrip()):
        closed[-1] = texts[-1]
    return " ".join(closed)


def _is_spaced(like: str) -> bool:
    return re.search(r"\s[.,]\s|\s\.$", like.rstrip()) is not None


def _sentences(triples: Sequence[Triple], join: bool) -> Iterator[str]:
    left = deque(triples)
    while left:
        triple = left.popleft()
        if join and left and _can_join(triple, left[0]):
            second = left.popleft()
            rest = second.object if _share_copula(triple, second) else f"{second.predicate} {second.object}"
            yield f"{triple.text} and {rest}".rstrip()
        else:
            yield triple.text


def _can_join(first: Triple, second: Triple) -> bool:
    if first.is_whole or second.is_whole or first.subject.lower() != second.subject.lower():
        return False
    if len(first.text.split()) > MAX_JOINED_WORDS or _OPENS_CLAUSE.search(first.object):
        return False
    return not second.predicate.startswith(("'", "’")) or _share_copula(first, second)


def _share_copula(first: Triple, second: Triple) -> bool:
    """Return True if the second verb would repeat the first: "is dull and predictable"."""
    same = first.predicate.lower() == second.predicate.lower() and first.predicate.lower() in _COPULAS
    return same and bool(first.object and second.object)


def sentence_of(triple: Triple) -> str:
    """Return the text of a triple with a full stop, for parsing."""
    text = triple.text
    return text if text.endswith((".", "!", "?")) else f"{text}."


def with_changes(triple: Triple, changes: Collection[Change]) -> Triple:
    """Return a triple with changes at offsets of its text; a change across parts goes to the first one."""
    parts, start = [], 0
    for part in (triple.subject, triple.predicate, triple.object):
        end = start + len(part)
        inside = []
        for change in changes:
            if change.start >= end + bool(part) or change.end < start or (change.end == start and start):
                continue
            text = change.text if change.start >= start else ""
            inside.append(Change(max(change.start, start) - start, min(change.end, end) - start, text))
        parts.append(" ".join(apply_changes(part, inside).split()))
        start = end + bool(part)
    return Triple(*parts)
