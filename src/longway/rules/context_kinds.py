"""What an encyclopedic sentence says that something is: "is a 2012 American film", shorter and longer.

    kind_of("is a 2012 American film directed by ...")   ->  Kind("is", ("2012", "American"), "film", "directed by ...")
    is_a("Low Tide", kind)                               ->  statements, each with the one part that could be another

Nothing is given where the noun is not sure ("a cable and satellite channel") or says nothing alone ("a form of art").
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from longway.rules.context_words import (
    ATTRIBUTIVE,
    MODIFIER,
    NEEDED,
    NOUNS_ALL_THE_SAME,
    PEOPLE,
    PLACES,
    PREPOSITIONS,
    SAYS_NOTHING,
    STOPS,
    THINGS,
    WITH_ONE_MORE,
    WORKS,
    YEAR,
)
from longway.rules.sister_classes import terms_of
from longway.text.person_words import ROLES


@dataclass(frozen=True, slots=True)
class Statement:
    """What the context says of the subject: the words around what can be something else, and that."""

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
class Kind:
    """What something is: "is" "a" "2012 American" "film", and what follows that."""

    verb: str
    modifiers: tuple[str, ...]
    noun: str
    tail: str

    @property
    def is_person(self) -> bool:
        """True for "painter"."""
        return self.noun in ROLES


def kind_of(rest: str) -> Kind | None:
    """The noun phrase behind "is a", where it surely ends before the next word."""
    found = re.match(r"(is|was|are|were) (?:also )?an? (.*)", rest)
    if found is None:
        return None
    words = found[2].split(" ")
    end = next((i for i in range(len(words)) if _stops(words, i)), len(words) - 1)
    if not words[end].endswith((",", ";")) and _stops(words, end):
        end -= 1
    phrase, tail = [w.rstrip(",;") for w in words[: end + 1]], words[end + 1 :]
    border = "," if words[end].endswith((",", ";")) else tail[0] if tail else ""
    noun = phrase[-1] if phrase else ""
    is_fine = (
        len(noun) >= 2
        and noun.islower()
        and noun not in SAYS_NOTHING
        and (not noun.endswith(("ly", "ing", "ed", "ous", "ic", "al", "ern")) or noun in NOUNS_ALL_THE_SAME)
        and len(phrase) <= 8
        and all(MODIFIER.fullmatch(w) for w in phrase)
        and _is_end(noun, border)
    )
    return Kind(found[1], tuple(phrase[:-1]), noun, " ".join(tail)) if is_fine else None


def _stops(words: list[str], place: int) -> bool:
    """True at a word behind the noun phrase, and at a comma: "based", "who", "divided into"."""
    word, after = words[place], words[place + 1] if place + 1 < len(words) else ""
    before = words[place - 1] if place else ""
    if word == "and" and before in ATTRIBUTIVE and after in ATTRIBUTIVE:
        return False  # "a film and television actor"
    if word.endswith(("ed", "made", "run")) and before.endswith("ly") and after not in PREPOSITIONS:
        return False  # "an independently made film"
    is_participle = word.islower() and word.endswith("ed") and after in PREPOSITIONS
    return word in STOPS or word.endswith((",", ";")) or is_participle


def _is_end(noun: str, border: str) -> bool:
    """False where the noun may belong to the next one: "a cable and satellite channel", "a head of state"."""
    if border in ("and", "or", ","):
        return noun not in ATTRIBUTIVE and (
            noun in ROLES or (border == "," and noun in THINGS | WITH_ONE_MORE)
        )
    if border in ("of", "for", "to", "as", "between", "with", "at"):
        return noun in WORKS or (border in ("of", "with") and noun in PLACES)
    return border == "" or border in STOPS or border.endswith("ed")


def is_a(name: str, kind: Kind) -> Iterator[Statement]:
    """ "X is a 2013 American film", shorter and longer; one statement for each thing that can be another."""
    words = kind.modifiers
    can_be_bare = kind.noun in THINGS or kind.noun in ROLES
    without_year = tuple(w for w in words if not re.fullmatch(YEAR, w))
    for modifiers in dict.fromkeys((words, without_year)):
        if modifiers or can_be_bare:
            yield from _variants(name, kind.verb, modifiers, kind.noun)
    head = _head(kind)
    if head is None:
        return
    group = next((c for c in ("work", "profession") if head in terms_of(c)), "")
    nations = [w for w in words if w in terms_of("nationality")]
    told = [w for w in words[:1] if re.fullmatch(YEAR, w)] + nations
    for left in (nations, told, []):
        if left or head in THINGS:
            yield Statement("is_a", " ".join([name, kind.verb, "a", *left, ""]), head, "", group)


def _head(kind: Kind) -> str | None:
    """The noun alone, or with the one word that it needs: "film", "television series"; None where more is needed."""
    if kind.noun not in THINGS | PEOPLE | {"series", "game"} or not NEEDED.isdisjoint(kind.modifiers):
        return None
    last = kind.modifiers[-1] if kind.modifiers else ""
    if kind.noun in WITH_ONE_MORE and last.islower():
        return f"{last} {kind.noun}"
    return None if kind.noun in ("series", "game") else kind.noun


def _variants(name: str, verb: str, modifiers: tuple[str, ...], noun: str) -> Iterator[Statement]:
    is_changed = False
    for place, word in enumerate(modifiers):
        kind = (
            "year" if re.fullmatch(YEAR, word) else "nationality" if word in terms_of("nationality") else ""
        )
        if kind:
            is_changed = True
            before = " ".join([name, verb, "a", *modifiers[:place], ""])
            yield Statement("is_a", before, word, " " + " ".join([*modifiers[place + 1 :], noun]), kind)
    if not is_changed:
        yield Statement("is_a", " ".join([name, verb, "a", *modifiers, ""]), noun, "", "")
