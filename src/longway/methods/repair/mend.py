"""Taking words out of a text and putting words in, so that spaces, commas, capitals and the final mark still fit.

sentence_spans(text)                       start and end of each sentence
cut(text, start, end)                      without a stretch: "The film, frankly, drags." -> "The film drags."
cut_sentences(text, spans)                 without some sentences; the text ends as it did
before, after, at_end                      with words at the beginning, a sentence more, words before the final mark
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from itertools import pairwise

from longway.english.inflection import capitalise as with_capital
from longway.text.sentences import OTHER_MARKS, sentences_of

Span = tuple[int, int]
MARKS = f".!?…{OTHER_MARKS}"
STOPS = frozenset(".。｡۔।။។")  # marks that end a plain statement
_SEPARATORS = ",;:–—-،、，；：؛"
_SENTENCE_END = re.compile(rf"[{re.escape(MARKS)}][\"'”’)\]]*\s*$")
_SMALL_END = re.compile(r"(?<=[.!?…])\s+|\s*\n\s*")
_WIDE = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]$")  # Chinese and Japanese: no space follows
_LEADING = re.compile(rf"^[{re.escape(_SEPARATORS)}](?=\s)\s*|^[、，；：]")
_LAST_MARK = re.compile(rf"(\s*)([{re.escape(MARKS)}]+)(\s*)$")
_STOPS_BY_SCRIPT = [
    (re.compile("[\u3040-\u30ff\u3400-\u9fff]"), "。"),
    (re.compile("[\u0900-\u09ff]"), "।"),
    (re.compile("[\u0e00-\u0eff\u1780-\u17ff]"), ""),
]
_APART = re.compile(r"\w\s[.,!?](?:\s|$)")
_CLOSE = re.compile(r"\w[.,!?](?:\s|$)")


def sentence_spans(text: str) -> list[Span]:
    """Start and end of each sentence, without the spaces around it.

    >>> sentence_spans("It works. See it!")
    [(0, 9), (10, 17)]
    """
    if any(c.isupper() for c in text):
        parts: Iterable[str] = sentences_of(text)
    else:  # a text without capitals shows no capital at the start of a sentence either
        parts = (sentence for part in _SMALL_END.split(text) for sentence in sentences_of(part))
    spans: list[Span] = []
    place = 0
    for part in parts:
        start = text.index(part, place)
        place = start + len(part)
        if spans and not any(c.isalnum() for c in part):
            spans[-1] = (spans[-1][0], place)  # a mark on its own belongs to the sentence before
        else:
            spans.append((start, place))
    return spans


def cut(text: str, start: int, end: int, language: str = "") -> str:
    """The text without a stretch, mended where it was. language: of the text, "" for English.

    >>> cut("The film, frankly, drags.", 10, 17), cut("Frankly, it drags.", 0, 7), cut("It drags, frankly.", 10, 17)
    ('The film drags.', 'It drags.', 'It drags.')
    """
    gone, left, right = text[start:end], text[:start], text[end:]
    before, after = left.rstrip(), right.lstrip()
    opens = not before or bool(_SENTENCE_END.search(before))
    closes = not after or after[0] in MARKS
    if opens:
        after = _LEADING.sub("", after)
        if next(filter(str.isalpha, gone), "").isupper():
            after = capitalise(after, language)
    elif closes:
        before = before.rstrip(_SEPARATORS + " \t")
    elif before[-1] == "," and after[0] == ",":
        before, after = before[:-1].rstrip(), after[1:].lstrip()
    if not before:
        return left + after
    if not after:
        return before + text[len(text.rstrip()) :]
    return before + _space(text, start, end, after) + after


def cut_all(text: str, spans: Iterable[Span], language: str = "") -> str:
    """The text without several stretches that do not overlap."""
    for start, end in sorted(set(spans), reverse=True):
        text = cut(text, start, end, language)
    return text


def cut_sentences(text: str, spans: Collection[Span]) -> str:
    """The text without some of its sentences. If the last one goes and had no mark, the new last one loses its full stop.

    >>> cut_sentences("a fine film . we sat down", [(14, 25)])
    'a fine film'
    """
    kept = [span for span in sentence_spans(text) if span not in set(spans)]
    if not kept:
        return ""
    last = max(spans, default=(0, 0))
    is_open = last > kept[-1] and not _LAST_MARK.search(text[slice(*last)])
    parts = [text[: kept[0][0]] if not text[: kept[0][0]].strip() else ""]
    for span, following in pairwise([*kept, (len(text), len(text))]):
        gap = text[span[1] : following[0]]
        space = "" if _WIDE.search(text[slice(*span)]) else " "
        parts += [text[slice(*span)], gap if not gap.strip() else space if following[0] < len(text) else ""]
    tail = text[len(text.rstrip()) :]
    whole = "".join(parts).rstrip() + tail
    if is_open:
        body, mark = without_last_mark(whole)
        whole = body + tail if mark.strip() in STOPS else whole
    return whole


def in_style(piece: str, like: str) -> str:
    """The piece in the style of a text: without capitals if the text has none, with spaces before marks if the text has them.

    >>> in_style("For the record,", "a funny , warm film .")
    'for the record ,'
    """
    if any(c.islower() for c in like) and not any(c.isupper() for c in like):
        piece = piece.lower()
    if len(_APART.findall(like)) > len(_CLOSE.findall(like)):
        piece = re.sub(r"(?<=\w)([.,!?:;])(?=\s|$)", r" \1", piece)
    return piece


def after(sentence: str, text: str, language: str = "") -> str:
    """The text with one more sentence; the text ends as it did.

    >>> after("We sat down", "The seats creak."), after("我们坐下", "椅子响了。")
    ('The seats creak. We sat down.', '椅子响了。我们坐下。')
    """
    body, mark = without_last_mark(text)
    sentence = in_style(capitalise(sentence, language), text)
    space = "" if _WIDE.search(text.rstrip()) else " "
    if mark.strip() == "" or mark.strip() in STOPS:
        end = mark.rstrip() or stop_of(text)
        return f"{body}{end}{space}{sentence}{mark}"
    return f"{body}{mark.rstrip()}{space}{sentence}{stop_of(text)}"


def stop_of(text: str) -> str:
    """The full stop as a text writes it, with the space before it; none in Thai, Lao and Khmer.

    >>> stop_of("A film !"), stop_of("好看！"), stop_of("अच्छा है")
    (' .', '。', '।')
    """
    of_script = (stop for letters, stop in _STOPS_BY_SCRIPT if letters.search(text))
    return next(of_script, in_style("x.", text)[1:])


def capitalise(text: str, language: str = "") -> str:
    """The text with a capital first letter; a Turkish i keeps its dot. language: "" for English, and where it does not matter.

    >>> capitalise("we sat down"), capitalise("iyi", "tr")
    ('We sat down', 'İyi')
    """
    if text[:1] == "i" and language == "tr":
        return f"İ{text[1:]}"
    return with_capital(text)


def at_end(piece: str, text: str) -> str:
    """The text with the piece as its last words, before its last mark."""
    body, mark = without_last_mark(text)
    space = "" if piece.startswith(",") or _WIDE.search(body) else " "
    return f"{body}{space}{in_style(piece, text)}{mark}"


def without_last_mark(text: str) -> tuple[str, str]:
    """The text and its last mark, with the spaces around the mark.

    >>> without_last_mark("So be it .")
    ('So be it', ' .')
    """
    found = _LAST_MARK.search(text)
    if not found or found.start() == 0:
        return text.rstrip(), ""
    return text[: found.start()], found.group()


def _space(text: str, start: int, end: int, after: str) -> str:
    """The white space where a stretch was: as written before a mark, else one space or line break."""
    left, right = text[:start], text[end:]
    behind, ahead = left[len(left.rstrip()) :], right[: len(right) - len(right.lstrip())]
    if after[0] in MARKS or after[0] in ",;:)":
        return ahead or (behind if behind and _APART.search(text) and not _CLOSE.search(text) else "")
    return next((space for space in (behind, ahead) if "\n" in space), behind or ahead)
