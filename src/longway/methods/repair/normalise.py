"""Traits of the surface, removed and put in: marks, spaces, line breaks, markup, capitals, accents, invisible characters.

    normalised   "Great fun!!"  -> "Great fun."     rows that show the trait
    with_trait   "Great fun."   -> "Great fun!"     rows of other labels without it, where it is harmless

The traits are those of `detect/surface_questions.py`. Those that carry content (a question mark, a digit, a colon) are left alone.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from functools import partial
from unicodedata import normalize

from longway.methods.loop import Draft
from longway.methods.repair.mend import (
    STOPS,
    capitalise,
    in_style,
    sentence_spans,
    stop_of,
    without_last_mark,
)
from longway.methods.repair.remedy import Parts, Proposer, RepairRow, Target

_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_BREAK = re.compile(r"\s*<(?:br|p|div|li|hr)\b[^<>]*>\s*|\s*</(?:p|div|li)>\s*", re.IGNORECASE)
_EXCLAMATIONS = re.compile(r"[!！](?:\s*[!！])*")
_MIXED = re.compile(r"[!?！？](?:\s*[!?！？])*[?？][!?！？]*|[?？](?:\s*[!！])+")
_ELLIPSIS = re.compile(r"\s*(?:\.\s?\.\s?\.(?:\s?\.)*|…)")
_DASH = re.compile(  # between two words, the second without a capital: no names, lists, numbers or formulas
    r"(?<!\W[a-z]{2})"  # not behind "to", "of", "in"
    r"(?<=[A-Za-zÀ-ɏ][A-Za-zÀ-ɏ\"”’)])(?:[^\S\n]+(?:-{1,3}|–|—)[^\S\n]+|—|--)"
    r"(?=[\"“‘`']*(?:[a-zß-öø-ÿ]{2}|[aI]\b))"
)
# A letter or digit of a script that puts spaces between words.
_LETTER = r"[^\W\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
_QUOTE = "(?:``|''|[\"“”„«»「」『』])"
_QUOTES = re.compile(rf"(\s+)(?:{_QUOTE}[^\S\n]*)+|{_QUOTE}+")
_INNER_SPACE = re.compile(
    r"(?<=[(\[]«)\s+|(?<=\b\w['’]«)\s+|\s+(?=»(?:[,;:)\]]|[.!?…]+(?:\s|$)))"
)  # "l'« ami »."
_NO_QUOTES = re.compile(  # markup, code, or marks that alone separate two words
    rf"`{{3}}|'{{3}}|\"{{3}}|[=\[{{]\s?\"|\w\(\"|(?:[.,;:!?]|{_LETTER}){_QUOTE}+{_LETTER}"
)
_DOUBLED = re.compile(r"[.,;:!?](?=\s*[.,;:])|,(?=\s*[!?])")
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]+")
_INVISIBLE = (
    re.compile(  # as in the question; a zero-width space or joiner behind a letter that may need it stays
        "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\xad\u034f\u061c\u180e\u200e\u200f\u3164\ufeff]"
        "|[\u202a-\u202e\u2060-\u206f]"
        "|(?:^|(?<=[\\s!-~À-ԯ一-鿿\xad\u2060\ufeff]))[\u200b-\u200d]+"
    )
)
_LONE_I = re.compile(r"\bi\b(?!\.)")
_ADDRESS_AT_END = re.compile(r"\s*(?:https?://|www\.)\S+\s*$")
_PLAIN_WORD_AT_END = re.compile(r"(?<!\S)[^\W\d_]+(?:['’-][^\W\d_]+)*$")
_HASHTAG = re.compile(r"(?<!\S)#(?=\w)")
_PLAIN = str.maketrans(
    {"“": '"', "”": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "…": "...", "\u00a0": " "}
)


def normalised(row: RepairRow, target: Target) -> Iterator[Draft]:
    """The text without the trait; nothing if it cannot be removed safely."""
    pattern = target.pattern
    if pattern.level != "surface" or pattern.place not in _WITH_CAPITALS.keys() | _REMOVED.keys():
        return
    if pattern.place in _WITH_CAPITALS:
        text = _WITH_CAPITALS[pattern.place](row.text, row.language)
        if pattern.place == "no capital letter" and row.is_english:
            text = _LONE_I.sub("I", text)
    else:
        text = _REMOVED[pattern.place](row.text)
    has_words = any(c.isalnum() for c in text)
    is_sound = has_words and len(_DOUBLED.findall(text)) <= len(_DOUBLED.findall(row.text))
    if is_sound and row.shows(target):
        yield row.draft(text, f"normalise.{_short(pattern.place)}", _keeps(pattern.place))


def with_trait(row: RepairRow, target: Target) -> Iterator[Draft]:
    """The text with the trait, for rows of other labels; nothing if it would not be harmless."""
    pattern = target.pattern
    if pattern.level != "surface" or pattern.place not in _ADDED or row.shows(target):
        return
    text = _ADDED[pattern.place](row.text)
    if any(c.isalnum() for c in row.text):
        yield row.draft(text, f"put_in.{_short(pattern.place)}")


def _without_exclamations(text: str) -> str:
    text = _MIXED.sub(lambda match: "？" if "？" in match.group() else "?", text)
    stop = stop_of(text).strip()
    made = _EXCLAMATIONS.sub(stop, text.replace("¡", ""))
    return re.sub(r"\.(\s*\.)(?!\s*\.)", ".", made) if ".." not in text else made


def _without_ellipses(text: str) -> str:
    text = re.sub(r"^\s*(?:\.\s?\.\s?\.(?:\s?\.)*|…)\s*", "", text)

    def mark(match: re.Match[str]) -> str:
        behind = match.string[match.end() :].lstrip()
        if not behind:
            return (
                in_style("x.", match.string)[1:]
                if match.string[: match.start()].rstrip()[-1:].isalnum()
                else ""
            )
        if behind[0] in ".,;:!?)":
            return ""
        space = "" if match.string[match.end()].isspace() else " "
        return (in_style("x.", match.string) if behind[0].isupper() else in_style("x,", match.string))[
            1:
        ] + space

    return _ELLIPSIS.sub(mark, text)


def _without_dashes(text: str) -> str:
    """The text with commas for dashes between words; unchanged if there are many."""
    if len(_DASH.findall(text)) > 2:
        return text
    return _DASH.sub(in_style("x,", text)[1:] + " ", text)


def _without_quotes(text: str) -> str:
    """The text without double quotation marks; unchanged if some may be inches, primes, markup or code."""
    before = [part for mark in ('"', "''") for part in text.replace("``", "''").split(mark)[:-1:2]]
    if _NO_QUOTES.search(text) or any(re.search(rf"{_LETTER}\Z", part) for part in before):
        return text
    body = text.strip()
    return text.replace(body, _QUOTES.sub(r"\1", _INNER_SPACE.sub("", body)).strip(), 1)


def _without_markup(text: str) -> str:
    text = html.unescape(_TAG.sub("", _BREAK.sub(" ", text)))
    return re.sub(r"[ \t\u00a0]{2,}", " ", text).strip()


def _with_first_capital(text: str, language: str) -> str:
    """The text with a capital at the beginning, if it has capitals elsewhere: then they are not a matter of style."""
    return capitalise(text, language) if any(c.isupper() for c in text) else text


def _with_capitals(text: str, language: str) -> str:
    made, place = [], 0
    for start, end in sentence_spans(text):
        made += [text[place:start], capitalise(text[start:end], language)]
        place = end
    return "".join([*made, text[place:]])


def _with_last_mark(text: str) -> str:
    body = text.rstrip()
    return body + stop_of(text) + text[len(body) :]


def _without_last_stop(text: str) -> str:
    body, mark = without_last_mark(text)
    return body if mark.strip() in STOPS else text


def _ending(mark: str) -> Callable[[str], str]:
    """A function that ends a text with a mark in place of its full stop."""

    def end(text: str) -> str:
        body, old = without_last_mark(text)
        if (old.strip() and old.strip() not in STOPS) or not _PLAIN_WORD_AT_END.search(body):
            return text  # not after a rating, an address, a bracket
        space = old[: len(old) - len(old.lstrip())] if old.strip() else in_style("x.", text)[1:-1]
        wide = mark.replace("!", "！") if stop_of(text) == "。" else mark
        return body + space + wide + old[len(old.rstrip()) :]

    return end


def _between(piece: str) -> Callable[[str], str]:
    """A function that puts a piece between the first two sentences, or at the end."""

    def put(text: str) -> str:
        spans = sentence_spans(text)
        if len(spans) < 2:
            return text + piece
        return text[: spans[0][1]] + piece + text[spans[1][0] :]

    return put


def _keeps(trait: str) -> str:
    return "label" if trait in ("an emoji", "double quotation marks") else "meaning"


def _short(trait: str) -> str:
    return trait.removeprefix("an ").removeprefix("a ").replace(" ", "_")


_WITH_CAPITALS: dict[str, Callable[[str, str], str]] = {
    "no capital letter": _with_capitals,
    "a lower-case first letter": _with_first_capital,
}
_REMOVED: dict[str, Callable[[str], str]] = {
    "an exclamation mark": _without_exclamations,
    "two or more exclamation marks": lambda text: _EXCLAMATIONS.sub(lambda match: match.group()[0], text),
    "an ellipsis": _without_ellipses,
    "a dash between words": _without_dashes,
    "double quotation marks": _without_quotes,
    "no mark at the end": _with_last_mark,
    "a space at either end": str.strip,
    "two spaces in a row": partial(re.compile("[ \u00a0]{2,}").sub, " "),
    "an HTML tag or entity": _without_markup,
    "a web address": partial(_ADDRESS_AT_END.sub, ""),
    "a mention or hashtag": partial(_HASHTAG.sub, ""),
    "a line break": lambda text: re.sub(r"\s*\n\s*", " ", text).strip(),
    "an emoji": lambda text: re.sub(r" {2,}", " ", _EMOJI.sub("", text)).strip(),
    "a letter beyond ASCII": lambda text: text.translate(_PLAIN),
    "an accent as a separate character": partial(normalize, "NFC"),
    "an invisible character": partial(_INVISIBLE.sub, ""),
}
_ADDED: dict[str, Callable[[str], str]] = {
    "an exclamation mark": _ending("!"),
    "two or more exclamation marks": _ending("!!"),
    "an ellipsis": _ending("..."),
    "no mark at the end": _without_last_stop,
    "a space at either end": lambda text: text + " ",
    "two spaces in a row": _between("  "),
    "an HTML tag or entity": _between("<br /><br />"),
    "a line break": _between("\n"),
    "a letter beyond ASCII": partial(re.compile(r"(?<=\w)'(?=\w)").sub, "’"),
}


def proposers(name: str, parts: Parts) -> Iterator[Proposer]:
    """The remedy for one dataset."""
    yield Proposer(name, normalised)
