"""EDA: easy data augmentation by four small operations on words (Wei and Zou 2019).

    synonym     some words are replaced by WordNet synonyms, whatever their sense
    insertion   synonyms of some words are put in at random places
    swap        two words change places, some times over
    deletion    each word is left out with a small probability

"Some" is a share alpha of the words, at least one. Stop words are neither replaced nor looked up. Each new text is made by
one operation. As published, nothing is checked, words are not inflected, and labels are assumed to hold. Unlike the paper,
capitals and punctuation stay: a lower-case text among others would be a shortcut itself.

By default each row is replaced by one new text, so the size stays the same; the paper keeps the rows and adds texts, as `add` does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from longway.english.inflection import lemmas, match_case
from longway.english.listed_words import listed_words
from longway.english.wordnet import POS, senses
from longway.errors import SettingError
from longway.methods.method import ALL_DONE, Figures, Objection, Round, Rows, fresh_id
from longway.records import Edit

_WORDS = listed_words(__name__)
STOP_WORDS = _WORDS["stop_words"]
NO_SYNONYMS = "not English: WordNet only has English synonyms; use --method coba --engine served:MODEL"
_CORE = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class EdaSettings:
    """How strongly EDA changes a text.

    synonym, insertion, swap: share of the words that change; 0 disables the operation. 0.1 is the published choice, 0.05 for small data.
    deletion: probability that a word is deleted.
    add: new texts per row; 0 replaces the rows instead.
    """

    synonym: float = 0.1
    insertion: float = 0.1
    swap: float = 0.1
    deletion: float = 0.1
    add: int = 0
    seed: int = 0

    @property
    def shares(self) -> dict[str, float]:
        """The share of each operation."""
        return {
            "synonym": self.synonym,
            "insertion": self.insertion,
            "swap": self.swap,
            "deletion": self.deletion,
        }

    def __post_init__(self) -> None:
        for name, share in self.shares.items():
            if not 0 <= share <= 1:
                raise SettingError(
                    f"'{name}' must be between 0 and 1. Got {share}. Try 0.1, the published rate."
                )
        if self.add < 0:
            raise SettingError(
                f"'add' must be 0 or more. Got {self.add}. Write 0 to replace rows instead of adding."
            )


class Eda:
    """EDA over given rows. objection: why a text may not be used; another one is drawn then."""

    name = "eda"

    def __init__(self, settings: EdaSettings | None = None, *, objection: Objection | None = None) -> None:
        self.settings = EdaSettings() if settings is None else settings
        self.objection = objection

    def run(self, rows: Rows) -> Iterator[Round]:
        """Yield one round that replaces every row, or adds texts to it."""
        edits: list[Edit] = []
        refusals: Counter[str] = Counter()
        taken = set(rows.ids) if self.settings.add else set()
        for row in range(len(rows)):
            if not rows.may_be_english(row):
                refusals[NO_SYNONYMS] += 1
                continue
            made = self.texts_for(rows.texts[row], key=rows.ids[row])
            if not made:
                refusals["no operation changes this text"] += 1
            edits += [self._edit(rows, row, text, how, taken) for how, text in made]
        figures = Figures(
            asked=len(rows), candidates=len(edits), accepted=len(edits), refusals=dict(refusals)
        )
        yield Round(1, tuple(edits), figures, stopped=ALL_DONE)

    def texts_for(self, text: str, *, key: str = "") -> list[tuple[str, str]]:
        """Up to `add` new texts (one if rows are replaced), each with the operation that made it.

        key: makes the draw of a row independent of all others.
        """
        random = Random(f"{self.settings.seed}|{key}|{text}")
        shares = self.settings.shares
        operations = [name for name in OPERATIONS if shares[name] > 0]
        random.shuffle(operations)
        made: dict[str, str] = {}
        for number in range(4 * max(self.settings.add, 1)):
            if len(made) >= max(self.settings.add, 1) or not operations:
                break
            how = operations[number % len(operations)]
            new = OPERATIONS[how](text, shares[how], random)
            if new not in (text, "") and not (self.objection and self.objection(key, text, new)):
                made.setdefault(new, how)
        return [(how, new) for new, how in made.items()]

    def _edit(self, rows: Rows, row: int, text: str, how: str, taken: set[str]) -> Edit:
        label = rows.label(row)
        return Edit(
            id=fresh_id(taken, rows.ids[row], "eda") if self.settings.add else rows.ids[row],
            field=rows.task.text_name,
            before=rows.texts[row],
            after=text,
            label_before=label,
            label_after=label,
            method=self.name,
            engine="wordnet",
            accepted=True,
            how=f"eda.{how}",
            source=rows.ids[row] if self.settings.add else "",
        )


def replace_synonyms(text: str, share: float, random: Random) -> str:
    """The text with all occurrences of some words replaced by a synonym."""
    words = text.split()
    candidates = sorted({_core(word).lower() for word in words} - STOP_WORDS - {""})
    random.shuffle(candidates)
    left = _count(share, words)
    for candidate in candidates:
        found = synonyms_of(candidate)
        if left and found:
            new = random.choice(found)
            words = [_with_core(word, new) if _core(word).lower() == candidate else word for word in words]
            left -= 1
    return " ".join(words)


def insert_synonyms(text: str, share: float, random: Random) -> str:
    """The text with synonyms of some of its words inserted at random places."""
    words = text.split()
    pool = [found for word in words if (found := synonyms_of(_core(word).lower()))]
    for _ in range(_count(share, words) if pool else 0):
        words.insert(random.randint(0, len(words)), random.choice(random.choice(pool)))
    return " ".join(words)


def swap_words(text: str, share: float, random: Random) -> str:
    """The text with some pairs of words swapped; punctuation stays in place."""
    words = text.split()
    for _ in range(_count(share, words) if len(words) > 1 else 0):
        i, j = random.sample(range(len(words)), 2)
        one, other = _core(words[i]), _core(words[j])
        words[i], words[j] = _with_core(words[i], other, as_is=True), _with_core(words[j], one, as_is=True)
    return " ".join(words)


def delete_words(text: str, share: float, random: Random) -> str:
    """The text without some random words; one word always stays."""
    words = text.split()
    kept = [word for word in words if random.random() > share]
    return " ".join(kept or random.sample(words, min(1, len(words))))


OPERATIONS: dict[str, Callable[[str, float, Random], str]] = {
    "synonym": replace_synonyms,
    "insertion": insert_synonyms,
    "swap": swap_words,
    "deletion": delete_words,
}


@lru_cache(maxsize=50_000)
def synonyms_of(word: str) -> tuple[str, ...]:
    """Every word that shares a sense with the word in WordNet, whatever its part of speech; none for stop words."""
    if word in STOP_WORDS or not word.isalpha():
        return ()
    found = {
        member.lemma.lower()
        for upos in POS
        for lemma in {word, *lemmas(word, upos)}
        for sense in senses(lemma, upos)
        for member in sense.members
        if lemma != member.lemma.lower()
    }
    return tuple(sorted(found - {word}))


def _count(share: float, words: list[str]) -> int:
    return max(1, int(share * len(words)))


def _core(word: str) -> str:
    """The word without the punctuation around it."""
    match = _CORE.match(word)
    return match[2] if match else word


def _with_core(word: str, new: str, *, as_is: bool = False) -> str:
    """Another word between the same punctuation, capitalised like the old one unless `as_is`."""
    match = _CORE.match(word)
    before, old, behind = match.groups() if match else ("", word, "")
    return before + (new if as_is else match_case(new, old)) + behind
