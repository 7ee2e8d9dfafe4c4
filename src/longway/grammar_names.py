"""Names of grammar patterns in plain English: words instead of symbols, and what several of them have in common.

    man → woman, boy → girl or 12 more      a word of the context is replaced by another in the text
    a ___ (man → woman or boy → girl)       the same inside words that both texts share
    added: to ___ (work, get or 9 more)     words of the text without a counterpart in the context
    a ___ man (added: tall or old)          the same inside words that both texts share
    left out: in the, on a or 20 more       words of the context without a counterpart in the text
    copied: walking, running or 8 more      words that both texts share
    his ___ (life, wife or 9 more)          phrases of a single text

A row has the pattern if it has at least one of the phrases, so they are joined by "or".

The functions take phrases as `records.Pattern.words` holds them: the words of a single text, or the context's words, a tab and the
text's words. All commands use these names; `Pattern.name` is the usual way to get one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

PHRASE, REPLACED, ADDED, LEFT_OUT, COPIED = "phrase", "replaced", "added", "left out", "copied"
SLOT = "___"
RARE = "[rare word]"
SHOWN = 3  # members of a kind in its name
RELATIONS = (PHRASE, REPLACED, ADDED, LEFT_OUT, COPIED)

_NO_SPACE = [
    (re.compile(r"(?<=\w) ?([’']) (?=(?:s|t|re|ve|ll|d|m)\b)"), r"\1"),  # "don ’ t"
    (re.compile(r"(?<=\w) (?=[’'](?:s|t|re|ve|ll|d|m)\b)"), ""),  # "man ’s"
    (re.compile(r"(?<=\w) (?=n[’']t\b)"), ""),  # "do n't"
    (re.compile(r"(?<=\d) ([.,/:]) (?=\d)"), r"\1"),  # "10 / 10"
    (re.compile(r"(?<=\w) (?=[,.!?;:](?: |$))"), ""),  # "fine ."
]


class Phrase(NamedTuple):
    """One phrase of a pattern. first, second: the differing words of the context and of the text; of a copy or a single text, all words.

    before, after: the words around them that both texts share.
    """

    relation: str
    first: tuple[str, ...]
    second: tuple[str, ...]
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


def phrase_of(span: str) -> Phrase:
    """The phrase that a pattern holds, and what happens to it from the context to the text.

    >>> phrase_of("a man\\ta woman")
    Phrase(relation='replaced', first=('man',), second=('woman',), before=('a',), after=())
    >>> phrase_of("a man\\ta tall man").relation, phrase_of("in the\\t").relation, phrase_of("the film").relation
    ('added', 'left out', 'phrase')
    """
    sides = [tuple(side.split()) for side in span.split("\t")]
    if len(sides) == 1:
        return Phrase(PHRASE, sides[0], sides[0])
    first, second = sides[0], sides[1]
    if first == second:
        return Phrase(COPIED, first, second)
    before = _shared(first, second)
    first, second = first[before:], second[before:]
    after = _shared(first[::-1], second[::-1])
    around = sides[0][:before], first[len(first) - after :]
    first, second = first[: len(first) - after], second[: len(second) - after]
    relation = ADDED if not first else LEFT_OUT if not second else REPLACED
    return Phrase(relation, first, second, *around)


def grammar_name(spans: Iterable[str], *, shown: int = SHOWN) -> str:
    """The name of a pattern with these phrases, most important first.

    shown: how many are listed; the others are counted.

    >>> grammar_name(["man\\twoman", "boy\\tgirl", "dog\\tcat", "girl\\tboy"], shown=2)
    'man → woman, boy → girl or 2 more'
    >>> grammar_name(["\\tto work", "\\tto get"]), grammar_name(["a man\\ta woman", "a boy\\ta girl"])
    ('added: to ___ (work or get)', 'a ___ (man → woman or boy → girl)')
    >>> grammar_name(["man\\twoman", "\\tto work"])
    'man → woman; or added: to work'
    """
    phrases = [phrase_of(span) for span in dict.fromkeys(spans)]
    relations = list(dict.fromkeys(phrase.relation for phrase in phrases))
    if len(relations) < 2:
        return _of_one_relation(phrases, shown) if phrases else ""
    listed = phrases[: shown if len(phrases) > shown + 1 else None]
    members = [[one for one in listed if one.relation == relation] for relation in relations]
    names = [_of_one_relation(each, shown) for each in members if each] + _more(len(phrases) - len(listed))
    return f"{'; '.join(names[:-1])}; or {names[-1]}" if len(names) > 1 else names[0]


def rule_name(parts: Iterable[Sequence[str]]) -> str:
    """The name of a rule, from the phrases of its two parts in several subtrees.

    >>> rule_name([("walking\\twalking", "down the street\\t"), ("running\\trunning", "in a park\\t")])
    'copied: walking or running + left out: down the street or in a park'
    """
    return " + ".join(grammar_name(side) for side in zip(*parts, strict=True))


def _of_one_relation(phrases: Sequence[Phrase], shown: int) -> str:
    """The name of phrases to which the same happens."""
    relation, frames = phrases[0].relation, {(phrase.before, phrase.after) for phrase in phrases}
    label = "" if relation in (PHRASE, REPLACED) else f"{relation}: "
    if relation == REPLACED and (len(phrases) == 1 or len(frames) > 1):
        return _listed([_whole(phrase) for phrase in phrases], shown)
    inside = _common_side(phrases, shown) if relation == REPLACED else _common_ends(phrases, shown)
    before, after = next(iter(frames)) if len(frames) == 1 else ((), ())
    return _framed(before, after, label + inside)


def _whole(phrase: Phrase) -> str:
    """A replacement with the words around it: "a man → a woman"."""
    sides = (phrase.first, phrase.second)
    return " → ".join(_words((*phrase.before, *side, *phrase.after)) for side in sides)


def _common_side(phrases: Sequence[Phrase], shown: int) -> str:
    """Replacements, with a side that all of them share given once: "grass, street or 5 more → outside"."""
    firsts, seconds = ({phrase[side] for phrase in phrases} for side in (1, 2))
    if len(seconds) == 1:
        return f"{_listed([_words(one.first) for one in phrases], shown)} → {_words(phrases[0].second)}"
    if len(firsts) == 1:
        return f"{_words(phrases[0].first)} → {_listed([_words(one.second) for one in phrases], shown)}"
    return _listed([f"{_words(one.first)} → {_words(one.second)}" for one in phrases], shown)


def _common_ends(phrases: Sequence[Phrase], shown: int) -> str:
    """Phrases, with the words that all of them begin or end with given once: "to ___ (work, get or 9 more)"."""
    words = [phrase.second or phrase.first for phrase in phrases]
    before, after = 0, 0
    if len(words) > 1 and all(any(map(str.isalpha, word)) for one in words for word in one):
        shortest = min(map(len, words)) - 1  # a word must remain for the slot
        before = min(shortest, *(_shared(words[0], one) for one in words))
        after = min(shortest - before, *(_shared(words[0][::-1], one[::-1]) for one in words))
    slots = [_words(one[before : len(one) - after]) for one in words]
    return _framed(words[0][:before], words[0][len(words[0]) - after :], _listed(slots, shown))


def _framed(before: tuple[str, ...], after: tuple[str, ...], inside: str) -> str:
    """What is in the slot, behind the words around it: "a ___ (man → woman)"."""
    if not before and not after:
        return inside
    return f"{_words((*before, SLOT, *after))} ({inside})"


def _listed(items: Sequence[str], shown: int) -> str:
    """Some items and how many more there are. One more than `shown` is listed instead of "or 1 more"."""
    items = list(dict.fromkeys(items))
    n = shown if len(items) > shown + 1 else len(items)
    listed = [*items[:n], *_more(len(items) - n)]
    return f"{', '.join(listed[:-1])} or {listed[-1]}" if len(listed) > 1 else listed[0]


def _more(n: int) -> list[str]:
    return [f"{n:,} more"] if n else []


def _words(words: Sequence[str]) -> str:
    """Words as a reader expects them: "10/10", "doesn’t"; in quotation marks if they could be taken for punctuation of the name."""
    text = " ".join(RARE if word == "[UNK]" else word for word in words)
    for pattern, instead in _NO_SPACE:
        text = pattern.sub(instead, text)
    is_clear = any(letter.isalnum() for letter in text) and not set(text) & set(",;()→") and "or" not in words
    return text if is_clear else f"“{text}”"


def _shared(first: Sequence[str], second: Sequence[str]) -> int:
    """How many words both begin with."""
    n = 0
    for one, other in zip(first, second, strict=False):
        if one != other:
            break
        n += 1
    return n
