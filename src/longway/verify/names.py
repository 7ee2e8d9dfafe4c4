"""Are the names the same? A name is a word with a capital inside a sentence, or one that is never written small.

"Ann Lee sang." and "Ann Kay sang." differ; "The song was sung by Ann Lee." has the names of "Ann Lee sang the song." An
"American" is somebody from the United States, and TV is television.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from longway.records import Verdict
from longway.rules.nominal import words as nation_words
from longway.verify.check import Candidate
from longway.verify.words import FUNCTION_WORDS, words

_CAPITAL = re.compile(r"(?<![\w'])[^\W\d_a-z][\w'’.&-]*")
_STARTS = re.compile(r"(?:^|[.!?:;][\"'”)]*\s+|[\"“(]\s*)$")
_NOT_NAMES = frozenset("i i'm i've i'll i'd".split())


class Names:
    """The check of names: none lost, none new.

    known: words that the dataset writes in small letters; such a word is no name because it starts a sentence.
    """

    name = "names"

    def __init__(self, known: Iterable[str] = ()) -> None:
        self.known = FUNCTION_WORDS | frozenset(known)

    @classmethod
    def of(cls, texts: Iterable[str]) -> Names:
        """The check for a dataset whose small words are read from these texts."""
        return cls({word for text in texts for word in re.findall(r"(?<![\w'])[a-z]+(?![\w'])", text)})

    def __call__(self, candidates: Sequence[Candidate]) -> list[Verdict]:
        """One verdict for each; score: how many names differ."""
        return [self._verdict(candidate) for candidate in candidates]

    def _verdict(self, candidate: Candidate) -> Verdict:
        old, changed = (_in_one_way(text) for text in (candidate.before, candidate.after))
        told = {part for phrase in candidate.telling for part in _parts(phrase)}
        lost = sorted(self.names(old) - set(_parts(changed)) - told)
        new = sorted(self.names(changed) - set(_parts(old)))
        n = float(len(lost) + len(new))
        if candidate.keeps == "label" or not n:
            return Verdict(self.name, True, n)
        return Verdict(
            self.name, False, n, ", ".join([f"{x} lost" for x in lost] + [f"{x} new" for x in new])
        )

    def names(self, text: str) -> set[str]:
        """The words of a text's names, in lower case.

        >>> sorted(Names().names("In May, Ann Lee sang The Hill's song."))
        ['ann', 'hill', 'lee', 'may', 'the']
        """
        if text.isupper():
            return set()  # shouted: capitals say nothing
        found = set()
        for match in _CAPITAL.finditer(text):
            lower = match.group().lower()
            if _STARTS.search(text[: match.start()]) and (lower in self.known or _bare(lower) in self.known):
                continue
            found.update(_parts(match.group()))
        return found - _NOT_NAMES


def _in_one_way(text: str) -> str:
    """The text with countries as the adjective that goes with them, and abbreviations written out."""
    pattern, ways = _ways()
    return pattern.sub(lambda match: ways[match.group().removeprefix("the ")], text)


@cache
def _ways() -> tuple[re.Pattern[str], dict[str, str]]:
    ways = {country.removeprefix("the "): nation for nation, country in nation_words().nations.items()}
    ways |= {"U.S.": "American", "USA": "American", "America": "American", "UK": "British", "U.K.": "British"}
    ways |= {"United Kingdom": "British", "TV": "television", "T.V.": "television"}
    names = "|".join(re.escape(name) for name in sorted(ways, key=len, reverse=True))
    return re.compile(rf"(?<!\w)(?:the )?(?:{names})(?!\w)"), ways


def _parts(text: str) -> list[str]:
    return [_bare(word) for word in words(text)]


def _bare(word: str) -> str:
    return word.replace("’", "'").removesuffix("'s").strip(".'")
