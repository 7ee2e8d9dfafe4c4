"""Settings of `longway bench plant`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from longway.errors import SettingError
from longway.jobs.options import option

if TYPE_CHECKING:
    from longway.jobs.plant.planting import Plant


@dataclass(frozen=True, slots=True)
class PlantSettings:
    """Which shortcuts are planted.

    kinds: What to plant: word, phrase, name, position, template, punctuation, negation, length, or overlap (pairs only). Repeatable.
    strength: The label's share among the rows with a planted shortcut, in training.
    rate: Share of the rows that get each shortcut.
    labels: The label that a shortcut predicts: one for all, or one for each --kind. Default: the labels in turn.
    seed: Seed of everything random.
    """

    kinds: tuple[str, ...] = option(("word",), name="kind", metavar="KIND[:STRENGTH][=VALUE]")
    strength: float = option(0.95)
    rate: float = option(0.3)
    labels: tuple[str, ...] = option((), name="for", metavar="LABEL")
    seed: int = option(0)

    def plants(self, known_labels: Sequence[str]) -> list[Plant]:
        """The shortcuts, each with the label that it predicts."""
        from longway.jobs.plant.planting import Plant

        if len(self.labels) not in (0, 1, len(self.kinds)):
            raise SettingError(
                f"--for was given {len(self.labels)} times for {len(self.kinds)} shortcuts. Expected it once for all of them, or once for each. "
                "Leave it out to use the labels in turn."
            )
        labels = self.labels or tuple(known_labels) or ("",)
        plants = []
        for i, text in enumerate(self.kinds):
            kind, strength, value = parse_kind(text, self.strength)
            plants.append(Plant(kind, labels[i % len(labels)], strength, self.rate, value))
        return plants


def parse_kind(text: str, strength: float) -> tuple[str, float, str]:
    """Kind, strength and value of KIND[:STRENGTH][=VALUE].

    >>> parse_kind("word:0.8=matinee", 0.95), parse_kind("length", 0.95)
    (('word', 0.8, 'matinee'), ('length', 0.95, ''))
    """
    head, _, value = text.partition("=")
    name, colon, number = head.partition(":")
    try:
        return name.strip(), float(number) if colon else strength, value.strip()
    except ValueError:
        raise SettingError(
            f"--kind {text!r} has no number after the colon. Expected KIND[:STRENGTH][=VALUE]. Try {name}:0.9."
        ) from None
