"""Contextual word replacement as new rows (after Wu et al. 2019, "Conditional BERT"): an engine puts other words in their place.

A share of the words that carry meaning is chosen by the seed; the engine sees the text with these words marked, and the label.
Whatever else it changes makes its text useless.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from longway.engines.engine import Sampling
from longway.engines.prompt import CLOSE, OPEN, fill_prompt
from longway.errors import SettingError
from longway.methods.additions import Ask, Proposal, Proposed
from longway.methods.eda import STOP_WORDS
from longway.methods.method import Rows, Verify
from longway.methods.peers.adding import Peer, check_n
from longway.tokens.tokenizer import token_spans

NOTHING_TO_REPLACE = "the text has no words to replace"
CHANGED_MORE = "the engine changed more than the marked words"


@dataclass(frozen=True, slots=True)
class ContextualSettings:
    """share: of the words, at least one. n: new texts for each row, each with words of its own choice. seed: chooses them."""

    share: float = 0.15
    n: int = 1
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        check_n(self.n)
        if not 0 < self.share <= 1:
            raise SettingError(
                f"'share' must be above 0 and at most 1. Got {self.share}. Try 0.15, the usual rate."
            )


class Contextual(Peer):
    """Adds each text with some words replaced."""

    name = "contextual"

    def __init__(
        self,
        settings: ContextualSettings | None = None,
        *,
        ask: Ask,
        name_of_engine: str,
        verify: Verify | None = None,
    ) -> None:
        super().__init__(ask=ask, name_of_engine=name_of_engine, verify=verify)
        self.settings = settings or ContextualSettings()

    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The texts with other words in chosen places."""
        result = Proposed()
        asked: list[tuple[int, tuple[tuple[int, int], ...]]] = []
        for row in part:
            found = {self._marked(rows, row, turn) for turn in range(self.settings.n)}
            asked += [(row, spans) for spans in sorted(found) if spans]
            result.refusals[NOTHING_TO_REPLACE] += () in found
        result.refusals += type(result.refusals)()  # drops what was counted zero times
        prompts = [
            fill_prompt(
                rows.task, rows.texts[row], label=rows.label(row), marked=spans, context=rows.context(row)
            )
            for row, spans in asked
        ]
        answers = self.written(prompts, 1, self.settings.sampling, result)
        for (row, spans), written in zip(asked, answers, strict=False):
            for text in written.texts:
                self._take(rows, row, spans, text, result)
        return result

    def _take(
        self, rows: Rows, row: int, spans: Sequence[tuple[int, int]], text: str, result: Proposed
    ) -> None:
        words = replaced(rows.texts[row], spans, text)
        if words is None:
            result.refusals[CHANGED_MORE] += 1
            return
        old = [rows.texts[row][start:end] for start, end in spans]
        trace = {"replaced": [list(pair) for pair in zip(old, words, strict=True)]}
        how = ", ".join(f"{a} -> {b}" for a, b in zip(old, words, strict=True))
        result.proposals.append(Proposal(row, text, rows.label(row), rows.context(row), how=how, trace=trace))

    def _marked(self, rows: Rows, row: int, turn: int) -> tuple[tuple[int, int], ...]:
        text = rows.texts[row]
        words = [
            (start, end)
            for token, start, end in token_spans(text)
            if token.isalpha() and len(token) > 2 and token not in STOP_WORDS
        ]
        n = min(len(words), max(1, round(self.settings.share * len(text.split()))))
        random = Random(f"{self.settings.seed}|{rows.ids[row]}|{turn}")
        return tuple(sorted(random.sample(words, n)))


def replaced(text: str, spans: Sequence[tuple[int, int]], new: str) -> list[str] | None:
    """What stands in a new text in the marked places of an old one; None where anything else differs.

    >>> replaced("The soup was cold.", [(4, 8), (13, 17)], "The tea was hot.")
    ['tea', 'hot']
    >>> replaced("The soup was cold.", [(4, 8)], "A tea was cold.") is None
    True
    """
    if OPEN in new or CLOSE in new:
        return None
    pattern, end = "", 0
    for start, stop in spans:
        pattern += _loose(text[end:start]) + r"(\S.{0,60}?)"
        end = stop
    found = re.fullmatch(pattern + _loose(text[end:]), new, re.DOTALL)
    return None if found is None else list(found.groups())


def _loose(piece: str) -> str:
    """A pattern for the piece, with any white space where it has some."""
    return r"\s+".join(map(re.escape, re.split(r"\s+", piece)))
