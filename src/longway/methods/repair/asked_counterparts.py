"""Counterparts by an engine: each text with the smallest change that makes another label true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from longway.engines.engine import Sampling
from longway.engines.prompt import counterfactual_prompt
from longway.engines.transport import tokens_for
from longway.methods.additions import AskEngine, Proposal
from longway.methods.drafts import until_spent
from longway.methods.method import Rows
from longway.methods.repair.reword import with_how

AT_ONCE = 64  # rows that an engine is given at once


class AskedCounterparts:
    """Counterparts that an engine writes, one for each row, to another label drawn at random."""

    def __init__(self, ask: AskEngine, rows: Rows, *, engine: str, seed: int = 0) -> None:
        self.rows, self._ask, self.engine, self._seed = rows, ask, engine, seed

    def propose(self, rows: Sequence[int]) -> Iterator[list[Proposal]]:
        """The proposals for each row, in order; none where the budget ended."""
        for start in range(0, len(rows), AT_ONCE):
            part = rows[start : start + AT_ONCE]
            targets = [self._target(row) for row in part]
            prompts = [
                counterfactual_prompt(
                    self.rows.task,
                    self.rows.texts[row],
                    label=self.rows.label(row),
                    target=target,
                    context=self.rows.context(row),
                )
                for row, target in zip(part, targets, strict=True)
            ]
            samplings = [Sampling(seed=self._seed, max_tokens=tokens_for(p.text, n=1)) for p in prompts]
            answers, _ = until_spent(lambda p=prompts, s=samplings: self._ask(p, 1, s))  # type: ignore[misc]
            given = dict(zip(part, answers, strict=False))
            for row, target in zip(part, targets, strict=True):
                yield [
                    Proposal(row, text, target, self.rows.context(row), how or "counterfactual")
                    for text, how in with_how(given.get(row))
                ]

    def _target(self, row: int) -> str:
        others = [name for name in self.rows.label_names if name != self.rows.label(row)]
        return Random(f"{self._seed}|{self.rows.ids[row]}").choice(others)
