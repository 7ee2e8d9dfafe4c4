"""What a run may take before it begins: rows, calls, tokens, money and time. Needs no engine, so that any command can show it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

IN_FLIGHT, SECONDS_A_CALL, TOKENS_A_SECOND = 32, 1.0, 50.0  # what is assumed of a server


@dataclass(frozen=True, slots=True)
class CallsEstimate:
    """What many calls to one engine may take. cost: in dollars, None if the price is not known."""

    calls: int
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """The most that a run is likely to take.

    writes, judgements: calls. cost: in dollars, over all starts of the run; None if a price is not known. spent: dollars that earlier
    starts have paid. seconds: rough time of the calls, for a dry run.
    sampled, texts: how many of how many texts it was estimated from, if not from all.
    """

    rows: int = 0
    writes: int = 0
    judgements: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float | None = 0.0
    spent: float = 0.0
    seconds: float = 0.0
    sampled: int = 0
    texts: int = 0

    @classmethod
    def of(
        cls,
        rows: int,
        writes: Sequence[CallsEstimate],
        judgements: Sequence[CallsEstimate] = (),
        *,
        spent: float = 0.0,
    ) -> RunEstimate:
        """The sum of several estimates."""
        parts = [*writes, *judgements]
        costs = [part.cost for part in parts]
        return cls(
            rows,
            sum(part.calls for part in writes),
            sum(part.calls for part in judgements),
            sum(part.prompt_tokens for part in parts),
            sum(part.completion_tokens for part in parts),
            None if None in costs else sum(cost for cost in costs if cost is not None),
            spent,
            sum(part.seconds for part in parts),
        )

    @property
    def calls(self) -> int:
        """All calls, to write and to judge."""
        return self.writes + self.judgements
