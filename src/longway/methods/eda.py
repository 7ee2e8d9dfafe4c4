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
from collections.abc import Callable, Iterator
from functools import lru_cache
from random import Random

from longway.english.inflection import lemmas, match_case
from longway.english.wordnet import POS, senses
from longway.english.words import STOP_WORDS
from longway.methods.loop import Draft
from longway.methods.method import ALL_DONE, Figures, Objection, Round, Rows, fresh_id, no_objection
from longway.records import Edit

NO_SYNONYMS = "not English: WordNet only has English synonyms; use --method coba --engine served:MODEL"
_CORE = re.compile(r"^(\W*)(.*?)(\W*)$", re.DOTALL)


SHARE = 0.1  # as published; 0.05 for small data


def eda(
    rows: Rows, *, share: float = SHARE, add: int = 0, seed: int = 0, objection: Objection = no_objection
) -> Iterator[Round]:
    """Yield one round that replaces every row, or adds texts to it.

    share: of the words that change; the probability that a word is deleted. add: new texts per row; 0 replaces the rows instead.
    objection: why a text may not be used; another one is drawn then.
    """
    figures, edits = Figures(asked=len(rows)), list[Edit]()
    taken = set(rows.ids)
    for row in range(len(rows)):
        id_, text = rows.ids[row], rows.texts[row]
        if not rows.may_be_english(row):
            figures.refusals[NO_SYNONYMS] += 1
            continue
        made = eda_texts(text, key=id_, share=share, n=max(add, 1), seed=seed, objection=objection)
        if not made:
            figures.refusals["no operation changes this text"] += 1
        for how, new in made:
            draft = Draft(row, text, new, rows.label(row), rows.context(row), engine="wordnet", reason="")
            draft.how = f"eda.{how}"
            draft.id = fresh_id(taken, id_, "eda") if add else ""
            edits += draft.edits(rows, method="eda", number=1)
    figures.candidates = figures.accepted = len(edits)
    yield Round(1, tuple(edits), figures, ALL_DONE)


def eda_texts(
    text: str,
    *,
    key: str = "",
    share: float = SHARE,
    n: int = 1,
    seed: int = 0,
    objection: Objection = no_objection,
) -> list[tuple[str, str]]:
    """Up to n new texts, each with the operation that made it. key: makes the draw of a row independent of all others."""
    random = Random(f"{seed}|{key}|{text}")
    operations = list(OPERATIONS) if share else []
    random.shuffle(operations)
    made: dict[str, str] = {}
    for number in range(4 * n):
        if len(made) >= n or not operations:
            break
        how = operations[number % len(operations)]
        new = OPERATIONS[how](text, share, random)
        if new not in (text, "") and not objection(key, text, new):
            made.setdefault(new, how)
    return [(how, new) for new, how in made.items()]


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
