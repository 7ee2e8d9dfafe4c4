"""Settings of an audit of candidates."""

from __future__ import annotations

from dataclasses import dataclass

from longway.errors import SettingError
from longway.jobs.options import option


@dataclass(frozen=True, slots=True)
class ChoiceAuditSettings:
    """What an audit of candidates looks at.

    max_q: False discovery rate of findings.
    seed: Seed of the folds.
    encoder: Also measure what the sentence encoder sees, if it is installed.
    """

    max_q: float = option(0.05)
    seed: int = option(0, at_least=0, at_most=2**32 - 1)
    encoder: bool = option(True, flag=True)

    def __post_init__(self) -> None:
        if not 0 < self.max_q <= 1:
            raise SettingError(f"'max_q' must be between 0 and 1. Got {self.max_q}. The usual value is 0.05.")
