"""Sentences of a context that open with a name: what an encyclopedia says first of a thing.

    openings(context, "Mira Sol")    ->  Opening(name="Mira Sol", bracket="born 4 May 1959", rest="is a Peruvian painter ...")

Other ways to write the name count where they are surely the same: "Mira Ana Sol", "Miranda `` Mira '' Sol", "The Hills" for
"Hills", "Ana Bo, known professionally as Mira Sol". Texts may be written as people do, or with spaces around every mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longway.text.names import first_name, gender_of

_BRACKETS = re.compile(r"-LSB-.*?-RSB-|-LRB-.*?-RRB-|\([^()]*\)|\[[^\[\]]*\]")
_QUOTES = re.compile(r"``|''|[\"“”]")
_FULL_STOP = re.compile(
    r"(?<![ .][A-Z])(?<!Jr|Sr|Dr|Mr|St|vs|Co|No)(?<!Mrs|Inc|Vol|Ltd)(?<!Corp|Bros)\.(?:\s+(?=\S)|$)"
)
_SPACED_STOP = re.compile(r" \.(?: |$)")
_VERB = r"(?:is|was|are|were|has|had|premiered|debuted|aired|died|stars|starred) "
# What stands between a name and its verb: letters behind a name, and one thing said aside between commas.
_FIRM = r"(?:Limited|Ltd\.?|Incorporated|Inc\.?|Corporation|Company|plc)"
_TO_VERB = re.compile(rf"(?:,? (?:[A-Z]{{2,5}}\b|{_FIRM}))*(?:, (?!and )[^,]{{1,70}},)? ?({_VERB}.*)")
_KNOWN_AS = (
    r"[^,]{2,60}, (?:[a-z]+ )?known (?:[a-z]+ ){0,4}(?:as|by (?:his|her|their) (?:stage|pen|ring) name),? "
)
_NAME = re.compile(r"(?:[A-Z][\w.'’-]*|de|De|van|von|al|bin|ibn|la|del|da)")


@dataclass(frozen=True, slots=True)
class Opening:
    """A sentence about a name. bracket: what stands in brackets behind the name; rest: all from the verb on."""

    name: str
    bracket: str
    rest: str


def openings(context: str, name: str) -> Iterator[Opening]:
    """What the sentences say that open with the name, in their order."""
    bare = re.sub(r" \([^()]*\)$", "", name)
    for sentence in sentences(context):
        plain = _plain(sentence)
        for the, behind in _behind(plain, bare):
            if (rest := _TO_VERB.fullmatch(behind)) and _is_same(name, rest[1]):
                yield Opening(f"{the}{name}", _bracket(sentence), rest[1])
                break


def _is_same(name: str, rest: str) -> bool:
    """False for "is a sitcom" where the name is "The Gate (film)"."""
    inside = re.search(r"(\w+)\)$", name)
    kind = re.split(r",| (?:by|that|which|who|based|of|from|in|for|starring) ", rest)[0]
    return inside is None or re.search(rf"\b{re.escape(inside[1])}\b", kind, re.IGNORECASE) is not None


def sentences(context: str) -> list[str]:
    """The sentences of a context, without their full stops."""
    stop = _SPACED_STOP if " . " in context or context.endswith(" .") else _FULL_STOP
    return [part.strip() for part in stop.split(context) if part.strip()]


def _plain(sentence: str) -> str:
    """The sentence without brackets and quotes, and with the spaces that people write."""
    text = _QUOTES.sub("", _BRACKETS.sub(" ", _BRACKETS.sub(" ", sentence)))
    return re.sub(r"\s+", " ", re.sub(r"\s+([,;:])", r"\1", text)).strip()


def _bracket(sentence: str) -> str:
    """What stands in brackets before the verb, how something is pronounced left out."""
    said = re.sub(r"-LSB-.*?-RSB-", " ", sentence)
    verb = re.search(
        rf"[)\w] {_VERB}|-RRB- {_VERB}",
        re.sub(r"\([^()]*\)", lambda m: "(" + "_" * (len(m[0]) - 2) + ")", said),
    )
    found = [
        m[1] or m[2] or ""
        for m in re.finditer(r"\(([^()]*)\)|-LRB-(.*?)-RRB-", said[: verb.start() + 1] if verb else "")
    ]
    return re.sub(r"\s+", " ", re.sub(r"\s+([,;])", r"\1", "; ".join(found))).strip()


def _behind(plain: str, name: str) -> Iterator[tuple[str, str]]:
    """What follows the name where it opens the sentence, in whatever form, each with the "The " that stands before it."""
    for the in ("", "The "):
        if plain.startswith((f"{the}{name} ", f"{the}{name}, ")):
            yield the, plain[len(the) + len(name) :]
    if known := re.match(rf"{_KNOWN_AS}{re.escape(name)}(?=, (?:is|was) )", plain):
        yield "", plain[known.end() + 1 :]
    parts = name.split()
    if len(parts) < 2 or "," in name or first_name(parts[0]) is None:
        return
    if (end := _full_name(plain, parts)) is not None:
        yield "", plain[end:]
    if len(parts) == 2 and gender_of(parts[0]) is not None and plain.startswith(f"{parts[1]} "):
        yield "", plain[len(parts[1]) :]


def _full_name(plain: str, parts: list[str]) -> int | None:
    """Where "Mira Ana Sol" or "Miranda Mira Sol" ends, both for "Mira Sol"; None for another name."""
    words = plain.split(" ")
    if first_name(words[0]) is None and words[0] != parts[0]:
        return None
    n_found = 0
    for place, written in enumerate(words[:7]):
        word = written.rstrip(",")
        if not _NAME.fullmatch(word):
            return None
        n_found += word == parts[n_found] or (n_found == 0 and _is_given(word, parts[0], place))
        if n_found == len(parts):
            return len(" ".join(words[: place + 1]).rstrip(","))
    return None


def _is_given(word: str, name: str, place: int) -> bool:
    """True for the name itself, and for a first one that begins with it: "Miranda" for "Mira"."""
    return word == name or (place == 0 and len(name) > 2 and word.startswith(name))
