"""Which of the patterns that were found a user called real signal (`--keep`).

    keep ["great", "37 or more words"], patterns found  ->  RealSignal  ->  covers(pattern), unused

A name as a report prints it ("first word: honestly", "37 or more words") stands for that pattern alone; any other text is a
word or phrase, and stands for all patterns that are about it (`text.real_signal`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from longway.detect.detector import Description
from longway.text.keep import is_real_signal
from longway.text.tokenizer import PLAIN, Tokenizer


@dataclass(frozen=True, slots=True)
class RealSignal:
    """names: of single patterns, in lower case. phrases: as words. unused: what no pattern is about."""

    names: frozenset[str]
    phrases: tuple[tuple[str, ...], ...]
    unused: tuple[str, ...]

    @classmethod
    def of(
        cls, keep: Sequence[str], patterns: Sequence[Description], tokenizer: Tokenizer = PLAIN
    ) -> RealSignal:
        """What `keep` stands for among these patterns."""
        described = {one.pattern.name.lower() for one in patterns if one.pattern.name != " ".join(one.phrase)}
        names = frozenset(text.lower() for text in keep if text.lower() in described)
        phrases = {text: tuple(tokenizer.tokens(text)) for text in keep if text.lower() not in names}
        unused = [
            text
            for text, words in phrases.items()
            if not any(is_real_signal(one.phrase, [words]) for one in patterns)
        ]
        return cls(names, tuple(phrases.values()), tuple(unused))

    def covers(self, pattern: Description) -> bool:
        """Whether the pattern is real signal."""
        return pattern.pattern.name.lower() in self.names or is_real_signal(pattern.phrase, self.phrases)
