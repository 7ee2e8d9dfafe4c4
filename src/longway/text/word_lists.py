"""The word lists that go with WordNet (`wordnet_words.txt`), kept apart from the code that reads the dictionary.

WordNet's counts come from texts of the 1960s and say nothing about tone, about which general words are natural, or about
what is counted and what is not. The lists do, for the words that are common in reviews, claims and descriptions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

HIGHEST = 7  # steps up to a more general word, where the list says nothing else
PARTS = ("NOUN", "VERB", "ADJ", "ADV")
PATH = Path(__file__).parent / "wordnet_words.txt"

Words = frozenset[str]


@dataclass(frozen=True)
class WordLists:
    """What the file holds, by part of speech (NOUN, VERB, ADJ, ADV).

    expressions: words that belong together, besides those that WordNet has. kept: words that are never replaced. never: words that never replace another.
    right: (relation, part of speech, word) -> the words that are right for it whatever the counts say.
    wrong: (relation, part of speech, word) -> the words that are no such thing for it; "*" stands for all.
    general: (part of speech, sense) -> the natural words for what is below the sense, and how many steps below.
    mass: nouns that are not counted ("food"). mass_or_count: those that may be ("fruit").
    """

    expressions: Words
    kept: dict[str, Words]
    never: dict[str, Words]
    right: dict[tuple[str, str, str], Words]
    wrong: dict[tuple[str, str, str], Words]
    general: dict[tuple[str, str], tuple[Words, int]]
    mass: Words
    mass_or_count: Words

    def is_right(self, relation: str, upos: str, word: str, other: str) -> bool:
        """True where the lists say that `other` is right for `word` in this relation, whatever the counts say.

        >>> word_lists().is_right("synonym", "ADJ", "funny", "amusing")
        True
        """
        return other in self.right.get((relation, upos, word), frozenset())

    def is_wrong(self, relation: str, upos: str, word: str, other: str) -> bool:
        """True where the lists say that `other` must not replace `word` in this relation.

        >>> word_lists().is_wrong("synonym", "NOUN", "rock", "stone")
        True
        """
        wrong = self.wrong.get((relation, upos, word), frozenset())
        return other in wrong or "*" in wrong or other in self.never[upos]


@lru_cache(maxsize=1)
def word_lists() -> WordLists:
    """The lists, read once."""
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in PATH.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return WordLists(
        expressions=frozenset(
            e.strip() for line in sections["expressions"] for e in line.split(";") if e.strip()
        ),
        kept={upos: _words(sections[f"keep {upos}"]) for upos in PARTS},
        never={upos: _words(sections[f"never {upos}"]) for upos in PARTS},
        right=_related("good", sections),
        wrong=_related("not", sections),
        general=dict(
            _general(upos, line) for upos in ("NOUN", "VERB") for line in sections[f"general {upos}"]
        ),
        mass=_words(sections["mass"]),
        mass_or_count=_words(sections["mass or count"]),
    )


def _words(lines: list[str]) -> Words:
    return frozenset(word.replace("_", " ") for line in lines for word in line.split())


def _general(upos: str, line: str) -> tuple[tuple[str, str], tuple[Words, int]]:
    key, others = line.split(":")
    name, _, steps = key.partition(" ")
    return (upos, name), (frozenset(other.strip() for other in others.split(",")), int(steps or HIGHEST))


def _related(kind: str, sections: dict[str, list[str]]) -> dict[tuple[str, str, str], Words]:
    found = {}
    for relation in ("synonym", "antonym", "hypernym"):
        for upos in PARTS:
            for line in sections.get(f"{kind} {relation} {upos}", []):
                word, others = line.split(":")
                found[relation, upos, word] = frozenset(other.strip() for other in others.split(","))
            if kind == "not":
                none = _words(sections.get(f"none {relation} {upos}", []))
                found |= {(relation, upos, word): frozenset("*") for word in none}
    return found
