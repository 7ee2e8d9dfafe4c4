"""Another claim about the same thing, drawn from the context: a true or a false one. Family: from_context.

    context        "Mira Sol (born 4 May 1959) is a Peruvian painter who ..."
    entails        "Mira Sol is a Peruvian painter.", "Mira Sol was born in 1959."
    contradicts    "Mira Sol is a Norwegian painter.", "Mira Sol was born in 1947."

RAZOR asks a language model for the same: a new claim from the same evidence with the same label. True claims repeat the
context; false ones replace one value by another that excludes it. Both look alike, so the form does not predict the
label. The context must have a sentence that starts with a name of the claim; the facts that it states have one part that could be replaced:

    openings(context, "Mira Sol")     Opening("Mira Sol", "born 4 May 1959", "is a Peruvian painter, who ...")
    facts(opening)                    ContextFact("is_a", "Mira Sol is a ", "Peruvian", " painter", "nationality"), ...

    what it is     "is a 2012 American film", shorter and longer      who made it      "was directed by", "is a song by"
    when           born, died, released, founded                      where            "is a city in Peru", "is based in Oslo"
    who is in it   "stars"                                            which network    "aired on"

A name counts in other forms if it is surely the same: "Mira Ana Sol", "Miranda `` Mira '' Sol", "The Hills" for "Hills", "Ana
Bo, known professionally as Mira Sol". Texts may have spaces around punctuation. Unclear nouns ("a cable and satellite
channel") and empty ones ("a form of art") are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b

from longway.english.articles import article_before
from longway.english.document import Change, Document
from longway.english.inflection import MONTHS
from longway.english.people.person_names import census_first_name, gender_of_first_name
from longway.english.people.words import ROLES
from longway.english.rules.rule import Rephrasing, Rephrasings, Scene
from longway.english.rules.sentence import name_indices
from longway.english.rules.sisters import sister_classes, terms_of
from longway.english.words import listed_words

_LISTS = listed_words(__name__)
_MONTHS = "|".join(MONTHS)
_YEAR = r"(?:1[5-9]\d\d|20[01]\d)"
_DATE = re.compile(
    rf"(?:(?P<month>{_MONTHS})(?: (?P<day>\d{{1,2}}))?,? |(?P<day_first>\d{{1,2}}) (?P<month_then>{_MONTHS}),? )?(?P<year>{_YEAR})\b"
)
_TOKEN = r"[A-Z0-9][\w.'’&-]*"
_NAME = rf"(?:[Tt]he )?{_TOKEN}(?: (?:{_TOKEN}|de|van|von|der|del|la|da)(?=[ ,;]|$))*"
# The end of a name. Other words could belong to it: "Boys on the Corner", "Florence and the Machine".
_NAME_END = (
    r"(?=,(?! The)|;|$| (?:starring|featuring|during|since|set|as|by|that|which|who|under)\b"
    r"| (?:in|from|for|on|with|at|to|and) (?!the [A-Z]))"
)
_THINGS = (
    _LISTS.works
    | _LISTS.places
    | frozenset("band company corporation firm magazine newspaper website organization organisation".split())
)
PEOPLE_NOUNS = _LISTS["people_nouns"]
_MODIFIER = re.compile(r"[^\W\d_][\w/-]*|3D|" + _YEAR)
_AGENT_CLASSES = {"directed": "director", "written": "author", "created": "author", "recorded": "performer"}
_AGENT_PARTICIPLES = frozenset(_AGENT_CLASSES) | frozenset(
    "performed produced published released distributed developed founded designed composed".split()
)
# After these words the sentence may be about something else.
_OTHER_TOPIC = re.compile(
    r",? (?:who|that|which|whose|where|when|as|about|based|adapted|featuring|appearing|loosely|of|in|for|from|to|on|set)\b.*|;.*"
)
_WORK_AGENT_CLASSES = {
    "song": "performer",
    "single": "performer",
    "album": "performer",
    "novel": "author",
    "book": "author",
}


_BRACKETS = re.compile(r"-LSB-.*?-RSB-|-LRB-.*?-RRB-|\([^()]*\)|\[[^\[\]]*\]")
_QUOTES = re.compile(r"``|''|[\"“”]")
_FULL_STOP = re.compile(
    r"(?<![ .][A-Z])(?<!Jr|Sr|Dr|Mr|St|vs|Co|No)(?<!Mrs|Inc|Vol|Ltd)(?<!Corp|Bros)\.(?:\s+(?=\S)|$)"
)
_SPACED_STOP = re.compile(r" \.(?: |$)")
_VERB = r"(?:is|was|are|were|has|had|premiered|debuted|aired|died|stars|starred) "
# Between a name and its verb: letters after the name, and one aside between commas.
_FIRM = r"(?:Limited|Ltd\.?|Incorporated|Inc\.?|Corporation|Company|plc)"
_TO_VERB = re.compile(rf"(?:,? (?:[A-Z]{{2,5}}\b|{_FIRM}))*(?:, (?!and )[^,]{{1,70}},)? ?({_VERB}.*)")
_KNOWN_AS = (
    r"[^,]{2,60}, (?:[a-z]+ )?known (?:[a-z]+ ){0,4}(?:as|by (?:his|her|their) (?:stage|pen|ring) name),? "
)
_NAME_PART = re.compile(r"(?:[A-Z][\w.'’-]*|de|De|van|von|al|bin|ibn|la|del|da)")


@dataclass(frozen=True, slots=True)
class Opening:
    """A sentence that starts with a name. bracket: the brackets after the name; rest: the text from the verb on."""

    name: str
    bracket: str
    rest: str


def openings(context: str, name: str) -> Iterator[Opening]:
    """Yield the sentences of a context that start with a name."""
    bare = re.sub(r" \([^()]*\)$", "", name)
    for sentence in sentences(context):
        plain = _plain_text(sentence)
        for the, behind in _after_name(plain, bare):
            if (rest := _TO_VERB.fullmatch(behind)) and _is_same_kind(name, rest[1]):
                yield Opening(f"{the}{name}", _bracket_text(sentence), rest[1])
                break


def _is_same_kind(name: str, rest: str) -> bool:
    """Return False for "is a sitcom" if the name is "The Gate (film)"."""
    suffix = re.search(r"(\w+)\)$", name)
    kind = re.split(r",| (?:by|that|which|who|based|of|from|in|for|starring) ", rest)[0]
    return suffix is None or re.search(rf"\b{re.escape(suffix[1])}\b", kind, re.IGNORECASE) is not None


def sentences(context: str) -> list[str]:
    """Return the sentences of a context, without their full stops."""
    stop = _SPACED_STOP if " . " in context or context.endswith(" .") else _FULL_STOP
    return [part.strip() for part in stop.split(context) if part.strip()]


def _plain_text(sentence: str) -> str:
    """Return a sentence without brackets and quotes, with normal spacing."""
    text = _QUOTES.sub("", _BRACKETS.sub(" ", _BRACKETS.sub(" ", sentence)))
    return re.sub(r"\s+", " ", re.sub(r"\s+([,;:])", r"\1", text)).strip()


def _bracket_text(sentence: str) -> str:
    """Return the brackets before the verb, without pronunciations."""
    without_sounds = re.sub(r"-LSB-.*?-RSB-", " ", sentence)
    hidden = re.sub(r"\([^()]*\)", lambda m: "(" + "_" * (len(m[0]) - 2) + ")", without_sounds)
    verb = re.search(rf"[)\w] {_VERB}|-RRB- {_VERB}", hidden)
    opening = without_sounds[: verb.start() + 1] if verb else ""
    brackets = [m[1] or m[2] or "" for m in re.finditer(r"\(([^()]*)\)|-LRB-(.*?)-RRB-", opening)]
    return re.sub(r"\s+", " ", re.sub(r"\s+([,;])", r"\1", "; ".join(brackets))).strip()


def _after_name(plain: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the text after the name at the start of a sentence, in any form, with the "The " before it."""
    for the in ("", "The "):
        if plain.startswith((f"{the}{name} ", f"{the}{name}, ")):
            yield the, plain[len(the) + len(name) :]
    if known := re.match(rf"{_KNOWN_AS}{re.escape(name)}(?=, (?:is|was) )", plain):
        yield "", plain[known.end() + 1 :]
    parts = name.split()
    if len(parts) < 2 or "," in name or census_first_name(parts[0]) is None:
        return
    if (end := _full_name(plain, parts)) is not None:
        yield "", plain[end:]
    if len(parts) == 2 and gender_of_first_name(parts[0]) is not None and plain.startswith(f"{parts[1]} "):
        yield "", plain[len(parts[1]) :]


def _full_name(plain: str, parts: list[str]) -> int | None:
    """Return where "Mira Ana Sol" or "Miranda Mira Sol" ends, for "Mira Sol"; None for another name."""
    words = plain.split(" ")
    if census_first_name(words[0]) is None and words[0] != parts[0]:
        return None
    n_matched = 0
    for position, token in enumerate(words[:7]):
        word = token.rstrip(",")
        if not _NAME_PART.fullmatch(word):
            return None
        is_longer = position == 0 and len(parts[0]) > 2 and word.startswith(parts[0])  # "Miranda" for "Mira"
        n_matched += word == parts[n_matched] or is_longer
        if n_matched == len(parts):
            return len(" ".join(words[: position + 1]).rstrip(","))
    return None


@dataclass(frozen=True, slots=True)
class ContextFact:
    """A statement about a name. value: the part that could be replaced. kind: its class in `sisters.toml`, "year" or ""."""

    rule: str
    before: str
    value: str
    after: str
    kind: str

    @property
    def text(self) -> str:
        """The statement as the context has it."""
        return f"{self.before}{self.value}{self.after}"


@dataclass(frozen=True, slots=True)
class Definition:
    """What something is: the verb, modifiers and noun of "is a 2012 American film", and the text after them."""

    verb: str
    modifiers: tuple[str, ...]
    noun: str
    tail: str


def parse_definition(rest: str) -> Definition | None:
    """Return the noun phrase after "is a", if it is clear where it ends."""
    match = re.match(r"(is|was|are|were) (?:also )?an? (.*)", rest)
    if match is None:
        return None
    words = match[2].split(" ")
    end = next((i for i in range(len(words)) if _ends_phrase(words, i)), len(words) - 1)
    if not words[end].endswith((",", ";")) and _ends_phrase(words, end):
        end -= 1
    phrase, tail = [w.rstrip(",;") for w in words[: end + 1]], words[end + 1 :]
    next_word = "," if words[end].endswith((",", ";")) else tail[0] if tail else ""
    noun = phrase[-1] if phrase else ""
    is_valid = (
        len(noun) >= 2
        and noun.islower()
        and noun not in _LISTS.empty_nouns
        and (
            not noun.endswith(("ly", "ing", "ed", "ous", "ic", "al", "ern")) or noun in _LISTS.noun_exceptions
        )
        and len(phrase) <= 8
        and all(_MODIFIER.fullmatch(w) for w in phrase)
        and _is_complete_noun(noun, next_word)
    )
    return Definition(match[1], tuple(phrase[:-1]), noun, " ".join(tail)) if is_valid else None


def _ends_phrase(words: list[str], position: int) -> bool:
    """Return True at a word after the noun phrase, and at a comma: "based", "who", "divided into"."""
    word, after = words[position], words[position + 1] if position + 1 < len(words) else ""
    before = words[position - 1] if position else ""
    if word == "and" and before in _LISTS.attributive and after in _LISTS.attributive:
        return False  # "a film and television actor"
    if word.endswith(("ed", "made", "run")) and before.endswith("ly") and after not in _LISTS.prepositions:
        return False  # "an independently made film"
    is_participle = word.islower() and word.endswith("ed") and after in _LISTS.prepositions
    return word in _LISTS.phrase_ends or word.endswith((",", ";")) or is_participle


def _is_complete_noun(noun: str, next_word: str) -> bool:
    """Return False if the noun may belong to the next one: "a cable and satellite channel", "a head of state"."""
    if next_word in ("and", "or", ","):
        is_thing = next_word == "," and noun in _THINGS | _LISTS.need_modifier
        return noun not in _LISTS.attributive and (noun in ROLES or is_thing)
    if next_word in ("of", "for", "to", "as", "between", "with", "at"):
        return noun in _LISTS.works or (next_word in ("of", "with") and noun in _LISTS.places)
    return next_word == "" or next_word in _LISTS.phrase_ends or next_word.endswith("ed")


def is_a_facts(name: str, kind: Definition) -> Iterator[ContextFact]:
    """Yield "X is a 2013 American film", shorter and longer; one fact for each part that could be replaced."""
    words = kind.modifiers
    can_be_bare = kind.noun in _THINGS or kind.noun in ROLES
    without_year = tuple(w for w in words if not re.fullmatch(_YEAR, w))
    for modifiers in dict.fromkeys((words, without_year)):
        if modifiers or can_be_bare:
            yield from _variants(name, kind.verb, modifiers, kind.noun)
    head = _bare_noun(kind)
    if head is None:
        return
    group = next((c for c in ("work", "profession") if head in terms_of(c)), "")
    nations = [w for w in words if w in terms_of("nationality")]
    year_and_nations = [w for w in words[:1] if re.fullmatch(_YEAR, w)] + nations
    for modifiers_kept in (nations, year_and_nations, []):
        if modifiers_kept or head in _THINGS:
            yield ContextFact("is_a", " ".join([name, kind.verb, "a", *modifiers_kept, ""]), head, "", group)


def _bare_noun(kind: Definition) -> str | None:
    """Return the noun, with the one modifier it may need: "film", "television series"; None if it needs more."""
    is_essential = not _LISTS.essential_modifiers.isdisjoint(kind.modifiers)
    if is_essential or kind.noun not in _THINGS | PEOPLE_NOUNS | {"series", "game"}:
        return None
    last = kind.modifiers[-1] if kind.modifiers else ""
    if kind.noun in _LISTS.need_modifier and last.islower():
        return f"{last} {kind.noun}"
    return None if kind.noun in ("series", "game") else kind.noun


def _variants(name: str, verb: str, modifiers: tuple[str, ...], noun: str) -> Iterator[ContextFact]:
    is_changed = False
    for position, word in enumerate(modifiers):
        kind = "nationality" if word in terms_of("nationality") else ""
        if re.fullmatch(_YEAR, word):
            kind = "year"
        if kind:
            is_changed = True
            before = " ".join([name, verb, "a", *modifiers[:position], ""])
            yield ContextFact("is_a", before, word, " " + " ".join([*modifiers[position + 1 :], noun]), kind)
    if not is_changed:
        yield ContextFact("is_a", " ".join([name, verb, "a", *modifiers, ""]), noun, "", "")


def facts(opening: Opening) -> Iterator[ContextFact]:
    """Yield everything that a sentence surely states about its name."""
    kind = parse_definition(opening.rest)
    if kind is not None:
        yield from is_a_facts(opening.name, kind)
        yield from _life(opening, kind) if kind.noun in ROLES else _of_thing(opening, kind)
    yield from _album(opening)
    yield from _capital(opening)
    yield from _happened(opening)


def _life(opening: Opening, kind: Definition) -> Iterator[ContextFact]:
    """Yield birth and death, from the brackets after a person's name."""
    bracket = opening.bracket
    born, lived = re.search(r"\bborn (?:on )?", bracket), re.search(r" (?:--|–|—|-) ", bracket)
    if born and (date := _DATE.match(bracket, born.end())):
        yield from _dated("born", f"{opening.name} was born", date)
    elif lived and kind.verb == "was":
        first = [d for d in _DATE.finditer(bracket) if d.end() <= lived.start() + 1]
        if first and bracket[first[-1].end() : lived.start()].strip() == "":
            yield from _dated("born", f"{opening.name} was born", first[-1])
    if lived and kind.verb == "was" and (date := _DATE.match(bracket, lived.end())):
        yield from _dated("died", f"{opening.name} died", date)
    if match := re.match(rf"(?:and was )?born(?: and raised)? in ({_NAME}){_NAME_END}", kind.tail):
        yield _in_place(f"{opening.name} was born in ", match[1], rule="born")


def _dated(rule: str, before: str, date: re.Match[str]) -> Iterator[ContextFact]:
    """Yield "in 1984", "in May 1984", "on May 3, 1984", depending on what is known."""
    month, day, year = date["month"] or date["month_then"], date["day"] or date["day_first"], date["year"]
    yield ContextFact(rule, f"{before} in ", year, "", "year")
    if month:
        yield ContextFact(rule, f"{before} in ", month, f" {year}", "month")
    if month and day:
        yield ContextFact(rule, f"{before} on {month} {day}, ", year, "", "year")
        is_in_each = int(day) <= 28  # there is no February 30
        yield ContextFact(rule, f"{before} on ", month, f" {day}", "month" if is_in_each else "")


def _of_thing(opening: Opening, kind: Definition) -> Iterator[ContextFact]:
    """Match "a band formed in Lima in 1987", "is a city in Peru", "is based in Oslo", "a sitcom that aired on NBC"; yield who made it."""
    before = f"{opening.name} {kind.verb}"
    verbs = "founded|established|formed|launched|released|published"
    match = re.match(rf"({verbs})(?: in {_NAME}(?:, {_NAME})?)? in (?={_YEAR}\b)", kind.tail)
    date = _DATE.match(kind.tail, match.end()) if match else None
    if match is not None and date is not None:
        yield from _dated(match[1], f"{opening.name} {_past_be(kind)} {match[1]}", date)
    yield from _made_by(opening, kind)
    match = re.match(rf"(?:located |situated )?in ({_NAME}){_NAME_END}", kind.tail)
    if match and kind.noun in _LISTS.places:
        yield _in_place(f"{before} a {kind.noun} in ", match[1])
        yield _in_place(f"{before} in ", match[1])
    if match := re.match(rf"(based|headquartered|located|situated) in ({_NAME}){_NAME_END}", kind.tail):
        yield _in_place(f"{before} {match[1]} in ", match[2])
    match = re.match(rf"from ({_NAME}){_NAME_END}", kind.tail)
    if match and kind.noun == "band":
        yield _in_place(f"{before} a band from ", match[1])
    aired = rf"(?:that |which )(?:originally )?(aired|premiered|debuted|ran){_aired_on()}"
    if match := re.match(aired, kind.tail):
        yield ContextFact("aired", f"{opening.name} {match[1]} on ", match[2], "", "network")


def _past_be(kind: Definition) -> str:
    return "were" if kind.verb in ("are", "were") else "was"


def _made_by(opening: Opening, kind: Definition) -> Iterator[ContextFact]:
    """Yield who made a work and who is in it, as long as the sentence is surely about the work."""
    name = opening.name
    tail = f" {kind.tail}"
    end = len(_OTHER_TOPIC.sub("", tail))
    made = r"(?:co-)?[a-z]+(?:ed|en)"
    agents = rf"\b((?:{made}(?:, and |, | and ))*{made}) by {_person_prefix()}({_NAME}){_NAME_END}"
    for match in re.finditer(agents, tail):
        is_sure = match.end() <= end and _is_full_name(match[2], tail)
        for verb in re.findall(r"[a-z-]+", match[1]) if is_sure else ():
            if verb in _AGENT_PARTICIPLES:
                yield ContextFact(
                    verb, f"{name} {_past_be(kind)} {verb} by ", match[2], "", _AGENT_CLASSES.get(verb, "")
                )
    by = re.match(rf" by {_person_prefix()}({_NAME}){_NAME_END}", tail)
    if by and kind.noun in _THINGS and _is_full_name(by[1], tail):
        yield ContextFact(
            "by", f"{name} {kind.verb} a {kind.noun} by ", by[1], "", _WORK_AGENT_CLASSES.get(kind.noun, "")
        )
    stars = re.search(rf"\bstarring ({_NAME})(?:, ({_NAME}))?{_NAME_END}", tail)
    is_sure = stars is not None and stars.end() <= end and kind.noun in _LISTS.works | {"series"}
    for star in stars.groups() if stars and is_sure else ():
        if star and _is_full_name(star, tail):
            yield ContextFact("stars", f"{name} stars ", star, "", "")


def _person_prefix() -> str:
    """Return a pattern for words before a name: "American rapper", "the English rock band"."""
    nations = "|".join(sorted(terms_of("nationality")))
    return rf"(?:(?:the )?(?:(?:{nations}) )*(?:[a-z-]+ ){{0,3}})?"


def _is_full_name(name: str, text: str) -> bool:
    """Return False for a single name that is written in full elsewhere, and for non-names such as "American"."""
    if name in terms_of("nationality") or len(name) < 3 or name.split()[0] in terms_of("nationality"):
        return False
    if " " in name:
        return True
    word = re.escape(name)
    return re.search(rf"[A-Z][\w.]+ {word}\b|\b{word}(?:,? (?:and|&))? [A-Z]|\b{word}, [A-Z]", text) is None


def _in_place(before: str, place: str, *, rule: str = "in_place") -> ContextFact:
    kind = next((c for c in ("country", "state", "city") if place in terms_of(c)), "")
    return ContextFact(rule, before, place, "", kind)


def _aired_on() -> str:
    return rf" on ({'|'.join(sorted(map(re.escape, terms_of('network'))))})\b(?! [A-Z])"


def _album(opening: Opening) -> Iterator[ContextFact]:
    """Match "is the third studio album by Korn": an album by Korn."""
    match = re.match(
        rf"(is|was) the (?:[a-z-]+ )?(studio |live |compilation |)(album|single|EP|mixtape|novel) by {_person_prefix()}({_NAME}){_NAME_END}",
        opening.rest,
    )
    if match and _is_full_name(match[4], opening.rest):
        kinds = [f"{match[2]}{match[3]}"] + ([match[3]] if match[2] else [])
        for kind in kinds:
            group = "author" if kind == "novel" else "performer"
            yield ContextFact("by", f"{opening.name} {match[1]} a {kind} by ", match[4], "", group)
        if match[3] in ("album", "novel"):
            yield ContextFact("is_a", f"{opening.name} {match[1]} a ", match[3], "", "work")


def _capital(opening: Opening) -> Iterator[ContextFact]:
    """Match "is the capital city of Peru"."""
    match = re.match(
        rf"(is|was) the (capital|capital city|largest city) (?:and largest city )?of ({_NAME}){_NAME_END}",
        opening.rest,
    )
    if match:
        yield _in_place(f"{opening.name} {match[1]} the {match[2]} of ", match[3], rule="capital")


def _happened(opening: Opening) -> Iterator[ContextFact]:
    """Match "was released in May 2012", "premiered on NBC", "died in 1950", "was born in Lima"."""
    name, rest = opening.name, opening.rest
    event = re.match(
        rf"((?:was|were) (?:first |originally |officially |theatrically )?(released|published|founded|established|formed|"
        rf"launched|born)|premiered|debuted|died(?: of [a-z ]+?)?)(?: in {_NAME})? (?:on|in) (?=\d|{_MONTHS})",
        rest,
    )
    if event and (date := _DATE.match(rest, event.end())):
        verb = event[2] or event[1].split()[0]
        be = f"{event[1].split()[0]} " if event[2] else ""
        yield from _dated(verb, f"{name} {be}{verb}", date)
    if match := re.match(rf"was born(?: and raised)? in ({_NAME}){_NAME_END}", rest):
        yield _in_place(f"{name} was born in ", match[1], rule="born")
    if match := re.match(rf"(premiered|debuted|aired){_aired_on()}", rest):
        yield ContextFact("aired", f"{name} {match[1]} on ", match[2], "", "network")
    if (match := re.match(rf"(?:stars|starred) ({_NAME}){_NAME_END}", rest)) and _is_full_name(
        match[1], rest
    ):
        yield ContextFact("stars", f"{name} stars ", match[1], "", "")


MAX_FALSE_CLAIMS = 3  # per fact
LAST_YEAR = 2016  # for new years


def from_context(scene: Scene) -> Rephrasings:
    """Yield claims with the same label about the first name of the text that the context describes."""
    if scene.context is None or len(scene.document.sentences) != 1:
        return
    for name in _names(scene.document):
        claims = list(_claims(scene, scene.context, name))
        for rule, text in claims:
            yield Rephrasing(rule, (Change(0, len(scene.document.text), text),), keeps="label")
        if claims:
            return


def _claims(scene: Scene, context: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the rule and text of each distinct claim about a name."""
    seen = {scene.document.text}
    for rule, statement in _statements(scene, context, name):
        match = re.search(r"\b(is|was|are|were) an? (\S+)", statement)
        if match:
            article = f"{match[1]} {article_before(match[2])} {match[2]}"
            statement = statement[: match.start()] + article + statement[match.end() :]
        text = statement if statement.endswith(".") else f"{statement}."
        if text not in seen:
            seen.add(text)
            yield rule, text


def _statements(scene: Scene, context: str, name: str) -> Iterator[tuple[str, str]]:
    for opening in openings(context, name):
        for fact in facts(opening):
            if fact.value in name:
                continue
            if scene.stance == "entails":
                yield f"from_context.{fact.rule}", fact.text
            elif scene.stance == "contradicts":
                for other in _false_values(scene, fact):
                    yield f"from_context.other_{fact.kind}", f"{fact.before}{other}{fact.after}"


def _names(document: Document) -> Iterator[str]:
    """Yield the names in a claim, in order, with brackets after them."""
    names = name_indices(document)
    first = 0
    while first < len(document.words):
        last = first
        while last in names:
            last += 1
        before = document.words[first - 1].text if first else ""
        is_cut = before == "I" or (first > 1 and before[:1].isupper())  # the end of "I Love Lima"
        if last > first and not is_cut:
            words = document.words[first:last]
            name = document.text[words[0].start : words[-1].end]
            if 2 < len(name) < 60 and not name.endswith(("'s", "’s", ",")):
                yield name
            if words[-1].text in ("'s", "’s") and len(words) > 1:
                yield document.text[words[0].start : words[-2].end]
        first = last + 1


def _false_values(scene: Scene, fact: ContextFact) -> list[str]:
    """Return values that exclude the fact's value and are not in the context or claim; they depend on the text."""
    if "(" in fact.before and fact.kind in ("year", "work", "profession"):
        return []  # "The Gate (1984 film)" has it in its name
    known_text = f"{scene.context} {scene.document.text}"
    if fact.kind == "year":
        year = int(fact.value)
        candidates = [str(y) for y in range(year - 30, min(year + 31, LAST_YEAR + 1)) if abs(y - year) > 2]
    else:
        candidates = [
            term.text
            for sister_class in sister_classes()
            if sister_class.name == fact.kind
            for term in sister_class.replacements
            if not any(re.search(rf"\b{re.escape(alias)}", known_text) for alias in term.aliases)
        ]
    unused = [
        term
        for term in candidates
        if not re.search(rf"\b{re.escape(term.removeprefix('the '))}", known_text, re.IGNORECASE)
    ]
    key = f"{scene.document.text}\0{fact.text}\0"
    return sorted(unused, key=lambda term: blake2b((key + term).encode(), digest_size=8).digest())[
        :MAX_FALSE_CLAIMS
    ]
