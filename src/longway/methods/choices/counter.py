"""Counter-pairs for preference data: the better answer without a style cue, the other one with it, by rules.

    counter_pair(pair, cues)       the pair with the cues the other way round; None if rules cannot do it
    counter_pairs(pairs, cues)     counter-pairs to add: as many as make each cue even

A cue is taken out of an answer by its marks: the words stay, and so does what the answer says. It is put into an answer in the same
way: sentences become a list, a full stop becomes an exclamation mark. A pair is refused where a mark may be part of what an answer says:
code, tables, numbers of steps that the text refers to, emoji that mean yes or no.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from longway.data.choices import Question
from longway.detect.choices.cues import CUES, EMOJI, FENCE, TABLE_ROW, words_of
from longway.methods.choices.normalise import ABBREVIATION

ITEM = re.compile(r"^(\s*)(?:[-*•·]|\d+[.)])\s+(?=\S)")
MARKED = re.compile(r"^\s{0,3}#{1,6}\s+(?=\S)", re.M)
BOLD = re.compile(r"(?<!\w)\*\*(?=\S)([^*\n]+)(?<=\S)\*\*(?!\w)")
PICTURES = re.compile(f"[ \t]*(?:{EMOJI.pattern}[\ufe0f\u200d]*)+")
EXCLAIMED = re.compile(r"(?<=[^\W\d]{2})!+(?=[\s*]|$)(?!\s*[=+*/^<>×÷-])")  # no factorial
QUOTED = re.compile(r"[\"“][^\"”\n]*!")
OPENING = re.compile(
    r"^\s*(?:(?:(?:that['’]s|what) an? )?(?:great|good|excellent|interesting|wonderful|fantastic|thoughtful|insightful) question!|"
    r"i(?:['’]d| would) be (?:happy|glad|delighted) to (?:help|assist)(?: you)?(?: with (?:that|this))?!)\s+(?=\S)",
    re.I,
)  # agreement, such as "Absolutely!" or "Good idea!", can be the answer
NUMBERED = re.compile(r"(?m)^\s*(\d+)[.)]\s+(?=\S)")
SIGNED = re.compile(r"(?m)^\s*[-*•·]\s+[\d.,$€£]")  # may be a negative number
REFERENCE = re.compile(r"(?i)\b(?:steps?|points?|items?|numbers?|options?|rules?|no\.|parts?)\s+#?\d|#\d")
CODE = re.compile(
    r"(?m)^(?:(?: {4,}|\t)(?!\s*(?:[-*•·]|\d+[.)])\s)\s*\S|\s*(?:def|class|import|return|function|const|let|var)\s\w|\s*(?:- )?[a-z_][\w.-]*:(?:\s|$)|"
    r"\s*[\w.\[\]]+ ?=[^=\n]|\s*[$>] |.*[;{}]\s*$|.*\w\(.*\)\s*$|#!)|__\w+__"
)
MEANS = re.compile("[✅✔☑❌✖❎☒➕➖➡⬅⬆⬇⚠⛔❓❗👍👎👌🚫🔴🟢🟡🆗]")  # an emoji that can be the answer
INSIDE = re.compile(f"(?m)[^\\s.!?…)*\ufe0f\u200d][ \t]*{EMOJI.pattern}")  # may replace a word
BREAK = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"“])")
ENDS = (".", "!", "?", ":", ";", ",", "…")
FEWEST_ITEMS = 2  # sentences or lines that become a list
_INDEX = {cue.name: cue for cue in CUES}


def without_marks(text: str) -> str:
    """The text without the marks of its list items, which stay lines.

    >>> without_marks("- by train\\n- by bus")
    'by train\\nby bus'
    """
    return "\n".join(ITEM.sub(r"\1", line) for line in text.split("\n"))


def without_lists(text: str) -> str:
    """The text with its list items as sentences of one paragraph.

    >>> without_lists("Two ways:\\n\\n- by train\\n- by bus\\n\\nBoth are slow.")
    'Two ways: by train. by bus.\\n\\nBoth are slow.'
    """
    lines: list[str] = []
    is_in_list = False
    for line in text.split("\n"):
        match = ITEM.match(line)
        if match is None:
            is_in_list = is_in_list and (not line.strip() or line[:1].isspace())
            lines.append(line)
            continue
        item = line[match.end() :].rstrip()
        while lines and not lines[-1].strip():
            lines.pop()
        goes_on = lines and (is_in_list or lines[-1].rstrip().endswith(":"))
        if goes_on:
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
    items = {line[match.end() :].rstrip() for line in text.split("\n") if (match := ITEM.match(line))}
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
    for part in BREAK.split(paragraph.strip()):
        if found and ABBREVIATION.search(found[-1]):
            found[-1] = f"{found[-1]} {part}"
        else:
            found.append(part)
    return found


def without_emoji(text: str) -> str:
    """The text without emoji; unchanged if one of them may replace a word.

    >>> without_emoji("It is open. 🙂"), without_emoji("I ❤ you. 🙂")
    ('It is open.', 'I ❤ you. 🙂')
    """
    inside = any(not EMOJI.match(match[0]) for match in INSIDE.finditer(text))
    return text if inside else PICTURES.sub("", text)


def without_exclamation(text: str) -> str:
    """The text with full stops in place of exclamation marks; unchanged if one is in a quotation."""
    return text if QUOTED.search(text) else EXCLAIMED.sub(".", text)


def without_opening(text: str) -> str:
    """The text without a compliment or an offer at its start.

    >>> without_opening("Great question! It rains.")
    'It rains.'
    """
    while match := OPENING.match(text):
        text = text[match.end() :]
    return text[:1].upper() + text[1:]


def exclaimed(text: str) -> str:
    """The text with an exclamation mark behind its first sentence; unchanged if that has no full stop."""
    match = re.search(r"(?<=[a-z])\.(?=\s|$)", text)
    is_end = match is not None and not ABBREVIATION.search(text[: match.end()])
    return f"{text[: match.start()]}!{text[match.end() :]}" if match is not None and is_end else text


def _same(text: str) -> str:
    return text


@dataclass(frozen=True, slots=True)
class StyleRule:
    """How a cue is taken out of an answer, and put into one. opens: whether words at the start may go."""

    take: Callable[[str], str]
    put: Callable[[str], str] = _same
    opens: bool = False

    def taken(self, text: str, other: str) -> str:
        """The text without the cue, in the layout of the other answer: lines stay lines if that one has lines, too.

        Otherwise the number of lines would become a new cue.
        """
        has_lines = sum(bool(line.strip()) for line in other.split("\n")) > 1
        return (without_marks if self.take is without_lists and has_lines else self.take)(text)

    def given(self, text: str, other: str) -> str:
        """The text with the cue, laid out as the other answer that had it: a list at the start only if that one began with a list."""
        return with_list(text, leads=not ITEM.match(other)) if self.put is with_list else self.put(text)


RULES: Mapping[str, StyleRule] = {
    "headings": StyleRule(lambda text: BOLD.sub(r"\1", MARKED.sub("", text))),
    "bold": StyleRule(lambda text: BOLD.sub(r"\1", text)),
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
            if _values(name, pair.prompt, texts)[rich] >= _values(name, pair.prompt, texts)[poor]:
                texts[poor] = rule.given(texts[poor], pair.candidates[rich])
    is_changed = any(
        cues[name] * _difference(name, pair, texts) < cues[name] * _difference(name, pair, pair.candidates)
        for name in cues
    )
    return (texts[0], texts[1]) if is_changed and texts[0] != texts[1] else None


def _must_stay(text: str, cues: Collection[str]) -> bool:
    """Whether marks may be part of what a text says."""
    if FENCE.search(text) or TABLE_ROW.search(text) or CODE.search(text):
        return True
    if "emoji" in cues and MEANS.search(text):
        return True
    return "bullets" in cues and (bool(SIGNED.search(text)) or not _counts_from_1(text))


def _counts_from_1(text: str) -> bool:
    """Whether all numbers at the start of lines count items of lists, and the text does not refer to them.

    >>> _counts_from_1("1. by train\\n2. by bus"), _counts_from_1("It was built in\\n1984. It is old.")
    (True, False)
    """
    numbers = [int(match[1]) for match in NUMBERED.finditer(text)]
    is_counted = all(
        (number == 1 and numbers[at + 1 : at + 2] == [2]) or (at > 0 and number == numbers[at - 1] + 1)
        for at, number in enumerate(numbers)
    )
    return is_counted and not (numbers and REFERENCE.search(text))


def _keeps_words(old: str, new: str, *, may_open: bool) -> bool:
    """Whether a text without a cue has all its words but the numbers of list items. may_open: or only those after its start."""
    old_words, new_words = _plain_words(old), _plain_words(new)
    return bool(new_words) and (old_words == new_words or (may_open and old_words[-len(new_words) :] == new_words))  # fmt: skip


def _plain_words(text: str) -> list[str]:
    """The words without the numbers of list items, which count from 1."""
    return words_of(NUMBERED.sub("", text) if _counts_from_1(text) else text)


def _values(name: str, prompt: str, texts: Sequence[str]) -> Sequence[float]:
    return _INDEX[name].measure(prompt, texts)


def _difference(name: str, pair: Question, texts: Sequence[str]) -> int:
    """1 if the right one of these texts has more of a cue, -1 if it has less."""
    values = _values(name, pair.prompt, texts)
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
