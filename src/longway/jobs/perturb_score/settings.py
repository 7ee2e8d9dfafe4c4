"""Settings of `longway perturb score`."""

from __future__ import annotations

from dataclasses import dataclass

from longway.errors import SettingError
from longway.jobs.options import DATA, ENGINE, check_options, option
from longway.jobs.perturb.settings import RULES, PerturbSettings


@dataclass(frozen=True, slots=True)
class PerturbScoreSettings:
    """Which perturbers are scored.

    perturbers: What rewrites the texts: rules; neural:FOLDER or neural:NAME (a network, see `longway perturb train`); or a language model:
        served:MODEL or gguf:FILE. Repeatable: several are shown beside each other.
    limit: Read only the first rows.
    encoding: Encoding of text files that are not UTF-8. Default: recognised, as by audit.
    seed: Seed of resamples, of the examples that are shown, and of the perturbers.
    """

    perturbers: tuple[str, ...] = option((RULES,), name="perturber", group=ENGINE)
    limit: int | None = option(None, group=DATA, at_least=1)
    encoding: str | None = option(None, group=DATA, advanced=True, metavar="NAME")
    seed: int = option(0, at_least=0, at_most=2**32 - 1, advanced=True)

    def __post_init__(self) -> None:
        check_options(self)
        object.__setattr__(self, "perturbers", tuple(dict.fromkeys(self.perturbers)))
        if not self.perturbers:
            raise SettingError("'perturbers' must name at least one perturber. Got none. Try rules.")
        for name in self.perturbers:
            self.of(name)  # raises SettingError if there is no such perturber

    def of(self, perturber: str) -> PerturbSettings:
        """The settings that `longway perturb` would have with this perturber as its engine."""
        return PerturbSettings(engine=perturber, seed=self.seed)
