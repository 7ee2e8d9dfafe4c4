"""The interface of all perturbers: rules, a network, a language model.

    Request("Ann lost her hat.", word "Ann", gender:man)  ->  Perturbed("Al lost his hat.")

A row of several texts (premise and hypothesis) is one request with several segments, so that a person who occurs in both is
changed in both alike. As many segments are returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from longway.english.people.demographics import Attribute


@dataclass(frozen=True, slots=True)
class Place:
    """A span of one segment of a request."""

    segment: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Request:
    """A person to change.

    segments: the texts of a row, in reading order. place: the word that names the person. source: the attribute that the word
    has. target: the attribute that it should get.
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
    """The result of a request.

    segments: one per segment of the request, the same if nothing was changed. reason: why nothing was changed, or "".
    chain: the words that refer to the person, if the perturber knows them. left: what it did not change, and why, for people.
    """

    segments: tuple[str, ...]
    reason: str = ""
    chain: tuple[Place, ...] = ()
    left: tuple[str, ...] = ()


class Perturber(Protocol):
    """Changes one person of each row."""

    name: str

    def perturb(self, requests: Sequence[Request]) -> list[Perturbed]:
        """The result of each request, in order."""
        ...


def unchanged(request: Request, reason: str) -> Perturbed:
    """The result of a request that a perturber refuses."""
    return Perturbed(request.segments, reason)
