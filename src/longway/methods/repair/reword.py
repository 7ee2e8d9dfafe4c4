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
from longway.engines.engine import Sampling, Written
from longway.engines.prompt import Prompt, rewrite_prompt, without_prompt
from longway.engines.transport import tokens_for
from longway.methods.additions import AskEngine, Proposal
from longway.methods.drafts import until_spent
from longway.methods.method import Rows, keeps_of
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
    """Rewords texts without a pattern. ask: calls the engine of this name. needs_english: whether that engine knows only English."""

    name = "reword"
    into_others = False

    def __init__(
        self, ask: AskEngine, task: Task, *, engine: str = "rules", needs_english: bool = True, seed: int = 0
    ) -> None:
        self._ask, self._task, self._engine, self.needs_english = ask, task, engine, needs_english
        self._seed = seed

    def propose_all(self, rows: Sequence[RepairRow], target: Target) -> list[list[Draft]]:
        """The rewordings that do not show the pattern; none where the budget ended."""
        asked = [row for row in rows if not (self.needs_english and is_longer_than(row.text, LONGEST))]
        is_concept = target.pattern.level == CONCEPT
        prompts = [self._prompt(row, target) for row in asked]
        answers = answers_to(self._ask, prompts, seed=self._seed)
        drafts: dict[int, list[Draft]] = {row.number: [] for row in rows}
        for row, written in zip(asked, answers, strict=False):
            for text, how in with_how(written):
                if not shows(target.pattern, text, row, target.concepts):
                    draft = Draft(
                        text,
                        f"reword.{how or 'engine'}",
                        "label" if is_concept else keeps_of(how, self._task.keeps(row.label)),
                        self._engine,
                    )
                    drafts[row.number].append(draft)
        return list(drafts.values())

    def _prompt(self, row: RepairRow, target: Target) -> Prompt:
        if target.pattern.level != CONCEPT:
            avoid = words_in(row, target.pattern)
            return rewrite_prompt(self._task, row.text, label=row.label, context=row.context, avoid=avoid)
        typical = [text for text in target.typical if not row.text.startswith(text)]
        return without_prompt(
            self._task,
            row.text,
            label=row.label,
            context=row.context,
            words=target.pattern.words,
            typical=typical,
        )


class RewordedCopies:
    """Proposes each row once more in other words. telling: the words of a text that predict its label."""

    def __init__(
        self, ask: AskEngine, rows: Rows, telling: Telling, *, engine: str = "rules", seed: int = 0
    ) -> None:
        self.rows, self._ask, self._telling, self.engine, self._seed = rows, ask, telling, engine, seed

    def propose(self, rows: Sequence[int]) -> Iterator[list[Proposal]]:
        """The rewordings of each row, in order."""
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            requests = [self._request(row) for row in part]
            answers = written_for(self._ask, self.rows.task, requests, seed=self._seed)
            given = dict(zip(part, answers, strict=False))
            for row in part:
                yield [self._proposal(row, text, how) for text, how in with_how(given.get(row))][:1]

    def _request(self, row: int) -> Request:
        text, label = self.rows.texts[row], self.rows.label(row)
        return text, label, self.rows.context(row), self._telling(text, label)

    def _proposal(self, row: int, text: str, how: str) -> Proposal:
        label, context = self.rows.label(row), self.rows.context(row)
        keeps = keeps_of(how, self.rows.task.keeps(label))
        return Proposal(row, text, label, context, f"reword.{how or 'engine'}", keeps=keeps)


Request = tuple[str, str, str | None, tuple[str, ...]]  # text, label, context, words to avoid


def written_for(ask: AskEngine, task: Task, requests: Sequence[Request], *, seed: int) -> list[Written]:
    """What an engine wrote for each request, as far as the budget goes."""
    prompts = [
        rewrite_prompt(task, text, label=label, context=context, avoid=avoid)
        for text, label, context, avoid in requests
    ]
    return answers_to(ask, prompts, seed=seed, n=CANDIDATES)


def answers_to(ask: AskEngine, prompts: Sequence[Prompt], *, seed: int, n: int = CANDIDATES) -> list[Written]:
    """What an engine wrote for each prompt, as far as the budget goes."""
    samplings = [Sampling(seed=seed, max_tokens=tokens_for(prompt.text, n=n)) for prompt in prompts]
    return until_spent(lambda: ask(prompts, n, samplings))[0] if prompts else []


def with_how(written: Written | None) -> Iterator[tuple[str, str]]:
    """Each text with what was done; "" if the engine does not say."""
    if written is not None:
        yield from zip(written.texts, written.how or ("",) * len(written.texts), strict=True)


def words_in(row: RepairRow, pattern: Pattern) -> tuple[str, ...]:
    """What an engine must avoid: the words of the pattern, or the forms of its word in this row; empty if it is not made of words."""
    if pattern.place != ANY_FORM:
        return (" ".join(pattern.words),) if pattern.words else ()
    texts = texts_of(row.text, row, pattern)
    found = where(pattern, texts) or {}
    return tuple(
        {texts[column][start:end].lower(): None for column, spans in found.items() for start, end in spans}
    )
