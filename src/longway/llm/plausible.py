"""Could this be the text in other words? Quick tests that a small model's samples must pass before anyone sees them.

    refusal(text, candidate, shown)    "" where it may pass, else why not, in a few words

They look at words only and cost microseconds, since most samples of a small model are to be thrown away: copies,
pieces of the prompt, other names, other numbers, a negation lost or won. Whether the label holds is decided elsewhere
(`verify`), with better means.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from longway.text.tokens import is_word, tokenize

_PREAMBLE = re.compile(
    r"^(sure\b|certainly\b|of course[,!]|here(?:'s| is| are)\b|okay\b|ok,|yes,|as an ai\b|i'm sorry\b|sorry,|"
    r"i am sorry\b|rewritten\b|paraphrase\b|answer:|text:|output:|note:|in other words\b|to rewrite\b)",
    re.IGNORECASE,
)
_MARKUP = re.compile(r"<\||\|>|```|https?://|\[/?inst\]|^[#>*-] |\bas an ai\b", re.IGNORECASE)
_NAME = re.compile(r"(?<![.!?:\"“] )(?<!^)\b[A-Z][\w'’-]*")
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen twenty".split()
    )
    if number != 1  # "one" is more often a pronoun than a number
} | {"thirty": "30", "forty": "40", "fifty": "50", "hundred": "100", "thousand": "1000", "million": "1000000"}
# Which one it is matters as much as how many; "first" and "1st" are left as they are written.
_ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth last".split())

# Words that deny, and words that deny without saying "not". "Only" and "few" limit; they must stay as well.
_DENIALS = frozenset(
    "not no never none nobody nothing nowhere neither nor cannot without hardly scarcely barely rarely seldom unable "
    "fail fails failed failing failure refuse refuses refused deny denies denied lack lacks lacked lacking absence "
    "avoid avoids avoided unlikely impossible false untrue isnt wasnt dont doesnt didnt wont cant".split()
)
_LIMITS = frozenset("only merely solely exclusively just nothing but few little less least".split())
_FUNCTION_WORDS = frozenset(
    "a an the and or but of in on at to for by with from as that this these those it its he she they we you i his her "
    "their our my your him them us me is are was were be been being has have had do does did will would can could may "
    "might shall should must there here who which what when where while than then so very also".split()
)
# Words that say nothing new: "in the year 2010", "the film named X".
_EMPTY_WORDS = "called named known titled one example year month kind type sort case fact thing person"
_FIRST_PERSON = frozenset("i me my mine myself we us our ours you your i'd i'm i've i'll".split())
_THIRD_PERSON = frozenset("he him his she her hers they them their it its it's".split())


def refusal(text: str, candidate: str, shown: Iterable[str] = ()) -> str:
    """Why the candidate cannot pass for the text in other words; "" where it can.

    shown: texts that the model saw as examples; three words in a row from them that the text lacks are a leak.

    >>> refusal("The battery died.", "The battery was not dead.")
    'negation changed'
    >>> refusal("The shop opened in June.", "In June the shop began to sell.")
    ''
    """
    if not candidate or not any(c.isalpha() for c in candidate):
        return "empty"
    if "\n" in candidate or _MARKUP.search(candidate) or _PREAMBLE.match(candidate):
        return "not a text of its own"
    before, after = words_of(text), words_of(candidate)
    if before == after:
        return "copy"
    for test in (
        _nearly_a_copy,
        length_differs,
        _numbers,
        negation_changed,
        _persons,
        _other_words,
        _repeats,
        _swaps,
    ):
        if reason := test(before, after):
            return reason
    return _names(text, candidate) or leaked(before, after, shown)


def words_of(text: str) -> list[str]:
    """The words of a text in lower case, without marks."""
    return [token for token in tokenize(text) if is_word(token)]


def n_changed(before: list[str], after: list[str]) -> int:
    """How many words were put in, taken out or exchanged, at least.

    >>> n_changed(words_of("She lost her hat."), words_of("He lost his old hat."))
    3
    """
    row = list(range(len(after) + 1))  # changes from the words so far to the first 0, 1, 2 ... of the others
    for n, old in enumerate(before, 1):
        left, row[0] = row[0], n
        for place, new in enumerate(after, 1):
            left, row[place] = row[place], min(left + (old != new), row[place] + 1, row[place - 1] + 1)
    return row[-1]


def length_differs(before: list[str], after: list[str]) -> str:
    """Refused where a text became much shorter or longer."""
    n = len(before)
    return "" if 0.5 * n <= len(after) <= 1.6 * n + 4 else "length"


def _numbers(before: list[str], after: list[str]) -> str:
    return "" if _numbers_of(before) == _numbers_of(after) else "numbers changed"


def _numbers_of(words: list[str]) -> Counter[str]:
    found = [
        _NUMBER_WORDS.get(word, word if _NUMBER.match(word) or word in _ORDINALS else "") for word in words
    ]
    return Counter(number for number in found if number)


def negation_changed(before: list[str], after: list[str]) -> str:
    """Refused where the count of denials turns from even to odd, or where a limit comes or goes."""
    if denials_in(before) % 2 != denials_in(after) % 2:
        return "negation changed"
    limited = [any(word in _LIMITS for word in words) for words in (before, after)]
    return "" if limited[0] == limited[1] else "restriction changed"


def denials_in(words: list[str]) -> int:
    """How many of the words deny something."""
    return sum(word in _DENIALS or word.endswith("n't") for word in words)


def _nearly_a_copy(before: list[str], after: list[str]) -> str:
    """Refused where the words that carry meaning are the same in the same order: "a film", "the film"."""
    return "nearly a copy" if _stems(before) == _stems(after) else ""


def _persons(before: list[str], after: list[str]) -> str:
    """Refused where an "I" or "you" comes in, or a "he" for a name: a small model likes both."""
    for persons in (_FIRST_PERSON, _THIRD_PERSON):
        if set(after) & persons and not set(before) & persons:
            return "speaks of somebody else"
    return ""


def _other_words(before: list[str], after: list[str]) -> str:
    """Refused where nothing is said in other words, but something is missing or was added."""
    old, new = content_of(before), content_of(after)
    if not new - old and old - new:
        return "only leaves words out"
    if set(new - old) - _EMPTY and stands_in(_stems(before), _stems(after)):
        return "only adds words"
    old, new = (
        Counter({word: n for word, n in words.items() if word not in _DENIALS}) for words in (old, new)
    )
    kept = sum((old & new).values())
    return "" if kept >= 0.25 * sum(old.values()) else "little in common"


def _repeats(before: list[str], after: list[str]) -> str:
    twice = [word for word, count in content_of(after).items() if count > max(1, content_of(before)[word])]
    return "says a word twice" if twice else ""


def _swaps(before: list[str], after: list[str]) -> str:
    """Refused where all that happened is that two words changed places, unless they are listed ("salt and pepper")."""
    if len(before) != len(after):
        return ""
    places = [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    if len(places) != 2 or sorted(before[i] for i in places) != sorted(after[i] for i in places):
        return ""
    between = before[places[0] + 1 : places[1]]
    return "" if between in (["and"], ["or"]) else "swaps two words"


def content_of(words: list[str]) -> Counter[str]:
    """The stems of the words that carry meaning."""
    return Counter(_stems(words))


def _stems(words: list[str]) -> list[str]:
    return [_stem(word) for word in words if word not in _FUNCTION_WORDS]


def stands_in(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether the words of one list are all in the other, in the same order.

    >>> stands_in(["was", "slow"], ["it", "was", "very", "slow"]), stands_in(["slow", "was"], ["it", "was", "slow"])
    (True, False)
    """
    rest = iter(long)
    return all(word in rest for word in short)


def _stem(word: str) -> str:
    for ending in ("'s", "ing", "ed", "es", "ly", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


_EMPTY = frozenset(content_of(_EMPTY_WORDS.split()))


def _names(text: str, candidate: str) -> str:
    """Refused where a name of the text is missing, or the candidate has a name that the text lacks."""
    before, after = ({word.lower() for word in words_of(t)} for t in (text, candidate))
    missing = {name.lower() for name in _NAME.findall(text)} - after
    added = {name.lower() for name in _NAME.findall(candidate)} - before
    bare = {name.removesuffix("'s").removesuffix("’s") for name in missing | added} - {"i"}
    return "names changed" if bare - (before & after) else ""


def leaked(before: list[str], after: list[str], shown: Iterable[str]) -> str:
    """Refused where three words in a row come from an example that the model saw."""
    own = set(zip(before, before[1:], before[2:], strict=False))
    new = set(zip(after, after[1:], after[2:], strict=False)) - own
    for example in shown:
        words = words_of(example)
        shared = new & set(zip(words, words[1:], words[2:], strict=False))
        if any(sum(word not in _FUNCTION_WORDS for word in three) > 1 for three in shared):
            return "prompt leaked"
    return ""
