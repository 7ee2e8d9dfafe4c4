"""What an engine is asked to write; for engines that follow instructions.

AskedCounterparts    each text with the smallest change that makes another label true
AskedEdits           a text with a pattern put in, or of another length, label kept
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from longway.detect.words import FIRST, LAST
from longway.engines.engine import Sampling
from longway.engines.prompt import edit_prompt
from longway.methods.additions import AskEngine, Proposal
from longway.methods.drafts import until_spent, with_how
from longway.methods.method import RewriteRequest, Rows, Write
from longway.methods.repair.recurring import words_of
from longway.methods.repair.remedy import Draft, RepairRow, Target
from longway.methods.repair.reword import CANDIDATES
from longway.methods.repair.take_out import shows
from longway.records import Pattern
from longway.task import Task

SHORTEST, LONGEST = 0.3, 1.8  # words of a new text beside those of the old one
AT_ONCE = 64  # rows that an engine is given at once


class AskedCounterparts:
    """Counterparts that an engine writes, one for each row, to another label drawn at random."""

    def __init__(self, write: Write, rows: Rows, *, seed: int = 0) -> None:
        self.rows, self._write, self.engine, self._seed = rows, write, write.name, seed

    def propose(self, rows: Sequence[int]) -> Iterator[list[Proposal]]:
        """The proposals for each row, in order; none where the budget ended."""
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            requests = [self._request(row) for row in part]
            answers, _ = until_spent(lambda requests=requests: self._write(requests))  # type: ignore[misc]
            given = dict(zip(part, answers, strict=False))
            for request in requests:
                yield [
                    Proposal(request.row, text, request.target, request.context, how or "counterfactual")
                    for text, how in with_how(given.get(request.row))
                ]

    def _request(self, row: int) -> RewriteRequest:
        rows = self.rows
        label, context = rows.label(row), rows.context(row)
        return RewriteRequest(row, rows.texts[row], label, 1, context, target=self._target(row))

    def _target(self, row: int) -> str:
        others = [name for name in self.rows.label_names if name != self.rows.label(row)]
        return Random(f"{self._seed}|{self.rows.ids[row]}").choice(others)


class AskedEdits:
    """Asks an engine to put a pattern in, or for another length. name: the remedy that it stands in for. into_others: whether the pattern is put in."""

    def __init__(
        self,
        ask: AskEngine,
        task: Task,
        *,
        name: str,
        into_others: bool,
        engine: str,
        needs_english: bool = False,
        seed: int = 0,
    ) -> None:
        self.name, self.into_others, self.needs_english = name, into_others, needs_english
        self._ask, self._task, self._engine, self._seed = ask, task, engine, seed

    def propose_all(self, rows: Sequence[RepairRow], target: Target) -> list[list[Draft]]:
        """Texts that now show the pattern, or no longer do; none where the budget ended."""
        wanted = _put_in(target.pattern) if self.into_others else _reshaped(target.pattern)
        if wanted is None:
            return [[] for _ in rows]
        asked = [row for row in rows if _can_reach(row.text, **wanted)]
        prompts = [
            edit_prompt(self._task, row.text, label=row.label, context=row.context, **wanted) for row in asked
        ]
        samplings = [Sampling(seed=self._seed)] * len(prompts)
        answers = until_spent(lambda: self._ask(prompts, CANDIDATES, samplings))[0] if prompts else []
        drafts: dict[int, list[Draft]] = {row.number: [] for row in rows}
        for row, written in zip(asked, answers, strict=False):
            drafts[row.number] += [
                Draft(text, f"{self.name.replace(' ', '_')}.engine", "label", self._engine)
                for text, _ in with_how(written)
                if shows(target.pattern, text, row, target.concepts) == self.into_others
            ]
        return list(drafts.values())


def _can_reach(text: str, *, least: int = 0, most: int | None = None, **_: Any) -> bool:
    """Whether a text of the wanted length would not be refused as too long or too short."""
    n = len(words_of(text))
    return least <= LONGEST * n and (most is None or most >= max(2, SHORTEST * n))


def _put_in(pattern: Pattern) -> dict[str, Any] | None:
    """What to ask for so that a text shows a pattern; None if that cannot be said."""
    if pattern.level in ("token", "ngram") or pattern.place in (FIRST, LAST):
        place = {FIRST: "first", LAST: "last"}.get(pattern.place, "")
        return {"include": " ".join(pattern.words), "place": place}
    return None


def _reshaped(pattern: Pattern) -> dict[str, Any] | None:
    """What to ask for so that a text no longer has the length of a pattern; None for other patterns."""
    if pattern.level != "length" or pattern.bound is None:
        return None
    bound = int(pattern.bound)
    return {"most": bound - 1} if pattern.place == "at least" else {"least": bound + 1}
