"""What is to be planted, and what was: a plant, the truth about it, and the rows that carry it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from longway.errors import SettingError
from longway.jobs.plant.kinds import KINDS
from longway.records import Example


@dataclass(frozen=True, slots=True)
class Plant:
    """A shortcut to be planted.

    kind: one of `KINDS`. label: what it speaks for. strength: the label's share among the rows it is planted in.
    rate: share of all rows that it is planted in. value: what is planted (see `kinds.py`); "" takes what is rare in the data.
    """

    kind: str
    label: str
    strength: float = 0.95
    rate: float = 0.3
    value: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise SettingError(
                f"There is no kind of plant called {self.kind!r}. The kinds are {', '.join(KINDS)}. Choose one of them."
            )
        for name, number in (("strength", self.strength), ("rate", self.rate)):
            if not 0 < number <= 1:
                usual = "0.95" if name == "strength" else "0.3"
                raise SettingError(
                    f"'{name}' must be above 0 and at most 1. Got {number!r} for {self.kind!r}. A usual value is {usual}."
                )
        if self.value and (fault := KINDS[self.kind].fault(self.value)):
            example = f"for example {KINDS[self.kind].values[0]!r}" if KINDS[self.kind].values else "say 40"
            raise SettingError(
                f"The value {self.value!r} cannot be planted as {self.kind!r}: {fault}. Give another, {example}."
            )


@dataclass(frozen=True, slots=True)
class PlantTruth:
    """What became of one plant.

    ids: the rows it was put in. planted, shown: by label, the rows it was put in and all rows that show it.
    words: what it may bring into a text; new_words: those of them that no text had before.
    """

    plant: Plant
    ids: tuple[str, ...]
    planted: dict[str, int]
    shown: dict[str, int]
    words: tuple[str, ...]
    new_words: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """The truth as plain JSON values."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Planted:
    """Rows with plants in them, and the truth about each plant."""

    rows: list[Example]
    truth: tuple[PlantTruth, ...]

    @property
    def plants(self) -> list[Plant]:
        """The plants with the values that were taken: what the test sets are made with."""
        return [truth.plant for truth in self.truth]
