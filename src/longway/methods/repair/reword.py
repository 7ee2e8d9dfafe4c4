"""Reword: an engine writes the text without the pattern, label kept.

    in place       Reword(ask, task).propose_all(rows, target)      for the patterns of a plan
    as new rows    RewordedCopies(ask, rows, telling)               beside the original, without the words that predict its label

The engine is the rules, or any engine that writes. It gets the pattern as words to avoid; of a concept, its words and typical texts. A text that still shows
the pattern is no draft.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from longway.detect.levels import CONCEPT, where
from longway.detect.words import ANY_FORM
from longway.methods.additions import Proposal
from longway.methods.drafts import until_spent, with_how
from longway.methods.method import RewriteRequest, Rows, Write, keeps_of
from longway.methods.repair.remedy import Draft, RepairRow, Target
from longway.methods.repair.take_out import shows, texts_of
from longway.records import Pattern
from longway.task import Task
from longway.text.tokenizer import is_longer_than

CANDIDATES = 4  # texts written for each row
# Words and marks of a text that rules reword: of a long one they change too much, in too long a time.
LONGEST = 80
AT_ONCE = 256  # rows that an engine is given at once
Telling = Callable[[str, str], tuple[str, ...]]  # text, label -> words that predict the label


class Reword:
    """Rewords texts without a pattern. needs_english: whether the writer knows only English."""

    name = "reword"
    into_others = False

    def __init__(self, write: Write, task: Task, *, needs_english: bool = True) -> None:
        self._write, self._task, self.needs_english = write, task, needs_english

    def propose_all(self, rows: Sequence[RepairRow], target: Target) -> list[list[Draft]]:
        """The rewordings that do not show the pattern; none where the budget ended."""
        asked = [row for row in rows if not (self.needs_english and is_longer_than(row.text, LONGEST))]
        is_concept = target.pattern.level == CONCEPT
        requests = [self._request(row, target) for row in asked]
        answers, _ = until_spent(lambda: self._write(requests))
        drafts: dict[int, list[Draft]] = {row.number: [] for row in rows}
        for row, written in zip(asked, answers, strict=False):
            for text, how in with_how(written):
                if not shows(target.pattern, text, row, target.concepts):
                    draft = Draft(
                        text,
                        f"reword.{how or 'engine'}",
                        "label" if is_concept else keeps_of(how, self._task.keeps(row.label)),
                        self._write.name,
                    )
                    drafts[row.number].append(draft)
        return list(drafts.values())

    def _request(self, row: RepairRow, target: Target) -> RewriteRequest:
        avoid, typical = words_in(row, target.pattern), None
        if target.pattern.level == CONCEPT:
            avoid = target.pattern.words
            typical = tuple(text for text in target.typical if not row.text.startswith(text))
        return RewriteRequest(
            row.number, row.text, row.label, CANDIDATES, row.context, avoid=avoid, typical=typical
        )


class RewordedCopies:
    """Proposes each row once more in other words. telling: the words of a text that predict its label."""

    def __init__(self, write: Write, rows: Rows, telling: Telling) -> None:
        self.rows, self._write, self._telling, self.engine = rows, write, telling, write.name

    def propose(self, rows: Sequence[int]) -> Iterator[list[Proposal]]:
        """The rewordings of each row, in order."""
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            answers, _ = until_spent(lambda part=part: self._write([self._request(row) for row in part]))  # type: ignore[misc]
            given = dict(zip(part, answers, strict=False))
            for row in part:
                yield [self._proposal(row, text, how) for text, how in with_how(given.get(row))][:1]

    def _request(self, row: int) -> RewriteRequest:
        text, label = self.rows.texts[row], self.rows.label(row)
        avoid = self._telling(text, label)
        return RewriteRequest(row, text, label, CANDIDATES, self.rows.context(row), avoid=avoid)

    def _proposal(self, row: int, text: str, how: str) -> Proposal:
        label, context = self.rows.label(row), self.rows.context(row)
        keeps = keeps_of(how, self.rows.task.keeps(label))
        return Proposal(row, text, label, context, f"reword.{how or 'engine'}", keeps=keeps)


def words_in(row: RepairRow, pattern: Pattern) -> tuple[str, ...]:
    """What an engine must avoid: the words of the pattern, or the forms of its word in this row; empty if it is not made of words."""
    if pattern.place != ANY_FORM:
        return (" ".join(pattern.words),) if pattern.words else ()
    texts = texts_of(row.text, row, pattern)
    found = where(pattern, texts) or {}
    return tuple(
        {texts[column][start:end].lower(): None for column, spans in found.items() for start, end in spans}
    )
