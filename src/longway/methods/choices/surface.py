"""The form of candidates, changed by rules: made the same for all candidates of a question, or exchanged between the two of a pair.

Normaliser: stray spaces, first letters and full stops. Only where the candidates differ, and only where nothing but the form changes: names,
acronyms, numbers, formulas and code keep their letters, texts of several sentences or lines keep their casing and punctuation. What most
candidates have is kept; if the others cannot follow, all take the other form; if that is not safe either, the question stays as it is.

Counter-pairs of preference data: the better answer without a style cue, the other one with it.

    counter_pair(pair, cues)       the pair with the cues the other way round; None if rules cannot do it
    counter_pairs(pairs, cues)     counter-pairs to add: as many as make each cue even

A cue is taken out of an answer by its marks: the words stay, and so does what the answer says. It is put into an answer in the same
way: sentences become a list, a full stop becomes an exclamation mark. A pair is refused where a mark may be part of what an answer says:
code, tables, numbers of steps that the text refers to, emoji that mean yes or no.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from longway.data.choices import Question
from longway.detect.choices.cues import CUES, PATTERNS, words_of

SPACES, CASING, FULL_STOP = "spaces", "casing", "full stop"
FORMS = {
    name: re.compile(pattern)
    for name, pattern in tomllib.loads(
        Path(__file__).with_name("surface.toml").read_text(encoding="utf-8")
    ).items()
}
LONG = 50  # words
LITERALS = frozenset(["True", "False", "None", "true", "false", "null", "nil", "NULL", "NaN", "undefined"])
ENDS = (".", "!", "?", ":", ";", ",", "…")
FEWEST_ITEMS = 2  # sentences or lines that become a list


# One form for all candidates of a question


class Normaliser:
    """Makes the form of the candidates of a question the same. It knows which words of the data are written with a small letter."""

    def __init__(self, questions: Iterable[Question]) -> None:
        self._small: set[str] = set()
        self._names: set[str] = set()
        for text in (text for one in questions for text in (one.prompt, *one.candidates)):
            for match in FORMS["word"].finditer(text):
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
        words = [match[1] if (match := FORMS["first_word"].match(text)) else "" for text in texts]
        is_upper = [word[:1].isupper() for word in words]
        goes_on = prompt.rstrip()[-1:] not in ("", *".?!:。？！")  # the candidates go on in its sentence
        pairs = list(zip(texts, words, strict=True))
        return _same(
            texts,
            [flag or not word for flag, word in zip(is_upper, words, strict=True)],
            [not flag for flag in is_upper],
            rises=[None if goes_on else _risen(text, word) for text, word in pairs],
            falls=[self._fallen(text, word) for text, word in pairs],
            decides=[bool(word) for word in words],
        )

    def _fallen(self, text: str, word: str) -> str | None:
        """The text with a small first letter; None unless its first word is certainly no name: the data have it with a small letter, and never with a capital one inside a sentence."""
        low, is_plain = word.lower(), word[1:].islower() or word == "A"
        is_safe = (
            is_plain and low in self._small and low not in self._names and not FORMS["code"].search(text)
        )
        return text.replace(word[0], word[0].lower(), 1) if is_safe else None


def _risen(text: str, word: str) -> str | None:
    """The text with a capital first letter; None if its first word may not be one, or the text is mostly a formula."""
    is_word = len(word) > 1 or (word == "a" and " " in text.strip())
    n_plain = sum(char.isalpha() or char.isspace() for char in text)
    is_safe = is_word and word.islower() and not FORMS["code"].search(text) and n_plain >= 0.7 * len(text)
    return text.replace(word[0], word[0].upper(), 1) if is_safe else None


def spaces(texts: Sequence[str]) -> list[str]:
    """The texts without spaces at their ends, and without several in a row; unchanged where all have the same.

    >>> spaces([" Rome", "Oslo"]), spaces([" Rome", " Oslo"])
    (['Rome', 'Oslo'], [' Rome', ' Oslo'])
    """
    starts = {text[: len(text) - len(text.lstrip())] for text in texts}
    ends = {text[len(text.rstrip()) :] for text in texts}
    doubled = {bool(FORMS["inner"].search(text)) for text in texts}
    new = []
    for text in texts:
        is_code = bool(PATTERNS["code"].search(text)) or (
            "\n" in text.strip() and bool(FORMS["code"].search(text))
        )
        if len(starts) > 1:
            text = text.lstrip("\r\n") if is_code else text.lstrip()
        if len(ends) > 1:
            text = text.rstrip()
        if len(doubled) > 1 and not is_code and "\n" not in text:
            text = FORMS["inner"].sub(" ", text)
        new.append(text)
    return _formula_spaces(new)


def _formula_spaces(texts: list[str]) -> list[str]:
    """The texts without spaces at the ends of formulas between dollar signs, and with one between a number and its unit, where they differ.

    >>> _formula_spaces(["$ 1/e$", "$2/e$"]), _formula_spaces(["3$\\\\mathrm{m}$", "4 $\\\\mathrm{m}$"])
    (['$1/e$', '$2/e$'], ['3 $\\\\mathrm{m}$', '4 $\\\\mathrm{m}$'])
    """
    if len({bool(FORMS["loose_formula"].search(text)) for text in texts}) > 1:
        texts = [_tight(text) for text in texts]
    if any(FORMS["near_unit"].search(text) for text in texts) and any(
        FORMS["far_unit"].search(text) for text in texts
    ):
        texts = [FORMS["near_unit"].sub(r"\g<0> ", text) for text in texts]
    return texts


def _tight(text: str) -> str:
    """The text without spaces at the ends of its formulas; unchanged if a dollar sign may be money."""
    parts = text.split("$")
    if len(parts) % 2 == 0 or any(FORMS["plain_word"].search(part) for part in parts[1::2]):
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
    belongs = [
        bool(FORMS["abbreviation"].search(text.rstrip())) for text in texts
    ]  # to the last word: no full stop
    return _same(
        texts,
        has,
        [not one or its for one, its in zip(has, belongs, strict=True)],
        rises=[_with_stop(text) for text in texts],
        falls=[_without_stop(text) for text in texts],
        decides=[not its for its in belongs],
    )


def _same(
    texts: Sequence[str],
    is_high: Sequence[bool],
    is_low: Sequence[bool],
    *,
    rises: Sequence[str | None],
    falls: Sequence[str | None],
    decides: Sequence[bool],
) -> Sequence[str]:
    """The texts in one of two forms: that of most of them, the low one if it is even; the other one if not all can follow."""
    votes = [high for high, decided in zip(is_high, decides, strict=True) if decided]
    if len(set(votes)) < 2:
        return texts
    to_high = 2 * sum(votes) > len(votes)
    for high in (to_high, not to_high):
        there, changed = (is_high, rises) if high else (is_low, falls)
        new = [old if stays else text for old, stays, text in zip(texts, there, changed, strict=True)]
        if None not in new:
            return [text for text in new if text is not None]
    return texts


def _is_long(text: str) -> bool:
    """Whether a text has several sentences or lines, or very many words."""
    inner = text.strip()
    return "\n" in inner or len(inner.split()) > LONG or bool(FORMS["sentence_break"].search(inner))


def _with_stop(text: str) -> str | None:
    inner = text.rstrip()
    is_words = inner[-1:].isalpha() and len(inner.split()) > 1 and not FORMS["code"].search(inner)
    return f"{inner}.{text[len(inner) :]}" if is_words else None


def _without_stop(text: str) -> str | None:
    inner = text.rstrip()
    is_safe = not inner.endswith("..") and not FORMS["code"].search(inner)
    return f"{inner[:-1]}{text[len(inner) :]}" if is_safe and inner[-2:-1].isalpha() else None


# Counter-pairs


def without_marks(text: str) -> str:
    """The text without the marks of its list items, which stay lines.

    >>> without_marks("- by train\\n- by bus")
    'by train\\nby bus'
    """
    return "\n".join(FORMS["item"].sub(r"\1", line) for line in text.split("\n"))


def without_lists(text: str) -> str:
    """The text with its list items as sentences of one paragraph.

    >>> without_lists("Two ways:\\n\\n- by train\\n- by bus\\n\\nBoth are slow.")
    'Two ways: by train. by bus.\\n\\nBoth are slow.'
    """
    lines: list[str] = []
    is_in_list = False
    for line in text.split("\n"):
        match = FORMS["item"].match(line)
        if match is None:
            is_in_list = is_in_list and (not line.strip() or line[:1].isspace())
            lines.append(line)
            continue
        item = line[match.end() :].rstrip()
        while lines and not lines[-1].strip():
            lines.pop()
        if lines and (is_in_list or lines[-1].rstrip().endswith(":")):
            lines[-1] = f"{_ended(lines[-1])} {item}"
        else:
            lines += ["", item] if lines else [item]
        is_in_list = True
    return "\n".join(_closed(lines, text))


def _ended(line: str) -> str:
    inner = line.rstrip()
    return inner if inner.rstrip("*_\"'”’)").endswith(ENDS) else f"{inner}."


def _closed(lines: Sequence[str], text: str) -> Iterable[str]:
    """The lines, with a full stop behind the last item of a list."""
    items = {
        line[match.end() :].rstrip() for line in text.split("\n") if (match := FORMS["item"].match(line))
    }
    for line in lines:
        is_list = any(item and line.endswith(item) for item in items)
        yield _ended(line) if is_list else line


def with_list(text: str, *, leads: bool = False) -> str:
    """The text with the sentences or lines of its longest paragraph as a list; unchanged if it has too few.

    leads: whether the first sentence stays before the list, if the text would begin with it.

    >>> with_list("It is cheap. It is near. It is open.")
    '- It is cheap.\\n- It is near.\\n- It is open.'
    """
    paragraphs = text.split("\n\n")
    units = [_units(paragraph) for paragraph in paragraphs]
    at = max(range(len(units)), key=lambda i: len(units[i]))
    lead, items = (units[at][:1], units[at][1:]) if leads and at == 0 else ([], units[at])
    if len(items) < FEWEST_ITEMS or any(item[:1].isdigit() for item in items):
        return text
    paragraphs[at] = "\n".join([*lead, *(f"- {one}" for one in items)])
    return "\n\n".join(paragraphs)


def _units(paragraph: str) -> list[str]:
    """What can become an item of a list: the lines of a paragraph, or its sentences if it is a single line."""
    lines = [line.strip() for line in paragraph.split("\n") if line.strip()]
    return lines if len(lines) > 1 else sentences(paragraph)


def sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph; an abbreviation ends none."""
    found: list[str] = []
    for part in FORMS["break"].split(paragraph.strip()):
        if found and FORMS["abbreviation"].search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found


def without_emoji(text: str) -> str:
    """The text without emoji; unchanged if one of them may replace a word.

    >>> without_emoji("It is open. 🙂"), without_emoji("I ❤ you. 🙂")
    ('It is open.', 'I ❤ you. 🙂')
    """
    inside = any(not PATTERNS["emoji"].match(match[0]) for match in FORMS["inside"].finditer(text))
    return text if inside else FORMS["pictures"].sub("", text)


def without_exclamation(text: str) -> str:
    """The text with full stops in place of exclamation marks; unchanged if one is in a quotation."""
    return text if FORMS["quoted"].search(text) else FORMS["exclaimed"].sub(".", text)


def without_opening(text: str) -> str:
    """The text without a compliment or an offer at its start.

    >>> without_opening("Great question! It rains.")
    'It rains.'
    """
    while match := FORMS["opening"].match(text):
        text = text[match.end() :]
    return text[:1].upper() + text[1:]


def exclaimed(text: str) -> str:
    """The text with an exclamation mark behind its first sentence; unchanged if that has no full stop."""
    match = re.search(r"(?<=[a-z])\.(?=\s|$)", text)
    is_end = match is not None and not FORMS["abbreviation"].search(text[: match.end()])
    return f"{text[: match.start()]}!{text[match.end() :]}" if match is not None and is_end else text


@dataclass(frozen=True, slots=True)
class StyleRule:
    """How a cue is taken out of an answer, and put into one. opens: whether words at the start may go."""

    take: Callable[[str], str]
    put: Callable[[str], str] = str
    opens: bool = False

    def taken(self, text: str, other: str) -> str:
        """The text without the cue, in the layout of the other answer: lines stay lines if that one has lines, too.

        Otherwise the number of lines would become a new cue.
        """
        has_lines = sum(bool(line.strip()) for line in other.split("\n")) > 1
        return (without_marks if self.take is without_lists and has_lines else self.take)(text)

    def given(self, text: str, other: str) -> str:
        """The text with the cue, laid out as the other answer that had it: a list at the start only if that one began with a list."""
        return (
            with_list(text, leads=not FORMS["item"].match(other)) if self.put is with_list else self.put(text)
        )


RULES: Mapping[str, StyleRule] = {
    "headings": StyleRule(lambda text: FORMS["bold"].sub(r"\1", FORMS["marked"].sub("", text))),
    "bold": StyleRule(lambda text: FORMS["bold"].sub(r"\1", text)),
    "bullets": StyleRule(without_lists, with_list),
    "emoji": StyleRule(without_emoji, lambda text: f"{text.rstrip()} 🙂"),
    "exclamation": StyleRule(without_exclamation, exclaimed),
    "flattery": StyleRule(without_opening, lambda text: f"Great question! {text}", opens=True),
}  # in the order of use


def counter_pair(pair: Question, cues: Mapping[str, int]) -> tuple[str, str] | None:
    """The candidates of a pair with the cues the other way round; None if that changes nothing, or rules must not touch it.

    cues: by name, 1 if the right one has more of it in too many pairs, -1 if it has less.
    """
    if any(_must_stay(text, cues) for text in pair.candidates):
        return None
    texts = list(pair.candidates)
    right = pair.right or 0
    for name, rule in RULES.items():
        if name in cues:
            rich, poor = (right, 1 - right) if cues[name] > 0 else (1 - right, right)
            new = rule.taken(texts[rich], texts[poor]).strip()
            texts[rich] = new if _keeps_words(texts[rich], new, may_open=rule.opens) else texts[rich]
            values = CUES[name].measure(pair.prompt, texts)
            if values[rich] >= values[poor]:
                texts[poor] = rule.given(texts[poor], pair.candidates[rich])
    is_changed = any(
        cues[name] * _difference(name, pair, texts) < cues[name] * _difference(name, pair, pair.candidates)
        for name in cues
    )
    return (texts[0], texts[1]) if is_changed and texts[0] != texts[1] else None


def _must_stay(text: str, cues: Collection[str]) -> bool:
    """Whether marks may be part of what a text says."""
    if PATTERNS["code"].search(text) or PATTERNS["tables"].search(text) or FORMS["code_line"].search(text):
        return True
    if "emoji" in cues and FORMS["means"].search(text):
        return True
    return "bullets" in cues and (bool(FORMS["signed"].search(text)) or not _counts_from_1(text))


def _counts_from_1(text: str) -> bool:
    """Whether all numbers at the start of lines count items of lists, and the text does not refer to them.

    >>> _counts_from_1("1. by train\\n2. by bus"), _counts_from_1("It was built in\\n1984. It is old.")
    (True, False)
    """
    numbers = [int(match[1]) for match in FORMS["numbered"].finditer(text)]
    is_counted = all(
        (number == 1 and numbers[at + 1 : at + 2] == [2]) or (at > 0 and number == numbers[at - 1] + 1)
        for at, number in enumerate(numbers)
    )
    return is_counted and not (numbers and FORMS["reference"].search(text))


def _keeps_words(old: str, new: str, *, may_open: bool) -> bool:
    """Whether a text without a cue has all its words but the numbers of list items. may_open: or only those after its start."""
    plain = [FORMS["numbered"].sub("", text) if _counts_from_1(text) else text for text in (old, new)]
    old_words, new_words = map(words_of, plain)
    return bool(new_words) and (old_words == new_words or (may_open and old_words[-len(new_words) :] == new_words))  # fmt: skip


def _difference(name: str, pair: Question, texts: Sequence[str]) -> int:
    """1 if the right one of these texts has more of a cue, -1 if it has less."""
    values = CUES[name].measure(pair.prompt, texts)
    right = pair.right or 0
    return int(np.sign(values[right] - values[1 - right]))


def counter_pairs(pairs: Sequence[Question], cues: Mapping[str, int]) -> list[Question]:
    """Counter-pairs to add, so that for each cue the right one has more of it as often as less.

    Each is the copy of a pair, with its id. The better answer is not longer in more of them than it is shorter: otherwise they would
    make length a stronger cue.
    """
    excess = {name: sign * sum(_difference(name, one, one.candidates) for one in pairs) for name, sign in cues.items()}  # fmt: skip
    made = [(one, texts) for one in pairs if (texts := counter_pair(one, cues)) is not None]
    made.sort(key=lambda item: _longer_by(item[0], item[1]))
    chosen: list[Question] = []
    longer = 0  # counter-pairs whose better answer is longer, less those whose better answer is not
    for one, texts in made:
        gains = {name: cues[name] * _difference(name, one, texts) for name in cues}
        helps = any(gains[name] < 0 < excess[name] for name in cues) and max(gains.values()) <= 0
        step = 1 if _longer_by(one, texts) > 0 else -1
        if helps and longer + step <= 0:
            longer += step
            excess = {name: excess[name] + gains[name] for name in cues}
            chosen.append(replace(one, candidates=texts))
    return sorted(chosen, key=lambda one: one.row)


def _longer_by(pair: Question, texts: Sequence[str]) -> float:
    """How much longer the better one of these texts is than the other, on a log scale."""
    right = pair.right or 0
    return float(np.log1p(len(texts[right])) - np.log1p(len(texts[1 - right])))
