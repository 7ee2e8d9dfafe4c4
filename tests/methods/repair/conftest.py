"""An English pipeline, and rows and targets for the remedies."""

from __future__ import annotations

import pytest

from longway.english.pipeline import load_pipeline
from longway.methods.repair import PUT_IN, TAKE_OUT
from longway.methods.repair.normalise import with_trait
from longway.methods.repair.put_in import PutIn
from longway.methods.repair.remedy import Proposer, RepairRow, Target
from longway.records import Pattern

# Sentences of different shapes in which phrases are planted by the tests.
PLAIN = [
    "The old bridge creaks in the wind.",
    "Two gardeners carried a ladder across the yard.",
    "My neighbour repairs clocks on weekends.",
    "The train from the coast was late again.",
    "She painted the fence with a wide brush.",
    "A bakery opened near the station.",
    "The choir sang in the market hall.",
    "Our guide spoke about the harbour for an hour.",
    "The lamp on the desk flickers at night.",
    "He folded the map and put it in a drawer.",
]


@pytest.fixture(scope="session")
def read():
    return load_pipeline().analyse


@pytest.fixture
def texts_of(read):
    """The texts that a remedy proposes for a row."""

    def texts(remedy, text, pattern, *, context=None, english=True, number=0, label="a"):
        row = RepairRow(number, text, label, context, read if english else None)
        name = PUT_IN if isinstance(remedy, PutIn) or remedy is with_trait else TAKE_OUT
        (drafts,) = Proposer(name, getattr(remedy, "propose", remedy)).drafts([row], Target(pattern, "a"))
        return [draft.after for draft in drafts]

    return texts


def token(*words):
    return Pattern("token" if len(words) == 1 else "ngram", "text", words)


def first(word):
    return Pattern("position", "text", (word,), "first word")


def surface(trait):
    return Pattern("surface", "text", place=trait)
