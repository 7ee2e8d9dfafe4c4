"""Paraphrases as new rows, the label kept: what AugGPT (Dai et al. 2023) does, with whatever engine there is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from longway.engines.engine import Sampling
from longway.engines.prompt import rewrite_prompt
from longway.methods.additions import Ask, Proposal, Proposed
from longway.methods.method import Rows, Verify, keeps_of
from longway.methods.peers.adding import Peer, check_n, hows


@dataclass(frozen=True, slots=True)
class ParaphraseSettings:
    """n: new texts for each row. sampling: how the engine draws."""

    n: int = 1
    sampling: Sampling = field(default_factory=Sampling)

    def __post_init__(self) -> None:
        check_n(self.n)


class Paraphrase(Peer):
    """Adds other ways to put each text."""

    name = "paraphrase"

    def __init__(
        self,
        settings: ParaphraseSettings | None = None,
        *,
        ask: Ask,
        name_of_engine: str,
        verify: Verify | None = None,
    ) -> None:
        super().__init__(ask=ask, name_of_engine=name_of_engine, verify=verify)
        self.settings = settings or ParaphraseSettings()

    def propose(self, rows: Rows, part: Sequence[int]) -> Proposed:
        """The texts in other words."""
        result = Proposed()
        prompts = [
            rewrite_prompt(rows.task, rows.texts[row], label=rows.label(row), context=rows.context(row))
            for row in part
        ]
        answers = self.written(prompts, self.settings.n, self.settings.sampling, result)
        for row, written in zip(part, answers, strict=False):
            result.proposals += [
                Proposal(row, text, rows.label(row), rows.context(row), how=how, keeps=keeps_of(how))
                for text, how in hows(written).items()
            ]
        return result
