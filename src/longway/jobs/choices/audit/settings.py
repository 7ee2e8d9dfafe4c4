"""Settings of an audit of candidates."""

from __future__ import annotations

from dataclasses import dataclass

from longway.jobs.options import check_options, option


@dataclass(frozen=True, slots=True)
class ChoiceAuditSettings:
    """What an audit of candidates looks at."""

    max_q: float = option(0.05, "False discovery rate of findings.", above=0, at_most=1)
    seed: int = option(0, "Seed of the folds.", at_least=0, at_most=2**32 - 1)
    encoder: bool = option(
        True, "Also measure what the sentence encoder sees, if it is installed.", flag=True
    )

    def __post_init__(self) -> None:
        check_options(self)
