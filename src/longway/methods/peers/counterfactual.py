"""Counterfactuals as new rows: the smallest change that makes another label true (Kaushik et al. 2020, there by people)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random

from longway.engines.engine import Sampling
from longway.engines.prompt import counterfactual_prompt
from longway.errors import SettingError
from longway.methods.additions import Ask, Proposal, Proposed
from longway.methods.method import Rows, Verify
from longway.methods.peers.adding import Peer, check_n, hows


@dataclass(frozen=True, slots=True)
class CounterfactualSettings:
    """to: the label aimed at; rows that have it are left out. None: any other one, by the seed. n: new texts for each row."""

    to: str | None = None
    n: int = 1
    seed: int = 0
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        check_n(self.n)


class Counterfactual(Peer):
    """Adds each text as it would have to be for another label."""

    name = "counterfactual"

    def __init__(
        self,
        settings: CounterfactualSettings | None = None,
        *,
        ask: Ask,
        name_of_engine: str,
        verify: Verify | None = None,
    ) -> None:
        super().__init__(ask=ask, name_of_engine=name_of_engine, verify=verify)
        self.settings = settings or CounterfactualSettings()

    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The texts changed towards another label."""
        result = Proposed()
        aims = [(row, target) for row in part if (target := self._target(rows, row)) is not None]
        prompts = [
            counterfactual_prompt(
                rows.task,
                rows.texts[row],
                label=rows.label(row),
                target=target,
                context=rows.context(row),
            )
            for row, target in aims
        ]
        answers = self.written(prompts, self.settings.n, self.settings.sampling, result)
        for (row, target), written in zip(aims, answers, strict=False):
            result.proposals += [
                Proposal(row, text, target, rows.context(row), how=how) for text, how in hows(written).items()
            ]
        return result

    def _target(self, rows: Rows, row: int) -> str | None:
        names, to = list(rows.label_names), self.settings.to
        if len(names) < 2 or (to is not None and to not in names):
            raise SettingError(
                f"A counterfactual needs another label{'' if to is None else f', and {to!r} is not there'}. "
                f"Got the labels {', '.join(names)}. Choose one of them, or other data."
            )
        others = [name for name in names if name != rows.label(row)]
        if to is not None:
            return to if to in others else None
        return Random(f"{self.settings.seed}|{rows.ids[row]}").choice(others)
