"""Facts that encyclopedic sentences state of a name, each as a short statement with one part that could be another.

    facts(Opening("Mira Sol", "born 4 May 1959", "is a Peruvian painter, who ..."))
        Statement("is_a", "Mira Sol is a ", "Peruvian", " painter", "nationality"), Statement("born", "Mira Sol was born in ", ...)

    what it is     "is a 2012 American film", shorter and longer      whom it is by    "was directed by", "is a song by"
    when           born, died, released, founded                      where            "is a city in Peru", "is based in Oslo"
    who is in it   "stars"                                            on which network "aired on"

kind: the class of `sisters.toml` that the part belongs to, "year", or "" where nothing is known that would exclude it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from longway.rules.context_kinds import Kind, Statement, is_a, kind_of
from longway.rules.context_openings import Opening
from longway.rules.context_words import (
    BY,
    BY_CLASS,
    BY_NOUN,
    CUT,
    DATE,
    END,
    MONTHS,
    NAME,
    PLACES,
    THINGS,
    WORKS,
    YEAR,
)
from longway.rules.sister_classes import terms_of


def facts(opening: Opening) -> Iterator[Statement]:
    """Everything sure that a sentence states of its name."""
    kind = kind_of(opening.rest)
    if kind is not None:
        yield from is_a(opening.name, kind)
        told = (_life,) if kind.is_person else (_founded, _made_by, _where, _aired)
        for one in told:
            yield from one(opening, kind)
    yield from _album(opening)
    yield from _capital(opening)
    yield from _happened(opening)


def _life(opening: Opening, kind: Kind) -> Iterator[Statement]:
    """Birth and death, from the bracket behind a person's name."""
    bracket = opening.bracket
    born, lived = re.search(r"\bborn (?:on )?", bracket), re.search(r" (?:--|–|—|-) ", bracket)
    if born and (date := DATE.match(bracket, born.end())):
        yield from _dated("born", f"{opening.name} was born", date)
    elif lived and kind.verb == "was":
        first = [d for d in DATE.finditer(bracket) if d.end() <= lived.start() + 1]
        if first and bracket[first[-1].end() : lived.start()].strip() == "":
            yield from _dated("born", f"{opening.name} was born", first[-1])
    if lived and kind.verb == "was" and (date := DATE.match(bracket, lived.end())):
        yield from _dated("died", f"{opening.name} died", date)
    if found := re.match(rf"(?:and was )?born(?: and raised)? in ({NAME}){END}", kind.tail):
        yield Statement("born", f"{opening.name} was born in ", found[1], "", _place_class(found[1]))


def _dated(rule: str, before: str, date: re.Match[str]) -> Iterator[Statement]:
    """ "in 1984", "in May 1984", "on May 3, 1984", as much of it as is known."""
    month, day, year = date["month"] or date["month_then"], date["day"] or date["day_first"], date["year"]
    yield Statement(rule, f"{before} in ", year, "", "year")
    if month:
        yield Statement(rule, f"{before} in ", month, f" {year}", "month")
    if month and day:
        yield Statement(rule, f"{before} on {month} {day}, ", year, "", "year")
        is_in_each = int(day) <= 28  # there is no February 30
        yield Statement(rule, f"{before} on ", month, f" {day}", "month" if is_in_each else "")


def _founded(opening: Opening, kind: Kind) -> Iterator[Statement]:
    """ "a band formed in Lima in 1987"."""
    verbs = "founded|established|formed|launched|released|published"
    found = re.match(rf"({verbs})(?: in {NAME}(?:, {NAME})?)? in (?={YEAR}\b)", kind.tail)
    date = DATE.match(kind.tail, found.end()) if found else None
    if found is not None and date is not None:
        yield from _dated(found[1], f"{opening.name} {_were(kind)} {found[1]}", date)


def _were(kind: Kind) -> str:
    return "were" if kind.verb in ("are", "were") else "was"


def _made_by(opening: Opening, kind: Kind) -> Iterator[Statement]:
    """Whom a work is by, and who is in it; only as long as the sentence surely speaks of it."""
    name = opening.name
    tail = f" {kind.tail}"
    end = len(CUT.sub("", tail))
    for made in _by_list().finditer(tail):
        is_sure = made.end() <= end and _is_whole(made[2], tail)
        for verb in re.findall(r"[a-z-]+", made[1]) if is_sure else ():
            if verb in BY:
                yield Statement(verb, f"{name} {_were(kind)} {verb} by ", made[2], "", BY_CLASS.get(verb, ""))
    by = re.match(rf" by {_who()}({NAME}){END}", tail)
    if by and kind.noun in THINGS and _is_whole(by[1], tail):
        yield Statement("by", f"{name} {kind.verb} a {kind.noun} by ", by[1], "", BY_NOUN.get(kind.noun, ""))
    stars = re.search(rf"\bstarring ({NAME})(?:, ({NAME}))?{END}", tail)
    is_sure = stars is not None and stars.end() <= end and kind.noun in WORKS | {"series"}
    for star in stars.groups() if stars and is_sure else ():
        if star and _is_whole(star, tail):
            yield Statement("stars", f"{name} stars ", star, "", "")


def _who() -> str:
    """What may stand before a name: "American rapper", "the English rock band"."""
    nations = "|".join(sorted(terms_of("nationality")))
    return rf"(?:(?:the )?(?:(?:{nations}) )*(?:[a-z-]+ ){{0,3}})?"


def _by_list() -> re.Pattern[str]:
    return re.compile(
        rf"\b((?:(?:co-)?[a-z]+(?:ed|en)(?:, and |, | and ))*(?:co-)?[a-z]+(?:ed|en)) by {_who()}({NAME}){END}"
    )


def _is_whole(name: str, text: str) -> bool:
    """False for a name of one word that is said in full elsewhere, or that is no name: "American"."""
    if name in terms_of("nationality") or len(name) < 3 or name.split()[0] in terms_of("nationality"):
        return False
    if " " in name:
        return True
    one = re.escape(name)
    return re.search(rf"[A-Z][\w.]+ {one}\b|\b{one}(?:,? (?:and|&))? [A-Z]|\b{one}, [A-Z]", text) is None


def _where(opening: Opening, kind: Kind) -> Iterator[Statement]:
    """ "is a city in Peru", "is based in Oslo"."""
    name = opening.name
    if kind.noun in PLACES and (found := re.match(rf"(?:located |situated )?in ({NAME}){END}", kind.tail)):
        yield Statement(
            "in_place", f"{name} {kind.verb} a {kind.noun} in ", found[1], "", _place_class(found[1])
        )
        yield Statement("in_place", f"{name} {kind.verb} in ", found[1], "", _place_class(found[1]))
    if found := re.match(rf"(based|headquartered|located|situated) in ({NAME}){END}", kind.tail):
        before = f"{name} {kind.verb} {found[1]} in "
        yield Statement("in_place", before, found[2], "", _place_class(found[2]))
    if kind.noun == "band" and (found := re.match(rf"from ({NAME}){END}", kind.tail)):
        yield Statement("in_place", f"{name} {kind.verb} a band from ", found[1], "", _place_class(found[1]))


def _place_class(place: str) -> str:
    return next((c for c in ("country", "state", "city") if place in terms_of(c)), "")


def _networks() -> str:
    return "|".join(sorted(map(re.escape, terms_of("network"))))


def _aired(opening: Opening, kind: Kind) -> Iterator[Statement]:
    """ "a sitcom that aired on NBC"."""
    found = re.match(
        rf"(?:that |which )(?:originally )?(aired|premiered|debuted|ran) on ({_networks()})\b(?! [A-Z])",
        kind.tail,
    )
    if found:
        yield Statement("aired", f"{opening.name} {found[1]} on ", found[2], "", "network")


def _album(opening: Opening) -> Iterator[Statement]:
    """ "is the third studio album by Korn": an album by Korn."""
    found = re.match(
        rf"(is|was) the (?:[a-z-]+ )?(studio |live |compilation |)(album|single|EP|mixtape|novel) by {_who()}({NAME}){END}",
        opening.rest,
    )
    if found and _is_whole(found[4], opening.rest):
        kinds = [f"{found[2]}{found[3]}"] + ([found[3]] if found[2] else [])
        for kind in kinds:
            group = "author" if kind == "novel" else "performer"
            yield Statement("by", f"{opening.name} {found[1]} a {kind} by ", found[4], "", group)
        if found[3] in ("album", "novel"):
            yield Statement("is_a", f"{opening.name} {found[1]} a ", found[3], "", "work")


def _capital(opening: Opening) -> Iterator[Statement]:
    """ "is the capital city of Peru"."""
    found = re.match(
        rf"(is|was) the (capital|capital city|largest city) (?:and largest city )?of ({NAME}){END}",
        opening.rest,
    )
    if found:
        yield Statement(
            "capital", f"{opening.name} {found[1]} the {found[2]} of ", found[3], "", _place_class(found[3])
        )


def _happened(opening: Opening) -> Iterator[Statement]:
    """ "was released in May 2012", "premiered on NBC", "died in 1950", "was born in Lima"."""
    name, rest = opening.name, opening.rest
    done = re.match(
        rf"((?:was|were) (?:first |originally |officially |theatrically )?(released|published|founded|established|formed|"
        rf"launched|born)|premiered|debuted|died(?: of [a-z ]+?)?)(?: in {NAME})? (?:on|in) (?=\d|{MONTHS})",
        rest,
    )
    if done and (date := DATE.match(rest, done.end())):
        verb = done[2] or done[1].split()[0]
        be = f"{done[1].split()[0]} " if done[2] else ""
        yield from _dated(verb, f"{name} {be}{verb}", date)
    if found := re.match(rf"was born(?: and raised)? in ({NAME}){END}", rest):
        yield Statement("born", f"{name} was born in ", found[1], "", _place_class(found[1]))
    if found := re.match(rf"(premiered|debuted|aired) on ({_networks()})\b(?! [A-Z])", rest):
        yield Statement("aired", f"{name} {found[1]} on ", found[2], "", "network")
    if (found := re.match(rf"(?:stars|starred) ({NAME}){END}", rest)) and _is_whole(found[1], rest):
        yield Statement("stars", f"{name} stars ", found[1], "", "")
