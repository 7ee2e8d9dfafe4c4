"""Writing within a budget, so that what is paid for can be used.

    writing = PaidWriting(asker, judge=judging, task=task)
    writing(prompts, n, samplings)        as `Asker.write_all`

Money is kept back for the calls that follow from an answer: the next steps of a method, and the judgement of the texts. When the budget
ends, the answers that were paid for are returned, and the other prompts have no text; `BudgetSpent` is raised only if there is no answer at
all. A budget that is too small for any row is an error that names a sufficient one, before anything is sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import floor

from longway.engines.asker import Asker
from longway.engines.costs import FREE
from longway.engines.engine import Sampling, Written
from longway.engines.prompt import Prompt, judge_prompt
from longway.errors import BudgetSpent, SettingError
from longway.task import Task

JUDGED = 2  # texts of a row that are likely to be judged: most fail cheaper checks, or the first one passes
LONGER = 1.5  # the prompts of the next steps show what the earlier ones gave
NOT_ASKED = "the budget is spent"
_STEPS_AFTER = {
    "identify": 3,
    "triples": 2,
    "alter": 1,
    "pick": 1,
}  # calls of CoBA that follow, about as long


class PaidWriting:
    """Lets an engine write. judge: judges what was written, with the same budget. is_spent: the budget has ended."""

    def __init__(self, asker: Asker, *, judge: Asker | None = None, task: Task | None = None) -> None:
        self.asker, self.judge, self.task = asker, judge if task is not None else None, task
        self.is_spent = self._is_checked = False

    def __call__(self, prompts: Sequence[Prompt], n: int, samplings: Sequence[Sampling]) -> list[Written]:
        """Up to n texts per prompt, in order."""
        asker = self.asker
        if asker.budget is None or asker.engine.price == FREE or not prompts:
            return asker.write_all(prompts, n, samplings)
        self.check(prompts, n, samplings)
        pairs = list(zip(prompts, samplings, strict=True))
        asker.kept = max(self._most_after(prompt, n, how) for prompt, how in pairs)
        try:
            return asker.write_all(prompts, n, samplings, held=[self._held(prompt, n) for prompt in prompts])
        except BudgetSpent as spent:
            self.is_spent = True
            is_repair = all("wrong" in prompt.values for prompt in prompts)
            if not is_repair and not any(spent.answers):
                raise
            given = spent.answers or [None] * len(prompts)
            return [answer or Written((), (NOT_ASKED,)) for answer in given]
        finally:
            asker.kept = 0.0

    def check(self, prompts: Sequence[Prompt], n: int, samplings: Sequence[Sampling]) -> None:
        """Raise SettingError if the budget of a new run is too small for the first of these prompts."""
        asker = self.asker
        if self._is_checked or not asker.budget or not prompts:
            return
        self._is_checked = True
        if asker.journal.spent():
            return
        pairs = list(zip(prompts, samplings, strict=True))
        kept = max(self._most_after(prompt, n, how) for prompt, how in pairs)
        least = asker.first_cost(prompts[0], n, samplings[0]) + max(kept, self._held(prompts[0], n))
        if least > asker.budget:
            enough = (floor(least * 1e4) + 1) / 1e4
            what = "a call" if self.judge is None else "a call and the judgement of its texts"
            raise SettingError(
                f"The budget of ${asker.budget:.4g} is too small for one row: {what} can cost ${enough:.4f} with {asker.engine.name}. "
                f"Nothing was sent. Try --budget {enough:.4f} or more."
            )

    def _held(self, prompt: Prompt, n: int) -> float:
        """What the calls that follow from an answer are likely to cost."""
        steps = _steps_after(prompt)
        cost = LONGER * steps * (self.asker.estimate([prompt], n).cost or 0.0) if steps else 0.0
        if self.judge is not None and self.task is not None:
            judged = self.judge.estimate([self._judging(prompt)], options=self.task.labels)
            cost += JUDGED * (judged.cost or 0.0)
        return cost

    def _most_after(self, prompt: Prompt, n: int, sampling: Sampling) -> float:
        """The most that one call that follows can cost: so much must be left for it to be sent."""
        is_first = _steps_after(prompt) and prompt.kind not in (
            "alter",
            "pick",
        )  # for those it was kept before
        cost = LONGER * self.asker.first_cost(prompt, n, sampling) if is_first else 0.0
        if self.judge is not None and self.task is not None:
            cost = max(cost, self.judge.engine.first_judge_cost(self._judging(prompt), self.task.labels))
        return cost

    def _judging(self, prompt: Prompt) -> Prompt:
        assert self.task is not None
        return judge_prompt(self.task, prompt.text, context=prompt.context)


def _steps_after(prompt: Prompt) -> int:
    """How many calls of the method follow the answer to a prompt."""
    return _STEPS_AFTER.get(prompt.kind, 0)
