"""Stray spaces, first letters and full stops, made the same for all candidates of a question.

Only where the candidates differ, and only where nothing but the form changes: names, acronyms, numbers, formulas and code keep their letters,
texts of several sentences or lines keep their casing and punctuation. What most candidates have is kept; if the others cannot
follow, all take the other form; if that is not safe either, the question stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from longway.data.choices import Question
from longway.detect.choices.cues import FENCE

SPACES, CASING, FULL_STOP = "spaces", "casing", "full stop"
LONG = 50  # words
CODE = re.compile(r"[{}<>=_\\^`|@#$%~]|\w\(|::|->|//|;\s*$|\b(?:def|return|import|print|null|nil)\b")
LITERALS = frozenset(["True", "False", "None", "true", "false", "null", "nil", "NULL", "NaN", "undefined"])
INNER = re.compile(r"(?<=\S)[ \t\u00a0]{2,}(?=\S)")
LOOSE_FORMULA = re.compile(r"\$\s[^$]*\$|\$[^$\s][^$]*\s\$")
PLAIN_WORD = re.compile(r"(?<![\\{A-Za-z])[A-Za-z]{2,}")
NEAR_UNIT, FAR_UNIT = re.compile(r"(?<=\d)(?=\$\\(?:mathrm|text))"), re.compile(r"\d \$\\(?:mathrm|text)")
SENTENCE_BREAK = re.compile(r"[.!?…][\"')\]”’]*\s+\S")
FIRST_WORD = re.compile(r"[\"'“‘(\[]*([^\W\d_]+(?:['’-][^\W\d_]+)*)")
ABBREVIATION = re.compile(
    r"(?:^|[\s(.])(?:[A-Za-z]|etc|inc|ltd|co|corp|jr|sr|vs|no|st|dr|mr|mrs|ms|approx|dept|est|al|e\.g|i\.e|a\.m|p\.m|u\.s|u\.k)\.$", re.I
)  # fmt: skip
WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")


class Normaliser:
    """Makes the form of the candidates of a question the same. It knows which words of the data are written with a small letter."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self._small: set[str] = set()
        self._names: set[str] = set()
        for one in questions:
            for text in (one.prompt, *one.candidates):
                self._learn(text)

    def _learn(self, text: str) -> None:
        for match in WORD.finditer(text):
            word, before = match[0], text[: match.start()].rstrip(" \"'“‘([")
            if word[0].islower():
                self._small.add(word)
            elif before and before[-1] not in ".!?…:;\n|-•*":
                self._names.add(word.lower())  # a capital letter inside a sentence

    def normalise(self, question: Question) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The texts of the candidates, and what was changed: SPACES, CASING, FULL_STOP."""
        texts, done = question.candidates, []
        steps = ((SPACES, spaces), (CASING, lambda given: self._casing(given, question.prompt)), (FULL_STOP, full_stops))  # fmt: skip
        for name, step in steps:
            new = tuple(step(texts))
            if new != texts and len({*new}) == len({*texts}):  # two candidates must not become the same
                texts = new
                done.append(name)
        return texts, tuple(done)

    def _casing(self, texts: Sequence[str], prompt: str) -> Sequence[str]:
        n_literals = sum(text.strip() in LITERALS for text in texts)
        if any(_is_long(text) for text in texts) or 2 * n_literals >= len(texts):
            return texts
        words = [match[1] if (match := FIRST_WORD.match(text)) else "" for text in texts]
        is_upper = [word[:1].isupper() for word in words]
        may_rise = (
            not prompt or prompt.rstrip()[-1:] in ".?!:。？！"
        )  # otherwise the candidates go on in its sentence
        return _same(
            texts,
            [flag or not word for flag, word in zip(is_upper, words, strict=True)],
            [not flag for flag in is_upper],
            rise=lambda i: (
                _rise(texts[i], words[i]) if may_rise and self._may_rise(texts[i], words[i]) else None
            ),
            fall=lambda i: _fall(texts[i], words[i]) if self._may_fall(texts[i], words[i]) else None,
            decides=[bool(word) for word in words],
        )

    @staticmethod
    def _may_rise(text: str, word: str) -> bool:
        is_word = len(word) > 1 or (word == "a" and " " in text.strip())
        return is_word and word.islower() and not CODE.search(text) and not _is_formula(text)

    def _may_fall(self, text: str, word: str) -> bool:
        """Whether a word is certainly no name: the data have it with a small letter, and never with a capital one inside a sentence."""
        low = word.lower()
        is_plain = word[1:].islower() or word in ("A",)
        return (
            is_plain
            and low in self._small
            and low not in self._names
            and word != "I"
            and not CODE.search(text)
        )


def spaces(texts: Sequence[str]) -> list[str]:
    """The texts without spaces at their ends, and without several in a row; unchanged where all have the same.

    >>> spaces([" Rome", "Oslo"]), spaces([" Rome", " Oslo"])
    (['Rome', 'Oslo'], [' Rome', ' Oslo'])
    """
    starts = {text[: len(text) - len(text.lstrip())] for text in texts}
    ends = {text[len(text.rstrip()) :] for text in texts}
    doubled = {bool(INNER.search(text)) for text in texts}
    new = []
    for text in texts:
        is_code = bool(FENCE.search(text)) or ("\n" in text.strip() and bool(CODE.search(text)))
        if len(starts) > 1:
            text = text.lstrip("\r\n") if is_code else text.lstrip()
        if len(ends) > 1:
            text = text.rstrip()
        if len(doubled) > 1 and not is_code and "\n" not in text:
            text = INNER.sub(" ", text)
        new.append(text)
    return _formula_spaces(new)


def _formula_spaces(texts: list[str]) -> list[str]:
    """The texts without spaces at the ends of formulas between dollar signs, and with one between a number and its unit, where they differ.

    >>> _formula_spaces(["$ 1/e$", "$2/e$"]), _formula_spaces(["3$\\\\mathrm{m}$", "4 $\\\\mathrm{m}$"])
    (['$1/e$', '$2/e$'], ['3 $\\\\mathrm{m}$', '4 $\\\\mathrm{m}$'])
    """
    if len({bool(LOOSE_FORMULA.search(text)) for text in texts}) > 1:
        texts = [_tight(text) for text in texts]
    if any(NEAR_UNIT.search(text) for text in texts) and any(FAR_UNIT.search(text) for text in texts):
        texts = [NEAR_UNIT.sub(r"\g<0> ", text) for text in texts]
    return texts


def _tight(text: str) -> str:
    """The text without spaces at the ends of its formulas; unchanged if a dollar sign may be money."""
    parts = text.split("$")
    if len(parts) % 2 == 0 or any(PLAIN_WORD.search(part) for part in parts[1::2]):
        return text
    return "$".join(part.strip() if at % 2 else part for at, part in enumerate(parts))


def full_stops(texts: Sequence[str]) -> Sequence[str]:
    """The texts with a full stop at the end, or without, as most have it.

    >>> full_stops(["It rains.", "It snows", "It is dry"])
    ['It rains', 'It snows', 'It is dry']
    >>> full_stops(["in the U.S.", "in Rome"])
    ['in the U.S.', 'in Rome']
    >>> full_stops(['It is "as is."', "It is new.", "It is old"])
    ['It is "as is."', 'It is new.', 'It is old.']
    """
    if any(_is_long(text) for text in texts):
        return texts
    has = [text.rstrip(" \"'”’").endswith(".") for text in texts]
    belongs = [bool(ABBREVIATION.search(text.rstrip())) for text in texts]  # to the last word: no full stop
    return _same(
        texts,
        has,
        [not one or its for one, its in zip(has, belongs, strict=True)],
        rise=lambda i: _with_stop(texts[i]),
        fall=lambda i: _without_stop(texts[i]),
        decides=[not its for its in belongs],
    )


def _same(
    texts: Sequence[str],
    is_high: Sequence[bool],
    is_low: Sequence[bool],
    *,
    rise: Callable[[int], str | None],
    fall: Callable[[int], str | None],
    decides: Sequence[bool],
) -> Sequence[str]:
    """The texts in one of two forms: that of most of them, the low one if it is even; the other one if not all can follow."""
    votes = [high for high, decided in zip(is_high, decides, strict=True) if decided]
    if len(set(votes)) < 2:
        return texts
    to_high = 2 * sum(votes) > len(votes)
    for high in (to_high, not to_high):
        there, change = (is_high, rise) if high else (is_low, fall)
        new = [text if there[i] else change(i) for i, text in enumerate(texts)]
        if all(text is not None for text in new):
            return [text for text in new if text is not None]
    return texts


def _is_long(text: str) -> bool:
    """Whether a text has several sentences or lines, or very many words."""
    inner = text.strip()
    return "\n" in inner or len(inner.split()) > LONG or bool(SENTENCE_BREAK.search(inner))


def _is_formula(text: str) -> bool:
    """Whether most of a text is no words: formulas, chemical names, units."""
    return sum(char.isalpha() or char.isspace() for char in text) < 0.7 * len(text)


def _rise(text: str, word: str) -> str:
    return text.replace(word[0], word[0].upper(), 1)


def _fall(text: str, word: str) -> str:
    return text.replace(word[0], word[0].lower(), 1)


def _with_stop(text: str) -> str | None:
    inner = text.rstrip()
    is_words = inner[-1:].isalpha() and len(inner.split()) > 1 and not CODE.search(inner)
    return f"{inner}.{text[len(inner) :]}" if is_words else None


def _without_stop(text: str) -> str | None:
    inner = text.rstrip()
    is_safe = not inner.endswith("..") and not CODE.search(inner)
    return f"{inner[:-1]}{text[len(inner) :]}" if is_safe and inner[-2:-1].isalpha() else None
