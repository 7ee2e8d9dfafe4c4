"""Words and patterns of encyclopedic sentences, for `context_facts.py`: dates, names, and nouns with what they need beside them."""

from __future__ import annotations

import re

MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
YEAR = r"(?:1[5-9]\d\d|20[01]\d)"
DATE = re.compile(
    rf"(?:(?P<month>{MONTHS})(?: (?P<day>\d{{1,2}}))?,? |(?P<day_first>\d{{1,2}}) (?P<month_then>{MONTHS}),? )?(?P<year>{YEAR})\b"
)
TOKEN = r"[A-Z0-9][\w.'’&-]*"
NAME = rf"(?:[Tt]he )?{TOKEN}(?: (?:{TOKEN}|de|van|von|der|del|la|da)(?=[ ,;]|$))*"
# What may follow a name; the rest could belong to it: "Boys on the Corner", "Florence and the Machine".
END = (
    r"(?=,(?! The)|;|$| (?:starring|featuring|during|since|set|as|by|that|which|who|under)\b"
    r"| (?:in|from|for|on|with|at|to|and) (?!the [A-Z]))"
)
# Nouns that can stand alone behind "is a": what is left out adds to them and takes nothing back.
WORKS = frozenset(
    "film movie song single album novel book play poem musical opera sitcom comedy documentary".split()
)
PLACES = frozenset(
    "city town village country county lake river mountain island university college school museum park hospital airport "
    "stadium district suburb neighborhood neighbourhood province region municipality peninsula volcano castle".split()
)
THINGS = (
    WORKS
    | PLACES
    | frozenset("band company corporation firm magazine newspaper website organization organisation".split())
)
# So do these people: a "reality television judge" is no judge.
PEOPLE = frozenset(
    "actor actress singer songwriter singer-songwriter musician rapper comedian painter writer author novelist poet "
    "politician philosopher composer screenwriter filmmaker journalist wrestler boxer footballer lawyer physicist "
    "guitarist drummer pianist mathematician historian economist chemist biologist architect engineer entrepreneur "
    "businessman businesswoman director producer player designer driver cricketer golfer".split()
)
# These need the word before them: "television series", "rock band".
WITH_ONE_MORE = frozenset(
    "series game director producer player designer club team band company label network channel driver".split()
)
SAYS_NOTHING = frozenset(
    "set part member type kind form number group pair piece line version edition adaptation sequel prequel spin-off remake "
    "subsidiary division branch result example term name word variety list side lot total half person one entity thing "
    "collection genus species family branch project component unit class subset continuation follow-up installment "
    "sister brother daughter son wife husband mother father cousin native resident an a".split()
)
ATTRIBUTIVE = frozenset(
    "film television stage music radio record media rock theatre screen video model fashion".split()
)
# Nouns that end like adverbs, adjectives and verbs.
NOUNS_ALL_THE_SAME = frozenset(
    "assembly butterfly monopoly building painting king wedding meeting ring seed comic critic mechanic republic "
    "mosaic musical festival journal animal hospital terminal cathedral criminal general official metal mineral capital "
    "canal medal rival carnival biopic topic".split()
)
# Modifiers without which the rest may be wrong.
NEEDED = frozenset(
    "former fictional fictitious alleged possible proposed planned upcoming future late retired unreleased unfinished "
    "cancelled canceled defunct discontinued mythical legendary self-proclaimed aspiring would-be failed".split()
)
STOPS = frozenset(
    "who that which whose where by from in of for and or with best based known written directed starring created produced "
    "recorded released published developed founded established formed located situated owned set on at under about "
    "during near since to between as headquartered played performed designed composed built adapted originally co-written "
    "distributed featuring made launched co-created hosted born spoken used is was held appearing fronted led given run sold "
    "called named titled consisting containing lying living working serving belonging operated operating airing broadcast "
    "covering intended considered found introduced depicted portrayed voiced managed edited".split()
)
MODIFIER = re.compile(r"[^\W\d_][\w/-]*|3D|" + YEAR)
BY_CLASS = {"directed": "director", "written": "author", "created": "author", "recorded": "performer"}
BY = frozenset(BY_CLASS) | frozenset(
    "performed produced published released distributed developed founded designed composed".split()
)
# Behind these, what is told may be told of something else.
CUT = re.compile(
    r",? (?:who|that|which|whose|where|when|as|about|based|adapted|featuring|appearing|loosely|of|in|for|from|to|on|set)\b.*|;.*"
)
PREPOSITIONS = frozenset(
    "into by in to on from as with of for at between after around over through under".split()
)
BY_NOUN = {
    "song": "performer",
    "single": "performer",
    "album": "performer",
    "novel": "author",
    "book": "author",
}
