"""What a perturber takes and gives, whoever it is: rules, a network, a language model.

    Request("Ann lost her hat.", word "Ann", gender:man)  ->  Perturbed("Al lost his hat.")

A row of several texts (premise and hypothesis) is one request with several segments, so that a person who stands in
both is changed in both alike; the segments come back one for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from longway.english.people.demographics import Attribute


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one segment of a request."""

    segment: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Request:
    """A person to be changed: the texts of a row in reading order, the word that names the person, what it is to become.

    source: what the word says now.
    """

    segments: tuple[str, ...]
    place: Place
    source: Attribute
    target: Attribute

    @property
    def word(self) -> str:
        """The chosen word as it is written."""
        return self.segments[self.place.segment][self.place.start : self.place.end]


@dataclass(frozen=True, slots=True)
class Perturbed:
    """What became of a request.

    segments: one for each of the request, the same where nothing was changed. reason: why nothing was changed, else "".
    chain: the words that stand for the person, where the perturber knows them.
    left: what it left alone on the way, and why, in words for people.
    """

    segments: tuple[str, ...]
    reason: str = ""
    chain: tuple[Place, ...] = ()
    left: tuple[str, ...] = ()


class Perturber(Protocol):
    """Changes one person of each row."""

    name: str

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """What becomes of each request, in order."""
        ...


def unchanged(request: Request, reason: str) -> Perturbed:
    """The answer of a perturber that changes nothing."""
    return Perturbed(request.segments, reason)
